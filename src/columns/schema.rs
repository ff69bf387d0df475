//! The description of a table from which its Parquet file is made.

use arrow_schema::Schema;

/// A table as this module sees it: a name, a description and columns.
///
/// Whoever defines tables makes this value. The writer has no knowledge of
/// particular tables or columns.
#[derive(Clone, Debug)]
pub struct TableSchema {
    /// The name of the table, stored in the key-value metadata of the file.
    pub name: &'static str,
    /// The description of the table, stored in the key-value metadata of the file.
    pub about: &'static str,
    /// The columns, with their descriptions as field metadata.
    pub arrow: Schema,
    /// The encoding of each column, in the order of `arrow`.
    pub encodings: Vec<ColumnEncoding>,
}

/// The encoding of a column, apart from what its type determines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnEncoding {
    /// Writes a Bloom filter. Useful for columns by which single rows are looked
    /// up and whose values are scattered, so that the minimum and maximum of a
    /// row group exclude nothing.
    pub has_bloom_filter: bool,
    /// Writes the differences of successive values (DELTA_BINARY_PACKED) instead of
    /// dictionary indexes. Useful for numbers that grow, and for numbers that rarely
    /// repeat. The column must have integers.
    pub is_delta: bool,
}

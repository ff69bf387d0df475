//! A table: its name, its columns, its division into files, and the macro that declares a list of tables.

use super::column::{Column, ColumnType, SqlDialect, are_equal};
use super::record_rows::RecordRows;
use arrow_schema::{Field, Schema, SchemaRef};
use columns::TableSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// The files into which the rows of a table are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileDivision {
    /// A file per part.
    Part,
    /// A file per crawl.
    Crawl,
    /// One file.
    Single,
    /// One or more files: a file ends when it has reached a size.
    Size,
}

#[derive(Debug)]
pub struct TableDeclaration {
    /// The name, used for the folder and in SQL.
    pub name: &'static str,
    /// The description, which begins with what a row is.
    pub about: &'static str,
    /// The stored columns, without the partition columns.
    pub columns: &'static [Column],
    /// The columns that only views have.
    pub derived: &'static [Column],
    /// The division into files.
    pub division: FileDivision,
    /// The number by which tables are sorted: below 100 for those of datasets.
    pub order: u16,
}

/// A table that robots-scan writes. Tables are equal if their names are.
#[derive(Clone, Copy)]
pub struct Table {
    declaration: &'static TableDeclaration,
    /// Makes a builder of the rows; `None` if they are not made from records.
    record_rows: Option<fn() -> Box<dyn RecordRows>>,
}

/// Defines tables. The first line has the name of the list of all these tables, and the `order` of the first one. Each
/// further line has the constant of a table, the module with its columns, whose name is also that of the table, its
/// division into files, and `records` if its rows are made from records.
#[macro_export]
macro_rules! tables {
    (
        $(#[$list_doc:meta])* $list:ident, $first:literal;
        $($(#[$doc:meta])* $name:ident: $module:ident, $division:ident $($records:ident)?;)*
    ) => {
        $crate::tables! {
            @with_names [$(stringify!($name)),*], $(#[$list_doc])* $list, $first;
            $($(#[$doc])* $name: $module, $division $($records)?;)*
        }
    };
    (
        @with_names $names:tt, $(#[$list_doc:meta])* $list:ident, $first:literal;
        $($(#[$doc:meta])* $name:ident: $module:ident, $division:ident $($records:ident)?;)*
    ) => {
        $(
            $(#[$doc])*
            pub const $name: $crate::Table =
                $crate::tables!(@table $names, $first, $name: $module, $division $($records)?);
        )*

        $(#[$list_doc])*
        pub const $list: [$crate::Table; $names.len()] =
            [$($crate::tables!(@table $names, $first, $name: $module, $division $($records)?)),*];
    };
    (@table $names:tt, $first:literal, $name:ident: $module:ident, $division:ident $($records:ident)?) => {
        $crate::Table::new(&$crate::TableDeclaration {
            name: stringify!($module),
            about: $module::ABOUT,
            columns: $module::COLUMNS,
            derived: $module::DERIVED_COLUMNS,
            division: $crate::FileDivision::$division,
            order: $first + $crate::position(&$names, stringify!($name)),
        })$(.$records($module::record_rows))?
    };
}

/// Returns the index of a name.
///
/// # Panics
///
/// At compile time, if there is no such name.
pub const fn position(names: &[&str], name: &str) -> u16 {
    let mut i = 0;
    while !are_equal(names[i].as_bytes(), name.as_bytes()) {
        i += 1;
    }
    i as u16
}

/// Returns the number of tables of datasets whose rows are made from records, or, if `from_records` is false, of those
/// that have a file per part.
const fn count_tables(from_records: bool) -> usize {
    let (mut i, mut count) = (0, 0);
    while i < Table::ALL.len() {
        count += Table::ALL[i].is_selected(from_records) as usize;
        i += 1;
    }
    count
}

/// Returns the tables that [`count_tables`] counts, in order.
const fn filter_tables<const N: usize>(from_records: bool) -> [Table; N] {
    let mut tables = [Table::ROBOTS_FILES; N];
    let (mut i, mut count) = (0, 0);
    while i < Table::ALL.len() {
        if Table::ALL[i].is_selected(from_records) {
            tables[count] = Table::ALL[i];
            count += 1;
        }
        i += 1;
    }
    tables
}

impl Table {
    /// The tables that are filled from records, in the order of
    /// [`TableBatches`](super::TableBatches).
    pub const FROM_RECORDS: [Self; count_tables(true)] = filter_tables(true);

    /// The tables that have a file per part.
    pub const PER_PART: [Self; count_tables(false)] = filter_tables(false);

    /// The resolved tables, which have a file per crawl.
    pub const PER_CRAWL: [Self; 3] = [Self::HOSTS, Self::HOST_VERDICTS, Self::HOST_PREFERENCES];

    /// Returns the table of a declaration. Its rows are not made from records.
    pub const fn new(declaration: &'static TableDeclaration) -> Self {
        Self {
            declaration,
            record_rows: None,
        }
    }

    /// Sets the function that returns a builder of rows from records.
    pub(crate) const fn records(mut self, make: fn() -> Box<dyn RecordRows>) -> Self {
        self.record_rows = Some(make);
        self
    }

    const fn is_selected(self, from_records: bool) -> bool {
        if from_records {
            self.record_rows.is_some()
        } else {
            matches!(self.declaration.division, FileDivision::Part)
        }
    }

    /// Returns the name, used for the folder and in SQL.
    pub const fn name(self) -> &'static str {
        self.declaration.name
    }

    /// Returns the description of the table, which begins with what a row is.
    pub const fn about(self) -> &'static str {
        self.declaration.about
    }

    /// Returns the stored columns, without the partition columns.
    pub const fn columns(self) -> &'static [Column] {
        self.declaration.columns
    }

    /// Returns the columns that only views have.
    pub const fn derived_columns(self) -> &'static [Column] {
        self.declaration.derived
    }

    /// Returns a builder of the rows that are made from records; `None` if the rows are made
    /// otherwise.
    pub(crate) fn record_rows(self) -> Option<Box<dyn RecordRows>> {
        self.record_rows.map(|make| make())
    }

    /// Returns true if the table stores a column of this name and type.
    pub const fn has_column(self, name: &str, kind: ColumnType) -> bool {
        let columns = self.columns();
        let mut i = 0;
        while i < columns.len() {
            let is_named = are_equal(columns[i].name.as_bytes(), name.as_bytes());
            if is_named && columns[i].kind as u8 == kind as u8 {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Returns true if the first column is the key of a capture.
    pub fn has_robots_id(self) -> bool {
        self.columns()[0].name == "robots_id"
    }

    /// Returns true if each row belongs to a row of `robots_files`.
    pub fn belongs_to_captures(self) -> bool {
        self != Self::ROBOTS_FILES && Self::FROM_RECORDS.contains(&self) && self.has_robots_id()
    }

    /// Returns true if the table has a single file, whose path has no partition columns.
    pub fn has_single_file(self) -> bool {
        self.declaration.division == FileDivision::Single
    }

    /// Returns true if the table has a file per part.
    pub fn is_per_part(self) -> bool {
        self.declaration.division == FileDivision::Part
    }

    /// Returns true if the table has a file per crawl.
    pub fn is_per_crawl(self) -> bool {
        self.declaration.division == FileDivision::Crawl
    }

    /// Returns the columns whose values are part of the paths of the files.
    pub fn partition_columns(self) -> &'static [Column] {
        match self.declaration.division {
            FileDivision::Part => &PARTITION_COLUMNS,
            FileDivision::Crawl => &PARTITION_COLUMNS[..1],
            FileDivision::Single | FileDivision::Size => &[],
        }
    }

    /// Returns the Arrow schema, with descriptions as metadata.
    pub fn schema(self) -> SchemaRef {
        Arc::new(self.arrow_schema(&[]))
    }

    /// Returns the description from which Parquet files are written, with `extra`
    /// columns after those of the table.
    pub fn file_schema(self, extra: &[Column]) -> TableSchema {
        let columns = self.columns().iter().chain(extra);
        TableSchema {
            name: self.name(),
            about: self.about(),
            arrow: self.arrow_schema(extra),
            encodings: columns.map(|column| column.encoding).collect(),
        }
    }

    fn arrow_schema(self, extra: &[Column]) -> Schema {
        let columns = self.columns().iter().chain(extra);
        let fields: Vec<Field> = columns.map(Column::field).collect();
        let metadata = HashMap::from([("comment".to_owned(), self.about().to_owned())]);
        Schema::new_with_metadata(fields, metadata)
    }
}

/// The columns whose values are part of the paths of a dataset.
pub const PARTITION_COLUMNS: [Column; 2] = [
    Column::new(
        "crawl",
        ColumnType::Text,
        "The crawl, such as `CC-MAIN-2025-38`; part of the path.",
    ),
    Column::new(
        "subset",
        ColumnType::Text,
        "The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.",
    ),
];

/// Returns a digest of the names, the types and the nullability of all columns of these tables, in hexadecimal.
pub fn schemas_digest(tables: &[Table]) -> String {
    let mut text = String::new();
    for table in tables {
        let columns = table.columns().iter().chain(table.partition_columns());
        for column in columns {
            let kind = column.kind.sql(SqlDialect::DuckDb);
            let is_nullable = if column.is_nullable { "true" } else { "false" };
            text.push_str(&[table.name(), column.name, kind, is_nullable].join(" "));
            text.push('\n');
        }
    }
    format!("{:016x}", xxh3_64(text.as_bytes()))
}

impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Reads the name of a table of datasets.
impl<'de> Deserialize<'de> for Table {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let table = Self::ALL.into_iter().find(|table| table.name() == name);
        table.ok_or_else(|| de::Error::custom("not a table"))
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Table {}

impl Ord for Table {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |table: &Self| (table.declaration.order, table.name());
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Table {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Table {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

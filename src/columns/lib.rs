//! Writes tables as Parquet files.
//!
//! Input: values, column by column. Output: Parquet files. The package is independent of the meaning of
//! columns.
//!
//! The crate `parquet` writes file headers, footers and page headers. The pages
//! themselves are laid out here, by `ColumnWriter`, whose documentation gives the
//! reasons.
//!
//! The route of a value:
//!
//! ```text
//! ColumnBuilder, Interner -> RowBatch -> PageRows -> ColumnWriter -> ColumnChunk -> file
//! column_data.rs             row_batch   row_groups  column_writer   column_chunk   file.rs
//! ```
//!
//! 1. The tables append values to builders, column by column. Texts are interned:
//!    a batch holds each distinct text once, with its hash.
//! 2. `RowGroupSplitter` divides the rows into pages and row groups. The division
//!    depends only on the rows, and not on batches or threads, so that a file has
//!    the same bytes for any number of threads.
//! 3. `ColumnWriter` encodes a page of a column with a dictionary, or plain, and
//!    compresses it. All columns of a page are encoded in parallel.
//! 4. `TableFileWriter` appends finished row groups in order, hashes the bytes,
//!    and renames the file to its final name once all of it is on disk.
//!
//! If you change the layout of a page, check that `tests.rs` still reads it back
//! with the crate's reader, and expect all golden digests to change. If you change
//! page or row-group sizes, also check the package `sort`, whose memory limits
//! assume these sizes, and `docs/developers/performance.md`.

mod arrow_batch;
mod bloom_filter;
mod column_chunk;
mod column_data;
mod column_writer;
mod concatenate;
mod delta;
mod dictionary;
mod file;
mod file_task;
mod hashing_writer;
mod interner;
mod page;
mod rle;
mod row_batch;
mod row_groups;
mod statistics;
#[cfg(test)]
mod tests;

pub use column_data::{
    ColumnBuilder, ColumnData, ColumnValues, PlainTextBuilder, take_and_reserve,
};
pub use concatenate::{RowGroupSource, concatenate};
pub use file::{
    ClosedFile, ColumnEncoding, TableFileWriter, TableSchema, ValueEncoding, WrittenFile,
    WrittenRowGroups,
};
pub use file::{encode_table, write_table};
pub use file_task::{FileTask, FileTaskOutput};
pub use hashing_writer::RowGroupBytes;
pub use interner::{InternedTexts, Interner};
pub use row_batch::RowBatch;
pub use row_groups::GROUP_ROWS;

//! Column chunks of Parquet, from columns of [`RowBatch`](crate::parquet_writer::Rows).
//!
//! The crate `parquet` writes files, footers and page headers; the pages
//! themselves are laid out here, after its format's document "Encodings". Its
//! own writer takes Arrow arrays, hashes every value of every row, and compares
//! each with the least and the greatest; here a value is asked for once for a
//! batch, and what repeats costs a look into a table.
//!
//! A page holds the rows of a slab. Values stand in a dictionary, texts that
//! seldom repeat and those of a dictionary that has grown too large as they
//! are; numbers of dictionaries have whole bytes where they are large, so that
//! the compressor sees what repeats.

mod column_chunk;
mod column_data;
mod dictionary;
mod file;
mod interner;
mod rle;
mod row_batch;
mod row_groups;
mod statistics;
#[cfg(test)]
mod tests;

pub(crate) use column_chunk::{ColumnChunk, ColumnWriter, PageBuffers};
pub(crate) use column_data::{ColumnBuilder, ColumnData, ColumnValues, PlainTextBuilder};
pub(crate) use file::{FileTask, FileTaskOutput, TableFileWriter, WrittenFile, write_table};
pub(crate) use interner::{InternedTexts, Interner};
pub(crate) use row_batch::RowBatch;

//! Parquet files of unknown origin, read in bounded memory.
//!
//! Input: a file that may hold any bytes. Output: its batches, as the crate `parquet` reads them. [`open`] opens a file.
//! Of this project, the package uses only the error type.
//!
//! The crate `parquet` reserves the memory that a file states, and panics at some damages. Few bytes can state a footer
//! of millions of columns, a page of gigabytes, or a value that a dictionary repeats in each row. So
//!
//! - the footer is walked before the crate parses it ([`read_footer`]);
//! - the size of a page is checked before the page is read ([`LimitedFile`]);
//! - values are counted as often as they are repeated, per row group and in relation to the size of the file
//!   ([`ValueCounter`]);
//! - a panic becomes an error ([`catch_panic`]).
//!
//! Remove this package once the crate `parquet` has such limits.
//!
//! ```text
//! thrift.rs        reads values of the encoding of footers and page headers
//! footer.rs        the limits of a footer
//! page_header.rs   the sizes of a page
//! limited_file.rs  the limits of pages
//! value_limit.rs   the limits of values
//! ```

mod footer;
mod limited_file;
mod page_header;
mod thrift;
mod value_limit;

pub use footer::{read_arrow_footer, read_footer};
pub use limited_file::{LargePage, LimitedFile, catch_panic};
pub use page_header::PageLocation;
pub use value_limit::{LargeValues, ValueCounter, ValueLimits, value_bytes};

use errors::{Error, ErrorKind};
use limited_file::SharedFile;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;
use parquet::file::reader::Length;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The limits of a file.
pub struct Limits<'l> {
    /// Returns the limit of the size of a page, compressed and decompressed, of the column with this path.
    pub page_bytes: &'l dyn Fn(&str) -> u64,
    /// The limit of the decompressed pages of a row group together; `None` for no limit. Columns whose pages may be
    /// larger do not count.
    pub row_group_page_bytes: Option<u64>,
    /// The limits of the bytes of values.
    pub values: ValueLimits,
    /// A column whose values do not count, because they are not kept.
    pub uncounted_column: Option<&'static str>,
}

/// A Parquet file that is open for reading within limits.
pub struct OpenedFile {
    /// The file, which counts its pages.
    pub file: LimitedFile,
    /// The footer, and the schema that it states.
    pub metadata: ArrowReaderMetadata,
    values: ValueCounter,
}

/// Opens a file with limits. Reading fails once `stop` is set.
///
/// # Errors
///
/// [`ErrorKind::Read`].
pub fn open(
    path: &Path,
    file: impl Into<Arc<File>>,
    limits: &Limits<'_>,
    stop: Option<Arc<AtomicBool>>,
) -> Result<OpenedFile, Error> {
    let file = SharedFile(file.into());
    let open = || {
        let metadata = read_arrow_footer(&file.0)?;
        let values = ValueCounter::new(limits.values, file.len(), limits.uncounted_column);
        let file = LimitedFile::new(file.0, metadata.metadata(), limits, stop)?;
        Ok(OpenedFile {
            file,
            metadata,
            values,
        })
    };
    open().map_err(|error: ParquetError| Error::with_source(ErrorKind::Read, path, error))
}

impl OpenedFile {
    /// Returns a new counter of the values of this file, for [`LimitedFile::check_batch`].
    pub fn value_counter(&self) -> ValueCounter {
        self.values.clone()
    }

    /// Returns a builder of a reader.
    pub fn reader_builder(&self) -> ParquetRecordBatchReaderBuilder<LimitedFile> {
        let metadata = self.metadata.clone();
        ParquetRecordBatchReaderBuilder::new_with_metadata(self.file.clone(), metadata)
    }

    /// Returns the number of rows that a batch may have: `rows`, or fewer if one of these columns has a
    /// dictionary with large values in one of these row groups.
    ///
    /// # Errors
    ///
    /// Those of reading the dictionaries.
    pub fn max_batch_rows(
        &self,
        row_groups: &[usize],
        columns: &ProjectionMask,
        rows: usize,
    ) -> Result<usize, ParquetError> {
        let mut least = rows as u64;
        for &group in row_groups {
            let chunks = self.metadata.metadata().row_group(group).columns();
            let chunks = chunks.iter().enumerate();
            let chunks = chunks.filter(|(leaf, _)| columns.leaf_included(*leaf));
            let chunks = chunks.map(|(_, chunk)| chunk);
            least = least.min(self.file.max_batch_rows(chunks, rows as u64)?);
        }
        Ok(usize::try_from(least).unwrap_or(rows))
    }
}

//! A Parquet file of a part of a dataset, read with limits on the sizes of pages and batches.

use super::limited_file::{LimitedFile, reader_options};
use disk::error::{Error, ErrorKind};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The limit of the size of a page. robots-scan ends a page with the row that brings it to 4 MiB,
/// and a dictionary at 8 MiB.
const MAX_PART_PAGE_BYTES: u64 = 16 << 20;

/// The limit of the size of a page of the column `body`: `--max-body-bytes` may be 1 GiB.
const MAX_BODY_PAGE_BYTES: u64 = (1 << 30) + MAX_PART_PAGE_BYTES;

/// A Parquet file of a part, opened with limits on the sizes of its pages.
pub struct OpenedPart {
    pub file: LimitedFile,
    pub metadata: ArrowReaderMetadata,
}

/// Reads the metadata of a file of a part, and sets the limits of its pages. Reading fails once
/// `stop` is set.
///
/// # Errors
///
/// [`ErrorKind::Read`].
pub fn open_part_file(
    path: &Path,
    file: File,
    stop: Option<Arc<AtomicBool>>,
) -> Result<OpenedPart, Error> {
    let open = || {
        let metadata = ArrowReaderMetadata::load(&file, reader_options())?;
        let file = LimitedFile::new(file, metadata.metadata(), page_bytes_max, stop)?;
        Ok(OpenedPart { file, metadata })
    };
    open().map_err(|error: ParquetError| Error::with_source(ErrorKind::Read, path, error))
}

impl OpenedPart {
    pub fn reader_builder(&self) -> ParquetRecordBatchReaderBuilder<LimitedFile> {
        let metadata = self.metadata.clone();
        ParquetRecordBatchReaderBuilder::new_with_metadata(self.file.clone(), metadata)
    }

    /// Returns the number of rows that a batch may have: `rows`, or fewer if a dictionary of one of
    /// these row groups and columns has large values.
    pub fn max_batch_rows(
        &self,
        row_groups: &[usize],
        columns: &ProjectionMask,
        rows: usize,
    ) -> Result<usize, ParquetError> {
        let mut least = rows as u64;
        for &group in row_groups {
            let chunks = self.metadata.metadata().row_group(group).columns();
            for (leaf, chunk) in chunks.iter().enumerate() {
                if columns.leaf_included(leaf) {
                    least = least.min(self.file.max_batch_rows(chunk, rows as u64)?);
                }
            }
        }
        Ok(usize::try_from(least).unwrap_or(rows))
    }
}

fn page_bytes_max(column: &str) -> u64 {
    match column {
        "body" => MAX_BODY_PAGE_BYTES,
        _ => MAX_PART_PAGE_BYTES,
    }
}

//! Reads some columns of a file row by row, in bounded memory.

use super::file::{cause, one_line};
use dataset::{OpenedPart, StoredColumns, open_part_file};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

const BATCH_ROWS: usize = 4096;

/// Runs a call of the Parquet reader, which may panic: whoever writes a dataset also states its digests.
fn guarded<T>(call: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    // The reader is not used again after a panic.
    let result = catch_unwind(AssertUnwindSafe(call));
    result.unwrap_or_else(|_| Err("the reader gave up".to_owned()))
}

/// Some columns of a file whose schema has been checked.
pub(super) struct RowCursor<C> {
    part: OpenedPart,
    /// The next row group.
    row_group: usize,
    reader: Option<ParquetRecordBatchReader>,
    /// The columns of the batch; `None` before the first one.
    columns: Option<C>,
    batch_rows: usize,
    /// The index of the next row in the batch.
    row: usize,
    /// The number of rows that were read.
    rows: u64,
}

/// A row of a file.
pub(super) struct Row<'c, C> {
    /// The columns of its batch.
    pub(super) columns: &'c C,
    /// Its index in the batch.
    pub(super) index: usize,
    /// Its number in the file, from 1.
    pub(super) number: u64,
}

impl<C: StoredColumns> RowCursor<C> {
    /// Opens a file. The cursor is before the first row.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let file = disk::open(path).map_err(|error| one_line(&error))?;
        let part =
            guarded(|| open_part_file(path, file, None).map_err(|error| one_line(cause(&error))))?;
        Ok(Self {
            part,
            row_group: 0,
            reader: None,
            columns: None,
            batch_rows: 0,
            row: 0,
            rows: 0,
        })
    }

    /// Returns the next row; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Row<'_, C>>, String> {
        if self.row == self.batch_rows && !self.read_batch()? {
            return Ok(None);
        }
        self.row += 1;
        self.rows += 1;
        Ok(self.columns.as_ref().map(|columns| Row {
            columns,
            index: self.row - 1,
            number: self.rows,
        }))
    }

    /// Reads the next batch with rows. Returns false if there is none.
    fn read_batch(&mut self) -> Result<bool, String> {
        (self.row, self.batch_rows) = (0, 0);
        loop {
            let reader = self.reader.as_mut();
            let batch = guarded(|| {
                let batch = reader.and_then(Iterator::next).transpose();
                batch.map_err(|error| one_line(&error))
            });
            if let Some(batch) = batch? {
                let columns = C::from_batch(&batch).map_err(|error| one_line(cause(&error)))?;
                self.columns = Some(columns);
                self.batch_rows = batch.num_rows();
                if self.batch_rows > 0 {
                    return Ok(true);
                }
            } else if self.row_group < self.part.metadata.metadata().num_row_groups() {
                self.reader = Some(guarded(|| self.open_row_group())?);
                self.row_group += 1;
            } else {
                self.reader = None;
                return Ok(false);
            }
        }
    }

    fn open_row_group(&self) -> Result<ParquetRecordBatchReader, String> {
        let part = &self.part;
        let mask =
            ProjectionMask::columns(part.metadata.parquet_schema(), C::NAMES.iter().copied());
        let batch_rows = part.max_batch_rows(&[self.row_group], &mask, BATCH_ROWS);
        let batch_rows = batch_rows.map_err(|error| one_line(&error))?;
        part.reader_builder()
            .with_projection(mask)
            .with_row_groups(vec![self.row_group])
            .with_batch_size(batch_rows)
            .build()
            .map_err(|error| one_line(&error))
    }
}

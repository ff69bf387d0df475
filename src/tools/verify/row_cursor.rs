//! Reads some columns of a file row by row, in bounded memory.

use super::file::{error_cause, one_line_message};
use super::part::ReadableFile;
use dataset::{OpenedPart, StoredColumns, ValueCounter, open_part_file};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use parquet::errors::ParquetError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

const BATCH_ROWS: usize = 4096;

/// Calls the Parquet reader, and returns an error if it panics. A correct digest does not rule this
/// out: whoever writes a malformed file can also state its digest.
fn catch_reader_panic<T>(call: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    // The reader is not used again after a panic.
    let result = catch_unwind(AssertUnwindSafe(call));
    result.unwrap_or_else(|_| Err("the reader gave up".to_owned()))
}

/// A cursor over the rows of a file, with the columns `C`. The schema of the file must have been
/// checked.
pub(super) struct RowCursor<C> {
    path: PathBuf,
    part: OpenedPart,
    values: ValueCounter,
    /// The index of the row group to be opened next.
    next_row_group: usize,
    row_groups_end: usize,
    reader: Option<ParquetRecordBatchReader>,
    /// The columns of the batch; `None` before the first one.
    columns: Option<C>,
    batch_rows: usize,
    /// The index of the next row in the current batch.
    next_row: usize,
    /// The number of rows of the file that were read.
    rows_read: u64,
}

/// The current row of a cursor.
pub(super) struct Row<'c, C> {
    /// The columns of its batch.
    pub(super) columns: &'c C,
    /// Its index in the batch.
    pub(super) index: usize,
    /// Its number among the rows that are read, from 1.
    pub(super) number: u64,
}

impl<C: StoredColumns> RowCursor<C> {
    /// Opens a file, or the row groups of a part in it. The cursor is before its first row.
    pub(super) fn open(readable: &ReadableFile) -> Result<Self, String> {
        let path = &readable.path;
        let row_groups = readable.row_groups.clone();
        let file = disk::open(path).map_err(|error| one_line_message(&error))?;
        let part = catch_reader_panic(|| {
            let stop = Some(Arc::clone(&readable.stop));
            open_part_file(path, file, stop).map_err(|error| one_line_message(error_cause(&error)))
        })?;
        let count = part.metadata.metadata().num_row_groups();
        let row_groups = row_groups.unwrap_or(0..count);
        Ok(Self {
            path: path.clone(),
            values: part.value_counter(),
            part,
            next_row_group: row_groups.start,
            row_groups_end: row_groups.end.min(count),
            reader: None,
            columns: None,
            batch_rows: 0,
            next_row: 0,
            rows_read: 0,
        })
    }

    /// Returns the next row; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Row<'_, C>>, String> {
        if self.next_row == self.batch_rows && !self.read_batch()? {
            return Ok(None);
        }
        self.next_row += 1;
        self.rows_read += 1;
        Ok(self.columns.as_ref().map(|columns| Row {
            columns,
            index: self.next_row - 1,
            number: self.rows_read,
        }))
    }

    /// Reads the next batch with rows. Returns false if there is none.
    fn read_batch(&mut self) -> Result<bool, String> {
        (self.next_row, self.batch_rows) = (0, 0);
        loop {
            let (reader, values) = (self.reader.as_mut(), &mut self.values);
            let (path, file) = (&self.path, &self.part.file);
            let message = |error: ParquetError| {
                one_line_message(error_cause(&file.reader_error(path, error)))
            };
            let batch = catch_reader_panic(|| {
                let batch = reader.and_then(Iterator::next).transpose();
                let batch = batch.map_err(|error| message(error.into()))?;
                if let Some(batch) = &batch {
                    file.check_batch(values, batch).map_err(message)?;
                }
                Ok(batch)
            });
            if let Some(batch) = batch? {
                let columns =
                    C::from_batch(&batch).map_err(|error| one_line_message(error_cause(&error)))?;
                self.columns = Some(columns);
                self.batch_rows = batch.num_rows();
                if self.batch_rows > 0 {
                    return Ok(true);
                }
            } else if self.next_row_group < self.row_groups_end {
                self.reader = Some(catch_reader_panic(|| self.open_row_group())?);
                self.next_row_group += 1;
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
        let batch_rows = part.max_batch_rows(&[self.next_row_group], &mask, BATCH_ROWS);
        let message = |error: ParquetError| {
            one_line_message(error_cause(&part.file.reader_error(&self.path, error)))
        };
        let batch_rows = batch_rows.map_err(message)?;
        part.reader_builder()
            .with_projection(mask)
            .with_row_groups(vec![self.next_row_group])
            .with_batch_size(batch_rows)
            .build()
            .map_err(message)
    }
}

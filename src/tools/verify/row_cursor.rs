//! Reads some columns of a file row by row, in bounded memory.

use super::file::{cause, one_line};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use dataset::{OpenedPart, open_part_file};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// The rows of a batch.
const BATCH_ROWS: usize = 4096;

/// Runs a call of the Parquet reader, which may panic: whoever writes a dataset also states its digests.
fn guarded<T>(call: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    // The reader is not used again after a panic.
    let result = catch_unwind(AssertUnwindSafe(call));
    result.unwrap_or_else(|_| Err("the reader gave up".to_owned()))
}

/// A row of a file whose columns have been checked.
///
/// Columns are addressed by their index in the names given to [`RowCursor::open`].
pub(super) struct RowCursor {
    part: OpenedPart,
    names: Vec<&'static str>,
    /// The next row group.
    row_group: usize,
    reader: Option<ParquetRecordBatchReader>,
    /// The columns of the batch, in the order of `names`.
    columns: Vec<ArrayRef>,
    /// The rows of the batch.
    batch_rows: usize,
    /// The index of the row in the batch.
    row: usize,
    /// The rows before the batch.
    rows_before: u64,
}

impl RowCursor {
    /// Opens a file. The cursor is before the first row.
    pub(super) fn open(path: &Path, names: &[&'static str]) -> Result<Self, String> {
        let file = disk::open(path).map_err(|error| one_line(&error))?;
        let part =
            guarded(|| open_part_file(path, file, None).map_err(|error| one_line(cause(&error))))?;
        Ok(Self {
            part,
            names: names.to_vec(),
            row_group: 0,
            reader: None,
            columns: Vec::new(),
            batch_rows: 0,
            row: 0,
            rows_before: 0,
        })
    }

    /// Goes to the next row. Returns false if there is none.
    pub(super) fn next(&mut self) -> Result<bool, String> {
        if self.row + 1 < self.batch_rows {
            self.row += 1;
            return Ok(true);
        }
        self.rows_before += self.batch_rows as u64;
        (self.row, self.batch_rows) = (0, 0);
        loop {
            let reader = self.reader.as_mut();
            let batch = guarded(|| {
                let batch = reader.and_then(Iterator::next).transpose();
                batch.map_err(|error| one_line(&error))
            });
            if let Some(batch) = batch? {
                let columns = self.names.iter().map(|name| {
                    let column = batch.column_by_name(name).cloned();
                    column.ok_or_else(|| format!("it has no column `{name}`"))
                });
                self.columns = columns.collect::<Result<_, _>>()?;
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
        let mask = ProjectionMask::columns(part.metadata.parquet_schema(), self.names.clone());
        let batch_rows = part.batch_rows(&[self.row_group], &mask, BATCH_ROWS);
        let batch_rows = batch_rows.map_err(|error| one_line(&error))?;
        part.builder()
            .with_projection(mask)
            .with_row_groups(vec![self.row_group])
            .with_batch_size(batch_rows)
            .build()
            .map_err(|error| one_line(&error))
    }

    /// Returns the number of the row, from 1.
    pub(super) fn row_number(&self) -> u64 {
        self.rows_before + self.row as u64 + 1
    }

    /// Returns the value of a `BIGINT` column; `None` for null.
    pub(super) fn i64(&self, column: usize) -> Option<i64> {
        let column = self.columns.get(column)?.as_primitive_opt::<Int64Type>()?;
        (self.row < column.len() && column.is_valid(self.row)).then(|| column.value(self.row))
    }

    /// Returns the value of an `INTEGER` column; `None` for null.
    pub(super) fn i32(&self, column: usize) -> Option<i32> {
        let column = self.columns.get(column)?.as_primitive_opt::<Int32Type>()?;
        (self.row < column.len() && column.is_valid(self.row)).then(|| column.value(self.row))
    }

    /// Returns the value of a `VARCHAR` column; `None` for null.
    pub(super) fn text(&self, column: usize) -> Option<&str> {
        let column = self.columns.get(column)?.as_string_opt::<i32>()?;
        (self.row < column.len() && column.is_valid(self.row)).then(|| column.value(self.row))
    }
}

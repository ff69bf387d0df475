//! Some columns of a file, row by row, in bounded memory.

use super::file::words;
use crate::disk;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use std::fs::File;
use std::path::Path;

/// Rows of a batch.
const BATCH_ROWS: usize = 4096;

/// A place in a file whose columns were found to be those of its table.
pub(super) struct Rows {
    file: File,
    metadata: ArrowReaderMetadata,
    names: Vec<&'static str>,
    /// The next row group.
    group: usize,
    reader: Option<ParquetRecordBatchReader>,
    /// The columns of the batch, in the order asked for.
    columns: Vec<ArrayRef>,
    /// Rows of the batch.
    len: usize,
    /// The row in the batch.
    at: usize,
    /// Rows before the batch.
    before: u64,
}

impl Rows {
    /// Opens a file, before its first row.
    pub(super) fn open(path: &Path, names: &[&'static str]) -> Result<Self, String> {
        let file = disk::open(path).map_err(|error| words(&error))?;
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())
            .map_err(|error| words(&error))?;
        Ok(Self {
            file,
            metadata,
            names: names.to_vec(),
            group: 0,
            reader: None,
            columns: Vec::new(),
            len: 0,
            at: 0,
            before: 0,
        })
    }

    /// Goes to the next row, and gives whether there is one.
    pub(super) fn next(&mut self) -> Result<bool, String> {
        if self.at + 1 < self.len {
            self.at += 1;
            return Ok(true);
        }
        self.before += self.len as u64;
        (self.at, self.len) = (0, 0);
        loop {
            if let Some(batch) = self.reader.as_mut().and_then(Iterator::next) {
                let batch = batch.map_err(|error| words(&error))?;
                let columns = self.names.iter().map(|name| {
                    let column = batch.column_by_name(name).cloned();
                    column.ok_or_else(|| format!("it has no column `{name}`"))
                });
                self.columns = columns.collect::<Result<_, _>>()?;
                self.len = batch.num_rows();
                if self.len > 0 {
                    return Ok(true);
                }
            } else if self.group < self.metadata.metadata().num_row_groups() {
                self.reader = Some(self.open_group()?);
                self.group += 1;
            } else {
                self.reader = None;
                return Ok(false);
            }
        }
    }

    fn open_group(&self) -> Result<ParquetRecordBatchReader, String> {
        let file = self.file.try_clone().map_err(|error| words(&error))?;
        let mask = ProjectionMask::columns(self.metadata.parquet_schema(), self.names.clone());
        ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
            .with_projection(mask)
            .with_row_groups(vec![self.group])
            .with_batch_size(BATCH_ROWS)
            .build()
            .map_err(|error| words(&error))
    }

    /// The row's number, from 1.
    pub(super) fn no(&self) -> u64 {
        self.before + self.at as u64 + 1
    }

    /// A value of a `BIGINT` column; `None` for null.
    pub(super) fn long(&self, column: usize) -> Option<i64> {
        let column = self.columns.get(column)?.as_primitive_opt::<Int64Type>()?;
        (self.at < column.len() && column.is_valid(self.at)).then(|| column.value(self.at))
    }

    /// A value of an `INTEGER` column.
    pub(super) fn int(&self, column: usize) -> Option<i32> {
        let column = self.columns.get(column)?.as_primitive_opt::<Int32Type>()?;
        (self.at < column.len() && column.is_valid(self.at)).then(|| column.value(self.at))
    }

    /// A value of a `BOOLEAN` column.
    pub(super) fn bool(&self, column: usize) -> Option<bool> {
        let column = self.columns.get(column)?.as_boolean_opt()?;
        (self.at < column.len() && column.is_valid(self.at)).then(|| column.value(self.at))
    }

    /// A value of a `VARCHAR` column.
    pub(super) fn text(&self, column: usize) -> Option<&str> {
        let column = self.columns.get(column)?.as_string_opt::<i32>()?;
        (self.at < column.len() && column.is_valid(self.at)).then(|| column.value(self.at))
    }
}

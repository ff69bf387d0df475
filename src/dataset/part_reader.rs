//! Reads the rows of a part in one table, batch by batch.

use super::row_filter::{number_filter, row_groups_with_ids, row_groups_with_values, text_filter};
use super::stored_file::StoredFile;
use crate::capture_filter::push_crawl_key;
use crate::error::{DatasetDefect, DatasetErrorKind};
use crate::{CaptureFilter, open_part_file};
use arrow_array::{Int64Array, RecordBatch};
use errors::Error;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use parquet::errors::ParquetError;
use parquet_limits::{LimitedFile, OpenedFile, ValueCounter, catch_panic};
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tables::Table;

/// The maximum number of rows of a batch. It is small because texts may be long.
const BATCH_ROWS: usize = 1024;

/// Identifies a part of a dataset, which is the rows of some inputs in each table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PartId {
    /// The index of its crawl.
    pub crawl: u32,
    /// Its index among the parts of all crawls, in the order of crawls.
    pub part: u32,
}

/// The rows of a part in a table: a whole file, or some row groups of a file.
#[derive(Clone, Debug)]
pub(super) struct PartFile {
    pub(super) table: Table,
    pub(super) id: PartId,
    pub(super) file: Arc<StoredFile>,
    /// `None` for all of the file.
    pub(super) row_groups: Option<Range<usize>>,
}

/// Reads a file of a dataset batch by batch.
pub struct PartReader {
    path: PathBuf,
    table: Table,
    file: LimitedFile,
    values: ValueCounter,
    batches: ParquetRecordBatchReader,
    /// The `robots_id` of the last row.
    last_id: Option<i64>,
}

impl PartReader {
    /// Returns the next batch; `None` at the end.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`](errors::ErrorKind::Read); [`DatasetErrorKind::NotADataset`] if rows are not in order.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>, Error> {
        let batch = catch_panic(&self.path, || {
            let read_error = |error| self.file.reader_error(&self.path, error);
            let batch = self
                .batches
                .next()
                .transpose()
                .map_err(|error| read_error(error.into()))?;
            if let Some(batch) = &batch {
                self.file
                    .check_batch(&mut self.values, batch)
                    .map_err(read_error)?;
            }
            Ok(batch)
        })?;
        if let Some(batch) = &batch {
            self.check_order(batch)?;
        }
        Ok(batch)
    }

    /// Checks that rows are in the order of captures, each of which has one row in `robots_files`:
    /// otherwise rows would be missed, or counted twice.
    fn check_order(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let ids = batch.column_by_name("robots_id");
        let Some(ids) = ids.and_then(|ids| ids.as_any().downcast_ref::<Int64Array>()) else {
            return Ok(());
        };
        let is_unique = self.table == Table::ROBOTS_FILES;
        for &id in ids.values() {
            let is_misplaced = |last| last > id || is_unique && last == id;
            if self.last_id.is_some_and(is_misplaced) {
                let table = self.table.name();
                return Err(DatasetDefect::not_in_order(table).error(&self.path));
            }
            self.last_id = Some(id);
        }
        Ok(())
    }

    /// Adds the path of the file to an error about a defect of the dataset. Other errors are unchanged.
    pub fn add_path(&self, error: Error) -> Error {
        match error.kind() {
            Some(DatasetErrorKind::NotADataset(_)) => error.with_path(&self.path),
            _ => error,
        }
    }
}

impl PartFile {
    /// Returns true if a row group of the file is one of the part.
    pub(super) fn has_row_group(&self, index: usize) -> bool {
        let row_groups = self.row_groups.as_ref();
        row_groups.is_none_or(|row_groups| row_groups.contains(&index))
    }

    /// Returns a reader of columns of the rows that `filter` matches.
    fn build_reader(
        &self,
        part: &OpenedFile,
        columns: &[&str],
        filter: &CaptureFilter,
    ) -> Result<ParquetRecordBatchReader, Error> {
        let (path, crawl) = (&self.file.path, self.id.crawl);
        let read_error = |error: ParquetError| part.file.reader_error(path, error);
        let builder = part.reader_builder();
        let schema = builder.parquet_schema();
        let has = |name: &str| schema.columns().iter().any(|column| column.name() == name);
        if let Some(name) = columns.iter().find(|name| !has(name)) {
            return Err(no_column_error(name, path));
        }
        let mask = ProjectionMask::columns(schema, columns.iter().copied());
        let filter_column = match filter {
            CaptureFilter::Values(wanted) => Some(wanted.column),
            CaptureFilter::Number { column, .. }
            | CaptureFilter::Keys { column, .. }
            | CaptureFilter::NumberKeys { column, .. } => Some(*column),
            CaptureFilter::Urls(_) => Some("url"),
            _ => None,
        };
        let read_columns =
            ProjectionMask::columns(schema, columns.iter().copied().chain(filter_column));
        let mut builder = builder.with_projection(mask);
        let mut row_groups: Vec<usize> = (0..builder.metadata().num_row_groups()).collect();
        let groups_with = |column: &str, range: RangeInclusive<i64>| {
            row_groups_with_ids(part.metadata.metadata(), column, &range)
        };
        let rows = match filter {
            CaptureFilter::All => None,
            CaptureFilter::One { robots_id, .. } => {
                let wanted = *robots_id;
                row_groups = groups_with("robots_id", wanted..=wanted);
                Some(number_filter(part, "robots_id", move |id| id == wanted))
            }
            CaptureFilter::IdRange(ids) => {
                row_groups = groups_with("robots_id", ids.clone());
                None
            }
            CaptureFilter::Number { column, number } => {
                let wanted = *number;
                row_groups = groups_with(column, wanted..=wanted);
                Some(number_filter(part, column, move |number| number == wanted))
            }
            CaptureFilter::Urls(filter) => {
                let filter = Arc::clone(filter);
                let mut key = Vec::new();
                Some(text_filter(part, "url", move |url| {
                    key.clear();
                    push_crawl_key(&mut key, crawl, url.as_bytes());
                    filter.check(key.as_slice())
                }))
            }
            CaptureFilter::Values(wanted) => {
                row_groups = catch_panic(path, || {
                    row_groups_with_values(&builder, wanted).map_err(read_error)
                })?;
                let (column, wanted) = (wanted.column, Arc::clone(wanted));
                Some(text_filter(part, column, move |text| {
                    wanted.values.contains(text)
                }))
            }
            CaptureFilter::Keys { column, keys } => {
                let keys = Arc::clone(keys);
                Some(text_filter(part, column, move |text| {
                    keys.check(text.as_bytes())
                }))
            }
            CaptureFilter::NumberKeys { column, keys } => {
                let keys = Arc::clone(keys);
                Some(number_filter(part, column, move |number| {
                    keys.check(&number)
                }))
            }
            CaptureFilter::Ids(wanted) => {
                let first = wanted.first().copied().unwrap_or(i64::MAX);
                let last = wanted.last().copied().unwrap_or(i64::MIN);
                row_groups = groups_with("robots_id", first..=last);
                let wanted = Arc::clone(wanted);
                Some(number_filter(part, "robots_id", move |id| {
                    wanted.binary_search(&id).is_ok()
                }))
            }
        };
        if let Some(rows) = rows {
            builder = builder.with_row_filter(rows);
        }
        row_groups.retain(|i| self.has_row_group(*i));
        catch_panic(path, || {
            let rows = part.max_batch_rows(&row_groups, &read_columns, BATCH_ROWS);
            let builder = builder.with_batch_size(rows.map_err(read_error)?);
            let reader = builder.with_row_groups(row_groups).build();
            reader.map_err(read_error)
        })
    }

    pub(super) fn read(
        &self,
        columns: &[&str],
        filter: &CaptureFilter,
        stop: Option<&Arc<AtomicBool>>,
        each: &mut dyn FnMut(&RecordBatch) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut reader = self.open(columns, filter, stop)?;
        while let Some(batch) = reader.next_batch()? {
            // Errors of `each` have no path yet.
            each(&batch).map_err(|error| reader.add_path(error))?;
        }
        Ok(())
    }

    pub(super) fn open(
        &self,
        columns: &[&str],
        filter: &CaptureFilter,
        stop: Option<&Arc<AtomicBool>>,
    ) -> Result<PartReader, Error> {
        let path = &self.file.path;
        let file = self.file.open()?;
        let part = catch_panic(path, || open_part_file(path, file, stop.cloned()))?;
        Ok(PartReader {
            path: path.clone(),
            table: self.table,
            last_id: None,
            batches: self.build_reader(&part, columns, filter)?,
            values: part.value_counter(),
            file: part.file,
        })
    }
}

pub(super) fn no_column_error(name: &str, path: &Path) -> Error {
    let message = format!("it has no column `{name}`, or one of another type");
    DatasetDefect::Other(message).error(path)
}

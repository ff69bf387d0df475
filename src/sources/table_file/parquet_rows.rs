//! Tables in Parquet.
//!
//! The metadata of the file is used to limit memory: large pages are refused ([`LimitedFile`]), and a
//! batch has fewer rows if large values may be repeated in it. A row group that cannot be read is skipped.
//!
//! A few bytes of a dictionary or of a run can repeat a value in any number of rows, each of which is later held in
//! memory or written. Every repetition of a value is therefore counted with all its bytes ([`ValueCounter`]).

use super::json_rows::whole_number;
use super::{RowSelection, RowStatus, Value, WantedColumn, find_columns, table_error};
use crate::error::TableDefect;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use errors::Error;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet_limits::{
    LargePage, LimitedFile, Limits, OpenedFile, ValueCounter, ValueLimits, catch_panic, value_bytes,
};
use std::fs::File;
use std::path::{Path, PathBuf};

/// The most rows of a batch.
const BATCH_ROWS: u64 = 1024;

/// The bytes of values that a table may have, however small its file is.
const MAX_START_VALUE_BYTES: u64 = 64 << 20;

/// The bytes of values that a table may have for each byte of its file, in addition to [`MAX_START_VALUE_BYTES`]. Real
/// files have a ratio of at most a few hundred.
const MAX_VALUE_RATIO: u64 = 1100;

/// The bytes that are counted for each value, also for null, in addition to its text, because each row needs memory.
const VALUE_OVERHEAD_BYTES: u64 = 8;

pub(super) struct ParquetRows {
    file: LimitedFile,
    path: PathBuf,
    metadata: ArrowReaderMetadata,
    /// For each wanted column, its index among the root columns.
    columns: Vec<Option<usize>>,
    selection: RowSelection,
    values: ValueCounter,
    /// The index of the next row group.
    row_group: usize,
    /// The number of the first row of the next row group.
    first_row: u64,
    reader: Option<ParquetRecordBatchReader>,
    batch: Vec<Option<BatchColumn>>,
    batch_rows: usize,
    /// The index of the next row in the batch.
    row: usize,
    /// The number of the next row in the table.
    next_row_no: u64,
    /// The number of the current row, or of the first one that cannot be read.
    row_no: u64,
}

struct BatchColumn {
    /// The values of the rows, or of the dictionary.
    values: ArrayRef,
    /// For each row, the index of its value in the dictionary, or `None` for null; `None` for a column without a
    /// dictionary.
    keys: Option<Vec<Option<usize>>>,
}

impl ParquetRows {
    pub(super) fn open(
        file: File,
        path: &Path,
        wanted: &[WantedColumn],
        selection: RowSelection,
        page_bytes_max: u64,
    ) -> Result<Self, Error> {
        let limits = Limits {
            page_bytes: &|_| page_bytes_max,
            row_group_page_bytes: None,
            values: ValueLimits {
                start_bytes: MAX_START_VALUE_BYTES,
                ratio: MAX_VALUE_RATIO,
                row_group_bytes: u64::MAX,
            },
            uncounted_column: None,
        };
        let opened = parquet_limits::open(path, file, &limits, None)?;
        let values = opened.value_counter();
        let OpenedFile { file, metadata, .. } = opened;
        let fields = metadata.schema().fields();
        let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
        let columns = find_columns(&names, wanted).map_err(|defect| table_error(defect, path))?;
        for (index, column) in columns.iter().zip(wanted) {
            let Some(index) = index else {
                continue;
            };
            let field = &fields[*index];
            let kind = field.data_type();
            if !is_readable(kind) || column.is_text && !is_text(kind) {
                let message = format!("its column '{}' is of the type {kind}", field.name());
                return Err(table_error(TableDefect::Other(message), path));
            }
        }
        Ok(Self {
            file,
            path: path.to_owned(),
            metadata,
            columns,
            selection,
            values,
            row_group: 0,
            first_row: 0,
            reader: None,
            batch: Vec::new(),
            batch_rows: 0,
            row: 0,
            next_row_no: 0,
            row_no: 0,
        })
    }

    pub(super) fn advance(&mut self) -> RowStatus {
        loop {
            while self.row < self.batch_rows {
                self.row_no = self.next_row_no;
                self.row += 1;
                self.next_row_no += 1;
                if self.selection.has(self.row_no) {
                    return RowStatus::Row;
                }
            }
            match self.read_batch() {
                Ok(true) => {}
                Ok(false) => return RowStatus::End,
                Err(error) => {
                    // The rest of the row group is skipped.
                    self.reader = None;
                    (self.row, self.batch_rows) = (0, 0);
                    self.row_no = self.next_row_no;
                    return RowStatus::Lost(error);
                }
            }
        }
    }

    /// Reads the next batch. Returns false at the end.
    fn read_batch(&mut self) -> Result<bool, Error> {
        loop {
            if let Some(reader) = &mut self.reader {
                let (file, path) = (&self.file, &self.path);
                let batch = catch_panic(path, || {
                    let batch = reader.next().transpose();
                    batch.map_err(|error| read_error(file, path, error))
                })?;
                if let Some(batch) = batch {
                    self.count_values(&batch)?;
                    (self.row, self.batch_rows) = (0, batch.num_rows());
                    self.batch = catch_panic(&self.path, || Ok(self.split_batch(&batch)))?;
                    if self.batch_rows > 0 {
                        return Ok(true);
                    }
                    continue;
                }
                self.reader = None;
            }
            (self.row, self.batch_rows) = (0, 0);
            let groups = self.metadata.metadata().row_groups();
            let Some(group) = groups.get(self.row_group) else {
                return Ok(false);
            };
            let rows = u64::try_from(group.num_rows()).unwrap_or(0);
            let range = self.first_row..self.first_row.saturating_add(rows);
            self.next_row_no = range.start;
            self.first_row = range.end;
            self.row_group += 1;
            if self.selection.has_any(&range) {
                let path = self.path.clone();
                self.reader = Some(catch_panic(&path, || {
                    self.open_row_group(self.row_group - 1)
                })?);
            }
        }
    }

    fn open_row_group(&self, row_group: usize) -> Result<ParquetRecordBatchReader, Error> {
        let convert = |error| read_error(&self.file, &self.path, error);
        let file = self.file.clone();
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
        let roots = self.columns.iter().flatten().copied();
        let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
        // The part of the memory limit of a batch that one row may need, in all columns together.
        let mut share = 0.0;
        let columns = self.metadata.metadata().row_group(row_group).columns();
        for (leaf, chunk) in columns.iter().enumerate() {
            if mask.leaf_included(leaf) {
                let rows = self.file.max_batch_rows([chunk], BATCH_ROWS);
                let rows = rows.map_err(convert)?;
                if rows < BATCH_ROWS {
                    share += 1.0 / rows as f64;
                }
            }
        }
        let rows = (1.0 / share).clamp(1.0, BATCH_ROWS as f64) as usize;
        let reader = builder
            .with_projection(mask)
            .with_row_groups(vec![row_group])
            .with_batch_size(rows)
            .build();
        reader.map_err(convert)
    }

    /// Counts the values of a batch of the current row group. If they exceed the limit, the rest of the table is not
    /// read.
    fn count_values(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let overhead = VALUE_OVERHEAD_BYTES * batch.num_rows() as u64;
        let columns = batch.columns().iter();
        let sizes: Vec<u64> = catch_panic(&self.path, || {
            Ok(columns.map(|column| value_bytes(column)).collect())
        })?;
        for (column, bytes) in batch.schema_ref().fields().iter().zip(sizes) {
            let bytes = overhead.saturating_add(bytes);
            let name = || column.name().clone();
            if let Err(large) = self.values.add(self.row_group - 1, bytes, name) {
                self.row_group = self.metadata.metadata().num_row_groups();
                let message = format!("{large}; nothing more is read");
                return Err(table_error(TableDefect::Other(message), &self.path));
            }
        }
        Ok(())
    }

    /// Returns the wanted columns of a batch.
    fn split_batch(&self, batch: &RecordBatch) -> Vec<Option<BatchColumn>> {
        let fields = self.metadata.schema().fields();
        let columns = self.columns.iter().map(|index| {
            let name = fields[(*index)?].name();
            batch.column_by_name(name).map(BatchColumn::new)
        });
        columns.collect()
    }

    pub(super) fn value(&self, column: usize) -> Value<'_> {
        match self.batch.get(column) {
            Some(Some(column)) => column.value(self.row.saturating_sub(1)),
            _ => Value::Null,
        }
    }

    pub(super) fn has_column(&self, column: usize) -> bool {
        self.columns[column].is_some()
    }

    pub(super) fn row_no(&self) -> u64 {
        self.row_no
    }
}

/// Converts an error of the Parquet reader. If a page was refused, the result states which.
fn read_error(
    file: &LimitedFile,
    path: &Path,
    error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> Error {
    let Some(LargePage {
        location,
        bytes,
        bytes_max,
    }) = file.refused_page()
    else {
        return file.reader_error(path, error);
    };
    let defect = TableDefect::LargePage {
        row_group: location.row_group,
        column: location.column,
        bytes,
        bytes_max,
    };
    table_error(defect, path)
}

/// Returns true if values of a type are text or bytes.
fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_text(values),
        kind => {
            matches!(kind, DataType::Null | DataType::Utf8 | DataType::LargeUtf8)
                || matches!(kind, DataType::Utf8View | DataType::BinaryView)
                || matches!(kind, DataType::Binary | DataType::LargeBinary)
        }
    }
}

/// Returns true if values of a type can be read.
fn is_readable(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_readable(values),
        kind => {
            kind.is_integer()
                || matches!(
                    kind,
                    DataType::Null
                        | DataType::Boolean
                        | DataType::Utf8
                        | DataType::LargeUtf8
                        | DataType::Utf8View
                        | DataType::Binary
                        | DataType::LargeBinary
                        | DataType::BinaryView
                        | DataType::Float32
                        | DataType::Float64
                        | DataType::Timestamp(..)
                        | DataType::Date32
                )
        }
    }
}

impl BatchColumn {
    fn new(array: &ArrayRef) -> Self {
        let Some(dictionary) = array.as_any_dictionary_opt() else {
            return Self {
                values: ArrayRef::clone(array),
                keys: None,
            };
        };
        let values = ArrayRef::clone(dictionary.values());
        let keys = match values.len() {
            0 => vec![None; array.len()],
            _ => {
                let keys = dictionary.normalized_keys().into_iter().enumerate();
                keys.map(|(row, key)| (!array.is_null(row)).then_some(key))
                    .collect()
            }
        };
        Self {
            values,
            keys: Some(keys),
        }
    }

    fn value(&self, row: usize) -> Value<'_> {
        let row = match &self.keys {
            None => Some(row),
            Some(keys) => keys[row],
        };
        match row.filter(|row| !self.values.is_null(*row)) {
            Some(row) => array_value(&self.values, row),
            None => Value::Null,
        }
    }
}

/// Returns a value that is not null. A timestamp without a time zone is taken as UTC. Fractions of a
/// millisecond are cut off, as in the times of captures.
fn array_value(array: &ArrayRef, row: usize) -> Value<'_> {
    macro_rules! number {
        ($kind:ty) => {
            i64::try_from(array.as_primitive::<$kind>().value(row)).ok()
        };
    }
    let number = match array.data_type() {
        DataType::Null => return Value::Null,
        DataType::Utf8 => return Value::Text(array.as_string::<i32>().value(row).as_bytes()),
        DataType::LargeUtf8 => return Value::Text(array.as_string::<i64>().value(row).as_bytes()),
        DataType::Utf8View => return Value::Text(array.as_string_view().value(row).as_bytes()),
        DataType::Binary => return Value::Text(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => return Value::Text(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => return Value::Text(array.as_binary_view().value(row)),
        DataType::Timestamp(unit, _) => {
            let millis = match unit {
                TimeUnit::Second => {
                    let seconds = array.as_primitive::<TimestampSecondType>().value(row);
                    seconds.checked_mul(1000)
                }
                TimeUnit::Millisecond => {
                    Some(array.as_primitive::<TimestampMillisecondType>().value(row))
                }
                TimeUnit::Microsecond => {
                    let micros = array.as_primitive::<TimestampMicrosecondType>().value(row);
                    Some(micros.div_euclid(1000))
                }
                TimeUnit::Nanosecond => {
                    let nanos = array.as_primitive::<TimestampNanosecondType>().value(row);
                    Some(nanos.div_euclid(1_000_000))
                }
            };
            return millis.map_or(Value::Other, Value::Time);
        }
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>().value(row);
            return Value::Time(i64::from(days) * 86_400_000);
        }
        DataType::Boolean => return Value::Flag(array.as_boolean().value(row)),
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::UInt8 => number!(UInt8Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt32 => number!(UInt32Type),
        DataType::UInt64 => number!(UInt64Type),
        DataType::Float32 | DataType::Float64 => {
            let number = match array.data_type() {
                DataType::Float32 => array.as_primitive::<Float32Type>().value(row).into(),
                _ => array.as_primitive::<Float64Type>().value(row),
            };
            // Data frames write NaN for a missing whole number.
            if number.is_nan() {
                return Value::Null;
            }
            whole_number(number)
        }
        _ => None,
    };
    number.map_or(Value::Other, Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::StringArray;
    use parquet::arrow::ArrowWriter;
    use parquet::file::properties::WriterProperties;
    use std::sync::Arc;

    #[test]
    fn a_large_page_is_skipped_with_its_row_group() {
        let large = "x".repeat(5000);
        let values: ArrayRef = Arc::new(StringArray::from_iter_values([
            "a", "b", "c", &large, "d", "e",
        ]));
        let batch = RecordBatch::try_from_iter([("url", values)]).unwrap();
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(2));
        let mut file = tempfile::tempfile().unwrap();
        let properties = properties.set_dictionary_enabled(false).build();
        let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let wanted = [WantedColumn {
            names: vec!["url".to_owned()],
            is_required: true,
            is_text: true,
        }];
        let path = Path::new("table");
        let open = |ranges| {
            let selection = RowSelection::new(ranges);
            ParquetRows::open(file.try_clone().unwrap(), path, &wanted, selection, 4000)
        };
        let mut rows = open(None).unwrap();
        let mut found = Vec::new();
        loop {
            let text = match rows.advance() {
                RowStatus::End => break,
                RowStatus::Malformed(reason) => panic!("{reason}"),
                RowStatus::Lost(error) => {
                    let reason = error.to_string();
                    assert!(reason.contains("row group 1"), "{reason}");
                    "lost".to_owned()
                }
                RowStatus::Row => {
                    let text = rows.value(0).text().unwrap();
                    String::from_utf8(text.to_vec()).unwrap()
                }
            };
            found.push((rows.row_no(), text));
        }
        let expected = [(0, "a"), (1, "b"), (2, "lost"), (4, "d"), (5, "e")];
        assert_eq!(found, expected.map(|(row, text)| (row, text.to_owned())));
        let mut rows = open(Some([1..2, 5..6].into())).unwrap();
        let mut found = Vec::new();
        while let RowStatus::Row = rows.advance() {
            found.push(rows.row_no());
        }
        assert_eq!(found, [1, 5]);
    }
    #[test]
    fn values_that_a_dictionary_repeats_have_a_limit_over_all_columns_and_rows() {
        let long = "x".repeat(1 << 20);
        let wanted = ["url", "n"].map(|name| WantedColumn {
            names: vec![name.to_owned()],
            is_required: true,
            is_text: false,
        });
        // Each row has about 1 MiB, and a file of a few KB may have little more than 64 MiB.
        let read = |rows: usize, text: &str| {
            let urls: ArrayRef = Arc::new(StringArray::from_iter_values(std::iter::repeat_n(
                text, rows,
            )));
            let numbers: ArrayRef = Arc::new(arrow_array::Int64Array::from(vec![None; rows]));
            let batch = RecordBatch::try_from_iter([("url", urls), ("n", numbers)]).unwrap();
            let properties = WriterProperties::builder()
                .set_compression(parquet::basic::Compression::ZSTD(Default::default()))
                .set_dictionary_page_size_limit(8 << 20)
                .build();
            let mut file = tempfile::tempfile().unwrap();
            let mut writer =
                ArrowWriter::try_new(&mut file, batch.schema(), Some(properties)).unwrap();
            writer.write(&batch).unwrap();
            writer.close().unwrap();
            let selection = RowSelection::new(None);
            let path = Path::new("table");
            let mut rows = ParquetRows::open(file, path, &wanted, selection, 8 << 20).unwrap();
            let mut count = 0;
            loop {
                match rows.advance() {
                    RowStatus::Row => count += 1,
                    RowStatus::Lost(error) => {
                        let error = error.to_string();
                        assert!(error.contains("row group 0, column `url`"), "{error}");
                        assert!(matches!(rows.advance(), RowStatus::End));
                        return (count, true);
                    }
                    RowStatus::Malformed(reason) => panic!("{reason}"),
                    RowStatus::End => return (count, false),
                }
            }
        };
        assert_eq!(read(60, &long), (60, false));
        let (count, is_lost) = read(200, &long);
        assert!(is_lost && (50..80).contains(&count), "{count}");
        assert_eq!(read(100_000, "https://a.example/"), (100_000, false));
    }
}

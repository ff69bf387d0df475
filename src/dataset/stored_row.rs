//! Rows of any table as bytes: encoded from batches that are read, and decoded into batches that are
//! written. They can be sorted, compared and merged in this form.
//!
//! A value is written as a field of a record (see [`sort_key`](sort::sort_key)). In a
//! nullable column, a byte comes first: 1 if a value follows, or 0 for null.

use crate::error::DatasetDefect;
use crate::reader;
use arrow_array::{
    Array, BooleanArray, Int16Array, Int32Array, Int64Array, RecordBatch, StringArray,
    TimestampMillisecondArray,
};
use columns::{ColumnBuilder, ColumnData, ColumnValues, Interner, PlainTextBuilder, RowBatch};
use errors::Error;
use sort::sort_key::{FieldReader, put_bytes, put_i64, put_u8, put_u32};
use std::path::Path;
use tables::{Column, ColumnType, Table};

/// Columns of an Arrow batch, whose rows can be encoded as bytes.
#[derive(Debug)]
pub struct EncodedColumns(Vec<EncodedColumn>);

/// A column of an Arrow batch.
#[derive(Debug)]
struct EncodedColumn {
    is_nullable: bool,
    values: StoredValues,
}

#[derive(Debug)]
enum StoredValues {
    Long(Int64Array),
    Time(TimestampMillisecondArray),
    Int(Int32Array),
    Short(Int16Array),
    Bool(BooleanArray),
    Text(StringArray),
}

impl EncodedColumns {
    /// Takes columns from a batch, in this order.
    ///
    /// # Errors
    ///
    /// [`DatasetErrorKind::NotADataset`](crate::error::DatasetErrorKind::NotADataset) if the batch lacks a column,
    /// has one with another type, or has a null in a column that is not nullable.
    pub fn from_batch<'c>(
        batch: &RecordBatch,
        columns: impl IntoIterator<Item = &'c Column>,
    ) -> Result<Self, Error> {
        let encoded = columns.into_iter().map(|column| {
            check_nulls(batch, column)?;
            Ok(EncodedColumn {
                is_nullable: column.is_nullable,
                values: StoredValues::from_batch(batch, column)?,
            })
        });
        encoded.collect::<Result<_, Error>>().map(Self)
    }

    /// Encodes a row: appends the values of all columns to `out`, each as a field.
    pub fn put_row(&self, row: usize, out: &mut Vec<u8>) {
        for column in &self.0 {
            column.put(row, out);
        }
    }
}

/// Returns an error if a column that is not nullable has a null in a batch.
///
/// # Errors
///
/// [`DatasetErrorKind::NotADataset`](crate::error::DatasetErrorKind::NotADataset).
pub fn check_nulls(batch: &RecordBatch, column: &Column) -> Result<(), Error> {
    let values = batch.column_by_name(column.name);
    if values.is_some_and(|values| !column.is_nullable && values.null_count() > 0) {
        let name = column.name;
        let message = format!("its column `{name}` has a null, although it is not nullable");
        Err(DatasetDefect::Other(message).error(Path::new("")))
    } else {
        Ok(())
    }
}

impl StoredValues {
    fn from_batch(batch: &RecordBatch, column: &Column) -> Result<Self, Error> {
        let name = column.name;
        Ok(match column.kind {
            ColumnType::Long => Self::Long(reader::column(batch, name).cloned()?),
            ColumnType::Time => Self::Time(reader::column(batch, name).cloned()?),
            ColumnType::Int => Self::Int(reader::column(batch, name).cloned()?),
            ColumnType::Short => Self::Short(reader::column(batch, name).cloned()?),
            ColumnType::Bool => Self::Bool(reader::column(batch, name).cloned()?),
            ColumnType::Text => Self::Text(reader::column(batch, name).cloned()?),
        })
    }

    fn is_null(&self, row: usize) -> bool {
        match self {
            Self::Long(array) => array.is_null(row),
            Self::Time(array) => array.is_null(row),
            Self::Int(array) => array.is_null(row),
            Self::Short(array) => array.is_null(row),
            Self::Bool(array) => array.is_null(row),
            Self::Text(array) => array.is_null(row),
        }
    }
}

impl EncodedColumn {
    fn put(&self, row: usize, out: &mut Vec<u8>) {
        if self.is_nullable {
            let has_value = !self.values.is_null(row);
            put_u8(out, has_value.into());
            if !has_value {
                return;
            }
        }
        match &self.values {
            StoredValues::Long(array) => put_i64(out, array.value(row)),
            StoredValues::Time(array) => put_i64(out, array.value(row)),
            StoredValues::Int(array) => put_u32(out, array.value(row).cast_unsigned()),
            StoredValues::Short(array) => {
                put_u32(out, i32::from(array.value(row)).cast_unsigned());
            }
            StoredValues::Bool(array) => put_u8(out, array.value(row).into()),
            StoredValues::Text(array) => put_bytes(out, array.value(row).as_bytes()),
        }
    }
}

/// Decodes rows of a table from fields of records, and collects them in a batch.
#[derive(Debug)]
pub struct StoredRows {
    columns: Vec<DecodedColumn>,
    /// The texts of all columns, except plain ones.
    texts: Interner,
    /// For each row, the bytes of the values of all rows up to and including it.
    cumulative_bytes: Vec<u64>,
    bytes: u64,
}

#[derive(Debug)]
struct DecodedColumn {
    is_nullable: bool,
    kind: ColumnType,
    values: DecodedValues,
}

#[derive(Debug)]
enum DecodedValues {
    Long(ColumnBuilder<i64>),
    Int(ColumnBuilder<i32>),
    Bool(ColumnBuilder<bool>),
    Text(TextColumn),
    PlainText(PlainTextBuilder),
}

/// A column of interned texts, many of which equal the text of the previous row.
#[derive(Debug, Default)]
struct TextColumn {
    ids: ColumnBuilder<u32>,
    last: Vec<u8>,
    /// The id of `last` in this batch; `None` if the text is not interned yet.
    last_id: Option<u32>,
}

impl TextColumn {
    fn append(&mut self, text: &[u8], texts: &mut Interner) {
        let id = match self.last_id.filter(|_| self.last == text) {
            Some(id) => id,
            None => {
                self.last.clear();
                self.last.extend_from_slice(text);
                texts.intern(utf8_text(text))
            }
        };
        self.last_id = Some(id);
        self.ids.append_value(id);
    }

    fn take(&mut self) -> ColumnData {
        self.last_id = None;
        self.ids.take(ColumnValues::Text)
    }
}

impl StoredRows {
    /// Starts a batch of rows of a table.
    pub fn new(table: Table) -> Self {
        let columns = table.columns().iter().map(|column| DecodedColumn {
            is_nullable: column.is_nullable,
            kind: column.kind,
            values: DecodedValues::new(column),
        });
        Self {
            columns: columns.collect(),
            texts: Interner::default(),
            cumulative_bytes: Vec::new(),
            bytes: 0,
        }
    }

    /// Adds a row, whose values are fields in the order of the columns. `key`, which may be empty, has the fields
    /// of the first columns, and `fields` has those of the remaining columns.
    pub fn push(&mut self, key: &[u8], fields: &mut FieldReader<'_>) {
        let mut key = FieldReader::new(key);
        for column in &mut self.columns {
            self.bytes += if key.rest().is_empty() {
                column.append(fields, &mut self.texts)
            } else {
                column.append(&mut key, &mut self.texts)
            };
        }
        self.cumulative_bytes.push(self.bytes);
    }

    /// Returns the number of rows since the last [`take`](Self::take).
    pub fn row_count(&self) -> usize {
        self.cumulative_bytes.len()
    }

    /// Returns the bytes of the values since the last [`take`](Self::take).
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the collected rows and starts a new batch.
    pub fn take(&mut self) -> RowBatch {
        self.bytes = 0;
        let cumulative_bytes = columns::take_and_reserve(&mut self.cumulative_bytes);
        let columns = self.columns.iter_mut().map(|column| column.values.take());
        RowBatch::new(columns.collect(), self.texts.take(), cumulative_bytes)
    }
}

impl DecodedValues {
    fn new(column: &Column) -> Self {
        match column.kind {
            ColumnType::Long | ColumnType::Time => Self::Long(ColumnBuilder::default()),
            ColumnType::Int | ColumnType::Short => Self::Int(ColumnBuilder::default()),
            ColumnType::Bool => Self::Bool(ColumnBuilder::default()),
            ColumnType::Text if column.is_plain_text => {
                Self::PlainText(PlainTextBuilder::default())
            }
            ColumnType::Text => Self::Text(TextColumn::default()),
        }
    }

    fn take(&mut self) -> ColumnData {
        match self {
            Self::Long(column) => column.take(ColumnValues::Long),
            Self::Int(column) => column.take(ColumnValues::Int),
            Self::Bool(column) => column.take(ColumnValues::Bool),
            Self::Text(column) => column.take(),
            Self::PlainText(column) => column.take(),
        }
    }
}

impl DecodedColumn {
    /// Appends the next value, and returns its size in bytes.
    fn append(&mut self, fields: &mut FieldReader<'_>, texts: &mut Interner) -> u64 {
        let has_value = !self.is_nullable || fields.u8() != 0;
        match &mut self.values {
            DecodedValues::Long(column) => {
                column.append_option(has_value.then(|| fields.i64()));
                8
            }
            DecodedValues::Int(column) => {
                column.append_option(has_value.then(|| fields.u32().cast_signed()));
                if self.kind == ColumnType::Short { 2 } else { 4 }
            }
            DecodedValues::Bool(column) => {
                column.append_option(has_value.then(|| fields.u8() != 0));
                1
            }
            DecodedValues::Text(column) => {
                let text = has_value.then(|| fields.bytes());
                match text {
                    Some(text) => column.append(text, texts),
                    None => column.ids.append_option(None),
                }
                4 + text.map_or(0, |text| text.len() as u64)
            }
            DecodedValues::PlainText(column) => {
                let text = has_value.then(|| utf8_text(fields.bytes()));
                column.append_option(text);
                4 + text.map_or(0, |text| text.len() as u64)
            }
        }
    }
}

fn utf8_text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("it was written from a text")
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_schema::{DataType, Field, Schema};
    use std::sync::Arc;

    #[test]
    fn a_null_is_refused_in_a_column_that_has_none() {
        let columns = [
            Column::new("crawl", ColumnType::Text, "A text."),
            Column::new("archive_no", ColumnType::Long, "A number."),
            Column::new("warc_filename", ColumnType::Text, "A text."),
        ];
        let batch = |numbers: Vec<Option<i64>>| {
            let fields = [
                Field::new("crawl", DataType::Utf8, false),
                Field::new("archive_no", DataType::Int64, true),
                Field::new("warc_filename", DataType::Utf8, false),
            ];
            let texts = Arc::new(StringArray::from(vec!["x"; numbers.len()]));
            let numbers = Arc::new(Int64Array::from(numbers));
            let schema = Arc::new(Schema::new(fields.to_vec()));
            RecordBatch::try_new(schema, vec![texts.clone(), numbers, texts]).unwrap()
        };
        let encode = |numbers| EncodedColumns::from_batch(&batch(numbers), columns.iter());
        assert!(encode(vec![Some(1), Some(2)]).is_ok());
        let error = encode(vec![Some(1), None]).unwrap_err().to_string();
        assert!(
            error.contains("its column `archive_no` has a null"),
            "{error}"
        );
    }
}

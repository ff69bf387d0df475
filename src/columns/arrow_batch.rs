//! Conversion of batches of rows to Arrow.

use super::{ColumnData, ColumnValues, InternedTexts, RowBatch};
use arrow_array::builder::StringBuilder;
use arrow_array::types::{
    ArrowPrimitiveType, Int16Type, Int32Type, Int64Type, TimestampMillisecondType,
};
use arrow_array::{ArrayRef, BooleanArray, PrimitiveArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use std::sync::Arc;

impl RowBatch {
    /// Returns the rows as an Arrow batch. `schema` has the fields of all columns, in order.
    ///
    /// # Errors
    ///
    /// Returns an error if the texts of a column exceed 2 GiB.
    pub fn to_arrow(&self, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
        let fields = schema.fields().iter().enumerate();
        let columns = fields
            .map(|(i, field)| to_arrow_array(self.column(i), field.data_type(), self.texts()));
        let columns = columns.collect::<Result<Vec<ArrayRef>, ArrowError>>()?;
        RecordBatch::try_new(Arc::clone(schema), columns)
    }
}

fn to_arrow_array(
    column: &ColumnData,
    data_type: &DataType,
    texts: &InternedTexts,
) -> Result<ArrayRef, ArrowError> {
    Ok(match &column.values {
        ColumnValues::Long(values) => {
            let values = to_primitive_array::<Int64Type>(values.iter().copied(), column);
            match data_type {
                DataType::Timestamp(_, _) => {
                    Arc::new(values.reinterpret_cast::<TimestampMillisecondType>())
                }
                _ => Arc::new(values),
            }
        }
        ColumnValues::Int(values) => match data_type {
            DataType::Int16 => {
                let values = values.iter().map(|value| *value as i16);
                Arc::new(to_primitive_array::<Int16Type>(values, column))
            }
            _ => Arc::new(to_primitive_array::<Int32Type>(
                values.iter().copied(),
                column,
            )),
        },
        ColumnValues::Bool(values) => {
            let values = values.iter().enumerate();
            let values = values.map(|(row, value)| (!is_null(column, row)).then_some(*value));
            Arc::new(values.collect::<BooleanArray>())
        }
        ColumnValues::Text(ids) => to_string_array(column, |row| texts.get(ids[row]))?,
        ColumnValues::PlainText(bytes, ends) => to_string_array(column, |row| {
            let start = row.checked_sub(1).map_or(0, |before| ends[before]);
            &bytes[start as usize..ends[row] as usize]
        })?,
    })
}

fn is_null(column: &ColumnData, row: usize) -> bool {
    column.nulls.get(row).copied().unwrap_or_default()
}

fn to_primitive_array<T: ArrowPrimitiveType>(
    values: impl Iterator<Item = T::Native>,
    column: &ColumnData,
) -> PrimitiveArray<T> {
    if column.nulls.is_empty() {
        return PrimitiveArray::from_iter_values(values);
    }
    let values = values.enumerate();
    values
        .map(|(row, value)| (!is_null(column, row)).then_some(value))
        .collect()
}

/// Returns a column of texts. `text` returns the text of a row that is not null, in UTF-8.
fn to_string_array<'a>(
    column: &ColumnData,
    text: impl Fn(usize) -> &'a [u8],
) -> Result<ArrayRef, ArrowError> {
    let rows = column.len();
    let is_valid = |row: &usize| !is_null(column, *row);
    let bytes: usize = (0..rows).filter(is_valid).map(|row| text(row).len()).sum();
    if i32::try_from(bytes).is_err() {
        return Err(ArrowError::OffsetOverflowError(bytes));
    }
    let mut builder = StringBuilder::with_capacity(rows, bytes);
    for row in 0..rows {
        if is_null(column, row) {
            builder.append_null()
        } else {
            builder.append_value(std::str::from_utf8(text(row)).map_err(|error| {
                ArrowError::InvalidArgumentError(format!("a text is not UTF-8: {error}"))
            })?)
        }
    }
    Ok(Arc::new(builder.finish()))
}

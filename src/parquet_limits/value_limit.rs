//! Limits of the values that are read from a Parquet file.
//!
//! The size of a page is limited ([`LimitedFile`](super::LimitedFile)). But with a dictionary or a run, few bytes
//! can repeat a value in any number of rows, and code that keeps or writes rows holds each repetition in full.
//! So the bytes of decoded values are counted in all columns, and repeated values count each time.

use super::page_header::PageLocation;
use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use std::fmt;

/// The limits of the bytes of values that may be read from a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueLimits {
    /// The bytes of values that any file may have, however small it is.
    pub start_bytes: u64,
    /// The bytes of values that the file may have in addition, for each byte of its size.
    pub ratio: u64,
    /// The bytes of values that a row group may have. A batch counts as a whole for one row group.
    pub row_group_bytes: u64,
}

/// Counts the bytes of values that are read from a file, and checks their limits.
#[derive(Clone, Debug)]
pub struct ValueCounter {
    file_bytes_max: u64,
    row_group_bytes_max: u64,
    bytes: u64,
    row_group: usize,
    row_group_bytes: u64,
    uncounted_column: Option<&'static str>,
}

/// The error for values that exceed a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LargeValues {
    /// The row group, and the column with the most bytes in the batch that exceeded the limit.
    pub location: PageLocation,
    /// The limit, in bytes.
    pub bytes_max: u64,
    /// True if the limit of the row group is exceeded, false if only the limit of the file is.
    pub is_of_row_group: bool,
}

impl ValueCounter {
    /// Starts counting for a file of this size. The values of `uncounted_column` do not count.
    pub(crate) fn new(
        limits: ValueLimits,
        file_bytes: u64,
        uncounted_column: Option<&'static str>,
    ) -> Self {
        let paid = file_bytes.saturating_mul(limits.ratio);
        Self {
            file_bytes_max: limits.start_bytes.saturating_add(paid),
            row_group_bytes_max: limits.row_group_bytes,
            bytes: 0,
            row_group: 0,
            row_group_bytes: 0,
            uncounted_column,
        }
    }

    /// Adds the values of a batch, whose rows are of this row group.
    ///
    /// # Errors
    ///
    /// [`LargeValues`] if a limit is exceeded. The batch must not be kept then.
    pub fn add_batch(&mut self, row_group: usize, batch: &RecordBatch) -> Result<(), LargeValues> {
        let fields = batch.schema_ref().fields();
        let is_counted = |name: &str| self.uncounted_column != Some(name);
        let columns = fields.iter().zip(batch.columns());
        let sizes = columns.map(|(field, column)| {
            if is_counted(field.name()) {
                value_bytes(column)
            } else {
                0
            }
        });
        let sizes: Vec<u64> = sizes.collect();
        let total = sizes
            .iter()
            .fold(0, |sum: u64, size| sum.saturating_add(*size));
        self.add(row_group, total, || {
            let largest = (0..sizes.len()).max_by_key(|column| sizes[*column]);
            largest.map_or_else(String::new, |column| fields[column].name().clone())
        })
    }

    /// Adds bytes of values. `column` returns the name of the column with the most of these bytes, for the error.
    ///
    /// # Errors
    ///
    /// [`LargeValues`] if they exceed a limit.
    pub fn add(
        &mut self,
        row_group: usize,
        bytes: u64,
        column: impl FnOnce() -> String,
    ) -> Result<(), LargeValues> {
        if self.row_group != row_group {
            (self.row_group, self.row_group_bytes) = (row_group, 0);
        }
        self.bytes = self.bytes.saturating_add(bytes);
        self.row_group_bytes = self.row_group_bytes.saturating_add(bytes);
        let is_of_row_group = self.row_group_bytes > self.row_group_bytes_max;
        if !is_of_row_group && self.bytes <= self.file_bytes_max {
            return Ok(());
        }
        Err(LargeValues {
            location: PageLocation {
                row_group,
                column: column(),
            },
            bytes_max: if is_of_row_group {
                self.row_group_bytes_max
            } else {
                self.file_bytes_max
            },
            is_of_row_group,
        })
    }
}

/// Returns the bytes of the values of a column. A repeated value counts each time.
pub fn value_bytes(column: &dyn Array) -> u64 {
    // The offsets of a sliced array need not begin with 0.
    fn span<O: TryInto<u64> + Copy>(offsets: &[O]) -> u64 {
        let end = |offset: Option<&O>| offset.and_then(|offset| (*offset).try_into().ok());
        let (first, last) = (end(offsets.first()), end(offsets.last()));
        last.unwrap_or(0).saturating_sub(first.unwrap_or(0))
    }
    match column.data_type() {
        DataType::Utf8 => span(column.as_string::<i32>().value_offsets()),
        DataType::LargeUtf8 => span(column.as_string::<i64>().value_offsets()),
        DataType::Binary => span(column.as_binary::<i32>().value_offsets()),
        DataType::LargeBinary => span(column.as_binary::<i64>().value_offsets()),
        DataType::Utf8View => column.as_string_view().lengths().map(u64::from).sum(),
        DataType::BinaryView => column.as_binary_view().lengths().map(u64::from).sum(),
        DataType::Dictionary(..) => {
            let Some(dictionary) = column.as_any_dictionary_opt() else {
                return 0;
            };
            let values = dictionary.values();
            if values.is_empty() {
                return 0;
            }
            let sizes: Vec<u64> = (0..values.len())
                .map(|value| value_bytes(&values.slice(value, 1)))
                .collect();
            let keys = dictionary.normalized_keys().into_iter();
            keys.fold(0, |sum: u64, key| sum.saturating_add(sizes[key]))
        }
        kind => {
            let width = kind.primitive_width().unwrap_or(1) as u64;
            width.saturating_mul(column.len() as u64)
        }
    }
}

impl fmt::Display for LargeValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PageLocation { row_group, column } = &self.location;
        let what = if self.is_of_row_group {
            "row group"
        } else {
            "file"
        };
        write!(
            f,
            "row group {row_group}, column `{column}`: values are repeated so often that those of the {what} have more than {} bytes",
            self.bytes_max
        )
    }
}

impl std::error::Error for LargeValues {}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::Int32Type;
    use arrow_array::{ArrayRef, DictionaryArray, Int64Array, StringArray, StringViewArray};
    use std::sync::Arc;

    fn limits(start_bytes: u64, row_group_bytes: u64) -> ValueLimits {
        ValueLimits {
            start_bytes,
            ratio: 10,
            row_group_bytes,
        }
    }

    #[test]
    fn values_are_counted_each_time_that_they_are_repeated() {
        let texts = ["abc", "abc", "", "abc"];
        let dictionary: DictionaryArray<Int32Type> = texts.into_iter().collect();
        let columns: [ArrayRef; 3] = [
            Arc::new(StringArray::from_iter_values(texts)),
            Arc::new(StringViewArray::from_iter_values(texts)),
            Arc::new(dictionary),
        ];
        for column in columns {
            let slices = [(0, 4), (1, 2), (0, 0)];
            let bytes = slices.map(|(start, len)| value_bytes(&column.slice(start, len)));
            assert_eq!(bytes, [9, 3, 0], "{}", column.data_type());
        }
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None]));
        assert_eq!(value_bytes(&numbers), 16);
    }

    #[test]
    fn the_limit_of_a_file_is_its_size_times_the_ratio_and_the_start() {
        let mut counter = ValueCounter::new(limits(100, u64::MAX), 7, None);
        let mut add = |bytes| counter.add(2, bytes, || "url".to_owned());
        assert_eq!(add(170), Ok(()));
        let error = add(1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "row group 2, column `url`: values are repeated so often that those of the file have more than 170 bytes"
        );
        let mut counter = ValueCounter::new(limits(u64::MAX, u64::MAX), u64::MAX, None);
        for _ in 0..3 {
            assert_eq!(counter.add(0, u64::MAX, String::new), Ok(()));
        }
    }

    #[test]
    fn each_row_group_has_a_limit_and_the_largest_column_is_named() {
        let batch = |text: &str| {
            let ids: ArrayRef = Arc::new(Int64Array::from(vec![1]));
            let texts: ArrayRef = Arc::new(StringArray::from(vec![text]));
            RecordBatch::try_from_iter([("robots_id", ids), ("agent", texts)]).unwrap()
        };
        let mut counter = ValueCounter::new(limits(1000, 20), 1, None);
        for row_group in 0..3 {
            assert_eq!(counter.add_batch(row_group, &batch("0123456789ab")), Ok(()));
        }
        let error = counter.add_batch(2, &batch("")).unwrap_err();
        assert!(error.is_of_row_group && error.bytes_max == 20, "{error}");
        let mut counter = ValueCounter::new(limits(1000, 20), 1, None);
        let error = counter.add_batch(1, &batch(&"x".repeat(13))).unwrap_err();
        assert_eq!(error.location.column, "agent");
    }
}

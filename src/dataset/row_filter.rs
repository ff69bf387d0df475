//! Filters of the rows and row groups that are read from a Parquet file.

use crate::capture_filter::ColumnValuesFilter;
use arrow_array::{Array, BooleanArray, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowPredicate, ArrowPredicateFn, ParquetRecordBatchReaderBuilder, RowFilter,
};
use parquet::bloom_filter::Sbbf;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::statistics::Statistics;
use parquet_limits::{LimitedFile, OpenedFile};
use std::ops::RangeInclusive;

/// Returns a filter of rows by the value of a text column of a part.
pub(super) fn text_filter(
    part: &OpenedFile,
    column: &str,
    mut is_wanted: impl FnMut(&str) -> bool + Send + 'static,
) -> RowFilter {
    filter_rows::<StringArray>(part, column, move |texts| {
        // Many rows have the same text as the row before.
        let mut last: Option<(Option<&str>, bool)> = None;
        let is_selected = |text| match last {
            Some((last_text, is_selected)) if last_text == text => is_selected,
            _ => {
                let is_selected = text.is_some_and(&mut is_wanted);
                last = Some((text, is_selected));
                is_selected
            }
        };
        texts.iter().map(is_selected).map(Some).collect()
    })
}

/// Returns a filter of rows by the number in a column of a part.
pub(super) fn number_filter(
    part: &OpenedFile,
    column: &str,
    mut is_wanted: impl FnMut(i64) -> bool + Send + 'static,
) -> RowFilter {
    filter_rows::<Int64Array>(part, column, move |numbers| {
        let mut last: Option<(i64, bool)> = None;
        let is_selected = |number: &i64| match last {
            Some((last_number, is_selected)) if last_number == *number => is_selected,
            _ => {
                let is_selected = is_wanted(*number);
                last = Some((*number, is_selected));
                is_selected
            }
        };
        numbers.values().iter().map(is_selected).map(Some).collect()
    })
}

/// Returns a filter of rows: `select` tells which values of a column are wanted.
fn filter_rows<A: Array + 'static>(
    part: &OpenedFile,
    column: &str,
    mut select: impl FnMut(&A) -> BooleanArray + Send + 'static,
) -> RowFilter {
    let (file, mut values) = (part.file.clone(), part.value_counter());
    let predicate = move |batch: RecordBatch| {
        file.check_batch(&mut values, &batch)?;
        let values = batch.column(0).as_any().downcast_ref::<A>();
        let values = values.map(&mut select);
        values.ok_or_else(|| ArrowError::CastError("a column has another type".to_owned()))
    };
    let schema = part.metadata.parquet_schema();
    let column = ProjectionMask::columns(schema, [column]);
    let predicate: Box<dyn ArrowPredicate> = Box::new(ArrowPredicateFn::new(column, predicate));
    RowFilter::new(vec![predicate])
}

/// Returns the indexes of the row groups that may have a value of `ids` in the column `key`, according to its
/// range. If rows are sorted by this column, an id is in the range of few row groups.
pub(super) fn row_groups_with_ids(
    metadata: &ParquetMetaData,
    key: &str,
    ids: &RangeInclusive<i64>,
) -> Vec<usize> {
    let may_contain = |group: &RowGroupMetaData| match column_statistics(group, key) {
        Some(Statistics::Int64(range)) => {
            let (min, max) = (range.min_opt(), range.max_opt());
            min.is_none_or(|min| min <= ids.end()) && max.is_none_or(|max| ids.start() <= max)
        }
        _ => true,
    };
    let groups = metadata.row_groups().iter().enumerate();
    groups
        .filter(|(_, group)| may_contain(group))
        .map(|(i, _)| i)
        .collect()
}

/// Returns the statistics of a column of a row group, if it has any.
pub(super) fn column_statistics<'g>(
    group: &'g RowGroupMetaData,
    name: &str,
) -> Option<&'g Statistics> {
    let mut columns = group.columns().iter();
    let column = columns.find(|column| column.column_path().string() == name);
    column.and_then(ColumnChunkMetaData::statistics)
}

/// Returns true if one of the wanted values is in the range of a column, or the range is unknown.
fn may_be_in_range(range: Option<&Statistics>, wanted: &ColumnValuesFilter) -> bool {
    let Some(Statistics::ByteArray(range)) = range else {
        return true;
    };
    let (min, max) = (range.min_opt(), range.max_opt());
    wanted.values.iter().any(|text| {
        min.is_none_or(|min| min.data() <= text.as_bytes())
            && max.is_none_or(|max| text.as_bytes() <= max.data())
    })
}

/// Returns the indexes of the row groups that may have one of the values, according to the range
/// and the Bloom filters of the column.
pub(super) fn row_groups_with_values(
    builder: &ParquetRecordBatchReaderBuilder<LimitedFile>,
    wanted: &ColumnValuesFilter,
) -> Result<Vec<usize>, ParquetError> {
    let columns = builder.parquet_schema().columns();
    let column = columns
        .iter()
        .position(|column| column.name() == wanted.column);
    let mut groups = Vec::new();
    for (group, metadata) in builder.metadata().row_groups().iter().enumerate() {
        if !may_be_in_range(column_statistics(metadata, wanted.column), wanted) {
            continue;
        }
        let filter = match column {
            Some(column) => builder.get_row_group_column_bloom_filter(group, column)?,
            None => None,
        };
        let may_contain = |filter: Sbbf| {
            wanted
                .values
                .iter()
                .any(|text| filter.check(&text.as_str()))
        };
        if filter.is_none_or(may_contain) {
            groups.push(group);
        }
    }
    Ok(groups)
}

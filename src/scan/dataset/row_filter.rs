//! Filters of the rows that are read from a Parquet file.

use arrow_array::{BooleanArray, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowPredicate, ArrowPredicateFn, RowFilter};

/// Returns a filter of rows by the value of a text column.
pub(super) fn text_filter(
    column: ProjectionMask,
    mut is_wanted: impl FnMut(&str) -> bool + Send + 'static,
) -> RowFilter {
    let predicate = move |batch: RecordBatch| -> Result<BooleanArray, ArrowError> {
        let texts = batch.column(0).as_any().downcast_ref::<StringArray>();
        let texts =
            texts.ok_or_else(|| ArrowError::CastError("a column is no VARCHAR".to_owned()))?;
        let is_wanted = |text: Option<&str>| Some(text.is_some_and(&mut is_wanted));
        Ok(texts.iter().map(is_wanted).collect::<BooleanArray>())
    };
    let predicate: Box<dyn ArrowPredicate> = Box::new(ArrowPredicateFn::new(column, predicate));
    RowFilter::new(vec![predicate])
}

/// Returns a filter of rows by their key.
pub(super) fn id_filter(
    ids: ProjectionMask,
    mut is_wanted: impl FnMut(i64) -> bool + Send + 'static,
) -> RowFilter {
    let predicate = move |batch: RecordBatch| -> Result<BooleanArray, ArrowError> {
        let ids = batch.column(0).as_any().downcast_ref::<Int64Array>();
        let ids = ids.ok_or_else(|| ArrowError::CastError("robots_id is no BIGINT".to_owned()))?;
        Ok(ids
            .values()
            .iter()
            .map(|id| Some(is_wanted(*id)))
            .collect::<BooleanArray>())
    };
    let predicate: Box<dyn ArrowPredicate> = Box::new(ArrowPredicateFn::new(ids, predicate));
    RowFilter::new(vec![predicate])
}

use super::columns_by_policy;
use crate::tables::column::Column;
use crate::tables::record_rows::RecordRows;
use crate::tables::rules;

pub(crate) const ABOUT: &str = "One row per policy and allow or disallow line, as in `rules`. Sorted by `policy_id`, then by line.";

pub(crate) const COLUMNS: &[Column] =
    &columns_by_policy::<{ rules::COLUMNS.len() }>(rules::COLUMNS);

pub(crate) const DERIVED: &[Column] = rules::DERIVED;

pub(crate) fn record_rows() -> Option<Box<dyn RecordRows>> {
    None
}

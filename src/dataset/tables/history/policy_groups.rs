use super::columns_by_policy;
use crate::tables::column::Column;
use crate::tables::groups;
use crate::tables::record_rows::RecordRows;

pub(crate) const ABOUT: &str =
    "One row per policy and user-agent line, as in `groups`. Sorted by `policy_id`, then by line.";

pub(crate) const COLUMNS: &[Column] =
    &columns_by_policy::<{ groups::COLUMNS.len() }>(groups::COLUMNS);

pub(crate) const DERIVED: &[Column] = groups::DERIVED;

pub(crate) fn record_rows() -> Option<Box<dyn RecordRows>> {
    None
}

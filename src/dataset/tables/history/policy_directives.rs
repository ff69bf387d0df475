use super::columns_by_policy;
use crate::tables::column::Column;
use crate::tables::directives;
use crate::tables::record_rows::RecordRows;

pub(crate) const ABOUT: &str = "One row per policy and line with a crawl-delay, a request rate, a visit time, or a statement about the use of content, as in `directives`. Sorted by `policy_id`, then by line.";

pub(crate) const COLUMNS: &[Column] =
    &columns_by_policy::<{ directives::COLUMNS.len() }>(directives::COLUMNS);

pub(crate) const DERIVED: &[Column] = directives::DERIVED;

pub(crate) fn record_rows() -> Option<Box<dyn RecordRows>> {
    None
}

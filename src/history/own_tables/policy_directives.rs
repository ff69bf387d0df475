use super::columns_by_policy;
use tables::{Column, Table};

pub(crate) const ABOUT: &str = "One row per policy and line with a crawl-delay, a request rate, a visit time, or a statement about the use of content, as in `directives`. Sorted by `policy_id`, then by line.";

pub(crate) const COLUMNS: &[Column] =
    &columns_by_policy::<{ Table::DIRECTIVES.columns().len() }>(Table::DIRECTIVES.columns());

pub(crate) const DERIVED_COLUMNS: &[Column] = Table::DIRECTIVES.derived_columns();

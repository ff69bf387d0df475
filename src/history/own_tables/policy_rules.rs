use super::columns_by_policy;
use tables::{Column, Table};

pub(crate) const ABOUT: &str = "One row per policy and allow or disallow line, as in `rules`. Sorted by `policy_id`, then by line.";

pub(crate) const COLUMNS: &[Column] =
    &columns_by_policy::<{ Table::RULES.columns().len() }>(Table::RULES.columns());

pub(crate) const DERIVED_COLUMNS: &[Column] = Table::RULES.derived_columns();

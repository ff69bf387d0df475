use super::columns_by_policy;
use tables::{Column, Table};

pub(crate) const ABOUT: &str =
    "One row per policy and user-agent line, as in `groups`. Sorted by `policy_id`, then by line.";

pub(crate) const COLUMNS: &[Column] =
    &columns_by_policy::<{ Table::GROUPS.columns().len() }>(Table::GROUPS.columns());

pub(crate) const DERIVED_COLUMNS: &[Column] = Table::GROUPS.derived_columns();

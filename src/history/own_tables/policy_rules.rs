use super::{POLICY_ID, columns_of, concatenate};
use tables::{Column, Table};

pub(crate) const ABOUT: &str = "One row per policy and allow or disallow line, as in `rules`. Sorted by `policy_id`, then by line.";

/// The columns of `rules` that follow from the lines of a policy: all but `robots_id` and `beyond_500kib`, since the
/// comments and sitemaps above a line are not part of a policy.
const RULES: [Column; 10] = columns_of(
    Table::RULES.columns(),
    [
        "group_no",
        "line_no",
        "record_no",
        "allow",
        "path_raw",
        "path",
        "key_raw",
        "has_colon",
        "counts",
        "is_repeated",
    ],
);

pub(crate) const COLUMNS: &[Column] = &concatenate::<{ RULES.len() + 1 }>(&[POLICY_ID], &RULES);

pub(crate) const DERIVED_COLUMNS: &[Column] = Table::RULES.derived_columns();

use super::{columns_of, concatenate};
use tables::{Column, ColumnType, Table};

pub(crate) const ABOUT: &str = "One row per set of preferences, crawler, mechanism and category: what hosts state about the use of their content, as in `host_preferences`. Sorted by `preference_set_id`, then in the order of `host_preferences`.";

const PREFERENCE_SET_ID: Column = Column::new(
    "preference_set_id",
    ColumnType::Text,
    "Key of the set: a digest of its rows, in hexadecimal (docs/tables.md#keys).",
);

/// The columns that are taken from `host_preferences`.
pub(super) const PREFERENCES: [Column; 9] = columns_of(
    Table::HOST_PREFERENCES.columns(),
    [
        "agent",
        "mechanism",
        "category",
        "preference",
        "has_allowed",
        "has_disallowed",
        "has_unknown",
        "evidence_line",
        "address",
    ],
);

pub(crate) const COLUMNS: &[Column] =
    &concatenate::<{ PREFERENCES.len() + 1 }>(&[PREFERENCE_SET_ID], &PREFERENCES);

pub(crate) const DERIVED_COLUMNS: &[Column] = &[];

//! The tables of histories: many crawls of the same hosts, in which what does not change is stored once.
//!
//! Columns that other tables have are taken from there, with their descriptions.

pub(crate) mod agent_periods;
pub(crate) mod archives;
pub(crate) mod crawls;
pub(crate) mod filled_revisits;
pub(crate) mod host_captures;
pub(crate) mod host_contents;
pub(crate) mod host_periods;
pub(crate) mod policies;
pub(crate) mod policy_directives;
pub(crate) mod policy_groups;
pub(crate) mod policy_rules;
pub(crate) mod policy_verdicts;
pub(crate) mod preference_sets;
pub(crate) mod shares;

pub use host_captures::{HostCaptureRow, HostCaptureRows};
pub use host_periods::STATE_COLUMNS;

use super::column::{Column, ColumnType, are_equal};

/// Returns the column of this name of a table.
///
/// # Panics
///
/// If the table has none, when the constant is compiled.
const fn column_of(columns: &[Column], name: &str) -> Column {
    let mut i = 0;
    while i < columns.len() {
        if are_equal(columns[i].name.as_bytes(), name.as_bytes()) {
            return columns[i];
        }
        i += 1;
    }
    panic!("the table has no column of this name");
}

/// Returns the columns of these names of a table.
const fn columns_of<const N: usize>(columns: &[Column], names: [&str; N]) -> [Column; N] {
    let mut found = [columns[0]; N];
    let mut i = 0;
    while i < N {
        found[i] = column_of(columns, names[i]);
        i += 1;
    }
    found
}

/// Returns some columns, then others. `N` is the number of both.
const fn concatenate<const N: usize>(first: &[Column], then: &[Column]) -> [Column; N] {
    let mut columns = [first[0]; N];
    let mut i = 0;
    while i < N {
        columns[i] = if i < first.len() {
            first[i]
        } else {
            then[i - first.len()]
        };
        i += 1;
    }
    columns
}

/// Returns the columns of a table of captures with the key of a policy instead of that of a capture.
const fn columns_by_policy<const N: usize>(columns: &[Column]) -> [Column; N] {
    concatenate(&[POLICY_ID], columns.split_at(1).1)
}

const POLICY_ID: Column = Column::new(
    "policy_id",
    ColumnType::Text,
    "The policy, as in `policies`.",
);

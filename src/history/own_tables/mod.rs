//! The tables of histories: many crawls of the same hosts, in which what does not change is stored once.
//!
//! Columns that tables of datasets also have are taken from these tables, with their descriptions.

mod agent_periods;
mod archives;
mod crawls;
mod host_captures;
mod host_contents;
mod host_periods;
mod policies;
mod policy_directives;
mod policy_groups;
mod policy_rules;
mod policy_verdicts;
mod preference_sets;
mod shares;

pub use host_periods::STATE_COLUMNS;
pub(crate) use host_periods::{STATE, STATE_OF_HOSTS};

use tables::{Column, ColumnType, Table, are_equal};

tables::tables! {
    /// The tables that only histories have, in the order of the schema.
    OWN, 100;
    /// One row per crawl of a history.
    CRAWLS: crawls, Size;
    /// One row per archive of a history.
    ARCHIVES: archives, Size;
    /// One row per host and crawl.
    HOST_CAPTURES: host_captures, Size;
    /// One row per host and sequence of captures with the same state.
    HOST_PERIODS: host_periods, Size;
    /// One row per period and sequence of captures with the same content.
    HOST_CONTENTS: host_contents, Size;
    /// One row per agent, host and sequence of captures with the same verdict.
    AGENT_PERIODS: agent_periods, Size;
    /// One row per policy: a distinct file, as far as it is read.
    POLICIES: policies, Size;
    /// One row per policy and user-agent line.
    POLICY_GROUPS: policy_groups, Size;
    /// One row per policy and allow or disallow line.
    POLICY_RULES: policy_rules, Size;
    /// One row per policy and other line that a dialect or a preference reads.
    POLICY_DIRECTIVES: policy_directives, Size;
    /// One row per policy and agent that it names.
    POLICY_VERDICTS: policy_verdicts, Size;
    /// One row per set of preferences, agent, mechanism and category.
    PREFERENCE_SETS: preference_sets, Size;
    /// One row per agent, crawl, verdict and basis.
    SHARES: shares, Size;
}

/// Returns all tables of a history: its own, and `agents`.
pub fn all() -> impl Iterator<Item = Table> {
    OWN.into_iter().chain([Table::AGENTS])
}

/// Returns the column with this name.
///
/// # Panics
///
/// At compile time, if no column has this name.
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

/// Returns the columns with these names, in the order of the names.
const fn columns_of<const N: usize>(columns: &[Column], names: [&str; N]) -> [Column; N] {
    let mut found = [columns[0]; N];
    let mut i = 0;
    while i < N {
        found[i] = column_of(columns, names[i]);
        i += 1;
    }
    found
}

/// Returns the columns of `first`, then those of `then`. `N` is the sum of their lengths.
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

/// Returns the columns of a table with rows for each capture, such as `rules`, with `policy_id` in place of the first
/// column, `robots_id`.
const fn columns_by_policy<const N: usize>(columns: &[Column]) -> [Column; N] {
    concatenate(&[POLICY_ID], columns.split_at(1).1)
}

/// The columns of a verdict in `agent_periods` and `policy_verdicts`.
pub(crate) const VERDICT: &[Column] = &agent_periods::VERDICT;

/// The columns of `preference_sets` after the key.
pub(crate) const PREFERENCES: &[Column] = &preference_sets::PREFERENCES;

/// The first column of the tables with rows of policies.
const POLICY_ID: Column = Column::new(
    "policy_id",
    ColumnType::Text,
    "The policy, as in `policies`.",
);

/// Returns the columns of a table of policies or of sets of preferences without the first one, which is the key.
pub(crate) const fn columns_without_key(table: Table) -> &'static [Column] {
    table.columns().split_at(1).1
}

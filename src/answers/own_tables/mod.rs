//! The tables that `match` writes. They are not part of a dataset.

mod history_matches;
mod matches;

use tables::Table;

tables::tables! {
    /// The tables that commands write.
    OF_COMMANDS, 200;
    /// One row per requested URL and agent, written by `match`.
    MATCHES: matches, Single;
    /// One row per requested URL and agent, written by `match` over a history.
    HISTORY_MATCHES: history_matches, Single;
}

/// Returns all tables: those of datasets, of histories and of commands, in the order of the schema.
pub fn all() -> Vec<Table> {
    [&Table::ALL[..], &history::own_tables::OWN, &OF_COMMANDS].concat()
}

//! The tables that `match` and `verdicts` write. They are not part of a dataset.

mod crawler_verdicts;
mod history_matches;
mod matches;

pub use crawler_verdicts::{Builder as CrawlerVerdictRows, CrawlerVerdictRow};

use tables::Table;

tables::tables! {
    /// The tables that commands write.
    OF_COMMANDS, Single, 200;
    /// One row per requested URL and agent, written by `match`.
    MATCHES: matches;
    /// One row per requested URL and agent, written by `match` over a history.
    HISTORY_MATCHES: history_matches;
    /// One row per host and requested crawler, written by `verdicts`.
    CRAWLER_VERDICTS: crawler_verdicts;
}

/// Returns all tables: those of datasets, of histories and of commands, in the order of the schema.
pub fn all() -> Vec<Table> {
    [&Table::ALL[..], &history::own_tables::OWN, &OF_COMMANDS].concat()
}

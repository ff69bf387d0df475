//! The tables that commands write: they are part of no dataset.

mod crawler_verdicts;
mod history_matches;
mod matches;

pub use crawler_verdicts::{Builder as CrawlerVerdictRows, CrawlerVerdictRow};

use dataset::tables::{FileDivision, Table, TableDeclaration};

/// Defines the tables of commands: the constant, and the module with the columns, which is also the name of the table.
macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident: $module:ident, $order:literal;)*) => {
        $(
            $(#[$doc])*
            pub const $name: Table = Table::new(&TableDeclaration {
                name: stringify!($module),
                about: $module::ABOUT,
                columns: $module::COLUMNS,
                derived: $module::DERIVED,
                division: FileDivision::Single,
                order: $order,
            });
        )*

        /// The tables of commands.
        pub const OF_COMMANDS: [Table; 0 $(+ tables!(@one $name))*] = [$($name,)*];
    };
    (@one $name:ident) => { 1 };
}

tables! {
    /// One row per requested URL and agent, written by `match`.
    MATCHES: matches, 200;
    /// One row per requested URL and agent, written by `match` over a history.
    HISTORY_MATCHES: history_matches, 201;
    /// One row per host and requested crawler, written by `verdicts`.
    CRAWLER_VERDICTS: crawler_verdicts, 202;
}

/// Returns all tables: those of datasets, of histories and of commands, in the order of the schema.
pub fn all() -> Vec<Table> {
    [&Table::ALL[..], &history::tables::OWN, &OF_COMMANDS].concat()
}

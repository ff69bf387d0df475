//! The kinds of errors of this package.

use dataset::error::DatasetDefect;
use errors::Error;
use hosts::resolved::stored_verdict::inconsistent_table_error;
use std::path::{Path, PathBuf};
use tables::Table;

errors::kinds! {
    /// The kinds of errors about the inputs and the output of a history.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum HistoryErrorKind at place {
        /// Two inputs have the same crawl.
        CrawlTwice {
            crawl: String,
            /// The path of the earlier input with this crawl.
            other: PathBuf,
        } => "'{place}' has the crawl '{crawl}', as '{}' has", other.display();
            -> "leave one out, or add --replace: the crawl of the later input is then taken";
        /// An input is a shard, which has no resolved hosts.
        ShardInput => "'{place}' is a shard, and only a part of a crawl";
            -> "join all shards of the crawl with robots-scan join, and give the folder";
        /// The rows of two inputs differ in the version of their meaning ([`tables::MEANING`]).
        OtherMeaning {
            /// The version of the first input.
            first: u64,
            /// The version of this input.
            found: u64,
        } => "the rows of '{place}' have the meaning {found}, and those of the first input have {first}";
            -> "scan its archives again with this version (docs/limits.md#formats)";
        /// The folder of the output has a dataset that is not a history.
        OutputIsNoHistory => "'{place}' is a dataset, but the output must be a history";
            -> "choose another -o";
    }
}

impl errors::Kind for HistoryErrorKind {}

/// Returns the error that the rows of a table contradict those of another table. The error has no path, which
/// the callers add.
pub(crate) fn damaged_error(table: Table) -> Error {
    inconsistent_table_error(table.name())
}

/// Returns the error that a table of the history at `root` contradicts itself or another table.
pub fn damaged_history_error(root: &Path, table: Table) -> Error {
    let table = table.name();
    let message = format!("its table `{table}` contradicts itself or another table of the history");
    DatasetDefect::BadTable { table, message }.error(root)
}

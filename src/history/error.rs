//! The kinds of errors of this package.

use dataset::error::DatasetDefect;
use errors::{Error, Kind};
use hosts::resolved::stored_verdict::inconsistent_table_error;
use std::fmt;
use std::path::{Path, PathBuf};
use tables::Table;

/// The kinds of errors about the inputs and the output of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryErrorKind {
    /// Two inputs have the same crawl.
    CrawlTwice {
        crawl: String,
        /// The path of the earlier input with this crawl.
        other: PathBuf,
    },
    /// An input is a shard, which has no resolved hosts.
    ShardInput,
    /// The rows of two inputs differ in the version of their meaning ([`tables::MEANING`]).
    OtherMeaning {
        /// The version of the first input.
        first: u64,
        /// The version of this input.
        found: u64,
    },
    /// The folder of the output has a dataset that is not a history.
    OutputIsNoHistory,
}

impl Kind for HistoryErrorKind {
    fn write_message(&self, path: &Path, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = path.display();
        match self {
            Self::CrawlTwice { crawl, other } => write!(
                f,
                "'{place}' has the crawl '{crawl}', as '{}' has",
                other.display()
            ),
            Self::ShardInput => write!(f, "'{place}' is a shard, and only a part of a crawl"),
            Self::OtherMeaning { first, found } => write!(
                f,
                "the rows of '{place}' have the meaning {found}, and those of the first input have {first}"
            ),
            Self::OutputIsNoHistory => {
                write!(
                    f,
                    "'{place}' is a dataset, but the output must be a history"
                )
            }
        }
    }
}

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

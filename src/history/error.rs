//! The kinds of errors of this package.

use disk::error::Kind;
use std::fmt;
use std::path::{Path, PathBuf};

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

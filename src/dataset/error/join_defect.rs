//! The reasons why datasets cannot be joined.

use std::fmt;
use std::path::PathBuf;

/// The text of `setting` in [`JoinDefect::Differs`] if the registries of crawlers differ.
pub const REGISTRY: &str = "the registry of crawlers";

/// The text of `setting` in [`JoinDefect::Differs`] if the Public Suffix Lists differ.
pub const SUFFIX_LIST: &str = "the Public Suffix List";

/// The reason why a dataset cannot be joined with the others of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinDefect {
    /// The folder is a dataset itself.
    IsDataset,
    /// No subfolder is a dataset.
    NoMembers,
    /// The folder of the dataset is a link, which is not followed.
    Link,
    /// The name of the folder of the dataset cannot be part of the paths of joined datasets.
    Name,
    /// The folder is not a dataset, but of another kind, such as `history`, and has other tables.
    OfKind(String),
    /// The run that writes the dataset is not finished.
    Unfinished,
    /// The manifest of the dataset is damaged.
    Damaged,
    /// The rows of the dataset have another version of their meaning ([`tables::MEANING`]) than the rows that
    /// this program writes.
    Meaning {
        /// The version of the rows of the dataset.
        found: u64,
        /// The version of the rows that this program writes.
        current: u64,
    },
    /// The dataset was made with other options, or other built-in data, than another dataset.
    Differs {
        /// The setting that differs, in the words of the message.
        setting: &'static str,
        /// The value of the other dataset.
        before: String,
        /// The value of this dataset.
        now: String,
        /// The other dataset.
        other: PathBuf,
    },
    /// The dataset lacks a table from which hosts are resolved.
    NoTable { table: &'static str },
    /// Other shards of the run that wrote the dataset are missing.
    ShardMissing {
        /// The shards, such as `2/4`.
        missing: Vec<String>,
    },
    /// Another dataset is the same shard of the run.
    ShardTwice {
        /// The shard, such as `2/4`.
        shard: String,
        /// The other dataset.
        other: PathBuf,
    },
    /// Another dataset has the same archive.
    ArchiveTwice {
        /// The name of the archive.
        name: String,
        /// The other dataset.
        other: PathBuf,
    },
    /// Another dataset has the same values of `robots_id` for other captures of the same crawl.
    KeysOverlap {
        crawl: String,
        /// The other dataset.
        other: PathBuf,
        /// The smallest index of inputs that is greater than the index of every input of the datasets.
        next_free_index: u64,
    },
    /// `views.sql` of the folder was not written by robots-scan.
    ForeignViews,
}

/// The number of missing shards that the message lists. Of the rest, it has only the number.
const SHOWN_SHARD_COUNT: usize = 5;

impl fmt::Display for JoinDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IsDataset => f.write_str("it is a dataset itself"),
            Self::NoMembers => f.write_str("none of its subfolders is a dataset"),
            Self::Link => f.write_str("it is a link, which is not followed"),
            Self::Name => f.write_str(
                "its name has '=', a backslash, a line break, or bytes that are not UTF-8",
            ),
            Self::OfKind(kind) => write!(f, "it is a {kind}, which has other tables"),
            Self::Unfinished => f.write_str("its run is not finished"),
            Self::Damaged => f.write_str("its manifest is damaged"),
            Self::Meaning { found, current } => write!(
                f,
                "its rows have meaning {found}, and this version writes meaning {current} (docs/limits.md#formats)"
            ),
            Self::Differs {
                setting,
                before,
                now,
                other,
            } => write!(
                f,
                "{setting} differ from those of '{}': {now} instead of {before}",
                other.display()
            ),
            Self::NoTable { table } => write!(f, "it lacks the table `{table}`"),
            Self::ShardMissing { missing } => {
                let shown = missing[..missing.len().min(SHOWN_SHARD_COUNT)].join(", ");
                let more = match missing.len().saturating_sub(SHOWN_SHARD_COUNT) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                write!(f, "other shards of its run are missing: {shown}{more}")
            }
            Self::ShardTwice { shard, other } => {
                write!(f, "it is the shard {shard}, as is '{}'", other.display())
            }
            Self::ArchiveTwice { name, other } => {
                write!(
                    f,
                    "it has the archive '{name}', as has '{}'",
                    other.display()
                )
            }
            Self::KeysOverlap { crawl, other, .. } => write!(
                f,
                "captures of {crawl} have the same robots_id as others in '{}'",
                other.display()
            ),
            Self::ForeignViews => f.write_str("its views.sql was not written by robots-scan"),
        }
    }
}

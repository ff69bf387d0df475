//! The reasons why datasets cannot be joined.

use std::fmt;
use std::path::PathBuf;

/// The setting of [`JoinDefect::Differs`] for the registry.
pub const REGISTRY: &str = "the registry of crawlers";

/// The setting of [`JoinDefect::Differs`] for the Public Suffix List.
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
    /// The name of its folder cannot be part of the paths of joined datasets.
    Name,
    /// It is not a dataset, but a folder of this kind, which has other tables.
    OfKind(String),
    /// Its run is not finished.
    Unfinished,
    /// Its manifest is damaged.
    Damaged,
    /// Its rows have another meaning than those of today.
    Meaning {
        /// The meaning of its rows.
        found: u64,
        /// The meaning of rows that are written today.
        now: u64,
    },
    /// It was made with other options than another dataset.
    Differs {
        /// The setting that differs, as the message names it.
        setting: &'static str,
        /// The value of the other dataset.
        before: String,
        /// The value of this dataset.
        now: String,
        /// The other dataset.
        other: PathBuf,
    },
    /// It lacks a table from which hosts are resolved.
    NoTable {
        /// The table.
        table: &'static str,
    },
    /// Other shards of its run are missing.
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
    /// Another dataset has the same keys for other captures of a crawl.
    KeysOverlap {
        /// The crawl.
        crawl: String,
        /// The other dataset.
        other: PathBuf,
        /// The smallest index that is greater than that of every input.
        next_free_index: u64,
    },
    /// `views.sql` of the folder was not written by robots-scan.
    ForeignViews,
}

/// The number of missing shards that the message names; it counts the rest.
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
            Self::Meaning { found, now } => write!(
                f,
                "its rows have meaning {found}, and this version writes meaning {now} (docs/limits.md#formats)"
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

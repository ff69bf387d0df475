//! Reasons why datasets cannot be joined.

use std::fmt;
use std::path::PathBuf;

/// The reason why a dataset cannot be joined with the others of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinDefect {
    /// The folder is a dataset itself.
    IsDataset,
    /// No subfolder is a dataset.
    NoMembers,
    /// A link leads to the dataset.
    Link,
    /// The name of its folder cannot be part of the paths of joined datasets.
    Name,
    /// Its run is not finished.
    Unfinished,
    /// Its manifest is damaged.
    Damaged,
    /// It was made by another version.
    Version { version: String },
    /// It was made with other options than another dataset.
    Differs {
        /// The name of the setting that differs.
        what: &'static str,
        /// The value of the other dataset.
        before: String,
        /// The value of this dataset.
        now: String,
        other: PathBuf,
    },
    /// It lacks a table from which hosts are resolved.
    NoTable { table: &'static str },
    /// Some shards of its run are not there.
    ShardMissing {
        /// The shards, such as `2/4`.
        missing: Vec<String>,
    },
    /// Another dataset is the same shard.
    ShardTwice {
        /// The shard, such as `2/4`.
        shard: String,
        other: PathBuf,
    },
    /// Another dataset has the same archive.
    ArchiveTwice { name: String, other: PathBuf },
    /// Another dataset has the same keys for other captures of a crawl.
    KeysOverlap {
        crawl: String,
        other: PathBuf,
        /// The least index of an input from which on none is used.
        next: u64,
    },
    /// `views.sql` of the folder was not written by robots-scan.
    ForeignViews,
}

/// The most shards that are named.
const SHARDS_NAMED: usize = 5;

impl fmt::Display for JoinDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IsDataset => f.write_str("it is a dataset itself"),
            Self::NoMembers => f.write_str("none of its subfolders is a dataset"),
            Self::Link => f.write_str("it is a link, which is not followed"),
            Self::Name => f.write_str(
                "its name has '=', a backslash, a line break, or bytes that are not UTF-8",
            ),
            Self::Unfinished => f.write_str("its run is not finished"),
            Self::Damaged => f.write_str("its manifest is damaged"),
            Self::Version { version } => write!(
                f,
                "it was made by robots-scan {version}, and this is {}",
                env!("CARGO_PKG_VERSION")
            ),
            Self::Differs {
                what,
                before,
                now,
                other,
            } => write!(
                f,
                "{what} differ from those of '{}': {now} instead of {before}",
                other.display()
            ),
            Self::NoTable { table } => write!(f, "it lacks the table `{table}`"),
            Self::ShardMissing { missing } => {
                let named = missing[..missing.len().min(SHARDS_NAMED)].join(", ");
                let more = match missing.len().saturating_sub(SHARDS_NAMED) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                write!(f, "other shards of its run are missing: {named}{more}")
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

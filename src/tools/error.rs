//! The kinds of errors of this package.

use capture::date::format_iso;
use disk::error::Kind;
use std::fmt;
use std::path::{Path, PathBuf};

/// The kinds of errors of commands that read datasets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolErrorKind {
    /// The destination of a copy is not a prefix of S3.
    NotS3,
    /// The destination of a copy has another dataset.
    OtherDatasetThere,
    /// Objects at the destination of a copy have other sizes than were written, or are gone.
    CopyChanged {
        /// The path of the first such object, below the destination.
        path: String,
    },
    /// The memory for sorting is less than the minimum.
    MemoryTooSmall {
        /// The minimum, in bytes.
        least: u64,
    },
    NoCrawler,
    /// Two inputs of a history have the same crawl.
    CrawlTwice {
        crawl: String,
        /// The other input.
        other: PathBuf,
    },
    /// An input of a history is a shard, which has no resolved hosts.
    ShardInput,
    /// The rows of the inputs of a history have different meanings.
    OtherMeaning {
        /// The meaning of the first input.
        first: u64,
        /// The meaning of this input.
        found: u64,
    },
    /// An archive has no record at an offset, or one that is too large.
    NoSuchRecord {
        offset: u64,
    },
    /// The record of a capture cannot be copied, for this reason.
    NotExtracted {
        reason: String,
    },
    /// The output of a history is a dataset of another kind.
    OutputIsNoHistory,
    /// A host has no capture, or none at the requested time.
    NoCapture {
        host: String,
        /// The time of the first capture of the host, in milliseconds since 1970; `None` if it has
        /// no captures.
        first_time: Option<i64>,
        /// Hosts with captures and a similar name.
        similar: Vec<String>,
    },
    /// A file is not a list of URLs, for this reason.
    NotAUrlList(String),
}

impl Kind for ToolErrorKind {
    fn write_message(&self, path: &Path, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = path.display();
        match self {
            Self::NotS3 => write!(f, "'{place}' is not a prefix of S3"),
            Self::OtherDatasetThere => write!(f, "'{place}' has another dataset"),
            Self::CopyChanged { path } => write!(
                f,
                "the object '{path}' at '{place}' is missing or has another size than was written; the copy is not complete"
            ),
            Self::MemoryTooSmall { least } => write!(
                f,
                "sorting needs {} MiB of memory or more",
                least.div_ceil(1 << 20)
            ),
            Self::NoSuchRecord { offset } => {
                write!(f, "'{place}' has no record at {offset} that can be copied")
            }
            Self::NotExtracted { reason } => {
                write!(f, "the record in '{place}' is not copied: {reason}")
            }
            Self::NotAUrlList(why) => write!(f, "'{place}' is not a URL list: {why}"),
            Self::NoCrawler => write!(f, "no crawler is given"),
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
            Self::NoCapture {
                host, first_time, ..
            } => {
                write!(f, "'{place}' has no capture of a robots.txt of '{host}'")?;
                match first_time {
                    Some(time) => write!(f, " at that time; first capture: {}", format_iso(*time)),
                    None => Ok(()),
                }
            }
        }
    }

    fn is_before_start(&self) -> bool {
        !matches!(self, Self::CopyChanged { .. })
    }
}

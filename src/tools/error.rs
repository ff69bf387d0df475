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
    /// The output of `match` over a history is CSV by its name.
    OnlyParquet,
    /// An option of `match` that needs a dataset was given for a history.
    NotOverHistories {
        option: &'static str,
    },
    /// An archive has no record at an offset, or one that is too large.
    NoSuchRecord {
        offset: u64,
    },
    /// The record of a capture cannot be copied, for this reason.
    NotExtracted {
        reason: String,
    },
    /// The output is a history, and exists already.
    HistoryExists,
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
    /// A file is not a list of URLs.
    NotAUrlList(UrlListDefect),
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
            Self::OnlyParquet => write!(
                f,
                "'{place}' is CSV by its name, but answers over a history are Parquet"
            ),
            Self::NotOverHistories { option } => {
                write!(f, "{option} is not possible over a history")
            }
            Self::HistoryExists => write!(f, "'{place}' already exists"),
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

/// The reason why a file cannot be used as a URL list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UrlListDefect {
    /// The URLs of a list that is held in memory are larger than the limit.
    TooLarge { bytes_max: usize },
    /// A row is neither an absolute URL nor a path.
    NotAUrl {
        /// The beginning of the row.
        text: String,
    },
}

impl fmt::Display for UrlListDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { bytes_max } => {
                write!(f, "it has more than {bytes_max} bytes of URLs")
            }
            Self::NotAUrl { text } => {
                write!(f, "'{text}' is neither an absolute URL nor a path")
            }
        }
    }
}

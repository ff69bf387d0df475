//! The kinds of errors about datasets and registries of crawlers.

mod join_defect;
mod reason;

pub use join_defect::{JoinDefect, REGISTRY, SUFFIX_LIST};
pub use reason::{DatasetDefect, InputIdentity, ManifestDefect};

use capture::date::format_iso;
use disk::FileKind;
use errors::Kind;
use std::fmt;
use std::path::{Path, PathBuf};

/// The kind of an error about a dataset or a registry of crawlers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatasetErrorKind {
    /// The registry of crawlers is malformed, for this reason.
    BadRegistry(String),
    /// The output is a dataset that exists already, and the run may not replace or continue it.
    OutputExists,
    /// The output exists already and may not be replaced. It is not a dataset, so it cannot be continued
    /// either.
    FileExists,
    /// The output is a folder, but one file is to be written.
    OutputIsFolder,
    /// The output is a single file, which cannot be resumed.
    SingleFileResume,
    /// The run to resume had other inputs or options.
    ResumeDiffers {
        /// The first difference.
        difference: String,
        /// True if that run was finished, so that the dataset is complete.
        is_finished: bool,
    },
    /// The datasets in a folder cannot be joined, for this reason.
    Unjoinable(JoinDefect),
    /// A path is not a dataset, or the dataset is damaged.
    NotADataset(DatasetDefect),
    /// The dataset lacks a table.
    MissingTable {
        table: &'static str,
        /// All tables that the command needs.
        needed: Vec<&'static str>,
    },
    /// The dataset lacks a crawl.
    MissingCrawl {
        crawl: String,
        /// The crawls of the dataset.
        known: Vec<String>,
    },
    /// The output is a dataset, but one file is to be written.
    IsDataset,
    /// The output is a folder of this kind, but a dataset is to be written.
    OutputIsOfKind(String),
    /// The output exists and is a file with this table, but a dataset is to be written.
    IsSingleFile(String),
    /// The output is inside the dataset at this path.
    InsideDataset(PathBuf),
    /// The output is standard output, but must be a path.
    StandardOutput,
    /// The output is a URL, but must be a path.
    UrlOutput,
    /// The absolute path of a dataset is not UTF-8, so that `views.sql` cannot contain it.
    NotUtf8Output,
    /// A file has the wrong type.
    WrongKind {
        /// The type that it has.
        found: FileKind,
        /// The type that is needed.
        needed: FileKind,
    },
    /// A file has a name that the run needs, but the manifest does not list the file.
    NotListed,
    /// A manifest is damaged or was changed.
    BadManifest(ManifestDefect),
    /// The memory for sorting is less than the minimum.
    MemoryTooSmall {
        /// The minimum, in bytes.
        least: u64,
    },
    /// A host has no capture, or none at the requested time.
    NoCapture {
        host: String,
        /// The time of the first capture of the host, in milliseconds since 1970; `None` if it has
        /// no captures.
        first_time: Option<i64>,
        /// Hosts with captures and a similar name.
        similar: Vec<String>,
    },
}

impl Kind for DatasetErrorKind {
    fn write_message(&self, path: &Path, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = path.display();
        match self {
            Self::BadRegistry(why) => {
                write!(f, "'{place}' is not a registry of crawlers: {why}")
            }
            Self::OutputExists | Self::FileExists => {
                write!(f, "'{place}' already exists")
            }
            Self::OutputIsFolder => {
                write!(f, "'{place}' is a folder, but the output must be a file")
            }
            Self::SingleFileResume => {
                write!(f, "'{place}' is a single file, which cannot be resumed")
            }
            Self::ResumeDiffers {
                difference,
                is_finished: true,
            } => write!(
                f,
                "'{place}' is a finished dataset of other inputs or options and cannot be resumed: {difference}"
            ),
            Self::ResumeDiffers { difference, .. } => write!(
                f,
                "'{place}' was begun with other inputs or options and cannot be resumed: {difference}"
            ),
            Self::IsDataset => {
                write!(f, "'{place}' is a dataset, but the output must be a file")
            }
            Self::OutputIsOfKind(kind) => {
                write!(
                    f,
                    "'{place}' is a {kind}, but the output must be a dataset of scans"
                )
            }
            Self::IsSingleFile(table) => write!(
                f,
                "'{place}' is a file with the table '{table}', but the output must be a folder for a dataset"
            ),
            Self::InsideDataset(dataset) => {
                write!(f, "'{place}' is inside the dataset '{}'", dataset.display())
            }
            Self::StandardOutput => {
                write!(f, "tables cannot be written to standard output")
            }
            Self::NotUtf8Output => write!(
                f,
                "the path of '{place}' is not UTF-8, so that no query could open the dataset"
            ),
            Self::UrlOutput => write!(
                f,
                "'{place}' is a URL, and tables are written to local files only"
            ),
            Self::WrongKind { found, needed } => write!(f, "'{place}' is {found}, not {needed}"),
            Self::NotListed => write!(
                f,
                "'{place}' is in the way: the dataset needs this name, but does not list the file"
            ),
            Self::BadManifest(what) => {
                write!(f, "the manifest '{place}' is damaged or changed: {what}")
            }
            Self::MemoryTooSmall { least } => write!(
                f,
                "sorting needs {} MiB of memory or more",
                least.div_ceil(1 << 20)
            ),
            Self::NoCapture {
                host, first_time, ..
            } => {
                write!(f, "'{place}' has no capture of a robots.txt of '{host}'")?;
                match first_time {
                    Some(time) => write!(f, " at that time; first capture: {}", format_iso(*time)),
                    None => Ok(()),
                }
            }
            Self::Unjoinable(why) => write!(f, "'{place}' cannot be joined: {why}"),
            Self::NotADataset(why) => {
                write!(f, "'{place}' cannot be used as a dataset: {why}")
            }
            Self::MissingTable { table, .. } => {
                write!(f, "the dataset '{place}' has no table '{table}'")
            }
            Self::MissingCrawl { crawl, known } => write!(
                f,
                "the dataset '{place}' has no crawl '{crawl}'; it has {}",
                known.join(", ")
            ),
        }
    }
}

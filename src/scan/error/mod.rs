//! The error of this library: a kind, a path and a cause.
//!
//! An [`ErrorKind`] holds what a caller needs to react to the error. Where one
//! kind has several reasons, they are an enum of their own in `reason.rs`. The
//! texts of [`Display`](fmt::Display) are for people. They name no options of
//! the command line, which gives its own advice for each kind.

mod file_kind;
mod reason;

use crate::capture::date::to_iso;
pub use file_kind::FileKind;
pub use reason::{
    DatasetDefect, InputIdentity, ManifestDefect, RegistryDefect, ResumeDifference, UrlListDefect,
};
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// An error that stops a run or loses an input: a kind and a place.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    path: PathBuf,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file or folder cannot be read.
    Read,
    /// A file or folder cannot be written.
    Write,
    /// An input is a URL.
    UrlInput,
    /// No archive is named by an argument.
    NoInput,
    /// Two inputs have one name.
    SameName {
        /// Their paths.
        paths: [PathBuf; 2],
        /// The deepest folder of all files, if paths below it would be names that differ.
        folder: Option<PathBuf>,
    },
    /// One input is given twice.
    SameInput,
    /// An input does not lie below the folder by which files are named.
    NotBelow {
        /// The folder.
        folder: PathBuf,
    },
    /// Inputs are not there.
    MissingInputs {
        /// The first of them.
        first: Vec<PathBuf>,
        /// How many are missing.
        missing: usize,
        /// How many inputs there are.
        inputs: usize,
    },
    /// Two inputs are one stream, which can be read only once.
    SameStream,
    /// A run over a stream cannot be resumed.
    StreamResume,
    /// A name is given for the only stream, and there are not one but so many.
    StreamName {
        /// The number of streams.
        streams: usize,
    },
    /// A prefix for the lines of a list is given, but no list.
    BaseWithoutList,
    /// A text cannot name the folder of a partition.
    PartitionName {
        /// The partition column: `crawl` or `subset`.
        key: &'static str,
        /// The text.
        value: String,
    },
    /// An input is not an archive that can be read; the reason.
    NotAnArchive(warc::ErrorKind),
    /// The registry of crawlers is malformed; the reason.
    BadRegistry(RegistryDefect),
    /// The output cannot be made.
    Create,
    /// The output, a dataset, exists.
    OutputExists,
    /// The output, one file, exists.
    FileExists,
    /// The output is a folder where one file is written.
    OutputIsFolder,
    /// The output was not made by this program.
    ForeignFile,
    /// There is nothing to resume.
    NothingToResume,
    /// The output is a single file, which cannot be resumed.
    SingleFileResume,
    /// The output was made with other inputs or options; the difference.
    ResumeDiffers(ResumeDifference),
    /// Another run writes to the output.
    Busy,
    /// The system allows fewer open files than a run needs.
    TooFewOpenFiles {
        /// The files that may be open.
        limit: usize,
        /// The least limit that suffices.
        needed: usize,
    },
    /// So many threads cannot be started.
    Threads(usize),
    /// The memory for sorting is below the minimum.
    MemoryTooSmall {
        /// The minimum, in bytes.
        least: u64,
    },
    /// No crawler is named.
    NoCrawler,
    /// A path is not a dataset, or a damaged one; the reason.
    NotADataset(DatasetDefect),
    /// A dataset lacks a table.
    MissingTable {
        /// The table.
        table: &'static str,
        /// All tables that are needed.
        needed: Vec<&'static str>,
    },
    /// A dataset lacks a crawl.
    MissingCrawl {
        /// The crawl.
        crawl: String,
        /// The crawls of the dataset.
        known: Vec<String>,
    },
    /// There is no capture of a host, or none at the time asked for.
    NoCapture {
        /// The host.
        host: String,
        /// The time of its first capture, in milliseconds since 1970.
        first_time: Option<i64>,
        /// Hosts with captures that are related by name.
        similar: Vec<String>,
    },
    /// A file is not a list of URLs; the reason.
    NotAUrlList(UrlListDefect),
    /// A page of a Parquet list is larger than its limit.
    LargePage {
        /// The row group that holds the page, from 0.
        row_group: usize,
        /// The size of the page.
        bytes: u64,
        /// The limit.
        bytes_max: u64,
    },
    /// The output is a dataset where one file is written.
    IsDataset,
    /// The output is a file with one table, which is named, where a dataset is
    /// written.
    IsSingleFile(String),
    /// The output lies inside a dataset, which is named.
    InsideDataset(PathBuf),
    /// The output is standard output.
    StandardOutput,
    /// The output is a URL.
    UrlOutput,
    /// A file has another type than the one that is needed.
    WrongKind {
        /// The type that it has.
        is: FileKind,
        /// The type that is needed.
        needed: FileKind,
    },
    /// A file has a name that a dataset needs, and the dataset does not list it.
    NotListed,
    /// A manifest is not as a run writes it; what is wrong.
    BadManifest(ManifestDefect),
    /// A folder that is searched for archives holds more than the limits.
    FolderTooLarge {
        /// Files and folders, all together.
        entries: u64,
        /// Folders within each other.
        depth: usize,
    },
    /// The run was interrupted.
    Interrupted,
    /// The run was interrupted, and leaves nothing.
    Abandoned,
}

impl Error {
    /// An error at a place.
    pub fn new(kind: ErrorKind, path: impl AsRef<Path>) -> Self {
        Self(Box::new(Inner {
            kind,
            path: path.as_ref().to_owned(),
            source: None,
        }))
    }

    /// An error with its cause.
    pub fn with_source(
        kind: ErrorKind,
        path: impl AsRef<Path>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self(Box::new(Inner {
            kind,
            path: path.as_ref().to_owned(),
            source: Some(source.into()),
        }))
    }

    /// Reading failed.
    pub fn read(path: impl AsRef<Path>, source: io::Error) -> Self {
        Self::with_source(ErrorKind::Read, path, source)
    }

    /// Writing failed.
    pub fn write(
        path: impl AsRef<Path>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::with_source(ErrorKind::Write, path, source)
    }

    /// What is wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns the path that the error is about.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Whether the run had not begun: nothing was written.
    pub fn is_before_start(&self) -> bool {
        !matches!(
            self.0.kind,
            ErrorKind::Read | ErrorKind::Write | ErrorKind::Interrupted | ErrorKind::Abandoned
        )
    }
}

/// Describes the error for people, without its source and without advice. Text
/// of others is not escaped.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.0.path.display();
        match &self.0.kind {
            ErrorKind::Read => write!(f, "cannot read '{place}'"),
            ErrorKind::Write => write!(f, "cannot write '{place}'"),
            ErrorKind::Create => write!(f, "cannot make '{place}'"),
            ErrorKind::UrlInput => write!(f, "'{place}' is a URL, and URLs cannot be read yet"),
            ErrorKind::NoInput if self.0.path.as_os_str().is_empty() => {
                f.write_str("there are no inputs")
            }
            ErrorKind::NoInput => write!(f, "'{place}' names no archive"),
            ErrorKind::SameName { paths, .. } => write!(
                f,
                "two inputs have the name '{place}', and captures are identified by it: '{}' and '{}'",
                paths[0].display(),
                paths[1].display()
            ),
            ErrorKind::SameInput => write!(f, "'{place}' is given twice"),
            ErrorKind::NotBelow { folder } => {
                write!(f, "'{place}' does not lie below '{}'", folder.display())
            }
            ErrorKind::MissingInputs {
                first,
                missing,
                inputs,
            } => {
                let verb = if *missing == 1 { "does" } else { "do" };
                write!(f, "{missing} of {inputs} inputs {verb} not exist: ")?;
                for (i, path) in first.iter().enumerate() {
                    let comma = if i == 0 { "" } else { ", " };
                    write!(f, "{comma}'{}'", path.display())?;
                }
                match missing - first.len() {
                    0 => Ok(()),
                    more => write!(f, " and {more} more"),
                }
            }
            ErrorKind::SameStream => write!(
                f,
                "'{place}' is given twice, and a stream can be read only once"
            ),
            ErrorKind::StreamResume => write!(
                f,
                "'{place}' is a stream, which cannot be read twice, so the run cannot be resumed"
            ),
            ErrorKind::StreamName { streams } => write!(
                f,
                "the name '{place}' is for the only input that is a stream, and there are {streams} of them"
            ),
            ErrorKind::BaseWithoutList => {
                write!(f, "there is no list whose lines '{place}' could precede")
            }
            ErrorKind::PartitionName { key, value } => {
                write!(f, "the {key} '{value}' cannot name a folder")
            }
            ErrorKind::NotAnArchive(why) => write!(f, "'{place}': {why}"),
            ErrorKind::BadRegistry(why) => {
                write!(f, "'{place}' is not a registry of crawlers: {why}")
            }
            ErrorKind::OutputExists | ErrorKind::FileExists => {
                write!(f, "'{place}' exists already")
            }
            ErrorKind::OutputIsFolder => {
                write!(f, "'{place}' is a folder, and the output is one file")
            }
            ErrorKind::ForeignFile => {
                write!(
                    f,
                    "'{place}' was not made by robots-scan and is left as it is"
                )
            }
            ErrorKind::NothingToResume => write!(f, "'{place}' holds no run to resume"),
            ErrorKind::SingleFileResume => {
                write!(f, "'{place}' is a single file, which cannot be resumed")
            }
            ErrorKind::ResumeDiffers(difference) => write!(
                f,
                "'{place}' was begun differently and cannot be resumed: {difference}"
            ),
            ErrorKind::Busy => write!(f, "another run is writing to '{place}'"),
            ErrorKind::Threads(threads) => write!(f, "cannot start {threads} threads"),
            ErrorKind::MemoryTooSmall { least } => write!(
                f,
                "sorting needs {} MiB of memory or more",
                least.div_ceil(1 << 20)
            ),
            ErrorKind::TooFewOpenFiles { limit, needed } => write!(
                f,
                "too few open files are allowed: the limit is {limit}, and at least {needed} are needed"
            ),
            ErrorKind::NoCrawler => write!(f, "no crawler is named"),
            ErrorKind::NotADataset(why) => {
                write!(f, "'{place}' cannot be used as a dataset: {why}")
            }
            ErrorKind::MissingTable { table, .. } => {
                write!(f, "the dataset '{place}' has no table '{table}'")
            }
            ErrorKind::MissingCrawl { crawl, known } => write!(
                f,
                "the dataset '{place}' has no crawl '{crawl}'; it has {}",
                known.join(", ")
            ),
            ErrorKind::IsDataset => {
                write!(f, "'{place}' is a dataset, and the output is one file")
            }
            ErrorKind::IsSingleFile(table) => write!(
                f,
                "'{place}' is a file with the table '{table}', and the output is a dataset, which is a folder"
            ),
            ErrorKind::InsideDataset(dataset) => write!(
                f,
                "'{place}' lies inside the dataset '{}'",
                dataset.display()
            ),
            ErrorKind::StandardOutput => {
                write!(f, "tables cannot be written to standard output")
            }
            ErrorKind::UrlOutput => write!(
                f,
                "'{place}' is a URL, and tables are written to local files only"
            ),
            ErrorKind::WrongKind { is, needed } => write!(f, "'{place}' is {is}, not {needed}"),
            ErrorKind::NotListed => write!(
                f,
                "'{place}' has a name that the dataset needs, and the dataset does not list it"
            ),
            ErrorKind::BadManifest(what) => {
                write!(f, "the manifest '{place}' is damaged or changed: {what}")
            }
            ErrorKind::FolderTooLarge { entries, depth } => write!(
                f,
                "'{place}' holds more than {entries} files or folders, or more than {depth} folders within each other"
            ),
            ErrorKind::NoCapture {
                host, first_time, ..
            } => {
                write!(f, "'{place}' has no capture of a robots.txt of '{host}'")?;
                match first_time {
                    Some(time) => write!(f, " at that time; first capture: {}", to_iso(*time)),
                    None => Ok(()),
                }
            }
            ErrorKind::NotAUrlList(why) => write!(f, "'{place}' is not a list of URLs: {why}"),
            ErrorKind::LargePage {
                row_group,
                bytes,
                bytes_max,
            } => write!(
                f,
                "cannot read '{place}': a page of row group {row_group} has {bytes} bytes, more than the {bytes_max} that memory allows"
            ),
            ErrorKind::Abandoned => write!(f, "interrupted; '{place}' was not written"),
            ErrorKind::Interrupted => {
                write!(f, "interrupted; finished parts of '{place}' are kept")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0
            .source
            .as_ref()
            .map(|source| &**source as &(dyn std::error::Error + 'static))
    }
}

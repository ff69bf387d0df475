//! The error of this library: a kind, a path and a cause.
//!
//! An [`ErrorKind`] holds what a caller needs to react to the error. Where one
//! kind has several reasons, they are an enum of their own in `reason.rs`. The
//! messages are in `display.rs`. They name no options of the command line, which
//! adds its own advice for each kind.

mod display;
mod file_kind;
mod join_defect;
mod reason;

use crate::remote::Scheme;
pub use file_kind::FileKind;
pub use join_defect::JoinDefect;
pub use reason::{
    DatasetDefect, InputIdentity, ManifestDefect, RegistryDefect, ResumeDifference,
    UnsafeLineReason, UrlListDefect,
};
use std::io;
use std::path::{Path, PathBuf};

/// An error that stops a run, or that makes one input fail: a kind, the path that
/// is concerned, and an optional cause.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    path: PathBuf,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The kind of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file or folder cannot be read.
    Read,
    /// A file or folder cannot be written.
    Write,
    /// A URL has no object, or another protocol than https, http and S3.
    UrlInput,
    /// A URL does not name the crawl and the subset of its archive.
    UnknownCrawl,
    /// A list at a URL has a line that leads elsewhere than to its server.
    UnsafeLine {
        /// The line, without secrets.
        line: String,
        /// The reason why it is refused.
        reason: UnsafeLineReason,
    },
    /// The first answer of a server is that access is denied.
    AccessDenied {
        /// The protocol.
        scheme: Scheme,
    },
    /// A file has no certificates in PEM.
    NoCertificate,
    /// A store refuses a URL or the configuration for it.
    Store,
    /// The thread of the network cannot be started.
    NetworkStart,
    /// The program was built without the feature `remote`.
    NoRemote,
    /// The destination of a copy is not a prefix of S3.
    NotS3,
    /// The destination of a copy has another dataset.
    OtherDatasetThere,
    /// The destination of a copy has an object that does not belong to the dataset.
    OtherObjectsThere {
        /// The first of them, below the destination.
        path: String,
    },
    /// A file of a dataset has other bytes than were written.
    FileChanged {
        /// The XXH3-64 of the file, in hexadecimal.
        digest: String,
        /// That of the bytes that were written.
        written: String,
    },
    /// Objects at the destination of a copy have other sizes than were written, or are gone.
    CopyChanged {
        /// The first of them, below the destination.
        path: String,
    },
    /// A copy was interrupted.
    CopyInterrupted,
    /// An argument, or a list of paths, matches no archive. The path is empty if there
    /// are no arguments.
    NoInput,
    /// Two inputs have the same name.
    SameName {
        /// Their paths.
        paths: [PathBuf; 2],
        /// The deepest folder that contains all files, if their paths below it differ.
        folder: Option<PathBuf>,
    },
    /// An input is given twice.
    SameInput,
    /// An input is not below the folder from which names are derived.
    NotBelow {
        /// The folder.
        folder: PathBuf,
    },
    /// Inputs do not exist.
    MissingInputs {
        /// The first of the missing inputs.
        first: Vec<PathBuf>,
        /// The number of missing inputs.
        missing: usize,
        /// The number of all inputs.
        inputs: usize,
    },
    /// Two inputs are the same stream, which can be read only once.
    SameStream,
    /// A run over a stream cannot be resumed.
    StreamResume,
    /// A name is given for the only stream, but the number of streams is not one.
    StreamName {
        /// The number of streams.
        streams: usize,
    },
    /// The inputs have indexes that are too large for keys of captures.
    TooManyInputs {
        /// The number of inputs.
        inputs: usize,
        /// The index of the first one.
        first_input: u64,
    },
    /// A prefix for the lines of a list is given without a list.
    BaseWithoutList,
    /// A text cannot be the name of a partition folder.
    PartitionName {
        /// The partition column: `crawl` or `subset`.
        key: &'static str,
        /// The text.
        value: String,
    },
    /// An input is not an archive that can be read.
    NotAnArchive(warc::ErrorKind),
    /// The registry of crawlers is malformed.
    BadRegistry(RegistryDefect),
    /// The output cannot be created.
    Create,
    /// The output is a dataset and exists already.
    OutputExists,
    /// The output is one file and exists already.
    FileExists,
    /// The output is a folder, but one file is to be written.
    OutputIsFolder,
    /// The output exists and was not made by robots-scan.
    ForeignFile,
    /// The output is a single file, which cannot be resumed.
    SingleFileResume,
    /// The run to resume had other inputs or options.
    ResumeDiffers {
        /// The first difference.
        difference: ResumeDifference,
        /// True if that run was finished, so that the dataset is complete.
        is_finished: bool,
    },
    /// Another run is writing to the output.
    Busy,
    /// The limit of open files is lower than a run needs.
    TooFewOpenFiles {
        /// The limit.
        limit: usize,
        /// The lowest limit that is sufficient.
        needed: usize,
    },
    /// This number of threads cannot be started.
    Threads(usize),
    /// The memory for sorting is less than the minimum.
    MemoryTooSmall {
        /// The minimum, in bytes.
        least: u64,
    },
    /// No crawler is given.
    NoCrawler,
    /// Datasets cannot be joined.
    Unjoinable(JoinDefect),
    /// A path is not a dataset, or the dataset is damaged.
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
    /// A host has no capture, or none at the requested time.
    NoCapture {
        /// The host.
        host: String,
        /// The time of its first capture, in milliseconds since 1970.
        first_time: Option<i64>,
        /// Hosts with captures and a similar name.
        similar: Vec<String>,
    },
    /// A file is not a list of URLs.
    NotAUrlList(UrlListDefect),
    /// A page of a Parquet list is larger than the limit.
    LargePage {
        /// The row group of the page, from 0.
        row_group: usize,
        /// The path of its column.
        column: String,
        /// The size of the page in bytes.
        bytes: u64,
        /// The limit in bytes.
        bytes_max: u64,
    },
    /// The output is a dataset, but one file is to be written.
    IsDataset,
    /// The output is a file with the named table, but a dataset is to be written.
    IsSingleFile(String),
    /// The output is inside the named dataset.
    InsideDataset(PathBuf),
    /// The output is standard output.
    StandardOutput,
    /// The output is a URL.
    UrlOutput,
    /// The absolute path of a dataset is not UTF-8, so that `views.sql` cannot have it.
    NotUtf8Output,
    /// A file has the wrong type.
    WrongKind {
        /// The type of the file.
        is: FileKind,
        /// The required type.
        needed: FileKind,
    },
    /// A file that the manifest does not list has a name that the run needs.
    NotListed,
    /// A manifest is damaged or was changed.
    BadManifest(ManifestDefect),
    /// A folder has more entries, or deeper subfolders, than the limits.
    FolderTooLarge {
        /// The limit of files and folders in total.
        entries: u64,
        /// The limit of the depth.
        depth: usize,
    },
    /// The run was interrupted. Its finished parts are kept.
    Interrupted,
    /// The run was interrupted and left no output.
    Abandoned,
}

impl ErrorKind {
    /// Returns the name of the kind, without its payload: that of the variant, in snake case.
    pub fn name(&self) -> String {
        let text = format!("{self:?}");
        let variant = text.split(|char: char| !char.is_alphanumeric());
        let mut name = String::new();
        for char in variant.take(1).flat_map(str::chars) {
            if char.is_ascii_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.push(char.to_ascii_lowercase());
        }
        name
    }
}

impl Error {
    /// Returns an error about a path.
    pub fn new(kind: ErrorKind, path: impl AsRef<Path>) -> Self {
        Self(Box::new(Inner {
            kind,
            path: path.as_ref().to_owned(),
            source: None,
        }))
    }

    /// Returns an error about a path with its cause.
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

    /// Returns an error of reading.
    pub fn read(path: impl AsRef<Path>, source: io::Error) -> Self {
        Self::with_source(ErrorKind::Read, path, source)
    }

    /// Returns an error of writing.
    pub fn write(
        path: impl AsRef<Path>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::with_source(ErrorKind::Write, path, source)
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns the path that the error is about.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns true if the run had not begun, so that nothing was written.
    pub fn is_before_start(&self) -> bool {
        !matches!(
            self.0.kind,
            ErrorKind::Read
                | ErrorKind::Write
                | ErrorKind::AccessDenied { .. }
                | ErrorKind::Store
                | ErrorKind::Interrupted
                | ErrorKind::FileChanged { .. }
                | ErrorKind::CopyChanged { .. }
                | ErrorKind::CopyInterrupted
                | ErrorKind::Abandoned
        )
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

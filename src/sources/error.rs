//! The kinds of errors of this package.

use errors::Kind;
use std::fmt;
use std::path::{Path, PathBuf};

/// The kinds of errors with the inputs of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceErrorKind {
    /// A URL is not the URL of an object, or its protocol is not https, http or S3.
    UrlInput,
    /// The URL of an archive does not contain its crawl or its subset, and no option states them.
    UnknownCrawl,
    /// A line of a list, which may be from somebody else, leads to a file or a server that it must not reach.
    UnsafeLine {
        /// The line, without secrets.
        line: String,
        /// The reason why the line is refused.
        reason: UnsafeLineReason,
    },
    /// An argument, or a list of paths, matches no archive. The path is empty if there
    /// are no arguments.
    NoInput,
    /// Two inputs have the same name.
    SameName {
        /// The paths of the two inputs, in their order.
        paths: [PathBuf; 2],
        /// The deepest folder that contains all files: names relative to it would differ. `None` if the two inputs
        /// cannot have such names, as lines of a list.
        folder: Option<PathBuf>,
    },
    /// An input is given twice.
    SameInput,
    /// An input is not below the folder to which names are relative.
    NotBelow {
        /// The folder of [`InputOptions::relative_to`](crate::input::InputOptions::relative_to).
        folder: PathBuf,
    },
    /// Inputs do not exist.
    MissingInputs {
        /// The first missing inputs, at most 10.
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
        /// The index of the first input.
        first_input: u64,
        /// The limit of indexes, [`MAX_INPUTS`](crate::input::MAX_INPUTS).
        limit: u64,
    },
    /// A prefix for the lines of a list is given without a list.
    BaseWithoutList,
    /// A text cannot be the name of a partition folder.
    PartitionName {
        /// The partition column: `crawl` or `subset`.
        key: &'static str,
        /// The text, which [`is_partition_name`](tables::is_partition_name) refuses.
        value: String,
    },
    /// An input is not an archive that can be read.
    NotAnArchive(warc::ErrorKind),
    /// A file is not a table that can be read.
    NotATable(TableDefect),
    /// A list of records, or a table of bodies, has a row that is refused.
    BadRow {
        /// The number of the row, from 0.
        row: u64,
        /// The reason why the row is refused.
        reason: String,
    },
    /// A list has a record twice.
    RepeatedRecord {
        archive: String,
        /// The offset of the record.
        offset: u64,
    },
    /// A record of a list ends after the next one begins.
    OverlappingRecords {
        archive: String,
        /// The offset of the record.
        offset: u64,
        /// The length of the record in bytes.
        length: u64,
        /// The offset of the next record.
        next: u64,
    },
    /// A list of records has more records than the limit.
    TooManyRecords { limit: usize },
    /// The names of archives in lists of records have too many bytes in total.
    LongNames {
        /// The number of the row, from 0, up to which the names of different archives are counted; `None` if the name
        /// of each input is counted, of which an archive may have several.
        row: Option<u64>,
        /// The limit in bytes.
        bytes_max: u64,
    },
}

impl Kind for SourceErrorKind {
    fn write_message(&self, path: &Path, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = path.display();
        match self {
            Self::UrlInput => write!(f, "'{place}' is not the URL of an archive"),
            Self::UnknownCrawl => write!(
                f,
                "the URL '{place}' does not name the crawl and the subset of its archive"
            ),
            Self::UnsafeLine { line, reason } => {
                write!(
                    f,
                    "the list '{place}' has the line '{line}', which {reason}"
                )
            }
            Self::NoInput if path.as_os_str().is_empty() => f.write_str("there are no inputs"),
            Self::NoInput => write!(f, "'{place}' matches no archive"),
            Self::SameName { paths, .. } => write!(
                f,
                "two inputs have the name '{place}', and captures are identified by it: '{}' and '{}'",
                paths[0].display(),
                paths[1].display()
            ),
            Self::SameInput => write!(f, "'{place}' is given twice"),
            Self::NotBelow { folder } => {
                write!(f, "'{place}' is not below '{}'", folder.display())
            }
            Self::MissingInputs {
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
            Self::SameStream => write!(
                f,
                "'{place}' is given twice, and a stream can be read only once"
            ),
            Self::StreamResume => write!(
                f,
                "'{place}' is a stream, which cannot be read twice, so the run cannot be resumed"
            ),
            Self::StreamName { streams } => write!(
                f,
                "the name '{place}' fits a single stream, but there are {streams}"
            ),
            Self::TooManyInputs {
                inputs,
                first_input,
                limit,
            } => write!(
                f,
                "there are {inputs} inputs from index {first_input} on, but indexes must be below {limit}"
            ),
            Self::BaseWithoutList => {
                write!(f, "the prefix '{place}' needs a list of archives")
            }
            Self::PartitionName { key, value } => {
                write!(f, "'{value}' is not a valid name of a {key}")
            }
            Self::NotAnArchive(why) => write!(f, "'{place}': {why}"),
            Self::NotATable(defect) => write!(f, "'{place}' is not a table to be read: {defect}"),
            Self::BadRow { row, reason } => {
                write!(f, "'{place}', row {row} (counted from 0): {reason}")
            }
            Self::RepeatedRecord { archive, offset } => {
                write!(
                    f,
                    "'{place}' has the record at {offset} of '{archive}' twice"
                )
            }
            Self::OverlappingRecords {
                archive,
                offset,
                length,
                next,
            } => write!(
                f,
                "in '{place}', records of '{archive}' overlap: that at {offset} has {length} bytes, and the next one begins at {next}"
            ),
            Self::TooManyRecords { limit } => {
                write!(f, "'{place}' has more than {limit} records")
            }
            Self::LongNames {
                row: Some(row),
                bytes_max,
            } => write!(
                f,
                "'{place}', row {row} (counted from 0): the names of archives up to it have more than {bytes_max} bytes together"
            ),
            Self::LongNames {
                row: None,
                bytes_max,
            } => write!(
                f,
                "'{place}': the names of archives have more than {bytes_max} bytes together, once for each request or record"
            ),
        }
    }
}

/// The reason why a line of a list at a URL is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsafeLineReason {
    /// The line is an absolute path.
    AbsolutePath,
    /// The path leads out of its folder.
    ParentFolder,
    /// The line is a URL of another server or protocol.
    OtherServer,
    /// The line is the path of a file in the working folder.
    LocalFile,
}

impl fmt::Display for UnsafeLineReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AbsolutePath => "is an absolute path",
            Self::ParentFolder => "leads out of its folder",
            Self::OtherServer => "leads to another server or protocol",
            Self::LocalFile => "leads to a file of this machine",
        })
    }
}

/// The reason why a file is not a table that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableDefect {
    /// The table has no column with any of these names.
    NoColumn {
        names: Vec<String>,
        /// The names of the first columns of the table.
        found: Vec<String>,
    },
    /// The columns of a text are separated by tabs.
    TabSeparated,
    /// A page of a Parquet file is too large.
    LargePage {
        /// The row group, from 0.
        row_group: usize,
        column: String,
        /// The size of the page in bytes.
        bytes: u64,
        /// The limit in bytes.
        bytes_max: u64,
    },
    /// Any other reason, as a message. The command line has no hint for it.
    Other(String),
}

impl TableDefect {
    /// Returns a defect with this message.
    pub(crate) fn other(message: &str) -> Self {
        Self::Other(message.to_owned())
    }

    /// Returns the defect of a CSV file that ends within quotes. They are opened at `line`, counted from 1.
    pub(crate) fn open_quote(line: u64) -> Self {
        Self::Other(format!(
            "the quote that opens at line {line} is not closed; nothing after it is read"
        ))
    }
}

impl fmt::Display for TableDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TabSeparated => f.write_str(
                "it looks tab-separated, and the columns of a text are separated by commas",
            ),
            Self::NoColumn { names, found } => write!(
                f,
                "it has no column '{}'; its columns are {}",
                names.join("' or '"),
                found.join(", ")
            ),
            Self::LargePage {
                row_group,
                column,
                bytes,
                bytes_max,
            } => write!(
                f,
                "row group {row_group}, column `{column}`: a page has {bytes} bytes, more than {bytes_max}"
            ),
            Self::Other(message) => f.write_str(message),
        }
    }
}

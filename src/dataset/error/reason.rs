//! Details of error kinds: why a registry, a dataset or a manifest is refused, and how a run
//! differs from the one that it is to resume.
//!
//! Texts of other parsers (CSV, Arrow) are kept as they are, in fields named
//! `message`.

use std::fmt;

/// The reason why a registry of crawlers is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegistryDefect {
    /// The file is not CSV.
    Csv {
        /// The message of the CSV parser.
        message: String,
    },
    NoTokenColumn,
    /// A field of a boolean column is neither true nor false.
    NotABoolean {
        /// The line number, from 1.
        line: u64,
        column: &'static str,
        value: String,
    },
    /// A field of the column `token` is not the name of a crawler.
    NotAName {
        /// The line number, from 1.
        line: u64,
        token: String,
    },
    /// Two lines have the same crawler.
    Duplicate {
        /// The second of the two lines, from 1.
        line: u64,
        agent: String,
    },
}

impl fmt::Display for RegistryDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Csv { message } => f.write_str(message),
            Self::NoTokenColumn => f.write_str("its first line has no column 'token'"),
            Self::NotABoolean {
                line,
                column,
                value,
            } => write!(
                f,
                "line {line}: {column} is '{value}', not 'true' or 'false'"
            ),
            Self::NotAName { line, token } => write!(f, "line {line}: '{token}' is not a name"),
            Self::Duplicate { line, agent } => {
                write!(f, "line {line}: '{agent}' is listed twice")
            }
        }
    }
}

/// The message about datasets and histories that this program does not read (docs/limits.md#formats).
const EARLIER_TRIAL: &str = "it was made by an earlier trial of robots-scan: scan again";

/// The reason why a path cannot be used as a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatasetDefect {
    NoTables,
    NoManifest {
        /// The file name of the manifest.
        name: &'static str,
    },
    /// This program does not write the format.
    EarlierTrial,
    /// The path is neither a folder nor a Parquet file.
    NotParquet,
    /// The path is neither a dataset nor an archive.
    NotSearchable,
    /// A table has no column of this name, or one of another type.
    NoColumn {
        name: String,
    },
    /// A part has no file of a table.
    NoPartFile {
        table: &'static str,
    },
    /// A capture has no row in a table that has one for every capture, or a row has a value that
    /// robots-scan does not write.
    Inconsistent {
        table: &'static str,
    },
    /// A table of a history contradicts itself, or other tables of the history.
    InconsistentHistory {
        table: &'static str,
    },
    /// The rows of a table of a history that is read into memory exceed the limit.
    LargeTable {
        table: &'static str,
        /// The limit of the bytes of its rows.
        bytes_max: usize,
    },
    /// The lines of one robots.txt file in a table exceed the limit.
    TooManyLines {
        table: &'static str,
        /// The limit of the bytes of these rows.
        bytes_max: usize,
    },
    /// A column has a null, although all rows that robots-scan writes have a value.
    NullValue {
        name: String,
    },
    /// The rows of a table are not in the order in which robots-scan writes them.
    NotInOrder {
        table: &'static str,
    },
    /// The dataset is a history, whose tables are other ones.
    IsHistory,
    /// Joining the datasets in the folder was not finished.
    NotJoined,
    /// The run that writes the dataset is not finished.
    Unfinished,
    NoFile {
        /// The path of the file in the dataset.
        name: String,
    },
    /// A file of the dataset has another size than when it was written.
    FileSize {
        /// The path of the file in the dataset.
        name: String,
        bytes: u64,
        /// The size when it was written, in bytes.
        written: u64,
    },
    /// The dataset was joined with others, and was changed after that.
    MemberChanged,
    /// A run is writing to the dataset.
    IsBeingWritten,
    /// Another process changed the dataset while it was read.
    Changed,
    /// The rules of one robots.txt exceed 2 GiB.
    TooManyRules,
}

impl fmt::Display for DatasetDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTables => f.write_str("it holds no tables of robots-scan"),
            Self::NoManifest { name } => write!(f, "it has no {name}"),
            Self::Unfinished => f.write_str("its run is not finished"),
            Self::NoFile { name } => write!(f, "its file '{name}' is missing"),
            Self::FileSize {
                name,
                bytes,
                written,
            } => write!(
                f,
                "its file '{name}' has {bytes} bytes, and had {written} when it was written"
            ),
            Self::EarlierTrial => f.write_str(EARLIER_TRIAL),
            Self::NotParquet => f.write_str("it is neither a folder nor a Parquet file"),
            Self::NotSearchable => {
                f.write_str("a host is looked up in a dataset or an archive, and this is neither")
            }
            Self::NoColumn { name } => {
                write!(f, "it has no column `{name}`, or one of another type")
            }
            Self::NoPartFile { table } => {
                write!(f, "this part has no file of the table `{table}`")
            }
            Self::Inconsistent { table } => {
                write!(f, "its table `{table}` does not fit `robots_files`")
            }
            Self::InconsistentHistory { table } => {
                write!(
                    f,
                    "its table `{table}` contradicts itself or another table of the history"
                )
            }
            Self::LargeTable { table, bytes_max } => {
                let mebibytes = bytes_max >> 20;
                write!(
                    f,
                    "its table `{table}` has more than {mebibytes} MiB of rows"
                )
            }
            Self::TooManyLines { table, bytes_max } => {
                let mebibytes = bytes_max >> 20;
                write!(
                    f,
                    "one robots.txt file has more than {mebibytes} MiB of rows in its table `{table}`"
                )
            }
            Self::NullValue { name } => {
                write!(
                    f,
                    "its column `{name}` has a null, although it is not nullable"
                )
            }
            Self::NotInOrder { table } => {
                write!(
                    f,
                    "the rows of its table `{table}` are in another order than written"
                )
            }
            Self::IsHistory => f.write_str("it is a history, which has other tables"),
            Self::NotJoined => f.write_str("joining its datasets was not finished"),
            Self::MemberChanged => f.write_str("it is not as it was when it was joined"),
            Self::IsBeingWritten => f.write_str("a run is still writing to it; wait until it ends"),
            Self::Changed => f.write_str("its captures changed while they were read"),
            Self::TooManyRules => f.write_str("a file of it has more than 2 GiB of rules"),
        }
    }
}

/// The properties by which an input is recognized when a run is resumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputIdentity {
    pub name: String,
    /// Its size; `None` if it is unknown.
    pub bytes: Option<u64>,
    /// The entity tag of an object on a server, or the time of its last change; `None` if both are
    /// unknown.
    pub version: Option<Box<str>>,
}

impl fmt::Display for InputIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.bytes, &self.version) {
            (Some(bytes), Some(version)) => {
                write!(f, "{} ({bytes} bytes, version {version})", self.name)
            }
            (Some(bytes), None) => write!(f, "{} ({bytes} bytes)", self.name),
            (None, _) => f.write_str(&self.name),
        }
    }
}

/// The first difference between a run and the one that it is to resume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResumeDifference {
    /// The dataset was made by another version.
    Version {
        /// The version that made the dataset.
        before: String,
        /// The version of this program.
        now: &'static str,
    },
    InputCount {
        /// The number of inputs in the manifest.
        before: usize,
        /// The number of inputs of this run.
        now: usize,
    },
    /// An input has another name or size.
    Input {
        /// The input in the manifest.
        before: InputIdentity,
        /// The input of this run at the same place.
        now: InputIdentity,
    },
    /// An option has another value.
    Setting {
        /// The option, as the manifest names it.
        name: String,
        /// Its value in the manifest, as JSON.
        before: String,
        /// Its value in this run, as JSON.
        now: String,
    },
}

impl fmt::Display for ResumeDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version { before, now } => {
                write!(f, "it is of version {before}, this is {now}")
            }
            Self::InputCount { before, now } => {
                write!(f, "it had {before} inputs, now there are {now}")
            }
            Self::Input { before, now } => write!(f, "an input was {before} and is {now}"),
            Self::Setting { name, before, now } => write!(f, "{name} was {before} and is {now}"),
        }
    }
}

/// A defect of a manifest, which no run writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ManifestDefect {
    /// The last line has no line break.
    CutLine {
        /// The length of that line.
        bytes: usize,
    },
    /// This program does not write the format.
    EarlierTrial,
    /// A line, or a field of one, has another content than a run writes.
    Invalid {
        /// The line and the difference.
        message: String,
    },
}

impl fmt::Display for ManifestDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CutLine { bytes } => write!(f, "its last line, of {bytes} bytes, has no end"),
            Self::EarlierTrial => f.write_str(EARLIER_TRIAL),
            Self::Invalid { message } => f.write_str(message),
        }
    }
}

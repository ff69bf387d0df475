//! Details of error kinds: why a dataset or a manifest is refused. Those that have a hint, or that a caller looks for,
//! are variants; the others are texts.

use super::DatasetErrorKind;
use crate::file_names::MANIFEST_FILE;
use disk::error::Error;
use std::fmt;
use std::path::Path;

/// The message about manifests that this program does not read (docs/limits.md#formats).
const EARLIER_TRIAL: &str = "it was made by an earlier trial of robots-scan: scan again";

/// The reason why a path cannot be used as a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatasetDefect {
    /// It is not a dataset, but a folder of this kind, which has other tables.
    OfKind(String),
    /// Joining the datasets in the folder was not finished.
    NotJoined,
    /// The run that writes the dataset is not finished.
    Unfinished,
    /// The dataset was joined with others, and was changed after that.
    MemberChanged,
    /// A part has no file of a table.
    NoPartFile {
        /// The table.
        table: &'static str,
    },
    /// A file of the dataset is missing, or has another size than when it was written.
    BadFile {
        /// The defect.
        message: String,
    },
    /// The rows of a table contradict themselves or those of other tables, or exceed a limit.
    BadTable {
        /// The table.
        table: &'static str,
        /// The defect.
        message: String,
    },
    /// Another reason, which has no hint.
    Other(String),
}

impl DatasetDefect {
    /// Returns the error of the dataset, or of a file of it, at a path.
    pub fn error(self, path: &Path) -> Error {
        Error::new(DatasetErrorKind::NotADataset(self), path)
    }

    /// Makes a defect that has no hint.
    pub fn other(message: &str) -> Self {
        Self::Other(message.to_owned())
    }

    /// This program does not write the format of the dataset.
    pub fn earlier_trial() -> Self {
        Self::other(EARLIER_TRIAL)
    }

    /// The folder has no manifest.
    pub fn no_manifest() -> Self {
        Self::Other(format!("it has no {MANIFEST_FILE}"))
    }

    /// A run holds the lock.
    pub fn is_being_written() -> Self {
        Self::other("a run is still writing to it; wait until it ends")
    }

    /// The rules of one robots.txt exceed what a matcher holds.
    pub fn too_many_rules() -> Self {
        Self::other("a file of it has more than 2 GiB of rules")
    }

    /// A file, named by its path in the dataset, is missing.
    pub fn missing_file(name: &str) -> Self {
        let message = format!("its file '{name}' is missing");
        Self::BadFile { message }
    }

    /// A file has this size instead of the one that was written; `None` if it is missing.
    pub fn bad_file(name: &str, bytes: Option<u64>, written: u64) -> Self {
        let Some(bytes) = bytes else {
            return Self::missing_file(name);
        };
        let message =
            format!("its file '{name}' has {bytes} bytes, and had {written} when it was written");
        Self::BadFile { message }
    }

    /// A capture has no row in a table that has one for every capture, or a row has a value that
    /// robots-scan does not write.
    pub fn inconsistent(table: &'static str) -> Self {
        let message = format!("its table `{table}` does not fit `robots_files`");
        Self::BadTable { table, message }
    }

    /// The rows of a table are not in the order in which robots-scan writes them.
    pub fn not_in_order(table: &'static str) -> Self {
        let message = format!("the rows of its table `{table}` are in another order than written");
        Self::BadTable { table, message }
    }

    /// The lines of one robots.txt file in a table exceed the limit of the bytes of these rows.
    pub fn too_many_lines(table: &'static str, bytes_max: usize) -> Self {
        let mebibytes = bytes_max >> 20;
        let message = format!(
            "one robots.txt file has more than {mebibytes} MiB of rows in its table `{table}`"
        );
        Self::BadTable { table, message }
    }
}

impl fmt::Display for DatasetDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OfKind(kind) => write!(f, "it is a {kind}, which has other tables"),
            Self::NotJoined => f.write_str("joining its datasets was not finished"),
            Self::Unfinished => f.write_str("its run is not finished"),
            Self::MemberChanged => f.write_str("it is not as it was when it was joined"),
            Self::NoPartFile { table } => {
                write!(f, "this part has no file of the table `{table}`")
            }
            Self::BadFile { message } | Self::BadTable { message, .. } | Self::Other(message) => {
                f.write_str(message)
            }
        }
    }
}

/// The properties by which an input is recognized when a run is resumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputIdentity {
    /// Its name.
    pub name: String,
    /// Its size; `None` if it is unknown.
    pub bytes: Option<u64>,
    /// The entity tag of an object on a server, or the time of its last change; `None` if both are
    /// unknown.
    pub version: Option<Box<str>>,
}

impl InputIdentity {
    /// Describes a change of an input, which had this identity and now has another one.
    pub fn difference_from(&self, now: &Self) -> String {
        format!("an input was {self} and is {now}")
    }
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

/// A defect of a manifest, which no run writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ManifestDefect {
    /// The last line has no line break.
    CutLine {
        /// The length of that line.
        bytes: usize,
    },
    /// A line, or a field of one, has another content than a run writes: the line and the difference.
    Invalid(String),
}

impl ManifestDefect {
    /// This program does not write the format.
    pub fn earlier_trial() -> Self {
        Self::Invalid(EARLIER_TRIAL.to_owned())
    }
}

impl fmt::Display for ManifestDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CutLine { bytes } => write!(f, "its last line, of {bytes} bytes, has no end"),
            Self::Invalid(message) => f.write_str(message),
        }
    }
}

//! Details of error kinds: why a dataset or a manifest is refused.

use super::DatasetErrorKind;
use crate::file_names::MANIFEST_FILE;
use errors::{Error, Place};
use std::fmt;
use std::path::Path;

/// The message about a manifest of another format than the present one, which is not read (docs/limits.md#formats).
const OTHER_FORMAT: &str = "this version does not read its format: use the version that wrote it, or make it again from \
                            its archives";

errors::reasons! {
    /// The reason why a path cannot be used as a dataset. Defects with a hint, or which a caller distinguishes, are
    /// variants. The others are texts.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum DatasetDefect at place {
        /// The folder is not a dataset, but of another kind, such as `history`, and has other tables.
        OfKind(kind: String) => "it is a {kind}, which has other tables";
            -> "query it in DuckDB with its views.sql, or give the dataset of a crawl";
        /// Joining the datasets in the folder was not finished.
        NotJoined => "joining its datasets was not finished";
            -> "finish it: robots-scan join {}", place.quoted();
        /// The run that writes the dataset is not finished.
        Unfinished => "its run is not finished";
            -> "finish it first: run its scan again with --resume";
        /// The dataset was joined with others, and was changed after that.
        MemberChanged => "it is not as it was when it was joined";
            -> "join again: robots-scan join {}", Place(place.parent().unwrap_or(&place)).quoted();
        /// A part has no file of a table.
        NoPartFile { table: &'static str } => "this part has no file of the table `{table}`";
            -> "finish the scan that wrote it with --resume, or scan again with --overwrite";
        /// A file of the dataset is missing, or has another size than when it was written.
        BadFile {
            /// The defect.
            message: String,
        } => "{message}";
            -> "see: robots-scan verify {}", place.quoted();
        /// The rows of a table contradict themselves or those of other tables, or exceed a limit.
        BadTable {
            table: &'static str,
            /// The defect.
            message: String,
        } => "{message}";
        /// Another reason, which has no hint.
        Other(message: String) => "{message}";
    }
}

impl DatasetDefect {
    /// Returns an error with this defect about the dataset, or the file of a dataset, at a path.
    pub fn error(self, path: &Path) -> Error {
        Error::new(DatasetErrorKind::NotADataset(self), path)
    }

    /// Returns a defect with this message, for which there is no hint.
    pub fn other(message: &str) -> Self {
        Self::Other(message.to_owned())
    }

    /// Returns the defect of a dataset in another format than the present one.
    pub fn other_format() -> Self {
        Self::other(OTHER_FORMAT)
    }

    /// Returns the defect of a folder that has no manifest.
    pub fn no_manifest() -> Self {
        Self::Other(format!("it has no {MANIFEST_FILE}"))
    }

    /// Returns the defect of a dataset whose lock is held by a run.
    pub fn is_being_written() -> Self {
        Self::other("a run is still writing to it; wait until it ends")
    }

    /// Returns the defect that one robots.txt has more rules than a matcher can hold.
    pub fn too_many_rules() -> Self {
        Self::other("a file of it has more than 2 GiB of rules")
    }

    /// Returns the defect that a file is missing. `name` is its path in the dataset.
    pub fn missing_file(name: &str) -> Self {
        let message = format!("its file '{name}' is missing");
        Self::BadFile { message }
    }

    /// Returns the defect of a file that had `written` bytes when it was written and now has `bytes`; `None` if it
    /// is missing.
    pub fn bad_file(name: &str, bytes: Option<u64>, written: u64) -> Self {
        let Some(bytes) = bytes else {
            return Self::missing_file(name);
        };
        let message =
            format!("its file '{name}' has {bytes} bytes, and had {written} when it was written");
        Self::BadFile { message }
    }

    /// Returns the defect of a table that lacks the row of a capture although it should have a row for every
    /// capture, or that has a value that robots-scan does not write.
    pub fn inconsistent(table: &'static str) -> Self {
        let message = format!("its table `{table}` does not fit `robots_files`");
        Self::BadTable { table, message }
    }

    /// Returns the defect of a table whose rows are not in the order in which robots-scan writes them.
    pub fn not_in_order(table: &'static str) -> Self {
        let message = format!("the rows of its table `{table}` are in another order than written");
        Self::BadTable { table, message }
    }

    /// Returns the defect of a table in which the rows of one robots.txt file have more than `bytes_max` bytes.
    pub fn lines_too_large(table: &'static str, bytes_max: usize) -> Self {
        let mebibytes = bytes_max >> 20;
        let message = format!(
            "one robots.txt file has more than {mebibytes} MiB of rows in its table `{table}`"
        );
        Self::BadTable { table, message }
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

impl InputIdentity {
    /// Returns the message that an input had this identity in the former run and now has the identity `now`.
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

errors::reasons! {
    /// The reason why a manifest is refused.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum ManifestDefect at place {
        /// The last line has no line break.
        CutLine {
            /// The length of that line.
            bytes: usize,
        } => "its last line, of {bytes} bytes, has no end";
        /// The manifest has a content that no run writes. The message has the place and the defect.
        Invalid(message: String) => "{message}";
    }
}

impl ManifestDefect {
    /// Returns the defect of a manifest in another format than the present one.
    pub fn other_format() -> Self {
        Self::Invalid(OTHER_FORMAT.to_owned())
    }
}

//! The error type of all packages: a kind, a path and a cause.
//!
//! Each package declares the enum of its own kinds with [`kinds!`], and implements [`Kind`] for it. A kind has what a
//! caller needs to react to the error, its message, and advice that only the command line prints. Messages do not mention
//! options of the command line; hints may.

mod kinds;

pub use kinds::Place;

use std::any::Any;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An error that stops a run, or that makes one input fail. It has a kind, the path that
/// it is about, and an optional cause.
#[derive(Debug)]
pub struct Error(Box<ErrorInner>);

#[derive(Debug)]
struct ErrorInner {
    kind: Box<dyn Kind>,
    path: PathBuf,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The texts of an error, which [`kinds!`] writes.
pub trait Message {
    /// Writes the message about a path, without its cause and without advice. Control characters in
    /// the path are not escaped.
    fn write_message(&self, place: Place<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Returns advice for the user of the command line, if there is any. It may name options.
    fn hint(&self, place: Place<'_>) -> Option<String>;
}

/// A kind of errors. Each package implements this trait for one enum, which has all of its kinds.
pub trait Kind: Message + Any + fmt::Debug + Send + Sync {
    /// Returns true if an error of this kind stops a run before it begins, so that nothing is written.
    fn is_before_start(&self) -> bool {
        true
    }

    /// Returns true if an error of this kind means that the user interrupted the run.
    fn is_interruption(&self) -> bool {
        false
    }
}

kinds! {
    /// The kinds of errors with files on disk, and of interruptions.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum ErrorKind at place {
        /// A file or folder cannot be read.
        Read => "cannot read '{place}'";
        /// A file or folder cannot be written.
        Write => "cannot write '{place}'";
        /// The output cannot be created.
        Create => "cannot create '{place}'";
        /// The output exists and was not made by robots-scan.
        ForeignFile => "'{place}' was not written by robots-scan and is left unchanged";
            -> "choose another -o";
        /// Another run is writing to the output.
        Busy => "another run is writing to '{place}'";
            -> "wait until it ends, or choose another -o";
        /// The limit of open files is lower than a run needs.
        TooFewOpenFiles {
            /// The limit of open files that applies to this process.
            limit: usize,
            /// The lowest limit that is sufficient.
            needed: usize,
        } => "too few open files are allowed: the limit is {limit}, and at least {needed} are needed";
            -> "raise it: ulimit -n {needed}";
        /// This number of threads cannot be started.
        Threads(threads: usize) => "cannot start {threads} threads";
            -> "give fewer with --threads";
        /// A folder has more entries, or deeper subfolders, than the limits.
        FolderTooLarge {
            /// The limit of files and folders in total.
            entries: u64,
            /// The limit of the depth of folders. The searched folder has depth 0.
            depth: usize,
        } => "'{place}' has more than {entries} files and folders, or more than {depth} nested folders";
            -> "give smaller folders, or list the archives in a file for --paths";
        /// The run was interrupted. Its finished parts are kept.
        Interrupted => "interrupted; finished parts of '{place}' are kept";
            -> "run the same command with --resume to continue";
        /// The run was interrupted and left no output.
        Abandoned => "interrupted; '{place}' was not written";
    }
}

impl Kind for ErrorKind {
    fn is_before_start(&self) -> bool {
        !matches!(
            self,
            Self::Read | Self::Write | Self::Interrupted | Self::Abandoned
        )
    }

    fn is_interruption(&self) -> bool {
        matches!(self, Self::Interrupted | Self::Abandoned)
    }
}

impl Error {
    /// Returns an error about a path.
    pub fn new(kind: impl Kind, path: impl AsRef<Path>) -> Self {
        Self(Box::new(ErrorInner {
            kind: Box::new(kind),
            path: path.as_ref().to_owned(),
            source: None,
        }))
    }

    /// Returns an error about a path with its cause.
    pub fn with_source(
        kind: impl Kind,
        path: impl AsRef<Path>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self(Box::new(ErrorInner {
            kind: Box::new(kind),
            path: path.as_ref().to_owned(),
            source: Some(source.into()),
        }))
    }

    /// Returns the error for a file or folder that cannot be read.
    pub fn read(path: impl AsRef<Path>, source: io::Error) -> Self {
        Self::with_source(ErrorKind::Read, path, source)
    }

    /// Returns the error for a file or folder that cannot be written.
    pub fn write(
        path: impl AsRef<Path>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::with_source(ErrorKind::Write, path, source)
    }

    /// Returns the error with another path.
    pub fn with_path(mut self, path: impl AsRef<Path>) -> Self {
        self.0.path = path.as_ref().to_owned();
        self
    }

    /// Returns the kind of the error if it is a value of `K`, the enum of one package.
    pub fn kind<K: Kind>(&self) -> Option<&K> {
        let kind: &dyn Any = &*self.0.kind;
        kind.downcast_ref()
    }

    /// Returns the name of the kind: the name of its variant in snake case, without its fields.
    pub fn kind_name(&self) -> String {
        let text = format!("{:?}", self.0.kind);
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

    /// Returns the path that the error is about.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns advice for the user of the command line, if there is any.
    pub fn hint(&self) -> Option<String> {
        self.0.kind.hint(Place(&self.0.path))
    }

    /// Returns true if the user interrupted the run.
    pub fn is_interruption(&self) -> bool {
        self.0.kind.is_interruption()
    }

    /// Returns true if the run had not begun, so that nothing was written.
    pub fn is_before_start(&self) -> bool {
        self.0.kind.is_before_start()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.kind.write_message(Place(&self.0.path), f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let source = self.0.source.as_deref()?;
        Some(source)
    }
}

/// Returns the text of an error and its causes on one line.
pub fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&normalize_cause(&error.to_string()));
        cause = error.source();
    }
    text
}

/// Returns the text of a cause in lower case and without the number that the standard
/// library appends: `Permission denied (os error 13)`.
fn normalize_cause(cause: &str) -> String {
    let mut text = cause;
    if let Some((before, number)) = cause.rsplit_once(" (os error ")
        && number.ends_with(')')
    {
        text = before;
    }
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(first), Some(second)) if first.is_ascii_uppercase() && second.is_lowercase() => {
            format!("{}{}", first.to_ascii_lowercase(), &text[1..])
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_follow_in_lower_case_without_numbers() {
        let error = Error::read("a.warc", io::Error::from_raw_os_error(13));
        assert_eq!(
            with_causes(&error),
            "cannot read 'a.warc': permission denied"
        );
        assert_eq!(
            normalize_cause("EOF: file size of 3"),
            "EOF: file size of 3"
        );
    }
}

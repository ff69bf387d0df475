//! The error type of all packages: a kind, a path and a cause.
//!
//! Each package has an enum of its own kinds, which implements [`Kind`]. A kind has what a caller needs
//! to react to the error, and its message. Messages do not mention options of the command line. The
//! command line adds its own advice for each kind.

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

/// A kind of errors. Each package implements this trait for one enum, which has all of its kinds.
pub trait Kind: Any + fmt::Debug + Send + Sync {
    /// Writes the message about a path, without its cause and without advice. Control characters in
    /// the path are not escaped.
    fn write_message(&self, path: &Path, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Returns true if an error of this kind stops a run before it begins, so that nothing is written.
    fn is_before_start(&self) -> bool {
        true
    }

    /// Returns true if an error of this kind means that the user interrupted the run.
    fn is_interruption(&self) -> bool {
        false
    }
}

/// The kinds of errors with files on disk, and of interruptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A file or folder cannot be read.
    Read,
    /// A file or folder cannot be written.
    Write,
    /// The output cannot be created.
    Create,
    /// The output exists and was not made by robots-scan.
    ForeignFile,
    /// Another run is writing to the output.
    Busy,
    /// The limit of open files is lower than a run needs.
    TooFewOpenFiles {
        /// The limit of open files that applies to this process.
        limit: usize,
        /// The lowest limit that is sufficient.
        needed: usize,
    },
    /// This number of threads cannot be started.
    Threads(usize),
    /// A folder has more entries, or deeper subfolders, than the limits.
    FolderTooLarge {
        /// The limit of files and folders in total.
        entries: u64,
        /// The limit of the depth of folders. The searched folder has depth 0.
        depth: usize,
    },
    /// The run was interrupted. Its finished parts are kept.
    Interrupted,
    /// The run was interrupted and left no output.
    Abandoned,
}

impl Kind for ErrorKind {
    fn write_message(&self, path: &Path, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = path.display();
        match self {
            Self::FolderTooLarge { entries, depth } => write!(
                f,
                "'{place}' has more than {entries} files and folders, or more than {depth} nested folders"
            ),
            Self::ForeignFile => {
                write!(
                    f,
                    "'{place}' was not written by robots-scan and is left unchanged"
                )
            }
            Self::Busy => write!(f, "another run is writing to '{place}'"),
            Self::Read => write!(f, "cannot read '{place}'"),
            Self::Write => write!(f, "cannot write '{place}'"),
            Self::Create => write!(f, "cannot create '{place}'"),
            Self::TooFewOpenFiles { limit, needed } => write!(
                f,
                "too few open files are allowed: the limit is {limit}, and at least {needed} are needed"
            ),
            Self::Threads(threads) => write!(f, "cannot start {threads} threads"),
            Self::Abandoned => write!(f, "interrupted; '{place}' was not written"),
            Self::Interrupted => {
                write!(f, "interrupted; finished parts of '{place}' are kept")
            }
        }
    }

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
        self.0.kind.write_message(&self.0.path, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let source = self.0.source.as_deref()?;
        Some(source)
    }
}

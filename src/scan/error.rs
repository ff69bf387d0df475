//! Why a run cannot start, or cannot go on.

use std::path::{Path, PathBuf};
use std::{fmt, io};

/// An error that stops a run or loses an input: a kind and a place.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    place: PathBuf,
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
    SameName,
    /// An input is no archive that can be read; why, in words.
    NotAnArchive(String),
    /// The registry of crawlers is not as it should be; why, in words.
    Agents(String),
    /// The output cannot be made.
    CannotMake,
    /// The output exists.
    OutputExists,
    /// The output was not made by this program.
    NotOurs,
    /// There is nothing to resume.
    NothingToResume,
    /// The output was made with other inputs or options; the difference.
    ResumeDiffers(String),
    /// Another run writes to the output.
    Busy,
    /// An option has a value that cannot be; why, in words.
    Option(String),
    /// A dataset is none, or lacks what is asked of it; why, in words.
    NotADataset(String),
    /// A file where one robots.txt is wanted holds many; why, in words.
    Many(String),
    /// No capture speaks for a host, which is named.
    NoCapture(String),
    /// A list of URLs is none; why, in words.
    Urls(String),
    /// The output, one file, exists.
    FileExists,
    /// The run was interrupted.
    Interrupted,
    /// The run was interrupted, and leaves nothing.
    Abandoned,
}

impl Error {
    /// An error at a place.
    pub fn new(kind: ErrorKind, place: impl AsRef<Path>) -> Self {
        Self(Box::new(Inner {
            kind,
            place: place.as_ref().to_owned(),
            source: None,
        }))
    }

    /// An error with its cause.
    pub fn with_source(
        kind: ErrorKind,
        place: impl AsRef<Path>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self(Box::new(Inner {
            kind,
            place: place.as_ref().to_owned(),
            source: Some(source.into()),
        }))
    }

    /// Reading failed.
    pub fn read(place: impl AsRef<Path>, source: io::Error) -> Self {
        Self::with_source(ErrorKind::Read, place, source)
    }

    /// Writing failed.
    pub fn write(
        place: impl AsRef<Path>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::with_source(ErrorKind::Write, place, source)
    }

    /// What is wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Where: a path, or the option's name.
    pub fn place(&self) -> &Path {
        &self.0.place
    }

    /// Whether the run had not begun: nothing was written.
    pub fn is_before_start(&self) -> bool {
        !matches!(
            self.0.kind,
            ErrorKind::Read | ErrorKind::Write | ErrorKind::Interrupted | ErrorKind::Abandoned
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.0.place.display();
        match &self.0.kind {
            ErrorKind::Read => write!(f, "cannot read {place}"),
            ErrorKind::Write => write!(f, "cannot write {place}"),
            ErrorKind::CannotMake => write!(f, "cannot make {place}"),
            ErrorKind::UrlInput => write!(
                f,
                "{place} is a URL, and URLs cannot be read yet: download the archive, or pipe it in as `curl … | robots-scan - -o OUT`"
            ),
            ErrorKind::NoInput => write!(
                f,
                "{place} names no archive: give files, folders, globs, `-`, or --paths LIST"
            ),
            ErrorKind::SameName => write!(
                f,
                "{place} is the name of two inputs, and names tell captures apart: leave one out, or put them under crawl-data/… folders or in a --paths list"
            ),
            ErrorKind::NotAnArchive(why) | ErrorKind::Many(why) => write!(f, "{place}: {why}"),
            ErrorKind::Agents(why) => write!(f, "{place} is no registry of crawlers: {why}"),
            ErrorKind::OutputExists => {
                write!(
                    f,
                    "{place} exists: continue it with --resume, replace it with --overwrite, or choose another -o"
                )
            }
            ErrorKind::NotOurs => {
                write!(
                    f,
                    "{place} was not made by robots-scan and is left alone: choose another -o"
                )
            }
            ErrorKind::NothingToResume => {
                write!(f, "{place} holds no run to resume: leave out --resume")
            }
            ErrorKind::ResumeDiffers(difference) => write!(
                f,
                "{place} was begun differently and cannot be resumed: {difference}; run as before, or choose another -o"
            ),
            ErrorKind::Busy => write!(
                f,
                "another run is writing to {place}: wait for it, or choose another -o"
            ),
            ErrorKind::Option(why) => write!(f, "{place}: {why}"),
            ErrorKind::NotADataset(why) => write!(f, "{place} is no dataset that will do: {why}"),
            ErrorKind::NoCapture(host) => {
                write!(f, "{place} has no capture of a robots.txt of {host}")
            }
            ErrorKind::Urls(why) => write!(f, "{place} is no list of URLs: {why}"),
            ErrorKind::FileExists => write!(
                f,
                "{place} exists: replace it with --overwrite, or choose another -o"
            ),
            ErrorKind::Abandoned => write!(f, "interrupted; {place} was not written"),
            ErrorKind::Interrupted => write!(
                f,
                "interrupted; finished parts of {place} are kept, --resume continues"
            ),
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

//! The archive of a capture, and the reason why its record was not read.

use super::archive_problem::ArchiveProblem;
use remote::RemoteUrl;
use std::path::PathBuf;

/// The file of an archive, or the object on a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArchivePlace {
    File(PathBuf),
    /// An object on a server.
    Url(RemoteUrl),
}

/// The result of finding the archive of a capture and reading the record of the capture from it.
#[derive(Debug)]
pub struct ArchiveLookup {
    /// The place of the archive; `None` if it was not found.
    pub place: Option<ArchivePlace>,
    /// True if the name of the archive is that of zstd.
    pub is_zstd: bool,
    /// The reason why the text was not read from the archive; `None` if it was read, or if the capture has
    /// no text.
    pub problem: Option<ArchiveProblem>,
}

//! The archive of a capture, and the reason why its record was not read.

use super::archive_problem::ArchiveProblem;
use super::record_body::RecordCompression;
use remote::RemoteUrl;
use std::path::PathBuf;

/// The file, or the object on a server, that is an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArchivePlace {
    /// A file, by its path.
    File(PathBuf),
    /// An object on a server.
    Url(RemoteUrl),
}

/// The result of looking for the archive of a capture, and reading the record there.
#[derive(Debug)]
pub struct ArchiveLookup {
    /// The place of the archive; `None` if it was not found.
    pub place: Option<ArchivePlace>,
    /// The compression of the record; if the record was not read, the one that the name of the archive suggests.
    pub compression: RecordCompression,
    /// The reason why the text does not come from the archive; `None` if it does.
    pub problem: Option<ArchiveProblem>,
}

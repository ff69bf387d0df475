//! Finds the archive of a capture, and reads the record of the capture from it.
//!
//! If the length of the member with the record is known, only the member is read. A zstd frame may need
//! the dictionary at the start of its archive, so a zstd archive is always opened as a whole.

use super::archive_base::{ArchiveBase, join_name};
use super::archive_problem::ArchiveProblem;
use super::host::HostRequest;
use super::record_body::{MemberSource, read_record};
use super::report::{CaptureDetails, RecordDetails};
use errors::{Error, ErrorKind};
use remote::error::RemoteErrorKind;
use remote::{MAX_OBJECT_IN_MEMORY_BYTES, RemoteUrl, has_scheme};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tables::body_table_of;
use warc::ArchiveFile;

/// The file of an archive, or the object on a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArchivePlace {
    File(PathBuf),
    /// An object on a server.
    Url(RemoteUrl),
}

impl fmt::Display for ArchivePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Url(url) => url.fmt(f),
        }
    }
}

/// The body of a capture and the place of its archive.
pub(super) struct ArchivedBody {
    /// The place of the archive; `None` if it was not found.
    pub(super) place: Option<ArchivePlace>,
    /// The body of the capture, or the reason why it was not read; `None` for a capture without a body.
    pub(super) body: Option<Result<Vec<u8>, ArchiveProblem>>,
}

/// Reads the body of a capture from its archive. For a capture without a body, the archive is found
/// but not read.
///
/// # Errors
///
/// [`ErrorKind::Abandoned`] once `stop` is set, and [`RemoteErrorKind::NoRemote`] if the archive is at a
/// URL and the request has no client. All other errors are returned as an [`ArchiveProblem`].
pub(super) fn read_body(
    request: &HostRequest<'_>,
    capture: &CaptureDetails,
    stop: &Arc<AtomicBool>,
) -> Result<ArchivedBody, Error> {
    let record = &capture.record;
    let (place, body) = match find_archive(request.base, &record.warc_filename) {
        Err(problem) => (None, Some(Err(problem))),
        Ok(place) if capture.body.is_none() => (Some(place), None),
        Ok(place) => {
            let (path, member) = match &place {
                ArchivePlace::File(path) => (path.as_path(), open_member(path, record)),
                ArchivePlace::Url(url) => {
                    (url.display_path(), fetch_member(request, url, record, stop))
                }
            };
            let body = match member {
                Ok(member) => read_record(&member, path, capture, stop),
                Err(error) if is_fatal_error(&error) => return Err(error),
                Err(error) => Err(ArchiveProblem::Unreadable(error)),
            };
            if stop.load(Ordering::Relaxed) {
                return Err(Error::new(ErrorKind::Abandoned, path));
            }
            (Some(place), Some(body))
        }
    };
    Ok(ArchivedBody { place, body })
}

/// Returns true if an error ends the command. After any other error, the text is read from the dataset.
fn is_fatal_error(error: &Error) -> bool {
    error.kind() == Some(&ErrorKind::Abandoned) || error.kind() == Some(&RemoteErrorKind::NoRemote)
}

/// Finds the archive `name` below `base`. In a folder, the name is tried with and without its own folders.
/// If `base` is a file, it is the archive.
fn find_archive(base: Option<&ArchiveBase>, name: &str) -> Result<ArchivePlace, ArchiveProblem> {
    if body_table_of(name).is_some() {
        return Err(ArchiveProblem::BodyTable);
    }
    let tried = match base {
        Some(ArchiveBase::Url(base)) => {
            let is_below = !has_scheme(name) && !name.split(['/', '\\']).any(|part| part == "..");
            let url = base.archive_url(name).ok().flatten().filter(|_| is_below);
            return url.map(ArchivePlace::Url).ok_or(ArchiveProblem::BadName);
        }
        Some(ArchiveBase::Path(path)) if path.is_file() => vec![path.clone()],
        Some(ArchiveBase::Path(folder)) => {
            let folder = folder.to_string_lossy();
            let base_name = Path::new(name).file_name().unwrap_or_default();
            let mut paths = vec![join_name(&folder, name)];
            let path_without_folders = join_name(&folder, &base_name.to_string_lossy());
            if !paths.contains(&path_without_folders) {
                paths.push(path_without_folders);
            }
            paths.into_iter().map(PathBuf::from).collect()
        }
        None => vec![PathBuf::from(name)],
    };
    // Only regular files count, so that no pipe or device is opened.
    match tried.iter().find(|path| path.is_file()) {
        Some(path) => Ok(ArchivePlace::File(path.clone())),
        None => Err(ArchiveProblem::NotFound { tried }),
    }
}

/// Returns the byte range of the member with a record; `None` if the archive has to be opened as a whole.
fn member_range(record: &RecordDetails) -> Option<std::ops::Range<u64>> {
    let length = record.warc_record_length;
    let length = length.filter(|_| !is_zstd_name(&record.warc_filename))?;
    let end = record.warc_record_offset.checked_add(length)?;
    Some(record.warc_record_offset..end)
}

/// Reads the bytes of a member into memory, or opens its archive as a whole.
fn open_member(path: &Path, record: &RecordDetails) -> Result<MemberSource, Error> {
    let read_error = |error| Error::read(path, error);
    let file = ArchiveFile::open(path).map_err(read_error)?;
    let Some(range) = member_range(record) else {
        return Ok(MemberSource {
            file,
            offset: record.warc_record_offset,
        });
    };
    let end = range.end.min(file.length());
    let length = end.saturating_sub(range.start);
    if length > MAX_OBJECT_IN_MEMORY_BYTES {
        let why = format!("its record has {length} bytes, more than {MAX_OBJECT_IN_MEMORY_BYTES}");
        return Err(read_error(io::Error::other(why)));
    }
    let mut bytes = vec![0; length as usize];
    let mut count = 0;
    while count < bytes.len() {
        let offset = range.start + count as u64;
        match file.read_at(offset, &mut bytes[count..]) {
            Ok(0) => bytes.truncate(count),
            Ok(more) => count += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(read_error(error)),
        }
    }
    Ok(MemberSource {
        file: ArchiveFile::from_bytes(bytes),
        offset: 0,
    })
}

/// Fetches the bytes of a member, or its whole archive.
fn fetch_member(
    request: &HostRequest<'_>,
    url: &RemoteUrl,
    record: &RecordDetails,
    stop: &Arc<AtomicBool>,
) -> Result<MemberSource, Error> {
    let no_client_error = || Error::new(RemoteErrorKind::NoRemote, url.display_path());
    let remote = request.remote.ok_or_else(no_client_error)?;
    let range = member_range(record);
    let offset = range.as_ref().map_or(record.warc_record_offset, |_| 0);
    let file = remote.fetch(url, range, MAX_OBJECT_IN_MEMORY_BYTES, stop)?;
    Ok(MemberSource { file, offset })
}

/// Returns true if an archive has the extension of zstd. It may have a dictionary at its start.
pub(super) fn is_zstd_name(name: &str) -> bool {
    let name = name.strip_suffix(".open").unwrap_or(name);
    name.ends_with(".zst")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn names_follow_a_base_and_do_not_leave_that_of_a_server() {
        let base = ArchiveBase::parse("https://u:secret@h/d/").unwrap();
        assert!(!format!("{base:?}").contains("secret"));
        let url = |name: &str| match find_archive(Some(&base), name) {
            Ok(ArchivePlace::Url(url)) => Some(url.to_string()),
            _ => None,
        };
        assert_eq!(
            url("a/b.warc.gz").as_deref(),
            Some("https://h/d/a/b.warc.gz")
        );
        assert_eq!(url("/b.warc.gz").as_deref(), Some("https://h/d/b.warc.gz"));
        for name in ["../b", "a/..", "https://other/b", ""] {
            assert_eq!(url(name), None, "{name}");
        }
        for text in ["ftp://h/d", "https://", "s3://"] {
            assert!(ArchiveBase::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_folder_has_archives_by_their_paths_and_by_their_base_names() {
        let folder = tempfile::tempdir().unwrap();
        let base = ArchiveBase::Path(folder.path().to_owned());
        let name = "crawl-data/C/a.warc.gz";
        let tried = match find_archive(Some(&base), name) {
            Err(ArchiveProblem::NotFound { tried }) => tried,
            other => panic!("{other:?}"),
        };
        assert_eq!(tried.len(), 2);
        for path in tried.iter().rev() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
            let found = find_archive(Some(&base), name).unwrap();
            assert_eq!(found, ArchivePlace::File(path.clone()));
            let only = ArchiveBase::Path(path.clone());
            let found = find_archive(Some(&only), "other").unwrap();
            assert_eq!(found, ArchivePlace::File(path.clone()));
        }
    }
}

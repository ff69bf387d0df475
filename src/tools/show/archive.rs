//! Finds the archive of a capture, and reads its record there.
//!
//! Of an archive, only the bytes of the member are read if their number is known. A zstd frame may
//! need the dictionary at the start of its archive, so such an archive is opened as a whole.

use super::ShowRequest;
use super::problem::ArchiveProblem;
use super::record::{MemberBytes, ReadRecord, RecordCompression, read_record};
use crate::check::CaptureDetails;
use disk::error::{Error, ErrorKind};
use remote::error::RemoteErrorKind;
use remote::{MAX_OBJECT_IN_MEMORY_BYTES, NotARemoteUrl, RemoteUrl, has_scheme, without_secrets};
use robots_scan::error::ScanErrorKind;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use warc::{ArchiveFile, RecordLocation};

/// The place of the archives of a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArchiveBase {
    /// A folder that precedes the names of archives, or one archive.
    Path(PathBuf),
    /// A URL that precedes the names of archives.
    Url(BaseUrl),
}

/// A URL that precedes the names of archives. It may contain user information, which is only sent to
/// the server.
#[derive(Clone, PartialEq, Eq)]
pub struct BaseUrl(String);

impl std::fmt::Debug for BaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&without_secrets(&self.0))
    }
}

impl ArchiveBase {
    /// Parses a path or a URL.
    ///
    /// # Errors
    ///
    /// [`ScanErrorKind::UrlInput`] for a URL that no archive can be below, or of another protocol;
    /// [`ErrorKind::Read`] for a path that does not exist.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if has_scheme(text) {
            let base = BaseUrl(text.to_owned());
            return match base.below("archive") {
                Ok(Some(_)) => Ok(Self::Url(base)),
                _ => Err(Error::new(ScanErrorKind::UrlInput, without_secrets(text))),
            };
        }
        fs::metadata(text).map_err(|error| Error::read(text, error))?;
        Ok(Self::Path(text.into()))
    }
}

impl BaseUrl {
    /// Returns the URL of an archive.
    fn below(&self, name: &str) -> Result<Option<RemoteUrl>, NotARemoteUrl> {
        RemoteUrl::parse(&joined(&self.0, name))
    }
}

/// Returns the name of an archive below a base, as in a scan of a list.
fn joined(base: &str, name: &str) -> String {
    let name = name.trim_start_matches('/');
    format!("{}/{name}", base.trim_end_matches('/'))
}

/// The place of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArchivePlace {
    File(PathBuf),
    /// An object on a server.
    Url(RemoteUrl),
}

/// The archive of a capture.
#[derive(Debug)]
pub struct ArchiveAccess {
    /// Its place; `None` if it was not found.
    pub place: Option<ArchivePlace>,
    /// The compression of the record: as found, otherwise according to the name of the archive.
    pub compression: RecordCompression,
    /// The reason why the text does not come from it.
    pub problem: Option<ArchiveProblem>,
}

/// Reads the body of a capture from its archive. Without a body, the archive is only searched for.
///
/// # Errors
///
/// [`ErrorKind::Abandoned`] once `stop` is set, and [`RemoteErrorKind::NoRemote`] for a URL without a
/// client. Other errors are the problem of the archive.
pub(super) fn read(
    request: &ShowRequest<'_>,
    capture: &CaptureDetails,
    stop: &Arc<AtomicBool>,
) -> Result<(ArchiveAccess, Option<Vec<u8>>), Error> {
    let name = &capture.record.warc_filename;
    let mut access = ArchiveAccess {
        place: None,
        compression: compression_of_name(name),
        problem: None,
    };
    let place = match find(request.base, name) {
        Ok(place) => place,
        Err(problem) => {
            access.problem = Some(problem);
            return Ok((access, None));
        }
    };
    access.place = Some(place.clone());
    if capture.body.is_none() {
        return Ok((access, None));
    }
    let location = &capture.record.location;
    let (member, path) = match &place {
        ArchivePlace::File(path) => (open(path, name, location), path.as_path()),
        ArchivePlace::Url(url) => {
            let fetched = match fetch(request, url, name, location, stop) {
                Err(error) if stops(&error) => return Err(error),
                fetched => fetched,
            };
            (fetched, url.display_path())
        }
    };
    let body = match member {
        Ok(member) => {
            let ReadRecord { compression, body } = read_record(&member, path, capture, stop);
            access.compression = compression.unwrap_or(access.compression);
            body
        }
        Err(error) => Err(ArchiveProblem::Unreadable(error)),
    };
    if stop.load(Ordering::Relaxed) {
        return Err(Error::new(ErrorKind::Abandoned, path));
    }
    match body {
        Ok(body) => Ok((access, Some(body))),
        Err(problem) => {
            access.problem = Some(problem);
            Ok((access, None))
        }
    }
}

/// Returns true for an error after which nothing is shown.
fn stops(error: &Error) -> bool {
    error.kind() == Some(&ErrorKind::Abandoned) || error.kind() == Some(&RemoteErrorKind::NoRemote)
}

/// Finds an archive by its name.
fn find(base: Option<&ArchiveBase>, name: &str) -> Result<ArchivePlace, ArchiveProblem> {
    let tried = match base {
        Some(ArchiveBase::Url(base)) => {
            let is_below = !has_scheme(name) && !name.split(['/', '\\']).any(|part| part == "..");
            let url = base.below(name).ok().flatten().filter(|_| is_below);
            return url.map(ArchivePlace::Url).ok_or(ArchiveProblem::BadName);
        }
        Some(ArchiveBase::Path(path)) if path.is_file() => vec![path.clone()],
        Some(ArchiveBase::Path(folder)) => {
            let folder = folder.to_string_lossy();
            let base_name = Path::new(name).file_name().unwrap_or_default();
            let mut paths = vec![joined(&folder, name)];
            let beside = joined(&folder, &base_name.to_string_lossy());
            if !paths.contains(&beside) {
                paths.push(beside);
            }
            paths.into_iter().map(PathBuf::from).collect()
        }
        None => vec![PathBuf::from(name)],
    };
    // Pipes and devices are not opened.
    match tried.iter().find(|path| path.is_file()) {
        Some(path) => Ok(ArchivePlace::File(path.clone())),
        None => Err(ArchiveProblem::NotFound { tried }),
    }
}

/// Returns the range of a member, if its bytes can be read without the rest of its archive.
fn range_of(name: &str, location: &RecordLocation) -> Option<std::ops::Range<u64>> {
    let may_have_dictionary = compression_of_name(name) == RecordCompression::Zstd;
    let length = location.length.filter(|_| !may_have_dictionary)?;
    let end = location.offset.checked_add(length)?;
    Some(location.offset..end)
}

/// Opens a file, or reads the bytes of a member into memory.
fn open(path: &Path, name: &str, location: &RecordLocation) -> Result<MemberBytes, Error> {
    let read_error = |error| Error::read(path, error);
    let file = ArchiveFile::open(path).map_err(read_error)?;
    let Some(range) = range_of(name, location) else {
        return Ok(MemberBytes {
            file,
            offset: location.offset,
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
    Ok(MemberBytes {
        file: ArchiveFile::from_bytes(bytes),
        offset: 0,
    })
}

/// Fetches the bytes of a member, or the whole object.
fn fetch(
    request: &ShowRequest<'_>,
    url: &RemoteUrl,
    name: &str,
    location: &RecordLocation,
    stop: &Arc<AtomicBool>,
) -> Result<MemberBytes, Error> {
    let no_client = || Error::new(RemoteErrorKind::NoRemote, url.display_path());
    let remote = request.remote.ok_or_else(no_client)?;
    let range = range_of(name, location);
    let offset = match range {
        Some(_) => 0,
        None => location.offset,
    };
    let file = remote.fetch(url, range, MAX_OBJECT_IN_MEMORY_BYTES, stop)?;
    Ok(MemberBytes { file, offset })
}

/// Returns the compression that the name of an archive states.
fn compression_of_name(name: &str) -> RecordCompression {
    let name = name.strip_suffix(".open").unwrap_or(name);
    if name.ends_with(".gz") {
        RecordCompression::Gzip
    } else if name.ends_with(".zst") {
        RecordCompression::Zstd
    } else {
        RecordCompression::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_a_base_and_do_not_leave_that_of_a_server() {
        let base = ArchiveBase::parse("https://u:secret@h/d/").unwrap();
        assert!(!format!("{base:?}").contains("secret"));
        let url = |name: &str| match find(Some(&base), name) {
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
        let tried = match find(Some(&base), name) {
            Err(ArchiveProblem::NotFound { tried }) => tried,
            other => panic!("{other:?}"),
        };
        assert_eq!(tried.len(), 2);
        for path in tried.iter().rev() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
            let found = find(Some(&base), name).unwrap();
            assert_eq!(found, ArchivePlace::File(path.clone()));
            let only = ArchiveBase::Path(path.clone());
            let found = find(Some(&only), "other").unwrap();
            assert_eq!(found, ArchivePlace::File(path.clone()));
        }
    }

    #[test]
    fn the_name_states_the_compression() {
        for (name, compression) in [
            ("a.warc", RecordCompression::Plain),
            ("a.warc.gz", RecordCompression::Gzip),
            ("a.warc.gz.open", RecordCompression::Gzip),
            ("a.warc.zst", RecordCompression::Zstd),
            ("-", RecordCompression::Plain),
        ] {
            assert_eq!(compression_of_name(name), compression, "{name}");
        }
    }
}

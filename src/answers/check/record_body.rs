//! Reads the record of a capture, and checks that it is the one that the dataset describes.

use super::MAX_SHOWN_BYTES;
use super::archive_problem::ArchiveProblem;
use super::report::CaptureDetails;
use capture::http::header_text;
use capture::{Capture, CaptureScope};
use errors::Error;
use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use warc::{ArchiveFile, Limits, Reader};

/// An archive, or a member in memory, from which a record is read.
pub(super) struct MemberSource {
    pub(super) file: ArchiveFile,
    /// The offset of the member in `file`.
    pub(super) offset: u64,
}

/// Reads the decoded body of a capture, up to [`MAX_SHOWN_BYTES`]. The body is an error if the record is
/// not the one that was scanned. `path` is the path of the archive in errors.
pub(super) fn read_record(
    member: &MemberSource,
    path: &Path,
    capture: &CaptureDetails,
    stop: &Arc<AtomicBool>,
) -> Result<Vec<u8>, ArchiveProblem> {
    let mut reader = Reader::new(Limits::default());
    reader.set_stop_flag(Arc::clone(stop));
    let range = member.offset..member.offset.saturating_add(1);
    let opened = reader.open_range(&member.file, range);
    opened.map_err(|error| archive_problem(error, path))?;
    seek_record(&mut reader, path, capture)?;
    read_verified_body(&reader, capture)
}

/// Converts an error of the reader: a fatal error concerns the archive, any other one the record.
fn archive_problem(error: warc::Error, path: &Path) -> ArchiveProblem {
    if error.is_fatal() {
        ArchiveProblem::Unreadable(Error::read(path, io::Error::other(error)))
    } else {
        ArchiveProblem::Damaged(error)
    }
}

/// Reads the records of a member until the record of the capture is the current one.
fn seek_record(
    reader: &mut Reader,
    path: &Path,
    capture: &CaptureDetails,
) -> Result<(), ArchiveProblem> {
    let mut damage = None;
    loop {
        match reader.read_record() {
            Ok(true) => {
                let index = reader.record().location().index_in_member;
                if index == capture.record.warc_record_in_member {
                    return Ok(());
                }
            }
            Ok(false) => return Err(damage.unwrap_or(ArchiveProblem::NoRecord)),
            Err(error) if error.is_fatal() => return Err(archive_problem(error, path)),
            Err(error) => damage = Some(ArchiveProblem::Damaged(error)),
        }
    }
}

/// Checks that the current record is the one of the capture, and returns its body.
fn read_verified_body(
    reader: &Reader,
    details: &CaptureDetails,
) -> Result<Vec<u8>, ArchiveProblem> {
    let record = reader.record();
    let scanned_bytes = details.body.as_ref().map_or(Some(0), |body| body.bytes);
    let scanned_bytes = scanned_bytes.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    // If the size is not known, one byte more is read to detect that the text is cut.
    let shown_bytes = scanned_bytes.map_or(MAX_SHOWN_BYTES + 1, |bytes| bytes.min(MAX_SHOWN_BYTES));
    let scope = CaptureScope {
        // Accepts a URL with any path, since the capture may be the target of a redirect.
        is_robots_subset: true,
        max_body_bytes: shown_bytes,
        body_limit: None,
    };
    let capture = Capture::read(&record, scope);
    let mut capture = capture.ok_or(ArchiveProblem::NotACapture)?;
    let found = match &capture.url {
        Some(columns) => columns.url.clone(),
        None => header_text(capture.url_raw),
    };
    if found != details.url {
        let found = found.into_owned();
        return Err(ArchiveProblem::OtherUrl { found });
    }
    let expected = &details.record.content_digest;
    if capture.content.digest.as_deref() != expected.as_deref() {
        return Err(ArchiveProblem::OtherDigest {
            found: capture.content.digest.map(Cow::into_owned),
            expected: expected.clone(),
        });
    }
    // A doubtful capture already failed a check in the scan, so its digests are not checked again.
    if details.record.is_doubtful != Some(true)
        && let Some(field) = capture.verify_digests(&record)
    {
        return Err(ArchiveProblem::OtherBytes { field });
    }
    if capture.record.is_revisit && scanned_bytes.is_none() {
        return Err(ArchiveProblem::Revisit);
    }
    let body = capture.body.unwrap_or_default().into_owned();
    match scanned_bytes {
        Some(expected) if body.len() != shown_bytes => Err(ArchiveProblem::OtherLength {
            found: body.len() as u64,
            expected: expected as u64,
        }),
        _ => Ok(body),
    }
}

//! Reads the text of the robots.txt that applies to a host.
//!
//! The text comes from the first of these that has it:
//!
//! 1. the archive (`archive_of_capture.rs`), if its record is the one that was scanned
//!    (`record_body.rs`); this is checked because the archive may have been replaced since the scan;
//! 2. the column `body` of the dataset;
//! 3. the rows of the capture, or of its policy in a history, from which the lines are rebuilt.

use super::archive_lookup::ArchiveLookup;
use super::archive_of_capture;
use super::capture_details::CaptureDetails;
use super::host_report::HostRequest;
use super::numbered_text::{NumberedText, TextSource};
use errors::Error;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Finds the archive of a capture, and reads the text of the robots.txt from it, or with `read_stored` if
/// that is not possible. The text is `None` if no robots.txt applies. `is_elsewhere` is true if the
/// capture redirects to the robots.txt, and the place of the record with the text is not known.
///
/// An archive that cannot be read is not an error: [`ArchiveLookup::problem`] has the reason.
pub(super) fn read(
    request: &HostRequest<'_>,
    capture: &CaptureDetails,
    is_elsewhere: bool,
    stop: &Arc<AtomicBool>,
    read_stored: &dyn Fn() -> Result<NumberedText, Error>,
) -> Result<(ArchiveLookup, Option<NumberedText>), Error> {
    let (archive, body) = archive_of_capture::read_body(request, capture, stop)?;
    let text = match (&capture.body, body) {
        (None, _) if !is_elsewhere => None,
        (Some(details), Some(body)) => {
            Some(NumberedText::from_body(TextSource::Archive, body, details))
        }
        _ => Some(read_stored()?),
    };
    Ok((archive, text))
}

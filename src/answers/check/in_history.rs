//! The properties and the text of a capture of a history.

use super::host::{CheckedCaptures, FoundDetails, StoredText};
use super::numbered_text::TextSource;
use super::report::{BodyDetails, CaptureDetails, RecordDetails, ReportedAnomaly};
use crate::captures::{Captures, FoundCapture, HistoryCaptures};
use errors::Error;
use history::policies::policy_file::read_lines;
use history::read::host_lookup::{PlacedCapture, origin_text};
use std::path::Path;

impl CheckedCaptures for HistoryCaptures<'_> {
    fn details(&self, found: &FoundCapture<Self>) -> Result<FoundDetails, Error> {
        let mut rules = self.open_rules(&[found.place])?;
        let policy = self.policy(&mut rules, &found.place)?;
        let is_valid_utf8 = policy.is_none_or(|policy| policy.is_valid_utf8());
        Ok(FoundDetails {
            capture: capture_details(&found.capture, is_valid_utf8),
            rules_capture: None,
            redirects_without_place: found.capture.state().n_redirects,
        })
    }

    fn anomalies(
        &self,
        _: &FoundCapture<Self>,
        _: &Path,
    ) -> Result<Option<Vec<ReportedAnomaly>>, Error> {
        Ok(None)
    }

    fn text(&self, found: &FoundCapture<Self>, _: &CaptureDetails) -> Result<StoredText, Error> {
        let mut rules = self.open_rules(&[found.place])?;
        let policy = self.policy(&mut rules, &found.place)?;
        Ok(StoredText::Lines {
            source: TextSource::Policy,
            lines: policy.map(|policy| read_lines(&policy)).unwrap_or_default(),
            missing_tables: Vec::new(),
        })
    }
}

/// Returns the properties of a capture of a history. If the capture redirects, its state has the
/// status and the content of the target, so the result has neither.
fn capture_details(capture: &PlacedCapture, is_valid_utf8: bool) -> CaptureDetails {
    let state = capture.state();
    let is_redirected = state.n_redirects > 0;
    let is_parsed = state.content_class.is_some() && !is_redirected;
    let status = state.fetch_status.filter(|_| !is_redirected);
    CaptureDetails {
        url: format!("{}/robots.txt", origin_text(&state.origin())),
        fetch_time: capture.address.fetch_time,
        fetch_status: status.and_then(|status| i16::try_from(status).ok()),
        fetch_redirect: None,
        record: RecordDetails {
            warc_filename: capture.archive.clone(),
            warc_record_offset: u64::try_from(capture.address.offset).unwrap_or_default(),
            warc_record_length: None,
            warc_record_in_member: capture.address.record_in_member,
            content_digest: capture.digest.clone(),
            is_revisit: state.is_revisit,
            is_doubtful: None,
        },
        body: is_parsed.then_some(BodyDetails {
            bytes: None,
            n_lines: None,
            is_valid_utf8,
        }),
        crawl: capture.crawl.clone(),
        robots_id: None,
    }
}

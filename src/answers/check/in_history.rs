//! Checks a host in a history.

use super::capture_details::{BodyDetails, CaptureDetails, RecordDetails};
use super::host_file::{HostFile, build_agent_reports};
use super::host_report::{HostReport, HostRequest};
use super::host_text;
use super::line_limit::LineLimit;
use super::numbered_text::{NumberedText, TextSource};
use super::report::CheckReport;
use super::robots_txt::CheckRequest;
use disk::error::Error;
use history::HistoryManifest;
use history::policies::policy_file::{push_lines, read_lines};
use history::read::history_reader::HistoryReader;
use history::read::host_lookup::{HostLookup, PlacedCapture, find_host, origin_text};
use robots::{Dialect, RobotsTxtBuilder, StatusEffect};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use warc::RecordLocation;

/// Finds the authoritative capture of a host in a history, and checks it.
pub(super) fn check_host(
    manifest: &HistoryManifest,
    host_request: &HostRequest<'_>,
    request: &CheckRequest<'_>,
    stop: &Arc<AtomicBool>,
) -> Result<HostReport, Error> {
    let path = host_request.path;
    let history = HistoryReader::open(path, manifest, false, stop)?;
    let lookup = HostLookup {
        host: host_request.host,
        crawls: host_request.crawls,
        as_of: host_request.as_of,
    };
    let found = find_host(&history, &lookup)?;
    let state = found.capture.state();
    let mut file = RobotsTxtBuilder::new();
    let mut is_valid_utf8 = true;
    if let Some((policy, policy_bytes)) = found.policy() {
        LineLimit::new(path).count(policy.n_lines(), policy_bytes)?;
        is_valid_utf8 = policy.is_valid_utf8();
        push_lines(&policy, &mut file).map_err(|error| error.with_path(path))?;
    }
    file.set_content_class(state.content_class());
    let file = HostFile {
        file,
        effects: Dialect::ALL.map(|dialect| (dialect, state.effect(dialect))),
        time: found.capture.address.fetch_time,
    };
    let effect = state.effect(request.dialect.dialect());
    let capture = capture_details(&found.capture, is_valid_utf8);
    let is_elsewhere = state.n_redirects > 0 && effect == StatusEffect::Parse;
    let (archive, text) = host_text::read(host_request, &capture, is_elsewhere, stop, &|| {
        let policy = found.policy();
        let lines = policy.map(|(policy, _)| read_lines(&policy));
        let lines = lines.unwrap_or_default();
        Ok(NumberedText::from_lines(TextSource::Policy, lines, None))
    })?;
    Ok(HostReport {
        other_form: found.other_form.clone(),
        redirects_without_place: state.n_redirects,
        effect: Some(effect).filter(|effect| *effect != StatusEffect::Parse),
        report: CheckReport {
            agents: build_agent_reports(&file, effect, request),
            anomalies: Vec::new(),
        },
        has_anomalies: false,
        faults: 0,
        archive,
        text,
        capture,
        rules_capture: None,
    })
}

/// Returns the properties of a capture of a history. If the capture redirects, its state has the
/// status and the content of the target, so the result has neither.
fn capture_details(capture: &PlacedCapture, is_valid_utf8: bool) -> CaptureDetails {
    let state = capture.state();
    let is_redirected = state.n_redirects > 0;
    let is_parsed = state.content_class.is_some() && !is_redirected;
    let status = state.fetch_status.filter(|_| !is_redirected);
    CaptureDetails {
        target_uri: format!("{}/robots.txt", origin_text(&state.origin())),
        fetch_time: capture.address.fetch_time,
        fetch_status: status.and_then(|status| i16::try_from(status).ok()),
        fetch_redirect: None,
        record: RecordDetails {
            warc_filename: capture.archive.clone(),
            location: RecordLocation {
                offset: u64::try_from(capture.address.offset).unwrap_or_default(),
                length: None,
                index_in_member: capture.address.record_in_member,
            },
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

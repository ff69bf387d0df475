//! Shows the robots.txt that applies to a host: its text, its lines by number, and the record it
//! comes from.
//!
//! [`show_host`] finds the capture whose rules apply as
//! [`check_host`](crate::check::check_host) does. It takes the text from the first of these that
//! is there:
//!
//! 1. the archive (`archive.rs`), if its record is the one that was scanned (`record.rs`);
//! 2. the column `body` of the dataset;
//! 3. the rows of the capture, or of its policy in a history, from which the lines are rebuilt
//!    (`stored_lines.rs`).
//!
//! Archives are not trusted: they may have been replaced since the scan.

mod archive;
mod problem;
mod record;
mod stored_lines;
mod text;

pub use archive::{ArchiveBase, ArchiveLookup, ArchivePlace, BaseUrl};
pub use problem::ArchiveProblem;
pub use record::RecordCompression;
pub use text::{HostText, TextLine, TextSource};

use crate::check::in_history;
use crate::check::{CaptureDetails, CheckRequest, HostReport, HostRequest, InputKind, check_host};
use crate::error::ToolErrorKind;
use crate::extract::{ExtractSummary, RecordArchive};
use crate::history::keyed_rows::{KeyedRows, POLICIES};
use crate::history::policy_file::read_lines;
use dataset::error::{DatasetDefect, DatasetErrorKind};
use dataset::resolve::Host;
use dataset::tables::Table;
use dataset::{Dataset, HistoryManifest};
use disk::error::Error;
use remote::Remote;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The most bytes of a robots.txt that are shown.
const MAX_SHOWN_BYTES: usize = 16 << 20;

/// A host to show.
#[derive(Clone, Copy, Debug)]
pub struct ShowRequest<'a> {
    /// The folder of a dataset, of joined datasets, or of a history.
    pub path: &'a Path,
    pub host: &'a Host,
    /// The crawls that are read; if empty, all.
    pub crawls: &'a [String],
    /// The time for which the host is shown, in milliseconds since 1970; `None` for the newest
    /// capture.
    pub as_of: Option<i64>,
    /// The place of the archives; `None` if the names of the archives are their paths.
    pub base: Option<&'a ArchiveBase>,
    /// The client that reads archives at URLs.
    pub remote: Option<&'a Remote>,
}

/// The robots.txt that applies to a host.
#[derive(Debug)]
pub struct ShownHost {
    /// The report of `check` on the host: its captures, and the verdicts.
    pub report: HostReport,
    /// The archive of the capture whose rules apply.
    pub archive: ArchiveLookup,
    /// The text; `None` if no robots.txt applies.
    pub text: Option<HostText>,
}

impl ShownHost {
    /// Returns the capture whose rules apply.
    pub fn shown_capture(&self) -> &CaptureDetails {
        shown_capture(&self.report)
    }
}

fn shown_capture(report: &HostReport) -> &CaptureDetails {
    report.rules_capture.as_ref().unwrap_or(&report.capture)
}

/// Finds the robots.txt that applies to a host, and reads its text.
///
/// An archive that cannot be read is not an error: [`ArchiveLookup::problem`] has the reason, and
/// the text comes from the dataset.
///
/// # Errors
///
/// Those of [`check_host`](crate::check::check_host); [`DatasetErrorKind::NotADataset`] for an archive.
pub fn show_host(
    request: &ShowRequest<'_>,
    check: &CheckRequest<'_>,
    stop: &Arc<AtomicBool>,
) -> Result<ShownHost, Error> {
    if InputKind::detect(request.path)? != InputKind::Dataset {
        let kind = DatasetErrorKind::NotADataset(DatasetDefect::NoTables);
        return Err(Error::new(kind, request.path));
    }
    let host_request = HostRequest {
        path: request.path,
        host: request.host,
        crawls: request.crawls,
        as_of: request.as_of,
        body_limit: None,
    };
    if let Some(manifest) = HistoryManifest::read(request.path)? {
        let found = in_history::find(request.path, &manifest, &host_request, stop)?;
        let report = in_history::report(request.path, &found, check)?;
        let policy = found.policy.as_deref();
        let lines = policy.map(|policy| read_lines(&KeyedRows::read(policy, POLICIES)));
        return show_report(request, report, stop, &|_| {
            let lines = lines.clone().unwrap_or_default();
            Ok(HostText::from_lines(TextSource::Policy, lines, None))
        });
    }
    let report = check_host(&host_request, check, stop)?;
    show_report(request, report, stop, &|capture| {
        read_stored_text(request.path, capture, stop)
    })
}

/// Copies the record of the capture whose rules apply to an archive of its own.
///
/// # Errors
///
/// [`ToolErrorKind::NotExtracted`] if the record was not found unchanged, and those of
/// [`extract_records`](crate::extract::extract_records).
pub fn extract_shown(
    request: &ShowRequest<'_>,
    shown: &ShownHost,
    output: &Path,
    overwrite: bool,
    stop: &Arc<AtomicBool>,
) -> Result<ExtractSummary, Error> {
    let capture = shown.shown_capture();
    let problem = shown.archive.problem.as_ref();
    let problem = problem.filter(|problem| !matches!(problem, ArchiveProblem::Revisit));
    let (Some(place), None) = (&shown.archive.place, problem) else {
        let reason = problem.map_or_else(String::new, ToString::to_string);
        let kind = ToolErrorKind::NotExtracted { reason };
        return Err(Error::new(kind, &capture.record.warc_filename));
    };
    if shown.report.redirects_without_place > 0 {
        let reason = "its host is redirected, and a history has no place of the target".to_owned();
        let kind = ToolErrorKind::NotExtracted { reason };
        return Err(Error::new(kind, &capture.record.warc_filename));
    }
    let archive = RecordArchive::create(output, overwrite, stop)?;
    let record = &capture.record;
    let (name, location) = (&record.warc_filename, &record.location);
    let member = archive::open_place(request, place, name, location, stop)?;
    let range = member.offset..u64::MAX;
    let place = (name.as_str(), location.offset, location.index_in_member);
    archive.copy_one(&member.file, Path::new(name), range, place)
}

/// Adds the text to a report: from the archive, or as `read_text` returns it.
fn show_report(
    request: &ShowRequest<'_>,
    report: HostReport,
    stop: &Arc<AtomicBool>,
    read_text: &dyn Fn(&CaptureDetails) -> Result<HostText, Error>,
) -> Result<ShownHost, Error> {
    let capture = shown_capture(&report);
    let (archive, body) = archive::read_body(request, capture, stop)?;
    let is_elsewhere = report.redirects_without_place > 0 && report.effect.is_none();
    let text = match (&capture.body, body) {
        (None, _) if !is_elsewhere => None,
        (Some(details), Some(body)) => {
            Some(HostText::from_body(TextSource::Archive, body, details))
        }
        _ => Some(read_text(capture)?),
    };
    Ok(ShownHost {
        report,
        archive,
        text,
    })
}

/// Reads the text from the dataset: the column `body`, or the lines that have rows.
fn read_stored_text(
    path: &Path,
    capture: &CaptureDetails,
    stop: &Arc<AtomicBool>,
) -> Result<HostText, Error> {
    let mut tables = vec![Table::RobotsFiles, Table::Groups, Table::Rules];
    let mut missing_tables = Vec::new();
    for table in [Table::Sitemaps, Table::Directives] {
        match Dataset::has_table(path, table)? {
            true => tables.push(table),
            false => missing_tables.push(table),
        }
    }
    let crawls = [capture.crawl.clone()];
    let dataset = Dataset::open(path, &crawls, &tables)?.with_stop_flag(stop);
    let details = capture.body.as_ref();
    let details = details.expect("only a capture with a body has a text");
    let robots_id = capture.robots_id.expect("a capture of a dataset has a key");
    let rows = stored_lines::CaptureRows::new(&dataset, robots_id);
    if let Some(body) = rows.read_body(details.is_valid_utf8)? {
        return Ok(HostText::from_body(TextSource::Body, body, details));
    }
    let lines = rows.read_lines(&missing_tables)?;
    let source = TextSource::Rows { missing_tables };
    Ok(HostText::from_lines(source, lines, details.n_lines))
}

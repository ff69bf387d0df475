//! Checks the authoritative capture of a host.
//!
//! The steps: open the dataset or the history (an archive is scanned into a temporary dataset), find the authoritative
//! capture, rebuild its robots.txt from the rows of tables, evaluate it, and read its text.

use super::InputKind;
use super::archive_base::ArchiveBase;
use super::capture_details::CaptureDetails;
use super::host_file::{HostFile, build_agent_reports};
use super::host_report::{HostReport, HostRequest};
use super::host_text;
use super::numbered_text::NumberedText;
use super::report::{CheckReport, ReportedAnomaly};
use super::robots_txt::CheckRequest;
use super::scanned_archive;
use crate::captures::{Captures, DatasetCaptures, FoundCapture, HistoryCaptures, LineLimit};
use dataset::Dataset;
use dataset::error::{DatasetDefect, DatasetErrorKind};
use disk::SystemTempFolder;
use errors::Error;
use history::HistoryManifest;
use history::read::history_reader::HistoryReader;
use hosts::{AsOf, ResolveContext};
use robots::StatusEffect;
use sort::{MIN_MEMORY_BYTES, SortMemory, SpillFolder};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use tables::Table;

/// The captures of a dataset or a history, as far as `check` reads them.
pub(super) trait CheckedCaptures: Captures {
    /// Returns the properties of a capture.
    ///
    /// # Errors
    ///
    /// Those of reading.
    fn details(&self, found: &FoundCapture<Self>) -> Result<FoundDetails, Error>;

    /// Returns the anomalies of the capture whose rules apply; `None` if they are not stored. `path` is the path of the
    /// data in errors.
    ///
    /// # Errors
    ///
    /// Those of reading.
    fn anomalies(
        &self,
        found: &FoundCapture<Self>,
        path: &Path,
    ) -> Result<Option<Vec<ReportedAnomaly>>, Error>;

    /// Reads the text of a capture from tables. `deciding` has the properties of the capture whose rules apply.
    ///
    /// # Errors
    ///
    /// Those of reading.
    fn text(
        &self,
        found: &FoundCapture<Self>,
        deciding: &CaptureDetails,
    ) -> Result<NumberedText, Error>;
}

/// The properties of the capture of a host.
pub(super) struct FoundDetails {
    pub(super) capture: CaptureDetails,
    /// The properties of the capture whose rules apply, if it is another one: the end of a redirect, or the content of a
    /// revisit.
    pub(super) rules_capture: Option<CaptureDetails>,
    /// The number of redirects to a capture whose place is not stored.
    pub(super) redirects_without_place: u32,
}

/// Finds the authoritative capture of a host, and checks it.
///
/// # Errors
///
/// Those of [`Dataset::open`] and of reading; [`DatasetErrorKind::NoCapture`] if the host has no capture;
/// [`ErrorKind::Abandoned`](errors::ErrorKind::Abandoned) once `stop` is set.
pub fn check_host(
    host_request: &HostRequest<'_>,
    request: &CheckRequest<'_>,
    stop: &Arc<AtomicBool>,
) -> Result<HostReport, Error> {
    let path = host_request.path;
    if InputKind::detect(path)? == InputKind::Dataset
        && let Some(manifest) = HistoryManifest::read(path)?
    {
        let captures = HistoryCaptures {
            history: &HistoryReader::open(path, &manifest, false, stop)?,
            crawls: host_request.crawls,
        };
        return check_captures(&captures, host_request, request, stop);
    }
    let temp_folder = SystemTempFolder::create()?;
    let root = DatasetRoot::find_or_scan(host_request, request, temp_folder.path(), stop)?;
    let mut tables = vec![Table::ROBOTS_FILES, Table::GROUPS, Table::RULES];
    for table in [Table::ANOMALIES, Table::DIRECTIVES, Table::SITEMAPS] {
        if Dataset::has_table(&root.path, table)? {
            tables.push(table);
        }
    }
    let dataset = Dataset::open(&root.path, host_request.crawls, &tables)?.with_stop_flag(stop);
    let spill_folder = SpillFolder::create(&temp_folder.path().join("sort"), Arc::clone(stop))?;
    let context = ResolveContext {
        dataset: &dataset,
        memory: SortMemory::new(&spill_folder, MIN_MEMORY_BYTES),
        rows_read: &AtomicU64::new(0),
    };
    let scanned = ArchiveBase::Path(path.to_owned());
    let host_request = &HostRequest {
        base: host_request.base.or(root.is_scanned.then_some(&scanned)),
        ..*host_request
    };
    let report = check_captures(&DatasetCaptures { context }, host_request, request, stop)?;
    Ok(HostReport {
        faults: root.faults,
        ..report
    })
}

fn check_captures<C: CheckedCaptures>(
    captures: &C,
    host_request: &HostRequest<'_>,
    request: &CheckRequest<'_>,
    stop: &Arc<AtomicBool>,
) -> Result<HostReport, Error> {
    let path = host_request.path;
    let as_of = AsOf::from_option(host_request.as_of);
    let found = captures.at(host_request.host, as_of);
    let found = found.map_err(|error| match error.kind() {
        // A scanned archive is in a temporary folder.
        Some(DatasetErrorKind::NoCapture { .. }) => error.with_path(path),
        _ => error,
    })?;
    let details = captures.details(&found)?;
    let effect = found.effect(request.dialect.dialect());
    let deciding = details.rules_capture.as_ref().unwrap_or(&details.capture);
    let n_lines = deciding.body.as_ref().and_then(|body| body.n_lines);
    LineLimit::new(path).count(n_lines.unwrap_or_default() as usize, 0)?;
    let file = HostFile::read(captures, &found, path)?;
    let anomalies = captures.anomalies(&found, path)?;
    let has_anomalies = anomalies.is_some();
    let report = CheckReport {
        agents: build_agent_reports(&file, effect, request),
        anomalies: anomalies.unwrap_or_default(),
    };
    let is_elsewhere = details.redirects_without_place > 0 && effect == StatusEffect::Parse;
    let (archive, text) = host_text::read(host_request, deciding, is_elsewhere, stop, &|| {
        captures.text(&found, deciding)
    })?;
    Ok(HostReport {
        other_form: found.other_form,
        capture: details.capture,
        rules_capture: details.rules_capture,
        redirects_without_place: details.redirects_without_place,
        effect: Some(effect).filter(|effect| *effect != StatusEffect::Parse),
        report,
        has_anomalies,
        faults: 0,
        archive,
        text,
    })
}

/// The folder of the dataset in which a host is looked up.
struct DatasetRoot {
    path: PathBuf,
    /// True if the dataset is a temporary one into which an archive was scanned.
    is_scanned: bool,
    /// The number of faults found while scanning the archive; 0 if no archive was scanned.
    faults: u64,
}

impl DatasetRoot {
    /// Returns the dataset at the path of the request. If an archive is there, it is scanned into a
    /// dataset in `temp_folder`.
    fn find_or_scan(
        host_request: &HostRequest<'_>,
        request: &CheckRequest<'_>,
        temp_folder: &Path,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self, Error> {
        let path = host_request.path;
        match InputKind::detect(path)? {
            InputKind::Archive => {
                let root = temp_folder.join("dataset");
                let (limit, registry) = (host_request.body_limit, request.registry);
                let summary = scanned_archive::scan(path, &root, limit, registry, stop)?;
                Ok(Self {
                    path: root,
                    is_scanned: true,
                    faults: summary.faults,
                })
            }
            InputKind::Dataset => Ok(Self {
                path: path.to_owned(),
                is_scanned: false,
                faults: 0,
            }),
            InputKind::RobotsTxt => {
                let message = "a host is looked up in a dataset or an archive, and this is neither";
                Err(DatasetDefect::other(message).error(path))
            }
        }
    }
}

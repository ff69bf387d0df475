//! Checks the authoritative capture of a host.
//!
//! The steps: open the dataset (an archive is scanned into a temporary one),
//! find the authoritative capture, rebuild its robots.txt from the rows of
//! `groups` and `rules`, evaluate it, and read its text. If you change how the status of a
//! capture is applied, also check `url_match/evaluate.rs`.

use super::InputKind;
use super::archive_base::ArchiveBase;
use super::capture_details::CaptureDetails;
use super::host_file::{HostFile, build_agent_reports, capture_filter};
use super::host_report::{HostReport, HostRequest};
use super::host_text;
use super::in_history;
use super::line_limit::LineLimit;
use super::report::{CheckReport, ReportedAnomaly};
use super::robots_txt::CheckRequest;
use super::scanned_archive;
use arrow_array::{Array, BooleanArray, Int32Array, Int64Array, StringArray};
use dataset::error::{DatasetDefect, DatasetErrorKind};
use dataset::{Dataset, column};
use disk::SystemTempFolder;
use disk::error::Error;
use history::HistoryManifest;
use hosts::candidate::Candidate;
use hosts::host::{find_authoritative_capture, suggest_hosts};
use hosts::{AsOf, CaptureId, Host, ResolveContext};
use robots::StatusEffect;
use sort::{MIN_MEMORY_BYTES, SortMemory, SpillFolder};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use tables::Table;

/// Finds the authoritative capture of a host, and checks it.
///
/// # Errors
///
/// Those of [`Dataset::open`] and of reading; [`DatasetErrorKind::NoCapture`] if the host has no capture;
/// [`ErrorKind::Abandoned`](disk::error::ErrorKind::Abandoned) once `stop` is set.
pub fn check_host(
    host_request: &HostRequest<'_>,
    request: &CheckRequest<'_>,
    stop: &Arc<AtomicBool>,
) -> Result<HostReport, Error> {
    let path = host_request.path;
    if InputKind::detect(path)? == InputKind::Dataset
        && let Some(manifest) = HistoryManifest::read(path)?
    {
        return in_history::check_host(&manifest, host_request, request, stop);
    }
    let temp_folder = SystemTempFolder::create()?;
    let root = DatasetRoot::find_or_scan(host_request, request, temp_folder.path(), stop)?;
    let mut tables = vec![Table::ROBOTS_FILES, Table::GROUPS, Table::RULES];
    let has_anomalies = Dataset::has_table(&root.path, Table::ANOMALIES)?;
    if has_anomalies {
        tables.push(Table::ANOMALIES);
    }
    // `directives` has the statements about the use of content.
    if Dataset::has_table(&root.path, Table::DIRECTIVES)? {
        tables.push(Table::DIRECTIVES);
    }
    let dataset = Dataset::open(&root.path, host_request.crawls, &tables)?.with_stop_flag(stop);
    let spill_folder = SpillFolder::create(&temp_folder.path().join("sort"), Arc::clone(stop))?;
    let context = ResolveContext {
        dataset: &dataset,
        memory: SortMemory::new(&spill_folder, MIN_MEMORY_BYTES),
        rows_read: &AtomicU64::new(0),
    };
    let (Candidate { id, source, .. }, other_form) =
        require_authoritative_capture(&context, host_request)?;
    let capture = CaptureDetails::read(&dataset, id)?.ok_or_else(|| {
        DatasetDefect::other("its captures changed while they were read").error(path)
    })?;
    let rules_capture = if source.id == id {
        None
    } else {
        CaptureDetails::read(&dataset, source.id)?
    };
    let effect = source.effect(request.dialect.dialect());
    let deciding = rules_capture.as_ref().unwrap_or(&capture);
    let n_lines = deciding.body.as_ref().and_then(|body| body.n_lines);
    LineLimit::new(path).count(n_lines.unwrap_or_default() as usize, 0)?;
    let file = HostFile::read(&dataset, &source, path)?;
    let report = CheckReport {
        agents: build_agent_reports(&file, effect, request),
        anomalies: if has_anomalies {
            read_anomalies(&dataset, source.id, path)?
        } else {
            Vec::new()
        },
    };
    let scanned = ArchiveBase::Path(path.to_owned());
    let host_request = &HostRequest {
        base: host_request.base.or(root.is_scanned.then_some(&scanned)),
        ..*host_request
    };
    let (archive, text) = host_text::read(host_request, deciding, false, stop, &|| {
        host_text::read_stored(&root.path, deciding, stop)
    })?;
    Ok(HostReport {
        other_form,
        capture,
        rules_capture,
        redirects_without_place: 0,
        effect: Some(effect).filter(|effect| *effect != StatusEffect::Parse),
        report,
        has_anomalies,
        faults: root.faults,
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

/// Finds the authoritative capture of a host. If the host has no capture, that of the other form of its
/// name, with or without `www.`, is returned together with this form.
fn require_authoritative_capture(
    context: &ResolveContext<'_>,
    request: &HostRequest<'_>,
) -> Result<(Candidate, Option<Host>), Error> {
    let as_of = AsOf::from_option(request.as_of);
    if let Some(capture) = find_authoritative_capture(context, request.host, as_of)? {
        return Ok((capture, None));
    }
    if let Some(other_form) = request.host.other_form()
        && let Some(capture) = find_authoritative_capture(context, &other_form, as_of)?
    {
        return Ok((capture, Some(other_form)));
    }
    let suggestions = suggest_hosts(context, request.host)?;
    let kind = DatasetErrorKind::NoCapture {
        host: request.host.to_string(),
        first_time: suggestions.first_time,
        similar: suggestions.hosts,
    };
    Err(Error::new(kind, request.path))
}

/// Reads the anomalies of a capture from the table `anomalies`.
fn read_anomalies(
    dataset: &Dataset,
    id: CaptureId,
    path: &Path,
) -> Result<Vec<ReportedAnomaly>, Error> {
    let mut limit = LineLimit::new(path);
    let columns = ["robots_id", "line_no", "code", "changes_verdict"];
    let mut found = Vec::new();
    let filter = capture_filter(id);
    dataset.read(Table::ANOMALIES, &columns, &filter, &mut |crawl, batch| {
        let ids = column::<Int64Array>(batch, "robots_id")?;
        let lines = column::<Int32Array>(batch, "line_no")?;
        let codes = column::<StringArray>(batch, "code")?;
        let changes = column::<BooleanArray>(batch, "changes_verdict")?;
        for row in 0..batch.num_rows() {
            let robots_id = ids.value(row);
            if (CaptureId { crawl, robots_id }) != id {
                continue;
            }
            limit.count(1, 0)?;
            let line_no = lines.is_valid(row).then(|| lines.value(row));
            found.push(ReportedAnomaly::new(
                line_no.and_then(|line_no| u32::try_from(line_no).ok()),
                codes.value(row),
                changes.is_valid(row).then(|| changes.value(row)),
            ));
        }
        Ok(())
    })?;
    Ok(found)
}

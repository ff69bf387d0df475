//! Checks the authoritative capture of a host.
//!
//! The steps: open the dataset (an archive is scanned into a temporary one),
//! find the authoritative capture, rebuild its robots.txt from the rows of
//! `groups` and `rules`, evaluate it, and read its text. If you change how the status of a
//! capture is applied, also check `url_match/evaluate.rs`.

use super::InputKind;
use super::capture_details::CaptureDetails;
use super::host_text;
use super::in_history;
use super::numbered_text::NumberedText;
use super::record_archive::{ArchiveBase, ArchiveLookup};
use super::report::{AgentReport, CheckReport, CrawlerVerdicts, ReportedAnomaly, UrlResult};
use super::robots_txt::{CheckRequest, build_agent_report};
use super::scanned_archive;
use arrow_array::{Array, BooleanArray, Int32Array, Int64Array, StringArray};
use dataset::crawler::{Crawler, disallow_all_policy};
use dataset::error::{DatasetDefect, DatasetErrorKind};
use dataset::tables::Table;
use dataset::{CaptureFilter, Dataset, StoredLine, column};
use disk::SystemTempFolder;
use disk::error::Error;
use history::HistoryManifest;
use hosts::candidate::Candidate;
use hosts::host::{find_authoritative_capture, suggest_hosts};
use hosts::{AsOf, CaptureId, Host, ResolveContext, RulesSource};
use remote::Remote;
use robots::{Basis, Dialect, Evaluator, RobotsTxt, RobotsTxtBuilder, StatusEffect, Verdict};
use sort::{MIN_MEMORY_BYTES, SortMemory, SpillFolder};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// A host to check in a dataset or an archive.
#[derive(Clone, Copy, Debug)]
pub struct HostRequest<'a> {
    /// The folder of a dataset or a history, or an archive.
    pub path: &'a Path,
    /// The host.
    pub host: &'a Host,
    /// The crawls that are read; if empty, all.
    pub crawls: &'a [String],
    /// The time for which the host is checked, in milliseconds since 1970;
    /// `None` for the newest capture.
    pub as_of: Option<i64>,
    /// The number of bytes of a body that are parsed, if `path` is an archive. For a dataset, the
    /// limit of its scan applies.
    pub body_limit: Option<u64>,
    /// The place of the archives; `None` if the names of the archives are their paths.
    pub base: Option<&'a ArchiveBase>,
    /// The client that reads archives at URLs.
    pub remote: Option<&'a Remote>,
}

/// The results of checking a host, and the captures that they are based on.
#[derive(Debug)]
pub struct HostReport {
    /// The form of the name with captures, if it is another than the requested one: with or without a
    /// leading `www`.
    pub other_form: Option<Host>,
    /// The authoritative capture.
    pub capture: CaptureDetails,
    /// The capture that holds the rules, if it is another: the end of a redirect
    /// chain, or the content of a revisit.
    pub rules_capture: Option<CaptureDetails>,
    /// The number of redirects from the authoritative capture to the file whose rules apply, in a history,
    /// which does not store the locations of their records. 0 in a dataset.
    pub redirects_without_place: u32,
    /// The effect of the HTTP status; `None` if the body decides.
    pub effect: Option<StatusEffect>,
    /// The verdicts, answers and anomalies.
    pub report: CheckReport,
    /// True if the dataset has the table `anomalies`.
    pub has_anomalies: bool,
    /// The number of faults of the archive. Each may hide captures.
    pub faults: u64,
    /// The archive of the capture whose rules apply.
    pub archive: ArchiveLookup,
    /// The text; `None` if no robots.txt applies.
    pub text: Option<NumberedText>,
}

impl HostReport {
    /// Returns the capture whose rules apply.
    pub fn deciding_capture(&self) -> &CaptureDetails {
        self.rules_capture.as_ref().unwrap_or(&self.capture)
    }
}

/// Finds the authoritative capture of a host, and checks it.
///
/// # Errors
///
/// [`DatasetErrorKind::NoCapture`] if there is none; errors of reading and of
/// [`Dataset::open`]; [`ErrorKind::Abandoned`](disk::error::ErrorKind::Abandoned) once `stop` is set.
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
    // Statements about the use of content.
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
    let rules_capture = match source.id == id {
        true => None,
        false => CaptureDetails::read(&dataset, source.id)?,
    };
    let effect = source.effect(request.dialect.dialect());
    let file = HostFile::read(&dataset, &source)?;
    let report = CheckReport {
        agents: build_agent_reports(&file, effect, request),
        anomalies: match has_anomalies {
            true => read_anomalies(&dataset, source.id)?,
            false => Vec::new(),
        },
    };
    let scanned = ArchiveBase::Path(path.to_owned());
    let host_request = &HostRequest {
        base: host_request.base.or(root.is_scanned.then_some(&scanned)),
        ..*host_request
    };
    let deciding = rules_capture.as_ref().unwrap_or(&capture);
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
    /// True if an archive was scanned into it.
    is_scanned: bool,
    /// The number of faults of the archive; 0 if none was scanned.
    faults: u64,
}

impl DatasetRoot {
    /// Returns the dataset of the request. An archive is scanned into a dataset
    /// in `temp_folder`.
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

/// Finds the authoritative capture of a host. If it has none, that of the other form of its name is
/// returned with this form.
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

/// The robots.txt of a host, rebuilt from its rows, and what its status means.
pub(super) struct HostFile {
    pub(super) file: RobotsTxtBuilder,
    /// The effect of the status in each dialect.
    pub(super) effects: [(Dialect, StatusEffect); 3],
    /// The time of the fetch, in milliseconds since 1970.
    pub(super) time: Option<i64>,
}

impl HostFile {
    fn read(dataset: &Dataset, source: &RulesSource) -> Result<Self, Error> {
        let mut file = RobotsTxtBuilder::new();
        let effects = Dialect::ALL.map(|dialect| (dialect, source.effect(dialect)));
        if effects
            .iter()
            .any(|(_, effect)| *effect == StatusEffect::Parse)
        {
            push_lines(dataset, source, &mut file)?;
        }
        Ok(Self {
            file,
            effects,
            time: source.time,
        })
    }
}

/// Returns the results for each crawler. `effect` is that of the status in the
/// requested dialect.
pub(super) fn build_agent_reports(
    host: &HostFile,
    effect: StatusEffect,
    request: &CheckRequest<'_>,
) -> Vec<AgentReport> {
    let request = &CheckRequest {
        fetch_time: host.time,
        ..*request
    };
    let robots = host.file.as_robots_txt();
    let verdicts = Evaluator::new().verdicts(&robots);
    let line_text = |line_no: u32| compose_line_text(&robots, line_no);
    let reports = request.crawlers().map(|crawler| {
        let mut report = match status_verdict(effect) {
            None => build_agent_report(&robots, &verdicts, request, &crawler, &line_text),
            Some(verdict) => build_status_report(request, &crawler, verdict),
        };
        for ((_, verdict), (_, effect)) in report.verdicts.by_dialect.iter_mut().zip(host.effects) {
            if let Some(by_status) = status_verdict(effect) {
                *verdict = by_status;
            }
        }
        report
    });
    reports.collect()
}

/// Composes the text of a line from its key and its value.
fn compose_line_text(robots: &RobotsTxt<'_>, line_no: u32) -> Option<String> {
    let mut directives = robots.directives().iter();
    let directive = directives.find(|directive| directive.line_no == line_no)?;
    let separator = if directive.has_colon { ": " } else { " " };
    let key = String::from_utf8_lossy(robots.text(directive.key_raw));
    let value = String::from_utf8_lossy(robots.text(directive.value_raw));
    Some(format!("{key}{separator}{value}"))
}

/// Returns the verdict for a host whose status has this effect; `None` if the body decides.
fn status_verdict(effect: StatusEffect) -> Option<Verdict> {
    match effect {
        StatusEffect::Parse => None,
        StatusEffect::AllowAll => Some(Verdict::AllowAll),
        StatusEffect::DisallowAll => Some(Verdict::DisallowAll),
        StatusEffect::Follow | StatusEffect::Defer => Some(Verdict::Unknown),
    }
}

/// Returns the results for one crawler if the status determines the verdict.
fn build_status_report(
    request: &CheckRequest<'_>,
    crawler: &Crawler,
    verdict: Verdict,
) -> AgentReport {
    let policy = disallow_all_policy(request.dialect);
    let urls = request.urls.iter().map(|url| {
        let is_allowed = match verdict {
            Verdict::AllowAll => Some(true),
            Verdict::DisallowAll => Some(policy.access(url.as_bytes()).is_allowed),
            Verdict::Partial | Verdict::Unknown => None,
        };
        UrlResult {
            url: url.clone(),
            is_allowed,
            rule: None,
            preferences: Vec::new(),
        }
    });
    AgentReport {
        agent: crawler.agent().to_owned(),
        urls: urls.collect(),
        verdicts: CrawlerVerdicts {
            verdict,
            basis: Basis::HttpStatus,
            decided_by: None,
            evidence_line: None,
            by_dialect: Dialect::ALL.map(|dialect| (dialect, verdict)),
        },
        lines: Vec::new(),
    }
}

/// Returns a filter for one capture.
fn capture_filter(id: CaptureId) -> CaptureFilter {
    CaptureFilter::One {
        crawl: id.crawl,
        robots_id: id.robots_id,
    }
}

/// Adds the lines of a capture to `file`. If the dataset has the capture twice, each line is read
/// twice and added once.
fn push_lines(
    dataset: &Dataset,
    source: &RulesSource,
    file: &mut RobotsTxtBuilder,
) -> Result<(), Error> {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    dataset.read_lines(&capture_filter(source.id), &mut |crawl, robots_id, line| {
        if (CaptureId { crawl, robots_id }) == source.id {
            let mut record = Vec::new();
            line.write(&mut record);
            lines.push(record);
        }
        Ok(())
    })?;
    lines.sort();
    lines.dedup();
    for line in &lines {
        if !StoredLine::read(line).push_to(file, source.is_valid_utf8) {
            break;
        }
    }
    file.set_content_class(source.content);
    Ok(())
}

fn read_anomalies(dataset: &Dataset, id: CaptureId) -> Result<Vec<ReportedAnomaly>, Error> {
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

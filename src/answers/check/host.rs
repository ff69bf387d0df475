//! Checks the authoritative capture of a host.
//!
//! The steps: open the dataset or the history (an archive is scanned into a temporary dataset), find the authoritative
//! capture, rebuild its robots.txt from the rows of tables, evaluate it, and read its text.

use super::archive_base::ArchiveBase;
use super::archive_of_capture;
use super::fetch_command::FetchCommand;
use super::numbered_text::{NumberedText, TextLine, TextSource};
use super::parsed_file::ParsedFile;
use super::report::{CaptureDetails, CheckReport, HostReport, ReportedAnomaly};
use super::robots_txt::CheckRequest;
use super::{InputKind, scanned_archive};
use crate::captures::{Captures, DatasetCaptures, FoundCapture, HistoryCaptures, LineLimit};
use dataset::Dataset;
use dataset::error::{DatasetDefect, DatasetErrorKind};
use disk::SystemTempFolder;
use errors::Error;
use history::HistoryManifest;
use history::read::history_reader::HistoryReader;
use hosts::{AsOf, Host, ResolveContext};
use remote::Remote;
use robots::{ParseOptions, RobotsTxt, RobotsTxtBuilder, StatusEffect};
use sort::{MIN_MEMORY_BYTES, SortMemory, SpillFolder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use tables::Table;

/// A host to check in a dataset or an archive.
#[derive(Clone, Copy, Debug)]
pub struct HostRequest<'a> {
    /// The folder of a dataset or a history, or an archive.
    pub path: &'a Path,
    pub host: &'a Host,
    /// The crawls that are read; if empty, all.
    pub crawls: &'a [String],
    /// The time for which the host is checked, in milliseconds since 1970;
    /// `None` for the newest capture.
    pub as_of: Option<i64>,
    /// The number of bytes of a body within which a line must end to count, if `path` is an archive. For a
    /// dataset, the limit of its scan applies.
    pub body_limit: Option<u64>,
    /// The folder or URL where the archives are found; `None` if the names of archives are their paths.
    pub base: Option<&'a ArchiveBase>,
    /// The client that reads archives at URLs.
    pub remote: Option<&'a Remote>,
}

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
    ) -> Result<StoredText, Error>;
}

/// The text of a capture, as far as tables have it.
pub(super) enum StoredText {
    /// The whole body.
    Body(Vec<u8>),
    /// Some of the lines, by their numbers.
    Lines {
        source: TextSource,
        lines: BTreeMap<u32, String>,
        /// The tables of lines that the data do not have.
        missing_tables: Vec<&'static str>,
    },
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
) -> Result<CheckReport, Error> {
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
    let mut report = check_captures(&DatasetCaptures { context }, host_request, request, stop)?;
    if let Some(host) = &mut report.host {
        host.faults = root.faults;
    }
    Ok(report)
}

fn check_captures<C: CheckedCaptures>(
    captures: &C,
    host_request: &HostRequest<'_>,
    request: &CheckRequest<'_>,
    stop: &Arc<AtomicBool>,
) -> Result<CheckReport, Error> {
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
    LineLimit::new(path).take(n_lines.unwrap_or_default() as usize, 0)?;
    let rows = read_rows(captures, &found, path)?;
    let robots = rows.as_robots_txt();
    let of_capture = CheckRequest {
        fetch_time: found.time,
        ..*request
    };
    let line_text = |line_no: u32| compose_line_text(&robots, line_no);
    let file = ParsedFile::from_robots_txt(&robots, ParseOptions::default());
    let agents = file.agent_reports(&of_capture, found.effects, &line_text);
    let anomalies = captures.anomalies(&found, path)?;
    let is_elsewhere = details.redirects_without_place > 0 && effect == StatusEffect::Parse;
    let archived = archive_of_capture::read_body(host_request, deciding, stop)?;
    let (body, problem) = match archived.body.transpose() {
        Ok(body) => (body, None),
        Err(problem) => (None, Some(problem)),
    };
    let text = match (&deciding.body, body) {
        (None, _) if !is_elsewhere => None,
        (Some(details), Some(body)) => {
            Some(NumberedText::from_body(TextSource::Archive, &body, details))
        }
        _ => Some(captures.text(&found, deciding)?.number(deciding)),
    };
    let record = deciding.record.clone();
    let name = host_request.host.to_string();
    let other_form = found.other_form.map(|host| host.to_string());
    let host = HostReport {
        found_as: other_form.unwrap_or_else(|| name.clone()),
        host: name,
        fetch: FetchCommand::new(&record, archived.place.as_ref()),
        record,
        capture: details.capture,
        rules_capture: details.rules_capture,
        redirects_without_place: details.redirects_without_place,
        effect,
        archive: archived.place,
        problem,
        faults: 0,
    };
    Ok(CheckReport {
        host: Some(host),
        agents,
        anomalies,
        text,
        dialect: request.dialect,
    })
}

impl StoredText {
    /// Returns the numbered lines of the text of a capture.
    fn number(self, capture: &CaptureDetails) -> NumberedText {
        let details = capture.body.as_ref();
        match self {
            Self::Body(body) => {
                let details = details.expect("only a capture with a body has a text");
                NumberedText::from_body(TextSource::Body, &body, details)
            }
            Self::Lines {
                source,
                lines,
                missing_tables,
            } => NumberedText {
                source,
                missing_tables,
                n_lines: details.and_then(|details| details.n_lines),
                is_cut: false,
                lines: lines
                    .into_iter()
                    .map(|(line_no, text)| TextLine { line_no, text })
                    .collect(),
            },
        }
    }
}

/// Reads the robots.txt of a capture from rows, unless the status decides in every dialect. `path` is the path of the
/// data in errors.
fn read_rows<C: Captures>(
    captures: &C,
    found: &FoundCapture<C>,
    path: &Path,
) -> Result<RobotsTxtBuilder, Error> {
    let mut file = RobotsTxtBuilder::new();
    let mut effects = found.effects.iter();
    if effects.any(|(_, effect)| *effect == StatusEffect::Parse) {
        let mut rules = captures.open_rules(&[found.place])?;
        let limit = &mut LineLimit::new(path);
        captures.read_file(&mut rules, &found.place, limit, &mut file)?;
    }
    Ok(file)
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

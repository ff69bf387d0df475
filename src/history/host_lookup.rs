//! Finds a capture of one host in a history, and its policy.
//!
//! The rows of a host are next to each other in each table, so that few row groups are read.

use super::capture_record::StateDetails;
use super::damaged_history_error;
use super::history_input::HistoryReader;
use super::keyed_rows::{KeyedReader, POLICIES};
use super::revisits::state_of_period;
use crate::own_tables;
use dataset::error::DatasetErrorKind;
use dataset::{CaptureFilter, ColumnValuesFilter, check_crawls};
use disk::error::Error;
use hosts::Host;
use hosts::host::{MAX_SUGGESTED_HOSTS, typing_errors};
use sort::sort_key::FieldReader;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use urls::WebOrigin;

/// The arguments of [`find_host`].
pub struct HostLookup<'a> {
    /// The host that is looked up.
    pub host: &'a Host,
    /// The crawls that are searched; all if it is empty.
    pub crawls: &'a [String],
    /// The latest time that the capture may have, in milliseconds since 1970; `None` for the last capture.
    pub as_of: Option<i64>,
}

/// A row of `host_captures` with the name of its archive, its state and its digest.
#[derive(Clone, Debug)]
pub struct PlacedCapture {
    /// The name of the crawl.
    pub crawl: String,
    /// Milliseconds since 1970.
    pub fetch_time: Option<i64>,
    /// The name of the archive, as in `warc_filename`.
    pub archive: String,
    /// The offset of the record in the archive.
    pub offset: i64,
    /// The index of the record among those that share the offset.
    pub record_in_member: u32,
    /// The state of the period of the capture.
    pub state: StateDetails,
    /// The digest of its content; for an open revisit, of the content that it refers to. `None` for other captures
    /// whose body was not read, or was read at the end of a redirect.
    pub digest: Option<String>,
}

/// The capture of a host, and the rules that apply.
#[derive(Clone, Debug)]
pub struct FoundHost {
    /// The host with the other form of its name (with or without `www.`), if only that has a capture.
    pub other_form: Option<Host>,
    /// The authoritative capture.
    pub capture: PlacedCapture,
    /// If `capture` is a revisit, the capture that has its content; `None` if no capture has it.
    pub content: Option<PlacedCapture>,
    /// The record of the policy (`KeyedRecord`); `None` if no line was read.
    pub policy: Option<Vec<u8>>,
}

impl FoundHost {
    /// Returns the capture whose rules apply: `content`, or `capture` if that is `None`.
    pub fn source(&self) -> &PlacedCapture {
        self.content.as_ref().unwrap_or(&self.capture)
    }
}

/// A row of `host_captures`, without the name of the archive.
struct CaptureRow {
    capture_no: i64,
    crawl: String,
    fetch_time: Option<i64>,
    archive_no: i64,
    offset: i64,
    record_in_member: u32,
    period_id: i64,
}

/// The rows of the tables `host_captures`, `host_periods` and `host_contents` with one `surt_host_name`.
struct HostRows {
    captures: Vec<CaptureRow>,
    /// The states of the periods, by `period_id`.
    states: BTreeMap<i64, StateDetails>,
    /// For each row of `host_contents`: the number of the first capture, the number of captures, and the digest.
    contents: Vec<(i64, i64, String)>,
}

/// Finds the latest capture of a host that is not later than the requested time. If the host has none, finds that of
/// the other form of its name (with or without `www.`).
///
/// # Errors
///
/// [`DatasetErrorKind::NoCapture`] if the host has no such capture; [`DatasetErrorKind::MissingCrawl`] if the
/// history lacks a requested crawl; errors of reading.
pub fn find_host(history: &HistoryReader, lookup: &HostLookup<'_>) -> Result<FoundHost, Error> {
    let known = history.crawls.iter().map(|row| &row.crawl);
    check_crawls(history.root(), lookup.crawls, known)?;
    let name = lookup.host.surt_host_name();
    let rows = HostRows::read(history, &name)?;
    let other_form = lookup.host.other_form();
    let (mut found, mut found_in_other_form): (Option<&CaptureRow>, _) = (None, None);
    let mut first_time = None;
    let mut others = BTreeSet::new();
    let median_fetches = history.places();
    for row in &rows.captures {
        if !lookup.crawls.is_empty() && !lookup.crawls.contains(&row.crawl) {
            continue;
        }
        let state = rows.state(history, row)?;
        let origin = state.origin.web_origin();
        let is_host = lookup.host.matches(&origin);
        let is_other_form = other_form
            .as_ref()
            .is_some_and(|host| host.matches(&origin));
        if !is_host {
            others.insert(origin_text(&origin));
        }
        let crawl = median_fetches.get(&row.crawl);
        let median_fetch = crawl.and_then(|crawl| crawl.median_fetch);
        let time = row.fetch_time.or(median_fetch).unwrap_or(i64::MIN);
        let is_in_time = lookup.as_of.is_none_or(|as_of| time <= as_of);
        if is_host {
            first_time = first_time.or(Some(time));
            found = Some(row).filter(|_| is_in_time).or(found);
        } else if is_other_form && is_in_time {
            found_in_other_form = Some(row);
        }
    }
    let other_form = other_form.filter(|_| found.is_none());
    let Some(row) = found.or(found_in_other_form) else {
        if first_time.is_none() && others.is_empty() {
            others = near_hosts(history, &name)?;
        }
        let kind = DatasetErrorKind::NoCapture {
            host: lookup.host.to_string(),
            first_time,
            similar: others.into_iter().collect(),
        };
        return Err(Error::new(kind, history.root()));
    };
    let capture = rows.place(history, row)?;
    let content = find_content(history, row)?;
    let source = content.as_ref().unwrap_or(&capture);
    let policy = read_policy(history, &source.state)?;
    Ok(FoundHost {
        other_form,
        capture,
        content,
        policy,
    })
}

/// Returns the hosts of the history whose `surt_host_name` differs from `name` only by typing errors, the most
/// similar ones if there are many.
fn near_hosts(history: &HistoryReader, name: &str) -> Result<BTreeSet<String>, Error> {
    let mut near = BTreeSet::new();
    let mut periods = history.open_columns(own_tables::HOST_PERIODS, &["surt_host_name"])?;
    while let Some(row) = periods.peek() {
        let other = String::from_utf8_lossy(FieldReader::new(row).bytes());
        if let Some(distance) = typing_errors(&other, name) {
            let labels: Vec<&str> = other.rsplit(',').collect();
            near.insert((distance, labels.join(".")));
            if near.len() > MAX_SUGGESTED_HOSTS {
                near.pop_last();
            }
        }
        periods.advance()?;
    }
    Ok(near.into_iter().map(|(_, host)| host).collect())
}

/// Returns the origin of a state as text, such as `https://example.com:8443`.
pub fn state_origin_text(state: &StateDetails) -> String {
    origin_text(&state.origin.web_origin())
}

fn origin_text(origin: &WebOrigin<'_>) -> String {
    let port = origin.port.map(|port| format!(":{port}"));
    let port = port.unwrap_or_default();
    format!("{}://{}{port}", origin.scheme, origin.host)
}

/// Returns a filter for the rows that have the value `text` in a column.
fn filter_by_value(column: &'static str, text: &str) -> CaptureFilter {
    CaptureFilter::Values(Arc::new(ColumnValuesFilter {
        column,
        values: BTreeSet::from([text.to_owned()]),
    }))
}

impl HostRows {
    fn read(history: &HistoryReader, name: &str) -> Result<Self, Error> {
        let filter = filter_by_value("surt_host_name", name);
        let mut rows = Self {
            captures: Vec::new(),
            states: BTreeMap::new(),
            contents: Vec::new(),
        };
        let mut captures = history.open_filtered(own_tables::HOST_CAPTURES, &filter)?;
        while let Some(row) = captures.peek() {
            rows.captures.push(CaptureRow::read(row));
            captures.advance()?;
        }
        let mut periods = history.open_filtered(own_tables::HOST_PERIODS, &filter)?;
        while let Some(row) = periods.peek() {
            let mut fields = FieldReader::new(row);
            let period_id = fields.i64();
            let state = StateDetails::read(state_of_period(fields.rest()));
            rows.states.insert(period_id, state);
            periods.advance()?;
        }
        let mut contents = history.open_filtered(own_tables::HOST_CONTENTS, &filter)?;
        while let Some(row) = contents.peek() {
            let mut fields = FieldReader::new(row);
            fields.bytes();
            let (first, count) = (fields.i64(), i64::from(fields.u32()));
            let digest = String::from_utf8_lossy(fields.bytes()).into_owned();
            rows.contents.push((first, count, digest));
            contents.advance()?;
        }
        Ok(rows)
    }

    fn state(&self, history: &HistoryReader, row: &CaptureRow) -> Result<&StateDetails, Error> {
        let state = self.states.get(&row.period_id);
        state.ok_or_else(|| damaged_history_error(history.root(), own_tables::HOST_PERIODS))
    }

    /// Returns a row of `host_captures` together with the name of the archive, the state and the digest.
    fn place(&self, history: &HistoryReader, row: &CaptureRow) -> Result<PlacedCapture, Error> {
        let state = self.state(history, row)?.clone();
        let revisited = state.revisit.as_ref();
        let revisited = revisited.map(|(digest, _)| String::from_utf8_lossy(digest).into_owned());
        let mut contents = self.contents.iter();
        let content = contents.find(|(first, count, _)| {
            (*first..first.saturating_add(*count)).contains(&row.capture_no)
        });
        let digest = content.map(|(_, _, digest)| digest.clone());
        Ok(PlacedCapture {
            crawl: row.crawl.clone(),
            fetch_time: row.fetch_time,
            archive: read_archive_name(history, row)?,
            offset: row.offset,
            record_in_member: row.record_in_member,
            digest: digest.filter(|_| state.n_redirects == 0).or(revisited),
            state,
        })
    }
}

impl CaptureRow {
    fn read(row: &[u8]) -> Self {
        let mut fields = FieldReader::new(row);
        let capture_no = fields.i64();
        fields.bytes();
        Self {
            capture_no,
            crawl: String::from_utf8_lossy(fields.bytes()).into_owned(),
            fetch_time: (fields.u8() != 0).then(|| fields.i64()),
            archive_no: fields.i64(),
            offset: fields.i64(),
            record_in_member: fields.u32(),
            period_id: fields.i64(),
        }
    }
}

fn read_archive_name(history: &HistoryReader, row: &CaptureRow) -> Result<String, Error> {
    let filter = filter_by_value("crawl", &row.crawl);
    let mut archives = history.open_filtered(own_tables::ARCHIVES, &filter)?;
    while let Some(archive) = archives.peek() {
        let mut fields = FieldReader::new(archive);
        fields.bytes();
        if fields.i64() == row.archive_no {
            return Ok(String::from_utf8_lossy(fields.bytes()).into_owned());
        }
        archives.advance()?;
    }
    Err(damaged_history_error(history.root(), own_tables::ARCHIVES))
}

/// Finds the capture that has the content of an open revisit. Returns `None` if `revisit` is not an open revisit, and
/// if no capture has the content.
fn find_content(
    history: &HistoryReader,
    revisit: &CaptureRow,
) -> Result<Option<PlacedCapture>, Error> {
    let filter = CaptureFilter::Number {
        column: "capture_no",
        number: revisit.capture_no,
    };
    let mut filled = history.open_filtered(own_tables::FILLED_REVISITS, &filter)?;
    let mut found = None;
    while let Some(row) = filled.peek() {
        let mut fields = FieldReader::new(row);
        if fields.i64() == revisit.capture_no {
            let period_id = fields.i64();
            found = Some((
                period_id,
                String::from_utf8_lossy(fields.bytes()).into_owned(),
            ));
            break;
        }
        filled.advance()?;
    }
    let Some((period_id, crawl)) = found else {
        return Ok(None);
    };
    let name = read_period_host(history, period_id)?;
    let rows = HostRows::read(history, &name)?;
    let mut captures = rows.captures.iter();
    let capture = captures.find(|row| row.period_id == period_id && row.crawl == crawl);
    let capture = capture
        .ok_or_else(|| damaged_history_error(history.root(), own_tables::FILLED_REVISITS))?;
    rows.place(history, capture).map(Some)
}

/// Returns the column `surt_host_name` of a period.
fn read_period_host(history: &HistoryReader, period_id: i64) -> Result<String, Error> {
    let filter = CaptureFilter::Number {
        column: "period_id",
        number: period_id,
    };
    let mut periods = history.open_filtered(own_tables::HOST_PERIODS, &filter)?;
    while let Some(row) = periods.peek() {
        let mut fields = FieldReader::new(row);
        if fields.i64() == period_id {
            return Ok(String::from_utf8_lossy(fields.bytes()).into_owned());
        }
        periods.advance()?;
    }
    Err(damaged_history_error(
        history.root(),
        own_tables::HOST_PERIODS,
    ))
}

/// Reads the record of the policy of a state; `None` if the state has no policy.
fn read_policy(history: &HistoryReader, state: &StateDetails) -> Result<Option<Vec<u8>>, Error> {
    let Some(policy_id) = &state.policy_id else {
        return Ok(None);
    };
    let filter = filter_by_value("policy_id", &String::from_utf8_lossy(policy_id));
    let policies = KeyedReader::open_filtered(history, POLICIES, &filter)?;
    let policy = policies.peek().map(<[u8]>::to_vec);
    policy
        .map(Some)
        .ok_or_else(|| damaged_history_error(history.root(), own_tables::POLICIES))
}

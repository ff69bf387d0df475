//! Finds a capture of one host in a history, and its policy.
//!
//! The rows of a host are next to each other in each file, so that few row groups are read.

use super::capture_record::StateDetails;
use super::damaged_history_error;
use super::history_input::HistoryReader;
use super::keyed_rows::{KeyedReader, POLICIES};
use crate::own_tables;
use dataset::error::DatasetErrorKind;
use dataset::{CaptureFilter, ColumnValuesFilter, check_crawls};
use disk::error::Error;
use hosts::Host;
use hosts::host::{MAX_SUGGESTED_HOSTS, typing_errors};
use sort::sort_key::FieldReader;
use std::collections::BTreeSet;
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
    /// The digest of its content; `None` if its body was not read, or was read at the end of a redirect.
    pub digest: Option<String>,
}

/// The capture of a host, and its rules.
#[derive(Clone, Debug)]
pub struct FoundHost {
    /// The host with the other form of its name (with or without `www.`), if only that has a capture.
    pub other_form: Option<Host>,
    /// The authoritative capture.
    pub capture: PlacedCapture,
    /// The record of the policy (`KeyedRecord`); `None` if no line was read.
    pub policy: Option<Vec<u8>>,
}

/// A row of `host_captures`, without the name of the archive.
struct CaptureRow {
    crawl: String,
    /// The time by which the captures of a host are sorted.
    order_time: i64,
    fetch_time: Option<i64>,
    archive_no: i64,
    offset: i64,
    record_in_member: u32,
    period_no: u32,
    content_no: Option<u32>,
}

/// The rows of a host in the tables `host_captures`, `host_periods` and `host_contents`.
#[derive(Default)]
struct HostRows {
    host_no: i64,
    captures: Vec<CaptureRow>,
    /// The states of the periods, by `period_no`.
    states: Vec<StateDetails>,
    /// The digests of the contents, by `content_no`.
    contents: Vec<String>,
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
        let time = row.order_time;
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
    let policy = read_policy(history, &capture.state)?;
    Ok(FoundHost {
        other_form,
        capture,
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
        let damaged = |table| damaged_history_error(history.root(), table);
        let mut rows = Self::default();
        let mut periods = history.open_filtered(own_tables::HOST_PERIODS, &filter)?;
        while let Some(row) = periods.peek() {
            let mut fields = FieldReader::new(row);
            rows.host_no = fields.i64();
            if fields.u32() as usize != rows.states.len() {
                return Err(damaged(own_tables::HOST_PERIODS));
            }
            rows.states
                .push(StateDetails::read(state_of_period(&mut fields)));
            periods.advance()?;
        }
        let mut contents = history.open_filtered(own_tables::HOST_CONTENTS, &filter)?;
        while let Some(row) = contents.peek() {
            let mut fields = FieldReader::new(row);
            fields.bytes();
            if fields.u32() as usize != rows.contents.len() {
                return Err(damaged(own_tables::HOST_CONTENTS));
            }
            let _period_no = fields.u32();
            let digest = String::from_utf8_lossy(fields.bytes()).into_owned();
            rows.contents.push(digest);
            contents.advance()?;
        }
        if !rows.states.is_empty() {
            rows.read_captures(history)?;
        }
        Ok(rows)
    }

    /// Reads the captures of the host, in the order of times.
    fn read_captures(&mut self, history: &HistoryReader) -> Result<(), Error> {
        let filter = filter_by_host_no(self.host_no);
        let places = history.places();
        let mut captures = history.open_filtered(own_tables::HOST_CAPTURES, &filter)?;
        while let Some(row) = captures.peek() {
            let mut fields = FieldReader::new(row);
            let (_capture_no, crawl) = (fields.i64(), fields.bytes());
            let crawl = String::from_utf8_lossy(crawl).into_owned();
            let _host_no = fields.i64();
            let median_fetch = places.get(&crawl).and_then(|crawl| crawl.median_fetch);
            self.captures
                .push(CaptureRow::read(crawl, median_fetch, &mut fields));
            captures.advance()?;
        }
        let order = |row: &CaptureRow| {
            (
                row.order_time,
                places.get(&row.crawl).map(|crawl| crawl.position),
            )
        };
        self.captures.sort_by_key(order);
        Ok(())
    }

    fn state(&self, history: &HistoryReader, row: &CaptureRow) -> Result<&StateDetails, Error> {
        let state = self.states.get(row.period_no as usize);
        state.ok_or_else(|| damaged_history_error(history.root(), own_tables::HOST_PERIODS))
    }

    /// Returns a row of `host_captures` together with the name of the archive, the state and the digest.
    fn place(&self, history: &HistoryReader, row: &CaptureRow) -> Result<PlacedCapture, Error> {
        let state = self.state(history, row)?.clone();
        let content = row
            .content_no
            .map(|number| self.contents.get(number as usize));
        let digest = content.map(|digest| digest.cloned());
        let digest = digest.map(|digest| {
            digest.ok_or_else(|| damaged_history_error(history.root(), own_tables::HOST_CONTENTS))
        });
        let digest = digest.transpose()?;
        Ok(PlacedCapture {
            crawl: row.crawl.clone(),
            fetch_time: row.fetch_time,
            archive: read_archive_name(history, row)?,
            offset: row.offset,
            record_in_member: row.record_in_member,
            digest: digest.filter(|_| state.n_redirects == 0),
            state,
        })
    }
}

/// Returns the state of a row of `host_periods`, of which the fields from `surt_host_name` on are left.
fn state_of_period<'a>(fields: &mut FieldReader<'a>) -> &'a [u8] {
    for _ in ["surt_host_name", "first_crawl", "last_crawl"] {
        fields.bytes();
    }
    for _ in ["first_fetch", "last_fetch"] {
        if fields.u8() != 0 {
            fields.i64();
        }
    }
    let (_n_captures, _domain_id) = (fields.u32(), fields.i64());
    fields.rest()
}

impl CaptureRow {
    /// Reads the fields from `fetch_time` on. `median_fetch` is the median time of the crawl.
    fn read(crawl: String, median_fetch: Option<i64>, fields: &mut FieldReader<'_>) -> Self {
        let fetch_time = (fields.u8() != 0).then(|| fields.i64());
        Self {
            crawl,
            order_time: fetch_time.or(median_fetch).unwrap_or(i64::MIN),
            fetch_time,
            archive_no: fields.i64(),
            offset: fields.i64(),
            record_in_member: fields.u32(),
            period_no: fields.u32(),
            content_no: (fields.u8() != 0).then(|| fields.u32()),
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

/// Returns a filter for the rows of a host.
fn filter_by_host_no(host_no: i64) -> CaptureFilter {
    CaptureFilter::Number {
        column: "host_no",
        number: host_no,
    }
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

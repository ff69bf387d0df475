//! Finds a capture of one host in a history.
//!
//! The rows of a host are next to each other in each file, so that few row groups are read.

use crate::error::damaged_history_error;
use crate::own_tables;
use crate::read::capture_record::{AccessState, CaptureAddress};
use crate::read::history_reader::HistoryReader;
use dataset::error::DatasetErrorKind;
use dataset::{BatchRow, CaptureFilter, ColumnValuesFilter, check_crawls, row};
use errors::Error;
use hosts::host::{MAX_SUGGESTED_HOSTS, typing_errors};
use hosts::{AsOf, Host};
use std::collections::BTreeSet;
use std::sync::Arc;
use tables::Column;
use urls::WebOrigin;

/// A row of `host_captures` with the name of its archive, its state and its digest.
#[derive(Clone, Debug)]
pub struct PlacedCapture {
    /// The name of the crawl.
    pub crawl: String,
    /// The time of the capture, and the location of its record.
    pub address: CaptureAddress,
    /// The name of the archive, as in `warc_filename`.
    pub archive: String,
    /// The columns [`ACCESS`] of its period.
    state: Vec<u8>,
    /// The digest of its content; `None` if its body was not read, or was read at the end of a redirect.
    pub digest: Option<String>,
}

impl PlacedCapture {
    /// Returns the state of the period of the capture.
    pub fn state(&self) -> AccessState<'_> {
        sort::read::<AccessState<'static>>(&self.state)
    }
}

/// The columns of a state on which access depends.
const ACCESS: &[Column] = AccessState::COLUMNS;

row! {
    /// A period of a host with what access depends on.
    struct HostPeriod<'a> of own_tables::HOST_PERIODS {
        host_no: i64,
        period_no: u32,
        ..state: ACCESS as AccessState<'static>,
    }
}

row! {
    /// A content of a host.
    struct HostContent<'a> of own_tables::HOST_CONTENTS {
        content_no: u32,
        content_digest: &'a str,
    }
}

row! {
    /// A capture of a host.
    struct HostCapture<'a> of own_tables::HOST_CAPTURES {
        crawl: &'a str,
        fetch_time: Option<i64>,
        archive_no: i64,
        warc_record_offset: i64,
        warc_record_in_member: u32,
        period_no: u32,
        content_no: Option<u32>,
    }
}

row! {
    struct HostName<'a> of own_tables::HOST_PERIODS {
        surt_host_name: &'a str,
    }
}

row! {
    struct Archive<'a> of own_tables::ARCHIVES {
        archive_no: i64,
        warc_filename: &'a str,
    }
}

/// A row of `host_captures`, without the name of the archive.
struct CaptureRow {
    crawl: String,
    /// The time by which the captures of a host are sorted.
    order_time: i64,
    address: CaptureAddress,
    period_no: u32,
    content_no: Option<u32>,
}

/// The rows of a host in the tables `host_captures`, `host_periods` and `host_contents`.
#[derive(Default)]
struct HostRows {
    host_no: i64,
    captures: Vec<CaptureRow>,
    /// The columns [`ACCESS`] of the periods, by `period_no`.
    states: Vec<Vec<u8>>,
    /// The digests of the contents, by `content_no`.
    contents: Vec<String>,
}

/// Finds the latest capture of a host in some crawls (in all if `crawls` is empty) that is not later than `as_of`. If the
/// host has none, finds that of the other form of its name (with or without `www.`), and returns this form, too.
///
/// # Errors
///
/// [`DatasetErrorKind::NoCapture`] if the host has no such capture; [`DatasetErrorKind::MissingCrawl`] if the
/// history lacks a requested crawl; errors of reading.
pub fn find_host(
    history: &HistoryReader,
    host: &Host,
    crawls: &[String],
    as_of: AsOf,
) -> Result<(PlacedCapture, Option<Host>), Error> {
    let known = history.crawls.iter().map(|row| &row.crawl);
    check_crawls(history.root(), crawls, known)?;
    let name = host.surt_host_name();
    let rows = HostRows::read(history, &name)?;
    let other_form = host.other_form();
    let (mut found, mut found_in_other_form): (Option<&CaptureRow>, _) = (None, None);
    let mut first_time = None;
    let mut others = BTreeSet::new();
    for row in &rows.captures {
        if !crawls.is_empty() && !crawls.contains(&row.crawl) {
            continue;
        }
        let state = rows.state(history, row)?;
        let origin = sort::read::<AccessState<'static>>(state).origin();
        let is_host = host.matches(&origin);
        let is_other_form = other_form
            .as_ref()
            .is_some_and(|host| host.matches(&origin));
        if !is_host {
            others.insert(origin_text(&origin));
        }
        let time = row.order_time;
        let is_in_time = as_of.includes(Some(time));
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
            host: host.to_string(),
            first_time,
            similar: others.into_iter().collect(),
        };
        return Err(Error::new(kind, history.root()));
    };
    Ok((rows.place(history, row)?, other_form))
}

/// Returns the hosts of the history whose `surt_host_name` differs from `name` only by typing errors, the most
/// similar ones if there are many.
fn near_hosts(history: &HistoryReader, name: &str) -> Result<BTreeSet<String>, Error> {
    let mut near = BTreeSet::new();
    let mut periods = history.rows::<HostName<'_>>()?;
    while let Some(HostName {
        surt_host_name: other,
    }) = periods.next_record()?
    {
        if let Some(distance) = typing_errors(other, name) {
            let labels: Vec<&str> = other.rsplit(',').collect();
            near.insert((distance, labels.join(".")));
            if near.len() > MAX_SUGGESTED_HOSTS {
                near.pop_last();
            }
        }
    }
    Ok(near.into_iter().map(|(_, host)| host).collect())
}

/// Returns the origin of a state as text, such as `https://example.com:8443`.
pub fn origin_text(origin: &WebOrigin<'_>) -> String {
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
        let mut periods = history.filtered_rows::<HostPeriod<'_>>(&filter)?;
        while let Some(period) = periods.next_record()? {
            rows.host_no = period.host_no;
            if period.period_no as usize != rows.states.len() {
                return Err(damaged(own_tables::HOST_PERIODS));
            }
            rows.states.push(period.state.0.to_vec());
        }
        let mut contents = history.filtered_rows::<HostContent<'_>>(&filter)?;
        while let Some(content) = contents.next_record()? {
            if content.content_no as usize != rows.contents.len() {
                return Err(damaged(own_tables::HOST_CONTENTS));
            }
            rows.contents.push(content.content_digest.to_owned());
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
        let mut captures = history.filtered_rows::<HostCapture<'_>>(&filter)?;
        while let Some(capture) = captures.next_record()? {
            let median_fetch = places
                .get(capture.crawl)
                .and_then(|crawl| crawl.median_fetch);
            let address = CaptureAddress {
                fetch_time: capture.fetch_time,
                archive_no: capture.archive_no,
                offset: capture.warc_record_offset,
                record_in_member: capture.warc_record_in_member,
            };
            self.captures.push(CaptureRow {
                crawl: capture.crawl.to_owned(),
                order_time: address.order_time(median_fetch),
                address,
                period_no: capture.period_no,
                content_no: capture.content_no,
            });
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

    fn state(&self, history: &HistoryReader, row: &CaptureRow) -> Result<&[u8], Error> {
        let state = self.states.get(row.period_no as usize);
        let state = state.map(Vec::as_slice);
        state.ok_or_else(|| damaged_history_error(history.root(), own_tables::HOST_PERIODS))
    }

    /// Returns a row of `host_captures` together with the name of the archive, the state and the digest.
    fn place(&self, history: &HistoryReader, row: &CaptureRow) -> Result<PlacedCapture, Error> {
        let state = self.state(history, row)?.to_vec();
        let content = row.content_no.map(|number| {
            let digest = self.contents.get(number as usize).cloned();
            digest.ok_or_else(|| damaged_history_error(history.root(), own_tables::HOST_CONTENTS))
        });
        let mut capture = PlacedCapture {
            crawl: row.crawl.clone(),
            address: row.address,
            archive: read_archive_name(history, row)?,
            state,
            digest: content.transpose()?,
        };
        if capture.state().n_redirects > 0 {
            capture.digest = None;
        }
        Ok(capture)
    }
}

fn read_archive_name(history: &HistoryReader, row: &CaptureRow) -> Result<String, Error> {
    let filter = filter_by_value("crawl", &row.crawl);
    let mut archives = history.filtered_rows::<Archive<'_>>(&filter)?;
    while let Some(archive) = archives.next_record()? {
        if archive.archive_no == row.address.archive_no {
            return Ok(archive.warc_filename.to_owned());
        }
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

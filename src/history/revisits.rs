//! Finds the content of revisits that no capture of their own crawl has, by the rule of docs/verdicts.md:
//! a capture of the same URL comes first, then the latest that is not later than the revisit, then the
//! earliest after it, then the greatest URL, then the later crawl. It is of the same crawl or an earlier
//! one, in the order of the times of their first captures.
//!
//! Most revisits have a capture of the same URL, which `host_revisits.rs` finds while captures are merged. The others
//! and captures with content are sorted by digest and time, once with and once without the URL, and
//! once in each direction of time. In each of these orders, the next capture before a revisit is the one to be
//! found.

use super::capture_record::{StateDetails, StateOrigin, optional_bytes};
use super::crawl_row::CrawlRow;
use super::damaged_history_error;
use super::encoded_rows::EncodedRows;
use super::history_input::{HistoryReader, PlacedCrawl};
use super::shares::{CountedHost, ShareCounter};
use super::table_writer::TableWriters;
use crate::own_tables;
use disk::error::Error;
use sort::sort_key::{FieldReader, put_bytes, put_i64, put_key, put_u8, put_u32};
use sort::{SortMemory, SortedRecords, Sorter};
use std::collections::BTreeMap;
use tables::Table;

/// An order in which the content of a revisit is searched. The first one that finds it decides.
#[derive(Clone, Copy, Debug)]
struct SearchOrder {
    has_same_url: bool,
    /// True for captures that are later than the revisit.
    is_after: bool,
}

const SEARCH_ORDERS: [SearchOrder; 4] = [
    SearchOrder {
        has_same_url: true,
        is_after: false,
    },
    SearchOrder {
        has_same_url: true,
        is_after: true,
    },
    SearchOrder {
        has_same_url: false,
        is_after: false,
    },
    SearchOrder {
        has_same_url: false,
        is_after: true,
    },
];

/// A capture with content, or a revisit.
struct SearchedCapture<'a> {
    digest: &'a [u8],
    url: &'a [u8],
    time: i64,
    /// The place of its crawl in the order of first captures.
    crawl_rank: u32,
    role: CaptureRole,
}

#[derive(Clone, Copy, Debug)]
enum CaptureRole {
    Revisit { capture_no: i64 },
    Content { period_id: i64, position: u32 },
}

impl SearchOrder {
    /// Writes a record that sorts in this order.
    fn write(self, out: &mut Vec<u8>, capture: &SearchedCapture<'_>) {
        out.clear();
        put_key(out, capture.digest);
        if self.has_same_url {
            put_key(out, capture.url);
        }
        let is_revisit = matches!(capture.role, CaptureRole::Revisit { .. });
        put_i64(
            out,
            if self.is_after {
                !capture.time
            } else {
                capture.time
            },
        );
        // Of captures at the time of the revisit, those with content come before it, as they are not later.
        put_u8(out, (is_revisit != self.is_after).into());
        put_u8(out, is_revisit.into());
        put_u32(out, capture.crawl_rank);
        match capture.role {
            CaptureRole::Revisit { capture_no } => put_i64(out, capture_no),
            CaptureRole::Content {
                period_id,
                position,
            } => {
                put_i64(out, period_id);
                put_u32(out, position);
                put_bytes(out, capture.url);
            }
        }
    }
}

/// A capture with content that may be that of the next revisits.
#[derive(Clone, Debug)]
struct Content {
    crawl_rank: u32,
    /// Ascending towards the revisits.
    time: i64,
    url: Vec<u8>,
    position: u32,
    period_id: i64,
}

/// The captures of one group that may still be found, in the order of crawls. A later crawl is only kept if
/// its capture is preferred to those of the crawls before it.
#[derive(Debug, Default)]
struct Candidates(Vec<Content>);

impl Candidates {
    fn push(&mut self, new: Content) {
        let is_better =
            |a: &Content, b: &Content| (a.time, &a.url, a.position) > (b.time, &b.url, b.position);
        let mut before = self
            .0
            .iter()
            .filter(|other| other.crawl_rank <= new.crawl_rank);
        if before.any(|other| is_better(other, &new)) {
            return;
        }
        self.0
            .retain(|other| other.crawl_rank < new.crawl_rank || is_better(other, &new));
        let place = self
            .0
            .partition_point(|other| other.crawl_rank < new.crawl_rank);
        self.0.insert(place, new);
    }

    /// Returns the preferred capture of the crawls up to this one.
    fn find(&self, crawl_rank: u32) -> Option<&Content> {
        self.0
            .iter()
            .rev()
            .find(|content| content.crawl_rank <= crawl_rank)
    }
}

/// A revisit whose content may be in another crawl.
pub(super) struct OpenRevisit<'a> {
    pub(super) host: CountedHost<'a>,
    pub(super) fetch_time: Option<i64>,
    pub(super) state: &'a [u8],
}

impl OpenRevisit<'_> {
    /// Returns the record. Records sort in the order of captures.
    pub(super) fn record(&self) -> Vec<u8> {
        let mut record = Vec::with_capacity(256);
        put_i64(&mut record, self.host.capture_no);
        put_u32(&mut record, self.host.position);
        put_i64(&mut record, self.host.archive_no);
        put_i64(&mut record, self.fetch_time.unwrap_or(i64::MIN));
        put_bytes(&mut record, self.host.surt_host_name);
        record.extend_from_slice(self.state);
        record
    }
}

/// The fields of an [`OpenRevisit`].
struct RevisitFields<'a> {
    capture_no: i64,
    position: u32,
    archive_no: i64,
    time: i64,
    surt_host_name: &'a [u8],
    state: &'a [u8],
}

impl<'a> RevisitFields<'a> {
    fn read(record: &'a [u8]) -> Self {
        let mut fields = FieldReader::new(record);
        Self {
            capture_no: fields.i64(),
            position: fields.u32(),
            archive_no: fields.i64(),
            time: fields.i64(),
            surt_host_name: fields.bytes(),
            state: fields.rest(),
        }
    }
}

/// The content that was found for a revisit.
pub(super) struct FoundContent {
    pub(super) capture_no: i64,
    /// The index of the order that found it; `None` if it is a capture of the same host and URL.
    pub(super) order: Option<u8>,
    pub(super) period_id: i64,
    /// The place of its crawl.
    pub(super) position: u32,
}

impl FoundContent {
    /// Returns the record. Of those of a revisit, the first one decides.
    pub(super) fn record(&self) -> Vec<u8> {
        let mut record = Vec::with_capacity(24);
        put_i64(&mut record, self.capture_no);
        put_u8(&mut record, self.order.map_or(0, |order| order + 1));
        put_i64(&mut record, self.period_id);
        put_u32(&mut record, self.position);
        record
    }

    fn read(record: &[u8]) -> Self {
        let mut fields = FieldReader::new(record);
        Self {
            capture_no: fields.i64(),
            order: fields.u8().checked_sub(1),
            period_id: fields.i64(),
            position: fields.u32(),
        }
    }
}

/// Finds the content of the revisits for which none was found in their own hosts, writes the table with all that were
/// found, and counts the hosts of these revisits in crawls that have a flag. `history` has the captures that were
/// written.
pub(super) fn fill_revisits(
    history: &HistoryReader,
    revisits: &SortedRecords<'_>,
    mut found: Sorter<'_>,
    is_counted: &[bool],
    memory: SortMemory<'_>,
    writers: &mut TableWriters<'_>,
    counter: &mut ShareCounter<'_>,
) -> Result<(), Error> {
    let crawls = &history.crawls;
    if !revisits.is_empty() {
        let sorted = sort_captures(history, revisits, memory)?;
        for (order, records) in (0..).zip(&sorted) {
            search(order, records, &mut found)?;
        }
    }
    let found = found.finish()?;
    let mut by_period = memory.create_sorter();
    let mut reader = found.read()?;
    let mut last = None;
    let mut record = Vec::new();
    while let Some(fields) = reader.peek() {
        let content = FoundContent::read(fields);
        if last != Some(content.capture_no) {
            last = Some(content.capture_no);
            let crawl = &crawls[content.position as usize].crawl;
            record.clear();
            put_i64(&mut record, content.capture_no);
            put_i64(&mut record, content.period_id);
            put_bytes(&mut record, crawl.as_bytes());
            writers.push(
                own_tables::FILLED_REVISITS,
                &[],
                &mut FieldReader::new(&record),
            )?;
            if content.order.is_some() {
                record.clear();
                put_i64(&mut record, content.period_id);
                put_i64(&mut record, content.capture_no);
                by_period.push(&record)?;
            }
        }
        reader.advance()?;
    }
    if revisits.is_empty() {
        return Ok(());
    }
    let of_state = StateDetails::COUNTED_COLUMNS;
    let states = sort_states(history, &by_period.finish()?, &of_state, memory)?;
    count_revisits(revisits, &states, is_counted, counter)
}

/// Counts the hosts of revisits, by their own state or that of their content.
fn count_revisits(
    revisits: &SortedRecords<'_>,
    states: &SortedRecords<'_>,
    is_counted: &[bool],
    counter: &mut ShareCounter<'_>,
) -> Result<(), Error> {
    let (mut revisits, mut states) = (revisits.read()?, states.read()?);
    while let Some(record) = revisits.peek() {
        let revisit = RevisitFields::read(record);
        let key = &record[..size_of::<i64>()];
        let of_content = states.peek().and_then(|state| state.strip_prefix(key));
        let mut details = StateDetails::read(revisit.state);
        if let Some(state) = of_content {
            details = StateDetails {
                registered_domain: details.registered_domain,
                ..StateDetails::read_counted(state)
            };
        }
        if is_counted[revisit.position as usize] {
            counter.push(&CountedHost {
                position: revisit.position,
                surt_host_name: revisit.surt_host_name,
                capture_no: revisit.capture_no,
                archive_no: revisit.archive_no,
                details: &details,
            })?;
        }
        if of_content.is_some() {
            states.advance()?;
        }
        revisits.advance()?;
    }
    Ok(())
}

/// Adds captures to the sorters of all orders.
struct SearchSorters<'s> {
    sorters: [Sorter<'s>; SEARCH_ORDERS.len()],
    record: Vec<u8>,
}

impl SearchSorters<'_> {
    fn push(&mut self, capture: &SearchedCapture<'_>) -> Result<(), Error> {
        for (order, sorter) in SEARCH_ORDERS.iter().zip(&mut self.sorters) {
            order.write(&mut self.record, capture);
            sorter.push(&self.record)?;
        }
        Ok(())
    }
}

/// Returns for each crawl its place in the order of first captures.
pub(super) fn rank_crawls(crawls: &[CrawlRow]) -> Vec<u32> {
    let mut by_rank: Vec<usize> = (0..crawls.len()).collect();
    by_rank.sort_by_key(|&i| (crawls[i].first_capture, &crawls[i].crawl));
    let mut ranks = vec![0; crawls.len()];
    for (rank, i) in (0..).zip(by_rank) {
        ranks[i] = rank;
    }
    ranks
}

/// Sorts the revisits, and the captures that may have their content, in each order.
fn sort_captures<'s>(
    history: &HistoryReader,
    revisits: &SortedRecords<'_>,
    memory: SortMemory<'s>,
) -> Result<Vec<SortedRecords<'s>>, Error> {
    let ranks = rank_crawls(&history.crawls);
    let mut wanted = memory.create_bloom_filter(revisits.len());
    let mut sorters = SearchSorters {
        sorters: SEARCH_ORDERS.map(|_| memory.create_sorter()),
        record: Vec::new(),
    };
    let mut reader = revisits.read()?;
    while let Some(record) = reader.peek() {
        let revisit = RevisitFields::read(record);
        if let Some((digest, url)) = &StateDetails::read(revisit.state).revisit {
            wanted.insert(&digest[..]);
            sorters.push(&SearchedCapture {
                digest,
                url,
                time: revisit.time,
                crawl_rank: ranks[revisit.position as usize],
                role: CaptureRole::Revisit {
                    capture_no: revisit.capture_no,
                },
            })?;
        }
        reader.advance()?;
    }
    let columns = ["first_capture_no", "n_captures", "content_digest"];
    let mut contents = history.open_columns(own_tables::HOST_CONTENTS, &columns)?;
    let mut captures = ContentCaptures::open(history)?;
    while let Some(row) = contents.peek() {
        let mut fields = FieldReader::new(row);
        let (first, count) = (fields.i64(), fields.u32());
        let digest = fields.bytes();
        if wanted.check(digest) {
            for capture_no in first..first.saturating_add(i64::from(count)) {
                let (position, time, period_id) = captures.go_to(capture_no)?;
                sorters.push(&SearchedCapture {
                    digest,
                    url: &captures.url,
                    time,
                    crawl_rank: ranks[position as usize],
                    role: CaptureRole::Content {
                        period_id,
                        position,
                    },
                })?;
            }
        }
        contents.advance()?;
    }
    sorters.sorters.into_iter().map(Sorter::finish).collect()
}

/// Reads captures with content, in order.
struct ContentCaptures<'d> {
    captures: EncodedRows<'d>,
    periods: EncodedRows<'d>,
    positions: BTreeMap<String, PlacedCrawl>,
    /// The URL of the current capture; empty if it is redirected.
    url: Vec<u8>,
}

impl<'d> ContentCaptures<'d> {
    fn open(history: &'d HistoryReader) -> Result<Self, Error> {
        let captures = ["capture_no", "crawl", "fetch_time", "period_id"];
        let periods = [
            "period_id",
            "url_host_name",
            "url_protocol",
            "url_port",
            "n_redirects",
        ];
        Ok(Self {
            captures: history.open_columns(own_tables::HOST_CAPTURES, &captures)?,
            periods: history.open_columns(own_tables::HOST_PERIODS, &periods)?,
            positions: history.places(),
            url: Vec::new(),
        })
    }

    /// Goes to a capture. Returns the place of its crawl, its time and its period, and sets the URL.
    fn go_to(&mut self, capture_no: i64) -> Result<(u32, i64, i64), Error> {
        let mut key = Vec::new();
        put_i64(&mut key, capture_no);
        let row = skip_to(&mut self.captures, &key, own_tables::HOST_CAPTURES)?;
        let mut fields = FieldReader::new(row);
        let crawl = fields.bytes();
        let time = (fields.u8() != 0).then(|| fields.i64());
        let period_id = fields.i64();
        let crawl = std::str::from_utf8(crawl).ok();
        let crawl = crawl.and_then(|crawl| self.positions.get(crawl));
        let root = self.captures.root();
        let crawl = crawl.ok_or_else(|| damaged_history_error(root, own_tables::HOST_CAPTURES))?;
        key.clear();
        put_i64(&mut key, period_id);
        let row = skip_to(&mut self.periods, &key, own_tables::HOST_PERIODS)?;
        let mut fields = FieldReader::new(row);
        let host = fields.bytes();
        let origin = StateOrigin {
            host: host.to_vec(),
            protocol: optional_bytes(&mut fields).unwrap_or_default().to_vec(),
            port: (fields.u8() != 0).then(|| fields.u32()),
        };
        self.url = match fields.u32() {
            0 => origin.robots_url(),
            _ => Vec::new(),
        };
        Ok((crawl.position, time.unwrap_or(i64::MIN), period_id))
    }
}

/// Goes to the row that begins with a key, which is a number, and returns its other fields. Keys are asked for in order.
fn skip_to<'c>(rows: &'c mut EncodedRows<'_>, key: &[u8], table: Table) -> Result<&'c [u8], Error> {
    rows.skip_to_number(FieldReader::new(key).i64())?;
    let root = rows.root();
    let row = rows.peek().and_then(|row| row.strip_prefix(key));
    row.ok_or_else(|| damaged_history_error(root, table))
}

/// Finds the content of revisits in the order of this index.
fn search(
    order_index: u8,
    records: &SortedRecords<'_>,
    found: &mut Sorter<'_>,
) -> Result<(), Error> {
    let mut reader = records.read()?;
    let mut group = Vec::new();
    let mut candidates = Candidates::default();
    let order = SEARCH_ORDERS[usize::from(order_index)];
    while let Some(record) = reader.peek() {
        let mut fields = FieldReader::new(record);
        fields.key();
        if order.has_same_url {
            fields.key();
        }
        let group_bytes = record.len() - fields.rest().len();
        if group != record[..group_bytes] {
            group.clear();
            group.extend_from_slice(&record[..group_bytes]);
            candidates.0.clear();
        }
        let time = fields.i64();
        fields.u8();
        let is_revisit = fields.u8() != 0;
        let crawl_rank = fields.u32();
        let number = fields.i64();
        if !is_revisit {
            candidates.push(Content {
                crawl_rank,
                time,
                position: fields.u32(),
                url: fields.bytes().to_vec(),
                period_id: number,
            });
        } else if let Some(content) = candidates.find(crawl_rank) {
            let content = FoundContent {
                capture_no: number,
                order: Some(order_index),
                period_id: content.period_id,
                position: content.position,
            };
            found.push(&content.record())?;
        }
        reader.advance()?;
    }
    Ok(())
}

/// Returns the states that apply to the revisits of a history, sorted by the numbers of their captures.
pub fn read_filled_states<'s>(
    history: &HistoryReader,
    memory: SortMemory<'s>,
) -> Result<SortedRecords<'s>, Error> {
    let mut by_period = memory.create_sorter();
    let mut rows = history.open_table(own_tables::FILLED_REVISITS)?;
    let mut record = Vec::new();
    while let Some(row) = rows.peek() {
        let mut fields = FieldReader::new(row);
        let (capture_no, period_id) = (fields.i64(), fields.i64());
        record.clear();
        put_i64(&mut record, period_id);
        put_i64(&mut record, capture_no);
        by_period.push(&record)?;
        rows.advance()?;
    }
    let of_state = StateDetails::ACCESS_COLUMNS;
    sort_states(history, &by_period.finish()?, &of_state, memory)
}

/// Merges the captures with these columns of the states of the periods that they are sorted by, and sorts them
/// by their numbers.
fn sort_states<'s>(
    history: &HistoryReader,
    by_period: &SortedRecords<'_>,
    of_state: &[&str],
    memory: SortMemory<'s>,
) -> Result<SortedRecords<'s>, Error> {
    let mut sorter = memory.create_sorter();
    let columns = [&["period_id"], of_state].concat();
    let mut periods = history.open_columns(own_tables::HOST_PERIODS, &columns)?;
    let mut reader = by_period.read()?;
    let mut record = Vec::new();
    while let Some(fields) = reader.peek() {
        let (period_id, capture_no) = fields.split_at(size_of::<i64>());
        let row = skip_to(&mut periods, period_id, own_tables::HOST_PERIODS)?;
        record.clear();
        record.extend_from_slice(capture_no);
        record.extend_from_slice(row);
        sorter.push(&record)?;
        reader.advance()?;
    }
    sorter.finish()
}

/// Returns the state of a row of `host_periods`, of which the number is left out.
pub(super) fn state_of_period(row: &[u8]) -> &[u8] {
    let mut fields = FieldReader::new(row);
    for _ in ["surt_host_name", "first_crawl", "last_crawl"] {
        fields.bytes();
    }
    let (_first_capture_no, _n_captures, _domain_id) = (fields.i64(), fields.u32(), fields.i64());
    fields.rest()
}

//! Finds the content of revisits that no capture of their own crawl has, by the rule of docs/verdicts.md:
//! a capture of the same URL comes first, then the latest that is not later than the revisit, then the
//! earliest after it, then the greatest URL, then the later crawl. It is of the same crawl or an earlier
//! one, in the order of the times of their first captures.
//!
//! Revisits and captures with content are sorted by digest and time, once with and once without the URL, and
//! once in each direction of time. In each of these orders, the next capture before a revisit is the one to be
//! found.

use super::capture_record::{CaptureRecord, StateDetails};
use super::crawl_row::CrawlRow;
use super::damaged_error;
use super::history_input::{HistoryCaptures, HistoryReader};
use super::table_writer::TableWriters;
use dataset::external_sort::sort_key::{FieldReader, put_bytes, put_i64, put_key, put_u8, put_u32};
use dataset::external_sort::{SortMemory, SortedRecords, Sorter};
use dataset::tables::Table;
use disk::error::Error;

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

/// Writes the table, and returns its rows, sorted by capture: each is the number of the capture, and the state
/// that applies.
pub(super) fn write_filled_revisits<'s>(
    history: &HistoryReader,
    captures: HistoryCaptures<'_>,
    digests: &SortedRecords<'_>,
    crawls: &[CrawlRow],
    memory: SortMemory<'s>,
    writers: &mut TableWriters<'_>,
) -> Result<SortedRecords<'s>, Error> {
    let sorted = sort_captures(captures, digests, crawls, memory)?;
    let mut found = memory.create_sorter();
    for (priority, (order, records)) in (0..).zip(SEARCH_ORDERS.iter().zip(&sorted)) {
        search(*order, priority, records, &mut found)?;
    }
    drop(sorted);
    // The first order that found the content of a revisit decides.
    let found = found.finish()?;
    let mut by_period = memory.create_sorter();
    let mut reader = found.read()?;
    let mut last = None;
    let mut record = Vec::new();
    while let Some(fields) = reader.peek() {
        let mut fields = FieldReader::new(fields);
        let capture_no = fields.i64();
        fields.u8();
        if last != Some(capture_no) {
            last = Some(capture_no);
            let (period_id, position) = (fields.i64(), fields.u32());
            record.clear();
            put_i64(&mut record, capture_no);
            put_i64(&mut record, period_id);
            put_bytes(&mut record, crawls[position as usize].crawl.as_bytes());
            writers.push(Table::FilledRevisits, &[], &mut FieldReader::new(&record))?;
            record.clear();
            put_i64(&mut record, period_id);
            put_i64(&mut record, capture_no);
            by_period.push(&record)?;
        }
        reader.advance()?;
    }
    sort_states(history, &by_period.finish()?, memory)
}

/// Sorts the revisits, and the captures that may have their content, in each order.
fn sort_captures<'s>(
    mut captures: HistoryCaptures<'_>,
    digests: &SortedRecords<'_>,
    crawls: &[CrawlRow],
    memory: SortMemory<'s>,
) -> Result<Vec<SortedRecords<'s>>, Error> {
    let mut wanted = memory.create_bloom_filter(digests.len());
    let mut reader = digests.read()?;
    while let Some(digest) = reader.peek() {
        wanted.insert(digest);
        reader.advance()?;
    }
    let mut ranks: Vec<usize> = (0..crawls.len()).collect();
    ranks.sort_by_key(|&i| (crawls[i].first_fetch, &crawls[i].crawl));
    let mut rank_of = vec![0; crawls.len()];
    for (rank, i) in (0u32..).zip(ranks) {
        rank_of[i] = rank;
    }
    let mut sorters: Vec<Sorter<'s>> = SEARCH_ORDERS.map(|_| memory.create_sorter()).into();
    let (mut state, mut details) = (Vec::new(), StateDetails::default());
    let mut record = Vec::new();
    while let Some((bytes, position)) = captures.peek() {
        let capture = CaptureRecord::read(bytes);
        let (capture_no, period_id) = captures.numbers();
        if state != capture.state {
            state.clear();
            state.extend_from_slice(capture.state);
            details = StateDetails::read(&state);
        }
        let (digest, url, role) = match &details.revisit {
            Some((digest, url)) => (&digest[..], &url[..], CaptureRole::Revisit { capture_no }),
            None => {
                let url = details.url.as_deref().unwrap_or_default();
                (
                    capture.digest,
                    url,
                    CaptureRole::Content {
                        period_id,
                        position,
                    },
                )
            }
        };
        if !digest.is_empty() && wanted.check(digest) {
            let searched = SearchedCapture {
                digest,
                url,
                time: capture.place.fetch_time.unwrap_or(i64::MIN),
                crawl_rank: rank_of[position as usize],
                role,
            };
            for (order, sorter) in SEARCH_ORDERS.iter().zip(&mut sorters) {
                order.write(&mut record, &searched);
                sorter.push(&record)?;
            }
        }
        captures.advance()?;
    }
    sorters.into_iter().map(Sorter::finish).collect()
}

/// Finds the content of revisits in one order. A result has the capture, the priority of the order, and the
/// period and crawl of the content.
fn search(
    order: SearchOrder,
    priority: u8,
    records: &SortedRecords<'_>,
    found: &mut Sorter<'_>,
) -> Result<(), Error> {
    let mut reader = records.read()?;
    let mut group = Vec::new();
    let mut candidates = Candidates::default();
    let mut result = Vec::new();
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
            result.clear();
            put_i64(&mut result, number);
            put_u8(&mut result, priority);
            put_i64(&mut result, content.period_id);
            put_u32(&mut result, content.position);
            found.push(&result)?;
        }
        reader.advance()?;
    }
    Ok(())
}

/// Merges the captures with the states of the periods that they are sorted by, and sorts them by their
/// numbers.
fn sort_states<'s>(
    history: &HistoryReader,
    by_period: &SortedRecords<'_>,
    memory: SortMemory<'s>,
) -> Result<SortedRecords<'s>, Error> {
    let mut sorter = memory.create_sorter();
    let mut periods = history.open_table(Table::HostPeriods)?;
    let mut reader = by_period.read()?;
    let mut record = Vec::new();
    while let Some(fields) = reader.peek() {
        let (period_id, capture_no) = fields.split_at(size_of::<i64>());
        while periods
            .peek()
            .is_some_and(|row| &row[..size_of::<i64>()] < period_id)
        {
            periods.advance()?;
        }
        let row = periods.peek().filter(|row| row.starts_with(period_id));
        let row = row.ok_or_else(|| damaged_error(Table::HostPeriods))?;
        record.clear();
        record.extend_from_slice(capture_no);
        record.extend_from_slice(state_of_period(row));
        sorter.push(&record)?;
        reader.advance()?;
    }
    sorter.finish()
}

/// Returns the state of a row of `host_periods`.
fn state_of_period(row: &[u8]) -> &[u8] {
    let mut fields = FieldReader::new(row);
    fields.i64();
    for _ in ["surt_host_name", "first_crawl", "last_crawl"] {
        fields.bytes();
    }
    fields.i64();
    fields.u32();
    fields.rest()
}

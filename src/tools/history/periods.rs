//! Merges the captures of all inputs, and divides those of each host into periods.

use super::capture_record::{CaptureRecord, StateDetails, StateFields};
use super::domain_runs::DomainRuns;
use super::history_input::HistoryCaptures;
use super::keyed_rows::key_from_text;
use super::revisits::OpenRevisit;
use super::shares::{CountedHost, ShareCounter};
use super::table_writer::TableWriters;
use super::{HistoryProgress, damaged_error};
use dataset::external_sort::sort_key::{FieldReader, put_bytes, put_i64, put_u32};
use dataset::external_sort::{OrderedWriter, Reader, SortMemory, SortedRecords, Sorter};
use dataset::tables::Table;
use disk::error::Error;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::Ordering;

/// The captures of a crawl or of a history, in order.
pub(super) enum CaptureSource<'d> {
    /// Records, with the place of their crawl.
    Sorted(Reader<'d>, u32),
    History(Box<HistoryCaptures<'d>>),
}

impl CaptureSource<'_> {
    /// Returns the current record and the place of its crawl.
    fn peek(&self) -> Option<(&[u8], u32)> {
        match self {
            Self::Sorted(reader, position) => Some((reader.peek()?, *position)),
            Self::History(captures) => captures.peek(),
        }
    }

    fn advance(&mut self) -> Result<(), Error> {
        match self {
            Self::Sorted(reader, _) => reader.advance(),
            Self::History(captures) => captures.advance(),
        }
    }
}

/// The next capture of a source. The captures of a host are in the order of their times, then of their
/// crawls.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct NextCapture {
    /// The host and the time, as they are compared.
    key: Vec<u8>,
    position: u32,
    source: usize,
}

/// Hosts of a crawl, and their registered domains.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HostCounts {
    pub(super) hosts: i64,
    pub(super) domains: i64,
}

/// What the periods refer to, and the counts of hosts.
pub(super) struct WrittenPeriods<'s> {
    /// The keys of the policies of periods.
    pub(super) policies: SortedRecords<'s>,
    pub(super) preference_sets: SortedRecords<'s>,
    /// The periods whose policies name crawlers, sorted by policy.
    pub(super) named: SortedRecords<'s>,
    /// For each crawl.
    pub(super) counts: Vec<HostCounts>,
    pub(super) hosts: u64,
    pub(super) open_revisits: u64,
    /// The open revisits, which are not counted yet.
    pub(super) revisits: SortedRecords<'s>,
    /// The hosts that were counted.
    pub(super) counter: ShareCounter<'s>,
}

/// Writes captures and periods.
pub(super) struct PeriodWriter<'s> {
    /// The names of the crawls, as encoded fields.
    crawls: Vec<Vec<u8>>,
    policies: Sorter<'s>,
    preference_sets: Sorter<'s>,
    named: Sorter<'s>,
    counts: Vec<HostCounts>,
    domains: DomainRuns,
    hosts: u64,
    open_revisits: u64,
    /// The host of the current capture.
    host: Vec<u8>,
    capture_no: i64,
    period_id: i64,
    period: OpenPeriod,
    content: OpenContent,
    fields: Vec<u8>,
    last_policy: Option<[u8; 16]>,
    /// Revisits whose content may be in other crawls.
    revisits: OrderedWriter<'s>,
    counter: ShareCounter<'s>,
    /// For each crawl, whether its hosts are counted.
    is_counted: Vec<bool>,
    /// Those of the state of the current period.
    details: StateDetails,
}

/// The period of the last capture.
#[derive(Debug, Default)]
struct OpenPeriod {
    first_capture_no: i64,
    n_captures: u32,
    first_crawl: u32,
    last_crawl: u32,
    state: Vec<u8>,
}

/// The consecutive captures with the content of the last capture.
#[derive(Debug, Default)]
struct OpenContent {
    first_capture_no: i64,
    n_captures: u32,
    digest: Vec<u8>,
}

impl<'s> PeriodWriter<'s> {
    /// `crawls` are the names of the crawls, as encoded fields. Hosts of crawls that have a flag in
    /// `is_counted` are counted.
    pub(super) fn new(crawls: &[Vec<u8>], is_counted: Vec<bool>, memory: SortMemory<'s>) -> Self {
        Self {
            crawls: crawls.to_vec(),
            policies: memory.create_sorter(),
            preference_sets: memory.create_sorter(),
            named: memory.create_sorter(),
            counts: vec![HostCounts::default(); crawls.len()],
            domains: DomainRuns::default(),
            hosts: 0,
            open_revisits: 0,
            host: Vec::new(),
            capture_no: 0,
            period_id: 0,
            period: OpenPeriod::default(),
            content: OpenContent::default(),
            fields: Vec::new(),
            last_policy: None,
            revisits: memory.create_ordered_writer(),
            counter: ShareCounter::new(memory),
            is_counted,
            details: StateDetails::default(),
        }
    }

    /// Merges the captures of all sources.
    pub(super) fn write_all(
        &mut self,
        mut sources: Vec<CaptureSource<'_>>,
        writers: &mut TableWriters<'_>,
        progress: &HistoryProgress,
    ) -> Result<(), Error> {
        let mut heap = BinaryHeap::new();
        let mut spare = Vec::new();
        for (i, source) in sources.iter().enumerate() {
            heap.extend(next_capture(source, i, &mut spare).map(Reverse));
        }
        while let Some(Reverse(next)) = heap.pop() {
            let source = &mut sources[next.source];
            if let Some((record, position)) = source.peek() {
                self.push(record, position, writers)?;
            }
            source.advance()?;
            let mut key = Vec::new();
            if let Some(after) = next_capture(source, next.source, &mut key) {
                if (&after.key, after.position) < (&next.key, next.position) {
                    return Err(damaged_error(Table::HostCaptures));
                }
                heap.push(Reverse(after));
            }
            if self.capture_no & 0xfff == 0 {
                progress
                    .captures
                    .store(self.capture_no.cast_unsigned(), Ordering::Relaxed);
            }
        }
        self.end_period(writers)?;
        self.end_content(writers)
    }

    /// Adds a capture.
    fn push(
        &mut self,
        record: &[u8],
        position: u32,
        writers: &mut TableWriters<'_>,
    ) -> Result<(), Error> {
        let capture = CaptureRecord::read(record);
        let is_new_host = self.capture_no == 0 || self.host != capture.surt_host_name;
        let is_new_period = is_new_host || self.period.state != capture.state;
        if is_new_period {
            self.end_period(writers)?;
        }
        let is_new_content = is_new_host || self.content.digest != capture.digest;
        if is_new_content {
            self.end_content(writers)?;
        }
        if is_new_host {
            self.hosts += 1;
            self.host.clear();
            self.host.extend_from_slice(capture.surt_host_name);
        }
        if is_new_period {
            self.period.first_capture_no = self.capture_no;
            self.period.first_crawl = position;
            self.period.n_captures = 0;
            self.period.state.clear();
            self.period.state.extend_from_slice(capture.state);
            self.details = StateDetails::read(capture.state);
        }
        self.period.n_captures += 1;
        self.period.last_crawl = position;
        if is_new_content {
            self.content.first_capture_no = self.capture_no;
            self.content.n_captures = 0;
            self.content.digest.clear();
            self.content.digest.extend_from_slice(capture.digest);
        }
        self.content.n_captures += 1;
        let domain = StateFields::read(&self.period.state).registered_domain;
        let counts = &mut self.counts[position as usize];
        counts.hosts += 1;
        if self.domains.is_first(&self.host, domain, position) {
            counts.domains += 1;
        }
        let host = CountedHost {
            position,
            surt_host_name: &self.host,
            capture_no: self.capture_no,
            archive_no: capture.place.archive_no,
            details: &self.details,
        };
        if self.details.revisit.is_some() {
            OpenRevisit {
                host,
                fetch_time: capture.place.fetch_time,
                state: capture.state,
            }
            .push(&mut self.revisits)?;
        } else if self.is_counted[position as usize] {
            self.counter.push(&host)?;
        }
        let fields = &mut self.fields;
        fields.clear();
        put_i64(fields, self.capture_no);
        put_bytes(fields, &self.host);
        fields.extend_from_slice(&self.crawls[position as usize]);
        capture.place.put(fields);
        put_i64(fields, self.period_id);
        self.capture_no += 1;
        writers.push(Table::HostCaptures, &[], &mut FieldReader::new(fields))
    }

    /// Writes the period of the last capture, if there is one.
    fn end_period(&mut self, writers: &mut TableWriters<'_>) -> Result<(), Error> {
        if self.capture_no == 0 {
            return Ok(());
        }
        let period = &self.period;
        let fields = &mut self.fields;
        fields.clear();
        put_i64(fields, self.period_id);
        put_bytes(fields, &self.host);
        for crawl in [period.first_crawl, period.last_crawl] {
            fields.extend_from_slice(&self.crawls[crawl as usize]);
        }
        put_i64(fields, period.first_capture_no);
        put_u32(fields, period.n_captures);
        fields.extend_from_slice(&period.state);
        writers.push(Table::HostPeriods, &[], &mut FieldReader::new(fields))?;
        let state = StateFields::read(&period.state);
        if state.has_revisit {
            self.open_revisits += u64::from(period.n_captures);
        }
        if let Some(text) = state.preferences_id {
            let key = key_from_text(text).ok_or_else(|| damaged_error(Table::HostPeriods))?;
            self.preference_sets.push(&key)?;
        }
        if let Some(text) = state.policy_id {
            let key = key_from_text(text).ok_or_else(|| damaged_error(Table::HostPeriods))?;
            if self.last_policy != Some(key) {
                self.policies.push(&key)?;
                self.last_policy = Some(key);
            }
            if state.has_named_rows {
                fields.clear();
                fields.extend_from_slice(&key);
                put_i64(fields, self.period_id);
                put_i64(fields, period.first_capture_no);
                put_u32(fields, period.n_captures);
                put_u32(fields, period.first_crawl);
                put_u32(fields, period.last_crawl);
                put_bytes(fields, &self.host);
                put_bytes(fields, state.registered_domain.unwrap_or_default());
                self.named.push(fields)?;
            }
        }
        self.period_id += 1;
        Ok(())
    }

    /// Writes the content of the last captures, if they have one.
    fn end_content(&mut self, writers: &mut TableWriters<'_>) -> Result<(), Error> {
        let content = &self.content;
        if content.digest.is_empty() {
            return Ok(());
        }
        let fields = &mut self.fields;
        fields.clear();
        put_bytes(fields, &self.host);
        put_i64(fields, content.first_capture_no);
        put_u32(fields, content.n_captures);
        put_bytes(fields, &content.digest);
        writers.push(Table::HostContents, &[], &mut FieldReader::new(fields))
    }

    pub(super) fn finish(self) -> Result<WrittenPeriods<'s>, Error> {
        Ok(WrittenPeriods {
            policies: self.policies.finish()?,
            preference_sets: self.preference_sets.finish()?,
            named: self.named.finish()?,
            counts: self.counts,
            hosts: self.hosts,
            open_revisits: self.open_revisits,
            revisits: self.revisits.finish()?,
            counter: self.counter,
        })
    }
}

/// Returns the next capture of a source; `None` at its end. Its key is written to `key`.
fn next_capture(
    source: &CaptureSource<'_>,
    index: usize,
    key: &mut Vec<u8>,
) -> Option<NextCapture> {
    let (record, position) = source.peek()?;
    let mut fields = FieldReader::new(record);
    let host = fields.key();
    let mut key = std::mem::take(key);
    key.clear();
    key.extend_from_slice(&record[..host.len() + size_of::<i64>()]);
    Some(NextCapture {
        key,
        position,
        source: index,
    })
}

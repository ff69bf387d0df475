//! Merges the captures of all inputs, and divides those of each host into periods.

use super::capture_record::{CaptureRecord, StateDetails, StateFields};
use super::counted_domain::CountedDomain;
use super::crawl_row::CrawlRow;
use super::history_input::HistoryCaptures;
use super::host_revisits::{CaptureTime, HostContent, HostRevisit, HostRevisits};
use super::revisits::{FoundContent, OpenRevisit, rank_crawls};
use super::row_key::key_from_text;
use super::shares::{CountedHost, ShareCounter};
use super::table_writer::TableWriters;
use super::{HistoryProgress, damaged_error};
use crate::own_tables;
use crate::own_tables::{HostCaptureRow, HostCaptureRows};
use disk::error::Error;
use sort::sort_key::{FieldReader, put_bytes, put_i64, put_u32};
use sort::{OrderedWriter, Reader, SortMemory, SortedRecords, Sorter};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::Ordering;
use urls::DomainRuns;

/// The number of captures that are written at once.
const BATCH_ROWS: usize = 8192;

/// The captures of a crawl or of a history, in order.
pub(super) enum CaptureSource<'d> {
    /// The captures of a crawl that was read from datasets, and the position of the crawl.
    Sorted(Reader<'d>, u32),
    /// The captures of an earlier history.
    History(Box<HistoryCaptures<'d>>),
}

impl CaptureSource<'_> {
    /// Returns the current capture, and the position of its crawl in the order of crawls.
    fn peek(&self) -> Option<(CaptureRecord<'_>, u32)> {
        match self {
            Self::Sorted(reader, position) => {
                Some((CaptureRecord::read(reader.peek()?), *position))
            }
            Self::History(captures) => captures.peek(),
        }
    }

    fn advance(&mut self) -> Result<(), Error> {
        match self {
            Self::Sorted(reader, _) => reader.advance(),
            Self::History(captures) => captures.advance(),
        }
    }

    /// Returns the key of the current capture; `None` at the end.
    fn key(&self) -> Option<CaptureKey> {
        let (capture, position) = self.peek()?;
        Some(CaptureKey {
            host: capture.surt_host_name.to_owned(),
            time: capture.time,
            position,
        })
    }
}

/// The key by which captures are ordered: host, then time, then position of the crawl.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct CaptureKey {
    host: String,
    time: i64,
    position: u32,
}

impl CaptureKey {
    /// Returns true if a capture comes before the one with this key.
    fn is_after(&self, capture: &CaptureRecord<'_>, position: u32) -> bool {
        let key = (capture.surt_host_name, capture.time, position);
        key < (self.host.as_str(), self.time, self.position)
    }
}

/// The number of hosts of a crawl, and of their registered domains.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HostCounts {
    pub(super) hosts: i64,
    pub(super) domains: i64,
}

/// The results of a [`PeriodWriter`] that the writers of other tables need.
pub(super) struct WrittenPeriods<'s> {
    /// The keys of the policies that periods refer to.
    pub(super) policies: SortedRecords<'s>,
    /// The keys of the sets of preferences that periods refer to.
    pub(super) preference_sets: SortedRecords<'s>,
    /// Records of the periods whose policies name crawlers, sorted by policy.
    pub(super) named: SortedRecords<'s>,
    /// The counts of each crawl, by its position.
    pub(super) counts: Vec<HostCounts>,
    pub(super) hosts: u64,
    /// The number of captures that are open revisits.
    pub(super) open_revisits: u64,
    /// The open revisits for which no content was found, which are not counted yet.
    pub(super) revisits: SortedRecords<'s>,
    /// The content that was found for the other open revisits.
    pub(super) found: Sorter<'s>,
    /// The hosts that were counted.
    pub(super) counter: ShareCounter<'s>,
}

/// Writes `host_captures`, `host_periods` and `host_contents`.
pub(super) struct PeriodWriter<'s> {
    /// The names of the crawls, and the same as encoded fields.
    names: Vec<String>,
    crawls: Vec<Vec<u8>>,
    /// The places of the crawls in the order of first captures.
    crawl_ranks: Vec<u32>,
    policies: Sorter<'s>,
    preference_sets: Sorter<'s>,
    named: Sorter<'s>,
    counts: Vec<HostCounts>,
    domains: DomainRuns<CountedDomain>,
    hosts: u64,
    open_revisits: u64,
    /// The host of the last capture.
    host: String,
    /// The time and the crawl of the last capture.
    last_order: (i64, u32),
    /// The source of the last capture, and its period there.
    source_period: Option<(usize, i64)>,
    /// The rows of `host_captures` that are not written yet.
    captures: HostCaptureRows,
    capture_no: i64,
    period_id: i64,
    period: OpenPeriod,
    content: OpenContent,
    /// A buffer for the fields of a row.
    fields: Vec<u8>,
    /// The key that was last added to `policies`.
    last_policy: Option<[u8; 16]>,
    /// The captures of the current host.
    of_host: HostRevisits,
    /// Revisits for which no content was found in their hosts.
    revisits: OrderedWriter<'s>,
    found: Sorter<'s>,
    counter: ShareCounter<'s>,
    /// For each crawl, true if its hosts are counted for `shares`.
    is_counted: Vec<bool>,
}

/// The period of the last capture, which the next capture may continue.
#[derive(Debug, Default)]
struct OpenPeriod {
    first_capture_no: i64,
    n_captures: u32,
    /// The position of the crawl of the first capture.
    first_crawl: u32,
    /// The position of the crawl of the last capture.
    last_crawl: u32,
    domain_id: i64,
    state: Vec<u8>,
}

/// The last consecutive captures of the host with the same digest. The digest is empty if they have no content.
#[derive(Debug, Default)]
struct OpenContent {
    first_capture_no: i64,
    n_captures: u32,
    digest: Vec<u8>,
}

impl<'s> PeriodWriter<'s> {
    /// Creates a writer. `is_counted` has a flag for each crawl: true if its hosts are counted for `shares`.
    pub(super) fn new(crawls: &[CrawlRow], is_counted: Vec<bool>, memory: SortMemory<'s>) -> Self {
        let field = |row: &CrawlRow| {
            let mut field = Vec::new();
            put_bytes(&mut field, row.crawl.as_bytes());
            field
        };
        Self {
            names: crawls.iter().map(|row| row.crawl.clone()).collect(),
            crawls: crawls.iter().map(field).collect(),
            crawl_ranks: rank_crawls(crawls),
            policies: memory.create_sorter(),
            preference_sets: memory.create_sorter(),
            named: memory.create_sorter(),
            counts: vec![HostCounts::default(); crawls.len()],
            domains: DomainRuns::default(),
            hosts: 0,
            open_revisits: 0,
            host: String::new(),
            last_order: (i64::MIN, 0),
            source_period: None,
            captures: HostCaptureRows::default(),
            capture_no: 0,
            period_id: 0,
            period: OpenPeriod::default(),
            content: OpenContent::default(),
            fields: Vec::new(),
            last_policy: None,
            of_host: HostRevisits::default(),
            revisits: memory.create_ordered_writer(),
            found: memory.create_sorter(),
            counter: ShareCounter::new(memory),
            is_counted,
        }
    }

    /// Merges the captures of all sources, and writes all their rows.
    pub(super) fn write_all(
        &mut self,
        mut sources: Vec<CaptureSource<'_>>,
        writers: &mut TableWriters<'_>,
        progress: &HistoryProgress,
    ) -> Result<(), Error> {
        let keys = sources.iter().enumerate();
        let keys = keys.filter_map(|(i, source)| Some(Reverse((source.key()?, i))));
        let mut heap: BinaryHeap<Reverse<(CaptureKey, usize)>> = keys.collect();
        while let Some(Reverse((_, i))) = heap.pop() {
            let source = &mut sources[i];
            let next = heap.peek().map(|Reverse((key, _))| key);
            // Most captures come from the same source as the one before.
            while let Some((capture, position)) = source.peek()
                && next.is_none_or(|next| next.is_after(&capture, position))
            {
                self.push(i, &capture, position, writers)?;
                source.advance()?;
                if self.capture_no & 0xfff == 0 {
                    let count = self.capture_no.cast_unsigned();
                    progress.captures.store(count, Ordering::Relaxed);
                }
            }
            match (source.key(), heap.peek()) {
                // Two sources have the same capture.
                (Some(key), Some(Reverse((other, _)))) if key == *other => {
                    return Err(damaged_error(own_tables::HOST_CAPTURES));
                }
                (Some(key), _) => heap.push(Reverse((key, i))),
                (None, _) => {}
            }
        }
        self.write_captures(writers)?;
        self.end_period(writers)?;
        self.end_content(writers)?;
        self.end_host()
    }

    /// Adds a capture of a source.
    fn push(
        &mut self,
        source: usize,
        capture: &CaptureRecord<'_>,
        position: u32,
        writers: &mut TableWriters<'_>,
    ) -> Result<(), Error> {
        let host = capture.surt_host_name;
        let is_new_host = self.capture_no == 0 || self.host != host;
        let order = (capture.time, position);
        let is_sorted = match is_new_host {
            true => self.capture_no == 0 || *self.host < *host,
            false => self.last_order < order,
        };
        if !is_sorted {
            return Err(damaged_error(own_tables::HOST_CAPTURES));
        }
        self.last_order = order;
        // Captures of one period of a history have the same state, so that states need not be compared.
        let source_period = capture.period_id.map(|id| (source, id));
        let is_known_state = source_period.is_some() && source_period == self.source_period;
        self.source_period = source_period;
        let is_new_period = is_new_host || !is_known_state && self.period.state != capture.state;
        if is_new_period {
            self.end_period(writers)?;
        }
        let is_new_content = is_new_host || self.content.digest != capture.digest;
        if is_new_content {
            self.end_content(writers)?;
        }
        if is_new_host {
            self.end_host()?;
            self.hosts += 1;
            host.clone_into(&mut self.host);
        }
        if is_new_period {
            self.period.first_capture_no = self.capture_no;
            self.period.first_crawl = position;
            self.period.n_captures = 0;
            self.period.state.clear();
            self.period.state.extend_from_slice(capture.state);
            let details = StateDetails::read(capture.state);
            self.of_host.states.push(details);
        }
        self.period.n_captures += 1;
        self.period.last_crawl = position;
        if is_new_content {
            self.content.first_capture_no = self.capture_no;
            self.content.n_captures = 0;
            self.content.digest.clear();
            self.content.digest.extend_from_slice(capture.digest);
            self.of_host.digests.push(capture.digest.to_vec());
        }
        self.content.n_captures += 1;
        let state = self.of_host.states.len() - 1;
        let details = &self.of_host.states[state];
        let domain = details.registered_domain.as_deref();
        let counts = &mut self.counts[position as usize];
        counts.hosts += 1;
        let domain = self.domains.value_of(self.host.as_bytes(), domain);
        counts.domains += i64::from(domain.count(position));
        if is_new_period {
            self.period.domain_id = *domain.number.get_or_insert(self.period_id);
        }
        let host = CountedHost {
            position,
            surt_host_name: self.host.as_bytes(),
            capture_no: self.capture_no,
            archive_no: capture.place.archive_no,
            details,
        };
        let time = CaptureTime {
            millis: capture.place.fetch_time.unwrap_or(i64::MIN),
            position,
            crawl_rank: self.crawl_ranks[position as usize],
        };
        if !capture.digest.is_empty() {
            self.of_host.contents.push(HostContent {
                time,
                period_id: self.period_id,
                state,
                digest: self.of_host.digests.len() - 1,
            });
        }
        if details.revisit.is_some() {
            let revisit = OpenRevisit {
                host,
                fetch_time: capture.place.fetch_time,
                state: capture.state,
            };
            let revisit = HostRevisit {
                time,
                capture_no: self.capture_no,
                archive_no: capture.place.archive_no,
                state,
                record: revisit.record(),
            };
            self.of_host.revisits.push(revisit);
        } else if self.is_counted[position as usize] {
            self.counter.push(&host)?;
        }
        self.captures.push(&HostCaptureRow {
            capture_no: self.capture_no,
            surt_host_name: &self.host,
            crawl: &self.names[position as usize],
            crawl_position: position as usize,
            fetch_time: capture.place.fetch_time,
            archive_no: capture.place.archive_no,
            warc_record_offset: capture.place.offset,
            warc_record_in_member: capture.place.record_in_member,
            period_id: self.period_id,
        });
        self.capture_no += 1;
        match self.captures.row_count() {
            BATCH_ROWS => self.write_captures(writers),
            _ => Ok(()),
        }
    }

    /// Writes the rows of captures.
    fn write_captures(&mut self, writers: &mut TableWriters<'_>) -> Result<(), Error> {
        writers.write(own_tables::HOST_CAPTURES, self.captures.take())
    }

    /// Finds the content of the revisits of the last host among its captures, and counts them by it.
    fn end_host(&mut self) -> Result<(), Error> {
        for revisit in &self.of_host.revisits {
            let Some(content) = self.of_host.find(revisit) else {
                self.revisits.push(&revisit.record)?;
                continue;
            };
            let found = FoundContent {
                capture_no: revisit.capture_no,
                order: None,
                period_id: content.period_id,
                position: content.time.position,
            };
            self.found.push(&found.record())?;
            if self.is_counted[revisit.time.position as usize] {
                let states = &self.of_host.states;
                let details = StateDetails {
                    registered_domain: states[revisit.state].registered_domain.clone(),
                    ..states[content.state].clone()
                };
                self.counter.push(&CountedHost {
                    position: revisit.time.position,
                    surt_host_name: self.host.as_bytes(),
                    capture_no: revisit.capture_no,
                    archive_no: revisit.archive_no,
                    details: &details,
                })?;
            }
        }
        self.of_host.clear();
        Ok(())
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
        put_bytes(fields, self.host.as_bytes());
        for crawl in [period.first_crawl, period.last_crawl] {
            fields.extend_from_slice(&self.crawls[crawl as usize]);
        }
        put_i64(fields, period.first_capture_no);
        put_u32(fields, period.n_captures);
        put_i64(fields, period.domain_id);
        fields.extend_from_slice(&period.state);
        writers.push(own_tables::HOST_PERIODS, &[], &mut FieldReader::new(fields))?;
        let state = StateFields::read(&period.state);
        if state.has_revisit {
            self.open_revisits += u64::from(period.n_captures);
        }
        if let Some(text) = state.preference_set_id {
            let key = key_from_text(text).ok_or_else(|| damaged_error(own_tables::HOST_PERIODS))?;
            self.preference_sets.push(&key)?;
        }
        if let Some(text) = state.policy_id {
            let key = key_from_text(text).ok_or_else(|| damaged_error(own_tables::HOST_PERIODS))?;
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
                put_bytes(fields, self.host.as_bytes());
                put_bytes(fields, state.registered_domain.unwrap_or_default());
                self.named.push(fields)?;
            }
        }
        self.period_id += 1;
        Ok(())
    }

    /// Writes the row of `host_contents` of the last captures, if they have content.
    fn end_content(&mut self, writers: &mut TableWriters<'_>) -> Result<(), Error> {
        let content = &self.content;
        if content.digest.is_empty() {
            return Ok(());
        }
        let fields = &mut self.fields;
        fields.clear();
        put_bytes(fields, self.host.as_bytes());
        put_i64(fields, content.first_capture_no);
        put_u32(fields, content.n_captures);
        put_bytes(fields, &content.digest);
        writers.push(
            own_tables::HOST_CONTENTS,
            &[],
            &mut FieldReader::new(fields),
        )
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
            found: self.found,
            counter: self.counter,
        })
    }
}

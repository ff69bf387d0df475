//! Merges the captures of all inputs, and divides those of each host into periods.
//!
//! If crawls are added to a history that they follow, its periods are read instead of its captures, and the new captures
//! continue the last one of each host.

use crate::error::damaged_error;
use crate::own_tables;
use crate::periods::agent_periods::{PeriodFields, PeriodOfHost, PeriodOfPolicy};
use crate::periods::counted_domain::{CountedDomain, HostDomains};
use crate::policies::row_key::{RowKey, key_from_text};
use crate::read::capture_record::{
    COUNTED_STATE, CapturePlace, CaptureRecord, NAMING_STATE, STATE_DOMAIN, STATE_KEYS,
};
use crate::read::crawl_row::CrawlRow;
use crate::read::history_captures::HistoryCaptures;
use crate::read::stored_hosts::{
    ContentRow, HostContent, HostPeriod, PeriodRow, StoredHost, StoredHosts,
};
use crate::shares::share_counter::{CountedHost, ShareCounter};
use crate::write::progress::HistoryProgress;
use crate::write::table_writer::TableWriters;
use dataset::row;
use disk::error::Error;
use sort::{RecordSource, Rest, SortMemory, SortedReader, SortedRecords, Sorter, record};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::Ordering;
use urls::DomainRuns;

/// The captures of a crawl or of a history, in order.
pub(crate) enum CaptureSource<'d> {
    /// The captures of a crawl that was read from datasets, and the position of the crawl.
    Sorted(SortedReader<'d, CaptureRecord<'static>>, u32),
    /// The captures of an earlier history.
    History(Box<HistoryCaptures<'d>>),
}

impl CaptureSource<'_> {
    /// Returns the current capture, and the position of its crawl in the order of crawls.
    fn peek(&self) -> Option<(CaptureRecord<'_>, u32)> {
        match self {
            Self::Sorted(reader, position) => {
                let capture = sort::read::<CaptureRecord<'static>>(reader.peek()?);
                Some((capture, *position))
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
pub(crate) struct HostCounts {
    pub(crate) hosts: i64,
    pub(crate) domains: i64,
}

/// The results of a [`PeriodWriter`] that the writers of other tables need.
pub(crate) struct WrittenPeriods<'s> {
    captures: SortedRecords<'s, CaptureOfHost>,
    /// The keys of the policies that periods refer to.
    pub(crate) policies: SortedRecords<'s, (RowKey, ())>,
    /// The keys of the sets of preferences that periods refer to.
    pub(crate) preference_sets: SortedRecords<'s, (RowKey, ())>,
    /// The periods whose policies name crawlers, sorted by policy.
    pub(crate) named: SortedRecords<'s, PeriodOfPolicy>,
    /// The counts of the captures of each crawl, by its position.
    pub(crate) counts: Vec<HostCounts>,
    pub(crate) hosts: u64,
    /// The hosts that were counted.
    pub(crate) counter: ShareCounter<'s>,
}

/// Writes `host_periods` and `host_contents`, and sorts the captures.
pub(crate) struct PeriodWriter<'s> {
    crawls: &'s [CrawlRow],
    captures: Sorter<'s, CaptureOfHost>,
    policies: Sorter<'s, (RowKey, ())>,
    preference_sets: Sorter<'s, (RowKey, ())>,
    named: Sorter<'s, PeriodOfPolicy>,
    counts: Vec<HostCounts>,
    domains: DomainRuns<CountedDomain>,
    hosts: u64,
    /// For each crawl, the number of hosts that it captured first.
    first_hosts: Vec<i64>,
    /// The number of captures that were added.
    capture_count: u64,
    /// The order of the last capture.
    last_order: (i64, u32),
    /// The source of the last capture, and the number of its period there.
    source_period: Option<(usize, u32)>,
    /// The host of the last capture; `None` at the start.
    host: Option<StoredHost>,
    /// True if the number of `host` is not known yet.
    is_new_host: bool,
    /// The captures of `host` that were added.
    of_host: Vec<AddedCapture>,
    /// The key that was last added to `policies`.
    last_policy: Option<RowKey>,
    counter: ShareCounter<'s>,
    /// For each crawl, true if its hosts are counted for `shares`.
    is_counted: Vec<bool>,
}

record! {
    /// A capture of the current host.
    struct AddedCapture {
        place: CapturePlace,
        position: u32,
        period_no: u32,
        content_no: Option<u32>,
    }
}

/// A capture, by the position of its crawl and the number of its host.
type CaptureOfHost = ((u32, i64), AddedCapture);

row! {
    /// A row of `host_captures`.
    whole struct CaptureRow<'a> of own_tables::HOST_CAPTURES {
        capture_no: i64,
        crawl: &'a str,
        host_no: i64,
        fetch_time: Option<i64>,
        archive_no: i64,
        warc_record_offset: i64,
        warc_record_in_member: u32,
        period_no: u32,
        content_no: Option<u32>,
    }
}

impl<'s> PeriodWriter<'s> {
    /// Creates a writer. `is_counted` has a flag for each crawl: true if its hosts are counted for `shares`.
    pub(crate) fn new(
        crawls: &'s [CrawlRow],
        is_counted: Vec<bool>,
        memory: SortMemory<'s>,
    ) -> Self {
        Self {
            crawls,
            captures: memory.create_sorter(),
            policies: memory.create_sorter(),
            preference_sets: memory.create_sorter(),
            named: memory.create_sorter(),
            counts: vec![HostCounts::default(); crawls.len()],
            domains: DomainRuns::default(),
            hosts: 0,
            first_hosts: vec![0; crawls.len()],
            capture_count: 0,
            last_order: (i64::MIN, 0),
            source_period: None,
            host: None,
            is_new_host: false,
            of_host: Vec::new(),
            last_policy: None,
            counter: ShareCounter::new(memory),
            is_counted,
        }
    }

    /// Merges the captures of all sources, and writes all their rows. `stored` are the hosts of a history that is
    /// continued: its captures are earlier than those of all sources.
    pub(crate) fn write_all(
        &mut self,
        mut stored: Option<StoredHosts<'_>>,
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
                let host = self.host.as_ref();
                if host.is_none_or(|host| host.surt_host_name != capture.surt_host_name) {
                    self.begin_host(capture.surt_host_name, stored.as_mut(), writers)?;
                }
                self.push(i, &capture, position)?;
                source.advance()?;
                if self.capture_count & 0xfff == 0 {
                    progress
                        .captures
                        .store(self.capture_count, Ordering::Relaxed);
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
        self.end_host(writers)?;
        while let Some(stored) = stored.as_mut().filter(|stored| stored.peek().is_some()) {
            self.begin_stored(stored)?;
            self.end_host(writers)?;
        }
        Ok(())
    }

    /// Writes the hosts before this one, and begins it.
    fn begin_host(
        &mut self,
        name: &str,
        mut stored: Option<&mut StoredHosts<'_>>,
        writers: &mut TableWriters<'_>,
    ) -> Result<(), Error> {
        let last = self.host.as_ref();
        if last.is_some_and(|last| *last.surt_host_name > *name) {
            return Err(damaged_error(own_tables::HOST_CAPTURES));
        }
        self.end_host(writers)?;
        while let Some(stored) = stored.as_mut()
            && let Some(host) = stored.peek()
            && *host.surt_host_name <= *name
        {
            if host.surt_host_name == name {
                return self.begin_stored(stored);
            }
            self.begin_stored(stored)?;
            self.end_host(writers)?;
        }
        self.host = Some(StoredHost {
            surt_host_name: name.to_owned(),
            ..StoredHost::default()
        });
        self.is_new_host = true;
        Ok(())
    }

    /// Begins the next host of the history that is continued.
    fn begin_stored(&mut self, stored: &mut StoredHosts<'_>) -> Result<(), Error> {
        self.host = Some(stored.take()?);
        self.is_new_host = false;
        Ok(())
    }

    /// Adds a capture of a source to its host, which was begun.
    fn push(
        &mut self,
        source: usize,
        capture: &CaptureRecord<'_>,
        position: u32,
    ) -> Result<(), Error> {
        let Some(host) = &mut self.host else {
            return Ok(());
        };
        let order = (capture.time, position);
        if !self.of_host.is_empty() && self.last_order >= order {
            return Err(damaged_error(own_tables::HOST_CAPTURES));
        }
        self.last_order = order;
        // Captures of one period of a history have the same state, so that states need not be compared.
        let source_period = capture.period_no.map(|period_no| (source, period_no));
        let is_known_state = source_period.is_some()
            && source_period == self.source_period
            && !self.of_host.is_empty();
        self.source_period = source_period;
        let fetch_time = capture.place.fetch_time;
        let period = host.periods.last_mut();
        let same = period.filter(|period| is_known_state || period.state == capture.state);
        match same {
            Some(period) => {
                period.last_crawl = position;
                period.last_fetch = fetch_time;
                period.n_captures += 1;
            }
            None => host.periods.push(HostPeriod {
                first_crawl: position,
                last_crawl: position,
                first_fetch: fetch_time,
                last_fetch: fetch_time,
                n_captures: 1,
                domain_id: 0,
                state: capture.state.to_vec(),
            }),
        }
        let period_no = host.periods.len() as u32 - 1;
        let mut content_no = None;
        if !capture.digest.is_empty() {
            let content = host.contents.last();
            let is_same = content.is_some_and(|content| {
                content.period_no == period_no && content.digest == capture.digest
            });
            if !is_same {
                host.contents.push(HostContent {
                    period_no,
                    digest: capture.digest.to_vec(),
                });
            }
            content_no = Some(host.contents.len() as u32 - 1);
        }
        self.of_host.push(AddedCapture {
            place: capture.place,
            position,
            period_no,
            content_no,
        });
        self.capture_count += 1;
        Ok(())
    }

    /// Writes the host of the last capture, if there is one: its periods and contents, and the records of its captures.
    fn end_host(&mut self, writers: &mut TableWriters<'_>) -> Result<(), Error> {
        let Some(mut host) = self.host.take() else {
            return Ok(());
        };
        if self.is_new_host {
            let first = self.of_host.iter().map(|capture| capture.position).min();
            let first = first.unwrap_or_default();
            let count = &mut self.first_hosts[first as usize];
            host.host_no = (i64::from(first) << 32) + *count;
            *count += 1;
        }
        self.count_host(&mut host);
        self.add_captures(&host)?;
        for (period_no, period) in (0..).zip(&host.periods) {
            self.write_period(&host, period_no, period, writers)?;
        }
        self.write_contents(&host, writers)?;
        self.hosts += 1;
        self.of_host.clear();
        Ok(())
    }

    /// Counts the host in the crawls of its new captures, and sets the number of its domain.
    fn count_host(&mut self, host: &mut StoredHost) {
        let name = host.surt_host_name.as_bytes();
        let mut captures = self.of_host.iter().peekable();
        let mut host_domains = HostDomains::new(host.host_no);
        for (period_no, period) in (0..).zip(&mut host.periods) {
            let registered_domain = STATE_DOMAIN.read(&period.state).url_host_registered_domain;
            let domain = self.domains.value_of(name, registered_domain);
            period.domain_id = host_domains.number(domain);
            while let Some(capture) = captures.next_if(|capture| capture.period_no == period_no) {
                let counts = &mut self.counts[capture.position as usize];
                counts.hosts += 1;
                counts.domains += i64::from(domain.count(capture.position));
            }
        }
    }

    /// Adds the records of the captures of a host, and counts it by their states.
    fn add_captures(&mut self, host: &StoredHost) -> Result<(), Error> {
        // The captures of a period are next to each other.
        let of_periods = self.of_host.chunk_by(|a, b| a.period_no == b.period_no);
        for captures in of_periods {
            let period = &host.periods[captures[0].period_no as usize];
            let state = COUNTED_STATE.read(&period.state);
            for capture in captures {
                if self.is_counted[capture.position as usize] {
                    self.counter.push(&CountedHost {
                        position: capture.position,
                        surt_host_name: host.surt_host_name.as_bytes(),
                        host_no: host.host_no,
                        archive_no: capture.place.archive_no,
                        state: &state,
                    })?;
                }
                let key = (capture.position, host.host_no);
                self.captures.push((key, *capture))?;
            }
        }
        Ok(())
    }

    /// Writes the contents of a host.
    fn write_contents(
        &mut self,
        host: &StoredHost,
        writers: &mut TableWriters<'_>,
    ) -> Result<(), Error> {
        for (content_no, content) in (0..).zip(&host.contents) {
            writers.push::<ContentRow<'_>>(ContentRow {
                surt_host_name: host.surt_host_name.as_bytes(),
                content_no,
                period_no: content.period_no,
                content_digest: &content.digest,
            })?;
        }
        Ok(())
    }

    /// Writes a period, and adds the keys of its policy and its preferences.
    fn write_period(
        &mut self,
        host: &StoredHost,
        period_no: u32,
        period: &HostPeriod,
        writers: &mut TableWriters<'_>,
    ) -> Result<(), Error> {
        let name = |position: u32| self.crawls[position as usize].crawl.as_bytes();
        writers.push::<PeriodRow<'_>>(PeriodRow {
            host_no: host.host_no,
            period_no,
            surt_host_name: host.surt_host_name.as_bytes(),
            first_crawl: name(period.first_crawl),
            last_crawl: name(period.last_crawl),
            first_fetch: period.first_fetch,
            last_fetch: period.last_fetch.filter(|_| period.n_captures > 1),
            n_captures: period.n_captures,
            domain_id: period.domain_id,
            state: Rest(&period.state),
        })?;
        let state = STATE_KEYS.read(&period.state);
        let parse = |text: Option<&[u8]>| {
            let key = text.map(|text| {
                key_from_text(text).ok_or_else(|| damaged_error(own_tables::HOST_PERIODS))
            });
            key.transpose()
        };
        if let Some(key) = parse(state.preference_set_id)? {
            self.preference_sets.push((key, ()))?;
        }
        let Some(key) = parse(state.policy_id)? else {
            return Ok(());
        };
        if self.last_policy != Some(key) {
            self.policies.push((key, ()))?;
            self.last_policy = Some(key);
        }
        let state = NAMING_STATE.read(&period.state);
        if !state.has_named_rows {
            return Ok(());
        }
        let fields = PeriodFields {
            n_captures: period.n_captures,
            first_crawl: period.first_crawl,
            last_crawl: period.last_crawl,
            surt_host_name: host.surt_host_name.as_bytes(),
            registered_domain: state.url_host_registered_domain,
        };
        let period = PeriodOfHost {
            host_number: self.hosts,
            period_no,
            fields,
        };
        self.named.push((key, period))
    }

    pub(crate) fn finish(self) -> Result<WrittenPeriods<'s>, Error> {
        Ok(WrittenPeriods {
            captures: self.captures.finish()?,
            policies: self.policies.finish()?,
            preference_sets: self.preference_sets.finish()?,
            named: self.named.finish()?,
            counts: self.counts,
            hosts: self.hosts,
            counter: self.counter,
        })
    }
}

impl WrittenPeriods<'_> {
    /// Writes the rows of `host_captures`, those of each crawl to files of their own. `names` are the names of the
    /// crawls.
    pub(crate) fn write_captures(
        &self,
        names: &[&str],
        writers: &mut TableWriters<'_>,
    ) -> Result<(), Error> {
        let table = own_tables::HOST_CAPTURES;
        let mut captures = self.captures.read()?;
        let (mut last, mut number) = (None, 0i64);
        while let Some(((position, host_no), capture)) = captures.next_record()? {
            if last.is_some_and(|last| last != position) {
                writers.end_file(table)?;
                number = 0;
            }
            last = Some(position);
            writers.push::<CaptureRow<'_>>(CaptureRow {
                capture_no: (i64::from(position) << 32) + number,
                crawl: names[position as usize],
                host_no,
                fetch_time: capture.place.fetch_time,
                archive_no: capture.place.archive_no,
                warc_record_offset: capture.place.offset,
                warc_record_in_member: capture.place.record_in_member,
                period_no: capture.period_no,
                content_no: capture.content_no,
            })?;
            number += 1;
        }
        writers.finish_table(table)
    }
}

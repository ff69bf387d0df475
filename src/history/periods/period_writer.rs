//! Merges the captures of all inputs, and divides those of each host into periods.
//!
//! If crawls are added to a history that they follow, its periods are read instead of its captures, and the new captures
//! continue the last one of each host.

use super::counted_domain::{CountedDomain, HostDomains};
use super::open_host::{AddedCapture, OpenHost};
use super::used_keys::UsedKeys;
use crate::error::damaged_error;
use crate::own_tables;
use crate::periods::agent_periods::PeriodOfPolicy;
use crate::policies::row_key::RowKey;
use crate::read::capture_record::{COUNTED_STATE, CaptureRecord, STATE_DOMAIN};
use crate::read::crawl_row::CrawlRow;
use crate::read::history_captures::HistoryCaptures;
use crate::read::stored_hosts::{ContentRow, HostPeriod, PeriodRow, StoredHost, StoredHosts};
use crate::shares::share_counter::{CountedHost, ShareCounter};
use crate::write::progress::HistoryProgress;
use crate::write::table_writer::TableWriters;
use dataset::row;
use errors::Error;
use sort::{RecordSource, Rest, SortMemory, SortedReader, SortedRecords, Sorter};
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
    keys: UsedKeys<'s>,
    counts: Vec<HostCounts>,
    domains: DomainRuns<CountedDomain>,
    hosts: u64,
    /// For each crawl, the number of hosts that it captured first.
    first_hosts: Vec<i64>,
    /// The number of captures that were added.
    capture_count: u64,
    /// The host of the last capture; `None` at the start.
    host: Option<OpenHost>,
    counter: ShareCounter<'s>,
    /// For each crawl, true if its hosts are counted for `shares`.
    is_counted: Vec<bool>,
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
            keys: UsedKeys::new(memory),
            counts: vec![HostCounts::default(); crawls.len()],
            domains: DomainRuns::default(),
            hosts: 0,
            first_hosts: vec![0; crawls.len()],
            capture_count: 0,
            host: None,
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
                let host = self.open_host(capture.surt_host_name, stored.as_mut(), writers)?;
                host.push(i, &capture, position)?;
                self.capture_count += 1;
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
            self.write_host(OpenHost::from(stored.take()?), writers)?;
        }
        Ok(())
    }

    /// Returns the host with this name, after the hosts before it are written.
    fn open_host(
        &mut self,
        name: &str,
        stored: Option<&mut StoredHosts<'_>>,
        writers: &mut TableWriters<'_>,
    ) -> Result<&mut OpenHost, Error> {
        let last = self.host.as_ref().map(|host| &*host.stored.surt_host_name);
        if last.is_some_and(|last| *last > *name) {
            return Err(damaged_error(own_tables::HOST_CAPTURES));
        }
        if last != Some(name) {
            self.end_host(writers)?;
            let host = self.take_stored(name, stored, writers)?;
            self.host = Some(host.unwrap_or_else(|| OpenHost::new(name)));
        }
        Ok(self.host.get_or_insert_with(|| OpenHost::new(name)))
    }

    /// Returns the host with this name from the history that is continued, after its hosts before it are written.
    fn take_stored(
        &mut self,
        name: &str,
        stored: Option<&mut StoredHosts<'_>>,
        writers: &mut TableWriters<'_>,
    ) -> Result<Option<OpenHost>, Error> {
        let Some(stored) = stored else {
            return Ok(None);
        };
        while let Some(host) = stored.peek()
            && *host.surt_host_name <= *name
        {
            let host = OpenHost::from(stored.take()?);
            if host.stored.surt_host_name == name {
                return Ok(Some(host));
            }
            self.write_host(host, writers)?;
        }
        Ok(None)
    }

    /// Writes the host of the last capture, if there is one.
    fn end_host(&mut self, writers: &mut TableWriters<'_>) -> Result<(), Error> {
        match self.host.take() {
            Some(host) => self.write_host(host, writers),
            None => Ok(()),
        }
    }

    /// Writes a host: its periods and contents, and the records of its captures.
    fn write_host(
        &mut self,
        mut host: OpenHost,
        writers: &mut TableWriters<'_>,
    ) -> Result<(), Error> {
        if host.is_new {
            let first = host.captures.iter().map(|capture| capture.position).min();
            let first = first.unwrap_or_default();
            let count = &mut self.first_hosts[first as usize];
            host.stored.host_no = (i64::from(first) << 32) + *count;
            *count += 1;
        }
        self.count_host(&mut host);
        self.add_captures(&host)?;
        let host = &host.stored;
        for (period_no, period) in (0..).zip(&host.periods) {
            self.write_period(host, period_no, period, writers)?;
            let place = (self.hosts, period_no);
            self.keys.push(host, place, period)?;
        }
        write_contents(host, writers)?;
        self.hosts += 1;
        Ok(())
    }

    /// Counts the host in the crawls of its new captures, and sets the number of its domain.
    fn count_host(&mut self, host: &mut OpenHost) {
        let mut captures = host.captures.iter().peekable();
        let host = &mut host.stored;
        let name = host.surt_host_name.as_bytes();
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
    fn add_captures(&mut self, host: &OpenHost) -> Result<(), Error> {
        // The captures of a period are next to each other.
        let of_periods = host.captures.chunk_by(|a, b| a.period_no == b.period_no);
        let host = &host.stored;
        for captures in of_periods {
            let period = &host.periods[captures[0].period_no as usize];
            let state = COUNTED_STATE.read(&period.state);
            for capture in captures {
                if self.is_counted[capture.position as usize] {
                    self.counter.push(&CountedHost {
                        position: capture.position,
                        surt_host_name: host.surt_host_name.as_bytes(),
                        host_no: host.host_no,
                        archive_no: capture.address.archive_no,
                        state: &state,
                    })?;
                }
                let key = (capture.position, host.host_no);
                self.captures.push((key, *capture))?;
            }
        }
        Ok(())
    }

    fn write_period(
        &self,
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
        })
    }

    pub(crate) fn finish(self) -> Result<WrittenPeriods<'s>, Error> {
        Ok(WrittenPeriods {
            captures: self.captures.finish()?,
            policies: self.keys.policies.finish()?,
            preference_sets: self.keys.preference_sets.finish()?,
            named: self.keys.named.finish()?,
            counts: self.counts,
            hosts: self.hosts,
            counter: self.counter,
        })
    }
}

/// Writes the contents of a host.
fn write_contents(host: &StoredHost, writers: &mut TableWriters<'_>) -> Result<(), Error> {
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
                fetch_time: capture.address.fetch_time,
                archive_no: capture.address.archive_no,
                warc_record_offset: capture.address.offset,
                warc_record_in_member: capture.address.record_in_member,
                period_no: capture.period_no,
                content_no: capture.content_no,
            })?;
            number += 1;
        }
        writers.finish_table(table)
    }
}

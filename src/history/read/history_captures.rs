//! The captures of an earlier history in the order of hosts and times, with their states.

use crate::error::damaged_history_error;
use crate::own_tables;
use crate::read::capture_record::{CaptureAddress, CaptureRecord};
use crate::read::captures_by_host::CapturesByHost;
use crate::read::history_reader::{HistoryReader, PlacedCrawl};
use crate::read::stored_hosts::{StoredHost, StoredHosts};
use dataset::{CaptureFilter, row};
use errors::Error;
use sort::{GroupKey, Reader, SortMemory, SortedRecords, record};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

row! {
    /// The host of a period. Periods are in the order of hosts.
    struct PeriodHost of own_tables::HOST_PERIODS {
        host_no: i64,
    }
}

record! {
    /// A capture of a history. Captures sort by host and time.
    pub(crate) struct SortedCapture {
        /// The number of the host in the order of `surt_host_name`, from 0.
        host: u64,
        time: i64,
        /// The position of its crawl in the history that is written.
        position: u32,
        address: CaptureAddress,
        period_no: u32,
        content_no: Option<u32>,
    }
}

/// Sorts the captures of some crawls of a history by host and time.
///
/// # Errors
///
/// Those of reading; [`DatasetDefect::BadTable`] if a host is unknown.
pub(crate) fn sort_captures<'s>(
    history: &HistoryReader,
    crawls: &BTreeMap<String, PlacedCrawl>,
    memory: SortMemory<'s>,
) -> Result<SortedRecords<'s, SortedCapture>, Error> {
    let mut numbers = memory.create_sorter::<(i64, u64)>();
    let mut periods = history.rows::<PeriodHost>()?;
    let (mut last, mut count) = (None, 0);
    while let Some(PeriodHost { host_no }) = periods.next_record()? {
        if last != Some(host_no) {
            last = Some(host_no);
            numbers.push((host_no, count))?;
            count += 1;
        }
    }
    let numbers = numbers.finish()?;
    let mut numbers = numbers.read()?;
    let places = history.crawls.iter().map(|row| crawls.get(&row.crawl));
    let places: Vec<Option<&PlacedCrawl>> = places.collect();
    let mut sorted = memory.create_sorter();
    let mut hosts = CapturesByHost::open(history, &CaptureFilter::All)?;
    while let Some((host_no, captures)) = hosts.next_host()? {
        let host = numbers.next_of(&GroupKey::new(host_no))?;
        let host =
            host.ok_or_else(|| damaged_history_error(history.root(), own_tables::HOST_CAPTURES))?;
        for capture in captures {
            if let Some(crawl) = places[capture.position as usize] {
                sorted.push(SortedCapture {
                    host,
                    time: capture.order_time,
                    position: crawl.position,
                    address: capture.address,
                    period_no: capture.period_no,
                    content_no: capture.content_no,
                })?;
            }
        }
    }
    sorted.finish()
}

/// Reads the captures of a history in the order of hosts and times.
pub(crate) struct HistoryCaptures<'d> {
    sorted: Reader<'d, SortedCapture>,
    hosts: StoredHosts<'d>,
    /// The number of the current host of `hosts` in their order.
    host_count: u64,
    forgotten: &'d BTreeSet<String>,
    root: &'d Path,
    /// The current capture; `None` at the end.
    capture: Option<SortedCapture>,
}

impl<'d> HistoryCaptures<'d> {
    /// Opens the captures of `sorted`, which [`sort_captures`] returned, except those of `forgotten` hosts.
    ///
    /// # Errors
    ///
    /// Those of reading.
    pub(crate) fn open(
        history: &'d HistoryReader,
        sorted: &'d SortedRecords<'_, SortedCapture>,
        forgotten: &'d BTreeSet<String>,
    ) -> Result<Self, Error> {
        let mut captures = Self {
            sorted: sorted.read()?,
            hosts: StoredHosts::open(history)?,
            host_count: 0,
            forgotten,
            root: history.root(),
            capture: None,
        };
        captures.advance()?;
        Ok(captures)
    }

    /// Returns the current capture, and the position of its crawl in the history that is written.
    pub(crate) fn peek(&self) -> Option<(CaptureRecord<'_>, u32)> {
        let (host, capture) = (self.hosts.peek()?, self.capture.as_ref()?);
        let content = capture
            .content_no
            .map(|number| &host.contents[number as usize]);
        let record = CaptureRecord {
            surt_host_name: &host.surt_host_name,
            time: capture.time,
            address: capture.address,
            digest: content.map_or(&[], |content| &content.digest),
            state: &host.periods[capture.period_no as usize].state,
            period_no: Some(capture.period_no),
        };
        Some((record, capture.position))
    }

    /// Goes to the next capture whose host is not forgotten.
    ///
    /// # Errors
    ///
    /// Those of reading; [`DatasetDefect::BadTable`] if a capture has another period or content than one of its host.
    pub(crate) fn advance(&mut self) -> Result<(), Error> {
        while let Some(capture) = self.sorted.next_record()? {
            while self.host_count < capture.host {
                self.hosts.advance()?;
                self.host_count += 1;
            }
            let host = self.hosts.peek();
            let host = host.filter(|host| capture.fits(host));
            let host =
                host.ok_or_else(|| damaged_history_error(self.root, own_tables::HOST_CAPTURES))?;
            if self.forgotten.is_empty() || !self.forgotten.contains(&host.surt_host_name) {
                self.capture = Some(capture);
                return Ok(());
            }
        }
        self.capture = None;
        // Reads the remaining hosts, which may be damaged.
        while self.hosts.peek().is_some() {
            self.hosts.advance()?;
        }
        Ok(())
    }
}

impl SortedCapture {
    /// Returns true if the host has the period and the content of the capture, and the content is of this period.
    fn fits(&self, host: &StoredHost) -> bool {
        let content = self
            .content_no
            .map(|number| host.contents.get(number as usize));
        let has_content = content.is_none_or(|content| {
            content.is_some_and(|content| content.period_no == self.period_no)
        });
        has_content && (self.period_no as usize) < host.periods.len()
    }
}

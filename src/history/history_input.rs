//! Reads an earlier history: its captures in the order of hosts and times, with their states.

use super::capture_record::{CapturePlace, CaptureRecord};
use super::captures_by_host::CapturesByHost;
use super::crawl_row::{CrawlRow, StoredCrawl};
use super::damaged_history_error;
use super::stored_hosts::{StoredHost, StoredHosts};
use crate::manifest::HistoryManifest;
use crate::own_tables;
use dataset::error::DatasetDefect;
use dataset::{CaptureFilter, Dataset, Row, Rows, RowsByKey, TableFile, WordCheck, row};
use disk::error::Error;
use sort::{GroupKey, Reader, Record, SortMemory, SortedRecords, record};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tables::Table;

/// The limit in bytes of the rows of a table that is read as a whole, such as `crawls` or the registry of crawlers.
const MAX_WHOLE_TABLE_BYTES: usize = 64 << 20;

/// An earlier history that is open for reading.
pub struct HistoryReader {
    dataset: Dataset,
    /// The rows of the table `crawls`, in order.
    pub crawls: Vec<CrawlRow>,
}

impl HistoryReader {
    /// Opens a history, and reads its crawls, which must be those of the manifest, in order, and have all captures. If
    /// `compares_digests`, each file is compared with its digest before its first row is read.
    ///
    /// # Errors
    ///
    /// Those of reading; [`DatasetDefect::BadTable`](dataset::error::DatasetDefect::BadTable).
    pub fn open(
        root: &Path,
        manifest: &HistoryManifest,
        compares_digests: bool,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self, Error> {
        manifest.check_tables(root)?;
        let files = manifest.files.iter().filter_map(|file| {
            Some(TableFile {
                table: file.table()?,
                path: root.join(&file.path),
                stats: compares_digests.then(|| file.stats.clone()),
            })
        });
        let dataset = Dataset::from_table_files(root, files.collect())?.with_stop_flag(stop);
        let mut history = Self {
            dataset,
            crawls: Vec::new(),
        };
        let mut crawls = Vec::new();
        let mut rows = history.rows::<StoredCrawl<'_>>()?;
        while let Some(row) = rows.next_record()? {
            crawls.push(CrawlRow::from(row));
        }
        drop(rows);
        history.crawls = crawls;
        let crawls = &history.crawls;
        let are_listed = crawls
            .iter()
            .map(|row| &row.crawl)
            .eq(manifest.crawls.iter());
        if !are_listed || !crawls.is_sorted_by(|a, b| a.order() < b.order()) {
            return Err(damaged_history_error(root, own_tables::CRAWLS));
        }
        // The captures of each crawl are in files of their own, one of which may be missing.
        let captures = manifest.table_files(own_tables::HOST_CAPTURES);
        let captures: u64 = captures.map(|file| file.stats.rows).sum();
        let hosts = crawls.iter().map(|row| row.hosts);
        if hosts.fold(0, i64::saturating_add).cast_unsigned() == captures {
            Ok(history)
        } else {
            Err(damaged_history_error(root, own_tables::HOST_CAPTURES))
        }
    }

    /// Returns the folder of the history.
    pub fn root(&self) -> &Path {
        self.dataset.root()
    }

    pub(super) fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// Returns the positions of all crawls in this history, by name.
    pub fn places(&self) -> BTreeMap<String, PlacedCrawl> {
        place_crawls(&self.crawls)
    }

    /// Opens the rows of a table.
    ///
    /// # Errors
    ///
    /// Those of [`Dataset::rows`].
    pub fn rows<R: Row>(&self) -> Result<Rows<'_, R>, Error> {
        self.dataset.rows()
    }

    /// Opens the rows of a table that `filter` matches.
    ///
    /// # Errors
    ///
    /// Those of [`Dataset::rows`].
    pub fn filtered_rows<R: Row>(&self, filter: &CaptureFilter) -> Result<Rows<'_, R>, Error> {
        self.dataset.filtered_rows(filter.clone())
    }

    /// Opens the rows of a table that `filter` matches, by the first column.
    pub(super) fn rows_by_key<K: Record>(
        &self,
        table: Table,
        filter: &CaptureFilter,
        check: WordCheck,
    ) -> Result<RowsByKey<'_, K>, Error> {
        let parts = self.dataset.parts_with_table(table);
        let columns = table.columns().iter().collect();
        self.dataset
            .rows_by_key(table, columns, parts, filter.clone(), check)
    }

    /// Reads the rows of the registry of crawlers.
    pub(super) fn read_agents(&self) -> Result<Vec<Vec<u8>>, Error> {
        read_small_table(&self.dataset, Table::AGENTS)
    }
}

/// Reads the encoded rows of a small table.
///
/// # Errors
///
/// Those of reading; [`DatasetDefect::BadTable`] if the rows have more than 64 MiB.
pub(super) fn read_small_table(dataset: &Dataset, table: Table) -> Result<Vec<Vec<u8>>, Error> {
    let columns = table.columns().iter().collect();
    let parts = dataset.parts_with_table(table);
    let mut stored =
        dataset.rows_by_key::<()>(table, columns, parts, CaptureFilter::All, |_| Ok(()))?;
    let (mut rows, mut bytes) = (Vec::new(), 0);
    while let Some(row) = stored.next_bytes()? {
        bytes += row.len();
        if bytes > MAX_WHOLE_TABLE_BYTES {
            let (table, mebibytes) = (table.name(), MAX_WHOLE_TABLE_BYTES >> 20);
            let message = format!("its table `{table}` has more than {mebibytes} MiB of rows");
            return Err(DatasetDefect::BadTable { table, message }.error(dataset.root()));
        }
        rows.push(row.to_vec());
    }
    Ok(rows)
}

/// The position and the median time of a crawl.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlacedCrawl {
    /// The position of the crawl in the order of crawls of the history that is written or read, from 0.
    pub position: u32,
    /// The median of the times of its authoritative captures, in milliseconds since 1970.
    pub median_fetch: Option<i64>,
}

/// Returns the places of crawls, which are in order.
pub fn place_crawls(crawls: &[CrawlRow]) -> BTreeMap<String, PlacedCrawl> {
    let place = |(position, row): (u32, &CrawlRow)| {
        let median_fetch = row.median_fetch;
        let crawl = PlacedCrawl {
            position,
            median_fetch,
        };
        (row.crawl.clone(), crawl)
    };
    (0..).zip(crawls).map(place).collect()
}

row! {
    /// The host of a period. Periods are in the order of hosts.
    struct PeriodHost of own_tables::HOST_PERIODS {
        host_no: i64,
    }
}

record! {
    /// A capture of a history. Captures sort by host and time.
    pub(super) struct SortedCapture {
        /// The number of the host in the order of `surt_host_name`, from 0.
        host: u64,
        time: i64,
        /// The position of its crawl in the history that is written.
        position: u32,
        place: CapturePlace,
        period_no: u32,
        content_no: Option<u32>,
    }
}

/// Sorts the captures of some crawls of a history by host and time.
///
/// # Errors
///
/// Those of reading; [`DatasetDefect::BadTable`] if a host is unknown.
pub(super) fn sort_captures<'s>(
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
    let mut hosts = CapturesByHost::open(history)?;
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
                    place: capture.place,
                    period_no: capture.period_no,
                    content_no: capture.content_no,
                })?;
            }
        }
    }
    sorted.finish()
}

/// Reads the captures of a history in the order of hosts and times.
pub(super) struct HistoryCaptures<'d> {
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
    pub(super) fn open(
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
    pub(super) fn peek(&self) -> Option<(CaptureRecord<'_>, u32)> {
        let (host, capture) = (self.hosts.peek()?, self.capture.as_ref()?);
        let content = capture
            .content_no
            .map(|number| &host.contents[number as usize]);
        let record = CaptureRecord {
            surt_host_name: &host.surt_host_name,
            time: capture.time,
            place: capture.place,
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
    pub(super) fn advance(&mut self) -> Result<(), Error> {
        while let Some(capture) = self.sorted.next_record()? {
            while self.host_count < capture.host {
                self.hosts.advance()?;
                self.host_count += 1;
            }
            let host = self.hosts.peek();
            let host = host.filter(|host| capture.is_of(host));
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
    fn is_of(&self, host: &StoredHost) -> bool {
        let content = self
            .content_no
            .map(|number| host.contents.get(number as usize));
        let has_content = content.is_none_or(|content| {
            content.is_some_and(|content| content.period_no == self.period_no)
        });
        has_content && (self.period_no as usize) < host.periods.len()
    }
}

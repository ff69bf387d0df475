//! Reads an earlier history: its captures in the order of hosts and times, with their states.

use super::capture_record::{CapturePlace, CaptureRecord};
use super::captures_by_host::CapturesByHost;
use super::crawl_row::CrawlRow;
use super::damaged_history_error;
use super::encoded_rows::{EncodedRows, columns_named};
use super::stored_hosts::{StoredHost, StoredHosts};
use crate::manifest::HistoryManifest;
use crate::own_tables;
use dataset::{CaptureFilter, Dataset, TableFile};
use disk::error::Error;
use sort::sort_key::{FieldReader, put_i64, put_u8, put_u32, put_u64};
use sort::{Reader, SortMemory, SortedRecords};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tables::Table;

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
        let rows = history.read_rows(own_tables::CRAWLS)?;
        let crawls = rows
            .iter()
            .map(|row| CrawlRow::read(&mut FieldReader::new(row)));
        history.crawls = crawls.collect();
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
        match hosts.fold(0, i64::saturating_add).cast_unsigned() == captures {
            true => Ok(history),
            false => Err(damaged_history_error(root, own_tables::HOST_CAPTURES)),
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

    /// Reads all rows of a small table.
    ///
    /// # Errors
    ///
    /// Those of [`EncodedRows::read_all`].
    pub fn read_rows(&self, table: Table) -> Result<Vec<Vec<u8>>, Error> {
        self.open_table(table)?.read_all()
    }

    /// Opens some columns of a table.
    pub fn open_columns(&self, table: Table, names: &[&str]) -> Result<EncodedRows<'_>, Error> {
        EncodedRows::open(&self.dataset, table, columns_named(table, names))
    }

    /// Opens the rows of a table that `filter` matches.
    pub fn open_filtered(
        &self,
        table: Table,
        filter: &CaptureFilter,
    ) -> Result<EncodedRows<'_>, Error> {
        EncodedRows::open_filtered(&self.dataset, table, filter.clone())
    }

    /// Opens all columns of a table.
    pub fn open_table(&self, table: Table) -> Result<EncodedRows<'_>, Error> {
        EncodedRows::open(&self.dataset, table, table.columns().iter().collect())
    }
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

/// Sorts the captures of some crawls of a history by host and time. A record has the number of the host in the order of
/// `surt_host_name`, from 0, the time, the position of the crawl in the history that is written, and the place, the
/// period and the content of the capture.
///
/// # Errors
///
/// Those of reading; [`DatasetDefect::BadTable`](dataset::error::DatasetDefect::BadTable) if a host is unknown.
pub(super) fn sort_captures<'s>(
    history: &HistoryReader,
    crawls: &BTreeMap<String, PlacedCrawl>,
    memory: SortMemory<'s>,
) -> Result<SortedRecords<'s>, Error> {
    let mut numbers = memory.create_sorter();
    let names = ["surt_host_name", "host_no"];
    let mut periods = history.open_columns(own_tables::HOST_PERIODS, &names)?;
    let (mut record, mut last) = (Vec::new(), Vec::new());
    let mut count = 0;
    while let Some(row) = periods.peek() {
        if row != &*last {
            last.clear();
            last.extend_from_slice(row);
            record.clear();
            let mut fields = FieldReader::new(row);
            fields.bytes();
            put_i64(&mut record, fields.i64());
            put_u64(&mut record, count);
            numbers.push(&record)?;
            count += 1;
        }
        periods.advance()?;
    }
    let numbers = numbers.finish()?;
    let mut numbers = numbers.read()?;
    let places = history.crawls.iter().map(|row| crawls.get(&row.crawl));
    let places: Vec<Option<&PlacedCrawl>> = places.collect();
    let mut sorted = memory.create_sorter();
    let mut hosts = CapturesByHost::open(history)?;
    while let Some((host_no, captures)) = hosts.next_host()? {
        let number = numbers.peek().map(|record| {
            let mut fields = FieldReader::new(record);
            (fields.i64(), fields.u64())
        });
        let number = number.filter(|(found, _)| *found == host_no);
        let (_, number) = number
            .ok_or_else(|| damaged_history_error(history.root(), own_tables::HOST_CAPTURES))?;
        for capture in captures {
            let Some(crawl) = places[capture.position as usize] else {
                continue;
            };
            record.clear();
            put_u64(&mut record, number);
            put_i64(&mut record, capture.order_time);
            put_u32(&mut record, crawl.position);
            capture.place.put(&mut record);
            put_u32(&mut record, capture.period_no);
            put_u8(&mut record, capture.content_no.is_some().into());
            put_u32(&mut record, capture.content_no.unwrap_or_default());
            sorted.push(&record)?;
        }
        numbers.advance()?;
    }
    sorted.finish()
}

/// Reads the captures of a history in the order of hosts and times.
pub(super) struct HistoryCaptures<'d> {
    /// The records of [`sort_captures`].
    sorted: Reader<'d>,
    hosts: StoredHosts<'d>,
    /// The number of the current host of `hosts` in their order.
    host_count: u64,
    forgotten: &'d BTreeSet<String>,
    root: &'d Path,
    capture: SortedCapture,
}

/// The fields of a record of [`sort_captures`].
#[derive(Clone, Copy, Debug, Default)]
struct SortedCapture {
    host: u64,
    time: i64,
    position: u32,
    place: CapturePlace,
    period_no: u32,
    content_no: Option<u32>,
}

impl<'d> HistoryCaptures<'d> {
    /// Opens the captures of `sorted`, which [`sort_captures`] returned, except those of `forgotten` hosts.
    ///
    /// # Errors
    ///
    /// Those of reading.
    pub(super) fn open(
        history: &'d HistoryReader,
        sorted: &'d SortedRecords<'_>,
        forgotten: &'d BTreeSet<String>,
    ) -> Result<Self, Error> {
        let mut captures = Self {
            sorted: sorted.read()?,
            hosts: StoredHosts::open(history)?,
            host_count: 0,
            forgotten,
            root: history.root(),
            capture: SortedCapture::default(),
        };
        captures.find_capture()?;
        Ok(captures)
    }

    /// Returns the current capture, and the position of its crawl in the history that is written.
    pub(super) fn peek(&self) -> Option<(CaptureRecord<'_>, u32)> {
        self.sorted.peek()?;
        let (host, capture) = (self.hosts.peek()?, &self.capture);
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

    /// Goes to the next capture.
    ///
    /// # Errors
    ///
    /// Those of reading; [`DatasetDefect::BadTable`](dataset::error::DatasetDefect::BadTable) if a capture has another
    /// period or content than one of its host.
    pub(super) fn advance(&mut self) -> Result<(), Error> {
        self.sorted.advance()?;
        self.find_capture()
    }

    /// Goes to the first capture, from the current one on, whose host is not forgotten.
    fn find_capture(&mut self) -> Result<(), Error> {
        while let Some(record) = self.sorted.peek() {
            self.capture = SortedCapture::read(record);
            while self.host_count < self.capture.host {
                self.hosts.advance()?;
                self.host_count += 1;
            }
            let host = self.hosts.peek();
            let host = host.filter(|host| self.capture.is_of(host));
            let host =
                host.ok_or_else(|| damaged_history_error(self.root, own_tables::HOST_CAPTURES))?;
            if self.forgotten.is_empty() || !self.forgotten.contains(&host.surt_host_name) {
                return Ok(());
            }
            self.sorted.advance()?;
        }
        // Reads the remaining hosts, which may be damaged.
        while self.hosts.peek().is_some() {
            self.hosts.advance()?;
        }
        Ok(())
    }
}

impl SortedCapture {
    fn read(record: &[u8]) -> Self {
        let mut fields = FieldReader::new(record);
        let (host, time, position) = (fields.u64(), fields.i64(), fields.u32());
        Self {
            host,
            time,
            position,
            place: CapturePlace::read(&mut fields),
            period_no: fields.u32(),
            content_no: match fields.u8() {
                0 => None,
                _ => Some(fields.u32()),
            },
        }
    }

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

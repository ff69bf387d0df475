//! Reads an earlier history: its captures in the order of hosts and times, with their states.

use super::capture_record::{CapturePlace, CaptureRecord};
use super::crawl_row::CrawlRow;
use super::damaged_error;
use super::row_cursor::{RowCursor, columns_named};
use dataset::external_sort::sort_key::FieldReader;
use dataset::tables::Table;
use dataset::{Dataset, HistoryManifest};
use disk::error::Error;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A history that is read.
pub(crate) struct HistoryReader {
    dataset: Dataset,
    /// Its crawls, in its order.
    pub(crate) crawls: Vec<CrawlRow>,
}

impl HistoryReader {
    /// Opens a history, and reads its crawls.
    pub(crate) fn open(
        root: &Path,
        manifest: &HistoryManifest,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self, Error> {
        let dataset = Dataset::from_history(root, &manifest.paths(root))?.with_stop_flag(stop);
        let mut history = Self {
            dataset,
            crawls: Vec::new(),
        };
        let mut crawls = Vec::new();
        let mut cursor = history.open_table(Table::Crawls)?;
        while let Some(row) = cursor.peek() {
            crawls.push(CrawlRow::read(&mut FieldReader::new(row)));
            cursor.advance()?;
        }
        history.crawls = crawls;
        Ok(history)
    }

    /// Opens files of a history that is being written.
    pub(crate) fn from_files(
        root: &Path,
        files: &[(Table, PathBuf)],
        crawls: &[CrawlRow],
        stop: &Arc<AtomicBool>,
    ) -> Result<Self, Error> {
        Ok(Self {
            dataset: Dataset::from_history(root, files)?.with_stop_flag(stop),
            crawls: crawls.to_vec(),
        })
    }

    /// Returns the places of all crawls.
    pub(crate) fn places(&self) -> BTreeMap<String, PlacedCrawl> {
        let rows = (0..).zip(&self.crawls);
        let place = |(position, row): (u32, &CrawlRow)| {
            let median_fetch = row.median_fetch;
            let crawl = PlacedCrawl {
                position,
                median_fetch,
            };
            (row.crawl.clone(), crawl)
        };
        rows.map(place).collect()
    }

    /// Reads all rows of a small table.
    pub(crate) fn read_rows(&self, table: Table) -> Result<Vec<Vec<u8>>, Error> {
        let mut cursor = self.open_table(table)?;
        let mut rows = Vec::new();
        while let Some(row) = cursor.peek() {
            rows.push(row.to_vec());
            cursor.advance()?;
        }
        Ok(rows)
    }

    /// Opens some columns of a table.
    pub(crate) fn open_columns(
        &self,
        table: Table,
        names: &[&str],
    ) -> Result<RowCursor<'_>, Error> {
        RowCursor::open(&self.dataset, table, columns_named(table, names))
    }

    /// Opens all columns of a table.
    pub(crate) fn open_table(&self, table: Table) -> Result<RowCursor<'_>, Error> {
        RowCursor::open(&self.dataset, table, table.columns().iter().collect())
    }
}

/// A crawl of a history, in the new one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedCrawl {
    pub(crate) position: u32,
    pub(crate) median_fetch: Option<i64>,
}

/// Reads the captures of a history as records.
pub(crate) struct HistoryCaptures<'d> {
    captures: RowCursor<'d>,
    periods: RowCursor<'d>,
    contents: RowCursor<'d>,
    /// The crawls that are kept.
    crawls: BTreeMap<String, PlacedCrawl>,
    forgotten: &'d BTreeSet<String>,
    period: Period,
    content: Content,
    record: Vec<u8>,
    /// The place of the crawl of the current record in the order of crawls.
    position: u32,
    /// The number of the current capture.
    capture_no: i64,
    is_at_end: bool,
}

/// The current period.
#[derive(Debug, Default)]
struct Period {
    id: i64,
    state: Vec<u8>,
    is_read: bool,
}

/// The current row of `host_contents`.
#[derive(Debug, Default)]
struct Content {
    first_capture: i64,
    /// The capture after the last one.
    end: i64,
    digest: Vec<u8>,
}

impl<'d> HistoryCaptures<'d> {
    pub(crate) fn open(
        history: &'d HistoryReader,
        crawls: BTreeMap<String, PlacedCrawl>,
        forgotten: &'d BTreeSet<String>,
    ) -> Result<Self, Error> {
        let mut captures = Self {
            captures: history.open_table(Table::HostCaptures)?,
            periods: history.open_table(Table::HostPeriods)?,
            contents: history.open_table(Table::HostContents)?,
            crawls,
            forgotten,
            period: Period::default(),
            content: Content::default(),
            record: Vec::new(),
            position: 0,
            capture_no: 0,
            is_at_end: false,
        };
        captures.read_record()?;
        Ok(captures)
    }

    /// Returns the number of the current capture.
    pub(crate) fn capture_no(&self) -> i64 {
        self.capture_no
    }

    /// Returns the current record, and the place of its crawl.
    pub(crate) fn peek(&self) -> Option<(&[u8], u32)> {
        (!self.is_at_end).then_some((&*self.record, self.position))
    }

    pub(crate) fn advance(&mut self) -> Result<(), Error> {
        self.captures.advance()?;
        self.read_record()
    }

    /// Reads the next capture of a crawl and a host that are kept.
    fn read_record(&mut self) -> Result<(), Error> {
        loop {
            let Some(row) = self.captures.peek() else {
                self.is_at_end = true;
                return Ok(());
            };
            let mut fields = FieldReader::new(row);
            let capture_no = fields.i64();
            let host = fields.bytes();
            let crawl = fields.bytes();
            let place = CapturePlace::read(&mut fields);
            let period_id = fields.i64();
            let crawl = std::str::from_utf8(crawl).ok();
            let crawl = crawl.and_then(|crawl| self.crawls.get(crawl));
            let is_forgotten = !self.forgotten.is_empty()
                && std::str::from_utf8(host).is_ok_and(|host| self.forgotten.contains(host));
            let Some(crawl) = crawl.filter(|_| !is_forgotten) else {
                self.captures.advance()?;
                continue;
            };
            self.period.go_to(period_id, host, &mut self.periods)?;
            let digest = self.content.digest_of(capture_no, &mut self.contents)?;
            CaptureRecord::write(
                &mut self.record,
                host,
                crawl.median_fetch,
                &place,
                digest,
                &self.period.state,
            );
            self.position = crawl.position;
            self.capture_no = capture_no;
            return Ok(());
        }
    }
}

impl Period {
    /// Reads the period with this number, which must be of this host.
    fn go_to(&mut self, id: i64, host: &[u8], rows: &mut RowCursor<'_>) -> Result<(), Error> {
        while !self.is_read || self.id < id {
            let row = rows.peek();
            let row = row.ok_or_else(|| damaged_error(Table::HostPeriods))?;
            let mut fields = FieldReader::new(row);
            self.id = fields.i64();
            let is_own = fields.bytes() == host;
            let (_first, _last) = (fields.bytes(), fields.bytes());
            fields.i64();
            fields.u32();
            self.state.clear();
            self.state.extend_from_slice(fields.rest());
            self.is_read = true;
            if self.id == id && !is_own {
                return Err(damaged_error(Table::HostPeriods));
            }
            rows.advance()?;
        }
        match self.id == id {
            true => Ok(()),
            false => Err(damaged_error(Table::HostPeriods)),
        }
    }
}

impl Content {
    /// Returns the digest of a capture; empty if it has none. Captures are asked for in order.
    fn digest_of(&mut self, capture_no: i64, rows: &mut RowCursor<'_>) -> Result<&[u8], Error> {
        while self.end <= capture_no
            && let Some(row) = rows.peek()
        {
            let mut fields = FieldReader::new(row);
            fields.bytes();
            let first_capture = fields.i64();
            if first_capture > capture_no {
                break;
            }
            self.first_capture = first_capture;
            self.end = first_capture.saturating_add(i64::from(fields.u32()));
            self.digest.clear();
            self.digest.extend_from_slice(fields.bytes());
            rows.advance()?;
        }
        let is_covered = (self.first_capture..self.end).contains(&capture_no);
        Ok(if is_covered { &self.digest } else { &[] })
    }
}

//! Reads an earlier history: its captures in the order of hosts and times, with their states.

use super::capture_record::{CapturePlace, CaptureRecord};
use super::crawl_row::CrawlRow;
use super::damaged_error;
use super::row_cursor::{RowCursor, columns_named};
use dataset::external_sort::sort_key::FieldReader;
use dataset::tables::Table;
use dataset::{
    CaptureFilter, Dataset, HistoryManifest, PartReader, StoredColumns, stored_columns, value,
};
use disk::error::Error;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
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

    /// Opens the rows of a table that `filter` matches.
    pub(crate) fn open_filtered(
        &self,
        table: Table,
        filter: &CaptureFilter,
    ) -> Result<RowCursor<'_>, Error> {
        RowCursor::open_filtered(&self.dataset, table, filter.clone())
    }

    /// Opens all columns of a table.
    pub(crate) fn open_table(&self, table: Table) -> Result<RowCursor<'_>, Error> {
        RowCursor::open(&self.dataset, table, table.columns().iter().collect())
    }
}

/// A crawl of a history, in the new one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlacedCrawl {
    pub(crate) position: u32,
    pub(crate) median_fetch: Option<i64>,
}

stored_columns! {
    struct CaptureColumns of HostCaptures {
        capture_no: Long,
        surt_host_name: Text,
        crawl: Text,
        fetch_time: Time,
        archive_no: Long,
        warc_record_offset: Long,
        warc_record_in_member: Int,
        period_id: Long,
    }
}

/// Reads the captures of a history in order.
pub(crate) struct HistoryCaptures<'d> {
    dataset: &'d Dataset,
    /// The files that are not opened yet.
    parts: VecDeque<u32>,
    reader: Option<PartReader<'d>>,
    /// The current batch; `None` at the end.
    columns: Option<CaptureColumns>,
    row: usize,
    periods: RowCursor<'d>,
    contents: RowCursor<'d>,
    /// The crawls that are kept.
    crawls: BTreeMap<String, PlacedCrawl>,
    forgotten: &'d BTreeSet<String>,
    period: Period,
    content: Content,
    /// The crawl of the current capture.
    crawl: PlacedCrawl,
    has_digest: bool,
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
        let dataset = &history.dataset;
        let mut captures = Self {
            dataset,
            parts: dataset.parts_with(Table::HostCaptures).into(),
            reader: None,
            columns: None,
            row: 0,
            periods: history.open_table(Table::HostPeriods)?,
            contents: history.open_table(Table::HostContents)?,
            crawls,
            forgotten,
            period: Period::default(),
            content: Content::default(),
            crawl: PlacedCrawl::default(),
            has_digest: false,
        };
        captures.read_batch()?;
        captures.find_capture()?;
        Ok(captures)
    }

    /// Returns the number of the current capture.
    pub(crate) fn capture_no(&self) -> i64 {
        let columns = self.columns.as_ref();
        columns.map_or(0, |columns| columns.capture_no.value(self.row))
    }

    /// Returns the current capture, and the place of its crawl.
    pub(crate) fn peek(&self) -> Option<(CaptureRecord<'_>, u32)> {
        let (columns, row) = (self.columns.as_ref()?, self.row);
        let place = CapturePlace {
            fetch_time: value(&columns.fetch_time, row),
            archive_no: columns.archive_no.value(row),
            offset: columns.warc_record_offset.value(row),
            record_in_member: columns.warc_record_in_member.value(row),
        };
        let capture = CaptureRecord {
            surt_host_name: columns.surt_host_name.value(row),
            time: place.order_time(self.crawl.median_fetch),
            place,
            digest: if self.has_digest {
                &self.content.digest
            } else {
                &[]
            },
            state: &self.period.state,
            period_id: Some(self.period.id),
        };
        Some((capture, self.crawl.position))
    }

    pub(crate) fn advance(&mut self) -> Result<(), Error> {
        self.row += 1;
        self.find_capture()
    }

    /// Goes to the first capture, from the current row on, of a crawl and a host that are kept.
    fn find_capture(&mut self) -> Result<(), Error> {
        while let Some(columns) = &self.columns {
            let row = self.row;
            if row == columns.capture_no.len() {
                self.read_batch()?;
                continue;
            }
            let host = columns.surt_host_name.value(row);
            let crawl = self.crawls.get(columns.crawl.value(row));
            let is_forgotten = !self.forgotten.is_empty() && self.forgotten.contains(host);
            let Some(crawl) = crawl.filter(|_| !is_forgotten) else {
                self.row += 1;
                continue;
            };
            self.crawl = *crawl;
            let period_id = columns.period_id.value(row);
            self.period.go_to(period_id, host, &mut self.periods)?;
            let capture_no = columns.capture_no.value(row);
            self.has_digest = self.content.covers(capture_no, &mut self.contents)?;
            return Ok(());
        }
        Ok(())
    }

    /// Reads the next batch that has rows.
    fn read_batch(&mut self) -> Result<(), Error> {
        self.row = 0;
        loop {
            if self.reader.is_none() {
                let Some(part) = self.parts.pop_front() else {
                    self.columns = None;
                    return Ok(());
                };
                let (names, all) = (CaptureColumns::NAMES, CaptureFilter::All);
                let table = Table::HostCaptures;
                self.reader = Some(self.dataset.open_part(table, part, names, &all)?);
            }
            let Some(reader) = &mut self.reader else {
                continue;
            };
            match reader.next_batch()? {
                None => self.reader = None,
                Some(batch) if batch.num_rows() == 0 => {}
                Some(batch) => {
                    let columns = CaptureColumns::from_batch(&batch);
                    self.columns = Some(columns.map_err(|error| reader.add_path(error))?);
                    return Ok(());
                }
            }
        }
    }
}

impl Period {
    /// Reads the period with this number, which must be of this host.
    fn go_to(&mut self, id: i64, host: &str, rows: &mut RowCursor<'_>) -> Result<(), Error> {
        while !self.is_read || self.id < id {
            let row = rows.peek();
            let row = row.ok_or_else(|| damaged_error(Table::HostPeriods))?;
            let mut fields = FieldReader::new(row);
            self.id = fields.i64();
            let is_own = fields.bytes() == host.as_bytes();
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
    /// Goes to the content of a capture, and returns true if it has one. Captures are asked for in order.
    fn covers(&mut self, capture_no: i64, rows: &mut RowCursor<'_>) -> Result<bool, Error> {
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
        Ok((self.first_capture..self.end).contains(&capture_no))
    }
}

//! Reads an earlier history: its captures in the order of hosts and times, with their states.

use super::capture_record::{CapturePlace, CaptureRecord, StateDetails, optional_bytes};
use super::crawl_row::CrawlRow;
use super::damaged_history_error;
use super::encoded_rows::{EncodedRows, columns_named};
use super::row_key::key_from_text;
use crate::manifest::HistoryManifest;
use crate::own_tables;
use dataset::{
    CaptureFilter, Dataset, PartReader, StoredColumns, check_nulls, stored_columns, value,
};
use disk::error::Error;
use sort::sort_key::FieldReader;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
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
    /// Opens a history, and reads its crawls, which must be those of the manifest, in order.
    ///
    /// # Errors
    ///
    /// Those of reading; [`DatasetDefect::BadTable`](dataset::error::DatasetDefect::BadTable).
    pub fn open(
        root: &Path,
        manifest: &HistoryManifest,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self, Error> {
        manifest.check_tables(root)?;
        let dataset = Dataset::from_table_files(root, &manifest.paths(root))?.with_stop_flag(stop);
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
        match are_listed && crawls.is_sorted_by(|a, b| a.order() < b.order()) {
            true => Ok(history),
            false => Err(damaged_history_error(root, own_tables::CRAWLS)),
        }
    }

    /// Returns the folder of the history.
    pub fn root(&self) -> &Path {
        self.dataset.root()
    }

    /// Opens files of a history that is being written.
    pub fn from_files(
        root: &Path,
        files: &[(Table, PathBuf)],
        crawls: &[CrawlRow],
        stop: &Arc<AtomicBool>,
    ) -> Result<Self, Error> {
        Ok(Self {
            dataset: Dataset::from_table_files(root, files)?.with_stop_flag(stop),
            crawls: crawls.to_vec(),
        })
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

stored_columns! {
    struct CaptureColumns of own_tables::HOST_CAPTURES {
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
pub struct HistoryCaptures<'d> {
    dataset: &'d Dataset,
    /// The parts of `host_captures` that are not opened yet.
    parts: VecDeque<u32>,
    reader: Option<PartReader>,
    /// The current batch; `None` at the end.
    columns: Option<CaptureColumns>,
    /// The index of the current row in `columns`.
    row: usize,
    periods: EncodedRows<'d>,
    /// The rows of `host_contents`; `None` if states have only [`ACCESS_COLUMNS`](StateDetails::ACCESS_COLUMNS).
    contents: Option<EncodedRows<'d>>,
    /// The names of all crawls in order, with the positions of the crawls whose captures are kept.
    crawls: Vec<(&'d str, Option<PlacedCrawl>)>,
    /// The index of the crawl after that of the last capture, at which the search for the next crawl begins: the
    /// captures of a host are in the order of time.
    next_crawl: usize,
    forgotten: &'d BTreeSet<String>,
    order: CaptureOrder,
    period: Period,
    content: Content,
    /// The position and the median time of the crawl of the current capture.
    crawl: PlacedCrawl,
    /// True if the current capture is one of those of `content`.
    has_digest: bool,
}

/// Checks that captures are in order.
#[derive(Debug, Default)]
struct CaptureOrder {
    /// The number that the next capture must have.
    capture_no: i64,
    host: String,
    /// The time of the last capture of `host`, and the position of its crawl; `None` before the first capture.
    last: Option<(i64, u32)>,
    /// The crawls with a capture of `host`: a bit for each position.
    crawls: Vec<u64>,
}

/// The current row of `host_periods`.
#[derive(Debug, Default)]
struct Period {
    id: i64,
    host: String,
    state: Vec<u8>,
    first_capture: i64,
    /// The number of the last capture, plus 1.
    end: i64,
    /// True once a row was read.
    is_read: bool,
    /// True if the state has all its columns, false if only [`ACCESS_COLUMNS`](StateDetails::ACCESS_COLUMNS).
    is_whole: bool,
}

/// The current row of `host_contents`.
#[derive(Debug, Default)]
struct Content {
    host: Vec<u8>,
    first_capture: i64,
    /// The number of the last capture, plus 1.
    end: i64,
    digest: Vec<u8>,
}

impl<'d> HistoryCaptures<'d> {
    /// Opens the captures of `crawls`, except those of `forgotten` hosts.
    ///
    /// # Errors
    ///
    /// Those of reading.
    pub fn open(
        history: &'d HistoryReader,
        crawls: BTreeMap<String, PlacedCrawl>,
        forgotten: &'d BTreeSet<String>,
    ) -> Result<Self, Error> {
        let periods = history.open_table(own_tables::HOST_PERIODS)?;
        let contents = history.open_table(own_tables::HOST_CONTENTS)?;
        Self::open_rows(history, crawls, forgotten, periods, Some(contents))
    }

    /// Opens the captures of `crawls` without their digests, and with only
    /// [`ACCESS_COLUMNS`](StateDetails::ACCESS_COLUMNS) of their states.
    ///
    /// # Errors
    ///
    /// Those of reading.
    pub fn open_for_access(
        history: &'d HistoryReader,
        crawls: BTreeMap<String, PlacedCrawl>,
        forgotten: &'d BTreeSet<String>,
    ) -> Result<Self, Error> {
        let mut names = vec![
            "period_id",
            "surt_host_name",
            "first_capture_no",
            "n_captures",
        ];
        names.extend(StateDetails::ACCESS_COLUMNS);
        let periods = history.open_columns(own_tables::HOST_PERIODS, &names)?;
        Self::open_rows(history, crawls, forgotten, periods, None)
    }

    fn open_rows(
        history: &'d HistoryReader,
        crawls: BTreeMap<String, PlacedCrawl>,
        forgotten: &'d BTreeSet<String>,
        periods: EncodedRows<'d>,
        contents: Option<EncodedRows<'d>>,
    ) -> Result<Self, Error> {
        let dataset = &history.dataset;
        let place = |row: &'d CrawlRow| (&*row.crawl, crawls.get(&row.crawl).copied());
        let mut captures = Self {
            dataset,
            parts: dataset.parts_with_table(own_tables::HOST_CAPTURES).into(),
            reader: None,
            columns: None,
            row: 0,
            crawls: history.crawls.iter().map(place).collect(),
            next_crawl: 0,
            forgotten,
            order: CaptureOrder::default(),
            period: Period {
                is_whole: contents.is_some(),
                ..Period::default()
            },
            periods,
            contents,
            content: Content::default(),
            crawl: PlacedCrawl::default(),
            has_digest: false,
        };
        captures.read_batch()?;
        captures.find_capture()?;
        Ok(captures)
    }

    /// Returns the number of the current capture.
    pub fn capture_no(&self) -> i64 {
        let columns = self.columns.as_ref();
        columns.map_or(0, |columns| columns.capture_no.value(self.row))
    }

    /// Returns the current capture, and the position of its crawl.
    pub fn peek(&self) -> Option<(CaptureRecord<'_>, u32)> {
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

    /// Goes to the next capture.
    ///
    /// # Errors
    ///
    /// Those of reading.
    pub fn advance(&mut self) -> Result<(), Error> {
        self.row += 1;
        self.find_capture()
    }

    /// Goes to the first capture, from the current row on, whose crawl and host are kept.
    ///
    /// # Errors
    ///
    /// Those of reading; [`DatasetDefect::BadTable`](dataset::error::DatasetDefect::BadTable) if captures are not
    /// numbered or not in order, if a host has two captures of a crawl, if a crawl is unknown, or if periods or
    /// contents do not fit the captures.
    fn find_capture(&mut self) -> Result<(), Error> {
        let root = self.dataset.root();
        let damaged = || damaged_history_error(root, own_tables::HOST_CAPTURES);
        while let Some(columns) = &self.columns {
            let row = self.row;
            if row == columns.capture_no.len() {
                self.read_batch()?;
                continue;
            }
            let capture_no = columns.capture_no.value(row);
            if capture_no != self.order.capture_no {
                return Err(damaged());
            }
            self.order.capture_no += 1;
            let host = columns.surt_host_name.value(row);
            let name = columns.crawl.value(row);
            let mut indices = (self.next_crawl..self.crawls.len()).chain(0..self.next_crawl);
            let found = indices.find(|i| self.crawls[*i].0 == name);
            let index = found.ok_or_else(damaged)?;
            self.next_crawl = index + 1;
            let crawl = self.crawls[index].1;
            let is_forgotten = !self.forgotten.is_empty() && self.forgotten.contains(host);
            let Some(crawl) = crawl.filter(|_| !is_forgotten) else {
                self.row += 1;
                continue;
            };
            self.crawl = crawl;
            let time = value(&columns.fetch_time, row).or(crawl.median_fetch);
            if !self.order.accept(host, time, crawl.position) {
                return Err(damaged());
            }
            let period_id = columns.period_id.value(row);
            self.period
                .go_to(period_id, capture_no, host, &mut self.periods)?;
            if let Some(contents) = &mut self.contents {
                self.has_digest = self.content.covers(capture_no, host, contents)?;
            }
            return Ok(());
        }
        let count = self.order.capture_no;
        self.period.finish(count, &mut self.periods)?;
        match &mut self.contents {
            Some(contents) => self.content.finish(count, contents),
            None => Ok(()),
        }
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
                let table = own_tables::HOST_CAPTURES;
                self.reader = Some(self.dataset.open_part(table, part, names, &all)?);
            }
            let Some(reader) = &mut self.reader else {
                continue;
            };
            match reader.next_batch()? {
                None => self.reader = None,
                Some(batch) if batch.num_rows() == 0 => {}
                Some(batch) => {
                    let names = CaptureColumns::NAMES;
                    let mut columns = columns_named(own_tables::HOST_CAPTURES, names).into_iter();
                    let checked = columns.try_for_each(|column| check_nulls(&batch, column));
                    let columns = checked.and_then(|()| CaptureColumns::from_batch(&batch));
                    self.columns = Some(columns.map_err(|error| reader.add_path(error))?);
                    return Ok(());
                }
            }
        }
    }
}

impl CaptureOrder {
    /// Adds a capture. Returns true if it comes after those added before, and is the first one of its host and crawl.
    fn accept(&mut self, host: &str, time: Option<i64>, position: u32) -> bool {
        let order = (time.unwrap_or(i64::MIN), position);
        let last = match self.host == host {
            true => self.last,
            false => None,
        };
        let is_sorted = match last {
            Some(last) => last < order,
            None => self.last.is_none() || *self.host < *host,
        };
        if last.is_none() {
            host.clone_into(&mut self.host);
            self.crawls.clear();
        }
        self.last = Some(order);
        let (word, bit) = (position as usize / 64, 1 << (position % 64));
        if self.crawls.len() <= word {
            self.crawls.resize(word + 1, 0);
        }
        let is_repeated = self.crawls[word] & bit != 0;
        self.crawls[word] |= bit;
        is_sorted && !is_repeated
    }
}

impl Period {
    /// Goes to the period with this number. Returns an error unless it has this capture and this host.
    fn go_to(
        &mut self,
        id: i64,
        capture_no: i64,
        host: &str,
        rows: &mut EncodedRows<'_>,
    ) -> Result<(), Error> {
        while (!self.is_read || self.id < id) && self.read_next(rows)? {}
        let has_capture = (self.first_capture..self.end).contains(&capture_no);
        match self.is_read && self.id == id && has_capture && self.host == host {
            true => Ok(()),
            false => Err(damaged_history_error(rows.root(), own_tables::HOST_PERIODS)),
        }
    }

    /// Reads the next period. Returns false at the end, and an error if its captures do not follow those of the
    /// current period.
    fn read_next(&mut self, rows: &mut EncodedRows<'_>) -> Result<bool, Error> {
        let Some(row) = rows.peek() else {
            return Ok(false);
        };
        let mut fields = FieldReader::new(row);
        let id = fields.i64();
        // Text columns are always UTF-8, so that the default is never used.
        let host = std::str::from_utf8(fields.bytes()).unwrap_or_default();
        if self.is_whole {
            for _ in ["first_crawl", "last_crawl"] {
                fields.bytes();
            }
        }
        let first_capture = fields.i64();
        let n_captures = fields.u32().cast_signed();
        if self.is_whole {
            let _domain_id = fields.i64();
        }
        let state = fields.rest();
        // A state begins with `policy_id`, `preferences_id` and `preference_set_id`, or with `policy_id` alone if
        // only some columns are read.
        let mut keys = FieldReader::new(state);
        let mut keys = (0..if self.is_whole { 3 } else { 1 }).map(|_| optional_bytes(&mut keys));
        let are_keys = keys.all(|key| key.is_none_or(|key| key_from_text(key).is_some()));
        // Consecutive captures of a host with the same state are one period.
        let is_same = self.is_whole && self.is_read && self.host == host && self.state == state;
        let is_next = first_capture == self.end && n_captures > 0 && !is_same;
        if !is_next || !are_keys || self.is_read && self.id >= id {
            return Err(damaged_history_error(rows.root(), own_tables::HOST_PERIODS));
        }
        (self.id, self.first_capture, self.is_read) = (id, first_capture, true);
        self.end = first_capture.saturating_add(i64::from(n_captures));
        host.clone_into(&mut self.host);
        self.state.clear();
        self.state.extend_from_slice(fields.rest());
        rows.advance()?;
        Ok(true)
    }

    /// Reads the remaining periods. Returns an error unless all periods together have `captures` captures.
    fn finish(&mut self, captures: i64, rows: &mut EncodedRows<'_>) -> Result<(), Error> {
        while self.read_next(rows)? {}
        match self.end == captures {
            true => Ok(()),
            false => Err(damaged_history_error(rows.root(), own_tables::HOST_PERIODS)),
        }
    }
}

impl Content {
    /// Goes to the row whose captures include `capture_no`, and returns true if there is one. Calls must be in the
    /// order of captures.
    fn covers(
        &mut self,
        capture_no: i64,
        host: &str,
        rows: &mut EncodedRows<'_>,
    ) -> Result<bool, Error> {
        while self.end <= capture_no && self.read_next(Some(capture_no), rows)? {}
        let has_content = (self.first_capture..self.end).contains(&capture_no);
        match !has_content || self.host == host.as_bytes() {
            true => Ok(has_content),
            false => Err(damaged_history_error(
                rows.root(),
                own_tables::HOST_CONTENTS,
            )),
        }
    }

    /// Reads the next row. Returns an error unless its captures come after those of the current one. Returns false at
    /// the end, and if the row begins after `capture_no`: that row is not read yet.
    fn read_next(
        &mut self,
        capture_no: Option<i64>,
        rows: &mut EncodedRows<'_>,
    ) -> Result<bool, Error> {
        let Some(row) = rows.peek() else {
            return Ok(false);
        };
        let mut fields = FieldReader::new(row);
        let host = fields.bytes();
        let first_capture = fields.i64();
        let n_captures = fields.u32().cast_signed();
        if first_capture < self.end || n_captures <= 0 {
            return Err(damaged_history_error(
                rows.root(),
                own_tables::HOST_CONTENTS,
            ));
        }
        if capture_no.is_some_and(|capture_no| first_capture > capture_no) {
            return Ok(false);
        }
        self.host.clear();
        self.host.extend_from_slice(host);
        self.first_capture = first_capture;
        self.end = first_capture.saturating_add(i64::from(n_captures));
        self.digest.clear();
        self.digest.extend_from_slice(fields.bytes());
        rows.advance()?;
        Ok(true)
    }

    /// Reads the remaining rows. Returns an error if one has captures beyond the first `captures` captures.
    fn finish(&mut self, captures: i64, rows: &mut EncodedRows<'_>) -> Result<(), Error> {
        while self.read_next(None, rows)? {}
        match self.end <= captures {
            true => Ok(()),
            false => Err(damaged_history_error(
                rows.root(),
                own_tables::HOST_CONTENTS,
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_are_in_order_and_each_host_has_one_in_a_crawl() {
        let accept = |captures: &[(&str, Option<i64>, u32)]| {
            let mut order = CaptureOrder::default();
            let mut captures = captures.iter();
            captures.all(|(host, time, position)| order.accept(host, *time, *position))
        };
        assert!(accept(&[
            ("a", None, 0),
            ("a", Some(5), 1),
            ("a", Some(5), 70),
            ("b", Some(1), 0)
        ]));
        let refused: [&[(&str, Option<i64>, u32)]; 5] = [
            // Hosts, times and crawls backwards.
            &[("b", None, 0), ("a", None, 1)],
            &[("a", Some(5), 0), ("a", Some(4), 1)],
            &[("a", Some(5), 1), ("a", Some(5), 0)],
            // A crawl twice.
            &[("a", Some(5), 0), ("a", Some(5), 0)],
            &[("a", Some(5), 70), ("a", Some(6), 3), ("a", Some(7), 70)],
        ];
        for captures in refused {
            assert!(!accept(captures), "{captures:?}");
        }
    }
}

//! Reads the captures of a history by host: merges the files of `host_captures`, each of which is sorted by `host_no`.

use crate::error::damaged_history_error;
use crate::own_tables;
use crate::read::capture_record::CaptureAddress;
use crate::read::history_reader::HistoryReader;
use dataset::{BatchRow, CaptureFilter, Columns, PartReader, row};
use errors::Error;
use process::open_files;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

row! {
    /// A row of `host_captures`, without the name of the crawl.
    struct CaptureRow of own_tables::HOST_CAPTURES {
        capture_no: i64,
        host_no: i64,
        fetch_time: Option<i64>,
        archive_no: i64,
        warc_record_offset: i64,
        warc_record_in_member: u32,
        period_no: u32,
        content_no: Option<u32>,
    }
}

/// A row of `host_captures`.
#[derive(Clone, Copy, Debug)]
pub struct StoredCapture {
    /// The number of the capture.
    pub capture_no: i64,
    /// The position of its crawl in the history.
    pub position: u32,
    /// The time by which the captures of a host are sorted.
    pub order_time: i64,
    /// The time of the capture itself, and the location of its record.
    pub address: CaptureAddress,
    /// The number of its period among those of the host.
    pub period_no: u32,
    /// The number of its content among those of the host; `None` if no body was read.
    pub content_no: Option<u32>,
}

/// A cursor over the hosts of a history with their captures, in the order of `host_no`.
pub struct CapturesByHost<'d> {
    history: &'d HistoryReader,
    files: Vec<CaptureFile>,
    /// The current host of each file with the index of the file; the least is on top.
    heads: BinaryHeap<Reverse<(i64, usize)>>,
    captures: Vec<StoredCapture>,
}

/// A file of `host_captures`, which has captures of one crawl.
struct CaptureFile {
    reader: PartReader,
    /// The current batch; `None` at the end.
    columns: Option<Columns<CaptureRow>>,
    /// The index of the current row in `columns`.
    row: usize,
}

impl<'d> CapturesByHost<'d> {
    /// Opens all files, to read the captures that `filter` matches.
    ///
    /// # Errors
    ///
    /// Those of reading; [`ErrorKind::TooFewOpenFiles`](errors::ErrorKind::TooFewOpenFiles).
    pub fn open(history: &'d HistoryReader, filter: &CaptureFilter) -> Result<Self, Error> {
        let table = own_tables::HOST_CAPTURES;
        let dataset = history.dataset();
        let mut captures = Self {
            history,
            files: Vec::new(),
            heads: BinaryHeap::new(),
            captures: Vec::new(),
        };
        let parts = dataset.parts_with_table(table);
        open_files::check_free(dataset.count_closed(table), history.root())?;
        for (i, part) in parts.into_iter().enumerate() {
            let mut file = CaptureFile {
                reader: dataset.open_part(table, part, CaptureRow::NAMES, filter)?,
                columns: None,
                row: 0,
            };
            file.read_batch()?;
            if let Some(host_no) = file.host_no() {
                captures.heads.push(Reverse((host_no, i)));
            }
            captures.files.push(file);
        }
        Ok(captures)
    }

    /// Goes to the first host whose number is not less than `host_no`.
    ///
    /// # Errors
    ///
    /// Those of reading; [`DatasetDefect::BadTable`](dataset::error::DatasetDefect::BadTable) if a file is not sorted.
    pub fn skip_to(&mut self, host_no: i64) -> Result<(), Error> {
        while let Some(Reverse((head, i))) = self.heads.peek().copied()
            && head < host_no
        {
            self.heads.pop();
            while self.files[i].host_no().is_some_and(|found| found < host_no) {
                self.files[i].skip_in_batch(host_no)?;
            }
            self.push_head(head, i)?;
        }
        Ok(())
    }

    /// Returns the number of the next host, and its captures in the order of times; `None` at the end.
    ///
    /// # Errors
    ///
    /// Those of reading; [`DatasetDefect::BadTable`](dataset::error::DatasetDefect::BadTable) if a file is not sorted,
    /// if a crawl is unknown, or if a host has two captures of a crawl.
    pub fn next_host(&mut self) -> Result<Option<(i64, &[StoredCapture])>, Error> {
        let Some(Reverse((host_no, _))) = self.heads.peek().copied() else {
            return Ok(None);
        };
        self.captures.clear();
        while let Some(Reverse((head, i))) = self.heads.peek().copied()
            && head == host_no
        {
            self.heads.pop();
            if let Some(capture) = self.files[i].capture() {
                let row = self.history.crawls.get(capture.position as usize);
                let row = row.ok_or_else(|| self.damaged())?;
                // Files are in the order of crawls.
                let last = self.captures.last();
                if last.is_some_and(|last| last.position >= capture.position) {
                    return Err(self.damaged());
                }
                let order_time = capture.address.order_time(row.median_fetch);
                self.captures.push(StoredCapture {
                    order_time,
                    ..capture
                });
            }
            self.files[i].advance()?;
            self.push_head(host_no, i)?;
        }
        let order = |capture: &StoredCapture| (capture.order_time, capture.position);
        if !self.captures.is_sorted_by_key(order) {
            self.captures.sort_unstable_by_key(order);
        }
        Ok(Some((host_no, &self.captures)))
    }

    /// Adds the current host of a file, whose last host was `last`.
    fn push_head(&mut self, last: i64, i: usize) -> Result<(), Error> {
        match self.files[i].host_no() {
            Some(next) if next <= last => Err(self.damaged()),
            Some(next) => {
                self.heads.push(Reverse((next, i)));
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn damaged(&self) -> Error {
        damaged_history_error(self.history.root(), own_tables::HOST_CAPTURES)
    }
}

impl CaptureFile {
    fn host_no(&self) -> Option<i64> {
        let columns = self.columns.as_ref()?;
        Some(columns.host_no.value(self.row))
    }

    /// Returns the current row, without `order_time`.
    fn capture(&self) -> Option<StoredCapture> {
        let row = CaptureRow::row(self.columns.as_ref()?, self.row);
        Some(StoredCapture {
            capture_no: row.capture_no,
            // A negative number gives a position that no crawl has.
            position: u32::try_from(row.capture_no >> 32).unwrap_or(u32::MAX),
            order_time: 0,
            address: CaptureAddress {
                fetch_time: row.fetch_time,
                archive_no: row.archive_no,
                offset: row.warc_record_offset,
                record_in_member: row.warc_record_in_member,
            },
            period_no: row.period_no,
            content_no: row.content_no,
        })
    }

    fn advance(&mut self) -> Result<(), Error> {
        self.row += 1;
        let rows = self
            .columns
            .as_ref()
            .map_or(0, |columns| columns.host_no.len());
        if self.row < rows {
            return Ok(());
        }
        self.read_batch()
    }

    /// Goes to the first row of the batch whose `host_no` is not less than `host_no`, or else to the next batch.
    fn skip_in_batch(&mut self, host_no: i64) -> Result<(), Error> {
        if let Some(columns) = &self.columns {
            let numbers = &columns.host_no.values()[self.row..];
            self.row += numbers.partition_point(|number| *number < host_no).max(1) - 1;
        }
        self.advance()
    }

    /// Reads the next batch that has rows.
    fn read_batch(&mut self) -> Result<(), Error> {
        self.row = 0;
        self.columns = None;
        while let Some(batch) = self.reader.next_batch()? {
            if batch.num_rows() > 0 {
                let columns = CaptureRow::from_batch(&batch);
                self.columns = Some(columns.map_err(|error| self.reader.add_path(error))?);
                return Ok(());
            }
        }
        Ok(())
    }
}

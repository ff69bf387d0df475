//! Reads rows of a table one after the other, with their types.

use super::error::DatasetDefect;
use super::{CaptureFilter, Dataset, EncodedColumns, PartReader, Row};
use arrow_array::RecordBatch;
use errors::Error;
use sort::{Record, RecordSource, Rest, Stream};
use std::collections::VecDeque;
use tables::{Column, Table};

/// Rows of a table.
pub type Rows<'d, R> = Stream<RowSource<'d>, R>;

/// Rows of a table that begin with a key, such as the number of a capture. The values of the other columns are encoded.
pub type RowsByKey<'d, K> = Stream<RowSource<'d>, (K, Rest<'static>)>;

/// Returns an error if a batch has a word that is unknown.
pub type WordCheck = fn(&RecordBatch) -> Result<(), Error>;

/// A source of the rows of some parts of a table, as bytes: the values of their columns, each as a field of a record.
pub struct RowSource<'d> {
    dataset: &'d Dataset,
    table: Table,
    columns: Vec<&'static Column>,
    names: Vec<&'static str>,
    filter: CaptureFilter,
    /// The parts that are not opened yet.
    parts: VecDeque<u32>,
    /// The file of the current row, or the last one.
    reader: Option<PartReader>,
    /// True if all rows of `reader` were read.
    is_file_at_end: bool,
    batch: Option<EncodedColumns>,
    /// The number of rows of the batch, and the index of the row that is encoded next.
    batch_rows: usize,
    next_row: usize,
    /// The encoded current row.
    row: Vec<u8>,
    /// The row before it; empty before the first one.
    before: Vec<u8>,
    /// The number of the current row in its file, from 1.
    row_no: u64,
    is_at_end: bool,
    check: WordCheck,
    is_in_order: fn(&[u8], &[u8]) -> bool,
}

impl Dataset {
    /// Opens the rows of a table.
    ///
    /// # Errors
    ///
    /// Those of reading; [`DatasetDefect::BadTable`] if rows are not in the order that their declaration states.
    pub fn rows<R: Row>(&self) -> Result<Rows<'_, R>, Error> {
        self.filtered_rows(CaptureFilter::All)
    }

    /// Opens the rows of a table that `filter` matches.
    ///
    /// # Errors
    ///
    /// Those of [`rows`](Self::rows).
    pub fn filtered_rows<R: Row>(&self, filter: CaptureFilter) -> Result<Rows<'_, R>, Error> {
        let parts = self.table_files(R::TABLE, &filter);
        let parts = parts.map(|file| file.id.part).collect();
        self.rows_of_parts(parts, filter)
    }

    /// Opens the rows of a part of a table.
    ///
    /// # Errors
    ///
    /// Those of [`rows`](Self::rows).
    pub fn rows_of_part<R: Row>(&self, part: u32) -> Result<Rows<'_, R>, Error> {
        self.rows_of_parts(vec![part], CaptureFilter::All)
    }

    fn rows_of_parts<R: Row>(
        &self,
        parts: Vec<u32>,
        filter: CaptureFilter,
    ) -> Result<Rows<'_, R>, Error> {
        let source = RowSource::new(self, R::TABLE, R::columns(), parts, filter, R::check);
        let is_in_order = R::is_in_order;
        RowSource {
            is_in_order,
            ..source
        }
        .begin()
    }

    /// Opens columns of some parts of a table, of which the first one is a key. The words of a row are checked with
    /// [`Row::check`], if it has any.
    ///
    /// # Errors
    ///
    /// Those of reading.
    pub fn rows_by_key<K: Record>(
        &self,
        table: Table,
        columns: Vec<&'static Column>,
        parts: Vec<u32>,
        filter: CaptureFilter,
        check: WordCheck,
    ) -> Result<RowsByKey<'_, K>, Error> {
        RowSource::new(self, table, columns, parts, filter, check).begin()
    }
}

impl<'d> RowSource<'d> {
    fn new(
        dataset: &'d Dataset,
        table: Table,
        columns: Vec<&'static Column>,
        parts: Vec<u32>,
        filter: CaptureFilter,
        check: WordCheck,
    ) -> Self {
        Self {
            dataset,
            table,
            names: columns.iter().map(|column| column.name).collect(),
            columns,
            filter,
            parts: parts.into(),
            reader: None,
            is_file_at_end: true,
            batch: None,
            batch_rows: 0,
            next_row: 0,
            row: Vec::new(),
            before: Vec::new(),
            row_no: 0,
            is_at_end: false,
            check,
            is_in_order: |_, _| true,
        }
    }

    fn begin<R: Record>(mut self) -> Result<Stream<Self, R>, Error> {
        self.advance()?;
        Ok(Stream::new(self))
    }

    /// Returns the table.
    pub fn table(&self) -> Table {
        self.table
    }

    /// Encodes the next row of the batch. Returns false after the last one.
    fn encode_row(&mut self) -> Result<bool, Error> {
        let Some(batch) = self
            .batch
            .as_ref()
            .filter(|_| self.next_row < self.batch_rows)
        else {
            return Ok(false);
        };
        std::mem::swap(&mut self.row, &mut self.before);
        self.row.clear();
        batch.put_row(self.next_row, &mut self.row);
        self.next_row += 1;
        self.row_no += 1;
        if self.before.is_empty() || (self.is_in_order)(&self.before, &self.row) {
            return Ok(true);
        }
        let (table, row_no) = (self.table.name(), self.row_no);
        let message = format!("row {row_no} of its table `{table}` is not in order");
        Err(self.add_path(DatasetDefect::BadTable { table, message }.error(self.dataset.root())))
    }

    /// Adds the path of the current file to an error about a defect of the dataset.
    pub(crate) fn add_path(&self, error: Error) -> Error {
        match &self.reader {
            Some(reader) => reader.add_path(error),
            None => error.with_path(self.dataset.root()),
        }
    }

    /// Reads the next batch. Returns false after the last one.
    fn read_batch(&mut self) -> Result<bool, Error> {
        loop {
            if self.is_file_at_end {
                let Some(part) = self.parts.pop_front() else {
                    return Ok(false);
                };
                let reader = self
                    .dataset
                    .open_part(self.table, part, &self.names, &self.filter)?;
                self.reader = Some(reader);
                self.is_file_at_end = false;
                self.row_no = 0;
            }
            let Some(reader) = &mut self.reader else {
                continue;
            };
            if let Some(batch) = reader.next_batch()? {
                let columns = self.columns.iter().copied();
                let encoded =
                    (self.check)(&batch).and_then(|()| EncodedColumns::from_batch(&batch, columns));
                self.batch = Some(encoded.map_err(|error| reader.add_path(error))?);
                self.batch_rows = batch.num_rows();
                self.next_row = 0;
                return Ok(true);
            }
            self.is_file_at_end = true;
        }
    }
}

impl RecordSource for RowSource<'_> {
    #[inline]
    fn peek(&self) -> Option<&[u8]> {
        (!self.is_at_end).then_some(&*self.row)
    }

    fn advance(&mut self) -> Result<(), Error> {
        while !self.encode_row()? {
            if !self.read_batch()? {
                self.is_at_end = true;
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Returns the columns of a table that have these names, in the order of the names.
///
/// # Panics
///
/// If the table lacks one.
pub fn columns_named(table: Table, names: &[&str]) -> Vec<&'static Column> {
    let find = |name: &&str| {
        let mut columns = table.columns().iter();
        columns.find(|column| column.name == *name)
    };
    let found: Vec<_> = names.iter().filter_map(find).collect();
    assert_eq!(found.len(), names.len(), "the table has these columns");
    found
}

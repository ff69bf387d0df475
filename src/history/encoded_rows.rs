//! Reads rows of a table one after the other, as bytes: the fields of a row in the encoding of `sort::sort_key`.

use dataset::error::DatasetDefect;
use dataset::{CaptureFilter, Dataset, EncodedColumns, PartReader};
use disk::error::Error;
use std::collections::VecDeque;
use std::path::Path;
use tables::{Column, Table};

/// The limit in bytes of the rows that one key has in all tables, such as those of a policy. Two such records are in
/// memory at the same time, and together they stay below 512 MiB.
pub const MAX_ROWS_OF_KEY_BYTES: usize = 192 << 20;

/// The limit in bytes of the rows of a table that is read as a whole, such as `crawls` or the registry of crawlers.
const MAX_WHOLE_TABLE_BYTES: usize = 64 << 20;

/// A cursor over the rows of some parts of a table.
pub struct EncodedRows<'d> {
    dataset: &'d Dataset,
    table: Table,
    columns: Vec<&'static Column>,
    names: Vec<&'static str>,
    filter: CaptureFilter,
    /// The parts that are not opened yet.
    parts: VecDeque<u32>,
    reader: Option<PartReader>,
    batch: Option<EncodedColumns>,
    /// The number of rows of the batch, and the index of the row that is encoded next.
    batch_rows: usize,
    next_row: usize,
    /// The encoded fields of the current row.
    row: Vec<u8>,
    is_at_end: bool,
}

impl<'d> EncodedRows<'d> {
    /// Opens columns of all parts of a table, and reads the first row.
    pub fn open(
        dataset: &'d Dataset,
        table: Table,
        columns: Vec<&'static Column>,
    ) -> Result<Self, Error> {
        Self::open_parts(dataset, table, columns, dataset.parts_with_table(table))
    }

    /// Opens all columns of the rows of a table that `filter` matches, and reads the first row.
    pub fn open_filtered(
        dataset: &'d Dataset,
        table: Table,
        filter: CaptureFilter,
    ) -> Result<Self, Error> {
        let columns = table.columns().iter().collect();
        let parts = dataset.parts_with_table(table);
        Self::open_parts_filtered(dataset, table, columns, parts, filter)
    }

    /// Opens columns of some parts of a table, and reads the first row.
    pub fn open_parts(
        dataset: &'d Dataset,
        table: Table,
        columns: Vec<&'static Column>,
        parts: Vec<u32>,
    ) -> Result<Self, Error> {
        Self::open_parts_filtered(dataset, table, columns, parts, CaptureFilter::All)
    }

    fn open_parts_filtered(
        dataset: &'d Dataset,
        table: Table,
        columns: Vec<&'static Column>,
        parts: Vec<u32>,
        filter: CaptureFilter,
    ) -> Result<Self, Error> {
        let mut cursor = Self {
            dataset,
            table,
            names: columns.iter().map(|column| column.name).collect(),
            columns,
            filter,
            parts: parts.into(),
            reader: None,
            batch: None,
            batch_rows: 0,
            next_row: 0,
            row: Vec::new(),
            is_at_end: false,
        };
        cursor.advance()?;
        Ok(cursor)
    }

    /// Returns the folder of the dataset.
    pub fn root(&self) -> &'d Path {
        self.dataset.root()
    }

    /// Returns the fields of the current row; `None` at the end.
    pub fn peek(&self) -> Option<&[u8]> {
        (!self.is_at_end).then_some(&*self.row)
    }

    /// Goes to the next row.
    pub fn advance(&mut self) -> Result<(), Error> {
        loop {
            if let Some(batch) = &self.batch
                && self.next_row < self.batch_rows
            {
                self.row.clear();
                batch.put_row(self.next_row, &mut self.row);
                self.next_row += 1;
                return Ok(());
            }
            if self.reader.is_none() {
                let Some(part) = self.parts.pop_front() else {
                    self.is_at_end = true;
                    return Ok(());
                };
                let reader = self
                    .dataset
                    .open_part(self.table, part, &self.names, &self.filter)?;
                self.reader = Some(reader);
            }
            let Some(reader) = &mut self.reader else {
                continue;
            };
            match reader.next_batch()? {
                None => self.reader = None,
                Some(batch) => {
                    let columns = self.columns.iter().copied();
                    let encoded = EncodedColumns::from_batch(&batch, columns);
                    self.batch = Some(encoded.map_err(|error| reader.add_path(error))?);
                    self.batch_rows = batch.num_rows();
                    self.next_row = 0;
                }
            }
        }
    }

    /// Returns all rows of a small table.
    ///
    /// # Errors
    ///
    /// Those of reading; [`DatasetDefect::BadTable`] if the rows have more than 64 MiB.
    pub fn read_all(mut self) -> Result<Vec<Vec<u8>>, Error> {
        let (mut rows, mut bytes) = (Vec::new(), 0);
        while let Some(row) = self.peek() {
            bytes += row.len();
            if bytes > MAX_WHOLE_TABLE_BYTES {
                let (table, mebibytes) = (self.table.name(), MAX_WHOLE_TABLE_BYTES >> 20);
                let message = format!("its table `{table}` has more than {mebibytes} MiB of rows");
                return Err(DatasetDefect::BadTable { table, message }.error(self.root()));
            }
            rows.push(row.to_vec());
            self.advance()?;
        }
        Ok(rows)
    }

    /// Appends the rows that begin with `key` to `out`, without the key, except those for whose other fields
    /// `is_wanted` returns false. Returns the number of appended rows. Calls must be in the order of keys.
    ///
    /// # Errors
    ///
    /// Those of reading; an error if rows of an earlier key are left, or if `out` gets more than 192 MiB.
    pub fn take_rows(
        &mut self,
        key: &[u8],
        out: &mut Vec<u8>,
        is_wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<u32, Error> {
        let mut count = 0;
        while let Some(row) = self.peek() {
            let Some(fields) = row.strip_prefix(key) else {
                if row < key {
                    return Err(DatasetDefect::not_in_order(self.table.name()).error(self.root()));
                }
                break;
            };
            if is_wanted(fields) {
                out.extend_from_slice(fields);
                count += 1;
            }
            if out.len() > MAX_ROWS_OF_KEY_BYTES {
                let defect =
                    DatasetDefect::too_many_lines(self.table.name(), MAX_ROWS_OF_KEY_BYTES);
                return Err(defect.error(self.root()));
            }
            self.advance()?;
        }
        Ok(count)
    }
}

/// Returns the columns of a table that have these names, in the order of the names. Panics if the table lacks one.
pub fn columns_named(table: Table, names: &[&str]) -> Vec<&'static Column> {
    let find = |name: &&str| {
        let mut columns = table.columns().iter();
        columns.find(|column| column.name == *name)
    };
    let found: Vec<_> = names.iter().filter_map(find).collect();
    assert_eq!(found.len(), names.len(), "the table has these columns");
    found
}

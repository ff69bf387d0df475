//! Reads typed rows of a file one after the other.

use super::{PartReader, StoredColumns};
use disk::error::Error;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tables::Table;

/// A cursor over the rows of a file, with the columns `C`.
pub struct RowCursor<C> {
    reader: PartReader,
    /// The columns of the batch; `None` before the first one.
    columns: Option<C>,
    batch_rows: usize,
    /// The index of the next row in the batch.
    next_index: usize,
    rows_read: u64,
}

/// The current row of a cursor.
pub struct Row<'c, C> {
    /// The columns of the batch that contains the row.
    pub columns: &'c C,
    /// The index of the row in the batch.
    pub index: usize,
    /// The number of the row among all rows that the cursor reads, from 1.
    pub number: u64,
}

impl<C: StoredColumns> RowCursor<C> {
    /// Opens a file of a table, or some of its row groups. The order of rows is not checked. The cursor
    /// is before the first row. Reading fails once `stop` is set.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`](disk::error::ErrorKind::Read);
    /// [`DatasetErrorKind::NotADataset`](crate::error::DatasetErrorKind::NotADataset) if the file lacks
    /// a column.
    pub fn open(
        table: Table,
        path: &Path,
        row_groups: Option<Range<usize>>,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self, Error> {
        Ok(Self {
            reader: PartReader::open_unchecked(table, path, row_groups, C::NAMES, stop)?,
            columns: None,
            batch_rows: 0,
            next_index: 0,
            rows_read: 0,
        })
    }

    /// Returns the next row; `None` at the end.
    ///
    /// # Errors
    ///
    /// Those of [`PartReader::next_batch`].
    pub fn next_row(&mut self) -> Result<Option<Row<'_, C>>, Error> {
        while self.next_index == self.batch_rows {
            let Some(batch) = self.reader.next_batch()? else {
                return Ok(None);
            };
            let columns = C::from_batch(&batch).map_err(|error| self.reader.add_path(error))?;
            self.columns = Some(columns);
            (self.next_index, self.batch_rows) = (0, batch.num_rows());
        }
        self.next_index += 1;
        self.rows_read += 1;
        Ok(self.columns.as_ref().map(|columns| Row {
            columns,
            index: self.next_index - 1,
            number: self.rows_read,
        }))
    }
}

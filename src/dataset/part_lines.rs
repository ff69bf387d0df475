//! Reads the lines of captures of one part, in the order of its rows.

use super::stored_line::{LineRows, LineTable, StoredLine};
use super::{CaptureFilter, Dataset, PartReader};
use crate::error::{DatasetDefect, DatasetErrorKind};
use disk::error::Error;
use std::path::Path;
use std::sync::Arc;
use tables::Table;

/// Reads the lines of some captures of a part from up to three tables. The rows of each table are sorted
/// by capture and line number, so the tables are merged while they are read.
pub struct PartLines {
    groups: LineCursor,
    rules: LineCursor,
    /// `None` if statements are not read.
    statements: Option<LineCursor>,
}

/// A cursor over the rows of one of the tables.
struct LineCursor {
    table: LineTable,
    reader: PartReader,
    /// The current batch; `None` at the end.
    rows: Option<LineRows>,
    /// The current row of the batch.
    row: usize,
    /// The `robots_id` and line number of the last row that was read.
    last_key: Option<(i64, i32)>,
}

impl PartLines {
    /// Opens the tables of a part for captures with these values of `robots_id`, in ascending order.
    /// Statements about the use of content are read if the dataset was opened with `directives`.
    ///
    /// # Errors
    ///
    /// Those of [`Dataset::open_part`].
    pub fn open(dataset: &Dataset, part: u32, ids: Arc<[i64]>) -> Result<Self, Error> {
        let wanted = CaptureFilter::Ids(ids);
        let open = |table: LineTable| {
            let reader = dataset.open_part(table.table(), part, &table.columns(), &wanted)?;
            LineCursor::open(table, reader)
        };
        let has_statements = dataset.has_part(Table::DIRECTIVES, part);
        Ok(Self {
            groups: open(LineTable::Groups)?,
            rules: open(LineTable::Rules)?,
            statements: if has_statements {
                Some(open(LineTable::Statements)?)
            } else {
                None
            },
        })
    }

    /// Returns the error for a capture that should have rules but has no rows in `rules`.
    pub fn missing_rules_error(&self) -> Error {
        let table = self.rules.table.table().name();
        self.rules.defect_error(DatasetDefect::inconsistent(table))
    }

    /// Calls `each` with the lines of a capture, in the order of the file. Captures must be read in
    /// ascending order of `robots_id`.
    ///
    /// # Errors
    ///
    /// [`DatasetErrorKind::NotADataset`] if the rows of a table are in another order, those of
    /// [`Dataset::read`], and those of `each`.
    pub fn read_capture(
        &mut self,
        robots_id: i64,
        each: &mut dyn FnMut(&StoredLine<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        loop {
            let mut next: Option<(i32, &mut LineCursor)> = None;
            let tables = [&mut self.groups, &mut self.rules].into_iter();
            for table in tables.chain(&mut self.statements) {
                if let Some(line_no) = table.seek_next_line_no(robots_id)?
                    && next.as_ref().is_none_or(|(first, _)| line_no < *first)
                {
                    next = Some((line_no, table));
                }
            }
            let Some((_, table)) = next else {
                return Ok(());
            };
            let rows = table.rows.as_ref();
            if let Some(line) = rows.and_then(|rows| rows.line(table.row)) {
                each(&line)?;
            }
            table.row += 1;
        }
    }
}

impl LineCursor {
    fn open(table: LineTable, reader: PartReader) -> Result<Self, Error> {
        let mut lines = Self {
            table,
            reader,
            rows: None,
            row: 0,
            last_key: None,
        };
        lines.read_batch()?;
        Ok(lines)
    }

    /// Moves to the next line of a capture, past the lines of earlier captures, and returns the line number;
    /// `None` if the capture has no more lines.
    fn seek_next_line_no(&mut self, robots_id: i64) -> Result<Option<i32>, Error> {
        while let Some(rows) = &self.rows {
            match rows.robots_ids().get(self.row) {
                Some(&id) if id < robots_id || !rows.is_read(self.row) => self.row += 1,
                Some(&id) => return Ok((id == robots_id).then(|| rows.line_nos()[self.row])),
                None => self.read_batch()?,
            }
        }
        Ok(None)
    }

    /// Reads the next batch, and checks that its rows are in order: otherwise lines would be
    /// missed.
    fn read_batch(&mut self) -> Result<(), Error> {
        self.row = 0;
        self.rows = None;
        let Some(batch) = self.reader.next_batch()? else {
            return Ok(());
        };
        let rows =
            LineRows::new(self.table, &batch).map_err(|error| self.reader.add_path(error))?;
        let (ids, lines) = (rows.robots_ids(), rows.line_nos());
        for key in ids.iter().copied().zip(lines.iter().copied()) {
            if self.last_key.is_some_and(|last_key| key <= last_key) {
                let table = self.table.table().name();
                return Err(self.defect_error(DatasetDefect::not_in_order(table)));
            }
            self.last_key = Some(key);
        }
        self.rows = Some(rows);
        Ok(())
    }

    /// Returns an error about the file of the table.
    fn defect_error(&self, defect: DatasetDefect) -> Error {
        let kind = DatasetErrorKind::NotADataset(defect);
        self.reader.add_path(Error::new(kind, Path::new("")))
    }
}

//! Reads the lines of captures of one part, in the order of its rows.

use super::stored_line::{DirectiveLine, GroupLine, RuleLine, StoredLine, merge_lines};
use super::{CaptureFilter, Dataset, Row, RowsByKey, columns_named};
use crate::error::DatasetDefect;
use errors::Error;
use sort::{GroupKey, Rest};
use std::path::Path;
use std::sync::Arc;
use tables::Table;

/// The limit in bytes of the rows of a capture in a table.
const MAX_CAPTURE_BYTES: usize = 2 << 30;

/// Reads the lines of some captures of a part from up to three tables.
pub struct PartLines<'d> {
    groups: LineRows<'d>,
    rules: LineRows<'d>,
    /// `None` if directives are not read.
    directives: Option<LineRows<'d>>,
}

/// The rows of captures in one of the tables: `robots_id`, `line_no`, and the columns of the type of the line.
struct LineRows<'d> {
    rows: RowsByKey<'d, i64>,
    /// The encoded rows of the current capture.
    of_capture: Vec<u8>,
}

impl<'d> PartLines<'d> {
    /// Opens the tables of a part for captures with these values of `robots_id`, in ascending order.
    /// Directives are read if the dataset was opened with them.
    ///
    /// # Errors
    ///
    /// Those of [`Dataset::rows_by_key`].
    pub fn open(dataset: &'d Dataset, part: u32, ids: Arc<[i64]>) -> Result<Self, Error> {
        let wanted = CaptureFilter::Ids(ids);
        let has_directives = dataset.has_part(Table::DIRECTIVES, part);
        Ok(Self {
            groups: LineRows::open::<GroupLine<'_>>(dataset, part, &wanted)?,
            rules: LineRows::open::<RuleLine<'_>>(dataset, part, &wanted)?,
            directives: if has_directives {
                Some(LineRows::open::<DirectiveLine<'_>>(dataset, part, &wanted)?)
            } else {
                None
            },
        })
    }

    /// Returns the error for a capture that should have rules but has no rows in `rules`.
    pub fn missing_rules_error(&self) -> Error {
        let defect = DatasetDefect::inconsistent(Table::RULES.name());
        self.rules.defect_error(defect)
    }

    /// Returns the lines of a capture, in the order of the file. Captures must be read in ascending order of `robots_id`.
    ///
    /// # Errors
    ///
    /// Those of reading; [`DatasetDefect::BadTable`] if a table has too many rows of the capture.
    pub fn read_capture(&mut self, robots_id: i64) -> Result<Vec<StoredLine<'_>>, Error> {
        let tables = [&mut self.groups, &mut self.rules].into_iter();
        for table in tables.chain(&mut self.directives) {
            table.read_capture(robots_id)?;
        }
        let directives = self.directives.as_ref();
        Ok(merge_lines(
            Rest(&self.groups.of_capture).values(),
            Rest(&self.rules.of_capture).values(),
            directives
                .into_iter()
                .flat_map(|directives| Rest(&directives.of_capture).values()),
        ))
    }
}

impl<'d> LineRows<'d> {
    fn open<R: Row>(
        dataset: &'d Dataset,
        part: u32,
        wanted: &CaptureFilter,
    ) -> Result<Self, Error> {
        let mut columns = columns_named(R::TABLE, &["robots_id", "line_no"]);
        columns.extend(R::columns());
        let rows = dataset.rows_by_key(R::TABLE, columns, vec![part], wanted.clone(), R::check)?;
        Ok(Self {
            rows,
            of_capture: Vec::new(),
        })
    }

    fn read_capture(&mut self, robots_id: i64) -> Result<(), Error> {
        self.of_capture.clear();
        let key = GroupKey::new(robots_id);
        self.rows.skip_to(&key)?;
        let (mut last_line_no, table) = (None, self.rows.source().table().name());
        while let Some(Rest(row)) = self.rows.next_of(&key)? {
            let (line_no, Rest(row)) = sort::read::<(u32, Rest<'static>)>(row);
            if last_line_no.is_some_and(|last| last >= line_no) {
                return Err(self.defect_error(DatasetDefect::not_in_order(table)));
            }
            last_line_no = Some(line_no);
            self.of_capture.extend_from_slice(row);
            if self.of_capture.len() > MAX_CAPTURE_BYTES {
                let defect = DatasetDefect::lines_too_large(table, MAX_CAPTURE_BYTES);
                return Err(self.defect_error(defect));
            }
        }
        Ok(())
    }

    /// Returns an error about the file of the table.
    fn defect_error(&self, defect: DatasetDefect) -> Error {
        self.rows.source().add_path(defect.error(Path::new("")))
    }
}

//! A file that was found sound, so that its rows can be read.

use dataset::{RowCursor, StoredColumns};
use disk::error::Error;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tables::Table;

/// A file of a part or of a resolved table that was found sound, so that its rows can be read.
#[derive(Clone, Debug)]
pub(super) struct ReadableFile {
    pub(super) table: Table,
    pub(super) path: PathBuf,
    /// The path of the file in findings, relative to the folder of the dataset.
    pub(super) name: String,
    /// The row groups to be read; `None` for all.
    pub(super) row_groups: Option<Range<usize>>,
    /// The flag that stops reading once it is set.
    pub(super) stop: Arc<AtomicBool>,
}

impl ReadableFile {
    /// Opens a cursor over the rows, which reads the columns of `C`.
    pub(super) fn open_rows<C: StoredColumns>(&self) -> Result<RowCursor<C>, Error> {
        RowCursor::open(self.table, &self.path, self.row_groups.clone(), &self.stop)
    }
}

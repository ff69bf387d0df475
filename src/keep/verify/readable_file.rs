//! A file whose rows can be read.

use dataset::{RowCursor, StoredColumns};
use disk::error::Error;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tables::Table;

/// A file of a part whose rows can be read.
#[derive(Clone, Debug)]
pub(super) struct ReadableFile {
    pub(super) table: Table,
    pub(super) path: PathBuf,
    /// Its path in findings.
    pub(super) name: String,
    /// The row groups to be read; `None` for all.
    pub(super) row_groups: Option<Range<usize>>,
    /// Ends reading once it is set.
    pub(super) stop: Arc<AtomicBool>,
}

impl ReadableFile {
    /// Opens columns of its rows.
    pub(super) fn open_rows<C: StoredColumns>(&self) -> Result<RowCursor<C>, Error> {
        RowCursor::open(self.table, &self.path, self.row_groups.clone(), &self.stop)
    }
}

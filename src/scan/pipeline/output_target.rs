//! The output that a run writes to.

use columns::RowBatch;
use dataset::{DatasetWriter, PartEntry};
use disk::error::Error;
use disk::{NewFile, SingleFile};
use std::fs::File;
use std::path::Path;
use std::sync::mpsc::SyncSender;

/// An output that is locked for this run.
pub(super) enum OutputTarget {
    /// A dataset.
    Dataset(Box<DatasetWriter>),
    /// A single file.
    File(SingleFile),
    /// A reader of the rows of one table.
    Reader(SyncSender<RowBatch>),
}

impl OutputTarget {
    /// Creates a file under a temporary name. `path` is its final path below the folder of the
    /// dataset; a single file has its own.
    pub(super) fn new_file(&self, path: &Path) -> Result<(NewFile, File), Error> {
        match self {
            Self::File(file) => file.new_file(),
            Self::Dataset(dataset) => dataset.temp().new_file(path, false),
            Self::Reader(_) => unreachable!("a reader has no files"),
        }
    }

    /// Returns the entry of a part that an earlier run has written.
    pub(super) fn resumed_part(&self, number: u32) -> Option<&PartEntry> {
        match self {
            Self::File(_) | Self::Reader(_) => None,
            Self::Dataset(dataset) => dataset.parts().iter().find(|part| part.number == number),
        }
    }
}

//! Where the rows of a run go.

use crate::dataset::{DatasetWriter, PartEntry};
use crate::disk::{NewFile, SingleFile};
use crate::error::Error;
use std::fs::File;
use std::path::Path;

/// An output that this run alone may write.
pub(super) enum Target {
    /// A dataset.
    Dataset(Box<DatasetWriter>),
    /// One file.
    File(SingleFile),
}

impl Target {
    /// Creates a file under a temporary name: the one file, or the one with
    /// this path below the dataset's folder.
    pub(super) fn new_file(&self, path: &Path) -> Result<(NewFile, File), Error> {
        match self {
            Self::File(file) => file.new_file(),
            Self::Dataset(dataset) => dataset.temp().new_file(path, false),
        }
    }

    /// Returns a part that was whole before.
    pub(super) fn whole_part(&self, no: u32) -> Option<&PartEntry> {
        match self {
            Self::File(_) => None,
            Self::Dataset(dataset) => dataset.parts().iter().find(|part| part.number == no),
        }
    }
}

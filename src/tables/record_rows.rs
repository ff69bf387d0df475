//! The interface of the builders of tables whose rows are made from records of archives.

use super::{Fault, OptionalColumns};
use capture::analysis::CaptureAnalysis;
use columns::RowBatch;
use std::fmt::Debug;

/// A capture from which rows are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowInput<'a> {
    pub(crate) warc_filename: &'a str,
    pub(crate) analysis: &'a CaptureAnalysis<'a>,
    pub(crate) optional_columns: OptionalColumns,
}

/// Builds the rows of a table that is filled from records. [`table!`](crate::table)
/// implements it.
pub(crate) trait RecordRows: Debug + Send {
    /// Adds the rows of a capture.
    fn push(&mut self, capture: &RowInput<'_>);

    /// Adds a row for a fault. Does nothing unless the table is `faults`.
    fn push_fault(&mut self, _warc_filename: &str, _fault: &Fault) {}

    /// Returns the rows of this batch and starts a new one.
    fn take(&mut self) -> RowBatch;
}

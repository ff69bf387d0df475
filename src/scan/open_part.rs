//! The state of a part while it is written.

use super::stats::ScanStats;
use columns::TableFileWriter;
use disk::ObjectIdentity;
use std::collections::BTreeMap;
use std::ops::Range;
use tables::Table;

/// A part whose files are being written.
pub(super) struct OpenPart {
    pub(super) number: u32,
    pub(super) crawl: String,
    pub(super) subset: String,
    /// The indexes of the inputs.
    pub(super) inputs: Range<usize>,
    /// The identities of inputs that were objects on servers, by index.
    pub(super) object_identities: BTreeMap<usize, ObjectIdentity>,
    pub(super) files: Vec<(Table, TableFileWriter)>,
    pub(super) stats: ScanStats,
    /// The number of running tasks that encode the files.
    pub(super) running_tasks: usize,
    /// True if all rows were pushed.
    pub(super) has_all_rows: bool,
    /// True if an input failed. The files are then discarded.
    pub(super) is_failed: bool,
}

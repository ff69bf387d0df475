//! A part whose files are being written.

use super::stats::ScanStats;
use columns::TableFileWriter;
use dataset::tables::Table;
use remote::ObjectIdentity;
use std::collections::BTreeMap;
use std::ops::Range;

/// A part whose files are being written.
pub(super) struct OpenPart {
    pub(super) number: u32,
    pub(super) crawl: String,
    pub(super) subset: String,
    /// The indexes of the inputs.
    pub(super) inputs: Range<usize>,
    /// The identities of inputs that were objects on servers, by index.
    pub(super) objects: BTreeMap<usize, ObjectIdentity>,
    pub(super) files: Vec<(Table, TableFileWriter)>,
    pub(super) stats: ScanStats,
    /// Tasks of the files that are running.
    pub(super) encoding: usize,
    /// True if all rows were pushed.
    pub(super) is_read: bool,
    /// True if an input failed. The files are then discarded.
    pub(super) is_failed: bool,
}

//! The result of reading a slice. `plan.rs` divides inputs into slices.

use super::stats::ScanStats;
use sources::reader::TruncationPoint;
use std::io;
use tables::TableBatches;

/// The output of a worker since it was last continued.
pub(crate) struct SliceOutput {
    /// The rows. Their captures are numbered from the first capture of this output.
    pub(crate) batches: TableBatches,
    pub(crate) stats: ScanStats,
    /// Bytes of values in the batches.
    pub(crate) bytes: u64,
    /// The offset of the first member of the slice; `None` if no member begins in its range.
    pub(crate) first_member: Option<u64>,
    /// The offset up to which the input was read.
    pub(crate) reached_offset: u64,
    pub(crate) state: SliceState,
}

/// The state of a slice after a worker has returned.
pub(crate) enum SliceState {
    /// The slice is not finished: the worker returned because it has enough output, or because the run is
    /// to stop.
    More,
    /// The next capture has a large body, which is analyzed when the worker is continued.
    LargeBody,
    /// The object seems to be truncated. The fault is withheld until the object has been fetched
    /// again.
    Truncated(TruncationPoint),
    /// The slice was read. The next member begins at this offset.
    Finished(u64),
    /// The input is not an archive of a known kind. The whole input was reported as a fault.
    Unreadable,
    /// The input failed.
    Failed(io::Error),
}

//! A slice of an archive, and the result of reading it. `plan.rs` divides archives into slices.

use super::stats::ScanStats;
use crate::input::stream::Stream;
use capture::CaptureScope;
use dataset::tables::TableBatches;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use warc::{ArchiveFile, Compression};

/// The source of the bytes of a slice.
#[derive(Clone, Debug)]
pub(crate) enum SliceSource {
    /// A regular file.
    File(PathBuf),
    /// An object that was fetched.
    Object(ArchiveFile),
    Stream(Arc<Stream>),
    /// The input does not exist, which is a fault.
    Missing,
    /// The input cannot be read, for this reason.
    Failed(Arc<str>),
}

/// An input, or a byte range of it, that one worker reads.
#[derive(Clone, Debug)]
pub(crate) struct ArchiveSlice {
    pub(crate) source: SliceSource,
    /// The name of the archive.
    pub(crate) name: Arc<str>,
    /// The key of the first capture of the archive.
    pub(crate) first_robots_id: i64,
    /// The byte range in which members that are read begin; `None` for the whole input.
    pub(crate) range: Option<Range<u64>>,
    /// True if a member is known to begin at the start of the range. Otherwise the first member in
    /// the range is searched for.
    pub(crate) begins_at_member: bool,
    /// Selects the records that are captures.
    pub(crate) scope: CaptureScope,
    /// True if the object is fetched again when it seems to be truncated.
    pub(crate) may_fetch_again: bool,
    /// The compression of the input, set once a slice of it was opened.
    pub(crate) compression: Arc<OnceLock<Compression>>,
}

/// The output of a worker since it was last continued.
pub(crate) struct SliceOutput {
    /// The rows. Their captures are numbered from the first capture of this output.
    pub(crate) batches: TableBatches,
    pub(crate) stats: ScanStats,
    /// Bytes of values in the batches.
    pub(crate) bytes: u64,
    /// The offset of the first member; `None` if the range has none.
    pub(crate) first_member: Option<u64>,
    /// The offset up to which the input was read.
    pub(crate) reached_offset: u64,
    pub(crate) state: SliceState,
}

/// The state of a slice after a worker has returned.
pub(crate) enum SliceState {
    /// The worker returned because it has enough output, or because the run is to stop.
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

/// The place at which an object seems to be truncated.
#[derive(Clone, Copy)]
pub(crate) struct TruncationPoint {
    /// The offset of the member that is not complete.
    pub(crate) offset: u64,
    /// The number of records of that member that were read.
    pub(crate) records_before: u32,
}

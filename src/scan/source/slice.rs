//! A slice of an input, which is read by one reader.

use crate::input::Selection;
use crate::input::stream::Stream;
use capture::CaptureScope;
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
    /// The records or rows of the input that are read.
    pub(crate) selection: Selection,
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

/// The place at which an object seems to be truncated.
#[derive(Clone, Copy)]
pub(crate) struct TruncationPoint {
    /// The offset of the member that is not complete.
    pub(crate) offset: u64,
    /// The number of records of that member that were read.
    pub(crate) records_before: u32,
}

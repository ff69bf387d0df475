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
pub enum SliceSource {
    /// A regular file.
    File(PathBuf),
    /// An object that was fetched.
    Object(ArchiveFile),
    /// A stream, which is read once.
    Stream(Arc<Stream>),
    /// The input does not exist, which is a fault.
    Missing,
    /// The input cannot be read, for this reason.
    Failed(Arc<str>),
}

/// An input, or a byte range of it, that one worker reads.
#[derive(Clone, Debug)]
pub struct InputSlice {
    /// The source of the bytes.
    pub source: SliceSource,
    /// The records or rows of the input that are read.
    pub selection: Selection,
    /// The name of the input, `warc_filename` in the tables.
    pub name: Arc<str>,
    /// The `robots_id` of the first capture of the input.
    pub first_robots_id: i64,
    /// The byte range in which members that are read begin; `None` for the whole input.
    pub range: Option<Range<u64>>,
    /// True if a member is known to begin at the start of the range. Otherwise the first member in
    /// the range is searched for.
    pub begins_at_member: bool,
    /// Selects the records that are captures.
    pub scope: CaptureScope,
    /// True if the object is fetched again when it seems to be truncated.
    pub may_fetch_again: bool,
    /// The compression of the input, which the slices of the input share. It is set when the first of them is opened.
    pub compression: Arc<OnceLock<Compression>>,
}

/// The place at which an object seems to be truncated.
#[derive(Clone, Copy)]
pub struct TruncationPoint {
    /// The offset of the member that is not complete.
    pub offset: u64,
    /// The number of records of that member that were read.
    pub records_before: u32,
}

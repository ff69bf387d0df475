//! State of the loop: an item that was given out, and a part that is written.

use crate::parquet_writer::TableFileWriter;
use crate::pipeline::worker::{Chunk, Counts, Worker};
use crate::tables::Table;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use warc::Compression;

/// An item that was given out and not yet taken into the output.
pub(super) struct Slot {
    pub(super) part: usize,
    pub(super) input: usize,
    pub(super) is_last_of_input: bool,
    pub(super) is_last_of_part: bool,
    pub(super) range: Option<(u64, u64)>,
    /// How the input is packed, once an item of it was opened.
    pub(super) compression: Arc<OnceLock<Compression>>,
    /// Raised when the item is given out anew: results of former turns are void.
    pub(super) turn: u32,
    /// What was read and waits for its turn.
    pub(super) chunks: VecDeque<Box<Chunk>>,
    /// The worker that rests in the middle of the item.
    pub(super) resting: Option<Box<Worker>>,
    /// Whether that worker waits for its turn to analyze a large body.
    pub(super) awaits_large: bool,
    /// Whether something of it has been taken into the output.
    pub(super) is_begun: bool,
}

/// A part whose files are being written.
pub(super) struct OpenPart {
    pub(super) number: u32,
    pub(super) crawl: String,
    pub(super) subset: String,
    pub(super) inputs: Range<usize>,
    pub(super) files: Vec<(Table, TableFileWriter)>,
    pub(super) counts: Counts,
    pub(super) encoding: usize,
    pub(super) is_read: bool,
    pub(super) is_failed: bool,
}

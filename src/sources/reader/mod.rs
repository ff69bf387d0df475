//! The kinds of sources, whose captures a run reads: archives, records of archives by their addresses, and tables of
//! bodies.
//!
//! A kind of source is one file here. It implements [`Source`], which says what is read of an input, and
//! [`SliceReader`], which reads the captures of a slice of it. The parts, the tables and the resuming of a run are the
//! same for all kinds.

mod archive;
mod body_table;
mod faults;
mod records;
mod slice;

use crate::InputPlace;
pub use archive::Archive;
pub use body_table::RowNotes;
pub(crate) use body_table::{BodyTable, open_table};
use capture::{Capture, CaptureScope};
pub use faults::digest_fault;
pub(crate) use records::MAX_GAP_BYTES;
pub use records::{RecordAddress, RecordsOfArchive};
pub use slice::{FetchedObject, InputSlice, TruncationPoint};
use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tables::Fault;
use warc::{Integrity, Record, RecordLocation};

/// A source of captures: an archive, some of its records, or a table of bodies.
pub trait Source: Debug + Send + Sync {
    /// Returns the place of the bytes.
    fn place(&self) -> &InputPlace;

    /// Returns true if the input is read from its first byte to its last, so that it may be divided into byte ranges, and
    /// its size tells whether all of it was read.
    fn is_read_whole(&self) -> bool {
        false
    }

    /// Returns the addresses of the records that are read, sorted by offset; empty if they are not read by address.
    fn addresses(&self) -> &[RecordAddress] {
        &[]
    }

    /// Opens a slice. Returns its reader and the offset of its first member or row. `archive` is the reader of archives
    /// of the worker: its buffers are kept from slice to slice.
    ///
    /// # Errors
    ///
    /// [`Unopened`].
    fn open(
        &self,
        slice: &InputSlice,
        archive: &mut warc::Reader,
    ) -> Result<(Box<dyn SliceReader>, u64), Unopened>;
}

/// Reads the captures of a slice. `archive` is the reader that the slice was opened with.
pub trait SliceReader: Send {
    /// Reads the next item. Returns false at the end of the slice.
    ///
    /// # Errors
    ///
    /// [`ItemError`].
    fn advance(&mut self, archive: &mut warc::Reader) -> Result<bool, ItemError>;

    /// Returns the item that was read last.
    fn item<'r>(&'r self, archive: &'r warc::Reader, scope: CaptureScope) -> ReadItem<'r>;

    /// Returns how far the slice was read.
    fn position(&self, archive: &warc::Reader) -> SlicePosition;

    /// Returns the [`RowNotes`] since the last call.
    fn take_notes(&mut self) -> RowNotes {
        RowNotes::default()
    }
}

/// The progress of reading a slice.
#[derive(Clone, Copy, Debug, Default)]
pub struct SlicePosition {
    /// The offset at which reading would continue.
    pub next: u64,
    /// The offset up to which the input was read, for a progress display.
    pub progress: u64,
    /// The number of bytes that were read.
    pub bytes_read: u64,
}

/// A record of an archive, or a row of a table, that was read.
pub struct ReadItem<'a> {
    /// The type of the record, or `row`.
    pub kind: &'static str,
    /// Its place in the archive; for a row, the offset is the number of the row.
    pub location: RecordLocation,
    /// `None` for a record that is not a capture.
    pub capture: Option<Capture<'a>>,
    /// The record of the capture; `None` for a row.
    pub record: Option<Record<'a>>,
}

/// The reason why a slice has no reader.
pub enum Unopened {
    /// No member begins in the slice.
    Nothing,
    /// The input does not exist.
    Missing(Fault),
    /// The input has no format that is read.
    UnknownFormat(Fault),
    /// The input cannot be read.
    Failed(io::Error),
}

/// The reason why no further item was read.
pub enum ItemError {
    /// The input cannot be read any more.
    Failed(io::Error),
    /// A part of the input is damaged. Reading continues after it.
    Damaged {
        /// The damage.
        fault: Fault,
        /// The place at which an object may have been truncated in transit.
        truncation: Option<TruncationPoint>,
    },
}

/// Reads the captures of one slice after another, with the same buffers.
pub struct SourceReader {
    archive: warc::Reader,
    /// The reader of the current slice; `None` before one is opened.
    slice: Option<Box<dyn SliceReader>>,
}

impl SourceReader {
    /// Creates a reader. It stops early once `stop` is set.
    pub fn new(limits: warc::Limits, stop: Arc<AtomicBool>) -> Self {
        let mut archive = warc::Reader::new(limits);
        archive.set_stop_flag(stop);
        Self {
            archive,
            slice: None,
        }
    }

    /// Opens a slice, and returns the offset of its first member or row.
    ///
    /// # Errors
    ///
    /// [`Unopened`].
    pub fn open(&mut self, slice: &InputSlice) -> Result<u64, Unopened> {
        self.slice = None;
        let (reader, start) = slice.source.open(slice, &mut self.archive)?;
        self.slice = Some(reader);
        Ok(start)
    }

    /// Reads the next item. Returns false at the end of the slice.
    ///
    /// # Errors
    ///
    /// [`ItemError`].
    pub fn advance(&mut self) -> Result<bool, ItemError> {
        match &mut self.slice {
            Some(slice) => slice.advance(&mut self.archive),
            None => Ok(false),
        }
    }

    /// Returns the item that was read last; `None` before the first one.
    pub fn item(&self, scope: CaptureScope) -> Option<ReadItem<'_>> {
        let slice = self.slice.as_ref()?;
        Some(slice.item(&self.archive, scope))
    }

    /// Returns how far the slice was read.
    pub fn position(&self) -> SlicePosition {
        match &self.slice {
            Some(slice) => slice.position(&self.archive),
            None => archive::position(&self.archive),
        }
    }

    /// Returns the [`RowNotes`] since the last call.
    pub fn take_notes(&mut self) -> RowNotes {
        let slice = self.slice.as_mut();
        slice.map_or_else(RowNotes::default, |slice| slice.take_notes())
    }

    /// Closes the input, whose bytes are freed.
    pub fn close(&mut self) {
        self.slice = None;
        self.archive.close();
    }
}

/// Returns the byte ranges that are requested from a server; `None` for a whole input.
pub fn requested_ranges(source: &dyn Source) -> Option<Vec<Range<u64>>> {
    let addresses = source.addresses();
    (!addresses.is_empty()).then(|| records::join_neighbours(addresses))
}

impl ReadItem<'_> {
    /// Compares the digests of a capture with its bytes, if no checksum protects them or if they are to be
    /// verified anyway. Returns the header field that differs.
    pub fn verify_digests(&mut self, always: bool) -> Option<&'static str> {
        let record = self.record.as_ref()?;
        let is_checked = always || record.integrity() == Integrity::Unguarded;
        self.capture
            .as_mut()
            .filter(|_| is_checked)?
            .verify_digests(record)
    }
}

//! The sources of captures: archives, records of archives by their addresses, and tables of bodies.
//!
//! [`SourceReader`] reads the captures of a slice, whatever its source. The parts, the tables and the resuming of a run
//! are the same for all sources.

mod archive;
mod body_table;
mod faults;
mod slice;

use crate::input::Selection;
use archive::ArchiveReader;
use body_table::BodyReader;
pub use body_table::RowNotes;
use capture::{Capture, CaptureScope};
pub use faults::digest_fault;
pub use slice::{InputSlice, SliceSource, TruncationPoint};
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tables::Fault;
use warc::{Integrity, Record, RecordLocation};

/// Reads the captures of one slice after another, with the same buffers.
pub struct SourceReader {
    archive: ArchiveReader,
    /// The reader of the slice, if it is of a table of bodies.
    bodies: Option<Box<BodyReader>>,
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

/// The result of opening a slice.
pub enum OpenedSource {
    /// The first member, or row, is at this offset.
    At(u64),
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

impl SourceReader {
    /// Creates a reader. It stops early once `stop` is set.
    pub fn new(limits: warc::Limits, stop: Arc<AtomicBool>) -> Self {
        Self {
            archive: ArchiveReader::new(limits, stop),
            bodies: None,
        }
    }

    pub fn open(&mut self, slice: &InputSlice) -> OpenedSource {
        if let Selection::Rows(rows) = &slice.selection {
            return match BodyReader::open(&slice.source, rows) {
                Ok(bodies) => {
                    self.bodies = Some(Box::new(bodies));
                    OpenedSource::At(0)
                }
                Err(opened) => opened,
            };
        }
        self.archive.open(slice)
    }

    /// Reads the next item. Returns false at the end of the slice.
    pub fn advance(&mut self) -> Result<bool, ItemError> {
        match &mut self.bodies {
            None => self.archive.advance(),
            Some(bodies) => bodies.advance(),
        }
    }

    /// Returns the item that was read last.
    pub fn item(&self, scope: CaptureScope) -> ReadItem<'_> {
        match &self.bodies {
            None => self.archive.item(scope),
            Some(bodies) => bodies.item(scope),
        }
    }

    /// Returns the offset at which reading would continue; for a table of bodies, the number of rows that were
    /// read.
    pub fn next_offset(&self) -> u64 {
        match &self.bodies {
            None => self.archive.next_offset(),
            Some(bodies) => bodies.rows_read(),
        }
    }

    /// Returns the offset up to which the input was read, for a progress display; for a table of bodies, the number of
    /// rows that were read.
    pub fn progress_offset(&self) -> u64 {
        match &self.bodies {
            None => self.archive.progress_offset(),
            Some(bodies) => bodies.rows_read(),
        }
    }

    /// Returns the number of bytes that were read; for a table of bodies, of rows.
    pub fn bytes_read(&self) -> u64 {
        match &self.bodies {
            None => self.archive.bytes_read(),
            Some(bodies) => bodies.rows_read(),
        }
    }

    /// Returns the [`RowNotes`] since the last call.
    pub fn take_notes(&mut self) -> RowNotes {
        let bodies = self.bodies.as_mut();
        bodies.map_or_else(RowNotes::default, |bodies| bodies.take_notes())
    }

    /// Closes the input, whose bytes are freed.
    pub fn close(&mut self) {
        self.bodies = None;
        self.archive.close();
    }
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

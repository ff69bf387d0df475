//! Archives that are read whole, or in slices by byte ranges.

use super::faults::damage_fault;
use super::slice::{InputSlice, OpenedInput, TruncationPoint};
use super::{ItemError, ReadItem, SlicePosition, SliceReader, Source, Unopened};
use crate::InputPlace;
use capture::{Capture, CaptureScope};
use std::io;
use warc::{ArchiveFile, ErrorKind};

/// An archive of which all records are read.
#[derive(Debug)]
pub struct Archive {
    pub place: InputPlace,
}

/// Reads all records of a slice of an archive.
struct ArchiveSlice;

impl Source for Archive {
    fn place(&self) -> &InputPlace {
        &self.place
    }

    fn is_read_whole(&self) -> bool {
        true
    }

    /// Opens the slice, and searches for its first member.
    fn open(
        &self,
        slice: &InputSlice,
        archive: &mut warc::Reader,
    ) -> Result<(Box<dyn SliceReader>, u64), Unopened> {
        let opened = match slice.open_input()? {
            OpenedInput::Stream(stream) => archive.open_stream(stream).map(|()| Some(0)),
            OpenedInput::File(file) => open_at_first_member(archive, &file, slice),
        };
        match opened {
            Ok(Some(start)) => {
                // Another slice of the input may have set the compression already, to the same value.
                let _ = slice.compression.set(archive.compression());
                Ok((Box::new(ArchiveSlice), start))
            }
            Ok(None) => Err(Unopened::Nothing),
            Err(error) if error.kind() == ErrorKind::Io => {
                Err(Unopened::Failed(io::Error::other(error)))
            }
            Err(error) => {
                let bytes = archive.input_bytes().unwrap_or(0);
                Err(Unopened::UnknownFormat(damage_fault(&error, bytes)))
            }
        }
    }
}

impl SliceReader for ArchiveSlice {
    fn advance(&mut self, archive: &mut warc::Reader) -> Result<bool, ItemError> {
        archive.read_record().map_err(|error| {
            if error.is_fatal() {
                return ItemError::Failed(io::Error::other(error));
            }
            let is_cut = matches!(error.kind(), ErrorKind::Truncated | ErrorKind::Empty);
            let end = error.offset().saturating_add(error.bytes_skipped());
            let is_at_end = archive.input_bytes().is_some_and(|bytes| end >= bytes);
            let point = TruncationPoint {
                offset: error.offset(),
                records_before: error.records_before(),
            };
            ItemError::Damaged {
                fault: damage_fault(&error, error.bytes_skipped()),
                truncation: (is_cut && is_at_end).then_some(point),
            }
        })
    }

    fn item<'r>(&'r self, archive: &'r warc::Reader, scope: CaptureScope) -> ReadItem<'r> {
        item(archive, scope)
    }

    fn position(&self, archive: &warc::Reader) -> SlicePosition {
        position(archive)
    }
}

/// Returns the current record of an archive.
pub(super) fn item(archive: &warc::Reader, scope: CaptureScope) -> ReadItem<'_> {
    let record = archive.record();
    ReadItem {
        kind: record.record_type().name(),
        location: record.location(),
        capture: Capture::read(&record, scope),
        record: Some(record),
    }
}

/// Returns how far an archive was read.
pub(super) fn position(archive: &warc::Reader) -> SlicePosition {
    SlicePosition {
        next: archive.next_offset(),
        progress: archive.progress_offset(),
        bytes_read: archive.bytes_read(),
    }
}

/// Opens a file or an object at the first member of a slice, and returns the offset of that member; `None` if no member
/// begins in the slice.
fn open_at_first_member(
    archive: &mut warc::Reader,
    file: &ArchiveFile,
    slice: &InputSlice,
) -> Result<Option<u64>, warc::Error> {
    match slice.range.clone() {
        None => archive.open_range(file, 0..u64::MAX).map(|()| Some(0)),
        Some(range) if slice.begins_at_member => {
            let start = range.start;
            archive.open_range(file, range).map(|()| Some(start))
        }
        Some(range) => {
            let compression = slice.compression.get().copied();
            match archive.open_slice(file, range, compression) {
                // An input that is not an archive is reported by its first slice only.
                Err(error) if error.kind() != ErrorKind::Io => Ok(None),
                opened => opened,
            }
        }
    }
}

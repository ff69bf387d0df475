//! Records of archives, which are read by their addresses.

use super::archive;
use super::faults::{damage_fault, no_record_fault, other_length_fault};
use super::slice::{InputSlice, OpenedInput};
use super::{ItemError, ReadItem, SlicePosition, SliceReader, Source, Unopened};
use crate::InputPlace;
use capture::CaptureScope;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use tables::Fault;
use warc::{ArchiveFile, ErrorKind};

/// The most bytes between two records that are fetched together in one request. Fetching these bytes costs less than
/// another request.
pub(crate) const MAX_GAP_BYTES: u64 = 64 << 10;

/// The most bytes that are fetched in one request for records, unless a single record has more.
const MAX_REQUEST_BYTES: u64 = 16 << 20;

/// The place of a record in its archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordAddress {
    /// The offset of the gzip member or zstd frame of the record, or of the record itself in an uncompressed archive.
    pub offset: u64,
    /// The length in bytes of that member, frame or record.
    pub length: u64,
}

impl RecordAddress {
    /// Returns the byte range of the record.
    pub(crate) fn range(self) -> Range<u64> {
        self.offset..self.offset.saturating_add(self.length)
    }
}

/// Some records of an archive.
#[derive(Debug)]
pub struct RecordsOfArchive {
    pub place: InputPlace,
    /// The addresses of the records, sorted by offset.
    pub addresses: Arc<[RecordAddress]>,
}

/// Reads the records at some addresses, which are opened one after the other.
struct AddressedRecords {
    file: ArchiveFile,
    addresses: Arc<[RecordAddress]>,
    /// The index of the next address.
    next: usize,
    /// The sum of the lengths of the addresses before `next`.
    bytes_before: u64,
    /// True if nothing was found yet at the address that was opened last: neither a record nor damage.
    is_empty: bool,
    /// True if no damage was found at the address that was opened last.
    is_sound: bool,
}

impl Source for RecordsOfArchive {
    fn place(&self) -> &InputPlace {
        &self.place
    }

    fn addresses(&self) -> &[RecordAddress] {
        &self.addresses
    }

    fn open(
        &self,
        slice: &InputSlice,
        _archive: &mut warc::Reader,
    ) -> Result<(Box<dyn SliceReader>, u64), Unopened> {
        let OpenedInput::File(file) = slice.open_input()? else {
            let why = io::Error::other("records are only read from regular files");
            return Err(Unopened::Failed(why));
        };
        let records = AddressedRecords {
            file,
            addresses: Arc::clone(&self.addresses),
            next: 0,
            bytes_before: 0,
            is_empty: false,
            is_sound: false,
        };
        Ok((Box::new(records), 0))
    }
}

impl SliceReader for AddressedRecords {
    fn advance(&mut self, archive: &mut warc::Reader) -> Result<bool, ItemError> {
        loop {
            match archive.read_record() {
                Ok(false) => {}
                Ok(true) => {
                    // After damage, the reader may find records that are not in the list.
                    if self.offset() != Some(archive.record().location().offset) {
                        continue;
                    }
                    self.is_empty = false;
                    return Ok(true);
                }
                Err(error) => return Err(self.convert_error(error)),
            }
            let end = archive.next_offset();
            let fault = self.take_no_record_fault();
            if let Some(fault) = fault.or_else(|| self.take_length_fault(end)) {
                return Err(damaged(fault));
            }
            let Some(address) = self.next_address() else {
                return Ok(false);
            };
            if let Err(error) = archive.open_record(&self.file, address.range()) {
                return Err(self.convert_error(error));
            }
        }
    }

    fn item<'r>(&'r self, archive: &'r warc::Reader, scope: CaptureScope) -> ReadItem<'r> {
        archive::item(archive, scope)
    }

    /// Returns the sum of the lengths of the records that were opened instead of offsets.
    fn position(&self, archive: &warc::Reader) -> SlicePosition {
        SlicePosition {
            next: self.bytes_before,
            progress: self.bytes_before,
            bytes_read: archive.bytes_read(),
        }
    }
}

fn damaged(fault: Fault) -> ItemError {
    ItemError::Damaged {
        fault,
        truncation: None,
    }
}

impl AddressedRecords {
    fn convert_error(&mut self, error: warc::Error) -> ItemError {
        // An address without a record, for example in the middle of one, has the fault `no_record` instead.
        if error.kind() == ErrorKind::Garbage
            && self.offset() == Some(error.offset())
            && let Some(fault) = self.take_no_record_fault()
        {
            return damaged(fault);
        }
        (self.is_empty, self.is_sound) = (false, false);
        // Only a failure to read the file ends the input. Other fatal errors, such as an unknown format, concern one record
        // of the list: the others can still be read.
        if error.is_fatal() && error.kind() == ErrorKind::Io {
            return ItemError::Failed(io::Error::other(error));
        }
        damaged(damage_fault(&error, error.bytes_skipped()))
    }

    fn next_address(&mut self) -> Option<RecordAddress> {
        let address = *self.addresses.get(self.next)?;
        self.next += 1;
        self.bytes_before += address.length;
        (self.is_empty, self.is_sound) = (true, true);
        Some(address)
    }

    /// Returns the offset of the last address.
    fn offset(&self) -> Option<u64> {
        let last = self.addresses.get(self.next.checked_sub(1)?)?;
        Some(last.offset)
    }

    /// Returns a fault if the record at the last address ended at the offset `end`, and the list states another end. An
    /// address with damage has no such fault.
    fn take_length_fault(&mut self, end: u64) -> Option<Fault> {
        let last = self.addresses.get(self.next.checked_sub(1)?)?;
        let has_other_length = std::mem::take(&mut self.is_sound) && end != last.range().end;
        has_other_length.then(|| other_length_fault(*last, end.saturating_sub(last.offset)))
    }

    /// Returns the fault of the last address if neither a record nor damage was found there.
    fn take_no_record_fault(&mut self) -> Option<Fault> {
        if !std::mem::take(&mut self.is_empty) {
            return None;
        }
        self.is_sound = false;
        self.offset().map(no_record_fault)
    }
}

/// Returns the byte ranges to be requested for records, which are sorted by offset: neighbours are
/// requested together.
pub(super) fn join_neighbours(addresses: &[RecordAddress]) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for address in addresses {
        let range = address.range();
        let last = ranges.last_mut().filter(|last| {
            let is_near = range.start.saturating_sub(last.end) <= MAX_GAP_BYTES;
            is_near && range.end - last.start <= MAX_REQUEST_BYTES
        });
        match last {
            Some(last) => last.end = last.end.max(range.end),
            None => ranges.push(range),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_requested_together_up_to_a_size() {
        let address = |(offset, length)| RecordAddress { offset, length };
        let joined = |addresses: &[(u64, u64)]| {
            let addresses: Vec<_> = addresses.iter().copied().map(address).collect();
            join_neighbours(&addresses)
        };
        assert_eq!(joined(&[]), [0..0; 0]);
        let near = 110 + MAX_GAP_BYTES;
        assert_eq!(joined(&[(100, 10), (near, 5)]), vec![100..near + 5]);
        assert_eq!(
            joined(&[(100, 10), (near + 1, 5)]),
            [100..110, near + 1..near + 6]
        );
        // Each request has one large record, or records up to the size.
        let size = MAX_REQUEST_BYTES;
        let large = [
            (0, size - 5),
            (size - 5, 5),
            (size, 2 * size),
            (3 * size, 1),
        ];
        assert_eq!(
            joined(&large),
            [0..size, size..3 * size, 3 * size..3 * size + 1]
        );
    }
}

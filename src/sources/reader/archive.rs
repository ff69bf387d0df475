//! Reads the records of a slice of an archive, or those at some addresses.

use super::faults::{damage_fault, missing_input_fault, no_record_fault, other_length_fault};
use super::slice::{InputSlice, SliceSource, TruncationPoint};
use super::{ItemError, OpenedSource, ReadItem};
use crate::input::{RecordAddress, Selection};
use capture::{Capture, CaptureScope};
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tables::Fault;
use warc::{ArchiveFile, ErrorKind};

pub(super) struct ArchiveReader {
    reader: warc::Reader,
    /// The records that are read, if they have addresses; `None` if all records of the slice are read.
    addressed: Option<AddressedRecords>,
}

/// The records at some addresses, which are opened one after the other.
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

impl ArchiveReader {
    pub(super) fn new(limits: warc::Limits, stop: Arc<AtomicBool>) -> Self {
        let mut reader = warc::Reader::new(limits);
        reader.set_stop_flag(stop);
        Self {
            reader,
            addressed: None,
        }
    }

    /// Opens the input of a slice, and searches for the first member.
    pub(super) fn open(&mut self, slice: &InputSlice) -> OpenedSource {
        self.addressed = None;
        let reader = &mut self.reader;
        let file = match &slice.source {
            SliceSource::Missing => return OpenedSource::Missing(missing_input_fault()),
            SliceSource::Failed(reason) => {
                return OpenedSource::Failed(io::Error::other(&**reason));
            }
            SliceSource::Stream(stream) => {
                let opened = match stream.take() {
                    Ok(stream) => reader.open_stream(stream).map(|()| Some(0)),
                    Err(error) => return OpenedSource::Failed(error),
                };
                return self.finish_opening(opened, slice);
            }
            SliceSource::File(path) => match ArchiveFile::open(path) {
                Ok(file) => file,
                Err(error) => return OpenedSource::Failed(error),
            },
            SliceSource::Object(file) => file.clone(),
        };
        if let Selection::Records(addresses) = &slice.selection {
            self.addressed = Some(AddressedRecords {
                file,
                addresses: Arc::clone(addresses),
                next: 0,
                bytes_before: 0,
                is_empty: false,
                is_sound: false,
            });
            return OpenedSource::At(0);
        }
        let opened = open_at_first_member(reader, &file, slice);
        self.finish_opening(opened, slice)
    }

    fn finish_opening(
        &mut self,
        opened: Result<Option<u64>, warc::Error>,
        slice: &InputSlice,
    ) -> OpenedSource {
        match opened {
            Ok(Some(start)) => {
                // Another slice of the input may have set the compression already, to the same value.
                let _ = slice.compression.set(self.reader.compression());
                OpenedSource::At(start)
            }
            Ok(None) => OpenedSource::Nothing,
            Err(error) if error.kind() == ErrorKind::Io => {
                OpenedSource::Failed(io::Error::other(error))
            }
            Err(error) => {
                let bytes = self.reader.input_bytes().unwrap_or(0);
                OpenedSource::UnknownFormat(damage_fault(&error, bytes))
            }
        }
    }

    /// Reads the next record. Returns false at the end.
    pub(super) fn advance(&mut self) -> Result<bool, ItemError> {
        loop {
            match self.reader.read_record() {
                Ok(false) => {}
                Ok(true) => {
                    // After damage, the reader may find records that are not in the list.
                    let offset = self.reader.record().location().offset;
                    if self
                        .addressed
                        .as_ref()
                        .is_some_and(|records| records.offset() != Some(offset))
                    {
                        continue;
                    }
                    self.note_item();
                    return Ok(true);
                }
                Err(error) => return Err(self.convert_error(error)),
            }
            let Some(records) = &mut self.addressed else {
                return Ok(false);
            };
            let end = self.reader.next_offset();
            if let Some(fault) = records
                .take_no_record_fault()
                .or_else(|| records.take_length_fault(end))
            {
                return Err(ItemError::Damaged {
                    fault,
                    truncation: None,
                });
            }
            let Some(address) = records.next_address() else {
                return Ok(false);
            };
            if let Err(error) = self.reader.open_record(&records.file, address.range()) {
                return Err(self.convert_error(error));
            }
        }
    }

    /// Notes that a record or damage was found at the last address.
    fn note_item(&mut self) {
        if let Some(records) = &mut self.addressed {
            records.is_empty = false;
        }
    }

    fn convert_error(&mut self, error: warc::Error) -> ItemError {
        // An address without a record, for example in the middle of one, has the fault `no_record` instead.
        if error.kind() == ErrorKind::Garbage
            && let Some(records) = &mut self.addressed
            && records.offset() == Some(error.offset())
            && let Some(fault) = records.take_no_record_fault()
        {
            return ItemError::Damaged {
                fault,
                truncation: None,
            };
        }
        self.note_item();
        if let Some(records) = &mut self.addressed {
            records.is_sound = false;
        }
        // If one record of a list cannot be opened, the others can still be read.
        let is_of_record = self.addressed.is_some() && error.kind() != ErrorKind::Io;
        if error.is_fatal() && !is_of_record {
            return ItemError::Failed(io::Error::other(error));
        }
        let is_cut = matches!(error.kind(), ErrorKind::Truncated | ErrorKind::Empty);
        let end = error.offset().saturating_add(error.bytes_skipped());
        let is_at_end = self.reader.input_bytes().is_some_and(|bytes| end >= bytes);
        let truncation = TruncationPoint {
            offset: error.offset(),
            records_before: error.records_before(),
        };
        let may_be_truncated = is_cut && is_at_end && self.addressed.is_none();
        ItemError::Damaged {
            fault: damage_fault(&error, error.bytes_skipped()),
            truncation: may_be_truncated.then_some(truncation),
        }
    }

    pub(super) fn item(&self, scope: CaptureScope) -> ReadItem<'_> {
        let record = self.reader.record();
        ReadItem {
            kind: record.record_type().name(),
            location: record.location(),
            capture: Capture::read(&record, scope),
            record: Some(record),
        }
    }

    /// Returns the offset of the next member; for records by address, the sum of the lengths of those that were opened.
    pub(super) fn next_offset(&self) -> u64 {
        match &self.addressed {
            None => self.reader.next_offset(),
            Some(records) => records.bytes_before,
        }
    }

    pub(super) fn progress_offset(&self) -> u64 {
        match &self.addressed {
            None => self.reader.progress_offset(),
            Some(records) => records.bytes_before,
        }
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.reader.bytes_read()
    }

    pub(super) fn close(&mut self) {
        self.addressed = None;
        self.reader.close();
    }
}

impl AddressedRecords {
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

/// Opens a file or an object at the first member of a slice, and returns the offset of that member; `None` if no member
/// begins in the slice.
fn open_at_first_member(
    reader: &mut warc::Reader,
    file: &ArchiveFile,
    slice: &InputSlice,
) -> Result<Option<u64>, warc::Error> {
    match slice.range.clone() {
        None => reader.open_range(file, 0..u64::MAX).map(|()| Some(0)),
        Some(range) if slice.begins_at_member => {
            let start = range.start;
            reader.open_range(file, range).map(|()| Some(start))
        }
        Some(range) => {
            let compression = slice.compression.get().copied();
            match reader.open_slice(file, range, compression) {
                // An input that is not an archive is reported by its first slice only.
                Err(error) if error.kind() != ErrorKind::Io => Ok(None),
                opened => opened,
            }
        }
    }
}

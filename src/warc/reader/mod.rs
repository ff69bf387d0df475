//! The record reader.
//!
//! [`Reader`] reads an archive in three steps:
//!
//! 1. `member.rs` finds the next gzip member or zstd frame and decompresses it into the
//!    [`DecodedBuffer`]: a small one in one call, a large one step by step. An uncompressed archive
//!    is a single sequence of decoded bytes.
//! 2. `record.rs` parses the record at the cursor of the buffer and validates its end: the start of
//!    the next record, or the valid end of the member or archive.
//! 3. This file returns the record. Everything else is damage, reported as an error after which
//!    reading continues at the next valid record.
//!
//! Only offsets and the search budget outlive a record or a member. If you add other state that
//! does, check that reading a file in ranges still gives the same records and faults as reading it
//! in one pass.

mod member;
mod record;

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use self::member::{Member, ReadFault};
use self::record::{CurrentRecord, RecordFault};
use crate::archive_file::ArchiveFile;
use crate::decode::Compression;
use crate::decode::buffer::{DecodedBuffer, DecodedEnd};
use crate::decode::decoder::Decoder;
use crate::decode::libdeflate::LibdeflateDecoder;
use crate::detect::{HEAD_BYTES, detect, detect_and_start};
use crate::error::{Error, ErrorKind};
use crate::record::Record;
use crate::record_start::{is_partial_record_start, is_record_start};
use crate::resync::{find_next_record, seek_range_start};

/// The part of a slice in which its first record is searched for.
///
/// At most 1 MiB may be read twice for each boundary between slices, wherever the members are. The search
/// takes 768 KiB of that. The rest is left for reading the start of the file and bytes after the slice.
const SLICE_SEARCH_BYTES: u64 = 768 << 10;

/// Limits on the memory that a [`Reader`] uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest record header, in bytes. A longer one is a fault.
    pub max_header_bytes: usize,
    /// The largest part of a record block that is kept, in bytes. The rest is skipped.
    pub max_block_bytes: usize,
    /// The largest gzip member, in decompressed bytes, that is decompressed in one call. Larger
    /// members are decompressed step by step, with the same result, but more slowly.
    pub max_member_bytes: usize,
}

impl Default for Limits {
    /// Returns limits of 1 MiB for a header, 32 MiB for a block and 16 MiB for a member.
    fn default() -> Limits {
        Limits {
            max_header_bytes: 1 << 20,
            max_block_bytes: 32 << 20,
            max_member_bytes: 16 << 20,
        }
    }
}

/// Reads the records of an archive.
///
/// A reader can open any number of inputs, one after the other, and reuses its buffers. The record
/// it returns borrows from them and is valid until the next call.
///
/// Memory is bounded by [`Limits`], whatever the input. One consequence: after a damaged record
/// whose block is larger than [`Limits::max_block_bytes`], an input that cannot be read again (a
/// stream, or a large member of many records) is searched only from the stated end of the block.
///
/// # Example
///
/// ```no_run
/// use warc::{Limits, Reader};
///
/// let mut reader = Reader::new(Limits::default());
/// reader.open_file("archive.warc.gz".as_ref())?;
/// loop {
///     match reader.read_record() {
///         Ok(true) => println!("{:?}", reader.record().target_uri()),
///         Ok(false) => break,
///         Err(error) if error.is_fatal() => return Err(error),
///         Err(fault) => eprintln!("{fault}"),
///     }
/// }
/// # Ok::<(), warc::Error>(())
/// ```
pub struct Reader {
    limits: Limits,
    pub(crate) decoder: Decoder,
    libdeflate: LibdeflateDecoder,
    buffer: DecodedBuffer,
    record: CurrentRecord,
    /// The number of bytes from the cursor of the buffer to the end of the current record.
    bytes_to_record_end: usize,
    member: Option<Member>,
    /// A fault that follows the last reported one and is reported by the next call.
    pending_fault: Option<Error>,
    /// The offset of the first member, frame or uncompressed record that was not started.
    next_offset: u64,
    /// Members, frames and uncompressed records that start here or later are not read.
    range_end: u64,
    is_done: bool,
}

impl Reader {
    /// Returns a reader without an input. Buffers are allocated when they are needed.
    pub fn new(limits: Limits) -> Reader {
        Reader {
            limits,
            decoder: Decoder::new(limits.max_block_bytes),
            libdeflate: LibdeflateDecoder::new(),
            buffer: DecodedBuffer::new(),
            record: CurrentRecord::default(),
            bytes_to_record_end: 0,
            member: None,
            pending_fault: None,
            next_offset: 0,
            range_end: 0,
            is_done: true,
        }
    }

    /// Opens a file to read it from its start to its end.
    ///
    /// A path that is not a regular file, such as a pipe, is read as a stream.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`], [`ErrorKind::Unsupported`], [`ErrorKind::NotAnArchive`] and
    /// [`ErrorKind::BadDictionary`]. All are fatal.
    pub fn open_file(&mut self, path: &Path) -> Result<(), Error> {
        self.close();
        let io_error = |error| Error::io(error, 0);
        let file = File::open(path).map_err(io_error)?;
        if file.metadata().map_err(io_error)?.is_file() {
            let file = ArchiveFile::from_file(file).map_err(io_error)?;
            self.decoder.source.open_file(file);
        } else {
            self.decoder.source.open_stream(Box::new(file));
        }
        detect_and_start(&mut self.decoder)?;
        self.start_range(0..u64::MAX)
    }

    /// Opens a file to read the records whose member, frame or uncompressed record starts
    /// in `range`, in bytes of the file.
    ///
    /// A member, frame or uncompressed record must start at the start of the range: at an offset
    /// returned by [`find_range_start`](crate::find_range_start), or at the
    /// [`next_offset`](Reader::next_offset) of another reader.
    ///
    /// # Errors
    ///
    /// As [`open_file`](Reader::open_file).
    pub fn open_range(&mut self, file: &ArchiveFile, range: Range<u64>) -> Result<(), Error> {
        self.close();
        self.open_for_slice(file, None)?;
        self.start_range(range)
    }

    /// Opens a file to read the records of the member, frame or uncompressed record at the start of
    /// `range`, as if the file ended at the end of the range.
    ///
    /// The compression is that of the first bytes of the range. The start of the file is only read if the
    /// range is a zstd frame, which may need the dictionary there.
    ///
    /// # Errors
    ///
    /// As [`open_file`](Reader::open_file).
    pub fn open_record(&mut self, file: &ArchiveFile, range: Range<u64>) -> Result<(), Error> {
        self.close();
        let io_error = |error| Error::io(error, range.start);
        let source = &mut self.decoder.source;
        source.open_file(file.truncated_at(range.end));
        source.seek(range.start).map_err(io_error)?;
        source.set_slice_end(range.end);
        source.fill(HEAD_BYTES).map_err(io_error)?;
        // A range that has no record is read as a damaged uncompressed one, so that the fault has its offset.
        let compression = detect(source.unread()).unwrap_or(Compression::None);
        if compression == Compression::Zstd {
            source.seek(0).map_err(io_error)?;
        }
        self.decoder.start(compression)?;
        self.start_range(range.start..range.start.saturating_add(1))?;
        self.decoder.source.set_slice_end(range.end);
        Ok(())
    }

    /// Opens a slice of a file at the first member, frame or uncompressed record that seems
    /// to start in it, and returns the offset of that.
    ///
    /// Returns `None`, and opens nothing, if none starts in the first 768 KiB of the slice. The
    /// offset is a guess, as described for [`find_range_start`](crate::find_range_start).
    ///
    /// `known_compression` is the compression of the file if another reader has detected it. Then
    /// the start of the file is read only if it has a dictionary.
    ///
    /// Reads the bytes of the slice, of the member that crosses its end, and at most 1 MiB for each
    /// multiple of [`SLICE_BYTES`](crate::SLICE_BYTES) that this member crosses, plus the
    /// dictionary.
    ///
    /// # Errors
    ///
    /// As [`open_file`](Reader::open_file).
    pub fn open_slice(
        &mut self,
        file: &ArchiveFile,
        slice: Range<u64>,
        known_compression: Option<Compression>,
    ) -> Result<Option<u64>, Error> {
        self.close();
        let io_error = |error| Error::io(error, slice.start);
        self.open_for_slice(file, known_compression)?;
        let search_end = slice
            .end
            .min(slice.start.saturating_add(SLICE_SEARCH_BYTES));
        // A magic number may cross the end.
        let read_end = search_end.saturating_add(8);
        self.decoder.source.set_slice_end(read_end);
        let found = seek_range_start(&mut self.decoder, &mut self.buffer, slice.start, search_end)
            .map_err(io_error)?;
        self.decoder.source.set_slice_end(slice.end);
        if let Some(start) = found {
            (self.next_offset, self.range_end, self.is_done) = (start, slice.end, false);
        }
        Ok(found)
    }

    /// Opens a stream to read it from its start to its end.
    ///
    /// # Errors
    ///
    /// As [`open_file`](Reader::open_file).
    pub fn open_stream(&mut self, stream: Box<dyn Read + Send>) -> Result<(), Error> {
        self.close();
        self.decoder.source.open_stream(stream);
        detect_and_start(&mut self.decoder)?;
        self.start_range(0..u64::MAX)
    }

    /// Sets a flag that ends reading with [`ErrorKind::Io`] soon after it becomes true, even while
    /// a long member is decompressed to verify its checksum.
    pub fn set_stop_flag(&mut self, stop: Arc<AtomicBool>) {
        self.decoder.set_stop_flag(stop);
    }

    /// Closes the input and frees the memory that only large members and blocks need. Until the next
    /// input is opened, [`read_record`](Reader::read_record) returns `Ok(false)`.
    pub fn close(&mut self) {
        self.decoder.source.close();
        self.buffer.shrink(self.limits.max_member_bytes);
        self.record.release_memory();
        self.bytes_to_record_end = 0;
        self.member = None;
        self.pending_fault = None;
        (self.next_offset, self.range_end, self.is_done) = (0, 0, true);
    }

    /// Opens a file of which only a slice is read, and reads no more of its start than necessary.
    fn open_for_slice(
        &mut self,
        file: &ArchiveFile,
        known_compression: Option<Compression>,
    ) -> Result<(), Error> {
        self.decoder.source.open_file(file.clone());
        self.decoder.source.set_slice_end(HEAD_BYTES as u64);
        match known_compression {
            Some(compression) => self.decoder.start(compression),
            None => detect_and_start(&mut self.decoder),
        }
    }

    /// Starts reading an open input in `range`.
    fn start_range(&mut self, range: Range<u64>) -> Result<(), Error> {
        self.decoder
            .source
            .seek(range.start)
            .map_err(|error| Error::io(error, range.start))?;
        self.decoder.source.set_slice_end(range.end);
        self.buffer.restart(range.start);
        (self.next_offset, self.range_end, self.is_done) = (range.start, range.end, false);
        Ok(())
    }

    /// Reads the next record and returns true, or returns false at the end of the input or range.
    ///
    /// Use [`record`](Reader::record) to get the record. After `Ok(false)`, every further call
    /// returns `Ok(false)`.
    ///
    /// # Errors
    ///
    /// A fault of the archive, after which the next call continues. [`Error::offset`] and
    /// [`Error::bytes_skipped`] give the position and the size of what is skipped. After
    /// [`ErrorKind::Io`], which is fatal, there are no more records.
    pub fn read_record(&mut self) -> Result<bool, Error> {
        if self.is_done {
            return Ok(false);
        }
        if let Some(error) = self.pending_fault.take() {
            return Err(error);
        }
        let result = if self.decoder.compression == Compression::None {
            self.read_uncompressed()
        } else {
            self.read_compressed()
        };
        if !matches!(result, Ok(true)) {
            self.record.clear();
        }
        match result {
            Ok(is_found) => self.is_done = !is_found,
            Err(ReadFault::Io(error)) => {
                self.is_done = true;
                return Err(Error::io(error, self.decoder.source.offset()));
            }
            Err(ReadFault::Damage(error)) => return Err(error),
        }
        Ok(!self.is_done)
    }

    /// Returns the record that was read last, or an empty record if there is none.
    pub fn record(&self) -> Record<'_> {
        self.record.as_record(self.buffer.unread())
    }

    /// Returns the compression of the input.
    pub fn compression(&self) -> Compression {
        self.decoder.compression
    }

    /// Returns the offset of the first member, frame or uncompressed record that was not started.
    ///
    /// After [`read_record`](Reader::read_record) has returned `Ok(false)`, this is the length of a
    /// file that was read to its end, or the offset after a range at which reading would continue.
    /// The guessed start of the next range is correct only if it is equal to this offset.
    pub fn next_offset(&self) -> u64 {
        self.next_offset
    }

    /// Returns the offset up to which the input was used, for a progress display.
    ///
    /// It can decrease, because damaged bytes are searched again.
    pub fn progress_offset(&self) -> u64 {
        match self.decoder.compression {
            Compression::None => self.buffer.offset() + self.bytes_to_record_end as u64,
            _ => self.decoder.source.offset(),
        }
    }

    /// Returns the number of bytes read from the input. Bytes that are read twice count twice.
    pub fn bytes_read(&self) -> u64 {
        self.decoder.source.bytes_read()
    }

    /// Returns the length of the input in bytes, if it is known.
    pub fn input_bytes(&self) -> Option<u64> {
        self.decoder.source.length()
    }

    /// Reads the next record of an uncompressed archive.
    fn read_uncompressed(&mut self) -> Result<bool, ReadFault> {
        self.buffer
            .advance(std::mem::take(&mut self.bytes_to_record_end));
        self.buffer.skip_line_ends(&mut self.decoder)?;
        self.next_offset = self.buffer.offset();
        let start = self.next_offset;
        if start >= self.range_end || self.buffer.unread().is_empty() {
            if start == 0 && self.range_end > 0 {
                // A valid archive is never empty: its download failed at once.
                self.is_done = true;
                return Err(Error::damage(ErrorKind::Empty, 0, 0).into());
            }
            return Ok(false);
        }
        let kind = match self.parse_uncompressed_record() {
            Ok(()) => {
                self.next_offset = self.buffer.offset() + self.bytes_to_record_end as u64;
                return Ok(true);
            }
            Err(RecordFault::Damage(kind)) => kind,
            Err(RecordFault::Io(error)) => return Err(error.into()),
        };
        // The block that a damaged record claims may contain further records.
        if self.buffer.offset() != start && self.decoder.source.can_seek() {
            self.decoder.source.seek(start)?;
            self.buffer.restart(start);
        }
        let search_start = usize::from(self.buffer.offset() == start);
        find_next_record(&mut self.buffer, &mut self.decoder, search_start, u64::MAX)?;
        self.next_offset = self.buffer.offset();
        Err(Error::damage(kind, start, self.next_offset).into())
    }

    fn parse_uncompressed_record(&mut self) -> Result<(), RecordFault> {
        let is_long_enough = self.buffer.ensure_unread(&mut self.decoder, 5)?;
        if !is_long_enough && is_partial_record_start(self.buffer.unread()) {
            return Err(ErrorKind::Truncated.into());
        }
        if !is_record_start(self.buffer.unread()) {
            return Err(ErrorKind::Garbage.into());
        }
        self.parse_record()
    }

    /// Reads the next record of an archive of gzip members or zstd frames.
    fn read_compressed(&mut self) -> Result<bool, ReadFault> {
        loop {
            let member = match self.member {
                Some(member) => member,
                None => match self.start_member()? {
                    Some(member) => member,
                    None => return Ok(false),
                },
            };
            self.buffer
                .advance(std::mem::take(&mut self.bytes_to_record_end));
            self.buffer.skip_line_ends(&mut self.decoder)?;
            if self.buffer.unread().is_empty() {
                if let Some(DecodedEnd::Damaged(kind)) = self.buffer.end() {
                    return Err(self.abandon_member(kind));
                }
                self.finish_member();
                continue;
            }
            let start = self.buffer.offset();
            let is_record = self.buffer.ensure_unread(&mut self.decoder, 5)?
                && is_record_start(self.buffer.unread());
            if !is_record {
                return Err(self.resync_in_member(None, start));
            }
            match self.parse_record() {
                Ok(()) => return Ok(true),
                Err(RecordFault::Io(error)) => return Err(error.into()),
                Err(RecordFault::Damage(kind)) => {
                    self.member = Some(member.with_damaged_record());
                    return Err(self.resync_in_member(Some(kind), start));
                }
            }
        }
    }
}

//! Gzip members and zstd frames: finding the next one, decompressing it, and resynchronizing after
//! damage.
//!
//! If you change where reading continues after damage, also check [`resync`](crate::resync): the
//! ranges of a file start where its searches find a member.

use std::io;

use super::Reader;
use crate::decode::Compression;
use crate::decode::buffer::DecodedEnd;
use crate::decode::gzip;
use crate::decode::libdeflate::LibdeflateResult;
use crate::decode::zstd_frame::{FrameStart, has_checksum, parse_frame_start};
use crate::error::{DamagedRange, Error, ErrorKind};
use crate::record::Integrity;
use crate::resync::{MemberSearch, find_next_member, find_next_record};
use crate::unsupported_format::UnsupportedFormat;

/// The initial size of the buffer for whole members. It is doubled as often as necessary.
const INITIAL_MEMBER_BUFFER_BYTES: usize = 256 << 10;

/// The unit in which tapes and disks store files. Some writers pad files with zeros to a multiple
/// of it.
const PADDING_BLOCK_BYTES: u64 = 512;

/// The largest zstd frame, in decompressed bytes, that is decompressed in one call.
const MAX_WHOLE_FRAME_DECODED_BYTES: usize = 1 << 20;

/// The largest gzip member, in compressed bytes, that is decompressed in one call.
const MAX_WHOLE_MEMBER_BYTES: usize = 4 << 20;

/// The member or frame that is being read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) offset: u64,
    /// The number of records so far, including damaged ones.
    pub(super) records: u32,
    /// The number of records that were returned to the caller.
    pub(super) valid_records: u32,
    /// True if damage in the member has been reported.
    is_faulty: bool,
    /// True if the member or frame ends with a checksum. Every gzip member does, and a zstd frame may.
    has_checksum: bool,
    /// The integrity of the records of the member; `None` before it is determined.
    pub(super) integrity: Option<Integrity>,
}

impl Member {
    fn new(offset: u64, has_checksum: bool) -> Member {
        Member {
            offset,
            records: 0,
            valid_records: 0,
            is_faulty: false,
            has_checksum,
            integrity: None,
        }
    }

    /// Returns the member with a damaged record counted.
    pub(super) fn with_damaged_record(self) -> Member {
        Member {
            records: self.records.saturating_add(1),
            ..self
        }
    }

    /// Returns the integrity of the records of the member if the member decodes to a valid end.
    pub(super) fn integrity_if_valid(&self) -> Integrity {
        if self.has_checksum {
            Integrity::Verified
        } else {
            Integrity::Unguarded
        }
    }
}

/// A failure to read the next record.
pub(super) enum ReadFault {
    Io(io::Error),
    Damage(Error),
}

impl From<io::Error> for ReadFault {
    fn from(error: io::Error) -> ReadFault {
        ReadFault::Io(error)
    }
}

impl From<Error> for ReadFault {
    fn from(error: Error) -> ReadFault {
        ReadFault::Damage(error)
    }
}

impl Reader {
    /// Starts the next member or data frame and returns it, or `None` at the end of the input or
    /// range.
    pub(super) fn start_member(&mut self) -> Result<Option<Member>, ReadFault> {
        loop {
            let offset = self.next_offset;
            // After damage, reading continues past the end of the range, to an offset at which the
            // result of the next reader does not depend on the bytes before.
            if offset >= self.range_end && self.decoder.budget.has_zero_counts_at(offset) {
                return Ok(None);
            }
            if self.decoder.source.fill(8)? == 0 {
                return Ok(None);
            }
            let head = self.decoder.source.unread();
            if head[0] == 0 {
                self.skip_padding(offset)?;
                return Ok(None);
            }
            let is_zstd = self.decoder.compression == Compression::Zstd;
            let start = if is_zstd {
                parse_frame_start(head)
            } else if gzip::may_start_member(head) {
                FrameStart::Data
            } else {
                FrameStart::Other
            };
            let fault = match start {
                FrameStart::Data => {
                    let has_checksum = !is_zstd || has_checksum(head);
                    return Ok(Some(self.decode_member(Member::new(offset, has_checksum))?));
                }
                FrameStart::Skippable(bytes) => {
                    self.skip_frame(offset, bytes)?;
                    continue;
                }
                FrameStart::Incomplete => ErrorKind::Truncated,
                FrameStart::Other => ErrorKind::Garbage,
            };
            return Err(self.resync_from(fault, offset, offset + 1));
        }
    }

    /// Skips the zeros at `offset`, to the end of the input.
    ///
    /// Zeros that fill the last block of the input are padding. Any others may be the remains of
    /// lost data, and are a fault.
    fn skip_padding(&mut self, offset: u64) -> Result<(), ReadFault> {
        while self.decoder.source.fill(1)? > 0 {
            let unread = self.decoder.source.unread();
            let zeros = unread.iter().take_while(|&&byte| byte == 0).count();
            let is_all_zeros = zeros == unread.len();
            self.decoder.source.consume(zeros);
            if !is_all_zeros {
                let from = self.decoder.source.offset();
                return Err(self.resync_from(ErrorKind::Garbage, offset, from));
            }
        }
        self.next_offset = self.decoder.source.offset();
        let is_padding = self.next_offset.is_multiple_of(PADDING_BLOCK_BYTES)
            && self.next_offset - offset < PADDING_BLOCK_BYTES;
        if is_padding {
            Ok(())
        } else {
            Err(Error::damage(ErrorKind::Garbage, offset, self.next_offset).into())
        }
    }

    /// Starts to decompress `member`, at the position of the source: in one call if possible.
    fn decode_member(&mut self, mut member: Member) -> Result<Member, ReadFault> {
        self.decoder.source.keep_from_here();
        self.bytes_to_record_end = 0;
        let is_whole = match self.decoder.compression {
            Compression::Gzip => self.decode_whole_member()?,
            _ => self.decode_whole_frame()?,
        };
        if is_whole {
            member.integrity = Some(member.integrity_if_valid());
        } else {
            self.decoder.start_member();
            self.buffer.restart(0);
        }
        self.member = Some(member);
        Ok(member)
    }

    /// Skips the skippable frame at `offset`, which has `bytes` bytes according to its header.
    ///
    /// A damaged length may include the frames that follow. The content is therefore searched for
    /// frames that decompress to `WARC/`, and reading continues at the first one. The content of a
    /// valid skippable frame, such as metadata, an offset table or a dictionary, has none.
    fn skip_frame(&mut self, offset: u64, bytes: u64) -> Result<(), ReadFault> {
        let end = offset.saturating_add(bytes);
        if offset == 0
            && let Some(dictionary_end) = self.decoder.dictionary_end()
        {
            self.decoder.source.skip(dictionary_end)?;
            self.next_offset = dictionary_end;
            return if dictionary_end == end {
                Ok(())
            } else {
                Err(Error::damage(ErrorKind::BadDictionary, 0, dictionary_end).into())
            };
        }
        self.decoder.source.keep_from_here();
        let search = find_next_member(&mut self.decoder, offset + 1, end)?;
        if search.found.is_some() {
            return Err(self.fault_after_search(ErrorKind::Corrupt, offset, search));
        }
        if self.decoder.source.offset() < end {
            return Err(self.fault_after_search(ErrorKind::Truncated, offset, search));
        }
        self.decoder.source.seek(end)?;
        self.next_offset = end;
        match search.unsearched {
            Some(unsearched) => Err(Error::damage(ErrorKind::Unsearched, unsearched, end).into()),
            None => Ok(()),
        }
    }

    /// Decompresses the gzip member at the position of the source in one call. Returns false, and
    /// does not move, if the member is too large or damaged.
    fn decode_whole_member(&mut self) -> io::Result<bool> {
        let max = self.limits.max_member_bytes;
        let mut size = self
            .buffer
            .capacity()
            .clamp(INITIAL_MEMBER_BUFFER_BYTES.min(max), max);
        loop {
            let unread = self.decoder.source.unread();
            let tried_bytes = unread.len();
            // The limit applies even if the buffer holds more bytes: which decoder reads a member must
            // not depend on the state of the buffer.
            let input = &unread[..tried_bytes.min(MAX_WHOLE_MEMBER_BYTES)];
            let output = &mut self.buffer.reserve_output(size)[..size];
            match self.libdeflate.decode_member(input, output) {
                LibdeflateResult::Complete {
                    compressed_bytes,
                    decoded_bytes,
                } => {
                    self.decoder.source.consume(compressed_bytes);
                    self.buffer.set_whole_member(decoded_bytes);
                    return Ok(true);
                }
                LibdeflateResult::OutputFull if size < max => size = (size * 2).min(max),
                LibdeflateResult::OutputFull => return Ok(false),
                // The buffer may hold only a part of the member.
                LibdeflateResult::Invalid => {
                    if tried_bytes >= MAX_WHOLE_MEMBER_BYTES
                        || self.decoder.source.read_more(MAX_WHOLE_MEMBER_BYTES)? == tried_bytes
                    {
                        return Ok(false);
                    }
                }
            }
        }
    }

    /// Decompresses the zstd frame at the position of the source in one call. Returns false, and
    /// does not move, if the frame is too large or damaged.
    fn decode_whole_frame(&mut self) -> io::Result<bool> {
        let size = MAX_WHOLE_FRAME_DECODED_BYTES.min(self.limits.max_member_bytes);
        let output = &mut self.buffer.reserve_output(size)[..size];
        match self.decoder.decode_whole_frame(output)? {
            Some(decoded_bytes) => self.buffer.set_whole_member(decoded_bytes),
            None => return Ok(false),
        }
        Ok(true)
    }

    /// Finishes a valid member.
    pub(super) fn finish_member(&mut self) {
        self.next_offset = self.decoder.source.offset();
        self.member = None;
    }

    /// Abandons a member that cannot be decompressed any further, and returns its fault. Reading
    /// continues at the next member, which may start inside the abandoned one.
    pub(super) fn abandon_member(&mut self, kind: ErrorKind) -> ReadFault {
        let offset = self.member.map_or(self.next_offset, |member| member.offset);
        let valid_records = self.member.map_or(0, |member| member.valid_records);
        self.decoder.count_failed_member();
        match self.resync_from(kind, offset, offset + 1) {
            ReadFault::Damage(error) => error.with_records_before(valid_records).into(),
            io => io,
        }
    }

    /// Returns the fault for damage at the decoded offset `from` of the member. Reading continues
    /// at the next record of the member after the cursor, or at the next member.
    ///
    /// `kind` is the fault of the record at the cursor, or `None` if there is no record.
    pub(super) fn resync_in_member(&mut self, kind: Option<ErrorKind>, from: u64) -> ReadFault {
        match self.try_resync_in_member(kind, from) {
            Ok(error) => error.into(),
            Err(fault) => fault,
        }
    }

    /// Does the work of [`resync_in_member`](Self::resync_in_member). Both `Ok` and `Err` are the
    /// fault to report.
    fn try_resync_in_member(
        &mut self,
        kind: Option<ErrorKind>,
        from: u64,
    ) -> Result<Error, ReadFault> {
        let Some(member) = self.member else {
            return Err(
                Error::damage(ErrorKind::Garbage, self.next_offset, self.next_offset).into(),
            );
        };
        if let Some(DecodedEnd::Damaged(kind)) = self.buffer.end() {
            return Err(self.abandon_member(kind));
        }
        let is_only_fault = !member.is_faulty && member.records == u32::from(kind.is_some());
        let unsupported = UnsupportedFormat::detect_in_member(self.buffer.unread());
        let is_found = find_next_record(&mut self.buffer, &mut self.decoder, 1, u64::MAX)?;
        if let Some(DecodedEnd::Damaged(kind)) = self.buffer.end()
            && !is_found
        {
            return Err(self.abandon_member(kind));
        }
        if is_found || !is_only_fault {
            self.member = Some(Member {
                is_faulty: true,
                ..member
            });
            let range = DamagedRange {
                offset: from,
                bytes: self.buffer.offset() - from,
            };
            let kind = kind.unwrap_or(ErrorKind::Garbage);
            return Ok(Error::damage_in_member(kind, member.offset, range));
        }
        // The member has no other record, so the whole member is the fault.
        self.finish_member();
        match kind {
            Some(kind) => Ok(Error::damage(kind, member.offset, self.next_offset)),
            None => {
                let kind = unsupported.map_or(ErrorKind::NotWarc, ErrorKind::Unsupported);
                Err(self.resync_from(kind, member.offset, self.next_offset))
            }
        }
    }

    /// Returns the fault for damage at `offset`. Reading continues at the first member that starts
    /// at `from` or later.
    fn resync_from(&mut self, kind: ErrorKind, offset: u64, from: u64) -> ReadFault {
        self.member = None;
        match find_next_member(&mut self.decoder, from, u64::MAX) {
            Ok(search) => self.fault_after_search(kind, offset, search),
            Err(error) => ReadFault::Io(error),
        }
    }

    /// Returns the fault for damage at `offset` after a search. Reading continues at the position
    /// of the source.
    ///
    /// A range that was not searched is a fault of its own, reported by the next call.
    fn fault_after_search(
        &mut self,
        kind: ErrorKind,
        offset: u64,
        search: MemberSearch,
    ) -> ReadFault {
        self.next_offset = self.decoder.source.offset();
        let Some(unsearched) = search.unsearched else {
            return Error::damage(kind, offset, self.next_offset).into();
        };
        let pending = Error::damage(ErrorKind::Unsearched, unsearched, self.next_offset);
        self.pending_fault = Some(pending);
        Error::damage(kind, offset, unsearched).into()
    }
}

//! Parsing of one record and validation of its end.
//!
//! `Content-Length` is trusted only if what follows the block confirms it: the next record, or the
//! valid end of the member or archive. A wrong length that leads to the end of a later record
//! cannot be recognized.

use std::io;

use super::Reader;
use crate::decode::Compression;
use crate::decode::buffer::DecodedEnd;
use crate::error::ErrorKind;
use crate::header::{self, HeaderFields, ParsedHeader};
use crate::record::{Integrity, Record, RecordLocation};
use crate::record_start::{find_record, is_partial_record_start, is_record_start};

/// The longest run of CR and LF after a record that is not a fault.
const MAX_LINE_END_BYTES: usize = 64 << 10;

/// The number of bytes in which the next record of a member is searched for if other bytes follow a
/// record and its two line ends.
const LOOK_AHEAD_BYTES: usize = 1 << 20;

/// If more bytes of a block than this are not read yet, the bytes after the block are examined before
/// the block is read.
const PEEK_MIN_UNREAD_BYTES: usize = 1 << 20;

/// The number of bytes after such a block that are examined. If all of them are line ends, more bytes are examined.
const PEEK_BYTES: usize = 4 << 10;

/// The number of bytes by which a search for a record inside a block advances.
const BLOCK_SEARCH_STEP_BYTES: usize = 64 << 10;

/// The number of bytes that two consecutive steps of the search inside a block have in common. They must hold the start
/// of a record by which it is recognized.
const BLOCK_SEARCH_OVERLAP_BYTES: usize = 8 << 10;

/// A failure to parse a record.
pub(super) enum RecordFault {
    Io(io::Error),
    Damage(ErrorKind),
}

impl From<io::Error> for RecordFault {
    fn from(error: io::Error) -> RecordFault {
        RecordFault::Io(error)
    }
}

impl From<ErrorKind> for RecordFault {
    fn from(kind: ErrorKind) -> RecordFault {
        RecordFault::Damage(kind)
    }
}

/// The current record: lengths of its parts in the decoded bytes, and buffers for parts that are
/// changed or no longer in the decoded bytes.
#[derive(Default)]
pub(super) struct CurrentRecord {
    layout: RecordLayout,
    fields: HeaderFields,
    /// The header with each folded value on one line, if the record has folded values.
    unfolded_header: Vec<u8>,
    /// The header of a record whose block is larger than the limit, and the first part of the block.
    truncated_record: Vec<u8>,
}

impl CurrentRecord {
    /// Makes the current record empty.
    pub(super) fn clear(&mut self) {
        self.layout = RecordLayout::default();
        self.fields.clear();
    }

    /// Makes the current record empty and frees the memory of a large block.
    pub(super) fn release_memory(&mut self) {
        self.clear();
        self.truncated_record = Vec::new();
    }

    /// Returns the record. `decoded` are the decoded bytes from its start on.
    pub(super) fn as_record<'a>(&'a self, decoded: &'a [u8]) -> Record<'a> {
        let layout = &self.layout;
        let bytes = if layout.is_truncated {
            &self.truncated_record
        } else {
            decoded
        };
        let (header, rest) = bytes.split_at(layout.header_bytes);
        Record {
            header: if layout.is_folded {
                &self.unfolded_header
            } else {
                header
            },
            fields: &self.fields,
            block: &rest[..layout.block_bytes],
            content_length: layout.content_length,
            location: layout.location,
            has_length_quirk: layout.has_length_quirk,
            integrity: layout.integrity,
        }
    }
}

/// The lengths and properties of the current record.
#[derive(Clone, Copy, Debug, Default)]
struct RecordLayout {
    header_bytes: usize,
    /// The number of bytes of the block that are kept.
    block_bytes: usize,
    content_length: u64,
    /// True if the header has folded values.
    is_folded: bool,
    /// True if the block is larger than the limit, so that only its first part was copied.
    is_truncated: bool,
    has_length_quirk: bool,
    location: RecordLocation,
    integrity: Integrity,
}

/// The bytes that follow a block.
#[derive(Clone, Copy)]
struct BlockTail {
    kind: TailKind,
    /// The number of CR and LF after the block.
    line_end_bytes: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TailKind {
    /// The next record.
    Record,
    /// The valid end of the member or input.
    End,
    /// Other bytes, after two line ends.
    Garbage,
    /// Other bytes, directly after the block.
    Data,
    /// Bytes that cannot be decoded.
    Damage,
}

impl Reader {
    /// Parses the record at the cursor, which starts with `WARC/`, and validates its end.
    pub(super) fn parse_record(&mut self) -> Result<(), RecordFault> {
        let start = self.buffer.offset();
        let mut layout = self.parse_header()?;
        if let Some(kind) = self.check_bytes_after_block(&layout)? {
            return Err(kind.into());
        }
        let block_end = self.read_block(&layout)?;
        let tail = self.validate_end(&mut layout, block_end)?;
        layout.integrity = self.determine_integrity()?;
        layout.location = self.count_record(&layout, start, block_end, tail);
        self.bytes_to_record_end = block_end + tail.line_end_bytes;
        self.record.layout = layout;
        Ok(())
    }

    /// Parses the header of the record at the cursor.
    fn parse_header(&mut self) -> Result<RecordLayout, RecordFault> {
        let max_header_bytes = self.limits.max_header_bytes;
        let fields = &mut self.record.fields;
        let (header_bytes, is_folded) = loop {
            let unread_len = self.buffer.unread().len();
            let examined_len = unread_len.min(max_header_bytes);
            match header::parse(&self.buffer.unread()[..examined_len], fields) {
                ParsedHeader::Complete { bytes, is_folded } => break (bytes, is_folded),
                ParsedHeader::Invalid(kind) => return Err(kind.into()),
                ParsedHeader::Incomplete
                    if examined_len < unread_len || examined_len == max_header_bytes =>
                {
                    return Err(ErrorKind::HeaderTooLong.into());
                }
                ParsedHeader::Incomplete => {
                    if !self
                        .buffer
                        .ensure_unread(&mut self.decoder, unread_len + 1)?
                    {
                        return Err(ErrorKind::Truncated.into());
                    }
                }
            }
        };
        let header = &self.buffer.unread()[..header_bytes];
        // The header in a valid member is what was written. In an uncompressed file, a NUL shows
        // that a block of the disk was lost.
        let is_uncompressed = self.decoder.compression == Compression::None;
        if is_uncompressed && memchr::memchr(0, header).is_some() {
            return Err(ErrorKind::BadHeader.into());
        }
        let header = if is_folded {
            header::unfold(header, &mut self.record.unfolded_header);
            header::parse(&self.record.unfolded_header, fields);
            &self.record.unfolded_header
        } else {
            header
        };
        let content_length = header::parse_content_length(header, fields)?;
        let is_truncated = content_length > self.limits.max_block_bytes as u64;
        Ok(RecordLayout {
            header_bytes,
            block_bytes: if is_truncated {
                self.limits.max_block_bytes
            } else {
                content_length as usize
            },
            content_length,
            is_folded,
            is_truncated,
            ..RecordLayout::default()
        })
    }

    /// Reads the block, and returns its end as an index after the cursor.
    ///
    /// If the block is larger than the limit, copies its first part and moves the cursor to its
    /// end. The result is then 0.
    fn read_block(&mut self, layout: &RecordLayout) -> Result<usize, RecordFault> {
        let block_end = layout.header_bytes + layout.block_bytes;
        let mut is_complete = self.buffer.ensure_unread(&mut self.decoder, block_end)?;
        if is_complete && layout.is_truncated {
            let truncated_record = &mut self.record.truncated_record;
            truncated_record.clear();
            truncated_record.extend_from_slice(&self.buffer.unread()[..block_end]);
            let record_bytes = (layout.header_bytes as u64).saturating_add(layout.content_length);
            is_complete = self.buffer.skip(&mut self.decoder, record_bytes)?;
        }
        if is_complete {
            return Ok(if layout.is_truncated { 0 } else { block_end });
        }
        // The block of the first record in a valid member is too short only if its length is wrong.
        let is_first_in_member = self.member.is_some_and(|member| member.records == 0);
        Err(RecordFault::Damage(if is_first_in_member {
            ErrorKind::BadContentLength
        } else {
            ErrorKind::Truncated
        }))
    }

    /// Returns what follows the block that ends at `block_end`, if this confirms its length.
    ///
    /// Extends the block of a record whose length is known to be two bytes too small.
    fn validate_end(
        &mut self,
        layout: &mut RecordLayout,
        block_end: usize,
    ) -> Result<BlockTail, RecordFault> {
        let mut tail = self.read_block_tail(block_end)?;
        let is_first_in_member = self.member.is_some_and(|member| member.records == 0);
        if is_first_in_member {
            if self.has_length_quirk(layout, block_end, tail)? {
                layout.block_bytes += 2;
                layout.has_length_quirk = true;
                tail = BlockTail {
                    kind: TailKind::End,
                    line_end_bytes: 6,
                };
            } else if tail.kind == TailKind::Garbage {
                // If no other record follows in the member, the garbage belongs to this record, and its length is
                // wrong.
                let from = block_end + tail.line_end_bytes;
                self.buffer
                    .ensure_unread(&mut self.decoder, from + LOOK_AHEAD_BYTES)?;
                let ahead = &self.buffer.unread()[from..];
                if find_record(&ahead[..ahead.len().min(LOOK_AHEAD_BYTES)]).is_none() {
                    tail.kind = TailKind::Data;
                }
            }
        }
        // A length that leads into a later record would hide the records before that.
        let block = if layout.is_truncated {
            &self.record.truncated_record[layout.header_bytes..]
        } else {
            &self.buffer.unread()[layout.header_bytes..block_end]
        };
        if tail.kind == TailKind::Garbage && find_record(block).is_some() {
            tail.kind = TailKind::Data;
        }
        match tail.kind {
            TailKind::Record | TailKind::End | TailKind::Garbage => Ok(tail),
            TailKind::Data | TailKind::Damage => Err(ErrorKind::BadContentLength.into()),
        }
    }

    /// Returns true if the first record of a member has a length that is two bytes too small, as in
    /// CC-MAIN-2018-34: exactly two bytes and two line ends follow its block in the member.
    fn has_length_quirk(
        &mut self,
        layout: &RecordLayout,
        block_end: usize,
        tail: BlockTail,
    ) -> io::Result<bool> {
        Ok(!layout.is_truncated
            && tail.kind != TailKind::Record
            && !self
                .buffer
                .ensure_unread(&mut self.decoder, block_end + 7)?
            && self.buffer.end() == Some(DecodedEnd::Valid)
            && self.buffer.unread()[block_end..].len() == 6
            && self.buffer.unread().ends_with(b"\r\n\r\n"))
    }

    /// Returns whether a checksum confirms the bytes of the current member.
    ///
    /// If several records share a member that is decompressed step by step, its end is not reached
    /// yet. The rest of it is then decompressed once for its checksum, and again for its records.
    fn determine_integrity(&mut self) -> io::Result<Integrity> {
        let Some(member) = &mut self.member else {
            return Ok(Integrity::Unguarded);
        };
        if let Some(known) = member.integrity {
            return Ok(known);
        }
        let is_valid = match self.buffer.end() {
            Some(DecodedEnd::Valid) => Some(true),
            Some(DecodedEnd::Damaged(_)) => Some(false),
            None => self.decoder.verify_member_end()?,
        };
        let integrity = match is_valid {
            Some(true) => member.integrity_if_valid(),
            Some(false) => Integrity::Damaged,
            None => Integrity::Unknown,
        };
        member.integrity = Some(integrity);
        Ok(integrity)
    }

    /// Counts a valid record in its member and returns its location.
    fn count_record(
        &mut self,
        layout: &RecordLayout,
        start: u64,
        block_end: usize,
        tail: BlockTail,
    ) -> RecordLocation {
        match &mut self.member {
            Some(member) => {
                let is_alone = member.records == 0 && tail.kind == TailKind::End;
                let index_in_member = member.records;
                member.records = member.records.saturating_add(1);
                member.valid_records = member.valid_records.saturating_add(1);
                RecordLocation {
                    offset: member.offset,
                    length: is_alone.then(|| self.decoder.source.offset() - member.offset),
                    index_in_member,
                }
            }
            None => {
                let line_ends = &self.buffer.unread()[block_end..block_end + tail.line_end_bytes];
                let end_bytes = two_line_end_bytes(line_ends) as u64;
                RecordLocation {
                    offset: start,
                    length: Some(layout.header_bytes as u64 + layout.content_length + end_bytes),
                    index_in_member: 0,
                }
            }
        }
    }

    /// Returns what follows the block that ends at `block_end`.
    fn read_block_tail(&mut self, block_end: usize) -> io::Result<BlockTail> {
        let mut line_end_bytes = 0;
        loop {
            let next = block_end + line_end_bytes;
            if !self.buffer.ensure_unread(&mut self.decoder, next + 1)? {
                let kind = match self.buffer.end() {
                    Some(DecodedEnd::Damaged(_)) => TailKind::Damage,
                    _ => TailKind::End,
                };
                return Ok(BlockTail {
                    kind,
                    line_end_bytes,
                });
            }
            let rest = &self.buffer.unread()[next..];
            let rest = &rest[..rest.len().min(MAX_LINE_END_BYTES - line_end_bytes)];
            let more = count_line_end_bytes(rest);
            line_end_bytes += more;
            if more < rest.len() || more == 0 {
                break;
            }
        }
        let next = block_end + line_end_bytes;
        let is_long_enough = self.buffer.ensure_unread(&mut self.decoder, next + 5)?;
        let is_damaged =
            !is_long_enough && matches!(self.buffer.end(), Some(DecodedEnd::Damaged(_)));
        let after_block = &self.buffer.unread()[block_end..];
        let kind = if is_damaged {
            // There are too few bytes to distinguish a record from a product of the damage.
            TailKind::Damage
        } else {
            classify_tail(after_block, line_end_bytes)
        };
        Ok(BlockTail {
            kind,
            line_end_bytes,
        })
    }

    /// Returns the fault of a record with a large block in an uncompressed file, if the bytes after
    /// the block show it.
    ///
    /// Without this check, a block of the stated length would be read for each of many records with
    /// wrong lengths. The result is the one that reading the block would give.
    fn check_bytes_after_block(&mut self, layout: &RecordLayout) -> io::Result<Option<ErrorKind>> {
        let source = &mut self.decoder.source;
        let is_uncompressed_file =
            self.decoder.compression == Compression::None && source.can_seek();
        let peek_threshold = (self.buffer.unread().len() + PEEK_MIN_UNREAD_BYTES) as u64;
        let block_end = layout
            .content_length
            .saturating_add(layout.header_bytes as u64);
        if !is_uncompressed_file || block_end <= peek_threshold {
            return Ok(None);
        }
        let offset = self.buffer.offset().saturating_add(block_end);
        if source.length().is_some_and(|length| offset > length) {
            return Ok(Some(ErrorKind::Truncated));
        }
        let mut bytes = vec![0; PEEK_BYTES];
        let mut peeked_bytes = source.peek(offset, &mut bytes)?;
        if peeked_bytes == bytes.len() && count_line_end_bytes(&bytes) + 8 > peeked_bytes {
            bytes.resize(MAX_LINE_END_BYTES + PEEK_BYTES, 0);
            peeked_bytes = source.peek(offset, &mut bytes)?;
        }
        let after_block = &bytes[..peeked_bytes];
        let line_end_bytes = count_line_end_bytes(after_block).min(MAX_LINE_END_BYTES);
        if after_block.len() == line_end_bytes {
            return Ok(None);
        }
        match classify_tail(after_block, line_end_bytes) {
            TailKind::Data => Ok(Some(ErrorKind::BadContentLength)),
            TailKind::Garbage if self.has_record_in_block(layout)? => {
                Ok(Some(ErrorKind::BadContentLength))
            }
            _ => Ok(None),
        }
    }

    /// Returns true if a record starts in the part of the block that would be kept, which shows that
    /// the length is wrong. Reads the block only up to that record.
    fn has_record_in_block(&mut self, layout: &RecordLayout) -> io::Result<bool> {
        let header_bytes = layout.header_bytes;
        let block_end = header_bytes + layout.block_bytes;
        let (mut from, mut to) = (header_bytes, header_bytes);
        while to < block_end {
            to = block_end.min(to + BLOCK_SEARCH_STEP_BYTES);
            if !self.buffer.ensure_unread(&mut self.decoder, to)? {
                break;
            }
            if find_record(&self.buffer.unread()[from..to]).is_some() {
                return Ok(true);
            }
            from = to
                .saturating_sub(BLOCK_SEARCH_OVERLAP_BYTES)
                .max(header_bytes);
        }
        Ok(false)
    }
}

/// Returns the kind of the bytes after a block, of which the first `line_end_bytes` are CR and LF.
fn classify_tail(after_block: &[u8], line_end_bytes: usize) -> TailKind {
    let next = &after_block[line_end_bytes..];
    if is_record_start(next) || is_partial_record_start(next) {
        TailKind::Record
    } else if after_block.starts_with(b"\r\n\r\n") {
        TailKind::Garbage
    } else {
        TailKind::Data
    }
}

/// Returns the number of CR and LF at the start of `bytes`.
fn count_line_end_bytes(bytes: &[u8]) -> usize {
    let is_line_end = |byte: u8| matches!(byte, b'\r' | b'\n');
    // Whole chunks are tested without a branch per byte, because hostile input can make every record
    // count the same long run of line ends.
    let (chunks, _) = bytes.as_chunks::<64>();
    let is_all_line_ends = |chunk: &&[u8; 64]| {
        chunk
            .iter()
            .fold(true, |all, &byte| all & is_line_end(byte))
    };
    let whole = chunks.iter().take_while(is_all_line_ends).count() * 64;
    let rest = bytes[whole..].iter().take_while(|&&byte| is_line_end(byte));
    whole + rest.count()
}

/// Returns the length of the first two line ends in a run of CR and LF.
fn two_line_end_bytes(run: &[u8]) -> usize {
    run.iter()
        .enumerate()
        .filter(|&(_, &byte)| byte == b'\n')
        .nth(1)
        .map_or(run.len().min(4), |(index, _)| index + 1)
}

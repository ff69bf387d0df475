//! Decompressed bytes with a cursor.
//!
//! The buffer holds either a whole member or the part of the input around the cursor.

use std::io;

use super::decoder::Decoder;
use super::{Compression, DecodeStep, enlarge};
use crate::error::ErrorKind;
use crate::record_start::trim_leading_line_ends;

/// The smallest space that is passed to a decoder for its output.
const MIN_OUTPUT_BYTES: usize = 64 << 10;

/// The end of the decompressed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecodedEnd {
    /// The member, frame or uncompressed input is valid to its end.
    Valid,
    /// Nothing more can be decoded.
    Damaged(ErrorKind),
}

/// Decompressed bytes with a cursor.
///
/// Indices are relative to the cursor, because bytes before the cursor may be dropped when more
/// bytes are decoded.
pub(crate) struct DecodedBuffer {
    buffer: Vec<u8>,
    cursor: usize,
    len: usize,
    /// The decoded offset of `buffer[0]`.
    base: u64,
    end: Option<DecodedEnd>,
}

impl DecodedBuffer {
    /// Returns a buffer that is empty and at its end.
    pub(crate) fn new() -> DecodedBuffer {
        DecodedBuffer {
            buffer: Vec::new(),
            cursor: 0,
            len: 0,
            base: 0,
            end: Some(DecodedEnd::Valid),
        }
    }

    /// Drops all bytes and starts at the decoded offset `base`.
    pub(crate) fn restart(&mut self, base: u64) {
        (self.cursor, self.len, self.base, self.end) = (0, 0, base, None);
    }

    /// Returns the whole buffer for a decoder to write to, after enlarging it to at least `size` bytes.
    pub(crate) fn reserve_output(&mut self, size: usize) -> &mut [u8] {
        if self.buffer.len() < size {
            enlarge(&mut self.buffer, size);
        }
        &mut self.buffer
    }

    /// Returns the size of the whole buffer in bytes, including unused space.
    pub(crate) fn capacity(&self) -> usize {
        self.buffer.len()
    }

    /// Drops all bytes and frees memory beyond `size`.
    pub(crate) fn shrink(&mut self, size: usize) {
        self.restart(0);
        self.buffer.truncate(size);
        self.buffer.shrink_to(size);
    }

    /// Makes the first `len` bytes of the buffer the content of a whole and valid member.
    pub(crate) fn set_whole_member(&mut self, len: usize) {
        (self.cursor, self.len, self.base, self.end) = (0, len, 0, Some(DecodedEnd::Valid));
    }

    /// Returns the decoded bytes from the cursor on.
    pub(crate) fn unread(&self) -> &[u8] {
        &self.buffer[self.cursor..self.len]
    }

    /// Returns the decoded offset of the cursor.
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.cursor as u64
    }

    /// Returns the end of the decoded bytes, if it was reached.
    pub(crate) fn end(&self) -> Option<DecodedEnd> {
        self.end
    }

    /// Moves the cursor over `count` decoded bytes.
    pub(crate) fn advance(&mut self, count: usize) {
        debug_assert!(count <= self.len - self.cursor);
        self.cursor += count;
    }

    /// Returns true if the byte at `index` after the cursor is the first of a line.
    pub(crate) fn is_line_start(&self, index: usize) -> bool {
        match (self.cursor + index).checked_sub(1) {
            Some(before) => self.buffer[before] == b'\n',
            None => self.base == 0,
        }
    }

    /// Decodes until there are `count` bytes after the cursor. Returns false if the bytes end
    /// before that.
    pub(crate) fn ensure_unread(
        &mut self,
        decoder: &mut Decoder,
        count: usize,
    ) -> io::Result<bool> {
        while self.len - self.cursor < count {
            if !self.decode_more(decoder)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Decodes some more bytes. Returns false at the end.
    #[cold]
    fn decode_more(&mut self, decoder: &mut Decoder) -> io::Result<bool> {
        if self.end.is_some() {
            return Ok(false);
        }
        if self.buffer.len() - self.len < MIN_OUTPUT_BYTES {
            // The byte before the cursor stays: it determines whether a line starts at the cursor.
            let keep_start = self.cursor.saturating_sub(1);
            self.buffer.copy_within(keep_start..self.len, 0);
            self.base += keep_start as u64;
            self.cursor -= keep_start;
            self.len -= keep_start;
            if self.buffer.len() - self.len < MIN_OUTPUT_BYTES {
                let size = (self.buffer.len() * 2).max(4 * MIN_OUTPUT_BYTES);
                enlarge(&mut self.buffer, size);
            }
        }
        match decoder.decode(&mut self.buffer[self.len..])? {
            DecodeStep::Bytes(count) => self.len += count,
            DecodeStep::End => self.end = Some(DecodedEnd::Valid),
            DecodeStep::Damaged(kind) => self.end = Some(DecodedEnd::Damaged(kind)),
        }
        Ok(self.end.is_none())
    }

    /// Moves the cursor over `count` bytes, which need not be decoded yet. Returns false if the input has
    /// fewer.
    pub(crate) fn skip(&mut self, decoder: &mut Decoder, mut count: u64) -> io::Result<bool> {
        loop {
            let unread_len = self.len - self.cursor;
            if count <= unread_len as u64 {
                self.cursor += count as usize;
                return Ok(true);
            }
            count -= unread_len as u64;
            self.cursor = self.len;
            if self.end.is_some() {
                return Ok(false);
            }
            if decoder.compression == Compression::None && decoder.source.can_seek() {
                let is_complete = decoder.source.skip(count)?;
                self.restart(decoder.source.offset());
                return Ok(is_complete);
            }
            self.decode_more(decoder)?;
        }
    }

    /// Moves the cursor over CR and LF.
    pub(crate) fn skip_line_ends(&mut self, decoder: &mut Decoder) -> io::Result<()> {
        loop {
            self.cursor = self.len - trim_leading_line_ends(self.unread()).len();
            if self.cursor < self.len || !self.decode_more(decoder)? {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open_uncompressed(bytes: Vec<u8>) -> (DecodedBuffer, Decoder) {
        let mut decoder = Decoder::new(0);
        let stream = Box::new(io::Cursor::new(bytes));
        decoder.source.open_stream(stream);
        decoder.start(Compression::None).unwrap();
        let mut buffer = DecodedBuffer::new();
        buffer.restart(0);
        (buffer, decoder)
    }

    #[test]
    fn sliding_keeps_the_byte_before_the_cursor() {
        let mut bytes = b"WARC/".to_vec();
        bytes.resize(10 * MIN_OUTPUT_BYTES, b'x');
        bytes[5 * MIN_OUTPUT_BYTES - 1] = b'\n';
        let (mut buffer, mut decoder) = open_uncompressed(bytes);
        assert!(
            buffer
                .skip(&mut decoder, 5 * MIN_OUTPUT_BYTES as u64)
                .unwrap()
        );
        assert!(
            buffer
                .ensure_unread(&mut decoder, 5 * MIN_OUTPUT_BYTES)
                .unwrap()
        );
        assert!(buffer.is_line_start(0) && !buffer.is_line_start(1));
        assert!(
            !buffer
                .ensure_unread(&mut decoder, 5 * MIN_OUTPUT_BYTES + 1)
                .unwrap()
        );
        assert_eq!(buffer.offset(), 5 * MIN_OUTPUT_BYTES as u64);
        assert_eq!(buffer.end(), Some(DecodedEnd::Valid));
        assert!(
            !buffer
                .skip(&mut decoder, 5 * MIN_OUTPUT_BYTES as u64 + 1)
                .unwrap()
        );
    }

    #[test]
    fn any_number_of_line_ends_is_skipped() {
        let mut bytes = vec![b'\n'; 3 * MIN_OUTPUT_BYTES];
        bytes.extend_from_slice(b"WARC/");
        let (mut buffer, mut decoder) = open_uncompressed(bytes);
        buffer.skip_line_ends(&mut decoder).unwrap();
        assert_eq!(buffer.unread(), b"WARC/");
        buffer.advance(5);
        buffer.skip_line_ends(&mut decoder).unwrap();
        assert!(buffer.unread().is_empty());
    }
}

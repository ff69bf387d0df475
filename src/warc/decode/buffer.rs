//! Decoded bytes: of a member that was inflated whole, or sliding along one that is not.

use std::io;

use crate::compression::Compression;
use crate::decode::decoder::{Fed, Input};
use crate::detect::skip_line_ends;
use crate::error::ErrorKind;

/// The least that is asked of a decoder at once.
const CHUNK: usize = 64 << 10;

/// How decoded bytes ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The member, frame or plain input is sound to its end.
    Clean,
    /// Nothing more can be decoded.
    Damaged(ErrorKind),
}

/// A buffer of decoded bytes with a cursor.
///
/// Positions in it are counted from the cursor, because bytes before the
/// cursor may be dropped whenever more is decoded.
pub(crate) struct Text {
    buffer: Vec<u8>,
    cursor: usize,
    len: usize,
    /// Decoded offset of `buffer[0]`.
    base: u64,
    end: Option<End>,
}

impl Text {
    pub(crate) fn new() -> Text {
        Text {
            buffer: Vec::new(),
            cursor: 0,
            len: 0,
            base: 0,
            end: Some(End::Clean),
        }
    }

    /// Drops everything and begins at the decoded offset `base`.
    pub(crate) fn restart(&mut self, base: u64) {
        (self.cursor, self.len, self.base, self.end) = (0, 0, base, None);
    }

    /// Lends the whole buffer, of `size` bytes at least, to be filled from outside.
    pub(crate) fn space(&mut self, size: usize) -> &mut [u8] {
        if self.buffer.len() < size {
            self.buffer.resize(size, 0);
        }
        &mut self.buffer
    }

    /// The size of the buffer.
    pub(crate) fn size(&self) -> usize {
        self.buffer.len()
    }

    /// Gives back memory beyond `size`.
    pub(crate) fn shrink(&mut self, size: usize) {
        self.restart(0);
        self.buffer.truncate(size);
        self.buffer.shrink_to(size);
    }

    /// Takes the first `len` bytes of the buffer as a sound and whole member.
    pub(crate) fn set_whole(&mut self, len: usize) {
        (self.cursor, self.len, self.base, self.end) = (0, len, 0, Some(End::Clean));
    }

    /// The bytes from the cursor on that are decoded so far.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.buffer[self.cursor..self.len]
    }

    /// Decoded offset of the cursor.
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.cursor as u64
    }

    /// How the decoded bytes end, once that is seen.
    pub(crate) fn end(&self) -> Option<End> {
        self.end
    }

    /// Moves the cursor over bytes that are decoded.
    pub(crate) fn advance(&mut self, count: usize) {
        debug_assert!(count <= self.len - self.cursor);
        self.cursor += count;
    }

    /// Whether the octet before the one at `index` ends a line, or there is none before it.
    pub(crate) fn begins_line(&self, index: usize) -> bool {
        match (self.cursor + index).checked_sub(1) {
            Some(before) => self.buffer[before] == b'\n',
            None => self.base == 0,
        }
    }

    /// Decodes until `count` bytes stand after the cursor; false if there are not so many.
    pub(crate) fn need(&mut self, input: &mut Input, count: usize) -> io::Result<bool> {
        while self.len - self.cursor < count {
            if !self.pull(input)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Decodes some more bytes; false at the end.
    #[cold]
    fn pull(&mut self, input: &mut Input) -> io::Result<bool> {
        if self.end.is_some() {
            return Ok(false);
        }
        if self.buffer.len() - self.len < CHUNK {
            // The octet before the cursor stays: it tells whether a line begins.
            let floor = self.cursor.saturating_sub(1);
            self.buffer.copy_within(floor..self.len, 0);
            self.base += floor as u64;
            self.cursor -= floor;
            self.len -= floor;
            if self.buffer.len() - self.len < CHUNK {
                let size = (self.buffer.len() * 2).max(4 * CHUNK);
                self.buffer.resize(size, 0);
            }
        }
        match input.feed(&mut self.buffer[self.len..])? {
            Fed::Bytes(count) => self.len += count,
            Fed::End => self.end = Some(End::Clean),
            Fed::Damaged(kind) => self.end = Some(End::Damaged(kind)),
        }
        Ok(self.end.is_none())
    }

    /// Moves the cursor over `count` bytes, decoded or not; false if there are not so many.
    pub(crate) fn skip(&mut self, input: &mut Input, mut count: u64) -> io::Result<bool> {
        loop {
            let held = self.len - self.cursor;
            if count <= held as u64 {
                self.cursor += count as usize;
                return Ok(true);
            }
            count -= held as u64;
            self.cursor = self.len;
            if self.end.is_some() {
                return Ok(false);
            }
            if input.compression == Compression::None && input.window.can_seek() {
                let whole = input.window.skip(count)?;
                self.restart(input.window.offset());
                return Ok(whole);
            }
            self.pull(input)?;
        }
    }

    /// Moves the cursor over CR and LF.
    pub(crate) fn skip_line_ends(&mut self, input: &mut Input) -> io::Result<()> {
        loop {
            self.cursor = self.len - skip_line_ends(self.rest()).len();
            if self.cursor < self.len || !self.pull(input)? {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(bytes: Vec<u8>) -> (Text, Input) {
        let mut input = Input::new(0);
        input.open_stream(Box::new(io::Cursor::new(bytes))).unwrap();
        let mut text = Text::new();
        text.restart(0);
        (text, input)
    }

    #[test]
    fn bytes_before_the_cursor_make_room_and_the_one_before_it_stays() {
        let mut bytes = b"WARC/".to_vec();
        bytes.resize(10 * CHUNK, b'x');
        bytes[5 * CHUNK - 1] = b'\n';
        let (mut text, mut input) = plain(bytes);
        assert!(text.skip(&mut input, 5 * CHUNK as u64).unwrap());
        assert!(text.need(&mut input, 5 * CHUNK).unwrap());
        assert!(text.begins_line(0) && !text.begins_line(1));
        assert!(!text.need(&mut input, 5 * CHUNK + 1).unwrap());
        assert_eq!(text.offset(), 5 * CHUNK as u64);
        assert_eq!(text.end(), Some(End::Clean));
        assert!(!text.skip(&mut input, 5 * CHUNK as u64 + 1).unwrap());
    }

    #[test]
    fn line_ends_are_skipped_over_any_length() {
        let mut bytes = vec![b'\n'; 3 * CHUNK];
        bytes.extend_from_slice(b"WARC/");
        let (mut text, mut input) = plain(bytes);
        text.skip_line_ends(&mut input).unwrap();
        assert_eq!(text.rest(), b"WARC/");
        text.advance(5);
        text.skip_line_ends(&mut input).unwrap();
        assert!(text.rest().is_empty());
    }
}

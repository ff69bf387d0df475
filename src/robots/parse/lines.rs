//! Lines of a body, split as Google's parser splits them.
//!
//! CR, LF and CRLF each end a line. VT, FF, NEL and U+2028 are ordinary bytes. The last line is
//! always returned, even if it is empty: a body with `n` line ends has `n + 1` lines.

use memchr::memchr2;

/// The number of bytes of a line that Google's parser keeps: 2083 * 8 - 1. It ignores the rest of
/// the line.
pub const MAX_LINE_BYTES: usize = 2083 * 8 - 1;

/// The end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnding {
    /// A line feed.
    Lf,
    /// A carriage return and a line feed.
    CrLf,
    /// A lone carriage return.
    Cr,
    /// The end of the body.
    None,
}

/// A line of a body, without its line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The number of the line, from 1.
    pub no: u32,
    /// The offset of the first byte in the body.
    pub start: usize,
    /// The bytes of the line, without the line end.
    pub bytes: &'a [u8],
    /// The line end; [`LineEnding::None`] only for the last line.
    pub ending: LineEnding,
}

impl Line<'_> {
    /// Returns the offset of the line end in the body.
    #[inline]
    pub(crate) fn end(self) -> usize {
        self.start + self.bytes.len()
    }
}

/// An iterator over the lines of a body.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    body: &'a [u8],
    next_start: usize,
    no: u32,
    is_done: bool,
}

impl<'a> Lines<'a> {
    /// Returns the lines of `body` from the offset `start`, which skips a byte order mark.
    pub fn new(body: &'a [u8], start: usize) -> Self {
        Self {
            body,
            next_start: start,
            no: 0,
            is_done: false,
        }
    }

    /// Returns the bytes that have not been split yet, or `None` after the last line.
    #[inline]
    pub(crate) fn rest(&self) -> Option<&'a [u8]> {
        (!self.is_done).then(|| &self.body[self.next_start..])
    }

    /// Cuts off the first `len` bytes as a line. They must not contain a line end, and a line end
    /// or the end of the body must follow them.
    #[inline]
    pub(crate) fn cut_line(&mut self, len: usize) -> Line<'a> {
        let start = self.next_start;
        let (bytes, after) = self.body[start..].split_at(len);
        let (ending, ending_bytes) = match after {
            [b'\n', ..] => (LineEnding::Lf, 1),
            [b'\r', b'\n', ..] => (LineEnding::CrLf, 2),
            [_, ..] => (LineEnding::Cr, 1),
            [] => (LineEnding::None, 0),
        };
        self.is_done = after.is_empty();
        self.next_start = start + len + ending_bytes;
        self.no += 1;
        Line {
            no: self.no,
            start,
            bytes,
            ending,
        }
    }
}

/// Returns the length of the first line of `text` in bytes, without its line end.
#[inline]
pub(crate) fn line_len(text: &[u8]) -> usize {
    match text.first() {
        Some(b'\r' | b'\n') => 0,
        _ => memchr2(b'\r', b'\n', text).unwrap_or(text.len()),
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    #[inline]
    fn next(&mut self) -> Option<Line<'a>> {
        let len = line_len(self.rest()?);
        Some(self.cut_line(len))
    }
}

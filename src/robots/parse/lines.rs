//! Lines of a body, cut as Google's parser cuts them.
//!
//! CR, LF and CRLF each end a line; an LF belongs to the CR directly before
//! it. VT, FF, NEL and U+2028 are ordinary bytes. The last line is always
//! given, even when it is empty: `n` ended lines make `n + 1` lines.

use memchr::memchr2;

/// The bytes of a line that Google's parser keeps: 2083 * 8 - 1.
///
/// What stands beyond, up to the line's end, is invisible to it.
pub const LINE_BYTES_MAX: usize = 2083 * 8 - 1;

/// What ended a line.
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

/// A line as it stands in the body, without what ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Position in the file, from 1.
    pub no: u32,
    /// Offset of the first byte in the body.
    pub start: usize,
    /// The line's own bytes.
    pub bytes: &'a [u8],
    /// What ended it.
    pub ending: LineEnding,
}

impl Line<'_> {
    /// Offset of what ended it.
    #[inline]
    pub(crate) fn end(self) -> usize {
        self.start + self.bytes.len()
    }
}

/// The lines of a body, in order.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    body: &'a [u8],
    next: usize,
    no: u32,
    done: bool,
}

impl<'a> Lines<'a> {
    /// Reads `body` from `start` on, where a byte order mark has been passed.
    pub fn new(body: &'a [u8], start: usize) -> Self {
        Self {
            body,
            next: start,
            no: 0,
            done: false,
        }
    }

    /// What is still to be cut; `None` behind the last line.
    #[inline]
    pub(crate) fn rest(&self) -> Option<&'a [u8]> {
        (!self.done).then(|| &self.body[self.next..])
    }

    /// Cuts the first `len` bytes off as a line. They must hold no line end,
    /// and one must follow, or the end of the body.
    #[inline]
    pub(crate) fn cut(&mut self, len: usize) -> Line<'a> {
        let start = self.next;
        let (bytes, behind) = self.body[start..].split_at(len);
        let (ending, skip) = match behind {
            [b'\n', ..] => (LineEnding::Lf, 1),
            [b'\r', b'\n', ..] => (LineEnding::CrLf, 2),
            [_, ..] => (LineEnding::Cr, 1),
            [] => (LineEnding::None, 0),
        };
        self.done = behind.is_empty();
        self.next = start + len + skip;
        self.no += 1;
        Line {
            no: self.no,
            start,
            bytes,
            ending,
        }
    }
}

/// Where the first line of `text` ends.
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
        Some(self.cut(len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(body: &[u8]) -> Vec<&[u8]> {
        Lines::new(body, 0).map(|line| line.bytes).collect()
    }

    #[test]
    fn every_kind_of_end_ends_a_line() {
        assert_eq!(lines(b"a\rb\nc\r\nd"), [b"a", b"b", b"c", b"d"]);
    }

    #[test]
    fn the_last_line_is_given_even_when_empty() {
        assert_eq!(lines(b""), [b""]);
        assert_eq!(lines(b"a\n"), [b"a".as_slice(), b""]);
    }

    #[test]
    fn a_line_feed_belongs_to_the_return_directly_before_it() {
        assert_eq!(lines(b"a\r\r\nb"), [b"a".as_slice(), b"", b"b"]);
        assert_eq!(lines(b"\n\r"), [b"", b"", b""]);
    }

    #[test]
    fn other_separators_are_ordinary_bytes() {
        assert_eq!(lines(b"a\x0bb\x0cc\xc2\x85d").len(), 1);
    }
}

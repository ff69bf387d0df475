//! The lines of a header and the first colon of each, found in one pass.

/// The number of bytes that are searched at once.
const BLOCK_BYTES: usize = 64;

/// An iterator over the lines of a WARC or HTTP header, which end with a line feed.
///
/// Lines of a header are short, so that a separate search for each line end and each colon would cost
/// more than reading the bytes in between. This iterator finds all of them in a block of 64 bytes at once.
///
/// # Example
///
/// ```
/// let mut lines = warc::HeaderLines::new(b"A: b\nc\nrest");
/// let line = lines.next().unwrap();
/// assert_eq!((line.start, line.colon, line.end), (0, Some(1), 4));
/// assert_eq!(lines.next().map(|line| line.colon), Some(None));
/// assert_eq!(lines.next(), None);
/// ```
#[derive(Clone, Debug)]
pub struct HeaderLines<'a> {
    bytes: &'a [u8],
    /// The start of the next line.
    start: usize,
    /// The colons and line feeds of the current block that are not used yet, one bit for each byte.
    marks: u64,
    /// The offset of the first byte of the current block.
    block_start: usize,
    /// The offset after the current block; `usize::MAX` for the last block.
    block_end: usize,
}

/// A line of a header, as offsets in the bytes of its [`HeaderLines`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderLine {
    /// The offset of the first byte.
    pub start: usize,
    /// The offset of the first colon; `None` for a line without a colon.
    pub colon: Option<usize>,
    /// The offset of the line feed.
    pub end: usize,
}

impl<'a> HeaderLines<'a> {
    /// Returns the lines of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            start: 0,
            marks: 0,
            block_start: 0,
            block_end: 0,
        }
    }

    /// Returns the offset of the first byte after the lines that were returned.
    pub fn offset(&self) -> usize {
        self.start
    }

    /// Returns the offset of the next colon or line feed.
    #[inline(always)]
    fn next_mark(&mut self) -> Option<usize> {
        while self.marks == 0 {
            let rest = self.bytes.get(self.block_end..)?;
            self.block_start = self.block_end;
            if let Some(block) = rest.first_chunk() {
                self.marks = mark_colons_and_line_feeds(block);
                self.block_end += BLOCK_BYTES;
            } else {
                let mut block = [0; BLOCK_BYTES];
                block[..rest.len()].copy_from_slice(rest);
                self.marks = mark_colons_and_line_feeds(&block);
                // This is the last block.
                self.block_end = usize::MAX;
            }
        }
        let offset = self.block_start + self.marks.trailing_zeros() as usize;
        self.marks &= self.marks - 1;
        Some(offset)
    }
}

impl Iterator for HeaderLines<'_> {
    type Item = HeaderLine;

    /// Returns the next line; `None` if no line feed follows.
    #[inline]
    fn next(&mut self) -> Option<HeaderLine> {
        let mut colon = None;
        loop {
            let mark = self.next_mark()?;
            if self.bytes[mark] == b'\n' {
                let start = std::mem::replace(&mut self.start, mark + 1);
                let end = mark;
                return Some(HeaderLine { start, colon, end });
            }
            colon = colon.or(Some(mark));
        }
    }
}

/// Returns a number with a bit for each byte of `block`: the lowest bit is for the first byte. A bit is
/// set if its byte is a colon or a line feed.
#[inline(always)]
fn mark_colons_and_line_feeds(block: &[u8; BLOCK_BYTES]) -> u64 {
    // Multiplication moves the lowest bit of each of eight bytes into the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let mut flags = [0; BLOCK_BYTES];
    // The compiler compares 16 bytes at once.
    for (flag, &byte) in flags.iter_mut().zip(block) {
        *flag = u8::from((byte == b':') | (byte == b'\n'));
    }
    let (words, _) = flags.as_chunks::<8>();
    // One word after the other: the compiler would multiply vectors, which takes longer.
    words.iter().rev().fold(0, |marks, word| {
        (marks << 8) | (u64::from_le_bytes(*word).wrapping_mul(GATHER) >> 56)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_their_first_colons_are_found_at_any_offset() {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = |below: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed % below
        };
        for round in 0..20_000 {
            let alphabet = [b"\n:".as_slice(), b"\n:a", b"\n:\0\r;\x8a\xba9", b"a\n"][round % 4];
            let length = random(200);
            let bytes: Vec<u8> = (0..length)
                .map(|_| match random(9) {
                    0 => alphabet[random(alphabet.len() as u64) as usize],
                    _ => b'x',
                })
                .collect();
            let mut expected = Vec::new();
            let mut start = 0;
            for line in bytes.split_inclusive(|&byte| byte == b'\n') {
                if let [text @ .., b'\n'] = line {
                    let colon = text.iter().position(|&byte| byte == b':');
                    expected.push(HeaderLine {
                        start,
                        colon: colon.map(|colon| start + colon),
                        end: start + text.len(),
                    });
                    start += line.len();
                }
            }
            let mut lines = HeaderLines::new(&bytes);
            assert_eq!(lines.by_ref().collect::<Vec<_>>(), expected);
            assert_eq!(lines.offset(), start);
            assert_eq!(lines.next(), None);
        }
    }
}

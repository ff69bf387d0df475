//! Octets of a value that mean something, met on the way to its line's end.
//!
//! Most values are plain letters, so eight octets are looked at at once, and
//! only what stands out among them is looked up.

/// The marks of a text, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ByteClasses(u8);

impl ByteClasses {
    /// A blank or a tab.
    pub(super) const BLANK: Self = Self(1);
    pub(super) const QUERY: Self = Self(1 << 1);
    /// An octet that is not ASCII.
    pub(super) const HIGH: Self = Self(1 << 2);
    pub(super) const STAR: Self = Self(1 << 3);
    pub(super) const DOLLAR: Self = Self(1 << 4);
    pub(super) const PERCENT: Self = Self(1 << 5);
    /// What makes a line unusual: `#`, NUL, and the control blanks.
    pub(super) const ODD: Self = Self(1 << 6);
    const LINE_END: Self = Self(1 << 7);

    /// The marks of `text`.
    pub(super) fn of(text: &[u8]) -> Self {
        let mut marks = 0;
        for &byte in text {
            marks |= MARKS[usize::from(byte)];
        }
        Self(marks)
    }

    /// Reads `text` up to the first line end, and gives how long that is and
    /// the marks in it.
    #[inline(never)]
    pub(super) fn to_line_end(text: &[u8]) -> (usize, Self) {
        let mut marks = 0;
        let (words, rest) = text.as_chunks::<8>();
        for (at, word) in words.iter().enumerate() {
            let word = u64::from_le_bytes(*word);
            let mut met = standing_out(word);
            while met != 0 {
                let bits = met.trailing_zeros() & !7;
                let mark = MARKS[(word >> bits) as usize & 0xff];
                if mark == Self::LINE_END.0 {
                    return (at * 8 + bits as usize / 8, Self(marks));
                }
                marks |= mark;
                met &= met - 1;
            }
        }
        let whole = text.len() - rest.len();
        for (at, &byte) in rest.iter().enumerate() {
            let mark = MARKS[usize::from(byte)];
            if mark == Self::LINE_END.0 {
                return (whole + at, Self(marks));
            }
            marks |= mark;
        }
        (text.len(), Self(marks))
    }

    /// Whether any of `marks` is among them.
    #[inline(always)]
    pub(super) fn has(self, marks: Self) -> bool {
        self.0 & marks.0 != 0
    }
}

const MARKS: [u8; 256] = {
    let mut marks = [0; 256];
    marks[b' ' as usize] = ByteClasses::BLANK.0;
    marks[b'\t' as usize] = ByteClasses::BLANK.0;
    marks[b'?' as usize] = ByteClasses::QUERY.0;
    marks[b'*' as usize] = ByteClasses::STAR.0;
    marks[b'$' as usize] = ByteClasses::DOLLAR.0;
    marks[b'%' as usize] = ByteClasses::PERCENT.0;
    marks[b'#' as usize] = ByteClasses::ODD.0;
    marks[0] = ByteClasses::ODD.0;
    marks[0x0b] = ByteClasses::ODD.0;
    marks[0x0c] = ByteClasses::ODD.0;
    marks[b'\n' as usize] = ByteClasses::LINE_END.0;
    marks[b'\r' as usize] = ByteClasses::LINE_END.0;
    let mut byte = 0x80;
    while byte < 256 {
        marks[byte] = ByteClasses::HIGH.0;
        byte += 1;
    }
    marks
};

/// The top bit of every octet that has a mark: of those up to `*`, of `?`,
/// and of those above 0x7F. Some without a mark are among them.
#[inline(always)]
const fn standing_out(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    // What one octet borrows of the next can only add a bit.
    let up_to_star = word.wrapping_sub((b'*' as u64 + 1) * ONES);
    let query = (word ^ (b'?' as u64 * ONES)).wrapping_sub(ONES);
    (word | up_to_star | query) & (ONES << 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_octet_with_a_mark_stands_out() {
        for byte in 0..=255u8 {
            for place in 0..8 {
                for around in [b'a', b'?', 0, 0xff, b'*', b'+'] {
                    let mut word = [around; 8];
                    word[place] = byte;
                    let met = standing_out(u64::from_le_bytes(word)) >> (8 * place) & 0x80;
                    assert!(
                        met != 0 || MARKS[usize::from(byte)] == 0,
                        "{byte} at {place} among {around}"
                    );
                }
            }
        }
        assert_eq!(standing_out(u64::from_le_bytes(*b"/a-Z_9~+")), 0);
    }

    #[test]
    fn a_text_is_read_to_its_first_line_end() {
        for len in 0..30 {
            for end in [b'\n', b'\r'] {
                let mut text = vec![b'a'; 40];
                text[len] = end;
                text[len + 1] = b'?';
                let plain = ByteClasses::default();
                assert_eq!(ByteClasses::to_line_end(&text), (len, plain), "{len}");
                assert_eq!(
                    ByteClasses::to_line_end(&text[..len]),
                    (len, plain),
                    "{len}"
                );
                for byte in 0..=255 {
                    if len == 0 || byte == b'\n' || byte == b'\r' {
                        continue;
                    }
                    text[len / 2] = byte;
                    let found = ByteClasses::to_line_end(&text);
                    assert_eq!(
                        found,
                        (len, ByteClasses::of(&text[..len])),
                        "{byte} in {len}"
                    );
                }
            }
        }
    }
}

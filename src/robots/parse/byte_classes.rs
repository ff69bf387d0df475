//! Classes of bytes that need special treatment in a value. They are collected in the same pass
//! that finds the end of the line.
//!
//! Most values consist of plain letters. Eight bytes are tested at a time, and only bytes that may
//! have a class are looked up in a table.

/// A set of byte classes, one bit per class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ByteClasses(u8);

impl ByteClasses {
    /// A space or a tab.
    pub(super) const BLANK: Self = Self(1);
    /// A byte above 0x7F.
    pub(super) const HIGH: Self = Self(1 << 2);
    pub(super) const DOLLAR: Self = Self(1 << 4);
    pub(super) const PERCENT: Self = Self(1 << 5);
    /// Bytes that the fast path of the parser does not handle: `#`, NUL, vertical tab, form feed.
    pub(super) const UNUSUAL: Self = Self(1 << 6);
    const LINE_END: Self = Self(1 << 7);

    /// Returns the classes of the bytes of `text`.
    pub(super) fn classify(text: &[u8]) -> Self {
        let mut classes = 0;
        for &byte in text {
            classes |= CLASS_BY_BYTE[usize::from(byte)];
        }
        Self(classes)
    }

    /// Returns the length of `text` up to the first line end, and the classes of the bytes before
    /// it.
    #[inline(never)]
    pub(super) fn classify_to_line_end(text: &[u8]) -> (usize, Self) {
        let mut classes = 0;
        let (words, rest) = text.as_chunks::<8>();
        for (i, word) in words.iter().enumerate() {
            let word = u64::from_le_bytes(*word);
            let mut candidates = mark_classified_bytes(word);
            while candidates != 0 {
                let bit_offset = candidates.trailing_zeros() & !7;
                let class = CLASS_BY_BYTE[(word >> bit_offset) as usize & 0xff];
                if class == Self::LINE_END.0 {
                    return (i * 8 + bit_offset as usize / 8, Self(classes));
                }
                classes |= class;
                candidates &= candidates - 1;
            }
        }
        let words_len = text.len() - rest.len();
        for (i, &byte) in rest.iter().enumerate() {
            let class = CLASS_BY_BYTE[usize::from(byte)];
            if class == Self::LINE_END.0 {
                return (words_len + i, Self(classes));
            }
            classes |= class;
        }
        (text.len(), Self(classes))
    }

    /// Returns true if this set contains any of `classes`.
    #[inline(always)]
    pub(super) fn has_any(self, classes: Self) -> bool {
        self.0 & classes.0 != 0
    }
}

/// The class of each byte, or 0 if it has none.
const CLASS_BY_BYTE: [u8; 256] = {
    let mut classes = [0; 256];
    classes[b' ' as usize] = ByteClasses::BLANK.0;
    classes[b'\t' as usize] = ByteClasses::BLANK.0;
    classes[b'$' as usize] = ByteClasses::DOLLAR.0;
    classes[b'%' as usize] = ByteClasses::PERCENT.0;
    classes[b'#' as usize] = ByteClasses::UNUSUAL.0;
    classes[0] = ByteClasses::UNUSUAL.0;
    classes[0x0b] = ByteClasses::UNUSUAL.0;
    classes[0x0c] = ByteClasses::UNUSUAL.0;
    classes[b'\n' as usize] = ByteClasses::LINE_END.0;
    classes[b'\r' as usize] = ByteClasses::LINE_END.0;
    let mut byte = 0x80;
    while byte < 256 {
        classes[byte] = ByteClasses::HIGH.0;
        byte += 1;
    }
    classes
};

/// Sets the top bit of every byte of `word` that has a class: bytes up to `%`, and bytes above
/// 0x7F. The top bits of some bytes without a class are set as well.
#[inline(always)]
const fn mark_classified_bytes(word: u64) -> u64 {
    const LOW_BITS: u64 = u64::MAX / 255;
    // A byte that borrows from the next byte can set the top bit of that byte, but never clears it.
    let up_to_percent = word.wrapping_sub((b'%' as u64 + 1) * LOW_BITS);
    (word | up_to_percent) & (LOW_BITS << 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_with_a_class_is_found_in_a_word() {
        for byte in 0..=255u8 {
            for position in 0..8 {
                for around in [b'a', b'?', 0, 0xff, b'*', b'+'] {
                    let mut word = [around; 8];
                    word[position] = byte;
                    let found_bits =
                        mark_classified_bytes(u64::from_le_bytes(word)) >> (8 * position) & 0x80;
                    assert!(
                        found_bits != 0 || CLASS_BY_BYTE[usize::from(byte)] == 0,
                        "{byte} at {position} among {around}"
                    );
                }
            }
        }
        assert_eq!(mark_classified_bytes(u64::from_le_bytes(*b"/a-Z_9~+")), 0);
    }

    #[test]
    fn a_text_is_classified_up_to_its_first_line_end() {
        for len in 0..30 {
            for end in [b'\n', b'\r'] {
                let mut text = vec![b'a'; 40];
                text[len] = end;
                text[len + 1] = b'?';
                let plain = ByteClasses::default();
                assert_eq!(
                    ByteClasses::classify_to_line_end(&text),
                    (len, plain),
                    "{len}"
                );
                assert_eq!(
                    ByteClasses::classify_to_line_end(&text[..len]),
                    (len, plain),
                    "{len}"
                );
                for byte in 0..=255 {
                    if len == 0 || byte == b'\n' || byte == b'\r' {
                        continue;
                    }
                    text[len / 2] = byte;
                    let found = ByteClasses::classify_to_line_end(&text);
                    assert_eq!(
                        found,
                        (len, ByteClasses::classify(&text[..len])),
                        "{byte} in {len}"
                    );
                }
            }
        }
    }
}

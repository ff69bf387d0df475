//! Searching and trimming of white space: that of the C locale for Google's parser, and spaces and
//! tabs for RFC 9309.

use crate::agent_name::is_blank;

/// A word in which the lowest bit of every byte is set.
const LOW_BITS: u64 = u64::MAX / 255;

/// Removes leading white space of the C locale.
#[inline]
pub(crate) fn trim_start(mut bytes: &[u8]) -> &[u8] {
    while let Some((word, rest)) = bytes.split_first_chunk::<8>() {
        let differences = u64::from_le_bytes(*word) ^ (b' ' as u64 * LOW_BITS);
        if differences != 0 {
            bytes = &bytes[differences.trailing_zeros() as usize / 8..];
            break;
        }
        bytes = rest;
    }
    let begin = bytes
        .iter()
        .position(|&byte| !is_blank(byte))
        .unwrap_or(bytes.len());
    &bytes[begin..]
}

/// Returns the position of the first space or tab. This is faster than `memchr2` if the match is
/// near the beginning.
#[inline]
pub(crate) fn find_blank(text: &[u8]) -> Option<usize> {
    // Sets the top bit of the first zero byte. The top bits of later bytes may be wrong.
    let mark_zero_bytes = |word: u64| word.wrapping_sub(LOW_BITS) & !word & (LOW_BITS << 7);
    let (words, rest) = text.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let found = mark_zero_bytes(word ^ (b' ' as u64 * LOW_BITS))
            | mark_zero_bytes(word ^ (b'\t' as u64 * LOW_BITS));
        if found != 0 {
            return Some(i * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let within = rest.iter().position(|byte| matches!(byte, b' ' | b'\t'))?;
    Some(text.len() - rest.len() + within)
}

/// Removes trailing white space of the C locale.
#[inline]
pub(crate) fn trim_end(bytes: &[u8]) -> &[u8] {
    let len = bytes
        .iter()
        .rposition(|&byte| !is_blank(byte))
        .map_or(0, |last| last + 1);
    &bytes[..len]
}

/// Removes spaces and tabs, the white space of RFC 9309 §2.2, on both sides.
pub(crate) fn trim_blanks(bytes: &[u8]) -> &[u8] {
    let is_blank_or_tab = |byte: &u8| *byte == b' ' || *byte == b'\t';
    let begin = bytes
        .iter()
        .position(|byte| !is_blank_or_tab(byte))
        .unwrap_or(bytes.len());
    let end = bytes
        .iter()
        .rposition(|byte| !is_blank_or_tab(byte))
        .map_or(begin, |last| last + 1);
    &bytes[begin..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_are_found_and_trimmed_at_every_position() {
        let slow = |text: &[u8]| text.iter().position(|byte| matches!(byte, b' ' | b'\t'));
        for len in 0..30 {
            for byte in 0..=255 {
                let mut text = vec![b'!'; len];
                text.extend([byte, b'\x08', b' ', b'\n', b'x']);
                assert_eq!(find_blank(&text), slow(&text), "{byte} at {len}");
                assert_eq!(find_blank(&text[..=len]), slow(&text[..=len]));
                text[..len].fill(b' ');
                let text = &text[..=len];
                let begin = text.iter().position(|&byte| !is_blank(byte));
                assert_eq!(trim_start(text), &text[begin.unwrap_or(text.len())..]);
            }
        }
    }
}

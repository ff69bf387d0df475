//! Blanks around a text.

use crate::agent_name::is_blank;

/// One in every octet of a word.
const ONES: u64 = u64::MAX / 255;

#[inline]
pub(crate) fn trim_start(mut bytes: &[u8]) -> &[u8] {
    while let Some((word, rest)) = bytes.split_first_chunk::<8>() {
        let others = u64::from_le_bytes(*word) ^ (b' ' as u64 * ONES);
        if others != 0 {
            bytes = &bytes[others.trailing_zeros() as usize / 8..];
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

/// Where the first blank or tab is. Quicker than a search of `memchr` where
/// it is near.
#[inline]
pub(crate) fn find_blank(text: &[u8]) -> Option<usize> {
    // The lowest top bit that is left is that of an octet that is zero.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
    let (words, rest) = text.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let met = zeros(word ^ (b' ' as u64 * ONES)) | zeros(word ^ (b'\t' as u64 * ONES));
        if met != 0 {
            return Some(at * 8 + met.trailing_zeros() as usize / 8);
        }
    }
    let within = rest.iter().position(|byte| matches!(byte, b' ' | b'\t'))?;
    Some(text.len() - rest.len() + within)
}

#[inline]
pub(crate) fn trim_end(bytes: &[u8]) -> &[u8] {
    let len = bytes
        .iter()
        .rposition(|&byte| !is_blank(byte))
        .map_or(0, |at| at + 1);
    &bytes[..len]
}

/// Trims blanks and tabs, the white space of RFC 9309 §2.2.
pub(crate) fn trim_blanks(bytes: &[u8]) -> &[u8] {
    let is_ws = |byte: &u8| *byte == b' ' || *byte == b'\t';
    let begin = bytes
        .iter()
        .position(|byte| !is_ws(byte))
        .unwrap_or(bytes.len());
    let end = bytes
        .iter()
        .rposition(|byte| !is_ws(byte))
        .map_or(begin, |at| at + 1);
    &bytes[begin..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_are_found_and_trimmed_wherever_they_stand() {
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

//! Blanks around a text.

use crate::token::is_blank;

#[inline]
pub(crate) fn trim_start(bytes: &[u8]) -> &[u8] {
    let begin = bytes
        .iter()
        .position(|&byte| !is_blank(byte))
        .unwrap_or(bytes.len());
    &bytes[begin..]
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

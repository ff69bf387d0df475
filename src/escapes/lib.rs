//! Conversion between the bytes of a body and the text of columns.
//!
//! Columns are UTF-8, but bodies may hold any bytes. Bytes that are not UTF-8 are escaped, so that the
//! original bytes can be restored from the tables.

mod terminal;

pub use terminal::{duckdb_query, escape, is_control_character, quote_for_shell};

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns bytes taken from a body as text. `is_valid_utf8` is true if the body as a whole is UTF-8.
///
/// If the body is not UTF-8, `\` is written as `\\` and each invalid byte as `\xHH`, and
/// [`unescape_body`] restores the bytes. If the body is UTF-8, the text is unchanged, except that each
/// byte of a character that is cut off at an end of `bytes` is written as `\xHH`.
pub fn escape_body<'b>(bytes: &'b [u8], is_valid_utf8: bool) -> Cow<'b, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if is_valid_utf8 || !text.contains('\\') => Cow::Borrowed(text),
        _ => {
            let mut out = String::with_capacity(bytes.len() + 8);
            for chunk in bytes.utf8_chunks() {
                for character in chunk.valid().chars() {
                    if character == '\\' && !is_valid_utf8 {
                        out.push('\\');
                    }
                    out.push(character);
                }
                for byte in chunk.invalid() {
                    let _ = write!(out, "\\x{byte:02X}");
                }
            }
            Cow::Owned(out)
        }
    }
}

/// Returns the bytes from which [`escape_body`] made a text, with the same `is_valid_utf8`.
///
/// A backslash that [`escape_body`] cannot have written is kept as it is.
pub fn unescape_body(text: &str, is_valid_utf8: bool) -> Cow<'_, [u8]> {
    let bytes = text.as_bytes();
    if is_valid_utf8 || memchr::memchr(b'\\', bytes).is_none() {
        return Cow::Borrowed(bytes);
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(backslash) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..backslash]);
        let hex_digit = |i: usize| char::from(*rest.get(i)?).to_digit(16);
        let digits = (hex_digit(backslash + 2), hex_digit(backslash + 3));
        let (byte, escape_bytes) = match (rest.get(backslash + 1), digits) {
            (Some(b'x'), (Some(high), Some(low))) => ((high << 4 | low) as u8, 4),
            (Some(b'\\'), _) => (b'\\', 2),
            _ => (b'\\', 1),
        };
        out.push(byte);
        rest = &rest[backslash + escape_bytes..];
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_bytes_are_written_in_hexadecimal() {
        assert_eq!(escape_body(b"a\\b", true), "a\\b");
        assert_eq!(escape_body(b"a\\b\xe9", false), "a\\\\b\\xE9");
        assert_eq!(escape_body(b"a\\b", false), "a\\\\b");
        assert_eq!(escape_body("é".as_bytes(), false), "é");
    }

    #[test]
    fn unescaping_restores_the_bytes() {
        for bytes in [
            &b""[..],
            b"a\\b",
            b"\\",
            b"\\\\x",
            b"\\xE9",
            b"\xe9\\x\xe9",
            b"\xff\\xff\\",
        ] {
            for is_valid_utf8 in [std::str::from_utf8(bytes).is_ok(), false] {
                let text = escape_body(bytes, is_valid_utf8);
                assert_eq!(unescape_body(&text, is_valid_utf8), bytes, "{text}");
            }
        }
        for text in ["\\", "\\x", "\\x9", "\\xé", "\\y"] {
            assert_eq!(unescape_body(text, false), text.as_bytes());
        }
    }
}

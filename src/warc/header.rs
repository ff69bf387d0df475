//! Splits a record header into its fields.

use crate::detect::begins_record;
use crate::error::ErrorKind;

/// A version line that is longer than this is none.
const VERSION_BYTES_MAX: usize = 64;

/// A field, as positions in the header: name and value, both trimmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    name: (u32, u32),
    value: (u32, u32),
}

impl Field {
    /// The name, out of the header that was parsed.
    pub(crate) fn name(self, header: &[u8]) -> &[u8] {
        &header[self.name.0 as usize..self.name.1 as usize]
    }

    /// The value, out of the header that was parsed.
    pub(crate) fn value(self, header: &[u8]) -> &[u8] {
        &header[self.value.0 as usize..self.value.1 as usize]
    }
}

/// A header, as far as it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    /// It takes `bytes`, with the empty line at its end. `folded` if a value runs over lines.
    Header { bytes: usize, folded: bool },
    /// It goes on beyond the bytes given.
    More,
    /// It is none.
    Bad(ErrorKind),
}

/// Parses the header at the start of `bytes`, which begin with `WARC/`, into `fields`.
///
/// Lines end with CRLF or LF. A line without a colon is passed over; a second
/// version line means that the header was cut and another record begins.
///
/// The grammar is that of WARC 1.1 §4, taken liberally.
pub(crate) fn parse(bytes: &[u8], fields: &mut Vec<Field>) -> Parsed {
    fields.clear();
    let bytes = &bytes[..bytes.len().min(u32::MAX as usize)];
    match bytes.get(5) {
        Some(first) if !first.is_ascii_digit() => return Parsed::Bad(ErrorKind::BadHeader),
        _ => {}
    }
    // However many bytes are there: what is said of a line must not depend on that.
    let first = &bytes[..bytes.len().min(VERSION_BYTES_MAX + 1)];
    let Some(end) = memchr::memchr(b'\n', first) else {
        return if bytes.len() > VERSION_BYTES_MAX {
            Parsed::Bad(ErrorKind::BadHeader)
        } else {
            Parsed::More
        };
    };
    if !is_version(&bytes[..end]) {
        return Parsed::Bad(ErrorKind::BadHeader);
    }
    let mut folded = false;
    let mut at = end + 1;
    loop {
        let Some(length) = memchr::memchr(b'\n', &bytes[at..]) else {
            return Parsed::More;
        };
        let line = &bytes[at..at + length];
        match line.first() {
            None => break,
            Some(b'\r') if length == 1 => break,
            Some(b' ' | b'\t') => folded |= !fields.is_empty() && !line.trim_ascii().is_empty(),
            Some(_) => {
                if let Some(colon) = memchr::memchr(b':', line) {
                    fields.push(Field {
                        name: trim(bytes, at, at + colon),
                        value: trim(bytes, at + colon + 1, at + length),
                    });
                } else if is_version(line) {
                    return Parsed::Bad(ErrorKind::Truncated);
                }
            }
        }
        at += length + 1;
    }
    let empty_line = memchr::memchr(b'\n', &bytes[at..]).map_or(0, |length| length + 1);
    Parsed::Header {
        bytes: at + empty_line,
        folded,
    }
}

/// Copies a header into `out` with every folded value on one line, joined by one space.
pub(crate) fn unfold(header: &[u8], out: &mut Vec<u8>) {
    out.clear();
    let mut fields = 0;
    for line in header.split_inclusive(|&byte| byte == b'\n') {
        let text = line.trim_ascii();
        if matches!(line.first(), Some(b' ' | b'\t')) {
            if !text.is_empty() && fields > 0 {
                out.truncate(out.trim_ascii_end().len());
                out.push(b' ');
                out.extend_from_slice(text);
                out.extend_from_slice(b"\r\n");
            }
        } else if text.contains(&b':') {
            fields += 1;
            out.extend_from_slice(line);
        } else if text.is_empty() || fields == 0 {
            out.extend_from_slice(line);
        }
    }
}

/// Whether a line is a version and nothing more, as in `WARC/1.0`.
pub(crate) fn is_version(line: &[u8]) -> bool {
    if !begins_record(line) {
        return false;
    }
    let mut numbers = line[5..].trim_ascii_end().splitn(2, |&byte| byte == b'.');
    let is_number = |part: Option<&[u8]>| {
        part.is_some_and(|n| !n.is_empty() && n.iter().all(u8::is_ascii_digit))
    };
    is_number(numbers.next()) && is_number(numbers.next())
}

/// The one `Content-Length` of a header.
///
/// # Errors
///
/// [`ErrorKind::BadContentLength`] if there is none, if it is no number of 64
/// bits, or if there are two that differ.
pub(crate) fn content_length(header: &[u8], fields: &[Field]) -> Result<u64, ErrorKind> {
    let mut stated = None;
    for field in fields {
        if !field.name(header).eq_ignore_ascii_case(b"content-length") {
            continue;
        }
        let value = number(field.value(header)).ok_or(ErrorKind::BadContentLength)?;
        if stated.is_some_and(|other| other != value) {
            return Err(ErrorKind::BadContentLength);
        }
        stated = Some(value);
    }
    stated.ok_or(ErrorKind::BadContentLength)
}

/// A number of decimal digits and nothing else.
fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |sum, digit| {
        let digit = char::from(*digit).to_digit(10)?;
        sum.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// The range `start..end` of `bytes` without blanks and CR at its ends.
fn trim(bytes: &[u8], mut start: usize, mut end: usize) -> (u32, u32) {
    while start < end && matches!(bytes[start], b' ' | b'\t' | b'\r') {
        start += 1;
    }
    while start < end && matches!(bytes[end - 1], b' ' | b'\t' | b'\r') {
        end -= 1;
    }
    // `parse` looks at no more than `u32::MAX` bytes.
    (start as u32, end as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(header: &[u8]) -> (Parsed, Vec<(String, String)>) {
        let mut fields = Vec::new();
        let parsed = parse(header, &mut fields);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let pairs = fields
            .iter()
            .map(|field| (text(field.name(header)), text(field.value(header))))
            .collect();
        (parsed, pairs)
    }

    #[test]
    fn crlf_and_lf_give_the_same_fields() {
        let header = "WARC/1.0\r\nWARC-Type:  response \r\nno colon\r\nX:\r\nY: a:b\r\n\r\n";
        let (parsed, pairs) = fields(header.as_bytes());
        let bare = header.replace('\r', "");
        assert_eq!(pairs, fields(bare.as_bytes()).1);
        assert_eq!(
            parsed,
            Parsed::Header {
                bytes: header.len(),
                folded: false
            }
        );
        let want = [("WARC-Type", "response"), ("X", ""), ("Y", "a:b")];
        assert!(pairs.iter().map(|(n, v)| (n.as_str(), v.as_str())).eq(want));
    }

    #[test]
    fn a_header_that_is_not_all_there_wants_more() {
        let header = b"WARC/0.18\r\nA: b\r\n\r\n";
        for cut in 5..header.len() {
            assert_eq!(fields(&header[..cut]).0, Parsed::More, "{cut}");
        }
    }

    #[test]
    fn a_version_line_is_two_numbers() {
        for line in [
            "WARC/1.0",
            "WARC/0.17\r",
            "WARC/1.1 \r",
            "WARC/12.34",
            "warc/1.0",
        ] {
            assert!(is_version(line.as_bytes()), "{line}");
        }
        for line in [
            "WARC/",
            "WARC/1",
            "WARC/1.",
            "WARC/x.y",
            "WARC/1.0a",
            "WARD/1.0",
        ] {
            assert!(!is_version(line.as_bytes()), "{line}");
        }
        assert_eq!(fields(b"WARC/\0\0").0, Parsed::Bad(ErrorKind::BadHeader));
        assert_eq!(fields(b"WARC/1.0 x\n").0, Parsed::Bad(ErrorKind::BadHeader));
        let two = b"WARC/1.0\nA: b\nWARC/1.0\nA: b\n\n";
        assert_eq!(fields(two).0, Parsed::Bad(ErrorKind::Truncated));
    }

    #[test]
    fn a_long_version_line_is_none_however_much_of_it_is_there() {
        let header = format!("WARC/1.0{}\nA: b\n\n", " ".repeat(57));
        assert_eq!(fields(&header.as_bytes()[..64]).0, Parsed::More);
        for cut in 65..=header.len() {
            let parsed = fields(&header.as_bytes()[..cut]).0;
            assert_eq!(parsed, Parsed::Bad(ErrorKind::BadHeader), "{cut}");
        }
        let shorter = header.replacen(' ', "", 1);
        assert!(matches!(
            fields(shorter.as_bytes()).0,
            Parsed::Header { .. }
        ));
    }

    #[test]
    fn folded_values_are_joined_by_one_space() {
        let header = b"WARC/1.0\r\nA: one\r\n  two \r\n\tthree\r\n \r\nodd\r\nB: x\r\n\r\n";
        assert!(matches!(
            fields(header).0,
            Parsed::Header { folded: true, .. }
        ));
        let mut out = Vec::new();
        unfold(header, &mut out);
        assert_eq!(out, b"WARC/1.0\r\nA: one two three\r\nB: x\r\n\r\n");
    }

    #[test]
    fn content_length_is_digits_and_only_one_value() {
        for (lines, want) in [
            ("Content-Length: 12", Some(12)),
            ("content-LENGTH:0", Some(0)),
            ("Content-Length: 12\nContent-Length: 012", Some(12)),
            ("Content-Length: 12\nContent-Length: 13", None),
            ("Content-Length: -1", None),
            ("Content-Length: +1", None),
            ("Content-Length: 1e3", None),
            ("Content-Length:", None),
            ("Content-Length: 18446744073709551616", None),
            ("Content-Type: x", None),
        ] {
            let header = format!("WARC/1.0\n{lines}\n\n");
            let mut fields = Vec::new();
            parse(header.as_bytes(), &mut fields);
            let got = content_length(header.as_bytes(), &fields);
            assert_eq!(got, want.ok_or(ErrorKind::BadContentLength), "{lines}");
        }
    }
}

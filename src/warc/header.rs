//! Parsing of record headers.

use crate::error::ErrorKind;
use crate::field_name::FieldName;
use crate::header_lines::HeaderLines;
use crate::record_start::is_version_line;

/// The maximum length of a version line.
const MAX_VERSION_LINE_BYTES: usize = 64;

/// The fields of a header.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeaderFields {
    /// All fields, in their order.
    list: Vec<HeaderField>,
    /// The number of the first field of each [`FieldName`], from 1, or 0 if the header does not have it.
    first: [u32; FieldName::ALL.len()],
    /// True if several fields are named `Content-Length`.
    has_several_lengths: bool,
}

impl HeaderFields {
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.first = Default::default();
        self.has_several_lengths = false;
    }

    /// Returns all fields, in their order.
    pub(crate) fn list(&self) -> &[HeaderField] {
        &self.list
    }

    /// Returns the value of the first field with this name.
    #[inline]
    pub(crate) fn value<'h>(&self, header: &'h [u8], name: FieldName) -> Option<&'h [u8]> {
        let index = (self.first[name as usize] as usize).checked_sub(1)?;
        Some(self.list[index].value(header))
    }

    fn push(&mut self, header: &[u8], field: HeaderField) {
        self.list.push(field);
        if let Some(name) = FieldName::from_text(field.name(header)) {
            let first = &mut self.first[name as usize];
            if *first == 0 {
                // A header has at most `u32::MAX` bytes.
                *first = self.list.len() as u32;
            } else if name == FieldName::ContentLength {
                self.has_several_lengths = true;
            }
        }
    }
}

/// The positions of the name and the value of a field in its header, without the blanks around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeaderField {
    name: (u32, u32),
    value: (u32, u32),
}

impl HeaderField {
    /// Returns the name. `header` must be the header that was parsed.
    pub(crate) fn name(self, header: &[u8]) -> &[u8] {
        &header[self.name.0 as usize..self.name.1 as usize]
    }

    /// Returns true if the name is `name`, compared without regard to case.
    #[inline]
    pub(crate) fn has_name(self, header: &[u8], name: &[u8]) -> bool {
        // The lengths differ in nearly all comparisons.
        (self.name.1 - self.name.0) as usize == name.len()
            && self.name(header).eq_ignore_ascii_case(name)
    }

    /// Returns the value. `header` must be the header that was parsed.
    pub(crate) fn value(self, header: &[u8]) -> &[u8] {
        &header[self.value.0 as usize..self.value.1 as usize]
    }
}

/// The result of parsing a header that may not be read completely yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParsedHeader {
    /// The header is `bytes` long, including the empty line at its end. `is_folded` is true if a
    /// value continues on further lines.
    Complete { bytes: usize, is_folded: bool },
    /// The header continues after the given bytes.
    Incomplete,
    /// The bytes are not a header.
    Invalid(ErrorKind),
}

/// Parses the header at the start of `bytes`, which start with `WARC/`, into `fields`.
///
/// Implements the grammar of [WARC 1.1 §4] leniently: lines end with CRLF or LF, and a line
/// without a colon is ignored. A second version line means that the header was cut and another
/// record starts.
///
/// [WARC 1.1 §4]: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#file-and-record-model
pub(crate) fn parse(bytes: &[u8], fields: &mut HeaderFields) -> ParsedHeader {
    fields.clear();
    let bytes = &bytes[..bytes.len().min(u32::MAX as usize)];
    match bytes.get(5) {
        Some(version_digit) if !version_digit.is_ascii_digit() => {
            return ParsedHeader::Invalid(ErrorKind::BadHeader);
        }
        _ => {}
    }
    // The result must not depend on how many bytes after the version line are read so far.
    let head = &bytes[..bytes.len().min(MAX_VERSION_LINE_BYTES + 1)];
    let Some(end) = memchr::memchr(b'\n', head) else {
        return if bytes.len() > MAX_VERSION_LINE_BYTES {
            ParsedHeader::Invalid(ErrorKind::BadHeader)
        } else {
            ParsedHeader::Incomplete
        };
    };
    if !is_version_line(&bytes[..end]) {
        return ParsedHeader::Invalid(ErrorKind::BadHeader);
    }
    let mut is_folded = false;
    let fields_start = end + 1;
    for line in HeaderLines::new(&bytes[fields_start..]) {
        let (start, end) = (fields_start + line.start, fields_start + line.end);
        let text = &bytes[start..end];
        match text {
            b"" | b"\r" => {
                return ParsedHeader::Complete {
                    bytes: end + 1,
                    is_folded,
                };
            }
            [b' ' | b'\t', ..] => {
                is_folded |= !fields.list.is_empty() && !text.trim_ascii().is_empty()
            }
            _ => {
                if let Some(colon) = line.colon {
                    let name = trim(bytes, start, fields_start + colon);
                    let value = trim(bytes, fields_start + colon + 1, end);
                    fields.push(bytes, HeaderField { name, value });
                } else if is_version_line(text) {
                    return ParsedHeader::Invalid(ErrorKind::Truncated);
                }
            }
        }
    }
    ParsedHeader::Incomplete
}

/// Copies a header into `out` and puts each folded value on one line, joined with single spaces.
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

/// Returns the value of `Content-Length`.
///
/// # Errors
///
/// [`ErrorKind::BadContentLength`] if the field is missing, if its value is not a decimal number
/// of at most 64 bits, or if two such fields have different values.
pub(crate) fn parse_content_length(header: &[u8], fields: &HeaderFields) -> Result<u64, ErrorKind> {
    let parse = |value| parse_number(value).ok_or(ErrorKind::BadContentLength);
    if !fields.has_several_lengths {
        let value = fields.value(header, FieldName::ContentLength);
        return parse(value.ok_or(ErrorKind::BadContentLength)?);
    }
    let mut length = None;
    for field in &fields.list {
        if !field.has_name(header, b"content-length") {
            continue;
        }
        let value = parse(field.value(header))?;
        if length.is_some_and(|other| other != value) {
            return Err(ErrorKind::BadContentLength);
        }
        length = Some(value);
    }
    length.ok_or(ErrorKind::BadContentLength)
}

/// Parses a number that consists of decimal digits only.
fn parse_number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |number, digit| {
        let digit = char::from(*digit).to_digit(10)?;
        number.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// Returns the range `start..end` of `bytes` without the blanks and CR at its ends.
fn trim(bytes: &[u8], mut start: usize, mut end: usize) -> (u32, u32) {
    // Nearly all values have one blank before them and a CR after them, and nearly all names have nothing.
    if let [b' ', .., b'\r'] = bytes[start..end] {
        (start, end) = (start + 1, end - 1);
    }
    if start < end && (bytes[start] <= b' ' || bytes[end - 1] <= b' ') {
        while start < end && matches!(bytes[start], b' ' | b'\t' | b'\r') {
            start += 1;
        }
        while start < end && matches!(bytes[end - 1], b' ' | b'\t' | b'\r') {
            end -= 1;
        }
    }
    // `parse` reads at most `u32::MAX` bytes.
    (start as u32, end as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_fields(header: &[u8]) -> (ParsedHeader, Vec<(String, String)>) {
        let mut fields = HeaderFields::default();
        let parsed = parse(header, &mut fields);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let pairs = fields
            .list
            .iter()
            .map(|field| (text(field.name(header)), text(field.value(header))))
            .collect();
        (parsed, pairs)
    }

    #[test]
    fn crlf_and_lf_give_the_same_fields() {
        let header = "WARC/1.0\r\nWARC-Type:  response \r\nno colon\r\nX:\r\nY: a:b\r\n\r\n";
        let (parsed, pairs) = parse_fields(header.as_bytes());
        let bare = header.replace('\r', "");
        assert_eq!(pairs, parse_fields(bare.as_bytes()).1);
        assert_eq!(
            parsed,
            ParsedHeader::Complete {
                bytes: header.len(),
                is_folded: false
            }
        );
        let want = [("WARC-Type", "response"), ("X", ""), ("Y", "a:b")];
        assert!(
            pairs
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .eq(want)
        );
    }

    #[test]
    fn a_partial_header_is_incomplete() {
        let header = b"WARC/0.18\r\nA: b\r\n\r\n";
        for cut in 5..header.len() {
            assert_eq!(
                parse_fields(&header[..cut]).0,
                ParsedHeader::Incomplete,
                "{cut}"
            );
        }
    }

    #[test]
    fn a_header_must_start_with_one_version_line() {
        assert_eq!(
            parse_fields(b"WARC/\0\0").0,
            ParsedHeader::Invalid(ErrorKind::BadHeader)
        );
        assert_eq!(
            parse_fields(b"WARC/1.0 x\n").0,
            ParsedHeader::Invalid(ErrorKind::BadHeader)
        );
        let two = b"WARC/1.0\nA: b\nWARC/1.0\nA: b\n\n";
        assert_eq!(
            parse_fields(two).0,
            ParsedHeader::Invalid(ErrorKind::Truncated)
        );
    }

    #[test]
    fn a_long_version_line_is_invalid_however_much_of_it_is_read() {
        let header = format!("WARC/1.0{}\nA: b\n\n", " ".repeat(57));
        assert_eq!(
            parse_fields(&header.as_bytes()[..64]).0,
            ParsedHeader::Incomplete
        );
        for cut in 65..=header.len() {
            let parsed = parse_fields(&header.as_bytes()[..cut]).0;
            assert_eq!(parsed, ParsedHeader::Invalid(ErrorKind::BadHeader), "{cut}");
        }
        let shorter = header.replacen(' ', "", 1);
        assert!(matches!(
            parse_fields(shorter.as_bytes()).0,
            ParsedHeader::Complete { .. }
        ));
    }

    #[test]
    fn folded_values_are_joined_by_one_space() {
        let header = b"WARC/1.0\r\nA: one\r\n  two \r\n\tthree\r\n \r\nodd\r\nB: x\r\n\r\n";
        assert!(matches!(
            parse_fields(header).0,
            ParsedHeader::Complete {
                is_folded: true,
                ..
            }
        ));
        let mut out = Vec::new();
        unfold(header, &mut out);
        assert_eq!(out, b"WARC/1.0\r\nA: one two three\r\nB: x\r\n\r\n");
    }

    #[test]
    fn content_length_has_only_digits_and_one_value() {
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
            let mut fields = HeaderFields::default();
            parse(header.as_bytes(), &mut fields);
            let got = parse_content_length(header.as_bytes(), &fields);
            assert_eq!(got, want.ok_or(ErrorKind::BadContentLength), "{lines}");
        }
    }
}

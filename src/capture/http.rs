//! HTTP responses as stored in archives.
//!
//! The parser accepts what servers and WARC writers produce: lines end with CRLF or LF, the reason
//! phrase may be missing, header fields may be folded or repeated and may hold any bytes. A coding
//! of the body is only decoded if a header field declares it *and* the bytes have that coding,
//! because many archives store bodies already decoded. Interim responses (RFC 9110 §15.2) and replies of
//! proxies before the response are skipped.
//!
//! If you change what is accepted, also change the reference implementation in
//! `tests/checks/oracle/response.rs`, which the fuzzers compare with this one.

use crate::coding::{self, DecodedBytes, dechunk, is_text};
use crate::header_name::HeaderName;
use std::borrow::Cow;
use warc::HeaderLines;

/// The maximum number of header fields that are read. Servers and browsers accept a few hundred.
const MAX_FIELDS: usize = 4096;

/// The maximum number of bytes that are read of the value of a header field.
const MAX_VALUE_BYTES: usize = 64 << 10;

/// The maximum number of codings. If more are declared, none is decoded.
const MAX_CODINGS: usize = 8;

/// The prefixes that WARC writers add to the names of header fields that no longer describe the stored body.
const RENAMED_FIELD_PREFIXES: [&[u8]; 4] =
    [b"x-crawl-", b"x-crawler-", b"x-orig-", b"x-archive-orig-"];

/// The largest length that may be that of an encoded empty body, such as the 20 bytes of an empty gzip.
const EMPTY_CODED_BYTES: u64 = 32;

/// The reason phrase of proxies in reply to CONNECT.
const CONNECT_REASON: &[u8] = b"Connection established";

/// An HTTP response: a view of the block of a record.
#[derive(Debug)]
pub struct Response<'a> {
    /// The status code; `None` if it is missing or malformed.
    pub status: Option<u16>,
    /// True if the block ends before the status line of the final response is complete.
    pub(crate) ends_in_status_line: bool,
    /// True if the block ends before the empty line after the header fields.
    pub(crate) ends_in_header: bool,
    /// True if header fields exceed the limits on their number or length.
    pub(crate) is_header_cut: bool,
    /// The header fields that are read, in order.
    fields: Vec<(HeaderName, Cow<'a, [u8]>)>,
    /// For each name, one more than the index in `fields` of its first field; 0 if the response does not
    /// have the field.
    first_fields: [u16; HeaderName::COUNT],
    /// The status line and the header fields as stored.
    header: &'a [u8],
    /// The body as stored.
    pub body: &'a [u8],
    /// The bytes after the first header section, which some WARC writers take for the payload: the body, or
    /// an interim response before it and the final response.
    pub(crate) first_body: &'a [u8],
}

/// The length of the body that the server announced.
enum AnnouncedLength {
    /// No field states a length.
    Absent,
    /// All fields state this number of bytes.
    Bytes(u64),
    /// The fields contradict each other, or have something else than numbers of up to 64 bits.
    Unusable,
}

/// The most recent field of a header that is being parsed, to which folded lines may be added.
struct LastField {
    /// The length of its value, including the folded lines so far.
    value_bytes: usize,
    /// True if the field was added to [`Response::fields`].
    is_stored: bool,
}

/// A body after its codings were decoded.
#[derive(Debug)]
pub struct DecodedBody<'a> {
    /// The body, without its codings.
    pub body: Cow<'a, [u8]>,
    /// True if the coding is incomplete, or the body was cut at the limit.
    pub is_cut: bool,
    /// True if a header field declares a coding that the bytes do not have.
    pub is_misdeclared: bool,
}

impl<'a> Response<'a> {
    /// Returns a response that consists of a body only.
    pub(crate) fn from_body(body: &'a [u8]) -> Self {
        Self {
            status: None,
            ends_in_status_line: false,
            ends_in_header: false,
            is_header_cut: false,
            fields: Vec::new(),
            first_fields: [0; HeaderName::COUNT],
            header: b"",
            body,
            first_body: body,
        }
    }

    /// Parses the block of a record. Never fails: a block without a status line is a body.
    pub fn parse(block: &'a [u8]) -> Self {
        let mut response = Self::parse_first(block);
        let first_body = response.body;
        while response.precedes_response() {
            response = if begins_like_status_line(response.body) {
                Self::parse_first(response.body)
            } else {
                // The status of the final response is not stored.
                Self {
                    ends_in_status_line: true,
                    ..Self::from_body(response.body)
                }
            };
        }
        response.first_body = first_body;
        response
    }

    /// Parses the first of the responses in a block.
    fn parse_first(block: &'a [u8]) -> Self {
        let mut response = Self::from_body(block);
        if !begins_like_status_line(block) {
            return response;
        }
        let mut lines = ResponseLines::new(block);
        let status_line = lines.next();
        if status_line.is_none() || lines.is_done {
            response.ends_in_status_line = true;
            return response;
        }
        response.status = status_line.and_then(|(line, _)| parse_status_code(line));
        response.ends_in_header = true;
        (response.header, response.body) = (block, b"");
        let mut field_count = 0;
        let mut last = None;
        while let Some((line, colon)) = lines.next() {
            if lines.is_done {
                // The block may end within the field.
                break;
            }
            if line.is_empty() {
                response.ends_in_header = false;
                response.body = lines.rest();
                response.header = &block[..block.len() - response.body.len()];
                break;
            }
            if matches!(line[0], b' ' | b'\t') {
                response.push_folded_line(line.trim_ascii(), &mut last);
            } else if let Some(colon) = colon {
                field_count += 1;
                let name = HeaderName::from_text(line[..colon].trim_ascii());
                let value = line[colon + 1..].trim_ascii();
                let cut = &value[..value.len().min(MAX_VALUE_BYTES)];
                response.is_header_cut |= cut.len() < value.len() || field_count > MAX_FIELDS;
                let name = name.filter(|_| field_count <= MAX_FIELDS);
                if let Some(name) = name {
                    response.push_field(name, cut);
                }
                last = Some(LastField {
                    value_bytes: cut.len(),
                    is_stored: name.is_some(),
                });
            }
        }
        response
    }

    /// Returns true if the final response follows in place of a body: after an interim response (RFC 9110
    /// §15.2; not 101, after which no HTTP follows), and after the reply of a proxy to CONNECT, which
    /// describes no content (§9.3.6).
    fn precedes_response(&self) -> bool {
        match self.status {
            Some(100 | 102..=199) => true,
            Some(200..=299) => {
                let describes_content = [
                    HeaderName::ContentType,
                    HeaderName::ContentLength,
                    HeaderName::TransferEncoding,
                ]
                .into_iter()
                .any(|name| self.first_value(name).is_some());
                !describes_content && (self.is_connect_reply() || has_status_line(self.body))
            }
            _ => false,
        }
    }

    /// Returns true if the reason phrase is the one that proxies send in reply to CONNECT.
    fn is_connect_reply(&self) -> bool {
        let end = memchr::memchr(b'\n', self.header).unwrap_or(0);
        let status_line = self.header[..end].trim_ascii_end();
        let reason = status_line.len().checked_sub(CONNECT_REASON.len());
        reason.is_some_and(|start| status_line[start..].eq_ignore_ascii_case(CONNECT_REASON))
    }

    fn push_field(&mut self, name: HeaderName, value: &'a [u8]) {
        self.fields.push((name, Cow::Borrowed(value)));
        let first = &mut self.first_fields[name as usize];
        if *first == 0 {
            // The number fits into 16 bits, because there are at most `MAX_FIELDS`.
            *first = self.fields.len() as u16;
        }
    }

    /// Appends a folded line to the last header field.
    fn push_folded_line(&mut self, line: &[u8], last: &mut Option<LastField>) {
        // If a value was cut, its further folded lines are dropped.
        if !self.is_header_cut
            && let Some(last) = last
        {
            last.value_bytes += 1 + line.len();
            self.is_header_cut = last.value_bytes > MAX_VALUE_BYTES;
            if last.is_stored
                && !self.is_header_cut
                && let Some((_, value)) = self.fields.last_mut()
            {
                value.to_mut().push(b' ');
                value.to_mut().extend_from_slice(line);
            }
        }
    }

    fn first_value(&self, name: HeaderName) -> Option<&Cow<'a, [u8]>> {
        let first = usize::from(self.first_fields[name as usize]).checked_sub(1)?;
        Some(&self.fields[first].1)
    }

    /// Returns the first value of a header field.
    pub fn header(&self, name: HeaderName) -> Option<&[u8]> {
        self.first_value(name).map(Cow::as_ref)
    }

    /// Returns the text of the first value of a header field.
    pub fn header_text(&self, name: HeaderName) -> Option<Cow<'a, str>> {
        self.header_part(name, |value| value)
    }

    /// Returns a part of the first value of a header field, which `part` selects, as text.
    pub(crate) fn header_part(
        &self,
        name: HeaderName,
        part: impl Fn(&[u8]) -> &[u8],
    ) -> Option<Cow<'a, str>> {
        Some(match self.first_value(name)? {
            Cow::Borrowed(value) => header_text(part(value)),
            Cow::Owned(value) => Cow::Owned(header_text(part(value)).into_owned()),
        })
    }

    /// Returns true if fewer bytes of the body are stored than the server announced.
    ///
    /// The number in `Content-Length` is that of the stored bytes only if nothing has been decoded, neither
    /// by the crawler nor by the WARC writer. Therefore it is not compared with a body that is stored if a field
    /// states a coding, or has been renamed: some archives have the original fields of bodies that they store
    /// decoded.
    pub(crate) fn is_body_short(&self) -> bool {
        let stored_bytes = self.body.len() as u64;
        match self.announced_length() {
            AnnouncedLength::Bytes(bytes) if bytes <= stored_bytes => false,
            AnnouncedLength::Absent => {
                let mut renamed = self.renamed_fields();
                let is_over = |value: &[u8]| {
                    parse_number(value).is_none_or(|bytes| bytes > EMPTY_CODED_BYTES)
                };
                self.body.is_empty()
                    && renamed.any(|(name, value)| {
                        name.eq_ignore_ascii_case(b"content-length") && is_over(value)
                    })
            }
            AnnouncedLength::Bytes(_) | AnnouncedLength::Unusable if self.body.is_empty() => true,
            AnnouncedLength::Unusable => false,
            AnnouncedLength::Bytes(bytes) => {
                let missing_bytes = bytes - stored_bytes;
                let is_comparable = !self.is_header_cut
                    && self.declared_codings().is_empty()
                    && self.renamed_fields().next().is_none();
                is_comparable
                    && !self.has_trimmed_line_end(missing_bytes)
                    && !self.has_rewritten_line_ends(missing_bytes)
            }
        }
    }

    /// Returns true if the missing bytes may be the last line end, which some WARC writers trim.
    ///
    /// If a trimmed body counted as cut off, every file of such a writer would lose its last line.
    fn has_trimmed_line_end(&self, missing_bytes: u64) -> bool {
        missing_bytes == 1
            || missing_bytes == 2 && memchr::memmem::find(self.body, b"\r\n").is_some()
    }

    /// Returns true if the missing bytes are the CRs of line ends that were stored as LF instead of CRLF, as
    /// in archives like ClueWeb09.
    fn has_rewritten_line_ends(&self, missing_bytes: u64) -> bool {
        self.body.ends_with(b"\n")
            && memchr::memchr_iter(b'\n', self.body).count() as u64 == missing_bytes
            && memchr::memchr(b'\r', self.body).is_none()
    }

    /// Returns the length that all fields `Content-Length` state (RFC 9110 §8.6).
    fn announced_length(&self) -> AnnouncedLength {
        let fields = self.fields.iter();
        let fields = fields.filter(|(name, _)| *name == HeaderName::ContentLength);
        let mut lengths = fields.flat_map(|(_, value)| value.split(|&byte| byte == b','));
        let Some(first) = lengths.next() else {
            return AnnouncedLength::Absent;
        };
        match parse_number(first) {
            Some(bytes) if lengths.all(|other| parse_number(other) == Some(bytes)) => {
                AnnouncedLength::Bytes(bytes)
            }
            _ => AnnouncedLength::Unusable,
        }
    }

    /// Returns the fields that a WARC writer has renamed, with their original names.
    fn renamed_fields(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        let mut lines = ResponseLines::new(self.header);
        std::iter::from_fn(move || lines.next()).filter_map(|(line, colon)| {
            let (name, value) = line.split_at(colon?);
            let prefix = RENAMED_FIELD_PREFIXES.iter().find(|prefix| {
                name.get(..prefix.len())
                    .is_some_and(|begin| begin.eq_ignore_ascii_case(prefix))
            })?;
            Some((name[prefix.len()..].trim_ascii(), &value[1..]))
        })
    }

    /// Returns the range of the whole content that the body of a 206 response has; `None` if no field states it.
    pub(crate) fn content_range(&self) -> Option<ContentRange> {
        let value = self.header(HeaderName::ContentRange)?;
        let (unit, range) = value.split_at(value.iter().position(u8::is_ascii_whitespace)?);
        if !unit.eq_ignore_ascii_case(b"bytes") {
            return None;
        }
        let mut parts = range.splitn(2, |&byte| byte == b'/');
        let mut ends = parts.next()?.splitn(2, |&byte| byte == b'-');
        Some(ContentRange {
            first: parse_number(ends.next()?)?,
            last: parse_number(ends.next()?)?,
            complete_bytes: parts.next().and_then(parse_number),
        })
    }

    /// Returns the codings that are declared, in the order in which they were applied.
    fn declared_codings(&self) -> Vec<Vec<u8>> {
        let mut codings = self.codings_in(HeaderName::ContentEncoding);
        codings.extend(self.codings_in(HeaderName::TransferEncoding));
        codings
    }

    /// Returns the codings that all fields of this name declare, in order.
    fn codings_in(&self, name: HeaderName) -> Vec<Vec<u8>> {
        let fields = self.fields.iter();
        let fields = fields.filter(|(field_name, _)| *field_name == name);
        fields
            .flat_map(|(_, value)| value.split(|&byte| byte == b','))
            .map(|coding| coding.trim_ascii().to_ascii_lowercase())
            .filter(|coding| !coding.is_empty() && coding != b"identity")
            .take(MAX_CODINGS + 1)
            .collect()
    }

    /// Decodes the chunked coding if the body has it, up to `limit` bytes.
    pub(crate) fn decode_chunks(&self, limit: usize) -> Option<Vec<u8>> {
        let codings = self.codings_in(HeaderName::TransferEncoding);
        let is_chunked = codings.last().is_some_and(|coding| coding == b"chunked");
        let decoded = is_chunked.then(|| dechunk(self.body, limit)).flatten();
        decoded.map(|decoded| decoded.bytes)
    }

    /// Decodes `Transfer-Encoding` and `Content-Encoding` if the bytes have these codings, up to
    /// `limit` bytes.
    ///
    /// Text without a coding that is declared is a decoded body. Other bytes without it are a part of a
    /// coded body.
    pub fn decode(&self, limit: usize) -> DecodedBody<'a> {
        let mut decoded = DecodedBody {
            body: Cow::Borrowed(self.body),
            is_cut: false,
            is_misdeclared: false,
        };
        if self.body.is_empty() {
            return decoded;
        }
        // The last coding was applied last, so it is decoded first (RFC 9110 §8.4, RFC 9112 §6.1).
        let mut codings = self.declared_codings();
        if codings.len() > MAX_CODINGS {
            decoded.is_misdeclared = true;
            decoded.is_cut = !is_text(self.body);
            codings.clear();
        }
        // The chunked coding is applied only once (RFC 9112 §6.1), however often it is stated.
        let mut is_dechunked = false;
        for coding in codings.iter().rev() {
            let is_chunked = coding == b"chunked";
            if is_chunked && is_dechunked {
                continue;
            }
            match coding::decode(coding, &decoded.body, limit) {
                Some(DecodedBytes { bytes, is_cut }) => {
                    decoded.body = Cow::Owned(bytes);
                    decoded.is_cut |= is_cut;
                    is_dechunked |= is_chunked;
                }
                None => {
                    decoded.is_misdeclared = true;
                    decoded.is_cut |= !is_text(&decoded.body);
                }
            }
            if decoded.body.is_empty() {
                break;
            }
        }
        if decoded.body.len() > limit {
            decoded.is_cut = true;
            match &mut decoded.body {
                Cow::Borrowed(body) => *body = &body[..limit],
                Cow::Owned(body) => body.truncate(limit),
            }
        }
        decoded
    }
}

/// The range of a partial response (RFC 9110 §14.4), in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContentRange {
    /// The offset of the first byte.
    pub(crate) first: u64,
    /// The offset of the last byte.
    last: u64,
    /// The length of the whole content; `None` if it is not stated.
    complete_bytes: Option<u64>,
}

impl ContentRange {
    /// Returns true if the range is the whole content.
    pub(crate) fn is_complete(self) -> bool {
        self.first == 0 && self.complete_bytes == self.last.checked_add(1)
    }
}

/// Returns true if a block begins with a status line, or is the beginning of one.
fn begins_like_status_line(block: &[u8]) -> bool {
    let begin = &block[..block.len().min(5)];
    begin.eq_ignore_ascii_case(&b"HTTP/"[..begin.len()])
}

/// Returns true if a block begins with a whole status line that can be read.
fn has_status_line(block: &[u8]) -> bool {
    !block.is_empty()
        && begins_like_status_line(block)
        && memchr::memchr(b'\n', block)
            .is_some_and(|end| parse_status_code(&block[..end]).is_some())
}

/// Parses a number of digits only; `None` if it is none or has more than 64 bits.
fn parse_number(text: &[u8]) -> Option<u64> {
    let digits = text.trim_ascii();
    let is_number = digits.iter().all(u8::is_ascii_digit);
    let digits = std::str::from_utf8(digits).ok().filter(|_| is_number)?;
    digits.parse().ok()
}

/// Parses the status code of a status line: three digits after the version.
fn parse_status_code(line: &[u8]) -> Option<u16> {
    let begin = line.iter().position(|byte| matches!(byte, b' ' | b'\t'))?;
    let rest = line[begin..].trim_ascii_start();
    let digits = rest
        .get(..3)
        .filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
    if rest.get(3).is_some_and(u8::is_ascii_digit) || digits[0] == b'0' {
        return None;
    }
    Some(
        digits
            .iter()
            .fold(0, |code, digit| code * 10 + u16::from(digit - b'0')),
    )
}

/// Iterates over the lines of a header, which end with LF or CRLF, or with the block.
struct ResponseLines<'a> {
    block: &'a [u8],
    lines: HeaderLines<'a>,
    /// True if the last line, which has no line feed, was returned.
    is_done: bool,
}

impl<'a> ResponseLines<'a> {
    fn new(block: &'a [u8]) -> Self {
        Self {
            block,
            lines: HeaderLines::new(block),
            is_done: false,
        }
    }

    /// Returns the next line, and the index of its first colon.
    #[inline]
    fn next(&mut self) -> Option<(&'a [u8], Option<usize>)> {
        let (line, colon) = match self.lines.next() {
            Some(line) => (
                &self.block[line.start..line.end],
                line.colon.map(|colon| colon - line.start),
            ),
            None => {
                let line = self.rest();
                if std::mem::replace(&mut self.is_done, true) || line.is_empty() {
                    return None;
                }
                (line, memchr::memchr(b':', line))
            }
        };
        Some((line.strip_suffix(b"\r").unwrap_or(line), colon))
    }

    /// Returns the bytes after the lines that were returned.
    fn rest(&self) -> &'a [u8] {
        if self.is_done {
            b""
        } else {
            &self.block[self.lines.offset()..]
        }
    }
}

/// Returns the text of a header field: UTF-8 if it is valid, otherwise ISO 8859-1 (RFC 9110 §5.5).
pub fn header_text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    const LIMIT: usize = 1 << 20;

    #[test]
    fn malformed_status_lines_of_real_servers_are_read() {
        let status = |line: &str| Response::parse(format!("{line}\r\n\r\nx").as_bytes()).status;
        assert_eq!(status("HTTP/1.1 200 OK"), Some(200));
        assert_eq!(status("HTTP/1.1 404"), Some(404));
        assert_eq!(status("http/1.0  301  Moved"), Some(301));
        assert_eq!(status("HTTP/2 200"), Some(200));
        assert_eq!(status("HTTP/1.1 200OK"), Some(200));
        for line in [
            "HTTP/1.1",
            "HTTP/1.1 OK",
            "HTTP/1.1 2000",
            "HTTP/1.1 20",
            "HTTP/1.1 099",
        ] {
            assert_eq!(status(line), None, "{line}");
        }
    }

    fn decode_body(headers: &str, body: &[u8]) -> (Vec<u8>, bool, bool) {
        let block = [
            b"HTTP/1.1 200 OK\r\n",
            headers.as_bytes(),
            b"\r\n\r\n",
            body,
        ]
        .concat();
        let response = Response::parse(&block);
        let decoded = response.decode(LIMIT);
        (
            decoded.body.into_owned(),
            decoded.is_cut,
            decoded.is_misdeclared,
        )
    }

    #[test]
    fn a_body_that_ends_within_its_coding_is_cut() {
        let text = b"User-agent: *\nDisallow: /private/ # comment\n";
        let (mut gzip, mut zlib, mut raw) = (Vec::new(), Vec::new(), Vec::new());
        let level = flate2::Compression::default();
        flate2::read::GzEncoder::new(&text[..], level)
            .read_to_end(&mut gzip)
            .unwrap();
        flate2::read::ZlibEncoder::new(&text[..], level)
            .read_to_end(&mut zlib)
            .unwrap();
        flate2::read::DeflateEncoder::new(&text[..], level)
            .read_to_end(&mut raw)
            .unwrap();
        let zstd = zstd::encode_all(&text[..], 3).unwrap();
        // Made of this text by the encoder in Node.js.
        let brotli = b"\x8b\x15\x80\x55\x73\x65\x72\x2d\x61\x67\x65\x6e\x74\x3a\x20\x2a\x0a\x44\x69\x73\x61\x6c\x6c\x6f\x77\x3a\x20\x2f\x70\x72\x69\x76\x61\x74\x65\x2f\x20\x23\x20\x63\x6f\x6d\x6d\x65\x6e\x74\x0a\x03";
        let chunked = b"b;x=y\r\nUser-agent:\r\n3\r\n *\n\r\n0\r\n\r\n";
        for (fields, body, end) in [
            ("Content-Encoding: gzip", &gzip[..], gzip.len()),
            ("Content-Encoding: deflate", &zlib, zlib.len()),
            ("Content-Encoding: deflate", &raw, raw.len()),
            ("Content-Encoding: zstd", &zstd, zstd.len()),
            ("Content-Encoding: br", brotli, brotli.len()),
            ("Transfer-Encoding: chunked", chunked, chunked.len() - 4),
        ] {
            let whole = decode_body(fields, body);
            assert!(whole.0.starts_with(b"User-agent:") && !whole.1, "{fields}");
            for bytes in 1..end {
                let (_, is_cut, _) = decode_body(fields, &body[..bytes]);
                assert!(is_cut, "{bytes} bytes of {fields}");
            }
        }
        // Text is a decoded body, whatever a decoder without a magic number makes of it.
        for fields in ["gzip", "deflate", "br", "zstd", "aes128gcm"] {
            for begin in ["U", "#", "a", "%", "K", "\n", "\u{e9}"] {
                let body = [begin.as_bytes(), text].concat();
                let seen = decode_body(&format!("Content-Encoding: {fields}"), &body);
                assert_eq!(seen, (body, false, true), "{fields}");
            }
        }
    }

    #[test]
    fn interim_responses_and_replies_of_proxies_are_skipped() {
        let read = |block: &str| {
            let response = Response::parse(block.as_bytes());
            (
                response.status,
                response.body.len(),
                response.ends_in_status_line,
            )
        };
        let last = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nbody";
        for first in [
            "HTTP/1.1 100 Continue\r\n\r\n",
            "HTTP/1.1 103 Early Hints\r\nLink: </s.css>\r\n\r\nHTTP/1.1 100 x\n\n",
            "HTTP/1.0 200 Connection established\r\nProxy-Agent: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\n",
        ] {
            let block = [first, last].concat();
            assert_eq!(read(&block), (Some(200), 4, false), "{first}");
            if !first.contains(" OK") {
                assert_eq!(read(first), (None, 0, true), "{first}");
                assert!(read(&[first, "HTTP/1.1 40"].concat()).2, "{first}");
                assert!(read(&[first, "body"].concat()).2, "{first}");
            }
        }
        // A response that describes its content is final, and so is 101.
        let found = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nHTTP/1.1 404 x\r\n\r\n";
        assert_eq!(read(found), (Some(200), 18, false));
        assert_eq!(
            read("HTTP/1.1 101 x\r\n\r\nHTTP/1.1 200 x\r\n\r\n").0,
            Some(101)
        );
        for cut in ["", "HT", "HTTP/1.1 404 Not Found", "HTTP/1.1 200 OK\r"] {
            assert_eq!(read(cut), (None, cut.len(), true), "{cut}");
        }
    }

    #[test]
    fn header_fields_are_read_up_to_limits() {
        let fields = |count: usize, last: &str| {
            let block = format!(
                "HTTP/1.1 200 OK\r\n{}{last}\r\n\r\nbody",
                "a: b\r\n".repeat(count)
            );
            let response = Response::parse(block.as_bytes());
            assert_eq!(response.body, b"body");
            let server = response.header(HeaderName::Server).map(<[u8]>::len);
            (server, response.is_header_cut)
        };
        assert_eq!(fields(MAX_FIELDS - 1, "Server: x"), (Some(1), false));
        assert_eq!(fields(MAX_FIELDS, "Server: x"), (None, true));
        let long = format!("Server: {}", "x".repeat(MAX_VALUE_BYTES));
        assert_eq!(fields(0, &long), (Some(MAX_VALUE_BYTES), false));
        assert_eq!(
            fields(0, &(long.clone() + "x")),
            (Some(MAX_VALUE_BYTES), true)
        );
        // A folded line that does not fit is dropped as a whole.
        assert_eq!(
            fields(0, &(long + "\r\n y\r\n z")),
            (Some(MAX_VALUE_BYTES), true)
        );
        let folds = format!("Server: x{}", "\r\n y".repeat(MAX_VALUE_BYTES));
        assert_eq!(fields(0, &folds), (Some(MAX_VALUE_BYTES - 1), true));
    }

    #[test]
    fn too_many_codings_are_not_decoded() {
        let mut body = b"User-agent: *\n".to_vec();
        for _ in 0..MAX_CODINGS {
            let mut writer =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            writer.write_all(&body).unwrap();
            body = writer.finish().unwrap();
        }
        let named = |count: usize| format!("Content-Encoding: {}", vec!["gzip"; count].join(","));
        let decoded_body = (b"User-agent: *\n".to_vec(), false, false);
        assert_eq!(decode_body(&named(MAX_CODINGS), &body), decoded_body);
        assert_eq!(
            decode_body(&named(MAX_CODINGS + 1), &body),
            (body.clone(), true, true)
        );
        assert_eq!(decode_body(&named(1 << 12), &body), (body, true, true));
        let text = b"User-agent: *\n";
        assert_eq!(
            decode_body(&named(1 << 12), text),
            (text.to_vec(), false, true)
        );
    }

    #[test]
    fn a_decompression_bomb_is_cut_at_the_limit() {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        writer.write_all(&vec![b'a'; 4 * LIMIT]).unwrap();
        let (body, is_cut, _) = decode_body("Content-Encoding: gzip", &writer.finish().unwrap());
        assert_eq!((body.len(), is_cut), (LIMIT, true));
    }
}

//! HTTP responses as stored in archives.
//!
//! The parser accepts what servers and WARC writers produce: lines end with CRLF or LF, the reason
//! phrase may be missing, header fields may be folded or repeated and may hold any bytes. A coding
//! of the body is only decoded if a header field declares it *and* the bytes have that coding,
//! because many archives store bodies already decoded.
//!
//! If you change what is accepted, also change the reference implementation in
//! `tests/checks/oracle/response.rs`, which the fuzzers compare with this one.

use crate::header_name::HeaderName;
use std::borrow::Cow;
use std::io::Read;
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

/// The maximum number of bytes by which a stored body is shorter than announced and still complete: the
/// line end that some WARC writers trim.
///
/// If a trimmed body counted as cut off, every file of such a writer would lose its last line. Hardly any
/// connection is lost within the last two bytes of a file.
const TRIMMED_LINE_END_BYTES: u64 = 2;

/// The maximum length of the line before a chunk, which has the size of the chunk and extensions.
const MAX_CHUNK_LINE_BYTES: usize = 4096;

/// An HTTP response: a view of the block of a record.
#[derive(Debug)]
pub struct Response<'a> {
    /// The status code; `None` if it is missing or malformed.
    pub status: Option<u16>,
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
            is_header_cut: false,
            fields: Vec::new(),
            first_fields: [0; HeaderName::COUNT],
            header: b"",
            body,
        }
    }

    /// Parses the block of a record. Never fails: a block without a status line is a body.
    pub fn parse(block: &'a [u8]) -> Self {
        let mut response = Self::from_body(block);
        if !block
            .get(..5)
            .is_some_and(|begin| begin.eq_ignore_ascii_case(b"HTTP/"))
        {
            return response;
        }
        let mut lines = ResponseLines::new(block);
        let status_line = lines.next();
        response.status = status_line.and_then(|(line, _)| parse_status_code(line));
        (response.header, response.body) = (block, b"");
        let mut field_count = 0;
        let mut last = None;
        while let Some((line, colon)) = lines.next() {
            if line.is_empty() {
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
    /// by the crawler nor by the WARC writer. Therefore it is not compared if a field states a coding, or has
    /// been renamed: some archives have the original fields of bodies that they store decoded.
    pub(crate) fn is_body_short(&self) -> bool {
        let has = |name| self.first_value(name).is_some();
        if self.status != Some(200)
            || self.is_header_cut
            || has(HeaderName::ContentEncoding)
            || has(HeaderName::TransferEncoding)
        {
            return false;
        }
        let announced_bytes = self.content_length().unwrap_or_default();
        let missing_bytes = announced_bytes.saturating_sub(self.body.len() as u64);
        if missing_bytes == 0 || self.has_renamed_field() {
            return false;
        }
        let is_trimmed = missing_bytes <= TRIMMED_LINE_END_BYTES && !self.body.is_empty();
        !is_trimmed && !self.has_rewritten_line_ends(missing_bytes)
    }

    /// Returns true if the missing bytes are the CRs of line ends that were stored as LF instead of CRLF, as
    /// in archives like ClueWeb09.
    fn has_rewritten_line_ends(&self, missing_bytes: u64) -> bool {
        let line_feeds = memchr::memchr_iter(b'\n', self.body).count() as u64;
        line_feeds == missing_bytes && memchr::memchr(b'\r', self.body).is_none()
    }

    /// Returns the number in `Content-Length`; `None` unless there is exactly one such field, with digits
    /// only.
    fn content_length(&self) -> Option<u64> {
        let fields = self.fields.iter();
        let mut lengths = fields.filter(|(name, _)| *name == HeaderName::ContentLength);
        let (Some((_, value)), None) = (lengths.next(), lengths.next()) else {
            return None;
        };
        let is_number = value.iter().all(u8::is_ascii_digit);
        let digits = std::str::from_utf8(value).ok().filter(|_| is_number)?;
        digits.parse().ok()
    }

    fn has_renamed_field(&self) -> bool {
        let mut lines = ResponseLines::new(self.header);
        std::iter::from_fn(|| lines.next()).any(|(line, colon)| {
            let name = &line[..colon.unwrap_or(0)];
            RENAMED_FIELD_PREFIXES.iter().any(|prefix| {
                name.get(..prefix.len())
                    .is_some_and(|begin| begin.eq_ignore_ascii_case(prefix))
            })
        })
    }

    /// Returns the codings that all fields of this name declare, in order.
    fn declared_codings(&self, name: HeaderName) -> Vec<Vec<u8>> {
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
        let codings = self.declared_codings(HeaderName::TransferEncoding);
        let is_chunked = codings.last().is_some_and(|coding| coding == b"chunked");
        let decoded = is_chunked.then(|| dechunk(self.body, limit)).flatten();
        decoded.map(|decoded| decoded.bytes)
    }

    /// Decodes `Transfer-Encoding` and `Content-Encoding` if the bytes have these codings, up to
    /// `limit` bytes.
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
        let mut codings = self.declared_codings(HeaderName::ContentEncoding);
        codings.extend(self.declared_codings(HeaderName::TransferEncoding));
        if codings.len() > MAX_CODINGS {
            decoded.is_misdeclared = true;
            codings.clear();
        }
        // The chunked coding is applied only once (RFC 9112 §6.1), however often it is stated.
        let mut is_dechunked = false;
        for coding in codings.iter().rev() {
            let is_chunked = coding == b"chunked";
            if is_chunked && is_dechunked {
                continue;
            }
            let result = match coding.as_slice() {
                b"chunked" => dechunk(&decoded.body, limit),
                b"gzip" | b"x-gzip" => gunzip(&decoded.body, limit),
                b"deflate" => inflate(&decoded.body, limit),
                b"br" => unbrotli(&decoded.body, limit),
                b"zstd" => unzstd(&decoded.body, limit),
                _ => None,
            };
            match result {
                Some(DecodedBytes { bytes, is_cut }) => {
                    decoded.body = Cow::Owned(bytes);
                    decoded.is_cut |= is_cut;
                    is_dechunked |= is_chunked;
                }
                None => decoded.is_misdeclared = true,
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
        match self.is_done {
            true => b"",
            false => &self.block[self.lines.offset()..],
        }
    }
}

/// The output of the decoder of one coding.
struct DecodedBytes {
    bytes: Vec<u8>,
    /// True if the input ended early, or the output was cut at the limit.
    is_cut: bool,
}

impl DecodedBytes {
    fn from_complete(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            is_cut: false,
        }
    }

    fn from_cut(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            is_cut: true,
        }
    }
}

/// Decodes the chunked coding (RFC 9112 §7.1), with extensions and trailers. Returns `None` if the
/// bytes do not have it.
fn dechunk(body: &[u8], limit: usize) -> Option<DecodedBytes> {
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    loop {
        let Some(line_end) = memchr::memchr(b'\n', &rest[..rest.len().min(MAX_CHUNK_LINE_BYTES)])
        else {
            // Either the stored bytes end within a size line, or the body is not chunked.
            let is_size_begun = rest.len() < 20
                && rest
                    .iter()
                    .all(|byte| byte.is_ascii_hexdigit() || *byte == b'\r');
            let is_chunked = rest.len() < body.len() && is_size_begun;
            return is_chunked.then(|| DecodedBytes::from_cut(out));
        };
        let line = rest[..line_end].trim_ascii();
        let digits = line
            .split(|&byte| byte == b';')
            .next()
            .unwrap_or_default()
            .trim_ascii();
        if digits.is_empty() || digits.len() > 15 || !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        let size = usize::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        rest = &rest[line_end + 1..];
        if size == 0 {
            return Some(DecodedBytes::from_complete(out));
        }
        if size > rest.len() {
            out.extend_from_slice(rest);
            return Some(DecodedBytes::from_cut(out));
        }
        out.extend_from_slice(&rest[..size]);
        if out.len() > limit {
            out.truncate(limit);
            return Some(DecodedBytes::from_cut(out));
        }
        rest = &rest[size..];
        rest = match rest {
            [b'\r', b'\n', rest @ ..] | [b'\n', rest @ ..] => rest,
            [] | [b'\r'] => return Some(DecodedBytes::from_cut(out)),
            _ => return None,
        };
    }
}

/// Decodes `gzip` with any number of members.
fn gunzip(body: &[u8], limit: usize) -> Option<DecodedBytes> {
    if !body.starts_with(b"\x1f\x8b\x08") {
        return None;
    }
    read_decoded(flate2::bufread::MultiGzDecoder::new(body), limit)
}

/// Decodes `deflate`: zlib according to RFC 9110 §8.4.1.2, raw DEFLATE as many servers send it.
fn inflate(body: &[u8], limit: usize) -> Option<DecodedBytes> {
    let is_zlib = body.len() > 1
        && body[0] & 15 == 8
        && (u16::from(body[0]) << 8 | u16::from(body[1])) % 31 == 0;
    if is_zlib && let Some(decoded) = read_decoded(flate2::bufread::ZlibDecoder::new(body), limit) {
        return Some(decoded);
    }
    // Raw DEFLATE has no magic number: it is only accepted if the stream is complete.
    read_decoded(flate2::bufread::DeflateDecoder::new(body), limit)
        .filter(|decoded| !decoded.is_cut)
}

fn unbrotli(body: &[u8], limit: usize) -> Option<DecodedBytes> {
    // Like raw DEFLATE, Brotli has no magic number. A stream that is cut at the limit is accepted, too.
    read_decoded(brotli_decompressor::Decompressor::new(body, 4096), limit)
        .filter(|decoded| !decoded.is_cut || decoded.bytes.len() == limit)
}

fn unzstd(body: &[u8], limit: usize) -> Option<DecodedBytes> {
    if !body.starts_with(b"\x28\xb5\x2f\xfd") {
        return None;
    }
    let mut decoder = zstd::stream::read::Decoder::with_buffer(body).ok()?;
    // RFC 9659 limits the window of this coding to 8 MiB.
    decoder.window_log_max(23).ok()?;
    read_decoded(decoder, limit)
}

/// Reads up to `limit` bytes from a decoder. If the decoder fails after it has returned bytes, the body
/// is cut. If it fails before that, the body does not have this coding, and the result is `None`.
fn read_decoded(reader: impl Read, limit: usize) -> Option<DecodedBytes> {
    let mut out = Vec::new();
    let result = reader.take(limit as u64 + 1).read_to_end(&mut out);
    let is_over = out.len() > limit;
    out.truncate(limit);
    match result {
        Ok(_) => Some(DecodedBytes {
            bytes: out,
            is_cut: is_over,
        }),
        Err(_) if out.is_empty() => None,
        Err(_) => Some(DecodedBytes::from_cut(out)),
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
    use std::io::Write;

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

    #[test]
    fn header_fields_may_be_folded_repeated_and_hold_any_bytes() {
        let block = b"HTTP/1.1 200 OK\r\nserver: a\xe9\nVIA: a\n  b\n\tc\nX: y\n z\n\
                      Server: second\n\r\nbody\n";
        let response = Response::parse(block);
        assert_eq!(response.header(HeaderName::Server), Some(&b"a\xe9"[..]));
        assert_eq!(response.header(HeaderName::Via), Some(&b"a b c"[..]));
        assert_eq!(response.header(HeaderName::Location), None);
        assert_eq!(response.body, b"body\n");
    }

    #[test]
    fn a_block_without_a_status_line_is_a_body() {
        let response = Response::parse(b"User-agent: *\n");
        assert_eq!(
            (response.status, response.body),
            (None, &b"User-agent: *\n"[..])
        );
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
    fn the_chunked_coding_is_decoded_only_if_the_body_has_it() {
        let te = "Transfer-Encoding: chunked";
        assert_eq!(
            decode_body(te, b"3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nT: x\r\n\r\n"),
            (b"abcde".to_vec(), false, false)
        );
        assert_eq!(
            decode_body(te, b"3\nabc\n0\n"),
            (b"abc".to_vec(), false, false)
        );
        assert_eq!(
            decode_body(te, b"User-agent: *\n"),
            (b"User-agent: *\n".to_vec(), false, true)
        );
        assert_eq!(decode_body(te, b"5\r\nabc"), (b"abc".to_vec(), true, false));
        assert_eq!(
            decode_body(te, b"3\r\nabcdef"),
            (b"3\r\nabcdef".to_vec(), false, true)
        );
        for twice in [
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked, Chunked",
        ] {
            assert_eq!(
                decode_body(twice, b"3\r\nabc\r\n0\r\n\r\n"),
                (b"abc".to_vec(), false, false)
            );
            assert_eq!(
                decode_body(twice, b"3\r\n3\na\r\n0\r\n\r\n"),
                (b"3\na".to_vec(), false, false)
            );
            assert!(decode_body(twice, b"User-agent: *\n").2);
        }
        assert_eq!(
            decode_body("X-Crawler-Transfer-Encoding: chunked", b"3\r\nabc\r\n0\r\n").0,
            b"3\r\nabc\r\n0\r\n"
        );
    }

    #[test]
    fn content_codings_are_decoded_in_reverse_order() {
        let gzip = |body: &[u8]| {
            let mut writer =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            writer.write_all(body).unwrap();
            writer.finish().unwrap()
        };
        let zlib = |body: &[u8]| {
            let mut writer =
                flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            writer.write_all(body).unwrap();
            writer.finish().unwrap()
        };
        let raw = |body: &[u8]| {
            let mut writer =
                flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
            writer.write_all(body).unwrap();
            writer.finish().unwrap()
        };
        let text = b"User-agent: *\nDisallow: /\n";
        let whole = (text.to_vec(), false, false);
        assert_eq!(decode_body("Content-Encoding: gzip", &gzip(text)), whole);
        assert_eq!(
            decode_body("Content-Encoding: gzip, gzip", &gzip(&gzip(text))),
            whole
        );
        assert_eq!(decode_body("Content-Encoding: deflate", &zlib(text)), whole);
        assert_eq!(decode_body("Content-Encoding: deflate", &raw(text)), whole);
        assert_eq!(
            decode_body(
                "Content-Encoding: zstd",
                &zstd::encode_all(&text[..], 3).unwrap()
            ),
            whole
        );
        assert_eq!(
            decode_body("Content-Encoding: gzip", text),
            (text.to_vec(), false, true)
        );
        assert_eq!(
            decode_body("Content-Encoding: br", text),
            (text.to_vec(), false, true)
        );
        assert_eq!(decode_body("Server: x", &gzip(text)).0, gzip(text));
        let both = [b"40\r\n".as_slice(), &gzip(text)].concat();
        assert!(
            decode_body(
                "Content-Encoding: gzip\r\nTransfer-Encoding: chunked",
                &both
            )
            .1
        );
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
            (body.clone(), false, true)
        );
        assert_eq!(decode_body(&named(1 << 12), &body), (body, false, true));
    }

    #[test]
    fn a_decompression_bomb_is_cut_at_the_limit() {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        writer.write_all(&vec![b'a'; 4 * LIMIT]).unwrap();
        let (body, is_cut, _) = decode_body("Content-Encoding: gzip", &writer.finish().unwrap());
        assert_eq!((body.len(), is_cut), (LIMIT, true));
    }
}

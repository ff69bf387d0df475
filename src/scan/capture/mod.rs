//! A capture: one robots.txt as an archive holds it.
//!
//! Everything that the record, its URL and its HTTP response say is read here,
//! once; what the body says is the `robots` crate's business.

pub mod anomaly;
pub mod date;
pub(crate) mod digest;
pub mod http;
mod surt;
pub mod url;
mod waf;

use crate::capture::anomaly::Note;
use crate::capture::digest::sha1_of;
use crate::capture::http::Response;
use crate::capture::url::UrlColumns;
use robots::{HttpStatus, ParseOptions};
use std::borrow::Cow;
use std::fmt::Write as _;
use warc::{Integrity, Record, RecordType};

/// What of an archive is a capture, and how much of a body is read.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// Whether the archive is of the robots.txt subset, where every response
    /// is a capture: the targets of redirects are there.
    pub is_robots_subset: bool,
    /// The bytes of a decoded body that are read at most.
    pub max_body_bytes: usize,
    /// The bytes of a body within which a line must end to count.
    pub body_limit: Option<u64>,
}

/// One robots.txt, or the target of a redirect from one. Lends from its record.
#[derive(Debug)]
pub struct Capture<'a> {
    /// The URL as the record has it.
    pub url_raw: &'a [u8],
    /// The URL's columns; `None` if it cannot be parsed.
    pub url: Option<UrlColumns>,
    /// Whether the path is exactly `/robots.txt`.
    pub is_robots_path: bool,
    /// When it was fetched, in milliseconds since 1970.
    pub fetch_time: Option<i64>,
    /// The status code that the server sent; `None` for a resource too.
    pub fetch_status: Option<u16>,
    /// The status and what decides its meaning. A resource counts as 200.
    pub status: HttpStatus,
    /// The absolute target of a redirect.
    pub fetch_redirect: Option<String>,
    /// Base32 SHA-1 of the payload.
    pub content_digest: Option<String>,
    /// The media type that the server named, without parameters.
    pub content_mime_type: Option<String>,
    /// The media type that the crawler found.
    pub content_mime_detected: Option<String>,
    /// Why the payload is not whole.
    pub content_truncated: Option<String>,
    /// `WARC-Record-ID`, without angle brackets.
    pub warc_record_id: Option<String>,
    /// `WARC-IP-Address`.
    pub warc_ip_address: Option<String>,
    /// `Server`.
    pub http_server: Option<String>,
    /// `Last-Modified`.
    pub http_last_modified: Option<String>,
    /// `Content-Usage`.
    pub http_content_usage: Option<String>,
    /// `TDM-Reservation`.
    pub http_tdm_reservation: Option<String>,
    /// The shield that headers hint at.
    pub waf_hint: Option<&'static str>,
    /// Whether the record is a revisit: its body lies elsewhere.
    pub is_revisit: bool,
    /// The decoded body; `None` for a revisit.
    pub body: Option<Cow<'a, [u8]>>,
    /// Whether an HTML body is a challenge, should the body be HTML.
    pub is_challenge_if_html: bool,
    /// How the body is to be read.
    pub reading: ParseOptions,
    /// What was odd.
    pub notes: Vec<Note>,
    /// Whether the capture may be other than it was written; `None` if that was not known when
    /// it was read.
    pub is_doubtful: Option<bool>,
}

impl<'a> Capture<'a> {
    /// Reads a record; `None` if it is none of ours.
    ///
    /// Ours are responses and resources whose path is exactly `/robots.txt`,
    /// revisits of such, and in the robots.txt subset every response.
    pub fn read(record: &Record<'a>, scope: Scope) -> Option<Self> {
        let kind = record.record_type();
        if !matches!(
            kind,
            RecordType::Response | RecordType::Revisit | RecordType::Resource
        ) {
            return None;
        }
        let wants_all = scope.is_robots_subset && kind == RecordType::Response;
        let url_raw = record.target_uri().unwrap_or_default();
        if !wants_all && memchr::memmem::find(url_raw, b"/robots.txt").is_none() {
            return None;
        }
        let parsed = url::parse_url(url_raw);
        let columns = parsed.clone().map(UrlColumns::new);
        // A URL that nobody can parse may still end in the path we want.
        let is_robots_path = columns.as_ref().map_or_else(
            || url_raw.ends_with(b"/robots.txt"),
            UrlColumns::is_robots_path,
        );
        if !wants_all && !is_robots_path {
            return None;
        }

        let mut notes = Vec::new();
        if columns.is_none() {
            notes.push(Note::BadUrl);
        }
        let fetch_time = record.header("WARC-Date").and_then(date::parse_millis);
        if fetch_time.is_none() {
            notes.push(Note::BadDate);
        }
        let block = record.block();
        let is_http = kind != RecordType::Resource;
        let mut response = if is_http {
            Response::parse(block)
        } else {
            Response::parse(b"")
        };
        if !is_http {
            response.body = block;
        }
        if record.has_length_quirk() {
            notes.push(Note::LengthQuirk);
            response.body = response.body.strip_prefix(b"\r\n").unwrap_or(response.body);
        }
        if response.is_header_cut {
            notes.push(Note::HeadersCut);
        }
        // A resource was had without HTTP, and had well.
        let code = if is_http { response.status } else { Some(200) };
        if code.is_none() {
            notes.push(Note::BadStatus);
        }
        let is_redirect = matches!(code, Some(300..=399));
        let fetch_redirect = if is_redirect {
            let location = response
                .header("location")
                .filter(|location| !location.is_empty());
            let base = parsed.as_ref();
            location
                .and_then(|location| base.and_then(|base| url::join_url(base, location)))
                .map(String::from)
        } else {
            None
        };
        if is_redirect && code != Some(304) && fetch_redirect.is_none() {
            notes.push(Note::RedirectWithoutLocation);
        }

        let mut content_truncated = record
            .header("WARC-Truncated")
            .map(|reason| text(reason.trim_ascii()).to_ascii_lowercase());
        if content_truncated.is_some() {
            notes.push(Note::PayloadTruncated);
        }
        if record.is_truncated() {
            notes.push(Note::RecordCut);
            content_truncated.get_or_insert_with(|| "length".into());
        }
        let is_revisit = kind == RecordType::Revisit;
        let (mut body, mut is_cut) = (None, content_truncated.is_some());
        if !is_revisit {
            let decoded = response.decode(scope.max_body_bytes);
            if decoded.is_misdeclared {
                notes.push(Note::Misdeclared);
            }
            if decoded.is_cut {
                notes.push(Note::CodingCut);
                is_cut = true;
                content_truncated.get_or_insert_with(|| "length".into());
            }
            if decoded.body.starts_with(b"\x1f\x8b") {
                notes.push(Note::UndeclaredGzip);
            }
            body = Some(decoded.body);
        }
        let mime = if is_http {
            response.header("content-type")
        } else {
            record.header("Content-Type")
        };
        let header = |name: &str| response.header(name).map(text).map(Cow::into_owned);
        Some(Self {
            url_raw,
            is_robots_path,
            fetch_time,
            fetch_status: response.status,
            status: HttpStatus {
                code,
                has_location: fetch_redirect.is_some(),
            },
            fetch_redirect,
            content_digest: digest(
                record,
                if is_revisit {
                    None
                } else {
                    Some(response.body)
                },
            ),
            content_mime_type: mime.and_then(media_type),
            content_mime_detected: record
                .header("WARC-Identified-Payload-Type")
                .map(text)
                .map(Cow::into_owned),
            content_truncated,
            warc_record_id: record.header("WARC-Record-ID").map(|id| {
                let id = id.trim_ascii();
                let id = id.strip_prefix(b"<").unwrap_or(id);
                text(id.strip_suffix(b">").unwrap_or(id)).into_owned()
            }),
            warc_ip_address: record
                .header("WARC-IP-Address")
                .map(text)
                .map(Cow::into_owned),
            http_server: header("server"),
            http_last_modified: header("last-modified"),
            http_content_usage: header("content-usage"),
            http_tdm_reservation: header("tdm-reservation"),
            waf_hint: waf::hint(&response),
            is_revisit,
            is_challenge_if_html: body.as_ref().is_some_and(|body| {
                body.trim_ascii_start().starts_with(b"<") && waf::is_challenge(&response, body)
            }),
            body,
            reading: ParseOptions {
                body_limit: scope.body_limit,
                is_truncated: is_cut,
            },
            notes,
            is_doubtful: match record.integrity() {
                Integrity::Verified | Integrity::Unguarded => Some(false),
                Integrity::Damaged => Some(true),
                Integrity::Unknown => None,
            },
            url: columns,
        })
    }

    /// Compares the digests of the capture's record with its bytes.
    ///
    /// Returns the header field that differs, if one does; the capture is then doubtful.
    pub(crate) fn verify_digests(&mut self, record: &Record<'_>) -> Option<&'static str> {
        let field = digest::differing(record)?;
        self.is_doubtful = Some(true);
        Some(field)
    }

    /// Whether the body is to be read as a robots.txt.
    pub fn is_parsed(&self) -> bool {
        self.body.is_some() && matches!(self.status.code, Some(200..=299))
    }
}

/// A header's text: UTF-8, or else each byte as the character of its number
/// (ISO 8859-1, as RFC 9110 §5.5 remembers).
pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}

/// The media type without parameters, lower-cased.
fn media_type(value: &[u8]) -> Option<String> {
    let name = value
        .split(|&byte| byte == b';')
        .next()
        .unwrap_or(value)
        .trim_ascii();
    (!name.is_empty()).then(|| text(name).to_ascii_lowercase())
}

/// The payload's SHA-1 in base32: the record's own, or counted anew over the
/// body as stored.
fn digest(record: &Record<'_>, body: Option<&[u8]>) -> Option<String> {
    if let Some(value) = record.header("WARC-Payload-Digest") {
        let value = value.trim_ascii();
        // The usual notation is taken as it stands.
        if value.len() == 37 && sha1_of(value).is_some() {
            return Some(text(&value[5..]).to_ascii_uppercase());
        }
        if let Some(octets) = sha1_of(value) {
            return Some(base32(&octets));
        }
    }
    use sha1::Digest as _;
    body.map(|body| base32(&sha1::Sha1::digest(body)))
}

/// RFC 4648 §6, for lengths that need no padding.
fn base32(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut out = String::with_capacity(bytes.len().div_ceil(5) * 8);
    let (mut bits, mut n_bits) = (0u32, 0);
    for &byte in bytes {
        bits = bits << 8 | u32::from(byte);
        n_bits += 8;
        while n_bits >= 5 {
            n_bits -= 5;
            out.push(char::from(LETTERS[(bits >> n_bits & 31) as usize]));
        }
    }
    out
}

/// The text of bytes of a body. In a file that is not UTF-8, and only there,
/// `\` is written `\\` and each stray byte `\xHH`, so that nothing is lost.
pub(crate) fn body_text<'b>(bytes: &'b [u8], is_valid_utf8: bool) -> Cow<'b, str> {
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

/// The bytes of a text that [`body_text`] wrote. What it cannot have written
/// stays as it is.
pub(crate) fn body_bytes(text: &str, is_valid_utf8: bool) -> Cow<'_, [u8]> {
    let bytes = text.as_bytes();
    if is_valid_utf8 || memchr::memchr(b'\\', bytes).is_none() {
        return Cow::Borrowed(bytes);
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        let hex = |at: usize| char::from(*rest.get(at)?).to_digit(16);
        let (byte, len) = match (rest.get(at + 1), hex(at + 2), hex(at + 3)) {
            (Some(b'x'), Some(high), Some(low)) => ((high << 4 | low) as u8, 4),
            (Some(b'\\'), ..) => (b'\\', 2),
            _ => (b'\\', 1),
        };
        out.push(byte);
        rest = &rest[at + len..];
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base32_is_that_of_rfc_4648() {
        use sha1::Digest as _;
        assert_eq!(
            base32(&sha1::Sha1::digest(b"")),
            "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
        );
        assert_eq!(base32(b"fooba"), "MZXW6YTB");
    }

    #[test]
    fn stray_bytes_are_written_in_hex_and_lose_nothing() {
        assert_eq!(body_text(b"a\\b", true), "a\\b");
        assert_eq!(body_text(b"a\\b\xe9", false), "a\\\\b\\xE9");
        assert_eq!(body_text(b"a\\b", false), "a\\\\b");
        assert_eq!(body_text("é".as_bytes(), false), "é");
    }
    #[test]
    fn the_bytes_of_a_text_come_back() {
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
                let text = body_text(bytes, is_valid_utf8);
                assert_eq!(body_bytes(&text, is_valid_utf8), bytes, "{text}");
            }
        }
        for text in ["\\", "\\x", "\\x9", "\\xé", "\\y"] {
            assert_eq!(body_bytes(text, false), text.as_bytes());
        }
    }
}

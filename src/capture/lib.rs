//! Captures: one robots.txt file as an archive holds it.
//!
//! Input: a record, or a row of a table of bodies. Output: a capture, and everything that is derived from its
//! body. The package is independent of tables and files.
//!
//! [`Capture::read`] extracts everything that the WARC record, its URL and its HTTP response state.
//! The body is only decoded here; parsing it is the task of the `robots` crate.
//!
//! If you add a field, also add its column in `src/tables/robots_files.rs`. If you change what counts
//! as a capture, also check `docs/operations.md` and the samples, whose rows were counted by hand.

pub mod analysis;
pub mod anomaly;
mod coding;
pub mod cut;
pub mod date;
pub mod digest;
pub mod header_name;
pub mod http;
mod waf;

use crate::anomaly::CaptureAnomalyKind;
use crate::cut::{Cut, ResponseFacts};
use crate::digest::parse_sha1;
use crate::header_name::HeaderName;
use crate::http::header_text;
use crate::http::{DecodedBody, Response};
use robots::{HttpStatus, ParseOptions};
use std::borrow::Cow;
use urls::ParsedUrl;
use urls::UrlColumns;
use warc::{FieldName, Integrity, Record, RecordType};

/// Determines which records are captures, and how much of their bodies is read.
#[derive(Clone, Copy, Debug)]
pub struct CaptureScope {
    /// True if the archive is of the robots.txt subset. Every response of that subset is a
    /// capture, because it also holds the targets of redirects.
    pub is_robots_subset: bool,
    /// The maximum number of bytes read of a decoded body.
    pub max_body_bytes: usize,
    /// The offset in a body up to which a line must end to count for verdicts; `None` for no limit.
    pub body_limit: Option<u64>,
}

/// A fetched robots.txt file, or the target of a redirect from one. Borrows from its record.
#[derive(Debug)]
pub struct Capture<'a> {
    /// The URL as written in the record.
    pub url_raw: &'a [u8],
    /// The columns of the URL; `None` if it cannot be parsed.
    pub url: Option<UrlColumns<'a>>,
    /// True if the path is exactly `/robots.txt`.
    pub is_robots_path: bool,
    /// Metadata of the WARC record.
    pub record: RecordMetadata<'a>,
    /// The time and the result of the fetch.
    pub fetch: Fetch,
    /// The payload, as the record and the response describe it.
    pub content: ContentMetadata<'a>,
    /// Some header fields of the response.
    pub headers: ResponseHeaders<'a>,
    /// The way in which the response is known not to be whole; `None` if it is whole as far as known.
    pub cut: Option<Cut>,
    /// The decoded body; `None` for a revisit, and for a payload that was cut off before its first byte.
    pub body: Option<Cow<'a, [u8]>>,
    /// The options by which the body is parsed.
    pub parse_options: ParseOptions,
    /// True if the body is a challenge page of a firewall, provided that the parser finds it to be HTML.
    pub(crate) is_challenge_if_html: bool,
    /// Anomalies of the record, the URL and the response.
    pub anomalies: Vec<CaptureAnomalyKind>,
}

/// Metadata of the WARC record of a capture.
#[derive(Debug)]
pub struct RecordMetadata<'a> {
    /// `WARC-Record-ID`, without angle brackets.
    pub id: Option<Cow<'a, str>>,
    /// `WARC-IP-Address`.
    pub ip_address: Option<Cow<'a, str>>,
    /// True if the record is a revisit: its body is that of another capture.
    pub is_revisit: bool,
    /// True if the bytes of the record failed a check; `None` if the checksum had not been reached
    /// when the record was read.
    pub is_doubtful: Option<bool>,
}

/// Time and result of a fetch.
#[derive(Debug)]
pub struct Fetch {
    /// The time in milliseconds since 1970; `None` if `WARC-Date` is missing or invalid.
    pub time: Option<i64>,
    /// The status code that the server sent; `None` for a resource record.
    pub status: Option<u16>,
    /// The status code, and whether a redirect has a target that can be followed. A resource record
    /// counts as 200.
    pub http_status: HttpStatus,
    /// The absolute target of a redirect; `None` if no redirect can be followed.
    pub redirect: Option<String>,
}

/// Metadata of the payload of a capture.
#[derive(Debug)]
pub struct ContentMetadata<'a> {
    /// SHA-1 of the payload, in base32.
    pub digest: Option<Cow<'a, str>>,
    /// The media type stated by the server, without parameters.
    pub mime_type: Option<Cow<'a, str>>,
    /// The media type detected by the crawler.
    pub mime_detected: Option<Cow<'a, str>>,
    /// The reason why the payload is incomplete, in lower case; `None` if it is complete.
    pub truncated: Option<Cow<'a, str>>,
}

/// HTTP header fields that have columns of their own.
#[derive(Debug)]
pub struct ResponseHeaders<'a> {
    pub server: Option<Cow<'a, str>>,
    /// `Last-Modified`, as it is written.
    pub last_modified: Option<Cow<'a, str>>,
    pub content_usage: Option<Cow<'a, str>>,
    pub tdm_reservation: Option<Cow<'a, str>>,
    /// The web application firewall that the header fields indicate.
    pub waf_hint: Option<&'static str>,
}

/// A row of a table of bodies.
#[derive(Clone, Copy, Debug, Default)]
pub struct FetchedRow<'a> {
    /// The URL, as it is written.
    pub url: &'a [u8],
    /// Milliseconds since 1970.
    pub time: Option<i64>,
    /// True if a time is stated that cannot be read.
    pub has_bad_time: bool,
    /// The HTTP status; `None` if the row has none.
    pub status: Option<u16>,
    /// The target of a redirect, unless `header` has it.
    pub redirect: Option<&'a [u8]>,
    /// A status line, header fields and an empty line, or nothing.
    pub header: &'a [u8],
    /// The body; `None` if the row has none.
    pub body: Option<&'a [u8]>,
    /// The stated SHA-1 of the payload, in base32 or with a label, such as `sha1:`; `None` if it is to be
    /// computed.
    pub digest: Option<&'a [u8]>,
    /// True if there was no response.
    pub is_failed: bool,
    /// True if the body is that of another row with the same digest.
    pub is_revisit: bool,
    /// For a row of `robots_files`, what the scan stored besides; `None` for a table of others.
    pub scanned: Option<ScannedRow>,
    /// The reason why the body is incomplete; `None` if it is whole.
    pub truncated: Option<&'a [u8]>,
    /// The media type, unless `header` has it.
    pub mime_type: Option<&'a [u8]>,
    /// The media type that the crawler detected.
    pub mime_detected: Option<&'a [u8]>,
    /// Header fields, unless `header` has them.
    pub fields: RowFields<'a>,
}

/// What a scan stored of a capture, in a row of `robots_files`.
#[derive(Clone, Copy, Debug)]
pub struct ScannedRow {
    /// True if the body was parsed: a row without a status is then that of a resource record. Any other row without
    /// a status has one that could not be read.
    pub is_parsed: bool,
    /// The column `is_doubtful`.
    pub is_doubtful: Option<bool>,
}

/// Header fields in columns of their own, and the firewall that they indicate.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowFields<'a> {
    pub server: Option<&'a [u8]>,
    pub last_modified: Option<&'a [u8]>,
    pub content_usage: Option<&'a [u8]>,
    pub tdm_reservation: Option<&'a [u8]>,
    pub waf_hint: Option<&'a [u8]>,
}

/// The type of a record that is a capture, and the URL that was fetched.
struct CaptureTarget<'a> {
    /// The type of the record, stored because it is expensive to look up.
    record_type: RecordType,
    /// The URL as written in the record.
    raw: &'a [u8],
    /// The parsed URL; `None` if it cannot be parsed.
    url: Option<ParsedUrl<'a>>,
    is_robots_path: bool,
}

impl<'a> Capture<'a> {
    /// Reads the capture of a record, or returns `None` if the record is not a capture.
    ///
    /// Captures are responses, resources and revisits whose path is exactly `/robots.txt`, and every
    /// response and revisit of the robots.txt subset.
    pub fn read(record: &Record<'a>, scope: CaptureScope) -> Option<Self> {
        let target = CaptureTarget::from_record(record, scope)?;
        let mut anomalies = Vec::new();
        if target.url.is_none() {
            anomalies.push(CaptureAnomalyKind::BadUrl);
        }
        let time = record.field(FieldName::Date);
        let time = time.and_then(date::parse_warc_date);
        if time.is_none() {
            anomalies.push(CaptureAnomalyKind::BadDate);
        }
        let record_type = target.record_type;
        let response = read_response(record, record_type, &mut anomalies);
        let fetch = Fetch::new(time, &response, &target, &mut anomalies);
        let is_success = matches!(fetch.http_status.code, Some(200..=299));
        let declared = record.field(FieldName::Truncated);
        let mut cut = declared.map(|_| Cut::Declared);
        let mut body = None;
        if record_type != RecordType::Revisit {
            let decoded = decode_body(&response, scope.max_body_bytes, &mut anomalies);
            cut = Cut::find(&ResponseFacts {
                response: &response,
                decoded: &decoded,
                is_failed: false,
                is_declared: declared.is_some(),
                is_record_cut: record.is_truncated(),
                is_success,
            });
            body = Some(decoded.body);
        }
        anomalies.extend(cut.map(Cut::anomaly));
        if fetch.http_status.code.is_none() && cut != Some(Cut::StatusLine) {
            anomalies.push(CaptureAnomalyKind::BadStatus);
            // A status line that is whole decides, whatever follows it.
            cut = cut.filter(|_| record_type == RecordType::Revisit);
        }
        if cut == Some(Cut::Range) {
            body = body.map(|body| skip_partial_line(&response, body));
        }
        // An empty body would allow everything.
        let body = body.filter(|body| cut.is_none() || !body.is_empty());
        let truncated = cut.map(|cut| match declared {
            Some(reason) => to_lower_case(header_text(reason.trim_ascii())),
            None => cut.reason().into(),
        });
        let is_challenge_if_html =
            find_challenge(&response, body.as_deref(), is_success, &mut anomalies);
        Some(Self {
            url_raw: target.raw,
            url: target.url.map(ParsedUrl::into_columns),
            is_robots_path: target.is_robots_path,
            record: RecordMetadata::new(record, record_type),
            fetch,
            parse_options: ParseOptions {
                body_limit: scope.body_limit,
                is_truncated: cut.is_some(),
            },
            content: ContentMetadata::new(record, record_type, &response, truncated),
            headers: ResponseHeaders::from_response(&response),
            cut,
            body,
            is_challenge_if_html,
            anomalies,
        })
    }

    /// Returns a capture that has only a body: one of a successful fetch without any metadata.
    pub fn from_body(body: &'a [u8], parse_options: ParseOptions) -> Self {
        Self {
            url_raw: b"",
            url: None,
            is_robots_path: true,
            record: RecordMetadata {
                id: None,
                ip_address: None,
                is_revisit: false,
                is_doubtful: None,
            },
            fetch: Fetch {
                time: None,
                status: None,
                http_status: HttpStatus {
                    code: Some(200),
                    has_location: false,
                },
                redirect: None,
            },
            content: ContentMetadata {
                digest: None,
                mime_type: None,
                mime_detected: None,
                truncated: None,
            },
            headers: ResponseHeaders {
                server: None,
                last_modified: None,
                content_usage: None,
                tdm_reservation: None,
                waf_hint: None,
            },
            cut: None,
            body: Some(Cow::Borrowed(body)),
            parse_options,
            is_challenge_if_html: false,
            anomalies: Vec::new(),
        }
    }

    /// Reads the capture of a row of a table of bodies.
    ///
    /// The codings that header fields declare are decoded only if the bytes have them: most tables have
    /// decoded bodies. A row without a status is a successful fetch.
    pub fn from_row(row: &FetchedRow<'a>, scope: CaptureScope) -> Self {
        let mut anomalies = Vec::new();
        let url = ParsedUrl::parse(row.url);
        if url.is_none() {
            anomalies.push(CaptureAnomalyKind::BadUrl);
        }
        if row.has_bad_time {
            anomalies.push(CaptureAnomalyKind::BadDate);
        }
        let mut response = match row.header {
            b"" => Response::from_body(b""),
            header => Response::parse(header),
        };
        response.status = row.status;
        response.body = row.body.unwrap_or_default();
        response.ends_in_status_line = false;
        // In a table of others, a body without a status is that of a successful fetch.
        let is_parsed = row.scanned.is_none_or(|row| row.is_parsed);
        let code = row.status.or((is_parsed && !row.is_failed).then_some(200));
        let redirect = find_redirect(code, &response, url.as_ref(), row.redirect, &mut anomalies);
        let is_success = matches!(code, Some(200..=299));
        let (mut cut, mut body) = (None, None);
        if !row.is_revisit {
            let mut decoded = decode_body(&response, scope.max_body_bytes, &mut anomalies);
            anomalies.retain(|kind| *kind != CaptureAnomalyKind::Misdeclared);
            let facts = ResponseFacts {
                response: &response,
                decoded: &decoded,
                is_failed: row.is_failed,
                is_declared: row.truncated.is_some(),
                is_record_cut: false,
                is_success,
            };
            cut = match row.scanned {
                // A status line that is whole has an anomaly instead.
                Some(_) if code.is_none() => facts.is_declared.then_some(Cut::StatusLine),
                Some(_) => Cut::find_stored(&facts),
                None => Cut::find_in_row(&facts),
            };
            if cut == Some(Cut::Range) {
                decoded.body = skip_partial_line(&response, decoded.body);
            }
            anomalies.extend(cut.map(Cut::anomaly));
            if code.is_none() && cut.is_none() {
                anomalies.push(CaptureAnomalyKind::BadStatus);
            }
            body = Some(decoded.body)
                .filter(|_| !row.is_failed)
                .filter(|body| {
                    row.body.is_some() && !(body.is_empty() && cut.is_some())
                        || row.scanned.is_none() && cut.is_none()
                });
        }
        let truncated = match row.truncated {
            Some(reason) => Some(to_lower_case(header_text(reason.trim_ascii()))),
            None => cut.map(|cut| cut.reason().into()),
        };
        let media_type = response.header_part(HeaderName::ContentType, media_type);
        let media_type = media_type.or(row.mime_type.map(header_text));
        Self {
            url_raw: row.url,
            is_robots_path: match &url {
                Some(url) => url.is_robots_path(),
                None => row.url.ends_with(b"/robots.txt"),
            },
            url: url.map(ParsedUrl::into_columns),
            record: RecordMetadata {
                id: None,
                ip_address: None,
                is_revisit: row.is_revisit,
                is_doubtful: row.scanned.map_or(Some(false), |row| row.is_doubtful),
            },
            parse_options: ParseOptions {
                body_limit: scope.body_limit,
                is_truncated: cut.is_some(),
            },
            content: ContentMetadata {
                digest: match row.digest {
                    Some(digits) if digest::is_base32_sha1(digits) => Some(header_text(digits)),
                    stated => payload_digest(stated, body.as_deref()),
                },
                mime_type: media_type
                    .filter(|media_type| !media_type.is_empty())
                    .map(to_lower_case),
                mime_detected: row.mime_detected.map(header_text),
                truncated,
            },
            headers: ResponseHeaders::from_response(&response).or_columns(&row.fields),
            is_challenge_if_html: find_challenge(
                &response,
                body.as_deref(),
                is_success,
                &mut anomalies,
            ),
            fetch: Fetch {
                time: row.time,
                status: row.status,
                http_status: HttpStatus {
                    code,
                    has_location: redirect.is_some(),
                },
                redirect,
            },
            cut,
            body,
            anomalies,
        }
    }

    /// Compares the digests of the capture's record with its bytes.
    ///
    /// Returns the header field that differs, if any, and marks the capture as doubtful.
    pub fn verify_digests(&mut self, record: &Record<'_>) -> Option<&'static str> {
        let field = digest::find_digest_mismatch(record)?;
        self.record.is_doubtful = Some(true);
        Some(field)
    }

    /// Returns true if the body is to be parsed as a robots.txt file.
    pub fn should_parse(&self) -> bool {
        self.body.is_some() && matches!(self.fetch.http_status.code, Some(200..=299))
    }
}

impl<'a> CaptureTarget<'a> {
    /// Returns the type and the URL of a record, or `None` if the record is not a capture.
    fn from_record(record: &Record<'a>, scope: CaptureScope) -> Option<Self> {
        let record_type = record.record_type();
        if !matches!(
            record_type,
            RecordType::Response | RecordType::Revisit | RecordType::Resource
        ) {
            return None;
        }
        // The subset also holds the targets of redirects.
        let accepts_any_path = scope.is_robots_subset && record_type != RecordType::Resource;
        let raw = record.target_uri().unwrap_or_default();
        // Most records of a crawl are other pages: this avoids parsing their URLs.
        if !accepts_any_path && memchr::memmem::find(raw, b"/robots.txt").is_none() {
            return None;
        }
        let url = ParsedUrl::parse(raw);
        // A URL that cannot be parsed is accepted if it ends in the path.
        let is_robots_path = match &url {
            Some(url) => url.is_robots_path(),
            None => raw.ends_with(b"/robots.txt"),
        };
        (accepts_any_path || is_robots_path).then_some(Self {
            record_type,
            raw,
            url,
            is_robots_path,
        })
    }
}

impl<'a> RecordMetadata<'a> {
    fn new(record: &Record<'a>, record_type: RecordType) -> Self {
        Self {
            id: record.field(FieldName::RecordId).map(|id| {
                let id = id.trim_ascii();
                let id = id.strip_prefix(b"<").unwrap_or(id);
                header_text(id.strip_suffix(b">").unwrap_or(id))
            }),
            ip_address: record.field(FieldName::IpAddress).map(header_text),
            is_revisit: record_type == RecordType::Revisit,
            is_doubtful: match record.integrity() {
                Integrity::Verified | Integrity::Unguarded => Some(false),
                Integrity::Damaged => Some(true),
                Integrity::Unknown => None,
            },
        }
    }
}

impl Fetch {
    fn new(
        time: Option<i64>,
        response: &Response<'_>,
        target: &CaptureTarget<'_>,
        anomalies: &mut Vec<CaptureAnomalyKind>,
    ) -> Self {
        // A resource record has no HTTP response: the crawler obtained it by other means.
        let code = match target.record_type {
            RecordType::Resource => Some(200),
            _ => response.status,
        };
        let redirect = find_redirect(code, response, target.url.as_ref(), None, anomalies);
        Self {
            time,
            status: response.status,
            http_status: HttpStatus {
                code,
                has_location: redirect.is_some(),
            },
            redirect,
        }
    }
}

impl<'a> ContentMetadata<'a> {
    fn new(
        record: &Record<'a>,
        record_type: RecordType,
        response: &Response<'a>,
        truncated: Option<Cow<'a, str>>,
    ) -> Self {
        let body = match record_type {
            RecordType::Revisit => None,
            _ => Some(response.body),
        };
        let mime_type = match record_type {
            RecordType::Resource => record
                .field(FieldName::ContentType)
                .map(|value| header_text(media_type(value))),
            _ => response.header_part(HeaderName::ContentType, media_type),
        };
        Self {
            digest: payload_digest(record.field(FieldName::PayloadDigest), body),
            mime_type: mime_type
                .filter(|media_type| !media_type.is_empty())
                .map(to_lower_case),
            mime_detected: record
                .field(FieldName::IdentifiedPayloadType)
                .map(header_text),
            truncated,
        }
    }
}

impl<'a> ResponseHeaders<'a> {
    fn from_response(response: &Response<'a>) -> Self {
        Self {
            server: response.header_text(HeaderName::Server),
            last_modified: response.header_text(HeaderName::LastModified),
            content_usage: response.header_text(HeaderName::ContentUsage),
            tdm_reservation: response.header_text(HeaderName::TdmReservation),
            waf_hint: waf::detect_firewall(response),
        }
    }

    /// Takes the values of columns where the response has no field.
    fn or_columns(self, columns: &RowFields<'a>) -> Self {
        let text = |value: Option<&'a [u8]>| value.map(header_text);
        Self {
            server: self.server.or(text(columns.server)),
            last_modified: self.last_modified.or(text(columns.last_modified)),
            content_usage: self.content_usage.or(text(columns.content_usage)),
            tdm_reservation: self.tdm_reservation.or(text(columns.tdm_reservation)),
            waf_hint: (self.waf_hint).or_else(|| waf::firewall_name(columns.waf_hint?)),
        }
    }
}

/// Returns the absolute target of a redirect; `None` if no redirect can be followed. `stated` is the target
/// if the response has no header field `Location`.
fn find_redirect(
    code: Option<u16>,
    response: &Response<'_>,
    base: Option<&ParsedUrl<'_>>,
    stated: Option<&[u8]>,
    anomalies: &mut Vec<CaptureAnomalyKind>,
) -> Option<String> {
    if !matches!(code, Some(300..=399)) {
        return None;
    }
    let location = response.header(HeaderName::Location).or(stated);
    let location = location.filter(|location| !location.is_empty());
    let redirect = location
        .and_then(|location| base?.join(location))
        .map(|url| url.into_text().into_owned());
    if code != Some(304) && redirect.is_none() {
        anomalies.push(CaptureAnomalyKind::RedirectWithoutLocation);
    }
    redirect
}

/// Adds the anomaly of a challenge, by its header, or by its page if the status is not 2xx. Returns true if the body of a
/// 2xx response is a challenge page, provided that the parser finds it to be HTML.
fn find_challenge(
    response: &Response<'_>,
    body: Option<&[u8]>,
    is_success: bool,
    anomalies: &mut Vec<CaptureAnomalyKind>,
) -> bool {
    let has_header = waf::has_challenge_header(response);
    let is_page =
        !has_header && body.is_some_and(|body| waf::is_challenge_page(response.status, body));
    if has_header || (is_page && !is_success) {
        anomalies.push(CaptureAnomalyKind::ChallengePage);
    }
    is_page && is_success
}

/// Parses the response in a record. The block of a resource record is its body.
fn read_response<'a>(
    record: &Record<'a>,
    record_type: RecordType,
    anomalies: &mut Vec<CaptureAnomalyKind>,
) -> Response<'a> {
    let block = record.block();
    let mut response = match record_type {
        RecordType::Resource => Response::from_body(block),
        _ => Response::parse(block),
    };
    if record.has_length_quirk() {
        anomalies.push(CaptureAnomalyKind::LengthQuirk);
        response.body = response.body.strip_prefix(b"\r\n").unwrap_or(response.body);
    }
    if response.is_header_cut {
        anomalies.push(CaptureAnomalyKind::HeadersCut);
    }
    response
}

/// Decodes the body of a response, up to `max_bytes`.
fn decode_body<'a>(
    response: &Response<'a>,
    max_bytes: usize,
    anomalies: &mut Vec<CaptureAnomalyKind>,
) -> DecodedBody<'a> {
    let decoded = response.decode(max_bytes);
    if decoded.is_misdeclared {
        anomalies.push(CaptureAnomalyKind::Misdeclared);
    }
    if decoded.body.starts_with(b"\x1f\x8b") {
        anomalies.push(CaptureAnomalyKind::UndeclaredGzip);
    }
    decoded
}

/// Removes the first line of a part of a file that may begin within a line.
fn skip_partial_line<'a>(response: &Response<'_>, body: Cow<'a, [u8]>) -> Cow<'a, [u8]> {
    if (response.content_range()).is_none_or(|range| range.first == 0) {
        return body;
    }
    let start = body.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
    let start = start.unwrap_or(body.len());
    match body {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[start..]),
        Cow::Owned(bytes) => Cow::Owned(bytes[start..].to_vec()),
    }
}

/// Returns a media type without its parameters.
fn media_type(value: &[u8]) -> &[u8] {
    let end = memchr::memchr(b';', value).unwrap_or(value.len());
    value[..end].trim_ascii()
}

fn to_lower_case(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        text
    }
}

/// Returns the SHA-1 of the payload in base32: the stated one, or that of the body as stored.
fn payload_digest<'a>(stated: Option<&'a [u8]>, body: Option<&[u8]>) -> Option<Cow<'a, str>> {
    if let Some(stated) = stated {
        let stated = stated.trim_ascii();
        // The usual notation needs no conversion.
        if let Some(digits) = stated.strip_prefix(b"sha1:")
            && digest::is_base32_sha1(digits)
        {
            return Some(header_text(digits));
        }
        if let Some(octets) = parse_sha1(stated) {
            return Some(Cow::Owned(encode_base32(&octets)));
        }
    }
    use sha1::Digest as _;
    body.map(|body| Cow::Owned(encode_base32(&sha1::Sha1::digest(body))))
}

/// Encodes bytes in base32 (RFC 4648 §6). The length must be a multiple of 5: no padding is added.
fn encode_base32(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut out = String::with_capacity(bytes.len().div_ceil(5) * 8);
    let (mut bits, mut bit_count) = (0u32, 0);
    for &byte in bytes {
        bits = bits << 8 | u32::from(byte);
        bit_count += 8;
        while bit_count >= 5 {
            bit_count -= 5;
            out.push(char::from(ALPHABET[(bits >> bit_count & 31) as usize]));
        }
    }
    out
}

#[cfg(test)]
mod tests;

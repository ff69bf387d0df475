//! Responses are parsed as by the oracle in `tests/checks/oracle/response.rs`, and captures have the values of
//! their responses.

use super::oracle::response::{self, Response as ResponseOracle};
use super::{shown, sum_of};
use capture::anomaly::CaptureAnomalyKind;
use capture::cut::Cut;
use capture::header_name::HeaderName;
use capture::http::Response;
use capture::{Capture, CaptureScope};
use std::io::{Cursor, Write as _};
use warc::{Limits, Reader, RecordType};

/// The number of header fields up to which they are compared. Of an input with more, not all are read.
const MAX_FIELDS: usize = 4096;

/// A body limit in bytes that no input reaches.
const LARGE: usize = 1 << 18;

/// Checks `block` as the block of a record.
pub fn check(block: &[u8]) {
    let sum = sum_of(block) as usize;
    let (response, oracle) = (Response::parse(block), ResponseOracle::read(block));
    assert_eq!(response.status, oracle.status, "{}", shown(block));
    assert_eq!(response.body, oracle.body, "{}", shown(block));
    let is_whole = oracle.fields.len() <= MAX_FIELDS;
    for &name in HeaderName::ALL.iter().filter(|_| is_whole) {
        let (value, expected) = (
            response.header(name),
            oracle.field(name.as_str().as_bytes()),
        );
        assert_eq!(value, expected, "{name:?} of {}", shown(block));
    }
    // Limits that are equal to the size of the body or of the decoded chunks.
    let chunks = response::chunks(&oracle.body, LARGE).map_or(0, |(body, _)| body.len());
    for limit in [
        LARGE,
        sum % 99,
        oracle.body.len(),
        chunks,
        chunks.saturating_sub(1),
    ] {
        assert_decoded(&response, &oracle, limit, block);
    }
    assert_codings_undone(&oracle.body, sum);
    for kind in ["response", "resource", "revisit"] {
        assert_capture(kind, block, &oracle, sum);
    }
}

/// Asserts that a decoded body is not longer than the limit, and that it is the expected one where the
/// oracle can decode it.
fn assert_decoded(response: &Response<'_>, oracle: &ResponseOracle, limit: usize, block: &[u8]) {
    let codings = oracle.codings();
    let decoded = response.decode(limit);
    let seen = (
        decoded.body.as_ref(),
        decoded.is_cut,
        decoded.is_misdeclared,
    );
    let of = || format!("{seen:?} within {limit} of {}", shown(block));
    assert!(decoded.body.len() <= limit, "{}", of());
    let again = response.decode(limit);
    assert_eq!(
        (again.body.as_ref(), again.is_cut, again.is_misdeclared),
        seen,
        "{}",
        of()
    );
    let stored = &oracle.body[..oracle.body.len().min(limit)];
    let is_over = oracle.body.len() > limit;
    let is_text = (oracle.body.iter()).all(|&byte| byte >= b' ' || b"\t\n\x0c\r".contains(&byte));
    if codings.is_empty() || oracle.body.is_empty() {
        assert_eq!(seen, (stored, is_over, false), "{}", of());
    } else if codings == [b"chunked"] {
        match response::chunks(&oracle.body, limit) {
            Some((body, is_cut)) => {
                assert_eq!(seen, (body.as_slice(), is_cut, false), "{}", of());
            }
            None => assert_eq!(seen, (stored, is_over || !is_text, true), "{}", of()),
        }
    } else {
        let known = ["chunked", "gzip", "x-gzip", "deflate", "br", "zstd"].map(str::as_bytes);
        if !codings
            .iter()
            .any(|coding| known.contains(&coding.as_slice()))
        {
            assert_eq!(seen, (stored, is_over || !is_text, true), "{}", of());
        }
    }
}

/// Asserts that an encoded body is decoded to the original.
fn assert_codings_undone(body: &[u8], sum: usize) {
    let (gzip, chunked) = (gzip(body), chunked(body, 1 + sum % 70));
    let both = self::chunked(&gzip, 1 + sum % 50);
    let zstd = zstd::encode_all(body, 1).expect("writing to a Vec never fails");
    for (fields, coded) in [
        ("Content-Encoding: gzip", &gzip),
        ("Content-Encoding: zstd", &zstd),
        ("Transfer-Encoding: chunked", &chunked),
        ("Transfer-Encoding: chunked, chunked", &chunked),
        (
            "Transfer-Encoding: chunked\r\nContent-Encoding: x-gzip",
            &both,
        ),
        ("Transfer-Encoding: gzip, chunked", &both),
    ] {
        let head = format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n");
        let block = [head.as_bytes(), coded].concat();
        let decoded = Response::parse(&block).decode(LARGE);
        let seen = (
            decoded.body.as_ref(),
            decoded.is_cut,
            decoded.is_misdeclared,
        );
        assert_eq!(seen, (body, false, false), "{fields} of {}", shown(body));
    }
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let written = writer.write_all(body).and_then(|()| writer.finish());
    written.expect("writing to a Vec never fails")
}

fn chunked(body: &[u8], size: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in body.chunks(size) {
        out.extend(format!("{:x}\r\n", chunk.len()).bytes());
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"0\r\n\r\n");
    out
}

/// Asserts that the capture of a record with this block has the values of the response.
fn assert_capture(kind: &str, block: &[u8], oracle: &ResponseOracle, sum: usize) {
    let archive = [
        b"WARC/1.1\r\nWARC-Type: ",
        kind.as_bytes(),
        b"\r\nWARC-Target-URI: https://example.com/robots.txt\r\nWARC-Date: 2026-11-01T00:00:00Z\r\nContent-Length: ",
        block.len().to_string().as_bytes(),
        b"\r\n\r\n",
        block,
        b"\r\n\r\n",
    ]
    .concat();
    let mut reader = Reader::new(Limits::default());
    let opened = reader.open_stream(Box::new(Cursor::new(archive)));
    opened.expect("a plain archive");
    assert!(reader.read_record().expect("a record"), "{}", shown(block));
    let record = reader.record();
    let scope = CaptureScope {
        is_robots_subset: sum & 1 == 0,
        max_body_bytes: if sum & 2 == 0 { LARGE } else { sum % 200 },
        body_limit: None,
    };
    let capture = Capture::read(&record, scope).expect("a capture of /robots.txt");
    let of = || format!("{kind}: {capture:?} of {}", shown(block));
    let is_http = record.record_type() != RecordType::Resource;
    let status = if is_http { oracle.status } else { None };
    assert_eq!(capture.fetch.status, status, "{}", of());
    let code = if is_http { oracle.status } else { Some(200) };
    assert_eq!(capture.fetch.http_status.code, code, "{}", of());
    assert!(capture.is_robots_path && capture.url.is_some(), "{}", of());
    let has = |anomaly| capture.anomalies.contains(&anomaly);
    let is_revisit = kind == "revisit";
    let is_without_status = is_http && oracle.is_without_status && !is_revisit;
    let is_success = matches!(code, Some(200..=299));
    assert_eq!(
        has(CaptureAnomalyKind::BadStatus),
        code.is_none() && !is_without_status,
        "{}",
        of()
    );
    assert!(
        !has(CaptureAnomalyKind::BadUrl) && !has(CaptureAnomalyKind::BadDate),
        "{}",
        of()
    );
    if capture.fetch.redirect.is_some() {
        assert!(matches!(status, Some(300..=399)), "{}", of());
        assert!(oracle.field(b"location").is_some(), "{}", of());
    }
    assert_eq!(capture.record.is_revisit, kind == "revisit", "{}", of());
    match record.record_type() {
        RecordType::Revisit => assert!(
            capture.body.is_none() && !capture.should_parse(),
            "{}",
            of()
        ),
        RecordType::Resource => {
            let len = block.len().min(scope.max_body_bytes);
            let is_cut = len < block.len();
            let body = Some(&block[..len]).filter(|body| !is_cut || !body.is_empty());
            assert_eq!(capture.body.as_deref(), body, "{}", of());
            assert_eq!(capture.cut, is_cut.then_some(Cut::Coding), "{}", of());
        }
        _ => {
            let response = Response::parse(block);
            let decoded = response.decode(scope.max_body_bytes);
            assert_eq!(
                has(CaptureAnomalyKind::Misdeclared),
                decoded.is_misdeclared,
                "{}",
                of()
            );
            let is_whole_header = !has(CaptureAnomalyKind::HeadersCut);
            let cut = if is_without_status {
                Some(Cut::StatusLine)
            } else if code.is_none() {
                None
            } else if is_success && oracle.is_without_body {
                Some(Cut::Header)
            } else if oracle.is_part() {
                Some(Cut::Range)
            } else if decoded.is_cut {
                Some(Cut::Coding)
            } else {
                let is_short = is_success && oracle.is_short();
                is_short.then_some(Cut::Length)
            };
            if is_whole_header {
                assert_eq!(capture.cut, cut, "{}", of());
            }
            // Of a cut body of which nothing is stored, nothing is known.
            let is_missing = decoded.body.is_empty() && capture.cut.is_some();
            if capture.cut != Some(Cut::Range) {
                let body = (!is_missing).then_some(decoded.body);
                assert_eq!(capture.body, body, "{}", of());
            }
        }
    }
    let is_cut = capture.cut.is_some();
    assert_eq!(capture.parse_options.is_truncated, is_cut, "{}", of());
    assert_eq!(capture.content.truncated.is_some(), is_cut, "{}", of());
    let server = oracle.field(b"server").filter(|_| is_http);
    assert_eq!(
        capture.headers.server.is_some(),
        server.is_some(),
        "{}",
        of()
    );
    if let Some(server) = server.and_then(|value| std::str::from_utf8(value).ok()) {
        assert_eq!(capture.headers.server.as_deref(), Some(server), "{}", of());
    }
    if let Some(digest) = &capture.content.digest {
        let is_base32 = |byte: u8| matches!(byte, b'A'..=b'Z' | b'2'..=b'7');
        assert!(
            digest.len() == 32 && digest.bytes().all(is_base32),
            "{}",
            of()
        );
    }
}

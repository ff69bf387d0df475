//! Reads made records as captures.

use super::*;
use std::io::Write;

#[test]
fn a_stated_digest_is_written_in_base32_and_a_missing_one_computed() {
    // SHA-1 of `hello` and of the empty body, from `sha1sum` and `base32`.
    const HELLO: &str = "VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N";
    const EMPTY: &str = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";
    for stated in [
        " sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N",
        "SHA1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N",
        "sha1:vl2mmho4yxukfwv63yhtwsbm3gxksq2n",
        "sha1:AAF4C61DDCC5E8A2DABEDE0F3B482CD9AEA9434D",
    ] {
        let digest = payload_digest(Some(stated.as_bytes()), Some(b""));
        assert_eq!(digest.as_deref(), Some(HELLO), "{stated}");
    }
    for stated in [
        None,
        Some(""),
        Some("VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N"),
        Some("sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2"),
        Some("sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ20"),
        Some("md5:5d41402abc4b2a76b9719d911017c592"),
    ] {
        let stated = stated.map(str::as_bytes);
        assert_eq!(payload_digest(stated, Some(b"")).as_deref(), Some(EMPTY));
        assert_eq!(payload_digest(stated, None), None);
    }
}

const SCOPE: CaptureScope = CaptureScope {
    is_robots_subset: true,
    max_body_bytes: 1 << 20,
    body_limit: None,
};

const ROBOTS: &str = "User-agent: *\nDisallow: /b\nDisallow: /pri";

/// Returns the values of a capture whose record has these fields and this response.
fn read_capture(record_fields: &str, response: &str) -> CaptureValues {
    let length = format!("Content-Length: {}\r\n", response.len());
    read_block(&[record_fields, &length].concat(), response)
}

/// Returns the values of a capture whose record states its own length.
fn read_block(record_fields: &str, block: &str) -> CaptureValues {
    let archive = format!(
        "WARC/1.0\r\nWARC-Target-URI: https://a.example/robots.txt\r\n\
         WARC-Date: 2026-01-01T00:00:00Z\r\n{record_fields}\r\n{block}\r\n\r\n"
    );
    // As a member of its own: the records of 2018 are recognized by their members.
    let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    member.write_all(archive.as_bytes()).unwrap();
    let mut reader = warc::Reader::new(warc::Limits::default());
    let stream = std::io::Cursor::new(member.finish().unwrap());
    reader.open_stream(Box::new(stream)).unwrap();
    assert!(reader.read_record().unwrap());
    let record = reader.record();
    let capture = Capture::read(&record, SCOPE).unwrap();
    let location = record.location();
    let mut analyzer = analysis::Analyzer::default();
    let verdicts = analyzer.analyze(0, location, &capture).verdicts;
    CaptureValues {
        body: capture.body.as_deref().map(<[u8]>::to_vec),
        truncated: capture.content.truncated.as_deref().map(str::to_owned),
        is_short: capture.cut == Some(Cut::Length),
        verdict: verdicts[0].verdict,
        basis: verdicts[0].basis,
        n_disallow: verdicts[0].n_disallow,
    }
}

#[derive(Debug, PartialEq)]
struct CaptureValues {
    body: Option<Vec<u8>>,
    truncated: Option<String>,
    is_short: bool,
    verdict: robots::Verdict,
    basis: robots::Basis,
    n_disallow: u32,
}

impl CaptureValues {
    /// Returns the values of a capture that has [`ROBOTS`] as its whole body.
    fn of_whole_file() -> Self {
        Self {
            body: Some(ROBOTS.as_bytes().to_vec()),
            truncated: None,
            is_short: false,
            verdict: robots::Verdict::Partial,
            basis: robots::Basis::Wildcard,
            n_disallow: 2,
        }
    }

    /// Returns the values of a capture of which nothing is stored.
    fn of_nothing(truncated: &str, is_short: bool) -> Self {
        Self {
            body: None,
            truncated: Some(truncated.to_owned()),
            is_short,
            verdict: robots::Verdict::Unknown,
            basis: robots::Basis::HttpStatus,
            n_disallow: 0,
        }
    }
}

fn ok(fields: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\n{fields}\r\n{body}")
}

#[test]
fn nothing_is_known_of_a_cut_body_of_which_nothing_is_stored() {
    let response = "WARC-Type: response\r\n";
    assert_eq!(
        read_capture(response, &ok("Content-Length: 275622\r\n", "")),
        CaptureValues::of_nothing("unspecified", true)
    );
    let truncated = "WARC-Type: response\r\nWARC-Truncated: disconnect\r\n";
    assert_eq!(
        read_capture(truncated, &ok("Content-Length: 1\r\n", "")),
        CaptureValues::of_nothing("disconnect", false)
    );
    assert_eq!(
        read_capture(response, &ok("Transfer-Encoding: chunked\r\n", "2a\r\n")),
        CaptureValues::of_nothing("length", false)
    );
    for fields in ["", "Content-Length: 0\r\n"] {
        let empty = read_capture(response, &ok(fields, ""));
        assert_eq!(empty.verdict, robots::Verdict::AllowAll);
        assert_eq!(empty.basis, robots::Basis::Empty);
    }
    // The server sent no body, whatever it announced.
    let not_found = "HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\n";
    let not_found = read_capture(response, not_found);
    assert_eq!(not_found.verdict, robots::Verdict::AllowAll);
    assert!(!not_found.is_short);
}

#[test]
fn the_last_line_of_a_body_that_is_shorter_than_announced_does_not_count() {
    let announced = |bytes: usize| {
        let fields = format!("Content-Length: {bytes}\r\n");
        read_capture("WARC-Type: response\r\n", &ok(&fields, ROBOTS))
    };
    for missing in [3, 6, 1 << 40] {
        let short = announced(ROBOTS.len() + missing);
        let expected = CaptureValues {
            truncated: Some("unspecified".to_owned()),
            is_short: true,
            n_disallow: 1,
            ..CaptureValues::of_whole_file()
        };
        assert_eq!(short, expected, "{missing}");
    }
    let is_short = |file: &str, missing: usize| {
        let fields = format!("Content-Length: {}\r\n", file.len() + missing);
        read_capture("WARC-Type: response\r\n", &ok(&fields, file)).is_short
    };
    // Others store LF in place of CRLF.
    let file = [ROBOTS, "\n\n\n"].concat();
    for (missing, expected) in [(4, true), (5, false), (6, true)] {
        assert_eq!(is_short(&file, missing), expected, "{missing}");
    }
    assert!(is_short(&[&file, "#"].concat(), 5));
    // Some WARC writers trim the last line end, and others store more than was announced.
    for bytes in [0, 1, ROBOTS.len(), ROBOTS.len() + 1] {
        assert_eq!(announced(bytes), CaptureValues::of_whole_file(), "{bytes}");
    }
    for (file, missing, expected) in [
        ("User-agent: *\r\nDisallow: /", 2, false),
        ("User-agent: *\nDisallow: ", 2, true),
        ("User-agent: *\r\nDisallow: /", 3, true),
    ] {
        assert_eq!(is_short(file, missing), expected, "{file:?}");
    }
}

#[test]
fn the_announced_length_is_compared_only_if_it_is_that_of_the_stored_bytes() {
    let response = "WARC-Type: response\r\n";
    for fields in [
        // CC-NEWS before 16 May 2019 stores decoded bodies under the original fields.
        "Content-Encoding: gzip\r\nContent-Length: 900\r\n",
        "content-length: 900\r\ncontent-encoding: br\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 900\r\n",
        "X-Crawler-Content-Encoding: gzip\r\nContent-Length: 900\r\n",
        "X-Crawl-Transfer-Encoding: chunked\r\nContent-Length: 900\r\n",
        "Content-Length: 900\r\nx-orig-content-encoding: gzip\r\n",
        "X-Archive-Orig-Content-Encoding: gzip\r\nContent-Length: 900\r\n",
        "X-Crawler-Content-Length: 900\r\n",
        "Content-Length: 900\r\nContent-Length: 40\r\n",
        "Content-Length: 9e2\r\n",
        "Content-Length: +900\r\n",
        "Content-Length:\r\n",
        "Content-Length: 99999999999999999999999\r\n",
    ] {
        let whole = read_capture(response, &ok(fields, ROBOTS));
        assert_eq!(whole, CaptureValues::of_whole_file(), "{fields}");
    }
    for fields in [
        "Content-Length: 900\r\nContent-Length: 900\r\n",
        "Content-Length: 900, 900\r\n",
        "Content-Encoding: identity\r\nContent-Length: 900\r\n",
    ] {
        assert!(
            read_capture(response, &ok(fields, ROBOTS)).is_short,
            "{fields}"
        );
    }
    // If nothing is stored, any length but 0 shows that bytes are missing.
    for (fields, is_short) in [
        ("Content-Length: 900\r\nContent-Encoding: gzip\r\n", true),
        (
            "X-Crawler-Content-Encoding: gzip\r\nContent-Length: 900\r\n",
            true,
        ),
        ("Content-Length: 60, 60\r\n", true),
        ("Content-Length: 0\r\nContent-Length: 60\r\n", true),
        ("Content-Length: 99999999999999999999999\r\n", true),
        ("Content-Length: x\r\n", true),
        ("X-Crawl-Content-Length: 33\r\n", true),
        ("X-Archive-Orig-Content-Length: 900\r\n", true),
        ("X-Crawl-Content-Length: 32\r\n", false),
        (
            "X-Crawl-Content-Length: 900\r\nContent-Length: 0\r\n",
            false,
        ),
        ("Content-Length: 0, 0\r\n", false),
        ("Content-Encoding: gzip\r\n", false),
    ] {
        let found = read_capture(response, &ok(fields, ""));
        assert_eq!(found.is_short, is_short, "{fields}");
        assert_eq!(
            found.verdict == robots::Verdict::Unknown,
            is_short,
            "{fields}"
        );
    }
    let revisit = read_capture("WARC-Type: revisit\r\n", &ok("Content-Length: 900\r\n", ""));
    assert_eq!((revisit.truncated, revisit.is_short), (None, false));
    let resource = "WARC-Type: resource\r\nContent-Type: text/plain\r\n";
    assert_eq!(
        read_capture(resource, ROBOTS),
        CaptureValues::of_whole_file()
    );
}

#[test]
fn a_part_of_a_file_is_cut_unless_its_range_is_the_whole() {
    let read = |range: &str, body: &str| {
        let head = format!("HTTP/1.1 206 Partial Content\r\n{range}\r\n\r\n");
        read_capture("WARC-Type: response\r\n", &[&head, body].concat())
    };
    let whole = format!(
        "Content-Range: bytes 0-{}/{}",
        ROBOTS.len() - 1,
        ROBOTS.len()
    );
    assert_eq!(read(&whole, ROBOTS), CaptureValues::of_whole_file());
    for range in [
        "",
        "Content-Range: bytes 0-40/500",
        "Content-Range: bytes 0-40/*",
        "Content-Range: bytes */41",
        "Content-Range: bytes 0-18446744073709551615/0",
        "Content-Range: lines 0-40/41",
    ] {
        let part = read(range, ROBOTS);
        assert_eq!(
            (part.truncated.as_deref(), part.n_disallow),
            (Some("unspecified"), 1),
            "{range}"
        );
    }
    // The first line of a part may be the end of another line.
    let part = read("Content-Range: bytes 9-49/500", ROBOTS);
    assert_eq!(
        (part.verdict, part.n_disallow),
        (robots::Verdict::Unknown, 0)
    );
}

#[test]
fn nothing_is_known_of_a_cut_response_without_a_whole_rule() {
    let read = |fields: &str, block: &str| {
        let capture = read_capture(fields, block);
        (capture.verdict, capture.basis, capture.truncated)
    };
    let response = "WARC-Type: response\r\n";
    let unknown = |reason: &str| {
        (
            robots::Verdict::Unknown,
            robots::Basis::HttpStatus,
            Some(reason.to_owned()),
        )
    };
    for body in [
        "U",
        " ",
        "\u{feff}",
        "# a",
        "Sitemap: x\n",
        "User-agent: *\nDisallow: /",
        "Disallow: /\n",
    ] {
        let short = ok("Content-Length: 900\r\n", body);
        assert_eq!(read(response, &short), unknown("unspecified"), "{body}");
        let truncated = [response, "WARC-Truncated: time\r\n"].concat();
        assert_eq!(read(&truncated, &ok("", body)), unknown("time"), "{body}");
    }
    for block in [
        "",
        "HTTP/1.1 404 x",
        "HTTP/1.1 100 x\r\n\r\n",
        "HTTP/1.1 200 x\r\nA: b\r\n",
    ] {
        assert_eq!(read(response, block), unknown("unspecified"), "{block}");
    }
    let resource = "WARC-Type: resource\r\nWARC-Truncated: length\r\n";
    assert_eq!(read(resource, ""), unknown("length"));
    // A whole status line decides, and a page is one by its beginning.
    assert_eq!(
        read(response, "HTTP/1.1 404 x\r\nA: b").0,
        robots::Verdict::AllowAll
    );
    let unreadable = [response, "WARC-Truncated: time\r\n"].concat();
    let unreadable = read(&unreadable, "HTTP/1.1 abc\r\n\r\n");
    assert_eq!(unreadable.0, robots::Verdict::DisallowAll);
    let page = read(
        response,
        &ok("Content-Length: 900\r\n", "<!DOCTYPE html><html>"),
    );
    assert_eq!(page.1, robots::Basis::Html);
    // A redirect whose target may be missing.
    let redirect = read(response, "HTTP/1.1 301 x\r\nLocation: https://b.exam");
    assert_eq!(redirect.0, robots::Verdict::Unknown);
}

#[test]
fn a_record_of_2018_with_an_extra_empty_line_is_complete() {
    // CC-MAIN-2018-34 has an empty line before the payload that no length counts.
    let fields = format!("Content-Length: {}\r\n", ROBOTS.len());
    let block = ok(&fields, &["\r\n", ROBOTS].concat());
    let stated = format!("Content-Length: {}\r\n", block.len() - 2);
    assert_eq!(
        read_block(&["WARC-Type: response\r\n", &stated].concat(), &block),
        CaptureValues::of_whole_file()
    );
}

#[test]
fn base32_is_that_of_rfc_4648() {
    use sha1::Digest as _;
    assert_eq!(
        encode_base32(&sha1::Sha1::digest(b"")),
        "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
    );
    assert_eq!(encode_base32(b"fooba"), "MZXW6YTB");
}

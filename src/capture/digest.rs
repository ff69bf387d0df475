//! Compares the digests in the header of a record with its bytes.
//!
//! `WARC-Block-Digest` is unambiguous: every writer computes it over the block. Where it is absent,
//! `WARC-Payload-Digest` is compared with each of the forms that writers take for the payload: the
//! body as stored (Heritrix, wget, warcio, Common Crawl), the body without chunked coding, and the
//! whole block (ClueWeb22). Only SHA-1 is supported, in base32 or hexadecimal: about one archive in
//! a hundred uses another algorithm. docs/operations.md lists what is not compared.

use crate::http::Response;
use sha1::{Digest as _, Sha1};
use warc::{FieldName, Record, RecordType};

/// The fault code of a capture whose digest differs from its bytes.
pub const DIGEST_MISMATCH: &str = "digest_mismatch";

/// Returns the header field whose digest differs from the record, if any.
///
/// Nothing is compared if only a part of the record was read, if its length was corrected, or if
/// the digest uses another algorithm or notation.
pub(crate) fn find_digest_mismatch(record: &Record<'_>) -> Option<&'static str> {
    if record.is_truncated() || record.has_length_quirk() {
        return None;
    }
    let block = record.block();
    if let Some(stated) = record.field(FieldName::BlockDigest).and_then(parse_sha1) {
        return (sha1(block) != stated).then_some(FieldName::BlockDigest.as_str());
    }
    // The digest of a revisit is that of the capture it refers to, and the digest of a truncated
    // payload may be that of the whole one.
    if record.record_type() == RecordType::Revisit || record.field(FieldName::Truncated).is_some() {
        return None;
    }
    let stated = record
        .field(FieldName::PayloadDigest)
        .and_then(parse_sha1)?;
    let is_http = record.record_type() != RecordType::Resource;
    let response = Response::parse(if is_http { block } else { b"" });
    let has_interim = response.first_body.len() > response.body.len();
    let agrees = is_http && sha1(response.body) == stated
        || has_interim && sha1(response.first_body) == stated
        || sha1(block) == stated
        || response
            .decode_chunks(block.len())
            .is_some_and(|body| sha1(&body) == stated);
    (!agrees).then_some(FieldName::PayloadDigest.as_str())
}

fn sha1(bytes: &[u8]) -> [u8; 20] {
    Sha1::digest(bytes).into()
}

/// Returns true if `digits` have the form of a SHA-1 in base32, in upper case (RFC 4648 §6).
pub(crate) fn is_base32_sha1(digits: &[u8]) -> bool {
    let is_digit = |digit: u8| digit.is_ascii_uppercase() | matches!(digit, b'2'..=b'7');
    // All digits are tested, without a branch for each.
    digits.len() == 32
        && digits
            .iter()
            .fold(true, |all, &digit| all & is_digit(digit))
}

/// Returns the 20 octets of a labelled SHA-1 (`sha1:…`), in base32 or hexadecimal of any case.
pub(crate) fn parse_sha1(value: &[u8]) -> Option<[u8; 20]> {
    let value = value.trim_ascii();
    let (label, digits) = value.split_at_checked(5)?;
    if !label.eq_ignore_ascii_case(b"sha1:") {
        return None;
    }
    let bits_per_digit = match digits.len() {
        32 => 5,
        40 => 4,
        _ => return None,
    };
    let mut octets = [0; 20];
    let mut next = octets.iter_mut();
    let (mut bits, mut bit_count) = (0u16, 0);
    for &digit in digits {
        let number = match (bits_per_digit, digit.to_ascii_lowercase()) {
            (5, letter @ b'a'..=b'z') => letter - b'a',
            (5, digit @ b'2'..=b'7') => digit - b'2' + 26,
            (4, digit @ b'0'..=b'9') => digit - b'0',
            (4, letter @ b'a'..=b'f') => letter - b'a' + 10,
            _ => return None,
        };
        bits = bits << bits_per_digit | u16::from(number);
        bit_count += bits_per_digit;
        if bit_count >= 8 {
            bit_count -= 8;
            *next.next()? = (bits >> bit_count) as u8;
        }
    }
    Some(octets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;
    use warc::{Limits, Reader};

    /// SHA-1 of `hello`, from RFC 3174's `sha1sum`, and the same in base32 (RFC 4648 §6).
    const HELLO_HEX: &str = "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d";
    const HELLO_BASE32: &str = "VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N";

    #[test]
    fn digests_are_read_in_both_notations_and_any_case() {
        let want = Some(sha1(b"hello"));
        for text in [
            format!("sha1:{HELLO_HEX}"),
            format!("SHA1:{}", HELLO_HEX.to_uppercase()),
            format!(" Sha1:{HELLO_BASE32} "),
            format!("sha1:{}", HELLO_BASE32.to_lowercase()),
        ] {
            assert_eq!(parse_sha1(text.as_bytes()), want, "{text}");
        }
        for text in [
            "",
            "sha1",
            "sha1:",
            "md5:5d41402abc4b2a76b9719d911017c592",
            &format!("sha256:{HELLO_HEX}"),
            &format!("sha1:{HELLO_HEX}0"),
            &format!("sha1:1{}", &HELLO_BASE32[1..]),
            &format!("sha1:g{}", &HELLO_HEX[1..]),
        ] {
            assert_eq!(parse_sha1(text.as_bytes()), None, "{text}");
        }
    }

    /// Compares a record that has the given header lines and block.
    fn compare(kind: &str, lines: &str, block: &str) -> Option<&'static str> {
        let text = format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\n{lines}Content-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        );
        let mut reader = Reader::new(Limits::default());
        reader.open_stream(Box::new(Cursor::new(text))).unwrap();
        assert!(reader.read_record().unwrap());
        find_digest_mismatch(&reader.record())
    }

    #[test]
    fn a_payload_digest_is_ignored_beside_a_block_digest() {
        let right = format!("WARC-Block-Digest: sha1:{HELLO_BASE32}\r\n");
        let wrong_payload = format!("{right}WARC-Payload-Digest: sha1:{HELLO_HEX}\r\n");
        for kind in ["response", "resource", "revisit"] {
            assert_eq!(compare(kind, &right, "hello"), None);
            assert_eq!(compare(kind, &wrong_payload, "hello"), None);
            assert_eq!(compare(kind, &right, "hellp"), Some("WARC-Block-Digest"));
        }
    }

    #[test]
    fn a_payload_digest_may_cover_any_form_of_the_payload() {
        let lines = format!("WARC-Payload-Digest: sha1:{HELLO_HEX}\r\n");
        let chunked =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
        for (kind, block) in [
            ("response", "HTTP/1.1 200 OK\r\n\r\nhello"),
            ("response", chunked),
            ("response", "hello"),
            ("resource", "hello"),
        ] {
            assert_eq!(compare(kind, &lines, block), None, "{block}");
            let other = block.replace("hello", "hallo");
            assert_eq!(compare(kind, &lines, &other), Some("WARC-Payload-Digest"));
        }
    }

    #[test]
    fn digests_that_cannot_be_compared_are_not_mismatches() {
        let lines = format!("WARC-Payload-Digest: sha1:{HELLO_HEX}\r\n");
        assert_eq!(compare("revisit", &lines, "HTTP/1.1 200 OK\r\n\r\n"), None);
        let truncated = format!("WARC-Truncated: length\r\n{lines}");
        assert_eq!(compare("response", &truncated, "hel"), None);
        for lines in [
            "",
            "WARC-Block-Digest: md5:00\r\n",
            "WARC-Block-Digest: sha1:00\r\n",
        ] {
            assert_eq!(compare("response", lines, "hello"), None);
        }
    }
}

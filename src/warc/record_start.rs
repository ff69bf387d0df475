//! Recognition of the start of a record.

use memchr::memmem;

/// The number of bytes at the start of a possible header in which `WARC-Type` or `Content-Length` must
/// appear.
pub(crate) const HEADER_CHECK_BYTES: usize = 4 << 10;

/// Returns true if `bytes` start with `WARC/`.
///
/// Literals of the WARC grammar are case-insensitive, so any case is accepted where a record must
/// start. Searches for a record look for upper case only.
pub(crate) fn is_record_start(bytes: &[u8]) -> bool {
    bytes
        .first_chunk::<5>()
        .is_some_and(|word| word.eq_ignore_ascii_case(b"WARC/"))
}

/// Returns true if `bytes`, the last bytes of an input, are the start of `WARC/`, or empty.
pub(crate) fn is_partial_record_start(bytes: &[u8]) -> bool {
    b"WARC/"
        .get(..bytes.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(bytes))
}

/// Returns `bytes` without any CR and LF at their start.
pub(crate) fn trim_leading_line_ends(bytes: &[u8]) -> &[u8] {
    let line_end_bytes = bytes
        .iter()
        .take_while(|byte| matches!(byte, b'\r' | b'\n'))
        .count();
    &bytes[line_end_bytes..]
}

/// Returns true if a line is a version and nothing else, such as `WARC/1.0`.
pub(crate) fn is_version_line(line: &[u8]) -> bool {
    if !is_record_start(line) {
        return false;
    }
    let mut numbers = line[5..].trim_ascii_end().splitn(2, |&byte| byte == b'.');
    let is_number = |part: Option<&[u8]>| {
        part.is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
    };
    is_number(numbers.next()) && is_number(numbers.next())
}

/// Returns the index of the first plausible header in `bytes` that follows a line end.
pub(crate) fn find_record(bytes: &[u8]) -> Option<usize> {
    memmem::find_iter(bytes, b"\nWARC/")
        .map(|line_end| line_end + 1)
        .find(|&start| is_plausible_header(&bytes[start..]))
}

/// Returns true if `bytes` start with a version line, and one of the fields `WARC-Type` and
/// `Content-Length` follows within [`HEADER_CHECK_BYTES`].
pub(crate) fn is_plausible_header(bytes: &[u8]) -> bool {
    let bytes = &bytes[..bytes.len().min(HEADER_CHECK_BYTES)];
    let mut lines = bytes.split(|&byte| byte == b'\n');
    if !lines.next().is_some_and(is_version_line) {
        return false;
    }
    for line in lines {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() || is_version_line(line) {
            return false;
        }
        let has_name = |name: &[u8]| {
            line.get(..name.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(name))
        };
        if has_name(b"warc-type:") || has_name(b"content-length:") {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_line_is_two_numbers() {
        for line in [
            "WARC/1.0",
            "WARC/0.17\r",
            "WARC/1.1 \r",
            "WARC/12.34",
            "warc/1.0",
        ] {
            assert!(is_version_line(line.as_bytes()), "{line}");
        }
        for line in [
            "WARC/",
            "WARC/1",
            "WARC/1.",
            "WARC/x.y",
            "WARC/1.0a",
            "WARD/1.0",
        ] {
            assert!(!is_version_line(line.as_bytes()), "{line}");
        }
    }
}

//! Content sniffing: HTML, UTF-16 and binary formats, recognized by the beginning of a body.

use super::blanks::trim_start;

/// Returns true if a body begins with a tag.
pub(crate) fn looks_like_html(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let text = trim_start(body);
    text.first() == Some(&b'<')
        && matches!(text.get(1), Some(b'!' | b'?' | b'a'..=b'z' | b'A'..=b'Z'))
}

/// Returns true if a body begins with a byte order mark of UTF-16, or if every other byte of its
/// beginning is NUL.
pub(crate) fn looks_like_utf16(body: &[u8]) -> bool {
    if body.starts_with(b"\xff\xfe") || body.starts_with(b"\xfe\xff") {
        return true;
    }
    let head = &body[..body.len().min(64)];
    let zeros = |start: usize| {
        head.iter()
            .skip(start)
            .step_by(2)
            .filter(|&&byte| byte == 0)
            .count()
    };
    let half = head.len() / 2;
    half >= 4 && ((zeros(0) == half && zeros(1) == 0) || (zeros(1) == half && zeros(0) == 0))
}

/// Returns true if a body begins with the magic number of a binary format.
pub(crate) fn is_binary(body: &[u8]) -> bool {
    const MAGIC: [&[u8]; 10] = [
        b"\x1f\x8b",
        b"PK\x03\x04",
        b"\x89PNG",
        b"\xff\xd8\xff",
        b"GIF8",
        b"%PDF-",
        b"\x28\xb5\x2f\xfd",
        b"BZh",
        b"\x7fELF",
        b"RIFF",
    ];
    MAGIC.iter().any(|magic| body.starts_with(magic))
}

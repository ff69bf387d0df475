//! The URLs that `match` and `check` accept.

use capture::url::parse_url;
use dataset::resolve::origin;

/// The longest URL in bytes. A longer one is reported as malformed, and is cut
/// in the output.
pub(super) const MAX_URL_BYTES: usize = 1 << 20;

/// Returns true if `check` accepts the text: a URL that `match` accepts, or a
/// path.
pub fn is_url_or_path(text: &[u8]) -> bool {
    let is_path = text.starts_with(b"/") && !text.starts_with(b"//");
    is_path || write_origin(text, &mut Vec::new())
}

/// Writes the origin of a URL and returns true, or returns false if `match` does
/// not accept it. An accepted URL has a scheme and a host, and needs no repairs
/// that only a browser would make.
pub(super) fn write_origin(url: &[u8], out: &mut Vec<u8>) -> bool {
    url.len() <= MAX_URL_BYTES
        && origin::is_plain(url)
        && parse_url(url).is_some_and(|url| origin::write_origin_of_url(&url, out))
}

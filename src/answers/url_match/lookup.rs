//! Checks whether listed URLs are acceptable, and defines their sort records.

use hosts::Lookup;
use sort::record;
use urls::parse_url;

/// The maximum length of a URL in bytes. A longer URL is reported as malformed, and is cut in the output.
pub(super) const MAX_URL_BYTES: usize = 1 << 20;

record! {
    /// A row of the URL list.
    pub(super) struct ListedUrl<'a> {
        /// The index of the row in the list.
        pub(super) index: u64,
        pub(super) url: &'a [u8],
    }
}

/// A URL whose captures are looked up, by their key and the time.
pub(super) type UrlLookup = Lookup<ListedUrl<'static>>;

/// Returns true if a text is a path or a URL that `match` accepts. `check` accepts both.
pub fn is_url_or_path(text: &[u8]) -> bool {
    let is_path = text.starts_with(b"/") && !text.starts_with(b"//");
    is_path || write_origin(text, &mut Vec::new())
}

/// Writes the origin of a URL to `out` and returns true, or returns false if `match` does not accept the
/// URL. An accepted URL has a scheme and a host, and no error that only browsers tolerate.
pub(super) fn write_origin(url: &[u8], out: &mut Vec<u8>) -> bool {
    url.len() <= MAX_URL_BYTES
        && urls::has_plain_delimiters(url)
        && parse_url(url).is_some_and(|url| urls::write_url_origin(&url, out))
}

//! The columns of URLs, as in Common Crawl's indexes.
//!
//! Names, forms and rules for nulls are those of cc-index-table; the host key `surt_host_name` is that
//! of cc-host-index. URLs are parsed with the `url` crate (WHATWG), except those that
//! `plain_url.rs` recognizes.

use crate::host_columns::{HostColumns, host_columns};
use crate::plain_url::PlainUrl;
use crate::surt::surt_path;
use std::borrow::Cow;
use std::sync::Arc;
use url::Url;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UrlColumns<'a> {
    /// The normal form: punycode host, no default port, no fragment.
    pub url: Cow<'a, str>,
    /// The path and query in the sort-friendly form (SURT).
    pub surt_path: Cow<'static, str>,
    /// Columns of the host; `None` for URLs without a host.
    pub host: Option<Arc<HostColumns>>,
    /// True if the path is exactly `/robots.txt`, without a query (RFC 9309 §2.3).
    pub is_robots_path: bool,
}

impl<'a> UrlColumns<'a> {
    /// Returns the columns of a URL. The fragment is dropped.
    pub fn new(mut url: Url) -> Self {
        url.set_fragment(None);
        let host = url
            .host_str()
            .filter(|host| !host.is_empty())
            .map(|host| Arc::new(host_columns(host)));
        Self {
            surt_path: surt_path(url.path(), url.query()),
            host,
            is_robots_path: is_robots_path(&url),
            url: Cow::Owned(url.into()),
        }
    }

    pub(crate) fn from_plain_url(url: PlainUrl<'a>) -> Self {
        Self {
            surt_path: surt_path(url.path(), None),
            host: Some(Arc::new(host_columns(url.host()))),
            is_robots_path: url.path() == "/robots.txt",
            url: Cow::Borrowed(url.as_str()),
        }
    }
}

/// Returns true if the path is exactly `/robots.txt`, without a query.
pub(crate) fn is_robots_path(url: &Url) -> bool {
    url.path() == "/robots.txt" && url.query().is_none()
}

/// Parses the text of a URL, which may hold any bytes. Returns `None` if it is not a URL.
pub fn parse_url(text: &[u8]) -> Option<Url> {
    Url::parse(&escape_invalid_utf8(text)).ok()
}

/// Resolves a URL reference, such as the value of a `Location` header field, against `base`. The
/// fragment is dropped.
pub fn join_url(base: &Url, reference: &[u8]) -> Option<Url> {
    let mut url = base.join(&escape_invalid_utf8(reference)).ok()?;
    url.set_fragment(None);
    Some(url)
}

/// Returns the text of a URL with all bytes that are not UTF-8 percent-encoded, so that no byte is
/// lost.
fn escape_invalid_utf8(text: &[u8]) -> Cow<'_, str> {
    let text = text.trim_ascii();
    if let Ok(text) = std::str::from_utf8(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for chunk in text.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(url: &str) -> UrlColumns<'static> {
        UrlColumns::new(parse_url(url.as_bytes()).unwrap())
    }

    #[test]
    fn host_columns_are_those_of_common_crawl() {
        let host = columns("https://www.example.co.uk/robots.txt")
            .host
            .unwrap();
        assert_eq!(host.surt_host_name, "uk,co,example");
        assert_eq!(host.name, "www.example.co.uk");
        assert_eq!(host.tld(), Some("uk"));
        assert_eq!(host.registry_suffix(), Some("co.uk"));
        assert_eq!(host.registered_domain(), Some("example.co.uk"));
        let host = columns("https://foo.github.io/").host.unwrap();
        assert_eq!(host.registry_suffix(), Some("io"));
        assert_eq!(host.registered_domain(), Some("github.io"));
        assert_eq!(host.private_suffix(), Some("github.io"));
        let host = columns("https://www.com/").host.unwrap();
        assert_eq!(host.surt_host_name, "com,www");
        let host = columns("https://212.96.82.21/").host.unwrap();
        assert_eq!((host.name.as_str(), host.tld()), ("212.96.82.21", None));
        let host = columns("https://a.example/").host.unwrap();
        assert_eq!(
            (host.registry_suffix(), host.registered_domain()),
            (None, None)
        );
        let host = columns("https://co.uk/").host.unwrap();
        assert_eq!(
            (host.registry_suffix(), host.registered_domain()),
            (Some("co.uk"), None)
        );
    }

    #[test]
    fn urls_of_googles_documentation_are_normalized() {
        // From the section "Examples of valid robots.txt URLs".
        let a = columns("https://www.exämple.com/robots.txt");
        let b = columns("https://www.xn--exmple-cua.com:443/robots.txt");
        assert_eq!(a, b);
        assert_eq!(
            columns("http://EXAMPLE.com:80/robots.txt").url,
            "http://example.com/robots.txt"
        );
        assert_eq!(
            columns("https://example.com:8181/robots.txt").url,
            "https://example.com:8181/robots.txt"
        );
        assert!(columns("https://example.com/robots.txt#x").is_robots_path);
        for url in [
            "https://e.com/folder/robots.txt",
            "https://e.com/robots.txt?x",
            "https://e.com/Robots.txt",
            "https://e.com//robots.txt",
        ] {
            assert!(!columns(url).is_robots_path, "{url}");
        }
    }

    #[test]
    fn references_are_resolved_without_losing_bytes() {
        let base = parse_url(b"http://a.example/robots.txt").unwrap();
        assert_eq!(
            join_url(&base, b"/x y#z").unwrap().as_str(),
            "http://a.example/x%20y"
        );
        assert_eq!(
            join_url(&base, b"//b.example/r\xe9").unwrap().as_str(),
            "http://b.example/r%E9"
        );
        assert_eq!(
            join_url(&base, b"https://b.example:443").unwrap().as_str(),
            "https://b.example/"
        );
    }
}

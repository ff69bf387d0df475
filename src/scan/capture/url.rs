//! URLs and hosts in the columns of Common Crawl's indexes.
//!
//! Names, forms and null rules are those of cc-index-table; the host key `surt_host_name` is that
//! of cc-host-index. URLs are parsed with the `url` crate (WHATWG), except those that `plain_url.rs` recognizes. Registered domains are those of
//! the Public Suffix List in the `psl` crate.

use crate::capture::plain_url::PlainUrl;
use crate::capture::surt::{surt_host_name, surt_key, surt_key_of_plain};
use std::borrow::Cow;
use std::sync::Arc;
use url::Url;

/// The columns of a URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UrlColumns {
    /// The normal form: punycode host, no default port, no fragment.
    pub url: String,
    /// The sort-friendly form of the whole URL (SURT).
    pub surtkey: String,
    /// Columns of the host; `None` for URLs without one.
    pub host: Option<Arc<HostColumns>>,
    /// True if the path is exactly `/robots.txt`, without a query (RFC 9309 §2.3).
    pub is_robots_path: bool,
}

/// The columns of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostColumns {
    /// The key of cc-host-index: `www.example.com` is `com,example`.
    pub surt_host_name: String,
    /// The host name, in punycode.
    pub name: String,
    // The starts of the parts of the name. All of them end where the name ends.
    tld: Option<usize>,
    registry_suffix: Option<usize>,
    registered_domain: Option<usize>,
    private_domain: Option<usize>,
}

impl HostColumns {
    /// Returns the last label; `None` for addresses.
    pub fn tld(&self) -> Option<&str> {
        self.part(self.tld)
    }

    /// Returns the public suffix according to the ICANN section of the list; `None` if unknown.
    pub fn registry_suffix(&self) -> Option<&str> {
        self.part(self.registry_suffix)
    }

    /// Returns the domain directly below that suffix.
    pub fn registered_domain(&self) -> Option<&str> {
        self.part(self.registered_domain)
    }

    /// Returns the domain directly below the public suffix according to the whole list.
    pub fn private_domain(&self) -> Option<&str> {
        self.part(self.private_domain)
    }

    fn part(&self, start: Option<usize>) -> Option<&str> {
        start.map(|start| &self.name[start..])
    }
}

impl UrlColumns {
    /// Returns the columns of a URL. The fragment is dropped.
    pub fn new(mut url: Url) -> Self {
        url.set_fragment(None);
        let host = url
            .host_str()
            .filter(|host| !host.is_empty())
            .map(|host| Arc::new(host_columns(host)));
        Self {
            surtkey: surt_key(&url),
            host,
            is_robots_path: is_robots_path(&url),
            url: url.into(),
        }
    }

    /// Returns the columns of the text of a URL, which may hold any bytes; `None` if it cannot be parsed.
    /// Equal to [`parse_url`] followed by [`new`](Self::new), but faster for URLs in normal form.
    pub fn of_text(text: &[u8]) -> Option<Self> {
        ArchiveUrl::parse(text).map(ArchiveUrl::into_columns)
    }

    fn of_plain(url: PlainUrl<'_>) -> Self {
        Self {
            surtkey: surt_key_of_plain(url),
            host: Some(Arc::new(host_columns(url.host()))),
            is_robots_path: url.path() == "/robots.txt",
            url: url.as_str().to_owned(),
        }
    }
}

/// A URL of an archive.
#[derive(Debug)]
pub(crate) enum ArchiveUrl<'a> {
    /// A URL in normal form.
    Plain(PlainUrl<'a>),
    /// Any other URL.
    Parsed(Url),
}

impl<'a> ArchiveUrl<'a> {
    /// Parses a URL from an archive, which may hold any bytes.
    pub(crate) fn parse(text: &'a [u8]) -> Option<Self> {
        match PlainUrl::parse(text.trim_ascii()) {
            Some(url) => Some(Self::Plain(url)),
            None => parse_url(text).map(Self::Parsed),
        }
    }

    /// Resolves a reference, such as the value of `Location`, against this URL.
    pub(crate) fn join<'r>(&self, reference: &'r [u8]) -> Option<ArchiveUrl<'r>> {
        if let Some(url) = PlainUrl::parse(reference.trim_ascii()) {
            return Some(ArchiveUrl::Plain(url));
        }
        let joined = match self {
            Self::Plain(base) => join_url(&Url::parse(base.as_str()).ok()?, reference),
            Self::Parsed(base) => join_url(base, reference),
        };
        joined.map(ArchiveUrl::Parsed)
    }

    /// Returns the scheme in lower case.
    pub(crate) fn scheme(&self) -> &str {
        match self {
            Self::Plain(url) => url.as_str().split(':').next().unwrap_or_default(),
            Self::Parsed(url) => url.scheme(),
        }
    }

    /// Returns the host, or `None` for a URL without a host.
    pub(crate) fn host(&self) -> Option<&str> {
        match self {
            Self::Plain(url) => Some(url.host()),
            Self::Parsed(url) => url.host_str().filter(|host| !host.is_empty()),
        }
    }

    /// Returns true if the path is exactly `/robots.txt`, without a query.
    pub(crate) fn is_robots_path(&self) -> bool {
        match self {
            Self::Plain(url) => url.path() == "/robots.txt",
            Self::Parsed(url) => is_robots_path(url),
        }
    }

    /// Returns the columns.
    pub(crate) fn into_columns(self) -> UrlColumns {
        match self {
            Self::Plain(url) => UrlColumns::of_plain(url),
            Self::Parsed(url) => UrlColumns::new(url),
        }
    }

    /// Returns the normal form without the fragment.
    pub(crate) fn into_text(self) -> Cow<'a, str> {
        match self {
            Self::Plain(url) => Cow::Borrowed(url.as_str()),
            Self::Parsed(mut url) => {
                url.set_fragment(None);
                Cow::Owned(url.into())
            }
        }
    }
}

/// Returns true if the path is exactly `/robots.txt`, without a query.
fn is_robots_path(url: &Url) -> bool {
    url.path() == "/robots.txt" && url.query().is_none()
}

/// Parses a URL from an archive, which may hold any bytes.
pub fn parse_url(text: &[u8]) -> Option<Url> {
    Url::parse(&url_text(text)).ok()
}

/// Resolves a reference, such as the value of `Location`, against `base`.
pub fn join_url(base: &Url, reference: &[u8]) -> Option<Url> {
    let mut url = base.join(&url_text(reference)).ok()?;
    url.set_fragment(None);
    Some(url)
}

/// Returns the text of a URL. Bytes that are not UTF-8 are percent-encoded, so that none is lost.
fn url_text(text: &[u8]) -> Cow<'_, str> {
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

/// Returns the columns of a host name as normalized by the `url` crate.
pub fn host_columns(host: &str) -> HostColumns {
    let name = host
        .strip_suffix('.')
        .filter(|name| !name.is_empty())
        .unwrap_or(host);
    let mut columns = HostColumns {
        surt_host_name: surt_host_name(name),
        name: name.to_owned(),
        ..HostColumns::default()
    };
    if !is_address(name) {
        let (private, registry) = public_suffixes(name);
        let start = |part: &str| name.len() - part.len();
        columns.tld = name.rsplit('.').next().map(start);
        columns.registry_suffix = registry.map(start);
        columns.registered_domain = registry
            .and_then(|suffix| domain_below(name, suffix))
            .map(start);
        columns.private_domain = private
            .and_then(|suffix| domain_below(name, suffix))
            .map(start);
    }
    columns
}

/// Returns the last label of a host name; `None` for addresses.
pub(crate) fn tld(name: &str) -> Option<&str> {
    name.rsplit('.').next().filter(|_| !is_address(name))
}

/// Returns the domain directly below the public suffix of the ICANN section; `None` for addresses and
/// if the suffix is not known.
pub(crate) fn registered_domain(name: &str) -> Option<&str> {
    if is_address(name) {
        return None;
    }
    let (_, registry) = public_suffixes(name);
    domain_below(name, registry?)
}

fn is_address(host: &str) -> bool {
    // An IPv4 address ends with a digit, which is cheaper to see than to parse it.
    let is_ipv4 = || host.parse::<std::net::Ipv4Addr>().is_ok();
    host.starts_with('[') || host.ends_with(|last: char| last.is_ascii_digit()) && is_ipv4()
}

/// Returns the public suffixes of `name` according to the whole list and to its ICANN section, each
/// if the list has one.
fn public_suffixes(name: &str) -> (Option<&str>, Option<&str>) {
    let (mut candidate, mut longest) = (name, None);
    while let Some(suffix) = psl::suffix(candidate.as_bytes()).filter(psl::Suffix::is_known) {
        let text = &candidate[candidate.len() - suffix.as_bytes().len()..];
        longest = longest.or(Some(text));
        if suffix.typ() == Some(psl::Type::Icann) {
            return (longest, Some(text));
        }
        // A private suffix is below a suffix of a registry.
        match text.split_once('.') {
            Some((_, above)) => candidate = above,
            None => break,
        }
    }
    (longest, None)
}

/// Returns the suffix and one more label; `None` for the suffix itself.
fn domain_below<'a>(name: &'a str, suffix: &str) -> Option<&'a str> {
    let above = name[..name.len() - suffix.len()].strip_suffix('.')?;
    let label = above.rsplit('.').next().filter(|label| !label.is_empty())?;
    Some(&name[name.len() - suffix.len() - 1 - label.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(url: &str) -> UrlColumns {
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
        assert_eq!(host.private_domain(), Some("foo.github.io"));
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

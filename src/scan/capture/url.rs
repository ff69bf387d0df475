//! URLs and hosts in the columns of Common Crawl's indexes.
//!
//! Names, forms and null rules are those of cc-index-table; the host key `surt_host_name` is that
//! of cc-host-index. URLs are parsed with the `url` crate (WHATWG). Registered domains are those of
//! the Public Suffix List in the `psl` crate.

use crate::capture::surt::{surt_host_name, surt_key};
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
    /// The last label; `None` for addresses.
    pub tld: Option<String>,
    /// The public suffix according to the ICANN section of the list; `None` if unknown.
    pub registry_suffix: Option<String>,
    /// The domain directly below that suffix.
    pub registered_domain: Option<String>,
    /// The domain directly below the public suffix according to the whole list.
    pub private_domain: Option<String>,
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
            is_robots_path: url.path() == "/robots.txt" && url.query().is_none(),
            url: url.into(),
        }
    }
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
    if is_address(name) {
        return HostColumns {
            surt_host_name: surt_host_name(name),
            name: name.to_owned(),
            ..HostColumns::default()
        };
    }
    let private = public_suffix(name, false);
    let registry = public_suffix(name, true);
    HostColumns {
        surt_host_name: surt_host_name(name),
        tld: tld(name).map(str::to_owned),
        registered_domain: registered_domain(name).map(str::to_owned),
        registry_suffix: registry.map(str::to_owned),
        private_domain: private
            .and_then(|suffix| domain_below(name, suffix))
            .map(str::to_owned),
        name: name.to_owned(),
    }
}

/// Returns the last label of a host name; `None` for addresses.
pub(crate) fn tld(name: &str) -> Option<&str> {
    name.rsplit('.').next().filter(|_| !is_address(name))
}

/// Returns the domain directly below the public suffix of the ICANN section; `None` for addresses and
/// if the suffix is not known.
pub(crate) fn registered_domain(name: &str) -> Option<&str> {
    let suffix = public_suffix(name, true).filter(|_| !is_address(name))?;
    domain_below(name, suffix)
}

fn is_address(host: &str) -> bool {
    host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok()
}

/// Returns the public suffix of `name`, if the list has one for it. Only uses the ICANN section of
/// the list if `is_icann`.
fn public_suffix(name: &str, is_icann: bool) -> Option<&str> {
    let mut candidate = name;
    loop {
        let suffix = psl::suffix(candidate.as_bytes()).filter(psl::Suffix::is_known)?;
        let text = &candidate[candidate.len() - suffix.as_bytes().len()..];
        if !is_icann || suffix.typ() == Some(psl::Type::Icann) {
            return Some(text);
        }
        // A private suffix is below a suffix of a registry.
        candidate = text.split_once('.')?.1;
    }
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
        assert_eq!(host.tld.as_deref(), Some("uk"));
        assert_eq!(host.registry_suffix.as_deref(), Some("co.uk"));
        assert_eq!(host.registered_domain.as_deref(), Some("example.co.uk"));
        let host = HostColumns::clone(&columns("https://foo.github.io/").host.unwrap());
        assert_eq!(host.registry_suffix.as_deref(), Some("io"));
        assert_eq!(host.registered_domain.as_deref(), Some("github.io"));
        assert_eq!(host.private_domain.as_deref(), Some("foo.github.io"));
        let host = HostColumns::clone(&columns("https://www.com/").host.unwrap());
        assert_eq!(host.surt_host_name, "com,www");
        let host = HostColumns::clone(&columns("https://212.96.82.21/").host.unwrap());
        assert_eq!((host.name.as_str(), host.tld), ("212.96.82.21", None));
        let host = HostColumns::clone(&columns("https://a.example/").host.unwrap());
        assert_eq!((host.registry_suffix, host.registered_domain), (None, None));
        let host = HostColumns::clone(&columns("https://co.uk/").host.unwrap());
        assert_eq!(
            (host.registry_suffix.as_deref(), host.registered_domain),
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

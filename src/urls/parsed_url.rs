//! URLs from archives: those in normal form, which need no general parser, and all others.

use crate::host_columns::tld;
use crate::origin::strip_root_dot;
use crate::plain_url::PlainUrl;
use crate::surt::{push_reversed_labels, surt_host_name, surt_path};
use crate::url_columns::{UrlColumns, is_robots_path, join_url, parse_url};
use std::borrow::Cow;
use url::Url;

impl<'a> UrlColumns<'a> {
    /// Returns the columns of the text of a URL, which may hold any bytes; `None` if it cannot be
    /// parsed. Equal to [`parse_url`] followed by [`new`](Self::new), but faster for URLs in normal
    /// form.
    pub fn from_text(text: &'a [u8]) -> Option<Self> {
        ParsedUrl::parse(text).map(ParsedUrl::into_columns)
    }
}

/// A URL from an archive.
#[derive(Debug)]
pub enum ParsedUrl<'a> {
    /// A URL in normal form.
    Plain(PlainUrl<'a>),
    /// Any other URL.
    Parsed(Url),
}

impl<'a> ParsedUrl<'a> {
    /// Parses the text of a URL, which may hold any bytes. Returns `None` if it is not a URL.
    pub fn parse(text: &'a [u8]) -> Option<Self> {
        match PlainUrl::parse(text.trim_ascii()) {
            Some(url) => Some(Self::Plain(url)),
            None => parse_url(text).map(Self::Parsed),
        }
    }

    /// Resolves a URL reference, such as the value of a `Location` header field, against this URL.
    pub fn join<'r>(&self, reference: &'r [u8]) -> Option<ParsedUrl<'r>> {
        if let Some(url) = PlainUrl::parse(reference.trim_ascii()) {
            return Some(ParsedUrl::Plain(url));
        }
        let joined = match self {
            Self::Plain(base) => join_url(&Url::parse(base.as_str()).ok()?, reference),
            Self::Parsed(base) => join_url(base, reference),
        };
        joined.map(ParsedUrl::Parsed)
    }

    /// Returns the scheme in lower case.
    pub fn scheme(&self) -> &str {
        match self {
            Self::Plain(url) => url.as_str().split(':').next().unwrap_or_default(),
            Self::Parsed(url) => url.scheme(),
        }
    }

    /// Returns the host, or `None` for a URL without a host.
    pub fn host(&self) -> Option<&str> {
        match self {
            Self::Plain(url) => Some(url.host()),
            Self::Parsed(url) => url.host_str().filter(|host| !host.is_empty()),
        }
    }

    /// Returns true if the path is exactly `/robots.txt`, without a query.
    pub fn is_robots_path(&self) -> bool {
        match self {
            Self::Plain(url) => url.path() == "/robots.txt",
            Self::Parsed(url) => is_robots_path(url),
        }
    }

    /// Returns the key of the host in cc-host-index, as the column `surt_host_name`.
    pub fn surt_host_name(&self) -> Option<String> {
        self.host().map(|host| surt_host_name(strip_root_dot(host)))
    }

    /// Returns the key of the URL in cc-index, as the view of `robots_files` computes it (`SURT_KEY` in
    /// `src/tables/robots_files.rs`).
    pub fn surt_key(&self) -> String {
        let mut key = String::new();
        match self.host() {
            Some(host) if tld(strip_root_dot(host)).is_some() => {
                let name = host.trim_matches('.');
                let rest = name.strip_prefix("www").unwrap_or_default();
                let rest = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
                push_reversed_labels(rest.strip_prefix('.').unwrap_or(name), &mut key);
            }
            Some(host) => key.push_str(&surt_host_name(strip_root_dot(host))),
            None => {}
        }
        let (port, path, query) = match self {
            Self::Plain(url) => (None, url.path(), None),
            Self::Parsed(url) => (url.port(), url.path(), url.query()),
        };
        if let Some(port) = port {
            key.push_str(&format!(":{port}"));
        }
        key.push(')');
        key.push_str(&surt_path(path, query));
        key
    }

    pub fn into_columns(self) -> UrlColumns<'a> {
        match self {
            Self::Plain(url) => UrlColumns::from_plain_url(url),
            Self::Parsed(url) => UrlColumns::new(url),
        }
    }

    /// Returns the normal form without the fragment.
    pub fn into_text(self) -> Cow<'a, str> {
        match self {
            Self::Plain(url) => Cow::Borrowed(url.as_str()),
            Self::Parsed(mut url) => {
                url.set_fragment(None);
                Cow::Owned(url.into())
            }
        }
    }
}

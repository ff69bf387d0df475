//! URLs from archives: those in normal form, which need no general parser, and all others.

use crate::plain_url::PlainUrl;
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

    /// Returns the columns of the URL.
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

//! Sitemap lines with their URLs and hosts.

use crate::Capture;
use robots::Directive;
use std::borrow::Cow;
use std::sync::Arc;
use urls::ParsedUrl;
use urls::{HostColumns, host_columns};
use urls::{join_url, parse_url};

/// A sitemap line and the URL that it refers to.
#[derive(Debug)]
pub struct SitemapLine<'a> {
    pub line: &'a Directive,
    /// The absolute URL, resolved against the URL of the robots.txt file; `None` if it is not an
    /// http, https or ftp URL.
    pub url: Option<Cow<'a, str>>,
    /// The columns of the host of `url`; `None` if `url` is `None`.
    pub host: Option<Arc<HostColumns>>,
    /// True if the line has an absolute URL (RFC 9309 §2.2.4, sitemaps.org).
    pub is_absolute: bool,
    /// True if the sitemap is on the host of the robots.txt file; `None` if one of the hosts is not
    /// known.
    pub same_host: Option<bool>,
    /// True if the sitemap is on the registered domain of the robots.txt file; `None` as for
    /// `same_host`.
    pub same_registered_domain: Option<bool>,
}

impl<'a> SitemapLine<'a> {
    /// Resolves the value of a sitemap line of `capture`.
    pub fn resolve(value: &'a [u8], line: &'a Directive, capture: &Capture<'_>) -> Self {
        let has_sitemap_scheme =
            |url: &ParsedUrl<'_>| matches!(url.scheme(), "http" | "https" | "ftp");
        let absolute =
            ParsedUrl::parse(value).filter(|url| has_sitemap_scheme(url) && url.host().is_some());
        let is_absolute = absolute.is_some();
        let url = absolute.or_else(|| {
            let base = parse_url(capture.url.as_ref()?.url.as_bytes())?;
            let joined = (!value.is_empty()).then(|| join_url(&base, value))?;
            joined.map(ParsedUrl::Parsed)
        });
        let url = url.filter(has_sitemap_scheme);
        let capture_host = capture.url.as_ref().and_then(|url| url.host.as_ref());
        let host = url.as_ref().and_then(|url| sitemap_host(url, capture_host));
        let compare_columns = |column: fn(&HostColumns) -> Option<&str>| {
            let (sitemap, capture) = (column(host.as_deref()?)?, column(capture_host?)?);
            Some(sitemap == capture)
        };
        Self {
            line,
            is_absolute,
            same_host: compare_columns(|host| Some(&host.name)),
            same_registered_domain: compare_columns(|host| {
                Some(host.registered_domain().unwrap_or(&host.name))
            }),
            host,
            url: url.map(ParsedUrl::into_text),
        }
    }
}

/// Returns the columns of the host of a sitemap. If it is the host of the capture, as for most
/// sitemaps, the columns of that host are shared.
fn sitemap_host(
    url: &ParsedUrl<'_>,
    capture_host: Option<&Arc<HostColumns>>,
) -> Option<Arc<HostColumns>> {
    let name = url.host()?;
    let shared = capture_host
        .filter(|host| host.name == name)
        .map(Arc::clone);
    Some(shared.unwrap_or_else(|| Arc::new(host_columns(name))))
}

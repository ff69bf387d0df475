//! Origins: scheme, host and port, to which one robots.txt applies (RFC 9309
//! §2.3).

use memchr::memmem;
use url::Url;

/// An origin. Its fields have the values of the columns `url_protocol`, `url_host_name` and `url_port`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WebOrigin<'a> {
    /// The scheme, in lower case.
    pub scheme: &'a str,
    /// The host, without a final dot.
    pub host: &'a str,
    /// The port, unless it is the default of the scheme.
    pub port: Option<u16>,
}

impl<'a> WebOrigin<'a> {
    /// Returns the origin of a URL in normal form; `None` if the URL has no host.
    pub fn from_url(url: &'a str) -> Option<Self> {
        let (scheme, authority) = split_url(url)?;
        // Most authorities are a name alone.
        let (name, port) = match memchr::memchr2(b':', b'@', authority.as_bytes()) {
            None => (authority, None),
            Some(_) => split_authority(authority),
        };
        let host = strip_root_dot(name);
        (!host.is_empty()).then_some(Self { scheme, host, port })
    }

    /// Returns the port that requests are sent to; `None` if the scheme has no
    /// default.
    pub fn effective_port(&self) -> Option<u16> {
        self.port.or(default_port(self.scheme))
    }

    /// Replaces `out` with the origin as text, such as `https://example.com:443`.
    pub fn write(&self, out: &mut Vec<u8>) {
        // A scheme without a default port gets port 0, to which no client can connect.
        let port = self.effective_port().unwrap_or(0);
        let texts = [self.scheme, "://", self.host, ":", &port.to_string()];
        out.clear();
        out.reserve(texts.iter().map(|text| text.len()).sum());
        for text in texts {
            out.extend_from_slice(text.as_bytes());
        }
    }
}

/// Replaces `out` with the origin of a URL as text. Returns false if the URL has no host.
pub fn write_url_origin(url: &Url, out: &mut Vec<u8>) -> bool {
    let Some(host) = url.host_str().filter(|host| !host.is_empty()) else {
        return false;
    };
    let origin = WebOrigin {
        scheme: url.scheme(),
        host: strip_root_dot(host),
        port: url.port(),
    };
    origin.write(out);
    true
}

/// Returns the host of a URL in normal form, or of an origin that [`WebOrigin::write`] wrote, as
/// in the column `url_host_name`.
pub fn url_host(url: &str) -> Option<&str> {
    WebOrigin::from_url(url).map(|origin| origin.host)
}

/// Returns the scheme and the authority of a URL; `None` if it has no authority.
fn split_url(url: &str) -> Option<(&str, &str)> {
    let colon = memchr::memchr(b':', url.as_bytes())?;
    let rest = url[colon + 1..].strip_prefix("//")?;
    let end = memchr::memchr2(b'/', b'?', rest.as_bytes());
    Some((&url[..colon], &rest[..end.unwrap_or(rest.len())]))
}

/// Returns the name of the host and the port of an authority, which may have a user.
fn split_authority(authority: &str) -> (&str, Option<u16>) {
    let user = authority.rsplit_once('@');
    let name_and_port = user.map_or(authority, |(_, rest)| rest);
    // An address in brackets has colons, too.
    match name_and_port.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
        _ => (name_and_port, None),
    }
}

/// Removes the dot of the root zone from a host name, as the column
/// `url_host_name` does.
pub fn strip_root_dot(host: &str) -> &str {
    host.strip_suffix('.')
        .filter(|name| !name.is_empty())
        .unwrap_or(host)
}

/// Returns true if scheme, host and path of a URL can be told apart by their delimiters alone, as
/// robots.txt parsers do.
///
/// Browsers also accept URLs with backslashes, with missing or repeated
/// slashes, and with line breaks; these are not plain.
pub fn has_plain_delimiters(url: &[u8]) -> bool {
    let Some(colon) = memmem::find(url, b"://") else {
        return false;
    };
    let rest = &url[colon + 3..];
    let is_end = |byte: &u8| matches!(byte, b'/' | b'?' | b'#');
    let host_len = rest.iter().position(is_end).unwrap_or(rest.len());
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    url[..colon].iter().all(is_scheme)
        && host_len > 0
        && !rest[..host_len].contains(&b'\\')
        && !url.iter().any(|byte| matches!(byte, b'\t' | b'\r' | b'\n'))
}

/// Returns the default port of a scheme; `None` if it has none, or is not one of http, https, ws, wss and ftp.
pub fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        "ftp" => Some(21),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::url_columns::{UrlColumns, parse_url};

    fn origin(url: &str) -> Option<String> {
        let mut out = Vec::new();
        write_url_origin(&parse_url(url.as_bytes())?, &mut out)
            .then(|| String::from_utf8(out).unwrap())
    }

    #[test]
    fn a_url_that_only_a_browser_would_repair_is_not_plain() {
        for url in [
            "http://h",
            "https://h/a\\b?c://d",
            "ftp://u@h:1/x",
            "http://h?x",
        ] {
            assert!(has_plain_delimiters(url.as_bytes()), "{url}");
        }
        for url in [
            "https:/h/x",
            "https:h/x",
            "https:///h/x",
            "https://h\\x",
            "https://h/a\nb",
            "ht tp://h/",
            "/x?u=http://h/",
            "h/x",
            "",
        ] {
            assert!(!has_plain_delimiters(url.as_bytes()), "{url}");
        }
    }

    #[test]
    fn an_origin_consists_of_scheme_host_and_port() {
        let cases = [
            ("https://EXAMPLE.com/x", "https://example.com:443"),
            (
                "https://user:pw@example.com:443/x",
                "https://example.com:443",
            ),
            ("http://example.com./", "http://example.com:80"),
            ("http://example.com:8080", "http://example.com:8080"),
            (
                "http://www.exämple.com/",
                "http://www.xn--exmple-cua.com:80",
            ),
            ("https://[::1]:1/", "https://[::1]:1"),
            ("https://[::1]/", "https://[::1]:443"),
            ("http://u:7@example.com/", "http://example.com:80"),
        ];
        for (url, expected) in cases {
            assert_eq!(origin(url).as_deref(), Some(expected), "{url}");
            // The URL columns of a capture give the same origin.
            let columns = UrlColumns::new(parse_url(url.as_bytes()).unwrap());
            let mut out = Vec::new();
            let host = columns.host.unwrap().name.clone();
            assert_eq!(url_host(&columns.url), Some(host.as_str()));
            let origin = WebOrigin::from_url(&columns.url).unwrap();
            origin.write(&mut out);
            assert_eq!(out, expected.as_bytes());
        }
        for url in [
            "",
            "example.com/x",
            "/x",
            "mailto:a@b",
            "data:,x",
            "https://",
            "file:///x",
        ] {
            assert_eq!(origin(url), None, "{url}");
        }
    }
}

//! Origins: scheme, host and port, for which one robots.txt speaks (RFC 9309
//! §2.3).

use memchr::memmem;
use std::io::Write;
use url::Url;

/// Writes the origin of a URL, as `https://example.com:443`; `false` if it has
/// none.
pub(crate) fn of_url(url: &Url, out: &mut Vec<u8>) -> bool {
    let Some(host) = url.host_str().filter(|host| !host.is_empty()) else {
        return false;
    };
    // As in the column `url_host_name`.
    let host = host
        .strip_suffix('.')
        .filter(|name| !name.is_empty())
        .unwrap_or(host);
    write(url.scheme(), host, url.port(), out);
    true
}

/// Whether scheme, host and path are told apart by the octets as they stand,
/// as robots.txt parsers tell them. A browser's parser mends more: backslashes,
/// missing or too many slashes, line ends within.
pub(crate) fn is_plain(url: &[u8]) -> bool {
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

/// Writes the origin of columns as the tables have them: the port is there if
/// it is not the scheme's own.
pub(crate) fn write(scheme: &str, host: &str, port: Option<u16>, out: &mut Vec<u8>) {
    let port = port.unwrap_or(own_port(scheme));
    out.clear();
    write!(out, "{scheme}://{host}:{port}").expect("a vector takes all");
}

/// The port of a scheme, 0 where it has none.
pub(crate) fn own_port(scheme: &str) -> u16 {
    match scheme {
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        "ftp" => 21,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::url::{UrlColumns, parse_url};

    fn origin(url: &str) -> Option<String> {
        let mut out = Vec::new();
        of_url(&parse_url(url.as_bytes())?, &mut out).then(|| String::from_utf8(out).unwrap())
    }

    #[test]
    fn what_only_a_browser_would_mend_is_not_plain() {
        for url in [
            "http://h",
            "https://h/a\\b?c://d",
            "ftp://u@h:1/x",
            "http://h?x",
        ] {
            assert!(is_plain(url.as_bytes()), "{url}");
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
            assert!(!is_plain(url.as_bytes()), "{url}");
        }
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
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
        ];
        for (url, expected) in cases {
            assert_eq!(origin(url).as_deref(), Some(expected), "{url}");
            // The columns of a capture give the same.
            let columns = UrlColumns::new(parse_url(url.as_bytes()).unwrap());
            let mut out = Vec::new();
            let host = columns.host.unwrap().name.clone();
            write(&columns.protocol, &host, columns.port, &mut out);
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

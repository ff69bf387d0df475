//! Sort-friendly keys of URLs and hosts (SURT), as in Common Crawl's indexes.
//!
//! The key of a URL equals that of the Python package `surt` 0.3.1, which Common Crawl's indexer
//! uses: scheme, user and `www` are removed, host labels and IPv4 numbers are reversed, escapes are
//! decoded and encoded again, repeated slashes are merged, letters are lower-cased and query
//! parameters are sorted. One rule is not implemented: session ids are kept. Views put the key
//! together from the host, the port and [`surt_path`] (`src/tables/robots_files.rs`).

use std::borrow::Cow;
use std::net::Ipv4Addr;

/// The path of nearly all captures. In the key of a URL it is unchanged.
const ROBOTS_PATH: &str = "/robots.txt";

/// Returns the path and the query of the key of a URL, such as `/robots.txt`.
pub(crate) fn surt_path(path: &str, query: Option<&str>) -> Cow<'static, str> {
    let query = query.filter(|query| !query.is_empty());
    if path == ROBOTS_PATH && query.is_none() {
        return Cow::Borrowed(ROBOTS_PATH);
    }
    let mut key = String::with_capacity(path.len());
    push_path(path, &mut key);
    if let Some(query) = query {
        push_query(query, &mut key);
    }
    Cow::Owned(key)
}

/// Returns the key of a host in cc-host-index, such as `com,example`.
///
/// Labels or IPv4 numbers are reversed, and a leading `www` is removed unless only the top-level
/// domain would remain. An IPv6 address loses its brackets.
pub fn surt_host_name(name: &str) -> String {
    if let Ok(address) = name.parse::<Ipv4Addr>() {
        return reverse_address(address);
    }
    if let Some(address) = name
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        return address.to_owned();
    }
    let stripped = name
        .strip_prefix("www.")
        .filter(|rest| rest.contains('.'))
        .unwrap_or(name);
    reverse_labels(stripped)
}

/// Returns the labels of a name in reverse order, separated by commas.
fn reverse_labels(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    push_reversed_labels(name, &mut out);
    out
}

/// Appends the labels of a name in reverse order to an empty text.
pub(crate) fn push_reversed_labels(name: &str, out: &mut String) {
    let mut end = name.len();
    while let Some(dot) = memchr::memrchr(b'.', &name.as_bytes()[..end]) {
        push_label(&name[dot + 1..end], out);
        end = dot;
    }
    push_label(&name[..end], out);
}

fn push_label(label: &str, out: &mut String) {
    if !out.is_empty() {
        out.push(',');
    }
    out.push_str(label);
}

fn reverse_address(address: Ipv4Addr) -> String {
    let [a, b, c, d] = address.octets();
    format!("{d},{c},{b},{a}")
}

fn push_path(path: &str, key: &mut String) {
    let path = unescape(path);
    let is_normal = !path.windows(2).any(|two| two == b"//" || two == b"/.");
    let mut parts: Vec<&[u8]> = Vec::new();
    let path: Cow<'_, [u8]> = if is_normal {
        path
    } else {
        for part in path.split(|&byte| byte == b'/').skip(1) {
            match part {
                b"." => {}
                // A `..` at the start is kept, as by the Python package `surt`.
                b".." if !parts.is_empty() => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        let last = parts.pop().unwrap_or_default();
        let mut joined = b"/".to_vec();
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            joined.extend_from_slice(part);
            joined.push(b'/');
        }
        joined.extend_from_slice(last);
        Cow::Owned(joined)
    };
    let path = match path.strip_suffix(b"/") {
        Some(rest) if !rest.is_empty() => rest,
        _ => &path,
    };
    push_escaped(path, key);
}

fn push_query(query: &str, key: &mut String) {
    let mut text = String::with_capacity(query.len());
    push_escaped(&unescape(query), &mut text);
    let parts = text.split('&').map(|part| match part.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (part, None),
    });
    let mut parts: Vec<(&str, Option<&str>)> = parts.collect();
    parts.sort_unstable();
    for (i, (name, value)) in parts.into_iter().enumerate() {
        key.push(if i == 0 { '?' } else { '&' });
        key.push_str(name);
        if let Some(value) = value {
            key.push('=');
            key.push_str(value);
        }
    }
}

/// Decodes percent-encoding until no escape is left. A decoded byte may complete an escape that
/// began before it (`%252F`, `%2%46`). Runs in linear time.
fn unescape(text: &str) -> Cow<'_, [u8]> {
    if !text.contains('%') {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    for &byte in text.as_bytes() {
        out.push(byte);
        while let [.., b'%', high, low] = out[..]
            && let (Some(high), Some(low)) = (hex_digit(high), hex_digit(low))
        {
            out.truncate(out.len() - 3);
            out.push(high << 4 | low);
        }
    }
    Cow::Owned(out)
}

fn hex_digit(byte: u8) -> Option<u8> {
    let digit = char::from(byte).to_digit(16)?;
    u8::try_from(digit).ok()
}

/// Appends a text in lower case. Escapes `#`, `%` and all octets except visible ASCII.
fn push_escaped(text: &[u8], out: &mut String) {
    for &byte in text {
        match byte {
            b'#' | b'%' | 0..=0x20 | 0x7f.. => out.push_str(&format!("%{byte:02x}")),
            _ => out.push(char::from(byte.to_ascii_lowercase())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn path_of(url: &str) -> String {
        let url = Url::parse(url).unwrap();
        surt_path(url.path(), url.query()).into_owned()
    }

    /// Returns the part of a key behind its host and port.
    fn path_in(key: &str) -> &str {
        key.split_once(')').unwrap().1
    }

    /// Lines of Common Crawl's index: crawl and time, URL, key.
    const CC_INDEX_KEYS: [&str; 7] = [
        "CC-MAIN-2024-30 20240722120755 http://165.22.100.0/robots.txt 0,100,22,165)/robots.txt",
        "CC-MAIN-2024-30 20240714155331 http://66.199.141.101/robots.txt 101,141,199,66)/robots.txt",
        "CC-MAIN-2024-33 20240809191528 http://1.000.000.000/robots.txt 0,0,0,1)/robots.txt",
        "CC-MAIN-2024-30 20240725183414 http://23.254.128.107/sites.asp?domain=hydrogenheaters.com 107,128,254,23)/sites.asp?domain=hydrogenheaters.com",
        "CC-MAIN-2026-08 20260206181759 https://www.example.com/ com,example)/",
        "CC-MAIN-2018-13 20180321221633 http://2016legcoelection.hk01.com/candidate/tag/205/54 com,hk01,2016legcoelection)/candidate/tag/205/54",
        "CC-MAIN-2015-11 20150302032705 http://commoncrawl.org/ org,commoncrawl)/",
    ];

    /// URLs with their keys as computed by the Python package `surt` 0.3.1.
    const SURT_PACKAGE_KEYS: [&str; 35] = [
        "http://1.2.3.4/robots.txt 4,3,2,1)/robots.txt",
        "http://10.0.0.1:8080/ 1,0,0,10:8080)/",
        "http://[::1]/robots.txt ::1)/robots.txt",
        "http://[2001:db8::1]:8080/robots.txt 2001:db8::1:8080)/robots.txt",
        "https://xn--exmple-cua.com/robots.txt com,xn--exmple-cua)/robots.txt",
        "https://www.exämple.com/robots.txt com,xn--exmple-cua)/robots.txt",
        "https://www.example.com:443/robots.txt com,example)/robots.txt",
        "http://www2.example.com:8080/A/?b=2&a=1 com,example:8080)/a?a=1&b=2",
        "http://www.com/ com)/",
        "http://www12.a.b/x b,a)/x",
        "http://wwww.a.b/ b,a,wwww)/",
        "http://www.www.a.b/ b,a,www)/",
        "http://www1/x www1)/x",
        "http://localhost/robots.txt localhost)/robots.txt",
        "http://a.b./robots.txt b,a)/robots.txt",
        "http://user:pw@a.b/x b,a)/x",
        "ftp://a.b/robots.txt b,a)/robots.txt",
        "http://a.b//robots.txt b,a)/robots.txt",
        "http://a.b/x//y/// b,a)/x/y",
        "http://a.b/%7Euser/robots.txt b,a)/~user/robots.txt",
        "http://a.b/x%2Fy%2f%2Fz b,a)/x/y/z",
        "http://a.b/x%252Fy b,a)/x/y",
        "http://a.b/a%20b/%C3%A9 b,a)/a%20b/%c3%a9",
        "http://a.b/é b,a)/%c3%a9",
        "http://a.b/% b,a)/%25",
        "http://a.b/x%zz%23 b,a)/x%25zz%23",
        "http://a.b/x/ b,a)/x",
        "http://a.b/? b,a)/",
        "http://a.b/robots.txt?a&b=&c=1 b,a)/robots.txt?a&b=&c=1",
        "http://a.b/x?&a=1&a= b,a)/x?&a=&a=1",
        "http://a.b/x?b=1&a=%26%3D&A=1 b,a)/x?=&a=&a=1&b=1",
        "http://a.b/x|y\"z'(,) b,a)/x|y\"z'(,)",
        "http://a.b/x/%2e%2e/y b,a)/y",
        "http://a.b/X?Q=%41#f b,a)/x?q=a",
        "http://a.b/%2%35%34%31%%3235 b,a)/a%235",
    ];

    #[test]
    fn paths_equal_those_of_the_common_crawl_index() {
        for line in CC_INDEX_KEYS.iter().chain(&SURT_PACKAGE_KEYS) {
            let mut fields = line.rsplitn(3, ' ');
            let (key, url) = (fields.next().unwrap(), fields.next().unwrap());
            assert_eq!(path_of(url), path_in(key), "{line}");
        }
    }

    #[test]
    fn host_keys_equal_those_of_the_host_index() {
        // The first two are the examples in the index's description.
        for (name, expected) in [
            ("www.example.com", "com,example"),
            ("www.com", "com,www"),
            ("www2.example.com", "com,example,www2"),
            ("1.2.3.4", "4,3,2,1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("xn--exmple-cua.com", "com,xn--exmple-cua"),
            ("localhost", "localhost"),
        ] {
            assert_eq!(surt_host_name(name), expected, "{name}");
        }
    }
}

//! A fast path for URLs that are already in normal form.
//!
//! Most URLs in archives are in normal form. Parsing one with the `url` crate copies it and takes much
//! longer. This parser accepts only a small part of the grammar of URLs. All others must be parsed with
//! the crate. The tests compare both parsers: here on random URLs, and in `tests/archives/urls.rs` on all URLs of
//! the sample archives.

/// An `http` or `https` URL that consists of a host name and a path, and that the `url` crate would
/// not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainUrl<'a> {
    text: &'a str,
    /// The offset of the host, after the scheme and `://`.
    host_start: usize,
    path_start: usize,
}

/// True for the octets of a path that the `url` crate does not change. Dots are checked separately. It is
/// false for `%`, because the crate treats `%2e` as a dot.
const IS_PATH_OCTET: [bool; 256] = octet_table(b"/._-~!$&()*+,;=:@", true);

/// True for the octets of a host name in lower case.
const IS_HOST_OCTET: [bool; 256] = octet_table(b"-.", false);

const fn octet_table(punctuation: &[u8], has_upper_case: bool) -> [bool; 256] {
    let mut octets = [false; 256];
    let mut i = 0;
    while i < 256 {
        let octet = i as u8;
        octets[i] = octet.is_ascii_lowercase()
            || octet.is_ascii_digit()
            || has_upper_case && octet.is_ascii_uppercase();
        i += 1;
    }
    let mut i = 0;
    while i < punctuation.len() {
        octets[punctuation[i] as usize] = true;
        i += 1;
    }
    octets
}

impl<'a> PlainUrl<'a> {
    /// Returns the URL if it is plain, and `None` if it must be parsed with the `url` crate.
    pub fn parse(text: &'a [u8]) -> Option<Self> {
        let rest = text
            .strip_prefix(b"https://")
            .or_else(|| text.strip_prefix(b"http://"))?;
        let host_bytes = memchr::memchr(b'/', rest)?;
        let (host, path) = rest.split_at(host_bytes);
        if !is_plain_host(host) || !is_plain_path(path) {
            return None;
        }
        let host_start = text.len() - rest.len();
        Some(Self {
            // All octets are ASCII.
            text: std::str::from_utf8(text).ok()?,
            host_start,
            path_start: host_start + host_bytes,
        })
    }

    /// Returns the whole URL.
    pub fn as_str(self) -> &'a str {
        self.text
    }

    /// Returns the host name.
    pub fn host(self) -> &'a str {
        &self.text[self.host_start..self.path_start]
    }

    /// Returns the path. A plain URL has no query.
    pub fn path(self) -> &'a str {
        &self.text[self.path_start..]
    }
}

/// Returns true if a host is a name in lower case, is not an address and has no punycode.
fn is_plain_host(host: &[u8]) -> bool {
    // If the last label begins with a digit, the host may be an IPv4 address.
    let last_label_start = memchr::memrchr(b'.', host).map_or(0, |dot| dot + 1);
    host.get(last_label_start).is_some_and(u8::is_ascii_lowercase)
        && host[0] != b'.'
        && host.len() <= 253
        && host.iter().all(|&octet| IS_HOST_OCTET[usize::from(octet)])
        // There is neither an empty label nor a pair of hyphens as in `xn--`.
        && !host.windows(2).any(|two| two == b".." || two == b"--")
}

/// Returns true if a path has no escapes, no octets that would be escaped, and no segments `.` and `..`.
fn is_plain_path(path: &[u8]) -> bool {
    path.iter().all(|&octet| IS_PATH_OCTET[usize::from(octet)])
        && !path.windows(2).any(|two| two == b"/.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    /// Returns true if a URL is plain. Asserts that the `url` crate then parses it to the same parts.
    fn check_plain(text: &[u8]) -> bool {
        let Some(plain) = PlainUrl::parse(text) else {
            return false;
        };
        let url = Url::parse(plain.as_str()).unwrap();
        assert_eq!(url.as_str().as_bytes(), text);
        assert_eq!(url.host_str(), Some(plain.host()), "{url}");
        assert!(matches!(url.host(), Some(url::Host::Domain(_))), "{url}");
        assert_eq!(url.path(), plain.path(), "{url}");
        assert_eq!(
            (url.query(), url.fragment(), url.port()),
            (None, None, None)
        );
        assert_eq!((url.username(), url.password()), ("", None));
        true
    }

    #[test]
    fn usual_urls_are_plain_and_unusual_ones_are_not() {
        for text in [
            "https://www.example.com/robots.txt",
            "http://a/",
            "https://1.2.3.4a.example/a/b.xml.gz",
            "https://a-b.example/A_b~c/(d)",
            "http://example.co.uk//x",
        ] {
            assert!(check_plain(text.as_bytes()), "{text}");
        }
        for text in [
            "HTTPS://example.com/",
            "https://example.com",
            "https://Example.com/",
            "https://example.com./",
            "https://.example.com/",
            "https://a..b/",
            "https://192.0.2.1/",
            "https://192.0.2.0x1/",
            "https://[::1]/",
            "https://xn--exmple-cua.com/",
            "https://example.com:8080/",
            "https://user@example.com/",
            "https://example.com/?q",
            "https://example.com/#x",
            "https://example.com/a b",
            "https://example.com/a%20b",
            "https://example.com/a/./b",
            "https://example.com/..",
            "https://example.com/.well-known",
            "https://example.com/\\",
            "https://example.com/é",
            "https:/example.com/",
            "https:///",
            "ftp://example.com/",
            "",
        ] {
            assert_eq!(PlainUrl::parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn random_urls_that_are_plain_are_not_changed_by_parsing() {
        const HOST_PIECES: &[&str] = &[
            "a",
            "b1",
            "0x1f",
            "255",
            ".",
            ".",
            "-",
            "www.",
            "com",
            "e.example",
        ];
        const PATH_PIECES: &[&str] = &[
            "/", "a", "Z", "0", ".xml", "_", "~", "!", "$", "&", "(", ")", "*",
        ];
        const ODD_PIECES: &[&str] = &[
            "//", "..", "/.", "--", "xn--", "%2e", "%", "'", "+", ",", ";", "=", ":", ":80", "@",
            "?", "#", "|", "^", "[", "]", "{", "}", "`", "\"", "<", ">", "\\", "\t", "\n", " ",
            "\0", "\x7f", "é", "ß", "\u{200d}", "1.2.3.4", ".4", "4/", "E",
        ];
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = |below: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % below as u64) as usize
        };
        let (mut plain, mut other) = (0, 0);
        for _ in 0..300_000 {
            let mut text = ["http://", "https://"][random(2)].to_owned();
            for (pieces, most) in [(HOST_PIECES, 4), (&["/"][..], 1), (PATH_PIECES, 6)] {
                for _ in 0..1 + random(most) {
                    text.push_str(match random(12) {
                        0 => ODD_PIECES[random(ODD_PIECES.len())],
                        _ => pieces[random(pieces.len())],
                    });
                }
            }
            if check_plain(text.as_bytes()) {
                plain += 1
            } else {
                other += 1
            }
        }
        assert!(plain > 50_000 && other > 50_000, "{plain}, {other}");
    }
}

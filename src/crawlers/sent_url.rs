//! URLs as clients send them.

use robots::path_of_url;
use std::borrow::Cow;

/// Returns a URL with the path that clients send: octets above 0x7F are percent-encoded with upper-case hex digits, and
/// the segments `.` and `..` of the path are resolved (RFC 3986 §5.2.4). Nothing else changes: blanks, braces, quotes,
/// backslashes and escapes stay. If the path changes, the scheme and the host of the result are not those of the URL.
pub fn sent_url(url: &[u8]) -> Cow<'_, [u8]> {
    let mut scratch = Vec::new();
    let whole = path_of_url(url, &mut scratch);
    let query = whole.iter().position(|byte| *byte == b'?');
    let (path, query) = whole.split_at(query.unwrap_or(whole.len()));
    let has_dots = path.split(|byte| *byte == b'/').any(is_dots);
    if !has_dots && whole.is_ascii() {
        return Cow::Borrowed(url);
    }
    let mut segments: Vec<&[u8]> = Vec::new();
    let mut parts = path.split(|byte| *byte == b'/').skip(1).peekable();
    while let Some(part) = parts.next() {
        if !is_dots(part) {
            segments.push(part);
            continue;
        }
        if part == b".." {
            segments.pop();
        }
        // A path that ends with such a segment ends with a slash.
        if parts.peek().is_none() {
            segments.push(b"");
        }
    }
    // The path alone could begin with two slashes, like a host.
    let mut sent = b"https://h".to_vec();
    for segment in segments {
        sent.push(b'/');
        push_encoded(&mut sent, segment);
    }
    push_encoded(&mut sent, query);
    Cow::Owned(sent)
}

fn is_dots(segment: &[u8]) -> bool {
    matches!(segment, b"." | b"..")
}

/// Appends octets, of which those above 0x7F are percent-encoded.
fn push_encoded(out: &mut Vec<u8>, octets: &[u8]) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for &octet in octets {
        if octet.is_ascii() {
            out.push(octet);
        } else {
            let digits = [octet >> 4, octet & 15].map(|digit| HEX[usize::from(digit)]);
            out.extend([b'%', digits[0], digits[1]]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Crawler, CrawlerRegistry, DialectChoice};

    #[test]
    fn a_url_that_is_not_changed_has_the_answer_of_google() {
        let body = "User-agent: a\nDisallow: /x/\nDisallow: /*.y$\nAllow: /x/é\nDisallow: /%7e\nDisallow: /b?c\n";
        let mut parser = robots::Parser::new();
        let robots = parser.parse(body.as_bytes());
        let crawler = Crawler::new(&CrawlerRegistry::built_in(), "a");
        let [default, google] = [
            DialectChoice::Default,
            DialectChoice::Dialect(robots::Dialect::Google),
        ]
        .map(|choice| crawler.policy(choice, &robots));
        let pieces = [
            "/", "x", ".", "..", "é", "y", "?", "%7e", "~", "b", " ", ";", "\\",
        ];
        let (mut same, mut changed) = (0, 0);
        for number in 0..pieces.len().pow(4) {
            let piece = |place: u32| pieces[number / pieces.len().pow(place) % pieces.len()];
            let url = ["/", piece(0), piece(1), piece(2), piece(3)].concat();
            let access = default.access(url.as_bytes());
            let sent = sent_url(url.as_bytes());
            assert_eq!(access, google.access(&sent), "{url}");
            match sent {
                Cow::Borrowed(_) => same += 1,
                Cow::Owned(_) => changed += 1,
            }
        }
        assert!(same > 10_000 && changed > 5_000, "{same} {changed}");
    }

    #[test]
    fn octets_are_encoded_and_dots_are_resolved() {
        for (url, path) in [
            ("https://e.example/café", "/caf%C3%A9"),
            ("/a?q=é", "/a?q=%C3%A9"),
            ("/a/./b/../c", "/a/c"),
            ("/a/b/..", "/a/"),
            ("/a/.", "/a/"),
            ("/..", "/"),
            ("/../../x?y/../z", "/x?y/../z"),
            ("https://e.example//../x", "/x"),
            ("https://e.example//a/../b", "//b"),
        ] {
            let sent = sent_url(url.as_bytes()).into_owned();
            assert_eq!(
                sent.strip_prefix(b"https://h"),
                Some(path.as_bytes()),
                "{url}"
            );
        }
        for url in [
            "https://e.example/a b{}\"\\%7e%C3%a9",
            "/a.b/..c/...",
            "/a?../b",
            "https://é.example/a",
            "/a#é/../b",
            "",
            "//h/./",
        ] {
            let sent = sent_url(url.as_bytes());
            let is_same = matches!(sent, Cow::Borrowed(_));
            assert_eq!(is_same, url != "//h/./", "{url}");
        }
    }
}

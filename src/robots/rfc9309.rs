//! The dialect `rfc9309`: the internet draft that became RFC 9309.
//!
//! Keys are exact, the colon is required; a user-agent line whose value is
//! neither `*` nor a product token addresses nobody but shapes groups all the
//! same (§2.2.1); paths are compared in a normal form (§2.2.2).
//!
//! Departures from the text: all groups of `*` are merged, where the draft says
//! the first; reserved octets and their `%xx` stay distinct, so that row 2 of
//! the table in §2.2.2 does not hold.

use crate::key::{Key, is_whole_key};
use crate::matcher::Part;
use crate::reach::Step;
use crate::robots::{Directive, Robots};
use crate::symbols::{Octet, encoded, octets};
use std::borrow::Cow;

/// A line as this dialect reads it, with its group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StrictLine<'a> {
    /// The group, from 1; 0 before any user-agent line.
    pub(crate) group_no: u32,
    /// What the line is for: never `Sitemap` or `Other`.
    pub(crate) key: Key,
    /// The line.
    pub(crate) line_no: u32,
    /// The value as written.
    pub(crate) value: &'a [u8],
}

/// The lines that count and conform, with their groups (§2.2, §2.2.1).
pub(crate) fn lines<'a>(robots: &Robots<'a>) -> Vec<StrictLine<'a>> {
    let (mut group_no, mut group_has_rules) = (0, true);
    let mut lines = Vec::with_capacity(robots.directives().len());
    for it in robots
        .directives()
        .iter()
        .filter(|it| it.counts && is_conforming(robots, it))
    {
        if it.key == Key::UserAgent && group_has_rules {
            group_no += 1;
            group_has_rules = false;
        } else if it.key != Key::UserAgent {
            group_has_rules |= group_no > 0;
        }
        lines.push(StrictLine {
            group_no,
            key: it.key,
            line_no: it.line_no,
            value: robots.text(it.value_raw),
        });
    }
    lines
}

/// Whether a line's key is spelt as the grammar has it, with its colon.
pub(crate) fn is_conforming(robots: &Robots<'_>, line: &Directive) -> bool {
    matches!(line.key, Key::UserAgent | Key::Allow | Key::Disallow)
        && line.has_colon
        && is_whole_key(line.key, robots.text(line.key_raw))
}

/// Whether Google reads the lines of a file, and what they say, just as this
/// dialect does, names of crawlers aside. True of nearly every file.
pub(crate) fn is_plain(robots: &Robots<'_>) -> bool {
    robots
        .directives()
        .iter()
        .filter(|it| it.counts)
        .all(|it| match it.key {
            Key::UserAgent => is_conforming(robots, it),
            Key::Allow | Key::Disallow => {
                let value = robots.text(it.value_raw);
                is_conforming(robots, it)
                    && value == robots.text(it.value)
                    && value.first().is_none_or(|&first| first == b'/')
                    && !value
                        .iter()
                        .any(|&byte| matches!(byte, b'%' | b' ' | b'\t'))
                    && !(it.key == Key::Allow
                        && memchr::memmem::find(value, b"/index.htm").is_some())
            }
            Key::Sitemap | Key::Other => true,
        })
}

/// The normal form of an octet of a path (§2.2.2): hex upper-cased, unreserved
/// octets never encoded, octets above 0x7F and blanks always.
fn symbol(octet: Octet) -> u16 {
    match octet {
        Octet::Bare(byte) if byte >= 0x80 || byte == b' ' || byte == b'\t' => encoded(byte),
        Octet::Bare(byte) => byte.into(),
        Octet::Escaped(byte) if is_unreserved(byte) => byte.into(),
        Octet::Escaped(byte) => encoded(byte),
    }
}

/// RFC 3986 §2.3.
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// The normal form of a URL's path.
pub(crate) fn path(text: &[u8]) -> Vec<u16> {
    octets(text).map(symbol).collect()
}

/// The normal form of a URL's path in octets: a symbol that stays encoded is
/// two octets above 0x7F, the first below 0xC0 and the second not, so that no
/// symbol is found within another.
///
/// `*` and `%2A` are one: no rule tells them apart.
pub(crate) fn path_octets(text: &[u8]) -> Cow<'_, [u8]> {
    let is_normal = |&byte: &u8| byte < 0x80 && !matches!(byte, b'%' | b' ' | b'\t');
    if text.iter().all(is_normal) {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    for octet in octets(text) {
        let (first, second) = octets_of(symbol(octet));
        out.push(first);
        out.extend(second);
    }
    Cow::Owned(out)
}

fn octets_of(symbol: u16) -> (u8, Option<u8>) {
    const STAR: u16 = 256 + b'*' as u16;
    match symbol {
        STAR => (b'*', None),
        0..256 => (symbol as u8, None),
        _ => (0x80 | (symbol as u8 >> 4), Some(0xC0 | (symbol as u8 & 15))),
    }
}

/// Writes steps as the matcher takes them, in the octets of [`path_octets`].
/// False if it cannot: a `%24` means two symbols that others tell apart.
pub(crate) fn parts(steps: &[Step], out: &mut Vec<Part>) -> bool {
    for step in steps {
        match *step {
            Step::One(a, b) if octets_of(a) != octets_of(b) => return false,
            Step::One(symbol, _) => {
                let (first, second) = octets_of(symbol);
                out.push(Part::Octet(first));
                out.extend(second.map(Part::Octet));
            }
            Step::Run => out.push(Part::Run),
            Step::End => out.push(Part::End),
        }
    }
    true
}

/// Writes the steps of a rule's path, and gives its priority: the octets of
/// its normal form. `None` if the value does not begin with `/`, or has a NUL,
/// which no path holds.
///
/// `*` and a `$` at the end are special; `%2A` and `%24` are the octets
/// themselves, written either way in a URL (§2.2.3).
pub(crate) fn steps(value: &[u8], out: &mut Vec<Step>) -> Option<u32> {
    if value.first() != Some(&b'/') || memchr::memchr(0, value).is_some() {
        return None;
    }
    let (text, is_anchored) = match value {
        [text @ .., b'$'] => (text, true),
        _ => (value, false),
    };
    let mut priority = u32::from(is_anchored);
    let mut after_run = false;
    for octet in octets(text) {
        if octet == Octet::Bare(b'*') {
            if !after_run {
                out.push(Step::Run);
            }
            after_run = true;
            priority += 1;
            continue;
        }
        after_run = false;
        let symbol = symbol(octet);
        let also = match octet {
            Octet::Escaped(byte @ (b'*' | b'$')) => byte.into(),
            _ => symbol,
        };
        out.push(Step::One(symbol, also));
        priority += if symbol >= 256 { 3 } else { 1 };
    }
    if is_anchored {
        out.push(Step::End);
    }
    Some(priority)
}

/// `/robots.txt` in symbols: always allowed (§2.2.2).
pub(crate) fn robots_txt() -> Vec<u16> {
    path(b"/robots.txt")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::matches;

    fn is_match(rule: &str, url_path: &str) -> bool {
        let mut out = Vec::new();
        steps(rule.as_bytes(), &mut out).is_some() && matches(&out, &path(url_path.as_bytes()))
    }

    #[test]
    fn the_table_of_encodings_holds_but_for_row_two() {
        // §2.2.2, row by row: path of the rule, path to match.
        assert!(is_match("/foo/bar?baz=quz", "/foo/bar?baz=quz"));
        // Departure: reserved octets and their %xx are distinct.
        assert!(!is_match(
            "/foo/bar?baz=http://foo.bar",
            "/foo/bar?baz=http%3A%2F%2Ffoo.bar"
        ));
        assert!(is_match(
            "/foo/bar?baz=http://foo.bar",
            "/foo/bar?baz=http://foo.bar"
        ));
        assert!(is_match("/foo/bar/ツ", "/foo/bar/%E3%83%84"));
        assert!(is_match("/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84"));
        assert!(is_match("/foo/bar/%62%61%7A", "/foo/bar/baz"));
        assert!(is_match("/foo/bar/baz", "/foo/bar/%62%61%7a"));
    }

    #[test]
    fn special_characters_are_those_of_the_draft() {
        // §2.2.3.
        assert!(is_match("/this/path/exactly$", "/this/path/exactly"));
        assert!(!is_match("/this/path/exactly$", "/this/path/exactly/"));
        assert!(is_match("/this/*/exactly", "/this/a/b/exactly/x"));
        assert!(is_match(
            "/path/file-with-a-%2A.html",
            "/path/file-with-a-*.html"
        ));
        assert!(is_match(
            "/path/file-with-a-%2A.html",
            "/path/file-with-a-%2a.html"
        ));
        assert!(is_match("/path/foo-%24", "/path/foo-$"));
        assert!(!is_match("/path/foo-%24", "/path/foo-"));
        assert!(is_match("/a b", "/a%20b") && is_match("/a%20b", "/a b"));
        assert!(!is_match("/a%2Fb", "/a/b") && !is_match("/a/b", "/a%2fb"));
    }

    #[test]
    fn priority_is_octets_of_the_normal_form() {
        let priority = |rule: &str| steps(rule.as_bytes(), &mut Vec::new());
        assert_eq!(priority("/é"), Some(7));
        assert_eq!(priority("/%61"), Some(2));
        assert_eq!(priority("/a**$"), Some(5));
        assert_eq!(priority("foo"), None);
        assert_eq!(priority("*"), None);
        assert_eq!(priority(""), None);
        assert_eq!(priority("/a\0"), None);
    }
}

//! The dialect `rfc9309`: the internet draft that became RFC 9309.
//!
//! Keys are exact, the colon is required; a user-agent line whose value is
//! neither `*` nor a product token addresses nobody but shapes groups all the
//! same (§2.2.1); paths are compared in a normal form (§2.2.2).
//!
//! Departures from the text: all groups of `*` are merged, where the draft says
//! the first; reserved octets and their `%xx` stay distinct, so that row 2 of
//! the table in §2.2.2 does not hold.

use crate::document::{Directive, RobotsTxt};
use crate::parse::directive_kind::DirectiveKind;
use crate::pattern;
use crate::pattern::compiled::PatternPart;
use crate::pattern::percent::{PathOctet, PatternStep, encoded, first_octet, octets};
use std::borrow::Cow;

/// A line as this dialect reads it, with its group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rfc9309Line<'a> {
    /// The group, from 1; 0 before any user-agent line.
    pub(crate) group_no: u32,
    /// What the line is for: never `Sitemap` or `Other`.
    pub(crate) kind: DirectiveKind,
    /// The line.
    pub(crate) line_no: u32,
    /// The value as written.
    pub(crate) value: &'a [u8],
}

/// The lines that count and conform, with their groups (§2.2, §2.2.1).
pub(crate) fn lines<'a>(robots: &RobotsTxt<'a>) -> Vec<Rfc9309Line<'a>> {
    let (mut group_no, mut group_has_rules) = (0, true);
    let mut lines = Vec::with_capacity(robots.directives().len());
    for it in robots
        .directives()
        .iter()
        .filter(|it| it.counts && is_conforming(it))
    {
        if it.kind == DirectiveKind::UserAgent && group_has_rules {
            group_no += 1;
            group_has_rules = false;
        } else if it.kind != DirectiveKind::UserAgent {
            group_has_rules |= group_no > 0;
        }
        lines.push(Rfc9309Line {
            group_no,
            kind: it.kind,
            line_no: it.line_no,
            value: robots.text(it.value_raw),
        });
    }
    lines
}

/// Whether a line's key is spelt as the grammar has it, in any case, with its
/// colon.
///
/// Google's parser compares the beginning of a key. So a key that is not a
/// misspelling and has the length of the known key is that key. An incomplete
/// byte order mark is part of `key_raw`, so that it makes the key too long.
pub(crate) fn is_conforming(line: &Directive) -> bool {
    let len = match line.kind {
        DirectiveKind::UserAgent => b"user-agent".len(),
        DirectiveKind::Allow => b"allow".len(),
        DirectiveKind::Disallow => b"disallow".len(),
        DirectiveKind::Sitemap | DirectiveKind::Other => return false,
    };
    line.has_colon && !line.is_typo && line.key_raw.len() == len
}

/// Whether a line that counts says the same to Google as here, if it is a rule
/// without a folder (`index.htm`).
pub(crate) fn is_plain(robots: &RobotsTxt<'_>, line: &Directive) -> bool {
    let raw = robots.text(line.value_raw);
    is_conforming(line)
        && (line.value == line.value_raw || raw == robots.text(line.value))
        && raw.first().is_none_or(|&first| first == b'/')
        && marks(raw) & CHANGED == 0
}

/// An octet that the normal form changes, or that begins one which it may.
const CHANGED: u8 = 1;
/// A NUL.
const NUL: u8 = 2;
/// A `$`.
const DOLLAR: u8 = 4;

/// What an octet is of these.
const MARKS: [u8; 256] = {
    let mut marks = [0; 256];
    let mut octet = 0x80;
    while octet < 256 {
        marks[octet] = CHANGED;
        octet += 1;
    }
    marks[b'%' as usize] = CHANGED;
    marks[b' ' as usize] = CHANGED;
    marks[b'\t' as usize] = CHANGED;
    marks[0] = NUL;
    marks[b'$' as usize] = DOLLAR;
    marks
};

/// What there is in a value of [`CHANGED`], [`NUL`] and [`DOLLAR`].
fn marks(value: &[u8]) -> u8 {
    if has_no_mark(value) {
        return 0;
    }
    value
        .iter()
        .fold(0, |marks, &octet| marks | MARKS[usize::from(octet)])
}

/// Whether a value has nothing but octets from `!` to `~`, without `$` and `%`:
/// then this says so, eight of them at a time. If not, it may say anything but
/// that.
fn has_no_mark(value: &[u8]) -> bool {
    const ONES: u64 = u64::MAX / 255;
    const TOPS: u64 = ONES << 7;
    // Borrows come only from an octet that has itself been found.
    let found = |eight: [u8; 8]| {
        let octets = u64::from_le_bytes(eight);
        let low = octets.wrapping_sub(ONES * u64::from(b'!')) & !octets;
        // `$` and `%` differ in the last bit.
        let differs = (octets | ONES) ^ (ONES * u64::from(b'%'));
        let equal = differs.wrapping_sub(ONES) & !differs;
        (low | equal | octets) & TOPS
    };
    let (eights, _) = value.as_chunks::<8>();
    let Some(last) = value.last_chunk::<8>() else {
        return false;
    };
    eights
        .iter()
        .fold(found(*last), |all, eight| all | found(*eight))
        == 0
}

/// The normal form of an octet of a path (§2.2.2): hex upper-cased, unreserved
/// octets never encoded, octets above 0x7F, blanks and a `%` that begins no
/// escape always.
fn symbol(octet: PathOctet) -> u16 {
    match octet {
        PathOctet::Bare(byte @ (b' ' | b'\t' | b'%' | 0x80..)) => encoded(byte),
        PathOctet::Bare(byte) => byte.into(),
        PathOctet::Escaped(byte) if is_unreserved(byte) => byte.into(),
        PathOctet::Escaped(byte) => encoded(byte),
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
        _ => {
            let (first, second) = two_octets(symbol as u8);
            (first, Some(second))
        }
    }
}

/// An octet that stays encoded.
fn two_octets(octet: u8) -> (u8, u8) {
    (0x80 | (octet >> 4), 0xC0 | (octet & 15))
}

/// What stands in a rule for `%24`, which is `$` too.
pub(crate) const EITHER_DOLLAR: u8 = 0xfe;

/// A rule's value, the `$` at its end aside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuleValue<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) is_anchored: bool,
    /// Whether it is written in octets as it is in symbols.
    pub(crate) is_normal: bool,
    /// Whether a `$` stands in it.
    pub(crate) has_dollar: bool,
}

impl<'a> RuleValue<'a> {
    /// `None` if the value does not begin with `/`, or has a NUL, which no path
    /// holds.
    pub(crate) fn new(value: &'a [u8]) -> Option<Self> {
        let (text, is_anchored) = pattern::unanchored(value);
        let marks = marks(text);
        (text.first() == Some(&b'/') && marks & NUL == 0).then_some(Self {
            text,
            is_anchored,
            is_normal: marks & CHANGED == 0,
            has_dollar: marks & DOLLAR != 0,
        })
    }
}

/// Octets that [`write_normal`] may write for one.
pub(crate) const NORMAL_GROWTH: usize = 2;

/// What [`write_normal`] wrote.
pub(crate) struct NormalForm {
    /// Octets that were written.
    pub(crate) octets: usize,
    /// Octets of the normal form in a URL.
    pub(crate) priority: u32,
    /// Whether [`EITHER_DOLLAR`] is among them.
    pub(crate) has_either_dollar: bool,
}

/// Writes a rule's value, the `$` at its end aside, as a pattern in octets:
/// `*` is a run, a symbol that stays encoded is two octets as in
/// [`path_octets`], `%2A` too, and `%24` is [`EITHER_DOLLAR`].
pub(crate) fn write_normal(value: &[u8], out: &mut [u8]) -> NormalForm {
    let mut normal = NormalForm {
        octets: 0,
        priority: 0,
        has_either_dollar: false,
    };
    let mut rest = value;
    while let Some((&octet, behind)) = rest.split_first() {
        if MARKS[usize::from(octet)] & CHANGED == 0 {
            out[normal.octets] = octet;
            normal.octets += 1;
            normal.priority += 1;
            rest = behind;
            continue;
        }
        let Some((octet, len)) = first_octet(rest) else {
            break;
        };
        rest = &rest[len..];
        let (first, second) = match (octet, symbol(octet)) {
            (PathOctet::Escaped(b'$'), _) => {
                normal.has_either_dollar = true;
                (EITHER_DOLLAR, None)
            }
            (_, symbol @ 0..256) => (symbol as u8, None),
            (_, symbol) => {
                let (first, second) = two_octets(symbol as u8);
                (first, Some(second))
            }
        };
        normal.priority += if first >= 0x80 { 3 } else { 1 };
        for octet in [Some(first), second].into_iter().flatten() {
            out[normal.octets] = octet;
            normal.octets += 1;
        }
    }
    normal
}

/// Writes steps as the matcher takes them, in the octets of [`path_octets`].
/// False if it cannot: a `%24` means two symbols that others tell apart.
pub(crate) fn parts(steps: &[PatternStep], out: &mut Vec<PatternPart>) -> bool {
    for step in steps {
        match *step {
            PatternStep::One(a, b) if octets_of(a) != octets_of(b) => return false,
            PatternStep::One(symbol, _) => {
                let (first, second) = octets_of(symbol);
                out.push(PatternPart::Octet(first));
                out.extend(second.map(PatternPart::Octet));
            }
            PatternStep::Run => out.push(PatternPart::Run),
            PatternStep::End => out.push(PatternPart::End),
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
pub(crate) fn steps(value: &[u8], out: &mut Vec<PatternStep>) -> Option<u32> {
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
        if octet == PathOctet::Bare(b'*') {
            if !after_run {
                out.push(PatternStep::Run);
            }
            after_run = true;
            priority += 1;
            continue;
        }
        after_run = false;
        let symbol = symbol(octet);
        let also = match octet {
            PathOctet::Escaped(byte @ (b'*' | b'$')) => byte.into(),
            _ => symbol,
        };
        out.push(PatternStep::One(symbol, also));
        priority += if symbol >= 256 { 3 } else { 1 };
    }
    if is_anchored {
        out.push(PatternStep::End);
    }
    Some(priority)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::percent::matches;

    fn is_match(rule: &str, url_path: &str) -> bool {
        let mut out = Vec::new();
        steps(rule.as_bytes(), &mut out).is_some() && matches(&out, &path(url_path.as_bytes()))
    }

    #[test]
    fn eight_octets_at_a_time_are_marked_as_one_by_one() {
        let mut value = b"/abcdefgh-!~_/index*".to_vec();
        assert!(has_no_mark(&value));
        for at in 0..value.len() {
            let before = value[at];
            for octet in 0..=255 {
                value[at] = octet;
                let expected = match octet {
                    b'%' | b' ' | b'\t' | 0x80.. => CHANGED,
                    0 => NUL,
                    b'$' => DOLLAR,
                    _ => 0,
                };
                assert_eq!(marks(&value), expected, "{octet} at {at}");
                assert_eq!(marks(&value[at..]), expected, "{octet} at {at}");
            }
            value[at] = before;
        }
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
        assert!(is_match("/a%", "/a%25") && is_match("/a%25", "/a%x"));
        assert!(!is_match("/a%", "/a%20b") && !is_match("/*%", "/a%20b"));
    }

    #[test]
    fn priority_is_octets_of_the_normal_form() {
        let priority = |rule: &str| steps(rule.as_bytes(), &mut Vec::new());
        assert_eq!(priority("/é"), Some(7));
        assert_eq!(priority("/%61"), Some(2));
        assert_eq!(priority("/%"), Some(4));
        assert_eq!(priority("/a**$"), Some(5));
        assert_eq!(priority("foo"), None);
        assert_eq!(priority("*"), None);
        assert_eq!(priority(""), None);
        assert_eq!(priority("/a\0"), None);
    }
}

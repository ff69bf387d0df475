//! The dialect `rfc9309`: the internet draft that became RFC 9309.
//!
//! Keys are exact and the colon is required. A user-agent line whose value is neither `*` nor a
//! product token addresses no crawler, but starts or continues a group (§2.2.1). Paths are
//! compared in a normal form (§2.2.2).
//!
//! Known departures from the text:
//!
//! - All groups of `*` are merged; the draft uses the first.
//! - Reserved octets and their `%xx` are distinct, so that row 2 of the table in §2.2.2 does not
//!   hold.
//!
//! If you change the normal form, also change the oracle in `tests/oracle/pattern.rs`.

use super::grouping::GroupCounter;
use crate::document::{Directive, DirectiveKind, RobotsTxt};
use crate::pattern;
use crate::pattern::compiled::PatternPart;
use crate::pattern::percent::{PathOctet, PatternStep, encoded, first_octet, octets};
use std::borrow::Cow;

/// A user-agent, allow or disallow line that counts and conforms to the grammar.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rfc9309Line<'a> {
    /// The number of the group, from 1, or 0 before the first user-agent line.
    pub(crate) group_no: u32,
    pub(crate) kind: DirectiveKind,
    pub(crate) line_no: u32,
    /// The value as written.
    pub(crate) value: &'a [u8],
}

/// Returns the lines that count and conform, with their groups (§2.2, §2.2.1).
pub(crate) fn lines<'a>(robots_txt: &RobotsTxt<'a>) -> Vec<Rfc9309Line<'a>> {
    let mut groups = GroupCounter::default();
    let mut lines = Vec::with_capacity(robots_txt.directives().len());
    for line in robots_txt
        .directives()
        .iter()
        .filter(|line| line.counts && is_conforming(line))
    {
        if line.kind == DirectiveKind::UserAgent {
            groups.user_agent();
        } else {
            groups.rule();
        }
        lines.push(Rfc9309Line {
            group_no: groups.group_no(),
            kind: line.kind,
            line_no: line.line_no,
            value: robots_txt.text(line.value_raw),
        });
    }
    lines
}

/// Returns true if a line is a user-agent, allow or disallow line whose key is spelled exactly,
/// ignoring case, and followed by a colon.
///
/// Google's parser compares the beginning of a key. Hence a key that is not a misspelling and has
/// the length of the known key equals that key. An incomplete byte order mark is part of
/// `key_raw` and makes the key too long.
pub(crate) fn is_conforming(line: &Directive) -> bool {
    let len = match line.kind {
        DirectiveKind::UserAgent => b"user-agent".len(),
        DirectiveKind::Allow => b"allow".len(),
        DirectiveKind::Disallow => b"disallow".len(),
        DirectiveKind::Sitemap | DirectiveKind::Other => return false,
    };
    line.has_colon && !line.is_typo && line.key_raw.len() == len
}

/// Returns true if a counting rule has the same effect in this dialect as for Google's parser,
/// provided that it does not also allow a folder (`index.htm`).
pub(crate) fn is_same_for_google(robots_txt: &RobotsTxt<'_>, line: &Directive) -> bool {
    let raw = robots_txt.text(line.value_raw);
    is_conforming(line)
        && (line.value == line.value_raw || raw == robots_txt.text(line.value))
        && raw.first().is_none_or(|&first| first == b'/')
        && classes(raw) & CHANGED == 0
}

/// The class of octets that the normal form may change.
const CHANGED: u8 = 1;
const NUL: u8 = 2;
const DOLLAR: u8 = 4;

/// The class of each octet, or 0.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut octet = 0x80;
    while octet < 256 {
        classes[octet] = CHANGED;
        octet += 1;
    }
    classes[b'%' as usize] = CHANGED;
    classes[b' ' as usize] = CHANGED;
    classes[b'\t' as usize] = CHANGED;
    classes[0] = NUL;
    classes[b'$' as usize] = DOLLAR;
    classes
};

/// Returns the classes of the octets of a value.
fn classes(value: &[u8]) -> u8 {
    if has_no_class(value) {
        return 0;
    }
    value
        .iter()
        .fold(0, |classes, &octet| classes | CLASSES[usize::from(octet)])
}

/// Returns true if a value of at least eight octets has only octets from `!` to `~`, without `$`
/// and `%`. It may return false for such a value, but never true for another.
///
/// Eight octets are tested at a time.
fn has_no_class(value: &[u8]) -> bool {
    const ONES: u64 = u64::MAX / 255;
    const TOPS: u64 = ONES << 7;
    // An octet borrows only from one that is found itself.
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

/// Returns the normal form of an octet of a path (§2.2.2). Unreserved octets are never encoded;
/// octets above 0x7F, blanks, and a `%` that does not begin an escape always are.
fn symbol(octet: PathOctet) -> u16 {
    match octet {
        PathOctet::Bare(byte @ (b' ' | b'\t' | b'%' | 0x80..)) => encoded(byte),
        PathOctet::Bare(byte) => byte.into(),
        PathOctet::Escaped(byte) if is_unreserved(byte) => byte.into(),
        PathOctet::Escaped(byte) => encoded(byte),
    }
}

/// Returns true for the unreserved octets of RFC 3986 §2.3.
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Returns the normal form of a URL's path.
pub(crate) fn path(text: &[u8]) -> Vec<u16> {
    octets(text).map(symbol).collect()
}

/// Returns the normal form of a URL's path, written in octets.
///
/// A symbol that stays encoded is written as two octets above 0x7F. The first is below 0xC0 and
/// the second is not, so that no symbol is found within another. `*` and `%2A` are the same symbol,
/// since no rule distinguishes them.
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

/// Writes an octet that stays encoded.
fn two_octets(octet: u8) -> (u8, u8) {
    (0x80 | (octet >> 4), 0xC0 | (octet & 15))
}

/// The octet of a pattern for `%24`, which matches `$` and `%24`.
pub(crate) const EITHER_DOLLAR: u8 = 0xfe;

/// The value of a rule, without the `$` at its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuleValue<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) is_anchored: bool,
    /// True if the value is its own normal form.
    pub(crate) is_normal: bool,
    /// True if `text` contains a `$`, which is an ordinary character there.
    pub(crate) has_dollar: bool,
}

impl<'a> RuleValue<'a> {
    /// Returns `None` if the value does not begin with `/`, or contains a NUL, which no path does.
    pub(crate) fn new(value: &'a [u8]) -> Option<Self> {
        let (text, is_anchored) = pattern::split_anchor(value);
        let classes = classes(text);
        (text.first() == Some(&b'/') && classes & NUL == 0).then_some(Self {
            text,
            is_anchored,
            is_normal: classes & CHANGED == 0,
            has_dollar: classes & DOLLAR != 0,
        })
    }
}

/// The largest number of octets that [`write_normal`] writes for one.
pub(crate) const NORMAL_GROWTH: usize = 2;

/// The result of [`write_normal`].
pub(crate) struct NormalForm {
    /// The number of octets written.
    pub(crate) octets: usize,
    /// The number of octets of the normal form in a URL.
    pub(crate) priority: u32,
    /// True if [`EITHER_DOLLAR`] was written.
    pub(crate) has_either_dollar: bool,
}

/// Writes the value of a rule, without the `$` at its end, as a pattern in octets.
///
/// `*` is a wildcard; a symbol that stays encoded is written as in [`path_octets`]; `%24` is
/// [`EITHER_DOLLAR`].
pub(crate) fn write_normal(value: &[u8], out: &mut [u8]) -> NormalForm {
    let mut normal = NormalForm {
        octets: 0,
        priority: 0,
        has_either_dollar: false,
    };
    let mut rest = value;
    while let Some((&octet, after)) = rest.split_first() {
        if CLASSES[usize::from(octet)] & CHANGED == 0 {
            out[normal.octets] = octet;
            normal.octets += 1;
            normal.priority += 1;
            rest = after;
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

/// Writes the steps of a pattern as parts for [`CompiledRules`], in the octets of [`path_octets`].
/// Returns false if that is impossible: `%24` matches two symbols that other rules distinguish.
///
/// [`CompiledRules`]: crate::pattern::compiled::CompiledRules
pub(crate) fn parts(steps: &[PatternStep], out: &mut Vec<PatternPart>) -> bool {
    for step in steps {
        match *step {
            PatternStep::Symbol(a, b) if octets_of(a) != octets_of(b) => return false,
            PatternStep::Symbol(symbol, _) => {
                let (first, second) = octets_of(symbol);
                out.push(PatternPart::Octet(first));
                out.extend(second.map(PatternPart::Octet));
            }
            PatternStep::Wildcard => out.push(PatternPart::Wildcard),
            PatternStep::End => out.push(PatternPart::End),
        }
    }
    true
}

/// Writes the steps of a rule's path. Returns its priority, which is the number of octets of its
/// normal form, or `None` if the value does not begin with `/`, or contains a NUL, which no path
/// does.
///
/// `*` and a `$` at the end are special characters. `%2A` and `%24` match the octets themselves,
/// encoded or not (§2.2.3).
pub(crate) fn steps(value: &[u8], out: &mut Vec<PatternStep>) -> Option<u32> {
    if value.first() != Some(&b'/') || memchr::memchr(0, value).is_some() {
        return None;
    }
    let (text, is_anchored) = match value {
        [text @ .., b'$'] => (text, true),
        _ => (value, false),
    };
    let mut priority = u32::from(is_anchored);
    let mut is_after_wildcard = false;
    for octet in octets(text) {
        if octet == PathOctet::Bare(b'*') {
            if !is_after_wildcard {
                out.push(PatternStep::Wildcard);
            }
            is_after_wildcard = true;
            priority += 1;
            continue;
        }
        is_after_wildcard = false;
        let symbol = symbol(octet);
        let also = match octet {
            PathOctet::Escaped(byte @ (b'*' | b'$')) => byte.into(),
            _ => symbol,
        };
        out.push(PatternStep::Symbol(symbol, also));
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
    fn eight_octets_at_a_time_have_the_classes_of_single_octets() {
        let mut value = b"/abcdefgh-!~_/index*".to_vec();
        assert!(has_no_class(&value));
        for i in 0..value.len() {
            let before = value[i];
            for octet in 0..=255 {
                value[i] = octet;
                let expected = match octet {
                    b'%' | b' ' | b'\t' | 0x80.. => CHANGED,
                    0 => NUL,
                    b'$' => DOLLAR,
                    _ => 0,
                };
                assert_eq!(classes(&value), expected, "{octet} at {i}");
                assert_eq!(classes(&value[i..]), expected, "{octet} at {i}");
            }
            value[i] = before;
        }
    }

    #[test]
    fn the_table_of_encodings_holds_except_row_two() {
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
    fn special_characters_match_as_in_the_draft() {
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
    fn the_priority_is_the_number_of_octets_of_the_normal_form() {
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

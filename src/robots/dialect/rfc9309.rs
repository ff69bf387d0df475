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
//! If you change the normal form, also change the oracle in `tests/checks/oracle/pattern.rs`.

use super::grouping::GroupCounter;
use crate::document::{Directive, DirectiveKind, RobotsTxt};
use crate::pattern;
use crate::pattern::compiled::PatternPart;
use crate::pattern::percent::{
    PathOctet, PatternStep, encoded_symbol, parse_first_octet, parse_octets,
};
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

/// Returns the lines that count and conform to the grammar, with the numbers of their groups (§2.2,
/// §2.2.1).
pub(crate) fn collect_conforming_lines<'a>(robots_txt: &RobotsTxt<'a>) -> Vec<Rfc9309Line<'a>> {
    let mut groups = GroupCounter::default();
    let mut lines = Vec::with_capacity(robots_txt.directives().len());
    for line in robots_txt
        .directives()
        .iter()
        .filter(|line| line.counts && is_conforming(line))
    {
        if line.kind == DirectiveKind::UserAgent {
            groups.pass_user_agent();
        } else {
            groups.pass_rule();
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
/// Google's parser recognizes a key by its beginning. Hence a key that is not a misspelling equals
/// the known key if it has the same length. An incomplete byte order mark is part of
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

/// Returns true only if a counting rule has the same effect in this dialect as for Google's parser.
/// The folder that an allow rule for `index.htm` also allows for Google's parser is not considered.
pub(crate) fn has_same_effect_for_google(robots_txt: &RobotsTxt<'_>, line: &Directive) -> bool {
    let raw = robots_txt.text(line.value_raw);
    is_conforming(line)
        && (line.value == line.value_raw || raw == robots_txt.text(line.value))
        && raw.first().is_none_or(|&first| first == b'/')
        && classify_octets(raw) & NORMALIZED_CLASS == 0
}

/// The class of octets that may be changed when a value is brought into its normal form.
const NORMALIZED_CLASS: u8 = 1;
const NUL_CLASS: u8 = 2;
const DOLLAR_CLASS: u8 = 4;

/// The class of each octet, or 0 if it has none.
const CLASS_BY_OCTET: [u8; 256] = {
    let mut classes = [0; 256];
    let mut octet = 0x80;
    while octet < 256 {
        classes[octet] = NORMALIZED_CLASS;
        octet += 1;
    }
    classes[b'%' as usize] = NORMALIZED_CLASS;
    classes[b' ' as usize] = NORMALIZED_CLASS;
    classes[b'\t' as usize] = NORMALIZED_CLASS;
    classes[0] = NUL_CLASS;
    classes[b'$' as usize] = DOLLAR_CLASS;
    classes
};

/// Returns the classes that occur among the octets of a value, one bit per class.
fn classify_octets(value: &[u8]) -> u8 {
    if has_only_plain_octets(value) {
        return 0;
    }
    value.iter().fold(0, |classes, &octet| {
        classes | CLASS_BY_OCTET[usize::from(octet)]
    })
}

/// Returns true only if a value has at least eight octets, all of them from 0x21 to 0x7F and
/// neither `$` nor `%`. May return false for such a value too.
///
/// Eight octets are tested at a time.
fn has_only_plain_octets(value: &[u8]) -> bool {
    const LOW_BITS: u64 = u64::MAX / 255;
    const TOP_BITS: u64 = LOW_BITS << 7;
    // A subtraction borrows from the next octet only if it marks its own octet. So no octet is
    // marked if all are plain, and at least one octet is marked otherwise.
    let mark_classed_octets = |eight: [u8; 8]| {
        let octets = u64::from_le_bytes(eight);
        let below_exclamation = octets.wrapping_sub(LOW_BITS * u64::from(b'!')) & !octets;
        // `$` and `%` differ only in the lowest bit, which is set here.
        let differences = (octets | LOW_BITS) ^ (LOW_BITS * u64::from(b'%'));
        let dollar_or_percent = differences.wrapping_sub(LOW_BITS) & !differences;
        (below_exclamation | dollar_or_percent | octets) & TOP_BITS
    };
    let (words, _) = value.as_chunks::<8>();
    let Some(last_word) = value.last_chunk::<8>() else {
        return false;
    };
    words
        .iter()
        .fold(mark_classed_octets(*last_word), |all, eight| {
            all | mark_classed_octets(*eight)
        })
        == 0
}

/// Returns the normal form of an octet of a path (§2.2.2). Unreserved octets are never encoded;
/// octets above 0x7F, blanks, and a `%` that does not begin an escape always are.
fn normalize_octet(octet: PathOctet) -> u16 {
    match octet {
        PathOctet::Bare(byte @ (b' ' | b'\t' | b'%' | 0x80..)) => encoded_symbol(byte),
        PathOctet::Bare(byte) => byte.into(),
        PathOctet::Escaped(byte) if is_unreserved(byte) => byte.into(),
        PathOctet::Escaped(byte) => encoded_symbol(byte),
    }
}

/// Returns true for the unreserved octets of RFC 3986 §2.3.
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Returns the normal form of a URL's path as [symbols](crate::pattern::percent): an octet, or a
/// percent-encoded octet that stays encoded, is one symbol.
pub(crate) fn normalize_path_to_symbols(text: &[u8]) -> Vec<u16> {
    parse_octets(text).map(normalize_octet).collect()
}

/// Returns the normal form of a URL's path, in octets.
///
/// An octet that stays percent-encoded is written as two octets above 0x7F. The first is below 0xC0
/// and the second is not, so that a match cannot begin in the middle of a pair. `*` and `%2A` are
/// the same symbol, since no rule distinguishes them.
pub(crate) fn normalize_path_to_octets(text: &[u8]) -> Cow<'_, [u8]> {
    let is_normal = |&byte: &u8| byte < 0x80 && !matches!(byte, b'%' | b' ' | b'\t');
    if text.iter().all(is_normal) {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    for octet in parse_octets(text) {
        let (first, second) = encode_symbol(normalize_octet(octet));
        out.push(first);
        out.extend(second);
    }
    Cow::Owned(out)
}

/// Returns the one or two octets that represent a symbol.
fn encode_symbol(symbol: u16) -> (u8, Option<u8>) {
    const STAR: u16 = 256 + b'*' as u16;
    match symbol {
        STAR => (b'*', None),
        0..256 => (symbol as u8, None),
        _ => {
            let (first, second) = encode_escaped_octet(symbol as u8);
            (first, Some(second))
        }
    }
}

/// Returns the two octets above 0x7F that represent an octet that stays percent-encoded.
fn encode_escaped_octet(octet: u8) -> (u8, u8) {
    (0x80 | (octet >> 4), 0xC0 | (octet & 15))
}

/// The octet that represents `%24` in a pattern. It matches both `$` and `%24`.
pub(crate) const EITHER_DOLLAR: u8 = 0xfe;

/// The value of a rule, from which the `$` at its end is split off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuleValue<'a> {
    /// The value without the `$` at its end.
    pub(crate) text: &'a [u8],
    /// True if the value ends with `$`.
    pub(crate) is_anchored: bool,
    /// True if the value is its own normal form.
    pub(crate) is_normal: bool,
    /// True if `text` contains a `$`, which is an ordinary character there.
    pub(crate) has_dollar: bool,
}

impl<'a> RuleValue<'a> {
    /// Returns `None` if the value does not begin with `/`, or contains a NUL, which no path does.
    pub(crate) fn parse(value: &'a [u8]) -> Option<Self> {
        let (text, is_anchored) = pattern::split_anchor(value);
        let classes = classify_octets(text);
        (text.first() == Some(&b'/') && classes & NUL_CLASS == 0).then_some(Self {
            text,
            is_anchored,
            is_normal: classes & NORMALIZED_CLASS == 0,
            has_dollar: classes & DOLLAR_CLASS != 0,
        })
    }
}

/// The largest number of octets that [`write_normal_form`] writes for one octet of its input.
pub(crate) const OUTPUT_OCTETS_PER_OCTET: usize = 2;

/// The properties of a normal form that [`write_normal_form`] wrote.
pub(crate) struct WrittenNormalForm {
    /// The number of octets written.
    pub(crate) octet_count: usize,
    /// The number of octets of the normal form with `%xx` counted as three.
    pub(crate) priority: u32,
    /// True if [`EITHER_DOLLAR`] was written.
    pub(crate) has_either_dollar: bool,
}

/// Writes the value of a rule, without the `$` at its end, as a pattern in octets.
///
/// `*` is a wildcard, `%24` is written as [`EITHER_DOLLAR`], and other octets are written as
/// [`normalize_path_to_octets`] writes them.
pub(crate) fn write_normal_form(value: &[u8], out: &mut [u8]) -> WrittenNormalForm {
    let mut normal = WrittenNormalForm {
        octet_count: 0,
        priority: 0,
        has_either_dollar: false,
    };
    let mut rest = value;
    while let Some((&octet, after)) = rest.split_first() {
        if CLASS_BY_OCTET[usize::from(octet)] & NORMALIZED_CLASS == 0 {
            out[normal.octet_count] = octet;
            normal.octet_count += 1;
            normal.priority += 1;
            rest = after;
            continue;
        }
        let Some((octet, len)) = parse_first_octet(rest) else {
            break;
        };
        rest = &rest[len..];
        let (first, second) = match (octet, normalize_octet(octet)) {
            (PathOctet::Escaped(b'$'), _) => {
                normal.has_either_dollar = true;
                (EITHER_DOLLAR, None)
            }
            (_, symbol @ 0..256) => (symbol as u8, None),
            (_, symbol) => {
                let (first, second) = encode_escaped_octet(symbol as u8);
                (first, Some(second))
            }
        };
        normal.priority += if first >= 0x80 { 3 } else { 1 };
        for octet in [Some(first), second].into_iter().flatten() {
            out[normal.octet_count] = octet;
            normal.octet_count += 1;
        }
    }
    normal
}

/// Appends the steps of a pattern to `out` as parts for [`CompiledRules`], in the octets of
/// [`normalize_path_to_octets`]. Returns false if that is impossible because the pattern has a
/// `%24`, which matches two symbols.
///
/// [`CompiledRules`]: crate::pattern::compiled::CompiledRules
pub(crate) fn push_parts(steps: &[PatternStep], out: &mut Vec<PatternPart>) -> bool {
    for step in steps {
        match *step {
            PatternStep::Symbol(a, b) if encode_symbol(a) != encode_symbol(b) => return false,
            PatternStep::Symbol(symbol, _) => {
                let (first, second) = encode_symbol(symbol);
                out.push(PatternPart::Octet(first));
                out.extend(second.map(PatternPart::Octet));
            }
            PatternStep::Wildcard => out.push(PatternPart::Wildcard),
            PatternStep::End => out.push(PatternPart::End),
        }
    }
    true
}

/// Appends the steps of a rule's path to `out`. Returns its priority, which is the number of octets
/// of its normal form, or `None` if the value does not begin with `/`, or contains a NUL, which no
/// path does.
///
/// `*` and a `$` at the end are special characters. `%2A` and `%24` match the octets themselves,
/// encoded or not (§2.2.3).
pub(crate) fn push_steps(value: &[u8], out: &mut Vec<PatternStep>) -> Option<u32> {
    if value.first() != Some(&b'/') || memchr::memchr(0, value).is_some() {
        return None;
    }
    let (text, is_anchored) = match value {
        [text @ .., b'$'] => (text, true),
        _ => (value, false),
    };
    let mut priority = u32::from(is_anchored);
    let mut is_after_wildcard = false;
    for octet in parse_octets(text) {
        if octet == PathOctet::Bare(b'*') {
            if !is_after_wildcard {
                out.push(PatternStep::Wildcard);
            }
            is_after_wildcard = true;
            priority += 1;
            continue;
        }
        is_after_wildcard = false;
        let symbol = normalize_octet(octet);
        let alternative = match octet {
            PathOctet::Escaped(byte @ (b'*' | b'$')) => byte.into(),
            _ => symbol,
        };
        out.push(PatternStep::Symbol(symbol, alternative));
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

    #[test]
    fn eight_octets_at_a_time_have_the_classes_of_single_octets() {
        let mut value = b"/abcdefgh-!~_/index*".to_vec();
        assert!(has_only_plain_octets(&value));
        for i in 0..value.len() {
            let before = value[i];
            for octet in 0..=255 {
                value[i] = octet;
                let expected = match octet {
                    b'%' | b' ' | b'\t' | 0x80.. => NORMALIZED_CLASS,
                    0 => NUL_CLASS,
                    b'$' => DOLLAR_CLASS,
                    _ => 0,
                };
                assert_eq!(classify_octets(&value), expected, "{octet} at {i}");
                assert_eq!(classify_octets(&value[i..]), expected, "{octet} at {i}");
            }
            value[i] = before;
        }
    }
}

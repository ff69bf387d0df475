//! Keys: how Google's parser and RFC 9309 read them, and which ones are known.
//!
//! Google's parser compares the beginning of a key with its known keys, accepts some misspellings,
//! and ignores other keys. Section numbers refer to `google-semantics`.

use super::template::starts_with_ignore_case;
use crate::document::DirectiveKind;

/// The keys that Google's parser recognizes but does not use (§8).
const UNSUPPORTED_KEYS: [&[u8]; 12] = [
    b"clean-param",
    b"content-signal",
    b"content-usage",
    b"crawl-delay",
    b"domain",
    b"host",
    b"noarchive",
    b"nofollow",
    b"noindex",
    b"request-rate",
    b"revisit-after",
    b"visit-time",
];

/// The keys that Google's parser does not recognize, but a specification or a known crawler
/// defines.
const OTHER_KNOWN_KEYS: [&[u8]; 22] = [
    b"license",
    b"disallowaitraining",
    b"allowaitraining",
    b"user-agent-purpose",
    b"robot-version",
    b"comment",
    b"llm-policy",
    b"llm-content",
    b"llm-full-content",
    b"llms",
    b"llms-txt",
    b"llms.txt",
    b"schemamap",
    b"agentmap",
    b"content-signals",
    b"cache-delay",
    b"acap-crawler",
    b"acap-disallow-crawl",
    b"acap-allow-crawl",
    b"nosnippet",
    b"crawl-rate",
    b"index",
];

/// Returns true if `key` may be one of [`UNSUPPORTED_KEYS`] according to its first letter and its
/// length.
#[inline]
pub(crate) fn may_be_unsupported(key: &[u8]) -> bool {
    let first = key.first().map_or(0, |byte| byte | 0x20);
    key.len() <= 14 && matches!(first, b'c' | b'd' | b'h' | b'n' | b'r' | b'v')
}

/// Returns true if Google's parser recognizes `key` but does not use it.
pub(crate) fn is_unsupported(key: &[u8]) -> bool {
    UNSUPPORTED_KEYS
        .iter()
        .any(|name| key.eq_ignore_ascii_case(name))
}

/// Returns true if any specification or known crawler defines `key`.
pub(crate) fn is_known_directive(key: &[u8]) -> bool {
    is_unsupported(key)
        || OTHER_KNOWN_KEYS
            .iter()
            .any(|name| key.eq_ignore_ascii_case(name))
}

/// Returns all keys for which [`is_known_directive`] is true, in lower case.
pub fn known_directives() -> impl Iterator<Item = &'static str> {
    let keys = UNSUPPORTED_KEYS.iter().chain(&OTHER_KNOWN_KEYS);
    keys.map(|key| std::str::from_utf8(key).expect("keys are ASCII"))
}

/// Determines the kind of a key, which must not be empty, by its beginning (§3). Returns the kind,
/// and true if the key begins with a misspelling that Google's parser accepts.
pub(crate) fn parse_key(key: &[u8]) -> (DirectiveKind, bool) {
    let starts = |prefix: &[u8]| starts_with_ignore_case(key, prefix);
    match key[0] | 0x20 {
        b'u' if starts(b"user-agent") => (DirectiveKind::UserAgent, false),
        b'u' if starts(b"useragent") || starts(b"user agent") => (DirectiveKind::UserAgent, true),
        b'a' if starts(b"allow") => (DirectiveKind::Allow, false),
        b'd' if starts(b"disallow") => (DirectiveKind::Disallow, false),
        b'd' if [
            &b"dissallow"[..],
            b"dissalow",
            b"disalow",
            b"diasllow",
            b"disallaw",
        ]
        .iter()
        .any(|typo| starts(typo)) =>
        {
            (DirectiveKind::Disallow, true)
        }
        b's' if starts(b"sitemap") => (DirectiveKind::Sitemap, false),
        b's' if starts(b"site-map") => (DirectiveKind::Sitemap, true),
        _ => (DirectiveKind::Other, false),
    }
}

/// Recognizes `Disallow:` and `Allow:` at the beginning of a line, ignoring case. Returns true for
/// `Allow`, and the position of the colon.
#[inline(always)]
pub(crate) fn parse_rule_key(line: &[u8]) -> Option<(bool, usize)> {
    let (first, rest) = line.split_first_chunk::<8>()?;
    let word = u64::from_le_bytes(*first);
    if equals_ignoring_case(word, *b"disallow") {
        (rest.first() == Some(&b':')).then_some((false, 8))
    } else {
        equals_ignoring_case(word & FIRST_SIX_BYTES, *b"allow:\0\0").then_some((true, 5))
    }
}

/// Recognizes `User-agent:` and `Sitemap:` at the beginning of a line, ignoring case. Returns the
/// kind and the position of the colon.
#[inline(always)]
pub(crate) fn parse_agent_or_sitemap_key(line: &[u8]) -> Option<(DirectiveKind, usize)> {
    let (first, rest) = line.split_first_chunk::<8>()?;
    let word = u64::from_le_bytes(*first);
    if equals_ignoring_case(word, *b"user-age") {
        let is_end = matches!(rest, [b'n' | b'N', b't' | b'T', b':', ..]);
        is_end.then_some((DirectiveKind::UserAgent, 10))
    } else {
        equals_ignoring_case(word, *b"sitemap:").then_some((DirectiveKind::Sitemap, 7))
    }
}

/// A mask of the first six of eight bytes.
const FIRST_SIX_BYTES: u64 = u64::MAX >> 16;

/// Returns true if the eight bytes of `word` equal the lower-case `name`, ignoring case.
#[inline(always)]
fn equals_ignoring_case(word: u64, name: [u8; 8]) -> bool {
    let case_bits = name.map(|byte| if byte.is_ascii_lowercase() { 0x20 } else { 0 });
    word | u64::from_le_bytes(case_bits) == u64::from_le_bytes(name)
}

/// Returns true if a key is spelled as in RFC 9309 §2.2, ignoring case.
pub(crate) fn is_exact_key(kind: DirectiveKind, key: &[u8]) -> bool {
    let name: &[u8] = match kind {
        DirectiveKind::UserAgent => b"user-agent",
        DirectiveKind::Allow => b"allow",
        DirectiveKind::Disallow => b"disallow",
        DirectiveKind::Sitemap => b"sitemap",
        DirectiveKind::Other => return false,
    };
    key.eq_ignore_ascii_case(name)
}

/// Returns true if an unknown key is one or two edits away from a known key.
pub(crate) fn is_near_known_key(key: &[u8]) -> bool {
    if !(4..=16).contains(&key.len()) {
        return false;
    }
    [
        (&b"user-agent"[..], 2),
        (b"disallow", 2),
        (b"allow", 1),
        (b"sitemap", 1),
        (b"crawl-delay", 2),
    ]
    .iter()
    // The edit distance is at least the difference of the lengths.
    .any(|&(name, max)| key.len().abs_diff(name.len()) <= max && edit_distance(key, name) <= max)
}

/// Returns the number of edits (insertions, deletions, substitutions, swaps of neighbours) between
/// two words, ignoring case. `b` must have at most 19 bytes.
fn edit_distance(a: &[u8], b: &[u8]) -> usize {
    let width = b.len() + 1;
    let mut row_before_last = [0usize; 20];
    let mut last_row: [usize; 20] = std::array::from_fn(|i| i);
    for (i, x) in a.iter().enumerate() {
        let mut row = [0usize; 20];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = last_row[j] + usize::from(!x.eq_ignore_ascii_case(y));
            row[j + 1] = change.min(last_row[j + 1] + 1).min(row[j] + 1);
            if i > 0
                && j > 0
                && x.eq_ignore_ascii_case(&b[j - 1])
                && a[i - 1].eq_ignore_ascii_case(y)
            {
                row[j + 1] = row[j + 1].min(row_before_last[j - 1] + 1);
            }
        }
        row_before_last = last_row;
        last_row = row;
    }
    last_row[width - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_keys_are_keys_that_are_spelt_exactly() {
        let usual = |line: &[u8]| match parse_rule_key(line) {
            Some((true, colon)) => Some((DirectiveKind::Allow, colon)),
            Some((false, colon)) => Some((DirectiveKind::Disallow, colon)),
            None => parse_agent_or_sitemap_key(line),
        };
        assert_eq!(usual(b"Disallow:"), Some((DirectiveKind::Disallow, 8)));
        assert_eq!(usual(b"aLLow: /x"), Some((DirectiveKind::Allow, 5)));
        assert_eq!(usual(b"USER-AGENT:*"), Some((DirectiveKind::UserAgent, 10)));
        assert_eq!(usual(b"Sitemap:"), Some((DirectiveKind::Sitemap, 7)));
        for line in [
            &b"Allow:/"[..],
            b"Disallow /x",
            b"Disallows: /x",
            b"User\ragent: x",
            b"User-agent\x1a x",
            b"Sitemap\x1a x",
            b"Sitemaps: x",
            b"useragent: x",
            b" Allow: /x",
        ] {
            assert_eq!(usual(line), None, "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn unsupported_keys_begin_as_such() {
        for key in UNSUPPORTED_KEYS {
            assert!(may_be_unsupported(key) && may_be_unsupported(&key.to_ascii_uppercase()));
        }
    }

    #[test]
    fn a_slip_is_near_and_a_word_of_its_own_is_not() {
        for key in [
            &b"user-agnet"[..],
            b"users-agent",
            b"dissalllow",
            b"alow",
            b"sitmap",
            b"crawl-dealy",
        ] {
            assert!(is_near_known_key(key), "{}", String::from_utf8_lossy(key));
        }
        for key in [
            &b"host"[..],
            b"noindex",
            b"license",
            b"a",
            b"content-signal",
        ] {
            assert!(!is_near_known_key(key), "{}", String::from_utf8_lossy(key));
        }
    }
}

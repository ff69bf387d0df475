//! Patterns of rules and paths of URLs, as Google's parser reads them.
//!
//! A pattern is anchored at the start of the path. `*` matches any run of octets, and `$` as the
//! last octet matches the end of the path (google-semantics §7 in docs/developers/specifications.md). The
//! leftmost match of each literal piece between two `*` is sufficient, so matching
//! never backtracks. Its cost is at most the length of the path times the length of the pattern.

pub(crate) mod compiled;
pub(crate) mod percent;

use compiled::PatternPart;
use memchr::{memchr, memmem};

/// Appends `value` to `out` as Google's parser escapes the path of a rule: hex digits of `%xx` are
/// upper-cased, octets above 0x7F are percent-encoded, and nothing is decoded
/// (google-semantics §4).
pub fn escape(value: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut i = 0;
    while i < value.len() {
        let byte = value[i];
        match value.get(i + 1..i + 3) {
            Some(hex) if byte == b'%' && hex.iter().all(u8::is_ascii_hexdigit) => {
                out.extend([
                    b'%',
                    hex[0].to_ascii_uppercase(),
                    hex[1].to_ascii_uppercase(),
                ]);
                i += 3;
            }
            _ if byte >= 0x80 => {
                out.extend([
                    b'%',
                    HEX[usize::from(byte >> 4)],
                    HEX[usize::from(byte & 15)],
                ]);
                i += 1;
            }
            _ => {
                out.push(byte);
                i += 1;
            }
        }
    }
}

/// Returns true if [`escape`] would change `value`.
pub(crate) fn needs_escape(value: &[u8]) -> bool {
    !value.is_ascii()
        || memchr::memchr_iter(b'%', value).any(|percent| {
            value.get(percent + 1..percent + 3).is_some_and(|hex| {
                hex.iter().all(u8::is_ascii_hexdigit) && hex.iter().any(u8::is_ascii_lowercase)
            })
        })
}

/// Returns the path, parameters and query of a URL as Google's parser extracts them
/// (google-semantics §5). Nothing is decoded, encoded or normalized.
///
/// A path that would begin with `?` or `;` is written to `scratch` with a `/` before it.
pub fn path_of_url<'a>(url: &'a [u8], scratch: &'a mut Vec<u8>) -> &'a [u8] {
    let skip = if url.starts_with(b"//") { 2 } else { 0 };
    let find_separator = |start: usize| {
        url[start..]
            .iter()
            .position(|byte| matches!(byte, b'/' | b'?' | b';'))
            .map(|position| start + position)
    };
    let first_separator = find_separator(skip);
    let protocol = memmem::find(&url[skip..], b"://").map(|position| skip + position);
    let host_start = match protocol {
        Some(protocol)
            if first_separator.is_none_or(|first_separator| first_separator >= protocol) =>
        {
            protocol + 3
        }
        _ => skip,
    };
    let Some(start) = find_separator(host_start) else {
        return b"/";
    };
    let end = memchr(b'#', &url[skip..]).map_or(url.len(), |position| skip + position);
    if end < start {
        return b"/";
    }
    // Google's parser treats the path as a C string, which ends at a NUL.
    let path = &url[start..end];
    let path = &path[..memchr(0, path).unwrap_or(path.len())];
    if path.first() == Some(&b'/') {
        return path;
    }
    scratch.clear();
    scratch.push(b'/');
    scratch.extend_from_slice(path);
    scratch
}

/// Returns true if `pattern`, already escaped, matches `path`.
pub fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let (text, is_anchored) = split_anchor(pattern);
    is_match(text, is_anchored, path)
}

/// Splits off the `$` at the end of a pattern, the anchor. Returns the text before it, and true if
/// the pattern has an anchor.
pub(crate) fn split_anchor(pattern: &[u8]) -> (&[u8], bool) {
    match pattern {
        [text @ .., b'$'] => (text, true),
        _ => (pattern, false),
    }
}

/// Returns true if a pattern, given without the `$` at its end, matches `path`.
#[inline]
pub(crate) fn is_match(text: &[u8], is_anchored: bool, path: &[u8]) -> bool {
    // Octets are compared one by one first, because most patterns and paths differ near their
    // start.
    let mut i = 0;
    loop {
        match text.get(i) {
            None => return !is_anchored || i == path.len(),
            Some(b'*') => return is_tail_match(&text[i + 1..], is_anchored, &path[i..]),
            octet if octet == path.get(i) => i += 1,
            Some(_) => return false,
        }
    }
}

/// Returns true if the part of a pattern after its first `*` matches at any position of `path`.
fn is_tail_match(mut text: &[u8], is_anchored: bool, path: &[u8]) -> bool {
    let mut start = 0;
    loop {
        match memchr(b'*', text) {
            Some(0) => text = &text[1..],
            Some(star) => {
                let Some(found) = memmem::find(&path[start..], &text[..star]) else {
                    return false;
                };
                start += found + star;
                text = &text[star + 1..];
            }
            None if is_anchored => return path.len() - start >= text.len() && path.ends_with(text),
            None => return text.is_empty() || memmem::find(&path[start..], text).is_some(),
        }
    }
}

/// Returns the same as [`is_match`], except that `is_same` compares an octet of the pattern with an
/// octet of the path.
///
/// After a mismatch, only the last `*` has to be tried with a longer match, so the cost is at most
/// the length of the path times the length of the pattern.
pub(crate) fn is_match_by(
    text: &[u8],
    is_anchored: bool,
    path: &[u8],
    is_same: impl Fn(u8, u8) -> bool,
) -> bool {
    let (mut i, mut position) = (0, 0);
    let mut last_wildcard: Option<(usize, usize)> = None;
    loop {
        match (text.get(i), path.get(position)) {
            (Some(b'*'), _) => {
                i += 1;
                last_wildcard = Some((i, position));
                continue;
            }
            (Some(&octet), Some(&other)) if is_same(octet, other) => {
                (i, position) = (i + 1, position + 1);
                continue;
            }
            (None, _) if !is_anchored || position == path.len() => return true,
            _ => {}
        }
        match last_wildcard {
            Some((after, start)) if start < path.len() => {
                last_wildcard = Some((after, start + 1));
                (i, position) = (after, start + 1);
            }
            _ => return false,
        }
    }
}

/// Returns the folder that an allow rule for `…/index.htm…` also allows, including its last `/`.
/// The rule does not allow anything else in the folder (google-semantics §7).
pub(crate) fn index_folder(pattern: &[u8]) -> Option<&[u8]> {
    let slash = pattern.iter().rposition(|&octet| octet == b'/')?;
    let (folder, rest) = pattern.split_at(slash + 1);
    rest.starts_with(b"index.htm").then_some(folder)
}

/// Returns the parts of a pattern for [`CompiledRules`](compiled::CompiledRules). If `is_folder`,
/// the pattern is an [`index_folder`], which matches only a path that ends after the folder.
pub(crate) fn iter_pattern_parts(
    pattern: &[u8],
    is_folder: bool,
) -> impl Iterator<Item = PatternPart> + '_ {
    let (text, is_anchored) = if is_folder {
        (pattern, true)
    } else {
        split_anchor(pattern)
    };
    iter_text_parts(text, is_anchored)
}

/// Returns the parts of a pattern that [`split_anchor`] split into text and anchor.
pub(crate) fn iter_text_parts(
    text: &[u8],
    is_anchored: bool,
) -> impl Iterator<Item = PatternPart> + '_ {
    let parts = text.iter().map(|&octet| match octet {
        b'*' => PatternPart::Wildcard,
        _ => PatternPart::Octet(octet),
    });
    parts.chain(is_anchored.then_some(PatternPart::End))
}

/// Returns true if `pattern` can match any path. Paths begin with `/`.
pub(crate) fn can_match(pattern: &[u8]) -> bool {
    matches!(pattern.first(), Some(b'/' | b'*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the set of positions that each prefix of the pattern can reach.
    pub(crate) fn matches_by_definition(pattern: &[u8], path: &[u8]) -> bool {
        let mut positions: Vec<usize> = vec![0];
        for (i, &byte) in pattern.iter().enumerate() {
            if byte == b'$' && i + 1 == pattern.len() {
                return positions.contains(&path.len());
            }
            positions = if byte == b'*' {
                let first = positions.iter().copied().min();
                first.map_or(Vec::new(), |first| (first..=path.len()).collect())
            } else {
                positions
                    .iter()
                    .filter(|&&position| path.get(position) == Some(&byte))
                    .map(|position| position + 1)
                    .collect()
            };
        }
        !positions.is_empty()
    }

    #[test]
    fn matching_equals_the_definition_on_all_small_cases() {
        let letters = b"/ab*$";
        let patterns = words(letters, 5);
        let paths = words(b"/ab$", 4);
        for pattern in &patterns {
            for path in &paths {
                assert_eq!(
                    matches(pattern, path),
                    matches_by_definition(pattern, path),
                    "{pattern:?} {path:?}"
                );
                let (text, is_anchored) = split_anchor(pattern);
                assert_eq!(
                    is_match_by(text, is_anchored, path, |a, b| a == b),
                    matches(pattern, path),
                    "{pattern:?} {path:?}"
                );
            }
        }
    }

    fn words(letters: &[u8], len: usize) -> Vec<Vec<u8>> {
        let mut all = vec![Vec::new()];
        let mut last = all.clone();
        for _ in 0..len {
            last = last
                .iter()
                .flat_map(|word| {
                    letters
                        .iter()
                        .map(|&letter| [word.as_slice(), &[letter]].concat())
                })
                .collect();
            all.extend_from_slice(&last);
        }
        all
    }
}

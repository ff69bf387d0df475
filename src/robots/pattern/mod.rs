//! Paths of rules and paths of URLs, as Google's parser has them.
//!
//! A pattern is anchored at the start of the path; `*` is any run of octets,
//! `$` as the very last octet is the end (google-semantics §7). Between the
//! first and the last `*`, leftmost search of each literal piece is exact, so
//! matching is linear in path times pattern and never backtracks.

pub(crate) mod compiled;
pub(crate) mod percent;

use crate::pattern::compiled::PatternPart;
use memchr::{memchr, memmem};

/// Writes `value` into `out` as Google's parser escapes a rule's path: hex
/// digits of `%xx` upper-cased, octets above 0x7F percent-encoded, nothing
/// ever decoded (google-semantics §4).
pub fn escape(value: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut at = 0;
    while at < value.len() {
        let byte = value[at];
        match value.get(at + 1..at + 3) {
            Some(hex) if byte == b'%' && hex.iter().all(u8::is_ascii_hexdigit) => {
                out.extend([
                    b'%',
                    hex[0].to_ascii_uppercase(),
                    hex[1].to_ascii_uppercase(),
                ]);
                at += 3;
            }
            _ if byte >= 0x80 => {
                out.extend([
                    b'%',
                    HEX[usize::from(byte >> 4)],
                    HEX[usize::from(byte & 15)],
                ]);
                at += 1;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
}

/// Whether [`escape`] would change `value`.
pub(crate) fn needs_escape(value: &[u8]) -> bool {
    !value.is_ascii()
        || memchr::memchr_iter(b'%', value).any(|at| {
            value.get(at + 1..at + 3).is_some_and(|hex| {
                hex.iter().all(u8::is_ascii_hexdigit) && hex.iter().any(u8::is_ascii_lowercase)
            })
        })
}

/// Takes the path, parameters and query out of a URL as Google's parser does
/// (google-semantics §5): nothing is decoded, encoded or normalised.
///
/// A path that would begin with `?` or `;` is given through `scratch`, with a
/// `/` before it.
pub fn path_of_url<'a>(url: &'a [u8], scratch: &'a mut Vec<u8>) -> &'a [u8] {
    let skip = if url.starts_with(b"//") { 2 } else { 0 };
    let find_separator = |from: usize| {
        url[from..]
            .iter()
            .position(|byte| matches!(byte, b'/' | b'?' | b';'))
            .map(|at| from + at)
    };
    let early = find_separator(skip);
    let protocol = memmem::find(&url[skip..], b"://").map(|at| skip + at);
    let from = match protocol {
        Some(at) if early.is_none_or(|early| early >= at) => at + 3,
        _ => skip,
    };
    let Some(start) = find_separator(from) else {
        return b"/";
    };
    let end = memchr(b'#', &url[skip..]).map_or(url.len(), |at| skip + at);
    if end < start {
        return b"/";
    }
    // The path is then a C string.
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

/// Whether `pattern`, already escaped, matches `path`.
pub fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let (text, is_anchored) = unanchored(pattern);
    is_match(text, is_anchored, path)
}

/// A pattern without the `$` at its end, and whether there was one.
pub(crate) fn unanchored(pattern: &[u8]) -> (&[u8], bool) {
    match pattern {
        [text @ .., b'$'] => (text, true),
        _ => (pattern, false),
    }
}

/// Whether a pattern, the `$` at its end aside, matches `path`.
#[inline]
pub(crate) fn is_match(text: &[u8], is_anchored: bool, path: &[u8]) -> bool {
    // Most patterns differ from most paths in their first octets.
    let mut at = 0;
    loop {
        match text.get(at) {
            None => return !is_anchored || at == path.len(),
            Some(b'*') => return is_tail(&text[at + 1..], is_anchored, &path[at..]),
            octet if octet == path.get(at) => at += 1,
            Some(_) => return false,
        }
    }
}

/// Whether what follows the first run of a pattern stands in `path`.
fn is_tail(mut text: &[u8], is_anchored: bool, path: &[u8]) -> bool {
    let mut at = 0;
    loop {
        match memchr(b'*', text) {
            Some(0) => text = &text[1..],
            Some(star) => {
                let Some(found) = memmem::find(&path[at..], &text[..star]) else {
                    return false;
                };
                at += found + star;
                text = &text[star + 1..];
            }
            None if is_anchored => return path.len() - at >= text.len() && path.ends_with(text),
            None => return text.is_empty() || memmem::find(&path[at..], text).is_some(),
        }
    }
}

/// The same as [`is_match`], octets of the pattern and of the path compared by
/// `is_same`.
///
/// The last run is the only one that may have to grow, so this takes at most
/// pattern times path.
pub(crate) fn is_match_by(
    text: &[u8],
    is_anchored: bool,
    path: &[u8],
    is_same: impl Fn(u8, u8) -> bool,
) -> bool {
    let (mut step, mut at) = (0, 0);
    let mut last_run: Option<(usize, usize)> = None;
    loop {
        match (text.get(step), path.get(at)) {
            (Some(b'*'), _) => {
                step += 1;
                last_run = Some((step, at));
                continue;
            }
            (Some(&octet), Some(&other)) if is_same(octet, other) => {
                (step, at) = (step + 1, at + 1);
                continue;
            }
            (None, _) if !is_anchored || at == path.len() => return true,
            _ => {}
        }
        match last_run {
            Some((after, from)) if from < path.len() => {
                last_run = Some((after, from + 1));
                (step, at) = (after, from + 1);
            }
            _ => return false,
        }
    }
}

/// The folder that an allow rule for `…/index.htm…` allows as well, and
/// nothing below it (google-semantics §7).
pub(crate) fn index_folder(pattern: &[u8]) -> Option<&[u8]> {
    // Mostly it is near.
    let slash = pattern.iter().rposition(|&octet| octet == b'/')?;
    let (folder, rest) = pattern.split_at(slash + 1);
    rest.starts_with(b"index.htm").then_some(folder)
}

/// A pattern as the matcher takes it, with the end of the path behind it if
/// `is_folder`.
pub(crate) fn parts(pattern: &[u8], is_folder: bool) -> impl Iterator<Item = PatternPart> + '_ {
    let (text, is_anchored) = match is_folder {
        true => (pattern, true),
        false => unanchored(pattern),
    };
    parts_of(text, is_anchored)
}

/// The same of a pattern whose `$` has been taken off.
pub(crate) fn parts_of(text: &[u8], is_anchored: bool) -> impl Iterator<Item = PatternPart> + '_ {
    let parts = text.iter().map(|&octet| match octet {
        b'*' => PatternPart::Run,
        _ => PatternPart::Octet(octet),
    });
    parts.chain(is_anchored.then_some(PatternPart::End))
}

/// Whether `pattern` can match any path: paths begin with `/`.
pub(crate) fn can_match(pattern: &[u8]) -> bool {
    matches!(pattern.first(), Some(b'/' | b'*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The obvious way: all positions that the pattern's prefix can reach.
    pub(crate) fn matches_slowly(pattern: &[u8], path: &[u8]) -> bool {
        let mut positions: Vec<usize> = vec![0];
        for (at, &byte) in pattern.iter().enumerate() {
            if byte == b'$' && at + 1 == pattern.len() {
                return positions.contains(&path.len());
            }
            positions = if byte == b'*' {
                let first = positions.iter().copied().min();
                first.map_or(Vec::new(), |first| (first..=path.len()).collect())
            } else {
                positions
                    .iter()
                    .filter(|&&at| path.get(at) == Some(&byte))
                    .map(|at| at + 1)
                    .collect()
            };
        }
        !positions.is_empty()
    }

    #[test]
    fn a_pattern_matches_as_googles_page_says() {
        // "Path matching", row by row.
        let rows: &[(&str, &[&str], &[&str])] = &[
            ("/", &["/", "/x", "/x/y"], &[]),
            ("/*", &["/", "/x"], &[]),
            ("/$", &["/"], &["/x"]),
            (
                "/fish",
                &[
                    "/fish",
                    "/fish.html",
                    "/fish/salmon.html",
                    "/fishheads",
                    "/fishheads/yummy.html",
                    "/fish.php?id=anything",
                ],
                &["/Fish.asp", "/catfish", "/?id=fish", "/desert/fish"],
            ),
            (
                "/fish*",
                &["/fish", "/fish.html", "/fishheads/yummy.html"],
                &["/Fish.asp", "/catfish"],
            ),
            (
                "/fish/",
                &["/fish/", "/fish/?id=anything", "/fish/salmon.htm"],
                &["/fish", "/fish.html", "/animals/fish/", "/Fish/Salmon.asp"],
            ),
            (
                "/*.php",
                &[
                    "/index.php",
                    "/filename.php",
                    "/folder/filename.php",
                    "/folder/filename.php?parameters",
                    "/folder/any.php.file.html",
                    "/filename.php/",
                ],
                &["/", "/windows.PHP"],
            ),
            (
                "/*.php$",
                &["/filename.php", "/folder/filename.php"],
                &[
                    "/filename.php?parameters",
                    "/filename.php/",
                    "/filename.php5",
                    "/windows.PHP",
                ],
            ),
            (
                "/fish*.php",
                &["/fish.php", "/fishheads/catfish.php?parameters"],
                &["/Fish.PHP"],
            ),
        ];
        for (pattern, yes, no) in rows {
            for path in *yes {
                assert!(
                    matches(pattern.as_bytes(), path.as_bytes()),
                    "{pattern} {path}"
                );
            }
            for path in *no {
                assert!(
                    !matches(pattern.as_bytes(), path.as_bytes()),
                    "{pattern} {path}"
                );
            }
        }
    }

    #[test]
    fn stars_before_the_end_are_not_greedy() {
        assert!(matches(b"/*.htm$", b"/a.htm/b.htm"));
        assert!(matches(b"/*a$", b"/aba"));
        assert!(!matches(b"/*ab*ab$", b"/ab"));
        assert!(matches(b"/a$$", b"/a$"));
        assert!(!matches(b"foo", b"/foo"));
    }

    #[test]
    fn fast_and_slow_agree_on_all_small_cases() {
        let letters = b"/ab*$";
        let patterns = words(letters, 5);
        let paths = words(b"/ab$", 4);
        for pattern in &patterns {
            for path in &paths {
                assert_eq!(
                    matches(pattern, path),
                    matches_slowly(pattern, path),
                    "{pattern:?} {path:?}"
                );
                let (text, is_anchored) = unanchored(pattern);
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
                .flat_map(|word| letters.iter().map(|&it| [word.as_slice(), &[it]].concat()))
                .collect();
            all.extend_from_slice(&last);
        }
        all
    }

    #[test]
    fn escaping_changes_only_hex_and_high_octets() {
        let escaped = |value: &[u8]| {
            let mut out = Vec::new();
            escape(value, &mut out);
            assert_eq!(needs_escape(value), out != value, "{value:?}");
            String::from_utf8(out).unwrap()
        };
        assert_eq!(escaped("/é".as_bytes()), "/%C3%A9");
        assert_eq!(escaped(b"/%c3%a9%7E%2a"), "/%C3%A9%7E%2A");
        assert_eq!(escaped(b"/%%a %zz%a"), "/%%a %zz%a");
        assert_eq!(escaped(b"/%%aa"), "/%%AA");
    }

    #[test]
    fn a_path_is_taken_out_of_a_url_as_it_stands() {
        let cases = [
            ("http://a?x", "/?x"),
            ("http://a;p", "/;p"),
            ("x", "/"),
            ("", "/"),
            ("http:/a/b", "/a/b"),
            ("///x", "/x"),
            ("http://a#b/c", "/"),
            ("http://a/x#", "/x"),
            ("http://a/search?", "/search?"),
            ("a/b?c=http://d/e", "/b?c=http://d/e"),
            ("//h/p", "/p"),
            ("http://h/a#b", "/a"),
            ("http://h/a\0b", "/a"),
            ("http://h\0/a", "/a"),
        ];
        for (url, path) in cases {
            assert_eq!(
                path_of_url(url.as_bytes(), &mut Vec::new()),
                path.as_bytes(),
                "{url}"
            );
        }
    }
}

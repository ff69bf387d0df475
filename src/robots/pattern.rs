//! Paths of rules and paths of URLs, as Google's parser has them.
//!
//! A pattern is anchored at the start of the path; `*` is any run of octets,
//! `$` as the very last octet is the end (google-semantics §7). Between the
//! first and the last `*`, leftmost search of each literal piece is exact, so
//! matching is linear in path times pattern and never backtracks.

use crate::matcher::Part;
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
    let (pattern, anchored) = match pattern {
        [rest @ .., b'$'] => (rest, true),
        _ => (pattern, false),
    };
    let Some(first_star) = memchr(b'*', pattern) else {
        return if anchored {
            path == pattern
        } else {
            path.starts_with(pattern)
        };
    };
    if !path.starts_with(&pattern[..first_star]) {
        return false;
    }
    let mut at = first_star;
    let mut rest = &pattern[first_star + 1..];
    loop {
        match memchr(b'*', rest) {
            Some(0) => rest = &rest[1..],
            Some(star) => {
                let Some(found) = memmem::find(&path[at..], &rest[..star]) else {
                    return false;
                };
                at += found + star;
                rest = &rest[star + 1..];
            }
            None if anchored => return path.len() - at >= rest.len() && path.ends_with(rest),
            None => return rest.is_empty() || memmem::find(&path[at..], rest).is_some(),
        }
    }
}

/// The folder that an allow rule for `…/index.htm…` allows as well, and
/// nothing below it (google-semantics §7).
pub(crate) fn index_folder(pattern: &[u8]) -> Option<&[u8]> {
    let slash = memchr::memrchr(b'/', pattern)?;
    let (folder, rest) = pattern.split_at(slash + 1);
    rest.starts_with(b"index.htm").then_some(folder)
}

/// A pattern as the matcher takes it, with the end of the path behind it if
/// `is_folder`.
pub(crate) fn parts(pattern: &[u8], is_folder: bool) -> impl Iterator<Item = Part> + '_ {
    let (text, is_anchored) = match pattern {
        [text @ .., b'$'] if !is_folder => (text, true),
        _ => (pattern, is_folder),
    };
    let parts = text.iter().map(|&octet| match octet {
        b'*' => Part::Run,
        _ => Part::Octet(octet),
    });
    parts.chain(is_anchored.then_some(Part::End))
}

/// Whether `pattern` matches every path there is.
pub(crate) fn is_universal(pattern: &[u8]) -> bool {
    let body = match pattern {
        [rest @ .., b'$'] if rest.last() == Some(&b'*') => rest,
        [.., b'$'] => return false,
        _ => pattern,
    };
    let mut slash_seen = false;
    for &byte in body {
        match byte {
            b'*' => {}
            b'/' if !slash_seen => slash_seen = true,
            _ => return false,
        }
    }
    !body.is_empty()
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
    fn universal_is_what_matches_everything() {
        for pattern in words(b"/*$a", 4) {
            let all = [&b"/"[..], b"/\xff", b"/a", b"//", b"/\xff/"]
                .iter()
                .all(|path| matches_slowly(&pattern, path));
            let expected = all && !pattern.is_empty();
            assert_eq!(
                is_universal(&pattern),
                expected,
                "{:?}",
                String::from_utf8_lossy(&pattern)
            );
        }
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

//! The parser compared with its oracle in `tests/checks/oracle/lines.rs`.

use checks::oracle::pattern::{Path, Pattern, google_path};
use checks::parser;
use support::series::Series;

/// Pieces of hostile files.
const PIECES: [&[u8]; 40] = [
    b"User-agent",
    b"user-agent: *",
    b"Disallow",
    b"Allow: /",
    b"disallow: /a",
    b"Sitemap: x",
    b":",
    b" ",
    b"\t",
    b"\r",
    b"\n",
    b"\r\n",
    b"#",
    b"\0",
    b"\x0b",
    b"\x0c",
    b"\xef",
    b"\xbb",
    b"\xbf",
    b"\xef\xbb\xbf",
    b"*",
    b"$",
    b"/",
    b"%e",
    b"%c3",
    b"\xc3\xa9",
    b"\xff",
    b"Useragent",
    b"Dissallow",
    b"Site-map",
    b"crawl-delay: 5",
    b"a",
    b"Foo/1.0",
    b"index.htm",
    b"allow",
    b"x y z",
    b"Disallow /x",
    b"host",
    b"-",
    b"\xa0",
];

#[test]
fn the_parser_equals_its_oracle_on_random_files() {
    let series = Series::new();
    let mut random = series.random(1);
    for _ in 0..series.count(1_000_000) {
        let body: Vec<u8> = (0..random.below(14))
            .flat_map(|_| PIECES[random.below(PIECES.len())].iter().copied())
            .collect();
        parser::check(&body);
    }
}

#[test]
fn the_parser_equals_its_oracle_at_the_line_limit() {
    for len in [16_640, 16_662, 16_663, 16_664, 17_000] {
        for tail in [
            &b""[..],
            b"\n",
            b"%c3%a9\nDisallow: /b",
            b"#x\r",
            b"\xc3\xa9\xc3\xa9",
        ] {
            let mut body = b"User-agent: *\nDisallow: /".to_vec();
            body.resize(14 + len, b'a');
            body.extend_from_slice(tail);
            parser::check(&body);
        }
    }
}

#[test]
fn the_parser_equals_its_oracle_on_the_samples() {
    for entry in std::fs::read_dir(support::samples().join("robots")).unwrap() {
        parser::check(&std::fs::read(entry.unwrap().path()).unwrap());
    }
}

/// Returns true if a pattern matches a path, by recursion: a wildcard matches one more octet, or ends.
fn matches_by_trying(pattern: &[u8], path: &[u8]) -> bool {
    match (pattern, path) {
        (b"", _) => true,
        (b"$", _) => path.is_empty(),
        ([b'*', rest @ ..], _) => {
            matches_by_trying(rest, path)
                || path
                    .split_first()
                    .is_some_and(|(_, rest)| matches_by_trying(pattern, rest))
        }
        ([first, rest @ ..], [octet, others @ ..]) => {
            first == octet && matches_by_trying(rest, others)
        }
        _ => false,
    }
}

#[test]
fn the_matching_oracle_agrees_with_the_definition() {
    let series = Series::new();
    let mut random = series.random(3);
    let mut word = |letters: &[u8], below: usize| -> Vec<u8> {
        let len = random.below(below);
        (0..len)
            .map(|_| letters[random.below(letters.len())])
            .collect()
    };
    for _ in 0..series.count(1_000_000) {
        let pattern = word(b"/ab*$", 7);
        // Some paths are longer than one word of the position set.
        let path = [
            word(b"/ab$", 6),
            b"a".repeat(word(b"a", 140).len()),
            word(b"/ab$", 6),
        ]
        .concat();
        for path in [path.as_slice(), &path[..path.len().min(8)]] {
            assert_eq!(
                Pattern::google(&pattern).matches(&Path::new(&google_path(path))),
                matches_by_trying(&pattern, path),
                "{} {}",
                pattern.escape_ascii(),
                path.escape_ascii()
            );
        }
    }
}

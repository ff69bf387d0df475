//! The parser against its slow, obvious twin in `checks/twin/lines.rs`.

use crate::checks::parser;
use crate::util;

/// Pieces of which hostile files are made.
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
fn the_parser_and_its_slow_twin_agree_on_random_files() {
    let mut random = util::Random::new(1);
    for _ in 0..60_000 {
        let body: Vec<u8> = (0..random.below(14))
            .flat_map(|_| PIECES[random.below(PIECES.len())].iter().copied())
            .collect();
        parser::check(&body);
    }
}

#[test]
fn the_parser_and_its_slow_twin_agree_at_the_line_limit() {
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
fn the_parser_and_its_slow_twin_agree_on_the_samples() {
    for entry in std::fs::read_dir(util::samples().join("robots")).unwrap() {
        parser::check(&std::fs::read(entry.unwrap().path()).unwrap());
    }
}

//! A slow, obvious twin of the parser: the rules of Google's parser one after
//! the other, on owned bytes, without a thought for speed.

use crate::util;
use robots::{Anomaly, Key, Parser, Reading};

/// What a line says.
#[derive(Debug, PartialEq)]
struct Said {
    line_no: u32,
    key: Key,
    value: Vec<u8>,
    has_colon: bool,
    is_typo: bool,
}

#[derive(Debug, Default, PartialEq)]
struct Counts {
    lines: u32,
    blank: u32,
    comments: u32,
    too_long: u32,
}

/// google-semantics §1: bytes to lines.
fn lines(body: &[u8]) -> Vec<Vec<u8>> {
    let mut bom = [0xEFu8, 0xBB, 0xBF].iter().peekable();
    let mut rest = body.iter().copied().peekable();
    while rest.peek().is_some() && rest.peek() == bom.peek().copied() {
        rest.next();
        bom.next();
    }
    let (mut lines, mut line, mut last_end) = (Vec::new(), Vec::new(), b' ');
    for byte in rest {
        if byte != b'\n' && byte != b'\r' {
            line.push(byte);
            continue;
        }
        if byte == b'\n' && line.is_empty() && last_end == b'\r' && !lines.is_empty() {
            last_end = b' ';
            continue;
        }
        lines.push(std::mem::take(&mut line));
        last_end = byte;
    }
    lines.push(line);
    lines
}

fn trim(text: &[u8]) -> &[u8] {
    let is_blank = |byte: &u8| b" \t\n\x0b\x0c\r".contains(byte);
    let from = text
        .iter()
        .position(|byte| !is_blank(byte))
        .unwrap_or(text.len());
    let to = text
        .iter()
        .rposition(|byte| !is_blank(byte))
        .map_or(from, |at| at + 1);
    &text[from..to]
}

/// google-semantics §2 to §4: a line to a key and a value.
fn read(body: &[u8]) -> (Vec<Said>, Counts) {
    let (mut all, mut counts) = (Vec::new(), Counts::default());
    for (at, line) in lines(body).iter().enumerate() {
        counts.lines += 1;
        let mut text = line.clone();
        if text.len() > 16_663 {
            text.truncate(16_663);
            counts.too_long += 1;
        }
        if let Some(nul) = text.iter().position(|&byte| byte == 0) {
            text.truncate(nul);
        }
        let comment = text.iter().position(|&byte| byte == b'#');
        text.truncate(comment.unwrap_or(text.len()));
        let text = trim(&text).to_vec();
        if text.is_empty() {
            if comment.is_some() {
                counts.comments += 1
            } else {
                counts.blank += 1
            }
            continue;
        }
        let colon = text.iter().position(|&byte| byte == b':');
        let separator = match colon {
            Some(colon) => colon,
            None => {
                let words = text
                    .split(|&byte| byte == b' ' || byte == b'\t')
                    .filter(|word| !word.is_empty());
                if words.count() != 2 {
                    continue;
                }
                text.iter()
                    .position(|&byte| byte == b' ' || byte == b'\t')
                    .unwrap()
            }
        };
        let key = trim(&text[..separator]).to_ascii_lowercase();
        if key.is_empty() {
            continue;
        }
        let mut value = trim(&text[separator + 1..]).to_vec();
        let starts = |prefixes: &[&str]| {
            prefixes
                .iter()
                .any(|prefix| key.starts_with(prefix.as_bytes()))
        };
        let (key, is_typo) = if starts(&["user-agent"]) {
            (Key::UserAgent, false)
        } else if starts(&["useragent", "user agent"]) {
            (Key::UserAgent, true)
        } else if starts(&["allow"]) {
            (Key::Allow, false)
        } else if starts(&["disallow"]) {
            (Key::Disallow, false)
        } else if starts(&["dissallow", "dissalow", "disalow", "diasllow", "disallaw"]) {
            (Key::Disallow, true)
        } else if starts(&["sitemap"]) {
            (Key::Sitemap, false)
        } else if starts(&["site-map"]) {
            (Key::Sitemap, true)
        } else {
            (Key::Other, false)
        };
        if matches!(key, Key::Allow | Key::Disallow) {
            value = escape(&value);
        }
        all.push(Said {
            line_no: at as u32 + 1,
            key,
            value,
            has_colon: colon.is_some(),
            is_typo,
        });
    }
    (all, counts)
}

fn escape(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < value.len() {
        let hex = |nth: usize| value.get(at + nth).is_some_and(u8::is_ascii_hexdigit);
        if value[at] == b'%' && hex(1) && hex(2) {
            out.extend(value[at..at + 3].to_ascii_uppercase());
            at += 3;
        } else if value[at] >= 0x80 {
            out.extend(format!("%{:02X}", value[at]).into_bytes());
            at += 1;
        } else {
            out.push(value[at]);
            at += 1;
        }
    }
    out
}

/// google-semantics §6: the group of each user-agent line and rule.
fn groups(all: &[Said]) -> Vec<u32> {
    let (mut group, mut rules_seen, mut out) = (0, true, Vec::new());
    for said in all {
        match said.key {
            Key::UserAgent if rules_seen => {
                group += 1;
                rules_seen = false;
            }
            Key::Allow | Key::Disallow if group > 0 => rules_seen = true,
            _ => {}
        }
        out.push(group);
    }
    out
}

fn compare(body: &[u8]) {
    let (expected, counts) = read(body);
    let mut parser = Parser::new();
    let robots = parser.parse_with(
        body,
        Reading {
            body_limit: None,
            is_truncated: false,
        },
    );
    let ours: Vec<Said> = robots
        .directives()
        .iter()
        .map(|it| Said {
            line_no: it.line_no,
            key: it.key,
            value: robots.text(it.value).to_vec(),
            has_colon: it.has_colon,
            is_typo: it.is_typo,
        })
        .collect();
    let shown = String::from_utf8_lossy(&body[..body.len().min(400)]).into_owned();
    assert_eq!(ours, expected, "{shown:?}");
    let found = |anomaly: Anomaly| {
        robots
            .findings()
            .iter()
            .filter(|it| it.anomaly == anomaly)
            .count() as u32
    };
    let figures = robots.figures();
    let seen = Counts {
        lines: figures.n_lines,
        blank: figures.n_blank_lines,
        comments: figures.n_comment_lines,
        too_long: found(Anomaly::OverlongLine),
    };
    assert_eq!(seen, counts, "{shown:?}");
    for (it, group) in robots.directives().iter().zip(groups(&expected)) {
        if it.key != Key::Other && it.key != Key::Sitemap {
            assert_eq!(it.group_no, group, "line {} of {shown:?}", it.line_no);
        }
    }
    // Whatever is lent can be looked at, and lines come in order.
    assert!(robots.directives().is_sorted_by_key(|it| it.line_no));
    for it in robots.directives() {
        let _ = (
            robots.text(it.key_raw),
            robots.text(it.value_raw),
            robots.text(it.name),
            robots.text(it.token),
        );
    }
    for it in robots.findings() {
        let _ = robots.text(it.detail);
    }
    let _ = robots::Judge::new().judge(&robots);
}

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
        compare(&body);
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
            compare(&body);
        }
    }
}

#[test]
fn the_parser_and_its_slow_twin_agree_on_the_samples() {
    for entry in std::fs::read_dir(util::samples().join("robots")).unwrap() {
        compare(&std::fs::read(entry.unwrap().path()).unwrap());
    }
}

#[test]
fn cr_lf_and_crlf_say_the_same() {
    let mut random = util::Random::new(2);
    for _ in 0..5_000 {
        let pieces: Vec<&[u8]> = (0..random.below(12))
            .map(|_| PIECES[random.below(PIECES.len())])
            .filter(|piece| !piece.contains(&b'\r') && !piece.contains(&b'\n'))
            .collect();
        let cut: Vec<usize> = pieces.iter().map(|_| random.below(2)).collect();
        let with = |end: &[u8]| {
            let mut body = Vec::new();
            for (piece, cut) in pieces.iter().zip(&cut) {
                body.extend_from_slice(piece);
                if *cut == 1 {
                    body.extend_from_slice(end);
                }
            }
            read(&body).0
        };
        assert_eq!(with(b"\n"), with(b"\r\n"));
        assert_eq!(with(b"\n"), with(b"\r"));
    }
}

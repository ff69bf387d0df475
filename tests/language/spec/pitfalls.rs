//! The thirty pitfalls of `pitfalls.md` by number, each with Google's answer.

use super::{Case, access, assert_cases};
use robots::{Dialect, Policy};

const G: Dialect = Dialect::Google;

#[test]
fn each_pitfall_is_decided_as_by_google() {
    let cases: &[(u32, Case<'_>)] = &[
        (
            1,
            (
                "\u{feff}User-agent: *\nDisallow: /tr/",
                "a",
                "/tr/",
                false,
                2,
            ),
        ),
        (
            1,
            (
                "\n\u{feff}User-agent: *\nDisallow: /tr/",
                "a",
                "/tr/",
                true,
                0,
            ),
        ),
        (2, ("User-agent: expo9\nDisallow: /", "expo", "/", false, 2)),
        (
            2,
            (
                "User-agent: dotbot/1.0\nDisallow: /",
                "dotbot",
                "/",
                false,
                2,
            ),
        ),
        (
            2,
            (
                "User-agent: Yahoo! slurp\nDisallow: /",
                "Yahoo",
                "/",
                false,
                2,
            ),
        ),
        (
            3,
            ("User-agent: MJ12bot\nDisallow: /", "MJ12bot", "/", true, 0),
        ),
        (3, ("User-agent: 008\nDisallow: /", "008", "/", true, 0)),
        (
            4,
            (
                "User-agent: Yandex\nDisallow: /",
                "YandexImage",
                "/",
                true,
                0,
            ),
        ),
        (
            4,
            (
                "User-agent: Googlebot\nDisallow: /",
                "Googlebot-News",
                "/",
                true,
                0,
            ),
        ),
        (
            5,
            (
                "User-agent: Slurp\nCrawl-delay: 2\nUser-agent: Genieo\nDisallow: /",
                "Slurp",
                "/",
                false,
                4,
            ),
        ),
        (6, ("User-agent: *\n\nDisallow: /", "a", "/", false, 3)),
        (
            7,
            ("User-agent: *\rDisallow: /css/\r", "a", "/css/x", false, 2),
        ),
        (
            8,
            ("User-agent: *\nAllow: /$\nDisallow: /*", "a", "/", true, 2),
        ),
        (
            8,
            ("User-agent: *\ndisallow: /\nAllow: /", "a", "/", true, 3),
        ),
        (
            8,
            (
                "User-agent: *\nDisallow: /a\nAllow: /a/b",
                "a",
                "/a/b",
                true,
                3,
            ),
        ),
        (
            9,
            (
                "User-agent: *\nDisallow: /*.htm$",
                "a",
                "/a.htm/b.htm",
                false,
                2,
            ),
        ),
        (9, ("User-agent: *\nDisallow: /*a$", "a", "/aba", false, 2)),
        (
            10,
            ("User-agent: *\nDisallow: */reg", "a", "/x/reg", false, 2),
        ),
        (
            10,
            ("User-agent: *\nDisallow: */tag", "a", "/tag", false, 2),
        ),
        (
            11,
            (
                "User-agent: *\nDisallow: login.php",
                "a",
                "/login.php",
                true,
                0,
            ),
        ),
        (
            11,
            ("User-agent: *\nDisallow: https://h/x", "a", "/x", true, 0),
        ),
        (12, ("User-agent: *\nDisallow: /ip", "a", "/i%70", true, 0)),
        (12, ("User-agent: *\nDisallow: /p/", "a", "/p%2F", true, 0)),
        (
            12,
            ("User-agent: *\nDisallow: /\u{e9}", "a", "/%c3%a9", true, 0),
        ),
        (
            12,
            ("User-agent: *\nDisallow: /\u{e9}", "a", "/%C3%A9", false, 2),
        ),
        (
            12,
            (
                "User-agent: *\nDisallow: /%2A\nDisallow: /%24",
                "a",
                "/*",
                true,
                0,
            ),
        ),
        (
            12,
            (
                "User-agent: *\nDisallow: *?%7b%7d*",
                "a",
                "/?%7B%7D",
                false,
                2,
            ),
        ),
        (
            13,
            (
                "User-agent: *\nDisallow: /sitecore modules/",
                "a",
                "/sitecore modules/",
                false,
                2,
            ),
        ),
        (
            13,
            (
                "User-agent: *\nDisallow: /sitecore modules/",
                "a",
                "/sitecore%20modules/",
                true,
                0,
            ),
        ),
        (
            14,
            (
                "User-agent: *\nDisallow: /search?",
                "a",
                "/search?",
                false,
                2,
            ),
        ),
        (
            14,
            ("User-agent: *\nDisallow: /search?", "a", "/search", true, 0),
        ),
        (
            15,
            (
                "User-agent: *\nDisallow /*/?cm_mmc*",
                "a",
                "/x/?cm_mmc=1",
                false,
                2,
            ),
        ),
        (
            15,
            ("User-agent: *\nDisallow /foo:bar", "a", "/foo:bar", true, 0),
        ),
        (16, ("User-agent: *\nDisalow: /", "a", "/", false, 2)),
        (16, ("User-agent: *\nDissallow: /", "a", "/", false, 2)),
        (16, ("User-agent: *\nDissalow: /", "a", "/", false, 2)),
        (16, ("User-agent: *\nDiasllow: /", "a", "/", false, 2)),
        (16, ("User-agent: *\nDisallaw: /", "a", "/", false, 2)),
        (16, ("Useragent: *\nDisallow: /", "a", "/", false, 2)),
        (16, ("User agent: *\nDisallowed: /", "a", "/", false, 2)),
        (16, ("User-agents: *\nDisallow: /", "a", "/", false, 2)),
        (17, ("User-agent: *\nDisallow : /", "a", "/", false, 2)),
        (
            18,
            (
                "Disallow: /\nUser-agent: *\nDisallow: /x",
                "a",
                "/",
                true,
                0,
            ),
        ),
        (
            19,
            (
                "User-agent: *\nDisallow: /\nUser-agent: a",
                "a",
                "/",
                true,
                0,
            ),
        ),
        (
            19,
            (
                "User-agent: *\nDisallow: /\nUser-agent: a\nDisallow:",
                "a",
                "/",
                true,
                4,
            ),
        ),
        (
            20,
            (
                "User-agent: a\nDisallow: /1\n\nUser-agent: a\nDisallow: /2",
                "a",
                "/2",
                false,
                5,
            ),
        ),
        (
            20,
            (
                "User-agent: *\nDisallow: /1\n\nUser-agent: *\nDisallow: /2",
                "a",
                "/1",
                false,
                2,
            ),
        ),
        (
            21,
            (
                "User-agent: *\nUser-agent: a\nDisallow: /1\nUser-agent: *\nDisallow: /2",
                "a",
                "/2",
                true,
                0,
            ),
        ),
        (
            22,
            ("User-agent: *\nDisallow: /", "a", "/robots.txt", false, 2),
        ),
        (
            23,
            (
                "User-agent: *\nDisallow: /\nAllow: /index.html",
                "a",
                "/",
                true,
                3,
            ),
        ),
        (
            23,
            ("User-agent: *\nDisallow: /index.html", "a", "/", true, 0),
        ),
        (24, ("User-agent: *\nCrawl-delay: 600", "a", "/", true, 0)),
        (
            25,
            (
                "User-agent: *\nDisallow: *$(this).x();*",
                "a",
                "/y$(this).x();z",
                false,
                2,
            ),
        ),
        (
            25,
            (
                "User-agent: *\nDisallow: *$(this).x();*",
                "a",
                "/y",
                true,
                0,
            ),
        ),
        (26, ("User-agent: *\nDisallow: /x", "a", "//x", true, 0)),
        (26, ("User-agent: *\nDisallow: /s$", "a", "/x/s", true, 0)),
        (28, ("User-agent: *\nDisallow: /a\0b", "a", "/ax", false, 2)),
    ];
    for (number, case) in cases {
        println!("pitfall {number}");
        assert_cases(G, &[*case]);
    }
    // An incomplete byte order mark (1), and octets that are not UTF-8 (28).
    let partial = b"\xef\xbbUser-agent: *\nDisallow: /\xe9\n";
    assert_eq!(access(G, partial, "a", "/%E9"), (false, 2));
    assert_eq!(access(G, partial, "a", "/%C3%A9"), (true, 0));
    // The end of an overlong line is ignored (27).
    let long = format!("User-agent: *\nDisallow: /{}$", "a".repeat(17_000));
    assert_eq!(
        access(G, &long, "a", format!("/{}", "a".repeat(17_001))),
        (false, 2)
    );
    // Matching must not take exponential time (30). `access` checks the verdict too.
    let rule = format!("User-agent: *\nDisallow: /{}b", "a*".repeat(200));
    assert_eq!(
        access(G, &rule, "x", format!("/{}", "a".repeat(5000))),
        (true, 0)
    );
}

#[test]
fn the_caller_chooses_combined_names_and_limits() {
    // 4: the groups of a crawler with several names are merged.
    let mut parser = robots::Parser::new();
    let robots = parser.parse(b"User-agent: Googlebot\nDisallow: /\n");
    let news = Policy::new_google(&robots, &[b"Googlebot-News", b"Googlebot"]);
    assert!(!news.access(b"http://h/").is_allowed && news.is_named());
    // 29: statuses and sizes are up to the caller. The library has no limit.
    let body = format!("User-agent: *\n#{}\nDisallow: /\n", "x".repeat(600_000));
    for (reading, expected) in [
        (super::UNLIMITED, false),
        (robots::ParseOptions::default(), true),
    ] {
        let robots = parser.parse_with(body.as_bytes(), reading);
        let policy = Policy::new(G, &robots, b"a");
        assert_eq!(policy.access(b"http://h/").is_allowed, expected);
    }
}

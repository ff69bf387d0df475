//! The thirty pitfalls of `pitfalls.md` by number, each with Google's answer.

use super::access;
use robots::{Dialect, Policy};

const G: Dialect = Dialect::Google;

/// Cases: number, agent, path, the answer with the deciding line or 0, and the file.
const CASES: &[&str] = &[
    "1 | a | /tr/ | disallowed 2 | \u{feff}User-agent: *\nDisallow: /tr/",
    "1 | a | /tr/ | allowed 0 | \n\u{feff}User-agent: *\nDisallow: /tr/",
    "2 | expo | / | disallowed 2 | User-agent: expo9\nDisallow: /",
    "2 | dotbot | / | disallowed 2 | User-agent: dotbot/1.0\nDisallow: /",
    "2 | Yahoo | / | disallowed 2 | User-agent: Yahoo! slurp\nDisallow: /",
    "3 | MJ12bot | / | allowed 0 | User-agent: MJ12bot\nDisallow: /",
    "3 | 008 | / | allowed 0 | User-agent: 008\nDisallow: /",
    "4 | YandexImage | / | allowed 0 | User-agent: Yandex\nDisallow: /",
    "4 | Googlebot-News | / | allowed 0 | User-agent: Googlebot\nDisallow: /",
    "5 | Slurp | / | disallowed 4 | User-agent: Slurp\nCrawl-delay: 2\nUser-agent: Genieo\nDisallow: /",
    "6 | a | / | disallowed 3 | User-agent: *\n\nDisallow: /",
    "7 | a | /css/x | disallowed 2 | User-agent: *\rDisallow: /css/\r",
    "8 | a | / | allowed 2 | User-agent: *\nAllow: /$\nDisallow: /*",
    "8 | a | / | allowed 3 | User-agent: *\ndisallow: /\nAllow: /",
    "8 | a | /a/b | allowed 3 | User-agent: *\nDisallow: /a\nAllow: /a/b",
    "9 | a | /a.htm/b.htm | disallowed 2 | User-agent: *\nDisallow: /*.htm$",
    "9 | a | /aba | disallowed 2 | User-agent: *\nDisallow: /*a$",
    "10 | a | /x/reg | disallowed 2 | User-agent: *\nDisallow: */reg",
    "10 | a | /tag | disallowed 2 | User-agent: *\nDisallow: */tag",
    "11 | a | /login.php | allowed 0 | User-agent: *\nDisallow: login.php",
    "11 | a | /x | allowed 0 | User-agent: *\nDisallow: https://h/x",
    "12 | a | /i%70 | allowed 0 | User-agent: *\nDisallow: /ip",
    "12 | a | /p%2F | allowed 0 | User-agent: *\nDisallow: /p/",
    "12 | a | /%c3%a9 | allowed 0 | User-agent: *\nDisallow: /\u{e9}",
    "12 | a | /%C3%A9 | disallowed 2 | User-agent: *\nDisallow: /\u{e9}",
    "12 | a | /* | allowed 0 | User-agent: *\nDisallow: /%2A\nDisallow: /%24",
    "12 | a | /?%7B%7D | disallowed 2 | User-agent: *\nDisallow: *?%7b%7d*",
    "13 | a | /sitecore modules/ | disallowed 2 | User-agent: *\nDisallow: /sitecore modules/",
    "13 | a | /sitecore%20modules/ | allowed 0 | User-agent: *\nDisallow: /sitecore modules/",
    "14 | a | /search? | disallowed 2 | User-agent: *\nDisallow: /search?",
    "14 | a | /search | allowed 0 | User-agent: *\nDisallow: /search?",
    "15 | a | /x/?cm_mmc=1 | disallowed 2 | User-agent: *\nDisallow /*/?cm_mmc*",
    "15 | a | /foo:bar | allowed 0 | User-agent: *\nDisallow /foo:bar",
    "16 | a | / | disallowed 2 | User-agent: *\nDisalow: /",
    "16 | a | / | disallowed 2 | User-agent: *\nDissallow: /",
    "16 | a | / | disallowed 2 | User-agent: *\nDissalow: /",
    "16 | a | / | disallowed 2 | User-agent: *\nDiasllow: /",
    "16 | a | / | disallowed 2 | User-agent: *\nDisallaw: /",
    "16 | a | / | disallowed 2 | Useragent: *\nDisallow: /",
    "16 | a | / | disallowed 2 | User agent: *\nDisallowed: /",
    "16 | a | / | disallowed 2 | User-agents: *\nDisallow: /",
    "17 | a | / | disallowed 2 | User-agent: *\nDisallow : /",
    "18 | a | / | allowed 0 | Disallow: /\nUser-agent: *\nDisallow: /x",
    "19 | a | / | allowed 0 | User-agent: *\nDisallow: /\nUser-agent: a",
    "19 | a | / | allowed 4 | User-agent: *\nDisallow: /\nUser-agent: a\nDisallow:",
    "20 | a | /2 | disallowed 5 | User-agent: a\nDisallow: /1\n\nUser-agent: a\nDisallow: /2",
    "20 | a | /1 | disallowed 2 | User-agent: *\nDisallow: /1\n\nUser-agent: *\nDisallow: /2",
    "21 | a | /2 | allowed 0 | User-agent: *\nUser-agent: a\nDisallow: /1\nUser-agent: *\nDisallow: /2",
    "22 | a | /robots.txt | disallowed 2 | User-agent: *\nDisallow: /",
    "23 | a | / | allowed 3 | User-agent: *\nDisallow: /\nAllow: /index.html",
    "23 | a | / | allowed 0 | User-agent: *\nDisallow: /index.html",
    "24 | a | / | allowed 0 | User-agent: *\nCrawl-delay: 600",
    "25 | a | /y$(this).x();z | disallowed 2 | User-agent: *\nDisallow: *$(this).x();*",
    "25 | a | /y | allowed 0 | User-agent: *\nDisallow: *$(this).x();*",
    "26 | a | //x | allowed 0 | User-agent: *\nDisallow: /x",
    "26 | a | /x/s | allowed 0 | User-agent: *\nDisallow: /s$",
    "28 | a | /ax | disallowed 2 | User-agent: *\nDisallow: /a\0b",
];

#[test]
fn each_pitfall_is_decided_as_by_google() {
    for case in CASES {
        let fields: Vec<&str> = case.splitn(5, " | ").collect();
        let [_, agent, path, answer, body] = fields[..] else {
            panic!("{case}");
        };
        let (allowed, line_no) = answer.split_once(' ').unwrap();
        let expected = (allowed == "allowed", line_no.parse().unwrap());
        assert_eq!(access(G, body, agent, path), expected, "{case:?}");
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

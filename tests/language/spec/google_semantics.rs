//! The dialect `google` according to Google's parser: `google-semantics.md` from
//! URLs to answers (§5 to §7), and the differences from other dialects (§9, §10),
//! with a case for each statement.

use super::{Case, access, assert_cases, is_match, is_named};
use robots::{Dialect, Parser, Policy};

const G: Dialect = Dialect::Google;
const R: Dialect = Dialect::Rfc9309;
const K: Dialect = Dialect::Koster1996;

#[track_caller]
fn allowed(body: impl AsRef<[u8]>, agent: &str, path: impl AsRef<[u8]>) -> bool {
    access(G, body, agent, path).0
}

/// Asserts rows of a table of differences: subject, agent, path, the answers of Google and of another
/// dialect, and the file.
#[track_caller]
fn assert_differences(other: Dialect, rows: &[&str]) {
    for row in rows {
        let fields: Vec<&str> = row.splitn(6, " | ").collect();
        let [_, agent, path, google, others, body] = fields[..] else {
            panic!("{row}");
        };
        for (dialect, answer) in [(G, google), (other, others)] {
            let is_allowed = access(dialect, body, agent, path).0;
            assert_eq!(is_allowed, answer == "allowed", "{dialect:?}: {row:?}");
        }
    }
}

mod s5_the_url_side {
    use super::*;

    #[test]
    fn the_path_of_a_url_is_extracted_unchanged() {
        for (url, path) in [
            ("http://a?x", "/?x"),
            ("http://a;p", "/;p"),
            ("x", "/"),
            ("", "/"),
            ("http:/a/b", "/a/b"),
            ("///x", "/x"),
            ("http://a#b/c", "/"),
            ("http://a/x#", "/x"),
            ("http://a/search?", "/search?"),
            ("http://a/b/../c//d", "/b/../c//d"),
            ("HTTP://A/B", "/B"),
            ("//h/p", "/p"),
            ("a/b?c=http://d/e", "/b?c=http://d/e"),
            ("http://a/x\0y", "/x"),
        ] {
            let mut scratch = Vec::new();
            let found = robots::path_of_url(url.as_bytes(), &mut scratch);
            assert_eq!(found, path.as_bytes(), "{url:?}");
        }
    }

    #[test]
    fn a_url_is_not_normalized() {
        assert!(is_match(G, "/\u{e9}", "/%C3%A9"));
        assert!(!is_match(G, "/\u{e9}", "/\u{e9}") && !is_match(G, "/\u{e9}", "/%c3%a9"));
        assert!(!is_match(G, "/a/c", "/a/b/../c") && !is_match(G, "/a/b", "/a//b"));
        assert!(is_match(G, "/search?", "/search?") && !is_match(G, "/search?", "/search"));
    }
}

mod s6_which_lines_apply {
    use super::*;

    #[test]
    fn a_star_alone_or_before_white_space_addresses_all_crawlers() {
        for (value, expected) in [
            ("*", true),
            ("* foo", true),
            ("*\tx", true),
            ("*\x0bx", true),
            ("*foo", false),
            ("**", false),
            ("*/1.0", false),
        ] {
            let body = format!("user-agent: {value}\ndisallow: /\n");
            assert_eq!(!allowed(body, "a", "/"), expected, "{value:?}");
        }
    }

    #[test]
    fn a_user_agent_value_is_truncated_to_its_leading_product_token() {
        for value in [
            "FooBot",
            "FooBot/2.1",
            "FooBot2",
            "FooBot x",
            "foobot;",
            "FOOBOT\u{e9}",
        ] {
            assert!(
                is_named(G, format!("user-agent: {value}"), b"FooBot"),
                "{value}"
            );
        }
        assert!(is_named(G, "user-agent: Foo_Bot-x", b"foo_bot-X"));
        assert!(!is_named(G, "user-agent: Foo", b"FooBot"));
        assert!(!is_named(G, "user-agent: FooBot", b"Foo"));
        assert!(!is_named(G, "user-agent: Googlebot", b"Googlebot-News"));
    }

    #[test]
    fn the_queried_name_is_not_truncated() {
        for (line, agent, expected) in [
            ("MJ12bot", "MJ12bot", false),
            ("MJ12bot", "MJ", true),
            ("FooBot", "FooBot/2.1", false),
            ("360Spider", "360Spider", false),
            ("360Spider", "", true),
            ("", "", true),
        ] {
            let body = format!("user-agent: {line}");
            assert_eq!(
                is_named(G, body, agent.as_bytes()),
                expected,
                "{line} {agent}"
            );
        }
    }

    #[test]
    fn product_tokens_consist_of_letters_hyphens_and_underscores() {
        for (name, expected) in [
            (&b"Foo_Bot-x"[..], true),
            (b"MJ12bot", false),
            (b"FooBot/1", false),
            (b"Foo Bot", false),
            (b"", false),
        ] {
            assert_eq!(robots::is_product_token(name), expected, "{name:?}");
        }
    }

    #[test]
    fn rules_of_other_groups_and_outside_any_group_are_ignored() {
        let body = "disallow: /0\nuser-agent: a\ndisallow: /1\nuser-agent: b\ndisallow: /2\n";
        let cases: [Case<'_>; 6] = [
            (body, "a", "/0", true, 0),
            (body, "a", "/1", false, 3),
            (body, "a", "/2", true, 0),
            (body, "b", "/1", true, 0),
            (body, "b", "/2", false, 5),
            (body, "c", "/1", true, 0),
        ];
        assert_cases(G, &cases);
    }

    #[test]
    fn the_group_of_a_name_takes_precedence_over_the_wildcard_group() {
        let body = "user-agent: *\nuser-agent: a\ndisallow: /1\nuser-agent: *\ndisallow: /2\n";
        let cases: [Case<'_>; 4] = [
            (body, "a", "/1", false, 3),
            (body, "a", "/2", true, 0),
            (body, "b", "/1", false, 3),
            (body, "b", "/2", false, 5),
        ];
        assert_cases(G, &cases);
    }

    #[test]
    fn no_other_line_ends_a_group() {
        for line in [
            "sitemap: x",
            "crawl-delay: 1",
            "",
            "# c",
            "foo bar baz",
            ":",
        ] {
            let body = format!(
                "user-agent: a\n{line}\nuser-agent: b\n{line}\ndisallow: /\n{line}\ndisallow: /x\n"
            );
            for agent in ["a", "b"] {
                assert!(!allowed(&body, agent, "/x"), "{line:?}");
                assert_eq!(access(G, &body, agent, "/x").1, 7, "{line:?}");
            }
        }
    }

    #[test]
    fn groups_of_the_same_name_are_merged_and_so_are_wildcard_groups() {
        let body = "user-agent: a\ndisallow: /1\nuser-agent: *\ndisallow: /2\n\
                    user-agent: a\ndisallow: /3\nuser-agent: *\ndisallow: /4\n";
        for (agent, disallowed) in [("a", ["/1", "/3"]), ("b", ["/2", "/4"])] {
            for path in ["/1", "/2", "/3", "/4"] {
                assert_eq!(
                    !allowed(body, agent, path),
                    disallowed.contains(&path),
                    "{agent} {path}"
                );
            }
        }
    }

    #[test]
    fn groups_of_several_queried_names_are_merged() {
        let body = b"user-agent: a\ndisallow: /1\nuser-agent: b\ndisallow: /2\nuser-agent: *\ndisallow: /\n";
        let mut parser = Parser::new();
        let robots = parser.parse(body);
        let policy = Policy::new_google(&robots, &[b"b", b"a", b"x"]);
        for (path, expected) in [("/1", false), ("/2", false), ("/3", true)] {
            let url = format!("http://h{path}");
            assert_eq!(policy.access(url.as_bytes()).is_allowed, expected, "{path}");
        }
    }
}

mod s7_matching_and_precedence {
    use super::*;

    #[test]
    fn a_pattern_is_anchored_and_has_two_special_characters() {
        for (rule, path, expected) in [
            ("/a", "/ab", true),
            ("/a", "/b/a", false),
            ("/A", "/a", false),
            ("/a*b", "/a/x?y/b", true),
            ("/a*b", "/ab", true),
            ("/a$", "/a", true),
            ("/a$", "/ab", false),
            ("/a$$", "/a$", true),
            ("/a$$", "/a", false),
            ("/a$b", "/a$b", true),
            ("/a*$", "/ab", true),
            ("*b", "/ab", true),
            ("foo", "/foo", false),
            ("http://h/x", "/x", false),
            ("$", "/", false),
            ("*$", "/x", true),
        ] {
            assert_eq!(is_match(G, rule, path), expected, "{rule} {path}");
        }
    }

    #[test]
    fn the_longest_pattern_wins_regardless_of_the_matched_length() {
        let body = "user-agent: *\ndisallow: /ab\nallow: /a**\n";
        assert_eq!(access(G, body, "a", "/abcdef"), (true, 3));
        let dollar = "user-agent: *\ndisallow: /ab\nallow: /ab$\n";
        assert_eq!(access(G, dollar, "a", "/ab"), (true, 3));
        assert_eq!(access(G, dollar, "a", "/abc"), (false, 2));
        let tie = "user-agent: *\ndisallow: /ab\nallow: /a*\n";
        assert_eq!(access(G, tie, "a", "/ab"), (true, 3));
    }

    #[test]
    fn the_first_line_of_the_highest_priority_is_reported() {
        let body =
            "user-agent: *\ndisallow: /a\ndisallow: /*\ndisallow: /a\nallow: /b\nallow: /b\n";
        assert_eq!(access(G, body, "x", "/a"), (false, 2));
        assert_eq!(access(G, body, "x", "/b"), (true, 5));
    }

    #[test]
    fn an_allowed_index_htm_allows_its_folder() {
        let body = "user-agent: *\ndisallow: /\nallow: /d/index.html\nallow: /e/index.htm?x\n\
                    allow: /f/index.htmlfoo\nallow: /g/INDEX.HTML\nallow: /h/index.php\n\
                    allow: /i/*/index.htm\n";
        let cases: [Case<'_>; 9] = [
            (body, "a", "/d/", true, 3),
            (body, "a", "/d", false, 2),
            (body, "a", "/d/x", false, 2),
            (body, "a", "/d/index.html", true, 3),
            (body, "a", "/e/", true, 4),
            (body, "a", "/f/", true, 5),
            (body, "a", "/g/", false, 2),
            (body, "a", "/h/", false, 2),
            (body, "a", "/i/x/", true, 8),
        ];
        assert_cases(G, &cases);
        // The shortened pattern has its own priority. A disallow rule is not
        // shortened.
        let short = "user-agent: *\ndisallow: /d/**\nallow: /d/index.html\n";
        assert_eq!(access(G, short, "a", "/d/"), (false, 2));
        let even = "user-agent: *\ndisallow: /d/*\nallow: /d/index.html\n";
        assert_eq!(access(G, even, "a", "/d/"), (true, 3));
        assert!(allowed(
            "user-agent: *\ndisallow: /d/index.html\n",
            "a",
            "/d/"
        ));
    }

    #[test]
    fn an_empty_rule_decides_nothing_but_its_line_is_reported() {
        let body = "user-agent: *\ndisallow: /\nuser-agent: a\ndisallow:\nuser-agent: b\nallow:\ndisallow: /x\n";
        let cases: [Case<'_>; 4] = [
            (body, "a", "/", true, 4),
            (body, "b", "/", true, 6),
            (body, "b", "/x", false, 7),
            (body, "c", "/", false, 2),
        ];
        assert_cases(G, &cases);
    }

    #[test]
    fn a_named_crawler_never_falls_back_to_the_wildcard_group() {
        let body = "user-agent: *\ndisallow: /\n\nuser-agent: a\n";
        assert_cases(G, &[(body, "a", "/", true, 0), (body, "b", "/", false, 2)]);
        let other = "user-agent: *\ndisallow: /\n\nuser-agent: a\ndisallow: /x\n";
        assert_cases(G, &[(other, "a", "/y", true, 0)]);
    }

    #[test]
    fn robots_txt_is_matched_like_any_other_path() {
        assert!(is_match(G, "/", "/robots.txt"));
    }
}

mod s9_differences_from_rfc9309 {
    use super::*;

    #[test]
    fn each_row_of_the_table_of_differences_holds() {
        let rows = [
            "decoding | a | /baz | allowed | disallowed | user-agent: *\ndisallow: /%62%61%7A",
            "encoding | a | /%c3%a9 | allowed | disallowed | user-agent: *\ndisallow: /\u{e9}",
            "special | a | /* | allowed | disallowed | user-agent: *\ndisallow: /%2A",
            "special | a | /$ | allowed | disallowed | user-agent: *\ndisallow: /%24",
            "robots.txt | a | /robots.txt | disallowed | allowed | user-agent: *\ndisallow: /",
            "agent | Foo | / | disallowed | allowed | user-agent: Foo/1\ndisallow: /",
            "agent | Foo | / | disallowed | allowed | user-agent: Foo b\ndisallow: /",
            "agent | Foo | / | disallowed | allowed | user-agent: * b\ndisallow: /",
            "path | a | /x | disallowed | allowed | user-agent: *\ndisallow: */x",
            "path | a | /x | allowed | allowed | user-agent: *\ndisallow: x",
            "most specific | a | /%7Ea | disallowed | allowed | user-agent: *\ndisallow: /%7Ea\nallow: /***",
            "tie | a | /x | allowed | allowed | user-agent: *\ndisallow: /x\nallow: /x",
            "keys | a | / | disallowed | allowed | user-agent: *\ndisalow: /",
            "keys | a | / | disallowed | allowed | user-agent: *\ndisallowed: /",
            "keys | a | / | disallowed | allowed | user-agent: *\ndisallow /",
            "lines | a | /x | disallowed | disallowed | user-agent: *\rdisallow: /x#c",
            "white space | a | / | disallowed | allowed | user-agent: *\n\x0bdisallow: /",
            "bom | a | / | disallowed | disallowed | \u{feff}user-agent: *\ndisallow: /",
            "index.htm | a | / | allowed | disallowed | user-agent: *\ndisallow: /\nallow: /index.html",
            "other records | a | / | disallowed | disallowed | user-agent: a\nx: y\nuser-agent: b\ndisallow: /",
        ];
        assert_differences(R, &rows);
        let e = "user-agent: *\ndisallow: ";
        // The length of a line, and octets that are not UTF-8.
        let long = format!("{e}/{}", "a".repeat(17_000));
        let short = format!("/{}", "a".repeat(16_999));
        assert!(!access(G, &long, "a", &short).0 && access(R, &long, "a", &short).0);
        let latin = b"user-agent: *\ndisallow: /\xe9\n";
        assert!(!access(G, latin, "a", "/%E9").0 && !access(R, latin, "a", "/%e9").0);
    }

    #[test]
    fn s9b_common_misconceptions_do_not_hold() {
        // Names have no fallback and are not truncated. `Crawl-delay` and `Noindex`
        // have no effect.
        let body =
            "user-agent: Googlebot\ndisallow: /\nuser-agent: *\ncrawl-delay: 900\nnoindex: /\n";
        for agent in ["Googlebot-News", "Googlebot/2.1", "FooBot"] {
            assert!(allowed(body, agent, "/"), "{agent}");
        }
        // URLs are not normalized, so a rule may not match its own path.
        assert!(allowed(
            "user-agent: *\ndisallow: /\u{e9}\n",
            "a",
            "/\u{e9}"
        ));
    }
}

mod s10_differences_from_koster {
    use super::*;

    #[test]
    fn each_point_of_the_list_of_differences_holds() {
        let rows = [
            "first match | a | /cgi | disallowed | allowed | user-agent: *\nallow: /\ndisallow: /cgi",
            "first match | a | /cgi | allowed | disallowed | user-agent: *\ndisallow: /\nallow: /cgi",
            "whole names | a1 | / | allowed | disallowed | user-agent: a1\ndisallow: /",
            "whole names | a | / | disallowed | allowed | user-agent: a b\ndisallow: /",
            "no substring | a | / | allowed | allowed | user-agent: ab\ndisallow: /",
            "blank lines | a | / | disallowed | allowed | user-agent: *\n\ndisallow: /",
            "no wildcards | a | /x.php | disallowed | allowed | user-agent: *\ndisallow: /*.php",
            "no wildcards | a | /x | disallowed | allowed | user-agent: *\ndisallow: /x$",
            "decoding | a | /a | allowed | disallowed | user-agent: *\ndisallow: /%61",
            "decoding | a | /a/b | allowed | allowed | user-agent: *\ndisallow: /a%2fb",
            "robots.txt | a | /robots.txt | disallowed | disallowed | user-agent: *\ndisallow: /",
            "merging | a | /2 | disallowed | allowed | user-agent: a\ndisallow: /1\n\nuser-agent: a\ndisallow: /2",
        ];
        assert_differences(K, &rows);
    }
}

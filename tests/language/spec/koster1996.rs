//! The dialect `koster1996`: Koster's draft 1 of November 1996, one module per
//! section.
//!
//! For cases that the draft does not mention, robots-scan follows the page of
//! 1994 or makes a choice. The names of those tests begin with
//! `the_page_of_1994_` or `our_choice_`.

use super::{Case, assert_cases, is_named};
use robots::{Dialect, HttpStatus, ParseOptions, Parser, Policy, StatusEffect};

const K: Dialect = Dialect::Koster1996;

#[track_caller]
fn allowed(body: impl AsRef<[u8]>, agent: &str, path: impl AsRef<[u8]>) -> bool {
    super::access(K, body, agent, path).0
}

#[track_caller]
fn is_match(rule: impl AsRef<[u8]>, path: impl AsRef<[u8]>) -> bool {
    super::is_match(K, rule, path)
}

mod s3_1_access_method {
    use super::*;
    use urls::{UrlColumns, join_url, parse_url};

    #[test]
    fn each_site_has_its_robots_txt_at_the_top_level() {
        for (site, robots) in [
            (
                "http://www.foo.com/welcome.html",
                "http://www.foo.com/robots.txt",
            ),
            (
                "http://www.bar.com:8001/",
                "http://www.bar.com:8001/robots.txt",
            ),
        ] {
            let site = parse_url(site.as_bytes()).unwrap();
            let found = join_url(&site, b"/robots.txt").unwrap();
            assert_eq!(found.as_str(), robots);
            assert!(UrlColumns::new(found).is_robots_path);
        }
    }

    #[test]
    fn each_status_has_the_documented_effect() {
        for code in (0..=999).map(Some).chain([None]) {
            let effect = |has_location| HttpStatus { code, has_location }.effect_koster1996();
            let (with, without) = match code {
                Some(200..=299) => (StatusEffect::Parse, StatusEffect::Parse),
                Some(404) => (StatusEffect::AllowAll, StatusEffect::AllowAll),
                Some(401 | 403) => (StatusEffect::DisallowAll, StatusEffect::DisallowAll),
                // A 304 (Not Modified) has no target to follow.
                Some(304) => (StatusEffect::Defer, StatusEffect::Defer),
                Some(300..=399) => (StatusEffect::Follow, StatusEffect::Defer),
                _ => (StatusEffect::Defer, StatusEffect::Defer),
            };
            assert_eq!((effect(true), effect(false)), (with, without), "{code:?}");
        }
    }
}

mod s3_2_file_format {
    use super::*;

    /// The example of the section.
    const EXAMPLE: &str = "User-agent: webcrawler\nUser-agent: infoseek\nAllow: /tmp/ok.html\n\
                           Disallow: /tmp\nDisallow: /user/foo\n";

    #[test]
    fn the_example_of_a_record_is_evaluated_as_documented() {
        let cases: [Case<'_>; 7] = [
            (EXAMPLE, "webcrawler", "/tmp/ok.html", true, 3),
            (EXAMPLE, "infoseek", "/tmp/ok.html", true, 3),
            (EXAMPLE, "webcrawler", "/tmp", false, 4),
            (EXAMPLE, "infoseek", "/tmp/a.html", false, 4),
            (EXAMPLE, "infoseek", "/user/foo.html", false, 5),
            (EXAMPLE, "webcrawler", "/user/bar", true, 0),
            (EXAMPLE, "other", "/tmp", true, 0),
        ];
        assert_cases(K, &cases);
    }

    #[test]
    fn blank_lines_separate_records() {
        let body = "User-agent: a\nDisallow: /1\n\nUser-agent: b\nDisallow: /2\n";
        let cases: [Case<'_>; 4] = [
            (body, "a", "/1", false, 2),
            (body, "a", "/2", true, 0),
            (body, "b", "/1", true, 0),
            (body, "b", "/2", false, 5),
        ];
        assert_cases(K, &cases);
        for blank in ["\n", " \n", "\t \n", "\n\n", "\r\n", "\r"] {
            let body = format!("User-agent: a\nDisallow: /1\n{blank}Disallow: /2\n");
            assert!(
                !allowed(&body, "a", "/1") && allowed(&body, "a", "/2"),
                "{blank:?}"
            );
        }
    }

    #[test]
    fn comments_are_allowed_anywhere() {
        let body = "# c\nUser-agent: a # c\n # c\n#\nDisallow: /1# c\n# c\nDisallow: /2 #\n";
        let cases: [Case<'_>; 3] = [
            (body, "a", "/1x", false, 5),
            (body, "a", "/2", false, 7),
            (body, "a", "/", true, 0),
        ];
        assert_cases(K, &cases);
    }
}

mod s3_2_1_user_agent_line {
    use super::*;

    #[test]
    fn the_record_of_the_star_is_the_default() {
        for body in [
            "User-agent: *\nDisallow: /all\n\nUser-agent: a\nDisallow: /a/\n",
            "User-agent: a\nDisallow: /a/\n\nUser-agent: *\nDisallow: /all\n",
        ] {
            assert!(!allowed(body, "b", "/all") && allowed(body, "b", "/a/"));
            assert!(allowed(body, "a", "/all") && !allowed(body, "a", "/a/"));
            assert!(is_named(K, body, b"a") && !is_named(K, body, b"b"));
        }
    }

    #[test]
    fn names_are_compared_ignoring_case_and_version() {
        let body = "User-agent: figtree\nDisallow: /\n";
        for (agent, expected) in [
            ("figtree", true),
            ("FigTree", true),
            ("FigTree/0.1", true),
            ("FigTree/0.1 Robot/1.0 libwww-perl/5.04", true),
            ("Fig Tree", false),
            ("libwww-perl", false),
        ] {
            assert_eq!(is_named(K, body, agent.as_bytes()), expected, "{agent}");
        }
        assert!(is_named(
            K,
            "User-agent: FigTree/0.1\nDisallow: /\n",
            b"figtree"
        ));
    }

    #[test]
    fn names_are_compared_whole() {
        // The page of 1994 and the draft of December 1996 compare substrings.
        let body = "User-agent: Fig\nDisallow: /\n";
        assert!(!is_named(K, body, b"figtree") && allowed(body, "figtree", "/"));
        assert!(!is_named(K, "User-agent: figtree\nDisallow: /\n", b"fig"));
        let digits = "User-agent: MJ12bot\nDisallow: /\n";
        assert!(is_named(K, digits, b"mj12bot") && !is_named(K, digits, b"MJ"));
        let blank = "User-agent: Download Ninja\nDisallow: /\n";
        assert!(is_named(K, blank, b"download ninja") && !is_named(K, blank, b"download"));
    }

    #[test]
    fn our_choice_names_that_are_not_tokens_are_compared_as_written() {
        // The grammar has `agent = token`. A name with white space or separators
        // is compared as written.
        for name in ["Foo Bot", "foo@bar", "b\u{e9}"] {
            let body = format!("User-agent: {name}\nDisallow: /\n");
            assert!(is_named(K, &body, name.as_bytes()), "{name}");
            assert!(!allowed(&body, name, "/"), "{name}");
        }
    }

    #[test]
    fn our_choice_the_first_record_of_a_name_is_used() {
        let body = "User-agent: a\nDisallow: /1\n\nUser-agent: A\nDisallow: /2\n\
                    \nUser-agent: *\nDisallow: /3\n\nUser-agent: *\nDisallow: /4\n";
        let cases: [Case<'_>; 5] = [
            (body, "a", "/1", false, 2),
            (body, "a", "/2", true, 0),
            (body, "b", "/3", false, 8),
            (body, "b", "/4", true, 0),
            (body, "a", "/3", true, 0),
        ];
        assert_cases(K, &cases);
    }
}

mod s3_2_2_allow_and_disallow_lines {
    use super::*;

    #[test]
    fn the_first_match_in_order_is_used() {
        let body = "User-agent: *\nDisallow: /a\nAllow: /a/b\nAllow: /\nDisallow: /c\n";
        let cases: [Case<'_>; 3] = [
            (body, "x", "/a/b", false, 2),
            (body, "x", "/c", true, 4),
            (body, "x", "/", true, 4),
        ];
        assert_cases(K, &cases);
    }

    /// The path of a record, the path of a URL, and whether they match.
    const TABLE: [(&str, &str, bool); 15] = [
        ("/tmp", "/tmp", true),
        ("/tmp", "/tmp.html", true),
        ("/tmp", "/tmp/a.html", true),
        ("/tmp/", "/tmp", false),
        ("/tmp/", "/tmp/", true),
        ("/tmp/", "/tmp/a.html", true),
        ("/a%3cd.html", "/a%3cd.html", true),
        ("/a%3Cd.html", "/a%3cd.html", true),
        ("/a%3cd.html", "/a%3Cd.html", true),
        ("/a%3cd.html", "/a%3cd.html", true),
        ("/a%2fb.html", "/a%2fb.html", true),
        ("/a%2fb.html", "/a%2Fb.html", true),
        ("/a%2fb.html", "/a/b.html", false),
        ("/%7ejoe/index.html", "/~joe/index.html", true),
        ("/~joe/index.html", "/%7Ejoe/index.html", true),
    ];

    #[test]
    fn each_row_of_the_table_of_paths_holds() {
        for (rule, path, expected) in TABLE {
            assert_eq!(is_match(rule, path), expected, "{rule} {path}");
            let body = format!("User-agent: *\nAllow: {rule}\nDisallow: /\n");
            assert_eq!(allowed(body, "a", path), expected, "{rule} {path}");
        }
    }

    #[test]
    fn every_octet_except_the_slash_is_decoded_before_comparison() {
        for octet in 1u8..=255 {
            if matches!(octet, b'\n' | b'\r' | b'#' | b'%') {
                continue;
            }
            let bare = [b'/', b'x', octet, b'y'];
            let written = format!("/x%{octet:02x}y");
            let expected = octet != b'/';
            assert_eq!(is_match(bare, &written), expected, "{octet:#04x}");
            assert_eq!(is_match(&written, bare), expected, "{octet:#04x}");
            assert!(is_match(bare, bare) && is_match(&written, &written));
        }
        assert!(!is_match("/a/b", "/a%2fb"));
    }

    #[test]
    fn paths_are_case_sensitive_and_compared_from_their_start() {
        assert!(!is_match("/tmp", "/TMP") && !is_match("/tmp", "/a/tmp"));
        assert!(is_match("/a?b", "/a?bc") && !is_match("/a?b", "/a"));
    }

    #[test]
    fn stars_and_dollar_signs_are_ordinary_octets() {
        assert!(!is_match("/*.php", "/a.php") && is_match("/*.php", "/*.php5"));
        assert!(!is_match("/a$", "/a") && is_match("/a$", "/a$b"));
    }

    #[test]
    fn a_path_that_no_rule_matches_is_allowed() {
        // This is the answer on the mailing list, which is quoted above the draft.
        let body = "User-agent: *\nDisallow: /a\n";
        assert_cases(K, &[(body, "x", "/b", true, 0), ("", "x", "/b", true, 0)]);
    }

    #[test]
    fn the_page_of_1994_an_empty_disallow_allows_all_paths_not_matched_before() {
        let body = "User-agent: *\nDisallow: /a\nDisallow:\nDisallow: /b\n";
        let cases: [Case<'_>; 3] = [
            (body, "x", "/a", false, 2),
            (body, "x", "/b", true, 3),
            (body, "x", "/", true, 3),
        ];
        assert_cases(K, &cases);
    }

    #[test]
    fn our_choice_an_empty_allow_allows_all_paths_not_matched_before() {
        // The grammar permits no empty path. An empty string is a prefix of every
        // path.
        let body = "User-agent: *\nDisallow: /a\nAllow:\nDisallow: /b\n";
        let cases: [Case<'_>; 3] = [
            (body, "x", "/a", false, 2),
            (body, "x", "/b", true, 3),
            (body, "x", "/", true, 3),
        ];
        assert_cases(K, &cases);
    }

    #[test]
    fn robots_txt_is_matched_like_any_other_path() {
        // Only the draft of December 1996 exempts robots.txt.
        assert!(is_match("/", "/robots.txt"));
    }
}

mod s3_3_file_format_syntax {
    use super::*;

    #[test]
    fn robotstxt_is_records_with_optional_blank_lines_and_comments() {
        let body = "\n# c\n\nUser-agent: a\nDisallow: /1\n# c\n\n\n# c\nUser-agent: b\n\
                    Disallow: /2\n \n# c\n";
        let cases: [Case<'_>; 4] = [
            (body, "a", "/1", false, 5),
            (body, "a", "/2", true, 0),
            (body, "b", "/2", false, 11),
            (body, "b", "/1", true, 0),
        ];
        assert_cases(K, &cases);
        for body in ["", "\n", "# c", "\n\n# c\n \n"] {
            assert!(allowed(body, "a", "/"), "{body:?}");
        }
    }

    #[test]
    fn blank_lines_end_a_record_and_comment_lines_do_not() {
        let comment = "User-agent: a\n# c\nUser-agent: b\n # c\nDisallow: /1\n#\nDisallow: /2\n";
        for agent in ["a", "b"] {
            assert!(!allowed(comment, agent, "/1") && !allowed(comment, agent, "/2"));
        }
        let blank = "User-agent: a\n\nUser-agent: b\nDisallow: /1\n\nDisallow: /2\n";
        assert!(allowed(blank, "a", "/1") && !allowed(blank, "b", "/1"));
        assert!(allowed(blank, "b", "/2") && allowed(blank, "c", "/2"));
    }

    #[test]
    fn our_choice_an_agentline_after_rules_begins_a_record() {
        let body = "User-agent: a\nDisallow: /1\nUser-agent: b\nDisallow: /2\n";
        assert!(!allowed(body, "a", "/1") && allowed(body, "a", "/2"));
        assert!(allowed(body, "b", "/1") && !allowed(body, "b", "/2"));
    }

    #[test]
    fn our_choice_agents_without_rules_are_named_and_not_restricted() {
        let body = "User-agent: a\n\nUser-agent: *\nDisallow: /\n";
        assert!(is_named(K, body, b"a") && allowed(body, "a", "/"));
        assert!(!allowed(body, "b", "/"));
        let last = "User-agent: *\nDisallow: /\n\nUser-agent: a\n";
        assert!(is_named(K, last, b"a") && allowed(last, "a", "/"));
    }

    #[test]
    fn our_choice_a_byte_order_mark_is_dropped_and_an_incomplete_one_is_kept() {
        let body = b"User-agent: *\nDisallow: /";
        assert!(!allowed([b"\xef\xbb\xbf", &body[..]].concat(), "a", "/"));
        for part in [&b"\xef"[..], b"\xef\xbb"] {
            assert!(allowed([part, body].concat(), "a", "/"), "{part:?}");
        }
    }

    #[test]
    fn our_choice_rules_without_an_agent_are_ignored() {
        for body in [
            "Disallow: /\n",
            "Disallow: /\nUser-agent: *\nDisallow: /x\n",
            "User-agent: *\nDisallow: /x\n\nDisallow: /\n",
        ] {
            assert!(allowed(body, "a", "/"), "{body:?}");
        }
    }

    #[test]
    fn agentline_and_ruleline_require_their_key_and_a_colon() {
        for line in [
            "Disallow: /",
            "disallow: /",
            "DISALLOW:/",
            "Disallow:  \t/ \t",
            "Disallow: / # c",
        ] {
            let body = format!("User-agent: *\n{line}\n");
            assert!(!allowed(body, "a", "/"), "{line}");
        }
        for line in [
            "Disallow /",
            "Disalow: /",
            "Disallowed: /",
            "Disallow; /",
            "Noindex: /",
        ] {
            let body = format!("User-agent: *\n{line}\n");
            assert!(allowed(body, "a", "/"), "{line}");
        }
        for line in ["User-agent *", "Useragent: *", "User agent: *", "Agent: *"] {
            let body = format!("{line}\nDisallow: /\n");
            assert!(allowed(body, "a", "/"), "{line}");
        }
    }

    #[test]
    fn a_path_without_a_leading_slash_matches_nothing() {
        // The grammar permits such a path in a `disallowline`, but the path of a
        // URL begins with a slash.
        for path in ["tmp", "http://h/tmp", "*", "%2Ftmp"] {
            let body = format!("User-agent: *\nDisallow: {path}\n");
            assert!(allowed(body, "a", "/tmp"), "{path}");
        }
    }

    #[test]
    fn lines_with_other_keys_do_not_end_a_record() {
        let body =
            "User-agent: a\nSitemap: http://h/s\nUser-agent: b\nCrawl-delay: 1\nDisallow: /\n";
        assert!(!allowed(body, "a", "/") && !allowed(body, "b", "/"));
    }
}

mod s4_notes_for_implementors {
    use super::*;

    #[test]
    fn s4_1_an_allow_overrides_only_a_later_disallow() {
        let before = "User-agent: *\nAllow: /a/b\nDisallow: /a\n";
        let after = "User-agent: *\nDisallow: /a\nAllow: /a/b\n";
        assert!(allowed(before, "x", "/a/b") && !allowed(before, "x", "/a"));
        assert!(!allowed(after, "x", "/a/b"));
    }

    #[test]
    fn s4_2_every_line_end_is_accepted() {
        for end in ["\r", "\n", "\r\n"] {
            let body = [
                "User-agent: a",
                "Disallow: /1",
                "",
                "User-agent: b",
                "Disallow: /2",
                "",
            ]
            .join(end);
            assert!(
                !allowed(&body, "a", "/1") && allowed(&body, "a", "/2"),
                "{end:?}"
            );
            assert!(
                allowed(&body, "b", "/1") && !allowed(&body, "b", "/2"),
                "{end:?}"
            );
        }
    }

    #[test]
    fn s4_2_an_html_page_instead_of_the_file_restricts_no_crawler() {
        let body = "<html><body>\nWhat are you looking for?\n</body></html>\n";
        assert_cases(K, &[(body, "a", "/", true, 0)]);
    }

    #[test]
    fn s4_2_leniency_white_space_before_a_key_and_its_colon_is_accepted() {
        // The grammar permits no white space there.
        let body = " \tUser-agent : *\n Disallow\t: /\n";
        assert!(!allowed(body, "a", "/"));
    }
}

mod s5_security_considerations {
    use super::*;

    #[test]
    fn the_size_that_is_read_may_be_limited() {
        let body = b"User-agent: *\nDisallow: /a\nDisallow: /b\n";
        let mut parser = Parser::new();
        let reading = ParseOptions {
            body_limit: Some(30),
            is_truncated: false,
        };
        let robots = parser.parse_with(body, reading);
        let policy = Policy::new(K, &robots, b"x");
        assert!(!policy.access(b"http://h/a").is_allowed);
        assert!(policy.access(b"http://h/b").is_allowed);
    }
}

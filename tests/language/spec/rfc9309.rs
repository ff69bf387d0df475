//! The dialect `rfc9309`: the internet draft that became RFC 9309, one module per
//! section, with the section numbers of the RFC. The grammar is in
//! `rfc9309_syntax.rs`.
//!
//! <https://www.rfc-editor.org/rfc/rfc9309>

use super::{Case, UNLIMITED, assert_cases, is_named};
use robots::{
    AnomalyKind, Dialect, FetchOutcome, HttpStatus, ParseOptions, Parser, Policy, StatusEffect,
};

const R: Dialect = Dialect::Rfc9309;

#[track_caller]
fn allowed(body: impl AsRef<[u8]>, agent: &str, path: impl AsRef<[u8]>) -> bool {
    super::access(R, body, agent, path).0
}

#[track_caller]
fn is_match(rule: impl AsRef<[u8]>, path: impl AsRef<[u8]>) -> bool {
    super::is_match(R, rule, path)
}

/// <https://www.rfc-editor.org/rfc/rfc9309#section-2.1>
/// <https://www.rfc-editor.org/rfc/rfc9309#section-2.2>
/// <https://www.rfc-editor.org/rfc/rfc9309#section-2.2.1>
mod s2_2_1_user_agent_line {
    use super::*;

    #[test]
    fn the_product_token_of_the_example_selects_its_group() {
        let header = b"Mozilla/5.0 (compatible; ExampleBot/0.1; https://www.example.com/bot.html)";
        let token = b"ExampleBot";
        assert!(header.windows(token.len()).any(|part| part == token));
        assert!(robots::is_product_token(token) && !robots::is_product_token(header));
        let body = "user-agent: ExampleBot\ndisallow: /\n";
        assert!(is_named(R, body, token));
        assert!(!is_named(R, body, header) && !is_named(R, body, b"ExampleBot/0.1"));
    }

    #[test]
    fn product_tokens_are_compared_whole_and_ignoring_case() {
        let body = "user-agent: FooBot\ndisallow: /\n";
        for (agent, expected) in [
            ("FooBot", true),
            ("foobot", true),
            ("FOOBOT", true),
            ("Foo", false),
            ("FooBot-News", false),
            ("MyFooBot", false),
            ("Bot", false),
            ("", false),
        ] {
            assert_eq!(is_named(R, body, agent.as_bytes()), expected, "{agent}");
        }
    }

    #[test]
    fn groups_of_the_same_token_are_combined() {
        let body = "user-agent: a\ndisallow: /1\n\nuser-agent: b\ndisallow: /2\n\
                    \nuser-agent: A\nuser-agent: c\ndisallow: /3\nallow: /1/x\n";
        let cases: [Case<'_>; 5] = [
            (body, "a", "/1", false, 2),
            (body, "a", "/1/x", true, 10),
            (body, "a", "/2", true, 0),
            (body, "a", "/3", false, 9),
            (body, "c", "/1", true, 0),
        ];
        assert_cases(R, &cases);
    }

    #[test]
    fn the_wildcard_group_applies_only_if_no_other_group_matches() {
        let body = "user-agent: *\ndisallow: /all\n\nuser-agent: a\ndisallow: /a\n";
        let cases: [Case<'_>; 5] = [
            (body, "a", "/a", false, 5),
            (body, "a", "/all", false, 5),
            (body, "a", "/b", true, 0),
            (body, "b", "/all", false, 2),
            (body, "b", "/a", true, 0),
        ];
        // The rule of `a` is a prefix of the other path. The line numbers
        // distinguish the two rules.
        assert_cases(R, &cases);
        let named_first =
            "user-agent: a\nuser-agent: *\ndisallow: /x\nuser-agent: *\ndisallow: /y\n";
        assert!(!allowed(named_first, "a", "/x") && allowed(named_first, "a", "/y"));
    }

    #[test]
    fn without_a_matching_group_no_rules_apply() {
        let body = "user-agent: a\ndisallow: /\n";
        assert_cases(R, &[(body, "b", "/", true, 0), ("", "b", "/", true, 0)]);
        assert!(!is_named(R, body, b"b"));
    }

    #[test]
    fn a_value_that_is_not_a_token_delimits_groups_but_addresses_no_crawler() {
        let starts = "user-agent: a\ndisallow: /1\nuser-agent: MJ12bot\ndisallow: /2\n\
                      user-agent: *\ndisallow: /3\n";
        let cases: [Case<'_>; 5] = [
            (starts, "a", "/1", false, 2),
            (starts, "a", "/2", true, 0),
            (starts, "MJ12bot", "/2", true, 0),
            (starts, "MJ12bot", "/3", false, 6),
            (starts, "MJ", "/2", true, 0),
        ];
        assert_cases(R, &cases);
        let continues = "user-agent: a\nuser-agent: b/1.0\ndisallow: /\n";
        assert!(!allowed(continues, "a", "/") && allowed(continues, "b", "/"));
    }

    #[test]
    fn an_ignored_rule_ends_the_user_agent_lines_of_its_group() {
        // `path` does not begin with a slash, so the rule matches nothing.
        for rule in ["disallow: path", "allow: *", "disallow:", "allow: /a\0b"] {
            let body = format!("user-agent: a\n{rule}\nuser-agent: b\ndisallow: /\n");
            assert!(allowed(&body, "a", "/"), "{rule}");
            assert!(!allowed(&body, "b", "/"), "{rule}");
        }
    }

    #[test]
    fn departure_all_wildcard_groups_are_merged() {
        // The draft uses only the first. The RFC dropped that word.
        let body = "user-agent: *\ndisallow: /1\n\nuser-agent: a\ndisallow: /2\n\
                    \nuser-agent: *\ndisallow: /3\n";
        let cases: [Case<'_>; 3] = [
            (body, "b", "/1", false, 2),
            (body, "b", "/2", true, 0),
            (body, "b", "/3", false, 8),
        ];
        assert_cases(R, &cases);
    }
}

/// <https://www.rfc-editor.org/rfc/rfc9309#section-2.2.2>
mod s2_2_2_allow_and_disallow_lines {
    use super::*;

    #[test]
    fn paths_are_case_sensitive_and_compared_from_their_start() {
        assert!(is_match("/Fish", "/Fish") && is_match("/Fish", "/Fishes/x?y"));
        assert!(!is_match("/Fish", "/fish") && !is_match("/fish", "/FISH"));
        assert!(!is_match("/fish", "/a/fish") && !is_match("/fish", "//fish"));
        assert!(!is_match("/fish/", "/fish"));
    }

    #[test]
    fn the_match_with_the_most_octets_is_used() {
        let body = "user-agent: *\nallow: /a/b\ndisallow: /a\nallow: /\ndisallow: /a/b/c\n";
        let cases: [Case<'_>; 4] = [
            (body, "x", "/", true, 4),
            (body, "x", "/a", false, 3),
            (body, "x", "/a/b", true, 2),
            (body, "x", "/a/b/c", false, 5),
        ];
        assert_cases(R, &cases);
    }

    #[test]
    fn octets_are_counted_in_the_normal_form() {
        // `%61` counts as one octet, each octet of `é` and a space as three.
        for (longer, shorter, path) in [
            ("/ab*", "/%61%62", "/ab"),
            ("/\u{e9}", "/*****", "/%C3%A9"),
            ("/a b", "/a***", "/a%20b"),
            ("/%2a%2a", "/*****", "/**"),
            ("/a$", "/a", "/a"),
        ] {
            for (allow, disallow) in [(longer, shorter), (shorter, longer)] {
                let body = format!("user-agent: *\nallow: {allow}\ndisallow: {disallow}\n");
                assert_eq!(allowed(&body, "x", path), allow == longer, "{body}");
            }
        }
    }

    #[test]
    fn allow_is_used_if_rules_are_equivalent() {
        for (allow, disallow, path) in [
            ("/a", "/a", "/a"),
            ("/a*", "/ab", "/ab"),
            ("/%61", "/a", "/a"),
            ("/", "/", "/x"),
        ] {
            let first = format!("user-agent: *\nallow: {allow}\ndisallow: {disallow}\n");
            let last = format!("user-agent: *\ndisallow: {disallow}\nallow: {allow}\n");
            assert!(allowed(&first, "x", path), "{first}");
            assert!(allowed(&last, "x", path), "{last}");
        }
    }

    #[test]
    fn a_path_that_no_rule_matches_is_allowed() {
        let body = "user-agent: a\ndisallow: /x\nuser-agent: b\n";
        assert_cases(R, &[(body, "a", "/y", true, 0), (body, "b", "/x", true, 0)]);
    }

    #[test]
    fn robots_txt_itself_is_allowed() {
        let body = "user-agent: *\ndisallow: /\ndisallow: /robots.txt\n";
        let cases: [Case<'_>; 6] = [
            (body, "a", "/robots.txt", true, 0),
            (body, "a", "/robots%2Etxt", true, 0),
            (body, "a", "/robots.txt?x", false, 3),
            (body, "a", "/robots.txt/", false, 3),
            (body, "a", "/Robots.txt", false, 2),
            (body, "a", "/a/robots.txt", false, 2),
        ];
        assert_cases(R, &cases);
    }

    /// The path in the file, the encoded path, and the path to match.
    const TABLE: [[&str; 3]; 5] = [
        ["/foo/bar?baz=quz"; 3],
        [
            "/foo/bar?baz=http://foo.bar",
            "/foo/bar?baz=http%3A%2F%2Ffoo.bar",
            "/foo/bar?baz=http%3A%2F%2Ffoo.bar",
        ],
        [
            "/foo/bar/\u{30c4}",
            "/foo/bar/%E3%83%84",
            "/foo/bar/%E3%83%84",
        ],
        [
            "/foo/bar/%E3%83%84",
            "/foo/bar/%E3%83%84",
            "/foo/bar/%E3%83%84",
        ],
        ["/foo/bar/%62%61%7A", "/foo/bar/%62%61%7A", "/foo/bar/baz"],
    ];

    #[test]
    fn the_table_of_encodings_holds_except_for_row_2() {
        for (i, [path, encoded, to_match]) in TABLE.into_iter().enumerate() {
            // Row 2 is the departure in the next test.
            assert_eq!(is_match(path, to_match), i != 1, "{path} {to_match}");
            assert!(is_match(encoded, to_match), "{encoded} {to_match}");
            assert!(is_match(path, path), "{path}");
        }
    }

    #[test]
    fn departure_reserved_octets_and_their_encodings_are_distinct() {
        let [path, encoded, to_match] = TABLE[1];
        assert!(!is_match(path, to_match) && !is_match(encoded, path));
        assert!(is_match(path, path) && is_match(encoded, to_match));
        // Otherwise an encoded `/` would equal the separator of path segments. The
        // special characters `*` and `$` are in the next section, and `#` begins
        // a comment.
        for octet in ":/?[]@!&'()+,;=".bytes() {
            let (bare, written) = (
                format!("/x{}y", char::from(octet)),
                format!("/x%{octet:02X}y"),
            );
            assert!(
                is_match(&bare, &bare) && is_match(&written, &written),
                "{bare}"
            );
            assert!(
                !is_match(&bare, &written) && !is_match(&written, &bare),
                "{bare}"
            );
        }
    }

    #[test]
    fn departure_a_lone_percent_sign_equals_its_encoding_and_never_matches_an_escape() {
        // If the text were read octet by octet, these rules would match.
        for (rule, path) in [
            ("/*%", "/a%20b"),
            ("/a%", "/a%20b"),
            ("/a%2", "/a%20b"),
            ("/*0b", "/a%20b"),
            ("/*%$", "/a%20"),
        ] {
            assert!(!is_match(rule, path), "{rule} {path}");
        }
        // A `%` that does not begin an escape equals `%25`, on both sides.
        for rule in ["/a%", "/a%25", "/*%", "/*%25"] {
            for path in ["/a%", "/a%25", "/a%x", "/a%2", "/a%2525"] {
                assert!(is_match(rule, path), "{rule} {path}");
            }
        }
        assert!(is_match("/a%2", "/a%252") && !is_match("/a%2", "/a%25"));
        // It counts as the three octets of `%25`.
        let body = "user-agent: a\ndisallow: /b%\nallow: /b%25\nallow: /*b\n";
        assert!(allowed(body, "a", "/b%"));
        assert!(!allowed(body.replace("allow: /b%25\n", ""), "a", "/b%25"));
    }

    #[test]
    fn non_ascii_octets_are_encoded_on_both_sides() {
        let forms = ["/\u{e9}", "/%C3%A9", "/%c3%a9", "/%C3%a9"];
        for rule in forms {
            for path in forms {
                assert!(is_match(rule, path), "{rule} {path}");
            }
            assert!(!is_match(rule, "/%E9"), "{rule}");
        }
    }

    #[test]
    fn only_unreserved_octets_are_decoded_on_both_sides() {
        for octet in 0x21u8..0x7f {
            let (bare, written) = (
                format!("/x{}y", char::from(octet)),
                format!("/x%{octet:02x}y"),
            );
            if matches!(octet, b'#' | b'%' | b'*' | b'$') {
                continue;
            }
            let is_unreserved = octet.is_ascii_alphanumeric() || b"-._~".contains(&octet);
            assert_eq!(is_match(&bare, &written), is_unreserved, "{bare}");
            assert_eq!(is_match(&written, &bare), is_unreserved, "{bare}");
        }
        // Octets that are not an escape match themselves, and escapes are decoded
        // only once.
        assert!(is_match("/%", "/%") && is_match("/%zz", "/%zz") && is_match("/%4", "/%4"));
        assert!(!is_match("/%2561", "/a") && !is_match("/%2561", "/%61"));
    }

    #[test]
    fn rules_outside_any_group_are_ignored() {
        let body = "disallow: /\nallow: /x\n\nuser-agent: *\ndisallow: /y\n";
        assert_cases(
            R,
            &[(body, "a", "/x", true, 0), (body, "a", "/y", false, 5)],
        );
        assert!(allowed("disallow: /\n", "a", "/"));
    }

    #[test]
    fn our_choice_paths_in_different_encodings_do_not_match() {
        // The draft permits a conversion (MAY).
        let body = b"user-agent: *\ndisallow: /\xe9t\xe9\n";
        assert!(!allowed(body, "a", "/%E9t%E9"));
        assert!(allowed(body, "a", "/%C3%A9t%C3%A9"));
        let mut parser = Parser::new();
        let robots = parser.parse(body);
        assert!(!robots.summary().is_valid_utf8);
        let found = |anomaly| robots.anomalies().iter().any(|line| line.kind == anomaly);
        assert!(found(AnomalyKind::InvalidUtf8));
        let utf16 =
            b"\xff\xfeu\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0*\0\n\0d\0i\0s\0a\0l\0l\0o\0w\0:\0/\0";
        assert!(allowed(utf16, "a", "/"));
    }
}

/// <https://www.rfc-editor.org/rfc/rfc9309#section-2.2.3>
mod s2_2_3_special_characters {
    use super::*;

    #[test]
    fn each_row_of_the_table_of_special_characters_holds() {
        let sign =
            "user-agent: *\ndisallow: /x\nallow: / # comment in line\n# comment at the end\n";
        let end = "user-agent: *\ndisallow: /this\nallow: /this/path/exactly$\n";
        let star = "user-agent: *\ndisallow: /this\nallow: /this/*/exactly\n";
        let cases: [Case<'_>; 10] = [
            (sign, "a", "/", true, 3),
            (sign, "a", "/x", false, 2),
            (end, "a", "/this/path/exactly", true, 3),
            (end, "a", "/this/path/exactly/", false, 2),
            (end, "a", "/this/path/exactly$", false, 2),
            (end, "a", "/this/path/exactly?q", false, 2),
            (star, "a", "/this/path/exactly", true, 3),
            (star, "a", "/this/long/path/exactly/so", true, 3),
            (star, "a", "/this//exactly", true, 3),
            (star, "a", "/this/exactly", false, 2),
        ];
        assert_cases(R, &cases);
    }

    #[test]
    fn a_star_matches_any_sequence_of_octets() {
        for (rule, path) in [
            ("/*", "/"),
            ("/*a", "/a"),
            ("/*a$", "/aba"),
            ("/*.htm$", "/a.htm/b.htm"),
            ("/a*/*?b", "/a/x/y?b=1"),
            ("/**a***", "/xa"),
            ("/a*$", "/ab"),
        ] {
            assert!(is_match(rule, path), "{rule} {path}");
        }
        assert!(!is_match("/*a$", "/ab") && !is_match("/a*b*a", "/aba".replace('b', "")));
        assert!(!is_match("/*ab*ab$", "/ab"));
    }

    #[test]
    fn a_dollar_sign_is_special_only_at_the_end_of_a_pattern() {
        assert!(is_match("/a$b", "/a$bc") && !is_match("/a$b", "/a"));
        assert!(is_match("/a$$", "/a$") && !is_match("/a$$", "/a"));
        assert!(is_match("/a$*", "/a$x") && !is_match("/a$*", "/a"));
    }

    #[test]
    fn encoded_special_characters_match_verbatim() {
        // Each row of the second table, also with the octet of the URL encoded.
        for (rule, paths) in [
            (
                "/path/file-with-a-%2A.html",
                ["/path/file-with-a-*.html", "/path/file-with-a-%2a.html"],
            ),
            ("/path/foo-%24", ["/path/foo-$", "/path/foo-%24"]),
        ] {
            for path in paths {
                assert!(is_match(rule, path), "{rule} {path}");
            }
        }
        assert!(!is_match(
            "/path/file-with-a-%2A.html",
            "/path/file-with-a-b.html"
        ));
        assert!(!is_match("/path/foo-%24", "/path/foo-"));
    }

    #[test]
    fn patterns_that_would_backtrack_exponentially_are_matched() {
        // RFC 9309 §3: the content of a robots.txt is not trusted.
        let rule = format!("/{}b", "*a".repeat(500));
        assert!(!is_match(&rule, format!("/{}", "a".repeat(2000))));
        assert!(is_match(&rule, format!("/{}b", "a".repeat(2000))));
        assert!(!is_match(&rule, format!("/{}b", "a".repeat(499))));
    }
}

/// <https://www.rfc-editor.org/rfc/rfc9309#section-2.2.4>
mod s2_2_4_other_lines {
    use super::*;

    #[test]
    fn other_lines_neither_end_nor_join_groups() {
        for line in [
            "Sitemap: https://example.com/s.xml",
            "Crawl-delay: 5",
            "Host: h",
            "Noindex: /",
            "Foo: bar",
            "nonsense",
        ] {
            let between = format!("user-agent: a\n{line}\nuser-agent: b\ndisallow: /\n");
            assert!(
                !allowed(&between, "a", "/") && !allowed(&between, "b", "/"),
                "{line}"
            );
            let among =
                format!("{line}\nuser-agent: a\n{line}\ndisallow: /x\n{line}\ndisallow: /y\n");
            assert!(
                !allowed(&among, "a", "/x") && !allowed(&among, "a", "/y"),
                "{line}"
            );
            let after = format!("user-agent: a\ndisallow: /x\n{line}\nuser-agent: b\n");
            assert!(
                !allowed(&after, "a", "/x") && allowed(&after, "b", "/x"),
                "{line}"
            );
        }
    }

    #[test]
    fn other_lines_neither_allow_nor_disallow_anything() {
        let body =
            "user-agent: *\nNoindex: /\nCrawl-delay: 86400\nDisallow-all: /\nX: disallow: /\n";
        assert_cases(R, &[(body, "a", "/", true, 0)]);
    }
}

/// <https://www.rfc-editor.org/rfc/rfc9309#section-2.3>
mod s2_3_access_method {
    use urls::{UrlColumns, parse_url};

    #[test]
    fn robots_txt_is_at_the_top_level_in_lower_case() {
        let is_robots =
            |url: &str| UrlColumns::new(parse_url(url.as_bytes()).unwrap()).is_robots_path;
        for url in [
            "http://www.example.com/robots.txt",
            "https://www.example.com/robots.txt",
            "ftp://ftp.example.com/robots.txt",
        ] {
            assert!(is_robots(url), "{url}");
        }
        for url in [
            "http://www.example.com/Robots.txt",
            "http://www.example.com/ROBOTS.TXT",
            "http://www.example.com/a/robots.txt",
            "http://www.example.com/robots.txt/",
            "http://www.example.com/robots.txt?a",
            "http://www.example.com/",
        ] {
            assert!(!is_robots(url), "{url}");
        }
    }
}

/// <https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1>
mod s2_3_1_access_results {
    use super::*;

    fn status(code: u16, has_location: bool) -> HttpStatus {
        HttpStatus {
            code: Some(code),
            has_location,
        }
    }

    #[test]
    fn s2_3_1_1_the_rules_of_a_successful_response_are_followed() {
        for code in 200..300 {
            let status = status(code, false);
            assert_eq!(
                (status.outcome(), status.effect_rfc9309()),
                (FetchOutcome::Successful, StatusEffect::Parse),
                "{code}"
            );
        }
    }

    #[test]
    fn s2_3_1_2_redirects_with_a_location_are_followed() {
        for code in 300..400 {
            assert_eq!(
                status(code, true).outcome(),
                FetchOutcome::Redirect,
                "{code}"
            );
            let expected = if code == 304 {
                StatusEffect::Defer
            } else {
                StatusEffect::Follow
            };
            assert_eq!(status(code, true).effect_rfc9309(), expected, "{code}");
            assert_eq!(
                status(code, false).effect_rfc9309(),
                StatusEffect::Defer,
                "{code}"
            );
        }
    }

    #[test]
    fn s2_3_1_3_an_unavailable_file_allows_everything() {
        for code in 400..500 {
            let status = status(code, false);
            assert_eq!(
                (status.outcome(), status.effect_rfc9309()),
                (FetchOutcome::Unavailable, StatusEffect::AllowAll),
                "{code}"
            );
        }
    }

    #[test]
    fn s2_3_1_4_an_unreachable_file_disallows_everything() {
        let undefined = (0..200).chain(500..=u16::MAX).map(Some);
        for code in undefined.chain([None]) {
            let status = HttpStatus {
                code,
                has_location: false,
            };
            assert_eq!(
                (status.outcome(), status.effect_rfc9309()),
                (FetchOutcome::Unreachable, StatusEffect::DisallowAll),
                "{code:?}"
            );
        }
    }

    #[test]
    fn s2_3_1_5_parseable_lines_are_used_despite_invalid_lines_between_them() {
        let body = b"<html>\n\xff\xfe\0\nuser-agent: a\n::::\n{\"a\": 1}\ndisallow: /x\n</html>\n\
                     disallow\nallow\n= = =\ndisallow: /y\n%\x01\n";
        assert!(!allowed(body, "a", "/x") && !allowed(body, "a", "/y"));
        assert!(allowed(body, "a", "/") && allowed(body, "b", "/x"));
    }
}

/// <https://www.rfc-editor.org/rfc/rfc9309#section-2.5>
mod s2_5_limits {
    use super::*;

    /// Returns true if a rule is followed whose line ends at this octet of the body.
    fn is_obeyed(end: usize, reading: ParseOptions) -> bool {
        let rule = b"disallow: /x";
        let mut body = b"user-agent: *\n".to_vec();
        body.resize(end - rule.len(), b'#');
        *body.last_mut().unwrap() = b'\n';
        body.extend_from_slice(rule);
        body.extend_from_slice(b"\nallow: /\n");
        let mut parser = Parser::new();
        let robots = parser.parse_with(&body, reading);
        !Policy::new(R, &robots, b"a")
            .access(b"http://h/x")
            .is_allowed
    }

    #[test]
    fn at_least_500_kibibytes_are_read() {
        const LIMIT: usize = 500 * 1024;
        assert_eq!(robots::BODY_LIMIT_BYTES, LIMIT as u64);
        assert!(is_obeyed(LIMIT, ParseOptions::default()));
        assert!(!is_obeyed(LIMIT + 1, ParseOptions::default()));
        assert!(is_obeyed(LIMIT + 1, UNLIMITED) && is_obeyed(3 * LIMIT, UNLIMITED));
    }

    #[test]
    fn a_truncated_line_does_not_count() {
        let body = "user-agent: *\nallow: /a\ndisallow: /";
        let mut parser = Parser::new();
        let cut = ParseOptions {
            is_truncated: true,
            ..ParseOptions::default()
        };
        for (reading, expected) in [(ParseOptions::default(), false), (cut, true)] {
            let robots = parser.parse_with(body.as_bytes(), reading);
            let policy = Policy::new(R, &robots, b"a");
            assert_eq!(policy.access(b"http://h/x").is_allowed, expected);
        }
    }
}

/// <https://www.rfc-editor.org/rfc/rfc9309#section-5>
mod s5_examples {
    use super::*;

    #[test]
    fn s5_1_the_simple_example_is_evaluated_as_documented() {
        let body = "User-Agent : foobot\nDisallow : /example/page.html\nDisallow : /example/disallowed.gif\n\
                    \nUser-Agent : barbot\nUser-Agent : bazbot\nAllow : /example/page.html\n\
                    Disallow : /example/disallowed.gif\n\nUser-Agent: quxbot\n\n/eof\n";
        let cases: [Case<'_>; 12] = [
            (body, "foobot", "/example/page.html", false, 2),
            (body, "foobot", "/example/disallowed.gif", false, 3),
            (body, "foobot", "/", true, 0),
            (body, "barbot", "/example/page.html", true, 7),
            (body, "barbot", "/example/disallowed.gif", false, 8),
            (body, "bazbot", "/example/page.html", true, 7),
            (body, "bazbot", "/example/disallowed.gif", false, 8),
            (body, "bazbot", "/example", true, 0),
            (body, "quxbot", "/example/page.html", true, 0),
            (body, "quxbot", "/example/disallowed.gif", true, 0),
            (body, "otherbot", "/example/page.html", true, 0),
            (body, "otherbot", "/example/disallowed.gif", true, 0),
        ];
        assert_cases(R, &cases);
        assert!(is_named(R, body, b"quxbot") && !is_named(R, body, b"otherbot"));
    }

    #[test]
    fn s5_2_the_example_of_the_longest_match_is_evaluated_as_documented() {
        let body = "User-Agent : foobot\nAllow : /example/page/\nDisallow : /example/page/disallowed.gif\n";
        let cases: [Case<'_>; 3] = [
            (body, "foobot", "/example/page/disallowed.gif", false, 3),
            (body, "foobot", "/example/page/", true, 2),
            (body, "foobot", "/example/page/allowed.gif", true, 2),
        ];
        assert_cases(R, &cases);
    }
}

//! The dialect `rfc9309`: groups (§2.1) and the grammar (§2.2), rule by rule.

use super::{Case, assert_cases, is_named};
use robots::Dialect;

const R: Dialect = Dialect::Rfc9309;

#[track_caller]
fn allowed(body: impl AsRef<[u8]>, agent: &str, path: impl AsRef<[u8]>) -> bool {
    super::access(R, body, agent, path).0
}

#[track_caller]
fn is_match(rule: impl AsRef<[u8]>, path: impl AsRef<[u8]>) -> bool {
    super::is_match(R, rule, path)
}

mod s2_1_protocol_definition {
    use super::*;

    #[test]
    fn a_group_is_user_agent_lines_followed_by_rules() {
        let body = "User-agent: a\nUser-agent: b\nDisallow: /1\nDisallow: /2\n\
                    User-agent: c\nDisallow: /3\n";
        let cases: [Case<'_>; 7] = [
            (body, "a", "/1", false, 3),
            (body, "b", "/2", false, 4),
            (body, "a", "/3", true, 0),
            (body, "c", "/3", false, 6),
            (body, "c", "/1", true, 0),
            (body, "d", "/1", true, 0),
            (body, "d", "/3", true, 0),
        ];
        assert_cases(R, &cases);
    }

    #[test]
    fn a_final_group_without_rules_allows_everything() {
        let body = "User-agent: *\nDisallow: /\n\nUser-agent: a\n";
        assert_cases(R, &[(body, "a", "/", true, 0), (body, "b", "/", false, 2)]);
        assert!(is_named(R, body, b"a"));
    }
}

mod s2_2_formal_syntax {
    use super::*;

    /// Returns true if a line after `user-agent: *` disallows everything.
    fn disallows(line: &[u8]) -> bool {
        !allowed([b"user-agent: *\n", line].concat(), "a", "/x")
    }

    #[test]
    fn robotstxt_is_any_number_of_groups_and_empty_lines() {
        for body in ["", "\n", "\r\n\r\n", " \t\n# c\n"] {
            assert!(allowed(body, "a", "/"), "{body:?}");
        }
        for body in [
            "user-agent: a\ndisallow: /\nuser-agent: b\ndisallow: /b\n",
            "\n# c\nuser-agent: a\ndisallow: /\n\n\nuser-agent: b\ndisallow: /b",
        ] {
            assert!(!allowed(body, "a", "/"), "{body:?}");
            assert!(
                allowed(body, "b", "/") && !allowed(body, "b", "/b"),
                "{body:?}"
            );
        }
    }

    #[test]
    fn group_may_contain_empty_lines_anywhere() {
        let body = "user-agent: a\n\n# c\nuser-agent: b\n\n\ndisallow: /1\n \ndisallow: /2\n";
        let cases: [Case<'_>; 4] = [
            (body, "a", "/1", false, 7),
            (body, "a", "/2", false, 9),
            (body, "b", "/2", false, 9),
            (body, "c", "/2", true, 0),
        ];
        assert_cases(R, &cases);
    }

    #[test]
    fn startgroupline_requires_its_key_and_a_colon() {
        let rows = [
            ("user-agent: a", true),
            ("USER-AGENT: a", true),
            ("User-Agent:a", true),
            (" \tuser-agent \t: \ta \t", true),
            ("user-agent: a # c", true),
            ("user-agent a", false),
            ("useragent: a", false),
            ("user agent: a", false),
            ("user-agents: a", false),
            ("x-user-agent: a", false),
            ("user-agent", false),
            ("user-agent; a", false),
        ];
        for (line, expected) in rows {
            assert_eq!(
                is_named(R, format!("{line}\ndisallow: /\n"), b"a"),
                expected,
                "{line}"
            );
        }
    }

    #[test]
    fn rule_requires_its_key_and_a_colon() {
        for line in [
            &b"disallow: /"[..],
            b"DisAllow: /",
            b"disallow:/",
            b" \tdisallow \t: \t/ \t",
            b"disallow: / # c",
            b"disallow: /#c",
        ] {
            assert!(disallows(line), "{}", String::from_utf8_lossy(line));
        }
        for line in [
            &b"disallow /"[..],
            b"disallow",
            b"disallow= /",
            b"disalow: /",
            b"dissallow: /",
            b"disallowed: /",
            b"dis allow: /",
            b": /",
            b"# disallow: /",
        ] {
            assert!(!disallows(line), "{}", String::from_utf8_lossy(line));
        }
        let allow = "user-agent: *\ndisallow: /\nALLOW : /a\nallows: /b\nallow /c\n";
        assert!(allowed(allow, "a", "/a"));
        assert!(!allowed(allow, "a", "/b") && !allowed(allow, "a", "/c"));
    }

    #[test]
    fn product_token_is_an_identifier_or_a_star() {
        for (value, is_wildcard) in [
            ("*", true),
            (" * ", true),
            ("**", false),
            ("*a", false),
            ("* a", false),
            ("a*", false),
            ("", false),
        ] {
            let body = format!("user-agent: {value}\ndisallow: /\n");
            assert_eq!(allowed(body, "b", "/"), !is_wildcard, "{value:?}");
        }
    }

    #[test]
    fn identifier_consists_of_letters_hyphens_and_underscores() {
        for octet in (0u8..=255).filter(|octet| !matches!(octet, b'\n' | b'\r')) {
            let name = [b'a', octet, b'b'];
            let body = [&b"user-agent: "[..], &name, b"\ndisallow: /\n"].concat();
            let expected = octet.is_ascii_alphabetic() || octet == b'-' || octet == b'_';
            assert_eq!(is_named(R, body, &name), expected, "{octet:#04x}");
        }
    }

    #[test]
    fn path_pattern_begins_with_a_slash() {
        for value in ["*", "*/", "$", "x", "http://h/", "%2F", "\\", "?"] {
            assert!(
                !disallows(format!("disallow: {value}").as_bytes()),
                "{value}"
            );
            let body = format!("user-agent: *\ndisallow: /\nallow: {value}\n");
            assert!(!allowed(body, "a", "/x"), "{value}");
        }
    }

    #[test]
    fn a_path_that_does_not_begin_with_a_slash_is_an_anomaly() {
        let cases = [
            ("*", "leading_wildcard"),
            ("*/x", "leading_wildcard"),
            ("*.pdf$", "leading_wildcard"),
            ("**", "leading_wildcard"),
            ("$", "path_without_slash"),
            ("x", "path_without_slash"),
            ("?x=1", "path_without_slash"),
            ("%2Fx", "path_without_slash"),
            ("%2A", "path_without_slash"),
            ("\\", "path_without_slash"),
            ("http://h/", "full_url_path"),
            // Valid features of a path.
            ("/*", ""),
            ("/x*", ""),
            ("/*/x*.pdf$", ""),
        ];
        for (value, expected) in cases {
            for key in ["allow", "disallow"] {
                let body = format!("user-agent: *\n{key}: {value}\n");
                let mut parser = robots::Parser::new();
                let robots = parser.parse(body.as_bytes());
                let codes = robots.anomalies().iter().map(|line| line.kind.code());
                assert_eq!(codes.collect::<Vec<_>>().join(" "), expected, "{value}");
            }
        }
    }

    #[test]
    fn empty_pattern_has_no_effect() {
        for value in ["", " ", "\t", " # c"] {
            let body = format!(
                "user-agent: *\ndisallow: /x\n\nuser-agent: a\ndisallow:{value}\n\
                 \nuser-agent: b\ndisallow: /\nallow:{value}\n"
            );
            assert!(allowed(&body, "a", "/x"), "{value:?}");
            assert!(!allowed(&body, "b", "/x"), "{value:?}");
        }
    }

    #[test]
    fn comment_begins_at_any_number_sign() {
        let body = "#user-agent: a # x\nuser-agent: a#b\ndisallow: /c#d\ndisallow: /e ##\n";
        let cases: [Case<'_>; 4] = [
            (body, "a", "/c", false, 3),
            (body, "a", "/cx", false, 3),
            (body, "a", "/e", false, 4),
            (body, "a", "/", true, 0),
        ];
        assert_cases(R, &cases);
    }

    #[test]
    fn nl_is_only_cr_lf_or_crlf() {
        for end in ["\r", "\n", "\r\n", "\n\r", "\r\r"] {
            let body = format!("user-agent: a{end}disallow: /x{end}disallow: /y");
            assert!(
                !allowed(&body, "a", "/x") && !allowed(&body, "a", "/y"),
                "{end:?}"
            );
        }
        for end in [&b"\x0b"[..], b"\x0c", b"\xc2\x85", b"\xe2\x80\xa8"] {
            let body = [b"user-agent: a\ndisallow: /x", end, b"disallow: /y"].concat();
            assert!(allowed(body, "a", "/y"), "{end:?}");
        }
    }

    #[test]
    fn ws_is_only_space_and_tab() {
        for blank in [&b"\x0b"[..], b"\x0c", b"\xc2\xa0", b"\xe3\x80\x80"] {
            assert!(!disallows(&[blank, b"disallow: /"].concat()), "{blank:?}");
            assert!(
                !disallows(&[b"disallow", blank, b": /"].concat()),
                "{blank:?}"
            );
            assert!(
                !disallows(&[b"disallow: ", blank, b"/"].concat()),
                "{blank:?}"
            );
            let agent = [b"user-agent: a", blank, b"\ndisallow: /\n"].concat();
            assert!(!is_named(R, agent, b"a"), "{blank:?}");
        }
    }

    #[test]
    fn our_choice_a_byte_order_mark_is_dropped_and_an_incomplete_one_is_kept() {
        let body = b"User-agent: *\nDisallow: /";
        assert!(!allowed([b"\xef\xbb\xbf", &body[..]].concat(), "a", "/"));
        for part in [&b"\xef"[..], b"\xef\xbb", b"\xef ", b"\xef\xbb\t"] {
            // The key is `\xefUser-agent`, so the file has no group.
            assert!(allowed([part, body].concat(), "a", "/"), "{part:?}");
            // The first line is not a rule, and the group of the next line applies.
            let rule = [part, b"Disallow: /\nUser-agent: *\nDisallow: /x"].concat();
            assert!(!allowed(rule, "a", "/x"), "{part:?}");
            // `\xefUseragent` is as long as `User-agent`.
            let typo = [part, b"Useragent: *\nDisallow: /"].concat();
            assert!(allowed(typo, "a", "/"), "{part:?}");
            // If the first line is not a directive, the mark has no effect.
            let comment = [part, b"# c\nUser-agent: *\nDisallow: /"].concat();
            assert!(!allowed(comment, "a", "/"), "{part:?}");
        }
    }

    #[test]
    fn utf8_char_noctl_is_accepted_at_the_bounds_of_its_ranges() {
        let mut characters = vec!['!', '"', '%', '\'', '+', '\u{7e}', '\u{7f}'];
        // The first and last characters of UTF8-2, UTF8-3 (around the surrogates)
        // and UTF8-4.
        characters.extend(['\u{80}', '\u{7ff}', '\u{800}', '\u{fff}', '\u{1000}']);
        characters.extend([
            '\u{d7ff}',
            '\u{e000}',
            '\u{ffff}',
            '\u{10000}',
            '\u{10ffff}',
        ]);
        for character in characters {
            let rule = format!("/{character}x");
            let written = if character.is_ascii() {
                rule.clone()
            } else {
                let octets = character.to_string().into_bytes();
                let hex = octets.iter().map(|octet| format!("%{octet:02X}"));
                format!("/{}x", hex.collect::<String>())
            };
            assert!(is_match(&rule, &written), "{character:?}");
            assert!(is_match(&rule, &rule), "{character:?}");
            assert!(!is_match(&rule, "/x"), "{character:?}");
        }
    }

    #[test]
    fn leniency_octets_excluded_by_the_grammar_are_compared() {
        // The note for implementors in the grammar recommends leniency.
        assert!(is_match("/a b", "/a%20b") && is_match("/a\tb", "/a%09b"));
        assert!(is_match(b"/\xe9", "/%E9") && is_match(b"/\xc3(", "/%C3("));
        assert!(is_match(b"/a\x01", b"/a\x01b") && !is_match(b"/a\x01", "/a"));
        // WS at the ends of a path is not part of it, but a form feed is.
        assert!(is_match("/a \t", "/ab") && !is_match("/a\x0c", "/ab"));
    }
}

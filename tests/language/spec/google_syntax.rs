//! The dialect `google` according to Google's parser: `google-semantics.md` from
//! bytes to values and reports (§1 to §4, §8), with a case for each statement.
//!
//! `tests/language/google.rs` compares thousands of other cases with the answers of that
//! parser.

use super::{UNLIMITED, access, is_match};
use robots::{AnomalyKind, Dialect, DirectiveKind, Parser};

const G: Dialect = Dialect::Google;

#[track_caller]
fn allowed(body: impl AsRef<[u8]>, agent: &str, path: impl AsRef<[u8]>) -> bool {
    access(G, body, agent, path).0
}

/// Returns the lines with a directive: number, key and parsed value.
fn read(body: impl AsRef<[u8]>) -> Vec<(u32, DirectiveKind, Vec<u8>)> {
    let mut parser = Parser::new();
    let robots = parser.parse_with(body.as_ref(), UNLIMITED);
    let lines = robots.directives().iter();
    lines
        .map(|line| (line.line_no, line.kind, robots.text(line.value).to_vec()))
        .collect()
}

/// Returns key and value of the only line with a directive.
fn only(line: impl AsRef<[u8]>) -> Option<(DirectiveKind, String)> {
    let mut lines = read(line);
    assert!(lines.len() <= 1);
    let (_, key, value) = lines.pop()?;
    Some((key, String::from_utf8(value).unwrap()))
}

fn n_lines(body: &[u8]) -> u32 {
    Parser::new().parse(body).summary().n_lines
}

/// Returns true if the body has this anomaly.
fn has(body: impl AsRef<[u8]>, anomaly: AnomalyKind) -> bool {
    let mut parser = Parser::new();
    let robots = parser.parse(body.as_ref());
    robots.anomalies().iter().any(|line| line.kind == anomaly)
}

mod s1_from_bytes_to_lines {
    use super::*;

    #[test]
    fn s1_1_complete_and_incomplete_byte_order_marks_are_dropped() {
        for mark in [&b"\xef\xbb\xbf"[..], b"\xef\xbb", b"\xef"] {
            let body = [mark, b"user-agent: a\ndisallow: /\n"].concat();
            assert!(!allowed(body, "a", "/"), "{mark:?}");
        }
        let key = |body: &[u8]| read(body)[0].1;
        assert_eq!(key(b"\xef\xbbuser-agent: a"), DirectiveKind::UserAgent);
        assert_eq!(
            key(b"\xef\xbb\xef\xbb\xbfuser-agent: a"),
            DirectiveKind::Other
        );
        assert_eq!(
            key(b"\xef\xbb\xbf\xef\xbb\xbfuser-agent: a"),
            DirectiveKind::Other
        );
        assert_eq!(key(b"\xefxuser-agent: a"), DirectiveKind::Other);
        assert_eq!(key(b"\xbb\xbfuser-agent: a"), DirectiveKind::Other);
        assert_eq!(key(b"\n\xef\xbb\xbfuser-agent: a"), DirectiveKind::Other);
    }

    #[test]
    fn s1_1_a_byte_order_mark_inside_the_file_is_kept_and_reported() {
        for body in [
            &b"user-agent: a\ndisallow: /\n\xef\xbb\xbfuser-agent: *\ndisallow: /x\n"[..],
            b"\n \xef\xbb\xbf# comment\r\n",
            b"\xef\xbb\xbf\xef\xbb\xbfuser-agent: a",
        ] {
            assert!(has(body, AnomalyKind::BomInside), "{body:?}");
        }
        for body in [
            &b"\xef\xbb\xbfuser-agent: a\ndisallow: /\n"[..],
            b"\n\xef\xbbuser-agent: a",
            b"user-agent: a\xef\xbb\xbf\ndisallow: /\xef\xbb\xbf\n",
        ] {
            assert!(!has(body, AnomalyKind::BomInside), "{body:?}");
        }
    }

    #[test]
    fn s1_2_only_cr_lf_and_crlf_end_a_line() {
        for (body, lines) in [
            (&b"a\nb\rc\r\nd"[..], 4),
            (b"a\r\r\nb", 3),
            (b"\n\r", 3),
            (b"\r\n", 2),
            (b"\r\n\n", 3),
            (b"a\x0bb\x0cc\xc2\x85d\xe2\x80\xa8e", 1),
        ] {
            assert_eq!(n_lines(body), lines, "{body:?}");
        }
        let body = "allow: /1\r\rallow: /3\r\nallow: /4\n\rallow: /6";
        let numbers: Vec<u32> = read(body).iter().map(|line| line.0).collect();
        assert_eq!(numbers, [1, 3, 4, 6]);
    }

    #[test]
    fn s1_3_the_text_after_the_last_line_end_is_a_line_even_if_empty() {
        assert_eq!(
            [
                n_lines(b""),
                n_lines(b"a"),
                n_lines(b"a\n"),
                n_lines(b"a\nb\n")
            ],
            [1, 1, 2, 3]
        );
        assert!(!allowed("user-agent: a\ndisallow: /", "a", "/"));
    }

    #[test]
    fn s1_4_a_line_is_truncated_to_16663_bytes() {
        let line = |len: usize| {
            let key = "disallow: /";
            format!("{key}{}", "a".repeat(len - key.len()))
        };
        for (len, kept) in [
            (16_662, 16_662),
            (16_663, 16_663),
            (16_664, 16_663),
            (20_000, 16_663),
        ] {
            let value = &read(line(len))[0].2;
            assert_eq!(value.len(), kept - "disallow: ".len(), "{len}");
            assert_eq!(
                has(line(len), AnomalyKind::OverlongLine),
                len > 16_663,
                "{len}"
            );
            // The byte order mark is not counted, and the next line is complete.
            let body = format!("\u{feff}{}\nallow: /b", line(len));
            let lines = read(&body);
            assert_eq!(lines[0].2.len(), kept - "disallow: ".len(), "{len}");
            assert_eq!(lines[1], (2, DirectiveKind::Allow, b"/b".to_vec()));
        }
        // The line may be truncated within an escape or a comment.
        let escape = format!("disallow: /{}%c3%a9", "a".repeat(16_663 - 13));
        assert!(read(escape)[0].2.ends_with(b"a%c"));
        let comment = format!("disallow: /x #{}", "c".repeat(17_000));
        assert_eq!(only(comment), Some((DirectiveKind::Disallow, "/x".into())));
    }

    #[test]
    fn s1_5_the_library_has_no_limit_on_the_size_of_a_file() {
        let body = format!("#{}\nallow: /x", "c".repeat(2_000_000));
        assert_eq!(only(&body), Some((DirectiveKind::Allow, "/x".into())));
        let mut parser = Parser::new();
        assert!(parser.parse_with(body.as_bytes(), UNLIMITED).directives()[0].counts);
    }

    #[test]
    fn s1_6_a_nul_ends_the_content_of_its_line() {
        assert_eq!(
            only("disallow: /a\0b"),
            Some((DirectiveKind::Disallow, "/a".into()))
        );
        assert_eq!(only("disallow\0: /a"), None);
        assert_eq!(only("\0disallow: /a"), None);
        assert_eq!(read("disallow: /a\0\nallow: /b").len(), 2);
        let mut parser = Parser::new();
        assert_eq!(parser.parse(b"\0x\n").summary().n_blank_lines, 2);
        // A line that contains only a NUL is not empty when CR and LF are paired:
        // the LF ends another line.
        assert_eq!(n_lines(b"\r\0\n"), 3);
    }
}

mod s2_from_a_line_to_key_and_value {
    use super::*;

    #[test]
    fn s2_1_a_comment_begins_at_the_first_number_sign() {
        assert_eq!(
            only("disallow: /a#b"),
            Some((DirectiveKind::Disallow, "/a".into()))
        );
        assert_eq!(
            only("disallow: #/a"),
            Some((DirectiveKind::Disallow, String::new()))
        );
        assert_eq!(
            only("disallow: /a\\#b"),
            Some((DirectiveKind::Disallow, "/a\\".into()))
        );
        assert_eq!(
            only("sitemap: http://h/s#f"),
            Some((DirectiveKind::Sitemap, "http://h/s".into()))
        );
        assert_eq!(only("dis#allow: /a"), None);
    }

    #[test]
    fn s2_2_only_ascii_white_space_is_trimmed() {
        for blank in [" ", "\t", "\x0b", "\x0c", " \t\x0b\x0c"] {
            let line = format!("{blank}disallow{blank}:{blank}/a{blank}");
            assert_eq!(
                only(&line),
                Some((DirectiveKind::Disallow, "/a".into())),
                "{blank:?}"
            );
        }
        for blank in ["\u{a0}", "\u{3000}"] {
            assert_eq!(
                only(format!("{blank}disallow: /a")).unwrap().0,
                DirectiveKind::Other
            );
            assert_ne!(only(format!("disallow: /a{blank}")).unwrap().1, "/a");
        }
        let mut parser = Parser::new();
        let figures = *parser.parse(b" \x0b\n # c\n#\n").summary();
        assert_eq!((figures.n_blank_lines, figures.n_comment_lines), (2, 2));
    }

    #[test]
    fn s2_3_the_first_colon_separates_key_and_value() {
        assert_eq!(
            only("disallow:/a:b"),
            Some((DirectiveKind::Disallow, "/a:b".into()))
        );
        assert_eq!(
            only("disallow::/a"),
            Some((DirectiveKind::Disallow, ":/a".into()))
        );
        assert_eq!(
            only("disallow x: /a"),
            Some((DirectiveKind::Disallow, "/a".into()))
        );
    }

    #[test]
    fn s2_4_white_space_between_two_words_replaces_a_missing_colon() {
        for (line, expected) in [
            ("disallow /x", Some((DirectiveKind::Disallow, "/x"))),
            (
                "user-agent  \t Foo",
                Some((DirectiveKind::UserAgent, "Foo")),
            ),
            ("noindex /a", Some((DirectiveKind::Other, "/a"))),
            (
                "disallow /x # a comment",
                Some((DirectiveKind::Disallow, "/x")),
            ),
            ("user-agent Foo Bar", None),
            ("User Agent Foo", None),
            ("disallow\x0b/x", None),
            ("disallow\x0c/x", None),
        ] {
            let expected = expected.map(|(key, value)| (key, value.to_owned()));
            assert_eq!(only(line), expected, "{line:?}");
            assert_eq!(
                has(line, AnomalyKind::MissingColon),
                expected.is_some(),
                "{line:?}"
            );
        }
    }

    #[test]
    fn s2_5_a_later_colon_takes_precedence_over_white_space() {
        for (line, key, value) in [
            ("Disallow /foo:bar", DirectiveKind::Disallow, "bar"),
            (
                "Sitemap http://x/s.xml",
                DirectiveKind::Sitemap,
                "//x/s.xml",
            ),
            ("Disallow http://x/", DirectiveKind::Disallow, "//x/"),
        ] {
            assert_eq!(only(line), Some((key, value.into())), "{line}");
        }
    }

    #[test]
    fn s2_6_a_line_with_an_empty_key_or_a_single_word_is_dropped() {
        for line in [": foo", " : foo", "disallow", "disallow ", "  #"] {
            assert_eq!(only(line), None, "{line:?}");
        }
        assert_eq!(
            only("disallow:"),
            Some((DirectiveKind::Disallow, String::new()))
        );
    }
}

mod s3_key_recognition {
    use super::*;

    #[test]
    fn each_row_of_the_table_of_keys_holds() {
        let table: [(DirectiveKind, &[&str], &[&str]); 4] = [
            (
                DirectiveKind::UserAgent,
                &["user-agent"],
                &["useragent", "user agent"],
            ),
            (DirectiveKind::Allow, &["allow"], &[]),
            (
                DirectiveKind::Disallow,
                &["disallow"],
                &["dissallow", "dissalow", "disalow", "diasllow", "disallaw"],
            ),
            (DirectiveKind::Sitemap, &["sitemap"], &["site-map"]),
        ];
        for (key, right, typos) in table {
            for (prefixes, is_typo) in [(right, false), (typos, true)] {
                for prefix in prefixes {
                    for name in [
                        prefix.to_string(),
                        prefix.to_uppercase(),
                        format!("{prefix}s"),
                    ] {
                        let line = format!("{name}: x");
                        assert_eq!(only(&line), Some((key, "x".into())), "{line}");
                        assert_eq!(
                            has(&line, AnomalyKind::TypoAcceptedByGoogle),
                            is_typo,
                            "{line}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn keys_are_recognized_by_their_prefix() {
        for (line, key) in [
            ("User-agents: x", DirectiveKind::UserAgent),
            ("Disallowed: x", DirectiveKind::Disallow),
            ("Allowance: x", DirectiveKind::Allow),
            ("Sitemaps: x", DirectiveKind::Sitemap),
            ("Sitemap-index: x", DirectiveKind::Sitemap),
            ("Disallow\u{a0}: x", DirectiveKind::Disallow),
        ] {
            assert_eq!(only(line), Some((key, "x".into())), "{line}");
            assert!(!has(line, AnomalyKind::TypoAcceptedByGoogle), "{line}");
        }
    }

    #[test]
    fn other_keys_have_no_effect() {
        for key in [
            "noindex",
            "crawl-delay",
            "host",
            "desallow",
            "alow",
            "user_agent",
            "xallow",
        ] {
            assert_eq!(
                only(format!("{key}: /")),
                Some((DirectiveKind::Other, "/".into())),
                "{key}"
            );
            assert!(
                allowed(format!("user-agent: *\n{key}: /\n"), "a", "/"),
                "{key}"
            );
        }
    }
}

mod s4_value_handling {
    use super::*;

    #[test]
    fn values_of_user_agent_and_sitemap_are_not_escaped() {
        assert_eq!(
            only("sitemap: http://h/\u{e9}%c3"),
            Some((DirectiveKind::Sitemap, "http://h/\u{e9}%c3".into()))
        );
        assert_eq!(
            only("user-agent: \u{e9}%c3"),
            Some((DirectiveKind::UserAgent, "\u{e9}%c3".into()))
        );
    }

    #[test]
    fn paths_are_escaped_and_never_decoded() {
        for (written, escaped) in [
            ("/%c3%a9", "/%C3%A9"),
            ("/\u{e9}", "/%C3%A9"),
            ("/%7E~", "/%7E~"),
            ("/%61", "/%61"),
            ("/%2f%2a%24", "/%2F%2A%24"),
            ("/%", "/%"),
            ("/%a", "/%a"),
            ("/%zz", "/%zz"),
            ("/%%c3", "/%%C3"),
            ("/a b", "/a b"),
        ] {
            let line = format!("disallow: {written}");
            assert_eq!(
                only(line),
                Some((DirectiveKind::Disallow, escaped.into())),
                "{written}"
            );
        }
        assert_eq!(read(b"disallow: /\xe9\xff")[0].2, b"/%E9%FF");
        for (rule, path) in [
            ("/%7E", "/~"),
            ("/%61", "/a"),
            ("/%2F", "//"),
            ("/%2A", "/*"),
            ("/%24", "/$"),
        ] {
            assert!(!is_match(G, rule, path), "{rule}");
            assert!(is_match(G, rule, rule), "{rule}");
        }
    }

    #[test]
    fn priorities_count_escaped_octets() {
        let body = "user-agent: *\nallow: /\u{e9}\ndisallow: /*****\n";
        assert!(allowed(body, "a", "/%C3%A9"));
        let longer = "user-agent: *\nallow: /\u{e9}\ndisallow: /*******\n";
        assert!(!allowed(longer, "a", "/%C3%A9"));
    }
}

mod s8_reporting {
    use super::*;

    #[test]
    fn each_line_is_counted_once() {
        let body =
            b"\n# c\nuser-agent: a # c\ndisallow: /\nallow: /x\nsitemap: s\nfoo: bar\nlone\n";
        let mut parser = Parser::new();
        let summary = *parser.parse(body).summary();
        assert_eq!(
            (
                summary.n_lines,
                summary.n_blank_lines,
                summary.n_comment_lines,
                summary.n_directives
            ),
            (9, 2, 1, 1)
        );
        assert_eq!(
            (
                summary.n_user_agents,
                summary.n_disallow,
                summary.n_allow,
                summary.n_sitemaps
            ),
            (1, 1, 1, 1)
        );
    }

    #[test]
    fn known_unused_keys_are_reported_as_unsupported() {
        for key in [
            "clean-param",
            "content-signal",
            "content-usage",
            "crawl-delay",
            "domain",
            "host",
            "noarchive",
            "nofollow",
            "noindex",
            "request-rate",
            "revisit-after",
            "visit-time",
        ] {
            for key in [key.to_owned(), key.to_uppercase()] {
                assert!(
                    has(format!("{key}: x"), AnomalyKind::UnsupportedDirective),
                    "{key}"
                );
            }
            assert!(
                !has(format!("{key}x: x"), AnomalyKind::UnsupportedDirective),
                "{key}"
            );
        }
        assert!(!has("foo: x", AnomalyKind::UnsupportedDirective));
    }
}

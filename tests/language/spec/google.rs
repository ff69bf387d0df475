//! The dialect `google` according to Google's page "How Google interprets the
//! robots.txt specification": one module per heading, and every row of every
//! table.

use super::{Case, assert_cases, is_named};
use robots::{
    AnomalyKind, ContentClass, Dialect, DirectiveKind, HttpStatus, ParseOptions, Parser, Policy,
    StatusEffect,
};

const G: Dialect = Dialect::Google;

#[track_caller]
fn allowed(body: impl AsRef<[u8]>, agent: &str, path: impl AsRef<[u8]>) -> bool {
    super::access(G, body, agent, path).0
}

mod what_a_robots_txt_is {
    use super::*;

    #[test]
    fn the_first_example_is_evaluated_as_documented() {
        let body = "# All stay out of includes.\nUser-agent: *\nDisallow: /includes/\n\n\
                    User-agent: Googlebot\nAllow: /includes/\n\nSitemap: https://example.com/sitemap.xml\n";
        let cases: [Case<'_>; 4] = [
            (body, "Googlebot", "/includes/a.css", true, 6),
            (body, "Otherbot", "/includes/a.css", false, 3),
            (body, "Otherbot", "/", true, 0),
            (body, "Googlebot", "/", true, 0),
        ];
        assert_cases(G, &cases);
    }
}

mod file_location {
    use urls::{UrlColumns, parse_url};

    fn columns(url: &str) -> UrlColumns<'static> {
        UrlColumns::new(parse_url(url.as_bytes()).unwrap())
    }

    /// The scheme, host and port for which a robots.txt is valid.
    fn origin(url: &str) -> (String, String, Option<u16>) {
        let parsed = parse_url(url.as_bytes()).unwrap();
        let (scheme, port) = (parsed.scheme().to_owned(), parsed.port());
        let host = UrlColumns::new(parsed).host.unwrap();
        (scheme, host.name.clone(), port)
    }

    /// The URL of a robots.txt, URLs for which it is valid, and URLs for which it
    /// is not.
    type Row<'a> = (&'a str, &'a [&'a str], &'a [&'a str]);

    const TABLE: [Row<'_>; 7] = [
        (
            "https://example.com/robots.txt",
            &["https://example.com/", "https://example.com/folder/file"],
            &[
                "https://other.example.com/",
                "http://example.com/",
                "https://example.com:8181/",
            ],
        ),
        (
            "https://www.example.com/robots.txt",
            &["https://www.example.com/"],
            &[
                "https://example.com/",
                "https://shop.www.example.com/",
                "https://www.shop.example.com/",
            ],
        ),
        (
            "https://www.ex\u{e4}mple.com/robots.txt",
            &[
                "https://www.ex\u{e4}mple.com/",
                "https://www.xn--exmple-cua.com/",
            ],
            &["https://www.example.com/"],
        ),
        (
            "ftp://example.com/robots.txt",
            &["ftp://example.com/"],
            &["https://example.com/"],
        ),
        (
            "https://212.96.82.21/robots.txt",
            &["https://212.96.82.21/"],
            &["https://example.com/"],
        ),
        (
            "https://example.com:443/robots.txt",
            &["https://example.com:443/", "https://example.com/"],
            &["https://example.com:444/"],
        ),
        (
            "https://example.com:8181/robots.txt",
            &["https://example.com:8181/"],
            &["https://example.com/"],
        ),
    ];

    #[test]
    fn each_row_of_the_table_of_robots_txt_urls_holds() {
        for (robots, valid, not_valid) in TABLE {
            assert!(columns(robots).is_robots_path, "{robots}");
            for url in valid {
                assert_eq!(origin(robots), origin(url), "{robots} {url}");
            }
            for url in not_valid {
                assert_ne!(origin(robots), origin(url), "{robots} {url}");
            }
        }
        let folder = columns("https://example.com/folder/robots.txt");
        assert!(!folder.is_robots_path);
    }

    #[test]
    fn departure_a_robots_txt_of_an_idn_with_www_is_not_valid_without_www() {
        // This row lists the punycode without `www`. The rows around it distinguish
        // the two hosts.
        let robots = origin("https://www.ex\u{e4}mple.com/robots.txt");
        assert_ne!(robots, origin("https://xn--exmple-cua.com/"));
    }

    #[test]
    fn default_ports_depend_on_the_scheme() {
        for (with, without) in [
            ("http://h.example:80/", "http://h.example/"),
            ("https://h.example:443/", "https://h.example/"),
            ("ftp://h.example:21/", "ftp://h.example/"),
        ] {
            assert_eq!(origin(with), origin(without), "{with}");
        }
        assert_ne!(origin("http://h.example:443/"), origin("http://h.example/"));
    }

    #[test]
    fn the_url_of_robots_txt_is_case_sensitive() {
        assert!(!columns("https://example.com/ROBOTS.txt").is_robots_path);
        assert!(!columns("https://example.com/Robots.txt").is_robots_path);
    }
}

mod errors_and_http_status_codes {
    use super::*;

    #[test]
    fn each_status_has_the_documented_effect() {
        for code in (0..=999).map(Some).chain([None]) {
            let effect = |has_location| HttpStatus { code, has_location }.effect_google();
            let (with, without) = match code {
                Some(200..=299) => (StatusEffect::Parse, StatusEffect::Parse),
                Some(304) => (StatusEffect::Defer, StatusEffect::Defer),
                Some(300..=399) => (StatusEffect::Follow, StatusEffect::Defer),
                Some(429) => (StatusEffect::DisallowAll, StatusEffect::DisallowAll),
                Some(400..=499) => (StatusEffect::AllowAll, StatusEffect::AllowAll),
                // 5xx, and other errors, such as invalid responses.
                _ => (StatusEffect::DisallowAll, StatusEffect::DisallowAll),
            };
            assert_eq!((effect(true), effect(false)), (with, without), "{code:?}");
        }
    }
}

mod file_format {
    use super::*;

    #[test]
    fn lines_end_with_cr_crlf_or_lf() {
        for end in ["\r", "\n", "\r\n"] {
            let body = ["user-agent: a", "disallow: /x", "", "disallow: /y"].join(end);
            assert!(
                !allowed(&body, "a", "/x") && !allowed(&body, "a", "/y"),
                "{end:?}"
            );
        }
    }

    #[test]
    fn a_bom_and_invalid_lines_are_ignored_and_valid_lines_are_used() {
        let body = "\u{feff}user-agent: a\nWelcome!\n<p>\ndisallow: /x\n???\n";
        assert_cases(G, &[(body, "a", "/x", false, 4), (body, "a", "/", true, 0)]);
    }

    #[test]
    fn an_html_body_is_searched_for_rules() {
        let body =
            "<!DOCTYPE html>\n<html><body><pre>\nuser-agent: a\ndisallow: /x\n</pre></html>\n";
        assert_cases(G, &[(body, "a", "/x", false, 4), (body, "a", "/", true, 0)]);
        let mut parser = Parser::new();
        let figures = *parser.parse(body.as_bytes()).summary();
        assert_eq!(figures.content, ContentClass::Html);
    }

    #[test]
    fn departure_octets_that_are_not_utf8_are_kept() {
        // The page states that Google may ignore them. Its parser does not.
        let body = b"user-agent: a\ndisallow: /\xe9\ndisallow: /y\n";
        assert!(!allowed(body, "a", "/%E9") && allowed(body, "a", "/%C3%A9"));
        assert!(!allowed(body, "a", "/y") && allowed(body, "a", "/"));
    }

    #[test]
    fn content_beyond_500_kibibytes_is_ignored() {
        let rule = "\ndisallow: /x";
        for (end, is_obeyed) in [(512_000, true), (512_001, false), (700_000, false)] {
            let mut body = String::from("user-agent: a\n#");
            body.push_str(&"c".repeat(end - body.len() - rule.len()));
            body.push_str(rule);
            assert_eq!(body.len(), end);
            assert_eq!(!allowed(&body, "a", "/x"), is_obeyed, "{end}");
            let mut parser = Parser::new();
            let robots = parser.parse_with(body.as_bytes(), super::super::UNLIMITED);
            let policy = Policy::new(G, &robots, b"a");
            assert!(!policy.access(b"http://h/x").is_allowed, "{end}");
        }
    }

    #[test]
    fn a_rule_truncated_by_the_limit_does_not_become_broader() {
        let body = "user-agent: a\ndisallow: /xyz\n";
        let mut parser = Parser::new();
        for limit in 14..28 {
            let reading = ParseOptions {
                body_limit: Some(limit),
                is_truncated: false,
            };
            let robots = parser.parse_with(body.as_bytes(), reading);
            let policy = Policy::new(G, &robots, b"a");
            assert!(policy.access(b"http://h/xyz").is_allowed, "{limit}");
        }
    }
}

mod syntax {
    use super::*;

    /// Returns key and value of a line as Google's parser reads them.
    fn read(line: &str) -> Option<(DirectiveKind, String)> {
        let mut parser = Parser::new();
        let robots = parser.parse(line.as_bytes());
        let directive = robots.directives().first()?;
        let value = String::from_utf8(robots.text(directive.value).to_vec()).unwrap();
        Some((directive.kind, value))
    }

    #[test]
    fn a_line_has_a_field_a_colon_a_value_and_an_optional_comment() {
        for line in [
            "disallow:/a",
            "disallow: /a",
            "  disallow : /a  ",
            "\tdisallow\t:\t/a\t",
            "disallow:/a#comment",
            "disallow: /a # comment # more",
        ] {
            assert_eq!(
                read(line),
                Some((DirectiveKind::Disallow, "/a".into())),
                "{line:?}"
            );
        }
        assert_eq!(read("# disallow: /a"), None);
    }

    #[test]
    fn four_fields_are_supported_in_any_case() {
        for (field, key) in [
            ("user-agent", DirectiveKind::UserAgent),
            ("allow", DirectiveKind::Allow),
            ("disallow", DirectiveKind::Disallow),
            ("sitemap", DirectiveKind::Sitemap),
            ("crawl-delay", DirectiveKind::Other),
        ] {
            for field in [field.to_owned(), field.to_uppercase()] {
                assert_eq!(
                    read(&format!("{field}: x")),
                    Some((key, "x".into())),
                    "{field}"
                );
            }
        }
        assert!(allowed("user-agent: a\ncrawl-delay: 9999\n", "a", "/"));
    }

    #[test]
    fn user_agent_values_ignore_case_and_paths_are_case_sensitive() {
        let body = "user-agent: FOObot\ndisallow: /Fish\nsitemap: https://Example.com/S.xml\n";
        assert!(!allowed(body, "fooBOT", "/Fish") && allowed(body, "fooBOT", "/fish"));
        assert_eq!(
            read("sitemap: https://Example.com/S.xml"),
            Some((DirectiveKind::Sitemap, "https://Example.com/S.xml".into()))
        );
    }

    #[test]
    fn a_rule_without_a_path_is_ignored() {
        let body = "user-agent: *\ndisallow: /x\n\nuser-agent: a\nallow:\ndisallow:\n\
                    \nuser-agent: b\ndisallow: /\nallow:\n";
        assert!(allowed(body, "a", "/x") && is_named(G, body, b"a"));
        assert!(!allowed(body, "b", "/x"));
    }

    #[test]
    fn a_path_begins_with_a_slash() {
        let body = "user-agent: a\ndisallow: x\ndisallow: http://h/x\nallow: x\n";
        assert_cases(G, &[(body, "a", "/x", true, 0)]);
    }

    #[test]
    fn several_sitemaps_are_allowed_anywhere_and_belong_to_no_group() {
        let body = "user-agent: otherbot\ndisallow: /kale\n\nsitemap: https://example.com/sitemap.xml\n\
                    sitemap: https://cdn.example.org/other-sitemap.xml\n\
                    sitemap: https://ja.example.org/\u{30c6}\u{30b9}\u{30c8}.xml\n";
        let mut parser = Parser::new();
        let robots = parser.parse(body.as_bytes());
        let values: Vec<&str> = robots
            .directives()
            .iter()
            .filter(|line| line.kind == DirectiveKind::Sitemap)
            .map(|line| std::str::from_utf8(robots.text(line.value)).unwrap())
            .collect();
        let expected = [
            "https://example.com/sitemap.xml",
            "https://cdn.example.org/other-sitemap.xml",
            "https://ja.example.org/\u{30c6}\u{30b9}\u{30c8}.xml",
        ];
        assert_eq!(values, expected);
        assert!(
            robots
                .anomalies()
                .iter()
                .all(|line| line.kind != AnomalyKind::UnencodedNonAscii)
        );
        assert!(!allowed(body, "otherbot", "/kale") && allowed(body, "a", "/kale"));
    }
}

mod grouping_of_lines_and_rules {
    use super::*;

    #[test]
    fn the_example_of_four_groups_is_evaluated_as_documented() {
        let body = "user-agent: a\ndisallow: /c\n\nuser-agent: b\ndisallow: /d\n\n\
                    user-agent: e\nuser-agent: f\ndisallow: /g\n\nuser-agent: h\n";
        let cases: [Case<'_>; 9] = [
            (body, "a", "/c", false, 2),
            (body, "a", "/d", true, 0),
            (body, "b", "/d", false, 5),
            (body, "b", "/g", true, 0),
            (body, "e", "/g", false, 9),
            (body, "f", "/g", false, 9),
            (body, "f", "/c", true, 0),
            (body, "h", "/c", true, 0),
            (body, "h", "/g", true, 0),
        ];
        assert_cases(G, &cases);
        assert!(is_named(G, body, b"h"));
    }

    #[test]
    fn only_user_agent_allow_and_disallow_lines_delimit_groups() {
        let body = "user-agent: a\nsitemap: https://example.com/sitemap.xml\n\nuser-agent: b\ndisallow: /\n";
        assert_cases(G, &[(body, "a", "/", false, 5), (body, "b", "/", false, 5)]);
        let other = "user-agent: a\ncrawl-delay: 2\nfoo: bar\n\nuser-agent: b\nallow: /x\n\
                     disallow: /\n";
        assert!(!allowed(other, "a", "/") && allowed(other, "a", "/x"));
    }
}

mod order_of_precedence_for_user_agents {
    use super::*;

    /// Each group disallows a different path.
    const BODY: &str = "user-agent: googlebot-news\ndisallow: /1\n\nuser-agent: *\ndisallow: /2\n\
                        \nuser-agent: googlebot\ndisallow: /3\n";

    fn groups(agent: &str) -> Vec<u32> {
        (1..=3)
            .filter(|group| !allowed(BODY, agent, format!("/{group}")))
            .collect()
    }

    #[test]
    fn each_row_of_the_table_of_groups_holds() {
        for (agent, group) in [
            ("Googlebot-News", 1),
            ("Googlebot", 3),
            ("Storebot-Google", 2),
            // The crawler of news when it crawls images, and other crawlers, for the
            // web and for news.
            ("googlebot-news", 1),
            ("Otherbot", 2),
            ("Otherbot-News", 2),
        ] {
            assert_eq!(groups(agent), [group], "{agent}");
        }
    }

    #[test]
    fn names_compared_whole_select_the_same_groups() {
        let mut parser = Parser::new();
        let robots = parser.parse(BODY.as_bytes());
        for (name, group) in [
            (&b"googlebot-news"[..], 1),
            (b"googlebot", 3),
            (b"storebot-google", 2),
            (b"otherbot", 2),
        ] {
            let policy = Policy::from_whole_names(&robots, &[name], false);
            for other in 1..=3 {
                let access = policy.access(format!("http://h/{other}").as_bytes());
                assert_eq!(access.is_allowed, other != group, "{name:?} {other}");
            }
        }
    }

    #[test]
    fn non_matching_text_of_a_user_agent_value_is_ignored() {
        for value in ["googlebot/1.2", "googlebot*", "Googlebot"] {
            let body = format!("user-agent: {value}\ndisallow: /\n");
            assert!(is_named(G, &body, b"googlebot"), "{value}");
            let mut parser = Parser::new();
            let robots = parser.parse(body.as_bytes());
            let policy = Policy::from_whole_names(&robots, &[b"googlebot"], false);
            assert!(policy.is_named(), "{value}");
        }
    }

    #[test]
    fn the_order_of_groups_is_irrelevant() {
        let groups = [
            "user-agent: a\ndisallow: /1\n",
            "user-agent: *\ndisallow: /2\n",
            "user-agent: a-b\ndisallow: /3\n",
        ];
        for order in [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ] {
            let body = order.map(|i| groups[i]).concat();
            for (agent, path) in [("a", "/1"), ("c", "/2"), ("a-b", "/3")] {
                for other in ["/1", "/2", "/3"] {
                    assert_eq!(
                        allowed(&body, agent, other),
                        other != path,
                        "{body:?} {agent}"
                    );
                }
            }
        }
    }

    #[test]
    fn groups_of_the_same_agent_are_merged_but_not_with_the_wildcard_group() {
        let body = "user-agent: googlebot-news\ndisallow: /fish\n\nuser-agent: *\n\
                    disallow: /carrots\n\nuser-agent: googlebot-news\ndisallow: /shrimp\n";
        let cases: [Case<'_>; 6] = [
            (body, "googlebot-news", "/fish", false, 2),
            (body, "googlebot-news", "/shrimp", false, 8),
            (body, "googlebot-news", "/carrots", true, 0),
            (body, "otherbot", "/carrots", false, 5),
            (body, "otherbot", "/fish", true, 0),
            (body, "otherbot", "/shrimp", true, 0),
        ];
        assert_cases(G, &cases);
    }
}

mod url_matching_based_on_path_values {
    use super::*;

    const FISH: [&str; 6] = [
        "/fish",
        "/fish.html",
        "/fish/salmon.html",
        "/fishheads",
        "/fishheads/yummy.html",
        "/fish.php?id=anything",
    ];
    const NO_FISH: [&str; 4] = ["/Fish.asp", "/catfish", "/?id=fish", "/desert/fish"];

    /// A rule, paths that it matches, and paths that it does not match.
    type Row<'a> = (&'a str, &'a [&'a str], &'a [&'a str]);

    const TABLE: [Row<'_>; 9] = [
        ("/", &["/", "/x", "/x/y?z"], &[]),
        ("/*", &["/", "/x", "/x/y?z"], &[]),
        ("/$", &["/"], &["/x", "/?x", "//"]),
        ("/fish", &FISH, &NO_FISH),
        ("/fish*", &FISH, &NO_FISH),
        (
            "/fish/",
            &["/fish/", "/fish/?id=anything", "/fish/salmon.htm"],
            &["/fish", "/fish.html", "/animals/fish/", "/Fish/Salmon.asp"],
        ),
        (
            "/*.php",
            &[
                "/index.php",
                "/filename.php",
                "/folder/filename.php",
                "/folder/filename.php?parameters",
                "/folder/any.php.file.html",
                "/filename.php/",
            ],
            &["/", "/windows.PHP"],
        ),
        (
            "/*.php$",
            &["/filename.php", "/folder/filename.php"],
            &[
                "/filename.php?parameters",
                "/filename.php/",
                "/filename.php5",
                "/windows.PHP",
            ],
        ),
        (
            "/fish*.php",
            &["/fish.php", "/fishheads/catfish.php?parameters"],
            &["/Fish.PHP"],
        ),
    ];

    #[test]
    fn each_row_of_the_table_of_paths_holds() {
        for (rule, matches, matches_not) in TABLE {
            for (paths, expected) in [(matches, true), (matches_not, false)] {
                for path in paths {
                    assert_eq!(
                        super::super::is_match(G, rule, path),
                        expected,
                        "{rule} {path}"
                    );
                    // The RFC has the same special characters.
                    let rfc = Dialect::Rfc9309;
                    assert_eq!(
                        super::super::is_match(rfc, rule, path),
                        expected,
                        "{rule} {path}"
                    );
                }
            }
        }
    }

    #[test]
    fn non_ascii_octets_of_a_rule_may_be_encoded_or_not() {
        for rule in ["/\u{e9}", "/%C3%A9", "/%c3%a9"] {
            assert!(super::super::is_match(G, rule, "/%C3%A9"), "{rule}");
        }
    }
}

mod order_of_precedence_for_rules {
    use super::*;

    #[test]
    fn each_row_of_the_table_of_rules_holds() {
        // Path, allow, disallow, and the line of the rule that applies.
        for (path, allow, disallow, line_no) in [
            ("/page", "/p", "/", 2),
            ("/folder/page", "/folder", "/folder", 2),
            ("/page.htm", "/page", "/*.htm", 3),
            ("/page.php5", "/page", "/*.ph", 2),
            ("/", "/$", "/", 2),
            ("/page.htm", "/$", "/", 3),
        ] {
            let body = format!("user-agent: *\nallow: {allow}\ndisallow: {disallow}\n");
            for dialect in [G, Dialect::Rfc9309] {
                assert_eq!(
                    super::super::access(dialect, &body, "a", path),
                    (line_no == 2, line_no),
                    "{body:?} {path}"
                );
            }
        }
    }
}

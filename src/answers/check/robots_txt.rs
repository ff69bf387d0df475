//! Checks the bytes of a robots.txt.

use super::MAX_FILE_BYTES;
use super::numbered_text::NumberedText;
use super::parsed_file::ParsedFile;
use super::report::CheckReport;
use crate::error::AnswerErrorKind;
use crawlers::{CrawlerRegistry, DialectChoice};
use errors::Error;
use robots::{Dialect, ParseOptions, StatusEffect};
use std::io::stdin;
use std::path::Path;

/// The crawlers and URLs to check a robots.txt for.
#[derive(Clone, Copy, Debug)]
pub struct CheckRequest<'a> {
    pub registry: &'a CrawlerRegistry,
    /// The names of the crawlers to check for.
    pub agents: &'a [String],
    /// The dialect by which rules are read.
    pub dialect: DialectChoice,
    /// The URLs and paths to check for.
    pub urls: &'a [String],
    /// The time of the fetch in milliseconds since 1970. It selects the vocabulary by which preferences
    /// are read; `None` selects the latest one.
    pub fetch_time: Option<i64>,
}

/// Reads the bytes of a robots.txt from a file, or from standard input if `path` is `None`.
///
/// # Errors
///
/// [`ErrorKind::Read`](errors::ErrorKind::Read), also for more than 64 MiB; [`AnswerErrorKind::TooManyLines`].
pub fn read_robots_txt(path: Option<&Path>) -> Result<Vec<u8>, Error> {
    let (bytes, place) = match path {
        Some(path) => (disk::read_user_file(path, MAX_FILE_BYTES), path),
        None => {
            let bytes = disk::read_limited(&mut stdin().lock(), MAX_FILE_BYTES);
            (bytes, Path::new("standard input"))
        }
    };
    let bytes = bytes.map_err(|error| Error::read(place, error))?;
    if robots::has_too_many_lines(&bytes) {
        Err(Error::new(AnswerErrorKind::TooManyLines, place))
    } else {
        Ok(bytes)
    }
}

/// Parses a robots.txt, and returns the results for each crawler and URL.
pub fn check(body: &[u8], options: ParseOptions, request: &CheckRequest<'_>) -> CheckReport {
    let file = ParsedFile::new(body, options);
    let lines: Vec<&[u8]> = robots::Lines::new(body, 0).map(|line| line.bytes).collect();
    let line_text = |line_no: u32| {
        let line = lines.get((line_no as usize).checked_sub(1)?)?;
        Some(String::from_utf8_lossy(line).trim().to_owned())
    };
    let effects = Dialect::ALL.map(|dialect| (dialect, StatusEffect::Parse));
    CheckReport {
        host: None,
        agents: file.agent_reports(request, effects, &line_text),
        anomalies: Some(file.anomalies().to_vec()),
        text: Some(NumberedText::from_file(body)),
        dialect: request.dialect,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::AgentReport;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int32Type;
    use robots::{Basis, Verdict};
    use tables::{Table, rows_from_body};

    fn check_agent(body: &str, agent: &str, dialect: DialectChoice) -> AgentReport {
        check_body(body, agent, dialect).agents.remove(0)
    }

    fn check_body(body: &str, agent: &str, dialect: DialectChoice) -> CheckReport {
        check(
            body.as_bytes(),
            ParseOptions::default(),
            &CheckRequest {
                registry: &CrawlerRegistry::built_in(),
                agents: &[agent.to_owned()],
                dialect,
                urls: &["http://h/x".to_owned()],
                fetch_time: None,
            },
        )
    }

    #[test]
    fn the_verdict_of_a_dialect_agrees_with_its_url_results() {
        let versioned = check_agent(
            "User-agent: GPTBot\nDisallow: /\n",
            "GPTBot/1.0",
            DialectChoice::Dialect(Dialect::Koster1996),
        );
        assert_eq!(versioned.urls[0].is_allowed, Some(false));
        let koster = (Dialect::Koster1996, Verdict::DisallowAll);
        assert!(versioned.by_dialect.contains(&koster));
        let rfc = DialectChoice::Dialect(Dialect::Rfc9309);
        let misspelt = check_agent("User-agent: *\nDisalow: /\n", "a", rfc);
        let rfc = (Dialect::Rfc9309, Verdict::AllowAll);
        assert!(misspelt.by_dialect.contains(&rfc));
    }

    #[test]
    fn the_registry_only_affects_the_default_dialect() {
        let body = "User-agent: Googlebot\nDisallow: /\n\nUser-agent: *\nDisallow: /y\n";
        let news = check_agent(body, "Googlebot-News", DialectChoice::Default);
        assert_eq!(news.urls[0].is_allowed, Some(false));
        assert_eq!(
            (news.verdict.verdict, news.by_dialect[0].1),
            (Verdict::DisallowAll, Verdict::Partial)
        );
        let news = check_agent(
            body,
            "Googlebot-News",
            DialectChoice::Dialect(Dialect::Google),
        );
        assert_eq!(news.urls[0].is_allowed, Some(true));
        let ads = check_agent(
            "User-agent: *\nDisallow: /\n",
            "AdsBot-Google",
            DialectChoice::Default,
        );
        assert_eq!(ads.urls[0].is_allowed, Some(true));
        assert_eq!(
            (ads.verdict.verdict, ads.verdict.basis),
            (Verdict::AllowAll, Basis::NoGroup)
        );
    }

    #[test]
    fn the_name_whose_groups_decide_is_reported() {
        let body = "User-agent: Googlebot\nDisallow: /\n\nUser-agent: *\nDisallow: /y\n";
        for (agent, basis, name) in [
            ("Googlebot", Basis::Explicit, Some("googlebot")),
            ("Googlebot-Image", Basis::Explicit, Some("googlebot")),
            ("GPTBot", Basis::Wildcard, None),
            ("*", Basis::Wildcard, None),
            ("AdsBot-Google", Basis::NoGroup, None),
        ] {
            let verdict = check_agent(body, agent, DialectChoice::Default).verdict;
            let found = (verdict.basis, verdict.decided_by.as_deref());
            assert_eq!(found, (basis, name), "{agent}");
        }
    }

    #[test]
    fn anomalies_of_values_and_lines_are_those_of_the_table() {
        let body = "Disallow: /a\nSitemap: /s.xml\nUser-agent: *\nDisalow: /b\n\
                    Content-Signal: ai-train=maybe\nContent-Signal: ai-train=yes\n\
                    Content-Signal: ai-train=no\nSitemap: s.xml\n";
        let found = check_body(body, "a", DialectChoice::Default)
            .anomalies
            .unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|found| (found.line_no, &*found.code, found.changes_verdict))
            .collect();
        let expected = [
            (Some(1), "rule_before_agent", Some(false)),
            (Some(2), "relative_sitemap", Some(false)),
            (Some(4), "typo_accepted_by_google", Some(true)),
            (Some(5), "unsupported_directive", Some(false)),
            (Some(5), "bad_signal_value", Some(false)),
            (Some(6), "unsupported_directive", Some(false)),
            (Some(7), "unsupported_directive", Some(false)),
            (Some(7), "signal_contradiction", Some(false)),
            (Some(8), "relative_sitemap", Some(false)),
        ];
        assert_eq!(found, expected);
        let options = ParseOptions::default();
        let table = rows_from_body(body.as_bytes(), options, Table::ANOMALIES).unwrap();
        let column = |name| table.column_by_name(name).unwrap();
        let lines = column("line_no").as_primitive::<Int32Type>().iter();
        let codes = column("code").as_string::<i32>().iter();
        let changes = column("changes_verdict").as_boolean().iter();
        let rows = lines.zip(codes).zip(changes);
        let rows = rows.map(|((line_no, code), changes)| {
            (
                line_no.map(|line_no| line_no as u32),
                code.unwrap(),
                changes,
            )
        });
        assert_eq!(rows.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_url_result_has_the_line_and_the_group_of_the_rule() {
        let body = "User-agent: a\nUser-agent: MJ12bot\nDisallow /x\n";
        let report = check_body(body, "mj12bot", DialectChoice::Default);
        let url = &report.agents[0].urls[0];
        assert_eq!(
            (url.line_no, url.line.as_deref(), url.group_line_no),
            (Some(3), Some("Disallow /x"), Some(1))
        );
        let anomalies = report.anomalies.unwrap();
        let codes: Vec<&str> = anomalies.iter().map(|anomaly| &*anomaly.code).collect();
        assert_eq!(codes, ["invalid_token_chars", "missing_colon"]);
        assert_eq!(anomalies[1].changes_verdict, Some(true));
    }
}

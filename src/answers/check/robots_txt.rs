//! Checks the bytes of a robots.txt.

use super::MAX_FILE_BYTES;
use super::report::{
    AgentReport, CategoryPreference, CheckReport, CrawlerVerdicts, DecidingRule, ReportedAnomaly,
    UrlResult,
};
use crate::error::AnswerErrorKind;
use capture::Capture;
use capture::analysis::{Analyzer, CaptureAnalysis};
use crawlers::CrawlerRegistry;
use crawlers::{CategoryChoice, Crawler, CrawlerPolicy, DialectChoice};
use errors::Error;
use robots::{
    AgentVerdict, Basis, Dialect, Mechanism, ParseOptions, Policy, RobotsTxt, SharedCategory,
    Verdict, Vocabulary,
};
use std::io::stdin;
use std::path::Path;
use warc::RecordLocation;

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

impl CheckRequest<'_> {
    /// Returns the crawlers, in the order of `agents`.
    pub(super) fn crawlers(&self) -> impl Iterator<Item = Crawler> {
        let registry = self.registry;
        self.agents
            .iter()
            .map(move |agent| Crawler::new(registry, agent))
    }
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

/// A function that returns the text of a line by its number; `None` if there is no such line.
pub(super) type LineTextLookup<'a> = dyn Fn(u32) -> Option<String> + 'a;

/// Parses a robots.txt, and returns the results for each crawler and URL.
pub fn check(body: &[u8], options: ParseOptions, request: &CheckRequest<'_>) -> CheckReport {
    let capture = Capture::from_body(body, options);
    let mut analyzer = Analyzer::default();
    let analysis = analyzer.analyze(0, RecordLocation::default(), &capture);
    let robots = analysis.robots.expect("a body without a capture is parsed");
    let lines: Vec<&[u8]> = robots::Lines::new(body, 0).map(|line| line.bytes).collect();
    let line_text = |line_no: u32| {
        let line = lines.get((line_no as usize).checked_sub(1)?)?;
        Some(String::from_utf8_lossy(line).trim().to_owned())
    };
    let agents = request.crawlers().map(|crawler| {
        build_agent_report(&robots, &analysis.verdicts, request, &crawler, &line_text)
    });
    CheckReport {
        agents: agents.collect(),
        anomalies: reported_anomalies(&analysis),
    }
}

/// Finds the anomalies of a body, as a scan does for the table `anomalies`. Anomalies of the URL and the
/// response are not found, because these are unknown.
pub(super) fn find_anomalies(body: &[u8], options: ParseOptions) -> Vec<ReportedAnomaly> {
    let capture = Capture::from_body(body, options);
    let mut analyzer = Analyzer::default();
    reported_anomalies(&analyzer.analyze(0, RecordLocation::default(), &capture))
}

fn reported_anomalies(analysis: &CaptureAnalysis<'_>) -> Vec<ReportedAnomaly> {
    let anomalies = analysis.anomalies();
    let anomalies = anomalies.map(|anomaly| {
        ReportedAnomaly::new(anomaly.line_no, anomaly.code, anomaly.changes_verdict)
    });
    anomalies.collect()
}

/// Returns the results for one crawler. `verdicts` are the verdicts for `*` and all names in the file, in
/// this order.
pub(super) fn build_agent_report(
    robots: &RobotsTxt<'_>,
    verdicts: &[AgentVerdict<'_>],
    request: &CheckRequest<'_>,
    crawler: &Crawler,
    line_text: &LineTextLookup<'_>,
) -> AgentReport {
    let policy = crawler.policy(request.dialect, robots);
    let urls = request.urls.iter().map(|url| {
        let access = policy.access(url.as_bytes());
        UrlResult {
            url: url.clone(),
            is_allowed: Some(access.is_allowed),
            rule: access.line_no.map(|line_no| DecidingRule {
                line_no,
                line: line_text(line_no),
                group_line_no: group_line_no(robots, line_no),
            }),
            preferences: find_preferences(&policy, url.as_bytes(), request.fetch_time),
        }
    });
    AgentReport {
        agent: crawler.agent().to_owned(),
        urls: urls.collect(),
        verdicts: compute_crawler_verdicts(robots, verdicts, crawler),
        lines: policy.lines(),
    }
}

/// Returns the preferences for a URL in the categories of each mechanism with statements, according to
/// the vocabularies at the time of the fetch.
fn find_preferences(
    policy: &CrawlerPolicy,
    url: &[u8],
    fetch_time: Option<i64>,
) -> Vec<CategoryPreference> {
    let vocabularies = [
        Vocabulary::content_usage(fetch_time),
        Vocabulary::content_signal(),
    ];
    let stated: Vec<&Vocabulary> = vocabularies
        .into_iter()
        .filter(|vocabulary| policy.has_statements(vocabulary.mechanism()))
        .collect();
    let shared = SharedCategory::ALL
        .into_iter()
        .filter(|_| !stated.is_empty());
    let shared = shared.map(|category| CategoryPreference {
        mechanism: Mechanism::Any,
        category: category.name(),
        preference: CategoryChoice::Shared(category).preference(policy, url, fetch_time),
    });
    let of_mechanisms = stated.iter().flat_map(|vocabulary| {
        let categories = vocabulary.categories().enumerate();
        categories.map(move |(index, category)| CategoryPreference {
            mechanism: vocabulary.mechanism(),
            category,
            preference: policy.preference(vocabulary, index, url),
        })
    });
    shared.chain(of_mechanisms).collect()
}

/// Returns the number of the first line of the group that a line belongs to.
fn group_line_no(robots: &RobotsTxt<'_>, line_no: u32) -> Option<u32> {
    let mut directives = robots.directives().iter();
    let directive = directives.find(|directive| directive.line_no == line_no)?;
    let group = directive.group_no()?;
    Some(robots.groups()[group as usize - 1].line_no)
}

/// Returns the default verdict for a crawler, which is selected from `verdicts`, and the verdict in each
/// dialect.
fn compute_crawler_verdicts(
    robots: &RobotsTxt<'_>,
    verdicts: &[AgentVerdict<'_>],
    crawler: &Crawler,
) -> CrawlerVerdicts {
    let names = verdicts.iter();
    let names = names.map(|verdict| (verdict.agent, verdict.basis));
    let by_dialect = Dialect::ALL.map(|dialect| {
        let policy = Policy::new(dialect, robots, crawler.agent().as_bytes());
        (dialect, policy.verdict())
    });
    match find_verdict_for(names, crawler).map(|i| &verdicts[i]) {
        Some(verdict) => CrawlerVerdicts {
            verdict: verdict.verdict,
            basis: verdict.basis,
            decided_by: (verdict.agent != b"*")
                .then(|| String::from_utf8_lossy(verdict.agent).into_owned()),
            evidence_line: verdict.evidence_line,
            by_dialect,
        },
        None => CrawlerVerdicts {
            verdict: Verdict::AllowAll,
            basis: Basis::NoGroup,
            decided_by: None,
            evidence_line: None,
            by_dialect,
        },
    }
}

/// Returns the index of the verdict that applies to a crawler; `None` if no group applies to the crawler.
/// `verdicts` are the name and the basis of each verdict of a file; the first one is that of `*`.
pub(super) fn find_verdict_for<'a>(
    verdicts: impl Iterator<Item = (&'a [u8], Basis)> + Clone,
    crawler: &Crawler,
) -> Option<usize> {
    let find_explicit = |name: &[u8]| {
        let mut candidates = verdicts.clone();
        candidates.position(|(agent, basis)| {
            agent == name && matches!(basis, Basis::Explicit | Basis::TooComplex)
        })
    };
    // The verdict of `*` has index 0.
    let wildcard_index = (!crawler.ignores_wildcard()).then_some(0);
    crawler.names().find_map(find_explicit).or(wildcard_index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int32Type;
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
        assert!(versioned.verdicts.by_dialect.contains(&koster));
        let rfc = DialectChoice::Dialect(Dialect::Rfc9309);
        let misspelt = check_agent("User-agent: *\nDisalow: /\n", "a", rfc).verdicts;
        let rfc = (Dialect::Rfc9309, Verdict::AllowAll);
        assert!(misspelt.by_dialect.contains(&rfc));
    }

    #[test]
    fn the_registry_only_affects_the_default_dialect() {
        let body = "User-agent: Googlebot\nDisallow: /\n\nUser-agent: *\nDisallow: /y\n";
        let news = check_agent(body, "Googlebot-News", DialectChoice::Default);
        assert_eq!(news.urls[0].is_allowed, Some(false));
        assert_eq!(
            (news.verdicts.verdict, news.verdicts.by_dialect[0].1),
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
            (ads.verdicts.verdict, ads.verdicts.basis),
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
            let verdicts = check_agent(body, agent, DialectChoice::Default).verdicts;
            let found = (verdicts.basis, verdicts.decided_by.as_deref());
            assert_eq!(found, (basis, name), "{agent}");
        }
    }

    #[test]
    fn anomalies_of_values_and_lines_are_those_of_the_table() {
        let body = "Disallow: /a\nSitemap: /s.xml\nUser-agent: *\nDisalow: /b\n\
                    Content-Signal: ai-train=maybe\nContent-Signal: ai-train=yes\n\
                    Content-Signal: ai-train=no\nSitemap: s.xml\n";
        let found = check_body(body, "a", DialectChoice::Default).anomalies;
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
        let rule = report.agents[0].urls[0].rule.as_ref().unwrap();
        assert_eq!(
            (rule.line_no, rule.line.as_deref(), rule.group_line_no),
            (3, Some("Disallow /x"), Some(1))
        );
        let codes: Vec<&str> = report
            .anomalies
            .iter()
            .map(|anomaly| &*anomaly.code)
            .collect();
        assert_eq!(codes, ["invalid_token_chars", "missing_colon"]);
        assert_eq!(report.anomalies[1].changes_verdict, Some(true));
    }
}

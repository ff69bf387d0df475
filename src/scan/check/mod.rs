//! What one robots.txt says to one crawler: answers, and what they rest on.
//! The robots.txt is a file, or the capture that speaks for a host.

mod archive;
mod host;
mod input_kind;

pub(crate) use archive::Temporary;
pub use host::{HostQuestion, HostReport, Seen, check_host};
pub use input_kind::Source;

use crate::crawler::registry::CrawlerRegistry;
use crate::crawler::{Crawler, DialectChoice};
use robots::{
    AgentVerdict, AnomalyKind, Basis, Dialect, Evaluator, ParseOptions, Parser, Policy, RobotsTxt,
    Severity, Verdict,
};

/// Who asks, how, and for what.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    /// What is known of crawlers.
    pub registry: &'a CrawlerRegistry,
    /// The names of the crawlers.
    pub agents: &'a [String],
    /// Whose reading.
    pub asked: DialectChoice,
    /// The URLs.
    pub urls: &'a [String],
}

/// The answer for a URL.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The URL, as asked.
    pub asked: String,
    /// Whether it may be fetched; `None` where that cannot be told.
    pub is_allowed: Option<bool>,
    /// The line that says so, if there is one.
    pub line_no: Option<u32>,
    /// That line, as it stands.
    pub line: Option<String>,
    /// The first line of the group it stands in.
    pub group_line_no: Option<u32>,
}

/// The verdicts for the crawler under each reading.
#[derive(Clone, Debug)]
pub struct Verdicts {
    /// By Google's rules, names compared whole, fallbacks by the registry.
    pub verdict: Verdict,
    /// What that rests on.
    pub basis: Basis,
    /// The line that shows it, if there is one.
    pub evidence_line: Option<u32>,
    /// By each dialect, in the order of [`Dialect::ALL`].
    pub by_dialect: [(Dialect, Verdict); 3],
}

impl Verdicts {
    /// The verdict by the reading that is asked for.
    pub fn of(&self, asked: DialectChoice) -> Verdict {
        let dialect = match asked {
            DialectChoice::Default => return self.verdict,
            DialectChoice::Dialect(dialect) => dialect,
        };
        let mut by_dialect = self.by_dialect.iter();
        let found = by_dialect.find(|(it, _)| *it == dialect);
        found.map_or(self.verdict, |(_, verdict)| *verdict)
    }
}

/// An anomaly of the file.
#[derive(Clone, Debug)]
pub struct Oddity {
    /// The number of the line, from 1, or `None` for the whole file.
    pub line_no: Option<u32>,
    /// The permanent code.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// What it means.
    pub about: String,
    /// True if strict reading of the line changes a verdict.
    pub changes_verdict: Option<bool>,
}

/// The report on a file.
#[derive(Clone, Debug)]
pub struct Report {
    /// The results for the crawlers, in the order of their names.
    pub agents: Vec<AgentReport>,
    /// The anomalies, in the order of lines.
    pub anomalies: Vec<Oddity>,
}

/// The results for one crawler.
#[derive(Clone, Debug)]
pub struct AgentReport {
    /// Its name, as given.
    pub agent: String,
    /// The verdicts.
    pub verdicts: Verdicts,
    /// The answers, in the order of the URLs.
    pub answers: Vec<Answer>,
}

impl Asking<'_> {
    /// Returns the crawlers, in the order of their names.
    fn crawlers(&self) -> impl Iterator<Item = Crawler> {
        let registry = self.registry;
        self.agents
            .iter()
            .map(move |agent| Crawler::new(registry, agent))
    }
}

/// Parses `body`, and returns the answers for each crawler and URL.
pub fn check(body: &[u8], reading: ParseOptions, asking: &Asking<'_>) -> Report {
    let mut parser = Parser::new();
    let robots = parser.parse_with(body, reading);
    let lines: Vec<&[u8]> = robots::Lines::new(body, 0).map(|line| line.bytes).collect();
    let line = |line_no: u32| {
        let line = lines.get((line_no as usize).checked_sub(1)?)?;
        Some(String::from_utf8_lossy(line).trim().to_owned())
    };
    let rows = Evaluator::new().verdicts(&robots);
    let agents = asking
        .crawlers()
        .map(|crawler| agent_report(&robots, &rows, asking, &crawler, &line));
    let agents = agents.collect();
    let changes = Evaluator::new().leniency_impacts(&robots, &rows);
    let oddity = |anomaly: AnomalyKind, line_no, changes_verdict| Oddity {
        line_no,
        code: anomaly.code().to_owned(),
        severity: anomaly.severity(),
        about: anomaly.about().to_owned(),
        changes_verdict,
    };
    let undecided = rows.iter().any(AgentVerdict::is_undecided);
    let anomalies = undecided
        .then(|| oddity(AnomalyKind::TooComplex, None, Some(false)))
        .into_iter()
        .chain(robots.anomalies().iter().map(|it| {
            let changes_verdict = robots::changes_verdict(&changes, it);
            oddity(it.kind, it.line_no, changes_verdict)
        }))
        .collect();
    Report { agents, anomalies }
}

/// Returns the results for one crawler, with the lines as `line` gives them;
/// `rows` are the verdicts of the file.
fn agent_report(
    robots: &RobotsTxt<'_>,
    rows: &[AgentVerdict<'_>],
    asking: &Asking<'_>,
    crawler: &Crawler,
    line: &dyn Fn(u32) -> Option<String>,
) -> AgentReport {
    let policy = crawler.policy(asking.asked, robots);
    let answers = asking.urls.iter().map(|url| {
        let access = policy.access(url.as_bytes());
        let directive = robots
            .directives()
            .iter()
            .find(|directive| Some(directive.line_no) == access.line_no);
        Answer {
            asked: url.clone(),
            is_allowed: Some(access.is_allowed),
            line_no: access.line_no,
            line: access.line_no.and_then(line),
            group_line_no: directive
                .and_then(|directive| directive.group_no())
                .map(|group_no| robots.groups()[group_no as usize - 1].line_no),
        }
    });
    let answers = answers.collect();

    let row = |name: &[u8]| rows.iter().find(|row| row.agent == name);
    let explicit = |name: &[u8]| {
        row(name).filter(|row| matches!(row.basis, Basis::Explicit | Basis::TooComplex))
    };
    let own = crawler.names().find_map(explicit);
    let (verdict, basis, evidence_line) = match own {
        Some(row) => (row.verdict, row.basis, row.evidence_line),
        None if crawler.ignores_wildcard() => (Verdict::AllowAll, Basis::NoGroup, None),
        None => (rows[0].verdict, rows[0].basis, rows[0].evidence_line),
    };
    let by_dialect = Dialect::ALL.map(|dialect| {
        let policy = Policy::new(dialect, robots, crawler.agent().as_bytes());
        (dialect, policy.verdict())
    });

    AgentReport {
        agent: crawler.agent().to_owned(),
        verdicts: Verdicts {
            verdict,
            basis,
            evidence_line,
            by_dialect,
        },
        answers,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(body: &str, agent: &str, asked: DialectChoice) -> AgentReport {
        full_report(body, agent, asked).agents.remove(0)
    }

    fn full_report(body: &str, agent: &str, asked: DialectChoice) -> Report {
        check(
            body.as_bytes(),
            ParseOptions::default(),
            &Asking {
                registry: &CrawlerRegistry::built_in(),
                agents: &[agent.to_owned()],
                asked,
                urls: &["http://h/x".to_owned()],
            },
        )
    }

    #[test]
    fn a_dialects_verdict_is_that_of_its_answers() {
        let versioned = report(
            "User-agent: GPTBot\nDisallow: /\n",
            "GPTBot/1.0",
            DialectChoice::Dialect(Dialect::Koster1996),
        );
        assert_eq!(versioned.answers[0].is_allowed, Some(false));
        assert_eq!(
            versioned
                .verdicts
                .of(DialectChoice::Dialect(Dialect::Koster1996)),
            Verdict::DisallowAll
        );
        let misspelt = "User-agent: *\nDisalow: /\n";
        let it = report(misspelt, "a", DialectChoice::Dialect(Dialect::Rfc9309));
        assert_eq!(
            it.verdicts.of(DialectChoice::Dialect(Dialect::Rfc9309)),
            Verdict::AllowAll
        );
        assert_eq!(it.verdicts.of(DialectChoice::Default), it.verdicts.verdict);
    }

    #[test]
    fn the_registry_shapes_only_the_default_reading() {
        let body = "User-agent: Googlebot\nDisallow: /\n\nUser-agent: *\nDisallow: /y\n";
        let news = report(body, "Googlebot-News", DialectChoice::Default);
        assert_eq!(news.answers[0].is_allowed, Some(false));
        assert_eq!(
            (news.verdicts.verdict, news.verdicts.by_dialect[0].1),
            (Verdict::DisallowAll, Verdict::Partial)
        );
        let news = report(
            body,
            "Googlebot-News",
            DialectChoice::Dialect(Dialect::Google),
        );
        assert_eq!(news.answers[0].is_allowed, Some(true));
        let ads = report(
            "User-agent: *\nDisallow: /\n",
            "AdsBot-Google",
            DialectChoice::Default,
        );
        assert_eq!(ads.answers[0].is_allowed, Some(true));
        assert_eq!(
            (ads.verdicts.verdict, ads.verdicts.basis),
            (Verdict::AllowAll, Basis::NoGroup)
        );
    }

    #[test]
    fn an_answer_says_its_line_and_group() {
        let body = "User-agent: a\nUser-agent: MJ12bot\nDisallow /x\n";
        let it = full_report(body, "mj12bot", DialectChoice::Default);
        let answer = &it.agents[0].answers[0];
        assert_eq!(
            (answer.line_no, answer.line.as_deref(), answer.group_line_no),
            (Some(3), Some("Disallow /x"), Some(1))
        );
        assert_eq!(
            it.anomalies
                .iter()
                .map(|it| it.code.as_str())
                .collect::<Vec<_>>(),
            ["invalid_token_chars", "missing_colon"]
        );
        assert_eq!(it.anomalies[1].changes_verdict, Some(true));
    }
}

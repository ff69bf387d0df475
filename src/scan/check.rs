//! What one robots.txt says to one crawler: answers, and what they rest on.

use crate::agents::Registry;
use crate::asked::{Asked, Crawler};
use robots::{Access, Basis, Dialect, Judge, Parser, Reading, Severity, Verdict};

/// The answer for a URL.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The URL, as asked.
    pub asked: String,
    /// Whether it may be fetched, and the line that says so.
    pub access: Access,
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
    /// The line that shows it, 0 for none.
    pub evidence_line: u32,
    /// By each dialect, in the order of [`Dialect::ALL`].
    pub by_dialect: [(Dialect, Verdict); 3],
}

/// An anomaly of the file.
#[derive(Clone, Debug)]
pub struct Oddity {
    /// The line, 0 for the whole file.
    pub line_no: u32,
    /// The permanent code.
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// What it means.
    pub about: &'static str,
    /// Whether a verdict hangs on it.
    pub changes_verdict: Option<bool>,
}

/// All that is said.
#[derive(Clone, Debug)]
pub struct Report {
    /// The verdicts.
    pub verdicts: Verdicts,
    /// The answers, in the order of the URLs.
    pub answers: Vec<Answer>,
    /// The anomalies, in the order of lines.
    pub anomalies: Vec<Oddity>,
}

/// Reads `body` for the crawler `agent` and answers for `urls`.
pub fn check(
    body: &[u8],
    reading: Reading,
    registry: &Registry,
    agent: &str,
    asked: Asked,
    urls: &[String],
) -> Report {
    let mut parser = Parser::new();
    let robots = parser.parse_with(body, reading);
    let judge = Judge::new().judge(&robots);
    let crawler = Crawler::new(registry, agent);
    let (_, access) = crawler.ask(asked, &robots);
    let lines: Vec<&[u8]> = robots::Lines::new(body, 0).map(|line| line.bytes).collect();
    let answers = urls.iter().map(|url| {
        let access = access(url.as_bytes());
        let at = (access.line_no as usize).checked_sub(1);
        let directive = robots
            .directives()
            .iter()
            .find(|it| it.line_no == access.line_no);
        Answer {
            asked: url.clone(),
            access,
            line: at
                .and_then(|at| lines.get(at))
                .map(|line| String::from_utf8_lossy(line).trim().to_owned()),
            group_line_no: directive
                .and_then(|it| it.group_no.checked_sub(1))
                .map(|at| robots.groups()[at as usize].line_no),
        }
    });
    let answers = answers.collect();

    let row = |name: &[u8]| judge.iter().find(|row| row.agent == name);
    let explicit = |name: &[u8]| {
        row(name).filter(|row| matches!(row.basis, Basis::Explicit | Basis::TooComplex))
    };
    let own = crawler.names().find_map(explicit);
    let (verdict, basis, evidence_line) = match own {
        Some(row) => (row.verdict, row.basis, row.evidence_line),
        None if crawler.ignores_wildcard() => (Verdict::AllowAll, Basis::NoGroup, 0),
        None => (judge[0].verdict, judge[0].basis, judge[0].evidence_line),
    };
    // A dialect takes the name as it stands; a file that does not hold it
    // says to it what it says to everybody.
    let literal = row(agent.to_ascii_lowercase().as_bytes()).unwrap_or(&judge[0]);
    let by_dialect = Dialect::ALL.map(|dialect| {
        let verdict = match dialect {
            Dialect::Google => literal.verdict_google,
            Dialect::Rfc9309 => literal.verdict_rfc9309,
            Dialect::Koster1996 => literal.verdict_koster1996,
        };
        (dialect, verdict)
    });

    let changes = Judge::new().changes(&robots, &judge);
    let anomalies = robots.findings().iter().map(|it| Oddity {
        line_no: it.line_no,
        code: it.anomaly.code(),
        severity: it.anomaly.severity(),
        about: it.anomaly.about(),
        changes_verdict: robots::changes_verdict(&changes, it),
    });
    Report {
        verdicts: Verdicts {
            verdict,
            basis,
            evidence_line,
            by_dialect,
        },
        answers,
        anomalies: anomalies.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(body: &str, agent: &str, asked: Asked) -> Report {
        check(
            body.as_bytes(),
            Reading::default(),
            &Registry::built_in(),
            agent,
            asked,
            &["http://h/x".to_owned()],
        )
    }

    #[test]
    fn the_registry_shapes_only_the_default_reading() {
        let body = "User-agent: Googlebot\nDisallow: /\n\nUser-agent: *\nDisallow: /y\n";
        let news = report(body, "Googlebot-News", Asked::Default);
        assert!(!news.answers[0].access.is_allowed);
        assert_eq!(
            (news.verdicts.verdict, news.verdicts.by_dialect[0].1),
            (Verdict::DisallowAll, Verdict::Partial)
        );
        let news = report(body, "Googlebot-News", Asked::Dialect(Dialect::Google));
        assert!(news.answers[0].access.is_allowed);
        let ads = report(
            "User-agent: *\nDisallow: /\n",
            "AdsBot-Google",
            Asked::Default,
        );
        assert!(ads.answers[0].access.is_allowed);
        assert_eq!(
            (ads.verdicts.verdict, ads.verdicts.basis),
            (Verdict::AllowAll, Basis::NoGroup)
        );
    }

    #[test]
    fn an_answer_says_its_line_and_group() {
        let body = "User-agent: a\nUser-agent: MJ12bot\nDisallow /x\n";
        let it = report(body, "mj12bot", Asked::Default);
        let answer = &it.answers[0];
        assert_eq!(
            (
                answer.access.line_no,
                answer.line.as_deref(),
                answer.group_line_no
            ),
            (3, Some("Disallow /x"), Some(1))
        );
        assert_eq!(
            it.anomalies.iter().map(|it| it.code).collect::<Vec<_>>(),
            ["invalid_token_chars", "missing_colon"]
        );
        assert_eq!(it.anomalies[1].changes_verdict, Some(true));
    }
}

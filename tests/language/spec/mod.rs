//! The specifications as tests: every rule that a dialect follows or deliberately
//! departs from, by section number.
//!
//! `docs/developers/specifications.md` lists these tests, and `page.rs` checks that it is
//! complete.

mod google;
mod google_semantics;
mod google_syntax;
mod koster1996;
mod page;
mod pitfalls;
mod rfc9309;
mod rfc9309_syntax;

use robots::{Dialect, Evaluator, ParseOptions, Parser, Policy, RobotsTxt, Verdict};

/// Parse options without a body limit.
pub(crate) const UNLIMITED: ParseOptions = ParseOptions {
    body_limit: None,
    is_truncated: false,
};

/// A case: file, agent, path, whether the path may be fetched, and the line that
/// decides it, or 0 if no line does.
pub(crate) type Case<'a> = (&'a str, &'a str, &'a str, bool, u32);

/// Returns whether a path may be fetched, and the line that decides it, or 0.
///
/// Asserts that the verdict for the whole file is consistent with the answer.
#[track_caller]
pub(crate) fn access(
    dialect: Dialect,
    body: impl AsRef<[u8]>,
    agent: &str,
    path: impl AsRef<[u8]>,
) -> (bool, u32) {
    let mut parser = Parser::new();
    let robots = parser.parse(body.as_ref());
    let url = [b"http://h", path.as_ref()].concat();
    let answer = Policy::new(dialect, &robots, agent.as_bytes()).access(&url);
    let shown = || {
        format!(
            "{} {agent} {} {:?}",
            dialect.name(),
            String::from_utf8_lossy(path.as_ref()),
            String::from_utf8_lossy(body.as_ref())
        )
    };
    match verdict(dialect, &robots, agent) {
        Verdict::AllowAll => assert!(answer.is_allowed, "{}", shown()),
        Verdict::DisallowAll if !is_robots_txt(path.as_ref()) => {
            assert!(!answer.is_allowed, "{}", shown());
        }
        _ => {}
    }
    (answer.is_allowed, answer.line_no.unwrap_or(0))
}

/// Returns true for the path of the robots.txt itself, which verdicts ignore.
fn is_robots_txt(path: &[u8]) -> bool {
    String::from_utf8_lossy(path).replace("%2E", ".") == "/robots.txt"
}

/// Returns the verdict of a dialect for a crawler: that of its own row, or else
/// that of the row for all crawlers.
pub(crate) fn verdict(dialect: Dialect, robots: &RobotsTxt<'_>, agent: &str) -> Verdict {
    // Koster's draft compares names without their version.
    let name = match dialect {
        Dialect::Koster1996 => agent.split('/').next().unwrap_or(agent),
        Dialect::Google | Dialect::Rfc9309 => agent,
    };
    let rows = Evaluator::new().verdicts(robots);
    let own = rows
        .iter()
        .find(|row| row.agent.eq_ignore_ascii_case(name.as_bytes()));
    let row = own.unwrap_or(&rows[0]);
    match dialect {
        Dialect::Google => row.verdict_google,
        Dialect::Rfc9309 => row.verdict_rfc9309,
        Dialect::Koster1996 => row.verdict_koster1996,
    }
}

/// Returns true if a file names a crawler.
pub(crate) fn is_named(dialect: Dialect, body: impl AsRef<[u8]>, agent: &[u8]) -> bool {
    let mut parser = Parser::new();
    let robots = parser.parse(body.as_ref());
    Policy::new(dialect, &robots, agent).is_named()
}

/// Returns true if a rule with this value matches a path.
#[track_caller]
pub(crate) fn is_match(dialect: Dialect, rule: impl AsRef<[u8]>, path: impl AsRef<[u8]>) -> bool {
    let body = [b"User-agent: *\nDisallow: ", rule.as_ref(), b"\n"].concat();
    !access(dialect, body, "ExampleBot", path).0
}

/// Asserts that a dialect gives the expected answers.
#[track_caller]
pub(crate) fn assert_cases(dialect: Dialect, cases: &[Case<'_>]) {
    for &(body, agent, path, is_allowed, line_no) in cases {
        assert_eq!(
            access(dialect, body, agent, path),
            (is_allowed, line_no),
            "{} {agent} {path} {body:?}",
            dialect.name()
        );
    }
}

//! The specifications as tests: every rule that a dialect obeys, or knowingly
//! departs from, under the number of its section.
//!
//! `docs/specifications.md` lists them; `page` keeps it true.

mod google;
mod google_semantics;
mod google_syntax;
mod koster1996;
mod page;
mod pitfalls;
mod rfc9309;
mod rfc9309_syntax;

use robots::{Dialect, Evaluator, ParseOptions, Parser, Policy, RobotsTxt, Verdict};

/// The reading of a dialect that has no body limit.
pub(crate) const UNLIMITED: ParseOptions = ParseOptions {
    body_limit: None,
    is_truncated: false,
};

/// A case: file, agent, path, whether it may be fetched, and the line that
/// says so, 0 for none.
pub(crate) type Case<'a> = (&'a str, &'a str, &'a str, bool, u32);

/// The answer for a path, and the line that gives it.
///
/// The verdict for the whole file must allow the answer.
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

/// Whether a path is that of the robots.txt, which verdicts leave out.
fn is_robots_txt(path: &[u8]) -> bool {
    String::from_utf8_lossy(path).replace("%2E", ".") == "/robots.txt"
}

/// What a dialect says to a crawler of this name: its own row, or that of
/// everybody.
pub(crate) fn verdict(dialect: Dialect, robots: &RobotsTxt<'_>, agent: &str) -> Verdict {
    // Koster's names are compared without their version.
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

/// Whether a file names a crawler.
pub(crate) fn is_named(dialect: Dialect, body: impl AsRef<[u8]>, agent: &[u8]) -> bool {
    let mut parser = Parser::new();
    let robots = parser.parse(body.as_ref());
    Policy::new(dialect, &robots, agent).is_named()
}

/// Whether a rule with this value matches a path.
#[track_caller]
pub(crate) fn is_match(dialect: Dialect, rule: impl AsRef<[u8]>, path: impl AsRef<[u8]>) -> bool {
    let body = [b"User-agent: *\nDisallow: ", rule.as_ref(), b"\n"].concat();
    !access(dialect, body, "ExampleBot", path).0
}

/// Holds a dialect to cases.
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

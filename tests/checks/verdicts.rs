//! Verdicts equal the result of a search of all paths.

use super::oracle::pattern::Symbol;
use super::oracle::policy::Policy as PolicyOracle;
use super::oracle::reach::{Reached, reach};
use super::rule_set::RuleSet;
use super::{WHOLE, shown};
use robots::{Dialect, Evaluator, Parser, Policy, Verdict};

/// The largest number of rules. The others are ignored.
const MAX_RULES: usize = 60;

/// The largest number of states that the search visits.
const MAX_STATES: usize = 600;

/// Checks the verdicts of the rules in `data`, which is in the language of `rule_set.rs`.
pub fn check(data: &[u8]) {
    let mut set = RuleSet::read(data);
    set.rules.truncate(MAX_RULES);
    let body = set.body();
    let mut parser = Parser::new();
    let robots = parser.parse_with(&body, WHOLE);
    let rows = Evaluator::new().verdicts(&robots);
    assert_eq!(rows.len(), 1, "{}", shown(&body));
    assert_eq!(rows[0].verdict, rows[0].verdict_google, "{}", shown(&body));
    for (dialect, verdict) in [
        (Dialect::Google, rows[0].verdict_google),
        (Dialect::Rfc9309, rows[0].verdict_rfc9309),
        (Dialect::Koster1996, rows[0].verdict_koster1996),
    ] {
        let oracle = PolicyOracle::new(dialect, &body, WHOLE, b"*");
        let reached = reach(&oracle, MAX_STATES);
        assert_verdict(verdict, &reached, || {
            format!("{} of {}", dialect.name(), shown(&body))
        });
        let policy = Policy::new(dialect, &robots, b"*");
        assert_eq!(policy.verdict(), verdict, "{}", shown(&body));
        assert_witnesses(&policy, dialect, &reached);
    }
}

/// Asserts that a verdict is that of all paths if the search is complete, and otherwise that no path
/// found contradicts it.
pub fn assert_verdict(verdict: Verdict, reached: &Reached, of: impl Fn() -> String) {
    match reached.verdict() {
        Some(expected) => assert_eq!(verdict, expected, "{}: {reached:?}", of()),
        None => {
            let denies = match verdict {
                Verdict::AllowAll => reached.disallowed.is_some(),
                Verdict::DisallowAll => reached.allowed.is_some(),
                Verdict::Partial | Verdict::Unknown => false,
            };
            assert!(!denies, "{verdict:?}, {}: {reached:?}", of());
        }
    }
}

/// Asserts that the example paths of the search get the expected answers, if a URL can have such a path.
fn assert_witnesses(policy: &Policy, dialect: Dialect, reached: &Reached) {
    for (path, is_allowed) in [(&reached.allowed, true), (&reached.disallowed, false)] {
        if let Some(url) = path.as_deref().and_then(|path| url(dialect, path)) {
            let access = policy.access(&url);
            assert_eq!(
                access.is_allowed,
                is_allowed,
                "{} {}: {access:?}",
                dialect.name(),
                shown(&url)
            );
        }
    }
}

/// Returns a URL with this path. No rule of the language contains a `z`.
fn url(dialect: Dialect, path: &[Symbol]) -> Option<Vec<u8>> {
    let mut url = b"http://h".to_vec();
    for symbol in path {
        match *symbol {
            Symbol::Other => url.push(b'z'),
            Symbol::Coded(byte) => url.extend(format!("%{byte:02X}").bytes()),
            Symbol::Plain(byte) if dialect == Dialect::Koster1996 && byte != b'/' => {
                url.extend(format!("%{byte:02x}").bytes());
            }
            // Elsewhere a symbol may combine with the following ones: `%`, `4`, `1`.
            Symbol::Plain(b'%') if dialect == Dialect::Rfc9309 => return None,
            Symbol::Plain(byte) => url.push(byte),
        }
    }
    Some(url)
}

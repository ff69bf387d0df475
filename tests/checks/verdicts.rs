//! Verdicts equal the result of a search of all paths.

use super::oracle::pattern::{Item, Pattern, Symbol};
use super::oracle::policy::{Policy as PolicyOracle, Rule};
use super::oracle::reach::{Reached, reach};
use super::rule_set::RuleSet;
use super::{WHOLE, shown};
use robots::{AgentVerdict, Dialect, Evaluator, Parser, Policy, Verdict};

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
    assert_evidence(&rows[0], &body);
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

/// Asserts that the evidence is a rule that decides a path for the verdict: one that allows if the verdict is
/// that all is allowed, and otherwise one that disallows. It is line 1 only if no rule decides such a path.
fn assert_evidence(row: &AgentVerdict<'_>, body: &[u8]) {
    let oracle = PolicyOracle::new(Dialect::Google, body, WHOLE, b"*");
    let is_allowed = row.verdict == Verdict::AllowAll;
    let decides = |rule: &Rule| {
        let patterns = rule.pattern.iter().chain(&rule.folder);
        // An empty rule decides nothing.
        let patterns = patterns.filter(|pattern| pattern.priority > 0);
        let paths = patterns.flat_map(own_paths);
        let mut urls = paths.filter_map(|path| url(Dialect::Google, &path));
        urls.any(|url| {
            url != b"http://h/robots.txt" && oracle.access(&url) == (is_allowed, rule.line_no)
        })
    };
    match row.evidence_line {
        _ if row.verdict == Verdict::Unknown => {}
        None => panic!("no line of {}", shown(body)),
        Some(1) => {
            let is_decided = oracle.rules.iter().any(decides);
            assert!(is_allowed && !is_decided, "{}", shown(body));
        }
        Some(line_no) => {
            let mut rules = oracle.rules.iter().filter(|rule| rule.line_no == line_no);
            assert!(rules.any(decides), "line {line_no} of {}", shown(body));
        }
    }
}

/// Returns the paths of a pattern in which each run is empty, or a symbol that no rule contains.
fn own_paths(pattern: &Pattern) -> Vec<Vec<Symbol>> {
    let mut paths = Vec::new();
    for run in [None, Some(Symbol::Other)] {
        let items = pattern.items.iter();
        let symbols = items.filter_map(|item| match *item {
            Item::One(symbol, _) => Some(symbol),
            Item::Run => run,
        });
        let end = (!pattern.is_anchored).then_some(Symbol::Other);
        let path: Vec<Symbol> = symbols.chain(end).collect();
        paths.push([&[Symbol::Plain(b'/')], &path[..]].concat());
        paths.push(path[path.len().min(1)..].to_vec());
        paths.push(path);
    }
    paths.retain(|path| path.first() == Some(&Symbol::Plain(b'/')));
    paths
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

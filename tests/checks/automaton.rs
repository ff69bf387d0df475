//! The compiled matcher answers as the slow one does, for small sets of rules
//! and for large ones.

use super::rule_set::RuleSet;
use super::twin::policy::Policy as Twin;
use super::{WHOLE, shown};
use robots::{Dialect, Parser, Policy};

/// More questions than it takes until rules are laid out for many questions.
const QUESTIONS: usize = 160;

/// Checks the rules and paths that `data` spells in the language of
/// `rule_set.rs`.
///
/// Every path is asked for twice, the second time in the other order and
/// after many questions: an answer does not depend on what was asked before.
pub fn check(data: &[u8]) {
    let mut set = RuleSet::read(data);
    let asked = (10_000 / (set.rules.len() + 1)).clamp(10, 48);
    set.ask_near_rules(asked);
    let body = set.body();
    let mut parser = Parser::new();
    let robots = parser.parse_with(&body, WHOLE);
    for dialect in Dialect::ALL {
        let policy = Policy::new(dialect, &robots, b"ExampleBot");
        let twin = Twin::new(dialect, &body, WHOLE, b"ExampleBot");
        let url = |path: &[u8]| [b"http://h", path].concat();
        let ask = |path: &Vec<u8>| {
            let access = policy.access(&url(path));
            (access.is_allowed, access.line_no.unwrap_or(0))
        };
        let answers: Vec<_> = set.paths.iter().map(ask).collect();
        for path in set.paths.iter().cycle().take(QUESTIONS) {
            ask(path);
        }
        for (path, answer) in set.paths.iter().zip(&answers).rev() {
            let expected = twin.access(&url(path));
            let again = ask(path);
            assert!(
                *answer == expected && again == expected,
                "{}: {answer:?}, then {again:?}, not {expected:?} for {} in {}",
                dialect.name(),
                shown(path),
                shown(&body)
            );
        }
    }
}

//! Compiled rules give the answers of the oracle, for small and for large sets of rules.

use super::oracle::policy::Policy as PolicyOracle;
use super::rule_set::RuleSet;
use super::{WHOLE, shown};
use robots::{Dialect, Parser, Policy};

/// More queries than it takes until rules are compiled into a tree.
const QUERIES: usize = 160;

/// Checks the rules and paths in `data`, which is in the language of `rule_set.rs`.
///
/// Every path is queried twice, the second time in reverse order and after many queries: an answer does
/// not depend on previous queries.
pub fn check(data: &[u8]) {
    let mut set = RuleSet::read(data);
    let max_paths = (10_000 / (set.rules.len() + 1)).clamp(10, 48);
    set.add_paths_near_rules(max_paths);
    let body = set.body();
    let mut parser = Parser::new();
    let robots = parser.parse_with(&body, WHOLE);
    for dialect in Dialect::ALL {
        let policy = Policy::new(dialect, &robots, b"ExampleBot");
        let oracle = PolicyOracle::new(dialect, &body, WHOLE, b"ExampleBot");
        let url = |path: &[u8]| [b"http://h", path].concat();
        let answer_of = |path: &Vec<u8>| {
            let access = policy.access(&url(path));
            (access.is_allowed, access.line_no.unwrap_or(0))
        };
        let answers: Vec<_> = set.paths.iter().map(answer_of).collect();
        for path in set.paths.iter().cycle().take(QUERIES) {
            answer_of(path);
        }
        for (path, answer) in set.paths.iter().zip(&answers).rev() {
            let expected = oracle.access(&url(path));
            let again = answer_of(path);
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

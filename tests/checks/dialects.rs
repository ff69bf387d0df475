//! Policies, verdicts and answers of any file agree with each other and with the oracle.

use super::oracle::pattern::path_of_url;
use super::oracle::policy::{Policy as PolicyOracle, google_token, is_star};
use super::oracle::reach::reach;
use super::oracle::{leniency, lines};
use super::verdicts::assert_verdict;
use super::{WHOLE, shown, some_reading};
use robots::{
    AgentVerdict, Basis, ContentClass, Dialect, DirectiveKind, Evaluator, ParseOptions, Parser,
    Policy, RobotsTxt, Verdict, anomaly_changes_verdict,
};

/// The largest number of names in a file that are checked, besides the given one.
const MAX_NAMES: usize = 6;

/// The largest number of states that the search of all paths visits.
const MAX_STATES: usize = 120;

/// Checks a file. The first line of `data` is the name of a crawler, the second a URL, and the rest is
/// the robots.txt.
pub fn check(data: &[u8]) {
    let mut parts = data.splitn(3, |&byte| byte == b'\n');
    let mut part = || parts.next().unwrap_or_default();
    let (agent, url, body) = (part(), part(), part());
    let mut parser = Parser::new();
    for reading in [WHOLE, some_reading(body)] {
        let robots = parser.parse_with(body, reading);
        let rows = Evaluator::new().verdicts(&robots);
        assert_rows(&robots, reading, &rows);
        assert_impacts(&robots, reading, &rows);
        for row in rows.iter().take(MAX_NAMES) {
            assert_crawler(&robots, reading, row.agent, url, Some(row));
        }
        let name = agent.to_ascii_lowercase();
        let is_token = google_token(agent).len() == agent.len() && agent.len() < 100;
        let is_unnamed = is_token && !agent.is_empty() && rows.iter().all(|row| row.agent != name);
        let row = rows.first().filter(|_| is_unnamed);
        assert_crawler(&robots, reading, agent, url, row);
    }
}

/// Checks a crawler in every dialect. `row` has its verdicts, if they are known.
fn assert_crawler(
    robots: &RobotsTxt<'_>,
    reading: ParseOptions,
    agent: &[u8],
    url: &[u8],
    row: Option<&AgentVerdict<'_>>,
) {
    for dialect in Dialect::ALL {
        let pair = Pair {
            policy: Policy::new(dialect, robots, agent),
            oracle: PolicyOracle::new(dialect, robots.body(), reading, agent),
            of: format!("{} for {}, {reading:?}", dialect.name(), shown(agent)),
            robots,
        };
        let verdict = row.map(|row| match dialect {
            Dialect::Google => row.verdict_google,
            Dialect::Rfc9309 => row.verdict_rfc9309,
            Dialect::Koster1996 => row.verdict_koster1996,
        });
        pair.assert_same(url, verdict);
    }
    let pair = Pair {
        policy: Policy::from_whole_names(robots, &[agent], false),
        oracle: PolicyOracle::by_whole_name(robots.body(), reading, agent),
        of: format!("whole name {}, {reading:?}", shown(agent)),
        robots,
    };
    pair.assert_same(url, row.map(|row| row.verdict));
    if let Some(row) = row {
        let n = |allow: bool| {
            let rules = pair.oracle.rules.iter();
            rules.filter(|rule| rule.is_allow == allow).count() as u32
        };
        if pair.oracle.is_named && row.verdict != Verdict::Unknown {
            assert_eq!(
                row.basis,
                Basis::Explicit,
                "{row:?} of {}",
                shown(robots.body())
            );
        }
        let seen = (row.is_root_allowed, row.n_allow, row.n_disallow);
        let expected = (pair.oracle.access(b"/").0, n(true), n(false));
        assert_eq!(seen, expected, "{row:?} of {}", shown(robots.body()));
    }
}

/// The rules of a crawler in the product and in the oracle.
struct Pair<'r, 'a> {
    policy: Policy,
    oracle: PolicyOracle,
    /// A description for the message of a failure.
    of: String,
    robots: &'r RobotsTxt<'a>,
}

impl Pair<'_, '_> {
    /// Asserts that both give the same answer, that its line is a rule with this effect, and that the
    /// verdict is that of all paths.
    fn assert_same(&self, url: &[u8], row: Option<Verdict>) {
        let of = || {
            let (url, body) = (shown(url), shown(self.robots.body()));
            format!("{}: {url} of {body}", self.of)
        };
        let access = self.policy.access(url);
        let answer = (access.is_allowed, access.line_no.unwrap_or(0));
        assert_eq!(answer, self.oracle.access(url), "{}", of());
        assert!(self.is_reason(answer), "{answer:?}, {}", of());
        assert_eq!(self.policy.is_named(), self.oracle.is_named, "{}", of());
        let verdict = self.policy.verdict();
        assert_eq!(verdict, row.unwrap_or(verdict), "{}", of());
        let path = path_of_url(url);
        if self.oracle.path(&path) != self.oracle.path(b"/robots.txt") {
            let denied = if access.is_allowed {
                Verdict::DisallowAll
            } else {
                Verdict::AllowAll
            };
            assert_ne!(verdict, denied, "{}", of());
        }
        assert_verdict(verdict, &reach(&self.oracle, MAX_STATES), of);
    }

    /// Returns true if the line of an answer is a counting rule with this effect. A disallowed path has
    /// a line.
    fn is_reason(&self, (is_allowed, line_no): (bool, u32)) -> bool {
        let has_effect = |key: DirectiveKind, is_empty: bool| match key {
            DirectiveKind::Allow => is_allowed,
            DirectiveKind::Disallow => !is_allowed || is_empty,
            _ => false,
        };
        let mut lines = self.robots.directives().iter();
        let line = lines.find(|line| line.line_no == line_no);
        line.map_or(is_allowed && line_no == 0, |line| {
            line.counts && has_effect(line.kind, line.value.is_empty())
        })
    }
}

/// Asserts that each name has one row, and that `*` has the first.
fn assert_rows(robots: &RobotsTxt<'_>, reading: ParseOptions, rows: &[AgentVerdict<'_>]) {
    let of = || format!("{rows:?} of {}", shown(robots.body()));
    assert_eq!(rows[0].agent, b"*", "{}", of());
    let mut names: Vec<&[u8]> = rows.iter().map(|row| row.agent).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{}", of());
    let directives = lines::read(robots.body(), reading).0;
    let mut agents = directives
        .iter()
        .filter(|line| line.key == DirectiveKind::UserAgent && line.counts);
    let others_basis = match (agents.any(|line| is_star(&line.value)), rows.len()) {
        (true, _) => Basis::Wildcard,
        (false, 1) => match robots.summary().content {
            ContentClass::Empty => Basis::Empty,
            ContentClass::Html => Basis::Html,
            ContentClass::Binary => Basis::Binary,
            _ => Basis::NoRules,
        },
        (false, _) => Basis::NoGroup,
    };
    for row in rows.iter().filter(|row| row.verdict != Verdict::Unknown) {
        let is_known = row.basis == others_basis || row.basis == Basis::Explicit;
        assert!(is_known, "{row:?}, {}", of());
    }
    assert_ne!(rows[0].basis, Basis::Explicit, "{}", of());
    for row in rows.iter().filter(|row| row.evidence_line.is_some()) {
        let mut lines = robots.directives().iter();
        let counts = lines.any(|line| line.counts && Some(line.line_no) == row.evidence_line);
        assert!(counts, "{row:?}, {}", of());
    }
    let hash = |bytes: &[u8]| {
        let bytes = bytes.iter();
        bytes.fold(7, |sum: u64, &byte| {
            sum.wrapping_mul(31).wrapping_add(byte.into())
        })
    };
    assert_eq!(
        Evaluator::new().evaluate(robots).fingerprint(hash),
        Evaluator::new().evaluate(robots).fingerprint(hash),
        "{}",
        of()
    );
}

/// The largest number of lines that are compared with the oracle.
const MAX_IMPACTS: usize = 6;

/// Asserts that each lenient line has one impact, that no other line has one, and that the impact is
/// that of the oracle.
pub fn assert_impacts(robots: &RobotsTxt<'_>, reading: ParseOptions, rows: &[AgentVerdict<'_>]) {
    let impacts = Evaluator::new().leniency_impacts(robots, rows);
    let context = || format!("{impacts:?} of {}", shown(robots.body()));
    let is_sorted = impacts.is_sorted_by(|a, b| a.line_no < b.line_no);
    assert!(is_sorted, "{}", context());
    for anomaly in robots.anomalies() {
        let answer = anomaly_changes_verdict(&impacts, anomaly);
        let line_no = anomaly.line_no.unwrap_or(1);
        let is_known = impacts.iter().any(|impact| impact.line_no == line_no);
        if anomaly.kind.is_leniency() {
            assert!(is_known, "{anomaly:?}, {}", context());
        } else {
            assert_eq!(answer, Some(false), "{anomaly:?}, {}", context());
        }
    }
    if leniency::verdict_count(robots.body(), reading) > MAX_IMPACTS {
        return;
    }
    for impact in impacts.iter().take(MAX_IMPACTS) {
        if let Some(expected) = leniency::changes_verdict(robots.body(), reading, impact.line_no) {
            assert_eq!(
                impact.changes_verdict,
                Some(expected),
                "{impact:?}, {}",
                context()
            );
        }
    }
}

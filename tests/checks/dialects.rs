//! Whatever a file says, its policies, verdicts and answers agree.

use super::twin::pattern::path_of_url;
use super::twin::policy::{Policy as Twin, google_token, is_star};
use super::twin::reach::reach;
use super::twin::{leniency, lines};
use super::verdicts::assert_verdict;
use super::{WHOLE, shown, some_reading};
use robots::{
    AgentVerdict, Basis, Dialect, DirectiveKind, Evaluator, ParseOptions, Parser, Policy,
    RobotsTxt, Verdict, changes_verdict,
};

/// Names of a file that are asked for, besides the one that is given.
const NAMES_MAX: usize = 6;

/// States that are tried for each of them.
const STATES_MAX: usize = 120;

/// Checks a file: the first line of `data` is a crawler's name, the second a
/// URL, and all that follows is the robots.txt.
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
        for row in rows.iter().take(NAMES_MAX) {
            assert_crawler(&robots, reading, row.agent, url, Some(row));
        }
        let name = agent.to_ascii_lowercase();
        let is_token = google_token(agent).len() == agent.len() && agent.len() < 100;
        let is_stranger = is_token && !agent.is_empty() && rows.iter().all(|it| it.agent != name);
        let row = rows.first().filter(|_| is_stranger);
        assert_crawler(&robots, reading, agent, url, row);
    }
}

/// Asks for a crawler in every reading; `row` has its verdicts, if they are
/// known.
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
            twin: Twin::new(dialect, robots.body(), reading, agent),
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
        policy: Policy::by_whole_names(robots, &[agent], false),
        twin: Twin::by_whole_name(robots.body(), reading, agent),
        of: format!("whole name {}, {reading:?}", shown(agent)),
        robots,
    };
    pair.assert_same(url, row.map(|row| row.verdict));
    if let Some(row) = row {
        let n = |allow: bool| {
            let rules = pair.twin.rules.iter();
            rules.filter(|rule| rule.is_allow == allow).count() as u32
        };
        if pair.twin.is_named && row.verdict != Verdict::Unknown {
            assert_eq!(
                row.basis,
                Basis::Explicit,
                "{row:?} of {}",
                shown(robots.body())
            );
        }
        let seen = (row.is_root_allowed, row.n_allow, row.n_disallow);
        let expected = (pair.twin.access(b"/").0, n(true), n(false));
        assert_eq!(seen, expected, "{row:?} of {}", shown(robots.body()));
    }
}

/// The rules of a crawler, fast and slow.
struct Pair<'r, 'a> {
    policy: Policy,
    twin: Twin,
    /// What they are, for a failure.
    of: String,
    robots: &'r RobotsTxt<'a>,
}

impl Pair<'_, '_> {
    /// Both give one answer, for a good reason; the verdict is that of all
    /// paths, and does not deny the answer.
    fn assert_same(&self, url: &[u8], row: Option<Verdict>) {
        let of = || {
            let (url, body) = (shown(url), shown(self.robots.body()));
            format!("{}: {url} of {body}", self.of)
        };
        let access = self.policy.access(url);
        let answer = (access.is_allowed, access.line_no.unwrap_or(0));
        assert_eq!(answer, self.twin.access(url), "{}", of());
        assert!(self.is_reason(answer), "{answer:?}, {}", of());
        assert_eq!(self.policy.is_named(), self.twin.is_named, "{}", of());
        let verdict = self.policy.verdict();
        assert_eq!(verdict, row.unwrap_or(verdict), "{}", of());
        let path = path_of_url(url);
        if self.twin.path(&path) != self.twin.path(b"/robots.txt") {
            let denied = match access.is_allowed {
                true => Verdict::DisallowAll,
                false => Verdict::AllowAll,
            };
            assert_ne!(verdict, denied, "{}", of());
        }
        assert_verdict(verdict, &reach(&self.twin, STATES_MAX), of);
    }

    /// Whether the line of an answer is a rule that counts and says so. What
    /// is disallowed has one.
    fn is_reason(&self, (is_allowed, line_no): (bool, u32)) -> bool {
        let says_so = |key: DirectiveKind, is_empty: bool| match key {
            DirectiveKind::Allow => is_allowed,
            DirectiveKind::Disallow => !is_allowed || is_empty,
            _ => false,
        };
        let mut lines = self.robots.directives().iter();
        let line = lines.find(|it| it.line_no == line_no);
        line.map_or(is_allowed && line_no == 0, |it| {
            it.counts && says_so(it.kind, it.value.is_empty())
        })
    }
}

/// Each name has one row, `*` the first.
fn assert_rows(robots: &RobotsTxt<'_>, reading: ParseOptions, rows: &[AgentVerdict<'_>]) {
    let of = || format!("{rows:?} of {}", shown(robots.body()));
    assert_eq!(rows[0].agent, b"*", "{}", of());
    let mut names: Vec<&[u8]> = rows.iter().map(|row| row.agent).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|it| it[0] != it[1]), "{}", of());
    let said = lines::read(robots.body(), reading).0;
    let mut agents = said
        .iter()
        .filter(|it| it.key == DirectiveKind::UserAgent && it.counts);
    let others_basis = match (agents.any(|it| is_star(&it.value)), rows.len()) {
        (true, _) => Basis::Wildcard,
        (false, 1) => Basis::NoRules,
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
        bytes.fold(7, |sum: u64, &it| {
            sum.wrapping_mul(31).wrapping_add(it.into())
        })
    };
    assert_eq!(
        Evaluator::new().evaluate(robots).fingerprint(hash),
        Evaluator::new().evaluate(robots).fingerprint(hash),
        "{}",
        of()
    );
}

/// Lines and names of a file that are compared with the slow way.
const IMPACTS_MAX: usize = 6;

/// Each line with a lenient reading has one answer, no other line has one, and
/// the answer is that of the slow way.
pub(crate) fn assert_impacts(
    robots: &RobotsTxt<'_>,
    reading: ParseOptions,
    rows: &[AgentVerdict<'_>],
) {
    let impacts = Evaluator::new().leniency_impacts(robots, rows);
    let context = || format!("{impacts:?} of {}", shown(robots.body()));
    let is_sorted = impacts.is_sorted_by(|a, b| a.line_no < b.line_no);
    assert!(is_sorted, "{}", context());
    for anomaly in robots.anomalies() {
        let answer = changes_verdict(&impacts, anomaly);
        let line_no = anomaly.line_no.unwrap_or(1);
        let is_known = impacts.iter().any(|impact| impact.line_no == line_no);
        if anomaly.kind.is_leniency() {
            assert!(is_known, "{anomaly:?}, {}", context());
        } else {
            assert_eq!(answer, Some(false), "{anomaly:?}, {}", context());
        }
    }
    if leniency::verdict_count(robots.body(), reading) > IMPACTS_MAX {
        return;
    }
    for impact in impacts.iter().take(IMPACTS_MAX) {
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

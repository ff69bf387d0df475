//! The dialect `koster1996`: Koster's draft of November 1996.
//!
//! A blank line ends a record, and so does a user-agent line after rules (§3.2, §3.3). The first
//! record that names the crawler applies, or else the first record of `*`; the draft does not
//! define the case of several records. The first rule that matches decides (§3.2.2). An empty
//! `Disallow` allows every path that no rule above it matches, as on Koster's page of 1994.

use super::grouping::KosterRecordStartDetector;
use super::rfc9309::is_conforming;
use crate::document::{DirectiveKind, RobotsTxt};
use crate::pattern::percent::{PathOctet, parse_octets};
use crate::verdict::Verdict;
use std::borrow::Cow;

/// A rule of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KosterRule<'a> {
    pub(crate) allow: bool,
    pub(crate) line_no: u32,
    /// The path as written.
    pub(crate) path: &'a [u8],
}

impl KosterRule<'_> {
    /// Returns true if paths that match the rule may be fetched. An empty path allows everything.
    pub(crate) fn is_permissive(&self) -> bool {
        self.allow || self.path.is_empty()
    }
}

/// A user-agent line of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KosterAgent<'a> {
    pub(crate) line_no: u32,
    /// The name as written.
    pub(crate) value: &'a [u8],
}

/// A record: agents and the rules that apply to them.
#[derive(Debug, Default)]
pub(crate) struct KosterRecord<'a> {
    pub(crate) agents: Vec<KosterAgent<'a>>,
    pub(crate) rules: Vec<KosterRule<'a>>,
}

/// Returns the records of a file, made of the lines that count. Rules without an agent are ignored.
pub(crate) fn collect_records<'a>(robots_txt: &RobotsTxt<'a>) -> Vec<KosterRecord<'a>> {
    let mut records: Vec<KosterRecord<'a>> = Vec::new();
    let mut start_detector = KosterRecordStartDetector::default();
    let lines = robots_txt.directives().iter();
    for line in lines.filter(|line| line.counts && is_conforming(line)) {
        let value = robots_txt.text(line.value_raw);
        if line.kind == DirectiveKind::UserAgent {
            if start_detector.pass_user_agent(line) {
                records.push(KosterRecord::default());
            }
            if let Some(record) = records.last_mut() {
                record.agents.push(KosterAgent {
                    line_no: line.line_no,
                    value,
                });
            }
        } else if start_detector.has_agent_above(line)
            && let Some(record) = records.last_mut()
        {
            record.rules.push(KosterRule {
                allow: line.kind == DirectiveKind::Allow,
                line_no: line.line_no,
                path: value,
            });
        }
    }
    records
}

/// Returns the rules of the record whose first user-agent line is the directive at
/// `first_agent_index`.
pub(crate) fn iter_record_rules<'a>(
    robots_txt: &RobotsTxt<'a>,
    first_agent_index: usize,
) -> impl Iterator<Item = KosterRule<'a>> + Clone {
    let robots_txt = *robots_txt;
    let record_no = robots_txt.directives()[first_agent_index].record_no;
    let lines = robots_txt.directives()[first_agent_index..].iter();
    let lines = lines.take_while(move |line| line.record_no == record_no);
    let rules = lines.filter(|line| line.counts && line.is_rule() && is_conforming(line));
    rules.map(move |rule| KosterRule {
        allow: rule.kind == DirectiveKind::Allow,
        line_no: rule.line_no,
        path: robots_txt.text(rule.value_raw),
    })
}

/// Returns the name of a crawler without its version, which follows a `/` (§3.2.1).
pub(crate) fn strip_version(value: &[u8]) -> &[u8] {
    let len = memchr::memchr(b'/', value).unwrap_or(value.len());
    value[..len].trim_ascii()
}

/// Returns the index of the record that applies to a crawler, and true if the record names the
/// crawler instead of `*` (§3.2.1).
pub(crate) fn find_record(records: &[KosterRecord<'_>], agent: &[u8]) -> Option<(usize, bool)> {
    let agent_name = strip_version(agent);
    let may_be_named = !agent_name.is_empty() && agent_name != b"*";
    let applies = |record: &KosterRecord<'_>, is_named| {
        let mut agents = record.agents.iter();
        agents.any(|line| line.applies_to(agent, is_named))
    };
    let mut remaining = records.iter();
    if may_be_named && let Some(index) = remaining.position(|record| applies(record, true)) {
        return Some((index, true));
    }
    let index = records.iter().position(|record| applies(record, false));
    index.map(|index| (index, false))
}

/// Returns the numbers of the user-agent lines of a record that name a crawler if `is_named`,
/// otherwise of those with `*`.
pub(crate) fn find_agent_lines(
    record: &KosterRecord<'_>,
    agent: &[u8],
    is_named: bool,
) -> Vec<u32> {
    let agents = record.agents.iter();
    let applying_agents = agents.filter(|line| line.applies_to(agent, is_named));
    applying_agents.map(|line| line.line_no).collect()
}

impl KosterAgent<'_> {
    /// Returns true if the line names the crawler `agent` (if `is_named`) or is `*` (otherwise).
    fn applies_to(self, agent: &[u8], is_named: bool) -> bool {
        if is_named {
            strip_version(self.value).eq_ignore_ascii_case(strip_version(agent))
        } else {
            self.value == b"*"
        }
    }
}

/// Decodes a path for comparison: `%xx` is decoded, except that `%2F` is a symbol of its own
/// (§3.2.2). NUL and `%2F` are written as two octets each, the first of which is a NUL.
pub(crate) fn decode_path(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr2(b'%', 0, text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    for octet in parse_octets(text) {
        match octet {
            PathOctet::Escaped(b'/') => out.extend([0, 2]),
            PathOctet::Bare(0) | PathOctet::Escaped(0) => out.extend([0, 1]),
            PathOctet::Bare(byte) | PathOctet::Escaped(byte) => out.push(byte),
        }
    }
    Cow::Owned(out)
}

/// Computes the verdict of rules, which are given in the order of the file.
pub(crate) fn compute_verdict<'t>(rules: impl Iterator<Item = KosterRule<'t>> + Clone) -> Verdict {
    match compute_outcomes(rules) {
        PathOutcomes {
            has_allowed: true,
            has_disallowed: true,
        } => Verdict::Partial,
        PathOutcomes {
            has_allowed: true, ..
        } => Verdict::AllowAll,
        PathOutcomes {
            has_allowed: false, ..
        } => Verdict::DisallowAll,
    }
}

/// The outcomes that occur among all paths: some path is allowed, some path is disallowed.
#[derive(Clone, Copy, Debug, Default)]
struct PathOutcomes {
    has_allowed: bool,
    has_disallowed: bool,
}

impl PathOutcomes {
    fn add(&mut self, is_allowed: bool) {
        if is_allowed {
            self.has_allowed = true
        } else {
            self.has_disallowed = true
        }
    }
}

/// The largest number of rules that are compared in pairs. More rules are sorted instead, because
/// the time of comparing pairs is quadratic.
const MAX_PAIRWISE_COMPARED_RULES: usize = 32;

/// Returns the outcomes of all paths.
///
/// The result is exact, although no paths are enumerated. A rule decides the paths that begin with
/// its prefix, except those that an earlier rule matches. An earlier rule either covers all of
/// them, or it does not match the prefix followed by an octet that occurs in no rule. So a rule
/// decides some path unless a single earlier rule covers it.
fn compute_outcomes<'t>(rules: impl Iterator<Item = KosterRule<'t>> + Clone) -> PathOutcomes {
    let mut outcomes = PathOutcomes::default();
    let mut earlier_paths: Vec<Cow<'_, [u8]>> = Vec::new();
    let mut rest = rules.clone();
    while let Some(rule) = rest.next() {
        let Some(path) = strip_root(rule.path) else {
            continue;
        };
        let is_covered = !earlier_paths.is_empty() && {
            let path = decode_path(path);
            earlier_paths.iter().any(|prefix| is_prefix(prefix, &path))
        };
        if is_covered {
            continue;
        }
        outcomes.add(rule.is_permissive());
        if path.is_empty() || (outcomes.has_allowed && outcomes.has_disallowed) {
            return outcomes;
        }
        if outcomes.has_disallowed && !rest.clone().any(|rule| matches_everything(rule.path)) {
            return PathOutcomes {
                has_allowed: true,
                has_disallowed: true,
            };
        }
        earlier_paths.push(decode_path(path));
        if earlier_paths.len() > MAX_PAIRWISE_COMPARED_RULES {
            return compute_outcomes_by_sorting(rules);
        }
    }
    // No rule covers all paths, and a path that no rule matches is allowed.
    outcomes.has_allowed = true;
    outcomes
}

/// Returns true if `prefix` begins `path`. The last octet of the prefix is compared first, because
/// it usually differs.
fn is_prefix(prefix: &[u8], path: &[u8]) -> bool {
    let last = prefix.len().wrapping_sub(1);
    path.get(last) == prefix.get(last) && path.starts_with(prefix)
}

/// Returns true if a path of a rule matches every path.
fn matches_everything(path: &[u8]) -> bool {
    path.is_empty() || path == b"/"
}

/// Returns the path of a rule without its first `/`. An empty path is returned unchanged, because
/// it matches every path, as `/` does. Returns `None` for any other path, which matches nothing.
fn strip_root(path: &[u8]) -> Option<&[u8]> {
    match path {
        [] => Some(path),
        [b'/', below @ ..] => Some(below),
        _ => None,
    }
}

/// Returns the same as [`compute_outcomes`], in less than quadratic time for many rules.
fn compute_outcomes_by_sorting<'t>(rules: impl Iterator<Item = KosterRule<'t>>) -> PathOutcomes {
    let mut has_universal_rule = false;
    let mut sorted: Vec<(Cow<'_, [u8]>, usize, bool)> = Vec::new();
    for (position, rule) in rules.enumerate() {
        has_universal_rule |= matches_everything(rule.path);
        let path = strip_root(rule.path).map(decode_path);
        sorted.extend(path.map(|path| (path, position, rule.is_permissive())));
    }
    sorted.sort_unstable();
    let mut outcomes = PathOutcomes {
        has_allowed: !has_universal_rule,
        has_disallowed: false,
    };
    // The prefixes of the current path, each with the position of the first rule that matches it.
    let mut prefixes: Vec<(&[u8], usize)> = Vec::new();
    for (path, position, is_allowed) in &sorted {
        while prefixes
            .last()
            .is_some_and(|(prefix, _)| !path.starts_with(prefix))
        {
            prefixes.pop();
        }
        let first = prefixes
            .last()
            .map_or(*position, |&(_, first)| first.min(*position));
        if first == *position {
            outcomes.add(*is_allowed);
        }
        prefixes.push((path, first));
    }
    outcomes
}

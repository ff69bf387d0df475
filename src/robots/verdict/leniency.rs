//! Which liberties change a verdict.
//!
//! A line that Google's parser reads leniently is read according to the grammar
//! of RFC 9309 instead, with all other lines unchanged. The leniency changes a
//! verdict if `*` or any name in the file then has another verdict. Nearly all
//! lines affect a single name or a single rule, so that only the verdicts of
//! these are computed again. `tests/checks/twin/leniency.rs` computes the same
//! from the definition and shares no code with this module.

use crate::agent_name::is_product_token;
use crate::anomaly::{Anomaly, AnomalyKind};
use crate::dialect::rfc9309::is_conforming;
use crate::document::{Directive, DocumentData, Group, RobotsTxt};
use crate::parse::directive_kind::DirectiveKind;
use crate::pattern;
use crate::verdict::coverage::{Coverage, MergedRules};
use crate::verdict::evaluator::{Evaluation, Evaluator};
use crate::verdict::{AgentVerdict, Verdict};

/// Lines that may be looked at for one file; what is left then is not decided.
const WORK_MAX: u64 = 4_000_000;

/// A line that is read leniently, and the effect of reading it strictly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeniencyImpact {
    /// The line, from 1.
    pub line_no: u32,
    /// Whether `*` or a name in the file has another verdict if this line is
    /// read according to the grammar of RFC 9309. `None` if the work limit was
    /// exceeded.
    pub changes_verdict: Option<bool>,
}

/// What the grammar of RFC 9309 makes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StrictEffect {
    /// The same.
    Same,
    /// No directive at all.
    Removed,
    /// A user-agent line that addresses nobody.
    Nobody,
    /// A rule that matches nothing.
    Neutral,
    /// The same rule without the folder that Google allows beside `index.htm`.
    NoFolder,
    /// A rule with another value, the one that is written, and without a folder.
    Raw,
}

fn strict(robots: &RobotsTxt<'_>, line: &Directive) -> StrictEffect {
    if !is_conforming(line) {
        return StrictEffect::Removed;
    }
    let raw = robots.text(line.value_raw);
    if line.kind == DirectiveKind::UserAgent {
        return if is_product_token(raw) {
            StrictEffect::Same
        } else {
            StrictEffect::Nobody
        };
    }
    // No path holds a NUL.
    if raw.first() != Some(&b'/') || memchr::memchr(0, raw).is_some() {
        return if raw.is_empty() && line.value.is_empty() {
            StrictEffect::Same
        } else {
            StrictEffect::Neutral
        };
    }
    let value = robots.text(line.value);
    let is_same = if pattern::needs_escape(raw) {
        let mut escaped = Vec::new();
        pattern::escape(raw, &mut escaped);
        escaped == value
    } else {
        raw == value
    };
    if !is_same {
        return StrictEffect::Raw;
    }
    let slash = memchr::memrchr(b'/', raw).unwrap_or(0);
    if line.kind == DirectiveKind::Allow && raw[slash..].starts_with(b"/index.htm") {
        StrictEffect::NoFolder
    } else {
        StrictEffect::Same
    }
}

/// The lines with liberties, in order, each once, and whether the liberty
/// changes a verdict; `None` past the work limit.
pub(crate) fn leniency_impacts(
    evaluation: &mut Evaluation<'_, '_>,
    rows: &[AgentVerdict<'_>],
) -> Vec<LeniencyImpact> {
    let anomalies = evaluation.robots.anomalies().iter();
    let lenient = anomalies.filter(|anomaly| anomaly.kind.is_leniency());
    let line_no = |anomaly: &Anomaly| match anomaly.kind {
        AnomalyKind::PartialBom => 1,
        _ => anomaly.line_no,
    };
    let mut impacts: Vec<_> = lenient
        .map(|anomaly| LeniencyImpact {
            line_no: line_no(anomaly),
            changes_verdict: None,
        })
        .collect();
    if impacts.is_empty() {
        return impacts;
    }
    impacts.sort_unstable_by_key(|impact| impact.line_no);
    impacts.dedup();
    let evaluator = &mut *evaluation.evaluator;
    for name in evaluator
        .names
        .in_order
        .iter()
        .chain([&evaluator.names.everybody])
    {
        let set = evaluator.sets.of(&evaluator.names, name.by_name);
        evaluator.sets.get(set).is_of_name = true;
    }
    let directives = evaluation.robots.directives();
    let mut analysis = LeniencyAnalysis {
        evaluation,
        rows,
        shared: None,
        without_line: None,
        work: 0,
    };
    for impact in &mut impacts {
        let found = directives.binary_search_by_key(&impact.line_no, |line| line.line_no);
        impact.changes_verdict = found.map_or(Some(false), |index| analysis.changes_verdict(index));
    }
    impacts
}

/// Whether an anomaly changes a verdict, according to the impacts that
/// [`Evaluator::leniency_impacts`] returned; never where there is no leniency.
pub fn changes_verdict(impacts: &[LeniencyImpact], anomaly: &Anomaly) -> Option<bool> {
    if !anomaly.kind.is_leniency() {
        return Some(false);
    }
    let line_no = anomaly.line_no.max(1);
    let found = impacts.binary_search_by_key(&line_no, |impact| impact.line_no);
    found.map_or(Some(false), |index| impacts[index].changes_verdict)
}

struct LeniencyAnalysis<'c, 'j, 'a> {
    evaluation: &'c mut Evaluation<'j, 'a>,
    rows: &'c [AgentVerdict<'c>],
    /// The sets of several groups that decide for a name, by each group in
    /// them; made when they are asked for.
    shared: Option<Vec<(u32, u32)>>,
    without_line: Option<FileWithoutLine>,
    work: u64,
}

/// Buffers for files with one line removed.
#[derive(Default)]
struct FileWithoutLine {
    evaluator: Evaluator,
    parts: DocumentData,
}

impl LeniencyAnalysis<'_, '_, '_> {
    /// Whether the strict reading of the directive at `at` changes a verdict.
    fn changes_verdict(&mut self, at: usize) -> Option<bool> {
        let robots = self.evaluation.robots;
        let line = &robots.directives()[at];
        if !line.counts
            || !matches!(
                line.kind,
                DirectiveKind::UserAgent | DirectiveKind::Allow | DirectiveKind::Disallow
            )
            || line.group_no == 0
        {
            return Some(false);
        }
        let strict = strict(&robots, line);
        let group = &robots.groups()[line.group_no as usize - 1];
        let is_only_rule = group.n_allow + group.n_disallow == 1;
        let is_last_group = line.group_no as usize == robots.groups().len();
        match (strict, line.kind) {
            (StrictEffect::Same, _) => Some(false),
            (StrictEffect::Nobody, _) => self.without_name(line),
            (StrictEffect::Removed, DirectiveKind::UserAgent) if group.n_agents > 1 => {
                self.without_name(line)
            }
            (StrictEffect::Neutral | StrictEffect::NoFolder | StrictEffect::Raw, _) => {
                self.with_rule(line, strict)
            }
            (StrictEffect::Removed, DirectiveKind::Allow | DirectiveKind::Disallow)
                if !is_only_rule || is_last_group =>
            {
                self.with_rule(line, strict)
            }
            (StrictEffect::Removed, _) => self.evaluate_without(at),
        }
    }

    fn can_afford(&mut self, lines: usize) -> bool {
        self.work += lines as u64;
        self.work <= WORK_MAX
    }

    /// The name of a user-agent line is taken out of its group.
    fn without_name(&mut self, line: &Directive) -> Option<bool> {
        let robots = self.evaluation.robots;
        let name = robots.text(line.name);
        if name.is_empty() {
            return Some(false);
        }
        let group = &robots.groups()[line.group_no as usize - 1];
        if group.n_agents > 1 {
            let is_other = |it: &Directive| {
                it.kind == DirectiveKind::UserAgent
                    && it.counts
                    && it.line_no != line.line_no
                    && robots.text(it.name) == name
            };
            let lines = robots.group_directives(line.group_no);
            if !self.can_afford(lines.len()) {
                return None;
            }
            if lines.iter().any(is_other) {
                return Some(false);
            }
        }
        let evaluator = &mut *self.evaluation.evaluator;
        let (groups, row) = if name == b"*" {
            (evaluator.names.everybody.by_name, 0)
        } else {
            let at = evaluator.names.find(&robots, name)?;
            // The first row is that of everybody.
            (evaluator.names.in_order[at].by_name, at + 1)
        };
        let mut left = Vec::new();
        evaluator.names.groups(groups, &mut left);
        left.retain(|&no| no != line.group_no);
        let verdict = if left.is_empty() && row > 0 {
            self.rows[0].verdict
        } else {
            let set = evaluator.sets.of_groups(&left);
            self.decide(set)?.verdict
        };
        // If it is everybody's, all who are not named have it.
        Some(verdict != self.rows.get(row)?.verdict)
    }

    /// A rule is read otherwise, in every set of groups that it stands in.
    fn with_rule(&mut self, line: &Directive, strict: StrictEffect) -> Option<bool> {
        let (evaluator, no) = (&mut *self.evaluation.evaluator, line.group_no);
        let single = evaluator.sets.of_groups(&[no]);
        if evaluator.sets.get(single).is_of_name && self.is_changed(single, line, strict)? {
            return Some(true);
        }
        if self.shared.is_none() {
            self.shared = Some(self.gather_shared());
        }
        let shared = |analysis: &Self| {
            let shared = analysis.shared.as_deref().unwrap_or_default();
            let start = shared.partition_point(|&(group, _)| group < no);
            let count = shared[start..].partition_point(|&(group, _)| group == no);
            start..start + count
        };
        for at in shared(self) {
            let set = self.shared.as_ref().map_or(0, |shared| shared[at].1);
            if self.is_changed(set, line, strict)? {
                return Some(true);
            }
        }
        Some(false)
    }

    fn gather_shared(&mut self) -> Vec<(u32, u32)> {
        let sets = &self.evaluation.evaluator.sets;
        let mut shared = Vec::new();
        for (set, _) in sets.iter().filter(|(_, it)| it.is_of_name) {
            let groups = sets.groups(set);
            if groups.len() > 1 {
                shared.extend(groups.iter().map(|&group| (group, set)));
            }
        }
        self.work += shared.len() as u64;
        shared.sort_unstable();
        shared
    }

    /// Whether a set of groups has another verdict with a rule read otherwise.
    fn is_changed(&mut self, set: u32, line: &Directive, strict: StrictEffect) -> Option<bool> {
        let before = self.decide(set)?;
        // The proof of a verdict holds whatever is taken away beside it, but not
        // whatever is added.
        let is_taken_away = strict != StrictEffect::Raw;
        if is_taken_away
            && before
                .proof
                .is_some_and(|proof| !proof.contains(&line.line_no))
        {
            return Some(false);
        }
        let after = self.decide_with(set, line, strict)?;
        Some(after != before.verdict)
    }

    fn decide(&mut self, set: u32) -> Option<Coverage> {
        let known = self.evaluation.evaluator.sets.get(set).decision;
        if known.is_none() && !self.can_afford_set(set) {
            return None;
        }
        let decided = self.evaluation.decide(set).decided;
        (decided.verdict != Verdict::Unknown).then_some(decided)
    }

    fn can_afford_set(&mut self, set: u32) -> bool {
        let robots = self.evaluation.robots;
        let groups = self.evaluation.evaluator.sets.groups(set).iter();
        let lines = groups.map(|&no| robots.group_directives(no).len()).sum();
        self.can_afford(lines)
    }

    /// The verdict of a set of groups with one rule read otherwise.
    fn decide_with(
        &mut self,
        set: u32,
        changed: &Directive,
        strict: StrictEffect,
    ) -> Option<Verdict> {
        if !self.can_afford_set(set) {
            return None;
        }
        let robots = self.evaluation.robots;
        let mut raw = Vec::new();
        if strict == StrictEffect::Raw {
            pattern::escape(robots.text(changed.value_raw), &mut raw);
        }
        let evaluator = &mut *self.evaluation.evaluator;
        // The decider of the case cannot hold a value that lives as briefly as `raw`.
        let mut decider = MergedRules::default();
        let groups = evaluator.sets.groups(set).iter();
        for line in groups.flat_map(|&no| robots.group_directives(no)) {
            let allow = match line.kind {
                DirectiveKind::Allow => true,
                DirectiveKind::Disallow => false,
                _ => continue,
            };
            if !line.counts {
                continue;
            }
            let value = robots.text(line.value);
            if line.line_no != changed.line_no {
                decider.add(allow, line.line_no, value);
                continue;
            }
            match strict {
                StrictEffect::NoFolder => decider.add_alone(allow, line.line_no, value),
                StrictEffect::Raw => decider.add_alone(allow, line.line_no, &raw),
                _ => {}
            }
        }
        let verdict = decider.decide(&mut evaluator.work_budget).verdict;
        (verdict != Verdict::Unknown).then_some(verdict)
    }

    /// Computes all verdicts of the file without the directive at `at`.
    fn evaluate_without(&mut self, at: usize) -> Option<bool> {
        let robots = self.evaluation.robots;
        // A judgement looks at each line a few times.
        if !self.can_afford(4 * robots.directives().len() + 16) {
            return None;
        }
        let without_line = self
            .without_line
            .get_or_insert_with(|| FileWithoutLine::new(&robots));
        without_line.evaluate_without(&robots, self.rows, at)
    }
}

impl FileWithoutLine {
    fn new(robots: &RobotsTxt<'_>) -> Self {
        let mut without_line = Self::default();
        without_line.parts.buffer.clone_from(&robots.parts.buffer);
        without_line
    }

    /// Returns true if the file without one line has another verdict for `*` or
    /// for a name of the file.
    fn evaluate_without(
        &mut self,
        robots: &RobotsTxt<'_>,
        rows: &[AgentVerdict<'_>],
        at: usize,
    ) -> Option<bool> {
        let parts = &mut self.parts;
        parts.directives.clear();
        parts.groups.clear();
        let mut group_has_rules = false;
        for (index, line) in robots.directives().iter().enumerate() {
            if index == at {
                continue;
            }
            let mut line = *line;
            match line.kind {
                DirectiveKind::UserAgent => {
                    if parts.groups.is_empty() || group_has_rules {
                        parts.groups.push(Group {
                            line_no: line.line_no,
                            first: parts.directives.len(),
                            ..Group::default()
                        });
                        group_has_rules = false;
                    }
                }
                DirectiveKind::Allow | DirectiveKind::Disallow => {
                    group_has_rules |= !parts.groups.is_empty()
                }
                DirectiveKind::Sitemap | DirectiveKind::Other => {}
            }
            line.group_no = parts.groups.len() as u32;
            parts.directives.push(line);
        }
        let changed = RobotsTxt {
            body: robots.body,
            parts,
        };
        let mut evaluation = self.evaluator.evaluate(&changed);
        let judged = evaluation.verdicts();
        if judged.iter().any(|row| row.verdict == Verdict::Unknown) {
            return None;
        }
        let names = &evaluation.evaluator.names;
        let is_other = |row: &AgentVerdict<'_>| {
            // The first row is that of everybody, and of whoever is not named.
            let at = names.find(&changed, row.agent).map_or(0, |at| at + 1);
            judged[at].verdict != row.verdict
        };
        Some(rows.iter().any(is_other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parser;

    fn changed(body: &str) -> Vec<(u32, Option<bool>)> {
        let mut parser = Parser::new();
        let robots = parser.parse(body.as_bytes());
        let rows = Evaluator::new().verdicts(&robots);
        let impacts = Evaluator::new().leniency_impacts(&robots, &rows);
        let pair = |impact: &LeniencyImpact| (impact.line_no, impact.changes_verdict);
        impacts.iter().map(pair).collect()
    }

    #[test]
    fn a_liberty_counts_if_a_verdict_hangs_on_it() {
        assert_eq!(changed("User-agent: *\nDisallow /\n"), [(2, Some(true))]);
        assert_eq!(
            changed("User-agent: *\nDisallow /\nDisallow: /\n"),
            [(2, Some(false))]
        );
        assert_eq!(
            changed("User-agent: *\nDissallow: /x\nDisallow: /y\n"),
            [(2, Some(false))]
        );
        assert_eq!(
            changed("User-agent: MJ12bot\nDisallow: /\n"),
            [(1, Some(true))]
        );
        assert_eq!(
            changed("User-agent: MJ12bot\nDisallow:\n"),
            [(1, Some(false))]
        );
        assert_eq!(changed("User-agent: *\nDisallow: *\n"), [(2, Some(true))]);
        assert_eq!(
            changed("User-agent: *\nDisallow: /\nAllow: /index.html\nDisallow: /index.html*\n"),
            [(3, Some(true))]
        );
        assert_eq!(changed("User-agent: *\nDisallow: /\n"), []);
        // A user-agent line that falls away leaves its rules to the group before.
        assert_eq!(
            changed("User-agent: a\nDisallow: /x\nUseragent: b\nDisallow: /\n"),
            [(3, Some(true))]
        );
        // Without its only rule a group runs into the next.
        assert_eq!(
            changed("User-agent: a\nDisallow /x\nUser-agent: b\nDisallow: /y\n"),
            [(2, Some(false))]
        );
        assert_eq!(
            changed("User-agent: a\nDisallow /x\nUser-agent: b\nDisallow: /\n"),
            [(2, Some(true))]
        );
    }
}

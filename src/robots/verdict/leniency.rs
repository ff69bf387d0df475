//! Leniency impacts: for each line that is read leniently, the effect of strict reading on
//! verdicts.
//!
//! A line that Google's parser reads leniently is read according to the grammar of RFC 9309
//! instead, with all other lines unchanged. The leniency changes a verdict if `*` or any name in
//! the file then has another verdict. Nearly all lines affect a single name or a single rule, so
//! only the verdicts that depend on that name or rule are computed again. The oracle in
//! `tests/checks/oracle/leniency.rs` computes the same from the definition and shares no code with
//! this module.

use super::coverage::{Coverage, MergedRules};
use super::evaluator::{Evaluation, Evaluator};
use super::{AgentVerdict, Verdict};
use crate::agent_name::is_product_token;
use crate::anomaly::Anomaly;
use crate::dialect::grouping::GroupCounter;
use crate::dialect::rfc9309::is_conforming;
use crate::document::{Directive, DirectiveKind, DocumentData, Group, RobotsTxt};
use crate::pattern;

/// The largest number of lines that are read to compute the impacts of one file. Impacts that would
/// require more are unknown.
const MAX_READ_LINES: u64 = 4_000_000;

/// A line that is read leniently, and the effect of reading it strictly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeniencyImpact {
    /// The number of the line, from 1.
    pub line_no: u32,
    /// True if `*` or a name in the file has another verdict when this line is read according to
    /// the grammar of RFC 9309. `None` if the work budget was exceeded.
    pub changes_verdict: Option<bool>,
}

/// Returns true if an anomaly changes a verdict, according to the leniency impacts of its file.
///
/// An anomaly that is not a leniency changes nothing. `None` means that the work budget was
/// exceeded.
pub fn anomaly_changes_verdict(impacts: &[LeniencyImpact], anomaly: &Anomaly) -> Option<bool> {
    if !anomaly.kind.is_leniency() {
        return Some(false);
    }
    let line_no = lenient_line_no(anomaly);
    let found = impacts.binary_search_by_key(&line_no, |impact| impact.line_no);
    found.map_or(Some(false), |index| impacts[index].changes_verdict)
}

/// Returns the number of the line to which a leniency belongs. An incomplete byte order mark, which
/// is an anomaly of the whole file, belongs to line 1.
fn lenient_line_no(anomaly: &Anomaly) -> u32 {
    anomaly.line_no.unwrap_or(1)
}

/// The effect of reading a line strictly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StrictEffect {
    /// The line is unchanged.
    Same,
    /// The line is not a directive.
    Removed,
    /// The user-agent line addresses no crawler.
    NoAgent,
    /// The rule matches nothing.
    NoMatch,
    /// The rule does not allow the folder that it allows for Google's parser (`index.htm`).
    NoFolder,
    /// The rule has its value as written (`value_raw`), and does not allow a folder for
    /// `index.htm`.
    RawValue,
}

impl StrictEffect {
    fn from_line(robots_txt: &RobotsTxt<'_>, line: &Directive) -> Self {
        if !is_conforming(line) {
            return Self::Removed;
        }
        let raw = robots_txt.text(line.value_raw);
        if line.kind == DirectiveKind::UserAgent {
            return if is_product_token(raw) {
                Self::Same
            } else {
                Self::NoAgent
            };
        }
        // No path contains a NUL.
        if raw.first() != Some(&b'/') || memchr::memchr(0, raw).is_some() {
            return if raw.is_empty() && line.value.is_empty() {
                Self::Same
            } else {
                Self::NoMatch
            };
        }
        let value = robots_txt.text(line.value);
        let is_same = if pattern::needs_escape(raw) {
            let mut escaped = Vec::new();
            pattern::escape(raw, &mut escaped);
            escaped == value
        } else {
            raw == value
        };
        if !is_same {
            return Self::RawValue;
        }
        let slash = memchr::memrchr(b'/', raw).unwrap_or(0);
        if line.kind == DirectiveKind::Allow && raw[slash..].starts_with(b"/index.htm") {
            Self::NoFolder
        } else {
            Self::Same
        }
    }
}

impl Evaluator {
    /// Returns the [leniency impacts](Evaluation::leniency_impacts) of a file.
    pub fn leniency_impacts(
        &mut self,
        robots_txt: &RobotsTxt<'_>,
        rows: &[AgentVerdict<'_>],
    ) -> Vec<LeniencyImpact> {
        self.evaluate(robots_txt).leniency_impacts(rows)
    }
}

impl Evaluation<'_, '_> {
    /// Returns the lines that are read leniently, in order and each once, with the effect of
    /// reading each strictly. `rows` must be the [verdicts](Self::verdicts) of the file.
    ///
    /// [`anomaly_changes_verdict`] looks up the impact of an anomaly.
    pub fn leniency_impacts(&mut self, rows: &[AgentVerdict<'_>]) -> Vec<LeniencyImpact> {
        let anomalies = self.robots_txt.anomalies().iter();
        let lenient = anomalies.filter(|anomaly| anomaly.kind.is_leniency());
        let mut impacts: Vec<_> = lenient
            .map(|anomaly| LeniencyImpact {
                line_no: lenient_line_no(anomaly),
                changes_verdict: None,
            })
            .collect();
        if impacts.is_empty() {
            return impacts;
        }
        impacts.sort_unstable_by_key(|impact| impact.line_no);
        impacts.dedup();
        let evaluator = &mut *self.evaluator;
        let agents = &evaluator.agents;
        for agent in agents.entries.iter().chain([&agents.wildcard]) {
            let set = evaluator
                .google_sets
                .intern_agent_groups(agents, agent.name_groups);
            evaluator.google_sets.get(set).is_used_by_agent = true;
        }
        let directives = self.robots_txt.directives();
        let mut analysis = LeniencyAnalysis {
            evaluation: self,
            rows,
            sets_by_group: None,
            file_without_line: None,
            read_line_count: 0,
        };
        for impact in &mut impacts {
            let found = directives.binary_search_by_key(&impact.line_no, |line| line.line_no);
            impact.changes_verdict = found.map_or(Some(false), |index| {
                analysis.strict_reading_changes_verdict(index)
            });
        }
        impacts
    }
}

/// A set of several groups, by its index, and one of its groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct GroupInSet {
    group_no: u32,
    set: u32,
}

/// The computation of the leniency impacts of one file.
struct LeniencyAnalysis<'c, 'j, 'a> {
    evaluation: &'c mut Evaluation<'j, 'a>,
    rows: &'c [AgentVerdict<'c>],
    /// The sets of several groups that are all groups of a name or of `*`, one entry for each group
    /// of each set, sorted by group. `None` until they are computed.
    sets_by_group: Option<Vec<GroupInSet>>,
    /// Memory for the evaluation of the file without a line. `None` until it is first needed.
    file_without_line: Option<FileWithoutLine>,
    /// The number of lines read so far.
    read_line_count: u64,
}

impl LeniencyAnalysis<'_, '_, '_> {
    /// Returns whether strict reading of the directive at `index` changes a verdict, or `None` if a
    /// limit is exceeded.
    fn strict_reading_changes_verdict(&mut self, index: usize) -> Option<bool> {
        let robots_txt = self.evaluation.robots_txt;
        let line = &robots_txt.directives()[index];
        let has_effect = line.kind == DirectiveKind::UserAgent || line.is_rule();
        if !line.counts || !has_effect || line.group_no == 0 {
            return Some(false);
        }
        let effect = StrictEffect::from_line(&robots_txt, line);
        let group = &robots_txt.groups()[line.group_no as usize - 1];
        let is_only_rule = group.n_allow + group.n_disallow == 1;
        let is_last_group = line.group_no as usize == robots_txt.groups().len();
        match (effect, line.kind) {
            (StrictEffect::Same, _) => Some(false),
            (StrictEffect::NoAgent, _) => self.name_removal_changes_verdict(line),
            (StrictEffect::Removed, DirectiveKind::UserAgent) if group.n_agents > 1 => {
                self.name_removal_changes_verdict(line)
            }
            (StrictEffect::NoMatch | StrictEffect::NoFolder | StrictEffect::RawValue, _) => {
                self.rule_change_changes_verdict(line, effect)
            }
            (StrictEffect::Removed, DirectiveKind::Allow | DirectiveKind::Disallow)
                if !is_only_rule || is_last_group =>
            {
                self.rule_change_changes_verdict(line, effect)
            }
            (StrictEffect::Removed, _) => self.line_removal_changes_verdict(index),
        }
    }

    /// Adds to the number of lines read. Returns false if that exceeds [`MAX_READ_LINES`].
    fn spend_lines(&mut self, lines: usize) -> bool {
        self.read_line_count += lines as u64;
        self.read_line_count <= MAX_READ_LINES
    }

    /// Returns whether a verdict changes if the name of a user-agent line is removed from its
    /// group.
    fn name_removal_changes_verdict(&mut self, line: &Directive) -> Option<bool> {
        let robots_txt = self.evaluation.robots_txt;
        let name = robots_txt.text(line.name);
        if name.is_empty() {
            return Some(false);
        }
        let group = &robots_txt.groups()[line.group_no as usize - 1];
        if group.n_agents > 1 {
            let has_same_name = |other: &Directive| {
                other.kind == DirectiveKind::UserAgent
                    && other.counts
                    && other.line_no != line.line_no
                    && robots_txt.text(other.name) == name
            };
            let lines = robots_txt.group_directives(line.group_no);
            if !self.spend_lines(lines.len()) {
                return None;
            }
            if lines.iter().any(has_same_name) {
                return Some(false);
            }
        }
        let evaluator = &mut *self.evaluation.evaluator;
        let (groups, row) = if name == b"*" {
            (evaluator.agents.wildcard.name_groups, 0)
        } else {
            let entry = evaluator.agents.find(&robots_txt, name)?;
            // The first row is that of `*`.
            (evaluator.agents.entries[entry].name_groups, entry + 1)
        };
        let mut remaining_groups = Vec::new();
        evaluator.agents.write_groups(groups, &mut remaining_groups);
        remaining_groups.retain(|&group_no| group_no != line.group_no);
        let verdict = if remaining_groups.is_empty() && row > 0 {
            self.rows[0].verdict
        } else {
            let set = evaluator.google_sets.intern_groups(&remaining_groups);
            self.find_set_coverage(set)?.verdict
        };
        // A changed verdict of `*` counts too, because it applies to all crawlers that are not
        // named.
        Some(verdict != self.rows.get(row)?.verdict)
    }

    /// Returns whether the verdict of any set of groups changes if a rule is read strictly. Only
    /// the sets that contain the group of the rule are tested.
    fn rule_change_changes_verdict(
        &mut self,
        rule: &Directive,
        effect: StrictEffect,
    ) -> Option<bool> {
        let evaluator = &mut *self.evaluation.evaluator;
        let single_group_set = evaluator.google_sets.intern_groups(&[rule.group_no]);
        let is_used_by_agent = evaluator.google_sets.get(single_group_set).is_used_by_agent;
        if is_used_by_agent
            && self.rule_change_changes_set_verdict(single_group_set, rule, effect)?
        {
            return Some(true);
        }
        if self.sets_by_group.is_none() {
            self.sets_by_group = Some(self.gather_sets_by_group());
        }
        let sets = self.sets_by_group.as_deref().unwrap_or_default();
        let start = sets.partition_point(|entry| entry.group_no < rule.group_no);
        let count = sets[start..].partition_point(|entry| entry.group_no == rule.group_no);
        for i in start..start + count {
            let set = self.sets_by_group.as_ref().map_or(0, |sets| sets[i].set);
            if self.rule_change_changes_set_verdict(set, rule, effect)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Returns the entries of `sets_by_group`.
    fn gather_sets_by_group(&mut self) -> Vec<GroupInSet> {
        let sets = &self.evaluation.evaluator.google_sets;
        let mut entries = Vec::new();
        for (set, _) in sets.iter().filter(|(_, entry)| entry.is_used_by_agent) {
            let groups = sets.groups(set);
            if groups.len() > 1 {
                let group_in_set = |&group_no| GroupInSet { group_no, set };
                entries.extend(groups.iter().map(group_in_set));
            }
        }
        self.read_line_count += entries.len() as u64;
        entries.sort_unstable();
        entries
    }

    /// Returns whether the verdict of a set of groups changes if a rule is read strictly.
    fn rule_change_changes_set_verdict(
        &mut self,
        set: u32,
        rule: &Directive,
        effect: StrictEffect,
    ) -> Option<bool> {
        let before = self.find_set_coverage(set)?;
        // The proof of a verdict remains valid if rules outside the proof match fewer paths, but
        // not if they match more.
        let only_removes = effect != StrictEffect::RawValue;
        if only_removes
            && before
                .proof
                .is_some_and(|proof| !proof.contains(&rule.line_no))
        {
            return Some(false);
        }
        let after = self.verdict_with_changed_rule(set, rule, effect)?;
        Some(after != before.verdict)
    }

    /// Returns the coverage of a set of groups, or `None` if it is unknown because a limit was
    /// exceeded.
    fn find_set_coverage(&mut self, set: u32) -> Option<Coverage> {
        let known = self.evaluation.evaluator.google_sets.get(set).verdict;
        if known.is_none() && !self.spend_set_lines(set) {
            return None;
        }
        let coverage = self.evaluation.verdict_of_set(set).coverage;
        (coverage.verdict != Verdict::Unknown).then_some(coverage)
    }

    /// Adds the lines of a set of groups to the number of lines read. Returns false if that exceeds
    /// [`MAX_READ_LINES`].
    fn spend_set_lines(&mut self, set: u32) -> bool {
        let robots_txt = self.evaluation.robots_txt;
        let groups = self.evaluation.evaluator.google_sets.groups(set).iter();
        let lines = groups
            .map(|&group_no| robots_txt.group_directives(group_no).len())
            .sum();
        self.spend_lines(lines)
    }

    /// Computes the verdict of a set of groups with the rule `changed` read strictly.
    fn verdict_with_changed_rule(
        &mut self,
        set: u32,
        changed: &Directive,
        effect: StrictEffect,
    ) -> Option<Verdict> {
        if !self.spend_set_lines(set) {
            return None;
        }
        let robots_txt = self.evaluation.robots_txt;
        let mut raw = Vec::new();
        if effect == StrictEffect::RawValue {
            pattern::escape(robots_txt.text(changed.value_raw), &mut raw);
        }
        let evaluator = &mut *self.evaluation.evaluator;
        // The merged rules of the evaluation borrow from the body, which outlives `raw`, so they
        // cannot be used here.
        let mut merged = MergedRules::default();
        let groups = evaluator.google_sets.groups(set).iter();
        for line in groups.flat_map(|&group_no| robots_txt.group_directives(group_no)) {
            let allow = match line.kind {
                DirectiveKind::Allow => true,
                DirectiveKind::Disallow => false,
                _ => continue,
            };
            if !line.counts {
                continue;
            }
            let value = robots_txt.text(line.value);
            if line.line_no != changed.line_no {
                merged.add_google_rule(allow, line.line_no, value);
                continue;
            }
            match effect {
                StrictEffect::NoFolder => {
                    merged.add_google_rule_without_folder(allow, line.line_no, value)
                }
                StrictEffect::RawValue => {
                    merged.add_google_rule_without_folder(allow, line.line_no, &raw)
                }
                _ => {}
            }
        }
        let verdict = merged.compute_coverage(&mut evaluator.work_budget).verdict;
        (verdict != Verdict::Unknown).then_some(verdict)
    }

    /// Returns whether a verdict changes if the directive at `index` is removed from the file.
    fn line_removal_changes_verdict(&mut self, index: usize) -> Option<bool> {
        let robots_txt = self.evaluation.robots_txt;
        // The evaluation of the changed file reads each line about four times.
        if !self.spend_lines(4 * robots_txt.directives().len() + 16) {
            return None;
        }
        let file_without_line = self
            .file_without_line
            .get_or_insert_with(|| FileWithoutLine::new(&robots_txt));
        file_without_line.removal_changes_verdict(&robots_txt, self.rows, index)
    }
}

/// A copy of the file without one line, and an evaluator for it. The memory is reused for each
/// line.
#[derive(Default)]
struct FileWithoutLine {
    evaluator: Evaluator,
    document: DocumentData,
}

impl FileWithoutLine {
    fn new(robots_txt: &RobotsTxt<'_>) -> Self {
        let mut file_without_line = Self::default();
        let buffer = &robots_txt.document.buffer;
        file_without_line.document.buffer.clone_from(buffer);
        file_without_line
    }

    /// Returns true if the file without the directive at `removed_index` has another verdict for
    /// `*` or for a name in the file, or `None` if a verdict is unknown.
    fn removal_changes_verdict(
        &mut self,
        robots_txt: &RobotsTxt<'_>,
        rows: &[AgentVerdict<'_>],
        removed_index: usize,
    ) -> Option<bool> {
        let document = &mut self.document;
        document.directives.clear();
        document.groups.clear();
        let mut groups = GroupCounter::default();
        for (index, line) in robots_txt.directives().iter().enumerate() {
            if index == removed_index {
                continue;
            }
            let mut line = *line;
            match line.kind {
                DirectiveKind::UserAgent => {
                    if groups.pass_user_agent() {
                        document.groups.push(Group {
                            line_no: line.line_no,
                            first_directive: document.directives.len(),
                            ..Group::default()
                        });
                    }
                }
                DirectiveKind::Allow | DirectiveKind::Disallow => groups.pass_rule(),
                DirectiveKind::Sitemap | DirectiveKind::Other => {}
            }
            line.group_no = groups.group_no();
            document.directives.push(line);
        }
        let changed = RobotsTxt {
            body: robots_txt.body,
            document,
        };
        let mut evaluation = self.evaluator.evaluate(&changed);
        let changed_rows = evaluation.verdicts();
        if changed_rows
            .iter()
            .any(|row| row.verdict == Verdict::Unknown)
        {
            return None;
        }
        let agents = &evaluation.evaluator.agents;
        let is_changed = |row: &AgentVerdict<'_>| {
            // The first row is that of `*`, which applies to crawlers that are not named.
            let found = agents
                .find(&changed, row.agent)
                .map_or(0, |entry| entry + 1);
            changed_rows[found].verdict != row.verdict
        };
        Some(rows.iter().any(is_changed))
    }
}

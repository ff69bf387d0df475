//! Which liberties change a verdict.
//!
//! A line that Google's reading takes a liberty with is read by the grammar of
//! RFC 9309 instead, all others unchanged; the liberty changes a verdict if
//! `*` or any name of the file then has another. By definition that is a
//! judgement of a changed file ([`judge_changed`]); nearly all lines need much
//! less, since they touch one name or one rule.

use crate::anomaly::{Anomaly, Finding};
use crate::decider::{Decided, Decider};
use crate::key::Key;
use crate::pattern;
use crate::rfc9309::is_conforming;
use crate::robots::{Directive, Group, MARK, Parts, Robots, Span};
use crate::token::is_product_token;
use crate::verdict::{AgentVerdict, Judge, Names, Verdict};
use std::collections::HashMap;

/// Lines that may be looked at for one file; what is left then is not decided.
const WORK_MAX: u64 = 4_000_000;

/// What the grammar of RFC 9309 makes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strict {
    /// The same.
    Same,
    /// No directive at all.
    Removed,
    /// A user-agent line that addresses nobody.
    Nobody,
    /// A rule that matches nothing.
    Neutral,
    /// A rule whose folder is not allowed beside it (`index.htm`).
    NoFolder,
    /// A rule with the value as written.
    Raw,
}

fn strict(robots: &Robots<'_>, line: &Directive) -> Strict {
    if !is_conforming(robots, line) {
        return Strict::Removed;
    }
    let raw = robots.text(line.value_raw);
    if line.key == Key::UserAgent {
        return if is_product_token(raw) {
            Strict::Same
        } else {
            Strict::Nobody
        };
    }
    // No path holds a NUL.
    if raw.first() != Some(&b'/') || memchr::memchr(0, raw).is_some() {
        return if raw.is_empty() && line.value.is_empty() {
            Strict::Same
        } else {
            Strict::Neutral
        };
    }
    let mut escaped = Vec::new();
    pattern::escape(raw, &mut escaped);
    if escaped != robots.text(line.value) {
        return Strict::Raw;
    }
    let slash = memchr::memrchr(b'/', raw).unwrap_or(0);
    if line.key == Key::Allow && raw[slash..].starts_with(b"/index.htm") {
        Strict::NoFolder
    } else {
        Strict::Same
    }
}

/// The lines with liberties, in order, each once, and whether the liberty
/// changes a verdict; `None` past the work limit.
pub(crate) fn changes(robots: &Robots<'_>, rows: &[AgentVerdict<'_>]) -> Vec<(u32, Option<bool>)> {
    let liberties = robots
        .findings()
        .iter()
        .filter(|it| it.anomaly.is_liberty());
    let mut lines: Vec<(u32, Option<bool>)> = liberties
        .map(|it| {
            (
                if it.anomaly == Anomaly::PartialBom {
                    1
                } else {
                    it.line_no
                },
                None,
            )
        })
        .collect();
    if lines.is_empty() {
        return lines;
    }
    lines.sort_unstable();
    lines.dedup();
    let mut changes = Changes {
        robots,
        rows,
        names: Names::gather(robots),
        decided: HashMap::new(),
        sets_of_groups: HashMap::new(),
        work: 0,
    };
    changes.gather_sets();
    for (line_no, answer) in &mut lines {
        let at = robots
            .directives()
            .binary_search_by_key(line_no, |it| it.line_no);
        *answer = at.map_or(Some(false), |at| changes.of(at));
    }
    lines
}

/// Whether a finding changes a verdict, by the answers that
/// [`Judge::changes`] gave; never where no liberty was taken.
pub fn changes_verdict(changes: &[(u32, Option<bool>)], finding: &Finding) -> Option<bool> {
    if !finding.anomaly.is_liberty() {
        return Some(false);
    }
    let at = changes.binary_search_by_key(&finding.line_no.max(1), |change| change.0);
    at.map_or(Some(false), |at| changes[at].1)
}

struct Changes<'r, 'a> {
    robots: &'r Robots<'a>,
    rows: &'r [AgentVerdict<'a>],
    names: Names<'a>,
    decided: HashMap<Vec<u32>, Decided>,
    /// The sets of groups that decide for a name, by each group in them.
    sets_of_groups: HashMap<u32, Vec<Vec<u32>>>,
    work: u64,
}

impl<'a> Changes<'_, 'a> {
    fn gather_sets(&mut self) {
        let mut sets: Vec<&Vec<u32>> = self
            .names
            .in_order
            .iter()
            .map(|(_, places)| &places.by_name)
            .collect();
        sets.push(&self.names.everybody);
        sets.sort_unstable();
        sets.dedup();
        for set in sets {
            // Names in very many groups would make this square: such files
            // are judged anew instead, as far as the limit goes.
            self.work += set.len() as u64;
            for &group in set {
                self.sets_of_groups
                    .entry(group)
                    .or_default()
                    .push(set.clone());
            }
        }
    }

    /// Whether the strict reading of the directive at `at` changes a verdict.
    fn of(&mut self, at: usize) -> Option<bool> {
        let robots = self.robots;
        let line = &robots.directives()[at];
        if !line.counts
            || !matches!(line.key, Key::UserAgent | Key::Allow | Key::Disallow)
            || line.group_no == 0
        {
            return Some(false);
        }
        let strict = strict(robots, line);
        let group = &robots.groups()[line.group_no as usize - 1];
        let is_only_rule = group.n_allow + group.n_disallow == 1;
        let is_last_group = line.group_no as usize == robots.groups().len();
        match (strict, line.key) {
            (Strict::Same, _) => Some(false),
            (Strict::Nobody, _) => self.without_name(line),
            (Strict::Removed, Key::UserAgent) if group.n_agents > 1 => self.without_name(line),
            (Strict::Neutral | Strict::NoFolder, _) => self.with_rule(line, strict),
            (Strict::Removed, Key::Allow | Key::Disallow) if !is_only_rule || is_last_group => {
                self.with_rule(line, strict)
            }
            _ => self.judge_anew(at, strict),
        }
    }

    fn can_afford(&mut self, lines: usize) -> bool {
        self.work += lines as u64;
        self.work <= WORK_MAX
    }

    /// The name of a user-agent line is taken out of its group.
    fn without_name(&mut self, line: &Directive) -> Option<bool> {
        let robots = self.robots;
        let name = robots.text(line.name);
        let is_other = |it: &&Directive| {
            it.key == Key::UserAgent
                && it.counts
                && it.line_no != line.line_no
                && robots.text(it.name) == name
        };
        let lines = robots.group_directives(line.group_no);
        if !self.can_afford(lines.len() + self.rows.len()) {
            return None;
        }
        if name.is_empty() || lines.iter().any(|it| is_other(&it)) {
            return Some(false);
        }
        let without = |groups: &[u32]| {
            groups
                .iter()
                .copied()
                .filter(|&no| no != line.group_no)
                .collect::<Vec<u32>>()
        };
        if name == b"*" {
            let groups = without(&self.names.everybody);
            let verdict = self.decide(&groups)?.verdict;
            // Everybody who is not named has it.
            return Some(verdict != self.rows[0].verdict);
        }
        let at = self
            .names
            .in_order
            .iter()
            .position(|(agent, _)| *agent == name)?;
        let groups = without(&self.names.in_order[at].1.by_name);
        let verdict = if groups.is_empty() {
            self.rows[0].verdict
        } else {
            self.decide(&groups)?.verdict
        };
        self.rows
            .iter()
            .find(|row| row.agent == name)
            .map(|row| row.verdict != verdict)
    }

    /// A rule is read otherwise, in every set of groups that it stands in.
    fn with_rule(&mut self, line: &Directive, strict: Strict) -> Option<bool> {
        let sets = self
            .sets_of_groups
            .get(&line.group_no)
            .cloned()
            .unwrap_or_default();
        for set in sets {
            let before = self.decide(&set)?;
            if before
                .proof
                .is_some_and(|proof| !proof.contains(&line.line_no))
            {
                continue;
            }
            let after = self.decide_with(&set, Some((line.line_no, strict)))?;
            if after.verdict == Verdict::Unknown {
                return None;
            }
            if after.verdict != before.verdict {
                return Some(true);
            }
        }
        Some(false)
    }

    fn decide(&mut self, groups: &[u32]) -> Option<Decided> {
        if let Some(decided) = self.decided.get(groups) {
            return Some(*decided);
        }
        let decided = self.decide_with(groups, None)?;
        self.decided.insert(groups.to_vec(), decided);
        Some(decided)
    }

    fn decide_with(&mut self, groups: &[u32], changed: Option<(u32, Strict)>) -> Option<Decided> {
        let robots = self.robots;
        let mut decider = Decider::default();
        for &no in groups {
            let lines = robots.group_directives(no);
            if !self.can_afford(lines.len()) {
                return None;
            }
            for line in lines
                .iter()
                .filter(|it| it.counts && matches!(it.key, Key::Allow | Key::Disallow))
            {
                let (allow, value) = (line.key == Key::Allow, robots.text(line.value));
                match changed.filter(|(line_no, _)| *line_no == line.line_no) {
                    Some((_, Strict::NoFolder)) => decider.add_alone(allow, line.line_no, value),
                    Some(_) => {}
                    None => decider.add(allow, line.line_no, value),
                }
            }
        }
        let decided = decider.verdict();
        (decided.verdict != Verdict::Unknown).then_some(decided)
    }

    fn judge_anew(&mut self, at: usize, strict: Strict) -> Option<bool> {
        // A judgement looks at each line a few times.
        if !self.can_afford(4 * self.robots.directives().len() + 16) {
            return None;
        }
        judge_changed(self.robots, self.rows, at, strict)
    }
}

/// Judges the file with one line read otherwise: what `changes_verdict` means.
fn judge_changed(
    robots: &Robots<'_>,
    rows: &[AgentVerdict<'_>],
    at: usize,
    strict: Strict,
) -> Option<bool> {
    let mut parts = Parts {
        buffer: robots.parts.buffer.clone(),
        ..Parts::default()
    };
    let mut group_has_rules = false;
    for (index, line) in robots.directives().iter().enumerate() {
        let mut line = *line;
        if index == at {
            match strict {
                Strict::Same => {}
                Strict::Removed => continue,
                Strict::Nobody => {
                    line.name = Span::default();
                    line.token = Span::default();
                    // Not `*` either.
                    line.value = Span::default();
                }
                Strict::Neutral => line.value = Span::default(),
                Strict::NoFolder | Strict::Raw => {
                    let from = parts.buffer.len();
                    pattern::escape(robots.text(line.value_raw), &mut parts.buffer);
                    if strict == Strict::NoFolder {
                        // `/index.htm` and `/index.htm*` match the same, and the
                        // latter is no index to Google; it is longer by one.
                        return None;
                    }
                    line.value = Span {
                        start: from as u32 | MARK,
                        len: (parts.buffer.len() - from) as u32,
                    };
                }
            }
        }
        match line.key {
            Key::UserAgent => {
                if parts.groups.is_empty() || group_has_rules {
                    parts.groups.push(Group {
                        line_no: line.line_no,
                        first: parts.directives.len(),
                        ..Group::default()
                    });
                    group_has_rules = false;
                }
            }
            Key::Allow | Key::Disallow => group_has_rules |= !parts.groups.is_empty(),
            Key::Sitemap | Key::Other => {}
        }
        line.group_no = parts.groups.len() as u32;
        parts.directives.push(line);
    }
    let changed = Robots {
        body: robots.body,
        parts: &parts,
    };
    let judged = Judge::new().judge(&changed);
    if judged.iter().any(|row| row.verdict == Verdict::Unknown) {
        return None;
    }
    let of = |agent: &[u8]| {
        judged
            .iter()
            .find(|row| row.agent == agent)
            .unwrap_or(&judged[0])
            .verdict
    };
    Some(rows.iter().any(|row| of(row.agent) != row.verdict))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parser;

    fn changed(body: &str) -> Vec<(u32, Option<bool>)> {
        let mut parser = Parser::new();
        let robots = parser.parse(body.as_bytes());
        let rows = Judge::new().judge(&robots);
        changes(&robots, &rows)
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

    #[test]
    fn the_short_way_agrees_with_judging_the_changed_file() {
        let lines = [
            "User-agent: *",
            "User-agent: a",
            "User-agent: b",
            "User-agent: B2",
            "User-agent: a/1.0",
            "User-agent: * x",
            "Useragent: b",
            "Disallow: /",
            "Disallow /",
            "Disallow: *",
            "Dissallow: /a",
            "Disallow: /a",
            "Allow: /",
            "Allow: /a",
            "Allow /b",
            "Allow: */a",
            "Disallow:",
            "Disallowed: /b",
            "Allow: /a\0b",
            "Disallow: /\x0b",
            "",
        ];
        let mut seed = 0x9e37_79b9_7f4a_7c15u64;
        let mut random = move |below: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % below as u64) as usize
        };
        let mut compared = 0;
        for _ in 0..20_000 {
            let body: Vec<&str> = (0..1 + random(8))
                .map(|_| lines[random(lines.len())])
                .collect();
            let body = body.join("\n");
            let mut parser = Parser::new();
            let robots = parser.parse(body.as_bytes());
            let rows = Judge::new().judge(&robots);
            for (line_no, answer) in changes(&robots, &rows) {
                let Some(at) = robots
                    .directives()
                    .iter()
                    .position(|it| it.line_no == line_no)
                else {
                    continue;
                };
                let line = &robots.directives()[at];
                if matches!(line.key, Key::Sitemap | Key::Other) {
                    continue;
                }
                let strict = strict(&robots, line);
                assert_eq!(
                    answer,
                    judge_changed(&robots, &rows, at, strict),
                    "line {line_no} {strict:?} of {body:?}"
                );
                compared += 1;
            }
        }
        assert!(compared > 10_000, "only {compared} were compared");
    }
}

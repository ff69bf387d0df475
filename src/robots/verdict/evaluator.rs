//! Who decides what a file leaves to those whom it names.
//!
//! A [`Evaluator`] opens a [`Evaluation`] for each file: the names are gathered once, and
//! whatever is asked then is found out once for each set of groups. Where the
//! rules of a set say the same to `rfc9309` as to Google, so does the verdict.
//!
//! How rules are decided stands in `decider`.

use crate::dialect::koster1996;
use crate::dialect::rfc9309;
use crate::document::{Directive, RobotsTxt};
use crate::parse::directive_kind::DirectiveKind;
use crate::verdict::agents::{AgentEntry, AgentIndex, GroupList};
use crate::verdict::coverage::{Coverage, CoverageBuffers, MergedRules};
use crate::verdict::fingerprint::FingerprintBuffers;
use crate::verdict::group_sets::{EMPTY, GroupSetVerdict, GroupSets};
use crate::verdict::leniency::{self, LeniencyImpact};
use crate::verdict::{AgentVerdict, Basis, Verdict};

/// Lines that may be looked at while rules are merged, over all names. No real
/// file is known to come near this, or near the next.
const MERGED_LINES_MAX: u64 = 20_000_000;
/// Looks at rules while they are asked for paths, over all names.
pub(crate) const WORK_BUDGET: u64 = 50_000_000;

/// Decides verdicts, one file after the other, in the same memory.
///
/// # Example
///
/// ```
/// use robots::{Evaluator, Parser, Verdict};
///
/// let mut parser = Parser::new();
/// let robots = parser.parse(b"User-agent: MJ12bot\nDisallow: /\n");
/// let mut evaluator = Evaluator::new();
/// let mut evaluation = evaluator.evaluate(&robots);
/// let verdicts = evaluation.verdicts();
/// assert_eq!(verdicts[1].verdict, Verdict::DisallowAll);
/// // To RFC 9309 the name is none.
/// assert_eq!(verdicts[1].verdict_rfc9309, Verdict::AllowAll);
/// let impacts = evaluation.leniency_impacts(&verdicts);
/// assert_eq!((impacts[0].line_no, impacts[0].changes_verdict), (1, Some(true)));
/// ```
#[derive(Debug, Default)]
pub struct Evaluator {
    pub(crate) names: AgentIndex,
    /// Sets of Google's groups.
    pub(crate) sets: GroupSets,
    /// Sets of groups by `rfc9309`, where these are not the same.
    rfc9309_sets: GroupSets,
    /// Verdicts of the records by `koster1996`.
    records: Vec<Option<Verdict>>,
    memory: CoverageBuffers,
    memory_rfc9309: CoverageBuffers,
    pub(crate) fingerprint_buffers: FingerprintBuffers,
    merged_lines: u64,
    merged_lines_rfc9309: u64,
    pub(crate) work_budget: u64,
}

/// A file before its judge. What is asked is found out then, and once.
#[derive(Debug)]
pub struct Evaluation<'j, 'a> {
    pub(crate) evaluator: &'j mut Evaluator,
    pub(crate) robots: RobotsTxt<'a>,
    /// For one set after the other.
    pub(crate) decider: MergedRules<'a>,
}

impl Evaluator {
    /// Makes a judge.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens the case of a file.
    pub fn evaluate<'j, 'a>(&'j mut self, robots: &RobotsTxt<'a>) -> Evaluation<'j, 'a> {
        self.names.gather(robots);
        self.sets.clear(robots.groups().len());
        self.rfc9309_sets.clear(self.names.rfc9309_groups.len());
        self.records.clear();
        self.records.resize(self.names.records.len(), None);
        self.merged_lines = 0;
        self.merged_lines_rfc9309 = 0;
        self.work_budget = WORK_BUDGET;
        Evaluation {
            decider: MergedRules::new(&mut self.memory),
            evaluator: self,
            robots: *robots,
        }
    }

    /// The [verdicts](Evaluation::verdicts) of a file.
    pub fn verdicts<'a>(&mut self, robots: &RobotsTxt<'a>) -> Vec<AgentVerdict<'a>> {
        self.evaluate(robots).verdicts()
    }

    /// The [changes](Evaluation::leniency_impacts) of a file.
    pub fn leniency_impacts(
        &mut self,
        robots: &RobotsTxt<'_>,
        rows: &[AgentVerdict<'_>],
    ) -> Vec<LeniencyImpact> {
        self.evaluate(robots).leniency_impacts(rows)
    }
}

impl Drop for Evaluation<'_, '_> {
    fn drop(&mut self) {
        std::mem::take(&mut self.decider).leave(&mut self.evaluator.memory);
    }
}

impl<'a> Evaluation<'_, 'a> {
    /// Decides for `*` and for every whole name and token that the lines
    /// which count hold: `*` first, then in the order of their first lines.
    pub fn verdicts(&mut self) -> Vec<AgentVerdict<'a>> {
        let names = self.evaluator.names.in_order.len();
        let mut rows = Vec::with_capacity(names + 1);
        let star = self.evaluator.names.everybody;
        let everybody = self.decide_groups(star.by_name);
        let others_basis = if everybody.is_too_complex() {
            Basis::TooComplex
        } else if !star.by_name.is_empty() {
            Basis::Wildcard
        } else if names == 0 {
            Basis::NoRules
        } else {
            Basis::NoGroup
        };
        rows.push(AgentVerdict {
            verdict_rfc9309: self.decide_rfc9309(&star),
            verdict_koster1996: self.decide_koster1996(star.record),
            ..row(b"*", &everybody, everybody.decided.verdict, others_basis)
        });
        for at in 0..names {
            let name = self.evaluator.names.in_order[at];
            let agent = self.robots.text(name.text);
            let (own, basis) = if name.by_name.is_empty() {
                (everybody, others_basis)
            } else {
                let own = self.decide_groups(name.by_name);
                let basis = if own.is_too_complex() {
                    Basis::TooComplex
                } else {
                    Basis::Explicit
                };
                (own, basis)
            };
            // Nearly every name is a product token, in one group.
            let google = if name.by_token.is_empty() {
                everybody.decided.verdict
            } else if name.by_token.is_same_single(name.by_name) {
                own.decided.verdict
            } else {
                self.decide_groups(name.by_token).decided.verdict
            };
            let is_own_rfc9309 = own.is_plain && self.evaluator.names.all_conform;
            let verdict_rfc9309 = if name.by_rfc9309.is_empty() {
                rows[0].verdict_rfc9309
            } else if is_own_rfc9309 && name.by_rfc9309.is_same_single(name.by_name) {
                own.decided.verdict
            } else {
                self.decide_rfc9309(&name)
            };
            let verdict_koster1996 = if name.record == 0 {
                rows[0].verdict_koster1996
            } else {
                self.decide_koster1996(name.record)
            };
            rows.push(AgentVerdict {
                verdict_rfc9309,
                verdict_koster1996,
                ..row(agent, &own, google, basis)
            });
        }
        rows
    }

    /// Lines with liberties, in order, and whether reading each by the grammar
    /// of RFC 9309, all others unchanged, gives another `verdict` to `*` or to
    /// any name of the file; `None` past a work limit. `rows` are the
    /// [`verdicts`](Self::verdicts).
    pub fn leniency_impacts(&mut self, rows: &[AgentVerdict<'_>]) -> Vec<LeniencyImpact> {
        leniency::leniency_impacts(self, rows)
    }

    /// Decides for the groups of a name.
    fn decide_groups(&mut self, groups: GroupList) -> GroupSetVerdict {
        let set = self.evaluator.sets.of(&self.evaluator.names, groups);
        self.decide(set)
    }

    /// Decides for a set of groups, once.
    pub(crate) fn decide(&mut self, set: u32) -> GroupSetVerdict {
        if let Some(decision) = self.evaluator.sets.get(set).decision {
            return decision;
        }
        let decision = self.decide_anew(set);
        self.evaluator.sets.get(set).decision = Some(decision);
        decision
    }

    fn decide_anew(&mut self, set: u32) -> GroupSetVerdict {
        let robots = self.robots;
        let evaluator = &mut *self.evaluator;
        let groups = evaluator.sets.groups(set);
        let mut decision = GroupSetVerdict {
            decided: Coverage {
                verdict: Verdict::AllowAll,
                line_no: 0,
                proof: None,
            },
            is_root_allowed: true,
            n_allow: 0,
            n_disallow: 0,
            crawl_delay: None,
            evidence_line: groups
                .first()
                .map_or(0, |&no| robots.groups()[no as usize - 1].line_no),
            is_plain: true,
        };
        let decider = &mut self.decider;
        decider.clear();
        for &no in groups {
            decision.crawl_delay = decision
                .crawl_delay
                .or(robots.groups()[no as usize - 1].crawl_delay);
            let lines = robots.group_directives(no);
            evaluator.merged_lines += lines.len() as u64;
            if evaluator.merged_lines > MERGED_LINES_MAX {
                decision.decided.verdict = Verdict::Unknown;
                decision.is_plain = false;
                return decision;
            }
            for line in lines.iter().filter(|it| it.counts) {
                let allow = match line.kind {
                    DirectiveKind::Allow => true,
                    DirectiveKind::Disallow => false,
                    _ => continue,
                };
                decision.n_allow += u32::from(allow);
                decision.n_disallow += u32::from(!allow);
                let has_folder = decider.add(allow, line.line_no, robots.text(line.value));
                decision.is_plain =
                    decision.is_plain && !has_folder && rfc9309::is_plain(&robots, line);
            }
        }
        decision.is_root_allowed = decider.is_root_allowed();
        decision.decided = decider.decide(&mut evaluator.work_budget);
        if decision.decided.line_no != 0 {
            decision.evidence_line = decision.decided.line_no;
        }
        decision
    }

    /// Decides for the groups of a name by `rfc9309` (§2.2.1).
    fn decide_rfc9309(&mut self, name: &AgentEntry) -> Verdict {
        let evaluator = &mut *self.evaluator;
        if evaluator.names.all_conform {
            let set = evaluator.sets.of(&evaluator.names, name.by_rfc9309);
            let decision = self.decide(set);
            if decision.is_plain {
                return decision.decided.verdict;
            }
            let evaluator = &mut *self.evaluator;
            let known = evaluator.sets.get(set).rfc9309;
            return known.unwrap_or_else(|| {
                let verdict = evaluator.merge_rfc9309(&self.robots, set, false);
                evaluator.sets.get(set).rfc9309 = Some(verdict);
                verdict
            });
        }
        let set = evaluator.rfc9309_sets.of(&evaluator.names, name.by_rfc9309);
        let known = evaluator.rfc9309_sets.get(set).rfc9309;
        known.unwrap_or_else(|| {
            let verdict = evaluator.merge_rfc9309(&self.robots, set, true);
            evaluator.rfc9309_sets.get(set).rfc9309 = Some(verdict);
            verdict
        })
    }

    /// Decides for a record by `koster1996`, from 1; 0 is none.
    fn decide_koster1996(&mut self, record: u32) -> Verdict {
        let Some(at) = (record as usize).checked_sub(1) else {
            return Verdict::AllowAll;
        };
        let known = self.evaluator.records[at];
        known.unwrap_or_else(|| {
            let first = self.evaluator.names.records[at].first as usize;
            let rules = koster1996::rules_from(&self.robots, first);
            let verdict = koster1996::verdict(rules.map(|(allow, _, text)| (allow, text)));
            self.evaluator.records[at] = Some(verdict);
            verdict
        })
    }
}

impl Evaluator {
    /// Merges the rules of a set of groups as `rfc9309` reads them; whether
    /// the groups are its own, or Google's.
    fn merge_rfc9309(&mut self, robots: &RobotsTxt<'_>, set: u32, are_own: bool) -> Verdict {
        if set == EMPTY {
            return Verdict::AllowAll;
        }
        let sets = if are_own {
            &self.rfc9309_sets
        } else {
            &self.sets
        };
        let begins = &self.names.rfc9309_groups;
        let directives = robots.directives();
        let groups = sets.groups(set).iter().map(|&no| {
            if !are_own {
                return robots.group_directives(no);
            }
            let end = begins.get(no as usize);
            let end = end.map_or(directives.len(), |&end| end as usize);
            &directives[begins[no as usize - 1] as usize..end]
        });
        let lines: usize = groups.clone().map(<[Directive]>::len).sum();
        self.merged_lines_rfc9309 += lines as u64;
        if self.merged_lines_rfc9309 > MERGED_LINES_MAX {
            return Verdict::Unknown;
        }
        let rules = groups.flatten().filter(|it| {
            it.counts
                && matches!(it.kind, DirectiveKind::Allow | DirectiveKind::Disallow)
                && rfc9309::is_conforming(it)
        });
        let rules = rules.map(|it| {
            let value = robots.text(it.value_raw);
            (it.kind == DirectiveKind::Allow, it.line_no, value)
        });
        MergedRules::decide_rfc9309(rules, &mut self.memory_rfc9309, &mut self.work_budget)
    }
}

impl GroupSetVerdict {
    fn is_too_complex(&self) -> bool {
        self.decided.verdict == Verdict::Unknown
    }
}

impl<'a> RobotsTxt<'a> {
    /// The directives from the first line of group `no` up to the next group.
    pub fn group_directives(&self, no: u32) -> &'a [Directive] {
        let groups = self.groups();
        let end = groups
            .get(no as usize)
            .map_or(self.directives().len(), |next| next.first);
        &self.directives()[groups[no as usize - 1].first..end]
    }
}

fn row<'a>(
    agent: &'a [u8],
    decision: &GroupSetVerdict,
    verdict_google: Verdict,
    basis: Basis,
) -> AgentVerdict<'a> {
    AgentVerdict {
        agent,
        verdict: decision.decided.verdict,
        verdict_google,
        verdict_rfc9309: Verdict::Unknown,
        verdict_koster1996: Verdict::Unknown,
        basis,
        is_root_allowed: decision.is_root_allowed,
        n_allow: decision.n_allow,
        n_disallow: decision.n_disallow,
        crawl_delay: decision.crawl_delay,
        evidence_line: decision.evidence_line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parser;

    fn verdict(body: &str) -> Verdict {
        let mut parser = Parser::new();
        let robots = parser.parse(body.as_bytes());
        Evaluator::new().verdicts(&robots)[0].verdict
    }

    fn of_rules(rules: &[(bool, &str)]) -> String {
        let mut body = String::from("user-agent: *\n");
        for (allow, path) in rules {
            body.push_str(if *allow { "allow: " } else { "disallow: " });
            body.push_str(path);
            body.push('\n');
        }
        body
    }

    #[test]
    fn verdicts_are_what_the_design_defines() {
        use Verdict::{AllowAll, DisallowAll, Partial};
        let cases: &[(&[(bool, &str)], Verdict)] = &[
            (&[], AllowAll),
            (&[(false, "")], AllowAll),
            (&[(false, "/")], DisallowAll),
            (&[(false, "/*")], DisallowAll),
            (&[(false, "*")], DisallowAll),
            (&[(false, "/x")], Partial),
            (&[(false, "x")], AllowAll),
            (&[(false, "/"), (true, "/$")], Partial),
            (&[(false, "/"), (true, "/")], AllowAll),
            (&[(false, "/"), (true, "/a"), (false, "/a*")], DisallowAll),
            (
                &[(false, "/"), (true, "/a"), (false, "/a*"), (true, "/a*b")],
                Partial,
            ),
            (&[(false, "/"), (true, "/robots.txt$")], DisallowAll),
            (&[(false, "/"), (true, "/robots.txt")], Partial),
            (&[(false, "/robots.txt$")], AllowAll),
            (&[(false, "/robots.txt")], Partial),
            (&[(false, "/a"), (true, "/a*")], AllowAll),
            (
                &[(false, "/"), (true, "/index.html"), (false, "/index.html*")],
                Partial,
            ),
            (&[(false, "/$"), (false, "/*")], DisallowAll),
            (
                &[(true, "/*/"), (false, "/*"), (false, "/**/")],
                DisallowAll,
            ),
        ];
        for (rules, expected) in cases {
            assert_eq!(verdict(&of_rules(rules)), *expected, "{rules:?}");
        }
    }

    #[test]
    fn names_are_compared_whole_for_verdict_and_cut_for_google() {
        let mut parser = Parser::new();
        let robots = parser.parse(b"User-agent: MJ12bot\nDisallow: /\n");
        let rows = Evaluator::new().verdicts(&robots);
        let seen: Vec<_> = rows
            .iter()
            .map(|it| (it.agent, it.verdict, it.verdict_google, it.basis))
            .collect();
        use Verdict::{AllowAll, DisallowAll};
        assert_eq!(
            seen,
            [
                (&b"*"[..], AllowAll, AllowAll, Basis::NoGroup),
                (b"mj12bot", DisallowAll, AllowAll, Basis::Explicit),
                (b"mj", AllowAll, DisallowAll, Basis::NoGroup),
            ]
        );
    }

    #[test]
    fn a_file_that_names_nobody_has_no_rules() {
        let mut parser = Parser::new();
        let robots = parser.parse(b"Sitemap: http://h/s.xml\nDisallow: /\n");
        let rows = Evaluator::new().verdicts(&robots);
        assert_eq!(
            (rows.len(), rows[0].basis, rows[0].verdict),
            (1, Basis::NoRules, Verdict::AllowAll)
        );
    }
}

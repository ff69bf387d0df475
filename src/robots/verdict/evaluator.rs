//! The evaluator: computes the verdicts for every crawler named in a file.
//!
//! An [`Evaluator`] creates an [`Evaluation`] for each file, which gathers the names of the file.
//! Each result is computed when it is first needed, once for each set of groups. If all rules of a
//! set have the same effect in `rfc9309` as for Google's parser, both dialects share the verdict.
//!
//! [`coverage`](super::coverage) computes the verdict of a set of rules.

use super::agents::{AgentEntry, AgentIndex, GroupList};
use super::coverage::{
    Coverage, CoverageBuffers, MAX_QUERY_OVERHEAD_COMPARISONS, MergedRules, RawRule, WORK_BUDGET,
    compute_merged_verdict_rfc9309,
};
use super::fingerprint::FingerprintBuffers;
use super::group_sets::{EMPTY_SET, GroupSetVerdict, GroupSets};
use super::{AgentVerdict, Basis, Verdict};
use crate::dialect::{koster1996, rfc9309};
use crate::document::{Directive, DirectiveKind, RobotsTxt};

/// The largest number of lines that are read while rules are merged, for all names of a file. No
/// real file is known to come near it.
const MAX_MERGED_LINES: u64 = 20_000_000;

/// Computes verdicts of files one after the other, and reuses its memory.
///
/// # Example
///
/// ```
/// use robotstxt_dialects::{Evaluator, Parser, Verdict};
///
/// let mut parser = Parser::new();
/// let robots_txt = parser.parse(b"User-agent: MJ12bot\nDisallow: /\n");
/// let mut evaluator = Evaluator::new();
/// let mut evaluation = evaluator.evaluate(&robots_txt);
/// let verdicts = evaluation.verdicts();
/// assert_eq!(verdicts[1].verdict, Verdict::DisallowAll);
/// // MJ12bot is not a product token of RFC 9309.
/// assert_eq!(verdicts[1].verdict_rfc9309, Verdict::AllowAll);
/// let impacts = evaluation.leniency_impacts(&verdicts);
/// assert_eq!((impacts[0].line_no, impacts[0].changes_verdict), (1, Some(true)));
/// ```
#[derive(Debug, Default)]
pub struct Evaluator {
    pub(crate) agents: AgentIndex,
    /// Sets of the groups of Google's parser.
    pub(crate) google_sets: GroupSets,
    /// Sets of the groups of `rfc9309`, used if these differ from the groups of Google's parser.
    rfc9309_sets: GroupSets,
    /// The verdicts of the records of `koster1996`; `None` until they are computed.
    koster_verdicts: Vec<Option<Verdict>>,
    buffers: CoverageBuffers,
    buffers_rfc9309: CoverageBuffers,
    fingerprint_buffers: FingerprintBuffers,
    /// The number of lines read so far to merge the rules of `google_sets`.
    merged_line_count: u64,
    /// The number of lines read so far to merge rules of `rfc9309`.
    merged_line_count_rfc9309: u64,
    /// The number of comparisons that remain for the file.
    pub(crate) work_budget: u64,
}

/// The evaluation of one file. Results are computed when they are first needed.
#[derive(Debug)]
pub struct Evaluation<'e, 'a> {
    pub(crate) evaluator: &'e mut Evaluator,
    pub(crate) robots_txt: RobotsTxt<'a>,
    /// The merged rules of the set that is being evaluated.
    merged: MergedRules<'a>,
}

impl Evaluator {
    /// Creates an evaluator. It allocates memory when it evaluates the first file.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts the evaluation of a file.
    pub fn evaluate<'e, 'a>(&'e mut self, robots_txt: &RobotsTxt<'a>) -> Evaluation<'e, 'a> {
        self.agents.gather(robots_txt);
        self.google_sets.clear(robots_txt.groups().len());
        self.rfc9309_sets
            .clear(self.agents.rfc9309_group_starts.len());
        self.koster_verdicts.clear();
        let record_count = self.agents.koster_record_starts.len();
        self.koster_verdicts.resize(record_count, None);
        self.merged_line_count = 0;
        self.merged_line_count_rfc9309 = 0;
        self.work_budget = WORK_BUDGET;
        Evaluation {
            merged: MergedRules::new(&mut self.buffers),
            evaluator: self,
            robots_txt: *robots_txt,
        }
    }

    /// Returns the [verdicts](Evaluation::verdicts) of a file.
    pub fn verdicts<'a>(&mut self, robots_txt: &RobotsTxt<'a>) -> Vec<AgentVerdict<'a>> {
        self.evaluate(robots_txt).verdicts()
    }

    /// Computes the verdict of a set of groups in `rfc9309`.
    fn compute_verdict_rfc9309(
        &mut self,
        robots_txt: &RobotsTxt<'_>,
        set: u32,
        group_dialect: GroupDialect,
    ) -> Verdict {
        if set == EMPTY_SET {
            return Verdict::AllowAll;
        }
        let sets = match group_dialect {
            GroupDialect::Rfc9309 => &self.rfc9309_sets,
            GroupDialect::Google => &self.google_sets,
        };
        let starts = &self.agents.rfc9309_group_starts;
        let directives = robots_txt.directives();
        let groups = sets.groups(set).iter().map(|&group_no| {
            if group_dialect == GroupDialect::Google {
                return robots_txt.group_directives(group_no);
            }
            let end = starts.get(group_no as usize);
            let end = end.map_or(directives.len(), |&end| end as usize);
            &directives[starts[group_no as usize - 1] as usize..end]
        });
        let line_count: usize = groups.clone().map(<[Directive]>::len).sum();
        self.merged_line_count_rfc9309 += line_count as u64;
        if self.merged_line_count_rfc9309 > MAX_MERGED_LINES {
            return Verdict::Unknown;
        }
        let rules = groups
            .flatten()
            .filter(|line| line.counts && line.is_rule() && rfc9309::is_conforming(line));
        let rules = rules.map(|rule| RawRule {
            allow: rule.kind == DirectiveKind::Allow,
            line_no: rule.line_no,
            value: robots_txt.text(rule.value_raw),
        });
        compute_merged_verdict_rfc9309(rules, &mut self.buffers_rfc9309, &mut self.work_budget)
    }
}

/// The dialect whose groups a set contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GroupDialect {
    Google,
    Rfc9309,
}

impl Drop for Evaluation<'_, '_> {
    fn drop(&mut self) {
        std::mem::take(&mut self.merged).recycle(&mut self.evaluator.buffers);
    }
}

impl<'a> Evaluation<'_, 'a> {
    /// Returns true if it is certain, without computing a verdict, that no verdict of the file
    /// exceeds the work budget. May return false although no verdict exceeds it.
    pub fn fits_work_budget(&self) -> bool {
        let robots_txt = &self.robots_txt;
        let summary = robots_txt.summary();
        // Each name needs at most four verdicts of sets of groups: those of Google's rules for the
        // groups of its name, of its token and of `rfc9309`, and that of `rfc9309`.
        let set_count = 4 * (self.evaluator.agents.entries.len() as u64 + 1);
        // A line has at most two rules, itself and the folder of an `index.htm`. Each of them has
        // at most three paths, and each path is compared with all rules.
        let rule_count = 2 * (u64::from(summary.n_allow) + u64::from(summary.n_disallow));
        let comparisons =
            (3 * rule_count).saturating_mul(rule_count + MAX_QUERY_OVERHEAD_COMPARISONS);
        set_count.saturating_mul(comparisons) <= WORK_BUDGET
            && set_count.saturating_mul(robots_txt.directives().len() as u64) <= MAX_MERGED_LINES
    }

    /// Computes the verdicts for `*` and for each whole name and product token in the lines that
    /// count: first `*`, then the names in the order of their first lines.
    ///
    /// Verdicts are exact. If a file exceeds the work budget, the remaining verdicts are
    /// [`Verdict::Unknown`].
    pub fn verdicts(&mut self) -> Vec<AgentVerdict<'a>> {
        let count = self.evaluator.agents.entries.len();
        let mut rows = Vec::with_capacity(count + 1);
        let wildcard = self.evaluator.agents.wildcard;
        let wildcard_verdict = self.verdict_of_groups(wildcard.name_groups);
        let fallback_basis = if wildcard_verdict.is_too_complex() {
            Basis::TooComplex
        } else if !wildcard.name_groups.is_empty() {
            Basis::Wildcard
        } else if count == 0 {
            Basis::from_content_class(self.robots_txt.summary().content)
        } else {
            Basis::NoGroup
        };
        let verdict = wildcard_verdict.coverage.verdict;
        rows.push(AgentVerdict {
            verdict_rfc9309: self.agent_verdict_rfc9309(&wildcard),
            verdict_koster1996: self.verdict_koster1996(wildcard.koster_record_no),
            crawl_delay_ms: wildcard.crawl_delay_ms,
            ..make_row(b"*", &wildcard_verdict, verdict, fallback_basis)
        });
        for i in 0..count {
            let agent = self.evaluator.agents.entries[i];
            let name = self.robots_txt.text(agent.text);
            let (own, basis, crawl_delay_ms) = if agent.name_groups.is_empty() {
                (wildcard_verdict, fallback_basis, wildcard.crawl_delay_ms)
            } else {
                let own = self.verdict_of_groups(agent.name_groups);
                let basis = if own.is_too_complex() {
                    Basis::TooComplex
                } else {
                    Basis::Explicit
                };
                (own, basis, agent.crawl_delay_ms)
            };
            // Nearly every name is a product token in a single group, so the dialects share a
            // verdict.
            let verdict_google = if agent.token_groups.is_empty() {
                wildcard_verdict.coverage.verdict
            } else if agent.token_groups.is_same_single(agent.name_groups) {
                own.coverage.verdict
            } else {
                self.verdict_of_groups(agent.token_groups).coverage.verdict
            };
            let has_same_effect =
                own.has_same_effect_in_rfc9309 && self.evaluator.agents.all_conform;
            let verdict_rfc9309 = if agent.rfc9309_groups.is_empty() {
                rows[0].verdict_rfc9309
            } else if has_same_effect && agent.rfc9309_groups.is_same_single(agent.name_groups) {
                own.coverage.verdict
            } else {
                self.agent_verdict_rfc9309(&agent)
            };
            let verdict_koster1996 = if agent.koster_record_no == 0 {
                rows[0].verdict_koster1996
            } else {
                self.verdict_koster1996(agent.koster_record_no)
            };
            rows.push(AgentVerdict {
                verdict_rfc9309,
                verdict_koster1996,
                crawl_delay_ms,
                ..make_row(name, &own, verdict_google, basis)
            });
        }
        rows
    }

    /// Returns the fingerprint of the file: a hash of the sorted set of (name, sorted set of its
    /// merged rules) according to [`AgentVerdict::verdict`].
    ///
    /// Files that give every crawler the same rules have the same fingerprint, regardless of the
    /// order of groups and lines, comments, sitemaps, and the case of keys. A rule is its direction
    /// and its escaped path. Empty rules are ignored; names without rules are included. The
    /// fingerprint is as stable as `hash`.
    pub fn fingerprint(&mut self, hash: impl Fn(&[u8]) -> u64) -> u64 {
        let evaluator = &mut *self.evaluator;
        evaluator.fingerprint_buffers.fingerprint(
            &self.robots_txt,
            &evaluator.agents,
            &mut evaluator.google_sets,
            hash,
        )
    }

    /// Returns the verdict of the groups of an agent.
    fn verdict_of_groups(&mut self, groups: GroupList) -> GroupSetVerdict {
        let set = self
            .evaluator
            .google_sets
            .intern_agent_groups(&self.evaluator.agents, groups);
        self.verdict_of_set(set)
    }

    /// Returns the verdict of a set of groups. It is computed at the first call for the set.
    pub(crate) fn verdict_of_set(&mut self, set: u32) -> GroupSetVerdict {
        if let Some(verdict) = self.evaluator.google_sets.get(set).verdict {
            return verdict;
        }
        let verdict = self.compute_verdict_of_set(set);
        self.evaluator.google_sets.get(set).verdict = Some(verdict);
        verdict
    }

    fn compute_verdict_of_set(&mut self, set: u32) -> GroupSetVerdict {
        let robots_txt = self.robots_txt;
        let evaluator = &mut *self.evaluator;
        let groups = evaluator.google_sets.groups(set);
        let first_group = groups.first();
        let mut verdict = GroupSetVerdict {
            coverage: Coverage::NO_RULES,
            is_root_allowed: true,
            n_allow: 0,
            n_disallow: 0,
            evidence_line: first_group
                .map(|&group_no| robots_txt.groups()[group_no as usize - 1].line_no),
            has_same_effect_in_rfc9309: true,
        };
        let merged = &mut self.merged;
        merged.clear();
        for &group_no in groups {
            let lines = robots_txt.group_directives(group_no);
            evaluator.merged_line_count += lines.len() as u64;
            if evaluator.merged_line_count > MAX_MERGED_LINES {
                verdict.coverage = Coverage {
                    verdict: Verdict::Unknown,
                    line_no: None,
                    proof: None,
                };
                verdict.has_same_effect_in_rfc9309 = false;
                return verdict;
            }
            for line in lines.iter().filter(|line| line.counts) {
                let allow = match line.kind {
                    DirectiveKind::Allow => true,
                    DirectiveKind::Disallow => false,
                    _ => continue,
                };
                verdict.n_allow += u32::from(allow);
                verdict.n_disallow += u32::from(!allow);
                let has_folder =
                    merged.add_google_rule(allow, line.line_no, robots_txt.text(line.value));
                verdict.has_same_effect_in_rfc9309 = verdict.has_same_effect_in_rfc9309
                    && !has_folder
                    && rfc9309::has_same_effect_for_google(&robots_txt, line);
            }
        }
        verdict.is_root_allowed = merged.is_root_allowed();
        verdict.coverage = merged.compute_coverage(&mut evaluator.work_budget);
        verdict.evidence_line = verdict.coverage.line_no.or(verdict.evidence_line);
        verdict
    }

    /// Returns the verdict of the groups of an agent in `rfc9309` (§2.2.1).
    fn agent_verdict_rfc9309(&mut self, agent: &AgentEntry) -> Verdict {
        let evaluator = &mut *self.evaluator;
        if evaluator.agents.all_conform {
            let set = evaluator
                .google_sets
                .intern_agent_groups(&evaluator.agents, agent.rfc9309_groups);
            let verdict = self.verdict_of_set(set);
            if verdict.has_same_effect_in_rfc9309 {
                return verdict.coverage.verdict;
            }
            let evaluator = &mut *self.evaluator;
            let known = evaluator.google_sets.get(set).verdict_rfc9309;
            return known.unwrap_or_else(|| {
                let verdict =
                    evaluator.compute_verdict_rfc9309(&self.robots_txt, set, GroupDialect::Google);
                evaluator.google_sets.get(set).verdict_rfc9309 = Some(verdict);
                verdict
            });
        }
        let groups = agent.rfc9309_groups;
        let set = evaluator
            .rfc9309_sets
            .intern_agent_groups(&evaluator.agents, groups);
        let known = evaluator.rfc9309_sets.get(set).verdict_rfc9309;
        known.unwrap_or_else(|| {
            let verdict =
                evaluator.compute_verdict_rfc9309(&self.robots_txt, set, GroupDialect::Rfc9309);
            evaluator.rfc9309_sets.get(set).verdict_rfc9309 = Some(verdict);
            verdict
        })
    }

    /// Returns the verdict of a record of `koster1996`. Records are numbered from 1; 0 means no
    /// record.
    fn verdict_koster1996(&mut self, record_no: u32) -> Verdict {
        let Some(index) = (record_no as usize).checked_sub(1) else {
            return Verdict::AllowAll;
        };
        let known = self.evaluator.koster_verdicts[index];
        known.unwrap_or_else(|| {
            let first = self.evaluator.agents.koster_record_starts[index] as usize;
            let verdict =
                koster1996::compute_verdict(koster1996::iter_record_rules(&self.robots_txt, first));
            self.evaluator.koster_verdicts[index] = Some(verdict);
            verdict
        })
    }
}

impl GroupSetVerdict {
    fn is_too_complex(&self) -> bool {
        self.coverage.verdict == Verdict::Unknown
    }
}

/// Makes the [`AgentVerdict`] of an agent. The caller replaces the verdicts of `rfc9309` and
/// `koster1996`, and the crawl-delay.
fn make_row<'a>(
    agent: &'a [u8],
    own: &GroupSetVerdict,
    verdict_google: Verdict,
    basis: Basis,
) -> AgentVerdict<'a> {
    AgentVerdict {
        agent,
        verdict: own.coverage.verdict,
        verdict_google,
        verdict_rfc9309: Verdict::Unknown,
        verdict_koster1996: Verdict::Unknown,
        basis,
        is_root_allowed: own.is_root_allowed,
        n_allow: own.n_allow,
        n_disallow: own.n_disallow,
        crawl_delay_ms: None,
        evidence_line: own.evidence_line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parser;

    fn body_of_rules(rules: &[(bool, &str)]) -> String {
        let mut body = String::from("user-agent: *\n");
        for (allow, path) in rules {
            body.push_str(if *allow { "allow: " } else { "disallow: " });
            body.push_str(path);
            body.push('\n');
        }
        body
    }

    #[test]
    fn a_file_that_fits_the_work_budget_is_decided() {
        let evaluate = |body: &str| {
            let mut parser = Parser::new();
            let robots_txt = parser.parse(body.as_bytes());
            let mut evaluator = Evaluator::new();
            let mut evaluation = evaluator.evaluate(&robots_txt);
            let fits = evaluation.fits_work_budget();
            let rows = evaluation.verdicts();
            (fits, !rows.iter().any(AgentVerdict::is_undecided))
        };
        let overruled_body = |count: usize| {
            let rule = |i| format!("Allow: /*a{i}b*{i}\nDisallow: /*a{i}b*{i}*\n");
            let rules: String = (0..count).map(rule).collect();
            format!("User-agent: *\nDisallow: /\n{rules}")
        };
        assert_eq!(evaluate(""), (true, true));
        assert_eq!(evaluate(&overruled_body(300)), (true, true));
        // All verdicts of this file are decided, but that is not known in advance.
        assert_eq!(evaluate(&overruled_body(1000)), (false, true));
        assert_eq!(evaluate(&overruled_body(4000)), (false, false));
        // The same rules for many names that need sets of their own.
        let repeat_for_names = |names: usize| {
            let names = (0..names).map(|i| format!("User-agent: a{i}\n{}", overruled_body(100)));
            names.collect::<String>()
        };
        assert_eq!(evaluate(&repeat_for_names(1)), (true, true));
        assert!(!evaluate(&repeat_for_names(50)).0);
    }

    #[test]
    fn verdict_compares_whole_names_and_verdict_google_compares_tokens() {
        let mut parser = Parser::new();
        let robots_txt = parser.parse(b"User-agent: MJ12bot\nDisallow: /\n");
        let rows = Evaluator::new().verdicts(&robots_txt);
        let seen: Vec<_> = rows
            .iter()
            .map(|row| (row.agent, row.verdict, row.verdict_google, row.basis))
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
    fn a_crawl_delay_belongs_to_the_names_directly_above_it() {
        for (body, expected) in [
            (
                // Without a rule between them, these lines are one group of all names.
                "User-agent: a\nCrawl-delay: 1\n\nUser-agent: b\n# both\n\nUser-agent: c\n\
                 Crawl-delay: x\nCrawl-delay: 2\nCrawl-delay: 3\nUser-agent: d\nDisallow: /\n\
                 User-agent: *\nCrawl-delay: 20\n",
                &[Some(20), Some(1), Some(2), Some(2), None][..],
            ),
            (
                // A rule ends the names of the delay, too, but the delay may follow it.
                "User-agent: a\nUser-agent: b\nDisallow: /\nCrawl-delay: 4\nUser-agent: *\nAllow: /\n",
                &[None, Some(4), Some(4)],
            ),
            (
                // So does a line of any other kind.
                "User-agent: a\nSitemap: s\nUser-agent: b\nFoo: x\nUser-agent: c\nCrawl-delay: 5\n",
                &[None, None, None, Some(5)],
            ),
            (
                // All lines of a name are read, in their order.
                "Crawl-delay: 9\nUser-agent: *\nCrawl-delay: 6\nUser-agent: a\nDisallow: /\n\
                 User-agent: A/1.0\nCrawl-delay: 7\nUser-agent: a\nCrawl-delay: 8\n",
                &[Some(6), Some(7)],
            ),
        ] {
            let mut parser = Parser::new();
            let rows = Evaluator::new().verdicts(&parser.parse(body.as_bytes()));
            let delays = rows.iter().map(|row| row.crawl_delay_ms);
            let delays: Vec<_> = delays.map(|delay| delay.map(|ms| ms / 1000)).collect();
            assert_eq!(delays, expected, "{body:?}");
        }
    }

    #[test]
    fn the_evidence_is_a_line_that_decides_for_the_verdict() {
        for (rules, expected) in [
            (&[(false, "/"), (true, "/")][..], 3),
            (&[(true, "/"), (false, "")], 2),
            (&[(true, "/a"), (false, "/b"), (true, "/b*")], 4),
            (&[(true, "/a")], 2),
            (&[(true, "/a"), (true, "/")], 3),
            (&[(true, "/"), (false, "/a"), (true, "/a")], 2),
            (&[(false, "")], 1),
            (&[], 1),
            (&[(false, "/robots.txt$"), (true, "/robots.txt$")], 1),
            (&[(true, "/a"), (false, "/a*"), (false, "/")], 4),
            (&[(true, "/a"), (false, "/")], 3),
            (&[(false, "/a"), (true, "/a"), (false, "/b")], 4),
        ] {
            let body = body_of_rules(rules);
            let mut parser = Parser::new();
            let rows = Evaluator::new().verdicts(&parser.parse(body.as_bytes()));
            assert_eq!(rows[0].evidence_line, Some(expected), "{body}");
        }
    }

    #[test]
    fn a_file_without_agents_has_the_basis_no_rules() {
        let mut parser = Parser::new();
        let robots_txt = parser.parse(b"Sitemap: http://h/s.xml\nDisallow: /\n");
        let rows = Evaluator::new().verdicts(&robots_txt);
        assert_eq!(
            (rows.len(), rows[0].basis, rows[0].verdict),
            (1, Basis::NoRules, Verdict::AllowAll)
        );
    }
}

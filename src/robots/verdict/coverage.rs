//! Coverage: whether the rules of a crawler allow all, some or no paths, in the dialects in which
//! the longest rule wins.
//!
//! The result is exact, and no path has to be searched for. The *own path* of a rule is its pattern
//! with an octet that occurs in no rule ([`UNUSED_OCTET`]) in place of each `*`, and one more at
//! the end unless the end is anchored. A pattern can match such an octet only with a `*` or with
//! its own open end, where it would match any other octets as well. So a pattern that matches the
//! own path matches all paths that the rule matches. If a rule decides some path, no rule of higher
//! precedence matches that path; hence none matches the own path, and the rule, or one of the same
//! precedence, decides the own path. Testing the own path of every rule is sufficient. There are
//! two special cases:
//!
//! - Paths begin with `/`. A rule that begins with `*` is the union of two rules: one with `/` before
//!   the `*`, and, if `/` follows it, one without the `*`. Each has its own path.
//! - `/robots.txt` is excluded. It is the own path only of rules that match nothing else.
//!
//! If no rule matches, the path is allowed, as if by a rule for everything with the lowest
//! precedence.
//!
//! Most sets of rules need no path at all, since rules that match everything decide them.
//!
//! If you change what a pattern matches, also check [`pattern`](crate::pattern). The oracle in
//! `tests/checks/oracle/reach.rs` searches all paths.

use super::Verdict;
use crate::dialect::rfc9309::{self, EITHER_DOLLAR, RuleValue};
use crate::pattern;
use crate::pattern::compiled::CompiledRules;

/// The work budget: the largest number of comparisons of a rule with a path, for all names of a
/// file together. No real file is known to come near it.
pub(crate) const WORK_BUDGET: u64 = 50_000_000;

/// The largest number of comparisons that a path costs in addition to one comparison with each
/// rule.
pub(crate) const MAX_QUERY_OVERHEAD_COMPARISONS: u64 = 16;

/// An octet that occurs in no rule: escaped patterns are ASCII, and the normal form of `rfc9309`
/// does not use it.
const UNUSED_OCTET: u8 = 0xff;
const ROBOTS_TXT: &[u8] = b"/robots.txt";

/// The number of paths that are tested with one rule after the other before the rules are compiled.
const MAX_SEQUENTIAL_PATHS: u32 = 16;
/// The largest number of rules that are never compiled, regardless of the number of paths.
const MAX_UNCOMPILED_RULES: usize = 32;
/// The number of queries that [`CompiledRules`] answers by testing one rule after the other, before
/// its tree is built.
const COMPILED_SEQUENTIAL_QUERIES: u32 = 64;

/// The coverage of merged rules, and its evidence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coverage {
    /// The verdict, or [`Verdict::Unknown`] if the work budget was exceeded.
    pub(crate) verdict: Verdict,
    /// The line of a rule that shows the verdict, if there is one.
    pub(crate) line_no: Option<u32>,
    /// The lines of at most two rules that suffice for the verdict: it stays the same if any other
    /// rules are removed. If fewer than two suffice, the others are 0. `None` if all rules had to be tested.
    pub(crate) proof: Option<[u32; 2]>,
}

impl Coverage {
    /// The coverage without disallow rules.
    pub(crate) const NO_RULES: Self = Self {
        verdict: Verdict::AllowAll,
        line_no: None,
        proof: Some([0, 0]),
    };
}

/// Buffers that are reused by one [`MergedRules`] after the other.
#[derive(Debug, Default)]
pub(crate) struct CoverageBuffers {
    rules: Vec<CoverageRule<'static>>,
    path: Vec<u8>,
    /// Normal forms of patterns.
    text: Vec<u8>,
}

/// The merged rules of a crawler.
#[derive(Debug, Default)]
pub(crate) struct MergedRules<'t> {
    /// The rules that can match a path. The folder that a rule for `index.htm` also allows is a
    /// rule of its own.
    rules: Vec<CoverageRule<'t>>,
    path: Vec<u8>,
    allow: DirectionPriorities,
    disallow: DirectionPriorities,
    /// The priority of the rule that decides `/`, and true if that rule allows. `None` if no rule
    /// matches `/`.
    root: Option<(u32, bool)>,
    /// True if one rule has [`EITHER_DOLLAR`] and another has `$`, so that octets of a pattern and
    /// a path can match although they differ.
    has_both_dollars: bool,
}

/// The highest priorities of the rules of one direction: the allow rules, or the disallow rules.
#[derive(Clone, Copy, Debug, Default)]
struct DirectionPriorities {
    /// The highest priority, or 0 for none.
    highest: u32,
    /// The highest priority of the rules that match everything, or 0 for none.
    highest_universal: u32,
    /// The line of the first rule that matches everything and has the priority `highest_universal`.
    universal_line_no: u32,
}

/// A rule whose pattern is in the normal form of its dialect.
#[derive(Clone, Copy, Debug)]
struct CoverageRule<'t> {
    /// The pattern without the `$` at its end.
    text: &'t [u8],
    priority: u32,
    line_no: u32,
    allow: bool,
    is_anchored: bool,
}

impl<'t> CoverageRule<'t> {
    /// Returns true if the pattern has only `*` and at most one `/`, and hence matches `/`.
    fn is_root_pattern(&self) -> bool {
        if self
            .text
            .get(1)
            .is_some_and(|octet| !matches!(octet, b'*' | b'/'))
        {
            return false;
        }
        let mut slashes = 0;
        self.text.iter().all(|&octet| {
            slashes += u32::from(octet == b'/');
            octet == b'*' || (octet == b'/' && slashes == 1)
        })
    }

    /// Returns true if a pattern for which [`is_root_pattern`](Self::is_root_pattern) is true
    /// matches every path.
    fn is_open_ended(&self) -> bool {
        !self.is_anchored || self.text.last() == Some(&b'*')
    }

    /// Returns the pattern without the `*` at its beginning.
    fn without_leading_wildcard(&self) -> &'t [u8] {
        let stars = self.text.iter().take_while(|&&octet| octet == b'*');
        &self.text[stars.count()..]
    }

    fn has_wildcard(&self) -> bool {
        self.text.contains(&b'*')
    }

    /// Returns the forms of the paths that are made of the pattern. The path with empty wildcards
    /// comes first: it is most like a real path, so the rule that decides it is better evidence.
    fn path_forms(&self) -> &'static [PathForm] {
        if self.text.first() == Some(&b'*')
            && self.without_leading_wildcard().first() == Some(&b'/')
        {
            &[
                PathForm::EmptyWildcards,
                PathForm::Own,
                PathForm::OwnWithoutLeadingWildcard,
            ]
        } else if self.has_wildcard() {
            &[PathForm::EmptyWildcards, PathForm::Own]
        } else {
            &[PathForm::EmptyWildcards]
        }
    }

    /// Writes the path of the given form, which the rule matches.
    fn write_path(&self, form: PathForm, path: &mut Vec<u8>) {
        path.clear();
        let text = if form == PathForm::OwnWithoutLeadingWildcard {
            self.without_leading_wildcard()
        } else {
            self.text
        };
        if text.first() == Some(&b'*') {
            path.push(b'/');
        }
        if !self.has_wildcard() {
            path.extend_from_slice(text);
        } else if form == PathForm::EmptyWildcards {
            path.extend(text.iter().filter(|&&octet| octet != b'*'));
        } else {
            let other = |&octet: &u8| if octet == b'*' { UNUSED_OCTET } else { octet };
            path.extend(text.iter().map(other));
        }
        if !self.is_anchored {
            path.push(UNUSED_OCTET);
        }
    }
}

/// A form of a path that is made of a pattern and that the pattern matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PathForm {
    /// Each `*` matches nothing.
    EmptyWildcards,
    /// The own path: each `*` matches [`UNUSED_OCTET`].
    Own,
    /// The own path of the pattern without the `*` at its beginning.
    OwnWithoutLeadingWildcard,
}

impl<'t> MergedRules<'t> {
    pub(crate) fn new(buffers: &mut CoverageBuffers) -> Self {
        Self {
            rules: std::mem::take(&mut buffers.rules),
            path: std::mem::take(&mut buffers.path),
            ..Self::default()
        }
    }

    /// Removes all rules and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.rules.clear();
        self.allow = DirectionPriorities::default();
        self.disallow = DirectionPriorities::default();
        self.root = None;
        self.has_both_dollars = false;
    }

    /// Returns the memory to the buffers.
    pub(crate) fn recycle(mut self, buffers: &mut CoverageBuffers) {
        self.rules.clear();
        // The vector is empty, so nothing is converted; collecting only changes the lifetime in its
        // type.
        buffers.rules = self
            .rules
            .into_iter()
            .map(|_| CoverageRule::PLACEHOLDER)
            .collect();
        buffers.path = self.path;
    }

    /// Adds a rule of Google's parser, whose value is escaped. If it is an allow rule for
    /// `index.htm`, also adds its folder and returns true.
    pub(crate) fn add_google_rule(&mut self, allow: bool, line_no: u32, value: &'t [u8]) -> bool {
        self.add_google_rule_without_folder(allow, line_no, value);
        if !allow || !pattern::can_match(value) {
            return false;
        }
        let Some(folder) = pattern::index_folder(value) else {
            return false;
        };
        self.push(CoverageRule {
            text: folder,
            priority: folder.len() as u32 + 1,
            line_no,
            allow,
            is_anchored: true,
        });
        true
    }

    /// Adds a rule of Google's parser, but not the folder that a rule for `index.htm` also allows.
    pub(crate) fn add_google_rule_without_folder(
        &mut self,
        allow: bool,
        line_no: u32,
        value: &'t [u8],
    ) {
        if pattern::can_match(value) {
            let (text, is_anchored) = pattern::split_anchor(value);
            self.push(CoverageRule {
                text,
                priority: value.len() as u32,
                line_no,
                allow,
                is_anchored,
            });
        }
    }

    fn push(&mut self, rule: CoverageRule<'t>) {
        let priorities = if rule.allow {
            &mut self.allow
        } else {
            &mut self.disallow
        };
        priorities.highest = priorities.highest.max(rule.priority);
        if rule.is_root_pattern() {
            if rule.is_open_ended() && rule.priority > priorities.highest_universal {
                priorities.highest_universal = rule.priority;
                priorities.universal_line_no = rule.line_no;
            }
            let best = (rule.priority, rule.allow);
            self.root = self.root.max(Some(best));
        }
        self.rules.push(rule);
    }

    /// Returns true if `/` is allowed.
    pub(crate) fn is_root_allowed(&self) -> bool {
        self.root.is_none_or(|(_, allow)| allow)
    }

    /// Computes the coverage. Subtracts the comparisons from `work_budget`. The verdict is
    /// [`Verdict::Unknown`] if the budget is exceeded.
    pub(crate) fn compute_coverage(&mut self, work_budget: &mut u64) -> Coverage {
        let (allow, disallow) = (self.allow, self.disallow);
        let proven_coverage = |verdict: Verdict, line_no: u32, other_line_no: u32| Coverage {
            verdict,
            line_no: Some(line_no),
            proof: Some([line_no, other_line_no]),
        };
        if disallow.highest == 0 {
            return Coverage {
                line_no: self.find_allowing_line(None, work_budget),
                ..Coverage::NO_RULES
            };
        }
        if allow.highest_universal >= disallow.highest {
            return proven_coverage(Verdict::AllowAll, allow.universal_line_no, 0);
        }
        // True if paths that match only universal rules are disallowed.
        let is_closed = disallow.highest_universal > allow.highest_universal;
        if is_closed && allow.highest < disallow.highest_universal {
            return proven_coverage(Verdict::DisallowAll, disallow.universal_line_no, 0);
        }
        let (min_priority, default_verdict) = if is_closed {
            (disallow.highest_universal, Verdict::DisallowAll)
        } else {
            (allow.highest_universal + 1, Verdict::AllowAll)
        };
        match self.find_winner(is_closed, min_priority, work_budget) {
            Ok(Some(winner)) if winner.allow == is_closed => {
                let line_nos = if is_closed {
                    (disallow.universal_line_no, winner.line_no)
                } else {
                    (winner.line_no, allow.universal_line_no)
                };
                proven_coverage(Verdict::Partial, line_nos.0, line_nos.1)
            }
            Ok(overruling) => Coverage {
                verdict: default_verdict,
                line_no: if is_closed {
                    Some(disallow.universal_line_no)
                } else {
                    self.find_allowing_line(overruling, work_budget)
                },
                proof: None,
            },
            Err(WorkBudgetExceeded) => Coverage {
                verdict: Verdict::Unknown,
                line_no: None,
                proof: None,
            },
        }
    }

    /// Returns the line of an allow rule that decides some path, if all paths are allowed: a rule
    /// that matches everything, or else `overruling`, which decides a path that a disallow rule
    /// matches.
    fn find_allowing_line(
        &mut self,
        overruling: Option<Winner>,
        work_budget: &mut u64,
    ) -> Option<u32> {
        if self.allow.highest_universal > 0 {
            return Some(self.allow.universal_line_no);
        }
        let find_any = || self.find_winner(true, 1, work_budget).ok().flatten();
        overruling.or_else(find_any).map(|winner| winner.line_no)
    }

    /// Returns a rule that decides some path and allows (or disallows, if `allow` is false). If
    /// there is none, returns a rule of the other direction that decides a path of such a rule.
    /// Considers only the paths of rules with at least the priority `min_priority`.
    fn find_winner(
        &mut self,
        allow: bool,
        min_priority: u32,
        work_budget: &mut u64,
    ) -> Result<Option<Winner>, WorkBudgetExceeded> {
        let mut path = std::mem::take(&mut self.path);
        let merged = &*self;
        let mut queries = PathQueries {
            merged,
            work_budget,
            query_count: 0,
            compiled: None,
        };
        let mut found = Ok(None);
        'rules: for rule in &merged.rules {
            if rule.allow != allow || rule.priority < min_priority {
                continue;
            }
            for &form in rule.path_forms() {
                rule.write_path(form, &mut path);
                if path == ROBOTS_TXT {
                    continue;
                }
                let winner = queries.find_winner(rule, &path);
                let is_overruled = matches!(winner, Ok(Some(winner)) if winner.allow != allow);
                if !is_overruled || found == Ok(None) {
                    found = winner;
                }
                if !is_overruled {
                    break 'rules;
                }
            }
        }
        self.path = path;
        found
    }

    /// Returns true if a rule matches a path. The path may contain [`EITHER_DOLLAR`] if it was made
    /// of a rule.
    fn matches(&self, rule: &CoverageRule<'_>, path: &[u8]) -> bool {
        if self.has_both_dollars {
            return pattern::is_match_by(rule.text, rule.is_anchored, path, |a, b| {
                a == b || (a == EITHER_DOLLAR && b == b'$')
            });
        }
        pattern::is_match(rule.text, rule.is_anchored, path)
    }

    /// Compiles the rules in their order of precedence.
    fn compile(&self) -> CompiledCoverage {
        let mut order: Vec<u32> = (0..self.rules.len() as u32).collect();
        let rule = |index: u32| &self.rules[index as usize];
        order.sort_by_key(|&index| (u32::MAX - rule(index).priority, !rule(index).allow));
        let mut compiled = CompiledRules::default();
        for &index in &order {
            let rule = rule(index);
            compiled.push(pattern::iter_text_parts(rule.text, rule.is_anchored));
        }
        let wildcard_rule_count = self.rules.iter().filter(|rule| rule.has_wildcard());
        CompiledCoverage {
            rules: compiled,
            order,
            wildcard_rule_count: wildcard_rule_count.count() as u64,
        }
    }
}

/// A rule of `rfc9309`, with its value as written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawRule<'t> {
    pub(crate) allow: bool,
    pub(crate) line_no: u32,
    pub(crate) value: &'t [u8],
}

/// Computes the verdict of rules in `rfc9309`.
pub(crate) fn compute_merged_verdict_rfc9309<'t>(
    rules: impl Iterator<Item = RawRule<'t>> + Clone,
    buffers: &mut CoverageBuffers,
    work_budget: &mut u64,
) -> Verdict {
    let mut text = std::mem::take(&mut buffers.text);
    let value_octets = rules.clone().map(|rule| rule.value.len()).sum::<usize>();
    text.clear();
    text.resize(rfc9309::OUTPUT_OCTETS_PER_OCTET * value_octets, 0);
    let mut rest = text.as_mut_slice();
    let mut merged = MergedRules::new(buffers);
    let (mut has_either_dollar, mut has_dollar) = (false, false);
    for rule in rules {
        let Some(value) = RuleValue::parse(rule.value) else {
            continue;
        };
        has_dollar |= value.has_dollar;
        let (text, len) = if value.is_normal {
            (value.text, value.text.len() as u32)
        } else {
            let written = rfc9309::write_normal_form(value.text, rest);
            let (text, after) = std::mem::take(&mut rest).split_at_mut(written.octet_count);
            rest = after;
            has_either_dollar |= written.has_either_dollar;
            (&*text, written.priority)
        };
        merged.push(CoverageRule {
            text,
            priority: len + u32::from(value.is_anchored),
            line_no: rule.line_no,
            allow: rule.allow,
            is_anchored: value.is_anchored,
        });
    }
    merged.has_both_dollars = has_either_dollar && has_dollar;
    let verdict = merged.compute_coverage(work_budget).verdict;
    merged.recycle(buffers);
    buffers.text = text;
    verdict
}

impl CoverageRule<'static> {
    /// A value for the closure in [`MergedRules::recycle`] that converts the type of a vector. The
    /// closure is never called.
    const PLACEHOLDER: Self = Self {
        text: b"",
        priority: 0,
        line_no: 0,
        allow: true,
        is_anchored: true,
    };
}

/// The rule that decides a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Winner {
    allow: bool,
    line_no: u32,
}

/// The error if the work budget is exceeded, so that the verdict is [`Verdict::Unknown`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WorkBudgetExceeded;

/// Finds the rules that decide paths, among the merged rules of a crawler.
struct PathQueries<'d, 't, 'l> {
    merged: &'d MergedRules<'t>,
    work_budget: &'l mut u64,
    query_count: u32,
    compiled: Option<CompiledCoverage>,
}

/// Merged rules that are compiled for many queries.
struct CompiledCoverage {
    rules: CompiledRules,
    /// The index of each compiled rule in [`MergedRules::rules`].
    order: Vec<u32>,
    /// The number of rules with a wildcard.
    wildcard_rule_count: u64,
}

impl PathQueries<'_, '_, '_> {
    /// Returns the rule that decides `path`, which was made of `rule`.
    fn find_winner(
        &mut self,
        rule: &CoverageRule<'_>,
        path: &[u8],
    ) -> Result<Option<Winner>, WorkBudgetExceeded> {
        let merged = self.merged;
        let rule_count = merged.rules.len();
        self.query_count += 1;
        let is_never_compiled = rule_count <= MAX_UNCOMPILED_RULES || merged.has_both_dollars;
        if is_never_compiled || self.query_count <= MAX_SEQUENTIAL_PATHS {
            self.spend_comparisons(rule_count as u64)?;
            return Ok(self.find_winner_sequentially(rule, path));
        }
        let compiled = self.compiled.get_or_insert_with(|| merged.compile());
        let cost = if self.query_count <= MAX_SEQUENTIAL_PATHS + COMPILED_SEQUENTIAL_QUERIES {
            rule_count as u64
        } else {
            // In the worst case every rule with a wildcard is tested; the others are found in a
            // tree.
            compiled.wildcard_rule_count + MAX_QUERY_OVERHEAD_COMPARISONS
        };
        let found = compiled.rules.find_first(path);
        let found = found.map(|index| &merged.rules[compiled.order[index] as usize]);
        self.spend_comparisons(cost)?;
        Ok(found.map(|winner| Winner {
            allow: winner.allow,
            line_no: winner.line_no,
        }))
    }

    /// Returns the same as [`find_winner`](Self::find_winner) by testing one rule after the other.
    fn find_winner_sequentially(&self, rule: &CoverageRule<'_>, path: &[u8]) -> Option<Winner> {
        // `rule` matches the path, so rules with a lower precedence need no test. Among rules of
        // the same precedence the first is reported. `line_no` is 0 until a rule is found.
        let (mut best, mut allow, mut line_no) = (rule.priority, rule.allow, 0);
        for other in &self.merged.rules {
            let wins = other.priority > best
                || (other.priority == best
                    && if other.allow == allow {
                        line_no == 0
                    } else {
                        other.allow
                    });
            if wins && self.merged.matches(other, path) {
                (best, allow, line_no) = (other.priority, other.allow, other.line_no);
            }
        }
        (line_no != 0).then_some(Winner { allow, line_no })
    }

    /// Subtracts comparisons from the work budget.
    fn spend_comparisons(&mut self, comparisons: u64) -> Result<(), WorkBudgetExceeded> {
        *self.work_budget = self
            .work_budget
            .checked_sub(comparisons)
            .ok_or(WorkBudgetExceeded)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{AllowAll, DisallowAll, Partial, Unknown};

    fn verdict(rules: &[(bool, &str)], mut work_budget: u64) -> Verdict {
        let mut merged = MergedRules::new(&mut CoverageBuffers::default());
        for (line_no, (allow, text)) in (1..).zip(rules) {
            merged.add_google_rule(*allow, line_no, text.as_bytes());
        }
        merged.compute_coverage(&mut work_budget).verdict
    }

    #[test]
    fn a_pattern_is_universal_if_it_matches_every_path() {
        let mut patterns = vec![String::new()];
        for i in 0..341 {
            for letter in ["/", "*", "$", "a"] {
                patterns.push(patterns[i].clone() + letter);
            }
        }
        for text in patterns.iter().map(String::as_bytes) {
            let mut merged = MergedRules::default();
            merged.add_google_rule(false, 1, text);
            let mut matches =
                |path: &[u8]| pattern::can_match(text) && pattern::matches(text, path);
            assert_eq!(!merged.is_root_allowed(), matches(b"/"), "{text:?}");
            let all = [&b"/"[..], b"/\xff", b"/a", b"//", b"/\xff/"];
            assert_eq!(
                merged.disallow.highest_universal > 0,
                all.into_iter().all(&mut matches),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_rule_that_begins_with_a_wildcard_is_two_rules() {
        for stars in ["*", "***"] {
            let rule = format!("{stars}/robots.txt");
            let overruled = [(false, rule.as_str()), (true, "/*****/robots.txt")];
            // `/robots.txt?` remains.
            assert_eq!(verdict(&overruled, 1000), Partial);
        }
        let overruled = [(true, "*/a"), (false, "/*/a"), (false, "/")];
        // `/a` itself remains.
        assert_eq!(verdict(&overruled, 1000), Partial);
        let overruled = [&overruled[..], &[(false, "/a**")]].concat();
        assert_eq!(verdict(&overruled, 1000), DisallowAll);
        let overruled = [(false, "*/robots.txt$"), (true, "/*/robots.txt$")];
        assert_eq!(verdict(&overruled, 1000), AllowAll);
    }

    #[test]
    fn thousands_of_overruled_rules_are_decided() {
        let pairs: Vec<(String, String)> = (0..3000)
            .map(|i| (format!("/*a{i}b*{i}"), format!("/*a{i}b*{i}*")))
            .collect();
        let mut rules = vec![(false, "/")];
        for (allow, disallow) in &pairs {
            rules.extend([(true, allow.as_str()), (false, disallow)]);
        }
        assert_eq!(verdict(&rules, 50_000_000), DisallowAll);
        // The last rule is no longer overruled.
        rules.pop();
        assert_eq!(verdict(&rules, 50_000_000), Partial);
        assert_eq!(verdict(&rules, 1_000_000), Unknown);
    }
}

//! What rules leave of all paths, by the reading in which the longest decides.
//!
//! No path has to be searched for. The *own path* of a rule is its pattern
//! with an octet that no rule names ([`OTHER`]) for each run, and one more at
//! its end if nothing anchors it. Whatever pattern matches it can only have
//! matched each such octet by a run or by its own open end, where any other
//! octets would have done: so it matches all that the rule matches. If a rule
//! decides some path, no better rule matches that path, hence none matches the
//! own path, and the rule, or its equal, decides there too. It is enough to
//! ask for the own path of every rule. Two things are special:
//!
//! - Paths begin with `/`. A rule that begins with a run is the union of two,
//!   one with `/` before the run and, if `/` follows it, one without the run;
//!   each has its own path.
//! - `/robots.txt` is no question. It is the own path only of rules that
//!   match nothing else.
//!
//! That no rule matches is like a rule for everything that all others outdo.
//!
//! Most sets need not even ask: rules that match everything settle them.
//!
//! If you change what a pattern matches, also check `pattern`. Tests compare this
//! module with a search of all paths, in `tests/checks/twin/reach.rs`.

use crate::dialect::rfc9309::{self, EITHER_DOLLAR, RuleValue};
use crate::pattern;
use crate::pattern::compiled::CompiledRules;
use crate::verdict::Verdict;

/// An octet that no rule names: escaped patterns are ASCII, and the normal
/// form of `rfc9309` leaves it out.
const OTHER: u8 = 0xff;
const ROBOTS_TXT: &[u8] = b"/robots.txt";

/// Own paths for which all rules are looked at, before these are compiled.
const LISTED_ASKED_MAX: u32 = 16;
/// Rules that are never compiled.
const LISTED_MAX: usize = 32;
/// Questions that the matcher answers by looking at all rules.
const MATCHER_LISTED: u32 = 64;

/// What rules leave, and how that is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coverage {
    /// The verdict; unknown where it took more looks than there were.
    pub(crate) verdict: Verdict,
    /// The line that shows it, 0 for none.
    pub(crate) line_no: u32,
    /// Lines without which it might not hold, 0 for none; without any other
    /// line it holds all the same. `None` where all rules had to be asked.
    pub(crate) proof: Option<[u32; 2]>,
}

/// Memory that one decider leaves to the next.
#[derive(Debug, Default)]
pub(crate) struct CoverageBuffers {
    rules: Vec<CoverageRule<'static>>,
    path: Vec<u8>,
    /// Normal forms.
    text: Vec<u8>,
}

/// The merged rules of a crawler.
#[derive(Debug, Default)]
pub(crate) struct MergedRules<'t> {
    /// Rules that can match; the folder of an `index.htm` is a rule of its own.
    rules: Vec<CoverageRule<'t>>,
    path: Vec<u8>,
    allow: SideLimits,
    disallow: SideLimits,
    /// The priority of the rule that decides `/`, and whether it allows.
    root: Option<(u32, bool)>,
    /// Whether a rule has an octet that stands for two, and one only for the
    /// second of these: then octets cannot be compared by themselves.
    needs_pairs: bool,
}

/// What is known of the rules that allow, or of those that disallow.
#[derive(Clone, Copy, Debug, Default)]
struct SideLimits {
    /// The greatest priority, 0 for none.
    longest: u32,
    /// The same of those that match everything, and the first line of such.
    universal: u32,
    universal_line: u32,
}

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
    /// Whether it has nothing but runs and at most one `/`, and so matches `/`.
    fn is_bare(&self) -> bool {
        if self
            .text
            .get(1)
            .is_some_and(|it| !matches!(it, b'*' | b'/'))
        {
            return false;
        }
        let mut slashes = 0;
        self.text.iter().all(|&octet| {
            slashes += u32::from(octet == b'/');
            octet == b'*' || (octet == b'/' && slashes == 1)
        })
    }

    /// Whether a bare rule matches every path.
    fn is_open(&self) -> bool {
        !self.is_anchored || self.text.last() == Some(&b'*')
    }

    /// The text without the run that begins it, however it is written.
    fn behind_run(&self) -> &'t [u8] {
        let stars = self.text.iter().take_while(|&&octet| octet == b'*');
        &self.text[stars.count()..]
    }

    fn has_run(&self) -> bool {
        self.text.contains(&b'*')
    }
}

/// What takes the place of the runs in a path made of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunFill {
    Nothing,
    Other,
    /// The same, but the run that begins the pattern is left out.
    OtherBehindRun,
}

impl<'t> MergedRules<'t> {
    pub(crate) fn new(memory: &mut CoverageBuffers) -> Self {
        Self {
            rules: std::mem::take(&mut memory.rules),
            path: std::mem::take(&mut memory.path),
            ..Self::default()
        }
    }

    /// Forgets all rules.
    pub(crate) fn clear(&mut self) {
        self.rules.clear();
        self.allow = SideLimits::default();
        self.disallow = SideLimits::default();
        self.root = None;
        self.needs_pairs = false;
    }

    /// Gives the memory back.
    pub(crate) fn leave(mut self, memory: &mut CoverageBuffers) {
        self.rules.clear();
        // Nothing is in it: only the memory changes its type.
        memory.rules = self.rules.into_iter().map(|_| CoverageRule::NONE).collect();
        memory.path = self.path;
    }

    /// Adds a rule by Google's reading, its value escaped. Returns whether the
    /// folder of an `index.htm` came with it.
    pub(crate) fn add(&mut self, allow: bool, line_no: u32, value: &'t [u8]) -> bool {
        self.add_alone(allow, line_no, value);
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

    /// Adds a rule, and nothing beside it.
    pub(crate) fn add_alone(&mut self, allow: bool, line_no: u32, value: &'t [u8]) {
        if pattern::can_match(value) {
            let (text, is_anchored) = pattern::unanchored(value);
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
        let side = if rule.allow {
            &mut self.allow
        } else {
            &mut self.disallow
        };
        side.longest = side.longest.max(rule.priority);
        if rule.is_bare() {
            if rule.is_open() && rule.priority > side.universal {
                side.universal = rule.priority;
                side.universal_line = rule.line_no;
            }
            let best = (rule.priority, rule.allow);
            self.root = self.root.max(Some(best));
        }
        self.rules.push(rule);
    }

    /// Whether `/` is allowed.
    pub(crate) fn is_root_allowed(&self) -> bool {
        self.root.is_none_or(|(_, allow)| allow)
    }

    /// Decides what the rules leave, by no more than `work_budget` at them.
    pub(crate) fn decide(&mut self, work_budget: &mut u64) -> Coverage {
        let (allow, disallow) = (self.allow, self.disallow);
        let proved = |verdict: Verdict, line_no: u32, other_line_no: u32| Coverage {
            verdict,
            line_no,
            proof: Some([line_no, other_line_no]),
        };
        if disallow.longest == 0 {
            return proved(Verdict::AllowAll, 0, 0);
        }
        if allow.universal >= disallow.longest {
            return Coverage {
                line_no: 0,
                ..proved(Verdict::AllowAll, allow.universal_line, 0)
            };
        }
        // What holds where no rule matches but those that match everything.
        let is_closed = disallow.universal > allow.universal;
        if is_closed && allow.longest < disallow.universal {
            return proved(Verdict::DisallowAll, disallow.universal_line, 0);
        }
        let (least, all) = if is_closed {
            (disallow.universal, Verdict::DisallowAll)
        } else {
            (allow.universal + 1, Verdict::AllowAll)
        };
        match self.winner(is_closed, least, work_budget) {
            Ok(Some(line_no)) if is_closed => {
                proved(Verdict::Partial, disallow.universal_line, line_no)
            }
            Ok(Some(line_no)) => proved(Verdict::Partial, line_no, allow.universal_line),
            Ok(None) => Coverage {
                verdict: all,
                line_no: if is_closed {
                    disallow.universal_line
                } else {
                    0
                },
                proof: None,
            },
            Err(WorkBudgetExceeded) => Coverage {
                verdict: Verdict::Unknown,
                line_no: 0,
                proof: None,
            },
        }
    }

    /// Asks for paths made of the rules that allow (or disallow) with at least
    /// this priority, their own among them, until one is allowed (or not), and
    /// gives the line that decides it.
    ///
    /// A path with empty runs comes first: it is a better show.
    fn winner(
        &mut self,
        allow: bool,
        least: u32,
        work_budget: &mut u64,
    ) -> Result<Option<u32>, WorkBudgetExceeded> {
        let mut path = std::mem::take(&mut self.path);
        let decider = &*self;
        let mut asking = PathQuestions {
            decider,
            work_budget,
            asked: 0,
            compiled: None,
        };
        let mut found = Ok(None);
        'rules: for rule in &decider.rules {
            if rule.allow != allow || rule.priority < least {
                continue;
            }
            let fills: &[RunFill] =
                if rule.text.first() == Some(&b'*') && rule.behind_run().first() == Some(&b'/') {
                    &[RunFill::Nothing, RunFill::Other, RunFill::OtherBehindRun]
                } else if rule.has_run() {
                    &[RunFill::Nothing, RunFill::Other]
                } else {
                    &[RunFill::Nothing]
                };
            for &fill in fills {
                path_of(rule, fill, &mut path);
                if path == ROBOTS_TXT {
                    continue;
                }
                found = asking.winner(rule, &path);
                if found != Ok(None) {
                    break 'rules;
                }
            }
        }
        self.path = path;
        found
    }

    /// Whether a rule matches a path that was made of one.
    fn matches(&self, rule: &CoverageRule<'_>, path: &[u8]) -> bool {
        if self.needs_pairs {
            return pattern::is_match_by(rule.text, rule.is_anchored, path, |a, b| {
                a == b || (a == EITHER_DOLLAR && b == b'$')
            });
        }
        pattern::is_match(rule.text, rule.is_anchored, path)
    }

    /// The best rules first, and the first of equals.
    fn compile(&self) -> CompiledSet {
        let mut order: Vec<u32> = (0..self.rules.len() as u32).collect();
        let rule = |at: u32| &self.rules[at as usize];
        order.sort_by_key(|&at| (u32::MAX - rule(at).priority, !rule(at).allow));
        let mut matcher = CompiledRules::default();
        for &at in &order {
            matcher.push(pattern::parts_of(rule(at).text, rule(at).is_anchored));
        }
        let with_runs = self.rules.iter().filter(|it| it.has_run());
        CompiledSet {
            matcher,
            order,
            with_runs: with_runs.count() as u64,
        }
    }
}

impl MergedRules<'_> {
    /// Decides what rules leave by `rfc9309`: whether each allows, its line and
    /// its value as written.
    pub(crate) fn decide_rfc9309<'t>(
        rules: impl Iterator<Item = (bool, u32, &'t [u8])> + Clone,
        memory: &mut CoverageBuffers,
        work_budget: &mut u64,
    ) -> Verdict {
        let mut text = std::mem::take(&mut memory.text);
        let octets = rules
            .clone()
            .map(|(_, _, value)| value.len())
            .sum::<usize>();
        text.clear();
        text.resize(rfc9309::NORMAL_GROWTH * octets, 0);
        let mut rest = text.as_mut_slice();
        let mut decider = MergedRules::new(memory);
        let (mut has_either, mut has_dollar) = (false, false);
        for (allow, line_no, value) in rules {
            let Some(value) = RuleValue::new(value) else {
                continue;
            };
            has_dollar |= value.has_dollar;
            let (text, len) = if value.is_normal {
                (value.text, value.text.len() as u32)
            } else {
                let written = rfc9309::write_normal(value.text, rest);
                let (text, behind) = std::mem::take(&mut rest).split_at_mut(written.octets);
                rest = behind;
                has_either |= written.has_either_dollar;
                (&*text, written.priority)
            };
            decider.push(CoverageRule {
                text,
                priority: len + u32::from(value.is_anchored),
                line_no,
                allow,
                is_anchored: value.is_anchored,
            });
        }
        decider.needs_pairs = has_either && has_dollar;
        let verdict = decider.decide(work_budget).verdict;
        decider.leave(memory);
        memory.text = text;
        verdict
    }
}

impl CoverageRule<'static> {
    const NONE: Self = Self {
        text: b"",
        priority: 0,
        line_no: 0,
        allow: true,
        is_anchored: true,
    };
}

/// A path that a rule matches: its own, or one with empty runs.
fn path_of(rule: &CoverageRule<'_>, fill: RunFill, path: &mut Vec<u8>) {
    path.clear();
    let text = if fill == RunFill::OtherBehindRun {
        rule.behind_run()
    } else {
        rule.text
    };
    if text.first() == Some(&b'*') {
        path.push(b'/');
    }
    if !rule.has_run() {
        path.extend_from_slice(text);
    } else if fill == RunFill::Nothing {
        path.extend(text.iter().filter(|&&octet| octet != b'*'));
    } else {
        let other = |&octet: &u8| if octet == b'*' { OTHER } else { octet };
        path.extend(text.iter().map(other));
    }
    if !rule.is_anchored {
        path.push(OTHER);
    }
}

/// More looks at rules were needed than there were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WorkBudgetExceeded;

/// Questions to one set of rules.
struct PathQuestions<'d, 't, 'l> {
    decider: &'d MergedRules<'t>,
    work_budget: &'l mut u64,
    asked: u32,
    compiled: Option<CompiledSet>,
}

/// Rules laid out for many questions.
struct CompiledSet {
    matcher: CompiledRules,
    /// The rules of the matcher.
    order: Vec<u32>,
    /// How many of them have runs.
    with_runs: u64,
}

impl PathQuestions<'_, '_, '_> {
    /// The line that decides a path made of `rule`, if it decides as the rule.
    fn winner(
        &mut self,
        rule: &CoverageRule<'_>,
        path: &[u8],
    ) -> Result<Option<u32>, WorkBudgetExceeded> {
        let decider = self.decider;
        let rules = decider.rules.len();
        self.asked += 1;
        let is_listed = rules <= LISTED_MAX || decider.needs_pairs;
        if is_listed || self.asked <= LISTED_ASKED_MAX {
            self.look(rules as u64)?;
            return Ok(self.winner_listed(rule, path));
        }
        let compiled = self.compiled.get_or_insert_with(|| decider.compile());
        let work_budget = if self.asked <= LISTED_ASKED_MAX + MATCHER_LISTED {
            rules as u64
        } else {
            // Runs may all have to be looked at, heads are found in a tree.
            compiled.with_runs + 16
        };
        let found = compiled.matcher.first(path);
        let found = found.map(|at| &decider.rules[compiled.order[at] as usize]);
        self.look(work_budget)?;
        Ok(found
            .filter(|it| it.allow == rule.allow)
            .map(|it| it.line_no))
    }

    fn winner_listed(&self, rule: &CoverageRule<'_>, path: &[u8]) -> Option<u32> {
        // It matches; of its equals the first is said to decide.
        let (mut best, mut allow, mut line_no) = (rule.priority, rule.allow, 0);
        for it in &self.decider.rules {
            let wins = it.priority > best
                || (it.priority == best
                    && if it.allow == allow {
                        line_no == 0
                    } else {
                        it.allow
                    });
            if wins && self.decider.matches(it, path) {
                (best, allow, line_no) = (it.priority, it.allow, it.line_no);
            }
        }
        (allow == rule.allow).then_some(line_no)
    }

    fn look(&mut self, work_budget: u64) -> Result<(), WorkBudgetExceeded> {
        *self.work_budget = self
            .work_budget
            .checked_sub(work_budget)
            .ok_or(WorkBudgetExceeded)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{AllowAll, DisallowAll, Partial, Unknown};

    fn verdict(rules: &[(bool, &str)], mut work_budget: u64) -> Verdict {
        let mut decider = MergedRules::new(&mut CoverageBuffers::default());
        for (line_no, (allow, text)) in (1..).zip(rules) {
            decider.add(*allow, line_no, text.as_bytes());
        }
        decider.decide(&mut work_budget).verdict
    }

    #[test]
    fn a_pattern_is_universal_if_it_matches_everything() {
        let mut patterns = vec![String::new()];
        for at in 0..341 {
            for letter in ["/", "*", "$", "a"] {
                patterns.push(patterns[at].clone() + letter);
            }
        }
        for text in patterns.iter().map(String::as_bytes) {
            let mut decider = MergedRules::default();
            decider.add(false, 1, text);
            let mut matches =
                |path: &[u8]| pattern::can_match(text) && pattern::matches(text, path);
            assert_eq!(!decider.is_root_allowed(), matches(b"/"), "{text:?}");
            let all = [&b"/"[..], b"/\xff", b"/a", b"//", b"/\xff/"];
            assert_eq!(
                decider.disallow.universal > 0,
                all.into_iter().all(&mut matches),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_rule_that_begins_with_a_run_is_two() {
        for stars in ["*", "***"] {
            let rule = format!("{stars}/robots.txt");
            let outdone = [(false, rule.as_str()), (true, "/*****/robots.txt")];
            // `/robots.txt?` is left.
            assert_eq!(verdict(&outdone, 1000), Partial);
        }
        let outdone = [(true, "*/a"), (false, "/*/a"), (false, "/")];
        // `/a` itself is left.
        assert_eq!(verdict(&outdone, 1000), Partial);
        let outdone = [&outdone[..], &[(false, "/a**")]].concat();
        assert_eq!(verdict(&outdone, 1000), DisallowAll);
        let outdone = [(false, "*/robots.txt$"), (true, "/*/robots.txt$")];
        assert_eq!(verdict(&outdone, 1000), AllowAll);
    }

    #[test]
    fn thousands_of_rules_that_are_outdone_are_decided() {
        let pairs: Vec<(String, String)> = (0..3000)
            .map(|nth| (format!("/*a{nth}b*{nth}"), format!("/*a{nth}b*{nth}*")))
            .collect();
        let mut rules = vec![(false, "/")];
        for (allow, disallow) in &pairs {
            rules.extend([(true, allow.as_str()), (false, disallow)]);
        }
        assert_eq!(verdict(&rules, 50_000_000), DisallowAll);
        // The last one is not outdone any more.
        rules.pop();
        assert_eq!(verdict(&rules, 50_000_000), Partial);
        assert_eq!(verdict(&rules, 1_000_000), Unknown);
    }
}

//! Coverage: the preferences of a crawler over all paths that it may fetch, in `google`.
//!
//! The rules for access and the statements decide a path together. Testing one path per rule, as
//! [`coverage`](crate::verdict::coverage) does, is not sufficient here: a path that matches a rule
//! and a statement may not be among these paths. So all paths are searched with an automaton that
//! reads them octet by octet. A state of the automaton is the progress of all patterns:
//!
//! - the rule for access with the highest precedence of those that match, however the path goes on,
//! - the longest statements of each mechanism that match, however the path goes on,
//! - the positions in other patterns that may still change these.
//!
//! All octets that no pattern has at a position of the state lead to the same next state, so a
//! state has few successors. A work budget limits the search. In real files, nearly all statements
//! concern all paths, and no search is needed.

use super::vocabulary::{CATEGORY_COUNT, Preferences};
use super::{Preference, PreferenceVerdict};
use crate::pattern;
use hashbrown::HashSet;
use std::cmp::Ordering;
use std::collections::VecDeque;

/// The work budget of all searches of a file. Each transition from a state costs 1 plus the number
/// of positions of the state. No real file is known to come near the budget.
pub(crate) const SEARCH_BUDGET: u64 = 10_000_000;

const ROBOTS_TXT: &[u8] = b"/robots.txt";

/// An octet that occurs in no pattern, because patterns are ASCII.
const OTHER_OCTET: u8 = 0xff;

/// The number of mechanisms whose statements are combined.
const MECHANISM_COUNT: usize = 2;

/// A statement of a group: its path, and its preferences according to a vocabulary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupStatement<'t> {
    pub(crate) line_no: u32,
    /// The index of its mechanism, below [`MECHANISM_COUNT`]. The statement with the longest path
    /// decides among those of its mechanism.
    pub(crate) mechanism: usize,
    /// The escaped path; `None` for all paths.
    pub(crate) path: Option<&'t [u8]>,
    pub(crate) preferences: Preferences,
}

impl GroupStatement<'_> {
    fn length(&self) -> u32 {
        self.path.map_or(0, |path| path.len() as u32)
    }

    /// Returns true only if the statement concerns every path. Returns false for unusual patterns
    /// that match every path, such as `/**`: then a search is made, with the same result.
    fn is_universal(&self) -> bool {
        matches!(self.path, None | Some(b"/" | b"/*"))
    }
}

/// The preferences for a category over all paths that may be fetched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CategoryCoverage {
    /// Indexed by [`Preference`]: `Some` if some path has this preference, with the line of a
    /// statement that decides such a path, or 0 if no statement does.
    pub(crate) lines: [Option<u32>; 3],
}

impl CategoryCoverage {
    pub(crate) fn verdict(&self) -> PreferenceVerdict {
        match self.lines.map(|line| line.is_some()) {
            [false, false, false] => PreferenceVerdict::NotCrawlable,
            [true, false, false] => PreferenceVerdict::UnknownAll,
            [false, true, false] => PreferenceVerdict::AllowAll,
            [false, false, true] => PreferenceVerdict::DisallowAll,
            _ => PreferenceVerdict::Mixed,
        }
    }

    pub(crate) fn has(&self, preference: Preference) -> bool {
        self.lines[preference as usize].is_some()
    }

    /// Returns the line of a statement that proves the most restrictive preference of some path.
    pub(crate) fn evidence_line(&self) -> Option<u32> {
        let line = self.lines.iter().rev().find_map(|line| *line);
        line.filter(|&line| line != 0)
    }
}

pub(crate) type Coverages = [CategoryCoverage; CATEGORY_COUNT];

/// The pattern of an allow or disallow rule in `google`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessPattern<'t> {
    /// The pattern without the `$` at its end.
    pub(crate) text: &'t [u8],
    pub(crate) is_anchored: bool,
    /// The rule with the highest priority decides; among equal priorities, an allow rule.
    pub(crate) priority: u32,
    pub(crate) allow: bool,
}

/// Computes the coverage of statements over the paths that the rules `access` allow. At least one
/// path must be allowed. Returns `None` if the work budget is exceeded.
pub(crate) fn compute_coverages(
    access: &[AccessPattern<'_>],
    statements: &[GroupStatement<'_>],
    work_budget: &mut u64,
) -> Option<Coverages> {
    let mut universal_lengths = [None; MECHANISM_COUNT];
    for statement in statements.iter().filter(|one| one.is_universal()) {
        let longest = &mut universal_lengths[statement.mechanism];
        *longest = Some(statement.length()).max(*longest);
    }
    let universal_length = |statement: &GroupStatement<'_>| universal_lengths[statement.mechanism];
    let is_decided = |statement: &GroupStatement<'_>| {
        statement.is_universal() || Some(statement.length()) < universal_length(statement)
    };
    let mut coverages = Coverages::default();
    if statements.iter().all(is_decided) {
        let deciding = statements
            .iter()
            .filter(|statement| Some(statement.length()) == universal_length(statement));
        add_outcome(&mut coverages, deciding);
        return Some(coverages);
    }
    let search = Search::new(access, statements);
    search.run(&mut coverages, work_budget).then_some(coverages)
}

/// Adds the preferences of a path that the statements `deciding` decide: the most restrictive ones, within a
/// mechanism and among several.
fn add_outcome<'s, 't: 's>(
    coverages: &mut Coverages,
    deciding: impl Iterator<Item = &'s GroupStatement<'t>> + Clone,
) {
    for (category, coverage) in coverages.iter_mut().enumerate() {
        let mut best: Option<(Preference, u32)> = None;
        for statement in deciding.clone() {
            let preference = statement.preferences[category];
            if best.is_none_or(|(before, _)| preference > before) {
                best = Some((preference, statement.line_no));
            }
        }
        let (preference, line_no) = best.unwrap_or_default();
        coverage.lines[preference as usize].get_or_insert(line_no);
    }
}

/// The effect that a pattern has if it matches.
#[derive(Clone, Copy, Debug)]
enum MatchEffect {
    /// A rule matches. Its precedence is twice its priority, plus one for an allow rule.
    Access { precedence: u32 },
    /// The statement with this index matches.
    Statement { index: u32 },
    /// The path is `/robots.txt`, which is excluded.
    RobotsTxt,
}

/// A pattern of a rule or a statement, without the `$` at its end.
#[derive(Debug)]
struct Pattern<'t> {
    text: &'t [u8],
    is_anchored: bool,
    decision: MatchEffect,
    /// The number of the position before the first octet. Each pattern has one position before each
    /// octet and one at its end, and the positions of all patterns are numbered consecutively.
    first_position: u32,
}

/// The search for the preferences of all paths that may be fetched.
struct Search<'s, 't> {
    statements: &'s [GroupStatement<'t>],
    patterns: Vec<Pattern<'t>>,
    /// For each position, the index of its pattern.
    pattern_of_position: Vec<u32>,
}

/// The progress of all patterns after the first octets of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct State {
    /// The precedence of the deciding rule among those that match however the path goes on.
    access: u32,
    /// The longest statements of each mechanism that match however the path goes on, as sorted
    /// indexes.
    statements: Vec<u32>,
    /// The positions that have been reached in patterns that may still decide, sorted.
    positions: Vec<u32>,
}

/// The precedence if no rule matches: the path is allowed.
const NO_RULE: u32 = 1;

impl<'s, 't> Search<'s, 't> {
    fn new(access: &[AccessPattern<'t>], statements: &'s [GroupStatement<'t>]) -> Self {
        let mut search = Self {
            statements,
            patterns: Vec::new(),
            pattern_of_position: Vec::new(),
        };
        for rule in access {
            let precedence = rule.priority * 2 + u32::from(rule.allow);
            search.push(
                rule.text,
                rule.is_anchored,
                MatchEffect::Access { precedence },
            );
        }
        for (index, statement) in (0..).zip(statements) {
            let (text, is_anchored) = pattern::split_anchor(statement.path.unwrap_or_default());
            search.push(text, is_anchored, MatchEffect::Statement { index });
        }
        search.push(ROBOTS_TXT, true, MatchEffect::RobotsTxt);
        search
    }

    fn push(&mut self, text: &'t [u8], is_anchored: bool, decision: MatchEffect) {
        let first_position = self.pattern_of_position.len() as u32;
        let pattern = self.patterns.len() as u32;
        let positions = std::iter::repeat_n(pattern, text.len() + 1);
        self.pattern_of_position.extend(positions);
        self.patterns.push(Pattern {
            text,
            is_anchored,
            decision,
            first_position,
        });
    }

    /// Adds the preferences of all paths that may be fetched. Returns false if the work budget is
    /// exceeded.
    fn run(&self, coverages: &mut Coverages, work_budget: &mut u64) -> bool {
        let mut start = State {
            access: NO_RULE,
            ..State::default()
        };
        for pattern in &self.patterns {
            self.add_position(&mut start, pattern.first_position);
        }
        self.prune(&mut start);
        let first = self.next(&start, b'/');
        let mut seen: HashSet<State> = HashSet::new();
        seen.insert(first.clone());
        let mut waiting = VecDeque::from([first]);
        let mut octets = Vec::new();
        while let Some(state) = waiting.pop_front() {
            self.add_end(&state, coverages);
            octets.clear();
            octets.push(OTHER_OCTET);
            octets.extend(
                state
                    .positions
                    .iter()
                    .filter_map(|&position| self.octet_at(position).filter(|&octet| octet != b'*')),
            );
            octets.sort_unstable();
            octets.dedup();
            for &octet in &octets {
                let cost = 1 + state.positions.len() as u64;
                let Some(rest) = work_budget.checked_sub(cost) else {
                    return false;
                };
                *work_budget = rest;
                let next = self.next(&state, octet);
                if !seen.contains(&next) {
                    seen.insert(next.clone());
                    waiting.push_back(next);
                }
            }
        }
        true
    }

    fn pattern(&self, position: u32) -> &Pattern<'t> {
        &self.patterns[self.pattern_of_position[position as usize] as usize]
    }

    /// Returns the octet of a pattern at a position; `None` at the end of the pattern.
    fn octet_at(&self, position: u32) -> Option<u8> {
        let pattern = self.pattern(position);
        let offset = position - pattern.first_position;
        pattern.text.get(offset as usize).copied()
    }

    /// Returns the state that follows `state` when the path continues with `octet`.
    fn next(&self, state: &State, octet: u8) -> State {
        let mut next = State {
            access: state.access,
            statements: state.statements.clone(),
            positions: Vec::with_capacity(state.positions.len()),
        };
        for &position in &state.positions {
            match self.octet_at(position) {
                Some(b'*') => self.add_position(&mut next, position),
                Some(expected) if expected == octet => self.add_position(&mut next, position + 1),
                _ => {}
            }
        }
        self.prune(&mut next);
        next
    }

    /// Adds a position and, if the pattern has wildcards there, the positions after them. The end
    /// of a pattern that is not anchored is not added: the pattern matches, so its decision is
    /// taken at once.
    fn add_position(&self, state: &mut State, mut position: u32) {
        while self.octet_at(position) == Some(b'*') {
            state.positions.push(position);
            position += 1;
        }
        let pattern = self.pattern(position);
        if pattern.is_anchored || self.octet_at(position).is_some() {
            state.positions.push(position);
            return;
        }
        match pattern.decision {
            MatchEffect::Access { precedence } => state.access = state.access.max(precedence),
            MatchEffect::Statement { index } => self.add_statement(&mut state.statements, index),
            MatchEffect::RobotsTxt => {}
        }
    }

    /// Adds a matching statement to `longest`, unless `longest` has longer ones of its mechanism.
    /// Removes shorter ones.
    fn add_statement(&self, longest: &mut Vec<u32>, index: u32) {
        let statement = &self.statements[index as usize];
        let before = self.longest_length(longest, statement.mechanism);
        match before.cmp(&Some(statement.length())) {
            Ordering::Greater => return,
            Ordering::Less => longest
                .retain(|&other| self.statements[other as usize].mechanism != statement.mechanism),
            Ordering::Equal => {}
        }
        if let Err(place) = longest.binary_search(&index) {
            longest.insert(place, index);
        }
    }

    /// Returns the length of the statements of a mechanism among the longest ones.
    fn longest_length(&self, longest: &[u32], mechanism: usize) -> Option<u32> {
        let mut statements = longest
            .iter()
            .map(|&index| &self.statements[index as usize]);
        let first = statements.find(|statement| statement.mechanism == mechanism);
        first.map(GroupStatement::length)
    }

    /// Removes the positions in patterns that can no longer decide.
    fn prune(&self, state: &mut State) {
        let State {
            access,
            statements,
            positions,
        } = state;
        let longest: [Option<u32>; MECHANISM_COUNT] =
            std::array::from_fn(|mechanism| self.longest_length(statements, mechanism));
        positions.retain(|&position| match self.pattern(position).decision {
            MatchEffect::Access { precedence } => precedence > *access,
            MatchEffect::Statement { index } => {
                let statement = &self.statements[index as usize];
                Some(statement.length()) >= longest[statement.mechanism]
                    && statements.binary_search(&index).is_err()
            }
            MatchEffect::RobotsTxt => true,
        });
        positions.sort_unstable();
        positions.dedup();
    }

    /// Adds the preferences of a path that ends in `state`, if the path may be fetched.
    fn add_end(&self, state: &State, coverages: &mut Coverages) {
        let mut access = state.access;
        let mut longest = state.statements.clone();
        for &position in &state.positions {
            if self.octet_at(position).is_some() {
                continue;
            }
            match self.pattern(position).decision {
                MatchEffect::Access { precedence } => access = access.max(precedence),
                MatchEffect::Statement { index } => self.add_statement(&mut longest, index),
                MatchEffect::RobotsTxt => return,
            }
        }
        if access % 2 == 1 {
            let deciding = longest
                .iter()
                .map(|&index| &self.statements[index as usize]);
            add_outcome(coverages, deciding);
        }
    }
}

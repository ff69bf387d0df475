//! A search of all paths: the answers that a policy gives to any path.
//!
//! A state is the set of positions in each pattern that a path can reach. There are finitely many states,
//! so trying every symbol from every state covers every path. No state is skipped or merged with another.

use super::pattern::{Item, Pattern, Symbol};
use super::policy::Policy;
use robots::{Dialect, Verdict};
use std::collections::{BTreeSet, HashSet};

/// An example path for each answer, if there is one.
#[derive(Debug, Default)]
pub struct Reached {
    pub allowed: Option<Vec<Symbol>>,
    pub disallowed: Option<Vec<Symbol>>,
    /// True if all paths were covered.
    pub is_complete: bool,
}

impl Reached {
    /// Returns the verdict of all answers, if it is known.
    pub fn verdict(&self) -> Option<Verdict> {
        match (&self.allowed, &self.disallowed) {
            (Some(_), Some(_)) => Some(Verdict::Partial),
            _ if !self.is_complete => None,
            (Some(_), None) => Some(Verdict::AllowAll),
            (None, _) => Some(Verdict::DisallowAll),
        }
    }
}

/// A set of positions in a pattern, one bit each. The last is its end.
type Places = u64;

/// The positions in all patterns, and the state and symbol before.
type State = (Vec<Places>, Option<(usize, Symbol)>);

/// Searches all paths except `/robots.txt`, visiting at most `states_max` states. Patterns of 64 items are
/// too long.
pub fn reach(policy: &Policy, states_max: usize) -> Reached {
    let mut reached = Reached::default();
    let robots_txt = policy.path(b"/robots.txt");
    let left_out = Pattern {
        items: robots_txt
            .iter()
            .map(|&symbol| Item::One(symbol, symbol))
            .collect(),
        is_anchored: true,
        priority: 0,
    };
    let rules = policy.rules.iter();
    let mut patterns: Vec<&Pattern> = rules
        .flat_map(|rule| rule.pattern.iter().chain(&rule.folder))
        .collect();
    patterns.push(&left_out);
    if patterns.iter().any(|pattern| pattern.items.len() >= 64) {
        return reached;
    }
    let masks: Vec<Masks> = patterns.iter().map(|pattern| Masks::of(pattern)).collect();
    let symbols: Vec<(Symbol, Vec<Places>)> = alphabet(policy, &patterns)
        .into_iter()
        .map(|symbol| {
            (
                symbol,
                patterns
                    .iter()
                    .map(|pattern| named(pattern, symbol))
                    .collect(),
            )
        })
        .collect();
    let step = |state: &[Places], named: &[Places]| -> Vec<Places> {
        let places = state.iter().zip(named).zip(&masks);
        places
            .map(|((&places, &named), masks)| masks.step(places, named))
            .collect()
    };
    let before: Vec<Places> = masks
        .iter()
        .map(|masks| masks.runs_may_be_empty(1))
        .collect();
    let root: Vec<Places> = patterns
        .iter()
        .map(|pattern| named(pattern, Symbol::Plain(b'/')))
        .collect();
    let root = step(&before, &root);
    let mut seen = HashSet::from([root.clone()]);
    let mut states: Vec<State> = vec![(root, None)];
    let mut i = 0;
    while i < states.len() && states.len() <= states_max {
        let state = states[i].0.clone();
        let is_match = |pattern: &Pattern| {
            let mut all = patterns.iter().zip(&state);
            all.any(|(other, places)| {
                std::ptr::eq(*other, pattern) && places >> pattern.items.len() & 1 == 1
            })
        };
        if !is_match(&left_out) {
            let found = if policy.answer(is_match).0 {
                &mut reached.allowed
            } else {
                &mut reached.disallowed
            };
            found.get_or_insert_with(|| path_to(i, &states));
        }
        if reached.allowed.is_some() && reached.disallowed.is_some() {
            return reached;
        }
        for (symbol, named) in &symbols {
            let next = step(&state, named);
            if seen.insert(next.clone()) {
                states.push((next, Some((i, *symbol))));
            }
        }
        i += 1;
    }
    reached.is_complete = i == states.len();
    reached
}

/// Returns the path that led to a state.
fn path_to(mut i: usize, states: &[State]) -> Vec<Symbol> {
    let mut path = Vec::new();
    while let Some((before, symbol)) = states[i].1 {
        path.push(symbol);
        i = before;
    }
    path.push(Symbol::Plain(b'/'));
    path.reverse();
    path
}

/// Returns the symbols that occur in patterns, and one that occurs in none. A path contains no NUL and no
/// `#`, except by decoding.
fn alphabet(policy: &Policy, patterns: &[&Pattern]) -> BTreeSet<Symbol> {
    let items = patterns.iter().flat_map(|pattern| &pattern.items);
    let symbols = items.flat_map(|item| match *item {
        Item::One(a, b) => vec![a, b],
        Item::Run => Vec::new(),
    });
    let is_decoded = policy.dialect == Dialect::Koster1996;
    let is_possible = |symbol: &Symbol| is_decoded || !matches!(symbol, Symbol::Plain(0 | b'#'));
    symbols.chain([Symbol::Other]).filter(is_possible).collect()
}

/// Returns the positions of a pattern that a symbol can leave.
fn named(pattern: &Pattern, symbol: Symbol) -> Places {
    let items = pattern.items.iter().enumerate();
    let is_named = |item: &Item| matches!(item, Item::One(a, b) if [a, b].contains(&&symbol));
    items
        .filter(|(_, item)| is_named(item))
        .fold(0, |places, (i, _)| places | 1 << i)
}

/// Returns the positions of a pattern that every symbol keeps.
struct Masks {
    runs: Places,
    /// The end, unless the path must end with the pattern.
    open_end: Places,
}

impl Masks {
    fn of(pattern: &Pattern) -> Self {
        let items = pattern.items.iter().enumerate();
        let runs = items.filter(|(_, item)| **item == Item::Run);
        Self {
            runs: runs.fold(0, |places, (i, _)| places | 1 << i),
            open_end: u64::from(!pattern.is_anchored) << pattern.items.len(),
        }
    }

    /// Returns the positions after one more symbol.
    fn step(&self, places: Places, named: Places) -> Places {
        let stays = places & (self.runs | self.open_end);
        self.runs_may_be_empty((places & named) << 1 | stays)
    }

    fn runs_may_be_empty(&self, mut places: Places) -> Places {
        loop {
            let more = places | (places & self.runs) << 1;
            if more == places {
                return places;
            }
            places = more;
        }
    }
}

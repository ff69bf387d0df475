//! The slow way to what a set of rules can do: which answers some path gets.
//!
//! The rules become one automaton over the path. A state is the set of places
//! that the rules stand at after some prefix, with the priorities of those
//! that have matched for good. All states that a path can reach are visited,
//! until both answers have been seen, or none are left, or the work limit is
//! met. Tests compare the fast way with it (see `decider`).
//!
//! Symbols are numbers, so that a dialect may tell `/` from `%2F`. A symbol
//! that no rule names stands for all the others.

use crate::symbols::Step;
use std::collections::HashSet;

/// A symbol that no rule names: it stands for all such.
pub(crate) const OTHER: u16 = 1000;

/// A rule as the automaton has it: its steps lie in one list with the others'.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    /// First of its steps.
    pub first: u32,
    /// One past its last.
    pub end: u32,
    /// Whether it allows.
    pub allow: bool,
    /// The greater wins; an allow wins among equals. At least 1.
    pub priority: u32,
}

/// The answers that paths get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    AllowAll,
    DisallowAll,
    Both,
    /// The work limit was met.
    TooComplex,
}

/// Bounds on a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// States that may be visited.
    pub states: usize,
    /// Places of rules that may be looked at, over all states.
    pub work: u64,
}

/// A state: the best priorities for good, how much of the path that is left
/// out has been followed, and the places of the rules, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    allow: u32,
    disallow: u32,
    /// Symbols of the excluded path so far, `u32::MAX` once the path differs.
    excluded: u32,
    places: Box<[u32]>,
}

/// Searches the answers that paths get, `excluded` itself left out. Every
/// path begins with the symbol `root`; `other` is a symbol no rule names.
pub(crate) fn reach(
    steps: &[Step],
    rules: &[Rule],
    excluded: &[u16],
    root: u16,
    other: u16,
    limits: Limits,
    work: &mut u64,
) -> Reach {
    let search = Search {
        steps,
        rules,
        owners: owners(steps, rules),
        excluded,
        other,
    };
    let start = State {
        allow: 0,
        disallow: 0,
        excluded: 0,
        places: rules
            .iter()
            .map(|rule| rule.first)
            .collect::<Vec<_>>()
            .into_boxed_slice(),
    };
    let start = search.close(start.allow, start.disallow, 0, start.places.to_vec());
    let first = search.advance(&start, root);
    let mut seen = HashSet::from([first.clone()]);
    let mut stack = vec![first];
    let (mut allows, mut disallows) = (false, false);
    let mut symbols = Vec::new();
    while let Some(state) = stack.pop() {
        *work += state.places.len() as u64 + 1;
        if *work > limits.work || seen.len() > limits.states {
            return Reach::TooComplex;
        }
        if state.excluded as usize != excluded.len() {
            if search.ends_allowed(&state) {
                allows = true
            } else {
                disallows = true
            }
            if allows && disallows {
                return Reach::Both;
            }
        }
        search.symbols(&state, &mut symbols);
        *work += (symbols.len() * (state.places.len() + 1)) as u64;
        // The last pushed is followed first: the rules' own symbols lead on.
        for &symbol in &symbols {
            let next = search.advance(&state, symbol);
            if !seen.contains(&next) {
                seen.insert(next.clone());
                stack.push(next);
            }
        }
    }
    if disallows {
        Reach::DisallowAll
    } else {
        Reach::AllowAll
    }
}

struct Search<'a> {
    steps: &'a [Step],
    rules: &'a [Rule],
    /// The rule that each step belongs to.
    owners: Vec<u32>,
    excluded: &'a [u16],
    other: u16,
}

fn owners(steps: &[Step], rules: &[Rule]) -> Vec<u32> {
    // One place more than steps: the place behind a rule's last step is its
    // own, so rules must not share it; they are laid out with a gap.
    let mut owners = vec![0; steps.len() + 1];
    for (at, rule) in rules.iter().enumerate() {
        owners[rule.first as usize..=rule.end as usize].fill(at as u32);
    }
    owners
}

impl Search<'_> {
    /// Makes a state of places: runs may be empty, rules that have ended
    /// count for good, and rules that can change nothing any more are dropped.
    fn close(
        &self,
        mut allow: u32,
        mut disallow: u32,
        excluded: u32,
        mut places: Vec<u32>,
    ) -> State {
        let mut at = 0;
        while at < places.len() {
            let place = places[at];
            let rule = &self.rules[self.owners[place as usize] as usize];
            if place == rule.end {
                let best = if rule.allow {
                    &mut allow
                } else {
                    &mut disallow
                };
                *best = rule.priority.max(*best);
                places.swap_remove(at);
                continue;
            }
            // Two runs never stand in a row, so this adds a place but once.
            if self.steps[place as usize] == Step::Run {
                places.push(place + 1);
            }
            at += 1;
        }
        places.retain(|&place| {
            let rule = &self.rules[self.owners[place as usize] as usize];
            if rule.allow {
                rule.priority > allow && rule.priority >= disallow
            } else {
                rule.priority > disallow && rule.priority > allow
            }
        });
        places.sort_unstable();
        places.dedup();
        // What is outdone for good does not tell states apart.
        if allow >= disallow {
            disallow = 0
        } else {
            allow = 0
        }
        State {
            allow,
            disallow,
            excluded,
            places: places.into_boxed_slice(),
        }
    }

    fn advance(&self, state: &State, symbol: u16) -> State {
        let mut places = Vec::with_capacity(state.places.len() + 2);
        for &place in &state.places {
            match self.steps[place as usize] {
                Step::One(a, b) if symbol == a || symbol == b => places.push(place + 1),
                Step::Run => places.push(place),
                Step::One(..) | Step::End => {}
            }
        }
        let follows = self.excluded.get(state.excluded as usize) == Some(&symbol);
        let excluded = if follows {
            state.excluded + 1
        } else {
            u32::MAX
        };
        self.close(state.allow, state.disallow, excluded, places)
    }

    /// Whether a path that ends here is allowed.
    fn ends_allowed(&self, state: &State) -> bool {
        let (mut allow, mut disallow) = (state.allow, state.disallow);
        for &place in &state.places {
            if self.steps[place as usize] == Step::End {
                let rule = &self.rules[self.owners[place as usize] as usize];
                let best = if rule.allow {
                    &mut allow
                } else {
                    &mut disallow
                };
                *best = rule.priority.max(*best);
            }
        }
        disallow <= allow
    }

    /// The symbols that lead on from here in different ways; all others do
    /// what `other` does.
    fn symbols(&self, state: &State, symbols: &mut Vec<u16>) {
        symbols.clear();
        for &place in &state.places {
            if let Step::One(a, b) = self.steps[place as usize] {
                symbols.extend([a, b]);
            }
        }
        symbols.extend(self.excluded.get(state.excluded as usize));
        symbols.sort_unstable();
        symbols.dedup();
        symbols.retain(|&symbol| symbol != self.other);
        symbols.insert(0, self.other);
    }
}

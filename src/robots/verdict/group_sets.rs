//! Sets of groups, each once, with what was found out about it.

use crate::verdict::Verdict;
use crate::verdict::agents::{AgentIndex, GroupList};
use crate::verdict::coverage::Coverage;
use crate::verdict::index::Index;
use std::ops::Range;

/// The set without groups.
pub(crate) const EMPTY: u32 = 0;

/// The verdict of a set of groups, with what a row says of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupSetVerdict {
    pub(crate) decided: Coverage,
    pub(crate) is_root_allowed: bool,
    pub(crate) n_allow: u32,
    pub(crate) n_disallow: u32,
    pub(crate) crawl_delay: Option<f64>,
    pub(crate) evidence_line: u32,
    /// Whether all rules say the same to `rfc9309`.
    pub(crate) is_plain: bool,
}

/// A set, with its answers as they come.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupSet {
    groups: Range<u32>,
    /// By Google's reading.
    pub(crate) decision: Option<GroupSetVerdict>,
    /// By `rfc9309`.
    pub(crate) rfc9309: Option<Verdict>,
    /// The hash of its rules.
    pub(crate) rules: Option<u64>,
    /// Whether it is that of a whole name, or of everybody.
    pub(crate) is_of_name: bool,
}

/// The sets of groups of a file.
#[derive(Debug, Default)]
pub(crate) struct GroupSets {
    sets: Vec<GroupSet>,
    groups: Vec<u32>,
    /// The set of each group alone, or [`EMPTY`].
    singles: Vec<u32>,
    /// Sets of more than one group.
    index: Index,
    scratch: Vec<u32>,
}

impl GroupSets {
    /// Forgets all sets but the empty one, for a file of so many groups.
    pub(crate) fn clear(&mut self, groups: usize) {
        self.sets.clear();
        self.sets.push(GroupSet::default());
        self.groups.clear();
        self.singles.clear();
        self.singles.resize(groups + 1, EMPTY);
        self.index.clear();
    }

    /// The set of a name's groups.
    pub(crate) fn of(&mut self, names: &AgentIndex, groups: GroupList) -> u32 {
        if let Some(group) = groups.single() {
            return self.of_single(group);
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        names.groups(groups, &mut scratch);
        let set = self.of_groups(&scratch);
        self.scratch = scratch;
        set
    }

    /// The set of groups, which are in order.
    pub(crate) fn of_groups(&mut self, groups: &[u32]) -> u32 {
        match *groups {
            [] => return EMPTY,
            [group] => return self.of_single(group),
            _ => {}
        }
        let hash = self.index.hash_numbers(groups);
        if let Some(set) = self.index.find(hash, |set| self.groups(set) == groups) {
            return set;
        }
        let set = self.push(groups);
        self.index.insert(hash, set);
        set
    }

    fn of_single(&mut self, group: u32) -> u32 {
        let known = self.singles[group as usize];
        if known != EMPTY {
            return known;
        }
        let set = self.push(&[group]);
        self.singles[group as usize] = set;
        set
    }

    fn push(&mut self, groups: &[u32]) -> u32 {
        let start = self.groups.len() as u32;
        self.groups.extend_from_slice(groups);
        self.sets.push(GroupSet {
            groups: start..self.groups.len() as u32,
            ..GroupSet::default()
        });
        self.sets.len() as u32 - 1
    }

    /// The groups of a set, in order.
    pub(crate) fn groups(&self, set: u32) -> &[u32] {
        let groups = &self.sets[set as usize].groups;
        &self.groups[groups.start as usize..groups.end as usize]
    }

    pub(crate) fn get(&mut self, set: u32) -> &mut GroupSet {
        &mut self.sets[set as usize]
    }

    /// All sets.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &GroupSet)> {
        (0..).zip(&self.sets)
    }
}

//! Sets of groups, each stored once together with its results.
//!
//! Many names have the same groups. Each result is computed once per set instead of once per name.

use super::Verdict;
use super::agents::{AgentIndex, GroupList, clear_table};
use super::coverage::Coverage;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;
use std::ops::Range;

/// The index of the set without groups.
pub(crate) const EMPTY: u32 = 0;

/// The verdict of a set of groups according to Google's rules, and the values of its row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupSetVerdict {
    pub(crate) coverage: Coverage,
    pub(crate) is_root_allowed: bool,
    pub(crate) n_allow: u32,
    pub(crate) n_disallow: u32,
    pub(crate) crawl_delay: Option<f64>,
    pub(crate) evidence_line: Option<u32>,
    /// True if all rules have the same effect in `rfc9309`.
    pub(crate) is_same_for_rfc9309: bool,
}

/// A set of groups, with the results computed so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupSet {
    groups: Range<u32>,
    /// The verdict according to Google's rules; `None` until it is computed.
    pub(crate) verdict: Option<GroupSetVerdict>,
    pub(crate) verdict_rfc9309: Option<Verdict>,
    /// The hash of its rules; `None` until it is computed.
    pub(crate) rules_hash: Option<u64>,
    /// True if this is the set of a whole name or of `*`.
    pub(crate) is_of_name: bool,
}

/// The sets of groups of a file.
#[derive(Debug, Default)]
pub(crate) struct GroupSets {
    sets: Vec<GroupSet>,
    groups: Vec<u32>,
    /// The set that contains only this group, for each group, or [`EMPTY`].
    singles: Vec<u32>,
    /// The sets of more than one group, by their groups.
    table: HashTable<u32>,
    hash: DefaultHashBuilder,
    scratch: Vec<u32>,
}

impl GroupSets {
    /// Removes all sets except the empty one, for a file with `group_count` groups.
    pub(crate) fn clear(&mut self, group_count: usize) {
        self.sets.clear();
        self.sets.push(GroupSet::default());
        self.groups.clear();
        self.singles.clear();
        self.singles.resize(group_count + 1, EMPTY);
        clear_table(&mut self.table);
    }

    /// Returns the set of the groups of an agent.
    pub(crate) fn of(&mut self, agents: &AgentIndex, groups: GroupList) -> u32 {
        if let Some(group_no) = groups.single() {
            return self.of_single(group_no);
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        agents.groups(groups, &mut scratch);
        let set = self.of_groups(&scratch);
        self.scratch = scratch;
        set
    }

    /// Returns the set of groups that are given in order.
    pub(crate) fn of_groups(&mut self, groups: &[u32]) -> u32 {
        match *groups {
            [] => return EMPTY,
            [group_no] => return self.of_single(group_no),
            _ => {}
        }
        let groups_hash = self.hash.hash_one(groups);
        let is_same = |&set: &u32| self.groups(set) == groups;
        if let Some(&set) = self.table.find(groups_hash, is_same) {
            return set;
        }
        let set = self.push(groups);
        let Self {
            sets,
            groups,
            table,
            hash,
            ..
        } = self;
        table.insert_unique(groups_hash, set, |&set| {
            let range = &sets[set as usize].groups;
            hash.hash_one(&groups[range.start as usize..range.end as usize])
        });
        set
    }

    fn of_single(&mut self, group_no: u32) -> u32 {
        let known = self.singles[group_no as usize];
        if known != EMPTY {
            return known;
        }
        let set = self.push(&[group_no]);
        self.singles[group_no as usize] = set;
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

    /// Returns the groups of a set, in order.
    pub(crate) fn groups(&self, set: u32) -> &[u32] {
        let range = &self.sets[set as usize].groups;
        &self.groups[range.start as usize..range.end as usize]
    }

    pub(crate) fn get(&mut self, set: u32) -> &mut GroupSet {
        &mut self.sets[set as usize]
    }

    /// Returns all sets with their indexes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &GroupSet)> {
        (0..).zip(&self.sets)
    }
}

#[cfg(test)]
mod tests {
    use super::super::agents::MAX_KEPT_CAPACITY;
    use super::*;

    #[test]
    fn a_table_is_empty_after_it_is_cleared() {
        for count in [10, 10 * MAX_KEPT_CAPACITY as u64] {
            let mut table = HashTable::new();
            for number in 0..count {
                table.insert_unique(number, number, |&number| number);
            }
            clear_table(&mut table);
            assert!(table.is_empty() && table.capacity() <= MAX_KEPT_CAPACITY);
        }
    }

    #[test]
    fn equal_groups_have_the_same_set() {
        let mut sets = GroupSets::default();
        for _ in 0..2 {
            sets.clear(1000);
            assert_eq!(sets.of_groups(&[]), EMPTY);
            let lists: Vec<Vec<u32>> = (1..1000)
                .map(|last| (last.min(7)..=last).collect())
                .collect();
            let found: Vec<u32> = lists.iter().map(|list| sets.of_groups(list)).collect();
            for (list, &set) in lists.iter().zip(&found) {
                assert_eq!(sets.of_groups(list), set);
                assert_eq!(sets.groups(set), list);
            }
        }
    }
}

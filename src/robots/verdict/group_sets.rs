//! Sets of groups, each stored once together with its verdicts.
//!
//! Many names have the same groups. Each verdict is computed once per set instead of once per name.

use super::Verdict;
use super::agents::{AgentIndex, GroupList, clear_table};
use super::coverage::Coverage;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;
use std::ops::Range;

/// The index of the set without groups.
pub(crate) const EMPTY_SET: u32 = 0;

/// The verdict of a set of groups according to Google's rules, with the fields of [`AgentVerdict`]
/// that depend only on the set.
///
/// [`AgentVerdict`]: super::AgentVerdict
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupSetVerdict {
    pub(crate) coverage: Coverage,
    pub(crate) is_root_allowed: bool,
    pub(crate) n_allow: u32,
    pub(crate) n_disallow: u32,
    pub(crate) evidence_line: Option<u32>,
    /// True if all rules have the same effect in `rfc9309`.
    pub(crate) has_same_effect_in_rfc9309: bool,
}

/// A set of groups, with the results computed so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupSet {
    /// The numbers of its groups, as a range of [`GroupSets::groups`].
    groups: Range<u32>,
    /// The verdict according to Google's rules; `None` until it is computed.
    pub(crate) verdict: Option<GroupSetVerdict>,
    /// The verdict in `rfc9309`; `None` until it is computed.
    pub(crate) verdict_rfc9309: Option<Verdict>,
    /// The hash of the merged rules of the groups, for the fingerprint; `None` until it is
    /// computed.
    pub(crate) rules_hash: Option<u64>,
    /// True if some whole name or `*` has exactly these groups.
    pub(crate) is_used_by_agent: bool,
}

/// The sets of groups of a file.
#[derive(Debug, Default)]
pub(crate) struct GroupSets {
    sets: Vec<GroupSet>,
    /// The numbers of the groups of all sets, one set after the other.
    groups: Vec<u32>,
    /// For each group number, the index of the set that contains only this group, or [`EMPTY_SET`]
    /// if there is no such set yet.
    single_group_sets: Vec<u32>,
    /// The indexes of the sets of more than one group, by a hash of their groups.
    table: HashTable<u32>,
    hash_builder: DefaultHashBuilder,
    scratch: Vec<u32>,
}

impl GroupSets {
    /// Removes all sets except the empty one, for a file with `group_count` groups.
    pub(crate) fn clear(&mut self, group_count: usize) {
        self.sets.clear();
        self.sets.push(GroupSet::default());
        self.groups.clear();
        self.single_group_sets.clear();
        self.single_group_sets.resize(group_count + 1, EMPTY_SET);
        clear_table(&mut self.table);
    }

    /// Returns the index of the set of the groups of an agent, and adds the set if it is new.
    pub(crate) fn intern_agent_groups(&mut self, agents: &AgentIndex, groups: GroupList) -> u32 {
        if let Some(group_no) = groups.single_group() {
            return self.intern_single_group(group_no);
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        agents.write_groups(groups, &mut scratch);
        let set = self.intern_groups(&scratch);
        self.scratch = scratch;
        set
    }

    /// Returns the index of the set of groups, which are given in order, and adds the set if it is
    /// new.
    pub(crate) fn intern_groups(&mut self, groups: &[u32]) -> u32 {
        match *groups {
            [] => return EMPTY_SET,
            [group_no] => return self.intern_single_group(group_no),
            _ => {}
        }
        let groups_hash = self.hash_builder.hash_one(groups);
        let is_same = |&set: &u32| self.groups(set) == groups;
        if let Some(&set) = self.table.find(groups_hash, is_same) {
            return set;
        }
        let set = self.push(groups);
        let Self {
            sets,
            groups,
            table,
            hash_builder,
            ..
        } = self;
        table.insert_unique(groups_hash, set, |&set| {
            let range = &sets[set as usize].groups;
            hash_builder.hash_one(&groups[range.start as usize..range.end as usize])
        });
        set
    }

    fn intern_single_group(&mut self, group_no: u32) -> u32 {
        let known = self.single_group_sets[group_no as usize];
        if known != EMPTY_SET {
            return known;
        }
        let set = self.push(&[group_no]);
        self.single_group_sets[group_no as usize] = set;
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

    /// Returns the numbers of the groups in a set of groups, in order.
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
            assert_eq!(sets.intern_groups(&[]), EMPTY_SET);
            let lists: Vec<Vec<u32>> = (1..1000)
                .map(|last| (last.min(7)..=last).collect())
                .collect();
            let found: Vec<u32> = lists.iter().map(|list| sets.intern_groups(list)).collect();
            for (list, &set) in lists.iter().zip(&found) {
                assert_eq!(sets.intern_groups(list), set);
                assert_eq!(sets.groups(set), list);
            }
        }
    }
}

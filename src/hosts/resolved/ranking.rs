//! Ranks crawler names by the number of hosts that block them.

use robots::{Basis, Verdict};
use std::cmp::Reverse;
use std::collections::HashMap;
use tables::{HostRules, StoredVerdict};
use xxhash_rust::xxh3::xxh3_64;

/// The length of the longest name that is ranked, in bytes.
const MAX_RANKED_NAME_BYTES: usize = 128;

/// The number of names in the ranking.
const RANKING_LENGTH: usize = 10;

/// The names that are blocked by the largest numbers of hosts of the last crawl, as the question `most_blocked_agents`
/// counts them. A host blocks a name if it has rules for the name itself that disallow everything.
#[derive(Debug, Default)]
pub struct BlockedNameRanking {
    /// The number of hosts of the last crawl with a known verdict for `*`.
    pub hosts: u64,
    /// The names, in descending order of the numbers of hosts that block them.
    pub names: Vec<BlockedName>,
    /// The index of the last crawl. Other crawls are not counted.
    crawl: u32,
    /// The current name, and the hosts that block it so far.
    current: BlockedName,
    domains: MostCommon,
    rulesets: MostCommon,
}

/// A name, and the numbers of hosts that block it.
#[derive(Clone, Debug, Default)]
pub struct BlockedName {
    pub name: String,
    pub hosts: u64,
    /// The hosts in the registered domain that has most of them.
    pub hosts_in_one_domain: u64,
    /// The hosts with the most common rule set.
    pub hosts_with_one_ruleset: u64,
}

/// A host with rows in `host_verdicts`, as the ranking counts it.
pub(super) struct RankedHost<'a> {
    pub is_decided: bool,
    /// The registered domain, or the name of a host without one.
    pub domain: &'a [u8],
    pub ruleset_id: i64,
}

/// Returns true if a host has a known verdict for `*`, and rows for the names in its rules.
pub(super) fn is_decided(rules: &HostRules<'_>) -> bool {
    rules.wildcard.verdicts[0] != Verdict::Unknown && rules.has_named_rows
}

impl BlockedNameRanking {
    pub(super) fn new(crawl: u32) -> Self {
        Self {
            crawl,
            ..Self::default()
        }
    }

    pub(super) fn count_host(&mut self, crawl: u32, rules: &HostRules<'_>) {
        self.hosts += u64::from(crawl == self.crawl && is_decided(rules));
    }

    /// Counts a row of `host_verdicts`. Rows are counted in the order of names.
    pub(super) fn count_verdict(
        &mut self,
        crawl: u32,
        name: &str,
        host: &RankedHost<'_>,
        verdict: &StoredVerdict,
    ) {
        let is_blocked =
            verdict.basis == Basis::Explicit && verdict.verdicts[0] == Verdict::DisallowAll;
        if crawl != self.crawl
            || !is_blocked
            || !host.is_decided
            || name.len() > MAX_RANKED_NAME_BYTES
        {
            return;
        }
        if self.current.name != name {
            self.finish_name();
            self.current.name.push_str(name);
        }
        self.current.hosts += 1;
        self.domains.count(xxh3_64(host.domain));
        self.rulesets.count(host.ruleset_id.cast_unsigned());
    }

    /// Adds the current name to the ranking, if it is among the [`RANKING_LENGTH`] most blocked names so far.
    pub(super) fn finish_name(&mut self) {
        let mut name = std::mem::take(&mut self.current);
        name.hosts_in_one_domain = self.domains.take_largest();
        name.hosts_with_one_ruleset = self.rulesets.take_largest();
        if name.hosts > 0 {
            // Of names with equal counts, the alphabetically first are kept.
            let position = self
                .names
                .partition_point(|other| other.hosts >= name.hosts);
            self.names.insert(position, name);
            self.names.truncate(RANKING_LENGTH);
        }
        debug_assert!(self.names.is_sorted_by_key(|name| Reverse(name.hosts)));
    }
}

/// Counts how often the most common value occurs, in bounded memory. Of values that are more than [`Self::MAX_VALUES`], the
/// result is too small, by at most the number of all values divided by this limit (Misra and Gries, 1982).
#[derive(Debug, Default)]
struct MostCommon {
    counts: HashMap<u64, u64>,
}

impl MostCommon {
    const MAX_VALUES: usize = 1 << 16;

    fn count(&mut self, value: u64) {
        if self.counts.len() == Self::MAX_VALUES && !self.counts.contains_key(&value) {
            self.counts.retain(|_, count| {
                *count -= 1;
                *count > 0
            });
            return;
        }
        *self.counts.entry(value).or_default() += 1;
    }

    /// Returns the count of the most common value, 0 without values, and forgets all values.
    fn take_largest(&mut self) -> u64 {
        let largest = self.counts.values().copied().max().unwrap_or_default();
        self.counts.clear();
        largest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_common_of_many_values_is_counted_in_bounded_memory() {
        let mut values = MostCommon::default();
        assert_eq!(values.take_largest(), 0);
        (0..10).for_each(|i| values.count(i % 3));
        assert_eq!(values.take_largest(), 4);
        let all = 4 * MostCommon::MAX_VALUES as u64;
        // Every second value is the same, and the others differ.
        (0..all).for_each(|i| values.count(if i % 2 == 0 { u64::MAX } else { i }));
        assert!(values.counts.len() <= MostCommon::MAX_VALUES);
        let largest = values.take_largest();
        assert!((all / 2 - 4..=all / 2).contains(&largest), "{largest}");
    }
}

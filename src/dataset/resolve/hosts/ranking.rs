//! The names that most hosts of the last crawl block.

use crate::tables::StoredVerdict;
use robots::{Basis, Verdict};
use std::cmp::Reverse;

/// The length of the longest name that is ranked.
const MAX_RANKED_NAME_BYTES: usize = 128;

/// The number of names in a ranking.
const RANKED: usize = 10;

/// The names that most hosts of the last crawl name and disallow everything to.
#[derive(Debug, Default)]
pub struct Ranking {
    /// The number of hosts of the last crawl.
    pub hosts: u64,
    /// The names and their numbers of hosts, in descending order.
    pub agents: Vec<(String, u64)>,
    /// The index of the last crawl, the only one that is ranked.
    crawl: u32,
    /// The current name, and the hosts that block it so far.
    current: (String, u64),
}

impl Ranking {
    pub(super) fn new(crawl: u32) -> Self {
        Self {
            crawl,
            ..Self::default()
        }
    }

    pub(super) fn count_host(&mut self, crawl: u32) {
        self.hosts += u64::from(crawl == self.crawl);
    }

    /// Counts a row. Rows come in the order of names.
    pub(super) fn count(&mut self, crawl: u32, agent: &str, verdict: &StoredVerdict) {
        let is_blocked =
            verdict.basis == Basis::Explicit && verdict.verdicts[0] == Verdict::DisallowAll;
        if crawl != self.crawl || !is_blocked || agent.len() > MAX_RANKED_NAME_BYTES {
            return;
        }
        if self.current.0 != agent {
            self.end();
            self.current.0.clear();
            self.current.0.push_str(agent);
        }
        self.current.1 += 1;
    }

    /// Ends the current name.
    pub(super) fn end(&mut self) {
        let (agent, count) = &mut self.current;
        let count = std::mem::take(count);
        if count > 0 {
            // Names come in order, so of those with equal counts the first remains.
            let place = self.agents.partition_point(|(_, other)| *other >= count);
            self.agents.insert(place, (agent.clone(), count));
            self.agents.truncate(RANKED);
        }
        debug_assert!(self.agents.is_sorted_by_key(|(_, count)| Reverse(*count)));
    }
}

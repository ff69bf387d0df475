//! Ranks crawler names by the number of hosts that block them.

use robots::{Basis, Verdict};
use std::cmp::Reverse;
use tables::StoredVerdict;

/// The length of the longest name that is ranked, in bytes.
const MAX_RANKED_NAME_BYTES: usize = 128;

/// The number of names in the ranking.
const RANKING_LENGTH: usize = 10;

/// The names that are blocked by the largest numbers of hosts of the last crawl. A host blocks a name if it
/// has rules for the name itself that disallow everything.
#[derive(Debug, Default)]
pub struct BlockedNameRanking {
    /// The number of hosts of the last crawl.
    pub hosts: u64,
    /// The names and the numbers of hosts that block them, in descending order of the numbers.
    pub agents: Vec<(String, u64)>,
    /// The index of the last crawl. Other crawls are not counted.
    crawl: u32,
    /// The current name, and the number of hosts that block it so far.
    current: (String, u64),
}

impl BlockedNameRanking {
    pub(super) fn new(crawl: u32) -> Self {
        Self {
            crawl,
            ..Self::default()
        }
    }

    pub(super) fn count_host(&mut self, crawl: u32) {
        self.hosts += u64::from(crawl == self.crawl);
    }

    /// Counts a row of `host_verdicts`. Rows are counted in the order of names.
    pub(super) fn count_verdict(&mut self, crawl: u32, agent: &str, verdict: &StoredVerdict) {
        let is_blocked =
            verdict.basis == Basis::Explicit && verdict.verdicts[0] == Verdict::DisallowAll;
        if crawl != self.crawl || !is_blocked || agent.len() > MAX_RANKED_NAME_BYTES {
            return;
        }
        if self.current.0 != agent {
            self.finish_name();
            self.current.0.clear();
            self.current.0.push_str(agent);
        }
        self.current.1 += 1;
    }

    /// Adds the current name to the ranking, if it is among the [`RANKING_LENGTH`] most blocked names so far.
    pub(super) fn finish_name(&mut self) {
        let (agent, count) = &mut self.current;
        let count = std::mem::take(count);
        if count > 0 {
            // Of names with equal counts, the alphabetically first are kept.
            let position = self.agents.partition_point(|(_, other)| *other >= count);
            self.agents.insert(position, (agent.clone(), count));
            self.agents.truncate(RANKING_LENGTH);
        }
        debug_assert!(self.agents.is_sorted_by_key(|(_, count)| Reverse(*count)));
    }
}

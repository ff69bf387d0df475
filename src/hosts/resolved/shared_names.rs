//! Limits the number of rows of `host_verdicts` for hosts that share the rules of a file.
//!
//! Any number of hosts may redirect to one file, or have revisits of it, so `host_verdicts` could have
//! many times the rows of `verdicts`. A host shares rules if its rules are those of another capture.
//! Such a host has rows only if its file has at most [`MAX_SHARED_NAMES`] names. The limit is lower for
//! a crawl whose hosts with shared rules would have too many rows together: more than
//! [`MAX_SHARED_ROWS`], plus [`MAX_SHARED_ROWS_PER_HOST`] for each host of the crawl. The limit depends
//! only on the hosts of the crawl and their files.
//!
//! If you change this rule, also change `oracle_hosts` in `tests/python/oracle/hosts.sql`.

use std::collections::BTreeMap;

/// The limit of the number of names of a file if hosts with shared rules are to have rows for these names.
const MAX_SHARED_NAMES: u32 = 2000;

/// The limit of the number of rows that all hosts of a crawl with shared rules may have together. A
/// platform may redirect 100,000 hosts to a file of 200 names.
const MAX_SHARED_ROWS: u64 = 25_000_000;

/// The number of rows that each host of a crawl adds to [`MAX_SHARED_ROWS`].
const MAX_SHARED_ROWS_PER_HOST: u64 = 25;

/// The length up to which a name counts as one name, in bytes. A longer name counts as several: one for each
/// part of this length, of which the last may be shorter.
const COUNTED_NAME_BYTES: usize = 64;

/// Returns the number by which a name is counted against the limits: more than 1 for a long name, which
/// takes as much memory as several short ones.
pub(super) fn name_weight(name: &str) -> u32 {
    let count = name.len().div_ceil(COUNTED_NAME_BYTES).max(1);
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The counts of hosts from which the limits are computed, for each crawl.
#[derive(Debug, Default)]
pub(super) struct HostCountsByCrawl {
    by_crawl: BTreeMap<u32, HostCountsOfCrawl>,
}

#[derive(Debug, Default)]
struct HostCountsOfCrawl {
    host_count: u64,
    /// The number of hosts with shared rules, by the number of names of their file, up to
    /// [`MAX_SHARED_NAMES`].
    shared_hosts: BTreeMap<u32, u64>,
}

impl HostCountsByCrawl {
    /// Counts a host whose file has this number of `names`. `is_shared` is true if its rules are
    /// not those of its authoritative capture.
    pub(super) fn add(&mut self, crawl: u32, is_shared: bool, names: u32) {
        let counts = self.by_crawl.entry(crawl).or_default();
        counts.host_count += 1;
        if is_shared && names <= MAX_SHARED_NAMES {
            *counts.shared_hosts.entry(names).or_default() += 1;
        }
    }

    /// Adds the counts of `other`, which are of other hosts.
    pub(super) fn add_all(&mut self, other: Self) {
        for (crawl, added) in other.by_crawl {
            let counts = self.by_crawl.entry(crawl).or_default();
            counts.host_count += added.host_count;
            for (names, hosts) in added.shared_hosts {
                *counts.shared_hosts.entry(names).or_default() += hosts;
            }
        }
    }

    pub(super) fn compute_limits(&self) -> NameLimits {
        let crawls = self.by_crawl.iter();
        NameLimits {
            by_crawl: crawls
                .map(|(crawl, counts)| (*crawl, counts.max_shared_names()))
                .collect(),
        }
    }
}

impl HostCountsOfCrawl {
    /// Returns the largest number of names that a file may have if hosts with shared rules are to have
    /// rows for its names.
    fn max_shared_names(&self) -> u32 {
        let rows_max = MAX_SHARED_ROWS + MAX_SHARED_ROWS_PER_HOST * self.host_count;
        let mut rows = 0;
        for (&names, hosts) in &self.shared_hosts {
            rows += u64::from(names) * hosts;
            if rows > rows_max {
                return names - 1;
            }
        }
        MAX_SHARED_NAMES
    }
}

/// For each crawl, the largest number of names that a file may have if hosts with shared rules are to have
/// rows for its names.
#[derive(Debug)]
pub(super) struct NameLimits {
    by_crawl: BTreeMap<u32, u32>,
}

impl NameLimits {
    /// Returns true if a host with shared rules has rows for the names of its file. `names` is their number.
    pub(super) fn includes(&self, crawl: u32, names: u32) -> bool {
        let limit = self.by_crawl.get(&crawl);
        names <= limit.copied().unwrap_or(MAX_SHARED_NAMES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the limit for hosts with files of these numbers of names, and other hosts.
    fn limit(shared: &[(u32, u64)], others: u64) -> u32 {
        let counts = HostCountsOfCrawl {
            host_count: others + shared.iter().map(|(_, hosts)| hosts).sum::<u64>(),
            shared_hosts: shared.iter().copied().collect(),
        };
        counts.max_shared_names()
    }

    #[test]
    fn the_rows_of_files_that_many_hosts_share_are_limited() {
        let all = MAX_SHARED_NAMES;
        for (shared, others, expected) in [
            (&[][..], 0, all),
            // A platform.
            (&[(3, 40_000), (200, 100_000)], 0, all),
            // 2,000 names for each of 12,658 hosts are 25,316,000 rows; 25,316,450 are allowed.
            (&[(2000, 12_658)], 0, all),
            (&[(2000, 12_659)], 0, 1999),
            (&[(2000, 12_659)], 100, all),
            // Files with few names come first, however many hosts have the others.
            (
                &[(3, 1_000_000), (200, 100_000), (1990, 1_000_000)],
                0,
                1989,
            ),
            (&[(26, 1_000_000_000)], 0, 25),
            // Many files of a few hosts each count like one.
            (&[(1989, 10_000), (1990, 10_000)], 0, 1989),
        ] {
            assert_eq!(limit(shared, others), expected, "{shared:?} {others}");
        }
    }

    #[test]
    fn a_crawl_does_not_change_the_limit_of_another() {
        let mut names = HostCountsByCrawl::default();
        let mut others = HostCountsByCrawl::default();
        for _ in 0..12_700 {
            names.add(0, true, 2000);
            others.add(1, true, 2000);
            others.add(1, false, 2000);
            others.add(2, true, 2001);
        }
        names.add_all(others);
        let limits = names.compute_limits();
        let includes = |crawl| limits.includes(crawl, 2000);
        assert_eq!([0, 1, 2, 3].map(includes), [false, true, true, true]);
        assert!(
            [0, 1, 2, 3]
                .into_iter()
                .all(|crawl| !limits.includes(crawl, 2001))
        );
    }

    #[test]
    fn a_long_name_counts_as_several() {
        for (bytes, expected) in [(0, 1), (1, 1), (64, 1), (65, 2), (16_663, 261)] {
            assert_eq!(name_weight(&"x".repeat(bytes)), expected, "{bytes}");
        }
    }
}

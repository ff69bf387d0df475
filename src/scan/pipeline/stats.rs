//! Statistics of a run.

use crate::tables::Fault;
use robots::{AgentVerdict, Basis, Verdict};
use std::collections::{BTreeMap, HashMap};

/// The length of the longest agent names that are counted.
const MAX_BLOCKED_AGENT_BYTES: usize = 128;

/// The maximum number of agent names that are counted. Further names are ignored.
const MAX_BLOCKED_AGENTS: usize = 100_000;

/// The number of names in [`ScanSummary::most_blocked`].
const MOST_BLOCKED: usize = 10;

/// Statistics of what was read: of a slice, a part, or a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScanStats {
    /// Bytes of inputs, each counted once.
    pub(crate) bytes: u64,
    pub(crate) records: u64,
    pub(crate) records_by_type: BTreeMap<&'static str, u64>,
    pub(crate) captures: u64,
    pub(crate) captures_by_status: BTreeMap<Option<u16>, u64>,
    /// Faults to be reported. Sums of statistics only count them.
    pub(crate) faults: Vec<Fault>,
    pub(crate) fault_count: u64,
    pub(crate) blocked_agents: BlockedAgents,
}

/// The number of captures that disallow everything to each agent that they name.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockedAgents {
    counts: HashMap<String, u64>,
}

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct ScanSummary {
    /// Inputs that were read.
    pub inputs: u64,
    /// Bytes of these inputs.
    pub bytes: u64,
    /// Records of all types.
    pub records: u64,
    /// Records by type.
    pub records_by_type: BTreeMap<String, u64>,
    /// Captures.
    pub captures: u64,
    /// Captures by status code; `None` if the status code is missing.
    pub captures_by_status: BTreeMap<Option<u16>, u64>,
    /// The agents that most captures name and disallow everything to, in descending order.
    pub most_blocked: Vec<(String, u64)>,
    /// Faults.
    pub faults: u64,
    /// Inputs that failed.
    pub failed_inputs: u64,
    /// Parts that an earlier run had written.
    pub resumed: ResumedParts,
    /// Parts that this run wrote.
    pub written: WrittenParts,
    /// The duration of the run.
    pub seconds: f64,
}

/// Totals of the parts that an earlier run had written.
#[derive(Clone, Debug, Default)]
pub struct ResumedParts {
    /// The number of parts.
    pub parts: u64,
    /// Rows in all tables.
    pub rows: u64,
    /// Faults.
    pub faults: u64,
}

/// Totals of the parts that this run wrote.
#[derive(Clone, Debug, Default)]
pub struct WrittenParts {
    /// The number of parts.
    pub parts: u64,
    /// Rows by table.
    pub rows: BTreeMap<String, u64>,
    /// Bytes of all files.
    pub bytes: u64,
}

impl ScanStats {
    /// Adds the statistics of another slice or part.
    pub(crate) fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.records += other.records;
        self.captures += other.captures;
        for (record_type, count) in other.records_by_type {
            *self.records_by_type.entry(record_type).or_default() += count;
        }
        for (status, count) in other.captures_by_status {
            *self.captures_by_status.entry(status).or_default() += count;
        }
        self.fault_count += other.fault_count;
        self.blocked_agents.add(other.blocked_agents);
    }

    /// Adds a fault.
    pub(crate) fn push_fault(&mut self, fault: Fault) {
        self.faults.push(fault);
        self.fault_count += 1;
    }
}

impl BlockedAgents {
    /// Counts the agents that a capture names and disallows everything to.
    pub(crate) fn push(&mut self, verdicts: &[AgentVerdict<'_>]) {
        let blocked = verdicts.iter().filter(|verdict| {
            verdict.basis == Basis::Explicit
                && verdict.verdict == Verdict::DisallowAll
                && verdict.agent.len() <= MAX_BLOCKED_AGENT_BYTES
        });
        for verdict in blocked {
            let name = String::from_utf8_lossy(verdict.agent);
            if let Some(count) = self.counts.get_mut(name.as_ref()) {
                *count += 1;
            } else if self.counts.len() < MAX_BLOCKED_AGENTS {
                self.counts.insert(name.into_owned(), 1);
            }
        }
    }

    /// Forgets all counts.
    pub(crate) fn clear(&mut self) {
        self.counts.clear();
    }

    fn add(&mut self, other: Self) {
        for (name, count) in other.counts {
            if let Some(sum) = self.counts.get_mut(&name) {
                *sum += count;
            } else if self.counts.len() < MAX_BLOCKED_AGENTS {
                self.counts.insert(name, count);
            }
        }
    }

    /// Returns the names with the highest counts, without `*`.
    fn most_blocked(self) -> Vec<(String, u64)> {
        let names = self.counts.into_iter().filter(|(name, _)| name != "*");
        let mut names: Vec<(String, u64)> = names.collect();
        names.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        names.truncate(MOST_BLOCKED);
        names
    }
}

impl ScanSummary {
    /// Returns the summary of a run that has read `stats`.
    pub(super) fn new(stats: ScanStats, resumed: ResumedParts, written: WrittenParts) -> Self {
        let by_type = stats.records_by_type.into_iter();
        Self {
            bytes: stats.bytes,
            records: stats.records,
            records_by_type: by_type
                .map(|(record_type, count)| (record_type.to_owned(), count))
                .collect(),
            captures: stats.captures,
            captures_by_status: stats.captures_by_status,
            most_blocked: stats.blocked_agents.most_blocked(),
            faults: stats.fault_count,
            resumed,
            written,
            ..Self::default()
        }
    }

    /// Returns true if an earlier run had already written all parts.
    pub fn is_nothing_to_do(&self) -> bool {
        self.resumed.parts > 0
            && self.written.parts == 0
            && self.inputs == 0
            && self.failed_inputs == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_counted_names_is_limited() {
        let names = |range: std::ops::Range<usize>| ScanStats {
            blocked_agents: BlockedAgents {
                counts: range.map(|i| (format!("a{i}"), 1)).collect(),
            },
            ..ScanStats::default()
        };
        let mut stats = names(0..MAX_BLOCKED_AGENTS - 1);
        stats.add(names(0..MAX_BLOCKED_AGENTS + 9));
        let counts = &stats.blocked_agents.counts;
        assert_eq!(counts.len(), MAX_BLOCKED_AGENTS);
        assert_eq!(counts["a0"], 2);
    }
}

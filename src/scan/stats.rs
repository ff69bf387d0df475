//! Statistics of a run.

use hosts::resolved::BlockedName;
use sources::reader::RowNotes;
use std::collections::BTreeMap;
use tables::Fault;

/// Statistics of what was read: of a slice, a part, or a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScanStats {
    /// Bytes of inputs, each counted once.
    pub(crate) bytes: u64,
    pub(crate) records: u64,
    pub(crate) records_by_type: BTreeMap<&'static str, u64>,
    pub(crate) captures: u64,
    pub(crate) captures_by_status: BTreeMap<Option<u16>, u64>,
    /// Faults to be reported. [`add`](Self::add) drops them, and adds only their count.
    pub(crate) faults: Vec<Fault>,
    pub(crate) fault_count: u64,
    pub(crate) row_notes: RowNotes,
}

/// Counts the bytes of inputs that were read, each byte once. `counted_bytes` is the count of the current
/// input.
///
/// Slices overlap where a member crosses a boundary, and damaged bytes are searched again. Instead
/// of the bytes that were read, the furthest offset is counted, so that the sum is the size of the
/// input for any number of threads.
#[derive(Debug, Default)]
pub(super) struct InputCoverage {
    counted_bytes: u64,
}

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct ScanSummary {
    /// The number of inputs that were read to their end.
    pub inputs: u64,
    /// The bytes of these inputs.
    pub bytes: u64,
    /// The number of records of all types.
    pub records: u64,
    /// The number of records by type.
    pub records_by_type: BTreeMap<String, u64>,
    /// The number of captures.
    pub captures: u64,
    /// The number of captures by status code; `None` if the status code is missing.
    pub captures_by_status: BTreeMap<Option<u16>, u64>,
    /// The agents that the most hosts block; `None` if hosts were not resolved.
    pub most_blocked: Option<MostBlockedAgents>,
    /// The number of faults.
    pub faults: u64,
    /// Counts of unusual rows of tables of bodies, for a warning.
    pub row_notes: RowNotes,
    /// The number of inputs that failed.
    pub failed_inputs: u64,
    /// Parts that an earlier run had written.
    pub resumed: ResumedParts,
    /// Parts that this run wrote.
    pub written: WrittenParts,
    /// The number of requests to servers, including refused ones.
    pub requests: u64,
    /// The duration of the run.
    pub seconds: f64,
}

/// A ranking of agents by the number of hosts of a crawl that block them: that name the agent and
/// disallow everything to it.
#[derive(Clone, Debug, Default)]
pub struct MostBlockedAgents {
    /// The last crawl; `None` if there is only one.
    pub crawl: Option<String>,
    /// The number of hosts of the crawl with a known verdict for `*`.
    pub hosts: u64,
    /// The names of the agents, the most blocked first.
    pub agents: Vec<BlockedName>,
}

/// Totals of the parts that an earlier run had written.
#[derive(Clone, Debug, Default)]
pub struct ResumedParts {
    /// The number of parts.
    pub parts: u64,
    /// The number of rows of all tables.
    pub rows: u64,
    /// The number of faults.
    pub faults: u64,
}

/// Totals of the parts that this run wrote.
#[derive(Clone, Debug, Default)]
pub struct WrittenParts {
    /// The number of parts.
    pub parts: u64,
    /// The number of rows by the name of the table.
    pub rows: BTreeMap<String, u64>,
    /// The size of all files in bytes.
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
        self.row_notes.add(other.row_notes);
    }

    /// Keeps a fault and counts it.
    pub(crate) fn push_fault(&mut self, fault: Fault) {
        self.faults.push(fault);
        self.fault_count += 1;
    }
}

impl InputCoverage {
    /// Counts the bytes up to the offset `reached` of an input. Returns the number of new bytes.
    pub(super) fn advance(&mut self, size: Option<u64>, reached: u64) -> u64 {
        let new = reached
            .min(size.unwrap_or(u64::MAX))
            .saturating_sub(self.counted_bytes);
        self.counted_bytes += new;
        new
    }

    /// Counts the rest of an input whose size is known, and begins the next input. Returns the
    /// number of new bytes.
    pub(super) fn finish(&mut self, size: Option<u64>) -> u64 {
        let rest = size.map_or(0, |size| size.saturating_sub(self.counted_bytes));
        self.counted_bytes = 0;
        rest
    }
}

impl ScanSummary {
    /// Returns the summary of a run with the statistics and totals of its parts.
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
            faults: stats.fault_count,
            row_notes: stats.row_notes,
            resumed,
            written,
            ..Self::default()
        }
    }

    /// Returns true if an earlier run had already written all parts.
    pub fn is_already_written(&self) -> bool {
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
    fn each_byte_of_an_input_is_counted_once() {
        let mut coverage = InputCoverage::default();
        for size in [Some(100), None] {
            let new = [40, 30, 70, 70].map(|reached| coverage.advance(size, reached));
            assert_eq!(new, [40, 0, 30, 0]);
            assert_eq!(coverage.finish(size), size.map_or(0, |size| size - 70));
        }
        assert_eq!(coverage.advance(Some(5), u64::MAX), 5);
        assert_eq!(coverage.finish(Some(5)), 0);
    }
}

//! The work limit of searches after damage.
//!
//! After damage, a search probes every position with the first bytes of a gzip member or zstd
//! frame. A position that decompresses to `WARC/` is read as a member. If the member then fails,
//! the search continues one byte after its start. Hostile input can make two kinds of work
//! quadratic this way: probes, and members that decompress for a long time before they fail. Both
//! are counted in bytes, per aligned block of [`SEARCH_BLOCK_BYTES`]:
//!
//! - When the probes of a block exceed [`MAX_WORK`], the rest of the block is skipped.
//! - When the failed members that started in a block exceed it, no further member of the block is
//!   started.
//! - When a single failed member exceeds it, no member is started in the first half of its
//!   compressed bytes.
//!
//! The skipped range, from the first position that was not tried, is reported as a fault of its
//! own ([`Unsearched`](crate::ErrorKind::Unsearched)).
//!
//! # Reading in ranges
//!
//! A file that is read in ranges must give the same records and faults as in one pass. Therefore
//! counts belong to one block and are dropped at its end, so they depend on the bytes of that block
//! only. They are zero for the first member that starts in a block, so a range that ends with a
//! block needs no state from before. A range that ends inside a block whose counts are not zero is
//! read on until they are: see [`is_fresh`](SearchBudget::is_fresh).
//!
//! If you change what is counted, check that it depends neither on how the input is read (file or
//! stream, sizes of reads) nor on which decoder was tried first.

use crate::decode::source::SLICE_BYTES;

/// The unit in which work is counted.
const SEARCH_BLOCK_BYTES: u64 = 1 << 20;

// Slices must end where blocks end. Otherwise readers of slices would read on after damage.
const _: () = assert!(SLICE_BYTES.is_multiple_of(SEARCH_BLOCK_BYTES));

/// The maximum work per search block for probes, and separately for failed members, in weighted
/// bytes.
const MAX_WORK: u64 = 32 << 20;

/// The work of one compressed byte, in decompressed bytes. Code tables are short but take long to
/// build.
const COMPRESSED_BYTE_WORK: u64 = 8;

/// The work of a failed member regardless of its size.
const FAILED_MEMBER_WORK: u64 = 1 << 10;

/// The decompressed bytes of a failed member that count in full. Further bytes count 1/32: they are
/// fast, such as runs of one byte, and a single decompression bomb must not exhaust the budget of
/// its block.
const FULLY_COUNTED_BYTES: u64 = 8 << 20;

/// The decompressed bytes that are free for each compressed byte that no earlier failed member
/// reached.
const FREE_RATIO: u64 = 64;

/// The decompressed bytes of a large failed member for which the search skips one byte.
const BARRED_RATIO: u64 = 1 << 10;

/// The result of probing a position, and the work it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Probe {
    /// True if a member or frame that decompresses to `WARC/` starts at the position.
    pub(crate) is_record: bool,
    pub(crate) work: u64,
}

impl Probe {
    /// Returns a probe that read `compressed` bytes and produced `decoded` bytes.
    pub(crate) fn new(is_record: bool, compressed: usize, decoded: usize) -> Probe {
        Probe {
            is_record,
            work: COMPRESSED_BYTE_WORK * compressed as u64 + decoded as u64,
        }
    }

    /// Returns the probe with the work of a decoder that ended with an error added.
    pub(crate) fn failed(self) -> Probe {
        Probe {
            is_record: false,
            work: self.work + FAILED_MEMBER_WORK,
        }
    }
}

/// The work of searches in one input.
#[derive(Debug, Default)]
pub(crate) struct SearchBudget {
    /// The index of the block to which the counts belong.
    block: u64,
    /// The work of probes in the block, in weighted bytes.
    probe_work: u64,
    /// The work of failed members that started in the block, in weighted bytes.
    member_work: u64,
    /// The largest offset that these members read.
    reached: u64,
    /// No member is started before this offset.
    barred_until: u64,
    /// All work in the input, in weighted bytes.
    #[cfg(test)]
    pub(crate) total: u64,
}

impl SearchBudget {
    fn enter_block_of(&mut self, offset: u64) {
        let block = offset / SEARCH_BLOCK_BYTES;
        if block != self.block {
            self.reset(block);
        }
    }

    fn reset(&mut self, block: u64) {
        self.block = block;
        (self.probe_work, self.member_work, self.reached) = (0, 0, 0);
    }

    /// Returns true if reading from `offset` depends on nothing before it.
    pub(crate) fn is_fresh(&self, offset: u64) -> bool {
        let is_other_block = offset / SEARCH_BLOCK_BYTES != self.block;
        is_other_block || (self.probe_work == 0 && self.member_work == 0)
    }

    /// Returns the end of the block that contains `offset` if no further position in it may be
    /// probed.
    pub(crate) fn end_of_search(&mut self, offset: u64) -> Option<u64> {
        self.enter_block_of(offset);
        (self.probe_work > MAX_WORK).then_some((self.block + 1) * SEARCH_BLOCK_BYTES)
    }

    /// Counts a probe at `offset`.
    pub(crate) fn add_probe(&mut self, offset: u64, probe: Probe) {
        self.enter_block_of(offset);
        self.probe_work += probe.work;
        #[cfg(test)]
        (self.total += probe.work);
    }

    /// Returns true if the member at `offset`, found by a search that started at `from`, may be
    /// started.
    ///
    /// Reading does not depend on anything before the first member that is started in a block.
    /// The counts therefore start again there, as they do for the reader of a range that starts at
    /// this member.
    pub(crate) fn may_start(&mut self, from: u64, offset: u64) -> bool {
        self.enter_block_of(offset);
        let may_start = self.member_work <= MAX_WORK && offset >= self.barred_until;
        if may_start && from / SEARCH_BLOCK_BYTES != self.block {
            self.reset(self.block);
        }
        may_start
    }

    /// Counts a member at `offset` that failed after `compressed` bytes, which produced `decoded`
    /// bytes.
    ///
    /// Consecutive failed members are nearly free: compressed bytes count only if an earlier failed
    /// member has read them, and decompressed bytes only beyond a ratio to the newly read bytes.
    pub(crate) fn add_failed_member(&mut self, offset: u64, compressed: u64, decoded: u64) {
        self.enter_block_of(offset);
        let end = offset.saturating_add(compressed);
        let new = end.saturating_sub(self.reached.max(offset));
        self.reached = self.reached.max(end);
        let counted = |decoded: u64| match decoded.checked_sub(FULLY_COUNTED_BYTES) {
            Some(fast) => FULLY_COUNTED_BYTES + fast / 32,
            None => decoded,
        };
        let repeated = counted(decoded.saturating_sub(new * FREE_RATIO));
        self.member_work +=
            FAILED_MEMBER_WORK + (compressed - new) * COMPRESSED_BYTE_WORK + repeated;
        let own_work = compressed * COMPRESSED_BYTE_WORK + counted(decoded);
        #[cfg(test)]
        (self.total += own_work);
        if own_work > MAX_WORK {
            let barred_bytes = (compressed / 2).max(decoded / BARRED_RATIO);
            self.barred_until = self.barred_until.max(offset.saturating_add(barred_bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_members_do_not_exhaust_the_budget() {
        let mut budget = SearchBudget::default();
        for offset in (0..SEARCH_BLOCK_BYTES).step_by(100) {
            assert!(budget.may_start(0, offset), "{offset}");
            // Each member reads a few bytes of the next one.
            budget.add_failed_member(offset, 150, 1000);
        }
        assert!(!budget.is_fresh(5));
        assert!(budget.is_fresh(SEARCH_BLOCK_BYTES));
    }

    #[test]
    fn overlapping_members_exhaust_the_budget_of_their_block() {
        let mut budget = SearchBudget::default();
        let started = (0..SEARCH_BLOCK_BYTES).step_by(64).filter(|&offset| {
            let may_start = budget.may_start(0, offset);
            if may_start {
                budget.add_failed_member(offset, 100_000, 100_000);
            }
            may_start
        });
        assert!((10..100).contains(&started.count()));
        assert!(budget.may_start(0, SEARCH_BLOCK_BYTES));
    }

    #[test]
    fn no_member_is_started_in_the_first_half_of_a_large_failed_member() {
        let mut budget = SearchBudget::default();
        let compressed = 64 << 20;
        budget.add_failed_member(10, compressed, 4 * compressed);
        assert!(!budget.may_start(1, compressed / 2));
        assert!(budget.may_start(1, compressed / 2 + 10));
    }

    #[test]
    fn the_counts_start_again_with_the_first_member_of_a_block() {
        let mut budget = SearchBudget::default();
        let (from, offset) = (SEARCH_BLOCK_BYTES - 1, SEARCH_BLOCK_BYTES + 5);
        budget.add_failed_member(from, 10, 10);
        budget.add_probe(offset, Probe::new(true, 10, 10));
        assert!(!budget.is_fresh(offset));
        assert!(budget.may_start(from, offset) && budget.is_fresh(offset));
        budget.add_probe(offset + 9, Probe::new(true, 10, 10));
        assert!(budget.may_start(offset, offset + 9) && !budget.is_fresh(offset + 9));
    }

    #[test]
    fn probes_have_a_separate_budget() {
        let mut budget = SearchBudget::default();
        let probe = Probe::new(false, 1 << 20, 0);
        for _ in 0..4 {
            assert_eq!(budget.end_of_search(3), None);
            budget.add_probe(3, probe);
        }
        budget.add_probe(3, probe.failed());
        assert_eq!(budget.end_of_search(3), Some(SEARCH_BLOCK_BYTES));
        assert_eq!(budget.end_of_search(SEARCH_BLOCK_BYTES), None);
    }
}

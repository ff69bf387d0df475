//! The work limit of searches after damage.
//!
//! After damage, a search probes every position with the first bytes of a gzip member or zstd
//! frame. A position that decompresses to `WARC/` is read as a member. If the member then fails,
//! the search continues one byte after its start. Hostile input can make two kinds of work
//! quadratic this way: probes, and members that decompress for a long time before they fail. Both
//! are counted in bytes, per aligned block of [`SEARCH_BLOCK_BYTES`]:
//!
//! - When the probes of a block exceed [`MAX_BLOCK_WORK`], the rest of the block is skipped.
//! - When the failed members that started in a block exceed this limit, no further member of the
//!   block is started.
//! - When a single failed member exceeds this limit, no member is started in the first half of its
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
//! read on until they are: see [`has_zero_counts_at`](SearchBudget::has_zero_counts_at).
//!
//! If you change what is counted, check that it depends neither on how the input is read (file or
//! stream, sizes of reads) nor on which decoder was tried first.

use crate::decode::source::SLICE_BYTES;

/// The size of the blocks of the input for which work is counted separately.
const SEARCH_BLOCK_BYTES: u64 = 1 << 20;

// Slices must end where blocks end. Otherwise readers of slices would read on after damage.
const _: () = assert!(SLICE_BYTES.is_multiple_of(SEARCH_BLOCK_BYTES));

/// The maximum work per search block for probes, and separately for failed members, in weighted
/// bytes.
const MAX_BLOCK_WORK: u64 = 32 << 20;

/// The work of one compressed byte, in decompressed bytes. Code tables are short but take long to
/// build.
const COMPRESSED_BYTE_WORK: u64 = 8;

/// The work of a failed member regardless of its size.
const FAILED_MEMBER_WORK: u64 = 1 << 10;

/// The decompressed bytes of a failed member that count in full. Further bytes count 1/32: so many
/// come from data that decompresses fast, such as runs of one byte, and a single decompression bomb
/// must not exhaust the budget of its block.
const FULLY_COUNTED_BYTES: u64 = 8 << 20;

/// For each compressed byte that no earlier failed member has read, this number of decompressed
/// bytes is not counted.
const FREE_DECODED_PER_NEW_BYTE: u64 = 64;

/// The ratio of the decompressed bytes of a large failed member to the bytes from its start in which
/// no member is started. At least the first half of its compressed bytes is barred.
const DECODED_PER_BARRED_BYTE: u64 = 1 << 10;

/// The result of probing a position, and the work that the probe took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Probe {
    /// True if a member or frame that decompresses to `WARC/` starts at the position.
    pub(crate) is_record: bool,
    /// The work of the probe, in weighted bytes.
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

    /// Returns the probe of a decoder that ended with an error: no record was found, and the work of a
    /// failed member is added.
    pub(crate) fn into_failed(self) -> Probe {
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
    block_index: u64,
    /// The work of probes in the block, in weighted bytes.
    probe_work: u64,
    /// The work of failed members that started in the block, in weighted bytes.
    failed_member_work: u64,
    /// The largest offset up to which a failed member that started in the block was read.
    max_offset_read: u64,
    /// No member is started before this offset.
    member_barred_until: u64,
    /// All work in the input, in weighted bytes.
    #[cfg(test)]
    pub(crate) total_work: u64,
}

impl SearchBudget {
    fn enter_block_at(&mut self, offset: u64) {
        let block_index = offset / SEARCH_BLOCK_BYTES;
        if block_index != self.block_index {
            self.reset_counts(block_index);
        }
    }

    fn reset_counts(&mut self, block_index: u64) {
        self.block_index = block_index;
        (
            self.probe_work,
            self.failed_member_work,
            self.max_offset_read,
        ) = (0, 0, 0);
    }

    /// Returns true if the counts for the block that contains `offset` are zero, so that reading from
    /// there does not depend on anything before it.
    pub(crate) fn has_zero_counts_at(&self, offset: u64) -> bool {
        let is_other_block = offset / SEARCH_BLOCK_BYTES != self.block_index;
        is_other_block || (self.probe_work == 0 && self.failed_member_work == 0)
    }

    /// Returns the end of the block that contains `offset` if no further position in it may be
    /// probed.
    pub(crate) fn exhausted_block_end(&mut self, offset: u64) -> Option<u64> {
        self.enter_block_at(offset);
        (self.probe_work > MAX_BLOCK_WORK).then_some((self.block_index + 1) * SEARCH_BLOCK_BYTES)
    }

    /// Counts a probe at `offset`.
    pub(crate) fn add_probe(&mut self, offset: u64, probe: Probe) {
        self.enter_block_at(offset);
        self.probe_work += probe.work;
        #[cfg(test)]
        (self.total_work += probe.work);
    }

    /// Returns true if the member at `offset`, found by a search that started at `from`, may be
    /// started.
    ///
    /// Reading does not depend on anything before the first member that is started in a block.
    /// Its start therefore resets the counts, as for the reader of a range that starts at this
    /// member.
    pub(crate) fn admit_member(&mut self, from: u64, offset: u64) -> bool {
        self.enter_block_at(offset);
        let is_admitted =
            self.failed_member_work <= MAX_BLOCK_WORK && offset >= self.member_barred_until;
        if is_admitted && from / SEARCH_BLOCK_BYTES != self.block_index {
            self.reset_counts(self.block_index);
        }
        is_admitted
    }

    /// Counts a member at `offset` that failed after `compressed` bytes, which produced `decoded`
    /// bytes.
    ///
    /// Consecutive failed members are nearly free: compressed bytes count only if an earlier failed
    /// member has read them, and decompressed bytes only beyond a ratio to the newly read bytes.
    pub(crate) fn add_failed_member(&mut self, offset: u64, compressed: u64, decoded: u64) {
        self.enter_block_at(offset);
        let end = offset.saturating_add(compressed);
        let new_bytes = end.saturating_sub(self.max_offset_read.max(offset));
        self.max_offset_read = self.max_offset_read.max(end);
        let weigh = |decoded: u64| match decoded.checked_sub(FULLY_COUNTED_BYTES) {
            Some(excess) => FULLY_COUNTED_BYTES + excess / 32,
            None => decoded,
        };
        let repeated_work = weigh(decoded.saturating_sub(new_bytes * FREE_DECODED_PER_NEW_BYTE));
        self.failed_member_work +=
            FAILED_MEMBER_WORK + (compressed - new_bytes) * COMPRESSED_BYTE_WORK + repeated_work;
        let own_work = compressed * COMPRESSED_BYTE_WORK + weigh(decoded);
        #[cfg(test)]
        (self.total_work += own_work);
        if own_work > MAX_BLOCK_WORK {
            let barred_bytes = (compressed / 2).max(decoded / DECODED_PER_BARRED_BYTE);
            self.member_barred_until = self
                .member_barred_until
                .max(offset.saturating_add(barred_bytes));
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
            assert!(budget.admit_member(0, offset), "{offset}");
            // Each member reads a few bytes of the next one.
            budget.add_failed_member(offset, 150, 1000);
        }
        assert!(!budget.has_zero_counts_at(5));
        assert!(budget.has_zero_counts_at(SEARCH_BLOCK_BYTES));
    }

    #[test]
    fn overlapping_members_exhaust_the_budget_of_their_block() {
        let mut budget = SearchBudget::default();
        let started = (0..SEARCH_BLOCK_BYTES).step_by(64).filter(|&offset| {
            let is_admitted = budget.admit_member(0, offset);
            if is_admitted {
                budget.add_failed_member(offset, 100_000, 100_000);
            }
            is_admitted
        });
        assert!((10..100).contains(&started.count()));
        assert!(budget.admit_member(0, SEARCH_BLOCK_BYTES));
    }

    #[test]
    fn no_member_is_started_in_the_first_half_of_a_large_failed_member() {
        let mut budget = SearchBudget::default();
        let compressed = 64 << 20;
        budget.add_failed_member(10, compressed, 4 * compressed);
        assert!(!budget.admit_member(1, compressed / 2));
        assert!(budget.admit_member(1, compressed / 2 + 10));
    }

    #[test]
    fn the_counts_start_again_with_the_first_member_of_a_block() {
        let mut budget = SearchBudget::default();
        let (from, offset) = (SEARCH_BLOCK_BYTES - 1, SEARCH_BLOCK_BYTES + 5);
        budget.add_failed_member(from, 10, 10);
        budget.add_probe(offset, Probe::new(true, 10, 10));
        assert!(!budget.has_zero_counts_at(offset));
        assert!(budget.admit_member(from, offset) && budget.has_zero_counts_at(offset));
        budget.add_probe(offset + 9, Probe::new(true, 10, 10));
        assert!(budget.admit_member(offset, offset + 9) && !budget.has_zero_counts_at(offset + 9));
    }

    #[test]
    fn probes_have_a_separate_budget() {
        let mut budget = SearchBudget::default();
        let probe = Probe::new(false, 1 << 20, 0);
        for _ in 0..4 {
            assert_eq!(budget.exhausted_block_end(3), None);
            budget.add_probe(3, probe);
        }
        budget.add_probe(3, probe.into_failed());
        assert_eq!(budget.exhausted_block_end(3), Some(SEARCH_BLOCK_BYTES));
        assert_eq!(budget.exhausted_block_end(SEARCH_BLOCK_BYTES), None);
    }
}

//! The budget of the search behind damage, which keeps its work linear.
//!
//! A search probes every place where the first bytes of a gzip member or zstd frame stand. What
//! decodes to `WARC/` is begun, and if it fails, the search goes on one byte behind its start. Two
//! kinds of work are repeated there and can be made large by hostile bytes: probes, and members
//! that decode for long before they fail. Both are counted in bytes, per aligned block of
//! [`SEARCH_BLOCK_BYTES`]:
//!
//! - When the probes of a block exceed [`WORK_MAX`], the rest of the block is passed over.
//! - When the members that began in a block and failed exceed it, no other member of the block is
//!   begun.
//! - Behind a member that exceeds it alone, none is begun before half of its packed bytes.
//!
//! What is passed over, from the first place that was not tried, is a fault of its own
//! ([`Unsearched`](crate::ErrorKind::Unsearched)).
//!
//! Counts belong to a block and are forgotten at its end, so that they depend on nothing but the
//! bytes of that block. They are zero for the first member that begins in a block, so a range that
//! ends with a block ends as if nothing was before. One that ends within a block whose counts are
//! not zero is read on until they are: see [`is_fresh`](SearchBudget::is_fresh). So ranges give
//! what the whole gives, and whether the guess of a range's start was right is seen where the
//! range before it ends. If you change what is counted, it must depend neither on how the input is read (file,
//! stream, size of reads) nor on which decoder was tried first.

use crate::decode::source::SLICE_BYTES;

/// The unit in which work is counted.
const SEARCH_BLOCK_BYTES: u64 = 1 << 20;

/// Slices end where blocks do: else their readers would read on behind damage.
const _: () = assert!(SLICE_BYTES.is_multiple_of(SEARCH_BLOCK_BYTES));

/// Work allowed in a block, for probes and for failed members each.
const WORK_MAX: u64 = 32 << 20;

/// The weight of a packed byte, in decoded bytes: tables of codes take few bytes and long.
const PACKED_WEIGHT: u64 = 8;

/// Work of a failed member whatever its size.
const MEMBER_WORK: u64 = 1 << 10;

/// Decoded bytes of a failed member beyond this count a 32nd: they are the fast ones, as runs of one
/// byte, and one bomb must not use up the budget of its block.
const SLOW_BYTES: u64 = 8 << 20;

/// Decoded bytes for each packed one that are free where no failed member reached before.
const FREE_RATIO: u64 = 64;

/// Decoded bytes of a large failed member for which the search passes over one byte.
const BARRED_RATIO: u64 = 1 << 10;

/// What was found at a place, and the work of finding out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Probe {
    /// Whether a member or frame begins there that decodes to `WARC/`.
    pub(crate) is_record: bool,
    pub(crate) work: u64,
}

impl Probe {
    /// A probe that took `packed` bytes and made `decoded` of them.
    pub(crate) fn new(is_record: bool, packed: usize, decoded: usize) -> Probe {
        Probe {
            is_record,
            work: PACKED_WEIGHT * packed as u64 + decoded as u64,
        }
    }

    /// The same with the work of a decoder that ended with an error.
    pub(crate) fn failed(self) -> Probe {
        Probe {
            is_record: false,
            work: self.work + MEMBER_WORK,
        }
    }
}

/// Counts the work of searches in one input.
#[derive(Debug, Default)]
pub(crate) struct SearchBudget {
    /// The block to which the counts belong.
    block: u64,
    /// Work of probes in it.
    probes: u64,
    /// Work of members that began in it and failed.
    members: u64,
    /// The end of what these members read, at most.
    reached: u64,
    /// No member is begun before this offset.
    barred: u64,
    /// All work in the input.
    #[cfg(test)]
    pub(crate) total: u64,
}

impl SearchBudget {
    fn enter(&mut self, offset: u64) {
        let block = offset / SEARCH_BLOCK_BYTES;
        if block != self.block {
            self.reset(block);
        }
    }

    fn reset(&mut self, block: u64) {
        self.block = block;
        (self.probes, self.members, self.reached) = (0, 0, 0);
    }

    /// Returns true if reading from `offset` on depends on nothing before it.
    pub(crate) fn is_fresh(&self, offset: u64) -> bool {
        let is_other = offset / SEARCH_BLOCK_BYTES != self.block;
        is_other || (self.probes == 0 && self.members == 0)
    }

    /// Returns the end of the block of `offset` if no place in the rest of it may be probed.
    pub(crate) fn end_of_search(&mut self, offset: u64) -> Option<u64> {
        self.enter(offset);
        (self.probes > WORK_MAX).then_some((self.block + 1) * SEARCH_BLOCK_BYTES)
    }

    /// Counts a probe at `offset`.
    pub(crate) fn add_probe(&mut self, offset: u64, probe: Probe) {
        self.enter(offset);
        self.probes += probe.work;
        #[cfg(test)]
        (self.total += probe.work);
    }

    /// Returns true if the member that a search from `from` on found at `offset` may be begun.
    ///
    /// With the first member that is begun in a block, reading depends on nothing before it: its
    /// counts begin anew there, as they do for a reader of a range that begins at this member.
    pub(crate) fn may_begin(&mut self, from: u64, offset: u64) -> bool {
        self.enter(offset);
        let may = self.members <= WORK_MAX && offset >= self.barred;
        if may && from / SEARCH_BLOCK_BYTES != self.block {
            self.reset(self.block);
        }
        may
    }

    /// Counts a member at `offset` that failed after `packed` bytes, of which `decoded` were made.
    ///
    /// Members that fail one behind the other cost next to nothing, since every packed byte is read
    /// once. Work that counts is that of members which overlap.
    pub(crate) fn add_member(&mut self, offset: u64, packed: u64, decoded: u64) {
        self.enter(offset);
        let end = offset.saturating_add(packed);
        let new = end.saturating_sub(self.reached.max(offset));
        self.reached = self.reached.max(end);
        let counted = |decoded: u64| match decoded.checked_sub(SLOW_BYTES) {
            Some(fast) => SLOW_BYTES + fast / 32,
            None => decoded,
        };
        let repeated = counted(decoded.saturating_sub(new * FREE_RATIO));
        self.members += MEMBER_WORK + (packed - new) * PACKED_WEIGHT + repeated;
        let own_work = packed * PACKED_WEIGHT + counted(decoded);
        #[cfg(test)]
        (self.total += own_work);
        if own_work > WORK_MAX {
            let barred_bytes = (packed / 2).max(decoded / BARRED_RATIO);
            self.barred = self.barred.max(offset.saturating_add(barred_bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_one_behind_the_other_do_not_use_the_budget_up() {
        let mut budget = SearchBudget::default();
        for offset in (0..SEARCH_BLOCK_BYTES).step_by(100) {
            assert!(budget.may_begin(0, offset), "{offset}");
            // Each reads a little into the next.
            budget.add_member(offset, 150, 1000);
        }
        assert!(!budget.is_fresh(5));
        assert!(budget.is_fresh(SEARCH_BLOCK_BYTES));
    }

    #[test]
    fn members_that_overlap_use_the_budget_of_their_block_up() {
        let mut budget = SearchBudget::default();
        let begun = (0..SEARCH_BLOCK_BYTES).step_by(64).filter(|&offset| {
            let may = budget.may_begin(0, offset);
            if may {
                budget.add_member(offset, 100_000, 100_000);
            }
            may
        });
        assert!((10..100).contains(&begun.count()));
        assert!(budget.may_begin(0, SEARCH_BLOCK_BYTES));
    }

    #[test]
    fn behind_a_large_member_none_is_begun_before_half_of_it() {
        let mut budget = SearchBudget::default();
        let packed = 64 << 20;
        budget.add_member(10, packed, 4 * packed);
        assert!(!budget.may_begin(1, packed / 2));
        assert!(budget.may_begin(1, packed / 2 + 10));
    }

    #[test]
    fn the_first_member_of_a_block_is_begun_as_if_nothing_was_before() {
        let mut budget = SearchBudget::default();
        let (from, offset) = (SEARCH_BLOCK_BYTES - 1, SEARCH_BLOCK_BYTES + 5);
        budget.add_member(from, 10, 10);
        budget.add_probe(offset, Probe::new(true, 10, 10));
        assert!(!budget.is_fresh(offset));
        assert!(budget.may_begin(from, offset) && budget.is_fresh(offset));
        budget.add_probe(offset + 9, Probe::new(true, 10, 10));
        assert!(budget.may_begin(offset, offset + 9) && !budget.is_fresh(offset + 9));
    }

    #[test]
    fn probes_have_a_budget_of_their_own() {
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

//! Records in memory.

use super::SpillFolder;
use super::spill::Run;
use crate::error::Error;
use rayon::prelude::*;

/// The memory that a record takes beside its bytes.
const SLICE_BYTES: usize = size_of::<ArenaSlice>();

/// The most memory of an arena: offsets have 32 bits.
const MAX_MEMORY: usize = 2 << 30;

/// Records one after the other in one buffer.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    bytes: Vec<u8>,
    slices: Vec<ArenaSlice>,
}

/// The place of a record in the buffer.
#[derive(Clone, Copy, Debug)]
struct ArenaSlice {
    start: u32,
    len: u32,
}

impl Arena {
    /// Returns true if a record fits into `memory` bytes together with those that are there. A
    /// record that is larger than the memory fits alone.
    pub(super) fn has_room(&self, len: usize, memory: usize) -> bool {
        let held = self.bytes.len() + (self.slices.len() + 1) * SLICE_BYTES;
        self.slices.is_empty() || held + len <= memory.min(MAX_MEMORY)
    }

    /// Adds a record.
    pub(crate) fn push(&mut self, record: &[u8]) {
        self.slices.push(ArenaSlice {
            start: self.bytes.len() as u32,
            len: record.len() as u32,
        });
        self.bytes.extend_from_slice(record);
    }

    /// Returns the records.
    pub(crate) fn records(&self) -> impl Iterator<Item = &[u8]> {
        self.slices
            .iter()
            .map(|&slice| record_of(&self.bytes, slice))
    }

    /// Returns a record by its index.
    pub(super) fn get(&self, index: usize) -> Option<&[u8]> {
        let slice = self.slices.get(index)?;
        Some(record_of(&self.bytes, *slice))
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.slices.clear();
    }

    /// Sorts the records, on all threads of the pool.
    pub(super) fn sort(&mut self) {
        let Self { bytes, slices } = self;
        slices.par_sort_unstable_by(|&a, &b| record_of(bytes, a).cmp(record_of(bytes, b)));
    }

    /// Sorts the records on this thread.
    pub(super) fn sort_here(&mut self) {
        let Self { bytes, slices } = self;
        slices.sort_unstable_by(|&a, &b| record_of(bytes, a).cmp(record_of(bytes, b)));
    }

    /// Writes the records in their order.
    pub(super) fn write_run(&self, spill_folder: &SpillFolder) -> Result<Run, Error> {
        let mut run = spill_folder.create_run()?;
        for record in self.records() {
            run.write(record)?;
        }
        run.finish()
    }
}

fn record_of(bytes: &[u8], slice: ArenaSlice) -> &[u8] {
    &bytes[slice.start as usize..][..slice.len as usize]
}

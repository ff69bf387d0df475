//! Records in memory.

use super::SpillFolder;
use super::spill::Run;
use disk::error::Error;
use rayon::prelude::*;
use std::cmp::Ordering;

/// The memory that a record takes beside its bytes, most of it while it is sorted.
const SLICE_BYTES: usize = size_of::<ArenaSlice>() + size_of::<KeyedSlice>();

/// The bytes of a record that are kept beside its place while it is sorted.
const PREFIX_BYTES: usize = size_of::<u128>();

/// The most memory of an arena: offsets have 32 bits.
const MAX_MEMORY: usize = 2 << 30;

/// Records one after the other in one buffer.
#[derive(Debug, Default)]
pub struct Arena {
    bytes: Vec<u8>,
    slices: Vec<ArenaSlice>,
    /// The records while they are sorted.
    keyed: Vec<KeyedSlice>,
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
    pub fn has_room(&self, len: usize, memory: usize) -> bool {
        let held = self.bytes.len() + (self.slices.len() + 1) * SLICE_BYTES;
        self.slices.is_empty() || held + len <= memory.min(MAX_MEMORY)
    }

    /// Adds a record.
    pub fn push(&mut self, record: &[u8]) {
        self.slices.push(ArenaSlice {
            start: self.bytes.len() as u32,
            len: record.len() as u32,
        });
        self.bytes.extend_from_slice(record);
    }

    /// Returns the records.
    pub fn records(&self) -> impl Iterator<Item = &[u8]> {
        self.slices
            .iter()
            .map(|&slice| record_of(&self.bytes, slice))
    }

    pub(super) fn get(&self, index: usize) -> Option<&[u8]> {
        let slice = self.slices.get(index)?;
        Some(record_of(&self.bytes, *slice))
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.slices.clear();
    }

    /// Sorts the records, on all threads of the pool.
    pub(super) fn sort(&mut self) {
        self.prepare();
        let Self { bytes, keyed, .. } = self;
        keyed.par_sort_unstable_by(|a, b| a.cmp(b, bytes));
        self.take_order();
    }

    /// Sorts the records on this thread.
    pub(super) fn sort_here(&mut self) {
        self.prepare();
        let Self { bytes, keyed, .. } = self;
        keyed.sort_unstable_by(|a, b| a.cmp(b, bytes));
        self.take_order();
    }

    /// Takes the order of the sorted records.
    fn take_order(&mut self) {
        let Self { slices, keyed, .. } = self;
        for (slice, keyed) in slices.iter_mut().zip(keyed) {
            *slice = keyed.slice;
        }
    }

    /// Finds the bytes by which most records differ.
    fn prepare(&mut self) {
        let mut records = self.records();
        let first = records.next().unwrap_or_default();
        let shared = records.fold(first.len(), |shared, record| {
            let same = first[..shared].iter().zip(record);
            same.take_while(|(a, b)| a == b).count()
        });
        let Self {
            bytes,
            slices,
            keyed,
        } = self;
        keyed.clear();
        keyed.extend(slices.iter().map(|&slice| {
            let mut prefix = [0; PREFIX_BYTES];
            let rest = &record_of(bytes, slice)[shared..];
            let count = rest.len().min(PREFIX_BYTES);
            prefix[..count].copy_from_slice(&rest[..count]);
            KeyedSlice {
                prefix: u128::from_be_bytes(prefix),
                slice,
            }
        }));
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

/// A record with its first bytes after those that all records share. Most records are compared by
/// them alone, without looking into the buffer.
#[derive(Clone, Copy, Debug)]
struct KeyedSlice {
    prefix: u128,
    slice: ArenaSlice,
}

impl KeyedSlice {
    fn cmp(&self, other: &Self, bytes: &[u8]) -> Ordering {
        self.prefix
            .cmp(&other.prefix)
            .then_with(|| record_of(bytes, self.slice).cmp(record_of(bytes, other.slice)))
    }
}

fn record_of(bytes: &[u8], slice: ArenaSlice) -> &[u8] {
    &bytes[slice.start as usize..][..slice.len as usize]
}

//! A buffer of records in memory, in which they are sorted.

use super::SpillFolder;
use super::field::{Field, Record, Rest};
use super::spill::Run;
use errors::Error;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::marker::PhantomData;

/// The memory in bytes that a record takes in addition to its own bytes, most of it only while
/// records are sorted.
const SLICE_BYTES: usize = size_of::<ArenaSlice>() + size_of::<PrefixedSlice>();

/// The length in bytes of the prefix in a [`PrefixedSlice`].
const PREFIX_BYTES: usize = size_of::<u128>();

/// The limit of the memory of an arena in bytes. Offsets in an arena have 32 bits.
const MAX_ARENA_BYTES: usize = 2 << 30;

/// The initial capacity in bytes of the arena of a sorter, so that few records are copied as it
/// grows. The system provides memory only for the pages that are written to.
const FIRST_ARENA_BYTES: usize = 1 << 20;

/// A buffer with records one after the other.
#[derive(Debug)]
pub struct Arena<R = Rest<'static>> {
    bytes: Vec<u8>,
    /// The range of each record in `bytes`, in the order of records.
    slices: Vec<ArenaSlice>,
    /// The records with their prefixes, which are filled and sorted by each sort.
    prefixed: Vec<PrefixedSlice>,
    record: PhantomData<fn() -> R>,
}

impl<R> Default for Arena<R> {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            slices: Vec::new(),
            prefixed: Vec::new(),
            record: PhantomData,
        }
    }
}

/// The range of the bytes of a record in the buffer.
#[derive(Clone, Copy, Debug)]
struct ArenaSlice {
    start: u32,
    len: u32,
}

impl<R: Record> Arena<R> {
    /// Adds a record.
    pub fn push(&mut self, record: R::Of<'_>) {
        let start = self.bytes.len();
        record.write(&mut self.bytes);
        self.slices.push(ArenaSlice {
            start: start as u32,
            len: (self.bytes.len() - start) as u32,
        });
    }
}

impl<R> Arena<R> {
    /// Creates an arena for a sorter that holds up to `memory` bytes.
    pub(super) fn for_sorter(memory: usize) -> Self {
        let capacity = memory.min(FIRST_ARENA_BYTES);
        Self {
            bytes: Vec::with_capacity(capacity),
            slices: Vec::with_capacity(capacity / SLICE_BYTES),
            ..Self::default()
        }
    }

    /// Returns true if a record of `len` bytes can be added without exceeding `memory` bytes. An
    /// empty arena has room for any record.
    pub fn has_room(&self, len: usize, memory: usize) -> bool {
        let held = self.bytes.len() + (self.slices.len() + 1) * SLICE_BYTES;
        self.slices.is_empty() || held + len <= memory.min(MAX_ARENA_BYTES)
    }

    /// Adds a record as bytes.
    pub fn push_bytes(&mut self, record: &[u8]) {
        self.slices.push(ArenaSlice {
            start: self.bytes.len() as u32,
            len: record.len() as u32,
        });
        self.bytes.extend_from_slice(record);
    }

    /// Returns the records in their present order.
    pub fn records(&self) -> impl Iterator<Item = &[u8]> {
        self.slices
            .iter()
            .map(|&slice| record_bytes(&self.bytes, slice))
    }

    pub(super) fn get(&self, index: usize) -> Option<&[u8]> {
        let slice = self.slices.get(index)?;
        Some(record_bytes(&self.bytes, *slice))
    }

    /// Removes all records, and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.slices.clear();
    }

    pub(super) fn sort_in_parallel(&mut self) {
        self.collect_prefixes();
        let Self {
            bytes, prefixed, ..
        } = self;
        prefixed.par_sort_unstable_by(|a, b| a.cmp(b, bytes));
        self.apply_order();
    }

    pub(super) fn sort_on_this_thread(&mut self) {
        self.collect_prefixes();
        let Self {
            bytes, prefixed, ..
        } = self;
        prefixed.sort_unstable_by(|a, b| a.cmp(b, bytes));
        self.apply_order();
    }

    /// Brings `slices` into the order of the sorted `prefixed`.
    fn apply_order(&mut self) {
        let Self {
            slices, prefixed, ..
        } = self;
        for (slice, prefixed) in slices.iter_mut().zip(prefixed) {
            *slice = prefixed.slice;
        }
    }

    /// Fills `prefixed`: skips the bytes that all records share, and takes the following ones of
    /// each record as its prefix.
    fn collect_prefixes(&mut self) {
        let mut records = self.records();
        let first = records.next().unwrap_or_default();
        let shared = records.fold(first.len(), |shared, record| {
            let same = first[..shared].iter().zip(record);
            same.take_while(|(a, b)| a == b).count()
        });
        let Self {
            bytes,
            slices,
            prefixed,
            ..
        } = self;
        prefixed.clear();
        prefixed.extend(slices.iter().map(|&slice| {
            let mut prefix = [0; PREFIX_BYTES];
            let rest = &record_bytes(bytes, slice)[shared..];
            let count = rest.len().min(PREFIX_BYTES);
            prefix[..count].copy_from_slice(&rest[..count]);
            PrefixedSlice {
                prefix: u128::from_be_bytes(prefix),
                slice,
            }
        }));
    }

    /// Writes the records to a new run, in their present order.
    pub(super) fn write_run(&self, spill_folder: &SpillFolder) -> Result<Run, Error> {
        let mut run = spill_folder.create_run()?;
        for record in self.records() {
            run.write(record)?;
        }
        run.finish()
    }
}

/// A record with its prefix: the first bytes after those that all records share. Most comparisons
/// need only the prefix, and not the buffer.
#[derive(Clone, Copy, Debug)]
struct PrefixedSlice {
    prefix: u128,
    slice: ArenaSlice,
}

impl PrefixedSlice {
    fn cmp(&self, other: &Self, bytes: &[u8]) -> Ordering {
        self.prefix
            .cmp(&other.prefix)
            .then_with(|| record_bytes(bytes, self.slice).cmp(record_bytes(bytes, other.slice)))
    }
}

fn record_bytes(bytes: &[u8], slice: ArenaSlice) -> &[u8] {
    &bytes[slice.start as usize..][..slice.len as usize]
}

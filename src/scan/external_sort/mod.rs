//! Sorts more records than memory holds.
//!
//! A record is bytes, and records are ordered as bytes are: what a sort is by
//! stands first in them, written so that bytes order as values do ([`record`]).
//! What does not fit is written to runs in a folder for scratch, and merged as
//! it is read. Equal inputs give equal outputs, whatever the memory.

mod bloom;
pub(crate) mod sort_key;
mod spill;

pub(crate) use bloom::Filter;
pub(crate) use spill::Scratch;

use crate::disk::open_files;
use crate::error::Error;
use rayon::prelude::*;
use spill::Run;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, Read};

/// Bytes that are read ahead of each run.
const AHEAD_BYTES: usize = 32 << 10;

/// Runs that are merged at a time.
const FAN_IN_MAX: usize = 256;

/// What a place in the arena costs beside the record.
const PLACE_BYTES: usize = size_of::<(u32, u32)>();

/// The most that one sort holds, so that places fit 32 bits.
const MEMORY_MAX: usize = 2 << 30;

/// Takes records in any order.
pub(crate) struct Sorter<'s> {
    scratch: &'s Scratch,
    memory: usize,
    arena: Vec<u8>,
    places: Vec<(u32, u32)>,
    runs: Vec<Run>,
    len: u64,
}

/// Records in order, in memory or in runs, to be read as often as wanted.
pub(crate) struct Sorted<'s> {
    scratch: &'s Scratch,
    arena: Vec<u8>,
    places: Vec<(u32, u32)>,
    runs: Vec<Run>,
    len: u64,
}

/// Lends sorted records, one after the other.
pub(crate) struct Reader<'a> {
    sorted: &'a Sorted<'a>,
    at: usize,
    sources: Vec<(BufReader<File>, &'a Run)>,
    /// The next record of each run; the least is on top.
    heads: BinaryHeap<Reverse<(Vec<u8>, usize)>>,
}

impl<'s> Sorter<'s> {
    /// Makes a sort that holds about `memory` bytes.
    pub(crate) fn new(scratch: &'s Scratch, memory: usize) -> Self {
        Self {
            scratch,
            memory: memory.min(MEMORY_MAX),
            arena: Vec::new(),
            places: Vec::new(),
            runs: Vec::new(),
            len: 0,
        }
    }

    /// Adds a record.
    pub(crate) fn push(&mut self, record: &[u8]) -> Result<(), Error> {
        self.scratch.check(self.len)?;
        let held = self.arena.len() + self.places.len() * PLACE_BYTES;
        if !self.places.is_empty() && held + record.len() + PLACE_BYTES > self.memory {
            self.spill()?;
        }
        // A record that is larger than all memory still has its place: it is alone in the arena.
        self.places
            .push((self.arena.len() as u32, record.len() as u32));
        self.arena.extend_from_slice(record);
        self.len += 1;
        Ok(())
    }

    /// Ends the input.
    pub(crate) fn finish(mut self) -> Result<Sorted<'s>, Error> {
        if self.runs.is_empty() {
            self.sort();
        } else {
            self.spill()?;
            // What was held is free for what is sorted next.
            self.arena = Vec::new();
            self.places = Vec::new();
        }
        // A few sorts may be read at the same time.
        let fan_in_max = (open_files::free() / 4).clamp(2, FAN_IN_MAX);
        let fan_in = (self.memory / 4 / AHEAD_BYTES).clamp(2, fan_in_max);
        let mut sorted = Sorted {
            scratch: self.scratch,
            arena: self.arena,
            places: self.places,
            runs: self.runs,
            len: self.len,
        };
        while sorted.runs.len() > fan_in {
            let rest = sorted.runs.split_off(fan_in);
            let mut run = self.scratch.begin()?;
            let mut reader = sorted.read()?;
            while let Some(record) = reader.peek() {
                run.write(record)?;
                reader.advance()?;
            }
            drop(reader);
            sorted.runs = rest;
            sorted.runs.push(run.finish()?);
        }
        Ok(sorted)
    }

    fn sort(&mut self) {
        let Self { arena, places, .. } = self;
        places.par_sort_unstable_by(|&a, &b| text(arena, a).cmp(text(arena, b)));
    }

    fn spill(&mut self) -> Result<(), Error> {
        self.sort();
        let mut run = self.scratch.begin()?;
        for &place in &self.places {
            run.write(text(&self.arena, place))?;
        }
        self.runs.push(run.finish()?);
        self.arena.clear();
        self.places.clear();
        Ok(())
    }
}

impl Sorted<'_> {
    /// How many records there are.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Begins to read at the first record.
    pub(crate) fn read(&self) -> Result<Reader<'_>, Error> {
        let mut reader = Reader {
            sorted: self,
            at: 0,
            sources: Vec::with_capacity(self.runs.len()),
            heads: BinaryHeap::with_capacity(self.runs.len()),
        };
        for (nth, run) in self.runs.iter().enumerate() {
            let mut source = BufReader::with_capacity(AHEAD_BYTES, run.open()?);
            let mut head = Vec::new();
            if read_record(&mut source, &mut head).map_err(|error| run.unreadable(error))? {
                reader.heads.push(Reverse((head, nth)));
            }
            reader.sources.push((source, run));
        }
        Ok(reader)
    }
}

impl Reader<'_> {
    /// The next record; `None` at the end.
    pub(crate) fn peek(&self) -> Option<&[u8]> {
        if self.sources.is_empty() {
            let place = self.sorted.places.get(self.at)?;
            return Some(text(&self.sorted.arena, *place));
        }
        self.heads.peek().map(|Reverse((record, _))| &record[..])
    }

    /// Goes on behind it.
    pub(crate) fn advance(&mut self) -> Result<(), Error> {
        self.sorted.scratch.check(self.at as u64)?;
        self.at += 1;
        if let Some(mut top) = self.heads.peek_mut() {
            let Reverse((head, nth)) = &mut *top;
            let (source, run) = &mut self.sources[*nth];
            if !read_record(source, head).map_err(|error| run.unreadable(error))? {
                PeekMut::pop(top);
            }
        }
        Ok(())
    }
}

fn text(arena: &[u8], (start, len): (u32, u32)) -> &[u8] {
    &arena[start as usize..][..len as usize]
}

/// Reads a length and as many bytes; `false` at the end.
fn read_record(source: &mut impl Read, record: &mut Vec<u8>) -> io::Result<bool> {
    let mut len = [0; 4];
    match source.read(&mut len[..1])? {
        0 => return Ok(false),
        _ => source.read_exact(&mut len[1..])?,
    }
    record.resize(u32::from_le_bytes(len) as usize, 0);
    source.read_exact(record)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn any_memory_gives_the_same_order() {
        let folder = tempfile::tempdir().unwrap();
        let records: Vec<Vec<u8>> = (0..5000u32)
            .map(|at| {
                let at = at.wrapping_mul(2_654_435_761);
                at.to_be_bytes()[..1 + at as usize % 4].repeat(1 + at as usize % 7)
            })
            .collect();
        let mut expected = records.clone();
        expected.sort();
        for (memory, spills) in [(1 << 20, false), (20_000, true), (500, true), (1, true)] {
            let stop = Arc::new(AtomicBool::new(false));
            let place = folder.path().join("scratch");
            let scratch = Scratch::create(&place, stop).unwrap();
            let mut sorter = Sorter::new(&scratch, memory);
            for record in &records {
                sorter.push(record).unwrap();
            }
            let sorted = sorter.finish().unwrap();
            assert_eq!((sorted.len(), sorted.is_empty()), (5000, false));
            assert_eq!(scratch.runs() > 0, spills, "{memory}");
            for _ in 0..2 {
                let (mut reader, mut read) = (sorted.read().unwrap(), Vec::new());
                while let Some(record) = reader.peek() {
                    read.push(record.to_vec());
                    reader.advance().unwrap();
                }
                assert_eq!(read, expected, "{memory}");
            }
            drop(sorted);
            drop(scratch);
            assert!(!place.exists(), "nothing is left");
        }
    }

    #[test]
    fn a_raised_flag_ends_a_sort_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("scratch");
        let stop = Arc::new(AtomicBool::new(false));
        let scratch = Scratch::create(&place, Arc::clone(&stop)).unwrap();
        let mut sorter = Sorter::new(&scratch, 10);
        sorter.push(b"abcdefgh").unwrap();
        sorter.push(b"ijklmnop").unwrap();
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        let result = (0..100_000).try_for_each(|_| sorter.push(b"x"));
        assert!(result.is_err());
        drop(sorter);
        drop(scratch);
        assert!(!place.exists());
    }

    #[test]
    fn a_folder_that_exists_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("scratch");
        std::fs::create_dir(&place).unwrap();
        std::fs::write(place.join("run-7"), b"mine").unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let error = Scratch::create(&place, stop).unwrap_err();
        assert_eq!(error.kind(), &crate::error::ErrorKind::Create);
        assert!(place.join("run-7").exists());
    }
}

//! External merge sort: sorts more records than memory holds.
//!
//! Input: byte strings in any order. Output: the same byte strings, sorted. The package is independent of the
//! meaning of records.
//!
//! A record is a byte string, and records are ordered as bytes. The fields to
//! sort by stand first, encoded so that their bytes compare as the values do
//! ([`sort_key`]). Records that exceed the memory limit are written as sorted
//! runs to a temporary folder ([`SpillFolder`]), and runs are merged while they
//! are read. The order of the output depends only on the records, not on the
//! memory limit.
//!
//! [`SortMemory`] divides the memory limit of a command among its sorters. Records have types: `field.rs` has the values
//! of which they consist, `record.rs` the macros that define structs of values, and `stream.rs` reads them one after
//! the other.

mod arena;
mod field;
mod memory;
mod ordered;
mod record;
mod shared;
pub mod sort_key;
mod spill;
mod stream;

pub use arena::Arena;
pub use field::{Field, GroupKey, Key, Record, Rest};
pub use memory::{MIN_MEMORY_BYTES, SortMemory};
pub use ordered::OrderedWriter;
pub use shared::SharedSorter;
pub use spill::SpillFolder;
pub use stream::{RecordSource, Stream, read};

use errors::Error;
use process::open_files;
use spill::Run;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, Read};

/// The size of the read buffer of each run.
const READ_AHEAD_BYTES: usize = 32 << 10;

/// The limit of the number of runs that are merged at the same time.
const MAX_FAN_IN: usize = 256;

/// Sorts records that are added in any order.
pub struct Sorter<'s, R = Rest<'static>> {
    spill_folder: &'s SpillFolder,
    memory_bytes: usize,
    arena: Arena<R>,
    /// The bytes of the record that is added.
    buffer: Vec<u8>,
    runs: Vec<Run>,
    /// The number of records.
    len: u64,
    /// The length of the longest record in bytes. While runs are merged, one record of each is in
    /// memory.
    longest: usize,
}

/// Sorted records, in memory or in runs. They can be read more than once.
pub struct SortedRecords<'s, R = Rest<'static>> {
    spill_folder: &'s SpillFolder,
    arena: Arena<R>,
    runs: Vec<Run>,
    len: u64,
}

/// Reads sorted records in order.
pub type Reader<'a, R> = Stream<SortedReader<'a, R>, R>;

/// Reads sorted records in order, as bytes.
pub struct SortedReader<'a, R> {
    spill_folder: &'a SpillFolder,
    arena: &'a Arena<R>,
    /// The number of records that have been read.
    records_read: usize,
    run_readers: Vec<RunReader<'a>>,
    /// The next record of each run with the index of the run; the least record
    /// is on top.
    heads: BinaryHeap<Reverse<(Vec<u8>, usize)>>,
}

struct RunReader<'a> {
    file: BufReader<File>,
    run: &'a Run,
}

impl<'s, R: Record> Sorter<'s, R> {
    /// Creates a sorter that holds about `memory_bytes` bytes of records.
    fn new(spill_folder: &'s SpillFolder, memory_bytes: usize) -> Self {
        Self {
            spill_folder,
            memory_bytes,
            arena: Arena::for_sorter(memory_bytes),
            buffer: Vec::new(),
            runs: Vec::new(),
            len: 0,
            longest: 0,
        }
    }

    /// Adds a record.
    ///
    /// # Errors
    ///
    /// Those of writing a sorted run to disk.
    pub fn push(&mut self, record: R::Of<'_>) -> Result<(), Error> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        record.write(&mut buffer);
        let pushed = self.push_bytes(&buffer);
        self.buffer = buffer;
        pushed
    }

    /// Adds a record as bytes.
    ///
    /// # Errors
    ///
    /// Those of writing a sorted run to disk.
    pub fn push_bytes(&mut self, record: &[u8]) -> Result<(), Error> {
        if record.len() > self.memory_bytes {
            return self.push_to_run(record);
        }
        if !self.arena.has_room(record.len(), self.memory_bytes) {
            self.arena.sort_in_parallel();
            self.runs.push(self.arena.write_run(self.spill_folder)?);
            self.arena.clear();
        }
        self.push_to_arena(record)
    }

    /// Adds a record for which the arena has room.
    fn push_to_arena(&mut self, record: &[u8]) -> Result<(), Error> {
        self.spill_folder
            .check_stop_at_record(self.len, record.len())?;
        self.arena.push_bytes(record);
        self.len += 1;
        self.longest = self.longest.max(record.len());
        Ok(())
    }

    /// Writes a record that exceeds the memory to a run of its own, without a copy in memory.
    fn push_to_run(&mut self, record: &[u8]) -> Result<(), Error> {
        let mut run = self.spill_folder.create_run()?;
        run.write(record)?;
        self.runs.push(run.finish()?);
        self.len += 1;
        self.longest = self.longest.max(record.len());
        Ok(())
    }

    /// Sorts the records. Runs are merged until few enough are left to be read
    /// at the same time.
    pub fn finish(mut self) -> Result<SortedRecords<'s, R>, Error> {
        self.arena.sort_in_parallel();
        if !self.runs.is_empty() {
            self.runs.push(self.arena.write_run(self.spill_folder)?);
            // Frees the memory for the next sorter.
            self.arena = Arena::default();
        }
        // Several sorted outputs may be read at the same time, so each opens at most a quarter of
        // the files that may still be opened.
        let fan_in_max = (open_files::count_free() / 4).clamp(2, MAX_FAN_IN);
        let run_bytes = READ_AHEAD_BYTES.max(self.longest);
        let fan_in = (self.memory_bytes / 4 / run_bytes).clamp(2, fan_in_max);
        let mut sorted = SortedRecords {
            spill_folder: self.spill_folder,
            arena: self.arena,
            runs: self.runs,
            len: self.len,
        };
        while sorted.runs.len() > fan_in {
            let rest = sorted.runs.split_off(fan_in);
            let mut run = self.spill_folder.create_run()?;
            let mut reader = sorted.read()?;
            while let Some(record) = reader.next_bytes()? {
                run.write(record)?;
            }
            drop(reader);
            sorted.runs = rest;
            sorted.runs.push(run.finish()?);
        }
        Ok(sorted)
    }
}

impl<R: Record> SortedRecords<'_, R> {
    /// Returns the number of records.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns true if there is no record.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns a reader at the first record.
    pub fn read(&self) -> Result<Reader<'_, R>, Error> {
        Ok(Stream::new(self.source()?))
    }

    /// Returns a source of the records.
    pub fn source(&self) -> Result<SortedReader<'_, R>, Error> {
        let mut reader = SortedReader {
            spill_folder: self.spill_folder,
            arena: &self.arena,
            records_read: 0,
            run_readers: Vec::with_capacity(self.runs.len()),
            heads: BinaryHeap::with_capacity(self.runs.len()),
        };
        for (i, run) in self.runs.iter().enumerate() {
            let mut file = BufReader::with_capacity(READ_AHEAD_BYTES, run.open()?);
            let mut head = Vec::new();
            if read_record(&mut file, &mut head).map_err(|error| run.read_error(error))? {
                reader.heads.push(Reverse((head, i)));
            }
            reader.run_readers.push(RunReader { file, run });
        }
        Ok(reader)
    }
}

impl<R> RecordSource for SortedReader<'_, R> {
    #[inline]
    fn peek(&self) -> Option<&[u8]> {
        if self.run_readers.is_empty() {
            return self.arena.get(self.records_read);
        }
        self.heads.peek().map(|Reverse((record, _))| &record[..])
    }

    fn advance(&mut self) -> Result<(), Error> {
        let bytes = self.peek().map_or(0, <[u8]>::len);
        self.spill_folder
            .check_stop_at_record(self.records_read as u64, bytes)?;
        self.records_read += 1;
        if let Some(mut top) = self.heads.peek_mut() {
            let Reverse((head, i)) = &mut *top;
            let RunReader { file, run } = &mut self.run_readers[*i];
            if !read_record(file, head).map_err(|error| run.read_error(error))? {
                PeekMut::pop(top);
            }
        }
        Ok(())
    }
}

/// Reads the next record of a run: its length, then its bytes. Returns false at the end of the run.
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
    fn the_order_does_not_depend_on_the_memory_limit() {
        let folder = tempfile::tempdir().unwrap();
        let records: Vec<Vec<u8>> = (0..5000u32)
            .map(|i| {
                let hash = i.wrapping_mul(2_654_435_761);
                hash.to_be_bytes()[..1 + hash as usize % 4].repeat(1 + hash as usize % 7)
            })
            .collect();
        let mut expected = records.clone();
        expected.sort();
        for (memory, spills) in [(1 << 20, false), (20_000, true), (500, true), (1, true)] {
            let stop = Arc::new(AtomicBool::new(false));
            let path = folder.path().join("scratch");
            let spill_folder = SpillFolder::create(&path, stop).unwrap();
            let mut sorter: Sorter<'_> = Sorter::new(&spill_folder, memory);
            for record in &records {
                sorter.push(Rest(record)).unwrap();
            }
            let sorted = sorter.finish().unwrap();
            assert_eq!((sorted.len(), sorted.is_empty()), (5000, false));
            assert_eq!(spill_folder.run_count() > 0, spills, "{memory}");
            for _ in 0..2 {
                let (mut reader, mut read) = (sorted.read().unwrap(), Vec::new());
                while let Some(Rest(record)) = reader.next_record().unwrap() {
                    read.push(record.to_vec());
                }
                assert_eq!(read, expected, "{memory}");
            }
            drop(sorted);
            drop(spill_folder);
            assert!(!path.exists(), "nothing is left");
        }
    }

    #[test]
    fn a_sort_that_is_stopped_removes_its_runs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scratch");
        let stop = Arc::new(AtomicBool::new(false));
        let spill_folder = SpillFolder::create(&path, Arc::clone(&stop)).unwrap();
        let mut sorter: Sorter<'_> = Sorter::new(&spill_folder, 10);
        sorter.push(Rest(b"abcdefgh")).unwrap();
        sorter.push(Rest(b"ijklmnop")).unwrap();
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        let result = (0..100_000).try_for_each(|_| sorter.push(Rest(b"x")));
        assert!(result.is_err());
        drop(sorter);
        drop(spill_folder);
        assert!(!path.exists());
    }

    #[test]
    fn an_existing_folder_is_not_used_for_runs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scratch");
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("run-7"), b"mine").unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let error = SpillFolder::create(&path, stop).unwrap_err();
        assert_eq!(error.kind(), Some(&errors::ErrorKind::Create));
        assert!(path.join("run-7").exists());
    }
}

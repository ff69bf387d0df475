//! A sorter for several threads.

use super::field::{Record, Rest};
use super::{Arena, SortedRecords, Sorter, SpillFolder};
use errors::Error;
use std::iter;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The limit of the number of arenas that are sorted and written at the same time.
const MAX_SPILLING_ARENAS: usize = 7;

/// A sorter to which several threads add records.
///
/// While one thread sorts and writes a full arena, the others fill the next one. Arenas are not
/// sorted on the thread pool, so that no thread waits for tasks of the pool while it holds the
/// lock.
pub struct SharedSorter<'s, R = Rest<'static>> {
    state: Mutex<SharedState<'s, R>>,
    /// The number of arenas that may be written while another is filled.
    spilling_max: usize,
}

struct SharedState<'s, R> {
    sorter: Sorter<'s, R>,
    /// The number of arenas that are being sorted and written.
    spilling_count: usize,
    /// Empty arenas, which are used again.
    spare_arenas: Vec<Arena<R>>,
}

impl<'s, R: Record> SharedSorter<'s, R> {
    /// Creates a sorter that holds about `memory` bytes.
    pub(super) fn new(spill_folder: &'s SpillFolder, memory: usize) -> Self {
        let spilling_max = rayon::current_num_threads().min(MAX_SPILLING_ARENAS);
        Self {
            state: Mutex::new(SharedState {
                sorter: Sorter::new(spill_folder, memory / (1 + spilling_max)),
                spilling_count: 0,
                spare_arenas: Vec::new(),
            }),
            spilling_max,
        }
    }

    /// Adds a record as bytes.
    ///
    /// # Errors
    ///
    /// Those of writing a sorted run to disk.
    pub fn push_bytes(&self, record: &[u8]) -> Result<(), Error> {
        self.append_records(iter::once(record))
    }

    /// Adds the records of a buffer. The lock is taken once for all of them, unless the memory is
    /// full.
    pub fn append(&self, buffer: &Arena<R>) -> Result<(), Error> {
        self.append_records(buffer.records())
    }

    fn append_records<'r>(&self, records: impl Iterator<Item = &'r [u8]>) -> Result<(), Error> {
        let mut records = records.peekable();
        while records.peek().is_some() {
            let mut state = self.lock();
            let SharedState {
                sorter,
                spilling_count,
                spare_arenas,
            } = &mut *state;
            while let Some(record) =
                records.next_if(|record| sorter.arena.has_room(record.len(), sorter.memory_bytes))
            {
                sorter.push_to_arena(record)?;
            }
            if records.peek().is_none() {
                break;
            }
            let empty = spare_arenas.pop().unwrap_or_default();
            let mut full = std::mem::replace(&mut sorter.arena, empty);
            let spill_folder = sorter.spill_folder;
            if *spilling_count >= self.spilling_max {
                // As many arenas as the memory allows are already being written. So this one is
                // written while the lock is held, and other threads wait.
                full.sort_on_this_thread();
                sorter.runs.push(full.write_run(spill_folder)?);
                full.clear();
                spare_arenas.push(full);
                continue;
            }
            *spilling_count += 1;
            drop(state);
            full.sort_on_this_thread();
            let run = full.write_run(spill_folder);
            let mut state = self.lock();
            state.spilling_count -= 1;
            state.sorter.runs.push(run?);
            full.clear();
            state.spare_arenas.push(full);
        }
        Ok(())
    }

    /// Returns the sorted records.
    ///
    /// # Errors
    ///
    /// Those of writing a sorted run to disk.
    pub fn finish(self) -> Result<SortedRecords<'s, R>, Error> {
        let state = self.state.into_inner();
        state
            .unwrap_or_else(PoisonError::into_inner)
            .sorter
            .finish()
    }

    fn lock(&self) -> MutexGuard<'_, SharedState<'s, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

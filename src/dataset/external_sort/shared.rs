//! A sorter for several threads.

use super::{Arena, SortedRecords, Sorter, SpillFolder};
use disk::error::Error;
use std::iter;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most arenas that are sorted and written at the same time.
const MAX_SPILLING: usize = 7;

/// A sorter to which several threads add records.
///
/// While one thread sorts and writes a full arena, the others fill the next one. No thread waits
/// for work of the pool while it holds the lock.
pub struct SharedSorter<'s> {
    state: Mutex<State<'s>>,
    /// The most arenas that are written while others are filled.
    spilling_max: usize,
}

struct State<'s> {
    sorter: Sorter<'s>,
    /// Arenas that are being written.
    spilling: usize,
    /// Empty arenas, whose memory is used again.
    spare: Vec<Arena>,
}

impl<'s> SharedSorter<'s> {
    /// Creates a sorter that holds about `memory` bytes.
    pub(super) fn new(spill_folder: &'s SpillFolder, memory: usize) -> Self {
        let spilling_max = rayon::current_num_threads().min(MAX_SPILLING);
        Self {
            state: Mutex::new(State {
                sorter: Sorter::new(spill_folder, memory / (1 + spilling_max)),
                spilling: 0,
                spare: Vec::new(),
            }),
            spilling_max,
        }
    }

    /// Adds a record.
    pub fn push(&self, record: &[u8]) -> Result<(), Error> {
        self.append_records(iter::once(record))
    }

    /// Adds the records of a buffer, for which it takes the lock once.
    pub fn append(&self, buffer: &Arena) -> Result<(), Error> {
        self.append_records(buffer.records())
    }

    fn append_records<'r>(&self, records: impl Iterator<Item = &'r [u8]>) -> Result<(), Error> {
        let mut records = records.peekable();
        while records.peek().is_some() {
            let mut state = self.lock();
            let State {
                sorter,
                spilling,
                spare,
            } = &mut *state;
            while let Some(record) =
                records.next_if(|record| sorter.arena.has_room(record.len(), sorter.memory))
            {
                sorter.spill_folder.check_stop_at(sorter.len)?;
                sorter.arena.push(record);
                sorter.len += 1;
            }
            if records.peek().is_none() {
                break;
            }
            let empty = spare.pop().unwrap_or_default();
            let mut full = std::mem::replace(&mut sorter.arena, empty);
            let spill_folder = sorter.spill_folder;
            if *spilling >= self.spilling_max {
                // Memory is used up, so the others wait.
                full.sort_here();
                sorter.runs.push(full.write_run(spill_folder)?);
                full.clear();
                spare.push(full);
                continue;
            }
            *spilling += 1;
            drop(state);
            full.sort_here();
            let run = full.write_run(spill_folder);
            let mut state = self.lock();
            state.spilling -= 1;
            state.sorter.runs.push(run?);
            full.clear();
            state.spare.push(full);
        }
        Ok(())
    }

    /// Sorts the records.
    pub fn finish(self) -> Result<SortedRecords<'s>, Error> {
        let state = self.state.into_inner();
        state
            .unwrap_or_else(PoisonError::into_inner)
            .sorter
            .finish()
    }

    fn lock(&self) -> MutexGuard<'_, State<'s>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! A writer of records that are sorted already.

use super::field::{Field, Record, Rest};
use super::spill::RunWriter;
use super::{Arena, SortedRecords, SpillFolder};
use errors::Error;

/// Keeps records that are pushed in sorted order: in memory, or in one run if they exceed the
/// memory limit.
pub struct OrderedWriter<'s, R = Rest<'static>> {
    spill_folder: &'s SpillFolder,
    memory: usize,
    arena: Arena<R>,
    /// The bytes of the record that is added.
    buffer: Vec<u8>,
    run: Option<RunWriter>,
    len: u64,
}

impl<'s, R: Record> OrderedWriter<'s, R> {
    pub(super) fn new(spill_folder: &'s SpillFolder, memory: usize) -> Self {
        Self {
            spill_folder,
            memory,
            arena: Arena::for_sorter(memory),
            buffer: Vec::new(),
            run: None,
            len: 0,
        }
    }

    /// Adds a record, which must not sort before the previous one.
    pub fn push(&mut self, record: R::Of<'_>) -> Result<(), Error> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        record.write(&mut buffer);
        let pushed = self.push_bytes(&buffer);
        self.buffer = buffer;
        pushed
    }

    fn push_bytes(&mut self, record: &[u8]) -> Result<(), Error> {
        self.spill_folder
            .check_stop_at_record(self.len, record.len())?;
        self.len += 1;
        if self.run.is_none() && !self.arena.has_room(record.len(), self.memory) {
            let mut run = self.spill_folder.create_run()?;
            for record in self.arena.records() {
                run.write(record)?;
            }
            self.arena = Arena::default();
            self.run = Some(run);
        }
        match &mut self.run {
            Some(run) => run.write(record),
            None => {
                self.arena.push_bytes(record);
                Ok(())
            }
        }
    }

    /// Returns the records that were pushed.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn finish(self) -> Result<SortedRecords<'s, R>, Error> {
        let run = self.run.map(RunWriter::finish).transpose()?;
        Ok(SortedRecords {
            spill_folder: self.spill_folder,
            arena: self.arena,
            runs: run.into_iter().collect(),
            len: self.len,
        })
    }
}

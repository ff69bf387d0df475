//! The share of memory that each sorter and filter of a command may use.

use super::{OrderedWriter, SharedSorter, SortedRecords, Sorter, SpillFolder};
use crate::external_sort::sort_key::{FieldReader, push_unescaped_key};
use disk::error::Error;
use parquet::bloom_filter::Sbbf;

/// The bytes of a Bloom filter per key, if the memory limit allows it: about 1 % false positives.
const BLOOM_BYTES_PER_KEY: u64 = 2;

/// The least memory limit with which the sorters of a command work.
pub const MIN_MEMORY_BYTES: u64 = 16 << 20;

/// The sorters among which the memory is divided: about as many as are in use at the same time, where
/// one for several threads counts as two.
const MAX_SORTERS: u64 = 12;

/// Creates sorters and Bloom filters that stay within a memory limit together.
#[derive(Clone, Copy, Debug)]
pub struct SortMemory<'s> {
    spill_folder: &'s SpillFolder,
    bytes_max: u64,
}

impl<'s> SortMemory<'s> {
    /// Sets the limit of all sorters and filters. Their runs are written to
    /// `spill_folder`.
    pub fn new(spill_folder: &'s SpillFolder, bytes_max: u64) -> Self {
        Self {
            spill_folder,
            bytes_max,
        }
    }

    /// Creates a sorter.
    pub fn sorter(&self) -> Sorter<'s> {
        Sorter::new(self.spill_folder, self.shares(1))
    }

    /// Creates a sorter for several threads, which counts as two.
    pub fn shared_sorter(&self) -> SharedSorter<'s> {
        SharedSorter::new(self.spill_folder, self.shares(2))
    }

    /// Creates a writer of records that come in order.
    pub(crate) fn ordered_writer(&self) -> OrderedWriter<'s> {
        OrderedWriter::new(self.spill_folder, self.shares(1))
    }

    fn shares(&self, count: u64) -> usize {
        let share = self.bytes_max * count / MAX_SORTERS;
        usize::try_from(share).unwrap_or(usize::MAX)
    }

    /// Returns the size of the buffers that all threads may have together beside the sorters.
    pub fn buffer_bytes(&self) -> usize {
        self.shares(1)
    }

    /// Creates a Bloom filter for about `keys` keys. With less than [`BLOOM_BYTES_PER_KEY`] it has more
    /// false positives.
    pub fn bloom_filter(&self, keys: u64) -> Sbbf {
        let share = self.bytes_max / MAX_SORTERS / 2;
        // The size is rounded up to a power of two.
        let bytes_max = 1 << share.max(1).ilog2();
        let bytes = keys.saturating_mul(BLOOM_BYTES_PER_KEY).min(bytes_max);
        Sbbf::new_with_num_of_bytes(usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    /// Creates a Bloom filter of the keys with which records begin.
    pub(crate) fn bloom_filter_of_keys(&self, records: &SortedRecords<'_>) -> Result<Sbbf, Error> {
        let mut filter = self.bloom_filter(records.len());
        let mut reader = records.read()?;
        let mut key = Vec::new();
        while let Some(record) = reader.peek() {
            key.clear();
            push_unescaped_key(&mut key, FieldReader::new(record).key());
            filter.insert(key.as_slice());
            reader.advance()?;
        }
        Ok(filter)
    }

    /// Returns an error if the run is to stop. It is checked for some of the records only, by their
    /// numbers.
    pub fn check_stop_at(&self, record: u64) -> Result<(), Error> {
        self.spill_folder.check_stop_at(record)
    }

    /// Returns an error if the run is to stop.
    pub fn check_stop(&self) -> Result<(), Error> {
        self.spill_folder.check_stop()
    }
}

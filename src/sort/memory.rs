//! Divides the memory limit of a command among its sorters and Bloom filters.

use super::field::{GroupKey, Key, Record};
use super::{OrderedWriter, SharedSorter, SortedRecords, Sorter, SpillFolder};
use errors::Error;
use parquet::bloom_filter::Sbbf;

/// The size of a Bloom filter per key in bytes, for about 1 % false positives. Under a small memory
/// limit, filters are smaller.
const BLOOM_BYTES_PER_KEY: u64 = 2;

/// The smallest memory limit that a command accepts, in bytes.
pub const MIN_MEMORY_BYTES: u64 = 16 << 20;

/// The number of shares into which the memory is divided: about the number of sorters that are in
/// use at the same time. A sorter for several threads takes two shares.
const MEMORY_SHARES: u64 = 13;

/// Creates sorters and Bloom filters that stay within one memory limit together.
#[derive(Clone, Copy, Debug)]
pub struct SortMemory<'s> {
    spill_folder: &'s SpillFolder,
    bytes_max: u64,
}

impl<'s> SortMemory<'s> {
    /// Divides `bytes_max` among the sorters and filters that are created. Sorters write their runs
    /// to `spill_folder`.
    pub fn new(spill_folder: &'s SpillFolder, bytes_max: u64) -> Self {
        Self {
            spill_folder,
            bytes_max,
        }
    }

    /// Creates a sorter for one thread.
    pub fn create_sorter<R: Record>(&self) -> Sorter<'s, R> {
        Sorter::new(self.spill_folder, self.share_bytes(1))
    }

    /// Creates a sorter to which several threads add records. It takes two shares of the memory.
    pub fn create_shared_sorter<R: Record>(&self) -> SharedSorter<'s, R> {
        SharedSorter::new(self.spill_folder, self.share_bytes(2))
    }

    /// Creates a writer of records that are sorted already.
    pub fn create_ordered_writer<R: Record>(&self) -> OrderedWriter<'s, R> {
        OrderedWriter::new(self.spill_folder, self.share_bytes(1))
    }

    fn share_bytes(&self, count: u64) -> usize {
        let share = self.bytes_max * count / MEMORY_SHARES;
        usize::try_from(share).unwrap_or(usize::MAX)
    }

    /// Returns the number of bytes that a command may use for buffers besides its sorters, for all
    /// threads together.
    pub fn buffer_bytes(&self) -> usize {
        self.share_bytes(1)
    }

    /// Creates a Bloom filter for about `keys` keys. It has more false positives if its share of
    /// the memory is less than [`BLOOM_BYTES_PER_KEY`] per key.
    pub fn create_bloom_filter(&self, keys: u64) -> Sbbf {
        let share = self.bytes_max / MEMORY_SHARES / 2;
        // The size is rounded up to a power of two.
        let bytes_max = 1 << share.max(1).ilog2();
        let bytes = keys.saturating_mul(BLOOM_BYTES_PER_KEY).min(bytes_max);
        Sbbf::new_with_num_of_bytes(usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    /// Creates a Bloom filter that contains the keys with which the `records` begin.
    ///
    /// # Errors
    ///
    /// Those of reading a run.
    pub fn create_key_filter<V: Record>(
        &self,
        records: &SortedRecords<'_, (Key<'static>, V)>,
    ) -> Result<Sbbf, Error> {
        let mut filter = self.create_bloom_filter(records.len());
        let mut reader = records.read()?;
        let (mut key, mut bytes) = (GroupKey::default(), Vec::new());
        while reader.next_group(&mut key)? {
            key.get().write_original(&mut bytes);
            filter.insert(bytes.as_slice());
        }
        Ok(filter)
    }

    /// Returns an error if the stop flag is set, which is checked only once in many records.
    /// `record` is the number of the current record.
    pub fn check_stop_at_record(&self, record: u64) -> Result<(), Error> {
        self.spill_folder.check_stop_at_record(record, 0)
    }

    /// Returns an error if the stop flag is set.
    pub fn check_stop(&self) -> Result<(), Error> {
        self.spill_folder.check_stop()
    }
}

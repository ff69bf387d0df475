//! A Bloom filter of bounded size.

use xxhash_rust::xxh3::xxh3_128;

/// Bits per key if the memory limit allows it. With [`PROBES`] this gives about
/// 1 % false positives.
const BITS_PER_KEY: u64 = 12;

/// Bits that each key sets, all of them in one block.
const PROBES: u32 = 6;

/// The words of a block: those of a cache line.
const BLOCK_WORDS: usize = 8;

/// A Bloom filter of byte strings.
///
/// Its size is fixed when it is created: more keys than it was made for raise
/// the rate of false positives, never its memory.
#[derive(Clone, Debug)]
pub struct BloomFilter {
    blocks: Vec<[u64; BLOCK_WORDS]>,
}

impl BloomFilter {
    /// Creates a filter for about `keys` keys in at most `bytes_max` bytes.
    pub fn new(keys: u64, bytes_max: usize) -> Self {
        let block_bytes = size_of::<[u64; BLOCK_WORDS]>();
        let blocks = keys
            .saturating_mul(BITS_PER_KEY)
            .div_ceil(8 * block_bytes as u64);
        let blocks_max = (bytes_max / block_bytes).max(1);
        let blocks = usize::try_from(blocks).unwrap_or(blocks_max);
        Self {
            blocks: vec![[0; BLOCK_WORDS]; blocks.clamp(1, blocks_max)],
        }
    }

    /// Adds a key.
    pub fn insert(&mut self, key: &[u8]) {
        let (block, bits) = self.probes(key);
        for (word, bit) in bits {
            self.blocks[block][word] |= bit;
        }
    }

    /// Returns false if the key was certainly not added.
    pub fn may_contain(&self, key: &[u8]) -> bool {
        let (block, mut bits) = self.probes(key);
        let block = &self.blocks[block];
        bits.all(|(word, bit)| block[word] & bit != 0)
    }

    /// Returns the block of a key, and its bits there: the index of a word and a bit of it.
    fn probes(&self, key: &[u8]) -> (usize, impl Iterator<Item = (usize, u64)> + use<>) {
        let hash = xxh3_128(key);
        let (place, bits) = (hash as u64, (hash >> 64) as u64);
        let block = (u128::from(place) * self.blocks.len() as u128) >> 64;
        // Each probe takes nine bits: three for the word, six for the bit.
        let probe = move |i: u32| {
            let bits = bits >> (9 * i);
            ((bits & 7) as usize, 1 << (bits >> 3 & 63))
        };
        (block as usize, (0..PROBES).map(probe))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_added_key_is_found_and_few_others() {
        let mut filter = BloomFilter::new(1000, 1 << 20);
        for key in 0..1000u32 {
            filter.insert(&key.to_be_bytes());
        }
        assert!((0..1000u32).all(|key| filter.may_contain(&key.to_be_bytes())));
        let others = (1000..101_000u32).filter(|key| filter.may_contain(&key.to_be_bytes()));
        assert!(others.count() < 2000);
    }

    #[test]
    fn a_filter_that_is_too_small_only_has_more_false_positives() {
        let mut filter = BloomFilter::new(1000, 0);
        for key in 0..1000u32 {
            filter.insert(&key.to_be_bytes());
        }
        assert!((0..1000u32).all(|key| filter.may_contain(&key.to_be_bytes())));
        assert!(!BloomFilter::new(0, 0).may_contain(b""));
    }
}

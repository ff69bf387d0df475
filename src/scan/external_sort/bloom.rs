//! A Bloom filter of bounded size.

use xxhash_rust::xxh3::xxh3_128;

/// Bits per key if the memory limit allows it. With [`PROBES`] this gives about
/// 0.5 % false positives.
const BITS_PER_KEY: u64 = 12;

/// Bits that each key sets.
const PROBES: u64 = 6;

/// A Bloom filter of byte strings.
///
/// Its size is fixed when it is created: more keys than it was made for raise
/// the rate of false positives, never its memory.
#[derive(Clone, Debug)]
pub struct BloomFilter {
    words: Vec<u64>,
}

impl BloomFilter {
    /// Creates a filter for about `keys` keys in at most `bytes_max` bytes.
    pub fn new(keys: u64, bytes_max: usize) -> Self {
        let words = keys.saturating_mul(BITS_PER_KEY).div_ceil(64);
        let words_max = (bytes_max / 8).max(1);
        let words = usize::try_from(words)
            .unwrap_or(words_max)
            .clamp(1, words_max);
        Self {
            words: vec![0; words],
        }
    }

    /// Adds a key.
    pub fn insert(&mut self, key: &[u8]) {
        let n_bits = self.words.len() as u64 * 64;
        for bit in probes(key, n_bits) {
            self.words[(bit / 64) as usize] |= 1 << (bit % 64);
        }
    }

    /// Returns false if the key was certainly not added.
    pub fn may_contain(&self, key: &[u8]) -> bool {
        let n_bits = self.words.len() as u64 * 64;
        probes(key, n_bits).all(|bit| self.words[(bit / 64) as usize] >> (bit % 64) & 1 == 1)
    }
}

/// Returns the bits of a key, by double hashing.
fn probes(key: &[u8], n_bits: u64) -> impl Iterator<Item = u64> {
    let hash = xxh3_128(key);
    let (start, step) = (hash as u64, (hash >> 64) as u64 | 1);
    (0..PROBES).map(move |i| start.wrapping_add(i.wrapping_mul(step)) % n_bits)
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

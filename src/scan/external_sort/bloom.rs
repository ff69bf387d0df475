//! A set that is sure of what is not in it.

use xxhash_rust::xxh3::xxh3_128;

/// Bits for each key where there is room: one key in two hundred that is not
/// in the set passes.
const BITS_A_KEY: u64 = 12;

/// Bits that a key sets.
const PROBES: u64 = 6;

/// A Bloom filter of keys: what it does not hold was never added, and of the
/// rest few. Its memory does not grow.
#[derive(Clone, Debug)]
pub struct Filter {
    words: Vec<u64>,
}

impl Filter {
    /// Makes a set for about `keys` keys in at most `bytes` bytes.
    pub fn new(keys: u64, bytes: usize) -> Self {
        let words = keys.saturating_mul(BITS_A_KEY).div_ceil(64);
        let most = (bytes / 8).max(1);
        let words = usize::try_from(words).unwrap_or(most).clamp(1, most);
        Self {
            words: vec![0; words],
        }
    }

    /// Adds a key.
    pub fn insert(&mut self, key: &[u8]) {
        let n_bits = self.words.len() as u64 * 64;
        for bit in bits(key, n_bits) {
            self.words[(bit / 64) as usize] |= 1 << (bit % 64);
        }
    }

    /// Whether a key may have been added.
    pub fn may_hold(&self, key: &[u8]) -> bool {
        let n_bits = self.words.len() as u64 * 64;
        bits(key, n_bits).all(|bit| self.words[(bit / 64) as usize] >> (bit % 64) & 1 == 1)
    }
}

fn bits(key: &[u8], n_bits: u64) -> impl Iterator<Item = u64> {
    let hash = xxh3_128(key);
    let (begin, step) = (hash as u64, (hash >> 64) as u64 | 1);
    (0..PROBES).map(move |nth| begin.wrapping_add(nth.wrapping_mul(step)) % n_bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_held_and_little_else() {
        let mut filter = Filter::new(1000, 1 << 20);
        for key in 0..1000u32 {
            filter.insert(&key.to_be_bytes());
        }
        assert!((0..1000u32).all(|key| filter.may_hold(&key.to_be_bytes())));
        let others = (1000..101_000u32).filter(|key| filter.may_hold(&key.to_be_bytes()));
        assert!(others.count() < 2000);
    }

    #[test]
    fn too_little_room_only_lets_more_pass() {
        let mut filter = Filter::new(1000, 0);
        for key in 0..1000u32 {
            filter.insert(&key.to_be_bytes());
        }
        assert!((0..1000u32).all(|key| filter.may_hold(&key.to_be_bytes())));
        assert!(!Filter::new(0, 0).may_hold(b""));
    }
}

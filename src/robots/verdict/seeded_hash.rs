//! A fast hash function that inputs cannot predict.

use hashbrown::HashTable;
use std::hash::{BuildHasher, RandomState};

/// The largest capacity that a table keeps for the next file.
const MAX_KEPT_CAPACITY: usize = 4096;

/// A hash function with a random seed, so that nobody can construct a file whose names collide.
/// Only the speed depends on the seed.
#[derive(Debug)]
pub(crate) struct SeededHash {
    seed: u64,
    /// An odd number.
    factor: u64,
}

impl Default for SeededHash {
    fn default() -> Self {
        let state = RandomState::new();
        Self {
            seed: state.hash_one(0),
            factor: state.hash_one(1) | 1,
        }
    }
}

impl SeededHash {
    /// Hashes a text.
    pub(crate) fn text(&self, text: &[u8]) -> u64 {
        let (words, rest) = text.as_chunks::<8>();
        let mut hash = self.seed ^ text.len() as u64;
        for word in words {
            hash = self.mix(hash ^ u64::from_le_bytes(*word));
        }
        let last = rest
            .iter()
            .fold(0, |last, &octet| last << 8 | u64::from(octet));
        self.mix(hash ^ last)
    }

    /// Hashes a list of numbers.
    pub(crate) fn numbers(&self, numbers: &[u32]) -> u64 {
        let hash = numbers.iter().fold(self.seed, |hash, &number| {
            self.mix(hash ^ u64::from(number))
        });
        self.mix(hash)
    }

    /// Combines both halves of a product, so that every bit depends on all bits.
    fn mix(&self, number: u64) -> u64 {
        let product = u128::from(number ^ self.seed.rotate_left(32)) * u128::from(self.factor);
        product as u64 ^ (product >> 64) as u64
    }
}

/// Removes all entries of a table. Its memory is kept unless it is large, because clearing takes
/// time proportional to the capacity.
pub(crate) fn clear_table<T>(table: &mut HashTable<T>) {
    if table.capacity() > MAX_KEPT_CAPACITY {
        *table = HashTable::new();
    } else {
        table.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_depends_on_every_octet_and_on_the_length() {
        let hash = SeededHash::default();
        let texts: [&[u8]; 6] = [b"", b"\0", b"\0\0", b"aaaaaaaab", b"baaaaaaaa", b"aaaaaaaa"];
        for (i, a) in texts.iter().enumerate() {
            for b in &texts[i + 1..] {
                assert_ne!(hash.text(a), hash.text(b), "{a:?} {b:?}");
            }
        }
        assert_ne!(hash.numbers(&[1, 2]), hash.numbers(&[2, 1]));
    }

    #[test]
    fn a_table_is_empty_after_it_is_cleared() {
        for count in [10, 10 * MAX_KEPT_CAPACITY as u64] {
            let mut table = HashTable::new();
            for number in 0..count {
                table.insert_unique(number, number, |&number| number);
            }
            clear_table(&mut table);
            assert!(table.is_empty() && table.capacity() <= MAX_KEPT_CAPACITY);
        }
    }
}

//! A table from texts, or lists of numbers, to their places elsewhere.

use std::hash::{BuildHasher, RandomState};

/// Slots of an index that has few entries.
const SLOTS_MIN: usize = 16;
const EMPTY: Slot = Slot {
    hash: 0,
    place: u32::MAX,
};

/// Finds places by a hash, which nobody can foresee: it is seeded anew for
/// each index, and nothing but the speed depends on it.
#[derive(Debug)]
pub(crate) struct Index {
    slots: Vec<Slot>,
    len: usize,
    seed: u64,
    /// Odd.
    factor: u64,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u32,
    place: u32,
}

impl Default for Index {
    fn default() -> Self {
        let state = RandomState::new();
        Self {
            slots: vec![EMPTY; SLOTS_MIN],
            len: 0,
            seed: state.hash_one(0),
            factor: state.hash_one(1) | 1,
        }
    }
}

impl Index {
    /// Forgets all entries, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        if self.len > 0 {
            self.slots.clear();
            self.slots.resize(SLOTS_MIN, EMPTY);
            self.len = 0;
        }
    }

    pub(crate) fn hash(&self, text: &[u8]) -> u32 {
        let (eights, rest) = text.as_chunks::<8>();
        let mut hash = self.seed ^ text.len() as u64;
        for eight in eights {
            hash = self.fold(hash ^ u64::from_le_bytes(*eight));
        }
        let last = rest
            .iter()
            .fold(0, |last, &octet| last << 8 | u64::from(octet));
        self.fold(hash ^ last) as u32
    }

    pub(crate) fn hash_numbers(&self, numbers: &[u32]) -> u32 {
        let hash = numbers.iter().fold(self.seed, |hash, &number| {
            self.fold(hash ^ u64::from(number))
        });
        self.fold(hash) as u32
    }

    /// Both halves of a product, so that every bit depends on all.
    fn fold(&self, number: u64) -> u64 {
        let product = u128::from(number ^ self.seed.rotate_left(32)) * u128::from(self.factor);
        product as u64 ^ (product >> 64) as u64
    }

    /// The place with this hash of which `is_same` holds.
    pub(crate) fn find(&self, hash: u32, is_same: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.place == EMPTY.place {
                return None;
            }
            if slot.hash == hash && is_same(slot.place) {
                return Some(slot.place);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a place that is not there yet.
    pub(crate) fn insert(&mut self, hash: u32, place: u32) {
        self.len += 1;
        if 2 * self.len > self.slots.len() {
            let slots = vec![EMPTY; 4 * self.slots.len()];
            for slot in std::mem::replace(&mut self.slots, slots) {
                if slot.place != EMPTY.place {
                    self.put(slot);
                }
            }
        }
        self.put(Slot { hash, place });
    }

    fn put(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut at = slot.hash as usize & mask;
        while self.slots[at].place != EMPTY.place {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_is_found_and_nothing_else() {
        let mut index = Index::default();
        for _ in 0..2 {
            let texts: Vec<String> = (0..1000).map(|it| format!("name-{it}")).collect();
            for (place, text) in texts.iter().enumerate() {
                let hash = index.hash(text.as_bytes());
                assert_eq!(index.find(hash, |it| texts[it as usize] == *text), None);
                index.insert(hash, place as u32);
            }
            for (place, text) in texts.iter().enumerate() {
                let hash = index.hash(text.as_bytes());
                let found = index.find(hash, |it| texts[it as usize] == *text);
                assert_eq!(found, Some(place as u32));
            }
            index.clear();
        }
    }

    #[test]
    fn a_hash_depends_on_every_octet_and_on_the_length() {
        let index = Index::default();
        let texts: [&[u8]; 6] = [b"", b"\0", b"\0\0", b"aaaaaaaab", b"baaaaaaaa", b"aaaaaaaa"];
        for (nth, a) in texts.iter().enumerate() {
            for b in &texts[nth + 1..] {
                assert_ne!(index.hash(a), index.hash(b), "{a:?} {b:?}");
            }
        }
        assert_ne!(index.hash_numbers(&[1, 2]), index.hash_numbers(&[2, 1]));
    }
}

//! Dictionaries: the values of a column chunk, each once, in the order in
//! which they first came.

use crate::hash_seed::HASH_SEED;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// Texts, laid out as their page is: each behind its length in four bytes.
#[derive(Debug, Default)]
pub(super) struct TextDictionary {
    page: Vec<u8>,
    /// By hashes. What a look needs stands together: most miss the caches.
    table: HashTable<DictionaryEntry>,
}

/// A text of the dictionary.
#[derive(Debug)]
struct DictionaryEntry {
    hash: u64,
    /// Where it begins in the page.
    start: u32,
    number: u32,
}

impl TextDictionary {
    pub(super) fn insert(&mut self, text: &[u8], hash: u64) -> u32 {
        let (page, number) = (&mut self.page, self.table.len() as u32);
        let entry = self.table.entry(
            hash,
            |it| it.hash == hash && text_at(page, it.start) == text,
            |it| it.hash,
        );
        match entry {
            Entry::Occupied(entry) => entry.get().number,
            Entry::Vacant(entry) => {
                page.extend_from_slice(&(text.len() as u32).to_le_bytes());
                let start = page.len() as u32;
                page.extend_from_slice(text);
                entry.insert(DictionaryEntry {
                    hash,
                    start,
                    number,
                });
                number
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    pub(super) fn page(&self) -> &[u8] {
        &self.page
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 4;
        std::iter::repeat_with(move || {
            let text = text_at(&self.page, start);
            start += text.len() as u32 + 4;
            text
        })
        .take(self.len())
    }
}

fn text_at(page: &[u8], start: u32) -> &[u8] {
    let start = start as usize;
    let mut len = [0; 4];
    len.copy_from_slice(&page[start - 4..start]);
    &page[start..start + u32::from_le_bytes(len) as usize]
}

/// Numbers below this are looked up without being hashed.
const SMALL: usize = 4096;

/// Numbers, by their 64 bits.
#[derive(Debug, Default)]
pub(super) struct NumberDictionary {
    values: Vec<u64>,
    /// One more than the place of each small number; zero for none.
    small: Vec<u32>,
    table: HashTable<u32>,
    /// What was asked for last.
    last: Option<(u64, u32)>,
}

impl NumberDictionary {
    #[inline]
    pub(super) fn insert(&mut self, value: u64) -> u32 {
        match (self.small.get(value as usize), self.last) {
            (Some(&place), _) if place > 0 => place - 1,
            (_, Some((last, no))) if last == value => no,
            _ => self.insert_other(value),
        }
    }

    fn insert_other(&mut self, value: u64) -> u32 {
        let no = if value < SMALL as u64 {
            self.small.resize(SMALL, 0);
            self.values.push(value);
            self.small[value as usize] = self.values.len() as u32;
            self.values.len() as u32 - 1
        } else {
            self.insert_large(value)
        };
        self.last = Some((value, no));
        no
    }

    fn insert_large(&mut self, value: u64) -> u32 {
        let values = &mut self.values;
        let entry = self.table.entry(
            hash(value),
            |&no| values[no as usize] == value,
            |&no| hash(values[no as usize]),
        );
        match entry {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                values.push(value);
                *entry.insert(values.len() as u32 - 1).get()
            }
        }
    }

    pub(super) fn values(&self) -> &[u64] {
        &self.values
    }
}

/// Both halves of a product, with a seed that nobody can know.
fn hash(value: u64) -> u64 {
    let product = u128::from(value ^ *HASH_SEED) * 0x9e37_79b9_7f4a_7c15;
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parquet_writer::Interner;

    #[test]
    fn values_are_numbered_as_they_come() {
        let mut interner = Interner::default();
        for text in ["b", "", "a"] {
            interner.intern(text);
        }
        let texts = interner.take();
        let mut dictionary = TextDictionary::default();
        let numbers: Vec<u32> = [0, 1, 0, 2, 1]
            .map(|no| dictionary.insert(texts.get(no), texts.hash(no)))
            .to_vec();
        assert_eq!(numbers, [0, 1, 0, 2, 1]);
        assert_eq!(dictionary.page(), b"\x01\0\0\0b\0\0\0\0\x01\0\0\0a");
        assert!(dictionary.texts().eq([&b"b"[..], b"", b"a"]));

        let mut dictionary = NumberDictionary::default();
        let many = [7, u64::MAX, 7, 7, 5000, 0, u64::MAX, 5000, 4095, 4096];
        let numbers: Vec<u32> = many.map(|it| dictionary.insert(it)).to_vec();
        assert_eq!(numbers, [0, 1, 0, 0, 2, 3, 1, 2, 4, 5]);
        assert_eq!(dictionary.values(), [7, u64::MAX, 5000, 0, 4095, 4096]);
    }
}

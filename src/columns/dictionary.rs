//! Dictionaries: the distinct values of a column chunk, in the order of their first
//! occurrence.

use super::statistics::{self, IntegerBounds};
use crate::ValueEncoding;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use parquet::basic::Type;
use parquet::file::statistics::Statistics;
use process::HASH_SEED;

/// The distinct values of a column chunk. For a chunk without a dictionary, the
/// data from which its statistics are made.
#[derive(Debug)]
pub(super) enum ColumnDictionary {
    Texts(TextDictionary),
    Numbers(NumberDictionary),
    /// Booleans are written plain. The first flag is true if the value false occurs, and the second if
    /// the value true occurs.
    Bools([bool; 2]),
    /// The bounds of integers that have no dictionary.
    Integers(IntegerBounds),
}

impl ColumnDictionary {
    /// Makes an empty dictionary for values of a Parquet type.
    pub(super) fn new(physical: Type, encoding: ValueEncoding) -> Self {
        match physical {
            Type::INT32 | Type::INT64 if encoding != ValueEncoding::Dictionary => {
                Self::Integers(IntegerBounds::default())
            }
            Type::BYTE_ARRAY => Self::Texts(TextDictionary::default()),
            Type::BOOLEAN => Self::Bools([false; 2]),
            _ => Self::Numbers(NumberDictionary::default()),
        }
    }

    /// Returns the bytes of the dictionary page, and the number of values in the page.
    /// The bytes may be written to `buffer`.
    pub(super) fn encode<'p>(
        &'p self,
        physical: Type,
        buffer: &'p mut Vec<u8>,
    ) -> (&'p [u8], usize) {
        buffer.clear();
        match self {
            Self::Texts(dictionary) => (dictionary.page(), dictionary.len()),
            Self::Numbers(dictionary) => {
                let bytes = if physical == Type::INT32 { 4 } else { 8 };
                for value in dictionary.values() {
                    buffer.extend_from_slice(&value.to_le_bytes()[..bytes]);
                }
                (buffer, dictionary.values().len())
            }
            Self::Bools(_) | Self::Integers(_) => (buffer, 0),
        }
    }

    /// Returns the statistics of a column of numbers or booleans; `None` for texts.
    pub(super) fn statistics(&self, physical: Type, nulls: u64) -> Option<Statistics> {
        match self {
            Self::Texts(_) => None,
            Self::Numbers(dictionary) => {
                let values = dictionary.values().iter().copied();
                Some(match physical {
                    Type::INT32 => {
                        statistics::int_statistics(values.map(|value| value as i32), nulls)
                    }
                    _ => statistics::long_statistics(values.map(u64::cast_signed), nulls),
                })
            }
            Self::Bools(occurs) => Some(statistics::bool_statistics(*occurs, nulls)),
            Self::Integers(bounds) => {
                let bounds = bounds.min_max.into_iter().flat_map(|(min, max)| [min, max]);
                Some(match physical {
                    Type::INT32 => {
                        statistics::int_statistics(bounds.map(|value| value as i32), nulls)
                    }
                    _ => statistics::long_statistics(bounds, nulls),
                })
            }
        }
    }
}

/// Distinct texts, stored as they are in the dictionary page: each after its length
/// in four bytes.
#[derive(Debug, Default)]
pub(super) struct TextDictionary {
    page: Vec<u8>,
    /// The entries have the hash and the position of their texts, so that a lookup reads no other memory before
    /// it compares texts: most of these reads would miss the CPU caches.
    table: HashTable<DictionaryEntry>,
}

/// A text of the dictionary.
#[derive(Debug)]
struct DictionaryEntry {
    hash: u64,
    /// The offset in the page at which the text starts, after its length.
    start: u32,
    index: u32,
}

impl TextDictionary {
    /// Returns the index of a text, which is added if it is new.
    #[inline]
    pub(super) fn insert(&mut self, text: &[u8], hash: u64) -> u32 {
        let page = &self.page;
        let known = self.table.find(hash, |entry| {
            entry.hash == hash && text_at(page, entry.start) == text
        });
        match known {
            Some(entry) => entry.index,
            None => self.add(text, hash),
        }
    }

    /// Adds a text that is not in the dictionary.
    fn add(&mut self, text: &[u8], hash: u64) -> u32 {
        let index = self.table.len() as u32;
        self.page
            .extend_from_slice(&(text.len() as u32).to_le_bytes());
        let start = self.page.len() as u32;
        self.page.extend_from_slice(text);
        let entry = DictionaryEntry { hash, start, index };
        self.table.insert_unique(hash, entry, |entry| entry.hash);
        index
    }

    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    /// Returns the bytes of the dictionary page.
    pub(super) fn page(&self) -> &[u8] {
        &self.page
    }

    /// Returns the texts in the order of their indexes.
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

/// Numbers below this one are looked up in an array, without hashing.
const SMALL_NUMBER_COUNT: u64 = 4096;

/// The distinct numbers of a column chunk, each as 64 bits.
#[derive(Debug, Default)]
pub(super) struct NumberDictionary {
    values: Vec<u64>,
    /// The index plus one of each small number, by the number itself; zero if it does not occur. It ends
    /// after the largest one.
    small_indexes: Vec<u32>,
    table: HashTable<u32>,
    /// The value of the previous lookup and its index.
    last: Option<(u64, u32)>,
}

impl NumberDictionary {
    /// Returns the index of a number, which is added if it is new.
    #[inline]
    pub(super) fn insert(&mut self, value: u64) -> u32 {
        match (self.small_indexes.get(value as usize), self.last) {
            (Some(&plus_one), _) if plus_one > 0 => plus_one - 1,
            (_, Some((last, index))) if last == value => index,
            _ => self.insert_uncached(value),
        }
    }

    fn insert_uncached(&mut self, value: u64) -> u32 {
        let index = if value < SMALL_NUMBER_COUNT {
            let len = (value as usize + 1).next_power_of_two();
            self.small_indexes
                .resize(self.small_indexes.len().max(len), 0);
            self.values.push(value);
            self.small_indexes[value as usize] = self.values.len() as u32;
            self.values.len() as u32 - 1
        } else {
            self.insert_large(value)
        };
        self.last = Some((value, index));
        index
    }

    fn insert_large(&mut self, value: u64) -> u32 {
        let values = &mut self.values;
        let entry = self.table.entry(
            hash_number(value),
            |&index| values[index as usize] == value,
            |&index| hash_number(values[index as usize]),
        );
        match entry {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                values.push(value);
                *entry.insert(values.len() as u32 - 1).get()
            }
        }
    }

    /// Returns the numbers in the order of their indexes.
    pub(super) fn values(&self) -> &[u64] {
        &self.values
    }
}

/// Returns a seeded multiplicative hash of a number.
fn hash_number(value: u64) -> u64 {
    let product = u128::from(value ^ *HASH_SEED) * 0x9e37_79b9_7f4a_7c15;
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Interner;

    #[test]
    fn values_are_numbered_in_order_of_first_occurrence() {
        let mut interner = Interner::default();
        for text in ["b", "", "a"] {
            interner.intern(text);
        }
        let texts = interner.take();
        let mut dictionary = TextDictionary::default();
        let indexes: Vec<u32> = [0, 1, 0, 2, 1]
            .map(|id| dictionary.insert(texts.get(id), texts.hash(id)))
            .to_vec();
        assert_eq!(indexes, [0, 1, 0, 2, 1]);
        assert_eq!(dictionary.page(), b"\x01\0\0\0b\0\0\0\0\x01\0\0\0a");
        assert!(dictionary.texts().eq([&b"b"[..], b"", b"a"]));

        let mut dictionary = NumberDictionary::default();
        let values = [7, u64::MAX, 7, 7, 5000, 0, u64::MAX, 5000, 4095, 4096];
        let indexes = values.map(|value| dictionary.insert(value));
        assert_eq!(indexes, [0, 1, 0, 0, 2, 3, 1, 2, 4, 5]);
        assert_eq!(dictionary.values(), [7, u64::MAX, 5000, 0, 4095, 4096]);
    }
}

//! Texts, each once.

use crate::escaped_text::escape_body;
use crate::hash_seed::HASH_SEED;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Texts by number.
#[derive(Debug, Default)]
pub(crate) struct InternedTexts {
    bytes: Vec<u8>,
    /// Where each ends, and its hash: side by side, for a look needs both.
    ends: Vec<(usize, u64)>,
}

impl InternedTexts {
    /// Adds a text, wherever else it may stand.
    pub(crate) fn push(&mut self, text: &[u8]) -> u32 {
        self.push_hashed(text, xxh3_64_with_seed(text, *HASH_SEED))
    }

    fn push_hashed(&mut self, text: &[u8], hash: u64) -> u32 {
        let no = self.ends.len() as u32;
        self.bytes.extend_from_slice(text);
        self.ends.push((self.bytes.len(), hash));
        no
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, no: u32) -> &[u8] {
        let at = no as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before].0);
        &self.bytes[start..self.ends[at].0]
    }

    pub(crate) fn hash(&self, no: u32) -> u64 {
        self.ends[no as usize].1
    }
}

/// Gathers texts, each once, until they are taken.
#[derive(Debug)]
pub(crate) struct Interner {
    seed: u64,
    texts: InternedTexts,
    table: HashTable<u32>,
    /// Numbers of words of the program, by the place of their letters.
    words: Vec<(usize, u32)>,
    /// Bytes of all texts that were asked for, each time anew.
    requested_bytes: u64,
}

impl Default for Interner {
    fn default() -> Self {
        Self {
            seed: *HASH_SEED,
            texts: InternedTexts::default(),
            table: HashTable::new(),
            words: vec![(0, 0); WORDS],
            requested_bytes: 0,
        }
    }
}

/// Places for words of the program; where two fall together one is looked up.
const WORDS: usize = 128;

/// Texts for which the hash table keeps its memory when a batch is taken.
const TABLE_TEXTS_KEPT: usize = 1 << 18;

impl Interner {
    /// The number of a text.
    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        self.intern_hashed(
            text.as_bytes(),
            xxh3_64_with_seed(text.as_bytes(), self.seed),
        )
    }

    /// The number of a word of the program: a text that stands where it stands.
    pub(crate) fn intern_static(&mut self, word: &'static str) -> u32 {
        let address = word.as_ptr().addr();
        let place = (address ^ (address >> 7) ^ word.len()) % WORDS;
        let key = address.wrapping_mul(64) + word.len();
        if self.words[place].0 == key {
            self.requested_bytes += word.len() as u64;
            return self.words[place].1;
        }
        let no = self.intern(word);
        self.words[place] = (key, no);
        no
    }

    /// The number of the text of bytes of a body ([`escape_body`]).
    pub(crate) fn intern_body_text(&mut self, bytes: &[u8], is_valid_utf8: bool) -> u32 {
        if !is_valid_utf8 {
            return self.intern(&escape_body(bytes, false));
        }
        let hash = xxh3_64_with_seed(bytes, self.seed);
        // What is a text already needs no proof that it is one.
        if let Some(no) = self.find(bytes, hash) {
            self.requested_bytes += bytes.len() as u64;
            return no;
        }
        match is_whole(bytes) {
            true => self.intern_hashed(bytes, hash),
            false => self.intern(&escape_body(bytes, true)),
        }
    }

    /// The numbers of texts of a body that mostly repeat the one before.
    pub(crate) fn intern_repeated<'b>(
        &mut self,
        texts: impl Iterator<Item = &'b [u8]>,
        is_valid_utf8: bool,
    ) -> impl Iterator<Item = u32> {
        let mut last = None;
        texts.map(move |bytes| match last {
            Some((before, no)) if before == bytes => no,
            _ => {
                let no = self.intern_body_text(bytes, is_valid_utf8);
                last = Some((bytes, no));
                no
            }
        })
    }

    fn find(&self, text: &[u8], hash: u64) -> Option<u32> {
        let texts = &self.texts;
        self.table
            .find(hash, |&no| texts.hash(no) == hash && texts.get(no) == text)
            .copied()
    }

    fn intern_hashed(&mut self, text: &[u8], hash: u64) -> u32 {
        self.requested_bytes += text.len() as u64;
        let texts = &mut self.texts;
        let entry = self.table.entry(
            hash,
            |&no| texts.hash(no) == hash && texts.get(no) == text,
            |&no| texts.hash(no),
        );
        match entry {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => *entry.insert(texts.push_hashed(text, hash)).get(),
        }
    }

    /// Counts bytes of texts that were asked for otherwise.
    pub(crate) fn add_requested_bytes(&mut self, bytes: u64) {
        self.requested_bytes += bytes;
    }

    /// Bytes of all texts that were asked for since the last time.
    pub(crate) fn requested_bytes(&self) -> u64 {
        self.requested_bytes
    }

    /// Takes what was gathered.
    pub(crate) fn take(&mut self) -> InternedTexts {
        // The batch of a large body may have had a text for every few octets.
        if self.table.capacity() > TABLE_TEXTS_KEPT {
            self.table = HashTable::new();
        }
        self.table.clear();
        self.words.fill((0, 0));
        self.requested_bytes = 0;
        let room = InternedTexts {
            bytes: Vec::with_capacity(self.texts.bytes.len()),
            ends: Vec::with_capacity(self.texts.ends.len()),
        };
        std::mem::replace(&mut self.texts, room)
    }
}

/// Whether bytes of a body that is UTF-8 begin and end between its characters:
/// then they are UTF-8.
fn is_whole(bytes: &[u8]) -> bool {
    let is_within = |octet: u8| octet & 0xc0 == 0x80;
    let ends = bytes.iter().rev();
    let tail = ends.clone().take_while(|&&octet| is_within(octet)).count();
    let is_whole = match ends.clone().nth(tail) {
        None => bytes.is_empty(),
        Some(lead) if lead.is_ascii() => tail == 0 && !is_within(bytes[0]),
        Some(lead) => lead.leading_ones() as usize == tail + 1 && !is_within(bytes[0]),
    };
    debug_assert_eq!(is_whole, std::str::from_utf8(bytes).is_ok());
    is_whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_number_and_keeps_it() {
        let mut interner = Interner::default();
        let numbers: Vec<u32> = ["a", "", "b", "a", "", "allow_all"]
            .map(|text| interner.intern(text))
            .to_vec();
        assert_eq!(numbers, [0, 1, 2, 0, 1, 3]);
        assert_eq!(
            (
                interner.intern_static("allow_all"),
                interner.intern_static("allow_all")
            ),
            (3, 3)
        );
        assert_eq!(interner.requested_bytes(), 1 + 1 + 1 + 9 + 18);
        let texts = interner.take();
        let all: Vec<&[u8]> = (0..4).map(|no| texts.get(no)).collect();
        assert_eq!(all, [&b"a"[..], b"", b"b", b"allow_all"]);
        // Words are asked for anew, too.
        assert_eq!(
            (interner.intern_static("allow_all"), interner.intern("a")),
            (0, 1)
        );
    }

    #[test]
    fn bytes_of_bodies_are_what_their_text_is() {
        let mut interner = Interner::default();
        let cases: &[(&[u8], bool)] = &[
            (b"a\\b", true),
            (b"a\\b", false),
            (b"\xe9", false),
            // A cut through a character of a body that is UTF-8.
            (b"\xc3", true),
            ("é".as_bytes(), true),
        ];
        let numbers: Vec<u32> = cases
            .iter()
            .map(|&(bytes, is_utf8)| interner.intern_body_text(bytes, is_utf8))
            .collect();
        let texts = interner.take();
        for (&(bytes, is_utf8), no) in cases.iter().zip(numbers) {
            assert_eq!(texts.get(no), escape_body(bytes, is_utf8).as_bytes());
        }
    }
}

//! Interning of texts: each distinct text of a batch is stored once and has an id.

use super::column_data::take_and_reserve;
use escapes::escape_body;
use hashbrown::HashTable;
use process::HASH_SEED;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The texts of a batch, by id.
#[derive(Clone, Debug, Default)]
pub struct InternedTexts {
    bytes: Vec<u8>,
    entries: Vec<InternedText>,
}

/// The offset at which a text ends in [`InternedTexts::bytes`], and its hash.
#[derive(Clone, Copy, Debug)]
struct InternedText {
    end: usize,
    hash: u64,
}

impl InternedTexts {
    /// Adds a text, even if it is there already, and returns its id.
    pub fn push(&mut self, text: &[u8]) -> u32 {
        self.push_hashed(text, xxh3_64_with_seed(text, *HASH_SEED))
    }

    fn push_hashed(&mut self, text: &[u8], hash: u64) -> u32 {
        let id = self.entries.len() as u32;
        self.bytes.extend_from_slice(text);
        let end = self.bytes.len();
        self.entries.push(InternedText { end, hash });
        id
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the text of an id.
    pub fn get(&self, id: u32) -> &[u8] {
        let index = id as usize;
        let previous = index.checked_sub(1);
        let start = previous.map_or(0, |previous| self.entries[previous].end);
        &self.bytes[start..self.entries[index].end]
    }

    /// Returns the hash of the text of an id.
    pub fn hash(&self, id: u32) -> u64 {
        self.entries[id as usize].hash
    }
}

/// An entry of the hash table. It has the position of its text, so that a lookup reads no other memory before
/// it compares texts: many of these reads would miss the CPU caches.
#[derive(Clone, Copy, Debug)]
struct TableEntry {
    start: usize,
    len: u32,
    id: u32,
}

/// Interns texts until the batch is taken.
#[derive(Debug)]
pub struct Interner {
    seed: u64,
    texts: InternedTexts,
    table: HashTable<TableEntry>,
    /// A direct-mapped cache of string constants of the program, with their ids. An entry is
    /// found by the address and length of the constant, without hashing its bytes.
    constants: Vec<Option<(&'static str, u32)>>,
    /// The bytes of all requested texts. A text that is requested repeatedly counts each time.
    requested_bytes: u64,
}

impl Default for Interner {
    fn default() -> Self {
        Self {
            seed: *HASH_SEED,
            texts: InternedTexts::default(),
            table: HashTable::new(),
            constants: vec![None; CONSTANT_SLOTS],
            requested_bytes: 0,
        }
    }
}

/// The number of slots of the cache of constants. If two constants share a slot, they
/// replace each other and are found in the hash table instead.
const CONSTANT_SLOTS: usize = 128;

/// The capacity above which the hash table is freed when a batch is taken.
const KEPT_TABLE_CAPACITY: usize = 1 << 18;

impl Interner {
    /// Returns the id of a text.
    pub fn intern(&mut self, text: &str) -> u32 {
        self.intern_hashed(
            text.as_bytes(),
            xxh3_64_with_seed(text.as_bytes(), self.seed),
        )
    }

    /// Returns the id of a constant of the program. Same as [`Interner::intern`],
    /// but faster.
    pub fn intern_static(&mut self, constant: &'static str) -> u32 {
        let address = constant.as_ptr().addr();
        let slot = (address ^ (address >> 7) ^ constant.len()) % CONSTANT_SLOTS;
        // Compares address and length: equal ones are the same text.
        if let Some((cached, id)) = self.constants[slot]
            && std::ptr::eq(cached, constant)
        {
            self.requested_bytes += constant.len() as u64;
            return id;
        }
        let id = self.intern(constant);
        self.constants[slot] = Some((constant, id));
        id
    }

    /// Returns the id of the text that [`escape_body`] returns for bytes of a body.
    pub fn intern_body_text(&mut self, bytes: &[u8], is_valid_utf8: bool) -> u32 {
        if !is_valid_utf8 {
            return self.intern(&escape_body(bytes, false));
        }
        // A slice of valid UTF-8 may split a character.
        if !has_whole_characters(bytes) {
            return self.intern(&escape_body(bytes, true));
        }
        self.intern_hashed(bytes, xxh3_64_with_seed(bytes, self.seed))
    }

    /// Returns the id of a text of ASCII characters.
    pub fn intern_ascii(&mut self, text: &[u8]) -> u32 {
        debug_assert!(text.is_ascii());
        self.intern_hashed(text, xxh3_64_with_seed(text, self.seed))
    }

    /// Returns an iterator over the ids of texts of a body, with `None` for each `None` in `texts`. Fast if most
    /// texts equal the previous one.
    pub fn intern_repeated<'b>(
        &mut self,
        texts: impl Iterator<Item = Option<&'b [u8]>>,
        is_valid_utf8: bool,
    ) -> impl Iterator<Item = Option<u32>> {
        let mut last = None;
        texts.map(move |bytes| {
            let bytes = bytes?;
            match last {
                Some((before, id)) if before == bytes => Some(id),
                _ => {
                    let id = self.intern_body_text(bytes, is_valid_utf8);
                    last = Some((bytes, id));
                    Some(id)
                }
            }
        })
    }

    #[inline]
    fn intern_hashed(&mut self, text: &[u8], hash: u64) -> u32 {
        self.requested_bytes += text.len() as u64;
        let bytes = &self.texts.bytes;
        let known = self.table.find(hash, |entry| {
            entry.len as usize == text.len()
                && bytes[entry.start..entry.start + text.len()] == *text
        });
        match known {
            Some(entry) => entry.id,
            None => self.insert(text, hash),
        }
    }

    /// Adds a text that is not in the table.
    fn insert(&mut self, text: &[u8], hash: u64) -> u32 {
        let start = self.texts.bytes.len();
        let id = self.texts.push_hashed(text, hash);
        let len = text.len() as u32;
        let entries = &self.texts.entries;
        let hash_of = |entry: &TableEntry| entries[entry.id as usize].hash;
        let entry = TableEntry { start, len, id };
        self.table.insert_unique(hash, entry, hash_of);
        id
    }

    /// Increases [`Interner::requested_bytes`] as if texts with `bytes` bytes had been
    /// requested. For rows that are repeated without requesting their texts again.
    pub fn add_requested_bytes(&mut self, bytes: u64) {
        self.requested_bytes += bytes;
    }

    /// Returns the bytes of all texts that were requested since the last batch was taken,
    /// each text as often as it was requested.
    pub fn requested_bytes(&self) -> u64 {
        self.requested_bytes
    }

    /// Returns the texts and starts a new batch.
    pub fn take(&mut self) -> InternedTexts {
        // A batch with a large body may have had very many texts.
        if self.table.capacity() > KEPT_TABLE_CAPACITY {
            self.table = HashTable::new();
        }
        self.table.clear();
        self.constants.fill(None);
        self.requested_bytes = 0;
        InternedTexts {
            bytes: take_and_reserve(&mut self.texts.bytes),
            entries: take_and_reserve(&mut self.texts.entries),
        }
    }
}

/// Returns true if a slice of valid UTF-8 starts and ends at character boundaries,
/// so that it is valid UTF-8 itself.
fn has_whole_characters(bytes: &[u8]) -> bool {
    let is_continuation = |byte: u8| byte & 0xc0 == 0x80;
    let reversed = bytes.iter().rev();
    let tail = reversed.clone();
    let tail = tail.take_while(|&&byte| is_continuation(byte)).count();
    let is_whole = match reversed.clone().nth(tail) {
        None => bytes.is_empty(),
        Some(lead) if lead.is_ascii() => tail == 0 && !is_continuation(bytes[0]),
        Some(lead) => lead.leading_ones() as usize == tail + 1 && !is_continuation(bytes[0]),
    };
    debug_assert_eq!(is_whole, std::str::from_utf8(bytes).is_ok());
    is_whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_id_until_the_batch_is_taken() {
        let mut interner = Interner::default();
        let ids = ["a", "", "b", "a", "", "allow_all"].map(|text| interner.intern(text));
        assert_eq!(ids, [0, 1, 2, 0, 1, 3]);
        let constants = [(); 2].map(|()| interner.intern_static("allow_all"));
        assert_eq!(constants, [3, 3]);
        assert_eq!(interner.requested_bytes(), 1 + 1 + 1 + 9 + 18);
        let texts = interner.take();
        let all: Vec<&[u8]> = (0..4).map(|id| texts.get(id)).collect();
        assert_eq!(all, [&b"a"[..], b"", b"b", b"allow_all"]);
        // The caches are cleared, too.
        let ids = (interner.intern_static("allow_all"), interner.intern("a"));
        assert_eq!(ids, (0, 1));
    }

    #[test]
    fn constants_at_one_address_are_told_apart_by_length() {
        // Prefixes of one constant, some of them longer than 64 bytes and 64 apart.
        const LONG: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\
                            0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
        let mut interner = Interner::default();
        for _ in 0..2 {
            for end in 0..=LONG.len() {
                let id = interner.intern_static(&LONG[..end]);
                assert_eq!(id as usize, end);
            }
        }
    }

    #[test]
    fn bytes_of_a_body_have_the_id_of_their_text() {
        let mut interner = Interner::default();
        let cases: &[(&[u8], bool)] = &[
            (b"a\\b", true),
            (b"a\\b", false),
            (b"\xe9", false),
            // Half of a character of a body that is valid UTF-8.
            (b"\xc3", true),
            ("é".as_bytes(), true),
        ];
        let ids: Vec<u32> = cases
            .iter()
            .map(|&(bytes, is_utf8)| interner.intern_body_text(bytes, is_utf8))
            .collect();
        let texts = interner.take();
        for (&(bytes, is_utf8), id) in cases.iter().zip(ids) {
            assert_eq!(texts.get(id), escape_body(bytes, is_utf8).as_bytes());
        }
    }
}

//! Rows that many hosts share, stored once under a key that is a hash of them: policies, and sets of preferences.

use super::capture_record::{optional_bytes, put_optional_bytes};
use super::damaged_history_error;
use super::encoded_rows::{EncodedRows, MAX_ROWS_OF_KEY_BYTES};
use super::table_writer::TableWriters;
use super::verdict_class::VerdictClass;
use crate::history_input::HistoryReader;
use crate::own_tables;
use crate::row_key::{KEY_BYTES, compute_key, key_from_text, key_text};
use dataset::CaptureFilter;
use disk::error::Error;
use sort::sort_key::{FieldReader, put_bytes, put_u32};
use sort::{Reader, SortMemory, SortedRecords, Sorter};
use std::collections::HashSet;
use std::path::Path;
use tables::Table;
use xxhash_rust::xxh3::xxh3_64;

/// The tables that store the rows of a key.
#[derive(Clone, Copy, Debug)]
pub struct KeyedTables {
    /// The table with exactly one row per key; `None` if no table has that.
    pub of_keys: Option<Table>,
    /// The other tables, with any number of rows per key. If `of_keys` is `None`, the first table has at least one
    /// row per key.
    pub of_rows: &'static [Table],
}

pub const POLICIES: KeyedTables = KeyedTables {
    of_keys: Some(own_tables::POLICIES),
    of_rows: &[
        own_tables::POLICY_GROUPS,
        own_tables::POLICY_RULES,
        own_tables::POLICY_DIRECTIVES,
        own_tables::POLICY_VERDICTS,
    ],
};

/// The tables of policies, without the verdicts.
pub const POLICY_LINES: KeyedTables = KeyedTables {
    of_keys: Some(own_tables::POLICIES),
    of_rows: POLICIES.of_rows.split_at(3).0,
};

pub const PREFERENCE_SETS: KeyedTables = KeyedTables {
    of_keys: None,
    of_rows: &[own_tables::PREFERENCE_SETS],
};

/// Builds the record of a key: the key, the fields of its row in [`KeyedTables::of_keys`], and its rows in each table
/// of [`KeyedTables::of_rows`].
#[derive(Debug, Default)]
pub struct KeyedRecord {
    record: Vec<u8>,
}

impl KeyedRecord {
    /// Starts the record of a key. `fields` are those of its row in the table of keys, without the key; they are
    /// empty if there is no such table.
    pub fn begin(&mut self, key: [u8; KEY_BYTES], fields: &[u8]) {
        self.record.clear();
        self.record.extend_from_slice(&key);
        put_bytes(&mut self.record, fields);
    }

    /// Adds the rows of the next table of [`KeyedTables::of_rows`]: their number, and their fields without the key.
    pub fn push_rows(&mut self, count: u32, rows: &[u8]) {
        put_u32(&mut self.record, count);
        put_bytes(&mut self.record, rows);
    }

    /// Returns the record.
    pub fn bytes(&self) -> &[u8] {
        &self.record
    }

    fn hash(&self) -> RecordHash {
        let mut key = [0; KEY_BYTES];
        key.copy_from_slice(&self.record[..KEY_BYTES]);
        (key, xxh3_64(&self.record))
    }
}

/// The memory in bytes that a hash table takes for a [`RecordHash`], at most.
const HASHED_RECORD_BYTES: usize = 64;

/// The key of a record, and a hash of the record, since a policy has other verdicts with another registry of crawlers.
type RecordHash = ([u8; KEY_BYTES], u64);

/// Sorts records of keys. Most files are the same in many crawls, so that most records are added often: a record that
/// was added lately is not added again.
pub(super) struct KeyedSorter<'s> {
    sorter: Sorter<'s>,
    /// The records that were added lately.
    known: HashSet<RecordHash>,
    known_max: usize,
}

impl<'s> KeyedSorter<'s> {
    pub(super) fn new(memory: SortMemory<'s>) -> Self {
        Self {
            sorter: memory.create_sorter(),
            known: HashSet::new(),
            known_max: memory.buffer_bytes() / HASHED_RECORD_BYTES,
        }
    }

    /// Adds a record.
    ///
    /// # Errors
    ///
    /// Those of writing a run.
    pub(super) fn push(&mut self, record: &KeyedRecord) -> Result<(), Error> {
        if self.known.len() >= self.known_max {
            self.known.clear();
        }
        match self.known.insert(record.hash()) {
            true => self.sorter.push(record.bytes()),
            false => Ok(()),
        }
    }

    /// Sorts the records.
    ///
    /// # Errors
    ///
    /// Those of writing a run.
    pub(super) fn finish(self) -> Result<SortedRecords<'s>, Error> {
        self.sorter.finish()
    }
}

/// The keys of a set of preferences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PreferenceKeys {
    /// The key of the set: a hash of its rows in `preference_sets`.
    pub set: [u8; KEY_BYTES],
    /// The key of the preferences alone: a hash of the same rows without the numbers of lines.
    pub preferences: [u8; KEY_BYTES],
}

impl PreferenceKeys {
    /// Computes the keys of a set from its rows in `preference_sets`, which are `count` rows without the first
    /// column.
    pub fn of_rows(count: u32, rows: &[u8]) -> Self {
        let mut fields = FieldReader::new(rows);
        let mut stated = Vec::with_capacity(rows.len());
        for _ in 0..count {
            let before = fields.rest();
            for _ in ["agent", "mechanism", "category"] {
                fields.bytes();
            }
            optional_bytes(&mut fields);
            for _ in ["has_allowed", "has_disallowed", "has_unknown"] {
                fields.u8();
            }
            stated.extend_from_slice(&before[..before.len() - fields.rest().len()]);
            // Skips `evidence_line`, which is not part of the preferences.
            skip_number(&mut fields);
            put_optional_bytes(&mut stated, optional_bytes(&mut fields));
        }
        Self {
            set: compute_key(&[rows]),
            preferences: compute_key(&[&stated]),
        }
    }
}

/// Reads the records of all keys of a history, in the order of keys.
pub struct KeyedReader<'d> {
    tables: KeyedTables,
    keys: Option<EncodedRows<'d>>,
    rows: Vec<EncodedRows<'d>>,
    record: KeyedRecord,
    /// The key of the current record; `None` before the first one.
    key: Option<[u8; KEY_BYTES]>,
    root: &'d Path,
    is_at_end: bool,
}

impl<'d> KeyedReader<'d> {
    /// Opens the records of all keys, in the order of keys.
    ///
    /// # Errors
    ///
    /// Those of reading.
    pub fn open(history: &'d HistoryReader, tables: KeyedTables) -> Result<Self, Error> {
        Self::open_filtered(history, tables, &CaptureFilter::All)
    }

    /// Opens the records of the keys that `filter` matches.
    pub fn open_filtered(
        history: &'d HistoryReader,
        tables: KeyedTables,
        filter: &CaptureFilter,
    ) -> Result<Self, Error> {
        let open = |table| history.open_filtered(table, filter);
        let keys = tables.of_keys.map(open);
        let rows = tables.of_rows.iter().copied().map(open);
        let mut reader = Self {
            tables,
            keys: keys.transpose()?,
            rows: rows.collect::<Result<_, _>>()?,
            record: KeyedRecord::default(),
            key: None,
            root: history.root(),
            is_at_end: false,
        };
        reader.advance()?;
        Ok(reader)
    }

    /// Returns the current record, which begins with its key.
    pub fn peek(&self) -> Option<&[u8]> {
        (!self.is_at_end).then(|| self.record.bytes())
    }

    /// Goes to the next key.
    ///
    /// # Errors
    ///
    /// Those of reading; [`DatasetDefect::BadTable`](dataset::error::DatasetDefect::BadTable) if keys are not in
    /// ascending order, if the number of rows of a key is not the one in its row in the table of keys, or, without such
    /// a table, if its rows have another key.
    pub fn advance(&mut self) -> Result<(), Error> {
        let next = match &self.keys {
            Some(keys) => keys.peek(),
            None => self.rows[0].peek(),
        };
        let Some(row) = next else {
            self.is_at_end = true;
            // Rows that are left have a key that the table of keys lacks.
            let mut rows = self.rows.iter().zip(self.tables.of_rows);
            return match rows.find(|(rows, _)| rows.peek().is_some()) {
                Some((_, table)) => Err(damaged_history_error(self.root, *table)),
                None => Ok(()),
            };
        };
        let row = row.to_vec();
        let mut fields = FieldReader::new(&row);
        let text = fields.bytes();
        let table = self.tables.of_keys.unwrap_or(self.tables.of_rows[0]);
        let key = key_from_text(text).filter(|key| self.key.is_none_or(|last| last < *key));
        let key = key.ok_or_else(|| damaged_history_error(self.root, table))?;
        self.key = Some(key);
        // In a row of `policies`, the numbers of rows in the other tables follow `is_valid_utf8`.
        let mut counts = self.keys.is_some().then_some(fields);
        if let Some(counts) = &mut counts {
            counts.u8();
        }
        let mut prefix = Vec::new();
        put_bytes(&mut prefix, text);
        match &mut self.keys {
            Some(keys) => {
                self.record.begin(key, fields.rest());
                keys.advance()?;
            }
            None => self.record.begin(key, &[]),
        }
        for (cursor, table) in self.rows.iter_mut().zip(self.tables.of_rows) {
            let mut rows = Vec::new();
            let count = cursor.take_rows(&prefix, &mut rows, |_| true)?;
            if counts.as_mut().is_some_and(|counts| counts.u32() != count) {
                return Err(damaged_history_error(self.root, *table));
            }
            // Without a table of keys, nothing else states the number and the order of rows.
            if counts.is_none() && compute_key(&[&rows]) != key {
                return Err(damaged_history_error(self.root, *table));
            }
            if self.record.bytes().len() + rows.len() > MAX_ROWS_OF_KEY_BYTES {
                return Err(damaged_history_error(self.root, *table));
            }
            self.record.push_rows(count, &rows);
        }
        Ok(())
    }
}

/// A source of records of keys, in the order of keys: those of datasets, or those of an earlier history.
enum KeyedSource<'d> {
    Sorted(Reader<'d>),
    History(Box<KeyedReader<'d>>),
}

impl KeyedSource<'_> {
    fn peek(&self) -> Option<&[u8]> {
        match self {
            Self::Sorted(reader) => reader.peek(),
            Self::History(reader) => reader.peek(),
        }
    }

    fn advance(&mut self) -> Result<(), Error> {
        match self {
            Self::Sorted(reader) => reader.advance(),
            Self::History(reader) => reader.advance(),
        }
    }
}

/// Writes the rows of all keys in `used`, each key once, in the order of keys, and calls `each` with them. The
/// records of the keys are in `sorted` and `histories`.
///
/// # Errors
///
/// Those of reading and writing; [`DatasetDefect::BadTable`](dataset::error::DatasetDefect::BadTable) if neither
/// `sorted` nor a history has a key of `used`.
pub(super) fn write_keyed_rows<'d>(
    tables: KeyedTables,
    sorted: &'d SortedRecords<'_>,
    histories: Vec<KeyedReader<'d>>,
    used: &SortedRecords<'_>,
    writers: &mut TableWriters<'_>,
    each: &mut dyn FnMut(&KeyedRows<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut sources = vec![KeyedSource::Sorted(sorted.read()?)];
    let histories = histories.into_iter().map(Box::new);
    sources.extend(histories.map(KeyedSource::History));
    let mut used = used.read()?;
    let mut wanted = Vec::new();
    while let Some(key) = used.peek() {
        wanted.clear();
        wanted.extend_from_slice(key);
        while used.peek() == Some(&wanted[..]) {
            used.advance()?;
        }
        let mut is_written = false;
        for source in &mut sources {
            while let Some(record) = source.peek() {
                let (key, _) = record.split_at(KEY_BYTES);
                if key > &wanted[..] {
                    break;
                }
                if key == &wanted[..] && !is_written {
                    is_written = true;
                    let rows = KeyedRows::read(record, tables);
                    rows.write(tables, writers)?;
                    each(&rows)?;
                }
                source.advance()?;
            }
        }
        if !is_written {
            return Err(super::damaged_error(
                tables.of_keys.unwrap_or(tables.of_rows[0]),
            ));
        }
    }
    Ok(())
}

/// A parsed record of a key.
pub struct KeyedRows<'a> {
    /// The key, of [`KEY_BYTES`].
    pub key: &'a [u8],
    /// The fields of the row in the table of keys, without the key.
    fields: &'a [u8],
    /// For each table of [`KeyedTables::of_rows`], the number of rows and their fields.
    rows: Vec<(u32, &'a [u8])>,
}

impl<'a> KeyedRows<'a> {
    /// Returns the fields of the row in the table of keys.
    pub fn fields(&self) -> FieldReader<'a> {
        FieldReader::new(self.fields)
    }

    /// Returns the number of rows in the table with the index `table` in [`KeyedTables::of_rows`], and their fields.
    pub fn rows_of(&self, table: usize) -> (u32, FieldReader<'a>) {
        let (count, rows) = self.rows.get(table).copied().unwrap_or_default();
        (count, FieldReader::new(rows))
    }

    /// Parses a record that was built with [`KeyedRecord`] for these tables.
    pub fn read(record: &'a [u8], tables: KeyedTables) -> Self {
        let (key, fields) = record.split_at(KEY_BYTES);
        let mut reader = FieldReader::new(fields);
        let fields = reader.bytes();
        let rows = tables.of_rows.iter();
        let rows = rows.map(|_| (reader.u32(), reader.bytes())).collect();
        Self { key, fields, rows }
    }

    /// Returns the number of rows in the last table of [`KeyedTables::of_rows`], and their fields. For a policy,
    /// these are its verdicts.
    pub fn last_rows(&self) -> (u32, FieldReader<'a>) {
        let (count, rows) = self.rows.last().copied().unwrap_or_default();
        (count, FieldReader::new(rows))
    }

    /// Returns the crawlers for which a group of the policy decides, with the verdict of each. The record must be
    /// that of a policy.
    pub fn named_classes(&self) -> Vec<(&'a [u8], VerdictClass)> {
        let (count, mut fields) = self.last_rows();
        let mut classes = Vec::new();
        for _ in 0..count {
            let agent = fields.bytes();
            let verdict = optional_bytes(&mut fields).unwrap_or_default();
            for _ in ["google", "rfc9309", "koster1996"] {
                optional_bytes(&mut fields);
            }
            let basis = optional_bytes(&mut fields).unwrap_or_default();
            skip_counts(&mut fields);
            skip_number(&mut fields);
            let class = VerdictClass::from_names(verdict, basis);
            if class.is_of_group() {
                classes.push((agent, class));
            }
        }
        classes
    }

    fn write(&self, tables: KeyedTables, writers: &mut TableWriters<'_>) -> Result<(), Error> {
        let mut key = Vec::new();
        put_bytes(&mut key, key_text(self.key).as_bytes());
        if let Some(table) = tables.of_keys {
            writers.push(table, &key, &mut FieldReader::new(self.fields))?;
        }
        for (table, (count, rows)) in tables.of_rows.iter().zip(&self.rows) {
            let mut fields = FieldReader::new(rows);
            for _ in 0..*count {
                writers.push(*table, &key, &mut fields)?;
            }
        }
        Ok(())
    }
}

/// Passes over the fields of a verdict from `root_allowed` to `crawl_delay_ms`.
pub fn skip_counts(fields: &mut FieldReader<'_>) {
    if fields.u8() != 0 {
        fields.u8();
    }
    for _ in ["n_allow", "n_disallow"] {
        skip_number(fields);
    }
    if fields.u8() != 0 {
        fields.u64();
    }
}

/// Passes over a nullable number of 32 bits.
pub fn skip_number(fields: &mut FieldReader<'_>) {
    if fields.u8() != 0 {
        fields.u32();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sort::SpillFolder;
    use std::sync::Arc;

    #[test]
    fn a_record_is_sorted_once_and_other_rows_of_its_key_too() {
        let folder = tempfile::tempdir().unwrap();
        let spill_folder = SpillFolder::create(&folder.path().join("sort"), Arc::default());
        let spill_folder = spill_folder.unwrap();
        let mut sorter = KeyedSorter::new(SortMemory::new(&spill_folder, 1 << 20));
        let mut record = KeyedRecord::default();
        for (key, rows) in [(2, &b"a"[..]), (1, b"a"), (2, b"a"), (2, b"b"), (1, b"a")] {
            record.begin([key; KEY_BYTES], b"");
            record.push_rows(1, rows);
            sorter.push(&record).unwrap();
        }
        let sorted = sorter.finish().unwrap();
        let (mut reader, mut found) = (sorted.read().unwrap(), Vec::new());
        while let Some(record) = reader.peek() {
            found.push((record[0], record[record.len() - 1]));
            reader.advance().unwrap();
        }
        assert_eq!(found, [(1, b'a'), (2, b'a'), (2, b'b')]);
    }
}

//! Rows that many hosts share, stored once under a key that is a digest of them: policies, and sets of preferences.

use crate::error::{damaged_error, damaged_history_error};
use crate::own_tables;
use crate::policies::row_key::{RowKey, key_from_text, key_text};
use crate::policies::verdict_class::VerdictClass;
use crate::write::table_writer::TableWriters;
use dataset::{
    BatchRow, CaptureFilter, ColumnValuesFilter, Dataset, Encoding, Row, RowsByKey, Word,
    WordCheck, row,
};
use errors::Error;
use robots::{Basis, Verdict};
use sort::sort_key::FieldReader;
use sort::{Field, GroupKey, RecordSource, Rest, SortMemory, SortedRecords, Sorter, Stream};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use tables::Table;
use xxhash_rust::xxh3::xxh3_64;

/// The limit in bytes of the rows that one key has in all tables, such as those of a policy. Two such records are in
/// memory at the same time, and together they stay below 512 MiB.
pub const MAX_ROWS_OF_KEY_BYTES: usize = 192 << 20;

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

/// The table of the keys of policies.
const POLICY_KEYS: KeyedTables = KeyedTables {
    of_keys: Some(own_tables::POLICIES),
    of_rows: &[],
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

row! {
    /// A row of `policies`, without the key.
    #[derive(Default)]
    pub(crate) struct PolicyRow of own_tables::POLICIES {
        pub(crate) is_valid_utf8: bool,
        pub(crate) n_user_agents: u32,
        pub(crate) n_rules: u32,
        pub(crate) n_directives: u32,
        pub(crate) n_verdicts: u32,
    }
}

const POLICY_ROW: Encoding<PolicyRow> =
    Encoding::of(own_tables::columns_without_key(own_tables::POLICIES));

const _: () = assert!(
    PolicyRow::COLUMNS.len() + 1 == own_tables::POLICIES.columns().len(),
    "the row has all columns but the key"
);

impl PolicyRow {
    /// Returns the numbers of rows in the tables of [`POLICIES`].
    pub(crate) fn counts(&self) -> [u32; 4] {
        [
            self.n_user_agents,
            self.n_rules,
            self.n_directives,
            self.n_verdicts,
        ]
    }
}

row! {
    /// A crawler that a policy names: a row of `policy_verdicts`. Verdicts of policies are not null.
    pub(crate) struct NamedVerdict<'a> of own_tables::POLICY_VERDICTS {
        pub(crate) agent: &'a [u8],
        verdict: Option<Word<Verdict>>,
        basis: Option<Word<Basis>>,
    }
}

pub(crate) const NAMED_VERDICTS: Encoding<NamedVerdict<'static>> =
    Encoding::of(own_tables::columns_without_key(own_tables::POLICY_VERDICTS));

impl NamedVerdict<'_> {
    /// Returns the class of the verdict.
    pub(crate) fn class(&self) -> VerdictClass {
        let verdict = self.verdict.map_or(Verdict::Unknown, |verdict| verdict.0);
        let basis = self.basis.map_or(Basis::TooComplex, |basis| basis.0);
        VerdictClass::new(verdict, basis)
    }
}

/// Returns the check of the words in a table of policies or preferences.
pub(crate) fn word_check(table: Table) -> WordCheck {
    if table == own_tables::POLICY_VERDICTS {
        <NamedVerdict<'_> as Row>::check
    } else {
        |_| Ok(())
    }
}

/// A key, and its rows as [`KeyedRows`] reads them.
pub type KeyedRecord = (RowKey, Rest<'static>);

/// Builds the record of a key: the fields of its row in [`KeyedTables::of_keys`], and its rows in each table of
/// [`KeyedTables::of_rows`].
#[derive(Debug, Default)]
pub struct RecordBuilder {
    record: Vec<u8>,
}

impl RecordBuilder {
    /// Starts the record of a key. `fields` are those of its row in the table of keys, without the key; they are
    /// empty if there is no such table.
    pub fn begin(&mut self, key: RowKey, fields: &[u8]) {
        self.record.clear();
        (key, fields).write(&mut self.record);
    }

    /// Adds the rows of the next table of [`KeyedTables::of_rows`]: their number, and their fields without the key.
    pub fn push_rows(&mut self, count: u32, rows: &[u8]) {
        (count, rows).write(&mut self.record);
    }

    /// Returns the record.
    pub fn record(&self) -> (RowKey, Rest<'_>) {
        sort::read::<KeyedRecord>(&self.record)
    }

    fn hash(&self) -> RecordHash {
        let (key, rows) = self.record();
        (key, xxh3_64(rows.0))
    }
}

/// The memory in bytes that a hash table takes for a [`RecordHash`], at most.
const HASHED_RECORD_BYTES: usize = 64;

/// The key of a record, and a hash of its rows.
type RecordHash = (RowKey, u64);

/// Sorts records of keys. Most files are the same in many crawls, so that most records are added often: a record that
/// was added lately is not added again.
pub(crate) struct KeyedSorter<'s> {
    sorter: Sorter<'s, KeyedRecord>,
    /// The records that were added lately.
    known: HashSet<RecordHash>,
    known_max: usize,
}

impl<'s> KeyedSorter<'s> {
    pub(crate) fn new(memory: SortMemory<'s>) -> Self {
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
    /// Those of writing a sorted run to disk.
    pub(crate) fn push(&mut self, record: &RecordBuilder) -> Result<(), Error> {
        if self.known.len() >= self.known_max {
            self.known.clear();
        }
        if self.known.insert(record.hash()) {
            self.sorter.push(record.record())?;
        }
        Ok(())
    }

    /// Sorts the records.
    ///
    /// # Errors
    ///
    /// Those of writing a sorted run to disk.
    pub(crate) fn finish(self) -> Result<SortedRecords<'s, KeyedRecord>, Error> {
        self.sorter.finish()
    }
}

/// Reads the records of all keys of a history, in the order of keys.
pub type KeyedReader<'d> = Stream<KeyedSource<'d>, KeyedRecord>;

/// The records of all keys of a history.
pub struct KeyedSource<'d> {
    tables: KeyedTables,
    keys: Option<RowsByKey<'d, &'static str>>,
    rows: Vec<RowsByKey<'d, &'static str>>,
    /// The key of the current record; `None` before the first one.
    key: Option<RowKey>,
    /// The current record.
    builder: RecordBuilder,
    root: &'d Path,
    is_at_end: bool,
}

/// Opens the records of the keys that `filter` matches, in the order of keys.
///
/// # Errors
///
/// Those of reading; [`DatasetDefect::BadTable`](dataset::error::DatasetDefect::BadTable) if keys are not in
/// ascending order, or if the number of rows of a key is not the one in its row in the table of keys.
pub fn open_keyed<'d>(
    history: &'d Dataset,
    tables: KeyedTables,
    filter: &CaptureFilter,
) -> Result<KeyedReader<'d>, Error> {
    Ok(Stream::new(KeyedSource::open(history, tables, filter)?))
}

/// Returns a filter for the rows of some policies.
pub fn policies_filter(keys: impl Iterator<Item = RowKey>) -> CaptureFilter {
    CaptureFilter::Values(Arc::new(ColumnValuesFilter {
        column: "policy_id",
        values: keys.map(|key| key_text(&key).as_str().to_owned()).collect(),
    }))
}

impl<'d> KeyedSource<'d> {
    pub(crate) fn open(
        history: &'d Dataset,
        tables: KeyedTables,
        filter: &CaptureFilter,
    ) -> Result<Self, Error> {
        let open = |table: Table| {
            let (columns, parts) = (table.columns().iter(), history.parts_with_table(table));
            let check = word_check(table);
            history.rows_by_key(table, columns.collect(), parts, filter.clone(), check)
        };
        let keys = tables.of_keys.map(open);
        let rows = tables.of_rows.iter().copied().map(open);
        let mut source = Self {
            tables,
            keys: keys.transpose()?,
            rows: rows.collect::<Result<_, _>>()?,
            key: None,
            builder: RecordBuilder::default(),
            root: history.root(),
            is_at_end: false,
        };
        source.advance()?;
        Ok(source)
    }
}

impl KeyedSource<'_> {
    /// Returns the error that rows of a table contradict other rows.
    fn damaged(&self, table: Table) -> Error {
        damaged_history_error(self.root, table)
    }

    /// Sets `text` to the next key, and begins its record. Returns false at the end.
    fn next_key(&mut self, text: &mut GroupKey<&'static str>) -> Result<bool, Error> {
        let is_found = match &mut self.keys {
            Some(keys) => keys.next_group(text)?,
            None => self.rows[0].next_group(text)?,
        };
        if !is_found {
            return Ok(false);
        }
        let table = self.tables.of_keys.unwrap_or(self.tables.of_rows[0]);
        let key = key_from_text(text.get().as_bytes());
        let key = key.filter(|key| self.key.is_none_or(|last| last < *key));
        let key = key.ok_or_else(|| self.damaged(table))?;
        self.key = Some(key);
        let Some(keys) = &mut self.keys else {
            self.builder.begin(key, &[]);
            return Ok(true);
        };
        if let Some(fields) = keys.next_of(text)? {
            self.builder.begin(key, fields.0);
        }
        if keys.next_of(text)?.is_some() {
            return Err(self.damaged(table));
        }
        Ok(true)
    }
}

impl RecordSource for KeyedSource<'_> {
    fn peek(&self) -> Option<&[u8]> {
        (!self.is_at_end).then_some(&*self.builder.record)
    }

    fn advance(&mut self) -> Result<(), Error> {
        let mut text = GroupKey::default();
        if !self.next_key(&mut text)? {
            self.is_at_end = true;
            // Rows that are left have a key that the table of keys lacks.
            for (rows, table) in self.rows.iter_mut().zip(self.tables.of_rows) {
                if !rows.is_at_end()? {
                    return Err(damaged_history_error(self.root, *table));
                }
            }
            return Ok(());
        }
        let stated = self.keys.is_some().then(|| {
            let rows = KeyedRows::read(self.builder.record().1, POLICY_KEYS);
            POLICY_ROW.read(rows.fields).counts()
        });
        let mut of_table = Vec::new();
        for (i, table) in self.tables.of_rows.iter().enumerate() {
            let mut count = 0;
            of_table.clear();
            while let Some(row) = self.rows[i].next_of(&text)? {
                count += 1;
                of_table.extend_from_slice(row.0);
                if self.builder.record.len() + of_table.len() > MAX_ROWS_OF_KEY_BYTES {
                    return Err(self.damaged(*table));
                }
            }
            if stated.is_some_and(|stated| stated[i] != count) {
                return Err(self.damaged(*table));
            }
            self.builder.push_rows(count, &of_table);
        }
        Ok(())
    }
}

/// Writes the rows of every key in `used`, once and in the order of keys, and calls `each` for every key with its rows.
/// The rows come from `sorted`, the records of this run, or from the earlier `histories`.
///
/// # Errors
///
/// Those of reading and writing; [`DatasetDefect::BadTable`](dataset::error::DatasetDefect::BadTable) if neither
/// `sorted` nor a history has a key of `used`.
pub(crate) fn write_keyed_rows<'d>(
    tables: KeyedTables,
    sorted: &'d SortedRecords<'_, KeyedRecord>,
    histories: Vec<KeyedSource<'d>>,
    used: &SortedRecords<'_, (RowKey, ())>,
    writers: &mut TableWriters<'_>,
    each: &mut dyn FnMut(&RowKey, &KeyedRows<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut sources: Vec<Stream<Box<dyn RecordSource + 'd>, KeyedRecord>> =
        vec![Stream::new(Box::new(sorted.source()?))];
    for history in histories {
        sources.push(Stream::new(Box::new(history)));
    }
    let (mut used, mut wanted) = (used.read()?, GroupKey::default());
    while used.next_group(&mut wanted)? {
        let key = wanted.get();
        let mut is_written = false;
        for source in &mut sources {
            let found = source.find(&wanted)?.filter(|_| !is_written);
            if let Some(rows) = found {
                is_written = true;
                let rows = KeyedRows::read(rows, tables);
                rows.write(&key, tables, writers)?;
                each(&key, &rows)?;
            }
        }
        if !is_written {
            let table = tables.of_keys.unwrap_or(tables.of_rows[0]);
            return Err(damaged_error(table));
        }
    }
    Ok(())
}

/// The rows of a key.
pub struct KeyedRows<'a> {
    /// The fields of the row in the table of keys, without the key.
    fields: &'a [u8],
    /// For each table of [`KeyedTables::of_rows`], the number of rows and their fields.
    rows: Vec<(u32, &'a [u8])>,
}

impl<'a> KeyedRows<'a> {
    /// Reads what [`RecordBuilder`] wrote for these tables.
    pub fn read(rows: Rest<'a>, tables: KeyedTables) -> Self {
        let mut reader = FieldReader::new(rows.0);
        Self {
            fields: Field::read(&mut reader),
            rows: tables
                .of_rows
                .iter()
                .map(|_| Field::read(&mut reader))
                .collect(),
        }
    }

    fn write(
        &self,
        key: &RowKey,
        tables: KeyedTables,
        writers: &mut TableWriters<'_>,
    ) -> Result<(), Error> {
        let mut encoded_key = Vec::new();
        key_text(key).as_str().write(&mut encoded_key);
        if let Some(table) = tables.of_keys {
            writers.push_keyed(table, &encoded_key, &mut FieldReader::new(self.fields))?;
        }
        for (table, (count, rows)) in tables.of_rows.iter().zip(&self.rows) {
            let mut fields = FieldReader::new(rows);
            for _ in 0..*count {
                writers.push_keyed(*table, &encoded_key, &mut fields)?;
            }
        }
        Ok(())
    }
}

/// The rows of a policy.
impl<'a> KeyedRows<'a> {
    /// Returns true if the file is valid UTF-8.
    pub fn is_valid_utf8(&self) -> bool {
        POLICY_ROW.read(self.fields).is_valid_utf8
    }

    /// Returns the number of lines.
    pub fn n_lines(&self) -> usize {
        let counts = self.rows.iter().take(POLICY_LINES.of_rows.len());
        counts.map(|(count, _)| *count as usize).sum()
    }

    /// Returns the number of bytes of all rows.
    pub fn bytes(&self) -> usize {
        self.rows.iter().map(|(_, rows)| rows.len()).sum()
    }

    fn rows(&self, table: Table) -> &'a [u8] {
        let place = POLICIES.of_rows.iter().position(|known| *known == table);
        let rows = place.and_then(|place| self.rows.get(place));
        rows.map_or(&[], |(_, rows)| rows)
    }

    pub(crate) fn groups(&self) -> &'a [u8] {
        self.rows(own_tables::POLICY_GROUPS)
    }

    pub(crate) fn rules(&self) -> &'a [u8] {
        self.rows(own_tables::POLICY_RULES)
    }

    pub(crate) fn directives(&self) -> &'a [u8] {
        self.rows(own_tables::POLICY_DIRECTIVES)
    }

    /// Returns the encoded rows of `policy_verdicts`.
    pub(crate) fn verdicts(&self) -> &'a [u8] {
        self.rows(own_tables::POLICY_VERDICTS)
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
        let mut builder = RecordBuilder::default();
        for (key, rows) in [(2, &b"a"[..]), (1, b"a"), (2, b"a"), (2, b"b"), (1, b"a")] {
            builder.begin(RowKey::from([key; size_of::<RowKey>()]), b"");
            builder.push_rows(1, rows);
            sorter.push(&builder).unwrap();
        }
        let sorted = sorter.finish().unwrap();
        let (mut reader, mut found) = (sorted.read().unwrap(), Vec::new());
        while let Some((key, rows)) = reader.next_record().unwrap() {
            found.push((key[0], *rows.0.last().unwrap()));
        }
        assert_eq!(found, [(1, b'a'), (2, b'a'), (2, b'b')]);
    }
}

//! Reads the rows of `file_preferences` into fields of sort records, and back from them.

use super::stored_verdict::check_capture_bytes;
use crate::ResolveContext;
use arrow_array::{Array, StringArray};
use dataset::{CaptureFilter, PartReader, StoredColumns, stored_columns, value};
use disk::error::Error;
use sort::sort_key::{FieldReader, put_bytes, put_u8, put_u32};
use tables::{StoredPreference, Table};

stored_columns! {
    pub(super) struct PreferenceColumns of Table::FILE_PREFERENCES {
        robots_id: Long,
        agent: Text,
        mechanism: Text,
        category: Text,
        preference: Text,
        has_allowed: Bool,
        has_disallowed: Bool,
        has_unknown: Bool,
        evidence_line: Int,
        address: Text,
    }
}

/// Reads the preferences of captures of a part, in the order of `robots_id`.
pub(super) struct PreferenceReader {
    /// `None` if the part has no such table.
    reader: Option<PartReader>,
    rows: Option<PreferenceColumns>,
    row: usize,
}

impl PreferenceReader {
    pub(super) fn open(
        context: &ResolveContext<'_>,
        part: u32,
        filter: &CaptureFilter,
    ) -> Result<Self, Error> {
        let (dataset, columns) = (context.dataset, PreferenceColumns::NAMES);
        let reader = match dataset.has_part(Table::FILE_PREFERENCES, part) {
            true => Some(dataset.open_part(Table::FILE_PREFERENCES, part, columns, filter)?),
            false => None,
        };
        Ok(Self {
            reader,
            rows: None,
            row: 0,
        })
    }

    /// Appends the rows of a capture to `out`, for [`next_agent`]. Captures are read in
    /// order.
    pub(super) fn read_capture(
        &mut self,
        context: &ResolveContext<'_>,
        robots_id: i64,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let Some(reader) = &mut self.reader else {
            return Ok(());
        };
        loop {
            if let Some(rows) = &self.rows {
                while let Some(&id) = rows.robots_id.values().get(self.row) {
                    if id > robots_id {
                        return Ok(());
                    }
                    if id == robots_id {
                        rows.put(self.row, out);
                        let checked = check_capture_bytes(out, Table::FILE_PREFERENCES);
                        checked.map_err(|error| reader.add_path(error))?;
                    }
                    self.row += 1;
                }
            }
            context.memory.check_stop()?;
            let Some(batch) = reader.next_batch()? else {
                self.reader = None;
                return Ok(());
            };
            let rows = PreferenceColumns::from_batch(&batch);
            self.rows = Some(rows.map_err(|error| reader.add_path(error))?);
            self.row = 0;
        }
    }
}

impl PreferenceColumns {
    /// Appends the fields of a row. A repeated name is left out: the first field is 0 if the row has the name of
    /// the previous one, and 1 otherwise.
    fn put(&self, row: usize, out: &mut Vec<u8>) {
        let agent = self.agent.value(row);
        let ids = self.robots_id.values();
        let is_repeated = row > 0 && ids[row - 1] == ids[row] && self.agent.value(row - 1) == agent;
        put_u8(out, (!is_repeated).into());
        if !is_repeated {
            put_bytes(out, agent.as_bytes());
        }
        put_bytes(out, self.mechanism.value(row).as_bytes());
        put_bytes(out, self.category.value(row).as_bytes());
        put_text(out, &self.preference, row);
        for column in [&self.has_allowed, &self.has_disallowed, &self.has_unknown] {
            put_u8(out, column.value(row).into());
        }
        let line = value(&self.evidence_line, row).map_or(0, i32::cast_unsigned);
        put_u32(out, line);
        put_text(out, &self.address, row);
    }
}

/// Appends a flag that is false for null, and then the text unless it is null.
fn put_text(out: &mut Vec<u8>, column: &StringArray, row: usize) {
    put_u8(out, column.is_valid(row).into());
    if column.is_valid(row) {
        put_bytes(out, column.value(row).as_bytes());
    }
}

/// Reads a name and the rows with it, for [`read_preferences`]; `None` at the end.
pub(super) fn next_agent<'a>(fields: &mut FieldReader<'a>) -> Option<(&'a str, &'a [u8])> {
    if fields.rest().is_empty() {
        return None;
    }
    // The first row of a name begins with 1, and the others with 0.
    fields.u8();
    let agent = utf8_text(fields.bytes());
    let rows = fields.rest();
    skip_preference(fields);
    while fields.rest().first() == Some(&0) {
        fields.u8();
        skip_preference(fields);
    }
    Some((agent, &rows[..rows.len() - fields.rest().len()]))
}

/// Returns the rows of a name that [`next_agent`] returned.
pub(super) fn read_preferences(rows: &[u8]) -> impl Iterator<Item = StoredPreference<'_>> {
    let mut fields = FieldReader::new(rows);
    let mut is_first = true;
    std::iter::from_fn(move || {
        if fields.rest().is_empty() {
            return None;
        }
        if !std::mem::take(&mut is_first) {
            fields.u8();
        }
        Some(read_preference(&mut fields))
    })
}

/// Skips the preference of a row.
fn skip_preference(fields: &mut FieldReader<'_>) {
    let skip_option = |fields: &mut FieldReader<'_>| {
        if fields.u8() != 0 {
            fields.bytes();
        }
    };
    fields.bytes();
    fields.bytes();
    skip_option(fields);
    for _ in 0..3 {
        fields.u8();
    }
    fields.u32();
    skip_option(fields);
}

/// Reads the preference of a row.
fn read_preference<'a>(fields: &mut FieldReader<'a>) -> StoredPreference<'a> {
    let (mechanism, category) = (utf8_text(fields.bytes()), utf8_text(fields.bytes()));
    let option =
        |fields: &mut FieldReader<'a>| (fields.u8() != 0).then(|| utf8_text(fields.bytes()));
    let preference = option(fields);
    let has = [(); 3].map(|()| fields.u8() != 0);
    let line = fields.u32();
    StoredPreference {
        mechanism,
        category,
        preference,
        has,
        evidence_line: (line != 0).then_some(line.cast_signed()),
        address: option(fields),
    }
}

fn utf8_text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("it was written from a text")
}

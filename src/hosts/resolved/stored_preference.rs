//! Reads the rows of `file_preferences` into fields of sort records, and back from them.

use super::stored_verdict::check_capture_bytes;
use crate::ResolveContext;
use dataset::{BatchRow, CaptureFilter, Columns, PartReader, row};
use disk::error::Error;
use sort::sort_key::FieldReader;
use sort::{Field, Rest, record};
use tables::{StoredPreference, Table};

row! {
    /// A row of `file_preferences`.
    struct PreferenceRow<'a> of Table::FILE_PREFERENCES {
        robots_id: i64,
        agent: &'a str,
        mechanism: &'a str,
        category: &'a str,
        preference: Option<&'a str>,
        has_allowed: bool,
        has_disallowed: bool,
        has_unknown: bool,
        evidence_line: Option<i32>,
        address: Option<&'a str>,
    }
}

record! {
    /// A row in a sort record. The rows of a capture follow each other.
    struct PreferenceFields<'a> {
        /// The name, unless it is that of the row before.
        agent: Option<&'a str>,
        preference: StatedPreference<'a>,
    }
}

record! {
    struct StatedPreference<'a> {
        mechanism: &'a str,
        category: &'a str,
        preference: Option<&'a str>,
        has_allowed: bool,
        has_disallowed: bool,
        has_unknown: bool,
        evidence_line: Option<i32>,
        address: Option<&'a str>,
    }
}

/// Reads the preferences of captures of a part, in the order of `robots_id`.
pub(super) struct PreferenceReader {
    /// `None` if the part has no such table.
    reader: Option<PartReader>,
    rows: Option<Columns<PreferenceRow<'static>>>,
    row: usize,
}

impl PreferenceReader {
    pub(super) fn open(
        context: &ResolveContext<'_>,
        part: u32,
        filter: &CaptureFilter,
    ) -> Result<Self, Error> {
        let (dataset, columns) = (context.dataset, PreferenceRow::NAMES);
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
                        write_row(rows, self.row, out);
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
            let rows = PreferenceRow::from_batch(&batch);
            self.rows = Some(rows.map_err(|error| reader.add_path(error))?);
            self.row = 0;
        }
    }
}

/// Appends a row of a batch.
fn write_row(rows: &Columns<PreferenceRow<'static>>, index: usize, out: &mut Vec<u8>) {
    let row = PreferenceRow::row(rows, index);
    let before = index.checked_sub(1);
    let is_repeated = before.is_some_and(|before| {
        rows.robots_id.value(before) == row.robots_id && rows.agent.value(before) == row.agent
    });
    let preference = StatedPreference {
        mechanism: row.mechanism,
        category: row.category,
        preference: row.preference,
        has_allowed: row.has_allowed,
        has_disallowed: row.has_disallowed,
        has_unknown: row.has_unknown,
        evidence_line: row.evidence_line,
        address: row.address,
    };
    let agent = (!is_repeated).then_some(row.agent);
    PreferenceFields { agent, preference }.write(out);
}

/// Reads a name and the rows with it, for [`read_preferences`]; `None` at the end.
pub(super) fn next_agent<'a>(fields: &mut FieldReader<'a>) -> Option<(&'a str, &'a [u8])> {
    let rows = fields.rest();
    let agent = (!rows.is_empty()).then(|| PreferenceFields::read(fields).agent)??;
    // The first row of a name has it, and the others do not.
    let mut rest = *fields;
    while !rest.rest().is_empty() && PreferenceFields::read(&mut rest).agent.is_none() {
        *fields = rest;
    }
    Some((agent, &rows[..rows.len() - fields.rest().len()]))
}

/// Returns the rows of a name that [`next_agent`] returned.
pub(super) fn read_preferences(rows: &[u8]) -> impl Iterator<Item = StoredPreference<'_>> {
    let rows = Rest(rows).values::<PreferenceFields<'_>>();
    rows.map(|PreferenceFields { preference, .. }| StoredPreference {
        mechanism: preference.mechanism,
        category: preference.category,
        preference: preference.preference,
        has: [
            preference.has_allowed,
            preference.has_disallowed,
            preference.has_unknown,
        ],
        evidence_line: preference.evidence_line,
        address: preference.address,
    })
}

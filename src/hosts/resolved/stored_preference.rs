//! Reads the rows of `file_preferences` into fields of sort records, and back from them.

use super::stored_verdict::check_capture_bytes;
use crate::ResolveContext;
use arrow_array::RecordBatch;
use dataset::{BatchRow, CaptureFilter, Columns, PartReader, row};
use errors::Error;
use sort::sort_key::FieldReader;
use sort::{Field, Rest, record};
use tables::{StoredPreference, Table};

row! {
    /// The capture and the name of a row of `file_preferences`.
    struct PreferenceOwner<'a> of Table::FILE_PREFERENCES {
        robots_id: i64,
        agent: &'a str,
    }
}

row! {
    /// The preference in a row of `file_preferences`.
    struct StatedPreference<'a> of Table::FILE_PREFERENCES {
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

/// A batch of rows.
struct PreferenceRows {
    owners: Columns<PreferenceOwner<'static>>,
    preferences: Columns<StatedPreference<'static>>,
}

/// Reads the preferences of captures of a part, in the order of `robots_id`.
pub(super) struct PreferenceReader {
    /// `None` if the part has no such table.
    reader: Option<PartReader>,
    rows: Option<PreferenceRows>,
    row: usize,
}

impl PreferenceReader {
    pub(super) fn open(
        context: &ResolveContext<'_>,
        part: u32,
        filter: &CaptureFilter,
    ) -> Result<Self, Error> {
        let columns = [PreferenceOwner::NAMES, StatedPreference::NAMES].concat();
        let dataset = context.dataset;
        let reader = if dataset.has_part(Table::FILE_PREFERENCES, part) {
            Some(dataset.open_part(Table::FILE_PREFERENCES, part, &columns, filter)?)
        } else {
            None
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
                while let Some(&id) = rows.owners.robots_id.values().get(self.row) {
                    if id > robots_id {
                        return Ok(());
                    }
                    if id == robots_id {
                        rows.write_row(self.row, out);
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
            let rows = PreferenceRows::from_batch(&batch);
            self.rows = Some(rows.map_err(|error| reader.add_path(error))?);
            self.row = 0;
        }
    }
}

impl PreferenceRows {
    fn from_batch(batch: &RecordBatch) -> Result<Self, Error> {
        Ok(Self {
            owners: PreferenceOwner::from_batch(batch)?,
            preferences: StatedPreference::from_batch(batch)?,
        })
    }

    /// Appends a row.
    fn write_row(&self, index: usize, out: &mut Vec<u8>) {
        let owner = PreferenceOwner::row(&self.owners, index);
        let before = index.checked_sub(1);
        let before = before.map(|index| PreferenceOwner::row(&self.owners, index));
        let fields = PreferenceFields {
            agent: (before != Some(owner)).then_some(owner.agent),
            preference: StatedPreference::row(&self.preferences, index),
        };
        fields.write(out);
    }
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

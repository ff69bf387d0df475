//! The rows of `host_preferences` of a host in a crawl, as one set.

use super::damaged_error;
use super::keyed_rows::{KeyedRecord, PreferenceKeys};
use disk::error::Error;
use sort::Reader;
use tables::Table;

/// Reads the sets of preferences of hosts, one after the other.
#[derive(Debug, Default)]
pub(super) struct PreferenceSet {
    /// The rows of the last host, without the key of the set.
    rows: Vec<u8>,
    /// The record of the last set.
    pub(super) record: KeyedRecord,
}

impl PreferenceSet {
    /// Reads the rows of the host with this encoded `host_id`. Returns the keys of the set; `None` if the host has no
    /// rows.
    pub(super) fn read(
        &mut self,
        host_id: &[u8],
        preferences: &mut Reader<'_>,
    ) -> Result<Option<PreferenceKeys>, Error> {
        self.rows.clear();
        let mut count = 0;
        while let Some(record) = preferences.peek() {
            let Some(rest) = record.strip_prefix(host_id) else {
                if record < host_id {
                    return Err(damaged_error(Table::HOST_PREFERENCES));
                }
                break;
            };
            self.rows.extend_from_slice(&rest[size_of::<u64>()..]);
            count += 1;
            preferences.advance()?;
        }
        if count == 0 {
            return Ok(None);
        }
        let keys = PreferenceKeys::of_rows(count, &self.rows);
        self.record.begin(keys.set, &[]);
        self.record.push_rows(count, &self.rows);
        Ok(Some(keys))
    }
}

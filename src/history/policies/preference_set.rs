//! The rows of `host_preferences` of a host in a crawl, as one set.

use crate::error::damaged_error;
use crate::own_tables;
use crate::policies::keyed_rows::RecordBuilder;
use crate::policies::row_key::{KeyText, RowKey};
use dataset::{Encoding, row};
use errors::Error;
use sort::{GroupKey, Reader, Rest};
use tables::Table;

row! {
    /// A row of `preference_sets`.
    struct StatedPreference<'a> of own_tables::PREFERENCE_SETS {
        agent: &'a str,
        mechanism: &'a str,
        category: &'a str,
        preference: Option<&'a str>,
        has_allowed: bool,
        has_disallowed: bool,
        has_unknown: bool,
        evidence_line: Option<u32>,
        address: Option<&'a str>,
    }
}

const STATED_PREFERENCES: Encoding<StatedPreference<'static>> =
    Encoding::of(own_tables::columns_without_key(own_tables::PREFERENCE_SETS));

/// Returns the name in an encoded row.
pub(crate) fn read_agent(row: &[u8]) -> &str {
    STATED_PREFERENCES.read(row).agent
}

/// The rows of a host in `host_preferences`, in their order: the number of the row in the table, and the encoded columns
/// of `preference_sets`.
pub(crate) type PreferenceOfHost = (i64, (u64, Rest<'static>));

/// The keys of a set of preferences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PreferenceKeys {
    /// The key of the set.
    pub(crate) set: RowKey,
    /// The key of the preferences alone: of the same rows without the numbers of lines.
    pub(crate) preferences: RowKey,
}

/// Reads the sets of preferences of hosts, one after the other.
#[derive(Debug, Default)]
pub(crate) struct PreferenceSet {
    /// The rows of the last host, without the key of the set.
    rows: Vec<u8>,
    set_text: KeyText,
    preferences_text: KeyText,
    /// The record of the last set.
    pub(crate) record: RecordBuilder,
}

impl PreferenceSet {
    /// Reads the rows of a host. Hosts must be read in the order of `host_id`. Returns the keys of the set; `None` if the
    /// host has no rows.
    ///
    /// # Errors
    ///
    /// Those of reading; an error if rows of an earlier host are left.
    pub(crate) fn read(
        &mut self,
        host_id: i64,
        preferences: &mut Reader<'_, PreferenceOfHost>,
    ) -> Result<Option<PreferenceKeys>, Error> {
        self.rows.clear();
        if preferences.peek()?.is_some_and(|(next, _)| next < host_id) {
            return Err(damaged_error(Table::HOST_PREFERENCES));
        }
        let mut count = 0;
        let key = GroupKey::new(host_id);
        while let Some((_, row)) = preferences.next_of(&key)? {
            self.rows.extend_from_slice(row.0);
            count += 1;
        }
        if count == 0 {
            return Ok(None);
        }
        let keys = self.compute_keys();
        self.record.begin(keys.set, &[]);
        self.record.push_rows(count, &self.rows);
        Ok(Some(keys))
    }

    fn compute_keys(&mut self) -> PreferenceKeys {
        self.set_text.clear();
        self.preferences_text.clear();
        for (row, _) in STATED_PREFERENCES.rows(&self.rows) {
            let agent = row.agent.into();
            let (mechanism, category) = (row.mechanism.into(), row.category.into());
            let preference = row.preference.into();
            let has = [row.has_allowed, row.has_disallowed, row.has_unknown];
            let [allowed, disallowed, unknown] = has.map(Into::into);
            let address = row.address.into();
            self.set_text.push_line([
                agent,
                mechanism,
                category,
                preference,
                allowed,
                disallowed,
                unknown,
                row.evidence_line.into(),
                address,
            ]);
            self.preferences_text.push_line([
                agent, mechanism, category, preference, allowed, disallowed, unknown, address,
            ]);
        }
        PreferenceKeys {
            set: self.set_text.key(),
            preferences: self.preferences_text.key(),
        }
    }
}

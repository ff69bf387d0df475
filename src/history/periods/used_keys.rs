//! The keys of policies and of sets of preferences that periods refer to.

use super::agent_periods::{PeriodFields, PeriodOfHost, PeriodOfPolicy};
use crate::error::damaged_error;
use crate::own_tables;
use crate::policies::row_key::{RowKey, key_from_text};
use crate::read::capture_record::{AGENT_PERIOD_STATE, STATE_KEYS};
use crate::read::stored_hosts::{HostPeriod, StoredHost};
use errors::Error;
use sort::{SortMemory, Sorter};

/// Sorts the keys that periods refer to.
pub(super) struct UsedKeys<'s> {
    pub(super) policies: Sorter<'s, (RowKey, ())>,
    pub(super) preference_sets: Sorter<'s, (RowKey, ())>,
    /// The periods whose policies name crawlers.
    pub(super) named: Sorter<'s, PeriodOfPolicy>,
    /// The key that was last added to `policies`.
    last_policy: Option<RowKey>,
}

impl<'s> UsedKeys<'s> {
    pub(super) fn new(memory: SortMemory<'s>) -> Self {
        Self {
            policies: memory.create_sorter(),
            preference_sets: memory.create_sorter(),
            named: memory.create_sorter(),
            last_policy: None,
        }
    }

    /// Adds the keys of a period. `place` has the number of its host in the order of hosts, and its own number.
    ///
    /// # Errors
    ///
    /// Those of writing a run; [`DatasetDefect::BadTable`](dataset::error::DatasetDefect::BadTable) if a key is damaged.
    pub(super) fn push(
        &mut self,
        host: &StoredHost,
        (host_number, period_no): (u64, u32),
        period: &HostPeriod,
    ) -> Result<(), Error> {
        let state = STATE_KEYS.read(&period.state);
        if let Some(key) = state.preference_set_id.map(read_key).transpose()? {
            self.preference_sets.push((key, ()))?;
        }
        let Some(key) = state.policy_id.map(read_key).transpose()? else {
            return Ok(());
        };
        if self.last_policy != Some(key) {
            self.policies.push((key, ()))?;
            self.last_policy = Some(key);
        }
        let state = AGENT_PERIOD_STATE.read(&period.state);
        if !state.has_named_rows {
            return Ok(());
        }
        let fields = PeriodFields {
            n_captures: period.n_captures,
            first_crawl: period.first_crawl,
            last_crawl: period.last_crawl,
            surt_host_name: host.surt_host_name.as_bytes(),
            registered_domain: state.url_host_registered_domain,
        };
        let period = PeriodOfHost {
            host_number,
            period_no,
            fields,
        };
        self.named.push((key, period))
    }
}

fn read_key(text: &[u8]) -> Result<RowKey, Error> {
    key_from_text(text).ok_or_else(|| damaged_error(own_tables::HOST_PERIODS))
}

//! The policies of a history, and what follows from them.

use super::sources::Sources;
use crate::periods::agent_periods::{CrawlerPeriods, PeriodOfPolicy, write_agent_periods};
use crate::policies::keyed_rows::{KeyedRecord, KeyedRows, POLICIES, write_keyed_rows};
use crate::policies::row_key::RowKey;
use crate::shares::share_counter::{CountedHosts, NameOfHost};
use crate::write::table_writer::TableWriters;
use errors::Error;
use sort::{SortMemory, SortedRecords};

/// Writes policies with their lines and verdicts, and the table `agent_periods`.
pub(super) struct PolicyWriter<'a, 's> {
    pub(super) sources: &'a Sources<'a, 's>,
    /// The policies of the crawls that were read from datasets.
    pub(super) sorted: SortedRecords<'a, KeyedRecord>,
    /// The keys of the policies that periods refer to. Only these policies are written.
    pub(super) used: &'a SortedRecords<'s, (RowKey, ())>,
    /// The periods of hosts whose policies name crawlers, sorted by policy.
    pub(super) named: &'a SortedRecords<'s, PeriodOfPolicy>,
    /// The hosts that `shares` counts.
    pub(super) counted: &'a CountedHosts<'s>,
    pub(super) memory: SortMemory<'s>,
}

impl<'s> PolicyWriter<'_, 's> {
    /// Writes the tables. Returns a record for each host of `counted` and each crawler that its policy names, sorted
    /// by crawl, domain and host. `names` are the names of the crawls.
    pub(super) fn write(
        &self,
        names: &[&str],
        writers: &mut TableWriters<'_>,
    ) -> Result<SortedRecords<'s, NameOfHost>, Error> {
        let mut agents = CrawlerPeriods::new(self.named, self.memory)?;
        let mut of_hosts = self.counted.names()?;
        let mut push = |key: &RowKey, policy: &KeyedRows<'_>| {
            agents.push(key, policy)?;
            of_hosts.push(key, policy)
        };
        write_keyed_rows(
            POLICIES,
            &self.sorted,
            self.sources.open_keyed(POLICIES)?,
            self.used,
            writers,
            &mut push,
        )?;
        let of_hosts = of_hosts.finish()?;
        write_agent_periods(&agents.finish()?, names, writers)?;
        Ok(of_hosts)
    }
}

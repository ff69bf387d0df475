//! The periods of the crawlers that policies name.
//!
//! The periods of hosts are sorted by policy, and merged with the policies: each period gives a record for each
//! crawler that its policy names. These records are sorted by crawler and host. Consecutive records with the same
//! verdict are one period of the crawler.

use crate::error::damaged_error;
use crate::own_tables::{self, VERDICT};
use crate::policies::keyed_rows::KeyedRows;
use crate::policies::row_key::RowKey;
use crate::write::table_writer::TableWriters;
use dataset::{BatchRow, Encoding, row, split_columns};
use errors::Error;
use sort::{Field, GroupKey, Key, Reader, Rest, SortMemory, SortedRecords, Sorter, record};
use tables::Column;

record! {
    /// A period of a host whose policy names crawlers.
    pub(crate) struct PeriodOfHost<'a> {
        /// The number of the host in the order of hosts.
        pub(crate) host_number: u64,
        pub(crate) period_no: u32,
        pub(crate) fields: PeriodFields<'a>,
    }
}

record! {
    pub(crate) struct PeriodFields<'a> {
        pub(crate) n_captures: u32,
        /// The positions of the crawls of the first and of the last capture.
        pub(crate) first_crawl: u32,
        pub(crate) last_crawl: u32,
        pub(crate) surt_host_name: &'a [u8],
        pub(crate) registered_domain: Option<&'a [u8]>,
    }
}

/// A period of a host, by its policy.
pub(crate) type PeriodOfPolicy = (RowKey, PeriodOfHost<'static>);

record! {
    /// A period of a host for one crawler.
    pub(crate) struct CrawlerPeriod<'a> {
        /// The number of the host in the order of hosts.
        host_number: u64,
        period_no: u32,
        agent: &'a [u8],
        fields: PeriodFields<'a>,
        /// The values of the columns [`VERDICT`].
        verdict: &'a [u8],
    }
}

/// A period of a host for one crawler, by the crawler.
pub(crate) type PeriodOfAgent = (Key<'static>, CrawlerPeriod<'static>);

row! {
    /// A row of `agent_periods`.
    whole struct AgentPeriodRow<'a> of own_tables::AGENT_PERIODS {
        agent: &'a [u8],
        surt_host_name: &'a [u8],
        url_host_registered_domain: Option<&'a [u8]>,
        first_crawl: &'a str,
        last_crawl: &'a str,
        first_period_no: u32,
        n_periods: u32,
        n_captures: u32,
        ..verdict: VERDICT,
    }
}

row! {
    /// A crawler that a policy names.
    struct NamedAgent<'a> of own_tables::POLICY_VERDICTS {
        agent: &'a [u8],
    }
}

const AGENTS: Encoding<NamedAgent<'static>> =
    Encoding::of(own_tables::columns_without_key(own_tables::POLICY_VERDICTS));

/// The columns of `policy_verdicts` between the key of the policy and the verdict.
const BEFORE_VERDICT: &[Column] = NamedAgent::COLUMNS;

/// Makes a record for each period of a host and each crawler that the policy of the period names.
pub(crate) struct CrawlerPeriods<'d, 's> {
    /// Periods of hosts, sorted by policy.
    named: Reader<'d, PeriodOfPolicy>,
    /// The records made so far, by crawler and period.
    records: Sorter<'s, PeriodOfAgent>,
    /// A buffer for a key.
    escaped: Vec<u8>,
}

impl<'d, 's> CrawlerPeriods<'d, 's> {
    pub(crate) fn new(
        named: &'d SortedRecords<'_, PeriodOfPolicy>,
        memory: SortMemory<'s>,
    ) -> Result<Self, Error> {
        Ok(Self {
            named: named.read()?,
            records: memory.create_sorter(),
            escaped: Vec::new(),
        })
    }

    /// Adds records for the periods with this policy. Policies must be pushed in the order of keys.
    pub(crate) fn push(&mut self, key: &RowKey, policy: &KeyedRows<'_>) -> Result<(), Error> {
        let key = GroupKey::new(*key);
        while let Some(period) = self.named.next_of(&key)? {
            for (named, row) in AGENTS.rows(policy.verdicts()) {
                let agent = Key::new(named.agent, &mut self.escaped);
                let (_, verdict) = split_columns(BEFORE_VERDICT, row);
                // The line that proves the verdict moves with every line above it.
                let (verdict, _evidence_line) = split_columns(VERDICT, verdict);
                let named = CrawlerPeriod {
                    host_number: period.host_number,
                    period_no: period.period_no,
                    agent: named.agent,
                    fields: period.fields,
                    verdict,
                };
                self.records.push((agent, named))?;
            }
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<SortedRecords<'s, PeriodOfAgent>, Error> {
        if self.named.is_at_end()? {
            self.records.finish()
        } else {
            Err(damaged_error(own_tables::POLICIES))
        }
    }
}

/// A period of a crawler that the next records may continue.
struct OpenPeriod {
    /// The encoded record of its first period of the host.
    first: Vec<u8>,
    n_periods: u32,
    n_captures: u32,
    last_crawl: u32,
}

impl OpenPeriod {
    /// Returns the period of the host with which this one begins.
    fn first_period(&self) -> CrawlerPeriod<'_> {
        sort::read::<CrawlerPeriod<'static>>(&self.first)
    }

    /// Returns true if a period directly follows this one, with the same crawler, host and verdict.
    fn is_continued_by(&self, next: &CrawlerPeriod<'_>) -> bool {
        let first = self.first_period();
        first.host_number == next.host_number
            && next.period_no == first.period_no + self.n_periods
            && (first.agent, first.verdict) == (next.agent, next.verdict)
    }

    fn write(&self, names: &[&str], writers: &mut TableWriters<'_>) -> Result<(), Error> {
        let first = self.first_period();
        let host = first.fields;
        writers.push::<AgentPeriodRow<'_>>(AgentPeriodRow {
            agent: first.agent,
            surt_host_name: host.surt_host_name,
            url_host_registered_domain: host.registered_domain,
            first_crawl: names[host.first_crawl as usize],
            last_crawl: names[self.last_crawl as usize],
            first_period_no: first.period_no,
            n_periods: self.n_periods,
            n_captures: self.n_captures,
            verdict: Rest(first.verdict),
        })
    }
}

/// Writes `agent_periods`. `names` are the names of the crawls.
pub(crate) fn write_agent_periods(
    records: &SortedRecords<'_, PeriodOfAgent>,
    names: &[&str],
    writers: &mut TableWriters<'_>,
) -> Result<(), Error> {
    let mut reader = records.read()?;
    let mut open: Option<OpenPeriod> = None;
    while let Some((_, next)) = reader.next_record()? {
        if let Some(open) = &mut open
            && open.is_continued_by(&next)
        {
            open.n_periods += 1;
            open.n_captures += next.fields.n_captures;
            open.last_crawl = next.fields.last_crawl;
        } else {
            let mut first = Vec::new();
            if let Some(open) = open.take() {
                open.write(names, writers)?;
                first = open.first;
            }
            first.clear();
            next.write(&mut first);
            open = Some(OpenPeriod {
                first,
                n_periods: 1,
                n_captures: next.fields.n_captures,
                last_crawl: next.fields.last_crawl,
            });
        }
    }
    if let Some(open) = open {
        open.write(names, writers)?;
    }
    writers.finish_table(own_tables::AGENT_PERIODS)
}

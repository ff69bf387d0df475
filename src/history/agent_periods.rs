//! The periods of the crawlers that policies name.
//!
//! The periods of hosts are sorted by policy, and merged with the policies: each period gives a record for each
//! crawler that its policy names. These records are sorted by crawler and host. Consecutive records with the same
//! verdict are one period of the crawler.

use super::capture_record::{optional_bytes, put_optional_bytes};
use super::damaged_error;
use super::keyed_rows::{KeyedRows, skip_counts, skip_number};
use super::row_key::KEY_BYTES;
use super::table_writer::TableWriters;
use crate::own_tables;
use disk::error::Error;
use sort::sort_key::{FieldReader, put_bytes, put_key, put_u32};
use sort::{Reader, SortMemory, SortedRecords, Sorter};

/// Makes a record for each period of a host and each crawler that the policy of the period names.
pub(super) struct NamedPeriods<'d, 's> {
    /// Periods of hosts, sorted by policy.
    named: Reader<'d>,
    /// The records made so far, by crawler and period.
    records: Sorter<'s>,
    record: Vec<u8>,
}

impl<'d, 's> NamedPeriods<'d, 's> {
    pub(super) fn new(named: &'d SortedRecords<'_>, memory: SortMemory<'s>) -> Result<Self, Error> {
        Ok(Self {
            named: named.read()?,
            records: memory.create_sorter(),
            record: Vec::new(),
        })
    }

    /// Adds records for the periods with this policy. Policies must be pushed in the order of keys.
    pub(super) fn push(&mut self, policy: &KeyedRows<'_>) -> Result<(), Error> {
        while let Some(period) = self.named.peek() {
            let (key, period) = period.split_at(KEY_BYTES);
            if key != policy.key {
                break;
            }
            // The order of the period: the number of its host, and its own number.
            let (order, rest) = period.split_at(size_of::<u64>() + size_of::<u32>());
            let (count, mut verdicts) = policy.last_rows();
            for _ in 0..count {
                let agent = verdicts.bytes();
                self.record.clear();
                put_key(&mut self.record, agent);
                self.record.extend_from_slice(order);
                put_bytes(&mut self.record, agent);
                self.record.extend_from_slice(rest);
                self.record.extend_from_slice(take_verdict(&mut verdicts));
                self.records.push(&self.record)?;
            }
            self.named.advance()?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<SortedRecords<'s>, Error> {
        match self.named.peek() {
            None => self.records.finish(),
            Some(_) => Err(damaged_error(own_tables::POLICIES)),
        }
    }
}

/// Reads the fields of a verdict that follow `agent` in `policy_verdicts`. Returns those from `verdict` to
/// `crawl_delay_ms`, without `evidence_line`.
pub(super) fn take_verdict<'a>(fields: &mut FieldReader<'a>) -> &'a [u8] {
    let start = fields.rest();
    for _ in ["verdict", "google", "rfc9309", "koster1996", "basis"] {
        optional_bytes(fields);
    }
    skip_counts(fields);
    let verdict = &start[..start.len() - fields.rest().len()];
    // Skips `evidence_line`.
    skip_number(fields);
    verdict
}

/// A record of [`NamedPeriods`]: a period of a host, for one crawler.
#[derive(Clone, Copy, Debug)]
struct AgentPeriod<'a> {
    agent: &'a [u8],
    /// The number of the host in the order of hosts.
    host_number: u64,
    first_period_no: u32,
    n_periods: u32,
    n_captures: u32,
    /// The position of the crawl of the first capture.
    first_crawl: u32,
    /// The position of the crawl of the last capture.
    last_crawl: u32,
    host: &'a [u8],
    domain: &'a [u8],
    /// The fields that [`take_verdict`] returns.
    verdict: &'a [u8],
}

impl<'a> AgentPeriod<'a> {
    fn read(record: &'a [u8]) -> Self {
        let mut fields = FieldReader::new(record);
        fields.key();
        Self {
            host_number: fields.u64(),
            first_period_no: fields.u32(),
            n_periods: 1,
            agent: fields.bytes(),
            n_captures: fields.u32(),
            first_crawl: fields.u32(),
            last_crawl: fields.u32(),
            host: fields.bytes(),
            domain: fields.bytes(),
            verdict: fields.rest(),
        }
    }

    /// Returns true if this period directly follows `other`, with the same crawler, host and verdict.
    fn continues(&self, other: &Self) -> bool {
        self.host_number == other.host_number
            && self.first_period_no == other.first_period_no + other.n_periods
            && (self.agent, self.verdict) == (other.agent, other.verdict)
    }

    fn write(&self, names: &[Vec<u8>], writers: &mut TableWriters<'_>) -> Result<(), Error> {
        // Few rows are longer than this.
        let mut fields = Vec::with_capacity(256);
        put_bytes(&mut fields, self.agent);
        put_bytes(&mut fields, self.host);
        let domain = Some(self.domain).filter(|domain| !domain.is_empty());
        put_optional_bytes(&mut fields, domain);
        for crawl in [self.first_crawl, self.last_crawl] {
            fields.extend_from_slice(&names[crawl as usize]);
        }
        put_u32(&mut fields, self.first_period_no);
        put_u32(&mut fields, self.n_periods);
        put_u32(&mut fields, self.n_captures);
        fields.extend_from_slice(self.verdict);
        writers.push(
            own_tables::AGENT_PERIODS,
            &[],
            &mut FieldReader::new(&fields),
        )
    }
}

/// A period of a crawler that the next records may continue.
struct OpenPeriod {
    /// The record of its first period of the host.
    first: Vec<u8>,
    n_periods: u32,
    n_captures: u32,
    last_crawl: u32,
}

impl OpenPeriod {
    fn period(&self) -> AgentPeriod<'_> {
        AgentPeriod {
            n_periods: self.n_periods,
            n_captures: self.n_captures,
            last_crawl: self.last_crawl,
            ..AgentPeriod::read(&self.first)
        }
    }
}

/// Writes `agent_periods`. `names` are the names of the crawls, as encoded fields.
pub(super) fn write_agent_periods(
    records: &SortedRecords<'_>,
    names: &[Vec<u8>],
    writers: &mut TableWriters<'_>,
) -> Result<(), Error> {
    let mut reader = records.read()?;
    let mut open: Option<OpenPeriod> = None;
    while let Some(record) = reader.peek() {
        let next = AgentPeriod::read(record);
        if let Some(open) = &mut open
            && next.continues(&open.period())
        {
            open.n_periods += 1;
            open.n_captures += next.n_captures;
            open.last_crawl = next.last_crawl;
        } else {
            let mut first = Vec::new();
            if let Some(open) = open.take() {
                open.period().write(names, writers)?;
                first = open.first;
            }
            first.clear();
            first.extend_from_slice(record);
            open = Some(OpenPeriod {
                first,
                n_periods: 1,
                n_captures: next.n_captures,
                last_crawl: next.last_crawl,
            });
        }
        reader.advance()?;
    }
    if let Some(open) = open {
        open.period().write(names, writers)?;
    }
    writers.finish_table(own_tables::AGENT_PERIODS)
}

//! Checks whether the tables of a history agree with each other, for `verify`.
//!
//! Every table is read once or twice, in its order. Nothing is sorted, so that memory depends on the numbers of
//! policies, archives and crawls only. Verdicts, states and shares are not computed again: docs/operations.md lists
//! what is checked.
//!
//! Tables in different orders are compared by checksums that are independent of order. Periods and contents are
//! computed from captures, and the sum of the hashes of their fields must be that of the stored rows. For
//! `agent_periods`, the sum has a number for each period and crawler: a hash of the first period of the host minus a
//! hash of the period after the last one, so that two periods of which one continues the other have the same sum as
//! both as one.

use super::agent_periods::take_verdict;
use super::capture_record::{StateDetails, StateFields, optional_bytes};
use super::captures_by_host::{CapturesByHost, StoredCapture};
use super::counted_domain::{CountedDomain, HostDomains};
use super::crawl_row::CrawlRow;
use super::damaged_history_error;
use super::history_input::HistoryReader;
use super::keyed_rows::{KeyedReader, KeyedRows, POLICIES, PREFERENCE_SETS, PreferenceKeys};
use super::row_key::{KEY_BYTES, compute_key, key_from_text};
use super::stored_hosts::{StoredHost, StoredHosts};
use super::verdict_class::VerdictClass;
use crate::manifest::HistoryManifest;
use crate::own_tables;
use disk::error::Error;
use sort::sort_key::FieldReader;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tables::Table;
use urls::DomainRuns;
use xxhash_rust::xxh3::xxh3_64;

/// Returns the first defect of the rows of a history: an order, a reference or a number that is wrong. Takes 24 bytes
/// of memory per policy. Errors of reading are also returned, and an error once `stop` is set.
pub(crate) fn find_defect(
    root: &Path,
    manifest: &HistoryManifest,
    stop: &Arc<AtomicBool>,
) -> Option<Error> {
    check_rows(root, manifest, stop).err()
}

fn check_rows(
    root: &Path,
    manifest: &HistoryManifest,
    stop: &Arc<AtomicBool>,
) -> Result<(), Error> {
    let history = HistoryReader::open(root, manifest, false, stop)?;
    let positions = (0u32..).zip(&history.crawls);
    let check = Check {
        positions: positions
            .map(|(position, row)| (row.crawl.as_bytes(), position))
            .collect(),
        history: &history,
    };
    check.check_agents()?;
    let policies = check.read_policies()?;
    let sets = check.read_preference_sets()?;
    let archives = check.read_archives()?;
    let totals = check.add_captures(&archives)?;
    check.check_capture_keys(&totals)?;
    let agent_periods = check.check_hosts(&policies, &sets, &totals)?;
    check.check_agent_periods(agent_periods)?;
    check.check_shares()
}

/// A history that is being checked.
struct Check<'h> {
    history: &'h HistoryReader,
    /// The position of each crawl in the order of crawls, by name.
    positions: BTreeMap<&'h [u8], u32>,
}

/// The policies of a history, sorted by key.
struct Policies {
    keys: Vec<[u8; KEY_BYTES]>,
    /// For each policy, the sum of [`verdict_number`] over its verdicts.
    verdicts: Vec<u64>,
}

/// Ranges of the numbers of the archives of a crawl, in ascending order: the first number, and the last one plus 1.
type ArchiveRanges = Vec<(i64, i64)>;

/// Totals of the captures.
#[derive(Default)]
struct CaptureTotals {
    /// For each crawl, the number of hosts that it captured first.
    first_hosts: Vec<i64>,
    sums: HostSums,
}

/// Checksums of periods and contents, computed from captures or from the stored rows.
#[derive(Default, PartialEq, Eq)]
struct HostSums {
    periods: u64,
    contents: u64,
}

impl HostSums {
    fn add_period(&mut self, host_no: i64, period_no: u32, period: &PeriodFields) {
        let crawls = [period.first_crawl, period.last_crawl].map(i64::from);
        let times = [period.first_fetch, period.last_fetch].map(|time| time.unwrap_or(i64::MIN));
        let counts = [period.n_captures, period.with_content].map(i64::from);
        let key = [host_no, i64::from(period_no)];
        let number = number_of(&[key, crawls, times, counts].concat());
        self.periods = self.periods.wrapping_add(number);
    }

    fn add_content(&mut self, host_no: i64, content_no: u32, content: &ContentFields) {
        let number = number_of(&[
            host_no,
            i64::from(content_no),
            i64::from(content.period_no),
            i64::from(content.last_crawl),
            content.last_fetch.unwrap_or(i64::MIN),
        ]);
        self.contents = self.contents.wrapping_add(number);
    }
}

/// The fields of a period that follow from its captures.
struct PeriodFields {
    first_crawl: u32,
    last_crawl: u32,
    first_fetch: Option<i64>,
    last_fetch: Option<i64>,
    n_captures: u32,
    /// The number of captures with content.
    with_content: u32,
}

/// The fields of a content that follow from its captures.
struct ContentFields {
    period_no: u32,
    last_crawl: u32,
    last_fetch: Option<i64>,
}

/// Returns a hash of numbers.
fn number_of(fields: &[i64]) -> u64 {
    let bytes: Vec<u8> = fields
        .iter()
        .flat_map(|field| field.to_be_bytes())
        .collect();
    xxh3_64(&bytes)
}

impl Check<'_> {
    fn error(&self, table: Table) -> Error {
        damaged_history_error(self.history.root(), table)
    }

    /// Returns an error about a table unless a condition is true.
    fn expect(&self, table: Table, condition: bool) -> Result<(), Error> {
        match condition {
            true => Ok(()),
            false => Err(self.error(table)),
        }
    }

    /// Checks that no crawler has two rows in the registry.
    fn check_agents(&self) -> Result<(), Error> {
        let rows = self.history.read_rows(Table::AGENTS)?;
        let names = rows.iter().map(|row| FieldReader::new(row).bytes());
        let names: BTreeSet<&[u8]> = names.collect();
        self.expect(Table::AGENTS, names.len() == rows.len())
    }

    /// Reads the policies. Checks that their keys are the hashes of their lines, and that their verdicts are sorted.
    fn read_policies(&self) -> Result<Policies, Error> {
        let mut policies = Policies {
            keys: Vec::new(),
            verdicts: Vec::new(),
        };
        let mut reader = KeyedReader::open(self.history, POLICIES)?;
        while let Some(record) = reader.peek() {
            let policy = KeyedRows::read(record, POLICIES);
            let is_valid_utf8 = &policy.fields().rest()[..1];
            let [groups, rules, directives] = [0, 1, 2].map(|i| policy.rows_of(i).1.rest());
            let key = compute_key(&[is_valid_utf8, groups, rules, directives]);
            self.expect(own_tables::POLICIES, policy.key == key)?;
            policies.keys.push(key);
            let (count, mut rows) = policy.last_rows();
            let (mut sum, mut last) = (0u64, None);
            for _ in 0..count {
                let agent = rows.bytes();
                let is_sorted = last.is_none_or(|last| last < agent);
                self.expect(own_tables::POLICY_VERDICTS, is_sorted)?;
                last = Some(agent);
                sum = sum.wrapping_add(verdict_number(agent, take_verdict(&mut rows)));
            }
            policies.verdicts.push(sum);
            reader.advance()?;
        }
        Ok(policies)
    }

    /// Reads the keys of the sets of preferences. Checks that they are the hashes of the rows.
    fn read_preference_sets(&self) -> Result<Vec<PreferenceKeys>, Error> {
        let mut keys = Vec::new();
        let mut reader = KeyedReader::open(self.history, PREFERENCE_SETS)?;
        while let Some(record) = reader.peek() {
            let set = KeyedRows::read(record, PREFERENCE_SETS);
            let (count, rows) = set.rows_of(0);
            let found = PreferenceKeys::of_rows(count, rows.rest());
            self.expect(own_tables::PREFERENCE_SETS, set.key == found.set)?;
            keys.push(found);
            reader.advance()?;
        }
        Ok(keys)
    }

    /// Reads the numbers of the archives of each crawl. Checks that they are sorted.
    fn read_archives(&self) -> Result<Vec<ArchiveRanges>, Error> {
        let table = own_tables::ARCHIVES;
        let mut archives = vec![ArchiveRanges::new(); self.positions.len()];
        let mut last: Option<(u32, i64, Vec<u8>)> = None;
        let mut rows = self.history.open_table(table)?;
        while let Some(row) = rows.peek() {
            let mut fields = FieldReader::new(row);
            let position = self.positions.get(fields.bytes());
            let position = *position.ok_or_else(|| self.error(table))?;
            let number = fields.i64();
            let key = (position, number, fields.bytes().to_vec());
            let is_sorted = last.as_ref().is_none_or(|last| *last < key);
            self.expect(table, is_sorted && (0..i64::MAX).contains(&number))?;
            last = Some(key);
            let ranges = &mut archives[position as usize];
            match ranges.last_mut() {
                Some((_, end)) if *end == number => *end += 1,
                Some((start, end)) if (*start..*end).contains(&number) => {}
                _ => ranges.push((number, number + 1)),
            }
            rows.advance()?;
        }
        Ok(archives)
    }

    /// Computes the periods and contents of hosts from their captures. Checks the places of captures, and that hosts,
    /// and the periods and contents of each, are numbered in order.
    fn add_captures(&self, archives: &[ArchiveRanges]) -> Result<CaptureTotals, Error> {
        let mut totals = CaptureTotals {
            first_hosts: vec![0; self.positions.len()],
            ..CaptureTotals::default()
        };
        let mut hosts = CapturesByHost::open(self.history)?;
        while let Some((host_no, captures)) = hosts.next_host()? {
            let first = captures.iter().map(|capture| capture.position).min();
            let first = first.unwrap_or_default();
            let count = &mut totals.first_hosts[first as usize];
            let is_next = host_no == (i64::from(first) << 32) + *count;
            *count += 1;
            let are_placed = captures.iter().all(|capture| {
                let place = &capture.place;
                let archives = &archives[capture.position as usize];
                place.offset >= 0
                    && place.record_in_member >= 0
                    && has_archive(archives, place.archive_no)
            });
            let sums = &mut totals.sums;
            let is_valid = is_next && are_placed && add_host(host_no, captures, sums);
            self.expect(own_tables::HOST_CAPTURES, is_valid)?;
        }
        Ok(totals)
    }

    /// Checks the crawls and the numbers of captures, and the references to the content of revisits. Checks the numbers
    /// of hosts in `crawls`.
    fn check_capture_keys(&self, totals: &CaptureTotals) -> Result<(), Error> {
        let table = own_tables::HOST_CAPTURES;
        let names = [
            "capture_no",
            "crawl",
            "rules_host_no",
            "rules_period_no",
            "rules_crawl",
        ];
        let mut rows = self.history.open_columns(table, &names)?;
        let mut hosts = vec![0; self.positions.len()];
        let mut last = None;
        while let Some(row) = rows.peek() {
            let mut fields = FieldReader::new(row);
            let (capture_no, position) = (fields.i64(), self.positions.get(fields.bytes()));
            let position = *position.ok_or_else(|| self.error(table))?;
            let count = &mut hosts[position as usize];
            let is_next = capture_no == (i64::from(position) << 32) + *count;
            *count += 1;
            let rules_host = (fields.u8() != 0).then(|| fields.i64());
            let rules_period = (fields.u8() != 0).then(|| fields.u32());
            let rules_crawl = optional_bytes(&mut fields);
            let has_rules = match (rules_host, rules_period, rules_crawl) {
                (None, None, None) => true,
                (Some(host_no), Some(period_no), Some(crawl)) => {
                    let first = usize::try_from(host_no >> 32).ok();
                    let count = first.and_then(|first| totals.first_hosts.get(first));
                    let has_host = count.is_some_and(|count| (host_no & 0xffff_ffff) < *count);
                    let has_period = (period_no as usize) < self.positions.len();
                    has_host && has_period && self.positions.contains_key(crawl)
                }
                _ => false,
            };
            let is_sorted = last.is_none_or(|last| last <= position);
            self.expect(table, is_next && is_sorted && has_rules)?;
            last = Some(position);
            rows.advance()?;
        }
        let rows = self.history.read_rows(own_tables::CRAWLS)?;
        let mut fields = Vec::new();
        for (position, row) in (0u32..).zip(&self.history.crawls) {
            let hosts = hosts[position as usize];
            let row = CrawlRow {
                hosts,
                ..row.clone()
            };
            fields.clear();
            row.put(position, &mut fields);
            let has_domains = row.domains <= hosts && (row.domains > 0) == (hosts > 0);
            let is_valid = has_domains && rows[position as usize] == fields;
            self.expect(own_tables::CRAWLS, is_valid)?;
        }
        Ok(())
    }

    /// Checks the hosts with their periods and contents. [`StoredHosts`] checks that they are in order. Returns the
    /// checksum that the rows of `agent_periods` must have.
    fn check_hosts(
        &self,
        policies: &Policies,
        sets: &[PreferenceKeys],
        totals: &CaptureTotals,
    ) -> Result<u64, Error> {
        let mut hosts = StoredHosts::open(self.history)?;
        let mut domains = DomainRuns::<CountedDomain>::default();
        let (mut sums, mut agent_periods) = (HostSums::default(), 0u64);
        while let Some(host) = hosts.peek() {
            let name = host.surt_host_name.as_bytes();
            let mut host_domains = HostDomains::new(host.host_no);
            for (period_no, period) in (0..).zip(&host.periods) {
                self.check_state(&period.state, policies, sets)?;
                let domain = domains.value_of(name, period.registered_domain());
                let domain_id = host_domains.number(domain);
                self.expect(own_tables::HOST_PERIODS, period.domain_id == domain_id)?;
                let number = named_period_number(name, period_no, &period.state, policies);
                agent_periods = agent_periods.wrapping_add(number);
                let has_content = !StateDetails::read(&period.state).content_class.is_empty();
                let fields = PeriodFields {
                    first_crawl: period.first_crawl,
                    last_crawl: period.last_crawl,
                    first_fetch: period.first_fetch,
                    last_fetch: period.last_fetch,
                    n_captures: period.n_captures,
                    // A capture has a content if its state has a `content_class`, and only then.
                    with_content: if has_content { period.n_captures } else { 0 },
                };
                sums.add_period(host.host_no, period_no, &fields);
            }
            add_contents(host, &mut sums);
            hosts.advance()?;
        }
        self.expect(
            own_tables::HOST_PERIODS,
            sums.periods == totals.sums.periods,
        )?;
        self.expect(own_tables::HOST_CONTENTS, sums == totals.sums)?;
        Ok(agent_periods)
    }

    /// Checks that the policy and the set of preferences of a state exist, and that `preferences_id` is the key of
    /// that set.
    fn check_state(
        &self,
        state: &[u8],
        policies: &Policies,
        sets: &[PreferenceKeys],
    ) -> Result<(), Error> {
        let state = StateFields::read(state);
        let is_policy = |id: &[u8]| {
            key_from_text(id).is_some_and(|key| policies.keys.binary_search(&key).is_ok())
        };
        self.expect(
            own_tables::HOST_PERIODS,
            state.policy_id.is_none_or(is_policy),
        )?;
        let set = state.preference_set_id.and_then(|id| {
            let key = key_from_text(id)?;
            let i = sets.binary_search_by_key(&key, |keys| keys.set).ok()?;
            Some(sets[i].preferences)
        });
        let preferences = state.preferences_id.and_then(key_from_text);
        let is_known = set.is_some() == state.preference_set_id.is_some()
            && preferences.is_some() == state.preferences_id.is_some();
        self.expect(own_tables::HOST_PERIODS, is_known && set == preferences)
    }

    /// Checks the order of `agent_periods`, and compares its checksum with that of the periods of hosts.
    fn check_agent_periods(&self, wanted: u64) -> Result<(), Error> {
        let table = own_tables::AGENT_PERIODS;
        let mut rows = self.history.open_table(table)?;
        let (mut sum, mut last) = (0u64, AgentRange::default());
        while let Some(row) = rows.peek() {
            let range = AgentRange::read(row);
            let is_valid = range.first < range.end && range.n_captures > 0;
            let are_crawls = range
                .crawls
                .iter()
                .all(|crawl| self.positions.contains_key(&**crawl));
            self.expect(table, is_valid && are_crawls && last.is_before(&range))?;
            let verdict = verdict_number(&range.agent, &range.verdict);
            let number = verdict.wrapping_mul(range_number(&range.host, range.first, range.end));
            sum = sum.wrapping_add(number);
            last = range;
            rows.advance()?;
        }
        self.expect(table, sum == wanted)
    }

    /// Checks that the rows of `shares` are sorted, and that the hosts in the rows of a crawler and a crawl add up to
    /// all hosts of the crawl.
    fn check_shares(&self) -> Result<(), Error> {
        let table = own_tables::SHARES;
        let mut rows = self.history.open_table(table)?;
        let mut last: Option<(Vec<u8>, u32, VerdictClass)> = None;
        while let Some(row) = rows.peek() {
            let mut fields = FieldReader::new(row);
            let (agent, crawl) = (fields.bytes().to_vec(), fields.bytes());
            let position = self.positions.get(crawl);
            let position = *position.ok_or_else(|| self.error(table))?;
            let key = &row[..row.len() - fields.rest().len()];
            let key = key.to_vec();
            let (mut hosts, mut known, mut stated_known) = (0i64, 0i64, None);
            while let Some(fields) = rows.peek().and_then(|row| row.strip_prefix(&*key)) {
                let share = StoredShare::read(fields);
                let order = (agent.clone(), position, share.class);
                let is_sorted = last.as_ref().is_none_or(|last| *last < order);
                let is_known = stated_known.is_none_or(|known| known == share.known_hosts);
                self.expect(table, is_sorted && is_known && share.is_possible())?;
                last = Some(order);
                stated_known = Some(share.known_hosts);
                hosts = hosts.saturating_add(share.hosts);
                if share.class.is_known() {
                    known = known.saturating_add(share.hosts);
                }
                rows.advance()?;
            }
            let all = self.history.crawls[position as usize].hosts;
            self.expect(table, hosts == all && stated_known == Some(known))?;
        }
        Ok(())
    }
}

/// A row of `agent_periods`.
#[derive(Default)]
struct AgentRange {
    agent: Vec<u8>,
    host: Vec<u8>,
    /// The names of the crawls of the first and of the last capture.
    crawls: [Vec<u8>; 2],
    /// The number of the first period of the host.
    first: u32,
    /// The number of the last one, plus 1.
    end: u32,
    n_captures: i32,
    verdict: Vec<u8>,
}

impl AgentRange {
    fn read(row: &[u8]) -> Self {
        let mut fields = FieldReader::new(row);
        let (agent, host) = (fields.bytes().to_vec(), fields.bytes().to_vec());
        optional_bytes(&mut fields);
        let crawls = [fields.bytes().to_vec(), fields.bytes().to_vec()];
        let (first, n_periods) = (fields.u32(), fields.u32());
        Self {
            agent,
            host,
            crawls,
            first,
            end: first.saturating_add(n_periods),
            n_captures: fields.u32().cast_signed(),
            verdict: fields.rest().to_vec(),
        }
    }

    /// Returns true if `next` may be the next row: it has a later crawler or host, or later periods. If these follow
    /// directly, its verdict must be another one.
    fn is_before(&self, next: &Self) -> bool {
        match (&self.agent, &self.host) == (&next.agent, &next.host) {
            true => self.end < next.first || self.end == next.first && self.verdict != next.verdict,
            false => (&self.agent, &self.host) < (&next.agent, &next.host),
        }
    }
}

/// A row of `shares`, from `verdict` on.
struct StoredShare {
    class: VerdictClass,
    /// True if the names of the verdict and of the basis are those of the class, and so are not unknown names.
    has_names: bool,
    hosts: i64,
    known_hosts: i64,
    domains: i64,
    largest_domain: i64,
}

impl StoredShare {
    fn read(row: &[u8]) -> Self {
        let mut fields = FieldReader::new(row);
        let class = VerdictClass::from_names(fields.bytes(), fields.bytes());
        let mut names = Vec::new();
        class.put_names(&mut names);
        Self {
            class,
            has_names: row.starts_with(&names),
            hosts: fields.i64(),
            known_hosts: fields.i64(),
            domains: fields.i64(),
            largest_domain: fields.i64(),
        }
    }

    /// Returns true if the names are known, and the numbers of domains and their hosts fit `hosts`.
    fn is_possible(&self) -> bool {
        let has_domains = (1..=self.hosts).contains(&self.domains);
        has_domains && (0..=self.hosts).contains(&self.largest_domain) && self.has_names
    }
}

fn has_archive(ranges: &ArchiveRanges, number: i64) -> bool {
    let after = ranges.partition_point(|(start, _)| *start <= number);
    let range = after.checked_sub(1).map(|i| ranges[i]);
    range.is_some_and(|(_, end)| number < end)
}

/// Returns a hash of a crawler and the fields of its verdict: a factor of the number of a period in the checksum of
/// `agent_periods`.
fn verdict_number(agent: &[u8], verdict: &[u8]) -> u64 {
    let mut bytes = (agent.len() as u64).to_be_bytes().to_vec();
    bytes.extend_from_slice(agent);
    bytes.extend_from_slice(verdict);
    xxh3_64(&bytes) | 1
}

/// Returns a hash of a range of periods of a host, without the period `end`. The hashes of two ranges that follow
/// each other add up to the hash of both as one range.
fn range_number(host: &[u8], first: u32, end: u32) -> u64 {
    let number = |period_no: u32| xxh3_64(&period_no.to_be_bytes());
    let periods = number(first).wrapping_sub(number(end));
    periods.wrapping_mul(xxh3_64(host) | 1)
}

/// Returns the number of a period of a host in the checksum of `agent_periods`, for all crawlers that its policy names.
fn named_period_number(host: &[u8], period_no: u32, state: &[u8], policies: &Policies) -> u64 {
    let state = StateFields::read(state);
    let key = state.policy_id.and_then(key_from_text);
    let i = key.and_then(|key| policies.keys.binary_search(&key).ok());
    match i.filter(|_| state.has_named_rows) {
        Some(i) => policies.verdicts[i].wrapping_mul(range_number(host, period_no, period_no + 1)),
        None => 0,
    }
}

/// Adds the periods and contents of a host, computed from its captures. Returns false if they are not numbered in order.
fn add_host(host_no: i64, captures: &[StoredCapture], sums: &mut HostSums) -> bool {
    let mut periods: Vec<PeriodFields> = Vec::new();
    let mut contents: Vec<ContentFields> = Vec::new();
    for capture in captures {
        let (position, time) = (capture.position, capture.place.fetch_time);
        if capture.period_no as usize == periods.len() {
            periods.push(PeriodFields {
                first_crawl: position,
                last_crawl: position,
                first_fetch: time,
                last_fetch: time,
                n_captures: 0,
                with_content: 0,
            });
        }
        let count = periods.len();
        let last = periods.last_mut();
        let Some(period) = last.filter(|_| capture.period_no as usize + 1 == count) else {
            return false;
        };
        (period.last_crawl, period.last_fetch) = (position, time);
        period.n_captures += 1;
        period.with_content += u32::from(capture.content_no.is_some());
        if let Some(content_no) = capture.content_no {
            if content_no as usize == contents.len() {
                contents.push(ContentFields {
                    period_no: capture.period_no,
                    last_crawl: position,
                    last_fetch: time,
                });
            }
            let count = contents.len();
            let last = contents.last_mut();
            let Some(content) = last.filter(|content| {
                content_no as usize + 1 == count && content.period_no == capture.period_no
            }) else {
                return false;
            };
            (content.last_crawl, content.last_fetch) = (position, time);
        }
    }
    for (period_no, period) in (0..).zip(&periods) {
        sums.add_period(host_no, period_no, period);
    }
    for (content_no, content) in (0..).zip(&contents) {
        sums.add_content(host_no, content_no, content);
    }
    true
}

/// Adds the stored contents of a host.
fn add_contents(host: &StoredHost, sums: &mut HostSums) {
    for (content_no, content) in (0..).zip(&host.contents) {
        let fields = ContentFields {
            period_no: content.period_no,
            last_crawl: content.last_crawl,
            last_fetch: content.last_fetch,
        };
        sums.add_content(host.host_no, content_no, &fields);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_ranges_of_periods_have_the_number_of_the_whole_range() {
        let sum = |ranges: &[(&[u8], u32, u32)]| {
            let numbers = ranges.iter();
            let numbers = numbers.map(|(host, first, end)| range_number(host, *first, *end));
            numbers.fold(0, u64::wrapping_add)
        };
        let whole = sum(&[(b"a", 3, 9)]);
        assert_eq!(whole, sum(&[(b"a", 7, 9), (b"a", 3, 4), (b"a", 4, 7)]));
        let others: [&[(&[u8], u32, u32)]; 4] = [
            &[(b"b", 3, 9)],
            &[(b"a", 3, 8)],
            &[(b"a", 3, 5), (b"a", 6, 9)],
            &[(b"a", 3, 9), (b"a", 3, 9)],
        ];
        for ranges in others {
            assert_ne!(whole, sum(ranges), "{ranges:?}");
        }
    }

    #[test]
    fn archives_are_found_in_ranges_without_their_ends() {
        let ranges = vec![(0, 2), (5, 6)];
        let found: Vec<i64> = (-1..8)
            .filter(|number| has_archive(&ranges, *number))
            .collect();
        assert_eq!(found, [0, 1, 5]);
        assert!(!has_archive(&Vec::new(), 0));
    }
}

//! Checks whether the tables of a history agree with each other, for `verify`.
//!
//! Every table is read once or twice, in its order. Nothing is sorted, so that memory depends on the numbers of
//! policies and archives only. Verdicts, states and shares are not computed again: docs/operations.md lists what is
//! checked.
//!
//! `agent_periods` is not in the order of the tables from which it is made. It is compared with them by a checksum
//! that is independent of order: the sum of a number for each period and crawler. The number is a hash of the first
//! capture minus a hash of the capture after the last one, so that two periods of which one continues the other have
//! the same sum as one period with all their captures.

use super::agent_periods::take_verdict;
use super::capture_record::{CaptureRecord, StateDetails, StateFields, optional_bytes};
use super::counted_domain::CountedDomain;
use super::crawl_row::CrawlRow;
use super::damaged_history_error;
use super::history_input::{HistoryCaptures, HistoryReader};
use super::keyed_rows::{KeyedReader, KeyedRows, POLICIES, PREFERENCE_SETS, PreferenceKeys};
use super::row_key::{KEY_BYTES, compute_key, key_from_text};
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
    let history = HistoryReader::open(root, manifest, stop)?;
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
    let totals = check.check_captures(&policies, &sets, &archives)?;
    check.check_crawls(&totals)?;
    check.check_contents()?;
    check.check_agent_periods(&totals)?;
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

/// Totals of the captures and the periods of hosts.
#[derive(Default)]
struct CaptureTotals {
    captures: i64,
    /// For each crawl, the numbers of its hosts and of their registered domains.
    counts: Vec<(i64, i64)>,
    /// The checksum that the rows of `agent_periods` must have.
    agent_periods: u64,
}

/// The row of `host_periods` whose captures are being read.
#[derive(Default)]
struct OpenPeriod {
    host: Vec<u8>,
    /// The name of the crawl of the last capture, as the row states it.
    last_crawl: Vec<u8>,
    domain_id: i64,
    state: Vec<u8>,
    /// The number of the last capture, plus 1.
    end: i64,
    /// The position of the crawl of the last capture that was read.
    position: u32,
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

    /// Checks the captures with their periods, and the rows of `filled_revisits`. [`HistoryCaptures`] checks that
    /// captures, periods and contents are in order, and that captures have the periods of their hosts.
    fn check_captures(
        &self,
        policies: &Policies,
        sets: &[PreferenceKeys],
        archives: &[ArchiveRanges],
    ) -> Result<CaptureTotals, Error> {
        let (table, none) = (own_tables::HOST_CAPTURES, BTreeSet::new());
        let mut totals = CaptureTotals {
            counts: vec![(0, 0); self.positions.len()],
            ..CaptureTotals::default()
        };
        let mut captures = HistoryCaptures::open(self.history, self.history.places(), &none)?;
        let mut periods = self.history.open_table(own_tables::HOST_PERIODS)?;
        let mut filled = self.history.open_table(own_tables::FILLED_REVISITS)?;
        let mut period = OpenPeriod::default();
        let mut domains = DomainRuns::<CountedDomain>::default();
        let (mut details, mut count) = (StateDetails::default(), 0);
        let mut last_filled_period = -1;
        while let Some((capture, position)) = captures.peek() {
            let capture_no = captures.capture_no();
            if capture.period_id == Some(count) {
                let fields = periods
                    .peek()
                    .ok_or_else(|| self.error(own_tables::HOST_PERIODS))?;
                self.begin_period(count, &capture, position, fields, &mut period)?;
                self.check_state(&period.state, policies, sets)?;
                self.add_periods(capture_no, &period, policies, &mut totals);
                details = StateDetails::read(&period.state);
                periods.advance()?;
                count += 1;
            }
            self.expect(table, capture.period_id == Some(count - 1))?;
            // A capture has a digest if its state has a `content_class`, and only then.
            let has_digest = details.content_class.is_empty() == capture.digest.is_empty();
            self.expect(own_tables::HOST_CONTENTS, has_digest)?;
            period.position = position;
            if capture_no + 1 == period.end {
                let last_crawl = self.positions.get(&*period.last_crawl);
                self.expect(own_tables::HOST_PERIODS, last_crawl == Some(&position))?;
            }
            let archive_no = capture.place.archive_no;
            let has_place = capture.place.offset >= 0 && capture.place.record_in_member >= 0;
            let is_known = has_archive(&archives[position as usize], archive_no);
            self.expect(table, has_place && is_known)?;
            let counts = &mut totals.counts[position as usize];
            let domain = StateFields::read(capture.state).registered_domain;
            let domain = domains.value_of(capture.surt_host_name.as_bytes(), domain);
            *counts = (counts.0 + 1, counts.1 + i64::from(domain.count(position)));
            let number = *domain.number.get_or_insert(count - 1);
            self.expect(own_tables::HOST_PERIODS, period.domain_id == number)?;
            if let Some(row) = filled.peek() {
                let mut fields = FieldReader::new(row);
                let number = fields.i64();
                if number <= capture_no {
                    let period_id = fields.i64();
                    last_filled_period = last_filled_period.max(period_id);
                    let is_open = details.revisit.is_some();
                    let is_crawl = self.positions.contains_key(fields.bytes());
                    let is_valid = number == capture_no && period_id >= 0 && is_open && is_crawl;
                    self.expect(own_tables::FILLED_REVISITS, is_valid)?;
                    filled.advance()?;
                }
            }
            totals.captures += 1;
            captures.advance()?;
        }
        self.expect(own_tables::HOST_PERIODS, periods.peek().is_none())?;
        let is_at_end = last_filled_period < count && filled.peek().is_none();
        self.expect(own_tables::FILLED_REVISITS, is_at_end)?;
        Ok(totals)
    }

    /// Reads the row of `host_periods` of a period whose first capture is `capture`, and compares its number, host
    /// and first crawl.
    fn begin_period(
        &self,
        id: i64,
        capture: &CaptureRecord<'_>,
        position: u32,
        row: &[u8],
        period: &mut OpenPeriod,
    ) -> Result<(), Error> {
        let mut fields = FieldReader::new(row);
        let is_own = fields.i64() == id && fields.bytes() == capture.surt_host_name.as_bytes();
        let is_crawl = self.positions.get(fields.bytes()) == Some(&position);
        period.last_crawl.clear();
        period.last_crawl.extend_from_slice(fields.bytes());
        self.expect(own_tables::HOST_PERIODS, is_own && is_crawl)?;
        let first_capture = fields.i64();
        period.end = first_capture.saturating_add(i64::from(fields.u32()));
        period.domain_id = fields.i64();
        period.host.clear();
        period
            .host
            .extend_from_slice(capture.surt_host_name.as_bytes());
        period.state.clear();
        period.state.extend_from_slice(fields.rest());
        Ok(())
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

    /// Adds a period of a host to the checksum of `agent_periods`, for all crawlers that its policy names.
    fn add_periods(
        &self,
        capture_no: i64,
        period: &OpenPeriod,
        policies: &Policies,
        totals: &mut CaptureTotals,
    ) {
        let state = StateFields::read(&period.state);
        let key = state.policy_id.and_then(key_from_text);
        let i = key.and_then(|key| policies.keys.binary_search(&key).ok());
        if let Some(i) = i.filter(|_| state.has_named_rows) {
            let range = range_number(&period.host, capture_no, period.end);
            let number = policies.verdicts[i].wrapping_mul(range);
            totals.agent_periods = totals.agent_periods.wrapping_add(number);
        }
    }

    /// Compares the rows of `crawls` with the hosts and domains that were counted.
    fn check_crawls(&self, totals: &CaptureTotals) -> Result<(), Error> {
        let rows = self.history.read_rows(own_tables::CRAWLS)?;
        let mut fields = Vec::new();
        for (position, row) in (0u32..).zip(&self.history.crawls) {
            let (hosts, domains) = totals.counts[position as usize];
            let row = CrawlRow {
                hosts,
                domains,
                ..row.clone()
            };
            fields.clear();
            row.put(position, &mut fields);
            self.expect(own_tables::CRAWLS, rows[position as usize] == fields)?;
        }
        Ok(())
    }

    /// Checks that rows of `host_contents` have digests, and that none continues the row before it.
    fn check_contents(&self) -> Result<(), Error> {
        let table = own_tables::HOST_CONTENTS;
        let mut rows = self.history.open_table(table)?;
        let (mut end, mut last_host, mut last_digest) = (0, Vec::new(), Vec::new());
        while let Some(row) = rows.peek() {
            let mut fields = FieldReader::new(row);
            let host = fields.bytes();
            let (first, count) = (fields.i64(), fields.u32());
            let digest = fields.bytes();
            // Consecutive captures of a host with the same digest have one row.
            let is_new = first > end || host != last_host || digest != last_digest;
            self.expect(table, is_new && !digest.is_empty())?;
            end = first.saturating_add(i64::from(count));
            (last_host, last_digest) = (host.to_vec(), digest.to_vec());
            rows.advance()?;
        }
        Ok(())
    }

    /// Checks the order of `agent_periods`, and compares its checksum with that of the periods of hosts.
    fn check_agent_periods(&self, totals: &CaptureTotals) -> Result<(), Error> {
        let table = own_tables::AGENT_PERIODS;
        let mut rows = self.history.open_table(table)?;
        let (mut sum, mut last) = (0u64, AgentRange::default());
        while let Some(row) = rows.peek() {
            let range = AgentRange::read(row);
            let is_valid = range.first < range.end && range.end <= totals.captures;
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
        self.expect(table, sum == totals.agent_periods)
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
    /// The number of the first capture.
    first: i64,
    /// The number of the last capture, plus 1.
    end: i64,
    verdict: Vec<u8>,
}

impl AgentRange {
    fn read(row: &[u8]) -> Self {
        let mut fields = FieldReader::new(row);
        let (agent, host) = (fields.bytes().to_vec(), fields.bytes().to_vec());
        optional_bytes(&mut fields);
        let crawls = [fields.bytes().to_vec(), fields.bytes().to_vec()];
        let first = fields.i64();
        let n_captures = fields.u32().cast_signed();
        Self {
            agent,
            host,
            crawls,
            first,
            end: first.saturating_add(i64::from(n_captures)),
            verdict: fields.rest().to_vec(),
        }
    }

    /// Returns true if `next` may be the next row: it has a later crawler or host, or later captures. If its captures
    /// follow directly, its verdict must be another one.
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

/// Returns a hash of a range of captures of a host, without the capture `end`. The hashes of two ranges that follow
/// each other add up to the hash of both as one range.
fn range_number(host: &[u8], first: i64, end: i64) -> u64 {
    let number = |capture_no: i64| xxh3_64(&capture_no.to_be_bytes());
    let captures = number(first).wrapping_sub(number(end));
    captures.wrapping_mul(xxh3_64(host) | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_ranges_of_captures_have_the_number_of_the_whole_range() {
        let sum = |ranges: &[(&[u8], i64, i64)]| {
            let numbers = ranges.iter();
            let numbers = numbers.map(|(host, first, end)| range_number(host, *first, *end));
            numbers.fold(0, u64::wrapping_add)
        };
        let whole = sum(&[(b"a", 3, 9)]);
        assert_eq!(whole, sum(&[(b"a", 7, 9), (b"a", 3, 4), (b"a", 4, 7)]));
        let others: [&[(&[u8], i64, i64)]; 4] = [
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

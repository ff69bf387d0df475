//! Counts hosts and registered domains by their verdict for each crawler.
//!
//! 1. Hosts are sorted by crawl and domain. Hosts whose policies name crawlers are also sorted by policy, and merged
//!    with the policies, which gives a record for each host and crawler that its policy names.
//! 2. A name in a policy decides for the crawler with this name, and for crawlers that have it as a fallback. For all
//!    others the verdict is that of `*`. Each host thus has a *move* for each crawler of the first two kinds: from
//!    the class that it has for crawlers that are not named, to the class that it has for this one.
//! 3. For each domain, the hosts are counted by class as for crawlers that are not named, and the moves of each
//!    crawler change these counts. The changes of all domains are added to the totals of crawlers that are not named.

use super::capture_record::StateDetails;
use super::crawl_row::CrawlRow;
use super::keyed_rows::KeyedRows;
use super::row_key::{KEY_BYTES, key_from_text};
use super::share_row::{Interval, ShareRow, compute_interval};
use super::verdict_class::{CLASS_COUNT, VerdictClass};
use disk::error::Error;
use sort::sort_key::{
    FieldReader, push_key_without_escapes, put_bytes, put_i64, put_key, put_u8, put_u32,
};
use sort::{Reader, SortMemory, SortedRecords, Sorter};
use std::collections::{BTreeMap, BTreeSet};

/// A crawler outside the registry has rows for a crawl only if at least this many hosts of the crawl name it.
const MIN_NAMING_HOSTS: i64 = 10;

/// The number of the largest domains that are kept for each class. A crawler changes the counts of some domains; the
/// largest of the others is among these, unless it changes the counts of all of them.
const KEPT_DOMAINS: usize = 256;

/// A crawler of the registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CountedCrawler {
    /// The names whose groups it obeys if no group names it, in order.
    pub(super) fallbacks: Vec<Vec<u8>>,
    /// True if it does not obey groups for `*`.
    pub(super) ignores_wildcard: bool,
}

/// The crawlers of the registry, by name.
pub(super) type Crawlers = BTreeMap<Vec<u8>, CountedCrawler>;

/// A host of a crawl that is to be counted.
pub(super) struct CountedHost<'a> {
    /// The position of the crawl.
    pub(super) position: u32,
    pub(super) surt_host_name: &'a [u8],
    pub(super) host_no: i64,
    pub(super) archive_no: i64,
    /// The state of the host in this crawl, with its policy and its verdict for `*`.
    pub(super) details: &'a StateDetails,
}

/// Collects and sorts the hosts that are counted.
pub(super) struct ShareCounter<'s> {
    memory: SortMemory<'s>,
    /// All hosts, by crawl and domain.
    hosts: Sorter<'s>,
    /// The hosts whose policies name crawlers, by policy.
    naming: Sorter<'s>,
    record: Vec<u8>,
}

impl<'s> ShareCounter<'s> {
    pub(super) fn new(memory: SortMemory<'s>) -> Self {
        Self {
            memory,
            hosts: memory.create_sorter(),
            naming: memory.create_sorter(),
            record: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, host: &CountedHost<'_>) -> Result<(), Error> {
        let details = host.details;
        let domain = details.registered_domain.as_deref();
        let record = &mut self.record;
        let put_host = |record: &mut Vec<u8>| {
            put_u32(record, host.position);
            put_key(record, domain.unwrap_or(host.surt_host_name));
            put_i64(record, host.host_no);
        };
        record.clear();
        put_host(record);
        put_u8(record, details.wildcard.number());
        put_u8(record, details.has_named_rows.into());
        put_i64(record, host.archive_no);
        self.hosts.push(record)?;
        let key = details.policy_id.as_deref().and_then(key_from_text);
        if let Some(key) = key.filter(|_| details.has_named_rows) {
            record.clear();
            record.extend_from_slice(&key);
            put_host(record);
            self.naming.push(record)?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<CountedHosts<'s>, Error> {
        Ok(CountedHosts {
            memory: self.memory,
            hosts: self.hosts.finish()?,
            naming: self.naming.finish()?,
        })
    }
}

/// All hosts that are counted, sorted as in [`ShareCounter`].
pub(super) struct CountedHosts<'s> {
    memory: SortMemory<'s>,
    hosts: SortedRecords<'s>,
    naming: SortedRecords<'s>,
}

/// Merges hosts with their policies. The result has a record for each host and crawler that its policy names.
pub(super) struct NamesOfHosts<'h, 's> {
    naming: Reader<'h>,
    names: Sorter<'s>,
    record: Vec<u8>,
}

impl<'s> CountedHosts<'s> {
    /// Begins to merge the hosts with their policies, which the caller pushes.
    pub(super) fn names(&self) -> Result<NamesOfHosts<'_, 's>, Error> {
        Ok(NamesOfHosts {
            naming: self.naming.read()?,
            names: self.memory.create_sorter(),
            record: Vec::new(),
        })
    }
}

impl<'s> NamesOfHosts<'_, 's> {
    /// Adds the crawlers that a policy names, for each host with this policy. Policies must be pushed in the order of
    /// keys.
    pub(super) fn push(&mut self, policy: &KeyedRows<'_>) -> Result<(), Error> {
        while let Some(record) = self.naming.peek() {
            let (key, host) = record.split_at(KEY_BYTES);
            if key != policy.key {
                break;
            }
            for (agent, class) in policy.named_classes() {
                self.record.clear();
                self.record.extend_from_slice(host);
                put_u8(&mut self.record, class.number());
                put_bytes(&mut self.record, agent);
                self.names.push(&self.record)?;
            }
            self.naming.advance()?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<SortedRecords<'s>, Error> {
        self.names.finish()
    }
}

/// Returns the class of a host for crawlers that its policy does not name. `wildcard` is its class for `*`.
fn default_class(
    wildcard: VerdictClass,
    has_named_rows: bool,
    ignores_wildcard: bool,
) -> VerdictClass {
    match (has_named_rows, ignores_wildcard && !wildcard.is_by_status()) {
        (false, _) => VerdictClass::UNKNOWN_NAMES,
        (true, true) => VerdictClass::ALLOWED_WITHOUT_GROUP,
        (true, false) => wildcard,
    }
}

/// The kinds of crawlers that a file does not name: a host has one class for all crawlers of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnnamedKind {
    /// `*` itself.
    Wildcard,
    /// Crawlers that obey the groups of `*`.
    Obeying,
    /// Crawlers that ignore these groups.
    IgnoringWildcard,
}

const UNNAMED_KINDS: [UnnamedKind; 3] = [
    UnnamedKind::Wildcard,
    UnnamedKind::Obeying,
    UnnamedKind::IgnoringWildcard,
];

impl UnnamedKind {
    fn class(self, wildcard: VerdictClass, has_named_rows: bool) -> VerdictClass {
        match self {
            Self::Wildcard => wildcard,
            Self::Obeying => default_class(wildcard, has_named_rows, false),
            Self::IgnoringWildcard => default_class(wildcard, has_named_rows, true),
        }
    }

    /// Returns the kind of a crawler; `None` is a crawler outside the registry.
    fn of(crawler: Option<&CountedCrawler>) -> Self {
        match crawler.is_some_and(|crawler| crawler.ignores_wildcard) {
            true => Self::IgnoringWildcard,
            false => Self::Obeying,
        }
    }
}

/// A count of hosts or domains for each class, at the number of the class.
type ClassCounts = [i64; CLASS_COUNT];

/// The totals of a crawl for one kind of unnamed crawlers.
#[derive(Clone, Debug)]
struct Totals {
    hosts: ClassCounts,
    /// The domains that have hosts of the class.
    domains: ClassCounts,
    /// For each class, the [`KEPT_DOMAINS`] domains with most hosts: the number of these hosts, and the number of the
    /// domain.
    largest: Vec<Vec<(i64, u64)>>,
    /// If the crawl is a sample, the hosts of each archive by class. The key is the number of the archive.
    archives: BTreeMap<i64, ClassCounts>,
}

impl Totals {
    fn new() -> Self {
        Self {
            hosts: [0; CLASS_COUNT],
            domains: [0; CLASS_COUNT],
            largest: vec![Vec::new(); CLASS_COUNT],
            archives: BTreeMap::new(),
        }
    }

    /// Adds the hosts of the domain with this number.
    fn add_domain(&mut self, number: u64, counts: &ClassCounts) {
        for (class, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            self.hosts[class] += count;
            self.domains[class] += 1;
            let largest = &mut self.largest[class];
            if largest.len() < KEPT_DOMAINS || largest.last().is_some_and(|last| last.0 < count) {
                let place = largest.partition_point(|(other, _)| *other >= count);
                largest.insert(place, (count, number));
                largest.truncate(KEPT_DOMAINS);
            }
        }
    }
}

/// Counts the hosts, and adds the rows of `shares` of all crawlers to `rows`. `names` is the result of
/// [`NamesOfHosts`].
pub(super) fn count_shares(
    hosts: &CountedHosts<'_>,
    names: &SortedRecords<'_>,
    crawlers: &Crawlers,
    crawls: &[CrawlRow],
    rows: &mut Sorter<'_>,
) -> Result<(), Error> {
    let moves = sort_moves(hosts, names, crawlers)?;
    let mut changes = hosts.memory.create_sorter();
    let totals = count_domains(hosts, &moves, crawlers, crawls, &mut changes)?;
    drop(moves);
    write_rows(&changes.finish()?, &totals, crawlers, crawls, rows)
}

/// Sorts the moves: a record for each host and each crawler that its policy names directly or by a fallback. A record
/// has the crawl, the domain, the crawler, a flag that is true if the policy names the crawler directly, the class of
/// its verdict, and the fields of the host.
fn sort_moves<'s>(
    hosts: &CountedHosts<'s>,
    names: &SortedRecords<'_>,
    crawlers: &Crawlers,
) -> Result<SortedRecords<'s>, Error> {
    let mut by_fallback: BTreeMap<&[u8], Vec<&[u8]>> = BTreeMap::new();
    for (name, crawler) in crawlers {
        for fallback in &crawler.fallbacks {
            by_fallback.entry(fallback).or_default().push(name);
        }
    }
    let mut moves = hosts.memory.create_sorter();
    let (mut reader, mut names) = (hosts.hosts.read()?, names.read()?);
    let mut of_host: BTreeMap<Vec<u8>, VerdictClass> = BTreeMap::new();
    let mut record = Vec::new();
    while let Some(host) = reader.peek() {
        let mut fields = FieldReader::new(host);
        fields.u32();
        fields.key();
        let domain_bytes = host.len() - fields.rest().len();
        let key_bytes = domain_bytes + size_of::<i64>();
        let (key, fields) = host.split_at(key_bytes);
        of_host.clear();
        while let Some(name) = names.peek().and_then(|record| record.strip_prefix(key)) {
            let mut name = FieldReader::new(name);
            let class = VerdictClass::from_number(name.u8());
            of_host.insert(name.bytes().to_vec(), class);
            names.advance()?;
        }
        let mut push = |agent: &[u8], class: VerdictClass, is_named: bool| {
            record.clear();
            record.extend_from_slice(&host[..domain_bytes]);
            put_key(&mut record, agent);
            put_u8(&mut record, is_named.into());
            put_u8(&mut record, class.number());
            record.extend_from_slice(fields);
            moves.push(&record)
        };
        let mut falling: BTreeSet<&[u8]> = BTreeSet::new();
        for (name, class) in &of_host {
            push(name, *class, true)?;
            falling.extend(by_fallback.get(&name[..]).into_iter().flatten());
        }
        for name in falling
            .into_iter()
            .filter(|name| !of_host.contains_key(*name))
        {
            let mut fallbacks = crawlers[name].fallbacks.iter();
            if let Some(class) = fallbacks.find_map(|fallback| of_host.get(fallback)) {
                push(name, *class, false)?;
            }
        }
        reader.advance()?;
    }
    moves.finish()
}

/// The fields of a host after its key: its class for `*`, the column `has_named_rows`, and the number of its archive.
#[derive(Clone, Copy)]
struct HostFields {
    wildcard: VerdictClass,
    has_named_rows: bool,
    archive_no: i64,
}

impl HostFields {
    fn read(fields: &mut FieldReader<'_>) -> Self {
        Self {
            wildcard: VerdictClass::from_number(fields.u8()),
            has_named_rows: fields.u8() != 0,
            archive_no: fields.i64(),
        }
    }
}

// The kinds of changes of a crawler, in the order in which they sort: the number of hosts of a domain that name it, a
// class of a domain, and a class of an archive.
const NAMING_HOSTS: u8 = 0;
const DOMAIN_CHANGE: u8 = 1;
const ARCHIVE_CHANGE: u8 = 2;

/// Counts the hosts of each domain, and adds the changes of crawlers to `changes`. Returns the totals of each
/// crawl for each kind of unnamed crawlers.
fn count_domains(
    hosts: &CountedHosts<'_>,
    moves: &SortedRecords<'_>,
    crawlers: &Crawlers,
    crawls: &[CrawlRow],
    changes: &mut Sorter<'_>,
) -> Result<BTreeMap<u32, [Totals; 3]>, Error> {
    let mut totals: BTreeMap<u32, [Totals; 3]> = BTreeMap::new();
    let (mut reader, mut moves) = (hosts.hosts.read()?, moves.read()?);
    let mut domain = Vec::new();
    let mut number = 0;
    while let Some(host) = reader.peek() {
        let mut fields = FieldReader::new(host);
        let position = fields.u32();
        fields.key();
        domain.clear();
        domain.extend_from_slice(&host[..host.len() - fields.rest().len()]);
        let is_sample = crawls[position as usize].is_sample;
        let new = || UNNAMED_KINDS.map(|_| Totals::new());
        let of_crawl = totals.entry(position).or_insert_with(new);
        let mut counts = UNNAMED_KINDS.map(|_| [0; CLASS_COUNT]);
        while let Some(fields) = reader
            .peek()
            .and_then(|host| host.strip_prefix(&domain[..]))
        {
            let mut fields = FieldReader::new(fields);
            fields.i64();
            let host = HostFields::read(&mut fields);
            for (i, unnamed) in UNNAMED_KINDS.into_iter().enumerate() {
                let class = unnamed.class(host.wildcard, host.has_named_rows);
                counts[i][usize::from(class.number())] += 1;
                if is_sample {
                    let archives = &mut of_crawl[i].archives;
                    let archive = archives.entry(host.archive_no).or_insert([0; CLASS_COUNT]);
                    archive[usize::from(class.number())] += 1;
                }
            }
            reader.advance()?;
        }
        for (totals, counts) in of_crawl.iter_mut().zip(&counts) {
            totals.add_domain(number, counts);
        }
        let change = DomainChange {
            position,
            number,
            is_sample,
            counts: &counts,
        };
        change.push_changes(&domain, &mut moves, crawlers, changes)?;
        number += 1;
    }
    Ok(totals)
}

/// A domain of a crawl, with the counts of its hosts for crawlers that are not named.
struct DomainChange<'c> {
    position: u32,
    /// The number of the domain, in the order in which domains are counted.
    number: u64,
    is_sample: bool,
    /// For each kind of unnamed crawlers.
    counts: &'c [ClassCounts; 3],
}

impl DomainChange<'_> {
    /// Adds to `changes` the changes of all crawlers that have moves in this domain. The records of these moves begin
    /// with `domain`.
    fn push_changes(
        &self,
        domain: &[u8],
        moves: &mut Reader<'_>,
        crawlers: &Crawlers,
        changes: &mut Sorter<'_>,
    ) -> Result<(), Error> {
        let (mut agent_key, mut record, mut agent) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(fields) = moves.peek().and_then(|record| record.strip_prefix(domain)) {
            agent_key.clear();
            agent_key.extend_from_slice(FieldReader::new(fields).key());
            agent.clear();
            push_key_without_escapes(&mut agent, &agent_key);
            let unnamed = UnnamedKind::of(crawlers.get(&agent));
            let mut change: ClassCounts = [0; CLASS_COUNT];
            let mut naming = 0;
            let start = |record: &mut Vec<u8>, kind: u8| {
                record.clear();
                put_u32(record, self.position);
                record.extend_from_slice(&agent_key);
                put_u8(record, kind);
            };
            while let Some(fields) = moves.peek().and_then(|record| record.strip_prefix(domain))
                && let Some(fields) = fields.strip_prefix(&agent_key[..])
            {
                let mut fields = FieldReader::new(fields);
                naming += i64::from(fields.u8());
                let class = VerdictClass::from_number(fields.u8());
                let host = HostFields::read(&mut fields);
                let before = unnamed.class(host.wildcard, host.has_named_rows);
                for (class, by) in [(before, -1), (class, 1)] {
                    change[usize::from(class.number())] += by;
                    if self.is_sample {
                        start(&mut record, ARCHIVE_CHANGE);
                        put_i64(&mut record, host.archive_no);
                        put_u8(&mut record, class.number());
                        put_i64(&mut record, by);
                        changes.push(&record)?;
                    }
                }
                moves.advance()?;
            }
            start(&mut record, NAMING_HOSTS);
            put_i64(&mut record, naming);
            changes.push(&record)?;
            let counts = &self.counts[unnamed as usize];
            for (class, by) in change.into_iter().enumerate().filter(|(_, by)| *by != 0) {
                let (before, after) = (counts[class], counts[class] + by);
                start(&mut record, DOMAIN_CHANGE);
                put_u8(&mut record, class as u8);
                put_i64(&mut record, self.number.cast_signed());
                put_i64(&mut record, by);
                put_i64(&mut record, i64::from(after > 0) - i64::from(before > 0));
                put_i64(&mut record, after);
                changes.push(&record)?;
            }
        }
        Ok(())
    }
}

/// The counts of a crawler in a crawl.
struct CrawlerCounts<'t> {
    totals: &'t Totals,
    hosts: ClassCounts,
    domains: ClassCounts,
    /// For each class, the hosts of the largest domain whose count was changed, after the change.
    largest_changed: ClassCounts,
    /// For each class, the numbers of the domains in [`Totals::largest`] whose counts were changed.
    changed: Vec<BTreeSet<u64>>,
    /// If the crawl is a sample, the changes of the counts of hosts of each archive, by the number of the archive.
    archives: BTreeMap<i64, ClassCounts>,
    /// The number of hosts that name the crawler.
    naming: i64,
}

impl<'t> CrawlerCounts<'t> {
    fn new(totals: &'t Totals) -> Self {
        Self {
            totals,
            hosts: totals.hosts,
            domains: totals.domains,
            largest_changed: [0; CLASS_COUNT],
            changed: vec![BTreeSet::new(); CLASS_COUNT],
            archives: BTreeMap::new(),
            naming: 0,
        }
    }

    /// Adds a change: the fields of its record after the crawler.
    fn add_change(&mut self, fields: &mut FieldReader<'_>) {
        match fields.u8() {
            NAMING_HOSTS => self.naming += fields.i64(),
            DOMAIN_CHANGE => {
                let class = usize::from(VerdictClass::from_number(fields.u8()).number());
                let number = fields.i64().cast_unsigned();
                self.hosts[class] += fields.i64();
                self.domains[class] += fields.i64();
                let after = fields.i64();
                self.largest_changed[class] = self.largest_changed[class].max(after);
                let mut kept = self.totals.largest[class].iter();
                if kept.any(|(_, other)| *other == number) {
                    self.changed[class].insert(number);
                }
            }
            _ => {
                let archive = self
                    .archives
                    .entry(fields.i64())
                    .or_insert([0; CLASS_COUNT]);
                let class = VerdictClass::from_number(fields.u8());
                archive[usize::from(class.number())] += fields.i64();
            }
        }
    }

    /// Returns the number of hosts of the largest domain of a class.
    fn largest_domain(&self, class: usize) -> i64 {
        let changed = &self.changed[class];
        let mut kept = self.totals.largest[class].iter();
        let unchanged = kept.find(|(_, number)| !changed.contains(number));
        let unchanged = unchanged.map_or(0, |(count, _)| *count);
        unchanged.max(self.largest_changed[class])
    }

    /// Adds the rows of `shares` of the crawler: one for each class that has hosts.
    fn push_rows(
        &self,
        agent: &[u8],
        position: u32,
        crawl: &CrawlRow,
        rows: &mut Sorter<'_>,
    ) -> Result<(), Error> {
        let classes = (0..CLASS_COUNT as u8).map(VerdictClass::from_number);
        let classes: Vec<VerdictClass> = classes.collect();
        let known = classes.iter().filter(|class| class.is_known());
        let known_hosts = known
            .map(|class| self.hosts[usize::from(class.number())])
            .sum();
        for class in classes {
            let i = usize::from(class.number());
            if self.hosts[i] <= 0 {
                continue;
            }
            let interval = match crawl.is_sample && class.is_known() {
                true => self.interval(class, known_hosts, crawl),
                false => None,
            };
            ShareRow {
                agent,
                position,
                class,
                hosts: self.hosts[i],
                known_hosts,
                domains: self.domains[i],
                largest_domain: self.largest_domain(i),
                interval,
            }
            .push(&crawl.crawl, rows)?;
        }
        Ok(())
    }

    fn interval(
        &self,
        class: VerdictClass,
        known_hosts: i64,
        crawl: &CrawlRow,
    ) -> Option<Interval> {
        let by_archive = self.totals.archives.iter().map(|(archive_no, counts)| {
            let change = self.archives.get(archive_no);
            let count = |class: usize| counts[class] + change.map_or(0, |change| change[class]);
            let classes = (0..CLASS_COUNT as u8).map(VerdictClass::from_number);
            let known = classes.filter(|class| class.is_known());
            let known: i64 = known.map(|class| count(usize::from(class.number()))).sum();
            (count(usize::from(class.number())), known)
        });
        compute_interval(by_archive, known_hosts, crawl)
    }
}

/// Adds the changes of each crawler to the totals of its kind, and its rows of `shares` to `rows`. A crawler of
/// the registry without changes has the totals of its kind.
fn write_rows(
    changes: &SortedRecords<'_>,
    totals: &BTreeMap<u32, [Totals; 3]>,
    crawlers: &Crawlers,
    crawls: &[CrawlRow],
    rows: &mut Sorter<'_>,
) -> Result<(), Error> {
    let mut reader = changes.read()?;
    let mut agent = Vec::new();
    for (&position, of_crawl) in totals {
        let crawl = &crawls[position as usize];
        let totals_for = |unnamed: UnnamedKind| &of_crawl[unnamed as usize];
        CrawlerCounts::new(totals_for(UnnamedKind::Wildcard))
            .push_rows(b"*", position, crawl, rows)?;
        let mut written: BTreeSet<Vec<u8>> = BTreeSet::new();
        let mut prefix = Vec::new();
        while let Some(record) = reader.peek() {
            let mut fields = FieldReader::new(record);
            if fields.u32() != position {
                break;
            }
            let key = fields.key();
            agent.clear();
            push_key_without_escapes(&mut agent, key);
            prefix.clear();
            prefix.extend_from_slice(&record[..record.len() - fields.rest().len()]);
            let crawler = crawlers.get(&agent);
            let mut counts = CrawlerCounts::new(totals_for(UnnamedKind::of(crawler)));
            while let Some(change) = reader
                .peek()
                .and_then(|record| record.strip_prefix(&prefix[..]))
            {
                counts.add_change(&mut FieldReader::new(change));
                reader.advance()?;
            }
            if crawler.is_some() {
                written.insert(agent.clone());
            } else if counts.naming < MIN_NAMING_HOSTS {
                continue;
            }
            counts.push_rows(&agent, position, crawl, rows)?;
        }
        for (name, crawler) in crawlers.iter().filter(|(name, _)| !written.contains(*name)) {
            let totals = totals_for(UnnamedKind::of(Some(crawler)));
            CrawlerCounts::new(totals).push_rows(name, position, crawl, rows)?;
        }
    }
    Ok(())
}

//! Counts hosts and registered domains by their verdict for each crawler.
//!
//! 1. Hosts are sorted by crawl and domain. Hosts whose policies name crawlers are also sorted by policy, and merged
//!    with the policies, which gives a record for each host and crawler that its policy names.
//! 2. A name in a policy decides for the crawler with this name, and for crawlers that have it as a fallback. For all
//!    others the verdict is that of `*`. Each host thus has a *class move* for each crawler of the first two kinds: from
//!    the class that it has for crawlers that are not named, to the class that it has for this one.
//! 3. For each domain, the hosts are counted by class as for crawlers that are not named, and the moves of each
//!    crawler change these counts. The changes of all domains are added to the totals of crawlers that are not named.

use crate::policies::keyed_rows::{KeyedRows, NAMED_VERDICTS};
use crate::policies::row_key::{RowKey, key_from_text};
use crate::policies::verdict_class::{CLASS_COUNT, VerdictClass};
use crate::read::agents::AGENT;
use crate::read::capture_record::CountedState;
use crate::read::crawl_row::CrawlRow;
use crate::shares::share_row::{Interval, ShareRow, SortedShare, compute_interval, push_share};
use dataset::Word;
use errors::Error;
use sort::{Field, GroupKey, Key, Reader, SortMemory, SortedRecords, Sorter, codes, record};
use std::collections::{BTreeMap, BTreeSet};

/// A crawler outside the registry has rows for a crawl only if at least this many hosts of the crawl name it.
const MIN_NAMING_HOSTS: i64 = 10;

/// The number of the largest domains that are kept for each class. A crawler changes the counts of some domains; the
/// largest of the others is among these, unless it changes the counts of all of them.
const KEPT_DOMAINS: usize = 256;

/// A crawler of the registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CountedCrawler {
    /// The names whose groups it obeys if no group names it, in order.
    pub(crate) fallbacks: Vec<Vec<u8>>,
    /// True if it does not obey groups for `*`.
    pub(crate) ignores_wildcard: bool,
}

/// The crawlers of the registry, by name.
pub(crate) type Crawlers = BTreeMap<Vec<u8>, CountedCrawler>;

/// A host of a crawl that is to be counted.
pub(crate) struct CountedHost<'a> {
    /// The position of the crawl.
    pub(crate) position: u32,
    pub(crate) surt_host_name: &'a [u8],
    pub(crate) host_no: i64,
    pub(crate) archive_no: i64,
    /// The state of the host in this crawl, with its policy and its verdict for `*`.
    pub(crate) state: &'a CountedState<'a>,
}

/// A crawl and a registered domain, or a host without one.
type DomainKey = (u32, Key<'static>);

/// A host of a domain, by its number.
type HostKey = (DomainKey, i64);

record! {
    /// A host that is counted.
    struct HostFields {
        /// Its class for `*`.
        wildcard: VerdictClass,
        has_named_rows: bool,
        archive_no: i64,
    }
}

record! {
    /// The class of a host for a crawler that its policy names.
    pub(crate) struct NamedClass<'a> {
        class: VerdictClass,
        agent: &'a [u8],
    }
}

/// A host and a crawler that its policy names.
pub(crate) type NameOfHost = (HostKey, NamedClass<'static>);

/// A host that is counted.
type HostOfDomain = (HostKey, HostFields);

record! {
    /// A move of a host for a crawler.
    struct ClassMove {
        /// True if the policy names the crawler directly.
        is_named: bool,
        /// The class of the host for the crawler.
        class: VerdictClass,
        host: HostFields,
    }
}

/// A move, by domain and crawler.
type ClassMoveInDomain = ((DomainKey, Key<'static>), ClassMove);

/// The counts that a [`Change`] changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChangeKind {
    /// The number of hosts that name the crawler.
    NamingHosts,
    /// The counts of a domain.
    Domain,
    /// The count of an archive.
    Archive,
}

codes! { ChangeKind: NamingHosts, Domain, Archive }

record! {
    /// A change of the counts of a crawler in a crawl.
    struct Change {
        kind: ChangeKind,
        /// The class whose count changes.
        class: VerdictClass,
        /// The number of the domain or of the archive.
        number: i64,
        /// The change of the number of hosts.
        hosts: i64,
        /// The change of the number of domains.
        domains: i64,
        /// The hosts of the domain after the change.
        hosts_after: i64,
    }
}

/// A change, by the position of the crawl and the crawler.
type ChangeOfCrawler = ((u32, Key<'static>), Change);

/// Collects and sorts the hosts that are counted.
pub(crate) struct ShareCounter<'s> {
    memory: SortMemory<'s>,
    /// All hosts.
    hosts: Sorter<'s, HostOfDomain>,
    /// The hosts whose policies name crawlers, by policy.
    naming: Sorter<'s, (RowKey, HostKey)>,
    /// A buffer for a key.
    escaped: Vec<u8>,
}

impl<'s> ShareCounter<'s> {
    pub(crate) fn new(memory: SortMemory<'s>) -> Self {
        Self {
            memory,
            hosts: memory.create_sorter(),
            naming: memory.create_sorter(),
            escaped: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, host: &CountedHost<'_>) -> Result<(), Error> {
        let state = host.state;
        let domain = state.url_host_registered_domain;
        let domain = domain.unwrap_or(host.surt_host_name);
        let domain = (host.position, Key::new(domain, &mut self.escaped));
        let key = (domain, host.host_no);
        let (Word(verdict), Word(basis)) = (state.wildcard_verdict, state.wildcard_basis);
        let fields = HostFields {
            wildcard: VerdictClass::new(verdict, basis),
            has_named_rows: state.has_named_rows,
            archive_no: host.archive_no,
        };
        self.hosts.push((key, fields))?;
        let policy = state.policy_id.and_then(key_from_text);
        match policy.filter(|_| state.has_named_rows) {
            Some(policy) => self.naming.push((policy, key)),
            None => Ok(()),
        }
    }

    pub(crate) fn finish(self) -> Result<CountedHosts<'s>, Error> {
        Ok(CountedHosts {
            memory: self.memory,
            hosts: self.hosts.finish()?,
            naming: self.naming.finish()?,
        })
    }
}

/// All hosts that are counted, sorted as in [`ShareCounter`].
pub(crate) struct CountedHosts<'s> {
    memory: SortMemory<'s>,
    hosts: SortedRecords<'s, HostOfDomain>,
    naming: SortedRecords<'s, (RowKey, HostKey)>,
}

/// Merges hosts with their policies. The result has a record for each host and crawler that its policy names.
pub(crate) struct NamesOfHosts<'h, 's> {
    naming: Reader<'h, (RowKey, HostKey)>,
    names: Sorter<'s, NameOfHost>,
}

impl<'s> CountedHosts<'s> {
    /// Begins to merge the hosts with their policies, which the caller pushes.
    pub(crate) fn names(&self) -> Result<NamesOfHosts<'_, 's>, Error> {
        Ok(NamesOfHosts {
            naming: self.naming.read()?,
            names: self.memory.create_sorter(),
        })
    }
}

impl<'s> NamesOfHosts<'_, 's> {
    /// Adds the crawlers that a policy names, for each host with this policy. Policies must be pushed in the order of
    /// keys.
    pub(crate) fn push(&mut self, key: &RowKey, policy: &KeyedRows<'_>) -> Result<(), Error> {
        let key = GroupKey::new(*key);
        while let Some(host) = self.naming.next_of(&key)? {
            for (verdict, _) in NAMED_VERDICTS.rows(policy.verdicts()) {
                let (class, agent) = (verdict.class(), verdict.agent);
                if class.is_of_group() {
                    self.names.push((host, NamedClass { class, agent }))?;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<SortedRecords<'s, NameOfHost>, Error> {
        self.names.finish()
    }
}

/// Returns the class of a host for crawlers that its policy does not name. `wildcard` is its class for `*`.
fn default_class(
    wildcard: VerdictClass,
    has_named_rows: bool,
    ignores_wildcard: bool,
) -> VerdictClass {
    if !has_named_rows {
        VerdictClass::UNKNOWN_NAMES
    } else if ignores_wildcard && !wildcard.is_by_status() {
        VerdictClass::ALLOWED_WITHOUT_GROUP
    } else {
        wildcard
    }
}

/// The kinds of crawlers that a file does not name: a host has one class for all crawlers of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnnamedCrawlerKind {
    /// `*` itself.
    Wildcard,
    /// Crawlers that obey the groups of `*`.
    Obeying,
    /// Crawlers that ignore these groups.
    IgnoringWildcard,
}

/// All kinds of crawlers that a file does not name.
const UNNAMED_CRAWLER_KINDS: [UnnamedCrawlerKind; 3] = [
    UnnamedCrawlerKind::Wildcard,
    UnnamedCrawlerKind::Obeying,
    UnnamedCrawlerKind::IgnoringWildcard,
];

impl UnnamedCrawlerKind {
    fn class(self, wildcard: VerdictClass, has_named_rows: bool) -> VerdictClass {
        match self {
            Self::Wildcard => wildcard,
            Self::Obeying => default_class(wildcard, has_named_rows, false),
            Self::IgnoringWildcard => default_class(wildcard, has_named_rows, true),
        }
    }

    /// Returns the kind of a crawler; `None` is a crawler outside the registry.
    fn of(crawler: Option<&CountedCrawler>) -> Self {
        if crawler.is_some_and(|crawler| crawler.ignores_wildcard) {
            Self::IgnoringWildcard
        } else {
            Self::Obeying
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
pub(crate) fn count_shares(
    hosts: &CountedHosts<'_>,
    names: &SortedRecords<'_, NameOfHost>,
    crawlers: &Crawlers,
    crawls: &[CrawlRow],
    rows: &mut Sorter<'_, SortedShare>,
) -> Result<(), Error> {
    let moves = sort_class_moves(hosts, names, crawlers)?;
    let mut changes = hosts.memory.create_sorter();
    let totals = count_domains(hosts, &moves, crawlers, crawls, &mut changes)?;
    drop(moves);
    write_rows(&changes.finish()?, &totals, crawlers, crawls, rows)
}

/// Sorts the class moves: one for each host and each crawler that its policy names directly or by a fallback.
fn sort_class_moves<'s>(
    hosts: &CountedHosts<'s>,
    names: &SortedRecords<'_, NameOfHost>,
    crawlers: &Crawlers,
) -> Result<SortedRecords<'s, ClassMoveInDomain>, Error> {
    let mut by_fallback: BTreeMap<&[u8], Vec<&[u8]>> = BTreeMap::new();
    for (name, crawler) in crawlers {
        for fallback in &crawler.fallbacks {
            by_fallback.entry(fallback).or_default().push(name);
        }
    }
    let mut moves = hosts.memory.create_sorter::<ClassMoveInDomain>();
    let (mut reader, mut names) = (hosts.hosts.read()?, names.read()?);
    let mut of_host: BTreeMap<Vec<u8>, VerdictClass> = BTreeMap::new();
    let (mut key, mut escaped) = (GroupKey::default(), Vec::new());
    while let Some((host_key, host)) = reader.next_record()? {
        key.set(host_key);
        of_host.clear();
        while let Some(NamedClass { class, agent }) = names.next_of(&key)? {
            of_host.insert(agent.to_vec(), class);
        }
        let (domain, _) = host_key;
        let mut push = |agent: &[u8], class: VerdictClass, is_named: bool| {
            let agent = Key::new(agent, &mut escaped);
            let moved = ClassMove {
                is_named,
                class,
                host,
            };
            moves.push(((domain, agent), moved))
        };
        let mut falling: BTreeSet<&[u8]> = BTreeSet::new();
        for (name, class) in &of_host {
            push(name, *class, true)?;
            falling.extend(by_fallback.get(&name[..]).into_iter().flatten());
        }
        falling.retain(|name| !of_host.contains_key(*name));
        for name in falling {
            let mut fallbacks = crawlers[name].fallbacks.iter();
            if let Some(class) = fallbacks.find_map(|fallback| of_host.get(fallback)) {
                push(name, *class, false)?;
            }
        }
    }
    moves.finish()
}

/// Counts the hosts of each domain, and adds the changes of crawlers to `changes`. Returns the totals of each
/// crawl for each kind of unnamed crawlers.
fn count_domains(
    hosts: &CountedHosts<'_>,
    moves: &SortedRecords<'_, ClassMoveInDomain>,
    crawlers: &Crawlers,
    crawls: &[CrawlRow],
    changes: &mut Sorter<'_, ChangeOfCrawler>,
) -> Result<BTreeMap<u32, [Totals; 3]>, Error> {
    let mut totals: BTreeMap<u32, [Totals; 3]> = BTreeMap::new();
    let (mut reader, mut moves) = (hosts.hosts.read()?, moves.read()?);
    let mut domain = GroupKey::<DomainKey>::default();
    let mut number = 0;
    while let Some(((next, _), _)) = reader.peek()? {
        domain.set(next);
        let (position, _) = domain.get();
        let is_sample = crawls[position as usize].is_sample;
        let new = || UNNAMED_CRAWLER_KINDS.map(|_| Totals::new());
        let of_crawl = totals.entry(position).or_insert_with(new);
        let mut counts = UNNAMED_CRAWLER_KINDS.map(|_| [0; CLASS_COUNT]);
        let is_of_domain = |((of, _), _): HostAndFields<'_>| of == domain.get();
        while let Some((_, host)) = reader.next_if(is_of_domain)? {
            for (i, unnamed) in UNNAMED_CRAWLER_KINDS.into_iter().enumerate() {
                let class = unnamed.class(host.wildcard, host.has_named_rows);
                counts[i][class.index()] += 1;
                if is_sample {
                    let archives = &mut of_crawl[i].archives;
                    let archive = archives.entry(host.archive_no).or_insert([0; CLASS_COUNT]);
                    archive[class.index()] += 1;
                }
            }
        }
        for (totals, counts) in of_crawl.iter_mut().zip(&counts) {
            totals.add_domain(number, counts);
        }
        let change = DomainChange {
            domain: &domain,
            number,
            is_sample,
            counts: &counts,
        };
        change.push_changes(&mut moves, crawlers, changes)?;
        number += 1;
    }
    Ok(totals)
}

/// A record of [`HostOfDomain`].
type HostAndFields<'a> = (((u32, Key<'a>), i64), HostFields);

/// A domain of a crawl, with the counts of its hosts for crawlers that are not named.
struct DomainChange<'c> {
    domain: &'c GroupKey<DomainKey>,
    /// The number of the domain, in the order in which domains are counted.
    number: u64,
    is_sample: bool,
    /// The numbers of hosts with each class of verdicts, for each kind of crawlers in [`UNNAMED_CRAWLER_KINDS`].
    counts: &'c [ClassCounts; 3],
}

impl DomainChange<'_> {
    /// Adds to `changes` the changes of all crawlers that have moves in this domain.
    fn push_changes(
        &self,
        moves: &mut Reader<'_, ClassMoveInDomain>,
        crawlers: &Crawlers,
        changes: &mut Sorter<'_, ChangeOfCrawler>,
    ) -> Result<(), Error> {
        let (mut key, mut agent) = (GroupKey::default(), Vec::new());
        let domain = self.domain.get();
        while moves.peek()?.is_some_and(|((of, _), _)| of == domain) {
            moves.next_group(&mut key)?;
            let ((position, _), agent_key) = key.get();
            agent_key.write_original(&mut agent);
            let unnamed = UnnamedCrawlerKind::of(crawlers.get(&agent));
            let mut push = |change: Change| changes.push(((position, agent_key), change));
            let mut change: ClassCounts = [0; CLASS_COUNT];
            let mut naming = 0;
            while let Some(ClassMove {
                is_named,
                class,
                host,
            }) = moves.next_of(&key)?
            {
                naming += i64::from(is_named);
                let before = unnamed.class(host.wildcard, host.has_named_rows);
                for (class, hosts) in [(before, -1), (class, 1)] {
                    change[class.index()] += hosts;
                    if self.is_sample {
                        let number = host.archive_no;
                        push(Change::new(ChangeKind::Archive, class, number, hosts))?;
                    }
                }
            }
            push(Change::new(
                ChangeKind::NamingHosts,
                VerdictClass::UNKNOWN_NAMES,
                0,
                naming,
            ))?;
            let counts = &self.counts[unnamed as usize];
            for class in VerdictClass::all().filter(|class| change[class.index()] != 0) {
                let by = change[class.index()];
                let (before, after) = (counts[class.index()], counts[class.index()] + by);
                let number = self.number.cast_signed();
                push(Change {
                    domains: i64::from(after > 0) - i64::from(before > 0),
                    hosts_after: after,
                    ..Change::new(ChangeKind::Domain, class, number, by)
                })?;
            }
        }
        Ok(())
    }
}

impl Change {
    /// Creates a change of a number of hosts.
    fn new(kind: ChangeKind, class: VerdictClass, number: i64, hosts: i64) -> Self {
        Self {
            kind,
            class,
            number,
            hosts,
            domains: 0,
            hosts_after: 0,
        }
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

    fn add_change(&mut self, change: &Change) {
        let class = change.class.index();
        match change.kind {
            ChangeKind::NamingHosts => self.naming += change.hosts,
            ChangeKind::Domain => {
                self.hosts[class] += change.hosts;
                self.domains[class] += change.domains;
                let largest = &mut self.largest_changed[class];
                *largest = change.hosts_after.max(*largest);
                let number = change.number.cast_unsigned();
                let mut kept = self.totals.largest[class].iter();
                if kept.any(|(_, other)| *other == number) {
                    self.changed[class].insert(number);
                }
            }
            ChangeKind::Archive => {
                let archive = self.archives.entry(change.number);
                archive.or_insert([0; CLASS_COUNT])[class] += change.hosts;
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
        rows: &mut Sorter<'_, SortedShare>,
    ) -> Result<(), Error> {
        let known = VerdictClass::all().filter(|class| class.is_known());
        let known_hosts = known.map(|class| self.hosts[class.index()]).sum();
        for class in VerdictClass::all() {
            let i = class.index();
            if self.hosts[i] <= 0 {
                continue;
            }
            let is_estimated = crawl.is_sample && class.is_known();
            let interval = is_estimated.then(|| self.interval(class, known_hosts, crawl));
            let interval = interval.flatten();
            let row = ShareRow {
                agent,
                crawl: &crawl.crawl,
                verdict: Word(class.verdict()),
                basis: Word(class.basis()),
                hosts: self.hosts[i],
                known_hosts,
                domains_any: self.domains[i],
                largest_domain: self.largest_domain(i),
                low_millionths: interval.map(|ends| ends.low_millionths),
                high_millionths: interval.map(|ends| ends.high_millionths),
            };
            let mut encoded = Vec::new();
            row.write(&mut encoded);
            push_share(&encoded, position, rows)?;
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
            let count = |class: VerdictClass| {
                let class = class.index();
                counts[class] + change.map_or(0, |change| change[class])
            };
            let known = VerdictClass::all().filter(|class| class.is_known());
            (count(class), known.map(count).sum())
        });
        compute_interval(by_archive, known_hosts, crawl)
    }
}

/// Adds the changes of each crawler to the totals of its kind, and its rows of `shares` to `rows`. A crawler of
/// the registry without changes has the totals of its kind.
fn write_rows(
    changes: &SortedRecords<'_, ChangeOfCrawler>,
    totals: &BTreeMap<u32, [Totals; 3]>,
    crawlers: &Crawlers,
    crawls: &[CrawlRow],
    rows: &mut Sorter<'_, SortedShare>,
) -> Result<(), Error> {
    let (mut reader, mut key) = (changes.read()?, GroupKey::default());
    let mut agent = Vec::new();
    for (&position, of_crawl) in totals {
        let crawl = &crawls[position as usize];
        let totals_for = |unnamed: UnnamedCrawlerKind| &of_crawl[unnamed as usize];
        CrawlerCounts::new(totals_for(UnnamedCrawlerKind::Wildcard))
            .push_rows(b"*", position, crawl, rows)?;
        let mut written: BTreeSet<Vec<u8>> = BTreeSet::new();
        while reader.peek()?.is_some_and(|((of, _), _)| of == position) {
            reader.next_group(&mut key)?;
            let (_, agent_key) = key.get();
            agent_key.write_original(&mut agent);
            let crawler = crawlers.get(&agent);
            let mut counts = CrawlerCounts::new(totals_for(UnnamedCrawlerKind::of(crawler)));
            while let Some(change) = reader.next_of(&key)? {
                counts.add_change(&change);
            }
            if crawler.is_some() {
                written.insert(agent.clone());
            } else if counts.naming < MIN_NAMING_HOSTS {
                continue;
            }
            counts.push_rows(&agent, position, crawl, rows)?;
        }
        for (name, crawler) in crawlers.iter().filter(|(name, _)| !written.contains(*name)) {
            let totals = totals_for(UnnamedCrawlerKind::of(Some(crawler)));
            CrawlerCounts::new(totals).push_rows(name, position, crawl, rows)?;
        }
    }
    Ok(())
}

/// Parses the rows of the registry of crawlers.
pub(crate) fn read_crawlers(rows: &[Vec<u8>]) -> Crawlers {
    let read = |row: &Vec<u8>| {
        let row = AGENT.read(row);
        let fallbacks = row.fallbacks.unwrap_or_default();
        let fallbacks = fallbacks
            .split(|byte| *byte == b',')
            .map(<[u8]>::trim_ascii);
        let fallbacks = fallbacks
            .filter(|name| !name.is_empty())
            .map(<[u8]>::to_vec);
        let crawler = CountedCrawler {
            fallbacks: fallbacks.collect(),
            ignores_wildcard: row.ignores_wildcard,
        };
        (row.agent.to_vec(), crawler)
    };
    // The registry has a row for `*`, which is no crawler.
    let crawlers = rows.iter().map(read);
    crawlers.filter(|(name, _)| name != b"*").collect()
}

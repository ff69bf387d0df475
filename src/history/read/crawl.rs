//! Reads a crawl from its datasets: its captures in the order of hosts, with their states.
//!
//! 1. The captures that are needed are collected from `hosts`: the authoritative one of each host, for its location,
//!    and the one whose rules apply, for its policy. They are sorted by `robots_id`.
//! 2. The tables of captures are read once. The policy of each capture is stored. The details of captures are sorted
//!    by `robots_id`, merged with the result of step 1, and sorted by host.
//! 3. `hosts` is read again, and merged with the details of step 2 and the preferences of each host.

use crate::error::damaged_error;
use crate::own_tables::{self, PREFERENCES, STATE_OF_HOSTS};
use crate::policies::keyed_rows::{
    KeyedRecord, KeyedSorter, MAX_ROWS_OF_KEY_BYTES, NAMED_VERDICTS, PolicyRow, RecordBuilder,
    word_check,
};
use crate::policies::policy_file::PolicyKeys;
use crate::policies::preference_set::{PreferenceOfHost, PreferenceSet, read_agent};
use crate::policies::row_key::{RowKey, key_text};
use crate::read::agents::check_agents;
use crate::read::archive_numbers::ArchiveNumbers;
use crate::read::capture_record::{CaptureAddress, CaptureRecord, StateWords};
use crate::read::crawl_row::CrawlRow;
use crate::read::history_reader::read_small_table;
use crate::read::inputs::{CRAWL_TABLES, InputCrawl, InputDataset};
use columns::TableFileWriter;
use dataset::error::DatasetDefect;
use dataset::{
    AGENTS_PATH, CaptureFilter, Dataset, Encoding, PartLocation, RowsByKey, TableFile,
    columns_named, row,
};
use disk::TempFolder;
use errors::Error;
use hosts::ResolveContext;
use hosts::resolved::resolve_hosts;
use robots::Mechanism;
use sort::{Field, GroupKey, Reader, Rest, SortMemory, SortedRecords, Sorter, record};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use tables::Table;

/// The keys of directives that are part of a policy, besides those that state preferences.
const READ_DIRECTIVES: [&str; 3] = ["crawl-delay", "request-rate", "visit-time"];

/// The sorters to which the rows of all crawls are added.
pub(crate) struct SharedSorters<'s> {
    pub(crate) policies: KeyedSorter<'s>,
    pub(crate) preference_sets: Sorter<'s, KeyedRecord>,
    pub(crate) archives: Sorter<'s, ArchiveRow<'static>>,
    /// Computes the keys of policies.
    pub(crate) policy_keys: PolicyKeys,
}

/// A crawl that was read from its datasets.
pub(crate) struct CrawlCaptures<'s> {
    /// The row of `crawls`, without the numbers of hosts and domains.
    pub(crate) row: CrawlRow,
    /// The captures, in the order of hosts.
    pub(crate) captures: SortedRecords<'s, CaptureRecord<'static>>,
    /// True if a capture has no time.
    pub(crate) has_untimed_captures: bool,
    /// The encoded rows of the registry of crawlers.
    pub(crate) agents: Vec<Vec<u8>>,
}

/// The options and resources for reading crawls.
pub(crate) struct CrawlContext<'a> {
    pub(crate) memory: SortMemory<'a>,
    /// The memory for the captures of one crawl; captures beyond it are written to a temporary file.
    pub(crate) captures_memory: SortMemory<'a>,
    /// The folder of the output.
    pub(crate) root: &'a Path,
    pub(crate) temp_folder: &'a TempFolder,
    /// Counts the rows of `robots_files` that are read to resolve hosts.
    pub(crate) rows_read: &'a AtomicU64,
    pub(crate) stop: &'a Arc<AtomicBool>,
    /// Hosts that are left out, as in `surt_host_name`.
    pub(crate) forgotten: &'a BTreeSet<String>,
}

row! {
    /// A row of `archives`.
    pub(crate) whole struct ArchiveRow<'a> of own_tables::ARCHIVES {
        pub(crate) crawl: &'a str,
        pub(crate) archive_no: i64,
        pub(crate) warc_filename: &'a str,
    }
}

row! {
    struct Run of Table::RUNS {
        listed_inputs: i32,
        sample_seed: Option<i64>,
        inputs: i32,
    }
}

row! {
    /// The captures of a host: the authoritative one, and the one whose rules apply.
    struct CapturesOfHost of Table::HOSTS {
        authoritative_robots_id: i64,
        rules_robots_id: i64,
    }
}

row! {
    struct HostTime of Table::HOSTS {
        fetch_time: Option<i64>,
    }
}

row! {
    /// A host with the columns of its state, without the keys of its policy and its preferences.
    struct HostRow<'a> of Table::HOSTS, sorted by (surt_host_name) {
        host_id: i64,
        surt_host_name: &'a str,
        fetch_time: Option<i64>,
        ..state: STATE_OF_HOSTS as StateWords,
    }
}

row! {
    /// A host, and a row of its set of preferences.
    struct PreferenceRow<'a> of Table::HOST_PREFERENCES {
        host_id: i64,
        ..row: PREFERENCES,
    }
}

row! {
    /// The columns of a capture that are read.
    struct FileRow<'a> of Table::ROBOTS_FILES, sorted by (robots_id) {
        robots_id: i64,
        warc_filename: &'a str,
        warc_record_offset: i64,
        warc_record_in_member: u32,
        content_digest: Option<&'a [u8]>,
        content_class: Option<&'a [u8]>,
        is_valid_utf8: Option<bool>,
    }
}

record! {
    /// The uses of a capture for a host.
    struct Uses {
        is_authoritative: bool,
        /// True if it is the capture whose rules apply.
        has_rules: bool,
    }
}

record! {
    /// A use of a capture.
    struct WantedCapture {
        uses: Uses,
        /// The number of the host: the number of its row in `hosts`, from 0.
        host: u64,
    }
}

record! {
    /// The details of a capture.
    struct CaptureDetails<'a> {
        archive_no: i64,
        offset: i64,
        record_in_member: u32,
        /// The digest of the content; empty if no body was read.
        digest: &'a [u8],
        policy: Option<RowKey>,
    }
}

/// A capture of a host, by the number of the host.
type DetailsOfHost = (u64, (Uses, CaptureDetails<'static>));

/// Reads a crawl from its datasets. Adds its policies, sets of preferences and archives to `shared`.
pub(crate) fn read_crawl<'s>(
    context: &CrawlContext<'s>,
    input: &InputCrawl,
    shared: &mut SharedSorters<'s>,
) -> Result<CrawlCaptures<'s>, Error> {
    let mut dataset = open_dataset(context, input)?;
    let resolved = ResolvedFiles::open(context, input, &dataset)?;
    dataset = dataset.with_crawl_files(&resolved.files);
    let numbers = ArchiveNumbers::new(input);
    let mut row = read_crawl_row(input, &dataset, &numbers)?;
    let wanted = sort_wanted_captures(context, &dataset)?;
    let captures = sort_captures(context, &dataset, &numbers, &row.crawl, shared)?;
    let details = join_details(context, &wanted, &captures)?;
    drop((wanted, captures));
    let preferences = sort_preferences(context, &dataset)?;
    set_fetch_times(context, &dataset, &mut row)?;
    let hosts = HostRows {
        dataset: &dataset,
        details: &details,
        preferences: &preferences,
    };
    let captures = write_captures(context, row, &hosts, shared)?;
    resolved.remove(context.root);
    Ok(CrawlCaptures {
        agents: read_agents(context, &input.datasets[0])?,
        ..captures
    })
}

/// Reads the registry of crawlers of a dataset.
fn read_agents(context: &CrawlContext<'_>, input: &InputDataset) -> Result<Vec<Vec<u8>>, Error> {
    let file = TableFile {
        table: Table::AGENTS,
        path: input.root.join(AGENTS_PATH),
        stats: input
            .manifest
            .agents
            .as_ref()
            .map(|file| file.stats.clone()),
    };
    let dataset = Dataset::from_table_files(&input.root, vec![file])?;
    let dataset = dataset.with_stop_flag(context.stop);
    let rows = read_small_table(&dataset, Table::AGENTS)?;
    check_agents(&rows)?;
    Ok(rows)
}

/// Opens the rows of a crawl in the tables of [`CRAWL_TABLES`].
fn open_dataset(context: &CrawlContext<'_>, input: &InputCrawl) -> Result<Dataset, Error> {
    let datasets = input.datasets.iter().map(|dataset| {
        let mut locations = dataset.manifest.part_locations();
        locations.retain(|location| location.part.crawl == input.name);
        (dataset.root.clone(), locations)
    });
    let datasets: Vec<(PathBuf, Vec<PartLocation<'_>>)> = datasets.collect();
    let root = &input.datasets[0].root;
    let dataset = Dataset::from_parts(root, &datasets, &CRAWL_TABLES, true)?;
    Ok(dataset.with_stop_flag(context.stop))
}

/// The files of `hosts` and `host_preferences` of a crawl: those of its dataset, or temporary ones if its hosts are
/// resolved again.
struct ResolvedFiles {
    files: Vec<TableFile>,
    /// Temporary files, relative to the folder of the output.
    temporary: Vec<PathBuf>,
}

impl ResolvedFiles {
    fn open(
        context: &CrawlContext<'_>,
        input: &InputCrawl,
        dataset: &Dataset,
    ) -> Result<Self, Error> {
        let tables = [Table::HOSTS, Table::HOST_PREFERENCES];
        if input.is_resolved {
            let InputDataset { root, manifest, .. } = &*input.datasets[0];
            let files = manifest.crawls.iter().flat_map(|crawl| &crawl.files);
            let files = files.filter(|file| tables.contains(&file.table));
            let files = files.map(|file| TableFile {
                table: file.table,
                path: root.join(&file.path),
                stats: Some(file.stats.clone()),
            });
            return Ok(Self {
                files: files.collect(),
                temporary: Vec::new(),
            });
        }
        let resolve = ResolveContext {
            dataset,
            memory: context.memory,
            rows_read: context.rows_read,
        };
        let create = |table: Table, _crawl: u32| {
            let new = context.temp_folder.new_temporary_file()?;
            TableFileWriter::create(table.file_schema(&[]), new)
        };
        let resolved = resolve_hosts(&resolve, 0..=0, &create)?;
        let (mut files, mut temporary) = (Vec::new(), Vec::new());
        for file in resolved.files {
            let written = file.file.commit()?;
            files.push(TableFile {
                table: file.table,
                path: context.root.join(&written.path),
                stats: None,
            });
            temporary.push(written.path);
        }
        Ok(Self { files, temporary })
    }

    fn remove(&self, root: &Path) {
        for path in &self.temporary {
            // An error has no effect: the temporary folder is removed later with all files in it.
            let _ = disk::remove_below(root, path);
        }
    }
}

/// Returns the row of `crawls`, without the numbers of hosts and domains and without times.
fn read_crawl_row(
    input: &InputCrawl,
    dataset: &Dataset,
    numbers: &ArchiveNumbers,
) -> Result<CrawlRow, Error> {
    let manifests = input.datasets.iter().map(|dataset| &dataset.manifest);
    let meanings = manifests.map(|manifest| manifest.meaning);
    let mut row = CrawlRow {
        crawl: input.name.clone(),
        captures: dataset.count_rows(Table::ROBOTS_FILES)?.cast_signed(),
        meaning: meanings.max().unwrap_or_default() as u32,
        ..CrawlRow::default()
    };
    let mut runs = dataset.rows::<Run>()?;
    while let Some(run) = runs.next_record()? {
        row.archives_read += i64::from(run.inputs);
        row.archives_listed = row.archives_listed.max(run.listed_inputs.into());
        row.is_sample |= run.sample_seed.is_some();
    }
    // In a list with several crawls, the number of archives of one crawl is known only if all archives were read.
    if numbers.are_of_crawl() && !row.is_sample {
        row.archives_listed = row.archives_read;
    }
    Ok(row)
}

/// Sorts the captures that hosts need, by `robots_id`.
fn sort_wanted_captures<'s>(
    context: &CrawlContext<'s>,
    dataset: &Dataset,
) -> Result<SortedRecords<'s, (i64, WantedCapture)>, Error> {
    let mut wanted = context.memory.create_sorter();
    let mut hosts = dataset.rows::<CapturesOfHost>()?;
    let mut host = 0;
    while let Some(captures) = hosts.next_record()? {
        let (authoritative, rules) = (captures.authoritative_robots_id, captures.rules_robots_id);
        let mut push = |robots_id: i64| {
            let uses = Uses {
                is_authoritative: robots_id == authoritative,
                has_rules: robots_id == rules,
            };
            wanted.push((robots_id, WantedCapture { uses, host }))
        };
        push(authoritative)?;
        if rules != authoritative {
            push(rules)?;
        }
        host += 1;
    }
    wanted.finish()
}

/// Reads the captures, adds their policies and archives to `shared`, and sorts their details by `robots_id`.
fn sort_captures<'s>(
    context: &CrawlContext<'s>,
    dataset: &Dataset,
    numbers: &ArchiveNumbers,
    crawl: &str,
    shared: &mut SharedSorters<'s>,
) -> Result<SortedRecords<'s, (i64, CaptureDetails<'static>)>, Error> {
    let mut sorter = context
        .memory
        .create_sorter::<(i64, CaptureDetails<'static>)>();
    let mut last_archive = None;
    for part in dataset.parts_with_table(Table::ROBOTS_FILES) {
        let mut files = dataset.rows_of_part::<FileRow<'_>>(part)?;
        let mut rows = CaptureRows::open(dataset, part)?;
        while let Some(file) = files.next_record()? {
            let archive_no = numbers.archive_no(file.robots_id)?;
            if last_archive != Some(archive_no) {
                last_archive = Some(archive_no);
                shared.archives.push(ArchiveRow {
                    crawl,
                    archive_no,
                    warc_filename: file.warc_filename,
                })?;
            }
            let digest = file.content_digest.filter(|_| file.content_class.is_some());
            let details = CaptureDetails {
                archive_no,
                offset: file.warc_record_offset,
                record_in_member: file.warc_record_in_member,
                digest: digest.unwrap_or_default(),
                policy: rows.read_policy(&file, shared)?,
            };
            sorter.push((file.robots_id, details))?;
        }
        rows.check_end()?;
    }
    sorter.finish()
}

/// The rows of the captures of one part, in the tables of lines and verdicts.
struct CaptureRows<'d> {
    dataset: &'d Dataset,
    groups: RowsByKey<'d, i64>,
    rules: RowsByKey<'d, i64>,
    directives: RowsByKey<'d, i64>,
    verdicts: RowsByKey<'d, i64>,
    /// The encoded rows of the current capture in these tables, without `robots_id`.
    of_groups: RowList,
    of_rules: RowList,
    of_directives: RowList,
    of_verdicts: RowList,
    /// The record of its policy.
    record: RecordBuilder,
}

/// Encoded rows of a capture in one table.
#[derive(Default)]
struct RowList {
    count: u32,
    rows: Vec<u8>,
}

impl RowList {
    /// Replaces the rows with those of a capture that `is_wanted` accepts.
    fn read(
        &mut self,
        rows: &mut RowsByKey<'_, i64>,
        robots_id: &GroupKey<i64>,
        is_wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<(), Error> {
        self.count = 0;
        self.rows.clear();
        while let Some(Rest(row)) = rows.next_of(robots_id)? {
            if is_wanted(row) {
                self.rows.extend_from_slice(row);
                self.count += 1;
            }
            if self.rows.len() > MAX_ROWS_OF_KEY_BYTES {
                return Err(too_many_rows(rows.source().table()));
            }
        }
        Ok(())
    }
}

/// Returns the error that a capture has too many rows in a table. It has no path.
fn too_many_rows(table: Table) -> Error {
    DatasetDefect::lines_too_large(table.name(), MAX_ROWS_OF_KEY_BYTES).error(Path::new(""))
}

impl<'d> CaptureRows<'d> {
    fn open(dataset: &'d Dataset, part: u32) -> Result<Self, Error> {
        // The rows are encoded with the columns of the tables of policies, of which some may be null where those of
        // the dataset may not.
        let open = |table: Table, of_policy: Table| {
            let mut columns = columns_named(table, &["robots_id"]);
            columns.extend(own_tables::columns_without_key(of_policy));
            let check = word_check(of_policy);
            dataset.rows_by_key(table, columns, vec![part], CaptureFilter::All, check)
        };
        Ok(Self {
            dataset,
            groups: open(Table::GROUPS, own_tables::POLICY_GROUPS)?,
            rules: open(Table::RULES, own_tables::POLICY_RULES)?,
            directives: open(Table::DIRECTIVES, own_tables::POLICY_DIRECTIVES)?,
            verdicts: open(Table::VERDICTS, own_tables::POLICY_VERDICTS)?,
            of_groups: RowList::default(),
            of_rules: RowList::default(),
            of_directives: RowList::default(),
            of_verdicts: RowList::default(),
            record: RecordBuilder::default(),
        })
    }

    /// Returns an error if a table has rows left, whose captures `robots_files` lacks.
    fn check_end(&mut self) -> Result<(), Error> {
        let tables = [
            &mut self.groups,
            &mut self.rules,
            &mut self.directives,
            &mut self.verdicts,
        ];
        for rows in tables {
            if !rows.is_at_end()? {
                return Err(damaged_error(rows.source().table()));
            }
        }
        Ok(())
    }

    /// Reads the rows of a capture, and adds the record of its policy to `shared`. Returns the key of the policy; `None`
    /// if the capture has none.
    fn read_policy(
        &mut self,
        file: &FileRow<'_>,
        shared: &mut SharedSorters<'_>,
    ) -> Result<Option<RowKey>, Error> {
        let id = GroupKey::new(file.robots_id);
        let all = |_: &[u8]| true;
        self.of_groups.read(&mut self.groups, &id, all)?;
        self.of_rules.read(&mut self.rules, &id, all)?;
        let directives = &mut self.directives;
        self.of_directives
            .read(directives, &id, is_read_directive)?;
        self.of_verdicts.read(&mut self.verdicts, &id, all)?;
        keep_named_verdicts(&mut self.of_verdicts);
        let lists = [
            &self.of_groups,
            &self.of_rules,
            &self.of_directives,
            &self.of_verdicts,
        ];
        if lists.iter().map(|list| list.rows.len()).sum::<usize>() > MAX_ROWS_OF_KEY_BYTES {
            return Err(too_many_rows(Table::VERDICTS).with_path(self.dataset.root()));
        }
        let [groups, rules, directives, verdicts] = lists.map(|list| list.count);
        if groups + rules + directives == 0 {
            return Ok(None);
        }
        let row = PolicyRow {
            // Only files that were parsed have lines, and for these it is not null.
            is_valid_utf8: file.is_valid_utf8.unwrap_or(true),
            n_user_agents: groups,
            n_rules: rules,
            n_directives: directives,
            n_verdicts: verdicts,
        };
        let [groups, rules, directives, _] = lists.map(|list| list.rows.as_slice());
        let keys = &mut shared.policy_keys;
        let key = keys.find(row.is_valid_utf8, [groups, rules, directives]);
        let mut fields = Vec::new();
        row.write(&mut fields);
        self.record.begin(key, &fields);
        for list in lists {
            self.record.push_rows(list.count, &list.rows);
        }
        shared.policies.push(&self.record)?;
        Ok(Some(key))
    }
}

row! {
    struct DirectiveKey<'a> of own_tables::POLICY_DIRECTIVES {
        directive: &'a str,
    }
}

const DIRECTIVE_KEY: Encoding<DirectiveKey<'static>> = Encoding::of(
    own_tables::columns_without_key(own_tables::POLICY_DIRECTIVES),
);

/// Returns true for a row of `directives` that is part of a policy.
fn is_read_directive(row: &[u8]) -> bool {
    let directive = DIRECTIVE_KEY.read(row).directive;
    READ_DIRECTIVES.contains(&directive) || Mechanism::from_directive(directive).is_some()
}

row! {
    /// The verdicts of the three dialects.
    struct DialectVerdicts<'a> of own_tables::POLICY_VERDICTS {
        verdict_google: Option<&'a [u8]>,
        verdict_rfc9309: Option<&'a [u8]>,
        verdict_koster1996: Option<&'a [u8]>,
    }
}

const DIALECT_VERDICTS: Encoding<DialectVerdicts<'static>> =
    Encoding::of(own_tables::columns_without_key(own_tables::POLICY_VERDICTS));

/// Keeps the rows of `verdicts` that belong in `host_verdicts`, sorted by crawler. These
/// are the rows of crawlers for which a group decides, and of those to which a dialect gives another verdict than to
/// `*`. The row of `*` itself, which is the first one, is not kept.
fn keep_named_verdicts(verdicts: &mut RowList) {
    let mut kept: Vec<(&[u8], &[u8])> = Vec::new();
    let mut wildcard = None;
    for (named, row) in NAMED_VERDICTS.rows(&verdicts.rows) {
        let dialects = Some(DIALECT_VERDICTS.read(row));
        if named.agent == b"*" {
            wildcard = dialects;
        } else if named.class().is_of_group() || dialects != wildcard {
            kept.push((named.agent, row));
        }
    }
    kept.sort_unstable();
    verdicts.count = kept.len() as u32;
    verdicts.rows = kept
        .into_iter()
        .flat_map(|(_, row)| row.iter().copied())
        .collect();
}

/// Joins the captures that are needed with their details, and sorts them by the number of the host.
fn join_details<'s>(
    context: &CrawlContext<'s>,
    wanted: &SortedRecords<'_, (i64, WantedCapture)>,
    captures: &SortedRecords<'_, (i64, CaptureDetails<'static>)>,
) -> Result<SortedRecords<'s, DetailsOfHost>, Error> {
    let mut joined = context.memory.create_sorter::<DetailsOfHost>();
    let (mut wanted, mut captures) = (wanted.read()?, captures.read()?);
    let mut robots_id = GroupKey::default();
    while wanted.next_group(&mut robots_id)? {
        let details = captures.find(&robots_id)?;
        let details = details.ok_or_else(|| damaged_error(Table::HOSTS))?;
        while let Some(WantedCapture { uses, host }) = wanted.next_of(&robots_id)? {
            joined.push((host, (uses, details)))?;
        }
        // Two parts of a dataset may have the same capture.
        if captures.next_of(&robots_id)?.is_some() {
            return Err(damaged_error(Table::ROBOTS_FILES));
        }
    }
    joined.finish()
}

/// Sorts the preferences of hosts by `host_id`. The rows of a host stay in their order.
fn sort_preferences<'s>(
    context: &CrawlContext<'s>,
    dataset: &Dataset,
) -> Result<SortedRecords<'s, PreferenceOfHost>, Error> {
    let mut sorter = context.memory.create_sorter::<PreferenceOfHost>();
    if dataset.has_files(Table::HOST_PREFERENCES) {
        let mut rows = dataset.rows::<PreferenceRow<'_>>()?;
        let (mut last, mut number) = ((String::new(), i64::MIN), 0);
        while let Some(PreferenceRow { host_id, row }) = rows.next_record()? {
            // Equal pairs are in order, too: a host may have several rows for one crawler.
            let order = (read_agent(row.0), host_id);
            if order < (last.0.as_str(), last.1) {
                return Err(damaged_error(Table::HOST_PREFERENCES));
            }
            if order != (last.0.as_str(), last.1) {
                last = (order.0.to_owned(), host_id);
            }
            sorter.push((host_id, (number, row)))?;
            number += 1;
        }
    }
    sorter.finish()
}

/// Sets the first, the median and the last time of the authoritative captures.
fn set_fetch_times(
    context: &CrawlContext<'_>,
    dataset: &Dataset,
    row: &mut CrawlRow,
) -> Result<(), Error> {
    let mut sorter = context.memory.create_sorter::<i64>();
    let mut hosts = dataset.rows::<HostTime>()?;
    while let Some(HostTime { fetch_time }) = hosts.next_record()? {
        if let Some(time) = fetch_time {
            sorter.push(time)?;
        }
    }
    let sorted = sorter.finish()?;
    // The median is that of `quantile_disc` of DuckDB: the earliest time such that at least half of all times are not
    // later.
    let median = sorted.len().div_ceil(2).max(1) - 1;
    let mut times = sorted.read()?;
    let mut number = 0;
    while let Some(time) = times.next_record()? {
        row.first_fetch = row.first_fetch.or(Some(time));
        if number == median {
            row.median_fetch = Some(time);
        }
        row.last_fetch = Some(time);
        number += 1;
    }
    Ok(())
}

/// The details of a host: the location of its authoritative capture, and the policy and the digest of the capture whose
/// rules apply.
#[derive(Debug, Default)]
struct HostDetails {
    address: Option<CaptureAddress>,
    policy: Option<RowKey>,
    /// Empty if no body was read.
    digest: Vec<u8>,
}

impl HostDetails {
    /// Reads the details of the host with this number, if they are next in `details`.
    fn read(
        &mut self,
        number: u64,
        fetch_time: Option<i64>,
        details: &mut Reader<'_, DetailsOfHost>,
    ) -> Result<(), Error> {
        self.address = None;
        self.policy = None;
        self.digest.clear();
        let number = GroupKey::new(number);
        while let Some((uses, capture)) = details.next_of(&number)? {
            if uses.is_authoritative {
                self.address = Some(CaptureAddress {
                    fetch_time,
                    archive_no: capture.archive_no,
                    offset: capture.offset,
                    record_in_member: capture.record_in_member,
                });
            }
            if uses.has_rules {
                self.policy = capture.policy;
                self.digest.extend_from_slice(capture.digest);
            }
        }
        Ok(())
    }
}

/// The table `hosts`, and the records that are merged with its rows by [`write_captures`].
struct HostRows<'a> {
    dataset: &'a Dataset,
    details: &'a SortedRecords<'a, DetailsOfHost>,
    preferences: &'a SortedRecords<'a, PreferenceOfHost>,
}

/// Writes the records of captures, in the order of hosts. The result has no crawlers.
fn write_captures<'s>(
    context: &CrawlContext<'s>,
    crawl: CrawlRow,
    inputs: &HostRows<'_>,
    shared: &mut SharedSorters<'s>,
) -> Result<CrawlCaptures<'s>, Error> {
    let mut captures = context
        .captures_memory
        .create_ordered_writer::<CaptureRecord<'static>>();
    let mut hosts = inputs.dataset.rows::<HostRow<'_>>()?;
    let (mut details, mut preferences) = (inputs.details.read()?, inputs.preferences.read()?);
    let (mut of_host, mut set) = (HostDetails::default(), PreferenceSet::default());
    let mut has_untimed_captures = false;
    let (mut state, mut number) = (Vec::new(), 0);
    while let Some(host) = hosts.next_record()? {
        of_host.read(number, host.fetch_time, &mut details)?;
        let set_key = set.read(host.host_id, &mut preferences)?;
        number += 1;
        if context.forgotten.contains(host.surt_host_name) {
            continue;
        }
        let address = of_host
            .address
            .ok_or_else(|| damaged_error(Table::ROBOTS_FILES))?;
        has_untimed_captures |= host.fetch_time.is_none();
        let keys = [
            of_host.policy,
            set_key.map(|key| key.preferences),
            set_key.map(|key| key.set),
        ];
        state.clear();
        for key in keys {
            key.map(|key| key_text(&key)).as_deref().write(&mut state);
        }
        state.extend_from_slice(host.state.0);
        captures.push(CaptureRecord {
            surt_host_name: host.surt_host_name,
            time: address.order_time(crawl.median_fetch),
            address,
            digest: &of_host.digest,
            state: &state,
            period_no: None,
        })?;
        if set_key.is_some() {
            shared.preference_sets.push(set.record.record())?;
        }
    }
    // Rows that are left belong to a host that `hosts` lacks.
    if !preferences.is_at_end()? {
        return Err(damaged_error(Table::HOST_PREFERENCES));
    }
    Ok(CrawlCaptures {
        row: crawl,
        captures: captures.finish()?,
        has_untimed_captures,
        agents: Vec::new(),
    })
}

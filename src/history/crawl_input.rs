//! Reads a crawl from its datasets: its captures in the order of hosts, with their states.
//!
//! 1. The captures that are needed are collected from `hosts`: the authoritative one of each host, for its location,
//!    and the one whose rules apply, for its policy. They are sorted by `robots_id`.
//! 2. The tables of captures are read once. The policy of each capture is stored. The details of captures are sorted
//!    by `robots_id`, merged with the result of step 1, and sorted by host.
//! 3. `hosts` is read again, and merged with the details of step 2 and the preferences of each host.

use super::archive_numbers::ArchiveNumbers;
use super::capture_record::{CapturePlace, CaptureRecord, optional_bytes, put_optional_bytes};
use super::crawl_row::CrawlRow;
use super::encoded_rows::{EncodedRows, MAX_ROWS_OF_KEY_BYTES, columns_named};
use super::inputs::{CRAWL_TABLES, InputCrawl, InputDataset};
use super::keyed_rows::{KeyedRecord, KeyedSorter, skip_counts, skip_number};
use super::preference_set::PreferenceSet;
use super::row_key::{KEY_BYTES, compute_key, key_text};
use super::verdict_class::VerdictClass;
use super::{check_agents, damaged_error};
use crate::own_tables;
use crate::own_tables::STATE_COLUMNS;
use columns::TableFileWriter;
use dataset::error::DatasetDefect;
use dataset::{
    AGENTS_PATH, Dataset, PartLocation, StoredColumns, TableFile, stored_columns, value,
};
use disk::TempFolder;
use disk::error::Error;
use hosts::ResolveContext;
use hosts::resolved::resolve_hosts;
use robots::Mechanism;
use sort::sort_key::{FieldReader, put_bytes, put_i64, put_u8, put_u32, put_u64};
use sort::{Reader, SortMemory, SortedRecords, Sorter};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use tables::Table;

/// The keys of directives that are part of a policy, besides those that state preferences.
const READ_DIRECTIVES: [&[u8]; 3] = [b"crawl-delay", b"request-rate", b"visit-time"];

/// The sorters to which the rows of all crawls are added.
pub(super) struct SharedSorters<'s> {
    /// Records of policies ([`KeyedRecord`]).
    pub(super) policies: KeyedSorter<'s>,
    /// Records of sets of preferences ([`KeyedRecord`]).
    pub(super) preference_sets: Sorter<'s>,
    /// Fields of the rows of `archives`: the crawl, the number and the name of each archive.
    pub(super) archives: Sorter<'s>,
}

/// A crawl that was read from its datasets.
pub(super) struct CrawlCaptures<'s> {
    /// The row of `crawls`, without the numbers of hosts and domains.
    pub(super) row: CrawlRow,
    /// The captures as records ([`CaptureRecord`]), sorted by host.
    pub(super) captures: SortedRecords<'s>,
    /// True if a capture has no time.
    pub(super) has_untimed_captures: bool,
    /// The encoded rows of the registry of crawlers.
    pub(super) agents: Vec<Vec<u8>>,
}

/// The options and resources for reading crawls.
pub(super) struct CrawlContext<'a> {
    pub(super) memory: SortMemory<'a>,
    /// The memory for the captures of one crawl; captures beyond it are written to a temporary file.
    pub(super) captures_memory: SortMemory<'a>,
    /// The folder of the output.
    pub(super) root: &'a Path,
    pub(super) temp_folder: &'a TempFolder,
    /// Counts the rows of `robots_files` that are read to resolve hosts.
    pub(super) rows_read: &'a AtomicU64,
    pub(super) stop: &'a Arc<AtomicBool>,
    /// Hosts that are left out, as in `surt_host_name`.
    pub(super) forgotten: &'a BTreeSet<String>,
}

stored_columns! {
    struct RunColumns of Table::RUNS {
        listed_inputs: Int,
        sample_seed: Long,
        inputs: Int,
    }
}

// The uses of a capture for a host, as bits: it is the authoritative capture, or the one whose rules apply.
const IS_AUTHORITATIVE: u8 = 1;
const RULES_APPLY: u8 = 2;

/// Reads a crawl from its datasets. Adds its policies, sets of preferences and archives to `shared`.
pub(super) fn read_crawl<'s>(
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
    let details = sort_details(context, &wanted, &captures)?;
    drop((wanted, captures));
    let preferences = sort_preferences(context, &dataset)?;
    set_fetch_times(context, &dataset, &mut row)?;
    let hosts = HostRows {
        dataset: &dataset,
        numbers: &numbers,
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
    let columns = Table::AGENTS.columns().iter().collect();
    let rows = EncodedRows::open(&dataset, Table::AGENTS, columns)?.read_all()?;
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
    let all = dataset::CaptureFilter::All;
    dataset.read(Table::RUNS, RunColumns::NAMES, &all, &mut |_, batch| {
        let runs = RunColumns::from_batch(batch)?;
        for i in 0..batch.num_rows() {
            row.archives_read += i64::from(runs.inputs.value(i));
            let listed = i64::from(runs.listed_inputs.value(i));
            row.archives_listed = row.archives_listed.max(listed);
            row.is_sample |= value(&runs.sample_seed, i).is_some();
        }
        Ok(())
    })?;
    // In a list with several crawls, the number of archives of one crawl is known only if all archives were read.
    if numbers.are_of_crawl() && !row.is_sample {
        row.archives_listed = row.archives_read;
    }
    Ok(row)
}

/// Sorts the captures that hosts need, by `robots_id`. A record has the `robots_id`, the uses of the capture for a
/// host, and the number of the host: the number of its row in `hosts`, from 0.
fn sort_wanted_captures<'s>(
    context: &CrawlContext<'s>,
    dataset: &Dataset,
) -> Result<SortedRecords<'s>, Error> {
    let mut wanted = context.memory.create_sorter();
    let names = ["authoritative_robots_id", "rules_robots_id"];
    let mut hosts = EncodedRows::open(dataset, Table::HOSTS, columns_named(Table::HOSTS, &names))?;
    let mut record = Vec::new();
    let mut number = 0;
    while let Some(row) = hosts.peek() {
        let mut fields = FieldReader::new(row);
        let (authoritative, rules) = (fields.i64(), fields.i64());
        let mut push = |robots_id: i64, uses: u8| {
            record.clear();
            put_i64(&mut record, robots_id);
            put_u8(&mut record, uses);
            put_u64(&mut record, number);
            wanted.push(&record)
        };
        if authoritative == rules {
            push(rules, IS_AUTHORITATIVE | RULES_APPLY)?;
        } else {
            push(authoritative, IS_AUTHORITATIVE)?;
            push(rules, RULES_APPLY)?;
        }
        number += 1;
        hosts.advance()?;
    }
    wanted.finish()
}

/// Reads the captures, adds their policies and archives to `shared`, and sorts their details by `robots_id`:
/// location, digest and key of the policy.
fn sort_captures<'s>(
    context: &CrawlContext<'s>,
    dataset: &Dataset,
    numbers: &ArchiveNumbers,
    crawl: &str,
    shared: &mut SharedSorters<'s>,
) -> Result<SortedRecords<'s>, Error> {
    let mut sorter = context.memory.create_sorter();
    let mut last_archive = None;
    for part in dataset.parts_with_table(Table::ROBOTS_FILES) {
        let mut captures = PartCaptures::open(dataset, part)?;
        let mut record = Vec::new();
        while let Some(fields) = captures.files.peek() {
            let mut fields = FieldReader::new(fields);
            let robots_id = fields.i64();
            record.clear();
            put_i64(&mut record, robots_id);
            let archive = fields.bytes();
            put_i64(&mut record, fields.i64());
            put_u32(&mut record, fields.u32());
            let archive_no = numbers.archive_no(robots_id)?;
            if last_archive != Some(archive_no) {
                last_archive = Some(archive_no);
                let mut named = Vec::new();
                put_bytes(&mut named, crawl.as_bytes());
                put_i64(&mut named, archive_no);
                put_bytes(&mut named, archive);
                shared.archives.push(&named)?;
            }
            // The other fields: `content_digest`, `content_class` and `is_valid_utf8`.
            record.extend_from_slice(fields.rest());
            captures.put_policy(robots_id, &mut record, &mut shared.policies)?;
            sorter.push(&record)?;
            captures.files.advance()?;
        }
        captures.check_end()?;
    }
    sorter.finish()
}

/// Cursors over the rows of the captures of one part, in each table.
struct PartCaptures<'d> {
    files: EncodedRows<'d>,
    groups: EncodedRows<'d>,
    rules: EncodedRows<'d>,
    directives: EncodedRows<'d>,
    verdicts: EncodedRows<'d>,
    /// The record of the policy of the current capture.
    record: KeyedRecord,
    /// The rows of the current capture in `groups`, `rules` and `directives`, without `robots_id`.
    lines: Vec<u8>,
    /// Those in `verdicts`.
    verdict_rows: Vec<u8>,
}

/// The columns of `robots_files` that are read, in the order of the fields.
const CAPTURE_COLUMNS: [&str; 7] = [
    "robots_id",
    "warc_filename",
    "warc_record_offset",
    "warc_record_in_member",
    "content_digest",
    "content_class",
    "is_valid_utf8",
];

impl<'d> PartCaptures<'d> {
    fn open(dataset: &'d Dataset, part: u32) -> Result<Self, Error> {
        let open =
            |table: Table, columns| EncodedRows::open_parts(dataset, table, columns, vec![part]);
        let all = |table: Table| open(table, table.columns().iter().collect());
        let named = |table: Table, names: &[&str]| open(table, columns_named(table, names));
        // Rows of `verdicts` are encoded with the columns of `policy_verdicts`, of which more are nullable.
        let mut verdicts = columns_named(Table::VERDICTS, &["robots_id"]);
        verdicts.extend(&own_tables::POLICY_VERDICTS.columns()[1..]);
        Ok(Self {
            files: named(Table::ROBOTS_FILES, &CAPTURE_COLUMNS)?,
            groups: all(Table::GROUPS)?,
            rules: all(Table::RULES)?,
            directives: all(Table::DIRECTIVES)?,
            verdicts: open(Table::VERDICTS, verdicts)?,
            record: KeyedRecord::default(),
            lines: Vec::new(),
            verdict_rows: Vec::new(),
        })
    }

    /// Returns an error if a table has rows left, whose captures `robots_files` lacks.
    fn check_end(&self) -> Result<(), Error> {
        let tables = [
            (&self.groups, Table::GROUPS),
            (&self.rules, Table::RULES),
            (&self.directives, Table::DIRECTIVES),
            (&self.verdicts, Table::VERDICTS),
        ];
        match tables.iter().find(|(rows, _)| rows.peek().is_some()) {
            Some((_, table)) => Err(damaged_error(*table)),
            None => Ok(()),
        }
    }

    /// Appends a flag to `out`, and the key of the policy if the capture has one. The record of the policy is added
    /// to `policies`.
    fn put_policy(
        &mut self,
        robots_id: i64,
        out: &mut Vec<u8>,
        policies: &mut KeyedSorter<'_>,
    ) -> Result<(), Error> {
        let mut prefix = Vec::new();
        put_i64(&mut prefix, robots_id);
        let (lines, verdicts) = (&mut self.lines, &mut self.verdict_rows);
        lines.clear();
        verdicts.clear();
        let all = |_: &[u8]| true;
        let n_groups = self.groups.take_rows(&prefix, lines, all)?;
        let groups_end = lines.len();
        let n_rules = self.rules.take_rows(&prefix, lines, all)?;
        let rules_end = lines.len();
        let n_directives = self
            .directives
            .take_rows(&prefix, lines, is_read_directive)?;
        let n_verdicts = self.verdicts.take_rows(&prefix, verdicts, all)?;
        let n_verdicts = keep_named_verdicts(n_verdicts, verdicts);
        if lines.len() + verdicts.len() > MAX_ROWS_OF_KEY_BYTES {
            let table = Table::VERDICTS.name();
            let defect = DatasetDefect::too_many_lines(table, MAX_ROWS_OF_KEY_BYTES);
            return Err(defect.error(self.files.root()));
        }
        let counts = [n_groups, n_rules, n_directives, n_verdicts];
        let has_policy = counts[..3].iter().any(|count| *count > 0);
        put_u8(out, has_policy.into());
        if !has_policy {
            return Ok(());
        }
        // Only files that were parsed have lines, and for these the last column, `is_valid_utf8`, is not null.
        let is_valid_utf8 = self.files.peek().and_then(|row| row.last().copied());
        let mut fields = vec![is_valid_utf8.unwrap_or(1)];
        let (groups, others) = lines.split_at(groups_end);
        let (rules, directives) = others.split_at(rules_end - groups_end);
        let key = compute_key(&[&fields, groups, rules, directives]);
        for count in counts {
            put_u32(&mut fields, count);
        }
        self.record.begin(key, &fields);
        let rows = [groups, rules, directives, verdicts];
        for (count, rows) in counts.into_iter().zip(rows) {
            self.record.push_rows(count, rows);
        }
        policies.push(&self.record)?;
        out.extend_from_slice(&key);
        Ok(())
    }
}

/// Returns true for a row of `directives` that is part of a policy.
fn is_read_directive(fields: &[u8]) -> bool {
    let mut fields = FieldReader::new(fields);
    if fields.u8() != 0 {
        fields.u32();
    }
    fields.u32();
    let directive = fields.bytes();
    let text = std::str::from_utf8(directive).unwrap_or_default();
    READ_DIRECTIVES.contains(&directive) || Mechanism::from_directive(text).is_some()
}

/// Keeps the rows of `verdicts` that belong in `host_verdicts`, sorted by crawler, and returns their number. These
/// are the rows of crawlers for which a group decides, and of those to which a dialect gives another verdict than to
/// `*`. The row of `*` itself, which is the first one, is not kept.
fn keep_named_verdicts(count: u32, rows: &mut Vec<u8>) -> u32 {
    let mut fields = FieldReader::new(rows);
    let mut kept: Vec<(&[u8], &[u8])> = Vec::new();
    let mut wildcard: &[u8] = &[];
    for _ in 0..count {
        let row = fields.rest();
        let agent = fields.bytes();
        let verdict = optional_bytes(&mut fields).unwrap_or_default();
        let dialects = fields.rest();
        for _ in ["google", "rfc9309", "koster1996"] {
            optional_bytes(&mut fields);
        }
        let dialects = &dialects[..dialects.len() - fields.rest().len()];
        let basis = optional_bytes(&mut fields).unwrap_or_default();
        skip_counts(&mut fields);
        skip_number(&mut fields);
        let row = &row[..row.len() - fields.rest().len()];
        if agent == b"*" {
            wildcard = dialects;
        } else if VerdictClass::from_names(verdict, basis).is_of_group() || dialects != wildcard {
            kept.push((agent, row));
        }
    }
    kept.sort_unstable();
    let count = kept.len() as u32;
    *rows = kept
        .iter()
        .flat_map(|(_, row)| row.iter().copied())
        .collect();
    count
}

/// Merges the captures that are needed with their details, and sorts the details by the number of the host.
fn sort_details<'s>(
    context: &CrawlContext<'s>,
    wanted: &SortedRecords<'_>,
    captures: &SortedRecords<'_>,
) -> Result<SortedRecords<'s>, Error> {
    let mut details = context.memory.create_sorter();
    let (mut wanted, mut captures) = (wanted.read()?, captures.read()?);
    let (mut record, mut last_id) = (Vec::new(), Vec::new());
    while let Some(row) = wanted.peek() {
        let (key, rest) = row.split_at(size_of::<i64>());
        let mut fields = FieldReader::new(rest);
        let (uses, number) = (fields.u8(), fields.u64());
        let mut has_details = false;
        while let Some(capture) = captures.peek() {
            let (id, capture) = capture.split_at(size_of::<i64>());
            if id > key {
                break;
            }
            if id == key {
                record.clear();
                put_u64(&mut record, number);
                put_u8(&mut record, uses);
                put_bytes(&mut record, key);
                record.extend_from_slice(capture);
                has_details = true;
                break;
            }
            // Two parts of a dataset may have the same capture.
            if id == last_id {
                return Err(damaged_error(Table::ROBOTS_FILES));
            }
            last_id.clear();
            last_id.extend_from_slice(id);
            captures.advance()?;
        }
        if !has_details {
            return Err(damaged_error(Table::HOSTS));
        }
        details.push(&record)?;
        wanted.advance()?;
    }
    details.finish()
}

/// Sorts the preferences of hosts by `host_id`. The rows of a host stay in their order.
fn sort_preferences<'s>(
    context: &CrawlContext<'s>,
    dataset: &Dataset,
) -> Result<SortedRecords<'s>, Error> {
    let mut sorter = context.memory.create_sorter();
    if dataset.has_files(Table::HOST_PREFERENCES) {
        let mut columns = columns_named(Table::HOST_PREFERENCES, &["host_id"]);
        columns.extend(&own_tables::PREFERENCE_SETS.columns()[1..]);
        let mut rows = EncodedRows::open(dataset, Table::HOST_PREFERENCES, columns)?;
        let (mut record, mut last) = (Vec::new(), None);
        let mut number = 0;
        while let Some(row) = rows.peek() {
            let (host_id, fields) = row.split_at(size_of::<i64>());
            let agent = FieldReader::new(fields).bytes();
            let order = Some((agent.to_vec(), host_id.to_vec()));
            if order < last {
                return Err(damaged_error(Table::HOST_PREFERENCES));
            }
            last = order;
            record.clear();
            record.extend_from_slice(host_id);
            put_u64(&mut record, number);
            record.extend_from_slice(fields);
            sorter.push(&record)?;
            number += 1;
            rows.advance()?;
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
    let mut sorter = context.memory.create_sorter();
    let columns = columns_named(Table::HOSTS, &["fetch_time"]);
    let mut hosts = EncodedRows::open(dataset, Table::HOSTS, columns)?;
    while let Some(fields) = hosts.peek() {
        if let Some(time) = fields.strip_prefix(&[1]) {
            sorter.push(time)?;
        }
        hosts.advance()?;
    }
    let sorted = sorter.finish()?;
    // The median is that of `quantile_disc` of DuckDB: the earliest time such that at least half of all times are not
    // later.
    let median = sorted.len().div_ceil(2).max(1) - 1;
    let mut reader = sorted.read()?;
    let mut number = 0;
    while let Some(time) = reader.peek() {
        let time = FieldReader::new(time).i64();
        row.first_fetch = row.first_fetch.or(Some(time));
        if number == median {
            row.median_fetch = Some(time);
        }
        row.last_fetch = Some(time);
        number += 1;
        reader.advance()?;
    }
    Ok(())
}

/// The details of a host: the location of its authoritative capture, and the policy and the digest of the capture whose
/// rules apply.
#[derive(Debug, Default)]
struct HostDetails {
    place: Option<CapturePlace>,
    policy: Option<[u8; KEY_BYTES]>,
    digest: Vec<u8>,
    /// True if the capture has a `content_class`.
    has_content: bool,
}

impl HostDetails {
    /// Reads the details of the host with this number, if they are next in `details`.
    fn read(
        &mut self,
        number: u64,
        details: &mut Reader<'_>,
        numbers: &ArchiveNumbers,
    ) -> Result<(), Error> {
        *self = Self::default();
        while let Some(record) = details.peek() {
            let mut fields = FieldReader::new(record);
            if fields.u64() != number {
                break;
            }
            let uses = fields.u8();
            let robots_id = FieldReader::new(fields.bytes()).i64();
            let offset = fields.i64();
            let record_in_member = fields.u32().cast_signed();
            if uses & IS_AUTHORITATIVE != 0 {
                self.place = Some(CapturePlace {
                    fetch_time: None,
                    archive_no: numbers.archive_no(robots_id)?,
                    offset,
                    record_in_member,
                });
            }
            if uses & RULES_APPLY != 0 {
                self.read_rules(&mut fields);
            }
            details.advance()?;
        }
        Ok(())
    }

    fn read_rules(&mut self, fields: &mut FieldReader<'_>) {
        let mut optional = |out: &mut Vec<u8>| {
            let has_value = fields.u8() != 0;
            if has_value {
                out.extend_from_slice(fields.bytes());
            }
            has_value
        };
        optional(&mut self.digest);
        self.has_content = optional(&mut Vec::new());
        // Skips `is_valid_utf8`.
        if fields.u8() != 0 {
            fields.u8();
        }
        if fields.u8() != 0 {
            self.policy = fields.rest().try_into().ok();
        }
    }
}

/// The table `hosts`, and the records that are merged with its rows by [`write_captures`].
struct HostRows<'a> {
    dataset: &'a Dataset,
    numbers: &'a ArchiveNumbers,
    details: &'a SortedRecords<'a>,
    preferences: &'a SortedRecords<'a>,
}

/// Writes the records of captures, in the order of hosts. The result has no crawlers.
fn write_captures<'s>(
    context: &CrawlContext<'s>,
    crawl: CrawlRow,
    inputs: &HostRows<'_>,
    shared: &mut SharedSorters<'s>,
) -> Result<CrawlCaptures<'s>, Error> {
    let mut captures = context.captures_memory.create_ordered_writer();
    let mut columns = columns_named(Table::HOSTS, &["host_id", "surt_host_name", "fetch_time"]);
    columns.extend(columns_named(Table::HOSTS, &STATE_COLUMNS));
    let mut hosts = EncodedRows::open(inputs.dataset, Table::HOSTS, columns)?;
    let (mut details, mut preferences) = (inputs.details.read()?, inputs.preferences.read()?);
    let mut of_host = HostDetails::default();
    let mut set = PreferenceSet::default();
    let mut has_untimed_captures = false;
    let (mut record, mut last_host, mut state) = (Vec::new(), Vec::new(), Vec::new());
    let mut number = 0;
    while let Some(row) = hosts.peek() {
        let (host_id, rest) = row.split_at(size_of::<i64>());
        let mut fields = FieldReader::new(rest);
        let host = fields.bytes();
        let fetch_time = (fields.u8() != 0).then(|| fields.i64());
        if number > 0 && host <= &*last_host {
            return Err(damaged_error(Table::HOSTS));
        }
        last_host.clear();
        last_host.extend_from_slice(host);
        of_host.read(number, &mut details, inputs.numbers)?;
        let set_key = set.read(host_id, &mut preferences)?;
        number += 1;
        let is_forgotten = !context.forgotten.is_empty()
            && std::str::from_utf8(host).is_ok_and(|host| context.forgotten.contains(host));
        if !is_forgotten {
            let place = of_host
                .place
                .ok_or_else(|| damaged_error(Table::ROBOTS_FILES))?;
            let place = CapturePlace {
                fetch_time,
                ..place
            };
            has_untimed_captures |= fetch_time.is_none();
            let policy = of_host.policy.map(|key| key_text(&key));
            state.clear();
            put_optional_bytes(&mut state, policy.as_ref().map(|text| text.as_bytes()));
            for key in [
                set_key.map(|key| key.preferences),
                set_key.map(|key| key.set),
            ] {
                let text = key.map(|key| key_text(&key));
                put_optional_bytes(&mut state, text.as_ref().map(|text| text.as_bytes()));
            }
            state.extend_from_slice(fields.rest());
            let digest: &[u8] = if of_host.has_content {
                &of_host.digest
            } else {
                &[]
            };
            CaptureRecord::write(
                &mut record,
                host,
                crawl.median_fetch,
                &place,
                digest,
                &state,
            );
            captures.push(&record)?;
            if set_key.is_some() {
                shared.preference_sets.push(set.record.bytes())?;
            }
        }
        hosts.advance()?;
    }
    // Rows that are left belong to a host that `hosts` lacks.
    if preferences.peek().is_some() {
        return Err(damaged_error(Table::HOST_PREFERENCES));
    }
    Ok(CrawlCaptures {
        row: crawl,
        captures: captures.finish()?,
        has_untimed_captures,
        agents: Vec::new(),
    })
}

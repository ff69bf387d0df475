//! Makes a history: one dataset of many crawls, in which data that does not change between crawls is stored once.
//!
//! Input: datasets and earlier histories. Output: a history; its rows, when it is read back. The package is independent of `answers`.
//!
//! ```text
//! inputs.rs          datasets, joined folders and earlier histories; checks that they fit together
//! crawl_input.rs     the captures of a crawl, with the state of each host (archive_numbers.rs, preference_set.rs)
//! stored_hosts.rs    the hosts of an earlier history with their periods and contents
//! captures_by_host.rs  the captures of an earlier history by host
//! history_input.rs   both together: its captures in the order of hosts, with their states
//! capture_record.rs  the form in which captures of all inputs are merged, and views of their states
//! periods.rs         merges captures, and divides those of a host into periods (counted_domain.rs)
//! row_key.rs         the keys of policies and of sets of preferences, which are digests
//! keyed_rows.rs      policies and sets of preferences, each stored once
//! policy_file.rs     the lines of a policy: its key, and the file that is rebuilt from it
//! host_lookup.rs     finds a capture of one host, for `check`
//! shares.rs          counts hosts and domains by their verdict for each crawler
//! agent_periods.rs   the periods of the crawlers that policies name
//! verify.rs          verifies a history: its manifest and its files
//! own_tables/        the declarations of the tables; manifest.rs, views.rs: the manifest and `views.sql`
//! output_folder.rs, table_writer.rs   write the files of a history
//! ```
//!
//! The rows depend only on the crawls. The order of inputs has no effect on them, and a crawl gives the same rows
//! whether it is read from its dataset or from an earlier history. If all crawls are added to a history that they
//! follow in time, the files with its captures are copied, and its periods are continued.

mod agent_periods;
mod archive_numbers;
pub mod capture_record;
pub mod captures_by_host;
mod counted_domain;
mod crawl_input;
pub mod crawl_row;
pub mod error;
pub mod history_input;
pub mod host_lookup;
mod inputs;
pub mod keyed_rows;
mod manifest;
mod output_folder;
pub mod own_tables;
mod periods;
pub mod policy_file;
mod preference_set;
pub mod row_key;
mod share_row;
mod shares;
mod stored_hosts;
mod table_writer;
pub mod verdict_class;
mod verify;
mod views;

pub use manifest::{HistoryFile, HistoryManifest};
pub use verify::verify;
pub use views::{check_values, views_sql, views_text, write_views};

use agent_periods::{NamedPeriods, PeriodOfPolicy, write_agent_periods};
use crawl_input::{ArchiveRow, CrawlCaptures, CrawlContext, SharedSorters, read_crawl};
use crawl_row::{CrawlRow, StoredCrawl};
use dataset::error::{DatasetDefect, DatasetErrorKind};
use dataset::{CaptureFilter, Encoding, row};
use disk::error::{Error, ErrorKind};
use history_input::{HistoryCaptures, HistoryReader, PlacedCrawl, place_crawls, sort_captures};
use hosts::resolved::stored_verdict::inconsistent_table_error;
use inputs::{InputHistory, Inputs, read_input_digest};
use keyed_rows::{
    KeyedRecord, KeyedRows, KeyedSorter, KeyedSource, POLICIES, PREFERENCE_SETS, write_keyed_rows,
};
use output_folder::{OutputFolder, check_output, find_stopped};
use periods::{CaptureSource, PeriodWriter};
use policy_file::PolicyKeys;
use row_key::RowKey;
use share_row::{SHARE_KEY, ShareRow, SortedShare, push_share, write_shares};
use shares::{CountedCrawler, CountedHosts, Crawlers, NameOfHost, count_shares};
use sort::{MIN_MEMORY_BYTES, SortMemory, SortedRecords, Sorter, SpillFolder, record};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;
use stored_hosts::StoredHosts;
use table_writer::TableWriters;
use tables::Table;
use xxhash_rust::xxh3::Xxh3;

/// The inputs and the output of a history.
#[derive(Clone, Debug)]
pub struct Options {
    /// Datasets, joined folders and earlier histories.
    pub inputs: Vec<PathBuf>,
    /// The folder that is written.
    pub output: PathBuf,
    /// The memory limit of all sorters, in bytes.
    pub memory: u64,
    /// True if an existing history in `output` is replaced.
    pub overwrite: bool,
    /// True if a crawl of a later input replaces the same crawl of an earlier one. Otherwise such a crawl is an
    /// error.
    pub replaces_crawls: bool,
    /// Hosts that are left out of the history, in the form of the column `surt_host_name`.
    pub forgotten: BTreeSet<String>,
}

/// The counters of a history in progress. Other threads may read them.
#[derive(Debug, Default)]
pub struct HistoryProgress {
    /// The number of crawls read from datasets so far. Crawls of earlier histories are not counted.
    pub crawls_read: AtomicU64,
    /// The number of captures written so far.
    pub captures: AtomicU64,
    /// True once all captures are written. Policies and shares are written after them.
    pub are_captures_written: AtomicBool,
    /// The number of rows of `robots_files` read so far to resolve hosts, for crawls whose stored `hosts` cannot be
    /// used.
    pub resolved_rows: AtomicU64,
}

/// The counts of a finished history.
#[derive(Clone, Debug, Default)]
pub struct HistorySummary {
    /// The crawls, in order.
    pub crawls: Vec<String>,
    /// Crawls that were read from datasets.
    pub crawls_read: usize,
    /// Hosts with a capture.
    pub hosts: u64,
    /// Rows of `host_captures`.
    pub captures: u64,
    /// Rows of `host_periods`.
    pub periods: u64,
    /// Rows of `agent_periods`.
    pub agent_periods: u64,
    /// Rows of `policies`.
    pub policies: u64,
    /// The number of files.
    pub files: usize,
    /// The bytes of all files.
    pub bytes: u64,
    /// The wall time.
    pub seconds: f64,
}

impl HistorySummary {
    /// Returns the counts that the manifest of a history has.
    fn of(manifest: &HistoryManifest) -> Self {
        let rows = |table: Table| -> u64 {
            let files = manifest.table_files(table);
            files.map(|file| file.stats.rows).sum()
        };
        let files = manifest.files.iter();
        Self {
            crawls: manifest.crawls.clone(),
            captures: rows(own_tables::HOST_CAPTURES),
            periods: rows(own_tables::HOST_PERIODS),
            agent_periods: rows(own_tables::AGENT_PERIODS),
            policies: rows(own_tables::POLICIES),
            files: manifest.files.len(),
            bytes: files.map(|file: &HistoryFile| file.stats.bytes).sum(),
            ..Self::default()
        }
    }
}

/// A history whose inputs and output have been checked.
pub struct PreparedHistory {
    options: Options,
    /// A digest of the inputs and options.
    source: u64,
    work: Work,
}

/// The work that is left to do.
enum Work {
    /// The history is made from these inputs.
    Write(Inputs),
    /// The same command has made this history, and was stopped before it ended.
    End(HistorySummary),
}

/// Checks the inputs and the output. Nothing is written.
///
/// # Errors
///
/// [`DatasetErrorKind::MemoryTooSmall`]; the kinds of [`HistoryErrorKind`](error::HistoryErrorKind); the errors of
/// reading and of checking an output.
pub fn prepare(options: Options) -> Result<PreparedHistory, Error> {
    if options.memory < MIN_MEMORY_BYTES {
        let least = MIN_MEMORY_BYTES;
        let kind = DatasetErrorKind::MemoryTooSmall { least };
        return Err(Error::new(kind, &options.output));
    }
    let source = compute_source(&options);
    let stopped = match &source {
        Ok(source) => find_stopped(&options.output, *source)?,
        // The checks of inputs have better messages.
        Err(_) => None,
    };
    let work = match stopped {
        Some(summary) => Work::End(summary),
        None => {
            check_output(&options.output, options.overwrite)?;
            Work::Write(Inputs::open(&options.inputs, options.replaces_crawls)?)
        }
    };
    Ok(PreparedHistory {
        source: source?,
        options,
        work,
    })
}

impl PreparedHistory {
    /// Returns the number of crawls that are read from datasets.
    pub fn crawl_count(&self) -> usize {
        match &self.work {
            Work::Write(inputs) => inputs.crawls.len(),
            Work::End(_) => 0,
        }
    }

    /// Writes the history.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`], errors of reading and writing; [`ErrorKind::Abandoned`] once `stop` is set.
    pub fn run(
        self,
        progress: &HistoryProgress,
        stop: &Arc<AtomicBool>,
    ) -> Result<HistorySummary, Error> {
        let Self {
            options,
            source,
            work,
        } = self;
        let output = options.output.clone();
        let inputs = match work {
            Work::Write(inputs) => inputs,
            Work::End(summary) => {
                OutputFolder::open(&output, true, source)?.end();
                return Ok(summary);
            }
        };
        let written = write_history(&options, &inputs, source, progress, stop);
        written.map_err(|error| match error.kind() {
            // An abandoned sorter gives its temporary folder as the path of the error.
            Some(ErrorKind::Abandoned) => Error::new(ErrorKind::Abandoned, &output),
            // An error without a path is about rows that were merged from several inputs, of which one lacks a row.
            _ if error.path().as_os_str().is_empty() => {
                let mut histories = inputs.histories.iter();
                match histories.find(|input| lacks_key(input, stop).unwrap_or(false)) {
                    Some(input) => error.with_path(&input.root),
                    None => error,
                }
            }
            _ => error,
        })
    }
}

/// Returns a digest of the version of the program, the manifests of the inputs, and the options on which rows depend. An
/// input that is also the output has none, since it is replaced.
fn compute_source(options: &Options) -> Result<u64, Error> {
    let output = options.output.canonicalize().ok();
    let mut hasher = Xxh3::new();
    hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
    hasher.update(&[options.replaces_crawls.into()]);
    for input in &options.inputs {
        if output.is_none() || input.canonicalize().ok() != output {
            hasher.update(read_input_digest(input)?.as_bytes());
        }
        hasher.update(b"\n");
    }
    for host in &options.forgotten {
        hasher.update(host.as_bytes());
        hasher.update(b"\n");
    }
    Ok(hasher.digest())
}

/// Returns true if a period of a history has a policy or a set of preferences that the history lacks. Takes the memory
/// of all keys.
fn lacks_key(input: &InputHistory, stop: &Arc<AtomicBool>) -> Result<bool, Error> {
    let history = HistoryReader::open(&input.root, &input.manifest, false, stop)?;
    let (mut policies, mut sets) = (BTreeSet::new(), BTreeSet::new());
    let mut rows = history.rows::<PolicyId<'_>>()?;
    while let Some(row) = rows.next_record()? {
        policies.insert(row.policy_id.to_owned());
    }
    let mut rows = history.rows::<PreferenceSetId<'_>>()?;
    while let Some(row) = rows.next_record()? {
        sets.insert(row.preference_set_id.to_owned());
    }
    let mut periods = history.rows::<PeriodKeys<'_>>()?;
    while let Some(keys) = periods.next_record()? {
        let is_missing = |known: &BTreeSet<String>, key: Option<&str>| {
            key.is_some_and(|key| !known.contains(key))
        };
        if is_missing(&policies, keys.policy_id) || is_missing(&sets, keys.preference_set_id) {
            return Ok(true);
        }
    }
    Ok(false)
}

row! {
    struct PolicyId<'a> of own_tables::POLICIES {
        policy_id: &'a str,
    }
}

row! {
    struct PreferenceSetId<'a> of own_tables::PREFERENCE_SETS {
        preference_set_id: &'a str,
    }
}

row! {
    struct PeriodKeys<'a> of own_tables::HOST_PERIODS {
        policy_id: Option<&'a str>,
        preference_set_id: Option<&'a str>,
    }
}

fn write_history(
    options: &Options,
    inputs: &Inputs,
    source: u64,
    progress: &HistoryProgress,
    stop: &Arc<AtomicBool>,
) -> Result<HistorySummary, Error> {
    let start = Instant::now();
    let mut output = OutputFolder::open(&options.output, options.overwrite, source)?;
    let written = write_tables(options, inputs, &mut output, progress, stop);
    let (manifest, summary) = match written {
        Ok(written) => written,
        Err(error) => {
            output.discard();
            return Err(error);
        }
    };
    let summary = HistorySummary {
        crawls_read: inputs.crawls.len(),
        hosts: summary.hosts,
        seconds: start.elapsed().as_secs_f64(),
        ..HistorySummary::of(&manifest)
    };
    output.commit(&manifest, source, &summary)?;
    Ok(summary)
}

/// Writes the files of all tables.
fn write_tables(
    options: &Options,
    inputs: &Inputs,
    output: &mut OutputFolder,
    progress: &HistoryProgress,
    stop: &Arc<AtomicBool>,
) -> Result<(HistoryManifest, HistorySummary), Error> {
    let temp_folder = Arc::clone(output.temp_folder());
    let spill_folder = SpillFolder::create(&temp_folder.sort_folder_path(), Arc::clone(stop))?;
    let memory = SortMemory::new(&spill_folder, options.memory);
    let per_crawl = options.memory / (inputs.crawls.len() as u64).max(1);
    let context = CrawlContext {
        memory,
        captures_memory: SortMemory::new(&spill_folder, per_crawl),
        root: &options.output,
        temp_folder: &temp_folder,
        rows_read: &progress.resolved_rows,
        stop,
        forgotten: &options.forgotten,
    };
    let mut shared = SharedSorters {
        policies: KeyedSorter::new(memory),
        preference_sets: memory.create_sorter(),
        archives: memory.create_sorter(),
        policy_keys: PolicyKeys::new(memory),
    };
    let mut read = Vec::new();
    for input in &inputs.crawls {
        let crawl = read_crawl(&context, input, &mut shared);
        let crawl = crawl.map_err(|error| {
            if error.path().as_os_str().is_empty() {
                error.with_path(&input.datasets[0].root)
            } else {
                error
            }
        });
        read.push(crawl?);
        progress.crawls_read.fetch_add(1, Ordering::Relaxed);
    }
    let histories = inputs.histories.iter();
    let histories =
        histories.map(|input| HistoryReader::open(&input.root, &input.manifest, true, stop));
    let histories: Vec<HistoryReader> = histories.collect::<Result<_, _>>()?;
    let sources = Sources::new(&read, inputs, &histories);
    let mut writers = TableWriters::new(output);
    let summary = sources.write(options, shared, memory, &mut writers, progress)?;
    let manifest = HistoryManifest {
        meaning: inputs.meaning,
        crawls: summary.crawls.clone(),
        has_untimed_captures: sources.has_untimed_captures,
        files: writers.finish()?,
    };
    Ok((manifest, summary))
}

/// The opened inputs, and all crawls in the order of the table `crawls`.
struct Sources<'a, 's> {
    inputs: &'a Inputs,
    /// The crawls that were read from datasets.
    read: &'a [CrawlCaptures<'s>],
    histories: &'a [HistoryReader],
    crawls: Vec<CrawlRow>,
    /// For each history, the crawls that no other input replaces, with their positions in `crawls`.
    placed: Vec<BTreeMap<String, PlacedCrawl>>,
    /// True if some capture has no time.
    has_untimed_captures: bool,
}

impl<'a, 's> Sources<'a, 's> {
    fn new(
        read: &'a [CrawlCaptures<'s>],
        inputs: &'a Inputs,
        histories: &'a [HistoryReader],
    ) -> Self {
        let mut crawls: Vec<CrawlRow> = read.iter().map(|crawl| crawl.row.clone()).collect();
        for (history, input) in histories.iter().zip(&inputs.histories) {
            let is_kept = |row: &&CrawlRow| input.kept_crawls.contains(&row.crawl);
            crawls.extend(history.crawls.iter().filter(is_kept).cloned());
        }
        crawls.sort_by(|a, b| a.order().cmp(&b.order()));
        let placed = inputs.histories.iter().map(|input| {
            let mut places = place_crawls(&crawls);
            places.retain(|crawl, _| input.kept_crawls.contains(crawl));
            places
        });
        let placed = placed.collect();
        let has_untimed_captures = read.iter().any(|crawl| crawl.has_untimed_captures)
            || inputs
                .histories
                .iter()
                .any(|input| input.manifest.has_untimed_captures);
        Self {
            inputs,
            read,
            histories,
            crawls,
            placed,
            has_untimed_captures,
        }
    }

    /// Returns the history that all other crawls are added to, if no capture of it is later than one of them and none of
    /// its hosts must be counted again: then its captures are the same in the history that is written.
    fn continued_history(
        &self,
        options: &Options,
        is_counted: &[bool],
    ) -> Option<&'a HistoryReader> {
        let [history] = self.histories else {
            return None;
        };
        let (before, added) = self.crawls.split_at_checked(history.crawls.len())?;
        let last = before.iter().filter_map(|row| row.last_fetch).max();
        let is_later = added.iter().all(|row| row.first_fetch > last);
        let is_continued = before == history.crawls && is_later;
        let is_whole = options.forgotten.is_empty() && !self.has_untimed_captures;
        let is_copied = !is_counted[..before.len()].contains(&true);
        (is_continued && is_whole && is_copied).then_some(history)
    }

    /// Writes all tables.
    fn write(
        &self,
        options: &Options,
        shared: SharedSorters<'_>,
        memory: SortMemory<'_>,
        writers: &mut TableWriters<'_>,
        progress: &HistoryProgress,
    ) -> Result<HistorySummary, Error> {
        let names: Vec<&str> = self.crawls.iter().map(|row| row.crawl.as_str()).collect();
        let agents = self.read_agents()?;
        let mut shares = memory.create_sorter::<SortedShare>();
        let is_counted = self.copy_shares(options, &agents, &mut shares)?;
        let continued = self.continued_history(options, &is_counted);
        let sorted = self.histories.iter().zip(&self.placed);
        let sorted = sorted.filter(|_| continued.is_none());
        let sorted = sorted.map(|(history, placed)| sort_captures(history, placed, memory));
        let sorted: Vec<_> = sorted.collect::<Result<_, _>>()?;
        let mut captures = Vec::new();
        for crawl in self.read {
            let position = self
                .crawls
                .iter()
                .position(|row| row.crawl == crawl.row.crawl);
            let position = position.unwrap_or_default() as u32;
            captures.push(CaptureSource::Sorted(crawl.captures.source()?, position));
        }
        for (history, sorted) in self.histories.iter().zip(&sorted) {
            let reader = HistoryCaptures::open(history, sorted, &options.forgotten)?;
            captures.push(CaptureSource::History(Box::new(reader)));
        }
        let mut periods = PeriodWriter::new(&self.crawls, is_counted.clone(), memory);
        let stored = continued.map(StoredHosts::open).transpose()?;
        periods.write_all(stored, captures, writers, progress)?;
        progress.are_captures_written.store(true, Ordering::Relaxed);
        drop(sorted);
        let written = periods.finish()?;
        if continued.is_some() {
            let input = &self.inputs.histories[0];
            for file in input.manifest.table_files(own_tables::HOST_CAPTURES) {
                writers.copy_file(own_tables::HOST_CAPTURES, &input.root, file)?;
            }
        }
        written.write_captures(&names, writers)?;
        let policies = PolicyWriter {
            sources: self,
            sorted: shared.policies.finish()?,
            used: &written.policies,
            named: &written.named,
            counted: &written.counter.finish()?,
            memory,
        };
        let of_hosts = policies.write(&names, writers)?;
        let crawlers = read_crawlers(&agents);
        count_shares(
            policies.counted,
            &of_hosts,
            &crawlers,
            &self.crawls,
            &mut shares,
        )?;
        drop((of_hosts, policies));
        write_shares(&shares.finish()?, writers)?;
        let sets = shared.preference_sets.finish()?;
        let readers = self.histories.iter();
        let all = &CaptureFilter::All;
        let readers = readers.map(|history| KeyedSource::open(history, PREFERENCE_SETS, all));
        let readers = readers.collect::<Result<_, _>>()?;
        let used = &written.preference_sets;
        write_keyed_rows(
            PREFERENCE_SETS,
            &sets,
            readers,
            used,
            writers,
            &mut |_, _| Ok(()),
        )?;
        self.write_archives(&shared.archives.finish()?, memory, writers)?;
        for row in &agents {
            writers.push_encoded(Table::AGENTS, row)?;
        }
        for (position, row) in (0..).zip(&self.crawls) {
            let counts = &written.counts[position as usize];
            let is_continued =
                continued.is_some_and(|history| position < history.crawls.len() as u32);
            // The hosts of crawls whose captures were copied were not counted.
            let mut row = row.clone();
            if !is_continued {
                (row.hosts, row.domains) = (counts.hosts, counts.domains);
            }
            writers.push::<StoredCrawl<'_>>(row.stored(position))?;
        }
        Ok(HistorySummary {
            crawls: self.crawls.iter().map(|row| row.crawl.clone()).collect(),
            hosts: written.hosts,
            ..HistorySummary::default()
        })
    }

    /// Copies the rows of `shares` from earlier histories to `rows`, for crawls whose hosts would give the same rows
    /// if they were counted again. Returns a flag for each crawl: true if its hosts must be counted.
    fn copy_shares(
        &self,
        options: &Options,
        agents: &[Vec<u8>],
        rows: &mut Sorter<'_, SortedShare>,
    ) -> Result<Vec<bool>, Error> {
        let mut is_counted = vec![true; self.crawls.len()];
        if !options.forgotten.is_empty() {
            return Ok(is_counted);
        }
        for (history, placed) in self.histories.iter().zip(&self.placed) {
            if history.read_agents()? != agents {
                continue;
            }
            let positions = placed.iter();
            let positions = positions.map(|(crawl, place)| (crawl.as_str(), place.position));
            let positions: BTreeMap<&str, u32> = positions.collect();
            for position in positions.values() {
                is_counted[*position as usize] = false;
            }
            let places = history.places();
            let damaged = || damaged_history_error(history.root(), own_tables::SHARES);
            let mut shares = history.rows::<ShareRow<'_>>()?;
            let mut last = None;
            while let Some(row) = shares.next_bytes()? {
                let share = SHARE_KEY.read(row);
                let place = places.get(share.crawl).ok_or_else(damaged)?;
                let key = Some((share.agent.to_vec(), place.position, share.class()));
                if last >= key {
                    return Err(damaged());
                }
                last = key;
                if let Some(position) = positions.get(share.crawl) {
                    push_share(row, *position, rows)?;
                }
            }
        }
        Ok(is_counted)
    }

    /// Returns the rows of the registry of crawlers, as stored with the last crawl.
    fn read_agents(&self) -> Result<Vec<Vec<u8>>, Error> {
        let Some(last) = self.crawls.last().map(|row| &row.crawl) else {
            return Ok(Vec::new());
        };
        if let Some(crawl) = self.read.iter().find(|crawl| crawl.row.crawl == *last) {
            return Ok(crawl.agents.clone());
        }
        let mut histories = self.histories.iter().zip(&self.placed);
        let history = histories.find(|(_, placed)| placed.contains_key(last));
        history.map_or(Ok(Vec::new()), |(history, _)| {
            let rows = history.read_agents()?;
            let checked = check_agents(&rows);
            checked.map_err(|error| error.with_path(history.root()))?;
            Ok(rows)
        })
    }

    /// Writes the table `archives`, sorted by crawl, then by number. `of_datasets` has the archives of crawls that
    /// were read from datasets.
    fn write_archives(
        &self,
        of_datasets: &SortedRecords<'_, ArchiveRow<'static>>,
        memory: SortMemory<'_>,
        writers: &mut TableWriters<'_>,
    ) -> Result<(), Error> {
        let positions = (0u32..).zip(&self.crawls);
        let positions: BTreeMap<&str, u32> = positions
            .map(|(position, row)| (row.crawl.as_str(), position))
            .collect();
        let mut sorter = memory.create_sorter::<(u32, NumberedArchive<'static>)>();
        // Adds a row unless its crawl was replaced by another input.
        let mut push = |row: ArchiveRow<'_>, is_kept: bool| {
            let archive = NumberedArchive {
                archive_no: row.archive_no,
                warc_filename: row.warc_filename,
            };
            match positions.get(row.crawl).filter(|_| is_kept) {
                Some(position) => sorter.push((*position, archive)),
                None => Ok(()),
            }
        };
        let mut archives = of_datasets.read()?;
        while let Some(row) = archives.next_record()? {
            push(row, true)?;
        }
        for (history, placed) in self.histories.iter().zip(&self.placed) {
            let places = history.places();
            let mut archives = history.rows::<ArchiveRow<'_>>()?;
            while let Some(row) = archives.next_record()? {
                if !places.contains_key(row.crawl) {
                    return Err(damaged_history_error(history.root(), own_tables::ARCHIVES));
                }
                push(row, placed.contains_key(row.crawl))?;
            }
        }
        let sorted = sorter.finish()?;
        let mut archives = sorted.read()?;
        let mut last = Vec::new();
        while let Some(record) = archives.next_bytes()? {
            if record == last {
                continue;
            }
            last.clear();
            last.extend_from_slice(record);
            let (position, archive) = sort::read::<(u32, NumberedArchive<'static>)>(record);
            writers.push::<ArchiveRow<'_>>(ArchiveRow {
                crawl: &self.crawls[position as usize].crawl,
                archive_no: archive.archive_no,
                warc_filename: archive.warc_filename,
            })?;
        }
        Ok(())
    }
}

record! {
    /// An archive of a crawl.
    struct NumberedArchive<'a> {
        archive_no: i64,
        warc_filename: &'a str,
    }
}

/// Writes policies with their lines and verdicts, and the table `agent_periods`.
struct PolicyWriter<'a, 's> {
    sources: &'a Sources<'a, 's>,
    /// The policies of the crawls that were read from datasets.
    sorted: SortedRecords<'a, KeyedRecord>,
    /// The keys of the policies that periods refer to. Only these policies are written.
    used: &'a SortedRecords<'s, (RowKey, ())>,
    /// The periods of hosts whose policies name crawlers, sorted by policy.
    named: &'a SortedRecords<'s, PeriodOfPolicy>,
    /// The hosts that `shares` counts.
    counted: &'a CountedHosts<'s>,
    memory: SortMemory<'s>,
}

impl<'s> PolicyWriter<'_, 's> {
    /// Writes the tables. Returns a record for each host of `counted` and each crawler that its policy names, sorted
    /// by crawl, domain and host. `names` are the names of the crawls.
    fn write(
        &self,
        names: &[&str],
        writers: &mut TableWriters<'_>,
    ) -> Result<SortedRecords<'s, NameOfHost>, Error> {
        let readers = self.sources.histories.iter();
        let all = &CaptureFilter::All;
        let readers = readers.map(|history| KeyedSource::open(history, POLICIES, all));
        let readers = readers.collect::<Result<_, _>>()?;
        let mut agents = NamedPeriods::new(self.named, self.memory)?;
        let mut of_hosts = self.counted.names()?;
        let mut push = |key: &RowKey, policy: &KeyedRows<'_>| {
            agents.push(key, policy)?;
            of_hosts.push(key, policy)
        };
        write_keyed_rows(
            POLICIES,
            &self.sorted,
            readers,
            self.used,
            writers,
            &mut push,
        )?;
        let of_hosts = of_hosts.finish()?;
        write_agent_periods(&agents.finish()?, names, writers)?;
        Ok(of_hosts)
    }
}

row! {
    /// A crawler of the registry.
    struct AgentRow<'a> of Table::AGENTS {
        agent: &'a [u8],
        fallbacks: Option<&'a [u8]>,
        ignores_wildcard: bool,
    }
}

const AGENT: Encoding<AgentRow<'static>> = Encoding::of(Table::AGENTS.columns());

/// Returns an error without a path if a crawler has two rows in the registry.
fn check_agents(rows: &[Vec<u8>]) -> Result<(), Error> {
    let names = rows.iter().map(|row| AGENT.read(row).agent);
    let names: BTreeSet<&[u8]> = names.collect();
    if names.len() == rows.len() {
        Ok(())
    } else {
        Err(damaged_error(Table::AGENTS))
    }
}

/// Parses the rows of the registry of crawlers.
fn read_crawlers(rows: &[Vec<u8>]) -> Crawlers {
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

/// Returns the error that the rows of a table contradict those of another table. The error has no path, which
/// [`write_tables`] or [`PreparedHistory::run`] adds.
fn damaged_error(table: Table) -> Error {
    inconsistent_table_error(table.name())
}

/// Returns the error that a table of the history at `root` contradicts itself or another table.
pub fn damaged_history_error(root: &Path, table: Table) -> Error {
    let table = table.name();
    let message = format!("its table `{table}` contradicts itself or another table of the history");
    DatasetDefect::BadTable { table, message }.error(root)
}

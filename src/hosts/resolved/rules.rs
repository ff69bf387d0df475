//! Reads the rules of each host: the columns and the verdicts of the capture whose rules apply to
//! it.

use super::selection::{SelectedHost, SelectedHosts};
use super::shared_names::{HostCountsByCrawl, NameLimits, name_weight};
use super::stored_preference::PreferenceReader;
use super::stored_verdict::{
    VerdictFields, VerdictRow, check_capture_bytes, inconsistent_table_error,
};
use crate::ResolveContext;
use dataset::{BatchRow, CaptureFilter, Columns, PartReader, row};
use errors::Error;
use process::open_files;
use rayon::prelude::*;
use robots::Basis;
use sort::{Arena, Field, Record, Rest, SharedSorter, SortedRecords, record};
use std::sync::{Mutex, PoisonError};
use tables::{HostRules, StoredVerdict, Table};

/// The number of hosts whose rules are read together.
const HOSTS_PER_CHUNK: usize = 1 << 18;

/// The number of files that are open while the rules of a chunk are read: those of `robots_files`,
/// `verdicts` and `file_preferences`.
const FILES_PER_CHUNK: usize = 3;

/// The size of the buffer in which a thread collects records before it adds them to a sorter.
const BUFFER_BYTES: usize = 1 << 20;

/// Hosts whose rules are in the same part of the dataset, sorted by the capture with their rules.
struct HostChunk {
    part: u32,
    hosts: Vec<HostWithSource>,
}

record! {
    /// A host, and the `robots_id` of the capture with its rules.
    struct HostWithSource {
        robots_id: i64,
        /// The number of the host in the order of [`SelectedHosts`], from 0.
        number: u64,
        /// The index of its crawl.
        crawl: u32,
        /// True if the rules are not those of the authoritative capture of the host.
        has_shared_rules: bool,
    }
}

record! {
    /// The rules of a host, after its number.
    pub(super) struct RulesFields<'a> {
        capture: CaptureRules<'a>,
        wildcard: VerdictFields,
        n_named: u32,
        /// The sum of the [`name_weight`] of all names, which [`NameLimits`] limits.
        weighted_names: u32,
        has_preferences: bool,
    }
}

record! {
    /// The part and the `robots_id` of a capture.
    pub(super) struct CaptureKey {
        pub(super) part: u32,
        pub(super) robots_id: i64,
    }
}

/// Rows of a capture, after its key.
pub(super) type RowsOfCapture = (CaptureKey, Rest<'static>);

/// The rules of all hosts, as records.
pub(super) struct HostsWithRules<'s> {
    /// Sorted by the numbers of the hosts.
    pub(super) by_host: SortedRecords<'s, (u64, RulesFields<'static>)>,
    /// For each capture with names, the names with their verdicts, which [`read_names`] reads. There is one record,
    /// however many hosts share the capture.
    pub(super) names: SortedRecords<'s, RowsOfCapture>,
    /// For each capture with rows in `file_preferences`, the rows.
    pub(super) preferences: SortedRecords<'s, RowsOfCapture>,
    /// Determines which hosts that share the rules of another capture have rows for its names.
    pub(super) limits: NameLimits,
}

/// Reads the rules of every host from the capture whose rules apply to it.
pub(super) fn read_all_rules<'s>(
    context: &ResolveContext<'s>,
    hosts: &SelectedHosts<'_>,
) -> Result<HostsWithRules<'s>, Error> {
    let mut by_capture = context.memory.create_sorter::<(u32, HostWithSource)>();
    hosts.for_each(&mut |number, host| {
        let source = &host.capture.source;
        let with_source = HostWithSource {
            robots_id: source.id.robots_id,
            number,
            crawl: host.crawl,
            has_shared_rules: host.has_shared_rules(),
        };
        by_capture.push((source.part, with_source))
    })?;
    let by_capture = by_capture.finish()?;
    let rules = context.memory.create_shared_sorter();
    let names = context.memory.create_shared_sorter();
    let preferences = context.memory.create_shared_sorter();
    let counts = Mutex::new(HostCountsByCrawl::default());
    let mut reader = by_capture.read()?;
    // Half of the files that may still be opened remain for spilled runs of sorted records.
    let max_chunks = open_files::count_free() / 2 / FILES_PER_CHUNK;
    let max_chunks = max_chunks.clamp(1, rayon::current_num_threads());
    loop {
        let mut chunks: Vec<HostChunk> = Vec::new();
        loop {
            let last = chunks.last();
            let has_place = |part| chunks.len() < max_chunks || has_room(last, part);
            let Some((part, host)) = reader.next_if(|(part, _)| has_place(part))? else {
                break;
            };
            if !has_room(last, part) {
                let hosts = Vec::new();
                chunks.push(HostChunk { part, hosts });
            }
            let last = chunks.last_mut();
            last.into_iter().for_each(|chunk| chunk.hosts.push(host));
        }
        if chunks.is_empty() {
            break;
        }
        chunks.par_iter().try_for_each(|chunk| {
            let chunk_counts = chunk.read_rules(context, &rules, &names, &preferences)?;
            let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
            counts.add_all(chunk_counts);
            Ok::<(), Error>(())
        })?;
    }
    let counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(HostsWithRules {
        by_host: rules.finish()?,
        names: names.finish()?,
        preferences: preferences.finish()?,
        limits: counts.compute_limits(),
    })
}

/// Returns true if the last chunk has room for a host whose rules are in a part.
fn has_room(last: Option<&HostChunk>, part: u32) -> bool {
    last.is_some_and(|chunk| chunk.part == part && chunk.hosts.len() < HOSTS_PER_CHUNK)
}

/// Collects records of a thread, and adds many of them to a sorter at once.
struct RecordBuffer<'a, 's, R> {
    sorter: &'a SharedSorter<'s, R>,
    records: Arena<R>,
    /// The bytes of the record that is added.
    record: Vec<u8>,
}

impl<'a, 's, R: Record> RecordBuffer<'a, 's, R> {
    fn new(sorter: &'a SharedSorter<'s, R>) -> Self {
        Self {
            sorter,
            records: Arena::default(),
            record: Vec::new(),
        }
    }

    fn push(&mut self, record: R::Of<'_>) -> Result<(), Error> {
        self.record.clear();
        // Few records are large, so a large buffer is not kept.
        self.record.shrink_to(BUFFER_BYTES);
        record.write(&mut self.record);
        let len = self.record.len();
        if len > BUFFER_BYTES {
            return self.sorter.push_bytes(&self.record);
        }
        if !self.records.has_room(len, BUFFER_BYTES) {
            self.flush()?;
        }
        self.records.push_bytes(&self.record);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.sorter.append(&self.records)?;
        self.records.clear();
        Ok(())
    }
}

impl HostChunk {
    /// Reads the rules of the hosts into the sorters. Returns the counts of the hosts, from which the
    /// limits of names are computed.
    fn read_rules(
        &self,
        context: &ResolveContext<'_>,
        rules: &SharedSorter<'_, (u64, RulesFields<'static>)>,
        names: &SharedSorter<'_, RowsOfCapture>,
        preferences: &SharedSorter<'_, RowsOfCapture>,
    ) -> Result<HostCountsByCrawl, Error> {
        let mut counts = HostCountsByCrawl::default();
        let (Some(first), Some(last)) = (self.hosts.first(), self.hosts.last()) else {
            return Ok(counts);
        };
        let near = CaptureFilter::IdRange(first.robots_id..=last.robots_id);
        let dataset = context.dataset;
        let columns = [CaptureIds::NAMES, CaptureRules::NAMES].concat();
        let mut captures = dataset.open_part(Table::ROBOTS_FILES, self.part, &columns, &near)?;
        let columns = VerdictRow::NAMES;
        let mut verdicts = dataset.open_part(Table::VERDICTS, self.part, columns, &near)?;
        let mut verdict_rows = read_next_rows(context, &mut verdicts)?;
        let mut verdict_row = 0;
        let mut preference_rows = PreferenceReader::open(context, self.part, &near)?;
        let mut hosts = self.hosts.iter().peekable();
        let mut capture_rules = CaptureRulesBuilder::default();
        let (mut rules, mut names) = (RecordBuffer::new(rules), RecordBuffer::new(names));
        let mut preferences = RecordBuffer::new(preferences);
        while let Some(batch) = captures.next_batch()? {
            context.memory.check_stop()?;
            let add_path = |error| captures.add_path(error);
            let ids = CaptureIds::from_batch(&batch).map_err(add_path)?;
            let rows = CaptureRules::from_batch(&batch).map_err(add_path)?;
            for (row, &robots_id) in ids.robots_id.values().iter().enumerate() {
                let Some(host) = hosts.peek() else { break };
                if host.robots_id > robots_id {
                    continue;
                }
                if host.robots_id < robots_id {
                    return Err(captures.add_path(inconsistent_table_error("robots_files")));
                }
                let key = CaptureKey {
                    part: self.part,
                    robots_id,
                };
                capture_rules.start();
                // The rows of this capture in `verdicts` may continue in the next batch.
                while let Some(rows) = &verdict_rows {
                    let is_complete = capture_rules
                        .read_verdicts(rows, &mut verdict_row, robots_id)
                        .map_err(|error| verdicts.add_path(error))?;
                    if is_complete {
                        break;
                    }
                    verdict_row = 0;
                    verdict_rows = read_next_rows(context, &mut verdicts)?;
                }
                if capture_rules.wildcard.is_none() {
                    return Err(verdicts.add_path(inconsistent_table_error("verdicts")));
                }
                let preference_fields = &mut capture_rules.preferences;
                preference_rows.read_capture(context, robots_id, preference_fields)?;
                let capture = CaptureRules::row(&rows, row);
                while let Some(host) = hosts.next_if(|host| host.robots_id == robots_id) {
                    counts.add(
                        host.crawl,
                        host.has_shared_rules,
                        capture_rules.weighted_names,
                    );
                    capture_rules.push_host(host, capture, &mut rules)?;
                }
                if capture_rules.named_count > 0 {
                    names.push((key, Rest(&capture_rules.named)))?;
                }
                if !capture_rules.preferences.is_empty() {
                    preferences.push((key, Rest(&capture_rules.preferences)))?;
                }
            }
        }
        rules.flush()?;
        names.flush()?;
        preferences.flush()?;
        match hosts.peek() {
            None => Ok(counts),
            Some(_) => Err(captures.add_path(inconsistent_table_error("robots_files"))),
        }
    }
}

/// Reads the next batch of `verdicts`; `None` at the end. Fails if the run is to stop.
fn read_next_rows(
    context: &ResolveContext<'_>,
    verdicts: &mut PartReader,
) -> Result<Option<Columns<VerdictRow<'static>>>, Error> {
    context.memory.check_stop()?;
    let Some(batch) = verdicts.next_batch()? else {
        return Ok(None);
    };
    let rows = VerdictRow::from_batch(&batch);
    rows.map(Some).map_err(|error| verdicts.add_path(error))
}

row! {
    struct CaptureIds of Table::ROBOTS_FILES {
        robots_id: i64,
    }
}

row! {
    /// The columns that `hosts` takes from the capture whose rules apply.
    struct CaptureRules<'a> of Table::ROBOTS_FILES {
        fetch_status: Option<i16>,
        is_revisit: bool,
        content_class: Option<&'a str>,
        ruleset_id: Option<i64>,
        template: Option<&'a str>,
        vendor_first_line: Option<i32>,
        vendor_last_line: Option<i32>,
    }
}

/// Collects the verdicts and the preferences of one capture as fields of records.
#[derive(Default)]
struct CaptureRulesBuilder {
    wildcard: Option<StoredVerdict>,
    /// Its names with their verdicts.
    named: Vec<u8>,
    /// Its rows of `file_preferences`.
    preferences: Vec<u8>,
    named_count: u32,
    /// The sum of the [`name_weight`] of all names, which [`NameLimits`] limits.
    weighted_names: u32,
}

impl CaptureRulesBuilder {
    /// Starts a new capture.
    fn start(&mut self) {
        self.wildcard = None;
        for record in [&mut self.named, &mut self.preferences] {
            record.clear();
            // Few captures have many names, so a large buffer is not kept.
            record.shrink_to(BUFFER_BYTES);
        }
        self.named_count = 0;
        self.weighted_names = 0;
    }

    /// Reads the verdicts of a capture, from `row` on. Returns true if they are complete, and false
    /// if the next batch may have more of them.
    fn read_verdicts(
        &mut self,
        rows: &Columns<VerdictRow<'static>>,
        row: &mut usize,
        robots_id: i64,
    ) -> Result<bool, Error> {
        let ids = rows.robots_id.values();
        while let Some(&id) = ids.get(*row) {
            if id > robots_id {
                return Ok(true);
            }
            if id == robots_id {
                let row = VerdictRow::row(rows, *row);
                self.add_verdict(row.agent, &row.verdict())?;
            }
            *row += 1;
        }
        Ok(false)
    }

    /// Adds a row of `verdicts`. The first row of a capture is that of `*`.
    fn add_verdict(&mut self, agent: &str, verdict: &StoredVerdict) -> Result<(), Error> {
        if agent == "*" {
            let before = self.wildcard.replace(*verdict);
            return before.map_or(Ok(()), |_| Err(inconsistent_table_error("verdicts")));
        }
        let wildcard = self
            .wildcard
            .ok_or_else(|| inconsistent_table_error("verdicts"))?;
        let is_named = matches!(verdict.basis, Basis::Explicit | Basis::TooComplex);
        if is_named || verdict.verdicts[1..] != wildcard.verdicts[1..] {
            (agent, VerdictFields::from(*verdict)).write(&mut self.named);
            check_capture_bytes(&self.named, Table::VERDICTS)?;
            self.named_count += 1;
            self.weighted_names = self.weighted_names.saturating_add(name_weight(agent));
        }
        Ok(())
    }

    /// Adds a host with these rules to `rules`. `capture` has the columns of the capture.
    fn push_host(
        &self,
        host: &HostWithSource,
        capture: CaptureRules<'_>,
        rules: &mut RecordBuffer<'_, '_, (u64, RulesFields<'static>)>,
    ) -> Result<(), Error> {
        let wildcard = self
            .wildcard
            .ok_or_else(|| inconsistent_table_error("verdicts"))?;
        let fields = RulesFields {
            capture,
            wildcard: wildcard.into(),
            n_named: self.named_count,
            weighted_names: self.weighted_names,
            has_preferences: !self.preferences.is_empty(),
        };
        rules.push((host.number, fields))
    }
}

impl<'a> RulesFields<'a> {
    /// Returns the rules of a host.
    pub(super) fn host_rules(self, host: &SelectedHost<'_>, limits: &NameLimits) -> HostRules<'a> {
        let capture = self.capture;
        HostRules {
            fetch_status: capture.fetch_status,
            is_revisit: capture.is_revisit,
            content_class: capture.content_class,
            ruleset_id: capture.ruleset_id,
            template: capture.template,
            vendor_first_line: capture.vendor_first_line,
            vendor_last_line: capture.vendor_last_line,
            wildcard: self.wildcard.into(),
            n_named: i32::try_from(self.n_named).unwrap_or(i32::MAX),
            has_named_rows: !host.has_shared_rules()
                || limits.includes(host.crawl, self.weighted_names),
            has_preferences: self.has_preferences,
        }
    }
}

/// Returns the names of a capture with their verdicts.
pub(super) fn read_names(names: Rest<'_>) -> impl Iterator<Item = (&[u8], StoredVerdict)> {
    let names = names.values::<(&[u8], VerdictFields)>();
    names.map(|(agent, verdict)| (agent, verdict.into()))
}

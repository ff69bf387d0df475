//! Reads the rules of each host: the columns and the verdicts of the capture whose rules apply to
//! it.

use super::selection::{SelectedHost, SelectedHosts};
use super::shared_names::{HostCountsByCrawl, NameLimits, name_weight};
use super::stored_preference::PreferenceReader;
use super::stored_verdict::{
    VerdictRows, check_capture_bytes, inconsistent_table_error, put_verdict, read_verdict,
};
use crate::ResolveContext;
use arrow_array::{Array, StringArray};
use dataset::{CaptureFilter, PartReader, StoredColumns, stored_columns, value};
use disk::error::Error;
use disk::open_files;
use rayon::prelude::*;
use robots::Basis;
use sort::sort_key::{FieldReader, put_bytes, put_i64, put_u8, put_u32, put_u64};
use sort::{Arena, SharedSorter, SortedRecords};
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

/// A host, and the `robots_id` of the capture with its rules.
#[derive(Clone, Copy)]
struct HostWithSource {
    robots_id: i64,
    /// The number of the host in the order of [`SelectedHosts`], from 0.
    number: u64,
    /// The index of its crawl.
    crawl: u32,
    /// True if the rules are not those of the authoritative capture of the host.
    has_shared_rules: bool,
}

/// The rules of all hosts, as records.
pub(super) struct HostsWithRules<'s> {
    /// Sorted by the numbers of the hosts: see [`read_rules_record`].
    pub(super) by_host: SortedRecords<'s>,
    /// For each capture with names, a [`CaptureKey`] and the names with their verdicts, which
    /// [`read_names_record`] reads. There is one record, however many hosts share the capture.
    pub(super) names: SortedRecords<'s>,
    /// For each capture with rows in `file_preferences`, a [`CaptureKey`] and the rows.
    pub(super) preferences: SortedRecords<'s>,
    /// Determines which hosts that share the rules of another capture have rows for its names.
    pub(super) limits: NameLimits,
}

/// Reads the rules of every host from the capture whose rules apply to it.
pub(super) fn read_all_rules<'s>(
    context: &ResolveContext<'s>,
    hosts: &SelectedHosts<'_>,
) -> Result<HostsWithRules<'s>, Error> {
    let mut by_capture = context.memory.create_sorter();
    let mut record = Vec::new();
    hosts.for_each(&mut |number, host| {
        let source = &host.capture.source;
        record.clear();
        put_u32(&mut record, source.part);
        put_i64(&mut record, source.id.robots_id);
        put_u64(&mut record, number);
        put_u32(&mut record, host.crawl);
        put_u8(&mut record, host.has_shared_rules().into());
        by_capture.push(&record)
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
        while let Some(record) = reader.peek() {
            let mut fields = FieldReader::new(record);
            let part = fields.u32();
            let host = HostWithSource {
                robots_id: fields.i64(),
                number: fields.u64(),
                crawl: fields.u32(),
                has_shared_rules: fields.u8() != 0,
            };
            let has_room =
                |chunk: &&mut HostChunk| chunk.part == part && chunk.hosts.len() < HOSTS_PER_CHUNK;
            let count = chunks.len();
            match chunks.last_mut().filter(has_room) {
                Some(chunk) => chunk.hosts.push(host),
                None if count >= max_chunks => break,
                None => chunks.push(HostChunk {
                    part,
                    hosts: vec![host],
                }),
            }
            reader.advance()?;
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
    let counts = counts.into_inner();
    let counts = counts.unwrap_or_else(PoisonError::into_inner);
    Ok(HostsWithRules {
        by_host: rules.finish()?,
        names: names.finish()?,
        preferences: preferences.finish()?,
        limits: counts.compute_limits(),
    })
}

/// Collects records of a thread, and adds many of them to a sorter at once.
struct RecordBuffer<'a, 's> {
    sorter: &'a SharedSorter<'s>,
    records: Arena,
}

impl<'a, 's> RecordBuffer<'a, 's> {
    fn new(sorter: &'a SharedSorter<'s>) -> Self {
        Self {
            sorter,
            records: Arena::default(),
        }
    }

    fn push(&mut self, record: &[u8]) -> Result<(), Error> {
        if record.len() > BUFFER_BYTES {
            return self.sorter.push(record);
        }
        if !self.records.has_room(record.len(), BUFFER_BYTES) {
            self.flush()?;
        }
        self.records.push(record);
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
        rules: &SharedSorter<'_>,
        names: &SharedSorter<'_>,
        preferences: &SharedSorter<'_>,
    ) -> Result<HostCountsByCrawl, Error> {
        let mut counts = HostCountsByCrawl::default();
        let (Some(first), Some(last)) = (self.hosts.first(), self.hosts.last()) else {
            return Ok(counts);
        };
        let near = CaptureFilter::IdRange(first.robots_id..=last.robots_id);
        let dataset = context.dataset;
        let columns = CaptureColumns::NAMES;
        let mut captures = dataset.open_part(Table::ROBOTS_FILES, self.part, columns, &near)?;
        let columns = VerdictRows::column_names();
        let mut verdicts = dataset.open_part(Table::VERDICTS, self.part, &columns, &near)?;
        let mut verdict_rows = read_next_rows(context, &mut verdicts)?;
        let mut verdict_row = 0;
        let mut preference_rows = PreferenceReader::open(context, self.part, &near)?;
        let mut hosts = self.hosts.iter().peekable();
        let mut capture_rules = CaptureRulesBuilder::default();
        let (mut rules, mut names) = (RecordBuffer::new(rules), RecordBuffer::new(names));
        let mut preferences = RecordBuffer::new(preferences);
        while let Some(batch) = captures.next_batch()? {
            context.memory.check_stop()?;
            let rows =
                CaptureColumns::from_batch(&batch).map_err(|error| captures.add_path(error))?;
            for (row, &robots_id) in rows.robots_id.values().iter().enumerate() {
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
                capture_rules.start(&key, &rows, row);
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
                preference_rows.read_capture(context, robots_id, &mut capture_rules.preferences)?;
                while let Some(host) = hosts.next_if(|host| host.robots_id == robots_id) {
                    counts.add(
                        host.crawl,
                        host.has_shared_rules,
                        capture_rules.weighted_names,
                    );
                    capture_rules.push_host(host, &mut rules)?;
                }
                if capture_rules.named_count > 0 {
                    names.push(&capture_rules.named)?;
                }
                if capture_rules.has_preferences() {
                    preferences.push(&capture_rules.preferences)?;
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
) -> Result<Option<VerdictRows>, Error> {
    context.memory.check_stop()?;
    let Some(batch) = verdicts.next_batch()? else {
        return Ok(None);
    };
    let rows = VerdictRows::from_batch(&batch);
    rows.map(Some).map_err(|error| verdicts.add_path(error))
}

stored_columns! {
    /// The columns that `hosts` takes from the capture whose rules apply.
    struct CaptureColumns of Table::ROBOTS_FILES {
        robots_id: Long,
        fetch_status: Short,
        is_revisit: Bool,
        content_class: Text,
        ruleset_id: Long,
        template: Text,
    }
}

/// Collects the rules of one capture as fields of records.
#[derive(Default)]
struct CaptureRulesBuilder {
    /// The fields of its [`CaptureColumns`], without the `robots_id`.
    capture: Vec<u8>,
    wildcard: Option<StoredVerdict>,
    /// The record of its names: a [`CaptureKey`], and the names with their verdicts.
    named: Vec<u8>,
    /// The record of its rows of `file_preferences`: a [`CaptureKey`], and the rows.
    preferences: Vec<u8>,
    named_count: u32,
    /// The sum of the [`name_weight`] of all names, which [`NameLimits`] limits.
    weighted_names: u32,
    record: Vec<u8>,
}

impl CaptureRulesBuilder {
    /// Starts a new capture, with the columns of this row.
    fn start(&mut self, key: &CaptureKey, rows: &CaptureColumns, row: usize) {
        self.wildcard = None;
        for record in [&mut self.named, &mut self.preferences] {
            record.clear();
            // Few captures have many names, so a large buffer is not kept.
            record.shrink_to(BUFFER_BYTES);
            key.write(record);
        }
        self.named_count = 0;
        self.weighted_names = 0;
        let capture = &mut self.capture;
        capture.clear();
        put_i64_option(capture, value(&rows.fetch_status, row).map(i64::from));
        put_u8(capture, rows.is_revisit.value(row).into());
        put_text_option(capture, &rows.content_class, row);
        put_i64_option(capture, value(&rows.ruleset_id, row));
        put_text_option(capture, &rows.template, row);
    }

    /// Reads the verdicts of a capture, from `row` on. Returns true if they are complete, and false
    /// if the next batch may have more of them.
    fn read_verdicts(
        &mut self,
        rows: &VerdictRows,
        row: &mut usize,
        robots_id: i64,
    ) -> Result<bool, Error> {
        let ids = rows.names.robots_id.values();
        while let Some(&id) = ids.get(*row) {
            if id > robots_id {
                return Ok(true);
            }
            if id == robots_id {
                self.add_verdict(rows.names.agent.value(*row), &rows.verdict(*row)?)?;
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
            put_bytes(&mut self.named, agent.as_bytes());
            put_verdict(&mut self.named, verdict);
            check_capture_bytes(&self.named, Table::VERDICTS)?;
            self.named_count += 1;
            self.weighted_names = self.weighted_names.saturating_add(name_weight(agent));
        }
        Ok(())
    }

    /// Adds the record of a host with these rules to `rules`.
    fn push_host(
        &mut self,
        host: &HostWithSource,
        rules: &mut RecordBuffer<'_, '_>,
    ) -> Result<(), Error> {
        let has_preferences = self.has_preferences();
        let record = &mut self.record;
        record.clear();
        put_u64(record, host.number);
        record.extend_from_slice(&self.capture);
        if let Some(wildcard) = &self.wildcard {
            put_verdict(record, wildcard);
        }
        put_u32(record, self.named_count);
        put_u32(record, self.weighted_names);
        put_u8(record, has_preferences.into());
        rules.push(record)
    }

    fn has_preferences(&self) -> bool {
        self.preferences.len() > CaptureKey::RECORD_BYTES
    }
}

/// The part and the `robots_id` of a capture, with which a record begins.
pub(super) struct CaptureKey {
    pub(super) part: u32,
    pub(super) robots_id: i64,
}

impl CaptureKey {
    /// The length of a key in a record, in bytes.
    pub(super) const RECORD_BYTES: usize = 4 + 8;

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        put_u32(out, self.part);
        put_i64(out, self.robots_id);
    }
}

/// Reads a record of [`HostsWithRules::by_host`].
pub(super) fn read_rules_record<'a>(
    record: &'a [u8],
    host: &SelectedHost<'_>,
    limits: &NameLimits,
) -> HostRules<'a> {
    let mut fields = FieldReader::new(record);
    fields.u64();
    let status = read_i64_option(&mut fields).and_then(|status| i16::try_from(status).ok());
    let is_revisit = fields.u8() != 0;
    let content_class = read_text_option(&mut fields);
    let ruleset_id = read_i64_option(&mut fields);
    let template = read_text_option(&mut fields);
    let wildcard = read_verdict(&mut fields);
    let (n_named, weighted_names) = (fields.u32(), fields.u32());
    HostRules {
        fetch_status: status,
        is_revisit,
        content_class,
        ruleset_id,
        template,
        wildcard,
        n_named: i32::try_from(n_named).unwrap_or(i32::MAX),
        has_named_rows: !host.has_shared_rules() || limits.includes(host.crawl, weighted_names),
        has_preferences: fields.u8() != 0,
    }
}

/// Returns the names of a capture with their verdicts. `names` are the fields after its key.
pub(super) fn read_names_record(names: &[u8]) -> impl Iterator<Item = (&[u8], StoredVerdict)> {
    let mut fields = FieldReader::new(names);
    std::iter::from_fn(move || {
        if fields.rest().is_empty() {
            return None;
        }
        let agent = fields.bytes();
        Some((agent, read_verdict(&mut fields)))
    })
}

fn put_i64_option(out: &mut Vec<u8>, value: Option<i64>) {
    put_u8(out, value.is_some().into());
    if let Some(value) = value {
        put_i64(out, value);
    }
}

fn read_i64_option(fields: &mut FieldReader<'_>) -> Option<i64> {
    (fields.u8() != 0).then(|| fields.i64())
}

fn put_text_option(out: &mut Vec<u8>, column: &StringArray, row: usize) {
    let is_valid = column.is_valid(row);
    put_u8(out, is_valid.into());
    if is_valid {
        put_bytes(out, column.value(row).as_bytes());
    }
}

fn read_text_option<'a>(fields: &mut FieldReader<'a>) -> Option<&'a str> {
    let text = (fields.u8() != 0).then(|| fields.bytes())?;
    Some(std::str::from_utf8(text).expect("it was written from a text"))
}

//! What applies to each host: the columns of the capture with its rules, and its verdicts.

use super::selection::{SelectedHost, SelectedHosts};
use super::shared_names::{NameLimits, SharedNames, name_count};
use super::stored_verdict::{VerdictRows, inconsistent, put_verdict, read_verdict};
use crate::external_sort::sort_key::{FieldReader, put_bytes, put_i64, put_u8, put_u32, put_u64};
use crate::external_sort::{Arena, SharedSorter, SortedRecords};
use crate::resolve::ResolveContext;
use crate::tables::{HostRules, StoredVerdict, Table};
use crate::{CaptureFilter, PartReader, StoredColumns, stored_columns, value};
use arrow_array::{Array, StringArray};
use disk::error::Error;
use rayon::prelude::*;
use robots::Basis;
use std::sync::{Mutex, PoisonError};

/// Hosts whose rules are read together.
const CHUNK_HOSTS: usize = 1 << 18;

/// Bytes of records that a thread collects before it adds them to a sorter.
const BUFFER_BYTES: usize = 1 << 20;

/// Hosts whose rules are in one part of the dataset, sorted by the key of the capture.
struct Chunk {
    part: u32,
    hosts: Vec<HostOfRules>,
}

/// A host and the capture with its rules.
#[derive(Clone, Copy)]
struct HostOfRules {
    robots_id: i64,
    /// The number of the host in the order of [`SelectedHosts`], from 0.
    number: u64,
    /// The index of its crawl.
    crawl: u32,
    /// True if the rules are those of another capture than the authoritative one.
    is_shared: bool,
}

/// The rules of all hosts.
pub(super) struct HostsWithRules<'s> {
    /// Sorted by the numbers of the hosts: see [`stored_rules`].
    pub(super) by_host: SortedRecords<'s>,
    /// The names of the captures, with their verdicts: a [`CaptureKey`] each, and what
    /// [`stored_names`] reads. They are kept once, however many hosts share them.
    pub(super) names: SortedRecords<'s>,
    /// The files whose names hosts with the rules of another capture have.
    pub(super) limits: NameLimits,
}

/// Reads the rules of all hosts.
pub(super) fn rules_of_hosts<'s>(
    context: &ResolveContext<'s>,
    hosts: &SelectedHosts<'_>,
) -> Result<HostsWithRules<'s>, Error> {
    let mut by_capture = context.memory.sorter();
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
    let rules = context.memory.shared_sorter();
    let names = context.memory.shared_sorter();
    let counts = Mutex::new(SharedNames::default());
    let mut reader = by_capture.read()?;
    loop {
        let mut chunks: Vec<Chunk> = Vec::new();
        while let Some(record) = reader.peek() {
            let mut fields = FieldReader::new(record);
            let part = fields.u32();
            let host = HostOfRules {
                robots_id: fields.i64(),
                number: fields.u64(),
                crawl: fields.u32(),
                is_shared: fields.u8() != 0,
            };
            let has_room =
                |chunk: &&mut Chunk| chunk.part == part && chunk.hosts.len() < CHUNK_HOSTS;
            let count = chunks.len();
            match chunks.last_mut().filter(has_room) {
                Some(chunk) => chunk.hosts.push(host),
                None if count >= rayon::current_num_threads() => break,
                None => chunks.push(Chunk {
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
            let of_chunk = chunk.read_rules(context, &rules, &names)?;
            let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
            counts.add_all(of_chunk);
            Ok::<(), Error>(())
        })?;
    }
    let counts = counts.into_inner();
    let counts = counts.unwrap_or_else(PoisonError::into_inner);
    Ok(HostsWithRules {
        by_host: rules.finish()?,
        names: names.finish()?,
        limits: counts.limits(),
    })
}

/// Records that a thread collects for a sorter.
struct Buffer<'a, 's> {
    sorter: &'a SharedSorter<'s>,
    records: Arena,
}

impl<'a, 's> Buffer<'a, 's> {
    fn new(sorter: &'a SharedSorter<'s>) -> Self {
        Self {
            sorter,
            records: Arena::default(),
        }
    }

    fn push(&mut self, record: &[u8]) -> Result<(), Error> {
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

impl Chunk {
    /// Reads the rules of its hosts. Returns the numbers of names of the hosts.
    fn read_rules(
        &self,
        context: &ResolveContext<'_>,
        rules: &SharedSorter<'_>,
        names: &SharedSorter<'_>,
    ) -> Result<SharedNames, Error> {
        let mut counts = SharedNames::default();
        let (Some(first), Some(last)) = (self.hosts.first(), self.hosts.last()) else {
            return Ok(counts);
        };
        let near = CaptureFilter::Near(first.robots_id..=last.robots_id);
        let dataset = context.dataset;
        let columns = CaptureColumns::NAMES;
        let mut captures = dataset.open_part(Table::RobotsFiles, self.part, columns, &near)?;
        let columns = VerdictRows::column_names();
        let mut verdicts = dataset.open_part(Table::Verdicts, self.part, &columns, &near)?;
        let mut verdict_rows = next_rows(context, &mut verdicts)?;
        let mut verdict_row = 0;
        let mut hosts = self.hosts.iter().peekable();
        let mut applying = ApplyingRules::default();
        let (mut rules, mut names) = (Buffer::new(rules), Buffer::new(names));
        while let Some(batch) = captures.next_batch()? {
            context.memory.check_stop()?;
            let rows = CaptureColumns::of(&batch).map_err(|error| captures.with_path(error))?;
            for (row, &robots_id) in rows.robots_id.values().iter().enumerate() {
                let Some(host) = hosts.peek() else { break };
                if host.robots_id > robots_id {
                    continue;
                }
                if host.robots_id < robots_id {
                    return Err(captures.with_path(inconsistent("robots_files")));
                }
                applying.start(&rows, row);
                // The rows of the same capture in `verdicts`.
                while let Some(rows) = &verdict_rows {
                    let is_done = applying
                        .read_verdicts(rows, &mut verdict_row, robots_id)
                        .map_err(|error| verdicts.with_path(error))?;
                    if is_done {
                        break;
                    }
                    verdict_row = 0;
                    verdict_rows = next_rows(context, &mut verdicts)?;
                }
                if applying.wildcard.is_none() {
                    return Err(verdicts.with_path(inconsistent("verdicts")));
                }
                while let Some(host) = hosts.next_if(|host| host.robots_id == robots_id) {
                    counts.add(host.crawl, host.is_shared, applying.name_count);
                    applying.push_host(host, &mut rules)?;
                }
                applying.push_names(self.part, robots_id, &mut names)?;
            }
        }
        rules.flush()?;
        names.flush()?;
        match hosts.peek() {
            None => Ok(counts),
            Some(_) => Err(captures.with_path(inconsistent("robots_files"))),
        }
    }
}

/// Returns the next rows of `verdicts`.
fn next_rows(
    context: &ResolveContext<'_>,
    verdicts: &mut PartReader<'_>,
) -> Result<Option<VerdictRows>, Error> {
    context.memory.check_stop()?;
    let Some(batch) = verdicts.next_batch()? else {
        return Ok(None);
    };
    let rows = VerdictRows::of(&batch);
    rows.map(Some).map_err(|error| verdicts.with_path(error))
}

stored_columns! {
    /// The columns of a capture that its hosts have.
    struct CaptureColumns of RobotsFiles {
        robots_id: Long,
        fetch_status: Short,
        is_revisit: Bool,
        content_class: Text,
        ruleset_id: Long,
        template: Text,
    }
}

/// The rules of one capture, as records.
#[derive(Default)]
struct ApplyingRules {
    /// The columns of the capture.
    capture: Vec<u8>,
    wildcard: Option<StoredVerdict>,
    /// The names with their verdicts.
    named: Vec<u8>,
    n_named: u32,
    /// The number of names for the limit, where a long name counts as several.
    name_count: u32,
    record: Vec<u8>,
}

impl ApplyingRules {
    /// Starts with the columns of a capture.
    fn start(&mut self, rows: &CaptureColumns, row: usize) {
        self.wildcard = None;
        self.named.clear();
        self.n_named = 0;
        self.name_count = 0;
        let capture = &mut self.capture;
        capture.clear();
        put_i64_option(capture, value(&rows.fetch_status, row).map(i64::from));
        put_u8(capture, rows.is_revisit.value(row).into());
        put_text_option(capture, &rows.content_class, row);
        put_i64_option(capture, value(&rows.ruleset_id, row));
        put_text_option(capture, &rows.template, row);
    }

    /// Reads the rows of a capture from `row` on. Returns false if there may be more in the next
    /// batch.
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
                self.add(rows.names.agent.value(*row), &rows.verdict(*row)?)?;
            }
            *row += 1;
        }
        Ok(false)
    }

    /// Adds a row of `verdicts`. That of `*` is the first of a capture.
    fn add(&mut self, agent: &str, verdict: &StoredVerdict) -> Result<(), Error> {
        if agent == "*" {
            let before = self.wildcard.replace(*verdict);
            return before.map_or(Ok(()), |_| Err(inconsistent("verdicts")));
        }
        let wildcard = self.wildcard.ok_or_else(|| inconsistent("verdicts"))?;
        let is_named = matches!(verdict.basis, Basis::Explicit | Basis::TooComplex);
        if is_named || verdict.verdicts[1..] != wildcard.verdicts[1..] {
            put_bytes(&mut self.named, agent.as_bytes());
            put_verdict(&mut self.named, verdict);
            self.n_named += 1;
            self.name_count = self.name_count.saturating_add(name_count(agent));
        }
        Ok(())
    }

    /// Adds the record of a host.
    fn push_host(&mut self, host: &HostOfRules, rules: &mut Buffer<'_, '_>) -> Result<(), Error> {
        let record = &mut self.record;
        record.clear();
        put_u64(record, host.number);
        record.extend_from_slice(&self.capture);
        if let Some(wildcard) = &self.wildcard {
            put_verdict(record, wildcard);
        }
        put_u32(record, self.n_named);
        put_u32(record, self.name_count);
        rules.push(record)
    }

    /// Adds the names of the capture, if it has any.
    fn push_names(
        &mut self,
        part: u32,
        robots_id: i64,
        names: &mut Buffer<'_, '_>,
    ) -> Result<(), Error> {
        if self.n_named == 0 {
            return Ok(());
        }
        let record = &mut self.record;
        record.clear();
        CaptureKey { part, robots_id }.write(record);
        record.extend_from_slice(&self.named);
        names.push(record)
    }
}

/// The place of a capture, as the beginning of a record.
pub(super) struct CaptureKey {
    pub(super) part: u32,
    pub(super) robots_id: i64,
}

impl CaptureKey {
    /// The length of a key in a record, in bytes.
    pub(super) const BYTES: usize = 4 + 8;

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        put_u32(out, self.part);
        put_i64(out, self.robots_id);
    }
}

/// Reads the rules of a host from its record.
pub(super) fn stored_rules<'a>(
    record: &'a [u8],
    host: &SelectedHost<'_>,
    limits: &NameLimits,
) -> HostRules<'a> {
    let mut fields = FieldReader::new(record);
    fields.u64();
    let status = i64_option(&mut fields).and_then(|status| i16::try_from(status).ok());
    HostRules {
        fetch_status: status,
        is_revisit: fields.u8() != 0,
        content_class: text_option(&mut fields),
        ruleset_id: i64_option(&mut fields),
        template: text_option(&mut fields),
        wildcard: read_verdict(&mut fields),
        n_named: i32::try_from(fields.u32()).unwrap_or(i32::MAX),
        has_named_rows: !host.has_shared_rules() || limits.includes(host.crawl, fields.u32()),
    }
}

/// Returns the names of a capture, which stand after its key, with their verdicts.
pub(super) fn stored_names(names: &[u8]) -> impl Iterator<Item = (&[u8], StoredVerdict)> {
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

fn i64_option(fields: &mut FieldReader<'_>) -> Option<i64> {
    (fields.u8() != 0).then(|| fields.i64())
}

fn put_text_option(out: &mut Vec<u8>, column: &StringArray, row: usize) {
    let is_valid = column.is_valid(row);
    put_u8(out, is_valid.into());
    if is_valid {
        put_bytes(out, column.value(row).as_bytes());
    }
}

fn text_option<'a>(fields: &mut FieldReader<'a>) -> Option<&'a str> {
    let text = (fields.u8() != 0).then(|| fields.bytes())?;
    Some(std::str::from_utf8(text).expect("it was written from a text"))
}

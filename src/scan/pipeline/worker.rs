//! One worker: reads an item of an archive and turns it into batches.
//!
//! A worker owns all it uses. It stops now and then, with what it has, so that
//! memory stays bounded whatever an archive holds; whoever runs it decides
//! when it goes on.

use super::fault;
use crate::analysis::Analyzer;
use crate::capture::{Capture, Scope};
use crate::input::InputSource;
use crate::tables::{Fault, Table, TableBatches, Tables};
use robots::{Basis, Verdict};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use warc::Integrity;

/// Bytes of bodies after which a worker hands over what it has.
const CHUNK_BYTES: usize = 1 << 20;

/// Records after which it does so at the latest.
const CHUNK_RECORDS: u64 = 1 << 16;

/// Bytes of a body above which it is a large one: a run analyzes one such body
/// at a time, since directives, anomalies and rows of a hostile body take up to
/// 60 times its size.
const LARGE_BODY_BYTES: usize = 1 << 20;

/// Bytes of a name that is counted for the summary; longer ones are not.
const BLOCKED_NAME_BYTES_MAX: usize = 128;

/// Names that are counted for the summary; what comes beyond is not.
const BLOCKED_NAMES_MAX: usize = 100_000;

/// The position of an input of a kind that is not read: no item of it begins there.
const UNREAD: u64 = u64::MAX;

/// What one worker takes: an input, or a range of it.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Where the bytes are.
    pub(crate) source: InputSource,
    /// The archive's name.
    pub(crate) name: Arc<str>,
    /// Members that begin in it are read; `None` for the whole input.
    pub(crate) range: Option<(u64, u64)>,
    /// Whether a member is known to begin at the range's start; else the first
    /// that does in the range is looked for.
    pub(crate) is_exact: bool,
    /// What of it is a capture.
    pub(crate) scope: Scope,
    /// How the input is packed, once an item of it was opened.
    pub(crate) compression: Arc<OnceLock<warc::Compression>>,
}

/// Counts of what was read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    /// Bytes of the inputs that are covered, each counted once.
    pub(crate) bytes: u64,
    pub(crate) records: u64,
    pub(crate) by_kind: BTreeMap<&'static str, u64>,
    pub(crate) captures: u64,
    pub(crate) by_status: BTreeMap<Option<u16>, u64>,
    /// The faults of a chunk, which are reported and then only counted.
    pub(crate) faults: Vec<Fault>,
    pub(crate) fault_count: u64,
    /// Captures of a `/robots.txt` that name a crawler and disallow all to it.
    pub(crate) blocked: HashMap<String, u64>,
}

/// What a worker hands over.
pub(crate) struct Chunk {
    pub(crate) batches: TableBatches,
    pub(crate) counts: Counts,
    /// Bytes of values in the batches.
    pub(crate) bytes: u64,
    /// Where the item really began; `None` if no member is found in its range.
    pub(crate) start: Option<u64>,
    /// Offset up to which the input was used.
    pub(crate) reached: u64,
    pub(crate) end: End,
}

/// How far a worker got.
pub(crate) enum End {
    /// There is more.
    More,
    /// The next capture has a large body, which is analyzed when the worker goes on.
    LargeBody,
    /// The item is read; the next member begins here.
    Done(u64),
    /// The input failed.
    Failed(io::Error),
}

thread_local! {
    /// Each thread's memory for deciding, and what it remembers: workers that
    /// rest need none.
    static EXAMINER: RefCell<Analyzer> = RefCell::default();
}

/// Reads items, one after the other, in the same memory.
pub(crate) struct Worker {
    reader: warc::Reader,
    tables: Tables,
    stop: Arc<AtomicBool>,
    /// Whether digests are compared even where a checksum guards the bytes.
    verify_digests: bool,
    item: Option<Item>,
    start: Option<u64>,
    /// Whether the reader is at a record with a large body that is not analyzed yet.
    is_at_large_body: bool,
    /// Names of blocked crawlers, told when the item ends.
    blocked: HashMap<String, u64>,
}

impl Worker {
    pub(crate) fn new(
        wanted: &[Table],
        with_bodies: bool,
        limits: warc::Limits,
        verify_digests: bool,
        stop: Arc<AtomicBool>,
    ) -> Self {
        let mut reader = warc::Reader::new(limits);
        reader.set_stop(Arc::clone(&stop));
        Self {
            reader,
            tables: Tables::new(wanted, with_bodies),
            stop,
            verify_digests,
            item: None,
            start: None,
            is_at_large_body: false,
            blocked: HashMap::new(),
        }
    }

    /// Begins an item.
    pub(crate) fn begin(&mut self, item: Item) {
        self.item = Some(item);
        self.start = None;
        self.is_at_large_body = false;
        self.blocked.clear();
        self.tables.take();
    }

    /// Reads on, until there is enough to hand over or the item ends.
    pub(crate) fn advance(&mut self) -> Chunk {
        let mut counts = Counts::default();
        let had_large_body = self.is_at_large_body;
        let end = EXAMINER.with_borrow_mut(|examiner| {
            let end = self.read(examiner, &mut counts);
            if had_large_body {
                examiner.release_memory();
            }
            end
        });
        if !matches!(end, End::More | End::LargeBody) {
            counts.blocked = std::mem::take(&mut self.blocked);
        }
        let reached = match &end {
            End::More | End::LargeBody | End::Failed(_) => self.reader.progress_offset(),
            End::Done(UNREAD) => self.reader.bytes_read(),
            End::Done(position) => *position,
        };
        let batches = self.tables.take();
        let bytes = batches.iter().map(|batch| batch.bytes(batch.len())).sum();
        Chunk {
            batches,
            counts,
            bytes,
            start: self.start,
            reached,
            end,
        }
    }

    fn read(&mut self, examiner: &mut Analyzer, counts: &mut Counts) -> End {
        let Self {
            reader,
            tables,
            item,
            stop,
            verify_digests,
            is_at_large_body,
            blocked,
            ..
        } = self;
        let Some(item) = item else {
            return End::Done(0);
        };
        let mut push_fault = |tables: &mut Tables, fault: Fault| {
            tables.push_fault(&item.name, &fault);
            counts.faults.push(fault);
            counts.fault_count += 1;
        };
        if let InputSource::Missing(_) = item.source {
            push_fault(tables, fault::of_missing_input());
            self.start = Some(0);
            return End::Done(0);
        }
        if self.start.is_none() {
            let opened = match (&item.source, item.range) {
                // It was a fault above.
                (InputSource::Missing(_), _) => Ok(None),
                (InputSource::Stream(stream), _) => match stream.take() {
                    Ok(stream) => reader.open_stream(stream).map(|()| Some(0)),
                    Err(error) => return End::Failed(error),
                },
                (InputSource::File(path), None) => reader.open_file(path).map(|()| Some(0)),
                (InputSource::File(path), Some((from, to))) if item.is_exact => {
                    reader.open_range(path, from..to).map(|()| Some(from))
                }
                (InputSource::File(path), Some((from, to))) => {
                    let known = item.compression.get().copied();
                    match reader.open_slice(path, from..to, known) {
                        // What is wrong with the file is reported by the item at its beginning.
                        Err(error) if error.kind() != warc::ErrorKind::Io => Ok(None),
                        opened => opened,
                    }
                }
            };
            if let Ok(Some(_)) = opened {
                // Another item of the input may have set it; both say the same.
                let _ = item.compression.set(reader.compression());
            }
            match opened {
                Ok(start) => self.start = start,
                Err(error) if error.kind() == warc::ErrorKind::Io => {
                    return End::Failed(io_error(error));
                }
                Err(error) => {
                    // An input of a kind that is not read: all of it is the fault.
                    let bytes = match &item.source {
                        InputSource::File(path) => {
                            std::fs::metadata(path).map_or(0, |metadata| metadata.len())
                        }
                        InputSource::Stream(_) | InputSource::Missing(_) => 0,
                    };
                    self.start = Some(0);
                    push_fault(tables, fault::of_damage(&error, bytes));
                    return End::Done(UNREAD);
                }
            }
            if self.start.is_none() {
                return End::Done(item.range.map_or(0, |(_, to)| to));
            }
        }
        while tables.bytes() < CHUNK_BYTES
            && counts.records < CHUNK_RECORDS
            && !stop.load(Ordering::Relaxed)
        {
            let is_turn_of_large = std::mem::take(is_at_large_body);
            if !is_turn_of_large {
                match reader.read_record() {
                    Ok(true) => {}
                    Ok(false) => return End::Done(reader.next_offset()),
                    Err(error) if error.is_fatal() => {
                        // A long member is left when the run is to stop: the input did not fail.
                        if stop.load(Ordering::Relaxed) {
                            return End::More;
                        }
                        return End::Failed(io_error(error));
                    }
                    Err(error) => {
                        push_fault(tables, fault::of_damage(&error, error.bytes_skipped()));
                        continue;
                    }
                }
            }
            let record = reader.record();
            let capture = Capture::read(&record, item.scope);
            if !is_turn_of_large && capture.as_ref().is_some_and(has_large_body) {
                *is_at_large_body = true;
                return End::LargeBody;
            }
            counts.records += 1;
            *counts
                .by_kind
                .entry(record.record_type().name())
                .or_default() += 1;
            let Some(mut capture) = capture else {
                continue;
            };
            if (record.integrity() == Integrity::Unguarded || *verify_digests)
                && let Some(field) = capture.verify_digests(&record)
            {
                push_fault(tables, fault::of_digest(record.location(), field));
            }
            let facts = examiner.analyze(&item.name, record.location(), &capture);
            tables.push(&item.name, &facts);
            counts.captures += 1;
            *counts.by_status.entry(capture.fetch.status).or_default() += 1;
            if capture.is_robots_path {
                for it in facts
                    .verdicts
                    .iter()
                    .filter(|it| it.basis == Basis::Explicit && it.verdict == Verdict::DisallowAll)
                {
                    if it.agent.len() > BLOCKED_NAME_BYTES_MAX {
                        continue;
                    }
                    let name = String::from_utf8_lossy(it.agent);
                    if let Some(count) = blocked.get_mut(name.as_ref()) {
                        *count += 1;
                    } else if blocked.len() < BLOCKED_NAMES_MAX {
                        blocked.insert(name.into_owned(), 1);
                    }
                }
            }
        }
        End::More
    }
}

/// Returns true if the analysis of the capture waits for its turn.
fn has_large_body(capture: &Capture<'_>) -> bool {
    let body = capture.body.as_ref().filter(|_| capture.is_parsed());
    body.is_some_and(|body| body.len() > LARGE_BODY_BYTES)
}

fn io_error(error: warc::Error) -> io::Error {
    io::Error::other(error)
}

impl Counts {
    /// Adds what another read.
    pub(crate) fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.records += other.records;
        self.captures += other.captures;
        for (kind, count) in other.by_kind {
            *self.by_kind.entry(kind).or_default() += count;
        }
        for (status, count) in other.by_status {
            *self.by_status.entry(status).or_default() += count;
        }
        self.fault_count += other.fault_count;
        for (name, count) in other.blocked {
            if let Some(sum) = self.blocked.get_mut(&name) {
                *sum += count;
            } else if self.blocked.len() < BLOCKED_NAMES_MAX {
                self.blocked.insert(name, count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_names_stop_growing() {
        let names = |range: std::ops::Range<usize>| Counts {
            blocked: range.map(|at| (format!("a{at}"), 1)).collect(),
            ..Counts::default()
        };
        let mut counts = names(0..BLOCKED_NAMES_MAX - 1);
        counts.add(names(0..BLOCKED_NAMES_MAX + 9));
        assert_eq!(counts.blocked.len(), BLOCKED_NAMES_MAX);
        assert_eq!(counts.blocked["a0"], 2);
    }
}

//! Workers, which read slices of sources and turn them into batches of rows.
//!
//! A worker owns everything it uses except for the analyzer. It returns regularly with what it has
//! read, so that memory is bounded whatever an input holds. The scheduler decides when it is
//! continued.
//!
//! If you change when a worker returns, also check `Scheduler::assign_work`: a large body must only be
//! analyzed when the scheduler allows it.

use super::options::Options;
use super::slice_output::{SliceOutput, SliceState};
use super::stats::ScanStats;
use capture::Capture;
use capture::analysis::Analyzer;
use sources::reader::{FetchedObject, InputSlice, ItemError, SourceReader, Unopened, digest_fault};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tables::{Fault, OptionalColumns, TableBuilders};

/// The bytes of bodies after which a worker returns.
const RETURN_AFTER_BYTES: usize = 1 << 20;

/// The number of records after which a worker returns.
const RETURN_AFTER_RECORDS: u64 = 1 << 16;

/// The size above which a body is large. Only one large body is analyzed at a time, because the
/// directives, anomalies and rows of a hostile body need up to 60 times its size. A worker that waits keeps only
/// compressed bytes, and decodes the body again: archives of bodies of 15 MB take 3.6 GB with 32 threads, and 5.0 GB if
/// bodies are analyzed at once.
const LARGE_BODY_BYTES: usize = 1 << 20;

/// Reads one slice after another, and builds their rows. Reuses its memory.
pub(crate) struct Worker {
    source: SourceReader,
    tables: TableBuilders,
    stop: Arc<AtomicBool>,
    /// True if digests are verified even if a checksum protects the bytes.
    verify_digests: bool,
    slice: Option<InputSlice>,
    /// The offset of the first member of the slice, once it is known.
    first_member: Option<u64>,
    /// The fault at the end of an object that seems to be truncated, until it was fetched again.
    withheld_fault: Option<Fault>,
    /// True if the source is at an item with a large body that was not analyzed.
    is_at_large_body: bool,
}

impl Worker {
    /// Creates a worker. It stops early once `stop` is set.
    pub(crate) fn new(options: &Options, stop: Arc<AtomicBool>) -> Self {
        Self {
            source: SourceReader::new(options.warc_limits(), Arc::clone(&stop)),
            tables: TableBuilders::new(
                options.layout.tables(),
                OptionalColumns {
                    body: options.with_bodies,
                    warc_record_id: options.with_record_ids,
                },
            ),
            stop,
            verify_digests: options.verify_digests,
            slice: None,
            first_member: None,
            withheld_fault: None,
            is_at_large_body: false,
        }
    }

    pub(crate) fn begin_slice(&mut self, slice: InputSlice) {
        self.slice = Some(slice);
        self.first_member = None;
        self.withheld_fault = None;
        self.is_at_large_body = false;
        self.tables.take();
    }

    /// Reads until there is enough output or the slice ends.
    pub(crate) fn advance(&mut self, analyzer: &mut Analyzer) -> SliceOutput {
        let mut stats = ScanStats::default();
        let had_large_body = self.is_at_large_body;
        let state = self.read_records(analyzer, &mut stats);
        stats.row_notes.add(self.source.take_notes());
        if had_large_body {
            analyzer.release_memory();
        }
        let reached_offset = match &state {
            SliceState::More
            | SliceState::LargeBody
            | SliceState::Truncated(_)
            | SliceState::Failed(_) => self.source.position().progress,
            SliceState::Unreadable => self.source.position().bytes_read,
            SliceState::Finished(next_member) => *next_member,
        };
        if matches!(state, SliceState::Finished(_)) {
            self.source.close();
            self.slice = None;
        }
        let batches = self.tables.take();
        let bytes = batches
            .iter()
            .map(|batch| batch.first_rows_bytes(batch.len()))
            .sum();
        SliceOutput {
            batches,
            stats,
            bytes,
            first_member: self.first_member,
            reached_offset,
            state,
        }
    }

    fn read_records(&mut self, analyzer: &mut Analyzer, stats: &mut ScanStats) -> SliceState {
        if self.first_member.is_none()
            && let Some(state) = self.open_input(stats)
        {
            return state;
        }
        if let Some(fault) = self.withheld_fault.take() {
            self.push_fault(fault, stats);
        }
        while self.tables.buffered_bytes() < RETURN_AFTER_BYTES
            && stats.records < RETURN_AFTER_RECORDS
            && !self.is_stopped()
        {
            // The scheduler continues a worker at a large body once it may be analyzed.
            let accepts_large_body = std::mem::take(&mut self.is_at_large_body);
            if !accepts_large_body {
                match self.source.advance() {
                    Ok(true) => {}
                    Ok(false) => return SliceState::Finished(self.source.position().next),
                    Err(ItemError::Failed(error)) => {
                        // A stop interrupts the decoding of long members, which is no failure of the input.
                        return if self.is_stopped() {
                            SliceState::More
                        } else {
                            SliceState::Failed(error)
                        };
                    }
                    Err(ItemError::Damaged { fault, truncation }) => {
                        if let Some(point) = truncation.filter(|_| self.claim_refetch()) {
                            self.withheld_fault = Some(fault);
                            return SliceState::Truncated(point);
                        }
                        self.push_fault(fault, stats);
                        continue;
                    }
                }
            }
            if !self.push_item(accepts_large_body, analyzer, stats) {
                self.is_at_large_body = true;
                return SliceState::LargeBody;
            }
        }
        SliceState::More
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns true if the slice reads an object that may still be fetched again, because it may have been
    /// truncated in transit. Later calls for the slice return false, and the fault is recorded.
    fn claim_refetch(&mut self) -> bool {
        let Some(slice) = &mut self.slice else {
            return false;
        };
        let is_object = matches!(slice.fetched, Some(FetchedObject::Object(_)));
        is_object && std::mem::take(&mut slice.may_fetch_again)
    }

    /// Opens the input of the slice and searches for the first member. Returns a state if there is
    /// nothing to read.
    fn open_input(&mut self, stats: &mut ScanStats) -> Option<SliceState> {
        let Some(slice) = &self.slice else {
            return Some(SliceState::Finished(0));
        };
        match self.source.open(slice) {
            Ok(start) => {
                self.first_member = Some(start);
                None
            }
            Err(Unopened::Nothing) => {
                let end = slice.range.as_ref().map_or(0, |range| range.end);
                Some(SliceState::Finished(end))
            }
            Err(Unopened::Missing(fault)) => {
                self.push_fault(fault, stats);
                self.first_member = Some(0);
                Some(SliceState::Finished(0))
            }
            Err(Unopened::UnknownFormat(fault)) => {
                self.first_member = Some(0);
                self.push_fault(fault, stats);
                Some(SliceState::Unreadable)
            }
            Err(Unopened::Failed(error)) => Some(SliceState::Failed(error)),
        }
    }

    /// Adds the rows of the current item. Returns false, and does nothing, if it has a large body
    /// that must not be analyzed yet.
    fn push_item(
        &mut self,
        accepts_large_body: bool,
        analyzer: &mut Analyzer,
        stats: &mut ScanStats,
    ) -> bool {
        let Some(slice) = &self.slice else {
            return true;
        };
        let Some(mut item) = self.source.item(slice.scope) else {
            return true;
        };
        if !accepts_large_body && item.capture.as_ref().is_some_and(has_large_body) {
            return false;
        }
        stats.records += 1;
        *stats.records_by_type.entry(item.kind).or_default() += 1;
        if let Some(field) = item.verify_digests(self.verify_digests) {
            let fault = digest_fault(item.location, field);
            self.tables.push_fault(&slice.name, &fault);
            stats.push_fault(fault);
        }
        let Some(capture) = &item.capture else {
            return true;
        };
        // The scheduler adds the number of captures before this output.
        let robots_id = slice.first_robots_id + stats.captures.cast_signed();
        let analysis = analyzer.analyze(robots_id, item.location, capture);
        self.tables.push(&slice.name, &analysis);
        stats.captures += 1;
        if item.record.is_none() && !capture.is_robots_path {
            stats.row_notes.other_paths += 1;
        }
        let status = capture.fetch.status;
        *stats.captures_by_status.entry(status).or_default() += 1;
        true
    }

    /// Adds the row of a fault.
    fn push_fault(&mut self, fault: Fault, stats: &mut ScanStats) {
        if let Some(slice) = &self.slice {
            self.tables.push_fault(&slice.name, &fault);
        }
        stats.push_fault(fault);
    }
}

/// Returns true if the capture has a body that is large and will be parsed.
fn has_large_body(capture: &Capture<'_>) -> bool {
    let body = capture.body.as_ref().filter(|_| capture.should_parse());
    body.is_some_and(|body| body.len() > LARGE_BODY_BYTES)
}

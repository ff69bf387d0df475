//! Workers, which read slices of archives and turn them into batches of rows.
//!
//! A worker owns everything it uses except for the analyzer. It returns regularly with what it has
//! read, so that memory is bounded whatever an archive holds. The scheduler decides when it is
//! continued.
//!
//! If you change when a worker returns, also check `Scheduler::assign_work`: a large body must only be
//! analyzed when the scheduler allows it.

use super::archive_slice::{ArchiveSlice, SliceOutput, SliceSource, SliceState, TruncationPoint};
use super::options::Options;
use super::stats::ScanStats;
use capture::Capture;
use capture::analysis::Analyzer;
use capture::digest::DIGEST_MISMATCH;
use dataset::tables::{Fault, OptionalColumns, TableBuilders};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use warc::{ArchiveFile, ErrorKind, Integrity, RecordLocation};

/// The bytes of bodies after which a worker returns.
const RETURN_AFTER_BYTES: usize = 1 << 20;

/// The number of records after which a worker returns.
const RETURN_AFTER_RECORDS: u64 = 1 << 16;

/// The size above which a body is large. Only one large body is analyzed at a time, because the
/// directives, anomalies and rows of a hostile body need up to 60 times its size.
const LARGE_BODY_BYTES: usize = 1 << 20;

/// A reader of slices, which reuses its memory.
pub(crate) struct Worker {
    reader: warc::Reader,
    tables: TableBuilders,
    stop: Arc<AtomicBool>,
    /// True if digests are verified even if a checksum protects the bytes.
    verify_digests: bool,
    slice: Option<ArchiveSlice>,
    /// The offset of the first member of the slice, once it is known.
    first_member: Option<u64>,
    /// The fault at the end of an object that seems to be truncated, until it was fetched again.
    withheld_fault: Option<Fault>,
    /// True if the reader is at a record with a large body that was not analyzed.
    is_at_large_body: bool,
}

impl Worker {
    /// Creates a worker. It stops early once `stop` is set.
    pub(crate) fn new(options: &Options, stop: Arc<AtomicBool>) -> Self {
        let mut reader = warc::Reader::new(options.warc_limits());
        reader.set_stop_flag(Arc::clone(&stop));
        Self {
            reader,
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

    pub(crate) fn begin_slice(&mut self, slice: ArchiveSlice) {
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
        if had_large_body {
            analyzer.release_memory();
        }
        let reached_offset = match &state {
            SliceState::More
            | SliceState::LargeBody
            | SliceState::Truncated(_)
            | SliceState::Failed(_) => self.reader.progress_offset(),
            SliceState::Unreadable => self.reader.bytes_read(),
            SliceState::Finished(next_member) => *next_member,
        };
        if matches!(state, SliceState::Finished(_)) {
            // The bytes of an object are freed.
            self.reader.close();
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
                match self.reader.read_record() {
                    Ok(true) => {}
                    Ok(false) => return SliceState::Finished(self.reader.next_offset()),
                    Err(error) if error.is_fatal() => {
                        // A stop interrupts long members. The input has not failed then.
                        return match self.is_stopped() {
                            true => SliceState::More,
                            false => SliceState::Failed(io::Error::other(error)),
                        };
                    }
                    Err(error) => {
                        let fault = damage_fault(&error, error.bytes_skipped());
                        if self.claim_refetch(&error) {
                            self.withheld_fault = Some(fault);
                            return SliceState::Truncated(TruncationPoint {
                                offset: error.offset(),
                                records_before: error.records_before(),
                            });
                        }
                        self.push_fault(fault, stats);
                        continue;
                    }
                }
            }
            if !self.push_record(accepts_large_body, analyzer, stats) {
                self.is_at_large_body = true;
                return SliceState::LargeBody;
            }
        }
        SliceState::More
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns true, once for each slice, if an error is the end of an object that may have been
    /// truncated in transit: the object is then fetched again. After that the fault is recorded.
    fn claim_refetch(&mut self, error: &warc::Error) -> bool {
        let Some(slice) = &mut self.slice else {
            return false;
        };
        let SliceSource::Object(file) = &slice.source else {
            return false;
        };
        let end = error.offset().saturating_add(error.bytes_skipped());
        slice.may_fetch_again
            && matches!(error.kind(), ErrorKind::Truncated | ErrorKind::Empty)
            && end >= file.length()
            && std::mem::take(&mut slice.may_fetch_again)
    }

    /// Opens the input of the slice and searches for the first member. Returns a state if there is
    /// nothing to read.
    fn open_input(&mut self, stats: &mut ScanStats) -> Option<SliceState> {
        let reader = &mut self.reader;
        let Some(slice) = &self.slice else {
            return Some(SliceState::Finished(0));
        };
        let opened = match &slice.source {
            SliceSource::Missing => {
                self.push_fault(missing_input_fault(), stats);
                self.first_member = Some(0);
                return Some(SliceState::Finished(0));
            }
            SliceSource::Failed(reason) => {
                return Some(SliceState::Failed(io::Error::other(&**reason)));
            }
            SliceSource::Stream(stream) => match stream.take() {
                Ok(stream) => reader.open_stream(stream).map(|()| Some(0)),
                Err(error) => return Some(SliceState::Failed(error)),
            },
            SliceSource::File(path) => match ArchiveFile::open(path) {
                Ok(file) => open_at_first_member(reader, &file, slice),
                Err(error) => return Some(SliceState::Failed(error)),
            },
            SliceSource::Object(file) => open_at_first_member(reader, file, slice),
        };
        if let Ok(Some(_)) = opened {
            // Another slice may have set it already, to the same value.
            let _ = slice.compression.set(reader.compression());
        }
        match opened {
            Ok(Some(start)) => {
                self.first_member = Some(start);
                None
            }
            Ok(None) => {
                let end = slice.range.as_ref().map_or(0, |range| range.end);
                Some(SliceState::Finished(end))
            }
            Err(error) if error.kind() == ErrorKind::Io => {
                Some(SliceState::Failed(io::Error::other(error)))
            }
            Err(error) => {
                let bytes = reader.input_bytes().unwrap_or(0);
                self.first_member = Some(0);
                self.push_fault(damage_fault(&error, bytes), stats);
                Some(SliceState::Unreadable)
            }
        }
    }

    /// Adds the rows of the current record. Returns false, and does nothing, if it has a large body
    /// that must not be analyzed yet.
    fn push_record(
        &mut self,
        accepts_large_body: bool,
        analyzer: &mut Analyzer,
        stats: &mut ScanStats,
    ) -> bool {
        let Some(slice) = &self.slice else {
            return true;
        };
        let record = self.reader.record();
        let capture = Capture::read(&record, slice.scope);
        if !accepts_large_body && capture.as_ref().is_some_and(has_large_body) {
            return false;
        }
        stats.records += 1;
        let record_type = record.record_type().name();
        *stats.records_by_type.entry(record_type).or_default() += 1;
        let Some(mut capture) = capture else {
            return true;
        };
        if (record.integrity() == Integrity::Unguarded || self.verify_digests)
            && let Some(field) = capture.verify_digests(&record)
        {
            let fault = digest_fault(record.location(), field);
            self.tables.push_fault(&slice.name, &fault);
            stats.push_fault(fault);
        }
        // The scheduler adds the number of captures before this output.
        let robots_id = slice.first_robots_id + stats.captures.cast_signed();
        let analysis = analyzer.analyze(robots_id, record.location(), &capture);
        self.tables.push(&slice.name, &analysis);
        stats.captures += 1;
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

/// Opens a file or an object at the first member of a slice, and returns its offset.
fn open_at_first_member(
    reader: &mut warc::Reader,
    file: &ArchiveFile,
    slice: &ArchiveSlice,
) -> Result<Option<u64>, warc::Error> {
    match slice.range.clone() {
        None => reader.open_range(file, 0..u64::MAX).map(|()| Some(0)),
        Some(range) if slice.begins_at_member => {
            let start = range.start;
            reader.open_range(file, range).map(|()| Some(start))
        }
        Some(range) => {
            let compression = slice.compression.get().copied();
            match reader.open_slice(file, range, compression) {
                // The first slice of the input reports what is wrong with it.
                Err(error) if error.kind() != ErrorKind::Io => Ok(None),
                opened => opened,
            }
        }
    }
}

/// Returns true if the capture has a body that is large and will be parsed.
fn has_large_body(capture: &Capture<'_>) -> bool {
    let body = capture.body.as_ref().filter(|_| capture.should_parse());
    body.is_some_and(|body| body.len() > LARGE_BODY_BYTES)
}

// The texts of the column `detail` of `faults` are those of the archive reader: rewording them changes
// data, which `tests/golden` shows.

/// Returns the fault of an input that does not exist.
fn missing_input_fault() -> Fault {
    Fault {
        offset: 0,
        bytes_skipped: 0,
        code: "input_missing",
        detail: "the input does not exist".to_owned(),
    }
}

/// Returns the fault of a damaged part of an archive.
fn damage_fault(error: &warc::Error, bytes_skipped: u64) -> Fault {
    let text = error.kind();
    Fault {
        offset: error.offset(),
        bytes_skipped,
        code: error.code(),
        detail: match (error.decoded_range(), error.records_before()) {
            (None, 0) => text.to_string(),
            (None, before) => format!(
                "{text}; records of the member read before it, which may be wrong: {before}"
            ),
            (Some(range), _) => format!(
                "{text}, at {} of the member's decoded bytes, of which {} are skipped",
                range.offset, range.bytes
            ),
        },
    }
}

/// Returns the fault of a capture whose digest differs from that of its header
/// field `field`.
fn digest_fault(location: RecordLocation, field: &str) -> Fault {
    Fault {
        offset: location.offset,
        bytes_skipped: 0,
        code: DIGEST_MISMATCH,
        detail: format!(
            "record {} at this offset is not the one of its {field}",
            location.index_in_member
        ),
    }
}

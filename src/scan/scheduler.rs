//! The scheduler: gives slices to workers, and writes their output in order.
//!
//! Slices are read ahead, up to a limit on the bytes that wait to be written (back-pressure). Two
//! rules keep this free of deadlocks and of unbounded memory:
//!
//! - The first slice of the queue is always continued, even if the limit is exceeded, because only
//!   its output makes room.
//! - A large body is analyzed alone: in the first slice, once everything before it is encoded.
//!
//! If you change what is read ahead, also check `OpenFileLimits`, which limits the open files, and the
//! tests `reads` and `limits`, which bound memory and compare numbers of threads.

use super::objects::{RefetchOutcome, RemoteObjects};
use super::options::Options;
use super::part_writer::{OutputTarget, PartWriter};
use super::pending_slice::{BoundaryCheck, PendingSlice, SliceWorker};
use super::plan::{plan_input_slices, plan_part_slices};
use super::progress::{ScanNotice, ScanProgress, ScanReporter};
use super::slice_output::{SliceOutput, SliceState};
use super::stats::{InputCoverage, ResumedParts, ScanSummary};
use super::tasks::{FetchResult, IdleAnalyzers, SliceReadResult, TaskPool, TaskResult};
use super::worker::Worker;
use capture::CaptureScope;
use errors::{Error, ErrorKind};
use process::open_files::OpenFileLimits;
use remote::{FetchErrorKind, FetchedFile};
use sources::input::Input;
use sources::reader::{FetchedObject, InputSlice};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;
use tables::add_to_capture_keys;

/// The bytes of values that may wait to be written or be in encoding, for each thread and one more.
/// Beyond this only the first slice is continued.
const BACKLOG_BYTES_PER_THREAD: u64 = 4 << 20;

/// The most captures of an input. Their numbers are 32 bits of `robots_id`.
const MAX_CAPTURES_PER_INPUT: u64 = 1 << 32;

/// The boundary after an input that failed or is not an archive. It is beyond all offsets, so that the
/// remaining slices of the input are skipped.
const END_OF_INPUT: u64 = u64::MAX;

/// The time after which the scheduler checks whether the run is to stop.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Gives slices to workers, and writes their output in order.
pub(super) struct Scheduler<'a> {
    options: &'a Options,
    reporter: ScanReporter<'a>,
    stop: &'a Arc<AtomicBool>,
    tasks: Arc<TaskPool>,
    results: Receiver<TaskResult>,
    queue: SliceQueue,
    objects: RemoteObjects,
    workers: Workers,
    /// Bytes of output that waits for the slices before it.
    backlog_bytes: u64,
    input_counts: InputCounts,
    resumed: ResumedParts,
    part_writer: PartWriter<'a>,
}

/// The slices that are not completely written, in order.
struct SliceQueue {
    /// Slices that were not given to a worker.
    planned: VecDeque<PendingSlice>,
    /// Slices that were given to a worker. Only the output of the first one is written.
    pending: VecDeque<PendingSlice>,
    /// The maximum number of pending slices.
    max_pending: usize,
    /// The number of the first pending slice: slices are numbered from 0, in order.
    first_number: usize,
    /// The offset at which the next slice of the same input must begin.
    boundary: u64,
}

/// The idle workers, and the number of those that are reading.
struct Workers {
    #[expect(
        clippy::vec_box,
        reason = "a worker is moved between threads as a pointer"
    )]
    idle: Vec<Box<Worker>>,
    /// The number of workers that are reading.
    reading: usize,
    analyzers: Arc<IdleAnalyzers>,
}

/// Counts of the inputs that ended, and of the captures of the current input.
#[derive(Default)]
struct InputCounts {
    coverage: InputCoverage,
    /// Captures of the current input that were written.
    captures: u64,
    /// Inputs that were read to their end or failed.
    ended: u64,
    failed: u64,
}

impl<'a> Scheduler<'a> {
    /// Plans the slices of all parts that are not written. `results` receives the results of `tasks`.
    pub(super) fn new(
        options: &'a Options,
        open_files: OpenFileLimits,
        (tasks, results): (TaskPool, Receiver<TaskResult>),
        progress: &'a ScanProgress,
        notices: &'a Sender<ScanNotice>,
        stop: &'a Arc<AtomicBool>,
        target: OutputTarget,
    ) -> Self {
        let tasks = Arc::new(tasks);
        let objects = RemoteObjects::new(options.remote.clone(), Arc::clone(&tasks));
        let part_writer = PartWriter::new(options, Arc::clone(&tasks), target, open_files.parts);
        let mut scheduler = Self {
            options,
            reporter: ScanReporter { progress, notices },
            stop,
            tasks,
            results,
            queue: SliceQueue {
                planned: VecDeque::new(),
                pending: VecDeque::new(),
                max_pending: open_files.inputs,
                first_number: 0,
                boundary: 0,
            },
            objects,
            workers: Workers {
                idle: Vec::new(),
                reading: 0,
                analyzers: Arc::new(IdleAnalyzers::new(options.layout.tables())),
            },
            backlog_bytes: 0,
            input_counts: InputCounts::default(),
            resumed: ResumedParts::default(),
            part_writer,
        };
        scheduler.plan_unwritten_parts();
        scheduler
    }

    /// Plans the slices of all parts that no earlier run has written.
    fn plan_unwritten_parts(&mut self) {
        let Options {
            inputs, threads, ..
        } = self.options;
        for (i, part) in self.part_writer.parts().iter().enumerate() {
            let part_inputs = part.inputs.clone();
            match self.part_writer.target.resumed_part(part.number) {
                Some(entry) => {
                    self.resumed.parts += 1;
                    self.resumed.faults += entry.faults;
                    let rows = entry.tables.iter().map(|table| table.rows);
                    self.resumed.rows += rows.sum::<u64>();
                    self.reporter.report_written_inputs(&inputs[part_inputs]);
                }
                None => {
                    for index in part_inputs.clone() {
                        self.objects.add_if_remote(index, &inputs[index]);
                    }
                    plan_part_slices(i, part_inputs, inputs, *threads, &mut self.queue.planned);
                }
            }
        }
    }

    /// Runs until everything is written. If the run fails, unfinished parts are discarded; parts
    /// that are being finished are waited for and committed.
    pub(super) fn run(&mut self) -> Result<(), Error> {
        let mut result = self.run_loop();
        if result.is_ok() {
            return result;
        }
        while self.part_writer.is_finishing() {
            if let Ok(TaskResult::PartFinished(part)) = self.results.recv()
                && let Err(error) = self.part_writer.commit(*part)
                && matches!(&result, Err(error) if error.kind() == Some(&ErrorKind::Interrupted))
            {
                result = Err(error);
            }
        }
        self.part_writer.discard_open_parts();
        result
    }

    /// The main loop: writes output that is next, gives out work, and waits for a result.
    fn run_loop(&mut self) -> Result<(), Error> {
        loop {
            self.write_ready_outputs()?;
            self.objects.request_ahead(&self.options.inputs);
            self.assign_work();
            if self.queue.is_empty()
                && !self.part_writer.is_encoding()
                && !self.part_writer.is_finishing()
            {
                return Ok(());
            }
            match self.results.recv_timeout(STOP_CHECK_INTERVAL) {
                Ok(TaskResult::SliceRead(read)) => self.queue_output(read),
                Ok(TaskResult::ObjectFetched(object)) => self.take_fetch_result(object)?,
                Ok(TaskResult::Encoded(task)) => self.part_writer.take_encoding_result(task)?,
                Ok(TaskResult::PartFinished(part)) => self.part_writer.commit(*part)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    unreachable!("the task pool holds a sender")
                }
            }
            if self.stop.load(Ordering::Relaxed) {
                let root = self.options.layout.root();
                return Err(Error::new(ErrorKind::Interrupted, root));
            }
        }
    }

    /// Returns true if so many bytes wait that only the first slice should be continued.
    fn is_backlog_full(&self) -> bool {
        let bytes = self.backlog_bytes + self.part_writer.backlog_bytes();
        bytes > BACKLOG_BYTES_PER_THREAD * (self.options.threads as u64 + 1)
    }

    /// Gives out work while there are threads and room for output: first to paused workers, then
    /// new slices.
    fn assign_work(&mut self) {
        let threads = self.options.threads;
        for i in 0..self.queue.pending.len() {
            // Only output of the first slice can make room if nothing is being encoded.
            let is_awaited = i == 0
                && self.queue.pending[0].outputs.is_empty()
                && !self.part_writer.is_encoding();
            if self.workers.reading > threads || (self.is_backlog_full() && !is_awaited) {
                return;
            }
            if let Some(worker) = self.queue.pending[i].worker.take_ready_worker(is_awaited) {
                self.continue_worker(i, worker);
            }
        }
        while self.workers.reading <= threads
            && self.queue.pending.len() < self.queue.max_pending
            && !self.is_backlog_full()
        {
            // Streams are read one after the other, as `cat` does: the writer of the second may
            // wait until the first was read.
            if self.is_next_slice_of_stream() && !self.queue.pending.is_empty() {
                return;
            }
            let inputs = &self.options.inputs;
            let is_ready = |slice: &mut PendingSlice| slice.is_ready(inputs);
            let Some(slice) = self.queue.planned.pop_front_if(is_ready) else {
                return;
            };
            self.queue.pending.push_back(slice);
            self.start_slice(self.queue.pending.len() - 1, None);
        }
    }

    /// Returns true if the next planned slice is a stream.
    fn is_next_slice_of_stream(&self) -> bool {
        self.queue.planned.front().is_some_and(|slice| {
            let input = &self.options.inputs[slice.input];
            input.place().is_stream()
        })
    }

    /// Gives the pending slice `i` to a worker. `start` is the offset of its first member, if it is
    /// known.
    fn start_slice(&mut self, i: usize, start: Option<u64>) {
        let options = self.options;
        let mut worker = self
            .workers
            .idle
            .pop()
            .unwrap_or_else(|| Box::new(Worker::new(options, Arc::clone(self.stop))));
        let slice = &self.queue.pending[i];
        let input = &options.inputs[slice.input];
        let (range, begins_at_member) = match (slice.range.clone(), start) {
            (Some(range), Some(start)) => (Some(start..range.end), true),
            (Some(range), None) if range.start == 0 => (Some(range), true),
            (range, _) => (range, false),
        };
        worker.begin_slice(InputSlice {
            source: Arc::clone(&input.source),
            fetched: slice.fetched.clone(),
            name: input.name.as_str().into(),
            first_robots_id: (input.index * MAX_CAPTURES_PER_INPUT).cast_signed(),
            range,
            begins_at_member,
            scope: CaptureScope {
                is_robots_subset: input.subset == "robotstxt",
                max_body_bytes: options.max_body_bytes,
                body_limit: options.body_limit,
            },
            may_fetch_again: !slice.is_refetched && input.source.is_read_whole(),
            compression: Arc::clone(&slice.compression),
        });
        self.continue_worker(i, worker);
    }

    /// Continues a worker at the pending slice `i`, on the pool.
    fn continue_worker(&mut self, i: usize, mut worker: Box<Worker>) {
        self.workers.reading += 1;
        let (number, attempt) = (self.queue.first_number + i, self.queue.pending[i].attempt);
        let analyzers = Arc::clone(&self.workers.analyzers);
        self.tasks.spawn(move || {
            let output = analyzers.with_analyzer(|analyzer| Box::new(worker.advance(analyzer)));
            TaskResult::SliceRead(SliceReadResult {
                slice: number,
                attempt,
                worker,
                output,
            })
        });
    }

    /// Plans the slices of an object that was fetched, or continues the slice for which it was
    /// fetched again.
    fn take_fetch_result(&mut self, object: FetchResult) -> Result<(), Error> {
        let index = object.input;
        let file = match self.objects.take_result(object) {
            Err(error) if error.kind.is_fatal_to_run() => return Err(error.into()),
            Err(error) => Err(error.kind),
            Ok(file) => Ok(file),
        };
        let is_at_truncation =
            |slice: &PendingSlice| matches!(slice.worker, SliceWorker::AtTruncation { .. });
        let first = self.queue.pending.front();
        if first.is_some_and(|slice| slice.input == index && is_at_truncation(slice)) {
            return self.continue_truncated(index, file);
        }
        let mut planned = self.queue.planned.iter();
        let position = planned.position(|slice| slice.input == index);
        let position = position.expect("a slice takes the place of the object");
        let slice = self.queue.planned.remove(position);
        let slice = slice.expect("the place is one of the queue");
        let (fetched, bytes) = match file {
            Ok(fetched) => {
                let file = fetched.file.clone();
                self.objects.keep(index, fetched);
                let bytes = self.options.inputs[index].bytes;
                let bytes = bytes.unwrap_or_else(|| file.length());
                (FetchedObject::Object(file), bytes)
            }
            Err(FetchErrorKind::Missing { .. }) if self.options.skips_missing => {
                (FetchedObject::Missing, 0)
            }
            Err(error) => (FetchedObject::Failed(error.to_string().into()), 0),
        };
        let slices = plan_input_slices(
            slice.part,
            (index, &self.options.inputs[index]),
            slice.is_last_of_part,
            Some(fetched),
            Some(bytes),
            self.options.threads,
        );
        for slice in slices.into_iter().rev() {
            self.queue.planned.insert(position, slice);
        }
        Ok(())
    }

    /// Continues the first slice, whose object seemed to be truncated and was fetched again.
    fn continue_truncated(
        &mut self,
        index: usize,
        file: Result<FetchedFile, FetchErrorKind>,
    ) -> Result<(), Error> {
        let slice = &mut self.queue.pending[0];
        slice.is_refetched = true;
        let SliceWorker::AtTruncation { worker, point } = slice.worker.take() else {
            unreachable!("the worker is at the cut");
        };
        let can_continue = point.records_before == 0 && slice.range.is_none();
        match self
            .objects
            .replace_truncated(index, file, point.offset, can_continue)
        {
            Ok(RefetchOutcome::Same) => {
                slice.worker = SliceWorker::Paused(worker);
                Ok(())
            }
            Ok(RefetchOutcome::Longer(file)) => {
                slice.continue_from(file, point.offset);
                self.workers.idle.push(worker);
                self.start_slice(0, Some(point.offset));
                Ok(())
            }
            Err(error) => self.fail_input(
                &self.options.inputs[index],
                self.queue.pending[0].part,
                error,
            ),
        }
    }

    /// Keeps the output of a worker until it can be written.
    fn queue_output(&mut self, read: SliceReadResult) {
        self.workers.reading -= 1;
        let SliceReadResult { worker, output, .. } = read;
        let slice = read
            .slice
            .checked_sub(self.queue.first_number)
            .and_then(|i| self.queue.pending.get_mut(i))
            .filter(|slice| slice.attempt == read.attempt);
        let Some(slice) = slice else {
            return self.workers.idle.push(worker);
        };
        match output.state {
            SliceState::More => slice.worker = SliceWorker::Paused(worker),
            SliceState::LargeBody => slice.worker = SliceWorker::AtLargeBody(worker),
            SliceState::Truncated(point) => {
                slice.worker = SliceWorker::AtTruncation { worker, point }
            }
            SliceState::Finished(_) | SliceState::Unreadable | SliceState::Failed(_) => {
                self.workers.idle.push(worker);
            }
        }
        self.backlog_bytes += output.bytes;
        slice.outputs.push_back(output);
    }

    /// Writes all output that is next in order.
    fn write_ready_outputs(&mut self) -> Result<(), Error> {
        while let Some(slice) = self.queue.pending.front_mut() {
            if !self.part_writer.has_room_for(slice.part) {
                return Ok(());
            }
            let Some(output) = slice.outputs.pop_front() else {
                return Ok(());
            };
            self.backlog_bytes -= output.bytes;
            if !slice.has_written_output {
                let boundary = self.queue.boundary;
                match slice.check_boundary(&output, boundary) {
                    BoundaryCheck::Match => slice.has_written_output = true,
                    BoundaryCheck::Mismatch => {
                        self.reset_first_slice();
                        self.start_slice(0, Some(boundary));
                        continue;
                    }
                    BoundaryCheck::Skipped => {
                        self.reset_first_slice();
                        self.end_slice(boundary)?;
                        continue;
                    }
                }
            }
            self.write_output(*output)?;
        }
        Ok(())
    }

    /// Drops the output of the first slice, because it does not begin at the boundary.
    fn reset_first_slice(&mut self) {
        if let Some(slice) = self.queue.pending.front_mut() {
            let (dropped_bytes, worker) = slice.discard_attempt();
            self.backlog_bytes -= dropped_bytes;
            self.workers.idle.extend(worker);
        }
    }

    /// Writes output of the first slice.
    fn write_output(&mut self, output: SliceOutput) -> Result<(), Error> {
        let slice = &mut self.queue.pending[0];
        let (part, is_last_of_input) = (slice.part, slice.is_last_of_input);
        let (index, bytes) = (slice.input, slice.bytes);
        let input = &self.options.inputs[slice.input];
        let SliceOutput {
            mut batches,
            mut stats,
            ..
        } = output;
        let captures_before = self.input_counts.captures;
        self.input_counts.captures += stats.captures;
        if let Some(error) = too_many_captures_error(self.input_counts.captures) {
            self.part_writer.open_part(part)?;
            return self.fail_input(input, part, error);
        }
        add_to_capture_keys(captures_before, &mut batches);
        stats.bytes = self
            .input_counts
            .coverage
            .advance(bytes, output.reached_offset);
        self.reporter.report_stats(input, &stats);
        self.part_writer.open_part(part)?;
        let next_member = match output.state {
            SliceState::More | SliceState::LargeBody => None,
            SliceState::Truncated(_) => {
                if let Some(url) = input.place().url() {
                    self.objects.request(index, url, input.requested_ranges());
                }
                None
            }
            SliceState::Finished(next_member) => Some(next_member),
            SliceState::Unreadable => Some(END_OF_INPUT),
            SliceState::Failed(error) => return self.fail_input(input, part, error),
        };
        if let Some(next_member) = next_member
            && is_last_of_input
            && let Some(error) = input.check_fully_read(next_member)
        {
            return self.fail_input(input, part, error);
        }
        self.part_writer.push(part, input, batches, stats)?;
        match next_member {
            Some(next_member) => self.end_slice(next_member),
            // The worker is continued when there is room.
            None => Ok(()),
        }
    }

    /// Reports an input that failed, and ends the first slice of the queue, which is one of this input.
    fn fail_input(&mut self, input: &Input, part: usize, error: io::Error) -> Result<(), Error> {
        let error = Error::read(input.place().display_path(), error);
        // A stream cannot be read again. The run could not be resumed, so it fails.
        if input.place().is_stream() {
            return Err(error);
        }
        self.reporter.notify(ScanNotice::Failed(error));
        self.input_counts.failed += 1;
        self.part_writer.mark_failed(part);
        self.end_slice(END_OF_INPUT)
    }

    /// Ends the first slice, and its part if it is the last one. The next member of the input
    /// begins at `boundary`.
    fn end_slice(&mut self, boundary: u64) -> Result<(), Error> {
        let slice = self.queue.pending.pop_front().expect("a slice is pending");
        self.queue.first_number += 1;
        self.queue.boundary = boundary;
        if slice.is_last_of_input {
            let rest = self.input_counts.coverage.finish(slice.bytes);
            if let Some(identity) = self.objects.release(slice.input) {
                self.part_writer
                    .add_object_identity(slice.part, slice.input, identity);
            }
            self.input_counts.ended += 1;
            self.input_counts.captures = 0;
            self.reporter.finish_input(rest);
            self.part_writer.add_input_bytes(slice.part, rest);
        }
        if slice.is_last_of_part {
            self.part_writer.end_part(slice.part)
        } else {
            Ok(())
        }
    }

    pub(super) fn target(&mut self) -> &mut OutputTarget {
        &mut self.part_writer.target
    }

    pub(super) fn tasks(&self) -> Arc<TaskPool> {
        Arc::clone(&self.tasks)
    }

    /// Takes the summary of the run out of the scheduler.
    pub(super) fn take_summary(&mut self) -> ScanSummary {
        let (stats, written) = self.part_writer.take_totals();
        ScanSummary {
            inputs: self.input_counts.ended - self.input_counts.failed,
            failed_inputs: self.input_counts.failed,
            ..ScanSummary::new(stats, std::mem::take(&mut self.resumed), written)
        }
    }
}

impl SliceQueue {
    fn is_empty(&self) -> bool {
        self.planned.is_empty() && self.pending.is_empty()
    }
}

/// Returns an error if an input has more captures than its keys can number.
fn too_many_captures_error(captures: u64) -> Option<io::Error> {
    let why = || format!("it has more than {MAX_CAPTURES_PER_INPUT} captures");
    (captures > MAX_CAPTURES_PER_INPUT).then(|| io::Error::other(why()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_an_input_end_before_those_of_the_next() {
        assert!(too_many_captures_error(MAX_CAPTURES_PER_INPUT).is_none());
        assert!(too_many_captures_error(MAX_CAPTURES_PER_INPUT + 1).is_some());
        let last =
            (sources::input::MAX_INPUTS - 1) * MAX_CAPTURES_PER_INPUT + MAX_CAPTURES_PER_INPUT - 1;
        assert!(last < 1 << f64::MANTISSA_DIGITS);
    }
}

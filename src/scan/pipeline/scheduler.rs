//! The loop: gives out items, takes results in order, writes parts.
//!
//! Nothing blocks: a worker that has enough hands over what it has and rests
//! until there is room, so memory is bounded and no thread waits for another.

use super::coverage::Coverage;
use super::plan::{Part, plan_parts, ranges};
use super::state::{OpenPart, Slot};
use super::target::Target;
use super::{Options, PSL_VERSION, ScanNotice, ScanProgress, ScanSummary};
use crate::capture::Scope;
use crate::dataset::{FileEntry, FileStats, PartEntry};
use crate::disk::open_files::OpenFiles;
use crate::error::{Error, ErrorKind};
use crate::input::InputSource;
use crate::parquet_writer::RowBatch;
use crate::parquet_writer::{self, FileTask, FileTaskOutput, TableFileWriter, WrittenFile};
use crate::pipeline::worker::{Chunk, Counts, End, Item, Worker};
use crate::tables::{RunRow, Table, runs_rows};
use parquet::errors::ParquetError;
use rayon::ThreadPool;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Bytes of values, for each thread and one more, that may wait for their turn
/// or be in encoding; beyond it only what is awaited goes on.
const HELD_BYTES: u64 = 4 << 20;

/// A result of a task on the pool.
enum Event {
    Read {
        item: usize,
        turn: u32,
        worker: Box<Worker>,
        chunk: Box<Chunk>,
    },
    Done {
        part: usize,
        table: usize,
        group: usize,
        bytes: u64,
        result: Result<FileTaskOutput, ParquetError>,
    },
    /// A part without its files, which have their names unless one could not be written.
    Finished(Box<OpenPart>, Result<Vec<(Table, WrittenFile)>, Error>),
}

pub(super) struct Job<'a> {
    options: &'a Options,
    open_files: OpenFiles,
    progress: &'a ScanProgress,
    notices: &'a Sender<ScanNotice>,
    stop: &'a Arc<AtomicBool>,
    pub(super) target: Target,
    pool: ThreadPool,
    sender: Sender<Event>,
    events: Receiver<Event>,
    workers: Vec<Box<Worker>>,
    /// Items to come.
    planned: VecDeque<Slot>,
    /// Items given out, in order; the first is the one whose turn it is.
    slots: VecDeque<Slot>,
    /// The number of the first of `slots`.
    first: usize,
    /// Where the next item of the same input must begin.
    seam: u64,
    coverage: Coverage,
    open: BTreeMap<usize, OpenPart>,
    parts: Vec<Part>,
    /// Items that a worker reads just now.
    reading: usize,
    /// Tasks for files that are done just now.
    encoding: usize,
    /// Parts whose files are just being finished.
    finishing: usize,
    /// Bytes of values that were read and wait, and that are being encoded.
    held_bytes: u64,
    /// Inputs read to their end, or to where they failed.
    ended_inputs: u64,
    total: Counts,
    summary: ScanSummary,
}

impl<'a> Job<'a> {
    pub(super) fn new(
        options: &'a Options,
        open_files: OpenFiles,
        progress: &'a ScanProgress,
        notices: &'a Sender<ScanNotice>,
        stop: &'a Arc<AtomicBool>,
        target: Target,
    ) -> Result<Self, Error> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(options.threads)
            .build()
            .map_err(|error| {
                let root = options.destination.root();
                Error::with_source(ErrorKind::Threads(options.threads), root, error)
            })?;
        let part_bytes = if options.destination.is_single_file() {
            u64::MAX
        } else {
            options.part_bytes
        };
        let mut parts = plan_parts(&options.inputs, part_bytes);
        if options.destination.is_single_file() {
            // All in one file, whatever their crawls.
            parts = vec![Part {
                number: 0,
                inputs: 0..options.inputs.len(),
            }];
        }
        let (sender, events) = channel();
        let mut job = Self {
            options,
            open_files,
            progress,
            notices,
            stop,
            target,
            pool,
            sender,
            events,
            workers: Vec::new(),
            planned: VecDeque::new(),
            slots: VecDeque::new(),
            first: 0,
            seam: 0,
            coverage: Coverage::default(),
            open: BTreeMap::new(),
            parts,
            reading: 0,
            encoding: 0,
            finishing: 0,
            held_bytes: 0,
            ended_inputs: 0,
            total: Counts::default(),
            summary: ScanSummary::default(),
        };
        job.plan();
        Ok(job)
    }

    /// Lays out the items of all parts that are not whole yet.
    fn plan(&mut self) {
        for (at, part) in self.parts.iter().enumerate() {
            if let Some(whole) = self.target.whole_part(part.number) {
                self.summary.resumed_parts += 1;
                self.summary.resumed_faults += whole.faults;
                self.summary.resumed_rows +=
                    whole.files.iter().map(|it| it.stats.rows).sum::<u64>();
                for input in &self.options.inputs[part.inputs.clone()] {
                    self.progress
                        .bytes
                        .fetch_add(input.bytes.unwrap_or(0), Ordering::Relaxed);
                    self.progress.inputs.fetch_add(1, Ordering::Relaxed);
                }
                continue;
            }
            for input in part.inputs.clone() {
                let ranges = ranges(&self.options.inputs[input], self.options.threads);
                let count = ranges.len();
                let compression = Arc::default();
                for (nth, range) in ranges.into_iter().enumerate() {
                    let is_last_of_input = nth + 1 == count;
                    self.planned.push_back(Slot {
                        part: at,
                        input,
                        is_last_of_input,
                        is_last_of_part: is_last_of_input && input + 1 == part.inputs.end,
                        range,
                        compression: Arc::clone(&compression),
                        turn: 0,
                        chunks: VecDeque::new(),
                        resting: None,
                        awaits_large: false,
                        is_begun: false,
                    });
                }
            }
        }
    }

    /// Runs the loop. What is not finished when it ends early is dropped; for
    /// parts that are just being finished it waits, and notes them.
    pub(super) fn run(&mut self) -> Result<(), Error> {
        let mut result = self.work();
        if result.is_ok() {
            return result;
        }
        while self.finishing > 0 {
            if let Ok(Event::Finished(part, files)) = self.events.recv()
                && let Err(error) = self.finished(*part, files)
                && matches!(&result, Err(error) if *error.kind() == ErrorKind::Interrupted)
            {
                result = Err(error);
            }
        }
        for (_, part) in std::mem::take(&mut self.open) {
            part.files.into_iter().for_each(|(_, file)| file.discard());
        }
        result
    }

    /// The loop: give out work, take in order what is ready, wait.
    fn work(&mut self) -> Result<(), Error> {
        loop {
            self.take_ready()?;
            self.give_out();
            if self.slots.is_empty()
                && self.planned.is_empty()
                && self.encoding + self.finishing == 0
            {
                return Ok(());
            }
            match self.events.recv_timeout(Duration::from_millis(100)) {
                Ok(Event::Read {
                    item,
                    turn,
                    worker,
                    chunk,
                }) => self.keep(item, turn, worker, chunk),
                Ok(Event::Done {
                    part,
                    table,
                    group,
                    bytes,
                    result,
                }) => {
                    self.held_bytes -= bytes;
                    self.done(part, table, group, result)?;
                }
                Ok(Event::Finished(part, files)) => self.finished(*part, files)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    unreachable!("the job itself holds a sender")
                }
            }
            if self.stop.load(Ordering::Relaxed) {
                let root = self.options.destination.root();
                return Err(Error::new(ErrorKind::Interrupted, root));
            }
        }
    }

    /// Whether so much waits that nobody should read on but who is awaited.
    fn is_full(&self) -> bool {
        // What a failed part holds is dropped with it, not written.
        let parts = self.open.values().filter(|part| !part.is_failed);
        let files = parts.flat_map(|part| &part.files);
        let queued: u64 = files.map(|(_, file)| file.queued_bytes()).sum();
        self.held_bytes + queued > HELD_BYTES * (self.options.threads as u64 + 1)
    }

    /// Gives out work while there are threads for it, and not so much waits
    /// that memory would grow: first to workers that rest, then new items.
    fn give_out(&mut self) {
        let threads = self.options.threads;
        for at in 0..self.slots.len() {
            let is_awaited = at == 0 && self.slots[0].chunks.is_empty();
            if self.reading > threads || (self.is_full() && !(is_awaited && self.encoding == 0)) {
                return;
            }
            // A large body is analyzed alone, so that memory does not grow with
            // threads: in its turn, and once all rows before it are encoded.
            if self.slots[at].awaits_large && !(is_awaited && self.encoding == 0) {
                continue;
            }
            if let Some(worker) = self.slots[at].resting.take() {
                self.advance(at, worker);
            }
        }
        let slots = self.open_files.inputs;
        while self.reading <= threads && self.slots.len() < slots && !self.is_full() {
            // Streams are read one after another, as `cat` does: what writes to
            // the second may wait until the first is read.
            if self.next_is_stream() && !self.slots.is_empty() {
                return;
            }
            let Some(slot) = self.planned.pop_front() else {
                return;
            };
            self.slots.push_back(slot);
            self.start(self.slots.len() - 1, None);
        }
    }

    /// Returns true if the next item to be given out is a stream.
    fn next_is_stream(&self) -> bool {
        self.planned.front().is_some_and(|slot| {
            let input = &self.options.inputs[slot.input];
            matches!(input.source, InputSource::Stream(_))
        })
    }

    /// Has a worker read the item in a slot, from `from` if that is known to
    /// be its true beginning.
    fn start(&mut self, at: usize, from: Option<u64>) {
        let mut worker = self.workers.pop().unwrap_or_else(|| {
            let options = self.options;
            let wanted = options.destination.tables();
            Box::new(Worker::new(
                wanted,
                options.with_bodies,
                options.limits(),
                options.verify_digests,
                Arc::clone(self.stop),
            ))
        });
        let slot = &mut self.slots[at];
        let input = &self.options.inputs[slot.input];
        let (range, is_exact) = match (slot.range, from) {
            (Some((_, to)), Some(from)) => (Some((from, to)), true),
            (Some((0, to)), None) => (Some((0, to)), true),
            (range, _) => (range, false),
        };
        let item = Item {
            source: input.source.clone(),
            name: input.name.as_str().into(),
            range,
            is_exact,
            scope: Scope {
                is_robots_subset: input.subset == "robotstxt",
                max_body_bytes: self.options.max_body_bytes,
                body_limit: self.options.body_limit,
            },
            compression: Arc::clone(&slot.compression),
        };
        worker.begin(item);
        self.advance(at, worker);
    }

    fn advance(&mut self, at: usize, mut worker: Box<Worker>) {
        self.reading += 1;
        self.slots[at].awaits_large = false;
        let (item, turn, sender) = (self.first + at, self.slots[at].turn, self.sender.clone());
        self.pool.spawn(move || {
            let chunk = Box::new(worker.advance());
            // Nobody listens any more when a run has failed.
            let _ = sender.send(Event::Read {
                item,
                turn,
                worker,
                chunk,
            });
        });
    }

    /// Keeps what a worker read until it is its turn.
    fn keep(&mut self, item: usize, turn: u32, worker: Box<Worker>, chunk: Box<Chunk>) {
        self.reading -= 1;
        let slot = item
            .checked_sub(self.first)
            .and_then(|at| self.slots.get_mut(at))
            .filter(|slot| slot.turn == turn);
        let Some(slot) = slot else {
            return self.workers.push(worker);
        };
        match chunk.end {
            End::More => slot.resting = Some(worker),
            End::LargeBody => {
                slot.resting = Some(worker);
                slot.awaits_large = true;
            }
            End::Done(_) | End::Failed(_) => self.workers.push(worker),
        }
        self.held_bytes += chunk.bytes;
        slot.chunks.push_back(chunk);
    }

    /// Takes what is ready into the output, in order.
    fn take_ready(&mut self) -> Result<(), Error> {
        while let Some(slot) = self.slots.front_mut() {
            let unfinished = self.open.len() + self.finishing;
            if unfinished >= self.open_files.parts && !self.open.contains_key(&slot.part) {
                return Ok(());
            }
            let Some(chunk) = slot.chunks.pop_front() else {
                return Ok(());
            };
            self.held_bytes -= chunk.bytes;
            if !slot.is_begun {
                // The seam: the item before must have ended where this began.
                let (from, to) = slot.range.unwrap_or((0, u64::MAX));
                let expected = if from == 0 { 0 } else { self.seam };
                let is_void = from > 0 && expected >= to;
                let is_seamless = from == 0
                    || chunk.start == Some(expected)
                    || matches!(chunk.end, End::Failed(_));
                if is_void || !is_seamless {
                    // What was read is of no member that there is.
                    slot.turn += 1;
                    slot.awaits_large = false;
                    self.workers.extend(slot.resting.take());
                    self.held_bytes -= slot.chunks.drain(..).map(|chunk| chunk.bytes).sum::<u64>();
                    if is_void {
                        self.end_item(expected)?;
                    } else {
                        self.start(0, Some(expected));
                    }
                    continue;
                }
                slot.is_begun = true;
            }
            self.take(chunk)?;
        }
        Ok(())
    }

    /// Takes a chunk of the first slot into the output.
    fn take(&mut self, chunk: Box<Chunk>) -> Result<(), Error> {
        let Chunk {
            batches,
            mut counts,
            reached,
            end,
            ..
        } = *chunk;
        let (part, input) = (self.slots[0].part, self.slots[0].input);
        counts.bytes = self
            .coverage
            .advance(self.options.inputs[input].bytes, reached);
        self.progress
            .bytes
            .fetch_add(counts.bytes, Ordering::Relaxed);
        self.progress
            .records
            .fetch_add(counts.records, Ordering::Relaxed);
        self.progress
            .captures
            .fetch_add(counts.captures, Ordering::Relaxed);
        for fault in &counts.faults {
            let _ = self.notices.send(ScanNotice::Fault {
                name: self.options.inputs[input].name.clone(),
                fault: fault.clone(),
            });
        }
        self.open_part(part)?;
        let open = self.open.get_mut(&part).expect("it was opened just now");
        let is_last_of_input = self.slots[0].is_last_of_input;
        let (position, error) = match end {
            End::More | End::LargeBody => (None, None),
            End::Done(position) if is_last_of_input => {
                (Some(position), self.options.inputs[input].unread(position))
            }
            End::Done(position) => (Some(position), None),
            End::Failed(error) => (None, Some(error)),
        };
        if let Some(error) = error {
            let path = match &self.options.inputs[input].source {
                InputSource::File(path) | InputSource::Missing(path) => path,
                // It cannot be read again, so nothing can be resumed.
                InputSource::Stream(stream) => {
                    return Err(Error::read(stream.display_path(), error));
                }
            };
            let _ = self
                .notices
                .send(ScanNotice::Failed(Error::read(path, error)));
            self.summary.failed_inputs += 1;
            open.is_failed = true;
            // No later range of the input can begin there: what was read of
            // them is void.
            return self.end_item(u64::MAX);
        }
        if !open.is_failed {
            open.counts.add(counts);
            let (crawl, subset) = {
                let input = &self.options.inputs[input];
                (input.crawl.clone(), input.subset.clone())
            };
            let mut all = Vec::new();
            for (at, batch) in batches.into_iter().enumerate() {
                let table = Table::OF_RECORDS[at];
                if let Some((nth, (_, file))) = open
                    .files
                    .iter_mut()
                    .enumerate()
                    .find(|(_, (of, _))| *of == table)
                {
                    let batch = self.options.destination.file_rows(batch, &crawl, &subset);
                    let mut tasks = Vec::new();
                    file.push(batch, &mut tasks);
                    all.extend(tasks.into_iter().map(|task| (nth, task)));
                }
            }
            all.into_iter()
                .for_each(|(nth, task)| self.spawn(part, nth, task));
        }
        match position {
            // Its worker goes on when there is room.
            None => Ok(()),
            Some(position) => self.end_item(position),
        }
    }

    /// Ends the first slot, and with its last item the part.
    fn end_item(&mut self, position: u64) -> Result<(), Error> {
        let slot = self.slots.pop_front().expect("there is a first slot");
        self.first += 1;
        self.seam = position;
        if slot.is_last_of_input {
            self.progress.inputs.fetch_add(1, Ordering::Relaxed);
            self.ended_inputs += 1;
            let rest = self.coverage.finish(self.options.inputs[slot.input].bytes);
            self.progress.bytes.fetch_add(rest, Ordering::Relaxed);
            if let Some(open) = self.open.get_mut(&slot.part) {
                open.counts.bytes += rest;
            }
        }
        if slot.is_last_of_part {
            let open = self
                .open
                .get_mut(&slot.part)
                .expect("a part is open while it is read");
            open.is_read = true;
            let mut all = Vec::new();
            if !open.is_failed {
                for (nth, (_, file)) in open.files.iter_mut().enumerate() {
                    let mut tasks = Vec::new();
                    file.end_rows(&mut tasks);
                    all.extend(tasks.into_iter().map(|task| (nth, task)));
                }
            }
            all.into_iter()
                .for_each(|(nth, task)| self.spawn(slot.part, nth, task));
            return self.finish_if_settled(slot.part);
        }
        Ok(())
    }

    fn open_part(&mut self, at: usize) -> Result<(), Error> {
        if self.open.contains_key(&at) {
            return Ok(());
        }
        let part = &self.parts[at];
        let first = &self.options.inputs[part.inputs.start];
        let destination = &self.options.destination;
        let mut files = Vec::new();
        for table in Table::OF_RECORDS
            .into_iter()
            .filter(|table| destination.tables().contains(table))
        {
            let path = destination.part_path(table, part.number, &first.crawl, &first.subset);
            let new = self.target.new_file(&path)?;
            let schema = destination.file_schema(table);
            files.push((table, TableFileWriter::create(schema, new)?));
        }
        let open = OpenPart {
            number: part.number,
            crawl: first.crawl.clone(),
            subset: first.subset.clone(),
            inputs: part.inputs.clone(),
            files,
            counts: Counts::default(),
            encoding: 0,
            is_read: false,
            is_failed: false,
        };
        self.open.insert(at, open);
        Ok(())
    }

    fn spawn(&mut self, part: usize, table: usize, task: FileTask) {
        if let Some(open) = self.open.get_mut(&part) {
            open.encoding += 1;
        }
        self.encoding += 1;
        self.held_bytes += task.bytes();
        let (group, bytes, sender) = (task.group, task.bytes(), self.sender.clone());
        self.pool.spawn(move || {
            let result = task.run();
            let _ = sender.send(Event::Done {
                part,
                table,
                group,
                bytes,
                result,
            });
        });
    }

    fn done(
        &mut self,
        part: usize,
        table: usize,
        group: usize,
        result: Result<FileTaskOutput, ParquetError>,
    ) -> Result<(), Error> {
        self.encoding -= 1;
        let open = self
            .open
            .get_mut(&part)
            .expect("a part is open while its slabs are encoded");
        open.encoding -= 1;
        let file = &mut open.files[table].1;
        let done = result.map_err(|error| file.error(error))?;
        if !open.is_failed
            && let Some(task) = file.take(group, done)
        {
            self.spawn(part, table, task);
        }
        self.finish_if_settled(part)
    }

    /// Has the files of a part given their names, once all of it is written.
    fn finish_if_settled(&mut self, at: usize) -> Result<(), Error> {
        if !self
            .open
            .get(&at)
            .is_some_and(|open| open.is_read && open.encoding == 0)
        {
            return Ok(());
        }
        let mut open = self.open.remove(&at).expect("it is there");
        if open.is_failed {
            open.files.into_iter().for_each(|(_, file)| file.discard());
            return Ok(());
        }
        let destination = &self.options.destination;
        let mut runs = None;
        if destination.tables().contains(&Table::Runs) {
            let rows = destination.file_rows(self.runs(&open), &open.crawl, &open.subset);
            let path = destination.part_path(Table::Runs, open.number, &open.crawl, &open.subset);
            let new = self.target.new_file(&path)?;
            runs = Some((destination.file_schema(Table::Runs), rows, new));
        }
        if let Target::Dataset(dataset) = &mut self.target {
            let tables = destination.tables().iter().filter(|it| !it.is_whole());
            let path = |table: &Table| {
                let path = destination.part_path(*table, open.number, &open.crawl, &open.subset);
                path.to_string_lossy().into_owned()
            };
            dataset.announce(open.number, &tables.map(path).collect::<Vec<_>>())?;
        }
        // Bringing files to the disk takes its time, and nobody need wait for it.
        let sender = self.sender.clone();
        self.finishing += 1;
        self.pool.spawn(move || {
            let finish = |(table, file): (Table, TableFileWriter)| {
                debug_assert!(file.is_settled());
                Ok((table, file.finish()?))
            };
            let files = std::mem::take(&mut open.files);
            let files: Result<Vec<_>, Error> = files.into_iter().map(finish).collect();
            let files = files.and_then(|mut files| {
                if let Some((schema, rows, new)) = runs {
                    let file = parquet_writer::write_table(schema, rows, new)?;
                    files.push((Table::Runs, file));
                }
                Ok(files)
            });
            let _ = sender.send(Event::Finished(Box::new(open), files));
        });
        Ok(())
    }

    /// The row of a part in the table `runs`.
    fn runs(&self, open: &OpenPart) -> RowBatch {
        let inputs = &self.options.inputs[open.inputs.clone()];
        runs_rows(&RunRow {
            part: open.number,
            options: self.options.row_options().to_string(),
            psl_version: PSL_VERSION.to_owned(),
            agents_version: self.options.registry.sha1.clone(),
            inputs: inputs.len() as u32,
            input_bytes: open.counts.bytes,
            records: open.counts.records,
            captures: open.counts.captures,
            faults: open.counts.fault_count,
        })
    }

    /// Notes a part in the manifest, whose files have their names.
    fn finished(
        &mut self,
        part: OpenPart,
        files: Result<Vec<(Table, WrittenFile)>, Error>,
    ) -> Result<(), Error> {
        self.finishing -= 1;
        let (counts, files) = (part.counts, files?);
        for (table, file) in &files {
            *self
                .summary
                .rows
                .entry(table.name().to_owned())
                .or_default() += file.rows;
            self.summary.bytes_written += file.bytes;
        }
        if let Target::Dataset(dataset) = &mut self.target {
            let file = |(table, file): (Table, WrittenFile)| FileEntry {
                table,
                path: file.path.to_string_lossy().into_owned(),
                stats: FileStats {
                    rows: file.rows,
                    bytes: file.bytes,
                    digest: file.digest,
                },
            };
            dataset.add(PartEntry {
                number: part.number,
                crawl: part.crawl,
                subset: part.subset,
                inputs: part.inputs,
                records: counts.records,
                captures: counts.captures,
                faults: counts.fault_count,
                files: files.into_iter().map(file).collect(),
            })?;
        }
        self.summary.parts += 1;
        self.total.add(counts);
        Ok(())
    }

    pub(super) fn summary(&mut self) -> ScanSummary {
        let mut summary = std::mem::take(&mut self.summary);
        let total = std::mem::take(&mut self.total);
        summary.inputs = self.ended_inputs - summary.failed_inputs;
        summary.bytes = total.bytes;
        summary.records = total.records;
        summary.records_by_type = total
            .by_kind
            .into_iter()
            .map(|(kind, count)| (kind.to_owned(), count))
            .collect();
        summary.captures = total.captures;
        summary.captures_by_status = total.by_status;
        summary.faults = total.fault_count;
        summary.most_blocked = super::most_blocked(total.blocked);
        summary
    }
}

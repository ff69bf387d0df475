//! The thread pool of a run, and the results of its tasks.

use super::open_part::OpenPart;
use super::slice_output::SliceOutput;
use super::worker::Worker;
use capture::analysis::Analyzer;
use columns::{FileTaskOutput, WrittenFile};
use errors::Error;
use parquet::errors::ParquetError;
use process::start_thread_pool;
use rayon::ThreadPool;
use remote::{FetchError, FetchedFile};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use tables::Table;

/// The result of a task, which is sent to the scheduler.
pub(super) enum TaskResult {
    SliceRead(SliceReadResult),
    ObjectFetched(FetchResult),
    Encoded(EncodingResult),
    PartFinished(Box<PartResult>),
}

/// The output of a worker that has returned from a slice, which may not be finished.
pub(super) struct SliceReadResult {
    pub(super) slice: usize,
    /// The attempt at reading the slice.
    pub(super) attempt: u32,
    pub(super) worker: Box<Worker>,
    pub(super) output: Box<SliceOutput>,
}

/// The object of an input, or the reason why it was not fetched.
pub(super) struct FetchResult {
    /// The index of the input.
    pub(super) input: usize,
    pub(super) result: Result<FetchedFile, FetchError>,
}

/// The result of a [`FileTask`](columns::FileTask).
pub(super) struct EncodingResult {
    /// The index of the part.
    pub(super) part: usize,
    /// The index of the file in the part.
    pub(super) file: usize,
    pub(super) row_group: usize,
    /// Bytes of the values that were encoded.
    pub(super) bytes: u64,
    pub(super) result: Result<FileTaskOutput, ParquetError>,
}

/// The result of finishing the files of a part: they were renamed, unless one could not be written.
pub(super) struct PartResult {
    /// The part, whose own list of files is empty.
    pub(super) part: OpenPart,
    pub(super) files: Result<Vec<(Table, WrittenFile)>, Error>,
}

/// A thread pool whose tasks send their results to the scheduler.
pub(super) struct TaskPool {
    threads: ThreadPool,
    sender: Sender<TaskResult>,
}

impl TaskPool {
    /// Starts the threads. `root` is the path of the output, for the error message.
    pub(super) fn new(count: usize, root: &Path) -> Result<(Self, Receiver<TaskResult>), Error> {
        let threads = start_thread_pool(count, root)?;
        let (sender, results) = channel();
        Ok((Self { threads, sender }, results))
    }

    /// Runs a function on the pool, and waits for it.
    pub(super) fn install<T: Send>(&self, function: impl FnOnce() -> T + Send) -> T {
        self.threads.install(function)
    }

    /// Returns a sender of results that come from outside the pool.
    pub(super) fn sender(&self) -> Sender<TaskResult> {
        self.sender.clone()
    }

    /// Runs a task on the pool.
    pub(super) fn spawn(&self, task: impl FnOnce() -> TaskResult + Send + 'static) {
        let sender = self.sender.clone();
        self.threads.spawn(move || {
            // The receiver is gone if the run has failed.
            let _ = sender.send(task());
        });
    }
}

/// Analyzers that are not in use.
///
/// A running worker needs an analyzer, a paused one does not. There are thus at most as many
/// analyzers, and caches of bodies, as threads. Analyzers are reused in the reverse order of their
/// return, so that a thread mostly gets the one that it used last.
pub(super) struct IdleAnalyzers {
    idle: Mutex<Vec<Analyzer>>,
    new_analyzer: fn() -> Analyzer,
}

impl IdleAnalyzers {
    /// Makes analyzers for the rows of these tables.
    pub(super) fn new(tables: &[Table]) -> Self {
        let from_verdicts = [Table::VERDICTS, Table::ANOMALIES, Table::FILE_PREFERENCES];
        let needs_verdicts = |table: &Table| from_verdicts.contains(table);
        Self {
            idle: Mutex::default(),
            new_analyzer: if tables.iter().any(needs_verdicts) {
                Analyzer::default
            } else {
                Analyzer::without_verdicts
            },
        }
    }

    /// Runs `task` with an analyzer of its own.
    pub(super) fn with_analyzer<T>(&self, task: impl FnOnce(&mut Analyzer) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut analyzer = idle().pop().unwrap_or_else(self.new_analyzer);
        let result = task(&mut analyzer);
        idle().push(analyzer);
        result
    }
}

//! Reads the rows of one table from archives, without writing files.

use super::options::Options;
use super::part_writer::OutputTarget;
use super::progress::{ScanNotice, ScanProgress};
use super::scheduler::Scheduler;
use super::stats::ScanSummary;
use super::tasks::TaskPool;
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use columns::RowBatch;
use dataset::{IfExists, OutputLayout};
use errors::Error;
use process::open_files::{self, OpenFileLimits};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel, sync_channel};
use std::thread::{self, JoinHandle};
use tables::{Table, fill_null_columns};

/// The number of batches that may wait to be read. A batch has the rows of about 1 MiB of bodies.
const WAITING_BATCHES: usize = 2;

/// A stream of the rows of one table, in the order of inputs, records and lines.
///
/// The rows are those of a [single file](OutputLayout::is_single_file) of the table, with the columns
/// `crawl` and `subset`. Columns that files store as null, because their values follow from other columns,
/// have these values. Archives are read in the background, as far ahead as a run reads. Dropping
/// the stream ends the reading.
pub struct RowStream {
    table: Table,
    schema: SchemaRef,
    rows: Receiver<RowBatch>,
    stop: Arc<AtomicBool>,
    run: Option<JoinHandle<Result<ScanSummary, Error>>>,
}

/// Returns the schema of the rows that a [`RowStream`] reads.
pub fn stream_schema(table: Table) -> SchemaRef {
    Arc::new(table_layout(table).file_schema(table).arrow)
}

fn table_layout(table: Table) -> OutputLayout {
    OutputLayout::new_single_file(Path::new(table.name()), table)
}

impl RowStream {
    /// Starts reading. `options.layout` is ignored. `finish` is called with the result at the end of the run, on
    /// a background thread. The rows of the stream end only after `finish` has returned.
    ///
    /// # Panics
    ///
    /// Panics if `table` is not filled from records ([`Table::FROM_RECORDS`]).
    pub fn start(
        options: Options,
        table: Table,
        progress: Arc<ScanProgress>,
        finish: impl FnOnce(&Result<ScanSummary, Error>) + Send + 'static,
    ) -> Self {
        assert!(Table::FROM_RECORDS.contains(&table));
        let options = Options {
            layout: table_layout(table),
            if_exists: IfExists::Refuse,
            ..options
        };
        let (sender, rows) = sync_channel(WAITING_BATCHES);
        let stop = Arc::new(AtomicBool::new(false));
        let run_stop = Arc::clone(&stop);
        let run = thread::spawn(move || {
            let result =
                read_all_inputs(&options, OutputTarget::Reader(sender), &progress, &run_stop);
            finish(&result);
            result
        });
        Self {
            table,
            schema: stream_schema(table),
            rows,
            stop,
            run: Some(run),
        }
    }

    /// Returns the schema of the rows.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }
}

impl Iterator for RowStream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Ok(rows) = self.rows.recv() {
            let rows = rows.to_arrow(&self.schema);
            return Some(rows.and_then(|rows| fill_null_columns(self.table, rows)));
        }
        // An error comes once, after all rows that were read before it.
        match self.run.take()?.join() {
            Ok(Ok(_)) => None,
            Ok(Err(error)) => Some(Err(ArrowError::ExternalError(error.into()))),
            Err(_) => Some(Err(ArrowError::ComputeError(
                "a thread that reads archives panicked".to_owned(),
            ))),
        }
    }
}

impl Drop for RowStream {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Reads all inputs. A failed input is an error, because its rows would be missing silently.
fn read_all_inputs(
    options: &Options,
    target: OutputTarget,
    progress: &ScanProgress,
    stop: &Arc<AtomicBool>,
) -> Result<ScanSummary, Error> {
    let open_files = OpenFileLimits::new(open_files::count_free(), 0, options.threads)?;
    let pool = TaskPool::new(options.threads, options.layout.root())?;
    let (notices, received) = channel();
    let failure_thread = thread::spawn(move || {
        let failures = received.into_iter().filter_map(|notice| match notice {
            ScanNotice::Failed(error) => Some(error),
            ScanNotice::Fault { .. } | ScanNotice::Remote(_) => None,
        });
        // All notices are taken, so that they do not pile up.
        failures.fold(None, |first, error| first.or(Some(error)))
    });
    let mut scheduler = Scheduler::new(options, open_files, pool, progress, &notices, stop, target);
    let result = scheduler.run();
    let summary = scheduler.take_summary();
    drop(scheduler);
    drop(notices);
    result?;
    let first_failure = failure_thread
        .join()
        .expect("matching notices does not panic");
    first_failure.map_or(Ok(summary), Err)
}

//! The main job: archives in, Parquet tables out.
//!
//! Input: the inputs that `sources` has found. Output: a dataset, or the rows of one table. The package is independent of the
//! commands that read datasets.
//!
//! [`scan`] runs the main job with the defaults of the command. [`robots`] parses and evaluates
//! single robots.txt files, and [`warc`] reads archives; both are crates of their own.
//!
//! ```no_run
//! use std::path::Path;
//!
//! let summary = scan::scan(&["crawl-data/*.warc.gz"], Path::new("out.parquet"))?;
//! println!("{} captures, {} faults", summary.captures, summary.faults);
//! # Ok::<(), scan::Error>(())
//! ```
//!
//! # Stages
//!
//! Data takes one route:
//!
//! | stage | module or package | result |
//! |---|---|---|
//! | find archives | `sources` | [`Input`](sources::input::Input) |
//! | fetch archives from servers | `remote`, `objects.rs` | bytes in memory or in a file |
//! | divide inputs into parts, and large archives into slices | `plan.rs` | [`Part`] |
//! | give slices to workers, take their output in order | `scheduler.rs` | |
//! | read a slice | `sources`, `warc`, `capture` | `Capture` |
//! | parse the body, compute verdicts | `capture::analysis` | `CaptureAnalysis` |
//! | build rows | `worker.rs`, `tables` | [`TableBatches`](tables::TableBatches) |
//! | divide rows into row groups, encode and write them | `part_writer.rs`, `columns` | files of a part |
//! | commit parts | `part_writer.rs`, `dataset` | a dataset |
//! | resolve hosts | `host_tables.rs`, `hosts` | the resolved tables |
//!
//! `row_stream.rs` gives the rows of one table without files.
//!
//! Workers and encoders run on a rayon pool. One thread, that of [`run`], schedules them. It changes
//! nothing in rows but their keys, so its cost, the serial fraction of the run, is small. No worker
//! waits: it returns after about 1 MiB of bodies and is only continued if there is room for more, so
//! that memory is bounded. The scheduler waits for the disk when it writes a line of the manifest or
//! of the log, and for the reader of a [`RowStream`].
//!
//! The key of a capture contains its number in its input. A worker counts from the start of its own slice, because
//! the slice may be read before earlier slices. The scheduler adds the number of captures in earlier slices.
//!
//! Output does not depend on the number of threads: rows are written in the order of inputs and
//! records, and a slice of an archive is only accepted if it begins exactly where the slice before
//! it ended.

#[cfg(not(unix))]
compile_error!("robots-scan needs the file locks, links and folders of a Unix system");

mod host_tables;
mod objects;
mod open_part;
mod options;
mod part_writer;
mod pending_slice;
mod pipeline;
mod plan;
mod progress;
mod row_stream;
mod scheduler;
mod slice_output;
mod stats;
mod tasks;
mod worker;

pub use errors::Error;
pub use hosts::resolved::BlockedName;
pub use options::{Options, PSL_VERSION};
pub use pipeline::run;
pub use plan::{Part, plan_parts};
pub use progress::{ScanNotice, ScanPhase, ScanProgress};
pub use row_stream::{RowStream, stream_schema};
pub use sources::reader::RowNotes;
pub use stats::{MostBlockedAgents, ResumedParts, ScanSummary, WrittenParts};
pub use {robots, warc};

use dataset::OutputLayout;
use sources::input::{self, InputOptions};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use tables::Table;

/// Scans archives into a new dataset, with the defaults of the command `robots-scan`.
///
/// `archives` are files, folders and globs. For other options, use [`input::find_inputs`] and [`run`].
///
/// # Errors
///
/// Returns an error if an input or the dataset cannot be opened or written, if there are no inputs,
/// or if the dataset exists. Damaged archives are not errors: [`ScanSummary::faults`] counts them.
pub fn scan(archives: &[&str], dataset: &Path) -> Result<ScanSummary, Error> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let found = input::find_inputs(&InputOptions {
        arguments: archives.iter().map(ToString::to_string).collect(),
        threads,
        ..InputOptions::default()
    })?;
    let options = Options {
        threads,
        listed_inputs: found.listed_inputs,
        list_digest: found.list_digest,
        ..Options::new(found.inputs, OutputLayout::new(dataset, &Table::ALL, None))
    };
    let (notices, _) = channel();
    let stop = Arc::new(AtomicBool::new(false));
    run(&options, &ScanProgress::default(), &notices, &stop)
}

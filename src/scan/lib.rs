//! The library of robots-scan: WARC archives in, Parquet tables out.
//!
//! Input: archives, lists of records, or tables of bodies. Output: a dataset. The package is independent of the
//! commands that read datasets.
//!
//! [`scan`] runs the main job with the defaults of the command. [`robots`] parses and decides
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
//! | find archives | [`input`] | [`Input`](input::Input) |
//! | fetch archives from servers | `remote` | bytes in memory or in a file |
//! | divide large archives into slices, read records | [`pipeline`] | [`warc::Record`] |
//! | read URL, record and HTTP response | `capture` | `Capture` |
//! | parse the body, compute verdicts | `capture::analysis` | `CaptureAnalysis` |
//! | build rows | `dataset::tables` | [`TableBatches`](dataset::tables::TableBatches) |
//! | encode row groups, write files | `columns` | Parquet files |
//! | commit parts | `dataset` | a dataset |
//!
//! [`pipeline::run`] runs all of this. Commands that read a dataset are in the packages `keep`,
//! `history` and `answers`.
//! Command-line options are parsed in `src/cli`, which is the only user of the terminal.

#[cfg(not(unix))]
compile_error!("robots-scan needs the file locks, links and folders of a Unix system");

pub mod error;
pub mod input;
pub mod pipeline;
mod source;
pub mod table_file;
pub mod thread_pool;

pub use disk::error::Error;
pub use {robots, warc};

use dataset::OutputLayout;
use dataset::tables::Table;
use input::InputOptions;
use pipeline::{Options, ScanProgress, ScanSummary};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;

/// Scans archives into a new dataset, with the defaults of the command `robots-scan`.
///
/// `archives` are files, folders and globs. For other options, use [`input::find`] and [`pipeline::run`].
///
/// # Errors
///
/// Returns an error if an input or the dataset cannot be opened or written, if there are no inputs,
/// or if the dataset exists. Damaged archives are not errors: [`ScanSummary::faults`] counts them.
pub fn scan(archives: &[&str], dataset: &Path) -> Result<ScanSummary, Error> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let found = input::find(&InputOptions {
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
    pipeline::run(&options, &ScanProgress::default(), &notices, &stop)
}

//! `verify`: checks that a dataset is complete and consistent with its
//! manifest.
//!
//! Checked in this order: the manifest (`scanned_dataset.rs`), the inputs of its parts (`plan.rs`), the
//! folders (`folder.rs`), and the files (`file.rs`). Every file is read completely for its digest, which
//! covers all values and their encoding. Rows are not compared with each other: the readers of tables
//! return errors for rows that they cannot merge. No finding stops the verification.

mod description;
mod file;
mod finding;
mod folder;
mod joined;
mod plan;
mod progress;
mod report;
mod scanned_dataset;
mod single_file;

pub use description::check_description;
pub use file::{error_cause, one_line_message};
pub use finding::{Finding, FindingGroup, FindingKind, Findings, Remedy};
pub use folder::FolderSearch;
pub use plan::relative_path;
pub use progress::{VerifyPhase, VerifyProgress};
pub use report::VerifyReport;
pub use scanned_dataset::{ListedFile, check_files};

use dataset::{JoinedManifest, Manifest};
use errors::{Error, ErrorKind};
use process::open_files;
use process::start_thread_pool;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tables::Table;

/// The dataset or file to verify, and the number of threads.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of the dataset, or a file.
    pub root: PathBuf,
    /// The number of threads that decode files.
    pub threads: usize,
    /// The tables that are recognized in a file outside of a dataset.
    pub tables: Vec<Table>,
}

/// Checks a manifest without reading tables: its lines, its parts, and the files that each part lists.
/// Removes from `manifest` the files that do not belong to their part.
pub fn check_manifest(root: &Path, manifest: &mut Manifest) -> Findings {
    scanned_dataset::check_manifest(root, manifest)
}

/// Verifies a dataset, or a single file as far as possible without a manifest.
///
/// The dataset is not changed.
///
/// # Errors
///
/// [`ErrorKind::Read`] if the dataset does not exist or its manifest cannot be read;
/// [`DatasetErrorKind::NotADataset`](dataset::error::DatasetErrorKind::NotADataset) if the path is
/// neither a dataset nor a Parquet file, or if the dataset is being written;
/// [`ErrorKind::Threads`] if threads cannot be started;
/// [`ErrorKind::Interrupted`] if the verification was stopped.
pub fn verify(options: &Options, progress: &VerifyProgress) -> Result<VerifyReport, Error> {
    verify_with(options, progress, |root| {
        let metadata = fs::metadata(root).map_err(|error| Error::read(root, error))?;
        let manifest = JoinedManifest::read(root)?;
        match (metadata.is_dir(), &manifest) {
            (true, Some(joined)) => joined::check(root, joined, progress),
            (true, None) => scanned_dataset::check(root, progress),
            (false, _) => single_file::check(root, &options.tables, progress),
        }
    })
}

/// Runs the verification `check` on a thread pool, and adds the wall time to its report. The number of
/// threads is limited by the files that may be open.
///
/// # Errors
///
/// Those of `check`; [`ErrorKind::Threads`] if threads
/// cannot be started; [`ErrorKind::Interrupted`] if the verification was stopped.
pub fn verify_with(
    options: &Options,
    progress: &VerifyProgress,
    check: impl FnOnce(&Path) -> Result<VerifyReport, Error> + Send,
) -> Result<VerifyReport, Error> {
    let start = Instant::now();
    let threads = open_files::count_free().clamp(1, options.threads.max(1));
    let root = &options.root;
    let pool = start_thread_pool(threads, root)?;
    let mut report = pool.install(|| check(root))?;
    if progress.is_stopped() {
        return Err(Error::new(ErrorKind::Interrupted, root));
    }
    report.seconds = start.elapsed().as_secs_f64();
    Ok(report)
}

//! The options of a command that makes a history.

use std::collections::BTreeSet;
use std::path::PathBuf;

/// The inputs and the output of a history.
#[derive(Clone, Debug)]
pub struct Options {
    /// Datasets, joined folders and earlier histories.
    pub inputs: Vec<PathBuf>,
    /// The folder that is written.
    pub output: PathBuf,
    /// The memory limit of all sorters, in bytes.
    pub memory: u64,
    /// True if an existing history in `output` is replaced.
    pub overwrite: bool,
    /// True if a crawl of a later input replaces the same crawl of an earlier one. Otherwise such a crawl is an
    /// error.
    pub replaces_crawls: bool,
    /// Hosts that are left out of the history, in the form of the column `surt_host_name`.
    pub forgotten: BTreeSet<String>,
}

//! Progress and problems that a run reports to other threads.

use crate::error::Error;
use crate::tables::Fault;
use std::sync::atomic::AtomicU64;

/// The progress of a run, to be read from another thread.
#[derive(Debug, Default)]
pub struct ScanProgress {
    /// Bytes of inputs whose rows were written, each counted once.
    pub bytes: AtomicU64,
    /// Inputs read to their end.
    pub inputs: AtomicU64,
    /// Records read.
    pub records: AtomicU64,
    /// Captures found.
    pub captures: AtomicU64,
}

/// A problem that does not stop the run.
#[derive(Debug)]
pub enum ScanNotice {
    /// A part of an archive could not be read.
    Fault {
        /// The name of the archive.
        name: String,
        /// The fault.
        fault: Fault,
    },
    /// An input failed. Its part is not written.
    Failed(Error),
}

//! Progress and problems that a run reports to other threads.

use dataset::tables::Fault;
use disk::error::Error;
use remote::RemoteEvent;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

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
    /// Captures read to resolve hosts, each as often as it is read.
    pub resolved_rows: AtomicU64,
    /// The index in [`ScanPhase::ALL`].
    phase: AtomicU8,
}

/// The phases of a run, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanPhase {
    /// Reads archives.
    Archives,
    /// Resolves hosts.
    Hosts,
}

impl ScanPhase {
    const ALL: [Self; 2] = [Self::Archives, Self::Hosts];
}

impl ScanProgress {
    /// Returns the current phase.
    pub fn phase(&self) -> ScanPhase {
        ScanPhase::ALL[usize::from(self.phase.load(Ordering::Relaxed))]
    }

    pub(super) fn begin(&self, phase: ScanPhase) {
        self.phase.store(phase as u8, Ordering::Relaxed);
    }
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
    /// All requests to a server wait, or do no more.
    Remote(RemoteEvent),
}

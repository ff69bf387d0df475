//! Progress and problems that a run reports to other threads.

use super::stats::ScanStats;
use errors::Error;
use remote::RemoteEvent;
use sources::input::Input;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use tables::Fault;

/// The progress of a run, to be read from another thread.
#[derive(Debug, Default)]
pub struct ScanProgress {
    /// Bytes of inputs, each counted once: those of streams when they are read, others when their rows are written.
    pub bytes: Arc<AtomicU64>,
    /// Inputs read to their end.
    pub inputs: AtomicU64,
    /// Records read.
    pub records: AtomicU64,
    /// Captures found.
    pub captures: AtomicU64,
    /// Captures read to resolve hosts; a capture that is read twice counts twice.
    pub resolved_rows: AtomicU64,
    /// The current phase, as its index in [`ScanPhase::ALL`].
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

    pub(super) fn set_phase(&self, phase: ScanPhase) {
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
        fault: Fault,
    },
    /// An input failed. Its part is not written.
    Failed(Error),
    /// A pause of all requests to a server begins or ends.
    Remote(RemoteEvent),
}

/// Passes the progress and the notices of a run to the threads that show them.
pub(super) struct ScanReporter<'a> {
    pub(super) progress: &'a ScanProgress,
    pub(super) notices: &'a Sender<ScanNotice>,
}

impl ScanReporter<'_> {
    /// Counts the inputs of parts that an earlier run has written.
    pub(super) fn report_written_inputs(&self, inputs: &[Input]) {
        for input in inputs {
            self.finish_input(input.bytes.unwrap_or(0));
        }
    }

    /// Counts an input that was read to its end, and the bytes of it that were not counted before.
    pub(super) fn finish_input(&self, unreported_bytes: u64) {
        self.progress
            .bytes
            .fetch_add(unreported_bytes, Ordering::Relaxed);
        self.progress.inputs.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds the statistics of new output of an input to the progress, and sends its faults as notices.
    pub(super) fn report_stats(&self, input: &Input, stats: &ScanStats) {
        // The bytes of a stream are counted as it is read.
        let is_stream = input.place().is_stream();
        let counts = [
            (
                &*self.progress.bytes,
                if is_stream { 0 } else { stats.bytes },
            ),
            (&self.progress.records, stats.records),
            (&self.progress.captures, stats.captures),
        ];
        for (total, count) in counts {
            total.fetch_add(count, Ordering::Relaxed);
        }
        for fault in &stats.faults {
            self.notify(ScanNotice::Fault {
                name: input.name.clone(),
                fault: fault.clone(),
            });
        }
    }

    pub(super) fn notify(&self, notice: ScanNotice) {
        // The receiver may be gone, in which case the notice is dropped.
        let _ = self.notices.send(notice);
    }
}

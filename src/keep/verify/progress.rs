//! The progress of a verification.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

/// The phase of a verification, and its counters. Other threads may read them.
#[derive(Debug, Default)]
pub struct VerifyProgress {
    /// The flag that stops the verification once it is set.
    stop: Arc<AtomicBool>,
    /// The index of the current phase in [`VerifyPhase::ALL`].
    phase: AtomicU8,
    /// Bytes of files that have been read.
    pub bytes: AtomicU64,
    /// Bytes of all files.
    pub bytes_total: AtomicU64,
}

/// The phases of a verification, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VerifyPhase {
    /// Reads the manifest and the folders.
    Manifest,
    /// Reads the files.
    Files,
}

impl VerifyPhase {
    const ALL: [Self; 2] = [Self::Manifest, Self::Files];

    /// Returns the description for progress displays.
    pub fn name(self) -> &'static str {
        match self {
            Self::Manifest => "reading the manifest",
            Self::Files => "reading files",
        }
    }
}

impl VerifyProgress {
    /// Creates the progress of a verification that stops once `stop` is set.
    pub fn new(stop: Arc<AtomicBool>) -> Self {
        Self {
            stop,
            ..Self::default()
        }
    }

    /// Returns the flag that stops the verification once it is set.
    pub fn stop_flag(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns an error once the stop flag is set.
    pub(super) fn check_stop(&self) -> io::Result<()> {
        if self.is_stopped() {
            Err(io::Error::other("stopped"))
        } else {
            Ok(())
        }
    }

    /// Returns the current phase.
    pub fn phase(&self) -> VerifyPhase {
        let phase = usize::from(self.phase.load(Ordering::Relaxed));
        VerifyPhase::ALL
            .get(phase)
            .copied()
            .unwrap_or(VerifyPhase::Files)
    }

    pub fn begin_phase(&self, phase: VerifyPhase) {
        self.phase.store(phase as u8, Ordering::Relaxed);
    }
}

//! The progress of a match.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// A step of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchStage {
    /// Reads the URL list.
    Urls,
    /// Looks for authoritative captures.
    Captures,
    /// Reads rules and evaluates them.
    Rules,
    /// Writes the output.
    Write,
}

impl MatchStage {
    /// All stages, in order.
    pub const ALL: [Self; 4] = [Self::Urls, Self::Captures, Self::Rules, Self::Write];

    /// Returns a description of the rows that are counted in this stage, for progress displays.
    pub fn name(self) -> &'static str {
        match self {
            Self::Urls => "URLs read",
            Self::Captures => "captures looked at",
            Self::Rules => "lines of rules read",
            Self::Write => "rows written",
        }
    }
}

/// The stage of a match, and the rows processed in it. Other threads may read them.
#[derive(Debug, Default)]
pub struct MatchProgress {
    /// The index of the current stage in [`MatchStage::ALL`].
    stage: AtomicUsize,
    rows: AtomicU64,
}

impl MatchProgress {
    /// Returns the current stage and the rows processed in it.
    pub fn stage_and_rows(&self) -> (MatchStage, u64) {
        let stage = MatchStage::ALL[self.stage.load(Ordering::Relaxed)];
        (stage, self.rows.load(Ordering::Relaxed))
    }

    /// Returns the row counter, for code of other packages that counts rows.
    pub(super) fn rows(&self) -> &AtomicU64 {
        &self.rows
    }

    pub(super) fn begin_stage(&self, stage: MatchStage) {
        self.rows.store(0, Ordering::Relaxed);
        self.stage.store(stage as usize, Ordering::Relaxed);
    }

    pub(super) fn add_rows(&self, rows: u64) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }

    pub(super) fn set_rows(&self, rows: u64) {
        self.rows.store(rows, Ordering::Relaxed);
    }
}

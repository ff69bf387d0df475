//! The counts of a history in progress, and of a finished one.

use crate::own_tables;
use crate::write::manifest::{HistoryFile, HistoryManifest};
use std::sync::atomic::{AtomicBool, AtomicU64};
use tables::Table;

/// The counters of a history in progress. Other threads may read them.
#[derive(Debug, Default)]
pub struct HistoryProgress {
    /// The number of crawls read from datasets so far. Crawls of earlier histories are not counted.
    pub crawls_read: AtomicU64,
    /// The number of captures written so far.
    pub captures: AtomicU64,
    /// True once all captures are written. Policies and shares are written after them.
    pub are_captures_written: AtomicBool,
    /// The number of rows of `robots_files` read so far to resolve hosts, for crawls whose stored `hosts` cannot be
    /// used.
    pub resolved_rows: AtomicU64,
}

/// The counts of a finished history.
#[derive(Clone, Debug, Default)]
pub struct HistorySummary {
    /// The crawls, in order.
    pub crawls: Vec<String>,
    /// Crawls that were read from datasets.
    pub crawls_read: usize,
    /// Hosts with a capture.
    pub hosts: u64,
    /// Rows of `host_captures`.
    pub captures: u64,
    /// Rows of `host_periods`.
    pub periods: u64,
    /// Rows of `agent_periods`.
    pub agent_periods: u64,
    /// Rows of `policies`.
    pub policies: u64,
    /// The number of files.
    pub files: usize,
    /// The bytes of all files.
    pub bytes: u64,
    /// The wall time.
    pub seconds: f64,
}

impl HistorySummary {
    /// Returns the counts that the manifest of a history has.
    pub(crate) fn of(manifest: &HistoryManifest) -> Self {
        let rows = |table: Table| -> u64 {
            let files = manifest.table_files(table);
            files.map(|file| file.stats.rows).sum()
        };
        let files = manifest.files.iter();
        Self {
            crawls: manifest.crawls.clone(),
            captures: rows(own_tables::HOST_CAPTURES),
            periods: rows(own_tables::HOST_PERIODS),
            agent_periods: rows(own_tables::AGENT_PERIODS),
            policies: rows(own_tables::POLICIES),
            files: manifest.files.len(),
            bytes: files.map(|file: &HistoryFile| file.stats.bytes).sum(),
            ..Self::default()
        }
    }
}

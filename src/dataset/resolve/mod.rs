//! Finds the authoritative capture of an origin or a host: the capture that
//! determines its rules at a time.
//!
//! This is the only implementation of that selection. `jobs/test_hosts.py` compares it
//! with one in SQL on random datasets. The order of the steps:
//!
//! 1. `capture_rows.rs`: reads `robots_files`.
//! 2. `captures.rs`: sorts the captures that are needed by a key.
//! 3. `revisits.rs`: gives each revisit the content that it refers to.
//! 4. `key_captures.rs`: collects the captures of one key up to a time.
//! 5. `redirects.rs`: follows redirect chains.
//! 6. `candidate.rs`: selects among the candidates.
//!
//! `lookups.rs` does this for origins at given times (`match`), `host.rs` for one host
//! (`check --host`), and `hosts/` for all hosts of a dataset, whose results are the tables
//! `hosts` and `host_verdicts`.

pub mod candidate;
mod capture_rows;
mod captures;
pub mod host;
pub mod hosts;
mod key_captures;
pub mod lookups;
pub mod origin;
mod redirects;
mod revisits;

pub use candidate::{CandidateSelection, CaptureId, RulesSource};
pub use host::Host;
pub use lookups::AsOf;

use crate::Dataset;
use crate::external_sort::SortMemory;
use std::sync::atomic::AtomicU64;

/// The dataset that is read, the memory for sorting, and a counter for
/// progress displays.
#[derive(Clone, Copy)]
pub struct ResolveContext<'a> {
    pub dataset: &'a Dataset,
    pub memory: SortMemory<'a>,
    /// Rows of `robots_files` that have been read, including rows that are read
    /// again.
    pub rows_read: &'a AtomicU64,
}

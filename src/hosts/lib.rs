//! Finds the authoritative capture of an origin or a host: the capture that
//! determines its rules at a time.
//!
//! Input: the tables of a dataset. Output: authoritative captures, and the rows of the resolved tables. The package
//! is independent of the commands that read datasets.
//!
//! This is the only implementation of that selection in Rust. `tests/python/test_hosts.py` compares its results with those
//! of an implementation in SQL, on random datasets. The order of the steps:
//!
//! 1. `capture_rows.rs`: reads `robots_files`.
//! 2. `captures.rs`: sorts the needed captures by a key, which is an origin, a host or a URL.
//! 3. `revisits.rs`: finds the content of each revisit.
//! 4. `key_captures.rs`: collects the preferred captures of one key.
//! 5. `redirects.rs`: follows redirect chains.
//! 6. `candidate.rs`: selects among the candidates.
//!
//! `lookups.rs` does this for origins at given times (`match`), `host.rs` for one host
//! (`check --host`), and `resolved/` for all hosts of a dataset, whose results are the tables
//! `hosts` and `host_verdicts`.

mod as_of;
pub mod candidate;
mod capture_rows;
mod captures;
pub mod host;
mod key_captures;
pub mod lookups;
mod redirects;
pub mod resolved;
mod revisits;

pub use as_of::AsOf;
pub use candidate::{CandidateSelection, CaptureId, RedirectEnd, RulesSource};
pub use host::Host;
pub use lookups::Lookup;
pub use redirects::KeyedCandidate;

use dataset::Dataset;
use sort::SortMemory;
use std::sync::atomic::AtomicU64;

/// The dataset and the memory with which captures are resolved, and a counter for progress
/// displays.
#[derive(Clone, Copy)]
pub struct ResolveContext<'a> {
    /// The dataset that is read.
    pub dataset: &'a Dataset,
    /// Creates sorters and Bloom filters within a memory limit.
    pub memory: SortMemory<'a>,
    /// The number of rows of `robots_files` that were read. A row that is read twice counts twice.
    pub rows_read: &'a AtomicU64,
}

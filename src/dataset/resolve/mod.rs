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

pub mod as_of;
pub mod candidate;
mod capture_rows;
mod captures;
mod context;
pub mod host;
pub mod hosts;
mod key_captures;
pub mod lookups;
pub mod origin;
mod redirects;
mod revisits;
mod value_filter;

pub use as_of::AsOf;
pub use candidate::{CandidateSelection, CaptureId, RulesSource};
pub use context::ResolveContext;
pub use host::Host;

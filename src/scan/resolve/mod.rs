//! Finds the authoritative capture of an origin or a host: the capture that
//! determines its rules at a time.
//!
//! The same selection exists in SQL, as the views `revisits`, `redirects` and
//! `hosts` of `macros.sql`. If you change the selection here, also change
//! `dataset/macros.sql`. `jobs/test_resolve.py` compares the two on random datasets.
//!
//! The order of the steps:
//!
//! 1. `capture_rows.rs`: reads `robots_files`.
//! 2. `captures.rs`: sorts the captures that are needed by a key.
//! 3. `revisits.rs`: gives each revisit the content that it refers to.
//! 4. `redirects.rs`: follows redirect chains and returns the candidates of each
//!    origin and time.
//! 5. `candidate.rs`: selects the authoritative one.
//!
//! `host.rs` does this for one host, `url_match` for the origins of a URL list.

pub(crate) mod as_of;
pub(crate) mod candidate;
mod capture_rows;
mod captures;
mod context;
pub(crate) mod host;
pub(crate) mod origin;
pub(crate) mod redirects;
mod revisits;

pub(crate) use as_of::AsOf;
pub(crate) use candidate::{CandidateSelection, CaptureId, RulesSource};
pub(crate) use context::ResolveContext;
pub use host::Host;

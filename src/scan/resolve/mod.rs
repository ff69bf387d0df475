//! The capture that is authoritative for an origin or a host at a time.

pub(crate) mod candidate;
pub(crate) mod captures;
mod host;
pub(crate) mod origin;
pub(crate) mod redirects;
pub(crate) mod revisits;

pub use host::Host;
pub(crate) use host::{nearby, speaker};

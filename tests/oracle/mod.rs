//! Oracles: slow reference implementations, written from the specifications.
//!
//! They cover the three dialects, records of archives, and HTTP responses. They share no code with the
//! product except the types of answers. `docs/testing.md` lists what each oracle checks.

#[cfg(any(test, feature = "scan"))]
pub(crate) mod archive;
#[cfg(test)]
pub(crate) mod fingerprint;
pub(crate) mod leniency;
pub(crate) mod lines;
pub(crate) mod pattern;
pub(crate) mod policy;
pub(crate) mod reach;
#[cfg(any(test, feature = "scan"))]
pub(crate) mod response;
#[cfg(any(test, feature = "scan"))]
pub(crate) mod unpack;

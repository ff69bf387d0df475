//! Oracles: slow reference implementations, written from the specifications.
//!
//! They cover the three dialects, records of archives, and HTTP responses. They share no code with the
//! product except the types of answers. `docs/developers/testing.md` lists what each oracle checks.

#[cfg(feature = "scan")]
pub mod archive;
pub mod fingerprint;
pub mod leniency;
pub mod lines;
pub mod pattern;
pub mod policy;
pub mod reach;
#[cfg(feature = "scan")]
pub mod response;
#[cfg(feature = "scan")]
pub mod unpack;

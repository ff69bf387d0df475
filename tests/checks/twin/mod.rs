//! The slow, obvious twins: the rules of the three dialects, of records and of
//! responses one after the other, on owned bytes, without a thought for speed.
//! Nothing is taken from the fast ways but the types of their answers.

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

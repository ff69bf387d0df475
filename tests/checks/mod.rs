//! What must hold for any input: each check takes bytes and panics where it
//! does not.
//!
//! The fuzzers in `fuzz/` are built on this folder as their library, and the
//! tests run the same checks over the committed corpus. So nothing here knows
//! the rest of the tests, or files but temporary ones. [`twin`] has the slow, obvious ways that
//! the fast ones are held to.
//!
//! What is about archives stands behind the feature `scan`, without which the
//! fuzzers of the language do not build the pipeline.

#[cfg(any(test, feature = "scan"))]
pub mod archive;
pub mod automaton;
pub mod dialects;
#[cfg(any(test, feature = "scan"))]
pub mod http;
#[cfg(any(test, feature = "scan"))]
pub mod members;
#[cfg(any(test, feature = "scan"))]
pub(crate) mod packing;
pub mod parser;
#[cfg(any(test, feature = "scan"))]
pub(crate) mod reading;
#[cfg(any(test, feature = "scan"))]
pub mod records;
pub(crate) mod rule_set;
pub(crate) mod twin;
pub mod verdicts;

use robots::ParseOptions;

/// The whole body counts.
pub(crate) const WHOLE: ParseOptions = ParseOptions {
    body_limit: None,
    is_truncated: false,
};

/// A reading that depends on the body, so that a file of the corpus needs no
/// more than the body: any byte may move the limit to any place in it.
pub(crate) fn some_reading(body: &[u8]) -> ParseOptions {
    let sum = sum_of(body);
    ParseOptions {
        body_limit: Some(u64::from(sum >> 8) % (body.len() as u64 + 2)),
        is_truncated: sum & 1 == 1,
    }
}

/// A number that depends on all bytes (FNV-1a).
pub(crate) fn sum_of(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum, &byte| {
        (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// Bytes as a failure shows them.
pub(crate) fn shown(bytes: &[u8]) -> String {
    let cut = if bytes.len() > 2000 { " …" } else { "" };
    format!("\"{}\"{cut}", bytes[..bytes.len().min(2000)].escape_ascii())
}

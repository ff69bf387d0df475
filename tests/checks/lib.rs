//! Properties that hold for any input. Each check takes bytes and panics if a property does not hold.
//!
//! This folder is the library of the fuzzers in `fuzz/`, and the tests run the same checks on the
//! committed corpus. Hence it does not use the other tests, and no files except temporary ones. The
//! checks compare the product with the reference implementations in [`oracle`].
//!
//! Checks of archives need the feature `scan`, so that the fuzzers of the language do not build the
//! pipeline.

#[cfg(feature = "scan")]
pub mod archive;
pub mod automaton;
pub mod dialects;
#[cfg(feature = "scan")]
pub mod http;
#[cfg(feature = "scan")]
pub mod members;
pub mod oracle;
#[cfg(feature = "scan")]
pub mod packing;
pub mod parser;
pub mod random;
#[cfg(feature = "scan")]
pub mod reading;
#[cfg(feature = "scan")]
pub mod records;
pub mod rule_set;
pub mod verdicts;

use robots::ParseOptions;

/// Options with which the whole body counts.
pub const WHOLE: ParseOptions = ParseOptions {
    body_limit: None,
    is_truncated: false,
};

/// Returns options that depend only on the body, so that an input of the corpus is just a body. Any
/// byte may move the limit to any offset.
pub fn some_reading(body: &[u8]) -> ParseOptions {
    let sum = sum_of(body);
    ParseOptions {
        body_limit: Some(u64::from(sum >> 8) % (body.len() as u64 + 2)),
        is_truncated: sum & 1 == 1,
    }
}

/// Returns a hash of all bytes (FNV-1a).
pub fn sum_of(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum, &byte| {
        (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// Returns bytes as text for the message of a failure.
pub fn shown(bytes: &[u8]) -> String {
    let cut = if bytes.len() > 2000 { " …" } else { "" };
    format!("\"{}\"{cut}", bytes[..bytes.len().min(2000)].escape_ascii())
}

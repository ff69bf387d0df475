//! Thread pools.

use crate::error::SourceErrorKind;
use disk::error::Error;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::path::Path;

/// Starts a pool of `count` threads.
///
/// # Errors
///
/// [`SourceErrorKind::Threads`] if the system does not start them. The error is about `path`: the input
/// or the output of the command.
pub fn start(count: usize, path: impl AsRef<Path>) -> Result<ThreadPool, Error> {
    let pool = ThreadPoolBuilder::new().num_threads(count).build();
    // The error of `rayon` and its own cause have the same text, so only the text is kept.
    pool.map_err(|error| {
        Error::with_source(SourceErrorKind::Threads(count), path, error.to_string())
    })
}

//! Thread pools.

use errors::{Error, ErrorKind};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::path::Path;

/// Starts a pool of `count` threads.
///
/// # Errors
///
/// [`ErrorKind::Threads`] if the system does not start them. The error is about `path`: the input
/// or the output of the command.
pub fn start_thread_pool(count: usize, path: impl AsRef<Path>) -> Result<ThreadPool, Error> {
    let pool = ThreadPoolBuilder::new().num_threads(count).build();
    // The error of `rayon` and its own cause have the same text, so only the text is kept.
    pool.map_err(|error| Error::with_source(ErrorKind::Threads(count), path, error.to_string()))
}

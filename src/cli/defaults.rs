//! Defaults of options that several commands share.

use anyhow::Result;
use dataset::crawler::registry::CrawlerRegistry;
use std::path::Path;

/// Returns the registry of `--agents`, or the built-in registry.
pub(crate) fn registry(path: Option<&Path>) -> Result<CrawlerRegistry> {
    Ok(match path {
        Some(path) => CrawlerRegistry::read(path)?,
        None => CrawlerRegistry::built_in(),
    })
}

/// Returns the number of threads of `--threads`, or the number of cores.
pub(crate) fn threads(given: Option<u16>) -> usize {
    let cores = || std::thread::available_parallelism().ok().map(usize::from);
    given.map(usize::from).or_else(cores).unwrap_or(1)
}

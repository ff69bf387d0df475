//! Defaults of options that several commands share.

use crate::commands::shared_args::ThreadsArg;
use anyhow::Result;
use crawlers::CrawlerRegistry;
use std::path::Path;
use tables::Table;

/// Reads the registry that `--agents` names; without it, returns the built-in registry.
pub(crate) fn read_registry(path: Option<&Path>) -> Result<CrawlerRegistry> {
    Ok(match path {
        Some(path) => dataset::read_registry(path)?,
        None => CrawlerRegistry::built_in(),
    })
}

/// Returns all tables that the program writes.
pub(crate) fn all_tables() -> Vec<Table> {
    #[cfg(feature = "answers")]
    return answers::own_tables::all();
    #[cfg(not(feature = "answers"))]
    Table::ALL.to_vec()
}

/// Returns the value of `--threads`; without it, the number of cores.
pub(crate) fn thread_count(args: &ThreadsArg) -> usize {
    let cores = || std::thread::available_parallelism().ok().map(usize::from);
    args.threads.map(usize::from).or_else(cores).unwrap_or(1)
}

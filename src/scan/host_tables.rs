//! The end of a run: resolves the hosts of the dataset and writes the resolved tables.
//!
//! If you change the order of the steps, also check `dataset/writer.rs` and the tests in
//! `tests/faults` that kill the program between any two system calls.

use super::progress::{ScanPhase, ScanProgress};
use super::stats::{MostBlockedAgents, WrittenParts};
use super::tasks::TaskPool;
use columns::TableFileWriter;
use dataset::{CrawlEntry, Dataset, DatasetWriter, FileEntry, OutputLayout};
use errors::{Error, ErrorKind};
use hosts::ResolveContext;
use hosts::resolved::{RESOLVED_FROM, ResolvedHosts, resolve_hosts};
use sort::{SortMemory, SpillFolder};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tables::Table;

/// The memory of the sorters, in bytes.
const SORT_MEMORY_BYTES: u64 = 512 << 20;

/// Resolves all hosts, and writes the resolved tables. Adds the counts of their rows and bytes to
/// `written`. Returns the agents that the most hosts block.
///
/// # Errors
///
/// Errors of reading and writing; [`ErrorKind::Interrupted`] once `stop` is set.
pub(super) fn write_hosts(
    dataset: &mut DatasetWriter,
    tasks: &TaskPool,
    progress: &ScanProgress,
    stop: &Arc<AtomicBool>,
    written: &mut WrittenParts,
) -> Result<MostBlockedAgents, Error> {
    progress.set_phase(ScanPhase::Hosts);
    let root = dataset.root().to_owned();
    let tables = RESOLVED_FROM;
    let parts = [(root.clone(), dataset.part_locations())];
    let stored = Dataset::from_parts(&root, &parts, &tables, false)?.with_stop_flag(stop);
    let resolved = tasks.install(|| resolve_dataset(&stored, dataset, progress, stop));
    let ResolvedHosts { files, ranking } = resolved.map_err(|error| match error.kind() {
        Some(ErrorKind::Abandoned) => Error::new(ErrorKind::Interrupted, &root),
        _ => error,
    })?;
    let crawls = stored.crawls();
    let path = |table: Table, crawl: u32| OutputLayout::crawl_path(table, &crawls[crawl as usize]);
    let paths = files.iter().map(|file| path(file.table, file.crawl));
    let paths: Vec<String> = paths
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    dataset.announce(&paths)?;
    let new = crawls.iter().map(|crawl| CrawlEntry {
        crawl: crawl.clone(),
        files: Vec::new(),
    });
    let mut entries: Vec<CrawlEntry> = new.collect();
    for file in files {
        let finished = file.file.commit()?;
        let rows = written.rows.entry(file.table.name().to_owned());
        *rows.or_default() += finished.rows;
        written.bytes += finished.bytes;
        let entry = &mut entries[file.crawl as usize];
        entry.files.push(FileEntry::new(file.table, finished));
    }
    dataset.add_crawls(entries)?;
    Ok(MostBlockedAgents {
        crawl: crawls.last().filter(|_| crawls.len() > 1).cloned(),
        hosts: ranking.hosts,
        agents: ranking.names,
    })
}

fn resolve_dataset(
    stored: &Dataset,
    dataset: &DatasetWriter,
    progress: &ScanProgress,
    stop: &Arc<AtomicBool>,
) -> Result<ResolvedHosts, Error> {
    let spill_folder =
        SpillFolder::create(&dataset.temp_folder().sort_folder_path(), Arc::clone(stop))?;
    let context = ResolveContext {
        dataset: stored,
        memory: SortMemory::new(&spill_folder, SORT_MEMORY_BYTES),
        rows_read: &progress.resolved_rows,
    };
    let create = |table: Table, crawl: u32| {
        let path = OutputLayout::crawl_path(table, &stored.crawls()[crawl as usize]);
        let new = dataset.temp_folder().new_file(Path::new(&path), false)?;
        TableFileWriter::create(table.file_schema(&[]), new)
    };
    let last = (stored.crawls().len() as u32).saturating_sub(1);
    resolve_hosts(&context, 0..=last, &create)
}

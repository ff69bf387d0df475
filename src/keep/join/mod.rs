//! `join`: combines the datasets in the subfolders of a folder into one.
//!
//! No file is moved. `members.rs` finds the datasets and checks that they fit together. The hosts of all
//! datasets are resolved, and `joined_writer.rs` writes them into `_joined/` (see `dataset/joined.rs`). A
//! crawl is resolved again only if its files, or those of an earlier crawl, have changed.

mod joined_writer;
mod members;

use columns::TableFileWriter;
use dataset::error::DatasetErrorKind;
use dataset::{Dataset, OutputLayout, write_joined_views};
use errors::{Error, ErrorKind};
use hosts::ResolveContext;
use hosts::resolved::{RESOLVED_FROM, ResolvedHosts, resolve_hosts};
use joined_writer::JoinedWriter;
use members::Members;
use scan::MostBlockedAgents;
use sort::{MIN_MEMORY_BYTES, SortMemory, SpillFolder};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Instant;
use tables::Table;

/// The progress of a running join. Other threads may read it.
#[derive(Debug, Default)]
pub struct JoinProgress {
    /// Captures read to resolve hosts. A capture that is read twice counts twice.
    pub resolved_rows: AtomicU64,
}

/// The datasets, crawls and tables of a finished join, and the counts of what was written.
#[derive(Clone, Debug, Default)]
pub struct JoinSummary {
    /// The names of the folders of the datasets.
    pub members: Vec<String>,
    /// The crawls, in the order of their times.
    pub crawls: Vec<String>,
    /// The tables that `views.sql` has views of.
    pub tables: Vec<Table>,
    /// The number of crawls, from the first on, that an earlier join had resolved.
    pub kept_crawls: usize,
    /// Rows written to the resolved tables, such as `hosts`.
    pub rows: u64,
    /// Bytes of the files of these rows.
    pub bytes: u64,
    /// The crawlers that most hosts of the last crawl block; `None` if no crawl was resolved.
    pub most_blocked: Option<MostBlockedAgents>,
    /// The wall time.
    pub seconds: f64,
}

/// A join whose datasets have been checked.
pub struct PreparedJoin<'f> {
    folder: &'f Path,
    members: Members,
    memory: u64,
}

/// Finds the datasets in the subfolders of `folder`, and checks that they can be joined. Nothing is
/// written. Sorters will hold about `memory` bytes. If `is_mixed`, the datasets may differ in the
/// meaning of rows ([`tables::MEANING`]), the registry of crawlers and the Public Suffix List.
///
/// # Errors
///
/// [`DatasetErrorKind::MemoryTooSmall`]; [`DatasetErrorKind::Unjoinable`] if the datasets do not fit together;
/// errors of reading.
pub fn prepare(folder: &Path, memory: u64, is_mixed: bool) -> Result<PreparedJoin<'_>, Error> {
    if memory < MIN_MEMORY_BYTES {
        let least = MIN_MEMORY_BYTES;
        return Err(Error::new(
            DatasetErrorKind::MemoryTooSmall { least },
            folder,
        ));
    }
    Ok(PreparedJoin {
        folder,
        members: Members::find(folder, is_mixed)?,
        memory,
    })
}

impl PreparedJoin<'_> {
    /// Joins the datasets.
    ///
    /// # Errors
    ///
    /// [`DatasetErrorKind::Unjoinable`] if `views.sql` cannot be replaced, [`ErrorKind::Busy`], errors of
    /// reading and writing; [`ErrorKind::Abandoned`] once `stop` is set.
    pub fn run(
        self,
        progress: &JoinProgress,
        stop: &Arc<AtomicBool>,
    ) -> Result<JoinSummary, Error> {
        let Self {
            folder,
            members,
            memory,
        } = self;
        join(folder, &members, memory, progress, stop)
    }
}

fn join(
    folder: &Path,
    members: &Members,
    memory: u64,
    progress: &JoinProgress,
    stop: &Arc<AtomicBool>,
) -> Result<JoinSummary, Error> {
    let start = Instant::now();
    let dataset = members.open_dataset(folder, &RESOLVED_FROM)?;
    let dataset = dataset.with_stop_flag(stop);
    let source_digests = members.source_digests(dataset.crawls());
    let mut writer = JoinedWriter::open(folder, members.manifest(), &source_digests)?;
    let kept_crawls = writer.kept_crawls();
    let crawls = dataset.crawls();
    let mut summary = JoinSummary {
        members: members.manifest().member_names(),
        crawls: crawls.to_vec(),
        tables: members.manifest().view_tables(true),
        kept_crawls,
        ..JoinSummary::default()
    };
    if kept_crawls < crawls.len() || writer.has_stale_files() {
        write_joined_views(folder, members.manifest(), false)?;
        writer.remove_stale_files()?;
    }
    if kept_crawls < crawls.len() {
        let resolved = resolve(&dataset, &writer, kept_crawls, memory, progress, stop);
        let ResolvedHosts { files, ranking } = resolved.map_err(|error| match error.kind() {
            // The error of a stopped sorter has the path of a temporary folder.
            Some(ErrorKind::Abandoned) => Error::new(ErrorKind::Abandoned, folder),
            _ => error,
        })?;
        let written = writer.commit_files(files, crawls, &source_digests)?;
        summary.rows = written.rows;
        summary.bytes = written.bytes;
        summary.most_blocked = Some(MostBlockedAgents {
            crawl: crawls.last().filter(|_| crawls.len() > 1).cloned(),
            hosts: ranking.hosts,
            agents: ranking.names,
        });
    }
    write_joined_views(folder, members.manifest(), true)?;
    writer.finish()?;
    summary.seconds = start.elapsed().as_secs_f64();
    Ok(summary)
}

/// Resolves the hosts of all crawls except the first `kept_crawls` ones.
fn resolve(
    dataset: &Dataset,
    writer: &JoinedWriter,
    kept_crawls: usize,
    memory: u64,
    progress: &JoinProgress,
    stop: &Arc<AtomicBool>,
) -> Result<ResolvedHosts, Error> {
    let spill_folder =
        SpillFolder::create(&writer.temp_folder().sort_folder_path(), Arc::clone(stop))?;
    let context = ResolveContext {
        dataset,
        memory: SortMemory::new(&spill_folder, memory),
        rows_read: &progress.resolved_rows,
    };
    let create = |table: Table, crawl: u32| {
        let path = OutputLayout::crawl_path(table, &dataset.crawls()[crawl as usize]);
        let new = writer.temp_folder().new_file(&path, false)?;
        TableFileWriter::create(table.file_schema(&[]), new)
    };
    let last = dataset.crawls().len() as u32 - 1;
    resolve_hosts(&context, kept_crawls as u32..=last, &create)
}

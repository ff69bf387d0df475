//! The steps of a run.

use crate::host_tables;
use crate::options::Options;
use crate::part_writer::OutputTarget;
use crate::plan::{Part, plan_parts};
use crate::progress::{ScanNotice, ScanProgress};
use crate::scheduler::Scheduler;
use crate::stats::ScanSummary;
use crate::tasks::TaskPool;
use columns::WrittenFile;
use crawlers::CrawlerRegistry;
use dataset::error::{DatasetErrorKind, InputIdentity};
use dataset::{AGENTS_PATH, DatasetWriter, LockedDataset, PlannedPart};
use disk::ObjectIdentity;
use disk::SingleFile;
use errors::{Error, ErrorKind};
use process::open_files::{self, OpenFileLimits};
use remote::error::RemoteErrorKind;
use serde_json::json;
use sources::InputPlace;
use sources::input::Input;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Sender;
use std::time::Instant;
use tables::{Table, agents_rows};

/// The most objects of finished parts that are checked for changes before a run is resumed. If there
/// are more, evenly spaced ones are checked: requests for all would take as long as reading all again.
const MAX_CHECKED_OBJECTS: usize = 256;

/// Runs the main job.
///
/// # Errors
///
/// Returns the errors of [`OutputLayout::check`](dataset::OutputLayout::check) before
/// anything is written, errors of writing, and
/// [`Interrupted`](errors::ErrorKind::Interrupted) once `stop` is set. An input that fails is
/// not an error of the run: it is reported as a [`ScanNotice`] and counted in
/// [`ScanSummary::failed_inputs`].
pub fn run(
    options: &Options,
    progress: &ScanProgress,
    notices: &Sender<ScanNotice>,
    stop: &Arc<AtomicBool>,
) -> Result<ScanSummary, Error> {
    let is_remote = |input: &&Input| input.place().url().is_some();
    if let (Some(input), None) = (options.inputs.iter().find(is_remote), &options.remote) {
        return Err(Error::new(RemoteErrorKind::NoRemote, &input.name));
    }
    let began = Instant::now();
    let tables = options.layout.tables().len();
    let open_files = OpenFileLimits::new(open_files::count_free(), tables, options.threads)?;
    // The pool is started first, so that threads that cannot start are an error before anything is written.
    let pool = TaskPool::new(options.threads, options.layout.root())?;
    let mut options = options.clone();
    let (target, agents_file) = if options.layout.is_single_file() {
        (OutputTarget::File(open_single_file(&options)?), None)
    } else {
        // Outside of this pool, rayon would use its global pool, whose threads a forked process does not have.
        let (dataset, agents_file) = pool.0.install(|| open_dataset(&mut options, stop))?;
        (OutputTarget::Dataset(Box::new(dataset)), agents_file)
    };
    for input in &options.inputs {
        if let InputPlace::Stream(stream) = input.place() {
            stream.count_bytes(&progress.bytes);
        }
    }
    let mut scheduler = Scheduler::new(&options, open_files, pool, progress, notices, stop, target);
    let result = scheduler.run();
    let mut summary = scheduler.take_summary();
    summary.requests = options
        .remote
        .as_ref()
        .map_or(0, |remote| remote.request_count());
    if let Some(agents_file) = agents_file {
        let name = Table::AGENTS.name().to_owned();
        summary.written.rows.insert(name, agents_file.rows);
        summary.written.bytes += agents_file.bytes;
    }
    let tasks = scheduler.tasks();
    let OutputTarget::Dataset(dataset) = scheduler.target() else {
        summary.seconds = began.elapsed().as_secs_f64();
        return result.map(|()| summary);
    };
    let needs_hosts = options.layout.has_resolved_tables() && dataset.crawls().is_empty();
    let result = result.and_then(|()| {
        dataset::combine_parts(dataset, &options.layout, stop)?;
        if needs_hosts && summary.failed_inputs == 0 {
            let written = &mut summary.written;
            let most_blocked = host_tables::write_hosts(dataset, &tasks, progress, stop, written)?;
            summary.most_blocked = Some(most_blocked);
        }
        Ok(())
    });
    if summary.most_blocked.is_none() {
        let files = dataset.crawls().iter().flat_map(|crawl| &crawl.files);
        summary.resumed.rows += files.map(|file| file.stats.rows).sum::<u64>();
    }
    summary.seconds = began.elapsed().as_secs_f64();
    let event = if result.is_ok() { "end" } else { "stop" };
    dataset.add_log_line(&json!({
        "event": event, "seconds": summary.seconds, "bytes": summary.bytes, "records": summary.records,
        "captures": summary.captures, "faults": summary.faults, "failed_inputs": summary.failed_inputs,
        "requests": summary.requests,
    }));
    result?;
    if summary.failed_inputs == 0 {
        if options.layout.has_resolved_tables() {
            dataset.write_views(options.layout.tables())?;
        }
        dataset.finish()?;
    }
    Ok(summary)
}

/// Locks the single output file, and checks that it may be written.
fn open_single_file(options: &Options) -> Result<SingleFile, Error> {
    let layout = &options.layout;
    layout.check(options.if_exists)?;
    let file = SingleFile::open(layout.root())?;
    // Another run may have written the file before this one locked it.
    layout.check(options.if_exists)?;
    Ok(file)
}

/// Opens the dataset and writes everything that does not come from archives.
///
/// If a run is resumed, the inputs get the sizes that they had when it began, because the division
/// into parts depends on them.
fn open_dataset(
    options: &mut Options,
    stop: &AtomicBool,
) -> Result<(DatasetWriter, Option<WrittenFile>), Error> {
    let layout = &options.layout;
    let header = options.manifest_header();
    let locked = LockedDataset::open(layout, options.if_exists, &header)?;
    let former_sizes = locked.resumed_input_sizes().into_iter().flatten();
    for (input, bytes) in options.inputs.iter_mut().zip(former_sizes) {
        input.bytes = bytes;
    }
    let planned_part = |part: Part| {
        let first = &options.inputs[part.inputs.start];
        PlannedPart {
            number: part.number,
            crawl: first.crawl.clone(),
            subset: first.subset.clone(),
            inputs: part.inputs,
        }
    };
    let parts = plan_parts(&options.inputs, options.part_size);
    let parts: Vec<PlannedPart> = parts.into_iter().map(planned_part).collect();
    if locked.resumed_part_count() < parts.len() {
        check_objects_unchanged(options, locked.resumed_objects(), stop)?;
    }
    let mut dataset = locked.begin(options.manifest_header(), &parts, options.threads)?;
    let mut agents_file = None;
    if layout.tables().contains(&Table::AGENTS) {
        let file = write_agents(&options.registry, &dataset)?;
        dataset.add_agents(file.clone())?;
        agents_file = Some(file);
    }
    let tables = layout.tables().iter().copied();
    let tables: Vec<Table> = tables.filter(|table| !table.is_per_crawl()).collect();
    dataset.write_views(&tables)?;
    Ok((dataset, agents_file))
}

/// Checks that objects from which finished parts were read have not changed since, as far as their
/// servers state it.
///
/// # Errors
///
/// [`DatasetErrorKind::ResumeDiffers`], [`ErrorKind::Interrupted`].
fn check_objects_unchanged(
    options: &Options,
    former_objects: Vec<(usize, ObjectIdentity)>,
    stop: &AtomicBool,
) -> Result<(), Error> {
    let Some(remote) = &options.remote else {
        return Ok(());
    };
    let step = former_objects.len().div_ceil(MAX_CHECKED_OBJECTS).max(1);
    let (mut checked, mut urls) = (Vec::new(), Vec::new());
    for (index, before) in former_objects.into_iter().step_by(step) {
        if let Some(input) = options.inputs.get(index)
            && let Some(url) = input.place().url()
        {
            checked.push((input, before));
            urls.push(url.clone());
        }
    }
    let root = options.layout.root();
    let found = remote.fetch_identities(urls, stop);
    let found = found.ok_or_else(|| Error::new(ErrorKind::Interrupted, root))?;
    for ((input, before), now) in checked.iter().zip(found) {
        if let Some(now) = now.filter(|now| before.is_different_from(now)) {
            let identity = |object: &ObjectIdentity| InputIdentity {
                name: input.name.clone(),
                bytes: Some(object.bytes),
                version: object.version().map(Into::into),
            };
            // This run is not finished: for a finished run, objects are not checked.
            let kind = DatasetErrorKind::ResumeDiffers {
                difference: identity(before).difference_from(&identity(&now)),
                is_finished: false,
            };
            return Err(Error::new(kind, root));
        }
    }
    Ok(())
}

/// Writes the table `agents`, which is one file for the whole dataset.
fn write_agents(registry: &CrawlerRegistry, dataset: &DatasetWriter) -> Result<WrittenFile, Error> {
    let new = dataset
        .temp_folder()
        .new_file(Path::new(AGENTS_PATH), true)?;
    let schema = Table::AGENTS.file_schema(&[]);
    let rows = agents_rows(&registry.crawlers);
    columns::write_table(schema, rows, new)
}

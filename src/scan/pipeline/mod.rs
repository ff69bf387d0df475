//! The main job: inputs in, dataset out.
//!
//! Inputs are cut into items, which workers on a rayon pool read; row groups
//! are encoded on the same pool. One loop gives out work and takes results in
//! order. Nothing blocks: a worker that has enough hands over what it has and
//! rests until it is its turn, so memory is bounded and no thread waits for
//! another.

mod coverage;
mod fault;
mod plan;
mod scheduler;
mod state;
mod target;
mod worker;

pub use plan::{Part, plan_parts};

use crate::crawler::registry::CrawlerRegistry;
use crate::dataset::{
    AGENTS, DatasetWriter, IfExists, LockedDataset, ManifestHeader, OutputLayout, PlannedPart,
};
use crate::disk::SingleFile;
use crate::disk::open_files::{self, OpenFiles};
use crate::error::Error;
use crate::input::Input;
use crate::parquet_writer;
use crate::tables::{Fault, Table, agents_rows};
use scheduler::Job;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::Sender;
use std::time::Instant;
use target::Target;

/// The Public Suffix List that host columns come from: the crate `psl`.
pub const PSL_VERSION: &str = "psl 2.1.247";

/// What a run does.
#[derive(Clone, Debug)]
pub struct Options {
    /// The archives.
    pub inputs: Vec<Input>,
    /// Where the rows go.
    pub destination: OutputLayout,
    /// What may become of an output that exists.
    pub existing: IfExists,
    /// Threads that read and encode.
    pub threads: usize,
    /// Bytes of a body within which a line must end to count.
    pub body_limit: Option<u64>,
    /// Bytes of a decoded body that are read at most.
    pub max_body_bytes: usize,
    /// Whether bodies are stored.
    pub with_bodies: bool,
    /// Whether digests of captures are compared even where a checksum guards the bytes.
    pub verify_digests: bool,
    /// The crawlers.
    pub registry: CrawlerRegistry,
    /// Bytes of inputs that make a part.
    pub part_bytes: u64,
    /// The shard, from 1, and how many there are.
    pub shard: Option<(usize, usize)>,
}

/// How far a run is, to be looked at from another thread.
#[derive(Debug, Default)]
pub struct ScanProgress {
    /// Bytes of the inputs that are in the output, each counted once.
    pub bytes: AtomicU64,
    /// Inputs read to their end.
    pub inputs: AtomicU64,
    /// Records read.
    pub records: AtomicU64,
    /// Captures found.
    pub captures: AtomicU64,
}

/// What is told while a run goes on.
#[derive(Debug)]
pub enum ScanNotice {
    /// A place of an archive could not be read.
    Fault {
        /// The archive.
        name: String,
        /// The place.
        fault: Fault,
    },
    /// An input failed; its part is left unfinished.
    Failed(Error),
}

/// What a run came to.
#[derive(Clone, Debug, Default)]
pub struct ScanSummary {
    /// Inputs that were read.
    pub inputs: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Records of every type.
    pub records: u64,
    /// Records by type.
    pub records_by_type: BTreeMap<String, u64>,
    /// Captures.
    pub captures: u64,
    /// Captures by status; `None` where it is missing.
    pub captures_by_status: BTreeMap<Option<u16>, u64>,
    /// The names that most captures name and disallow all to, most first.
    pub most_blocked: Vec<(String, u64)>,
    /// Places that could not be read.
    pub faults: u64,
    /// Such places in parts that were whole before.
    pub resumed_faults: u64,
    /// Inputs that failed.
    pub failed_inputs: u64,
    /// Parts that were whole before.
    pub resumed_parts: u64,
    /// Rows of these parts, in all tables.
    pub resumed_rows: u64,
    /// Parts that this run finished.
    pub parts: u64,
    /// Rows of each table that this run wrote.
    pub rows: BTreeMap<String, u64>,
    /// Bytes that this run wrote.
    pub bytes_written: u64,
    /// Seconds it took.
    pub seconds: f64,
}

impl ScanSummary {
    /// Returns true if all parts were whole before.
    pub fn is_nothing_to_do(&self) -> bool {
        self.resumed_parts > 0 && self.parts == 0 && self.inputs == 0 && self.failed_inputs == 0
    }
}

impl Options {
    /// The options that change rows, as the tables and the manifest have them.
    pub fn row_options(&self) -> Value {
        json!({
            "body_limit": self.body_limit,
            "max_body_bytes": self.max_body_bytes,
            "with_bodies": self.with_bodies,
            "verify_digests": self.verify_digests,
        })
    }

    fn plan(&self) -> ManifestHeader {
        let tables: Vec<&str> = self
            .destination
            .tables()
            .iter()
            .map(|table| table.name())
            .collect();
        ManifestHeader {
            options: json!({
                "rows": self.row_options(),
                "tables": tables,
                "part_bytes": self.part_bytes,
                "shard": self.shard.map(|(index, count)| format!("{index}/{count}")),
                "agents": self.registry.sha1,
                "psl": PSL_VERSION,
                "crawls": crawls(&self.inputs),
            }),
            inputs: self
                .inputs
                .iter()
                .map(|input| (input.name.clone(), input.bytes))
                .collect(),
        }
    }

    pub(crate) fn limits(&self) -> warc::Limits {
        let usual = warc::Limits::default();
        // A block holds headers beside its body, and perhaps a coded body.
        warc::Limits {
            max_block_bytes: usual.max_block_bytes.max(self.max_body_bytes + (4 << 20)),
            ..usual
        }
    }
}

/// The crawls and subsets of inputs, in order, each where it begins.
fn crawls(inputs: &[Input]) -> Vec<String> {
    let mut crawls: Vec<String> = inputs
        .iter()
        .map(|input| format!("{}/{}", input.crawl, input.subset))
        .collect();
    crawls.dedup();
    crawls
}

/// Runs the main job.
///
/// # Errors
///
/// Those of [`OutputLayout::check`] before anything is written; writing errors;
/// [`Interrupted`](crate::error::ErrorKind::Interrupted) once `stop` is set. An input that fails is told
/// as a [`ScanNotice`], and counted in [`ScanSummary::failed_inputs`].
pub fn run(
    options: &Options,
    progress: &ScanProgress,
    notices: &Sender<ScanNotice>,
    stop: &Arc<AtomicBool>,
) -> Result<ScanSummary, Error> {
    let began = Instant::now();
    let tables = options.destination.tables().len();
    let open_files = OpenFiles::new(open_files::free(), tables, options.threads)?;
    let destination = &options.destination;
    let (mut options, mut agents) = (options.clone(), None);
    let target = match destination.is_single_file() {
        true => {
            destination.check(options.existing)?;
            let file = SingleFile::open(destination.root())?;
            // Another run may have written it meanwhile.
            destination.check(options.existing)?;
            Target::File(file)
        }
        false => {
            let (dataset, finished) = open_dataset(&mut options)?;
            agents = finished;
            Target::Dataset(Box::new(dataset))
        }
    };
    let mut job = Job::new(&options, open_files, progress, notices, stop, target)?;
    let result = job.run();
    let mut summary = job.summary();
    if let Some(agents) = agents {
        let name = Table::Agents.name().to_owned();
        summary.rows.insert(name, agents.rows);
        summary.bytes_written += agents.bytes;
    }
    summary.seconds = began.elapsed().as_secs_f64();
    let Target::Dataset(dataset) = &mut job.target else {
        return result.map(|()| summary);
    };
    let event = if result.is_ok() { "end" } else { "stop" };
    dataset.log(&json!({
        "event": event, "seconds": summary.seconds, "bytes": summary.bytes, "records": summary.records,
        "captures": summary.captures, "faults": summary.faults, "failed_inputs": summary.failed_inputs,
    }));
    result?;
    if summary.failed_inputs == 0 {
        dataset.finish()?;
    }
    Ok(summary)
}

/// Returns the ten names that were counted most often, `*` left out.
fn most_blocked(counts: HashMap<String, u64>) -> Vec<(String, u64)> {
    let names = counts.into_iter().filter(|(name, _)| name != "*");
    let mut names: Vec<(String, u64)> = names.collect();
    names.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    names.truncate(10);
    names
}

/// Opens the dataset, and writes what does not come from archives. Inputs get
/// the sizes that they had when the run began that is continued: parts are cut
/// by these.
fn open_dataset(
    options: &mut Options,
) -> Result<(DatasetWriter, Option<parquet_writer::WrittenFile>), Error> {
    let destination = &options.destination;
    let plan = options.plan();
    let locked = LockedDataset::open(destination, options.existing, &plan)?;
    let begun = locked.begun_sizes().into_iter().flatten();
    for (input, bytes) in options.inputs.iter_mut().zip(begun) {
        input.bytes = bytes;
    }
    let planned = |part: Part| {
        let first = &options.inputs[part.inputs.start];
        PlannedPart {
            number: part.number,
            crawl: first.crawl.clone(),
            subset: first.subset.clone(),
            inputs: part.inputs,
        }
    };
    let parts = plan_parts(&options.inputs, options.part_bytes);
    let parts: Vec<PlannedPart> = parts.into_iter().map(planned).collect();
    let dataset = locked.begin(options.plan(), &parts, options.threads)?;
    let mut agents = None;
    if destination.tables().contains(&Table::Agents) {
        let new = dataset.temp().new_file(Path::new(AGENTS), true)?;
        let schema = Table::Agents.file_schema(&[]);
        let rows = agents_rows(&options.registry.crawlers);
        agents = Some(parquet_writer::write_table(schema, rows, new)?);
    }
    dataset.write_views(destination.tables())?;
    Ok((dataset, agents))
}

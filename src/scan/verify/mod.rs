//! A dataset reads itself back: is it whole, and true to its manifest?
//!
//! manifest → plan → folders → files → parts → keys. Every file is read whole,
//! for its digest and then for its pages; after that the columns are read by
//! which tables are compared. What is wrong stops nothing. Memory: 8 bytes for
//! each capture, as keys are unique within a crawl, 16 more for those of the
//! parts that are just compared, and the batches of each thread.

mod captures;
mod file;
mod finding;
mod folder;
mod lines;
mod part;
mod plan;
mod registry;
mod rows;
mod single;

pub use finding::{Finding, Findings, Kind, Remedy};

use crate::dataset::{AGENTS, LOG, LogEntries, MANIFEST, Manifest, PartEntry};
use crate::disk;
use crate::disk::open_files;
use crate::error::{DatasetDefect, Error, ErrorKind, ManifestDefect};
use crate::tables::Table;
use arrow_schema::SchemaRef;
use file::{Seen, Wanted};
use folder::Search;
use part::{Checked, Sound};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Instant;

/// What is verified, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The dataset's folder, or a file.
    pub root: PathBuf,
    /// Threads that read.
    pub threads: usize,
}

/// How far it is, to be looked at from another thread.
#[derive(Debug, Default)]
pub struct Progress {
    phase: AtomicU8,
    /// Bytes of files read.
    pub bytes: AtomicU64,
    /// Bytes of files that there are.
    pub total: AtomicU64,
    /// Parts whose tables were compared.
    pub parts: AtomicU64,
    /// Parts that there are.
    pub all_parts: AtomicU64,
}

/// The phases of verifying, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// The manifest and the folders are read.
    Manifest,
    /// The files are read.
    Files,
    /// The tables of each part are compared.
    Parts,
    /// The keys of all parts are compared.
    Keys,
}

impl Phase {
    const ALL: [Self; 4] = [Self::Manifest, Self::Files, Self::Parts, Self::Keys];

    /// What is done in it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Manifest => "reading the manifest",
            Self::Files => "reading files",
            Self::Parts => "comparing tables",
            Self::Keys => "comparing keys",
        }
    }
}

impl Progress {
    /// The phase that it is in.
    pub fn phase(&self) -> Phase {
        let phase = usize::from(self.phase.load(Ordering::Relaxed));
        Phase::ALL.get(phase).copied().unwrap_or(Phase::Keys)
    }

    fn begin(&self, phase: Phase) {
        self.phase.store(phase as u8, Ordering::Relaxed);
    }
}

/// What a dataset is.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What is wrong.
    pub findings: Findings,
    /// What is no fault, but should be known.
    pub notes: Vec<String>,
    /// What could not be checked, and for want of what.
    pub unchecked: Vec<String>,
    /// Whether it is a file, not a dataset.
    pub is_single_file: bool,
    /// Parts whose lines the manifest has.
    pub parts: u64,
    /// Files that were decoded without a fault.
    pub sound_files: u64,
    /// Files that there should be.
    pub files: u64,
    /// Rows of the sound ones.
    pub rows: u64,
    /// Captures whose keys were compared.
    pub captures: u64,
    /// Bytes of all files that were looked at.
    pub bytes: u64,
    /// Seconds it took.
    pub seconds: f64,
}

impl Report {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.findings.count() == 0
    }

    fn count(&mut self, seen: Seen) {
        self.files += 1;
        self.bytes += seen.bytes;
        if seen.is_sound {
            self.sound_files += 1;
            self.rows += seen.rows;
        }
    }
}

/// Verifies a dataset, or a single file as far as that goes.
///
/// It writes nothing into the dataset. The registry that is built in is written
/// to the place for temporary files, as a file to compare with.
///
/// # Errors
///
/// [`ErrorKind::Read`] if there is nothing or its manifest cannot be read,
/// [`ErrorKind::NotADataset`] if it is none, or is just being written,
/// [`ErrorKind::Threads`] if threads cannot be started.
pub fn verify(options: &Options, progress: &Progress) -> Result<Report, Error> {
    let began = Instant::now();
    // A thread compares the tables of a part, each in a file of its own.
    let files_per_thread = Table::ALL.len() + 1;
    let threads = (open_files::free() / files_per_thread).clamp(1, options.threads.max(1));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| {
            Error::with_source(ErrorKind::Threads(options.threads), &options.root, error)
        })?;
    let root = &options.root;
    let metadata = fs::metadata(root).map_err(|error| Error::read(root, error))?;
    let mut report = match metadata.is_dir() {
        true => pool.install(|| dataset(root, progress))?,
        false => pool.install(|| single::check(root, progress))?,
    };
    report.seconds = began.elapsed().as_secs_f64();
    Ok(report)
}

fn dataset(root: &Path, progress: &Progress) -> Result<Report, Error> {
    let refuse = |defect| Error::new(ErrorKind::NotADataset(defect), root);
    let path = root.join(MANIFEST);
    let kind = disk::kind(&path).map_err(|error| Error::read(&path, error))?;
    if kind.is_none() {
        return Err(refuse(DatasetDefect::NoManifest { name: MANIFEST }));
    }
    // While it is held no run can begin to write.
    let lock = disk::open(&root.join(LOG));
    if let Ok(log) = &lock
        && matches!(log.try_lock_shared(), Err(TryLockError::WouldBlock))
    {
        return Err(refuse(DatasetDefect::IsBeingWritten));
    }
    let text = disk::read(&path).map_err(|error| Error::read(&path, error))?;
    let mut report = Report::default();
    let findings = &mut report.findings;
    let mut manifest = Manifest::read(&text);
    tell(std::mem::take(&mut manifest.problems), findings);
    if manifest.is_of_other_format {
        let why = "anything else: the manifest is of another format";
        report.unchecked.push(why.to_owned());
        return Ok(report);
    }
    let ours = env!("CARGO_PKG_VERSION");
    if let Some(other) = manifest.version.as_ref().filter(|it| *it != ours) {
        let note = format!("it was made by robots-scan {other}; this is {ours}");
        report.notes.push(note);
    }
    let whole = plan::check(root, &manifest, findings);
    // Files that a malformed part lists are not reported as foreign.
    let listed = manifest.parts.iter().flat_map(|part| &part.files);
    let mut known: BTreeSet<String> = listed.map(|file| file.path.clone()).collect();
    known.extend(manifest.stale.iter().cloned());
    manifest.check_files();
    tell(std::mem::take(&mut manifest.problems), findings);
    let settings = manifest.settings.as_ref();
    let has_agents = settings.is_some_and(|it| it.tables.contains(&Table::Agents));
    if has_agents || settings.is_none() {
        known.insert(AGENTS.to_owned());
    }
    let mut search = Search {
        root,
        known,
        shard: settings.and_then(|it| it.shard).map(|(index, _)| index),
        temp_folders: LogEntries::read(root)
            .ok()
            .flatten()
            .unwrap_or_default()
            .temp_folders,
        findings,
    };
    search.run();
    findings.doubt_foreign();
    report.unchecked = unchecked(&manifest, whole);
    let bytes = manifest.parts.iter().flat_map(|part| &part.files);
    let bytes = bytes
        .map(|file| file.stats.bytes)
        .fold(0, u64::saturating_add);
    let agents = disk::size_below(root, Path::new(AGENTS)).unwrap_or(0);
    let total = bytes.saturating_add(agents);
    progress.total.store(total, Ordering::Relaxed);
    let count = manifest.parts.len() as u64;
    progress.all_parts.store(count, Ordering::Relaxed);
    progress.begin(Phase::Files);
    if has_agents {
        let seen = registry::check(root, &manifest, progress, &mut report);
        report.count(seen);
    }
    let files = files(root, &manifest, progress, &mut report);
    parts(&manifest, &files, progress, &mut report);
    drop(lock);
    Ok(report)
}

/// Reports what is wrong with a manifest.
fn tell(problems: Vec<ManifestDefect>, findings: &mut Findings) {
    for problem in problems {
        let kind = match problem {
            ManifestDefect::CutLine { .. } => Kind::ManifestCut,
            ManifestDefect::UnknownFormat { .. } => Kind::Format,
            ManifestDefect::Invalid { .. } => Kind::Manifest,
        };
        findings.add(kind, MANIFEST, format_args!("{problem}"));
    }
}

/// Reads the files of all parts, and gives for each part those that can be compared.
fn files(
    root: &Path,
    manifest: &Manifest,
    progress: &Progress,
    report: &mut Report,
) -> Vec<Vec<Sound>> {
    let schemas = Table::ALL.map(|table| (table, table.schema()));
    let schemas: BTreeMap<Table, SchemaRef> = schemas.into_iter().collect();
    let listed = manifest.parts.iter().enumerate();
    let listed: Vec<_> = listed
        .flat_map(|(part, it)| it.files.iter().map(move |file| (part, file)))
        .collect();
    let read = listed.into_par_iter().map(|(part, it)| {
        let mut findings = Findings::default();
        let open = disk::open_below(root, Path::new(&it.path));
        let schema = &schemas[&it.table];
        let wanted = Wanted {
            table: it.table,
            schema,
            is: Some(&it.stats),
        };
        let seen = file::check(open, &it.path, &wanted, progress, &mut findings);
        let sound = seen.is_sound.then(|| Sound {
            table: it.table,
            rows: seen.rows,
            path: root.join(&it.path),
            name: it.path.clone(),
        });
        (part, seen, sound, findings)
    });
    let mut files: Vec<Vec<Sound>> = manifest.parts.iter().map(|_| Vec::new()).collect();
    for (part, seen, sound, findings) in read.collect::<Vec<_>>() {
        report.count(seen);
        report.findings.append(findings);
        files[part].extend(sound);
    }
    files
}

/// Compares the tables of each part, and the keys of all.
fn parts(manifest: &Manifest, files: &[Vec<Sound>], progress: &Progress, report: &mut Report) {
    progress.begin(Phase::Parts);
    let parts: Vec<(&PartEntry, &Vec<Sound>)> = manifest.parts.iter().zip(files).collect();
    let checked = parts.into_par_iter().map(|(part, files)| {
        let checked = part::check(manifest, part, files);
        progress.parts.fetch_add(1, Ordering::Relaxed);
        (part, checked)
    });
    let mut crawls: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for (part, Checked { ids, findings }) in checked.collect::<Vec<_>>() {
        report.parts += 1;
        report.captures += ids.len() as u64;
        report.findings.append(findings);
        crawls.entry(&part.crawl).or_default().extend(ids);
    }
    progress.begin(Phase::Keys);
    for (crawl, mut ids) in crawls {
        ids.par_sort_unstable();
        let path = format!("{}/crawl={crawl}", Table::RobotsFiles.name());
        for same in ids.chunk_by(|a, b| a == b).filter(|same| same.len() > 1) {
            let (id, count) = (same[0], same.len());
            report.findings.add(
                Kind::Twice,
                &path,
                format_args!("robots_id {id} stands there {count} times"),
            );
        }
    }
}

/// What cannot be checked for want of tables, or of what the manifest holds.
fn unchecked(manifest: &Manifest, is_whole: bool) -> Vec<String> {
    let mut unchecked = Vec::new();
    let Some(settings) = &manifest.settings else {
        let why = "which tables and parts there should be: the options are not known";
        return vec![why.to_owned()];
    };
    if !is_whole && settings.crawls.len() > 1 {
        let why = "where missing parts begin and end: the crawls of their inputs are not known";
        unchecked.push(why.to_owned());
    }
    let lacks = |table: Table| !settings.tables.contains(&table);
    for (table, what) in [
        (
            Table::RobotsFiles,
            "keys, counts, and where captures lie, as `robots_files` was not chosen",
        ),
        (
            Table::Faults,
            "where faults lie, as `faults` was not chosen",
        ),
        (
            Table::Runs,
            "what each part says of its run, as `runs` was not chosen",
        ),
    ] {
        if lacks(table) {
            unchecked.push(what.to_owned());
        }
    }
    let names = lines::TABLES.into_iter().filter(|table| lacks(*table));
    let names: Vec<String> = names.map(|table| format!("`{}`", table.name())).collect();
    if !names.is_empty() && !lacks(Table::RobotsFiles) {
        let names = names.join(", ");
        unchecked.push(format!(
            "what captures say of rows of {names}, which were not chosen"
        ));
    }
    unchecked
}

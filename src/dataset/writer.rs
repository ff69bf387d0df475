//! Writes a dataset: starts one, resumes one, or replaces one.
//!
//! A run may be killed between any two steps, and `--resume` continues from each:
//!
//! 1. The log is locked, and the traces of a former run are read.
//! 2. Temporary folders named in the log are removed. The name of the next one is
//!    written to the log, then the folder is created.
//! 3. A manifest with the new options replaces the former one. It lists the files of
//!    the former dataset: `_SUCCESS` and these are removed, and it is written again
//!    without them. A dataset whose manifest lists such files is not finished.
//! 4. For each part: its files are written under temporary names, the log gets their
//!    names, they are renamed, and the manifest gets a line.
//! 5. When all parts are there: the files of the resolved tables, in the same way, with
//!    a line in the manifest for each crawl.
//!
//! So every file with a final name is in the manifest or in the log, and nothing else
//! is ever removed or replaced. If you change the order of two steps, run
//! `tests/faults/kill.rs`, which kills at every system call.

use super::log::{LogEntries, RunLog};
use super::manifest::{self, AGENTS, Manifest};
use super::manifest_entries::{
    CrawlEntry, FileEntry, InputEntry, ManifestHeader, PartEntry, line_of,
};
use super::{IfExists, OutputLayout, SUCCESS, VIEWS, check_format, views_of};
use crate::error::{DatasetErrorKind, InputIdentity, ManifestDefect, ResumeDifference};
use crate::tables::Table;
use disk::FileKind;
use disk::TempFolder;
use disk::error::{Error, ErrorKind};
use remote::ObjectIdentity;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A part of the plan: consecutive inputs of one crawl and subset.
#[derive(Clone, Debug)]
pub struct PlannedPart {
    pub number: u32,
    pub crawl: String,
    pub subset: String,
    pub inputs: Range<usize>,
}

/// A dataset whose lock is held, and the traces of a former run. Nothing in the
/// folder was changed yet.
#[derive(Debug)]
pub struct LockedDataset<'d> {
    layout: &'d OutputLayout,
    existing: IfExists,
    log: RunLog,
    entries: LogEntries,
    former: Option<Manifest>,
}

/// A dataset that is being written.
#[derive(Debug)]
pub struct DatasetWriter {
    root: PathBuf,
    header: ManifestHeader,
    log: RunLog,
    temp: Arc<TempFolder>,
    manifest: File,
    /// The finished parts.
    parts: Vec<PartEntry>,
    /// The crawls whose resolved tables are finished.
    crawls: Vec<CrawlEntry>,
}

/// The traces of a former run in a folder, and what is to become of them.
struct FormerRun {
    /// True if the run is continued.
    is_resumed: bool,
    /// True if the manifest is as a run writes it.
    is_as_written: bool,
    /// Parts whose files are all there.
    kept: Vec<PartEntry>,
    /// Parts that are written again.
    dropped: Vec<PartEntry>,
    /// Crawls whose resolved tables are kept.
    kept_crawls: Vec<CrawlEntry>,
    /// Crawls that are resolved again.
    dropped_crawls: Vec<CrawlEntry>,
    /// Files to be removed.
    stale: BTreeSet<String>,
    /// All files that a run wrote, according to the manifest and the log.
    own: BTreeSet<String>,
    /// Files of parts, according to the log.
    logged: BTreeSet<String>,
}

impl<'d> LockedDataset<'d> {
    /// Takes the lock of a dataset. Creates its folder if there is none.
    ///
    /// # Errors
    ///
    /// Those of [`OutputLayout::check`] and [`ErrorKind::Busy`]; if the dataset is to be
    /// resumed, also [`DatasetErrorKind::ResumeDiffers`] with the first difference and
    /// [`DatasetErrorKind::BadManifest`].
    pub fn open(
        layout: &'d OutputLayout,
        existing: IfExists,
        header: &ManifestHeader,
    ) -> Result<Self, Error> {
        layout.check(existing)?;
        let root = layout.root();
        check_format(root)?;
        let cannot = |error| Error::with_source(ErrorKind::Create, root, error);
        fs::create_dir_all(root).map_err(cannot)?;
        let (log, entries) = RunLog::open(root)?;
        // Another run may have created it in the meantime.
        layout.check(existing)?;
        let path = root.join(manifest::NAME);
        let former = match disk::kind(&path).map_err(|error| Error::read(&path, error))? {
            None => None,
            Some(_) => {
                let text = disk::read(&path).map_err(|error| Error::read(&path, error))?;
                Some(Manifest::parse(&text))
            }
        };
        let mut locked = Self {
            layout,
            existing,
            log,
            entries,
            former,
        };
        if existing == IfExists::Resume
            && let Some(former) = &mut locked.former
        {
            check_former(root, former, header)?;
        }
        Ok(locked)
    }

    /// Returns the sizes that the inputs had at the start of the run that is resumed.
    pub fn begun_sizes(&self) -> Option<Vec<Option<u64>>> {
        let former = self.former.as_ref();
        let former = former.filter(|_| self.existing == IfExists::Resume)?;
        Some(former.inputs.iter().map(|input| input.bytes).collect())
    }

    /// Returns the objects on servers from which finished parts of the run that is resumed were
    /// read, by the indexes of their inputs.
    pub fn begun_objects(&self) -> Vec<(usize, ObjectIdentity)> {
        let former = self.former.as_ref();
        let former = former.filter(|_| self.existing == IfExists::Resume);
        let parts = former.iter().flat_map(|former| &former.parts);
        let objects = parts.flat_map(|part| part.inputs.clone().zip(part.objects.clone()));
        objects
            .filter_map(|(input, object)| Some((input, object?)))
            .collect()
    }

    /// Returns the number of finished parts of the run that is resumed.
    pub fn begun_parts(&self) -> usize {
        self.former.as_ref().map_or(0, |former| former.parts.len())
    }

    /// Starts to write. `parts` is the whole plan.
    ///
    /// # Errors
    ///
    /// [`DatasetErrorKind::NotListed`] if a file that is not part of the dataset has a name
    /// that a part needs, and [`DatasetErrorKind::BadManifest`]; then nothing was changed.
    /// Errors of writing.
    pub fn begin(
        self,
        header: ManifestHeader,
        parts: &[PlannedPart],
        threads: usize,
    ) -> Result<DatasetWriter, Error> {
        let Self {
            layout,
            existing,
            mut log,
            entries,
            former,
        } = self;
        let root = layout.root();
        let temp_folders = entries.temp_folders;
        let is_resumed = existing == IfExists::Resume && former.is_some();
        let former = FormerRun::new(root, is_resumed, former, entries.part_files, parts)?;
        check_names(layout, parts, &former)?;

        for name in &temp_folders {
            TempFolder::remove(root, name).map_err(|error| Error::write(root.join(name), error))?;
        }
        let name = TempFolder::random_name();
        let begin = json!({
            "event": "begin", "inputs": header.inputs.len(), "temporary": name, "threads": threads,
        });
        log.begin(root, &begin)?;
        let temp = Arc::new(TempFolder::create(root, &name)?);
        let (parts, crawls) = former.replace(root, &header, &temp, &mut log)?;
        let path = root.join(manifest::NAME);
        let manifest = disk::open_with(&path, OpenOptions::new().append(true))
            .map_err(|error| Error::write(&path, error))?;
        Ok(DatasetWriter {
            root: root.to_owned(),
            header,
            log,
            temp,
            manifest,
            parts,
            crawls,
        })
    }
}

impl FormerRun {
    /// Decides what becomes of the parts and files of a former run, of which `logged`
    /// are in the log and `planned` is the plan of this run.
    ///
    /// # Errors
    ///
    /// [`DatasetErrorKind::BadManifest`] if a part is not one of the plan.
    fn new(
        root: &Path,
        is_resumed: bool,
        former: Option<Manifest>,
        logged: BTreeSet<String>,
        planned: &[PlannedPart],
    ) -> Result<Self, Error> {
        let mut own = logged.clone();
        own.extend(former.iter().flat_map(Manifest::own_files));
        let former = former.unwrap_or_default();
        let is_as_written = former.problems.is_empty() && former.is_sorted;
        let (mut kept, mut dropped, mut stale) = (Vec::new(), Vec::new(), own.clone());
        let (mut kept_crawls, mut dropped_crawls) = (Vec::new(), Vec::new());
        if is_resumed {
            let inputs = planned.iter().map(|part| part.inputs.clone());
            let inputs: Vec<Range<usize>> = inputs.collect();
            let problem = former.parts.iter().find_map(|part| {
                part.plan_problem(&inputs).or_else(|| {
                    let planned = &planned[part.number as usize];
                    let is_same = planned.crawl == part.crawl && planned.subset == part.subset;
                    (!is_same).then(|| format!("part {} is of another crawl", part.number))
                })
            });
            if let Some(message) = problem {
                return Err(bad_manifest(root, ManifestDefect::Invalid { message }));
            }
            let parts = former.parts.into_iter();
            (kept, dropped) = parts.partition(|part| has_all_files(root, &part.files));
            let crawls = former.crawls;
            // They are made from all parts.
            let is_resolved = |part: &PlannedPart| {
                let mut crawls = crawls.iter();
                crawls.any(|entry| entry.crawl == part.crawl)
            };
            let is_kept = kept.len() == planned.len()
                && planned.iter().all(is_resolved)
                && crawls.iter().all(|crawl| has_all_files(root, &crawl.files));
            match is_kept {
                true => kept_crawls = crawls,
                false => dropped_crawls = crawls,
            }
            stale = former.stale;
        }
        Ok(Self {
            is_resumed,
            is_as_written,
            kept,
            dropped,
            kept_crawls,
            dropped_crawls,
            stale,
            own,
            logged,
        })
    }

    /// Removes what does not remain, and writes the manifest. Returns the parts that
    /// remain.
    fn replace(
        mut self,
        root: &Path,
        header: &ManifestHeader,
        temp: &TempFolder,
        log: &mut RunLog,
    ) -> Result<(Vec<PartEntry>, Vec<CrawlEntry>), Error> {
        let write = |stale: &BTreeSet<String>, parts: &[PartEntry], crawls: &[CrawlEntry]| {
            let text = manifest::text_of(header, stale, parts, crawls);
            temp.replace(Path::new(manifest::NAME), text.as_bytes())
        };
        if self.is_resumed {
            remove_success(root)?;
            // A part is written again if one of its files is gone, or if it has no
            // line in the manifest.
            let whole = paths_of(&self.kept, &self.kept_crawls);
            let dropped = paths_of(&self.dropped, &self.dropped_crawls);
            let again = dropped.into_iter().chain(&self.logged);
            remove(root, again.filter(|path| !whole.contains(path)))?;
            self.stale.retain(|path| !whole.contains(path));
        } else if !self.stale.is_empty() {
            // With this one rename the former dataset is given up: a manifest that lists
            // files to be removed is unfinished, even beside `_SUCCESS`.
            write(&self.stale, &[], &[])?;
            remove_success(root)?;
        }
        let has_stale = !self.stale.is_empty();
        // The views come first: they would show the files that are still there.
        let (views, files): (Vec<&String>, Vec<&String>) =
            self.stale.iter().partition(|path| *path == VIEWS);
        remove(root, views.into_iter().chain(files))?;
        for path in &self.stale {
            disk::remove_empty_folders(root, Path::new(path));
        }
        let is_dropped = !self.dropped.is_empty() || !self.dropped_crawls.is_empty();
        if !self.is_resumed || !self.is_as_written || is_dropped || has_stale {
            write(&BTreeSet::new(), &self.kept, &self.kept_crawls)?;
        }
        if !self.is_resumed && has_stale {
            log.write(&json!({"event": "replaced"}))?;
        }
        Ok((self.kept, self.kept_crawls))
    }
}

impl DatasetWriter {
    /// Returns the folder of files that do not have their final names yet.
    pub fn temp(&self) -> &Arc<TempFolder> {
        &self.temp
    }

    /// Returns the finished parts.
    pub fn parts(&self) -> &[PartEntry] {
        &self.parts
    }

    /// Adds a line to the log.
    pub fn log(&mut self, line: &Value) {
        self.log.add(line);
    }

    /// Returns the crawls whose resolved tables are finished.
    pub fn crawls(&self) -> &[CrawlEntry] {
        &self.crawls
    }

    /// Returns the folder of the dataset.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Writes to the log that files of resolved tables are about to get their names.
    pub fn announce_crawls(&mut self, files: &[String]) -> Result<(), Error> {
        self.log
            .write(&json!({"event": "part", "resolved": true, "files": files}))
    }

    /// Writes the crawls whose files have their names to the manifest, and syncs it.
    pub fn add_crawls(&mut self, crawls: Vec<CrawlEntry>) -> Result<(), Error> {
        let text: String = crawls.iter().map(line_of).collect();
        self.append(&text)?;
        self.crawls.extend(crawls);
        Ok(())
    }

    /// Writes to the log that these files are about to get their names.
    pub fn announce(&mut self, part: u32, files: &[String]) -> Result<(), Error> {
        self.log
            .write(&json!({"event": "part", "part": part, "files": files}))
    }

    /// Writes a part whose files have their names to the manifest, and syncs it.
    pub fn add(&mut self, part: PartEntry) -> Result<(), Error> {
        self.append(&line_of(&part))?;
        self.parts.push(part);
        Ok(())
    }

    fn append(&mut self, text: &str) -> Result<(), Error> {
        let written = self.manifest.write_all(text.as_bytes());
        let synced = written.and_then(|()| self.manifest.sync_data());
        synced.map_err(|error| Error::write(self.root.join(manifest::NAME), error))
    }

    /// Writes `views.sql`.
    pub fn write_views(&self, tables: &[Table]) -> Result<(), Error> {
        let text = views_of(&self.root, tables, &[])?;
        self.temp.replace(Path::new(VIEWS), text.as_bytes())
    }

    /// Marks the dataset as finished by a file with the digest of the manifest. The parts in the
    /// manifest are sorted before, so that an input that was read again leaves no trace.
    pub fn finish(&mut self) -> Result<(), Error> {
        let is_sorted = self.parts.is_sorted_by_key(|part| part.number);
        self.parts.sort_by_key(|part| part.number);
        let text = manifest::text_of(&self.header, [], &self.parts, &self.crawls);
        if !is_sorted {
            let name = Path::new(manifest::NAME);
            self.temp.replace(name, text.as_bytes())?;
        }
        let digest = manifest::digest(text.as_bytes());
        self.temp.replace(Path::new(SUCCESS), digest.as_bytes())
    }
}

/// Checks that a run that is to be resumed had the same version, inputs and options.
fn check_former(root: &Path, former: &mut Manifest, header: &ManifestHeader) -> Result<(), Error> {
    let is_finished = former.stale.is_empty() && disk::is_regular(&root.join(SUCCESS));
    let differs = |difference| {
        let kind = DatasetErrorKind::ResumeDiffers {
            difference,
            is_finished,
        };
        Error::new(kind, root)
    };
    let now = env!("CARGO_PKG_VERSION");
    if let Some(before) = former.version.as_ref().filter(|version| *version != now) {
        let before = before.clone();
        return Err(differs(ResumeDifference::Version { before, now }));
    }
    former.check_files();
    let is_error = |problem: &&ManifestDefect| !matches!(problem, ManifestDefect::CutLine { .. });
    if let Some(problem) = former.problems.iter().find(is_error) {
        return Err(bad_manifest(root, problem.clone()));
    }
    if former.inputs.len() != header.inputs.len() {
        return Err(differs(ResumeDifference::InputCount {
            before: former.inputs.len(),
            now: header.inputs.len(),
        }));
    }
    for (before, now) in former.inputs.iter().zip(&header.inputs) {
        // An input that did not exist may have appeared since.
        let is_resized = before.bytes.is_some() && before.bytes != now.bytes;
        if before.name != now.name || is_resized {
            let identity = |input: &InputEntry| InputIdentity {
                name: input.name.clone().unwrap_or_default(),
                bytes: input.bytes,
                version: None,
            };
            return Err(differs(ResumeDifference::Input {
                before: identity(before),
                now: identity(now),
            }));
        }
        if before.index != now.index {
            let text = |index: Option<u64>| index.map_or("unknown".to_owned(), |i| i.to_string());
            return Err(differs(ResumeDifference::Setting {
                name: format!("the index of '{}'", now.name.as_deref().unwrap_or_default()),
                before: text(before.index),
                now: text(now.index),
            }));
        }
    }
    let options = serde_json::to_value(&header.options).expect("the keys of options are texts");
    if let (Some(before), Some(now)) = (former.written_options.as_object(), options.as_object()) {
        for (name, now) in now {
            let before = before.get(name).unwrap_or(&Value::Null);
            if before != now {
                return Err(differs(ResumeDifference::Setting {
                    name: name.clone(),
                    before: before.to_string(),
                    now: now.to_string(),
                }));
            }
        }
    }
    Ok(())
}

fn bad_manifest(root: &Path, defect: ManifestDefect) -> Error {
    Error::new(
        DatasetErrorKind::BadManifest(defect),
        root.join(manifest::NAME),
    )
}

/// Checks that no foreign file and no link has a name that is needed.
fn check_names(
    layout: &OutputLayout,
    parts: &[PlannedPart],
    former: &FormerRun,
) -> Result<(), Error> {
    let FormerRun { kept, own, .. } = former;
    let root = layout.root();
    let check = |path: &Path, is_own: bool| {
        let full_path = root.join(path);
        let unreadable = |error| Error::read(&full_path, error);
        disk::check_folders(root, path)
            .map_err(|error| Error::with_source(ErrorKind::Create, &full_path, error))?;
        match disk::kind(&full_path).map_err(unreadable)? {
            None => Ok(()),
            Some(FileKind::Regular) if is_own => Ok(()),
            Some(FileKind::Regular) => Err(Error::new(DatasetErrorKind::NotListed, &full_path)),
            Some(is) => Err(Error::new(
                DatasetErrorKind::WrongKind {
                    is,
                    needed: FileKind::Regular,
                },
                &full_path,
            )),
        }
    };
    for name in [manifest::NAME, VIEWS, SUCCESS] {
        check(Path::new(name), true)?;
    }
    if layout.tables().contains(&Table::Agents) {
        check(Path::new(AGENTS), own.contains(AGENTS))?;
    }
    let whole: BTreeSet<u32> = kept.iter().map(|part| part.number).collect();
    let is_kept = !former.kept_crawls.is_empty();
    let of_crawls = layout.tables().iter().filter(|table| table.has_crawls());
    for table in of_crawls.filter(|_| !is_kept) {
        for part in parts {
            let path = OutputLayout::crawl_path(*table, &part.crawl);
            check(&path, own.contains(&*path.to_string_lossy()))?;
        }
    }
    let of_parts = layout.tables().iter().filter(|table| table.has_parts());
    let of_parts: Vec<&Table> = of_parts.collect();
    for part in parts.iter().filter(|part| !whole.contains(&part.number)) {
        for table in &of_parts {
            let path = layout.part_path(**table, part.number, &part.crawl, &part.subset);
            check(&path, own.contains(&*path.to_string_lossy()))?;
        }
    }
    Ok(())
}

/// Removes files, given relative to the folder of a dataset.
fn remove<P: AsRef<Path>>(root: &Path, files: impl IntoIterator<Item = P>) -> Result<(), Error> {
    for path in files {
        let path = path.as_ref();
        disk::remove_below(root, path).map_err(|error| Error::write(root.join(path), error))?;
    }
    Ok(())
}

/// Removes `_SUCCESS`, also from the disk before any other file.
fn remove_success(root: &Path) -> Result<(), Error> {
    remove(root, [SUCCESS])?;
    disk::sync_folder(root).map_err(|error| Error::write(root, error))
}

fn paths_of<'e>(parts: &'e [PartEntry], crawls: &'e [CrawlEntry]) -> BTreeSet<&'e String> {
    let of_parts = parts.iter().flat_map(|part| &part.files);
    let of_crawls = crawls.iter().flat_map(|crawl| &crawl.files);
    of_parts.chain(of_crawls).map(|file| &file.path).collect()
}

/// Returns true if all files exist and have their sizes.
fn has_all_files(root: &Path, files: &[FileEntry]) -> bool {
    files
        .iter()
        .all(|file| disk::size_below(root, Path::new(&file.path)) == Some(file.stats.bytes))
}

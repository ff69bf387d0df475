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
use super::manifest::{self, AGENTS_PATH, Manifest};
use super::manifest_entries::{
    CrawlEntry, FileEntry, InputEntry, ManifestHeader, PartEntry, to_json_line,
};
use super::{IfExists, OutputLayout, SUCCESS_FILE, VIEWS_FILE, absolute_views_sql, check_format};
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

/// A part that a run is to write: consecutive inputs of one crawl and subset.
#[derive(Clone, Debug)]
pub struct PlannedPart {
    pub number: u32,
    pub crawl: String,
    pub subset: String,
    pub inputs: Range<usize>,
}

/// A dataset whose lock is held, with the log and the manifest of a former run. Except for the log,
/// nothing in the folder was changed yet.
#[derive(Debug)]
pub struct LockedDataset<'d> {
    layout: &'d OutputLayout,
    if_exists: IfExists,
    log: RunLog,
    log_entries: LogEntries,
    former_manifest: Option<Manifest>,
}

/// A dataset that is being written.
#[derive(Debug)]
pub struct DatasetWriter {
    root: PathBuf,
    header: ManifestHeader,
    log: RunLog,
    temp_folder: Arc<TempFolder>,
    manifest: File,
    /// The finished parts.
    parts: Vec<PartEntry>,
    /// The crawls whose resolved tables are finished.
    crawls: Vec<CrawlEntry>,
}

/// The parts and files of a former run, divided into those that are kept and those that are
/// removed.
struct FormerRun {
    /// True if the former run is resumed.
    is_resumed: bool,
    /// True if the manifest has no defects and its parts are sorted.
    is_manifest_intact: bool,
    /// Parts whose files all exist.
    kept_parts: Vec<PartEntry>,
    /// Parts that are written again.
    dropped_parts: Vec<PartEntry>,
    /// Crawls whose resolved tables are kept.
    kept_crawls: Vec<CrawlEntry>,
    /// Crawls that are resolved again.
    dropped_crawls: Vec<CrawlEntry>,
    /// Files that are to be removed.
    stale_files: BTreeSet<String>,
    /// All files that a run wrote, according to the manifest and the log.
    own_files: BTreeSet<String>,
    /// Files of parts, according to the log.
    logged_files: BTreeSet<String>,
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
        if_exists: IfExists,
        header: &ManifestHeader,
    ) -> Result<Self, Error> {
        layout.check(if_exists)?;
        let root = layout.root();
        check_format(root)?;
        let create_error = |error| Error::with_source(ErrorKind::Create, root, error);
        fs::create_dir_all(root).map_err(create_error)?;
        let (log, log_entries) = RunLog::open(root)?;
        // Another run may have created the dataset before the lock was taken.
        layout.check(if_exists)?;
        let path = root.join(manifest::MANIFEST_FILE);
        let former_manifest =
            match disk::file_kind(&path).map_err(|error| Error::read(&path, error))? {
                None => None,
                Some(_) => {
                    let text = disk::read(&path).map_err(|error| Error::read(&path, error))?;
                    Some(Manifest::parse(&text))
                }
            };
        let mut locked = Self {
            layout,
            if_exists,
            log,
            log_entries,
            former_manifest,
        };
        if if_exists == IfExists::Resume
            && let Some(former) = &mut locked.former_manifest
        {
            check_resumable(root, former, header)?;
        }
        Ok(locked)
    }

    /// Returns the sizes of the inputs at the start of the run that is resumed; `None` if no run is
    /// resumed.
    pub fn resumed_input_sizes(&self) -> Option<Vec<Option<u64>>> {
        let former = self.former_manifest.as_ref();
        let former = former.filter(|_| self.if_exists == IfExists::Resume)?;
        Some(former.inputs.iter().map(|input| input.bytes).collect())
    }

    /// Returns the objects on servers from which finished parts of the run that is resumed were
    /// read, by the indexes of their inputs.
    pub fn resumed_objects(&self) -> Vec<(usize, ObjectIdentity)> {
        let former = self.former_manifest.as_ref();
        let former = former.filter(|_| self.if_exists == IfExists::Resume);
        let parts = former.iter().flat_map(|former| &former.parts);
        let objects = parts.flat_map(|part| part.inputs.clone().zip(part.objects.clone()));
        objects
            .filter_map(|(input, object)| Some((input, object?)))
            .collect()
    }

    /// Returns the number of finished parts of the run that is resumed.
    pub fn resumed_part_count(&self) -> usize {
        let former = self.former_manifest.as_ref();
        former.map_or(0, |former| former.parts.len())
    }

    /// Starts to write the dataset. `parts` are all parts of the run, also those that are finished.
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
            if_exists,
            mut log,
            log_entries,
            former_manifest,
        } = self;
        let root = layout.root();
        let temp_folders = log_entries.temp_folders;
        let is_resumed = if_exists == IfExists::Resume && former_manifest.is_some();
        let logged_files = log_entries.part_files;
        let former_run = FormerRun::new(root, is_resumed, former_manifest, logged_files, parts)?;
        check_file_names(layout, parts, &former_run)?;

        for name in &temp_folders {
            TempFolder::remove_leftover(root, name)
                .map_err(|error| Error::write(root.join(name), error))?;
        }
        let name = TempFolder::random_name();
        let begin = json!({
            "event": "begin", "inputs": header.inputs.len(), "temporary": name, "threads": threads,
        });
        log.begin(root, &begin)?;
        let temp_folder = Arc::new(TempFolder::create(root, &name)?);
        let (parts, crawls) = former_run.clean_up(root, &header, &temp_folder, &mut log)?;
        let path = root.join(manifest::MANIFEST_FILE);
        let manifest = disk::open_with_options(&path, OpenOptions::new().append(true))
            .map_err(|error| Error::write(&path, error))?;
        Ok(DatasetWriter {
            root: root.to_owned(),
            header,
            log,
            temp_folder,
            manifest,
            parts,
            crawls,
        })
    }
}

impl FormerRun {
    /// Decides which parts and files of a former run are kept. `logged_files` are the files of
    /// parts in its log, and `planned` are the parts that this run is to write.
    ///
    /// # Errors
    ///
    /// [`DatasetErrorKind::BadManifest`] if a part is not one of the plan.
    fn new(
        root: &Path,
        is_resumed: bool,
        former: Option<Manifest>,
        logged_files: BTreeSet<String>,
        planned: &[PlannedPart],
    ) -> Result<Self, Error> {
        let mut own_files = logged_files.clone();
        own_files.extend(former.iter().flat_map(Manifest::own_files));
        let former = former.unwrap_or_default();
        let is_manifest_intact = former.problems.is_empty() && former.is_sorted;
        let (mut kept_parts, mut dropped_parts, mut stale_files) =
            (Vec::new(), Vec::new(), own_files.clone());
        let (mut kept_crawls, mut dropped_crawls) = (Vec::new(), Vec::new());
        if is_resumed {
            let inputs = planned.iter().map(|part| part.inputs.clone());
            let inputs: Vec<Range<usize>> = inputs.collect();
            let problem = former.parts.iter().find_map(|part| {
                part.find_plan_difference(&inputs).or_else(|| {
                    let planned = &planned[part.number as usize];
                    let is_same = planned.crawl == part.crawl && planned.subset == part.subset;
                    (!is_same).then(|| format!("part {} is of another crawl", part.number))
                })
            });
            if let Some(message) = problem {
                return Err(bad_manifest_error(
                    root,
                    ManifestDefect::Invalid { message },
                ));
            }
            let parts = former.parts.into_iter();
            (kept_parts, dropped_parts) = parts.partition(|part| has_all_files(root, &part.files));
            let crawls = former.crawls;
            // Resolved tables are made from all parts, so they are kept only if all parts are.
            let is_resolved = |part: &PlannedPart| {
                let mut crawls = crawls.iter();
                crawls.any(|entry| entry.crawl == part.crawl)
            };
            let is_kept = kept_parts.len() == planned.len()
                && planned.iter().all(is_resolved)
                && crawls.iter().all(|crawl| has_all_files(root, &crawl.files));
            match is_kept {
                true => kept_crawls = crawls,
                false => dropped_crawls = crawls,
            }
            stale_files = former.stale;
        }
        Ok(Self {
            is_resumed,
            is_manifest_intact,
            kept_parts,
            dropped_parts,
            kept_crawls,
            dropped_crawls,
            stale_files,
            own_files,
            logged_files,
        })
    }

    /// Removes the files that are not kept, and writes the manifest. Returns the parts and crawls
    /// that are kept.
    fn clean_up(
        mut self,
        root: &Path,
        header: &ManifestHeader,
        temp_folder: &TempFolder,
        log: &mut RunLog,
    ) -> Result<(Vec<PartEntry>, Vec<CrawlEntry>), Error> {
        let write_manifest =
            |stale_files: &BTreeSet<String>, parts: &[PartEntry], crawls: &[CrawlEntry]| {
                let text = manifest::manifest_text(header, stale_files, parts, crawls);
                temp_folder.replace_file(Path::new(manifest::MANIFEST_FILE), text.as_bytes())
            };
        if self.is_resumed {
            remove_success(root)?;
            // The files of parts that are written again: one of them is gone, or the part has no
            // line in the manifest.
            let kept_paths = file_paths(&self.kept_parts, &self.kept_crawls);
            let dropped_paths = file_paths(&self.dropped_parts, &self.dropped_crawls);
            let removed = dropped_paths.into_iter().chain(&self.logged_files);
            remove_files(root, removed.filter(|path| !kept_paths.contains(path)))?;
            self.stale_files.retain(|path| !kept_paths.contains(path));
        } else if !self.stale_files.is_empty() {
            // Renaming this manifest is the step that gives up the former dataset: a dataset whose
            // manifest lists files to be removed is unfinished, even if it has `_SUCCESS`.
            write_manifest(&self.stale_files, &[], &[])?;
            remove_success(root)?;
        }
        let has_stale = !self.stale_files.is_empty();
        // The views are removed first: with them, a query would read the remaining files.
        let (views, files): (Vec<&String>, Vec<&String>) = self
            .stale_files
            .iter()
            .partition(|path| *path == VIEWS_FILE);
        remove_files(root, views.into_iter().chain(files))?;
        for path in &self.stale_files {
            disk::remove_empty_folders(root, Path::new(path));
        }
        let is_dropped = !self.dropped_parts.is_empty() || !self.dropped_crawls.is_empty();
        if !self.is_resumed || !self.is_manifest_intact || is_dropped || has_stale {
            write_manifest(&BTreeSet::new(), &self.kept_parts, &self.kept_crawls)?;
        }
        if !self.is_resumed && has_stale {
            log.write_synced(&json!({"event": "replaced"}))?;
        }
        Ok((self.kept_parts, self.kept_crawls))
    }
}

impl DatasetWriter {
    pub fn temp_folder(&self) -> &Arc<TempFolder> {
        &self.temp_folder
    }

    /// Returns the finished parts.
    pub fn parts(&self) -> &[PartEntry] {
        &self.parts
    }

    /// Adds a line to the log that no later run needs.
    pub fn add_log_line(&mut self, line: &Value) {
        self.log.write_best_effort(line);
    }

    /// Returns the crawls whose resolved tables are finished.
    pub fn crawls(&self) -> &[CrawlEntry] {
        &self.crawls
    }

    /// Returns the folder of the dataset.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Writes to the log that files of resolved tables are about to be renamed to these names.
    pub fn announce_crawl_files(&mut self, files: &[String]) -> Result<(), Error> {
        self.log
            .write_synced(&json!({"event": "part", "resolved": true, "files": files}))
    }

    /// Adds crawls whose files have their final names to the manifest, and syncs it.
    pub fn add_crawls(&mut self, crawls: Vec<CrawlEntry>) -> Result<(), Error> {
        let text: String = crawls.iter().map(to_json_line).collect();
        self.append_to_manifest(&text)?;
        self.crawls.extend(crawls);
        Ok(())
    }

    /// Writes to the log that the files of a part are about to be renamed to these names.
    pub fn announce_part(&mut self, part: u32, files: &[String]) -> Result<(), Error> {
        self.log
            .write_synced(&json!({"event": "part", "part": part, "files": files}))
    }

    /// Adds a part whose files have their final names to the manifest, and syncs it.
    pub fn add_part(&mut self, part: PartEntry) -> Result<(), Error> {
        self.append_to_manifest(&to_json_line(&part))?;
        self.parts.push(part);
        Ok(())
    }

    fn append_to_manifest(&mut self, text: &str) -> Result<(), Error> {
        let written = self.manifest.write_all(text.as_bytes());
        let synced = written.and_then(|()| self.manifest.sync_data());
        synced.map_err(|error| Error::write(self.root.join(manifest::MANIFEST_FILE), error))
    }

    /// Writes `views.sql`, with views of these tables.
    pub fn write_views(&self, tables: &[Table]) -> Result<(), Error> {
        let text = absolute_views_sql(&self.root, tables, &[])?;
        self.temp_folder
            .replace_file(Path::new(VIEWS_FILE), text.as_bytes())
    }

    /// Marks the dataset as finished by a file with the digest of the manifest. Before that,
    /// the parts in the manifest are sorted, so that it does not depend on the order in which they
    /// were finished.
    pub fn finish(&mut self) -> Result<(), Error> {
        let is_sorted = self.parts.is_sorted_by_key(|part| part.number);
        self.parts.sort_by_key(|part| part.number);
        let text = manifest::manifest_text(&self.header, [], &self.parts, &self.crawls);
        if !is_sorted {
            let name = Path::new(manifest::MANIFEST_FILE);
            self.temp_folder.replace_file(name, text.as_bytes())?;
        }
        let digest = manifest::success_text(text.as_bytes());
        self.temp_folder
            .replace_file(Path::new(SUCCESS_FILE), digest.as_bytes())
    }
}

/// Checks that the run that is to be resumed has the version, the inputs and the options of this
/// one.
fn check_resumable(
    root: &Path,
    former: &mut Manifest,
    header: &ManifestHeader,
) -> Result<(), Error> {
    let is_finished = former.stale.is_empty() && disk::is_regular(&root.join(SUCCESS_FILE));
    let differs_error = |difference| {
        let kind = DatasetErrorKind::ResumeDiffers {
            difference,
            is_finished,
        };
        Error::new(kind, root)
    };
    let now = env!("CARGO_PKG_VERSION");
    if let Some(before) = former.version.as_ref().filter(|version| *version != now) {
        let before = before.clone();
        return Err(differs_error(ResumeDifference::Version { before, now }));
    }
    former.check_files();
    let is_error = |problem: &&ManifestDefect| !matches!(problem, ManifestDefect::CutLine { .. });
    if let Some(problem) = former.problems.iter().find(is_error) {
        return Err(bad_manifest_error(root, problem.clone()));
    }
    if former.inputs.len() != header.inputs.len() {
        return Err(differs_error(ResumeDifference::InputCount {
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
            return Err(differs_error(ResumeDifference::Input {
                before: identity(before),
                now: identity(now),
            }));
        }
        if before.index != now.index {
            let text = |index: Option<u64>| index.map_or("unknown".to_owned(), |i| i.to_string());
            return Err(differs_error(ResumeDifference::Setting {
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
                return Err(differs_error(ResumeDifference::Setting {
                    name: name.clone(),
                    before: before.to_string(),
                    now: now.to_string(),
                }));
            }
        }
    }
    Ok(())
}

fn bad_manifest_error(root: &Path, defect: ManifestDefect) -> Error {
    Error::new(
        DatasetErrorKind::BadManifest(defect),
        root.join(manifest::MANIFEST_FILE),
    )
}

/// Checks that no link, and no file that robots-scan did not write, has a name that the run needs.
fn check_file_names(
    layout: &OutputLayout,
    parts: &[PlannedPart],
    former: &FormerRun,
) -> Result<(), Error> {
    let FormerRun {
        kept_parts,
        own_files,
        ..
    } = former;
    let root = layout.root();
    let check = |path: &Path, is_own: bool| {
        let full_path = root.join(path);
        let read_error = |error| Error::read(&full_path, error);
        disk::check_folders(root, path)
            .map_err(|error| Error::with_source(ErrorKind::Create, &full_path, error))?;
        match disk::file_kind(&full_path).map_err(read_error)? {
            None => Ok(()),
            Some(FileKind::Regular) if is_own => Ok(()),
            Some(FileKind::Regular) => Err(Error::new(DatasetErrorKind::NotListed, &full_path)),
            Some(found) => Err(Error::new(
                DatasetErrorKind::WrongKind {
                    found,
                    needed: FileKind::Regular,
                },
                &full_path,
            )),
        }
    };
    for name in [manifest::MANIFEST_FILE, VIEWS_FILE, SUCCESS_FILE] {
        check(Path::new(name), true)?;
    }
    if layout.tables().contains(&Table::Agents) {
        check(Path::new(AGENTS_PATH), own_files.contains(AGENTS_PATH))?;
    }
    let kept_numbers: BTreeSet<u32> = kept_parts.iter().map(|part| part.number).collect();
    let has_kept_crawls = !former.kept_crawls.is_empty();
    let crawl_tables = layout.tables().iter().filter(|table| table.is_per_crawl());
    for table in crawl_tables.filter(|_| !has_kept_crawls) {
        for part in parts {
            let path = OutputLayout::crawl_path(*table, &part.crawl);
            check(&path, own_files.contains(&*path.to_string_lossy()))?;
        }
    }
    let part_tables = layout.tables().iter().filter(|table| table.is_per_part());
    let part_tables: Vec<&Table> = part_tables.collect();
    for part in parts
        .iter()
        .filter(|part| !kept_numbers.contains(&part.number))
    {
        for table in &part_tables {
            let path = layout.part_path(**table, part.number, &part.crawl, &part.subset);
            check(&path, own_files.contains(&*path.to_string_lossy()))?;
        }
    }
    Ok(())
}

/// Removes files, given relative to the folder of a dataset.
fn remove_files<P: AsRef<Path>>(
    root: &Path,
    files: impl IntoIterator<Item = P>,
) -> Result<(), Error> {
    for path in files {
        let path = path.as_ref();
        disk::remove_below(root, path).map_err(|error| Error::write(root.join(path), error))?;
    }
    Ok(())
}

/// Removes `_SUCCESS`, and returns once it is removed on the disk.
fn remove_success(root: &Path) -> Result<(), Error> {
    remove_files(root, [SUCCESS_FILE])?;
    disk::sync_folder(root).map_err(|error| Error::write(root, error))
}

fn file_paths<'e>(parts: &'e [PartEntry], crawls: &'e [CrawlEntry]) -> BTreeSet<&'e String> {
    let part_files = parts.iter().flat_map(|part| &part.files);
    let crawl_files = crawls.iter().flat_map(|crawl| &crawl.files);
    part_files
        .chain(crawl_files)
        .map(|file| &file.path)
        .collect()
}

/// Returns true if all files exist and have the sizes in their entries.
fn has_all_files(root: &Path, files: &[FileEntry]) -> bool {
    files
        .iter()
        .all(|file| disk::size_below(root, Path::new(&file.path)) == Some(file.stats.bytes))
}

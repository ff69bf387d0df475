//! Writes a dataset: starts one, resumes one, or replaces one.
//!
//! A run may be killed between any two steps, and `--resume` continues from each:
//!
//! 1. The log is locked, and the log and the manifest of a former run are read.
//! 2. Temporary folders named in the log are removed. The name of the next one is
//!    written to the log, then the folder is created.
//! 3. A manifest with the new options replaces the former one. It lists the files of
//!    the former dataset. `_SUCCESS` and these files are removed, and the manifest is
//!    written again without them. While it lists them, the dataset is not finished.
//! 4. For each part: its files are written under temporary names, the log gets their
//!    names, they are renamed (into `_parts`), and the manifest gets a line.
//! 5. When no more parts are written: these files are combined (`combine.rs`). A combined
//!    file gets a line in the manifest, and then the files of its parts are removed.
//! 6. When all parts are written: the files of the resolved tables are written in the
//!    same way, with a line in the manifest for each crawl.
//!
//! So every file with a final name is in the manifest or in the log, and nothing else
//! is ever removed or replaced. If you change the order of two steps, run
//! `tests/faults/kill.rs`, which kills at every system call.

use super::log::{LogEntries, RunLog};
use super::manifest::{self, Manifest};
use super::manifest_entries::{
    CombinedFile, CrawlEntry, FileEntry, FileStats, InputEntry, ManifestHeader, PartEntry,
    to_json_line,
};
use super::part_locations::{PartLocation, part_locations};
use super::present_rows::PresentRows;
use super::split_file::split_file;
use super::{
    Format, IfExists, ManifestText, OutputLayout, SUCCESS_FILE, VIEWS_FILE, WrittenFolder,
    absolute_views_sql,
};
use crate::error::{DatasetDefect, DatasetErrorKind, InputIdentity, ManifestDefect};
use crate::file_names::{AGENTS_PATH, MANIFEST_FILE, PARTS_FOLDER};
use columns::WrittenFile;
use disk::FileKind;
use disk::ObjectIdentity;
use disk::TempFolder;
use errors::{Error, ErrorKind};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use tables::{MEANING, Table, ViewedFiles};

/// A part of the plan: consecutive inputs of one crawl and subset.
#[derive(Clone, Debug)]
pub struct PlannedPart {
    /// The number of the part, from 0.
    pub number: u32,
    /// The crawl of its inputs.
    pub crawl: String,
    /// The subset of its inputs.
    pub subset: String,
    /// The indexes of its inputs in the plan.
    pub inputs: Range<usize>,
}

/// A dataset whose lock is held, and the log and manifest of a former run. The files of
/// the former run are unchanged so far.
#[derive(Debug)]
pub struct LockedDataset<'d> {
    layout: &'d OutputLayout,
    if_exists: IfExists,
    log: RunLog,
    log_entries: LogEntries,
    former: Option<Manifest>,
}

/// A dataset that is being written.
#[derive(Debug)]
pub struct DatasetWriter {
    folder: WrittenFolder,
    header: ManifestHeader,
    /// The file of the table `agents`, once it is written.
    agents: Option<FileEntry>,
    /// The finished parts.
    parts: Vec<PartEntry>,
    /// The files to which parts were combined.
    combined: Vec<CombinedFile>,
    /// The crawls whose resolved tables are finished.
    crawls: Vec<CrawlEntry>,
    /// The size and digest of each file of a single part that this run has written.
    written: BTreeMap<(u32, Table), FileStats>,
}

/// The parts, files and crawls of a former run, divided into those that are kept and those that are not.
struct FormerRun {
    /// True if the run is continued.
    is_resumed: bool,
    /// True if the manifest is as a run writes it.
    is_manifest_intact: bool,
    /// The file of the table `agents`.
    agents: Option<FileEntry>,
    /// Parts whose rows are unchanged in all tables.
    kept_parts: Vec<PartEntry>,
    /// Parts that are written again.
    dropped_parts: Vec<PartEntry>,
    kept_files: Vec<CombinedFile>,
    /// Combined files that are damaged or have parts that are written again, each with those of its
    /// parts that are kept and get files of their own.
    split_files: Vec<(CombinedFile, BTreeSet<u32>)>,
    /// Crawls whose resolved tables are kept.
    kept_crawls: Vec<CrawlEntry>,
    /// Crawls that are resolved again.
    dropped_crawls: Vec<CrawlEntry>,
    /// Files to be removed.
    stale: BTreeSet<String>,
    /// All files that a run wrote, according to the manifest and the log.
    own_files: BTreeSet<String>,
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
        if let Some(text) = ManifestText::read(root)? {
            text.check_format(&Format::of_datasets())?;
        }
        let create_error = |error| Error::with_source(ErrorKind::Create, root, error);
        fs::create_dir_all(root).map_err(create_error)?;
        let (log, log_entries) = RunLog::open(root)?;
        // Another run may have created the output since the first check.
        layout.check(if_exists)?;
        let path = root.join(MANIFEST_FILE);
        let kind = disk::file_kind(&path).map_err(|error| Error::read(&path, error))?;
        let former = kind.map(|_| ManifestText::require(root)).transpose()?;
        let former = former.map(|text| text.manifest());
        let mut locked = Self {
            layout,
            if_exists,
            log,
            log_entries,
            former,
        };
        if if_exists == IfExists::Resume
            && let Some(former) = &mut locked.former
        {
            check_resumable(root, former, header)?;
        }
        Ok(locked)
    }

    /// Returns the sizes that the inputs had at the start of the run that is resumed.
    pub fn resumed_input_sizes(&self) -> Option<Vec<Option<u64>>> {
        let former = self.former.as_ref();
        let former = former.filter(|_| self.if_exists == IfExists::Resume)?;
        Some(former.inputs.iter().map(|input| input.bytes).collect())
    }

    /// Returns the objects on servers from which finished parts of the run that is resumed were
    /// read, by the indexes of their inputs.
    pub fn resumed_objects(&self) -> Vec<(usize, ObjectIdentity)> {
        let former = self.former.as_ref();
        let former = former.filter(|_| self.if_exists == IfExists::Resume);
        let parts = former.iter().flat_map(|former| &former.parts);
        let objects = parts.flat_map(|part| part.inputs.clone().zip(part.objects.clone()));
        objects
            .filter_map(|(input, object)| Some((input, object?)))
            .collect()
    }

    /// Returns the number of finished parts of the run that is resumed.
    pub fn resumed_part_count(&self) -> usize {
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
            if_exists,
            log,
            log_entries,
            former,
        } = self;
        let is_resumed = if_exists == IfExists::Resume && former.is_some();
        let logged_files = log_entries.part_files.clone();
        let former = FormerRun::new(layout, is_resumed, former, logged_files, parts)?;
        check_file_names(layout, parts, &former)?;
        let details = [("inputs", header.inputs.len()), ("threads", threads)];
        let mut dataset = DatasetWriter {
            folder: WrittenFolder::begin(layout.root(), log, &log_entries, &details)?,
            header,
            agents: None,
            parts: Vec::new(),
            combined: Vec::new(),
            crawls: Vec::new(),
            written: BTreeMap::new(),
        };
        former.clean_up(layout, &mut dataset)?;
        Ok(dataset)
    }
}

impl FormerRun {
    /// Determines which parts and files of a former run are kept. `logged_files` are the
    /// files in its log, and `planned` is the plan of this run.
    ///
    /// # Errors
    ///
    /// [`DatasetErrorKind::BadManifest`] if a part of the former run is not one of the plan.
    fn new(
        layout: &OutputLayout,
        is_resumed: bool,
        former: Option<Manifest>,
        logged_files: BTreeSet<String>,
        planned: &[PlannedPart],
    ) -> Result<Self, Error> {
        let root = layout.root();
        let mut own_files = logged_files;
        own_files.extend(former.iter().flat_map(Manifest::own_files));
        let mut former = former.unwrap_or_default();
        let agents = former.agents.take().filter(|_| is_resumed);
        let is_manifest_intact = former.problems.is_empty() && former.is_sorted;
        let (mut kept_parts, mut dropped_parts, mut stale) =
            (Vec::new(), Vec::new(), own_files.clone());
        let (mut kept_files, mut split_files) = (Vec::new(), Vec::new());
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
                return Err(bad_manifest_error(root, ManifestDefect::Invalid(message)));
            }
            let present = PresentRows::find(root, layout, &former);
            let crawls = former.crawls;
            let parts = former.parts.into_iter();
            (kept_parts, dropped_parts) =
                parts.partition(|part| present.parts.contains(&part.number));
            for file in former.combined {
                let is_whole = present.whole_files.contains(&file.entry.path);
                let is_kept = |part: &u32| present.parts.contains(part);
                if is_whole && file.parts.iter().all(is_kept) {
                    kept_files.push(file);
                } else {
                    let mut parts = present.parts_in(&file);
                    parts.retain(is_kept);
                    split_files.push((file, parts));
                }
            }
            // The resolved tables depend on all parts.
            let is_resolved = |part: &PlannedPart| {
                let mut crawls = crawls.iter();
                crawls.any(|entry| entry.crawl == part.crawl)
            };
            let is_kept = kept_parts.len() == planned.len()
                && planned.iter().all(is_resolved)
                && present.has_crawls;
            if is_kept {
                kept_crawls = crawls
            } else {
                dropped_crawls = crawls
            }
            stale = former.stale;
        }
        Ok(Self {
            is_resumed,
            is_manifest_intact,
            agents,
            kept_parts,
            dropped_parts,
            kept_files,
            split_files,
            kept_crawls,
            dropped_crawls,
            stale,
            own_files,
        })
    }

    /// Removes the files that are not kept, and writes the manifest. The kept parts, files and crawls
    /// become those of `dataset`.
    fn clean_up(mut self, layout: &OutputLayout, dataset: &mut DatasetWriter) -> Result<(), Error> {
        let has_dropped = !self.dropped_parts.is_empty()
            || !self.dropped_crawls.is_empty()
            || !self.split_files.is_empty();
        dataset.agents = self.agents;
        if self.is_resumed {
            dataset.remove_success()?;
            // The manifest still lists the combined files, so that a kill loses no rows.
            dataset.parts = self
                .kept_parts
                .iter()
                .chain(&self.dropped_parts)
                .cloned()
                .collect();
            for (file, parts) in &self.split_files {
                dataset.split_file(layout, file, Some(parts))?;
            }
        }
        dataset.parts = self.kept_parts;
        dataset.combined = self.kept_files;
        dataset.crawls = self.kept_crawls;
        if self.is_resumed {
            let kept_paths = dataset.table_paths(layout);
            self.stale.retain(|path| !kept_paths.contains(path));
            if !self.is_manifest_intact || has_dropped || !self.stale.is_empty() {
                dataset.write_manifest(&BTreeSet::new())?;
            }
            // These are files whose rows are written again, files that were split, and files that
            // have no line in the manifest.
            let is_dropped = |path: &&String| !kept_paths.contains(*path) && is_of_parts(path);
            let dropped = self.own_files.iter().filter(is_dropped);
            dataset.folder.remove_files(dropped)?;
            let stale: Vec<&String> = self.stale.iter().collect();
            return dataset.folder.remove_files_and_folders(&stale);
        }
        if !self.stale.is_empty() {
            // This one rename ends the former dataset: a dataset whose manifest lists files to
            // be removed is unfinished, even if `_SUCCESS` exists.
            dataset.write_manifest(&self.stale)?;
            dataset.remove_success()?;
            // The views are removed first: they would read those files that are not removed yet.
            let (views, files): (Vec<&String>, Vec<&String>) =
                self.stale.iter().partition(|path| *path == VIEWS_FILE);
            let stale: Vec<&String> = views.into_iter().chain(files).collect();
            dataset.folder.remove_files_and_folders(&stale)?;
        }
        dataset.write_manifest(&BTreeSet::new())?;
        if self.stale.is_empty() {
            Ok(())
        } else {
            dataset.folder.add_replaced()
        }
    }
}

/// Returns true if a path of a dataset is that of a file with rows of parts or of a crawl, that is, neither
/// `views.sql` nor the file of the table `agents`.
fn is_of_parts(path: &str) -> bool {
    path != VIEWS_FILE && path != AGENTS_PATH
}

impl DatasetWriter {
    /// Returns the folder of files that do not have their final names yet.
    pub fn temp_folder(&self) -> &Arc<TempFolder> {
        self.folder.temp_folder()
    }

    /// Returns the finished parts.
    pub fn parts(&self) -> &[PartEntry] {
        &self.parts
    }

    pub fn add_log_line(&mut self, line: &Value) {
        self.folder.add_log_line(line);
    }

    /// Returns the crawls whose resolved tables are finished.
    pub fn crawls(&self) -> &[CrawlEntry] {
        &self.crawls
    }

    /// Returns the folder of the dataset.
    pub fn root(&self) -> &Path {
        self.folder.root()
    }

    /// Writes to the log that these files are about to get their final names.
    pub fn announce(&mut self, files: &[String]) -> Result<(), Error> {
        self.folder.announce(files)
    }

    /// Writes the parts of a combined file to files of their own, as [`split_file`] does.
    pub(crate) fn split_file(
        &mut self,
        layout: &OutputLayout,
        file: &CombinedFile,
        wanted: Option<&BTreeSet<u32>>,
    ) -> Result<(), Error> {
        split_file(&mut self.folder, layout, &self.parts, file, wanted)
    }

    /// Adds the file of the table `agents`, which must have its final name, to the manifest, and syncs it.
    pub fn add_agents(&mut self, file: WrittenFile) -> Result<(), Error> {
        let entry = FileEntry::new(Table::AGENTS, file);
        if self.agents.as_ref() != Some(&entry) {
            self.append(&to_json_line(&entry))?;
            self.agents = Some(entry);
        }
        Ok(())
    }

    /// Adds crawls, whose files must have their final names, to the manifest, and syncs it.
    pub fn add_crawls(&mut self, crawls: Vec<CrawlEntry>) -> Result<(), Error> {
        let text: String = crawls.iter().map(to_json_line).collect();
        self.append(&text)?;
        self.crawls.extend(crawls);
        Ok(())
    }

    /// Adds a part, whose files must have their final names, to the manifest, and syncs it.
    pub fn add_part(
        &mut self,
        part: PartEntry,
        files: &[(Table, WrittenFile)],
    ) -> Result<(), Error> {
        self.append(&to_json_line(&part))?;
        for (table, file) in files {
            let stats = FileEntry::new(*table, file.clone()).stats;
            self.written.insert((part.number, *table), stats);
        }
        self.parts.push(part);
        Ok(())
    }

    /// Returns a finished part.
    pub(crate) fn part(&self, number: u32) -> &PartEntry {
        let mut parts = self.parts.iter();
        let part = parts.find(|part| part.number == number);
        part.expect("the part is finished")
    }

    /// Returns the files to which parts were combined.
    pub fn combined(&self) -> &[CombinedFile] {
        &self.combined
    }

    /// Returns the size and digest of the file of a single part that this run has written.
    pub(crate) fn written_stats(&self, part: u32, table: Table) -> Option<FileStats> {
        self.written.get(&(part, table)).cloned()
    }

    /// Adds a combined file, which must have its final name, to the manifest, and syncs it.
    pub(crate) fn add_file(&mut self, file: CombinedFile) -> Result<(), Error> {
        self.append(&to_json_line(&file))?;
        self.combined.push(file);
        Ok(())
    }

    /// Removes combined files, first from the manifest and then from the disk. Their parts must have files of
    /// their own.
    pub(crate) fn drop_files(&mut self, files: &[CombinedFile]) -> Result<(), Error> {
        if files.is_empty() {
            return Ok(());
        }
        self.combined.retain(|file| !files.contains(file));
        self.write_manifest(&BTreeSet::new())?;
        let paths = files.iter().map(|file| &file.entry.path);
        self.folder.remove_files(paths)
    }

    /// Removes files of single parts.
    pub(crate) fn remove_files(&self, paths: &[String]) -> Result<(), Error> {
        self.folder.remove_files(paths)
    }

    /// Removes `_SUCCESS` and syncs the folder, so that no other file is removed from the disk before it.
    fn remove_success(&self) -> Result<(), Error> {
        self.folder.remove_files([SUCCESS_FILE])?;
        disk::sync_folder(self.root()).map_err(|error| Error::write(self.root(), error))
    }

    /// Returns the location of the rows of each part in each table.
    pub fn part_locations(&self) -> Vec<PartLocation<'_>> {
        let shard = self.header.options.shard.map(|shard| shard.index);
        let layout = OutputLayout::new_dataset(Path::new(""), &[], shard);
        part_locations(&layout, &self.parts, &self.combined)
    }

    /// Returns the paths of all files with rows.
    fn table_paths(&self, layout: &OutputLayout) -> BTreeSet<String> {
        let locations = part_locations(layout, &self.parts, &self.combined);
        let part_tables = locations.into_iter().map(|location| location.path);
        let crawls = self.crawls.iter().flat_map(|crawl| &crawl.files);
        part_tables
            .chain(crawls.map(|file| file.path.clone()))
            .collect()
    }

    fn write_manifest(&self, stale: &BTreeSet<String>) -> Result<(), Error> {
        let text = manifest::manifest_text(
            &self.header,
            stale,
            self.agents.as_ref(),
            &self.parts,
            &self.combined,
            &self.crawls,
        );
        self.folder.replace_file(MANIFEST_FILE, &text)
    }

    fn append(&mut self, text: &str) -> Result<(), Error> {
        let path = self.root().join(MANIFEST_FILE);
        let file = disk::open_with_options(&path, OpenOptions::new().append(true));
        let written = file.and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_data()
        });
        written.map_err(|error| Error::write(path, error))
    }

    /// Writes `views.sql`.
    pub fn write_views(&self, tables: &[Table]) -> Result<(), Error> {
        let viewed = ViewedFiles {
            tables: tables.to_vec(),
            members: Vec::new(),
            other_meanings: BTreeMap::new(),
        };
        let text = absolute_views_sql(self.root(), &viewed)?;
        self.folder.replace_file(VIEWS_FILE, &text)
    }

    /// Marks the dataset as finished by writing `_SUCCESS`, which has the digest of the manifest. The parts in
    /// the manifest are sorted first, so that it does not depend on the order in which they were written.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.parts.sort_by_key(|part| part.number);
        self.combined.sort_by(|a, b| {
            let key = |file: &CombinedFile| (file.parts.first().copied(), file.entry.table);
            key(a).cmp(&key(b))
        });
        let none = BTreeSet::new();
        let text = manifest::manifest_text(
            &self.header,
            &none,
            self.agents.as_ref(),
            &self.parts,
            &self.combined,
            &self.crawls,
        );
        let before = disk::read(&self.root().join(MANIFEST_FILE));
        if !before.is_ok_and(|before| before == text.as_bytes()) {
            self.folder.replace_file(MANIFEST_FILE, &text)?;
        }
        let digest = manifest::success_text(text.as_bytes());
        self.folder.replace_file(SUCCESS_FILE, &digest)
    }
}

/// Checks that a run that is to be resumed had the same version, inputs and options.
fn check_resumable(
    root: &Path,
    former: &mut Manifest,
    header: &ManifestHeader,
) -> Result<(), Error> {
    let is_finished = former.stale.is_empty() && disk::is_regular(&root.join(SUCCESS_FILE));
    let differs_error = |difference: String| {
        let kind = DatasetErrorKind::ResumeDiffers {
            difference,
            is_finished,
        };
        Error::new(kind, root)
    };
    if former.has_other_format {
        return Err(DatasetDefect::other_format().error(root));
    }
    let now = env!("CARGO_PKG_VERSION");
    if let Some(before) = former.version.as_ref().filter(|version| *version != now) {
        return Err(differs_error(format!(
            "it is of version {before}, this is {now}"
        )));
    }
    if former.version.is_some() && former.meaning != MEANING {
        let before = former.meaning;
        return Err(differs_error(format!(
            "its rows have meaning {before}, this version writes meaning {MEANING}"
        )));
    }
    former.check_files();
    let is_error = |problem: &&ManifestDefect| !matches!(problem, ManifestDefect::CutLine { .. });
    if let Some(problem) = former.problems.iter().find(is_error) {
        return Err(bad_manifest_error(root, problem.clone()));
    }
    let (before, now) = (former.inputs.len(), header.inputs.len());
    if before != now {
        return Err(differs_error(format!(
            "it had {before} inputs, now there are {now}"
        )));
    }
    for (before, now) in former.inputs.iter().zip(&header.inputs) {
        // An input that had no size because it did not exist may have appeared since.
        let is_resized = before.bytes.is_some() && before.bytes != now.bytes;
        if before.name != now.name || is_resized {
            let identity = |input: &InputEntry| InputIdentity {
                name: input.name.clone().unwrap_or_default(),
                bytes: input.bytes,
                version: None,
            };
            return Err(differs_error(
                identity(before).difference_from(&identity(now)),
            ));
        }
        if before.index != now.index {
            let text = |index: Option<u64>| index.map_or("unknown".to_owned(), |i| i.to_string());
            let name = now.name.as_deref().unwrap_or_default();
            let (before, now) = (text(before.index), text(now.index));
            return Err(differs_error(format!(
                "the index of '{name}' was {before} and is {now}"
            )));
        }
    }
    let options = serde_json::to_value(&header.options).expect("the keys of options are texts");
    if let (Some(before), Some(now)) = (former.written_options.as_object(), options.as_object()) {
        for (name, now) in now {
            let before = before.get(name).unwrap_or(&Value::Null);
            if before != now {
                return Err(differs_error(format!("{name} was {before} and is {now}")));
            }
        }
    }
    Ok(())
}

fn bad_manifest_error(root: &Path, defect: ManifestDefect) -> Error {
    Error::new(
        DatasetErrorKind::BadManifest(defect),
        root.join(MANIFEST_FILE),
    )
}

/// Checks that no foreign file and no link has a name that this run needs for a file.
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
    for name in [MANIFEST_FILE, VIEWS_FILE, SUCCESS_FILE] {
        check(Path::new(name), true)?;
    }
    if layout.tables().contains(&Table::AGENTS) {
        check(Path::new(AGENTS_PATH), own_files.contains(AGENTS_PATH))?;
    }
    let kept_paths: BTreeSet<u32> = kept_parts.iter().map(|part| part.number).collect();
    let is_kept = !former.kept_crawls.is_empty();
    let crawl_tables = layout.tables().iter().filter(|table| table.is_per_crawl());
    for table in crawl_tables.filter(|_| !is_kept) {
        for part in parts {
            let path = OutputLayout::crawl_path(*table, &part.crawl);
            check(&path, own_files.contains(&*path.to_string_lossy()))?;
        }
    }
    let part_tables = layout.tables().iter().filter(|table| table.is_per_part());
    let part_tables: Vec<&Table> = part_tables.collect();
    for part in parts
        .iter()
        .filter(|part| !kept_paths.contains(&part.number))
    {
        for table in &part_tables {
            let path = layout.part_path(**table, part.number, &part.crawl, &part.subset);
            for path in [Path::new(PARTS_FOLDER).join(&path), path] {
                check(&path, own_files.contains(&*path.to_string_lossy()))?;
            }
        }
    }
    Ok(())
}

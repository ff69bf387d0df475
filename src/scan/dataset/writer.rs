//! A dataset that is being written: begun, continued, or in place of another.
//!
//! A run may be killed between any two steps, and `--resume` goes on from each:
//!
//! 1. The log is locked, and what a former run left is read.
//! 2. Folders for temporary files that the log names are removed; the name of
//!    the next is written to the log, and the folder is made.
//! 3. A manifest with the new plan takes the place of a former one. It lists
//!    the files of the former dataset, which are then removed, and is written
//!    again without them.
//! 4. For each part its files are written, the log gets their names, they get
//!    their names, and the manifest gets a line.
//!
//! So every file with a name of its own is in the manifest or in the log, and
//! nothing else is ever removed or replaced.

use super::log::{LogEntries, RunLog};
use super::manifest::{self, AGENTS, Manifest, ManifestHeader, PartEntry};
use super::{IfExists, OutputLayout, SUCCESS, VIEWS, views_sql};
use crate::disk::{self, TempFolder};
use crate::error::{Error, ErrorKind, FileKind, InputIdentity, ManifestDefect, ResumeDifference};
use crate::tables::Table;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A part as the inputs are cut into.
#[derive(Clone, Debug)]
pub(crate) struct PlannedPart {
    pub(crate) number: u32,
    pub(crate) crawl: String,
    pub(crate) subset: String,
    pub(crate) inputs: Range<usize>,
}

/// A dataset whose lock is held, with what a former run left. Nothing of that
/// has been changed.
#[derive(Debug)]
pub(crate) struct LockedDataset<'d> {
    destination: &'d OutputLayout,
    existing: IfExists,
    log: RunLog,
    entries: LogEntries,
    former: Option<Manifest>,
}

/// A dataset that is being written.
#[derive(Debug)]
pub(crate) struct DatasetWriter {
    root: PathBuf,
    plan: ManifestHeader,
    log: RunLog,
    temp: Arc<TempFolder>,
    manifest: File,
    /// Parts that are whole.
    parts: Vec<PartEntry>,
}

impl<'d> LockedDataset<'d> {
    /// Takes the lock of a dataset, and makes its folder if there is none.
    ///
    /// # Errors
    ///
    /// Those of [`OutputLayout::check`], [`ErrorKind::Busy`]; of a dataset that
    /// is to be continued also [`ErrorKind::ResumeDiffers`] with the first
    /// difference and [`ErrorKind::BadManifest`].
    pub(crate) fn open(
        destination: &'d OutputLayout,
        existing: IfExists,
        plan: &ManifestHeader,
    ) -> Result<Self, Error> {
        destination.check(existing)?;
        let root = destination.root();
        let cannot = |error| Error::with_source(ErrorKind::Create, root, error);
        fs::create_dir_all(root).map_err(cannot)?;
        let (log, entries) = RunLog::open(root)?;
        // Another run may have made it meanwhile.
        destination.check(existing)?;
        let path = root.join(manifest::NAME);
        let former = match disk::kind(&path).map_err(|error| Error::read(&path, error))? {
            None => None,
            Some(_) => {
                let text = disk::read(&path).map_err(|error| Error::read(&path, error))?;
                Some(Manifest::read(&text))
            }
        };
        let mut locked = Self {
            destination,
            existing,
            log,
            entries,
            former,
        };
        if existing == IfExists::Resume
            && let Some(former) = &mut locked.former
        {
            check_former(root, former, plan)?;
        }
        Ok(locked)
    }

    /// The sizes that the inputs had when the run began that is continued.
    pub(crate) fn begun_sizes(&self) -> Option<Vec<Option<u64>>> {
        let former = self.former.as_ref();
        let former = former.filter(|_| self.existing == IfExists::Resume)?;
        Some(former.inputs.iter().map(|input| input.bytes).collect())
    }

    /// Begins to write. `parts` are all parts that the inputs are cut into.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotListed`] if a file that is not the dataset's has a name
    /// that a part needs, [`ErrorKind::BadManifest`]: nothing was changed then.
    /// Writing errors.
    pub(crate) fn begin(
        self,
        plan: ManifestHeader,
        parts: &[PlannedPart],
        threads: usize,
    ) -> Result<DatasetWriter, Error> {
        let Self {
            destination,
            existing,
            mut log,
            entries,
            former,
        } = self;
        let root = destination.root();
        let is_resumed = existing == IfExists::Resume && former.is_some();
        let mut own = entries.part_files.clone();
        own.extend(former.iter().flat_map(Manifest::own_files));
        let former = former.unwrap_or_default();
        let (mut kept, mut dropped, mut stale) = (Vec::new(), Vec::new(), own.clone());
        let is_as_written = former.problems.is_empty() && former.is_sorted;
        if is_resumed {
            let cuts: Vec<Range<usize>> = parts.iter().map(|part| part.inputs.clone()).collect();
            let wrong = former.parts.iter().find_map(|part| {
                part.cut_problem(&cuts).or_else(|| {
                    let cut = &parts[part.number as usize];
                    let is_same = cut.crawl == part.crawl && cut.subset == part.subset;
                    (!is_same).then(|| format!("part {} is of another crawl", part.number))
                })
            });
            if let Some(what) = wrong {
                return Err(bad_manifest(
                    root,
                    ManifestDefect::Invalid { message: what },
                ));
            }
            (kept, dropped) = former
                .parts
                .into_iter()
                .partition(|part| stands(root, part));
            stale = former.stale;
        }
        check_names(destination, parts, &kept, &own)?;

        for name in &entries.temp_folders {
            TempFolder::remove(root, name).map_err(|error| Error::write(root.join(name), error))?;
        }
        let name = TempFolder::random_name();
        let begin = json!({
            "event": "begin", "inputs": plan.inputs.len(), "temporary": name, "threads": threads,
        });
        log.begin(root, &begin)?;
        let temp = Arc::new(TempFolder::create(root, &name)?);
        let write = |stale: &BTreeSet<String>, parts: &[PartEntry]| {
            let text = manifest::text_of(&plan, stale, parts);
            temp.replace(Path::new(manifest::NAME), text.as_bytes())
        };
        if is_resumed {
            remove(root, [SUCCESS])?;
            // A part of which a file is gone is made again; so is one whose
            // line was not written.
            let whole: BTreeSet<&String> = files_of(&kept).collect();
            let again = files_of(&dropped).chain(&entries.part_files);
            remove(root, again.filter(|path| !whole.contains(path)))?;
            stale.retain(|path| !whole.contains(path));
        } else if !stale.is_empty() {
            write(&stale, &[])?;
            remove(root, [SUCCESS])?;
        }
        remove(root, &stale)?;
        stale
            .iter()
            .for_each(|path| disk::remove_empty_folders(root, Path::new(path)));
        if !is_resumed || !is_as_written || !dropped.is_empty() || !stale.is_empty() {
            write(&BTreeSet::new(), &kept)?;
        }
        if !is_resumed && !stale.is_empty() {
            log.write(&json!({"event": "replaced"}))?;
        }
        let path = root.join(manifest::NAME);
        let manifest = disk::open_with(&path, OpenOptions::new().append(true))
            .map_err(|error| Error::write(&path, error))?;
        Ok(DatasetWriter {
            root: root.to_owned(),
            plan,
            log,
            temp,
            manifest,
            parts: kept,
        })
    }
}

impl DatasetWriter {
    /// Where files are written before they have names.
    pub(crate) fn temp(&self) -> &Arc<TempFolder> {
        &self.temp
    }

    /// Parts that are whole.
    pub(crate) fn parts(&self) -> &[PartEntry] {
        &self.parts
    }

    /// Adds a line to the log.
    pub(crate) fn log(&mut self, line: &Value) {
        self.log.add(line);
    }

    /// Notes that these files are about to get their names.
    pub(crate) fn announce(&mut self, part: u32, files: &[String]) -> Result<(), Error> {
        self.log
            .write(&json!({"event": "part", "part": part, "files": files}))
    }

    /// Notes a part whose files have their names, and brings the note to the disk.
    pub(crate) fn add(&mut self, part: PartEntry) -> Result<(), Error> {
        let text = format!("{}\n", part.line());
        let result = self
            .manifest
            .write_all(text.as_bytes())
            .and_then(|()| self.manifest.sync_data());
        result.map_err(|error| Error::write(self.root.join(manifest::NAME), error))?;
        self.parts.push(part);
        Ok(())
    }

    /// Writes `views.sql`.
    pub(crate) fn write_views(&self, tables: &[Table]) -> Result<(), Error> {
        let root =
            std::path::absolute(&self.root).map_err(|error| Error::write(&self.root, error))?;
        let text = views_sql(&root, tables);
        self.temp.replace(Path::new(VIEWS), text.as_bytes())
    }

    /// Marks the dataset as whole. Parts are put in their order before, so that
    /// an input that was read again leaves no trace.
    pub(crate) fn finish(&mut self) -> Result<(), Error> {
        if !self.parts.is_sorted_by_key(|part| part.number) {
            self.parts.sort_by_key(|part| part.number);
            let text = manifest::text_of(&self.plan, [], &self.parts);
            let name = Path::new(manifest::NAME);
            self.temp.replace(name, text.as_bytes())?;
        }
        self.temp.replace(Path::new(SUCCESS), b"")
    }
}

/// Checks the manifest of a run that is to be continued.
fn check_former(root: &Path, former: &mut Manifest, plan: &ManifestHeader) -> Result<(), Error> {
    let differs = |difference| Error::new(ErrorKind::ResumeDiffers(difference), root);
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
    if former.inputs.len() != plan.inputs.len() {
        return Err(differs(ResumeDifference::InputCount {
            before: former.inputs.len(),
            now: plan.inputs.len(),
        }));
    }
    let old = former.inputs.iter().map(|input| {
        let name = input.name.clone().unwrap_or_default();
        (name, input.bytes)
    });
    for (old, new) in old.zip(&plan.inputs) {
        // An input that was not there may have come.
        if old.0 != new.0 || (old.1.is_some() && old.1 != new.1) {
            let identity = |(name, bytes): &(String, Option<u64>)| InputIdentity {
                name: name.clone(),
                bytes: *bytes,
            };
            return Err(differs(ResumeDifference::Input {
                before: identity(&old),
                now: identity(new),
            }));
        }
    }
    if let (Some(old), Some(new)) = (former.options.as_object(), plan.options.as_object()) {
        for (name, value) in new {
            let before = old.get(name).unwrap_or(&Value::Null);
            if before != value {
                return Err(differs(ResumeDifference::Setting {
                    name: name.clone(),
                    before: before.to_string(),
                    now: value.to_string(),
                }));
            }
        }
    }
    Ok(())
}

fn bad_manifest(root: &Path, defect: ManifestDefect) -> Error {
    Error::new(ErrorKind::BadManifest(defect), root.join(manifest::NAME))
}

/// Checks that no file of somebody else, and no link, has a name that is needed.
fn check_names(
    destination: &OutputLayout,
    parts: &[PlannedPart],
    kept: &[PartEntry],
    own: &BTreeSet<String>,
) -> Result<(), Error> {
    let root = destination.root();
    let check = |path: &Path, is_own: bool| {
        let place = root.join(path);
        let unreadable = |error| Error::read(&place, error);
        disk::check_folders(root, path)
            .map_err(|error| Error::with_source(ErrorKind::Create, &place, error))?;
        match disk::kind(&place).map_err(unreadable)? {
            None => Ok(()),
            Some(FileKind::Regular) if is_own => Ok(()),
            Some(FileKind::Regular) => Err(Error::new(ErrorKind::NotListed, &place)),
            Some(is) => Err(Error::new(
                ErrorKind::WrongKind {
                    is,
                    needed: FileKind::Regular,
                },
                &place,
            )),
        }
    };
    for name in [manifest::NAME, VIEWS, SUCCESS] {
        check(Path::new(name), true)?;
    }
    if destination.tables().contains(&Table::Agents) {
        check(Path::new(AGENTS), own.contains(AGENTS))?;
    }
    let whole: BTreeSet<u32> = kept.iter().map(|part| part.number).collect();
    let of_parts = destination
        .tables()
        .iter()
        .filter(|table| !table.is_whole());
    let of_parts: Vec<&Table> = of_parts.collect();
    for part in parts.iter().filter(|part| !whole.contains(&part.number)) {
        for table in &of_parts {
            let path = destination.part_path(**table, part.number, &part.crawl, &part.subset);
            check(&path, own.contains(&*path.to_string_lossy()))?;
        }
    }
    Ok(())
}

/// Removes files below the folder of a dataset.
fn remove<P: AsRef<Path>>(root: &Path, files: impl IntoIterator<Item = P>) -> Result<(), Error> {
    for path in files {
        let path = path.as_ref();
        disk::remove_below(root, path).map_err(|error| Error::write(root.join(path), error))?;
    }
    Ok(())
}

fn files_of(parts: &[PartEntry]) -> impl Iterator<Item = &String> {
    parts
        .iter()
        .flat_map(|part| &part.files)
        .map(|file| &file.path)
}

/// Returns true if the files of a part are there, in their sizes.
fn stands(root: &Path, part: &PartEntry) -> bool {
    let mut files = part.files.iter();
    files.all(|file| disk::size_below(root, Path::new(&file.path)) == Some(file.stats.bytes))
}

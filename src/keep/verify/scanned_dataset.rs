//! Verifies a dataset that a scan wrote: reads the manifest, and then runs all other checks.

use super::description::check_description;
use super::file::{self, ExpectedFile, PartBytes};
use super::folder::FolderSearch;
use super::{FindingKind, Findings, VerifyPhase, VerifyProgress, VerifyReport, plan};
use arrow_schema::SchemaRef;
use dataset::error::{DatasetDefect, ManifestDefect};
use dataset::{
    AGENTS_PATH, CombinedFile, FileEntry, FileStats, Format, LOG_FILE, LogEntries, MANIFEST_FILE,
    Manifest, ManifestText, PARTS_FOLDER, PartLocation, SUCCESS_FILE, VIEWS_FILE, is_views_of,
    success_text,
};
use errors::Error;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::atomic::Ordering;
use tables::Table;

/// Verifies a dataset.
pub(super) fn check(root: &Path, progress: &VerifyProgress) -> Result<VerifyReport, Error> {
    let path = root.join(MANIFEST_FILE);
    let kind = disk::file_kind(&path).map_err(|error| Error::read(&path, error))?;
    if kind.is_none() {
        return Err(DatasetDefect::no_manifest().error(root));
    }
    let _lock = lock_log(root)?;
    let text = ManifestText::require(root)?;
    text.check_format(&Format::of_datasets())?;
    let mut report = VerifyReport::default();
    let mut manifest = text.manifest();
    // Collected before `check_manifest` removes malformed entries, so that their files are not reported
    // as foreign.
    let mut known = listed_paths(&manifest);
    check_digest(root, &manifest, &text.bytes, &mut report.findings);
    report.findings.append(check_manifest(root, &mut manifest));
    report.parts = manifest.parts.len() as u64;
    let captures = manifest.parts.iter().map(|part| part.captures);
    report.captures = captures.fold(0, u64::saturating_add);
    let own_version = env!("CARGO_PKG_VERSION");
    if let Some(version) = manifest
        .version
        .as_ref()
        .filter(|version| *version != own_version)
    {
        let note = format!("it was made by robots-scan {version}; this is {own_version}");
        report.notes.push(note);
    }
    let options = manifest.options.as_ref();
    let has_agents = options.is_some_and(|options| options.tables.contains(&Table::AGENTS));
    if has_agents || options.is_none() {
        known.insert(AGENTS_PATH.to_owned());
    }
    find_unlisted_files(root, known, &mut report.findings);
    check_views(root, &manifest, &mut report.findings);
    check_description(root, &mut report.findings);
    if manifest.options.is_none() {
        let what = "which tables there should be: the options are not known";
        report.unchecked.push(what.to_owned());
    }
    set_totals(&manifest, progress);
    progress.begin_phase(VerifyPhase::Files);
    let locations = manifest.part_locations();
    let combined = manifest.combined.iter();
    let mut listed: Vec<ListedFile<'_>> = combined
        .map(|file| ListedFile::from_combined(file, &locations))
        .collect();
    listed.extend(manifest.agents.iter().map(ListedFile::from_entry));
    let crawls = manifest.crawls.iter().flat_map(|crawl| &crawl.files);
    listed.extend(crawls.map(ListedFile::from_entry));
    // Files of parts that are not combined yet.
    let single_parts = locations.iter();
    let single_parts = single_parts.filter(|location| location.path.starts_with(PARTS_FOLDER));
    listed.extend(single_parts.map(ListedFile::from_single_part));
    check_files(root, &listed, progress, &mut report);
    Ok(report)
}

/// Checks a manifest without reading tables: its lines, its parts, and the files of each part. Removes
/// from `manifest` the files that do not belong to their part.
pub(super) fn check_manifest(root: &Path, manifest: &mut Manifest) -> Findings {
    let mut findings = Findings::default();
    add_problems(std::mem::take(&mut manifest.problems), &mut findings);
    plan::check_inputs_covered(root, manifest, &mut findings);
    manifest.check_files();
    add_problems(std::mem::take(&mut manifest.problems), &mut findings);
    findings
}

/// Compares the manifest of a finished dataset with the digest in `_SUCCESS`.
fn check_digest(root: &Path, manifest: &Manifest, text: &[u8], findings: &mut Findings) {
    // While a dataset is being replaced, the folder may still have `_SUCCESS` of the former dataset.
    let expected = disk::read(&root.join(SUCCESS_FILE)).unwrap_or_default();
    let is_whole = text.ends_with(b"\n");
    let is_known = is_whole && manifest.stale.is_empty() && !expected.is_empty();
    if is_known && expected != success_text(text).as_bytes() {
        findings.add(
            FindingKind::Manifest,
            MANIFEST_FILE,
            format_args!("it is not as it was when {SUCCESS_FILE} was written"),
        );
    }
}

/// Locks the log of the dataset, so that no run can begin to write. Returns
/// `None` if there is no log.
fn lock_log(root: &Path) -> Result<Option<File>, Error> {
    let Ok(log) = disk::open(&root.join(LOG_FILE)) else {
        return Ok(None);
    };
    if matches!(log.try_lock_shared(), Err(TryLockError::WouldBlock)) {
        return Err(DatasetDefect::is_being_written().error(root));
    }
    Ok(Some(log))
}

/// Adds the defects of manifest lines as findings.
fn add_problems(problems: Vec<ManifestDefect>, findings: &mut Findings) {
    for problem in problems {
        let kind = match problem {
            ManifestDefect::CutLine { .. } => FindingKind::ManifestCut,
            ManifestDefect::Invalid(_) => FindingKind::Manifest,
        };
        findings.add(kind, MANIFEST_FILE, format_args!("{problem}"));
    }
}

/// Checks that `views.sql` opens this dataset. The check is skipped if the run was stopped before it
/// wrote the file, or if another version wrote the dataset, because its text differs.
fn check_views(root: &Path, manifest: &Manifest, findings: &mut Findings) {
    let Some(viewed) = manifest.viewed() else {
        return;
    };
    let version = manifest.version.as_deref();
    let is_other_version = version.is_some_and(|version| version != env!("CARGO_PKG_VERSION"));
    if manifest.stale.contains(VIEWS_FILE) || is_other_version {
        return;
    }
    let what = match disk::read(&root.join(VIEWS_FILE)) {
        Ok(text) if is_views_of(&text, root, &viewed) => return,
        Ok(_) => "it opens another folder, or was changed",
        Err(_) if !disk::is_regular(&root.join(SUCCESS_FILE)) => return,
        Err(_) => "it is missing or cannot be read",
    };
    findings.add(FindingKind::Views, VIEWS_FILE, format_args!("{what}"));
}

/// Returns the paths of all files that the manifest lists, including files that are to be removed.
fn listed_paths(manifest: &Manifest) -> BTreeSet<String> {
    let listed = manifest.files().map(|file| file.path.clone());
    listed.chain(manifest.stale.iter().cloned()).collect()
}

/// Adds a finding for each Parquet file in the folders of tables that is not in `known`, and for each
/// folder of temporary files.
fn find_unlisted_files(root: &Path, known: BTreeSet<String>, findings: &mut Findings) {
    let log = LogEntries::read(root).ok().flatten().unwrap_or_default();
    let mut search = FolderSearch {
        root,
        known_paths: known,
        temp_folders: log.temp_folders,
        tables: &Table::ALL,
        findings,
    };
    search.run();
    findings.replace_foreign_remedy();
}

/// Sets the number of bytes to verify, from the manifest.
fn set_totals(manifest: &Manifest, progress: &VerifyProgress) {
    let bytes = manifest
        .files()
        .map(|file| file.stats.bytes)
        .fold(0, u64::saturating_add);
    progress.bytes_total.store(bytes, Ordering::Relaxed);
}

/// A file that a manifest lists.
pub struct ListedFile<'m> {
    table: Table,
    path: &'m str,
    /// The size, digest and number of rows; `None` for the file of a single part that is not combined
    /// yet, for which the manifest has no digest of the whole file.
    stats: Option<&'m FileStats>,
    /// The bytes of each part, if the file combines the files of parts; otherwise empty.
    parts: Vec<PartBytes<'m>>,
}

impl<'m> ListedFile<'m> {
    /// Creates the entry of a file that does not consist of parts.
    pub fn new(table: Table, path: &'m str, stats: &'m FileStats) -> Self {
        Self {
            table,
            path,
            stats: Some(stats),
            parts: Vec::new(),
        }
    }

    pub(super) fn from_entry(entry: &'m FileEntry) -> Self {
        Self::new(entry.table, &entry.path, &entry.stats)
    }

    fn from_combined(file: &'m CombinedFile, locations: &'m [PartLocation<'m>]) -> Self {
        let parts = locations.iter();
        let parts = parts.filter(|location| location.path == file.entry.path);
        Self {
            parts: parts.map(PartBytes::from_location).collect(),
            ..Self::from_entry(&file.entry)
        }
    }

    fn from_single_part(location: &'m PartLocation<'m>) -> Self {
        Self {
            table: location.table.table,
            path: &location.path,
            stats: None,
            parts: Vec::new(),
        }
    }
}

/// Checks the listed files below `root`, and adds the results to `report`.
pub fn check_files(
    root: &Path,
    files: &[ListedFile<'_>],
    progress: &VerifyProgress,
    report: &mut VerifyReport,
) {
    let schemas = files.iter().map(|file| (file.table, file.table.schema()));
    let schemas: BTreeMap<Table, SchemaRef> = schemas.collect();
    let checks = files.par_iter().map(|listed| {
        let mut findings = Findings::default();
        let file = disk::open_below(root, Path::new(listed.path));
        let expected = ExpectedFile {
            schema: &schemas[&listed.table],
            stats: listed.stats,
            parts: &listed.parts,
        };
        let check = file::check(file, listed.path, &expected, progress, &mut findings);
        (check, findings)
    });
    for (check, findings) in checks.collect::<Vec<_>>() {
        report.count_file(check);
        report.findings.append(findings);
    }
}

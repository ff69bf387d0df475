//! Verifies a dataset: reads the manifest, and then runs all other checks.

use super::file::{self, ExpectedFile};
use super::folder::FolderSearch;
use super::part::{self, PartCheck, ReadableFile};
use super::resolved::{self, CaptureIds};
use super::{FindingKind, Findings, VerifyPhase, VerifyProgress, VerifyReport, agents_table, plan};
use arrow_schema::SchemaRef;
use dataset::error::{DatasetDefect, DatasetErrorKind, ManifestDefect};
use dataset::tables::Table;
use dataset::{
    AGENTS_PATH, FileEntry, LOG_FILE, LogEntries, MANIFEST_FILE, Manifest, PartEntry, SUCCESS_FILE,
    VIEWS_FILE, check_format, is_views_of, success_text,
};
use disk::error::Error;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::atomic::Ordering;

/// Verifies a dataset.
pub(super) fn check(root: &Path, progress: &VerifyProgress) -> Result<VerifyReport, Error> {
    check_with_captures(root, progress).map(|(report, _)| report)
}

/// Verifies a dataset. Also returns the keys of all captures; `None` if some could not be read.
pub(super) fn check_with_captures(
    root: &Path,
    progress: &VerifyProgress,
) -> Result<(VerifyReport, Option<CaptureIds>), Error> {
    let path = root.join(MANIFEST_FILE);
    let kind = disk::file_kind(&path).map_err(|error| Error::read(&path, error))?;
    if kind.is_none() {
        let kind = DatasetErrorKind::NotADataset(DatasetDefect::NoManifest {
            name: MANIFEST_FILE,
        });
        return Err(Error::new(kind, root));
    }
    check_format(root)?;
    let _lock = lock_log(root)?;
    let text = disk::read(&path).map_err(|error| Error::read(&path, error))?;
    let mut report = VerifyReport::default();
    let mut manifest = Manifest::parse(&text);
    // Before entries are checked, so that the files of malformed entries are
    // not reported as foreign.
    let mut known_paths = listed_paths(&manifest);
    check_manifest_digest(root, &manifest, &text, &mut report.findings);
    let (findings, has_all_parts) = check_manifest(root, &mut manifest);
    report.findings.append(findings);
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
    let has_agents = options.is_some_and(|options| options.tables.contains(&Table::Agents));
    if has_agents || options.is_none() {
        known_paths.insert(AGENTS_PATH.to_owned());
    }
    check_folders(root, known_paths, &mut report.findings);
    check_views(root, &manifest, &mut report.findings);
    report.unchecked = list_unchecked(&manifest);
    set_progress_totals(root, &manifest, progress);
    progress.begin_phase(VerifyPhase::Files);
    if has_agents {
        let file = agents_table::check(root, &manifest, progress, &mut report);
        report.count_file(file);
    }
    let part_lists = manifest.parts.iter().map(|part| part.files.as_slice());
    let crawl_lists = manifest.crawls.iter().map(|crawl| crawl.files.as_slice());
    let lists: Vec<&[FileEntry]> = part_lists.chain(crawl_lists).collect();
    let mut files = check_files(root, &lists, progress, &mut report);
    let crawl_files = files.split_off(manifest.parts.len());
    let captures = check_parts(&manifest, &files, progress, &mut report);
    let has_captures = |files: &Vec<ReadableFile>| {
        let mut files = files.iter();
        files.any(|file| file.table == Table::RobotsFiles)
    };
    let are_captures_known = has_all_parts && files.iter().all(has_captures);
    let captures = Some(captures).filter(|_| are_captures_known);
    for (crawl, files) in manifest.crawls.iter().zip(&crawl_files) {
        resolved::check(&crawl.crawl, files, captures.as_ref(), &mut report.findings);
    }
    Ok((report, captures))
}

/// Checks a manifest, without the files on disk: its lines, its parts, and the files that each part
/// lists. Removes listed files that do not belong to their part. The result is true if no part is
/// missing.
pub(super) fn check_manifest(root: &Path, manifest: &mut Manifest) -> (Findings, bool) {
    let mut findings = Findings::default();
    add_problems(std::mem::take(&mut manifest.problems), &mut findings);
    let has_all_parts = plan::check_inputs_covered(root, manifest, &mut findings);
    manifest.check_files();
    add_problems(std::mem::take(&mut manifest.problems), &mut findings);
    (findings, has_all_parts)
}

/// Compares the digest of the manifest with that in `_SUCCESS`.
fn check_manifest_digest(root: &Path, manifest: &Manifest, text: &[u8], findings: &mut Findings) {
    // While a dataset is replaced, `_SUCCESS` of the former dataset may still be there.
    let expected = disk::read(&root.join(SUCCESS_FILE)).unwrap_or_default();
    let ends_with_newline = text.ends_with(b"\n");
    let is_known = ends_with_newline && manifest.stale.is_empty() && !expected.is_empty();
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
        let kind = DatasetErrorKind::NotADataset(DatasetDefect::IsBeingWritten);
        return Err(Error::new(kind, root));
    }
    Ok(Some(log))
}

fn add_problems(problems: Vec<ManifestDefect>, findings: &mut Findings) {
    for problem in problems {
        let kind = match problem {
            ManifestDefect::CutLine { .. } => FindingKind::ManifestCut,
            ManifestDefect::UnknownFormat { .. } | ManifestDefect::Invalid { .. } => {
                FindingKind::Manifest
            }
        };
        findings.add(kind, MANIFEST_FILE, format_args!("{problem}"));
    }
}

/// Checks that `views.sql` opens this dataset. It may be missing if the run was not finished.
fn check_views(root: &Path, manifest: &Manifest, findings: &mut Findings) {
    let Some(tables) = manifest.tables() else {
        return;
    };
    if manifest.stale.contains(VIEWS_FILE) {
        return;
    }
    let what = match disk::read(&root.join(VIEWS_FILE)) {
        Ok(text) if is_views_of(&text, root, &tables, &[]) => return,
        Ok(_) => "it opens another folder, or was changed",
        Err(_) if !disk::is_regular(&root.join(SUCCESS_FILE)) => return,
        Err(_) => "it is missing or cannot be read",
    };
    findings.add(FindingKind::Views, VIEWS_FILE, format_args!("{what}"));
}

fn listed_paths(manifest: &Manifest) -> BTreeSet<String> {
    let listed = manifest.files().map(|file| file.path.clone());
    listed.chain(manifest.stale.iter().cloned()).collect()
}

fn check_folders(root: &Path, known_paths: BTreeSet<String>, findings: &mut Findings) {
    let log = LogEntries::read(root).ok().flatten().unwrap_or_default();
    let mut search = FolderSearch {
        root,
        known_paths,
        temp_folders: log.temp_folders,
        findings,
    };
    search.run();
    findings.replace_foreign_remedy();
}

fn set_progress_totals(root: &Path, manifest: &Manifest, progress: &VerifyProgress) {
    let bytes = manifest
        .files()
        .map(|file| file.stats.bytes)
        .fold(0, u64::saturating_add);
    let agents = disk::size_below(root, Path::new(AGENTS_PATH)).unwrap_or(0);
    let total = bytes.saturating_add(agents);
    progress.bytes_total.store(total, Ordering::Relaxed);
    let parts = manifest.parts.len() as u64;
    progress.parts_total.store(parts, Ordering::Relaxed);
}

/// Checks the files of each list. Returns for each list the files whose rows can be read.
pub(super) fn check_files(
    root: &Path,
    lists: &[&[FileEntry]],
    progress: &VerifyProgress,
    report: &mut VerifyReport,
) -> Vec<Vec<ReadableFile>> {
    let schemas = Table::ALL.map(|table| (table, table.schema()));
    let schemas: BTreeMap<Table, SchemaRef> = schemas.into_iter().collect();
    let numbered_lists = lists.iter().enumerate();
    let entries: Vec<_> = numbered_lists
        .flat_map(|(i, list)| list.iter().map(move |entry| (i, entry)))
        .collect();
    let checks = entries.into_par_iter().map(|(i, entry)| {
        let mut findings = Findings::default();
        let file = disk::open_below(root, Path::new(&entry.path));
        let expected = ExpectedFile {
            schema: &schemas[&entry.table],
            stats: Some(&entry.stats),
        };
        let check = file::check(file, &entry.path, &expected, progress, &mut findings);
        let readable = check.is_sound.then(|| ReadableFile {
            table: entry.table,
            path: root.join(&entry.path),
            name: entry.path.clone(),
        });
        (i, check, readable, findings)
    });
    let mut files: Vec<Vec<ReadableFile>> = lists.iter().map(|_| Vec::new()).collect();
    for (i, check, readable, findings) in checks.collect::<Vec<_>>() {
        report.count_file(check);
        report.findings.append(findings);
        files[i].extend(readable);
    }
    files
}

/// Compares the tables of each part, and the keys of all parts. Returns the keys.
fn check_parts(
    manifest: &Manifest,
    files: &[Vec<ReadableFile>],
    progress: &VerifyProgress,
    report: &mut VerifyReport,
) -> CaptureIds {
    progress.begin_phase(VerifyPhase::Parts);
    let parts: Vec<(&PartEntry, &Vec<ReadableFile>)> = manifest.parts.iter().zip(files).collect();
    let checks = parts.into_par_iter().map(|(part, files)| {
        // If the verification was stopped, its findings are not reported.
        let files = if progress.is_stopped() { &[] } else { &**files };
        let check = part::check(files);
        progress.parts.fetch_add(1, Ordering::Relaxed);
        (part, check)
    });
    let mut ids_by_crawl = CaptureIds::new();
    for (part, check) in checks.collect::<Vec<_>>() {
        let PartCheck {
            robots_ids,
            findings,
        } = check;
        report.parts += 1;
        report.captures += robots_ids.len() as u64;
        report.findings.append(findings);
        ids_by_crawl
            .entry(part.crawl.clone())
            .or_default()
            .extend(robots_ids);
    }
    progress.begin_phase(VerifyPhase::Keys);
    for (crawl, robots_ids) in &mut ids_by_crawl {
        robots_ids.par_sort_unstable();
        let path = format!("{}/crawl={crawl}", Table::RobotsFiles.name());
        let repeated = robots_ids.chunk_by(|a, b| a == b);
        for ids in repeated.filter(|ids| ids.len() > 1) {
            let (id, count) = (ids[0], ids.len());
            report.findings.add(
                FindingKind::Twice,
                &path,
                format_args!("robots_id {id} occurs {count} times"),
            );
        }
    }
    ids_by_crawl
}

/// Returns descriptions of the checks that are not possible, because the manifest is incomplete or a
/// table is missing.
fn list_unchecked(manifest: &Manifest) -> Vec<String> {
    let what = match &manifest.options {
        None => "which tables there should be: the options are not known",
        Some(options) if !options.tables.contains(&Table::RobotsFiles) => {
            "the keys of captures, as `robots_files` was not chosen"
        }
        Some(_) => return Vec::new(),
    };
    vec![what.to_owned()]
}

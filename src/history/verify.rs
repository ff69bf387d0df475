//! Verifies a history: its manifest, its files, and its views. Rows are not compared with each other.

use crate::own_tables;
use crate::read::history_reader::HistoryReader;
use crate::write::manifest::HistoryManifest;
use crate::write::views::is_views_of;
use dataset::error::{DatasetDefect, DatasetErrorKind};
use dataset::{LogEntries, MANIFEST_FILE, SUCCESS_FILE, VIEWS_FILE};
use errors::Error;
use keep::verify::{
    FindingKind, Findings, FolderSearch, ListedFile, Options, Remedy, VerifyPhase, VerifyProgress,
    VerifyReport, check_description, check_files, error_cause, one_line_message, relative_path,
    verify_with,
};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::Ordering;
use tables::Table;

/// Verifies a history.
///
/// # Errors
///
/// Those of [`verify_with`].
pub fn verify(
    options: &Options,
    history: &HistoryManifest,
    progress: &VerifyProgress,
) -> Result<VerifyReport, Error> {
    verify_with(options, progress, |root| check(root, history, progress))
}

fn check(
    root: &Path,
    history: &HistoryManifest,
    progress: &VerifyProgress,
) -> Result<VerifyReport, Error> {
    let mut report = VerifyReport {
        crawls: Some(history.crawls.len() as u64),
        ..VerifyReport::default()
    };
    progress.begin_phase(VerifyPhase::Files);
    let bytes = history.files.iter().map(|file| file.stats.bytes).sum();
    progress.bytes_total.fetch_add(bytes, Ordering::Relaxed);
    let listed = history.files.iter();
    let listed =
        listed.filter_map(|file| Some(ListedFile::new(file.table()?, &file.path, &file.stats)));
    let listed: Vec<ListedFile<'_>> = listed.collect();
    check_files(root, &listed, progress, &mut report);
    let captures = history.table_files(own_tables::HOST_CAPTURES);
    report.captures = captures.map(|file| file.stats.rows).sum();
    let tables: Vec<Table> = own_tables::all().collect();
    for table in &tables {
        if history.table_files(*table).next().is_none() {
            let what = format_args!("it has no file of the table `{}`", table.name());
            report
                .findings
                .add(FindingKind::Manifest, MANIFEST_FILE, what);
        }
    }
    // The manifest has no digest, but its crawls and the numbers of their captures are those of the table `crawls`.
    if report.findings.count() == 0
        && let Err(error) = HistoryReader::open(root, history, false, progress.stop_flag())
    {
        add_defect(root, &error, &mut report.findings);
    }
    let log = LogEntries::read(root).ok().flatten().unwrap_or_default();
    let left = find_left_files(root, history, &log);
    check_folder(root, history, &tables, &left, &mut report.findings);
    report.findings.replace_remedies(Remedy::REBUILD_HISTORY);
    for name in left.iter().chain(&log.temp_folders) {
        if root.join(name).exists() {
            let what = format_args!("a run that was stopped has left it");
            report.findings.add(FindingKind::Temporary, name, what);
        }
    }
    let text = disk::read(&root.join(VIEWS_FILE)).unwrap_or_default();
    if !is_views_of(&text, root) {
        let what = format_args!("it is missing, opens another folder, or was changed");
        report.findings.add(FindingKind::Views, VIEWS_FILE, what);
    }
    check_description(root, &mut report.findings);
    Ok(report)
}

/// Adds an error of [`HistoryReader::open`] to the findings.
fn add_defect(root: &Path, error: &Error, findings: &mut Findings) {
    let defect = match error.kind() {
        Some(DatasetErrorKind::NotADataset(defect)) => Some(defect),
        _ => None,
    };
    let path = match defect {
        Some(DatasetDefect::BadTable { table, .. }) => (*table).to_owned(),
        _ => relative_path(error.path(), root),
    };
    match defect {
        Some(defect) => findings.add(FindingKind::Manifest, &path, format_args!("{defect}")),
        None => {
            let cause = one_line_message(error_cause(error));
            let what = format_args!("it cannot be read: {cause}");
            findings.add(FindingKind::Pages, &path, what);
        }
    }
}

/// Returns the paths of files that runs have left which were stopped before or after they replaced the manifest.
fn find_left_files(root: &Path, history: &HistoryManifest, log: &LogEntries) -> BTreeSet<String> {
    let listed: BTreeSet<&String> = history.files.iter().map(|file| &file.path).collect();
    let files = log.part_files.iter();
    let is_left = |path: &&String| !listed.contains(path) && disk::is_regular(&root.join(path));
    files.filter(is_left).cloned().collect()
}

/// Reports a missing `_SUCCESS`, and files in the folder that neither the manifest nor `left` lists.
fn check_folder(
    root: &Path,
    history: &HistoryManifest,
    tables: &[Table],
    left: &BTreeSet<String>,
    findings: &mut Findings,
) {
    if !disk::is_regular(&root.join(SUCCESS_FILE)) {
        let what = format_args!("it is missing");
        findings.add(FindingKind::Unfinished, SUCCESS_FILE, what);
    }
    let listed = history.files.iter().map(|file| file.path.clone());
    let mut search = FolderSearch {
        root,
        known_paths: listed.chain(left.iter().cloned()).collect(),
        temp_folders: BTreeSet::new(),
        tables,
        findings,
    };
    search.run();
}

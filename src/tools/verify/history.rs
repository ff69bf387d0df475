//! Verifies a history: its files, and whether its tables refer to each other.

use super::folder::FolderSearch;
use super::scanned_dataset::{ListedFile, check_files};
use super::{FindingKind, Findings, Remedy, VerifyPhase, VerifyProgress, VerifyReport};
use crate::history::find_defect;
use dataset::tables::Table;
use dataset::{
    HistoryManifest, LogEntries, MANIFEST_FILE, SUCCESS_FILE, VIEWS_FILE, is_history_views_of,
};
use disk::error::Error;
use std::path::Path;
use std::sync::atomic::Ordering;

/// Verifies the history at `root`.
pub(super) fn check(
    root: &Path,
    history: &HistoryManifest,
    progress: &VerifyProgress,
) -> Result<VerifyReport, Error> {
    let mut report = VerifyReport::default();
    progress.begin_phase(VerifyPhase::Files);
    let bytes = history.files.iter().map(|file| file.stats.bytes).sum();
    progress.bytes_total.fetch_add(bytes, Ordering::Relaxed);
    let listed = history.files.iter();
    let listed = listed.filter_map(|file| Some(ListedFile::from_history(file.table()?, file)));
    let listed: Vec<ListedFile<'_>> = listed.collect();
    let sound = check_files(root, &listed, true, progress, &mut report);
    let tables: Vec<Table> = Table::OF_HISTORY
        .into_iter()
        .chain([Table::Agents])
        .collect();
    for table in &tables {
        if history.table_files(*table).next().is_none() {
            let what = format_args!("it has no file of the table `{}`", table.name());
            report
                .findings
                .add(FindingKind::Manifest, MANIFEST_FILE, what);
        }
    }
    if sound.len() == history.files.len() && report.findings.count() == 0 {
        progress.begin_phase(VerifyPhase::Keys);
        if let Some(error) = find_defect(root, history) {
            let path = error.path().to_string_lossy();
            let kind = FindingKind::Order;
            report.findings.add(kind, &path, format_args!("{error}"));
        }
    }
    check_folder(root, history, &tables, &mut report.findings);
    report.findings.replace_remedies(Remedy::WriteHistory);
    let text = disk::read(&root.join(VIEWS_FILE)).unwrap_or_default();
    if !is_history_views_of(&text, root, history) {
        let what = format_args!("it is missing, opens another folder, or was changed");
        report.findings.add(FindingKind::Views, VIEWS_FILE, what);
    }
    Ok(report)
}

/// Searches the folder for files that are not listed.
fn check_folder(root: &Path, history: &HistoryManifest, tables: &[Table], findings: &mut Findings) {
    if !disk::is_regular(&root.join(SUCCESS_FILE)) {
        let what = format_args!("it is missing");
        findings.add(FindingKind::Unfinished, SUCCESS_FILE, what);
    }
    let log = LogEntries::read(root).ok().flatten().unwrap_or_default();
    let mut search = FolderSearch {
        root,
        known_paths: history.files.iter().map(|file| file.path.clone()).collect(),
        temp_folders: log.temp_folders,
        tables,
        findings,
    };
    search.run();
}

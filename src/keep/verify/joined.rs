//! Verifies joined datasets: each dataset, and the files of the tables that were resolved from all of them.

use super::description::check_description;
use super::folder::FolderSearch;
use super::scanned_dataset::{self, ListedFile, check_files};
use super::{FindingKind, Findings, Remedy, VerifyPhase, VerifyProgress, VerifyReport};
use dataset::{
    JOINED_FOLDER, JoinedManifest, LogEntries, MANIFEST_FILE, ManifestText, SUCCESS_FILE,
    VIEWS_FILE, is_views_of,
};
use errors::Error;
use std::path::Path;
use std::sync::atomic::Ordering;
use tables::Table;

/// Verifies the joined datasets of a folder.
pub(super) fn check(
    folder: &Path,
    joined: &JoinedManifest,
    progress: &VerifyProgress,
) -> Result<VerifyReport, Error> {
    let mut report = VerifyReport::default();
    for member in &joined.members {
        let root = folder.join(&member.name);
        let mut member_report = scanned_dataset::check(&root, progress)?;
        if ManifestText::require(&root)?.digest() != member.digest {
            member_report.findings.add(
                FindingKind::Manifest,
                MANIFEST_FILE,
                format_args!("it was changed since the datasets were joined"),
            );
        }
        report.add_member(&member.name, member_report);
    }
    progress.begin_phase(VerifyPhase::Files);
    let root = folder.join(JOINED_FOLDER);
    let bytes = joined.files().map(|file| file.stats.bytes).sum::<u64>();
    progress.bytes_total.fetch_add(bytes, Ordering::Relaxed);
    let mut joined_report = VerifyReport::default();
    let listed: Vec<ListedFile<'_>> = joined.files().map(ListedFile::from_entry).collect();
    check_files(&root, &listed, progress, &mut joined_report);
    check_folder(&root, joined, &mut joined_report.findings);
    joined_report.findings.replace_remedies(Remedy::JOIN);
    report.add_member(JOINED_FOLDER, joined_report);
    let text = disk::read(&folder.join(VIEWS_FILE)).unwrap_or_default();
    if !is_views_of(&text, folder, &joined.viewed(true)) {
        let what = format_args!("it is missing, opens another folder, or was changed");
        report.findings.add(FindingKind::Views, VIEWS_FILE, what);
    }
    check_description(folder, &mut report.findings);
    Ok(report)
}

/// Searches the folder of the resolved tables for files that are not listed.
fn check_folder(root: &Path, joined: &JoinedManifest, findings: &mut Findings) {
    if !disk::is_regular(&root.join(SUCCESS_FILE)) {
        let what = format_args!("it is missing: joining was not finished");
        findings.add(FindingKind::Unfinished, SUCCESS_FILE, what);
    }
    let log = LogEntries::read(root).ok().flatten().unwrap_or_default();
    let mut search = FolderSearch {
        root,
        known_paths: joined.files().map(|file| file.path.clone()).collect(),
        temp_folders: log.temp_folders,
        tables: &Table::ALL,
        findings,
    };
    search.run();
}

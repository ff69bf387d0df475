//! Finds files in the folders of a dataset that do not belong to it: files that
//! the views would read, and temporary files of a killed run.

use super::plan::relative_path;
use super::{FindingKind, Findings};
use disk::FileKind;
use std::collections::BTreeSet;
use std::path::Path;
use tables::Table;

/// Searches for files that the dataset does not list.
pub struct FolderSearch<'a> {
    /// The folder of the dataset.
    pub root: &'a Path,
    /// The paths of the files that belong to the dataset, relative to `root`.
    pub known_paths: BTreeSet<String>,
    /// The names of the folders of temporary files that the log lists.
    pub temp_folders: BTreeSet<String>,
    /// The tables whose folders are searched.
    pub tables: &'a [Table],
    /// The findings to which those of the search are added.
    pub findings: &'a mut Findings,
}

impl FolderSearch<'_> {
    /// Searches the folders of all tables, and the folders of temporary files.
    pub fn run(&mut self) {
        for name in &self.temp_folders {
            if let Ok(Some(FileKind::Folder)) = disk::file_kind(&self.root.join(name)) {
                self.findings.add(
                    FindingKind::Temporary,
                    name,
                    format_args!("temporary files"),
                );
            }
        }
        for table in self.tables {
            // Each partition column is a level of folders, and views read only files at the last level.
            let depth = table.partition_columns().len();
            self.search(&self.root.join(table.name()), depth);
        }
    }

    /// Searches a folder. The views read the files that are `depth` levels of folders below `folder`.
    fn search(&mut self, folder: &Path, depth: usize) {
        let entries = match disk::list_folder(folder) {
            Ok(entries) => entries,
            Err(error) => {
                let path = relative_path(folder, self.root);
                let what = format_args!("it cannot be read: {error}");
                self.findings.add(FindingKind::Unreadable, &path, what);
                return;
            }
        };
        for (path, kind) in entries {
            match (kind, depth) {
                (FileKind::Folder, 0) => {}
                (FileKind::Folder, _) => self.search(&path, depth - 1),
                (FileKind::Link, _) => self.check_link(&path, depth),
                (FileKind::Regular | FileKind::Special, 0) => self.check_file(&path),
                (FileKind::Regular | FileKind::Special, _) => {}
            }
        }
    }

    /// Adds a finding for an unlisted link that the views may follow: to a folder, or to a Parquet file.
    fn check_link(&mut self, path: &Path, depth: usize) {
        if depth == 0
            && path
                .extension()
                .is_none_or(|extension| extension != "parquet")
        {
            return;
        }
        let path = relative_path(path, self.root);
        // A listed file that is now a link is reported when the files are checked.
        if !self.known_paths.contains(&path) {
            let what = format_args!("it is a link, which views may follow");
            self.findings.add(FindingKind::Foreign, &path, what);
        }
    }

    /// Adds a finding for a Parquet file that the dataset does not list.
    fn check_file(&mut self, path: &Path) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let path = relative_path(path, self.root);
        if !name.ends_with(".parquet") || self.known_paths.contains(&path) {
            return;
        }
        let what = format_args!("it is not in the manifest");
        self.findings.add(FindingKind::Foreign, &path, what);
    }
}

//! Finds the files of a dataset in its folders, and the parts in them.

use crate::ManifestText;
use crate::error::{DatasetDefect, DatasetErrorKind};
use disk::FileKind;
use errors::Error;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use tables::Table;

/// The start of the name of the folder of a crawl.
const CRAWL_PREFIX: &str = "crawl=";

/// The start of the name of the folder of a subset.
const SUBSET_PREFIX: &str = "subset=";

/// The parts in each file, by the path of the file: the name of each part, and its row groups (`None` for all of
/// the file).
pub(super) type LocationsByPath = HashMap<PathBuf, Vec<(PathBuf, Option<Range<usize>>)>>;

/// The folder of a table and crawl.
pub(super) struct CrawlFolder {
    /// The folder of the dataset.
    pub(super) root: PathBuf,
    pub(super) table: Table,
    pub(super) crawl: String,
    pub(super) path: PathBuf,
}

/// Returns the locations of parts in the files of a dataset, as its manifest states them. A file without a
/// location, such as one of a dataset without a manifest, is later read as a part of its own.
pub(super) fn read_locations(root: &Path) -> Result<LocationsByPath, Error> {
    let mut by_path = LocationsByPath::new();
    let Some(text) = ManifestText::read(root)? else {
        return Ok(by_path);
    };
    let mut manifest = text.manifest();
    manifest.check_files();
    for location in manifest.part_locations() {
        let name = root.join(location.part_name());
        let of_path = by_path.entry(root.join(&location.path)).or_default();
        of_path.push((name, location.row_groups));
    }
    Ok(by_path)
}

/// Returns the folders of all crawls of each table. Fails if a table has none.
pub(super) fn find_crawl_folders(root: &Path, tables: &[Table]) -> Result<Vec<CrawlFolder>, Error> {
    let mut folders = Vec::new();
    for &table in tables {
        for (path, kind) in read_entries(&root.join(table.name()))? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if let Some(crawl) = name.strip_prefix(CRAWL_PREFIX) {
                check_kind(&path, kind, FileKind::Folder)?;
                folders.push(CrawlFolder {
                    root: root.to_owned(),
                    table,
                    crawl: crawl.to_owned(),
                    path: path.clone(),
                });
            }
        }
    }
    if folders.is_empty() {
        return Err(DatasetDefect::other("it holds no tables of robots-scan").error(root));
    }
    let is_missing = |table: &&Table| !folders.iter().any(|folder| folder.table == **table);
    match tables.iter().find(is_missing) {
        None => Ok(folders),
        Some(table) => {
            let kind = DatasetErrorKind::MissingTable {
                table: table.name(),
                needed: tables.iter().map(|table| table.name()).collect(),
            };
            Err(Error::new(kind, root))
        }
    }
}

/// Returns the Parquet files of a table in the folder of a crawl: those of all subsets, if the table has subsets.
pub(super) fn find_parquet_files(crawl: &Path, table: Table) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    if table.is_per_crawl() {
        push_parquet_files(crawl, &mut files)?;
        return Ok(files);
    }
    for (subset, kind) in read_entries(crawl)? {
        let name = subset.file_name().unwrap_or_default().to_string_lossy();
        match kind {
            FileKind::Folder => {}
            _ if name.starts_with(SUBSET_PREFIX) => check_kind(&subset, kind, FileKind::Folder)?,
            _ => continue,
        }
        push_parquet_files(&subset, &mut files)?;
    }
    Ok(files)
}

/// Adds the Parquet files in a folder to `files`.
fn push_parquet_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    for (path, kind) in read_entries(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // Names of temporary files start with `_`.
        if name.ends_with(".parquet") && !name.starts_with('_') {
            check_kind(&path, kind, FileKind::Regular)?;
            files.push(path.clone());
        }
    }
    Ok(())
}

/// Returns the entries of a folder of a dataset, sorted; empty if it does not exist.
fn read_entries(folder: &Path) -> Result<Vec<(PathBuf, FileKind)>, Error> {
    disk::list_folder(folder).map_err(|error| Error::read(folder, error))
}

/// Rejects a link, a pipe or a device that has the name of a part or of its folder:
/// views might read it, while rows would be missing silently.
fn check_kind(path: &Path, found: FileKind, needed: FileKind) -> Result<(), Error> {
    if found == needed {
        Ok(())
    } else {
        Err(Error::new(
            DatasetErrorKind::WrongKind { found, needed },
            path,
        ))
    }
}

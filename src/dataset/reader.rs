//! Reads a dataset: finds its files, and reads rows of a table batch by batch.

use super::part_reader::{PartFile, PartId, PartReader, no_column_error};
use super::row_filter::column_statistics;
use super::stored_file::{StoredFile, TableFile};
use super::table_files::{LocationsByPath, find_crawl_folders, find_parquet_files, read_locations};
use crate::capture_filter::CaptureFilter;
use crate::error::{DatasetDefect, DatasetErrorKind};
use crate::{FileStats, JOINED_FOLDER, JoinedManifest, ManifestText, PartLocation, SUCCESS_FILE};
use arrow_array::{Array, RecordBatch};
use errors::{Error, ErrorKind};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::statistics::Statistics;
use parquet_limits::read_footer;
use process::open_files;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tables::Table;

/// A dataset that is read.
#[derive(Clone, Debug)]
pub struct Dataset {
    root: PathBuf,
    crawls: Vec<String>,
    files: Vec<PartFile>,
    stop: Option<Arc<AtomicBool>>,
}

/// A file of a table that was found, or the row groups of one part in such a file.
struct FoundFile {
    table: Table,
    crawl: String,
    /// The name of the part, which its rows in all tables have in common.
    name: PathBuf,
    path: PathBuf,
    /// The size and the digest that are compared.
    stats: Option<FileStats>,
    row_groups: Option<Range<usize>>,
}

impl Dataset {
    /// Opens a dataset: finds the files of `tables`, all of which must exist, for the
    /// crawls in `wanted`, or for all crawls if it is empty.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`] if `root` does not exist, [`DatasetErrorKind::NotADataset`] if it has no
    /// tables, [`DatasetErrorKind::MissingTable`] and [`DatasetErrorKind::MissingCrawl`];
    /// [`DatasetErrorKind::WrongKind`] if a link, a pipe or a device has the name of a
    /// part or of its folder.
    pub fn open(root: &Path, wanted: &[String], tables: &[Table]) -> Result<Self, Error> {
        fs::metadata(root).map_err(|error| Error::read(root, error))?;
        let text = ManifestText::read(root)?;
        if let Some(kind) = text.and_then(|text| text.kind()) {
            return Err(DatasetDefect::OfKind(kind).error(root));
        }
        let joined = JoinedManifest::read(root)?;
        let roots = match &joined {
            None => vec![root.to_owned()],
            Some(joined) => {
                joined.check_members(root)?;
                joined
                    .member_names()
                    .iter()
                    .map(|name| root.join(name))
                    .collect()
            }
        };
        // Joined datasets have one set of resolved tables, of all crawls.
        let (resolved, part_tables): (Vec<Table>, Vec<Table>) =
            tables.iter().partition(|table| table.is_per_crawl());
        let mut folders = Vec::new();
        for root in &roots {
            if let Some(text) = ManifestText::read(root)? {
                text.check_readable()?;
            }
            folders.extend(find_crawl_folders(root, &part_tables)?);
        }
        if !resolved.is_empty() {
            let root = match &joined {
                None => root.to_owned(),
                Some(_) => root.join(JOINED_FOLDER),
            };
            folders.extend(find_crawl_folders(&root, &resolved)?);
        }
        let all: BTreeSet<&String> = folders.iter().map(|folder| &folder.crawl).collect();
        check_crawls(root, wanted, all)?;
        let mut locations = LocationsByPath::new();
        for root in &roots {
            locations.extend(read_locations(root)?);
        }
        let mut files = Vec::new();
        for folder in folders {
            if wanted.is_empty() || wanted.contains(&folder.crawl) {
                for path in find_parquet_files(&folder.path, folder.table)? {
                    let of_file = locations.remove(&path);
                    let of_file = of_file.unwrap_or_else(|| {
                        let name = path.strip_prefix(folder.root.join(folder.table.name()));
                        vec![(folder.root.join(name.unwrap_or(Path::new(""))), None)]
                    });
                    files.extend(of_file.into_iter().map(|(name, row_groups)| FoundFile {
                        table: folder.table,
                        crawl: folder.crawl.clone(),
                        name,
                        path: path.clone(),
                        stats: None,
                        row_groups,
                    }));
                }
            }
        }
        Self::from_files(root, files)
    }

    /// Opens the parts of datasets whose manifests are known: only rows of `tables` in these parts
    /// are read. `datasets` has the folder of each dataset, with the locations of its parts; `root` is used
    /// only in messages. If `compares_digests`, a file is compared with its digest before its first row is read.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`].
    pub fn from_parts(
        root: &Path,
        datasets: &[(PathBuf, Vec<PartLocation<'_>>)],
        tables: &[Table],
        compares_digests: bool,
    ) -> Result<Self, Error> {
        let mut files = Vec::new();
        for (folder, locations) in datasets {
            let wanted = locations.iter();
            for location in wanted.filter(|location| tables.contains(&location.table.table)) {
                files.push(FoundFile {
                    table: location.table.table,
                    crawl: location.part.crawl.clone(),
                    name: folder.join(location.part_name()),
                    path: folder.join(&location.path),
                    stats: location.stats.filter(|_| compares_digests).cloned(),
                    row_groups: location.row_groups.clone(),
                });
            }
        }
        Self::from_files(root, files)
    }

    /// Opens files of tables outside a dataset. The files of a table are read in the order in which they are given.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`].
    pub fn from_table_files(root: &Path, files: Vec<TableFile>) -> Result<Self, Error> {
        let found = (0u32..).zip(files).map(|(number, file)| FoundFile {
            table: file.table,
            crawl: String::new(),
            name: PathBuf::from(format!("{number:010}")),
            path: file.path,
            stats: file.stats,
            row_groups: None,
        });
        Self::from_files(root, found.collect())
    }

    /// Adds files of resolved tables, as files of the first crawl.
    pub fn with_crawl_files(mut self, files: &[TableFile]) -> Self {
        let id = PartId {
            crawl: 0,
            part: u32::MAX,
        };
        self.files
            .extend(files.iter().cloned().map(|file| PartFile {
                table: file.table,
                id,
                file: Arc::new(StoredFile::new(file.path, file.stats)),
                row_groups: None,
            }));
        self
    }

    /// Returns the parts that have a table, in the order in which they are read.
    pub fn parts_with_table(&self, table: Table) -> Vec<u32> {
        let files = self.files.iter().filter(|file| file.table == table);
        files.map(|file| file.id.part).collect()
    }

    fn from_files(root: &Path, found: Vec<FoundFile>) -> Result<Self, Error> {
        let mut by_crawl: BTreeMap<String, Vec<FoundFile>> = BTreeMap::new();
        for file in found {
            by_crawl.entry(file.crawl.clone()).or_default().push(file);
        }
        let mut crawls = Vec::new();
        let has_order = by_crawl.len() > 1;
        for (crawl, files) in by_crawl {
            let first_time = if has_order {
                read_first_fetch_time(&files)?
            } else {
                None
            };
            crawls.push((first_time, crawl, files));
        }
        crawls.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        let mut files = Vec::new();
        let mut stored = BTreeMap::new();
        let mut parts = 0;
        for (crawl, (_, _, crawl_files)) in (0..).zip(&crawls) {
            let part_keys: BTreeSet<&PathBuf> = crawl_files.iter().map(|file| &file.name).collect();
            let indexes: BTreeMap<&PathBuf, u32> = part_keys.into_iter().zip(parts..).collect();
            files.extend(crawl_files.iter().map(|file| PartFile {
                table: file.table,
                id: PartId {
                    crawl,
                    part: indexes[&file.name],
                },
                file: Arc::clone(stored.entry(file.path.clone()).or_insert_with(|| {
                    Arc::new(StoredFile::new(file.path.clone(), file.stats.clone()))
                })),
                row_groups: file.row_groups.clone(),
            }));
            parts += indexes.len() as u32;
        }
        files.sort_by(|a: &PartFile, b: &PartFile| {
            (a.table, a.id, &a.file.path).cmp(&(b.table, b.id, &b.file.path))
        });
        Ok(Self {
            root: root.to_owned(),
            crawls: crawls.into_iter().map(|(_, crawl, _)| crawl).collect(),
            files,
            stop: None,
        })
    }

    /// Sets a flag that stops reading: once it is true, reading fails with [`ErrorKind::Abandoned`].
    pub fn with_stop_flag(mut self, stop: &Arc<AtomicBool>) -> Self {
        self.stop = Some(Arc::clone(stop));
        self
    }

    /// Returns the folder of the dataset.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns an error if a part has no file of one of the tables.
    ///
    /// # Errors
    ///
    /// [`DatasetErrorKind::NotADataset`].
    pub fn check_parts(&self, tables: &[Table]) -> Result<(), Error> {
        let found: BTreeSet<(PartId, Table)> = self
            .files
            .iter()
            .map(|file| (file.id, file.table))
            .collect();
        for file in &self.files {
            let is_missing = |table: &&Table| !found.contains(&(file.id, **table));
            if let Some(table) = tables.iter().find(is_missing) {
                let table = table.name();
                return Err(DatasetDefect::NoPartFile { table }.error(&file.file.path));
            }
        }
        Ok(())
    }

    /// Returns true if the dataset at `root` has a table.
    ///
    /// # Errors
    ///
    /// Those of reading the manifest of joined datasets.
    pub fn has_table(root: &Path, table: Table) -> Result<bool, Error> {
        Ok(match JoinedManifest::read(root)? {
            Some(joined) => joined.tables.contains(&table),
            None => root.join(table.name()).is_dir(),
        })
    }

    /// Returns the crawls in the order of the times of their first captures, then of their
    /// names. Other functions identify a crawl by its index in this list.
    pub fn crawls(&self) -> &[String] {
        &self.crawls
    }

    /// Returns true if the run that wrote the dataset was finished.
    pub fn is_finished(&self) -> bool {
        let joined = self.root.join(JOINED_FOLDER).join(SUCCESS_FILE);
        disk::is_regular(&self.root.join(SUCCESS_FILE)) || disk::is_regular(&joined)
    }

    /// Reads columns of a table, part by part, on all threads of the pool, in any order. Calls `each` with the part and a
    /// batch of rows. Batches may contain rows of captures that are not in `filter`, since some filters select whole row
    /// groups or have false positives. Pages without matching rows are not decoded.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`], [`DatasetErrorKind::NotADataset`] if a column does not exist, and
    /// the errors of `each`.
    pub fn read_in_parallel(
        &self,
        table: Table,
        columns: &[&str],
        filter: &CaptureFilter,
        each: &(dyn Fn(PartId, &RecordBatch) -> Result<(), Error> + Sync),
    ) -> Result<(), Error> {
        let files: Vec<&PartFile> = self.table_files(table, filter).collect();
        let stop = self.stop.as_ref();
        for_each_in_parallel(&files, &|file| {
            file.read(columns, filter, stop, &mut |batch| each(file.id, batch))
        })
    }

    /// Returns the number of parts of a table whose files are not open yet.
    pub fn count_closed(&self, table: Table) -> usize {
        let files = self.files.iter().filter(|file| file.table == table);
        files.filter(|file| file.file.is_closed()).count()
    }

    /// Returns true if a table was opened and any part has it.
    pub fn has_files(&self, table: Table) -> bool {
        self.files.iter().any(|file| file.table == table)
    }

    /// Returns true if a part has a file of a table.
    pub fn has_part(&self, table: Table, part: u32) -> bool {
        let mut files = self.files.iter();
        files.any(|file| file.table == table && file.id.part == part)
    }

    /// Opens the file of a table of a part, to read the rows of captures in `filter`.
    ///
    /// # Errors
    ///
    /// [`DatasetErrorKind::NotADataset`] if there is no such file, and those of [`Dataset::read_in_parallel`].
    pub fn open_part(
        &self,
        table: Table,
        part: u32,
        columns: &[&str],
        filter: &CaptureFilter,
    ) -> Result<PartReader, Error> {
        let mut files = self.files.iter();
        let file = files.find(|file| file.table == table && file.id.part == part);
        let file = file.ok_or_else(|| {
            let table = table.name();
            DatasetDefect::NoPartFile { table }.error(&self.root)
        })?;
        file.open(columns, filter, self.stop.as_ref())
    }

    /// Returns the number of rows of a table.
    ///
    /// # Errors
    ///
    /// Those of [`Dataset::read_in_parallel`].
    pub fn count_rows(&self, table: Table) -> Result<u64, Error> {
        let files: Vec<&PartFile> = self.table_files(table, &CaptureFilter::All).collect();
        let total = AtomicU64::new(0);
        for_each_in_parallel(&files, &|file| {
            let metadata = read_metadata(&file.file.path, &*file.file.open()?)?;
            let row_groups = metadata.row_groups().iter().enumerate();
            let row_groups = row_groups.filter(|(i, _)| file.has_row_group(*i));
            // A damaged footer may state any number.
            let rows = row_groups.map(|(_, row_group)| row_group.num_rows());
            let rows = rows.fold(0, i64::saturating_add).unsigned_abs();
            let add = |total: u64| Some(total.saturating_add(rows));
            // `add` never returns `None`, so the update cannot fail.
            let _ = total.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
            Ok(())
        })?;
        Ok(total.into_inner())
    }

    pub(super) fn table_files<'d>(
        &'d self,
        table: Table,
        filter: &CaptureFilter,
    ) -> impl Iterator<Item = &'d PartFile> + use<'d> {
        let only = match filter {
            CaptureFilter::One { crawl, .. } => Some(*crawl),
            _ => None,
        };
        self.files.iter().filter(move |file| {
            file.table == table && only.is_none_or(|crawl| crawl == file.id.crawl)
        })
    }
}

/// Calls `each` for files on all threads, or on fewer threads if the limit of open files is too low.
pub(super) fn for_each_in_parallel<F: Sync>(
    files: &[F],
    each: &(dyn Fn(&F) -> Result<(), Error> + Sync),
) -> Result<(), Error> {
    // The other half of the free files is for files that `each` opens.
    let max_open_files = (open_files::count_free() / 2).max(1);
    let files_per_task = if rayon::current_num_threads() <= max_open_files {
        1
    } else {
        files.len().div_ceil(max_open_files).max(1)
    };
    files
        .par_chunks(files_per_task)
        .try_for_each(|files| files.iter().try_for_each(each))
}

/// Returns the time of the first capture in the files of a crawl, in milliseconds since 1970; `None`
/// if none has a time.
fn read_first_fetch_time(files: &[FoundFile]) -> Result<Option<i64>, Error> {
    let captures = files
        .iter()
        .filter(|file| file.table == Table::ROBOTS_FILES);
    let paths: BTreeSet<&PathBuf> = captures.map(|file| &file.path).collect();
    let mut first: Option<i64> = None;
    for path in paths {
        // Only the order of crawls depends on it: the digest is compared before rows are read.
        let file = disk::open(path).map_err(|error| Error::read(path, error))?;
        for group in read_metadata(path, &file)?.row_groups() {
            if let Some(Statistics::Int64(range)) = column_statistics(group, "fetch_time") {
                first = first.into_iter().chain(range.min_opt().copied()).min();
            }
        }
    }
    Ok(first)
}

fn read_metadata(path: &Path, file: &File) -> Result<ParquetMetaData, Error> {
    read_footer(file).map_err(|error| read_error(path, error))
}

fn read_error(path: &Path, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::with_source(ErrorKind::Read, path, error)
}

/// Returns an error if one of the wanted crawls is not among those of the folder `root`.
///
/// # Errors
///
/// [`DatasetErrorKind::MissingCrawl`].
pub fn check_crawls<'k>(
    root: &Path,
    wanted: &[String],
    known: impl IntoIterator<Item = &'k String>,
) -> Result<(), Error> {
    let known: Vec<&String> = known.into_iter().collect();
    match wanted.iter().find(|crawl| !known.contains(crawl)) {
        None => Ok(()),
        Some(crawl) => {
            let kind = DatasetErrorKind::MissingCrawl {
                crawl: crawl.clone(),
                known: known.into_iter().cloned().collect(),
            };
            Err(Error::new(kind, root))
        }
    }
}

/// Returns a column of a batch as an array of its type.
///
/// # Errors
///
/// [`DatasetErrorKind::NotADataset`] if it does not exist or has another type.
pub fn column<'a, T: Array + 'static>(batch: &'a RecordBatch, name: &str) -> Result<&'a T, Error> {
    let column = batch.column_by_name(name);
    column
        .and_then(|column| column.as_any().downcast_ref())
        .ok_or_else(|| no_column_error(name, Path::new("")))
}

//! Reads a dataset: finds its files, and reads rows of a table batch by batch.

use crate::dataset::{catch_panic, check_format};
use crate::disk;
use crate::error::{DatasetDefect, Error, ErrorKind, FileKind};
use crate::external_sort::BloomFilter;
use crate::tables::Table;
use arrow_array::{Array, BooleanArray, Int64Array, RecordBatch};
use arrow_schema::ArrowError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowPredicate, ArrowPredicateFn, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
    RowFilter,
};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::statistics::Statistics;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows of a batch: few, as texts may be long.
const BATCH_ROWS: usize = 1024;

/// The start of the name of the folder of a crawl.
const CRAWL: &str = "crawl=";

/// The start of the name of the folder of a subset.
const SUBSET: &str = "subset=";

/// A dataset that is read.
#[derive(Clone, Debug)]
pub struct Dataset {
    root: PathBuf,
    crawls: Vec<String>,
    files: Vec<PartFile>,
}

/// A file of a table of a dataset. Files are read in their order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PartFile {
    table: Table,
    /// The index of the crawl.
    crawl: u32,
    path: PathBuf,
}

/// The folder of a table and crawl.
struct CrawlFolder {
    table: Table,
    crawl: String,
    path: PathBuf,
}

/// The captures whose rows are read.
#[derive(Clone, Debug)]
pub enum CaptureFilter {
    /// All captures.
    All,
    /// One capture.
    One {
        /// The index of its crawl.
        crawl: u32,
        /// Its key.
        robots_id: i64,
    },
    /// Captures whose [`capture_key`] may be in a Bloom filter.
    Captures(Arc<BloomFilter>),
}

/// Returns the key of a capture in a [`CaptureFilter`]: the index of its crawl and its
/// `robots_id`.
pub fn capture_key(crawl: u32, robots_id: i64) -> [u8; 12] {
    let mut key = [0; 12];
    key[..4].copy_from_slice(&crawl.to_be_bytes());
    key[4..].copy_from_slice(&robots_id.to_be_bytes());
    key
}

impl Dataset {
    /// Opens a dataset: finds the files of `tables`, all of which must exist, for the
    /// crawls in `wanted`, or for all crawls if it is empty.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`] if `root` does not exist, [`ErrorKind::NotADataset`] if it has no
    /// tables, [`ErrorKind::MissingTable`] and [`ErrorKind::MissingCrawl`];
    /// [`ErrorKind::WrongKind`] if a link, a pipe or a device has the name of a
    /// part or of its folder.
    pub fn open(root: &Path, wanted: &[String], tables: &[Table]) -> Result<Self, Error> {
        fs::metadata(root).map_err(|error| Error::read(root, error))?;
        check_format(root)?;
        let folders = crawl_folders(root, tables)?;
        let all: BTreeSet<&String> = folders.iter().map(|folder| &folder.crawl).collect();
        if let Some(crawl) = wanted.iter().find(|crawl| !all.contains(crawl)) {
            let kind = ErrorKind::MissingCrawl {
                crawl: crawl.clone(),
                known: all.iter().map(|crawl| crawl.to_string()).collect(),
            };
            return Err(Error::new(kind, root));
        }
        let crawls: Vec<String> = all
            .into_iter()
            .filter(|crawl| wanted.is_empty() || wanted.contains(crawl))
            .cloned()
            .collect();
        let mut files = Vec::new();
        for folder in &folders {
            if let Ok(crawl) = crawls.binary_search(&folder.crawl) {
                let paths = parquet_files(&folder.path)?.into_iter();
                files.extend(paths.map(|path| PartFile {
                    table: folder.table,
                    crawl: crawl as u32,
                    path,
                }));
            }
        }
        files.sort();
        Ok(Self {
            root: root.to_owned(),
            crawls,
            files,
        })
    }

    /// Returns the crawls, sorted by name. Other functions use their indexes.
    pub fn crawls(&self) -> &[String] {
        &self.crawls
    }

    /// Returns true if the run that wrote the dataset was finished.
    pub fn is_whole(&self) -> bool {
        disk::is_regular(&self.root.join("_SUCCESS"))
    }

    /// Reads columns of a table, part by part, and calls `each` with the index of the
    /// crawl and a batch of rows. Batches may contain rows of other captures than
    /// those in `filter`, as it has false positives. Pages without matching rows are
    /// not decoded.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`], [`ErrorKind::NotADataset`] if a column does not exist, and
    /// the errors of `each`.
    pub fn read(
        &self,
        table: Table,
        columns: &[&str],
        filter: &CaptureFilter,
        each: &mut dyn FnMut(u32, &RecordBatch) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let is_wanted = |file: &&PartFile| {
            let is_of_crawl =
                !matches!(filter, CaptureFilter::One { crawl, .. } if *crawl != file.crawl);
            file.table == table && is_of_crawl
        };
        for file in self.files.iter().filter(is_wanted) {
            let (crawl, path) = (file.crawl, file.path.as_path());
            let mut reader = open_file(path, crawl, columns, filter)?;
            while let Some(batch) = catch_panic(path, || {
                let batch = reader.next().transpose();
                batch.map_err(|error| unreadable(path, error))
            })? {
                each(crawl, &batch).map_err(|error| match error.kind() {
                    // The callback does not know the path.
                    ErrorKind::NotADataset(defect) => {
                        Error::new(ErrorKind::NotADataset(defect.clone()), path)
                    }
                    _ => error,
                })?;
            }
        }
        Ok(())
    }
}

/// Returns the folders of all crawls of each table.
fn crawl_folders(root: &Path, tables: &[Table]) -> Result<Vec<CrawlFolder>, Error> {
    let mut folders = Vec::new();
    for &table in tables {
        for (path, kind) in entries(&root.join(table.name()))? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if let Some(crawl) = name.strip_prefix(CRAWL) {
                check_kind(&path, kind, FileKind::Folder)?;
                folders.push(CrawlFolder {
                    table,
                    crawl: crawl.to_owned(),
                    path: path.clone(),
                });
            }
        }
    }
    if folders.is_empty() {
        let kind = ErrorKind::NotADataset(DatasetDefect::NoTables);
        return Err(Error::new(kind, root));
    }
    let is_missing = |table: &&Table| !folders.iter().any(|folder| folder.table == **table);
    match tables.iter().find(is_missing) {
        None => Ok(folders),
        Some(table) => {
            let kind = ErrorKind::MissingTable {
                table: table.name(),
                needed: tables.iter().map(|table| table.name()).collect(),
            };
            Err(Error::new(kind, root))
        }
    }
}

/// Returns the Parquet files of all subsets of a crawl.
fn parquet_files(crawl: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for (subset, kind) in entries(crawl)? {
        let name = subset.file_name().unwrap_or_default().to_string_lossy();
        match kind {
            FileKind::Folder => {}
            _ if name.starts_with(SUBSET) => check_kind(&subset, kind, FileKind::Folder)?,
            _ => continue,
        }
        for (path, kind) in entries(&subset)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            // Names of temporary files start with `_`.
            if name.ends_with(".parquet") && !name.starts_with('_') {
                check_kind(&path, kind, FileKind::Regular)?;
                files.push(path.clone());
            }
        }
    }
    Ok(files)
}

/// Opens a file to read columns of rows that `filter` matches.
fn open_file(
    path: &Path,
    crawl: u32,
    columns: &[&str],
    filter: &CaptureFilter,
) -> Result<ParquetRecordBatchReader, Error> {
    let file = disk::open(path).map_err(|error| Error::read(path, error))?;
    let builder = catch_panic(path, || {
        let builder = ParquetRecordBatchReaderBuilder::try_new(file);
        builder.map_err(|error| unreadable(path, error))
    })?;
    let schema = builder.parquet_schema();
    for name in columns {
        if !schema.columns().iter().any(|column| column.name() == *name) {
            return Err(no_column(name, path));
        }
    }
    let mask = ProjectionMask::columns(schema, columns.iter().copied());
    let ids = ProjectionMask::columns(schema, ["robots_id"]);
    let mut builder = builder.with_projection(mask).with_batch_size(BATCH_ROWS);
    match filter {
        CaptureFilter::All => {}
        CaptureFilter::One { robots_id, .. } => {
            let wanted = *robots_id;
            let groups = row_groups_with(builder.metadata(), wanted);
            let filter = row_filter(ids, move |id| id == wanted);
            builder = builder.with_row_groups(groups).with_row_filter(filter);
        }
        CaptureFilter::Captures(filter) => {
            let filter = Arc::clone(filter);
            let is_wanted = move |id| filter.may_contain(&capture_key(crawl, id));
            builder = builder.with_row_filter(row_filter(ids, is_wanted));
        }
    }
    catch_panic(path, || {
        let reader = builder.build();
        reader.map_err(|error| unreadable(path, error))
    })
}

fn unreadable(path: &Path, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::with_source(ErrorKind::Read, path, error)
}

/// Returns the indexes of the row groups whose range of `robots_id` contains a key. Keys are in the
/// order of rows, so these are one or two.
fn row_groups_with(metadata: &ParquetMetaData, robots_id: i64) -> Vec<usize> {
    let may_contain = |group: &RowGroupMetaData| {
        let mut columns = group.columns().iter();
        let column = columns.find(|column| column.column_path().string() == "robots_id");
        match column.and_then(ColumnChunkMetaData::statistics) {
            Some(Statistics::Int64(range)) => {
                let (min, max) = (range.min_opt(), range.max_opt());
                min.is_none_or(|min| *min <= robots_id) && max.is_none_or(|max| robots_id <= *max)
            }
            _ => true,
        }
    };
    let groups = metadata.row_groups().iter().enumerate();
    groups
        .filter(|(_, group)| may_contain(group))
        .map(|(i, _)| i)
        .collect()
}

/// Returns a filter of rows by their key.
fn row_filter(ids: ProjectionMask, is_wanted: impl Fn(i64) -> bool + Send + 'static) -> RowFilter {
    let predicate = move |batch: RecordBatch| -> Result<BooleanArray, ArrowError> {
        let ids = batch.column(0).as_any().downcast_ref::<Int64Array>();
        let ids = ids.ok_or_else(|| ArrowError::CastError("robots_id is no BIGINT".to_owned()))?;
        Ok(ids
            .values()
            .iter()
            .map(|id| Some(is_wanted(*id)))
            .collect::<BooleanArray>())
    };
    let predicate: Box<dyn ArrowPredicate> = Box::new(ArrowPredicateFn::new(ids, predicate));
    RowFilter::new(vec![predicate])
}

fn no_column(name: &str, path: &Path) -> Error {
    let name = name.to_owned();
    Error::new(
        ErrorKind::NotADataset(DatasetDefect::NoColumn { name }),
        path,
    )
}

/// Returns the entries of a folder of a dataset, sorted; empty if it does not exist.
fn entries(folder: &Path) -> Result<Vec<(PathBuf, FileKind)>, Error> {
    disk::entries(folder).map_err(|error| Error::read(folder, error))
}

/// Rejects a link, a pipe or a device that has the name of a part or of its folder:
/// views might read it, while rows would be missing silently.
fn check_kind(path: &Path, is: FileKind, needed: FileKind) -> Result<(), Error> {
    match is == needed {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::WrongKind { is, needed }, path)),
    }
}

/// Returns a column of a batch by name.
///
/// # Errors
///
/// [`ErrorKind::NotADataset`] if it does not exist or has another type.
pub(crate) fn column<'a, T: Array + 'static>(
    batch: &'a RecordBatch,
    name: &str,
) -> Result<&'a T, Error> {
    let column = batch.column_by_name(name);
    column
        .and_then(|column| column.as_any().downcast_ref())
        .ok_or_else(|| no_column(name, Path::new("")))
}

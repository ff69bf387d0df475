//! A dataset read back: its files, and the rows of a table, batch by batch.

use crate::dataset::catch_panic;
use crate::disk;
use crate::error::{DatasetDefect, Error, ErrorKind, FileKind};
use crate::external_sort::BloomFilter;
use crate::tables::Table;
use arrow_array::{Array, BooleanArray, Int64Array, RecordBatch};
use arrow_schema::ArrowError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowPredicate, ArrowPredicateFn, ParquetRecordBatchReaderBuilder, RowFilter,
};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows of a batch. Texts of rows may be long, so they are not many.
const BATCH_ROWS: usize = 1024;

/// The folder of a partition, and the name behind it.
const CRAWL: &str = "crawl=";

/// The folder of a partition within that of its crawl.
const SUBSET: &str = "subset=";

/// A folder that `scan` made: tables, partitions, parts.
#[derive(Clone, Debug)]
pub struct Dataset {
    root: PathBuf,
    crawls: Vec<String>,
    files: Vec<(Table, u32, PathBuf)>,
}

/// What rows are read: those whose `robots_id` may be in a set.
#[derive(Clone, Debug)]
pub enum CaptureFilter {
    /// All.
    All,
    /// Those of captures in the set, by [`capture_key`].
    Captures(Arc<BloomFilter>),
}

/// The key of a capture in a set: the crawl's number and its `robots_id`.
pub fn capture_key(crawl: u32, robots_id: i64) -> [u8; 12] {
    let mut key = [0; 12];
    key[..4].copy_from_slice(&crawl.to_be_bytes());
    key[4..].copy_from_slice(&robots_id.to_be_bytes());
    key
}

impl Dataset {
    /// Finds the files of `tables`, each of which must be there, of all crawls
    /// or of those that are named.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`] if `root` does not exist, [`ErrorKind::NotADataset`] if it has no
    /// tables, [`ErrorKind::MissingTable`] and [`ErrorKind::MissingCrawl`];
    /// [`ErrorKind::WrongKind`] if a link, a pipe or a device has the name of a
    /// part or of its folder.
    pub fn open(root: &Path, wanted: &[String], tables: &[Table]) -> Result<Self, Error> {
        let refuse = |defect| Error::new(ErrorKind::NotADataset(defect), root);
        fs::metadata(root).map_err(|error| Error::read(root, error))?;
        let mut found = Vec::new();
        for &table in tables {
            let folder = root.join(table.name());
            for (partition, kind) in entries(&folder)? {
                let name = partition.file_name().unwrap_or_default().to_string_lossy();
                if let Some(crawl) = name.strip_prefix(CRAWL) {
                    check_kind(&partition, kind, FileKind::Folder)?;
                    found.push((table, crawl.to_owned(), partition.clone()));
                }
            }
        }
        if found.is_empty() {
            return Err(refuse(DatasetDefect::NoTables));
        }
        for &table in tables {
            if !found.iter().any(|(it, ..)| *it == table) {
                let kind = ErrorKind::MissingTable {
                    table: table.name(),
                    needed: tables.iter().map(|table| table.name()).collect(),
                };
                return Err(Error::new(kind, root));
            }
        }
        let all: BTreeSet<&String> = found.iter().map(|(_, crawl, _)| crawl).collect();
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
        for (table, crawl, folder) in &found {
            let Ok(at) = crawls.binary_search(crawl) else {
                continue;
            };
            for (subset, kind) in entries(folder)? {
                let name = subset.file_name().unwrap_or_default().to_string_lossy();
                match kind {
                    FileKind::Folder => {}
                    _ if name.starts_with(SUBSET) => check_kind(&subset, kind, FileKind::Folder)?,
                    _ => continue,
                }
                for (path, kind) in entries(&subset)? {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    // Names with `_` are those of temporary files.
                    if name.ends_with(".parquet") && !name.starts_with('_') {
                        check_kind(&path, kind, FileKind::Regular)?;
                        files.push((*table, at as u32, path.clone()));
                    }
                }
            }
        }
        files.sort();
        Ok(Self {
            root: root.to_owned(),
            crawls,
            files,
        })
    }

    /// The crawls, in the order of their names; elsewhere they are numbers.
    pub fn crawls(&self) -> &[String] {
        &self.crawls
    }

    /// Whether the run that made it came to its end.
    pub fn is_whole(&self) -> bool {
        disk::is_regular(&self.root.join("_SUCCESS"))
    }

    /// Reads columns of a table, in the order of parts, and gives each batch
    /// with the number of its crawl. Rows that are not wanted may be among
    /// them, as the set is one of few mistakes; their other columns cost
    /// nothing where a whole stretch of them is left out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`], [`ErrorKind::NotADataset`] if a column is not
    /// there, and what `each` gives.
    pub fn read(
        &self,
        table: Table,
        columns: &[&str],
        wanted: &CaptureFilter,
        each: &mut dyn FnMut(u32, &RecordBatch) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for (_, crawl, path) in self.files.iter().filter(|(it, ..)| *it == table) {
            let unreadable = |error: Box<dyn std::error::Error + Send + Sync>| {
                Error::with_source(ErrorKind::Read, path, error)
            };
            let file = disk::open(path).map_err(|error| Error::read(path, error))?;
            let builder = catch_panic(path, || {
                let builder = ParquetRecordBatchReaderBuilder::try_new(file);
                builder.map_err(|error| unreadable(error.into()))
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
            if let CaptureFilter::Captures(filter) = wanted {
                builder = builder.with_row_filter(row_filter(ids, *crawl, filter));
            }
            let mut reader = catch_panic(path, || {
                let reader = builder.build();
                reader.map_err(|error| unreadable(error.into()))
            })?;
            while let Some(batch) = catch_panic(path, || {
                let batch = reader.next().transpose();
                batch.map_err(|error| unreadable(error.into()))
            })? {
                each(*crawl, &batch).map_err(|error| match error.kind() {
                    // Who reads the batch knows what is wrong, and we know where.
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

fn row_filter(ids: ProjectionMask, crawl: u32, filter: &Arc<BloomFilter>) -> RowFilter {
    let filter = Arc::clone(filter);
    let is_wanted = move |batch: RecordBatch| -> Result<BooleanArray, ArrowError> {
        let ids = batch.column(0).as_any().downcast_ref::<Int64Array>();
        let ids = ids.ok_or_else(|| ArrowError::CastError("robots_id is no BIGINT".to_owned()))?;
        let is_wanted = |id: &i64| filter.may_contain(&capture_key(crawl, *id));
        Ok(ids
            .values()
            .iter()
            .map(|id| Some(is_wanted(id)))
            .collect::<BooleanArray>())
    };
    let predicate: Box<dyn ArrowPredicate> = Box::new(ArrowPredicateFn::new(ids, is_wanted));
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

/// Refuses what is named like a part or its folder and is something else: views
/// might read it, and rows would be missing without a word.
fn check_kind(path: &Path, is: FileKind, needed: FileKind) -> Result<(), Error> {
    match is == needed {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::WrongKind { is, needed }, path)),
    }
}

/// A column of a batch by its name.
///
/// # Errors
///
/// [`ErrorKind::NotADataset`] if it is not there or of another type.
pub(crate) fn column<'a, T: Array + 'static>(
    batch: &'a RecordBatch,
    name: &str,
) -> Result<&'a T, Error> {
    let column = batch.column_by_name(name);
    column
        .and_then(|column| column.as_any().downcast_ref())
        .ok_or_else(|| no_column(name, Path::new("")))
}

//! The dataset on disk: folders, parts, manifest, views.
//!
//! `OUT/<table>/crawl=…/subset=…/part-00000.parquet`, one file for each table
//! and part. Names that begin with `_` are ours. Or, for one table, one file.

mod cutter;
mod file;
mod manifest;
mod views;

pub(crate) use file::{Done, Finished, TableFile, Task, write_table};
pub(crate) use manifest::{FORMAT, Manifest, NAME as MANIFEST, Plan, input_of, read_lines};
pub use views::{schema_sql, sql as views_sql};

use crate::error::{Error, ErrorKind};
use crate::rows::Rows;
use crate::tables::{Column, PARTITION_COLUMNS, Table};
use arrow::datatypes::Schema;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

pub(crate) const LOG: &str = "_log.jsonl";
pub(crate) const SUCCESS: &str = "_SUCCESS";
const VIEWS: &str = "views.sql";

/// What may become of an output that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It is left alone, and the run refused.
    Refuse,
    /// It is continued.
    Resume,
    /// It is replaced, if this program made it.
    Overwrite,
}

/// Where the rows go.
#[derive(Clone, Debug)]
pub struct Destination {
    root: PathBuf,
    tables: Vec<Table>,
    is_single_file: bool,
    shard: Option<(usize, usize)>,
}

impl Destination {
    /// A dataset at `root`, or one file if there is but one table and `root`
    /// is no folder.
    pub fn new(root: &Path, tables: &[Table], shard: Option<(usize, usize)>) -> Self {
        let is_folder = root.is_dir() || root.as_os_str().to_string_lossy().ends_with('/');
        Self {
            root: root.to_owned(),
            tables: tables.to_vec(),
            is_single_file: tables.len() == 1 && !is_folder,
            shard,
        }
    }

    /// Whether all rows go into one file.
    pub fn is_single_file(&self) -> bool {
        self.is_single_file
    }

    /// The dataset's folder, or the file.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The tables that are written, in the order of the schema.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// The file of a table and part.
    pub(crate) fn part_path(&self, table: Table, part: u32, crawl: &str, subset: &str) -> PathBuf {
        if self.is_single_file {
            return self.root.clone();
        }
        let name = match self.shard {
            Some((index, _)) => format!("part-{index:05}-{part:05}.parquet"),
            None => format!("part-{part:05}.parquet"),
        };
        self.root
            .join(table.name())
            .join(format!("crawl={crawl}"))
            .join(format!("subset={subset}"))
            .join(name)
    }

    /// The columns of a file: in a single one, crawl and subset stand in it.
    pub(crate) fn file_schema(&self, table: Table) -> Schema {
        let schema = table.schema();
        if !self.is_single_file || table.is_whole() {
            return schema.as_ref().clone();
        }
        let mut fields: Vec<_> = schema
            .fields()
            .iter()
            .map(|field| field.as_ref().clone())
            .collect();
        fields.extend(PARTITION_COLUMNS.iter().map(Column::field));
        Schema::new_with_metadata(fields, schema.metadata().clone())
    }

    /// Rows as they go into the file.
    pub(crate) fn file_rows(&self, mut rows: Rows, crawl: &str, subset: &str) -> Rows {
        if self.is_single_file {
            rows.add_constant(crawl);
            rows.add_constant(subset);
        }
        rows
    }

    /// Checks that writing is allowed, without writing anything.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutputExists`], [`ErrorKind::FileExists`], [`ErrorKind::NotOurs`],
    /// [`ErrorKind::NothingToResume`], [`ErrorKind::SingleFileResume`].
    pub fn check(&self, existing: Existing) -> Result<(), Error> {
        if self.is_single_file && existing == Existing::Resume {
            return Err(Error::new(ErrorKind::SingleFileResume, &self.root));
        }
        let (mut is_there, mut is_begun) = (self.root.exists(), false);
        if let Ok(entries) = fs::read_dir(&self.root) {
            let names: Vec<_> = entries.flatten().map(|it| it.file_name()).collect();
            // A run that was killed before its manifest stood has only these, or nothing.
            let manifest = file::temporary_name(Path::new(manifest::NAME));
            is_there = names.iter().any(|it| *it != *LOG && *it != *manifest);
            is_begun = true;
        }
        let is_ours = if self.is_single_file {
            is_our_file(&self.root)
        } else {
            is_our_dataset(&self.root)
        };
        match existing {
            Existing::Resume if !is_there && !is_begun => {
                Err(Error::new(ErrorKind::NothingToResume, &self.root))
            }
            _ if !is_there => Ok(()),
            _ if !is_ours => Err(Error::new(ErrorKind::NotOurs, &self.root)),
            Existing::Refuse if self.is_single_file => {
                Err(Error::new(ErrorKind::FileExists, &self.root))
            }
            Existing::Refuse => Err(Error::new(ErrorKind::OutputExists, &self.root)),
            Existing::Resume | Existing::Overwrite => Ok(()),
        }
    }

    /// Makes the folder, takes its lock and opens its log.
    pub(crate) fn open(&self, existing: Existing) -> Result<Log, Error> {
        self.check(existing)?;
        let cannot = |error| Error::with_source(ErrorKind::CannotMake, &self.root, error);
        fs::create_dir_all(&self.root).map_err(cannot)?;
        let path = self.root.join(LOG);
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(cannot)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::new(ErrorKind::Busy, &self.root)),
            // A file system without locks: nothing keeps two runs apart.
            Err(TryLockError::Error(_)) => {}
        }
        if existing == Existing::Overwrite {
            file.set_len(0)
                .map_err(|error| Error::write(&path, error))?;
            self.clear()?;
        }
        Ok(Log { file })
    }

    /// Removes the files of a former run, and nothing else. First the manifest
    /// forgets them: a kill must leave nothing that looks whole.
    fn clear(&self) -> Result<(), Error> {
        remove(&self.root.join(SUCCESS))?;
        Manifest::forget(&self.root)?;
        for table in Table::ALL {
            let folder = self.root.join(table.name());
            clear_folder(&folder, 3)?;
        }
        remove(&self.root.join(VIEWS))
    }

    /// Prepares the folder for writing: the dataset is whole no longer, and
    /// what a killed run left under temporary names is removed.
    pub(crate) fn begin(&self) -> Result<(), Error> {
        remove(&self.root.join(SUCCESS))?;
        for table in Table::ALL {
            each_file(&self.root.join(table.name()), 3, &mut |path, name| {
                if name.starts_with('_') && name.ends_with(".tmp") {
                    remove(path)
                } else {
                    Ok(())
                }
            })?;
        }
        Ok(())
    }

    /// Writes `views.sql`.
    pub(crate) fn write_views(&self) -> Result<(), Error> {
        let root =
            std::path::absolute(&self.root).map_err(|error| Error::write(&self.root, error))?;
        write_whole(
            &self.root.join(VIEWS),
            views_sql(&root, &self.tables).as_bytes(),
        )
    }

    /// Marks the dataset as whole.
    pub(crate) fn write_success(&self) -> Result<(), Error> {
        write_whole(&self.root.join(SUCCESS), b"")
    }
}

/// Times and speeds, which no two runs share. Holding it holds the lock.
#[derive(Debug)]
pub(crate) struct Log {
    file: File,
}

impl Log {
    /// Adds a line. The log is a comfort: that it cannot be written stops nothing.
    pub(crate) fn add(&mut self, line: &serde_json::Value) {
        let _ = self.file.write_all(format!("{line}\n").as_bytes());
    }
}

fn is_our_dataset(root: &Path) -> bool {
    let Ok(file) = File::open(root.join(manifest::NAME)) else {
        return false;
    };
    let mut line = String::new();
    std::io::BufRead::read_line(
        &mut std::io::BufReader::new(std::io::Read::take(file, 1 << 20)),
        &mut line,
    )
    .is_ok()
        && line.starts_with("{")
        && line.contains("\"robots_scan\":")
}

/// Whether this program made a file.
pub(crate) fn is_our_file(path: &Path) -> bool {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let Some(reader) = File::open(path)
        .ok()
        .and_then(|file| SerializedFileReader::new(file).ok())
    else {
        return false;
    };
    reader
        .metadata()
        .file_metadata()
        .created_by()
        .is_some_and(|maker| maker.starts_with("robots-scan "))
}

fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Error::write(path, error)),
    }
}

/// Removes our files below a folder, and folders that are then empty.
fn clear_folder(folder: &Path, depth: usize) -> Result<(), Error> {
    each_file(folder, depth, &mut |path, name| {
        let is_part = name.starts_with("part-") || name == "agents.parquet";
        let is_ours = (is_part && name.ends_with(".parquet"))
            || (name.starts_with('_') && name.ends_with(".tmp"));
        if is_ours { remove(path) } else { Ok(()) }
    })?;
    fn prune(folder: &Path, depth: usize) {
        if let Ok(entries) = fs::read_dir(folder)
            && depth > 0
        {
            entries
                .flatten()
                .filter(|entry| entry.path().is_dir())
                .for_each(|entry| prune(&entry.path(), depth - 1));
        }
        // Fails, as it should, where something is left.
        let _ = fs::remove_dir(folder);
    }
    prune(folder, depth);
    Ok(())
}

fn each_file(
    folder: &Path,
    depth: usize,
    each: &mut dyn FnMut(&Path, &str) -> Result<(), Error>,
) -> Result<(), Error> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            if depth > 0 {
                each_file(&path, depth - 1, each)?;
            }
        } else {
            each(&path, &entry.file_name().to_string_lossy())?;
        }
    }
    Ok(())
}

/// Gives a file its name, for good.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    fs::rename(from, to).map_err(|error| Error::write(to, error))?;
    let folder = to
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    // Brings the name itself to the disk.
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| Error::write(folder, error))
}

/// Writes a small file whole or not at all.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let temporary = file::temporary_name(path);
    let result = File::create(&temporary)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
    result.map_err(|error| Error::write(&temporary, error))?;
    rename(&temporary, path)
}

//! The dataset on disk: folders, parts, manifest, views.
//!
//! `OUT/<table>/crawl=…/subset=…/part-00000.parquet`, one file for each table
//! and part. Or, for one table, one file. How a dataset is begun, continued and
//! replaced is described in `writer.rs`.

use crate::disk;
use crate::error::{Error, ErrorKind, FileKind};
use crate::parquet_writer::{RowBatch, TableSchema};
use crate::tables::{PARTITION_COLUMNS, Table};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) const SUCCESS: &str = "_SUCCESS";
pub(crate) const VIEWS: &str = "views.sql";

/// What may become of an output that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfExists {
    /// It is left alone, and the run refused.
    Refuse,
    /// It is continued.
    Resume,
    /// It is replaced, if this program made it.
    Overwrite,
}

/// Where the rows go.
#[derive(Clone, Debug)]
pub struct OutputLayout {
    root: PathBuf,
    tables: Vec<Table>,
    is_single_file: bool,
    shard: Option<(usize, usize)>,
}

/// What an output is before a run.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ExistingOutput {
    /// Nothing.
    Nothing,
    /// A folder that is empty, or has only what a run leaves that was killed
    /// before there was a manifest.
    Begun,
    /// A dataset.
    Dataset,
    /// A folder with something else.
    Folder,
    /// A file that robots-scan wrote, with its table.
    OwnFile(String),
    /// Another file.
    File,
    /// A link, where a file is to be written, a pipe or a device.
    Other(FileKind),
}

impl OutputLayout {
    /// One file, if there is one table and the name ends in `.parquet`; else a
    /// dataset at `root`.
    pub fn new(root: &Path, tables: &[Table], shard: Option<(usize, usize)>) -> Self {
        let is_folder = root.as_os_str().to_string_lossy().ends_with('/');
        let is_named = root.extension().is_some_and(|it| it == "parquet");
        Self {
            is_single_file: tables.len() == 1 && is_named && !is_folder,
            ..Self::dataset(root, tables, shard)
        }
    }

    /// A dataset, whatever its name.
    pub(crate) fn dataset(root: &Path, tables: &[Table], shard: Option<(usize, usize)>) -> Self {
        Self {
            root: root.to_owned(),
            tables: tables.to_vec(),
            is_single_file: false,
            shard,
        }
    }

    /// One file, whatever its name.
    pub(crate) fn file(root: &Path, table: Table) -> Self {
        Self {
            is_single_file: true,
            ..Self::dataset(root, &[table], None)
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

    /// The file of a table and part, below the dataset's folder.
    pub(crate) fn part_path(&self, table: Table, part: u32, crawl: &str, subset: &str) -> PathBuf {
        let name = match self.shard {
            Some((index, _)) => format!("part-{index:05}-{part:05}.parquet"),
            None => format!("part-{part:05}.parquet"),
        };
        Path::new(table.name())
            .join(format!("crawl={crawl}"))
            .join(format!("subset={subset}"))
            .join(name)
    }

    /// Returns the schema of a file. In a single file, the partition columns are
    /// columns of the table.
    pub(crate) fn file_schema(&self, table: Table) -> TableSchema {
        match self.is_single_file && !table.is_whole() {
            true => table.file_schema(&PARTITION_COLUMNS),
            false => table.file_schema(&[]),
        }
    }

    /// Rows as they go into the file.
    pub(crate) fn file_rows(&self, mut rows: RowBatch, crawl: &str, subset: &str) -> RowBatch {
        if self.is_single_file {
            rows.add_constant_column(crawl);
            rows.add_constant_column(subset);
        }
        rows
    }

    /// Checks that writing is allowed, without writing anything.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutputExists`], [`ErrorKind::FileExists`], [`ErrorKind::ForeignFile`],
    /// [`ErrorKind::IsDataset`], [`ErrorKind::IsSingleFile`], [`ErrorKind::OutputIsFolder`],
    /// [`ErrorKind::WrongKind`], [`ErrorKind::NothingToResume`],
    /// [`ErrorKind::SingleFileResume`], and those of `check_output_path`.
    pub fn check(&self, existing: IfExists) -> Result<(), Error> {
        check_output_path(&self.root)?;
        match self.is_single_file {
            true => self.check_file(existing),
            false => self.check_dataset(existing),
        }
    }

    fn check_file(&self, existing: IfExists) -> Result<(), Error> {
        let refuse = |kind| Err(Error::new(kind, &self.root));
        match former(&self.root)? {
            _ if existing == IfExists::Resume => refuse(ErrorKind::SingleFileResume),
            ExistingOutput::Nothing => Ok(()),
            ExistingOutput::Dataset => refuse(ErrorKind::IsDataset),
            ExistingOutput::Begun | ExistingOutput::Folder => refuse(ErrorKind::OutputIsFolder),
            ExistingOutput::Other(is) => refuse(ErrorKind::WrongKind {
                is,
                needed: FileKind::Regular,
            }),
            ExistingOutput::File => refuse(ErrorKind::ForeignFile),
            ExistingOutput::OwnFile(_) if existing == IfExists::Overwrite => Ok(()),
            ExistingOutput::OwnFile(_) => refuse(ErrorKind::FileExists),
        }
    }

    fn check_dataset(&self, existing: IfExists) -> Result<(), Error> {
        let refuse = |kind| Err(Error::new(kind, &self.root));
        match (former(&resolved(&self.root))?, existing) {
            (ExistingOutput::Nothing, IfExists::Resume) => refuse(ErrorKind::NothingToResume),
            (ExistingOutput::Nothing | ExistingOutput::Begun, _) => Ok(()),
            (ExistingOutput::Dataset, IfExists::Refuse) => refuse(ErrorKind::OutputExists),
            (ExistingOutput::Dataset, _) => Ok(()),
            (ExistingOutput::OwnFile(table), _) => refuse(ErrorKind::IsSingleFile(table)),
            (ExistingOutput::Folder | ExistingOutput::File, _) => refuse(ErrorKind::ForeignFile),
            (ExistingOutput::Other(is), _) => refuse(ErrorKind::WrongKind {
                is,
                needed: FileKind::Folder,
            }),
        }
    }
}

/// Checks a path at which one file is to be written, without writing anything.
/// A file that exists may be replaced if it is Parquet of robots-scan, or if
/// `is_own` says so.
///
/// # Errors
///
/// As of [`OutputLayout::check`].
pub(crate) fn check_output_file(
    path: &Path,
    overwrite: bool,
    is_own: &dyn Fn(&Path) -> bool,
) -> Result<(), Error> {
    // What table it is does not matter here.
    let destination = OutputLayout::file(path, Table::Matches);
    let existing = match overwrite {
        true => IfExists::Overwrite,
        false => IfExists::Refuse,
    };
    if path.as_os_str().to_string_lossy().ends_with('/') {
        return Err(Error::new(ErrorKind::OutputIsFolder, path));
    }
    match destination.check(existing) {
        Err(error) if *error.kind() == ErrorKind::ForeignFile && is_own(path) => match overwrite {
            true => Ok(()),
            false => Err(Error::new(ErrorKind::FileExists, path)),
        },
        result => result,
    }
}

/// Checks that an output is a local path outside every dataset.
///
/// # Errors
///
/// [`ErrorKind::StandardOutput`], [`ErrorKind::UrlOutput`],
/// [`ErrorKind::InsideDataset`].
fn check_output_path(path: &Path) -> Result<(), Error> {
    let text = path.to_string_lossy();
    if text == "-" {
        return Err(Error::new(ErrorKind::StandardOutput, path));
    }
    let is_scheme = |text: &str| {
        let mut bytes = text.bytes();
        bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic())
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    if text
        .split_once("://")
        .is_some_and(|(scheme, _)| is_scheme(scheme))
    {
        return Err(Error::new(ErrorKind::UrlOutput, path));
    }
    match dataset_around(path) {
        Some(dataset) => Err(Error::new(ErrorKind::InsideDataset(dataset), path)),
        None => Ok(()),
    }
}

/// The dataset in which a path lies.
fn dataset_around(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let mut found = path.ancestors();
    // The folders that exist, by their real names.
    let real = match fs::canonicalize(&path) {
        Ok(real) => real.parent()?.to_owned(),
        Err(_) => found.find_map(|folder| fs::canonicalize(folder).ok())?,
    };
    let mut folders = real.ancestors();
    folders
        .find(|folder| is_dataset(folder))
        .map(Path::to_owned)
}

/// A path that may be a link, by its real name.
fn resolved(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Looks what stands at the place of an output.
fn former(root: &Path) -> Result<ExistingOutput, Error> {
    let unreadable = |error| Error::read(root, error);
    match disk::kind(root).map_err(unreadable)? {
        None => Ok(ExistingOutput::Nothing),
        Some(FileKind::Regular) => Ok(match own_table(root) {
            Some(table) => ExistingOutput::OwnFile(table),
            None => ExistingOutput::File,
        }),
        Some(FileKind::Folder) if is_dataset(root) => Ok(ExistingOutput::Dataset),
        Some(FileKind::Folder) => {
            let entries = disk::entries(root).map_err(unreadable)?;
            let left = super::LogEntries::read(root);
            let left = left.map_err(|error| Error::read(root.join(super::LOG), error))?;
            let left = left.map(|entries| entries.temp_folders);
            let is_left =
                |name: &str, left: &BTreeSet<String>| name == super::LOG || left.contains(name);
            let is_begun = entries.iter().all(|(path, _)| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                left.as_ref().is_some_and(|left| is_left(&name, left))
            });
            Ok(if is_begun {
                ExistingOutput::Begun
            } else {
                ExistingOutput::Folder
            })
        }
        Some(other) => Ok(ExistingOutput::Other(other)),
    }
}

/// Returns true if a folder has a manifest that robots-scan wrote.
fn is_dataset(root: &Path) -> bool {
    let Ok(file) = disk::open(&root.join(super::MANIFEST)) else {
        return false;
    };
    let mut line = String::new();
    let file = std::io::Read::take(file, 1 << 20);
    std::io::BufRead::read_line(&mut std::io::BufReader::new(file), &mut line).is_ok()
        && line.starts_with('{')
        && line.contains("\"robots_scan\":")
}

/// The table of a file that robots-scan wrote; `None` for any other file.
fn own_table(path: &Path) -> Option<String> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let file = disk::open(path).ok()?;
    let reader = SerializedFileReader::new(file).ok()?;
    let metadata = reader.metadata().file_metadata();
    let is_own = metadata
        .created_by()
        .is_some_and(|maker| maker.starts_with("robots-scan "));
    let notes = metadata.key_value_metadata().into_iter().flatten();
    let mut tables = notes.filter(|note| note.key == "robots_scan.table");
    let table = tables.find_map(|note| note.value.clone());
    is_own.then(|| table.unwrap_or_default())
}

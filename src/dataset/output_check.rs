//! Checks whether an output may be written.

use crate::ManifestText;
use crate::OutputLayout;
use crate::error::DatasetErrorKind;
use crate::file_names::{LOG_FILE, SUCCESS_FILE, VIEWS_FILE};
use crate::log::LogEntries;
use disk::FileKind;
use disk::without_secrets;
use errors::{Error, ErrorKind};
use parquet_limits::read_footer;
use std::fs;
use std::path::{Path, PathBuf};
use tables::{Table, views};

/// The behavior of a run if its output exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfExists {
    /// Leave it alone and refuse to run.
    Refuse,
    /// Continue it, or begin it if it does not exist.
    Resume,
    /// Replace it, if robots-scan wrote it.
    Overwrite,
}

/// The file or folder at the path of an output before a run.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ExistingOutput {
    Nothing,
    /// A folder that is empty, or contains only traces of a run that was killed before
    /// it wrote a manifest.
    Begun,
    Dataset,
    /// A folder that is neither begun nor a dataset.
    Folder,
    /// A file that robots-scan wrote, with the name of its table.
    OwnFile(String),
    /// A file that robots-scan did not write.
    File,
    /// A link, a pipe or a device.
    Other(FileKind),
}

impl OutputLayout {
    /// Checks that this output may be written, without writing anything.
    ///
    /// # Errors
    ///
    /// [`DatasetErrorKind::OutputExists`], [`DatasetErrorKind::FileExists`],
    /// [`ErrorKind::ForeignFile`], [`DatasetErrorKind::IsDataset`],
    /// [`DatasetErrorKind::IsSingleFile`], [`DatasetErrorKind::OutputIsFolder`],
    /// [`DatasetErrorKind::WrongKind`], [`DatasetErrorKind::NotUtf8Output`],
    /// [`DatasetErrorKind::SingleFileResume`], and those of `check_output_path`.
    pub fn check(&self, if_exists: IfExists) -> Result<(), Error> {
        check_output_path(self.root())?;
        if self.is_single_file() {
            self.check_file(if_exists)
        } else {
            self.check_dataset(if_exists)
        }
    }

    fn check_file(&self, if_exists: IfExists) -> Result<(), Error> {
        let refuse = |kind| Err(Error::new(kind, self.root()));
        match find_existing_output(self.root())? {
            _ if if_exists == IfExists::Resume => refuse(DatasetErrorKind::SingleFileResume),
            ExistingOutput::Nothing => Ok(()),
            ExistingOutput::Dataset => refuse(DatasetErrorKind::IsDataset),
            ExistingOutput::Begun | ExistingOutput::Folder => {
                refuse(DatasetErrorKind::OutputIsFolder)
            }
            ExistingOutput::Other(found) => refuse(DatasetErrorKind::WrongKind {
                found,
                needed: FileKind::Regular,
            }),
            ExistingOutput::File => Err(Error::new(ErrorKind::ForeignFile, self.root())),
            ExistingOutput::OwnFile(_) if if_exists == IfExists::Overwrite => Ok(()),
            ExistingOutput::OwnFile(_) => refuse(DatasetErrorKind::FileExists),
        }
    }

    fn check_dataset(&self, if_exists: IfExists) -> Result<(), Error> {
        let refuse = |kind| Err(Error::new(kind, self.root()));
        // `views.sql` and the queries of DuckDB are UTF-8.
        if std::path::absolute(self.root()).is_ok_and(|root| root.to_str().is_none()) {
            return refuse(DatasetErrorKind::NotUtf8Output);
        }
        let text = ManifestText::read(self.root())?;
        if let Some(kind) = text.and_then(|text| text.kind())
            && self.kind != Some(&*kind)
        {
            return refuse(DatasetErrorKind::OutputIsOfKind(kind));
        }
        match (
            find_existing_output(&resolve_links(self.root()))?,
            if_exists,
        ) {
            (ExistingOutput::Nothing | ExistingOutput::Begun, _) => Ok(()),
            (ExistingOutput::Dataset, IfExists::Refuse) => refuse(DatasetErrorKind::OutputExists),
            (ExistingOutput::Dataset, _) => Ok(()),
            (ExistingOutput::OwnFile(table), _) => refuse(DatasetErrorKind::IsSingleFile(table)),
            (ExistingOutput::Folder | ExistingOutput::File, _) => {
                Err(Error::new(ErrorKind::ForeignFile, self.root()))
            }
            (ExistingOutput::Other(found), _) => refuse(DatasetErrorKind::WrongKind {
                found,
                needed: FileKind::Folder,
            }),
        }
    }
}

/// Checks that a single file may be written to a path, without writing anything. An
/// existing file may be replaced if it is a Parquet file of robots-scan, or if
/// `is_own` returns true for it.
///
/// # Errors
///
/// Those of [`OutputLayout::check`].
pub fn check_output_file(
    path: &Path,
    overwrite: bool,
    is_own: &dyn Fn(&Path) -> bool,
) -> Result<(), Error> {
    // The check is the same for every table.
    let layout = OutputLayout::new_single_file(path, Table::AGENTS);
    let if_exists = if overwrite {
        IfExists::Overwrite
    } else {
        IfExists::Refuse
    };
    if path.as_os_str().to_string_lossy().ends_with('/') {
        return Err(Error::new(DatasetErrorKind::OutputIsFolder, path));
    }
    match layout.check(if_exists) {
        Err(error) if error.kind() == Some(&ErrorKind::ForeignFile) && is_own(path) => {
            if overwrite {
                Ok(())
            } else {
                Err(Error::new(DatasetErrorKind::FileExists, path))
            }
        }
        result => result,
    }
}

/// Checks that an output is a local path that is not inside a dataset.
///
/// # Errors
///
/// [`DatasetErrorKind::StandardOutput`], [`DatasetErrorKind::UrlOutput`],
/// [`DatasetErrorKind::InsideDataset`].
fn check_output_path(path: &Path) -> Result<(), Error> {
    let text = path.to_string_lossy();
    if text == "-" {
        return Err(Error::new(DatasetErrorKind::StandardOutput, path));
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
        return Err(Error::new(
            DatasetErrorKind::UrlOutput,
            without_secrets(&text),
        ));
    }
    match find_enclosing_dataset(path) {
        Some(dataset) => Err(Error::new(DatasetErrorKind::InsideDataset(dataset), path)),
        None => Ok(()),
    }
}

/// Returns the dataset whose folder contains a path; `None` if no dataset does.
fn find_enclosing_dataset(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let mut folders = path.ancestors();
    // Links in the existing part of the path are resolved.
    let real = match fs::canonicalize(&path) {
        Ok(real) => real.parent()?.to_owned(),
        Err(_) => folders.find_map(|folder| fs::canonicalize(folder).ok())?,
    };
    let mut folders = real.ancestors();
    folders
        .find(|folder| is_dataset(folder))
        .map(Path::to_owned)
}

/// Resolves links in a path, if it exists.
fn resolve_links(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Determines the kind of file or folder at the path of an output, and if robots-scan wrote it.
fn find_existing_output(root: &Path) -> Result<ExistingOutput, Error> {
    let read_error = |error| Error::read(root, error);
    match disk::file_kind(root).map_err(read_error)? {
        None => Ok(ExistingOutput::Nothing),
        Some(FileKind::Regular) => Ok(match read_own_table(root) {
            Some(table) => ExistingOutput::OwnFile(table),
            None => ExistingOutput::File,
        }),
        Some(FileKind::Folder) if is_dataset(root) => Ok(ExistingOutput::Dataset),
        Some(FileKind::Folder) => {
            let entries = disk::list_folder(root).map_err(read_error)?;
            let log = LogEntries::read(root);
            let log = log.map_err(|error| Error::read(root.join(LOG_FILE), error))?;
            let is_begun = entries.iter().all(|(path, _)| {
                let log = log.as_ref();
                log.is_some_and(|log| is_trace_of_run(path, log))
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

/// Returns true for a file or folder that a run may leave before it writes a manifest: the log, a temporary
/// folder, the folder of a table with files that the log lists, or `views.sql` and `_SUCCESS` of a history.
fn is_trace_of_run(path: &Path, log: &LogEntries) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name == LOG_FILE || log.temp_folders.contains(&*name) {
        return true;
    }
    if let VIEWS_FILE | SUCCESS_FILE = &*name {
        let text = disk::read(path).ok().filter(|_| log.commit.is_some());
        return text.is_some_and(|text| match &*name {
            VIEWS_FILE => text.starts_with(views::FIRST_LINE.as_bytes()),
            _ => text.is_empty(),
        });
    }
    let files = disk::list_folder(path).unwrap_or_default();
    let is_listed = |file: &Path| {
        let file = file.file_name().unwrap_or_default().to_string_lossy();
        log.part_files.contains(&format!("{name}/{file}"))
    };
    // A run that was killed may have left the folder of a table empty.
    let is_own = |path: &String| OutputLayout::table_of_numbered_path(path) == Some(&*name);
    log.part_files.iter().any(is_own) && files.iter().all(|(file, _)| is_listed(file))
}

/// Returns true if a folder has a manifest that robots-scan wrote.
pub fn is_dataset(root: &Path) -> bool {
    let text = ManifestText::read(root).ok().flatten();
    text.is_some_and(|text| text.first_line().get("robots_scan").is_some())
}

/// Returns the name of the table of a file that robots-scan wrote, or `None` for any
/// other file.
fn read_own_table(path: &Path) -> Option<String> {
    let footer = read_footer(&disk::open(path).ok()?).ok()?;
    let metadata = footer.file_metadata();
    let is_own = metadata
        .created_by()
        .is_some_and(|creator| creator.starts_with("robots-scan "));
    let entries = metadata.key_value_metadata().into_iter().flatten();
    let mut tables = entries.filter(|entry| entry.key == "robots_scan.table");
    let table = tables.find_map(|entry| entry.value.clone());
    is_own.then(|| table.unwrap_or_default())
}

//! `views.sql` of an existing dataset: its text, writing it again after the dataset was moved, and
//! checking it.

use super::joined::JoinedManifest;
use super::manifest_text::ManifestText;
use crate::JOINED_FOLDER;
use crate::error::{DatasetDefect, DatasetErrorKind, JoinDefect};
use crate::file_names::{LOG_FILE, VIEWS_FILE};
use disk::FileKind;
use disk::SingleFile;
use errors::Error;
use std::fs::TryLockError;
use std::path::{Path, PathBuf};
use std::slice;
use tables::{Table, ViewedFiles, views, views_sql};

/// Writes `views.sql` of the dataset at `root` again, with its present path. An existing file
/// is replaced, whatever it contains. Returns the tables for which there are views.
///
/// # Errors
///
/// [`DatasetErrorKind::NotADataset`] if there is no manifest of this version or a run is writing to
/// the dataset, [`DatasetErrorKind::BadManifest`] if its options cannot be read, and errors of
/// writing.
pub fn write_views(root: &Path) -> Result<Vec<Table>, Error> {
    let viewed = read_view_tables(root)?;
    for name in &viewed.members {
        write_views(&root.join(name))?;
    }
    write_views_file(root, &absolute_views_sql(root, &viewed)?)?;
    Ok(viewed.tables)
}

/// Returns the text of `views.sql` of the dataset at `root`, as [`write_views`] writes it. An
/// existing file is not read: anyone may have written it, and DuckDB executes whatever it contains.
///
/// # Errors
///
/// Those of [`write_views`], except errors of writing, and
/// [`ErrorKind::Read`](errors::ErrorKind::Read) for a link or a special file in a folder that
/// the views read: DuckDB follows links to files outside the dataset.
pub fn views_text(root: &Path) -> Result<String, Error> {
    let viewed = read_view_tables(root)?;
    files_of(root, &viewed)?;
    absolute_views_sql(root, &viewed)
}

/// Returns the files that the views of the dataset at `root` read.
///
/// # Errors
///
/// Those of [`views_text`].
pub fn view_files(root: &Path) -> Result<Vec<PathBuf>, Error> {
    files_of(root, &read_view_tables(root)?)
}

fn files_of(root: &Path, viewed: &ViewedFiles) -> Result<Vec<PathBuf>, Error> {
    let ViewedFiles {
        tables, members, ..
    } = viewed;
    let joined = root.join(JOINED_FOLDER);
    let member_roots: Vec<PathBuf> = members.iter().map(|name| root.join(name)).collect();
    let roots = match &*member_roots {
        [] => &[root.to_owned()],
        members => members,
    };
    let mut files = Vec::new();
    for &table in tables {
        let levels = table.partition_columns().len();
        let is_joined = !members.is_empty() && table.is_per_crawl();
        let roots = if is_joined {
            slice::from_ref(&joined)
        } else {
            roots
        };
        for root in roots {
            files.extend(find_view_files(&root.join(table.name()), levels)?);
        }
    }
    Ok(files)
}

/// Returns the Parquet files in a folder of a table, which has no links and no special files. Folders in it are searched
/// `levels` levels deep.
///
/// # Errors
///
/// [`ErrorKind::Read`](errors::ErrorKind::Read).
pub fn find_view_files(folder: &Path, levels: usize) -> Result<Vec<PathBuf>, Error> {
    let entries = disk::list_folder(folder).map_err(|error| Error::read(folder, error))?;
    let mut files = Vec::new();
    for (path, kind) in entries {
        match kind {
            FileKind::Folder if levels > 0 => files.extend(find_view_files(&path, levels - 1)?),
            FileKind::Regular if path.extension().is_some_and(|end| end == "parquet") => {
                files.push(path);
            }
            FileKind::Folder | FileKind::Regular => {}
            _ => {
                disk::open(&path).map_err(|error| Error::read(&path, error))?;
            }
        }
    }
    Ok(files)
}

/// Reads from the manifest at `root` the tables for which there are views, and, if it is a folder of joined
/// datasets, the names of the members.
fn read_view_tables(root: &Path) -> Result<ViewedFiles, Error> {
    if let Some(joined) = JoinedManifest::read(root)? {
        joined.check_members(root)?;
        return Ok(joined.viewed(true));
    }
    let text = ManifestText::read(root)?;
    let text = text.ok_or_else(|| DatasetDefect::no_manifest().error(root))?;
    text.check_readable()?;
    // The lock is only tested, not held: a run that starts later writes `views.sql` with the same text.
    if let Ok(log) = disk::open(&root.join(LOG_FILE))
        && matches!(log.try_lock_shared(), Err(TryLockError::WouldBlock))
    {
        return Err(DatasetDefect::is_being_written().error(root));
    }
    let viewed = text.manifest().viewed();
    viewed.ok_or_else(|| text.invalid_error("its options cannot be read"))
}

/// Writes `views.sql` of joined datasets.
///
/// # Errors
///
/// [`DatasetErrorKind::Unjoinable`] if a file of this name was not written by robots-scan, and
/// errors of writing.
pub fn write_joined_views(
    folder: &Path,
    joined: &JoinedManifest,
    has_hosts: bool,
) -> Result<(), Error> {
    let path = folder.join(VIEWS_FILE);
    let read_error = |error| Error::read(&path, error);
    let is_own = match disk::file_kind(&path).map_err(read_error)? {
        None => true,
        Some(FileKind::Regular) => {
            let text = disk::read(&path).map_err(read_error)?;
            text.starts_with(views::FIRST_LINE.as_bytes())
        }
        Some(_) => false,
    };
    if !is_own {
        return Err(Error::new(
            DatasetErrorKind::Unjoinable(JoinDefect::ForeignViews),
            folder,
        ));
    }
    write_views_file(
        folder,
        &absolute_views_sql(folder, &joined.viewed(has_hosts))?,
    )
}

/// Writes `text` to `views.sql` in the folder `root`. An existing file is replaced.
///
/// # Errors
///
/// Those of writing.
pub fn write_views_file(root: &Path, text: &str) -> Result<(), Error> {
    let path = root.join(VIEWS_FILE);
    // The lock is held, and temporary files are removed, until the end of this function.
    let single = SingleFile::open(&path)?;
    let (new, file) = single.new_file()?;
    new.write_and_commit(file, text.as_bytes())
}

/// Returns the text of `views.sql` with the absolute path of a dataset, or of joined datasets.
pub(crate) fn absolute_views_sql(root: &Path, viewed: &ViewedFiles) -> Result<String, Error> {
    let path = std::path::absolute(root).map_err(|error| Error::write(root, error))?;
    match path.to_str() {
        Some(_) => Ok(views_sql(&path, viewed)),
        None => Err(Error::new(DatasetErrorKind::NotUtf8Output, root)),
    }
}

/// Returns true if `text` is the `views.sql` of the dataset at `root`, with this path or another
/// one that leads to the same folder.
pub fn is_views_of(text: &[u8], root: &Path, viewed: &ViewedFiles) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    if absolute_views_sql(root, viewed).is_ok_and(|expected| expected == text) {
        return true;
    }
    let quoted = text.split_once("coalesce(getvariable('robots_scan'), '");
    let Some((path, _)) = quoted.and_then(|(_, rest)| rest.split_once("');\n")) else {
        return false;
    };
    let unquoted = path.replace("''", "'");
    let unescaped = unquoted.replace("[?]", "?").replace("[*]", "*");
    let unescaped = unescaped.replace("[[]", "[");
    let path = Path::new(&unescaped);
    let is_same = match (path.canonicalize(), root.canonicalize()) {
        (Ok(path), Ok(root)) => path == root,
        _ => false,
    };
    is_same && views_sql(path, viewed) == text
}

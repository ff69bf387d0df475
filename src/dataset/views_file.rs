//! The file `views.sql` of a dataset that exists: written again after the dataset was moved, or
//! opened in its place.

use super::joined::{JOINED, JoinedManifest};
use super::manifest::{self, Manifest};
use super::{LOG, VIEWS, views, views_sql};
use crate::error::{DatasetDefect, DatasetErrorKind, JoinDefect, ManifestDefect};
use crate::tables::Table;
use disk::FileKind;
use disk::SingleFile;
use disk::error::Error;
use std::fs::TryLockError;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::slice;

/// The bytes of a manifest that are searched for its format.
const FIRST_LINE_BYTES: u64 = 1 << 20;

/// Writes `views.sql` of the dataset at `root` again, for its present place. The file that is there
/// is replaced, whatever it contains. Returns the tables that it has views of.
///
/// # Errors
///
/// [`DatasetErrorKind::NotADataset`] if there is no manifest of this version or a run is writing to the
/// dataset, [`DatasetErrorKind::BadManifest`] if its options cannot be read, and errors of writing.
pub fn write_views(root: &Path) -> Result<Vec<Table>, Error> {
    let (tables, members) = viewed(root)?;
    for name in &members {
        write_views(&root.join(name))?;
    }
    write_file(root, &views_of(root, &tables, &members)?)?;
    Ok(tables)
}

/// Returns the text of `views.sql` of the dataset at `root`, as [`write_views`] writes it. The file
/// that is there is not read: it may be of somebody else, and DuckDB executes whatever it contains.
///
/// # Errors
///
/// Those of [`write_views`], except errors of writing, and [`ErrorKind::Read`] for a link or a special
/// file where the views read: DuckDB follows links to files outside the dataset.
pub fn views_text(root: &Path) -> Result<String, Error> {
    let (tables, members) = viewed(root)?;
    let joined = root.join(JOINED);
    let of_members: Vec<PathBuf> = members.iter().map(|name| root.join(name)).collect();
    let roots = match &*of_members {
        [] => &[root.to_owned()],
        members => members,
    };
    for &table in &tables {
        let levels = table.partition_columns().len();
        let is_joined = !members.is_empty() && table.has_crawls();
        let roots = if is_joined {
            slice::from_ref(&joined)
        } else {
            roots
        };
        for root in roots {
            check_kinds(&root.join(table.name()), levels)?;
        }
    }
    views_of(root, &tables, &members)
}

/// Checks that a folder of a table has regular files only, below this number of levels of folders.
fn check_kinds(folder: &Path, levels: usize) -> Result<(), Error> {
    let entries = disk::entries(folder).map_err(|error| Error::read(folder, error))?;
    for (path, kind) in entries {
        match kind {
            FileKind::Folder if levels > 0 => check_kinds(&path, levels - 1)?,
            FileKind::Folder | FileKind::Regular => {}
            _ => {
                disk::open(&path).map_err(|error| Error::read(&path, error))?;
            }
        }
    }
    Ok(())
}

/// Returns the tables of the dataset at `root`, and the names of the members of joined datasets.
fn viewed(root: &Path) -> Result<(Vec<Table>, Vec<String>), Error> {
    if let Some(joined) = JoinedManifest::read(root)? {
        joined.check_members(root)?;
        return Ok((joined.view_tables(true), joined.names()));
    }
    check_readable(root)?;
    let path = root.join(manifest::NAME);
    if !disk::is_regular(&path) {
        let name = manifest::NAME;
        let kind = DatasetErrorKind::NotADataset(DatasetDefect::NoManifest { name });
        return Err(Error::new(kind, root));
    }
    // A run that begins meanwhile writes the same text.
    if let Ok(log) = disk::open(&root.join(LOG))
        && matches!(log.try_lock_shared(), Err(TryLockError::WouldBlock))
    {
        let kind = DatasetErrorKind::NotADataset(DatasetDefect::IsBeingWritten);
        return Err(Error::new(kind, root));
    }
    let text = disk::read(&path).map_err(|error| Error::read(&path, error))?;
    let Some(tables) = Manifest::parse(&text).tables() else {
        let message = "its options cannot be read".to_owned();
        let kind = DatasetErrorKind::BadManifest(ManifestDefect::Invalid { message });
        return Err(Error::new(kind, &path));
    };
    Ok((tables, Vec::new()))
}

/// Writes `views.sql` of joined datasets.
///
/// # Errors
///
/// [`DatasetErrorKind::Unjoinable`] if a file of this name was not written by robots-scan, and errors of
/// writing.
pub fn write_joined_views(
    folder: &Path,
    joined: &JoinedManifest,
    has_hosts: bool,
) -> Result<(), Error> {
    let path = folder.join(VIEWS);
    let is_own = match disk::read(&path) {
        Ok(text) => text.starts_with(views::FIRST_LINE.as_bytes()),
        Err(_) => disk::kind(&path)
            .map_err(|error| Error::read(&path, error))?
            .is_none(),
    };
    if !is_own {
        return Err(Error::new(
            DatasetErrorKind::Unjoinable(JoinDefect::ForeignViews),
            folder,
        ));
    }
    let tables = joined.view_tables(has_hosts);
    write_file(folder, &views_of(folder, &tables, &joined.names())?)
}

fn write_file(root: &Path, text: &str) -> Result<(), Error> {
    let path = root.join(VIEWS);
    // The lock is held, and temporary files are removed, until the end of this function.
    let single = SingleFile::open(&path)?;
    let (new, file) = single.new_file()?;
    new.write_whole(file, text.as_bytes())
}

/// Returns the text of `views.sql` for the absolute path of a dataset, or of joined ones.
pub(crate) fn views_of(root: &Path, tables: &[Table], members: &[String]) -> Result<String, Error> {
    let path = std::path::absolute(root).map_err(|error| Error::write(root, error))?;
    match path.to_str() {
        Some(_) => Ok(views_sql(&path, tables, members)),
        None => Err(Error::new(DatasetErrorKind::NotUtf8Output, root)),
    }
}

/// Returns true if `text` is the `views.sql` of the dataset at `root`, under this name of the folder
/// or another one.
pub fn opens(text: &[u8], root: &Path, tables: &[Table], members: &[String]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    if views_of(root, tables, members).is_ok_and(|expected| expected == text) {
        return true;
    }
    let quoted = text.split_once("coalesce(getvariable('robots_scan'), '");
    let Some((path, _)) = quoted.and_then(|(_, rest)| rest.split_once("');\n")) else {
        return false;
    };
    let path = path.replace("''", "'");
    let path = path.replace("[?]", "?").replace("[*]", "*");
    let path = path.replace("[[]", "[");
    let path = Path::new(&path);
    let is_same = match (path.canonicalize(), root.canonicalize()) {
        (Ok(path), Ok(root)) => path == root,
        _ => false,
    };
    is_same && views_sql(path, tables, members) == text
}

/// Returns an error if the dataset at `root` cannot be read: its manifest has another format, or a
/// run that replaces it did not finish, so that some of its files are gone. What is not a manifest
/// is left to others.
///
/// # Errors
///
/// [`DatasetErrorKind::NotADataset`], errors of reading.
pub fn check_readable(root: &Path) -> Result<(), Error> {
    check_format(root)?;
    let path = root.join(manifest::NAME);
    if !disk::is_regular(&path) {
        return Ok(());
    }
    let text = disk::read(&path).map_err(|error| Error::read(&path, error))?;
    match manifest::is_being_replaced(&text) {
        true => {
            let kind = DatasetErrorKind::NotADataset(DatasetDefect::Unfinished);
            Err(Error::new(kind, root))
        }
        false => Ok(()),
    }
}

/// Returns an error if the dataset at `root` has a manifest of another format. What is not a
/// manifest is left to others.
pub fn check_format(root: &Path) -> Result<(), Error> {
    let path = root.join(manifest::NAME);
    let Ok(file) = disk::open(&path) else {
        return Ok(());
    };
    let mut bytes = Vec::new();
    let read = file.take(FIRST_LINE_BYTES).read_to_end(&mut bytes);
    read.map_err(|error| Error::read(&path, error))?;
    let end = bytes.iter().position(|&byte| byte == b'\n');
    let first = Manifest::parse(&bytes[..end.map_or(0, |end| end + 1)]);
    if !first.has_unknown_format {
        return Ok(());
    }
    let version = first
        .version
        .unwrap_or_else(|| "another version".to_owned());
    let kind = DatasetErrorKind::NotADataset(DatasetDefect::OtherFormat { version });
    Err(Error::new(kind, root))
}

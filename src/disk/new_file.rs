//! A file that has a temporary name until it is complete.

use super::{create_folders, file_kind, not_regular_error, remove, sync_folder};
use crate::FileKind;
use errors::Error;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file under a temporary name, with the path to which it will be renamed.
#[derive(Debug)]
pub struct NewFile {
    pub(super) temp_path: PathBuf,
    /// The folder below which no link is followed; `None` if `relative_path` is a path
    /// that the user gave.
    pub(super) root: Option<PathBuf>,
    /// The final path, below `root` if there is one.
    pub(super) relative_path: PathBuf,
    /// True if an existing regular file at the final path may be replaced.
    pub(super) replaces_existing: bool,
}

impl NewFile {
    /// Prepares an existing file at `path` to be renamed to `relative` below `root`. A file that has this
    /// name already is replaced.
    pub fn from_file(path: &Path, root: &Path, relative: &Path) -> Self {
        Self {
            temp_path: path.to_owned(),
            root: Some(root.to_owned()),
            relative_path: relative.to_owned(),
            replaces_existing: true,
        }
    }

    /// Returns the final path.
    pub fn path(&self) -> PathBuf {
        match &self.root {
            Some(root) => root.join(&self.relative_path),
            None => self.relative_path.clone(),
        }
    }

    /// Returns the final path: relative to the folder of a dataset if the file is in one, and
    /// otherwise the path that the user gave.
    pub fn relative_path(&self) -> &Path {
        &self.relative_path
    }

    /// Renames the file to its final name, and syncs the name to the disk. The bytes
    /// of the file must have been synced before.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Write`](errors::ErrorKind::Write), also if another file has the
    /// final name and may not be replaced, or if a folder on the path is a link.
    pub fn commit(self) -> Result<(), Error> {
        let path = self.path();
        self.rename(&path)
            .map_err(|error| Error::write(&path, error))
    }

    fn rename(&self, path: &Path) -> io::Result<()> {
        if let Some(root) = &self.root {
            create_folders(root, &self.relative_path)?;
        }
        match file_kind(path)? {
            None => {}
            Some(FileKind::Regular) if self.replaces_existing => {}
            Some(FileKind::Regular) => return Err(io::ErrorKind::AlreadyExists.into()),
            Some(found) => return Err(not_regular_error(found)),
        }
        fs::rename(&self.temp_path, path)?;
        sync_folder(path.parent().unwrap_or(Path::new("")))
    }

    /// Removes the file.
    pub fn discard(self) {
        // An error is ignored: temporary files are removed at the end of the run.
        let _ = remove(&self.temp_path);
    }

    /// Writes `bytes` to the file, syncs it and renames it to its final path. If
    /// writing fails, the file is removed.
    pub fn write_and_commit(self, mut file: File, bytes: &[u8]) -> Result<(), Error> {
        let result = file.write_all(bytes).and_then(|()| file.sync_all());
        match result {
            Ok(()) => self.commit(),
            Err(error) => {
                let error = Error::write(self.path(), error);
                self.discard();
                Err(error)
            }
        }
    }
}

//! A file that has a temporary name until it is complete.

use super::{kind, make_folders, not_regular, remove, sync_folder};
use crate::FileKind;
use crate::error::Error;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file under a temporary name, with the name that it will have.
#[derive(Debug)]
pub struct NewFile {
    pub(super) temporary: PathBuf,
    /// The folder below which no link is followed; `None` if `relative` is a path
    /// that the user gave.
    pub(super) root: Option<PathBuf>,
    /// The final path, below `root` if there is one.
    pub(super) relative: PathBuf,
    /// True if an existing regular file is replaced.
    pub(super) replaces: bool,
}

impl NewFile {
    /// Returns the final path.
    pub fn path(&self) -> PathBuf {
        match &self.root {
            Some(root) => root.join(&self.relative),
            None => self.relative.clone(),
        }
    }

    /// Returns the final path, below its folder if it has one.
    pub fn relative(&self) -> &Path {
        &self.relative
    }

    /// Renames the file to its final name, and syncs the name to the disk. The bytes
    /// of the file must have been synced before.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Write`](crate::error::ErrorKind::Write), also if the name belongs
    /// to another file that may not be replaced, or if a folder on the path is a link.
    pub fn commit(self) -> Result<(), Error> {
        let path = self.path();
        self.rename(&path)
            .map_err(|error| Error::write(&path, error))
    }

    fn rename(&self, path: &Path) -> io::Result<()> {
        if let Some(root) = &self.root {
            make_folders(root, &self.relative)?;
        }
        match kind(path)? {
            None => {}
            Some(FileKind::Regular) if self.replaces => {}
            Some(FileKind::Regular) => return Err(io::ErrorKind::AlreadyExists.into()),
            Some(is) => return Err(not_regular(is)),
        }
        fs::rename(&self.temporary, path)?;
        sync_folder(path.parent().unwrap_or(Path::new("")))
    }

    /// Removes the file.
    pub fn discard(self) {
        // An error is ignored: temporary files are removed at the end of the run.
        let _ = remove(&self.temporary);
    }

    /// Writes the bytes of a small file, and renames it.
    pub fn write_whole(self, mut file: File, bytes: &[u8]) -> Result<(), Error> {
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

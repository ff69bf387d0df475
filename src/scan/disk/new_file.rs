//! A file that has a temporary name until it is whole.

use super::{kind, make_folders, not_regular, remove, sync_folder};
use crate::error::{Error, FileKind};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file under a temporary name, and the name that it is to have.
#[derive(Debug)]
pub(crate) struct NewFile {
    pub(super) temporary: PathBuf,
    /// The folder below which no link is followed, and the path below it; with
    /// no folder, the path as the user gave it.
    pub(super) root: Option<PathBuf>,
    pub(super) relative: PathBuf,
    /// Whether a regular file of that name is replaced.
    pub(super) replaces: bool,
}

impl NewFile {
    /// The path that it is to have.
    pub(crate) fn path(&self) -> PathBuf {
        match &self.root {
            Some(root) => root.join(&self.relative),
            None => self.relative.clone(),
        }
    }

    /// The path that it is to have, below its folder if it has one.
    pub(crate) fn relative(&self) -> &Path {
        &self.relative
    }

    /// Gives the file its name, and brings that to the disk. Its bytes must be
    /// on the disk already.
    ///
    /// # Errors
    ///
    /// Something else that has the name, unless it is a regular file and may be
    /// replaced; a link in the place of a folder.
    pub(crate) fn give_name(self) -> Result<(), Error> {
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
    pub(crate) fn discard(self) {
        // It has a temporary name, and its folder is removed at the end.
        let _ = remove(&self.temporary);
    }

    /// Writes a small file whole.
    pub(crate) fn write_whole(self, mut file: File, bytes: &[u8]) -> Result<(), Error> {
        let result = file.write_all(bytes).and_then(|()| file.sync_all());
        match result {
            Ok(()) => self.give_name(),
            Err(error) => {
                let error = Error::write(self.path(), error);
                self.discard();
                Err(error)
            }
        }
    }
}

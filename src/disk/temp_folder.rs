//! Temporary folders: that of a dataset, in which files are written before they are renamed, and
//! those in the system's place for temporary files.

use super::{NewFile, SORT_RUN_PREFIX, create_new, is_token, random_token, remove_numbered};
use crate::error::{Error, ErrorKind};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The prefix of the name of the folder. A random token follows.
const PREFIX: &str = "_tmp-";

/// The suffix of the names of its files, which are numbers.
const SUFFIX: &str = ".tmp";

/// The name of the folder for sorting in it.
const SCRATCH: &str = "sort";

/// A folder `_tmp-<random>` for temporary files. It is removed when it is dropped.
/// A killed run leaves it, so its name is logged before it is created.
#[derive(Debug)]
pub struct TempFolder {
    root: PathBuf,
    folder: PathBuf,
    count: AtomicU64,
}

impl TempFolder {
    /// Returns a name that is unique to this run.
    pub fn random_name() -> String {
        format!("{PREFIX}{}", random_token())
    }

    /// Returns true if a text has the form of [`random_name`](Self::random_name).
    pub fn is_name(text: &str) -> bool {
        text.strip_prefix(PREFIX).is_some_and(is_token)
    }

    /// Creates the folder in `root`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Write`], also if the name exists.
    pub fn create(root: &Path, name: &str) -> Result<Self, Error> {
        let folder = root.join(name);
        fs::create_dir(&folder).map_err(|error| Error::write(&folder, error))?;
        Ok(Self {
            root: root.to_owned(),
            folder,
            count: AtomicU64::new(0),
        })
    }

    /// Removes a folder that a killed run left, unless it is a link. Files that the run
    /// did not create are kept, and then the folder is kept, too.
    pub fn remove(root: &Path, name: &str) -> io::Result<()> {
        if !Self::is_name(name) {
            return Ok(());
        }
        let folder = root.join(name);
        remove_numbered(&folder.join(SCRATCH), SORT_RUN_PREFIX, "")?;
        remove_numbered(&folder, "", SUFFIX)
    }

    /// Returns the path of a folder for sorting, which does not exist yet.
    pub fn scratch(&self) -> PathBuf {
        self.folder.join(SCRATCH)
    }

    /// Creates a file whose final path is `relative` to the root.
    pub fn new_file(&self, relative: &Path, replaces: bool) -> Result<(NewFile, File), Error> {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let temporary = self.folder.join(format!("{number}{SUFFIX}"));
        let file = create_new(&temporary).map_err(|error| Error::write(&temporary, error))?;
        let new = NewFile {
            temporary,
            root: Some(self.root.clone()),
            relative: relative.to_owned(),
            replaces,
        };
        Ok((new, file))
    }

    /// Writes a small file atomically. It replaces an existing file.
    pub fn replace(&self, relative: &Path, bytes: &[u8]) -> Result<(), Error> {
        let (new, file) = self.new_file(relative, true)?;
        new.write_whole(file, bytes)
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = remove_numbered(&self.folder, "", SUFFIX);
    }
}

/// A new folder below [`std::env::temp_dir`], removed with its content when
/// dropped.
#[derive(Debug)]
pub struct SystemTempFolder {
    folder: PathBuf,
}

impl SystemTempFolder {
    /// Creates the folder.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Create`].
    pub fn create() -> Result<Self, Error> {
        let parent = std::env::temp_dir();
        let process = std::process::id();
        // Process ids are reused, so the folder of a killed process may exist.
        // It is left alone, since another process may be using it.
        for i in 0..u16::MAX {
            let folder = parent.join(format!("robots-scan-{process}-{i}"));
            match fs::create_dir(&folder) {
                Ok(()) => return Ok(Self { folder }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(Error::with_source(ErrorKind::Create, &folder, error));
                }
            }
        }
        Err(Error::new(ErrorKind::Create, &parent))
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for SystemTempFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn files_of_others_in_the_folder_are_kept() {
        let place = tempfile::tempdir().unwrap();
        let (root, name) = (place.path(), TempFolder::random_name());
        assert!(TempFolder::is_name(&name), "{name}");
        for name in [
            "_tmp-",
            "_tmp-x",
            "../_tmp-0123456789abcdef",
            "_tmp-0123456789ABCDEF",
        ] {
            assert!(!TempFolder::is_name(name), "{name}");
        }
        let folder = TempFolder::create(root, &name).unwrap();
        assert!(TempFolder::create(root, &name).is_err());
        folder.replace(Path::new("a"), b"1").unwrap();
        folder.replace(Path::new("a"), b"2").unwrap();
        assert_eq!(fs::read(root.join("a")).unwrap(), b"2");
        let (new, _) = folder.new_file(Path::new("a"), false).unwrap();
        assert!(new.commit().is_err());
        fs::write(root.join("victim"), b"precious").unwrap();
        symlink("../victim", root.join(&name).join("7.tmp")).unwrap();
        fs::write(root.join(&name).join("notes.tmp"), b"mine").unwrap();
        drop(folder);
        let left = super::super::entries(&root.join(&name)).unwrap();
        assert_eq!(left.len(), 2, "{left:?}");
        assert_eq!(fs::read(root.join("victim")).unwrap(), b"precious");
        fs::remove_file(root.join(&name).join("7.tmp")).unwrap();
        fs::remove_file(root.join(&name).join("notes.tmp")).unwrap();
        TempFolder::remove(root, &name).unwrap();
        assert!(!root.join(&name).exists());
        symlink(".", root.join(&name)).unwrap();
        TempFolder::remove(root, &name).unwrap();
        assert!(root.join("victim").exists() && root.join(&name).exists());
    }
}

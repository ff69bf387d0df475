//! Temporary folders: the one in a dataset, in which files are written before they are renamed, and
//! folders in the system's folder for temporary files.

use super::{
    NewFile, SORT_RUN_PREFIX, create_new, is_random_token, random_token, remove_numbered_files,
};
use errors::{Error, ErrorKind};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The prefix of the name of a temporary folder in a dataset. A random token follows.
const FOLDER_PREFIX: &str = "_tmp-";

/// The suffix of the names of files in a temporary folder. A number precedes it.
const FILE_SUFFIX: &str = ".tmp";

/// The subfolder of a temporary folder in which sorted records wait for their merge.
const SORT_FOLDER: &str = "sort";

/// A folder `_tmp-<random>` for temporary files. It is removed when this value is dropped.
/// A killed run does not remove it, so its name must be logged before it is created.
#[derive(Debug)]
pub struct TempFolder {
    root: PathBuf,
    folder: PathBuf,
    file_count: AtomicU64,
}

impl TempFolder {
    /// Returns a name that is unique to this run.
    pub fn random_name() -> String {
        format!("{FOLDER_PREFIX}{}", random_token())
    }

    /// Returns true if a text has the form of [`random_name`](Self::random_name).
    pub fn is_name(text: &str) -> bool {
        text.strip_prefix(FOLDER_PREFIX)
            .is_some_and(is_random_token)
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
            file_count: AtomicU64::new(0),
        })
    }

    /// Removes the temporary folder of a killed run, unless it is a link. If the folder has
    /// files that the run did not create, they and the folder are kept.
    pub fn remove_leftover(root: &Path, name: &str) -> io::Result<()> {
        if !Self::is_name(name) {
            return Ok(());
        }
        let folder = root.join(name);
        remove_numbered_files(&folder.join(SORT_FOLDER), SORT_RUN_PREFIX, "")?;
        remove_numbered_files(&folder, "", FILE_SUFFIX)
    }

    /// Returns the path of the subfolder for sort runs, which is not created here.
    pub fn sort_folder_path(&self) -> PathBuf {
        self.folder.join(SORT_FOLDER)
    }

    /// Creates a file that is to be renamed to `root/relative`. `replaces_existing` is true if it
    /// may replace an existing file there.
    pub fn new_file(
        &self,
        relative: &Path,
        replaces_existing: bool,
    ) -> Result<(NewFile, File), Error> {
        let number = self.file_count.fetch_add(1, Ordering::Relaxed);
        let temp_path = self.folder.join(format!("{number}{FILE_SUFFIX}"));
        let file = create_new(&temp_path).map_err(|error| Error::write(&temp_path, error))?;
        let new = NewFile {
            temp_path,
            root: Some(self.root.clone()),
            relative_path: relative.to_owned(),
            replaces_existing,
        };
        Ok((new, file))
    }

    /// Creates a file that keeps a temporary name: it is removed with the folder.
    pub fn new_temporary_file(&self) -> Result<(NewFile, File), Error> {
        let number = self.file_count.fetch_add(1, Ordering::Relaxed);
        let name = self.folder.file_name().unwrap_or_default();
        let relative = Path::new(name).join(format!("{number}{FILE_SUFFIX}"));
        self.new_file(&relative, false)
    }

    /// Writes a small file atomically. An existing file is replaced.
    pub fn replace_file(&self, relative: &Path, bytes: &[u8]) -> Result<(), Error> {
        let (new, file) = self.new_file(relative, true)?;
        new.write_and_commit(file, bytes)
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = remove_numbered_files(&self.folder, "", FILE_SUFFIX);
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
        folder.replace_file(Path::new("a"), b"1").unwrap();
        folder.replace_file(Path::new("a"), b"2").unwrap();
        assert_eq!(fs::read(root.join("a")).unwrap(), b"2");
        let (new, _) = folder.new_file(Path::new("a"), false).unwrap();
        assert!(new.commit().is_err());
        fs::write(root.join("victim"), b"precious").unwrap();
        symlink("../victim", root.join(&name).join("7.tmp")).unwrap();
        fs::write(root.join(&name).join("notes.tmp"), b"mine").unwrap();
        drop(folder);
        let left = super::super::list_folder(&root.join(&name)).unwrap();
        assert_eq!(left.len(), 2, "{left:?}");
        assert_eq!(fs::read(root.join("victim")).unwrap(), b"precious");
        fs::remove_file(root.join(&name).join("7.tmp")).unwrap();
        fs::remove_file(root.join(&name).join("notes.tmp")).unwrap();
        TempFolder::remove_leftover(root, &name).unwrap();
        assert!(!root.join(&name).exists());
        symlink(".", root.join(&name)).unwrap();
        TempFolder::remove_leftover(root, &name).unwrap();
        assert!(root.join("victim").exists() && root.join(&name).exists());
    }
}

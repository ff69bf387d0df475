//! An output that is one file, with its lock and its temporary files.

use super::{
    NewFile, create_new, file_identity, file_kind, is_random_token, open_with_options,
    random_token, remove, remove_numbered_files,
};
use crate::FileKind;
use errors::{Error, ErrorKind};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The first bytes of a lock file. The random token of the run follows.
const LOCK_FILE_PREFIX: &str = "robots-scan ";

/// The prefix of the names of the files with sorted runs of records. A number follows.
pub const SORT_RUN_PREFIX: &str = "run-";

/// The maximum number of attempts to lock the lock file. Another run may remove the file between
/// opening and locking it.
const LOCK_ATTEMPTS: usize = 100;

/// An output file that is locked exclusively.
///
/// The output `x` has the lock file `.x.lock`, which is locked by the system as long
/// as the run lives. The lock file contains the token of the temporary file
/// `.x.<token>.tmp` and of the folder `.x.<token>.sort.tmp`, so that the next run
/// can remove the files of a killed run. The lock file is removed on drop.
#[derive(Debug)]
pub struct SingleFile {
    path: PathBuf,
    token: String,
    lock: File,
}

impl SingleFile {
    /// Locks the output, and removes the temporary files that a killed run left.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`] if another run has the lock, [`ErrorKind::ForeignFile`] if
    /// robots-scan did not write the lock file, [`ErrorKind::Create`] if the lock file cannot
    /// be written.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let create_error = |error| Error::with_source(ErrorKind::Create, path, error);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(create_error)?;
        }
        let lock_path = hidden_sibling(path, ".lock");
        let mut lock = acquire_lock(&lock_path, path)?;
        let mut text = Vec::new();
        let limit = (LOCK_FILE_PREFIX.len() + 64) as u64;
        let read = (&mut lock).take(limit).read_to_end(&mut text);
        read.map_err(create_error)?;
        let Some(previous_token) = parse_lock_file(&text) else {
            return Err(Error::new(ErrorKind::ForeignFile, &lock_path));
        };
        if let Some(token) = previous_token {
            remove_temp_files(path, &token).map_err(create_error)?;
        }
        let token = random_token();
        let written = lock
            .set_len(0)
            .and_then(|()| lock.rewind())
            .and_then(|()| lock.write_all(format!("{LOCK_FILE_PREFIX}{token}\n").as_bytes()))
            .and_then(|()| lock.sync_all());
        let single_file = Self {
            path: path.to_owned(),
            token,
            lock,
        };
        written.map_err(create_error)?;
        Ok(single_file)
    }

    /// Creates the output file under a temporary name.
    pub fn new_file(&self) -> Result<(NewFile, File), Error> {
        let temp_path = temp_file_path(&self.path, &self.token);
        let file = create_new(&temp_path).map_err(|error| Error::write(&temp_path, error))?;
        let new = NewFile {
            temp_path,
            root: None,
            relative_path: self.path.clone(),
            replaces_existing: true,
        };
        Ok((new, file))
    }

    /// Returns the path of the folder for sort runs. The folder is not created.
    pub fn sort_folder_path(&self) -> PathBuf {
        sort_folder_path(&self.path, &self.token)
    }
}

impl Drop for SingleFile {
    fn drop(&mut self) {
        let _ = remove_temp_files(&self.path, &self.token);
        // The lock file is removed while the lock is held. A run that gets the lock of the removed
        // file detects the removal (`acquire_lock`), and opens the lock file again.
        let lock_path = hidden_sibling(&self.path, ".lock");
        let is_own = |metadata: fs::Metadata| {
            let own = self.lock.metadata();
            own.is_ok_and(|own| file_identity(&own) == file_identity(&metadata))
        };
        if fs::symlink_metadata(&lock_path).is_ok_and(is_own) {
            let _ = fs::remove_file(&lock_path);
        }
    }
}

/// Opens and locks the lock file of an output.
fn acquire_lock(lock_path: &Path, path: &Path) -> Result<File, Error> {
    for _ in 0..LOCK_ATTEMPTS {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let file = open_with_options(lock_path, options)
            .map_err(|error| Error::with_source(ErrorKind::Create, path, error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::new(ErrorKind::Busy, path)),
            // The file system has no locks, so two runs cannot be kept apart.
            Err(TryLockError::Error(_)) => {}
        }
        // The run that had the lock may have removed the file since it was opened.
        let is_same = match (file.metadata(), fs::symlink_metadata(lock_path)) {
            (Ok(open), Ok(named)) => file_identity(&open) == file_identity(&named),
            _ => false,
        };
        if is_same {
            return Ok(file);
        }
    }
    Err(Error::new(ErrorKind::Busy, path))
}

/// Parses the text of a lock file. Returns `Some(Some(token))`, or `Some(None)` if a killed
/// run wrote only a part of the text, or `None` if it is not the text of a lock file.
fn parse_lock_file(text: &[u8]) -> Option<Option<String>> {
    let text = std::str::from_utf8(text).ok()?;
    if LOCK_FILE_PREFIX.starts_with(text) {
        return Some(None);
    }
    let rest = text.strip_prefix(LOCK_FILE_PREFIX)?;
    match rest.strip_suffix('\n') {
        Some(token) if is_random_token(token) => Some(Some(token.to_owned())),
        Some(_) => None,
        None => (rest.len() <= 16 && is_random_token(&format!("{rest:0<16}"))).then_some(None),
    }
}

/// Returns the path of the hidden file `.<name><suffix>` in the folder of the file `<name>`.
fn hidden_sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(suffix);
    path.with_file_name(name)
}

/// Returns the path of the temporary file of an output.
fn temp_file_path(path: &Path, token: &str) -> PathBuf {
    hidden_sibling(path, &format!(".{token}.tmp"))
}

/// Returns the path of the folder for the sort runs of an output.
fn sort_folder_path(path: &Path, token: &str) -> PathBuf {
    hidden_sibling(path, &format!(".{token}.sort.tmp"))
}

/// Removes the temporary file of an output and its folder for sort runs.
fn remove_temp_files(path: &Path, token: &str) -> io::Result<()> {
    let file = temp_file_path(path, token);
    if file_kind(&file)? == Some(FileKind::Regular) {
        remove(&file)?;
    }
    remove_numbered_files(&sort_folder_path(path, token), SORT_RUN_PREFIX, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_run_is_refused_and_files_of_a_killed_run_are_removed() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.parquet");
        let names = || -> Vec<String> {
            let entries = super::super::list_folder(place.path()).unwrap();
            let names = entries.iter().map(|(path, _)| path.file_name().unwrap());
            names
                .map(|name| name.to_string_lossy().into_owned())
                .collect()
        };
        let first = SingleFile::open(&path).unwrap();
        assert_eq!(
            SingleFile::open(&path).unwrap_err().kind(),
            Some(&ErrorKind::Busy)
        );
        let (new, mut file) = first.new_file().unwrap();
        file.write_all(b"whole").unwrap();
        new.commit().unwrap();
        drop(first);
        assert_eq!(names(), ["x.parquet"]);
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        // A killed run leaves the lock file, the temporary file and the folder.
        let killed = SingleFile::open(&path).unwrap();
        killed.new_file().unwrap();
        fs::create_dir(killed.sort_folder_path()).unwrap();
        fs::write(killed.sort_folder_path().join("run-3"), b"").unwrap();
        fs::write(killed.sort_folder_path().join("notes"), b"mine").unwrap();
        let lock = killed.lock.try_clone().unwrap();
        let notes = killed.sort_folder_path().join("notes");
        std::mem::forget(killed);
        lock.unlock().unwrap();
        assert_eq!(names().len(), 4, "{:?}", names());
        let next = SingleFile::open(&path).unwrap();
        assert_eq!(names().len(), 3, "{:?}", names());
        assert!(notes.exists());
        drop(next);
        assert_eq!(names().len(), 2, "{:?}", names());
    }

    #[test]
    fn a_file_of_the_user_is_not_taken_for_a_lock_file() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.parquet");
        let lock = place.path().join(".x.parquet.lock");
        for text in [
            "mine",
            "robots-scan is good",
            "robots-scan 0123456789abcdeX\n",
        ] {
            fs::write(&lock, text).unwrap();
            let error = SingleFile::open(&path).unwrap_err();
            assert_eq!(error.kind(), Some(&ErrorKind::ForeignFile), "{text}");
            assert_eq!(fs::read(&lock).unwrap(), text.as_bytes());
        }
        for text in [
            "",
            "robots",
            "robots-scan 01234",
            "robots-scan 0123456789abcdef\n",
        ] {
            fs::write(&lock, text).unwrap();
            drop(SingleFile::open(&path).unwrap());
            assert!(!lock.exists(), "{text}");
        }
        std::os::unix::fs::symlink("victim", &lock).unwrap();
        assert!(SingleFile::open(&path).is_err());
        assert!(!place.path().join("victim").exists());
    }
}

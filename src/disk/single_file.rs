//! An output that is one file, with its lock and its temporary files.

use super::{
    NewFile, create_new, identity, is_token, kind, open_with, random_token, remove, remove_numbered,
};
use crate::FileKind;
use crate::error::{Error, ErrorKind};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The first word of a lock file. A token follows.
const MARK: &str = "robots-scan ";

/// The prefix of the names of sort runs. A number follows.
pub const SORT_RUN_PREFIX: &str = "run-";

/// How often opening the lock file is tried again if another run removes it
/// meanwhile.
const ATTEMPTS: usize = 100;

/// An exclusive lock on one output file.
///
/// The output `x` has the lock file `.x.lock`, which is locked by the system as long
/// as the run lives. The lock file contains the token of the temporary file
/// `.x.<token>.tmp` and of the folder `.x.<token>.sort.tmp`, so that the next run
/// can remove what a killed run left. The lock file is removed when this is dropped.
#[derive(Debug)]
pub struct SingleFile {
    path: PathBuf,
    token: String,
    lock: File,
}

impl SingleFile {
    /// Acquires the lock.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`] if another run has the lock, [`ErrorKind::ForeignFile`] if
    /// the lock file is not one of robots-scan, [`ErrorKind::Create`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        let cannot = |error| Error::with_source(ErrorKind::Create, path, error);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(cannot)?;
        }
        let place = beside(path, ".lock");
        let mut lock = lock(&place, path)?;
        let mut text = Vec::new();
        let limit = (MARK.len() + 64) as u64;
        let read = (&mut lock).take(limit).read_to_end(&mut text);
        read.map_err(cannot)?;
        let Some(previous) = parse_lock(&text) else {
            return Err(Error::new(ErrorKind::ForeignFile, &place));
        };
        if let Some(token) = previous {
            remove_temporary(path, &token).map_err(cannot)?;
        }
        let token = random_token();
        let written = lock
            .set_len(0)
            .and_then(|()| lock.rewind())
            .and_then(|()| lock.write_all(format!("{MARK}{token}\n").as_bytes()))
            .and_then(|()| lock.sync_all());
        let single = Self {
            path: path.to_owned(),
            token,
            lock,
        };
        written.map_err(cannot)?;
        Ok(single)
    }

    /// Creates the file under a temporary name.
    pub fn new_file(&self) -> Result<(NewFile, File), Error> {
        let temporary = file_of(&self.path, &self.token);
        let file = create_new(&temporary).map_err(|error| Error::write(&temporary, error))?;
        let new = NewFile {
            temporary,
            root: None,
            relative: self.path.clone(),
            replaces: true,
        };
        Ok((new, file))
    }

    /// Returns the path of the folder for sort runs. The folder is not created.
    pub fn scratch(&self) -> PathBuf {
        scratch_of(&self.path, &self.token)
    }
}

impl Drop for SingleFile {
    fn drop(&mut self) {
        let _ = remove_temporary(&self.path, &self.token);
        // It is removed while the lock is held. A run that waits for the lock opens
        // the lock file again.
        let place = beside(&self.path, ".lock");
        let is_own = |metadata: fs::Metadata| {
            let own = self.lock.metadata();
            own.is_ok_and(|own| identity(&own) == identity(&metadata))
        };
        if fs::symlink_metadata(&place).is_ok_and(is_own) {
            let _ = fs::remove_file(&place);
        }
    }
}

/// Opens and locks the lock file of an output.
fn lock(place: &Path, path: &Path) -> Result<File, Error> {
    for _ in 0..ATTEMPTS {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let file = open_with(place, options)
            .map_err(|error| Error::with_source(ErrorKind::Create, path, error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::new(ErrorKind::Busy, path)),
            // The file system has no locks, so two runs cannot be kept apart.
            Err(TryLockError::Error(_)) => {}
        }
        // The run that had the lock may have removed the file meanwhile.
        let is_same = match (file.metadata(), fs::symlink_metadata(place)) {
            (Ok(open), Ok(named)) => identity(&open) == identity(&named),
            _ => false,
        };
        if is_same {
            return Ok(file);
        }
    }
    Err(Error::new(ErrorKind::Busy, path))
}

/// Parses a lock file. Returns its token, or `Some(None)` if a killed run wrote it
/// only in part. Returns `None` if the text is not that of a lock file.
fn parse_lock(text: &[u8]) -> Option<Option<String>> {
    let text = std::str::from_utf8(text).ok()?;
    if MARK.starts_with(text) {
        return Some(None);
    }
    let rest = text.strip_prefix(MARK)?;
    match rest.strip_suffix('\n') {
        Some(token) if is_token(token) => Some(Some(token.to_owned())),
        Some(_) => None,
        None => (rest.len() <= 16 && is_token(&format!("{rest:0<16}"))).then_some(None),
    }
}

/// Returns the path `.<name><suffix>` in the folder of a file.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(suffix);
    path.with_file_name(name)
}

/// Returns the path of the temporary file.
fn file_of(path: &Path, token: &str) -> PathBuf {
    beside(path, &format!(".{token}.tmp"))
}

/// Returns the path of the folder for sort runs.
fn scratch_of(path: &Path, token: &str) -> PathBuf {
    beside(path, &format!(".{token}.sort.tmp"))
}

/// Removes the temporary file and the folder for sort runs.
fn remove_temporary(path: &Path, token: &str) -> io::Result<()> {
    let file = file_of(path, token);
    if kind(&file)? == Some(FileKind::Regular) {
        remove(&file)?;
    }
    remove_numbered(&scratch_of(path, token), SORT_RUN_PREFIX, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_run_is_refused_and_files_of_a_killed_run_are_removed() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.parquet");
        let names = || -> Vec<String> {
            let entries = super::super::entries(place.path()).unwrap();
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
        fs::create_dir(killed.scratch()).unwrap();
        fs::write(killed.scratch().join("run-3"), b"").unwrap();
        fs::write(killed.scratch().join("notes"), b"mine").unwrap();
        let lock = killed.lock.try_clone().unwrap();
        let notes = killed.scratch().join("notes");
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

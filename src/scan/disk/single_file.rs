//! An output that is one file: its lock and its temporary names.

use super::{
    NewFile, create_new, identity, is_token, kind, open_with, random_token, remove, remove_numbered,
};
use crate::error::{Error, ErrorKind, FileKind};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The first word of a lock file; a token follows.
const MARK: &str = "robots-scan ";

/// How runs of a sort are named in the folder for them; a number follows.
pub(crate) const SCRATCH_RUN: &str = "run-";

/// How often a lock file is opened that another run removes meanwhile.
const ATTEMPTS: usize = 100;

/// The right to write one file.
///
/// The file `x` has the lock file `.x.lock`, locked by the system for as long as
/// the run lives. It names the temporary file `.x.<token>.tmp` and the folder
/// `.x.<token>.sort.tmp`, so the next run removes what a killed run left. The
/// lock file is removed at the end.
#[derive(Debug)]
pub(crate) struct SingleFile {
    path: PathBuf,
    token: String,
    lock: File,
}

impl SingleFile {
    /// Takes the lock.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`] if another run has it, [`ErrorKind::ForeignFile`] if
    /// something else has the name of the lock file, [`ErrorKind::Create`].
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
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
        let Some(former) = token_of(&text) else {
            return Err(Error::new(ErrorKind::ForeignFile, &place));
        };
        if let Some(token) = former {
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
    pub(crate) fn new_file(&self) -> Result<(NewFile, File), Error> {
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

    /// The path of a folder for what does not fit into memory. It is not made.
    pub(crate) fn scratch(&self) -> PathBuf {
        scratch_of(&self.path, &self.token)
    }
}

impl Drop for SingleFile {
    fn drop(&mut self) {
        let _ = remove_temporary(&self.path, &self.token);
        // Removed while the lock is held: who waits for it looks again.
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
            // A file system without locks: nothing keeps two runs apart.
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

/// Returns the token of a lock file: none if a kill cut its text, and no answer
/// if the text is not that of a lock file.
fn token_of(text: &[u8]) -> Option<Option<String>> {
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

/// The path `.<name><ending>` beside a file.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(ending);
    path.with_file_name(name)
}

fn file_of(path: &Path, token: &str) -> PathBuf {
    beside(path, &format!(".{token}.tmp"))
}

fn scratch_of(path: &Path, token: &str) -> PathBuf {
    beside(path, &format!(".{token}.sort.tmp"))
}

fn remove_temporary(path: &Path, token: &str) -> io::Result<()> {
    let file = file_of(path, token);
    if kind(&file)? == Some(FileKind::Regular) {
        remove(&file)?;
    }
    remove_numbered(&scratch_of(path, token), SCRATCH_RUN, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_run_is_refused_and_a_killed_one_is_cleaned_up() {
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
            &ErrorKind::Busy
        );
        let (new, mut file) = first.new_file().unwrap();
        file.write_all(b"whole").unwrap();
        new.give_name().unwrap();
        drop(first);
        assert_eq!(names(), ["x.parquet"]);
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        // A kill leaves the lock file, the file and the folder.
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
    fn a_file_of_the_user_is_no_lock() {
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
            assert_eq!(error.kind(), &ErrorKind::ForeignFile, "{text}");
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

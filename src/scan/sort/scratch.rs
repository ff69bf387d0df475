//! A folder for runs, which are gone when it is.

use crate::error::{Error, ErrorKind};
use std::cell::Cell;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The file that says that a folder is in use.
const LOCK: &str = "lock";

/// How runs are called; nothing else in the folder is ever removed.
const RUN: &str = "run-";

/// Records between two looks at whether to stop.
const CHECK_EVERY: u64 = 1 << 12;

/// A folder that is made for the runs of sorts, and removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: PathBuf,
    runs: Cell<u64>,
    stop: Arc<AtomicBool>,
    lock: Option<File>,
}

/// Sorted records in a file, which is removed when it is dropped.
#[derive(Debug)]
pub(super) struct Run {
    path: PathBuf,
}

/// A run that is being written.
pub(super) struct OpenRun {
    run: Run,
    file: BufWriter<File>,
}

impl Scratch {
    /// Makes the folder. What a killed run left in it is removed.
    ///
    /// Sorts end with [`ErrorKind::Abandoned`] once `stop` is set.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::CannotMake`]; [`ErrorKind::Busy`] if another run uses it.
    pub(crate) fn create(folder: &Path, stop: Arc<AtomicBool>) -> Result<Self, Error> {
        let cannot = |error| Error::with_source(ErrorKind::CannotMake, folder, error);
        fs::create_dir_all(folder).map_err(cannot)?;
        let lock = File::create(folder.join(LOCK)).map_err(cannot)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::new(ErrorKind::Busy, folder)),
            // A file system without locks: nothing keeps two runs apart.
            Err(TryLockError::Error(_)) => {}
        }
        let scratch = Self {
            folder: folder.to_owned(),
            runs: Cell::new(0),
            stop,
            lock: Some(lock),
        };
        scratch.clear();
        Ok(scratch)
    }

    /// How many runs were written.
    pub(crate) fn runs(&self) -> u64 {
        self.runs.get()
    }

    /// Looks now and then whether to stop.
    pub(super) fn check(&self, at: u64) -> Result<(), Error> {
        if at.is_multiple_of(CHECK_EVERY) {
            self.stopped()?;
        }
        Ok(())
    }

    /// An error once the work is to stop.
    pub(crate) fn stopped(&self) -> Result<(), Error> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Abandoned, &self.folder));
        }
        Ok(())
    }

    /// Begins a run.
    pub(super) fn begin(&self) -> Result<OpenRun, Error> {
        self.stopped()?;
        let path = self.folder.join(format!("{RUN}{}", self.runs.get()));
        self.runs.set(self.runs.get() + 1);
        let file = File::create(&path).map_err(|error| Error::write(&path, error))?;
        Ok(OpenRun {
            run: Run { path },
            file: BufWriter::new(file),
        })
    }

    fn clear(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(RUN) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.clear();
        self.lock = None;
        let _ = fs::remove_file(self.folder.join(LOCK));
        // Fails, as it should, where something of others is in it.
        let _ = fs::remove_dir(&self.folder);
    }
}

impl Run {
    pub(super) fn open(&self) -> Result<File, Error> {
        File::open(&self.path).map_err(|error| self.unreadable(error))
    }

    pub(super) fn unreadable(&self, error: io::Error) -> Error {
        Error::read(&self.path, error)
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

impl OpenRun {
    pub(super) fn write(&mut self, record: &[u8]) -> Result<(), Error> {
        // Records are far shorter: their texts come from spans and lines of 32 bits.
        let len = (record.len() as u32).to_le_bytes();
        let result = self
            .file
            .write_all(&len)
            .and_then(|()| self.file.write_all(record));
        result.map_err(|error| Error::write(&self.run.path, error))
    }

    pub(super) fn finish(mut self) -> Result<Run, Error> {
        let result = self.file.flush();
        result.map_err(|error| Error::write(&self.run.path, error))?;
        Ok(self.run)
    }
}

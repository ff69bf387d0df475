//! A folder for runs, which are gone when it is.

use crate::disk::{self, SORT_RUN_PREFIX};
use crate::error::{Error, ErrorKind};
use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Records between two looks at whether to stop.
const CHECK_EVERY: u64 = 1 << 12;

/// A folder that is made for the runs of sorts, and removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: PathBuf,
    runs: Cell<u64>,
    stop: Arc<AtomicBool>,
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
    /// Makes the folder, of which nothing may exist yet.
    ///
    /// Sorts end with [`ErrorKind::Abandoned`] once `stop` is set.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Create`].
    pub(crate) fn create(folder: &Path, stop: Arc<AtomicBool>) -> Result<Self, Error> {
        fs::create_dir(folder)
            .map_err(|error| Error::with_source(ErrorKind::Create, folder, error))?;
        Ok(Self {
            folder: folder.to_owned(),
            runs: Cell::new(0),
            stop,
        })
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
        let path = self
            .folder
            .join(format!("{SORT_RUN_PREFIX}{}", self.runs.get()));
        self.runs.set(self.runs.get() + 1);
        let file = disk::create_new(&path).map_err(|error| Error::write(&path, error))?;
        Ok(OpenRun {
            run: Run { path },
            file: BufWriter::new(file),
        })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Each run removes its own file. This fails where something else is left.
        let _ = fs::remove_dir(&self.folder);
    }
}

impl Run {
    pub(super) fn open(&self) -> Result<File, Error> {
        disk::open(&self.path).map_err(|error| self.unreadable(error))
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

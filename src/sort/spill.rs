//! Sorted runs in files, and the temporary folder that holds them.

use disk::SORT_RUN_PREFIX;
use errors::{Error, ErrorKind};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The size in bytes of the write buffer of a run. With smaller writes, which end within a page of
/// the file system, a third of the time of sorting is spent writing.
const WRITE_BUFFER_BYTES: usize = 256 << 10;

/// The number of records after which the stop flag is checked again.
const STOP_CHECK_RECORDS: u64 = 1 << 12;

/// The length of a record in bytes above which the stop flag is checked in any case.
const STOP_CHECK_BYTES: usize = 16 << 10;

/// A temporary folder for the sorted runs of all sorters, removed when dropped.
///
/// It also holds the stop flag, because every sorter has a reference to the folder.
#[derive(Debug)]
pub struct SpillFolder {
    folder: PathBuf,
    run_count: AtomicU64,
    stop: Arc<AtomicBool>,
}

/// A file of sorted records (a run), removed when dropped.
#[derive(Debug)]
pub(super) struct Run {
    path: PathBuf,
}

/// Writes the records of a run, each prefixed with its length.
pub(super) struct RunWriter {
    run: Run,
    file: BufWriter<File>,
}

impl SpillFolder {
    /// Creates the folder, which must not exist.
    ///
    /// Sorters fail with [`ErrorKind::Abandoned`] once `stop` is set.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Create`].
    pub fn create(folder: &Path, stop: Arc<AtomicBool>) -> Result<Self, Error> {
        fs::create_dir(folder)
            .map_err(|error| Error::with_source(ErrorKind::Create, folder, error))?;
        Ok(Self {
            folder: folder.to_owned(),
            run_count: AtomicU64::new(0),
            stop,
        })
    }

    /// Returns the number of runs that were created so far.
    pub fn run_count(&self) -> u64 {
        self.run_count.load(Ordering::Relaxed)
    }

    /// Returns an error if the stop flag is set. The flag is checked once per
    /// [`STOP_CHECK_RECORDS`] records, and at each record of more than [`STOP_CHECK_BYTES`].
    /// `record` and `bytes` are the number and the length of the current record.
    pub(super) fn check_stop_at_record(&self, record: u64, bytes: usize) -> Result<(), Error> {
        if record.is_multiple_of(STOP_CHECK_RECORDS) || bytes > STOP_CHECK_BYTES {
            self.check_stop()?;
        }
        Ok(())
    }

    /// Returns an error if the stop flag is set.
    pub fn check_stop(&self) -> Result<(), Error> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Abandoned, &self.folder));
        }
        Ok(())
    }

    /// Creates a run under the next unused name.
    pub(super) fn create_run(&self) -> Result<RunWriter, Error> {
        self.check_stop()?;
        let number = self.run_count.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!("{SORT_RUN_PREFIX}{number}"));
        let file = disk::create_new(&path).map_err(|error| Error::write(&path, error))?;
        Ok(RunWriter {
            run: Run { path },
            file: BufWriter::with_capacity(WRITE_BUFFER_BYTES, file),
        })
    }
}

impl Drop for SpillFolder {
    fn drop(&mut self) {
        // Each run removes its own file. If there are files that no run created, they are kept, and
        // the folder is not removed.
        let _ = fs::remove_dir(&self.folder);
    }
}

impl Run {
    pub(super) fn open(&self) -> Result<File, Error> {
        disk::open(&self.path).map_err(|error| self.read_error(error))
    }

    pub(super) fn read_error(&self, error: io::Error) -> Error {
        Error::read(&self.path, error)
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

impl RunWriter {
    pub(super) fn write(&mut self, record: &[u8]) -> Result<(), Error> {
        // The length fits into 32 bits: the texts of a record are lines and URLs, whose lengths are
        // 32-bit numbers already.
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

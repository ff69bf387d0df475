//! A file of a dataset that is read, with the digest that it had when it was written.

use crate::digest_of;
use crate::error::DatasetDefect;
use crate::manifest_entries::FileStats;
use errors::Error;
use process::open_files;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tables::Table;

/// A file of a table that is to be read.
#[derive(Clone, Debug)]
pub struct TableFile {
    pub table: Table,
    pub path: PathBuf,
    /// The size and the digest that are compared before the first row is read; `None` if they are not compared.
    pub stats: Option<FileStats>,
}

/// A file that several readers open.
#[derive(Debug)]
pub(super) struct StoredFile {
    pub(super) path: PathBuf,
    stats: Option<FileStats>,
    /// The file whose digest was compared. It stays open, so that all readers read the bytes that were compared.
    compared: Mutex<Option<Arc<File>>>,
}

impl StoredFile {
    pub(super) fn new(path: PathBuf, stats: Option<FileStats>) -> Self {
        Self {
            path,
            stats,
            compared: Mutex::default(),
        }
    }

    /// Opens the file. If its digest is to be compared, the first call reads all of it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`](errors::ErrorKind::Read); [`DatasetDefect::BadFile`] if its size or digest is another.
    pub(super) fn open(&self) -> Result<Arc<File>, Error> {
        let read_error = |error| Error::read(&self.path, error);
        let mut compared = self.compared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = &*compared {
            return Ok(Arc::clone(file));
        }
        let file = Arc::new(disk::open(&self.path).map_err(read_error)?);
        if let Some(stats) = &self.stats {
            check_digest(&file, &self.path, stats)?;
            // If too many files are open, the next call opens the file again, and compares it again.
            if open_files::is_half_free() {
                *compared = Some(Arc::clone(&file));
            }
        }
        Ok(file)
    }

    /// Returns true if [`open`](Self::open) opens another file.
    pub(super) fn is_closed(&self) -> bool {
        let compared = self.compared.lock();
        compared.unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

/// Reads a whole file, and compares its size and digest with those that it had when it was written.
///
/// # Errors
///
/// [`ErrorKind::Read`](errors::ErrorKind::Read); [`DatasetDefect::BadFile`].
pub fn check_digest(file: &File, path: &Path, written: &FileStats) -> Result<(), Error> {
    let read_error = |error| Error::read(path, error);
    let bytes = file.metadata().map_err(read_error)?.len();
    let message = if bytes != written.bytes {
        format!(
            "it has {bytes} bytes, and had {} when it was written",
            written.bytes
        )
    } else {
        let digest = digest_of(file, 0, bytes).map_err(read_error)?;
        if digest == written.digest {
            return Ok(());
        }
        let written = &written.digest;
        format!("its XXH3-64 is {digest}, and was {written} when it was written")
    };
    Err(DatasetDefect::BadFile { message }.error(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::DatasetErrorKind;
    use std::fs;
    use std::io::Read;

    #[test]
    fn a_file_is_read_as_it_was_compared() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part.parquet");
        let stats = FileStats {
            bytes: 3,
            rows: 1,
            digest: format!("{:016x}", xxhash_rust::xxh3::xxh3_64(b"abc")),
        };
        let open = |stats: Option<&FileStats>| {
            let file = StoredFile::new(path.clone(), stats.cloned());
            file.open().map(|opened| (file, opened))
        };
        for (bytes, message) in [
            ("abd", "its XXH3-64 is "),
            ("abcd", "it has 4 bytes, and had 3 when it was written"),
        ] {
            fs::write(&path, bytes).unwrap();
            assert!(open(None).is_ok());
            let error = open(Some(&stats)).unwrap_err();
            assert_eq!(error.path(), path);
            let Some(DatasetErrorKind::NotADataset(DatasetDefect::BadFile { message: found })) =
                error.kind()
            else {
                panic!("{error:?}");
            };
            assert!(found.starts_with(message), "{found}");
        }
        fs::write(&path, "abc").unwrap();
        let (file, _) = open(Some(&stats)).unwrap();
        // Another file takes the name after the first call.
        fs::remove_file(&path).unwrap();
        fs::write(&path, "abd").unwrap();
        let (opened, mut text) = (file.open().unwrap(), String::new());
        (&*opened).read_to_string(&mut text).unwrap();
        assert_eq!(text, "abc");
        assert!(!file.is_closed());
    }
}

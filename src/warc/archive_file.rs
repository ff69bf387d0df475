//! An archive that can be read from any offset.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// An archive that can be read from any offset: a regular file, or bytes in memory.
///
/// Clones share the file or the bytes, but no position: several readers can read different ranges of
/// one archive at the same time.
#[derive(Clone, Debug)]
pub struct ArchiveFile(ArchiveStorage);

#[derive(Clone, Debug)]
enum ArchiveStorage {
    OnDisk { file: Arc<File>, length: u64 },
    InMemory(Arc<Vec<u8>>),
}

impl ArchiveFile {
    /// Opens the regular file at a path.
    ///
    /// # Errors
    ///
    /// Those of opening the file, and [`io::ErrorKind::NotSeekable`] if the path is not a regular
    /// file, because it cannot be read from an offset.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::from_file(File::open(path)?)
    }

    /// Returns the archive in an open file. The position of the file does not matter.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn from_file(file: File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::ErrorKind::NotSeekable.into());
        }
        Ok(Self(ArchiveStorage::OnDisk {
            file: Arc::new(file),
            length: metadata.len(),
        }))
    }

    /// Returns the archive of these bytes.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(ArchiveStorage::InMemory(Arc::new(bytes)))
    }

    /// Returns the length in bytes. The length of a file is the one that it had when it was opened.
    pub fn length(&self) -> u64 {
        match &self.0 {
            ArchiveStorage::OnDisk { length, .. } => *length,
            ArchiveStorage::InMemory(bytes) => bytes.len() as u64,
        }
    }

    /// Reads bytes from `offset` into `out` and returns their number, which is 0 at the end.
    ///
    /// # Errors
    ///
    /// Those of reading the file.
    pub fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<usize> {
        match &self.0 {
            ArchiveStorage::OnDisk { file, .. } => read_file_at(file, offset, out),
            ArchiveStorage::InMemory(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX);
                let rest = bytes.get(start..).unwrap_or_default();
                let count = rest.len().min(out.len());
                out[..count].copy_from_slice(&rest[..count]);
                Ok(count)
            }
        }
    }
}

#[cfg(unix)]
fn read_file_at(file: &File, offset: u64, out: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, out, offset)
}

#[cfg(windows)]
fn read_file_at(file: &File, offset: u64, out: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, out, offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_and_bytes_in_memory_are_read_alike() {
        let bytes: Vec<u8> = (0..100).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        for archive in [
            ArchiveFile::from_file(file).unwrap(),
            ArchiveFile::from_bytes(bytes.clone()),
        ] {
            assert_eq!(archive.length(), 100);
            let mut out = [0; 7];
            for (offset, count) in [(0, 7), (50, 7), (95, 5), (100, 0), (u64::from(u32::MAX), 0)] {
                assert_eq!(archive.read_at(offset, &mut out).unwrap(), count);
                let expected = bytes.get(offset as usize..).unwrap_or_default();
                assert_eq!(out[..count], expected[..count]);
            }
        }
        let folder = ArchiveFile::open(Path::new("/"));
        assert!(folder.is_err());
    }
}

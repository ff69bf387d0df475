//! An archive that can be read from any offset.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// An archive that can be read from any offset: a regular file, bytes in memory, or some byte ranges of
/// an archive.
///
/// Clones share the file or the bytes, but no position: several readers can read different ranges of
/// one archive at the same time.
#[derive(Clone, Debug)]
pub struct ArchiveFile {
    storage: ArchiveStorage,
    /// The offset up to which bytes can be read; `u64::MAX` for the whole archive.
    limit: u64,
}

#[derive(Clone, Debug)]
enum ArchiveStorage {
    OnDisk {
        file: Arc<File>,
        length: u64,
    },
    InMemory(Arc<Vec<u8>>),
    /// Sorted by offset.
    Ranges(Arc<[ArchiveRange]>),
}

/// The bytes of an archive from an offset on.
#[derive(Clone, Debug)]
pub struct ArchiveRange {
    /// The offset of the first byte in the archive.
    pub offset: u64,
    /// The bytes.
    pub bytes: ArchiveFile,
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
        Ok(Self {
            storage: ArchiveStorage::OnDisk {
                file: Arc::new(file),
                length: metadata.len(),
            },
            limit: u64::MAX,
        })
    }

    /// Returns the archive of these bytes.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self {
            storage: ArchiveStorage::InMemory(Arc::new(bytes)),
            limit: u64::MAX,
        }
    }

    /// Returns an archive of which only some byte ranges are available. At the end of a range, reading ends as at the
    /// end of the archive.
    pub fn from_ranges(mut ranges: Vec<ArchiveRange>) -> Self {
        ranges.sort_by_key(|range| range.offset);
        Self {
            storage: ArchiveStorage::Ranges(ranges.into()),
            limit: u64::MAX,
        }
    }

    /// Returns the same archive without the bytes from the offset `end` on.
    #[must_use]
    pub fn truncated_at(&self, end: u64) -> Self {
        Self {
            storage: self.storage.clone(),
            limit: end.min(self.limit),
        }
    }

    /// Returns the length in bytes. The length of a file is the one that it had when it was opened.
    pub fn length(&self) -> u64 {
        let length = match &self.storage {
            ArchiveStorage::OnDisk { length, .. } => *length,
            ArchiveStorage::InMemory(bytes) => bytes.len() as u64,
            ArchiveStorage::Ranges(ranges) => {
                ranges.iter().map(ArchiveRange::end).max().unwrap_or(0)
            }
        };
        length.min(self.limit)
    }

    /// Returns the number of bytes that are in memory and in files on disk.
    pub fn stored_bytes(&self) -> StoredBytes {
        match &self.storage {
            ArchiveStorage::OnDisk { length, .. } => StoredBytes {
                in_memory: 0,
                on_disk: *length,
            },
            ArchiveStorage::InMemory(bytes) => StoredBytes {
                in_memory: bytes.len() as u64,
                on_disk: 0,
            },
            ArchiveStorage::Ranges(ranges) => {
                let stored = ranges.iter().map(|range| range.bytes.stored_bytes());
                stored.fold(StoredBytes::default(), |a, b| StoredBytes {
                    in_memory: a.in_memory + b.in_memory,
                    on_disk: a.on_disk + b.on_disk,
                })
            }
        }
    }

    /// Reads bytes from `offset` into `out` and returns their number, which is 0 at the end.
    ///
    /// # Errors
    ///
    /// Those of reading the file.
    pub fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(self.limit.saturating_sub(offset)).unwrap_or(usize::MAX);
        let count = rest.min(out.len());
        let out = &mut out[..count];
        match &self.storage {
            ArchiveStorage::OnDisk { file, .. } => read_file_at(file, offset, out),
            ArchiveStorage::InMemory(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX);
                let rest = bytes.get(start..).unwrap_or_default();
                let count = rest.len().min(out.len());
                out[..count].copy_from_slice(&rest[..count]);
                Ok(count)
            }
            ArchiveStorage::Ranges(ranges) => {
                let after = ranges.partition_point(|range| range.offset <= offset);
                match ranges[..after].last() {
                    Some(range) => range.bytes.read_at(offset - range.offset, out),
                    None => Ok(0),
                }
            }
        }
    }
}

impl ArchiveRange {
    fn end(&self) -> u64 {
        self.offset.saturating_add(self.bytes.length())
    }
}

/// The number of bytes that an archive takes in memory, and the number on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoredBytes {
    /// In memory.
    pub in_memory: u64,
    /// In files on disk.
    pub on_disk: u64,
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

    #[test]
    fn ranges_have_the_offsets_of_their_archive() {
        let range = |offset: u8, end: u8| ArchiveRange {
            offset: offset.into(),
            bytes: ArchiveFile::from_bytes((offset..end).collect()),
        };
        let archive = ArchiveFile::from_ranges(vec![range(50, 60), range(10, 20)]);
        assert_eq!(archive.length(), 60);
        assert_eq!(archive.stored_bytes().in_memory, 20);
        let read = |archive: &ArchiveFile, offset| {
            let mut out = [0; 7];
            let count = archive.read_at(offset, &mut out).unwrap();
            out[..count].to_vec()
        };
        assert_eq!(read(&archive, 10), [10, 11, 12, 13, 14, 15, 16]);
        assert_eq!(read(&archive, 17), [17, 18, 19]);
        assert_eq!(read(&archive, 55), [55, 56, 57, 58, 59]);
        for offset in [0, 9, 20, 49, 60, u64::MAX] {
            assert_eq!(read(&archive, offset), [0; 0], "{offset}");
        }
        let cut = archive.truncated_at(12);
        assert_eq!((cut.length(), read(&cut, 10)), (12, vec![10, 11]));
        assert_eq!(read(&cut, 55), [0; 0]);
        assert_eq!(archive.truncated_at(100).length(), 60);
    }
}

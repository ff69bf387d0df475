//! What is to be checked: a robots.txt, a dataset, or an archive.

use crate::error::Error;
use flate2::read::MultiGzDecoder;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use warc::Compression;

/// Bytes by which it is told.
const HEAD_BYTES: u64 = 4096;

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A robots.txt.
    File,
    /// A folder with tables.
    Dataset,
    /// An archive.
    Archive,
}

impl Source {
    /// Looks what a path leads to: a folder is a dataset; a file that begins as
    /// a WARC record does, packed or not, is an archive.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`](crate::error::ErrorKind::Read).
    pub fn of(path: &Path) -> Result<Self, Error> {
        let unreadable = |error| Error::read(path, error);
        let metadata = fs::metadata(path).map_err(unreadable)?;
        if metadata.is_dir() {
            return Ok(Self::Dataset);
        }
        if !metadata.is_file() {
            // A pipe is read once.
            return Ok(Self::File);
        }
        let mut head = Vec::new();
        let file = File::open(path).map_err(unreadable)?;
        file.take(HEAD_BYTES)
            .read_to_end(&mut head)
            .map_err(unreadable)?;
        let is_record = |text: &[u8]| text.trim_ascii_start().starts_with(b"WARC/");
        let is_archive = match warc::detect(&head) {
            Ok(Compression::None) => is_record(&head),
            Ok(Compression::Gzip) => {
                let mut text = [0; 16];
                let read = MultiGzDecoder::new(&head[..]).read(&mut text);
                read.is_ok_and(|len| is_record(&text[..len]))
            }
            Ok(Compression::Zstd) => true,
            Err(_) => false,
        };
        Ok(if is_archive {
            Self::Archive
        } else {
            Self::File
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn an_archive_is_told_by_its_first_record() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let of = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            Source::of(&path).unwrap()
        };
        let gzip = |bytes: &[u8]| {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        };
        let record = b"WARC/1.0\r\nWARC-Type: warcinfo\r\n";
        assert_eq!(of(record), Source::Archive);
        assert_eq!(of(&gzip(record)), Source::Archive);
        assert_eq!(of(b""), Source::File);
        assert_eq!(of(b"WAR"), Source::File);
        let robots = b"User-agent: *\nDisallow: /\n";
        assert_eq!(of(robots), Source::File);
        assert_eq!(of(&gzip(robots)), Source::File);
        assert_eq!(Source::of(folder.path()).unwrap(), Source::Dataset);
        assert!(Source::of(&folder.path().join("none")).is_err());
    }
}

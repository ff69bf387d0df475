//! Detects whether a path is a robots.txt, a dataset, or an archive.

use errors::Error;
use flate2::read::MultiGzDecoder;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use warc::Compression;

/// The number of bytes at the beginning of a file by which its kind is detected.
const HEAD_BYTES: u64 = 4096;

/// The kind of the input at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    RobotsTxt,
    /// A folder: a dataset or a history.
    Dataset,
    /// A WARC archive.
    Archive,
}

impl InputKind {
    /// Detects the kind: a folder is a dataset. A file is an archive if it begins with a WARC record,
    /// plain or in gzip, or if it is compressed with zstd.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`](errors::ErrorKind::Read).
    pub fn detect(path: &Path) -> Result<Self, Error> {
        let read_error = |error| Error::read(path, error);
        let metadata = fs::metadata(path).map_err(read_error)?;
        if metadata.is_dir() {
            return Ok(Self::Dataset);
        }
        if !metadata.is_file() {
            // A pipe is taken for a robots.txt, because reading its start to detect the kind would consume it.
            return Ok(Self::RobotsTxt);
        }
        let mut head = Vec::new();
        let file = File::open(path).map_err(read_error)?;
        file.take(HEAD_BYTES)
            .read_to_end(&mut head)
            .map_err(read_error)?;
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
            Self::RobotsTxt
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn an_archive_is_detected_by_its_first_record() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let detect = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            InputKind::detect(&path).unwrap()
        };
        let gzip = |bytes: &[u8]| {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        };
        let record = b"WARC/1.0\r\nWARC-Type: warcinfo\r\n";
        assert_eq!(detect(record), InputKind::Archive);
        assert_eq!(detect(&gzip(record)), InputKind::Archive);
        assert_eq!(detect(b""), InputKind::RobotsTxt);
        assert_eq!(detect(b"WAR"), InputKind::RobotsTxt);
        let robots = b"User-agent: *\nDisallow: /\n";
        assert_eq!(detect(robots), InputKind::RobotsTxt);
        assert_eq!(detect(&gzip(robots)), InputKind::RobotsTxt);
        assert_eq!(
            InputKind::detect(folder.path()).unwrap(),
            InputKind::Dataset
        );
        assert!(InputKind::detect(&folder.path().join("none")).is_err());
    }
}

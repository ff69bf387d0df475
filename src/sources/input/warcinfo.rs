//! The crawl and the subset of an archive according to its warcinfo record.

use super::is_partition_name;
use crate::InputPlace;
use errors::Error;
use std::fs;
use std::io::{self, Read};

/// The fields of the first warcinfo record of an archive that describe its crawl.
#[derive(Debug, Default)]
pub(super) struct Warcinfo {
    /// The field `isPartOf`.
    pub(super) crawl: Option<String>,
    /// The field `subset`.
    pub(super) subset: Option<String>,
}

/// The bytes of a file that are read first to find its warcinfo record.
const WARCINFO_HEAD_BYTES: u64 = 16 << 10;

impl Warcinfo {
    /// Reads the first record of an archive. `reader` is reused for many archives, so that its
    /// buffers are allocated once. Fields are `None` if that record is not a warcinfo record, or if
    /// the archive cannot be read: errors of an archive are reported when the run reads it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`](errors::ErrorKind::Read) for a stream that cannot
    /// be read.
    pub(super) fn read(place: &InputPlace, reader: &mut warc::Reader) -> Result<Self, Error> {
        match place {
            InputPlace::Missing(_) | InputPlace::Remote(_) => return Ok(Self::default()),
            InputPlace::File(path) => {
                // A few kilobytes are nearly always sufficient, and there may be many files.
                let mut first = Vec::new();
                let read = fs::File::open(path)
                    .and_then(|file| file.take(WARCINFO_HEAD_BYTES).read_to_end(&mut first));
                let is_warcinfo = read.is_ok()
                    && open_at_warcinfo(reader, |reader| {
                        reader.open_stream(Box::new(io::Cursor::new(first)))
                    });
                if !is_warcinfo && !open_at_warcinfo(reader, |reader| reader.open_file(path)) {
                    return Ok(Self::default());
                }
            }
            InputPlace::Stream(stream) => {
                let head = Box::new(stream.peek());
                let is_warcinfo = open_at_warcinfo(reader, |reader| reader.open_stream(head));
                if let Some(error) = stream.take_error() {
                    return Err(Error::read(stream.display_path(), error));
                }
                if !is_warcinfo {
                    return Ok(Self::default());
                }
            }
        }
        let record = reader.record();
        let mut info = Self::default();
        for line in record.block().split(|&byte| byte == b'\n') {
            let line = String::from_utf8_lossy(line);
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            let value = value.trim();
            let field = match name.trim().to_ascii_lowercase().as_str() {
                "ispartof" => &mut info.crawl,
                "subset" => &mut info.subset,
                _ => continue,
            };
            // The value becomes the name of a folder, so it must not lead out of the output.
            if field.is_none() && is_partition_name(value) {
                *field = Some(value.to_owned());
            }
        }
        Ok(info)
    }
}

/// Opens an archive and reads its first record. Returns true if it is a warcinfo
/// record.
fn open_at_warcinfo(
    reader: &mut warc::Reader,
    open: impl FnOnce(&mut warc::Reader) -> Result<(), warc::Error>,
) -> bool {
    open(reader).is_ok()
        && matches!(reader.read_record(), Ok(true))
        && reader.record().record_type() == warc::RecordType::Warcinfo
}

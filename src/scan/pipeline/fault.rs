//! Rows of the table `faults`.
//!
//! The texts of the column `detail` are data. They are written here and not taken
//! from the `Display` of an error, so that messages can be reworded without
//! changing datasets.

use crate::capture::digest::DIGEST_MISMATCH;
use crate::tables::Fault;
use warc::{ErrorKind, RecordLocation, UnsupportedFormat};

/// Returns the fault of an input that does not exist.
pub(super) fn of_missing_input() -> Fault {
    Fault {
        offset: 0,
        bytes_skipped: 0,
        code: "input_missing",
        detail: "the input does not exist".to_owned(),
    }
}

/// Returns the fault of a damaged part of an archive.
pub(super) fn of_damage(error: &warc::Error, bytes_skipped: u64) -> Fault {
    let text = damage_text(error.kind());
    Fault {
        offset: error.offset(),
        bytes_skipped,
        code: error.code(),
        detail: match (error.decoded_range(), error.records_before()) {
            (None, 0) => text.to_owned(),
            (None, before) => format!(
                "{text}; records of the member read before it, which may be wrong: {before}"
            ),
            (Some(range), _) => format!(
                "{text}, at {} of the member's decoded bytes, of which {} are skipped",
                range.offset, range.bytes
            ),
        },
    }
}

/// Returns the fault of a capture whose digest differs from that of its header
/// field `field`.
pub(super) fn of_digest(location: RecordLocation, field: &str) -> Fault {
    Fault {
        offset: location.offset,
        bytes_skipped: 0,
        code: DIGEST_MISMATCH,
        detail: format!(
            "record {} at this offset is not the one of its {field}",
            location.index_in_member
        ),
    }
}

/// Returns the text of `detail` for a kind of damage.
fn damage_text(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Io => "the input cannot be read",
        ErrorKind::Unsupported(format) => unsupported_text(format),
        ErrorKind::NotAnArchive => "not a WARC archive: neither plain nor gzip nor zstd",
        ErrorKind::Empty => "the input has no bytes",
        ErrorKind::BadDictionary => "the zstd dictionary frame is damaged",
        ErrorKind::NotWarc => "the compressed member contains no WARC record",
        ErrorKind::Truncated => "truncated",
        ErrorKind::Corrupt => "compressed data is corrupt",
        ErrorKind::Checksum => "the checksum does not match",
        ErrorKind::Bomb => "the member unpacks to over 256 MiB and over 1,100 times its size",
        ErrorKind::Garbage => "bytes that are not part of any record",
        ErrorKind::Unsearched => {
            "not searched for records: resynchronization exceeded its work budget"
        }
        ErrorKind::BadHeader => "the record has no valid version line",
        ErrorKind::HeaderTooLong => "the record header does not end within the limit",
        ErrorKind::BadContentLength => "Content-Length is absent, contradictory or wrong",
        _ => "unknown damage",
    }
}

/// Returns the text of `detail` for an archive in a format that is not supported.
fn unsupported_text(format: UnsupportedFormat) -> &'static str {
    match format {
        UnsupportedFormat::Arc => {
            "ARC, the predecessor of WARC, is not supported: convert it to WARC first"
        }
        UnsupportedFormat::Zip => {
            "zip archives (WACZ) are not supported: unpack it and give the WARC files in its folder archive"
        }
        UnsupportedFormat::EmptyZip => {
            "zip archives (WACZ) are not supported, and this one is empty"
        }
        UnsupportedFormat::Bzip2 => "bzip2 is not supported: decompress it with bzip2 -d first",
        UnsupportedFormat::Lz4 => "lz4 is not supported: decompress it with lz4 -d first",
        UnsupportedFormat::Xz => "xz is not supported: decompress it with xz -d first",
        UnsupportedFormat::SevenZip => "7z is not supported: decompress it first",
        UnsupportedFormat::Compress => {
            "the Z format of compress is not supported: decompress it with gzip -d first"
        }
        _ => "a format that is not supported",
    }
}

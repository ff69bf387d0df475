//! Decompression of archives.
//!
//! - [`source`]: the bytes of the archive, from a file or a stream, in a sliding buffer.
//! - [`libdeflate`]: decompresses a whole gzip member in one call. Nearly all members take this
//!   path. All unsafe code of the crate is here.
//! - [`gzip`]: decompresses a gzip member step by step, if it is large or damaged.
//! - [`zstd`]: decompresses zstd frames, with the dictionary at the start of the archive.
//! - [`decoder`]: chooses the decoder for the compression of the archive.
//! - [`buffer`]: decompressed bytes with a cursor.

pub(crate) mod buffer;
pub(crate) mod decoder;
pub(crate) mod gzip;
pub(crate) mod libdeflate;
pub(crate) mod source;
pub(crate) mod zstd;
pub(crate) mod zstd_frame;

use crate::error::ErrorKind;

/// The compression of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// No compression: the file is a sequence of records.
    None,
    /// One or more gzip members, each with one or more records.
    Gzip,
    /// One or more zstd frames, each with one or more records, after an optional dictionary frame.
    Zstd,
}

/// Enlarges a buffer, with zeros.
fn enlarge(buffer: &mut Vec<u8>, len: usize) {
    match buffer.is_empty() {
        // The system provides pages of zeros when they are used first.
        true => *buffer = vec![0; len],
        false => buffer.resize(len, 0),
    }
}

/// The result of one step of a decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecodeStep {
    /// This many bytes were decoded. Never 0.
    Bytes(usize),
    /// The member, frame or uncompressed input has ended and is valid.
    End,
    /// The member or frame cannot be decoded any further.
    Damaged(ErrorKind),
}

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
pub(crate) mod step;
pub(crate) mod zstd;
pub(crate) mod zstd_frame;

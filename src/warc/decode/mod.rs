//! Decompression: the bytes of an input, and the decoders over them.

pub(crate) mod buffer;
pub(crate) mod decoder;
pub(crate) mod gzip;
pub(crate) mod libdeflate;
pub(crate) mod source;
pub(crate) mod zstd;
mod zstd_frame;

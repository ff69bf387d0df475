//! The compression of an archive.

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

//! The compression of an archive.

/// How an archive is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Records as they are.
    None,
    /// Members of gzip, a record each or many.
    Gzip,
    /// Frames of zstd, a record each or many, perhaps with a dictionary.
    Zstd,
}

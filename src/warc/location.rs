//! The location of a record in an archive, and of damage in a member.

/// The location of a record in its archive, in the terms of the Common Crawl index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RecordLocation {
    /// The offset, in bytes of the archive, of the gzip member or zstd frame that holds the
    /// record, or of the record itself if the archive is not compressed.
    pub offset: u64,
    /// The number of bytes, in the archive, of the member or frame, or of the uncompressed record
    /// with the two line ends after its block. `None` if several records share the member.
    pub length: Option<u64>,
    /// The index of the record in its member, from 0. Damaged records count.
    pub index_in_member: u32,
}

/// A damaged range in the decompressed bytes of a member that holds several records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DamagedRange {
    /// The offset of the damage, in decompressed bytes of its member.
    pub offset: u64,
    /// The number of decompressed bytes from the damage to the next record or the end of the
    /// member. They are skipped.
    pub bytes: u64,
}

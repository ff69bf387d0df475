//! The integrity of a record.

/// States whether a checksum confirms that the bytes of a record are those that were written.
///
/// Integrity is a property of the gzip member or zstd frame that holds the record. All records of
/// a member have the same integrity, wherever in the member damage was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Integrity {
    /// The member or frame decodes to its end and its checksum matches.
    Verified,
    /// No checksum covers the bytes: the record is not compressed, or its zstd frame decodes to
    /// its end and has no checksum.
    #[default]
    Unguarded,
    /// The checksum was not reached when the record was read: the member holds several records,
    /// the input is a stream, and the member is longer than the part of the stream that is kept.
    /// Records of regular files never have this value.
    Unknown,
    /// The member or frame does not decode to its end, or its checksum does not match: the record
    /// may differ from what was written.
    Damaged,
}

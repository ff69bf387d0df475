//! The integrity of a record.

/// How far the bytes of a record are known to be those that were written.
///
/// This is a property of the gzip member or zstd frame that holds the record: it is the same
/// for all records of a member and does not depend on where in the member damage was met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Integrity {
    /// The member or frame decodes to its end and its checksum agrees.
    Verified,
    /// No checksum guards the bytes: a plain record, or a record of a zstd frame that decodes to
    /// its end and has no checksum.
    #[default]
    Unguarded,
    /// Not known when the record was read: the member holds several records and is longer than
    /// what is kept of a stream. Inputs that can be read twice have no such records.
    Unknown,
    /// The member or frame does not decode to its end, or its checksum is wrong: the record may
    /// be other than it was written.
    Damaged,
}

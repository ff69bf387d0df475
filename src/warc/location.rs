//! Positions in an archive: of a record, and of damaged bytes.

/// Where a record stands in its input, as the index of a crawl has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RecordLocation {
    /// Start of its gzip member, of its zstd frame, or of the plain record.
    pub offset: u64,
    /// Bytes of its member or frame, or of the plain record with the two line
    /// ends behind it; none if several records share the member.
    pub length: Option<u64>,
    /// Which record of its member it is, from 0; damaged ones are counted.
    pub index_in_member: u32,
}

/// Where damage lies inside the decoded bytes of a member that holds many records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DamagedRange {
    /// Offset of the damage in the decoded bytes of its member.
    pub offset: u64,
    /// Decoded bytes from there to the next record or the end of the member.
    pub bytes: u64,
}

//! The memory limits of a reader.

/// Limits on the memory that a [`Reader`](crate::Reader) uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest record header, in bytes. A longer one is a fault.
    pub max_header_bytes: usize,
    /// The largest part of a record block that is kept, in bytes. The rest is skipped.
    pub max_block_bytes: usize,
    /// The largest gzip member, in decompressed bytes, that is decompressed in one call. Larger
    /// members are decompressed step by step, with the same result, but more slowly.
    pub max_member_bytes: usize,
}

impl Default for Limits {
    /// Returns limits of 1 MiB for a header, 32 MiB for a block and 16 MiB for a member.
    fn default() -> Limits {
        Limits {
            max_header_bytes: 1 << 20,
            max_block_bytes: 32 << 20,
            max_member_bytes: 16 << 20,
        }
    }
}

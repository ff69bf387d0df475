//! Bounds on the memory of a reader.

/// Bounds on what a reader holds in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest record header; a longer one is a fault.
    pub max_header_bytes: usize,
    /// The part of a block that is kept; what is beyond is passed over.
    pub max_block_bytes: usize,
    /// The largest gzip member that is inflated in one piece; larger ones are
    /// inflated piece by piece, with the same result and more slowly.
    pub max_member_bytes: usize,
}

impl Default for Limits {
    /// 1 MiB of header, 32 MiB of block, 16 MiB of member.
    fn default() -> Limits {
        Limits {
            max_header_bytes: 1 << 20,
            max_block_bytes: 32 << 20,
            max_member_bytes: 16 << 20,
        }
    }
}

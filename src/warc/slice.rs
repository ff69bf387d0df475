//! The unit of slices.

/// The unit of slices in bytes: boundaries between slices of a file must be multiples of it.
///
/// [`Reader::open_slice`](crate::Reader::open_slice) reads few bytes beyond such a boundary, and the
/// work limit of searches starts again at it.
pub const SLICE_BYTES: u64 = 1 << 20;

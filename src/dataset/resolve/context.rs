//! The dataset and the resources of a resolution.

use crate::Dataset;
use crate::external_sort::SortMemory;
use std::sync::atomic::AtomicU64;

/// The dataset that is read, the memory for sorting, and a counter for
/// progress displays.
#[derive(Clone, Copy)]
pub struct ResolveContext<'a> {
    pub dataset: &'a Dataset,
    pub memory: SortMemory<'a>,
    /// Rows of `robots_files` that have been read, including rows that are read
    /// again.
    pub rows_read: &'a AtomicU64,
}

//! The part of an input that is read: all of it, some records of an archive, or rows of a table of bodies.

use crate::table_file::{ColumnNames, RowRanges};
use std::ops::Range;
use std::sync::Arc;

/// The most bytes between two records that are fetched together in one request. Fetching these bytes costs less than
/// another request.
pub(super) const MAX_GAP_BYTES: u64 = 64 << 10;

/// The most bytes that are fetched in one request for records, unless a single record has more.
const MAX_REQUEST_BYTES: u64 = 16 << 20;

/// The rows of a table that are the captures of one crawl.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyRows {
    pub(crate) columns: ColumnNames,
    /// The numbers of the rows; `None` for all.
    pub(crate) ranges: RowRanges,
}

/// The records or rows of an input that are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// All of an archive.
    #[default]
    All,
    /// The records of an archive at some addresses, sorted by offset.
    Records(Arc<[RecordAddress]>),
    /// Rows of a table of bodies.
    Rows(Arc<BodyRows>),
}

/// The place of a record in its archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordAddress {
    /// The offset of the gzip member or zstd frame of the record, or of the record itself in an uncompressed archive.
    pub offset: u64,
    /// The length in bytes of that member, frame or record.
    pub length: u64,
}

impl Selection {
    /// Returns true if a whole archive is read.
    pub fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }

    /// Returns the byte ranges that are requested from a server; `None` for a whole input.
    pub fn requests(&self) -> Option<Vec<Range<u64>>> {
        match self {
            Self::Records(addresses) => Some(join_neighbours(addresses)),
            Self::All | Self::Rows(_) => None,
        }
    }

    /// Returns the number of records at addresses.
    pub fn record_count(&self) -> u64 {
        match self {
            Self::Records(addresses) => addresses.len() as u64,
            Self::All | Self::Rows(_) => 0,
        }
    }
}

impl RecordAddress {
    /// Returns the byte range of the record.
    pub(crate) fn range(self) -> Range<u64> {
        self.offset..self.offset.saturating_add(self.length)
    }
}

/// Returns the byte ranges to be requested for records, which are sorted by offset: neighbours are
/// requested together.
fn join_neighbours(addresses: &[RecordAddress]) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for address in addresses {
        let range = address.range();
        let last = ranges.last_mut().filter(|last| {
            let is_near = range.start.saturating_sub(last.end) <= MAX_GAP_BYTES;
            is_near && range.end - last.start <= MAX_REQUEST_BYTES
        });
        match last {
            Some(last) => last.end = last.end.max(range.end),
            None => ranges.push(range),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_requested_together_up_to_a_size() {
        let address = |(offset, length)| RecordAddress { offset, length };
        let joined = |addresses: &[(u64, u64)]| {
            let addresses: Vec<_> = addresses.iter().copied().map(address).collect();
            join_neighbours(&addresses)
        };
        assert_eq!(joined(&[]), [0..0; 0]);
        let near = 110 + MAX_GAP_BYTES;
        assert_eq!(joined(&[(100, 10), (near, 5)]), vec![100..near + 5]);
        assert_eq!(
            joined(&[(100, 10), (near + 1, 5)]),
            [100..110, near + 1..near + 6]
        );
        // Each request has one large record, or records up to the size.
        let size = MAX_REQUEST_BYTES;
        let large = [
            (0, size - 5),
            (size - 5, 5),
            (size, 2 * size),
            (3 * size, 1),
        ];
        assert_eq!(
            joined(&large),
            [0..size, size..3 * size, 3 * size..3 * size + 1]
        );
    }
}

//! The captures whose rows are read.

use parquet::bloom_filter::Sbbf;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The captures whose rows are read.
#[derive(Clone, Debug)]
pub enum CaptureFilter {
    /// All captures.
    All,
    /// One capture.
    One {
        /// The index of its crawl.
        crawl: u32,
        /// Its key.
        robots_id: i64,
    },
    /// Captures with these keys of a part, in ascending order.
    Ids(Arc<[i64]>),
    /// The row groups that have one of these keys. Other rows of them are read, too.
    IdRange(RangeInclusive<i64>),
    /// The row groups that may have this number in a column. Other rows of them are read, too.
    Number {
        /// The name of the column.
        column: &'static str,
        /// The number.
        number: i64,
    },
    /// Rows with one of these values in a text column. Row groups are not read if their range or
    /// their Bloom filter excludes them.
    Values(Arc<ColumnValuesFilter>),
    /// Captures whose crawl and URL, as [`push_crawl_key`] writes them, may be in a Bloom filter.
    Urls(Arc<Sbbf>),
}

/// A column and some of its values.
#[derive(Clone, Debug)]
pub struct ColumnValuesFilter {
    /// The name of the column.
    pub column: &'static str,
    /// The values.
    pub values: BTreeSet<String>,
}

/// Writes a key that begins with the index of a crawl, such as that of a URL of the crawl.
pub fn push_crawl_key(key: &mut Vec<u8>, crawl: u32, rest: &[u8]) {
    // Zero bytes would be escaped in the key of a record.
    let bytes = [crawl >> 14, crawl >> 7, crawl].map(|bits| 0x80 | bits as u8);
    key.extend_from_slice(&bytes);
    key.extend_from_slice(rest);
}

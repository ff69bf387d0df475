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
        robots_id: i64,
    },
    /// The captures of a part with these values of `robots_id`, which are in ascending order.
    Ids(Arc<[i64]>),
    /// All rows of the row groups that may have a `robots_id` in this range.
    IdRange(RangeInclusive<i64>),
    /// Rows with this number in a column.
    Number {
        /// The name of the column.
        column: &'static str,
        number: i64,
    },
    /// Rows with one of these values in a text column. A row group is not read if the range or
    /// the Bloom filter of the column excludes all of the values.
    Values(Arc<ColumnValuesFilter>),
    /// Rows whose value in a text column may be in a Bloom filter.
    Keys {
        /// The name of the column.
        column: &'static str,
        keys: Arc<Sbbf>,
    },
    /// Rows whose number in a column may be in a Bloom filter.
    NumberKeys {
        /// The name of the column.
        column: &'static str,
        keys: Arc<Sbbf>,
    },
    /// Captures whose crawl and URL, as [`push_crawl_key`] writes them, may be in a Bloom filter.
    Urls(Arc<Sbbf>),
}

/// A text column, and the values that are wanted.
#[derive(Clone, Debug)]
pub struct ColumnValuesFilter {
    /// The name of the column.
    pub column: &'static str,
    pub values: BTreeSet<String>,
}

/// Appends a key to `key`: the index of a crawl in three bytes, and `rest`, such as a URL.
pub fn push_crawl_key(key: &mut Vec<u8>, crawl: u32, rest: &[u8]) {
    // The highest bit is set because zero bytes would be escaped in the key of a record for sorting.
    let bytes = [crawl >> 14, crawl >> 7, crawl].map(|bits| 0x80 | bits as u8);
    key.extend_from_slice(&bytes);
    key.extend_from_slice(rest);
}

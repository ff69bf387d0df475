//! Divides the rows of a table into pages and row groups.
//!
//! A row group ends after [`GROUP_ROWS`] rows, or with the page that brings its
//! values to [`GROUP_BYTES`], whichever comes first. A page ends after [`PAGE_ROWS`]
//! rows, or with the row that brings it to [`PAGE_BYTES`]. The division depends only
//! on the rows and their order: batches and threads have no effect. Pages are encoded
//! as they become full, so that an unfinished row group is in memory in encoded form.

use crate::RowBatch;
use std::ops::Range;
use std::sync::Arc;

/// The maximum number of rows of a row group. In narrow tables, a row group of this length takes 2 to 7 MB
/// of the file. A query engine reads a row group with one thread.
pub const GROUP_ROWS: usize = 524_288;

/// The size of values in bytes at which a row group ends, at the end of the current page. In wide tables, such
/// a row group takes about 15 MB of the file.
pub(crate) const GROUP_BYTES: u64 = 128 << 20;

/// The maximum number of rows of a page.
const PAGE_ROWS: usize = 15_360;

/// The size of values in bytes at which a page ends, at the end of the current row.
const PAGE_BYTES: u64 = 4 << 20;

/// The size of a batch in bytes above which its pending rows are copied, so that the batch can
/// be freed. Only a batch with a large body exceeds this size.
const LARGE_BATCH_BYTES: u64 = 4 * PAGE_BYTES;

/// Some rows of a batch.
#[derive(Clone, Debug)]
pub struct BatchRows {
    /// The batch that has the rows.
    pub batch: Arc<RowBatch>,
    /// The indexes of the rows in the batch.
    pub rows: Range<usize>,
}

/// Consecutive rows that are encoded together, as one page of each column.
#[derive(Debug)]
pub(crate) struct PageRows {
    /// The rows, as ranges of the batches that contain them.
    pub batches: Vec<BatchRows>,
    /// The bytes of their values.
    pub bytes: u64,
    /// True if the row group ends with this page.
    pub(crate) ends_group: bool,
}

/// Divides the rows of batches into pages, and marks the last page of each row group.
#[derive(Debug, Default)]
pub(crate) struct RowGroupSplitter {
    pending: Vec<BatchRows>,
    pending_rows: usize,
    /// The bytes of the values of pending rows.
    pending_bytes: u64,
    /// The number of rows of the current group in earlier pages.
    group_rows: usize,
    /// The bytes of values of the current group in earlier pages.
    group_bytes: u64,
}

impl RowGroupSplitter {
    /// Adds rows and appends the pages that are full to `full`.
    pub(crate) fn push(&mut self, batch: RowBatch, full: &mut Vec<PageRows>) {
        let batch = Arc::new(batch);
        let mut start = 0;
        while start < batch.len() {
            let room = (PAGE_ROWS - self.pending_rows)
                .min(GROUP_ROWS - self.group_rows - self.pending_rows);
            let max_count = room.min(batch.len() - start);
            let limit = PAGE_BYTES - self.pending_bytes;
            let bytes =
                |rows: usize| batch.first_rows_bytes(start + rows) - batch.first_rows_bytes(start);
            // The row that brings the page to its limit is the last row of the page.
            let count = if bytes(max_count) < limit {
                max_count
            } else {
                find_least(max_count, |rows| bytes(rows) >= limit)
            };
            self.pending_rows += count;
            self.pending_bytes += bytes(count);
            self.pending.push(BatchRows {
                batch: Arc::clone(&batch),
                rows: start..start + count,
            });
            start += count;
            if self.pending_rows >= PAGE_ROWS
                || self.pending_bytes >= PAGE_BYTES
                || self.group_rows + self.pending_rows >= GROUP_ROWS
            {
                full.push(self.take_page());
            }
        }
        self.release_large_batch();
    }

    /// Copies pending rows out of a large batch, so that the batch is freed once
    /// its other rows are encoded.
    fn release_large_batch(&mut self) {
        if let Some(BatchRows { batch, rows }) = self.pending.last_mut()
            && batch.first_rows_bytes(batch.len()) > LARGE_BATCH_BYTES
        {
            let copy = batch.copy_rows(rows.clone());
            (*batch, *rows) = (Arc::new(copy), 0..rows.len());
        }
    }

    /// Returns the page that ends the last row group. The page has no rows if all rows of the
    /// group are in earlier pages. Returns `None` if no group has been started.
    pub(crate) fn finish(&mut self) -> Option<PageRows> {
        if self.group_rows + self.pending_rows == 0 {
            return None;
        }
        let mut page = self.take_page();
        page.ends_group = true;
        (self.group_rows, self.group_bytes) = (0, 0);
        Some(page)
    }

    fn take_page(&mut self) -> PageRows {
        self.group_rows += self.pending_rows;
        self.group_bytes += self.pending_bytes;
        let ends_group = self.group_rows >= GROUP_ROWS || self.group_bytes >= GROUP_BYTES;
        let page = PageRows {
            batches: std::mem::take(&mut self.pending),
            bytes: self.pending_bytes,
            ends_group,
        };
        (self.pending_rows, self.pending_bytes) = (0, 0);
        if ends_group {
            (self.group_rows, self.group_bytes) = (0, 0);
        }
        page
    }
}

/// Returns the least number from 1 to `max_count` for which `holds` is true. `holds` must be
/// true for `max_count`, and, if it is true for a number, for all larger numbers, too.
fn find_least(max_count: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (1, max_count);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle
        } else {
            low = middle + 1
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ColumnBuilder, ColumnValues, PlainTextBuilder};

    fn batch(texts: &[String]) -> RowBatch {
        let (mut ids, mut column) = (ColumnBuilder::<i64>::default(), PlainTextBuilder::default());
        let mut ends = Vec::new();
        for (row, text) in texts.iter().enumerate() {
            ids.append_value(row as i64);
            column.append_value(text);
            ends.push(12 * (row as u64 + 1) + column.text_bytes());
        }
        let columns = vec![ids.take(ColumnValues::Long), column.take()];
        RowBatch::new(columns, Default::default(), ends)
    }

    /// Returns the rows of each page, and true if a group ends with it.
    fn split_into_pages(batches: Vec<RowBatch>) -> Vec<(usize, bool)> {
        let (mut splitter, mut full) = (RowGroupSplitter::default(), Vec::new());
        for batch in batches {
            splitter.push(batch, &mut full);
        }
        full.extend(splitter.finish());
        full.iter()
            .map(|page| {
                (
                    page.batches.iter().map(|batch| batch.rows.len()).sum(),
                    page.ends_group,
                )
            })
            .collect()
    }

    #[test]
    fn pending_rows_do_not_keep_a_large_batch_in_memory() {
        let texts: Vec<String> = (0..PAGE_ROWS + 7)
            .map(|row| format!("{row}").repeat(500))
            .collect();
        let (mut splitter, mut full) = (RowGroupSplitter::default(), Vec::new());
        splitter.push(batch(&texts), &mut full);
        let BatchRows { batch, rows: range } = &splitter.pending[0];
        assert_eq!(batch.len(), range.len());
        let bytes: usize = texts[texts.len() - batch.len()..]
            .iter()
            .map(|text| 12 + text.len())
            .sum();
        assert_eq!(batch.first_rows_bytes(batch.len()), bytes as u64);
        assert_eq!(splitter.pending_bytes, bytes as u64);
    }

    fn rows_per_group(pages: &[(usize, bool)]) -> Vec<usize> {
        pages
            .split_inclusive(|page| page.1)
            .map(|group| group.iter().map(|page| page.0).sum())
            .collect()
    }

    #[test]
    fn pages_do_not_depend_on_batches() {
        // Texts of a kilobyte at the beginning, so that pages end by size, too.
        let texts: Vec<String> = (0..1_200_000)
            .map(|row| {
                let is_long = row < 100_000 && row % 3 == 0;
                "x".repeat(if is_long { 1000 } else { row % 7 })
            })
            .collect();
        let whole = split_into_pages(vec![batch(&texts)]);
        let rows = rows_per_group(&whole);
        assert!(rows.len() > 2 && rows.iter().all(|&rows| rows <= GROUP_ROWS));
        assert_eq!(rows.iter().sum::<usize>(), texts.len());
        for size in [1000, 77_777] {
            assert_eq!(
                split_into_pages(texts.chunks(size).map(batch).collect()),
                whole
            );
        }
    }

    #[test]
    fn row_groups_end_by_their_number_of_rows_too() {
        let texts: Vec<String> = (0..GROUP_ROWS * 2 + 5).map(|_| String::new()).collect();
        assert_eq!(
            rows_per_group(&split_into_pages(vec![batch(&texts)])),
            [GROUP_ROWS, GROUP_ROWS, 5]
        );
        assert_eq!(split_into_pages(vec![]), []);
        // A full group is not followed by an empty page.
        assert_eq!(
            rows_per_group(&split_into_pages(vec![batch(&texts[..GROUP_ROWS])])),
            [GROUP_ROWS]
        );
        assert_eq!(
            split_into_pages(vec![batch(&texts[..PAGE_ROWS])]),
            [(PAGE_ROWS, false), (0, true)]
        );
    }
}

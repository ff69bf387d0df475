//! Cuts the rows of a table into slabs, and slabs into row groups.
//!
//! A group ends after [`GROUP_ROWS`] rows, or with the slab that brings its
//! values to [`GROUP_BYTES`], whichever comes first; a slab ends after
//! [`SLAB_ROWS`] rows, or with the row that brings it to [`SLAB_BYTES`]. Only
//! rows decide, in the order of output: neither batches nor threads show in
//! the result. Slabs are encoded as they come, so that what waits for the end
//! of its group waits encoded.

use crate::parquet_writer::RowBatch;
use std::ops::Range;
use std::sync::Arc;

/// Rows of a row group: DuckDB's own measure.
pub(crate) const GROUP_ROWS: usize = 122_880;

/// Bytes of values of a row group.
pub(crate) const GROUP_BYTES: u64 = 64 << 20;

/// Rows of a slab: an eighth of a group.
const SLAB_ROWS: usize = GROUP_ROWS / 8;

/// Bytes of values of a slab.
const SLAB_BYTES: u64 = 4 << 20;

/// Bytes of values of a batch above which rows that wait are copied out of it:
/// such a batch is the work of a large body.
const LARGE_BATCH_BYTES: u64 = 4 * SLAB_BYTES;

/// Consecutive rows that are encoded together.
#[derive(Debug)]
pub(crate) struct PageRows {
    /// The rows, in the batches they came in, and which of each.
    pub(crate) parts: Vec<(Arc<RowBatch>, Range<usize>)>,
    /// Bytes of their values.
    pub(crate) bytes: u64,
    /// Whether the row group ends with it.
    pub(crate) ends_group: bool,
}

/// Gathers batches until they make a slab.
#[derive(Debug, Default)]
pub(crate) struct RowGroupSplitter {
    parts: Vec<(Arc<RowBatch>, Range<usize>)>,
    rows: usize,
    bytes: u64,
    group_rows: usize,
    group_bytes: u64,
}

impl RowGroupSplitter {
    /// Adds rows and gives the slabs that are full.
    pub(crate) fn push(&mut self, batch: RowBatch, full: &mut Vec<PageRows>) {
        let batch = Arc::new(batch);
        let mut start = 0;
        while start < batch.len() {
            let room = (SLAB_ROWS - self.rows).min(GROUP_ROWS - self.group_rows - self.rows);
            let most = room.min(batch.len() - start);
            let limit = SLAB_BYTES - self.bytes;
            let bytes = |rows: usize| batch.bytes(start + rows) - batch.bytes(start);
            // The first row that brings the slab to its limit is its last.
            let rows = if bytes(most) < limit {
                most
            } else {
                first(most, |rows| bytes(rows) >= limit)
            };
            self.rows += rows;
            self.bytes += bytes(rows);
            self.parts.push((Arc::clone(&batch), start..start + rows));
            start += rows;
            if self.rows >= SLAB_ROWS
                || self.bytes >= SLAB_BYTES
                || self.group_rows + self.rows >= GROUP_ROWS
            {
                full.push(self.slab());
            }
        }
        self.release_large_batch();
    }

    /// Copies the rows that wait of a large batch, so that the batch is freed
    /// once its other rows are encoded.
    fn release_large_batch(&mut self) {
        if let Some((batch, rows)) = self.parts.last_mut()
            && batch.bytes(batch.len()) > LARGE_BATCH_BYTES
        {
            let copy = batch.copy(rows.clone());
            (*batch, *rows) = (Arc::new(copy), 0..rows.len());
        }
    }

    /// Gives what is left of the last group; an empty slab where only its end
    /// is missing, nothing where there is no group.
    pub(crate) fn finish(&mut self) -> Option<PageRows> {
        if self.group_rows + self.rows == 0 {
            return None;
        }
        let mut slab = self.slab();
        slab.ends_group = true;
        (self.group_rows, self.group_bytes) = (0, 0);
        Some(slab)
    }

    fn slab(&mut self) -> PageRows {
        self.group_rows += self.rows;
        self.group_bytes += self.bytes;
        let ends_group = self.group_rows >= GROUP_ROWS || self.group_bytes >= GROUP_BYTES;
        let slab = PageRows {
            parts: std::mem::take(&mut self.parts),
            bytes: self.bytes,
            ends_group,
        };
        (self.rows, self.bytes) = (0, 0);
        if ends_group {
            (self.group_rows, self.group_bytes) = (0, 0);
        }
        slab
    }
}

/// The least number from 1 to `most` for which `is_so` holds, as it does for
/// `most` and all from the least on.
fn first(most: usize, is_so: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (1, most);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_so(middle) {
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
    use crate::parquet_writer::{ColumnBuilder, ColumnValues, PlainTextBuilder};

    fn batch(texts: &[String]) -> RowBatch {
        let (mut ids, mut column) = (ColumnBuilder::<i64>::default(), PlainTextBuilder::default());
        let mut ends = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            ids.append_value(at as i64);
            column.append_value(text);
            ends.push(12 * (at as u64 + 1) + column.text_bytes());
        }
        let columns = vec![ids.take(ColumnValues::Long), column.take()];
        RowBatch::new(columns, Default::default(), ends)
    }

    /// Rows of each slab, and whether a group ends with it.
    fn slabs(batches: Vec<RowBatch>) -> Vec<(usize, bool)> {
        let (mut cutter, mut full) = (RowGroupSplitter::default(), Vec::new());
        for batch in batches {
            cutter.push(batch, &mut full);
        }
        full.extend(cutter.finish());
        full.iter()
            .map(|slab| {
                (
                    slab.parts.iter().map(|(_, rows)| rows.len()).sum(),
                    slab.ends_group,
                )
            })
            .collect()
    }

    #[test]
    fn rows_that_wait_do_not_keep_a_large_batch() {
        let texts: Vec<String> = (0..SLAB_ROWS + 7)
            .map(|at| format!("{at}").repeat(500))
            .collect();
        let (mut cutter, mut full) = (RowGroupSplitter::default(), Vec::new());
        cutter.push(batch(&texts), &mut full);
        let (rows, range) = &cutter.parts[0];
        assert_eq!(rows.len(), range.len());
        let bytes: usize = texts[texts.len() - rows.len()..]
            .iter()
            .map(|text| 12 + text.len())
            .sum();
        assert_eq!(rows.bytes(rows.len()), bytes as u64);
        assert_eq!(cutter.bytes, bytes as u64);
    }

    fn groups(slabs: &[(usize, bool)]) -> Vec<usize> {
        slabs
            .split_inclusive(|slab| slab.1)
            .map(|group| group.iter().map(|slab| slab.0).sum())
            .collect()
    }

    #[test]
    fn cuts_do_not_depend_on_batches() {
        // Texts of a kilobyte now and then, so that bytes cut too.
        let texts: Vec<String> = (0..300_000)
            .map(|at| "x".repeat(if at % 3 == 0 { 1000 } else { at % 7 }))
            .collect();
        let whole = slabs(vec![batch(&texts)]);
        let rows = groups(&whole);
        assert!(rows.len() > 2 && rows.iter().all(|&rows| rows <= GROUP_ROWS));
        assert_eq!(rows.iter().sum::<usize>(), texts.len());
        for size in [1000, 77_777] {
            assert_eq!(slabs(texts.chunks(size).map(batch).collect()), whole);
        }
    }

    #[test]
    fn rows_alone_cut_too() {
        let texts: Vec<String> = (0..GROUP_ROWS * 2 + 5).map(|_| String::new()).collect();
        assert_eq!(
            groups(&slabs(vec![batch(&texts)])),
            [GROUP_ROWS, GROUP_ROWS, 5]
        );
        assert_eq!(slabs(vec![]), []);
        // The end of a group that has come to its measure is no further slab.
        assert_eq!(
            groups(&slabs(vec![batch(&texts[..GROUP_ROWS])])),
            [GROUP_ROWS]
        );
        assert_eq!(
            slabs(vec![batch(&texts[..SLAB_ROWS])]),
            [(SLAB_ROWS, false), (0, true)]
        );
    }
}

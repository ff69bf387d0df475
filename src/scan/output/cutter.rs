//! Cuts the rows of a table into slabs, and slabs into row groups.
//!
//! A group ends after [`GROUP_ROWS`] rows, or with the slab that brings its
//! Arrow data to [`GROUP_BYTES`], whichever comes first; a slab ends after
//! [`SLAB_ROWS`] rows, or with the row that brings it to [`SLAB_BYTES`]. Only
//! rows decide, in the order of output: neither batches nor threads show in
//! the result. Slabs are encoded as they come, so that what waits for the end
//! of its group waits encoded.

use arrow::array::{Array, RecordBatch, StringArray};
use arrow::datatypes::DataType;

/// Rows of a row group: DuckDB's own measure.
pub(crate) const GROUP_ROWS: usize = 122_880;

/// Bytes of Arrow data of a row group.
pub(crate) const GROUP_BYTES: u64 = 64 << 20;

/// Rows of a slab: an eighth of a group.
const SLAB_ROWS: usize = GROUP_ROWS / 8;

/// Bytes of Arrow data of a slab.
const SLAB_BYTES: u64 = 4 << 20;

/// Consecutive rows that are encoded together.
#[derive(Debug)]
pub(crate) struct Slab {
    /// The rows, in the batches they came in.
    pub(crate) batches: Vec<RecordBatch>,
    /// Bytes of their values.
    pub(crate) bytes: u64,
    /// Whether the row group ends with it.
    pub(crate) ends_group: bool,
}

/// Gathers batches until they make a slab.
#[derive(Debug, Default)]
pub(crate) struct Cutter {
    batches: Vec<RecordBatch>,
    rows: usize,
    bytes: u64,
    group_rows: usize,
    group_bytes: u64,
}

impl Cutter {
    /// Adds rows and gives the slabs that are full.
    pub(crate) fn push(&mut self, mut batch: RecordBatch, full: &mut Vec<Slab>) {
        while batch.num_rows() > 0 {
            let room = (SLAB_ROWS - self.rows).min(GROUP_ROWS - self.group_rows - self.rows);
            let most = batch.num_rows().min(room);
            let limit = SLAB_BYTES - self.bytes;
            let weight = Weight::new(&batch);
            // The first row that brings the slab to its limit is its last.
            let rows = if weight.bytes(most) < limit {
                most
            } else {
                first(most, |rows| weight.bytes(rows) >= limit)
            };
            self.rows += rows;
            self.bytes += weight.bytes(rows);
            let rest = batch.slice(rows, batch.num_rows() - rows);
            self.batches.push(batch.slice(0, rows));
            batch = rest;
            if self.rows >= SLAB_ROWS
                || self.bytes >= SLAB_BYTES
                || self.group_rows + self.rows >= GROUP_ROWS
            {
                full.push(self.slab());
            }
        }
    }

    /// Gives what is left of the last group; an empty slab where only its end
    /// is missing, nothing where there is no group.
    pub(crate) fn finish(&mut self) -> Option<Slab> {
        if self.group_rows + self.rows == 0 {
            return None;
        }
        let mut slab = self.slab();
        slab.ends_group = true;
        (self.group_rows, self.group_bytes) = (0, 0);
        Some(slab)
    }

    fn slab(&mut self) -> Slab {
        self.group_rows += self.rows;
        self.group_bytes += self.bytes;
        let ends_group = self.group_rows >= GROUP_ROWS || self.group_bytes >= GROUP_BYTES;
        let slab = Slab {
            batches: std::mem::take(&mut self.batches),
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

/// Bytes of the first rows of a batch: values only, without what a builder
/// happened to reserve.
pub(crate) struct Weight<'a> {
    fixed: u64,
    texts: Vec<&'a StringArray>,
}

impl<'a> Weight<'a> {
    pub(crate) fn new(batch: &'a RecordBatch) -> Self {
        let mut weight = Self {
            fixed: 0,
            texts: Vec::new(),
        };
        for column in batch.columns() {
            match column.as_any().downcast_ref::<StringArray>() {
                Some(text) => {
                    weight.fixed += 4;
                    weight.texts.push(text);
                }
                None if column.data_type() == &DataType::Boolean => weight.fixed += 1,
                None => weight.fixed += column.data_type().primitive_width().unwrap_or(8) as u64,
            }
        }
        weight
    }

    pub(crate) fn bytes(&self, rows: usize) -> u64 {
        let text =
            |array: &&StringArray| (array.value_offsets()[rows] - array.value_offsets()[0]) as u64;
        self.fixed * rows as u64 + self.texts.iter().map(text).sum::<u64>()
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
    use arrow::array::{ArrayRef, Int64Array};
    use std::sync::Arc;

    fn batch(texts: &[String]) -> RecordBatch {
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..texts.len() as i64));
        let texts: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
        RecordBatch::try_from_iter([("id", ids), ("text", texts)]).unwrap()
    }

    /// Rows of each slab, and whether a group ends with it.
    fn slabs(batches: Vec<RecordBatch>) -> Vec<(usize, bool)> {
        let (mut cutter, mut full) = (Cutter::default(), Vec::new());
        for batch in batches {
            cutter.push(batch, &mut full);
        }
        full.extend(cutter.finish());
        full.iter()
            .map(|slab| {
                (
                    slab.batches.iter().map(RecordBatch::num_rows).sum(),
                    slab.ends_group,
                )
            })
            .collect()
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

//! Cuts the rows of a table into row groups.
//!
//! A group ends after [`GROUP_ROWS`] rows, or with the row that brings its
//! Arrow data to [`GROUP_BYTES`], whichever comes first. Only rows decide, in
//! the order of output: neither batches nor threads show in the result.

use arrow::array::{Array, RecordBatch, StringArray};
use arrow::datatypes::DataType;

/// Rows of a row group: DuckDB's own measure.
pub(crate) const GROUP_ROWS: usize = 122_880;

/// Bytes of Arrow data of a row group.
pub(crate) const GROUP_BYTES: u64 = 64 << 20;

/// Gathers batches until they make a row group.
#[derive(Debug, Default)]
pub(crate) struct Cutter {
    batches: Vec<RecordBatch>,
    rows: usize,
    bytes: u64,
}

impl Cutter {
    /// Adds rows and gives the row groups that are full.
    pub(crate) fn push(&mut self, mut batch: RecordBatch, full: &mut Vec<Vec<RecordBatch>>) {
        while batch.num_rows() > 0 {
            let rows = batch.num_rows().min(GROUP_ROWS - self.rows);
            let limit = GROUP_BYTES - self.bytes;
            let weight = Weight::new(&batch);
            // The first row that brings the group to its limit is its last.
            let rows = if weight.bytes(rows) < limit { rows } else { first(rows, |rows| weight.bytes(rows) >= limit) };
            self.rows += rows;
            self.bytes += weight.bytes(rows);
            let rest = batch.slice(rows, batch.num_rows() - rows);
            self.batches.push(batch.slice(0, rows));
            batch = rest;
            if self.rows >= GROUP_ROWS || self.bytes >= GROUP_BYTES {
                full.extend(self.finish());
            }
        }
    }

    /// Gives what is left, if anything is.
    pub(crate) fn finish(&mut self) -> Option<Vec<RecordBatch>> {
        (self.rows, self.bytes) = (0, 0);
        let batches = std::mem::take(&mut self.batches);
        (!batches.is_empty()).then_some(batches)
    }
}

/// Bytes of the first rows of a batch: values only, without what a builder
/// happened to reserve.
struct Weight<'a> {
    fixed: u64,
    texts: Vec<&'a StringArray>,
}

impl<'a> Weight<'a> {
    fn new(batch: &'a RecordBatch) -> Self {
        let mut weight = Self { fixed: 0, texts: Vec::new() };
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

    fn bytes(&self, rows: usize) -> u64 {
        let text = |array: &&StringArray| (array.value_offsets()[rows] - array.value_offsets()[0]) as u64;
        self.fixed * rows as u64 + self.texts.iter().map(text).sum::<u64>()
    }
}

/// The least number from 1 to `most` for which `is_so` holds, as it does for
/// `most` and all from the least on.
fn first(most: usize, is_so: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (1, most);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_so(middle) { high = middle } else { low = middle + 1 }
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

    fn groups(batches: Vec<RecordBatch>) -> Vec<usize> {
        let (mut cutter, mut full) = (Cutter::default(), Vec::new());
        for batch in batches {
            cutter.push(batch, &mut full);
        }
        full.extend(cutter.finish());
        full.iter().map(|group| group.iter().map(RecordBatch::num_rows).sum()).collect()
    }

    #[test]
    fn groups_do_not_depend_on_batches() {
        // Texts of a kilobyte now and then, so that bytes cut too.
        let texts: Vec<String> = (0..300_000).map(|at| "x".repeat(if at % 3 == 0 { 1000 } else { at % 7 })).collect();
        let whole = groups(vec![batch(&texts)]);
        assert!(whole.len() > 2 && whole.iter().all(|&rows| rows <= GROUP_ROWS));
        for size in [1000, 77_777] {
            assert_eq!(groups(texts.chunks(size).map(batch).collect()), whole);
        }
    }

    #[test]
    fn rows_alone_cut_too() {
        let texts: Vec<String> = (0..GROUP_ROWS * 2 + 5).map(|_| String::new()).collect();
        assert_eq!(groups(vec![batch(&texts)]), [GROUP_ROWS, GROUP_ROWS, 5]);
    }
}

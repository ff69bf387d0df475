//! Rows of one table, column by column: what workers make and files take.
//!
//! Texts repeat: a host stands in every row of its capture, a path in many
//! robots.txt files. So [`InternedTexts`] holds each text of a batch once, with its
//! hash, and columns hold numbers; what a file's dictionary needs of a text is
//! asked once for a batch, not once for a row.

use super::{ColumnData, ColumnValues, InternedTexts};
use std::collections::HashMap;
use std::ops::Range;

/// Rows of one table.
#[derive(Debug)]
pub struct RowBatch {
    columns: Vec<ColumnData>,
    texts: InternedTexts,
    /// Bytes of values in all rows up to each.
    ends: Vec<u64>,
}

impl RowBatch {
    /// Puts columns together, which are all as long as `ends`.
    pub(crate) fn new(columns: Vec<ColumnData>, texts: InternedTexts, ends: Vec<u64>) -> Self {
        for column in &columns {
            assert_eq!(column.len(), ends.len(), "a push appends to every column");
        }
        Self {
            columns,
            texts,
            ends,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes of the values of the first `rows` rows. What a row weighs depends
    /// on the rows of its capture alone.
    pub(crate) fn bytes(&self, rows: usize) -> u64 {
        rows.checked_sub(1).map_or(0, |last| self.ends[last])
    }

    /// Copies some of the rows, with the texts that stand in them.
    pub(crate) fn copy(&self, rows: Range<usize>) -> Self {
        let mut texts = InternedTexts::default();
        let mut numbers = HashMap::new();
        let columns = self.columns.iter().map(|column| {
            let number = |&no: &u32| {
                *numbers
                    .entry(no)
                    .or_insert_with(|| texts.push(self.texts.get(no)))
            };
            column.copy(rows.clone(), number)
        });
        let columns = columns.collect();
        let before = self.bytes(rows.start);
        let ends = self.ends[rows].iter().map(|end| end - before).collect();
        Self::new(columns, texts, ends)
    }

    pub(crate) fn column(&self, at: usize) -> &ColumnData {
        &self.columns[at]
    }

    pub(crate) fn texts(&self) -> &InternedTexts {
        &self.texts
    }

    /// Adds a column that says the same in every row.
    pub(crate) fn add_constant(&mut self, text: &str) {
        let no = self.texts.push(text.as_bytes());
        self.columns.push(ColumnData {
            values: ColumnValues::Text(vec![no; self.len()]),
            nulls: Vec::new(),
        });
    }
}

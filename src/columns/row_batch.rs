//! A batch of rows of one table, stored by column.

use super::{ColumnData, ColumnValues, InternedTexts};
use std::collections::HashMap;
use std::ops::Range;

/// Rows of one table, stored by column.
///
/// Texts repeat: the host of a capture is in all of its rows, and many robots.txt
/// files have the same paths. A batch therefore holds each distinct text once, with
/// its hash, and its columns hold ids of texts. Dictionary lookups are made once
/// per distinct text of a batch instead of once per row.
#[derive(Clone, Debug)]
pub struct RowBatch {
    columns: Vec<ColumnData>,
    texts: InternedTexts,
    /// For each row, the size in bytes of the values of all rows up to and
    /// including it.
    cumulative_bytes: Vec<u64>,
}

impl RowBatch {
    /// Makes a batch from its columns and the texts to which their ids refer. `cumulative_bytes` has one
    /// entry for each row: the size in bytes of the values of all rows up to and including it.
    ///
    /// # Panics
    ///
    /// If a column is not as long as `cumulative_bytes`.
    pub fn new(columns: Vec<ColumnData>, texts: InternedTexts, cumulative_bytes: Vec<u64>) -> Self {
        for column in &columns {
            let rows = cumulative_bytes.len();
            assert_eq!(column.len(), rows, "a row is appended to every column");
        }
        Self {
            columns,
            texts,
            cumulative_bytes,
        }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.cumulative_bytes.len()
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.cumulative_bytes.is_empty()
    }

    /// Returns the size in bytes of the values of the first `rows` rows. The size of
    /// a row does not depend on the batch that it is in.
    pub fn first_rows_bytes(&self, rows: usize) -> u64 {
        rows.checked_sub(1)
            .map_or(0, |last| self.cumulative_bytes[last])
    }

    /// Copies a range of rows to a new batch, which has only the texts of these rows.
    pub fn copy_rows(&self, rows: Range<usize>) -> Self {
        let mut texts = InternedTexts::default();
        let mut new_ids = HashMap::new();
        let columns = self.columns.iter().map(|column| {
            let new_id = |&id: &u32| {
                *new_ids
                    .entry(id)
                    .or_insert_with(|| texts.push(self.texts.get(id)))
            };
            column.copy_rows(rows.clone(), new_id)
        });
        let columns = columns.collect();
        let before = self.first_rows_bytes(rows.start);
        let bytes = self.cumulative_bytes[rows].iter();
        let bytes = bytes.map(|bytes| bytes - before).collect();
        Self::new(columns, texts, bytes)
    }

    /// Returns a column by its index in the table.
    pub fn column(&self, index: usize) -> &ColumnData {
        &self.columns[index]
    }

    /// Returns the texts to which the columns refer.
    pub fn texts(&self) -> &InternedTexts {
        &self.texts
    }

    /// Adds a number to every value of the first column, whose values must be of type `Long`.
    pub fn add_to_first_column(&mut self, number: i64) {
        let Some(ColumnValues::Long(values)) =
            self.columns.first_mut().map(|column| &mut column.values)
        else {
            unreachable!("the first column is one of numbers");
        };
        if number != 0 {
            values.iter_mut().for_each(|value| *value += number);
        }
    }

    /// Appends a column that has the same text in every row.
    pub fn add_constant_column(&mut self, text: &str) {
        let id = self.texts.push(text.as_bytes());
        self.columns.push(ColumnData {
            values: ColumnValues::Text(vec![id; self.len()]),
            nulls: Vec::new(),
        });
    }
}

//! Columns: what rows append to, and what is taken of them.

use std::ops::Range;

/// The values of a column that has been taken.
#[derive(Debug)]
pub(crate) enum ColumnValues {
    Long(Vec<i64>),
    Int(Vec<i32>),
    Double(Vec<f64>),
    Bool(Vec<bool>),
    /// Numbers of texts.
    Text(Vec<u32>),
    /// Texts that seldom repeat: their bytes, and where each ends.
    Single(Vec<u8>, Vec<u32>),
}

/// A column that has been taken.
#[derive(Debug)]
pub(crate) struct ColumnData {
    /// A value for each row, of no meaning where it is null.
    pub(crate) values: ColumnValues,
    /// Whether each row is null; empty if none is.
    pub(crate) nulls: Vec<bool>,
}

impl ColumnData {
    pub(crate) fn len(&self) -> usize {
        match &self.values {
            ColumnValues::Long(values) => values.len(),
            ColumnValues::Int(values) => values.len(),
            ColumnValues::Double(values) => values.len(),
            ColumnValues::Bool(values) => values.len(),
            ColumnValues::Text(values) | ColumnValues::Single(_, values) => values.len(),
        }
    }
}

impl ColumnData {
    /// Copies some of the rows; `number` gives the new number of a text.
    pub(crate) fn copy(&self, rows: Range<usize>, number: impl FnMut(&u32) -> u32) -> Self {
        let nulls = self.nulls.get(rows.clone()).unwrap_or_default();
        let has_nulls = nulls.contains(&true);
        let values = match &self.values {
            ColumnValues::Long(values) => ColumnValues::Long(values[rows].to_vec()),
            ColumnValues::Int(values) => ColumnValues::Int(values[rows].to_vec()),
            ColumnValues::Double(values) => ColumnValues::Double(values[rows].to_vec()),
            ColumnValues::Bool(values) => ColumnValues::Bool(values[rows].to_vec()),
            ColumnValues::Text(values) if !has_nulls => {
                ColumnValues::Text(values[rows].iter().map(number).collect())
            }
            ColumnValues::Text(values) => {
                // The number of a null row has no meaning.
                let mut number = number;
                let values = values[rows].iter().zip(nulls);
                let values = values.map(|(no, is_null)| if *is_null { 0 } else { number(no) });
                ColumnValues::Text(values.collect())
            }
            ColumnValues::Single(bytes, ends) => {
                let end = |row: usize| ends[row] as usize;
                let start = rows.start.checked_sub(1).map_or(0, end);
                let stop = rows.end.checked_sub(1).map_or(0, end);
                let ends = ends[rows].iter().map(|end| end - start as u32);
                ColumnValues::Single(bytes[start..stop].to_vec(), ends.collect())
            }
        };
        let nulls = if has_nulls {
            nulls.to_vec()
        } else {
            Vec::new()
        };
        Self { values, nulls }
    }
}

/// Where values of a fixed size are appended; texts as their numbers.
#[derive(Debug, Default)]
pub(crate) struct ColumnBuilder<T> {
    values: Vec<T>,
    nulls: Vec<bool>,
}

impl<T: Copy + Default> ColumnBuilder<T> {
    pub(crate) fn append_value(&mut self, value: T) {
        self.values.push(value);
        if !self.nulls.is_empty() {
            self.nulls.push(false);
        }
    }

    pub(crate) fn append_option(&mut self, value: Option<T>) {
        match value {
            Some(value) => self.append_value(value),
            None => {
                self.nulls.resize(self.values.len(), false);
                self.nulls.push(true);
                self.values.push(T::default());
            }
        }
    }

    /// Appends values one after the other.
    pub(crate) fn extend(&mut self, values: impl Iterator<Item = T>) {
        self.values.extend(values);
        if !self.nulls.is_empty() {
            self.nulls.resize(self.values.len(), false);
        }
    }

    /// Appends values one after the other, and nulls.
    pub(crate) fn extend_options(&mut self, values: impl Iterator<Item = Option<T>> + Clone) {
        let start = self.values.len();
        self.values
            .extend(values.clone().map(Option::unwrap_or_default));
        if !self.nulls.is_empty() || values.clone().any(|it| it.is_none()) {
            self.nulls.resize(start, false);
            self.nulls.extend(values.map(|it| it.is_none()));
        }
    }

    /// Appends the same `count` times.
    pub(crate) fn fill(&mut self, value: Option<T>, count: usize) {
        let len = self.values.len() + count;
        if value.is_none() || !self.nulls.is_empty() {
            self.nulls.resize(self.values.len(), false);
            self.nulls.resize(len, value.is_none());
        }
        self.values.resize(len, value.unwrap_or_default());
    }

    /// Appends what stands in some rows already.
    pub(crate) fn repeat(&mut self, rows: Range<usize>) {
        if !self.nulls.is_empty() {
            self.nulls.extend_from_within(rows.clone());
        }
        self.values.extend_from_within(rows);
    }

    /// Sets the last `count` rows.
    pub(crate) fn set_last(&mut self, count: usize, value: Option<T>) {
        let start = self.values.len() - count;
        self.values.truncate(start);
        self.nulls.truncate(start);
        self.fill(value, count);
    }

    /// The values of the last `count` rows.
    pub(crate) fn last(&self, count: usize) -> &[T] {
        &self.values[self.values.len() - count..]
    }

    /// Takes what was appended, by `of` its type; room for as much remains.
    pub(crate) fn take(&mut self, of: impl Fn(Vec<T>) -> ColumnValues) -> ColumnData {
        let room = Vec::with_capacity(self.values.len());
        ColumnData {
            values: of(std::mem::replace(&mut self.values, room)),
            nulls: std::mem::take(&mut self.nulls),
        }
    }

    /// Bytes of texts that the column itself holds.
    pub(crate) fn text_bytes(&self) -> u64 {
        0
    }
}

/// Where texts are appended that seldom repeat.
#[derive(Debug, Default)]
pub(crate) struct PlainTextBuilder {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    nulls: Vec<bool>,
}

impl PlainTextBuilder {
    pub(crate) fn append_value(&mut self, text: impl AsRef<str>) {
        self.bytes.extend_from_slice(text.as_ref().as_bytes());
        self.ends.push(self.bytes.len() as u32);
        if !self.nulls.is_empty() {
            self.nulls.push(false);
        }
    }

    pub(crate) fn append_option(&mut self, text: Option<impl AsRef<str>>) {
        match text {
            Some(text) => self.append_value(text),
            None => {
                self.nulls.resize(self.ends.len(), false);
                self.nulls.push(true);
                self.ends.push(self.bytes.len() as u32);
            }
        }
    }

    pub(crate) fn take(&mut self) -> ColumnData {
        let room = Self {
            bytes: Vec::with_capacity(self.bytes.len()),
            ends: Vec::with_capacity(self.ends.len()),
            nulls: Vec::new(),
        };
        let taken = std::mem::replace(self, room);
        ColumnData {
            values: ColumnValues::Single(taken.bytes, taken.ends),
            nulls: taken.nulls,
        }
    }

    pub(crate) fn text_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nulls_are_told_only_where_there_are_some() {
        let mut column = ColumnBuilder::<i32>::default();
        column.append_value(1);
        column.append_option(Some(2));
        assert!(column.take(ColumnValues::Int).nulls.is_empty());
        column.append_value(1);
        column.append_option(None);
        column.append_value(3);
        let taken = column.take(ColumnValues::Int);
        assert_eq!(taken.nulls, [false, true, false]);
        assert!(matches!(taken.values, ColumnValues::Int(values) if values == [1, 0, 3]));
        column.extend([1, 2].into_iter());
        column.fill(None, 2);
        column.fill(Some(5), 2);
        column.extend_options([Some(6), None].into_iter());
        assert_eq!(column.last(3), [5, 6, 0]);
        let taken = column.take(ColumnValues::Int);
        assert_eq!(taken.nulls, [0, 0, 1, 1, 0, 0, 0, 1].map(|it| it == 1));
        column.extend_options([Some(6), Some(7)].into_iter());
        assert!(column.take(ColumnValues::Int).nulls.is_empty());
        let mut texts = PlainTextBuilder::default();
        texts.append_option(None::<&str>);
        texts.append_value("ab");
        let taken = texts.take();
        assert_eq!(taken.nulls, [true, false]);
        assert!(
            matches!(taken.values, ColumnValues::Single(bytes, ends) if bytes == b"ab" && ends == [0, 2])
        );
    }
}

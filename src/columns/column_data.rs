//! Columns of a batch of rows: their values, and the builders that rows are
//! appended to.

use std::ops::Range;

/// The values of a column of a batch.
#[derive(Clone, Debug)]
pub enum ColumnValues {
    /// 64-bit numbers.
    Long(Vec<i64>),
    /// 32-bit numbers.
    Int(Vec<i32>),
    /// Booleans.
    Bool(Vec<bool>),
    /// Ids of texts in the [`InternedTexts`](super::InternedTexts) of the batch.
    Text(Vec<u32>),
    /// Texts that rarely repeat and are not interned: their concatenated bytes,
    /// and the offset in these bytes at which each text ends.
    PlainText(Vec<u8>, Vec<u32>),
}

/// A column of a batch.
#[derive(Clone, Debug)]
pub struct ColumnData {
    /// One value per row. The value of a null row has no meaning.
    pub values: ColumnValues,
    /// One flag per row, true if it is null. May be empty if no row is null.
    pub nulls: Vec<bool>,
}

impl ColumnData {
    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        match &self.values {
            ColumnValues::Long(values) => values.len(),
            ColumnValues::Int(values) => values.len(),
            ColumnValues::Bool(values) => values.len(),
            ColumnValues::Text(values) | ColumnValues::PlainText(_, values) => values.len(),
        }
    }

    /// Returns the number of null rows in the range `rows`.
    pub(crate) fn null_count(&self, rows: &Range<usize>) -> usize {
        let nulls = self.nulls.get(rows.clone()).unwrap_or_default();
        // Release builds check for overflow, and a checked sum is not vectorized.
        let add = |count: usize, &is_null: &bool| count.wrapping_add(usize::from(is_null));
        nulls.iter().fold(0, add)
    }

    /// Copies a range of rows. `new_id` maps the id of a text in this batch to the id of
    /// the same text in the batch of the copy.
    pub fn copy_rows(&self, rows: Range<usize>, new_id: impl FnMut(&u32) -> u32) -> Self {
        let nulls = self.nulls.get(rows.clone()).unwrap_or_default();
        let has_nulls = nulls.contains(&true);
        let values = match &self.values {
            ColumnValues::Long(values) => ColumnValues::Long(values[rows].to_vec()),
            ColumnValues::Int(values) => ColumnValues::Int(values[rows].to_vec()),
            ColumnValues::Bool(values) => ColumnValues::Bool(values[rows].to_vec()),
            ColumnValues::Text(values) if !has_nulls => {
                ColumnValues::Text(values[rows].iter().map(new_id).collect())
            }
            ColumnValues::Text(values) => {
                // The id in a null row has no meaning and is not mapped.
                let mut new_id = new_id;
                let values = values[rows].iter().zip(nulls);
                let values = values.map(|(id, is_null)| if *is_null { 0 } else { new_id(id) });
                ColumnValues::Text(values.collect())
            }
            ColumnValues::PlainText(bytes, ends) => {
                let end = |row: usize| ends[row] as usize;
                let start = rows.start.checked_sub(1).map_or(0, end);
                let stop = rows.end.checked_sub(1).map_or(0, end);
                let ends = ends[rows].iter().map(|end| end - start as u32);
                ColumnValues::PlainText(bytes[start..stop].to_vec(), ends.collect())
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

/// Returns the values of a batch, and leaves an empty vector with capacity for the next batch.
///
/// Batches differ in size: the last one of an archive is smaller. The capacity is therefore the same
/// as that of this batch, but at most twice the number of its values, so that one large batch does not
/// reserve memory permanently. If there are no values, nothing changes.
pub fn take_and_reserve<T>(values: &mut Vec<T>) -> Vec<T> {
    if values.is_empty() {
        return Vec::new();
    }
    let next = Vec::with_capacity(values.capacity().min(2 * values.len()));
    std::mem::replace(values, next)
}

/// Builds a column of values of a fixed size: numbers, booleans, or ids of
/// interned texts.
#[derive(Debug, Default)]
pub struct ColumnBuilder<T> {
    values: Vec<T>,
    nulls: Vec<bool>,
}

impl<T: Copy + Default> ColumnBuilder<T> {
    /// Appends a value that is not null.
    #[inline]
    pub fn append_value(&mut self, value: T) {
        self.values.push(value);
        if !self.nulls.is_empty() {
            self.nulls.push(false);
        }
    }

    /// Appends a value, or a null.
    #[inline]
    pub fn append_option(&mut self, value: Option<T>) {
        if value.is_none() && self.nulls.is_empty() {
            self.nulls.resize(self.values.len(), false);
            self.nulls.push(true);
        } else if !self.nulls.is_empty() {
            self.nulls.push(value.is_none());
        }
        self.values.push(value.unwrap_or_default());
    }

    /// Appends values that are not null.
    #[inline]
    pub fn extend(&mut self, values: impl Iterator<Item = T>) {
        self.values.extend(values);
        if !self.nulls.is_empty() {
            self.nulls.resize(self.values.len(), false);
        }
    }

    /// Appends values that may be null.
    #[inline]
    pub fn extend_options(&mut self, values: impl Iterator<Item = Option<T>>) {
        values.for_each(|value| self.append_option(value));
    }

    /// Appends `count` rows, all of them null except those in `values`. Each value has the index of its
    /// row, counted from the first appended row. Faster than
    /// [`extend_options`](Self::extend_options) if nearly all rows are null.
    pub fn extend_sparse(&mut self, count: usize, values: impl Iterator<Item = (usize, T)>) {
        let start = self.values.len();
        self.append_repeated(None, count);
        for (i, value) in values {
            self.values[start + i] = value;
            self.nulls[start + i] = false;
        }
    }

    /// Appends the same value `count` times.
    #[inline]
    pub fn append_repeated(&mut self, value: Option<T>, count: usize) {
        let len = self.values.len() + count;
        if value.is_none() || !self.nulls.is_empty() {
            self.nulls.resize(self.values.len(), false);
            self.nulls.resize(len, value.is_none());
        }
        self.values.resize(len, value.unwrap_or_default());
    }

    /// Appends copies of earlier rows, given by the range of their indexes.
    pub fn repeat_rows(&mut self, rows: Range<usize>) {
        if !self.nulls.is_empty() {
            self.nulls.extend_from_within(rows.clone());
        }
        self.values.extend_from_within(rows);
    }

    /// Returns the column and starts a new one. `wrap` is the variant of [`ColumnValues`] for the
    /// type of the column.
    pub fn take(&mut self, wrap: impl Fn(Vec<T>) -> ColumnValues) -> ColumnData {
        ColumnData {
            values: wrap(take_and_reserve(&mut self.values)),
            nulls: take_and_reserve(&mut self.nulls),
        }
    }

    /// Returns the number of bytes of texts in the column itself: always 0, because a column
    /// of interned texts has only their ids. [`PlainTextBuilder`] has a method of the same name,
    /// and macros call either of them.
    pub fn text_bytes(&self) -> u64 {
        0
    }
}

/// Builds a column of texts that rarely repeat and are not interned.
#[derive(Debug, Default)]
pub struct PlainTextBuilder {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    nulls: Vec<bool>,
}

impl PlainTextBuilder {
    /// Appends a text that is not null.
    pub fn append_value(&mut self, text: impl AsRef<str>) {
        self.bytes.extend_from_slice(text.as_ref().as_bytes());
        self.ends.push(self.bytes.len() as u32);
        if !self.nulls.is_empty() {
            self.nulls.push(false);
        }
    }

    /// Appends a text, or a null.
    pub fn append_option(&mut self, text: Option<impl AsRef<str>>) {
        match text {
            Some(text) => self.append_value(text),
            None => {
                self.nulls.resize(self.ends.len(), false);
                self.nulls.push(true);
                self.ends.push(self.bytes.len() as u32);
            }
        }
    }

    /// Returns the column and starts a new one.
    pub fn take(&mut self) -> ColumnData {
        ColumnData {
            values: ColumnValues::PlainText(
                take_and_reserve(&mut self.bytes),
                take_and_reserve(&mut self.ends),
            ),
            nulls: take_and_reserve(&mut self.nulls),
        }
    }

    /// Returns the number of bytes of the texts of the column.
    pub fn text_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_batch_has_room_for_one_of_the_same_size() {
        let mut values = Vec::with_capacity(100);
        values.resize(60, 0u8);
        assert_eq!(take_and_reserve(&mut values).len(), 60);
        assert_eq!((values.len(), values.capacity()), (0, 100));
        values.resize(20, 0);
        take_and_reserve(&mut values);
        assert_eq!(values.capacity(), 40);
        assert_eq!(take_and_reserve(&mut values).capacity(), 0);
        assert_eq!(values.capacity(), 40);
    }

    #[test]
    fn null_flags_exist_only_if_a_row_is_null() {
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
        column.append_repeated(None, 2);
        column.append_repeated(Some(5), 2);
        column.extend_options([Some(6), None].into_iter());
        let taken = column.take(ColumnValues::Int);
        assert_eq!(taken.nulls, [0, 0, 1, 1, 0, 0, 0, 1].map(|flag| flag == 1));
        column.extend_options([Some(6), Some(7)].into_iter());
        assert!(column.take(ColumnValues::Int).nulls.is_empty());
        column.append_value(9);
        column.extend_sparse(3, [(1, 4)].into_iter());
        let taken = column.take(ColumnValues::Int);
        assert_eq!(taken.nulls, [false, true, false, true]);
        assert!(matches!(taken.values, ColumnValues::Int(values) if values == [9, 0, 4, 0]));
        let mut texts = PlainTextBuilder::default();
        texts.append_option(None::<&str>);
        texts.append_value("ab");
        let taken = texts.take();
        assert_eq!(taken.nulls, [true, false]);
        assert!(
            matches!(taken.values, ColumnValues::PlainText(bytes, ends) if bytes == b"ab" && ends == [0, 2])
        );
    }
}

//! Rows of tables with types.
//!
//! A row is declared with [`row!`](macro@crate::row) as a struct with some columns of a table. It is read from a batch of
//! rows, or from bytes: the values of its columns one after the other, each as a field of a record
//! ([`sort::Field`]). The compiler checks that the table has these columns with these types.

use crate::error::DatasetDefect;
use crate::reader::column;
use crate::stored_row::check_nulls;
use arrow_array::types::Int64Type;
use arrow_array::{
    Array, ArrayAccessor, BooleanArray, Int16Array, Int32Array, Int64Array, RecordBatch,
    StringArray, TimestampMillisecondArray, UInt8Array,
};
use errors::Error;
use robots::{Basis, ContentClass, Verdict};
use sort::sort_key::FieldReader;
use sort::{Field, Record};
use std::marker::PhantomData;
use std::path::Path;
use tables::{Column, ColumnType, Table};

/// A value of a column. A column that may be null has values of type `Option`.
pub trait ColumnValue<'a>: Field<'a> {
    /// The types of the columns that have such values.
    const KINDS: &'static [ColumnType];
    /// True if values may be null.
    const IS_NULLABLE: bool = false;
    /// The Arrow array of the values.
    type Array: Array;

    /// Takes a column of a batch.
    ///
    /// # Errors
    ///
    /// [`DatasetErrorKind::NotADataset`](crate::error::DatasetErrorKind::NotADataset) if the batch lacks the column, has
    /// it with another type, or has a word in it that is not in its [`ClosedSet`].
    fn array(batch: &RecordBatch, name: &str) -> Result<Self::Array, Error>;

    /// Returns the value of a row.
    fn value(array: &'a Self::Array, row: usize) -> Self;
}

/// A set of words, which is complete: a column has no other values.
pub trait ClosedSet: Copy + PartialEq + 'static {
    /// All values.
    const ALL: &'static [Self];

    /// Returns the place of the value in [`ALL`](Self::ALL).
    fn code(self) -> u8;

    /// Returns the word for the value.
    fn name(self) -> &'static str;
}

/// Implements [`ClosedSet`] for enums with a list of all values and their names.
macro_rules! closed_sets {
    ($($name:ident),*) => {
        $(
            impl ClosedSet for $name {
                const ALL: &'static [Self] = &Self::ALL;

                fn code(self) -> u8 {
                    self as u8
                }

                fn name(self) -> &'static str {
                    self.name()
                }
            }

            const _: () = {
                let mut i = 0;
                while i < $name::ALL.len() {
                    assert!($name::ALL[i] as usize == i, "the list has the order of the enum");
                    i += 1;
                }
            };
        )*
    };
}

closed_sets! { Verdict, Basis, ContentClass }

/// The length of the beginning of an unknown word in a message, in characters.
const SHOWN_CHARS: usize = 40;

/// A word of a closed set, in a column of texts. It is checked when a batch of rows is read, so that reading it later
/// cannot fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<T>(pub T);

/// A value of a closed set in a sort record: its place in the set, as one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code<T>(pub T);

impl<'a, T: ClosedSet> Field<'a> for Code<T> {
    fn write(self, out: &mut Vec<u8>) {
        out.push(self.0.code());
    }

    fn read(fields: &mut FieldReader<'a>) -> Self {
        Self(T::ALL[usize::from(fields.u8())])
    }
}

impl<T: ClosedSet> Record for Code<T> {
    type Of<'a> = Self;
}

/// Returns the value with this word.
fn find_word<T: ClosedSet>(word: &[u8]) -> Option<T> {
    let mut all = T::ALL.iter().copied();
    all.find(|value| value.name().as_bytes() == word)
}

impl<'a, T: ClosedSet> Field<'a> for Word<T> {
    fn write(self, out: &mut Vec<u8>) {
        self.0.name().write(out);
    }

    fn read(fields: &mut FieldReader<'a>) -> Self {
        let word = find_word(fields.bytes());
        Self(word.expect("words are checked when a batch is read"))
    }
}

impl<T: ClosedSet> Record for Word<T> {
    type Of<'a> = Self;
}

/// Returns the error that a column has a text that is not a word of its set.
fn unknown_word(name: &str, text: &[u8]) -> Error {
    let text = String::from_utf8_lossy(text);
    let start: String = text.chars().take(SHOWN_CHARS).collect();
    let message = format!("its column `{name}` has the unknown value {start:?}");
    DatasetDefect::Other(message).error(Path::new(""))
}

/// The array has the codes of the words.
impl<'a, T: ClosedSet> ColumnValue<'a> for Word<T> {
    const KINDS: &'static [ColumnType] = &[ColumnType::Text];
    type Array = UInt8Array;

    fn array(batch: &RecordBatch, name: &str) -> Result<Self::Array, Error> {
        let texts: &StringArray = column(batch, name)?;
        let (offsets, data) = (texts.value_offsets(), texts.value_data());
        let mut codes = vec![0; texts.len()];
        // Most words are those of the row before.
        let mut last: Option<(&[u8], u8)> = None;
        for ((row, code), ends) in codes.iter_mut().enumerate().zip(offsets.windows(2)) {
            let text = &data[ends[0] as usize..ends[1] as usize];
            if last.is_none_or(|(word, _)| word != text) && texts.is_valid(row) {
                let value = find_word::<T>(text).ok_or_else(|| unknown_word(name, text))?;
                last = Some((text, value.code()));
            }
            *code = last.map_or(0, |(_, code)| code);
        }
        Ok(UInt8Array::new(codes.into(), texts.nulls().cloned()))
    }

    fn value(array: &'a Self::Array, row: usize) -> Self {
        Self(T::ALL[usize::from(array.value(row))])
    }
}

impl<'a> ColumnValue<'a> for i64 {
    const KINDS: &'static [ColumnType] = &[ColumnType::Long, ColumnType::Time];
    type Array = Int64Array;

    fn array(batch: &RecordBatch, name: &str) -> Result<Self::Array, Error> {
        column::<TimestampMillisecondArray>(batch, name)
            .map(|times| times.reinterpret_cast::<Int64Type>())
            .or_else(|_| column::<Int64Array>(batch, name).cloned())
    }

    #[inline]
    fn value(array: &'a Self::Array, row: usize) -> Self {
        array.value(row)
    }
}

/// Implements [`ColumnValue`] for types with one type of column.
macro_rules! column_values {
    ($($value:ty: $kind:ident, $array:ident, $read:expr;)*) => {
        $(
            impl<'a> ColumnValue<'a> for $value {
                const KINDS: &'static [ColumnType] = &[ColumnType::$kind];
                type Array = $array;

                fn array(batch: &RecordBatch, name: &str) -> Result<Self::Array, Error> {
                    column::<$array>(batch, name).cloned()
                }

                #[inline]
                fn value(array: &'a Self::Array, row: usize) -> Self {
                    let read: fn(&'a $array, usize) -> Self = $read;
                    read(array, row)
                }
            }
        )*
    };
}

column_values! {
    i32: Int, Int32Array, |array, row| array.value(row);
    u32: Int, Int32Array, |array, row| array.value(row).cast_unsigned();
    i16: Short, Int16Array, |array, row| array.value(row);
    u16: Short, Int16Array, |array, row| array.value(row).cast_unsigned();
    bool: Bool, BooleanArray, |array, row| array.value(row);
    &'a str: Text, StringArray, |array, row| array.value(row);
    &'a [u8]: Text, StringArray, |array, row| array.value(row).as_bytes();
}

impl<'a, T: ColumnValue<'a>> ColumnValue<'a> for Option<T> {
    const KINDS: &'static [ColumnType] = T::KINDS;
    const IS_NULLABLE: bool = true;
    type Array = T::Array;

    fn array(batch: &RecordBatch, name: &str) -> Result<Self::Array, Error> {
        T::array(batch, name)
    }

    #[inline]
    fn value(array: &'a Self::Array, row: usize) -> Self {
        array.is_valid(row).then(|| T::value(array, row))
    }
}

/// A row of a table with some of its columns, which [`row!`](macro@crate::row) declares.
pub trait Row: Record {
    /// The table.
    const TABLE: Table;

    /// Returns the columns in the order in which they are encoded.
    fn columns() -> Vec<&'static Column>;

    /// Returns an error if a batch has a word that is unknown.
    ///
    /// # Errors
    ///
    /// Those of [`ColumnValue::array`].
    fn check(batch: &RecordBatch) -> Result<(), Error>;

    /// Returns true if a row may follow another one. Both are encoded.
    fn is_in_order(before: &[u8], row: &[u8]) -> bool;
}

/// A row whose columns can be taken from a batch.
pub trait BatchRow: Row {
    /// The names of the columns.
    const NAMES: &'static [&'static str];

    /// The columns.
    const COLUMNS: &'static [Column];

    /// The fields.
    #[doc(hidden)]
    const FIELDS: &'static [RowField];

    /// The arrays of the columns, under the names of the fields.
    type Columns;

    /// Takes the columns from a batch.
    ///
    /// # Errors
    ///
    /// Those of [`ColumnValue::array`]; the same error if a column that is not nullable has a null.
    fn from_batch(batch: &RecordBatch) -> Result<Self::Columns, Error> {
        let mut columns = Self::COLUMNS.iter();
        columns.try_for_each(|column| check_nulls(batch, column))?;
        Self::take_columns(batch)
    }

    #[doc(hidden)]
    fn take_columns(batch: &RecordBatch) -> Result<Self::Columns, Error>;

    /// Returns a row of a batch.
    fn row(columns: &Self::Columns, index: usize) -> Self::Of<'_>;

    /// Reads a row that is encoded with more columns: before each field, those of `skipped` are passed over.
    #[doc(hidden)]
    fn row_skipping<'a>(
        skipped: &[&'static [Column]],
        fields: &mut FieldReader<'a>,
    ) -> Self::Of<'a>;
}

/// The arrays of the columns of a [`BatchRow`].
pub type Columns<R> = <R as BatchRow>::Columns;

/// The limit of the number of fields of a row that is read by an [`Encoding`].
const MAX_FIELDS: usize = 16;

/// Reads a row `R` from the encoded values of more columns than it has.
pub struct Encoding<R> {
    /// The columns that are passed over before each field.
    skipped: [&'static [Column]; MAX_FIELDS],
    /// The columns after the last field.
    trailing: &'static [Column],
    row: PhantomData<fn() -> R>,
}

impl<R: BatchRow> Encoding<R> {
    /// Finds the fields of the row among `columns`, which have its order.
    ///
    /// # Panics
    ///
    /// At compile time, if `columns` lack a field.
    pub const fn of(columns: &'static [Column]) -> Self {
        let mut skipped: [&'static [Column]; MAX_FIELDS] = [&[]; MAX_FIELDS];
        let (mut i, mut next) = (0, 0);
        while i < R::FIELDS.len() {
            let position = R::FIELDS[i].position(columns);
            assert!(
                position >= next,
                "the fields are in the order of the columns"
            );
            skipped[i] = columns.split_at(position).0.split_at(next).1;
            next = position + 1;
            i += 1;
        }
        Self {
            skipped,
            trailing: columns.split_at(next).1,
            row: PhantomData,
        }
    }

    /// Reads a row.
    pub fn read<'a>(&self, bytes: &'a [u8]) -> R::Of<'a> {
        R::row_skipping(&self.skipped, &mut FieldReader::new(bytes))
    }

    /// Reads rows one after the other, each with its bytes.
    pub fn rows<'a>(&self, bytes: &'a [u8]) -> impl Iterator<Item = (R::Of<'a>, &'a [u8])> {
        let mut fields = FieldReader::new(bytes);
        std::iter::from_fn(move || {
            let bytes = fields.rest();
            if bytes.is_empty() {
                return None;
            }
            let row = R::row_skipping(&self.skipped, &mut fields);
            skip_columns(self.trailing, &mut fields);
            Some((row, &bytes[..bytes.len() - fields.rest().len()]))
        })
    }
}

/// Divides the encoded values of columns: into those of the first columns, and the others.
pub fn split_columns<'a>(first: &[Column], bytes: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    let mut fields = FieldReader::new(bytes);
    skip_columns(first, &mut fields);
    bytes.split_at(bytes.len() - fields.rest().len())
}

/// Returns the value of a column in a row; `None` for null.
pub fn value<A: ArrayAccessor>(column: A, row: usize) -> Option<A::Item> {
    column.is_valid(row).then(|| column.value(row))
}

/// A row with all columns of its table, which can be written.
pub trait WholeRow: Row {}

/// A field of a row, as it is declared.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct RowField {
    pub name: &'static str,
    pub kinds: &'static [ColumnType],
    pub is_nullable: bool,
    /// The message for the compiler if the table has no such column.
    pub message: &'static str,
}

impl RowField {
    /// Returns the position of the column with the name, the type and the nullability of the field.
    const fn position(&self, columns: &[Column]) -> usize {
        let mut i = 0;
        while i < columns.len() {
            let column = &columns[i];
            if tables::are_equal(column.name.as_bytes(), self.name.as_bytes()) {
                let mut kind = 0;
                while kind < self.kinds.len() {
                    if self.kinds[kind] as u8 == column.kind as u8
                        && self.is_nullable == column.is_nullable
                    {
                        return i;
                    }
                    kind += 1;
                }
            }
            i += 1;
        }
        panic!("{}", self.message)
    }

    /// Fails to compile unless the table has the columns of all fields.
    pub const fn check_all(fields: &[Self], columns: &[Column]) {
        let mut i = 0;
        while i < fields.len() {
            fields[i].position(columns);
            i += 1;
        }
    }

    /// Fails to compile unless the fields and then `rest` are all columns of a table, in order.
    pub const fn check_whole(
        fields: &[Self],
        rest: &[Column],
        columns: &[Column],
        message: &'static str,
    ) {
        assert!(fields.len() + rest.len() == columns.len(), "{}", message);
        let mut i = 0;
        while i < columns.len() {
            let is_equal = if i < fields.len() {
                fields[i].position(columns) == i
            } else {
                let name = rest[i - fields.len()].name;
                tables::are_equal(name.as_bytes(), columns[i].name.as_bytes())
            };
            assert!(is_equal, "{}", message);
            i += 1;
        }
    }

    /// Returns the columns of the fields.
    pub const fn columns<const N: usize>(fields: &[Self], columns: &[Column]) -> [Column; N] {
        let mut found = [columns[0]; N];
        let mut i = 0;
        while i < N {
            found[i] = columns[fields[i].position(columns)];
            i += 1;
        }
        found
    }
}

/// Passes over the encoded values of columns.
#[doc(hidden)]
#[inline]
pub fn skip_columns(columns: &[Column], fields: &mut FieldReader<'_>) {
    for column in columns {
        if column.is_nullable && fields.u8() == 0 {
            continue;
        }
        match column.kind {
            ColumnType::Long | ColumnType::Time => {
                fields.i64();
            }
            ColumnType::Int | ColumnType::Short => {
                fields.u32();
            }
            ColumnType::Bool => {
                fields.u8();
            }
            ColumnType::Text => {
                fields.bytes();
            }
        }
    }
}

/// The names that the macro [`row!`](macro@crate::row) uses.
#[doc(hidden)]
pub mod for_macro {
    pub use super::{BatchRow, ColumnValue, Row, RowField, WholeRow};
    pub use arrow_array::RecordBatch;
    pub use errors::Error;
    pub use sort::sort_key::FieldReader;
    pub use sort::{Field, Record, Rest, record};
    pub use tables::{Column, Table};
}

/// Defines a struct with some columns of a table: a [`Row`](crate::Row). A column that may be null is an `Option`. A
/// column that has one of a fixed set of words is a [`Word`](crate::Word).
///
/// - `whole struct`: the struct has all columns of the table, so that rows can be written.
/// - `sorted by (a, b)`: rows are in ascending order of these columns, and no two have equal ones, which is checked when
///   rows are read.
/// - `..rest: COLUMNS`: the last field has the values of these columns, encoded. With `as R`, the columns that are a
///   `Word` in the row `R` are checked when rows are read: a word outside its set is an error.
///
/// ```
/// dataset::row! {
///     struct Digest<'a> of tables::Table::ROBOTS_FILES {
///         robots_id: i64,
///         content_digest: Option<&'a str>,
///     }
/// }
/// ```
///
/// A field that the table lacks, or has with another type or nullability, is a compile error:
///
/// ```compile_fail,E0080
/// dataset::row! {
///     struct Digest<'a> of tables::Table::ROBOTS_FILES {
///         robots_id: i64,
///         content_digest: &'a str,
///     }
/// }
/// ```
#[macro_export]
macro_rules! row {
    ($(#[$attribute:meta])* $visibility:vis whole struct $name:ident $($rest:tt)*) => {
        $crate::row! { @struct {$(#[$attribute])*} {$visibility} {whole} $name $($rest)* }
    };
    ($(#[$attribute:meta])* $visibility:vis struct $name:ident $($rest:tt)*) => {
        $crate::row! { @struct {$(#[$attribute])*} {$visibility} {} $name $($rest)* }
    };
    (@struct $attributes:tt $visibility:tt $whole:tt $name:ident<$life:lifetime> of $($rest:tt)*) => {
        $crate::row! {
            @fields $attributes $visibility $whole $name {<$life>} $life {$name<$life>} {$name<'static>} $($rest)*
        }
    };
    (@struct $attributes:tt $visibility:tt $whole:tt $name:ident of $($rest:tt)*) => {
        $crate::row! { @fields $attributes $visibility $whole $name {} 'a {$name} {$name} $($rest)* }
    };
    (
        @fields {$($attributes:tt)*} {$visibility:vis} {$($whole:ident)?} $name:ident {$($generics:tt)*} $life:lifetime
        {$type:ty} {$static:ty} $table:path $(, sorted by ($($key:ident),*))? {
            $($(#[$doc:meta])* $field_visibility:vis $field:ident: $kind:ty,)*
            $(.. $rest:ident: $rest_columns:path $(as $view:ty)?,)?
        }
    ) => {
        $($attributes)*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $visibility struct $name $($generics)* {
            $($(#[$doc])* $field_visibility $field: $kind,)*
            $(
                #[doc = concat!("The encoded values of the columns `", stringify!($rest_columns), "`.")]
                $visibility $rest: $crate::for_macro::Rest<$life>,
            )?
        }

        const _: () = {
            #[allow(unused_imports, reason = "some rows do not need all of them")]
            use $crate::for_macro::{
                BatchRow, Column, ColumnValue, Error, Field, FieldReader, Record, RecordBatch, Rest, Row, RowField,
                Table, WholeRow,
            };

            const COUNT: usize = [$(stringify!($field)),*].len();

            // The fields are all columns of the table with the right types, or this does not compile.
            const _: () = RowField::check_all(&<$static>::ROW_FIELDS, $table.columns());

            $crate::for_macro::record!(
                @impl $life, $type, $static, $name, $($field: $kind,)* $($rest: Rest<$life>,)?
            );

            impl<$life> $type {
                const ROW_FIELDS: [RowField; COUNT] = [$(RowField {
                    name: stringify!($field),
                    kinds: <$kind as ColumnValue<$life>>::KINDS,
                    is_nullable: <$kind as ColumnValue<$life>>::IS_NULLABLE,
                    message: concat!(
                        "`", stringify!($table), "` has no column `", stringify!($field), "` for the type `",
                        stringify!($kind), "`"
                    ),
                },)*];

                fn check_words(batch: &RecordBatch) -> Result<(), Error> {
                    $(<$kind as ColumnValue<$life>>::array(batch, stringify!($field))?;)*
                    $($(<$view as Row>::check(batch)?;)?)?
                    Ok(())
                }
            }

            impl Row for $static {
                const TABLE: Table = $table;

                fn columns() -> Vec<&'static Column> {
                    let named = <$static>::ROW_FIELDS.map(|field| field.name);
                    let columns = $crate::columns_named($table, &named);
                    $(let columns = columns.into_iter().chain($rest_columns).collect();)?
                    columns
                }

                fn check(batch: &RecordBatch) -> Result<(), Error> {
                    <$static>::check_words(batch)
                }

                #[inline]
                fn is_in_order(_before: &[u8], _row: &[u8]) -> bool {
                    $(
                        let (mut before, mut row) = (FieldReader::new(_before), FieldReader::new(_row));
                        let before = <Self as Record>::Of::<'_>::read(&mut before);
                        let row = <Self as Record>::Of::<'_>::read(&mut row);
                        return ($(before.$key,)*) < ($(row.$key,)*);
                    )?
                    #[allow(unreachable_code, reason = "rows that have no order are in any order")]
                    true
                }
            }

            $crate::row! {
                @batch $life {$type} {$static} $table, {$($field: $kind,)*} {$($rest)?}
            }
            $crate::row! { @whole {$($whole)?} {$static} $table, {$($rest_columns)?} }
        };
    };
    (@batch $life:lifetime $type:tt $static:tt $table:path, $fields:tt {$rest:ident}) => {};
    (
        @batch $life:lifetime {$type:ty} {$static:ty} $table:path, {$($field:ident: $kind:ty,)*} {}
    ) => {
        pub struct Columns<$life> {
            $(pub $field: <$kind as ColumnValue<$life>>::Array,)*
            row: std::marker::PhantomData<fn() -> $type>,
        }

        impl<$life> $type {
            fn take_arrays(batch: &RecordBatch) -> Result<Columns<$life>, Error> {
                Ok(Columns {
                    $($field: <$kind as ColumnValue<$life>>::array(batch, stringify!($field))?,)*
                    row: std::marker::PhantomData,
                })
            }

            #[inline]
            fn from_columns(columns: &$life Columns<'static>, index: usize) -> Self {
                Self {
                    $($field: <$kind as ColumnValue<$life>>::value(&columns.$field, index),)*
                }
            }

            #[inline]
            fn read_skipping(skipped: &[&'static [Column]], fields: &mut FieldReader<$life>) -> Self {
                let mut rest = *fields;
                let mut skipped = skipped.iter();
                let row = Self {
                    $($field: {
                        skipped.next().into_iter().for_each(|columns| $crate::skip_columns(columns, &mut rest));
                        <$kind as Field<$life>>::read(&mut rest)
                    },)*
                };
                *fields = rest;
                row
            }
        }

        impl BatchRow for $static {
            const NAMES: &'static [&'static str] = &[$(stringify!($field)),*];
            const COLUMNS: &'static [Column] =
                &RowField::columns::<COUNT>(&<$static>::ROW_FIELDS, $table.columns());
            const FIELDS: &'static [RowField] = &<$static>::ROW_FIELDS;
            type Columns = Columns<'static>;

            fn take_columns(batch: &RecordBatch) -> Result<Self::Columns, Error> {
                <$static>::take_arrays(batch)
            }

            #[inline]
            fn row(columns: &Self::Columns, index: usize) -> Self::Of<'_> {
                <Self::Of<'_>>::from_columns(columns, index)
            }

            #[inline]
            fn row_skipping<'row>(
                skipped: &[&'static [Column]],
                fields: &mut FieldReader<'row>,
            ) -> Self::Of<'row> {
                <Self::Of<'row>>::read_skipping(skipped, fields)
            }
        }
    };
    (@whole {} {$static:ty} $table:path, {$($rest_columns:path)?}) => {};
    (@whole {whole} {$static:ty} $table:path, {$($rest_columns:path)?}) => {
        const _: () = {
            const REST: &[&[Column]] = &[$($rest_columns)?];
            let rest = if REST.is_empty() { &[] } else { REST[0] };
            let message = concat!("`", stringify!($static), "` does not have all columns of `", stringify!($table), "` in order");
            RowField::check_whole(&<$static>::ROW_FIELDS, rest, $table.columns(), message)
        };
        impl WholeRow for $static {}
    };
}

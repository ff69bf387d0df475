//! The properties of columns, the SQL expressions of columns that views compute, and the macro that
//! defines a table by its columns.

use arrow_schema::{DataType, Field, TimeUnit};
use columns::{ColumnEncoding, ValueEncoding};
use std::borrow::Cow;

/// The type of the values of a column, with its name in DuckDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// `BIGINT`.
    Long,
    /// `INTEGER`.
    Int,
    /// `SMALLINT`.
    Short,
    /// `BOOLEAN`.
    Bool,
    /// `VARCHAR`.
    Text,
    /// `TIMESTAMP` in UTC, in milliseconds.
    Time,
}

impl ColumnType {
    /// Returns the name of the type in an SQL dialect.
    pub fn sql(self, dialect: SqlDialect) -> &'static str {
        match self {
            Self::Text if dialect == SqlDialect::Spark => "STRING",
            Self::Long => "BIGINT",
            Self::Int => "INTEGER",
            Self::Short => "SMALLINT",
            Self::Bool => "BOOLEAN",
            Self::Text => "VARCHAR",
            Self::Time => "TIMESTAMP",
        }
    }

    fn arrow_type(self) -> DataType {
        match self {
            Self::Long => DataType::Int64,
            Self::Int => DataType::Int32,
            Self::Short => DataType::Int16,
            Self::Bool => DataType::Boolean,
            Self::Text => DataType::Utf8,
            Self::Time => DataType::Timestamp(TimeUnit::Millisecond, None),
        }
    }
}

/// An SQL engine for which views are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqlDialect {
    /// DuckDB: `views.sql` of a dataset.
    DuckDb,
    /// Spark: `schemas/views.spark.sql`.
    Spark,
}

/// The SQL expression by which views compute a column from the stored columns of the same row.
#[derive(Clone, Copy, Debug)]
pub enum Expression {
    /// An SQL text that all engines understand.
    Same(&'static str),
    /// A text for each engine.
    PerDialect {
        /// The text for DuckDB.
        duckdb: &'static str,
        /// The text for Spark.
        spark: &'static str,
    },
    /// A function that makes an SQL text from lists in code. All engines understand the text.
    Generated(fn() -> String),
}

impl Expression {
    /// Returns the SQL text for an engine.
    pub fn sql(&self, dialect: SqlDialect) -> Cow<'static, str> {
        match (*self, dialect) {
            (Self::Same(text), _)
            | (Self::PerDialect { duckdb: text, .. }, SqlDialect::DuckDb)
            | (Self::PerDialect { spark: text, .. }, SqlDialect::Spark) => text.into(),
            (Self::Generated(make), _) => make().into(),
        }
    }
}

/// The name, the type, the description and the encoding of a column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub name: &'static str,
    pub kind: ColumnType,
    /// True if values may be null.
    pub is_nullable: bool,
    /// The description in schemas and in the metadata of the Arrow field.
    pub about: &'static str,
    /// The encoding in Parquet files.
    pub encoding: ColumnEncoding,
    /// True for texts that rarely repeat, which are not put into a dictionary.
    pub is_plain_text: bool,
    /// The value in views, if it is not the stored one.
    pub expression: Option<Expression>,
}

impl Column {
    /// Declares a stored column that is never null and has no special encoding.
    pub const fn new(name: &'static str, kind: ColumnType, about: &'static str) -> Self {
        Self {
            name,
            kind,
            is_nullable: false,
            about,
            encoding: ColumnEncoding {
                has_bloom_filter: false,
                values: ValueEncoding::Dictionary,
            },
            is_plain_text: false,
            expression: None,
        }
    }

    /// Sets [`is_plain_text`](Self::is_plain_text), which [`table!`](crate::table) does for the type
    /// `PlainText`.
    pub const fn plain_text(mut self, is_plain_text: bool) -> Self {
        self.is_plain_text = is_plain_text;
        self
    }

    /// Sets the value in views: an expression over stored columns.
    pub const fn with_expression(mut self, expression: Expression) -> Self {
        self.expression = Some(expression);
        self
    }

    /// Allows null values. An attribute of [`table!`](crate::table).
    pub const fn null(mut self) -> Self {
        self.is_nullable = true;
        self
    }

    /// Adds a Bloom filter. An attribute of [`table!`](crate::table).
    pub const fn bloom_filter(mut self) -> Self {
        self.encoding.has_bloom_filter = true;
        self
    }

    /// Encodes numbers by their differences. An attribute of [`table!`](crate::table).
    pub const fn delta(mut self) -> Self {
        self.encoding.values = ValueEncoding::Delta;
        self
    }

    /// Writes numbers as they are. An attribute of [`table!`](crate::table).
    pub const fn plain(mut self) -> Self {
        self.encoding.values = ValueEncoding::Plain;
        self
    }

    /// Encodes texts by the prefixes that they share with the previous row. An attribute of [`table!`](crate::table).
    pub const fn shared_prefixes(mut self) -> Self {
        self.encoding.values = ValueEncoding::SharedPrefixes;
        self
    }

    /// Returns the Arrow field, with the description as metadata.
    pub fn field(&self) -> Field {
        Field::new(self.name, self.kind.arrow_type(), self.is_nullable).with_metadata(
            std::collections::HashMap::from([("comment".to_owned(), self.about.to_owned())]),
        )
    }
}

/// Defines a table: its description (`ABOUT`), its columns (`COLUMNS`), and a
/// `Builder` with one field per column, to which rows are appended.
///
/// A column is `name: Type attribute…, "description";`. The type is one of [`ColumnType`], or
/// `PlainText` for texts that rarely repeat: these are neither interned nor put into a dictionary.
/// The attributes are `null`, `bloom_filter`, `delta`, `plain` and
/// `shared_prefixes`, methods of [`Column`].
///
/// `=> expression` at the end of a stored column is its value in views: the
/// column is null in files if the expression gives the value. The columns after
/// `derived` are not stored: views compute them (`DERIVED_COLUMNS`).
///
/// `= value` after the description of a stored column is the value in the row that `Builder::push_row` appends.
/// `row(parameters) { … }` before the columns has the parameters of that function, and statements before the values.
/// A [`Value`](crate::value::Value) becomes the stored one; `None` is null. Columns without a value are appended
/// before `push_row`. Tables with many rows per capture have no `row`: their code appends column by column.
///
/// The word `per_capture` or `per_fault` before the description states that rows are made from captures or faults;
/// the table is then filled from records, by [`RecordRows`]. `buffer Type` at the end adds a field `buffer` of
/// that type to the `Builder`. A table with the word `of_fields` has no `Builder`: its rows are written by
/// `dataset::StoredRows`.
///
/// [`RecordRows`]: super::record_rows::RecordRows
#[macro_export]
macro_rules! table {
    (per_capture $about:literal $($definition:tt)*) => {
        $crate::table! { @define $about $($definition)* }

        $crate::table! { @record_rows
            fn push(&mut self, capture: &$crate::record_rows::RowInput<'_>) {
                Builder::push(self, capture);
            }
        }
    };
    (per_fault $about:literal $($definition:tt)*) => {
        $crate::table! { @define $about $($definition)* }

        $crate::table! { @record_rows
            fn push(&mut self, _capture: &$crate::record_rows::RowInput<'_>) {}

            fn push_fault(&mut self, warc_filename: &str, fault: &$crate::Fault) {
                self.push_row(warc_filename, fault);
            }
        }
    };
    (of_fields $about:literal $($definition:tt)*) => {
        $crate::table! { @columns $about $($definition)* }
    };
    ($about:literal $($definition:tt)*) => {
        $crate::table! { @define $about $($definition)* }
    };
    (@record_rows $($methods:tt)*) => {
        impl $crate::record_rows::RecordRows for Builder {
            $($methods)*

            fn take(&mut self) -> columns::RowBatch {
                Builder::take(self)
            }
        }

        /// Returns a builder of rows from records.
        pub(crate) fn record_rows() -> Box<dyn $crate::record_rows::RecordRows> {
            Box::new(Builder::default())
        }
    };
    (@columns $about:literal {
        $($name:ident: $kind:ident $($attribute:ident)*, $text:literal $(=> $expression:expr)?;)*
    } $(derived {
        $($derived:ident: $derived_kind:ident $($derived_attribute:ident)*, $derived_text:literal => $derived_expression:expr;)*
    })?) => {
        /// The description of the table, as in its schema.
        pub(crate) const ABOUT: &str = $about;

        /// The stored columns, in order.
        pub(crate) const COLUMNS: &[$crate::Column] = &[
            $($crate::Column::new(
                stringify!($name),
                $crate::table!(@type $kind),
                $text,
            ).plain_text($crate::table!(@is_plain $kind))
                $(.$attribute())*$(.with_expression($expression))?,)*
        ];

        /// The columns that only views have.
        pub(crate) const DERIVED_COLUMNS: &[$crate::Column] = &[
            $($($crate::Column::new(
                stringify!($derived),
                $crate::table!(@type $derived_kind),
                $derived_text,
            )$(.$derived_attribute())*.with_expression($derived_expression),)*)?
        ];
    };
    (@define $about:literal $(row($($parameters:tt)*) { $($before:tt)* })? {
        $($name:ident: $kind:ident $($attribute:ident)*, $text:literal $(= $value:expr)? $(=> $expression:expr)?;)*
    } $(derived { $($derived:tt)* })? $(buffer $buffer:ident)?) => {
        $crate::table! { @columns $about {
            $($name: $kind $($attribute)*, $text $(=> $expression)?;)*
        } $(derived { $($derived)* })? }

        /// Collects rows of the table, column by column.
        #[allow(unreachable_pub, reason = "only some tables are filled by other packages")]
        #[derive(Debug, Default)]
        pub struct Builder {
            $($name: $crate::table!(@builder $kind),)*
            /// The texts of all columns, except `PlainText`.
            texts: columns::Interner,
            /// For each row, the bytes of the values of all rows up to and including it.
            cumulative_bytes: Vec<u64>,
            $(buffer: $buffer,)?
        }

        $crate::table! { @push_row { $($($parameters)*)? } { $($($before)*)? } $($name $(= $value)?;)* }

        impl Builder {
            /// The bytes of the values of a row, except texts.
            const FIXED_BYTES: u64 = 0 $(+ $crate::table!(@bytes $kind))*;

            /// Ends `count` rows, whose values were appended to every column. The bytes of
            /// these values are divided evenly among the rows.
            fn end_rows(&mut self, count: usize) {
                let before = self.cumulative_bytes.last().copied().unwrap_or_default();
                let rows = (self.cumulative_bytes.len() + count) as u64;
                let texts = self.texts.requested_bytes() $(+ self.$name.text_bytes())*;
                let added = Self::FIXED_BYTES * rows + texts - before;
                $crate::divide_evenly(before, added, count as u64, &mut self.cumulative_bytes);
            }

            /// Returns the rows of this batch and starts a new one.
            #[allow(unreachable_pub, reason = "only some tables are filled by other packages")]
            pub fn take(&mut self) -> columns::RowBatch {
                let cumulative_bytes = columns::take_and_reserve(&mut self.cumulative_bytes);
                let columns = vec![$($crate::table!(@take $kind, self.$name),)*];
                for (data, column) in columns.iter().zip(COLUMNS) {
                    let is_valid = column.is_nullable || data.nulls.is_empty();
                    assert!(is_valid, "`{}` is never null", column.name);
                }
                columns::RowBatch::new(columns, self.texts.take(), cumulative_bytes)
            }
        }
    };
    (@push_row {} {} $($columns:tt)*) => {};
    (@push_row { $($parameters:tt)* } { $($before:tt)* } $($name:ident $(= $value:expr)?;)*) => {
        impl Builder {
            /// Appends a row: the values of all columns that are declared with a value.
            #[allow(unreachable_pub, reason = "only some tables are filled by other packages")]
            pub fn push_row(&mut self, $($parameters)*) {
                $($before)*
                $($($crate::value::Value::append($value, &mut self.$name, &mut self.texts);)?)*
                self.end_rows(1);
            }
        }
    };
    (@is_plain PlainText) => { true };
    (@is_plain $kind:ident) => { false };
    (@type PlainText) => { $crate::ColumnType::Text };
    (@type $kind:ident) => { $crate::ColumnType::$kind };
    (@builder Long) => { columns::ColumnBuilder<i64> };
    (@builder Int) => { columns::ColumnBuilder<i32> };
    (@builder Short) => { columns::ColumnBuilder<i32> };
    (@builder Bool) => { columns::ColumnBuilder<bool> };
    (@builder Text) => { columns::ColumnBuilder<u32> };
    (@builder PlainText) => { columns::PlainTextBuilder };
    (@builder Time) => { columns::ColumnBuilder<i64> };
    (@bytes Long) => { 8 };
    (@bytes Int) => { 4 };
    (@bytes Short) => { 2 };
    (@bytes Bool) => { 1 };
    (@bytes Text) => { 4 };
    (@bytes PlainText) => { 4 };
    (@bytes Time) => { 8 };
    (@take Long, $column:expr) => { $column.take(columns::ColumnValues::Long) };
    (@take Int, $column:expr) => { $column.take(columns::ColumnValues::Int) };
    (@take Short, $column:expr) => { $column.take(columns::ColumnValues::Int) };
    (@take Bool, $column:expr) => { $column.take(columns::ColumnValues::Bool) };
    (@take Text, $column:expr) => { $column.take(columns::ColumnValues::Text) };
    (@take PlainText, $column:expr) => { $column.take() };
    (@take Time, $column:expr) => { $column.take(columns::ColumnValues::Long) };
}
/// Appends `count` cumulative totals that rise from `before`, which is not appended, to `before + added`. The
/// steps are equal, apart from rounding down.
pub fn divide_evenly(before: u64, added: u64, count: u64, out: &mut Vec<u64>) {
    let (step, remainder) = (added / count.max(1), added % count.max(1));
    let (mut sum, mut fraction) = (before, 0);
    out.extend((0..count).map(|_| {
        sum += step;
        fraction += remainder;
        if fraction >= count {
            fraction -= count;
            sum += 1;
        }
        sum
    }));
}

/// Returns true if two texts are equal. The operator `==` cannot be used in constants.
pub const fn are_equal(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// Returns a text as an SQL literal, in single quotes.
pub fn sql_literal(text: &str) -> String {
    ["'", &text.replace('\'', "''"), "'"].concat()
}

/// Words in the name of a folder that query engines take for a number, a date or a truth value.
const NON_TEXT_WORDS: [&str; 7] = ["true", "false", "null", "nan", "inf", "infinity", "epoch"];

/// Returns true if a text can be the value of a partition column, which is part of the name of a folder. No
/// query engine may take it for a number, a date or a truth value, so it begins with a letter.
pub fn is_partition_name(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=100).contains(&text.len())
        && text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(is_allowed)
        && !NON_TEXT_WORDS
            .iter()
            .any(|word| text.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_divided_evenly_and_without_a_rest() {
        for (before, added, count) in [(0, 0, 1), (5, 17, 5), (7, 3, 8), (1, 1 << 40, 3), (2, 9, 0)]
        {
            let mut sums = Vec::new();
            divide_evenly(before, added, count, &mut sums);
            let expected = (1..=count).map(|row| before + added * row / count);
            assert_eq!(sums, expected.collect::<Vec<u64>>());
        }
    }
}

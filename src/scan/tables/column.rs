//! Columns: names, types, descriptions, and the macro that ties them to
//! builders.

use arrow_schema::{DataType, Field, TimeUnit};

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// `BIGINT`.
    Long,
    /// `INTEGER`.
    Int,
    /// `SMALLINT`.
    Short,
    /// `DOUBLE`.
    Double,
    /// `BOOLEAN`.
    Bool,
    /// `VARCHAR`.
    Text,
    /// `TIMESTAMP` in UTC, in milliseconds.
    Time,
}

impl ColumnType {
    /// The type in DuckDB's words.
    pub fn sql(self) -> &'static str {
        match self {
            Self::Long => "BIGINT",
            Self::Int => "INTEGER",
            Self::Short => "SMALLINT",
            Self::Double => "DOUBLE",
            Self::Bool => "BOOLEAN",
            Self::Text => "VARCHAR",
            Self::Time => "TIMESTAMP",
        }
    }

    fn arrow(self) -> DataType {
        match self {
            Self::Long => DataType::Int64,
            Self::Int => DataType::Int32,
            Self::Short => DataType::Int16,
            Self::Double => DataType::Float64,
            Self::Bool => DataType::Boolean,
            Self::Text => DataType::Utf8,
            Self::Time => DataType::Timestamp(TimeUnit::Millisecond, None),
        }
    }
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: ColumnType,
    /// Whether it may be null.
    pub is_nullable: bool,
    /// What it means.
    pub about: &'static str,
}

impl Column {
    pub(crate) const fn new(
        name: &'static str,
        kind: ColumnType,
        is_nullable: bool,
        about: &'static str,
    ) -> Self {
        Self {
            name,
            kind,
            is_nullable,
            about,
        }
    }

    /// The Arrow field, with the description as metadata.
    pub fn field(&self) -> Field {
        Field::new(self.name, self.kind.arrow(), self.is_nullable).with_metadata(
            std::collections::HashMap::from([("comment".to_owned(), self.about.to_owned())]),
        )
    }
}

/// Defines a table: its columns (`COLUMNS`), its description (`ABOUT`) and a
/// `Builder` with a builder for each column, to be appended to by name. A text
/// column is `Text`, or `Single` if its values seldom repeat: these are not
/// looked for among others, and written as they are. Rows of a `repeated` table
/// are those of a body, but for what is said of the capture.
macro_rules! table {
    (repeated $about:literal { $($name:ident: $kind:ident $($null:ident)?, $text:literal;)* }) => {
        $crate::tables::column::table! { $about { $($name: $kind $($null)?, $text;)* } }

        impl Builder {
            /// Adds rows of this batch again, for another capture of the same body; in
            /// them a host of so many bytes stands.
            pub(crate) fn repeat(
                &mut self,
                rows: std::ops::Range<usize>,
                host_bytes: u64,
                facts: &$crate::analysis::CaptureAnalysis<'_>,
            ) {
                let Some(last) = rows.clone().last() else { return };
                let before = rows.start.checked_sub(1).map_or(0, |at| self.ends[at]);
                let texts = self.ends[last] - before - Self::FIXED_BYTES * rows.len() as u64;
                $(self.$name.repeat(rows.clone());)*
                let host = facts.surt_host_name();
                let host = host.map(|host| self.texts.intern(host));
                self.robots_id.set_last(rows.len(), Some(facts.robots_id));
                self.surt_host_name.set_last(rows.len(), host);
                self.texts.add_requested_bytes(texts - host_bytes);
                self.end_rows(rows.len());
            }

            /// Fills the columns of rows that are the capture's.
            fn fill_capture(&mut self, facts: &$crate::analysis::CaptureAnalysis<'_>, count: usize) {
                let host = facts.surt_host_name();
                let host = host.map(|host| self.texts.intern(host));
                self.robots_id.fill(Some(facts.robots_id), count);
                self.surt_host_name.fill(host, count);
            }

            /// Rows of this batch.
            pub(crate) fn len(&self) -> usize {
                self.ends.len()
            }
        }
    };
    ($about:literal { $($name:ident: $kind:ident $($null:ident)?, $text:literal;)* }) => {
        /// What a row is.
        pub(crate) const ABOUT: &str = $about;

        /// The columns, in order.
        pub(crate) const COLUMNS: &[$crate::tables::column::Column] = &[
            $($crate::tables::column::Column::new(
                stringify!($name),
                $crate::tables::column::table!(@type $kind),
                $crate::tables::column::table!(@null $($null)?),
                $text,
            ),)*
        ];

        /// Builders of the columns.
        #[derive(Debug, Default)]
        pub(crate) struct Builder {
            $($name: $crate::tables::column::table!(@builder $kind),)*
            /// The texts of its columns.
            texts: $crate::parquet_writer::Interner,
            /// Bytes of values up to each row.
            ends: Vec<u64>,
        }

        impl Builder {
            /// Bytes of a row's values without its texts.
            const FIXED_BYTES: u64 = 0 $(+ $crate::tables::column::table!(@bytes $kind))*;

            /// Ends rows that have been appended to every column; they share what they weigh.
            fn end_rows(&mut self, count: usize) {
                let before = self.ends.last().copied().unwrap_or_default();
                let rows = (self.ends.len() + count) as u64;
                let texts = self.texts.requested_bytes() $(+ self.$name.text_bytes())*;
                let added = Self::FIXED_BYTES * rows + texts - before;
                let count = count as u64;
                self.ends.extend((1..=count).map(|nth| before + added * nth / count));
            }

            /// Takes the rows pushed since the last time.
            pub(crate) fn take(&mut self) -> $crate::parquet_writer::RowBatch {
                let room = Vec::with_capacity(self.ends.len());
                let ends = std::mem::replace(&mut self.ends, room);
                let columns = vec![$($crate::tables::column::table!(@take $kind, self.$name),)*];
                for (column, it) in columns.iter().zip(COLUMNS) {
                    assert!(it.is_nullable || column.nulls.is_empty(), "`{}` is never null", it.name);
                }
                $crate::parquet_writer::RowBatch::new(columns, self.texts.take(), ends)
            }
        }
    };
    (@null null) => { true };
    (@null) => { false };
    (@type Single) => { $crate::tables::column::ColumnType::Text };
    (@type $kind:ident) => { $crate::tables::column::ColumnType::$kind };
    (@builder Long) => { $crate::parquet_writer::ColumnBuilder<i64> };
    (@builder Int) => { $crate::parquet_writer::ColumnBuilder<i32> };
    (@builder Short) => { $crate::parquet_writer::ColumnBuilder<i32> };
    (@builder Double) => { $crate::parquet_writer::ColumnBuilder<f64> };
    (@builder Bool) => { $crate::parquet_writer::ColumnBuilder<bool> };
    (@builder Text) => { $crate::parquet_writer::ColumnBuilder<u32> };
    (@builder Single) => { $crate::parquet_writer::PlainTextBuilder };
    (@builder Time) => { $crate::parquet_writer::ColumnBuilder<i64> };
    (@bytes Long) => { 8 };
    (@bytes Int) => { 4 };
    (@bytes Short) => { 2 };
    (@bytes Double) => { 8 };
    (@bytes Bool) => { 1 };
    (@bytes Text) => { 4 };
    (@bytes Single) => { 4 };
    (@bytes Time) => { 8 };
    (@take Long, $column:expr) => { $column.take($crate::parquet_writer::ColumnValues::Long) };
    (@take Int, $column:expr) => { $column.take($crate::parquet_writer::ColumnValues::Int) };
    (@take Short, $column:expr) => { $column.take($crate::parquet_writer::ColumnValues::Int) };
    (@take Double, $column:expr) => { $column.take($crate::parquet_writer::ColumnValues::Double) };
    (@take Bool, $column:expr) => { $column.take($crate::parquet_writer::ColumnValues::Bool) };
    (@take Text, $column:expr) => { $column.take($crate::parquet_writer::ColumnValues::Text) };
    (@take Single, $column:expr) => { $column.take() };
    (@take Time, $column:expr) => { $column.take($crate::parquet_writer::ColumnValues::Long) };
}
pub(crate) use table;

/// Returns true if a text can be the value of a partition column, which names a
/// folder.
pub fn is_partition_name(text: &str) -> bool {
    (1..=100).contains(&text.len())
        && !text.starts_with('.')
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

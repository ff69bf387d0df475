//! Columns: names, types, descriptions, and the macro that ties them to
//! builders.

use arrow::datatypes::{DataType, Field, TimeUnit};

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
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

impl Type {
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
    pub kind: Type,
    /// Whether it may be null.
    pub is_nullable: bool,
    /// What it means.
    pub about: &'static str,
}

impl Column {
    pub(crate) const fn new(
        name: &'static str,
        kind: Type,
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
/// `Builder` with an Arrow builder for each column, to be appended to by name.
macro_rules! table {
    ($about:literal { $($name:ident: $kind:ident $($null:ident)?, $text:literal;)* }) => {
        /// What a row is.
        pub(crate) const ABOUT: &str = $about;

        /// The columns, in order.
        pub(crate) const COLUMNS: &[$crate::tables::column::Column] = &[
            $($crate::tables::column::Column::new(
                stringify!($name),
                $crate::tables::column::Type::$kind,
                $crate::tables::column::table!(@null $($null)?),
                $text,
            ),)*
        ];

        /// Builders of the columns.
        #[derive(Debug, Default)]
        pub(crate) struct Builder {
            $($name: $crate::tables::column::table!(@builder $kind),)*
        }

        impl Builder {
            /// Takes the rows pushed since the last time.
            pub(crate) fn take(&mut self) -> arrow::array::RecordBatch {
                use std::sync::{Arc, LazyLock};
                static SCHEMA: LazyLock<arrow::datatypes::SchemaRef> = LazyLock::new(|| {
                    let fields: Vec<_> = COLUMNS.iter().map($crate::tables::column::Column::field).collect();
                    let about = std::collections::HashMap::from([("comment".to_owned(), ABOUT.to_owned())]);
                    Arc::new(arrow::datatypes::Schema::new_with_metadata(fields, about))
                });
                let columns: Vec<arrow::array::ArrayRef> = vec![$({
                    // What waits for its turn should not hold what it does not need.
                    let mut array = self.$name.finish();
                    arrow::array::Array::shrink_to_fit(&mut array);
                    Arc::new(array)
                },)*];
                arrow::array::RecordBatch::try_new(Arc::clone(&SCHEMA), columns)
                    .expect("a push appends to every column, and never null where none may be")
            }
        }
    };
    (@null null) => { true };
    (@null) => { false };
    (@builder Long) => { arrow::array::Int64Builder };
    (@builder Int) => { arrow::array::Int32Builder };
    (@builder Short) => { arrow::array::Int16Builder };
    (@builder Double) => { arrow::array::Float64Builder };
    (@builder Bool) => { arrow::array::BooleanBuilder };
    (@builder Text) => { arrow::array::StringBuilder };
    (@builder Time) => { arrow::array::TimestampMillisecondBuilder };
}
pub(crate) use table;

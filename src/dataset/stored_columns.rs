//! Typed access to the columns of a batch that is read from a table.

use arrow_array::{ArrayAccessor, RecordBatch};
use disk::error::Error;

/// A struct with some columns of a batch of rows of a table, such as
/// [`stored_columns!`](crate::stored_columns) defines.
pub trait StoredColumns: Sized {
    /// The names of the columns, in the order of the fields.
    const NAMES: &'static [&'static str];

    /// Takes the columns from a batch.
    ///
    /// # Errors
    ///
    /// [`DatasetErrorKind::NotADataset`](crate::error::DatasetErrorKind::NotADataset) if the batch
    /// lacks one of the columns, or has it with another type.
    fn from_batch(batch: &RecordBatch) -> Result<Self, Error>;
}

/// Defines a struct that implements [`StoredColumns`]: some columns of a table, each a field with
/// the Arrow array of its type. The compiler checks that the table has these columns.
#[macro_export]
macro_rules! stored_columns {
    ($(#[$attribute:meta])* $visibility:vis struct $name:ident of $table:path {
        $($column:ident: $kind:ident,)*
    }) => {
        $(#[$attribute])*
        #[derive(Clone, Debug)]
        $visibility struct $name {
            $(
                #[doc = concat!("The column `", stringify!($column), "`.")]
                $visibility $column: $crate::stored_columns!(@array $kind),
            )*
        }

        impl $crate::StoredColumns for $name {
            const NAMES: &'static [&'static str] = &[$(stringify!($column)),*];

            fn from_batch(batch: &arrow_array::RecordBatch) -> Result<Self, disk::error::Error> {
                Ok(Self {
                    $($column: $crate::column::<$crate::stored_columns!(@array $kind)>(
                        batch,
                        stringify!($column),
                    )?.clone(),)*
                })
            }
        }

        const _: () = {
            use tables::ColumnType;
            $(assert!(
                $table.has_column(stringify!($column), ColumnType::$kind),
                concat!(stringify!($table), " has no column ", stringify!($column), " of this type"),
            );)*
        };
    };
    (@array Long) => { arrow_array::Int64Array };
    (@array Int) => { arrow_array::Int32Array };
    (@array Short) => { arrow_array::Int16Array };
    (@array Bool) => { arrow_array::BooleanArray };
    (@array Text) => { arrow_array::StringArray };
    (@array Time) => { arrow_array::TimestampMillisecondArray };
}

/// Returns the value of a column in a row; `None` for null.
pub fn value<A: ArrayAccessor>(column: A, row: usize) -> Option<A::Item> {
    column.is_valid(row).then(|| column.value(row))
}

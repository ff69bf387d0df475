//! A column of texts or bytes, in any layout of a Parquet file.

use arrow_array::{
    Array, BinaryArray, BinaryViewArray, LargeBinaryArray, LargeStringArray, StringArray,
    StringViewArray, cast::AsArray,
};
use arrow_schema::DataType;

/// A column whose values are read as bytes, without copying them.
pub(super) enum ByteColumn<'a> {
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
    Utf8View(&'a StringViewArray),
    Binary(&'a BinaryArray),
    LargeBinary(&'a LargeBinaryArray),
    BinaryView(&'a BinaryViewArray),
    /// The dictionary, the index of each row's value in it, and the distinct values.
    Dictionary(&'a dyn Array, Vec<usize>, Box<ByteColumn<'a>>),
}

impl<'a> ByteColumn<'a> {
    /// Creates a column of texts or bytes; `None` if the values are of another type.
    pub(super) fn new(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Binary => Self::Binary(array.as_binary()),
            DataType::LargeBinary => Self::LargeBinary(array.as_binary()),
            DataType::BinaryView => Self::BinaryView(array.as_binary_view()),
            _ => return Self::from_text(array),
        })
    }

    /// Creates a column of texts; `None` if the values are of another type.
    pub(super) fn from_text(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Utf8 => Self::Utf8(array.as_string()),
            DataType::LargeUtf8 => Self::LargeUtf8(array.as_string()),
            DataType::Utf8View => Self::Utf8View(array.as_string_view()),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let values = dictionary.values();
                let keys = match values.len() {
                    0 => Vec::new(), // All rows are null.
                    _ => dictionary.normalized_keys(),
                };
                Self::Dictionary(array, keys, Box::new(Self::from_text(values)?))
            }
            _ => return None,
        })
    }

    /// Returns the value of a row, or `None` if it is null.
    pub(super) fn value(&self, row: usize) -> Option<&'a [u8]> {
        if self.array().is_null(row) {
            return None;
        }
        Some(match self {
            Self::Utf8(array) => array.value(row).as_bytes(),
            Self::LargeUtf8(array) => array.value(row).as_bytes(),
            Self::Utf8View(array) => array.value(row).as_bytes(),
            Self::Binary(array) => array.value(row),
            Self::LargeBinary(array) => array.value(row),
            Self::BinaryView(array) => array.value(row),
            Self::Dictionary(_, keys, values) => return values.value(keys[row]),
        })
    }

    fn array(&self) -> &'a dyn Array {
        match *self {
            Self::Utf8(array) => array,
            Self::LargeUtf8(array) => array,
            Self::Utf8View(array) => array,
            Self::Binary(array) => array,
            Self::LargeBinary(array) => array,
            Self::BinaryView(array) => array,
            Self::Dictionary(array, ..) => array,
        }
    }
}

//! The values that columns take: how a value in code becomes the stored one.

use super::{saturating_i32, saturating_i64};
use columns::{ColumnBuilder, Interner, PlainTextBuilder};
use std::borrow::Cow;

/// A value that can be appended to a column that is built by a `C`.
pub(crate) trait Value<C> {
    /// Appends the value. Texts are interned in `texts`, unless the column stores them itself.
    fn append(self, column: &mut C, texts: &mut Interner);
}

/// A builder of a column, to which a null can be appended.
pub(crate) trait AppendNull {
    /// Appends a null.
    fn append_null(&mut self);
}

impl<T: Copy + Default> AppendNull for ColumnBuilder<T> {
    #[inline]
    fn append_null(&mut self) {
        self.append_option(None);
    }
}

impl AppendNull for PlainTextBuilder {
    fn append_null(&mut self) {
        self.append_option(None::<&str>);
    }
}

impl<C: AppendNull, T: Value<C>> Value<C> for Option<T> {
    #[inline]
    fn append(self, column: &mut C, texts: &mut Interner) {
        match self {
            Some(value) => value.append(column, texts),
            None => column.append_null(),
        }
    }
}

/// Implements [`Value`] for types of one value, with the expression that gives the argument of `append_value`.
macro_rules! values {
    ($($column:ty: $($type:ty => |$value:ident, $texts:ident| $stored:expr),*;)*) => {
        $($(
            impl Value<$column> for $type {
                #[inline]
                fn append(self, column: &mut $column, $texts: &mut Interner) {
                    let $value = self;
                    column.append_value($stored);
                }
            }
        )*)*
    };
}

values! {
    ColumnBuilder<bool>: bool => |value, _texts| value;
    ColumnBuilder<i32>: i32 => |value, _texts| value,
        i16 => |value, _texts| value.into(),
        u16 => |value, _texts| value.into(),
        u32 => |value, _texts| saturating_i32(value);
    ColumnBuilder<i64>: i64 => |value, _texts| value,
        u64 => |value, _texts| saturating_i64(value);
    ColumnBuilder<u32>: &str => |text, texts| texts.intern(text),
        Constant => |constant, texts| texts.intern_static(constant.0),
        BodyText<'_> => |text, texts| texts.intern_body_text(text.0, text.1),
        TextId => |id, _texts| id.0;
    PlainTextBuilder: &str => |text, _texts| text,
        Cow<'_, str> => |text, _texts| text;
}

/// A constant of the program, which is interned faster than other texts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constant(pub(crate) &'static str);

/// Bytes of a body, escaped, and whether the body is valid UTF-8.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyText<'a>(pub(crate) &'a [u8], pub(crate) bool);

/// The id of a text that is interned already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextId(pub(crate) u32);

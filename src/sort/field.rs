//! Typed fields of records.
//!
//! A [`Field`] is a value that a record contains, or several values one after the other: a tuple, or a struct that
//! [`record!`](crate::record) defines. A [`Record`] names the type of the records of a sorter, which may borrow from
//! the bytes of a record.

use super::sort_key::{
    FieldReader, push_key_without_escapes, put_bytes, put_i64, put_key, put_u8, put_u32, put_u64,
};
use std::marker::PhantomData;

/// A value that is written as one or more fields of a record.
pub trait Field<'a>: Copy {
    /// Appends the fields.
    fn write(self, out: &mut Vec<u8>);

    /// Reads the fields that [`write`](Self::write) appended.
    fn read(fields: &mut FieldReader<'a>) -> Self;
}

/// The type of the records of a sorter: a [`Field`] that may borrow from the bytes of a record. It is named by the type
/// that borrows for `'static`, such as `(u32, &'static [u8])`.
pub trait Record: 'static {
    /// The record, borrowed from its bytes.
    type Of<'a>: Field<'a>;
}

/// A byte string to sort by, in the form in which keys are compared: escaped, and with an end mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key<'a>(&'a [u8]);

/// The bytes up to the end of a record. It is the last field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rest<'a>(pub &'a [u8]);

impl<'a> Rest<'a> {
    /// Reads values of one type up to the end.
    pub fn values<T: Field<'a>>(self) -> impl Iterator<Item = T> {
        let mut fields = FieldReader::new(self.0);
        std::iter::from_fn(move || (!fields.rest().is_empty()).then(|| T::read(&mut fields)))
    }
}

impl<'a> Key<'a> {
    /// Makes a key from a byte string, in a buffer.
    pub fn new(bytes: &[u8], buffer: &'a mut Vec<u8>) -> Self {
        buffer.clear();
        put_key(buffer, bytes);
        Self(buffer)
    }

    /// Replaces `out` with the byte string of which this is the key.
    pub fn write_original(self, out: &mut Vec<u8>) {
        out.clear();
        push_key_without_escapes(out, self.0);
    }
}

impl<'a> Field<'a> for Key<'a> {
    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.0);
    }

    #[inline]
    fn read(fields: &mut FieldReader<'a>) -> Self {
        Self(fields.key())
    }
}

impl<'a> Field<'a> for Rest<'a> {
    #[inline]
    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.0);
    }

    #[inline]
    fn read(fields: &mut FieldReader<'a>) -> Self {
        let rest = fields.rest();
        *fields = FieldReader::new(&[]);
        Self(rest)
    }
}

impl<'a> Field<'a> for &'a [u8] {
    #[inline]
    fn write(self, out: &mut Vec<u8>) {
        put_bytes(out, self);
    }

    #[inline]
    fn read(fields: &mut FieldReader<'a>) -> Self {
        fields.bytes()
    }
}

impl<'a> Field<'a> for &'a str {
    #[inline]
    fn write(self, out: &mut Vec<u8>) {
        put_bytes(out, self.as_bytes());
    }

    #[inline]
    fn read(fields: &mut FieldReader<'a>) -> Self {
        std::str::from_utf8(fields.bytes()).expect("it was written from a text")
    }
}

impl<'a, const N: usize> Field<'a> for [u8; N] {
    #[inline]
    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self);
    }

    #[inline]
    fn read(fields: &mut FieldReader<'a>) -> Self {
        fields.take()
    }
}

/// A byte comes first: 1 if a value follows, or 0.
impl<'a, T: Field<'a>> Field<'a> for Option<T> {
    #[inline]
    fn write(self, out: &mut Vec<u8>) {
        put_u8(out, self.is_some().into());
        if let Some(value) = self {
            value.write(out);
        }
    }

    #[inline]
    fn read(fields: &mut FieldReader<'a>) -> Self {
        (fields.u8() != 0).then(|| T::read(fields))
    }
}

/// Implements [`Field`] for types that are written as numbers.
macro_rules! number_fields {
    ($($kind:ty: $put:ident($value:ident => $written:expr), $read:expr;)*) => {
        $(
            impl<'a> Field<'a> for $kind {
                #[inline]
                fn write(self, out: &mut Vec<u8>) {
                    let $value = self;
                    $put(out, $written);
                }

                #[inline]
                fn read(fields: &mut FieldReader<'a>) -> Self {
                    let read: fn(&mut FieldReader<'a>) -> Self = $read;
                    read(fields)
                }
            }

            impl Record for $kind {
                type Of<'a> = Self;
            }
        )*
    };
}

// Numbers of 16 and 32 bits with a sign are not ordered as bytes: the columns that have them are never keys.
number_fields! {
    u8: put_u8(value => value), |fields| fields.u8();
    bool: put_u8(value => value.into()), |fields| fields.u8() != 0;
    u16: put_u32(value => value.into()), |fields| fields.u32() as u16;
    i16: put_u32(value => i32::from(value).cast_unsigned()), |fields| fields.u32() as i16;
    u32: put_u32(value => value), |fields| fields.u32();
    i32: put_u32(value => value.cast_unsigned()), |fields| fields.u32().cast_signed();
    u64: put_u64(value => value), |fields| fields.u64();
    i64: put_i64(value => value), |fields| fields.i64();
}

/// Implements [`Field`] and [`Record`] for tuples.
macro_rules! tuple_fields {
    ($(($($kind:ident $value:ident),*);)*) => {
        $(
            impl<'a, $($kind: Field<'a>),*> Field<'a> for ($($kind,)*) {
                #[inline]
                fn write(self, out: &mut Vec<u8>) {
                    let ($($value,)*) = self;
                    $($value.write(out);)*
                }

                #[inline]
                fn read(fields: &mut FieldReader<'a>) -> Self {
                    ($($kind::read(fields),)*)
                }
            }

            impl<$($kind: Record),*> Record for ($($kind,)*) {
                type Of<'a> = ($($kind::Of<'a>,)*);
            }
        )*
    };
}

tuple_fields! {
    (A a, B b);
    (A a, B b, C c, D d);
}

impl<'a> Field<'a> for () {
    fn write(self, _out: &mut Vec<u8>) {}

    fn read(_fields: &mut FieldReader<'a>) -> Self {}
}

impl Record for () {
    type Of<'a> = Self;
}

impl Record for Key<'static> {
    type Of<'a> = Key<'a>;
}

impl Record for Rest<'static> {
    type Of<'a> = Rest<'a>;
}

impl Record for &'static [u8] {
    type Of<'a> = &'a [u8];
}

impl Record for &'static str {
    type Of<'a> = &'a str;
}

impl<const N: usize> Record for [u8; N] {
    type Of<'a> = Self;
}

impl<T: Record> Record for Option<T> {
    type Of<'a> = Option<T::Of<'a>>;
}

/// The key of a group of records, with which each of them begins.
#[derive(Debug)]
pub struct GroupKey<K> {
    bytes: Vec<u8>,
    kind: PhantomData<fn() -> K>,
}

impl<K> Default for GroupKey<K> {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            kind: PhantomData,
        }
    }
}

impl<K: Record> GroupKey<K> {
    /// Creates a key with this value.
    pub fn new(value: K::Of<'_>) -> Self {
        let mut key = Self::default();
        key.set(value);
        key
    }

    /// Sets the value.
    pub fn set(&mut self, value: K::Of<'_>) {
        self.bytes.clear();
        value.write(&mut self.bytes);
    }

    /// Returns the value.
    pub fn get(&self) -> K::Of<'_> {
        K::Of::read(&mut FieldReader::new(&self.bytes))
    }

    /// Returns the bytes with which each record of the group begins.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Sets the key to that of a record.
    pub(super) fn set_from(&mut self, record: &[u8]) {
        let mut fields = FieldReader::new(record);
        K::Of::read(&mut fields);
        self.bytes.clear();
        let len = record.len() - fields.rest().len();
        self.bytes.extend_from_slice(&record[..len]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_they_were_written() {
        let mut buffer = Vec::new();
        let key = Key::new(b"a\0b", &mut buffer);
        let value = (key, Some(-1i64), ("x", [1u8, 2]), Rest(b"rest"));
        let mut out = Vec::new();
        value.write(&mut out);
        type Read<'a> = (Key<'a>, Option<i64>, (&'a str, [u8; 2]), Rest<'a>);
        assert_eq!(Read::read(&mut FieldReader::new(&out)), value);
        let mut original = Vec::new();
        key.write_original(&mut original);
        assert_eq!(original, b"a\0b");
        for number in [i16::MIN, -1, 0, i16::MAX] {
            out.clear();
            number.write(&mut out);
            assert_eq!(i16::read(&mut FieldReader::new(&out)), number);
        }
    }

    #[test]
    fn a_key_is_that_of_the_records_that_begin_with_it() {
        let mut key = GroupKey::<(u32, Key<'static>)>::default();
        let mut buffer = Vec::new();
        key.set((1, Key::new(b"a", &mut buffer)));
        assert_eq!(key.bytes(), b"\0\0\0\x01a\0\0");
        key.set_from(b"\0\0\0\x02ab\0\0rest");
        assert_eq!(key.get(), (2, Key::new(b"ab", &mut buffer)));
    }
}

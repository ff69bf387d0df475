//! The encoding of the fields of a record.
//!
//! Records are compared as bytes, so numbers are written in big-endian order, and signed numbers
//! with the sign bit inverted: their bytes compare as the numbers do. The byte strings to sort by
//! are keys: a zero in them is written as [`ESCAPED_ZERO`], and [`KEY_END`] follows them, so that
//! they also compare as the strings do. Other byte strings are prefixed with their lengths. The
//! fields of a record must be read in the order in which they were written, each with the method
//! that matches its function.

/// The mark at the end of a key.
const KEY_END: [u8; 2] = [0, 0];

/// The escaped form of a zero byte in a key.
const ESCAPED_ZERO: [u8; 2] = [0, 0xff];

/// The panic message if a record is not read with the functions with which it was written.
const READ_ORDER_MESSAGE: &str = "a record is read in the order in which it was written";

/// Reads the fields of a record one after the other.
#[derive(Clone, Copy, Debug)]
pub struct FieldReader<'a>(&'a [u8]);

/// Appends a byte.
pub fn put_u8(out: &mut Vec<u8>, value: u8) {
    out.push(value);
}

/// Appends a number in big-endian order, so that the bytes compare as the numbers do.
pub fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_be_bytes());
}

/// Appends a number in big-endian order, so that the bytes compare as the numbers do.
pub fn put_u64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_be_bytes());
}

/// Appends a signed number in big-endian order with the sign bit inverted, so that the bytes
/// compare as the numbers do.
pub fn put_i64(out: &mut Vec<u8>, value: i64) {
    put_u64(out, ordered_bits(value));
}

/// Appends the length of a byte string, and the string.
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_u32(out, bytes.len() as u32);
    out.extend_from_slice(bytes);
}

/// Appends a byte string to sort by as a key: escaped, and with an end mark.
pub fn put_key(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut rest = bytes;
    while let Some(zero) = memchr::memchr(0, rest) {
        out.extend_from_slice(&rest[..zero]);
        out.extend_from_slice(&ESCAPED_ZERO);
        rest = &rest[zero + 1..];
    }
    out.extend_from_slice(rest);
    out.extend_from_slice(&KEY_END);
}

/// Appends the original byte string of a key, which is escaped and has an end mark, as
/// [`FieldReader::key`] returns it.
pub fn push_key_without_escapes(out: &mut Vec<u8>, key: &[u8]) {
    let mut rest = &key[..key.len() - KEY_END.len()];
    while let Some(zero) = memchr::memchr(0, rest) {
        out.extend_from_slice(&rest[..=zero]);
        rest = &rest[zero + ESCAPED_ZERO.len()..];
    }
    out.extend_from_slice(rest);
}

/// Maps a signed number to an unsigned one, so that the order of numbers remains.
pub fn ordered_bits(value: i64) -> u64 {
    value.cast_unsigned() ^ 1 << 63
}

impl<'a> FieldReader<'a> {
    /// Reads a record from its beginning.
    pub fn new(record: &'a [u8]) -> Self {
        Self(record)
    }

    /// Reads a byte.
    pub fn u8(&mut self) -> u8 {
        self.take::<1>()[0]
    }

    /// Reads a number that [`put_u32`] wrote.
    pub fn u32(&mut self) -> u32 {
        u32::from_be_bytes(self.take())
    }

    /// Reads a number that [`put_u64`] wrote.
    pub fn u64(&mut self) -> u64 {
        u64::from_be_bytes(self.take())
    }

    /// Reads a number that [`put_i64`] wrote.
    pub fn i64(&mut self) -> i64 {
        (self.u64() ^ 1 << 63).cast_signed()
    }

    /// Reads a key, and returns it escaped and with its end mark: the form in which keys are
    /// compared.
    pub fn key(&mut self) -> &'a [u8] {
        let fields = self.0;
        let mut end = 0;
        loop {
            end += memchr::memchr(0, &fields[end..]).expect(READ_ORDER_MESSAGE) + 2;
            let (key, rest) = fields.split_at_checked(end).expect(READ_ORDER_MESSAGE);
            if key.ends_with(&KEY_END) {
                self.0 = rest;
                return key;
            }
        }
    }

    /// Reads a byte string that [`put_bytes`] wrote.
    pub fn bytes(&mut self) -> &'a [u8] {
        let len = self.u32() as usize;
        let (bytes, rest) = self.0.split_at_checked(len).expect(READ_ORDER_MESSAGE);
        self.0 = rest;
        bytes
    }

    /// Returns the fields that have not been read.
    pub fn rest(&self) -> &'a [u8] {
        self.0
    }

    /// Reads an array of bytes.
    pub fn take<const N: usize>(&mut self) -> [u8; N] {
        let (value, rest) = self.0.split_first_chunk::<N>().expect(READ_ORDER_MESSAGE);
        self.0 = rest;
        *value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_compare_as_numbers_do() {
        let written = |value: i64| {
            let mut out = Vec::new();
            put_i64(&mut out, value);
            out
        };
        let values = [i64::MIN, -256, -1, 0, 1, 255, 256, i64::MAX];
        assert!(values.is_sorted_by(|a, b| written(*a) < written(*b)));
        for value in values {
            assert_eq!(FieldReader::new(&written(value)).i64(), value);
        }
    }

    #[test]
    fn fields_are_read_as_they_were_written() {
        let mut out = Vec::new();
        put_key(&mut out, b"https://a");
        put_u8(&mut out, 7);
        put_u32(&mut out, u32::MAX);
        put_bytes(&mut out, b"x\0y");
        put_u64(&mut out, 1);
        let mut fields = FieldReader::new(&out);
        assert_eq!(fields.key(), b"https://a\0\0");
        assert_eq!((fields.u8(), fields.u32()), (7, u32::MAX));
        assert_eq!(fields.bytes(), b"x\0y");
        assert_eq!((fields.u64(), fields.rest()), (1, &b""[..]));
    }

    #[test]
    fn keys_compare_as_their_bytes_do() {
        let strings: [&[u8]; 9] = [
            b"", b"\0", b"\0\0", b"\0\x01", b"\x01", b"a", b"a\0", b"a\0b", b"ab",
        ];
        let written = |bytes: &[u8]| {
            let mut out = Vec::new();
            put_key(&mut out, bytes);
            // A number that would sort otherwise.
            put_u8(&mut out, 255 - bytes.len() as u8);
            out
        };
        assert!(strings.is_sorted_by(|a, b| written(a) < written(b)));
        for bytes in strings {
            let record = written(bytes);
            let mut fields = FieldReader::new(&record);
            let mut read = Vec::new();
            push_key_without_escapes(&mut read, fields.key());
            assert_eq!((read.as_slice(), fields.rest().len()), (bytes, 1));
        }
    }
}

//! Values in the bytes of a record.
//!
//! Numbers are written so that bytes order as numbers do. Texts have their
//! length before them: equal ones lie together, and that is all that is asked
//! of their order. A record is read in the order in which it was written.

/// Values of a record that are not read yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values<'a>(pub(crate) &'a [u8]);

pub(crate) fn put_u8(out: &mut Vec<u8>, value: u8) {
    out.push(value);
}

pub(crate) fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_be_bytes());
}

pub(crate) fn put_u64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_be_bytes());
}

/// The least number comes first, so the sign's bit is turned.
pub(crate) fn put_i64(out: &mut Vec<u8>, value: i64) {
    put_u64(out, value.cast_unsigned() ^ 1 << 63);
}

pub(crate) fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    put_u32(out, text.len() as u32);
    out.extend_from_slice(text);
}

impl<'a> Values<'a> {
    pub(crate) fn u8(&mut self) -> u8 {
        self.take::<1>()[0]
    }

    pub(crate) fn u32(&mut self) -> u32 {
        u32::from_be_bytes(self.take())
    }

    pub(crate) fn u64(&mut self) -> u64 {
        u64::from_be_bytes(self.take())
    }

    pub(crate) fn i64(&mut self) -> i64 {
        (self.u64() ^ 1 << 63).cast_signed()
    }

    /// A text as it is written, with its length, by which records order.
    pub(crate) fn key(&mut self) -> &'a [u8] {
        let written = self.0;
        let len = self.text().len() + 4;
        &written[..len]
    }

    pub(crate) fn text(&mut self) -> &'a [u8] {
        let len = self.u32() as usize;
        let (text, rest) = self
            .0
            .split_at_checked(len)
            .expect("a record is read as it was written");
        self.0 = rest;
        text
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (value, rest) = self
            .0
            .split_first_chunk::<N>()
            .expect("a record is read as it was written");
        self.0 = rest;
        *value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_order_as_values_do() {
        let written = |value: i64| {
            let mut out = Vec::new();
            put_i64(&mut out, value);
            out
        };
        let values = [i64::MIN, -256, -1, 0, 1, 255, 256, i64::MAX];
        assert!(values.is_sorted_by(|a, b| written(*a) < written(*b)));
        for value in values {
            assert_eq!(Values(&written(value)).i64(), value);
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut out = Vec::new();
        put_text(&mut out, b"https://a");
        put_u8(&mut out, 7);
        put_u32(&mut out, u32::MAX);
        put_text(&mut out, b"x\0y");
        put_u64(&mut out, 1);
        let mut values = Values(&out);
        assert_eq!(values.key(), b"\0\0\0\x09https://a");
        assert_eq!((values.u8(), values.u32()), (7, u32::MAX));
        assert_eq!(values.text(), b"x\0y");
        assert_eq!((values.u64(), values.0), (1, &b""[..]));
    }
}

//! Values in the bytes of a record.
//!
//! Numbers are written so that bytes order as numbers do; texts have their
//! length before them. A record is read in the order in which it was written.

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

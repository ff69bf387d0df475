//! Keys of policies and of sets of preferences: digests of their rows, which docs/tables.md defines.

use sha2::{Digest, Sha256};

/// The length of a key in bytes.
pub const KEY_BYTES: usize = 16;

/// A key: the first 128 bits of the SHA-256 of a text.
pub type RowKey = [u8; KEY_BYTES];

/// The text of which a key is the digest. It has a line for each row, and a blank between two values: a number in decimal
/// digits, `true` or `false`, a text after the number of its bytes and a colon, or `-` for null.
#[derive(Debug, Default)]
pub struct KeyText {
    text: Vec<u8>,
}

/// A value in a [`KeyText`].
#[derive(Clone, Copy, Debug)]
pub enum KeyValue<'a> {
    Null,
    Number(u64),
    Flag(bool),
    Text(&'a str),
}

impl KeyText {
    /// Removes all lines.
    pub fn clear(&mut self) {
        self.text.clear();
    }

    /// Adds a line.
    pub fn push_line<const N: usize>(&mut self, values: [KeyValue<'_>; N]) {
        for value in values {
            match value {
                KeyValue::Null => self.text.push(b'-'),
                KeyValue::Number(number) => self.push_number(number),
                KeyValue::Flag(true) => self.text.extend_from_slice(b"true"),
                KeyValue::Flag(false) => self.text.extend_from_slice(b"false"),
                KeyValue::Text(text) => {
                    self.push_number(text.len() as u64);
                    self.text.push(b':');
                    self.text.extend_from_slice(text.as_bytes());
                }
            }
            self.text.push(b' ');
        }
        // The line ends instead of a blank after the last value.
        if let Some(last) = self.text.last_mut() {
            *last = b'\n';
        }
    }

    fn push_number(&mut self, number: u64) {
        let mut digits = [0; 20];
        let (mut start, mut rest) = (digits.len(), number);
        loop {
            start -= 1;
            digits[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.text.extend_from_slice(&digits[start..]);
    }

    /// Returns the key.
    pub fn key(&self) -> RowKey {
        let digest = Sha256::digest(&self.text);
        let mut key = [0; KEY_BYTES];
        key.copy_from_slice(&digest[..KEY_BYTES]);
        key
    }
}

impl<'a, T: Into<KeyValue<'a>>> From<Option<T>> for KeyValue<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl From<bool> for KeyValue<'_> {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<u32> for KeyValue<'_> {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

/// Numbers of 64 bits are not negative in the tables.
impl From<i64> for KeyValue<'_> {
    fn from(number: i64) -> Self {
        Self::Number(number.unsigned_abs())
    }
}

impl<'a> From<&'a str> for KeyValue<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

/// Returns a key in hexadecimal.
pub fn key_text(key: &RowKey) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Parses a key in lower-case hexadecimal. Returns `None` for any other text.
pub fn key_from_text(text: &[u8]) -> Option<RowKey> {
    let text: &[u8; 2 * KEY_BYTES] = text.try_into().ok()?;
    // SQL compares keys as texts, so that upper-case digits would make another key.
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut key = [0; KEY_BYTES];
    for (byte, &[high, low]) in key.iter_mut().zip(text.as_chunks().0) {
        *byte = digit(high)? << 4 | digit(low)?;
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_digest_of_its_lines() {
        let mut text = KeyText::default();
        text.push_line([true.into()]);
        text.push_line([10u32.into(), "ä b".into(), None::<u32>.into(), 0u32.into()]);
        assert_eq!(text.text, "true\n10 4:ä b - 0\n".as_bytes());
        let key = text.key();
        assert_eq!(key_from_text(key_text(&key).as_bytes()), Some(key));
        assert_eq!(key_text(&key), "cc8ef11c926a97f1525d82e706821faf");
        assert_eq!(
            key_from_text(key_text(&key).to_uppercase().as_bytes()),
            None
        );
    }
}

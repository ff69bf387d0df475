//! Keys of policies and of sets of preferences: digests of their rows.

use sha2::{Digest, Sha256};

/// The length of a key.
pub const KEY_BYTES: usize = 16;

/// Returns the key of some byte strings: the first 128 bits of a SHA-256.
pub fn compute_key(parts: &[&[u8]]) -> [u8; KEY_BYTES] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    let digest = hasher.finalize();
    let mut key = [0; KEY_BYTES];
    key.copy_from_slice(&digest[..KEY_BYTES]);
    key
}

/// Returns a key in hexadecimal.
pub fn key_text(key: &[u8]) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the key that a text in hexadecimal states; `None` if it states none.
pub fn key_from_text(text: &[u8]) -> Option<[u8; KEY_BYTES]> {
    let text = std::str::from_utf8(text).ok()?;
    // Other texts of the same number would not be equal in SQL.
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_key = text.len() == 2 * KEY_BYTES && text.bytes().all(is_digit);
    let number = u128::from_str_radix(text, 16).ok().filter(|_| is_key)?;
    Some(number.to_be_bytes())
}

//! Keys of policies and of sets of preferences: digests of their rows.

use sha2::{Digest, Sha256};

/// The length of a key in bytes.
pub const KEY_BYTES: usize = 16;

/// Returns the key of a list of byte strings: the first 128 bits of a SHA-256 of their lengths and contents.
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

/// Parses a key in lower-case hexadecimal. Returns `None` for any other text.
pub fn key_from_text(text: &[u8]) -> Option<[u8; KEY_BYTES]> {
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

//! Checks with general decoders that a member or frame can be decompressed to its end.
//!
//! Shares with the product only the libraries for raw deflate and for zstd frames. The header and
//! the trailer of gzip (RFC 1952) and its checksum are read and computed here.

use std::io;
use warc::Integrity;

/// Returns the integrity of the records at `offset` of an archive: of the gzip member, of the
/// zstd frame, or of the plain record that begins there.
pub fn integrity(bytes: &[u8], offset: usize) -> Integrity {
    let rest = &bytes[offset..];
    if rest.starts_with(&[0x1f, 0x8b]) {
        return match gzip_is_sound(rest) {
            Some(true) => Integrity::Verified,
            _ => Integrity::Damaged,
        };
    }
    if !rest.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        return Integrity::Unguarded;
    }
    let has_checksum = rest.get(4).is_some_and(|descriptor| descriptor & 4 != 0);
    match (zstd_is_sound(rest, &dictionary(bytes)), has_checksum) {
        (false, _) => Integrity::Damaged,
        (true, false) => Integrity::Unguarded,
        (true, true) => Integrity::Verified,
    }
}

/// Returns true if the member at the start of `bytes` ends with its checksum and size, and `None` if
/// `bytes` end before that.
fn gzip_is_sound(bytes: &[u8]) -> Option<bool> {
    let flags = *bytes.get(3)?;
    let mut offset = 10;
    if flags & 4 != 0 {
        offset += 2 + usize::from(*bytes.get(offset)?) + 256 * usize::from(*bytes.get(offset + 1)?);
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            offset += bytes.get(offset..)?.iter().position(|&byte| byte == 0)? + 1;
        }
    }
    offset += if flags & 2 != 0 { 2 } else { 0 };
    let mut decoder = flate2::bufread::DeflateDecoder::new(bytes.get(offset..)?);
    let mut sum = Sum(!0, 0);
    if io::copy(&mut decoder, &mut sum).is_err() {
        return Some(false);
    }
    let trailer = offset + decoder.total_in() as usize;
    let trailer = bytes.get(trailer..trailer + 8)?;
    let number =
        |offset: usize| u32::from_le_bytes(trailer[offset..offset + 4].try_into().unwrap());
    Some((number(0), number(4)) == (!sum.0, sum.1))
}

/// A CRC-32 that is computed bit by bit, and the number of bytes.
struct Sum(u32, u32);

impl io::Write for Sum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            self.0 ^= u32::from(byte);
            for _ in 0..8 {
                self.0 = (self.0 >> 1) ^ ((self.0 & 1) * 0xedb8_8320);
            }
        }
        self.1 = self.1.wrapping_add(bytes.len() as u32);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn zstd_is_sound(bytes: &[u8], dictionary: &[u8]) -> bool {
    let decoder = zstd::stream::read::Decoder::with_dictionary(bytes, dictionary);
    decoder.is_ok_and(|decoder| io::copy(&mut decoder.single_frame(), &mut io::sink()).is_ok())
}

/// Returns the dictionary in the skippable frame at the start of an archive, or an empty slice.
fn dictionary(bytes: &[u8]) -> Vec<u8> {
    let Some((head, rest)) = bytes.split_at_checked(8) else {
        return Vec::new();
    };
    if head[..4] != [0x5d, 0x2a, 0x4d, 0x18] {
        return Vec::new();
    }
    let size = u32::from_le_bytes(head[4..].try_into().unwrap()) as usize;
    let content = &rest[..size.min(rest.len())];
    if content.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        zstd::stream::decode_all(content).unwrap_or_default()
    } else {
        content.to_vec()
    }
}

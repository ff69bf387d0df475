//! Builds an archive from an input of the fuzzers.
//!
//! The first octet selects how the rest is packed, so that the fuzzers need not
//! generate compressed members: see [`pack`]. The rest consists of pieces. Each
//! piece ends with a line that begins with `~`.

use std::io::Write as _;

/// A piece of an input.
#[derive(Debug, PartialEq, Eq)]
struct Piece<'a> {
    text: &'a [u8],
    /// The damage that is applied after packing.
    damage: &'a [u8],
}

/// The zstd dictionary.
const DICTIONARY: &[u8] = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://\
    .example/robots.txt\r\nContent-Length: 100\r\n\r\nHTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n";

/// Packs `data` without its first octet, which selects the form.
///
/// | octet | archive |
/// |---|---|
/// | `0` | the rest, unchanged |
/// | `1` | the pieces without the lines between them |
/// | `2` | one gzip member per piece |
/// | `3` | one gzip member |
/// | `4` | one gzip member per two pieces |
/// | `5` | one zstd frame per piece |
/// | `6` | one zstd frame |
/// | `7` | a dictionary frame, then one zstd frame per piece |
///
/// Only the last three bits of the octet count. The octets after the `~` of a line
/// describe damage to the packed piece. They come in pairs: an offset, in 256ths of
/// the packed length, and an octet that is XORed with the one at this offset. A
/// single octet at the end is the number of octets that are removed from the end of
/// the packed piece. If pieces share a member, the line of the last one counts.
pub fn pack(data: &[u8]) -> Vec<u8> {
    let Some((&how, rest)) = data.split_first() else {
        return Vec::new();
    };
    let how = how & 7;
    if how == 0 {
        return rest.to_vec();
    }
    let pieces = pieces(rest);
    let mut out = Vec::with_capacity(rest.len() + 64);
    if how == 7 {
        out.extend_from_slice(b"\x5d\x2a\x4d\x18");
        out.extend_from_slice(&(DICTIONARY.len() as u32).to_le_bytes());
        out.extend_from_slice(DICTIONARY);
    }
    let together = match how {
        3 | 6 => pieces.len().max(1),
        4 => 2,
        _ => 1,
    };
    for shared in pieces.chunks(together) {
        let text: Vec<u8> = shared
            .iter()
            .flat_map(|piece| piece.text)
            .copied()
            .collect();
        let mut packed = match how {
            1 => text,
            2..=4 => gzip(&text),
            5 | 6 => zstd(&text, b""),
            _ => zstd(&text, DICTIONARY),
        };
        apply_damage(&mut packed, shared.last().map_or(b"", |piece| piece.damage));
        out.extend(packed);
    }
    out
}

/// Splits a text into its pieces.
fn pieces(text: &[u8]) -> Vec<Piece<'_>> {
    let (mut pieces, mut begin, mut line_start) = (Vec::new(), 0, 0);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let end = line_start + line.len();
        if let Some(damage) = line.strip_prefix(b"~") {
            pieces.push(Piece {
                text: &text[begin..line_start],
                damage: damage.strip_suffix(b"\n").unwrap_or(damage),
            });
            begin = end;
        }
        line_start = end;
    }
    if begin < text.len() {
        pieces.push(Piece {
            text: &text[begin..],
            damage: b"",
        });
    }
    pieces
}

fn apply_damage(packed: &mut Vec<u8>, damage: &[u8]) {
    let (pairs, cut) = damage.as_chunks::<2>();
    for &[position, change] in pairs {
        let offset = packed.len() * usize::from(position) / 256;
        if let Some(byte) = packed.get_mut(offset) {
            *byte ^= change;
        }
    }
    let cut = cut.first().map_or(0, |&count| usize::from(count));
    packed.truncate(packed.len().saturating_sub(cut));
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.expect("writing to a Vec never fails")
}

/// Compresses to a frame with a checksum.
fn zstd(bytes: &[u8], dictionary: &[u8]) -> Vec<u8> {
    let encoder = zstd::stream::write::Encoder::with_dictionary(Vec::new(), 3, dictionary);
    let written = encoder.and_then(|mut encoder| {
        encoder.include_checksum(true)?;
        encoder.write_all(bytes)?;
        encoder.finish()
    });
    written.expect("writing to a Vec never fails")
}

#[test]
fn a_piece_ends_with_a_line_that_describes_its_damage() {
    let piece = |text, damage| Piece { text, damage };
    assert_eq!(
        pieces(b"a\n~\nb~\n~xyz\n"),
        [piece(b"a\n", b""), piece(b"b~\n", b"xyz")]
    );
    assert_eq!(pieces(b"~"), [piece(b"", b"")]);
    assert_eq!(pack(b"1abcd\n~\x80\x01\x02\n~\ne"), b"abbe");
    assert_eq!(pack(b"0~\n"), b"~\n");
    assert_eq!(
        pack(b"4a\n~\nb\n~\nc\n"),
        [gzip(b"a\nb\n"), gzip(b"c\n")].concat()
    );
}

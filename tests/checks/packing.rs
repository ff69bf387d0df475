//! How an input of the fuzzers becomes an archive.
//!
//! The first octet says how the rest is packed, so that the fuzzers need not
//! invent a compressed member: see [`pack`]. The rest is pieces, which lines
//! end that begin with `~`.

use std::io::Write as _;

/// One piece.
#[derive(Debug, PartialEq, Eq)]
struct Piece<'a> {
    text: &'a [u8],
    /// What is done to it once it is packed.
    damage: &'a [u8],
}

/// What every frame refers to where a dictionary is used.
const DICTIONARY: &[u8] = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://\
    .example/robots.txt\r\nContent-Length: 100\r\n\r\nHTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n";

/// Packs what stands behind the first octet of `data`, as that octet says.
///
/// | octet | the archive is |
/// |---|---|
/// | `0` | the rest as it is |
/// | `1` | the pieces without the lines between them |
/// | `2` | a gzip member a piece |
/// | `3` | one gzip member |
/// | `4` | a gzip member for every two pieces |
/// | `5` | a zstd frame a piece |
/// | `6` | one zstd frame |
/// | `7` | a zstd frame a piece, with a dictionary at the head |
///
/// Of any other octet the last three bits count. Behind the `~` of the line
/// that ends a piece octets come in pairs: the first is a place in what was
/// packed, in 256th parts, and the second is XORed with the octet there. A last
/// octet alone is how many are cut off the end. Where pieces share a member, the
/// line of the last of them counts.
pub(crate) fn pack(data: &[u8]) -> Vec<u8> {
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
        harm(&mut packed, shared.last().map_or(b"", |piece| piece.damage));
        out.extend(packed);
    }
    out
}

/// Takes the pieces apart.
fn pieces(text: &[u8]) -> Vec<Piece<'_>> {
    let (mut pieces, mut begin, mut begin_of_line) = (Vec::new(), 0, 0);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let end = begin_of_line + line.len();
        if let Some(damage) = line.strip_prefix(b"~") {
            pieces.push(Piece {
                text: &text[begin..begin_of_line],
                damage: damage.strip_suffix(b"\n").unwrap_or(damage),
            });
            begin = end;
        }
        begin_of_line = end;
    }
    if begin < text.len() {
        pieces.push(Piece {
            text: &text[begin..],
            damage: b"",
        });
    }
    pieces
}

fn harm(packed: &mut Vec<u8>, damage: &[u8]) {
    let (pairs, cut) = damage.as_chunks::<2>();
    for &[place, change] in pairs {
        let offset = packed.len() * usize::from(place) / 256;
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
    written.expect("a Vec takes all")
}

/// A frame with a checksum.
fn zstd(bytes: &[u8], dictionary: &[u8]) -> Vec<u8> {
    let encoder = zstd::stream::write::Encoder::with_dictionary(Vec::new(), 3, dictionary);
    let written = encoder.and_then(|mut encoder| {
        encoder.include_checksum(true)?;
        encoder.write_all(bytes)?;
        encoder.finish()
    });
    written.expect("a Vec takes all")
}

#[test]
fn pieces_end_with_a_line_that_says_how_they_are_harmed() {
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

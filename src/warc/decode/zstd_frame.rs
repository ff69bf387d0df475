//! The lengths of zstd frames, told from their headers without decoding them.

use std::ops::Range;

use memchr::memmem;

use crate::decode::zstd::{Border, MAGIC, MAX_BLOCK_BYTES, border};
use crate::error::ErrorKind;

/// Blocks that are followed at most, in all.
const FOLLOWED_BLOCKS: usize = 1 << 20;

/// Returns the first frame in the `content` of a dictionary frame which its stated length hides.
///
/// A dictionary may hold any bytes, those of the magic too. A frame counts as hidden if frame after
/// frame leads from it exactly to the end of the content or beyond, and there to another frame or
/// to the end of the input. `bytes` are the beginning of the input, up to a bound behind the
/// content or to the end.
///
/// # Errors
///
/// [`ErrorKind::BadDictionary`] if following the blocks takes too many steps.
pub(crate) fn hidden_frame(
    bytes: &[u8],
    content: Range<usize>,
) -> Result<Option<usize>, ErrorKind> {
    let mut blocks = FOLLOWED_BLOCKS;
    for at in memmem::find_iter(&bytes[content.clone()], &MAGIC) {
        let first = content.start + at;
        let mut next = Some(first);
        while let Some(at) = next.filter(|&at| at < content.end) {
            next = frame_end(bytes, at, &mut blocks);
        }
        if blocks == 0 {
            return Err(ErrorKind::BadDictionary);
        }
        let is_border = |at: usize| {
            let rest = bytes.get(at..)?;
            Some(rest.is_empty() || border(rest) != Border::Other)
        };
        if next.and_then(is_border) == Some(true) {
            return Ok(Some(first));
        }
    }
    Ok(None)
}

/// Returns where the frame at `at` ends ([RFC 8878 §3.1]); none if there is none, or if it ends
/// beyond `bytes`.
///
/// [RFC 8878 §3.1]: https://www.rfc-editor.org/rfc/rfc8878#section-3.1
fn frame_end(bytes: &[u8], at: usize, blocks: &mut usize) -> Option<usize> {
    let frame = bytes.get(at..)?;
    match border(frame) {
        Border::Frame => {}
        Border::Skippable(length) => return at.checked_add(usize::try_from(length).ok()?),
        Border::Cut | Border::Other => return None,
    }
    const RESERVED: u8 = 0b1000;
    const RESERVED_BLOCK: u32 = 3;
    const RLE_BLOCK: u32 = 1;
    let descriptor = *frame.get(4)?;
    if descriptor & RESERVED != 0 {
        return None;
    }
    let is_single_segment = descriptor & 0b10_0000 != 0;
    let window_bytes = usize::from(!is_single_segment);
    let dictionary_id_bytes = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content_size_bytes = match descriptor >> 6 {
        0 => usize::from(is_single_segment),
        flag => 1 << flag,
    };
    let checksum_bytes = if descriptor & 0b100 != 0 { 4 } else { 0 };
    let mut at = at + 5 + window_bytes + dictionary_id_bytes + content_size_bytes;
    loop {
        *blocks = blocks.checked_sub(1)?;
        let head = bytes.get(at..at + 3)?;
        let head = u32::from_le_bytes([head[0], head[1], head[2], 0]);
        let size = (head >> 3) as usize;
        if size > MAX_BLOCK_BYTES {
            return None;
        }
        at += 3 + match head >> 1 & 3 {
            RESERVED_BLOCK => return None,
            RLE_BLOCK => 1,
            _ => size,
        };
        if head & 1 != 0 {
            let end = at + checksum_bytes;
            return (end <= bytes.len()).then_some(end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{skippable, zstd};

    #[test]
    fn the_length_of_a_frame_is_told_without_decoding_it() {
        let texts = [vec![], b"x".repeat(5), b"robots".repeat(100_000)];
        for text in texts {
            let frame = zstd(&text, &[]);
            let mut blocks = 1000;
            assert_eq!(frame_end(&frame, 0, &mut blocks), Some(frame.len()));
            for cut in [4, 6, frame.len() - 1] {
                assert_eq!(frame_end(&frame[..cut], 0, &mut blocks), None);
            }
        }
        let skipped = skippable(0x50, b"abc");
        assert_eq!(frame_end(&skipped, 0, &mut 1), Some(11));
    }

    #[test]
    fn a_frame_is_hidden_if_it_leads_to_another_behind_the_content() {
        let [a, b] = [zstd(b"WARC/1.0", &[]), zstd(b"WARC/1.1", &[])];
        let bytes = [b"12345678text ", &a[..], &b].concat();
        let first = 13;
        for end in first + 4..=bytes.len() {
            let found = hidden_frame(&bytes, 8..end);
            assert_eq!(found, Ok(Some(first)), "{end}");
        }
        assert_eq!(hidden_frame(&bytes, 8..first), Ok(None));
        // A magic alone is none, nor is a frame that leads nowhere.
        let damaged = [b"12345678text ", &a[..a.len() - 1], &b].concat();
        assert_eq!(hidden_frame(&damaged, 8..first + 4), Ok(None));
    }

    #[test]
    fn following_blocks_has_a_limit() {
        // Frames of many empty blocks, none of which ends.
        let mut bytes = [&MAGIC[..], &[0, 0x58]].concat();
        bytes.extend([0; 3000]);
        let bytes = bytes.repeat(1100);
        let content = 0..bytes.len();
        assert_eq!(hidden_frame(&bytes, content), Err(ErrorKind::BadDictionary));
    }
}

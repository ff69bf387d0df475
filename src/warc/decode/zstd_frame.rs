//! The structure of zstd frames ([RFC 8878 §3.1]), read without decompressing them.
//!
//! [RFC 8878 §3.1]: https://www.rfc-editor.org/rfc/rfc8878#section-3.1

use std::ops::Range;

use memchr::memmem;

use crate::error::ErrorKind;

/// The first bytes of a data frame.
pub(crate) const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The last three bytes of the magic number of skippable frames. The first is 0x50 to 0x5f.
const SKIPPABLE_MAGIC: [u8; 3] = [0x2a, 0x4d, 0x18];

/// The largest block, compressed or not.
pub(crate) const MAX_BLOCK_BYTES: usize = 128 << 10;

/// The largest number of blocks whose headers are parsed to find a hidden frame of one input.
const MAX_PARSED_BLOCKS: usize = 1 << 20;

/// The kind of data at a position where a frame may start.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FrameStart {
    /// A data frame.
    Data,
    /// A skippable frame of this many bytes, including its header of 8 bytes.
    Skippable(u64),
    /// The input ends inside the header of a frame.
    Incomplete,
    /// Anything else.
    Other,
}

/// Returns the kind of data that starts with `bytes`, which are fewer than eight only at the end of the
/// input.
pub(crate) fn parse_frame_start(bytes: &[u8]) -> FrameStart {
    if bytes.starts_with(&MAGIC) {
        return FrameStart::Data;
    }
    let is_skippable = bytes.first().is_some_and(|first| first & 0xf0 == 0x50)
        && SKIPPABLE_MAGIC.starts_with(&bytes[1..bytes.len().min(4)]);
    if is_skippable && bytes.len() >= 8 {
        let size = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
        FrameStart::Skippable(8 + u64::from(size))
    } else if is_skippable || MAGIC.starts_with(bytes) {
        FrameStart::Incomplete
    } else {
        FrameStart::Other
    }
}

/// Returns true if an input that starts with `head` is zstd.
pub(crate) fn is_zstd(head: &[u8]) -> bool {
    parse_frame_start(head) != FrameStart::Other
}

/// Returns true if the data frame that starts with `head` ends with a checksum of its content
/// ([RFC 8878 §3.1.1.1.1]).
///
/// [RFC 8878 §3.1.1.1.1]: https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1.1.1
pub(crate) fn has_checksum(head: &[u8]) -> bool {
    const CONTENT_CHECKSUM_FLAG: u8 = 4;
    head.get(4)
        .is_some_and(|descriptor| descriptor & CONTENT_CHECKSUM_FLAG != 0)
}

/// Returns the start of the first data frame that a wrong length of the dictionary frame hides.
///
/// `content` is the stated content of the dictionary frame in `bytes`. A dictionary may contain any
/// bytes, including the magic number. A frame counts as hidden if a sequence of frames leads from
/// it to the end of the content or beyond, and another frame or the end of the input follows there.
/// `bytes` start at the start of the input, and end with the input or a fixed distance after the
/// content.
///
/// # Errors
///
/// [`ErrorKind::BadDictionary`] if more than `MAX_PARSED_BLOCKS` blocks would have to be parsed.
pub(crate) fn find_hidden_frame(
    bytes: &[u8],
    content: Range<usize>,
) -> Result<Option<usize>, ErrorKind> {
    let mut blocks_left = MAX_PARSED_BLOCKS;
    for index in memmem::find_iter(&bytes[content.clone()], &MAGIC) {
        let first = content.start + index;
        let mut next = Some(first);
        while let Some(start) = next.filter(|&start| start < content.end) {
            next = find_frame_end(bytes, start, &mut blocks_left);
        }
        if blocks_left == 0 {
            return Err(ErrorKind::BadDictionary);
        }
        let is_followed_by_frame = |end: usize| {
            let rest = bytes.get(end..)?;
            Some(rest.is_empty() || parse_frame_start(rest) != FrameStart::Other)
        };
        if next.and_then(is_followed_by_frame) == Some(true) {
            return Ok(Some(first));
        }
    }
    Ok(None)
}

/// Returns the end of the frame at `start`, or `None` if there is no valid frame or it ends after
/// `bytes`.
fn find_frame_end(bytes: &[u8], start: usize, blocks_left: &mut usize) -> Option<usize> {
    const RESERVED_FLAG: u8 = 0b1000;
    const RESERVED_BLOCK_TYPE: u32 = 3;
    const RLE_BLOCK_TYPE: u32 = 1;
    let frame = bytes.get(start..)?;
    match parse_frame_start(frame) {
        FrameStart::Data => {}
        FrameStart::Skippable(length) => return start.checked_add(usize::try_from(length).ok()?),
        FrameStart::Incomplete | FrameStart::Other => return None,
    }
    let descriptor = *frame.get(4)?;
    if descriptor & RESERVED_FLAG != 0 {
        return None;
    }
    let is_single_segment = descriptor & 0b10_0000 != 0;
    let window_bytes = usize::from(!is_single_segment);
    let dictionary_id_bytes = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content_size_bytes = match descriptor >> 6 {
        0 => usize::from(is_single_segment),
        flag => 1 << flag,
    };
    let checksum_bytes = if has_checksum(frame) { 4 } else { 0 };
    let mut block = start + 5 + window_bytes + dictionary_id_bytes + content_size_bytes;
    loop {
        *blocks_left = blocks_left.checked_sub(1)?;
        let header = bytes.get(block..block + 3)?;
        let header = u32::from_le_bytes([header[0], header[1], header[2], 0]);
        let size = (header >> 3) as usize;
        if size > MAX_BLOCK_BYTES {
            return None;
        }
        block += 3 + match header >> 1 & 3 {
            RESERVED_BLOCK_TYPE => return None,
            RLE_BLOCK_TYPE => 1,
            _ => size,
        };
        let is_last = header & 1 != 0;
        if is_last {
            let end = block + checksum_bytes;
            return (end <= bytes.len()).then_some(end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{skippable_frame, zstd};

    #[test]
    fn the_length_of_a_frame_is_found_without_decoding_it() {
        let texts = [vec![], b"x".repeat(5), b"robots".repeat(100_000)];
        for text in texts {
            let frame = zstd(&text, &[]);
            let mut blocks = 1000;
            assert_eq!(find_frame_end(&frame, 0, &mut blocks), Some(frame.len()));
            for cut in [4, 6, frame.len() - 1] {
                assert_eq!(find_frame_end(&frame[..cut], 0, &mut blocks), None);
            }
        }
        let skipped = skippable_frame(0x50, b"abc");
        assert_eq!(find_frame_end(&skipped, 0, &mut 1), Some(11));
    }

    #[test]
    fn a_frame_is_hidden_if_another_frame_or_the_end_follows_it_after_the_content() {
        let [a, b] = [zstd(b"WARC/1.0", &[]), zstd(b"WARC/1.1", &[])];
        let bytes = [b"12345678text ", &a[..], &b].concat();
        let first = 13;
        for end in first + 4..=bytes.len() {
            let found = find_hidden_frame(&bytes, 8..end);
            assert_eq!(found, Ok(Some(first)), "{end}");
        }
        assert_eq!(find_hidden_frame(&bytes, 8..first), Ok(None));
        // Neither a magic number alone nor a frame without a valid successor counts.
        let damaged = [b"12345678text ", &a[..a.len() - 1], &b].concat();
        assert_eq!(find_hidden_frame(&damaged, 8..first + 4), Ok(None));
    }

    #[test]
    fn following_blocks_has_a_limit() {
        // Frames of many empty blocks, none of which ends.
        let mut bytes = [&MAGIC[..], &[0, 0x58]].concat();
        bytes.extend([0; 3000]);
        let bytes = bytes.repeat(1100);
        let content = 0..bytes.len();
        assert_eq!(
            find_hidden_frame(&bytes, content),
            Err(ErrorKind::BadDictionary)
        );
    }

    #[test]
    fn frame_starts_are_recognized() {
        assert_eq!(parse_frame_start(&zstd(b"x", &[])), FrameStart::Data);
        assert_eq!(
            parse_frame_start(&skippable_frame(0x5d, b"abc")),
            FrameStart::Skippable(11)
        );
        assert_eq!(
            parse_frame_start(&skippable_frame(0x50, b"")),
            FrameStart::Skippable(8)
        );
        assert_eq!(
            parse_frame_start(b"\x5d\x2a\x4d\x18\x01"),
            FrameStart::Incomplete
        );
        assert_eq!(parse_frame_start(b"\x28\xb5"), FrameStart::Incomplete);
        assert_eq!(
            parse_frame_start(b"\x5d\x2a\x4d\x19\0\0\0\0"),
            FrameStart::Other
        );
    }
}

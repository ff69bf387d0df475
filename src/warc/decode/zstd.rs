//! Zstd frames as streams, with the dictionary that may stand at the head of the file.

use std::io::{self, Read as _};

use ::zstd::zstd_safe::{self, DCtx, DParameter, InBuffer, OutBuffer, ResetDirective};

use crate::decode::decoder::Fed;
use crate::decode::source::Window;
use crate::decode::zstd_frame::hidden_frame;
use crate::detect::{begins_record, skip_line_ends};
use crate::error::ErrorKind;
use crate::search_budget::Probe;

/// The first bytes of a frame.
pub(crate) const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The first byte of the skippable frame that holds the dictionary; any of 0x50 to 0x5f is skipped.
const DICTIONARY: u8 = 0x5d;

/// The last three bytes of the magic of skippable frames.
const SKIPPABLE: [u8; 3] = [0x2a, 0x4d, 0x18];

/// The largest dictionary we load, packed or not.
const MAX_DICTIONARY_BYTES: usize = 32 << 20;

/// The largest window a frame may ask for, as a power of two.
const WINDOW_LOG: u32 = 27;

/// What the decoder wants of a frame at first.
const HEADER_BYTES: usize = 5;

/// Bytes of an input that are enough to prove a frame: its header and one block.
pub(crate) const PROOF_BYTES: usize = (128 << 10) + 64;

/// Decoded bytes by which a frame is proven.
const PROOF_TEXT_BYTES: usize = 64;

/// The largest block, packed or not.
pub(crate) const MAX_BLOCK_BYTES: usize = 128 << 10;

/// How far behind a dictionary frames are followed that seem to begin in it.
const FOLLOWED_BYTES: usize = 4 << 20;

/// What may stand at the border of frames.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Border {
    /// A frame of data.
    Frame,
    /// A skippable frame of so many bytes, with its header of eight.
    Skippable(u64),
    /// The input ends within the header of a frame.
    Cut,
    /// No frame.
    Other,
}

/// Tells what begins with `bytes`, of which there are eight unless the input ends.
pub(crate) fn border(bytes: &[u8]) -> Border {
    if bytes.starts_with(&MAGIC) {
        return Border::Frame;
    }
    let skippable = bytes.first().is_some_and(|first| first & 0xf0 == 0x50)
        && SKIPPABLE.starts_with(&bytes[1..bytes.len().min(4)]);
    if skippable && bytes.len() >= 8 {
        let size = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
        Border::Skippable(8 + u64::from(size))
    } else if skippable || MAGIC.starts_with(bytes) {
        Border::Cut
    } else {
        Border::Other
    }
}

/// Returns whether the frame with this head ends with a checksum of its content ([RFC 8878 §3.1.1.1.1]).
///
/// [RFC 8878 §3.1.1.1.1]: https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1.1.1
pub(crate) fn has_checksum(head: &[u8]) -> bool {
    const CONTENT_CHECKSUM: u8 = 4;
    head.get(4)
        .is_some_and(|descriptor| descriptor & CONTENT_CHECKSUM != 0)
}

/// Whether an input with this head is zstd.
pub(crate) fn may_begin(head: &[u8]) -> bool {
    border(head) != Border::Other
}

/// Decodes frames piece by piece; one context serves all inputs of a reader.
pub(crate) struct Frames {
    context: Option<DCtx<'static>>,
    /// How many bytes the decoder wants next; 0 at the end of the frame.
    hint: usize,
    /// Whether the last turn filled its output, so that more may wait in the decoder.
    pending: bool,
    /// Offset of the end of the last block that was begun.
    reached: u64,
    /// The end of the dictionary at the head of the input, if there is one.
    dictionary_end: Option<u64>,
    /// Decoded bytes of a probe.
    probed: Vec<u8>,
}

impl Frames {
    /// Without a context: that is made with the first input that needs it.
    pub(crate) fn new() -> Frames {
        Frames {
            context: None,
            hint: 0,
            pending: false,
            reached: 0,
            dictionary_end: None,
            probed: Vec::new(),
        }
    }

    /// Returns where the dictionary of the input ends: with its frame, or where the first frame
    /// begins that its damaged length hides.
    pub(crate) fn dictionary_end(&self) -> Option<u64> {
        self.dictionary_end
    }

    /// Returns the offset of the end of the last block that was begun.
    pub(crate) fn reached(&self) -> u64 {
        self.reached
    }

    /// Makes ready for an input and loads its dictionary, if it has one.
    ///
    /// The window stands at the start of the input, and does so again after this.
    pub(crate) fn open(&mut self, window: &mut Window) -> io::Result<Result<(), ErrorKind>> {
        self.dictionary_end = None;
        let context = self.context.get_or_insert_with(DCtx::create);
        let ready = context
            .reset(ResetDirective::SessionAndParameters)
            .and_then(|_| context.set_parameter(DParameter::WindowLogMax(WINDOW_LOG)));
        if ready.is_err() {
            return Ok(Err(ErrorKind::Corrupt));
        }
        window.fill(8)?;
        if window.unread().first() != Some(&DICTIONARY) {
            return Ok(Ok(()));
        }
        let Border::Skippable(length) = border(window.unread()) else {
            return Ok(Ok(()));
        };
        if length > MAX_DICTIONARY_BYTES as u64 {
            return Ok(Err(ErrorKind::BadDictionary));
        }
        let length = length as usize;
        if window.fill(length)? < length {
            return Ok(Err(ErrorKind::BadDictionary));
        }
        let mut end = length;
        let is_packed = window.unread()[8..].starts_with(&MAGIC);
        let content = &window.unread()[8 + usize::from(is_packed)..length];
        if memchr::memmem::find(content, &MAGIC).is_some() {
            window.fill(length + FOLLOWED_BYTES)?;
            let bytes = window.unread();
            let bytes = &bytes[..bytes.len().min(length + FOLLOWED_BYTES)];
            match hidden_frame(bytes, 8 + usize::from(is_packed)..length) {
                Ok(Some(frame)) => end = frame,
                Ok(None) => {}
                Err(kind) => return Ok(Err(kind)),
            }
        }
        self.dictionary_end = Some(end as u64);
        Ok(self.load(&window.unread()[8..end]))
    }

    /// Loads a dictionary, unpacked first if it is packed itself.
    fn load(&mut self, dictionary: &[u8]) -> Result<(), ErrorKind> {
        let context = self.context.get_or_insert_with(DCtx::create);
        let loaded = if dictionary.starts_with(&MAGIC) {
            let mut unpacked = Vec::new();
            ::zstd::stream::read::Decoder::with_buffer(dictionary)
                .and_then(|decoder| {
                    decoder
                        .take(MAX_DICTIONARY_BYTES as u64)
                        .read_to_end(&mut unpacked)
                })
                .map_err(|_| ErrorKind::BadDictionary)?;
            context.load_dictionary(&unpacked)
        } else {
            context.load_dictionary(dictionary)
        };
        loaded.map(|_| ()).map_err(|_| ErrorKind::BadDictionary)
    }

    /// Makes ready for the frame at which the window stands.
    pub(crate) fn begin(&mut self) {
        if let Some(context) = &mut self.context {
            // A reset of the session alone has no way to fail.
            let _ = context.reset(ResetDirective::SessionOnly);
        }
        self.hint = HEADER_BYTES;
        self.pending = false;
        self.reached = 0;
    }

    /// Decodes the frame at the start of `bytes` in one piece into `out`; none if that fails.
    ///
    /// Gives the bytes taken and made.
    pub(crate) fn whole(&mut self, bytes: &[u8], out: &mut [u8]) -> Option<(usize, usize)> {
        self.begin();
        match decode(self.context.as_mut()?, bytes, out) {
            (Ok(0), taken, made) => Some((taken, made)),
            _ => None,
        }
    }

    /// Decodes the next bytes of the frame into `out`, which is not empty.
    ///
    /// The decoder gets no more than it asks for, a block at a time, and gives
    /// what it holds before it gets more: on an error it does not tell what it
    /// made, and so all before the bad block has been given by then.
    pub(crate) fn feed(&mut self, window: &mut Window, out: &mut [u8]) -> io::Result<Fed> {
        let Some(context) = &mut self.context else {
            return Ok(Fed::End);
        };
        while self.hint > 0 {
            let held = if self.pending {
                0
            } else {
                self.reached = window.offset() + self.hint as u64;
                window.fill(self.hint)?.min(self.hint)
            };
            let (result, taken, made) = decode(context, &window.unread()[..held], out);
            window.consume(taken);
            match result {
                Ok(hint) => self.hint = hint,
                Err(code) => return Ok(Fed::Damaged(kind(code))),
            }
            let was_pending = std::mem::replace(&mut self.pending, made == out.len());
            if made > 0 {
                return Ok(Fed::Bytes(made));
            }
            if held == 0 && !was_pending && self.hint > 0 {
                return Ok(Fed::Damaged(ErrorKind::Truncated));
            }
        }
        Ok(Fed::End)
    }

    /// Tells whether the frame at the start of `bytes` decodes to `WARC/`.
    ///
    /// [`PROOF_BYTES`] suffice; what was begun before is lost. Blocks are decoded one by one, and
    /// whole, so that the work is counted as it is done.
    pub(crate) fn probe(&mut self, bytes: &[u8]) -> Probe {
        self.begin();
        let Some(context) = &mut self.context else {
            return Probe::new(false, 0, 0);
        };
        self.probed.resize(MAX_BLOCK_BYTES + PROOF_TEXT_BYTES, 0);
        let bytes = &bytes[..bytes.len().min(PROOF_BYTES)];
        let (mut taken, mut made, mut wanted) = (0, 0, HEADER_BYTES);
        while made < PROOF_TEXT_BYTES && wanted > 0 {
            let block = &bytes[taken..bytes.len().min(taken + wanted)];
            let (result, took, gave) = decode(context, block, &mut self.probed[made..]);
            taken += took;
            made += gave;
            match result {
                Ok(hint) => wanted = hint,
                Err(_) => return Probe::new(false, taken + block.len(), made).failed(),
            }
            if took == 0 && gave == 0 {
                break;
            }
        }
        let text = &self.probed[..made.min(PROOF_TEXT_BYTES)];
        Probe::new(begins_record(skip_line_ends(text)), taken, made)
    }
}

/// One turn of the decoder: what it says, the bytes taken and the bytes made.
fn decode(
    context: &mut DCtx<'static>,
    bytes: &[u8],
    out: &mut [u8],
) -> (Result<usize, usize>, usize, usize) {
    let mut input = InBuffer::around(bytes);
    let mut output = OutBuffer::around(out);
    let result = context.decompress_stream(&mut output, &mut input);
    (result, input.pos(), output.pos())
}

/// The sort of a fault that libzstd reports.
fn kind(code: usize) -> ErrorKind {
    if zstd_safe::get_error_name(code).contains("checksum") {
        ErrorKind::Checksum
    } else {
        ErrorKind::Corrupt
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{skippable, zstd};

    fn decode_all(bytes: &[u8]) -> (Vec<u8>, Fed) {
        let mut window = Window::new(0);
        window.open_stream(Box::new(io::Cursor::new(bytes.to_vec())));
        let mut frames = Frames::new();
        frames.open(&mut window).unwrap().unwrap();
        frames.begin();
        let mut all = Vec::new();
        loop {
            let mut out = [0; 10];
            match frames.feed(&mut window, &mut out).unwrap() {
                Fed::Bytes(count) => all.extend_from_slice(&out[..count]),
                other => return (all, other),
            }
        }
    }

    #[test]
    fn a_frame_is_decoded_piece_by_piece() {
        let text = b"WARC/1.0 and so on, and so on, and so on".repeat(9);
        let mut bytes = zstd(&text, &[]);
        let length = bytes.len();
        bytes.extend_from_slice(b"rest");
        assert_eq!(decode_all(&bytes), (text, Fed::End));
        for cut in 0..length {
            let fed = decode_all(&bytes[..cut]).1;
            assert_eq!(fed, Fed::Damaged(ErrorKind::Truncated), "{cut}");
        }
        bytes[length - 1] ^= 1;
        assert_eq!(decode_all(&bytes).1, Fed::Damaged(ErrorKind::Checksum));
    }

    #[test]
    fn borders_are_told_apart() {
        assert_eq!(border(&zstd(b"x", &[])), Border::Frame);
        assert_eq!(border(&skippable(0x5d, b"abc")), Border::Skippable(11));
        assert_eq!(border(&skippable(0x50, b"")), Border::Skippable(8));
        assert_eq!(border(b"\x5d\x2a\x4d\x18\x01"), Border::Cut);
        assert_eq!(border(b"\x28\xb5"), Border::Cut);
        assert_eq!(border(b"\x5d\x2a\x4d\x19\0\0\0\0"), Border::Other);
    }

    #[test]
    fn a_proof_needs_the_five_octets() {
        let mut frames = Frames::new();
        frames.open(&mut Window::new(0)).unwrap().unwrap();
        assert!(frames.probe(&zstd(b"WARC/1.0\r\n", &[])).is_record);
        assert!(!frames.probe(&zstd(b"WARP/1.0\r\n", &[])).is_record);
        assert!(!frames.probe(b"\x28\xb5\x2f\xfd\0\0\0").is_record);
    }
}

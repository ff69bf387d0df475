//! Decompression of zstd frames, with the dictionary at the start of an archive
//! ([Zstandard compression of WARC]).
//!
//! [Zstandard compression of WARC]: https://iipc.github.io/warc-specifications/specifications/warc-zstd/

use std::io::{self, Read as _};

use ::zstd::zstd_safe::{self, DCtx, DParameter, InBuffer, OutBuffer, ResetDirective};

use super::DecodeStep;
use super::source::ArchiveSource;
use super::zstd_frame::{FrameStart, MAGIC, MAX_BLOCK_BYTES, find_hidden_frame, parse_frame_start};
use crate::error::ErrorKind;
use crate::record_start::{is_record_start, trim_leading_line_ends};
use crate::search_budget::Probe;

/// The first byte of the skippable frame that holds the dictionary.
const DICTIONARY_FRAME_FIRST_BYTE: u8 = 0x5d;

/// The largest dictionary, before and after it is decompressed.
const MAX_DICTIONARY_BYTES: usize = 32 << 20;

/// The largest window of a frame, as a power of two.
const MAX_WINDOW_LOG: u32 = 27;

/// The number of bytes that are passed to libzstd first, at the start of a frame.
const FRAME_HEADER_BYTES: usize = 5;

/// The number of bytes that a probe needs: the frame header and one block.
pub(crate) const PROBE_BYTES: usize = (128 << 10) + 64;

/// The number of decompressed bytes in which a probe looks for a record.
const PROBE_DECODED_BYTES: usize = 64;

/// The number of bytes after the dictionary frame up to which the frames that it may hide are
/// followed: see [`find_hidden_frame`].
const HIDDEN_FRAME_SEARCH_BYTES: usize = 4 << 20;

/// Returns the length in bytes of the dictionary frame at the start of a zstd archive, of which at least 8
/// bytes are known; `None` for an archive without a dictionary.
pub fn dictionary_frame_bytes(head: &[u8]) -> Option<u64> {
    if head.first() != Some(&DICTIONARY_FRAME_FIRST_BYTE) {
        return None;
    }
    match parse_frame_start(head) {
        FrameStart::Skippable(length) => {
            Some(length).filter(|length| *length <= MAX_DICTIONARY_BYTES as u64)
        }
        _ => None,
    }
}

/// Decompresses frames. One decompression context serves all inputs of a reader.
pub(crate) struct ZstdDecoder {
    context: Option<DCtx<'static>>,
    /// The number of bytes to pass to the context next, or 0 at the end of the frame.
    wanted_bytes: usize,
    /// True if the last call filled its output, so that the context may hold more.
    has_pending_output: bool,
    /// The offset of the end of the last block that was started.
    last_block_end: u64,
    /// The end of the dictionary at the start of the input, if there is one.
    dictionary_end: Option<u64>,
    /// The decompressed bytes of a probe.
    probe_buffer: Vec<u8>,
}

/// The result of one call of libzstd.
struct ZstdCallResult {
    /// The number of bytes to pass to the context next (0 at the end of the frame), or an error code.
    result: Result<usize, usize>,
    consumed: usize,
    decoded: usize,
}

impl ZstdDecoder {
    /// Returns a decoder without a context. The context is allocated with the first zstd input.
    pub(crate) fn new() -> ZstdDecoder {
        ZstdDecoder {
            context: None,
            wanted_bytes: 0,
            has_pending_output: false,
            last_block_end: 0,
            dictionary_end: None,
            probe_buffer: Vec::new(),
        }
    }

    /// Returns the end of the dictionary at the start of the input: the end of its frame, or the
    /// start of the first frame that the wrong length of its frame hides.
    pub(crate) fn dictionary_end(&self) -> Option<u64> {
        self.dictionary_end
    }

    /// Returns the offset of the end of the last block that was started.
    pub(crate) fn last_block_end(&self) -> u64 {
        self.last_block_end
    }

    /// Prepares for a new input and loads its dictionary, if it has one.
    ///
    /// The source must be at the start of the input. Its position does not change.
    pub(crate) fn open(&mut self, source: &mut ArchiveSource) -> io::Result<Result<(), ErrorKind>> {
        self.dictionary_end = None;
        let context = self.context.get_or_insert_with(DCtx::create);
        let reset = context
            .reset(ResetDirective::SessionAndParameters)
            .and_then(|_| context.set_parameter(DParameter::WindowLogMax(MAX_WINDOW_LOG)));
        if reset.is_err() {
            return Ok(Err(ErrorKind::Corrupt));
        }
        source.fill(8)?;
        if source.unread().first() != Some(&DICTIONARY_FRAME_FIRST_BYTE) {
            return Ok(Ok(()));
        }
        let FrameStart::Skippable(length) = parse_frame_start(source.unread()) else {
            return Ok(Ok(()));
        };
        if length > MAX_DICTIONARY_BYTES as u64 {
            return Ok(Err(ErrorKind::BadDictionary));
        }
        let length = length as usize;
        if source.fill(length)? < length {
            return Ok(Err(ErrorKind::BadDictionary));
        }
        let mut end = length;
        let is_compressed = source.unread()[8..].starts_with(&MAGIC);
        // The magic number of a compressed dictionary does not start a hidden frame.
        let content_start = 8 + usize::from(is_compressed);
        let content = &source.unread()[content_start..length];
        if memchr::memmem::find(content, &MAGIC).is_some() {
            source.fill(length + HIDDEN_FRAME_SEARCH_BYTES)?;
            let bytes = source.unread();
            let bytes = &bytes[..bytes.len().min(length + HIDDEN_FRAME_SEARCH_BYTES)];
            match find_hidden_frame(bytes, content_start..length) {
                Ok(Some(hidden_start)) => end = hidden_start,
                Ok(None) => {}
                Err(kind) => return Ok(Err(kind)),
            }
        }
        self.dictionary_end = Some(end as u64);
        Ok(self.load_dictionary(&source.unread()[8..end]))
    }

    /// Loads a dictionary, which is decompressed first if necessary.
    fn load_dictionary(&mut self, dictionary: &[u8]) -> Result<(), ErrorKind> {
        let context = self.context.get_or_insert_with(DCtx::create);
        let loaded = if dictionary.starts_with(&MAGIC) {
            let mut decoded = Vec::new();
            ::zstd::stream::read::Decoder::with_buffer(dictionary)
                .and_then(|decoder| {
                    decoder
                        .take(MAX_DICTIONARY_BYTES as u64)
                        .read_to_end(&mut decoded)
                })
                .map_err(|_| ErrorKind::BadDictionary)?;
            context.load_dictionary(&decoded)
        } else {
            context.load_dictionary(dictionary)
        };
        loaded.map(|_| ()).map_err(|_| ErrorKind::BadDictionary)
    }

    /// Starts the frame at the position of the source.
    pub(crate) fn start(&mut self) {
        if let Some(context) = &mut self.context {
            // Resetting only the session cannot fail.
            let _ = context.reset(ResetDirective::SessionOnly);
        }
        self.wanted_bytes = FRAME_HEADER_BYTES;
        self.has_pending_output = false;
        self.last_block_end = 0;
    }

    /// Decompresses the frame at the start of `bytes` into `out` in one call.
    ///
    /// Returns the numbers of compressed and decompressed bytes, or `None` if the frame is damaged
    /// or does not fit into `out`.
    pub(crate) fn decode_whole_frame(
        &mut self,
        bytes: &[u8],
        out: &mut [u8],
    ) -> Option<(usize, usize)> {
        self.start();
        let call = decompress(self.context.as_mut()?, bytes, out);
        (call.result == Ok(0)).then_some((call.consumed, call.decoded))
    }

    /// Decompresses the next bytes of the frame into `out`, which must not be empty.
    ///
    /// The context gets at most one block at a time, and returns all of its output before it gets
    /// more input. After an error, libzstd does not report what it produced. This way, everything
    /// before a damaged block has been returned by then.
    pub(crate) fn decode(
        &mut self,
        source: &mut ArchiveSource,
        out: &mut [u8],
    ) -> io::Result<DecodeStep> {
        let Some(context) = &mut self.context else {
            return Ok(DecodeStep::End);
        };
        while self.wanted_bytes > 0 {
            let input_len = if self.has_pending_output {
                0
            } else {
                self.last_block_end = source.offset() + self.wanted_bytes as u64;
                source.fill(self.wanted_bytes)?.min(self.wanted_bytes)
            };
            let call = decompress(context, &source.unread()[..input_len], out);
            source.consume(call.consumed);
            match call.result {
                Ok(wanted) => self.wanted_bytes = wanted,
                Err(code) => return Ok(DecodeStep::Damaged(error_kind_from_code(code))),
            }
            let is_full = call.decoded == out.len();
            let had_pending_output = std::mem::replace(&mut self.has_pending_output, is_full);
            if call.decoded > 0 {
                return Ok(DecodeStep::Bytes(call.decoded));
            }
            if input_len == 0 && !had_pending_output && self.wanted_bytes > 0 {
                return Ok(DecodeStep::Damaged(ErrorKind::Truncated));
            }
        }
        Ok(DecodeStep::End)
    }

    /// Probes whether the frame at the start of `bytes` decompresses to `WARC/`.
    ///
    /// [`PROBE_BYTES`] are enough. Ends the decoding of a frame that was started before. Whole blocks
    /// are decompressed one by one, so that the work can be counted.
    pub(crate) fn probe(&mut self, bytes: &[u8]) -> Probe {
        self.start();
        let Some(context) = &mut self.context else {
            return Probe::new(false, 0, 0);
        };
        self.probe_buffer
            .resize(MAX_BLOCK_BYTES + PROBE_DECODED_BYTES, 0);
        let bytes = &bytes[..bytes.len().min(PROBE_BYTES)];
        let (mut consumed, mut decoded, mut wanted) = (0, 0, FRAME_HEADER_BYTES);
        while decoded < PROBE_DECODED_BYTES && wanted > 0 {
            let block = &bytes[consumed..bytes.len().min(consumed + wanted)];
            let call = decompress(context, block, &mut self.probe_buffer[decoded..]);
            consumed += call.consumed;
            decoded += call.decoded;
            match call.result {
                Ok(more) => wanted = more,
                Err(_) => return Probe::new(false, consumed + block.len(), decoded).into_failed(),
            }
            if call.consumed == 0 && call.decoded == 0 {
                break;
            }
        }
        let start = &self.probe_buffer[..decoded.min(PROBE_DECODED_BYTES)];
        Probe::new(
            is_record_start(trim_leading_line_ends(start)),
            consumed,
            decoded,
        )
    }
}

/// Calls libzstd once.
fn decompress(context: &mut DCtx<'static>, bytes: &[u8], out: &mut [u8]) -> ZstdCallResult {
    let mut input = InBuffer::around(bytes);
    let mut output = OutBuffer::around(out);
    let result = context.decompress_stream(&mut output, &mut input);
    ZstdCallResult {
        result,
        consumed: input.pos(),
        decoded: output.pos(),
    }
}

/// Returns the kind of fault for an error code of libzstd.
fn error_kind_from_code(code: usize) -> ErrorKind {
    if zstd_safe::get_error_name(code).contains("checksum") {
        ErrorKind::Checksum
    } else {
        ErrorKind::Corrupt
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::zstd;

    fn decode_all(bytes: &[u8]) -> (Vec<u8>, DecodeStep) {
        let mut source = ArchiveSource::new(0);
        source.open_stream(Box::new(io::Cursor::new(bytes.to_vec())));
        let mut decoder = ZstdDecoder::new();
        decoder.open(&mut source).unwrap().unwrap();
        decoder.start();
        let mut all = Vec::new();
        loop {
            let mut out = [0; 10];
            match decoder.decode(&mut source, &mut out).unwrap() {
                DecodeStep::Bytes(count) => all.extend_from_slice(&out[..count]),
                other => return (all, other),
            }
        }
    }

    #[test]
    fn a_frame_is_decompressed_step_by_step() {
        let text = b"WARC/1.0 and so on, and so on, and so on".repeat(9);
        let mut bytes = zstd(&text, &[]);
        let length = bytes.len();
        bytes.extend_from_slice(b"rest");
        assert_eq!(decode_all(&bytes), (text, DecodeStep::End));
        for cut in 0..length {
            let step = decode_all(&bytes[..cut]).1;
            assert_eq!(step, DecodeStep::Damaged(ErrorKind::Truncated), "{cut}");
        }
        bytes[length - 1] ^= 1;
        assert_eq!(
            decode_all(&bytes).1,
            DecodeStep::Damaged(ErrorKind::Checksum)
        );
    }

    #[test]
    fn a_probe_needs_the_five_octets_of_the_word() {
        let mut decoder = ZstdDecoder::new();
        decoder.open(&mut ArchiveSource::new(0)).unwrap().unwrap();
        assert!(decoder.probe(&zstd(b"WARC/1.0\r\n", &[])).is_record);
        assert!(!decoder.probe(&zstd(b"WARP/1.0\r\n", &[])).is_record);
        assert!(!decoder.probe(b"\x28\xb5\x2f\xfd\0\0\0").is_record);
    }
}

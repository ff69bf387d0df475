//! The decoder of an archive: its bytes, and the decompressor for its compression.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::gzip::{self, GzipDecoder};
use super::source::ArchiveSource;
use super::zstd::{self, ZstdDecoder};
use super::zstd_frame;
use super::{Compression, DecodeStep};
use crate::error::{Error, ErrorKind};
use crate::search_budget::{Probe, SearchBudget};

/// The largest zstd frame, in compressed bytes, that is decompressed in one call.
const MAX_WHOLE_FRAME_COMPRESSED_BYTES: usize = 256 << 10;

/// The number of decompressed bytes of a member from which on [`MAX_DECOMPRESSION_RATIO`] applies.
/// Deflate cannot reach that ratio. Zstd reaches 32,768.
const RATIO_CHECK_START_BYTES: u64 = 256 << 20;

/// The largest ratio of decompressed to compressed bytes of a member.
const MAX_DECOMPRESSION_RATIO: u64 = 1100;

/// The ratio of a frame is checked at multiples of this number of decompressed bytes.
const RATIO_CHECK_STEP_BYTES: u64 = 1 << 20;

/// The buffer size for a member that is decompressed only to verify its checksum.
const VERIFY_BUFFER_BYTES: usize = 64 << 10;

/// Decodes the inputs of a reader, in any compression.
pub(crate) struct Decoder {
    pub(crate) source: ArchiveSource,
    pub(crate) budget: SearchBudget,
    pub(crate) compression: Compression,
    gzip: GzipDecoder,
    zstd: ZstdDecoder,
    /// The offset of the member or frame that is decompressed step by step.
    member_offset: u64,
    /// The number of decompressed bytes that this member has produced.
    decoded_bytes: u64,
    /// A buffer for decompressed bytes that are not used.
    scratch: Vec<u8>,
    stop: Option<Arc<AtomicBool>>,
}

impl Decoder {
    /// Returns a decoder without an input. At most `max_kept_bytes` of a stream are kept so that
    /// they can be read again.
    pub(crate) fn new(max_kept_bytes: usize) -> Decoder {
        Decoder {
            source: ArchiveSource::new(max_kept_bytes),
            budget: SearchBudget::default(),
            compression: Compression::None,
            gzip: GzipDecoder::new(),
            zstd: ZstdDecoder::new(),
            member_offset: 0,
            decoded_bytes: 0,
            scratch: Vec::new(),
            stop: None,
        }
    }

    /// Makes [`verify_member_end`](Decoder::verify_member_end) fail soon after `stop` is set.
    pub(crate) fn set_stop_flag(&mut self, stop: Arc<AtomicBool>) {
        self.stop = Some(stop);
    }

    /// Starts decoding the input of the source with this compression, and loads the dictionary if
    /// there is one. The source must be at the start of the input.
    pub(crate) fn start(&mut self, compression: Compression) -> Result<(), Error> {
        self.compression = compression;
        self.budget = SearchBudget::default();
        if compression == Compression::Zstd {
            self.zstd
                .open(&mut self.source)
                .map_err(|error| Error::io(error, 0))?
                .map_err(|kind| Error::fatal(kind, 0))?;
        }
        Ok(())
    }

    /// Starts decoding, step by step, the member or frame at the position of the source.
    pub(crate) fn start_member(&mut self) {
        (self.member_offset, self.decoded_bytes) = (self.source.offset(), 0);
        match self.compression {
            Compression::None => {}
            Compression::Gzip => self.gzip.start(),
            Compression::Zstd => self.zstd.start(),
        }
    }

    /// Decompresses the zstd frame at the position of the source into `out` in one call, and
    /// returns the number of decompressed bytes.
    ///
    /// Returns `None` if the frame is damaged or too large for that. Then the source does not move.
    pub(crate) fn decode_whole_frame(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        self.source.fill(MAX_WHOLE_FRAME_COMPRESSED_BYTES)?;
        let bytes = self.source.unread();
        let bytes = &bytes[..bytes.len().min(MAX_WHOLE_FRAME_COMPRESSED_BYTES)];
        let decoded = self.zstd.decode_whole_frame(bytes, out);
        Ok(decoded.map(|(compressed_bytes, decoded_bytes)| {
            self.source.consume(compressed_bytes);
            decoded_bytes
        }))
    }

    /// Decodes the next bytes into `out`, which must not be empty. Returns damage for a decompression bomb.
    pub(crate) fn decode(&mut self, out: &mut [u8]) -> io::Result<DecodeStep> {
        let step = self.decode_without_ratio_limit(out)?;
        if self.compression != Compression::None && matches!(step, DecodeStep::Bytes(_)) {
            let compressed_bytes = self.source.offset() - self.member_offset;
            let is_checked = self.decoded_bytes.is_multiple_of(RATIO_CHECK_STEP_BYTES)
                && self.decoded_bytes >= RATIO_CHECK_START_BYTES;
            if is_checked && self.decoded_bytes / MAX_DECOMPRESSION_RATIO > compressed_bytes {
                return Ok(DecodeStep::Damaged(ErrorKind::Bomb));
            }
        }
        Ok(step)
    }

    /// Decodes the next bytes into `out` without a limit on the ratio.
    fn decode_without_ratio_limit(&mut self, out: &mut [u8]) -> io::Result<DecodeStep> {
        let step = match self.compression {
            Compression::None => match self.source.read(out)? {
                0 => DecodeStep::End,
                count => DecodeStep::Bytes(count),
            },
            Compression::Gzip => self.gzip.decode(&mut self.source, out)?,
            Compression::Zstd => {
                // Steps end at multiples of `RATIO_CHECK_STEP_BYTES`, so that a bomb is detected at a
                // position that depends on the frame alone.
                let max = RATIO_CHECK_STEP_BYTES - self.decoded_bytes % RATIO_CHECK_STEP_BYTES;
                let count = out.len().min(max as usize);
                self.zstd.decode(&mut self.source, &mut out[..count])?
            }
        };
        if let DecodeStep::Bytes(count) = step {
            self.decoded_bytes += count as u64;
        }
        Ok(step)
    }

    /// Decodes the rest of the member or frame only to verify its end, returns whether it is
    /// valid, and restores the position.
    ///
    /// Returns `None` if the input is a stream and the member is longer than the part of the
    /// stream that is kept. The cost is that of decoding the member once more. Memory use does not
    /// grow.
    ///
    /// # Errors
    ///
    /// Errors of the input, and [`io::ErrorKind::Interrupted`] after the stop flag is set.
    pub(crate) fn verify_member_end(&mut self) -> io::Result<Option<bool>> {
        if !self.source.hold_bytes_from(self.member_offset) {
            return Ok(None);
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.resize(VERIFY_BUFFER_BYTES, 0);
        let start_position = self.decoded_bytes;
        let end = loop {
            self.check_stop_flag()?;
            match self.decode(&mut scratch)? {
                DecodeStep::Bytes(_) => {}
                end => break end,
            }
        };
        let is_at_limit = self.source.release_held_bytes();
        self.source.seek(self.member_offset)?;
        self.start_member();
        while self.decoded_bytes < start_position {
            self.check_stop_flag()?;
            let remaining =
                usize::try_from(start_position - self.decoded_bytes).unwrap_or(usize::MAX);
            let count = remaining.min(scratch.len());
            let step = self.decode_without_ratio_limit(&mut scratch[..count])?;
            if !matches!(step, DecodeStep::Bytes(_)) {
                // The file has changed since it was read.
                break;
            }
        }
        self.scratch = scratch;
        Ok(match end {
            DecodeStep::Damaged(ErrorKind::Truncated) if is_at_limit => None,
            end => Some(end == DecodeStep::End),
        })
    }

    fn check_stop_flag(&self) -> io::Result<()> {
        match &self.stop {
            Some(stop) if stop.load(Ordering::Relaxed) => Err(io::ErrorKind::Interrupted.into()),
            _ => Ok(()),
        }
    }

    /// Returns the first bytes of a member or frame.
    pub(crate) fn magic(&self) -> &'static [u8] {
        match self.compression {
            Compression::Zstd => &zstd_frame::MAGIC,
            _ => &gzip::MAGIC,
        }
    }

    /// Returns the number of bytes that [`probe`](Decoder::probe) needs.
    pub(crate) fn probe_bytes(&self) -> usize {
        match self.compression {
            Compression::Zstd => zstd::PROBE_BYTES,
            _ => gzip::PROBE_BYTES,
        }
    }

    /// Probes whether the member or frame at the position of the source decompresses to `WARC/`.
    pub(crate) fn probe(&mut self) -> Probe {
        match self.compression {
            Compression::None => Probe::new(false, 0, 0),
            Compression::Gzip => self.gzip.probe(self.source.unread()),
            Compression::Zstd => self.zstd.probe(self.source.unread()),
        }
    }

    /// Counts the work of the last member or frame, which failed.
    pub(crate) fn count_failed_member(&mut self) {
        let compressed = match self.compression {
            Compression::None => 0,
            Compression::Gzip => self.gzip.compressed_bytes_read(),
            Compression::Zstd => self
                .zstd
                .last_block_end()
                .saturating_sub(self.member_offset),
        };
        self.budget
            .add_failed_member(self.member_offset, compressed, self.decoded_bytes);
    }

    /// Returns the end of the dictionary at the start of the input, if it has one.
    pub(crate) fn dictionary_end(&self) -> Option<u64> {
        match self.compression {
            Compression::Zstd => self.zstd.dictionary_end(),
            _ => None,
        }
    }
}

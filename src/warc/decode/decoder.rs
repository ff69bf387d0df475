//! An input with its decoders: where decoded bytes come from.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::compression::Compression;
use crate::decode::gzip::{self, Inflate};
use crate::decode::source::Window;
use crate::decode::zstd::{self, Frames};
use crate::detect::{SEARCHED_BYTES, detect};
use crate::error::{Error, ErrorKind};
use crate::search_budget::{Probe, SearchBudget};

/// Bytes by which a compression is told, unless the beginning of the input is damaged.
const HEAD_BYTES: usize = 512;

/// The largest zstd frame, in its packed form, that is decoded in one piece.
const FRAME_BYTES: usize = 256 << 10;

/// Decoded bytes of a member or frame from which on it must not be so many for
/// each packed byte. Deflate cannot come to [`RATIO_MAX`]; zstd comes to 32,768.
const RATIO_FROM_BYTES: u64 = 256 << 20;

/// The ratio of a frame is checked at multiples of so many decoded bytes.
const FEED_BYTES: u64 = 1 << 20;

/// Decoded bytes for each packed one, at most.
const RATIO_MAX: u64 = 1100;

/// Decoded bytes at once of a member that is decoded for its checksum only.
const VERIFY_BYTES: usize = 64 << 10;

/// What a decoder gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fed {
    /// So many bytes, at least one.
    Bytes(usize),
    /// The member, frame or plain input is over and sound.
    End,
    /// The member or frame cannot be decoded further.
    Damaged(ErrorKind),
}

/// An open input, its window and the decoders over it.
pub(crate) struct Input {
    pub(crate) window: Window,
    pub(crate) budget: SearchBudget,
    pub(crate) compression: Compression,
    inflate: Inflate,
    frames: Frames,
    /// Where the member or frame began that is decoded piece by piece.
    member: u64,
    /// Bytes that were made of it.
    made: u64,
    /// Decoded bytes that nobody reads.
    scratch: Vec<u8>,
    stop: Option<Arc<AtomicBool>>,
}

impl Input {
    /// No input yet; `keep_bytes` bounds what is held of a stream to search it again.
    pub(crate) fn new(keep_bytes: usize) -> Input {
        Input {
            window: Window::new(keep_bytes),
            budget: SearchBudget::default(),
            compression: Compression::None,
            inflate: Inflate::new(),
            frames: Frames::new(),
            member: 0,
            made: 0,
            scratch: Vec::new(),
            stop: None,
        }
    }

    /// Ends [`verify_rest`](Input::verify_rest) with an error soon after `stop` is set.
    pub(crate) fn set_stop(&mut self, stop: Arc<AtomicBool>) {
        self.stop = Some(stop);
    }

    /// Opens a regular file, tells its compression and stands at its start.
    pub(crate) fn open_file(&mut self, file: File, length: u64) -> Result<(), Error> {
        self.window.open_file(file, length);
        self.begin()
    }

    /// Opens a regular file to read a slice of it: of its head no more is read than is needed.
    ///
    /// `known` is its compression, if that was told before. The caller says where the slice ends.
    pub(crate) fn open_slice(
        &mut self,
        file: File,
        length: u64,
        known: Option<Compression>,
    ) -> Result<(), Error> {
        self.window.open_file(file, length);
        self.window.end_slice_at(HEAD_BYTES as u64);
        match known {
            Some(compression) => {
                self.compression = compression;
                self.begin_decoding()
            }
            None => self.begin(),
        }
    }

    /// Opens a stream, tells its compression and stands at its start.
    pub(crate) fn open_stream(&mut self, stream: Box<dyn Read + Send>) -> Result<(), Error> {
        self.window.open_stream(stream);
        self.begin()
    }

    fn begin(&mut self) -> Result<(), Error> {
        self.window
            .fill(HEAD_BYTES)
            .map_err(|error| Error::io(error, 0))?;
        self.compression = match detect(self.window.unread()) {
            Err(error) if error.kind() == ErrorKind::NotAnArchive => {
                self.window
                    .fill(SEARCHED_BYTES)
                    .map_err(|error| Error::io(error, 0))?;
                let held = self.window.unread();
                detect(&held[..held.len().min(SEARCHED_BYTES)])?
            }
            told => told?,
        };
        self.begin_decoding()
    }

    /// Begins a search budget, and loads the dictionary of an input that may have one.
    fn begin_decoding(&mut self) -> Result<(), Error> {
        self.budget = SearchBudget::default();
        if self.compression == Compression::Zstd {
            self.frames
                .open(&mut self.window)
                .map_err(|error| Error::io(error, 0))?
                .map_err(|kind| Error::fatal(kind, 0))?;
        }
        Ok(())
    }

    /// Makes ready to decode, piece by piece, what begins where the window stands.
    pub(crate) fn begin_member(&mut self) {
        (self.member, self.made) = (self.window.offset(), 0);
        match self.compression {
            Compression::None => {}
            Compression::Gzip => self.inflate.begin(),
            Compression::Zstd => self.frames.begin(),
        }
    }

    /// Decodes the zstd frame at the window in one piece into `out` and returns what it made.
    ///
    /// None if the frame is too large for that, or damaged; the window then stands where it did.
    pub(crate) fn whole_frame(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        self.window.fill(FRAME_BYTES)?;
        let packed = self.window.unread();
        let packed = &packed[..packed.len().min(FRAME_BYTES)];
        Ok(self.frames.whole(packed, out).map(|(taken, made)| {
            self.window.consume(taken);
            made
        }))
    }

    /// Decodes the next bytes into `out`, which is not empty.
    pub(crate) fn feed(&mut self, out: &mut [u8]) -> io::Result<Fed> {
        let fed = self.decode(out)?;
        if self.compression != Compression::None && matches!(fed, Fed::Bytes(_)) {
            let packed = self.window.offset() - self.member;
            let is_step = self.made.is_multiple_of(FEED_BYTES);
            if is_step && self.made >= RATIO_FROM_BYTES && self.made / RATIO_MAX > packed {
                return Ok(Fed::Damaged(ErrorKind::Bomb));
            }
        }
        Ok(fed)
    }

    /// Decodes the next bytes into `out`, however many were made of how few.
    fn decode(&mut self, out: &mut [u8]) -> io::Result<Fed> {
        let fed = match self.compression {
            Compression::None => match self.window.read(out)? {
                0 => Fed::End,
                count => Fed::Bytes(count),
            },
            Compression::Gzip => self.inflate.feed(&mut self.window, out)?,
            Compression::Zstd => {
                // A bomb is detected at a place that depends on the frame alone.
                let step = FEED_BYTES - self.made % FEED_BYTES;
                let count = out.len().min(step as usize);
                self.frames.feed(&mut self.window, &mut out[..count])?
            }
        };
        if let Fed::Bytes(count) = fed {
            self.made += count as u64;
        }
        Ok(fed)
    }

    /// Decodes the rest of the member or frame for its end alone and returns whether that is
    /// sound; then decoding stands where it did.
    ///
    /// `None` if the input is a stream and the member is longer than what is kept of it.
    /// The cost is the time to decode the member once more. Memory stays as it is.
    ///
    /// # Errors
    ///
    /// Those of the input, and [`io::ErrorKind::Interrupted`] once the run is to stop.
    pub(crate) fn verify_rest(&mut self) -> io::Result<Option<bool>> {
        if !self.window.hold(self.member) {
            return Ok(None);
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.resize(VERIFY_BYTES, 0);
        let made = self.made;
        let end = loop {
            self.check_stop()?;
            match self.feed(&mut scratch)? {
                Fed::Bytes(_) => {}
                end => break end,
            }
        };
        let is_cut = self.window.release();
        self.window.seek(self.member)?;
        self.begin_member();
        while self.made < made {
            self.check_stop()?;
            let left = usize::try_from(made - self.made).unwrap_or(usize::MAX);
            let count = left.min(scratch.len());
            if !matches!(self.decode(&mut scratch[..count])?, Fed::Bytes(_)) {
                // The file is not what it was a moment ago.
                break;
            }
        }
        self.scratch = scratch;
        Ok(match end {
            Fed::Damaged(ErrorKind::Truncated) if is_cut => None,
            end => Some(end == Fed::End),
        })
    }

    fn check_stop(&self) -> io::Result<()> {
        match &self.stop {
            Some(stop) if stop.load(Ordering::Relaxed) => Err(io::ErrorKind::Interrupted.into()),
            _ => Ok(()),
        }
    }

    /// The first bytes of a member or frame, and how many bytes prove one.
    pub(crate) fn magic(&self) -> (&'static [u8], usize) {
        match self.compression {
            Compression::Zstd => (&zstd::MAGIC, zstd::PROOF_BYTES),
            _ => (&gzip::MAGIC, gzip::PROOF_BYTES),
        }
    }

    /// Tells whether the member or frame at which the window stands decodes to `WARC/`.
    pub(crate) fn probe(&mut self) -> Probe {
        match self.compression {
            Compression::None => Probe::new(false, 0, 0),
            Compression::Gzip => self.inflate.probe(self.window.unread()),
            Compression::Zstd => self.frames.probe(self.window.unread()),
        }
    }

    /// Counts the work of the member or frame that was decoded last, which has failed.
    pub(crate) fn add_failed_member(&mut self) {
        let packed = match self.compression {
            Compression::None => 0,
            Compression::Gzip => self.inflate.packed_bytes(),
            Compression::Zstd => self.frames.reached().saturating_sub(self.member),
        };
        self.budget.add_member(self.member, packed, self.made);
    }

    /// Returns where the dictionary at the head of the input ends, if it has one.
    pub(crate) fn dictionary_end(&self) -> Option<u64> {
        match self.compression {
            Compression::Zstd => self.frames.dictionary_end(),
            _ => None,
        }
    }
}

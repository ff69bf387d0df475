//! The bytes of an input: a file or a stream, read into one buffer that slides along.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// What is read at once, and the usual size of the buffer.
const CHUNK: usize = 1 << 20;

/// The size of slices: each boundary of a sliced file is a multiple of it.
pub const SLICE_BYTES: u64 = CHUNK as u64;

/// What is read at once behind the end of a slice, where the next slice is read too.
const STEP: usize = 64 << 10;

/// Where the bytes come from.
enum Source {
    /// No input is open.
    Nothing,
    /// A regular file, which can be read again from any offset.
    File { file: File, length: u64 },
    /// Anything that can be read once.
    Stream(Box<dyn Read + Send>),
}

/// A buffer that slides along an input.
///
/// Files are read, not mapped: a file that shrinks while we read it ends
/// early and does not kill us.
pub(crate) struct Window {
    source: Source,
    buffer: Vec<u8>,
    /// The unread bytes are `buffer[at..len]`.
    at: usize,
    len: usize,
    /// Offset of `buffer[0]` in the input.
    base: u64,
    ended: bool,
    /// In a stream, bytes from here on are held, as long as they are no more than `keep_bytes`.
    keep: Option<u64>,
    keep_bytes: usize,
    /// Offset at which a stream seems to end while its bytes are held.
    limit: Option<u64>,
    /// Bytes of the buffer behind `len` that lie beyond that limit.
    beyond: usize,
    bytes_read: u64,
    /// What lies behind it is read only as far as a member reaches into it.
    slice_end: u64,
}

impl Window {
    /// A window over nothing.
    pub(crate) fn new(keep_bytes: usize) -> Window {
        Window {
            source: Source::Nothing,
            buffer: Vec::new(),
            at: 0,
            len: 0,
            base: 0,
            ended: true,
            keep: None,
            keep_bytes,
            limit: None,
            beyond: 0,
            bytes_read: 0,
            slice_end: u64::MAX,
        }
    }

    /// Goes over to a regular file, at its start.
    pub(crate) fn open_file(&mut self, file: File, length: u64) {
        self.open(Source::File { file, length });
    }

    /// Goes over to a stream, at its start.
    pub(crate) fn open_stream(&mut self, stream: Box<dyn Read + Send>) {
        self.open(Source::Stream(stream));
    }

    /// Lets go of the input.
    pub(crate) fn close(&mut self) {
        self.open(Source::Nothing);
    }

    fn open(&mut self, source: Source) {
        self.source = source;
        (self.at, self.len, self.base) = (0, 0, 0);
        self.ended = false;
        self.keep = None;
        (self.limit, self.beyond) = (None, 0);
        self.bytes_read = 0;
        self.slice_end = u64::MAX;
    }

    /// Says where the slice of a file ends, so that little is read behind it.
    pub(crate) fn end_slice_at(&mut self, offset: u64) {
        self.slice_end = offset;
    }

    /// How many bytes may be read at once at `offset`.
    ///
    /// No read crosses the end of the slice. Behind it reads are short, and none
    /// crosses another boundary: so the bytes that are read twice because a
    /// member crosses boundaries are at most [`SLICE_BYTES`] for each.
    fn most_at(&self, offset: u64) -> usize {
        let most = match self.source {
            Source::Nothing | Source::Stream(_) => match self.limit {
                Some(limit) => limit - offset,
                None => return usize::MAX,
            },
            Source::File { .. } if offset < self.slice_end => {
                (self.slice_end - offset).min(CHUNK as u64)
            }
            Source::File { .. } => (SLICE_BYTES - offset % SLICE_BYTES).min(STEP as u64),
        };
        most as usize
    }

    /// The bytes that are held and not yet consumed.
    pub(crate) fn unread(&self) -> &[u8] {
        &self.buffer[self.at..self.len]
    }

    /// Offset of the first unread byte.
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// The length of the input, if it is known beforehand.
    pub(crate) fn length(&self) -> Option<u64> {
        match self.source {
            Source::File { length, .. } => Some(length),
            _ => None,
        }
    }

    /// Whether the input can be read again from an earlier offset.
    pub(crate) fn can_seek(&self) -> bool {
        matches!(self.source, Source::File { .. })
    }

    /// Bytes taken from the input so far, those read twice counted twice.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// Passes over `count` unread bytes.
    pub(crate) fn consume(&mut self, count: usize) {
        debug_assert!(count <= self.len - self.at);
        self.at += count;
    }

    /// Holds the bytes of a stream from the present offset on, within the bound.
    pub(crate) fn keep_from_here(&mut self) {
        if !self.can_seek() {
            self.keep = Some(self.offset());
        }
    }

    /// Makes sure that [`seek`](Window::seek) can return to `from`, where the input was
    /// [kept](Window::keep_from_here); false if it cannot.
    ///
    /// A file can always be read again. A stream seems to end, until
    /// [`release`](Window::release), at the bound up to which its bytes are kept, so that the
    /// result depends neither on the size of its reads nor on what is in the buffer.
    pub(crate) fn hold(&mut self, from: u64) -> bool {
        if self.can_seek() {
            return true;
        }
        let limit = from + self.keep_bytes as u64;
        if self.keep != Some(from) || from < self.base || self.offset() > limit {
            return false;
        }
        let end = self.base + self.len as u64;
        self.beyond = end.saturating_sub(limit) as usize;
        self.len -= self.beyond;
        self.limit = Some(limit);
        true
    }

    /// Ends [`hold`](Window::hold) and returns whether all bytes up to the limit were read.
    pub(crate) fn release(&mut self) -> bool {
        let end = self.base + self.len as u64;
        let is_cut = self.limit.take() == Some(end);
        self.len += std::mem::take(&mut self.beyond);
        is_cut
    }

    /// Reads until `count` bytes are unread or the input ends, and returns how many are.
    pub(crate) fn fill(&mut self, count: usize) -> io::Result<usize> {
        let mut count = count;
        if let Some(limit) = self.limit {
            count = count.min((limit - self.offset()) as usize);
        }
        if self.len - self.at < count && !self.ended {
            self.make_room(count);
            while self.len - self.at < count && !self.ended {
                let room = self.buffer.len() - self.len;
                let most = room.min(self.most_at(self.base + self.len as u64));
                let space = &mut self.buffer[self.len..self.len + most];
                let got = read_some(&mut self.source, space)?;
                self.len += got;
                self.bytes_read += got as u64;
                self.ended = got == 0;
            }
        }
        Ok(self.len - self.at)
    }

    /// Reads more, so that at most `most` bytes are unread, and returns how many are.
    ///
    /// What is held is doubled, but not beyond the next boundary of slices.
    pub(crate) fn grow(&mut self, most: usize) -> io::Result<usize> {
        let held = self.len - self.at;
        let end = self.base + self.len as u64;
        let wanted = match end < self.slice_end {
            true => {
                let rest = usize::try_from(self.slice_end - end).unwrap_or(usize::MAX);
                (held * 2).max(CHUNK).min(held.saturating_add(rest))
            }
            false => {
                let rest = (SLICE_BYTES - end % SLICE_BYTES) as usize;
                held + held.max(STEP).min(rest)
            }
        };
        self.fill(wanted.min(most))
    }

    /// Slides the buffer, and enlarges it where it must be.
    fn make_room(&mut self, count: usize) {
        let floor = match self.keep {
            Some(keep) if keep >= self.base && self.offset() - keep <= self.keep_bytes as u64 => {
                ((keep - self.base) as usize).min(self.at)
            }
            _ => self.at,
        };
        if self.at + count.max(CHUNK / 4) > self.buffer.len() && floor > 0 {
            self.buffer.copy_within(floor..self.len, 0);
            self.base += floor as u64;
            self.at -= floor;
            self.len -= floor;
        }
        let wanted = self.at + count;
        if wanted > self.buffer.len() || self.buffer.len() < CHUNK {
            // With room to go on: else every step would slide the whole buffer.
            let size = (wanted + CHUNK / 4).next_multiple_of(CHUNK);
            let size = size.max(self.at * 2);
            self.buffer.resize(size, 0);
        }
    }

    /// Reads into `out`, past the buffer when that is empty; 0 is the end.
    pub(crate) fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let held = self.len - self.at;
        if held > 0 {
            let count = held.min(out.len());
            out[..count].copy_from_slice(&self.buffer[self.at..self.at + count]);
            self.at += count;
            return Ok(count);
        }
        self.base += self.len as u64;
        (self.at, self.len) = (0, 0);
        let most = out.len().min(self.most_at(self.base));
        let got = read_some(&mut self.source, &mut out[..most])?;
        self.base += got as u64;
        self.bytes_read += got as u64;
        self.ended = got == 0;
        Ok(got)
    }

    /// Goes to `offset` and returns where that led.
    ///
    /// A stream goes back no further than to the first byte that is held,
    /// and not forward at all.
    pub(crate) fn seek(&mut self, offset: u64) -> io::Result<u64> {
        if offset >= self.base && offset - self.base <= self.len as u64 {
            self.at = (offset - self.base) as usize;
        } else if let Source::File { file, .. } = &mut self.source {
            file.seek(SeekFrom::Start(offset))?;
            (self.at, self.len, self.base) = (0, 0, offset);
            self.ended = false;
        } else if offset < self.base {
            self.at = 0;
        } else {
            self.at = self.len;
        }
        Ok(self.offset())
    }

    /// Reads bytes of a file from `offset` on into `out` without moving, and returns how many.
    pub(crate) fn peek(&mut self, offset: u64, out: &mut [u8]) -> io::Result<usize> {
        let end = self.base + self.len as u64;
        let mut held = 0;
        if self.can_seek() {
            self.seek_file(offset)?;
            while held < out.len() {
                let got = read_some(&mut self.source, &mut out[held..])?;
                if got == 0 {
                    break;
                }
                held += got;
            }
            self.bytes_read += held as u64;
            self.seek_file(end)?;
        }
        Ok(held)
    }

    fn seek_file(&mut self, offset: u64) -> io::Result<()> {
        if let Source::File { file, .. } = &mut self.source {
            file.seek(SeekFrom::Start(offset))?;
        }
        Ok(())
    }

    /// Passes over `count` bytes and returns whether there were as many.
    pub(crate) fn skip(&mut self, mut count: u64) -> io::Result<bool> {
        if let Some(length) = self.length() {
            let target = self.offset().saturating_add(count);
            return Ok(self.seek(target.min(length))? == target);
        }
        while count > 0 {
            let held = self.fill(1)?;
            if held == 0 {
                return Ok(false);
            }
            let step = count.min(held as u64);
            self.consume(step as usize);
            count -= step;
        }
        Ok(true)
    }
}

/// One read, tried again when a signal came in between.
fn read_some(source: &mut Source, out: &mut [u8]) -> io::Result<usize> {
    loop {
        let result = match source {
            Source::Nothing => Ok(0),
            Source::File { file, .. } => file.read(out),
            Source::Stream(stream) => stream.read(out),
        };
        match result {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that gives few bytes at a time.
    struct Drops(io::Cursor<Vec<u8>>);

    impl Read for Drops {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = out.len().min(7);
            self.0.read(&mut out[..count])
        }
    }

    fn bytes(count: usize) -> Vec<u8> {
        (0..count).map(|index| (index % 251) as u8).collect()
    }

    #[test]
    fn a_stream_goes_back_to_what_is_kept() {
        let mut window = Window::new(100);
        window.open_stream(Box::new(Drops(io::Cursor::new(bytes(400)))));
        assert_eq!(window.fill(5).unwrap(), 7);
        window.consume(5);
        window.keep_from_here();
        window.fill(30).unwrap();
        window.consume(20);
        assert_eq!(window.seek(0).unwrap(), 0);
        assert_eq!(window.seek(5).unwrap(), 5);
        assert_eq!(window.unread()[0], 5);
        assert!(window.skip(300).unwrap());
        assert_eq!(window.offset(), 305);
        assert!(!window.skip(300).unwrap());
        assert_eq!(window.offset(), 400);
    }

    #[test]
    fn no_read_crosses_a_boundary_behind_the_end_of_a_slice() {
        let mut file = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut file, &bytes(4 * CHUNK)).unwrap();
        let mut window = Window::new(0);
        window.open_file(file, 4 * CHUNK as u64);
        window.end_slice_at(CHUNK as u64);
        window.seek(5).unwrap();
        assert_eq!(window.fill(1).unwrap(), CHUNK - 5);
        window.consume(CHUNK - 6);
        // Little is held, and little more is read of the next slice.
        assert_eq!(window.fill(2).unwrap(), 1 + STEP);
        // Twice as much is wanted, and read in whole steps.
        assert_eq!(window.grow(2 * CHUNK).unwrap(), 1 + 3 * STEP);
        let mut held = 0;
        while held < CHUNK + 1 {
            let more = window.grow(2 * CHUNK).unwrap();
            assert!(held < more && more <= CHUNK + 1);
            held = more;
        }
        let held = window.grow(2 * CHUNK).unwrap();
        assert!((2 * CHUNK..2 * CHUNK + STEP).contains(&held), "{held}");
        // The bytes of a plain input are read past the buffer.
        window.seek(0).unwrap();
        window.seek(3 * CHUNK as u64 - 7).unwrap();
        assert_eq!(window.read(&mut vec![0; CHUNK]).unwrap(), 7);
    }

    #[test]
    fn a_file_goes_anywhere() {
        let mut file = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut file, &bytes(3 * CHUNK)).unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        let mut window = Window::new(0);
        window.open_file(file, 3 * CHUNK as u64);
        let far = 2 * CHUNK as u64 + 17;
        assert!(window.skip(far).unwrap());
        assert_eq!(window.fill(1).unwrap(), CHUNK - 17);
        assert_eq!(window.unread()[0], (far % 251) as u8);
        assert_eq!(window.seek(3).unwrap(), 3);
        let mut peeked = [0; 4];
        assert_eq!(window.peek(3 * CHUNK as u64 - 3, &mut peeked).unwrap(), 3);
        assert_eq!(window.offset(), 3);
        let mut out = [0; 2];
        assert_eq!((window.read(&mut out).unwrap(), out), (2, [3, 4]));
        assert!(!window.skip(u64::MAX).unwrap());
        assert_eq!(window.offset(), 3 * CHUNK as u64);
    }
}

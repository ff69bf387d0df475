//! The bytes of an archive: a file or a stream, read into one sliding buffer.

use std::io::{self, Read};

use super::enlarge;
use crate::archive_file::ArchiveFile;

/// The unit of slices in bytes: boundaries between slices of a file must be multiples of it.
///
/// [`Reader::open_slice`](crate::Reader::open_slice) reads few bytes beyond such a boundary, and the
/// work limit of searches starts again at it.
pub const SLICE_BYTES: u64 = 1 << 20;

/// The number of bytes that are read at once, and the usual size of the buffer.
const READ_BYTES: usize = SLICE_BYTES as usize;

/// The number of bytes that are read at once after the end of a slice. The reader of the next
/// slice reads them too.
const SHORT_READ_BYTES: usize = 64 << 10;

/// The input from which bytes are read.
enum InputHandle {
    /// No input is open.
    Closed,
    /// A file, which can be read from any offset.
    File {
        file: ArchiveFile,
        /// The offset of the next byte that is read.
        position: u64,
    },
    /// A stream, which can be read once.
    Stream(Box<dyn Read + Send>),
}

/// The bytes of an archive in a buffer that slides along the input.
///
/// Files are read and not memory-mapped, because a mapped file that shrinks kills the process. A
/// file that shrinks while it is read ends early.
pub(crate) struct ArchiveSource {
    input: InputHandle,
    buffer: Vec<u8>,
    /// The unread bytes are `buffer[start..end]`.
    start: usize,
    end: usize,
    /// The offset of `buffer[0]` in the input.
    base: u64,
    is_ended: bool,
    /// In a stream, the bytes from this offset on are kept, up to `max_kept_bytes`.
    kept_from: Option<u64>,
    max_kept_bytes: usize,
    /// The bound of what is read while the bytes of a stream are
    /// [held](ArchiveSource::hold_bytes_from); `None` otherwise.
    hold_limit: Option<HoldLimit>,
    bytes_read: u64,
    /// Bytes after this offset are read only as far as a member extends into them.
    slice_end: u64,
}

/// The bound at which a stream seems to end while its bytes are held.
#[derive(Clone, Copy)]
struct HoldLimit {
    /// The offset of the bound.
    offset: u64,
    /// The number of bytes in the buffer after the bound. They start at [`ArchiveSource::end`].
    bytes_beyond: usize,
}

impl ArchiveSource {
    /// Returns a source without an input.
    pub(crate) fn new(max_kept_bytes: usize) -> ArchiveSource {
        ArchiveSource {
            input: InputHandle::Closed,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            base: 0,
            is_ended: true,
            kept_from: None,
            max_kept_bytes,
            hold_limit: None,
            bytes_read: 0,
            slice_end: u64::MAX,
        }
    }

    /// Opens a file, at its start.
    pub(crate) fn open_file(&mut self, file: ArchiveFile) {
        self.open(InputHandle::File { file, position: 0 });
    }

    /// Opens a stream, at its start.
    pub(crate) fn open_stream(&mut self, stream: Box<dyn Read + Send>) {
        self.open(InputHandle::Stream(stream));
    }

    pub(crate) fn close(&mut self) {
        self.open(InputHandle::Closed);
    }

    fn open(&mut self, input: InputHandle) {
        self.input = input;
        (self.start, self.end, self.base) = (0, 0, 0);
        self.is_ended = false;
        self.kept_from = None;
        self.hold_limit = None;
        self.bytes_read = 0;
        self.slice_end = u64::MAX;
    }

    /// Sets the end of the slice that is read, so that few bytes are read after it.
    pub(crate) fn set_slice_end(&mut self, offset: u64) {
        self.slice_end = offset;
    }

    /// Returns the largest number of bytes that may be read at once at `offset`.
    ///
    /// A read never crosses the end of the slice. After it, reads are short and never cross another
    /// boundary between slices. So at most [`SLICE_BYTES`] are read twice for each boundary that a
    /// member crosses.
    fn max_read_bytes(&self, offset: u64) -> usize {
        let max = match self.input {
            InputHandle::Closed | InputHandle::Stream(_) => match self.hold_limit {
                Some(limit) => limit.offset - offset,
                None => return usize::MAX,
            },
            InputHandle::File { .. } if offset < self.slice_end => {
                (self.slice_end - offset).min(READ_BYTES as u64)
            }
            InputHandle::File { .. } => {
                (SLICE_BYTES - offset % SLICE_BYTES).min(SHORT_READ_BYTES as u64)
            }
        };
        max as usize
    }

    /// Returns the bytes in the buffer that are not consumed.
    pub(crate) fn unread(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Returns the offset of the first unread byte.
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.start as u64
    }

    /// Returns the length of the input in bytes, if it is known.
    pub(crate) fn length(&self) -> Option<u64> {
        match &self.input {
            InputHandle::File { file, .. } => Some(file.length()),
            _ => None,
        }
    }

    /// Returns true if the input can be read again from an earlier offset.
    pub(crate) fn can_seek(&self) -> bool {
        matches!(self.input, InputHandle::File { .. })
    }

    /// Returns the number of bytes read from the input. Bytes that are read twice count twice.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// Consumes `count` unread bytes.
    pub(crate) fn consume(&mut self, count: usize) {
        debug_assert!(count <= self.end - self.start);
        self.start += count;
    }

    /// Keeps the bytes of a stream from the present offset on, up to the limit.
    pub(crate) fn keep_from_here(&mut self) {
        if !self.can_seek() {
            self.kept_from = Some(self.offset());
        }
    }

    /// Ensures that [`seek`](ArchiveSource::seek) can return to `from`, where the input was
    /// [kept](ArchiveSource::keep_from_here). Returns false if that is impossible.
    ///
    /// A file can always be read again. A stream seems to end at the limit of the bytes that are
    /// kept, until [`release_held_bytes`](ArchiveSource::release_held_bytes) is called. So the result
    /// depends neither on the sizes of its reads nor on the present content of the buffer.
    pub(crate) fn hold_bytes_from(&mut self, from: u64) -> bool {
        if self.can_seek() {
            return true;
        }
        let limit = from + self.max_kept_bytes as u64;
        if self.kept_from != Some(from) || from < self.base || self.offset() > limit {
            return false;
        }
        let end = self.base + self.end as u64;
        let bytes_beyond = end.saturating_sub(limit) as usize;
        self.end -= bytes_beyond;
        self.hold_limit = Some(HoldLimit {
            offset: limit,
            bytes_beyond,
        });
        true
    }

    /// Ends [`hold_bytes_from`](ArchiveSource::hold_bytes_from) and returns true if all bytes up to
    /// the limit were read.
    pub(crate) fn release_held_bytes(&mut self) -> bool {
        let Some(limit) = self.hold_limit.take() else {
            return false;
        };
        let is_at_limit = limit.offset == self.base + self.end as u64;
        self.end += limit.bytes_beyond;
        is_at_limit
    }

    /// Reads until `count` bytes are unread or the input ends, and returns the number of unread
    /// bytes.
    pub(crate) fn fill(&mut self, count: usize) -> io::Result<usize> {
        let mut count = count;
        if let Some(limit) = self.hold_limit {
            count = count.min((limit.offset - self.offset()) as usize);
        }
        if self.end - self.start < count && !self.is_ended {
            self.make_room(count);
            while self.end - self.start < count && !self.is_ended {
                let room = self.buffer.len() - self.end;
                let max = room.min(self.max_read_bytes(self.base + self.end as u64));
                let space = &mut self.buffer[self.end..self.end + max];
                let read_bytes = read_once(&mut self.input, space)?;
                self.end += read_bytes;
                self.bytes_read += read_bytes as u64;
                self.is_ended = read_bytes == 0;
            }
        }
        Ok(self.end - self.start)
    }

    /// Reads more, so that at most `max` bytes are unread, and returns the number of unread bytes.
    ///
    /// Doubles the unread bytes, but does not read past the next boundary between slices.
    pub(crate) fn read_more(&mut self, max: usize) -> io::Result<usize> {
        let unread = self.end - self.start;
        let end = self.base + self.end as u64;
        let wanted = if end < self.slice_end {
            let rest = usize::try_from(self.slice_end - end).unwrap_or(usize::MAX);
            (unread * 2)
                .max(READ_BYTES)
                .min(unread.saturating_add(rest))
        } else {
            let rest = (SLICE_BYTES - end % SLICE_BYTES) as usize;
            unread + unread.max(SHORT_READ_BYTES).min(rest)
        };
        self.fill(wanted.min(max))
    }

    /// Makes room for `count` bytes from the first unread one: slides the buffer, and enlarges it if
    /// necessary.
    fn make_room(&mut self, count: usize) {
        let keep_start = match self.kept_from {
            Some(kept_from)
                if kept_from >= self.base
                    && self.offset() - kept_from <= self.max_kept_bytes as u64 =>
            {
                ((kept_from - self.base) as usize).min(self.start)
            }
            _ => self.start,
        };
        if self.start + count.max(READ_BYTES / 4) > self.buffer.len() && keep_start > 0 {
            self.buffer.copy_within(keep_start..self.end, 0);
            self.base += keep_start as u64;
            self.start -= keep_start;
            self.end -= keep_start;
        }
        let wanted = self.start + count;
        if wanted > self.buffer.len() || self.buffer.len() < READ_BYTES {
            // Some spare room, so that not every read slides the whole buffer.
            let size = (wanted + READ_BYTES / 4).next_multiple_of(READ_BYTES);
            let size = size.max(self.start * 2);
            enlarge(&mut self.buffer, size);
        }
    }

    /// Reads into `out`, and returns the number of bytes, which is 0 at the end of the input.
    ///
    /// Bytes that are not in the buffer are read directly into `out`.
    pub(crate) fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let unread = self.end - self.start;
        if unread > 0 {
            let count = unread.min(out.len());
            out[..count].copy_from_slice(&self.buffer[self.start..self.start + count]);
            self.start += count;
            return Ok(count);
        }
        self.base += self.end as u64;
        (self.start, self.end) = (0, 0);
        let max = out.len().min(self.max_read_bytes(self.base));
        let count = read_once(&mut self.input, &mut out[..max])?;
        self.base += count as u64;
        self.bytes_read += count as u64;
        self.is_ended = count == 0;
        Ok(count)
    }

    /// Moves to `offset` and returns the offset that was reached.
    ///
    /// In a stream, the position can only be moved to bytes in the buffer: to the first of them if
    /// `offset` is lower, and after the last if it is higher.
    pub(crate) fn seek(&mut self, offset: u64) -> io::Result<u64> {
        if offset >= self.base && offset - self.base <= self.end as u64 {
            self.start = (offset - self.base) as usize;
        } else if let InputHandle::File { position, .. } = &mut self.input {
            *position = offset;
            (self.start, self.end, self.base) = (0, 0, offset);
            self.is_ended = false;
        } else if offset < self.base {
            self.start = 0;
        } else {
            self.start = self.end;
        }
        Ok(self.offset())
    }

    /// Reads bytes of a file from `offset` into `out` without moving, and returns their number.
    pub(crate) fn peek(&mut self, offset: u64, out: &mut [u8]) -> io::Result<usize> {
        let InputHandle::File { file, .. } = &self.input else {
            return Ok(0);
        };
        let mut peeked_bytes = 0;
        while peeked_bytes < out.len() {
            let rest = &mut out[peeked_bytes..];
            let count = retry_interrupted(|| file.read_at(offset + peeked_bytes as u64, rest))?;
            if count == 0 {
                break;
            }
            peeked_bytes += count;
        }
        self.bytes_read += peeked_bytes as u64;
        Ok(peeked_bytes)
    }

    /// Skips `count` bytes and returns whether the input had that many.
    pub(crate) fn skip(&mut self, mut count: u64) -> io::Result<bool> {
        if let Some(length) = self.length() {
            let target = self.offset().saturating_add(count);
            return Ok(self.seek(target.min(length))? == target);
        }
        while count > 0 {
            let unread = self.fill(1)?;
            if unread == 0 {
                return Ok(false);
            }
            let step = count.min(unread as u64);
            self.consume(step as usize);
            count -= step;
        }
        Ok(true)
    }
}

/// Calls the read function of the input once, not counting calls that a signal interrupts.
fn read_once(input: &mut InputHandle, out: &mut [u8]) -> io::Result<usize> {
    match input {
        InputHandle::Closed => Ok(0),
        InputHandle::File { file, position } => {
            let count = retry_interrupted(|| file.read_at(*position, out))?;
            *position += count as u64;
            Ok(count)
        }
        InputHandle::Stream(stream) => retry_interrupted(|| stream.read(out)),
    }
}

/// Repeats a read until no signal interrupts it.
fn retry_interrupted(mut read: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match read() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that returns at most 7 bytes per read.
    struct ShortReads(io::Cursor<Vec<u8>>);

    impl Read for ShortReads {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = out.len().min(7);
            self.0.read(&mut out[..count])
        }
    }

    fn bytes(count: usize) -> Vec<u8> {
        (0..count).map(|index| (index % 251) as u8).collect()
    }

    #[test]
    fn a_stream_can_return_to_kept_bytes() {
        let mut source = ArchiveSource::new(100);
        source.open_stream(Box::new(ShortReads(io::Cursor::new(bytes(400)))));
        assert_eq!(source.fill(5).unwrap(), 7);
        source.consume(5);
        source.keep_from_here();
        source.fill(30).unwrap();
        source.consume(20);
        assert_eq!(source.seek(0).unwrap(), 0);
        assert_eq!(source.seek(5).unwrap(), 5);
        assert_eq!(source.unread()[0], 5);
        assert!(source.skip(300).unwrap());
        assert_eq!(source.offset(), 305);
        assert!(!source.skip(300).unwrap());
        assert_eq!(source.offset(), 400);
    }

    #[test]
    fn no_read_crosses_a_boundary_after_the_end_of_a_slice() {
        let mut file = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut file, &bytes(4 * READ_BYTES)).unwrap();
        let mut source = ArchiveSource::new(0);
        source.open_file(ArchiveFile::from_file(file).unwrap());
        source.set_slice_end(READ_BYTES as u64);
        source.seek(5).unwrap();
        assert_eq!(source.fill(1).unwrap(), READ_BYTES - 5);
        source.consume(READ_BYTES - 6);
        // Few bytes are unread, so few bytes of the next slice are read.
        assert_eq!(source.fill(2).unwrap(), 1 + SHORT_READ_BYTES);
        // The unread bytes are doubled, in whole short reads.
        assert_eq!(
            source.read_more(2 * READ_BYTES).unwrap(),
            1 + 3 * SHORT_READ_BYTES
        );
        let mut unread_len = 0;
        while unread_len < READ_BYTES + 1 {
            let more = source.read_more(2 * READ_BYTES).unwrap();
            assert!(unread_len < more && more <= READ_BYTES + 1);
            unread_len = more;
        }
        let unread_len = source.read_more(2 * READ_BYTES).unwrap();
        assert!(
            (2 * READ_BYTES..2 * READ_BYTES + SHORT_READ_BYTES).contains(&unread_len),
            "{unread_len}"
        );
        // Bytes of an uncompressed input bypass the buffer.
        source.seek(0).unwrap();
        source.seek(3 * READ_BYTES as u64 - 7).unwrap();
        assert_eq!(source.read(&mut vec![0; READ_BYTES]).unwrap(), 7);
    }

    #[test]
    fn a_file_can_be_read_from_any_offset() {
        let mut file = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut file, &bytes(3 * READ_BYTES)).unwrap();
        let mut source = ArchiveSource::new(0);
        source.open_file(ArchiveFile::from_file(file).unwrap());
        let far = 2 * READ_BYTES as u64 + 17;
        assert!(source.skip(far).unwrap());
        assert_eq!(source.fill(1).unwrap(), READ_BYTES - 17);
        assert_eq!(source.unread()[0], (far % 251) as u8);
        assert_eq!(source.seek(3).unwrap(), 3);
        let mut peeked = [0; 4];
        assert_eq!(
            source.peek(3 * READ_BYTES as u64 - 3, &mut peeked).unwrap(),
            3
        );
        assert_eq!(source.offset(), 3);
        let mut out = [0; 2];
        assert_eq!((source.read(&mut out).unwrap(), out), (2, [3, 4]));
        assert!(!source.skip(u64::MAX).unwrap());
        assert_eq!(source.offset(), 3 * READ_BYTES as u64);
    }
}

//! An input that can be read only once: standard input, a pipe, a FIFO or a
//! character device.
//!
//! A stream is opened exactly once. `Stream::peek` reads and keeps its first
//! bytes, so that its content can be detected. `Stream::take` returns a reader
//! of these bytes and the rest. Code that reads a stream in another way loses its
//! first bytes.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fmt, mem};

/// The most bytes that are kept of a stream before it is taken.
pub(crate) const PEEK_BYTES: usize = 1 << 20;

/// An input that can be read only once.
pub struct Stream {
    /// The path to open; `None` for standard input.
    path: Option<PathBuf>,
    state: Mutex<StreamState>,
}

#[derive(Default)]
struct StreamState {
    reader: Option<Box<dyn Read + Send>>,
    /// The bytes that were read by peeking.
    head: Vec<u8>,
    /// The error of opening or peeking, until it is reported.
    error: Option<io::Error>,
    is_opened: bool,
    /// The counter of the bytes that were read, if they are counted.
    counter: Option<Arc<AtomicU64>>,
}

impl Stream {
    /// Returns standard input.
    pub fn stdin() -> Arc<Self> {
        Arc::new(Self {
            path: None,
            state: Mutex::default(),
        })
    }

    /// Returns the stream at a path that is not a regular file. It is not opened
    /// before its bytes are needed.
    pub fn open(path: &Path) -> Arc<Self> {
        Arc::new(Self {
            path: Some(path.to_owned()),
            state: Mutex::default(),
        })
    }

    /// Returns the path for messages, or `standard input`.
    pub fn display_path(&self) -> &Path {
        let path = self.path.as_deref();
        path.unwrap_or_else(|| Path::new("standard input"))
    }

    /// Returns true if the stream is standard input, given as `-`.
    pub(crate) fn is_stdin(&self) -> bool {
        self.path.is_none()
    }

    /// Returns true if the stream was opened, for peeking or for reading.
    pub(crate) fn is_opened(&self) -> bool {
        self.lock_state().is_opened
    }

    /// Returns a reader of at most [`PEEK_BYTES`] first bytes of the stream, which
    /// are kept. Bytes are read only when they are requested.
    pub(crate) fn peek(self: &Arc<Self>) -> impl Read + Send + use<> {
        Peek {
            stream: Arc::clone(self),
            position: 0,
        }
    }

    /// Removes and returns the error that ended [peeking](Self::peek).
    pub(crate) fn take_error(&self) -> Option<io::Error> {
        self.lock_state().error.take()
    }

    /// Adds the number of bytes that were read so far to `counter`, and the number of further bytes as they are read.
    /// This shows progress while a slow stream has not given any row.
    pub fn count_bytes(&self, counter: &Arc<AtomicU64>) {
        let mut state = self.lock_state();
        counter.fetch_add(state.head.len() as u64, Ordering::Relaxed);
        state.counter = Some(Arc::clone(counter));
    }

    /// Returns a reader of all bytes of the stream, beginning with the first.
    /// Opening a FIFO waits for its writer.
    ///
    /// # Errors
    ///
    /// Those of opening the stream, and an error if it was taken before.
    pub(crate) fn take(&self) -> io::Result<Box<dyn Read + Send>> {
        let mut state = self.lock_state();
        if let Some(error) = state.error.take() {
            return Err(error);
        }
        state.open(self.path.as_deref())?;
        let reader = state.reader.take();
        let reader = reader.ok_or_else(|| io::Error::other("a stream can be read only once"))?;
        let head = mem::take(&mut state.head);
        let rest = CountedReader {
            reader,
            counter: state.counter.take(),
        };
        Ok(Box::new(io::Cursor::new(head).chain(rest)))
    }

    /// Returns device and inode, which are equal for two paths to the same stream;
    /// `None` if they cannot be determined.
    pub(crate) fn identity(&self) -> Option<(u64, u64)> {
        use std::os::fd::AsFd;
        use std::os::unix::fs::MetadataExt;
        let metadata = match &self.path {
            Some(path) => std::fs::metadata(path),
            None => io::stdin()
                .as_fd()
                .try_clone_to_owned()
                .and_then(|descriptor| File::from(descriptor).metadata()),
        };
        let metadata = metadata.ok()?;
        Some((metadata.dev(), metadata.ino()))
    }

    fn lock_state(&self) -> MutexGuard<'_, StreamState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StreamState {
    /// Opens the stream unless it is already open.
    fn open(&mut self, path: Option<&Path>) -> io::Result<()> {
        if !self.is_opened {
            self.reader = Some(match path {
                Some(path) => Box::new(File::open(path)?),
                None => Box::new(io::stdin()),
            });
            self.is_opened = true;
        }
        Ok(())
    }

    /// Reads at most `most` more bytes of the head; none at the end of the stream.
    fn read_head(&mut self, path: Option<&Path>, most: usize) -> io::Result<()> {
        self.open(path)?;
        let kept_bytes = self.head.len();
        let most = most.min(PEEK_BYTES - kept_bytes);
        let Some(reader) = &mut self.reader else {
            return Ok(());
        };
        self.head.resize(kept_bytes + most, 0);
        let result = loop {
            match reader.read(&mut self.head[kept_bytes..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        let read_bytes = *result.as_ref().unwrap_or(&0);
        self.head.truncate(kept_bytes + read_bytes);
        if let Some(counter) = &self.counter {
            counter.fetch_add(read_bytes as u64, Ordering::Relaxed);
        }
        result.map(|_| ())
    }
}

/// A reader that counts the bytes that it reads.
struct CountedReader {
    reader: Box<dyn Read + Send>,
    counter: Option<Arc<AtomicU64>>,
}

impl Read for CountedReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read_bytes = self.reader.read(out)?;
        if let Some(counter) = &self.counter {
            counter.fetch_add(read_bytes as u64, Ordering::Relaxed);
        }
        Ok(read_bytes)
    }
}

/// Two streams are equal only if they are the same object.
impl PartialEq for Stream {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Stream {}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stream").field(&self.display_path()).finish()
    }
}

/// A reader of the first bytes of a stream.
struct Peek {
    stream: Arc<Stream>,
    position: usize,
}

impl Read for Peek {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut state = self.stream.lock_state();
        if self.position == state.head.len() && state.head.len() < PEEK_BYTES {
            if state.error.is_some() {
                return Ok(0);
            }
            if let Err(error) = state.read_head(self.stream.path.as_deref(), out.len()) {
                state.error = Some(error);
                return Ok(0);
            }
        }
        let rest = &state.head[self.position..];
        let count = rest.len().min(out.len());
        out[..count].copy_from_slice(&rest[..count]);
        self.position += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn stream_from_bytes(bytes: &[u8]) -> (tempfile::NamedTempFile, Arc<Stream>) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let stream = Stream::open(file.path());
        (file, stream)
    }

    #[test]
    fn bytes_that_were_peeked_at_are_read_again_and_then_the_rest() {
        let bytes: Vec<u8> = (0..3 * PEEK_BYTES).map(|i| (i % 251) as u8).collect();
        for peeked in [0, 10, 100_000, PEEK_BYTES, 2 * PEEK_BYTES] {
            let (_file, stream) = stream_from_bytes(&bytes);
            for _ in 0..2 {
                let mut head = Vec::new();
                let mut peek = stream.peek().take(peeked as u64);
                peek.read_to_end(&mut head).unwrap();
                assert!(head == bytes[..peeked.min(PEEK_BYTES)]);
            }
            let mut all = Vec::new();
            stream.take().unwrap().read_to_end(&mut all).unwrap();
            assert!(all == bytes, "{peeked}");
            assert!(stream.take().is_err(), "a stream is taken once");
        }
    }

    #[test]
    fn bytes_are_counted_once_and_when_they_are_read() {
        let (_file, stream) = stream_from_bytes(&[7; 1000]);
        let counter = Arc::default();
        let count = |counter: &Arc<AtomicU64>| counter.load(Ordering::Relaxed);
        stream.peek().read_exact(&mut [0; 10]).unwrap();
        stream.count_bytes(&counter);
        assert_eq!(count(&counter), 10);
        stream.peek().read_exact(&mut [0; 30]).unwrap();
        assert_eq!(count(&counter), 30);
        let mut reader = stream.take().unwrap();
        for (read, counted) in [(10, 30), (20, 30), (5, 35), (100, 135)] {
            reader.read_exact(&mut vec![0; read]).unwrap();
            assert_eq!(count(&counter), counted);
        }
        reader.read_to_end(&mut Vec::new()).unwrap();
        assert_eq!(count(&counter), 1000);
    }

    #[test]
    fn a_stream_is_opened_when_its_bytes_are_needed_and_only_then() {
        let stream = Stream::open(Path::new("no-such-stream"));
        assert!(!stream.is_opened());
        let mut head = Vec::new();
        assert_eq!(stream.peek().read_to_end(&mut head).unwrap(), 0);
        let error = stream.take_error().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(stream.take().is_err());
    }
}

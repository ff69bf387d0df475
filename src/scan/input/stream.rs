//! An input that can be read only once: standard input, a pipe, a FIFO or a
//! character device.
//!
//! A stream is opened exactly once. [`Stream::peek`] reads its first bytes to
//! learn what it holds and keeps them; [`Stream::take`] returns a reader that
//! gives these bytes again and then the rest. If you read a stream in another
//! way, its first bytes are lost.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fmt, mem};

/// The most that is kept of a stream that has not been taken.
pub(crate) const PEEK_BYTES: usize = 1 << 20;

/// An input that can be read only once.
pub struct Stream {
    /// The path that is opened; `None` for standard input.
    path: Option<PathBuf>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    reader: Option<Box<dyn Read + Send>>,
    /// What was read by peeking.
    head: Vec<u8>,
    /// Why opening or peeking failed, until it is reported.
    error: Option<io::Error>,
    is_opened: bool,
}

impl Stream {
    /// Standard input.
    pub fn stdin() -> Arc<Self> {
        Arc::new(Self {
            path: None,
            state: Mutex::default(),
        })
    }

    /// A path that leads to something else than a regular file. It is not
    /// opened before its bytes are needed.
    pub fn open(path: &Path) -> Arc<Self> {
        Arc::new(Self {
            path: Some(path.to_owned()),
            state: Mutex::default(),
        })
    }

    /// The path, or `standard input`, for messages.
    pub fn place(&self) -> &Path {
        let path = self.path.as_deref();
        path.unwrap_or_else(|| Path::new("standard input"))
    }

    /// Returns true if the stream is standard input, given as `-`.
    pub(crate) fn is_stdin(&self) -> bool {
        self.path.is_none()
    }

    /// Returns true if the stream was opened, to be peeked into or to be read.
    pub(crate) fn is_opened(&self) -> bool {
        self.state().is_opened
    }

    /// A reader of the first bytes of the stream, [`PEEK_BYTES`] at most, which
    /// are kept. The bytes are read only as they are asked for.
    pub(crate) fn peek(self: &Arc<Self>) -> impl Read + Send + use<> {
        Peek {
            stream: Arc::clone(self),
            position: 0,
        }
    }

    /// The error that ended [peeking](Self::peek), once.
    pub(crate) fn take_error(&self) -> Option<io::Error> {
        self.state().error.take()
    }

    /// Returns a reader of all bytes of the stream, from the first on. Opening a
    /// FIFO waits for its writer.
    ///
    /// # Errors
    ///
    /// The stream cannot be opened, or it was taken before.
    pub(crate) fn take(&self) -> io::Result<Box<dyn Read + Send>> {
        let mut state = self.state();
        if let Some(error) = state.error.take() {
            return Err(error);
        }
        state.open(self.path.as_deref())?;
        let reader = state.reader.take();
        let reader = reader.ok_or_else(|| io::Error::other("a stream can be read only once"))?;
        let head = mem::take(&mut state.head);
        Ok(Box::new(io::Cursor::new(head).chain(reader)))
    }

    /// Device and inode, by which two paths to one stream are recognized;
    /// `None` where that cannot be known.
    #[cfg(unix)]
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

    /// Device and inode are not known on this platform.
    #[cfg(not(unix))]
    pub(crate) fn identity(&self) -> Option<(u64, u64)> {
        None
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Opens the stream, unless that was done before.
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

    /// Reads more of the head, as much as `most`; 0 at its end.
    fn read_head(&mut self, path: Option<&Path>, most: usize) -> io::Result<()> {
        self.open(path)?;
        let from = self.head.len();
        let most = most.min(PEEK_BYTES - from);
        let Some(reader) = &mut self.reader else {
            return Ok(());
        };
        self.head.resize(from + most, 0);
        let result = loop {
            match reader.read(&mut self.head[from..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        self.head.truncate(from + *result.as_ref().unwrap_or(&0));
        result.map(|_| ())
    }
}

/// Streams are equal if they are the same stream.
impl PartialEq for Stream {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Stream {}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stream").field(&self.place()).finish()
    }
}

/// A reader of the first bytes of a stream.
struct Peek {
    stream: Arc<Stream>,
    position: usize,
}

impl Read for Peek {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut state = self.stream.state();
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

    fn stream_of(bytes: &[u8]) -> (tempfile::NamedTempFile, Arc<Stream>) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let stream = Stream::open(file.path());
        (file, stream)
    }

    #[test]
    fn bytes_that_were_peeked_at_are_read_again_and_then_the_rest() {
        let bytes: Vec<u8> = (0..3 * PEEK_BYTES).map(|i| (i % 251) as u8).collect();
        for peeked in [0, 10, 100_000, PEEK_BYTES, 2 * PEEK_BYTES] {
            let (_file, stream) = stream_of(&bytes);
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

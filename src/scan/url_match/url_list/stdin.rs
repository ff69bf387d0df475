//! Standard input that does not keep us from stopping.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Bytes that are read at once.
const CHUNK_BYTES: usize = 64 << 10;

/// How often a wait looks whether to stop.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Standard input, read by a thread of its own: who waits for it can stop,
/// while a read cannot.
pub(super) struct Stdin<'s> {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    at: usize,
    is_stopped: &'s dyn Fn() -> bool,
}

impl<'s> Stdin<'s> {
    pub(super) fn open(is_stopped: &'s dyn Fn() -> bool) -> Self {
        let (sender, chunks) = sync_channel(4);
        // Nobody waits for the thread: it ends with its input, or with us.
        std::thread::spawn(move || {
            loop {
                let mut chunk = vec![0; CHUNK_BYTES];
                let read = io::stdin().read(&mut chunk);
                if matches!(&read, Err(error) if error.kind() == io::ErrorKind::Interrupted) {
                    continue;
                }
                let is_end = !matches!(read, Ok(1..));
                let read = read.map(|len| {
                    chunk.truncate(len);
                    chunk
                });
                if sender.send(read).is_err() || is_end {
                    break;
                }
            }
        });
        Self {
            chunks,
            chunk: Vec::new(),
            at: 0,
            is_stopped,
        }
    }
}

impl Read for Stdin<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.chunk.len() {
            match self.chunks.recv_timeout(LOOK_EVERY) {
                Ok(chunk) => {
                    (self.chunk, self.at) = (chunk?, 0);
                    if self.chunk.is_empty() {
                        return Ok(0);
                    }
                }
                Err(RecvTimeoutError::Timeout) if (self.is_stopped)() => {
                    return Err(io::Error::other("stopped"));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
        }
        let len = out.len().min(self.chunk.len() - self.at);
        out[..len].copy_from_slice(&self.chunk[self.at..][..len]);
        self.at += len;
        Ok(len)
    }
}

//! A reader that ends with an error once a stop is requested, even while its source waits.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// The most bytes that the thread reads at a time.
const CHUNK_BYTES: usize = 64 << 10;

/// The interval at which a waiting read checks for a stop.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Reads a source, such as a pipe, through a separate thread: waiting for the thread can be interrupted, but waiting
/// for the source cannot. Reading a source without an end is interrupted, too.
pub(super) struct InterruptibleReader {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    /// The number of bytes of the chunk that have been returned.
    consumed_bytes: usize,
    stop: Arc<AtomicBool>,
}

impl InterruptibleReader {
    pub(super) fn new(mut source: impl Read + Send + 'static, stop: Arc<AtomicBool>) -> Self {
        let (sender, chunks) = sync_channel(4);
        // The thread is not joined: it ends with the source, with this reader or with the process.
        std::thread::spawn(move || {
            loop {
                let mut chunk = vec![0; CHUNK_BYTES];
                let read = source.read(&mut chunk);
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
            consumed_bytes: 0,
            stop,
        }
    }
}

impl Read for InterruptibleReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.consumed_bytes == self.chunk.len() {
            if self.stop.load(Ordering::Relaxed) {
                return Err(io::Error::other("stopped"));
            }
            match self.chunks.recv_timeout(CHECK_INTERVAL) {
                Ok(chunk) => {
                    (self.chunk, self.consumed_bytes) = (chunk?, 0);
                    if self.chunk.is_empty() {
                        return Ok(0);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
        }
        let len = out.len().min(self.chunk.len() - self.consumed_bytes);
        out[..len].copy_from_slice(&self.chunk[self.consumed_bytes..][..len]);
        self.consumed_bytes += len;
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_without_end_is_read_until_a_stop() {
        let stop = Arc::new(AtomicBool::new(false));
        let mut reader = InterruptibleReader::new(io::repeat(b'\n'), Arc::clone(&stop));
        let mut read = [0; 2 * CHUNK_BYTES];
        reader.read_exact(&mut read).unwrap();
        stop.store(true, Ordering::Relaxed);
        let error = io::copy(&mut reader, &mut io::sink()).unwrap_err();
        assert_eq!(error.to_string(), "stopped");
    }
}

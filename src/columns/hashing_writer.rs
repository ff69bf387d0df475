//! A writer that hashes what it writes.

use parquet::file::writer::SerializedFileWriter;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use xxhash_rust::xxh3::Xxh3;

/// The file writer of the crate `parquet`, over a file or, for benches, memory.
pub(super) type ParquetFileWriter = SerializedFileWriter<BufWriter<HashingWriter>>;

/// Writes bytes to a file or to memory, and hashes and counts them.
pub struct HashingWriter {
    pub(super) out: Output,
    hash: Xxh3,
    pub(super) bytes: u64,
}

/// The destination of the bytes of a Parquet file.
pub(super) enum Output {
    File(File),
    Memory(Vec<u8>),
}

impl HashingWriter {
    pub(super) fn new(out: Output) -> Self {
        Self {
            out,
            hash: Xxh3::new(),
            bytes: 0,
        }
    }

    /// Returns the XXH3-64 of the written bytes, in hexadecimal.
    pub(super) fn digest(&self) -> String {
        format!("{:016x}", self.hash.digest())
    }
}

impl Write for HashingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.out {
            Output::File(file) => file.write(bytes)?,
            Output::Memory(memory) => memory.write(bytes)?,
        };
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.out {
            Output::File(file) => file.flush(),
            Output::Memory(_) => Ok(()),
        }
    }
}

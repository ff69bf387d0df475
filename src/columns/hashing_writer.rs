//! A writer that hashes what it writes.

use parquet::file::writer::SerializedFileWriter;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use xxhash_rust::xxh3::Xxh3;

/// The file writer of the crate `parquet`, over a file or, for benches, memory.
pub(super) type ParquetFileWriter = SerializedFileWriter<BufWriter<HashingWriter>>;

/// The number of bytes before the first row group of a Parquet file: its magic number.
const MAGIC_BYTES: u64 = 4;

/// Writes bytes to a file or to memory, and hashes and counts them.
pub struct HashingWriter {
    pub(super) out: Output,
    hash: Xxh3,
    pub(super) bytes: u64,
    /// The hash of the bytes of row groups that were written since the last range of row groups ended.
    rows_hash: Xxh3,
    rows_bytes: u64,
    /// The offsets passed to [`HashingWriter::end_rows_at`] that writing has not reached yet.
    ends: VecDeque<u64>,
    ended: Vec<RowGroupBytes>,
}

/// The size and digest of the bytes of row groups: pages, dictionaries and Bloom filters. They are the
/// same in every file to which the row groups are copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowGroupBytes {
    /// The number of bytes.
    pub bytes: u64,
    /// The XXH3-64, in hexadecimal.
    pub digest: String,
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
            rows_hash: Xxh3::new(),
            rows_bytes: 0,
            ends: VecDeque::new(),
            ended: Vec::new(),
        }
    }

    /// Ends a range of row groups at an offset of the file. Bytes before this offset may still be in the buffer
    /// from which this writer gets them.
    pub(super) fn end_rows_at(&mut self, offset: u64) {
        self.ends.push_back(offset);
        self.hash_rows(&[], self.bytes.max(MAGIC_BYTES));
    }

    /// Takes the size and digest of each range of row groups that was ended and written, in order.
    pub(super) fn take_ended_rows(&mut self) -> Vec<RowGroupBytes> {
        std::mem::take(&mut self.ended)
    }

    /// Hashes bytes of row groups that are written at `offset`, and ends the ranges that end in these bytes.
    fn hash_rows(&mut self, mut bytes: &[u8], mut offset: u64) {
        while let Some(&end) = self.ends.front()
            && end <= offset + bytes.len() as u64
        {
            let (before, after) = bytes.split_at((end - offset) as usize);
            self.rows_hash.update(before);
            let hash = std::mem::take(&mut self.rows_hash);
            self.ended.push(RowGroupBytes {
                bytes: std::mem::take(&mut self.rows_bytes) + before.len() as u64,
                digest: format!("{:016x}", hash.digest()),
            });
            self.ends.pop_front();
            (bytes, offset) = (after, end);
        }
        self.rows_hash.update(bytes);
        self.rows_bytes += bytes.len() as u64;
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
        let bytes = &bytes[..written];
        self.hash.update(bytes);
        let magic_bytes = MAGIC_BYTES.saturating_sub(self.bytes) as usize;
        let rows = &bytes[magic_bytes.min(written)..];
        self.hash_rows(rows, self.bytes.max(MAGIC_BYTES));
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

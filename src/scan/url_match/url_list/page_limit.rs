//! A Parquet file whose pages may not exceed a limit.
//!
//! A limit on the page size of Parquet files.
//!
//! A page is decompressed as a whole, so its size determines the memory of the
//! reader. The size is read from the page header, and a page that is too large
//! is refused before it is read.

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::sync::{Arc, Mutex, PoisonError};

/// The type of a dictionary page in a page header.
const DICTIONARY_PAGE: i32 = 2;

/// A page that was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LargePage {
    /// The offset of its header in the file.
    pub(super) offset: u64,
    /// Its size, compressed or decompressed, whichever is larger.
    pub(super) bytes: u64,
}

/// The first fields of a page header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PageHeader {
    page_type: i32,
    uncompressed_bytes: i32,
    compressed_bytes: i32,
}

/// A Parquet file with a limit on the size of its pages.
#[derive(Clone, Debug)]
pub(super) struct PageLimitedFile {
    file: Arc<File>,
    page_bytes_max: u64,
    refused: Arc<Mutex<Option<LargePage>>>,
}

impl PageLimitedFile {
    pub(super) fn new(file: File, page_bytes_max: u64) -> Self {
        Self {
            file: Arc::new(file),
            page_bytes_max,
            refused: Arc::default(),
        }
    }

    /// Returns the limit in bytes.
    pub(super) fn page_bytes_max(&self) -> u64 {
        self.page_bytes_max
    }

    /// Returns the page that was refused, if any. An error of the reader is then
    /// about this page.
    pub(super) fn refused(&self) -> Option<LargePage> {
        *self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the decompressed size of the dictionary page of a column chunk,
    /// if it has one.
    pub(super) fn dictionary_bytes(&self, chunk_offset: u64) -> Result<Option<u64>, ParquetError> {
        let mut read = self.file.get_read(chunk_offset)?;
        let header = parse_page_header(read.fill_buf()?).ok_or_else(malformed)?;
        let is_dictionary = header.page_type == DICTIONARY_PAGE;
        let bytes = u64::try_from(header.uncompressed_bytes).unwrap_or(0);
        Ok(is_dictionary.then_some(bytes))
    }
}

impl Length for PageLimitedFile {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for PageLimitedFile {
    type T = BufReader<File>;

    /// Opens the file at `offset`. Without a row selection, the Parquet reader
    /// calls this only for page headers, and reads pages with `get_bytes`.
    fn get_read(&self, offset: u64) -> Result<Self::T, ParquetError> {
        let mut read = self.file.get_read(offset)?;
        let header = parse_page_header(read.fill_buf()?).ok_or_else(malformed)?;
        let bytes = header.uncompressed_bytes.max(header.compressed_bytes);
        let bytes = u64::try_from(bytes).unwrap_or(0);
        if bytes > self.page_bytes_max {
            let page = LargePage { offset, bytes };
            *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(page);
            return Err(ParquetError::General(format!("a page of {bytes} bytes")));
        }
        Ok(read)
    }

    fn get_bytes(&self, offset: u64, length: usize) -> Result<Bytes, ParquetError> {
        self.file.get_bytes(offset, length)
    }
}

fn malformed() -> ParquetError {
    ParquetError::General("a page header cannot be read".to_owned())
}

/// Parses the first three fields of a `PageHeader` of parquet.thrift. Each is a
/// required 32-bit integer, so in the compact protocol of Thrift each begins with
/// the same byte: field number plus one, type 5.
fn parse_page_header(mut bytes: &[u8]) -> Option<PageHeader> {
    let mut field = || {
        let rest = bytes.strip_prefix(&[0x15])?;
        let (mut value, mut shift) = (0u64, 0);
        for (i, byte) in rest.iter().enumerate().take(5) {
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                bytes = &rest[i + 1..];
                let value = u32::try_from(value).ok()?;
                return Some((value >> 1) as i32 ^ -((value & 1) as i32));
            }
        }
        None
    };
    Some(PageHeader {
        page_type: field()?,
        uncompressed_bytes: field()?,
        compressed_bytes: field()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_header_begins_with_its_type_and_sizes() {
        let header = |page_type, uncompressed_bytes, compressed_bytes| {
            Some(PageHeader {
                page_type,
                uncompressed_bytes,
                compressed_bytes,
            })
        };
        assert_eq!(
            parse_page_header(b"\x15\x00\x15\x02\x15\x04rest"),
            header(0, 1, 2)
        );
        assert_eq!(
            parse_page_header(b"\x15\x04\x15\xfe\xff\xff\xff\x0f\x15\x01"),
            header(2, i32::MAX, -1)
        );
        for bytes in [
            &b""[..],
            b"\x15",
            b"\x15\x00\x15\x02",
            b"\x25\x00\x15\x02\x15\x04",
            b"\x15\x80\x80\x80\x80\x80\x00\x15\x02\x15\x04",
            b"\x15\xff\xff\xff\xff\x7f\x15\x02\x15\x04",
        ] {
            assert_eq!(parse_page_header(bytes), None, "{bytes:?}");
        }
    }
}

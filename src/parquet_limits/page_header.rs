//! The header of a page of a Parquet file: `PageHeader` of parquet.thrift, in the compact protocol
//! of Thrift.

use super::thrift::{ThriftReader, field_type, malformed_error};
use std::io::{self, BufRead};

/// The row group and the column of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageLocation {
    /// The row group, from 0.
    pub row_group: usize,
    /// The path of the column in the schema, with dots between its parts.
    pub column: String,
}

pub(super) const DICTIONARY_PAGE_TYPE: u32 = 2;

/// The fields of a page header that determine how much memory reading the page takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageHeader {
    /// The `PageType` of parquet.thrift.
    pub(super) page_type: u32,
    /// The size of the page after decompression, without its header.
    pub(super) uncompressed_bytes: u32,
    pub(super) compressed_bytes: u32,
    /// The encoding of the values of a data page, as a number of parquet.thrift; `None` for other pages.
    pub(super) encoding: Option<i32>,
    /// The size of the levels at the start of a data page of version 2, which are not compressed; 0 for other
    /// pages.
    pub(super) level_bytes: u64,
    pub(super) is_compressed: bool,
    /// The length of the header itself.
    pub(super) length: u64,
}

// The field ids of `PageHeader` in parquet.thrift.
const PAGE_TYPE_ID: i16 = 1;
const UNCOMPRESSED_PAGE_SIZE_ID: i16 = 2;
const COMPRESSED_PAGE_SIZE_ID: i16 = 3;
const DATA_PAGE_HEADER_ID: i16 = 5;
const DATA_PAGE_HEADER_V2_ID: i16 = 8;

impl PageHeader {
    /// Returns the size of the page, compressed or decompressed, whichever is larger.
    pub(super) fn larger_size_bytes(&self) -> u64 {
        self.uncompressed_bytes.max(self.compressed_bytes).into()
    }

    /// Reads the header at the start of `source`.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::UnexpectedEof`] if the end of the header is missing, [`io::ErrorKind::InvalidData`] if
    /// the header is malformed.
    pub(super) fn read(source: impl BufRead) -> io::Result<Self> {
        let mut fields = ThriftReader::new(source);
        let (mut page_type, mut uncompressed, mut compressed) = (None, None, None);
        let (mut encoding, mut level_bytes, mut is_compressed) = (None, 0, true);
        let mut id = 0;
        while let Some(value_type) = fields.next_field(&mut id)? {
            match (id, value_type) {
                (PAGE_TYPE_ID, field_type::I32) => page_type = Some(fields.read_size()?),
                (UNCOMPRESSED_PAGE_SIZE_ID, field_type::I32) => {
                    uncompressed = Some(fields.read_size()?)
                }
                (COMPRESSED_PAGE_SIZE_ID, field_type::I32) => {
                    compressed = Some(fields.read_size()?)
                }
                (DATA_PAGE_HEADER_ID, field_type::STRUCT) => {
                    let mut id = 0;
                    while let Some(value_type) = fields.next_field(&mut id)? {
                        match (id, value_type) {
                            (2, field_type::I32) => encoding = Some(fields.read_i32()?),
                            _ => fields.skip_value(value_type, 1)?,
                        }
                    }
                }
                (DATA_PAGE_HEADER_V2_ID, field_type::STRUCT) => {
                    let mut id = 0;
                    while let Some(value_type) = fields.next_field(&mut id)? {
                        match (id, value_type) {
                            (4, field_type::I32) => encoding = Some(fields.read_i32()?),
                            (5 | 6, field_type::I32) => {
                                level_bytes += u64::from(fields.read_size()?)
                            }
                            (7, _) => is_compressed = value_type == field_type::TRUE,
                            _ => fields.skip_value(value_type, 1)?,
                        }
                    }
                }
                _ => fields.skip_value(value_type, 0)?,
            }
        }
        let (Some(page_type), Some(uncompressed_bytes), Some(compressed_bytes)) =
            (page_type, uncompressed, compressed)
        else {
            return Err(malformed_error());
        };
        Ok(Self {
            page_type,
            uncompressed_bytes,
            compressed_bytes,
            encoding,
            level_bytes,
            is_compressed,
            length: fields.length(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<PageHeader, io::ErrorKind> {
        PageHeader::read(bytes).map_err(|error| error.kind())
    }

    #[test]
    fn a_page_header_has_its_type_sizes_and_encoding() {
        let header = PageHeader {
            page_type: 0,
            uncompressed_bytes: 1,
            compressed_bytes: 2,
            encoding: None,
            level_bytes: 0,
            is_compressed: true,
            length: 7,
        };
        assert_eq!(read(b"\x15\x00\x15\x02\x15\x04\x00rest"), Ok(header));
        let large = PageHeader {
            page_type: 2,
            uncompressed_bytes: i32::MAX as u32,
            compressed_bytes: 0,
            length: 11,
            ..header
        };
        assert_eq!(
            read(b"\x15\x04\x15\xfe\xff\xff\xff\x0f\x15\x00\x00"),
            Ok(large)
        );
        // Version 1: five values, encoding 7, and statistics with a text of three bytes.
        let first = PageHeader {
            encoding: Some(7),
            length: 24,
            ..header
        };
        assert_eq!(
            read(b"\x15\x00\x15\x02\x15\x04\x2c\x15\x0a\x15\x0e\x15\x06\x15\x06\x1c\x18\x03abc\x00\x00\x00"),
            Ok(first)
        );
        // Version 2: levels of 3 and 4 bytes, not compressed.
        let second = PageHeader {
            page_type: 3,
            encoding: Some(7),
            level_bytes: 7,
            is_compressed: false,
            length: 22,
            ..header
        };
        assert_eq!(
            read(b"\x15\x06\x15\x02\x15\x04\x5c\x15\x0a\x15\x00\x15\x0a\x15\x0e\x15\x06\x15\x08\x12\x00\x00"),
            Ok(second)
        );
    }

    #[test]
    fn a_malformed_page_header_is_an_error() {
        let (cut, bad) = (io::ErrorKind::UnexpectedEof, io::ErrorKind::InvalidData);
        for (bytes, expected) in [
            (&b""[..], cut),
            (b"\x15", cut),
            (b"\x15\x00\x15\x02\x15\x04", cut),
            (b"\x15\x00\x15\x02\x00", bad),
            // Sizes below zero, and of more than 32 bits.
            (b"\x15\x00\x15\x01\x15\x04\x00", bad),
            (b"\x15\x00\x15\xff\xff\xff\xff\x7f\x15\x04\x00", bad),
            (b"\x15\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", bad),
            // A text that is longer than the file, and structures without end.
            (b"\x18\xff\xff\xff\xff\x0fabc", cut),
            (&[0x1c; 1000], bad),
            (b"\x19", cut),
            // A set, and a list of truth values.
            (b"\x1a", bad),
            (b"\x19\x11\x01", bad),
        ] {
            assert_eq!(read(bytes), Err(expected), "{bytes:?}");
        }
    }
}

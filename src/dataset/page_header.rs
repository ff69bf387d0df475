//! The header of a page of a Parquet file: `PageHeader` of parquet.thrift, in the compact protocol
//! of Thrift.

use std::io::{self, Read};

/// The type of a dictionary page.
pub(super) const DICTIONARY_PAGE: u32 = 2;

/// The most structures in one another. A header has two.
const MAX_DEPTH: usize = 8;

/// The fields of a page header that determine the memory of its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageHeader {
    pub(super) page_type: u32,
    /// The size of the page, without its header.
    pub(super) uncompressed_bytes: u32,
    pub(super) compressed_bytes: u32,
    /// The encoding of its values, as in parquet.thrift; `None` unless it is a data page.
    pub(super) encoding: Option<i32>,
    /// The bytes at the beginning of a page of version 2 that are not compressed.
    pub(super) level_bytes: u64,
    pub(super) is_compressed: bool,
    /// The length of the header itself.
    pub(super) length: u64,
}

/// The types of fields in the compact protocol.
mod field_type {
    pub(super) const TRUE: u8 = 1;
    pub(super) const FALSE: u8 = 2;
    pub(super) const BYTE: u8 = 3;
    pub(super) const I16: u8 = 4;
    pub(super) const I32: u8 = 5;
    pub(super) const I64: u8 = 6;
    pub(super) const DOUBLE: u8 = 7;
    pub(super) const BINARY: u8 = 8;
    pub(super) const STRUCT: u8 = 12;
}

/// Fields of `PageHeader`.
const TYPE: i16 = 1;
const UNCOMPRESSED: i16 = 2;
const COMPRESSED: i16 = 3;
const DATA_PAGE: i16 = 5;
const DATA_PAGE_V2: i16 = 8;

impl PageHeader {
    /// Returns the larger of its sizes.
    pub(super) fn bytes(&self) -> u64 {
        self.uncompressed_bytes.max(self.compressed_bytes).into()
    }

    /// Reads a header.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::UnexpectedEof`] if its end is missing, [`io::ErrorKind::InvalidData`] if it is
    /// malformed.
    pub(super) fn read(source: &mut dyn Read) -> io::Result<Self> {
        let mut fields = Fields { source, length: 0 };
        let (mut page_type, mut uncompressed, mut compressed) = (None, None, None);
        let (mut encoding, mut level_bytes, mut is_compressed) = (None, 0, true);
        let mut id = 0;
        while let Some(kind) = fields.next(&mut id)? {
            match (id, kind) {
                (TYPE, field_type::I32) => page_type = Some(fields.size()?),
                (UNCOMPRESSED, field_type::I32) => uncompressed = Some(fields.size()?),
                (COMPRESSED, field_type::I32) => compressed = Some(fields.size()?),
                (DATA_PAGE, field_type::STRUCT) => {
                    let mut id = 0;
                    while let Some(kind) = fields.next(&mut id)? {
                        match (id, kind) {
                            (2, field_type::I32) => encoding = Some(fields.i32()?),
                            _ => fields.skip(kind, 1)?,
                        }
                    }
                }
                (DATA_PAGE_V2, field_type::STRUCT) => {
                    let mut id = 0;
                    while let Some(kind) = fields.next(&mut id)? {
                        match (id, kind) {
                            (4, field_type::I32) => encoding = Some(fields.i32()?),
                            (5 | 6, field_type::I32) => level_bytes += u64::from(fields.size()?),
                            (7, _) => is_compressed = kind == field_type::TRUE,
                            _ => fields.skip(kind, 1)?,
                        }
                    }
                }
                _ => fields.skip(kind, 0)?,
            }
        }
        let (Some(page_type), Some(uncompressed_bytes), Some(compressed_bytes)) =
            (page_type, uncompressed, compressed)
        else {
            return Err(malformed());
        };
        Ok(Self {
            page_type,
            uncompressed_bytes,
            compressed_bytes,
            encoding,
            level_bytes,
            is_compressed,
            length: fields.length,
        })
    }
}

/// Reads the fields of a structure.
struct Fields<'r> {
    source: &'r mut dyn Read,
    /// The bytes that were read.
    length: u64,
}

impl Fields<'_> {
    /// Goes to the next field. Returns its type; `None` at the end of the structure.
    fn next(&mut self, id: &mut i16) -> io::Result<Option<u8>> {
        let byte = self.byte()?;
        if byte == 0 {
            return Ok(None);
        }
        *id = match byte >> 4 {
            0 => i16::try_from(self.signed()?).map_err(|_| malformed())?,
            step => id.checked_add(step.into()).ok_or_else(malformed)?,
        };
        Ok(Some(byte & 0xf))
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.source.read_exact(&mut byte)?;
        self.length += 1;
        Ok(byte[0])
    }

    /// Reads a number of at most 64 bits.
    fn varint(&mut self) -> io::Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(malformed())
    }

    fn signed(&mut self) -> io::Result<i64> {
        let value = self.varint()?;
        Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    fn i32(&mut self) -> io::Result<i32> {
        i32::try_from(self.signed()?).map_err(|_| malformed())
    }

    /// Reads a number that is not below zero.
    fn size(&mut self) -> io::Result<u32> {
        u32::try_from(self.i32()?).map_err(|_| malformed())
    }

    /// Skips the value of a field that is in `depth` structures. Page headers have no collections.
    fn skip(&mut self, kind: u8, depth: usize) -> io::Result<()> {
        match kind {
            field_type::TRUE | field_type::FALSE => Ok(()),
            field_type::BYTE => self.byte().map(drop),
            field_type::I16 | field_type::I32 | field_type::I64 => self.varint().map(drop),
            field_type::DOUBLE => self.skip_bytes(8),
            field_type::BINARY => {
                let length = self.varint()?;
                self.skip_bytes(length)
            }
            field_type::STRUCT if depth < MAX_DEPTH => {
                let mut id = 0;
                while let Some(kind) = self.next(&mut id)? {
                    self.skip(kind, depth + 1)?;
                }
                Ok(())
            }
            _ => Err(malformed()),
        }
    }

    fn skip_bytes(&mut self, length: u64) -> io::Result<()> {
        let skipped = io::copy(&mut (&mut *self.source).take(length), &mut io::sink())?;
        self.length += skipped;
        match skipped == length {
            true => Ok(()),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

fn malformed() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<PageHeader, io::ErrorKind> {
        PageHeader::read(&mut { bytes }).map_err(|error| error.kind())
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
            (b"\x19", bad),
        ] {
            assert_eq!(read(bytes), Err(expected), "{bytes:?}");
        }
    }
}

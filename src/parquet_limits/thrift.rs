//! A reader of structures in the compact protocol of Thrift, in which footers and page headers of Parquet are written.

use std::io::{self, BufRead};

/// The limit of the nesting of structures and lists in a value that is skipped.
const MAX_SKIPPED_DEPTH: usize = 8;

/// The types of fields and of items of lists.
pub(super) mod field_type {
    pub(crate) const TRUE: u8 = 1;
    pub(crate) const FALSE: u8 = 2;
    pub(crate) const BYTE: u8 = 3;
    pub(crate) const I16: u8 = 4;
    pub(crate) const I32: u8 = 5;
    pub(crate) const I64: u8 = 6;
    pub(crate) const DOUBLE: u8 = 7;
    pub(crate) const BINARY: u8 = 8;
    pub(crate) const LIST: u8 = 9;
    pub(crate) const STRUCT: u8 = 12;
}

/// Reads the fields of a structure one after the other. Methods return [`io::ErrorKind::UnexpectedEof`] if bytes are
/// missing, and [`io::ErrorKind::InvalidData`] for what is malformed.
pub(super) struct ThriftReader<R> {
    source: R,
    /// The number of bytes that were read.
    length: u64,
}

impl<R: BufRead> ThriftReader<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, length: 0 }
    }

    /// Returns the number of bytes that were read.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Reads the header of the next field: sets `id`, which must be the id of the previous field, and returns
    /// the type; `None` at the end of the structure.
    pub(super) fn next_field(&mut self, id: &mut i16) -> io::Result<Option<u8>> {
        let byte = self.read_byte()?;
        if byte == 0 {
            return Ok(None);
        }
        *id = match byte >> 4 {
            0 => i16::try_from(self.read_signed_varint()?).map_err(|_| malformed_error())?,
            step => id.checked_add(step.into()).ok_or_else(malformed_error)?,
        };
        Ok(Some(byte & 0xf))
    }

    /// Reads the header of a list: the type and the number of the items. Each item has at least one byte.
    pub(super) fn read_list_header(&mut self) -> io::Result<(u8, u64)> {
        let byte = self.read_byte()?;
        let count = match byte >> 4 {
            15 => self.read_varint()?,
            count => count.into(),
        };
        Ok((byte & 0xf, count))
    }

    fn read_byte(&mut self) -> io::Result<u8> {
        let byte = self.source.fill_buf()?.first().copied();
        let byte = byte.ok_or(io::ErrorKind::UnexpectedEof)?;
        self.source.consume(1);
        self.length += 1;
        Ok(byte)
    }

    /// Reads a variable-length unsigned number of at most 64 bits.
    fn read_varint(&mut self) -> io::Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.read_byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(malformed_error())
    }

    /// Reads a variable-length signed number, which is zigzag-encoded.
    fn read_signed_varint(&mut self) -> io::Result<i64> {
        let value = self.read_varint()?;
        Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    pub(super) fn read_i32(&mut self) -> io::Result<i32> {
        i32::try_from(self.read_signed_varint()?).map_err(|_| malformed_error())
    }

    /// Reads a number that is not below zero.
    pub(super) fn read_size(&mut self) -> io::Result<u32> {
        u32::try_from(self.read_i32()?).map_err(|_| malformed_error())
    }

    /// Skips bytes, and returns their number.
    pub(super) fn skip_binary(&mut self) -> io::Result<u64> {
        let length = self.read_varint()?;
        self.skip_bytes(length)?;
        Ok(length)
    }

    /// Skips the value of a field or of a list. `depth` is the number of structures and lists around it that are
    /// skipped, too. Parquet has no sets and maps, and no lists of truth values, which readers read differently.
    pub(super) fn skip_value(&mut self, value_type: u8, depth: usize) -> io::Result<()> {
        match value_type {
            field_type::TRUE | field_type::FALSE => Ok(()),
            field_type::BYTE => self.read_byte().map(drop),
            field_type::I16 | field_type::I32 | field_type::I64 => self.read_varint().map(drop),
            field_type::DOUBLE => self.skip_bytes(8),
            field_type::BINARY => self.skip_binary().map(drop),
            field_type::LIST if depth < MAX_SKIPPED_DEPTH => {
                let (item_type, count) = self.read_list_header()?;
                if count > 0 && matches!(item_type, field_type::TRUE | field_type::FALSE) {
                    return Err(malformed_error());
                }
                (0..count).try_for_each(|_| self.skip_value(item_type, depth + 1))
            }
            field_type::STRUCT if depth < MAX_SKIPPED_DEPTH => {
                let mut id = 0;
                while let Some(value_type) = self.next_field(&mut id)? {
                    self.skip_value(value_type, depth + 1)?;
                }
                Ok(())
            }
            _ => Err(malformed_error()),
        }
    }

    fn skip_bytes(&mut self, mut length: u64) -> io::Result<()> {
        while length > 0 {
            let available = self.source.fill_buf()?.len();
            let skipped = available.min(usize::try_from(length).unwrap_or(usize::MAX));
            if skipped == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.source.consume(skipped);
            self.length += skipped as u64;
            length -= skipped as u64;
        }
        Ok(())
    }
}

pub(super) fn malformed_error() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

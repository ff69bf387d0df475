//! The layout of data pages: definition levels, then values, then compression.

use super::dictionary::ColumnDictionary;
use super::{ColumnData, delta, rle};
use bytes::Bytes;
use parquet::basic::{Encoding, Type, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::schema::types::ColumnDescPtr;
use std::ops::Range;
use zstd::bulk::Compressor;

/// Buffers for encoding one page, reused for the next one.
#[derive(Default)]
pub(crate) struct PageBuffers {
    /// Dictionary indexes of the values that are not null.
    pub(super) indexes: Vec<u32>,
    /// For each text of a batch its index in the dictionary, if it is known.
    pub(super) index_of_text: Vec<u32>,
    /// Definition levels: one for a value, zero for null. Empty if these are the same for all rows of
    /// the page.
    levels: Vec<u32>,
    /// Texts in plain encoding.
    pub(super) plain: Vec<u8>,
    pub(super) bools: Vec<bool>,
    /// Integers that are encoded by their differences.
    pub(super) integers: Vec<i64>,
    page: Vec<u8>,
    compressor: PageCompressor,
}

/// Compresses pages.
#[derive(Default)]
struct PageCompressor {
    /// The compressor and its level.
    zstd: Option<(i32, Compressor<'static>)>,
    /// Memory for a compressed page, which may become longer than the page.
    buffer: Vec<u8>,
}

/// A data page that is ready to be appended to its column chunk.
pub(super) struct EncodedPage {
    pub(super) compressed: Bytes,
    pub(super) uncompressed_bytes: usize,
    pub(super) encoding: Encoding,
    pub(super) rows: usize,
    pub(super) nulls: usize,
}

impl PageBuffers {
    /// Starts a page.
    pub(super) fn start_page(&mut self) {
        self.indexes.clear();
        self.levels.clear();
        self.plain.clear();
        self.bools.clear();
        self.integers.clear();
    }

    /// Appends definition levels of rows.
    pub(super) fn append_levels(&mut self, column: &ColumnData, rows: &Range<usize>) {
        match column.nulls.get(rows.clone()) {
            Some(nulls) => {
                let levels = nulls.iter().map(|&is_null| u32::from(!is_null));
                self.levels.extend(levels);
            }
            None => self.levels.resize(self.levels.len() + rows.len(), 1),
        }
    }

    /// Appends a text to the page in plain encoding.
    pub(super) fn append_plain(&mut self, text: &[u8]) {
        self.plain
            .extend_from_slice(&(text.len() as u32).to_le_bytes());
        self.plain.extend_from_slice(text);
    }

    /// Lays out the appended values as a page and returns their encoding.
    pub(super) fn lay_out(
        &mut self,
        dictionary: &mut ColumnDictionary,
        descr: &ColumnDescPtr,
        is_plain: bool,
        rows: usize,
        nulls: usize,
    ) -> Encoding {
        let Self {
            indexes,
            levels,
            plain,
            bools,
            integers,
            page,
            ..
        } = self;
        page.clear();
        if descr.max_def_level() > 0 {
            // The levels are preceded by their length.
            page.extend_from_slice(&[0; 4]);
            if levels.is_empty() {
                rle::pack_run(u32::from(nulls == 0), rows, 1, page);
            } else {
                rle::pack(levels, 1, page);
            }
            let len = page.len() as u32 - 4;
            page[..4].copy_from_slice(&len.to_le_bytes());
        }
        match dictionary {
            ColumnDictionary::Texts(_) if is_plain => {
                page.append(plain);
                Encoding::PLAIN
            }
            ColumnDictionary::Texts(dictionary) => {
                pack_indexes(indexes, dictionary.len(), page);
                Encoding::RLE_DICTIONARY
            }
            ColumnDictionary::Numbers(dictionary) => {
                pack_indexes(indexes, dictionary.values().len(), page);
                Encoding::RLE_DICTIONARY
            }
            ColumnDictionary::Bools(_) => {
                rle::put_bools(bools, page);
                Encoding::PLAIN
            }
            ColumnDictionary::Delta(column) => {
                column.add(integers);
                delta::pack(integers, descr.physical_type() == Type::INT32, page);
                Encoding::DELTA_BINARY_PACKED
            }
        }
    }

    /// Compresses the page that was laid out.
    pub(super) fn compress_page(
        &mut self,
        level: ZstdLevel,
    ) -> Result<(Bytes, usize), ParquetError> {
        let compressed = self.compressor.compress(&self.page, level)?;
        Ok((compressed, self.page.len()))
    }

    /// Encodes and compresses a dictionary page.
    pub(super) fn encode_dictionary(
        &mut self,
        dictionary: &ColumnDictionary,
        physical: parquet::basic::Type,
        level: ZstdLevel,
    ) -> Result<DictionaryPage, ParquetError> {
        let (bytes, values) = dictionary.encode(physical, &mut self.page);
        Ok(DictionaryPage {
            values,
            uncompressed_bytes: bytes.len(),
            compressed: self.compressor.compress(bytes, level)?,
        })
    }
}

/// A compressed dictionary page.
pub(super) struct DictionaryPage {
    pub(super) values: usize,
    pub(super) uncompressed_bytes: usize,
    pub(super) compressed: Bytes,
}

fn pack_indexes(indexes: &[u32], dictionary_len: usize, page: &mut Vec<u8>) {
    let width = rle::width(dictionary_len);
    page.push(width);
    rle::pack(indexes, width, page);
}

impl PageCompressor {
    fn compress(&mut self, page: &[u8], level: ZstdLevel) -> Result<Bytes, ParquetError> {
        let level = level.compression_level();
        let fail = |error: std::io::Error| ParquetError::External(Box::new(error));
        let zstd = match &mut self.zstd {
            Some((current, zstd)) if *current == level => zstd,
            other => {
                let zstd = Compressor::new(level).map_err(fail)?;
                &mut other.insert((level, zstd)).1
            }
        };
        self.buffer.clear();
        self.buffer
            .reserve(zstd::zstd_safe::compress_bound(page.len()));
        let bytes = zstd.compress_to_buffer(page, &mut self.buffer);
        Ok(Bytes::copy_from_slice(&self.buffer[..bytes.map_err(fail)?]))
    }
}

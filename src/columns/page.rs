//! The layout of data pages: definition levels, then values, then compression.

use super::dictionary::ColumnDictionary;
use super::{ColumnData, ValueEncoding, delta, rle};
use bytes::Bytes;
use parquet::basic::{Encoding, Type, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::schema::types::ColumnDescPtr;
use std::ops::Range;
use zstd::bulk::Compressor;

/// Buffers for encoding one page, reused for the next one.
#[derive(Default)]
pub struct PageBuffers {
    /// Dictionary indexes of the values that are not null.
    pub(super) indexes: Vec<u32>,
    /// The dictionary index of each text of a batch, by its id; `UNKNOWN_INDEX` until it is looked up.
    pub(super) indexes_by_text: Vec<u32>,
    /// Definition levels: 1 for a row with a value, 0 for null.
    definition_levels: Vec<u32>,
    pub(super) bools: Vec<bool>,
    /// Integers that are not encoded with a dictionary, or the length of each text in `texts`.
    pub(super) integers: Vec<i64>,
    /// The concatenated texts of a page that is encoded by shared prefixes.
    texts: Vec<u8>,
    /// The page: definition levels, then values.
    page: Vec<u8>,
    compressor: PageCompressor,
}

#[derive(Default)]
struct PageCompressor {
    /// The compressor and its level; `None` before the first page.
    zstd: Option<(i32, Compressor<'static>)>,
    /// The buffer for the compressed page, which can be longer than the page itself.
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
    /// Starts a page with the definition levels of its rows, of which `nulls` are null. The levels
    /// have one bit per row and are preceded by their total length in bytes. A column that cannot be
    /// null has no levels.
    pub(super) fn start_page<'c>(
        &mut self,
        columns: impl Iterator<Item = (&'c ColumnData, Range<usize>)>,
        descr: &ColumnDescPtr,
        rows: usize,
        nulls: usize,
    ) {
        self.indexes.clear();
        self.bools.clear();
        self.integers.clear();
        self.texts.clear();
        let Self {
            definition_levels,
            page,
            ..
        } = self;
        page.clear();
        if descr.max_def_level() == 0 {
            return;
        }
        page.extend_from_slice(&[0; 4]);
        if nulls == 0 || nulls == rows {
            rle::pack_run(u32::from(nulls == 0), rows, 1, page);
        } else {
            definition_levels.clear();
            for (column, rows) in columns {
                match column.nulls.get(rows.clone()) {
                    Some(nulls) => {
                        definition_levels.extend(nulls.iter().map(|&is_null| u32::from(!is_null)))
                    }
                    None => definition_levels.resize(definition_levels.len() + rows.len(), 1),
                }
            }
            rle::pack(definition_levels, 1, page);
        }
        let len = page.len() as u32 - 4;
        page[..4].copy_from_slice(&len.to_le_bytes());
    }

    /// Appends a text that is not encoded with a dictionary.
    pub(super) fn append_text(&mut self, text: &[u8], encoding: ValueEncoding) {
        if encoding == ValueEncoding::SharedPrefixes {
            self.integers.push(text.len() as i64);
            self.texts.extend_from_slice(text);
        } else {
            self.page
                .extend_from_slice(&(text.len() as u32).to_le_bytes());
            self.page.extend_from_slice(text);
        }
    }

    /// Appends the collected values to the page and returns their encoding. If `is_plain` is true,
    /// texts are not encoded with a dictionary; then those of any encoding other than
    /// `SharedPrefixes` are in the page already ([`append_text`](Self::append_text)).
    pub(super) fn finish_page(
        &mut self,
        dictionary: &mut ColumnDictionary,
        descr: &ColumnDescPtr,
        encoding: ValueEncoding,
        is_plain: bool,
    ) -> Encoding {
        let Self {
            indexes,
            bools,
            integers,
            texts,
            page,
            ..
        } = self;
        match dictionary {
            ColumnDictionary::Texts(_) if is_plain && encoding == ValueEncoding::SharedPrefixes => {
                delta::pack_shared_prefixes(integers, texts, page);
                Encoding::DELTA_BYTE_ARRAY
            }
            ColumnDictionary::Texts(_) if is_plain => Encoding::PLAIN,
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
            ColumnDictionary::Integers(bounds) => {
                bounds.add(integers);
                let is_32_bit = descr.physical_type() == Type::INT32;
                match (encoding, is_32_bit) {
                    (ValueEncoding::Plain, true) => {
                        page.extend(
                            integers
                                .iter()
                                .flat_map(|&value| (value as i32).to_le_bytes()),
                        );
                    }
                    (ValueEncoding::Plain, false) => {
                        page.extend(integers.iter().flat_map(|value| value.to_le_bytes()));
                    }
                    _ => {
                        delta::pack(integers, is_32_bit, page);
                        return Encoding::DELTA_BINARY_PACKED;
                    }
                }
                Encoding::PLAIN
            }
        }
    }

    /// Compresses the finished page. Returns it with its size before compression.
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
    let width = rle::bit_width(dictionary_len);
    page.push(width);
    rle::pack(indexes, width, page);
}

impl PageCompressor {
    fn compress(&mut self, page: &[u8], level: ZstdLevel) -> Result<Bytes, ParquetError> {
        let level = level.compression_level();
        let to_parquet_error = |error: std::io::Error| ParquetError::External(Box::new(error));
        let zstd = match &mut self.zstd {
            Some((current, zstd)) if *current == level => zstd,
            other => {
                let zstd = Compressor::new(level).map_err(to_parquet_error)?;
                &mut other.insert((level, zstd)).1
            }
        };
        self.buffer.clear();
        self.buffer
            .reserve(zstd::zstd_safe::compress_bound(page.len()));
        let bytes = zstd.compress_to_buffer(page, &mut self.buffer);
        Ok(Bytes::copy_from_slice(
            &self.buffer[..bytes.map_err(to_parquet_error)?],
        ))
    }
}

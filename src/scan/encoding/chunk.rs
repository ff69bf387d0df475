//! A column chunk: the pages of one column of a row group.

use super::dictionary::{NumberDictionary, TextDictionary};
use super::pack;
use super::statistics::{self, TextRange};
use crate::rows::{Column, Rows, Texts, Values};
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, PageType, Type, ZstdLevel};
use parquet::bloom_filter::Sbbf;
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, OffsetIndexBuilder, PageEncodingStats};
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use std::ops::Range;
use zstd::bulk::Compressor;

/// Bytes of a dictionary of texts beyond which pages hold the texts themselves.
const DICTIONARY_BYTES_MAX: usize = 8 << 20;

/// Texts of a batch for each of its rows in a page beyond which their numbers
/// are asked for one by one.
const TEXTS_A_ROW_MAX: usize = 16;

/// A number that no text of a batch has.
const NONE: u32 = u32::MAX;

/// The share of values that a Bloom filter finds though they are not there.
const BLOOM_FPP: f64 = 0.01;

/// Encodes the column of a row group, page after page.
pub(crate) struct ChunkEncoder {
    descr: ColumnDescPtr,
    level: ZstdLevel,
    /// Rows of a row group at most, if a Bloom filter is to be made.
    bloom_rows: Option<u64>,
    values: Store,
    /// Encoded data pages.
    pages: TrackedWrite<Vec<u8>>,
    locations: OffsetIndexBuilder,
    rows: u64,
    nulls: u64,
    uncompressed_bytes: u64,
    /// Data pages with numbers of the dictionary, and others.
    n_coded: i32,
    n_plain: i32,
}

/// What is kept of the values of the chunk.
#[derive(Debug)]
enum Store {
    Texts(TextDictionary, Singles),
    Numbers(NumberDictionary),
    Bools([bool; 2]),
}

/// What is kept of texts that stand in their pages.
#[derive(Debug, Default)]
struct Singles {
    range: TextRange,
    bloom: Option<Sbbf>,
}

/// A finished column chunk.
pub(crate) struct Chunk {
    bytes: Bytes,
    close: ColumnCloseResult,
}

impl Chunk {
    /// Its pages, and what a row group must know of it.
    pub(crate) fn into_parts(self) -> (Bytes, ColumnCloseResult) {
        (self.bytes, self.close)
    }
}

/// Memory for a page, used again for the next.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Numbers of dictionary values, of those that are not null.
    numbers: Vec<u32>,
    /// By texts of a batch, their numbers in the dictionary.
    numbers_of_texts: Vec<u32>,
    /// For each row one if there is a value, else zero.
    levels: Vec<u32>,
    /// Values as they stand in the page, without a dictionary.
    plain: Vec<u8>,
    bools: Vec<bool>,
    page: Vec<u8>,
    compressor: Option<(i32, Compressor<'static>)>,
}

impl ChunkEncoder {
    pub(crate) fn new(descr: ColumnDescPtr, level: ZstdLevel, bloom_rows: Option<u64>) -> Self {
        let values = match descr.physical_type() {
            Type::BYTE_ARRAY => Store::Texts(TextDictionary::default(), Singles::default()),
            Type::BOOLEAN => Store::Bools([false; 2]),
            _ => Store::Numbers(NumberDictionary::default()),
        };
        Self {
            descr,
            level,
            bloom_rows,
            values,
            pages: TrackedWrite::new(Vec::new()),
            locations: OffsetIndexBuilder::new(),
            rows: 0,
            nulls: 0,
            uncompressed_bytes: 0,
            n_coded: 0,
            n_plain: 0,
        }
    }

    /// Encodes the column at `at` of these rows as one page.
    #[inline(never)] // A stage of `make profile`.
    pub(crate) fn write_page<'a>(
        &mut self,
        parts: impl Iterator<Item = (&'a Rows, Range<usize>)>,
        at: usize,
        scratch: &mut Scratch,
    ) -> Result<(), ParquetError> {
        scratch.numbers.clear();
        scratch.levels.clear();
        scratch.plain.clear();
        scratch.bools.clear();
        let (mut n_rows, mut n_nulls) = (0, 0);
        let mut is_plain = match &self.values {
            Store::Texts(dictionary, _) => dictionary.page().len() > DICTIONARY_BYTES_MAX,
            _ => false,
        };
        for (rows, range) in parts {
            let column = rows.column(at);
            is_plain |= matches!(column.values, Values::Single(..));
            n_rows += range.len();
            n_nulls += put_levels(column, &range, n_rows, &mut scratch.levels);
            self.put_values(column, rows.texts(), range, is_plain, scratch);
        }
        if n_rows == 0 {
            return Ok(());
        }
        let Scratch {
            numbers,
            levels,
            plain,
            bools,
            page,
            ..
        } = scratch;
        page.clear();
        if self.descr.max_def_level() > 0 {
            // Levels are behind their length.
            page.extend_from_slice(&[0; 4]);
            if n_nulls == 0 {
                levels.clear();
                levels.resize(n_rows, 1);
            }
            pack::pack(levels, 1, page);
            let len = page.len() as u32 - 4;
            page[..4].copy_from_slice(&len.to_le_bytes());
        }
        let is_coded = match &self.values {
            Store::Texts(..) if is_plain => {
                page.append(plain);
                false
            }
            Store::Texts(dictionary, _) => {
                put_numbers(numbers, dictionary.len(), page);
                true
            }
            Store::Numbers(dictionary) => {
                put_numbers(numbers, dictionary.values().len(), page);
                true
            }
            Store::Bools(_) => {
                pack::put_bools(bools, page);
                false
            }
        };
        self.n_coded += i32::from(is_coded);
        self.n_plain += i32::from(!is_coded);
        self.rows += n_rows as u64;
        self.nulls += n_nulls as u64;
        let buf = compress(&mut scratch.compressor, &scratch.page, self.level)?;
        let page = Page::DataPage {
            buf,
            num_values: n_rows as u32,
            encoding: if is_coded {
                Encoding::RLE_DICTIONARY
            } else {
                Encoding::PLAIN
            },
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        let page = CompressedPage::new(page, scratch.page.len());
        let spec = SerializedPageWriter::new(&mut self.pages).write_page(page)?;
        self.uncompressed_bytes += spec.uncompressed_size as u64;
        self.locations
            .append_offset_and_size(spec.offset as i64, spec.compressed_size as i32);
        self.locations.append_row_count(n_rows as i64);
        Ok(())
    }

    /// Adds the values of some rows to the page, those that are not null.
    fn put_values(
        &mut self,
        column: &Column,
        texts: &Texts,
        range: Range<usize>,
        is_plain: bool,
        scratch: &mut Scratch,
    ) {
        let nulls = column.nulls.get(range.clone()).unwrap_or_default();
        let Scratch {
            numbers,
            numbers_of_texts,
            plain,
            bools,
            ..
        } = scratch;
        match (&mut self.values, &column.values) {
            (Store::Numbers(dictionary), Values::Long(values)) => {
                let number = |&it: &i64| dictionary.insert(it.cast_unsigned());
                put(&values[range], nulls, number, numbers);
            }
            (Store::Numbers(dictionary), Values::Int(values)) => {
                let number = |&it: &i32| dictionary.insert(it.cast_unsigned().into());
                put(&values[range], nulls, number, numbers);
            }
            (Store::Numbers(dictionary), Values::Double(values)) => {
                let number = |&it: &f64| dictionary.insert(it.to_bits());
                put(&values[range], nulls, number, numbers);
            }
            (Store::Bools(has), Values::Bool(values)) => {
                let start = bools.len();
                put(&values[range], nulls, |&it| it, bools);
                has[0] |= bools[start..].contains(&false);
                has[1] |= bools[start..].contains(&true);
            }
            (Store::Texts(_, singles), Values::Single(bytes, ends)) => {
                let mut start = match range.start {
                    0 => 0,
                    at => ends[at - 1] as usize,
                };
                for (nth, &end) in ends[range].iter().enumerate() {
                    let text = &bytes[start..end as usize];
                    start = end as usize;
                    if nulls.get(nth) != Some(&true) {
                        singles.add(text, self.bloom_rows);
                        put_plain(text, plain);
                    }
                }
            }
            (Store::Texts(_, singles), Values::Text(values)) if is_plain => {
                for (nth, &no) in values[range].iter().enumerate() {
                    if nulls.get(nth) != Some(&true) {
                        let text = texts.get(no);
                        singles.add(text, self.bloom_rows);
                        put_plain(text, plain);
                    }
                }
            }
            (Store::Texts(dictionary, _), Values::Text(values)) => {
                // A few rows of a batch with very many texts do not pay for the table.
                if texts.len() > TEXTS_A_ROW_MAX * range.len() {
                    let number = |&no: &u32| dictionary.insert(texts.get(no), texts.hash(no));
                    return put(&values[range], nulls, number, numbers);
                }
                numbers_of_texts.clear();
                numbers_of_texts.resize(texts.len(), NONE);
                let number = |&no: &u32| {
                    let number = &mut numbers_of_texts[no as usize];
                    if *number == NONE {
                        *number = dictionary.insert(texts.get(no), texts.hash(no));
                    }
                    *number
                };
                put(&values[range], nulls, number, numbers);
            }
            _ => unreachable!("a table's columns are made by its schema"),
        }
    }

    /// Ends the chunk.
    #[inline(never)] // A stage of `make profile`.
    pub(crate) fn close(mut self, scratch: &mut Scratch) -> Result<Chunk, ParquetError> {
        let mut sink = TrackedWrite::new(Vec::new());
        let has_dictionary = self.n_coded > 0;
        if has_dictionary {
            let Scratch {
                page, compressor, ..
            } = scratch;
            let physical = self.descr.physical_type();
            let (values, count) = self.values.dictionary(physical, page);
            let page = Page::DictionaryPage {
                buf: compress(compressor, values, self.level)?,
                num_values: count as u32,
                encoding: Encoding::PLAIN,
                is_sorted: false,
            };
            let page = CompressedPage::new(page, values.len());
            let spec = SerializedPageWriter::new(&mut sink).write_page(page)?;
            self.uncompressed_bytes += spec.uncompressed_size as u64;
        }
        let dictionary_bytes = sink.bytes_written() as i64;
        let mut bytes = sink.into_inner()?;
        bytes.append(&mut self.pages.into_inner()?);

        let (statistics, bloom_filter) =
            self.values
                .end(self.descr.physical_type(), self.nulls, self.bloom_rows)?;
        let stats = |page_type, encoding, count| PageEncodingStats {
            page_type,
            encoding,
            count,
        };
        let mut pages = Vec::new();
        let mut encodings = vec![Encoding::RLE];
        if has_dictionary {
            pages.push(stats(PageType::DICTIONARY_PAGE, Encoding::PLAIN, 1));
            pages.push(stats(
                PageType::DATA_PAGE,
                Encoding::RLE_DICTIONARY,
                self.n_coded,
            ));
            encodings.extend([Encoding::PLAIN, Encoding::RLE_DICTIONARY]);
        }
        if self.n_plain > 0 {
            pages.push(stats(PageType::DATA_PAGE, Encoding::PLAIN, self.n_plain));
            encodings.push(Encoding::PLAIN);
        }
        let metadata = ColumnChunkMetaData::builder(self.descr)
            .set_compression(Compression::ZSTD(self.level))
            .set_encodings(encodings)
            .set_page_encoding_stats(pages)
            .set_num_values(self.rows as i64)
            .set_total_compressed_size(bytes.len() as i64)
            .set_total_uncompressed_size(self.uncompressed_bytes as i64)
            .set_data_page_offset(dictionary_bytes)
            .set_dictionary_page_offset(has_dictionary.then_some(0))
            .set_statistics(statistics)
            .build()?;
        let mut locations = self.locations.build();
        for location in &mut locations.page_locations {
            location.offset += dictionary_bytes;
        }
        let close = ColumnCloseResult {
            bytes_written: bytes.len() as u64,
            rows_written: self.rows,
            metadata,
            bloom_filter,
            column_index: None,
            offset_index: Some(locations),
        };
        Ok(Chunk {
            bytes: bytes.into(),
            close,
        })
    }
}

impl Store {
    /// The dictionary's page, which may have to be laid out, and how many
    /// values it has.
    fn dictionary<'p>(&'p self, physical: Type, page: &'p mut Vec<u8>) -> (&'p [u8], usize) {
        page.clear();
        match self {
            Self::Texts(dictionary, _) => (dictionary.page(), dictionary.len()),
            Self::Numbers(dictionary) => {
                let bytes = if physical == Type::INT32 { 4 } else { 8 };
                for value in dictionary.values() {
                    page.extend_from_slice(&value.to_le_bytes()[..bytes]);
                }
                (page, dictionary.values().len())
            }
            Self::Bools(_) => (page, 0),
        }
    }

    /// The statistics, and the Bloom filter where `bloom_rows` asks for one.
    fn end(
        self,
        physical: Type,
        nulls: u64,
        bloom_rows: Option<u64>,
    ) -> Result<(parquet::file::statistics::Statistics, Option<Sbbf>), ParquetError> {
        Ok(match self {
            Self::Texts(dictionary, mut singles) => {
                for text in dictionary.texts() {
                    singles.add(text, bloom_rows);
                }
                if let Some(bloom) = &mut singles.bloom {
                    bloom.fold_to_target_fpp(BLOOM_FPP);
                }
                (singles.range.statistics(nulls), singles.bloom)
            }
            Self::Numbers(dictionary) => {
                let values = dictionary.values().iter().copied();
                let statistics = match physical {
                    Type::INT32 => statistics::of_ints(values.map(|it| it as i32), nulls),
                    Type::INT64 => statistics::of_longs(values.map(u64::cast_signed), nulls),
                    _ => statistics::of_doubles(values.map(f64::from_bits), nulls),
                };
                (statistics, None)
            }
            Self::Bools(has) => (statistics::of_bools(has, nulls), None),
        })
    }
}

impl Singles {
    fn add(&mut self, text: &[u8], bloom_rows: Option<u64>) {
        self.range.add(text);
        if let Some(rows) = bloom_rows {
            if self.bloom.is_none() {
                self.bloom = Sbbf::new_with_ndv_fpp(rows, BLOOM_FPP).ok();
            }
            if let Some(bloom) = &mut self.bloom {
                bloom.insert(text);
            }
        }
    }
}

/// Compresses a page.
fn compress(
    compressor: &mut Option<(i32, Compressor<'static>)>,
    page: &[u8],
    level: ZstdLevel,
) -> Result<Bytes, ParquetError> {
    let level = level.compression_level();
    let fail = |error: std::io::Error| ParquetError::External(Box::new(error));
    let compressor = match compressor {
        Some((of, compressor)) if *of == level => compressor,
        other => {
            &mut other
                .insert((level, Compressor::new(level).map_err(fail)?))
                .1
        }
    };
    compressor.compress(page).map(Bytes::from).map_err(fail)
}

/// Appends what is made of each value that is not null. `nulls` is empty if
/// none is.
fn put<T, U>(values: &[T], nulls: &[bool], make: impl FnMut(&T) -> U, out: &mut Vec<U>) {
    if nulls.is_empty() {
        out.extend(values.iter().map(make));
    } else {
        let is_there = |(value, &is_null): (_, &bool)| (!is_null).then_some(value);
        out.extend(values.iter().zip(nulls).filter_map(is_there).map(make));
    }
}

/// Notes which of some rows have a value, where any row of the page has none;
/// gives how many have none. `n_rows` are the page's rows with these.
fn put_levels(
    column: &Column,
    range: &Range<usize>,
    n_rows: usize,
    levels: &mut Vec<u32>,
) -> usize {
    let Some(nulls) = column.nulls.get(range.clone()) else {
        if !levels.is_empty() {
            levels.resize(n_rows, 1);
        }
        return 0;
    };
    levels.resize(n_rows - range.len(), 1);
    levels.extend(nulls.iter().map(|&is_null| u32::from(!is_null)));
    nulls.iter().filter(|&&is_null| is_null).count()
}

fn put_numbers(numbers: &[u32], count: usize, page: &mut Vec<u8>) {
    let width = pack::width(count);
    page.push(width);
    pack::pack(numbers, width, page);
}

fn put_plain(text: &[u8], plain: &mut Vec<u8>) {
    plain.extend_from_slice(&(text.len() as u32).to_le_bytes());
    plain.extend_from_slice(text);
}

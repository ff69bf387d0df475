//! A column chunk: the pages of one column of a row group.

use super::dictionary::{NumberDictionary, TextDictionary};
use super::rle;
use super::statistics::{self, TextRange};
use crate::parquet_writer::{ColumnData, ColumnValues, InternedTexts, RowBatch};
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, PageType, Type, ZstdLevel};
use parquet::bloom_filter::Sbbf;
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, OffsetIndexBuilder, PageEncodingStats};
use parquet::file::statistics::Statistics;
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

/// Encodes columns of a row group, page after page: one, or some that stand
/// side by side and say nearly the same, which have one dictionary.
pub(crate) struct ColumnWriter {
    /// The place of the first among the columns of the rows.
    at: usize,
    level: ZstdLevel,
    values: ColumnDictionary,
    columns: Vec<ChunkBuilder>,
}

/// A column chunk that is being encoded.
struct ChunkBuilder {
    descr: ColumnDescPtr,
    texts: TextStatistics,
    /// Of each value of a dictionary that columns share, whether it is this one's.
    is_own: Vec<bool>,
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

/// What is kept of the values.
#[derive(Debug)]
enum ColumnDictionary {
    Texts(TextDictionary),
    Numbers(NumberDictionary),
    Bools([bool; 2]),
}

/// What readers are told of a column's texts.
#[derive(Debug, Default)]
struct TextStatistics {
    range: TextRange,
    /// Rows of a row group at most, if a Bloom filter is to be made.
    bloom_rows: Option<u64>,
    bloom: Option<Sbbf>,
}

/// A finished column chunk.
pub(crate) struct ColumnChunk {
    bytes: Bytes,
    close: ColumnCloseResult,
}

impl ColumnChunk {
    /// Its pages, and what a row group must know of it.
    pub(crate) fn into_parts(self) -> (Bytes, ColumnCloseResult) {
        (self.bytes, self.close)
    }
}

/// Memory for a page, used again for the next.
#[derive(Default)]
pub(crate) struct PageBuffers {
    /// Numbers of dictionary values, of those that are not null.
    numbers: Vec<u32>,
    /// Those of the column before.
    numbers_before: Vec<u32>,
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

impl ColumnWriter {
    /// For columns from the place `at` on, each with the rows of a row group at
    /// most where a Bloom filter is to be made. Several must be texts, and never
    /// null.
    pub(crate) fn new(
        at: usize,
        columns: Vec<(ColumnDescPtr, Option<u64>)>,
        level: ZstdLevel,
    ) -> Self {
        let values = match columns.first().map(|(descr, _)| descr.physical_type()) {
            Some(Type::BYTE_ARRAY) => ColumnDictionary::Texts(TextDictionary::default()),
            Some(Type::BOOLEAN) => ColumnDictionary::Bools([false; 2]),
            _ => ColumnDictionary::Numbers(NumberDictionary::default()),
        };
        if columns.len() > 1 {
            let can_share = |it: &ColumnDescPtr| {
                it.physical_type() == Type::BYTE_ARRAY && it.max_def_level() == 0
            };
            assert!(columns.iter().all(|(descr, _)| can_share(descr)));
        }
        let open = |(descr, bloom_rows)| ChunkBuilder {
            descr,
            texts: TextStatistics {
                bloom_rows,
                ..TextStatistics::default()
            },
            is_own: Vec::new(),
            pages: TrackedWrite::new(Vec::new()),
            locations: OffsetIndexBuilder::new(),
            rows: 0,
            nulls: 0,
            uncompressed_bytes: 0,
            n_coded: 0,
            n_plain: 0,
        };
        Self {
            at,
            level,
            values,
            columns: columns.into_iter().map(open).collect(),
        }
    }

    /// Encodes the columns of these rows as one page each.
    #[inline(never)] // A stage of `make profile`.
    pub(crate) fn write_page<'a>(
        &mut self,
        parts: impl Iterator<Item = (&'a RowBatch, Range<usize>)> + Clone,
        scratch: &mut PageBuffers,
    ) -> Result<(), ParquetError> {
        let is_full = match &self.values {
            ColumnDictionary::Texts(dictionary) => dictionary.page().len() > DICTIONARY_BYTES_MAX,
            _ => false,
        };
        let shares = self.columns.len() > 1;
        for (nth, open) in self.columns.iter_mut().enumerate() {
            std::mem::swap(&mut scratch.numbers, &mut scratch.numbers_before);
            scratch.numbers.clear();
            scratch.levels.clear();
            scratch.plain.clear();
            scratch.bools.clear();
            let (mut n_rows, mut n_nulls) = (0, 0);
            let mut is_plain = is_full;
            for (rows, range) in parts.clone() {
                let column = rows.column(self.at + nth);
                is_plain |= matches!(column.values, ColumnValues::Single(..));
                n_rows += range.len();
                n_nulls += put_levels(column, &range, n_rows, &mut scratch.levels);
                if nth > 0 && !is_plain {
                    let before = rows.column(self.at + nth - 1);
                    put_alike(
                        &mut self.values,
                        [before, column],
                        rows.texts(),
                        range,
                        scratch,
                    );
                } else {
                    let told = &mut open.texts;
                    put_values(
                        &mut self.values,
                        told,
                        column,
                        rows.texts(),
                        range,
                        is_plain,
                        scratch,
                    );
                }
            }
            if n_rows == 0 {
                return Ok(());
            }
            let is_coded = lay_out(
                &self.values,
                &open.descr,
                is_plain,
                n_rows,
                n_nulls,
                scratch,
            );
            if is_coded && shares {
                open.own(&scratch.numbers);
            }
            let buf = compress(&mut scratch.compressor, &scratch.page, self.level)?;
            open.append(buf, scratch.page.len(), is_coded, n_rows, n_nulls)?;
        }
        Ok(())
    }

    /// Ends the chunks.
    #[inline(never)] // A stage of `make profile`.
    pub(crate) fn close(self, scratch: &mut PageBuffers) -> Result<Vec<ColumnChunk>, ParquetError> {
        let PageBuffers {
            page, compressor, ..
        } = scratch;
        let mut dictionary = None;
        if let Some(open) = self.columns.first()
            && open.n_coded > 0
        {
            let (values, count) = self.values.dictionary(open.descr.physical_type(), page);
            dictionary = Some(DictionaryPage {
                count,
                bytes: values.len(),
                compressed: compress(compressor, values, self.level)?,
            });
        }
        let columns = self.columns.into_iter();
        columns
            .map(|open| open.close(&self.values, dictionary.as_ref(), self.level))
            .collect()
    }
}

/// A dictionary's page.
struct DictionaryPage {
    /// Its values.
    count: usize,
    /// Bytes of them.
    bytes: usize,
    compressed: Bytes,
}

/// Lays out the page of what stands in `scratch`; gives whether it holds
/// numbers of the dictionary.
fn lay_out(
    values: &ColumnDictionary,
    descr: &ColumnDescPtr,
    is_plain: bool,
    n_rows: usize,
    n_nulls: usize,
    scratch: &mut PageBuffers,
) -> bool {
    let PageBuffers {
        numbers,
        levels,
        plain,
        bools,
        page,
        ..
    } = scratch;
    page.clear();
    if descr.max_def_level() > 0 {
        // Levels are behind their length.
        page.extend_from_slice(&[0; 4]);
        if n_nulls == 0 {
            levels.clear();
            levels.resize(n_rows, 1);
        }
        rle::pack(levels, 1, page);
        let len = page.len() as u32 - 4;
        page[..4].copy_from_slice(&len.to_le_bytes());
    }
    match values {
        ColumnDictionary::Texts(_) if is_plain => {
            page.append(plain);
            false
        }
        ColumnDictionary::Texts(dictionary) => {
            put_numbers(numbers, dictionary.len(), page);
            true
        }
        ColumnDictionary::Numbers(dictionary) => {
            put_numbers(numbers, dictionary.values().len(), page);
            true
        }
        ColumnDictionary::Bools(_) => {
            rle::put_bools(bools, page);
            false
        }
    }
}

/// Adds the values of some rows to the page, those that are not null.
fn put_values(
    store: &mut ColumnDictionary,
    told: &mut TextStatistics,
    column: &ColumnData,
    texts: &InternedTexts,
    range: Range<usize>,
    is_plain: bool,
    scratch: &mut PageBuffers,
) {
    let nulls = column.nulls.get(range.clone()).unwrap_or_default();
    let PageBuffers {
        numbers,
        numbers_of_texts,
        plain,
        bools,
        ..
    } = scratch;
    match (store, &column.values) {
        (ColumnDictionary::Numbers(dictionary), ColumnValues::Long(values)) => {
            let number = |&it: &i64| dictionary.insert(it.cast_unsigned());
            put(&values[range], nulls, number, numbers);
        }
        (ColumnDictionary::Numbers(dictionary), ColumnValues::Int(values)) => {
            let number = |&it: &i32| dictionary.insert(it.cast_unsigned().into());
            put(&values[range], nulls, number, numbers);
        }
        (ColumnDictionary::Numbers(dictionary), ColumnValues::Double(values)) => {
            let number = |&it: &f64| dictionary.insert(it.to_bits());
            put(&values[range], nulls, number, numbers);
        }
        (ColumnDictionary::Bools(has), ColumnValues::Bool(values)) => {
            let start = bools.len();
            put(&values[range], nulls, |&it| it, bools);
            has[0] |= bools[start..].contains(&false);
            has[1] |= bools[start..].contains(&true);
        }
        (ColumnDictionary::Texts(_), ColumnValues::Single(bytes, ends)) => {
            let mut start = match range.start {
                0 => 0,
                at => ends[at - 1] as usize,
            };
            for (nth, &end) in ends[range].iter().enumerate() {
                let text = &bytes[start..end as usize];
                start = end as usize;
                if nulls.get(nth) != Some(&true) {
                    told.add(text);
                    put_plain(text, plain);
                }
            }
        }
        (ColumnDictionary::Texts(_), ColumnValues::Text(values)) if is_plain => {
            for (nth, &no) in values[range].iter().enumerate() {
                if nulls.get(nth) != Some(&true) {
                    let text = texts.get(no);
                    told.add(text);
                    put_plain(text, plain);
                }
            }
        }
        (ColumnDictionary::Texts(dictionary), ColumnValues::Text(values)) => {
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

/// Adds the values of some rows of the second column to the page, where the
/// first was added to the page before; most stand in both.
fn put_alike(
    store: &mut ColumnDictionary,
    columns: [&ColumnData; 2],
    texts: &InternedTexts,
    range: Range<usize>,
    scratch: &mut PageBuffers,
) {
    let PageBuffers {
        numbers,
        numbers_before,
        ..
    } = scratch;
    let (
        ColumnDictionary::Texts(dictionary),
        [ColumnValues::Text(before), ColumnValues::Text(values)],
    ) = (store, columns.map(|it| &it.values))
    else {
        unreachable!("columns that share are texts")
    };
    let numbered = before[range.clone()]
        .iter()
        .zip(&numbers_before[numbers.len()..]);
    let mut last = (NONE, NONE);
    let alike = values[range].iter().zip(numbered);
    numbers.extend(alike.map(|(&no, (&before, &number))| {
        if no == before {
            return number;
        }
        if no != last.0 {
            last = (no, dictionary.insert(texts.get(no), texts.hash(no)));
        }
        last.1
    }));
}

impl ChunkBuilder {
    /// Notes values of the dictionary that are this column's.
    fn own(&mut self, numbers: &[u32]) {
        let greatest = numbers.iter().max().map_or(0, |&it| it as usize);
        if self.is_own.len() <= greatest {
            self.is_own.resize(greatest + 1, false);
        }
        for &number in numbers {
            self.is_own[number as usize] = true;
        }
    }

    /// Appends a compressed page.
    fn append(
        &mut self,
        buf: Bytes,
        uncompressed_bytes: usize,
        is_coded: bool,
        n_rows: usize,
        n_nulls: usize,
    ) -> Result<(), ParquetError> {
        self.n_coded += i32::from(is_coded);
        self.n_plain += i32::from(!is_coded);
        self.rows += n_rows as u64;
        self.nulls += n_nulls as u64;
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
        let page = CompressedPage::new(page, uncompressed_bytes);
        let spec = SerializedPageWriter::new(&mut self.pages).write_page(page)?;
        self.uncompressed_bytes += spec.uncompressed_size as u64;
        self.locations
            .append_offset_and_size(spec.offset as i64, spec.compressed_size as i32);
        self.locations.append_row_count(n_rows as i64);
        Ok(())
    }

    /// Ends the chunk.
    fn close(
        mut self,
        values: &ColumnDictionary,
        dictionary: Option<&DictionaryPage>,
        level: ZstdLevel,
    ) -> Result<ColumnChunk, ParquetError> {
        let mut sink = TrackedWrite::new(Vec::new());
        let has_dictionary = dictionary.is_some();
        if let Some(dictionary) = dictionary {
            let page = Page::DictionaryPage {
                buf: dictionary.compressed.clone(),
                num_values: dictionary.count as u32,
                encoding: Encoding::PLAIN,
                is_sorted: false,
            };
            let page = CompressedPage::new(page, dictionary.bytes);
            let spec = SerializedPageWriter::new(&mut sink).write_page(page)?;
            self.uncompressed_bytes += spec.uncompressed_size as u64;
        }
        let dictionary_bytes = sink.bytes_written() as i64;
        let mut bytes = sink.into_inner()?;
        bytes.append(&mut self.pages.into_inner()?);

        let (statistics, bloom_filter) =
            values.tell(&self.descr, self.nulls, self.texts, &self.is_own);
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
            .set_compression(Compression::ZSTD(level))
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
        Ok(ColumnChunk {
            bytes: bytes.into(),
            close,
        })
    }
}

impl ColumnDictionary {
    /// The dictionary's page, which may have to be laid out, and how many
    /// values it has.
    fn dictionary<'p>(&'p self, physical: Type, page: &'p mut Vec<u8>) -> (&'p [u8], usize) {
        page.clear();
        match self {
            Self::Texts(dictionary) => (dictionary.page(), dictionary.len()),
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

    /// The statistics, and the Bloom filter where one is to be made. `is_own`
    /// says which values are the column's, all if it is empty.
    fn tell(
        &self,
        descr: &ColumnDescPtr,
        nulls: u64,
        mut told: TextStatistics,
        is_own: &[bool],
    ) -> (Statistics, Option<Sbbf>) {
        match self {
            Self::Texts(dictionary) => {
                let own = is_own
                    .iter()
                    .copied()
                    .chain(std::iter::repeat(is_own.is_empty()));
                for (text, _) in dictionary.texts().zip(own).filter(|&(_, is_own)| is_own) {
                    told.add(text);
                }
                if let Some(bloom) = &mut told.bloom {
                    bloom.fold_to_target_fpp(BLOOM_FPP);
                }
                (told.range.statistics(nulls), told.bloom)
            }
            Self::Numbers(dictionary) => {
                let values = dictionary.values().iter().copied();
                let statistics = match descr.physical_type() {
                    Type::INT32 => statistics::of_ints(values.map(|it| it as i32), nulls),
                    Type::INT64 => statistics::of_longs(values.map(u64::cast_signed), nulls),
                    _ => statistics::of_doubles(values.map(f64::from_bits), nulls),
                };
                (statistics, None)
            }
            Self::Bools(has) => (statistics::of_bools(*has, nulls), None),
        }
    }
}

impl TextStatistics {
    fn add(&mut self, text: &[u8]) {
        self.range.add(text);
        if let Some(rows) = self.bloom_rows {
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
    column: &ColumnData,
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
    let width = rle::width(count);
    page.push(width);
    rle::pack(numbers, width, page);
}

fn put_plain(text: &[u8], plain: &mut Vec<u8>) {
    plain.extend_from_slice(&(text.len() as u32).to_le_bytes());
    plain.extend_from_slice(text);
}

//! The encoder of column chunks.

use super::column_chunk::{ColumnChunk, ColumnChunkBuilder, TextStatistics};
use super::dictionary::{ColumnDictionary, TextDictionary};
use super::page::{EncodedPage, PageBuffers};
use super::row_groups::BatchRows;
use super::{ColumnData, ColumnEncoding, ColumnValues, InternedTexts, ValueEncoding};
use parquet::basic::ZstdLevel;
use parquet::errors::ParquetError;
use parquet::schema::types::ColumnDescPtr;
use std::ops::Range;

/// The size of a dictionary of texts in bytes above which further pages have plain texts.
const MAX_DICTIONARY_BYTES: usize = 8 << 20;

/// If a batch has more texts than this for each of its rows in the page, the text of each
/// row is looked up in the dictionary, without a table of indexes by text id.
const MAX_TEXTS_PER_ROW: usize = 16;

/// Marks a text whose dictionary index has not been looked up yet.
const UNKNOWN_INDEX: u32 = u32::MAX;

/// Encodes one column of a row group: rows are written page by page, then the
/// column is closed into a chunk.
///
/// The interface is that of `parquet::arrow::arrow_writer::ArrowColumnWriter`,
/// which this type replaces for speed: with the crate's writer (version 60.1), which hashes every value
/// of every row, a scan takes 1.26 to 1.28 times the CPU time (docs/developers/performance.md). Here,
/// each distinct text of a batch is looked up in the dictionary once, and statistics
/// are computed from the dictionary.
///
/// Delete this type and its parts (`column_chunk.rs`, `dictionary.rs`, `page.rs`,
/// `rle.rs`, `statistics.rs`) once the crate's writer makes a scan at most
/// 15 % slower. See arrow-rs issues #10465 and #10862.
///
/// Pages have dictionary indexes, except for columns of another [`ValueEncoding`], booleans, and
/// texts that are not interned or come after the dictionary has grown too large.
pub struct ColumnWriter {
    /// The index of the column in the batches.
    column: usize,
    level: ZstdLevel,
    encoding: ValueEncoding,
    dictionary: ColumnDictionary,
    chunk: ColumnChunkBuilder,
}

impl ColumnWriter {
    /// Makes a writer for the column with this index in the batches.
    pub fn new(
        column: usize,
        descr: ColumnDescPtr,
        encoding: ColumnEncoding,
        level: ZstdLevel,
    ) -> Self {
        Self {
            column,
            level,
            encoding: encoding.values,
            dictionary: ColumnDictionary::new(descr.physical_type(), encoding.values),
            chunk: ColumnChunkBuilder::new(descr, encoding.has_bloom_filter),
        }
    }

    /// Encodes rows as one page.
    ///
    /// # Errors
    ///
    /// Those of compression.
    #[inline(never)] // A stage of `make profile`.
    pub fn write_page(
        &mut self,
        batches: &[BatchRows],
        buffers: &mut PageBuffers,
    ) -> Result<(), ParquetError> {
        let n_rows: usize = batches.iter().map(|batch| batch.rows.len()).sum();
        if n_rows == 0 {
            return Ok(());
        }
        let columns = batches
            .iter()
            .map(|BatchRows { batch, rows }| (batch.column(self.column), rows.clone()));
        let null_counts = columns.clone();
        let n_nulls: usize = null_counts
            .map(|(column, rows)| column.null_count(&rows))
            .sum();
        let descr = &self.chunk.descr;
        buffers.start_page(columns, descr, n_rows, n_nulls);
        let mut is_plain = match &self.dictionary {
            ColumnDictionary::Texts(dictionary) => dictionary.page().len() > MAX_DICTIONARY_BYTES,
            _ => false,
        };
        for BatchRows { batch, rows } in batches {
            let column = batch.column(self.column);
            is_plain |= matches!(column.values, ColumnValues::PlainText(..));
            if n_nulls == n_rows {
                continue;
            }
            let source = ColumnRows {
                column,
                texts: batch.texts(),
                rows: rows.clone(),
            };
            let statistics = &mut self.chunk.text_statistics;
            let plain = is_plain.then_some(self.encoding);
            append_values(&mut self.dictionary, statistics, source, plain, buffers);
        }
        let encoding = buffers.finish_page(&mut self.dictionary, descr, self.encoding, is_plain);
        let (compressed, uncompressed_bytes) = buffers.compress_page(self.level)?;
        self.chunk.append_page(EncodedPage {
            compressed,
            uncompressed_bytes,
            encoding,
            rows: n_rows,
            nulls: n_nulls,
        })
    }

    /// Closes the column into a chunk.
    ///
    /// # Errors
    ///
    /// Those of compression.
    #[inline(never)] // A stage of `make profile`.
    pub fn close(self, buffers: &mut PageBuffers) -> Result<ColumnChunk, ParquetError> {
        let Self {
            dictionary,
            chunk,
            level,
            ..
        } = self;
        let page = chunk
            .needs_dictionary()
            .then(|| buffers.encode_dictionary(&dictionary, chunk.descr.physical_type(), level));
        chunk.close(&dictionary, page.transpose()?.as_ref(), level)
    }
}

/// Rows of a column of a batch, with the texts of the batch.
struct ColumnRows<'a> {
    column: &'a ColumnData,
    texts: &'a InternedTexts,
    rows: Range<usize>,
}

/// Appends the values of rows to the page, except nulls. `plain` is the encoding of texts that are not put
/// into the dictionary; `None` if they are put into it.
fn append_values(
    dictionary: &mut ColumnDictionary,
    statistics: &mut TextStatistics,
    source: ColumnRows<'_>,
    plain: Option<ValueEncoding>,
    buffers: &mut PageBuffers,
) {
    let ColumnRows {
        column,
        texts,
        rows,
    } = source;
    let nulls = column.nulls.get(rows.clone()).unwrap_or_default();
    let encoding = plain.unwrap_or_default();
    let indexes = &mut buffers.indexes;
    match (dictionary, &column.values) {
        (ColumnDictionary::Numbers(dictionary), ColumnValues::Long(values)) => {
            let index = |&value: &i64| dictionary.insert(value.cast_unsigned());
            append_non_null(&values[rows], nulls, index, indexes);
        }
        (ColumnDictionary::Numbers(dictionary), ColumnValues::Int(values)) => {
            let index = |&value: &i32| dictionary.insert(value.cast_unsigned().into());
            append_non_null(&values[rows], nulls, index, indexes);
        }
        (ColumnDictionary::Integers(_), ColumnValues::Long(values)) => {
            append_non_null(&values[rows], nulls, |&value| value, &mut buffers.integers);
        }
        (ColumnDictionary::Integers(_), ColumnValues::Int(values)) => {
            let integer = |&value: &i32| i64::from(value);
            append_non_null(&values[rows], nulls, integer, &mut buffers.integers);
        }
        (ColumnDictionary::Bools(occurs), ColumnValues::Bool(values)) => {
            let bools = &mut buffers.bools;
            let start = bools.len();
            append_non_null(&values[rows], nulls, |&value| value, bools);
            occurs[0] |= bools[start..].contains(&false);
            occurs[1] |= bools[start..].contains(&true);
        }
        (ColumnDictionary::Texts(_), ColumnValues::PlainText(bytes, ends)) => {
            let mut start = match rows.start {
                0 => 0,
                row => ends[row - 1] as usize,
            };
            for (i, &end) in ends[rows].iter().enumerate() {
                let text = &bytes[start..end as usize];
                start = end as usize;
                if nulls.get(i) != Some(&true) {
                    statistics.add(text);
                    buffers.append_text(text, encoding);
                }
            }
        }
        (ColumnDictionary::Texts(_), ColumnValues::Text(ids)) if plain.is_some() => {
            for (i, &id) in ids[rows].iter().enumerate() {
                if nulls.get(i) != Some(&true) {
                    let text = texts.get(id);
                    statistics.add(text);
                    buffers.append_text(text, encoding);
                }
            }
        }
        (ColumnDictionary::Texts(dictionary), ColumnValues::Text(ids)) => {
            append_indexes(dictionary, &ids[rows], nulls, texts, buffers);
        }
        _ => unreachable!("the columns of a batch are those of its schema"),
    }
}

/// Appends the dictionary indexes of interned texts, except nulls.
fn append_indexes(
    dictionary: &mut TextDictionary,
    ids: &[u32],
    nulls: &[bool],
    texts: &InternedTexts,
    buffers: &mut PageBuffers,
) {
    let indexes = &mut buffers.indexes;
    // For a few rows of a batch with many texts, filling a table of indexes costs more than it saves.
    if texts.len() > MAX_TEXTS_PER_ROW * ids.len() {
        let index = |&id: &u32| dictionary.insert(texts.get(id), texts.hash(id));
        return append_non_null(ids, nulls, index, indexes);
    }
    let indexes_by_text = &mut buffers.indexes_by_text;
    indexes_by_text.clear();
    indexes_by_text.resize(texts.len(), UNKNOWN_INDEX);
    let index = |&id: &u32| {
        let index = &mut indexes_by_text[id as usize];
        if *index == UNKNOWN_INDEX {
            *index = dictionary.insert(texts.get(id), texts.hash(id));
        }
        *index
    };
    append_non_null(ids, nulls, index, indexes);
}

/// Appends the result of `map` for each value that is not null. `nulls` may be empty if
/// no value is null.
fn append_non_null<T, U>(values: &[T], nulls: &[bool], map: impl FnMut(&T) -> U, out: &mut Vec<U>) {
    if nulls.is_empty() {
        out.extend(values.iter().map(map));
    } else {
        let present = |(value, &is_null): (_, &bool)| (!is_null).then_some(value);
        out.extend(values.iter().zip(nulls).filter_map(present).map(map));
    }
}

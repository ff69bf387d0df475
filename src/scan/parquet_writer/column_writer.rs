//! The encoder of column chunks.

use super::column_chunk::{ColumnChunk, ColumnChunkBuilder, TextStatistics};
use super::dictionary::ColumnDictionary;
use super::page::{EncodedPage, PageBuffers};
use super::row_groups::BatchRows;
use super::{ColumnData, ColumnValues, InternedTexts};
use parquet::basic::{Type, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::schema::types::ColumnDescPtr;
use std::ops::Range;

/// The size of a dictionary of texts from which on pages have plain texts.
const MAX_DICTIONARY_BYTES: usize = 8 << 20;

/// The ratio of texts of a batch to rows in the page above which no table from
/// texts to dictionary indexes is made.
const MAX_TEXTS_PER_ROW: usize = 16;

/// Marks a text whose dictionary index is not known yet.
const UNKNOWN: u32 = u32::MAX;

/// Encodes one column of a row group: rows are written page by page, then the
/// column is closed into a chunk. Adjacent columns that share a dictionary are
/// encoded by one writer.
///
/// The interface is that of `parquet::arrow::arrow_writer::ArrowColumnWriter`,
/// which this type replaces for speed: on crawl archives the crate's writer
/// (version 60.1) costs 0.7 times the whole decompression more, on the stress
/// corpus 1.8 times, with or without dictionary arrays, since it hashes every
/// value of every row and compares each with the minimum and the maximum. Here,
/// the dictionary is looked up once per distinct text of a batch, and statistics
/// are computed from the dictionary.
///
/// Delete this type and its parts (`column_chunk.rs`, `dictionary.rs`, `page.rs`,
/// `rle.rs`, `statistics.rs`) once the crate's writer makes the whole job at most
/// 15 % slower. `benches/tables.rs` compares the two on the same rows (groups
/// `parquet/own` and `parquet/crate`). See arrow-rs issues #10465 and #10862.
///
/// Pages have dictionary indexes, except for booleans, plain texts, and texts
/// after the dictionary has grown too large.
pub(crate) struct ColumnWriter {
    /// The index of the first column in the batches.
    first_column: usize,
    level: ZstdLevel,
    dictionary: ColumnDictionary,
    chunks: Vec<ColumnChunkBuilder>,
}

/// A column of a file, as a [`ColumnWriter`] needs it.
pub(crate) struct ColumnTarget {
    pub(crate) descr: ColumnDescPtr,
    /// The maximum number of rows of a row group, if a Bloom filter is to be
    /// written.
    pub(crate) bloom_rows: Option<u64>,
}

impl ColumnWriter {
    /// Makes a writer for one column, or for adjacent columns that share a
    /// dictionary. `first_column` is the index of the first one in the batches.
    ///
    /// # Panics
    ///
    /// If several columns are given and one is not a text or may be null.
    pub(crate) fn new(first_column: usize, columns: Vec<ColumnTarget>, level: ZstdLevel) -> Self {
        if columns.len() > 1 {
            let can_share = |column: &ColumnTarget| {
                column.descr.physical_type() == Type::BYTE_ARRAY
                    && column.descr.max_def_level() == 0
            };
            assert!(columns.iter().all(can_share));
        }
        let physical = columns.first().map(|column| column.descr.physical_type());
        let chunk = |column: ColumnTarget| ColumnChunkBuilder::new(column.descr, column.bloom_rows);
        Self {
            first_column,
            level,
            dictionary: ColumnDictionary::new(physical.unwrap_or(Type::BYTE_ARRAY)),
            chunks: columns.into_iter().map(chunk).collect(),
        }
    }

    /// Encodes rows as one page of each column.
    ///
    /// # Errors
    ///
    /// Those of compression.
    #[inline(never)] // A stage of `make profile`.
    pub(crate) fn write(
        &mut self,
        batches: &[BatchRows],
        buffers: &mut PageBuffers,
    ) -> Result<(), ParquetError> {
        let is_full = match &self.dictionary {
            ColumnDictionary::Texts(dictionary) => dictionary.page().len() > MAX_DICTIONARY_BYTES,
            _ => false,
        };
        let is_shared = self.chunks.len() > 1;
        for (i, chunk) in self.chunks.iter_mut().enumerate() {
            buffers.start_page();
            let (mut n_rows, mut n_nulls) = (0, 0);
            let mut is_plain = is_full;
            for BatchRows { batch, rows } in batches {
                let column = batch.column(self.first_column + i);
                is_plain |= matches!(column.values, ColumnValues::PlainText(..));
                n_rows += rows.len();
                n_nulls += buffers.append_levels(column, rows, n_rows);
                let source = ColumnRows {
                    column,
                    texts: batch.texts(),
                    rows: rows.clone(),
                };
                if i > 0 && !is_plain {
                    let previous = batch.column(self.first_column + i - 1);
                    append_shared(&mut self.dictionary, previous, source, buffers);
                } else {
                    let statistics = &mut chunk.texts;
                    append_values(&mut self.dictionary, statistics, source, is_plain, buffers);
                }
            }
            if n_rows == 0 {
                return Ok(());
            }
            let dictionary = &self.dictionary;
            let has_indexes = buffers.lay_out(dictionary, &chunk.descr, is_plain, n_rows, n_nulls);
            if has_indexes && is_shared {
                chunk.mark_values(&buffers.indexes);
            }
            let (compressed, uncompressed_bytes) = buffers.compress_page(self.level)?;
            chunk.append(EncodedPage {
                compressed,
                uncompressed_bytes,
                has_dictionary_indexes: has_indexes,
                rows: n_rows,
                nulls: n_nulls,
            })?;
        }
        Ok(())
    }

    /// Closes the columns into chunks, in their order.
    ///
    /// # Errors
    ///
    /// Those of compression.
    #[inline(never)] // A stage of `make profile`.
    pub(crate) fn close(self, buffers: &mut PageBuffers) -> Result<Vec<ColumnChunk>, ParquetError> {
        let Self {
            dictionary,
            chunks,
            level,
            ..
        } = self;
        let first = chunks.first().filter(|chunk| chunk.needs_dictionary());
        let page = first.map(|chunk| {
            buffers.encode_dictionary(&dictionary, chunk.descr.physical_type(), level)
        });
        let page = page.transpose()?;
        let chunks = chunks.into_iter();
        chunks
            .map(|chunk| chunk.close(&dictionary, page.as_ref(), level))
            .collect()
    }
}

/// Rows of a column of a batch, with the texts of the batch.
struct ColumnRows<'a> {
    column: &'a ColumnData,
    texts: &'a InternedTexts,
    rows: Range<usize>,
}

/// Appends the values of rows to the page, except nulls.
fn append_values(
    dictionary: &mut ColumnDictionary,
    statistics: &mut TextStatistics,
    source: ColumnRows<'_>,
    is_plain: bool,
    buffers: &mut PageBuffers,
) {
    let ColumnRows {
        column,
        texts,
        rows,
    } = source;
    let nulls = column.nulls.get(rows.clone()).unwrap_or_default();
    let indexes = &mut buffers.indexes;
    match (dictionary, &column.values) {
        (ColumnDictionary::Numbers(dictionary), ColumnValues::Long(values)) => {
            let index = |&value: &i64| dictionary.insert(value.cast_unsigned());
            append_mapped(&values[rows], nulls, index, indexes);
        }
        (ColumnDictionary::Numbers(dictionary), ColumnValues::Int(values)) => {
            let index = |&value: &i32| dictionary.insert(value.cast_unsigned().into());
            append_mapped(&values[rows], nulls, index, indexes);
        }
        (ColumnDictionary::Numbers(dictionary), ColumnValues::Double(values)) => {
            let index = |&value: &f64| dictionary.insert(value.to_bits());
            append_mapped(&values[rows], nulls, index, indexes);
        }
        (ColumnDictionary::Bools(occurs), ColumnValues::Bool(values)) => {
            let bools = &mut buffers.bools;
            let start = bools.len();
            append_mapped(&values[rows], nulls, |&value| value, bools);
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
                    buffers.append_plain(text);
                }
            }
        }
        (ColumnDictionary::Texts(_), ColumnValues::Text(ids)) if is_plain => {
            for (i, &id) in ids[rows].iter().enumerate() {
                if nulls.get(i) != Some(&true) {
                    let text = texts.get(id);
                    statistics.add(text);
                    buffers.append_plain(text);
                }
            }
        }
        (ColumnDictionary::Texts(dictionary), ColumnValues::Text(ids)) => {
            // For few rows of a batch with many texts, the table costs more than
            // it saves.
            if texts.len() > MAX_TEXTS_PER_ROW * rows.len() {
                let index = |&id: &u32| dictionary.insert(texts.get(id), texts.hash(id));
                return append_mapped(&ids[rows], nulls, index, indexes);
            }
            let index_of_text = &mut buffers.index_of_text;
            index_of_text.clear();
            index_of_text.resize(texts.len(), UNKNOWN);
            let index = |&id: &u32| {
                let index = &mut index_of_text[id as usize];
                if *index == UNKNOWN {
                    *index = dictionary.insert(texts.get(id), texts.hash(id));
                }
                *index
            };
            append_mapped(&ids[rows], nulls, index, indexes);
        }
        _ => unreachable!("the columns of a batch are those of its schema"),
    }
}

/// Appends the values of rows of a column that shares the dictionary of the
/// previous one, whose page was laid out just before. Most values of both are equal,
/// so that their indexes are known.
fn append_shared(
    dictionary: &mut ColumnDictionary,
    previous: &ColumnData,
    source: ColumnRows<'_>,
    buffers: &mut PageBuffers,
) {
    let ColumnRows {
        column,
        texts,
        rows,
    } = source;
    let (
        ColumnDictionary::Texts(dictionary),
        [ColumnValues::Text(previous_ids), ColumnValues::Text(ids)],
    ) = (dictionary, [&previous.values, &column.values])
    else {
        unreachable!("columns that share a dictionary are texts")
    };
    let PageBuffers {
        indexes,
        previous_indexes,
        ..
    } = buffers;
    let previous = previous_ids[rows.clone()]
        .iter()
        .zip(&previous_indexes[indexes.len()..]);
    let mut last = (UNKNOWN, UNKNOWN);
    let pairs = ids[rows].iter().zip(previous);
    indexes.extend(pairs.map(|(&id, (&previous_id, &index))| {
        if id == previous_id {
            return index;
        }
        if id != last.0 {
            last = (id, dictionary.insert(texts.get(id), texts.hash(id)));
        }
        last.1
    }));
}

/// Appends the result of `map` for each value that is not null. `nulls` is empty if
/// no value is.
fn append_mapped<T, U>(values: &[T], nulls: &[bool], map: impl FnMut(&T) -> U, out: &mut Vec<U>) {
    if nulls.is_empty() {
        out.extend(values.iter().map(map));
    } else {
        let present = |(value, &is_null): (_, &bool)| (!is_null).then_some(value);
        out.extend(values.iter().zip(nulls).filter_map(present).map(map));
    }
}

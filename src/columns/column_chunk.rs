//! A column chunk: the encoded pages of one column of a row group, with its metadata.

use super::bloom_filter::bloom_filter;
use super::dictionary::ColumnDictionary;
use super::page::{DictionaryPage, EncodedPage};
use super::statistics::TextRange;
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, PageType, ZstdLevel};
use parquet::bloom_filter::Sbbf;
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, OffsetIndexBuilder, PageEncodingStats};
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedPageWriter, SerializedRowGroupWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use std::io::Write;
use xxhash_rust::xxh64::xxh64;

/// A finished column chunk.
pub struct ColumnChunk {
    bytes: Bytes,
    close_result: ColumnCloseResult,
}

impl ColumnChunk {
    /// Appends the chunk to a row group.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub(crate) fn append_to_row_group<W: Write + Send>(
        self,
        row_group: &mut SerializedRowGroupWriter<'_, W>,
    ) -> Result<(), ParquetError> {
        row_group.append_column(&self.bytes, self.close_result)
    }
}

/// A column chunk to which pages are appended.
pub(super) struct ColumnChunkBuilder {
    pub(super) descr: ColumnDescPtr,
    pub(super) text_statistics: TextStatistics,
    /// The encoded data pages.
    pages: TrackedWrite<Vec<u8>>,
    locations: OffsetIndexBuilder,
    rows: u64,
    nulls: u64,
    uncompressed_bytes: u64,
    /// The number of data pages with dictionary indexes.
    indexed_pages: i32,
    /// For each encoding of the other data pages, the number of these pages.
    other_pages: Vec<(Encoding, i32)>,
}

/// The range and the Bloom filter of the texts of a column chunk.
#[derive(Debug, Default)]
pub(super) struct TextStatistics {
    range: TextRange,
    /// The hashes for the Bloom filter; `None` if it is not written.
    bloom_hashes: Option<Vec<u64>>,
}

impl TextStatistics {
    pub(super) fn add(&mut self, text: &[u8]) {
        self.range.add(text);
        if let Some(hashes) = &mut self.bloom_hashes {
            hashes.push(xxh64(text, 0));
        }
    }

    fn finish(self, nulls: u64) -> (Statistics, Option<Sbbf>) {
        let hashes = self.bloom_hashes.unwrap_or_default();
        (self.range.statistics(nulls), bloom_filter(&hashes))
    }
}

impl ColumnChunkBuilder {
    /// Makes an empty chunk.
    pub(super) fn new(descr: ColumnDescPtr, has_bloom_filter: bool) -> Self {
        Self {
            descr,
            text_statistics: TextStatistics {
                range: TextRange::default(),
                bloom_hashes: has_bloom_filter.then(Vec::new),
            },
            pages: TrackedWrite::new(Vec::new()),
            locations: OffsetIndexBuilder::new(),
            rows: 0,
            nulls: 0,
            uncompressed_bytes: 0,
            indexed_pages: 0,
            other_pages: Vec::new(),
        }
    }

    /// Returns true if one of the pages has dictionary indexes.
    pub(super) fn needs_dictionary(&self) -> bool {
        self.indexed_pages > 0
    }

    pub(super) fn append_page(&mut self, page: EncodedPage) -> Result<(), ParquetError> {
        match page.encoding {
            Encoding::RLE_DICTIONARY => self.indexed_pages += 1,
            other => match self.other_pages.iter_mut().find(|page| page.0 == other) {
                Some((_, count)) => *count += 1,
                None => self.other_pages.push((other, 1)),
            },
        }
        self.rows += page.rows as u64;
        self.nulls += page.nulls as u64;
        let data_page = Page::DataPage {
            buf: page.compressed,
            num_values: page.rows as u32,
            encoding: page.encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        let data_page = CompressedPage::new(data_page, page.uncompressed_bytes);
        let spec = SerializedPageWriter::new(&mut self.pages).write_page(data_page)?;
        self.uncompressed_bytes += spec.uncompressed_size as u64;
        self.locations
            .append_offset_and_size(spec.offset as i64, spec.compressed_size as i32);
        self.locations.append_row_count(page.rows as i64);
        Ok(())
    }

    /// Finishes the chunk: puts the dictionary page before the data pages, and makes the metadata.
    /// `values` has the values for the statistics.
    pub(super) fn close(
        mut self,
        values: &ColumnDictionary,
        dictionary: Option<&DictionaryPage>,
        level: ZstdLevel,
    ) -> Result<ColumnChunk, ParquetError> {
        let mut sink = TrackedWrite::new(Vec::new());
        if let Some(dictionary) = dictionary {
            let page = Page::DictionaryPage {
                buf: dictionary.compressed.clone(),
                num_values: dictionary.values as u32,
                encoding: Encoding::PLAIN,
                is_sorted: false,
            };
            let page = CompressedPage::new(page, dictionary.uncompressed_bytes);
            let spec = SerializedPageWriter::new(&mut sink).write_page(page)?;
            self.uncompressed_bytes += spec.uncompressed_size as u64;
        }
        let dictionary_bytes = sink.bytes_written() as i64;
        let mut bytes = sink.into_inner()?;
        bytes.append(&mut self.pages.into_inner()?);

        let mut pages = Vec::new();
        let mut encodings = vec![Encoding::RLE];
        let encoding_stats = |page_type, encoding, count| PageEncodingStats {
            page_type,
            encoding,
            count,
        };
        if dictionary.is_some() {
            let indexes = Encoding::RLE_DICTIONARY;
            pages.push(encoding_stats(
                PageType::DICTIONARY_PAGE,
                Encoding::PLAIN,
                1,
            ));
            pages.push(encoding_stats(
                PageType::DATA_PAGE,
                indexes,
                self.indexed_pages,
            ));
            encodings.extend([Encoding::PLAIN, indexes]);
        }
        for (encoding, count) in self.other_pages {
            pages.push(encoding_stats(PageType::DATA_PAGE, encoding, count));
            encodings.push(encoding);
        }
        let (statistics, bloom_filter) =
            chunk_statistics(values, &self.descr, self.nulls, self.text_statistics);
        let metadata = ColumnChunkMetaData::builder(self.descr)
            .set_compression(Compression::ZSTD(level))
            .set_encodings(encodings)
            .set_page_encoding_stats(pages)
            .set_num_values(self.rows as i64)
            .set_total_compressed_size(bytes.len() as i64)
            .set_total_uncompressed_size(self.uncompressed_bytes as i64)
            .set_data_page_offset(dictionary_bytes)
            .set_dictionary_page_offset(dictionary.map(|_| 0))
            .set_statistics(statistics)
            .build()?;
        let mut locations = self.locations.build();
        for location in &mut locations.page_locations {
            location.offset += dictionary_bytes;
        }
        let close_result = ColumnCloseResult {
            bytes_written: bytes.len() as u64,
            rows_written: self.rows,
            metadata,
            bloom_filter,
            column_index: None,
            offset_index: Some(locations),
        };
        Ok(ColumnChunk {
            bytes: bytes.into(),
            close_result,
        })
    }
}

/// Returns the statistics of a chunk, and its Bloom filter if it has one.
fn chunk_statistics(
    dictionary: &ColumnDictionary,
    descr: &ColumnDescPtr,
    nulls: u64,
    mut texts: TextStatistics,
) -> (Statistics, Option<Sbbf>) {
    if let Some(statistics) = dictionary.statistics(descr.physical_type(), nulls) {
        return (statistics, None);
    }
    if let ColumnDictionary::Texts(dictionary) = dictionary {
        dictionary.texts().for_each(|text| texts.add(text));
    }
    texts.finish(nulls)
}

//! A Parquet file whose pages may not exceed a limit.
//!
//! A page is decompressed as a whole, so its size determines the memory of the reader. The size is
//! read from the page header, and a page that is too large is refused before it is read. The
//! decoders of gzip, brotli and LZ4 frames in the crate `parquet` write as much as there is,
//! whatever the header states. A page with one of these codecs is therefore decompressed here first,
//! without keeping the output. Delete this check once the crate respects the stated size.

use super::Limits;
use super::page_header::{DICTIONARY_PAGE_TYPE, PageHeader, PageLocation};
use super::value_limit::{LargeValues, ValueCounter};
use arrow_array::RecordBatch;
use bytes::Bytes;
use errors::{Error, ErrorKind};
use parquet::basic::{Compression, Encoding};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::SchemaDescPtr;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::{Deref, Range};
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The limit of the bytes of values of a batch. If the limit of the pages of a column is smaller, it is
/// also the limit of the values of this column.
const MAX_BATCH_BYTES: u64 = 64 << 20;

/// The size above which a page may have at most [`MAX_PAGE_RATIO`] bytes for each compressed byte.
const RATIO_CHECK_START_PAGE_BYTES: u64 = 64 << 20;

/// The limit of the bytes of a large page for each compressed byte. Archives have the same limit.
const MAX_PAGE_RATIO: u64 = 1100;

/// The size up to which a dictionary is not searched for its longest value: the size of the dictionary is used
/// as the length of this value, so that the dictionary is not read twice.
const SMALL_DICTIONARY_BYTES: u64 = 2 << 10;

/// The magic number of an LZ4 frame.
const LZ4_FRAME_MAGIC: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];

/// A page that was not read because it exceeds the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LargePage {
    /// The row group and the column of the page.
    pub location: PageLocation,
    /// Its size, compressed or decompressed, whichever is larger.
    pub bytes: u64,
    /// The limit of the size of a page of this column.
    pub bytes_max: u64,
}

/// A Parquet file with a limit on the size of its pages.
#[derive(Clone, Debug)]
pub struct LimitedFile {
    file: SharedFile,
    /// Column chunks in the order of the file, which do not overlap.
    chunks: Arc<[Chunk]>,
    schema: SchemaDescPtr,
    state: Arc<Mutex<ReadState>>,
    stop: Option<Arc<AtomicBool>>,
    /// The limit of the pages of a row group together, decompressed.
    row_group_bytes_max: Option<u64>,
}

/// A column chunk: its bytes in the file, and what is needed to check its pages.
#[derive(Debug)]
struct Chunk {
    bytes: Range<u64>,
    row_group: usize,
    /// The index of the column among those of the schema. The schema has the paths once for all row groups.
    column: usize,
    codec: Compression,
    /// True if values may be encoded by the prefix that they share with the previous one (`DELTA_BYTE_ARRAY`).
    has_shared_prefixes: bool,
    page_bytes_max: u64,
}

/// The progress of reading, which all clones of a file share.
#[derive(Debug, Default)]
struct ReadState {
    /// The pages whose headers were read last, by the indexes of their chunks.
    pages: HashMap<usize, ChunkPages>,
    /// For each row group, the decompressed bytes of the pages whose headers were read.
    page_bytes: HashMap<usize, u64>,
    /// The index of the chunk that was read last.
    last_chunk: Option<usize>,
    refused_page: Option<LargePage>,
    refused_values: Option<LargeValues>,
    /// True if reading failed because the run is to stop.
    is_stopped: bool,
}

/// The pages of a chunk whose headers were read, and whose data may be read next. The data of the
/// dictionary page may be read after the header of the page that follows the dictionary.
#[derive(Debug, Default)]
struct ChunkPages {
    dictionary: Option<Page>,
    current: Option<Page>,
    /// The offset after the last header that is counted in [`ReadState::page_bytes`], so that a header that is
    /// read again is not counted again.
    counted_end: u64,
}

/// A page whose header was read.
#[derive(Clone, Copy, Debug)]
struct Page {
    /// The offset of its data.
    data_start: u64,
    header: PageHeader,
}

impl LimitedFile {
    /// Opens a file with the limits of its pages. Reading fails once `stop` is set.
    pub(crate) fn new(
        file: impl Into<Arc<File>>,
        metadata: &ParquetMetaData,
        limits: &Limits<'_>,
        stop: Option<Arc<AtomicBool>>,
    ) -> Result<Self, ParquetError> {
        let schema = metadata.file_metadata().schema_descr_ptr();
        let columns = schema.columns().iter();
        let page_bytes_max: Vec<u64> = columns
            .map(|column| (limits.page_bytes)(&column.path().string()))
            .collect();
        let mut chunks = Vec::new();
        for (row_group, group) in metadata.row_groups().iter().enumerate() {
            for (column, (chunk, &page_bytes_max)) in
                group.columns().iter().zip(&page_bytes_max).enumerate()
            {
                let (start, length) = byte_range(chunk)?;
                chunks.push(Chunk {
                    bytes: start..start.saturating_add(length),
                    codec: chunk.compression(),
                    has_shared_prefixes: has_shared_prefixes(chunk),
                    page_bytes_max,
                    row_group,
                    column,
                });
            }
        }
        chunks.retain(|chunk| !chunk.bytes.is_empty());
        chunks.sort_by_key(|chunk| chunk.bytes.start);
        if chunks
            .windows(2)
            .any(|two| two[0].bytes.end > two[1].bytes.start)
        {
            return Err(parquet_error("its column chunks overlap"));
        }
        Ok(Self {
            file: SharedFile(file.into()),
            chunks: chunks.into(),
            schema,
            state: Arc::default(),
            stop,
            row_group_bytes_max: limits.row_group_page_bytes,
        })
    }

    /// Returns the number of rows, up to `rows`, whose values in these column chunks take at most
    /// [`MAX_BATCH_BYTES`] together.
    ///
    /// The values of plain pages are as large as the pages. A value of a dictionary may be
    /// repeated in each row, and so may a prefix with `DELTA_BYTE_ARRAY`.
    pub fn max_batch_rows<'c>(
        &self,
        chunks: impl IntoIterator<Item = &'c ColumnChunkMetaData>,
        rows: u64,
    ) -> Result<u64, ParquetError> {
        let (mut least, mut dictionary_bytes) = (rows, 0);
        for chunk in chunks {
            let (offset, length) = byte_range(chunk)?;
            let Some(i) = self.find_chunk_at(offset).filter(|_| length > 0) else {
                continue;
            };
            let value_bytes = if has_shared_prefixes(chunk) {
                u64::try_from(chunk.uncompressed_size()).unwrap_or(u64::MAX)
            } else {
                let longest = self.longest_repeated_bytes(i, offset)?;
                dictionary_bytes += longest;
                longest
            };
            let batch_bytes = MAX_BATCH_BYTES.min(self.chunks[i].page_bytes_max);
            least = least.min(batch_bytes / value_bytes.max(1));
        }
        least = least.min(MAX_BATCH_BYTES / dictionary_bytes.max(1));
        Ok(least.clamp(1, rows))
    }

    /// Returns the length of the longest value of the dictionary of a chunk, or, if the dictionary is small, its
    /// whole size; 0 without a dictionary.
    fn longest_repeated_bytes(&self, chunk: usize, offset: u64) -> Result<u64, ParquetError> {
        let header = self.read_header(offset)?;
        match header.page_type == DICTIONARY_PAGE_TYPE {
            false => Ok(0),
            true if header.larger_size_bytes() <= SMALL_DICTIONARY_BYTES => {
                Ok(header.larger_size_bytes())
            }
            true => self.longest_value_bytes(chunk, offset, &header),
        }
    }

    /// Returns the length of the longest value of a dictionary of texts; the size of the dictionary page if
    /// the length cannot be determined.
    fn longest_value_bytes(
        &self,
        chunk: usize,
        offset: u64,
        header: &PageHeader,
    ) -> Result<u64, ParquetError> {
        let (bytes_max, codec) = (self.chunks[chunk].page_bytes_max, self.chunks[chunk].codec);
        let is_readable = matches!(codec, Compression::ZSTD(_) | Compression::UNCOMPRESSED);
        let bytes_max = bytes_max.min(RATIO_CHECK_START_PAGE_BYTES);
        if header.larger_size_bytes() > bytes_max || !is_readable {
            return Ok(header.larger_size_bytes());
        }
        let length = header.compressed_bytes as usize;
        let data = self.file.get_bytes(offset + header.length, length)?;
        let size = header.uncompressed_bytes as usize;
        let values = match codec {
            Compression::UNCOMPRESSED => data.to_vec(),
            _ => zstd::bulk::decompress(&data, size)?,
        };
        let (mut rest, mut longest) = (&values[..], 0);
        while let Some((length, after)) = rest.split_first_chunk() {
            let length = u32::from_le_bytes(*length) as usize;
            let Some(after) = after.get(length..) else {
                return Ok(header.larger_size_bytes());
            };
            longest = longest.max(length as u64);
            rest = after;
        }
        Ok(longest)
    }

    /// Returns the page that exceeded the limit, if any. An error of the Parquet reader is then
    /// about this page.
    pub fn refused_page(&self) -> Option<LargePage> {
        self.lock().refused_page.clone()
    }

    /// Counts the values of a batch that was read, before the batch is kept. Also fails once the stop flag is
    /// set: the check when a page is opened is not enough, since many batches may come from one page.
    pub fn check_batch(
        &self,
        counter: &mut ValueCounter,
        batch: &RecordBatch,
    ) -> Result<(), ParquetError> {
        self.check_stop()?;
        let mut state = self.lock();
        let chunk = state.last_chunk.map(|chunk| &self.chunks[chunk]);
        let row_group = chunk.map_or(0, |chunk| chunk.row_group);
        counter.add_batch(row_group, batch).map_err(|values| {
            state.refused_values = Some(values.clone());
            ParquetError::External(Box::new(values))
        })
    }

    fn check_stop(&self) -> Result<(), ParquetError> {
        let stop = self.stop.as_ref();
        if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            self.lock().is_stopped = true;
            return Err(parquet_error("the run is to stop"));
        }
        Ok(())
    }

    /// Converts an error of the Parquet reader, and adds the row group and column that were read
    /// last.
    pub fn reader_error(
        &self,
        path: &Path,
        error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Error {
        let state = self.lock();
        if state.is_stopped {
            return Error::new(ErrorKind::Abandoned, path);
        }
        if let Some(values) = &state.refused_values {
            return Error::with_source(ErrorKind::Read, path, values.clone());
        }
        let error = error.into();
        let Some(chunk) = state.last_chunk else {
            return Error::with_source(ErrorKind::Read, path, error);
        };
        let PageLocation { row_group, column } = self.location(&self.chunks[chunk]);
        let error = format!("row group {row_group}, column `{column}`: {error}");
        Error::with_source(ErrorKind::Read, path, error)
    }

    fn location(&self, chunk: &Chunk) -> PageLocation {
        PageLocation {
            row_group: chunk.row_group,
            column: self.schema.column(chunk.column).path().string(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, ReadState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the index of the chunk with the byte at `offset`.
    fn find_chunk_at(&self, offset: u64) -> Option<usize> {
        let after = self
            .chunks
            .partition_point(|chunk| chunk.bytes.start <= offset);
        let i = after.checked_sub(1)?;
        self.chunks[i].bytes.contains(&offset).then_some(i)
    }

    fn read_header(&self, offset: u64) -> Result<PageHeader, ParquetError> {
        let mut read = self.file.get_read(offset)?;
        // Nearly every header is in the buffer that the first read fills.
        let header = PageHeader::read(read.fill_buf()?);
        let header = match header {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                PageHeader::read(&mut read)
            }
            header => header,
        };
        header.map_err(|_| parquet_error("a page header cannot be read"))
    }

    /// Reads and checks the page header at `offset` in chunk `i`. Does nothing if `offset` is the start of the
    /// data of a page whose header was read before.
    fn check_header(&self, i: usize, offset: u64) -> Result<(), ParquetError> {
        let chunk = &self.chunks[i];
        let mut state = self.lock();
        let state = &mut *state;
        state.last_chunk = Some(i);
        let pages = state.pages.entry(i).or_default();
        if [&pages.dictionary, &pages.current]
            .into_iter()
            .flatten()
            .any(|page| page.data_start == offset && page.header.compressed_bytes > 0)
        {
            return Ok(());
        }
        let header = self.read_header(offset)?;
        let paid = u64::from(header.compressed_bytes) * MAX_PAGE_RATIO;
        let bytes_max = chunk
            .page_bytes_max
            .min(paid.max(RATIO_CHECK_START_PAGE_BYTES));
        if header.larger_size_bytes() > bytes_max {
            let bytes = header.larger_size_bytes();
            state.refused_page = Some(LargePage {
                location: self.location(chunk),
                bytes,
                bytes_max,
            });
            return Err(parquet_error(format!(
                "a page has {bytes} bytes, more than {bytes_max}"
            )));
        }
        let row_group_max = self.row_group_bytes_max;
        if let Some(bytes_max) = row_group_max.filter(|max| chunk.page_bytes_max <= *max)
            && pages.counted_end <= offset
        {
            pages.counted_end = offset + header.length;
            let total = state.page_bytes.entry(chunk.row_group).or_default();
            *total = total.saturating_add(header.uncompressed_bytes.into());
            if *total > bytes_max {
                return Err(parquet_error(format!(
                    "the pages of the row group have more than {bytes_max} bytes"
                )));
            }
        }
        let is_dictionary = header.page_type == DICTIONARY_PAGE_TYPE;
        let is_delta = header.encoding == Some(Encoding::DELTA_BYTE_ARRAY as i32);
        // `max_batch_rows` relies on the metadata for the place of the dictionary and for this encoding.
        if is_dictionary && offset != chunk.bytes.start || is_delta && !chunk.has_shared_prefixes {
            return Err(parquet_error(
                "a page is not of a kind that its metadata states",
            ));
        }
        let page = Page {
            data_start: offset + header.length,
            header,
        };
        if is_dictionary {
            pages.dictionary = Some(page)
        } else {
            pages.current = Some(page)
        }
        Ok(())
    }
}

/// A file that several readers read at the same time. Each read has its own offset.
#[derive(Clone, Debug)]
pub(crate) struct SharedFile<F = Arc<File>>(pub(crate) F);

/// Reads a file from an offset on.
#[derive(Debug)]
pub struct FileReader<F = Arc<File>> {
    file: F,
    offset: u64,
}

impl<F: Deref<Target = File>> Read for FileReader<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}

impl<F: Deref<Target = File>> Length for SharedFile<F> {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl<F: Deref<Target = File> + Clone + Send + Sync> ChunkReader for SharedFile<F> {
    type T = BufReader<FileReader<F>>;

    fn get_read(&self, offset: u64) -> Result<Self::T, ParquetError> {
        let file = self.0.clone();
        Ok(BufReader::new(FileReader { file, offset }))
    }

    fn get_bytes(&self, offset: u64, length: usize) -> Result<Bytes, ParquetError> {
        if offset.saturating_add(length as u64) > self.len() {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        let mut bytes = vec![0; length];
        self.0.read_exact_at(&mut bytes, offset)?;
        Ok(bytes.into())
    }
}

impl Length for LimitedFile {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for LimitedFile {
    type T = BufReader<FileReader>;

    /// Opens the file at `offset`, where a page header or the data of a page begins.
    fn get_read(&self, offset: u64) -> Result<Self::T, ParquetError> {
        self.check_stop()?;
        if let Some(i) = self.find_chunk_at(offset) {
            self.check_header(i, offset)?;
        }
        self.file.get_read(offset)
    }

    /// Returns the data of a page whose header was read.
    fn get_bytes(&self, offset: u64, length: usize) -> Result<Bytes, ParquetError> {
        let Some(i) = self.find_chunk_at(offset) else {
            // A Bloom filter is outside the column chunks.
            return self.file.get_bytes(offset, length);
        };
        if length == 0 {
            return Ok(Bytes::new());
        }
        let header = {
            let mut state = self.lock();
            state.last_chunk = Some(i);
            let pages = state.pages.entry(i).or_default();
            let mut pages = [&pages.dictionary, &pages.current].into_iter().flatten();
            let page = pages.find(|page| page.data_start == offset);
            page.map(|page| page.header)
        };
        let header = header.filter(|header| header.compressed_bytes as usize == length);
        let header = header.ok_or_else(|| parquet_error("a page has no header"))?;
        let data = self.file.get_bytes(offset, length)?;
        check_page_size(self.chunks[i].codec, &header, &data)?;
        Ok(data)
    }
}

/// Runs a call of the Parquet reader on a file that may hold any bytes, and
/// turns a panic into an error with the path of the file.
///
/// # Errors
///
/// Those of `call`; [`ErrorKind::Read`] if it panics.
pub fn catch_panic<T>(path: &Path, call: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    // The reader is not used again after a panic.
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| {
        let why = "the Parquet reader panicked: the file is damaged";
        Err(Error::with_source(ErrorKind::Read, path, why))
    })
}

/// Checks that a page has the size that its header states, for codecs whose decoder does not check it.
fn check_page_size(
    codec: Compression,
    header: &PageHeader,
    data: &[u8],
) -> Result<(), ParquetError> {
    // The levels of a page of version 2 are not compressed.
    let levels = header.level_bytes;
    let stated = u64::from(header.uncompressed_bytes).checked_sub(levels);
    let compressed = usize::try_from(levels)
        .ok()
        .and_then(|levels| data.get(levels..));
    let (Some(stated), Some(compressed)) = (stated, compressed) else {
        return Err(parquet_error(
            "a page has other sizes than its header states",
        ));
    };
    if !header.is_compressed || stated == 0 {
        return Ok(());
    }
    let mut decoder: Box<dyn Read + '_> = match codec {
        Compression::GZIP(_) => Box::new(flate2::read::MultiGzDecoder::new(compressed)),
        Compression::BROTLI(_) => {
            Box::new(brotli_decompressor::Decompressor::new(compressed, 4096))
        }
        Compression::LZ4 if compressed.starts_with(&LZ4_FRAME_MAGIC) => {
            Box::new(lz4_flex::frame::FrameDecoder::new(compressed))
        }
        _ => return Ok(()),
    };
    let mut limited = decoder.by_ref().take(stated + 1);
    match io::copy(&mut limited, &mut io::sink())? {
        found if found == stated => Ok(()),
        _ => Err(parquet_error(format!(
            "a page header states {stated} bytes, and the page has another size"
        ))),
    }
}

/// Returns the offset and the length of a column chunk. The function of this name in the crate
/// `parquet` panics for negative numbers.
fn byte_range(chunk: &ColumnChunkMetaData) -> Result<(u64, u64), ParquetError> {
    let start = chunk
        .dictionary_page_offset()
        .unwrap_or_else(|| chunk.data_page_offset());
    let range = (u64::try_from(start), u64::try_from(chunk.compressed_size()));
    match range {
        (Ok(start), Ok(length)) => Ok((start, length)),
        _ => Err(parquet_error("a column chunk has no place")),
    }
}

/// Returns true if values of the chunk may be encoded by the prefix that they share with the previous one.
fn has_shared_prefixes(chunk: &ColumnChunkMetaData) -> bool {
    chunk
        .encodings()
        .any(|encoding| encoding == Encoding::DELTA_BYTE_ARRAY)
}

fn parquet_error(message: impl Into<String>) -> ParquetError {
    ParquetError::General(message.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ValueLimits;
    use arrow_array::{ArrayRef, RecordBatch, StringArray};
    use parquet::arrow::ArrowWriter;
    use parquet::basic::ZstdLevel;
    use parquet::file::properties::WriterProperties;

    /// Reads the first batch of a file with one column and a page limit of 1 MiB.
    fn read(texts: &[String], stop: bool) -> Result<RecordBatch, Error> {
        let column: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
        let batch = RecordBatch::try_from_iter([("text", column)]).unwrap();
        read_within(&batch, 1 << 20, 8 << 20, stop)
    }

    /// Writes a batch, and reads it with limits of a page and of a row group.
    fn read_within(
        batch: &RecordBatch,
        page_bytes: u64,
        row_group_bytes: u64,
        stop: bool,
    ) -> Result<RecordBatch, Error> {
        let file = tempfile::tempfile().unwrap();
        let properties = WriterProperties::builder();
        let properties = properties.set_compression(Compression::ZSTD(ZstdLevel::default()));
        let properties = properties.set_dictionary_enabled(false).build();
        let copy = file.try_clone().unwrap();
        let mut writer = ArrowWriter::try_new(copy, batch.schema(), Some(properties)).unwrap();
        writer.write(batch).unwrap();
        writer.close().unwrap();
        let limits = Limits {
            page_bytes: &|_| page_bytes,
            row_group_page_bytes: Some(row_group_bytes),
            values: ValueLimits {
                start_bytes: u64::MAX,
                ratio: 1,
                row_group_bytes: u64::MAX,
            },
            uncounted_column: None,
        };
        let path = Path::new("part.parquet");
        let stop = Some(Arc::new(AtomicBool::new(stop)));
        let opened = crate::open(path, file, &limits, stop)?;
        let reader = opened.reader_builder().build();
        let file = opened.file;
        let mut reader = reader.map_err(|error| file.reader_error(path, error))?;
        let batch = reader.next().expect("a batch");
        batch.map_err(|error| file.reader_error(path, error))
    }

    #[test]
    fn reading_stops_at_the_next_page() {
        let texts = ["a".to_owned(), "b".to_owned()];
        assert_eq!(read(&texts, false).unwrap().num_rows(), 2);
        let error = read(&texts, true).unwrap_err();
        assert_eq!(error.kind(), Some(&ErrorKind::Abandoned));
    }

    #[test]
    fn an_error_names_the_row_group_and_the_column() {
        let error = read(&["x".repeat(2 << 20)], false).unwrap_err();
        assert_eq!(error.kind(), Some(&ErrorKind::Read));
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert!(
            source.starts_with("row group 0, column `text`: "),
            "{source}"
        );
    }

    /// Returns the message of the cause of an error.
    fn cause(error: &Error) -> String {
        std::error::Error::source(error).unwrap().to_string()
    }

    #[test]
    fn a_large_page_is_paid_for_by_its_stored_bytes() {
        let text: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(65 << 20)]));
        let batch = RecordBatch::try_from_iter([("text", text)]).unwrap();
        let error = read_within(&batch, 1 << 30, 1 << 20, false).unwrap_err();
        let cause = cause(&error);
        assert!(cause.contains(", more than 67108864"), "{cause}");
    }

    #[test]
    fn the_pages_of_a_row_group_have_a_limit() {
        let text: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(900 << 10)]));
        let columns = ["a", "b", "c"].map(|name| (name, Arc::clone(&text)));
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        assert_eq!(read_within(&batch, 1 << 20, 3 << 20, false).unwrap(), batch);
        let error = read_within(&batch, 1 << 20, 2 << 20, false).unwrap_err();
        let cause = cause(&error);
        assert!(
            cause.starts_with("row group 0, column `c`: ")
                && cause.contains("the pages of the row group have more than 2097152 bytes"),
            "{cause}"
        );
    }

    #[test]
    fn a_panic_becomes_an_error_that_names_the_file() {
        let path = Path::new("list.parquet");
        let error = catch_panic::<()>(path, || panic!("index out of bounds")).unwrap_err();
        assert_eq!(error.kind(), Some(&ErrorKind::Read));
        assert_eq!(error.path(), path);
        assert_eq!(catch_panic(path, || Ok(1)).unwrap(), 1);
    }
}

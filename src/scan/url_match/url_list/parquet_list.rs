//! A list of URLs in Parquet.
//!
//! The memory that the reader takes is bounded by the file's own metadata:
//! pages are limited ([`PageLimited`]), and a batch has fewer rows where its
//! values can repeat large ones.

use super::byte_column::ByteColumn;
use super::page_limit::PageLimited;
use super::{Each, Time, column_index, time_of_text};
use crate::dataset::catch_panic;
use crate::error::{Error, ErrorKind, UrlListDefect};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Encoding;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use std::fs::File;
use std::path::Path;

/// The most rows of a batch.
const BATCH_ROWS: u64 = 1024;

/// The most bytes that the values of a batch take beside those of its pages, if
/// the limit of a page is not smaller still.
const BATCH_BYTES_MAX: u64 = 64 << 20;

/// An open file, and where its columns are.
struct ParquetList<'p> {
    file: PageLimited,
    path: &'p Path,
    metadata: ArrowReaderMetadata,
    /// The indices of the columns among the root columns.
    url: usize,
    fetch_time: Option<usize>,
}

/// Reads each row of a list: its URL from the column `wanted`, its time from
/// the column `fetch_time`.
pub(super) fn read(
    path: &Path,
    wanted: &str,
    page_bytes_max: u64,
    each: &mut Each<'_>,
) -> Result<(), Error> {
    let list = ParquetList::open(path, wanted, page_bytes_max)?;
    for row_group in 0..list.metadata.metadata().num_row_groups() {
        let mut reader = catch_panic(path, || list.reader(row_group))?;
        while let Some(batch) = catch_panic(path, || {
            let batch = reader.next().transpose();
            batch.map_err(|error| list.unreadable(error))
        })? {
            list.read_batch(&batch, each)?;
        }
    }
    Ok(())
}

impl<'p> ParquetList<'p> {
    fn open(path: &'p Path, wanted: &str, page_bytes_max: u64) -> Result<Self, Error> {
        let file = File::open(path).map_err(|error| Error::read(path, error))?;
        let load = || {
            let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new());
            metadata.map_err(|error| Error::with_source(ErrorKind::Read, path, error))
        };
        let metadata = catch_panic(path, load)?;
        let refuse = |defect| Error::new(ErrorKind::NotAUrlList(defect), path);
        let fields = metadata.schema().fields();
        let index = |name: &str| {
            let names = fields.iter().map(|field| field.name().as_bytes());
            column_index(names, name).map_err(refuse)
        };
        let Some(url) = index(wanted)? else {
            return Err(refuse(UrlListDefect::NoParquetColumn {
                name: wanted.to_owned(),
            }));
        };
        let fetch_time = index("fetch_time")?.filter(|index| *index != url);
        Ok(Self {
            file: PageLimited::new(file, page_bytes_max),
            path,
            url,
            fetch_time,
            metadata,
        })
    }

    /// Makes a reader of the two columns of a row group.
    fn reader(&self, row_group: usize) -> Result<ParquetRecordBatchReader, Error> {
        let unreadable = |error| self.unreadable(error);
        let file = self.file.clone();
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
        let roots = std::iter::once(self.url).chain(self.fetch_time);
        let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
        let mut rows = BATCH_ROWS;
        let columns = self.metadata.metadata().row_group(row_group).columns();
        for (leaf, chunk) in columns.iter().enumerate() {
            if mask.leaf_included(leaf) {
                rows = rows.min(self.batch_rows(chunk).map_err(unreadable)?);
            }
        }
        let reader = builder
            .with_projection(mask)
            .with_row_groups(vec![row_group])
            .with_batch_size(usize::try_from(rows).unwrap_or(1))
            .build();
        reader.map_err(unreadable)
    }

    /// Returns how many rows of a column chunk take at most [`BATCH_BYTES_MAX`].
    ///
    /// Values of plain pages take what the pages do. A value of a dictionary can
    /// be repeated in each row, and with `DELTA_BYTE_ARRAY` a large prefix can.
    fn batch_rows(&self, chunk: &ColumnChunkMetaData) -> Result<u64, ParquetError> {
        let (offset, bytes) = chunk.byte_range();
        if bytes == 0 {
            return Ok(BATCH_ROWS);
        }
        let is_delta = chunk.encodings().any(|it| it == Encoding::DELTA_BYTE_ARRAY);
        let value_bytes = match is_delta {
            true => u64::try_from(chunk.uncompressed_size()).unwrap_or(u64::MAX),
            false => self.file.dictionary_bytes(offset)?,
        };
        let batch_bytes = BATCH_BYTES_MAX.min(self.file.page_bytes_max());
        Ok((batch_bytes / value_bytes.max(1)).clamp(1, BATCH_ROWS))
    }

    /// Converts an error of the Parquet reader: a page that was refused is named
    /// with its row group, anything else is what the reader reports.
    fn unreadable(&self, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        let Some(page) = self.file.refused() else {
            return Error::with_source(ErrorKind::Read, self.path, error);
        };
        let row_groups = self.metadata.metadata().row_groups();
        let row_group = row_groups.iter().position(|row_group| {
            row_group.columns().iter().any(|chunk| {
                let (offset, bytes) = chunk.byte_range();
                (offset..offset.saturating_add(bytes)).contains(&page.offset)
            })
        });
        let kind = ErrorKind::LargePage {
            row_group: row_group.unwrap_or(0),
            bytes: page.bytes,
            bytes_max: self.file.page_bytes_max(),
        };
        Error::new(kind, self.path)
    }

    fn read_batch(&self, batch: &RecordBatch, each: &mut Each<'_>) -> Result<(), Error> {
        let refuse = |error: ArrowError| {
            let message = error.to_string();
            let kind = ErrorKind::NotAUrlList(UrlListDefect::Arrow { message });
            Error::new(kind, self.path)
        };
        // Columns of a batch are in the order of the file.
        let (urls, times) = match self.fetch_time {
            None => (batch.column(0), None),
            Some(times) if times < self.url => (batch.column(1), Some(batch.column(0))),
            Some(_) => (batch.column(0), Some(batch.column(1))),
        };
        let fields = self.metadata.schema().fields();
        let urls = ByteColumn::new(urls)
            .ok_or_else(|| refuse(wrong_type(fields[self.url].name(), urls)))?;
        let times = times.map(Times::new).transpose().map_err(refuse)?;
        for row in 0..batch.num_rows() {
            let url = urls.value(row).unwrap_or_default();
            let time = times
                .as_ref()
                .map_or(Time::Unsaid, |times| times.value(row));
            each(url.trim_ascii(), time)?;
        }
        Ok(())
    }
}

fn wrong_type(name: &str, array: &ArrayRef) -> ArrowError {
    let kind = array.data_type();
    ArrowError::SchemaError(format!("its column '{name}' is of the type {kind}"))
}

/// A column of times.
enum Times<'a> {
    Typed(&'a ArrayRef),
    Text(ByteColumn<'a>),
}

impl<'a> Times<'a> {
    fn new(array: &'a ArrayRef) -> Result<Self, ArrowError> {
        if let DataType::Timestamp(..) | DataType::Date32 = array.data_type() {
            return Ok(Self::Typed(array));
        }
        let texts = ByteColumn::of_text(array);
        texts.map_or_else(
            || Err(wrong_type("fetch_time", array)),
            |texts| Ok(Self::Text(texts)),
        )
    }

    fn value(&self, row: usize) -> Time {
        match self {
            Self::Typed(array) => typed_time(array, row),
            Self::Text(texts) => match texts.value(row) {
                Some(text) => time_of_text(str::from_utf8(text).expect("the column is of text")),
                None => Time::Unsaid,
            },
        }
    }
}

/// An instant is the same in every zone, and one without a zone is taken as
/// UTC. What is finer than a millisecond is cut, as it is for captures.
fn typed_time(times: &ArrayRef, row: usize) -> Time {
    if times.is_null(row) {
        return Time::Unsaid;
    }
    let millis = match times.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => times
            .as_primitive::<TimestampSecondType>()
            .value(row)
            .checked_mul(1000),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            Some(times.as_primitive::<TimestampMillisecondType>().value(row))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            let micros = times.as_primitive::<TimestampMicrosecondType>().value(row);
            Some(micros.div_euclid(1000))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            let nanos = times.as_primitive::<TimestampNanosecondType>().value(row);
            Some(nanos.div_euclid(1_000_000))
        }
        DataType::Date32 => {
            let days = times.as_primitive::<Date32Type>().value(row);
            Some(i64::from(days) * 86_400_000)
        }
        _ => unreachable!("`Times` holds no other types"),
    };
    millis.map_or(Time::Bad, Time::At)
}

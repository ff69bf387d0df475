//! URL lists in Parquet.
//!
//! The metadata of the file is used to limit memory: large pages are refused ([`LimitedFile`]), and a
//! batch has fewer rows if large values may be repeated in it.

use super::byte_column::ByteColumn;
use super::{ListColumns, RowCallback, RowTime, find_column, parse_row_time};
use crate::error::{ToolErrorKind, UrlListDefect};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use dataset::{LargePage, LimitedFile, catch_panic, reader_options};
use disk::error::{Error, ErrorKind};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use std::fs::File;
use std::path::Path;

/// The most rows of a batch.
const BATCH_ROWS: u64 = 1024;

/// An open file and the indices of its columns.
struct ParquetList<'p> {
    file: LimitedFile,
    path: &'p Path,
    metadata: ArrowReaderMetadata,
    /// The index of the URL column among the root columns.
    url_index: usize,
    fetch_time_index: Option<usize>,
}

/// Calls `each` for every row, with the URL from the column `url_column` and the
/// time from the column `fetch_time`.
pub(super) fn read(
    path: &Path,
    columns: &ListColumns<'_>,
    page_bytes_max: u64,
    each: &mut RowCallback<'_>,
) -> Result<(), Error> {
    let list = ParquetList::open(path, columns, page_bytes_max)?;
    for row_group in 0..list.metadata.metadata().num_row_groups() {
        let mut reader = catch_panic(path, || list.open_row_group(row_group))?;
        while let Some(batch) = catch_panic(path, || {
            let batch = reader.next().transpose();
            batch.map_err(|error| list.read_error(error))
        })? {
            list.read_batch(&batch, each)?;
        }
    }
    Ok(())
}

impl<'p> ParquetList<'p> {
    fn open(path: &'p Path, wanted: &ListColumns<'_>, page_bytes_max: u64) -> Result<Self, Error> {
        let file = File::open(path).map_err(|error| Error::read(path, error))?;
        let load = || {
            let metadata = ArrowReaderMetadata::load(&file, reader_options())?;
            let limit = |_: &str| page_bytes_max;
            let file = LimitedFile::new(file, metadata.metadata(), limit, None)?;
            Ok((metadata, file))
        };
        let (metadata, file) = catch_panic(path, || {
            load().map_err(|error: ParquetError| Error::with_source(ErrorKind::Read, path, error))
        })?;
        let refuse = |defect| Error::new(ToolErrorKind::NotAUrlList(defect), path);
        let fields = metadata.schema().fields();
        let find_index = |name: &str| {
            let names = fields.iter().map(|field| field.name().as_bytes());
            find_column(names, name).map_err(refuse)
        };
        let missing_error = |name: String| refuse(UrlListDefect::NoParquetColumn { name });
        let url_index = find_index(wanted.url)?;
        let url_index = url_index.ok_or_else(|| missing_error(wanted.url.to_owned()))?;
        let fetch_time_index = wanted.find_time(find_index, missing_error)?;
        let fetch_time_index = fetch_time_index.filter(|index| *index != url_index);
        Ok(Self {
            file,
            path,
            url_index,
            fetch_time_index,
            metadata,
        })
    }

    /// Returns a reader of the two columns of a row group.
    fn open_row_group(&self, row_group: usize) -> Result<ParquetRecordBatchReader, Error> {
        let read_error = |error| self.read_error(error);
        let file = self.file.clone();
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
        let roots = std::iter::once(self.url_index).chain(self.fetch_time_index);
        let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
        let mut rows = BATCH_ROWS;
        let columns = self.metadata.metadata().row_group(row_group).columns();
        for (leaf, chunk) in columns.iter().enumerate() {
            if mask.leaf_included(leaf) {
                let batch_rows = self.file.max_batch_rows(chunk, BATCH_ROWS);
                rows = rows.min(batch_rows.map_err(read_error)?);
            }
        }
        let reader = builder
            .with_projection(mask)
            .with_row_groups(vec![row_group])
            .with_batch_size(usize::try_from(rows).unwrap_or(1))
            .build();
        reader.map_err(read_error)
    }

    /// Converts an error of the Parquet reader. If a page was refused, the result states where.
    fn read_error(&self, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        let Some(LargePage {
            location,
            bytes,
            bytes_max,
        }) = self.file.refused_page()
        else {
            return self.file.reader_error(self.path, error);
        };
        let kind = ToolErrorKind::LargePage {
            row_group: location.row_group,
            column: location.column,
            bytes,
            bytes_max,
        };
        Error::new(kind, self.path)
    }

    fn read_batch(&self, batch: &RecordBatch, each: &mut RowCallback<'_>) -> Result<(), Error> {
        let refuse = |error: ArrowError| {
            let message = error.to_string();
            let kind = ToolErrorKind::NotAUrlList(UrlListDefect::Arrow { message });
            Error::new(kind, self.path)
        };
        // The columns of a batch are in the order of the file.
        let (urls, times) = match self.fetch_time_index {
            None => (batch.column(0), None),
            Some(times) if times < self.url_index => (batch.column(1), Some(batch.column(0))),
            Some(_) => (batch.column(0), Some(batch.column(1))),
        };
        let fields = self.metadata.schema().fields();
        let urls = ByteColumn::new(urls)
            .ok_or_else(|| refuse(wrong_type_error(fields[self.url_index].name(), urls)))?;
        let times = times.map(Times::new).transpose().map_err(refuse)?;
        for row in 0..batch.num_rows() {
            let url = urls.value(row).unwrap_or_default();
            let time = times
                .as_ref()
                .map_or(RowTime::Missing, |times| times.value(row));
            each(url.trim_ascii(), time)?;
        }
        Ok(())
    }
}

fn wrong_type_error(name: &str, array: &ArrayRef) -> ArrowError {
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
        let texts = ByteColumn::from_text(array);
        texts.map_or_else(
            || Err(wrong_type_error("fetch_time", array)),
            |texts| Ok(Self::Text(texts)),
        )
    }

    fn value(&self, row: usize) -> RowTime {
        match self {
            Self::Typed(array) => convert_time(array, row),
            Self::Text(texts) => match texts.value(row) {
                Some(text) => parse_row_time(str::from_utf8(text).expect("the column is of text")),
                None => RowTime::Missing,
            },
        }
    }
}

/// Converts the time of a row to milliseconds. A timestamp without a time zone is taken as UTC.
/// Fractions of a millisecond are cut off, as for captures.
fn convert_time(times: &ArrayRef, row: usize) -> RowTime {
    if times.is_null(row) {
        return RowTime::Missing;
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
    millis.map_or(RowTime::Malformed, RowTime::Time)
}

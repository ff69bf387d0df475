//! Combines row groups of several files of a table in one file, without encoding them again.
//!
//! Pages, dictionaries and Bloom filters are copied as they are. Only their offsets in the metadata
//! change. The bytes of the copied row groups are therefore the same as in their sources, and so is
//! their digest.

use super::file::{
    ClosedFile, TableSchema, WrittenFile, WrittenRowGroups, end_rows, file_write_error, start_file,
};
use super::hashing_writer::{Output, ParquetFileWriter};
use super::statistics::without_exactness;
use disk::NewFile;
use errors::Error;
use parquet::bloom_filter::Sbbf;
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ColumnChunkMetaData, PageIndexPolicy, ParquetMetaData, ParquetMetaDataOptions,
    ParquetMetaDataReader,
};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Row groups of a file that are copied.
pub struct RowGroupSource {
    /// The path of the file, for messages of errors.
    pub path: PathBuf,
    /// The file, opened for reading.
    pub file: File,
    /// The indexes of the row groups.
    pub row_groups: Range<usize>,
    /// The XXH3-64 that the bytes of these row groups had when they were written, in hexadecimal.
    pub digest: String,
}

/// Writes a file with the row groups of all sources, in order, and gives it its final name.
///
/// # Errors
///
/// Those of writing; [`ErrorKind::Read`](errors::ErrorKind::Read) if a source cannot be read or
/// does not have these row groups with the same digest. After an error, the new file is removed.
pub fn concatenate(
    schema: TableSchema,
    (new, file): (NewFile, File),
    sources: impl IntoIterator<Item = Result<RowGroupSource, Error>>,
) -> Result<WrittenFile, Error> {
    let path = new.path();
    let copy = || {
        let (_, mut writer) = start_file(schema, Output::File(file))
            .map_err(|error| file_write_error(&path, error))?;
        let mut all = WrittenRowGroups::default();
        let mut copied = Vec::new();
        for source in sources {
            let source = source?;
            let metadata = metadata_of(&source)?;
            for index in source.row_groups.clone() {
                all.rows += metadata.row_group(index).num_rows().unsigned_abs();
                let result = append_row_group(&mut writer, &source.file, &metadata, index);
                result.map_err(|error| cannot_copy(&source.path, error))?;
            }
            all.count += source.row_groups.len();
            end_rows(&mut writer);
            copied.push((source.path, source.digest));
        }
        Ok((writer, all, copied))
    };
    match copy() {
        Ok((writer, all, copied)) => ClosedFile::new(writer, new, all, |written| {
            let mut pairs = copied.iter().zip(written);
            match pairs.find(|((_, digest), written)| *digest != written.digest) {
                None => Ok(()),
                Some(((path, _), _)) => {
                    let why = "it was damaged since it was written";
                    Err(Error::read(path, io::Error::other(why)))
                }
            }
        })?
        .commit(),
        Err(error) => {
            new.discard();
            Err(error)
        }
    }
}

fn metadata_of(source: &RowGroupSource) -> Result<ParquetMetaData, Error> {
    // As a mask, the statistics of encodings would lose the number of pages of each encoding.
    let options = ParquetMetaDataOptions::new().with_encoding_stats_as_mask(false);
    let reader = ParquetMetaDataReader::new()
        .with_metadata_options(Some(options))
        .with_offset_index_policy(PageIndexPolicy::Optional);
    let mut reader = reader.with_column_index_policy(PageIndexPolicy::Skip);
    let metadata = reader
        .try_parse(&source.file)
        .and_then(|()| reader.finish());
    let metadata = metadata.map_err(|error| cannot_copy(&source.path, error))?;
    if source.row_groups.end <= metadata.num_row_groups() {
        Ok(metadata)
    } else {
        let why = "it has fewer row groups than its manifest states".to_owned();
        Err(cannot_copy(&source.path, ParquetError::General(why)))
    }
}

/// Returns the metadata of a chunk with bounds that are not marked as exact, as they were written: the crate
/// `parquet` marks the bounds of numbers as exact when it reads them.
fn with_inexact_statistics(
    chunk: &ColumnChunkMetaData,
) -> Result<ColumnChunkMetaData, ParquetError> {
    let Some(statistics) = chunk.statistics() else {
        return Ok(chunk.clone());
    };
    let builder = chunk.clone().into_builder();
    builder
        .set_statistics(without_exactness(statistics))
        .build()
}

/// Copies a row group.
fn append_row_group(
    writer: &mut ParquetFileWriter,
    file: &File,
    metadata: &ParquetMetaData,
    index: usize,
) -> Result<(), ParquetError> {
    let row_group = metadata.row_group(index);
    let mut target = writer.next_row_group()?;
    let page_index = metadata.page_index_for_row_group(index);
    for (column, chunk) in row_group.columns().iter().enumerate() {
        let offset_index = page_index.offset_index(column);
        let close = ColumnCloseResult {
            bytes_written: chunk.compressed_size().unsigned_abs(),
            rows_written: row_group.num_rows().unsigned_abs(),
            metadata: with_inexact_statistics(chunk)?,
            bloom_filter: Sbbf::read_from_column_chunk(chunk, file)?,
            column_index: None,
            offset_index: offset_index.cloned(),
        };
        target.append_column(file, close)?;
    }
    target.close()?;
    Ok(())
}

fn cannot_copy(path: &Path, error: ParquetError) -> Error {
    Error::with_source(errors::ErrorKind::Read, path, error)
}

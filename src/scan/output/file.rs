//! A Parquet file of one table, written under a temporary name.
//!
//! Row groups are encoded elsewhere, all columns at once, and appended in
//! order. The file gets its name only when it is whole and on the disk.

use super::cutter::Cutter;
use crate::error::Error;
use crate::tables::Table;
use arrow::array::{ArrayRef, RecordBatch};
use arrow::compute::concat;
use arrow::datatypes::{Schema, SchemaRef};
use parquet::arrow::ArrowSchemaConverter;
use parquet::arrow::add_encoded_arrow_schema_to_metadata;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Level 3 is the least that the aims of size allow.
const ZSTD_LEVEL: i32 = 3;

/// Columns by which single rows are sought, and whose values lie scattered, so
/// that the least and greatest of a row group say nothing.
fn bloom_columns(table: Table) -> &'static [&'static str] {
    match table {
        Table::RobotsFiles => &["surt_host_name", "url_host_name", "url_host_registered_domain", "content_digest"],
        Table::Groups => &["agent", "agent_token"],
        Table::Verdicts => &["agent", "surt_host_name"],
        _ => &[],
    }
}

/// A row group to be encoded.
pub(crate) struct Group {
    /// Its place in the file.
    pub(crate) index: usize,
    batches: Vec<RecordBatch>,
    writers: Vec<ArrowColumnWriter>,
    schema: SchemaRef,
}

/// An encoded row group.
pub(crate) type Chunks = Vec<ArrowColumnChunk>;

impl Group {
    /// Encodes all columns, in parallel where there are threads.
    pub(crate) fn encode(self) -> Result<Chunks, ParquetError> {
        let Self { batches, writers, schema, .. } = self;
        writers
            .into_par_iter()
            .enumerate()
            .map(|(at, mut writer)| {
                let parts: Vec<&dyn arrow::array::Array> = batches.iter().map(|batch| batch.column(at).as_ref()).collect();
                // One array, so that pages do not show where batches met.
                let whole: ArrayRef = if let [one] = batches.as_slice() { Arc::clone(one.column(at)) } else { concat(&parts)? };
                for leaf in compute_leaves(schema.field(at), &whole)? {
                    writer.write(&leaf)?;
                }
                writer.close()
            })
            .collect()
    }
}

/// A file that is being written.
pub(crate) struct TableFile {
    temporary: PathBuf,
    path: PathBuf,
    schema: SchemaRef,
    writer: SerializedFileWriter<BufWriter<File>>,
    factory: ArrowRowGroupWriterFactory,
    cutter: Cutter,
    /// Row groups given out to be encoded.
    given: usize,
    /// Row groups appended.
    appended: usize,
    /// Encoded row groups that wait for one before them.
    waiting: BTreeMap<usize, Chunks>,
    /// Rows pushed.
    pub(crate) rows: u64,
}

/// What a finished file is.
#[derive(Clone, Debug)]
pub(crate) struct Finished {
    /// Its path.
    pub(crate) path: PathBuf,
    /// Its rows.
    pub(crate) rows: u64,
    /// Its size.
    pub(crate) bytes: u64,
}

impl TableFile {
    /// Creates the file under a temporary name, and its folders.
    pub(crate) fn create(table: Table, schema: Schema, path: &Path) -> Result<Self, Error> {
        let temporary = temporary_name(path);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder {
            fs::create_dir_all(folder).map_err(|error| Error::write(folder, error))?;
        }
        let fail = |error: ParquetError| Error::write(path, error);
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL).map_err(fail)?))
            .set_created_by(concat!("robots-scan version ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_max_row_group_row_count(None)
            .set_key_value_metadata(Some(vec![
                KeyValue::new("robots_scan.table".to_owned(), table.name().to_owned()),
                KeyValue::new("robots_scan.about".to_owned(), table.about().to_owned()),
            ]));
        for column in bloom_columns(table) {
            let column = ColumnPath::from(*column);
            properties = properties
                .set_column_bloom_filter_enabled(column.clone(), true)
                .set_column_bloom_filter_fpp(column.clone(), 0.01)
                .set_column_bloom_filter_max_ndv(column, super::cutter::GROUP_ROWS as u64);
        }
        let mut properties = properties.build();
        add_encoded_arrow_schema_to_metadata(&schema, &mut properties);
        let parquet_schema = ArrowSchemaConverter::new().convert(&schema).map_err(fail)?;
        let file = File::create(&temporary).map_err(|error| Error::write(&temporary, error))?;
        let writer = SerializedFileWriter::new(BufWriter::new(file), parquet_schema.root_schema_ptr(), Arc::new(properties))
            .map_err(fail)?;
        let schema = Arc::new(schema);
        Ok(Self {
            factory: ArrowRowGroupWriterFactory::new(&writer, Arc::clone(&schema)),
            temporary,
            path: path.to_owned(),
            schema,
            writer,
            cutter: Cutter::default(),
            given: 0,
            appended: 0,
            waiting: BTreeMap::new(),
            rows: 0,
        })
    }

    /// Adds rows and gives the row groups that are full, to be encoded.
    pub(crate) fn push(&mut self, batch: RecordBatch) -> Result<Vec<Group>, Error> {
        self.rows += batch.num_rows() as u64;
        let mut full = Vec::new();
        self.cutter.push(batch, &mut full);
        full.into_iter().map(|batches| self.group(batches)).collect()
    }

    /// Gives the last row group, if any row is left.
    pub(crate) fn last_group(&mut self) -> Result<Option<Group>, Error> {
        let Some(batches) = self.cutter.finish() else { return Ok(None) };
        self.group(batches).map(Some)
    }

    fn group(&mut self, batches: Vec<RecordBatch>) -> Result<Group, Error> {
        let writers = self.factory.create_column_writers(self.given).map_err(|error| Error::write(&self.path, error))?;
        let group = Group { index: self.given, batches, writers, schema: Arc::clone(&self.schema) };
        self.given += 1;
        Ok(group)
    }

    /// Appends an encoded row group as soon as those before it are.
    pub(crate) fn append(&mut self, index: usize, chunks: Chunks) -> Result<(), Error> {
        self.waiting.insert(index, chunks);
        while let Some(chunks) = self.waiting.remove(&self.appended) {
            let result = self.writer.next_row_group().and_then(|mut group| {
                for chunk in chunks {
                    chunk.append_to_row_group(&mut group)?;
                }
                group.close()
            });
            result.map_err(|error| Error::write(&self.temporary, error))?;
            self.appended += 1;
        }
        Ok(())
    }

    /// Whether all row groups that were given out have been appended.
    pub(crate) fn is_settled(&self) -> bool {
        self.given == self.appended
    }

    /// Ends the file, brings it to the disk and gives it its name.
    pub(crate) fn finish(mut self) -> Result<Finished, Error> {
        let fail = |error: ParquetError| Error::write(&self.temporary, error);
        self.writer.finish().map_err(fail)?;
        let file = self.writer.inner_mut();
        std::io::Write::flush(file).map_err(|error| Error::write(&self.temporary, error))?;
        file.get_ref().sync_all().map_err(|error| Error::write(&self.temporary, error))?;
        let bytes = file.get_ref().metadata().map_err(|error| Error::write(&self.temporary, error))?.len();
        super::rename(&self.temporary, &self.path)?;
        Ok(Finished { path: self.path, rows: self.rows, bytes })
    }

    /// Removes what was written.
    pub(crate) fn discard(self) {
        drop(self.writer);
        // It lies under a temporary name and harms nobody if it stays.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// A name in the same folder that no reader of the dataset looks at.
pub(crate) fn temporary_name(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("_{name}.tmp"))
}

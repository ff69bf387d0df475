//! A Parquet file of one table, written under a temporary name.
//!
//! Slabs are encoded elsewhere, all columns at once, those of one row group one
//! after the other; row groups are appended in order. The file gets its name
//! only when it is whole and on the disk.

use super::row_groups::{GROUP_ROWS, PageRows, RowGroupSplitter};
use crate::disk::NewFile;
use crate::error::Error;
use crate::parquet_writer::RowBatch;
use crate::parquet_writer::{ColumnChunk, ColumnWriter, PageBuffers};
use crate::tables::Table;
use arrow_schema::Schema;
use parquet::arrow::{ArrowSchemaConverter, add_encoded_arrow_schema_to_metadata};
use parquet::basic::ZstdLevel;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnDescPtr, SchemaDescPtr};
use rayon::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// Files of 62 MiB of real captures have 37.3, 36.3 and 35.5 MB at levels 1, 2
/// and 3, for 262, 287 and 344 M instructions.
const ZSTD_LEVEL: i32 = 1;

/// Columns by which single rows are sought, and whose values lie scattered, so
/// that the least and greatest of a row group say nothing.
fn bloom_columns(table: Table) -> &'static [&'static str] {
    match table {
        Table::RobotsFiles => &[
            "surt_host_name",
            "url_host_name",
            "url_host_registered_domain",
            "content_digest",
        ],
        Table::Groups => &["agent", "agent_token"],
        Table::Verdicts => &["agent", "surt_host_name"],
        _ => &[],
    }
}

/// Columns that say nearly the same as the one before them: they share its
/// dictionary, which is filled and compressed once. Where more differ (keys and
/// names as they are written, and lower-cased) a shared one is larger than two:
/// those tables grow by a third.
fn shares_dictionary(table: Table, column: &str) -> bool {
    (table, column) == (Table::Rules, "path")
}

thread_local! {
    /// Each thread's memory for pages.
    static SCRATCH: RefCell<PageBuffers> = RefCell::default();
}

/// What writes a file.
type ParquetFileWriter = SerializedFileWriter<BufWriter<HashingFile>>;

/// Bytes that are gathered before the system is asked to write them.
const BUFFER_BYTES: usize = 256 << 10;

/// Something to be done for a file, on any thread.
pub(crate) struct FileTask {
    /// The row group.
    pub(crate) group: usize,
    work: FileTaskKind,
}

enum FileTaskKind {
    /// To encode a slab, with the encoders of its row group.
    Encode(PageRows, Vec<ColumnWriter>),
    /// To append row groups.
    Append(Box<ParquetFileWriter>, Vec<Vec<ColumnChunk>>),
}

/// What comes of a task.
pub(crate) enum FileTaskOutput {
    /// The encoders, for the next slab of the group.
    More(Vec<ColumnWriter>),
    /// The row group.
    Group(Vec<ColumnChunk>),
    /// The writer, and how many row groups were appended.
    Appended(Box<ParquetFileWriter>, usize),
}

impl FileTask {
    /// Bytes of the values to be encoded.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.work {
            FileTaskKind::Encode(slab, _) => slab.bytes,
            FileTaskKind::Append(..) => 0,
        }
    }

    /// Does it.
    pub(crate) fn run(self) -> Result<FileTaskOutput, ParquetError> {
        match self.work {
            FileTaskKind::Encode(slab, encoders) => encode(&slab, encoders),
            FileTaskKind::Append(mut writer, groups) => {
                let count = groups.len();
                for chunks in groups {
                    let mut group = writer.next_row_group()?;
                    for chunk in chunks {
                        let (bytes, close) = chunk.into_parts();
                        group.append_column(&bytes, close)?;
                    }
                    group.close()?;
                }
                Ok(FileTaskOutput::Appended(writer, count))
            }
        }
    }
}

/// Encodes all columns of a slab, in parallel where there are threads.
fn encode(
    slab: &PageRows,
    mut encoders: Vec<ColumnWriter>,
) -> Result<FileTaskOutput, ParquetError> {
    encoders.par_iter_mut().try_for_each(|encoder| {
        let parts = slab.parts.iter();
        let parts = parts.map(|(rows, range)| (rows.as_ref(), range.clone()));
        SCRATCH.with_borrow_mut(|scratch| encoder.write_page(parts, scratch))
    })?;
    if !slab.ends_group {
        return Ok(FileTaskOutput::More(encoders));
    }
    let closed = encoders
        .into_par_iter()
        .map(|encoder| SCRATCH.with_borrow_mut(|scratch| encoder.close(scratch)));
    let chunks: Vec<Vec<ColumnChunk>> = closed.collect::<Result<_, _>>()?;
    Ok(FileTaskOutput::Group(
        chunks.into_iter().flatten().collect(),
    ))
}

/// A row group that is being encoded, slab after slab.
struct PendingRowGroup {
    /// Its encoders, while no task has them.
    encoders: Option<Vec<ColumnWriter>>,
    /// Slabs that wait.
    slabs: VecDeque<PageRows>,
}

/// A file that is being written.
pub(crate) struct TableFileWriter {
    new: NewFile,
    table: Table,
    schema: SchemaDescPtr,
    level: ZstdLevel,
    /// What writes it, while no task has it.
    writer: Option<Box<ParquetFileWriter>>,
    cutter: RowGroupSplitter,
    /// Row groups that are not wholly encoded.
    open: BTreeMap<usize, PendingRowGroup>,
    /// The row group that the next slab belongs to.
    current: usize,
    /// Row groups appended.
    appended: usize,
    /// Encoded row groups that wait for one before them.
    waiting: BTreeMap<usize, Vec<ColumnChunk>>,
    /// Bytes of slabs that wait for their encoders.
    pub(crate) queued_bytes: u64,
    /// Rows pushed.
    pub(crate) rows: u64,
}

/// What a finished file is.
#[derive(Clone, Debug)]
pub(crate) struct WrittenFile {
    /// Its path, in a dataset below the dataset's folder.
    pub(crate) path: PathBuf,
    /// Its rows.
    pub(crate) rows: u64,
    /// Its size.
    pub(crate) bytes: u64,
    /// Its XXH3-64, in hex.
    pub(crate) digest: String,
}

/// A file whose bytes are hashed as they are written.
pub(crate) struct HashingFile {
    file: File,
    hash: Xxh3,
    bytes: u64,
}

impl HashingFile {
    fn new(file: File) -> Self {
        Self {
            file,
            hash: Xxh3::new(),
            bytes: 0,
        }
    }
}

impl Write for HashingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl TableFileWriter {
    /// Begins to write to a file that has a temporary name.
    pub(crate) fn create(
        table: Table,
        schema: Schema,
        (new, file): (NewFile, File),
    ) -> Result<Self, Error> {
        let fail = |error| cannot_write(&new.path(), error);
        let level = ZstdLevel::try_new(ZSTD_LEVEL).map_err(fail)?;
        let mut properties = WriterProperties::builder()
            .set_created_by(concat!("robots-scan version ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(vec![
                KeyValue::new("robots_scan.table".to_owned(), table.name().to_owned()),
                KeyValue::new("robots_scan.about".to_owned(), table.about().to_owned()),
            ]))
            .build();
        add_encoded_arrow_schema_to_metadata(&schema, &mut properties);
        let schema = Arc::new(ArrowSchemaConverter::new().convert(&schema).map_err(fail)?);
        let writer = SerializedFileWriter::new(
            BufWriter::with_capacity(BUFFER_BYTES, HashingFile::new(file)),
            schema.root_schema_ptr(),
            Arc::new(properties),
        )
        .map_err(fail)?;
        Ok(Self {
            new,
            table,
            schema,
            level,
            writer: Some(Box::new(writer)),
            cutter: RowGroupSplitter::default(),
            open: BTreeMap::new(),
            current: 0,
            appended: 0,
            waiting: BTreeMap::new(),
            queued_bytes: 0,
            rows: 0,
        })
    }

    /// What went wrong with a task, with the file's name.
    pub(crate) fn cannot(&self, error: ParquetError) -> Error {
        cannot_write(&self.new.path(), error)
    }

    /// Adds rows, and gives the tasks that can begin.
    pub(crate) fn push(&mut self, rows: RowBatch, tasks: &mut Vec<FileTask>) -> Result<(), Error> {
        self.rows += rows.len() as u64;
        let mut slabs = Vec::new();
        self.cutter.push(rows, &mut slabs);
        slabs.into_iter().try_for_each(|slab| self.add(slab, tasks))
    }

    /// Ends the last row group.
    pub(crate) fn end_rows(&mut self, tasks: &mut Vec<FileTask>) -> Result<(), Error> {
        match self.cutter.finish() {
            Some(slab) => self.add(slab, tasks),
            None => Ok(()),
        }
    }

    fn add(&mut self, slab: PageRows, tasks: &mut Vec<FileTask>) -> Result<(), Error> {
        let at = self.current;
        if slab.ends_group {
            self.current += 1;
        }
        if !self.open.contains_key(&at) {
            let group = PendingRowGroup {
                encoders: Some(self.encoders()),
                slabs: VecDeque::new(),
            };
            self.open.insert(at, group);
        }
        if let Some(group) = self.open.get_mut(&at) {
            self.queued_bytes += slab.bytes;
            group.slabs.push_back(slab);
        }
        tasks.extend(self.next_task(at));
        Ok(())
    }

    /// Encoders for the columns of a row group.
    fn encoders(&self) -> Vec<ColumnWriter> {
        let mut at = 0;
        let columns = self.schema.columns();
        let groups = columns.chunk_by(|_, next| shares_dictionary(self.table, next.name()));
        let encoder = |group: &[ColumnDescPtr]| {
            let first = at;
            at += group.len();
            let bloom_rows = |column: &ColumnDescPtr| {
                let has_bloom = bloom_columns(self.table).contains(&column.name());
                has_bloom.then_some(GROUP_ROWS as u64)
            };
            let group = group.iter().map(|it| (Arc::clone(it), bloom_rows(it)));
            ColumnWriter::new(first, group.collect(), self.level)
        };
        groups.map(encoder).collect()
    }

    /// The next slab of a row group, if its encoders are here.
    fn next_task(&mut self, at: usize) -> Option<FileTask> {
        let group = self.open.get_mut(&at)?;
        let encoders = group.encoders.take_if(|_| !group.slabs.is_empty())?;
        let slab = group.slabs.pop_front()?;
        self.queued_bytes -= slab.bytes;
        Some(FileTask {
            group: at,
            work: FileTaskKind::Encode(slab, encoders),
        })
    }

    /// Takes what came of a task, and gives the one that can begin now.
    pub(crate) fn take(&mut self, at: usize, done: FileTaskOutput) -> Option<FileTask> {
        match done {
            FileTaskOutput::More(encoders) => {
                if let Some(group) = self.open.get_mut(&at) {
                    group.encoders = Some(encoders);
                }
                return self.next_task(at);
            }
            FileTaskOutput::Group(chunks) => {
                self.open.remove(&at);
                self.waiting.insert(at, chunks);
            }
            FileTaskOutput::Appended(writer, count) => {
                self.writer = Some(writer);
                self.appended += count;
            }
        }
        // Row groups are appended in their order.
        let mut groups = Vec::new();
        while self.writer.is_some()
            && let Some(chunks) = self.waiting.remove(&(self.appended + groups.len()))
        {
            groups.push(chunks);
        }
        let writer = self.writer.take_if(|_| !groups.is_empty())?;
        Some(FileTask {
            group: self.appended,
            work: FileTaskKind::Append(writer, groups),
        })
    }

    /// Adds rows, and encodes here and now what is full.
    pub(crate) fn write(&mut self, rows: RowBatch) -> Result<(), Error> {
        let mut tasks = Vec::new();
        self.push(rows, &mut tasks)?;
        self.encode_all(tasks)
    }

    /// Ends the last row group of rows that were written so.
    pub(crate) fn end(&mut self) -> Result<(), Error> {
        let mut tasks = Vec::new();
        self.end_rows(&mut tasks)?;
        self.encode_all(tasks)
    }

    fn encode_all(&mut self, mut tasks: Vec<FileTask>) -> Result<(), Error> {
        while let Some(task) = tasks.pop() {
            let at = task.group;
            let done = task.run().map_err(|error| self.cannot(error))?;
            tasks.extend(self.take(at, done));
        }
        Ok(())
    }

    /// Whether every row group is appended.
    pub(crate) fn is_settled(&self) -> bool {
        self.open.is_empty() && self.waiting.is_empty() && self.writer.is_some()
    }

    /// Ends the file, brings it to the disk and gives it its name. Nothing is
    /// left of it where that fails.
    pub(crate) fn finish(self) -> Result<WrittenFile, Error> {
        let Self {
            new, writer, rows, ..
        } = self;
        let path = new.path();
        match writer.map(|writer| close(*writer, &path)) {
            Some(Ok((bytes, digest))) => {
                let path = new.relative().to_owned();
                new.commit()?;
                Ok(WrittenFile {
                    path,
                    rows,
                    bytes,
                    digest,
                })
            }
            Some(Err(error)) => {
                new.discard();
                Err(error)
            }
            None => {
                new.discard();
                let why = "its row groups are not written".into();
                Err(cannot_write(&path, ParquetError::General(why)))
            }
        }
    }

    /// Removes what was written.
    pub(crate) fn discard(self) {
        drop(self.writer);
        self.new.discard();
    }
}

/// Ends a file and brings it to the disk: its size and its digest.
fn close(mut writer: ParquetFileWriter, path: &Path) -> Result<(u64, String), Error> {
    writer.finish().map_err(|error| cannot_write(path, error))?;
    let fail = |error| Error::write(path, error);
    let buffer = writer.inner_mut();
    buffer.flush().map_err(fail)?;
    let HashingFile { file, hash, bytes } = buffer.get_ref();
    file.sync_all().map_err(fail)?;
    Ok((*bytes, format!("{:016x}", hash.digest())))
}

/// The cause alone is told, not the library through which it came.
fn cannot_write(path: &Path, error: ParquetError) -> Error {
    match error {
        ParquetError::External(cause) => Error::write(path, cause),
        other => Error::write(path, other),
    }
}

/// Writes a small table whole.
pub(crate) fn write_table(
    table: Table,
    schema: Schema,
    rows: RowBatch,
    new: (NewFile, File),
) -> Result<WrittenFile, Error> {
    let mut file = TableFileWriter::create(table, schema, new)?;
    file.write(rows)?;
    file.end()?;
    file.finish()
}

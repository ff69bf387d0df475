//! A Parquet file of one table, written under a temporary name.
//!
//! Writing is divided into [tasks](FileTask), so that pages of several files are
//! encoded in parallel. The pages of one row group are encoded one after the other,
//! because they share one dictionary per column; finished row groups are appended in
//! order. The file is renamed to its final name when all of it is on disk.

use super::RowBatch;
use super::column_chunk::ColumnChunk;
use super::column_writer::ColumnWriter;
use super::file_task::{FileTask, FileTaskKind, FileTaskOutput};
use super::hashing_writer::{HashingWriter, Output, ParquetFileWriter, RowGroupBytes};
use super::row_groups::{PageRows, RowGroupSplitter};
use arrow_schema::Schema;
use disk::NewFile;
use errors::Error;
use parquet::arrow::{ArrowSchemaConverter, add_encoded_arrow_schema_to_metadata};
use parquet::basic::ZstdLevel;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnDescPtr, SchemaDescPtr};
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The zstd level of pages. The Parquet files of 62 MiB of real captures take 37.3,
/// 36.3 and 35.5 MB at levels 1, 2 and 3, at a cost of 262, 287 and 344 million
/// instructions.
const ZSTD_LEVEL: i32 = 1;

/// The size of the buffer that collects bytes before they are hashed and written to the file.
const WRITE_BUFFER_BYTES: usize = 256 << 10;

/// The name, the description and the columns of a table.
///
/// The package that defines tables makes this value. The writer has no knowledge
/// of particular tables or columns.
#[derive(Clone, Debug)]
pub struct TableSchema {
    /// The name of the table, stored in the key-value metadata of the file.
    pub name: &'static str,
    /// The description of the table, stored in the key-value metadata of the file.
    pub about: &'static str,
    /// The columns, with their descriptions as field metadata.
    pub arrow: Schema,
    /// The encoding of each column, in the order of `arrow`.
    pub encodings: Vec<ColumnEncoding>,
}

/// The choices about the encoding of a column that its type does not determine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnEncoding {
    /// True if a Bloom filter is written. Useful for columns by which single rows are
    /// looked up and whose values are scattered, so that the minimum and maximum of a
    /// row group exclude nothing.
    pub has_bloom_filter: bool,
    pub values: ValueEncoding,
}

/// The encoding of the values of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValueEncoding {
    /// A dictionary and indexes (RLE_DICTIONARY). Booleans and texts that are not interned are written as
    /// they are (PLAIN): Spark 3.5 cannot read texts with separate lengths (DELTA_LENGTH_BYTE_ARRAY).
    #[default]
    Dictionary,
    /// The differences of successive integers (DELTA_BINARY_PACKED). Useful for numbers that grow, and
    /// for numbers below a few thousand that rarely repeat.
    Delta,
    /// Integers as they are (PLAIN). Useful for large numbers in no order that rarely repeat.
    Plain,
    /// The length of the prefix that a text shares with the previous one, and the rest
    /// (DELTA_BYTE_ARRAY). Useful for sorted texts that are not interned.
    SharedPrefixes,
}

/// Writes one table to one file.
///
/// [`push`](Self::push) adds rows and returns tasks, which any thread can run. The output
/// of each task is passed to [`take`](Self::take), which may return another task. After
/// [`end_rows`](Self::end_rows), and once [`is_settled`](Self::is_settled) returns true,
/// [`finish`](Self::finish) completes the file. [`write`](Self::write) and
/// [`finish_rows`](Self::finish_rows) add rows and end them, and run all tasks on the calling thread.
pub struct TableFileWriter {
    new_file: NewFile,
    columns: ColumnSettings,
    splitter: RowGroupSplitter,
    row_groups: RowGroups,
    /// The number of rows that were pushed.
    rows: u64,
}

pub(super) struct ColumnSettings {
    schema: SchemaDescPtr,
    encodings: Vec<ColumnEncoding>,
    level: ZstdLevel,
}

/// The row groups of a file, in all states: being encoded, encoded, and appended to the file.
struct RowGroups {
    /// Row groups that are not wholly encoded, by index.
    pending: BTreeMap<usize, PendingRowGroup>,
    /// The index of the row group of the next page.
    current: usize,
    /// The bytes of values in pages that wait for their column writers.
    queued_bytes: u64,
    /// Encoded row groups that wait for an earlier one.
    encoded: BTreeMap<usize, Vec<ColumnChunk>>,
    /// The number of row groups that were appended to the file.
    appended: usize,
    /// The writer of the file; `None` while a task has it.
    writer: Option<Box<ParquetFileWriter>>,
}

/// A row group that is being encoded, page by page.
struct PendingRowGroup {
    /// The column writers of the row group; `None` while a task has them.
    columns: Option<Vec<ColumnWriter>>,
    /// Pages that wait for the column writers.
    pages: VecDeque<PageRows>,
}

/// A finished file.
#[derive(Clone, Debug)]
pub struct WrittenFile {
    /// The path; for a file of a dataset, relative to its folder.
    pub path: PathBuf,
    /// The number of rows.
    pub rows: u64,
    /// The size of the file.
    pub bytes: u64,
    /// The XXH3-64 of the bytes, in hexadecimal.
    pub digest: String,
    /// The row groups of the file.
    pub row_groups: WrittenRowGroups,
}

/// Consecutive row groups of a file that were written, or copied, together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenRowGroups {
    /// The number of row groups.
    pub count: usize,
    /// The number of rows.
    pub rows: u64,
    /// The size and digest of their bytes; of a file made by `concatenate`, only
    /// those of its first source.
    pub content: RowGroupBytes,
}

impl ColumnSettings {
    /// Makes writers for the columns of a row group.
    fn new_writers(&self) -> Vec<ColumnWriter> {
        let descrs = self.schema.columns().iter().zip(&self.encodings);
        let writer = |(i, (descr, encoding)): (usize, (&ColumnDescPtr, &ColumnEncoding))| {
            ColumnWriter::new(i, Arc::clone(descr), *encoding, self.level)
        };
        descrs.enumerate().map(writer).collect()
    }
}

impl RowGroups {
    fn new(writer: ParquetFileWriter) -> Self {
        Self {
            pending: BTreeMap::new(),
            current: 0,
            queued_bytes: 0,
            encoded: BTreeMap::new(),
            appended: 0,
            writer: Some(Box::new(writer)),
        }
    }

    /// Adds a page, and returns the task for it if it can start now.
    fn add_page(&mut self, page: PageRows, columns: &ColumnSettings) -> Option<FileTask> {
        let index = self.current;
        if page.ends_group {
            self.current += 1;
        }
        let new_group = || PendingRowGroup {
            columns: Some(columns.new_writers()),
            pages: VecDeque::new(),
        };
        let group = self.pending.entry(index).or_insert_with(new_group);
        self.queued_bytes += page.bytes;
        group.pages.push_back(page);
        self.next_page_task(index)
    }

    /// Returns the task for the next page of a row group, unless another task has
    /// its column writers.
    fn next_page_task(&mut self, index: usize) -> Option<FileTask> {
        let group = self.pending.get_mut(&index)?;
        let columns = group.columns.take_if(|_| !group.pages.is_empty())?;
        let page = group.pages.pop_front()?;
        self.queued_bytes -= page.bytes;
        Some(FileTask {
            group: index,
            kind: FileTaskKind::Encode(page, columns),
        })
    }

    /// Takes the output of a task, and returns the next task that can start now, if there is one.
    fn take(&mut self, index: usize, output: FileTaskOutput) -> Option<FileTask> {
        match output {
            FileTaskOutput::Page(columns) => {
                if let Some(group) = self.pending.get_mut(&index) {
                    group.columns = Some(columns);
                }
                return self.next_page_task(index);
            }
            FileTaskOutput::RowGroup(chunks) => {
                self.pending.remove(&index);
                self.encoded.insert(index, chunks);
            }
            FileTaskOutput::Appended(writer, count) => {
                self.writer = Some(writer);
                self.appended += count;
            }
        }
        self.next_append_task()
    }

    /// Returns the task that appends the next row groups, in order, if they are
    /// encoded.
    fn next_append_task(&mut self) -> Option<FileTask> {
        let mut groups = Vec::new();
        while self.writer.is_some()
            && let Some(chunks) = self.encoded.remove(&(self.appended + groups.len()))
        {
            groups.push(chunks);
        }
        let writer = self.writer.take_if(|_| !groups.is_empty())?;
        Some(FileTask {
            group: self.appended,
            kind: FileTaskKind::Append(writer, groups),
        })
    }

    fn is_settled(&self) -> bool {
        self.pending.is_empty() && self.encoded.is_empty() && self.writer.is_some()
    }
}

impl TableFileWriter {
    /// Starts to write a file that was created under a temporary name.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn create(schema: TableSchema, (new, file): (NewFile, File)) -> Result<Self, Error> {
        let created = start_file(schema, Output::File(file));
        let (columns, writer) = created.map_err(|error| file_write_error(&new.path(), error))?;
        Ok(Self {
            new_file: new,
            columns,
            splitter: RowGroupSplitter::default(),
            row_groups: RowGroups::new(writer),
            rows: 0,
        })
    }

    /// Returns the error for a task of this file that failed.
    pub fn write_error(&self, error: ParquetError) -> Error {
        file_write_error(&self.new_file.path(), error)
    }

    /// Returns the bytes of values in pages for which no task has been returned yet.
    pub fn queued_bytes(&self) -> u64 {
        self.row_groups.queued_bytes
    }

    /// Adds rows, and appends the tasks that can start to `tasks`.
    pub fn push(&mut self, batch: RowBatch, tasks: &mut Vec<FileTask>) {
        self.rows += batch.len() as u64;
        let mut pages = Vec::new();
        self.splitter.push(batch, &mut pages);
        let pages = pages.into_iter();
        tasks.extend(pages.filter_map(|page| self.row_groups.add_page(page, &self.columns)));
    }

    /// Ends the last row group, and appends the task that can start to `tasks`.
    pub fn end_rows(&mut self, tasks: &mut Vec<FileTask>) {
        if let Some(page) = self.splitter.finish() {
            tasks.extend(self.row_groups.add_page(page, &self.columns));
        }
    }

    /// Takes the output of a task on row group `group`, and returns the next task that can start
    /// now, if there is one.
    pub fn take(&mut self, group: usize, output: FileTaskOutput) -> Option<FileTask> {
        self.row_groups.take(group, output)
    }

    /// Adds rows and runs the tasks on this thread.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn write(&mut self, batch: RowBatch) -> Result<(), Error> {
        let mut tasks = Vec::new();
        self.push(batch, &mut tasks);
        self.run_tasks(tasks)
    }

    /// Ends the last row group and runs the tasks on this thread.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn finish_rows(&mut self) -> Result<(), Error> {
        let mut tasks = Vec::new();
        self.end_rows(&mut tasks);
        self.run_tasks(tasks)
    }

    fn run_tasks(&mut self, tasks: Vec<FileTask>) -> Result<(), Error> {
        run_tasks(&mut self.row_groups, tasks).map_err(|error| self.write_error(error))
    }

    /// Returns true if all row groups of the added rows are encoded and appended to the file.
    pub fn is_settled(&self) -> bool {
        self.row_groups.is_settled()
    }

    /// Finishes the file, syncs it to disk and gives it its final name. If that fails,
    /// the file is removed.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn finish(self) -> Result<WrittenFile, Error> {
        self.close()?.commit()
    }

    /// Finishes the file, syncs it to disk and closes it, still under its temporary name. If that
    /// fails, the file is removed.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn close(self) -> Result<ClosedFile, Error> {
        let path = self.new_file.path();
        let Some(writer) = self.row_groups.writer else {
            self.new_file.discard();
            let reason = "its row groups are not written".into();
            return Err(file_write_error(&path, ParquetError::General(reason)));
        };
        let mut writer = *writer;
        let row_groups = WrittenRowGroups {
            count: writer.flushed_row_groups().len(),
            rows: self.rows,
            content: RowGroupBytes::default(),
        };
        end_rows(&mut writer);
        ClosedFile::new(writer, self.new_file, row_groups, |_| Ok(()))
    }

    /// Removes the file.
    pub fn discard(self) {
        drop(self.row_groups);
        self.new_file.discard();
    }
}

/// Starts a Parquet file: writes the magic number, and returns the settings of the columns and the
/// writer of the file.
pub(super) fn start_file(
    schema: TableSchema,
    out: Output,
) -> Result<(ColumnSettings, ParquetFileWriter), ParquetError> {
    let key_value = |key: &str, value: &str| KeyValue::new(key.to_owned(), value.to_owned());
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("robots-scan version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(vec![
            key_value("robots_scan.table", schema.name),
            key_value("robots_scan.about", schema.about),
        ]))
        .build();
    add_encoded_arrow_schema_to_metadata(&schema.arrow, &mut properties);
    let converted = ArrowSchemaConverter::new().convert(&schema.arrow)?;
    let columns = ColumnSettings {
        schema: Arc::new(converted),
        encodings: schema.encodings,
        level: ZstdLevel::try_new(ZSTD_LEVEL)?,
    };
    let writer = SerializedFileWriter::new(
        BufWriter::with_capacity(WRITE_BUFFER_BYTES, HashingWriter::new(out)),
        columns.schema.root_schema_ptr(),
        Arc::new(properties),
    )?;
    Ok((columns, writer))
}

fn run_tasks(row_groups: &mut RowGroups, mut tasks: Vec<FileTask>) -> Result<(), ParquetError> {
    while let Some(task) = tasks.pop() {
        let group = task.group;
        tasks.extend(row_groups.take(group, task.run()?));
    }
    Ok(())
}

/// Ends the range of row groups since the previous call, which get a common digest.
pub(super) fn end_rows(writer: &mut ParquetFileWriter) {
    let offset = writer.bytes_written() as u64;
    writer.inner_mut().get_mut().end_rows_at(offset);
}

/// A complete file, which is closed and still has its temporary name.
#[derive(Debug)]
pub struct ClosedFile {
    new_file: NewFile,
    bytes: u64,
    digest: String,
    row_groups: WrittenRowGroups,
}

impl ClosedFile {
    /// Writes the footer, syncs the file, and passes the size and digest of each range of row groups that
    /// [`end_rows`] has ended to `check`. If one of these steps fails, the file is removed.
    pub(super) fn new(
        writer: ParquetFileWriter,
        new_file: NewFile,
        mut row_groups: WrittenRowGroups,
        check: impl FnOnce(&[RowGroupBytes]) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let closed = write_footer(writer, &new_file.path()).and_then(|footer| {
            check(&footer.row_groups)?;
            Ok(footer)
        });
        match closed {
            Ok(footer) => {
                row_groups.content = footer.row_groups.into_iter().next().unwrap_or_default();
                Ok(Self {
                    new_file,
                    bytes: footer.bytes,
                    digest: footer.digest,
                    row_groups,
                })
            }
            Err(error) => {
                new_file.discard();
                Err(error)
            }
        }
    }

    /// Renames the file to its final name.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn commit(self) -> Result<WrittenFile, Error> {
        let path = self.new_file.relative_path().to_owned();
        self.new_file.commit()?;
        Ok(WrittenFile {
            path,
            rows: self.row_groups.rows,
            bytes: self.bytes,
            digest: self.digest,
            row_groups: self.row_groups,
        })
    }
}

/// The size and digest of a file whose footer is written, and those of its ranges of row groups.
struct Footer {
    bytes: u64,
    digest: String,
    row_groups: Vec<RowGroupBytes>,
}

/// Writes the footer and syncs the file.
fn write_footer(mut writer: ParquetFileWriter, path: &Path) -> Result<Footer, Error> {
    writer
        .finish()
        .map_err(|error| file_write_error(path, error))?;
    let write_error = |error| Error::write(path, error);
    let buffer = writer.inner_mut();
    buffer.flush().map_err(write_error)?;
    let written = buffer.get_mut();
    if let Output::File(file) = &written.out {
        file.sync_all().map_err(write_error)?;
    }
    Ok(Footer {
        bytes: written.bytes,
        digest: written.digest(),
        row_groups: written.take_ended_rows(),
    })
}

/// Returns the error for a file that cannot be written. If the crate `parquet` wraps
/// another error, only the wrapped error is the cause.
pub(super) fn file_write_error(path: &Path, error: ParquetError) -> Error {
    match error {
        ParquetError::External(cause) => Error::write(path, cause),
        other => Error::write(path, other),
    }
}

/// Writes a file with the rows of one batch, and gives it its final name.
///
/// # Errors
///
/// Those of writing.
pub fn write_table(
    schema: TableSchema,
    rows: RowBatch,
    new: (NewFile, File),
) -> Result<WrittenFile, Error> {
    let mut file = TableFileWriter::create(schema, new)?;
    file.write(rows)?;
    file.finish_rows()?;
    file.finish()
}

/// Encodes batches of a table as a Parquet file in memory. For benches.
///
/// # Errors
///
/// Those of the crate `parquet`.
pub fn encode_table(
    schema: TableSchema,
    batches: impl IntoIterator<Item = RowBatch>,
) -> Result<Vec<u8>, ParquetError> {
    let (columns, writer) = start_file(schema, Output::Memory(Vec::new()))?;
    let (mut splitter, mut row_groups) = (RowGroupSplitter::default(), RowGroups::new(writer));
    let mut pages = Vec::new();
    for batch in batches {
        splitter.push(batch, &mut pages);
    }
    pages.extend(splitter.finish());
    for page in pages {
        let task = row_groups.add_page(page, &columns);
        run_tasks(&mut row_groups, task.into_iter().collect())?;
    }
    let writer = row_groups.writer.expect("no task is running");
    let buffer = writer.into_inner()?;
    let hashing = buffer.into_inner().map_err(|error| error.into_error())?;
    match hashing.out {
        Output::Memory(bytes) => Ok(bytes),
        Output::File(_) => unreachable!("the file was started in memory"),
    }
}

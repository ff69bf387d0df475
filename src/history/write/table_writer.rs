//! Writes the files of the tables of a history. A file ends when it has [`FILE_BYTES`] of values, and after the captures
//! of a crawl, so that the division into files depends only on the rows.

use crate::own_tables;
use crate::write::manifest::HistoryFile;
use crate::write::output_folder::OutputFolder;
use columns::{RowBatch, TableFileWriter};
use dataset::{StoredRows, WholeRow};
use errors::Error;
use sort::sort_key::FieldReader;
use sort::{Field, Record};
use std::collections::BTreeMap;
use std::path::Path;
use tables::Table;

/// The bytes of the values, before encoding, with which a file is complete. The encoded file has about a tenth of
/// them. A batch is not divided between files.
const FILE_BYTES: u64 = 4 << 30;

/// The number of rows with which a batch is complete.
const BATCH_ROWS: usize = 8192;
/// The bytes of values with which a batch is complete, if it has fewer rows.
const BATCH_BYTES: u64 = 4 << 20;

/// The writers of all tables.
pub(crate) struct TableWriters<'o> {
    output: &'o mut OutputFolder,
    writers: BTreeMap<Table, TableWriter>,
    /// The files that are finished.
    files: Vec<(Table, HistoryFile)>,
    /// The encoded values of the row that is added.
    buffer: Vec<u8>,
}

/// Writes the files of a table, one after the other.
struct TableWriter {
    /// The rows of the batch that is not written yet.
    rows: StoredRows,
    file: Option<TableFileWriter>,
    /// The bytes of the values that were written to the file, before encoding.
    file_bytes: u64,
    file_count: usize,
}

impl<'o> TableWriters<'o> {
    pub(crate) fn new(output: &'o mut OutputFolder) -> Self {
        Self {
            output,
            writers: BTreeMap::new(),
            files: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// Adds a row to its table.
    pub(crate) fn push<R: WholeRow>(&mut self, row: <R as Record>::Of<'_>) -> Result<(), Error> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        row.write(&mut buffer);
        let pushed = self.push_encoded(R::TABLE, &buffer);
        self.buffer = buffer;
        pushed
    }

    /// Adds an encoded row to a table.
    pub(crate) fn push_encoded(&mut self, table: Table, row: &[u8]) -> Result<(), Error> {
        self.push_keyed(table, &[], &mut FieldReader::new(row))
    }

    /// Adds the next encoded row of `fields` to a table. `key` has the values of its first columns.
    pub(crate) fn push_keyed(
        &mut self,
        table: Table,
        key: &[u8],
        fields: &mut FieldReader<'_>,
    ) -> Result<(), Error> {
        let writer = self.writers.entry(table);
        let writer = writer.or_insert_with(|| TableWriter::new(table));
        writer.rows.push(key, fields);
        if writer.rows.row_count() >= BATCH_ROWS || writer.rows.bytes() >= BATCH_BYTES {
            self.write_batch(table)?;
        }
        Ok(())
    }

    fn write_batch(&mut self, table: Table) -> Result<(), Error> {
        let writer = self.writers.entry(table);
        let writer = writer.or_insert_with(|| TableWriter::new(table));
        let rows = writer.rows.take();
        self.write(table, rows)
    }

    /// Adds a batch of rows to a table.
    pub(crate) fn write(&mut self, table: Table, rows: RowBatch) -> Result<(), Error> {
        let writer = self.writers.entry(table);
        let writer = writer.or_insert_with(|| TableWriter::new(table));
        if writer.file.is_none() {
            let created = self.output.create_file(table, writer.file_count)?;
            writer.file = Some(created);
            writer.file_count += 1;
            writer.file_bytes = 0;
        }
        writer.file_bytes += rows.first_rows_bytes(rows.len());
        if let Some(file) = &mut writer.file {
            file.write(rows)?;
        }
        if writer.file_bytes >= FILE_BYTES {
            self.finish_file(table)?;
        }
        Ok(())
    }

    fn finish_file(&mut self, table: Table) -> Result<(), Error> {
        let writer = self.writers.get_mut(&table);
        if let Some(mut file) = writer.and_then(|writer| writer.file.take()) {
            file.finish_rows()?;
            self.files.push((table, HistoryFile::new(file.finish()?)));
        }
        Ok(())
    }

    /// Ends the current file of a table, so that the next rows are in another file.
    pub(crate) fn end_file(&mut self, table: Table) -> Result<(), Error> {
        self.write_batch(table)?;
        self.finish_file(table)
    }

    /// Copies a file of an earlier history at `root`. No row of the table was added that is not in a file.
    pub(crate) fn copy_file(
        &mut self,
        table: Table,
        root: &Path,
        file: &HistoryFile,
    ) -> Result<(), Error> {
        let writer = self.writers.entry(table);
        let writer = writer.or_insert_with(|| TableWriter::new(table));
        let copied = self
            .output
            .copy_file(table, writer.file_count, root, file)?;
        writer.file_count += 1;
        self.files.push((table, copied));
        Ok(())
    }

    /// Ends a table, whose rows are complete. A table without rows has a file, too.
    pub(crate) fn finish_table(&mut self, table: Table) -> Result<(), Error> {
        let writer = self.writers.entry(table);
        let writer = writer.or_insert_with(|| TableWriter::new(table));
        if writer.rows.row_count() > 0 || writer.file_count == 0 {
            self.write_batch(table)?;
        }
        self.finish_file(table)
    }

    /// Ends all tables, and returns the files in the order of tables.
    pub(crate) fn finish(mut self) -> Result<Vec<HistoryFile>, Error> {
        for table in own_tables::all() {
            self.finish_table(table)?;
        }
        self.files.sort_by_key(|(table, _)| *table);
        Ok(self.files.into_iter().map(|(_, file)| file).collect())
    }
}

impl TableWriter {
    fn new(table: Table) -> Self {
        Self {
            rows: StoredRows::new(table),
            file: None,
            file_bytes: 0,
            file_count: 0,
        }
    }
}

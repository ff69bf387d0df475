//! The output of `match`: the table `matches` or `history_matches`, as Parquet or CSV.
//!
//! CSV follows RFC 4180 with LF line ends: a header with the column names,
//! quotes only where they are needed, and an empty field for null.

use super::decision::Decision;
use super::summary::{AnswerCounts, MatchSummary};
use crate::own_tables;
use capture::date::format_iso;
use columns::TableFileWriter;
use dataset::{StoredRows, WholeRow};
use disk::{NewFile, SingleFile};
use errors::Error;
use sort::sort_key::FieldReader;
use sort::{Field, Record};
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read};
use std::path::Path;
use tables::{Column, ColumnType, Table};

/// The number of rows at which a Parquet batch is written.
const BATCH_ROWS: usize = 4096;

/// The number of bytes of values at which a Parquet batch is written.
const BATCH_BYTES: u64 = 8 << 20;

/// The tables that a match writes: the first one over a dataset, the second one over a history.
const TABLES: [Table; 2] = [own_tables::MATCHES, own_tables::HISTORY_MATCHES];

/// Writes the rows of the output under a temporary name.
pub(super) struct MatchWriter {
    format: Format,
    row_count: u64,
    counts: AnswerCounts,
    /// The encoded values of the row that is added.
    buffer: Vec<u8>,
}

enum Format {
    Parquet {
        file: Box<TableFileWriter>,
        rows: Box<StoredRows>,
    },
    Csv(Box<CsvWriter>),
}

struct CsvWriter {
    columns: &'static [Column],
    writer: csv::Writer<BufWriter<File>>,
    new_file: NewFile,
}

/// Creates the output file, calls `write_rows` to fill it, and renames it once all rows are written. Adds the number of
/// rows, the counts of decisions and the size of the file to `summary`.
pub(super) fn write_output(
    output: &SingleFile,
    table: Table,
    summary: &mut MatchSummary,
    write_rows: impl FnOnce(&mut MatchWriter) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut writer = MatchWriter::create(output, table)?;
    match write_rows(&mut writer) {
        Ok(()) => {
            summary.rows = writer.row_count;
            writer.counts.write_to(summary);
            summary.bytes_written = writer.finish()?;
            Ok(())
        }
        Err(error) => {
            writer.discard();
            Err(error)
        }
    }
}

fn column_names(table: Table) -> impl Iterator<Item = &'static str> {
    table.columns().iter().map(|column| column.name)
}

/// Returns true if a file with this name is written as CSV.
pub(super) fn is_csv_name(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    extension.eq_ignore_ascii_case("csv")
}

/// Returns true if the first line of a file is a CSV header that `match` writes.
pub(super) fn has_match_header(path: &Path) -> bool {
    TABLES.iter().any(|table| {
        let header = column_names(*table).collect::<Vec<_>>().join(",") + "\n";
        let mut line = Vec::new();
        disk::open(path).is_ok_and(|file| {
            let mut start = BufReader::new(file.take(header.len() as u64));
            start.read_until(b'\n', &mut line).is_ok() && line == header.as_bytes()
        })
    })
}

impl MatchWriter {
    /// Creates the output file: CSV if its name ends in `.csv`, otherwise Parquet.
    ///
    /// # Errors
    ///
    /// Those of writing.
    fn create(output: &SingleFile, table: Table) -> Result<Self, Error> {
        let (new_file, file) = output.new_file()?;
        let format = if is_csv_name(&new_file.path()) {
            Format::Csv(Box::new(CsvWriter::create(table, new_file, file)?))
        } else {
            Format::Parquet {
                file: Box::new(TableFileWriter::create(
                    table.file_schema(&[]),
                    (new_file, file),
                )?),
                rows: Box::new(StoredRows::new(table)),
            }
        };
        Ok(Self {
            format,
            row_count: 0,
            counts: AnswerCounts::default(),
            buffer: Vec::new(),
        })
    }

    /// Adds a row, and counts its decision.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub(super) fn push<R: WholeRow>(
        &mut self,
        row: <R as Record>::Of<'_>,
        decision: &Decision,
    ) -> Result<(), Error> {
        self.row_count += 1;
        self.counts.add(decision);
        self.buffer.clear();
        row.write(&mut self.buffer);
        let mut fields = FieldReader::new(&self.buffer);
        match &mut self.format {
            Format::Parquet { file, rows } => {
                rows.push(&[], &mut fields);
                if rows.row_count() >= BATCH_ROWS || rows.bytes() >= BATCH_BYTES {
                    file.write(rows.take())?;
                }
                Ok(())
            }
            Format::Csv(file) => file.push(&mut fields),
        }
    }

    pub(super) fn row_count(&self) -> u64 {
        self.row_count
    }

    /// Completes the file, syncs it to disk and renames it. Returns its size in bytes.
    ///
    /// # Errors
    ///
    /// Those of writing; the file is removed then.
    fn finish(self) -> Result<u64, Error> {
        match self.format {
            Format::Parquet { mut file, mut rows } => {
                let result = file.write(rows.take()).and_then(|()| file.finish_rows());
                if let Err(error) = result {
                    file.discard();
                    return Err(error);
                }
                Ok(file.finish()?.bytes)
            }
            Format::Csv(file) => file.finish(),
        }
    }

    /// Removes the file.
    fn discard(self) {
        match self.format {
            Format::Parquet { file, .. } => file.discard(),
            Format::Csv(file) => file.new_file.discard(),
        }
    }
}

impl CsvWriter {
    fn create(table: Table, new_file: NewFile, file: File) -> Result<Self, Error> {
        let mut file = Self {
            columns: table.columns(),
            writer: csv::Writer::from_writer(BufWriter::new(file)),
            new_file,
        };
        let written = file.writer.write_record(column_names(table));
        file.check(written)?;
        Ok(file)
    }

    fn push(&mut self, fields: &mut FieldReader<'_>) -> Result<(), Error> {
        for column in self.columns {
            let text = csv_text(column, fields);
            let written = self.writer.write_field(text.as_ref());
            self.check(written)?;
        }
        let written = self.writer.write_record(None::<&[u8]>);
        self.check(written)
    }

    fn check(&self, written: csv::Result<()>) -> Result<(), Error> {
        written.map_err(|error| Error::write(self.new_file.path(), error))
    }

    fn finish(self) -> Result<u64, Error> {
        let path = self.new_file.path();
        let write_error = |error| Error::write(&path, error);
        let buffer = self.writer.into_inner();
        let buffer = buffer.map_err(|error| write_error(error.into_error()))?;
        let file = buffer
            .into_inner()
            .map_err(|error| write_error(error.into_error()))?;
        file.sync_all().map_err(write_error)?;
        let bytes = file.metadata().map_err(write_error)?.len();
        self.new_file.commit()?;
        Ok(bytes)
    }
}

/// Reads the next field, which is the value of `column`, as text; null is the empty text.
fn csv_text<'f>(column: &Column, fields: &mut FieldReader<'f>) -> Cow<'f, [u8]> {
    if column.is_nullable && fields.u8() == 0 {
        return Cow::Borrowed(&[]);
    }
    let text = match column.kind {
        ColumnType::Text => return Cow::Borrowed(fields.bytes()),
        ColumnType::Long => fields.i64().to_string(),
        ColumnType::Time => format_iso(fields.i64()),
        ColumnType::Int | ColumnType::Short => fields.u32().cast_signed().to_string(),
        ColumnType::Bool => (fields.u8() != 0).to_string(),
    };
    Cow::Owned(text.into_bytes())
}

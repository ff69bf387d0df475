//! The output of `match`: the table `matches`, as Parquet or CSV.
//!
//! CSV follows RFC 4180 with LF line ends: a header with the column names,
//! quotes only where they are needed, and an empty field for null.

use columns::TableFileWriter;
use dataset::tables::{MatchRow, MatchRows, Table};
use disk::error::Error;
use disk::{NewFile, SingleFile};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read};
use std::path::Path;

/// The most rows of a Parquet batch.
const BATCH_ROWS: usize = 4096;

/// The most bytes of URLs in a Parquet batch.
const BATCH_BYTES: usize = 8 << 20;

/// The size of the finished output.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputSize {
    pub(super) rows: u64,
    pub(super) bytes: u64,
}

/// Writes the output under a temporary name.
pub(super) enum MatchWriter {
    Parquet {
        file: Box<TableFileWriter>,
        batch: Box<MatchRows>,
        /// Bytes of the URLs in the batch.
        url_bytes: usize,
    },
    Csv(Box<CsvWriter>),
}

pub(super) struct CsvWriter {
    writer: csv::Writer<BufWriter<File>>,
    new_file: NewFile,
    rows: u64,
}

/// Returns the names of the columns, in the order of the table.
fn column_names() -> Vec<&'static str> {
    let columns = Table::Matches.columns().iter();
    columns.map(|column| column.name).collect()
}

/// Returns true if a file with this name is written as CSV.
pub(super) fn is_csv_name(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    extension.eq_ignore_ascii_case("csv")
}

/// Returns true if the first line of a file is the CSV header that `match` writes.
pub(super) fn has_match_header(path: &Path) -> bool {
    let header = column_names().join(",") + "\n";
    let mut line = Vec::new();
    disk::open(path).is_ok_and(|file| {
        let mut start = BufReader::new(file.take(header.len() as u64));
        start.read_until(b'\n', &mut line).is_ok() && line == header.as_bytes()
    })
}

impl MatchWriter {
    /// Creates the file: CSV if its name ends in `.csv`, otherwise Parquet.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub(super) fn create(output: &SingleFile) -> Result<Self, Error> {
        let (new_file, file) = output.new_file()?;
        if is_csv_name(&new_file.path()) {
            return CsvWriter::create(new_file, file).map(|file| Self::Csv(Box::new(file)));
        }
        let schema = Table::Matches.file_schema(&[]);
        Ok(Self::Parquet {
            file: Box::new(TableFileWriter::create(schema, (new_file, file))?),
            batch: Box::default(),
            url_bytes: 0,
        })
    }

    /// Adds a row.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub(super) fn push(&mut self, row: &MatchRow<'_>) -> Result<(), Error> {
        match self {
            Self::Parquet {
                file,
                batch,
                url_bytes,
            } => {
                batch.push(row);
                *url_bytes += row.url.len();
                if batch.row_count() >= BATCH_ROWS || *url_bytes >= BATCH_BYTES {
                    *url_bytes = 0;
                    file.write(batch.take())?;
                }
                Ok(())
            }
            Self::Csv(file) => file.push(row),
        }
    }

    /// Completes the file, syncs it to disk and renames it.
    ///
    /// # Errors
    ///
    /// Those of writing; the file is removed then.
    pub(super) fn finish(self) -> Result<OutputSize, Error> {
        match self {
            Self::Parquet {
                mut file,
                mut batch,
                ..
            } => {
                let result = file.write(batch.take()).and_then(|()| file.finish_rows());
                if let Err(error) = result {
                    file.discard();
                    return Err(error);
                }
                let finished = file.finish()?;
                Ok(OutputSize {
                    rows: finished.rows,
                    bytes: finished.bytes,
                })
            }
            Self::Csv(file) => file.finish(),
        }
    }

    /// Removes the file.
    pub(super) fn discard(self) {
        match self {
            Self::Parquet { file, .. } => file.discard(),
            Self::Csv(file) => file.new_file.discard(),
        }
    }
}

impl CsvWriter {
    fn create(new_file: NewFile, file: File) -> Result<Self, Error> {
        let mut file = Self {
            writer: csv::Writer::from_writer(BufWriter::new(file)),
            new_file,
            rows: 0,
        };
        file.write(&column_names())?;
        Ok(file)
    }

    fn write(&mut self, record: &[&str]) -> Result<(), Error> {
        let written = self.writer.write_record(record);
        written.map_err(|error| Error::write(self.new_file.path(), error))
    }

    fn push(&mut self, row: &MatchRow<'_>) -> Result<(), Error> {
        self.rows += 1;
        let (crawl, robots_id) = match row.capture {
            Some((crawl, robots_id)) => (crawl, robots_id.to_string()),
            None => ("", String::new()),
        };
        let line_no = row
            .line_no
            .map_or(String::new(), |line_no| line_no.to_string());
        let preference = row.preference.unwrap_or_default();
        let preference_line = row
            .preference_line
            .map_or(String::new(), |line_no| line_no.to_string());
        self.write(&[
            row.url,
            row.agent,
            &robots_id,
            row.access,
            &line_no,
            row.basis,
            crawl,
            preference,
            &preference_line,
        ])
    }

    fn finish(self) -> Result<OutputSize, Error> {
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
        Ok(OutputSize {
            rows: self.rows,
            bytes,
        })
    }
}

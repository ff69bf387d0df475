//! The output of `match`: the table `matches`, as Parquet or as CSV.
//!
//! CSV follows RFC 4180 with lines that end in LF: a header with the names of
//! the columns, fields in quotes where they must be, and nothing for a null.

use crate::error::Error;
use crate::output::TableFile;
use crate::tables::{Match, Matches, Table};
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Read};
use std::path::{Path, PathBuf};

/// Rows of a batch of Parquet, at most.
const BATCH_ROWS: usize = 4096;

/// Bytes of URLs after which a batch is written, however few its rows.
const BATCH_BYTES: usize = 8 << 20;

/// The columns, in the order of the table.
const COLUMNS: [&str; 7] = [
    "url",
    "agent",
    "robots_id",
    "access",
    "line_no",
    "basis",
    "crawl",
];

/// A file that is being written under a temporary name.
pub(super) enum Output {
    Parquet {
        file: Box<TableFile>,
        batch: Box<Matches>,
        /// Bytes of the URLs of the batch.
        bytes: usize,
    },
    Csv(Box<CsvFile>),
}

/// A CSV file.
pub(super) struct CsvFile {
    writer: csv::Writer<BufWriter<File>>,
    temporary: PathBuf,
    path: PathBuf,
    rows: u64,
}

/// Returns true if a file of this name is written as CSV.
pub(super) fn is_csv_name(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    extension.eq_ignore_ascii_case("csv")
}

/// Returns true if a file has the header of the table, so that `match` wrote it.
pub(super) fn is_our_csv(path: &Path) -> bool {
    let header = COLUMNS.join(",") + "\n";
    let mut line = Vec::new();
    let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    is_file
        && File::open(path).is_ok_and(|file| {
            let mut start = BufReader::new(file.take(header.len() as u64));
            start.read_until(b'\n', &mut line).is_ok() && line == header.as_bytes()
        })
}

impl Output {
    /// Creates the file, in the format that its name asks for.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub(super) fn create(path: &Path) -> Result<Self, Error> {
        if is_csv_name(path) {
            return CsvFile::create(path).map(|file| Self::Csv(Box::new(file)));
        }
        let schema = Table::Matches.schema().as_ref().clone();
        Ok(Self::Parquet {
            file: Box::new(TableFile::create(Table::Matches, schema, path)?),
            batch: Box::default(),
            bytes: 0,
        })
    }

    /// Writes a row.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub(super) fn push(&mut self, row: &Match<'_>) -> Result<(), Error> {
        match self {
            Self::Parquet { file, batch, bytes } => {
                batch.push(row);
                *bytes += row.url.len();
                if batch.rows() >= BATCH_ROWS || *bytes >= BATCH_BYTES {
                    *bytes = 0;
                    file.write(batch.take())?;
                }
                Ok(())
            }
            Self::Csv(file) => file.push(row),
        }
    }

    /// Ends the file, brings it to the disk and gives it its name. Returns its
    /// rows and bytes.
    ///
    /// # Errors
    ///
    /// Those of writing; nothing is left of the file then.
    pub(super) fn finish(self) -> Result<(u64, u64), Error> {
        match self {
            Self::Parquet {
                mut file,
                mut batch,
                ..
            } => {
                let ended = file.write(batch.take()).and_then(|()| file.end());
                if let Err(error) = ended {
                    file.discard();
                    return Err(error);
                }
                let finished = file.finish()?;
                Ok((finished.rows, finished.bytes))
            }
            Self::Csv(file) => {
                let temporary = file.temporary.clone();
                file.finish().inspect_err(|_| {
                    let _ = fs::remove_file(temporary);
                })
            }
        }
    }

    /// Removes what was written.
    pub(super) fn discard(self) {
        match self {
            Self::Parquet { file, .. } => file.discard(),
            Self::Csv(file) => {
                let temporary = file.temporary.clone();
                drop(file);
                let _ = fs::remove_file(temporary);
            }
        }
    }
}

impl CsvFile {
    fn create(path: &Path) -> Result<Self, Error> {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder {
            fs::create_dir_all(folder).map_err(|error| Error::write(folder, error))?;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let temporary = path.with_file_name(format!("_{name}.tmp"));
        let _ = fs::remove_file(&temporary);
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&temporary)
            .map_err(|error| Error::write(&temporary, error))?;
        let mut file = Self {
            writer: csv::Writer::from_writer(BufWriter::new(file)),
            temporary,
            path: path.to_owned(),
            rows: 0,
        };
        file.write(&COLUMNS)?;
        Ok(file)
    }

    fn write(&mut self, record: &[&str]) -> Result<(), Error> {
        let written = self.writer.write_record(record);
        written.map_err(|error| Error::write(&self.path, error))
    }

    fn push(&mut self, row: &Match<'_>) -> Result<(), Error> {
        self.rows += 1;
        let (crawl, robots_id) = match row.capture {
            Some((crawl, robots_id)) => (crawl, robots_id.to_string()),
            None => ("", String::new()),
        };
        let line_no = match row.line_no {
            0 => String::new(),
            line_no => line_no.to_string(),
        };
        self.write(&[
            row.url, row.agent, &robots_id, row.access, &line_no, row.basis, crawl,
        ])
    }

    fn finish(self) -> Result<(u64, u64), Error> {
        let fail = |error| Error::write(&self.path, error);
        let buffer = self.writer.into_inner();
        let buffer = buffer.map_err(|error| fail(error.into_error()))?;
        let file = buffer
            .into_inner()
            .map_err(|error| fail(error.into_error()))?;
        file.sync_all().map_err(fail)?;
        let bytes = file.metadata().map_err(fail)?.len();
        crate::output::rename(&self.temporary, &self.path)?;
        Ok((self.rows, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_are_those_of_the_table() {
        let schema = Table::Matches.schema();
        let names: Vec<&String> = schema.fields().iter().map(|field| field.name()).collect();
        assert_eq!(names, COLUMNS);
    }
}

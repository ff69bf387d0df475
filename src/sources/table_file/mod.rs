//! Reads files with tables that other programs wrote: lists of records and of URLs, and tables of bodies. Their format
//! is Parquet, CSV, JSON lines, or CDXJ, whose lines end in JSON; a list of URLs may also be text with a URL in each
//! line.
//!
//! The format is detected. A file that begins with `PAR1` is Parquet. Anything else is decompressed if it is gzip. It
//! is JSON lines or CDXJ if its first line has a `{`, and otherwise CSV with a header. A list of URLs without a header
//! is text. A column is found by its exact name, or else by the only name that differs just in case.
//!
//! The bytes that a small file can expand to are limited: those of a row, and in Parquet those of a page, and of all
//! values relative to the size of the file (`parquet_rows.rs`), because a Parquet file of a few bytes can have any
//! number of values. Gzip has a limit of its own: a text has at most 1,032 times the size of its gzip file.

mod columns;
mod csv_rows;
mod folder;
mod interruptible_reader;
mod json_rows;
mod parquet_rows;
mod text_rows;
mod value;

pub use columns::{ColumnNames, WantedColumn};
pub use folder::find_parquet_files;
pub use value::Value;
pub(crate) use value::shorten;

use crate::error::{SourceErrorKind, TableDefect};
use columns::find_columns;
use csv_rows::CsvRows;
use errors::Error;
use flate2::read::MultiGzDecoder;
use interruptible_reader::InterruptibleReader;
use json_rows::{JsonRows, is_json_line};
use parquet_rows::ParquetRows;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
pub use text_rows::MAX_KEPT_LINE_BYTES;
use text_rows::TextRows;

/// The longest line of JSON or record of CSV in bytes.
const MAX_TABLE_ROW_BYTES: usize = 64 << 20;

/// The largest page of a Parquet file in bytes. DuckDB begins a new page after 100 MB.
const MAX_TABLE_PAGE_BYTES: u64 = 192 << 20;

/// The most bytes at the start of a text file that are read to detect its format. The header line of CSV cannot be
/// longer.
const MAX_HEAD_BYTES: usize = 1 << 20;

/// The largest parts of a table that are read as a whole, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableLimits {
    /// The longest line of JSON or record of CSV.
    pub row_bytes: usize,
    /// The largest page of Parquet.
    pub page_bytes: u64,
}

/// The expected content of a file, which determines its possible formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedContent<'a> {
    /// A table with named columns.
    Table,
    /// A list of URLs. It is JSON lines or CDXJ if its first line is; CSV if its file name ends in `.csv` or its first
    /// line has this column; and otherwise text with a URL in each line.
    UrlList(&'a str),
    /// A list of URLs that is never text: JSON lines or CDXJ if its first line is, and otherwise CSV.
    UrlTable,
}

/// The result of going to the next row.
#[derive(Debug)]
pub enum RowStatus {
    /// The row was read.
    Row,
    /// The row cannot be read, for this reason.
    Malformed(String),
    /// The row and those after it cannot be read, up to the next row group in Parquet, and otherwise up to the end.
    /// Reading may continue after them.
    Lost(Error),
    /// There are no more rows.
    End,
}

/// The ranges of row numbers that are read from a table, in ascending order; `None` for all rows.
pub(crate) type RowRanges = Option<Arc<[Range<u64>]>>;

/// A table whose format was detected.
pub struct OpenedTable {
    path: PathBuf,
    source: Source,
}

enum Source {
    Parquet(File),
    Text {
        format: TextFormat,
        first_line: Vec<u8>,
        /// The decompressed bytes.
        text: Box<dyn Read + Send>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextFormat {
    Csv,
    Json,
    /// A URL in each line.
    Urls,
}

/// Reads some columns of the rows of a table.
pub struct TableReader {
    rows: Rows,
}

enum Rows {
    Parquet(Box<ParquetRows>),
    Csv(Box<CsvRows>),
    Json(Box<JsonRows>),
    Text(Box<TextRows>),
}

impl Default for TableLimits {
    fn default() -> Self {
        Self {
            row_bytes: MAX_TABLE_ROW_BYTES,
            page_bytes: MAX_TABLE_PAGE_BYTES,
        }
    }
}

impl OpenedTable {
    /// Opens a table. `path` is the name of the file for messages.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`](errors::ErrorKind::Read); [`SourceErrorKind::NotATable`] for Parquet in a file that is
    /// not regular, because Parquet is read from its end.
    pub fn open(mut file: File, path: &Path, kind: ExpectedContent<'_>) -> Result<Self, Error> {
        let read_error = |error| Error::read(path, error);
        let is_regular = file.metadata().map_err(read_error)?.is_file();
        if is_regular {
            file.rewind().map_err(read_error)?;
        }
        let magic = read_magic(&mut file).map_err(read_error)?;
        if !is_regular {
            return Self::from_stream(magic, file, path, kind);
        }
        file.rewind().map_err(read_error)?;
        if magic == b"PAR1" {
            return Ok(Self {
                path: path.to_owned(),
                source: Source::Parquet(file),
            });
        }
        Self::from_stream(Vec::new(), file, path, kind)
    }

    /// Opens a table that comes through a stream, such as standard input. Reading it, and waiting for it, ends with an
    /// error once `stop` is set.
    ///
    /// # Errors
    ///
    /// As for [`OpenedTable::open`].
    pub fn open_stream(
        stream: impl Read + Send + 'static,
        path: &Path,
        kind: ExpectedContent<'_>,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self, Error> {
        let mut stream = InterruptibleReader::new(stream, Arc::clone(stop));
        let magic = read_magic(&mut stream).map_err(|error| Error::read(path, error))?;
        Self::from_stream(magic, stream, path, kind)
    }

    /// Opens a table in a stream. `start` has its first bytes if they were read already, and is empty otherwise.
    fn from_stream(
        start: Vec<u8>,
        mut stream: impl Read + Send + 'static,
        path: &Path,
        kind: ExpectedContent<'_>,
    ) -> Result<Self, Error> {
        let read_error = |error| Error::read(path, error);
        let start = if start.is_empty() {
            read_magic(&mut stream).map_err(read_error)?
        } else {
            start
        };
        if start == b"PAR1" {
            let why = "Parquet is read from its end, so it cannot come through a pipe";
            return Err(table_error(TableDefect::other(why), path));
        }
        let is_gzip = start.starts_with(b"\x1f\x8b");
        let stream = io::Cursor::new(start).chain(stream);
        let mut text: Box<dyn Read + Send> = if is_gzip {
            Box::new(MultiGzDecoder::new(BufReader::new(stream)))
        } else {
            Box::new(stream)
        };
        let head = read_head(&mut text).map_err(read_error)?;
        let first_line = first_line(&head).unwrap_or_default().to_owned();
        if kind == ExpectedContent::Table && first_line.trim_ascii().starts_with(b"[") {
            return Err(table_error(TableDefect::JsonArray, path));
        }
        Ok(Self {
            path: path.to_owned(),
            source: Source::Text {
                format: TextFormat::detect(&first_line, path, kind),
                first_line,
                text: Box::new(io::Cursor::new(head).chain(text)),
            },
        })
    }

    /// Returns the path of the table.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the same table. Unless it is Parquet, reading it, and waiting for it, ends with an error once `stop` is
    /// set.
    pub fn interruptible(self, stop: &Arc<AtomicBool>) -> Self {
        let source = match self.source {
            Source::Parquet(file) => Source::Parquet(file),
            Source::Text {
                format,
                first_line,
                text,
            } => Source::Text {
                format,
                first_line,
                text: Box::new(InterruptibleReader::new(text, Arc::clone(stop))),
            },
        };
        Self { source, ..self }
    }

    /// Returns a reader of these columns. The URLs of a list in text are the values of the first of them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`](errors::ErrorKind::Read); [`SourceErrorKind::NotATable`] for a table that cannot be read,
    /// or without a column.
    pub fn read(self, columns: &[WantedColumn], limits: TableLimits) -> Result<TableReader, Error> {
        self.read_ranges(columns, None, limits)
    }

    fn read_ranges(
        self,
        columns: &[WantedColumn],
        ranges: RowRanges,
        limits: TableLimits,
    ) -> Result<TableReader, Error> {
        let path = &self.path;
        let selection = RowSelection::new(ranges);
        let rows = match self.source {
            Source::Parquet(file) => {
                let rows = ParquetRows::open(file, path, columns, selection, limits.page_bytes)?;
                Rows::Parquet(Box::new(rows))
            }
            Source::Text {
                format,
                first_line,
                text,
            } => match format {
                TextFormat::Csv => {
                    let rows = CsvRows::open(text, path, columns, selection, limits.row_bytes)?;
                    Rows::Csv(Box::new(rows))
                }
                TextFormat::Json => {
                    let rows = JsonRows::open(
                        text,
                        path,
                        &first_line,
                        columns,
                        selection,
                        limits.row_bytes,
                    )?;
                    Rows::Json(Box::new(rows))
                }
                TextFormat::Urls => Rows::Text(Box::new(TextRows::new(text, path))),
            },
        };
        Ok(TableReader { rows })
    }
}

impl TextFormat {
    fn detect(first_line: &[u8], path: &Path, kind: ExpectedContent<'_>) -> Self {
        let is_json = match kind {
            ExpectedContent::Table => first_line.contains(&b'{'),
            ExpectedContent::UrlList(_) | ExpectedContent::UrlTable => is_json_line(first_line),
        };
        match kind {
            _ if is_json => Self::Json,
            ExpectedContent::Table | ExpectedContent::UrlTable => Self::Csv,
            ExpectedContent::UrlList(column)
                if has_csv_name(path)
                    || has_csv_column(first_line, column)
                    // It is refused, because a URL has no tab.
                    || first_line.trim_ascii().contains(&b'\t') =>
            {
                Self::Csv
            }
            ExpectedContent::UrlList(_) => Self::Urls,
        }
    }
}

impl TableReader {
    /// Opens a table in a regular file. `path` is the name of the file for messages.
    ///
    /// # Errors
    ///
    /// As for [`OpenedTable::open`] and [`OpenedTable::read`].
    pub(crate) fn open(
        file: File,
        path: &Path,
        columns: &[WantedColumn],
        ranges: RowRanges,
    ) -> Result<Self, Error> {
        let table = OpenedTable::open(file, path, ExpectedContent::Table)?;
        table.read_ranges(columns, ranges, TableLimits::default())
    }

    /// Goes to the next row.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`](errors::ErrorKind::Read); [`SourceErrorKind::NotATable`] if no further row can be
    /// found.
    pub fn advance(&mut self) -> Result<RowStatus, Error> {
        match &mut self.rows {
            Rows::Parquet(rows) => Ok(rows.advance()),
            Rows::Csv(rows) => rows.advance(),
            Rows::Json(rows) => rows.advance(),
            Rows::Text(rows) => rows.advance(),
        }
    }

    /// Returns the value of a column in the current row. `column` is an index in the list of wanted columns.
    pub fn value(&self, column: usize) -> Value<'_> {
        match &self.rows {
            Rows::Parquet(rows) => rows.value(column),
            Rows::Csv(rows) => rows.value(column),
            Rows::Json(rows) => rows.value(column),
            Rows::Text(rows) => rows.value(column),
        }
    }

    /// Returns true if the table may have a column. `column` is an index in the list of wanted columns.
    pub fn has_column(&self, column: usize) -> bool {
        match &self.rows {
            Rows::Parquet(rows) => rows.has_column(column),
            Rows::Csv(rows) => rows.has_column(column),
            // Each row has its own columns.
            Rows::Json(_) => true,
            Rows::Text(_) => column == 0,
        }
    }

    /// Returns true if the table is JSON, of which each row has its own columns.
    pub(crate) fn is_json(&self) -> bool {
        matches!(self.rows, Rows::Json(_))
    }

    /// Returns true if the table is CSV, in which an empty field without quotes is read as null.
    pub(crate) fn is_csv(&self) -> bool {
        matches!(self.rows, Rows::Csv(_))
    }

    /// Returns the number of the current row, from 0.
    pub fn row_no(&self) -> u64 {
        match &self.rows {
            Rows::Parquet(rows) => rows.row_no(),
            Rows::Csv(rows) => rows.row_no(),
            Rows::Json(rows) => rows.row_no(),
            Rows::Text(rows) => rows.row_no(),
        }
    }
}

/// Reads the first four bytes. A pipe may need several reads.
fn read_magic(source: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut magic = Vec::new();
    source.take(4).read_to_end(&mut magic)?;
    Ok(magic)
}

/// Reads until the [first line](first_line) ends, or [`MAX_HEAD_BYTES`] bytes were read. A pipe may need several reads.
fn read_head(source: &mut dyn Read) -> io::Result<Vec<u8>> {
    let (mut head, mut chunk) = (Vec::new(), [0; 8 << 10]);
    loop {
        match source.read(&mut chunk) {
            Ok(0) => return Ok(head),
            Ok(read) => {
                head.extend_from_slice(&chunk[..read]);
                let lines_end = memchr::memrchr(b'\n', &head).map_or(0, |end| end + 1);
                if head.len() >= MAX_HEAD_BYTES || first_line(&head[..lines_end]).is_some() {
                    return Ok(head);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns the first line that is neither empty nor a header line of CDXJ, which begins with `!`.
fn first_line(head: &[u8]) -> Option<&[u8]> {
    let head = strip_bom(head);
    let is_row = |line: &&[u8]| !line.trim_ascii().is_empty() && !line.starts_with(b"!");
    head.split(|&byte| byte == b'\n').find(is_row)
}

fn strip_bom(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

fn has_csv_name(path: &Path) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    name.strip_suffix(".gz").unwrap_or(&name).ends_with(".csv")
}

/// Returns true if a line is a header of CSV with a column. A line with a URL is not a header.
fn has_csv_column(line: &[u8], column: &str) -> bool {
    let name = |field: &[u8]| {
        let field = field.trim_ascii();
        let inner = field.strip_prefix(b"\"");
        let inner = inner.and_then(|field| field.strip_suffix(b"\""));
        let name = inner.unwrap_or(field).trim_ascii();
        name.eq_ignore_ascii_case(column.as_bytes())
    };
    memchr::memmem::find(line, b"://").is_none() && line.split(|&byte| byte == b',').any(name)
}

/// Returns the error of a file that is not a table that can be read.
fn table_error(defect: TableDefect, path: &Path) -> Error {
    Error::new(SourceErrorKind::NotATable(defect), path)
}

/// Selects rows by their numbers. The numbers are passed to [`has`](Self::has) in ascending order.
#[derive(Debug)]
struct RowSelection {
    ranges: RowRanges,
    /// The index of the first range that ends after the last number that was passed.
    next: usize,
}

impl RowSelection {
    fn new(ranges: RowRanges) -> Self {
        Self { ranges, next: 0 }
    }

    /// Returns true if a row is selected.
    fn has(&mut self, row_no: u64) -> bool {
        let Some(ranges) = &self.ranges else {
            return true;
        };
        while ranges
            .get(self.next)
            .is_some_and(|range| range.end <= row_no)
        {
            self.next += 1;
        }
        ranges
            .get(self.next)
            .is_some_and(|range| range.contains(&row_no))
    }

    /// Returns true if any of these rows may be selected.
    fn has_any(&self, rows: &Range<u64>) -> bool {
        let Some(ranges) = &self.ranges else {
            return true;
        };
        let first = ranges.partition_point(|range| range.end <= rows.start);
        ranges
            .get(first)
            .is_some_and(|range| range.start < rows.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// The number of a row, its URL and its `n`.
    type NumberedRow = (u64, Option<(String, Option<i64>)>);

    /// Reads the columns `url` and `n` of a table. A malformed row is `None`.
    fn read(bytes: &[u8], ranges: RowRanges) -> Result<Vec<NumberedRow>, Error> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let names = ColumnNames::default();
        let columns = [
            names.required("url", &["address", "url"]),
            names.optional("n", &["n"]),
        ];
        let mut table = TableReader::open(file, Path::new("table"), &columns, ranges)?;
        let mut rows = Vec::new();
        loop {
            let row = match table.advance()? {
                RowStatus::End => return Ok(rows),
                RowStatus::Malformed(_) | RowStatus::Lost(_) => None,
                RowStatus::Row => {
                    let text = table.value(0).text().unwrap_or_default();
                    let text = String::from_utf8_lossy(text).into_owned();
                    Some((text, table.value(1).number().unwrap_or(Some(-1))))
                }
            };
            rows.push((table.row_no(), row));
        }
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::read::GzEncoder::new(bytes, flate2::Compression::fast());
        let mut out = Vec::new();
        encoder.read_to_end(&mut out).unwrap();
        out
    }

    #[test]
    fn texts_are_csv_json_lines_or_cdxj() {
        let expected = [
            (0, Some(("a,b".to_owned(), Some(1)))),
            (1, Some(("c".to_owned(), None))),
        ];
        let csv = b"\xef\xbb\xbfn, URL \n1,\"a,b\"\n,c\n";
        let json = b"{\"url\": \"a,b\", \"n\": \"1\"}\n\n{\"n\": null, \"url\": \"c\", \"x\": [1]}";
        let cdxj = b"!OpenWayback-CDXJ 1.0\ncom,a)/ 20240101000000 {\"url\": \"a,b\", \"n\": 1.0}\ncom,c)/ 20240101000000 {\"url\": \"c\"}\n";
        for bytes in [&csv[..], json, cdxj] {
            assert_eq!(read(bytes, None).unwrap(), expected);
            assert_eq!(read(&gzip(bytes), None).unwrap(), expected);
            let second = Some(std::iter::once(1..2).collect());
            assert_eq!(read(bytes, second).unwrap(), expected[1..]);
        }
    }

    #[test]
    fn a_tab_separated_text_is_refused() {
        let is_refused = |bytes: &[u8]| {
            let error = read(bytes, None).unwrap_err();
            let kind = SourceErrorKind::NotATable(TableDefect::TabSeparated);
            error.kind() == Some(&kind)
        };
        assert!(is_refused(b"n\turl\n1\ta,b\n"));
        let table = |kind| TextFormat::detect(b"https://a/x\t200", Path::new("urls"), kind);
        assert!(matches!(
            table(ExpectedContent::UrlList("url")),
            TextFormat::Csv
        ));
    }

    #[test]
    fn a_row_that_cannot_be_read_does_not_concern_the_others() {
        let long = [
            &b"{\"url\": \""[..],
            &vec![b'x'; MAX_TABLE_ROW_BYTES],
            b"\"}\n",
        ]
        .concat();
        let json = [
            b"{\"url\": \"a\"}\n{\"url\": \n",
            &long[..],
            b"{\"url\": \"b\", \"n\": \"x\"}\n",
        ]
        .concat();
        let rows = read(&json, None).unwrap();
        let expected = [
            (0, Some(("a".to_owned(), None))),
            (1, None),
            (2, None),
            (3, Some(("b".to_owned(), Some(-1)))),
        ];
        assert_eq!(rows, expected);
        // After a quote that is not closed, nothing more can be read.
        let csv = [b"url\na\n\"", &long[..]].concat();
        assert_eq!(read(&csv, None).unwrap().len(), 2);
        for bytes in [&b"x,y\n1,2\n"[..], b"", b"URL,Url\n"] {
            let error = read(bytes, None).unwrap_err();
            assert!(
                matches!(error.kind(), Some(SourceErrorKind::NotATable(_))),
                "{error}"
            );
        }
    }
}

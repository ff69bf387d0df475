//! Rows of tables in files: Parquet, CSV, JSON lines, and CDXJ, whose lines end in JSON.
//!
//! The format is detected. A file that begins with `PAR1` is Parquet. Anything else is decompressed if it is
//! gzip. It is JSON lines or CDXJ if its first line has a `{`, and otherwise CSV with a header. A column is
//! found by its exact name, or else by the only name that differs just in case.

mod csv_rows;
mod json_rows;
mod parquet_rows;

use crate::error::{ScanErrorKind, TableDefect};
use capture::date::parse_iso;
use csv_rows::CsvRows;
use disk::error::Error;
use flate2::read::MultiGzDecoder;
use json_rows::JsonRows;
use parquet_rows::ParquetRows;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The longest line of JSON or record of CSV in bytes.
pub(crate) const MAX_TABLE_ROW_BYTES: usize = 64 << 20;

/// The largest page of a Parquet file. DuckDB begins a new page after 100 MB.
const MAX_TABLE_PAGE_BYTES: u64 = 192 << 20;

/// The bytes of a text file from which its format is detected.
const HEAD_BYTES: u64 = 64 << 10;

/// A column that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WantedColumn {
    /// Its names. The first one that the table has is read.
    pub(crate) names: Vec<String>,
    /// True if a table without it is refused.
    pub(crate) is_required: bool,
    /// True if the values must be text or bytes: a column of another type, and objects of JSON, are refused.
    pub(crate) is_text: bool,
}

/// A value of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    /// The value is null, or the table does not have the column.
    Null,
    Text(&'a [u8]),
    Number(i64),
    /// Milliseconds since 1970.
    Time(i64),
    Flag(bool),
    /// A number with a fraction or one that is too large; an object where a text is wanted.
    Other,
}

/// The result of going to the next row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RowStatus {
    Row,
    /// The row, or several ones, cannot be read, for this reason. Reading continues after them.
    Malformed(String),
    End,
}

/// The rows of a table that are read, ascending; `None` for all.
pub(crate) type RowRanges = Option<Arc<[Range<u64>]>>;

/// Reads some columns of the rows of a table.
pub(crate) struct TableReader {
    rows: Rows,
}

enum Rows {
    Parquet(Box<ParquetRows>),
    Csv(Box<CsvRows>),
    Json(Box<JsonRows>),
}

impl TableReader {
    /// Opens a table in a regular file. `path` is the name of the file for messages.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`](disk::error::ErrorKind::Read); [`ScanErrorKind::NotATable`] for a file of another
    /// format, or without a column.
    pub(crate) fn open(
        mut file: File,
        path: &Path,
        columns: &[WantedColumn],
        ranges: RowRanges,
    ) -> Result<Self, Error> {
        let read_error = |error| Error::read(path, error);
        file.rewind().map_err(read_error)?;
        let mut magic = Vec::new();
        (&mut file)
            .take(4)
            .read_to_end(&mut magic)
            .map_err(read_error)?;
        file.rewind().map_err(read_error)?;
        if magic == b"PAR1" {
            let rows = ParquetRows::open(file, path, columns, ranges, MAX_TABLE_PAGE_BYTES)?;
            return Ok(Self {
                rows: Rows::Parquet(Box::new(rows)),
            });
        }
        let mut source: Box<dyn Read + Send> = match magic.starts_with(b"\x1f\x8b") {
            true => Box::new(MultiGzDecoder::new(BufReader::new(file))),
            false => Box::new(file),
        };
        let mut head = Vec::new();
        (&mut source)
            .take(HEAD_BYTES)
            .read_to_end(&mut head)
            .map_err(read_error)?;
        // A header line of CDXJ begins with `!`, and a header of CSV has no braces.
        let is_row = |line: &&[u8]| !line.trim_ascii().is_empty() && !line.starts_with(b"!");
        let first_line = head.split(|&byte| byte == b'\n').find(is_row);
        let has_object = first_line.is_some_and(|line| line.contains(&b'{'));
        let source: Box<dyn Read + Send> = Box::new(io::Cursor::new(head.clone()).chain(source));
        let rows = match has_object {
            true => Rows::Json(Box::new(JsonRows::open(
                source,
                path,
                first_line.unwrap_or_default(),
                columns,
                ranges,
            )?)),
            false => Rows::Csv(Box::new(CsvRows::open(source, path, columns, ranges)?)),
        };
        Ok(Self { rows })
    }

    /// Goes to the next row.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`](disk::error::ErrorKind::Read); [`ScanErrorKind::NotATable`] if no further row can be
    /// found.
    pub(crate) fn advance(&mut self) -> Result<RowStatus, Error> {
        match &mut self.rows {
            Rows::Parquet(rows) => rows.advance(),
            Rows::Csv(rows) => rows.advance(),
            Rows::Json(rows) => rows.advance(),
        }
    }

    /// Returns the value of a column, by its index among those that were asked for, in the current row.
    pub(crate) fn value(&self, column: usize) -> Value<'_> {
        match &self.rows {
            Rows::Parquet(rows) => rows.value(column),
            Rows::Csv(rows) => rows.value(column),
            Rows::Json(rows) => rows.value(column),
        }
    }

    /// Returns true if the table may have a column, by its index among those that were asked for.
    pub(crate) fn has_column(&self, column: usize) -> bool {
        match &self.rows {
            Rows::Parquet(rows) => rows.has_column(column),
            Rows::Csv(rows) => rows.has_column(column),
            // Each row has its own columns.
            Rows::Json(_) => true,
        }
    }

    /// Returns the number of the current row, from 0.
    pub(crate) fn row_no(&self) -> u64 {
        match &self.rows {
            Rows::Parquet(rows) => rows.row_no(),
            Rows::Csv(rows) => rows.row_no(),
            Rows::Json(rows) => rows.row_no(),
        }
    }
}

impl<'a> Value<'a> {
    /// Returns the text of the value; `None` for null and for values of other types.
    pub(crate) fn text(self) -> Option<&'a [u8]> {
        match self {
            Self::Text(text) => Some(text),
            Self::Null | Self::Number(_) | Self::Time(_) | Self::Flag(_) | Self::Other => None,
        }
    }

    /// Returns the number that the value is or that its text states; `None` for null and for empty text.
    ///
    /// # Errors
    ///
    /// A description of a value that is not a number.
    pub(crate) fn number(self) -> Result<Option<i64>, String> {
        match self {
            Self::Null => Ok(None),
            Self::Number(number) => Ok(Some(number)),
            Self::Text(text) if text.trim_ascii().is_empty() => Ok(None),
            Self::Text(text) => {
                let number = std::str::from_utf8(text.trim_ascii()).ok();
                let number = number.and_then(|text| text.parse().ok());
                number.map(Some).ok_or_else(|| shorten(text))
            }
            Self::Time(_) => Err("a time".to_owned()),
            Self::Flag(_) => Err("a truth value".to_owned()),
            Self::Other => Err("a number with a fraction, or too large".to_owned()),
        }
    }

    /// Returns a time in milliseconds since 1970; `None` for null and for empty text. Text is in ISO form, or has 14
    /// digits as in CDX.
    ///
    /// # Errors
    ///
    /// A description of a value that is not a time.
    pub(crate) fn time(self) -> Result<Option<i64>, String> {
        let text = match self {
            Self::Null => return Ok(None),
            Self::Time(time) => return Ok(Some(time)),
            Self::Flag(_) => return Err("a truth value".to_owned()),
            Self::Other => return Err("a number with a fraction, or too large".to_owned()),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => String::from_utf8_lossy(text.trim_ascii()).into_owned(),
        };
        if text.is_empty() {
            return Ok(None);
        }
        let time = parse_iso(&text).or_else(|| parse_digits(&text));
        time.map(Some).ok_or_else(|| shorten(text.as_bytes()))
    }
}

/// Parses a time such as `20240301120000`.
fn parse_digits(text: &str) -> Option<i64> {
    if text.len() != 14 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (date, time) = text.split_at(8);
    let iso = format!(
        "{}-{}-{}T{}:{}:{}Z",
        &date[..4],
        &date[4..6],
        &date[6..],
        &time[..2],
        &time[2..4],
        &time[4..]
    );
    parse_iso(&iso)
}

/// Returns the beginning of a value, for a message.
pub(crate) fn shorten(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(&text[..text.len().min(80)]);
    format!("'{}'", text.trim())
}

/// Returns the beginning of the name of a column, for a message.
fn shorten_name(name: &str) -> String {
    match name.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// Finds the columns of a table by their names.
///
/// # Errors
///
/// [`TableDefect::NoColumn`], [`TableDefect::AmbiguousColumn`].
fn find_columns(
    names: &[String],
    wanted: &[WantedColumn],
) -> Result<Vec<Option<usize>>, TableDefect> {
    let find = |column: &WantedColumn| {
        for wanted in &column.names {
            if let Some(index) = find_column(names, wanted)? {
                return Ok(Some(index));
            }
        }
        match column.is_required {
            true => Err(TableDefect::NoColumn {
                names: column.names.clone(),
                found: names
                    .iter()
                    .take(12)
                    .map(|name| shorten_name(name))
                    .collect(),
            }),
            false => Ok(None),
        }
    };
    wanted.iter().map(find).collect()
}

/// Finds a column by its exact name, or else the only column whose name differs just in case.
fn find_column(names: &[String], wanted: &str) -> Result<Option<usize>, TableDefect> {
    if let Some(index) = names.iter().position(|name| name == wanted) {
        return Ok(Some(index));
    }
    let mut alike = names.iter().enumerate();
    let mut alike = alike
        .by_ref()
        .filter(|(_, name)| name.eq_ignore_ascii_case(wanted));
    match (alike.next(), alike.next()) {
        (Some((_, first)), Some((_, second))) => Err(TableDefect::AmbiguousColumn {
            names: [first.clone(), second.clone()],
        }),
        (found, _) => Ok(found.map(|(index, _)| index)),
    }
}

/// Returns the error of a file that is not a table that can be read.
fn table_error(defect: TableDefect, path: &Path) -> Error {
    Error::new(ScanErrorKind::NotATable(defect), path)
}

/// Selects rows by their numbers, which are asked for in ascending order.
#[derive(Debug)]
struct RowSelection {
    ranges: RowRanges,
    /// The index of the first range that does not end before the last number.
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

    fn column(names: &[&str], is_required: bool) -> WantedColumn {
        WantedColumn {
            names: names.iter().map(ToString::to_string).collect(),
            is_required,
            is_text: false,
        }
    }

    /// The number of a row, its URL and its `n`.
    type NumberedRow = (u64, Option<(String, Option<i64>)>);

    /// Reads the columns `url` and `n` of a table. A malformed row is `None`.
    fn read(bytes: &[u8], ranges: RowRanges) -> Result<Vec<NumberedRow>, Error> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let columns = [column(&["address", "url"], true), column(&["n"], false)];
        let mut table = TableReader::open(file, Path::new("table"), &columns, ranges)?;
        let mut rows = Vec::new();
        loop {
            let row = match table.advance()? {
                RowStatus::End => return Ok(rows),
                RowStatus::Malformed(_) => None,
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
                matches!(error.kind(), Some(ScanErrorKind::NotATable(_))),
                "{error}"
            );
        }
    }

    #[test]
    fn times_are_iso_texts_or_digits() {
        let noon = Ok(Some(1_709_294_400_000));
        for text in [
            "2024-03-01T12:00:00Z",
            "20240301120000",
            " 2024-03-01 12:00:00 ",
        ] {
            assert_eq!(Value::Text(text.as_bytes()).time(), noon, "{text}");
        }
        assert_eq!(Value::Number(20_240_301_120_000).time(), noon);
        assert_eq!(Value::Text(b"").time(), Ok(None));
        assert!(Value::Text(b"soon").time().is_err());
        assert!(Value::Text(b"20249901120000").time().is_err());
    }
}

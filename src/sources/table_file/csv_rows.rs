//! Tables in CSV with a header.
//!
//! `csv-core` splits the fields. It reports neither if an empty field has quotes, nor if the file ends within quotes.
//! Both are derived here from the bytes of a field.

use super::{
    MAX_HEAD_BYTES, RowSelection, RowStatus, Value, WantedColumn, find_columns, table_error,
};
use crate::error::TableDefect;
use csv_core::ReadFieldResult;
use errors::Error;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The size of the read buffer in bytes.
const READ_BYTES: usize = 64 << 10;

/// The most bytes of a field that are copied at once. The room for them is filled with zeros first, which would be slow
/// for short fields if it were larger.
const FIELD_PART_BYTES: usize = 512;

pub(super) struct CsvRows {
    fields: Fields,
    path: PathBuf,
    row_bytes_max: usize,
    columns: Vec<Option<usize>>,
    /// For each wanted column, the byte range of its value in `record`; `None` for null.
    values: Vec<Option<Range<usize>>>,
    /// The texts of the wanted fields of the current record.
    record: Vec<u8>,
    selection: RowSelection,
    /// The number of rows so far.
    count: u64,
    is_at_end: bool,
}

/// Splits a file into fields.
struct Fields {
    source: BufReader<Box<dyn Read + Send>>,
    splitter: csv_core::Reader,
    /// The number of bytes that were read of the current record.
    record_bytes: usize,
    /// True if the last field of the file was read.
    is_at_end: bool,
}

/// A field that was read.
struct Field {
    /// True if it is empty and has no quotes.
    is_null: bool,
    is_last_of_record: bool,
}

/// The result of reading a field.
enum FieldStatus {
    Field(Field),
    /// The record has more bytes than the limit. The field that exceeds it begins at this line.
    TooLong {
        line: u64,
    },
    /// The file ends within quotes, which were opened at this line.
    OpenQuote {
        line: u64,
    },
    /// The file ends.
    End,
}

impl CsvRows {
    pub(super) fn open(
        source: Box<dyn Read + Send>,
        path: &Path,
        columns: &[WantedColumn],
        selection: RowSelection,
        row_bytes_max: usize,
    ) -> Result<Self, Error> {
        let mut fields = Fields {
            source: BufReader::with_capacity(READ_BYTES, source),
            splitter: csv_core::Reader::new(),
            record_bytes: 0,
            is_at_end: false,
        };
        let (mut names, mut name) = (Vec::new(), Vec::new());
        loop {
            name.clear();
            let bytes_max = MAX_HEAD_BYTES;
            let read = fields.read(&mut name, bytes_max);
            match read.map_err(|error| Error::read(path, error))? {
                FieldStatus::Field(field) => {
                    names.push(String::from_utf8_lossy(name.trim_ascii()).into_owned());
                    if field.is_last_of_record {
                        break;
                    }
                }
                FieldStatus::TooLong { .. } => {
                    let message = format!("its first line has more than {bytes_max} bytes");
                    return Err(table_error(TableDefect::Other(message), path));
                }
                FieldStatus::OpenQuote { line } => {
                    return Err(table_error(TableDefect::open_quote(line), path));
                }
                FieldStatus::End => break,
            }
        }
        let columns = find_columns(&names, columns).map_err(|defect| {
            let has_tab = names.iter().any(|name| name.contains('\t'));
            let defect = if has_tab {
                TableDefect::TabSeparated
            } else {
                defect
            };
            table_error(defect, path)
        })?;
        Ok(Self {
            fields,
            path: path.to_owned(),
            row_bytes_max,
            values: vec![None; columns.len()],
            columns,
            record: Vec::new(),
            selection,
            count: 0,
            is_at_end: false,
        })
    }

    pub(super) fn advance(&mut self) -> Result<RowStatus, Error> {
        while !self.is_at_end {
            let status = self.read_record();
            let status = status.map_err(|error| Error::read(&self.path, error))?;
            // A record that is not whole is a row, too, but nothing after it can be read.
            let defect = match status {
                FieldStatus::Field(_) => None,
                FieldStatus::TooLong { line } => Some(TableDefect::Other(format!(
                    "the record at line {line} has more than {} bytes: is a quote left open? Nothing after it is read",
                    self.row_bytes_max
                ))),
                FieldStatus::OpenQuote { line } => Some(TableDefect::open_quote(line)),
                FieldStatus::End => {
                    self.is_at_end = true;
                    break;
                }
            };
            self.count += 1;
            if let Some(defect) = defect {
                self.is_at_end = true;
                return Ok(RowStatus::Lost(table_error(defect, &self.path)));
            }
            if self.selection.has(self.count - 1) {
                return Ok(RowStatus::Row);
            }
        }
        Ok(RowStatus::End)
    }

    /// Reads the next record, and keeps the fields of the wanted columns.
    fn read_record(&mut self) -> io::Result<FieldStatus> {
        self.record.clear();
        self.values.fill(None);
        for index in 0.. {
            let start = self.record.len();
            let field = match self.fields.read(&mut self.record, self.row_bytes_max)? {
                FieldStatus::Field(field) => field,
                other => return Ok(other),
            };
            let mut is_wanted = false;
            for (column, value) in self.columns.iter().zip(&mut self.values) {
                if *column == Some(index) {
                    is_wanted = true;
                    *value = (!field.is_null).then_some(start..self.record.len());
                }
            }
            if !is_wanted {
                self.record.truncate(start);
            }
            if field.is_last_of_record {
                return Ok(FieldStatus::Field(field));
            }
        }
        Ok(FieldStatus::End)
    }

    pub(super) fn value(&self, column: usize) -> Value<'_> {
        match self.values.get(column) {
            Some(Some(range)) => Value::Text(&self.record[range.clone()]),
            _ => Value::Null,
        }
    }

    pub(super) fn has_column(&self, column: usize) -> bool {
        self.columns[column].is_some()
    }

    pub(super) fn row_no(&self) -> u64 {
        self.count.saturating_sub(1)
    }
}

impl Fields {
    /// Reads a field, and appends its text to `out`.
    fn read(&mut self, out: &mut Vec<u8>, record_bytes_max: usize) -> io::Result<FieldStatus> {
        if self.is_at_end {
            return Ok(FieldStatus::End);
        }
        let (first_line, start) = (self.splitter.line(), out.len());
        let mut quote_line = None;
        let mut line_ends = 0;
        loop {
            let input = match self.source.fill_buf() {
                Ok(input) => input,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if let (true, Some(line)) = (input.is_empty(), quote_line) {
                self.is_at_end = true;
                // The file has ended in a field with a quote. A comma shows if the quotes are closed: only then does it
                // end the field.
                let (result, ..) = self.splitter.read_field(b",", &mut [0; 8]);
                return Ok(match result {
                    ReadFieldResult::Field { .. } => FieldStatus::Field(Field {
                        is_null: false,
                        is_last_of_record: true,
                    }),
                    _ => FieldStatus::OpenQuote { line },
                });
            }
            let len = out.len();
            out.resize(len + input.len().clamp(1, FIELD_PART_BYTES), 0);
            let (result, read, written) = self.splitter.read_field(input, &mut out[len..]);
            out.truncate(len + written);
            let bytes = &input[..read];
            if quote_line.is_none() {
                let quote = memchr::memchr(b'"', bytes);
                let before = &bytes[..quote.unwrap_or(read)];
                line_ends += memchr::memchr_iter(b'\n', before).count() as u64;
                quote_line = quote.map(|_| first_line + line_ends);
            }
            self.source.consume(read);
            self.record_bytes += read;
            if self.record_bytes > record_bytes_max {
                let line = quote_line.unwrap_or(first_line);
                return Ok(FieldStatus::TooLong { line });
            }
            let is_last_of_record = match result {
                ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => continue,
                ReadFieldResult::Field { record_end } => record_end,
                ReadFieldResult::End => return Ok(FieldStatus::End),
            };
            if is_last_of_record {
                self.record_bytes = 0;
            }
            return Ok(FieldStatus::Field(Field {
                is_null: out.len() == start && quote_line.is_none(),
                is_last_of_record,
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads two columns of all rows. Null is `-`, and a row that cannot be read is its error.
    fn read(text: &str, row_bytes_max: usize) -> Vec<String> {
        let columns = ["a", "b"].map(|name| WantedColumn {
            names: vec![name.to_owned()],
            is_required: true,
            is_text: true,
        });
        let source = Box::new(io::Cursor::new(text.to_owned()));
        let selection = RowSelection::new(None);
        let path = Path::new("table");
        let mut rows = CsvRows::open(source, path, &columns, selection, row_bytes_max).unwrap();
        let mut found = Vec::new();
        loop {
            match rows.advance().unwrap() {
                RowStatus::End => return found,
                RowStatus::Lost(error) => found.push(error.to_string()),
                RowStatus::Malformed(reason) => found.push(reason),
                RowStatus::Row => {
                    let values = [0, 1].map(|column| match rows.value(column) {
                        Value::Text(text) => String::from_utf8_lossy(text).into_owned(),
                        _ => "-".to_owned(),
                    });
                    found.push(values.join("|"));
                }
            }
        }
    }

    #[test]
    fn an_empty_field_without_quotes_is_null() {
        let text = "\u{feff}x,a,\"b\"\r\n1,2,\r\n,,\n\n1,\"\",3\n,\"\",\"\"\n1,\"2\n\"\"\",4,5\n1\n,a\"b,\"c\"d";
        let expected = ["2|-", "-|-", "|3", "|", "2\n\"|4", "-|-", "a\"b|cd"];
        assert_eq!(read(text, 100), expected);
        assert_eq!(read("a,b\n1,\"\"", 100), ["1|"]);
        assert_eq!(read("a,b\n\"\",", 100), ["|-"]);
    }

    #[test]
    fn a_file_that_ends_within_quotes_names_the_line_of_the_quote() {
        for (text, line) in [
            ("a,b\n1,2\n3,\"4\n5,6\n", 3),
            ("a,b\r\n1,2\r\n\r\n3,\"4\n5,6\n", 4),
            ("a,b\n1,2\n\n\"3,4", 4),
            ("a,b\n1,2\n\n\"", 4),
            ("a,b\n1,2\n\"x\ny\",\"z\"\"", 4),
        ] {
            let rows = read(text, 100);
            assert_eq!(rows[0], "1|2");
            let error = format!("the quote that opens at line {line} is not closed");
            assert!(rows.len() == 2 && rows[1].contains(&error), "{rows:?}");
        }
        // The quotes of these are closed, or none.
        assert_eq!(read("a,b\n1,\"2\"", 100), ["1|2"]);
        assert_eq!(read("a,b\n1,2\"", 100), ["1|2\""]);
        assert_eq!(read("a,b\n1,\"2\"x\"", 100), ["1|2x\""]);
    }

    #[test]
    fn a_record_has_a_limit() {
        let long = "x".repeat(2 * READ_BYTES);
        let rows = read(&format!("a,b\n1,2\n3,\"{long}\"\n5,6\n"), READ_BYTES);
        assert!(rows.len() == 2 && rows[1].contains("line 3"), "{rows:?}");
        let rows = read(&format!("a,b\n1,2\n3,\"{long}\"\n5,6\n"), 3 * READ_BYTES);
        assert_eq!(rows.len(), 3);
    }
}

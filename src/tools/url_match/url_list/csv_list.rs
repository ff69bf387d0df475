//! URL lists in CSV.

use super::{ListColumns, RowCallback, RowTime, find_column, parse_row_time, strip_bom};
use crate::error::{ToolErrorKind, UrlListDefect};
use disk::error::Error;
use std::cell::Cell;
use std::io::{self, Read};
use std::path::Path;
use std::rc::Rc;

/// The longest record in bytes. Without a limit, an unclosed quote would make one
/// record of the rest of the file.
const MAX_RECORD_BYTES: usize = 4 << 20;

/// Calls `each` for every record, with the URL from the column `url_column` and
/// the time from the column `fetch_time`.
pub(super) fn read(
    source: impl Read,
    path: &Path,
    columns: &ListColumns<'_>,
    each: &mut RowCallback<'_>,
) -> Result<(), Error> {
    let refuse = |defect| Error::new(ToolErrorKind::NotAUrlList(defect), path);
    let too_long_error = |line: u64| {
        refuse(UrlListDefect::LongRecord {
            line,
            bytes_max: MAX_RECORD_BYTES,
        })
    };
    // The number of bytes that may still be read for the current record. The CSV reader reads ahead,
    // so a record that is a little shorter than the limit may be refused.
    let bytes_left = Rc::new(Cell::new(MAX_RECORD_BYTES));
    let source = LimitedReader {
        source,
        bytes_left: Rc::clone(&bytes_left),
    };
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(source);
    let header = reader.byte_headers().cloned();
    if bytes_left.get() == 0 {
        return Err(too_long_error(1));
    }
    let header = header.map_err(|error| csv_error(error, path))?;
    let find_index = |name: &str| {
        let names = header.iter().map(|field| strip_bom(field).trim_ascii());
        find_column(names, name).map_err(refuse)
    };
    let missing_error = |name: String| refuse(UrlListDefect::NoCsvColumn { name });
    let url_index = find_index(columns.url)?;
    let url_index = url_index.ok_or_else(|| missing_error(columns.url.to_owned()))?;
    let fetch_time_index = columns.find_time(find_index, missing_error)?;
    let mut record = csv::ByteRecord::new();
    loop {
        bytes_left.set(MAX_RECORD_BYTES);
        let line = reader.position().line();
        let has_record = reader.read_byte_record(&mut record);
        if bytes_left.get() == 0 {
            return Err(too_long_error(line));
        }
        if !has_record.map_err(|error| csv_error(error, path))? {
            return Ok(());
        }
        let time = fetch_time_index
            .and_then(|index| record.get(index))
            .unwrap_or_default();
        let time = std::str::from_utf8(time).map_or(RowTime::Malformed, parse_row_time);
        each(record.get(url_index).unwrap_or_default().trim_ascii(), time)?;
    }
}

/// Converts an error of the CSV reader. An I/O error remains one; any other is a defect of the list.
fn csv_error(error: csv::Error, path: &Path) -> Error {
    let message = error.to_string();
    match error.into_kind() {
        csv::ErrorKind::Io(error) => Error::read(path, error),
        _ => Error::new(
            ToolErrorKind::NotAUrlList(UrlListDefect::Csv { message }),
            path,
        ),
    }
}

/// A reader that fails once no bytes are left to be read.
struct LimitedReader<R> {
    source: R,
    bytes_left: Rc<Cell<usize>>,
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let room = out.len().min(self.bytes_left.get());
        if room == 0 && !out.is_empty() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let read = self.source.read(&mut out[..room])?;
        self.bytes_left.set(self.bytes_left.get() - read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_csv_reader_is_reported_as_text() {
        let mut records = csv::Reader::from_reader(&b"url\n\xff\n"[..]).into_records();
        let error = records.next().expect("one record").unwrap_err();
        let error = csv_error(error, Path::new("list.csv")).to_string();
        assert!(error.contains("invalid utf-8"), "{error}");
        assert!(!error.contains(['{', '}']), "{error}");
    }
}

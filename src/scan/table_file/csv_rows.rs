//! Tables in CSV with a header.

use super::{
    MAX_TABLE_ROW_BYTES, RowRanges, RowSelection, RowStatus, Value, WantedColumn, find_columns,
    table_error,
};
use crate::error::TableDefect;
use disk::error::Error;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(super) struct CsvRows {
    reader: csv::Reader<LimitedReader>,
    bytes_left: Arc<AtomicUsize>,
    path: PathBuf,
    columns: Vec<Option<usize>>,
    record: csv::ByteRecord,
    selection: RowSelection,
    /// The number of rows so far.
    count: u64,
    is_at_end: bool,
}

impl CsvRows {
    pub(super) fn open(
        source: Box<dyn Read + Send>,
        path: &Path,
        columns: &[WantedColumn],
        ranges: RowRanges,
    ) -> Result<Self, Error> {
        // The CSV reader reads ahead, so a record that is a little shorter than the limit may be refused.
        let bytes_left = Arc::new(AtomicUsize::new(MAX_TABLE_ROW_BYTES));
        let source = LimitedReader {
            source,
            bytes_left: Arc::clone(&bytes_left),
        };
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(source);
        let header = reader.byte_headers().cloned();
        let header = header.map_err(|error| {
            let is_long = bytes_left.load(Ordering::Relaxed) == 0;
            convert_error(error, is_long, path)
        })?;
        let name = |field: &[u8]| {
            let field = field.strip_prefix(b"\xef\xbb\xbf").unwrap_or(field);
            String::from_utf8_lossy(field.trim_ascii()).into_owned()
        };
        let names: Vec<String> = header.iter().map(name).collect();
        let columns = find_columns(&names, columns).map_err(|defect| table_error(defect, path))?;
        Ok(Self {
            reader,
            bytes_left,
            path: path.to_owned(),
            columns,
            record: csv::ByteRecord::new(),
            selection: RowSelection::new(ranges),
            count: 0,
            is_at_end: false,
        })
    }

    pub(super) fn advance(&mut self) -> Result<RowStatus, Error> {
        while !self.is_at_end {
            self.bytes_left
                .store(MAX_TABLE_ROW_BYTES, Ordering::Relaxed);
            let has_record = self.reader.read_byte_record(&mut self.record);
            if self.bytes_left.load(Ordering::Relaxed) == 0 {
                // The end of the record is unknown.
                self.is_at_end = true;
                self.count += 1;
                return Ok(RowStatus::Malformed(format!(
                    "the record has more than {MAX_TABLE_ROW_BYTES} bytes; nothing after it is read"
                )));
            }
            match has_record {
                Ok(true) => {}
                Ok(false) => {
                    self.is_at_end = true;
                    break;
                }
                Err(error) => return Err(convert_error(error, false, &self.path)),
            }
            self.count += 1;
            if self.selection.has(self.count - 1) {
                return Ok(RowStatus::Row);
            }
        }
        Ok(RowStatus::End)
    }

    pub(super) fn value(&self, column: usize) -> Value<'_> {
        let field = self.columns[column].and_then(|index| self.record.get(index));
        field.map_or(Value::Null, Value::Text)
    }

    pub(super) fn has_column(&self, column: usize) -> bool {
        self.columns[column].is_some()
    }

    pub(super) fn row_no(&self) -> u64 {
        self.count.saturating_sub(1)
    }
}

/// Converts an error of the CSV reader. An I/O error remains one; any other is a defect of the table.
fn convert_error(error: csv::Error, is_long: bool, path: &Path) -> Error {
    if is_long {
        let bytes_max = MAX_TABLE_ROW_BYTES;
        return table_error(TableDefect::LongHeader { bytes_max }, path);
    }
    let message = error.to_string();
    match error.into_kind() {
        csv::ErrorKind::Io(error) => Error::read(path, error),
        _ => table_error(TableDefect::Format { message }, path),
    }
}

/// A reader that fails once no bytes are left to be read.
struct LimitedReader {
    source: Box<dyn Read + Send>,
    /// The number of bytes that may still be read for the current record. Without it, a quote that is not
    /// closed would make one record of the rest of the file.
    bytes_left: Arc<AtomicUsize>,
}

impl Read for LimitedReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = self.bytes_left.load(Ordering::Relaxed);
        let room = out.len().min(left);
        if room == 0 && !out.is_empty() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let read = self.source.read(&mut out[..room])?;
        self.bytes_left.store(left - read, Ordering::Relaxed);
        Ok(read)
    }
}

//! Lists of URLs in text, with a URL in each line.

use super::{RowStatus, Value, strip_bom, table_error};
use crate::error::TableDefect;
use errors::Error;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The most bytes of a line that are kept: one more than the longest URL has, so that a longer line is recognized as
/// malformed.
pub const MAX_KEPT_LINE_BYTES: usize = (1 << 20) + 1;

/// The longest line in bytes. A list with a longer line, such as `/dev/zero`, is refused.
const MAX_LINE_READ_BYTES: usize = 64 << 20;

pub(super) struct TextRows {
    source: BufReader<Box<dyn Read + Send>>,
    path: PathBuf,
    line: Vec<u8>,
    /// The number of lines so far, including empty ones.
    lines: u64,
    /// The number of rows so far.
    count: u64,
}

/// The result of reading a line.
enum LineResult {
    /// The line was read.
    Whole,
    /// The list has ended.
    End,
    /// The line is longer than [`MAX_LINE_READ_BYTES`].
    TooLong,
}

impl TextRows {
    pub(super) fn new(source: Box<dyn Read + Send>, path: &Path) -> Self {
        Self {
            source: BufReader::new(source),
            path: path.to_owned(),
            line: Vec::new(),
            lines: 0,
            count: 0,
        }
    }

    pub(super) fn advance(&mut self) -> Result<RowStatus, Error> {
        loop {
            let read = read_line(&mut self.source, &mut self.line);
            self.lines += 1;
            match read.map_err(|error| Error::read(&self.path, error))? {
                LineResult::Whole => {}
                LineResult::End => return Ok(RowStatus::End),
                LineResult::TooLong => {
                    let line = self.lines;
                    let message = format!("line {line} has more than {MAX_LINE_READ_BYTES} bytes");
                    let error = table_error(TableDefect::Other(message), &self.path);
                    return Ok(RowStatus::Lost(error));
                }
            }
            if !self.url().is_empty() {
                self.count += 1;
                return Ok(RowStatus::Row);
            }
        }
    }

    fn url(&self) -> &[u8] {
        let line = match self.lines {
            1 => strip_bom(&self.line),
            _ => &self.line,
        };
        line.trim_ascii()
    }

    pub(super) fn value(&self, column: usize) -> Value<'_> {
        match column {
            0 => Value::Text(self.url()),
            _ => Value::Null,
        }
    }

    pub(super) fn row_no(&self) -> u64 {
        self.count.saturating_sub(1)
    }
}

/// Reads a line and keeps at most [`MAX_KEPT_LINE_BYTES`] bytes of it.
fn read_line(source: &mut dyn BufRead, line: &mut Vec<u8>) -> io::Result<LineResult> {
    line.clear();
    let mut bytes = 0;
    loop {
        let buffer = match source.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() {
            return Ok(match bytes {
                0 => LineResult::End,
                _ => LineResult::Whole,
            });
        }
        let end = memchr::memchr(b'\n', buffer);
        let text = &buffer[..end.unwrap_or(buffer.len())];
        let room = MAX_KEPT_LINE_BYTES.saturating_sub(line.len());
        line.extend_from_slice(&text[..text.len().min(room)]);
        let used = end.map_or(buffer.len(), |end| end + 1);
        source.consume(used);
        bytes += used;
        if end.is_some() {
            return Ok(LineResult::Whole);
        }
        if bytes > MAX_LINE_READ_BYTES {
            return Ok(LineResult::TooLong);
        }
    }
}

//! Reads the captures of a table of bodies.

use super::faults::{bad_row_fault, missing_input_fault};
use super::slice::SliceSource;
use super::{OpenedSource, ReadItem, SourceError};
use crate::input::{BodyRows, body_column as column, open_table};
use crate::table_file::{RowStatus, TableReader, Value};
use capture::date::is_plausible;
use capture::{Capture, CaptureScope, FetchedRow};
use columns::escaped_text::unescape_body;
use disk::error::Error;
use serde_json::Value as Json;
use std::io;
use std::path::Path;
use warc::RecordLocation;

/// The bytes of bodies after which they are compared with the size of their table.
const RATIO_CHECK_START_BODY_BYTES: u64 = 64 << 20;

/// The most bytes of bodies for each byte of their table. A value of a dictionary can be the body of any number of
/// rows; real files have a ratio of at most a few hundred.
const MAX_BODY_RATIO: u64 = 1100;

/// The statuses that a server can send.
const STATUSES: std::ops::RangeInclusive<i64> = 100..=999;

pub(super) struct BodyReader {
    table: TableReader,
    /// The header of the current row, with a status line.
    header: Vec<u8>,
    /// The body of the current row, if it is stored as text with escapes.
    unescaped_body: Option<Vec<u8>>,
    /// The number of rows that were read.
    count: u64,
    /// The bytes of their bodies, and of the table.
    body_bytes: u64,
    table_bytes: u64,
    is_at_end: bool,
}

impl BodyReader {
    /// Opens a table.
    pub(super) fn open(source: &SliceSource, rows: &BodyRows) -> Result<Self, OpenedSource> {
        let path: &Path = match source {
            SliceSource::File(path) => path,
            SliceSource::Failed(reason) => {
                return Err(OpenedSource::Failed(io::Error::other(&**reason)));
            }
            SliceSource::Object(_) | SliceSource::Stream(_) | SliceSource::Missing => {
                return Err(OpenedSource::Missing(missing_input_fault()));
            }
        };
        let opened = open_table(path).and_then(|file| {
            let metadata = file.metadata().map_err(|error| Error::read(path, error))?;
            let wanted = rows.columns.wanted();
            let table = TableReader::open(file, path, &wanted, rows.ranges.clone())?;
            Ok((table, metadata.len()))
        });
        match opened {
            Ok((table, table_bytes)) => Ok(Self {
                table,
                header: Vec::new(),
                unescaped_body: None,
                count: 0,
                body_bytes: 0,
                table_bytes,
                is_at_end: false,
            }),
            Err(error) => Err(OpenedSource::Failed(io::Error::other(error))),
        }
    }

    /// Goes to the next row that is a capture.
    pub(super) fn advance(&mut self) -> Result<bool, SourceError> {
        if self.is_at_end {
            return Ok(false);
        }
        let status = self.table.advance();
        let status = status.map_err(|error| SourceError::Failed(io::Error::other(error)))?;
        let row_no = self.table.row_no();
        let damaged = |reason: String| {
            Err(SourceError::Damaged {
                fault: bad_row_fault(row_no, reason),
                truncation: None,
            })
        };
        match status {
            RowStatus::End => Ok(false),
            RowStatus::Malformed(reason) => damaged(reason),
            RowStatus::Row => {
                self.count += 1;
                let body = self.table.value(column::BODY).text();
                self.body_bytes += body.unwrap_or_default().len() as u64;
                if is_bomb(self.body_bytes, self.table_bytes) {
                    self.is_at_end = true;
                    return damaged(format!(
                        "the bodies so far have more than {MAX_BODY_RATIO} times the bytes of the table; nothing more is read"
                    ));
                }
                match self.check_row() {
                    Some(reason) => damaged(reason.to_owned()),
                    None => {
                        self.read_header();
                        self.unescaped_body = self.unescape_body();
                        Ok(true)
                    }
                }
            }
        }
    }

    /// Returns the reason why the current row is not a capture; `None` for a capture.
    fn check_row(&self) -> Option<&'static str> {
        if self.url().is_empty() {
            return Some("the row has no URL");
        }
        let has_body = match self.table.value(column::BODY) {
            Value::Text(_) => true,
            Value::Null => false,
            Value::Number(_) | Value::Time(_) | Value::Flag(_) | Value::Other => {
                return Some("the body of the row is neither text nor bytes");
            }
        };
        let has_other_status = self
            .status()
            .0
            .is_some_and(|code| !(200..=299).contains(&code));
        (!has_body && !has_other_status && !self.is_revisit())
            .then_some("the row has no body, and no status other than 2xx")
    }

    fn url(&self) -> &[u8] {
        let url = self.table.value(column::URL).text();
        url.unwrap_or_default().trim_ascii()
    }

    /// Returns the status, and true if one is stated that cannot be read.
    fn status(&self) -> (Option<u16>, bool) {
        match self.table.value(column::STATUS).number() {
            Ok(None) => (None, false),
            Ok(Some(code)) if STATUSES.contains(&code) => (u16::try_from(code).ok(), false),
            _ => (None, true),
        }
    }

    fn is_revisit(&self) -> bool {
        self.flag(column::IS_REVISIT) == Some(true)
    }

    fn flag(&self, column: usize) -> Option<bool> {
        match self.table.value(column) {
            Value::Flag(flag) => Some(flag),
            Value::Number(number) => Some(number != 0),
            Value::Text(text) if text.trim_ascii().eq_ignore_ascii_case(b"true") => Some(true),
            Value::Text(text) if text.trim_ascii().eq_ignore_ascii_case(b"false") => Some(false),
            _ => None,
        }
    }

    /// Returns the body of a row of `robots_files` that is not valid UTF-8, and has escapes.
    fn unescape_body(&self) -> Option<Vec<u8>> {
        if self.flag(column::IS_VALID_UTF8) != Some(false) {
            return None;
        }
        let text = std::str::from_utf8(self.table.value(column::BODY).text()?).ok()?;
        Some(unescape_body(text, false).into_owned())
    }

    /// Writes the header fields of the current row as lines.
    fn read_header(&mut self) {
        self.header.clear();
        let Some(text) = self.table.value(column::HEADERS).text() else {
            return;
        };
        let text = text.trim_ascii();
        if text.is_empty() {
            return;
        }
        if text.starts_with(b"{") {
            if let Ok(Json::Object(fields)) = serde_json::from_slice(text) {
                self.header.extend_from_slice(b"HTTP/1.1 200\r\n");
                for (name, value) in &fields {
                    write_fields(&mut self.header, name, value);
                }
            }
        } else {
            if !text
                .get(..5)
                .is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP/"))
            {
                self.header.extend_from_slice(b"HTTP/1.1 200\r\n");
            }
            self.header.extend_from_slice(text);
            self.header.extend_from_slice(b"\r\n");
        }
        self.header.extend_from_slice(b"\r\n");
    }

    pub(super) fn item(&self, scope: CaptureScope) -> ReadItem<'_> {
        let table = &self.table;
        let (status, has_bad_status) = self.status();
        let time = table.value(column::TIME).time();
        let plausible = time.as_ref().ok().copied().flatten();
        let plausible = plausible.filter(|millis| is_plausible(*millis));
        let row = FetchedRow {
            url: self.url(),
            time: plausible,
            has_bad_time: time != Ok(plausible),
            status,
            has_bad_status,
            redirect: table.value(column::REDIRECT).text(),
            header: &self.header,
            body: match &self.unescaped_body {
                Some(body) => Some(body),
                None => table.value(column::BODY).text(),
            },
            digest: table.value(column::DIGEST).text(),
            is_revisit: self.is_revisit(),
        };
        ReadItem {
            kind: "row",
            location: RecordLocation {
                offset: table.row_no(),
                length: None,
                index_in_member: 0,
            },
            capture: Some(Capture::from_row(&row, scope)),
            record: None,
        }
    }

    /// Returns the number of rows that were read.
    pub(super) fn rows_read(&self) -> u64 {
        self.count
    }
}

/// Returns true if bodies of this size cannot come from a real table.
fn is_bomb(body_bytes: u64, table_bytes: u64) -> bool {
    body_bytes > RATIO_CHECK_START_BODY_BYTES && body_bytes / MAX_BODY_RATIO > table_bytes
}

/// Writes a header field of a JSON object, whose value is a text, a number, or a list of them.
fn write_fields(header: &mut Vec<u8>, name: &str, value: &Json) {
    let text = match value {
        Json::Array(values) => {
            for value in values.iter().filter(|value| !value.is_array()) {
                write_fields(header, name, value);
            }
            return;
        }
        Json::String(text) => text.clone(),
        Json::Number(number) => number.to_string(),
        Json::Null | Json::Bool(_) | Json::Object(_) => return,
    };
    // A line end would begin another field.
    let is_line_end = |c: char| matches!(c, '\r' | '\n');
    let line = format!(
        "{}: {}\r\n",
        name.replace(is_line_end, " "),
        text.replace(is_line_end, " ")
    );
    header.extend_from_slice(line.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_that_a_table_repeats_have_a_limit() {
        let start = RATIO_CHECK_START_BODY_BYTES;
        assert!(!is_bomb(start, 1));
        assert!(is_bomb(start + 1, 1));
        assert!(!is_bomb(1 << 40, (1 << 40) / MAX_BODY_RATIO));
        assert!(is_bomb(1 << 40, (1 << 40) / (MAX_BODY_RATIO + 1)));
    }
}

//! Tables of bodies, whose rows are captures.

use super::faults::bad_row_fault;
use super::{InputSlice, ItemError, ReadItem, SlicePosition, SliceReader, Source, Unopened};
use crate::InputPlace;
use crate::error::{SourceErrorKind, TableDefect};
use crate::table_file::{ColumnNames, RowRanges, RowStatus, TableReader, Value, WantedColumn};
use capture::date::is_plausible;
use capture::{Capture, CaptureScope, FetchedRow, RowFields, ScannedRow};
use errors::Error;
use escapes::unescape_body;
use serde_json::Value as Json;
use std::fs::File;
use std::io;
use std::path::Path;
use warc::RecordLocation;

/// The longest value in bytes of a column other than the body: the limit of a record header in an archive.
const MAX_COLUMN_BYTES: usize = 1 << 20;

/// The columns whose values have at most [`MAX_COLUMN_BYTES`], with their keys for messages.
const LIMITED_COLUMNS: [(usize, &str); 14] = [
    (column::URL, "url"),
    (column::TIME, "time"),
    (column::STATUS, "status"),
    (column::REDIRECT, "redirect"),
    (column::HEADERS, "headers"),
    (column::DIGEST, "content_digest"),
    (column::TRUNCATED, "content_truncated"),
    (column::MIME_TYPE, "content_mime_type"),
    (column::MIME_DETECTED, "content_mime_detected"),
    (column::SERVER, "http_server"),
    (column::LAST_MODIFIED, "http_last_modified"),
    (column::CONTENT_USAGE, "http_content_usage"),
    (column::TDM_RESERVATION, "http_tdm_reservation"),
    (column::WAF_HINT, "waf_hint"),
];

/// The statuses that a server can send.
const STATUSES: std::ops::RangeInclusive<i64> = 100..=999;

/// The indexes of the columns that are read, in [`capture_columns`]. The user cannot give the names of those from `DIGEST`
/// on: they are columns of `robots_files`, which can be read as a table of bodies if it has the column `body`.
mod column {
    pub(super) const URL: usize = 0;
    pub(super) const BODY: usize = 1;
    pub(super) const TIME: usize = 2;
    pub(super) const STATUS: usize = 3;
    pub(super) const REDIRECT: usize = 4;
    pub(super) const HEADERS: usize = 5;
    pub(super) const DIGEST: usize = 6;
    pub(super) const IS_REVISIT: usize = 7;
    pub(super) const IS_VALID_UTF8: usize = 8;
    pub(super) const IS_DOUBTFUL: usize = 9;
    pub(super) const CLASS: usize = 10;
    pub(super) const TRUNCATED: usize = 11;
    pub(super) const MIME_TYPE: usize = 12;
    pub(super) const MIME_DETECTED: usize = 13;
    pub(super) const SERVER: usize = 14;
    pub(super) const LAST_MODIFIED: usize = 15;
    pub(super) const CONTENT_USAGE: usize = 16;
    pub(super) const TDM_RESERVATION: usize = 17;
    pub(super) const WAF_HINT: usize = 18;
    pub(super) const ERROR: usize = 19;
}

/// Returns the columns of a capture, in the order of [`column`]. The first one has URLs, or hosts if `has_hosts` is true.
fn capture_columns(names: &ColumnNames, has_hosts: bool) -> [WantedColumn; 20] {
    let stored = |name: &str| names.optional(name, &[name]);
    [
        if has_hosts {
            names.required("host", &["host", "domain"]).of_text()
        } else {
            names.required("url", &["url"]).of_text()
        },
        names.required("body", &["body"]).of_text(),
        names.optional("time", &["fetch_time", "timestamp", "time"]),
        names.optional("status", &["fetch_status", "status"]),
        names.optional("redirect", &["fetch_redirect"]).of_text(),
        names.optional("headers", &["headers"]),
        stored("content_digest"),
        stored("is_revisit"),
        stored("is_valid_utf8"),
        stored("is_doubtful"),
        stored("content_class"),
        stored("content_truncated"),
        stored("content_mime_type"),
        stored("content_mime_detected"),
        stored("http_server"),
        stored("http_last_modified"),
        stored("http_content_usage"),
        stored("http_tdm_reservation"),
        stored("waf_hint"),
        names.optional("error", &["error"]),
    ]
}

/// The rows of a table of bodies that are the captures of one crawl.
#[derive(Debug)]
pub(crate) struct BodyTable {
    pub(crate) place: InputPlace,
    /// The names of the columns.
    pub(crate) columns: ColumnNames,
    /// True if the rows have hosts instead of URLs.
    pub(crate) has_hosts: bool,
    /// The numbers of the rows; `None` for all.
    pub(crate) ranges: RowRanges,
}

/// Reads the captures of a table of bodies.
struct BodyReader {
    table: TableReader,
    has_hosts: bool,
    /// The URL of the current row.
    url: Vec<u8>,
    /// The HTTP header of the current row, with a status line; empty if the row has none.
    header: Vec<u8>,
    /// The body of the current row, if it is stored as text with escapes.
    unescaped_body: Option<Vec<u8>>,
    /// The number of rows that were read.
    count: u64,
    notes: RowNotes,
}

/// Counts of rows that probably do not mean what their author intended, for warnings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowNotes {
    /// The rows of CSV that are not captures because their body is empty without quotes.
    pub unquoted_bodies: u64,
    /// The rows whose URL has another path than that of a robots.txt file.
    pub other_paths: u64,
    /// The rows whose time cannot be read or is implausible.
    pub bad_times: u64,
    /// The rows that have a host instead of a URL.
    pub hosts: u64,
    /// The rows without a response.
    pub failed_fetches: u64,
}

/// The error of a time that cannot be read or is implausible.
#[derive(Clone, Copy, Debug)]
struct BadTime;

impl RowNotes {
    /// Adds other counts.
    pub fn add(&mut self, other: Self) {
        self.unquoted_bodies += other.unquoted_bodies;
        self.other_paths += other.other_paths;
        self.bad_times += other.bad_times;
        self.hosts += other.hosts;
        self.failed_fetches += other.failed_fetches;
    }
}

impl Source for BodyTable {
    fn place(&self) -> &InputPlace {
        &self.place
    }

    fn open(
        &self,
        _slice: &InputSlice,
        _archive: &mut warc::Reader,
    ) -> Result<(Box<dyn SliceReader>, u64), Unopened> {
        let path = self.place.display_path();
        let opened = open_table(path).and_then(|file| {
            let wanted = capture_columns(&self.columns, self.has_hosts);
            TableReader::open(file, path, &wanted, self.ranges.clone())
        });
        let table = opened.map_err(|error| Unopened::Failed(io::Error::other(error)))?;
        let reader = BodyReader {
            table,
            has_hosts: self.has_hosts,
            url: Vec::new(),
            header: Vec::new(),
            unescaped_body: None,
            count: 0,
            notes: RowNotes::default(),
        };
        Ok((Box::new(reader), 0))
    }
}

impl BodyTable {
    /// Returns true if a table has a column of hosts, or domains, instead of URLs.
    ///
    /// # Errors
    ///
    /// Those of opening the table: it must have one of them, and the other required columns.
    pub(crate) fn find_hosts(path: &Path, columns: &ColumnNames) -> Result<bool, Error> {
        let open = |has_hosts| {
            let wanted = capture_columns(columns, has_hosts);
            TableReader::open(open_table(path)?, path, &wanted, None)
        };
        if columns.has("host") && !columns.has("url") {
            return open(true).map(|_| true);
        }
        let of_urls = match open(false) {
            Err(error) if !columns.has("url") => error,
            opened => return opened.map(|_| false),
        };
        match open(true) {
            Ok(_) => Ok(true),
            // The table has a column of hosts, and lacks another one.
            Err(error) if !lacks_column(&error, "host") => Err(error),
            Err(_) => Err(of_urls),
        }
    }
}

impl SliceReader for BodyReader {
    /// Goes to the next row that is a capture.
    fn advance(&mut self, _archive: &mut warc::Reader) -> Result<bool, ItemError> {
        let status = self.table.advance();
        let status = status.map_err(|error| ItemError::Failed(io::Error::other(error)))?;
        let row_no = self.table.row_no();
        let damaged = |reason: String| {
            Err(ItemError::Damaged {
                fault: bad_row_fault(row_no, reason),
                truncation: None,
            })
        };
        match status {
            RowStatus::End => Ok(false),
            RowStatus::Malformed(reason) => damaged(reason),
            RowStatus::Lost(error) => damaged(describe_loss(&error)),
            RowStatus::Row => {
                self.count += 1;
                self.find_url();
                match self.check_row() {
                    Some(reason) => damaged(reason),
                    None => {
                        self.notes.bad_times += u64::from(self.time().is_err());
                        self.notes.hosts += u64::from(self.has_hosts);
                        self.notes.failed_fetches += u64::from(self.is_failed());
                        self.build_header();
                        self.unescaped_body = self.unescape_body();
                        Ok(true)
                    }
                }
            }
        }
    }

    fn item<'r>(&'r self, _archive: &'r warc::Reader, scope: CaptureScope) -> ReadItem<'r> {
        let table = &self.table;
        let time = self.time();
        let row = FetchedRow {
            url: &self.url,
            time: time.unwrap_or_default(),
            has_bad_time: time.map_or(true, |time| self.is_scanned() && time.is_none()),
            status: self.status(),
            is_failed: self.is_failed(),
            redirect: table.value(column::REDIRECT).text(),
            header: &self.header,
            body: match &self.unescaped_body {
                Some(body) => Some(body),
                None => table.value(column::BODY).text(),
            },
            digest: table.value(column::DIGEST).text(),
            is_revisit: self.is_revisit(),
            scanned: self.is_scanned().then(|| ScannedRow {
                is_parsed: self.is_parsed(),
                is_doubtful: self.flag(column::IS_DOUBTFUL),
            }),
            truncated: self.truncated(),
            mime_type: table.value(column::MIME_TYPE).text(),
            mime_detected: table.value(column::MIME_DETECTED).text(),
            fields: RowFields {
                server: table.value(column::SERVER).text(),
                last_modified: table.value(column::LAST_MODIFIED).text(),
                content_usage: table.value(column::CONTENT_USAGE).text(),
                tdm_reservation: table.value(column::TDM_RESERVATION).text(),
                waf_hint: table.value(column::WAF_HINT).text(),
            },
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

    /// Returns the number of rows that were read instead of offsets and bytes.
    fn position(&self, _archive: &warc::Reader) -> SlicePosition {
        SlicePosition {
            next: self.count,
            progress: self.count,
            bytes_read: self.count,
        }
    }

    fn take_notes(&mut self) -> RowNotes {
        std::mem::take(&mut self.notes)
    }
}

impl BodyReader {
    /// Returns the reason why the current row is not a capture; `None` for a capture.
    fn check_row(&mut self) -> Option<String> {
        for (column, key) in LIMITED_COLUMNS {
            let bytes = self.table.value(column).text().map_or(0, <[u8]>::len);
            if bytes > MAX_COLUMN_BYTES {
                return Some(format!(
                    "the {key} of the row has {bytes} bytes, more than {MAX_COLUMN_BYTES}"
                ));
            }
        }
        // A scan stores a URL that cannot be parsed as the record has it.
        let defect = if self.has_hosts {
            find_host_defect(self.table.value(column::URL).text().unwrap_or_default())
        } else {
            find_url_defect(&self.url)
        };
        if let Some(reason) = defect.filter(|_| !self.is_scanned()) {
            return Some(reason.to_owned());
        }
        let code = match self.code() {
            Ok(code) => code,
            Err(value) => return Some(format!("the status of the row is {value}")),
        };
        let body = self.table.value(column::BODY);
        if !matches!(body, Value::Text(_) | Value::Null) {
            return Some("the body of the row is neither text nor bytes".to_owned());
        }
        if self.is_failed() {
            let has_reason = code.is_some() || self.has_error();
            self.notes.unquoted_bodies += u64::from(self.table.is_csv() && !has_reason);
            return None;
        }
        let is_success = code.is_none_or(|code| (200..=299).contains(&code));
        if is_success && self.has_error() && !self.is_scanned() {
            return Some("the row has an error, and a status of a success".to_owned());
        }
        if code.is_some_and(|code| !STATUSES.contains(&code)) {
            return Some(format!(
                "the status of the row is {}",
                code.unwrap_or_default()
            ));
        }
        let is_unknown = self.truncated().is_some() && !self.is_parsed();
        let has_body = matches!(body, Value::Text(_));
        if has_body || !is_success || self.is_revisit() || is_unknown {
            return None;
        }
        self.notes.unquoted_bodies += u64::from(self.table.is_csv());
        Some("the row has no body, and no status other than 2xx".to_owned())
    }

    /// Sets `url` from the current row. A row with a host has the URL `https://HOST/robots.txt`.
    fn find_url(&mut self) {
        let text = self.table.value(column::URL).text();
        let text = text.unwrap_or_default().trim_ascii();
        self.url.clear();
        if self.has_hosts {
            self.url
                .extend([&b"https://"[..], text, b"/robots.txt"].concat());
        } else {
            self.url.extend(text);
        }
    }

    /// Returns true if the row states that there was no response: it has no status or 0, and either no body or an error.
    fn is_failed(&self) -> bool {
        let has_body = self.table.value(column::BODY) != Value::Null;
        let is_truncated = self.truncated().is_some();
        !self.is_scanned()
            && !self.is_revisit()
            && matches!(self.code(), Ok(None | Some(0)))
            && (self.has_error() || (!has_body && !is_truncated))
    }

    /// Returns true if the row has a text in its column of errors.
    fn has_error(&self) -> bool {
        let error = self.table.value(column::ERROR).text();
        error.is_some_and(|error| !error.trim_ascii().is_empty())
    }

    /// Returns the status; `None` for null and `-`.
    ///
    /// # Errors
    ///
    /// A description of the value, if it is not a number.
    fn code(&self) -> Result<Option<i64>, String> {
        let value = self.table.value(column::STATUS);
        match value.text().map(<[u8]>::trim_ascii) {
            Some(b"-") => Ok(None),
            _ => value.number(),
        }
    }

    /// Returns the status; `None` for a row without one.
    fn status(&self) -> Option<u16> {
        let code = self.code().ok().flatten()?;
        let code = u16::try_from(code).ok();
        code.filter(|code| STATUSES.contains(&i64::from(*code)))
    }

    /// Returns the time in milliseconds since 1970; `None` for a row without one.
    ///
    /// # Errors
    ///
    /// [`BadTime`].
    fn time(&self) -> Result<Option<i64>, BadTime> {
        let time = self.table.value(column::TIME).time();
        let time = time.map_err(|_| BadTime)?;
        if time.is_none_or(is_plausible) {
            Ok(time)
        } else {
            Err(BadTime)
        }
    }

    fn is_revisit(&self) -> bool {
        self.flag(column::IS_REVISIT) == Some(true)
    }

    /// Returns true if the table, or the row of JSON, is of `robots_files` of a dataset.
    fn is_scanned(&self) -> bool {
        let has = |column: usize| {
            if self.table.is_json() {
                self.table.value(column) != Value::Null
            } else {
                self.table.has_column(column)
            }
        };
        has(column::DIGEST) && (has(column::CLASS) || has(column::IS_DOUBTFUL))
    }

    /// Returns true if a scan parsed the body.
    fn is_parsed(&self) -> bool {
        self.table.value(column::CLASS).text().is_some()
    }

    /// Returns the reason why the body is incomplete.
    fn truncated(&self) -> Option<&[u8]> {
        let reason = self.table.value(column::TRUNCATED).text();
        reason.filter(|reason| !reason.trim_ascii().is_empty())
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

    /// Returns the bytes of a body that `robots_files` stores with escapes, because they are not valid UTF-8; `None`
    /// for any other body.
    fn unescape_body(&self) -> Option<Vec<u8>> {
        if self.flag(column::IS_VALID_UTF8) != Some(false) {
            return None;
        }
        let text = std::str::from_utf8(self.table.value(column::BODY).text()?).ok()?;
        Some(unescape_body(text, false).into_owned())
    }

    /// Sets `header` from the column of header fields of the current row, which is a JSON object or lines.
    fn build_header(&mut self) {
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
}

/// Opens a table, which must be a regular file.
pub(crate) fn open_table(path: &Path) -> Result<File, Error> {
    let read_error = |error| Error::read(path, error);
    // A pipe is not opened, since that may wait for a writer.
    let metadata = std::fs::metadata(path).map_err(read_error)?;
    match metadata.is_file() {
        true => File::open(path).map_err(read_error),
        false if metadata.is_dir() => Err(Error::new(
            SourceErrorKind::NotATable(TableDefect::Folder),
            path,
        )),
        false => Err(read_error(io::Error::other("it is not a regular file"))),
    }
}

/// Returns the reason why rows are lost, with its cause. It does not repeat the path of the table, which each fault
/// has.
fn describe_loss(error: &Error) -> String {
    if let Some(SourceErrorKind::NotATable(defect)) = error.kind() {
        return defect.to_string();
    }
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// Returns true if a table was refused because it lacks the column with this default name.
fn lacks_column(error: &Error, name: &str) -> bool {
    match error.kind() {
        Some(SourceErrorKind::NotATable(TableDefect::NoColumn { names, .. })) => {
            names.iter().any(|wanted| wanted == name)
        }
        _ => false,
    }
}

/// Returns the reason why a text cannot be a host in a table of hosts.
fn find_host_defect(host: &[u8]) -> Option<&'static str> {
    let host = host.trim_ascii();
    let is_wrong =
        |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'\\' | b'?' | b'#' | b'@');
    if host.is_empty() {
        return Some("the row has no host");
    }
    let reason = "the host of the row is not one: write it as example.com or example.com:8080";
    host.iter().any(is_wrong).then_some(reason)
}

/// Returns the reason why a text cannot be the URL of a capture. As in archives, a URL with a scheme and a path is
/// accepted even if it is malformed otherwise.
fn find_url_defect(url: &[u8]) -> Option<&'static str> {
    if url.is_empty() {
        return Some("the row has no URL");
    }
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let scheme = url.iter().take_while(|byte| is_scheme(byte)).count();
    let rest = url[scheme..].strip_prefix(b":");
    // Browsers accept backslashes.
    let is_slash = |byte: &u8| matches!(byte, b'/' | b'\\');
    let rest =
        rest.filter(|rest| scheme > 0 && rest.iter().take(2).filter(|b| is_slash(b)).count() == 2);
    let Some(rest) = rest else {
        return Some("the URL of the row is not absolute: write it as https://HOST/robots.txt");
    };
    (!rest[2..].iter().any(is_slash))
        .then_some("the URL of the row has no path: write it as https://HOST/robots.txt")
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
    use std::sync::Arc;

    /// Reads a table in CSV. A row that is not a capture is the reason.
    fn read(text: &str) -> (Vec<Option<String>>, RowNotes) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        std::fs::write(&path, text).unwrap();
        let table = BodyTable {
            place: InputPlace::File(path),
            columns: Default::default(),
            has_hosts: false,
            ranges: None,
        };
        let archive = &mut warc::Reader::new(warc::Limits::default());
        let slice = InputSlice::whole(Arc::new(table));
        let Ok((mut reader, _)) = slice.source.open(&slice, archive) else {
            panic!("the table is not opened");
        };
        let mut found = Vec::new();
        loop {
            match reader.advance(archive) {
                Ok(true) => found.push(None),
                Ok(false) => return (found, reader.take_notes()),
                Err(ItemError::Damaged { fault, .. }) => found.push(Some(fault.detail)),
                Err(ItemError::Failed(error)) => panic!("{error}"),
            }
        }
    }

    #[test]
    fn a_value_of_another_column_than_the_body_has_a_limit() {
        let url = |bytes: usize| format!("https://{}/robots.txt", "a".repeat(bytes - 19));
        let body = "x".repeat(2 << 20);
        let (largest, long) = (url(MAX_COLUMN_BYTES), url(MAX_COLUMN_BYTES + 1));
        let (rows, _) = read(&format!("url,body\n{largest},{body}\n{long},x\n"));
        assert_eq!((rows.len(), &rows[0]), (2, &None));
        let reason = rows[1].as_ref().unwrap();
        assert!(
            reason.contains("the url of the row has 1048577 bytes"),
            "{reason}"
        );
    }

    #[test]
    fn an_empty_body_has_quotes_and_a_status_is_a_whole_number_of_http() {
        let url = "https://h.example/robots.txt";
        let rows = ["", "\"\"", "x"].map(|body| format!("{url},{body},"));
        let statuses = ["200.0", " 200", "404.0", "\"\"", "x", "99", "1000", "200.5"];
        let with_status = statuses.map(|status| format!("{url},x,{status}"));
        let failed = format!("{url},,404\n{url},,200\n{url},,\"404");
        let text = format!(
            "url,body,status\n{}\n{}\n{failed}",
            rows.join("\n"),
            with_status.join("\n")
        );
        let (found, notes) = read(&text);
        let are_captures: Vec<bool> = found.iter().map(Option::is_none).collect();
        let expected = [
            // Without a status, a row without a body is a failed fetch.
            &[true, true, true][..],
            &[true, true, true, true, false, false, false, false],
            &[true, false, false],
        ];
        assert_eq!(are_captures, expected.concat());
        assert_eq!(notes.unquoted_bodies, 2);
        let last = found.last().and_then(Option::as_ref).unwrap();
        assert!(last.contains("line 15"), "{last}");
    }

    #[test]
    fn the_url_of_a_row_is_absolute_and_has_a_path() {
        for url in [
            "https://h.example/robots.txt",
            "HTTP://h.example/",
            "https:\\\\h.example\\robots.txt",
            "http://[::1/robots.txt",
            "https://h.example/robots.txt?x",
        ] {
            assert_eq!(find_url_defect(url.as_bytes()), None, "{url}");
        }
        for url in [
            "",
            "h.example",
            "h.example/robots.txt",
            "h.example:80/robots.txt",
            "/robots.txt",
            "//h.example/robots.txt",
            "://h.example/robots.txt",
            "javascript:alert(1)",
            "https:/h.example/robots.txt",
            "https://h.example",
            "https://h.example?x",
            "https://",
        ] {
            assert!(find_url_defect(url.as_bytes()).is_some(), "{url}");
        }
    }
}

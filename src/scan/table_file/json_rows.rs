//! Tables in JSON lines, and in CDXJ: lines with a sort key and a time before the JSON.

use super::{
    MAX_TABLE_ROW_BYTES, RowRanges, RowSelection, RowStatus, Value, WantedColumn, find_columns,
    table_error,
};
use disk::error::Error;
use serde_json::{Map, Value as Json};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The bytes of a read: a body may be a line of megabytes.
const READ_BYTES: usize = 64 << 10;

pub(super) struct JsonRows {
    source: BufReader<Box<dyn Read + Send>>,
    path: PathBuf,
    columns: Vec<WantedColumn>,
    line: Vec<u8>,
    values: Vec<JsonValue>,
    selection: RowSelection,
    /// The number of rows so far.
    count: u64,
}

enum JsonValue {
    Null,
    Text(String),
    Number(i64),
    Flag(bool),
    /// An object or a list where a text is wanted.
    Other,
}

impl JsonRows {
    /// Opens a table. If the first line is an object, it must have the required columns: a misspelt name would
    /// otherwise make a fault of each row.
    pub(super) fn open(
        source: Box<dyn Read + Send>,
        path: &Path,
        first_line: &[u8],
        columns: &[WantedColumn],
        ranges: RowRanges,
    ) -> Result<Self, Error> {
        if let Some(object) = parse_object(first_line) {
            let names: Vec<String> = object.keys().cloned().collect();
            find_columns(&names, columns).map_err(|defect| table_error(defect, path))?;
        }
        Ok(Self {
            source: BufReader::with_capacity(READ_BYTES, source),
            path: path.to_owned(),
            columns: columns.to_vec(),
            line: Vec::new(),
            values: Vec::new(),
            selection: RowSelection::new(ranges),
            count: 0,
        })
    }

    pub(super) fn advance(&mut self) -> Result<RowStatus, Error> {
        loop {
            self.line.clear();
            self.values.clear();
            let limit = MAX_TABLE_ROW_BYTES as u64;
            let read_error = |error| Error::read(&self.path, error);
            let line = (&mut self.source)
                .take(limit)
                .read_until(b'\n', &mut self.line);
            if line.map_err(read_error)? == 0 {
                return Ok(RowStatus::End);
            }
            let is_whole = self.line.len() < MAX_TABLE_ROW_BYTES || self.line.ends_with(b"\n");
            if !is_whole {
                self.source.skip_until(b'\n').map_err(read_error)?;
            }
            // A header line of CDXJ begins with `!`.
            let text = self.line.trim_ascii();
            if text.is_empty() || text.starts_with(b"!") {
                continue;
            }
            self.count += 1;
            if !self.selection.has(self.count - 1) {
                continue;
            }
            if !is_whole {
                let reason = format!("the line has more than {MAX_TABLE_ROW_BYTES} bytes");
                return Ok(RowStatus::Malformed(reason));
            }
            let mut object: Map<String, Json> = match serde_json::from_slice(skip_key(text)) {
                Ok(object) => object,
                Err(error) => {
                    let reason = format!("the line is not a JSON object: {error}");
                    return Ok(RowStatus::Malformed(reason));
                }
            };
            let values = self.columns.iter();
            let values = values.map(|column| take_value(&mut object, column));
            self.values = values.collect();
            return Ok(RowStatus::Row);
        }
    }

    pub(super) fn value(&self, column: usize) -> Value<'_> {
        match self.values.get(column) {
            None | Some(JsonValue::Null) => Value::Null,
            Some(JsonValue::Text(text)) => Value::Text(text.as_bytes()),
            Some(JsonValue::Number(number)) => Value::Number(*number),
            Some(JsonValue::Flag(flag)) => Value::Flag(*flag),
            Some(JsonValue::Other) => Value::Other,
        }
    }

    pub(super) fn row_no(&self) -> u64 {
        self.count.saturating_sub(1)
    }
}

/// Returns a line of CDXJ without the key and the time before its JSON.
fn skip_key(line: &[u8]) -> &[u8] {
    let start = line.iter().position(|&byte| byte == b'{');
    &line[start.unwrap_or(0)..]
}

fn parse_object(line: &[u8]) -> Option<Map<String, Json>> {
    serde_json::from_slice(skip_key(line.trim_ascii())).ok()
}

/// Takes the value of the first of some names that an object has.
fn take_value(object: &mut Map<String, Json>, column: &WantedColumn) -> JsonValue {
    let key = column.names.iter().find_map(|name| {
        let mut keys = object.keys();
        match object.contains_key(name) {
            true => Some(name.clone()),
            false => keys.find(|key| key.eq_ignore_ascii_case(name)).cloned(),
        }
    });
    match key.and_then(|key| object.remove(&key)) {
        None | Some(Json::Null) => JsonValue::Null,
        Some(Json::String(text)) => JsonValue::Text(text),
        Some(Json::Bool(flag)) => JsonValue::Flag(flag),
        Some(Json::Number(number)) => {
            match number.as_i64().or_else(|| whole_number(number.as_f64()?)) {
                Some(number) => JsonValue::Number(number),
                None => JsonValue::Text(number.to_string()),
            }
        }
        Some(Json::Object(_) | Json::Array(_)) if column.is_text => JsonValue::Other,
        // Header fields may be an object.
        Some(other) => JsonValue::Text(other.to_string()),
    }
}

/// Returns a number without a fraction that a floating-point number holds exactly.
pub(super) fn whole_number(number: f64) -> Option<i64> {
    let is_exact = number.fract() == 0.0 && number.abs() < 9.0e15;
    is_exact.then_some(number as i64)
}

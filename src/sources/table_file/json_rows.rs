//! Tables in JSON lines, and in CDXJ: lines with a sort key and a time before the JSON.

use super::{RowSelection, RowStatus, Value, WantedColumn, find_columns, table_error};
use errors::Error;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Number;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The size of the read buffer in bytes. A line with a body may have megabytes.
const READ_BYTES: usize = 64 << 10;

pub(super) struct JsonRows {
    source: BufReader<Box<dyn Read + Send>>,
    path: PathBuf,
    row_bytes_max: usize,
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
    /// An object or a list in a column of texts.
    Other,
}

impl JsonRows {
    /// Opens a table. If the first line is an object, it must have the required columns. Without this check, a misspelt
    /// name of a column would give a fault for each row.
    pub(super) fn open(
        source: Box<dyn Read + Send>,
        path: &Path,
        first_line: &[u8],
        columns: &[WantedColumn],
        selection: RowSelection,
        row_bytes_max: usize,
    ) -> Result<Self, Error> {
        if let Ok(object) = serde_json::from_slice::<ObjectNames>(skip_key(first_line.trim_ascii()))
        {
            let names: Vec<String> = object.into_keys().collect();
            find_columns(&names, columns).map_err(|defect| table_error(defect, path))?;
        }
        Ok(Self {
            source: BufReader::with_capacity(READ_BYTES, source),
            path: path.to_owned(),
            row_bytes_max,
            columns: columns.to_vec(),
            line: Vec::new(),
            values: Vec::new(),
            selection,
            count: 0,
        })
    }

    pub(super) fn advance(&mut self) -> Result<RowStatus, Error> {
        loop {
            self.line.clear();
            self.values.clear();
            let limit = self.row_bytes_max;
            let read_error = |error| Error::read(&self.path, error);
            let line = (&mut self.source)
                .take(limit as u64)
                .read_until(b'\n', &mut self.line);
            if line.map_err(read_error)? == 0 {
                return Ok(RowStatus::End);
            }
            let is_whole = self.line.len() < limit || self.line.ends_with(b"\n");
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
                let reason = format!("the line has more than {limit} bytes");
                return Ok(RowStatus::Malformed(reason));
            }
            let wanted = Wanted(&self.columns);
            let mut object = serde_json::Deserializer::from_slice(skip_key(text));
            let values = wanted.deserialize(&mut object);
            match values.and_then(|values| object.end().map(|()| values)) {
                Ok(values) => self.values = values,
                Err(error) => {
                    let reason = format!("the line is not a JSON object: {error}");
                    return Ok(RowStatus::Malformed(reason));
                }
            }
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

/// Returns true if a line of a list of URLs is JSON or CDXJ. A brace alone does not show this, because a URL may have
/// one.
pub(super) fn is_json_line(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let (object, key) = (skip_key(line), line.len() - skip_key(line).len());
    object.starts_with(b"{")
        && (key == 0
            || memchr::memmem::find(&line[..key], b"://").is_none()
                && serde_json::from_slice::<ObjectNames>(object).is_ok())
}

/// The names in a JSON object, without their values.
type ObjectNames = std::collections::BTreeMap<String, IgnoredAny>;

/// Deserializes the values of these columns from a JSON object. The other values of the object are skipped, because a
/// value of a few bytes can need many more in memory.
struct Wanted<'a>(&'a [WantedColumn]);

impl<'de> DeserializeSeed<'de> for Wanted<'_> {
    type Value = Vec<JsonValue>;

    fn deserialize<D: Deserializer<'de>>(self, object: D) -> Result<Self::Value, D::Error> {
        object.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Wanted<'_> {
    type Value = Vec<JsonValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut object: M) -> Result<Self::Value, M::Error> {
        let columns = self.0;
        // For each column, the lowest rank of a name so far, and the value of that name.
        let mut found: Vec<Option<(usize, &'de RawValue)>> = vec![None; columns.len()];
        while let Some(Key(key)) = object.next_key()? {
            let mut value = None;
            for (column, found) in columns.iter().zip(&mut found) {
                let Some(rank) = rank_name(&key, column) else {
                    continue;
                };
                let value = match value {
                    Some(value) => value,
                    None => *value.insert(object.next_value()?),
                };
                if found.is_none_or(|(best, _)| rank <= best) {
                    *found = Some((rank, value));
                }
            }
            if value.is_none() {
                object.next_value::<IgnoredAny>()?;
            }
        }
        let values = columns.iter().zip(found).map(|(column, found)| {
            let value = found.map(|(_, value)| JsonValue::parse(value.get(), column.is_text));
            value.unwrap_or(Ok(JsonValue::Null))
        });
        let values: Result<_, serde_json::Error> = values.collect();
        values.map_err(serde::de::Error::custom)
    }
}

/// A name in a JSON object.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// Returns the rank of a name among those that a column may have; `None` if it is none of them. The value with the
/// lowest rank is used. An exact name has a lower rank than one that differs in case.
fn rank_name(name: &str, column: &WantedColumn) -> Option<usize> {
    let mut wanted = column.names.iter();
    let index = wanted.position(|wanted| wanted.eq_ignore_ascii_case(name))?;
    Some(2 * index + usize::from(column.names[index] != name))
}

impl JsonValue {
    /// Parses the JSON text of a value. `is_text` is true for a column of texts.
    fn parse(text: &str, is_text: bool) -> Result<Self, serde_json::Error> {
        Ok(match text.as_bytes().first() {
            Some(b'n') | None => Self::Null,
            Some(b't' | b'f') => Self::Flag(text == "true"),
            Some(b'"') => Self::Text(serde_json::from_str(text)?),
            Some(b'{' | b'[') if is_text => Self::Other,
            // An object or a list is kept as its JSON text: the column `headers` may have one.
            Some(b'{' | b'[') => Self::Text(text.to_owned()),
            _ => {
                let number: Number = serde_json::from_str(text)?;
                let whole = number.as_i64();
                match whole.or_else(|| whole_number(number.as_f64()?)) {
                    Some(number) => Self::Number(number),
                    None => Self::Text(number.to_string()),
                }
            }
        })
    }
}

/// Converts a floating-point number to an integer; `None` if it has a fraction, or is too large to be exact.
pub(super) fn whole_number(number: f64) -> Option<i64> {
    let is_exact = number.fract() == 0.0 && number.abs() < 9.0e15;
    is_exact.then_some(number as i64)
}

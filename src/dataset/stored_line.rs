//! Lines of a robots.txt file as rows of `groups` and `rules`, from which the file can
//! be rebuilt.

use super::{CaptureFilter, Dataset, column};
use crate::external_sort::sort_key::{FieldReader, put_bytes, put_u8, put_u32, put_u64};
use crate::tables::Table;
use arrow_array::{
    Array, BooleanArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
};
use columns::escaped_text::unescape_body;
use disk::error::Error;
use robots::{DirectiveKind, DirectiveRow, RobotsTxtBuilder, product_token};

/// A user-agent, allow or disallow line, with texts as in the tables.
#[derive(Clone, Copy, Debug)]
pub struct StoredLine<'a> {
    /// The kind of the line.
    pub key: DirectiveKind,
    /// The line number, from 1.
    pub line_no: u32,
    /// The group in Google's dialect, or 0 for none.
    pub group_no: u32,
    /// The record in Koster's dialect.
    pub record_no: u32,
    /// The key as written.
    pub key_raw: &'a str,
    /// `agent_raw` or `path_raw`.
    pub value_raw: &'a str,
    /// `path`, or empty for a user-agent line.
    pub value: &'a str,
    /// `agent`, or empty for a rule.
    pub name: &'a str,
    /// `agent_token`, or empty for a rule.
    pub token: &'a str,
    /// True if there is a colon between key and value.
    pub has_colon: bool,
    /// True if the line counts for verdicts.
    pub counts: bool,
    /// The crawl-delay of the group of a user-agent line.
    pub crawl_delay: Option<f64>,
}

const GROUP_COLUMNS: [&str; 10] = [
    "robots_id",
    "group_no",
    "line_no",
    "record_no",
    "key_raw",
    "has_colon",
    "counts",
    "agent_raw",
    "agent",
    "crawl_delay",
];

const RULE_COLUMNS: [&str; 10] = [
    "robots_id",
    "group_no",
    "line_no",
    "record_no",
    "allow",
    "path_raw",
    "path",
    "key_raw",
    "has_colon",
    "counts",
];

// The keys whose column `key_raw` is null.
const USER_AGENT: &str = "User-agent";
const ALLOW: &str = "Allow";
const DISALLOW: &str = "Disallow";

impl Dataset {
    /// Reads the lines of captures, first user-agent lines, then rules. Calls `each`
    /// with the index of the crawl, the `robots_id` and the line.
    ///
    /// # Errors
    ///
    /// Those of [`Dataset::read`] and of `each`.
    pub fn read_lines(
        &self,
        wanted: &CaptureFilter,
        each: &mut dyn FnMut(u32, i64, &StoredLine<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for table in LineTable::ALL {
            let columns = table.columns();
            self.read(table.table(), columns, wanted, &mut |crawl, batch| {
                let lines = LineRows::new(table, batch)?;
                let mut ids = lines.robots_id.values().iter().enumerate();
                ids.try_for_each(|(row, &robots_id)| each(crawl, robots_id, &lines.line(row)))
            })?;
        }
        Ok(())
    }
}

/// A table with a row for each line.
#[derive(Clone, Copy, Debug)]
pub(super) enum LineTable {
    Groups,
    Rules,
}

impl LineTable {
    pub(super) const ALL: [Self; 2] = [Self::Groups, Self::Rules];

    pub(super) fn table(self) -> Table {
        match self {
            Self::Groups => Table::Groups,
            Self::Rules => Table::Rules,
        }
    }

    /// Returns the columns that are read.
    pub(super) fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Groups => &GROUP_COLUMNS,
            Self::Rules => &RULE_COLUMNS,
        }
    }
}

fn text(column: &StringArray, row: usize) -> Option<&str> {
    column.is_valid(row).then(|| column.value(row))
}

/// Returns the name as Google's parser reads it: the whole name is cut only behind it.
fn token(name: &str) -> &str {
    let token = product_token(name.as_bytes());
    &name[..token.len()]
}

/// A batch of rows of `groups` or `rules`.
pub(super) struct LineRows {
    pub(super) robots_id: Int64Array,
    pub(super) line_no: Int32Array,
    group_no: Int32Array,
    record_no: Int32Array,
    key_raw: StringArray,
    has_colon: BooleanArray,
    counts: BooleanArray,
    values: LineValues,
}

/// The columns that only one of the two tables has.
enum LineValues {
    Groups {
        agent_raw: StringArray,
        agent: StringArray,
        crawl_delay: Float64Array,
    },
    Rules {
        allow: BooleanArray,
        path_raw: StringArray,
        path: StringArray,
    },
}

impl LineRows {
    pub(super) fn new(table: LineTable, batch: &RecordBatch) -> Result<Self, Error> {
        Ok(Self {
            robots_id: column::<Int64Array>(batch, "robots_id")?.clone(),
            line_no: column::<Int32Array>(batch, "line_no")?.clone(),
            group_no: column::<Int32Array>(batch, "group_no")?.clone(),
            record_no: column::<Int32Array>(batch, "record_no")?.clone(),
            key_raw: column::<StringArray>(batch, "key_raw")?.clone(),
            has_colon: column::<BooleanArray>(batch, "has_colon")?.clone(),
            counts: column::<BooleanArray>(batch, "counts")?.clone(),
            values: match table {
                LineTable::Groups => LineValues::Groups {
                    agent_raw: column::<StringArray>(batch, "agent_raw")?.clone(),
                    agent: column::<StringArray>(batch, "agent")?.clone(),
                    crawl_delay: column::<Float64Array>(batch, "crawl_delay")?.clone(),
                },
                LineTable::Rules => LineValues::Rules {
                    allow: column::<BooleanArray>(batch, "allow")?.clone(),
                    path_raw: column::<StringArray>(batch, "path_raw")?.clone(),
                    path: column::<StringArray>(batch, "path")?.clone(),
                },
            },
        })
    }

    /// Returns the line of a row.
    pub(super) fn line(&self, row: usize) -> StoredLine<'_> {
        let number = |column: &Int32Array| {
            let number = column.is_valid(row).then(|| column.value(row));
            number
                .and_then(|number| u32::try_from(number).ok())
                .unwrap_or(0)
        };
        let (key, usual_key) = match &self.values {
            LineValues::Groups { .. } => (DirectiveKind::UserAgent, USER_AGENT),
            LineValues::Rules { allow, .. } if allow.value(row) => (DirectiveKind::Allow, ALLOW),
            LineValues::Rules { .. } => (DirectiveKind::Disallow, DISALLOW),
        };
        let line = StoredLine {
            key,
            line_no: number(&self.line_no),
            group_no: number(&self.group_no),
            record_no: number(&self.record_no),
            key_raw: text(&self.key_raw, row).unwrap_or(usual_key),
            value_raw: "",
            value: "",
            name: "",
            token: "",
            has_colon: self.has_colon.value(row),
            counts: self.counts.value(row),
            crawl_delay: None,
        };
        match &self.values {
            LineValues::Groups {
                agent_raw,
                agent,
                crawl_delay,
            } => {
                let name = agent.value(row);
                StoredLine {
                    value_raw: text(agent_raw, row).unwrap_or(name),
                    name,
                    token: token(name),
                    crawl_delay: crawl_delay.is_valid(row).then(|| crawl_delay.value(row)),
                    ..line
                }
            }
            LineValues::Rules { path_raw, path, .. } => {
                let path = path.value(row);
                StoredLine {
                    value_raw: text(path_raw, row).unwrap_or(path),
                    value: path,
                    ..line
                }
            }
        }
    }
}

const HAS_COLON: u8 = 1;
const COUNTS: u8 = 2;
const HAS_DELAY: u8 = 4;

impl<'a> StoredLine<'a> {
    /// Writes the line as a record for sorting. Records are sorted like lines.
    pub fn write(&self, out: &mut Vec<u8>) {
        put_u32(out, self.line_no);
        put_u8(
            out,
            match self.key {
                DirectiveKind::UserAgent => 0,
                DirectiveKind::Allow => 1,
                _ => 2,
            },
        );
        put_u32(out, self.group_no);
        put_u32(out, self.record_no);
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        put_u8(
            out,
            flag(self.has_colon, HAS_COLON)
                | flag(self.counts, COUNTS)
                | flag(self.crawl_delay.is_some(), HAS_DELAY),
        );
        put_u64(out, self.crawl_delay.unwrap_or(0.0).to_bits());
        for text in [
            self.key_raw,
            self.value_raw,
            self.value,
            self.name,
            self.token,
        ] {
            put_bytes(out, text.as_bytes());
        }
    }

    /// Reads a record of [`StoredLine::write`].
    pub fn read(record: &'a [u8]) -> Self {
        let mut fields = FieldReader::new(record);
        let line_no = fields.u32();
        let key = match fields.u8() {
            0 => DirectiveKind::UserAgent,
            1 => DirectiveKind::Allow,
            _ => DirectiveKind::Disallow,
        };
        let (group_no, record_no) = (fields.u32(), fields.u32());
        let flags = fields.u8();
        let crawl_delay = f64::from_bits(fields.u64());
        let mut text = || std::str::from_utf8(fields.bytes()).expect("it was written from a text");
        Self {
            key,
            line_no,
            group_no,
            record_no,
            key_raw: text(),
            value_raw: text(),
            value: text(),
            name: text(),
            token: text(),
            has_colon: flags & HAS_COLON != 0,
            counts: flags & COUNTS != 0,
            crawl_delay: (flags & HAS_DELAY != 0).then_some(crawl_delay),
        }
    }

    /// Adds the line to a file; `is_valid_utf8` is that of its capture.
    /// Returns whether there was room.
    pub fn push_to(&self, file: &mut RobotsTxtBuilder, is_valid_utf8: bool) -> bool {
        let bytes = |text| unescape_body(text, is_valid_utf8);
        file.push(&DirectiveRow {
            kind: self.key,
            line_no: self.line_no,
            group_no: (self.group_no != 0).then_some(self.group_no),
            record_no: self.record_no,
            key_raw: &bytes(self.key_raw),
            value_raw: &bytes(self.value_raw),
            value: &bytes(self.value),
            name: &bytes(self.name),
            token: &bytes(self.token),
            has_colon: self.has_colon,
            counts: self.counts,
            crawl_delay: self.crawl_delay,
        })
    }
}

//! Lines of a robots.txt file as rows of `groups` and `rules`, from which the file can
//! be rebuilt.

use super::{CaptureFilter, Dataset, StoredColumns, value};
use crate::external_sort::sort_key::{FieldReader, put_bytes, put_u8, put_u32, put_u64};
use crate::stored_columns;
use crate::tables::Table;
use arrow_array::{Int32Array, RecordBatch};
use columns::escaped_text::unescape_body;
use disk::error::Error;
use robots::{DirectiveKind, DirectiveRow, RobotsTxtBuilder, product_token};

/// A user-agent, allow or disallow line, with texts as in the tables.
#[derive(Clone, Copy, Debug)]
pub struct StoredLine<'a> {
    pub key: DirectiveKind,
    /// The line number, from 1.
    pub line_no: u32,
    /// The group in Google's dialect, or 0 for none.
    pub group_no: u32,
    /// The record in Koster's dialect, from 1.
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
    /// The crawl-delay of the group in seconds; `None` for a rule and for a group without one.
    pub crawl_delay: Option<f64>,
}

stored_columns! {
    /// The columns of a user-agent line.
    pub(super) struct GroupColumns of Groups {
        robots_id: Long,
        group_no: Int,
        line_no: Int,
        record_no: Int,
        key_raw: Text,
        has_colon: Bool,
        counts: Bool,
        agent_raw: Text,
        agent: Text,
        crawl_delay: Double,
    }
}

stored_columns! {
    /// The columns of an allow or disallow line.
    pub(super) struct RuleColumns of Rules {
        robots_id: Long,
        group_no: Int,
        line_no: Int,
        record_no: Int,
        allow: Bool,
        path_raw: Text,
        path: Text,
        key_raw: Text,
        has_colon: Bool,
        counts: Bool,
    }
}

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
                let mut ids = lines.robots_ids().iter().enumerate();
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
            Self::Groups => GroupColumns::NAMES,
            Self::Rules => RuleColumns::NAMES,
        }
    }
}

/// Returns the name as Google's parser reads it: the whole name is cut only behind it.
fn token(name: &str) -> &str {
    let token = product_token(name.as_bytes());
    &name[..token.len()]
}

/// A batch of rows of `groups` or `rules`.
pub(super) enum LineRows {
    Groups(GroupColumns),
    Rules(RuleColumns),
}

/// Returns the value of a column of numbers that are not negative; 0 for null.
fn number(column: &Int32Array, row: usize) -> u32 {
    let number = value(column, row).and_then(|number| u32::try_from(number).ok());
    number.unwrap_or_default()
}

impl LineRows {
    pub(super) fn new(table: LineTable, batch: &RecordBatch) -> Result<Self, Error> {
        match table {
            LineTable::Groups => GroupColumns::of(batch).map(Self::Groups),
            LineTable::Rules => RuleColumns::of(batch).map(Self::Rules),
        }
    }

    /// Returns the keys of the captures of all rows.
    pub(super) fn robots_ids(&self) -> &[i64] {
        match self {
            Self::Groups(columns) => columns.robots_id.values(),
            Self::Rules(columns) => columns.robots_id.values(),
        }
    }

    /// Returns the line numbers of all rows.
    pub(super) fn line_nos(&self) -> &[i32] {
        match self {
            Self::Groups(columns) => columns.line_no.values(),
            Self::Rules(columns) => columns.line_no.values(),
        }
    }

    /// Returns the line of a row.
    pub(super) fn line(&self, row: usize) -> StoredLine<'_> {
        match self {
            Self::Groups(columns) => {
                let name = columns.agent.value(row);
                StoredLine {
                    key: DirectiveKind::UserAgent,
                    line_no: number(&columns.line_no, row),
                    group_no: number(&columns.group_no, row),
                    record_no: number(&columns.record_no, row),
                    key_raw: value(&columns.key_raw, row).unwrap_or(USER_AGENT),
                    value_raw: value(&columns.agent_raw, row).unwrap_or(name),
                    value: "",
                    name,
                    token: token(name),
                    has_colon: columns.has_colon.value(row),
                    counts: columns.counts.value(row),
                    crawl_delay: value(&columns.crawl_delay, row),
                }
            }
            Self::Rules(columns) => {
                let (key, usual_key) = match columns.allow.value(row) {
                    true => (DirectiveKind::Allow, ALLOW),
                    false => (DirectiveKind::Disallow, DISALLOW),
                };
                let path = columns.path.value(row);
                StoredLine {
                    key,
                    line_no: number(&columns.line_no, row),
                    group_no: number(&columns.group_no, row),
                    record_no: number(&columns.record_no, row),
                    key_raw: value(&columns.key_raw, row).unwrap_or(usual_key),
                    value_raw: value(&columns.path_raw, row).unwrap_or(path),
                    value: path,
                    name: "",
                    token: "",
                    has_colon: columns.has_colon.value(row),
                    counts: columns.counts.value(row),
                    crawl_delay: None,
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

//! Reads rows of `groups`, `rules` and `directives` back as lines of robots.txt files, from which a file can be
//! rebuilt.

use super::{CaptureFilter, Dataset, StoredColumns, value};
use crate::stored_columns;
use arrow_array::{Int32Array, RecordBatch};
use disk::error::Error;
use escapes::unescape_body;
use robots::{DirectiveKind, DirectiveRow, Mechanism, RobotsTxtBuilder, product_token};
use sort::sort_key::{FieldReader, put_bytes, put_i64, put_u8, put_u32};
use tables::Table;

/// A user-agent, allow or disallow line, or a statement about the use of content (Content-Usage,
/// Content-Signal). Its texts are as in the tables: bytes that are not UTF-8 are escaped.
#[derive(Clone, Copy, Debug)]
pub struct StoredLine<'a> {
    /// The kind of the line.
    pub kind: DirectiveKind,
    /// The line number, from 1.
    pub line_no: u32,
    /// The group in Google's dialect, or 0 for none.
    pub group_no: u32,
    /// The record in Koster's dialect, from 1; 0 for a statement.
    pub record_no: u32,
    /// The key as written.
    pub key_raw: &'a str,
    /// The column `agent_raw` of a user-agent line, `path_raw` of a rule, or `value` of a statement.
    pub value_raw: &'a str,
    /// The column `path` of a rule, or the value of a statement; empty for a user-agent line.
    pub value: &'a str,
    /// The column `agent` of a user-agent line; empty for other lines.
    pub name: &'a str,
    /// The column `agent_token` of a user-agent line; empty for other lines.
    pub token: &'a str,
    /// True if there is a colon between key and value.
    pub has_colon: bool,
    /// True if the line counts for verdicts.
    pub counts: bool,
    /// The crawl-delay of a user-agent line in milliseconds; `None` for other lines.
    pub crawl_delay_ms: Option<i64>,
}

stored_columns! {
    /// The columns of a user-agent line.
    pub(super) struct GroupColumns of Table::GROUPS {
        robots_id: Long,
        group_no: Int,
        line_no: Int,
        record_no: Int,
        key_raw: Text,
        has_colon: Bool,
        counts: Bool,
        agent_raw: Text,
        agent: Text,
        crawl_delay_ms: Long,
    }
}

stored_columns! {
    /// The columns of an allow or disallow line.
    pub(super) struct RuleColumns of Table::RULES {
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

stored_columns! {
    /// The columns of a statement.
    pub(super) struct DirectiveColumns of Table::DIRECTIVES {
        robots_id: Long,
        group_no: Int,
        line_no: Int,
        directive: Text,
        directive_raw: Text,
        value: Text,
        counts: Bool,
        has_colon: Bool,
    }
}

// The usual spellings of the keys, for which the column `key_raw` is null.
const USUAL_USER_AGENT_KEY: &str = "User-agent";
const USUAL_ALLOW_KEY: &str = "Allow";
const USUAL_DISALLOW_KEY: &str = "Disallow";

impl Dataset {
    /// Reads the lines of captures: first user-agent lines, then rules, then statements about the use of
    /// content. Tables with which the dataset was not opened are skipped. Calls `each`
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
                let ids = lines.robots_ids().iter().enumerate();
                let mut ids = ids.filter(|(row, _)| lines.is_read(*row));
                ids.try_for_each(|(row, &robots_id)| each(crawl, robots_id, &lines.line(row)))
            })?;
        }
        Ok(())
    }
}

/// A table whose rows are lines of robots.txt files: `groups`, `rules` or `directives`.
#[derive(Clone, Copy, Debug)]
pub(super) enum LineTable {
    Groups,
    Rules,
    Statements,
}

impl LineTable {
    pub(super) const ALL: [Self; 3] = [Self::Groups, Self::Rules, Self::Statements];

    pub(super) fn table(self) -> Table {
        match self {
            Self::Groups => Table::GROUPS,
            Self::Rules => Table::RULES,
            Self::Statements => Table::DIRECTIVES,
        }
    }

    /// Returns the columns that make up a [`StoredLine`].
    pub(super) fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Groups => GroupColumns::NAMES,
            Self::Rules => RuleColumns::NAMES,
            Self::Statements => DirectiveColumns::NAMES,
        }
    }
}

/// Returns the product token that Google's parser reads from a whole name, which is a prefix of the name.
fn google_token(name: &str) -> &str {
    let token = product_token(name.as_bytes());
    &name[..token.len()]
}

/// A batch of rows of `groups`, `rules` or `directives`.
pub(super) enum LineRows {
    Groups(GroupColumns),
    Rules(RuleColumns),
    Statements(DirectiveColumns),
}

/// Returns the value of a column of numbers that are not negative; 0 for null.
fn unsigned_value(column: &Int32Array, row: usize) -> u32 {
    let number = value(column, row).and_then(|number| u32::try_from(number).ok());
    number.unwrap_or_default()
}

impl LineRows {
    pub(super) fn new(table: LineTable, batch: &RecordBatch) -> Result<Self, Error> {
        match table {
            LineTable::Groups => GroupColumns::from_batch(batch).map(Self::Groups),
            LineTable::Rules => RuleColumns::from_batch(batch).map(Self::Rules),
            LineTable::Statements => DirectiveColumns::from_batch(batch).map(Self::Statements),
        }
    }

    /// Returns false for a row of `directives` that is not a statement about the use of content, and therefore
    /// not read.
    pub(super) fn is_read(&self, row: usize) -> bool {
        match self {
            Self::Groups(_) | Self::Rules(_) => true,
            Self::Statements(statements) => {
                let mechanism = Mechanism::from_directive(statements.directive.value(row));
                mechanism.is_some_and(Mechanism::is_read_by_group)
            }
        }
    }

    /// Returns the `robots_id` of every row.
    pub(super) fn robots_ids(&self) -> &[i64] {
        match self {
            Self::Groups(columns) => columns.robots_id.values(),
            Self::Rules(columns) => columns.robots_id.values(),
            Self::Statements(statements) => statements.robots_id.values(),
        }
    }

    /// Returns the line number of every row.
    pub(super) fn line_nos(&self) -> &[i32] {
        match self {
            Self::Groups(columns) => columns.line_no.values(),
            Self::Rules(columns) => columns.line_no.values(),
            Self::Statements(statements) => statements.line_no.values(),
        }
    }

    pub(super) fn line(&self, row: usize) -> StoredLine<'_> {
        match self {
            Self::Groups(columns) => {
                let name = columns.agent.value(row);
                StoredLine {
                    kind: DirectiveKind::UserAgent,
                    line_no: unsigned_value(&columns.line_no, row),
                    group_no: unsigned_value(&columns.group_no, row),
                    record_no: unsigned_value(&columns.record_no, row),
                    key_raw: value(&columns.key_raw, row).unwrap_or(USUAL_USER_AGENT_KEY),
                    value_raw: value(&columns.agent_raw, row).unwrap_or(name),
                    value: "",
                    name,
                    token: google_token(name),
                    has_colon: columns.has_colon.value(row),
                    counts: columns.counts.value(row),
                    crawl_delay_ms: value(&columns.crawl_delay_ms, row),
                }
            }
            Self::Rules(columns) => {
                let (kind, usual_key) = match columns.allow.value(row) {
                    true => (DirectiveKind::Allow, USUAL_ALLOW_KEY),
                    false => (DirectiveKind::Disallow, USUAL_DISALLOW_KEY),
                };
                let path = columns.path.value(row);
                StoredLine {
                    kind,
                    line_no: unsigned_value(&columns.line_no, row),
                    group_no: unsigned_value(&columns.group_no, row),
                    record_no: unsigned_value(&columns.record_no, row),
                    key_raw: value(&columns.key_raw, row).unwrap_or(usual_key),
                    value_raw: value(&columns.path_raw, row).unwrap_or(path),
                    value: path,
                    name: "",
                    token: "",
                    has_colon: columns.has_colon.value(row),
                    counts: columns.counts.value(row),
                    crawl_delay_ms: None,
                }
            }
            Self::Statements(columns) => {
                let raw = columns.value.value(row);
                StoredLine {
                    kind: DirectiveKind::Other,
                    line_no: unsigned_value(&columns.line_no, row),
                    group_no: unsigned_value(&columns.group_no, row),
                    record_no: 0,
                    key_raw: value(&columns.directive_raw, row)
                        .unwrap_or(columns.directive.value(row)),
                    value_raw: raw,
                    // Google's parser reads a value up to a NUL.
                    value: raw
                        .split('\0')
                        .next()
                        .unwrap_or(raw)
                        .trim_end_matches([' ', '\t']),
                    name: "",
                    token: "",
                    has_colon: columns.has_colon.value(row),
                    counts: columns.counts.value(row),
                    crawl_delay_ms: None,
                }
            }
        }
    }
}

// The bits of the field of flags in the records that `StoredLine::write` writes.
const HAS_COLON_FLAG: u8 = 1;
const COUNTS_FLAG: u8 = 2;
const HAS_DELAY_FLAG: u8 = 4;

impl<'a> StoredLine<'a> {
    /// Appends the line as a record for sorting. Records sort by line number.
    pub fn write(&self, out: &mut Vec<u8>) {
        put_u32(out, self.line_no);
        put_u8(
            out,
            match self.kind {
                DirectiveKind::UserAgent => 0,
                DirectiveKind::Allow => 1,
                DirectiveKind::Other => 3,
                _ => 2,
            },
        );
        put_u32(out, self.group_no);
        put_u32(out, self.record_no);
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        put_u8(
            out,
            flag(self.has_colon, HAS_COLON_FLAG)
                | flag(self.counts, COUNTS_FLAG)
                | flag(self.crawl_delay_ms.is_some(), HAS_DELAY_FLAG),
        );
        put_i64(out, self.crawl_delay_ms.unwrap_or_default());
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

    /// Reads a record that [`StoredLine::write`] wrote.
    pub fn read(record: &'a [u8]) -> Self {
        let mut fields = FieldReader::new(record);
        let line_no = fields.u32();
        let kind = match fields.u8() {
            0 => DirectiveKind::UserAgent,
            1 => DirectiveKind::Allow,
            3 => DirectiveKind::Other,
            _ => DirectiveKind::Disallow,
        };
        let (group_no, record_no) = (fields.u32(), fields.u32());
        let flags = fields.u8();
        let crawl_delay_ms = fields.i64();
        let mut text = || std::str::from_utf8(fields.bytes()).expect("it was written from a text");
        Self {
            kind,
            line_no,
            group_no,
            record_no,
            key_raw: text(),
            value_raw: text(),
            value: text(),
            name: text(),
            token: text(),
            has_colon: flags & HAS_COLON_FLAG != 0,
            counts: flags & COUNTS_FLAG != 0,
            crawl_delay_ms: (flags & HAS_DELAY_FLAG != 0).then_some(crawl_delay_ms),
        }
    }

    /// Adds the line to a file that is being rebuilt. `is_valid_utf8` is true if the whole body of the capture
    /// is UTF-8. Returns false if the texts of the file would exceed the limit of the builder.
    pub fn push_to(&self, file: &mut RobotsTxtBuilder, is_valid_utf8: bool) -> bool {
        let bytes = |text| unescape_body(text, is_valid_utf8);
        let value = match self.kind {
            DirectiveKind::Other => bytes(self.value),
            _ => self.value.as_bytes().into(),
        };
        file.push(&DirectiveRow {
            kind: self.kind,
            line_no: self.line_no,
            group_no: (self.group_no != 0).then_some(self.group_no),
            record_no: self.record_no,
            key_raw: &bytes(self.key_raw),
            value_raw: &bytes(self.value_raw),
            value: &value,
            name: &bytes(self.name),
            token: &bytes(self.token),
            has_colon: self.has_colon,
            counts: self.counts,
            crawl_delay_ms: self.crawl_delay_ms,
        })
    }
}

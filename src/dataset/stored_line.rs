//! Lines of robots.txt files, made from rows of `groups`, `rules` and `directives`. From them a file can be rebuilt.

use super::{BatchRow, Columns, column, row};
use arrow_array::{Int64Array, RecordBatch};
use disk::error::Error;
use escapes::unescape_body;
use robots::{DirectiveKind, DirectiveRow, Mechanism, RobotsTxtBuilder, product_token};
use sort::{codes, record};
use tables::Table;

record! {
    /// A user-agent, allow or disallow line, or a statement about the use of content (Content-Usage,
    /// Content-Signal). Its texts are as in the tables: bytes that are not UTF-8 are escaped. Records sort by line number.
    pub struct StoredLine<'a> {
        /// The line number, from 1.
        pub line_no: u32,
        pub kind: LineKind,
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
}

/// The kind of a [`StoredLine`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    UserAgent,
    Allow,
    Disallow,
    /// A statement about the use of content.
    Statement,
}

codes! { LineKind: UserAgent, Allow, Disallow, Statement }

/// A line as it is written in the file, but for the blanks around its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenLine<'a> {
    /// The line number, from 1.
    pub line_no: u32,
    pub key: &'a str,
    /// True if a colon separates key and value, and false if a blank does.
    pub has_colon: bool,
    pub value: &'a str,
}

row! {
    /// A user-agent line: a row of `groups`.
    pub struct GroupLine<'a> of Table::GROUPS {
        pub group_no: u32,
        pub line_no: u32,
        pub record_no: u32,
        pub key_raw: Option<&'a str>,
        pub has_colon: bool,
        pub counts: bool,
        pub agent_raw: Option<&'a str>,
        pub agent: &'a str,
        pub crawl_delay_ms: Option<i64>,
    }
}

row! {
    /// An allow or disallow line: a row of `rules`.
    pub struct RuleLine<'a> of Table::RULES {
        pub group_no: Option<u32>,
        pub line_no: u32,
        pub record_no: u32,
        pub allow: bool,
        pub path_raw: Option<&'a str>,
        pub path: &'a str,
        pub key_raw: Option<&'a str>,
        pub has_colon: bool,
        pub counts: bool,
    }
}

row! {
    /// Another line with a key: a row of `directives`.
    pub struct DirectiveLine<'a> of Table::DIRECTIVES {
        pub group_no: Option<u32>,
        pub line_no: u32,
        pub directive: &'a str,
        pub directive_raw: Option<&'a str>,
        pub value: &'a str,
        pub counts: Option<bool>,
        pub has_colon: Option<bool>,
    }
}

impl<'a> GroupLine<'a> {
    /// Returns the line as it is written.
    pub fn written(&self) -> WrittenLine<'a> {
        WrittenLine {
            line_no: self.line_no,
            key: self.key_raw.unwrap_or("User-agent"),
            has_colon: self.has_colon,
            value: self.agent_raw.unwrap_or(self.agent),
        }
    }

    /// Returns the line for a file that is rebuilt.
    pub fn stored(&self) -> StoredLine<'a> {
        let written = self.written();
        StoredLine {
            line_no: self.line_no,
            kind: LineKind::UserAgent,
            group_no: self.group_no,
            record_no: self.record_no,
            key_raw: written.key,
            value_raw: written.value,
            value: "",
            name: self.agent,
            // The token that Google's parser reads from a whole name is a prefix of the name.
            token: &self.agent[..product_token(self.agent.as_bytes()).len()],
            has_colon: self.has_colon,
            counts: self.counts,
            crawl_delay_ms: self.crawl_delay_ms,
        }
    }
}

impl<'a> RuleLine<'a> {
    /// Returns the line as it is written.
    pub fn written(&self) -> WrittenLine<'a> {
        let usual_key = if self.allow { "Allow" } else { "Disallow" };
        WrittenLine {
            line_no: self.line_no,
            key: self.key_raw.unwrap_or(usual_key),
            has_colon: self.has_colon,
            value: self.path_raw.unwrap_or(self.path),
        }
    }

    /// Returns the line for a file that is rebuilt.
    pub fn stored(&self) -> StoredLine<'a> {
        let written = self.written();
        StoredLine {
            line_no: self.line_no,
            kind: if self.allow {
                LineKind::Allow
            } else {
                LineKind::Disallow
            },
            group_no: self.group_no.unwrap_or_default(),
            record_no: self.record_no,
            key_raw: written.key,
            value_raw: written.value,
            value: self.path,
            name: "",
            token: "",
            has_colon: self.has_colon,
            counts: self.counts,
            crawl_delay_ms: None,
        }
    }
}

impl<'a> DirectiveLine<'a> {
    /// Returns the line as it is written. A line counts and has a colon unless the table states otherwise, as in
    /// [`statement`](Self::statement).
    pub fn written(&self) -> WrittenLine<'a> {
        WrittenLine {
            line_no: self.line_no,
            key: self.directive_raw.unwrap_or(self.directive),
            has_colon: self.has_colon.unwrap_or(true),
            value: self.value,
        }
    }

    /// Returns the line for a file that is rebuilt; `None` unless it states a preference for the crawlers of its group.
    pub fn statement(&self) -> Option<StoredLine<'a>> {
        if !is_statement(self.directive) {
            return None;
        }
        let written = self.written();
        // Google's parser reads a value up to a NUL.
        let value = self.value.split('\0').next().unwrap_or(self.value);
        Some(StoredLine {
            line_no: self.line_no,
            kind: LineKind::Statement,
            group_no: self.group_no.unwrap_or_default(),
            record_no: 0,
            key_raw: written.key,
            value_raw: self.value,
            value: value.trim_end_matches([' ', '\t']),
            name: "",
            token: "",
            has_colon: written.has_colon,
            counts: self.counts.unwrap_or(true),
            crawl_delay_ms: None,
        })
    }
}

/// Returns true if lines with a key state preferences for the crawlers of their group.
fn is_statement(directive: &str) -> bool {
    Mechanism::from_directive(directive).is_some_and(Mechanism::is_read_by_group)
}

/// A table whose rows are lines of robots.txt files: `groups`, `rules` or `directives`.
#[derive(Clone, Copy, Debug)]
pub(super) enum LineTable {
    Groups,
    Rules,
    Statements,
}

impl LineTable {
    pub(super) fn table(self) -> Table {
        match self {
            Self::Groups => Table::GROUPS,
            Self::Rules => Table::RULES,
            Self::Statements => Table::DIRECTIVES,
        }
    }

    /// Returns the columns that make up a [`StoredLine`], and `robots_id`.
    pub(super) fn columns(self) -> Vec<&'static str> {
        let names = match self {
            Self::Groups => GroupLine::NAMES,
            Self::Rules => RuleLine::NAMES,
            Self::Statements => DirectiveLine::NAMES,
        };
        [&["robots_id"], names].concat()
    }
}

/// A batch of rows of `groups`, `rules` or `directives`.
pub(super) struct LineRows {
    robots_id: Int64Array,
    lines: LineColumns,
}

enum LineColumns {
    Groups(Columns<GroupLine<'static>>),
    Rules(Columns<RuleLine<'static>>),
    Statements(Columns<DirectiveLine<'static>>),
}

impl LineRows {
    pub(super) fn new(table: LineTable, batch: &RecordBatch) -> Result<Self, Error> {
        Ok(Self {
            robots_id: column::<Int64Array>(batch, "robots_id")?.clone(),
            lines: match table {
                LineTable::Groups => LineColumns::Groups(GroupLine::from_batch(batch)?),
                LineTable::Rules => LineColumns::Rules(RuleLine::from_batch(batch)?),
                LineTable::Statements => LineColumns::Statements(DirectiveLine::from_batch(batch)?),
            },
        })
    }

    /// Returns false for a row of `directives` that is not a statement about the use of content, and therefore
    /// not read.
    pub(super) fn is_read(&self, row: usize) -> bool {
        match &self.lines {
            LineColumns::Groups(_) | LineColumns::Rules(_) => true,
            LineColumns::Statements(statements) => is_statement(statements.directive.value(row)),
        }
    }

    /// Returns the `robots_id` of every row.
    pub(super) fn robots_ids(&self) -> &[i64] {
        self.robots_id.values()
    }

    /// Returns the line number of every row.
    pub(super) fn line_nos(&self) -> &[i32] {
        match &self.lines {
            LineColumns::Groups(columns) => columns.line_no.values(),
            LineColumns::Rules(columns) => columns.line_no.values(),
            LineColumns::Statements(statements) => statements.line_no.values(),
        }
    }

    /// Returns the line of a row; `None` if it is not [read](Self::is_read).
    pub(super) fn line(&self, row: usize) -> Option<StoredLine<'_>> {
        match &self.lines {
            LineColumns::Groups(columns) => Some(GroupLine::row(columns, row).stored()),
            LineColumns::Rules(columns) => Some(RuleLine::row(columns, row).stored()),
            LineColumns::Statements(columns) => DirectiveLine::row(columns, row).statement(),
        }
    }
}

impl StoredLine<'_> {
    /// Adds the line to a file that is being rebuilt. `is_valid_utf8` is true if the whole body of the capture
    /// is UTF-8. Returns false if the texts of the file would exceed the limit of the builder.
    pub fn push_to(&self, file: &mut RobotsTxtBuilder, is_valid_utf8: bool) -> bool {
        let bytes = |text| unescape_body(text, is_valid_utf8);
        let value = match self.kind {
            LineKind::Statement => bytes(self.value),
            _ => self.value.as_bytes().into(),
        };
        file.push(&DirectiveRow {
            kind: match self.kind {
                LineKind::UserAgent => DirectiveKind::UserAgent,
                LineKind::Allow => DirectiveKind::Allow,
                LineKind::Disallow => DirectiveKind::Disallow,
                LineKind::Statement => DirectiveKind::Other,
            },
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

impl WrittenLine<'_> {
    /// Returns the line as text.
    pub fn text(&self) -> String {
        let separator = if self.has_colon { ": " } else { " " };
        let line = [self.key, separator, self.value].concat();
        line.trim_end().to_owned()
    }
}

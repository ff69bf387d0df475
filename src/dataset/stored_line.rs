//! Lines of robots.txt files, made from rows of `groups`, `rules` and `directives`. From them a file can be rebuilt.

use super::row;
use escapes::unescape_body;
use robots::{DirectiveKind, DirectiveRow, Mechanism, RobotsTxtBuilder, product_token};

/// A line of a robots.txt file that is a row of a table.
#[derive(Clone, Copy, Debug)]
pub enum StoredLine<'a> {
    Group(GroupLine<'a>),
    Rule(RuleLine<'a>),
    Directive(DirectiveLine<'a>),
}

/// A line with key and value as in the file, without the blanks around them.
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
    /// Returns the line with key and value as in the file.
    pub fn written(&self) -> WrittenLine<'a> {
        WrittenLine {
            line_no: self.line_no,
            key: self.key_raw.unwrap_or("User-agent"),
            has_colon: self.has_colon,
            value: self.agent_raw.unwrap_or(self.agent),
        }
    }
}

impl<'a> RuleLine<'a> {
    /// Returns the line with key and value as in the file.
    pub fn written(&self) -> WrittenLine<'a> {
        let usual_key = if self.allow { "Allow" } else { "Disallow" };
        WrittenLine {
            line_no: self.line_no,
            key: self.key_raw.unwrap_or(usual_key),
            has_colon: self.has_colon,
            value: self.path_raw.unwrap_or(self.path),
        }
    }
}

impl<'a> DirectiveLine<'a> {
    /// Returns the line with key and value as in the file. Unless the table states otherwise, a colon separates them.
    pub fn written(&self) -> WrittenLine<'a> {
        WrittenLine {
            line_no: self.line_no,
            key: self.directive_raw.unwrap_or(self.directive),
            has_colon: self.has_colon.unwrap_or(true),
            value: self.value,
        }
    }
}

/// Returns true if lines with a key state preferences for the crawlers of their group.
fn states_preference(directive: &str) -> bool {
    Mechanism::from_directive(directive).is_some_and(Mechanism::is_read_by_group)
}

/// Merges the lines of three tables in the order of the file.
pub fn merge_lines<'a>(
    groups: impl Iterator<Item = GroupLine<'a>>,
    rules: impl Iterator<Item = RuleLine<'a>>,
    directives: impl Iterator<Item = DirectiveLine<'a>>,
) -> Vec<StoredLine<'a>> {
    let lines = groups.map(StoredLine::Group);
    let lines = lines.chain(rules.map(StoredLine::Rule));
    let mut lines: Vec<_> = lines.chain(directives.map(StoredLine::Directive)).collect();
    lines.sort_by_key(StoredLine::line_no);
    lines
}

impl<'a> StoredLine<'a> {
    /// Returns the line number, from 1.
    pub fn line_no(&self) -> u32 {
        match self {
            Self::Group(line) => line.line_no,
            Self::Rule(line) => line.line_no,
            Self::Directive(line) => line.line_no,
        }
    }

    /// Returns the line with key and value as in the file.
    pub fn written(&self) -> WrittenLine<'a> {
        match self {
            Self::Group(line) => line.written(),
            Self::Rule(line) => line.written(),
            Self::Directive(line) => line.written(),
        }
    }

    /// Adds the line to a file that is being rebuilt, if a dialect reads it, or if it states a preference for the
    /// crawlers of its group. `is_valid_utf8` is true if the whole body of the capture is UTF-8. Returns false if the
    /// texts of the file would exceed the limit of the builder.
    pub fn push_to(&self, file: &mut RobotsTxtBuilder, is_valid_utf8: bool) -> bool {
        let bytes = |text: &'a str| unescape_body(text, is_valid_utf8);
        let written = self.written();
        let (key_raw, value_raw) = (bytes(written.key), bytes(written.value));
        let row = DirectiveRow {
            kind: DirectiveKind::Other,
            line_no: written.line_no,
            group_no: None,
            record_no: 0,
            key_raw: &key_raw,
            value_raw: &value_raw,
            value: b"",
            name: b"",
            token: b"",
            has_colon: written.has_colon,
            counts: true,
            crawl_delay_ms: None,
        };
        match self {
            Self::Group(line) => file.push(&DirectiveRow {
                kind: DirectiveKind::UserAgent,
                group_no: Some(line.group_no).filter(|group_no| *group_no != 0),
                record_no: line.record_no,
                name: &bytes(line.agent),
                // The token that Google's parser reads from a whole name is a prefix of the name.
                token: &bytes(&line.agent[..product_token(line.agent.as_bytes()).len()]),
                counts: line.counts,
                crawl_delay_ms: line.crawl_delay_ms,
                ..row
            }),
            Self::Rule(line) => file.push(&DirectiveRow {
                kind: if line.allow {
                    DirectiveKind::Allow
                } else {
                    DirectiveKind::Disallow
                },
                group_no: line.group_no,
                record_no: line.record_no,
                value: line.path.as_bytes(),
                counts: line.counts,
                ..row
            }),
            Self::Directive(line) if states_preference(line.directive) => {
                // Google's parser reads a value up to a NUL.
                let value = line.value.split('\0').next().unwrap_or(line.value);
                file.push(&DirectiveRow {
                    group_no: line.group_no,
                    value: &bytes(value.trim_end_matches([' ', '\t'])),
                    counts: line.counts.unwrap_or(true),
                    ..row
                })
            }
            Self::Directive(_) => true,
        }
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

//! Rebuilds a robots.txt file from the rows of a policy.

use super::keyed_rows::{KeyedRows, POLICIES};
use crate::own_tables;
use dataset::StoredLine;
use dataset::error::DatasetDefect;
use disk::error::Error;
use robots::{ContentClass, DirectiveKind, Mechanism, RobotsTxtBuilder, product_token};
use sort::sort_key::FieldReader;
use std::collections::BTreeMap;
use std::path::Path;
use tables::{Column, ColumnType, Table};

/// Returns the class with this name in the column `content_class`; `Empty` for an unknown name.
pub fn content_class(name: &[u8]) -> ContentClass {
    let all = [
        ContentClass::Rules,
        ContentClass::NoRules,
        ContentClass::CommentsOnly,
        ContentClass::Empty,
        ContentClass::Html,
        ContentClass::Binary,
    ];
    let found = all
        .into_iter()
        .find(|class| class.name().as_bytes() == name);
    found.unwrap_or(ContentClass::Empty)
}

/// Adds the lines of a policy to a file that is being rebuilt, in the order of lines.
pub fn push_lines(policy: &KeyedRows<'_>, file: &mut RobotsTxtBuilder) -> Result<(), Error> {
    let is_valid_utf8 = policy.fields().u8() != 0;
    let mut lines = Vec::new();
    // The first three tables have lines; the last one has verdicts.
    for (i, table) in POLICIES.of_rows.iter().enumerate().take(3) {
        let (count, mut fields) = policy.rows_of(i);
        for _ in 0..count {
            let row = PolicyRow::read(*table, &mut fields);
            lines.extend(row.line(*table));
        }
    }
    lines.sort_by_key(|line| line.line_no);
    for line in lines {
        if !line.push_to(file, is_valid_utf8) {
            let table = Path::new(own_tables::POLICY_RULES.name());
            return Err(DatasetDefect::too_many_rules().error(table));
        }
    }
    Ok(())
}

/// Returns the lines of a policy as text, by their numbers.
pub fn read_lines(policy: &KeyedRows<'_>) -> BTreeMap<u32, String> {
    let mut lines = BTreeMap::new();
    for (i, table) in POLICIES.of_rows.iter().enumerate().take(3) {
        let (count, mut fields) = policy.rows_of(i);
        for _ in 0..count {
            let row = PolicyRow::read(*table, &mut fields);
            // `PolicyRow::line` returns only some directives, so that all are composed from their columns.
            let is_directive = *table == own_tables::POLICY_DIRECTIVES;
            let line = match row.line(*table).filter(|_| !is_directive) {
                None => {
                    let key = row.text("directive_raw").or(row.text("directive"));
                    let value = row.text("value").unwrap_or_default();
                    compose_line(key.unwrap_or_default(), row.flag("has_colon"), value)
                }
                Some(line) => compose_line(line.key_raw, line.has_colon, line.value_raw),
            };
            lines.insert(row.number("line_no"), line);
        }
    }
    lines
}

/// Composes a line from its key and its value.
pub fn compose_line(key: &str, has_colon: bool, value: &str) -> String {
    let separator = if has_colon { ": " } else { " " };
    format!("{key}{separator}{value}").trim_end().to_owned()
}

/// The value of a column in a row.
#[derive(Clone, Copy, Debug)]
enum FieldValue<'a> {
    Null,
    Number(u32),
    Long(i64),
    Flag(bool),
    Text(&'a str),
}

/// A row of `policy_groups`, `policy_rules` or `policy_directives`, without `policy_id`.
struct PolicyRow<'a> {
    columns: &'static [Column],
    values: Vec<FieldValue<'a>>,
}

impl<'a> PolicyRow<'a> {
    fn read(table: Table, fields: &mut FieldReader<'a>) -> Self {
        let columns = &table.columns()[1..];
        let values = columns.iter().map(|column| {
            if column.is_nullable && fields.u8() == 0 {
                return FieldValue::Null;
            }
            match column.kind {
                ColumnType::Int | ColumnType::Short => FieldValue::Number(fields.u32()),
                ColumnType::Long | ColumnType::Time => FieldValue::Long(fields.i64()),
                ColumnType::Bool => FieldValue::Flag(fields.u8() != 0),
                ColumnType::Text => {
                    FieldValue::Text(std::str::from_utf8(fields.bytes()).unwrap_or_default())
                }
            }
        });
        Self {
            columns,
            values: values.collect(),
        }
    }

    fn value(&self, name: &str) -> FieldValue<'a> {
        let column = self.columns.iter().position(|column| column.name == name);
        column.map_or(FieldValue::Null, |i| self.values[i])
    }

    fn text(&self, name: &str) -> Option<&'a str> {
        match self.value(name) {
            FieldValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value of a column of numbers; 0 for null.
    fn number(&self, name: &str) -> u32 {
        match self.value(name) {
            FieldValue::Number(number) => number,
            _ => 0,
        }
    }

    /// Returns the value of a column of flags; true for null, and if the table lacks the column.
    fn flag(&self, name: &str) -> bool {
        !matches!(self.value(name), FieldValue::Flag(false))
    }

    /// Returns the row as a line; `None` for a directive that is not a statement about the use of content for the
    /// crawlers of its group.
    fn line(&self, table: Table) -> Option<StoredLine<'a>> {
        let kind = match table == own_tables::POLICY_RULES {
            true if self.flag("allow") => DirectiveKind::Allow,
            true => DirectiveKind::Disallow,
            false if table == own_tables::POLICY_GROUPS => DirectiveKind::UserAgent,
            false => DirectiveKind::Other,
        };
        let (usual_key, name, value) = match kind {
            DirectiveKind::UserAgent => ("User-agent", self.text("agent")?, ""),
            DirectiveKind::Allow => ("Allow", "", self.text("path")?),
            DirectiveKind::Disallow => ("Disallow", "", self.text("path")?),
            _ => {
                let directive = self.text("directive")?;
                let mechanism = Mechanism::from_directive(directive)?;
                if !mechanism.is_read_by_group() {
                    return None;
                }
                (directive, "", self.text("value")?)
            }
        };
        let raw = match kind {
            DirectiveKind::UserAgent => self.text("agent_raw").unwrap_or(name),
            DirectiveKind::Other => value,
            _ => self.text("path_raw").unwrap_or(value),
        };
        let key = match kind {
            DirectiveKind::Other => self.text("directive_raw"),
            _ => self.text("key_raw"),
        };
        let crawl_delay_ms = match self.value("crawl_delay_ms") {
            FieldValue::Long(delay_ms) => Some(delay_ms),
            _ => None,
        };
        Some(StoredLine {
            kind,
            line_no: self.number("line_no"),
            group_no: self.number("group_no"),
            record_no: self.number("record_no"),
            key_raw: key.unwrap_or(usual_key),
            value_raw: raw,
            value: match kind {
                DirectiveKind::Other => raw
                    .split('\0')
                    .next()
                    .unwrap_or(raw)
                    .trim_end_matches([' ', '\t']),
                _ => value,
            },
            name,
            token: &name[..product_token(name.as_bytes()).len()],
            has_colon: self.flag("has_colon"),
            counts: self.flag("counts"),
            crawl_delay_ms,
        })
    }
}

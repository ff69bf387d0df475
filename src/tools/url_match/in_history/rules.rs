//! Decides URLs by the rules of policies.

use super::super::decision::{Decision, DecisionBasis, UrlAccess};
use super::super::prepared::MatchSummary;
use super::plan::{NO_POLICY, RulesRequest};
use super::{HistoryMatch, StateDecisions};
use crate::history::damaged_history_error;
use crate::history::keyed_rows::{KEY_BYTES, KeyedReader, KeyedRows, POLICIES};
use dataset::StoredLine;
use dataset::error::{DatasetDefect, DatasetErrorKind};
use dataset::external_sort::sort_key::FieldReader;
use dataset::external_sort::{SortedRecords, Sorter};
use dataset::tables::{Column, ColumnType, Table};
use disk::error::Error;
use robots::{ContentClass, DirectiveKind, Mechanism, RobotsTxtBuilder, product_token};
use std::path::Path;

/// Decides all requests. Each policy is rebuilt once for each kind of content.
pub(super) fn decide_by_rules(
    context: &HistoryMatch<'_>,
    requests: &SortedRecords<'_>,
    decisions: &mut Sorter<'_>,
    summary: &mut MatchSummary,
) -> Result<(), Error> {
    let mut policies = KeyedReader::open(context.history, POLICIES)?;
    let mut requests = requests.read()?;
    let mut file = RobotsTxtBuilder::new();
    let (mut key, mut class) = (Vec::new(), Vec::new());
    while let Some(record) = requests.peek() {
        let request = RulesRequest::read(record);
        key.clear();
        key.extend_from_slice(request.key);
        class.clear();
        class.extend_from_slice(request.content_class);
        while policies
            .peek()
            .is_some_and(|policy| policy[..KEY_BYTES] < key[..])
        {
            policies.advance()?;
        }
        file.clear();
        if key != NO_POLICY {
            let policy = policies.peek().filter(|policy| policy.starts_with(&key));
            let root = context.history.root();
            let policy = policy.ok_or_else(|| damaged_history_error(root, Table::Policies))?;
            let pushed = push_lines(&KeyedRows::read(policy, POLICIES), &mut file);
            pushed.map_err(|error| error.with_path(root))?;
        }
        file.set_content_class(content_class(&class));
        summary.files += 1;
        context.progress.add_rows(1);
        let robots = file.as_robots_txt();
        let crawlers = context.options.crawlers.iter();
        let policies_of: Vec<_> = crawlers
            .map(|crawler| crawler.policy(context.options.dialect, &robots))
            .collect();
        while let Some(record) = requests.peek() {
            let request = RulesRequest::read(record);
            if request.key != key || request.content_class != class {
                break;
            }
            let of_crawlers = policies_of.iter().map(|policy| {
                let access = policy.access(request.url);
                Decision {
                    access: UrlAccess::new(access),
                    basis: DecisionBasis::new(policy.basis),
                    line_no: access.line_no,
                    preference: None,
                }
            });
            StateDecisions::push(decisions, request.row, request.slot, of_crawlers)?;
            requests.advance()?;
        }
    }
    Ok(())
}

fn content_class(name: &[u8]) -> ContentClass {
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

/// Adds the lines of a policy to a file that is rebuilt, in the order of lines.
fn push_lines(policy: &KeyedRows<'_>, file: &mut RobotsTxtBuilder) -> Result<(), Error> {
    let is_valid_utf8 = policy.fields().u8() != 0;
    let mut lines = Vec::new();
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
            let kind = DatasetErrorKind::NotADataset(DatasetDefect::TooManyRules);
            return Err(Error::new(kind, Path::new(Table::PolicyRules.name())));
        }
    }
    Ok(())
}

/// A value of a row.
#[derive(Clone, Copy, Debug)]
enum FieldValue<'a> {
    Null,
    Number(u32),
    Double(f64),
    Flag(bool),
    Text(&'a str),
}

/// A row of a table of lines, without its key.
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
                ColumnType::Long | ColumnType::Time => {
                    FieldValue::Number(u32::try_from(fields.i64()).unwrap_or_default())
                }
                ColumnType::Double => FieldValue::Double(f64::from_bits(fields.u64())),
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

    fn number(&self, name: &str) -> u32 {
        match self.value(name) {
            FieldValue::Number(number) => number,
            _ => 0,
        }
    }

    fn flag(&self, name: &str) -> bool {
        !matches!(self.value(name), FieldValue::Flag(false))
    }

    /// Returns the row as a line; `None` for a directive that does not decide access.
    fn line(&self, table: Table) -> Option<StoredLine<'a>> {
        let kind = match table {
            Table::PolicyGroups => DirectiveKind::UserAgent,
            Table::PolicyRules if self.flag("allow") => DirectiveKind::Allow,
            Table::PolicyRules => DirectiveKind::Disallow,
            _ => DirectiveKind::Other,
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
        let delay = match self.value("crawl_delay") {
            FieldValue::Double(delay) => Some(delay),
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
            crawl_delay: delay,
        })
    }
}

//! Checks the tables whose rows belong to captures. Their rows are in the order
//! of `robots_files`, so both are read in parallel.

use super::captures::CaptureIndex;
use super::row_cursor::RowCursor;
use super::{FindingKind, Findings};
use crate::tables::Table;
use std::collections::HashSet;
use std::path::Path;

/// Returns the columns that are read of a table: the key, and two that depend on the
/// table.
fn columns(table: Table) -> &'static [&'static str] {
    match table {
        Table::Groups => &["robots_id", "line_no", "group_no"],
        Table::Rules => &["robots_id", "line_no", "allow"],
        Table::Verdicts => &["robots_id", "agent", "is_robots_path"],
        _ => &["robots_id", "line_no"],
    }
}

/// Returns the columns of `robots_files` that count the rows of a table.
fn count_columns(table: Table) -> &'static [&'static str] {
    match table {
        Table::Groups => &["n_user_agents", "n_groups"],
        Table::Rules => &["n_allow", "n_disallow"],
        Table::Sitemaps => &["n_sitemaps"],
        Table::Directives => &["n_directives"],
        Table::Anomalies => &["n_anomalies"],
        _ => &[],
    }
}

// The indices of `columns`.
const ROBOTS_ID: usize = 0;
/// `agent` for verdicts.
const LINE_NO: usize = 1;
const AGENT: usize = 1;
/// `group_no`, `allow` or `is_robots_path`.
const OWN_COLUMN: usize = 2;

/// The columns that are read of `robots_files`, before the counts.
const CAPTURE_COLUMNS: [&str; 4] = ["robots_id", "content_class", "is_robots_path", "n_lines"];

// The indices of `CAPTURE_COLUMNS`. The key has the same index in both.
const CONTENT_CLASS: usize = 1;
const IS_ROBOTS_PATH: usize = 2;
const N_LINES: usize = 3;

/// Tables with at most one row per line.
const ONE_ROW_PER_LINE: [Table; 4] = [
    Table::Groups,
    Table::Rules,
    Table::Sitemaps,
    Table::Directives,
];

/// Tables whose rows belong to captures.
pub(super) const TABLES: [Table; 7] = [
    Table::Groups,
    Table::Rules,
    Table::Sitemaps,
    Table::Directives,
    Table::Preferences,
    Table::Anomalies,
    Table::Verdicts,
];

/// The rows of one capture.
#[derive(Debug, Default)]
struct CaptureCounts {
    rows: i64,
    allow: i64,
    last_group: i64,
    has_wildcard: bool,
}

impl CaptureCounts {
    /// Returns the expected values of [`count_columns`].
    fn expected(&self, table: Table) -> [i64; 2] {
        match table {
            Table::Groups => [self.rows, self.last_group],
            Table::Rules => [self.allow, self.rows - self.allow],
            _ => [self.rows, 0],
        }
    }
}

/// The captures to which the rows of a table belong.
struct ParentRows<'a> {
    captures: &'a CaptureIndex,
    rows: RowCursor,
    /// The number of captures that were read, including the current one.
    read: usize,
}

/// Compares the rows of a table with their captures.
struct Comparison<'a> {
    table: Table,
    name: &'a str,
    children: RowCursor,
    parents: Option<ParentRows<'a>>,
    /// The agents of the current capture.
    agents: HashSet<String>,
    findings: &'a mut Findings,
}

/// Checks the rows of a table of a part. They are compared with the captures of
/// the part if these can be read.
pub(super) fn check(
    table: Table,
    path: &Path,
    name: &str,
    captures: Option<(&Path, &CaptureIndex)>,
    findings: &mut Findings,
) -> Result<(), String> {
    let parents = captures.map(|(path, captures)| {
        let names = [&CAPTURE_COLUMNS, count_columns(table)].concat();
        Ok::<_, String>(ParentRows {
            captures,
            rows: RowCursor::open(path, &names)?,
            read: 0,
        })
    });
    let mut comparison = Comparison {
        table,
        name,
        children: RowCursor::open(path, columns(table))?,
        parents: parents.transpose()?,
        agents: HashSet::new(),
        findings,
    };
    let mut has_more = comparison.children.next()?;
    while has_more {
        let id = comparison.children.i64(ROBOTS_ID).unwrap_or_default();
        let has_parent = comparison.seek_parent(id)?;
        let counts;
        (counts, has_more) = comparison.read_children(id, has_parent)?;
        if has_parent {
            comparison.compare_counts(&counts);
        }
    }
    comparison.skip_parents_before(usize::MAX)
}

impl Comparison<'_> {
    /// Goes to the capture with a key. Returns false if it is missing or was
    /// passed.
    fn seek_parent(&mut self, id: i64) -> Result<bool, String> {
        let Some(parents) = &self.parents else {
            return Ok(false);
        };
        let (row, read) = (self.children.row_number(), parents.read);
        let Some(parent) = parents.captures.row_of(id) else {
            self.findings.add(
                FindingKind::Orphan,
                self.name,
                format_args!("row {row}: robots_id {id} is not in robots_files of its part"),
            );
            return Ok(false);
        };
        if parent < read {
            self.findings.add(
                FindingKind::Order,
                self.name,
                format_args!("row {row}: robots_id {id} comes after captures that follow it"),
            );
            return Ok(false);
        }
        self.skip_parents_before(parent)?;
        self.next_parent()
    }

    /// Goes past the captures before a row, which have no rows in this table.
    fn skip_parents_before(&mut self, row: usize) -> Result<(), String> {
        let is_before = |parents: &ParentRows<'_>| parents.read < row;
        while self.parents.as_ref().is_some_and(is_before) && self.next_parent()? {
            self.compare_counts(&CaptureCounts::default());
        }
        Ok(())
    }

    /// Goes to the next capture. Returns false if there is none.
    fn next_parent(&mut self) -> Result<bool, String> {
        let Some(parents) = &mut self.parents else {
            return Ok(false);
        };
        let has_next = parents.rows.next()?;
        parents.read += usize::from(has_next);
        Ok(has_next)
    }

    /// Checks the rows of one capture. Returns their counts, and true if rows of
    /// other captures follow.
    fn read_children(
        &mut self,
        id: i64,
        has_parent: bool,
    ) -> Result<(CaptureCounts, bool), String> {
        let mut counts = CaptureCounts::default();
        let mut last_line = 0;
        self.agents.clear();
        loop {
            counts.rows += 1;
            if self.table == Table::Verdicts {
                self.check_verdict(id, has_parent, &mut counts);
            } else {
                last_line = self.check_line(id, has_parent, last_line);
                self.count_line(&mut counts);
            }
            if !self.children.next()? {
                return Ok((counts, false));
            }
            if self.children.i64(ROBOTS_ID) != Some(id) {
                return Ok((counts, true));
            }
        }
    }

    /// Checks a row of `verdicts`.
    fn check_verdict(&mut self, id: i64, has_parent: bool, counts: &mut CaptureCounts) {
        let row = self.children.row_number();
        let agent = self.children.text(AGENT).unwrap_or_default();
        counts.has_wildcard |= agent == "*";
        if !self.agents.insert(agent.to_owned()) {
            self.findings.add(
                FindingKind::Twice,
                self.name,
                format_args!("row {row}: robots_id {id} has the agent `{agent}` before"),
            );
        }
        let parent = self.parents.as_ref().filter(|_| has_parent);
        let is_robots_path = self.children.bool(OWN_COLUMN);
        if parent.is_some_and(|parent| parent.rows.bool(IS_ROBOTS_PATH) != is_robots_path) {
            self.findings.add(
                FindingKind::Parent,
                self.name,
                format_args!("row {row}: is_robots_path is not that of its capture"),
            );
        }
    }

    /// Checks the line of a row, and returns it. Rows without a line have line
    /// 0 here, which comes first.
    fn check_line(&mut self, id: i64, has_parent: bool, last: i32) -> i32 {
        let row = self.children.row_number();
        let line = self.children.i32(LINE_NO).unwrap_or(0);
        let may_repeat = !ONE_ROW_PER_LINE.contains(&self.table);
        if line < last || (line == last && !may_repeat) {
            self.findings.add(
                FindingKind::Order,
                self.name,
                format_args!("row {row}: line {line} of robots_id {id} comes after {last}"),
            );
        }
        let parent = self.parents.as_ref().filter(|_| has_parent);
        let n_lines = parent.map(|parent| parent.rows.i32(N_LINES).unwrap_or(0));
        if let Some(n_lines) = n_lines.filter(|n_lines| line > *n_lines) {
            self.findings.add(
                FindingKind::Parent,
                self.name,
                format_args!("row {row}: line {line} of a file of {n_lines}"),
            );
        }
        line
    }

    /// Counts a row of `rules` or `groups`.
    fn count_line(&self, counts: &mut CaptureCounts) {
        match self.table {
            Table::Rules => {
                counts.allow += i64::from(self.children.bool(OWN_COLUMN) == Some(true));
            }
            Table::Groups => {
                let group = i64::from(self.children.i32(OWN_COLUMN).unwrap_or(0));
                counts.last_group = counts.last_group.max(group);
            }
            _ => {}
        }
    }

    /// Compares the rows of a capture with its counts. A capture without counts
    /// was not parsed, and has no lines.
    fn compare_counts(&mut self, counts: &CaptureCounts) {
        let Some(parents) = &self.parents else {
            return;
        };
        let (parent, table) = (&parents.rows, self.table.name());
        let id = parent.i64(ROBOTS_ID).unwrap_or_default();
        let is_parsed = parent.i32(N_LINES).is_some();
        let columns = count_columns(self.table).iter().enumerate();
        for ((i, column), rows) in columns.zip(counts.expected(self.table)) {
            let mut stated = parent.i32(CAPTURE_COLUMNS.len() + i).map_or(0, i64::from);
            // Lines of pages are counted, but are not directives.
            let class = parent.text(CONTENT_CLASS);
            if self.table == Table::Directives && matches!(class, Some("html" | "binary")) {
                stated = 0;
            }
            if stated != rows {
                self.findings.add(
                    FindingKind::Count,
                    self.name,
                    format_args!("robots_id {id}: {column} is {stated}, by `{table}` it is {rows}"),
                );
            }
        }
        let rows = counts.rows;
        if self.table == Table::Preferences && !is_parsed && rows > 0 {
            self.findings.add(
                FindingKind::Count,
                self.name,
                format_args!("robots_id {id} was not read, and has {rows} rows"),
            );
        }
        if self.table == Table::Verdicts && (!counts.has_wildcard || (!is_parsed && rows > 1)) {
            let which = if is_parsed { "one of" } else { "only" };
            self.findings.add(
                FindingKind::Count,
                self.name,
                format_args!("robots_id {id} has {rows} rows, {which} which should be for `*`"),
            );
        }
    }
}

//! Checks the tables whose rows belong to captures: their order, their captures, and the keys within a
//! capture.

use super::row_cursor::RowCursor;
use super::{FindingKind, Findings};
use dataset::tables::Table;
use std::collections::HashSet;
use std::path::Path;

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

// The indices of the columns that are read. The second one is `agent` for verdicts.
const ROBOTS_ID: usize = 0;
const LINE_NO: usize = 1;
const AGENT: usize = 1;

/// Checks the rows of a table of a part. `captures` are the keys of `robots_files` of the part in
/// ascending order, if these can be read.
pub(super) fn check(
    table: Table,
    path: &Path,
    name: &str,
    captures: Option<&[i64]>,
    findings: &mut Findings,
) -> Result<(), String> {
    let second = match table {
        Table::Verdicts => "agent",
        _ => "line_no",
    };
    let mut rows = RowCursor::open(path, &["robots_id", second])?;
    // The keys within the capture of the row before.
    let (mut capture, mut last_line, mut agents) = (None, 0, HashSet::new());
    while rows.next()? {
        let (row, id) = (rows.row_number(), rows.i64(ROBOTS_ID).unwrap_or_default());
        let mut add =
            |kind, what: String| findings.add(kind, name, format_args!("row {row}: {what}"));
        if capture != Some(id) {
            if capture.is_some_and(|last| id < last) {
                let why = format!("robots_id {id} comes after captures that follow it");
                add(FindingKind::Order, why);
            }
            if captures.is_some_and(|captures| captures.binary_search(&id).is_err()) {
                let why = format!("robots_id {id} is not in robots_files of its part");
                add(FindingKind::Orphan, why);
            }
            capture = Some(id);
            last_line = 0;
            agents.clear();
        }
        if table == Table::Verdicts {
            let agent = rows.text(AGENT).unwrap_or_default();
            if !agents.insert(agent.to_owned()) {
                let why = format!("robots_id {id} has the agent `{agent}` before");
                add(FindingKind::Twice, why);
            }
        } else {
            // Rows without a line come first.
            let line = rows.i32(LINE_NO).unwrap_or(0);
            let is_repeated = line == last_line && ONE_ROW_PER_LINE.contains(&table);
            if line < last_line || is_repeated {
                let why = format!("line {line} of robots_id {id} comes after {last_line}");
                add(FindingKind::Order, why);
            }
            last_line = line;
        }
    }
    Ok(())
}

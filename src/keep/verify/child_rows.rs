//! Checks the tables whose rows belong to captures: that rows are in order, that their captures exist,
//! and that keys are unique within a capture.

use super::readable_file::ReadableFile;
use super::{FindingKind, Findings};
use columns::HASH_SEED;
use dataset::{stored_columns, value};
use disk::error::Error;
use std::collections::HashSet;
use std::fmt;
use tables::Table;
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// Tables with at most one row per line of a robots.txt.
const ONE_ROW_PER_LINE: [Table; 4] = [
    Table::GROUPS,
    Table::RULES,
    Table::SITEMAPS,
    Table::DIRECTIVES,
];

stored_columns! {
    /// The key of a row, in all tables of this module except `verdicts` and `file_preferences`.
    struct LineKey of Table::RULES {
        robots_id: Long,
        line_no: Int,
    }
}

stored_columns! {
    struct VerdictKey of Table::VERDICTS {
        robots_id: Long,
        agent: Text,
    }
}

stored_columns! {
    struct PreferenceKey of Table::FILE_PREFERENCES {
        robots_id: Long,
        agent: Text,
        mechanism: Text,
        category: Text,
    }
}

/// The only mechanism whose rows may repeat a key: a capture may have several RSL licenses for an
/// agent and a category.
const LICENSE: &str = "rsl-license";

/// The capture of the current row of a file, and the captures that its rows may belong to.
struct CurrentCapture<'c> {
    /// `None` before the first row.
    robots_id: Option<i64>,
    /// The `robots_id` of all rows of `robots_files` in the part, in ascending order; `None` if they
    /// cannot be read.
    captures: Option<&'c [i64]>,
    /// The path of the file in findings.
    name: &'c str,
}

/// Checks the rows of one table of a part. `captures` are the `robots_id` of all rows of `robots_files`
/// in the part, in ascending order; `None` if they cannot be read.
pub(super) fn check(
    file: &ReadableFile,
    captures: Option<&[i64]>,
    findings: &mut Findings,
) -> Result<(), Error> {
    let capture = CurrentCapture {
        robots_id: None,
        captures,
        name: &file.name,
    };
    match file.table {
        _ if file.table == Table::VERDICTS => check_agents(file, capture, findings),
        _ if file.table == Table::FILE_PREFERENCES => check_preferences(file, capture, findings),
        _ => check_lines(file, capture, findings),
    }
}

/// Checks that each capture has at most one row per agent.
fn check_agents(
    file: &ReadableFile,
    mut capture: CurrentCapture<'_>,
    findings: &mut Findings,
) -> Result<(), Error> {
    let mut rows = file.open_rows::<VerdictKey>()?;
    let mut agents = HashSet::new();
    while let Some(row) = rows.next_row()? {
        let id = row.columns.robots_id.value(row.index);
        if capture.advance_to(id, row.number, findings) {
            agents.clear();
        }
        let agent = row.columns.agent.value(row.index);
        if !agents.insert(key_hash(&[agent])) {
            let why = format_args!("robots_id {id} has the agent `{agent}` before");
            capture.add_finding(FindingKind::Twice, row.number, why, findings);
        }
    }
    Ok(())
}

/// Checks that each capture has at most one row per agent, mechanism and category, except for
/// [`LICENSE`].
fn check_preferences(
    file: &ReadableFile,
    mut capture: CurrentCapture<'_>,
    findings: &mut Findings,
) -> Result<(), Error> {
    let mut rows = file.open_rows::<PreferenceKey>()?;
    let mut keys = HashSet::new();
    while let Some(row) = rows.next_row()? {
        let id = row.columns.robots_id.value(row.index);
        if capture.advance_to(id, row.number, findings) {
            keys.clear();
        }
        let columns = [
            &row.columns.agent,
            &row.columns.mechanism,
            &row.columns.category,
        ];
        let key = columns.map(|column| column.value(row.index));
        if key[1] != LICENSE && !keys.insert(key_hash(&key)) {
            let [agent, mechanism, category] = key;
            let why = format_args!(
                "robots_id {id} has the preference `{agent} {mechanism} {category}` before"
            );
            capture.add_finding(FindingKind::Twice, row.number, why, findings);
        }
    }
    Ok(())
}

/// Returns a hash of the texts of a key. Hashes are held instead of the texts, which may be many and long.
fn key_hash(texts: &[&str]) -> u128 {
    let hashes = texts
        .iter()
        .map(|text| xxh3_128_with_seed(text.as_bytes(), *HASH_SEED));
    let bytes: Vec<u8> = hashes.flat_map(u128::to_le_bytes).collect();
    xxh3_128_with_seed(&bytes, *HASH_SEED)
}

/// Checks that line numbers ascend within each capture, and that none is repeated in the tables of
/// [`ONE_ROW_PER_LINE`].
fn check_lines(
    file: &ReadableFile,
    mut capture: CurrentCapture<'_>,
    findings: &mut Findings,
) -> Result<(), Error> {
    let mut rows = file.open_rows::<LineKey>()?;
    let mut last_line = 0;
    while let Some(row) = rows.next_row()? {
        let id = row.columns.robots_id.value(row.index);
        if capture.advance_to(id, row.number, findings) {
            last_line = 0;
        }
        // Rows without a line number sort before all others, so they count as line 0.
        let line = value(&row.columns.line_no, row.index).unwrap_or(0);
        let is_repeated = line == last_line && ONE_ROW_PER_LINE.contains(&file.table);
        if line < last_line || is_repeated {
            let why = format_args!("line {line} of robots_id {id} comes after {last_line}");
            capture.add_finding(FindingKind::Order, row.number, why, findings);
        }
        last_line = line;
    }
    Ok(())
}

impl CurrentCapture<'_> {
    /// Makes the capture `id` of a row the current one. Returns false if the previous row has the same
    /// capture. Otherwise checks that the capture exists and sorts after the previous one.
    fn advance_to(&mut self, id: i64, row: u64, findings: &mut Findings) -> bool {
        let previous_id = self.robots_id.replace(id);
        if previous_id == Some(id) {
            return false;
        }
        if previous_id.is_some_and(|last| id < last) {
            let why = format_args!("robots_id {id} comes after captures that follow it");
            self.add_finding(FindingKind::Order, row, why, findings);
        }
        let is_missing = |captures: &[i64]| captures.binary_search(&id).is_err();
        if self.captures.is_some_and(is_missing) {
            let why = format_args!("robots_id {id} is not in robots_files of its part");
            self.add_finding(FindingKind::Orphan, row, why, findings);
        }
        true
    }

    /// Adds a finding about a row, whose number is counted from 1.
    fn add_finding(
        &self,
        kind: FindingKind,
        row: u64,
        why: fmt::Arguments<'_>,
        findings: &mut Findings,
    ) {
        findings.add(kind, self.name, format_args!("row {row}: {why}"));
    }
}

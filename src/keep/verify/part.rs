//! Checks one part: the keys of its captures, and that its tables agree with each other.

use super::child_rows;
use super::file::{error_cause, one_line_message};
use super::readable_file::ReadableFile;
use super::{FindingKind, Findings};
use dataset::stored_columns;
use disk::error::Error;
use rayon::prelude::*;
use tables::Table;

stored_columns! {
    struct CaptureKey of Table::ROBOTS_FILES {
        robots_id: Long,
    }
}

/// The result of checking a part.
#[derive(Debug, Default)]
pub(super) struct PartCheck {
    /// The `robots_id` of its captures, in the order of rows.
    pub(super) robots_ids: Vec<i64>,
    pub(super) findings: Findings,
}

/// Checks a part. `files` are the readable ones among its files, at most one per table.
pub(super) fn check(files: &[ReadableFile]) -> PartCheck {
    let mut findings = Findings::default();
    let file = |table: Table| files.iter().find(|file| file.table == table);
    let mut robots_ids = None;
    if let Some(file) = file(Table::ROBOTS_FILES) {
        match check_captures(file, &mut findings) {
            Ok(ids) => robots_ids = Some(ids),
            Err(error) => add_unreadable(&file.name, &error, &mut findings),
        }
    }
    let mut sorted_ids = robots_ids.clone();
    if let Some(ids) = &mut sorted_ids {
        ids.sort_unstable();
    }
    let tables: Vec<&ReadableFile> = Table::FROM_RECORDS
        .into_iter()
        .filter(|table| table.belongs_to_captures())
        .filter_map(file)
        .collect();
    let table_checks = tables.into_par_iter().map(|file| {
        let mut findings = Findings::default();
        let name = &file.name;
        let checked = child_rows::check(file, sorted_ids.as_deref(), &mut findings);
        if let Err(error) = checked {
            add_unreadable(name, &error, &mut findings);
        }
        findings
    });
    for table_findings in table_checks.collect::<Vec<_>>() {
        findings.append(table_findings);
    }
    PartCheck {
        robots_ids: robots_ids.unwrap_or_default(),
        findings,
    }
}

/// Checks that the keys of `robots_files` ascend, and returns them in the order of rows.
fn check_captures(file: &ReadableFile, findings: &mut Findings) -> Result<Vec<i64>, Error> {
    let mut rows = file.open_rows::<CaptureKey>()?;
    let mut robots_ids = Vec::new();
    while let Some(row) = rows.next_row()? {
        let id = row.columns.robots_id.value(row.index);
        if let Some(last) = robots_ids.last().filter(|last| id <= **last) {
            findings.add(
                FindingKind::Order,
                &file.name,
                format_args!("row {}: robots_id is {id}, after {last}", row.number),
            );
        }
        robots_ids.push(id);
    }
    Ok(robots_ids)
}

fn add_unreadable(name: &str, error: &Error, findings: &mut Findings) {
    let why = one_line_message(error_cause(error));
    findings.add(
        FindingKind::Unreadable,
        name,
        format_args!("its rows cannot be read: {why}"),
    );
}

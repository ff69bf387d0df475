//! Compares the tables of one part with each other.

use super::{FindingKind, Findings};
use super::{captures, child_rows};
use dataset::tables::Table;
use rayon::prelude::*;
use std::path::PathBuf;

/// The result of checking a part.
#[derive(Debug, Default)]
pub(super) struct PartCheck {
    /// The keys of its captures.
    pub(super) robots_ids: Vec<i64>,
    pub(super) findings: Findings,
}

/// A file of a part whose rows can be read.
#[derive(Clone, Debug)]
pub(super) struct ReadableFile {
    pub(super) table: Table,
    pub(super) path: PathBuf,
    /// The path in findings.
    pub(super) name: String,
}

/// Checks a part. Only its readable files are compared.
pub(super) fn check(files: &[ReadableFile]) -> PartCheck {
    let mut findings = Findings::default();
    let file = |table: Table| files.iter().find(|file| file.table == table);
    let mut robots_ids = None;
    if let Some(file) = file(Table::RobotsFiles) {
        match captures::check(&file.path, &file.name, &mut findings) {
            Ok(ids) => robots_ids = Some(ids),
            Err(error) => add_unreadable(&file.name, &error, &mut findings),
        }
    }
    let mut sorted = robots_ids.clone();
    if let Some(ids) = &mut sorted {
        ids.sort_unstable();
    }
    let tables: Vec<&ReadableFile> = child_rows::TABLES.into_iter().filter_map(file).collect();
    let of_tables = tables.into_par_iter().map(|file| {
        let mut findings = Findings::default();
        let (path, name) = (&file.path, &file.name);
        let checked = child_rows::check(file.table, path, name, sorted.as_deref(), &mut findings);
        if let Err(error) = checked {
            add_unreadable(name, &error, &mut findings);
        }
        findings
    });
    for of_table in of_tables.collect::<Vec<_>>() {
        findings.append(of_table);
    }
    PartCheck {
        robots_ids: robots_ids.unwrap_or_default(),
        findings,
    }
}

fn add_unreadable(name: &str, error: &str, findings: &mut Findings) {
    findings.add(
        FindingKind::Unreadable,
        name,
        format_args!("its rows cannot be read: {error}"),
    );
}

//! Compares the tables of one part with each other and with the manifest.

use super::captures::{self, Archives, CaptureIndex, FaultLocations, is_outside};
use super::child_rows;
use super::row_cursor::RowCursor;
use super::{FindingKind, Findings};
use crate::dataset::{DatasetOptions, Manifest, PartEntry};
use crate::tables::Table;
use rayon::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
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
    pub(super) rows: u64,
    pub(super) path: PathBuf,
    /// The path in findings.
    pub(super) name: String,
}

/// Checks a part. Only its readable files are compared.
pub(super) fn check(manifest: &Manifest, part: &PartEntry, files: &[ReadableFile]) -> PartCheck {
    let mut findings = Findings::default();
    check_row_counts(part, files, &mut findings);
    let file = |table: Table| files.iter().find(|file| file.table == table);
    let archives = manifest.archives(part);
    let mut fault_locations = None;
    if let Some(file) = file(Table::Faults) {
        match check_faults(file, archives.as_ref(), &mut findings) {
            Ok(locations) => fault_locations = Some(locations),
            Err(error) => add_unreadable(&file.name, &error, &mut findings),
        }
    }
    let mut captures = None;
    if let Some(file) = file(Table::RobotsFiles) {
        let (archives, faults) = (archives.as_ref(), fault_locations.as_ref());
        match captures::check(&file.path, &file.name, archives, faults, &mut findings) {
            Ok(index) => captures = Some((file.path.as_path(), index)),
            Err(error) => add_unreadable(&file.name, &error, &mut findings),
        }
    }
    let parents = captures.as_ref().map(|(path, index)| (*path, index));
    let tables: Vec<&ReadableFile> = child_rows::TABLES.into_iter().filter_map(file).collect();
    let of_tables = tables.into_par_iter().map(|file| {
        let mut findings = Findings::default();
        let (path, name) = (&file.path, &file.name);
        if let Err(error) = child_rows::check(file.table, path, name, parents, &mut findings) {
            add_unreadable(name, &error, &mut findings);
        }
        findings
    });
    for of_table in of_tables.collect::<Vec<_>>() {
        findings.append(of_table);
    }
    if let Some(file) = file(Table::Runs)
        && let Err(error) = check_runs(file, manifest, part, &mut findings)
    {
        add_unreadable(&file.name, &error, &mut findings);
    }
    let robots_ids = captures.map(|(_, CaptureIndex { robots_ids, .. })| robots_ids);
    PartCheck {
        robots_ids: robots_ids.unwrap_or_default(),
        findings,
    }
}

/// Compares the rows of tables with the line of the part in the manifest.
fn check_row_counts(part: &PartEntry, files: &[ReadableFile], findings: &mut Findings) {
    for (table, want) in [
        (Table::RobotsFiles, part.captures),
        (Table::Faults, part.faults),
        (Table::Runs, 1),
    ] {
        let file = files.iter().find(|file| file.table == table);
        if let Some(file) = file.filter(|file| file.rows != want) {
            let (number, is) = (part.number, file.rows);
            findings.add(
                FindingKind::Rows,
                &file.name,
                format_args!("it has {is} rows, but the manifest states {want} for part {number}"),
            );
        }
    }
}

fn add_unreadable(name: &str, error: &str, findings: &mut Findings) {
    findings.add(
        FindingKind::Unreadable,
        name,
        format_args!("its rows cannot be read: {error}"),
    );
}

/// Checks that faults are within the archives of their part, and returns their
/// locations.
fn check_faults(
    file: &ReadableFile,
    archives: Option<&Archives<'_>>,
    findings: &mut Findings,
) -> Result<FaultLocations, String> {
    let columns = ["warc_filename", "warc_record_offset", "bytes_skipped"];
    let mut rows = RowCursor::open(&file.path, &columns)?;
    let mut locations = FaultLocations::new();
    while rows.next()? {
        let archive = rows.text(0).unwrap_or_default();
        let offset = rows.i64(1).unwrap_or_default();
        let skipped = rows.i64(2).unwrap_or_default();
        if !locations.contains_key(archive) {
            locations.insert(archive.to_owned(), BTreeMap::new());
        }
        if let Some(offsets) = locations.get_mut(archive) {
            *offsets.entry(offset).or_default() |= skipped > 0;
        }
        let size = match archives.map(|archives| archives.get(archive)) {
            Some(Some(input)) => input.bytes,
            Some(None) => {
                let row = rows.row_number();
                findings.add(
                    FindingKind::Fault,
                    &file.name,
                    format_args!("row {row}: {archive} is not an input of its part"),
                );
                continue;
            }
            None => None,
        };
        if is_outside(offset, skipped, size) {
            let row = rows.row_number();
            findings.add(
                FindingKind::Fault,
                &file.name,
                format_args!(
                    "row {row}: {skipped} bytes from {offset} on are not within {archive}"
                ),
            );
        }
    }
    Ok(locations)
}

/// Checks that the row of `runs` agrees with the manifest.
fn check_runs(
    file: &ReadableFile,
    manifest: &Manifest,
    part: &PartEntry,
    findings: &mut Findings,
) -> Result<(), String> {
    const NUMBERS: [&str; 6] = [
        "part",
        "inputs",
        "input_bytes",
        "records",
        "captures",
        "faults",
    ];
    const TEXTS: [&str; 4] = ["version", "options", "psl_version", "agents_version"];
    let mut rows = RowCursor::open(&file.path, &[&NUMBERS[..], &TEXTS].concat())?;
    let inputs = manifest.inputs.get(part.inputs.clone());
    // The size of a stream is not in the manifest.
    let bytes =
        inputs.and_then(|inputs| inputs.iter().map(|input| input.bytes).sum::<Option<u64>>());
    let number = |number: u64| Some(Some(number));
    let wanted: [Option<Option<u64>>; NUMBERS.len()] = [
        number(part.number.into()),
        number(part.inputs.len() as u64),
        bytes.map(Some),
        number(part.records),
        number(part.captures),
        number(part.faults),
    ];
    while rows.next()? {
        for (i, (column, want)) in NUMBERS.iter().zip(&wanted).enumerate() {
            let is = rows.i64(i).or(rows.i32(i).map(i64::from));
            if let Some(want) = want.filter(|want| want.map(i128::from) != is.map(i128::from)) {
                let show = |number: Option<i128>| {
                    number.map_or("null".to_owned(), |number| number.to_string())
                };
                let (is, want) = (show(is.map(i128::from)), show(want.map(i128::from)));
                add_difference(file, column, &is, &want, findings);
            }
        }
        let text = |i: usize| rows.text(NUMBERS.len() + i).unwrap_or_default();
        if let Some(want) = manifest.version.as_deref().filter(|want| *want != text(0)) {
            add_difference(file, TEXTS[0], text(0), want, findings);
        }
        if let Some(DatasetOptions {
            rows: options,
            psl,
            agents,
            ..
        }) = &manifest.options
        {
            let is: Option<Value> = serde_json::from_str(text(1)).ok();
            if is.as_ref() != Some(options) {
                add_difference(file, TEXTS[1], text(1), &options.to_string(), findings);
            }
            for (i, want) in [(2, psl), (3, agents)] {
                if text(i) != want {
                    add_difference(file, TEXTS[i], text(i), want, findings);
                }
            }
        }
    }
    Ok(())
}

fn add_difference(
    file: &ReadableFile,
    column: &str,
    is: &str,
    want: &str,
    findings: &mut Findings,
) {
    findings.add(
        FindingKind::Runs,
        &file.name,
        format_args!("`{column}` is {is}, but the manifest states {want}"),
    );
}

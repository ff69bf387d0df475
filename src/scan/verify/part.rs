//! One part: its tables against each other, and against the manifest.

use super::captures::{self, Captures, FaultPlaces, outside};
use super::lines;
use super::rows::Rows;
use super::{Findings, Kind};
use crate::dataset::{DatasetOptions, Manifest, PartEntry};
use crate::tables::Table;
use rayon::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a part came to.
#[derive(Debug, Default)]
pub(super) struct Checked {
    /// The keys of its captures.
    pub(super) ids: Vec<i64>,
    pub(super) findings: Findings,
}

/// A file of a part that can be read, and its rows.
#[derive(Clone, Debug)]
pub(super) struct Sound {
    pub(super) table: Table,
    pub(super) rows: u64,
    pub(super) path: PathBuf,
    /// The path as findings have it.
    pub(super) name: String,
}

/// Checks a part by those of its files that can be read.
pub(super) fn check(manifest: &Manifest, part: &PartEntry, files: &[Sound]) -> Checked {
    let mut findings = Findings::default();
    let file = |table: Table| files.iter().find(|file| file.table == table);
    let archives = manifest.archives(part);
    for (table, want) in [
        (Table::RobotsFiles, part.captures),
        (Table::Faults, part.faults),
        (Table::Runs, 1),
    ] {
        if let Some(file) = file(table).filter(|file| file.rows != want) {
            let (no, is) = (part.number, file.rows);
            findings.add(
                Kind::Rows,
                &file.name,
                format_args!("it has {is} rows, and should have {want} by the line of part {no}"),
            );
        }
    }
    let mut places = None;
    if let Some(file) = file(Table::Faults) {
        match faults(file, archives.as_ref(), &mut findings) {
            Ok(read) => places = Some(read),
            Err(error) => unreadable(&file.name, &error, &mut findings),
        }
    }
    let mut captures = None;
    if let Some(file) = file(Table::RobotsFiles) {
        let (archives, places) = (archives.as_ref(), places.as_ref());
        match captures::check(&file.path, &file.name, archives, places, &mut findings) {
            Ok(read) => captures = Some((file.path.as_path(), read)),
            Err(error) => unreadable(&file.name, &error, &mut findings),
        }
    }
    let beside = captures.as_ref().map(|(path, read)| (*path, read));
    let tables: Vec<&Sound> = lines::TABLES.into_iter().filter_map(file).collect();
    let walked = tables.into_par_iter().map(|file| {
        let mut findings = Findings::default();
        let (path, name) = (&file.path, &file.name);
        if let Err(error) = lines::check(file.table, path, name, beside, &mut findings) {
            unreadable(name, &error, &mut findings);
        }
        findings
    });
    for found in walked.collect::<Vec<_>>() {
        findings.append(found);
    }
    if let Some(file) = file(Table::Runs)
        && let Err(error) = runs(file, manifest, part, &mut findings)
    {
        unreadable(&file.name, &error, &mut findings);
    }
    let ids = captures.map(|(_, Captures { ids, .. })| ids);
    Checked {
        ids: ids.unwrap_or_default(),
        findings,
    }
}

fn unreadable(name: &str, error: &str, findings: &mut Findings) {
    findings.add(
        Kind::Unreadable,
        name,
        format_args!("its rows cannot be read: {error}"),
    );
}

/// Checks that faults lie within the archives of their part, and returns where they lie.
fn faults(
    file: &Sound,
    archives: Option<&BTreeMap<&str, Option<u64>>>,
    findings: &mut Findings,
) -> Result<FaultPlaces, String> {
    let columns = ["warc_filename", "warc_record_offset", "bytes_skipped"];
    let mut rows = Rows::open(&file.path, &columns)?;
    let mut places = FaultPlaces::new();
    while rows.next()? {
        let archive = rows.text(0).unwrap_or_default();
        let (offset, skipped) = (
            rows.long(1).unwrap_or_default(),
            rows.long(2).unwrap_or_default(),
        );
        if !places.contains_key(archive) {
            places.insert(archive.to_owned(), BTreeMap::new());
        }
        if let Some(offsets) = places.get_mut(archive) {
            *offsets.entry(offset).or_default() |= skipped > 0;
        }
        let size = match archives.map(|archives| archives.get(archive)) {
            Some(Some(size)) => *size,
            Some(None) => {
                let no = rows.no();
                findings.add(
                    Kind::Fault,
                    &file.name,
                    format_args!("row {no}: {archive} is no input of its part"),
                );
                continue;
            }
            None => None,
        };
        if outside(offset, skipped, size) {
            let no = rows.no();
            findings.add(
                Kind::Fault,
                &file.name,
                format_args!("row {no}: {skipped} bytes from {offset} on lie not within {archive}"),
            );
        }
    }
    Ok(places)
}

/// Checks that the row of `runs` says what the manifest says.
fn runs(
    file: &Sound,
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
    let mut rows = Rows::open(&file.path, &[&NUMBERS[..], &TEXTS].concat())?;
    let inputs = manifest.inputs.get(part.inputs.clone());
    // The size of a stream is known only to the run.
    let bytes = inputs.and_then(|it| it.iter().map(|input| input.bytes).sum::<Option<u64>>());
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
        for (at, (column, want)) in NUMBERS.iter().zip(&wanted).enumerate() {
            let is = rows.long(at).or(rows.int(at).map(i64::from));
            if let Some(want) = want.filter(|want| want.map(i128::from) != is.map(i128::from)) {
                let show = |it: Option<i128>| it.map_or("null".to_owned(), |it| it.to_string());
                let (is, want) = (show(is.map(i128::from)), show(want.map(i128::from)));
                differs(file, column, &is, &want, findings);
            }
        }
        let text = |at: usize| rows.text(NUMBERS.len() + at).unwrap_or_default();
        if let Some(want) = manifest.version.as_deref().filter(|want| *want != text(0)) {
            differs(file, TEXTS[0], text(0), want, findings);
        }
        if let Some(DatasetOptions {
            rows: options,
            psl,
            agents,
            ..
        }) = &manifest.settings
        {
            let is: Option<Value> = serde_json::from_str(text(1)).ok();
            if is.as_ref() != Some(options) {
                differs(file, TEXTS[1], text(1), &options.to_string(), findings);
            }
            for (at, want) in [(2, psl), (3, agents)] {
                if text(at) != want {
                    differs(file, TEXTS[at], text(at), want, findings);
                }
            }
        }
    }
    Ok(())
}

fn differs(file: &Sound, column: &str, is: &str, want: &str, findings: &mut Findings) {
    findings.add(
        Kind::Runs,
        &file.name,
        format_args!("`{column}` is {is}, and by the manifest {want}"),
    );
}

//! One file: its size and digest, its footer and columns, all its pages.
//!
//! A file whose digest differs is not decoded: what is wrong with it is known,
//! and what a reader would make of it is not.

use super::{Findings, Kind, Progress};
use crate::dataset::FileStats;
use crate::tables::Table;
use arrow_schema::Schema;
use parquet::arrow::ArrowSchemaConverter;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use xxhash_rust::xxh3::Xxh3;

/// Rows that are decoded at once.
const BATCH_ROWS: usize = 1024;

/// Bytes that are read at once.
const BUFFER_BYTES: usize = 256 << 10;

/// What a file should be.
#[derive(Debug)]
pub(super) struct Wanted<'a> {
    pub(super) table: Table,
    pub(super) schema: &'a Schema,
    /// Its size, digest and rows, where they are known.
    pub(super) is: Option<&'a FileStats>,
}

/// What a file is, so far as it could be read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// Whether all its pages were decoded, and its columns are those of its table.
    pub(super) is_sound: bool,
    pub(super) rows: u64,
    pub(super) bytes: u64,
}

/// Checks a file, if it could be opened. Findings have its `name`.
pub(super) fn check(
    file: io::Result<File>,
    name: &str,
    wanted: &Wanted<'_>,
    progress: &Progress,
    findings: &mut Findings,
) -> Seen {
    let mut seen = Seen::default();
    let opened = file.and_then(|file| Ok((file.metadata()?.len(), file)));
    let file = match opened {
        Ok((bytes, file)) => {
            seen.bytes = bytes;
            file
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            findings.add(Kind::Missing, name, format_args!("it is not there"));
            return seen;
        }
        Err(error) => {
            unreadable(name, &error, findings);
            return seen;
        }
    };
    if let Some(is) = wanted.is {
        let bytes = seen.bytes;
        if bytes != is.bytes {
            let want = is.bytes;
            findings.add(
                Kind::Size,
                name,
                format_args!("it has {bytes} bytes, and had {want} when it was written"),
            );
            return seen;
        }
        match digest(&file, progress) {
            Ok(digest) if digest == is.digest => {}
            Ok(digest) => {
                let want = &is.digest;
                findings.add(
                    Kind::Digest,
                    name,
                    format_args!(
                        "its XXH3-64 is {digest}, and was {want} when it was written: it is damaged or changed"
                    ),
                );
                return seen;
            }
            Err(error) => {
                unreadable(name, &error, findings);
                return seen;
            }
        }
    } else {
        progress.bytes.fetch_add(seen.bytes, Ordering::Relaxed);
    }
    // Of bytes that nothing vouches for, no reader promises that it will not panic.
    let decoded = catch_unwind(AssertUnwindSafe(|| {
        decode(file, name, wanted, &mut seen, findings)
    }));
    if decoded.is_err() {
        seen.is_sound = false;
        findings.add(
            Kind::Pages,
            name,
            format_args!("it cannot be decoded: the reader gave up"),
        );
    }
    seen
}

fn unreadable(name: &str, error: &io::Error, findings: &mut Findings) {
    findings.add(
        Kind::Unreadable,
        name,
        format_args!("it cannot be read: {error}"),
    );
}

/// The XXH3-64 of a file, in hex.
fn digest(mut file: &File, progress: &Progress) -> io::Result<String> {
    let mut hash = Xxh3::new();
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(format!("{:016x}", hash.digest())),
            Ok(count) => {
                hash.update(&buffer[..count]);
                progress.bytes.fetch_add(count as u64, Ordering::Relaxed);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Reads the footer and all pages.
fn decode(file: File, name: &str, wanted: &Wanted<'_>, seen: &mut Seen, findings: &mut Findings) {
    let metadata = match ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()) {
        Ok(metadata) => metadata,
        Err(error) => {
            findings.add(
                Kind::Footer,
                name,
                format_args!("its footer cannot be read: {}", words(&error)),
            );
            return;
        }
    };
    check_maker(&metadata, name, wanted.table, findings);
    let difference = difference(&metadata, wanted.schema);
    if let Some(difference) = &difference {
        findings.add(Kind::Columns, name, format_args!("{difference}"));
    }
    let said = metadata.metadata().file_metadata().num_rows();
    match rows(file, &metadata) {
        Ok(rows) => {
            seen.rows = rows;
            seen.is_sound = difference.is_none();
            if i64::try_from(rows) != Ok(said) {
                findings.add(
                    Kind::Rows,
                    name,
                    format_args!("it has {rows} rows, and its footer says {said}"),
                );
            }
            if let Some(want) = wanted.is.map(|is| is.rows).filter(|want| *want != rows) {
                findings.add(
                    Kind::Rows,
                    name,
                    format_args!("it has {rows} rows, and the manifest says {want}"),
                );
            }
        }
        Err((group, error)) => findings.add(
            Kind::Pages,
            name,
            format_args!("row group {group} cannot be decoded: {error}"),
        ),
    }
}

fn check_maker(metadata: &ArrowReaderMetadata, name: &str, table: Table, findings: &mut Findings) {
    let file = metadata.metadata().file_metadata();
    let maker = file.created_by().unwrap_or("nobody");
    if !maker.starts_with("robots-scan ") {
        findings.add(
            Kind::Maker,
            name,
            format_args!("it was made by {maker}, not by robots-scan"),
        );
    }
    if table_name(metadata) != Some(table.name()) {
        findings.add(
            Kind::Maker,
            name,
            format_args!(
                "its footer does not say that it is of the table `{}`",
                table.name()
            ),
        );
    }
}

/// The table that a file says it is of.
pub(super) fn table_name(metadata: &ArrowReaderMetadata) -> Option<&str> {
    let notes = metadata.metadata().file_metadata().key_value_metadata()?;
    let note = notes.iter().find(|note| note.key == "robots_scan.table")?;
    note.value.as_deref()
}

/// The first difference between the columns that a file has and those that it should.
fn difference(metadata: &ArrowReaderMetadata, schema: &Schema) -> Option<String> {
    let fields = metadata.schema().fields();
    for (at, want) in schema.fields().iter().enumerate() {
        let Some(field) = fields.get(at) else {
            return Some(format!("it has no column `{}`", want.name()));
        };
        if field.name() != want.name() {
            let (is, want) = (field.name(), want.name());
            return Some(format!("it has a column `{is}` where `{want}` should be"));
        }
        let show = |field: &arrow_schema::Field| {
            let null = if field.is_nullable() { "" } else { " NOT NULL" };
            format!("{}{null}", field.data_type())
        };
        if field.data_type() != want.data_type() || field.is_nullable() != want.is_nullable() {
            let (name, is, want) = (field.name(), show(field), show(want));
            return Some(format!("its column `{name}` is {is}, and should be {want}"));
        }
    }
    if let Some(more) = fields.get(schema.fields().len()) {
        return Some(format!("it has a column `{}` too many", more.name()));
    }
    // What Arrow takes for the same may be stored otherwise.
    let stored = ArrowSchemaConverter::new().convert(schema);
    let is_stored_so = stored.is_ok_and(|stored| {
        let is = metadata.metadata().file_metadata().schema_descr();
        is.num_columns() == stored.num_columns()
            && is.columns().iter().zip(stored.columns()).all(|(is, want)| {
                is.physical_type() == want.physical_type()
                    && is.logical_type_ref() == want.logical_type_ref()
                    && is.max_def_level() == want.max_def_level()
            })
    });
    (!is_stored_so).then(|| "its columns are stored as other types".to_owned())
}

/// Decodes every page of every column and counts the rows; else gives the row
/// group that could not be decoded.
fn rows(file: File, metadata: &ArrowReaderMetadata) -> Result<u64, (usize, String)> {
    let mut rows = 0;
    for group in 0..metadata.metadata().num_row_groups() {
        let failed = |error: &dyn std::error::Error| (group, words(error));
        // Group by group, as a batch over several could hold many large texts.
        let file = file.try_clone().map_err(|error| failed(&error))?;
        let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone())
            .with_row_groups(vec![group])
            .with_batch_size(BATCH_ROWS)
            .build()
            .map_err(|error: ParquetError| failed(&error))?;
        let before = rows;
        for batch in reader {
            rows += batch.map_err(|error| failed(&error))?.num_rows() as u64;
        }
        let said = metadata.metadata().row_group(group).num_rows();
        if i64::try_from(rows - before) != Ok(said) {
            let is = rows - before;
            return Err((
                group,
                format!("it has {is} rows, and is said to have {said}"),
            ));
        }
    }
    Ok(rows)
}

/// An error in one line.
pub(super) fn words(error: &dyn std::error::Error) -> String {
    error.to_string().replace(['\n', '\r'], " ")
}

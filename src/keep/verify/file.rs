//! Checks one file: size, digest, footer and columns.
//!
//! A file whose digest differs from that in the manifest is not decoded, because the Parquet reader could
//! only report consequences of the same damage. Pages are decoded only if the manifest has no digest of
//! the file.

use super::{FindingKind, Findings, VerifyProgress};
use arrow_schema::Schema;
use dataset::{FileStats, PartLocation, digest_of, open_part_file};
use errors::Error;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet_limits::OpenedFile;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use xxhash_rust::xxh3::Xxh3;

/// The maximum number of rows that are decoded at a time.
const BATCH_ROWS: usize = 1024;

/// The number of bytes that are read at a time to compute the digest.
const BUFFER_BYTES: usize = 256 << 10;

/// The expected properties of a file.
#[derive(Debug)]
pub(super) struct ExpectedFile<'a> {
    /// Its columns.
    pub(super) schema: &'a Schema,
    /// Its size, digest and number of rows; `None` if they are not known.
    pub(super) stats: Option<&'a FileStats>,
    /// The bytes of each part, if the file combines the files of parts; otherwise empty.
    pub(super) parts: &'a [PartBytes<'a>],
}

/// The row groups of one part in a combined file: their byte range and their XXH3-64 in hexadecimal.
#[derive(Debug)]
pub(super) struct PartBytes<'m> {
    part: u32,
    offset: u64,
    bytes: u64,
    digest: &'m str,
}

impl<'m> PartBytes<'m> {
    pub(super) fn from_location(location: &'m PartLocation<'m>) -> Self {
        Self {
            part: location.part.number,
            offset: location.offset,
            bytes: location.table.bytes,
            digest: &location.table.digest,
        }
    }
}

/// The result of checking a file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FileCheck {
    /// True if the columns are those of the table, and either the digest is that of the manifest or
    /// all pages were decoded.
    pub(super) is_sound: bool,
    pub(super) rows: u64,
    pub(super) bytes: u64,
}

/// Checks a file. If `file` is an error, adds a finding that the file is missing or unreadable. `name` is
/// the path of the file in findings.
pub(super) fn check(
    file: io::Result<File>,
    name: &str,
    expected: &ExpectedFile<'_>,
    progress: &VerifyProgress,
    findings: &mut Findings,
) -> FileCheck {
    let mut check = FileCheck::default();
    let opened = file.and_then(|file| Ok((file.metadata()?.len(), file)));
    let file = match opened {
        Ok((bytes, file)) => {
            check.bytes = bytes;
            file
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            findings.add(FindingKind::Missing, name, format_args!("it is missing"));
            return check;
        }
        Err(error) => {
            add_unreadable(name, &error, findings);
            return check;
        }
    };
    match expected.stats {
        Some(stats)
            if !check_size_and_digest(
                &file,
                check.bytes,
                stats,
                expected.parts,
                name,
                progress,
                findings,
            ) =>
        {
            return check;
        }
        Some(_) => {}
        None => {
            progress.bytes.fetch_add(check.bytes, Ordering::Relaxed);
        }
    }
    // The Parquet reader may panic on damaged bytes, which are not detected before if no digest is known.
    let decoded = catch_unwind(AssertUnwindSafe(|| {
        check_contents(file, name, expected, &mut check, progress, findings);
    }));
    if decoded.is_err() {
        check.is_sound = false;
        findings.add(
            FindingKind::Pages,
            name,
            format_args!("it cannot be decoded: the reader gave up"),
        );
    }
    check
}

/// Compares the size and the digest of a file with those in the manifest. Returns true if both are
/// equal.
fn check_size_and_digest(
    file: &File,
    bytes: u64,
    stats: &FileStats,
    parts: &[PartBytes<'_>],
    name: &str,
    progress: &VerifyProgress,
    findings: &mut Findings,
) -> bool {
    let expected_bytes = stats.bytes;
    if bytes != expected_bytes {
        findings.add(
            FindingKind::Size,
            name,
            format_args!("it has {bytes} bytes, and had {expected_bytes} when it was written"),
        );
        return false;
    }
    match compute_digest(file, progress) {
        Ok(digest) if digest == stats.digest => true,
        Ok(digest) => {
            let expected = &stats.digest;
            findings.add(
                FindingKind::Digest,
                name,
                format_args!(
                    "its XXH3-64 is {digest}, and was {expected} when it was written: it is damaged or changed{}",
                    describe_damaged_parts(file, parts)
                ),
            );
            false
        }
        Err(error) => {
            add_unreadable(name, &error, findings);
            false
        }
    }
}

/// Returns the end of the message on a damaged file: the numbers of the parts whose bytes differ, or the
/// footer if none does. Empty unless the file has several parts.
fn describe_damaged_parts(file: &File, parts: &[PartBytes<'_>]) -> String {
    if parts.len() < 2 {
        return String::new();
    }
    let is_damaged = |part: &&PartBytes<'_>| {
        let digest = digest_of(file, part.offset, part.bytes);
        digest.is_err() || digest.is_ok_and(|digest| digest != part.digest)
    };
    let damaged = parts.iter().filter(is_damaged);
    let numbers: Vec<String> = damaged.map(|part| part.part.to_string()).collect();
    if numbers.is_empty() {
        " in its footer".to_owned()
    } else {
        format!(" in part {}", numbers.join(", "))
    }
}

fn add_unreadable(name: &str, error: &io::Error, findings: &mut Findings) {
    findings.add(
        FindingKind::Unreadable,
        name,
        format_args!("it cannot be read: {error}"),
    );
}

/// Reads a whole file, and returns its XXH3-64 in hexadecimal.
fn compute_digest(mut file: &File, progress: &VerifyProgress) -> io::Result<String> {
    let mut hash = Xxh3::new();
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        progress.check_stop()?;
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

/// Checks the footer and the columns, and decodes all pages if the digest is not known.
fn check_contents(
    file: File,
    name: &str,
    expected: &ExpectedFile<'_>,
    check: &mut FileCheck,
    progress: &VerifyProgress,
    findings: &mut Findings,
) {
    let part = match open_part_file(
        Path::new(name),
        file,
        Some(Arc::clone(progress.stop_flag())),
    ) {
        Ok(part) => part,
        Err(error) => {
            let error = error_cause(&error);
            findings.add(
                FindingKind::Footer,
                name,
                format_args!("its footer cannot be read: {}", one_line_message(error)),
            );
            return;
        }
    };
    let metadata = &part.metadata;
    let difference = describe_column_difference(metadata, expected.schema);
    if let Some(difference) = &difference {
        findings.add(FindingKind::Columns, name, format_args!("{difference}"));
    }
    let footer_rows = metadata.metadata().file_metadata().num_rows();
    let footer_rows = u64::try_from(footer_rows).unwrap_or_default();
    (check.rows, check.is_sound) = (footer_rows, difference.is_none());
    match expected.stats {
        Some(stats) if stats.rows != footer_rows => findings.add(
            FindingKind::Rows,
            name,
            format_args!(
                "it has {footer_rows} rows, but the manifest states {}",
                stats.rows
            ),
        ),
        Some(_) => {}
        None => match decode_and_count_rows(&part) {
            Ok(rows) if rows != footer_rows => findings.add(
                FindingKind::Rows,
                name,
                format_args!("it has {rows} rows, but its footer states {footer_rows}"),
            ),
            Ok(_) => {}
            Err(UnreadableRowGroup { index, error }) => {
                check.is_sound = false;
                findings.add(
                    FindingKind::Pages,
                    name,
                    format_args!("row group {index} cannot be decoded: {error}"),
                );
            }
        },
    }
}

/// Returns the name of the table, as the footer of a file states it.
pub(super) fn table_name(metadata: &ParquetMetaData) -> Option<&str> {
    let entries = metadata.file_metadata().key_value_metadata()?;
    let entry = entries
        .iter()
        .find(|entry| entry.key == "robots_scan.table")?;
    entry.value.as_deref()
}

/// Describes the first difference between the columns of a file and those of
/// its table.
fn describe_column_difference(metadata: &ArrowReaderMetadata, schema: &Schema) -> Option<String> {
    let fields = metadata.schema().fields();
    for (i, expected_field) in schema.fields().iter().enumerate() {
        let Some(field) = fields.get(i) else {
            return Some(format!("it has no column `{}`", expected_field.name()));
        };
        if field.name() != expected_field.name() {
            let (found, expected) = (field.name(), expected_field.name());
            return Some(format!(
                "it has a column `{found}` where `{expected}` should be"
            ));
        }
        let describe = |field: &arrow_schema::Field| {
            let null = if field.is_nullable() { "" } else { " NOT NULL" };
            format!("{}{null}", field.data_type())
        };
        if field.data_type() != expected_field.data_type()
            || field.is_nullable() != expected_field.is_nullable()
        {
            let (name, found, expected) = (field.name(), describe(field), describe(expected_field));
            return Some(format!(
                "its column `{name}` is {found}, and should be {expected}"
            ));
        }
    }
    if let Some(more) = fields.get(schema.fields().len()) {
        return Some(format!("it has an extra column `{}`", more.name()));
    }
    None
}

/// A row group that cannot be decoded.
struct UnreadableRowGroup {
    index: usize,
    error: String,
}

/// Decodes every page of every column, and returns the number of rows.
fn decode_and_count_rows(part: &OpenedFile) -> Result<u64, UnreadableRowGroup> {
    let mut rows = 0;
    let metadata = &part.metadata;
    let mut values = part.value_counter();
    for index in 0..metadata.metadata().num_row_groups() {
        let row_group_error = |error: ParquetError| UnreadableRowGroup {
            index,
            error: one_line_message(error_cause(&part.file.reader_error(Path::new(""), error))),
        };
        // Each row group has its own reader, because the number of rows in a batch is limited by the
        // size of the texts in the row group.
        let batch_rows = part.max_batch_rows(&[index], &ProjectionMask::all(), BATCH_ROWS);
        let batch_rows = batch_rows.map_err(row_group_error)?;
        let reader = part
            .reader_builder()
            .with_row_groups(vec![index])
            .with_batch_size(batch_rows)
            .build()
            .map_err(row_group_error)?;
        for batch in reader {
            let batch = batch.map_err(|error| row_group_error(error.into()))?;
            let checked = part.file.check_batch(&mut values, &batch);
            checked.map_err(row_group_error)?;
            rows += batch.num_rows() as u64;
        }
    }
    Ok(rows)
}

/// Returns the cause of an error, whose message lacks the path. A finding has the path in a field of its
/// own.
pub fn error_cause(error: &Error) -> &dyn std::error::Error {
    std::error::Error::source(error).unwrap_or(error)
}

/// Returns the message of an error with line breaks replaced by blanks.
pub fn one_line_message(error: &dyn std::error::Error) -> String {
    error.to_string().replace(['\n', '\r'], " ")
}

//! Verifies a table in a single file, without a manifest.

use super::file::{self, ExpectedFile, table_name};
use super::{Remedy, VerifyPhase, VerifyProgress, VerifyReport};
use dataset::OutputLayout;
use dataset::error::{DatasetDefect, DatasetErrorKind};
use errors::Error;
use parquet_limits::read_footer;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::Ordering;
use tables::Table;

/// The first bytes of a Parquet file.
const PARQUET_MAGIC: &[u8] = b"PAR1";

/// Checks the footer, columns and pages of a Parquet file, which are all that can be checked without a
/// manifest. `tables` are the tables that are recognized by the name in the footer.
pub(super) fn check(
    path: &Path,
    tables: &[Table],
    progress: &VerifyProgress,
) -> Result<VerifyReport, Error> {
    let refuse = |defect| Error::new(DatasetErrorKind::NotADataset(defect), path);
    let read_error = |error| Error::read(path, error);
    let file = disk::open_user_file(path).map_err(read_error)?;
    let mut head = Vec::new();
    let count = PARQUET_MAGIC.len() as u64;
    (&file)
        .take(count)
        .read_to_end(&mut head)
        .map_err(read_error)?;
    if head != PARQUET_MAGIC {
        return Err(refuse(DatasetDefect::other(
            "it is neither a folder nor a Parquet file",
        )));
    }
    let bytes = file.metadata().map_err(read_error)?.len();
    progress.bytes_total.store(bytes, Ordering::Relaxed);
    progress.begin_phase(VerifyPhase::Files);
    let footer = read_footer(&file).ok();
    let name = footer.as_ref().and_then(table_name);
    let table = tables
        .iter()
        .copied()
        .find(|table| name == Some(table.name()));
    // A file of an unknown table is compared with `robots_files`, and its columns are reported as wrong.
    let table = table.unwrap_or(Table::ROBOTS_FILES);
    let schema = OutputLayout::new_single_file(path, table)
        .file_schema(table)
        .arrow;
    let mut report = VerifyReport {
        is_single_file: true,
        ..VerifyReport::default()
    };
    let expected = ExpectedFile {
        schema: &schema,
        stats: None,
        parts: &[],
    };
    let name = path.to_string_lossy();
    let check = file::check(
        disk::open_user_file(path),
        &name,
        &expected,
        progress,
        &mut report.findings,
    );
    report
        .findings
        .replace_part_remedies(Remedy::RESTORE_OR_WRITE);
    report.count_file(check);
    let why = "digest, keys and counts, as nothing but a dataset has them";
    report.unchecked.push(why.to_owned());
    Ok(report)
}

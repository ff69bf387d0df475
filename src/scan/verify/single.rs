//! A table that stands in one file, without a manifest.

use super::file::{self, Wanted, table_name};
use super::{Phase, Progress, Remedy, Report};
use crate::dataset::OutputLayout;
use crate::disk;
use crate::error::{DatasetDefect, Error, ErrorKind};
use crate::tables::Table;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use std::io::Read;
use std::panic::catch_unwind;
use std::path::Path;
use std::sync::atomic::Ordering;

/// What a Parquet file begins with.
const MAGIC: &[u8] = b"PAR1";

/// Checks a file as far as that goes.
pub(super) fn check(path: &Path, progress: &Progress) -> Result<Report, Error> {
    let refuse = |defect| Error::new(ErrorKind::NotADataset(defect), path);
    let unreadable = |error| Error::read(path, error);
    let file = disk::open_named(path).map_err(unreadable)?;
    let mut head = Vec::new();
    let count = MAGIC.len() as u64;
    (&file)
        .take(count)
        .read_to_end(&mut head)
        .map_err(unreadable)?;
    if head != MAGIC {
        return Err(refuse(DatasetDefect::NotParquet));
    }
    let bytes = file.metadata().map_err(unreadable)?.len();
    progress.total.store(bytes, Ordering::Relaxed);
    progress.begin(Phase::Files);
    // A footer that nothing vouches for may make the reader panic.
    let table = catch_unwind(|| {
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).ok()?;
        let name = table_name(&metadata)?;
        Table::DESCRIBED
            .into_iter()
            .find(|table| table.name() == name)
    });
    // What is of no table is said of the file, with the columns of one.
    let table = table.ok().flatten().unwrap_or(Table::RobotsFiles);
    let schema = OutputLayout::file(path, table).file_schema(table).arrow;
    let mut report = Report {
        is_single_file: true,
        ..Report::default()
    };
    let wanted = Wanted {
        table,
        schema: &schema,
        is: None,
    };
    let name = path.to_string_lossy();
    let seen = file::check(
        disk::open_named(path),
        &name,
        &wanted,
        progress,
        &mut report.findings,
    );
    report.findings.advise(Remedy::RestoreOrWrite);
    report.count(seen);
    let why = "digest, keys and counts, as nothing but a dataset has them";
    report.unchecked.push(why.to_owned());
    Ok(report)
}

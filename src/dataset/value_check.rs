//! Checks the values of files that a program without these limits is to read, such as a database.

use super::limited_file::catch_panic;
use super::part_file::{OpenedPart, open_part_file};
use super::reader::for_each_in_parallel;
use disk::error::Error;
use parquet::arrow::ProjectionMask;
use parquet::basic::Type;
use parquet::errors::ParquetError;
use parquet::file::reader::Length;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The most rows of a batch.
const BATCH_ROWS: usize = 8192;

/// Reads the texts of all files but bodies, and checks their limits; values of other types are small. Returns the
/// bytes of the files. Fails once `stop` is set.
///
/// # Errors
///
/// [`ErrorKind::Read`](disk::error::ErrorKind::Read) for a file that is damaged or exceeds a limit;
/// [`ErrorKind::Abandoned`](disk::error::ErrorKind::Abandoned) once `stop` is set.
pub fn check_values(files: &[PathBuf], stop: &Arc<AtomicBool>) -> Result<u64, Error> {
    let bytes = AtomicU64::new(0);
    for_each_in_parallel(files, &|path| {
        let file = disk::open(path).map_err(|error| Error::read(path, error))?;
        let part = open_part_file(path, file, Some(Arc::clone(stop)))?;
        bytes.fetch_add(part.file.len(), Ordering::Relaxed);
        catch_panic(path, || {
            read_texts(&part).map_err(|error| part.file.reader_error(path, error))
        })
    })?;
    Ok(bytes.into_inner())
}

/// Reads the texts column by column, so that few pages are in memory.
fn read_texts(part: &OpenedPart) -> Result<(), ParquetError> {
    let metadata = part.metadata.metadata();
    let schema = metadata.file_metadata().schema_descr();
    let texts = schema.columns().iter().enumerate();
    let texts: Vec<usize> = texts
        .filter(|(_, column)| column.physical_type() == Type::BYTE_ARRAY && column.name() != "body")
        .map(|(leaf, _)| leaf)
        .collect();
    let mut values = part.value_counter();
    for row_group in 0..metadata.num_row_groups() {
        for &leaf in &texts {
            let column = ProjectionMask::leaves(schema, [leaf]);
            let rows = part.max_batch_rows(&[row_group], &column, BATCH_ROWS)?;
            let reader = part
                .reader_builder()
                .with_projection(column)
                .with_row_groups(vec![row_group])
                .with_batch_size(rows)
                .build()?;
            for batch in reader {
                part.file.check_batch(&mut values, &batch?)?;
            }
        }
    }
    Ok(())
}

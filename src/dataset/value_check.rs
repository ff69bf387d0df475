//! Checks the values of files that a program without these limits is to read, such as a database.

use super::part_file::open_part_file;
use super::reader::for_each_in_parallel;
use errors::Error;
use parquet::arrow::ProjectionMask;
use parquet::basic::Type;
use parquet::errors::ParquetError;
use parquet::file::reader::Length;
use parquet_limits::{OpenedFile, catch_panic};
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
/// [`ErrorKind::Read`](errors::ErrorKind::Read) for a file that is damaged or exceeds a limit;
/// [`ErrorKind::Abandoned`](errors::ErrorKind::Abandoned) once `stop` is set.
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
fn read_texts(part: &OpenedFile) -> Result<(), ParquetError> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
    use errors::ErrorKind;
    use parquet::arrow::ArrowWriter;
    use parquet::file::properties::WriterProperties;
    use std::fs::File;
    use std::path::Path;

    /// Writes a file with a text in each of 300 rows of a column.
    fn write(path: &Path, column: &str, text: &str) {
        let texts: ArrayRef = Arc::new(StringArray::from(vec![text; 300]));
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..300));
        let batch = RecordBatch::try_from_iter([("robots_id", ids), (column, texts)]).unwrap();
        let file = File::create(path).unwrap();
        let properties = WriterProperties::builder();
        let properties = properties.set_dictionary_page_size_limit(1 << 30).build();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    }

    #[test]
    fn values_of_all_files_are_checked_but_bodies() {
        let folder = tempfile::tempdir().unwrap();
        let [small, body, large] =
            ["small", "body", "large"].map(|name| folder.path().join(format!("{name}.parquet")));
        let long = "z".repeat(1 << 20);
        write(&small, "agent", "GPTBot");
        write(&body, "body", &long);
        write(&large, "agent", &long);
        let stop = Arc::default();
        let sound = [small, body];
        let bytes = sound
            .iter()
            .map(|path| path.metadata().unwrap().len())
            .sum::<u64>();
        assert_eq!(check_values(&sound, &stop).unwrap(), bytes);
        let error = check_values(std::slice::from_ref(&large), &stop).unwrap_err();
        assert_eq!(error.path(), large);
        let cause = std::error::Error::source(&error).unwrap().to_string();
        let place = "row group 0, column `agent`: values are repeated so often";
        assert!(cause.starts_with(place), "{cause}");
        stop.store(true, Ordering::Relaxed);
        let error = check_values(&sound, &stop).unwrap_err();
        assert_eq!(error.kind(), Some(&ErrorKind::Abandoned));
    }
}

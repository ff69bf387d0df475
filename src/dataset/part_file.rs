//! A Parquet file of a part of a dataset, read with limits on the sizes of pages and batches.

use columns::GROUP_ROWS;
use errors::{Error, ErrorKind};
use parquet::basic::Type;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::schema::types::ColumnDescPtr;
use parquet_limits::{Limits, OpenedFile, ValueLimits};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The limit of the size of a page. robots-scan ends a page with the row that brings it to 4 MiB,
/// and a dictionary at 8 MiB.
const MAX_PART_PAGE_BYTES: u64 = 16 << 20;

/// The limit of the size of a page of the column `body`: `--max-body-bytes` may be 1 GiB.
const MAX_BODY_PAGE_BYTES: u64 = (1 << 30) + MAX_PART_PAGE_BYTES;

/// The limit of the pages of a row group together, without those of `body`. robots-scan ends a row
/// group with the page that brings its values to 128 MiB.
const MAX_ROW_GROUP_PAGE_BYTES: u64 = 160 << 20;

/// The limit of the bytes of values of a row group, in which repeated values count each time. It allows for
/// the 128 MiB at which robots-scan ends a row group, the page that exceeds them, and rows of the previous row
/// group in the same batch.
const MAX_ROW_GROUP_VALUE_BYTES: u64 = 256 << 20;

/// The bytes of values that any file may have. Above them, [`MAX_VALUE_RATIO`] applies.
const RATIO_CHECK_START_VALUE_BYTES: u64 = 64 << 20;

/// The limit of bytes of values for each byte of the file. robots-scan ends the page of each column after at
/// most 4 MiB of values. At this ratio, 4 MiB are 256 bytes of the file, and the headers and statistics of these
/// pages alone take more, so no file of robots-scan is refused. The largest ratio seen is 9,200, in `directives`
/// with the same lines of 16 KB in all captures; files of real crawls have ratios below 100.
const MAX_VALUE_RATIO: u64 = 16_384;

/// Reads the metadata of a file of a part, and sets the limits of its pages and values. Reading fails once
/// `stop` is set.
///
/// # Errors
///
/// [`ErrorKind::Read`].
pub fn open_part_file(
    path: &Path,
    file: impl Into<Arc<File>>,
    stop: Option<Arc<AtomicBool>>,
) -> Result<OpenedFile, Error> {
    let limits = Limits {
        page_bytes: &page_bytes_max,
        row_group_page_bytes: Some(MAX_ROW_GROUP_PAGE_BYTES),
        values: ValueLimits {
            start_bytes: RATIO_CHECK_START_VALUE_BYTES,
            ratio: MAX_VALUE_RATIO,
            row_group_bytes: MAX_ROW_GROUP_VALUE_BYTES,
        },
        // Bodies are not kept in memory.
        uncounted_column: Some("body"),
    };
    let part = parquet_limits::open(path, file, &limits, stop)?;
    let metadata = part.metadata.metadata();
    let checked = check_row_counts(metadata).and_then(|()| check_columns(metadata));
    checked.map_err(|error| Error::with_source(ErrorKind::Read, path, error))?;
    Ok(part)
}

/// Returns an error if a row group has more rows than one that robots-scan wrote.
fn check_row_counts(metadata: &ParquetMetaData) -> Result<(), ParquetError> {
    let counts = metadata.row_groups().iter().map(RowGroupMetaData::num_rows);
    let mut counts = counts.map(i64::unsigned_abs).enumerate();
    match counts.find(|(_, rows)| *rows > GROUP_ROWS as u64) {
        None => Ok(()),
        Some((row_group, rows)) => Err(ParquetError::General(format!(
            "row group {row_group} has {rows} rows, more than {GROUP_ROWS}"
        ))),
    }
}

/// Returns an error for a column of a kind that no table has: its values could be large without being counted.
fn check_columns(metadata: &ParquetMetaData) -> Result<(), ParquetError> {
    let columns = metadata.file_metadata().schema_descr().columns();
    let is_flat =
        |column: &ColumnDescPtr| column.path().parts().len() == 1 && column.max_rep_level() == 0;
    let is_known = |column: &ColumnDescPtr| {
        is_flat(column) && column.physical_type() != Type::FIXED_LEN_BYTE_ARRAY
    };
    match columns.iter().find(|column| !is_known(column)) {
        None => Ok(()),
        Some(column) => Err(ParquetError::General(format!(
            "its column `{}` is nested, or of a type that no table has",
            column.path().string()
        ))),
    }
}

fn page_bytes_max(column: &str) -> u64 {
    match column {
        "body" => MAX_BODY_PAGE_BYTES,
        _ => MAX_PART_PAGE_BYTES,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::Int32Type;
    use arrow_array::{
        ArrayRef, FixedSizeBinaryArray, ListArray, RecordBatch, StringArray, StructArray,
    };
    use parquet::arrow::{ArrowWriter, ProjectionMask};
    use parquet::basic::{Compression, ZstdLevel};
    use parquet::file::properties::WriterProperties;
    use std::io::Write;
    use tables::{HostPreferenceRows, StatingHost, StoredPreference, Table};

    /// Reads all rows of a file, and returns their number.
    fn read(file: File) -> Result<u64, Error> {
        let path = Path::new("part.parquet");
        let part = open_part_file(path, file, None)?;
        let convert = |error: ParquetError| part.file.reader_error(path, error);
        let row_groups: Vec<usize> = (0..part.metadata.metadata().num_row_groups()).collect();
        let batch_rows = part.max_batch_rows(&row_groups, &ProjectionMask::all(), 1024);
        let builder = part.reader_builder();
        let builder = builder.with_batch_size(batch_rows.map_err(convert)?);
        let (mut values, mut rows) = (part.value_counter(), 0);
        for batch in builder.build().map_err(convert)? {
            let batch = batch.map_err(|error| convert(error.into()))?;
            part.file
                .check_batch(&mut values, &batch)
                .map_err(convert)?;
            rows += batch.num_rows() as u64;
        }
        Ok(rows)
    }

    fn file_of(texts: &[Option<&str>], row_group_rows: usize) -> File {
        let column: ArrayRef = Arc::new(texts.iter().collect::<StringArray>());
        let batch = RecordBatch::try_from_iter([("agent", column)]).unwrap();
        let file = tempfile::tempfile().unwrap();
        let properties = WriterProperties::builder();
        let properties = properties
            .set_max_row_group_row_count(Some(row_group_rows))
            .set_dictionary_page_size_limit(1 << 30)
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .build();
        let copy = file.try_clone().unwrap();
        let mut writer = ArrowWriter::try_new(copy, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        file
    }

    fn cause(result: Result<u64, Error>) -> String {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), Some(&ErrorKind::Read));
        std::error::Error::source(&error).unwrap().to_string()
    }

    #[test]
    fn a_value_that_is_repeated_in_a_row_group_is_refused_with_its_place() {
        let long = "z".repeat(1 << 20);
        let cause = cause(read(file_of(&vec![Some(&*long); 300], 1000)));
        let place = "row group 0, column `agent`: values are repeated so often";
        assert!(cause.starts_with(place), "{cause}");
    }

    #[test]
    fn a_value_that_is_repeated_in_many_row_groups_is_refused_with_its_place() {
        let long = "z".repeat(15 << 20);
        let cause = cause(read(file_of(&[Some(&*long); 12], 3)));
        assert!(
            cause.contains("those of the file have more than"),
            "{cause}"
        );
    }

    #[test]
    fn a_row_group_has_a_limit_of_rows() {
        let rows = GROUP_ROWS + 1;
        let cause = cause(read(file_of(&vec![None; rows], rows)));
        assert_eq!(
            cause,
            format!("Parquet error: row group 0 has {rows} rows, more than {GROUP_ROWS}")
        );
        assert_eq!(
            read(file_of(&vec![None; rows], GROUP_ROWS)).unwrap(),
            rows as u64
        );
    }

    #[test]
    fn a_column_of_a_kind_that_no_table_has_is_refused() {
        let texts: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
        let inner = RecordBatch::try_from_iter([("text", texts)]).unwrap();
        let fixed = FixedSizeBinaryArray::try_from_iter(["ab", "cd"].into_iter()).unwrap();
        let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)]), None]);
        let columns: [ArrayRef; 3] = [
            Arc::new(StructArray::from(inner)),
            Arc::new(list),
            Arc::new(fixed),
        ];
        for column in columns {
            let batch = RecordBatch::try_from_iter([("a", column)]).unwrap();
            let file = tempfile::tempfile().unwrap();
            let copy = file.try_clone().unwrap();
            let mut writer = ArrowWriter::try_new(copy, batch.schema(), None).unwrap();
            writer.write(&batch).unwrap();
            writer.close().unwrap();
            let cause = cause(read(file));
            assert!(cause.contains("its column `a"), "{cause}");
        }
    }

    #[test]
    fn a_file_that_robots_scan_wrote_is_within_the_limits_whatever_it_repeats() {
        let write = |agent_bytes: usize, address_bytes: usize, hosts: i64, rows_of_host: usize| {
            let (agent, address) = ("a".repeat(agent_bytes), "b".repeat(address_bytes));
            let mut rows = HostPreferenceRows::default();
            let mut batches = Vec::new();
            for host_id in 0..hosts {
                let host = StatingHost {
                    agent: &agent,
                    host_id,
                    surt_host_name: "com,example",
                    registered_domain: Some("example.com"),
                };
                let preference = StoredPreference {
                    mechanism: "rsl-license",
                    category: "license",
                    preference: None,
                    has: [false; 3],
                    evidence_line: Some(1),
                    address: Some(&address),
                };
                match host_id % 100 {
                    0 => {
                        batches.extend((rows.row_count() > 0).then(|| rows.take()));
                        rows.push(&host, std::iter::repeat_n(preference, rows_of_host));
                    }
                    _ => rows.push_repeated(&host, rows_of_host),
                }
            }
            batches.push(rows.take());
            let schema = Table::HOST_PREFERENCES.file_schema(&[]);
            let bytes = columns::encode_table(schema, batches).unwrap();
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&bytes).unwrap();
            let rows = hosts as u64 * rows_of_host as u64;
            println!(
                "{agent_bytes}+{address_bytes}: {rows} rows, {} bytes",
                bytes.len()
            );
            assert_eq!(read(file).unwrap(), rows);
        };
        // The longest lines, in 600 MB; and very many short rows.
        write(16_000, 16_000, 2000, 10);
        write(16_000, 0, 2000, 20);
        write(1, 1, 60_000, 20);
        write(300, 300, 20_000, 20);
    }
}

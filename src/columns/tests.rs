//! Reads files back with the reader of the crate `parquet`.

use super::column_writer::ColumnWriter;
use super::page::PageBuffers;
use super::row_groups::BatchRows;
use super::{
    ColumnBuilder, ColumnEncoding, ColumnValues, Interner, PlainTextBuilder, RowBatch,
    ValueEncoding,
};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use parquet::arrow::ArrowSchemaConverter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Encoding, ZstdLevel};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use std::ops::Range;
use std::sync::Arc;

/// A row with a column of each type and encoding; the first two are never null.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    long: i64,
    text: String,
    /// Encoded as DELTA_BINARY_PACKED.
    delta_long: Option<i64>,
    /// Encoded by differences.
    delta_int: Option<i32>,
    long_null: Option<i64>,
    int: Option<i32>,
    short: Option<i16>,
    flag: Option<bool>,
    text_null: Option<String>,
    plain_text: Option<String>,
    plain_long: Option<i64>,
    plain_int: Option<i32>,
    /// Encoded by shared prefixes.
    sorted_text: Option<String>,
}

fn schema() -> Schema {
    let field = |name, kind, is_nullable| Field::new(name, kind, is_nullable);
    Schema::new(vec![
        field("long", DataType::Int64, false),
        field("text", DataType::Utf8, false),
        field("delta_long", DataType::Int64, true),
        field("delta_int", DataType::Int32, true),
        field("long_null", DataType::Int64, true),
        field("int", DataType::Int32, true),
        field("short", DataType::Int16, true),
        field("flag", DataType::Boolean, true),
        field("text_null", DataType::Utf8, true),
        field("plain_text", DataType::Utf8, true),
        field("plain_long", DataType::Int64, true),
        field("plain_int", DataType::Int32, true),
        field("sorted_text", DataType::Utf8, true),
    ])
}

fn to_batch(rows: &[Row]) -> RowBatch {
    let mut interner = Interner::default();
    let mut long = ColumnBuilder::<i64>::default();
    let mut text = ColumnBuilder::<u32>::default();
    let mut delta_long = ColumnBuilder::<i64>::default();
    let mut delta_int = ColumnBuilder::<i32>::default();
    let mut long_null = ColumnBuilder::<i64>::default();
    let mut int = ColumnBuilder::<i32>::default();
    let mut short = ColumnBuilder::<i32>::default();
    let mut flag = ColumnBuilder::<bool>::default();
    let mut text_null = ColumnBuilder::<u32>::default();
    let mut plain_text = PlainTextBuilder::default();
    let mut plain_long = ColumnBuilder::<i64>::default();
    let mut plain_int = ColumnBuilder::<i32>::default();
    let mut sorted_text = PlainTextBuilder::default();
    for row in rows {
        long.append_value(row.long);
        text.append_value(interner.intern(&row.text));
        delta_long.append_option(row.delta_long);
        delta_int.append_option(row.delta_int);
        long_null.append_option(row.long_null);
        int.append_option(row.int);
        short.append_option(row.short.map(i32::from));
        flag.append_option(row.flag);
        text_null.append_option(row.text_null.as_ref().map(|text| interner.intern(text)));
        plain_text.append_option(row.plain_text.as_ref());
        plain_long.append_option(row.plain_long);
        plain_int.append_option(row.plain_int);
        sorted_text.append_option(row.sorted_text.as_ref());
    }
    let columns = vec![
        long.take(ColumnValues::Long),
        text.take(ColumnValues::Text),
        delta_long.take(ColumnValues::Long),
        delta_int.take(ColumnValues::Int),
        long_null.take(ColumnValues::Long),
        int.take(ColumnValues::Int),
        short.take(ColumnValues::Int),
        flag.take(ColumnValues::Bool),
        text_null.take(ColumnValues::Text),
        plain_text.take(),
        plain_long.take(ColumnValues::Long),
        plain_int.take(ColumnValues::Int),
        sorted_text.take(),
    ];
    RowBatch::new(columns, interner.take(), (1..=rows.len() as u64).collect())
}

/// Writes one row group with a page for each of `pages`, each of several batches.
fn write_row_pages(pages: &[Vec<Vec<Row>>]) -> Bytes {
    let batch = |batch: &Vec<Row>| {
        let batch = to_batch(batch);
        let rows = 0..batch.len();
        let batch = Arc::new(batch);
        BatchRows { batch, rows }
    };
    let pages = pages.iter().map(|page| page.iter().map(batch).collect());
    write_pages(&pages.collect::<Vec<_>>())
}

fn write_pages(pages: &[Vec<BatchRows>]) -> Bytes {
    let schema = ArrowSchemaConverter::new().convert(&schema()).unwrap();
    let mut writer =
        SerializedFileWriter::new(Vec::new(), schema.root_schema_ptr(), Arc::default()).unwrap();
    let mut buffers = PageBuffers::default();
    let mut group = writer.next_row_group().unwrap();
    for (i, descr) in schema.columns().iter().enumerate() {
        let encoding = ColumnEncoding {
            has_bloom_filter: descr.name() == "text",
            values: match descr.name() {
                "delta_long" | "delta_int" => ValueEncoding::Delta,
                "plain_long" | "plain_int" => ValueEncoding::Plain,
                "sorted_text" => ValueEncoding::SharedPrefixes,
                _ => ValueEncoding::Dictionary,
            },
        };
        let level = ZstdLevel::try_new(1).unwrap();
        let mut column = ColumnWriter::new(i, Arc::clone(descr), encoding, level);
        for page in pages {
            column.write_page(page, &mut buffers).unwrap();
        }
        let chunk = column.close(&mut buffers).unwrap();
        chunk.append_to_row_group(&mut group).unwrap();
    }
    group.close().unwrap();
    Bytes::from(writer.into_inner().unwrap())
}

fn read_rows(file: &Bytes) -> Vec<Row> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(file.clone())
        .unwrap()
        .build()
        .unwrap();
    reader
        .flat_map(|batch| from_record_batch(&batch.unwrap()))
        .collect()
}

fn from_record_batch(batch: &RecordBatch) -> Vec<Row> {
    let column = |i: usize| -> &ArrayRef { batch.column(i) };
    let row = |row: usize| {
        let is_valid = |i: usize| column(i).is_valid(row);
        let text =
            |i: usize| is_valid(i).then(|| column(i).as_string::<i32>().value(row).to_owned());
        let long = |i: usize| is_valid(i).then(|| column(i).as_primitive::<Int64Type>().value(row));
        let int = |i: usize| is_valid(i).then(|| column(i).as_primitive::<Int32Type>().value(row));
        Row {
            long: long(0).unwrap(),
            text: text(1).unwrap(),
            delta_long: long(2),
            delta_int: int(3),
            long_null: long(4),
            int: int(5),
            short: is_valid(6).then(|| column(6).as_primitive::<Int16Type>().value(row)),
            flag: is_valid(7).then(|| column(7).as_boolean().value(row)),
            text_null: text(8),
            plain_text: text(9),
            plain_long: long(10),
            plain_int: int(11),
            sorted_text: text(12),
        }
    };
    (0..batch.num_rows()).map(row).collect()
}

/// Returns random rows whose values repeat, form runs, jump and are null.
fn random_rows(count: usize, seed: &mut u64) -> Vec<Row> {
    let mut random = |below: u64| {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        *seed % below
    };
    let mut rows: Vec<Row> = Vec::new();
    // No nulls, some, or only nulls.
    let nulls = random(3);
    while rows.len() < count {
        let is_valid = [(); 9].map(|()| nulls == 0 || (nulls == 1 && random(4) > 0));
        // Small steps, and the largest possible ones.
        let last = rows.last();
        let delta = last.and_then(|row| row.delta_long).unwrap_or_default();
        let delta_long = match random(20) {
            0 => i64::MIN,
            1 => i64::MAX,
            2 => random(1 << 62) as i64,
            _ => delta.wrapping_add(random(300) as i64 - 20),
        };
        let delta = last.and_then(|row| row.delta_int).unwrap_or_default();
        let delta_int = match random(20) {
            0 => i32::MIN,
            1 => i32::MAX,
            _ => delta.wrapping_add(random(9) as i32),
        };
        let row = Row {
            long: random(1 << 40) as i64 - (1 << 39),
            delta_long: is_valid[7].then_some(delta_long),
            delta_int: is_valid[8].then_some(delta_int),
            text: format!("t{}", random(300)),
            long_null: is_valid[0].then_some(random(5000) as i64 - 5),
            int: is_valid[1].then_some(random(7) as i32 - 3),
            short: is_valid[2].then_some(random(900) as i16 - 300),
            flag: is_valid[4].then_some(random(2) == 1),
            text_null: is_valid[5].then(|| "ä".repeat(random(80) as usize)),
            plain_text: is_valid[6].then(|| format!("{}", random(1 << 60))),
            plain_long: is_valid[7].then_some(delta_long),
            plain_int: is_valid[8].then_some(delta_int),
            sorted_text: is_valid[6]
                .then(|| "abc".repeat(random(9) as usize) + ["", "ä"][random(2) as usize]),
        };
        let times = if random(3) == 0 { random(40) } else { 1 };
        rows.extend(std::iter::repeat_n(row, times as usize));
    }
    rows.truncate(count);
    rows
}

#[test]
fn the_reader_of_the_crate_reads_the_same_rows() {
    let mut seed = 0x9e37_79b9_7f4a_7c15;
    for round in 0..30 {
        let sizes = [0, 1, 7, 8, 9, 700, 3000];
        let mut batches = |count: usize| -> Vec<Vec<Row>> {
            (0..count)
                .map(|i| random_rows(sizes[(round * 5 + i * 3) % sizes.len()], &mut seed))
                .collect()
        };
        let pages = vec![batches(3), batches(1), batches(4)];
        let all: Vec<Row> = pages.iter().flatten().flatten().cloned().collect();
        if !all.is_empty() {
            assert_eq!(read_rows(&write_row_pages(&pages)), all);
        }
    }
}

#[test]
fn a_page_of_a_few_rows_of_a_large_batch_is_the_same() {
    let mut seed = 11;
    let all = random_rows(4000, &mut seed);
    let ranges: Vec<Range<usize>> = vec![0..3, 3..3000, 3000..3001, 3001..4000];
    let pages: Vec<Vec<Vec<Row>>> = ranges
        .iter()
        .map(|range| vec![all[range.clone()].to_vec()])
        .collect();
    let batch = Arc::new(to_batch(&all));
    let part = |rows| {
        let batch = Arc::clone(&batch);
        vec![BatchRows { batch, rows }]
    };
    let parts: Vec<Vec<BatchRows>> = ranges.into_iter().map(part).collect();
    assert_eq!(write_pages(&parts), write_row_pages(&pages));
}

#[test]
fn pages_after_a_dictionary_grew_too_large_are_plain() {
    let row = |number: usize| Row {
        text: format!("{number}{}", "x".repeat(9000)),
        ..Row::default()
    };
    let pages: Vec<Vec<Vec<Row>>> = (0..3)
        .map(|page| vec![(page * 500..page * 500 + 1000).map(row).collect()])
        .collect();
    let bytes = write_row_pages(&pages);
    let all: Vec<Row> = pages.iter().flatten().flatten().cloned().collect();
    assert!(read_rows(&bytes) == all);
    let reader = SerializedFileReader::new(bytes).unwrap();
    let column = reader.metadata().row_group(0).column(1);
    let pages = reader.get_row_group(0).unwrap().get_column_page_reader(1);
    let encodings: Vec<Encoding> = pages
        .unwrap()
        .map(|page| page.unwrap().encoding())
        .collect();
    // A page has plain texts if the dictionary was too large at its start.
    let (plain, coded) = (Encoding::PLAIN, Encoding::RLE_DICTIONARY);
    assert_eq!(encodings, [plain, coded, plain, plain]);
    let range = column.statistics().unwrap();
    assert_eq!(range.min_bytes_opt().unwrap()[..2], *b"0x");
    assert_eq!(range.max_bytes_opt().unwrap()[..2], *b"9x");
}

#[test]
fn statistics_and_bloom_filters_cover_all_values() {
    let mut seed = 7;
    let rows = random_rows(5000, &mut seed);
    let bytes = write_row_pages(&[vec![rows.clone()]]);
    let reader = SerializedFileReader::new(bytes).unwrap();
    let group = reader.metadata().row_group(0);
    let range = |i: usize| {
        let statistics = group.column(i).statistics().unwrap();
        let end = |bytes: Option<&[u8]>| i64::from_le_bytes(bytes.unwrap().try_into().unwrap());
        (
            end(statistics.min_bytes_opt()),
            end(statistics.max_bytes_opt()),
        )
    };
    let longs = || rows.iter().map(|row| row.long);
    assert_eq!(range(0), (longs().min().unwrap(), longs().max().unwrap()));
    let deltas = || rows.iter().filter_map(|row| row.delta_long);
    assert_eq!(range(2), (deltas().min().unwrap(), deltas().max().unwrap()));
    for (i, column) in group.columns().iter().enumerate() {
        let nulls = match i {
            2 => rows.iter().filter(|row| row.delta_long.is_none()).count(),
            4 => rows.iter().filter(|row| row.long_null.is_none()).count(),
            9 => rows.iter().filter(|row| row.text_null.is_none()).count(),
            10 => rows.iter().filter(|row| row.plain_text.is_none()).count(),
            _ => continue,
        };
        let statistics = column.statistics().unwrap();
        assert_eq!(statistics.null_count_opt(), Some(nulls as u64));
    }
    let group = reader.get_row_group(0).unwrap();
    assert!(group.get_column_bloom_filter(0).is_none());
    let whole = write_row_pages(&[vec![rows.clone()]]);
    let column = group.metadata().column(1);
    let filter = parquet::bloom_filter::Sbbf::read_from_column_chunk(column, &whole);
    let filter = filter.unwrap().unwrap();
    let texts = || rows.iter().map(|row| row.text.as_str());
    assert!(texts().all(|text| filter.check(text)));
    assert!(!filter.check("another"));
    let range = column.statistics().unwrap();
    assert_eq!(range.min_bytes_opt(), texts().min().map(str::as_bytes));
    assert_eq!(range.max_bytes_opt(), texts().max().map(str::as_bytes));
}

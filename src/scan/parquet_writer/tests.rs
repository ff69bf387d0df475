//! What is written is read again by the reader of the crate `parquet`.

use super::{ColumnWriter, PageBuffers};
use crate::parquet_writer::{ColumnBuilder, ColumnValues, Interner, PlainTextBuilder, RowBatch};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int16Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use parquet::arrow::ArrowSchemaConverter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Encoding, ZstdLevel};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnDescPtr;
use std::ops::Range;
use std::sync::Arc;

/// A row of a column of each kind, first without nulls.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    long: i64,
    text: String,
    /// Mostly the same as `text`, whose dictionary it shares.
    alike: String,
    long_null: Option<i64>,
    int: Option<i32>,
    short: Option<i16>,
    double: Option<f64>,
    is_so: Option<bool>,
    text_null: Option<String>,
    single: Option<String>,
}

fn schema() -> Schema {
    let field = |name, kind, is_nullable| Field::new(name, kind, is_nullable);
    Schema::new(vec![
        field("long", DataType::Int64, false),
        field("text", DataType::Utf8, false),
        field("alike", DataType::Utf8, false),
        field("long_null", DataType::Int64, true),
        field("int", DataType::Int32, true),
        field("short", DataType::Int16, true),
        field("double", DataType::Float64, true),
        field("is_so", DataType::Boolean, true),
        field("text_null", DataType::Utf8, true),
        field("single", DataType::Utf8, true),
    ])
}

fn rows(rows: &[Row]) -> RowBatch {
    let mut interner = Interner::default();
    let (mut long, mut long_null) = (
        ColumnBuilder::<i64>::default(),
        ColumnBuilder::<i64>::default(),
    );
    let (mut text, mut alike) = (
        ColumnBuilder::<u32>::default(),
        ColumnBuilder::<u32>::default(),
    );
    let mut text_null = ColumnBuilder::<u32>::default();
    let (mut int, mut short) = (
        ColumnBuilder::<i32>::default(),
        ColumnBuilder::<i32>::default(),
    );
    let (mut double, mut is_so) = (
        ColumnBuilder::<f64>::default(),
        ColumnBuilder::<bool>::default(),
    );
    let mut single = PlainTextBuilder::default();
    for row in rows {
        long.append_value(row.long);
        text.append_value(interner.intern(&row.text));
        alike.append_value(interner.intern(&row.alike));
        long_null.append_option(row.long_null);
        int.append_option(row.int);
        short.append_option(row.short.map(i32::from));
        double.append_option(row.double);
        is_so.append_option(row.is_so);
        text_null.append_option(row.text_null.as_ref().map(|it| interner.intern(it)));
        single.append_option(row.single.as_ref());
    }
    let columns = vec![
        long.take(ColumnValues::Long),
        text.take(ColumnValues::Text),
        alike.take(ColumnValues::Text),
        long_null.take(ColumnValues::Long),
        int.take(ColumnValues::Int),
        short.take(ColumnValues::Int),
        double.take(ColumnValues::Double),
        is_so.take(ColumnValues::Bool),
        text_null.take(ColumnValues::Text),
        single.take(),
    ];
    RowBatch::new(columns, interner.take(), (1..=rows.len() as u64).collect())
}

/// One row group: a page for each of `pages`, each of several batches.
fn file(pages: &[Vec<Vec<Row>>]) -> Bytes {
    let pages: Vec<Vec<RowBatch>> = pages
        .iter()
        .map(|page| page.iter().map(|batch| rows(batch)).collect())
        .collect();
    let parts: Vec<Vec<_>> = pages
        .iter()
        .map(|page| page.iter().map(|rows| (rows, 0..rows.len())).collect())
        .collect();
    file_of(&parts)
}

fn file_of(pages: &[Vec<(&RowBatch, Range<usize>)>]) -> Bytes {
    let schema = ArrowSchemaConverter::new().convert(&schema()).unwrap();
    let mut writer =
        SerializedFileWriter::new(Vec::new(), schema.root_schema_ptr(), Arc::default()).unwrap();
    let mut scratch = PageBuffers::default();
    let mut group = writer.next_row_group().unwrap();
    let columns = schema.columns();
    let mut at = 0;
    for shared in columns.chunk_by(|_, next| next.name() == "alike") {
        let bloom_rows = |name: &str| ["text", "alike"].contains(&name).then_some(1000);
        let of = |it: &ColumnDescPtr| (Arc::clone(it), bloom_rows(it.name()));
        let level = ZstdLevel::try_new(1).unwrap();
        let mut encoder = ColumnWriter::new(at, shared.iter().map(of).collect(), level);
        at += shared.len();
        for page in pages {
            let parts = page.iter().cloned();
            encoder.write_page(parts, &mut scratch).unwrap();
        }
        for chunk in encoder.close(&mut scratch).unwrap() {
            let (bytes, close) = chunk.into_parts();
            group.append_column(&bytes, close).unwrap();
        }
    }
    group.close().unwrap();
    Bytes::from(writer.into_inner().unwrap())
}

fn read(file: &Bytes) -> Vec<Row> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(file.clone())
        .unwrap()
        .build()
        .unwrap();
    reader.flat_map(|batch| rows_of(&batch.unwrap())).collect()
}

fn rows_of(batch: &RecordBatch) -> Vec<Row> {
    let column = |at: usize| -> &ArrayRef { batch.column(at) };
    let row = |row: usize| {
        let text = |at: usize| {
            let is_there = column(at).is_valid(row);
            is_there.then(|| column(at).as_string::<i32>().value(row).to_owned())
        };
        let long = |at: usize| {
            let is_there = column(at).is_valid(row);
            is_there.then(|| column(at).as_primitive::<Int64Type>().value(row))
        };
        let is_there = |at: usize| column(at).is_valid(row);
        Row {
            long: long(0).unwrap(),
            text: text(1).unwrap(),
            alike: text(2).unwrap(),
            long_null: long(3),
            int: is_there(4).then(|| column(4).as_primitive::<Int32Type>().value(row)),
            short: is_there(5).then(|| column(5).as_primitive::<Int16Type>().value(row)),
            double: is_there(6).then(|| column(6).as_primitive::<Float64Type>().value(row)),
            is_so: is_there(7).then(|| column(7).as_boolean().value(row)),
            text_null: text(8),
            single: text(9),
        }
    };
    (0..batch.num_rows()).map(row).collect()
}

/// Rows whose values repeat, run, jump and are missing, by a seed.
fn some_rows(count: usize, seed: &mut u64) -> Vec<Row> {
    let mut random = |below: u64| {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        *seed % below
    };
    let mut rows: Vec<Row> = Vec::new();
    // Nulls nowhere, here and there, everywhere.
    let nulls = random(3);
    while rows.len() < count {
        let mut there = || nulls == 0 || (nulls == 1 && random(4) > 0);
        let is_there = [
            there(),
            there(),
            there(),
            there(),
            there(),
            there(),
            there(),
        ];
        let text = format!("t{}", random(300));
        let row = Row {
            long: random(1 << 40) as i64 - (1 << 39),
            alike: match random(5) {
                0 => format!("v{}", random(300)),
                1 => format!("t{}", random(300)),
                _ => text.clone(),
            },
            text,
            long_null: is_there[0].then_some(random(5000) as i64 - 5),
            int: is_there[1].then_some(random(7) as i32 - 3),
            short: is_there[2].then_some(random(900) as i16 - 300),
            double: is_there[3].then_some(random(100) as f64 / 8.0 - 2.0),
            is_so: is_there[4].then_some(random(2) == 1),
            text_null: is_there[5].then(|| "ä".repeat(random(80) as usize)),
            single: is_there[6].then(|| format!("{}", random(1 << 60))),
        };
        let times = if random(3) == 0 { random(40) } else { 1 };
        rows.extend(std::iter::repeat_n(row, times as usize));
    }
    rows.truncate(count);
    rows
}

#[test]
fn what_is_written_is_read_again() {
    let mut seed = 0x9e37_79b9_7f4a_7c15;
    for round in 0..30 {
        let sizes = [0, 1, 7, 8, 9, 700, 3000];
        let mut batches = |count: usize| -> Vec<Vec<Row>> {
            (0..count)
                .map(|at| some_rows(sizes[(round * 5 + at * 3) % sizes.len()], &mut seed))
                .collect()
        };
        let pages = vec![batches(3), batches(1), batches(4)];
        let all: Vec<Row> = pages.iter().flatten().flatten().cloned().collect();
        if !all.is_empty() {
            assert_eq!(read(&file(&pages)), all);
        }
    }
}

#[test]
fn pages_of_a_few_rows_of_a_large_batch_are_the_same() {
    let mut seed = 11;
    let all = some_rows(4000, &mut seed);
    let ranges: Vec<Range<usize>> = vec![0..3, 3..3000, 3000..3001, 3001..4000];
    let pages: Vec<Vec<Vec<Row>>> = ranges
        .iter()
        .map(|range| vec![all[range.clone()].to_vec()])
        .collect();
    let batch = rows(&all);
    let parts: Vec<Vec<(&RowBatch, Range<usize>)>> = ranges
        .into_iter()
        .map(|range| vec![(&batch, range)])
        .collect();
    assert_eq!(file_of(&parts), file(&pages));
}

#[test]
fn a_dictionary_that_grows_too_large_is_left() {
    let row = |at: usize| Row {
        text: format!("{at}{}", "x".repeat(9000)),
        alike: format!("{}{}", at + at % 10, "x".repeat(9000)),
        ..Row::default()
    };
    let pages: Vec<Vec<Vec<Row>>> = (0..3)
        .map(|page| vec![(page * 500..page * 500 + 1000).map(row).collect()])
        .collect();
    let bytes = file(&pages);
    let all: Vec<Row> = pages.iter().flatten().flatten().cloned().collect();
    assert!(read(&bytes) == all);
    let reader = SerializedFileReader::new(bytes).unwrap();
    let column = reader.metadata().row_group(0).column(1);
    let pages = reader.get_row_group(0).unwrap().get_column_page_reader(1);
    let encodings: Vec<Encoding> = pages.unwrap().map(|it| it.unwrap().encoding()).collect();
    // Only a page that begins with the dictionary too large is without it.
    let (plain, coded) = (Encoding::PLAIN, Encoding::RLE_DICTIONARY);
    assert_eq!(encodings, [plain, coded, plain, plain]);
    let range = column.statistics().unwrap();
    assert_eq!(range.min_bytes_opt().unwrap()[..2], *b"0x");
    assert_eq!(range.max_bytes_opt().unwrap()[..2], *b"9x");
}

#[test]
fn statistics_and_filters_know_all_values() {
    let mut seed = 7;
    let rows = some_rows(5000, &mut seed);
    let bytes = file(&[vec![rows.clone()]]);
    let reader = SerializedFileReader::new(bytes).unwrap();
    let group = reader.metadata().row_group(0);
    let range = |at: usize| {
        let statistics = group.column(at).statistics().unwrap();
        let end = |bytes: Option<&[u8]>| i64::from_le_bytes(bytes.unwrap().try_into().unwrap());
        (
            end(statistics.min_bytes_opt()),
            end(statistics.max_bytes_opt()),
        )
    };
    let longs = || rows.iter().map(|row| row.long);
    assert_eq!(range(0), (longs().min().unwrap(), longs().max().unwrap()));
    for (at, column) in group.columns().iter().enumerate() {
        let nulls = match at {
            3 => rows.iter().filter(|row| row.long_null.is_none()).count(),
            8 => rows.iter().filter(|row| row.text_null.is_none()).count(),
            9 => rows.iter().filter(|row| row.single.is_none()).count(),
            _ => continue,
        };
        let statistics = column.statistics().unwrap();
        assert_eq!(statistics.null_count_opt(), Some(nulls as u64));
    }
    let group = reader.get_row_group(0).unwrap();
    assert!(group.get_column_bloom_filter(0).is_none());
    let whole = file(&[vec![rows.clone()]]);
    for (at, of) in [
        (1, (|row| &row.text) as fn(&Row) -> &String),
        (2, |row| &row.alike),
    ] {
        let column = group.metadata().column(at);
        let filter = parquet::bloom_filter::Sbbf::read_from_column_chunk(column, &whole);
        let filter = filter.unwrap().unwrap();
        assert!(rows.iter().all(|row| filter.check(of(row).as_str())));
        assert!(!filter.check("another"));
        // A dictionary that is shared has values of the other column, too.
        let range = column.statistics().unwrap();
        let ends = (rows.iter().map(of).min(), rows.iter().map(of).max());
        assert_eq!(range.min_bytes_opt(), ends.0.map(String::as_bytes));
        assert_eq!(range.max_bytes_opt(), ends.1.map(String::as_bytes));
    }
}

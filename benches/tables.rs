//! The way from a record to Parquet, in two parts.
//!
//! - `tables`: a capture is read and analyzed, and its rows are added to all tables.
//!   Records borrow from their reader, so each record has a separate reader here. Reading is not timed.
//! - `parquet`: the rows of all tables are encoded, by the encoder of robots-scan (`own`), and by
//!   that of the crate `parquet` after conversion to Arrow (`crate`). The own encoder is to be deleted once the crate's
//!   makes the whole job at most 15 % slower; see `src/columns/column_writer.rs`.

#![expect(clippy::unwrap_used, reason = "a bench may panic, and says where")]

mod settings;

use bytes::Bytes;
use capture::analysis::Analyzer;
use capture::{Capture, CaptureScope};
use columns::{RowBatch, encode_table};
use criterion::{BatchSize, BenchmarkGroup, Throughput, measurement::WallTime};
use inputs::{Framing, Input};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::hint::black_box;
use std::io::Cursor;
use std::slice;
use tables::{OptionalColumns, Table, TableBatches, TableBuilders};
use warc::{Limits, Reader, Record, RecordType};

const NAME: &str = "crawl-data/BENCH-2026-01/segments/0/robotstxt/BENCH-2026-01-00000.warc.gz";

const SCOPE: CaptureScope = CaptureScope {
    is_robots_subset: true,
    max_body_bytes: 16 << 20,
    body_limit: Some(robots::BODY_LIMIT_BYTES),
};

fn main() {
    let mut criterion = settings::criterion();
    let mut group = criterion.benchmark_group("tables");
    for input in inputs::all() {
        rows(&mut group, &input);
    }
    group.finish();
    let mut group = criterion.benchmark_group("parquet");
    for input in inputs::all() {
        pages(&mut group, &input);
    }
    group.finish();
    criterion.final_summary();
}

fn rows(group: &mut BenchmarkGroup<'_, WallTime>, input: &Input) {
    let readers: Vec<Reader> = input
        .bodies
        .iter()
        .map(|body| response(slice::from_ref(body)))
        .collect();
    let records: Vec<Record<'_>> = readers.iter().map(Reader::record).collect();
    let mut tables = TableBuilders::new(&Table::ALL, OptionalColumns::default());
    check(input, &push(&mut tables, &records));
    group.throughput(Throughput::ElementsAndBytes {
        elements: records.len() as u64,
        bytes: input.bytes(),
    });
    group.bench_function(input.name, |bencher| {
        bencher.iter(|| push(&mut tables, black_box(&records)));
    });
}

/// Encodes the rows of all tables with both encoders.
fn pages(group: &mut BenchmarkGroup<'_, WallTime>, input: &Input) {
    let readers: Vec<Reader> = input
        .bodies
        .iter()
        .map(|body| response(slice::from_ref(body)))
        .collect();
    let records: Vec<Record<'_>> = readers.iter().map(Reader::record).collect();
    let mut tables = TableBuilders::new(&Table::ALL, OptionalColumns::default());
    let batches = push(&mut tables, &records);
    let batches: Vec<(Table, RowBatch)> = Table::FROM_RECORDS.into_iter().zip(batches).collect();
    for (table, batch) in &batches {
        let expected = batch.len() as i64;
        assert_eq!(
            rows_of(own(*table, batch.clone())),
            expected,
            "{}",
            input.name
        );
        assert_eq!(rows_of(of_crate(*table, batch)), expected, "{}", input.name);
    }
    let rows: usize = batches.iter().map(|(_, batch)| batch.len()).sum();
    group.throughput(Throughput::Elements(rows as u64));
    group.bench_function(format!("own/{}", input.name), |bencher| {
        let encode = |batches: Vec<(Table, RowBatch)>| -> Vec<Vec<u8>> {
            let tables = batches.into_iter();
            tables.map(|(table, batch)| own(table, batch)).collect()
        };
        bencher.iter_batched(|| batches.clone(), encode, BatchSize::LargeInput);
    });
    group.bench_function(format!("crate/{}", input.name), |bencher| {
        bencher.iter(|| -> Vec<Vec<u8>> {
            let tables = black_box(&batches).iter();
            tables
                .map(|(table, batch)| of_crate(*table, batch))
                .collect()
        });
    });
}

fn own(table: Table, batch: RowBatch) -> Vec<u8> {
    encode_table(table.file_schema(&[]), [batch]).unwrap()
}

/// Encodes rows with the writer of the crate.
fn of_crate(table: Table, batch: &RowBatch) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1).unwrap()))
        .set_max_row_group_row_count(Some(524_288))
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), table.schema(), Some(properties)).unwrap();
    writer
        .write(&batch.to_arrow(&table.schema()).unwrap())
        .unwrap();
    writer.into_inner().unwrap()
}

fn rows_of(file: Vec<u8>) -> i64 {
    let reader = SerializedFileReader::new(Bytes::from(file)).unwrap();
    reader.metadata().file_metadata().num_rows()
}

fn push(tables: &mut TableBuilders, records: &[Record<'_>]) -> TableBatches {
    // One that has been here before would remember every body.
    let mut analyzer = Analyzer::default();
    for record in records {
        let capture = Capture::read(record, SCOPE).unwrap();
        let analysis = analyzer.analyze(0, record.location(), &capture);
        tables.push(NAME, &analysis);
    }
    tables.take()
}

/// A reader that is positioned at the response of an archive with one capture.
fn response(body: &[inputs::Body]) -> Reader {
    let archive = inputs::archive_of(body, 1, Framing::Plain);
    let mut reader = Reader::new(Limits::default());
    reader
        .open_stream(Box::new(Cursor::new(archive.bytes)))
        .unwrap();
    while reader.record().record_type() != RecordType::Response {
        assert!(reader.read_record().unwrap());
    }
    reader
}

fn check(input: &Input, batches: &TableBatches) {
    let counts = input.counts();
    for (table, batch) in Table::FROM_RECORDS.into_iter().zip(batches) {
        let expected = match table {
            _ if table == Table::ROBOTS_FILES => input.bodies.len() as u64,
            _ if table == Table::GROUPS => counts.agents,
            _ if table == Table::RULES => counts.allow + counts.disallow,
            _ if table == Table::SITEMAPS => counts.sitemaps,
            // An HTML page has no directives.
            _ if table == Table::DIRECTIVES && input.name == "html" => 0,
            _ if table == Table::DIRECTIVES => counts.others,
            _ if table == Table::PREFERENCES => counts.preferences,
            _ if table == Table::VERDICTS => counts.verdicts,
            _ if table == Table::FAULTS => 0,
            // The tests cover anomalies of files.
            _ => continue,
        };
        assert_eq!(
            batch.len() as u64,
            expected,
            "{}: {}",
            input.name,
            table.name()
        );
    }
}

//! From a record to rows: a capture is read, examined and put into all tables.
//!
//! Records lend from their reader, so each has a reader of its own here, and reading is not timed.

#![expect(clippy::unwrap_used, reason = "a bench may panic, and says where")]

mod settings;

use criterion::{BenchmarkGroup, Throughput, measurement::WallTime};
use inputs::{Framing, Input};
use robots_scan::analysis::Analyzer;
use robots_scan::capture::{Capture, Scope};
use robots_scan::tables::{Table, TableBatches, Tables};
use std::hint::black_box;
use std::io::Cursor;
use std::slice;
use warc::{Limits, Reader, Record, RecordType};

const NAME: &str = "crawl-data/BENCH-2026-01/segments/0/robotstxt/BENCH-2026-01-00000.warc.gz";

const SCOPE: Scope = Scope {
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
    criterion.final_summary();
}

fn rows(group: &mut BenchmarkGroup<'_, WallTime>, input: &Input) {
    let readers: Vec<Reader> = input
        .bodies
        .iter()
        .map(|body| response(slice::from_ref(body)))
        .collect();
    let records: Vec<Record<'_>> = readers.iter().map(Reader::record).collect();
    let mut tables = Tables::new(&Table::ALL, false);
    check(input, &push(&mut tables, &records));
    group.throughput(Throughput::ElementsAndBytes {
        elements: records.len() as u64,
        bytes: input.bytes(),
    });
    group.bench_function(input.name, |bencher| {
        bencher.iter(|| push(&mut tables, black_box(&records)));
    });
}

fn push(tables: &mut Tables, records: &[Record<'_>]) -> TableBatches {
    // One that has been here before would remember every body.
    let mut analyzer = Analyzer::default();
    for record in records {
        let capture = Capture::read(record, SCOPE).unwrap();
        let facts = analyzer.analyze(NAME, record.location(), &capture);
        tables.push(NAME, &facts);
    }
    tables.take()
}

/// A reader that stands at the response of an archive of one capture.
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
    for (table, batch) in Table::OF_RECORDS.into_iter().zip(batches) {
        let expected = match table {
            Table::RobotsFiles => input.bodies.len() as u64,
            Table::Groups => counts.agents,
            Table::Rules => counts.allow + counts.disallow,
            Table::Sitemaps => counts.sitemaps,
            Table::Directives => counts.others,
            Table::Preferences => counts.preferences,
            Table::Verdicts => counts.verdicts,
            Table::Faults => 0,
            // What is odd in a file is the matter of the tests.
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

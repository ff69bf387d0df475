//! The whole job: an archive in, a dataset out, with one thread.
//!
//! The output is synced to the disk, as in a real run. To leave the disk out of the figures,
//! set `TMPDIR` to a file system in memory.

#![expect(clippy::unwrap_used, reason = "a bench may panic, and says where")]

mod settings;

use criterion::{BatchSize, BenchmarkGroup, Throughput, measurement::WallTime};
use dataset::OutputLayout;
use dataset::division::PartSize;
use inputs::{Archive, Floor, Framing};
use scan::{Options, ScanProgress, ScanSummary};
use sources::InputPlace;
use sources::input::Input;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use tables::Table;
use tempfile::TempDir;

const TWO_TABLES: [Table; 2] = [Table::ROBOTS_FILES, Table::RULES];

fn main() {
    let mut criterion = settings::criterion();
    let mut group = criterion.benchmark_group("scan");
    let usual = inputs::archive_of(&inputs::usual_bodies(2000), 1, Framing::Gzip);
    job(&mut group, "usual", &usual, &Table::ALL);
    job(&mut group, "usual-two-tables", &usual, &TWO_TABLES);
    floor(&mut group, "usual-libdeflate", &usual);
    for (input, repeats) in [
        (inputs::tiny(), 20),
        (inputs::huge(), 4),
        (inputs::html(), 20),
        (inputs::adversarial(), 1),
    ] {
        let archive = inputs::archive_of(&input.bodies, repeats, Framing::Gzip);
        job(&mut group, input.name, &archive, &Table::ALL);
        floor(&mut group, &format!("{}-libdeflate", input.name), &archive);
    }
    group.finish();
    criterion.final_summary();
}

fn job(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, archive: &Archive, tables: &[Table]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.warc.gz");
    fs::write(&path, &archive.bytes).unwrap();
    let input = Input {
        index: 0,
        source: std::sync::Arc::new(sources::reader::Archive {
            place: InputPlace::File(path),
        }),
        name: "archive.warc.gz".to_owned(),
        bytes: Some(archive.bytes.len() as u64),
        crawl: "BENCH-2026-01".to_owned(),
        subset: "robotstxt".to_owned(),
    };
    check(
        name,
        archive,
        tables,
        &scan(&input, tables, tempfile::tempdir().unwrap().path()),
    );
    group.throughput(Throughput::ElementsAndBytes {
        elements: archive.captures,
        bytes: archive.bytes.len() as u64,
    });
    group.bench_function(name, |bencher| {
        let routine = |output: TempDir| {
            scan(&input, tables, output.path());
            // Given back, so that its removal is not timed.
            output
        };
        bencher.iter_batched(
            || tempfile::tempdir().unwrap(),
            routine,
            BatchSize::PerIteration,
        );
    });
}

fn scan(input: &Input, tables: &[Table], output: &Path) -> ScanSummary {
    let options = Options {
        part_size: PartSize::Bytes(2 << 30),
        ..Options::new(
            vec![input.clone()],
            OutputLayout::new(&output.join("out"), tables, None),
        )
    };
    let (notices, _) = channel();
    scan::run(
        &options,
        &ScanProgress::default(),
        &notices,
        &Arc::new(AtomicBool::new(false)),
    )
    .unwrap()
}

fn check(name: &str, archive: &Archive, tables: &[Table], summary: &ScanSummary) {
    let counts = &archive.counts;
    assert_eq!(
        (
            summary.records,
            summary.captures,
            summary.faults,
            summary.failed_inputs
        ),
        (archive.records, archive.captures, 0, 0),
        "{name}"
    );
    let rows = [
        (Table::ROBOTS_FILES, archive.captures),
        (Table::GROUPS, counts.agents),
        (Table::RULES, counts.allow + counts.disallow),
        (Table::SITEMAPS, counts.sitemaps),
        (Table::DIRECTIVES, counts.others),
        (Table::PREFERENCES, counts.preferences),
        (Table::VERDICTS, counts.verdicts),
        (Table::FAULTS, 0),
        (Table::RUNS, 1),
    ];
    for (table, expected) in rows {
        let expected = tables.contains(&table).then_some(&expected);
        assert_eq!(
            summary.written.rows.get(table.name()),
            expected,
            "{name}: {}",
            table.name()
        );
    }
}

fn floor(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, archive: &Archive) {
    let mut floor = Floor::new();
    assert_eq!(
        floor.inflate(&archive.bytes),
        (archive.records, archive.plain_bytes),
        "{name}"
    );
    group.bench_function(name, |bencher| {
        bencher.iter(|| floor.inflate(black_box(&archive.bytes)))
    });
}

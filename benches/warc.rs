//! Benchmarks of the archive reader, compared with decompression alone and with the crate `warc` of
//! crates.io.
//!
//! The readers read files, as users do, and return every block. Decompression alone reads from
//! memory.

#![expect(clippy::unwrap_used, reason = "a bench may panic, and says where")]

mod settings;

use criterion::{BenchmarkGroup, Throughput, measurement::WallTime};
use flate2::bufread::MultiGzDecoder;
use inputs::{Archive, Floor, Framing};
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use warc::{Limits, Reader};
use warc_peer::WarcReader;

/// The number of captures in the archive. With their requests, it has 2,001 records.
const CAPTURES: usize = 1000;

fn main() {
    let mut criterion = settings::criterion();
    let mut group = criterion.benchmark_group("warc");
    let folder = tempfile::tempdir().unwrap();

    // The usual archive, with all readers.
    let bodies = inputs::usual_bodies(CAPTURES);
    let usual = inputs::archive_of(&bodies, 1, Framing::Gzip);
    let path = bench_reader(&mut group, &folder, "usual", &usual);
    floor(&mut group, "usual-libdeflate", &usual);
    group.bench_function("usual-flate2", |bencher| {
        let inflate = || {
            io::copy(
                &mut MultiGzDecoder::new(usual.bytes.as_slice()),
                &mut io::sink(),
            )
            .unwrap()
        };
        assert_eq!(inflate(), usual.plain_bytes);
        bencher.iter(inflate);
    });
    group.bench_function("usual-warc", |bencher| {
        let read = || read_with_peer(WarcReader::from_path_gzip(&path).unwrap());
        assert_eq!(read(), (usual.records, usual.block_bytes));
        bencher.iter(read);
    });
    group.bench_function("usual-warc-flate2", |bencher| {
        let read = || {
            let file = BufReader::with_capacity(1 << 20, File::open(&path).unwrap());
            read_with_peer(WarcReader::new(BufReader::new(MultiGzDecoder::new(file))))
        };
        assert_eq!(read(), (usual.records, usual.block_bytes));
        bencher.iter(read);
    });

    // The same records with other compressions.
    let plain = inputs::archive_of(&bodies, 1, Framing::Plain);
    let path = bench_reader(&mut group, &folder, "usual-plain", &plain);
    group.bench_function("usual-plain-warc", |bencher| {
        let read = || {
            read_with_peer(WarcReader::new(BufReader::with_capacity(
                1 << 20,
                File::open(&path).unwrap(),
            )))
        };
        assert_eq!(read(), (plain.records, plain.block_bytes));
        bencher.iter(read);
    });
    let packed = inputs::archive_of(&bodies, 1, Framing::Zstd);
    bench_reader(&mut group, &folder, "usual-zstd", &packed);
    group.bench_function("usual-zstd-libzstd", |bencher| {
        let mut decompressor = zstd::bulk::Decompressor::new().unwrap();
        let mut output = Vec::with_capacity(4 << 20);
        let mut decompress = || {
            let (mut rest, mut bytes) = (packed.bytes.as_slice(), 0);
            while !rest.is_empty() {
                let (frame, behind) =
                    rest.split_at(zstd::zstd_safe::find_frame_compressed_size(rest).unwrap());
                bytes += decompressor
                    .decompress_to_buffer(frame, &mut output)
                    .unwrap() as u64;
                rest = behind;
            }
            bytes
        };
        assert_eq!(decompress(), packed.plain_bytes);
        bencher.iter(decompress);
    });

    // Other bodies.
    for (input, repeats) in [
        (inputs::tiny(), 10),
        (inputs::huge(), 4),
        (inputs::html(), 20),
    ] {
        let archive = inputs::archive_of(&input.bodies, repeats, Framing::Gzip);
        bench_reader(&mut group, &folder, input.name, &archive);
        floor(&mut group, &format!("{}-libdeflate", input.name), &archive);
    }

    // Every tenth member is damaged and needs a search for the next one.
    let mut damaged = inputs::archive_of(&bodies, 1, Framing::Gzip);
    damaged.damage();
    bench_reader(&mut group, &folder, "adversarial", &damaged);

    group.finish();
    criterion.final_summary();
}

/// Benchmarks the reader on the archive, which is written to a file in `folder`.
fn bench_reader(
    group: &mut BenchmarkGroup<'_, WallTime>,
    folder: &TempDir,
    name: &str,
    archive: &Archive,
) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, &archive.bytes).unwrap();
    let mut reader = Reader::new(Limits::default());
    let (records, block_bytes, faults) = read(&mut reader, &path);
    assert_eq!(
        (records, faults),
        (archive.records - archive.damaged, archive.damaged),
        "{name}"
    );
    if archive.damaged == 0 {
        assert_eq!(block_bytes, archive.block_bytes, "{name}");
    }
    group.throughput(Throughput::ElementsAndBytes {
        elements: archive.records,
        bytes: archive.bytes.len() as u64,
    });
    group.bench_function(name, |bencher| bencher.iter(|| read(&mut reader, &path)));
    path
}

/// Reads a file and returns the numbers of records, of bytes in their blocks, and of faults.
fn read(reader: &mut Reader, path: &Path) -> (u64, u64, u64) {
    let (mut records, mut bytes, mut faults) = (0, 0, 0);
    reader.open_file(path).unwrap();
    loop {
        match reader.read_record() {
            Ok(true) => {
                records += 1;
                bytes += black_box(reader.record().block()).len() as u64;
            }
            Ok(false) => return (records, bytes, faults),
            Err(error) => {
                assert!(!error.is_fatal(), "{error}");
                faults += 1;
            }
        }
    }
}

fn read_with_peer(reader: WarcReader<impl BufRead>) -> (u64, u64) {
    let (mut records, mut bytes) = (0, 0);
    for record in reader.iter_records() {
        records += 1;
        bytes += black_box(record.unwrap().body()).len() as u64;
    }
    (records, bytes)
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

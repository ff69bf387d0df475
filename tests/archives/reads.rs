//! The bytes that are read of an input, and the bytes that are reported.
//!
//! A preloaded library counts the bytes of the system calls. The reported bytes must be
//! the size of the input, for any number of threads.

use dataset::OutputLayout;
use dataset::division::PartSize;
use flate2::Compression;
use flate2::write::GzEncoder;
use scan::{Options, ScanProgress, run};
use serde_json::Value;
use sources::InputPlace;
use sources::input::Input;
use sources::reader::Archive;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use support::assert_same;
use support::shim::{NO_SHIM, Shim, can_load};
use support::{self, Ran, Random, rows};
use tables::Table;
use tempfile::TempDir;

/// The size of a slice, as `docs/developers/architecture.md` states it.
const SLICE_BYTES: u64 = 1 << 20;

/// An input larger than this is read in slices.
const SPLIT_BYTES: u64 = 8 << 20;

/// The most bytes that may be read to find the crawl and the format of a file.
const PLANNING_BYTES: u64 = 64 << 10;

const THREADS: [usize; 2] = [1, 3];

/// Returns bytes that cannot be compressed.
fn noise(random: &mut Random, count: usize) -> Vec<u8> {
    (0..count).map(|_| random.below(256) as u8).collect()
}

/// Returns a response record. Its body is a robots.txt if `path` is `/robots.txt`.
fn response(path: &str, body: &[u8]) -> Vec<u8> {
    let mut block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n".to_vec();
    block.extend_from_slice(body);
    let header = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example{path}\r\n\
         WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    [header.as_bytes(), &block, b"\r\n\r\n"].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(bytes, 1).unwrap()
}

/// Returns records with bodies of these sizes, each followed by a robots.txt.
fn records(random: &mut Random, sizes: &[usize]) -> Vec<Vec<u8>> {
    let mut records = Vec::new();
    for (nth, &size) in sizes.iter().enumerate() {
        records.push(response(&format!("/{nth}.jpg"), &noise(random, size)));
        let rules = format!("User-agent: *\nDisallow: /{nth}/\n");
        records.push(response("/robots.txt", rules.as_bytes()));
    }
    records
}

/// Returns archives of more than 8 MiB with their numbers of captures.
fn archives() -> Vec<(&'static str, Vec<u8>, usize)> {
    let mut random = Random::new(8);
    // From far less than a slice to many slices, and more than is decompressed at once.
    let mixed: Vec<usize> = (0..9)
        .map(|nth| [1_300_000, 40_000, 2_900_000, 900_000, 1_048_000][nth % 5])
        .chain([5_500_000, 10])
        .collect();
    let large = records(&mut random, &mixed);
    let small = records(&mut random, &[9000; 1000]);
    let packed = |records: &[Vec<u8>], pack: fn(&[u8]) -> Vec<u8>| {
        let members: Vec<Vec<u8>> = records.iter().map(|record| pack(record)).collect();
        members.concat()
    };
    let captures = mixed.len();
    vec![
        ("large.warc.gz", packed(&large, gzip), captures),
        ("large.warc.zst", packed(&large, zstd), captures),
        ("large.warc", large.concat(), captures),
        ("whole.warc.gz", gzip(&large.concat()), captures),
        ("whole.warc.zst", zstd(&large.concat()), captures),
        ("small.warc.gz", packed(&small, gzip), 1000),
        ("small.warc", small.concat(), 1000),
    ]
}

/// Scans an archive, and counts the bytes that are read of it.
fn count(path: &Path, out: &Path, threads: usize, options: &[&str]) -> (Ran, u64) {
    let counted = out.with_extension("bytes");
    let mut command = support::command();
    command
        .arg(path)
        .arg("-o")
        .arg(out)
        .args(["--json", "-t", &threads.to_string()])
        .args(options);
    let shim = Shim {
        path: path.to_str().unwrap(),
        calls: "read",
        call: 0,
        what: "sleep",
    };
    shim.load(&mut command);
    command.env("FAULT_BYTES", &counted);
    let ran: Ran = command.output().unwrap().into();
    let bytes = fs::read_to_string(counted).unwrap().parse().unwrap();
    (ran, bytes)
}

#[test]
fn a_file_is_read_almost_once_and_its_size_is_reported() {
    if !can_load() {
        println!("{NO_SHIM}");
        return;
    }
    let folder = TempDir::new().unwrap();
    for (name, bytes, captures) in archives() {
        let path = folder.path().join(name);
        fs::write(&path, &bytes).unwrap();
        let size = bytes.len() as u64;
        assert!(size > SPLIT_BYTES, "{name}");
        let mut first: Option<PathBuf> = None;
        for threads in THREADS {
            let out = folder.path().join(format!("{name}-{threads}"));
            // Crawl and subset are given, so the beginning is read only to detect the format.
            let options = ["--crawl", "X", "--subset", "warc", "--shard", "1/1"];
            let (ran, read) = count(&path, &out, threads, &options);
            assert_eq!(ran.code, Some(0), "{name}: {}", ran.err);
            let boundaries = match threads {
                1 => 0,
                _ => size.div_ceil(SLICE_BYTES) - 1,
            };
            // A large member with several records is first decoded to verify its checksum.
            let twice = if name.starts_with("whole") { size } else { 0 };
            let most = size + twice + boundaries * SLICE_BYTES + PLANNING_BYTES;
            println!("{name}, {threads} threads: {read} bytes read of {size}, at most {most}");
            assert!(read >= size, "{name}, {threads} threads: {read} of {size}");
            assert!(read <= most, "{name}, {threads} threads: {read} of {most}");
            let summary: Value = serde_json::from_str(&ran.out).unwrap();
            assert_eq!(summary["bytes"], size, "{name}, {threads} threads");
            assert_eq!(summary["captures"], captures, "{name}");
            let runs = rows(&out, "runs");
            assert_eq!(runs[0]["input_bytes"], size, "{name}");
            match &first {
                Some(first) => assert_same(first, &out),
                None => first = Some(out),
            }
        }
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn progress_ends_at_the_size_of_the_inputs() {
    let folder = TempDir::new().unwrap();
    let mut inputs = Vec::new();
    let mut total = 0;
    let damaged = fs::read(support::samples().join("warc/damaged-cut.warc.gz")).unwrap();
    let refused = fs::read(support::samples().join("warc/xz-refused.warc.xz")).unwrap();
    let more = [
        ("damaged.warc.gz", damaged, 0),
        ("refused.warc.xz", refused, 0),
    ];
    for (name, bytes, _) in archives().into_iter().chain(more) {
        let path = folder.path().join(name);
        fs::write(&path, &bytes).unwrap();
        total += bytes.len() as u64;
        inputs.push(Input {
            index: inputs.len() as u64,
            source: std::sync::Arc::new(Archive {
                place: InputPlace::File(path),
            }),
            name: name.to_owned(),
            bytes: Some(bytes.len() as u64),
            crawl: "X".to_owned(),
            subset: "warc".to_owned(),
        });
    }
    for threads in THREADS {
        let out = folder.path().join(format!("out-{threads}"));
        let options = Options {
            threads,
            body_limit: None,
            part_size: PartSize::Bytes(20 << 20),
            ..Options::new(inputs.clone(), OutputLayout::new(&out, &Table::ALL, None))
        };
        let progress = ScanProgress::default();
        let (sender, _notices) = std::sync::mpsc::channel();
        let summary = run(&options, &progress, &sender, &Default::default()).unwrap();
        assert_eq!(summary.bytes, total, "{threads} threads");
        assert_eq!(progress.bytes.load(Ordering::Relaxed), total);
        let runs = rows(&out, "runs");
        let bytes = runs.iter().map(|row| row["input_bytes"].as_u64().unwrap());
        assert_eq!(bytes.sum::<u64>(), total, "{threads} threads");
    }
}

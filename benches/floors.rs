//! The single measurements to which `make bench` compares the whole job.
//!
//! Usage: `floors MEASUREMENT ARCHIVE…`. Applies one measurement to all archives in one thread, and
//! prints the CPU seconds, bytes, and a count. The measurements are inflate, read, read-fastwarc, parse
//! and parse-fast-robots.

#![expect(clippy::unwrap_used, reason = "a bench may panic, and says where")]

use capture::{Capture, CaptureScope};
use cpu_time::ProcessTime;
use fast_robots::RobotsTxt;
use fastwarc::warc::iter::{ArchiveIterator, ArchiveIteratorOptions};
use inputs::Floor;
use robots::Parser;
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::io::Read;
use std::path::Path;
use warc::{Limits, Reader};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((measurement, paths)) = args.split_first() else {
        return Err("usage: floors MEASUREMENT ARCHIVE…".into());
    };
    let (mut octets, mut texts) = (Vec::new(), Vec::new());
    match measurement.as_str() {
        "parse" => octets = bodies(paths),
        "parse-fast-robots" => {
            let mend = |body: &Vec<u8>| String::from_utf8_lossy(body).into_owned();
            texts = bodies(paths).iter().map(mend).collect();
        }
        _ => {}
    }
    let start = ProcessTime::now();
    let (bytes, count) = match measurement.as_str() {
        "inflate" => inflate(paths),
        "read" => read(paths),
        "read-fastwarc" => read_fastwarc(paths),
        "parse" => parse(&octets),
        "parse-fast-robots" => parse_fast_robots(&texts),
        _ => return Err(format!("there is no measurement '{measurement}'").into()),
    };
    println!("{} {bytes} {count}", start.elapsed().as_secs_f64());
    Ok(())
}

/// Decompresses with libdeflate, one member at a time, which is the lower bound of every reader.
/// Returns decompressed bytes and members.
fn inflate(paths: &[String]) -> (u64, u64) {
    let mut floor = Floor::new();
    paths.iter().fold((0, 0), |(bytes, count), path| {
        let (members, inflated) = floor.inflate(&fs::read(path).unwrap());
        (bytes + inflated, count + members)
    })
}

/// Reads every block with the reader of this project. Returns bytes of blocks, and records.
fn read(paths: &[String]) -> (u64, u64) {
    let mut reader = Reader::new(Limits::default());
    let (mut bytes, mut count) = (0, 0);
    for path in paths {
        reader.open_file(Path::new(path)).unwrap();
        while reader.read_record().unwrap() {
            bytes += black_box(reader.record().block()).len() as u64;
            count += 1;
        }
    }
    (bytes, count)
}

/// Reads every block with fastwarc, with its fastest options. Returns bytes of blocks, and records.
fn read_fastwarc(paths: &[String]) -> (u64, u64) {
    let (mut bytes, mut count) = (0, 0);
    let mut block = Vec::new();
    let options = ArchiveIteratorOptions {
        parse_http: false,
        inplace: true,
        ..ArchiveIteratorOptions::default()
    };
    for path in paths {
        for record in ArchiveIterator::from_path_with_options(path, options).unwrap() {
            let record = record.unwrap();
            block.clear();
            let mut record = record.borrow_mut();
            record
                .reader_mut()
                .unwrap()
                .read_to_end(&mut block)
                .unwrap();
            bytes += black_box(&block).len() as u64;
            count += 1;
        }
    }
    (bytes, count)
}

/// Returns the bodies that the job parses.
fn bodies(paths: &[String]) -> Vec<Vec<u8>> {
    let mut reader = Reader::new(Limits::default());
    let scope = CaptureScope {
        is_robots_subset: true,
        max_body_bytes: 16 << 20,
        body_limit: Some(robots::BODY_LIMIT_BYTES),
    };
    let mut bodies = Vec::new();
    for path in paths {
        reader.open_file(Path::new(path)).unwrap();
        while reader.read_record().unwrap() {
            let record = reader.record();
            let capture = Capture::read(&record, scope).filter(Capture::should_parse);
            bodies.extend(
                capture
                    .and_then(|capture| capture.body)
                    .map(std::borrow::Cow::into_owned),
            );
        }
    }
    bodies
}

/// Parses with the parser of this project. Returns bytes of bodies, and lines with a key and a value.
fn parse(bodies: &[Vec<u8>]) -> (u64, u64) {
    let mut parser = Parser::new();
    bodies.iter().fold((0, 0), |(bytes, count), body| {
        let robots = black_box(parser.parse(body));
        (
            bytes + body.len() as u64,
            count + robots.directives().len() as u64,
        )
    })
}

/// Parses with fast-robots, which accepts only UTF-8: invalid bytes are replaced beforehand. Returns
/// bytes of bodies, and lines with a key and a value.
fn parse_fast_robots(bodies: &[String]) -> (u64, u64) {
    bodies.iter().fold((0, 0), |(bytes, count), body| {
        let robots = black_box(RobotsTxt::parse(body));
        let lines = robots
            .groups
            .iter()
            .map(|group| group.rules.len() + group.agents.len());
        (
            bytes + body.len() as u64,
            count + lines.sum::<usize>() as u64,
        )
    })
}

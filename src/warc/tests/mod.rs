//! Tests of the reader on archives built in memory.
//!
//! Each archive is read from a file and from a stream, with members decompressed in one call and
//! step by step. All four ways must give the same records and faults.

use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};

use ReadEvent::{Fault, Record};

use crate::{
    ArchiveFile, Compression, DamagedRange, Error, Integrity, Limits, Reader, RecordLocation,
    RecordType, find_range_start,
};

mod damage;
mod hostile;
mod integrity;
mod ranges;
mod valid;

/// Compresses `bytes` as one gzip member.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Compresses `bytes` as one zstd frame with a checksum.
pub(crate) fn zstd(bytes: &[u8], dictionary: &[u8]) -> Vec<u8> {
    let mut encoder =
        ::zstd::stream::write::Encoder::with_dictionary(Vec::new(), 3, dictionary).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns a skippable zstd frame.
pub(crate) fn skippable_frame(first: u8, content: &[u8]) -> Vec<u8> {
    let mut frame = vec![first, 0x2a, 0x4d, 0x18];
    frame.extend_from_slice(&(content.len() as u32).to_le_bytes());
    frame.extend_from_slice(content);
    frame
}

/// Writes a temporary file, which is deleted with the returned guard.
pub(crate) fn write_temp_file(bytes: &[u8]) -> (tempfile::TempPath, PathBuf) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let guard = file.into_temp_path();
    let path = guard.to_path_buf();
    (guard, path)
}

/// A record or fault that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ReadEvent {
    Record {
        location: RecordLocation,
        id: String,
        block: Vec<u8>,
        integrity: Integrity,
    },
    Fault {
        code: &'static str,
        offset: u64,
        skipped: u64,
        decoded: Option<DamagedRange>,
    },
}

/// Limits with which members are decompressed in one call.
const ONE_CALL_LIMITS: Limits = Limits {
    max_header_bytes: 4096,
    max_block_bytes: 1 << 20,
    max_member_bytes: 1 << 20,
};

/// Limits with which members are decompressed step by step.
const STEPWISE_LIMITS: Limits = Limits {
    max_member_bytes: 1,
    ..ONE_CALL_LIMITS
};

/// Returns the bytes of a record.
fn record(record_type: &str, id: &str, block: &[u8]) -> Vec<u8> {
    record_with_length(record_type, id, &block.len().to_string(), block)
}

fn record_with_length(record_type: &str, id: &str, length: &str, block: &[u8]) -> Vec<u8> {
    let mut bytes = format!(
        "WARC/1.0\r\nWARC-Type: {record_type}\r\nWARC-Record-ID: {id}\r\nContent-Length: {length}\r\n\r\n"
    )
    .into_bytes();
    bytes.extend_from_slice(block);
    bytes.extend_from_slice(b"\r\n\r\n");
    bytes
}

/// Returns five records of several types, one with an empty block.
fn five_records() -> Vec<Vec<u8>> {
    vec![
        record("warcinfo", "r0", b"software: none\r\n"),
        record("request", "r1", b"GET /robots.txt HTTP/1.1\r\n\r\n"),
        record(
            "response",
            "r2",
            b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n",
        ),
        record("metadata", "r3", b""),
        record("response", "r4", &b"HTTP/1.1 200 OK\r\n\r\nabc".repeat(3)),
    ]
}

/// Returns the records in each compression and framing: its name, and its members or frames.
fn build_framings(records: &[Vec<u8>]) -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let all = records.concat();
    let dictionary = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: r\r\nContent-Length: ";
    let with_dictionary = std::iter::once(skippable_frame(0x5d, dictionary))
        .chain(records.iter().map(|record| zstd(record, dictionary)))
        .collect();
    vec![
        ("plain", records.to_vec()),
        (
            "gzip a record",
            records.iter().map(|record| gzip(record)).collect(),
        ),
        ("gzip of all", vec![gzip(&all)]),
        (
            "gzip of two and three",
            vec![gzip(&records[..2].concat()), gzip(&records[2..].concat())],
        ),
        (
            "zstd a record",
            records.iter().map(|record| zstd(record, &[])).collect(),
        ),
        ("zstd of all", vec![zstd(&all, &[])]),
        ("zstd with a dictionary", with_dictionary),
    ]
}

fn to_event(result: Result<bool, Error>, reader: &Reader) -> Option<ReadEvent> {
    match result {
        Ok(false) => None,
        Ok(true) => {
            let record = reader.record();
            let id = record.header("warc-record-id").unwrap_or_default();
            Some(Record {
                location: record.location(),
                id: String::from_utf8_lossy(id).into_owned(),
                block: record.block().to_vec(),
                integrity: record.integrity(),
            })
        }
        Err(error) => {
            assert!(!error.is_fatal(), "{error}");
            Some(Fault {
                code: error.code(),
                offset: error.offset(),
                skipped: error.bytes_skipped(),
                decoded: error.decoded_range(),
            })
        }
    }
}

/// Reads all records and faults to the end of the input.
fn read_to_end(reader: &mut Reader) -> Vec<ReadEvent> {
    let mut events = Vec::new();
    while let Some(event) = to_event(reader.read_record(), reader) {
        events.push(event);
        assert!(events.len() < 10_000, "no end");
    }
    assert!(!reader.read_record().unwrap());
    events
}

/// Reads a file, or a range of it, and returns the events and the next offset.
fn read_range(bytes: &[u8], limits: Limits, range: Option<(u64, u64)>) -> (Vec<ReadEvent>, u64) {
    let (_guard, path) = write_temp_file(bytes);
    let mut reader = Reader::new(limits);
    let opened = match range {
        None => reader.open_file(&path),
        Some((from, to)) => reader.open_range(&ArchiveFile::open(&path).unwrap(), from..to),
    };
    if let Err(error) = opened {
        assert!(error.is_fatal());
        return (vec![fault_over_input(&error, bytes)], bytes.len() as u64);
    }
    (read_to_end(&mut reader), reader.next_offset())
}

/// Returns the error of an input that cannot be opened as a fault over all of it.
fn fault_over_input(error: &Error, bytes: &[u8]) -> ReadEvent {
    Fault {
        code: error.code(),
        offset: 0,
        skipped: bytes.len() as u64,
        decoded: None,
    }
}

fn read_stream(bytes: &[u8], limits: Limits) -> Vec<ReadEvent> {
    let mut reader = Reader::new(limits);
    match reader.open_stream(Box::new(Cursor::new(bytes.to_vec()))) {
        Ok(()) => read_to_end(&mut reader),
        Err(error) => vec![fault_over_input(&error, bytes)],
    }
}

/// Reads an input in all four ways, which must give the same.
fn read(bytes: &[u8]) -> Vec<ReadEvent> {
    let (events, position) = read_range(bytes, ONE_CALL_LIMITS, None);
    assert_eq!(position, bytes.len() as u64, "clean end");
    assert_eq!(
        events,
        read_range(bytes, STEPWISE_LIMITS, None).0,
        "step by step"
    );
    assert_eq!(events, read_stream(bytes, ONE_CALL_LIMITS), "as a stream");
    assert_eq!(
        events,
        read_stream(bytes, STEPWISE_LIMITS),
        "as a stream, step by step"
    );
    events
}

fn ids(events: &[ReadEvent]) -> Vec<&str> {
    events
        .iter()
        .filter_map(|event| match event {
            Record { id, .. } => Some(id.as_str()),
            Fault { .. } => None,
        })
        .collect()
}

fn fault(code: &'static str, offset: usize, skipped: usize) -> ReadEvent {
    Fault {
        code,
        offset: offset as u64,
        skipped: skipped as u64,
        decoded: None,
    }
}

fn faults(events: &[ReadEvent]) -> Vec<ReadEvent> {
    events
        .iter()
        .filter(|event| matches!(event, Fault { .. }))
        .cloned()
        .collect()
}

/// Returns the start of each part, and the end of the last.
fn part_starts(parts: &[Vec<u8>]) -> Vec<usize> {
    std::iter::once(0)
        .chain(parts.iter().scan(0, |sum, part| {
            *sum += part.len();
            Some(*sum)
        }))
        .collect()
}

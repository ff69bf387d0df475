//! Checks the records of an uncompressed archive against a slow reference implementation.

use super::oracle::archive::{self, Found};
use super::reading::{Event, IN_ONE_CALL, ReadRecord, with_readers};
use super::{shown, sum_of};
use warc::{Compression, Integrity, Limits, detect};

/// Checks `bytes` as an uncompressed archive.
///
/// Most inputs do not start with a record and would be refused. Therefore they are also checked
/// after an empty record.
pub fn check(bytes: &[u8]) {
    const EMPTY_RECORD: &[u8] = b"WARC/1.1\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    check_archive(&[EMPTY_RECORD, bytes].concat());
    if matches!(detect(bytes), Ok(Compression::None)) {
        check_archive(bytes);
    }
}

fn check_archive(bytes: &[u8]) {
    let max_read_bytes = 1 + sum_of(bytes) as usize % 100;
    let short = Limits {
        max_header_bytes: 100,
        ..IN_ONE_CALL
    };
    let tight = Limits {
        max_block_bytes: 20,
        ..IN_ONE_CALL
    };
    for (how, limits) in [
        ("a file", IN_ONE_CALL),
        ("a stream", IN_ONE_CALL),
        ("short headers", short),
        ("short blocks", tight),
    ] {
        let expected = archive::read(bytes, limits.max_header_bytes, limits.max_block_bytes);
        let read = with_readers(bytes, |readers| match how {
            "a stream" => readers.read_stream(bytes, limits, max_read_bytes),
            _ => readers.read_file(limits),
        });
        let (events, end) = read.unwrap_or_else(|code| panic!("{code}: {}", shown(bytes)));
        assert_eq!(end, bytes.len() as u64, "the end of {}", shown(bytes));
        for (event, found) in events.iter().zip(&expected) {
            assert_same(event, found, bytes, limits.max_block_bytes, how);
        }
        let counts = (events.len(), expected.len());
        assert_eq!(counts.0, counts.1, "{how}, counts of {}", shown(bytes));
        assert_all_bytes_covered(&events, bytes);
    }
}

fn assert_same(event: &Event, found: &Found, bytes: &[u8], block_max: usize, how: &str) {
    let of = || format!("{how}: {event:?}, {found:?} of {}", shown(bytes));
    match (event, found) {
        (
            Event::Record(record),
            Found::Record {
                offset,
                header,
                fields,
                block,
                len,
            },
        ) => {
            let place = (
                record.location.offset,
                record.location.length,
                record.location.index_in_member,
            );
            assert_eq!(place, (*offset as u64, Some(*len as u64), 0), "{}", of());
            assert_eq!(&record.fields, fields, "{}", of());
            let stands = &bytes[offset + header..offset + header + block.min(&block_max)];
            assert_eq!(record.block, stands, "{}", of());
            assert_eq!(record.content_length, *block as u64, "{}", of());
            assert!(!record.has_length_quirk, "{}", of());
            assert_eq!(record.integrity, Integrity::Unguarded, "{}", of());
            assert!(
                bytes[*offset..].starts_with(&record.version)
                    && record.version[..5].eq_ignore_ascii_case(b"WARC/"),
                "{}",
                of()
            );
            assert_record_type(record);
        }
        (Event::Fault(fault), Found::Fault { offset, len, code }) => {
            let seen = (
                fault.code,
                fault.offset,
                fault.bytes_skipped,
                fault.decoded_range,
            );
            let expected = (*code, *offset as u64, *len as u64, None);
            assert_eq!(seen, expected, "{}", of());
        }
        _ => panic!("{}", of()),
    }
}

/// Asserts that the type is that of the first `WARC-Type`.
fn assert_record_type(record: &ReadRecord) {
    let mut types = record.fields.iter();
    let word = types.find(|(name, _)| name.eq_ignore_ascii_case(b"warc-type"));
    let word = word.map_or(Vec::new(), |(_, value)| value.to_ascii_lowercase());
    let name = record.record_type.name();
    assert!(name.as_bytes() == word || name == "unknown", "{record:?}");
    assert!(name != "unknown" || word != b"response", "{record:?}");
}

/// Asserts that every byte belongs to a record, a fault, or a line end between them.
fn assert_all_bytes_covered(events: &[Event], bytes: &[u8]) {
    let mut end = 0;
    for event in events {
        let (from, len) = match event {
            Event::Record(record) => (record.location.offset, record.location.length.unwrap_or(0)),
            Event::Fault(fault) => (fault.offset, fault.bytes_skipped),
        };
        assert_line_ends(&bytes[end..from as usize], event, bytes);
        end = (from + len) as usize;
    }
    assert_line_ends(&bytes[end..], "the end", bytes);
}

fn assert_line_ends(between: &[u8], before: impl std::fmt::Debug, bytes: &[u8]) {
    let all = between.iter().all(|byte| matches!(byte, b'\r' | b'\n'));
    assert!(
        all,
        "{} before {before:?} of {}",
        shown(between),
        shown(bytes)
    );
}

//! The records of a plain archive are those that a slow twin finds.

use super::reading::{Event, Given, USUAL, at_desk};
use super::twin::archive::{self, Found};
use super::{shown, sum_of};
use warc::{Compression, Integrity, Limits, detect};

/// Checks `bytes` as the text of an archive.
///
/// Most texts begin with no record, and would be refused: so a record of
/// nothing stands before them.
pub fn check(bytes: &[u8]) {
    const NOTHING: &[u8] = b"WARC/1.1\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    check_archive(&[NOTHING, bytes].concat());
    if matches!(detect(bytes), Ok(Compression::None)) {
        check_archive(bytes);
    }
}

fn check_archive(bytes: &[u8]) {
    let at_once = 1 + sum_of(bytes) as usize % 100;
    let short = Limits {
        max_header_bytes: 100,
        ..USUAL
    };
    let tight = Limits {
        max_block_bytes: 20,
        ..USUAL
    };
    for (how, limits) in [
        ("a file", USUAL),
        ("a stream", USUAL),
        ("short headers", short),
        ("short blocks", tight),
    ] {
        let expected = archive::read(bytes, limits.max_header_bytes, limits.max_block_bytes);
        let read = at_desk(bytes, |desk| match how {
            "a stream" => desk.read_stream(bytes, limits, at_once),
            _ => desk.read_file(limits),
        });
        let (events, end) = read.unwrap_or_else(|code| panic!("{code}: {}", shown(bytes)));
        assert_eq!(end, bytes.len() as u64, "the end of {}", shown(bytes));
        for (event, found) in events.iter().zip(&expected) {
            assert_same(event, found, bytes, limits.max_block_bytes, how);
        }
        let counts = (events.len(), expected.len());
        assert_eq!(counts.0, counts.1, "{how}, counts of {}", shown(bytes));
        assert_account(&events, bytes);
    }
}

fn assert_same(event: &Event, found: &Found, bytes: &[u8], block_max: usize, how: &str) {
    let of = || format!("{how}: {event:?}, {found:?} of {}", shown(bytes));
    match (event, found) {
        (
            Event::Record(it),
            Found::Record {
                at,
                header,
                fields,
                block,
                len,
            },
        ) => {
            let place = (
                it.location.offset,
                it.location.length,
                it.location.index_in_member,
            );
            assert_eq!(place, (*at as u64, Some(*len as u64), 0), "{}", of());
            assert_eq!(&it.fields, fields, "{}", of());
            let stands = &bytes[at + header..at + header + block.min(&block_max)];
            assert_eq!(it.block, stands, "{}", of());
            assert_eq!(it.content_length, *block as u64, "{}", of());
            assert!(!it.has_length_quirk, "{}", of());
            assert_eq!(it.integrity, Integrity::Unguarded, "{}", of());
            assert!(
                bytes[*at..].starts_with(&it.version)
                    && it.version[..5].eq_ignore_ascii_case(b"WARC/"),
                "{}",
                of()
            );
            assert_kind(it);
        }
        (Event::Fault(it), Found::Fault { at, len, code }) => {
            let seen = (it.code, it.offset, it.bytes_skipped, it.decoded_range);
            let expected = (*code, *at as u64, *len as u64, None);
            assert_eq!(seen, expected, "{}", of());
        }
        _ => panic!("{}", of()),
    }
}

/// The kind is the word of the first `WARC-Type`.
fn assert_kind(it: &Given) {
    let mut types = it.fields.iter();
    let word = types.find(|(name, _)| name.eq_ignore_ascii_case(b"warc-type"));
    let word = word.map_or(Vec::new(), |(_, value)| value.to_ascii_lowercase());
    let name = it.record_type.name();
    assert!(name.as_bytes() == word || name == "unknown", "{it:?}");
    assert!(name != "unknown" || word != b"response", "{it:?}");
}

/// Every byte belongs to a record, a fault, or a line end between them.
fn assert_account(events: &[Event], bytes: &[u8]) {
    let mut at = 0;
    for event in events {
        let (from, len) = match event {
            Event::Record(it) => (it.location.offset, it.location.length.unwrap_or(0)),
            Event::Fault(it) => (it.offset, it.bytes_skipped),
        };
        assert_line_ends(&bytes[at..from as usize], event, bytes);
        at = (from + len) as usize;
    }
    assert_line_ends(&bytes[at..], "the end", bytes);
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

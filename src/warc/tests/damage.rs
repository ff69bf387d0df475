//! Damaged archives: the faults that are reported, and the records that are still read.

use super::*;

#[test]
fn a_valid_member_with_a_wrong_content_length_is_skipped_alone() {
    let good = gzip(&five_records()[1]);
    for length in [
        "0",
        "2",
        "4",
        "10",
        "600",
        "99999999999",
        "-1",
        "abc",
        "",
        "18446744073709551615",
    ] {
        let bad = gzip(&record_with_length("response", "bad", length, b"12345"));
        for order in [
            [&bad, &good, &good],
            [&good, &bad, &good],
            [&good, &good, &bad],
        ] {
            let bytes = order.map(Vec::as_slice).concat();
            let offset = order
                .iter()
                .take_while(|part| **part != &bad)
                .map(|part| part.len())
                .sum();
            let events = read(&bytes);
            assert_eq!(ids(&events), ["r1", "r1"], "{length}");
            assert_eq!(
                faults(&events),
                [fault("bad_content_length", offset, bad.len())],
                "{length}"
            );
        }
    }
}

#[test]
fn two_content_lengths_must_be_equal() {
    let header =
        "WARC/1.0\r\nWARC-Type: x\r\nContent-Length: 1\r\ncontent-length: 2\r\n\r\n12\r\n\r\n";
    let bytes = gzip(header.as_bytes());
    assert_eq!(read(&bytes), [fault("bad_content_length", 0, bytes.len())]);
    let bytes = gzip(header.replace("length: 2", "length: 1").as_bytes());
    assert_eq!(read(&bytes), [fault("bad_content_length", 0, bytes.len())]);
    let agreed = header.replace("Length: 1", "Length: 2");
    assert_eq!(read(&gzip(agreed.as_bytes())).len(), 1);
}

#[test]
fn damage_in_a_shared_member_is_reported_with_its_decoded_range() {
    let mut records = five_records();
    records[1] = record_with_length("request", "r1", "999", b"short");
    let start = records[0].len() as u64;
    let skipped = records[1].len() as u64;
    let bytes = gzip(&records.concat());
    let events = read(&bytes);
    assert_eq!(ids(&events), ["r0", "r2", "r3", "r4"]);
    let Fault {
        code,
        offset,
        skipped: 0,
        decoded,
        ..
    } = &events[1]
    else {
        panic!("{events:?}");
    };
    assert_eq!((*code, *offset), ("truncated", 0));
    assert_eq!(
        *decoded,
        Some(DamagedRange {
            offset: start,
            bytes: skipped
        })
    );
    let Record { location, .. } = &events[2] else {
        panic!("{events:?}");
    };
    assert_eq!((location.index_in_member, location.length), (2, None));
}

#[test]
fn the_damaged_range_of_a_cut_block_above_the_limit_starts_at_its_record() {
    let mut records = five_records();
    records[4] = record_with_length("response", "r4", "999", &[b'x'; 90]);
    let start = records[..4].concat().len() as u64;
    let limits = Limits {
        max_block_bytes: 50,
        ..ONE_CALL_LIMITS
    };
    let (events, _) = read_range(&gzip(&records.concat()), limits, None);
    let Some(Fault {
        decoded: Some(range),
        ..
    }) = events.last()
    else {
        panic!("{events:?}");
    };
    let skipped = records[4].len() as u64;
    assert_eq!((range.offset, range.bytes), (start, skipped));
}

#[test]
fn garbage_in_a_shared_member_loses_no_record() {
    let mut records = five_records();
    records[0].extend_from_slice(b"garbage\n");
    records[2].extend_from_slice(b"more of it\r\n");
    let events = read(&gzip(&records.concat()));
    assert_eq!(ids(&events), ["r0", "r1", "r2", "r3", "r4"]);
    assert_eq!(faults(&events).len(), 2);
    let plain = read(&records.concat());
    assert_eq!(ids(&plain), ["r0", "r1", "r2", "r3", "r4"]);
    assert_eq!(faults(&plain)[0], fault("garbage", records[0].len() - 8, 8));
}

#[test]
fn garbage_between_members_is_skipped() {
    let records = five_records();
    let (a, b) = (gzip(&records[0]), gzip(&records[1]));
    let bytes = [&a[..], b"\x1f\x8b\x08 garbage", &b[..], b"rest"].concat();
    let events = read(&bytes);
    assert_eq!(ids(&events), ["r0", "r1"]);
    assert_eq!(
        faults(&events),
        [
            fault("corrupt", a.len(), 11),
            fault("garbage", bytes.len() - 4, 4)
        ]
    );
    let zeros = [&a[..], &[0; 600], &b[..]].concat();
    let events = read(&zeros);
    assert_eq!(ids(&events), ["r0", "r1"]);
    assert_eq!(faults(&events), [fault("garbage", a.len(), 600)]);
}

#[test]
fn a_wrong_checksum_loses_only_its_record() {
    let records = five_records();
    let (mut a, b) = (gzip(&records[0]), gzip(&records[1]));
    let crc = a.len() - 8;
    a[crc] ^= 1;
    let events = read(&[&a[..], &b[..]].concat());
    assert_eq!(ids(&events), ["r1"]);
    assert_eq!(faults(&events), [fault("checksum", 0, a.len())]);
}

#[test]
fn records_returned_before_damage_was_found_are_counted() {
    let count_records_before = |records: &[Vec<u8>]| {
        let mut bytes = gzip(&records.concat());
        let crc = bytes.len() - 8;
        bytes[crc] ^= 1;
        let mut reader = Reader::new(ONE_CALL_LIMITS);
        reader.open_stream(Box::new(Cursor::new(bytes))).unwrap();
        loop {
            match reader.read_record() {
                Ok(is_there) => assert!(is_there),
                Err(error) => return (error.code(), error.records_before()),
            }
        }
    };
    // The end of the last record was never valid.
    assert_eq!(count_records_before(&five_records()), ("checksum", 4));
    assert_eq!(count_records_before(&five_records()[..1]), ("checksum", 0));
}

#[test]
fn bytes_produced_by_damage_are_not_the_next_record() {
    let records = five_records();
    for last in [&b"w"[..], b"WAR", b"x", b"wa"] {
        // The last line end was changed, as the checksum shows.
        let text = [&records[0][..records[0].len() - 1], last].concat();
        for (name, mut packed) in [("gzip", gzip(&text)), ("zstd", zstd(&text, &[]))] {
            let index = packed.len() - if name == "gzip" { 8 } else { 1 };
            packed[index] ^= 1;
            let good = if name == "gzip" {
                gzip(&records[1])
            } else {
                zstd(&records[1], &[])
            };
            let events = read(&[&packed[..], &good].concat());
            assert_eq!(ids(&events), ["r1"], "{name} {last:?}");
            assert_eq!(faults(&events), [fault("checksum", 0, packed.len())]);
        }
    }
}

#[test]
fn consecutive_members_without_records_are_one_fault() {
    let paths = gzip(b"crawl-data/CC-MAIN-2024-22/warc.paths\n");
    let bytes = [paths.clone(), paths.clone(), gzip(b"")].concat();
    assert_eq!(read(&bytes), [fault("not_warc", 0, bytes.len())]);
    let arc = gzip(b"filedesc://x.arc.gz 0.0.0.0 20080430204825 text/plain 77\n");
    let bytes = [arc.clone(), paths.clone()].concat();
    assert_eq!(read(&bytes), [fault("unsupported", 0, bytes.len())]);
    let good = gzip(&five_records()[0]);
    let bytes = [&good[..], &paths, &paths, &good].concat();
    let events = read(&bytes);
    assert_eq!(ids(&events), ["r0", "r0"]);
    assert_eq!(
        faults(&events),
        [fault("not_warc", good.len(), 2 * paths.len())]
    );
}

#[test]
fn a_huge_content_length_in_an_uncompressed_archive_hides_no_record() {
    for length in ["150", "100000", "9999999999999", "18446744073709551615"] {
        let mut records = five_records();
        records[1] = record_with_length("request", "bad", length, b"short");
        let events = read(&records.concat());
        assert_eq!(ids(&events), ["r0", "r2", "r3", "r4"], "{length}");
        let code = if length == "150" {
            "bad_content_length"
        } else {
            "truncated"
        };
        assert_eq!(
            faults(&events),
            [fault(code, records[0].len(), records[1].len())]
        );
    }
}

#[test]
fn a_content_length_that_ends_inside_a_later_record_hides_no_record() {
    let mut records = five_records();
    // To the end of the status line in the block of the response.
    let status_line_end = memchr::memmem::find(&records[2], b"200 OK").unwrap() + 6;
    let length = 5 + 4 + records[1].len() + status_line_end;
    records[0] = record_with_length("warcinfo", "bad", &length.to_string(), b"short");
    for packed in [records.concat(), gzip(&records.concat())] {
        let events = read(&packed);
        assert_eq!(ids(&events), ["r1", "r2", "r3", "r4"], "{events:?}");
        assert_eq!(faults(&events).len(), 1);
    }
}

/// This limitation is documented: nothing shows that the length is wrong.
#[test]
fn a_content_length_that_ends_with_a_later_record_hides_the_records_between() {
    for beyond in 0..=4 {
        let mut records = five_records();
        let length = 5 + 4 + records[1].len() + records[2].len() - 4 + beyond;
        records[0] = record_with_length("warcinfo", "bad", &length.to_string(), b"short");
        for packed in [records.concat(), gzip(&records.concat())] {
            let events = read(&packed);
            assert_eq!(ids(&events), ["bad", "r3", "r4"], "{beyond}: {events:?}");
            assert_eq!(faults(&events), [], "{beyond}");
        }
    }
}

#[test]
fn a_header_without_an_end_is_a_fault() {
    let mut long = b"WARC/1.0\r\nWARC-Type: x\r\nContent-Length: 0\r\nX: ".to_vec();
    long.resize(9000, b'x');
    let bytes = [&long[..], b"\r\n\r\n", &five_records()[1]].concat();
    let events = read(&bytes);
    assert_eq!(ids(&events), ["r1"]);
    assert_eq!(faults(&events), [fault("header_too_long", 0, 9004)]);
    let member = gzip(&long);
    assert_eq!(read(&member), [fault("header_too_long", 0, member.len())]);
    let member = gzip(b"WARC/1.0\r\nContent-Length: 0\r\n");
    assert_eq!(read(&member), [fault("truncated", 0, member.len())]);
}

#[test]
fn an_input_that_fails_is_fatal() {
    struct FailingStream(usize);
    impl std::io::Read for FailingStream {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            if self.0 == 0 {
                return Err(std::io::Error::other("gone"));
            }
            let text = five_records().concat();
            let count = self.0.min(out.len());
            out[..count].copy_from_slice(&text[..count]);
            self.0 -= count;
            Ok(count)
        }
    }
    let mut reader = Reader::new(ONE_CALL_LIMITS);
    assert_eq!(
        reader
            .open_stream(Box::new(FailingStream(100)))
            .unwrap_err()
            .code(),
        "io"
    );
    let missing = Path::new("no such file");
    assert_eq!(reader.open_file(missing).unwrap_err().code(), "io");
    assert!(!reader.read_record().unwrap());
    assert_eq!(reader.compression(), Compression::None);
}

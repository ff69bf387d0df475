//! Valid archives in each compression and framing, and unusual input that is not a fault.

use super::*;

#[test]
fn each_compression_and_framing_gives_the_same_records() {
    for (name, parts) in build_framings(&five_records()) {
        let events = read(&parts.concat());
        assert_eq!(ids(&events), ["r0", "r1", "r2", "r3", "r4"], "{name}");
        assert_eq!(events.len(), 5, "{name}");
        let Record { block, .. } = &events[1] else {
            panic!("{name}");
        };
        assert_eq!(block, b"GET /robots.txt HTTP/1.1\r\n\r\n", "{name}");
    }
}

#[test]
fn the_location_of_a_single_record_is_that_of_its_member() {
    for (name, parts) in build_framings(&five_records()) {
        if name.contains("of") {
            continue;
        }
        let starts = part_starts(&parts);
        let skip = parts.len() - 5;
        for (index, event) in read(&parts.concat()).iter().enumerate() {
            let Record { location, .. } = event else {
                panic!("{name}");
            };
            let want = RecordLocation {
                offset: starts[index + skip] as u64,
                length: Some(parts[index + skip].len() as u64),
                index_in_member: 0,
            };
            assert_eq!(*location, want, "{name}");
        }
    }
}

#[test]
fn records_that_share_a_member_have_an_index_and_no_length() {
    let records = five_records();
    let parts = [gzip(&records[..2].concat()), gzip(&records[2..].concat())];
    let second = parts[0].len() as u64;
    let places: Vec<_> = read(&parts.concat())
        .iter()
        .map(|event| match event {
            Record { location, .. } => (location.offset, location.length, location.index_in_member),
            Fault { .. } => panic!("{event:?}"),
        })
        .collect();
    let want = [(0, 0), (0, 1), (second, 0), (second, 1), (second, 2)];
    assert!(
        places
            .into_iter()
            .eq(want.map(|(offset, n)| (offset, None, n)))
    );
}

#[test]
fn an_empty_input_is_a_fault() {
    let empty = Fault {
        code: "input_empty",
        offset: 0,
        skipped: 0,
        decoded: None,
    };
    assert_eq!(read(b""), [empty]);
}

#[test]
fn an_archive_without_records_is_not_a_fault() {
    for bytes in [
        b"\r\n\r\n".to_vec(),
        gzip(b""),
        gzip(b"\r\n"),
        zstd(b"", &[]),
        [gzip(b""), gzip(b"")].concat(),
        [gzip(b""), vec![0; 492]].concat(),
        skippable_frame(0x50, b"abc"),
    ] {
        assert_eq!(read(&bytes), [], "{bytes:?}");
    }
}

#[test]
fn empty_members_and_padding_are_skipped() {
    let records = five_records();
    let mut bytes = [gzip(b""), gzip(&records[0]), gzip(b""), gzip(&records[1])].concat();
    let len = bytes.len();
    bytes.resize(len.next_multiple_of(512), 0);
    let events = read(&bytes);
    assert_eq!((ids(&events), events.len()), (vec!["r0", "r1"], 2));
    // Other zeros may be the remains of records.
    for zeros in [1, 512, 5000, len.next_multiple_of(512) + 512 - len] {
        bytes.resize(len + zeros, 0);
        let events = read(&bytes);
        assert_eq!(ids(&events), ["r0", "r1"]);
        assert_eq!(faults(&events), [fault("garbage", len, zeros)]);
    }
    let between = [
        zstd(&records[0], &[]),
        skippable_frame(0x53, b"note"),
        zstd(&records[1], &[]),
    ];
    let events = read(&between.concat());
    assert_eq!((ids(&events), events.len()), (vec!["r0", "r1"], 2));
}

#[test]
fn a_compressed_dictionary_is_decompressed() {
    let dictionary = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: r0\r\n".repeat(4);
    let mut bytes = skippable_frame(0x5d, &zstd(&dictionary, &[]));
    bytes.extend(
        five_records()
            .iter()
            .flat_map(|record| zstd(record, &dictionary)),
    );
    assert_eq!(ids(&read(&bytes)).len(), 5);
    let broken = skippable_frame(0x5d, b"\x28\xb5\x2f\xfd...");
    let mut reader = Reader::new(ONE_CALL_LIMITS);
    let error = reader
        .open_stream(Box::new(Cursor::new(broken)))
        .unwrap_err();
    assert_eq!(error.code(), "bad_dictionary");
}

#[test]
fn a_dictionary_is_dropped_with_its_input() {
    let framings = build_framings(&five_records());
    let mut reader = Reader::new(ONE_CALL_LIMITS);
    for turn in 0..2 {
        for (name, parts) in &framings {
            let (_guard, path) = write_temp_file(&parts.concat());
            reader.open_file(&path).unwrap();
            assert_eq!(ids(&read_to_end(&mut reader)).len(), 5, "{name} {turn}");
        }
    }
}

#[test]
fn a_block_of_2018_34_is_two_bytes_longer_than_its_content_length() {
    let block = b"HTTP/1.1 200 OK\r\n\r\n\r\nbody";
    let short = (block.len() - 2).to_string();
    let quirk = gzip(&record_with_length("response", "q", &short, block));
    let bytes = [quirk.clone(), gzip(&five_records()[1])].concat();
    for limits in [ONE_CALL_LIMITS, STEPWISE_LIMITS] {
        let mut reader = Reader::new(limits);
        let input = Box::new(Cursor::new(bytes.clone()));
        reader.open_stream(input).unwrap();
        assert!(reader.read_record().unwrap());
        let record = reader.record();
        assert!(record.has_length_quirk() && !record.is_truncated());
        assert_eq!(record.block(), block);
        assert_eq!(record.content_length(), block.len() as u64 - 2);
        assert_eq!(record.location().length, Some(quirk.len() as u64));
        assert!(reader.read_record().unwrap());
        assert!(!reader.record().has_length_quirk());
        assert!(!reader.read_record().unwrap());
    }
}

#[test]
fn any_number_of_line_ends_may_follow_a_record() {
    let records = five_records();
    for ends in ["", "\n", "\r\n", "\n\n", "\r\n\r\n\r\n\r\n\n"] {
        let mut bytes = Vec::new();
        for record in &records {
            bytes.extend_from_slice(&record[..record.len() - 4]);
            bytes.extend_from_slice(ends.as_bytes());
        }
        for packed in [bytes.clone(), gzip(&bytes)] {
            let events = read(&packed);
            assert_eq!((ids(&events).len(), events.len()), (5, 5), "{ends:?}");
        }
        let one = [&records[0][..records[0].len() - 4], ends.as_bytes()].concat();
        assert_eq!(ids(&read(&gzip(&one))), ["r0"], "{ends:?}");
    }
}

#[test]
fn a_block_above_the_limit_is_truncated_and_its_end_is_validated() {
    let limits = Limits {
        max_block_bytes: 10,
        ..ONE_CALL_LIMITS
    };
    let big = vec![b'x'; 300_000];
    let records = [
        record("response", "big", &big),
        record("response", "small", b"0123456789"),
        record_with_length("response", "bad", "200000", &big),
        record("response", "last", b"x"),
    ];
    for (name, bytes) in [
        ("plain", records.concat()),
        (
            "gzip",
            records.iter().flat_map(|record| gzip(record)).collect(),
        ),
        ("gzip of all", gzip(&records.concat())),
        (
            "zstd",
            records
                .iter()
                .flat_map(|record| zstd(record, &[]))
                .collect(),
        ),
    ] {
        let (events, position) = read_range(&bytes, limits, None);
        assert_eq!(position, bytes.len() as u64);
        assert_eq!(ids(&events), ["big", "small", "last"], "{name}");
        assert_eq!(faults(&events).len(), 1, "{name}");
        assert_eq!(events, read_stream(&bytes, limits), "{name}");
        let mut reader = Reader::new(limits);
        reader.open_stream(Box::new(Cursor::new(bytes))).unwrap();
        assert!(reader.read_record().unwrap());
        assert!(reader.record().is_truncated());
        assert_eq!(reader.record().block(), b"xxxxxxxxxx");
        assert_eq!(reader.record().content_length(), 300_000);
        assert_eq!(reader.record().record_type(), RecordType::Response);
        assert!(reader.read_record().unwrap());
        assert!(!reader.record().is_truncated());
    }
}

#[test]
fn folded_and_unusual_headers_are_read() {
    let text = "WARC/0.18\nwarc-type: RESPONSE \nWARC-Target-URI: <http://a/\n  b>\nno colon\n\
        Content-Length: 2\nX: caf\u{e9}\n\nhi\n\n";
    let mut reader = Reader::new(ONE_CALL_LIMITS);
    let input = Box::new(Cursor::new(text.as_bytes()));
    reader.open_stream(input).unwrap();
    assert!(reader.read_record().unwrap());
    let record = reader.record();
    assert_eq!(record.version(), b"WARC/0.18");
    assert_eq!(record.record_type(), RecordType::Response);
    assert_eq!(record.target_uri(), Some(&b"http://a/ b"[..]));
    assert_eq!(record.header("x"), Some("caf\u{e9}".as_bytes()));
    assert_eq!(record.headers().count(), 4);
    assert_eq!(record.block(), b"hi");
    assert_eq!(record.location().length, Some(text.len() as u64));
    assert!(!reader.read_record().unwrap());
}

#[test]
fn a_folded_content_length_is_unfolded_first() {
    let header_with = |length: &str| format!("WARC/1.0\nContent-Length:{length}\n\nhi\n\n");
    assert_eq!(read(header_with("\n 2").as_bytes()).len(), 1);
    let two = header_with("2\n 2");
    let expected = [fault("bad_content_length", 0, two.len())];
    assert_eq!(read(two.as_bytes()), expected);
}

#[test]
fn a_large_member_of_many_records_is_read_step_by_step() {
    let block = b"some text that is rather long, ".repeat(100);
    let records: Vec<_> = (0..2000)
        .map(|index| record("resource", &format!("r{index}"), &block))
        .collect();
    let all = records.concat();
    for bytes in [gzip(&all), zstd(&all, &[])] {
        let events = read(&bytes);
        assert_eq!((ids(&events).len(), events.len()), (2000, 2000));
        let cut = read(&bytes[..bytes.len() / 2]);
        assert_eq!(faults(&cut), [fault("truncated", 0, bytes.len() / 2)]);
        assert!(ids(&cut).len() > 500, "{}", ids(&cut).len());
    }
}

#[test]
fn a_version_line_may_be_in_lower_case() {
    let text = String::from_utf8(five_records().concat()).unwrap();
    let small = text.replace("WARC/1.0", "warc/1.0");
    for bytes in [small.clone().into_bytes(), gzip(small.as_bytes())] {
        let events = read(&bytes);
        assert_eq!((ids(&events).len(), events.len()), (5, 5));
    }
}

#[test]
fn members_larger_than_the_buffer_are_read() {
    // Bytes that do not compress, from a deterministic generator.
    let mut state = 1_u32;
    let block: Vec<u8> = (0..5_500_000)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .collect();
    let records = [
        record("resource", "r0", b"first"),
        record("resource", "r1", &block),
        record("resource", "r2", &block[..2_000_000]),
        record("resource", "r3", b"last"),
    ];
    let limits = Limits {
        max_block_bytes: 6 << 20,
        max_member_bytes: 8 << 20,
        ..ONE_CALL_LIMITS
    };
    for bytes in [
        records
            .iter()
            .flat_map(|record| gzip(record))
            .collect::<Vec<_>>(),
        records
            .iter()
            .flat_map(|record| zstd(record, &[]))
            .collect(),
        records.concat(),
    ] {
        let (events, position) = read_range(&bytes, limits, None);
        assert_eq!(position, bytes.len() as u64);
        assert_eq!(ids(&events), ["r0", "r1", "r2", "r3"]);
        assert!(matches!(&events[1], Record { block: got, .. } if *got == block));
        assert_eq!(events, read_stream(&bytes, limits));
    }
}

#[test]
fn a_reader_can_be_moved_to_another_thread() {
    fn assert_send<T: Send>() {}
    assert_send::<Reader>();
}

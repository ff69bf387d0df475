//! Hostile input that is made to slow down searches: the work stays linear, and the result does not
//! depend on how the input is read.

use super::*;
use crate::detect;

const MIB: usize = 1 << 20;

/// The records and faults of one pass, and the work of its searches.
#[derive(Debug, PartialEq, Eq)]
struct PassResult {
    events: Vec<ReadEvent>,
    work: u64,
}

fn read_file(path: &Path, limits: Limits) -> PassResult {
    let mut reader = Reader::new(limits);
    reader.open_file(path).unwrap();
    let events = read_to_end(&mut reader);
    let work = reader.decoder.budget.total_work;
    PassResult { events, work }
}

fn read_as_stream(bytes: &[u8], limits: Limits) -> PassResult {
    let mut reader = Reader::new(limits);
    let stream = Box::new(Cursor::new(bytes.to_vec()));
    reader.open_stream(stream).unwrap();
    let events = read_to_end(&mut reader);
    let work = reader.decoder.budget.total_work;
    PassResult { events, work }
}

/// Reads a file in ranges of `range` bytes, as the pipeline does, and returns how many of the
/// guessed starts were correct.
fn read_in_ranges(path: &Path, length: u64, range: u64) -> (Vec<ReadEvent>, usize) {
    let mut reader = Reader::new(ONE_CALL_LIMITS);
    reader.open_file(path).unwrap();
    let compression = reader.compression();
    let file = ArchiveFile::open(path).unwrap();
    let (mut events, mut position, mut correct_guesses) = (Vec::new(), 0, 0);
    for from in (0..length).step_by(range as usize) {
        let to = from + range;
        if position >= to {
            continue;
        }
        let guess = find_range_start(&file, compression, from, to).unwrap();
        correct_guesses += usize::from(guess == Some(position));
        reader.open_range(&file, position..to).unwrap();
        events.extend(read_to_end(&mut reader));
        position = reader.next_offset();
    }
    assert_eq!(position, length);
    (events, correct_guesses)
}

/// The header of a gzip member without optional fields.
const GZIP_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// Returns the header of a stored deflate block.
fn stored_block_header(length: usize) -> Vec<u8> {
    let length = length as u16;
    let lengths = [length.to_le_bytes(), (!length).to_le_bytes()];
    [&[0], &lengths[0][..], &lengths[1]].concat()
}

/// Returns the header of a raw zstd block.
fn raw_block_header(length: usize) -> Vec<u8> {
    ((length << 3) as u32).to_le_bytes()[..3].to_vec()
}

const RECORD_TEXT: &[u8] = b"WARC/1.0\r\nA: b\r\n";

fn pad_to(mut bytes: Vec<u8>, length: usize) -> Vec<u8> {
    assert!(bytes.len() <= length);
    bytes.resize(length, b'-');
    bytes
}

/// Returns a gzip member at every 64 bytes, each of which continues to the end through blocks inside
/// the others.
fn overlapping_gzip_members(length: usize) -> Vec<u8> {
    const SLOT: usize = 64;
    let reach = 1000 * SLOT;
    let first = [
        &GZIP_HEADER[..],
        &stored_block_header(reach + 48 - 15),
        RECORD_TEXT,
    ]
    .concat();
    let slot = [pad_to(first, 48), stored_block_header(reach - 5)].concat();
    pad_to(slot, SLOT).repeat(length / SLOT)
}

fn overlapping_zstd_frames(length: usize) -> Vec<u8> {
    const SLOT: usize = 64;
    let reach = 1000 * SLOT;
    let head = b"\x28\xb5\x2f\xfd\x00\x58";
    let first = [&head[..], &raw_block_header(reach + 56 - 9), RECORD_TEXT].concat();
    let slot = [pad_to(first, 56), raw_block_header(reach - 3)].concat();
    pad_to(slot, SLOT).repeat(length / SLOT)
}

/// Returns a gzip header at every 12 bytes, whose extra field reaches over the others to empty
/// blocks.
fn costly_probes(length: usize) -> Vec<u8> {
    let mut unit = Vec::new();
    for nth in 0..300_u16 {
        unit.extend_from_slice(b"\x1f\x8b\x08\x04\0\0\0\0\0\xff");
        unit.extend_from_slice(&(12 * (299 - nth)).to_le_bytes());
    }
    unit.extend(stored_block_header(0).repeat(819));
    unit.push(0xff);
    unit.repeat(length / unit.len())
}

/// Returns members without their last third.
fn cut_members(length: usize) -> Vec<u8> {
    let member = gzip(&five_records()[2]);
    let cut = &member[..member.len() * 2 / 3];
    cut.repeat(length / cut.len())
}

/// Returns many members that fail, each with a valid one inside.
fn failing_members_around_valid(length: usize) -> Vec<u8> {
    let reach = 60_000;
    let failing = [
        &GZIP_HEADER[..],
        &stored_block_header(reach),
        RECORD_TEXT,
        &gzip(b""),
    ]
    .concat();
    pad_to(failing, 96).repeat(length / 96)
}

/// Returns hostile bytes with their names, and a compressed record to put around them.
fn hostile_inputs(length: usize) -> Vec<(&'static str, Vec<u8>, Vec<u8>)> {
    let packed = gzip(&five_records()[1]);
    let frame = zstd(&five_records()[1], &[]);
    let skipping = b"\x50\x2a\x4d\x18\x40\0\0\0".repeat(length / 8);
    vec![
        ("magic", b"\x1f\x8b\x08".repeat(length / 3), packed.clone()),
        (
            "overlapping",
            overlapping_gzip_members(length),
            packed.clone(),
        ),
        ("costly probes", costly_probes(length), packed.clone()),
        (
            "cut members",
            cut_members(length.min(MIB / 2)),
            packed.clone(),
        ),
        (
            "failing and sound",
            failing_members_around_valid(length),
            packed,
        ),
        (
            "zstd magic",
            b"\x28\xb5\x2f\xfd".repeat(length / 4),
            frame.clone(),
        ),
        (
            "overlapping frames",
            overlapping_zstd_frames(length),
            frame.clone(),
        ),
        ("skippable frames", skipping, frame),
    ]
}

/// Asserts that every byte belongs to a record or a fault.
fn assert_all_bytes_covered(name: &str, events: &[ReadEvent], length: usize) {
    let mut end = 0;
    for event in events {
        let (offset, bytes) = match event {
            Record { location, .. } => (location.offset, location.length.unwrap()),
            Fault {
                offset, skipped, ..
            } => (*offset, *skipped),
        };
        // Empty members and skippable frames are valid and hold no records.
        let may_skip = ["failing and sound", "skippable frames"].contains(&name);
        assert!(
            offset == end || (may_skip && offset > end),
            "{name}: {event:?}"
        );
        end = offset + bytes;
    }
    assert_eq!(end, length as u64, "{name}");
}

#[test]
fn the_work_of_searches_is_linear() {
    for length in [MIB, 2 * MIB, 4 * MIB] {
        for (name, hostile, record) in hostile_inputs(length) {
            let bytes = [&record[..], &hostile, &record].concat();
            let (_guard, path) = write_temp_file(&bytes);
            let reading = read_file(&path, ONE_CALL_LIMITS);
            let bound = 200 * bytes.len() as u64 + (64 << 20);
            assert!(reading.work < bound, "{name}: {} of {bound}", reading.work);
            assert!(!faults(&reading.events).is_empty(), "{name}");
            assert_all_bytes_covered(name, &reading.events, bytes.len());
            let is_lost = ids(&reading.events).len() < 2;
            let is_unsearched = reading.events.iter().any(|event| {
                let end = bytes.len() as u64;
                matches!(event, Fault { code: "unsearched", offset, skipped, .. }
                    if offset + skipped == end)
            });
            assert_eq!(
                is_lost,
                is_unsearched,
                "{name}: {:?}",
                reading.events.last()
            );
        }
    }
}

#[test]
fn the_result_for_hostile_bytes_does_not_depend_on_how_they_are_read() {
    // A valid record before the bytes shifts them relative to the blocks in which work is counted.
    for pad in [100, MIB - 20] {
        let mut noise = vec![0; pad];
        let mut state = 1_u32;
        noise.fill_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        });
        for (name, hostile, record) in hostile_inputs(4 * MIB / 3) {
            let first = compress_record_like(&record, &noise);
            let bytes = [&first[..], &hostile, &record, &hostile[..5000], &record].concat();
            let (_guard, path) = write_temp_file(&bytes);
            let whole = read_file(&path, ONE_CALL_LIMITS);
            assert_eq!(whole, read_file(&path, STEPWISE_LIMITS), "{name} {pad}");
            assert_eq!(
                whole,
                read_as_stream(&bytes, ONE_CALL_LIMITS),
                "{name} {pad}"
            );
            assert_eq!(
                whole,
                read_as_stream(&bytes, STEPWISE_LIMITS),
                "{name} {pad}"
            );
            for range in [MIB, 3 * MIB / 7] {
                let (events, correct_guesses) =
                    read_in_ranges(&path, bytes.len() as u64, range as u64);
                assert_eq!(events, whole.events, "{name} {pad} {range}");
                assert!(correct_guesses > 0, "{name} {pad} {range}");
            }
        }
    }
}

/// Returns a record with this block in the compression of `like`.
fn compress_record_like(like: &[u8], block: &[u8]) -> Vec<u8> {
    let text = record("resource", "first", block);
    match detect(like).unwrap() {
        Compression::Gzip => gzip(&text),
        _ => zstd(&text, &[]),
    }
}

#[test]
fn the_work_of_ordinary_damage_does_not_depend_on_how_it_is_read() {
    for (name, parts) in build_framings(&five_records()) {
        let mut bytes = parts.concat();
        for flipped in (8..bytes.len()).step_by(3) {
            bytes[flipped] ^= 0x24;
            let (_guard, path) = write_temp_file(&bytes);
            if Reader::new(ONE_CALL_LIMITS).open_file(&path).is_ok() {
                let whole = read_file(&path, ONE_CALL_LIMITS);
                assert_eq!(whole, read_file(&path, STEPWISE_LIMITS), "{name} {flipped}");
                assert_eq!(
                    whole,
                    read_as_stream(&bytes, ONE_CALL_LIMITS),
                    "{name} {flipped}"
                );
                assert_eq!(
                    whole,
                    read_as_stream(&bytes, STEPWISE_LIMITS),
                    "{name} {flipped}"
                );
                let are_unsearched = faults(&whole.events).iter().any(|fault| {
                    matches!(
                        fault,
                        Fault {
                            code: "unsearched",
                            ..
                        }
                    )
                });
                assert!(!are_unsearched, "{name} {flipped}");
            }
            bytes[flipped] ^= 0x24;
        }
    }
}

#[test]
fn each_cut_member_is_a_separate_fault() {
    let record = gzip(&five_records()[1]);
    let member = gzip(&five_records()[2]);
    let cut = member.len() * 2 / 3;
    let bytes = [&record[..], &member[..cut].repeat(9000), &record].concat();
    let events = read_as_stream(&bytes, ONE_CALL_LIMITS).events;
    assert_eq!(ids(&events), ["r1", "r1"]);
    assert_eq!(faults(&events).len(), 9000);
    assert!(bytes.len() > MIB / 2);
}

#[test]
fn a_decompression_bomb_hides_no_frame_after_it() {
    let mut encoder = ::zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder
        .write_all(b"WARC/1.0\r\nContent-Length: 999999999\r\n\r\n")
        .unwrap();
    for _ in 0..300 {
        encoder.write_all(&vec![0; MIB]).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    let record = zstd(&five_records()[1], &[]);
    let bytes = [&record[..], &bomb, &bomb, &record].concat();
    let events = read_as_stream(&bytes, ONE_CALL_LIMITS).events;
    assert_eq!(ids(&events), ["r1", "r1"]);
    let bombs = [0, 1].map(|nth| fault("bomb", record.len() + nth * bomb.len(), bomb.len()));
    assert_eq!(faults(&events), bombs);
}

#[test]
fn large_wrong_content_lengths_in_an_uncompressed_archive_are_cheap() {
    let limits = Limits {
        max_block_bytes: 2 * MIB,
        ..ONE_CALL_LIMITS
    };
    let garbage_behind = b"\r\n\r\n---".repeat(100);
    for (lengths, behind) in [
        ([5 * MIB / 2, 3 * MIB / 2], &b"-----"[..]),
        ([5 * MIB / 2, 5 * MIB / 2], &garbage_behind),
        ([3 * MIB / 2, 9 * MIB], b"\r\n\r\n"),
    ] {
        let slot = |length: usize| {
            let header = format!("WARC/1.0\r\nContent-Length: {length}\r\n\r\n");
            [pad_to(header.into_bytes(), 150), behind.to_vec()].concat()
        };
        let line = |mut slot: Vec<u8>| {
            slot.resize(1020, b'-');
            slot.push(b'\n');
            slot
        };
        let slots = lengths.map(|length| line(slot(length))).concat();
        let bytes = [&five_records()[0], &slots.repeat(2500), &five_records()[1]]
            .map(|part| part.as_slice())
            .concat();
        let (_guard, path) = write_temp_file(&bytes);
        let mut reader = Reader::new(limits);
        reader.open_file(&path).unwrap();
        let events = read_to_end(&mut reader);
        assert!(
            reader.bytes_read() < 100 * bytes.len() as u64,
            "{}",
            reader.bytes_read()
        );
        assert_eq!(ids(&events), ["r0", "r1"]);
        let (in_ranges, _) = read_in_ranges(&path, bytes.len() as u64, MIB as u64);
        assert_eq!(ids(&in_ranges), ["r0", "r1"]);
        let mut stream = Reader::new(ONE_CALL_LIMITS);
        let from_file = read_file(&path, ONE_CALL_LIMITS);
        stream.open_stream(Box::new(Cursor::new(bytes))).unwrap();
        // A stream cannot go back to the start of a block above the limit.
        if lengths[0] < ONE_CALL_LIMITS.max_block_bytes {
            assert_eq!(read_to_end(&mut stream), from_file.events);
        }
    }
}

#[test]
fn frames_hidden_by_a_skippable_frame_are_read() {
    let frames: Vec<_> = five_records()
        .iter()
        .map(|record| zstd(record, &[]))
        .collect();
    let hidden = frames[1..4].concat();
    let mut skipping = skippable_frame(0x50, &hidden);
    let bytes = [&frames[0], &skipping, &frames[4]]
        .map(Vec::as_slice)
        .concat();
    let hidden_start = frames[0].len();
    let events = read(&bytes);
    assert_eq!(ids(&events), ["r0", "r1", "r2", "r3", "r4"]);
    assert_eq!(faults(&events), [fault("corrupt", hidden_start, 8)]);
    // The length reaches past the end of the input.
    skipping[7] = 1;
    let bytes = [&frames[0], &skipping, &frames[4]]
        .map(Vec::as_slice)
        .concat();
    let events = read(&bytes);
    assert_eq!(ids(&events), ["r0", "r1", "r2", "r3", "r4"]);
    assert_eq!(faults(&events), [fault("corrupt", hidden_start, 8)]);
    let mut cut = skippable_frame(0x50, b"metadata");
    cut.pop();
    let bytes = [&frames[0][..], &cut].concat();
    let events = read(&bytes);
    assert_eq!(
        faults(&events),
        [fault("truncated", hidden_start, cut.len())]
    );
}

#[test]
fn skippable_frames_with_metadata_are_skipped() {
    let frames: Vec<_> = five_records()
        .iter()
        .map(|record| zstd(record, &[]))
        .collect();
    let magic = b"\x28\xb5\x2f\xfd";
    let other = zstd(b"an index", &[]);
    let metadata = [b"x", &magic[..], &other, &magic[..]].concat();
    let bytes = [
        &frames[0][..],
        &skippable_frame(0x5e, &metadata),
        &frames[1],
    ]
    .concat();
    let events = read(&bytes);
    assert_eq!(ids(&events), ["r0", "r1"]);
    assert_eq!(faults(&events), []);
}

#[test]
fn frames_hidden_by_a_dictionary_frame_are_read_with_that_dictionary() {
    let dictionary = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: r\r\nContent-Length: ";
    let frames: Vec<_> = five_records()
        .iter()
        .map(|record| zstd(record, dictionary))
        .collect();
    let sound = [skippable_frame(0x5d, dictionary), frames.concat()].concat();
    assert_eq!(faults(&read(&sound)), []);
    let first = 8 + dictionary.len();
    let second = first + frames[0].len();
    for hidden in [4, 20, frames[0].len(), second - first + 9] {
        let mut bytes = sound.clone();
        bytes[4..8].copy_from_slice(&((dictionary.len() + hidden) as u32).to_le_bytes());
        let events = read(&bytes);
        assert_eq!(ids(&events), ["r0", "r1", "r2", "r3", "r4"], "{hidden}");
        assert_eq!(
            faults(&events),
            [fault("bad_dictionary", 0, first)],
            "{hidden}"
        );
    }
    // A compressed dictionary is one frame.
    let packed = zstd(dictionary, &[]);
    let mut bytes = [skippable_frame(0x5d, &packed), frames.concat()].concat();
    assert_eq!(faults(&read(&bytes)), []);
    let stated = packed.len() + frames[0].len();
    bytes[4..8].copy_from_slice(&(stated as u32).to_le_bytes());
    let events = read(&bytes);
    assert_eq!(ids(&events), ["r0", "r1", "r2", "r3", "r4"]);
    assert_eq!(
        faults(&events),
        [fault("bad_dictionary", 0, 8 + packed.len())]
    );
    // Bytes of the dictionary are missing: records that cannot be decoded are in faults.
    let lost = [&sound[..20], &sound[50..]].concat();
    let events = read(&lost);
    let starts = part_starts(&frames);
    for start in starts[..5].iter().map(|start| (start + first - 30) as u64) {
        let is_accounted = events.iter().any(|event| match event {
            Record { location, .. } => location.offset == start,
            Fault {
                offset, skipped, ..
            } => (*offset..offset + skipped).contains(&start),
        });
        assert!(is_accounted, "{start}: {events:?}");
    }
}

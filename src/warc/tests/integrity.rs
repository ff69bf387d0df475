//! The integrity of records does not depend on how they are read.

use super::*;
use crate::Integrity::{self, Damaged, Unguarded, Unknown, Verified};

/// Returns the integrity of each record.
fn integrities(events: &[ReadEvent]) -> Vec<Integrity> {
    let event_integrity = |event: &ReadEvent| match event {
        Record { integrity, .. } => Some(*integrity),
        Fault { .. } => None,
    };
    events.iter().filter_map(event_integrity).collect()
}

/// Compresses `bytes` as one zstd frame without a checksum.
fn zstd_without_checksum(bytes: &[u8]) -> Vec<u8> {
    ::zstd::stream::encode_all(bytes, 3).unwrap()
}

/// Returns records that do not compress, so that damage to the compressed bytes is local, and that
/// are large enough to need several steps of the decoder.
fn incompressible_records() -> Vec<Vec<u8>> {
    let mut state = 1u64;
    let mut noise = |len: usize| -> Vec<u8> {
        let step = |state: &mut u64| {
            *state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            (*state >> 56) as u8 & 0x3f | 0x40
        };
        (0..len).map(|_| step(&mut state)).collect()
    };
    let sizes = [300_000, 10, 70_000, 0, 600_000, 5000, 40];
    let records = sizes.iter().enumerate();
    records
        .map(|(i, &size)| record("response", &format!("r{i}"), &noise(size)))
        .collect()
}

#[test]
fn records_of_a_valid_member_are_verified() {
    let all = incompressible_records().concat();
    for (packed, integrity) in [
        (all.clone(), Unguarded),
        (gzip(&all), Verified),
        (zstd(&all, &[]), Verified),
        (zstd_without_checksum(&all), Unguarded),
    ] {
        let events = read(&packed);
        let blocks = incompressible_records();
        assert_eq!(integrities(&events), vec![integrity; blocks.len()]);
        // Reading ahead for the checksum neither loses nor repeats a record.
        for (event, want) in events.iter().zip(&blocks) {
            let Record { block, .. } = event else {
                panic!("{event:?}");
            };
            assert!(want.ends_with(&[&block[..], b"\r\n\r\n"].concat()));
        }
    }
}

#[test]
fn a_flip_and_a_cut_in_a_member_mark_all_its_records_and_no_others_as_damaged() {
    let all = incompressible_records().concat();
    for (first, mut packed) in [
        (gzip(&five_records()[1]), gzip(&all)),
        (zstd(&five_records()[1], &[]), zstd(&all, &[])),
    ] {
        // In the middle of the fifth record, and at the end of the last but one.
        let middle = packed.len() * 6 / 10;
        packed[middle] ^= 4;
        packed.truncate(packed.len() - 4000);
        let events = read(&[&first[..], &packed].concat());
        let given = integrities(&events);
        assert_eq!(given[0], Verified);
        assert!(given.len() > 3 && given[1..].iter().all(|integrity| *integrity == Damaged));
    }
}

#[test]
fn records_of_a_truncated_member_are_damaged() {
    for packed in [
        gzip(&incompressible_records().concat()),
        zstd(&incompressible_records().concat(), &[]),
    ] {
        for keep in [packed.len() - 1, packed.len() - 9, packed.len() / 2] {
            let events = read(&packed[..keep]);
            let given = integrities(&events);
            assert!(given.len() >= 3, "{keep}");
            assert!(
                given.iter().all(|integrity| *integrity == Damaged),
                "{given:?}"
            );
        }
    }
}

#[test]
fn a_record_alone_in_its_member_is_verified_in_a_stream_of_any_size() {
    let tight_limits = Limits {
        max_block_bytes: 1000,
        ..STEPWISE_LIMITS
    };
    let records: Vec<Vec<u8>> = incompressible_records()
        .iter()
        .map(|record| gzip(record))
        .collect();
    let events = read_stream(&records.concat(), tight_limits);
    assert_eq!(integrities(&events), [Verified; 7]);
}

#[test]
fn integrity_is_unknown_in_a_stream_if_the_member_is_longer_than_the_kept_bytes() {
    let packed = gzip(&incompressible_records().concat());
    let limits_keeping = |max_block_bytes: usize| Limits {
        max_block_bytes,
        ..STEPWISE_LIMITS
    };
    let size = packed.len();
    for (limit, want) in [(size, Verified), (size - 1, Unknown), (1000, Unknown)] {
        let events = read_stream(&packed, limits_keeping(limit));
        assert_eq!(integrities(&events), vec![want; 7], "{limit}");
        // A file can be read twice.
        let (events, _) = read_range(&packed, limits_keeping(limit), None);
        assert_eq!(integrities(&events), [Verified; 7], "{limit}");
    }
    // The same applies where the stream ends, because its length is not known.
    let cut = &packed[..size - 1];
    for (limit, want) in [(size, Damaged), (size - 1, Unknown)] {
        let given = integrities(&read_stream(cut, limits_keeping(limit)));
        assert_eq!(given, vec![want; given.len()], "{limit}");
    }
}

#[test]
fn the_result_for_a_stream_does_not_depend_on_the_size_of_its_reads() {
    struct ShortReads(Cursor<Vec<u8>>, usize);
    impl std::io::Read for ShortReads {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let count = out.len().min(self.1);
            self.0.read(&mut out[..count])
        }
    }
    let packed = gzip(&incompressible_records().concat());
    for max_block_bytes in [packed.len() - 1, packed.len(), packed.len() + 1] {
        let limits = Limits {
            max_block_bytes,
            ..STEPWISE_LIMITS
        };
        let whole = read_stream(&packed, limits);
        for at_once in [7, 4096, 1 << 20] {
            let mut reader = Reader::new(limits);
            let stream = ShortReads(Cursor::new(packed.clone()), at_once);
            reader.open_stream(Box::new(stream)).unwrap();
            assert_eq!(read_to_end(&mut reader), whole, "{at_once}");
        }
    }
}

#[test]
fn reading_ends_soon_after_the_stop_flag_is_set() {
    let (_guard, path) = write_temp_file(&gzip(&incompressible_records().concat()));
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let mut reader = Reader::new(STEPWISE_LIMITS);
    reader.set_stop_flag(std::sync::Arc::clone(&stop));
    reader.open_file(&path).unwrap();
    let error = reader.read_record().unwrap_err();
    assert!(error.is_fatal() && error.code() == "io", "{error}");
    stop.store(false, std::sync::atomic::Ordering::Relaxed);
    reader.open_file(&path).unwrap();
    assert_eq!(integrities(&read_to_end(&mut reader)), [Verified; 7]);
}

//! Records say whether the checksum of what holds them agrees, however they are read.

use super::*;
use crate::Integrity::{self, Damaged, Unguarded, Unknown, Verified};

/// The integrity of each record of these events.
fn integrities(events: &[Event]) -> Vec<Integrity> {
    let of = |event: &Event| match event {
        Record { integrity, .. } => Some(*integrity),
        Fault { .. } => None,
    };
    events.iter().filter_map(of).collect()
}

/// One zstd frame without a checksum.
fn zstd_without_checksum(bytes: &[u8]) -> Vec<u8> {
    ::zstd::stream::encode_all(bytes, 3).unwrap()
}

/// Records that do not compress, so that a change of the packed bytes is local, and large enough
/// that each takes several turns of the decoder.
fn many() -> Vec<Vec<u8>> {
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
fn records_of_a_sound_member_are_verified() {
    let all = many().concat();
    for (packed, integrity) in [
        (all.clone(), Unguarded),
        (gzip(&all), Verified),
        (zstd(&all, &[]), Verified),
        (zstd_without_checksum(&all), Unguarded),
    ] {
        let events = read(&packed);
        let blocks = many();
        assert_eq!(integrities(&events), vec![integrity; blocks.len()]);
        // Going on after the checksum is known loses and repeats nothing.
        for (event, want) in events.iter().zip(&blocks) {
            let Record { block, .. } = event else {
                panic!("{event:?}");
            };
            assert!(want.ends_with(&[&block[..], b"\r\n\r\n"].concat()));
        }
    }
}

#[test]
fn a_flip_and_a_cut_in_one_member_damage_all_its_records_and_no_others() {
    let all = many().concat();
    for (first, mut packed) in [
        (gzip(&five()[1]), gzip(&all)),
        (zstd(&five()[1], &[]), zstd(&all, &[])),
    ] {
        // The middle of the fifth record, and the end of the last but one.
        let middle = packed.len() * 6 / 10;
        packed[middle] ^= 4;
        packed.truncate(packed.len() - 4000);
        let events = read(&[&first[..], &packed].concat());
        let is_given = integrities(&events);
        assert_eq!(is_given[0], Verified);
        assert!(is_given.len() > 3 && is_given[1..].iter().all(|it| *it == Damaged));
    }
}

#[test]
fn a_member_that_is_only_cut_short_is_damaged() {
    for packed in [gzip(&many().concat()), zstd(&many().concat(), &[])] {
        for keep in [packed.len() - 1, packed.len() - 9, packed.len() / 2] {
            let events = read(&packed[..keep]);
            let is_given = integrities(&events);
            assert!(is_given.len() >= 3, "{keep}");
            assert!(is_given.iter().all(|it| *it == Damaged), "{is_given:?}");
        }
    }
}

#[test]
fn a_record_alone_in_its_member_is_verified_in_a_stream_of_any_size() {
    let tight = Limits {
        max_block_bytes: 1000,
        ..STREAMED
    };
    let records: Vec<Vec<u8>> = many().iter().map(|record| gzip(record)).collect();
    let events = read_stream(&records.concat(), tight);
    assert_eq!(integrities(&events), [Verified; 7]);
}

#[test]
fn in_a_stream_a_member_longer_than_what_is_kept_is_unknown() {
    let packed = gzip(&many().concat());
    let kept = |max_block_bytes: usize| Limits {
        max_block_bytes,
        ..STREAMED
    };
    let size = packed.len();
    for (limit, want) in [(size, Verified), (size - 1, Unknown), (1000, Unknown)] {
        let events = read_stream(&packed, kept(limit));
        assert_eq!(integrities(&events), vec![want; 7], "{limit}");
        // A file is read twice.
        let (events, _) = read_range(&packed, kept(limit), None);
        assert_eq!(integrities(&events), [Verified; 7], "{limit}");
    }
    // The same where the stream ends: nothing is known of what would come.
    let cut = &packed[..size - 1];
    for (limit, want) in [(size, Damaged), (size - 1, Unknown)] {
        let is_given = integrities(&read_stream(cut, kept(limit)));
        assert_eq!(is_given, vec![want; is_given.len()], "{limit}");
    }
}

#[test]
fn a_stream_gives_the_same_however_few_bytes_it_gives_at_once() {
    struct Few(Cursor<Vec<u8>>, usize);
    impl std::io::Read for Few {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let count = out.len().min(self.1);
            self.0.read(&mut out[..count])
        }
    }
    let packed = gzip(&many().concat());
    for max_block_bytes in [packed.len() - 1, packed.len(), packed.len() + 1] {
        let limits = Limits {
            max_block_bytes,
            ..STREAMED
        };
        let whole = read_stream(&packed, limits);
        for at_once in [7, 4096, 1 << 20] {
            let mut reader = Reader::new(limits);
            let few = Few(Cursor::new(packed.clone()), at_once);
            reader.open_stream(Box::new(few)).unwrap();
            assert_eq!(drain(&mut reader), whole, "{at_once}");
        }
    }
}

#[test]
fn reading_ends_soon_after_it_is_told_to_stop() {
    let (_guard, path) = write(&gzip(&many().concat()));
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let mut reader = Reader::new(STREAMED);
    reader.set_stop(std::sync::Arc::clone(&stop));
    reader.open_file(&path).unwrap();
    let error = reader.read_record().unwrap_err();
    assert!(error.is_fatal() && error.code() == "io", "{error}");
    stop.store(false, std::sync::atomic::Ordering::Relaxed);
    reader.open_file(&path).unwrap();
    assert_eq!(integrities(&drain(&mut reader)), [Verified; 7]);
}

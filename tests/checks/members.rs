//! Archives in every packing give the same however they are read.

use super::packing::pack;
use super::reading::{Event, Reading, STREAMED, USUAL, at_desk};
use super::twin::unpack;
use super::{shown, sum_of};
use warc::Limits;

/// Checks the archive that `data` spells in the language of `packing.rs`.
pub fn check(data: &[u8]) {
    let bytes = pack(data);
    let sum = sum_of(data);
    let length = bytes.len() as u64;
    let cut = u64::from(sum >> 8) % (length + 1);
    let drop = 1 + (sum >> 4) as usize % 90;
    // Blocks above the limit are passed over, and what is searched again behind
    // one depends on the input: so these limits are only held to themselves.
    let tight = Limits {
        max_header_bytes: 1 << 20,
        max_block_bytes: [0, 7, 40, 300][(sum >> 3) as usize % 4],
        max_member_bytes: [1, 100, 1000][(sum >> 5) as usize % 3],
    };
    at_desk(&bytes, |desk| {
        let whole = desk.read_file(USUAL);
        if let Ok((events, end)) = &whole {
            assert_eq!(*end, length, "the end of {}", shown(&bytes));
            assert_account(events, length, &bytes);
        }
        for event in whole.iter().flat_map(|(events, _)| events) {
            if let Event::Record(record) = event {
                let offset = record.location.offset as usize;
                let expected = unpack::integrity(&bytes, offset);
                assert_eq!(record.integrity, expected, "{event:?} of {}", shown(&bytes));
            }
        }
        let same = |how: &str, other: Reading| {
            assert_eq!(other, whole, "{how}: {}", shown(&bytes));
        };
        same("piece by piece", desk.read_file(STREAMED));
        same("a stream", desk.read_stream(&bytes, USUAL, 1 << 20));
        same(
            "a stream piece by piece",
            desk.read_stream(&bytes, STREAMED, drop),
        );
        same(&format!("two at {cut}"), desk.read_in_two(USUAL, cut));
        same(
            &format!("two at {cut}, piece by piece"),
            desk.read_in_two(STREAMED, cut),
        );
        let tight_whole = desk.read_file(tight);
        if let Ok((events, end)) = &tight_whole {
            assert_eq!(*end, length, "the end by {tight:?} of {}", shown(&bytes));
            assert_account(events, length, &bytes);
        }
        let in_two = desk.read_in_two(tight, cut);
        assert_eq!(
            in_two,
            tight_whole,
            "two at {cut} by {tight:?}: {}",
            shown(&bytes)
        );
    });
}

/// Records and faults come in order, and lie in the input. No record is given
/// twice, or given and told to be lost.
fn assert_account(events: &[Event], length: u64, bytes: &[u8]) {
    // What is behind the last event, and the last record that has no length.
    let (mut at, mut shared) = (0, None);
    for event in events {
        let of = || format!("{event:?} of {}", shown(bytes));
        match event {
            Event::Record(record) => {
                let location = record.location;
                match shared {
                    Some((offset, in_member)) if offset == location.offset => {
                        assert!(location.index_in_member > in_member, "{}", of());
                        assert_eq!(location.length, None, "{}", of());
                    }
                    _ => {
                        assert!(location.offset >= at, "{}", of());
                        at = location.offset;
                    }
                }
                match location.length {
                    Some(length) => {
                        assert_eq!(location.index_in_member, 0, "{}", of());
                        (at, shared) = (location.offset + length, None);
                    }
                    None => shared = Some((location.offset, location.index_in_member)),
                }
                assert!(at <= length, "{}", of());
            }
            Event::Fault(fault) => {
                assert!(fault.offset >= at, "{}", of());
                assert!(fault.offset + fault.bytes_skipped <= length, "{}", of());
                match fault.decoded_range {
                    // The member goes on behind fault.
                    Some(range) => {
                        assert!(fault.bytes_skipped == 0 && range.bytes > 0, "{}", of());
                        at = fault.offset;
                    }
                    None => {
                        let is_empty = fault.code == "input_empty" && length == 0;
                        assert!(fault.bytes_skipped > 0 || is_empty, "{}", of());
                        (at, shared) = (fault.offset + fault.bytes_skipped, None);
                    }
                }
            }
        }
    }
}

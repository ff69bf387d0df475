//! Checks that the records and faults of an archive do not depend on how it is read.

use super::oracle::unpack;
use super::packing::pack;
use super::reading::{Event, IN_ONE_CALL, ReadResult, STEP_BY_STEP, with_readers};
use super::{shown, sum_of};
use warc::Limits;

/// Checks the archive that `packing.rs` builds from `data`.
pub fn check(data: &[u8]) {
    let bytes = pack(data);
    let sum = sum_of(data);
    let length = bytes.len() as u64;
    let cut = u64::from(sum >> 8) % (length + 1);
    let max_read_bytes = 1 + (sum >> 4) as usize % 90;
    // After a block above the limit, the searched range depends on the input. Results with these
    // limits are therefore compared only with each other.
    let tight = Limits {
        max_header_bytes: 1 << 20,
        max_block_bytes: [0, 7, 40, 300][(sum >> 3) as usize % 4],
        max_member_bytes: [1, 100, 1000][(sum >> 5) as usize % 3],
    };
    with_readers(&bytes, |readers| {
        let whole = readers.read_file(IN_ONE_CALL);
        if let Ok((events, end)) = &whole {
            assert_eq!(*end, length, "the end of {}", shown(&bytes));
            assert_order(events, length, &bytes);
        }
        for event in whole.iter().flat_map(|(events, _)| events) {
            if let Event::Record(record) = event {
                let offset = record.location.offset as usize;
                let expected = unpack::integrity(&bytes, offset);
                assert_eq!(record.integrity, expected, "{event:?} of {}", shown(&bytes));
            }
        }
        let same = |how: &str, other: ReadResult| {
            assert_eq!(other, whole, "{how}: {}", shown(&bytes));
        };
        same("step by step", readers.read_file(STEP_BY_STEP));
        same(
            "a stream",
            readers.read_stream(&bytes, IN_ONE_CALL, 1 << 20),
        );
        same(
            "a stream step by step",
            readers.read_stream(&bytes, STEP_BY_STEP, max_read_bytes),
        );
        same(
            &format!("two at {cut}"),
            readers.read_in_two(IN_ONE_CALL, cut),
        );
        same(
            &format!("two at {cut}, step by step"),
            readers.read_in_two(STEP_BY_STEP, cut),
        );
        let tight_whole = readers.read_file(tight);
        if let Ok((events, end)) = &tight_whole {
            assert_eq!(*end, length, "the end by {tight:?} of {}", shown(&bytes));
            assert_order(events, length, &bytes);
        }
        let in_two = readers.read_in_two(tight, cut);
        assert_eq!(
            in_two,
            tight_whole,
            "two at {cut} by {tight:?}: {}",
            shown(&bytes)
        );
    });
}

/// Asserts that records and faults are in order, do not overlap and lie in the input.
fn assert_order(events: &[Event], length: u64, bytes: &[u8]) {
    // The end of the last event, and the member and index of the last record without a length.
    let (mut end, mut shared) = (0, None);
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
                        assert!(location.offset >= end, "{}", of());
                        end = location.offset;
                    }
                }
                match location.length {
                    Some(length) => {
                        assert_eq!(location.index_in_member, 0, "{}", of());
                        (end, shared) = (location.offset + length, None);
                    }
                    None => shared = Some((location.offset, location.index_in_member)),
                }
                assert!(end <= length, "{}", of());
            }
            Event::Fault(fault) => {
                assert!(fault.offset >= end, "{}", of());
                assert!(fault.offset + fault.bytes_skipped <= length, "{}", of());
                match fault.decoded_range {
                    // Reading continues in the same member.
                    Some(range) => {
                        assert!(fault.bytes_skipped == 0 && range.bytes > 0, "{}", of());
                        end = fault.offset;
                    }
                    None => {
                        let is_empty = fault.code == "input_empty" && length == 0;
                        assert!(fault.bytes_skipped > 0 || is_empty, "{}", of());
                        (end, shared) = (fault.offset + fault.bytes_skipped, None);
                    }
                }
            }
        }
    }
}

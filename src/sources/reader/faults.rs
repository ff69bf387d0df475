//! The faults of sources.
//!
//! The texts here, and those of the errors of the package `warc`, are values of the column `detail` of `faults`:
//! rewording them changes data, which `tests/golden` shows.

use super::RecordAddress;
use capture::digest::DIGEST_MISMATCH;
use tables::Fault;
use warc::RecordLocation;

/// Returns the fault of an input that does not exist.
pub(super) fn missing_input_fault() -> Fault {
    Fault {
        offset: 0,
        bytes_skipped: 0,
        code: "input_missing",
        detail: "the input does not exist".to_owned(),
    }
}

/// Returns the fault of a damaged part of an archive.
pub(super) fn damage_fault(error: &warc::Error, bytes_skipped: u64) -> Fault {
    let text = error.kind();
    Fault {
        offset: error.offset(),
        bytes_skipped,
        code: error.code(),
        detail: match (error.decoded_range(), error.records_before()) {
            (None, 0) => text.to_string(),
            (None, before) => format!(
                "{text}; records of the member read before it, which may be wrong: {before}"
            ),
            (Some(range), _) => format!(
                "{text}, at {} of the member's decoded bytes, of which {} are skipped",
                range.offset, range.bytes
            ),
        },
    }
}

/// Returns the fault of an address that has no record.
pub(super) fn no_record_fault(offset: u64) -> Fault {
    Fault {
        offset,
        bytes_skipped: 0,
        code: "no_record",
        detail: "the list has a record here, but the archive has none".to_owned(),
    }
}

/// Returns the fault of an address whose record has another length than is stated.
pub(super) fn other_length_fault(address: RecordAddress, length: u64) -> Fault {
    Fault {
        offset: address.offset,
        bytes_skipped: 0,
        code: "other_length",
        detail: format!(
            "the record has {length} bytes, and {} in the list",
            address.length
        ),
    }
}

/// Returns the fault of a row that cannot be read.
pub(super) fn bad_row_fault(row_no: u64, detail: String) -> Fault {
    Fault {
        offset: row_no,
        bytes_skipped: 0,
        code: "bad_row",
        detail,
    }
}

/// Returns the fault of a capture whose digest differs from that of its header
/// field `field`.
pub fn digest_fault(location: RecordLocation, field: &str) -> Fault {
    Fault {
        offset: location.offset,
        bytes_skipped: 0,
        code: DIGEST_MISMATCH,
        detail: format!(
            "record {} at this offset is not the one of its {field}",
            location.index_in_member
        ),
    }
}

//! The division of inputs into parts and slices, made before anything is read.

use super::pending_slice::{PendingSlice, SliceWorker};
use dataset::division::PartSize;
use sources::InputPlace;
use sources::input::Input;
use sources::reader::FetchedObject;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Inputs larger than this are divided into slices. With two threads, one archive of 32 MB takes 1.48 times as long if
/// it is not divided.
const DIVIDED_ABOVE_BYTES: u64 = 8 << 20;

/// The size of a slice. It is small, because the output of a slice waits in memory until the slices
/// before it are written.
const SLICE_BYTES: u64 = warc::SLICE_BYTES;

/// Consecutive inputs of one crawl and subset: the unit of commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The number, from 0.
    pub number: u32,
    /// The indexes of the inputs.
    pub inputs: Range<usize>,
}

/// Divides inputs into parts of one crawl and subset. `size` limits the bytes, the inputs or the records of a part.
///
/// If the bytes of parts are limited, a stream, whose size is unknown, is a part of its own, and so is an
/// input above the limit.
pub fn plan_parts(inputs: &[Input], size: PartSize) -> Vec<Part> {
    let part_bytes = match size {
        PartSize::Bytes(bytes) => bytes,
        PartSize::Inputs(_) | PartSize::Records(_) => u64::MAX,
    };
    let mut parts: Vec<Part> = Vec::new();
    let mut last_part_bytes: u64 = 0;
    let mut last_part_records: u64 = 0;
    for (i, input) in inputs.iter().enumerate() {
        let bytes = input.bytes.unwrap_or(part_bytes);
        let records = input.source.addresses().len() as u64;
        let fits = parts.last().is_some_and(|part| {
            let last = &inputs[part.inputs.end - 1];
            let has_room = match size {
                PartSize::Bytes(_) => {
                    input.bytes.is_some()
                        && last.bytes.is_some()
                        && bytes.saturating_add(last_part_bytes) <= part_bytes
                }
                PartSize::Inputs(most) => (part.inputs.len() as u64) < most,
                PartSize::Records(most) => last_part_records + records <= most,
            };
            has_room && last.crawl == input.crawl && last.subset == input.subset
        });
        match parts.last_mut().filter(|_| fits) {
            Some(part) => part.inputs.end = i + 1,
            None => {
                parts.push(Part {
                    number: parts.len() as u32,
                    inputs: i..i + 1,
                });
                last_part_bytes = 0;
                last_part_records = 0;
            }
        }
        last_part_bytes = bytes.saturating_add(last_part_bytes);
        last_part_records += records;
    }
    parts
}

/// Appends the slices of a part. `part` is its index.
pub(super) fn plan_part_slices(
    part: usize,
    inputs: Range<usize>,
    all_inputs: &[Input],
    threads: usize,
    slices: &mut VecDeque<PendingSlice>,
) {
    for input in inputs.clone() {
        let planned = &all_inputs[input];
        let is_last_of_part = input + 1 == inputs.end;
        slices.extend(plan_input_slices(
            part,
            (input, planned),
            is_last_of_part,
            None,
            planned.bytes,
            threads,
        ));
    }
}

/// Returns the slices of an input, which is given with its index. As long as the object of a remote input is not
/// `fetched`, the result is a single slice, which is replaced once the object is fetched.
pub(super) fn plan_input_slices(
    part: usize,
    (input, planned): (usize, &Input),
    is_last_of_part: bool,
    fetched: Option<FetchedObject>,
    bytes: Option<u64>,
    threads: usize,
) -> Vec<PendingSlice> {
    let has_file = match (&fetched, planned.place()) {
        (Some(FetchedObject::Object(_)), _) | (None, InputPlace::File(_)) => true,
        (Some(FetchedObject::Missing | FetchedObject::Failed(_)), _) => false,
        (None, InputPlace::Stream(_) | InputPlace::Missing(_) | InputPlace::Remote(_)) => false,
    };
    let ranges = match bytes {
        Some(bytes) if has_file && planned.source.is_read_whole() => {
            divide_into_ranges(bytes, threads)
        }
        _ => vec![None],
    };
    let count = ranges.len();
    let compression = Arc::default();
    let slice = |(i, range)| PendingSlice {
        part,
        input,
        fetched: fetched.clone(),
        bytes,
        is_last_of_input: i + 1 == count,
        is_last_of_part: is_last_of_part && i + 1 == count,
        range,
        compression: Arc::clone(&compression),
        attempt: 0,
        outputs: VecDeque::new(),
        worker: SliceWorker::Away,
        is_refetched: false,
        has_written_output: false,
    };
    ranges.into_iter().enumerate().map(slice).collect()
}

/// Returns the byte ranges that a file is divided into; `None` for the whole file.
///
/// With one thread inputs are not divided: nothing would be gained, and bytes at boundaries would
/// be read twice.
fn divide_into_ranges(bytes: u64, threads: usize) -> Vec<Option<Range<u64>>> {
    if bytes <= DIVIDED_ABOVE_BYTES || threads == 1 {
        return vec![None];
    }
    let count = bytes.div_ceil(SLICE_BYTES);
    let range = |i| {
        // The last range has no end, in case the file grows.
        let end = if i + 1 == count {
            u64::MAX
        } else {
            (i + 1) * SLICE_BYTES
        };
        Some(i * SLICE_BYTES..end)
    };
    (0..count).map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sources::reader::{Archive, RecordAddress, RecordsOfArchive};

    fn input(name: &str, bytes: Option<u64>, crawl: &str) -> Input {
        let place = InputPlace::File(name.into());
        Input {
            index: 0,
            source: Arc::new(Archive { place }),
            name: name.into(),
            bytes,
            crawl: crawl.into(),
            subset: "robotstxt".into(),
        }
    }

    #[test]
    fn parts_depend_on_size_and_crawl() {
        let inputs = [
            input("a", Some(6), "X"),
            input("b", Some(4), "X"),
            input("c", Some(1), "X"),
            input("d", Some(1), "Y"),
            input("e", None, "Y"),
            input("f", Some(50), "Y"),
        ];
        let ranges = |size| -> Vec<_> {
            let parts = plan_parts(&inputs, size).into_iter();
            parts.map(|part| part.inputs).collect()
        };
        assert_eq!(ranges(PartSize::Bytes(10)), [0..2, 2..3, 3..4, 4..5, 5..6]);
        assert_eq!(ranges(PartSize::Inputs(2)), [0..2, 2..3, 3..5, 5..6]);
        let mut listed = inputs.clone();
        for (i, input) in listed.iter_mut().enumerate() {
            let address = RecordAddress {
                offset: 0,
                length: 1,
            };
            input.source = Arc::new(RecordsOfArchive {
                place: input.place().clone(),
                addresses: vec![address; i].into(),
            });
        }
        let parts = plan_parts(&listed, PartSize::Records(3)).into_iter();
        let ranges: Vec<_> = parts.map(|part| part.inputs).collect();
        assert_eq!(ranges, [0..3, 3..4, 4..5, 5..6]);
    }

    #[test]
    fn large_files_are_divided_into_slices() {
        assert_eq!(divide_into_ranges(1, 2), [None]);
        assert_eq!(divide_into_ranges(13 << 20, 1), [None]);
        let ranges = divide_into_ranges(13 << 20, 2);
        assert_eq!(ranges.len(), 13);
        assert_eq!(ranges[1], Some(1 << 20..2 << 20));
        assert_eq!(ranges[12], Some(12 << 20..u64::MAX));
    }
}

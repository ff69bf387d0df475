//! The division of inputs into parts and slices, made before anything is read.

use super::pending_slice::{PendingSlice, SliceWorker};
use dataset::division::PartSize;
use sources::input::{Input, InputSource};
use sources::reader::SliceSource;
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
        let records = input.selection.record_count();
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
        let source = match &planned.source {
            InputSource::File(path) => Some(SliceSource::File(path.clone())),
            InputSource::Stream(stream) => Some(SliceSource::Stream(Arc::clone(stream))),
            InputSource::Missing(_) => Some(SliceSource::Missing),
            InputSource::Remote(_) => None,
        };
        let is_last_of_part = input + 1 == inputs.end;
        slices.extend(plan_input_slices(
            part,
            (input, planned),
            is_last_of_part,
            source,
            planned.bytes,
            threads,
        ));
    }
}

/// Returns the slices of an input, which is given with its index. Without a source, because the object of the
/// input is not fetched yet, the result is a single slice, which is replaced once the object is fetched.
pub(super) fn plan_input_slices(
    part: usize,
    (input, planned): (usize, &Input),
    is_last_of_part: bool,
    source: Option<SliceSource>,
    bytes: Option<u64>,
    threads: usize,
) -> Vec<PendingSlice> {
    let ranges = if planned.selection.is_all() {
        divide_into_ranges(source.as_ref(), bytes, threads)
    } else {
        vec![None]
    };
    let count = ranges.len();
    let compression = Arc::default();
    let slice = |(i, range)| PendingSlice {
        part,
        input,
        source: source.clone(),
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

/// Returns the byte ranges that an input is divided into; `None` for the whole input.
///
/// With one thread inputs are not divided: nothing would be gained, and bytes at boundaries would
/// be read twice.
fn divide_into_ranges(
    source: Option<&SliceSource>,
    bytes: Option<u64>,
    threads: usize,
) -> Vec<Option<Range<u64>>> {
    match (source, bytes) {
        (Some(SliceSource::File(_) | SliceSource::Object(_)), Some(bytes))
            if bytes > DIVIDED_ABOVE_BYTES && threads > 1 =>
        {
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
        _ => vec![None],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sources::input::{RecordAddress, Selection};

    fn input(name: &str, bytes: Option<u64>, crawl: &str) -> Input {
        let source = InputSource::File(name.into());
        Input {
            index: 0,
            source,
            name: name.into(),
            selection: Selection::All,
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
            input.selection = Selection::Records(vec![address; i].into());
        }
        let parts = plan_parts(&listed, PartSize::Records(3)).into_iter();
        let ranges: Vec<_> = parts.map(|part| part.inputs).collect();
        assert_eq!(ranges, [0..3, 3..4, 4..5, 5..6]);
    }

    #[test]
    fn large_files_are_divided_into_slices() {
        let file = SliceSource::File("a".into());
        let ranges_for = |bytes| divide_into_ranges(Some(&file), bytes, 2);
        assert_eq!(ranges_for(Some(1)), [None]);
        assert_eq!(ranges_for(None), [None]);
        assert_eq!(divide_into_ranges(Some(&file), Some(13 << 20), 1), [None]);
        assert_eq!(divide_into_ranges(None, Some(13 << 20), 2), [None]);
        let ranges = ranges_for(Some(13 << 20));
        assert_eq!(ranges.len(), 13);
        assert_eq!(ranges[1], Some(1 << 20..2 << 20));
        assert_eq!(ranges[12], Some(12 << 20..u64::MAX));
    }
}

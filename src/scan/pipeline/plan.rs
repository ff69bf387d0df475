//! Parts and ranges: how the inputs are cut before anything is read.

use crate::input::{Input, InputSource};
use std::ops::Range;

/// An input larger than this is read in ranges, on all cores.
const SPLIT_BYTES: u64 = 8 << 20;
/// The size of a range. What is read of ranges ahead waits for those before it,
/// and there is little room to wait: the smaller they are, the less do threads.
const RANGE_BYTES: u64 = warc::SLICE_BYTES;

/// Consecutive inputs of one crawl and subset: the unit of commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// From 0.
    pub number: u32,
    /// The inputs.
    pub inputs: Range<usize>,
}

/// Cuts the inputs into parts, by their sizes alone. Every input of
/// unknown size, which is a stream, is a part of its own.
pub fn plan_parts(inputs: &[Input], part_bytes: u64) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut held = 0;
    for (at, input) in inputs.iter().enumerate() {
        let bytes = input.bytes.unwrap_or(part_bytes);
        let fits = parts.last().is_some_and(|part| {
            let last = &inputs[part.inputs.end - 1];
            input.bytes.is_some()
                && last.bytes.is_some()
                && last.crawl == input.crawl
                && last.subset == input.subset
                && held + bytes <= part_bytes
        });
        match parts.last_mut().filter(|_| fits) {
            Some(part) => part.inputs.end = at + 1,
            None => {
                parts.push(Part {
                    number: parts.len() as u32,
                    inputs: at..at + 1,
                });
                held = 0;
            }
        }
        held += bytes;
    }
    parts
}

/// The ranges that an input is read in. One thread reads it as a whole: it
/// gains nothing by ranges, and would read bytes at their boundaries twice.
pub(super) fn ranges(input: &Input, threads: usize) -> Vec<Option<(u64, u64)>> {
    match (&input.source, input.bytes) {
        (InputSource::File(_), Some(bytes)) if bytes > SPLIT_BYTES && threads > 1 => {
            let count = bytes.div_ceil(RANGE_BYTES);
            // The last range reaches as far as the file does, should it grow.
            (0..count)
                .map(|at| {
                    Some((
                        at * RANGE_BYTES,
                        if at + 1 == count {
                            u64::MAX
                        } else {
                            (at + 1) * RANGE_BYTES
                        },
                    ))
                })
                .collect()
        }
        _ => vec![None],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(name: &str, bytes: Option<u64>, crawl: &str) -> Input {
        let source = InputSource::File(name.into());
        Input {
            source,
            name: name.into(),
            bytes,
            crawl: crawl.into(),
            subset: "robotstxt".into(),
        }
    }

    #[test]
    fn parts_are_cut_by_size_and_crawl() {
        let inputs = [
            input("a", Some(6), "X"),
            input("b", Some(4), "X"),
            input("c", Some(1), "X"),
            input("d", Some(1), "Y"),
            input("e", None, "Y"),
            input("f", Some(50), "Y"),
        ];
        let ranges: Vec<_> = plan_parts(&inputs, 10)
            .into_iter()
            .map(|part| part.inputs)
            .collect();
        assert_eq!(ranges, [0..2, 2..3, 3..4, 4..5, 5..6]);
    }

    #[test]
    fn large_files_are_read_in_ranges() {
        let of = |bytes| ranges(&input("a", bytes, "X"), 2);
        assert_eq!(of(Some(1)), [None]);
        assert_eq!(of(None), [None]);
        assert_eq!(ranges(&input("a", Some(13 << 20), "X"), 1), [None]);
        let ranges = of(Some(13 << 20));
        assert_eq!(ranges.len(), 13);
        assert_eq!(ranges[1], Some((1 << 20, 2 << 20)));
        assert_eq!(ranges[12], Some((12 << 20, u64::MAX)));
    }
}

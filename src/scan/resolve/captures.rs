//! Captures of a dataset, sorted by a key, with the content of revisits.

use super::AsOf;
use super::candidate::CaptureFields;
use super::capture_rows::{CaptureRows, for_each_capture};
use super::context::ResolveContext;
use super::revisits::RevisitFiller;
use crate::error::Error;
use crate::external_sort::sort_key::FieldReader;
use crate::external_sort::{Reader, SortedRecords};

/// Writes the key of a row, given the index of its crawl. Returns false if the
/// row is not needed.
pub(super) type WriteKey<'k> = dyn FnMut(u32, &CaptureRows<'_>, usize, &mut Vec<u8>) -> bool + 'k;

/// Reads all captures, and sorts those that are needed by their keys, then by
/// their times. The content of revisits is filled in.
pub(super) fn sort_captures<'a>(
    context: &ResolveContext<'a>,
    write_key: &mut WriteKey<'_>,
) -> Result<SortedRecords<'a>, Error> {
    let mut captures = context.memory.sorter();
    let mut revisits = RevisitFiller::new(context);
    let (mut key, mut record) = (Vec::new(), Vec::new());
    for_each_capture(context, &mut |crawl, rows, row| {
        key.clear();
        if !write_key(crawl, rows, row, &mut key) {
            return Ok(());
        }
        let capture = CaptureFields {
            candidate: rows.candidate(crawl, row),
            next_url: rows.next_url(row).map(str::as_bytes),
        };
        if revisits.push(&key, &capture, rows, row)? {
            return Ok(());
        }
        super::revisits::put_capture(&mut record, &key, &capture);
        captures.push(&record)
    })?;
    revisits.fill(context, &mut captures)?;
    captures.finish()
}

/// Calls `each` for the captures of `key` up to a time, in the order of their
/// times. Captures that an earlier call has passed are not repeated.
pub(super) fn for_captures_until(
    reader: &mut Reader<'_>,
    key: &[u8],
    as_of: AsOf,
    each: &mut dyn FnMut(CaptureFields<'_>),
) -> Result<(), Error> {
    while let Some(record) = reader.peek() {
        let mut fields = FieldReader::new(record);
        if fields.key() != key {
            break;
        }
        let capture = CaptureFields::read(&mut fields);
        if !as_of.includes(capture.candidate.time) {
            break;
        }
        each(capture);
        reader.advance()?;
    }
    Ok(())
}

//! Sorts the captures of a dataset by a key, and finds the content of revisits.

use super::candidate::{CaptureFields, KeyedCapture};
use super::capture_rows::{CaptureRows, for_each_batch};
use super::resolved::put_short_url;
use super::revisits::RevisitFiller;
use super::{AsOf, ResolveContext};
use dataset::CaptureFilter;
use errors::Error;
use sort::{Arena, GroupKey, Key, Reader, SharedSorter, SortedRecords};

/// Appends the sort key of a row of a batch to a buffer. Returns false if the row is not needed.
pub(super) type WriteKey<'k> = dyn Fn(&CaptureRows, usize, &mut Vec<u8>) -> bool + Sync + 'k;

/// Reads captures, and sorts those that are needed by their keys, as [`CaptureSorter`] does.
pub(super) fn sort_captures<'a>(
    context: &ResolveContext<'a>,
    filter: &CaptureFilter,
    write_key: &WriteKey<'_>,
) -> Result<SortedRecords<'a, KeyedCapture>, Error> {
    let sorter = CaptureSorter::new(context, false, write_key);
    for_each_batch(context, filter, &|rows| sorter.add(rows))?;
    sorter.finish(context)
}

/// Sorts captures by their keys, then by their times. The `RulesSource` of a revisit becomes the capture
/// that has its content, if there is one.
pub(super) struct CaptureSorter<'s, 'k> {
    captures: SharedSorter<'s, KeyedCapture>,
    revisits: RevisitFiller<'s>,
    /// True if the records have the short forms of URLs and the hashes of digests.
    keeps_urls: bool,
    write_key: &'k WriteKey<'k>,
}

impl<'s, 'k> CaptureSorter<'s, 'k> {
    pub(super) fn new(
        context: &ResolveContext<'s>,
        keeps_urls: bool,
        write_key: &'k WriteKey<'k>,
    ) -> Self {
        Self {
            captures: context.memory.create_shared_sorter(),
            revisits: RevisitFiller::new(context),
            keeps_urls,
            write_key,
        }
    }

    /// Adds the captures of a batch that are needed.
    pub(super) fn add(&self, rows: &CaptureRows) -> Result<(), Error> {
        let (mut new, mut new_revisits) = (Arena::default(), Arena::default());
        let (mut key, mut escaped, mut url) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..rows.len() {
            key.clear();
            if !(self.write_key)(rows, row, &mut key) {
                continue;
            }
            url.clear();
            if self.keeps_urls {
                let host = rows.surt_host_name(row).unwrap_or_default();
                put_short_url(&mut url, rows.url(row), host);
            }
            let capture = CaptureFields {
                candidate: rows.candidate(row),
                next_url: rows.next_url(row).map(str::as_bytes),
                url: &url,
                content_hash: rows.content_hash(row).filter(|_| self.keeps_urls),
            };
            let capture = (Key::new(&key, &mut escaped), capture);
            let revisits = &self.revisits;
            if !revisits.push_if_revisit(capture, rows, row, &mut new_revisits) {
                new.push(capture);
            }
        }
        self.revisits.append(&new_revisits)?;
        self.captures.append(&new)
    }

    /// Finds the content of the revisits, and returns all captures in order.
    pub(super) fn finish(
        self,
        context: &ResolveContext<'s>,
    ) -> Result<SortedRecords<'s, KeyedCapture>, Error> {
        self.revisits.fill(context, &self.captures)?;
        self.captures.finish()
    }
}

/// Calls `each` for the captures of `key` up to a time, in the order of their
/// times. Captures that an earlier call has passed are not repeated.
pub(super) fn for_each_capture_until(
    captures: &mut Reader<'_, KeyedCapture>,
    key: &GroupKey<Key<'static>>,
    as_of: AsOf,
    each: &mut dyn FnMut(CaptureFields<'_>),
) -> Result<(), Error> {
    let is_wanted = |capture: CaptureFields<'_>| as_of.includes(capture.candidate.time);
    while let Some(capture) = captures.next_of_if(key, is_wanted)? {
        each(capture);
    }
    Ok(())
}

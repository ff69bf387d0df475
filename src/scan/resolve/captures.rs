//! Captures of a dataset, gathered by a key, with revisits filled.

use super::candidate::{COLUMNS, Page, Rows, put_page, read_page};
use super::revisits::Revisits;
use crate::dataset::CaptureFilter;
use crate::error::Error;
use crate::external_sort::sort_key::{Values, put_text};
use crate::external_sort::{Reader, Sorted};
use crate::tables::Table;
use crate::url_match::Job;
use std::sync::atomic::Ordering;

/// Writes the key of a row of a crawl; `false` where it is not wanted.
pub(crate) type KeyOf<'k> = dyn FnMut(u32, &Rows<'_>, usize, &mut Vec<u8>) -> bool + 'k;

/// Reads all captures and sorts those that are wanted by their keys, then by
/// their times.
pub(crate) fn gather<'j>(job: &Job<'j>, key_of: &mut KeyOf<'_>) -> Result<Sorted<'j>, Error> {
    let mut captures = job.sorter();
    let mut revisits = Revisits::new(job);
    let (mut key, mut record) = (Vec::new(), Vec::new());
    each_row(job, &mut |crawl, rows, row| {
        key.clear();
        if !key_of(crawl, rows, row, &mut key) {
            return Ok(());
        }
        let page = rows.page(crawl, row);
        let next_url = rows.next_url(row);
        if revisits.push(&key, &page, next_url, rows, row)? {
            return Ok(());
        }
        put_capture(&mut record, &key, &page, next_url);
        captures.push(&record)
    })?;
    revisits.fill(job, &mut captures)?;
    captures.finish()
}

/// Gives each row of `robots_files` with the number of its crawl.
pub(super) fn each_row(
    job: &Job<'_>,
    each: &mut dyn FnMut(u32, &Rows<'_>, usize) -> Result<(), Error>,
) -> Result<(), Error> {
    let table = Table::RobotsFiles;
    job.dataset
        .read(table, &COLUMNS, &CaptureFilter::All, &mut |crawl, batch| {
            job.scratch.stopped()?;
            let rows = Rows::of(batch)?;
            job.progress
                .rows
                .fetch_add(batch.num_rows() as u64, Ordering::Relaxed);
            (0..batch.num_rows()).try_for_each(|row| each(crawl, &rows, row))
        })
}

/// Writes a capture as a record.
pub(super) fn put_capture(record: &mut Vec<u8>, key: &[u8], page: &Page, next_url: Option<&str>) {
    record.clear();
    put_text(record, key);
    put_page(record, page, next_url);
}

/// Reads on up to the first record whose key is not before `key`.
pub(crate) fn skip_to(reader: &mut Reader<'_>, key: &[u8]) -> Result<(), Error> {
    while reader
        .peek()
        .is_some_and(|record| Values(record).key() < key)
    {
        reader.advance()?;
    }
    Ok(())
}

/// Gives the captures of `key` up to `time` that were not given before, in the
/// order of their times.
pub(crate) fn each_until(
    reader: &mut Reader<'_>,
    key: &[u8],
    time: i64,
    each: &mut dyn FnMut(Page, Option<&[u8]>),
) -> Result<(), Error> {
    while let Some(record) = reader.peek() {
        let mut values = Values(record);
        if values.key() != key {
            break;
        }
        let (page, next_url) = read_page(&mut values);
        if page.time > time {
            break;
        }
        each(page, next_url);
        reader.advance()?;
    }
    Ok(())
}

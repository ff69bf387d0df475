//! What fills revisits: the view `revisits` of `views.sql`, by sorting.
//!
//! A revisit says "the same bytes as before" and holds none. A capture of the
//! same digest and the same answer fills it, from any crawl that is read: one
//! of the same URL before others, and among these the latest that is not after
//! the revisit, else the earliest. Among captures of one moment the view's own
//! order decides.

use super::candidate::{Page, Rows, Source, read_page};
use super::captures::{each_row, put_capture, skip_to};
use crate::error::Error;
use crate::external_sort::sort_key::{Values, put_i64, put_text, put_u8, put_u32, put_u64};
use crate::external_sort::{Sorted, Sorter};
use crate::url_match::Job;
use robots::FetchOutcome;

/// The digest of nothing. A 304 has no body, and some writers give it this
/// one, which would make every such host allow everything.
const DIGEST_OF_NOTHING: &str = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";

/// What is done with a revisit: its time, what is written of it, what fills it.
type Each<'e> = dyn FnMut(i64, Values<'_>, Option<Source>) -> Result<(), Error> + 'e;

/// Revisits that wait to be filled.
pub(super) struct Revisits<'j> {
    wanted: Sorter<'j>,
    count: u64,
    group: Vec<u8>,
    record: Vec<u8>,
}

impl<'j> Revisits<'j> {
    pub(super) fn new(job: &Job<'j>) -> Self {
        Self {
            wanted: job.sorter(),
            count: 0,
            group: Vec::new(),
            record: Vec::new(),
        }
    }

    /// Takes a capture if it is a revisit that may be filled.
    pub(super) fn push(
        &mut self,
        key: &[u8],
        page: &Page,
        next_url: Option<&str>,
        rows: &Rows<'_>,
        row: usize,
    ) -> Result<bool, Error> {
        let Some(digest) = rows.digest(row).filter(|_| rows.is_revisit(row)) else {
            return Ok(false);
        };
        let status = rows.status(row);
        if status == Some(304) && digest == DIGEST_OF_NOTHING {
            return Ok(false);
        }
        let answer = match status {
            None | Some(304) => 200,
            _ if rows.outcome(row) == FetchOutcome::Successful.name() => 200,
            Some(status) => status,
        };
        put_group(&mut self.group, digest, answer);
        self.record.clear();
        put_u32(
            &mut self.record,
            (self.group.len() + rows.url(row).len()) as u32,
        );
        self.record.extend_from_slice(&self.group);
        self.record.extend_from_slice(rows.url(row).as_bytes());
        put_i64(&mut self.record, page.time);
        put_text(&mut self.record, &self.group);
        put_u8(&mut self.record, rows.rank(row));
        let mut capture = Vec::new();
        put_capture(&mut capture, key, page, next_url);
        self.record.extend_from_slice(&capture);
        self.wanted.push(&self.record)?;
        self.count += 1;
        Ok(true)
    }

    /// Adds all that were taken to `captures`, filled where that can be.
    pub(super) fn fill(self, job: &Job<'j>, captures: &mut Sorter<'j>) -> Result<(), Error> {
        if self.count == 0 {
            return Ok(());
        }
        let wanted = self.wanted.finish()?;
        let (of_url, anywhere) = kept(job, &wanted)?;
        let mut left = job.sorter();
        let mut record = Vec::new();
        join(&wanted, &of_url, &mut |time, mut values, source| {
            let group = values.text();
            if source.is_some() {
                return add(captures, values, source);
            }
            record.clear();
            put_text(&mut record, group);
            put_i64(&mut record, time);
            record.extend_from_slice(values.0);
            left.push(&record)
        })?;
        drop(wanted);
        let left = left.finish()?;
        join(&left, &anywhere, &mut |_, values, source| {
            add(captures, values, source)
        })
    }
}

/// Adds a revisit, filled or not.
fn add(captures: &mut Sorter<'_>, rest: Values<'_>, source: Option<Source>) -> Result<(), Error> {
    let mut values = rest;
    let rank = values.u8();
    let key = values.text();
    let (mut page, next_url) = read_page(&mut values);
    if let Some(source) = source {
        (page.rank, page.source) = (rank, source);
    }
    let next_url =
        next_url.map(|url| std::str::from_utf8(url).expect("it was written from a text"));
    let mut record = Vec::new();
    put_capture(&mut record, key, &page, next_url);
    captures.push(&record)
}

/// The digest and the answer, by which captures fill revisits.
fn put_group(group: &mut Vec<u8>, digest: &str, answer: i16) {
    group.clear();
    group.extend_from_slice(digest.as_bytes());
    group.push(0);
    group.extend_from_slice(&answer.to_be_bytes());
}

/// The captures that may fill: by digest, answer and URL, and without the URL.
fn kept<'j>(job: &Job<'j>, wanted: &Sorted<'_>) -> Result<(Sorted<'j>, Sorted<'j>), Error> {
    let mut filter = job.filter(wanted.len());
    let mut reader = wanted.read()?;
    while let Some(record) = reader.peek() {
        let mut values = Values(record);
        values.key();
        values.i64();
        filter.insert(values.text());
        reader.advance()?;
    }
    let (mut of_url, mut anywhere) = (job.sorter(), job.sorter());
    let (mut group, mut record) = (Vec::new(), Vec::new());
    each_row(job, &mut |crawl, rows, row| {
        let answer = match rows.outcome(row) {
            _ if rows.is_revisit(row) => return Ok(()),
            outcome if outcome == FetchOutcome::Successful.name() => Some(200),
            outcome if outcome == FetchOutcome::Unavailable.name() => rows.status(row),
            _ => return Ok(()),
        };
        let (Some(answer), Some(digest)) = (answer, rows.digest(row)) else {
            return Ok(());
        };
        put_group(&mut group, digest, answer);
        if !filter.may_hold(&group) {
            return Ok(());
        }
        let (url, source) = (rows.url(row).as_bytes(), rows.source(crawl, row, false));
        // Among captures of one moment the greatest comes first.
        let tie = |record: &mut Vec<u8>| {
            put_u32(record, !crawl);
            put_u64(record, !(source.robots_id.cast_unsigned() ^ 1 << 63));
        };
        record.clear();
        put_u32(&mut record, (group.len() + url.len()) as u32);
        record.extend_from_slice(&group);
        record.extend_from_slice(url);
        put_i64(&mut record, rows.time(row));
        tie(&mut record);
        source.write(&mut record);
        of_url.push(&record)?;
        record.clear();
        put_text(&mut record, &group);
        put_i64(&mut record, rows.time(row));
        record.extend(url.iter().map(|byte| !byte));
        record.push(0xff);
        tie(&mut record);
        source.write(&mut record);
        // What is read is at the end; what orders has no length.
        anywhere.push(&record)
    })?;
    Ok((of_url.finish()?, anywhere.finish()?))
}

/// Gives each wanted record, what stands behind its key and time, with the
/// latest kept one of its key that is not after it, else the earliest.
fn join(wanted: &Sorted<'_>, kept: &Sorted<'_>, each: &mut Each<'_>) -> Result<(), Error> {
    let (mut wanted, mut kept) = (wanted.read()?, kept.read()?);
    let mut key = Vec::new();
    let mut earliest: Option<Source> = None;
    let mut latest: Option<(i64, Source)> = None;
    while let Some(record) = wanted.peek() {
        let mut values = Values(record);
        let wanted_key = values.key();
        if wanted_key != key {
            key.clear();
            key.extend_from_slice(wanted_key);
            skip_to(&mut kept, &key)?;
            earliest = kept
                .peek()
                .and_then(|record| source_of(record, &key))
                .map(|it| it.1);
            latest = None;
        }
        let time = values.i64();
        while let Some((at, source)) = kept
            .peek()
            .and_then(|record| source_of(record, &key))
            .filter(|(at, _)| *at <= time)
        {
            // The first of a moment is the one.
            if latest.is_none_or(|(latest, _)| at > latest) {
                latest = Some((at, source));
            }
            kept.advance()?;
        }
        each(time, values, latest.map(|it| it.1).or(earliest))?;
        wanted.advance()?;
    }
    Ok(())
}

/// The time and the source of a kept record, if it has this key.
fn source_of(record: &[u8], key: &[u8]) -> Option<(i64, Source)> {
    let mut values = Values(record);
    if values.key() != key {
        return None;
    }
    let time = values.i64();
    // What orders stands between; its length is not written.
    let source = values.0.len() - Source::BYTES;
    Some((time, Source::read(&mut Values(&values.0[source..]))))
}

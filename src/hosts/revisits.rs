//! Finds the content of revisits.
//!
//! A revisit record states that the content is the same as before, and does not
//! contain it. The content is taken from a capture of the same crawl with the same digest
//! and the same status. A capture of the same URL is preferred, then the latest
//! that is not after the revisit, then the earliest after it. Ties are resolved by the
//! greater URL, then the greater `robots_id`.
//!
//! Equal bytes do not imply an equal response: the same error page may be sent with 404
//! and with 200. Therefore a revisit with status 2xx, 304 or no status (a revisit need
//! not repeat the headers) takes content from captures with a 2xx status, a revisit with
//! a 4xx status from captures with the same status, and any other revisit from none. A
//! capture without a time counts as the earliest.

use super::ResolveContext;
use super::candidate::{CaptureFields, CaptureRank, RulesSource, put_time, read_time};
use super::capture_rows::{
    CaptureRows, EMPTY_BODY_DIGEST, MAX_FILTER_VALUES, build_values_filter, for_each_batch,
};
use dataset::CaptureFilter;
use disk::error::Error;
use robots::FetchOutcome;
use sort::sort_key::{FieldReader, ordered_bits, push_key_without_escapes, put_key, put_u64};
use sort::{Arena, Reader, SharedSorter, SortedRecords};
use std::collections::BTreeSet;

/// The length of a status and a crawl in a content key, after the digest.
const STATUS_AND_CRAWL_BYTES: usize = size_of::<i16>() + size_of::<u32>();

/// A callback that receives a revisit: its time, a reader of the fields after it, and the
/// source of its content, if there is one.
type EachRevisit<'e> =
    dyn FnMut(Option<i64>, FieldReader<'_>, Option<RulesSource>) -> Result<(), Error> + 'e;

/// Collects revisits, and adds them to the captures once the sources of their content are known.
///
/// The record of a revisit is: the content key with the URL, the time, the content key, the rank that
/// the revisit has if its content is found, and the record of the revisit as a capture.
pub(super) struct RevisitFiller<'s> {
    revisits: SharedSorter<'s>,
}

/// The captures from which revisits take their content.
struct ContentSources<'s> {
    /// The sources for revisits of the same URL, sorted by content key, then URL.
    same_url: SortedRecords<'s>,
    /// The sources for revisits of any URL, sorted by content key.
    any_url: SortedRecords<'s>,
}

impl<'s> RevisitFiller<'s> {
    pub(super) fn new(context: &ResolveContext<'s>) -> Self {
        Self {
            revisits: context.memory.create_shared_sorter(),
        }
    }

    /// Adds a record to `new` if the row is a revisit whose content another capture may have. `capture`
    /// is the record of the row as a capture. Returns true if a record was added.
    pub(super) fn push_if_revisit(
        &self,
        capture: &[u8],
        rows: &CaptureRows,
        row: usize,
        new: &mut Arena,
    ) -> bool {
        let Some(digest) = rows.digest(row).filter(|_| rows.is_revisit(row)) else {
            return false;
        };
        let status = rows.fetch_status(row);
        if status == Some(304) && digest == EMPTY_BODY_DIGEST {
            return false;
        }
        let content_status = match status {
            None | Some(304) => 200,
            _ if rows.http_status(row).outcome() == FetchOutcome::Successful => 200,
            Some(status) => status,
        };
        let (mut content_key, mut record) = (Vec::new(), Vec::new());
        put_content_key(&mut content_key, digest, content_status, rows.crawl());
        put_content_url_key(&mut record, &content_key, rows.url(row));
        put_time(&mut record, rows.time(row));
        put_key(&mut record, &content_key);
        rows.rank(row).write(&mut record);
        record.extend_from_slice(capture);
        new.push(&record);
        true
    }

    /// Adds the revisits of a buffer.
    pub(super) fn append(&self, new: &Arena) -> Result<(), Error> {
        self.revisits.append(new)
    }

    /// Adds all revisits to `captures`, each with the source of its content if there is one.
    pub(super) fn fill(
        self,
        context: &ResolveContext<'s>,
        captures: &SharedSorter<'s>,
    ) -> Result<(), Error> {
        let revisits = self.revisits.finish()?;
        if revisits.is_empty() {
            return Ok(());
        }
        let sources = ContentSources::read(context, &revisits)?;
        let mut unfilled = context.memory.create_sorter();
        let mut record = Vec::new();
        join_sources(
            &revisits,
            &sources.same_url,
            &mut |time, mut fields, source| {
                let content_key = fields.key();
                if source.is_some() {
                    return push_filled(captures, fields, source);
                }
                record.clear();
                record.extend_from_slice(content_key);
                put_time(&mut record, time);
                record.extend_from_slice(fields.rest());
                unfilled.push(&record)
            },
        )?;
        drop(revisits);
        let unfilled = unfilled.finish()?;
        join_sources(&unfilled, &sources.any_url, &mut |_, fields, source| {
            push_filled(captures, fields, source)
        })
    }
}

impl<'s> ContentSources<'s> {
    /// Reads the captures that may have the content of one of `revisits`.
    fn read(context: &ResolveContext<'s>, revisits: &SortedRecords<'_>) -> Result<Self, Error> {
        let mut wanted = context.memory.create_bloom_filter(revisits.len());
        let mut digests = BTreeSet::new();
        let mut content_key = Vec::new();
        let mut reader = revisits.read()?;
        while let Some(record) = reader.peek() {
            let mut fields = FieldReader::new(record);
            fields.key();
            read_time(&mut fields);
            content_key.clear();
            push_key_without_escapes(&mut content_key, fields.key());
            wanted.insert(content_key.as_slice());
            if digests.len() <= MAX_FILTER_VALUES {
                let digest = &content_key[..content_key.len() - STATUS_AND_CRAWL_BYTES];
                digests.insert(String::from_utf8_lossy(digest).into_owned());
            }
            reader.advance()?;
        }
        let filter = build_values_filter("content_digest", digests);
        Self::sort(context, &filter, &|content_key| wanted.check(content_key))
    }

    /// Sorts the captures whose content keys `is_wanted` accepts.
    fn sort(
        context: &ResolveContext<'s>,
        filter: &CaptureFilter,
        is_wanted: &(dyn Fn(&[u8]) -> bool + Sync),
    ) -> Result<Self, Error> {
        let same_url = context.memory.create_shared_sorter();
        let any_url = context.memory.create_shared_sorter();
        for_each_batch(context, filter, &|rows| {
            let (mut url_records, mut digest_records) = (Arena::default(), Arena::default());
            let (mut content_key, mut record) = (Vec::new(), Vec::new());
            for row in 0..rows.len() {
                let (Some(status), Some(digest)) = (content_status(rows, row), rows.digest(row))
                else {
                    continue;
                };
                put_content_key(&mut content_key, digest, status, rows.crawl());
                if !is_wanted(&content_key) {
                    continue;
                }
                let (url, time) = (rows.url(row), rows.time(row));
                let source = rows.rules_source(row);
                record.clear();
                put_content_url_key(&mut record, &content_key, url);
                put_time(&mut record, time);
                put_source_with_tiebreak(&mut record, &source);
                url_records.push(&record);
                record.clear();
                put_key(&mut record, &content_key);
                put_time(&mut record, time);
                // The bytes of the URL are inverted, and a byte follows that no inverted URL has, so
                // that the greatest URL sorts first.
                record.extend(url.bytes().map(|byte| !byte));
                record.push(0xff);
                put_source_with_tiebreak(&mut record, &source);
                digest_records.push(&record);
            }
            same_url.append(&url_records)?;
            any_url.append(&digest_records)
        })?;
        Ok(Self {
            same_url: same_url.finish()?,
            any_url: any_url.finish()?,
        })
    }
}

/// Returns the status of a capture that has content, with 200 for every success; `None` if it has
/// no content.
fn content_status(rows: &CaptureRows, row: usize) -> Option<i16> {
    if rows.is_revisit(row) || rows.is_unknown(row) {
        return None;
    }
    match rows.http_status(row).outcome() {
        FetchOutcome::Successful => Some(200),
        FetchOutcome::Unavailable => rows.fetch_status(row),
        _ => None,
    }
}

/// Adds a revisit to `captures`, with the source of its content, if there is one. `fields` is a reader of
/// its record after the content key.
fn push_filled(
    captures: &SharedSorter<'_>,
    mut fields: FieldReader<'_>,
    source: Option<RulesSource>,
) -> Result<(), Error> {
    let rank = CaptureRank::read(&mut fields);
    let mut record = fields.key().to_vec();
    let mut capture = CaptureFields::read(&mut fields);
    if let Some(source) = source {
        capture.candidate.rank = rank;
        capture.candidate.source = source;
    }
    capture.write(&mut record);
    let mut new = Arena::default();
    new.push(&record);
    captures.append(&new)
}

/// Replaces `content_key` with the digest, the status and the crawl that a revisit and its source
/// have in common.
fn put_content_key(content_key: &mut Vec<u8>, digest: &str, status: i16, crawl: u32) {
    content_key.clear();
    content_key.extend_from_slice(digest.as_bytes());
    content_key.extend_from_slice(&status.to_be_bytes());
    content_key.extend_from_slice(&crawl.to_be_bytes());
}

/// Appends a key that consists of a content key and a URL.
fn put_content_url_key(record: &mut Vec<u8>, content_key: &[u8], url: &str) {
    put_key(record, &[content_key, url.as_bytes()].concat());
}

/// Appends a field that resolves ties, and a source. The field is an inverted number, so that the
/// greatest `robots_id` sorts first.
fn put_source_with_tiebreak(record: &mut Vec<u8>, source: &RulesSource) {
    put_u64(record, !ordered_bits(source.id.robots_id));
    source.write(record);
}

/// Calls `each` for every revisit, with the source of its content if there is one: of the sources
/// with the same key, the latest that is not after the revisit, or else the earliest. Records of
/// revisits and of sources begin with a key and a time.
fn join_sources(
    revisits: &SortedRecords<'_>,
    sources: &SortedRecords<'_>,
    each: &mut EachRevisit<'_>,
) -> Result<(), Error> {
    let (mut revisits, mut sources) = (revisits.read()?, sources.read()?);
    let mut key = Vec::new();
    let (mut earliest, mut latest): (Option<TimedSource>, Option<TimedSource>) = (None, None);
    while let Some(record) = revisits.peek() {
        let mut fields = FieldReader::new(record);
        let revisit_key = fields.key();
        if revisit_key != key {
            key.clear();
            key.extend_from_slice(revisit_key);
            sources.skip_to_key(&key)?;
            earliest = TimedSource::peek(&sources, &key);
            latest = None;
        }
        let time = read_time(&mut fields);
        while let Some(next) = TimedSource::peek(&sources, &key).filter(|next| next.time <= time) {
            // Of several sources with the same time, the first remains.
            if latest.is_none_or(|latest| next.time > latest.time) {
                latest = Some(next);
            }
            sources.advance()?;
        }
        let source = latest.or(earliest).map(|timed| timed.source);
        each(time, fields, source)?;
        revisits.advance()?;
    }
    Ok(())
}

/// A source with its fetch time.
#[derive(Clone, Copy)]
struct TimedSource {
    time: Option<i64>,
    source: RulesSource,
}

impl TimedSource {
    /// Returns the current source of a reader if it has this key.
    fn peek(sources: &Reader<'_>, key: &[u8]) -> Option<Self> {
        let mut fields = FieldReader::new(sources.peek()?);
        if fields.key() != key {
            return None;
        }
        let time = read_time(&mut fields);
        // The length of the field that resolves ties is unknown, so the source is read from the
        // end.
        let rest = fields.rest();
        let source = &rest[rest.len() - RulesSource::RECORD_BYTES..];
        Some(Self {
            time,
            source: RulesSource::read(&mut FieldReader::new(source)),
        })
    }
}

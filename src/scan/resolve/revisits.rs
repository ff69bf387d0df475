//! The content of revisits: the view `revisits` of `macros.sql`, computed by
//! sorting.
//!
//! A revisit record states that the content is the same as before, and does not
//! contain it. The content is taken from a capture of any crawl with the same
//! digest and the same status. A capture of the same URL is preferred, then the
//! latest that is not after the revisit, then the earliest after it. Ties are
//! resolved as in the view: by the greater URL, then the crawl with the greater
//! name, then the greater `robots_id`.

use super::candidate::{AnswerRank, CaptureFields, RulesSource, put_time, read_time};
use super::capture_rows::{CaptureRows, for_each_capture};
use super::context::ResolveContext;
use crate::error::Error;
use crate::external_sort::sort_key::{FieldReader, ordered_bits, put_bytes, put_u32, put_u64};
use crate::external_sort::{Reader, SortedRecords, Sorter};
use robots::FetchOutcome;

/// The SHA-1 digest of an empty body. Some writers give it to 304 responses,
/// which have no body. Taking the content from an empty file would allow
/// everything on each of these hosts.
const EMPTY_BODY_DIGEST: &str = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";

/// Receives a revisit: its time, the fields after it, and its content.
type EachRevisit<'e> =
    dyn FnMut(Option<i64>, FieldReader<'_>, Option<RulesSource>) -> Result<(), Error> + 'e;

/// Collects revisits, then adds them with their content to the captures.
///
/// The record of a revisit is: the content key with the URL, the time, the
/// content key, the rank with content, and the record of the capture.
pub(super) struct RevisitFiller<'s> {
    revisits: Sorter<'s>,
    count: u64,
    content_key: Vec<u8>,
    record: Vec<u8>,
    capture: Vec<u8>,
}

/// Captures with content, sorted by what a revisit refers to.
struct ContentSources<'s> {
    /// By content key and URL.
    same_url: SortedRecords<'s>,
    /// By content key.
    any_url: SortedRecords<'s>,
}

impl<'s> RevisitFiller<'s> {
    pub(super) fn new(context: &ResolveContext<'s>) -> Self {
        Self {
            revisits: context.memory.sorter(),
            count: 0,
            content_key: Vec::new(),
            record: Vec::new(),
            capture: Vec::new(),
        }
    }

    /// Takes a capture if it is a revisit whose content may be known. Returns
    /// true if it was taken.
    pub(super) fn push(
        &mut self,
        key: &[u8],
        capture: &CaptureFields<'_>,
        rows: &CaptureRows<'_>,
        row: usize,
    ) -> Result<bool, Error> {
        let Some(digest) = rows.digest(row).filter(|_| rows.is_revisit(row)) else {
            return Ok(false);
        };
        let status = rows.status(row);
        if status == Some(304) && digest == EMPTY_BODY_DIGEST {
            return Ok(false);
        }
        let content_status = match status {
            None | Some(304) => 200,
            _ if rows.http_status(row).outcome() == FetchOutcome::Successful => 200,
            Some(status) => status,
        };
        put_content_key(&mut self.content_key, digest, content_status);
        self.record.clear();
        put_joined(
            &mut self.record,
            &self.content_key,
            rows.url(row).as_bytes(),
        );
        put_time(&mut self.record, capture.candidate.time);
        put_bytes(&mut self.record, &self.content_key);
        rows.rank(row).write(&mut self.record);
        put_capture(&mut self.capture, key, capture);
        self.record.extend_from_slice(&self.capture);
        self.revisits.push(&self.record)?;
        self.count += 1;
        Ok(true)
    }

    /// Adds all revisits to `captures`, with their content if it is known.
    pub(super) fn fill(
        self,
        context: &ResolveContext<'s>,
        captures: &mut Sorter<'s>,
    ) -> Result<(), Error> {
        if self.count == 0 {
            return Ok(());
        }
        let revisits = self.revisits.finish()?;
        let sources = ContentSources::read(context, &revisits)?;
        let mut unfilled = context.memory.sorter();
        let mut record = Vec::new();
        join(
            &revisits,
            &sources.same_url,
            &mut |time, mut fields, source| {
                let content_key = fields.bytes();
                if source.is_some() {
                    return push_filled(captures, fields, source);
                }
                record.clear();
                put_bytes(&mut record, content_key);
                put_time(&mut record, time);
                record.extend_from_slice(fields.rest());
                unfilled.push(&record)
            },
        )?;
        drop(revisits);
        let unfilled = unfilled.finish()?;
        join(&unfilled, &sources.any_url, &mut |_, fields, source| {
            push_filled(captures, fields, source)
        })
    }
}

impl<'s> ContentSources<'s> {
    /// Reads all captures that may have the content of a revisit.
    fn read(context: &ResolveContext<'s>, revisits: &SortedRecords<'_>) -> Result<Self, Error> {
        let mut wanted = context.memory.bloom_filter(revisits.len());
        let mut reader = revisits.read()?;
        while let Some(record) = reader.peek() {
            let mut fields = FieldReader::new(record);
            fields.key();
            read_time(&mut fields);
            wanted.insert(fields.bytes());
            reader.advance()?;
        }
        let (mut same_url, mut any_url) = (context.memory.sorter(), context.memory.sorter());
        let (mut content_key, mut record) = (Vec::new(), Vec::new());
        for_each_capture(context, &mut |crawl, rows, row| {
            let (Some(status), Some(digest)) = (content_status(rows, row), rows.digest(row)) else {
                return Ok(());
            };
            put_content_key(&mut content_key, digest, status);
            if !wanted.may_contain(&content_key) {
                return Ok(());
            }
            let (url, time) = (rows.url(row).as_bytes(), rows.time(row));
            let source = rows.rules_source(crawl, row);
            record.clear();
            put_joined(&mut record, &content_key, url);
            put_time(&mut record, time);
            put_source(&mut record, &source);
            same_url.push(&record)?;
            record.clear();
            put_bytes(&mut record, &content_key);
            put_time(&mut record, time);
            // Inverted, with a byte at the end that no URL has, so that the
            // greatest URL sorts first.
            record.extend(url.iter().map(|byte| !byte));
            record.push(0xff);
            put_source(&mut record, &source);
            any_url.push(&record)
        })?;
        Ok(Self {
            same_url: same_url.finish()?,
            any_url: any_url.finish()?,
        })
    }
}

/// Returns the status of a capture that has content; 200 for every success.
fn content_status(rows: &CaptureRows<'_>, row: usize) -> Option<i16> {
    if rows.is_revisit(row) {
        return None;
    }
    match rows.http_status(row).outcome() {
        FetchOutcome::Successful => Some(200),
        FetchOutcome::Unavailable => rows.status(row),
        _ => None,
    }
}

/// Writes a capture as a record.
pub(super) fn put_capture(record: &mut Vec<u8>, key: &[u8], capture: &CaptureFields<'_>) {
    record.clear();
    put_bytes(record, key);
    capture.write(record);
}

/// Adds a revisit from the fields after its content key.
fn push_filled(
    captures: &mut Sorter<'_>,
    mut fields: FieldReader<'_>,
    source: Option<RulesSource>,
) -> Result<(), Error> {
    let rank = AnswerRank::read(&mut fields);
    let key = fields.bytes();
    let mut capture = CaptureFields::read(&mut fields);
    if let Some(source) = source {
        capture.candidate.rank = rank;
        capture.candidate.source = source;
    }
    let mut record = Vec::new();
    put_capture(&mut record, key, &capture);
    captures.push(&record)
}

/// Writes the digest and the status that a revisit and its content share.
fn put_content_key(content_key: &mut Vec<u8>, digest: &str, status: i16) {
    content_key.clear();
    content_key.extend_from_slice(digest.as_bytes());
    content_key.push(0);
    content_key.extend_from_slice(&status.to_be_bytes());
}

/// Writes a content key and a URL as one byte string.
fn put_joined(record: &mut Vec<u8>, content_key: &[u8], url: &[u8]) {
    put_u32(record, (content_key.len() + url.len()) as u32);
    record.extend_from_slice(content_key);
    record.extend_from_slice(url);
}

/// Writes a source at the end of a record, after fields that resolve ties:
/// inverted numbers, so that the greatest crawl and `robots_id` sort first.
fn put_source(record: &mut Vec<u8>, source: &RulesSource) {
    put_u32(record, !source.id.crawl);
    put_u64(record, !ordered_bits(source.id.robots_id));
    source.write(record);
}

/// Calls `each` for every revisit with the latest source of its key that is not
/// after it, or else with the earliest. Both begin with a key and a time.
fn join(
    revisits: &SortedRecords<'_>,
    sources: &SortedRecords<'_>,
    each: &mut EachRevisit<'_>,
) -> Result<(), Error> {
    let (mut revisits, mut sources) = (revisits.read()?, sources.read()?);
    let mut key = Vec::new();
    let mut earliest: Option<TimedSource> = None;
    let mut latest: Option<TimedSource> = None;
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
            // Of several sources of the same time, the first is taken.
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

/// A source and its fetch time.
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
        // The fields that resolve ties have no length, so the source is read
        // from the end.
        let rest = fields.rest();
        let source = &rest[rest.len() - RulesSource::BYTES..];
        Some(Self {
            time,
            source: RulesSource::read(&mut FieldReader::new(source)),
        })
    }
}

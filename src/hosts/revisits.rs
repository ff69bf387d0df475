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
use super::candidate::{CaptureFields, CaptureRank, KeyedCapture, RulesSource};
use super::capture_rows::{
    CaptureRows, EMPTY_BODY_DIGEST, MAX_FILTER_VALUES, build_values_filter, for_each_batch,
};
use dataset::CaptureFilter;
use errors::Error;
use robots::FetchOutcome;
use sort::sort_key::{FieldReader, ordered_bits};
use sort::{Arena, Field, GroupKey, Key, Record, SharedSorter, SortedRecords, record};
use std::collections::BTreeSet;

/// The length of a status and a crawl in a content key, after the digest.
const STATUS_AND_CRAWL_BYTES: usize = size_of::<i16>() + size_of::<u32>();

/// A key and a time, with which records of revisits and of their sources begin, and the fields after them.
pub(super) type Timed<V> = (Key<'static>, (Option<i64>, V));

/// A callback that receives a revisit: its time, the fields after it, and the source of its content, if there is one.
type EachRevisit<'e, V> =
    dyn FnMut(Option<i64>, <V as Record>::Of<'_>, Option<RulesSource>) -> Result<(), Error> + 'e;

record! {
    /// A revisit whose key has the URL.
    pub(super) struct RevisitOfUrl<'a> {
        content_key: Key<'a>,
        revisit: Revisit<'a>,
    }
}

record! {
    /// A revisit as a capture.
    pub(super) struct Revisit<'a> {
        /// The rank that it has if its content is found.
        rank: CaptureRank,
        key: Key<'a>,
        capture: CaptureFields<'a>,
    }
}

record! {
    /// A capture from which revisits take their content. Of captures with the same time, the first one is preferred.
    struct Source<'a> {
        /// If revisits of other URLs take the content, too: the URL.
        url: Descending<'a>,
        /// A number of which the greatest `robots_id` has the least.
        tiebreak: u64,
        source: RulesSource,
    }
}

/// The end of a [`Descending`]. No inverted URL has this byte.
const DESCENDING_END: u8 = 0xff;

/// A URL that sorts in descending order: its bytes are inverted, and [`DESCENDING_END`] follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Descending<'a>(&'a [u8]);

impl<'a> Descending<'a> {
    fn new(url: &str, buffer: &'a mut Vec<u8>) -> Self {
        buffer.clear();
        buffer.extend(url.bytes().map(|byte| !byte));
        buffer.push(DESCENDING_END);
        Self(buffer)
    }
}

impl<'a> Field<'a> for Descending<'a> {
    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.0);
    }

    fn read(fields: &mut FieldReader<'a>) -> Self {
        let rest = fields.rest();
        let end = rest.iter().position(|byte| *byte == DESCENDING_END);
        let end = end.map_or(rest.len(), |end| end + 1);
        let (url, rest) = rest.split_at(end);
        *fields = FieldReader::new(rest);
        Self(url)
    }
}

/// Collects revisits, and adds them to the captures once the sources of their content are known. Their key is the
/// content key with the URL.
pub(super) struct RevisitFiller<'s> {
    revisits: SharedSorter<'s, Timed<RevisitOfUrl<'static>>>,
}

/// The captures from which revisits take their content.
struct ContentSources<'s> {
    /// The sources for revisits of the same URL, sorted by content key, then URL.
    same_url: SortedRecords<'s, Timed<Source<'static>>>,
    /// The sources for revisits of any URL, sorted by content key.
    any_url: SortedRecords<'s, Timed<Source<'static>>>,
}

impl<'s> RevisitFiller<'s> {
    pub(super) fn new(context: &ResolveContext<'s>) -> Self {
        Self {
            revisits: context.memory.create_shared_sorter(),
        }
    }

    /// Adds a record to `new` if the row is a revisit whose content another capture may have. `capture`
    /// is the row as a capture. Returns true if a record was added.
    pub(super) fn push_if_revisit(
        &self,
        (key, capture): (Key<'_>, CaptureFields<'_>),
        rows: &CaptureRows,
        row: usize,
        new: &mut Arena<Timed<RevisitOfUrl<'static>>>,
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
        let (mut content_key, mut with_url, mut escaped) = (Vec::new(), Vec::new(), Vec::new());
        put_content_key(&mut content_key, digest, content_status, rows.crawl());
        let revisit = RevisitOfUrl {
            content_key: Key::new(&content_key, &mut escaped),
            revisit: Revisit {
                rank: rows.rank(row),
                key,
                capture,
            },
        };
        let key = content_url_key(&content_key, rows.url(row), &mut with_url);
        new.push((key, (rows.time(row), revisit)));
        true
    }

    /// Adds the revisits of a buffer.
    pub(super) fn append(&self, new: &Arena<Timed<RevisitOfUrl<'static>>>) -> Result<(), Error> {
        self.revisits.append(new)
    }

    /// Adds all revisits to `captures`, each with the source of its content if there is one.
    pub(super) fn fill(
        self,
        context: &ResolveContext<'s>,
        captures: &SharedSorter<'s, KeyedCapture>,
    ) -> Result<(), Error> {
        let revisits = self.revisits.finish()?;
        if revisits.is_empty() {
            return Ok(());
        }
        let sources = ContentSources::read(context, &revisits)?;
        let mut unfilled = context.memory.create_sorter::<Timed<Revisit<'static>>>();
        join_sources(&revisits, &sources.same_url, &mut |time, of_url, source| {
            let RevisitOfUrl {
                content_key,
                revisit,
            } = of_url;
            match source {
                Some(_) => push_filled(captures, revisit, source),
                None => unfilled.push((content_key, (time, revisit))),
            }
        })?;
        drop(revisits);
        let unfilled = unfilled.finish()?;
        join_sources(&unfilled, &sources.any_url, &mut |_, revisit, source| {
            push_filled(captures, revisit, source)
        })
    }
}

impl<'s> ContentSources<'s> {
    /// Reads the captures that may have the content of one of `revisits`.
    fn read(
        context: &ResolveContext<'s>,
        revisits: &SortedRecords<'_, Timed<RevisitOfUrl<'static>>>,
    ) -> Result<Self, Error> {
        let mut wanted = context.memory.create_bloom_filter(revisits.len());
        let mut digests = BTreeSet::new();
        let mut content_key = Vec::new();
        let mut reader = revisits.read()?;
        while let Some((_, (_, revisit))) = reader.next_record()? {
            revisit.content_key.write_original(&mut content_key);
            wanted.insert(content_key.as_slice());
            if digests.len() <= MAX_FILTER_VALUES {
                let digest = &content_key[..content_key.len() - STATUS_AND_CRAWL_BYTES];
                digests.insert(String::from_utf8_lossy(digest).into_owned());
            }
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
            let (mut content_key, mut escaped, mut inverted) = (Vec::new(), Vec::new(), Vec::new());
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
                let tiebreak = !ordered_bits(source.id.robots_id);
                let key = content_url_key(&content_key, url, &mut escaped);
                let no_url = Descending::new("", &mut inverted);
                url_records.push((
                    key,
                    (
                        time,
                        Source {
                            url: no_url,
                            tiebreak,
                            source,
                        },
                    ),
                ));
                let key = Key::new(&content_key, &mut escaped);
                let url = Descending::new(url, &mut inverted);
                digest_records.push((
                    key,
                    (
                        time,
                        Source {
                            url,
                            tiebreak,
                            source,
                        },
                    ),
                ));
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

/// Adds a revisit to `captures`, with the source of its content, if there is one.
fn push_filled(
    captures: &SharedSorter<'_, KeyedCapture>,
    revisit: Revisit<'_>,
    source: Option<RulesSource>,
) -> Result<(), Error> {
    let mut capture = revisit.capture;
    if let Some(source) = source {
        capture.candidate.rank = revisit.rank;
        capture.candidate.source = source;
    }
    let mut new = Arena::default();
    new.push((revisit.key, capture));
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

/// Makes a key that consists of a content key and a URL.
fn content_url_key<'a>(content_key: &[u8], url: &str, buffer: &'a mut Vec<u8>) -> Key<'a> {
    Key::new(&[content_key, url.as_bytes()].concat(), buffer)
}

/// Calls `each` for every revisit, with the source of its content if there is one: of the sources
/// with the same key, the latest that is not after the revisit, or else the earliest.
fn join_sources<V: Record>(
    revisits: &SortedRecords<'_, Timed<V>>,
    sources: &SortedRecords<'_, Timed<Source<'static>>>,
    each: &mut EachRevisit<'_, V>,
) -> Result<(), Error> {
    let (mut revisits, mut sources) = (revisits.read()?, sources.read()?);
    let mut key = GroupKey::default();
    while revisits.next_group(&mut key)? {
        sources.skip_to(&key)?;
        let owned = |(time, source): (Option<i64>, Source<'_>)| (time, source.source);
        let earliest = sources.next_of(&key)?.map(owned);
        let (mut next, mut latest) = (earliest, None);
        while let Some((time, revisit)) = revisits.next_of(&key)? {
            while let Some(source) = next.filter(|(source_time, _)| *source_time <= time) {
                // Of several sources with the same time, the first remains.
                if latest.is_none_or(|(latest_time, _)| source.0 > latest_time) {
                    latest = Some(source);
                }
                next = sources.next_of(&key)?.map(owned);
            }
            let source = latest.or(earliest).map(|(_, source)| source);
            each(time, revisit, source)?;
        }
    }
    Ok(())
}

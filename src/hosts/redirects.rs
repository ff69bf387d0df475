//! Redirect chains: where the redirects of requests for robots.txt end.
//!
//! A chain has at most five hops within one crawl. Of several captures of a target URL
//! up to the requested time, the chain continues with the one that decides most
//! ([`CaptureRank`](super::candidate::CaptureRank)), then the latest, then the one with the
//! smallest `robots_id`. A chain is not resolved if it returns to one of its captures, if
//! its next URL was not captured, or if it continues after five hops.
//!
//! Every hop merges sorted records: pending redirects with captures by URL.

use super::candidate::{
    Candidate, CandidateFields, CaptureFields, CaptureRank, RedirectEnd, split_crawl_key,
};
use super::capture_rows::{
    CaptureRows, MAX_FILTER_VALUES, build_values_filter, for_each_redirect_target,
};
use super::captures::{for_each_capture_until, sort_captures};
use super::key_captures::KeyCaptures;
use super::{AsOf, ResolveContext};
use dataset::{CaptureFilter, push_crawl_key};
use disk::error::Error;
use parquet::bloom_filter::Sbbf;
use sort::sort_key::{FieldReader, push_key_without_escapes, put_i64, put_key, put_u8};
use sort::{SortedRecords, Sorter};
use std::collections::BTreeSet;
use std::sync::Arc;
use tables::Table;
use urls::url_host;

/// The maximum number of hops of a chain that are followed. According to RFC 9309 §2.3.1.2, crawlers
/// should follow at least five.
const MAX_HOPS: u8 = 5;

/// Follows the redirects of captures, so that each becomes a candidate with the rules of the
/// capture at its end.
pub(super) struct RedirectFollower<'s> {
    /// Each record is a key, an [`AsOf`] and a [`CandidateFields`].
    pub(super) candidates: Sorter<'s>,
    pending: Sorter<'s>,
    record: Vec<u8>,
}

/// A redirect chain whose end is not known yet.
struct PendingRedirect<'a> {
    as_of: AsOf,
    /// The key for which the redirect becomes a candidate.
    key: &'a [u8],
    /// The capture with which the chain begins.
    first: CandidateFields<'a>,
    /// The `robots_id` of every capture of the chain. A chain that returns to
    /// one of them is a loop.
    visited: Vec<i64>,
}

impl<'a> PendingRedirect<'a> {
    /// Writes a record whose key is the crawl and the next URL.
    fn write(&self, record: &mut Vec<u8>, next_url: &[u8]) {
        record.clear();
        put_target_key(record, self.first.candidate.id.crawl, next_url);
        self.as_of.write(record);
        record.extend_from_slice(self.key);
        self.first.write(record);
        put_u8(record, self.visited.len() as u8);
        for robots_id in &self.visited {
            put_i64(record, *robots_id);
        }
    }

    /// Reads the fields after the key.
    fn read(fields: &mut FieldReader<'a>) -> Self {
        Self {
            as_of: AsOf::read(fields),
            key: fields.key(),
            first: CandidateFields::read(fields),
            visited: (0..fields.u8()).map(|_| fields.i64()).collect(),
        }
    }
}

/// The preferred capture of the URL to which a redirect leads, and its own target if it is a redirect, too.
struct RedirectTarget {
    candidate: Candidate,
    next_url: Option<Vec<u8>>,
}

impl RedirectTarget {
    fn replace_if_preferred(target: &mut Option<Self>, capture: &CaptureFields<'_>) {
        let candidate = capture.candidate;
        let is_preferred = target
            .as_ref()
            .is_none_or(|target| candidate.is_preferred_to(&target.candidate));
        if is_preferred {
            *target = Some(Self {
                candidate,
                next_url: capture.next_url.map(<[u8]>::to_vec),
            });
        }
    }
}

impl<'s> RedirectFollower<'s> {
    pub(super) fn new(context: &ResolveContext<'s>) -> Self {
        Self {
            candidates: context.memory.create_sorter(),
            pending: context.memory.create_sorter(),
            record: Vec::new(),
        }
    }

    /// Adds the redirects of `key`, which has the escaped form that [`FieldReader::key`] returns.
    pub(super) fn add_redirects(
        &mut self,
        key: &[u8],
        as_of: AsOf,
        captures: &KeyCaptures,
    ) -> Result<(), Error> {
        for (next_url, first) in captures.redirects() {
            let redirect = PendingRedirect {
                as_of,
                key,
                first,
                visited: vec![first.candidate.id.robots_id],
            };
            self.push_pending(&redirect, next_url)?;
        }
        Ok(())
    }

    /// Follows all redirects, and returns the candidates. `all_target_captures` are the captures of
    /// all URLs to which any capture redirects, sorted by the keys that [`put_target_key`] writes. If
    /// they are `None`, the needed captures are read from the dataset.
    pub(super) fn follow(
        mut self,
        context: &ResolveContext<'s>,
        mut all_target_captures: Option<SortedRecords<'s>>,
    ) -> Result<SortedRecords<'s>, Error> {
        for hop in 1..=MAX_HOPS {
            let next_pending = context.memory.create_sorter();
            let pending = std::mem::replace(&mut self.pending, next_pending).finish()?;
            if pending.is_empty() {
                break;
            }
            let few_target_captures = match all_target_captures {
                None => sort_target_captures(context, &pending)?,
                Some(_) => None,
            };
            let captures = match &few_target_captures {
                Some(captures) => captures,
                None => match &mut all_target_captures {
                    Some(captures) => captures,
                    none => none.insert(sort_all_target_captures(context)?),
                },
            };
            self.follow_hop(hop, &pending, captures)?;
        }
        self.candidates.finish()
    }

    /// Follows each pending redirect by one hop: to the preferred capture of its next URL in `captures`.
    fn follow_hop(
        &mut self,
        hop: u8,
        pending: &SortedRecords<'_>,
        captures: &SortedRecords<'_>,
    ) -> Result<(), Error> {
        let (mut pending, mut captures) = (pending.read()?, captures.read()?);
        let mut target_key = Vec::new();
        let mut target = None;
        while let Some(record) = pending.peek() {
            let mut fields = FieldReader::new(record);
            let key = fields.key();
            if key != target_key {
                target_key.clear();
                target_key.extend_from_slice(key);
                target = None;
                captures.skip_to_key(&target_key)?;
            }
            let redirect = PendingRedirect::read(&mut fields);
            for_each_capture_until(&mut captures, &target_key, redirect.as_of, &mut |capture| {
                RedirectTarget::replace_if_preferred(&mut target, &capture);
            })?;
            self.finish_hop(redirect, target.as_ref(), hop)?;
            pending.advance()?;
        }
        Ok(())
    }

    /// Adds a redirect whose next capture is `target`: as a candidate if the chain ends there or
    /// cannot be followed further, and as a pending redirect otherwise.
    fn finish_hop(
        &mut self,
        mut redirect: PendingRedirect<'_>,
        target: Option<&RedirectTarget>,
        hop: u8,
    ) -> Result<(), Error> {
        let first = &mut redirect.first.candidate;
        let Some(RedirectTarget {
            candidate,
            next_url,
        }) = target
        else {
            return self.push_unresolved(redirect, RedirectEnd::NotCaptured);
        };
        if redirect.visited.contains(&candidate.id.robots_id) {
            return self.push_unresolved(redirect, RedirectEnd::Loop);
        }
        first.redirects.hop_count = hop;
        match next_url {
            None => {
                first.rank = candidate.rank;
                first.source = candidate.source;
                first.redirects.end = Some(RedirectEnd::Resolved);
                self.push_candidate(&redirect)
            }
            Some(next_url) if hop < MAX_HOPS => {
                redirect.visited.push(candidate.id.robots_id);
                self.push_pending(&redirect, next_url)
            }
            Some(_) => self.push_unresolved(redirect, RedirectEnd::TooMany),
        }
    }

    /// Adds a redirect whose chain is not resolved as a candidate, which is selected only if no other
    /// candidate decides anything.
    fn push_unresolved(
        &mut self,
        mut redirect: PendingRedirect<'_>,
        end: RedirectEnd,
    ) -> Result<(), Error> {
        redirect.first.candidate.rank = CaptureRank::Nothing;
        redirect.first.candidate.redirects.end = Some(end);
        self.push_candidate(&redirect)
    }

    fn push_candidate(&mut self, redirect: &PendingRedirect<'_>) -> Result<(), Error> {
        self.record.clear();
        self.record.extend_from_slice(redirect.key);
        redirect.as_of.write(&mut self.record);
        redirect.first.write(&mut self.record);
        self.candidates.push(&self.record)
    }

    fn push_pending(
        &mut self,
        redirect: &PendingRedirect<'_>,
        next_url: &[u8],
    ) -> Result<(), Error> {
        redirect.write(&mut self.record, next_url);
        self.pending.push(&self.record)
    }
}

/// Sorts the captures of the URLs to which pending redirects lead; `None` if there are many URLs.
fn sort_target_captures<'a>(
    context: &ResolveContext<'a>,
    pending: &SortedRecords<'_>,
) -> Result<Option<SortedRecords<'a>>, Error> {
    let (mut targets, mut hosts) = (BTreeSet::new(), BTreeSet::new());
    let mut reader = pending.read()?;
    while let Some(record) = reader.peek() {
        let mut target = Vec::new();
        push_key_without_escapes(&mut target, FieldReader::new(record).key());
        let (_, url) = split_crawl_key(&target);
        let host = std::str::from_utf8(url).ok().and_then(url_host);
        // A URL without a host was not captured.
        if let Some(host) = host {
            hosts.insert(host.to_owned());
            targets.insert(target);
        }
        if targets.len() > MAX_FILTER_VALUES {
            return Ok(None);
        }
        reader.advance()?;
    }
    let filter = build_values_filter("url_host_name", hosts);
    let captures = sort_captures(context, &filter, &|rows, row, key| {
        push_url_key(rows, row, key);
        targets.contains(key)
    })?;
    Ok(Some(captures))
}

/// Sorts the captures of all URLs to which any capture redirects.
fn sort_all_target_captures<'a>(context: &ResolveContext<'a>) -> Result<SortedRecords<'a>, Error> {
    let targets = read_redirect_targets(context)?;
    let filter = CaptureFilter::Urls(Arc::new(targets));
    sort_captures(context, &filter, &|rows, row, key| {
        push_url_key(rows, row, key);
        true
    })
}

/// Returns a Bloom filter of the URLs to which any capture redirects, each with its crawl, as
/// [`push_url_key`] writes them.
pub(super) fn read_redirect_targets(context: &ResolveContext<'_>) -> Result<Sbbf, Error> {
    let rows = context.dataset.count_rows(Table::ROBOTS_FILES)?;
    let mut targets = context.memory.create_bloom_filter(rows / 2);
    let mut key = Vec::new();
    for_each_redirect_target(context, &mut |crawl, next_url| {
        key.clear();
        push_crawl_key(&mut key, crawl, next_url.as_bytes());
        targets.insert(key.as_slice());
    })?;
    Ok(targets)
}

/// Appends the crawl and the URL of a row: its key as the target of a redirect.
pub(super) fn push_url_key(rows: &CaptureRows, row: usize, key: &mut Vec<u8>) {
    push_crawl_key(key, rows.crawl(), rows.url(row).as_bytes());
}

/// Appends the key of the captures of a URL in a crawl.
fn put_target_key(record: &mut Vec<u8>, crawl: u32, url: &[u8]) {
    let mut key = Vec::with_capacity(8 + url.len());
    push_crawl_key(&mut key, crawl, url);
    put_key(record, &key);
}

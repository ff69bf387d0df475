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
    Candidate, CandidateFields, CaptureFields, CaptureRank, KeyedCapture, RedirectEnd,
    split_crawl_key,
};
use super::capture_rows::{
    CaptureRows, MAX_FILTER_VALUES, build_values_filter, for_each_redirect_target,
};
use super::captures::{for_each_capture_until, sort_captures};
use super::key_captures::KeyCaptures;
use super::{AsOf, ResolveContext};
use dataset::{CaptureFilter, Code, push_crawl_key};
use errors::Error;
use parquet::bloom_filter::Sbbf;
use sort::sort_key::FieldReader;
use sort::{Field, GroupKey, Key, Record, SortedRecords, Sorter, record};
use std::collections::BTreeSet;
use std::sync::Arc;
use tables::Table;
use urls::url_host;

/// The maximum number of hops of a chain that are followed. According to RFC 9309 §2.3.1.2, crawlers
/// should follow at least five.
const MAX_HOPS: u8 = 5;

/// A candidate for a key and a time.
pub type KeyedCandidate = (Key<'static>, (AsOf, CandidateFields<'static>));

/// Follows the redirects of captures, so that each becomes a candidate with the rules of the
/// capture at its end.
pub(super) struct RedirectFollower<'s> {
    pub(super) candidates: Sorter<'s, KeyedCandidate>,
    /// The key is that of the next URL.
    pending: Sorter<'s, (Key<'static>, PendingRedirect<'static>)>,
    /// Buffers for the key of the next URL.
    target: Vec<u8>,
    escaped: Vec<u8>,
}

record! {
    /// A redirect chain whose end is not known yet.
    struct PendingRedirect<'a> {
        as_of: AsOf,
        /// The key for which the redirect becomes a candidate.
        key: Key<'a>,
        /// The capture with which the chain begins.
        first: CandidateFields<'a>,
        visited: VisitedCaptures,
    }
}

/// The `robots_id` of every capture of a chain. A chain that returns to one of them is a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct VisitedCaptures {
    count: u8,
    ids: [i64; MAX_HOPS as usize + 1],
}

impl VisitedCaptures {
    fn push(&mut self, robots_id: i64) {
        if let Some(id) = self.ids.get_mut(usize::from(self.count)) {
            *id = robots_id;
            self.count += 1;
        }
    }

    fn contains(&self, robots_id: i64) -> bool {
        self.ids[..usize::from(self.count)].contains(&robots_id)
    }
}

impl<'a> Field<'a> for VisitedCaptures {
    fn write(self, out: &mut Vec<u8>) {
        self.count.write(out);
        let ids = self.ids.into_iter().take(self.count.into());
        ids.for_each(|id| id.write(out));
    }

    fn read(fields: &mut FieldReader<'a>) -> Self {
        let mut visited = Self::default();
        let count = u8::read(fields);
        (0..count).for_each(|_| visited.push(i64::read(fields)));
        visited
    }
}

impl Record for VisitedCaptures {
    type Of<'a> = Self;
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
            target: Vec::new(),
            escaped: Vec::new(),
        }
    }

    /// Adds the redirects of `key`.
    pub(super) fn add_redirects(
        &mut self,
        key: Key<'_>,
        as_of: AsOf,
        captures: &KeyCaptures,
    ) -> Result<(), Error> {
        for (next_url, first) in captures.redirects() {
            let mut visited = VisitedCaptures::default();
            visited.push(first.candidate.id.robots_id);
            let redirect = PendingRedirect {
                as_of,
                key,
                first,
                visited,
            };
            self.push_pending(redirect, next_url)?;
        }
        Ok(())
    }

    /// Follows all redirects, and returns the candidates. `all_target_captures` are the captures of
    /// all URLs to which any capture redirects, sorted by the keys of [`push_url_key`]. If
    /// they are `None`, the needed captures are read from the dataset.
    pub(super) fn follow(
        mut self,
        context: &ResolveContext<'s>,
        mut all_target_captures: Option<SortedRecords<'s, KeyedCapture>>,
    ) -> Result<SortedRecords<'s, KeyedCandidate>, Error> {
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
        pending: &SortedRecords<'_, (Key<'static>, PendingRedirect<'static>)>,
        captures: &SortedRecords<'_, KeyedCapture>,
    ) -> Result<(), Error> {
        let (mut pending, mut captures) = (pending.read()?, captures.read()?);
        let mut key = GroupKey::default();
        while pending.next_group(&mut key)? {
            captures.skip_to(&key)?;
            let mut target = None;
            while let Some(redirect) = pending.next_of(&key)? {
                for_each_capture_until(&mut captures, &key, redirect.as_of, &mut |capture| {
                    RedirectTarget::replace_if_preferred(&mut target, &capture);
                })?;
                self.finish_hop(redirect, target.as_ref(), hop)?;
            }
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
        if redirect.visited.contains(candidate.id.robots_id) {
            return self.push_unresolved(redirect, RedirectEnd::Loop);
        }
        first.redirects.hop_count = hop;
        match next_url {
            None => {
                first.rank = candidate.rank;
                first.source = candidate.source;
                first.redirects.end = Some(Code(RedirectEnd::Resolved));
                self.push_candidate(redirect)
            }
            Some(next_url) if hop < MAX_HOPS => {
                redirect.visited.push(candidate.id.robots_id);
                self.push_pending(redirect, next_url)
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
        redirect.first.candidate.redirects.end = Some(Code(end));
        self.push_candidate(redirect)
    }

    fn push_candidate(&mut self, redirect: PendingRedirect<'_>) -> Result<(), Error> {
        let candidate = (redirect.as_of, redirect.first);
        self.candidates.push((redirect.key, candidate))
    }

    fn push_pending(
        &mut self,
        redirect: PendingRedirect<'_>,
        next_url: &[u8],
    ) -> Result<(), Error> {
        self.target.clear();
        push_crawl_key(
            &mut self.target,
            redirect.first.candidate.id.crawl,
            next_url,
        );
        let key = Key::new(&self.target, &mut self.escaped);
        self.pending.push((key, redirect))
    }
}

/// Sorts the captures of the URLs to which pending redirects lead; `None` if there are many URLs.
fn sort_target_captures<'a>(
    context: &ResolveContext<'a>,
    pending: &SortedRecords<'_, (Key<'static>, PendingRedirect<'static>)>,
) -> Result<Option<SortedRecords<'a, KeyedCapture>>, Error> {
    let (mut targets, mut hosts) = (BTreeSet::new(), BTreeSet::new());
    let (mut reader, mut key) = (pending.read()?, GroupKey::default());
    while reader.next_group(&mut key)? {
        let mut target = Vec::new();
        key.get().write_original(&mut target);
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
    }
    let filter = build_values_filter("url_host_name", hosts);
    let captures = sort_captures(context, &filter, &|rows, row, key| {
        push_url_key(rows, row, key);
        targets.contains(key)
    })?;
    Ok(Some(captures))
}

/// Sorts the captures of all URLs to which any capture redirects.
fn sort_all_target_captures<'a>(
    context: &ResolveContext<'a>,
) -> Result<SortedRecords<'a, KeyedCapture>, Error> {
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

//! Candidates for the authoritative capture of each origin and time, with
//! redirect chains followed.
//!
//! The selection is that of the view `hosts` of `macros.sql`. It considers the
//! captures of `/robots.txt` of one origin up to the requested time, where a
//! capture without a time counts as the earliest:
//!
//! 1. In each crawl, the capture that decides most
//!    ([`AnswerRank`](super::candidate::AnswerRank)), then the latest, then the
//!    one with the smallest `robots_id`. A redirect counts as the end of its
//!    chain.
//! 2. Among the choices of several crawls, one that decides anything, then the
//!    latest, then that of the crawl with the greater name.
//!
//! Redirect chains are those of the view `redirects`: at most five hops within
//! one crawl. Of several captures of a target URL up to the requested time, the
//! chain continues with the one that decides most, then the latest, then the
//! one with the smallest `robots_id`. A chain is not resolved if it returns to
//! one of its captures, if its next URL was not captured, or if it continues
//! after five hops.
//!
//! Every step merges sorted records: lookups with captures by origin, then, in
//! up to five rounds, pending redirects with captures by URL. Beside the
//! sorters, memory holds only the captures of one origin.

use super::AsOf;
use super::candidate::{AnswerRank, Candidate, CandidateSelection, CaptureFields};
use super::captures::{for_captures_until, sort_captures};
use super::context::ResolveContext;
use crate::error::Error;
use crate::external_sort::sort_key::{FieldReader, put_bytes, put_i64, put_u8, put_u32};
use crate::external_sort::{SortedRecords, Sorter};
use std::collections::HashMap;

/// The most hops of a chain. RFC 9309 §2.3.1.2 asks crawlers to follow at least
/// five.
const MAX_HOPS: u8 = 5;

/// Returns the candidates for each origin and time of `lookups`.
///
/// A record of `lookups` begins with an origin and an [`AsOf`]; so does each
/// returned record, followed by a [`Candidate`]. [`CandidateSelection`] selects
/// the authoritative one.
pub(crate) fn authoritative_candidates<'a>(
    context: &ResolveContext<'a>,
    lookups: &SortedRecords<'_>,
) -> Result<SortedRecords<'a>, Error> {
    let requested = context.memory.bloom_filter_of_keys(lookups)?;
    let captures = sort_captures(context, &mut |_, rows, row, key| {
        rows.is_robots_path(row) && rows.write_origin(row, key) && requested.may_contain(key)
    })?;
    drop(requested);

    let mut resolution = Resolution::new(context);
    resolution.add_captures_of_origins(lookups, &captures)?;
    drop(captures);
    for hop in 1..=MAX_HOPS {
        let next_round = context.memory.sorter();
        let pending = std::mem::replace(&mut resolution.pending, next_round).finish()?;
        if pending.is_empty() {
            break;
        }
        resolution.follow_hop(context, hop, &pending)?;
    }
    resolution.candidates.finish()
}

/// The captures of one origin up to a time.
#[derive(Default)]
struct OriginCaptures {
    direct: CandidateSelection,
    /// The preferred redirect of each crawl to each URL. Earlier redirects to
    /// the same URL have the same end, so they cannot be selected.
    redirects: HashMap<(u32, Vec<u8>), Candidate>,
}

impl OriginCaptures {
    fn clear(&mut self) {
        self.direct.clear();
        self.redirects.clear();
    }

    fn add(&mut self, capture: CaptureFields<'_>) {
        let CaptureFields {
            candidate,
            next_url,
        } = capture;
        let Some(next_url) = next_url else {
            return self.direct.add(candidate);
        };
        let target = (candidate.id.crawl, next_url.to_vec());
        let preferred = self.redirects.entry(target).or_insert(candidate);
        if candidate.is_preferred_to(preferred) {
            *preferred = candidate;
        }
    }
}

/// A redirect chain whose end is not known yet.
struct PendingRedirect<'a> {
    as_of: AsOf,
    /// The origin where the chain begins, as text.
    origin: &'a [u8],
    /// The capture with which the chain begins.
    first: Candidate,
    /// The `robots_id` of every capture of the chain. A chain that returns to
    /// one of them is a loop. Stopping there, instead of after the last hop,
    /// saves reading the dataset again.
    visited: Vec<i64>,
}

impl<'a> PendingRedirect<'a> {
    /// Writes a record with the key crawl and next URL.
    fn write(&self, record: &mut Vec<u8>, next_url: &[u8]) {
        record.clear();
        put_u32(record, next_url.len() as u32 + 4);
        put_u32(record, self.first.id.crawl);
        record.extend_from_slice(next_url);
        self.as_of.write(record);
        put_bytes(record, self.origin);
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
            origin: fields.bytes(),
            first: Candidate::read(fields),
            visited: (0..fields.u8()).map(|_| fields.i64()).collect(),
        }
    }
}

/// The preferred capture of a URL, and the target if it is a redirect.
struct RedirectTarget {
    candidate: Candidate,
    next_url: Option<Vec<u8>>,
}

impl RedirectTarget {
    /// Replaces the target by a capture that is preferred to it.
    fn offer(target: &mut Option<Self>, capture: CaptureFields<'_>) {
        let CaptureFields {
            candidate,
            next_url,
        } = capture;
        let is_preferred = target
            .as_ref()
            .is_none_or(|target| candidate.is_preferred_to(&target.candidate));
        if is_preferred {
            *target = Some(Self {
                candidate,
                next_url: next_url.map(<[u8]>::to_vec),
            });
        }
    }
}

/// The results so far: candidates, and chains that have to be followed.
struct Resolution<'s> {
    candidates: Sorter<'s>,
    pending: Sorter<'s>,
    record: Vec<u8>,
}

impl<'s> Resolution<'s> {
    fn new(context: &ResolveContext<'s>) -> Self {
        Self {
            candidates: context.memory.sorter(),
            pending: context.memory.sorter(),
            record: Vec::new(),
        }
    }

    /// Adds the captures of each origin up to each requested time.
    fn add_captures_of_origins(
        &mut self,
        lookups: &SortedRecords<'_>,
        captures: &SortedRecords<'_>,
    ) -> Result<(), Error> {
        let (mut lookups, mut captures) = (lookups.read()?, captures.read()?);
        let mut origin = Vec::new();
        let mut previous = None;
        let mut of_origin = OriginCaptures::default();
        while let Some(record) = lookups.peek() {
            let mut fields = FieldReader::new(record);
            let key = fields.key();
            if key != origin {
                origin.clear();
                origin.extend_from_slice(key);
                previous = None;
                of_origin.clear();
                captures.skip_to_key(&origin)?;
            }
            let as_of = AsOf::read(&mut fields);
            if previous != Some(as_of) {
                previous = Some(as_of);
                for_captures_until(&mut captures, &origin, as_of, &mut |capture| {
                    of_origin.add(capture);
                })?;
                self.add_origin(FieldReader::new(&origin).bytes(), as_of, &of_origin)?;
            }
            lookups.advance()?;
        }
        Ok(())
    }

    fn add_origin(
        &mut self,
        origin: &[u8],
        as_of: AsOf,
        captures: &OriginCaptures,
    ) -> Result<(), Error> {
        for candidate in captures.direct.by_crawl() {
            self.push_candidate(origin, as_of, candidate)?;
        }
        for ((_, next_url), candidate) in &captures.redirects {
            let redirect = PendingRedirect {
                as_of,
                origin,
                first: *candidate,
                visited: vec![candidate.id.robots_id],
            };
            self.push_pending(&redirect, next_url)?;
        }
        Ok(())
    }

    /// Follows each pending redirect to its next capture.
    fn follow_hop(
        &mut self,
        context: &ResolveContext<'_>,
        hop: u8,
        pending: &SortedRecords<'_>,
    ) -> Result<(), Error> {
        let targets = context.memory.bloom_filter_of_keys(pending)?;
        let captures = sort_captures(context, &mut |crawl, rows, row, key| {
            put_u32(key, crawl);
            key.extend_from_slice(rows.url(row).as_bytes());
            targets.may_contain(key)
        })?;
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
            for_captures_until(&mut captures, &target_key, redirect.as_of, &mut |capture| {
                RedirectTarget::offer(&mut target, capture);
            })?;
            self.arrive(redirect, target.as_ref(), hop)?;
            pending.advance()?;
        }
        Ok(())
    }

    /// Adds a redirect that has arrived at a capture: a candidate if the chain
    /// ends there or cannot be followed further, else a pending redirect.
    fn arrive(
        &mut self,
        mut redirect: PendingRedirect<'_>,
        target: Option<&RedirectTarget>,
        hop: u8,
    ) -> Result<(), Error> {
        let is_new =
            |target: &&RedirectTarget| !redirect.visited.contains(&target.candidate.id.robots_id);
        let Some(RedirectTarget {
            candidate,
            next_url,
        }) = target.filter(is_new)
        else {
            return self.push_unresolved(&redirect);
        };
        match next_url {
            None => {
                let resolved = Candidate {
                    rank: candidate.rank,
                    source: candidate.source,
                    ..redirect.first
                };
                self.push_candidate(redirect.origin, redirect.as_of, &resolved)
            }
            Some(next_url) if hop < MAX_HOPS => {
                redirect.visited.push(candidate.id.robots_id);
                self.push_pending(&redirect, next_url)
            }
            Some(_) => self.push_unresolved(&redirect),
        }
    }

    /// Adds a redirect whose chain is not resolved: it is selected only if there
    /// is nothing else.
    fn push_unresolved(&mut self, redirect: &PendingRedirect<'_>) -> Result<(), Error> {
        let candidate = Candidate {
            rank: AnswerRank::Nothing,
            ..redirect.first
        };
        self.push_candidate(redirect.origin, redirect.as_of, &candidate)
    }

    fn push_candidate(
        &mut self,
        origin: &[u8],
        as_of: AsOf,
        candidate: &Candidate,
    ) -> Result<(), Error> {
        self.record.clear();
        put_bytes(&mut self.record, origin);
        as_of.write(&mut self.record);
        candidate.write(&mut self.record);
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

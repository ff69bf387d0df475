//! Candidates for the authoritative capture of each requested origin and time.
//!
//! The captures of `/robots.txt` of one origin up to the requested time are considered,
//! where a capture without a time counts as the earliest:
//!
//! 1. In each crawl, the capture that decides most
//!    ([`CaptureRank`](super::candidate::CaptureRank)), then https before other schemes, the
//!    default port before other ports, the latest, and the one with the smallest
//!    `robots_id`. A redirect counts as the end of its chain.
//! 2. Among the choices of several crawls, one that decides anything, then the
//!    latest, then that of the later crawl.

use super::ResolveContext;
use super::as_of::AsOf;
use super::candidate::KeyedCapture;
use super::capture_rows::{MAX_FILTER_VALUES, build_values_filter};
use super::captures::{WriteKey, for_each_capture_until, sort_captures};
use super::key_captures::KeyCaptures;
use super::redirects::{KeyedCandidate, RedirectFollower};
use dataset::CaptureFilter;
use errors::Error;
use sort::{GroupKey, Key, Record, SortedRecords};
use std::collections::BTreeSet;
use urls::url_host;

/// A key for which candidates are looked up, such as an origin, with a time and other fields.
pub type Lookup<V> = (Key<'static>, (AsOf, V));

/// Finds the candidates for each origin and time in `lookups`.
///
/// [`CandidateSelection`](super::CandidateSelection) selects the authoritative one.
pub fn find_candidates_by_origin<'a, V: Record>(
    context: &ResolveContext<'a>,
    lookups: &SortedRecords<'_, Lookup<V>>,
) -> Result<SortedRecords<'a, KeyedCandidate>, Error> {
    let requested = context.memory.create_key_filter(lookups)?;
    let filter = build_origins_filter(lookups)?;
    find_candidates_by_key(context, lookups, &filter, &|rows, row, key| {
        rows.is_robots_path(row) && rows.write_origin(row, key) && requested.check(key)
    })
}

/// Finds the candidates for each key and time in `lookups`. `write_key` writes the keys of
/// captures.
pub(super) fn find_candidates_by_key<'a, V: Record>(
    context: &ResolveContext<'a>,
    lookups: &SortedRecords<'_, Lookup<V>>,
    filter: &CaptureFilter,
    write_key: &WriteKey<'_>,
) -> Result<SortedRecords<'a, KeyedCandidate>, Error> {
    let captures = sort_captures(context, filter, write_key)?;
    let mut follower = RedirectFollower::new(context);
    add_captures(lookups, &captures, &mut follower)?;
    drop(captures);
    follower.follow(context, None)
}

/// Adds the captures of each key up to each requested time to `follower`: redirects as chains to be
/// followed, and other captures as candidates.
fn add_captures<V: Record>(
    lookups: &SortedRecords<'_, Lookup<V>>,
    captures: &SortedRecords<'_, KeyedCapture>,
    follower: &mut RedirectFollower<'_>,
) -> Result<(), Error> {
    let (mut lookups, mut captures) = (lookups.read()?, captures.read()?);
    let mut key = GroupKey::default();
    let mut key_captures = KeyCaptures::default();
    while lookups.next_group(&mut key)? {
        let mut previous_as_of = None;
        key_captures.clear();
        captures.skip_to(&key)?;
        while let Some((as_of, _)) = lookups.next_of(&key)? {
            if previous_as_of == Some(as_of) {
                continue;
            }
            previous_as_of = Some(as_of);
            for_each_capture_until(&mut captures, &key, as_of, &mut |capture| {
                key_captures.add(&capture);
            })?;
            for candidate in key_captures.direct_captures() {
                follower.candidates.push((key.get(), (as_of, candidate)))?;
            }
            follower.add_redirects(key.get(), as_of, &key_captures)?;
        }
    }
    Ok(())
}

/// Returns a filter of captures by the hosts of the origins in `lookups`. If there are many hosts,
/// the filter lets all captures pass.
fn build_origins_filter<V: Record>(
    lookups: &SortedRecords<'_, Lookup<V>>,
) -> Result<CaptureFilter, Error> {
    let mut hosts = BTreeSet::new();
    let (mut reader, mut key, mut origin) = (lookups.read()?, GroupKey::default(), Vec::new());
    while reader.next_group(&mut key)? {
        key.get().write_original(&mut origin);
        if let Some(host) = std::str::from_utf8(&origin).ok().and_then(url_host) {
            hosts.insert(host.to_owned());
        }
        if hosts.len() > MAX_FILTER_VALUES {
            break;
        }
    }
    Ok(build_values_filter("url_host_name", hosts))
}

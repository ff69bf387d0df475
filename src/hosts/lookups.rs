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
use super::capture_rows::{MAX_FILTER_VALUES, build_values_filter};
use super::captures::{WriteKey, for_each_capture_until, sort_captures};
use super::key_captures::KeyCaptures;
use super::redirects::RedirectFollower;
use capture::origin::url_host;
use dataset::CaptureFilter;
use disk::error::Error;
use sort::SortedRecords;
use sort::sort_key::{FieldReader, push_key_without_escapes, put_i64};
use std::collections::BTreeSet;

/// The time up to which captures are considered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AsOf {
    /// Milliseconds since 1970.
    Time(i64),
    /// No limit: the newest capture.
    Newest,
}

/// The number that records have for [`AsOf::Newest`]. It sorts after every time.
const NEWEST: i64 = i64::MAX;

impl AsOf {
    /// Returns `Newest` if there is no time.
    pub fn from_option(time: Option<i64>) -> Self {
        time.map_or(Self::Newest, Self::Time)
    }

    /// Returns true if a capture of this time is considered. A capture without
    /// a time counts as the earliest.
    pub fn includes(self, capture_time: Option<i64>) -> bool {
        match self {
            Self::Time(time) => capture_time.is_none_or(|capture_time| capture_time <= time),
            Self::Newest => true,
        }
    }

    /// Appends a field that sorts as the times do, with `Newest` last.
    pub fn write(self, out: &mut Vec<u8>) {
        match self {
            Self::Time(time) => put_i64(out, time),
            Self::Newest => put_i64(out, NEWEST),
        }
    }

    /// Reads the field that [`AsOf::write`] wrote.
    pub fn read(fields: &mut FieldReader<'_>) -> Self {
        match fields.i64() {
            NEWEST => Self::Newest,
            time => Self::Time(time),
        }
    }
}

/// Finds the candidates for each origin and time in `lookups`.
///
/// A record of `lookups` begins with an origin and an [`AsOf`]; so does each
/// returned record, followed by a [`Candidate`](super::candidate::Candidate).
/// [`CandidateSelection`](super::CandidateSelection) selects the authoritative one.
pub fn find_candidates_by_origin<'a>(
    context: &ResolveContext<'a>,
    lookups: &SortedRecords<'_>,
) -> Result<SortedRecords<'a>, Error> {
    let requested = context.memory.create_key_filter(lookups)?;
    let filter = build_origins_filter(lookups)?;
    find_candidates_by_key(context, lookups, &filter, &|rows, row, key| {
        rows.is_robots_path(row) && rows.write_origin(row, key) && requested.check(key)
    })
}

/// Finds the candidates for each key and time in `lookups`. `write_key` writes the keys of
/// captures.
pub(super) fn find_candidates_by_key<'a>(
    context: &ResolveContext<'a>,
    lookups: &SortedRecords<'_>,
    filter: &CaptureFilter,
    write_key: &WriteKey<'_>,
) -> Result<SortedRecords<'a>, Error> {
    let captures = sort_captures(context, filter, write_key)?;
    let mut follower = RedirectFollower::new(context);
    add_captures(lookups, &captures, &mut follower)?;
    drop(captures);
    follower.follow(context, None)
}

/// Adds the captures of each key up to each requested time: redirects are to be followed, and other
/// captures are candidates.
fn add_captures(
    lookups: &SortedRecords<'_>,
    captures: &SortedRecords<'_>,
    follower: &mut RedirectFollower<'_>,
) -> Result<(), Error> {
    let (mut lookups, mut captures) = (lookups.read()?, captures.read()?);
    let mut key = Vec::new();
    let mut previous_as_of = None;
    let mut key_captures = KeyCaptures::default();
    let mut record = Vec::new();
    while let Some(lookup) = lookups.peek() {
        let mut fields = FieldReader::new(lookup);
        let next_key = fields.key();
        if next_key != key {
            key.clear();
            key.extend_from_slice(next_key);
            previous_as_of = None;
            key_captures.clear();
            captures.skip_to_key(&key)?;
        }
        let as_of = AsOf::read(&mut fields);
        if previous_as_of != Some(as_of) {
            previous_as_of = Some(as_of);
            for_each_capture_until(&mut captures, &key, as_of, &mut |capture| {
                key_captures.add(&capture);
            })?;
            for candidate in key_captures.direct_captures() {
                record.clear();
                record.extend_from_slice(&key);
                as_of.write(&mut record);
                candidate.write(&mut record);
                follower.candidates.push(&record)?;
            }
            follower.add_redirects(&key, as_of, &key_captures)?;
        }
        lookups.advance()?;
    }
    Ok(())
}

/// Returns a filter of captures by the hosts of the origins in `lookups`. If there are many hosts,
/// the filter lets all captures pass.
fn build_origins_filter(lookups: &SortedRecords<'_>) -> Result<CaptureFilter, Error> {
    let mut hosts = BTreeSet::new();
    let mut reader = lookups.read()?;
    let mut origin = Vec::new();
    while let Some(record) = reader.peek() {
        origin.clear();
        push_key_without_escapes(&mut origin, FieldReader::new(record).key());
        if let Some(host) = std::str::from_utf8(&origin).ok().and_then(url_host) {
            hosts.insert(host.to_owned());
        }
        if hosts.len() > MAX_FILTER_VALUES {
            break;
        }
        reader.advance()?;
    }
    Ok(build_values_filter("url_host_name", hosts))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(as_of: AsOf) -> Vec<u8> {
        let mut out = Vec::new();
        as_of.write(&mut out);
        out
    }

    #[test]
    fn records_sort_by_time_and_the_newest_comes_last() {
        let all = [
            AsOf::Time(-1),
            AsOf::Time(0),
            AsOf::Time(i64::MAX - 1),
            AsOf::Newest,
        ];
        assert!(all.is_sorted_by(|a, b| written(*a) < written(*b)));
        for as_of in all {
            assert_eq!(AsOf::read(&mut FieldReader::new(&written(as_of))), as_of);
        }
    }

    #[test]
    fn a_capture_without_a_time_counts_as_the_earliest() {
        assert!(AsOf::Time(0).includes(None));
        assert!(AsOf::Time(0).includes(Some(0)));
        assert!(!AsOf::Time(0).includes(Some(1)));
        assert!(AsOf::Newest.includes(Some(i64::MAX)));
    }
}

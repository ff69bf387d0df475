//! Selects the authoritative capture of each host.

use super::short_url::expand_short_url;
use crate::candidate::{Candidate, CandidateFields, CaptureFields, split_crawl_key};
use crate::capture_rows::{CaptureRows, for_each_batch};
use crate::captures::CaptureSorter;
use crate::key_captures::KeyCaptures;
use crate::redirects::{KeyedCandidate, RedirectFollower, push_url_key, read_redirect_targets};
use crate::{AsOf, ResolveContext};
use dataset::{CaptureFilter, push_crawl_key};
use errors::Error;
use process::HASH_SEED;
use sort::{GroupKey, Key, Reader, SortedRecords, record};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The limit of the number of URLs of a host whose changes of content are counted.
pub(super) const MAX_COUNTED_URLS: usize = 1000;

/// The limit of the number of redirects of a host that are held in memory, so that several redirects to the same
/// URL are followed as one. If a host has more, some of them may be followed separately, with the same result.
const MAX_HELD_REDIRECTS: usize = 1000;

/// The hosts of some crawls with their authoritative captures, sorted by crawl and
/// `surt_host_name`.
pub(super) struct SelectedHosts<'s> {
    /// For each host, its counts and its preferred capture that is not a redirect to be followed.
    direct: SortedRecords<'s, (Key<'static>, DirectHost<'static>)>,
    /// For each host, the redirects with the rules of the captures at their ends.
    redirected: SortedRecords<'s, KeyedCandidate>,
}

record! {
    /// The counts of a host, and its preferred capture that is not a redirect to be followed, if it has one.
    struct DirectHost<'a> {
        n_captures: u32,
        n_changes: u32,
        capture: Option<CandidateFields<'a>>,
    }
}

/// A host and its authoritative capture.
#[derive(Debug)]
pub(super) struct SelectedHost<'a> {
    /// The index of the crawl.
    pub(super) crawl: u32,
    pub(super) surt_host_name: &'a str,
    pub(super) capture: Candidate,
    /// The short form of the URL.
    short_url: &'a [u8],
    pub(super) n_captures: u32,
    pub(super) n_changes: u32,
}

impl SelectedHost<'_> {
    /// Replaces `url` with the URL of the authoritative capture.
    pub(super) fn write_url(&self, url: &mut String) {
        expand_short_url(self.short_url, self.surt_host_name, url);
    }

    /// Returns true if the rules are not those of the authoritative capture itself but of another one, which
    /// several hosts may share.
    pub(super) fn has_shared_rules(&self) -> bool {
        self.capture.source.id != self.capture.id
    }
}

impl<'s> SelectedHosts<'s> {
    /// Selects the authoritative captures of the hosts of `crawls`.
    pub(super) fn select(
        context: &ResolveContext<'s>,
        crawls: RangeInclusive<u32>,
    ) -> Result<Self, Error> {
        let write_host_key = |rows: &CaptureRows, row: usize, key: &mut Vec<u8>| {
            let is_wanted = crawls.contains(&rows.crawl()) && rows.is_robots_path(row);
            let Some(host) = rows.surt_host_name(row).filter(|_| is_wanted) else {
                return false;
            };
            push_crawl_key(key, rows.crawl(), host.as_bytes());
            true
        };
        let targets = read_redirect_targets(context)?;
        let write_target_key = |rows: &CaptureRows, row: usize, key: &mut Vec<u8>| {
            push_url_key(rows, row, key);
            crawls.contains(&rows.crawl()) && targets.check(&key[..])
        };
        let by_host = CaptureSorter::new(context, true, &write_host_key);
        let by_target = CaptureSorter::new(context, false, &write_target_key);
        for_each_batch(context, &CaptureFilter::All, &|rows| {
            by_host.add(rows)?;
            by_target.add(rows)
        })?;
        let (captures, target_captures) = (by_host.finish(context)?, by_target.finish(context)?);
        let mut follower = RedirectFollower::new(context);
        let mut direct = context.memory.create_ordered_writer();
        let (mut reader, mut key) = (captures.read()?, GroupKey::default());
        let mut host_captures = HostCaptures::default();
        while reader.next_group(&mut key)? {
            host_captures.clear();
            while let Some(capture) = reader.next_of(&key)? {
                host_captures.add(&capture);
                if host_captures.captures.redirects().len() >= MAX_HELD_REDIRECTS {
                    follower.add_redirects(key.get(), AsOf::Newest, &host_captures.captures)?;
                    host_captures.captures.clear_redirects();
                }
            }
            direct.push((key.get(), host_captures.direct_host()))?;
            follower.add_redirects(key.get(), AsOf::Newest, &host_captures.captures)?;
        }
        drop(reader);
        drop(captures);
        Ok(Self {
            direct: direct.finish()?,
            redirected: follower.follow(context, Some(target_captures))?,
        })
    }

    /// Calls `each` for every host in order, with its number, from 0.
    pub(super) fn for_each(
        &self,
        each: &mut dyn FnMut(u64, &SelectedHost<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (mut direct, mut redirected) = (self.direct.read()?, self.redirected.read()?);
        let (mut key, mut key_bytes) = (GroupKey::default(), Vec::new());
        let mut best = BestCandidate::default();
        let mut number = 0;
        while let Some((host_key, host)) = direct.next_record()? {
            let (n_captures, n_changes) = (host.n_captures, host.n_changes);
            best.clear();
            key.set(host_key);
            best.read_candidates(&mut redirected, &key)?;
            let best = match (host.capture, best.fields()) {
                (Some(direct), Some(end)) => {
                    if end.candidate.is_preferred_to(&direct.candidate) {
                        end
                    } else {
                        direct
                    }
                }
                (Some(only), None) | (None, Some(only)) => only,
                (None, None) => unreachable!("a host has a capture"),
            };
            host_key.write_original(&mut key_bytes);
            let text = |bytes| std::str::from_utf8(bytes).expect("it was written from a text");
            let (crawl, host) = split_crawl_key(&key_bytes);
            let host = text(host);
            each(
                number,
                &SelectedHost {
                    crawl,
                    surt_host_name: host,
                    capture: best.candidate,
                    short_url: best.url,
                    n_captures,
                    n_changes,
                },
            )?;
            number += 1;
        }
        Ok(())
    }
}

/// The preferred one of some candidates, with the short form of its URL.
#[derive(Default)]
struct BestCandidate {
    candidate: Option<Candidate>,
    url: Vec<u8>,
}

impl BestCandidate {
    fn clear(&mut self) {
        self.candidate = None;
    }

    fn replace_if_preferred(&mut self, fields: CandidateFields<'_>) {
        let is_preferred = |best: &Candidate| fields.candidate.is_preferred_to(best);
        if self.candidate.as_ref().is_none_or(is_preferred) {
            self.candidate = Some(fields.candidate);
            self.url.clear();
            self.url.extend_from_slice(fields.url);
        }
    }

    fn fields(&self) -> Option<CandidateFields<'_>> {
        let candidate = self.candidate?;
        Some(CandidateFields {
            candidate,
            url: &self.url,
        })
    }

    /// Reads the candidates of a key, and keeps the preferred one.
    fn read_candidates(
        &mut self,
        candidates: &mut Reader<'_, KeyedCandidate>,
        key: &GroupKey<Key<'static>>,
    ) -> Result<(), Error> {
        candidates.skip_to(key)?;
        while let Some((_, candidate)) = candidates.next_of(key)? {
            self.replace_if_preferred(candidate);
        }
        Ok(())
    }
}

/// The captures of one host of a crawl.
#[derive(Default)]
struct HostCaptures {
    captures: KeyCaptures,
    capture_count: u32,
    /// For the hash of each URL: the hash of its last content, and the number of changes so far.
    contents: HashMap<u64, (u64, u32)>,
}

impl HostCaptures {
    fn clear(&mut self) {
        self.captures.clear();
        self.capture_count = 0;
        self.contents.clear();
    }

    /// Adds a capture. Captures are added in the order of their times.
    fn add(&mut self, capture: &CaptureFields<'_>) {
        self.captures.add(capture);
        self.capture_count = self.capture_count.saturating_add(1);
        let Some(content) = capture.content_hash else {
            return;
        };
        let url = xxh3_64_with_seed(capture.url, *HASH_SEED);
        if self.contents.len() >= MAX_COUNTED_URLS && !self.contents.contains_key(&url) {
            return;
        }
        let (last, changes) = self.contents.entry(url).or_insert((content, 0));
        *changes += u32::from(*last != content);
        *last = content;
    }

    fn direct_host(&self) -> DirectHost<'_> {
        let changes = self.contents.values().map(|(_, changes)| *changes);
        DirectHost {
            n_captures: self.capture_count,
            n_changes: changes.max().unwrap_or(0),
            capture: self.captures.direct_captures().next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::{CaptureId, CaptureRank, Effects, RedirectChain, RulesSource, UrlOrder};
    use dataset::Code;
    use robots::{ContentClass, StatusEffect};

    /// Makes a capture of a URL with this content, if any.
    fn capture(url: &str, content_hash: Option<u64>) -> CaptureFields<'_> {
        let id = CaptureId {
            crawl: 0,
            robots_id: 1,
        };
        CaptureFields {
            candidate: Candidate {
                id,
                time: None,
                rank: CaptureRank::Content,
                preference: UrlOrder {
                    is_not_https: false,
                    has_other_port: false,
                },
                source: RulesSource {
                    id,
                    part: 0,
                    effects: Effects([StatusEffect::Parse; 3]),
                    is_valid_utf8: true,
                    content: Code(ContentClass::Rules),
                    time: None,
                },
                redirects: RedirectChain::default(),
            },
            next_url: None,
            url: url.as_bytes(),
            content_hash,
        }
    }

    /// Returns `n_captures` and `n_changes`.
    fn counts(host: &HostCaptures) -> (u32, u32) {
        let host = host.direct_host();
        (host.n_captures, host.n_changes)
    }

    #[test]
    fn changes_are_those_of_the_url_that_changed_most() {
        let mut host = HostCaptures::default();
        for (url, content) in [
            ("https://h/robots.txt", Some(1)),
            ("http://h/robots.txt", Some(2)),
            ("https://h/robots.txt", Some(1)),
            ("https://h/robots.txt", None),
            ("https://h/robots.txt", Some(3)),
            ("http://h/robots.txt", Some(2)),
            ("https://h/robots.txt", Some(1)),
        ] {
            host.add(&capture(url, content));
        }
        assert_eq!(counts(&host), (7, 2));
        host.clear();
        assert_eq!(counts(&host), (0, 0));
    }

    #[test]
    fn the_number_of_urls_whose_changes_are_counted_is_limited() {
        let mut host = HostCaptures::default();
        for content in 0..3 {
            for i in 0..=MAX_COUNTED_URLS {
                // Only the last URL changes.
                let content = if i == MAX_COUNTED_URLS { content } else { 7 };
                let url = format!("https://h:{i}/robots.txt");
                host.add(&capture(&url, Some(content)));
            }
        }
        assert_eq!(host.contents.len(), MAX_COUNTED_URLS);
        assert_eq!(counts(&host).1, 0);
    }
}

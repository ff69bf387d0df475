//! A cache of the analyses of bodies.
//!
//! Many robots.txt files of a crawl are equal to an earlier one: the same site under two names, or a
//! file shipped with a content management system. Bodies of usual size are kept with their analyses
//! when they occur for the second time. Keeping a body costs as much as parsing it, and most bodies
//! occur once. If the cache exceeds its memory limit, the oldest are evicted.
//!
//! The cache computes nothing: the analyzer looks a body up, and inserts the analysis if it is missing
//! and the body has occurred before.
//!
//! The cache must never change output. Everything in [`BodyAnalysis`] therefore depends on the body
//! and the parse options alone; what also depends on the capture belongs in `capture_analysis.rs`.

use hashbrown::HashTable;
use process::HASH_SEED;
use robots::{AgentVerdict, LeniencyImpact, OwnedRobotsTxt, ParseOptions, RobotsTxt};
use std::borrow::Cow;
use std::collections::VecDeque;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The maximum size of a body that is cached.
const MAX_BODY_BYTES: usize = 16 << 10;

/// The memory limit of the cache. It is enough for about 1 MiB of bodies.
const MAX_MEMORY_BYTES: usize = 4 << 20;

/// The number of hashes of bodies that are remembered. A further hash replaces the one in its slot.
const SEEN_HASH_SLOTS: usize = 1 << 14;

/// Everything that depends on a body and the parse options alone.
#[derive(Debug)]
pub struct BodyAnalysis<'a> {
    /// The parsed body.
    pub robots: RobotsTxt<'a>,
    /// The verdicts of `*` and of every name in the file.
    pub verdicts: Vec<AgentVerdict<'a>>,
    /// The lines that were read leniently, and their effects on verdicts.
    pub leniency_impacts: Cow<'a, [LeniencyImpact]>,
    /// The fingerprint of the rules.
    pub ruleset_id: i64,
}

/// A cache of analyses, keyed by bodies and parse options.
#[derive(Debug, Default)]
pub struct BodyCache {
    entries: Vec<CachedBody>,
    /// Indexes of entries, hashed by the hashes of their bodies.
    indexes: HashTable<u32>,
    /// Indexes of entries in use, the oldest first.
    used_indexes: VecDeque<u32>,
    /// Indexes of entries not in use.
    free_indexes: Vec<u32>,
    memory_bytes: usize,
    /// Hashes of bodies that have occurred, each in the slot that the hash determines. Empty before the
    /// first occurrence.
    seen_hashes: Vec<u64>,
}

/// A cached body and its analysis.
#[derive(Debug, Default)]
struct CachedBody {
    /// The hash of the body, which differs between processes.
    hash: u64,
    options: ParseOptions,
    robots: OwnedRobotsTxt,
    /// Verdicts without the names of their agents, and the end of each name in `names`.
    verdicts: Vec<(AgentVerdict<'static>, usize)>,
    names: Vec<u8>,
    leniency_impacts: Vec<LeniencyImpact>,
    ruleset_id: i64,
}

impl BodyCache {
    /// Returns true if a body is small enough to be cached.
    pub fn is_cacheable(body: &[u8]) -> bool {
        body.len() <= MAX_BODY_BYTES
    }

    /// Returns the hash of a body, which the other methods take. It differs between processes.
    pub fn hash(body: &[u8]) -> u64 {
        xxh3_64_with_seed(body, *HASH_SEED)
    }

    /// Returns the index of the entry for a body that was parsed with `options`, if it is in the cache.
    pub fn find(&self, hash: u64, body: &[u8], options: ParseOptions) -> Option<u32> {
        let is_match = |&index: &u32| {
            let entry = &self.entries[index as usize];
            entry.hash == hash && entry.options == options && entry.robots.body() == body
        };
        self.indexes.find(hash, is_match).copied()
    }

    /// Remembers the hash of a body. Returns true if the body has occurred before, but false if the hash of
    /// another body has taken the slot since.
    pub(crate) fn remember_occurrence(&mut self, hash: u64) -> bool {
        self.seen_hashes.resize(SEEN_HASH_SLOTS, 0);
        let slot = &mut self.seen_hashes[hash as usize % SEEN_HASH_SLOTS];
        std::mem::replace(slot, hash) == hash
    }

    /// Adds the analysis of a body that was not found, and returns its index. Evicts the oldest
    /// entries if the cache exceeds its memory limit.
    pub fn insert(&mut self, hash: u64, options: ParseOptions, analysis: BodyAnalysis<'_>) -> u32 {
        let index = self.free_indexes.pop().unwrap_or_else(|| {
            self.entries.push(CachedBody::default());
            self.entries.len() as u32 - 1
        });
        let entry = CachedBody::new(hash, options, analysis);
        self.memory_bytes += entry.memory_bytes();
        self.entries[index as usize] = entry;
        self.used_indexes.push_back(index);
        let entries = &self.entries;
        self.indexes
            .insert_unique(hash, index, |&index| entries[index as usize].hash);
        self.evict_oldest();
        index
    }

    /// Returns the analysis at an index that [`find`](Self::find) or [`insert`](Self::insert) has
    /// just returned.
    pub fn get(&self, index: u32) -> BodyAnalysis<'_> {
        self.entries[index as usize].analysis()
    }

    /// Evicts the oldest entries until the memory limit is met. The latest entry is always kept.
    fn evict_oldest(&mut self) {
        while self.memory_bytes > MAX_MEMORY_BYTES
            && self.used_indexes.len() > 1
            && let Some(oldest) = self.used_indexes.pop_front()
        {
            let entry = std::mem::take(&mut self.entries[oldest as usize]);
            self.memory_bytes -= entry.memory_bytes();
            let is_oldest = |&index: &u32| index == oldest;
            if let Ok(found) = self.indexes.find_entry(entry.hash, is_oldest) {
                found.remove();
            }
            self.free_indexes.push(oldest);
        }
    }
}

impl CachedBody {
    fn new(hash: u64, options: ParseOptions, analysis: BodyAnalysis<'_>) -> Self {
        let verdicts = analysis.verdicts;
        let names_bytes = verdicts.iter().map(|verdict| verdict.agent.len()).sum();
        let mut entry = Self {
            hash,
            options,
            robots: OwnedRobotsTxt::new(&analysis.robots),
            verdicts: Vec::with_capacity(verdicts.len()),
            names: Vec::with_capacity(names_bytes),
            leniency_impacts: analysis.leniency_impacts.into_owned(),
            ruleset_id: analysis.ruleset_id,
        };
        for verdict in verdicts {
            entry.names.extend_from_slice(verdict.agent);
            let verdict_without_agent = AgentVerdict {
                agent: b"",
                ..verdict
            };
            entry
                .verdicts
                .push((verdict_without_agent, entry.names.len()));
        }
        entry
    }

    /// Returns the memory of the entry, which is counted against the limit.
    fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + self.robots.memory_bytes()
            + self.verdicts.capacity() * size_of::<(AgentVerdict<'_>, usize)>()
            + self.names.capacity()
            + self.leniency_impacts.capacity() * size_of::<LeniencyImpact>()
    }

    fn analysis(&self) -> BodyAnalysis<'_> {
        let mut start = 0;
        let verdicts = self.verdicts.iter().map(|(verdict, end)| {
            let agent = &self.names[start..*end];
            start = *end;
            AgentVerdict {
                agent,
                ..verdict.clone()
            }
        });
        BodyAnalysis {
            robots: self.robots.as_robots_txt(),
            verdicts: verdicts.collect(),
            leniency_impacts: self.leniency_impacts.as_slice().into(),
            ruleset_id: self.ruleset_id,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots::{Evaluator, Parser};
    use std::borrow::Cow;

    fn analysis<'a>(robots: RobotsTxt<'a>) -> BodyAnalysis<'a> {
        BodyAnalysis {
            robots,
            verdicts: Evaluator::new().verdicts(&robots),
            leniency_impacts: Cow::Borrowed(&[]),
            ruleset_id: 7,
        }
    }

    #[test]
    fn a_body_has_been_seen_from_its_second_occurrence_on() {
        let mut cache = BodyCache::default();
        let (a, b) = (BodyCache::hash(b"a"), BodyCache::hash(b"b"));
        assert_eq!(
            [a, b, a, b, a].map(|hash| cache.remember_occurrence(hash)),
            [false, false, true, true, true]
        );
        // Another hash in the same slot replaces the former one.
        let other = a ^ 1 << 63;
        assert_eq!(
            [other, a, a].map(|hash| cache.remember_occurrence(hash)),
            [false, false, true]
        );
    }

    /// Looks a body up, and inserts it if it is missing. Returns true if it was found.
    fn is_found(cache: &mut BodyCache, body: &[u8], options: ParseOptions) -> bool {
        let hash = BodyCache::hash(body);
        let mut parser = Parser::new();
        let robots = parser.parse_with(body, options);
        let found = cache.find(hash, body, options);
        let index = found.unwrap_or_else(|| cache.insert(hash, options, analysis(robots)));
        let cached = cache.get(index);
        assert_eq!(cached.robots.body(), body);
        assert_eq!(cached.verdicts, analysis(robots).verdicts);
        found.is_some()
    }

    #[test]
    fn a_repeated_body_is_found_in_the_cache() {
        let mut cache = BodyCache::default();
        let (body, other) = (
            b"User-agent: a\nDisallow: /\n",
            b"User-agent: b\nDisallow: /\n",
        );
        let options = ParseOptions::default();
        assert!(!is_found(&mut cache, body, options));
        assert!(!is_found(&mut cache, other, options));
        assert!(is_found(&mut cache, body, options));
        // Other parse options make it another entry.
        let cut = ParseOptions {
            is_truncated: true,
            ..options
        };
        assert!(!is_found(&mut cache, body, cut));
        assert!(is_found(&mut cache, body, options));
    }

    #[test]
    fn memory_stays_below_the_limit() {
        let mut cache = BodyCache::default();
        for i in 0..3000 {
            let body = format!("User-agent: a{i}\n{}", "#".repeat(i * 7 % 6000));
            assert!(!is_found(
                &mut cache,
                body.as_bytes(),
                ParseOptions::default()
            ));
            assert!(cache.memory_bytes <= MAX_MEMORY_BYTES);
            let used = cache
                .used_indexes
                .iter()
                .map(|&index| cache.entries[index as usize].memory_bytes());
            assert_eq!(used.sum::<usize>(), cache.memory_bytes);
            assert_eq!(
                cache.used_indexes.len() + cache.free_indexes.len(),
                cache.entries.len()
            );
            assert_eq!(cache.indexes.len(), cache.used_indexes.len());
        }
        assert!(cache.entries.len() < 3000 && cache.entries.len() > 100);
        assert!(!BodyCache::is_cacheable(&vec![b'#'; MAX_BODY_BYTES + 1]));
    }
}

//! Candidates for the authoritative capture of an origin, and the selection of one of them.

use dataset::{ClosedSet, Code};
use robots::{ContentClass, Dialect, StatusEffect};
use sort::{Key, codes, record, written_as};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The effects of a status. A sort record stores an effect as its index in this array.
const EFFECTS_BY_CODE: [StatusEffect; 5] = [
    StatusEffect::Parse,
    StatusEffect::AllowAll,
    StatusEffect::DisallowAll,
    StatusEffect::Follow,
    StatusEffect::Defer,
];

record! {
    /// The key of a capture in a dataset.
    pub struct CaptureId {
        /// The index of its crawl in the dataset.
        pub crawl: u32,
        /// The key of the capture in its crawl.
        pub robots_id: i64,
    }
}

/// The extent to which a capture decides what may be fetched, from most to least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CaptureRank {
    /// Its body decides.
    Content,
    /// Its status allows everything.
    AllowAll,
    /// Its status is 401 or 403.
    AccessDenied,
    /// Its status, such as 503, or its missing status means that crawlers should fetch it again later.
    Defer,
    /// It decides nothing: a redirect that is not resolved, a revisit whose content is unknown, or a response of
    /// which bytes are missing.
    Nothing,
    /// There was no response, or one that ends before its status.
    NoAnswer,
}

codes! { CaptureRank: Content, AllowAll, AccessDenied, Defer, Nothing, NoAnswer }

record! {
    /// The capture whose rules or status apply if a candidate is authoritative: the end of its
    /// redirects, the capture with its content if it is a revisit, or the candidate itself. Sources sort like the rows of
    /// the dataset: by part, then by `robots_id`, since the captures of a part are of one crawl.
    pub struct RulesSource {
        /// The index of its part in the dataset.
        pub part: u32,
        /// The key of that capture.
        pub id: CaptureId,
        pub(super) effects: Effects,
        /// True if its body is valid UTF-8.
        pub is_valid_utf8: bool,
        /// The class of its body.
        pub content: Code<ContentClass>,
        /// The time of the fetch, in milliseconds since 1970.
        pub time: Option<i64>,
    }
}

/// The effects of a status in each dialect, in the order of [`Dialect::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Effects(pub(super) [StatusEffect; 3]);

written_as! { Effects as u8: Effects::code, Effects::from_code }

record! {
    /// A capture that may be the authoritative one. Of two candidates, the record of the earlier one sorts first.
    pub struct Candidate {
        /// Milliseconds since 1970. A capture without a time counts as the
        /// earliest.
        pub time: Option<i64>,
        /// The extent to which it decides.
        pub rank: CaptureRank,
        /// The preference for its URL among the URLs of the host.
        pub(super) preference: UrlOrder,
        /// The key of the candidate.
        pub id: CaptureId,
        /// The capture whose rules or status apply.
        pub source: RulesSource,
        pub(super) redirects: RedirectChain,
    }
}

record! {
    /// Orders the URLs of a host by preference: the smallest is preferred.
    #[derive(PartialOrd, Ord)]
    pub(super) struct UrlOrder {
        pub(super) is_not_https: bool,
        pub(super) has_other_port: bool,
    }
}

record! {
    /// The chain of redirects that begins at a capture.
    #[derive(Default)]
    pub(super) struct RedirectChain {
        /// The number of captures after the first.
        pub(super) hop_count: u8,
        /// How the chain ended; `None` if the capture is no redirect, or its chain is not followed yet.
        pub(super) end: Option<Code<RedirectEnd>>,
    }
}

/// How a chain of redirects ended: the column `redirect_end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectEnd {
    /// At a capture that does not redirect further.
    Resolved,
    /// At a URL that was not captured in this crawl.
    NotCaptured,
    /// At a capture of the same chain.
    Loop,
    /// After the maximum number of redirects.
    TooMany,
}

impl ClosedSet for RedirectEnd {
    const ALL: &'static [Self] = &[Self::Resolved, Self::NotCaptured, Self::Loop, Self::TooMany];

    fn code(self) -> u8 {
        self as u8
    }

    fn name(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::NotCaptured => "not_captured",
            Self::Loop => "loop",
            Self::TooMany => "too_many",
        }
    }
}

impl Effects {
    fn code(self) -> u8 {
        let code = |effect: StatusEffect| {
            let i = EFFECTS_BY_CODE.iter().position(|known| *known == effect);
            i.expect("EFFECTS_BY_CODE has every effect")
        };
        let effects = self.0.into_iter();
        let add = |codes, effect| codes * EFFECTS_BY_CODE.len() + code(effect);
        effects.fold(0, add) as u8
    }

    fn from_code(code: u8) -> Self {
        let effect =
            |position: usize| EFFECTS_BY_CODE[usize::from(code) / position % EFFECTS_BY_CODE.len()];
        Self([EFFECTS_BY_CODE.len().pow(2), EFFECTS_BY_CODE.len(), 1].map(effect))
    }
}

impl RulesSource {
    pub fn effect(&self, dialect: Dialect) -> StatusEffect {
        let i = Dialect::ALL.iter().position(|known| *known == dialect);
        self.effects.0[i.expect("Dialect::ALL has every dialect")]
    }
}

impl Candidate {
    /// Returns true if this candidate is preferred to another one of the same crawl: the candidate that
    /// decides more is preferred, then https, then the default port, then the later capture, then the
    /// smaller `robots_id`.
    pub(super) fn is_preferred_to(&self, other: &Self) -> bool {
        let order = |capture: &Self| {
            (
                capture.rank,
                capture.preference,
                Reverse(capture.time),
                capture.id.robots_id,
            )
        };
        order(self) < order(other)
    }

    /// Returns true if this candidate, the preferred one of its crawl, is preferred to that of another
    /// crawl: a candidate that decides anything is preferred, then the later capture, then the capture of
    /// the later crawl.
    fn is_preferred_across_crawls(&self, other: &Self) -> bool {
        let order = |capture: &Self| {
            (
                capture.rank >= CaptureRank::Nothing,
                Reverse(capture.time),
                Reverse(capture.id.crawl),
            )
        };
        order(self) < order(other)
    }
}

/// Selects the authoritative capture among candidates of one origin.
#[derive(Debug, Default)]
pub struct CandidateSelection {
    /// The preferred candidate of each crawl.
    best_by_crawl: BTreeMap<u32, Candidate>,
}

impl CandidateSelection {
    /// Removes all candidates.
    pub fn clear(&mut self) {
        self.best_by_crawl.clear();
    }

    /// Adds a candidate, which is kept if it is the preferred one of its crawl.
    pub fn add(&mut self, candidate: Candidate) {
        let best = self
            .best_by_crawl
            .entry(candidate.id.crawl)
            .or_insert(candidate);
        if candidate.is_preferred_to(best) {
            *best = candidate;
        }
    }

    /// Selects among the preferred candidates of the crawls; `None` if there are no candidates.
    pub fn authoritative_capture(&self) -> Option<Candidate> {
        let candidates = self.best_by_crawl.values().copied();
        candidates.reduce(|best, candidate| {
            if candidate.is_preferred_across_crawls(&best) {
                candidate
            } else {
                best
            }
        })
    }
}

record! {
    /// A capture as it is stored in sort records: a candidate and further fields.
    pub(super) struct CaptureFields<'a> {
        pub(super) candidate: Candidate,
        /// The URL that a redirect leads to; `None` if the capture is not a redirect to be followed.
        pub(super) next_url: Option<&'a [u8]>,
        /// The short form of the URL; empty if it is not needed.
        pub(super) url: &'a [u8],
        /// A hash of the digest of the content; `None` if no content was fetched.
        pub(super) content_hash: Option<u64>,
    }
}

/// A capture with its sort key.
pub(super) type KeyedCapture = (Key<'static>, CaptureFields<'static>);

record! {
    /// A candidate as it is stored in sort records: with the short form of its URL.
    pub struct CandidateFields<'a> {
        pub candidate: Candidate,
        /// The short form of the URL; empty if it is not needed.
        pub(super) url: &'a [u8],
    }
}

/// The length of the index of a crawl at the beginning of a key, in bytes. Each byte holds seven of its bits.
const CRAWL_KEY_BYTES: usize = 3;

/// Splits a key that begins with a crawl, as [`push_crawl_key`](dataset::push_crawl_key) writes
/// it, into the index of the crawl and the rest.
pub(super) fn split_crawl_key(key: &[u8]) -> (u32, &[u8]) {
    let (crawl, rest) = key.split_at(CRAWL_KEY_BYTES);
    let add = |crawl: u32, byte: &u8| crawl << 7 | u32::from(byte & 0x7f);
    (crawl.iter().fold(0, add), rest)
}

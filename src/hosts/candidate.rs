//! Candidates for the authoritative capture of an origin, and the selection of one of them.

use robots::{ContentClass, Dialect, StatusEffect};
use sort::sort_key::{FieldReader, put_bytes, put_i64, put_u8, put_u32, put_u64};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The number that represents a missing fetch time in sort records. It sorts before every time.
const NO_TIME: i64 = i64::MIN;

/// The effects of a status. A sort record stores an effect as its index in this array.
pub(super) const EFFECTS_BY_CODE: [StatusEffect; 5] = [
    StatusEffect::Parse,
    StatusEffect::AllowAll,
    StatusEffect::DisallowAll,
    StatusEffect::Follow,
    StatusEffect::Defer,
];

/// The key of a capture in a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaptureId {
    /// The index of its crawl in the dataset.
    pub crawl: u32,
    /// The key of the capture in its crawl.
    pub robots_id: i64,
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
}

/// The capture whose rules or status apply if a candidate is authoritative: the end of its
/// redirects, the capture with its content if it is a revisit, or the candidate itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RulesSource {
    /// The key of that capture.
    pub id: CaptureId,
    /// The index of its part in the dataset.
    pub part: u32,
    /// The effect of its status in each dialect, in the order of [`Dialect::ALL`].
    pub(super) effects: [StatusEffect; 3],
    /// True if its body is valid UTF-8.
    pub is_valid_utf8: bool,
    /// The class of its body.
    pub content: ContentClass,
    /// The time of the fetch, in milliseconds since 1970.
    pub time: Option<i64>,
}

/// A capture that may be the authoritative one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The key of the candidate.
    pub id: CaptureId,
    /// Milliseconds since 1970. A capture without a time counts as the
    /// earliest.
    pub time: Option<i64>,
    /// The extent to which it decides.
    pub rank: CaptureRank,
    /// The preference for its URL among the URLs of the host.
    pub(super) preference: UrlOrder,
    /// The capture whose rules or status apply.
    pub source: RulesSource,
    pub(super) redirects: RedirectChain,
}

/// Orders the URLs of a host by preference: the smallest is preferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct UrlOrder {
    pub(super) is_not_https: bool,
    pub(super) has_other_port: bool,
}

/// The chain of redirects that begins at a capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RedirectChain {
    /// The number of captures after the first.
    pub(super) hop_count: u8,
    /// How the chain ended; `None` if the capture is no redirect, or its chain is not followed yet.
    pub(super) end: Option<RedirectEnd>,
}

/// How a chain of redirects ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RedirectEnd {
    /// At a capture that does not redirect further.
    Resolved,
    /// At a URL that was not captured in this crawl.
    NotCaptured,
    /// At a capture of the same chain.
    Loop,
    /// After the maximum number of redirects.
    TooMany,
}

impl RedirectEnd {
    /// All values. A sort record stores a value as its index in this array.
    const ALL: [Self; 4] = [Self::Resolved, Self::NotCaptured, Self::Loop, Self::TooMany];

    /// Returns the name in the table `hosts`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::NotCaptured => "not_captured",
            Self::Loop => "loop",
            Self::TooMany => "too_many",
        }
    }
}

impl RedirectChain {
    /// The byte that represents `end: None` in sort records.
    const NO_END: u8 = u8::MAX;

    fn write(self, out: &mut Vec<u8>) {
        put_u8(out, self.hop_count);
        put_u8(out, self.end.map_or(Self::NO_END, |end| end as u8));
    }

    fn read(fields: &mut FieldReader<'_>) -> Self {
        Self {
            hop_count: fields.u8(),
            end: RedirectEnd::ALL.get(usize::from(fields.u8())).copied(),
        }
    }
}

impl UrlOrder {
    fn write(self, out: &mut Vec<u8>) {
        put_u8(
            out,
            u8::from(self.is_not_https) << 1 | u8::from(self.has_other_port),
        );
    }

    fn read(fields: &mut FieldReader<'_>) -> Self {
        let bits = fields.u8();
        Self {
            is_not_https: bits & 2 != 0,
            has_other_port: bits & 1 != 0,
        }
    }
}

impl CaptureId {
    /// Appends the fields of a sort record.
    pub fn write(self, out: &mut Vec<u8>) {
        put_u32(out, self.crawl);
        put_i64(out, self.robots_id);
    }

    /// Reads the fields that [`write`](Self::write) appended.
    pub fn read(fields: &mut FieldReader<'_>) -> Self {
        Self {
            crawl: fields.u32(),
            robots_id: fields.i64(),
        }
    }
}

impl CaptureRank {
    /// All ranks. A sort record stores a rank as its index in this array.
    const ALL: [Self; 5] = [
        Self::Content,
        Self::AllowAll,
        Self::AccessDenied,
        Self::Defer,
        Self::Nothing,
    ];

    pub(super) fn write(self, out: &mut Vec<u8>) {
        put_u8(out, self as u8);
    }

    pub(super) fn read(fields: &mut FieldReader<'_>) -> Self {
        Self::ALL[usize::from(fields.u8())]
    }
}

impl RulesSource {
    /// The length of a source in a sort record, in bytes.
    pub(super) const RECORD_BYTES: usize = 4 + 8 + 4 + 1 + 1 + 8;

    pub fn effect(&self, dialect: Dialect) -> StatusEffect {
        let i = Dialect::ALL.iter().position(|known| *known == dialect);
        self.effects[i.expect("Dialect::ALL has every dialect")]
    }

    /// Appends the fields of a sort record.
    pub fn write(&self, out: &mut Vec<u8>) {
        self.id.write(out);
        self.write_after_id(out);
    }

    fn write_after_id(&self, out: &mut Vec<u8>) {
        put_u32(out, self.part);
        self.write_properties(out);
    }

    fn write_properties(&self, out: &mut Vec<u8>) {
        let code = |effect: StatusEffect| {
            let i = EFFECTS_BY_CODE.iter().position(|known| *known == effect);
            i.expect("EFFECTS_BY_CODE has every effect")
        };
        let effects = self.effects.into_iter();
        let effects = effects.fold(0, |codes, effect| {
            codes * EFFECTS_BY_CODE.len() + code(effect)
        });
        put_u8(out, effects as u8);
        put_u8(
            out,
            (self.content as u8) << 1 | u8::from(self.is_valid_utf8),
        );
        put_time(out, self.time);
    }

    /// Reads the fields that [`write`](Self::write) appended.
    pub fn read(fields: &mut FieldReader<'_>) -> Self {
        let id = CaptureId::read(fields);
        Self::read_after_id(id, fields)
    }

    /// Appends the fields of a sort record. Such records sort like the rows of the dataset: by part,
    /// then by `robots_id`.
    pub fn write_in_row_order(&self, out: &mut Vec<u8>) {
        put_u32(out, self.part);
        put_i64(out, self.id.robots_id);
        put_u32(out, self.id.crawl);
        self.write_properties(out);
    }

    /// Reads the fields that [`RulesSource::write_in_row_order`] wrote.
    pub fn read_in_row_order(fields: &mut FieldReader<'_>) -> Self {
        let part = fields.u32();
        let robots_id = fields.i64();
        let crawl = fields.u32();
        Self::read_properties(CaptureId { crawl, robots_id }, part, fields)
    }

    fn read_after_id(id: CaptureId, fields: &mut FieldReader<'_>) -> Self {
        let part = fields.u32();
        Self::read_properties(id, part, fields)
    }

    fn read_properties(id: CaptureId, part: u32, fields: &mut FieldReader<'_>) -> Self {
        let codes = usize::from(fields.u8());
        let effect = |position: usize| EFFECTS_BY_CODE[codes / position % EFFECTS_BY_CODE.len()];
        let bits = fields.u8();
        Self {
            id,
            part,
            effects: [
                effect(EFFECTS_BY_CODE.len() * EFFECTS_BY_CODE.len()),
                effect(EFFECTS_BY_CODE.len()),
                effect(1),
            ],
            is_valid_utf8: bits & 1 != 0,
            content: ContentClass::ALL[usize::from(bits >> 1)],
            time: read_time(fields),
        }
    }
}

impl Candidate {
    /// Appends the fields of a sort record. Of two candidates, the record of the earlier one sorts first.
    pub fn write(&self, out: &mut Vec<u8>) {
        put_time(out, self.time);
        self.rank.write(out);
        self.preference.write(out);
        self.id.write(out);
        // Most captures have their own rules, so that one flag replaces the key of the source.
        let has_own_rules = self.source.id == self.id;
        put_u8(out, has_own_rules.into());
        if !has_own_rules {
            self.source.id.write(out);
        }
        self.source.write_after_id(out);
        self.redirects.write(out);
    }

    /// Reads the fields that [`write`](Self::write) appended.
    pub fn read(fields: &mut FieldReader<'_>) -> Self {
        let time = read_time(fields);
        let rank = CaptureRank::read(fields);
        let preference = UrlOrder::read(fields);
        let id = CaptureId::read(fields);
        let source_id = match fields.u8() {
            0 => CaptureId::read(fields),
            _ => id,
        };
        Self {
            time,
            rank,
            preference,
            id,
            source: RulesSource::read_after_id(source_id, fields),
            redirects: RedirectChain::read(fields),
        }
    }

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
                capture.rank == CaptureRank::Nothing,
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
        candidates.reduce(
            |best, candidate| match candidate.is_preferred_across_crawls(&best) {
                true => candidate,
                false => best,
            },
        )
    }
}

/// A capture as it is stored in sort records: a candidate and further fields.
#[derive(Clone, Copy, Debug)]
pub(super) struct CaptureFields<'a> {
    pub(super) candidate: Candidate,
    /// The URL that a redirect leads to; `None` if the capture is not a redirect to be followed.
    pub(super) next_url: Option<&'a [u8]>,
    /// The short form of the URL; empty if it is not needed.
    pub(super) url: &'a [u8],
    /// A hash of the digest of the content; `None` if no content was fetched.
    pub(super) content_hash: Option<u64>,
}

impl<'a> CaptureFields<'a> {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        self.candidate.write(out);
        put_is_some(out, self.next_url.is_some());
        if let Some(next_url) = self.next_url {
            put_bytes(out, next_url);
        }
        put_bytes(out, self.url);
        put_is_some(out, self.content_hash.is_some());
        if let Some(hash) = self.content_hash {
            put_u64(out, hash);
        }
    }

    pub(super) fn read(fields: &mut FieldReader<'a>) -> Self {
        Self {
            candidate: Candidate::read(fields),
            next_url: (fields.u8() != 0).then(|| fields.bytes()),
            url: fields.bytes(),
            content_hash: (fields.u8() != 0).then(|| fields.u64()),
        }
    }
}

/// Appends a flag that is true if an optional field follows.
fn put_is_some(out: &mut Vec<u8>, is_some: bool) {
    put_u8(out, is_some.into());
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

/// Appends a fetch time in a form that sorts like the times, with a missing time first.
pub(super) fn put_time(out: &mut Vec<u8>, time: Option<i64>) {
    put_i64(out, time.unwrap_or(NO_TIME));
}

/// Reads the field that [`put_time`] wrote.
pub(super) fn read_time(fields: &mut FieldReader<'_>) -> Option<i64> {
    Some(fields.i64()).filter(|time| *time != NO_TIME)
}

/// A candidate as it is stored in sort records: with the short form of its URL.
#[derive(Clone, Copy, Debug)]
pub(super) struct CandidateFields<'a> {
    pub(super) candidate: Candidate,
    /// The short form of the URL; empty if it is not needed.
    pub(super) url: &'a [u8],
}

impl<'a> CandidateFields<'a> {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        self.candidate.write(out);
        put_bytes(out, self.url);
    }

    pub(super) fn read(fields: &mut FieldReader<'a>) -> Self {
        Self {
            candidate: Candidate::read(fields),
            url: fields.bytes(),
        }
    }
}

//! A capture as far as it matters to who speaks: when it was had, how much it
//! decides, and where its rules stand.

use crate::dataset::column;
use crate::error::Error;
use crate::external_sort::sort_key::{Values, put_i64, put_text, put_u8, put_u32};
use arrow_array::{
    Array, BooleanArray, Int16Array, Int32Array, Int64Array, RecordBatch, StringArray,
    TimestampMillisecondArray,
};
use robots::{Dialect, FetchClass, FetchOutcome, StatusEffect};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The columns of `robots_files` that are read.
pub(crate) const COLUMNS: [&str; 17] = [
    "robots_id",
    "url",
    "url_host_name",
    "url_protocol",
    "url_port",
    "fetch_time",
    "fetch_status",
    "fetch_redirect",
    "content_digest",
    "is_revisit",
    "is_robots_path",
    "is_valid_utf8",
    "outcome",
    "fetch_class",
    "effect_google",
    "effect_rfc9309",
    "effect_koster1996",
];

/// A capture without a time counts as the earliest.
const NO_TIME: i64 = i64::MIN;

/// How much a capture decides that decides nothing: see [`Rows::rank`].
pub(crate) const NOTHING: u8 = 4;

const EFFECTS: [StatusEffect; 5] = [
    StatusEffect::Parse,
    StatusEffect::AllowAll,
    StatusEffect::DisallowAll,
    StatusEffect::Follow,
    StatusEffect::Defer,
];

/// The capture whose rules, or whose status, give the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// The number of its crawl.
    pub(crate) crawl: u32,
    pub(crate) robots_id: i64,
    /// By each dialect, in the order of [`Dialect::ALL`].
    effects: [StatusEffect; 3],
    pub(crate) is_valid_utf8: bool,
}

/// A capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// The number of its crawl.
    pub(crate) crawl: u32,
    pub(crate) robots_id: i64,
    /// Milliseconds since 1970.
    pub(crate) time: i64,
    /// How much it decides, 0 being most.
    pub(crate) rank: u8,
    pub(crate) source: Source,
}

impl Source {
    /// Bytes that it is written in.
    pub(crate) const BYTES: usize = 4 + 8 + 3 + 1;

    /// What the status means to a dialect.
    pub(crate) fn effect(&self, dialect: Dialect) -> StatusEffect {
        let at = Dialect::ALL.iter().position(|it| *it == dialect);
        self.effects[at.expect("all dialects are there")]
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        put_u32(out, self.crawl);
        put_i64(out, self.robots_id);
        for effect in self.effects {
            let at = EFFECTS.iter().position(|it| *it == effect);
            put_u8(out, at.expect("all effects are there") as u8);
        }
        put_u8(out, self.is_valid_utf8.into());
    }

    pub(crate) fn read(values: &mut Values<'_>) -> Self {
        Self {
            crawl: values.u32(),
            robots_id: values.i64(),
            effects: [(); 3].map(|()| EFFECTS[usize::from(values.u8())]),
            is_valid_utf8: values.u8() != 0,
        }
    }
}

impl Page {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        put_i64(out, self.time);
        put_u8(out, self.rank);
        put_u32(out, self.crawl);
        put_i64(out, self.robots_id);
        self.source.write(out);
    }

    pub(crate) fn read(values: &mut Values<'_>) -> Self {
        Self {
            time: values.i64(),
            rank: values.u8(),
            crawl: values.u32(),
            robots_id: values.i64(),
            source: Source::read(values),
        }
    }

    /// Whether it comes before another of its crawl: what decides more, then
    /// the later, then the smaller `robots_id`.
    pub(crate) fn is_before(&self, other: &Self) -> bool {
        let order = |page: &Self| (page.rank, Reverse(page.time), page.robots_id);
        order(self) < order(other)
    }

    /// Whether the pick of a crawl comes before that of another crawl: one that
    /// decides anything, then the later, then the crawl whose name is greater.
    fn is_before_in_other_crawl(&self, other: &Self) -> bool {
        let order = |page: &Self| {
            (
                page.rank == NOTHING,
                Reverse(page.time),
                Reverse(page.crawl),
            )
        };
        order(self) < order(other)
    }
}

/// Picks the capture that speaks, among those of one origin.
#[derive(Debug, Default)]
pub(crate) struct Pick {
    of_crawls: BTreeMap<u32, Page>,
}

impl Pick {
    pub(crate) fn clear(&mut self) {
        self.of_crawls.clear();
    }

    pub(crate) fn add(&mut self, page: Page) {
        let best = self.of_crawls.entry(page.crawl).or_insert(page);
        if page.is_before(best) {
            *best = page;
        }
    }

    /// The picks of the crawls.
    pub(crate) fn of_crawls(&self) -> impl Iterator<Item = &Page> {
        self.of_crawls.values()
    }

    /// The one that speaks.
    pub(crate) fn best(&self) -> Option<Page> {
        let pages = self.of_crawls.values().copied();
        pages.reduce(|best, page| match page.is_before_in_other_crawl(&best) {
            true => page,
            false => best,
        })
    }
}

/// A batch of `robots_files`.
pub(crate) struct Rows<'a> {
    pub(crate) robots_id: &'a Int64Array,
    pub(crate) url: &'a StringArray,
    host: &'a StringArray,
    protocol: &'a StringArray,
    port: &'a Int32Array,
    time: &'a TimestampMillisecondArray,
    status: &'a Int16Array,
    redirect: &'a StringArray,
    digest: &'a StringArray,
    is_revisit: &'a BooleanArray,
    pub(crate) is_robots_path: &'a BooleanArray,
    is_valid_utf8: &'a BooleanArray,
    outcome: &'a StringArray,
    fetch_class: &'a StringArray,
    effects: [&'a StringArray; 3],
}

impl<'a> Rows<'a> {
    pub(crate) fn of(batch: &'a RecordBatch) -> Result<Self, Error> {
        Ok(Self {
            robots_id: column(batch, "robots_id")?,
            url: column(batch, "url")?,
            host: column(batch, "url_host_name")?,
            protocol: column(batch, "url_protocol")?,
            port: column(batch, "url_port")?,
            time: column(batch, "fetch_time")?,
            status: column(batch, "fetch_status")?,
            redirect: column(batch, "fetch_redirect")?,
            digest: column(batch, "content_digest")?,
            is_revisit: column(batch, "is_revisit")?,
            is_robots_path: column(batch, "is_robots_path")?,
            is_valid_utf8: column(batch, "is_valid_utf8")?,
            outcome: column(batch, "outcome")?,
            fetch_class: column(batch, "fetch_class")?,
            effects: [
                column(batch, "effect_google")?,
                column(batch, "effect_rfc9309")?,
                column(batch, "effect_koster1996")?,
            ],
        })
    }

    /// Scheme, host, and the port if it is not the scheme's own.
    pub(crate) fn host(&self, row: usize) -> Option<(&'a str, &'a str, Option<u16>)> {
        let (scheme, host) = (text(self.protocol, row)?, text(self.host, row)?);
        let port = self.port.is_valid(row).then(|| self.port.value(row));
        Some((scheme, host, port.and_then(|port| u16::try_from(port).ok())))
    }

    /// Writes the origin of a row; `false` if it has none.
    pub(crate) fn origin(&self, row: usize, out: &mut Vec<u8>) -> bool {
        let Some((scheme, host, port)) = self.host(row) else {
            return false;
        };
        super::origin::write(scheme, host, port, out);
        true
    }

    /// The URL, as the table has it.
    pub(crate) fn url(&self, row: usize) -> &'a str {
        text(self.url, row).unwrap_or_default()
    }

    /// Milliseconds since 1970.
    pub(crate) fn time(&self, row: usize) -> i64 {
        match self.time.is_valid(row) {
            true => self.time.value(row),
            false => NO_TIME,
        }
    }

    /// The capture of a row, as it stands: a revisit without content.
    pub(crate) fn page(&self, crawl: u32, row: usize) -> Page {
        let is_revisit = self.is_revisit.value(row);
        Page {
            crawl,
            robots_id: self.robots_id.value(row),
            time: self.time(row),
            rank: if is_revisit { NOTHING } else { self.rank(row) },
            source: self.source(crawl, row, is_revisit),
        }
    }

    /// What gives the answers, if this capture does.
    pub(crate) fn source(&self, crawl: u32, row: usize, is_revisit: bool) -> Source {
        let effect = |nth: usize| {
            let name = self.effects[nth].value(row);
            let known = EFFECTS.into_iter().find(|it| it.name() == name);
            let effect = known.unwrap_or(StatusEffect::Defer);
            // A revisit has no content of its own, and its status is not all it says.
            match effect {
                StatusEffect::Follow => effect,
                _ if is_revisit => StatusEffect::Defer,
                _ => effect,
            }
        };
        Source {
            crawl,
            robots_id: self.robots_id.value(row),
            effects: [effect(0), effect(1), effect(2)],
            is_valid_utf8: !self.is_valid_utf8.is_valid(row) || self.is_valid_utf8.value(row),
        }
    }

    /// The macro `answer_rank` of `views.sql`, for a capture that is no
    /// revisit, or for a revisit that is filled.
    pub(crate) fn rank(&self, row: usize) -> u8 {
        let (outcome, class) = (self.outcome.value(row), self.fetch_class.value(row));
        let is = |wanted: FetchClass| class == wanted.name();
        if self.is_revisit.value(row) && matches!(self.status(row), None | Some(304)) {
            0
        } else if outcome == FetchOutcome::Redirect.name() {
            NOTHING
        } else if outcome == FetchOutcome::Successful.name() {
            0
        } else if is(FetchClass::Unauthorized) || is(FetchClass::Forbidden) {
            2
        } else if self.effects[0].value(row) == StatusEffect::AllowAll.name() {
            1
        } else {
            3
        }
    }

    pub(crate) fn is_revisit(&self, row: usize) -> bool {
        self.is_revisit.value(row)
    }

    pub(crate) fn status(&self, row: usize) -> Option<i16> {
        self.status.is_valid(row).then(|| self.status.value(row))
    }

    pub(crate) fn outcome(&self, row: usize) -> &'a str {
        self.outcome.value(row)
    }

    pub(crate) fn digest(&self, row: usize) -> Option<&'a str> {
        text(self.digest, row)
    }

    /// Where a redirect leads that is to be followed.
    pub(crate) fn next_url(&self, row: usize) -> Option<&'a str> {
        let follows = self.effects[0].value(row) == StatusEffect::Follow.name();
        text(self.redirect, row).filter(|_| follows)
    }
}

fn text(column: &StringArray, row: usize) -> Option<&str> {
    column.is_valid(row).then(|| column.value(row))
}

/// Writes a capture, and where it leads.
pub(crate) fn put_page(out: &mut Vec<u8>, page: &Page, next_url: Option<&str>) {
    page.write(out);
    put_u8(out, next_url.is_some().into());
    put_text(out, next_url.unwrap_or_default().as_bytes());
}

/// Reads what [`put_page`] wrote.
pub(crate) fn read_page<'a>(values: &mut Values<'a>) -> (Page, Option<&'a [u8]>) {
    let page = Page::read(values);
    let follows = values.u8() != 0;
    let next_url = values.text();
    (page, follows.then_some(next_url))
}

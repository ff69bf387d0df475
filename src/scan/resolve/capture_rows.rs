//! Rows of `robots_files`, read as captures.

use super::candidate::{AnswerRank, Candidate, CaptureId, EFFECTS, RulesSource};
use super::context::ResolveContext;
use super::origin::WebOrigin;
use crate::dataset::{CaptureFilter, column};
use crate::error::Error;
use crate::tables::Table;
use arrow_array::{
    Array, BooleanArray, Int16Array, Int32Array, Int64Array, RecordBatch, StringArray,
    TimestampMillisecondArray,
};
use robots::{FetchClass, FetchOutcome, StatusEffect};
use std::sync::atomic::Ordering;

/// The columns that are read.
const COLUMNS: [&str; 17] = [
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

/// A batch of rows.
pub(super) struct CaptureRows<'a> {
    robots_id: &'a Int64Array,
    url: UrlColumnArrays<'a>,
    response: ResponseColumnArrays<'a>,
    digest: &'a StringArray,
    is_revisit: &'a BooleanArray,
    is_robots_path: &'a BooleanArray,
    is_valid_utf8: &'a BooleanArray,
}

struct UrlColumnArrays<'a> {
    url: &'a StringArray,
    protocol: &'a StringArray,
    host: &'a StringArray,
    port: &'a Int32Array,
}

struct ResponseColumnArrays<'a> {
    time: &'a TimestampMillisecondArray,
    status: &'a Int16Array,
    redirect: &'a StringArray,
    outcome: &'a StringArray,
    class: &'a StringArray,
    /// In the order of `Dialect::ALL`.
    effects: [&'a StringArray; 3],
}

/// Calls `each` for every row of `robots_files`, with the index of its crawl
/// and its index in the batch.
pub(super) fn for_each_capture(
    context: &ResolveContext<'_>,
    each: &mut dyn FnMut(u32, &CaptureRows<'_>, usize) -> Result<(), Error>,
) -> Result<(), Error> {
    let table = Table::RobotsFiles;
    context
        .dataset
        .read(table, &COLUMNS, &CaptureFilter::All, &mut |crawl, batch| {
            context.memory.check_stop()?;
            let rows = CaptureRows::new(batch)?;
            context
                .rows_read
                .fetch_add(batch.num_rows() as u64, Ordering::Relaxed);
            (0..batch.num_rows()).try_for_each(|row| each(crawl, &rows, row))
        })
}

impl<'a> CaptureRows<'a> {
    fn new(batch: &'a RecordBatch) -> Result<Self, Error> {
        Ok(Self {
            robots_id: column(batch, "robots_id")?,
            url: UrlColumnArrays {
                url: column(batch, "url")?,
                protocol: column(batch, "url_protocol")?,
                host: column(batch, "url_host_name")?,
                port: column(batch, "url_port")?,
            },
            response: ResponseColumnArrays {
                time: column(batch, "fetch_time")?,
                status: column(batch, "fetch_status")?,
                redirect: column(batch, "fetch_redirect")?,
                outcome: column(batch, "outcome")?,
                class: column(batch, "fetch_class")?,
                effects: [
                    column(batch, "effect_google")?,
                    column(batch, "effect_rfc9309")?,
                    column(batch, "effect_koster1996")?,
                ],
            },
            digest: column(batch, "content_digest")?,
            is_revisit: column(batch, "is_revisit")?,
            is_robots_path: column(batch, "is_robots_path")?,
            is_valid_utf8: column(batch, "is_valid_utf8")?,
        })
    }

    /// Returns the origin of a row; `None` if its URL has none.
    pub(super) fn origin(&self, row: usize) -> Option<WebOrigin<'a>> {
        let UrlColumnArrays {
            protocol,
            host,
            port,
            ..
        } = self.url;
        Some(WebOrigin {
            scheme: text(protocol, row)?,
            host: text(host, row)?,
            port: port
                .is_valid(row)
                .then(|| port.value(row))
                .and_then(|port| u16::try_from(port).ok()),
        })
    }

    /// Writes the origin of a row as text and returns true, or returns false if
    /// its URL has none.
    pub(super) fn write_origin(&self, row: usize, out: &mut Vec<u8>) -> bool {
        let origin = self.origin(row);
        if let Some(origin) = &origin {
            origin.write(out);
        }
        origin.is_some()
    }

    /// Returns the URL, as it stands in the table.
    pub(super) fn url(&self, row: usize) -> &'a str {
        text(self.url.url, row).unwrap_or_default()
    }

    /// Returns the fetch time in milliseconds since 1970.
    pub(super) fn time(&self, row: usize) -> Option<i64> {
        let time = self.response.time;
        time.is_valid(row).then(|| time.value(row))
    }

    /// Returns the capture of a row. A revisit decides nothing yet.
    pub(super) fn candidate(&self, crawl: u32, row: usize) -> Candidate {
        let is_revisit = self.is_revisit(row);
        Candidate {
            id: self.id(crawl, row),
            time: self.time(row),
            rank: match is_revisit {
                true => AnswerRank::Nothing,
                false => self.rank(row),
            },
            source: self.rules_source(crawl, row),
        }
    }

    fn id(&self, crawl: u32, row: usize) -> CaptureId {
        CaptureId {
            crawl,
            robots_id: self.robots_id.value(row),
        }
    }

    /// Returns the capture of a row as the one whose rules or status apply.
    pub(super) fn rules_source(&self, crawl: u32, row: usize) -> RulesSource {
        let is_revisit = self.is_revisit(row);
        let effect = |column: &StringArray| {
            let name = column.value(row);
            let effect = EFFECTS.into_iter().find(|effect| effect.name() == name);
            match effect.unwrap_or(StatusEffect::Defer) {
                StatusEffect::Follow => StatusEffect::Follow,
                // The status of a revisit is not that of the content.
                _ if is_revisit => StatusEffect::Defer,
                effect => effect,
            }
        };
        let is_valid_utf8 = self.is_valid_utf8;
        RulesSource {
            id: self.id(crawl, row),
            effects: self.response.effects.map(effect),
            is_valid_utf8: !is_valid_utf8.is_valid(row) || is_valid_utf8.value(row),
        }
    }

    /// Returns the rank of a capture. For a revisit it is the rank that it has
    /// once its content is known.
    pub(super) fn rank(&self, row: usize) -> AnswerRank {
        let (outcome, class) = (self.outcome(row), self.response.class.value(row));
        let is_class = |wanted: FetchClass| class == wanted.name();
        if self.is_revisit(row) && matches!(self.status(row), None | Some(304)) {
            AnswerRank::Content
        } else if outcome == FetchOutcome::Redirect.name() {
            AnswerRank::Nothing
        } else if outcome == FetchOutcome::Successful.name() {
            AnswerRank::Content
        } else if is_class(FetchClass::Unauthorized) || is_class(FetchClass::Forbidden) {
            AnswerRank::AccessDenied
        } else if self.effect_google(row) == StatusEffect::AllowAll.name() {
            AnswerRank::AllowAll
        } else {
            AnswerRank::Defer
        }
    }

    pub(super) fn is_revisit(&self, row: usize) -> bool {
        self.is_revisit.value(row)
    }

    pub(super) fn is_robots_path(&self, row: usize) -> bool {
        self.is_robots_path.value(row)
    }

    pub(super) fn status(&self, row: usize) -> Option<i16> {
        let status = self.response.status;
        status.is_valid(row).then(|| status.value(row))
    }

    pub(super) fn outcome(&self, row: usize) -> &'a str {
        self.response.outcome.value(row)
    }

    pub(super) fn digest(&self, row: usize) -> Option<&'a str> {
        text(self.digest, row)
    }

    /// Returns the target of a redirect that is to be followed.
    pub(super) fn next_url(&self, row: usize) -> Option<&'a str> {
        let follows = self.effect_google(row) == StatusEffect::Follow.name();
        text(self.response.redirect, row).filter(|_| follows)
    }

    fn effect_google(&self, row: usize) -> &'a str {
        self.response.effects[0].value(row)
    }
}

fn text(column: &StringArray, row: usize) -> Option<&str> {
    column.is_valid(row).then(|| column.value(row))
}

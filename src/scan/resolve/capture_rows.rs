//! Rows of `robots_files`, read as captures.

use super::candidate::{AnswerRank, Candidate, CaptureId, RulesSource};
use super::context::ResolveContext;
use super::origin::WebOrigin;
use crate::dataset::{CaptureFilter, column};
use crate::error::Error;
use crate::tables::Table;
use arrow_array::{
    Array, BooleanArray, Int16Array, Int64Array, RecordBatch, StringArray,
    TimestampMillisecondArray,
};
use robots::{ContentClass, FetchClass, FetchOutcome, HttpStatus, StatusEffect};
use std::sync::atomic::Ordering;

/// The columns that are read.
const COLUMNS: [&str; 11] = [
    "robots_id",
    "url",
    "url_host_name",
    "fetch_time",
    "fetch_status",
    "fetch_redirect",
    "content_digest",
    "content_class",
    "is_revisit",
    "is_robots_path",
    "is_valid_utf8",
];

/// A batch of rows.
pub(super) struct CaptureRows<'a> {
    robots_id: &'a Int64Array,
    url: &'a StringArray,
    host: &'a StringArray,
    response: ResponseColumnArrays<'a>,
    digest: &'a StringArray,
    content_class: &'a StringArray,
    is_revisit: &'a BooleanArray,
    is_robots_path: &'a BooleanArray,
    is_valid_utf8: &'a BooleanArray,
}

struct ResponseColumnArrays<'a> {
    time: &'a TimestampMillisecondArray,
    status: &'a Int16Array,
    redirect: &'a StringArray,
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
            url: column(batch, "url")?,
            host: column(batch, "url_host_name")?,
            response: ResponseColumnArrays {
                time: column(batch, "fetch_time")?,
                status: column(batch, "fetch_status")?,
                redirect: column(batch, "fetch_redirect")?,
            },
            digest: column(batch, "content_digest")?,
            content_class: column(batch, "content_class")?,
            is_revisit: column(batch, "is_revisit")?,
            is_robots_path: column(batch, "is_robots_path")?,
            is_valid_utf8: column(batch, "is_valid_utf8")?,
        })
    }

    /// Returns the origin of a row; `None` if its URL has none.
    pub(super) fn origin(&self, row: usize) -> Option<WebOrigin<'a>> {
        // Only a URL that was parsed has a host.
        WebOrigin::of_url(self.url(row), text(self.host, row)?)
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
        text(self.url, row).unwrap_or_default()
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
        let effect = |effect: StatusEffect| match effect {
            StatusEffect::Follow => StatusEffect::Follow,
            // The status of a revisit is not that of the content.
            _ if is_revisit => StatusEffect::Defer,
            effect => effect,
        };
        let status = self.http_status(row);
        let effects = [
            status.effect_google(),
            status.effect_rfc9309(),
            status.effect_koster1996(),
        ];
        let is_valid_utf8 = self.is_valid_utf8;
        RulesSource {
            id: self.id(crawl, row),
            effects: effects.map(effect),
            content: self.content(row),
            is_valid_utf8: !is_valid_utf8.is_valid(row) || is_valid_utf8.value(row),
        }
    }

    /// Returns the rank of a capture. For a revisit it is the rank that it has
    /// once its content is known.
    pub(super) fn rank(&self, row: usize) -> AnswerRank {
        let status = self.http_status(row);
        let (outcome, class) = (status.outcome(), status.fetch_class());
        if self.is_revisit(row) && matches!(self.status(row), None | Some(304)) {
            AnswerRank::Content
        } else if outcome == FetchOutcome::Redirect {
            AnswerRank::Nothing
        } else if outcome == FetchOutcome::Successful {
            AnswerRank::Content
        } else if matches!(class, FetchClass::Unauthorized | FetchClass::Forbidden) {
            AnswerRank::AccessDenied
        } else if status.effect_google() == StatusEffect::AllowAll {
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

    /// Returns the status as the pipeline had it. A resource record has no HTTP
    /// response, and its body is parsed.
    pub(super) fn http_status(&self, row: usize) -> HttpStatus {
        let status = self.status(row);
        let is_parsed = self.content_class.is_valid(row);
        let code = status.and_then(|status| u16::try_from(status).ok());
        HttpStatus {
            code: code.or(is_parsed.then_some(200)),
            has_location: self.response.redirect.is_valid(row),
        }
    }

    /// Returns the class of the body; a body that was not parsed has no rules.
    fn content(&self, row: usize) -> ContentClass {
        let class = text(self.content_class, row);
        let mut known = ContentClass::ALL.into_iter();
        let class = known.find(|known| Some(known.name()) == class);
        class.unwrap_or(ContentClass::NoRules)
    }

    pub(super) fn digest(&self, row: usize) -> Option<&'a str> {
        text(self.digest, row)
    }

    /// Returns the target of a redirect that is to be followed.
    pub(super) fn next_url(&self, row: usize) -> Option<&'a str> {
        let follows = self.http_status(row).effect_google() == StatusEffect::Follow;
        text(self.response.redirect, row).filter(|_| follows)
    }
}

fn text(column: &StringArray, row: usize) -> Option<&str> {
    column.is_valid(row).then(|| column.value(row))
}

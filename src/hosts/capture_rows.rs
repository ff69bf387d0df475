//! Rows of `robots_files`, read as captures.

use super::ResolveContext;
use super::candidate::{
    Candidate, CaptureId, CaptureRank, Effects, RedirectChain, RulesSource, UrlOrder,
};
use arrow_array::{Array, RecordBatch};
use dataset::{
    BatchRow, CaptureFilter, Code, ColumnValue, ColumnValuesFilter, Columns, PartId, Word, row,
    value,
};
use errors::Error;
use process::HASH_SEED;
use robots::{ContentClass, FetchClass, FetchOutcome, HttpStatus, StatusEffect};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use tables::Table;
use urls::WebOrigin;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The SHA-1 digest of an empty body. Some archives have it as the digest of 304 responses, which
/// have no body. If the content of such a revisit were taken from an empty file, everything would
/// be allowed on its host.
pub(super) const EMPTY_BODY_DIGEST: &str = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";

/// The limit of the number of values that are looked up in the Bloom filters of files. For more
/// values, all row groups are read.
pub(super) const MAX_FILTER_VALUES: usize = 100;

row! {
    /// The columns of a capture, except those of [`CaptureStatus`].
    struct StoredCapture<'a> of Table::ROBOTS_FILES {
        robots_id: i64,
        url: Option<&'a str>,
        surt_host_name: Option<&'a str>,
        fetch_time: Option<i64>,
        content_digest: Option<&'a str>,
        is_revisit: bool,
        is_robots_path: bool,
        is_valid_utf8: Option<bool>,
    }
}

row! {
    /// The columns that determine the effect of the status.
    struct CaptureStatus<'a> of Table::ROBOTS_FILES {
        fetch_status: Option<i16>,
        fetch_redirect: Option<&'a str>,
        content_truncated: Option<&'a str>,
        content_class: Option<Word<ContentClass>>,
    }
}

/// A batch of rows of `robots_files`.
pub(super) struct CaptureRows {
    part: PartId,
    columns: Columns<StoredCapture<'static>>,
    status: StatusColumns,
}

/// Calls `each` for every batch of rows of `robots_files` that `filter` matches, on all threads.
pub(super) fn for_each_batch(
    context: &ResolveContext<'_>,
    filter: &CaptureFilter,
    each: &(dyn Fn(&CaptureRows) -> Result<(), Error> + Sync),
) -> Result<(), Error> {
    let table = Table::ROBOTS_FILES;
    let columns = [StoredCapture::NAMES, CaptureStatus::NAMES].concat();
    let dataset = context.dataset;
    dataset.read_in_parallel(table, &columns, filter, &|part, batch| {
        context.memory.check_stop()?;
        let rows = batch.num_rows() as u64;
        context.rows_read.fetch_add(rows, Ordering::Relaxed);
        each(&CaptureRows::new(part, batch)?)
    })
}

/// Calls `each` for every redirect that is to be followed, in any order, with the index of its crawl and its
/// target.
pub(super) fn for_each_redirect_target(
    context: &ResolveContext<'_>,
    each: &mut (dyn FnMut(u32, &str) + Send),
) -> Result<(), Error> {
    let (table, filter) = (Table::ROBOTS_FILES, CaptureFilter::All);
    let each = Mutex::new(each);
    let dataset = context.dataset;
    dataset.read_in_parallel(table, CaptureStatus::NAMES, &filter, &|part, batch| {
        context.memory.check_stop()?;
        let status = CaptureStatus::from_batch(batch)?;
        let mut each = each.lock().unwrap_or_else(PoisonError::into_inner);
        for row in 0..batch.num_rows() {
            if let Some(next_url) = next_url(&status, row) {
                each(part.crawl, next_url);
            }
        }
        Ok(())
    })
}

type StatusColumns = Columns<CaptureStatus<'static>>;

/// Returns the status that the scan evaluated: 200 for a resource record, which has no HTTP
/// response but a body that is parsed.
fn http_status(columns: &StatusColumns, row: usize) -> HttpStatus {
    let status = value(&columns.fetch_status, row);
    let is_parsed = columns.content_class.is_valid(row);
    let code = status.and_then(|status| u16::try_from(status).ok());
    HttpStatus {
        code: code.or(is_parsed.then_some(200)),
        has_location: columns.fetch_redirect.is_valid(row),
    }
}

/// Returns the target of a redirect; `None` if the capture is not a redirect to be followed.
fn next_url(columns: &StatusColumns, row: usize) -> Option<&str> {
    let target = value(&columns.fetch_redirect, row)?;
    let follows = http_status(columns, row).effect_google() == StatusEffect::Follow;
    follows.then_some(target)
}

impl CaptureRows {
    fn new(part: PartId, batch: &RecordBatch) -> Result<Self, Error> {
        Ok(Self {
            part,
            columns: StoredCapture::from_batch(batch)?,
            status: CaptureStatus::from_batch(batch)?,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.columns.robots_id.len()
    }

    /// Returns the index of the crawl, which is the same for all rows.
    pub(super) fn crawl(&self) -> u32 {
        self.part.crawl
    }

    /// Returns the key of the host, as in cc-host-index; `None` if the URL has no host.
    pub(super) fn surt_host_name(&self, row: usize) -> Option<&str> {
        value(&self.columns.surt_host_name, row)
    }

    /// Returns the origin of a row; `None` if its URL has none.
    pub(super) fn origin(&self, row: usize) -> Option<WebOrigin<'_>> {
        // A URL that could not be parsed has no `surt_host_name`.
        self.surt_host_name(row)?;
        WebOrigin::from_url(self.url(row))
    }

    /// Replaces `out` with the origin of a row as text. Returns false if its URL has no origin.
    pub(super) fn write_origin(&self, row: usize, out: &mut Vec<u8>) -> bool {
        let origin = self.origin(row);
        if let Some(origin) = &origin {
            origin.write(out);
        }
        origin.is_some()
    }

    /// Returns the column `url`; an empty text for null.
    pub(super) fn url(&self, row: usize) -> &str {
        value(&self.columns.url, row).unwrap_or_default()
    }

    /// Returns the fetch time in milliseconds since 1970.
    pub(super) fn time(&self, row: usize) -> Option<i64> {
        value(&self.columns.fetch_time, row)
    }

    /// Returns a row as a candidate. A revisit has the rank `Nothing` until its content is known.
    pub(super) fn candidate(&self, row: usize) -> Candidate {
        let is_revisit = self.is_revisit(row);
        Candidate {
            id: self.id(row),
            time: self.time(row),
            rank: if is_revisit {
                CaptureRank::Nothing
            } else {
                self.rank(row)
            },
            preference: UrlOrder::from_url(self.url(row)),
            source: self.rules_source(row),
            redirects: RedirectChain::default(),
        }
    }

    fn id(&self, row: usize) -> CaptureId {
        CaptureId {
            crawl: self.crawl(),
            robots_id: self.columns.robots_id.value(row),
        }
    }

    pub(super) fn rules_source(&self, row: usize) -> RulesSource {
        let is_revisit = self.is_revisit(row);
        let is_undecided = is_revisit || self.is_unknown(row);
        let known_effect = |effect: StatusEffect| match effect {
            StatusEffect::Follow => StatusEffect::Follow,
            // The status of a revisit is not that of the content.
            _ if is_undecided => StatusEffect::Defer,
            effect => effect,
        };
        let status = self.http_status(row);
        let effects = [
            status.effect_google(),
            status.effect_rfc9309(),
            status.effect_koster1996(),
        ];
        RulesSource {
            id: self.id(row),
            part: self.part.part,
            effects: Effects(effects.map(known_effect)),
            content: Code(self.content_class(row)),
            is_valid_utf8: value(&self.columns.is_valid_utf8, row).unwrap_or(true),
            time: self.time(row),
        }
    }

    /// Returns the rank of a row; for a revisit, the rank that it will have once its content is
    /// known.
    pub(super) fn rank(&self, row: usize) -> CaptureRank {
        let status = self.http_status(row);
        let (outcome, class) = (status.outcome(), status.fetch_class());
        if self.is_revisit(row) && matches!(self.fetch_status(row), None | Some(304)) {
            CaptureRank::Content
        } else if self.is_unknown(row) && self.fetch_status(row).is_none() {
            CaptureRank::NoAnswer
        } else if outcome == FetchOutcome::Redirect || self.is_unknown(row) {
            CaptureRank::Nothing
        } else if outcome == FetchOutcome::Successful {
            CaptureRank::Content
        } else if matches!(class, FetchClass::Unauthorized | FetchClass::Forbidden) {
            CaptureRank::AccessDenied
        } else if status.effect_google() == StatusEffect::AllowAll {
            CaptureRank::AllowAll
        } else {
            CaptureRank::Defer
        }
    }

    pub(super) fn is_revisit(&self, row: usize) -> bool {
        self.columns.is_revisit.value(row)
    }

    /// Returns true if nothing is known of the file, because bytes of the response are missing: the status line,
    /// or those of the body of a success.
    pub(super) fn is_unknown(&self, row: usize) -> bool {
        let is_undecided = match self.fetch_status(row) {
            Some(_) => self.http_status(row).outcome() == FetchOutcome::Successful,
            None => self.status.content_truncated.is_valid(row),
        };
        is_undecided && !self.is_revisit(row) && self.status.content_class.is_null(row)
    }

    pub(super) fn is_robots_path(&self, row: usize) -> bool {
        self.columns.is_robots_path.value(row)
    }

    pub(super) fn fetch_status(&self, row: usize) -> Option<i16> {
        value(&self.status.fetch_status, row)
    }

    /// Returns the status that the scan evaluated.
    pub(super) fn http_status(&self, row: usize) -> HttpStatus {
        http_status(&self.status, row)
    }

    /// Returns the class of the body; `NoRules` if the body was not parsed.
    fn content_class(&self, row: usize) -> ContentClass {
        let class: Option<Word<_>> = ColumnValue::value(&self.status.content_class, row);
        class.map_or(ContentClass::NoRules, |class| class.0)
    }

    pub(super) fn digest(&self, row: usize) -> Option<&str> {
        value(&self.columns.content_digest, row)
    }

    /// Returns a hash of the digest of the content; `None` if no content was fetched.
    pub(super) fn content_hash(&self, row: usize) -> Option<u64> {
        let is_content = if self.is_revisit(row) {
            self.rank(row) == CaptureRank::Content
        } else {
            self.status.content_class.is_valid(row)
        };
        let digest = self.digest(row).filter(|_| is_content)?;
        if self.fetch_status(row) == Some(304) && digest == EMPTY_BODY_DIGEST {
            return None;
        }
        Some(xxh3_64_with_seed(digest.as_bytes(), *HASH_SEED))
    }

    /// Returns the target of a redirect; `None` if the capture is not a redirect to be followed.
    pub(super) fn next_url(&self, row: usize) -> Option<&str> {
        next_url(&self.status, row)
    }
}

impl UrlOrder {
    /// Returns the place of a URL in the order of preference. The URL must be in normal form.
    fn from_url(url: &str) -> Self {
        let https = url.strip_prefix("https://");
        let rest = https.or_else(|| url.strip_prefix("http://"));
        let authority = rest.unwrap_or(url).bytes();
        let mut authority = authority.take_while(|byte| !matches!(byte, b'/' | b'?'));
        // A host without a port and a user has no colon, except an address in brackets.
        let has_colon = authority.any(|byte| byte == b':');
        Self {
            is_not_https: https.is_none(),
            has_other_port: has_colon
                && WebOrigin::from_url(url).is_none_or(|origin| origin.port.is_some()),
        }
    }
}

/// Returns a filter of captures with one of `values` in `column`. If there are many values, the
/// filter lets all captures pass.
pub(super) fn build_values_filter(column: &'static str, values: BTreeSet<String>) -> CaptureFilter {
    if values.len() <= MAX_FILTER_VALUES {
        CaptureFilter::Values(Arc::new(ColumnValuesFilter { column, values }))
    } else {
        CaptureFilter::All
    }
}

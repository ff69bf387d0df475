//! The ways in which a response is known not to be whole.
//!
//! Missing bytes are never consent: of a response that is known not to be whole, only whole lines count, and
//! if none of them is a rule of a group, nothing is known. The ways are tried in the order of their declaration,
//! and the first that applies is reported as an anomaly. Bytes after the body limit are never missed.

use crate::anomaly::CaptureAnomalyKind;
use crate::http::{DecodedBody, Response};
use robots::{ContentClass, ParseOptions, RobotsTxt};

/// A way in which a response is known not to be whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// There was no response: a row of a table states that its fetch failed.
    NoResponse,
    /// The block ends before the status line of the final response is complete.
    StatusLine,
    /// The record states that the payload is truncated.
    Declared,
    /// The record is larger than the limit of robots-scan.
    RecordLimit,
    /// The block ends before the empty line after the header fields.
    Header,
    /// The response is a part of the content (RFC 9110 §15.3.7).
    Range,
    /// The coding of the body is incomplete, or its output exceeds the limit of robots-scan.
    Coding,
    /// Fewer bytes are stored than the server announced.
    Length,
}

/// What is known of the completeness of a response.
pub(crate) struct ResponseFacts<'r, 'a> {
    pub(crate) response: &'r Response<'a>,
    pub(crate) decoded: &'r DecodedBody<'a>,
    /// True if a row states that there was no response.
    pub(crate) is_failed: bool,
    /// True if the record has the field `WARC-Truncated`.
    pub(crate) is_declared: bool,
    /// True if the rest of the record was not read.
    pub(crate) is_record_cut: bool,
    /// True if the status is 2xx.
    pub(crate) is_success: bool,
}

impl Cut {
    const ALL: [Self; 8] = [
        Self::NoResponse,
        Self::StatusLine,
        Self::Declared,
        Self::RecordLimit,
        Self::Header,
        Self::Range,
        Self::Coding,
        Self::Length,
    ];

    /// Returns the first way in which a response is cut; `None` if it is whole as far as known.
    pub(crate) fn find(facts: &ResponseFacts<'_, '_>) -> Option<Self> {
        let response = facts.response;
        Self::ALL.into_iter().find(|cut| match cut {
            Self::NoResponse => facts.is_failed,
            Self::StatusLine => response.ends_in_status_line,
            Self::Declared => facts.is_declared,
            Self::RecordLimit => facts.is_record_cut,
            Self::Header => response.ends_in_header && facts.is_success,
            Self::Range => {
                let range = response.content_range();
                response.status == Some(206) && !range.is_some_and(|range| range.is_complete())
            }
            Self::Coding => facts.decoded.is_cut,
            Self::Length => facts.is_success && response.is_body_short(),
        })
    }

    /// Returns the first way in which a row of a table of others is cut. The length that the server announced is not
    /// compared: that of decoded text differs from it.
    pub(crate) fn find_in_row(facts: &ResponseFacts<'_, '_>) -> Option<Self> {
        Self::find(facts).filter(|cut| *cut != Self::Length)
    }

    /// Returns the cut of a row of `robots_files`, which states it.
    pub(crate) fn find_stored(facts: &ResponseFacts<'_, '_>) -> Option<Self> {
        Self::find(facts).filter(|cut| matches!(cut, Self::Declared | Self::Coding))
    }

    /// Returns the anomaly that states the cut.
    pub fn anomaly(self) -> CaptureAnomalyKind {
        match self {
            Self::NoResponse => CaptureAnomalyKind::FetchFailed,
            Self::StatusLine => CaptureAnomalyKind::StatusLineCut,
            Self::Declared => CaptureAnomalyKind::PayloadTruncated,
            Self::RecordLimit => CaptureAnomalyKind::RecordCut,
            Self::Header => CaptureAnomalyKind::HeaderSectionCut,
            Self::Range => CaptureAnomalyKind::PartialContent,
            Self::Coding => CaptureAnomalyKind::CodingCut,
            Self::Length => CaptureAnomalyKind::ShortBody,
        }
    }

    /// Returns the reason in the column `content_truncated`, in the words of WARC 1.1 §5.13. That of
    /// [`Declared`](Self::Declared) is stated by the record.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::RecordLimit | Self::Coding => "length",
            _ => "unspecified",
        }
    }
}

/// Returns true if nothing is known of a file, because bytes are missing and no whole line is a rule of a group. A
/// page is known to be one by its beginning.
pub fn is_unknown(robots: &RobotsTxt<'_>, options: ParseOptions) -> bool {
    let is_within_limit = |limit| (robots.body().len() as u64) < limit;
    options.is_truncated
        && options.body_limit.is_none_or(is_within_limit)
        && robots.summary().content != ContentClass::Html
        && !(robots.directives().iter())
            .any(|line| line.is_rule() && line.counts && line.group_no().is_some())
}

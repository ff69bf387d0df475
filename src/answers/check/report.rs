//! The report of a check of one robots.txt, which is printed as text or as JSON.

use super::fetch_command::FetchCommand;
use super::numbered_text::NumberedText;
use super::{ArchivePlace, ArchiveProblem};
use capture::anomaly::CaptureAnomalyKind;
use capture::date::format_iso;
use crawlers::{DialectChoice, Refusal};
use robots::{
    AnomalyKind, Basis, Dialect, Mechanism, Severity, StatusEffect, UrlPreference, Verdict,
};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The report of a check of one robots.txt. The fields are those of the JSON of `check`.
#[derive(Debug, Serialize)]
pub struct CheckReport {
    /// The host and its captures; `None` if a file was checked.
    #[serde(flatten)]
    pub host: Option<HostReport>,
    /// The results for each crawler, in the order of the request.
    pub agents: Vec<AgentReport>,
    /// The anomalies, in the order of lines; `None` if the data do not have them.
    pub anomalies: Option<Vec<ReportedAnomaly>>,
    /// The text of the robots.txt; `None` if no robots.txt applies.
    pub text: Option<NumberedText>,
    /// The dialect by which URLs are decided, and lines are marked.
    #[serde(skip)]
    pub dialect: DialectChoice,
}

/// A host, and the captures on which the results are based.
#[derive(Debug, Serialize)]
pub struct HostReport {
    /// The host of the request.
    pub host: String,
    /// The form of the name that has captures: that of the request, or with or without a leading `www`.
    pub found_as: String,
    /// The authoritative capture.
    pub capture: CaptureDetails,
    /// The capture that holds the rules, if it is not the authoritative one: the end of a redirect chain,
    /// or the capture with the content of a revisit.
    pub rules_capture: Option<CaptureDetails>,
    /// The number of redirects from the authoritative capture to the robots.txt that applies, in a history,
    /// which does not store the places of the redirected records. 0 in a dataset.
    pub redirects_without_place: u32,
    /// The effect of the HTTP status.
    #[serde(serialize_with = "by_name")]
    pub effect: StatusEffect,
    /// The record of the capture whose rules apply.
    #[serde(flatten)]
    pub record: RecordDetails,
    /// The place of its archive; `None` if it was not found.
    #[serde(serialize_with = "as_text")]
    pub archive: Option<ArchivePlace>,
    /// The reason why the text was not read from the archive; `None` if it was read, or if the capture has no text.
    #[serde(serialize_with = "with_causes")]
    pub problem: Option<ArchiveProblem>,
    /// The shell command that prints the record.
    #[serde(flatten)]
    pub fetch: FetchCommand,
    /// The number of faults of a scanned archive, each of which may hide captures; 0 for a dataset.
    #[serde(skip)]
    pub faults: u64,
}

/// The properties of a capture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CaptureDetails {
    /// The URL of the capture.
    pub url: String,
    /// The fetch time, in milliseconds since 1970.
    #[serde(serialize_with = "as_time")]
    pub fetch_time: Option<i64>,
    /// The HTTP status; `None` if it cannot be read, and for resource records.
    pub fetch_status: Option<i16>,
    /// The absolute URL of the target, if the capture redirects to a valid one.
    pub fetch_redirect: Option<String>,
    pub crawl: String,
    /// The key of the capture in the crawl; `None` in a history, which does not store these keys.
    pub robots_id: Option<i64>,
    #[serde(flatten)]
    pub record: RecordDetails,
    /// The body of the capture; `None` unless it was parsed as a robots.txt file.
    #[serde(skip)]
    pub body: Option<BodyDetails>,
}

/// The properties of the record of a capture, by the names of the columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RecordDetails {
    pub warc_filename: String,
    pub warc_record_offset: u64,
    pub warc_record_length: Option<u64>,
    pub warc_record_in_member: u32,
    pub content_digest: Option<String>,
    pub is_revisit: bool,
    /// True if the record failed a check when it was scanned; `None` if this is unknown.
    #[serde(skip)]
    pub is_doubtful: Option<bool>,
}

/// The properties of the body of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyDetails {
    /// The size of the decoded body in bytes; `None` in a history.
    pub bytes: Option<u64>,
    /// The number of lines, including a last empty one; `None` in a history.
    pub n_lines: Option<u32>,
    /// True if the body is valid UTF-8.
    pub is_valid_utf8: bool,
}

/// The results for one crawler.
#[derive(Clone, Debug, Serialize)]
pub struct AgentReport {
    /// The name of the crawler, as in the request.
    pub agent: String,
    /// The reason why the name is refused, if it is not that of one crawler.
    #[serde(skip)]
    pub refusal: Option<Refusal>,
    /// The verdict on the whole site.
    #[serde(flatten)]
    pub verdict: CrawlerVerdict,
    /// The verdict in each dialect, in the order of [`Dialect::ALL`].
    #[serde(rename = "verdicts", serialize_with = "as_map")]
    pub by_dialect: [(Dialect, Verdict); 3],
    /// True if the name of the crawler is no product token, so that `google` and `rfc9309`, which compare names as
    /// they are given, find no group with this name.
    pub is_no_token: bool,
    /// The results for each URL, in the order of the request.
    pub urls: Vec<UrlResult>,
    /// The lines that apply to the crawler in the requested dialect, as
    /// [`Policy::lines`](robots::Policy::lines) returns them; empty if a status decides.
    pub lines: Vec<u32>,
}

/// The default verdict for a crawler: according to Google's dialect, with names compared as a whole, and with the
/// fallbacks of the registry.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrawlerVerdict {
    #[serde(serialize_with = "by_name")]
    pub verdict: Verdict,
    /// The reason for the verdict.
    #[serde(serialize_with = "by_name")]
    pub basis: Basis,
    /// The whole name whose groups decide: that of the crawler or of a fallback. `None` if `*`, the status
    /// or no group decides.
    pub decided_by: Option<String>,
    /// The line that shows the verdict; `None` if no line does.
    pub evidence_line: Option<u32>,
    /// The first valid `Crawl-delay` of the user-agent lines that apply to the crawler, in milliseconds.
    pub crawl_delay_ms: Option<i64>,
}

/// The result for a URL.
#[derive(Clone, Debug, Serialize)]
pub struct UrlResult {
    /// The URL, as in the request.
    pub url: String,
    /// True if the crawler may fetch the URL; `None` if this is unknown.
    #[serde(rename = "access", serialize_with = "as_access")]
    pub is_allowed: Option<bool>,
    /// The line of the rule that decides, from 1; `None` if no rule matches.
    pub line_no: Option<u32>,
    /// The text of this line, if it is known.
    pub line: Option<String>,
    /// The first line of its group; `None` if it is not in a group.
    pub group_line_no: Option<u32>,
    /// The preferences about the use of the page in each category that `content-usage` and
    /// `content-signal` share, then in each category of one. A mechanism without a statement for the
    /// crawler is left out.
    pub preferences: Vec<CategoryPreference>,
}

/// The preference about the use of a page in one category.
#[derive(Clone, Debug, Serialize)]
pub struct CategoryPreference {
    /// The mechanism: [`Mechanism::Any`] for a shared category, `Content-Usage` or `Content-Signal`.
    #[serde(serialize_with = "by_name")]
    pub mechanism: Mechanism,
    /// The name of the category.
    pub category: &'static str,
    #[serde(serialize_with = "by_name")]
    pub preference: UrlPreference,
    /// The line that decides the preference.
    pub line_no: Option<u32>,
}

/// An anomaly of a robots.txt, with the severity and the description of its code.
#[derive(Clone, Debug, Serialize)]
pub struct ReportedAnomaly {
    /// The line; `None` for an anomaly of the whole file.
    pub line_no: Option<u32>,
    /// The permanent code.
    pub code: Cow<'static, str>,
    /// The severity of the code.
    #[serde(serialize_with = "by_name")]
    pub severity: Severity,
    /// The description of the code; empty if it is unknown.
    pub about: &'static str,
    /// True if strict reading of the line changes a verdict; `None` if this was
    /// not computed.
    pub changes_verdict: Option<bool>,
}

impl ReportedAnomaly {
    /// Creates an anomaly. The code determines the severity and the description; an unknown code has the severity
    /// `Info` and no description.
    pub(super) fn new(line_no: Option<u32>, code: &str, changes_verdict: Option<bool>) -> Self {
        let (code, (severity, about)) = match DESCRIPTIONS.get_key_value(code) {
            Some((code, description)) => (Cow::Borrowed(*code), *description),
            None => (Cow::Owned(code.to_owned()), (Severity::Info, "")),
        };
        Self {
            line_no,
            code,
            severity,
            about,
            changes_verdict,
        }
    }
}

/// The severity and the description of each anomaly code.
static DESCRIPTIONS: LazyLock<HashMap<&'static str, (Severity, &'static str)>> =
    LazyLock::new(|| {
        let body_kinds = AnomalyKind::ALL.iter();
        let body_kinds = body_kinds.map(|kind| (kind.code(), (kind.severity(), kind.about())));
        let capture_kinds = CaptureAnomalyKind::ALL.iter();
        let capture_kinds =
            capture_kinds.map(|kind| (kind.code(), (kind.severity(), kind.about())));
        body_kinds.chain(capture_kinds).collect()
    });

/// A value that JSON has by its name.
trait Named {
    fn json_name(&self) -> &'static str;
}

macro_rules! named {
    ($($type:ty),*) => {
        $(impl Named for $type {
            fn json_name(&self) -> &'static str {
                self.name()
            }
        })*
    };
}

named!(
    Verdict,
    Basis,
    Mechanism,
    Severity,
    StatusEffect,
    UrlPreference
);

fn by_name<S: Serializer>(value: &impl Named, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(value.json_name())
}

fn as_text<S: Serializer>(value: &Option<ArchivePlace>, serializer: S) -> Result<S::Ok, S::Error> {
    let text = value.as_ref().map(ToString::to_string);
    text.serialize(serializer)
}

fn with_causes<S: Serializer>(
    problem: &Option<ArchiveProblem>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let text = problem.as_ref().map(|problem| errors::with_causes(problem));
    text.serialize(serializer)
}

fn as_time<S: Serializer>(time: &Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
    time.map(format_iso).serialize(serializer)
}

fn as_access<S: Serializer>(is_allowed: &Option<bool>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match is_allowed {
        Some(true) => "allowed",
        Some(false) => "disallowed",
        None => "unknown",
    })
}

fn as_map<S: Serializer>(
    verdicts: &[(Dialect, Verdict); 3],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let names = verdicts.map(|(dialect, verdict)| (dialect.name(), verdict.name()));
    serializer.collect_map(names)
}

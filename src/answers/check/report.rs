//! The results of a check.

use capture::anomaly::CaptureAnomalyKind;
use robots::{AnomalyKind, Basis, Dialect, Mechanism, Severity, UrlPreference, Verdict};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The results of checking a robots.txt: for each crawler, and the anomalies.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// The results for each crawler, in the order of the request.
    pub agents: Vec<AgentReport>,
    /// The anomalies, in the order of lines.
    pub anomalies: Vec<ReportedAnomaly>,
}

/// The results for one crawler.
#[derive(Clone, Debug)]
pub struct AgentReport {
    /// The name of the crawler, as in the request.
    pub agent: String,
    /// The verdicts on the whole site.
    pub verdicts: CrawlerVerdicts,
    /// The results for each URL, in the order of the request.
    pub urls: Vec<UrlResult>,
    /// The lines that apply to the crawler in the requested dialect, as
    /// [`Policy::lines`](robots::Policy::lines) returns them; empty if a status decides.
    pub lines: Vec<u32>,
}

#[derive(Clone, Debug)]
pub struct UrlResult {
    /// The URL, as in the request.
    pub url: String,
    /// True if the crawler may fetch the URL; `None` if this is unknown.
    pub is_allowed: Option<bool>,
    /// The rule that decides; `None` if no rule matches.
    pub rule: Option<DecidingRule>,
    /// The preferences about the use of the page in each category that `content-usage` and
    /// `content-signal` share, then in each category of one. A mechanism without a statement for the
    /// crawler is left out.
    pub preferences: Vec<CategoryPreference>,
}

/// The preference about the use of a page in one category.
#[derive(Clone, Debug)]
pub struct CategoryPreference {
    /// The mechanism: [`Mechanism::Any`] for a shared category, `Content-Usage` or `Content-Signal`.
    pub mechanism: Mechanism,
    /// The name of the category.
    pub category: &'static str,
    /// The preference, and the line that decides it.
    pub preference: UrlPreference,
}

/// The line of the rule that decides on a URL.
#[derive(Clone, Debug)]
pub struct DecidingRule {
    /// The number of the line, from 1.
    pub line_no: u32,
    /// The text of the line, if it is known.
    pub line: Option<String>,
    /// The number of the first line of its group; `None` if it is not in a group.
    pub group_line_no: Option<u32>,
}

/// The default verdict for a crawler, and the verdict in each dialect.
#[derive(Clone, Debug)]
pub struct CrawlerVerdicts {
    /// The default verdict: according to Google's dialect, with names compared as a whole, and with the
    /// fallbacks of the registry.
    pub verdict: Verdict,
    /// The basis of the default verdict.
    pub basis: Basis,
    /// The whole name whose groups decide: that of the crawler or of a fallback. `None` if `*`, the status
    /// or no group decides.
    pub decided_by: Option<String>,
    /// The line that shows the default verdict; `None` if no line does.
    pub evidence_line: Option<u32>,
    /// The verdict in each dialect, in the order of [`Dialect::ALL`].
    pub by_dialect: [(Dialect, Verdict); 3],
}

/// An anomaly of a robots.txt, with the severity and the description of its code.
#[derive(Clone, Debug)]
pub struct ReportedAnomaly {
    /// The line; `None` for an anomaly of the whole file.
    pub line_no: Option<u32>,
    /// The permanent code.
    pub code: Cow<'static, str>,
    /// The severity of the code.
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

//! Verdicts: the answer for one crawler and a whole file.

pub(crate) mod agents;
pub(crate) mod coverage;
pub(crate) mod evaluator;
pub(crate) mod fingerprint;
pub(crate) mod group_sets;
pub(crate) mod leniency;

use crate::document::ContentClass;

/// The answer for one crawler and a whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No path may be fetched.
    DisallowAll,
    /// Some paths may be fetched and others may not.
    Partial,
    /// Every path may be fetched.
    AllowAll,
    /// The verdict is not known, for example because the work budget was exceeded.
    Unknown,
}

impl Verdict {
    /// All verdicts, in the order of this list.
    pub const ALL: [Self; 4] = [
        Self::DisallowAll,
        Self::Partial,
        Self::AllowAll,
        Self::Unknown,
    ];

    /// Returns the name that the tables store.
    pub fn name(self) -> &'static str {
        match self {
            Self::DisallowAll => "disallow_all",
            Self::Partial => "partial",
            Self::AllowAll => "allow_all",
            Self::Unknown => "unknown",
        }
    }
}

/// The basis of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Groups that name the crawler.
    Explicit,
    /// The groups of `*`.
    Wildcard,
    /// The file has groups, but none for the crawler or `*`.
    NoGroup,
    /// The file is text and addresses no crawler.
    NoRules,
    /// The body is empty or has only blanks.
    Empty,
    /// The body is an HTML page and addresses no crawler.
    Html,
    /// The body is not text and addresses no crawler.
    Binary,
    /// The HTTP status of the response, not its body.
    HttpStatus,
    /// The work budget was exceeded.
    TooComplex,
}

impl Basis {
    /// All bases, in the order of this list.
    pub const ALL: [Self; 9] = [
        Self::Explicit,
        Self::Wildcard,
        Self::NoGroup,
        Self::NoRules,
        Self::Empty,
        Self::Html,
        Self::Binary,
        Self::HttpStatus,
        Self::TooComplex,
    ];

    /// Returns the basis of the verdicts of a body that has this class and addresses no crawler.
    pub fn from_content_class(content: ContentClass) -> Self {
        match content {
            ContentClass::Rules | ContentClass::NoRules | ContentClass::CommentsOnly => {
                Self::NoRules
            }
            ContentClass::Empty => Self::Empty,
            ContentClass::Html => Self::Html,
            ContentClass::Binary => Self::Binary,
        }
    }

    /// Returns the name that the tables store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Wildcard => "wildcard",
            Self::NoGroup => "no_group",
            Self::NoRules => "no_rules",
            Self::Empty => "empty",
            Self::Html => "html",
            Self::Binary => "binary",
            Self::HttpStatus => "http_status",
            Self::TooComplex => "too_complex",
        }
    }
}

/// The verdicts for one name in a file, or for `*`.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentVerdict<'a> {
    /// A whole name or a product token, in lower case; `*` for all other crawlers.
    pub agent: &'a [u8],
    /// The verdict according to Google's rules, with whole names compared.
    pub verdict: Verdict,
    /// The verdict of Google's parser for a crawler with this name.
    pub verdict_google: Verdict,
    /// The verdict according to RFC 9309 for a crawler with this name.
    pub verdict_rfc9309: Verdict,
    /// The verdict according to Koster's draft of 1996 for a crawler with this name.
    pub verdict_koster1996: Verdict,
    /// The basis of `verdict`.
    pub basis: Basis,
    /// True if `/` may be fetched, according to the same rules as `verdict`.
    pub is_root_allowed: bool,
    /// The number of allow lines merged for `verdict`.
    pub n_allow: u32,
    /// The number of disallow lines merged for `verdict`.
    pub n_disallow: u32,
    /// The first valid crawl-delay of the user-agent lines with this name, or else of those with `*`
    /// if `basis` is not `Explicit`, in milliseconds; `None` without a valid one.
    pub crawl_delay_ms: Option<i64>,
    /// A rule that decides some path for the verdict: one that allows if all paths are allowed, and otherwise
    /// one that disallows. The first line of the groups if no rule does.
    pub evidence_line: Option<u32>,
}

impl AgentVerdict<'_> {
    /// Returns true if any of the verdicts is unknown because the work budget was exceeded
    /// ([`AnomalyKind::TooComplex`](crate::AnomalyKind::TooComplex)).
    pub fn is_undecided(&self) -> bool {
        let verdicts = [
            self.verdict,
            self.verdict_google,
            self.verdict_rfc9309,
            self.verdict_koster1996,
        ];
        verdicts.contains(&Verdict::Unknown)
    }
}

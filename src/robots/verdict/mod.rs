//! The answer for one crawler and the whole file.

pub(crate) mod agents;
pub(crate) mod coverage;
pub(crate) mod evaluator;
pub(crate) mod fingerprint;
pub(crate) mod group_sets;
mod index;
pub(crate) mod leniency;

/// What a file's rules leave to a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No path may be fetched.
    DisallowAll,
    /// Some paths may be fetched, and some not.
    Partial,
    /// Every path may be fetched.
    AllowAll,
    /// It could not be decided.
    Unknown,
}

impl Verdict {
    /// The word that stands in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::DisallowAll => "disallow_all",
            Self::Partial => "partial",
            Self::AllowAll => "allow_all",
            Self::Unknown => "unknown",
        }
    }
}

/// What a verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Groups that name the crawler.
    Explicit,
    /// The groups of `*`.
    Wildcard,
    /// There are groups, but none for the crawler or `*`.
    NoGroup,
    /// The file addresses nobody.
    NoRules,
    /// The status of the response, not its body.
    HttpStatus,
    /// The work limit was met.
    TooComplex,
}

impl Basis {
    /// The word that stands in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Wildcard => "wildcard",
            Self::NoGroup => "no_group",
            Self::NoRules => "no_rules",
            Self::HttpStatus => "http_status",
            Self::TooComplex => "too_complex",
        }
    }
}

/// The verdicts for one name that a file holds, or for `*`.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentVerdict<'a> {
    /// A whole name or a token, lower-cased; `*` for everybody else.
    pub agent: &'a [u8],
    /// By Google's rules, names compared whole.
    pub verdict: Verdict,
    /// By Google's rules as its parser applies them to a crawler of this name.
    pub verdict_google: Verdict,
    /// By RFC 9309, for a crawler that calls itself by this name.
    pub verdict_rfc9309: Verdict,
    /// By Koster's draft of 1996, likewise.
    pub verdict_koster1996: Verdict,
    /// What `verdict` rests on.
    pub basis: Basis,
    /// Whether `/` may be fetched, by `verdict`'s rules.
    pub is_root_allowed: bool,
    /// Allow lines that were merged for `verdict`.
    pub n_allow: u32,
    /// Disallow lines that were merged for `verdict`.
    pub n_disallow: u32,
    /// The first valid crawl-delay of the groups, in seconds.
    pub crawl_delay: Option<f64>,
    /// The line that shows the verdict, 0 for none.
    pub evidence_line: u32,
}

impl AgentVerdict<'_> {
    /// Whether a verdict is unknown because the work limit was met
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

//! The mechanisms with which files state how content may be used.

/// A kind of line that states preferences, each with its own syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// `Content-Signal: search=yes, ai-train=no`.
    ContentSignal,
    /// `Content-Usage: /path train-ai=n`.
    ContentUsage,
    /// `License: https://example.com/license.xml`.
    RslLicense,
    /// `DisallowAITraining: /path`.
    DisallowAiTraining,
    /// `AllowAITraining: /path`.
    AllowAiTraining,
    /// `LLM-Policy: /llms.txt`.
    LlmPolicy,
    /// `Content-Signal` and `Content-Usage` together, in the words that both have
    /// ([`SharedCategory`](crate::SharedCategory)). No line is of this mechanism.
    Any,
}

impl Mechanism {
    /// Returns the name that the tables store.
    pub fn name(self) -> &'static str {
        match self {
            Self::ContentSignal => "content-signal",
            Self::ContentUsage => "content-usage",
            Self::RslLicense => "rsl-license",
            Self::DisallowAiTraining => "disallow-ai-training",
            Self::AllowAiTraining => "allow-ai-training",
            Self::LlmPolicy => "llm-policy",
            Self::Any => "any",
        }
    }

    /// Returns true if a statement concerns only the crawlers of its group, and may be limited to a
    /// path: for `Content-Usage` and `Content-Signal`.
    pub fn is_read_by_group(self) -> bool {
        matches!(self, Self::ContentUsage | Self::ContentSignal)
    }

    /// Returns the mechanism of a directive with this canonical name, or `None` if the directive
    /// states no preference.
    pub fn from_directive(name: &str) -> Option<Self> {
        Some(match name {
            "content-signal" => Self::ContentSignal,
            "content-usage" => Self::ContentUsage,
            "license" => Self::RslLicense,
            "disallowaitraining" => Self::DisallowAiTraining,
            "allowaitraining" => Self::AllowAiTraining,
            "llm-policy" => Self::LlmPolicy,
            _ => return None,
        })
    }
}

//! Preferences about the use of content: the statements of a file, and their meaning for a crawler.
//!
//! | module | contents |
//! |---|---|
//! | `statement` | the value of a line, as its specification reads it |
//! | `vocabulary` | categories of use, and their labels by date |
//! | `rules` | one crawler, many URLs |
//! | `coverage` | one crawler, all paths |
//! | `agents` | all crawlers of a file |
//!
//! `Content-Usage` is read according to draft-ietf-aipref-attach of August 2026 (commit 7ca0afc)
//! and draft-ietf-aipref-vocab of September 2026 (commit 008bd89). `docs/preferences.md` describes
//! the choices for cases that these drafts leave open. Statements have no effect on access.

pub(crate) mod agents;
pub(crate) mod coverage;
pub(crate) mod mechanism;
pub(crate) mod rules;
pub(crate) mod statement;
pub(crate) mod vocabulary;

use crate::document::{Directive, DirectiveKind, RobotsTxt};
pub(crate) use mechanism::Mechanism;

/// A preference about one category of use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Preference {
    /// Neither allowed nor disallowed.
    #[default]
    Unknown,
    /// The use is allowed.
    Allowed,
    /// The use is disallowed.
    Disallowed,
}

impl Preference {
    /// Returns the name that the tables store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Allowed => "allowed",
            Self::Disallowed => "disallowed",
        }
    }

    /// Combines two preferences about one asset: the most restrictive applies
    /// (draft-ietf-aipref-vocab, "Combining Preferences").
    pub(crate) fn combine(self, other: Self) -> Self {
        self.max(other)
    }
}

/// The preference for one crawler, one URL and one category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UrlPreference {
    /// The preference; `None` if the crawler may not fetch the URL, which then has no preference.
    pub preference: Option<Preference>,
    /// The number of the line that decides: a statement, or the rule that disallows the URL.
    pub line_no: Option<u32>,
}

impl UrlPreference {
    /// Combines the preferences of the same URL in two mechanisms: the more restrictive applies. They
    /// must be of the same crawler, so that neither or both are `None`.
    ///
    /// ```
    /// use robotstxt_dialects::{Dialect, Parser, Policy, Preference, SharedCategory, Vocabulary};
    ///
    /// let mut parser = Parser::new();
    /// let body = b"User-agent: *\nContent-Signal: ai-train=no\nContent-Usage: train-ai=y\n";
    /// let policy = Policy::new(Dialect::Google, &parser.parse(body), b"a");
    /// let vocabularies = [Vocabulary::content_usage(None), Vocabulary::content_signal()];
    /// let training = vocabularies.map(|vocabulary| {
    ///     let category = SharedCategory::Training.index_in(vocabulary).unwrap();
    ///     policy.preference(vocabulary, category, b"https://example.com/")
    /// });
    /// let [usage, signal] = training;
    /// assert_eq!(usage.preference, Some(Preference::Allowed));
    /// assert_eq!(usage.combine(signal).preference, Some(Preference::Disallowed));
    /// assert_eq!(usage.combine(signal).line_no, Some(2));
    /// ```
    pub fn combine(self, other: Self) -> Self {
        if other.preference > self.preference {
            other
        } else {
            self
        }
    }

    /// Returns the name that the tables store.
    pub fn name(&self) -> &'static str {
        self.preference.map_or("not_crawlable", Preference::name)
    }
}

/// The preference for one crawler and one category, over all paths that the crawler may fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreferenceVerdict {
    /// The use is allowed for every path.
    AllowAll,
    /// The use is disallowed for every path.
    DisallowAll,
    /// The preference is unknown for every path.
    UnknownAll,
    /// The preference is not the same for all paths.
    Mixed,
    /// The crawler may not fetch any path.
    NotCrawlable,
    /// The work budget was exceeded.
    TooComplex,
}

impl PreferenceVerdict {
    /// Returns the name that the tables store.
    pub fn name(self) -> &'static str {
        match self {
            Self::AllowAll => "allow_all",
            Self::DisallowAll => "disallow_all",
            Self::UnknownAll => "unknown_all",
            Self::Mixed => "mixed",
            Self::NotCrawlable => "not_crawlable",
            Self::TooComplex => "too_complex",
        }
    }
}

/// Returns the mechanism of a line if it is [read by group](Mechanism::is_read_by_group):
/// `Content-Usage` or `Content-Signal`.
pub(crate) fn statement_mechanism(
    robots_txt: &RobotsTxt<'_>,
    line: &Directive,
) -> Option<Mechanism> {
    // The lengths of `content-usage` and `content-signals`.
    if line.kind != DirectiveKind::Other || !(13..=15).contains(&line.key_raw.len()) {
        return None;
    }
    let key = robots_txt.text(line.key_raw);
    if key.eq_ignore_ascii_case(b"content-usage") {
        Some(Mechanism::ContentUsage)
    } else if key.eq_ignore_ascii_case(b"content-signal")
        || key.eq_ignore_ascii_case(b"content-signals")
    {
        Some(Mechanism::ContentSignal)
    } else {
        None
    }
}

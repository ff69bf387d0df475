//! The category of use that a command is about.

use crate::{CrawlerPolicy, Refusal};
use robots::{Mechanism, Preference, SharedCategory, UrlPreference, Vocabulary};

/// A category of use: of both mechanisms, such as `training`, or of one, such as
/// `content-usage:train-ai`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CategoryChoice {
    /// A category that `Content-Usage` and `Content-Signal` share.
    Shared(SharedCategory),
    /// A category of one mechanism.
    OfMechanism(Mechanism, String),
}

impl CategoryChoice {
    /// The names that [`parse`](Self::parse) takes, for messages: of both mechanisms, then of each.
    pub const NAMES: &str = "training, search, train-ai, ai-use, content-usage:search, ai-train, ai-input, content-signal:search";

    /// Parses the name of a shared category, or a mechanism and a category with a colon between them.
    /// The mechanism may be left out if only one has the category, and no shared one has its name.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        Self::find(text).ok_or_else(|| {
            let hint = format!("choose from {}", Self::NAMES);
            Refusal::new(format!("there is no category '{text}'"), hint)
        })
    }

    fn find(text: &str) -> Option<Self> {
        let mut shared = SharedCategory::ALL.into_iter();
        if let Some(category) = shared.find(|category| category.name() == text) {
            return Some(Self::Shared(category));
        }
        let (wanted, category) = match text.split_once(':') {
            Some((mechanism, category)) => (Some(mechanism), category),
            None => (None, text),
        };
        let mut mechanisms = [Mechanism::ContentUsage, Mechanism::ContentSignal].into_iter();
        // Apart from the shared ones, the mechanisms have no category of the same name.
        let mechanism = mechanisms.find(|mechanism| {
            wanted.is_none_or(|wanted| wanted == mechanism.name())
                && Vocabulary::is_known_category(*mechanism, category)
        })?;
        Some(Self::OfMechanism(mechanism, category.to_owned()))
    }

    /// Returns the name that [`parse`](Self::parse) takes: of one mechanism, with the mechanism.
    pub fn name(&self) -> String {
        match self {
            Self::Shared(category) => category.name().to_owned(),
            Self::OfMechanism(mechanism, category) => format!("{}:{category}", mechanism.name()),
        }
    }

    /// Returns the preference for a URL, by the vocabulary at the time of the fetch, which is in
    /// milliseconds since 1970. Without a time, the latest vocabulary applies.
    pub fn preference(
        &self,
        policy: &CrawlerPolicy,
        url: &[u8],
        unix_millis: Option<i64>,
    ) -> UrlPreference {
        let usage = Vocabulary::content_usage(unix_millis);
        let signal = Vocabulary::content_signal();
        match self {
            Self::Shared(category) => {
                let of = |vocabulary| {
                    find_preference(policy, vocabulary, category.index_in(vocabulary), url)
                };
                of(usage).combine(of(signal))
            }
            Self::OfMechanism(mechanism, category) => {
                let vocabulary = match mechanism {
                    Mechanism::ContentSignal => signal,
                    _ => usage,
                };
                find_preference(policy, vocabulary, vocabulary.category_index(category), url)
            }
        }
    }
}

/// Returns the preference for a URL; `category` is `None` if the vocabulary does not have it.
fn find_preference(
    policy: &CrawlerPolicy,
    vocabulary: &Vocabulary,
    category: Option<usize>,
    url: &[u8],
) -> UrlPreference {
    match category {
        Some(category) => policy.preference(vocabulary, category, url),
        None => {
            let access = policy.access(url);
            UrlPreference {
                preference: access.is_allowed.then_some(Preference::Unknown),
                line_no: access.line_no.filter(|_| !access.is_allowed),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_is_shared_or_of_one_mechanism() {
        let name = |text| CategoryChoice::find(text).map(|choice| choice.name());
        for (text, expected) in [
            ("training", "training"),
            ("search", "search"),
            ("train-ai", "content-usage:train-ai"),
            ("ai-train", "content-signal:ai-train"),
            ("content-signal:search", "content-signal:search"),
            ("content-usage:bots", "content-usage:bots"),
        ] {
            assert_eq!(name(text).as_deref(), Some(expected));
        }
        for text in [
            "content-signal:train-ai",
            "any:training",
            "Train-AI",
            "",
            ":",
        ] {
            assert_eq!(name(text), None, "{text}");
        }
    }
}

//! The category of use that a command is about.

use crate::CrawlerPolicy;
use robots::{Mechanism, Preference, UrlPreference, Vocabulary};

/// A category of use of a mechanism, such as `content-usage:train-ai`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CategoryChoice {
    mechanism: Mechanism,
    category: String,
}

/// The mechanisms with categories of use.
const MECHANISMS: [Mechanism; 2] = [Mechanism::ContentUsage, Mechanism::ContentSignal];

impl CategoryChoice {
    /// Parses a mechanism and a category with a colon between them. The mechanism may be left out
    /// if only one has the category.
    pub fn parse(text: &str) -> Option<Self> {
        let (wanted, category) = match text.split_once(':') {
            Some((mechanism, category)) => (Some(mechanism), category),
            None => (None, text),
        };
        let found = MECHANISMS.into_iter().filter(|mechanism| {
            wanted.is_none_or(|wanted| wanted == mechanism.name())
                && Vocabulary::is_known_category(*mechanism, category)
        });
        let found: Vec<Mechanism> = found.collect();
        match *found {
            [mechanism] => Some(Self {
                mechanism,
                category: category.to_owned(),
            }),
            _ => None,
        }
    }

    /// Returns the mechanism and the category with a colon between them.
    pub fn name(&self) -> String {
        format!("{}:{}", self.mechanism.name(), self.category)
    }

    /// Returns the preference for a URL, by the vocabulary at the time of the fetch, which is in
    /// milliseconds since 1970. Without a time, the latest vocabulary applies.
    pub fn preference(
        &self,
        policy: &CrawlerPolicy,
        url: &[u8],
        unix_millis: Option<i64>,
    ) -> UrlPreference {
        let vocabulary = match self.mechanism {
            Mechanism::ContentSignal => Vocabulary::content_signal(),
            _ => Vocabulary::content_usage(unix_millis),
        };
        match vocabulary.category_index(&self.category) {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_needs_its_mechanism_only_if_both_have_it() {
        let name = |text| CategoryChoice::parse(text).map(|choice| choice.name());
        assert_eq!(name("train-ai").as_deref(), Some("content-usage:train-ai"));
        assert_eq!(name("ai-train").as_deref(), Some("content-signal:ai-train"));
        assert_eq!(
            name("content-signal:search").as_deref(),
            Some("content-signal:search")
        );
        assert_eq!(
            name("content-usage:bots").as_deref(),
            Some("content-usage:bots")
        );
        for text in ["search", "content-signal:train-ai", "Train-AI", "", ":"] {
            assert_eq!(name(text), None, "{text}");
        }
    }
}

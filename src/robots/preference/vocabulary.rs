//! The categories of use that preferences are about, and the labels of these categories in
//! statements.
//!
//! The labels of `Content-Usage` are those of draft-ietf-aipref-vocab, which has changed several
//! times. A statement is read according to the vocabulary that was current when its file was
//! fetched (draft-ietf-aipref-attach, "When Preferences Apply"). The dates are those on which the
//! draft changed on the branch `main` of the repository ietf-wg-aipref/drafts (first-parent
//! commits).

use super::{Mechanism, Preference};

/// The number of categories in the largest vocabulary.
pub(crate) const CATEGORY_COUNT: usize = 5;

/// A preference for each category, in the order of the vocabulary. Unused elements are unknown.
pub(crate) type Preferences = [Preference; CATEGORY_COUNT];

/// The categories of use of a mechanism, and their labels. `Content-Usage` has several
/// vocabularies, each of them current for a time.
#[derive(Debug, PartialEq, Eq)]
pub struct Vocabulary {
    mechanism: Mechanism,
    /// The first day on which the vocabulary is current, in days since 1970-01-01.
    first_day: i64,
    labels: &'static [Label],
}

/// A label and the category that it means.
#[derive(Debug, PartialEq, Eq)]
struct Label {
    text: &'static str,
    /// The name of the category, which is its latest label.
    category: &'static str,
    /// The index of the category that includes this one. The preference of the including category
    /// applies if a statement has none about this one.
    within: Option<usize>,
}

const fn label(text: &'static str, category: &'static str) -> Label {
    Label {
        text,
        category,
        within: None,
    }
}

const fn label_within(text: &'static str, category: &'static str, within: usize) -> Label {
    Label {
        text,
        category,
        within: Some(within),
    }
}

const fn content_usage(date: (i64, i64, i64), labels: &'static [Label]) -> Vocabulary {
    assert!(labels.len() <= CATEGORY_COUNT);
    Vocabulary {
        mechanism: Mechanism::ContentUsage,
        first_day: days_since_1970(date),
        labels,
    }
}

/// The vocabularies of `Content-Usage`, the oldest first. The comment above each is the commit of
/// `ietf-wg-aipref/drafts` that introduced the vocabulary. Before the first commit, the draft had
/// no labels.
const CONTENT_USAGE: &[Vocabulary] = &[
    content_usage((1970, 1, 1), &[]),
    // 3416e19
    content_usage(
        (2025, 6, 18),
        &[
            label("tdm", "tdm"),
            label_within("ai", "train-ai", 0),
            label_within("genai", "train-genai", 1),
            label_within("search", "search", 0),
            label_within("inference", "ai-use", 0),
        ],
    ),
    // e1a68ad
    content_usage(
        (2025, 7, 18),
        &[
            label("all", "bots"),
            label_within("train-ai", "train-ai", 0),
            label_within("train-genai", "train-genai", 1),
            label_within("ai-use", "ai-use", 0),
            label_within("search", "search", 0),
        ],
    ),
    // 6a6d38a
    content_usage(
        (2025, 8, 8),
        &[
            label("all", "bots"),
            label_within("train-ai", "train-ai", 0),
            label_within("train-genai", "train-genai", 1),
            label_within("search", "search", 0),
        ],
    ),
    // edcaa8b
    content_usage(
        (2025, 9, 3),
        &[
            label("bots", "bots"),
            label_within("train-ai", "train-ai", 0),
            label_within("train-genai", "train-genai", 1),
            label_within("search", "search", 0),
        ],
    ),
    // 6f7c176
    content_usage(
        (2025, 10, 1),
        &[
            label("bots", "bots"),
            label_within("train-ai", "train-ai", 0),
            label_within("train-genai", "train-genai", 1),
            label_within("ai-output", "ai-output", 0),
            label_within("search", "search", 3),
        ],
    ),
    // 8a75b73
    content_usage(
        (2025, 10, 23),
        &[
            label("bots", "bots"),
            label_within("train-ai", "train-ai", 0),
            label_within("ai-output", "ai-output", 0),
            label_within("search", "search", 2),
        ],
    ),
    // acbc9b7
    content_usage(
        (2025, 11, 18),
        &[label("train-ai", "train-ai"), label("search", "search")],
    ),
    // 008bd89. The day in September is not known.
    content_usage(
        (2026, 9, 1),
        &[
            label("train-ai", "train-ai"),
            label("ai-use", "ai-use"),
            label("search", "search"),
        ],
    ),
];

/// The vocabulary of `Content-Signal` (contentsignals.org). The key `use` is not a category here,
/// because its values are three extents of use instead of yes and no.
static CONTENT_SIGNAL: Vocabulary = Vocabulary {
    mechanism: Mechanism::ContentSignal,
    first_day: 0,
    labels: &[
        label("search", "search"),
        label("ai-input", "ai-input"),
        label("ai-train", "ai-train"),
    ],
};

/// A use that `Content-Usage` and `Content-Signal` both have a word for: the categories of
/// [`Mechanism::Any`].
///
/// For one URL, the use is disallowed if either word disallows it, allowed if either allows it, and
/// unknown otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedCategory {
    /// `train-ai` and `ai-train`.
    Training,
    /// `search` of both.
    Search,
}

impl SharedCategory {
    /// All categories.
    pub const ALL: [Self; 2] = [Self::Training, Self::Search];

    /// Returns the name that the tables store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Training => "training",
            Self::Search => "search",
        }
    }

    /// Returns the index of the category of a vocabulary that is this use. Some vocabularies of
    /// `Content-Usage` have none.
    pub fn index_in(self, vocabulary: &Vocabulary) -> Option<usize> {
        vocabulary.category_index(match (self, vocabulary.mechanism) {
            (Self::Training, Mechanism::ContentSignal) => "ai-train",
            (Self::Training, _) => "train-ai",
            (Self::Search, _) => "search",
        })
    }
}

impl Vocabulary {
    /// Returns the vocabulary of `Content-Usage` at a time, in milliseconds since 1970, or the
    /// latest one for `None`.
    ///
    /// ```
    /// use robotstxt_dialects::Vocabulary;
    ///
    /// let september_2025 = Vocabulary::content_usage(Some(1_758_000_000_000));
    /// let categories: Vec<&str> = september_2025.categories().collect();
    /// assert_eq!(categories, ["bots", "train-ai", "train-genai", "search"]);
    /// let categories: Vec<&str> = Vocabulary::content_usage(None).categories().collect();
    /// assert_eq!(categories, ["train-ai", "ai-use", "search"]);
    /// ```
    pub fn content_usage(unix_millis: Option<i64>) -> &'static Self {
        let day = unix_millis.map_or(i64::MAX, |millis| millis.div_euclid(MILLIS_PER_DAY));
        let later = CONTENT_USAGE.partition_point(|vocabulary| vocabulary.first_day <= day);
        &CONTENT_USAGE[later.saturating_sub(1)]
    }

    /// Returns true if any vocabulary of the mechanism, current or not, has a category of this
    /// name.
    pub fn is_known_category(mechanism: Mechanism, name: &str) -> bool {
        let mut all = CONTENT_USAGE.iter().chain([&CONTENT_SIGNAL]);
        all.any(|vocabulary| {
            vocabulary.mechanism == mechanism && vocabulary.category_index(name).is_some()
        })
    }

    /// Returns the vocabulary of `Content-Signal`.
    pub fn content_signal() -> &'static Self {
        &CONTENT_SIGNAL
    }

    /// Returns the mechanism whose statements are read with this vocabulary.
    pub fn mechanism(&self) -> Mechanism {
        self.mechanism
    }

    /// Returns the names of the categories. A category keeps its name when its label changes.
    pub fn categories(&self) -> impl ExactSizeIterator<Item = &'static str> {
        self.labels.iter().map(|label| label.category)
    }

    /// Returns the index of a category by its name.
    pub fn category_index(&self, name: &str) -> Option<usize> {
        self.labels.iter().position(|label| label.category == name)
    }

    /// Returns the name of the category that a label means. Labels of `Content-Usage` are compared
    /// exactly (draft-ietf-aipref-vocab, "Usage Category Labels"), those of `Content-Signal`
    /// without regard to case.
    pub fn category_of_label(&self, label: &[u8]) -> Option<&'static str> {
        self.index_of_label(label)
            .map(|index| self.labels[index].category)
    }

    pub(crate) fn index_of_label(&self, text: &[u8]) -> Option<usize> {
        let is_text = |label: &Label| match self.mechanism {
            Mechanism::ContentSignal => label.text.as_bytes().eq_ignore_ascii_case(text),
            _ => label.text.as_bytes() == text,
        };
        self.labels.iter().position(is_text)
    }

    /// Gives each category without a preference that of the category that includes it
    /// (draft-ietf-aipref-vocab until November 2025, "Applying Statements of Preference").
    pub(crate) fn inherit(&self, preferences: &mut Preferences) {
        // A category comes after the one that includes it.
        for (i, label) in self.labels.iter().enumerate() {
            if let Some(within) = label.within
                && preferences[i] == Preference::Unknown
            {
                preferences[i] = preferences[within];
            }
        }
    }
}

const MILLIS_PER_DAY: i64 = 24 * 60 * 60 * 1000;

/// Returns the number of days from 1970 to a date of the Gregorian calendar, given as year, month
/// and day.
const fn days_since_1970((year, month, day): (i64, i64, i64)) -> i64 {
    // Years begin in March here, so that a leap day is the last day of a year.
    let year = year - (month <= 2) as i64;
    let month = (month + 9) % 12;
    let leap_days = year / 4 - year / 100 + year / 400;
    365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970() {
        let days = [(1970, 1, 1), (2000, 3, 1), (2025, 11, 18), (2026, 9, 1)].map(days_since_1970);
        assert_eq!(days, [0, 11_017, 20_410, 20_697]);
    }

    #[test]
    fn vocabularies_are_in_the_order_of_time_and_categories_after_those_that_include_them() {
        assert!(CONTENT_USAGE.is_sorted_by(|a, b| a.first_day < b.first_day));
        for vocabulary in CONTENT_USAGE {
            for (i, label) in vocabulary.labels.iter().enumerate() {
                assert!(label.within.is_none_or(|within| within < i), "{label:?}");
            }
        }
    }

    #[test]
    fn a_vocabulary_begins_on_its_day() {
        let day = |date| days_since_1970(date) * MILLIS_PER_DAY;
        let labels = |millis| {
            let vocabulary = Vocabulary::content_usage(Some(millis));
            vocabulary
                .labels
                .iter()
                .map(|label| label.text)
                .collect::<Vec<_>>()
        };
        assert!(labels(day((2025, 6, 18)) - 1).is_empty());
        assert_eq!(labels(day((2025, 6, 18)))[0], "tdm");
        assert!(labels(day((2025, 8, 7))).contains(&"ai-use"));
        assert!(!labels(day((2025, 8, 8))).contains(&"ai-use"));
        assert_eq!(labels(day((2026, 8, 31))), ["train-ai", "search"]);
        assert_eq!(labels(day((2026, 9, 1))), ["train-ai", "ai-use", "search"]);
        assert_eq!(labels(i64::MAX), ["train-ai", "ai-use", "search"]);
        assert!(labels(i64::MIN).is_empty());
    }
}

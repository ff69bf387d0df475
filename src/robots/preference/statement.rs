//! Statements: the values of lines about the use of content, as their specifications read them.
//!
//! | line | source |
//! |---|---|
//! | `Content-Usage` | draft-ietf-aipref-attach, "Processing Content-Usage Rules"; draft-ietf-aipref-vocab, "Processing Algorithm"; RFC 9651 §4.2.2 |
//! | `Content-Signal` | contentsignals.org, with the key `use` of August 2026 |
//! | `License` | RSL 1.0, "Adding RSL to robots.txt" |
//! | `DisallowAITraining`, `AllowAITraining` | draft-canel-robots-ai-control |
//! | `LLM-Policy` | none |
//!
//! This module parses the values of all such lines. The modules `rules` and `agents` select the
//! lines that concern a crawler.

use super::Preference;
use super::mechanism::Mechanism;
use super::vocabulary::{Preferences, Vocabulary};
use crate::agent_name::is_blank;
use crate::parse::template::starts_with_ignore_case;
use sfv::visitor::{
    DictionaryVisitor, EntryVisitor, Ignored, InnerListVisitor, ItemVisitor, ParameterVisitor,
};
use sfv::{BareItemFromInput, KeyRef};
use std::convert::Infallible;

/// One item of a line that states preferences: a key and its value. `path`, `key` and `value` are
/// slices of the value of the line, except for the key of a mechanism that has no keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AiPreference<'a> {
    /// The syntax of the line.
    pub mechanism: Mechanism,
    /// The path to which the preference is limited; `None` for the whole site.
    pub path: Option<&'a [u8]>,
    /// The key as written, which names the use that is allowed or not. For mechanisms without keys,
    /// a fixed text such as `license`.
    pub key: &'a [u8],
    /// The value, as written, if there is one.
    pub value: Option<&'a [u8]>,
    /// True if the value is yes, false if it is no, and `None` for any other value.
    pub allow: Option<bool>,
    /// True if the current draft defines the key and the value.
    pub is_valid: bool,
    /// The preference of the statement for this key, whether or not a vocabulary has the key.
    /// `None` if a later item of the statement replaces this one.
    pub preference: Option<Preference>,
}

impl<'a> AiPreference<'a> {
    /// Returns an item with the preference `unknown`, and without a path or a value.
    fn without_preference(mechanism: Mechanism, key: &'a [u8]) -> Self {
        Self {
            mechanism,
            path: None,
            key,
            value: None,
            allow: None,
            is_valid: false,
            preference: Some(Preference::Unknown),
        }
    }
}

/// An item of a dictionary of structured fields.
#[derive(Clone, Copy, Debug)]
struct DictionaryItem<'a> {
    key: &'a [u8],
    /// The offset of the key in the text of the dictionary.
    start: usize,
    preference: Preference,
}

/// Collects the items of a dictionary, in the order of the text, duplicates included.
struct ItemCollector<'a, 'i> {
    dictionary: &'a [u8],
    items: &'i mut Vec<DictionaryItem<'a>>,
}

impl<'a> DictionaryVisitor<'a> for ItemCollector<'a, '_> {
    type Out = ();
    type Error = Infallible;

    fn entry(&mut self, key: &'a KeyRef) -> Result<impl EntryVisitor<'a>, Infallible> {
        let key = key.as_str().as_bytes();
        self.items.push(DictionaryItem {
            key,
            // The key is a slice of the dictionary.
            start: key.as_ptr().addr() - self.dictionary.as_ptr().addr(),
            preference: Preference::Unknown,
        });
        Ok(self.items.last_mut().map(|item| ValueReader {
            preference: &mut item.preference,
        }))
    }

    fn finish(self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Reads the value of an item. Only the tokens `y` and `n` state a preference, and parameters are
/// ignored (draft-ietf-aipref-vocab, "Processing Algorithm").
struct ValueReader<'p> {
    preference: &'p mut Preference,
}

impl<'a> EntryVisitor<'a> for ValueReader<'_> {
    type Error = Infallible;

    fn item(self) -> Result<impl ItemVisitor<'a>, Infallible> {
        Ok(self)
    }

    fn inner_list(self) -> Result<impl InnerListVisitor<'a>, Infallible> {
        Ok(Ignored)
    }
}

impl<'a> ItemVisitor<'a> for ValueReader<'_> {
    type Out = ();
    type Error = Infallible;

    fn bare_item(
        self,
        item: BareItemFromInput<'a>,
    ) -> Result<impl ParameterVisitor<'a, Out = ()>, Infallible> {
        if let BareItemFromInput::Token(token) = item {
            *self.preference = match token.as_str() {
                "y" => Preference::Allowed,
                "n" => Preference::Disallowed,
                _ => Preference::Unknown,
            };
        }
        Ok(Ignored)
    }
}

/// Parses a dictionary of structured fields into `items` (RFC 9651 §4.2.2). Returns false if the
/// text is not a dictionary.
fn parse_dictionary<'a>(dictionary: &'a [u8], items: &mut Vec<DictionaryItem<'a>>) -> bool {
    items.clear();
    let parser = sfv::Parser::new(dictionary);
    parser
        .parse_dictionary_with_visitor(ItemCollector { dictionary, items })
        .is_ok()
}

/// Returns true if the value of a line can be read as a statement. The value of `Content-Usage`
/// must be a dictionary of structured fields, which may follow a path; otherwise the line states
/// nothing. The values of other mechanisms can always be read.
pub fn is_readable_statement(mechanism: Mechanism, value: &[u8]) -> bool {
    mechanism != Mechanism::ContentUsage || parse_dictionary(split_path(value).1, &mut Vec::new())
}

/// Reads the value of a line according to a vocabulary, whose mechanism must be that of the line.
/// Returns the path of the statement, and a preference for each category.
pub(crate) fn read_statement<'a>(
    vocabulary: &Vocabulary,
    value: &'a [u8],
) -> (Option<&'a [u8]>, Preferences) {
    let (path, list) = split_path(value);
    let mut preferences = Preferences::default();
    if vocabulary.mechanism() == Mechanism::ContentUsage {
        let mut items = Vec::new();
        if parse_dictionary(list, &mut items) {
            for item in items {
                if let Some(index) = vocabulary.index_of_label(item.key) {
                    preferences[index] = item.preference;
                }
            }
        }
        vocabulary.inherit(&mut preferences);
    } else {
        for (key, value) in split_items(list) {
            if let Some(index) = vocabulary.index_of_label(key) {
                let stated = preference_of(parse_content_signal_item(key, value).0);
                preferences[index] = preferences[index].combine(stated);
            }
        }
    }
    (path, preferences)
}

/// Returns the preference for a value of [`AiPreference::allow`].
fn preference_of(allow: Option<bool>) -> Preference {
    match allow {
        None => Preference::Unknown,
        Some(true) => Preference::Allowed,
        Some(false) => Preference::Disallowed,
    }
}

/// Splits a list at its commas into keys and values. Empty items are left out.
fn split_items(list: &[u8]) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
    let items = list.split(|&byte| byte == b',').map(trim);
    items.filter(|item| !item.is_empty()).map(split_item)
}

/// Splits an item at its first `=` into key and value.
fn split_item(item: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(b'=', item) {
        Some(equals) => (trim(&item[..equals]), Some(trim(&item[equals + 1..]))),
        None => (item, None),
    }
}

/// Calls `on_preference` with each item of a `Content-Usage` line. A value that is not a dictionary
/// is split at its commas, and all its preferences are unknown.
fn parse_content_usage<'a>(value: &'a [u8], on_preference: &mut impl FnMut(AiPreference<'a>)) {
    let (path, dictionary) = split_path(value);
    let mut on_item = |key, value, preference| {
        let (allow, is_valid) = parse_content_usage_item(key, value);
        on_preference(AiPreference {
            mechanism: Mechanism::ContentUsage,
            path,
            key,
            value,
            allow,
            is_valid,
            preference,
        });
    };
    let mut items = Vec::new();
    if !parse_dictionary(dictionary, &mut items) {
        for (key, value) in split_items(dictionary) {
            on_item(key, value, Some(Preference::Unknown));
        }
        return;
    }
    let mut last_of_key: hashbrown::HashMap<&[u8], usize> = hashbrown::HashMap::new();
    if items.len() > 1 {
        last_of_key.extend(items.iter().enumerate().map(|(i, item)| (item.key, i)));
    }
    for (i, item) in items.iter().enumerate() {
        let end = items.get(i + 1).map_or(dictionary.len(), |next| next.start);
        let text = trim(&dictionary[item.start..end]);
        let text = trim(text.strip_suffix(b",").unwrap_or(text));
        // The first `=` may belong to a parameter, so it is expected directly after the key.
        let value = text[item.key.len()..].strip_prefix(b"=");
        let is_last = last_of_key.get(item.key).is_none_or(|&last| last == i);
        on_item(item.key, value, is_last.then_some(item.preference));
    }
}

/// Parses the value of a line of a mechanism, and calls `on_preference` with each item in order.
pub fn parse_preferences<'a>(
    mechanism: Mechanism,
    value: &'a [u8],
    mut on_preference: impl FnMut(AiPreference<'a>),
) {
    match mechanism {
        Mechanism::ContentUsage => parse_content_usage(value, &mut on_preference),
        Mechanism::ContentSignal => {
            let (path, list) = split_path(value);
            for (key, value) in split_items(list) {
                let (allow, is_valid) = parse_content_signal_item(key, value);
                on_preference(AiPreference {
                    mechanism,
                    path,
                    key,
                    value,
                    allow,
                    is_valid,
                    preference: Some(preference_of(allow)),
                });
            }
        }
        // No line is of this mechanism.
        Mechanism::Any => {}
        Mechanism::RslLicense => on_preference(AiPreference {
            value: Some(value),
            is_valid: starts_with_ignore_case(value, b"https://")
                || starts_with_ignore_case(value, b"http://"),
            ..AiPreference::without_preference(mechanism, b"license")
        }),
        Mechanism::LlmPolicy => on_preference(AiPreference {
            value: Some(value),
            is_valid: !value.is_empty(),
            ..AiPreference::without_preference(mechanism, b"llm-policy")
        }),
        Mechanism::DisallowAiTraining | Mechanism::AllowAiTraining => {
            let allow = Some(mechanism == Mechanism::AllowAiTraining);
            on_preference(AiPreference {
                path: Some(value),
                allow,
                is_valid: value.first() == Some(&b'/'),
                preference: Some(preference_of(allow)),
                ..AiPreference::without_preference(mechanism, b"ai-training")
            })
        }
    }
}

/// Splits a value that begins with `/` into its path, up to the first blank, and the rest. The
/// blanks between them are removed. Any other value has no path (draft-ietf-aipref-attach, ABNF of
/// `content-usage`).
pub(crate) fn split_path(value: &[u8]) -> (Option<&[u8]>, &[u8]) {
    if value.first() != Some(&b'/') {
        return (None, value);
    }
    let len = value
        .iter()
        .position(|&byte| is_blank(byte))
        .unwrap_or(value.len());
    (Some(&value[..len]), trim(&value[len..]))
}

/// Parses an item of `Content-Signal`. Returns [`AiPreference::allow`] and
/// [`AiPreference::is_valid`].
///
/// The values of `search`, `ai-input` and `ai-train` are yes or no; `use` has values of its own.
fn parse_content_signal_item(key: &[u8], value: Option<&[u8]>) -> (Option<bool>, bool) {
    let allow = match value {
        Some(value) if value.eq_ignore_ascii_case(b"yes") => Some(true),
        Some(value) if value.eq_ignore_ascii_case(b"no") => Some(false),
        _ => None,
    };
    let is_key = |name: &[u8]| key.eq_ignore_ascii_case(name);
    let is_valid = if is_key(b"use") {
        value.is_some_and(|value| {
            [&b"immediate"[..], b"reference", b"full"]
                .iter()
                .any(|extent| value.eq_ignore_ascii_case(extent))
        })
    } else {
        allow.is_some() && (is_key(b"search") || is_key(b"ai-input") || is_key(b"ai-train"))
    };
    (allow, is_valid)
}

/// Parses an item of `Content-Usage`. Returns [`AiPreference::allow`] and
/// [`AiPreference::is_valid`].
///
/// Keys are case-sensitive keys of a structured field; values are the tokens `y` and `n`.
fn parse_content_usage_item(key: &[u8], value: Option<&[u8]>) -> (Option<bool>, bool) {
    let token = value.map(|value| trim(value.split(|&byte| byte == b';').next().unwrap_or(value)));
    let allow = match token {
        Some(b"y") => Some(true),
        Some(b"n") => Some(false),
        _ => None,
    };
    let is_label = matches!(key, b"train-ai" | b"ai-use" | b"search");
    (allow, allow.is_some() && is_label)
}

fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = bytes
        && is_blank(*first)
    {
        bytes = rest;
    }
    while let [rest @ .., last] = bytes
        && is_blank(*last)
    {
        bytes = rest;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    type Row<'a> = (&'a str, Option<&'a str>, Option<bool>, bool);

    fn parse_rows(mechanism: Mechanism, value: &str) -> Vec<Row<'_>> {
        let mut rows = Vec::new();
        let text = |bytes| std::str::from_utf8(bytes).unwrap();
        parse_preferences(mechanism, value.as_bytes(), |preference| {
            let value = preference.value.map(text);
            let is_valid = preference.is_valid;
            rows.push((text(preference.key), value, preference.allow, is_valid));
        });
        rows
    }

    #[test]
    fn content_signals_are_parsed_with_and_without_blanks() {
        assert_eq!(
            parse_rows(
                Mechanism::ContentSignal,
                "search=yes,ai-train=no, use=reference"
            ),
            [
                ("search", Some("yes"), Some(true), true),
                ("ai-train", Some("no"), Some(false), true),
                ("use", Some("reference"), None, true),
            ]
        );
        assert_eq!(
            parse_rows(Mechanism::ContentSignal, "ai-train=maybe"),
            [("ai-train", Some("maybe"), None, false)]
        );
        assert_eq!(
            parse_rows(Mechanism::ContentSignal, "ai=no"),
            [("ai", Some("no"), Some(false), false)]
        );
        assert_eq!(
            parse_rows(Mechanism::ContentSignal, "search"),
            [("search", None, None, false)]
        );
        assert!(parse_rows(Mechanism::ContentSignal, " , ").is_empty());
    }

    #[test]
    fn content_usage_may_begin_with_a_path() {
        let mut paths = Vec::new();
        parse_preferences(
            Mechanism::ContentUsage,
            b"/news train-ai=n, search=y",
            |preference| paths.push(preference.path),
        );
        assert_eq!(paths, [Some(&b"/news"[..]), Some(b"/news")]);
        assert_eq!(
            parse_rows(Mechanism::ContentUsage, "ai=n"),
            [("ai", Some("n"), Some(false), false)]
        );
        assert_eq!(
            parse_rows(Mechanism::ContentUsage, "train-ai=n;x=1"),
            [("train-ai", Some("n;x=1"), Some(false), true)]
        );
    }

    /// Returns the preferences of a statement by the vocabulary of September 2026: train-ai, ai-use,
    /// search.
    fn read(value: &str) -> [Preference; 3] {
        let (_, preferences) = read_statement(Vocabulary::content_usage(None), value.as_bytes());
        [preferences[0], preferences[1], preferences[2]]
    }

    #[test]
    fn statements_are_read_as_in_the_draft_of_the_vocabulary() {
        use Preference::{Allowed, Disallowed, Unknown};
        // "Exemplary Serialization Format".
        assert_eq!(read("train-ai=y, search=n"), [Allowed, Unknown, Disallowed]);
        // "Multiple Preferences".
        let unknown = [Unknown; 3];
        assert_eq!(
            read(r#"train-ai=y, train-ai, search=n, search="n""#),
            unknown
        );
        assert_eq!(read("train-ai=n, train-ai=y"), [Allowed, Unknown, Unknown]);
        assert_eq!(read("Train-AI=n, search=n"), unknown);
        // "Preference Parameters".
        assert_eq!(
            read("train-ai;allow=n, train-ai=y"),
            [Allowed, Unknown, Unknown]
        );
        assert_eq!(read(r#"train-ai;has;parameters="?";"#), unknown);
        assert_eq!(
            read("train-ai=n;x=1;y=\"a,b\""),
            [Disallowed, Unknown, Unknown]
        );
        // "Processing Algorithm": values that are no Tokens, and other Tokens.
        for value in [
            "?1", "1", "\"n\"", "(n)", "yes", "N", ":bg==:", "@0", "%\"n\"",
        ] {
            assert_eq!(read(&format!("train-ai={value}")), unknown, "{value}");
        }
        // RFC 9651 §4.2.2: a trailing comma, no comma, blanks, control octets and octets above 0x7F.
        for value in [
            "train-ai=n,",
            "train-ai=n search=n",
            "train-ai =n",
            "train-ai= n",
            "é",
            "\u{7}",
        ] {
            assert_eq!(read(value), unknown, "{value:?}");
        }
        assert_eq!(
            read(" search=n\t,\ttrain-ai=y "),
            [Allowed, Unknown, Disallowed]
        );
        assert_eq!(read(""), unknown);
        // "Syntax Extensions": other labels are ignored.
        assert_eq!(
            read("other=(1 2);a, ai-use=n, x.*_-=y"),
            [Unknown, Disallowed, Unknown]
        );
    }

    #[test]
    fn a_more_general_category_applied_until_november_2025() {
        use Preference::{Allowed, Disallowed, Unknown};
        let october_2025 = Vocabulary::content_usage(Some(1_760_000_000_000));
        let read = |value: &str| {
            let (_, preferences) = read_statement(october_2025, value.as_bytes());
            october_2025
                .categories()
                .zip(preferences)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            read("bots=n, ai-output=y"),
            [
                ("bots", Disallowed),
                ("train-ai", Disallowed),
                ("train-genai", Disallowed),
                ("ai-output", Allowed),
                ("search", Allowed),
            ]
        );
        assert_eq!(read("train-ai=y")[2], ("train-genai", Allowed));
        assert_eq!(read("search=y")[0], ("bots", Unknown));
    }

    #[test]
    fn a_signal_that_is_stated_twice_is_no() {
        use Preference::{Allowed, Disallowed, Unknown};
        let vocabulary = Vocabulary::content_signal();
        let read = |value: &str| read_statement(vocabulary, value.as_bytes()).1;
        let signals = read("search=yes, AI-Train=NO,ai-train=yes, use=full, ai=no");
        assert_eq!(signals[..3], [Allowed, Unknown, Disallowed]);
        assert_eq!(read("ai-train=maybe")[2], Unknown);
    }

    #[test]
    fn items_of_a_dictionary_are_those_of_its_text() {
        let mut items = Vec::new();
        let value = "/a\ttrain-ai=n;x=\"a, b\",search , train-ai=y";
        parse_preferences(Mechanism::ContentUsage, value.as_bytes(), |item| {
            let text = |bytes| std::str::from_utf8(bytes).unwrap();
            items.push((text(item.key), item.value.map(text), item.preference));
        });
        use Preference::{Allowed, Unknown};
        assert_eq!(
            items,
            [
                ("train-ai", Some("n;x=\"a, b\""), None),
                ("search", None, Some(Unknown)),
                ("train-ai", Some("y"), Some(Allowed)),
            ]
        );
        assert!(!is_readable_statement(
            Mechanism::ContentUsage,
            b"/a Train-AI=n"
        ));
        assert!(is_readable_statement(Mechanism::ContentUsage, b"/a"));
    }

    #[test]
    fn content_usage_has_the_labels_of_the_vocabulary() {
        assert_eq!(
            parse_rows(
                Mechanism::ContentUsage,
                "train-ai=y, ai-use=n, search=y, AI-Use=n, bots=n"
            ),
            [
                ("train-ai", Some("y"), Some(true), true),
                ("ai-use", Some("n"), Some(false), true),
                ("search", Some("y"), Some(true), true),
                ("AI-Use", Some("n"), Some(false), false),
                ("bots", Some("n"), Some(false), false),
            ]
        );
    }
}

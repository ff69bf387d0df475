//! Preferences about AI use, and licences.
//!
//! These syntaxes are parsed: Cloudflare's `Content-Signal` (contentsignals.org, with the `use` key
//! of August 2026), the IETF's `Content-Usage` (draft-ietf-aipref-attach of August 2026 and -vocab
//! of September 2026, which has the label `ai-use` again), RSL's `License` (RSL 1.0),
//! `DisallowAITraining` and `AllowAITraining` (draft-canel-robots-ai-control), and `LLM-Policy`.
//! They are parsed in every group and have no effect on access.

use crate::agent_name::is_blank;
use crate::parse::template::starts_with_ignore_case;

/// The syntax of a preference.
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
        }
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

/// One item of a preference line: a key and its value. All texts are slices of the value of the
/// line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AiPreference<'a> {
    /// The syntax of the line.
    pub mechanism: Mechanism,
    /// The path to which the preference is limited; `None` for the whole site.
    pub path: Option<&'a [u8]>,
    /// The key as written. It names the use that is allowed or not.
    pub key: &'a [u8],
    /// The value, as written, if there is one.
    pub value: Option<&'a [u8]>,
    /// True if the value is yes, false if it is no, and `None` for any other value.
    pub allow: Option<bool>,
    /// True if the current draft defines the key and the value.
    pub is_valid: bool,
}

/// Parses the preferences in the value of a line, and calls `on_preference` with each of them in
/// order.
pub fn parse_preferences<'a>(
    mechanism: Mechanism,
    value: &'a [u8],
    mut on_preference: impl FnMut(AiPreference<'a>),
) {
    match mechanism {
        Mechanism::ContentSignal | Mechanism::ContentUsage => {
            let (path, list) = split_path(value);
            for item in list.split(|&byte| byte == b',') {
                let item = trim(item);
                if item.is_empty() {
                    continue;
                }
                let (key, item_value) = match memchr::memchr(b'=', item) {
                    Some(equals) => (trim(&item[..equals]), Some(trim(&item[equals + 1..]))),
                    None => (item, None),
                };
                let (allow, is_valid) = if mechanism == Mechanism::ContentSignal {
                    parse_content_signal_item(key, item_value)
                } else {
                    parse_content_usage_item(key, item_value)
                };
                on_preference(AiPreference {
                    mechanism,
                    path,
                    key,
                    value: item_value,
                    allow,
                    is_valid,
                });
            }
        }
        Mechanism::RslLicense => on_preference(AiPreference {
            mechanism,
            path: None,
            key: b"license",
            value: Some(value),
            allow: None,
            is_valid: starts_with_ignore_case(value, b"https://")
                || starts_with_ignore_case(value, b"http://"),
        }),
        Mechanism::LlmPolicy => on_preference(AiPreference {
            mechanism,
            path: None,
            key: b"llm-policy",
            value: Some(value),
            allow: None,
            is_valid: !value.is_empty(),
        }),
        Mechanism::DisallowAiTraining | Mechanism::AllowAiTraining => on_preference(AiPreference {
            mechanism,
            path: Some(value),
            key: b"ai-training",
            value: None,
            allow: Some(mechanism == Mechanism::AllowAiTraining),
            is_valid: value.first() == Some(&b'/'),
        }),
    }
}

/// Splits off a path up to the first blank, if the value begins with `/`.
fn split_path(value: &[u8]) -> (Option<&[u8]>, &[u8]) {
    if value.first() != Some(&b'/') {
        return (None, value);
    }
    let len = value
        .iter()
        .position(|&byte| is_blank(byte))
        .unwrap_or(value.len());
    (Some(&value[..len]), &value[len..])
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

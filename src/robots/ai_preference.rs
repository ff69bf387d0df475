//! Statements on AI use and licences.
//!
//! Four syntaxes are read: Cloudflare's `ContentClass-Signal`
//! (contentsignals.org, with the `use` key of August 2026), the IETF's
//! `ContentClass-Usage` (draft-ietf-aipref-attach and -vocab of August 2026), RSL's
//! `License` (RSL 1.0), and `DisallowAITraining` with its counterpart
//! (draft-canel-robots-ai-control). All are read in any group, none decides
//! access.

use crate::agent_name::is_blank;
use crate::parse::template::starts_with_ignore_case;

/// The syntax of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// `ContentClass-Signal: search=yes, ai-train=no`.
    ContentSignal,
    /// `ContentClass-Usage: /path train-ai=n`.
    ContentUsage,
    /// `License: https://example.com/license.xml`.
    RslLicense,
    /// `DisallowAITraining: /path`.
    DisallowAiTraining,
    /// `AllowAITraining: /path`.
    AllowAiTraining,
    /// `LLM-Policy: /llms.txt` and its kin.
    LlmPolicy,
}

impl Mechanism {
    /// The word that stands in the tables.
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

    /// Reads the mechanism of a canonical directive name.
    pub fn of_directive(name: &str) -> Option<Self> {
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

/// One key of one statement. All slices lie in the line's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AiPreference<'a> {
    /// The syntax it was read by.
    pub mechanism: Mechanism,
    /// The path that it is limited to.
    pub path: Option<&'a [u8]>,
    /// What is spoken of, as written.
    pub key: &'a [u8],
    /// What is said of it, as written; `None` where nothing is.
    pub value: Option<&'a [u8]>,
    /// The same as a yes or no, where it is one.
    pub allow: Option<bool>,
    /// Whether key and value are defined by the current text of the draft.
    pub is_valid: bool,
}

/// Reads the preferences of a line's value, in order.
pub fn preferences<'a>(
    mechanism: Mechanism,
    value: &'a [u8],
    mut each: impl FnMut(AiPreference<'a>),
) {
    match mechanism {
        Mechanism::ContentSignal | Mechanism::ContentUsage => {
            let (path, list) = split_path(value);
            for item in list.split(|&byte| byte == b',') {
                let item = trim(item);
                if item.is_empty() {
                    continue;
                }
                let (key, said) = match memchr::memchr(b'=', item) {
                    Some(at) => (trim(&item[..at]), Some(trim(&item[at + 1..]))),
                    None => (item, None),
                };
                let (allow, is_valid) = if mechanism == Mechanism::ContentSignal {
                    signal(key, said)
                } else {
                    usage(key, said)
                };
                each(AiPreference {
                    mechanism,
                    path,
                    key,
                    value: said,
                    allow,
                    is_valid,
                });
            }
        }
        Mechanism::RslLicense => each(AiPreference {
            mechanism,
            path: None,
            key: b"license",
            value: Some(value),
            allow: None,
            is_valid: starts_with_ignore_case(value, b"https://")
                || starts_with_ignore_case(value, b"http://"),
        }),
        Mechanism::LlmPolicy => each(AiPreference {
            mechanism,
            path: None,
            key: b"llm-policy",
            value: Some(value),
            allow: None,
            is_valid: !value.is_empty(),
        }),
        Mechanism::DisallowAiTraining | Mechanism::AllowAiTraining => each(AiPreference {
            mechanism,
            path: Some(value),
            key: b"ai-training",
            value: None,
            allow: Some(mechanism == Mechanism::AllowAiTraining),
            is_valid: value.first() == Some(&b'/'),
        }),
    }
}

/// A path before the first blank, if the value begins with `/`.
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

/// `search`, `ai-input`, `ai-train` say yes or no; `use` says how much.
fn signal(key: &[u8], value: Option<&[u8]>) -> (Option<bool>, bool) {
    let allow = match value {
        Some(value) if value.eq_ignore_ascii_case(b"yes") => Some(true),
        Some(value) if value.eq_ignore_ascii_case(b"no") => Some(false),
        _ => None,
    };
    let is = |name: &[u8]| key.eq_ignore_ascii_case(name);
    let is_valid = if is(b"use") {
        value.is_some_and(|value| {
            [&b"immediate"[..], b"reference", b"full"]
                .iter()
                .any(|use_| value.eq_ignore_ascii_case(use_))
        })
    } else {
        allow.is_some() && (is(b"search") || is(b"ai-input") || is(b"ai-train"))
    };
    (allow, is_valid)
}

/// Labels of the vocabulary are case-sensitive keys of a structured field;
/// their values are the tokens `y` and `n`.
fn usage(key: &[u8], value: Option<&[u8]>) -> (Option<bool>, bool) {
    let token = value.map(|value| trim(value.split(|&byte| byte == b';').next().unwrap_or(value)));
    let allow = match token {
        Some(b"y") => Some(true),
        Some(b"n") => Some(false),
        _ => None,
    };
    (
        allow,
        allow.is_some() && (key == b"train-ai" || key == b"search"),
    )
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

    fn rows(mechanism: Mechanism, value: &str) -> Vec<Row<'_>> {
        let mut rows = Vec::new();
        let text = |bytes| std::str::from_utf8(bytes).unwrap();
        preferences(mechanism, value.as_bytes(), |it| {
            rows.push((text(it.key), it.value.map(text), it.allow, it.is_valid));
        });
        rows
    }

    #[test]
    fn content_signals_are_read_with_and_without_blanks() {
        assert_eq!(
            rows(
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
            rows(Mechanism::ContentSignal, "ai-train=maybe"),
            [("ai-train", Some("maybe"), None, false)]
        );
        assert_eq!(
            rows(Mechanism::ContentSignal, "ai=no"),
            [("ai", Some("no"), Some(false), false)]
        );
        assert_eq!(
            rows(Mechanism::ContentSignal, "search"),
            [("search", None, None, false)]
        );
        assert!(rows(Mechanism::ContentSignal, " , ").is_empty());
    }

    #[test]
    fn content_usage_may_begin_with_a_path() {
        let mut paths = Vec::new();
        preferences(
            Mechanism::ContentUsage,
            b"/news train-ai=n, search=y",
            |it| paths.push(it.path),
        );
        assert_eq!(paths, [Some(&b"/news"[..]), Some(b"/news")]);
        assert_eq!(
            rows(Mechanism::ContentUsage, "ai=n"),
            [("ai", Some("n"), Some(false), false)]
        );
        assert_eq!(
            rows(Mechanism::ContentUsage, "train-ai=n;x=1"),
            [("train-ai", Some("n;x=1"), Some(false), true)]
        );
    }
}

//! Warnings about values of `--agent` that are probably not the intended name: whole
//! User-Agent headers, and names that are nearly those of known crawlers.
//!
//! Any name is accepted, because a robots.txt may name any crawler. The name in a header
//! of a browser-like crawler is `Mozilla`, so its answer is for another crawler.

use crate::session::Session;
use crate::shell::quoted;
use robots_scan::crawler::DialectChoice;
use robots_scan::crawler::registry::{CrawlerEntry, CrawlerRegistry, whole_name};

/// A warning, and a hint if there is a suggestion.
#[derive(Debug, PartialEq, Eq)]
struct Advice {
    warning: String,
    hint: Option<String>,
}

/// Prints warnings about the values of `--agent`.
pub(crate) fn warn(
    agents: &[String],
    registry: &CrawlerRegistry,
    choice: DialectChoice,
    session: &Session,
) {
    for advice in advice(agents, registry, choice) {
        session.warning(&advice.warning);
        if let Some(hint) = advice.hint {
            session.hint(&hint);
        }
    }
}

/// Returns a warning about a name that is a whole User-Agent header.
pub fn header_warning(
    agent: &str,
    registry: &CrawlerRegistry,
    choice: DialectChoice,
) -> Option<String> {
    is_header(agent).then(|| {
        let parts = [agent.to_owned()];
        of_header(agent, &parts, registry, choice).warning
    })
}

fn advice(agents: &[String], registry: &CrawlerRegistry, choice: DialectChoice) -> Vec<Advice> {
    let mut found = Vec::new();
    let mut rest = agents;
    while !rest.is_empty() {
        let (agent, tail) = rest.split_at(header_parts(rest));
        rest = tail;
        let text = agent.join(", ");
        found.extend(match is_header(&text) {
            true => Some(of_header(&text, agent, registry, choice)),
            false => of_name(&text, registry),
        });
    }
    found
}

/// Returns the number of values that are one header, which `--agent` separates at the
/// commas in it: `(KHTML, like Gecko)`.
fn header_parts(agents: &[String]) -> usize {
    let mut depth = 0;
    for (i, agent) in agents.iter().enumerate() {
        depth += agent.matches('(').count();
        depth = depth.saturating_sub(agent.matches(')').count());
        if depth == 0 {
            return i + 1;
        }
    }
    1
}

/// Returns true if a value has a comment, or anything else after a name and its version.
fn is_header(agent: &str) -> bool {
    let after_name = agent.split_once('/').map(|(_, rest)| rest);
    agent.contains('(') || after_name.is_some_and(|rest| rest.contains(char::is_whitespace))
}

/// Returns the advice for a header, which is separated into `parts`.
fn of_header(
    header: &str,
    parts: &[String],
    registry: &CrawlerRegistry,
    choice: DialectChoice,
) -> Advice {
    let entry = |name: &str| registry.crawlers.iter().find(|entry| entry.agent == name);
    let names: Vec<String> = parts.iter().map(|part| whole_name(part)).collect();
    let own = entry(&names[0]);
    let used: Vec<String> = names
        .iter()
        .map(|name| entry(name).map_or(name.clone(), |entry| entry.token.clone()))
        .collect();
    let used = match (choice, &*used) {
        (DialectChoice::Dialect(_), _) => "not the name of a crawler".to_owned(),
        (DialectChoice::Default, [name]) => format!("its name '{name}' is used"),
        (DialectChoice::Default, names) => format!("its names '{}' are used", names.join("', '")),
    };
    let is_answered = choice == DialectChoice::Default && parts.len() == 1;
    let suggestion = match own {
        Some(_) if is_answered => None,
        Some(own) => Some(own),
        None => token_in(header, registry),
    };
    let use_agent = |entry: &CrawlerEntry| format!("use --agent {}", quoted(&entry.token));
    let is_browser = || names[0] == "mozilla";
    let general = "give the name that the crawler looks for in robots.txt, such as GPTBot";
    Advice {
        warning: format!("'{header}' is a User-Agent header: {used}"),
        hint: suggestion
            .map(use_agent)
            .or_else(|| (own.is_none() && is_browser()).then(|| general.to_owned())),
    }
}

/// Returns the crawler whose token is in a header, preferably with a version after it,
/// and otherwise the longest. Tokens in URLs are names of sites.
fn token_in<'a>(header: &str, registry: &'a CrawlerRegistry) -> Option<&'a CrawlerEntry> {
    let header = header.to_ascii_lowercase();
    let is_url = |word: &&str| word.contains("://") || word.starts_with("www.");
    let words: Vec<&str> = header.split([' ', ';', '(', ')', ',', '+']).collect();
    let text = words
        .into_iter()
        .filter(|word| !is_url(word))
        .collect::<Vec<_>>()
        .join(" ");
    let crawlers = registry.crawlers.iter();
    let ranked = crawlers.filter_map(|entry| {
        let after = after_token(&text, &entry.token.to_ascii_lowercase())?;
        let has_version = after.starts_with('/');
        Some((has_version, entry.token.len(), entry))
    });
    let best = ranked.max_by_key(|&(has_version, len, _)| (has_version, len));
    best.map(|(_, _, entry)| entry)
}

/// Returns the text after a token that is not part of a longer one.
fn after_token<'a>(text: &'a str, token: &str) -> Option<&'a str> {
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.');
    let mut occurrences = text.match_indices(token);
    occurrences.find_map(|(i, _)| {
        let (before, after) = (&text[..i], &text[i + token.len()..]);
        let is_whole = !before.ends_with(is_part) && !after.starts_with(is_part);
        is_whole.then_some(after)
    })
}

/// Returns the advice for a name that is not registered, if it is another spelling of one that is, or
/// has one typing error, or two in eight letters or more.
fn of_name(agent: &str, registry: &CrawlerRegistry) -> Option<Advice> {
    let name = whole_name(agent);
    let advice = |entry: &CrawlerEntry| Advice {
        warning: format!("'{agent}' is not in the registry of crawlers"),
        hint: Some(format!("did you mean '{}'?", entry.token)),
    };
    let crawlers = registry.crawlers.iter();
    if crawlers.clone().any(|entry| entry.agent == name) {
        return None;
    }
    let is_spelling = |entry: &&CrawlerEntry| {
        let mut spellings = entry.other_spellings.iter();
        spellings.any(|spelling| whole_name(spelling) == name)
    };
    if let Some(entry) = crawlers.clone().find(is_spelling) {
        return Some(advice(entry));
    }
    let most = match name.chars().count() {
        0..4 => return None,
        4..8 => 1,
        _ => 2,
    };
    let distances = crawlers.map(|entry| (strsim::osa_distance(&name, &entry.agent), entry));
    let (distance, entry) = distances.min_by_key(|&(distance, _)| distance)?;
    (distance <= most).then(|| advice(entry))
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots::Dialect;

    /// The warnings and hints for the values that `--agent` makes of a text.
    fn messages(text: &str, choice: DialectChoice) -> Vec<(String, Option<String>)> {
        let agents: Vec<String> = text.split(',').map(|part| part.trim().to_owned()).collect();
        let found = advice(&agents, &CrawlerRegistry::built_in(), choice);
        let pair = |advice: Advice| (advice.warning, advice.hint);
        found.into_iter().map(pair).collect()
    }

    /// The end of the only warning, and the hint.
    fn message(text: &str) -> (String, Option<String>) {
        let mut found = messages(text, DialectChoice::Default);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        let (warning, hint) = found.remove(0);
        let used = warning.rsplit(": ").next().unwrap().to_owned();
        (used, hint)
    }

    #[test]
    fn the_token_in_a_header_is_suggested() {
        let browser = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ";
        for (header, token) in [
            (
                "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
                "GPTBot",
            ),
            (
                "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
                "YandexBot",
            ),
            (
                "Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)",
                "archive.org_bot",
            ),
            (
                "Mozilla/5.0 (compatible; special_archiver/3.1.1 +http://www.archive.org/details/archive.org_bot)",
                "special_archiver",
            ),
            (
                "Mozilla/5.0 (Macintosh) Version/17.4 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)",
                "Applebot",
            ),
            (
                "Mozilla/5.0 (compatible; Googlebot-News; +http://www.google.com/bot.html)",
                "Googlebot-News",
            ),
            (
                "Mozilla/5.0 (compatible) Sogou web spider/4.0",
                "'Sogou web spider'",
            ),
        ] {
            let hint = Some(format!("use --agent {token}"));
            assert_eq!(
                message(header),
                ("its name 'mozilla' is used".to_owned(), hint)
            );
        }
        let used = "its names 'mozilla', 'like gecko' are used".to_owned();
        assert_eq!(
            message(&format!(
                "{browser}ChatGPT-User/1.0; +https://openai.com/bot)"
            )),
            (used.clone(), Some("use --agent ChatGPT-User".to_owned()))
        );
        let (_, hint) = message(&format!("{browser}unknown)"));
        assert!(hint.unwrap().starts_with("give the name"));
    }

    #[test]
    fn the_name_of_a_header_that_begins_with_it_is_told() {
        for (header, name) in [
            ("CCBot/2.0 (https://commoncrawl.org/faq/)", "CCBot"),
            (
                "Googlebot/2.1 (+http://www.google.com/bot.html)",
                "Googlebot",
            ),
            ("ccbot (archive)", "CCBot"),
            ("my-crawler/1.0 (+https://example.com/)", "my-crawler"),
            ("Wget/1.21 libfoo/2", "wget"),
        ] {
            assert_eq!(
                message(header),
                (format!("its name '{name}' is used"), None)
            );
        }
        let google = DialectChoice::Dialect(Dialect::Google);
        let header = "CCBot/2.0 (https://commoncrawl.org/faq/)";
        let warning = format!("'{header}' is a User-Agent header: not the name of a crawler");
        let hint = Some("use --agent CCBot".to_owned());
        assert_eq!(messages(header, google), [(warning, hint)]);
    }

    #[test]
    fn names_with_or_without_a_version_need_no_warning() {
        for name in [
            "GPTBot",
            "GPTBot/1.0",
            "gptbot",
            "*",
            "Googlebot*",
            "Brightbot 1.0",
            "x",
            "foobot",
            "Sogou web spider/4.0",
            "my-own-crawler",
            "GPTBot,CCBot/2.0",
        ] {
            assert_eq!(messages(name, DialectChoice::Default), [], "{name}");
        }
    }

    #[test]
    fn a_name_with_a_typing_error_or_another_spelling_is_corrected() {
        for (name, token) in [
            ("Terra Cotta", "TerraCotta"),
            ("panscient.com/1.0", "Panscient"),
            ("kendrabot", "amazon-kendra"),
            ("gptbto", "GPTBot"),
            ("GPTBt/1.0", "GPTBot"),
            ("Claudbot", "ClaudeBot"),
            ("perplexitbto", "PerplexityBot"),
        ] {
            let warning = format!("'{name}' is not in the registry of crawlers");
            let hint = Some(format!("did you mean '{token}'?"));
            assert_eq!(messages(name, DialectChoice::Default), [(warning, hint)]);
        }
    }

    #[test]
    fn other_values_beside_a_header_are_read_alone() {
        let text = "gptbto,Mozilla/5.0 (KHTML, like Gecko) CCBot/2.0,ClaudeBot";
        assert_eq!(messages(text, DialectChoice::Default).len(), 2);
        // A parenthesis that is not closed.
        let text = "Mozilla/5.0 (GPTBot,gptbto";
        assert_eq!(messages(text, DialectChoice::Default).len(), 2);
    }
}

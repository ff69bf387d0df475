//! Warnings about values of `--agent` that are probably not the intended name: whole
//! User-Agent headers, and names that are nearly those of known crawlers.
//!
//! Any name is accepted, because a robots.txt may name any crawler. The name in a header
//! of a browser-like crawler is `Mozilla`, so its answer is for another crawler.

use crate::caller::Caller;
use crate::escape::quote_for_shell;
use dataset::crawler::DialectChoice;
use dataset::crawler::registry::{CrawlerEntry, CrawlerRegistry, whole_name};

/// Prints warnings about the values of `--agent`, which are separated at commas.
pub(crate) fn warn_about_agents(
    agents: &[String],
    registry: &CrawlerRegistry,
    choice: DialectChoice,
    caller: &Caller,
) {
    for agent in agents {
        if let Some(warning) = header_warning(agent, registry, choice) {
            caller.warn(&warning);
            let header = agents.join(", ");
            let is_other = |entry: &&CrawlerEntry| {
                choice != DialectChoice::Default || whole_name(agent) != entry.agent
            };
            if let Some(entry) = find_token_in_header(&header, registry).filter(is_other) {
                caller.hint(&format!("use --agent {}", quote_for_shell(&entry.token)));
            }
            // The values after it may be parts of the header: `(KHTML, like Gecko)`.
            return;
        }
        if let Some(entry) = find_near_name(agent, registry) {
            caller.warn(&format!("'{agent}' is not in the registry of crawlers"));
            caller.hint(&format!("did you mean '{}'?", entry.token));
        }
    }
}

/// Returns a warning about a name that is a whole User-Agent header: it has a comment, or anything else
/// after a name and its version.
fn header_warning(
    agent: &str,
    registry: &CrawlerRegistry,
    choice: DialectChoice,
) -> Option<String> {
    let after_name = agent.split_once('/').map(|(_, rest)| rest);
    let is_header =
        agent.contains('(') || after_name.is_some_and(|rest| rest.contains(char::is_whitespace));
    let name = whole_name(agent);
    let mut crawlers = registry.crawlers.iter();
    let known = crawlers.find(|entry| entry.agent == name);
    let used = match choice {
        DialectChoice::Dialect(_) => "not the name of a crawler".to_owned(),
        DialectChoice::Default => {
            let name = known.map_or(name, |entry| entry.token.clone());
            format!("its name '{name}' is used")
        }
    };
    is_header.then(|| format!("'{agent}' is a User-Agent header: {used}"))
}

/// Returns the crawler whose token is a word of a header, the longest first.
fn find_token_in_header<'a>(
    header: &str,
    registry: &'a CrawlerRegistry,
) -> Option<&'a CrawlerEntry> {
    let words = header.split([' ', ';', '(', ')', ',', '/']);
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    let crawlers = registry.crawlers.iter();
    let named = crawlers.filter(|entry| words.contains(&entry.token.to_lowercase()));
    named.max_by_key(|entry| entry.token.len())
}

/// Returns the crawler that is probably meant by a name that is not registered: the name is another
/// spelling of its name, or differs by one typing error, or by two if it has eight letters or more.
fn find_near_name<'a>(agent: &str, registry: &'a CrawlerRegistry) -> Option<&'a CrawlerEntry> {
    let name = whole_name(agent);
    let crawlers = registry.crawlers.iter();
    if crawlers.clone().any(|entry| entry.agent == name) {
        return None;
    }
    let is_spelling = |entry: &&CrawlerEntry| {
        let mut spellings = entry.other_spellings.iter();
        spellings.any(|spelling| whole_name(spelling) == name)
    };
    if let Some(entry) = crawlers.clone().find(is_spelling) {
        return Some(entry);
    }
    let most = match name.chars().count() {
        0..4 => return None,
        4..8 => 1,
        _ => 2,
    };
    let distances = crawlers.map(|entry| (strsim::osa_distance(&name, &entry.agent), entry));
    let (distance, entry) = distances.min_by_key(|&(distance, _)| distance)?;
    (distance <= most).then_some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_in_a_header_is_suggested() {
        let registry = CrawlerRegistry::built_in();
        let token =
            |header| find_token_in_header(header, &registry).map(|entry| entry.token.clone());
        for (header, expected) in [
            (
                "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
                "GPTBot",
            ),
            (
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://x) Chrome/1",
                "bingbot",
            ),
            (
                "Mozilla/5.0 (compatible; Googlebot-News; +http://www.google.com/bot.html)",
                "Googlebot-News",
            ),
        ] {
            assert_eq!(token(header).as_deref(), Some(expected), "{header}");
        }
        assert_eq!(token("Mozilla/5.0 (X11) Gecko/20100101"), None);
    }

    #[test]
    fn a_name_with_a_typing_error_or_another_spelling_is_corrected() {
        let registry = CrawlerRegistry::built_in();
        let near = |name| find_near_name(name, &registry).map(|entry| entry.token.clone());
        for (name, expected) in [
            ("gptbto", Some("GPTBot")),
            ("Googlebto", Some("Googlebot")),
            ("GPTBot/1.0", None),
            ("my-crawler", None),
            ("*", None),
        ] {
            assert_eq!(near(name).as_deref(), expected, "{name}");
        }
    }
}

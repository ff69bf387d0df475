//! Checks the values of `--agent`: refuses names that are not in the registry, which are probably misspelt,
//! and warns about whole User-Agent headers.
//!
//! A robots.txt may name any crawler, so `--any-name` accepts every name. The header of a crawler that imitates a
//! browser begins with `Mozilla`, so this would be the name whose rules are evaluated. The macro `check_agent` of
//! macros.sql accepts the same names.

use crate::calls::caller::Caller;
use crate::calls::exit::UsageError;
use answers::check::CheckReport;
use crawlers::DialectChoice;
use crawlers::{CrawlerEntry, CrawlerRegistry, whole_name};
use escapes::quote_for_shell;

/// The values of `--agent`, split at commas, and the settings by which they are checked.
pub(crate) struct AgentNames<'a> {
    pub(crate) agents: &'a [String],
    pub(crate) registry: &'a CrawlerRegistry,
    pub(crate) dialect: DialectChoice,
    /// True if names that are not in the registry are accepted.
    pub(crate) is_any_accepted: bool,
}

impl AgentNames<'_> {
    /// Returns an error if a name is not in the registry, and warns about headers.
    pub(crate) fn check(&self, caller: &Caller) -> Result<(), UsageError> {
        self.check_with(&|_| false, "", caller)
    }

    /// Checks the names as [`Self::check`] does, but also accepts names that have groups in the robots.txt of the
    /// report.
    pub(crate) fn check_in(&self, report: &CheckReport) -> Result<(), UsageError> {
        let is_in_file = |name: &str| {
            let mut agents = report.agents.iter();
            agents.any(|agent| agent.verdict.decided_by.as_deref() == Some(name))
        };
        let elsewhere = ", and this robots.txt does not name it";
        self.check_with(&is_in_file, elsewhere, &Caller::Terminal)
    }

    /// Checks the names. `elsewhere` is appended to the error about a name that is not in the registry.
    fn check_with(
        &self,
        is_in_file: &dyn Fn(&str) -> bool,
        elsewhere: &str,
        caller: &Caller,
    ) -> Result<(), UsageError> {
        for agent in self.agents {
            let name = whole_name(agent);
            let is_known = self.is_any_accepted
                || name == "*"
                || find_entry(&name, self.registry).is_some()
                || is_in_file(&name);
            if let Some(warning) = header_warning(agent, self.registry, self.dialect) {
                let hint = self.header_hint(agent);
                if !is_known {
                    let text =
                        format!("'{agent}' is a User-Agent header, not the name of a crawler");
                    let hint = hint
                        .unwrap_or_else(|| "give the name that robots.txt files use".to_owned());
                    return Err(UsageError::with_hint(text, hint));
                }
                caller.warn(&warning);
                if let Some(hint) = hint {
                    caller.hint(&hint);
                }
                // The next values may be parts of the same header, which was split at its commas:
                // `(KHTML, like Gecko)`.
                return Ok(());
            }
            if !is_known {
                let text = format!("'{agent}' is not in the registry of crawlers{elsewhere}");
                let advice = match find_near_name(agent, self.registry) {
                    Some(entry) => format!("did you mean '{}'?", entry.token),
                    None => "robots-scan agents prints the registry;".to_owned(),
                };
                let hint = format!("{advice} --any-name accepts any name");
                return Err(UsageError::with_hint(text, hint));
            }
        }
        Ok(())
    }

    /// Returns the hint to use the registry's token that a header contains; `None` if the header contains no token,
    /// or if its token is used already.
    fn header_hint(&self, agent: &str) -> Option<String> {
        let entry = find_token_in_header(&self.agents.join(", "), self.registry)?;
        let is_other = self.dialect != DialectChoice::Default || whole_name(agent) != entry.agent;
        is_other.then(|| format!("use --agent {}", quote_for_shell(&entry.token)))
    }
}

/// Returns the crawler of the registry with this whole name.
fn find_entry<'a>(name: &str, registry: &'a CrawlerRegistry) -> Option<&'a CrawlerEntry> {
    registry.crawlers.iter().find(|entry| entry.agent == name)
}

/// Returns a warning if `agent` is a whole User-Agent header, which has a comment in parentheses, or more words after
/// `name/version`.
fn header_warning(
    agent: &str,
    registry: &CrawlerRegistry,
    choice: DialectChoice,
) -> Option<String> {
    let after_name = agent.split_once('/').map(|(_, rest)| rest);
    let is_header =
        agent.contains('(') || after_name.is_some_and(|rest| rest.contains(char::is_whitespace));
    let name = whole_name(agent);
    let known = find_entry(&name, registry);
    let used = match choice {
        DialectChoice::Dialect(_) => "not the name of a crawler".to_owned(),
        DialectChoice::Default => {
            let name = known.map_or(name, |entry| entry.token.clone());
            format!("its name '{name}' is used")
        }
    };
    is_header.then(|| format!("'{agent}' is a User-Agent header: {used}"))
}

/// Returns the crawler whose token is a word of a header; if there are several, the one with the longest token.
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

/// Returns the crawler of the registry that an unknown name probably means: the crawler that has the name among its
/// other spellings, otherwise the one whose name differs by the fewest typing errors. A name of 4 to 7 characters may
/// have one error, a longer one two.
fn find_near_name<'a>(agent: &str, registry: &'a CrawlerRegistry) -> Option<&'a CrawlerEntry> {
    let name = whole_name(agent);
    let crawlers = registry.crawlers.iter();
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
            ("my-crawler", None),
            ("*", None),
        ] {
            assert_eq!(near(name).as_deref(), expected, "{name}");
        }
    }
}

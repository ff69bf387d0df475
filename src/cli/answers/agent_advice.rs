//! Checks the values of `--agent`: refuses names that are not in the registry, which are probably misspelt,
//! and what is not the name of one crawler.
//!
//! A robots.txt may name any crawler, so `--any-name` accepts every name. The macro `check_agent` of macros.sql accepts
//! the same names.

use crate::calls::exit::UsageError;
use answers::check::CheckReport;
use crawlers::{CrawlerEntry, CrawlerRegistry, Refusal, whole_name};

/// The values of `--agent`, split at commas, and the settings by which they are checked.
pub(crate) struct AgentNames<'a> {
    pub(crate) agents: &'a [String],
    pub(crate) registry: &'a CrawlerRegistry,
    /// True if names that are not in the registry are accepted.
    pub(crate) is_any_accepted: bool,
}

impl AgentNames<'_> {
    /// Returns an error if a value is not the name of one crawler, or not in the registry.
    pub(crate) fn check(&self) -> Result<(), UsageError> {
        let mut checked = self.agents.iter();
        self.refuse(checked.find_map(|agent| self.registry.check_agent_name(agent).err()))?;
        self.check_known(&|_| false, "")
    }

    /// Checks the names as [`Self::check`] does, but also accepts names that have groups in the robots.txt of the
    /// report.
    pub(crate) fn check_in(&self, report: &CheckReport) -> Result<(), UsageError> {
        let mut agents = report.agents.iter();
        self.refuse(agents.find_map(|agent| agent.refusal.clone()))?;
        let is_in_file = |name: &str| {
            let mut agents = report.agents.iter();
            agents.any(|agent| agent.verdict.decided_by.as_deref() == Some(name))
        };
        let elsewhere = ", and this robots.txt does not name it";
        self.check_known(&is_in_file, elsewhere)
    }

    /// Returns the error for a value that is refused. A header may have been split at the commas of its comment:
    /// `(KHTML, like Gecko)`.
    fn refuse(&self, refusal: Option<Refusal>) -> Result<(), UsageError> {
        let Some(refusal) = refusal else {
            return Ok(());
        };
        let mut agents = self.agents.iter();
        let is_split = agents.any(|agent| agent.contains('(') && !agent.contains(')'));
        let whole = is_split.then(|| self.registry.check_agent_name(&self.agents.join(", ")));
        let Refusal { text, hint } = whole.and_then(Result::err).unwrap_or(refusal);
        Err(UsageError::with_hint(text, hint))
    }

    /// Checks that names are known. `elsewhere` is appended to the error about a name that is not in the registry.
    fn check_known(
        &self,
        is_in_file: &dyn Fn(&str) -> bool,
        elsewhere: &str,
    ) -> Result<(), UsageError> {
        for agent in self.agents {
            let name = whole_name(agent);
            let is_known = self.is_any_accepted
                || name == "*"
                || find_entry(&name, self.registry).is_some()
                || is_in_file(&name);
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
}

/// Returns the crawler of the registry with this whole name.
fn find_entry<'a>(name: &str, registry: &'a CrawlerRegistry) -> Option<&'a CrawlerEntry> {
    registry.crawlers.iter().find(|entry| entry.agent == name)
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

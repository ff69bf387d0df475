//! Crawlers: their names, the crawlers whose groups they fall back to, and the
//! policy that a robots.txt has for them.
//!
//! Input: the name of a crawler, and a parsed robots.txt. Output: its policy. The package reads no files and has
//! no tables.
//!
//! [`CrawlerRegistry`] is the list of known crawlers. [`Crawler`] is one crawler with the
//! properties of its entry in the registry. [`Crawler::policy`] is the only
//! place that decides which groups of a robots.txt apply to a crawler. [`ParsedBodies`]
//! keeps bodies and policies for the rows of SQL engines. [`Refusal`] is the reason why an argument is refused.

mod arguments;
mod category_choice;
mod parsed_bodies;
mod registry;
mod sent_url;

pub use arguments::{Refusal, check_body, check_row, check_url};
pub use category_choice::CategoryChoice;
pub use parsed_bodies::{ParsedBodies, ParsedBody, RowBodies, RowResponse, check_status};
pub use registry::{CrawlerEntry, CrawlerRegistry, whole_name};
pub use sent_url::sent_url;

use robots::{
    Access, Audience, Basis, Dialect, Mechanism, Parser, Policy, RobotsTxt, StatusEffect,
    UrlPreference, Verdict, Vocabulary, audience,
};
use std::borrow::Cow;

/// How a robots.txt is interpreted: by the default rules of robots-scan, or by one dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialectChoice {
    /// Google's rules, but product tokens are compared as a whole, and the
    /// fallbacks of the registry of crawlers apply.
    Default,
    /// One dialect, without fallbacks.
    Dialect(Dialect),
}

impl DialectChoice {
    /// Returns the name of the choice as it appears in input and output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Dialect(dialect) => dialect.name(),
        }
    }

    /// Returns the dialect that determines the effect of an HTTP status.
    pub fn dialect(self) -> Dialect {
        match self {
            Self::Default => Dialect::Google,
            Self::Dialect(dialect) => dialect,
        }
    }
}

/// A crawler, with the names that it obeys according to the registry.
#[derive(Clone, Debug)]
pub struct Crawler {
    agent: String,
    names: Vec<String>,
    ignores_wildcard: bool,
}

impl Crawler {
    /// Looks up a crawler in the registry. A crawler that is not in it has no fallbacks.
    pub fn new(registry: &CrawlerRegistry, agent: &str) -> Self {
        let name = whole_name(agent);
        let entry = registry.crawlers.iter().find(|entry| entry.agent == name);
        let mut names = vec![name];
        names.extend(
            entry
                .iter()
                .flat_map(|entry| entry.fallbacks.iter().cloned()),
        );
        Self {
            agent: agent.to_owned(),
            names,
            ignores_wildcard: entry.is_some_and(|entry| entry.ignores_wildcard),
        }
    }

    /// Returns the name as it was given to [`Crawler::new`].
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// Returns the whole name, in lower case.
    pub fn whole_name(&self) -> &str {
        &self.names[0]
    }

    /// Returns the names whose groups the crawler obeys by the default rules:
    /// its own name first, then its fallbacks in order.
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.names.iter().map(String::as_bytes)
    }

    /// Returns true if the crawler ignores the groups of `*`, in the reading of [`DialectChoice::Default`].
    pub fn ignores_wildcard(&self) -> bool {
        self.ignores_wildcard
    }

    /// Returns the policy that a file has for the crawler.
    ///
    /// Its basis is the first of these that applies:
    ///
    /// 1. `explicit`: the file has a group of the crawler or of one of its fallbacks.
    /// 2. `no_group`: the crawler ignores `*`.
    /// 3. `wildcard`: the file has a group of `*`.
    /// 4. `no_group`: the file has groups of other crawlers.
    /// 5. `empty`, `html`, `binary` or `no_rules`, by the class of the body.
    pub fn policy(&self, choice: DialectChoice, robots: &RobotsTxt<'_>) -> CrawlerPolicy {
        let (policy, ignores_wildcard) = match choice {
            DialectChoice::Default => {
                let names: Vec<&[u8]> = self.names().collect();
                let policy = Policy::from_whole_names(robots, &names, self.ignores_wildcard);
                (policy, self.ignores_wildcard)
            }
            DialectChoice::Dialect(dialect) => {
                let policy = Policy::new(dialect, robots, self.agent.as_bytes());
                (policy, false)
            }
        };
        let basis = match audience(choice.dialect(), robots) {
            _ if policy.is_named() => Basis::Explicit,
            _ if ignores_wildcard => Basis::NoGroup,
            Audience::All => Basis::Wildcard,
            Audience::Named => Basis::NoGroup,
            Audience::None => Basis::from_content_class(robots.summary().content),
        };
        CrawlerPolicy {
            basis,
            policy,
            choice,
        }
    }
}

/// The rules of one robots.txt that apply to one crawler.
pub struct CrawlerPolicy {
    /// The reason why these rules apply, such as a group that names the crawler.
    pub basis: Basis,
    policy: Policy,
    choice: DialectChoice,
}

impl CrawlerPolicy {
    /// Returns the policy that the effect of a status sets for every crawler; `None` if the body decides
    /// instead, or if the status decides nothing.
    pub fn from_status(effect: StatusEffect, choice: DialectChoice) -> Option<Self> {
        let policy = match effect {
            StatusEffect::AllowAll => wildcard_policy(b"", choice),
            StatusEffect::DisallowAll => disallow_all_policy(choice),
            StatusEffect::Parse | StatusEffect::Follow | StatusEffect::Defer => return None,
        };
        let basis = Basis::HttpStatus;
        Some(Self {
            basis,
            policy,
            choice,
        })
    }

    /// Returns whether the crawler may fetch a URL, and the line that decides it. By the default reading, the URL is
    /// read as clients [send](sent_url) it; by a dialect, as [`Policy::access`] reads it.
    pub fn access(&self, url: &[u8]) -> Access {
        self.policy.access(&self.read_url(url))
    }

    fn read_url<'u>(&self, url: &'u [u8]) -> Cow<'u, [u8]> {
        match self.choice {
            DialectChoice::Default => sent_url(url),
            DialectChoice::Dialect(_) => Cow::Borrowed(url),
        }
    }

    /// Returns true if a statement of this mechanism concerns the crawler.
    pub fn has_statements(&self, mechanism: Mechanism) -> bool {
        self.policy.has_statements(mechanism)
    }

    /// Returns the preference for a URL, as [`Policy::preference`] does; the URL is read as by [`access`](Self::access).
    pub fn preference(
        &self,
        vocabulary: &Vocabulary,
        category: usize,
        url: &[u8],
    ) -> UrlPreference {
        let url = self.read_url(url);
        self.policy.preference(vocabulary, category, &url)
    }

    /// Returns the verdict on the whole site, as [`Policy::verdict`] does.
    pub fn verdict(&self) -> Verdict {
        self.policy.verdict()
    }

    /// Returns the lines that apply to the crawler, as [`Policy::lines`] does.
    pub fn lines(&self) -> Vec<u32> {
        self.policy.lines()
    }
}

/// Returns the policy of a status that disallows everything. It equals that of
/// `Disallow: /`, so a dialect that always allows some paths, such as
/// `/robots.txt`, allows them here, too.
fn disallow_all_policy(choice: DialectChoice) -> Policy {
    wildcard_policy(b"User-agent: *\nDisallow: /\n", choice)
}

/// Returns the policy that a body has for crawlers that it does not name.
fn wildcard_policy(body: &[u8], choice: DialectChoice) -> Policy {
    let mut parser = Parser::new();
    Policy::new(choice.dialect(), &parser.parse(body), b"*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_allows_or_disallows_everything_or_decides_nothing() {
        for choice in [
            DialectChoice::Default,
            DialectChoice::Dialect(Dialect::Rfc9309),
            DialectChoice::Dialect(Dialect::Koster1996),
        ] {
            let policy_of = |effect| CrawlerPolicy::from_status(effect, choice);
            let allows = policy_of(StatusEffect::AllowAll).unwrap();
            let disallows = policy_of(StatusEffect::DisallowAll).unwrap();
            assert_eq!(allows.basis, Basis::HttpStatus, "{choice:?}");
            assert_eq!(allows.verdict(), Verdict::AllowAll, "{choice:?}");
            assert_eq!(disallows.verdict(), Verdict::DisallowAll, "{choice:?}");
            assert!(!disallows.access(b"/x").is_allowed, "{choice:?}");
            for effect in [
                StatusEffect::Parse,
                StatusEffect::Follow,
                StatusEffect::Defer,
            ] {
                assert!(policy_of(effect).is_none(), "{choice:?} {effect:?}");
            }
        }
    }

    #[test]
    fn the_basis_is_the_most_specific_group_that_applies() {
        let body = "User-agent: Googlebot\nUser-agent: MJ12bot\nDisallow: /\nUser-agent: *\n";
        let everybody = "User-agent: *\nDisallow: /\n";
        let google = DialectChoice::Dialect(Dialect::Google);
        use Basis::{Explicit, NoGroup, NoRules, Wildcard};
        let default = DialectChoice::Default;
        let cases = [
            (body, "Googlebot-News", default, Explicit, false),
            (body, "Googlebot-News", google, Wildcard, true),
            (body, "MJ12bot", default, Explicit, false),
            (body, "MJ12bot", google, Wildcard, true),
            (everybody, "AdsBot-Google", default, NoGroup, true),
            (everybody, "AdsBot-Google", google, Wildcard, false),
            (everybody, "*", default, Wildcard, false),
            (everybody, "*", google, Wildcard, false),
            ("User-agent: a\nDisallow: /\n", "*", default, NoGroup, true),
            ("User-agent: a\nDisallow: /\n", "b", google, NoGroup, true),
            ("Disallow: /\n", "b", default, NoRules, true),
        ];
        let registry = CrawlerRegistry::built_in();
        for (body, agent, choice, expected, is_allowed) in cases {
            let mut parser = Parser::new();
            let robots = parser.parse(body.as_bytes());
            let policy = Crawler::new(&registry, agent).policy(choice, &robots);
            assert_eq!(policy.basis, expected, "{body:?} {agent} {choice:?}");
            assert_eq!(
                policy.access(b"http://h/x").is_allowed,
                is_allowed,
                "{body:?} {agent}"
            );
        }
    }
}

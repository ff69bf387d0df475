//! Whose reading is asked for, and by which crawler: the one place that says
//! which policy that is.

pub mod registry;

use registry::{Registry, whole_name};
use robots::{Access, Audience, Basis, Dialect, Parser, Policy, RobotsTxt, audience};

/// A reading that may be asked for: the registry's, or a dialect's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Google's rules, names compared whole, fallbacks by the registry.
    Default,
    /// A dialect, for the name as it stands.
    Dialect(Dialect),
}

impl Asked {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Dialect(dialect) => dialect.name(),
        }
    }

    /// The dialect whose table of statuses holds.
    pub fn dialect(self) -> Dialect {
        match self {
            Self::Default => Dialect::Google,
            Self::Dialect(dialect) => dialect,
        }
    }
}

/// A crawler that asks.
#[derive(Clone, Debug)]
pub struct Crawler {
    agent: String,
    names: Vec<String>,
    ignores_wildcard: bool,
}

impl Crawler {
    /// A crawler of a name, with what the registry knows of it.
    pub fn new(registry: &Registry, agent: &str) -> Self {
        let name = whole_name(agent);
        let known = registry.agents.iter().find(|it| it.agent == name);
        let mut names = vec![name];
        names.extend(known.iter().flat_map(|it| it.fallbacks.iter().cloned()));
        Self {
            agent: agent.to_owned(),
            names,
            ignores_wildcard: known.is_some_and(|it| it.ignores_wildcard),
        }
    }

    /// The name as it was given.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// The names whose groups it obeys by the default reading, its own first.
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.names.iter().map(String::as_bytes)
    }

    /// Whether it does not obey the groups of `*`, by the default reading.
    pub fn ignores_wildcard(&self) -> bool {
        self.ignores_wildcard
    }

    /// What a file's answers to it rest on, and what gives them.
    ///
    /// The basis is `explicit` where the reading finds a group of the crawler,
    /// or of one it falls back to; else `wildcard` where that reading finds one
    /// of `*` and the crawler obeys it; else `no_group` where somebody else is
    /// named; else `no_rules`.
    pub fn ask(
        &self,
        asked: Asked,
        robots: &RobotsTxt<'_>,
    ) -> (Basis, impl Fn(&[u8]) -> Access + use<>) {
        let (policy, ignores_wildcard) = match asked {
            Asked::Default => {
                let names: Vec<&[u8]> = self.names().collect();
                let policy = Policy::by_whole_names(robots, &names, self.ignores_wildcard);
                (policy, self.ignores_wildcard)
            }
            Asked::Dialect(dialect) => {
                let policy = Policy::new(dialect, robots, self.agent.as_bytes());
                (policy, false)
            }
        };
        let basis = match audience(asked.dialect(), robots) {
            _ if policy.is_named() => Basis::Explicit,
            _ if ignores_wildcard => Basis::NoGroup,
            Audience::Everybody => Basis::Wildcard,
            Audience::Some => Basis::NoGroup,
            Audience::Nobody => Basis::NoRules,
        };
        (basis, move |url: &[u8]| policy.access(url))
    }
}

/// What a status answers that disallows everything: what `Disallow: /` does,
/// also of what a dialect allows in spite of that.
pub(crate) fn closed(asked: Asked) -> impl Fn(&[u8]) -> Access {
    let mut parser = Parser::new();
    let robots = parser.parse(b"User-agent: *\nDisallow: /\n");
    let policy = Policy::new(asked.dialect(), &robots, b"*");
    move |url| policy.access(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_what_it_rests_on() {
        let body = "User-agent: Googlebot\nUser-agent: MJ12bot\nDisallow: /\nUser-agent: *\n";
        let everybody = "User-agent: *\nDisallow: /\n";
        let google = Asked::Dialect(Dialect::Google);
        use Basis::{Explicit, NoGroup, NoRules, Wildcard};
        let default = Asked::Default;
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
        let registry = Registry::built_in();
        for (body, agent, asked, expected, is_allowed) in cases {
            let mut parser = Parser::new();
            let robots = parser.parse(body.as_bytes());
            let (basis, access) = Crawler::new(&registry, agent).ask(asked, &robots);
            assert_eq!(basis, expected, "{body:?} {agent} {asked:?}");
            assert_eq!(
                access(b"http://h/x").is_allowed,
                is_allowed,
                "{body:?} {agent}"
            );
        }
    }
}

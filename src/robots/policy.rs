//! The answer for one crawler and one URL.

use crate::dialect::Dialect;
use crate::key::Key;
use crate::koster1996;
use crate::pattern;
use crate::rfc9309;
use crate::robots::Robots;
use crate::strict::StrictDecider;
use crate::token::is_product_token;
use crate::token::is_wildcard;

/// Whether a crawler may fetch a URL, and the line that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether it may.
    pub is_allowed: bool,
    /// The line of the rule that Google's parser reports, 0 for none. Where
    /// an empty rule is all that matched it is that rule's, though it did not
    /// decide.
    pub line_no: u32,
}

/// The rules of one crawler: parse once, ask often.
///
/// # Example
///
/// ```
/// use robots::{Dialect, Parser, Policy};
///
/// let mut parser = Parser::new();
/// let robots = parser.parse(b"User-agent: *\nDisallow: /*.pdf$\n");
/// let google = Policy::new(Dialect::Google, &robots, b"ExampleBot");
/// assert!(!google.access(b"https://example.com/a.pdf").is_allowed);
/// let koster = Policy::new(Dialect::Koster1996, &robots, b"ExampleBot");
/// assert!(koster.access(b"https://example.com/a.pdf").is_allowed);
/// ```
#[derive(Debug)]
pub struct Policy<'a> {
    rules: Rules<'a>,
    is_named: bool,
}

/// Rules as their dialect compares them.
#[derive(Debug)]
enum Rules<'a> {
    Google(Vec<Rule<'a>>),
    Rfc9309(StrictDecider),
    Koster1996(Option<koster1996::Record<'a>>),
}

/// A rule that may match.
#[derive(Clone, Copy, Debug)]
struct Rule<'a> {
    allow: bool,
    line_no: u32,
    pattern: &'a [u8],
}

/// The best match so far: its priority is the pattern's length, -1 for none.
#[derive(Clone, Copy)]
struct Best {
    priority: i64,
    line_no: u32,
}

impl<'a> Policy<'a> {
    /// Gathers the rules for a crawler of one name, taken as it stands: no
    /// registry, no fallbacks.
    pub fn new(dialect: Dialect, robots: &Robots<'a>, agent: &[u8]) -> Self {
        match dialect {
            Dialect::Google => Self::google(robots, &[agent]),
            Dialect::Rfc9309 => Self::rfc9309(robots, agent),
            Dialect::Koster1996 => Self::koster1996(robots, agent),
        }
    }

    /// Gathers the rules, by Google's reading, for a crawler whose names are
    /// compared whole ([`whole_name`](crate::whole_name)): the first of
    /// `names` that has a group decides, never merged with another; else the
    /// groups of `*`, unless the crawler ignores them.
    pub fn by_whole_names(robots: &Robots<'a>, names: &[&[u8]], ignores_wildcard: bool) -> Self {
        let agents = || {
            robots
                .directives()
                .iter()
                .filter(|it| it.key == Key::UserAgent && it.counts)
        };
        let groups_of = |name: &[u8]| -> Vec<u32> {
            agents()
                .filter(|it| robots.text(it.name) == name)
                .map(|it| it.group_no)
                .collect()
        };
        let own = names
            .iter()
            .map(|name| groups_of(name))
            .find(|groups| !groups.is_empty());
        let is_named = own.is_some();
        let groups = own.unwrap_or_else(|| {
            if ignores_wildcard {
                Vec::new()
            } else {
                groups_of(b"*")
            }
        });
        let in_groups = |no: u32| groups.binary_search(&no).is_ok();
        Self {
            rules: Rules::Google(google_rules(robots, &in_groups)),
            is_named,
        }
    }

    /// RFC 9309 §2.2.1: all groups of the name, else all of `*`.
    fn rfc9309(robots: &Robots<'a>, agent: &[u8]) -> Self {
        let lines = rfc9309::lines(robots);
        let groups = |wanted: &dyn Fn(&[u8]) -> bool| -> Vec<u32> {
            let named = lines
                .iter()
                .filter(|it| it.key == Key::UserAgent && wanted(it.value));
            named.map(|it| it.group_no).collect()
        };
        let own = groups(&|value| {
            value != b"*" && is_product_token(value) && value.eq_ignore_ascii_case(agent)
        });
        let is_named = !own.is_empty();
        let groups = if is_named {
            own
        } else {
            groups(&|value| value == b"*")
        };
        let mut decider = StrictDecider::default();
        for line in lines
            .iter()
            .filter(|line| groups.binary_search(&line.group_no).is_ok())
        {
            decider.add(line);
        }
        Self {
            rules: Rules::Rfc9309(decider),
            is_named,
        }
    }

    /// Koster 1996 §3.2.1: the first record of the name, else the first of `*`.
    fn koster1996(robots: &Robots<'a>, agent: &[u8]) -> Self {
        let mut records = koster1996::records(robots);
        let found = koster1996::record_for(&records, agent);
        let record = found.map(|(at, _)| records.swap_remove(at));
        Self {
            rules: Rules::Koster1996(record),
            is_named: found.is_some_and(|(_, is_named)| is_named),
        }
    }

    /// Gathers the rules, by Google's reading, for a crawler that calls itself by `agents`, each
    /// name compared as it stands with the tokens of the file
    /// (google-semantics §6).
    ///
    /// All groups of the crawler are merged; only where it is nowhere named
    /// do the groups of `*` hold.
    pub fn google(robots: &Robots<'a>, agents: &[&[u8]]) -> Self {
        const SPECIFIC: u8 = 1;
        const GLOBAL: u8 = 2;
        let mut membership = vec![0u8; robots.groups().len() + 1];
        for line in robots
            .directives()
            .iter()
            .filter(|it| it.key == Key::UserAgent && it.counts)
        {
            let token = robots.text(line.token);
            let group = &mut membership[line.group_no as usize];
            if is_wildcard(robots.text(line.value)) {
                *group |= GLOBAL;
            } else if agents.iter().any(|agent| agent.eq_ignore_ascii_case(token)) {
                *group |= SPECIFIC;
            }
        }
        let is_named = membership.iter().any(|flags| flags & SPECIFIC != 0);
        let wanted = if is_named { SPECIFIC } else { GLOBAL };
        let rules = google_rules(robots, &|no| membership[no as usize] & wanted != 0);
        Self {
            rules: Rules::Google(rules),
            is_named,
        }
    }

    /// Whether any user-agent line names the crawler.
    pub fn is_named(&self) -> bool {
        self.is_named
    }

    /// Answers for a URL, from which the path is taken as it stands.
    pub fn access(&self, url: &[u8]) -> Access {
        let mut scratch = Vec::new();
        self.access_path(pattern::path_of_url(url, &mut scratch))
    }

    /// Answers for a path as it stands in a URL: from its `/` on, with its
    /// query, without a fragment.
    pub fn access_path(&self, path: &[u8]) -> Access {
        let (is_allowed, line_no) = match &self.rules {
            Rules::Google(rules) => return access_google(rules, path),
            Rules::Rfc9309(decider) => decider.access(&rfc9309::path(path)),
            Rules::Koster1996(None) => (true, 0),
            Rules::Koster1996(Some(record)) => koster1996::access(record, &koster1996::path(path)),
        };
        Access {
            is_allowed,
            line_no,
        }
    }
}

/// The rules of groups, of lines that count.
fn google_rules<'a>(robots: &Robots<'a>, in_groups: &dyn Fn(u32) -> bool) -> Vec<Rule<'a>> {
    let lines = robots.directives().iter();
    lines
        .filter(|it| {
            matches!(it.key, Key::Allow | Key::Disallow) && it.counts && in_groups(it.group_no)
        })
        .map(|it| Rule {
            allow: it.key == Key::Allow,
            line_no: it.line_no,
            pattern: robots.text(it.value),
        })
        .collect()
}

/// The longest pattern wins, the allow among equals (google-semantics §7).
fn access_google(rules: &[Rule<'_>], path: &[u8]) -> Access {
    let mut best = [Best {
        priority: -1,
        line_no: 0,
    }; 2];
    let mut folder = Vec::new();
    for rule in rules {
        let best = &mut best[usize::from(rule.allow)];
        let priority = rule.pattern.len() as i64;
        if pattern::matches(rule.pattern, path) {
            if priority > best.priority {
                *best = Best {
                    priority,
                    line_no: rule.line_no,
                };
            }
        } else if rule.allow {
            folder.clear();
            if pattern::index_folder(rule.pattern, &mut folder)
                && folder.len() as i64 > best.priority
                && pattern::matches(&folder, path)
            {
                *best = Best {
                    priority: folder.len() as i64,
                    line_no: rule.line_no,
                };
            }
        }
    }
    let [disallow, allow] = best;
    let line_no = if disallow.priority > allow.priority {
        disallow.line_no
    } else {
        allow.line_no
    };
    let decided = disallow.priority.max(allow.priority) > 0;
    Access {
        is_allowed: !decided || disallow.priority <= allow.priority,
        line_no,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parser;

    fn access(body: &str, agent: &str, url: &str) -> (bool, u32) {
        let mut parser = Parser::new();
        let robots = parser.parse(body.as_bytes());
        let answer = Policy::google(&robots, &[agent.as_bytes()]).access(url.as_bytes());
        (answer.is_allowed, answer.line_no)
    }

    #[test]
    fn the_longest_pattern_wins_as_googles_page_says() {
        // "Order of precedence for rules", row by row.
        let rows = [
            ("/page", "/p", "/", true),
            ("/folder/page", "/folder", "/folder", true),
            ("/page.htm", "/page", "/*.htm", false),
            ("/page.php5", "/page", "/*.ph", true),
            ("/", "/$", "/", true),
            ("/page.htm", "/$", "/", false),
        ];
        for (path, allow, disallow, expected) in rows {
            let body = format!("user-agent: *\nallow: {allow}\ndisallow: {disallow}\n");
            assert_eq!(
                access(&body, "FooBot", &format!("http://h{path}")).0,
                expected,
                "{path} {allow} {disallow}"
            );
        }
    }

    #[test]
    fn a_later_group_of_several_names_binds_each_of_them() {
        let body = "user-agent: *\nallow: /\n\nuser-agent: GPTBot\nuser-agent: CCBot\nuser-agent: ClaudeBot\ndisallow: /\n";
        for agent in ["gptbot", "CCBot", "ClaudeBot"] {
            assert_eq!(access(body, agent, "http://h/x"), (false, 7));
        }
        assert_eq!(access(body, "FooBot", "http://h/x"), (true, 2));
    }

    #[test]
    fn a_group_without_rules_still_shields_from_the_wildcard() {
        assert_eq!(
            access(
                "user-agent: *\ndisallow: /\nuser-agent: a\n",
                "a",
                "http://h/x"
            ),
            (true, 0)
        );
        assert_eq!(
            access(
                "user-agent: *\ndisallow: /\nuser-agent: a\ndisallow:\n",
                "a",
                "http://h/x"
            ),
            (true, 4)
        );
    }

    #[test]
    fn index_htm_allows_its_folder_too() {
        let body = "user-agent: *\ndisallow: /\nallow: /d/index.html\n";
        assert_eq!(access(body, "a", "http://h/d/"), (true, 3));
        assert_eq!(access(body, "a", "http://h/d"), (false, 2));
    }
}

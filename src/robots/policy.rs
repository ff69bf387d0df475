//! The answer for one crawler and one URL.

use crate::agent_name::{is_product_token, is_wildcard};
use crate::dialect::Dialect;
use crate::dialect::koster1996;
use crate::dialect::rfc9309;
use crate::document::RobotsTxt;
use crate::parse::directive_kind::DirectiveKind;
use crate::pattern;
use crate::pattern::compiled::{CompiledRules, PatternPart};
use crate::pattern::percent::{self, PatternStep};
use crate::verdict::Verdict;
use crate::verdict::coverage::{CoverageBuffers, MergedRules};
use crate::verdict::evaluator::WORK_BUDGET;
use std::ops::Range;

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
/// It owns what it needs, so it may outlive the body and be kept for a host.
/// A question takes one pass over the URL, however many the rules; where they
/// are many, they are compiled when enough questions have come to pay for it.
///
/// # Example
///
/// ```
/// use robots::{Dialect, Parser, Policy, Verdict};
///
/// let mut parser = Parser::new();
/// let robots = parser.parse(b"User-agent: *\nDisallow: /*.pdf$\n");
/// let google = Policy::new(Dialect::Google, &robots, b"ExampleBot");
/// assert!(!google.access(b"https://example.com/a.pdf").is_allowed);
/// assert_eq!(google.verdict(), Verdict::Partial);
/// let koster = Policy::new(Dialect::Koster1996, &robots, b"ExampleBot");
/// assert!(koster.access(b"https://example.com/a.pdf").is_allowed);
/// ```
///
/// A policy speaks of what was fetched. Whether there is anything to speak of
/// is a question of the HTTP status, and each dialect answers it in its own
/// way:
///
/// ```
/// use robots::{StatusEffect, HttpStatus};
///
/// let forbidden = HttpStatus { code: Some(403), has_location: false };
/// assert_eq!(forbidden.effect_google(), StatusEffect::AllowAll);
/// assert_eq!(forbidden.effect_koster1996(), StatusEffect::DisallowAll);
/// ```
#[derive(Debug)]
pub struct Policy {
    dialect: Dialect,
    is_named: bool,
    /// The values of `rules`.
    text: Vec<u8>,
    /// The rules in the order of the file.
    rules: Vec<PolicyRule>,
    matcher: CompiledRules,
    /// What each rule of the matcher answers.
    answers: Vec<Access>,
    /// Rules of `rfc9309` with a `%24`, which means two octets: the matcher
    /// cannot hold them.
    others: Vec<UncompiledRule>,
}

/// A rule as its dialect has it.
#[derive(Clone, Debug)]
struct PolicyRule {
    allow: bool,
    line_no: u32,
    value: Range<u32>,
}

/// A rule that is looked at by itself.
#[derive(Debug)]
struct UncompiledRule {
    /// How many rules of the matcher decide before it.
    before: usize,
    steps: Vec<PatternStep>,
    access: Access,
}

/// A rule in the order of precedence.
struct RankedRule<'a> {
    /// The greater decides.
    priority: u32,
    allow: bool,
    access: Access,
    pattern: &'a [u8],
    /// Whether the end of the path follows.
    is_folder: bool,
}

impl Policy {
    /// Gathers the rules for a crawler of one name, taken as it stands: no
    /// registry, no fallbacks.
    pub fn new(dialect: Dialect, robots: &RobotsTxt<'_>, agent: &[u8]) -> Self {
        match dialect {
            Dialect::Google => Self::google(robots, &[agent]),
            Dialect::Rfc9309 => Self::rfc9309(robots, agent),
            Dialect::Koster1996 => Self::koster1996(robots, agent),
        }
    }

    /// Gathers the rules, by Google's reading, for a crawler whose names are
    /// compared whole ([`whole_name`](crate::whole_name)): the first of
    /// `names` that has a group decides, never merged with another; else the
    /// groups of `*`, unless the crawler ignores them. Nobody is called `*`, or
    /// nothing at all.
    ///
    /// ```
    /// use robots::{Parser, Policy};
    ///
    /// let mut parser = Parser::new();
    /// let robots = parser.parse(b"User-agent: Googlebot\nDisallow: /\n");
    /// let policy = Policy::by_whole_names(&robots, &[b"googlebot-news", b"googlebot"], false);
    /// assert!(policy.is_named());
    /// assert!(!policy.access(b"https://example.com/").is_allowed);
    /// ```
    pub fn by_whole_names(robots: &RobotsTxt<'_>, names: &[&[u8]], ignores_wildcard: bool) -> Self {
        let agents = || {
            robots
                .directives()
                .iter()
                .filter(|it| it.kind == DirectiveKind::UserAgent && it.counts)
        };
        let groups_of = |name: &[u8]| -> Vec<u32> {
            agents()
                .filter(|it| robots.text(it.name) == name)
                .map(|it| it.group_no)
                .collect()
        };
        let own = names
            .iter()
            .filter(|name| !name.is_empty() && **name != b"*")
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
        let mut policy = Self::empty(Dialect::Google, is_named);
        policy.add_google(robots, |no| groups.binary_search(&no).is_ok());
        policy
    }

    /// Gathers the rules, by Google's reading, for a crawler that calls itself by `agents`, each
    /// name compared as it stands with the tokens of the file
    /// (google-semantics §6).
    ///
    /// All groups of the crawler are merged; only where it is nowhere named
    /// do the groups of `*` hold.
    pub fn google(robots: &RobotsTxt<'_>, agents: &[&[u8]]) -> Self {
        const SPECIFIC: u8 = 1;
        const GLOBAL: u8 = 2;
        let mut membership = vec![0u8; robots.groups().len() + 1];
        for line in robots
            .directives()
            .iter()
            .filter(|it| it.kind == DirectiveKind::UserAgent && it.counts)
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
        let mut policy = Self::empty(Dialect::Google, is_named);
        policy.add_google(robots, |no| membership[no as usize] & wanted != 0);
        policy
    }

    /// RFC 9309 §2.2.1: all groups of the name, else all of `*`.
    fn rfc9309(robots: &RobotsTxt<'_>, agent: &[u8]) -> Self {
        let lines = rfc9309::lines(robots);
        let groups = |wanted: &dyn Fn(&[u8]) -> bool| -> Vec<u32> {
            let named = lines
                .iter()
                .filter(|it| it.kind == DirectiveKind::UserAgent && wanted(it.value));
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
        let mut policy = Self::empty(Dialect::Rfc9309, is_named);
        for line in lines.iter().filter(|line| {
            line.kind != DirectiveKind::UserAgent && groups.binary_search(&line.group_no).is_ok()
        }) {
            policy.add_rule(line.kind == DirectiveKind::Allow, line.line_no, line.value);
        }
        policy.compile_rfc9309();
        policy
    }

    /// Koster 1996 §3.2.1: the first record of the name, else the first of `*`.
    fn koster1996(robots: &RobotsTxt<'_>, agent: &[u8]) -> Self {
        let records = koster1996::records(robots);
        let found = koster1996::record_for(&records, agent);
        let is_named = found.is_some_and(|(_, is_named)| is_named);
        let mut policy = Self::empty(Dialect::Koster1996, is_named);
        for &(allow, line_no, path) in found.iter().flat_map(|&(at, _)| &records[at].rules) {
            policy.add_rule(allow, line_no, path);
            let path = koster1996::path_octets(path);
            policy
                .matcher
                .push(path.iter().copied().map(PatternPart::Octet));
            policy.answers.push(Access {
                is_allowed: koster1996::allows(allow, &path),
                line_no,
            });
        }
        policy
    }

    fn empty(dialect: Dialect, is_named: bool) -> Self {
        Self {
            dialect,
            is_named,
            text: Vec::new(),
            rules: Vec::new(),
            matcher: CompiledRules::default(),
            answers: Vec::new(),
            others: Vec::new(),
        }
    }

    fn add_rule(&mut self, allow: bool, line_no: u32, value: &[u8]) {
        let start = self.text.len() as u32;
        self.text.extend_from_slice(value);
        self.rules.push(PolicyRule {
            allow,
            line_no,
            value: start..self.text.len() as u32,
        });
    }

    /// Adds the rules of groups, of lines that count.
    fn add_google(&mut self, robots: &RobotsTxt<'_>, is_in_groups: impl Fn(u32) -> bool) {
        let lines = robots.directives().iter().filter(|it| {
            matches!(it.kind, DirectiveKind::Allow | DirectiveKind::Disallow)
                && it.counts
                && is_in_groups(it.group_no)
        });
        for line in lines {
            self.add_rule(
                line.kind == DirectiveKind::Allow,
                line.line_no,
                robots.text(line.value),
            );
        }
        self.compile_google();
    }

    /// The longest pattern decides, the allow among equals, the first of
    /// these; what an empty one says is reported but nothing is decided by it
    /// (google-semantics §7).
    fn compile_google(&mut self) {
        let mut ranked: Vec<RankedRule<'_>> = Vec::with_capacity(self.rules.len());
        for rule in &self.rules {
            let pattern = self.text_of(rule);
            ranked.push(RankedRule {
                priority: pattern.len() as u32,
                allow: rule.allow,
                access: Access {
                    is_allowed: rule.allow || pattern.is_empty(),
                    line_no: rule.line_no,
                },
                pattern,
                is_folder: false,
            });
            if let Some(folder) = pattern::index_folder(pattern).filter(|_| rule.allow) {
                ranked.push(RankedRule {
                    priority: folder.len() as u32 + 1,
                    allow: true,
                    access: Access {
                        is_allowed: true,
                        line_no: rule.line_no,
                    },
                    pattern: folder,
                    is_folder: true,
                });
            }
        }
        ranked.sort_by_key(|it| (u32::MAX - it.priority, !it.allow));
        let (mut matcher, mut answers) =
            (CompiledRules::default(), Vec::with_capacity(ranked.len()));
        for it in &ranked {
            matcher.push(pattern::parts(it.pattern, it.is_folder));
            answers.push(it.access);
        }
        (self.matcher, self.answers) = (matcher, answers);
    }

    /// The most octets of the normal form decide, the allow among equals (RFC
    /// 9309 §2.2.2).
    fn compile_rfc9309(&mut self) {
        let mut steps = Vec::new();
        let mut ranked: Vec<(u32, &PolicyRule, Range<usize>)> =
            Vec::with_capacity(self.rules.len());
        for rule in &self.rules {
            let start = steps.len();
            if let Some(priority) = rfc9309::steps(self.text_of(rule), &mut steps) {
                ranked.push((priority, rule, start..steps.len()));
            }
        }
        ranked.sort_by_key(|(priority, rule, _)| (u32::MAX - priority, !rule.allow));
        let (mut matcher, mut answers) =
            (CompiledRules::default(), Vec::with_capacity(ranked.len()));
        let (mut others, mut parts) = (Vec::new(), Vec::new());
        for (_, rule, range) in ranked {
            let steps = &steps[range];
            let access = Access {
                is_allowed: rule.allow,
                line_no: rule.line_no,
            };
            parts.clear();
            if rfc9309::parts(steps, &mut parts) {
                matcher.push(parts.iter().copied());
                answers.push(access);
            } else {
                others.push(UncompiledRule {
                    before: answers.len(),
                    steps: steps.to_vec(),
                    access,
                });
            }
        }
        (self.matcher, self.answers, self.others) = (matcher, answers, others);
    }

    fn text_of(&self, rule: &PolicyRule) -> &[u8] {
        &self.text[rule.value.start as usize..rule.value.end as usize]
    }

    /// Whether any user-agent line names the crawler.
    pub fn is_named(&self) -> bool {
        self.is_named
    }

    /// Answers for a URL, from which the path is taken as it stands.
    ///
    /// ```
    /// use robots::{Access, Dialect, Parser, Policy};
    ///
    /// let mut parser = Parser::new();
    /// let robots = parser.parse(b"User-agent: *\nDisallow: /shop\nAllow: /shop/open\n");
    /// let policy = Policy::new(Dialect::Google, &robots, b"ExampleBot");
    /// let access = policy.access(b"https://example.com/shop/open?page=2#top");
    /// assert_eq!(access, Access { is_allowed: true, line_no: 3 });
    /// // Octets are compared as they stand: nobody but the crawler encodes them.
    /// assert!(policy.access(b"https://example.com/%73hop").is_allowed);
    /// let rfc9309 = Policy::new(Dialect::Rfc9309, &robots, b"ExampleBot");
    /// assert!(!rfc9309.access(b"https://example.com/%73hop").is_allowed);
    /// ```
    pub fn access(&self, url: &[u8]) -> Access {
        let mut scratch = Vec::new();
        self.access_path(pattern::path_of_url(url, &mut scratch))
    }

    /// Answers for a path as it stands in a URL: from its `/` on, with its
    /// query, without a fragment. `google` compares its octets as they are,
    /// the other two compare normal forms.
    pub fn access_path(&self, path: &[u8]) -> Access {
        const ALLOWED: Access = Access {
            is_allowed: true,
            line_no: 0,
        };
        let found = match self.dialect {
            Dialect::Google => self.matcher.first(path),
            Dialect::Koster1996 => self.matcher.first(&koster1996::path_octets(path)),
            Dialect::Rfc9309 => {
                let octets = rfc9309::path_octets(path);
                // §2.2.2: it always may be fetched.
                if *octets == *b"/robots.txt" {
                    return ALLOWED;
                }
                let found = self.matcher.first(&octets);
                if let Some(other) = self.first_other(path, found) {
                    return other;
                }
                found
            }
        };
        found.map_or(ALLOWED, |at| self.answers[at])
    }

    /// What a rule says that the matcher does not hold, if it comes before the
    /// one that was found.
    fn first_other(&self, path: &[u8], found: Option<usize>) -> Option<Access> {
        let last = self.others.last()?;
        let end = found.unwrap_or(last.before);
        let symbols = rfc9309::path(path);
        self.others
            .iter()
            .take_while(|other| other.before <= end)
            .find(|other| percent::matches(&other.steps, &symbols))
            .map(|other| other.access)
    }

    /// What the rules leave of all paths but `/robots.txt`: decided exactly, or
    /// [`Verdict::Unknown`] past a work limit that only files made for it meet.
    ///
    /// ```
    /// use robots::{Dialect, Parser, Policy, Verdict};
    ///
    /// let mut parser = Parser::new();
    /// let robots = parser.parse(b"User-agent: a\nDisallow: /\nAllow: /x\nDisallow: /x*\n");
    /// let policy = Policy::new(Dialect::Google, &robots, b"a");
    /// // The allow is outdone wherever it matches.
    /// assert_eq!(policy.verdict(), Verdict::DisallowAll);
    /// ```
    pub fn verdict(&self) -> Verdict {
        let rules = self
            .rules
            .iter()
            .map(|rule| (rule.allow, rule.line_no, self.text_of(rule)));
        let (mut memory, mut looks) = (CoverageBuffers::default(), WORK_BUDGET);
        match self.dialect {
            Dialect::Google => {
                let mut decider = MergedRules::new(&mut memory);
                for (allow, line_no, value) in rules {
                    decider.add(allow, line_no, value);
                }
                decider.decide(&mut looks).verdict
            }
            Dialect::Rfc9309 => MergedRules::decide_rfc9309(rules, &mut memory, &mut looks),
            Dialect::Koster1996 => koster1996::verdict(rules.map(|(allow, _, path)| (allow, path))),
        }
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

    #[test]
    fn nobody_is_called_by_a_star_or_by_nothing() {
        let mut parser = Parser::new();
        let robots = parser.parse(b"User-agent: *\nAllow: /\nUser-agent: (x)\nDisallow: /\n");
        for name in [&b""[..], b"*"] {
            let policy = Policy::by_whole_names(&robots, &[name], false);
            assert!(!policy.is_named());
            assert!(policy.access(b"http://h/x").is_allowed);
        }
    }
}

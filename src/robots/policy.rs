//! Policies: the answers for one crawler and many URLs.

use crate::agent_name::{is_product_token, is_wildcard};
use crate::dialect::{Dialect, koster1996, rfc9309};
use crate::document::{Directive, DirectiveKind, RobotsTxt};
use crate::pattern;
use crate::pattern::compiled::{CompiledRules, PatternPart};
use crate::pattern::percent::{self, PatternStep};
use crate::preference::rules::PreferenceRules;
use crate::preference::vocabulary::Vocabulary;
use crate::preference::{Mechanism, UrlPreference};
use crate::verdict::Verdict;
use crate::verdict::coverage::{
    CoverageBuffers, MergedRules, RawRule, WORK_BUDGET, compute_merged_verdict_rfc9309,
};
use std::ops::Range;

/// The answer for one crawler and one URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// True if the crawler may fetch the URL.
    pub is_allowed: bool,
    /// The line of the rule that decides, from 1, or `None` if no rule decides. In `google`, the
    /// line of an empty rule is reported if no other rule matches, although an empty rule decides
    /// nothing.
    pub line_no: Option<u32>,
}

impl Access {
    /// The answer if no rule matches.
    const NO_MATCH: Self = Self {
        is_allowed: true,
        line_no: None,
    };
}

/// The rules of one crawler, for many URLs.
///
/// A policy owns its rules, so it outlives the body. Each answer takes one pass over the URL. If
/// there are many rules, they are compiled after the first queries, and the number of rules hardly
/// matters from then on.
///
/// # Example
///
/// ```
/// use robotstxt_dialects::{Dialect, Parser, Policy, Verdict};
///
/// let mut parser = Parser::new();
/// let robots_txt = parser.parse(b"User-agent: *\nDisallow: /*.pdf$\n");
/// let google = Policy::new(Dialect::Google, &robots_txt, b"ExampleBot");
/// assert!(!google.access(b"https://example.com/a.pdf").is_allowed);
/// assert_eq!(google.verdict(), Verdict::Partial);
/// // Koster's draft has no wildcards.
/// let koster = Policy::new(Dialect::Koster1996, &robots_txt, b"ExampleBot");
/// assert!(koster.access(b"https://example.com/a.pdf").is_allowed);
/// ```
///
/// A policy applies to a body that was fetched. The HTTP status determines whether the body is used
/// at all:
///
/// ```
/// use robotstxt_dialects::{HttpStatus, StatusEffect};
///
/// let forbidden = HttpStatus { code: Some(403), has_location: false };
/// assert_eq!(forbidden.effect_google(), StatusEffect::AllowAll);
/// assert_eq!(forbidden.effect_koster1996(), StatusEffect::DisallowAll);
/// ```
#[derive(Debug)]
pub struct Policy {
    dialect: Dialect,
    /// True if a user-agent line names the crawler.
    is_named: bool,
    /// The numbers of the user-agent lines whose groups or records apply, in the order of the file.
    agent_lines: Vec<u32>,
    /// The values of `rules`, one after the other.
    text: Vec<u8>,
    /// The rules in the order of the file.
    rules: Vec<PolicyRule>,
    compiled: CompiledRules,
    /// The answer of each compiled rule.
    answers: Vec<Access>,
    /// The rules of `rfc9309` with a `%24`, which matches two symbols and cannot be compiled, in
    /// order of precedence.
    uncompiled: Vec<UncompiledRule>,
    content_usage: PreferenceRules,
    content_signal: PreferenceRules,
}

/// A rule with its value as its dialect reads it.
#[derive(Clone, Debug)]
struct PolicyRule {
    allow: bool,
    line_no: u32,
    /// The value, as a range of [`Policy::text`].
    value: Range<u32>,
}

/// A rule that cannot be compiled, so that its pattern is tested step by step.
#[derive(Debug)]
struct UncompiledRule {
    /// The number of compiled rules that take precedence over this one.
    compiled_before: usize,
    steps: Vec<PatternStep>,
    access: Access,
}

/// A rule of `google` while rules are sorted by precedence.
struct RankedGoogleRule<'a> {
    /// The highest priority decides.
    priority: u32,
    allow: bool,
    access: Access,
    pattern: &'a [u8],
    /// True if this is the folder that an `index.htm` rule allows, which matches only the whole
    /// path.
    is_folder: bool,
}

/// A rule of `rfc9309` while rules are sorted by precedence.
struct RankedRfc9309Rule<'a> {
    /// The highest priority decides.
    priority: u32,
    rule: &'a PolicyRule,
    /// The steps of the pattern, as a range of the steps of all rules.
    steps: Range<usize>,
}

impl Policy {
    /// Gathers the rules that apply to a crawler with one name. The name is used as given, without
    /// a registry of crawlers and without fallbacks.
    pub fn new(dialect: Dialect, robots_txt: &RobotsTxt<'_>, agent: &[u8]) -> Self {
        match dialect {
            Dialect::Google => Self::new_google(robots_txt, &[agent]),
            Dialect::Rfc9309 => Self::new_rfc9309(robots_txt, agent),
            Dialect::Koster1996 => Self::new_koster1996(robots_txt, agent),
        }
    }

    /// Gathers the rules for a crawler according to Google's rules, with
    /// [whole names](crate::push_whole_name) compared.
    ///
    /// The groups of the first of `names` that has any apply. They are not merged with the groups
    /// of the other names. If none has a group, the groups of `*` apply, unless the crawler
    /// `ignores_wildcard`. The names `*` and the empty name match no group.
    ///
    /// ```
    /// use robotstxt_dialects::{Parser, Policy};
    ///
    /// let mut parser = Parser::new();
    /// let robots_txt = parser.parse(b"User-agent: Googlebot\nDisallow: /\n");
    /// let names: [&[u8]; 2] = [b"googlebot-news", b"googlebot"];
    /// let policy = Policy::from_whole_names(&robots_txt, &names, false);
    /// assert!(policy.is_named());
    /// assert!(!policy.access(b"https://example.com/").is_allowed);
    /// ```
    pub fn from_whole_names(
        robots_txt: &RobotsTxt<'_>,
        names: &[&[u8]],
        ignores_wildcard: bool,
    ) -> Self {
        let agents = || {
            robots_txt
                .directives()
                .iter()
                .filter(|line| line.kind == DirectiveKind::UserAgent && line.counts)
        };
        let agents_named = |name: &[u8]| -> Vec<&Directive> {
            agents()
                .filter(|agent| robots_txt.text(agent.name) == name)
                .collect()
        };
        let own = names
            .iter()
            .filter(|name| !name.is_empty() && **name != b"*")
            .map(|name| agents_named(name))
            .find(|agents| !agents.is_empty());
        let is_named = own.is_some();
        let agents = own.unwrap_or_else(|| {
            if ignores_wildcard {
                Vec::new()
            } else {
                agents_named(b"*")
            }
        });
        let groups: Vec<u32> = agents.iter().map(|agent| agent.group_no).collect();
        let agent_lines = agents.iter().map(|agent| agent.line_no).collect();
        let mut policy = Self::new_empty(Dialect::Google, is_named, agent_lines);
        policy.add_google_rules(robots_txt, |group_no| {
            groups.binary_search(&group_no).is_ok()
        });
        policy
    }

    /// Gathers the rules for a crawler with several names as Google's parser does. Each name is
    /// compared with the product tokens of the file (google-semantics §6 in
    /// docs/developers/specifications.md).
    ///
    /// All groups of all names are merged. The groups of `*` apply only if the file contains none
    /// of the names.
    pub fn new_google(robots_txt: &RobotsTxt<'_>, agents: &[&[u8]]) -> Self {
        const NAMED_BIT: u8 = 1;
        const WILDCARD_BIT: u8 = 2;
        let mut group_bits = vec![0u8; robots_txt.groups().len() + 1];
        let (mut named_lines, mut wildcard_lines) = (Vec::new(), Vec::new());
        for line in robots_txt
            .directives()
            .iter()
            .filter(|line| line.kind == DirectiveKind::UserAgent && line.counts)
        {
            let token = robots_txt.text(line.token);
            let group = &mut group_bits[line.group_no as usize];
            if is_wildcard(robots_txt.text(line.value)) {
                *group |= WILDCARD_BIT;
                wildcard_lines.push(line.line_no);
            } else if agents.iter().any(|agent| agent.eq_ignore_ascii_case(token)) {
                *group |= NAMED_BIT;
                named_lines.push(line.line_no);
            }
        }
        let is_named = !named_lines.is_empty();
        let (wanted_bit, agent_lines) = if is_named {
            (NAMED_BIT, named_lines)
        } else {
            (WILDCARD_BIT, wildcard_lines)
        };
        let mut policy = Self::new_empty(Dialect::Google, is_named, agent_lines);
        policy.add_google_rules(robots_txt, |group_no| {
            group_bits[group_no as usize] & wanted_bit != 0
        });
        policy
    }

    /// Gathers the rules of all groups that have the name, or else of all groups of `*` (RFC 9309
    /// §2.2.1).
    fn new_rfc9309(robots_txt: &RobotsTxt<'_>, agent: &[u8]) -> Self {
        let lines = rfc9309::collect_conforming_lines(robots_txt);
        let find_agents = |is_wanted: &dyn Fn(&[u8]) -> bool| -> Vec<usize> {
            let is_agent = |i: &usize| {
                let line = &lines[*i];
                line.kind == DirectiveKind::UserAgent && is_wanted(line.value)
            };
            (0..lines.len()).filter(is_agent).collect()
        };
        let own = find_agents(&|value| {
            value != b"*" && is_product_token(value) && value.eq_ignore_ascii_case(agent)
        });
        let is_named = !own.is_empty();
        let agents = if is_named {
            own
        } else {
            find_agents(&|value| value == b"*")
        };
        let groups: Vec<u32> = agents.iter().map(|&i| lines[i].group_no).collect();
        let agent_lines = agents.iter().map(|&i| lines[i].line_no).collect();
        let mut policy = Self::new_empty(Dialect::Rfc9309, is_named, agent_lines);
        let rules = lines
            .iter()
            .filter(|line| line.kind != DirectiveKind::UserAgent);
        for rule in rules.filter(|rule| groups.binary_search(&rule.group_no).is_ok()) {
            policy.add_rule(rule.kind == DirectiveKind::Allow, rule.line_no, rule.value);
        }
        // A statement is in the group of the last conforming line above it.
        let group_of = |line: &Directive| {
            let next = lines.partition_point(|other| other.line_no < line.line_no);
            next.checked_sub(1)
                .map_or(0, |before| lines[before].group_no)
        };
        policy.add_statements(robots_txt, |line| {
            groups.binary_search(&group_of(line)).is_ok()
        });
        policy.compile_rfc9309();
        policy
    }

    /// Gathers the rules of the first record that has the name, or else of the first record of `*`
    /// (Koster 1996 §3.2.1).
    fn new_koster1996(robots_txt: &RobotsTxt<'_>, agent: &[u8]) -> Self {
        let records = koster1996::collect_records(robots_txt);
        let found = koster1996::find_record(&records, agent);
        let is_named = found.is_some_and(|(_, is_named)| is_named);
        let agent_lines = found.map_or(Vec::new(), |(record, _)| {
            koster1996::find_agent_lines(&records[record], agent, is_named)
        });
        let mut policy = Self::new_empty(Dialect::Koster1996, is_named, agent_lines);
        for rule in found.iter().flat_map(|&(record, _)| &records[record].rules) {
            policy.add_rule(rule.allow, rule.line_no, rule.path);
            let path = koster1996::decode_path(rule.path);
            let parts = path.iter().copied().map(PatternPart::Octet);
            policy.compiled.push(parts);
            policy.answers.push(Access {
                is_allowed: rule.is_permissive(),
                line_no: Some(rule.line_no),
            });
        }
        policy
    }

    fn new_empty(dialect: Dialect, is_named: bool, agent_lines: Vec<u32>) -> Self {
        Self {
            dialect,
            is_named,
            agent_lines,
            text: Vec::new(),
            rules: Vec::new(),
            compiled: CompiledRules::default(),
            answers: Vec::new(),
            uncompiled: Vec::new(),
            content_usage: PreferenceRules::default(),
            content_signal: PreferenceRules::default(),
        }
    }

    /// Gathers the `Content-Usage` and `Content-Signal` lines for which `is_in_groups` returns
    /// true.
    fn add_statements(
        &mut self,
        robots_txt: &RobotsTxt<'_>,
        is_in_groups: impl Fn(&Directive) -> bool,
    ) {
        let rules =
            |mechanism| PreferenceRules::new(self.dialect, mechanism, robots_txt, &is_in_groups);
        let content_usage = rules(Mechanism::ContentUsage);
        self.content_signal = rules(Mechanism::ContentSignal);
        self.content_usage = content_usage;
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

    /// Adds the rules of the groups for which `is_in_groups` returns true, and compiles them. Lines
    /// that do not count are skipped.
    fn add_google_rules(&mut self, robots_txt: &RobotsTxt<'_>, is_in_groups: impl Fn(u32) -> bool) {
        let rules = robots_txt
            .directives()
            .iter()
            .filter(|line| line.is_rule() && line.counts && is_in_groups(line.group_no));
        for rule in rules {
            let value = robots_txt.text(rule.value);
            self.add_rule(rule.kind == DirectiveKind::Allow, rule.line_no, value);
        }
        self.add_statements(robots_txt, |line| is_in_groups(line.group_no));
        self.compile_google();
    }

    /// Compiles the rules of `google`. The longest pattern decides; among equally long ones an
    /// allow rule, then the first. An empty pattern is reported but decides nothing
    /// (google-semantics §7).
    fn compile_google(&mut self) {
        let mut ranked: Vec<RankedGoogleRule<'_>> = Vec::with_capacity(self.rules.len());
        for rule in &self.rules {
            let pattern = self.value(rule);
            ranked.push(RankedGoogleRule {
                priority: pattern.len() as u32,
                allow: rule.allow,
                access: Access {
                    is_allowed: rule.allow || pattern.is_empty(),
                    line_no: Some(rule.line_no),
                },
                pattern,
                is_folder: false,
            });
            if let Some(folder) = pattern::index_folder(pattern).filter(|_| rule.allow) {
                ranked.push(RankedGoogleRule {
                    priority: folder.len() as u32 + 1,
                    allow: true,
                    access: Access {
                        is_allowed: true,
                        line_no: Some(rule.line_no),
                    },
                    pattern: folder,
                    is_folder: true,
                });
            }
        }
        ranked.sort_by_key(|rule| (u32::MAX - rule.priority, !rule.allow));
        let mut compiled = CompiledRules::default();
        let mut answers = Vec::with_capacity(ranked.len());
        for rule in &ranked {
            compiled.push(pattern::iter_pattern_parts(rule.pattern, rule.is_folder));
            answers.push(rule.access);
        }
        (self.compiled, self.answers) = (compiled, answers);
    }

    /// Compiles the rules of `rfc9309`. The rule with the most octets in normal form decides; among
    /// equally long ones an allow rule (RFC 9309 §2.2.2).
    fn compile_rfc9309(&mut self) {
        let mut all_steps = Vec::new();
        let mut ranked: Vec<RankedRfc9309Rule<'_>> = Vec::with_capacity(self.rules.len());
        for rule in &self.rules {
            let start = all_steps.len();
            if let Some(priority) = rfc9309::push_steps(self.value(rule), &mut all_steps) {
                ranked.push(RankedRfc9309Rule {
                    priority,
                    rule,
                    steps: start..all_steps.len(),
                });
            }
        }
        ranked.sort_by_key(|ranked| (u32::MAX - ranked.priority, !ranked.rule.allow));
        let mut compiled = CompiledRules::default();
        let mut answers = Vec::with_capacity(ranked.len());
        let (mut uncompiled, mut parts) = (Vec::new(), Vec::new());
        for RankedRfc9309Rule { rule, steps, .. } in ranked {
            let steps = &all_steps[steps];
            let access = Access {
                is_allowed: rule.allow,
                line_no: Some(rule.line_no),
            };
            parts.clear();
            if rfc9309::push_parts(steps, &mut parts) {
                compiled.push(parts.iter().copied());
                answers.push(access);
            } else {
                uncompiled.push(UncompiledRule {
                    compiled_before: answers.len(),
                    steps: steps.to_vec(),
                    access,
                });
            }
        }
        (self.compiled, self.answers, self.uncompiled) = (compiled, answers, uncompiled);
    }

    fn value(&self, rule: &PolicyRule) -> &[u8] {
        &self.text[rule.value.start as usize..rule.value.end as usize]
    }

    /// Returns true if a user-agent line names the crawler.
    pub fn is_named(&self) -> bool {
        self.is_named
    }

    /// Returns the lines that apply to the crawler, in the order of the file: the user-agent lines
    /// that name it, or else those of `*`, and the rules of their groups.
    ///
    /// ```
    /// use robotstxt_dialects::{Dialect, Parser, Policy};
    ///
    /// let mut parser = Parser::new();
    /// let body = b"User-agent: a\nUser-agent: b\nDisallow: /x\n\nUser-agent: *\nAllow: /\n";
    /// let policy = Policy::new(Dialect::Google, &parser.parse(body), b"b");
    /// assert_eq!(policy.lines(), [2, 3]);
    /// ```
    pub fn lines(&self) -> Vec<u32> {
        let rules = self.rules.iter().map(|rule| rule.line_no);
        let mut lines: Vec<u32> = self.agent_lines.iter().copied().chain(rules).collect();
        lines.sort_unstable();
        lines
    }

    /// Returns the answer for a URL. Its path is extracted as
    /// [`path_of_url`](crate::path_of_url) does.
    ///
    /// ```
    /// use robotstxt_dialects::{Access, Dialect, Parser, Policy};
    ///
    /// let mut parser = Parser::new();
    /// let robots_txt = parser.parse(b"User-agent: *\nDisallow: /shop\nAllow: /shop/open\n");
    /// let policy = Policy::new(Dialect::Google, &robots_txt, b"ExampleBot");
    /// let access = policy.access(b"https://example.com/shop/open?page=2#top");
    /// assert_eq!(access, Access { is_allowed: true, line_no: Some(3) });
    /// // Google's parser compares octets: it leaves encoding to the crawler.
    /// assert!(policy.access(b"https://example.com/%73hop").is_allowed);
    /// let rfc9309 = Policy::new(Dialect::Rfc9309, &robots_txt, b"ExampleBot");
    /// assert!(!rfc9309.access(b"https://example.com/%73hop").is_allowed);
    /// ```
    pub fn access(&self, url: &[u8]) -> Access {
        let mut scratch = Vec::new();
        self.access_path(pattern::path_of_url(url, &mut scratch))
    }

    /// Returns the answer for a path of a URL: from its `/` on, including the query, without a
    /// fragment. `google` compares its octets; the other dialects compare normal forms.
    pub fn access_path(&self, path: &[u8]) -> Access {
        let found = match self.dialect {
            Dialect::Google => self.compiled.find_first(path),
            Dialect::Koster1996 => self.compiled.find_first(&koster1996::decode_path(path)),
            Dialect::Rfc9309 => {
                let octets = rfc9309::normalize_path_to_octets(path);
                // /robots.txt is always allowed (§2.2.2).
                if *octets == *b"/robots.txt" {
                    return Access::NO_MATCH;
                }
                let found = self.compiled.find_first(&octets);
                if let Some(access) = self.find_uncompiled_access(path, found) {
                    return access;
                }
                found
            }
        };
        found.map_or(Access::NO_MATCH, |index| self.answers[index])
    }

    /// Returns the answer of the first uncompiled rule that matches, if its precedence is higher
    /// than that of `found`, the index of the compiled rule that matches.
    fn find_uncompiled_access(&self, path: &[u8], found: Option<usize>) -> Option<Access> {
        let last = self.uncompiled.last()?;
        let end = found.unwrap_or(last.compiled_before);
        let symbols = rfc9309::normalize_path_to_symbols(path);
        self.uncompiled
            .iter()
            .take_while(|rule| rule.compiled_before <= end)
            .find(|rule| percent::matches_symbols(&rule.steps, &symbols))
            .map(|rule| rule.access)
    }

    /// Returns the preference for a URL and a category of a vocabulary, given by its index in
    /// [`Vocabulary::categories`]. A URL that the crawler may not fetch has no preference
    /// (draft-ietf-aipref-attach, "Content-Usage Rule Semantics"). In `koster1996`, which has no
    /// statements, the preference is unknown.
    ///
    /// ```
    /// use robotstxt_dialects::{Dialect, Parser, Policy, UrlPreference, Preference, Vocabulary};
    ///
    /// let mut parser = Parser::new();
    /// let body = b"User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /ok/ train-ai=y\n";
    /// let policy = Policy::new(Dialect::Rfc9309, &parser.parse(body), b"ExampleBot");
    /// let vocabulary = Vocabulary::content_usage(None);
    /// assert_eq!(
    ///     policy.preference(vocabulary, 0, b"https://example.com/ok/a"),
    ///     UrlPreference { preference: Some(Preference::Allowed), line_no: Some(3) }
    /// );
    /// ```
    pub fn preference(
        &self,
        vocabulary: &Vocabulary,
        category: usize,
        url: &[u8],
    ) -> UrlPreference {
        let mut scratch = Vec::new();
        self.preference_path(
            vocabulary,
            category,
            pattern::path_of_url(url, &mut scratch),
        )
    }

    /// Returns the preference for a path of a URL, in the form that
    /// [`access_path`](Self::access_path) takes.
    pub fn preference_path(
        &self,
        vocabulary: &Vocabulary,
        category: usize,
        path: &[u8],
    ) -> UrlPreference {
        let access = self.access_path(path);
        if !access.is_allowed {
            return UrlPreference {
                preference: None,
                line_no: access.line_no,
            };
        }
        let rules = self.statements(vocabulary.mechanism());
        let octets = match self.dialect {
            Dialect::Rfc9309 => rfc9309::normalize_path_to_octets(path),
            Dialect::Google | Dialect::Koster1996 => path.into(),
        };
        let (preference, line_no) = rules.find_preference(vocabulary, category, path, &octets);
        UrlPreference {
            preference: Some(preference),
            line_no,
        }
    }

    /// Returns the statements of a mechanism, which must be `Content-Usage` or `Content-Signal`.
    fn statements(&self, mechanism: Mechanism) -> &PreferenceRules {
        match mechanism {
            Mechanism::ContentSignal => &self.content_signal,
            _ => &self.content_usage,
        }
    }

    /// Returns true if a statement of `Content-Usage` or `Content-Signal` concerns the crawler.
    pub fn has_statements(&self, mechanism: Mechanism) -> bool {
        self.statements(mechanism).has_statements()
    }

    /// Returns the verdict: whether the rules allow all, some or no paths, `/robots.txt` excluded.
    ///
    /// The verdict is exact. It is [`Verdict::Unknown`] if the work budget is exceeded, which
    /// happens only for files constructed for the purpose.
    ///
    /// ```
    /// use robotstxt_dialects::{Dialect, Parser, Policy, Verdict};
    ///
    /// let mut parser = Parser::new();
    /// let body = b"User-agent: a\nDisallow: /\nAllow: /x\nDisallow: /x*\n";
    /// let policy = Policy::new(Dialect::Google, &parser.parse(body), b"a");
    /// // A longer rule disallows every path that the allow rule matches.
    /// assert_eq!(policy.verdict(), Verdict::DisallowAll);
    /// ```
    pub fn verdict(&self) -> Verdict {
        let (mut buffers, mut work_budget) = (CoverageBuffers::default(), WORK_BUDGET);
        match self.dialect {
            Dialect::Google => {
                let mut merged = MergedRules::new(&mut buffers);
                for rule in &self.rules {
                    merged.add_google_rule(rule.allow, rule.line_no, self.value(rule));
                }
                merged.compute_coverage(&mut work_budget).verdict
            }
            Dialect::Rfc9309 => {
                let rules = self.rules.iter().map(|rule| RawRule {
                    allow: rule.allow,
                    line_no: rule.line_no,
                    value: self.value(rule),
                });
                compute_merged_verdict_rfc9309(rules, &mut buffers, &mut work_budget)
            }
            Dialect::Koster1996 => {
                let rules = self.rules.iter().map(|rule| koster1996::KosterRule {
                    allow: rule.allow,
                    line_no: rule.line_no,
                    path: self.value(rule),
                });
                koster1996::compute_verdict(rules)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parser;

    fn access(body: &str, agent: &str, url: &str) -> (bool, Option<u32>) {
        let mut parser = Parser::new();
        let robots_txt = parser.parse(body.as_bytes());
        let answer = Policy::new_google(&robots_txt, &[agent.as_bytes()]).access(url.as_bytes());
        (answer.is_allowed, answer.line_no)
    }

    #[test]
    fn a_later_group_with_several_names_applies_to_each_of_them() {
        let body = "user-agent: *\nallow: /\n\nuser-agent: GPTBot\nuser-agent: CCBot\nuser-agent: ClaudeBot\ndisallow: /\n";
        for agent in ["gptbot", "CCBot", "ClaudeBot"] {
            assert_eq!(access(body, agent, "http://h/x"), (false, Some(7)));
        }
        assert_eq!(access(body, "FooBot", "http://h/x"), (true, Some(2)));
    }

    #[test]
    fn the_lines_of_a_policy_are_those_that_apply_in_its_dialect() {
        let body = b"User-agent: A\nUser-agent: b\nDisallow: /1\n\nUser-agent: *\nDisallow: /2\n\n\
            User-agent: a/2\nAllow: /3\n\nUser-agent: a\nDisallow /4\nAllow: /5\n";
        let mut parser = Parser::new();
        let robots_txt = parser.parse(body);
        let lines = |dialect, agent: &[u8]| Policy::new(dialect, &robots_txt, agent).lines();
        let google = [1, 3, 8, 9, 11, 12, 13];
        assert_eq!(lines(Dialect::Google, b"a"), google);
        assert_eq!(
            Policy::from_whole_names(&robots_txt, &[b"a"], false).lines(),
            google
        );
        assert_eq!(lines(Dialect::Rfc9309, b"a"), [1, 3, 11, 13]);
        assert_eq!(lines(Dialect::Koster1996, b"a"), [1, 3]);
        for dialect in Dialect::ALL {
            assert_eq!(lines(dialect, b"c"), [5, 6], "{dialect:?}");
        }
        let ignoring = Policy::from_whole_names(&robots_txt, &[b"c"], true);
        assert!(ignoring.lines().is_empty());
    }

    #[test]
    fn a_star_and_the_empty_name_match_no_group() {
        let mut parser = Parser::new();
        let robots_txt = parser.parse(b"User-agent: *\nAllow: /\nUser-agent: (x)\nDisallow: /\n");
        for name in [&b""[..], b"*"] {
            let policy = Policy::from_whole_names(&robots_txt, &[name], false);
            assert!(!policy.is_named());
            assert!(policy.access(b"http://h/x").is_allowed);
        }
    }
}

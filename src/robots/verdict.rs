//! The answer for one crawler and the whole file.
//!
//! A [`Judge`] gathers who is named in a file, merges the rules of each, and
//! decides what paths those rules leave. Nearly every file has a shape that is
//! decided by looking at its rules: one that matches everything, and a path
//! built from a rule that shows the other answer. Both are proofs; where
//! neither is found, the automaton of `reach` searches all paths.
//!
//! How rules are decided stands in `decider`.

use crate::changes;
use crate::decider::Decider;
use crate::key::Key;
use crate::reach::Limits;
use crate::rfc9309;
use crate::robots::{Directive, Robots};
use crate::strict::{Records, StrictGroups};
use crate::token::{is_product_token, is_wildcard};
use std::collections::HashMap;

/// What a file's rules leave to a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No path may be fetched.
    DisallowAll,
    /// Some paths may be fetched, and some not.
    Partial,
    /// Every path may be fetched.
    AllowAll,
    /// It could not be decided.
    Unknown,
}

impl Verdict {
    /// The word that stands in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::DisallowAll => "disallow_all",
            Self::Partial => "partial",
            Self::AllowAll => "allow_all",
            Self::Unknown => "unknown",
        }
    }
}

/// What a verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Groups that name the crawler.
    Explicit,
    /// The groups of `*`.
    Wildcard,
    /// There are groups, but none for the crawler or `*`.
    NoGroup,
    /// The file addresses nobody.
    NoRules,
    /// The status of the response, not its body.
    HttpStatus,
    /// The work limit was met.
    TooComplex,
}

impl Basis {
    /// The word that stands in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Wildcard => "wildcard",
            Self::NoGroup => "no_group",
            Self::NoRules => "no_rules",
            Self::HttpStatus => "http_status",
            Self::TooComplex => "too_complex",
        }
    }
}

/// The verdicts for one name that a file holds, or for `*`.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentVerdict<'a> {
    /// A whole name or a token, lower-cased; `*` for everybody else.
    pub agent: &'a [u8],
    /// By Google's rules, names compared whole.
    pub verdict: Verdict,
    /// By Google's rules as its parser applies them to a crawler of this name.
    pub verdict_google: Verdict,
    /// By RFC 9309, for a crawler that calls itself by this name.
    pub verdict_rfc9309: Verdict,
    /// By Koster's draft of 1996, likewise.
    pub verdict_koster1996: Verdict,
    /// What `verdict` rests on.
    pub basis: Basis,
    /// Whether `/` may be fetched, by `verdict`'s rules.
    pub is_root_allowed: bool,
    /// Allow lines that were merged for `verdict`.
    pub n_allow: u32,
    /// Disallow lines that were merged for `verdict`.
    pub n_disallow: u32,
    /// The first valid crawl-delay of the groups, in seconds.
    pub crawl_delay: Option<f64>,
    /// The line that shows the verdict, 0 for none.
    pub evidence_line: u32,
}

impl AgentVerdict<'_> {
    /// Whether a verdict is unknown because the work limit was met
    /// ([`Anomaly::TooComplex`](crate::Anomaly::TooComplex)).
    pub fn is_undecided(&self) -> bool {
        let verdicts = [
            self.verdict,
            self.verdict_google,
            self.verdict_rfc9309,
            self.verdict_koster1996,
        ];
        verdicts.contains(&Verdict::Unknown)
    }
}

/// Bounds on the work for one file. No real file is known to come near them.
pub(crate) const SEARCH_LIMITS: Limits = Limits {
    states: 20_000,
    work: 20_000_000,
};
/// Lines that may be looked at while rules are merged, over all names.
pub(crate) const MERGE_WORK_MAX: u64 = 20_000_000;
/// Paths built from rules that are tried before all paths are searched.
pub(crate) const WITNESSES_MAX: usize = 24;

/// Decides verdicts, one file after the other.
#[derive(Debug, Default)]
pub struct Judge {
    work: u64,
}

/// The verdict of one set of groups, with what a row says of it.
#[derive(Clone, Copy, Debug)]
struct Decision {
    verdict: Verdict,
    is_too_complex: bool,
    is_root_allowed: bool,
    n_allow: u32,
    n_disallow: u32,
    crawl_delay: Option<f64>,
    evidence_line: u32,
}

/// Where a name stands.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// Groups with it as a whole name, in order.
    pub(crate) by_name: Vec<u32>,
    /// Groups with it as a token, in order.
    pub(crate) by_token: Vec<u32>,
    /// Groups with it as the whole value, a product token by RFC 9309.
    by_product_token: Vec<u32>,
}

impl Judge {
    /// Makes a judge.
    pub fn new() -> Self {
        Self::default()
    }

    /// Decides for `*` and for every whole name and token that the lines
    /// which count hold: `*` first, then in the order of their first lines.
    pub fn judge<'a>(&mut self, robots: &Robots<'a>) -> Vec<AgentVerdict<'a>> {
        self.work = 0;
        let names = Names::gather(robots);
        let mut decided = HashMap::new();
        let everybody = self.decide(robots, &names.everybody, &mut decided);
        let others_basis = if everybody.is_too_complex {
            Basis::TooComplex
        } else if !names.everybody.is_empty() {
            Basis::Wildcard
        } else if names.in_order.is_empty() {
            Basis::NoRules
        } else {
            Basis::NoGroup
        };
        let mut records = Records::gather(robots);
        // Where Google reads the lines as the RFC does, its groups serve.
        let mut strict = if rfc9309::is_plain(robots) {
            None
        } else {
            Some(StrictGroups::gather(robots))
        };
        let everybody_strict = match &mut strict {
            Some(groups) => groups.verdict(b"*"),
            None => {
                self.decide(robots, &names.everybody_strict, &mut decided)
                    .verdict
            }
        };
        let mut rows = vec![AgentVerdict {
            verdict_rfc9309: everybody_strict,
            verdict_koster1996: records.verdict(b"*"),
            ..row(b"*", everybody, everybody.verdict, others_basis)
        }];
        for (agent, places) in &names.in_order {
            let google = if places.by_token.is_empty() {
                everybody
            } else {
                self.decide(robots, &places.by_token, &mut decided)
            };
            let own = if places.by_name.is_empty() {
                row(agent, everybody, google.verdict, others_basis)
            } else {
                let own = self.decide(robots, &places.by_name, &mut decided);
                let basis = if own.is_too_complex {
                    Basis::TooComplex
                } else {
                    Basis::Explicit
                };
                row(agent, own, google.verdict, basis)
            };
            let verdict_rfc9309 = match &mut strict {
                Some(groups) => groups.verdict(agent),
                None if places.by_product_token.is_empty() => everybody_strict,
                None => {
                    self.decide(robots, &places.by_product_token, &mut decided)
                        .verdict
                }
            };
            rows.push(AgentVerdict {
                verdict_rfc9309,
                verdict_koster1996: records.verdict(agent),
                ..own
            });
        }
        rows
    }

    /// Lines with liberties, in order, and whether reading each by the grammar
    /// of RFC 9309, all others unchanged, gives another `verdict` to `*` or to
    /// any name of the file; `None` past a work limit. `rows` are those of
    /// [`judge`](Self::judge).
    pub fn changes(
        &self,
        robots: &Robots<'_>,
        rows: &[AgentVerdict<'_>],
    ) -> Vec<(u32, Option<bool>)> {
        changes::changes(robots, rows)
    }

    /// Decides for a set of groups, once.
    fn decide(
        &mut self,
        robots: &Robots<'_>,
        groups: &[u32],
        decided: &mut HashMap<Vec<u32>, Decision>,
    ) -> Decision {
        if let Some(decision) = decided.get(groups) {
            return *decision;
        }
        let decision = self.decide_anew(robots, groups);
        decided.insert(groups.to_vec(), decision);
        decision
    }

    fn decide_anew(&mut self, robots: &Robots<'_>, groups: &[u32]) -> Decision {
        let mut decision = Decision {
            verdict: Verdict::AllowAll,
            is_too_complex: false,
            is_root_allowed: true,
            n_allow: 0,
            n_disallow: 0,
            crawl_delay: None,
            evidence_line: groups
                .first()
                .map_or(0, |&no| robots.groups()[no as usize - 1].line_no),
        };
        let mut decider = Decider::default();
        for &no in groups {
            decision.crawl_delay = decision
                .crawl_delay
                .or(robots.groups()[no as usize - 1].crawl_delay);
            let lines = robots.group_directives(no);
            self.work += lines.len() as u64;
            if self.work > MERGE_WORK_MAX {
                return Decision {
                    verdict: Verdict::Unknown,
                    is_too_complex: true,
                    ..decision
                };
            }
            for line in lines.iter().filter(|it| it.counts) {
                match line.key {
                    Key::Allow => decision.n_allow += 1,
                    Key::Disallow => decision.n_disallow += 1,
                    _ => continue,
                }
                decider.add(
                    line.key == Key::Allow,
                    line.line_no,
                    robots.text(line.value),
                );
            }
        }
        let (is_root_allowed, _) = decider.access(b"/");
        decision.is_root_allowed = is_root_allowed;
        let decided = decider.verdict();
        decision.is_too_complex = decided.verdict == Verdict::Unknown;
        decision.verdict = decided.verdict;
        if decided.line_no != 0 {
            decision.evidence_line = decided.line_no;
        }
        decision
    }
}

impl<'a> Robots<'a> {
    /// The directives from the first line of group `no` up to the next group.
    pub fn group_directives(&self, no: u32) -> &'a [Directive] {
        let groups = self.groups();
        let end = groups
            .get(no as usize)
            .map_or(self.directives().len(), |next| next.first);
        &self.directives()[groups[no as usize - 1].first..end]
    }
}

fn row<'a>(
    agent: &'a [u8],
    decision: Decision,
    verdict_google: Verdict,
    basis: Basis,
) -> AgentVerdict<'a> {
    AgentVerdict {
        agent,
        verdict: decision.verdict,
        verdict_google,
        verdict_rfc9309: Verdict::Unknown,
        verdict_koster1996: Verdict::Unknown,
        basis,
        is_root_allowed: decision.is_root_allowed,
        n_allow: decision.n_allow,
        n_disallow: decision.n_disallow,
        crawl_delay: decision.crawl_delay,
        evidence_line: decision.evidence_line,
    }
}

/// Who is named in a file, and in which groups.
pub(crate) struct Names<'a> {
    pub(crate) everybody: Vec<u32>,
    /// Groups with `*` as the whole value.
    everybody_strict: Vec<u32>,
    pub(crate) in_order: Vec<(&'a [u8], Places)>,
}

impl<'a> Names<'a> {
    pub(crate) fn gather(robots: &Robots<'a>) -> Self {
        let mut names = Self {
            everybody: Vec::new(),
            everybody_strict: Vec::new(),
            in_order: Vec::new(),
        };
        let mut index: HashMap<&'a [u8], usize> = HashMap::new();
        for line in robots
            .directives()
            .iter()
            .filter(|it| it.key == Key::UserAgent && it.counts)
        {
            if is_wildcard(robots.text(line.value)) {
                add(&mut names.everybody, line.group_no);
                if robots.text(line.value_raw) == b"*" {
                    add(&mut names.everybody_strict, line.group_no);
                }
                continue;
            }
            let (name, token) = (robots.text(line.name), robots.text(line.token));
            let mut places_of = |agent: &'a [u8]| {
                *index.entry(agent).or_insert_with(|| {
                    names.in_order.push((agent, Places::default()));
                    names.in_order.len() - 1
                })
            };
            if !name.is_empty() {
                let at = places_of(name);
                add(&mut names.in_order[at].1.by_name, line.group_no);
            }
            if !token.is_empty() {
                let at = *index.entry(token).or_insert_with(|| {
                    names.in_order.push((token, Places::default()));
                    names.in_order.len() - 1
                });
                add(&mut names.in_order[at].1.by_token, line.group_no);
                if is_product_token(robots.text(line.value_raw)) {
                    add(&mut names.in_order[at].1.by_product_token, line.group_no);
                }
            }
        }
        names
    }
}

fn add(groups: &mut Vec<u32>, no: u32) {
    if groups.last() != Some(&no) {
        groups.push(no);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parser;

    fn verdict(body: &str) -> Verdict {
        let mut parser = Parser::new();
        let robots = parser.parse(body.as_bytes());
        Judge::new().judge(&robots)[0].verdict
    }

    fn of_rules(rules: &[(bool, &str)]) -> String {
        let mut body = String::from("user-agent: *\n");
        for (allow, path) in rules {
            body.push_str(if *allow { "allow: " } else { "disallow: " });
            body.push_str(path);
            body.push('\n');
        }
        body
    }

    #[test]
    fn verdicts_are_what_the_design_defines() {
        use Verdict::{AllowAll, DisallowAll, Partial};
        let cases: &[(&[(bool, &str)], Verdict)] = &[
            (&[], AllowAll),
            (&[(false, "")], AllowAll),
            (&[(false, "/")], DisallowAll),
            (&[(false, "/*")], DisallowAll),
            (&[(false, "*")], DisallowAll),
            (&[(false, "/x")], Partial),
            (&[(false, "x")], AllowAll),
            (&[(false, "/"), (true, "/$")], Partial),
            (&[(false, "/"), (true, "/")], AllowAll),
            (&[(false, "/"), (true, "/a"), (false, "/a*")], DisallowAll),
            (
                &[(false, "/"), (true, "/a"), (false, "/a*"), (true, "/a*b")],
                Partial,
            ),
            (&[(false, "/"), (true, "/robots.txt$")], DisallowAll),
            (&[(false, "/"), (true, "/robots.txt")], Partial),
            (&[(false, "/robots.txt$")], AllowAll),
            (&[(false, "/robots.txt")], Partial),
            (&[(false, "/a"), (true, "/a*")], AllowAll),
            (
                &[(false, "/"), (true, "/index.html"), (false, "/index.html*")],
                Partial,
            ),
            (&[(false, "/$"), (false, "/*")], DisallowAll),
            (
                &[(true, "/*/"), (false, "/*"), (false, "/**/")],
                DisallowAll,
            ),
        ];
        for (rules, expected) in cases {
            assert_eq!(verdict(&of_rules(rules)), *expected, "{rules:?}");
        }
    }

    /// Looks at every path up to a length over a small alphabet, with an
    /// octet that no rule names.
    fn brute_force(rules: &[(bool, &str)], len: usize) -> Verdict {
        let body = of_rules(rules);
        let mut parser = Parser::new();
        let robots = parser.parse(body.as_bytes());
        let policy = crate::Policy::google(&robots, &[b"x"]);
        let (mut allows, mut disallows) = (false, false);
        let mut paths = vec![b"/".to_vec()];
        for _ in 0..=len {
            for path in &paths {
                if policy.access_path(path).is_allowed {
                    allows = true
                } else {
                    disallows = true
                }
            }
            paths = paths
                .iter()
                .flat_map(|path| {
                    b"ab/\xff"
                        .iter()
                        .map(|&it| [path.as_slice(), &[it]].concat())
                })
                .collect();
        }
        match (allows, disallows) {
            (true, true) => Verdict::Partial,
            (true, false) => Verdict::AllowAll,
            _ => Verdict::DisallowAll,
        }
    }

    #[test]
    fn reachability_agrees_with_brute_force() {
        let mut seed = 0x2545_f491_4f6c_dd1du64;
        let mut random = move |below: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % below as u64) as usize
        };
        for _ in 0..4000 {
            let n = 1 + random(5);
            let texts: Vec<(bool, String)> = (0..n)
                .map(|_| {
                    let mut text = String::from(["/", "/", "/", "*", "/*"][random(5)]);
                    for _ in 0..random(4) {
                        text.push_str(["a", "b", "*", "/", "*", "$"][random(6)]);
                    }
                    if random(5) == 0 {
                        text.push('$');
                    }
                    (random(2) == 0, text)
                })
                .collect();
            // A `$` inside is an octet that the small alphabet lacks.
            if texts
                .iter()
                .any(|(_, text)| text[..text.len() - 1].contains('$'))
            {
                continue;
            }
            let rules: Vec<(bool, &str)> = texts
                .iter()
                .map(|(allow, text)| (*allow, text.as_str()))
                .collect();
            assert_eq!(
                verdict(&of_rules(&rules)),
                brute_force(&rules, 5),
                "{rules:?}"
            );
        }
    }

    #[test]
    fn names_are_compared_whole_for_verdict_and_cut_for_google() {
        let mut parser = Parser::new();
        let robots = parser.parse(b"User-agent: MJ12bot\nDisallow: /\n");
        let rows = Judge::new().judge(&robots);
        let seen: Vec<_> = rows
            .iter()
            .map(|it| (it.agent, it.verdict, it.verdict_google, it.basis))
            .collect();
        use Verdict::{AllowAll, DisallowAll};
        assert_eq!(
            seen,
            [
                (&b"*"[..], AllowAll, AllowAll, Basis::NoGroup),
                (b"mj12bot", DisallowAll, AllowAll, Basis::Explicit),
                (b"mj", AllowAll, DisallowAll, Basis::NoGroup),
            ]
        );
    }

    #[test]
    fn a_file_that_names_nobody_has_no_rules() {
        let mut parser = Parser::new();
        let robots = parser.parse(b"Sitemap: http://h/s.xml\nDisallow: /\n");
        let rows = Judge::new().judge(&robots);
        assert_eq!(
            (rows.len(), rows[0].basis, rows[0].verdict),
            (1, Basis::NoRules, Verdict::AllowAll)
        );
    }
}

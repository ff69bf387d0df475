//! A fingerprint of what a file means.

use crate::document::{RobotsTxt, Span};
use crate::parse::directive_kind::DirectiveKind;
use crate::verdict::evaluator::{Evaluation, Evaluator};

/// Hashes the sorted set of (name, sorted set of its merged rules), as
/// [`AgentVerdict::verdict`](crate::AgentVerdict) reads them: equal for files
/// that give every crawler the same rules, whatever the order of groups and
/// lines, comments, sitemaps, and case of keys.
///
/// A rule is its direction and its escaped path; empty rules are dropped,
/// names without rules are kept. `hash` must be stable for the result to be.
pub fn fingerprint(robots: &RobotsTxt<'_>, hash: impl Fn(&[u8]) -> u64) -> u64 {
    Evaluator::new().evaluate(robots).fingerprint(hash)
}

/// Memory that one file leaves to the next.
#[derive(Debug, Default)]
pub(crate) struct FingerprintBuffers {
    /// What each name begins with, the name, and its set of groups.
    agents: Vec<(u64, Span, u32)>,
    rules: Vec<FingerprintRule>,
    all: Vec<u8>,
    text: Vec<u8>,
}

/// A rule in the order of rules: those that disallow come first.
#[derive(Clone, Copy, Debug)]
struct FingerprintRule {
    /// Whether it allows, and what its path begins with.
    key: u64,
    path: Span,
}

impl Evaluation<'_, '_> {
    /// The [fingerprint](fingerprint) of what the file means.
    pub fn fingerprint(&mut self, hash: impl Fn(&[u8]) -> u64) -> u64 {
        let robots = self.robots;
        let mut memory = std::mem::take(&mut self.evaluator.fingerprint_buffers);
        memory.agents.clear();
        for name in &self.evaluator.names.in_order {
            if !name.by_name.is_empty() {
                let set = self.evaluator.sets.of(&self.evaluator.names, name.by_name);
                let begin = begin(robots.text(name.text));
                memory.agents.push((begin, name.text, set));
            }
        }
        memory.agents.sort_unstable_by(|a, b| {
            let by_begin = a.0.cmp(&b.0);
            by_begin.then_with(|| robots.text(a.1).cmp(robots.text(b.1)))
        });
        memory.all.clear();
        let everybody = self.evaluator.names.everybody.by_name;
        let mut everybody = (!everybody.is_empty()).then_some(everybody);
        for at in 0..memory.agents.len() {
            let (_, agent, set) = memory.agents[at];
            let agent = robots.text(agent);
            if agent > b"*".as_slice()
                && let Some(groups) = everybody.take()
            {
                let set = self.evaluator.sets.of(&self.evaluator.names, groups);
                self.add_agent(b"*", set, &mut memory, &hash);
            }
            self.add_agent(agent, set, &mut memory, &hash);
        }
        if let Some(groups) = everybody {
            let set = self.evaluator.sets.of(&self.evaluator.names, groups);
            self.add_agent(b"*", set, &mut memory, &hash);
        }
        let hash = hash(&memory.all);
        self.evaluator.fingerprint_buffers = memory;
        hash
    }

    fn add_agent(
        &mut self,
        agent: &[u8],
        set: u32,
        memory: &mut FingerprintBuffers,
        hash: &impl Fn(&[u8]) -> u64,
    ) {
        let known = self.evaluator.sets.get(set).rules;
        let rules = known.unwrap_or_else(|| {
            memory.write_rules(&self.robots, self.evaluator.sets.groups(set));
            let rules = hash(&memory.text);
            self.evaluator.sets.get(set).rules = Some(rules);
            rules
        });
        memory.all.extend_from_slice(agent);
        memory.all.push(0);
        memory.all.extend_from_slice(&rules.to_le_bytes());
    }
}

impl FingerprintBuffers {
    /// Writes the merged rules of groups: sorted, once each, every one ended
    /// by a NUL, which no path can hold.
    fn write_rules(&mut self, robots: &RobotsTxt<'_>, groups: &[u32]) {
        self.rules.clear();
        for line in groups.iter().flat_map(|&no| robots.group_directives(no)) {
            let is_rule = matches!(line.kind, DirectiveKind::Allow | DirectiveKind::Disallow);
            if is_rule && line.counts && !line.value.is_empty() {
                let key = key(line.kind == DirectiveKind::Allow, robots.text(line.value));
                let path = line.value;
                self.rules.push(FingerprintRule { key, path });
            }
        }
        self.rules.sort_unstable_by(|a, b| {
            let by_key = a.key.cmp(&b.key);
            by_key.then_with(|| robots.text(a.path).cmp(robots.text(b.path)))
        });
        self.text.clear();
        let mut last: Option<FingerprintRule> = None;
        for rule in &self.rules {
            let path = robots.text(rule.path);
            if last.is_some_and(|last| last.key == rule.key && robots.text(last.path) == path) {
                continue;
            }
            last = Some(*rule);
            self.text.push(if rule.allow() { b'+' } else { b'-' });
            self.text.extend_from_slice(path);
            self.text.push(0);
        }
    }
}

impl FingerprintRule {
    fn allow(&self) -> bool {
        self.key >> 63 == 1
    }
}

/// Sorts as direction and path do, as far as it goes: the last octet without
/// its lowest bit.
fn key(allow: bool, path: &[u8]) -> u64 {
    u64::from(allow) << 63 | begin(path) >> 1
}

/// The first eight octets, which sort as the text does as far as they go.
fn begin(text: &[u8]) -> u64 {
    match text.first_chunk::<8>() {
        Some(octets) => u64::from_be_bytes(*octets),
        None => {
            let octets = text
                .iter()
                .fold(0, |all, &octet| all << 8 | u64::from(octet));
            octets << (8 * (7 - text.len())) << 8
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fingerprint;
    use crate::Parser;
    use std::hash::Hasher;

    fn id(body: &str) -> u64 {
        let mut parser = Parser::new();
        let robots = parser.parse(body.as_bytes());
        fingerprint(&robots, hash)
    }

    fn hash(bytes: &[u8]) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        hasher.write(bytes);
        hasher.finish()
    }

    #[test]
    fn order_comments_and_case_do_not_matter() {
        let a = id("User-agent: a\nDisallow: /x\nAllow: /y\n\nUser-agent: *\nDisallow:\n");
        let b = id(
            "user-agent: *\n# nothing\nuser-AGENT: A/1.0\nSitemap: http://h/s\nallow: /y\nDISALLOW: /x\nuser-agent: *\n",
        );
        // In the second file `*` has rules too.
        assert_ne!(a, b);
        let b = id(
            "user-agent: *\ndisallow:\n# nothing\nuser-AGENT: A/1.0\nSitemap: http://h/s\nallow: /y\nDISALLOW: /x\n",
        );
        assert_eq!(a, b);
        assert_eq!(
            a,
            id(
                "User-agent: a\nDisallow: /x\nUser-agent: *\nDisallow:\nUser-agent: a\nAllow: /y\nDisallow: /x\n"
            )
        );
    }

    #[test]
    fn a_name_without_rules_is_kept() {
        assert_ne!(
            id("User-agent: *\nDisallow: /\nUser-agent: a\n"),
            id("User-agent: *\nDisallow: /\n")
        );
    }
}

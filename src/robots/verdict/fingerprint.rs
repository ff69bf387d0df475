//! The fingerprint of a file: a hash of the rules that it gives to each crawler. The column
//! `ruleset_id` stores it.

use super::agents::AgentIndex;
use super::group_sets::GroupSets;
use crate::document::{DirectiveKind, RobotsTxt, Span};

/// Buffers that are reused for one fingerprint after the other.
#[derive(Debug, Default)]
pub(crate) struct FingerprintBuffers {
    agents: Vec<NamedGroupSet>,
    rules: Vec<FingerprintRule>,
    /// The input of the hash of the file: each name with the hash of its rules.
    file_input: Vec<u8>,
    /// The input of the hash of one set of rules.
    rules_input: Vec<u8>,
}

/// A name and its set of groups.
#[derive(Clone, Copy, Debug)]
struct NamedGroupSet {
    /// The [`sort_prefix`] of the name.
    sort_prefix: u64,
    name: Span,
    set: u32,
}

/// A rule with its sort key. Disallow rules sort before allow rules.
#[derive(Clone, Copy, Debug)]
struct FingerprintRule {
    /// The [`sort_key`]: the direction in the highest bit (1 for allow), and the beginning of the
    /// path.
    key: u64,
    path: Span,
}

impl FingerprintBuffers {
    /// Computes the [fingerprint](crate::Evaluation::fingerprint) of a file.
    pub(crate) fn fingerprint(
        &mut self,
        robots_txt: &RobotsTxt<'_>,
        agents: &AgentIndex,
        sets: &mut GroupSets,
        hash: impl Fn(&[u8]) -> u64,
    ) -> u64 {
        self.gather_sorted_agents(robots_txt, agents, sets);
        self.file_input.clear();
        let wildcard = agents.wildcard.name_groups;
        let mut wildcard = (!wildcard.is_empty()).then_some(wildcard);
        for i in 0..self.agents.len() {
            let NamedGroupSet { name, set, .. } = self.agents[i];
            let name = robots_txt.text(name);
            if name > b"*".as_slice()
                && let Some(groups) = wildcard.take()
            {
                let set = sets.intern_agent_groups(agents, groups);
                self.add_agent(robots_txt, b"*", set, sets, &hash);
            }
            self.add_agent(robots_txt, name, set, sets, &hash);
        }
        if let Some(groups) = wildcard {
            let set = sets.intern_agent_groups(agents, groups);
            self.add_agent(robots_txt, b"*", set, sets, &hash);
        }
        hash(&self.file_input)
    }

    /// Gathers the whole names and their sets of groups, sorted by name.
    fn gather_sorted_agents(
        &mut self,
        robots_txt: &RobotsTxt<'_>,
        agents: &AgentIndex,
        sets: &mut GroupSets,
    ) {
        self.agents.clear();
        for agent in &agents.entries {
            if !agent.name_groups.is_empty() {
                self.agents.push(NamedGroupSet {
                    sort_prefix: sort_prefix(robots_txt.text(agent.text)),
                    name: agent.text,
                    set: sets.intern_agent_groups(agents, agent.name_groups),
                });
            }
        }
        self.agents.sort_unstable_by(|a, b| {
            let by_prefix = a.sort_prefix.cmp(&b.sort_prefix);
            by_prefix.then_with(|| robots_txt.text(a.name).cmp(robots_txt.text(b.name)))
        });
    }

    /// Appends a name and the hash of its rules to `file_input`.
    fn add_agent(
        &mut self,
        robots_txt: &RobotsTxt<'_>,
        name: &[u8],
        set: u32,
        sets: &mut GroupSets,
        hash: &impl Fn(&[u8]) -> u64,
    ) {
        let known = sets.get(set).rules_hash;
        let rules_hash = known.unwrap_or_else(|| {
            self.write_rules(robots_txt, sets.groups(set));
            let rules_hash = hash(&self.rules_input);
            sets.get(set).rules_hash = Some(rules_hash);
            rules_hash
        });
        self.file_input.extend_from_slice(name);
        self.file_input.push(0);
        self.file_input.extend_from_slice(&rules_hash.to_le_bytes());
    }

    /// Writes the merged rules of groups into `rules_input`: sorted, without duplicates, each
    /// followed by a NUL, which no path contains.
    fn write_rules(&mut self, robots_txt: &RobotsTxt<'_>, groups: &[u32]) {
        self.rules.clear();
        let lines = groups
            .iter()
            .flat_map(|&group_no| robots_txt.group_directives(group_no));
        for line in lines {
            if line.is_rule() && line.counts && !line.value.is_empty() {
                let allow = line.kind == DirectiveKind::Allow;
                self.rules.push(FingerprintRule {
                    key: sort_key(allow, robots_txt.text(line.value)),
                    path: line.value,
                });
            }
        }
        // Sorting by number is much faster than comparing paths, and few keys are equal.
        self.rules.sort_unstable_by_key(|rule| rule.key);
        for rules in self.rules.chunk_by_mut(|a, b| a.key == b.key) {
            if rules.len() > 1 {
                rules.sort_unstable_by(|a, b| robots_txt.text(a.path).cmp(robots_txt.text(b.path)));
            }
        }
        // Each rule is written as a byte for its direction, its path, and a NUL.
        let bytes = self.rules.iter().map(|rule| rule.path.len as usize + 2);
        self.rules_input.clear();
        self.rules_input.resize(bytes.sum(), 0);
        let mut rest = self.rules_input.as_mut_slice();
        let mut previous: Option<FingerprintRule> = None;
        for rule in &self.rules {
            let path = robots_txt.text(rule.path);
            let is_duplicate = previous.is_some_and(|previous| {
                previous.key == rule.key && robots_txt.text(previous.path) == path
            });
            if is_duplicate {
                continue;
            }
            previous = Some(*rule);
            let (written, after) = std::mem::take(&mut rest).split_at_mut(path.len() + 2);
            written[0] = if rule.is_allow() { b'+' } else { b'-' };
            written[1..=path.len()].copy_from_slice(path);
            rest = after;
        }
        let unused_bytes = rest.len();
        self.rules_input
            .truncate(self.rules_input.len() - unused_bytes);
    }
}

impl FingerprintRule {
    fn is_allow(&self) -> bool {
        self.key >> 63 == 1
    }
}

/// Returns a number that sorts like the direction and the first eight octets of the path. The
/// lowest bit of the eighth octet is dropped.
fn sort_key(allow: bool, path: &[u8]) -> u64 {
    u64::from(allow) << 63 | sort_prefix(path) >> 1
}

/// Returns a number that sorts like the first eight octets of a text.
fn sort_prefix(text: &[u8]) -> u64 {
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

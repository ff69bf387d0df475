//! The fingerprint of a rule set, from its definition.
//!
//! Shares with the product: the types `DirectiveKind` and `ParseOptions`.

use super::lines;
use super::policy::{is_star, whole_name};
use robots::{DirectiveKind, ParseOptions};
use std::collections::{BTreeMap, BTreeSet};

/// Hashes the sorted names, each with the hash of its sorted rules. A rule is its direction and its
/// escaped path. Empty rules are ignored.
pub fn fingerprint(body: &[u8], reading: ParseOptions, hash: impl Fn(&[u8]) -> u64) -> u64 {
    let all = lines::read(body, reading).0;
    let groups = lines::groups(&all);
    let mut agents: BTreeMap<Vec<u8>, BTreeSet<u32>> = BTreeMap::new();
    for (line, &group) in all.iter().zip(&groups) {
        if line.key == DirectiveKind::UserAgent {
            let name = if is_star(&line.value) {
                b"*".to_vec()
            } else {
                whole_name(&line.value)
            };
            agents.entry(name).or_default().insert(group);
        }
    }
    agents.remove(&b""[..]);
    let mut text = Vec::new();
    for (agent, own) in agents {
        let rules = all.iter().zip(&groups).filter(|(line, group)| {
            own.contains(group)
                && matches!(line.key, DirectiveKind::Allow | DirectiveKind::Disallow)
                && !line.value.is_empty()
        });
        let rules: BTreeSet<(bool, &[u8])> = rules
            .map(|(line, _)| (line.key == DirectiveKind::Allow, line.value.as_slice()))
            .collect();
        let rules = rules.into_iter().flat_map(|(is_allow, path)| {
            let sign: &[u8] = if is_allow { b"+" } else { b"-" };
            [sign, path, b"\0"].concat()
        });
        let rules: Vec<u8> = rules.collect();
        text.extend([agent.as_slice(), b"\0", &hash(&rules).to_le_bytes()].concat());
    }
    hash(&text)
}

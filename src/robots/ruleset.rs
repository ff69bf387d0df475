//! A fingerprint of what a file means.

use crate::key::Key;
use crate::robots::Robots;
use crate::verdict::Names;
use std::collections::HashMap;

/// Hashes the sorted set of (name, sorted set of its merged rules), as
/// [`AgentVerdict::verdict`](crate::AgentVerdict) reads them: equal for files
/// that give every crawler the same rules, whatever the order of groups and
/// lines, comments, sitemaps, and case of keys.
///
/// A rule is its direction and its escaped path; empty rules are dropped,
/// names without rules are kept. `hash` must be stable for the result to be.
pub fn ruleset(robots: &Robots<'_>, hash: impl Fn(&[u8]) -> u64) -> u64 {
    let names = Names::gather(robots);
    let mut agents: Vec<(&[u8], &[u32])> = names
        .in_order
        .iter()
        .filter(|(_, places)| !places.by_name.is_empty())
        .map(|(agent, places)| (*agent, places.by_name.as_slice()))
        .collect();
    if !names.everybody.is_empty() {
        agents.push((b"*", &names.everybody));
    }
    agents.sort_unstable();
    let mut hashes: HashMap<&[u32], u64> = HashMap::new();
    let (mut all, mut buffer) = (Vec::new(), Vec::new());
    for (agent, groups) in agents {
        let rules = *hashes.entry(groups).or_insert_with(|| {
            rules_text(robots, groups, &mut buffer);
            hash(&buffer)
        });
        all.extend_from_slice(agent);
        all.push(0);
        all.extend_from_slice(&rules.to_le_bytes());
    }
    hash(&all)
}

/// The merged rules of groups: sorted, once each, every one ended by a NUL,
/// which no path can hold.
fn rules_text(robots: &Robots<'_>, groups: &[u32], out: &mut Vec<u8>) {
    let lines = groups.iter().flat_map(|&no| robots.group_directives(no));
    let mut rules: Vec<(bool, &[u8])> = lines
        .filter(|it| {
            it.counts && matches!(it.key, Key::Allow | Key::Disallow) && !it.value.is_empty()
        })
        .map(|it| (it.key == Key::Allow, robots.text(it.value)))
        .collect();
    rules.sort_unstable();
    rules.dedup();
    out.clear();
    for (allow, path) in rules {
        out.push(if allow { b'+' } else { b'-' });
        out.extend_from_slice(path);
        out.push(0);
    }
}

#[cfg(test)]
mod tests {
    use super::ruleset;
    use crate::Parser;
    use std::hash::Hasher;

    fn id(body: &str) -> u64 {
        let mut parser = Parser::new();
        let robots = parser.parse(body.as_bytes());
        ruleset(&robots, |bytes| {
            let mut hasher = std::hash::DefaultHasher::new();
            hasher.write(bytes);
            hasher.finish()
        })
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

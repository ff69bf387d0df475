//! The dialect `koster1996`: Koster's draft 1 of November 1996, as it stands.
//!
//! A blank line ends a record, and so does a user-agent line after rules
//! (§3.2, §3.3). The first record that names the crawler holds, else the first
//! of `*`; the draft is silent on several, and the first is our choice. The
//! first rule that matches decides (§3.2.2); an empty `Disallow` allows
//! everything from there, as the page of 1994 has it.

use crate::key::Key;
use crate::rfc9309::is_conforming;
use crate::robots::Robots;
use crate::symbols::{Octet, encoded, octets};
use crate::verdict::Verdict;
use std::borrow::Cow;
use std::collections::HashMap;

/// Lines of a record.
#[derive(Debug, Default)]
pub(crate) struct Record<'a> {
    /// Names, as written.
    pub(crate) agents: Vec<&'a [u8]>,
    /// Rules: whether they allow, their line, their path as written.
    pub(crate) rules: Vec<(bool, u32, &'a [u8])>,
}

/// The records of a file, of lines that count; rules without an agent are
/// ignored.
pub(crate) fn records<'a>(robots: &Robots<'a>) -> Vec<Record<'a>> {
    let mut records: Vec<(u32, Record<'a>)> = Vec::new();
    for it in robots
        .directives()
        .iter()
        .filter(|it| it.counts && is_conforming(robots, it))
    {
        let value = robots.text(it.value_raw);
        let is_new = records.last().is_none_or(|(no, _)| *no != it.record_no);
        match it.key {
            Key::UserAgent => {
                if is_new {
                    records.push((it.record_no, Record::default()));
                }
                if let Some((_, record)) = records.last_mut() {
                    record.agents.push(value);
                }
            }
            _ => {
                if let Some((_, record)) = records.last_mut().filter(|_| !is_new) {
                    record.rules.push((it.key == Key::Allow, it.line_no, value));
                }
            }
        }
    }
    records.into_iter().map(|(_, record)| record).collect()
}

/// A name without its version: what stands before a `/` (§3.2.1).
pub(crate) fn name(value: &[u8]) -> &[u8] {
    let len = memchr::memchr(b'/', value).unwrap_or(value.len());
    value[..len].trim_ascii()
}

/// The index of the record that holds for a crawler, and whether it names it
/// (§3.2.1).
pub(crate) fn record_for(records: &[Record<'_>], agent: &[u8]) -> Option<(usize, bool)> {
    let agent = name(agent);
    let names = |record: &Record<'_>| {
        !agent.is_empty()
            && agent != b"*"
            && record
                .agents
                .iter()
                .any(|value| name(value).eq_ignore_ascii_case(agent))
    };
    if let Some(at) = records.iter().position(names) {
        return Some((at, true));
    }
    records
        .iter()
        .position(|record| record.agents.contains(&&b"*"[..]))
        .map(|at| (at, false))
}

/// A path as it is compared: `%xx` decoded, but `%2F` is a symbol of its own
/// (§3.2.2).
pub(crate) fn path(text: &[u8]) -> Vec<u16> {
    octets(text)
        .map(|octet| match octet {
            Octet::Escaped(b'/') => encoded(b'/'),
            Octet::Bare(byte) | Octet::Escaped(byte) => byte.into(),
        })
        .collect()
}

/// The same in octets: a NUL is written as two, and `%2F` as two others that
/// begin with a NUL.
pub(crate) fn path_octets(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr2(b'%', 0, text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    for octet in octets(text) {
        match octet {
            Octet::Escaped(b'/') => out.extend([0, 2]),
            Octet::Bare(0) | Octet::Escaped(0) => out.extend([0, 1]),
            Octet::Bare(byte) | Octet::Escaped(byte) => out.push(byte),
        }
    }
    Cow::Owned(out)
}

/// Whether the rule allows what it matches.
pub(crate) fn allows(allow: bool, path: &[u8]) -> bool {
    allow || path.is_empty()
}

/// What the rules of a record leave of all paths.
pub(crate) fn verdict(record: &Record<'_>) -> Verdict {
    match reach(record) {
        (true, true) => Verdict::Partial,
        (true, false) => Verdict::AllowAll,
        (false, _) => Verdict::DisallowAll,
    }
}

/// Rules that are compared one by one before they are put into a tree.
const COMPARED_MAX: usize = 32;

/// What the rules of a record leave: whether some path is allowed, and whether
/// some is not. Exact, without a search: a rule is a prefix, so one before it
/// hides it wholly or leaves it a path.
pub(crate) fn reach(record: &Record<'_>) -> (bool, bool) {
    let is_universal = |text: &[u8]| text.is_empty() || text == b"/";
    // What no rule matches is allowed (the answer that prompted the draft).
    let (mut allowed, mut disallowed) =
        (!record.rules.iter().any(|rule| is_universal(rule.2)), false);
    let mut before: Vec<Vec<u16>> = Vec::new();
    for &(allow, _, text) in &record.rules {
        if before.len() > COMPARED_MAX {
            return reach_in_tree(record);
        }
        let Some(symbols) = below_root(text) else {
            continue;
        };
        if before.iter().any(|other| symbols.starts_with(other)) {
            continue;
        }
        // The path of the rule and an octet that no rule names.
        if allows(allow, text) {
            allowed = true
        } else {
            disallowed = true
        }
        if (allowed && disallowed) || symbols.is_empty() {
            break;
        }
        before.push(symbols);
    }
    (allowed, disallowed)
}

/// A rule's path behind its first `/`; `None` if no path begins so. An empty
/// path, and `/`, match everything.
fn below_root(text: &[u8]) -> Option<Vec<u16>> {
    let mut symbols = path(text);
    match symbols.first() {
        None => Some(symbols),
        Some(&first) if first == u16::from(b'/') => {
            symbols.remove(0);
            Some(symbols)
        }
        Some(_) => None,
    }
}

/// The same for many rules, in time that does not grow with their square.
fn reach_in_tree(record: &Record<'_>) -> (bool, bool) {
    let (mut allowed, mut disallowed) = (false, false);
    let mut nodes: HashMap<(u32, u16), u32> = HashMap::new();
    let mut ends = vec![false];
    for &(allow, _, text) in &record.rules {
        let Some(symbols) = below_root(text) else {
            continue;
        };
        let (mut node, mut is_hidden) = (0u32, ends[0]);
        for symbol in symbols {
            if is_hidden {
                break;
            }
            let next = ends.len() as u32;
            node = *nodes.entry((node, symbol)).or_insert_with(|| {
                ends.push(false);
                next
            });
            is_hidden = ends[node as usize];
        }
        if is_hidden {
            continue;
        }
        if allows(allow, text) {
            allowed = true
        } else {
            disallowed = true
        }
        ends[node as usize] = true;
        if ends[0] {
            return (allowed, disallowed);
        }
    }
    (true, disallowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, Parser, Policy};

    fn answer(body: &str, agent: &str, url_path: &str) -> (bool, u32) {
        let mut parser = Parser::new();
        let robots = parser.parse(body.as_bytes());
        let policy = Policy::new(Dialect::Koster1996, &robots, agent.as_bytes());
        let access = policy.access_path(url_path.as_bytes());
        (access.is_allowed, access.line_no)
    }

    /// The first rule that matches decides (§3.2.2), by the definition.
    fn is_allowed(record: &Record<'_>, url_path: &[u16]) -> bool {
        let mut rules = record.rules.iter();
        let found = rules.find(|(_, _, text)| url_path.starts_with(&path(text)));
        found.is_none_or(|&(allow, _, text)| allows(allow, text))
    }

    #[test]
    fn paths_match_as_the_drafts_table_says() {
        // §3.2.2, row by row.
        let rows = [
            ("/tmp", "/tmp", true),
            ("/tmp", "/tmp.html", true),
            ("/tmp", "/tmp/a.html", true),
            ("/tmp/", "/tmp", false),
            ("/tmp/", "/tmp/", true),
            ("/tmp/", "/tmp/a.html", true),
            ("/a%3cd.html", "/a%3cd.html", true),
            ("/a%3Cd.html", "/a%3cd.html", true),
            ("/a%3cd.html", "/a%3Cd.html", true),
            ("/a%2fb.html", "/a%2fb.html", true),
            ("/a%2fb.html", "/a%2Fb.html", true),
            ("/a%2fb.html", "/a/b.html", false),
            ("/%7ejoe/index.html", "/~joe/index.html", true),
            ("/~joe/index.html", "/%7Ejoe/index.html", true),
        ];
        for (rule, url, expected) in rows {
            assert_eq!(
                path(url.as_bytes()).starts_with(&path(rule.as_bytes())),
                expected,
                "{rule} {url}"
            );
        }
    }

    #[test]
    fn the_first_match_decides() {
        let body = "User-agent: webcrawler\nUser-agent: infoseek\nAllow: /tmp/ok.html\nDisallow: /tmp\nDisallow: /user/foo\n";
        assert_eq!(answer(body, "Infoseek/2.0", "/tmp/ok.html"), (true, 3));
        assert_eq!(answer(body, "webcrawler", "/tmp/x"), (false, 4));
        assert_eq!(answer(body, "webcrawler", "/x"), (true, 0));
        assert_eq!(
            answer("User-agent: *\nAllow: /\nDisallow: /cgi\n", "a", "/cgi"),
            (true, 2)
        );
        assert_eq!(
            answer("User-agent: *\nDisallow:\nDisallow: /cgi\n", "a", "/cgi"),
            (true, 2)
        );
    }

    #[test]
    fn a_blank_line_ends_a_record_and_a_comment_does_not() {
        assert_eq!(
            answer("User-agent: *\n\nDisallow: /\n", "a", "/x"),
            (true, 0)
        );
        assert_eq!(
            answer("User-agent: *\n# c\nDisallow: /\n", "a", "/x"),
            (false, 3)
        );
        assert_eq!(
            answer(
                "User-agent: a\nDisallow: /\nUser-agent: b\nDisallow: /b\n",
                "b",
                "/x"
            ),
            (true, 0)
        );
        // Named in an empty record, and so unrestricted.
        assert_eq!(
            answer("User-agent: a\n\nUser-agent: *\nDisallow: /\n", "a", "/x"),
            (true, 0)
        );
        assert_eq!(answer("Disallow: /\nUser-agent: *\n", "a", "/x"), (true, 0));
    }

    #[test]
    fn wildcards_mean_themselves() {
        assert_eq!(
            answer("User-agent: *\nDisallow: /*.php$\n", "a", "/x.php"),
            (true, 0)
        );
        assert_eq!(
            answer("User-agent: *\nDisallow: /*.php$\n", "a", "/*.php$x"),
            (false, 2)
        );
    }

    #[test]
    fn what_is_reached_agrees_with_trying() {
        let mut seed = 0x9e37_79b9_7f4a_7c15u64;
        let mut random = move |below: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % below as u64) as usize
        };
        for _ in 0..3000 {
            let rules: Vec<(bool, String)> = (0..random(5))
                .map(|_| {
                    (
                        random(2) == 0,
                        ["", "/", "/a", "/ab", "/a%2f", "/b", "x", "/%61"][random(8)].to_owned(),
                    )
                })
                .collect();
            let lines: Vec<(bool, u32, &[u8])> = rules
                .iter()
                .map(|(allow, text)| (*allow, 1, text.as_bytes()))
                .collect();
            let record = Record {
                agents: vec![b"*"],
                rules: lines,
            };
            let mut paths = vec![path(b"/")];
            let (mut allowed, mut disallowed) = (false, false);
            for _ in 0..4 {
                for path in &paths {
                    if is_allowed(&record, path) {
                        allowed = true
                    } else {
                        disallowed = true
                    }
                }
                let symbols = [u16::from(b'a'), b'b'.into(), encoded(b'/'), 999];
                paths = paths
                    .iter()
                    .flat_map(|path| symbols.map(|it| [path.as_slice(), &[it]].concat()))
                    .collect();
            }
            assert_eq!(reach(&record), (allowed, disallowed), "{rules:?}");
            assert_eq!(reach_in_tree(&record), (allowed, disallowed), "{rules:?}");
        }
    }
}

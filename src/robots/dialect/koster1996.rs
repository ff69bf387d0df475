//! The dialect `koster1996`: Koster's draft 1 of November 1996, as it stands.
//!
//! A blank line ends a record, and so does a user-agent line after rules
//! (§3.2, §3.3). The first record that names the crawler holds, else the first
//! of `*`; the draft is silent on several, and the first is our choice. The
//! first rule that matches decides (§3.2.2); an empty `Disallow` allows
//! everything from there, as the page of 1994 has it.

use crate::dialect::rfc9309::is_conforming;
use crate::document::RobotsTxt;
use crate::parse::directive_kind::DirectiveKind;
use crate::pattern::percent::{PathOctet, octets};
use crate::verdict::Verdict;
use std::borrow::Cow;

/// Lines of a record.
#[derive(Debug, Default)]
pub(crate) struct KosterRecord<'a> {
    /// Names, as written.
    pub(crate) agents: Vec<&'a [u8]>,
    /// Rules: whether they allow, their line, their path as written.
    pub(crate) rules: Vec<(bool, u32, &'a [u8])>,
}

/// The records of a file, of lines that count; rules without an agent are
/// ignored.
pub(crate) fn records<'a>(robots: &RobotsTxt<'a>) -> Vec<KosterRecord<'a>> {
    let mut records: Vec<(u32, KosterRecord<'a>)> = Vec::new();
    for it in robots
        .directives()
        .iter()
        .filter(|it| it.counts && is_conforming(it))
    {
        let value = robots.text(it.value_raw);
        let is_new = records.last().is_none_or(|(no, _)| *no != it.record_no);
        match it.kind {
            DirectiveKind::UserAgent => {
                if is_new {
                    records.push((it.record_no, KosterRecord::default()));
                }
                if let Some((_, record)) = records.last_mut() {
                    record.agents.push(value);
                }
            }
            _ => {
                if let Some((_, record)) = records.last_mut().filter(|_| !is_new) {
                    record
                        .rules
                        .push((it.kind == DirectiveKind::Allow, it.line_no, value));
                }
            }
        }
    }
    records.into_iter().map(|(_, record)| record).collect()
}

/// The rules of the record that begins with the directive at `first`: whether
/// they allow, their line, their path as written.
pub(crate) fn rules_from<'a>(
    robots: &RobotsTxt<'a>,
    first: usize,
) -> impl Iterator<Item = (bool, u32, &'a [u8])> + Clone {
    let robots = *robots;
    let no = robots.directives()[first].record_no;
    let lines = robots.directives()[first..].iter();
    let lines = lines.take_while(move |it| it.record_no == no);
    let rules = lines.filter(|it| {
        it.counts
            && matches!(it.kind, DirectiveKind::Allow | DirectiveKind::Disallow)
            && is_conforming(it)
    });
    rules.map(move |it| {
        let text = robots.text(it.value_raw);
        (it.kind == DirectiveKind::Allow, it.line_no, text)
    })
}

/// A name without its version: what stands before a `/` (§3.2.1).
pub(crate) fn name(value: &[u8]) -> &[u8] {
    let len = memchr::memchr(b'/', value).unwrap_or(value.len());
    value[..len].trim_ascii()
}

/// The index of the record that holds for a crawler, and whether it names it
/// (§3.2.1).
pub(crate) fn record_for(records: &[KosterRecord<'_>], agent: &[u8]) -> Option<(usize, bool)> {
    let agent = name(agent);
    let names = |record: &KosterRecord<'_>| {
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
/// (§3.2.2). A NUL is written as two octets, and `%2F` as two others that begin
/// with a NUL.
pub(crate) fn path_octets(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr2(b'%', 0, text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    for octet in octets(text) {
        match octet {
            PathOctet::Escaped(b'/') => out.extend([0, 2]),
            PathOctet::Bare(0) | PathOctet::Escaped(0) => out.extend([0, 1]),
            PathOctet::Bare(byte) | PathOctet::Escaped(byte) => out.push(byte),
        }
    }
    Cow::Owned(out)
}

/// Whether the rule allows what it matches.
pub(crate) fn allows(allow: bool, path: &[u8]) -> bool {
    allow || path.is_empty()
}

/// What rules leave of all paths: whether each allows, and its path as written.
pub(crate) fn verdict<'t>(rules: impl Iterator<Item = (bool, &'t [u8])> + Clone) -> Verdict {
    match reach(rules) {
        (true, true) => Verdict::Partial,
        (true, false) => Verdict::AllowAll,
        (false, _) => Verdict::DisallowAll,
    }
}

/// Rules that are compared one by one before they are put in order.
const COMPARED_MAX: usize = 32;

/// Whether some path is allowed, and whether some is not. Exact, without a
/// search: a rule is a prefix, so one before it hides it wholly, or leaves it
/// its own path with an octet behind it that no rule names.
fn reach<'t>(rules: impl Iterator<Item = (bool, &'t [u8])> + Clone) -> (bool, bool) {
    let (mut allowed, mut disallowed) = (false, false);
    let mut before: Vec<Cow<'_, [u8]>> = Vec::new();
    let mut rest = rules.clone();
    while let Some((allow, text)) = rest.next() {
        let Some(path) = below_root(text) else {
            continue;
        };
        let is_hidden = !before.is_empty() && {
            let path = path_octets(path);
            before.iter().any(|other| begins(other, &path))
        };
        if is_hidden {
            continue;
        }
        if allows(allow, text) {
            allowed = true
        } else {
            disallowed = true
        }
        if path.is_empty() || (allowed && disallowed) {
            return (allowed, disallowed);
        }
        if disallowed && !rest.clone().any(|(_, text)| is_universal(text)) {
            return (true, true);
        }
        before.push(path_octets(path));
        if before.len() > COMPARED_MAX {
            return reach_in_order(rules);
        }
    }
    // What no rule matches is allowed (the answer that prompted the draft).
    (true, disallowed)
}

/// Whether one path begins another. Mostly their octets at its end tell.
fn begins(one: &[u8], path: &[u8]) -> bool {
    let end = one.len().wrapping_sub(1);
    path.get(end) == one.get(end) && path.starts_with(one)
}

fn is_universal(text: &[u8]) -> bool {
    text.is_empty() || text == b"/"
}

/// A rule's path behind its first `/`; `None` if no path begins so. An empty
/// path, and `/`, match everything.
fn below_root(text: &[u8]) -> Option<&[u8]> {
    match text {
        [] => Some(text),
        [b'/', below @ ..] => Some(below),
        _ => None,
    }
}

/// The same for many rules, in time that does not grow with their square.
fn reach_in_order<'t>(rules: impl Iterator<Item = (bool, &'t [u8])>) -> (bool, bool) {
    let mut has_universal = false;
    let mut order: Vec<(Cow<'_, [u8]>, usize, bool)> = Vec::new();
    for (at, (allow, text)) in rules.enumerate() {
        has_universal |= is_universal(text);
        let path = below_root(text).map(path_octets);
        order.extend(path.map(|path| (path, at, allows(allow, text))));
    }
    order.sort_unstable();
    let (mut allowed, mut disallowed) = (!has_universal, false);
    // The paths that begin the one at hand, each with the first rule so far.
    let mut above: Vec<(&[u8], usize)> = Vec::new();
    for (path, at, is_allowed) in &order {
        while above.last().is_some_and(|(it, _)| !path.starts_with(it)) {
            above.pop();
        }
        let first = above.last().map_or(*at, |&(_, first)| first.min(*at));
        if first == *at {
            if *is_allowed {
                allowed = true
            } else {
                disallowed = true
            }
        }
        above.push((path, first));
    }
    (allowed, disallowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::percent::encoded;
    use crate::{Dialect, Parser, Policy};

    /// A path in symbols, `%2F` one of its own (§3.2.2).
    fn path(text: &[u8]) -> Vec<u16> {
        octets(text)
            .map(|octet| match octet {
                PathOctet::Escaped(b'/') => encoded(b'/'),
                PathOctet::Bare(byte) | PathOctet::Escaped(byte) => byte.into(),
            })
            .collect()
    }

    fn answer(body: &str, agent: &str, url_path: &str) -> (bool, u32) {
        let mut parser = Parser::new();
        let robots = parser.parse(body.as_bytes());
        let policy = Policy::new(Dialect::Koster1996, &robots, agent.as_bytes());
        let access = policy.access_path(url_path.as_bytes());
        (access.is_allowed, access.line_no)
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
}

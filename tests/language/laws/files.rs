//! Generators of typical and of hostile files.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Names in files and names of crawlers. Some overlap.
pub(super) const NAMES: [&str; 14] = [
    "*",
    "Foo",
    "FooBot",
    "foobot",
    "FooBot/2.1",
    "Googlebot",
    "Googlebot-News",
    "MJ12bot",
    "Foo Bar",
    "bot 1.0",
    "* x",
    "*bot",
    "b, c",
    "",
];

/// Pieces of paths.
const PIECES: [&str; 24] = [
    "/",
    "a",
    "b",
    "/a/",
    "*",
    "*",
    "$",
    "%2F",
    "%2f",
    "%61",
    "%7e",
    "~",
    "é",
    "%c3%A9",
    "%2a",
    "%24",
    "/index.html",
    "/robots.txt",
    "?q=",
    "//",
    " ",
    ".php",
    "ab",
    "%",
];

/// Lines of a file outside of groups.
const OTHER_LINES: [&str; 10] = [
    "",
    " \t",
    "# a comment",
    "  # User-agent: *",
    "Sitemap: https://example.com/s.xml",
    "Crawl-delay: 2",
    "Host: example.com",
    "Unknown: /x",
    "no directive at all",
    "\x0b",
];

/// Lines that separate groups in one dialect but not in another.
const SLIPS: [&str; 6] = [
    "Useragent: Foo",
    "User agent: FooBot",
    "User-agent FooBot",
    "User-agents: *",
    "Disallow /a",
    "disalow: /",
];

/// Words of hostile files.
const WORDS: [&[u8]; 11] = [
    b"User-agent:",
    b"*",
    b"Disallow",
    b"Allow:",
    b"Sitemap:",
    b"\n",
    b"\r",
    b"/",
    b"#",
    b":",
    b" ",
];

/// A rule as written.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) key: &'static str,
    pub(super) path: String,
}

/// User-agent lines, rules, and other lines before some of them.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) agents: Vec<&'static str>,
    pub(super) rules: Vec<Rule>,
    pub(super) others: Vec<(Index, &'static str)>,
}

impl Group {
    pub(super) fn lines(&self) -> Vec<String> {
        let agents = self
            .agents
            .iter()
            .map(|agent| format!("User-agent: {agent}"));
        let rules = self
            .rules
            .iter()
            .map(|rule| format!("{} {}", rule.key, rule.path));
        let mut lines: Vec<String> = agents.chain(rules).collect();
        for (position, other) in &self.others {
            lines.insert(position.index(lines.len() + 1), (*other).to_owned());
        }
        lines
    }
}

fn path() -> impl Strategy<Value = String> {
    let first = prop_oneof![8 => Just("/"), 1 => Just("*"), 1 => Just("")];
    let last = prop_oneof![4 => Just(""), 1 => Just("$")];
    (first, vec(select(&PIECES[..]), 0..4), last)
        .prop_map(|(first, pieces, last)| format!("{first}{}{last}", pieces.concat()))
}

/// A rule that every dialect recognizes.
pub(super) fn plain_rule() -> impl Strategy<Value = Rule> {
    let key = select(&["Allow:", "Disallow:"][..]);
    (key, path()).prop_map(|(key, path)| Rule { key, path })
}

/// A rule as people write it, with common mistakes.
fn any_rule() -> impl Strategy<Value = Rule> {
    let key = select(&["Dissallow:", "Disallow", "Disallowed:", "Allow :", "Allow"][..]);
    let odd = (key, path()).prop_map(|(key, path)| Rule { key, path });
    prop_oneof![5 => plain_rule(), 1 => odd]
}

/// A group that ends with a rule in every dialect.
pub(super) fn group() -> impl Strategy<Value = Group> {
    let agents = vec(select(&NAMES[..]), 1..4);
    let others = vec((any::<Index>(), select(&OTHER_LINES[..])), 0..3);
    (agents, vec(any_rule(), 0..5), plain_rule(), others).prop_map(
        |(agents, mut rules, last, others)| {
            rules.push(last);
            Group {
                agents,
                rules,
                others,
            }
        },
    )
}

pub(super) fn groups() -> impl Strategy<Value = Vec<Group>> {
    vec(group(), 0..5)
}

/// Lines of a file: groups, some of them cut short, and slips between them.
pub(super) fn lines() -> impl Strategy<Value = Vec<String>> {
    let slips = vec((any::<Index>(), select(&SLIPS[..])), 0..3);
    (groups(), vec(any::<Index>(), 0..3), slips).prop_map(|(groups, cuts, slips)| {
        let mut lines: Vec<String> = groups.iter().flat_map(Group::lines).collect();
        for cut in cuts {
            if !lines.is_empty() {
                lines.remove(cut.index(lines.len()));
            }
        }
        for (position, slip) in slips {
            lines.insert(position.index(lines.len() + 1), slip.to_owned());
        }
        lines
    })
}

/// URLs whose paths are similar to those of rules, or not.
pub(super) fn urls() -> impl Strategy<Value = Vec<String>> {
    vec(path(), 1..6).prop_map(|paths| {
        let paths = paths.into_iter();
        let mut urls: Vec<String> = paths.map(|path| format!("http://h/{path}")).collect();
        urls.extend(["http://h/", "http://h/a", "/robots.txt", "//h/a/b?q=*"].map(str::to_owned));
        urls
    })
}

pub(super) fn body(lines: &[String]) -> Vec<u8> {
    lines
        .iter()
        .flat_map(|line| [line.as_bytes(), b"\n"].concat())
        .collect()
}

pub(super) fn body_of(groups: &[Group]) -> Vec<u8> {
    body(&groups.iter().flat_map(Group::lines).collect::<Vec<_>>())
}

/// Words and arbitrary bytes.
pub(super) fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let word = select(&WORDS[..]);
    let stray = vec(any::<u8>(), 0..4);
    let piece = prop_oneof![3 => word.prop_map(<[u8]>::to_vec), 1 => stray];
    vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

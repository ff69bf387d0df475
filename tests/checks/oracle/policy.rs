//! The rules that apply to a crawler, and the answer for a path.

use super::lines::{DirectiveLine, Strict, read, read_strictly};
use super::pattern::{
    Path, Pattern, Symbol, google_path, koster1996_path, path_of_url, rfc9309_path,
};
use robots::{Dialect, DirectiveKind, ParseOptions};

/// A rule of a crawler.
#[derive(Clone, Debug)]
pub struct Rule {
    pub is_allow: bool,
    pub line_no: u32,
    /// `None` if the rule matches nothing.
    pub pattern: Option<Pattern>,
    /// The folder that Google's parser tests if the pattern does not match.
    pub folder: Option<Pattern>,
}

/// The rules of a crawler, in the order of their lines.
#[derive(Debug)]
pub struct Policy {
    pub dialect: Dialect,
    pub rules: Vec<Rule>,
    pub is_named: bool,
}

/// An answer: whether a path may be fetched, and the line that decides it, or 0.
pub type Answer = (bool, u32);

impl Policy {
    /// Returns the rules for a crawler with the name `agent`.
    pub fn new(dialect: Dialect, body: &[u8], reading: ParseOptions, agent: &[u8]) -> Self {
        match dialect {
            Dialect::Google => Self::google(&read(body, reading).0, None, |value| {
                agent.eq_ignore_ascii_case(&google_token(value))
            }),
            Dialect::Rfc9309 => Self::rfc9309(body, reading, agent),
            Dialect::Koster1996 => Self::koster1996(body, reading, agent),
        }
    }

    /// Returns the rules for a crawler according to Google's rules, with whole names compared.
    pub fn by_whole_name(body: &[u8], reading: ParseOptions, name: &[u8]) -> Self {
        Self::of_lines(&read(body, reading).0, None, name)
    }

    /// Returns the same for parsed lines. The rule in the line `without_folder` does not also allow the folder
    /// of an `index.htm`.
    pub fn of_lines(lines: &[DirectiveLine], without_folder: Option<u32>, name: &[u8]) -> Self {
        Self::google(lines, without_folder, |value| {
            !name.is_empty() && whole_name(value) == name
        })
    }

    /// Passes over the lines with four flags, as google-semantics §6 describes.
    fn google(
        lines: &[DirectiveLine],
        without_folder: Option<u32>,
        is_ours: impl Fn(&[u8]) -> bool,
    ) -> Self {
        let (mut in_global, mut in_specific) = (false, false);
        let (mut ever_specific, mut separator_seen) = (false, false);
        let (mut global, mut specific) = (Vec::new(), Vec::new());
        for said in lines.iter().filter(|said| said.counts) {
            match said.key {
                DirectiveKind::UserAgent => {
                    if separator_seen {
                        (in_global, in_specific, separator_seen) = (false, false, false);
                    }
                    if is_star(&said.value) {
                        in_global = true;
                    } else if is_ours(&said.value) {
                        (in_specific, ever_specific) = (true, true);
                    }
                }
                DirectiveKind::Allow | DirectiveKind::Disallow if in_global || in_specific => {
                    separator_seen = true;
                    let is_allow = said.key == DirectiveKind::Allow;
                    let has_folder = is_allow && without_folder != Some(said.line_no);
                    let folder = Pattern::google_folder(&said.value);
                    let rule = Rule {
                        is_allow,
                        line_no: said.line_no,
                        pattern: Some(Pattern::google(&said.value)),
                        folder: folder.filter(|_| has_folder),
                    };
                    if in_specific {
                        specific.push(rule)
                    } else {
                        global.push(rule)
                    }
                }
                _ => {}
            }
        }
        Self {
            dialect: Dialect::Google,
            rules: if ever_specific { specific } else { global },
            is_named: ever_specific,
        }
    }

    /// Merges all groups of the crawler, or else all groups of `*` (RFC 9309 §2.2.1).
    fn rfc9309(body: &[u8], reading: ParseOptions, agent: &[u8]) -> Self {
        let mut groups: Vec<Record> = Vec::new();
        for line in read_strictly(body, reading) {
            match line {
                Strict::Blank => {}
                Strict::Agent(value) => match groups.last_mut() {
                    Some(group) if group.rules.is_empty() => group.agents.push(value),
                    _ => groups.push(Record::of(value)),
                },
                Strict::Rule {
                    is_allow,
                    line_no,
                    value,
                } => {
                    if let Some(group) = groups.last_mut() {
                        group.rules.push(Rule {
                            is_allow,
                            line_no,
                            pattern: Pattern::rfc9309(&value),
                            folder: None,
                        });
                    }
                }
            }
        }
        let is_token = !agent.is_empty()
            && agent
                .iter()
                .all(|byte| byte.is_ascii_alphabetic() || b"_-".contains(byte));
        let names = |value: &Vec<u8>| is_token && value.eq_ignore_ascii_case(agent);
        let is_named = groups.iter().any(|group| group.agents.iter().any(names));
        let holds = |group: &&Record| {
            let mut agents = group.agents.iter();
            agents.any(|value| {
                if is_named {
                    names(value)
                } else {
                    value == b"*"
                }
            })
        };
        let rules = groups.iter().filter(holds);
        Self {
            dialect: Dialect::Rfc9309,
            rules: rules.flat_map(|group| group.rules.clone()).collect(),
            is_named,
        }
    }

    /// Uses the first record of the crawler, or else the first of `*` (Koster §3.2.1).
    fn koster1996(body: &[u8], reading: ParseOptions, agent: &[u8]) -> Self {
        let mut records: Vec<Record> = Vec::new();
        // The record of the next line.
        let mut is_open = false;
        for line in read_strictly(body, reading) {
            match line {
                Strict::Blank => is_open = false,
                Strict::Agent(value) => {
                    match records.last_mut() {
                        Some(record) if is_open && record.rules.is_empty() => {
                            record.agents.push(value)
                        }
                        _ => records.push(Record::of(value)),
                    }
                    is_open = true;
                }
                Strict::Rule {
                    is_allow,
                    line_no,
                    value,
                } => {
                    if let Some(record) = records.last_mut().filter(|_| is_open) {
                        record.rules.push(Rule {
                            is_allow: is_allow || value.is_empty(),
                            line_no,
                            pattern: Some(Pattern::koster1996(&value)),
                            folder: None,
                        });
                    }
                }
            }
        }
        let agent = without_version(agent);
        let is_name = !agent.is_empty() && agent != b"*";
        let names =
            |value: &Vec<u8>| is_name && without_version(value).eq_ignore_ascii_case(&agent);
        let own = records.iter().find(|row| row.agents.iter().any(names));
        let everybody = || {
            records
                .iter()
                .find(|row| row.agents.iter().any(|value| value == b"*"))
        };
        let record = own.or_else(everybody);
        Self {
            dialect: Dialect::Koster1996,
            rules: record.map_or(Vec::new(), |record| record.rules.clone()),
            is_named: own.is_some(),
        }
    }

    /// Returns the answer for a URL.
    pub fn access(&self, url: &[u8]) -> Answer {
        let path = self.path(&path_of_url(url));
        if self.dialect == Dialect::Rfc9309 && path == self.path(b"/robots.txt") {
            return (true, 0);
        }
        let path = Path::new(&path);
        self.answer(|pattern| pattern.matches(&path))
    }

    /// Returns a path of a URL in the normal form of the dialect.
    pub fn path(&self, path: &[u8]) -> Vec<Symbol> {
        match self.dialect {
            Dialect::Google => google_path(path),
            Dialect::Rfc9309 => rfc9309_path(path),
            Dialect::Koster1996 => koster1996_path(path),
        }
    }

    /// Returns the answer if these patterns match.
    pub fn answer(&self, is_match: impl Fn(&Pattern) -> bool) -> Answer {
        let matched = |rule: &Rule| {
            let patterns = [rule.pattern.as_ref(), rule.folder.as_ref()];
            patterns
                .into_iter()
                .flatten()
                .find(|pattern| is_match(pattern))
                .map(|pattern| pattern.priority)
        };
        if self.dialect == Dialect::Koster1996 {
            let first = self.rules.iter().find(|rule| matched(rule).is_some());
            return first.map_or((true, 0), |rule| (rule.is_allow, rule.line_no));
        }
        // The highest priority of each direction, and its first line.
        let (mut allow, mut disallow) = (None::<(usize, u32)>, None::<(usize, u32)>);
        for rule in &self.rules {
            let Some(priority) = matched(rule) else {
                continue;
            };
            let best = if rule.is_allow {
                &mut allow
            } else {
                &mut disallow
            };
            if best.is_none_or(|(best, _)| priority > best) {
                *best = Some((priority, rule.line_no));
            }
        }
        // An empty rule, of priority 0, reports its line and decides nothing.
        let priority = |best: Option<(usize, u32)>| best.map(|(priority, _)| priority);
        let disallows = priority(disallow) > priority(allow);
        let line_no = if disallows { disallow } else { allow }.map_or(0, |(_, line_no)| line_no);
        (!disallows || priority(disallow) == Some(0), line_no)
    }
}

/// A group: user-agent lines and the rules that follow.
#[derive(Debug)]
struct Record {
    agents: Vec<Vec<u8>>,
    rules: Vec<Rule>,
}

impl Record {
    fn of(agent: Vec<u8>) -> Self {
        Self {
            agents: vec![agent],
            rules: Vec::new(),
        }
    }
}

fn is_c_blank(byte: u8) -> bool {
    b" \t\n\x0b\x0c\r".contains(&byte)
}

/// Returns true if a value is `*`, or begins with `*` and a blank (google-semantics §6).
pub fn is_star(value: &[u8]) -> bool {
    value == b"*" || (value.len() > 1 && value[0] == b'*' && is_c_blank(value[1]))
}

/// Returns the part of a name that Google's parser compares (google-semantics §6).
pub fn google_token(value: &[u8]) -> Vec<u8> {
    let is_token = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_' || *byte == b'-';
    let mut out = value.to_vec();
    out.truncate(
        value
            .iter()
            .position(|byte| !is_token(byte))
            .unwrap_or(value.len()),
    );
    out
}

/// Returns the whole name: in lower case, cut at the first of `/ , ; ( *`, trimmed, with single spaces,
/// without a last word of digits and dots that follows another word.
pub fn whole_name(value: &[u8]) -> Vec<u8> {
    if is_star(value) {
        return b"*".to_vec();
    }
    let cut = value.iter().position(|byte| b"/,;(*".contains(byte));
    let text = value[..cut.unwrap_or(value.len())].to_ascii_lowercase();
    let words = text.split(|&byte| is_c_blank(byte));
    let mut words: Vec<&[u8]> = words.filter(|word| !word.is_empty()).collect();
    let is_version = |word: &&&[u8]| {
        word.iter()
            .all(|byte| byte.is_ascii_digit() || *byte == b'.')
    };
    if words.len() > 1 && words.last().filter(is_version).is_some() {
        words.pop();
    }
    words.join(&b' ')
}

/// Returns a name "minus version information" (Koster §3.2.1).
fn without_version(value: &[u8]) -> Vec<u8> {
    let name = value.split(|&byte| byte == b'/').next();
    name.unwrap_or_default().trim_ascii().to_vec()
}

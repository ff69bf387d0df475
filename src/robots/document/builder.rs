//! A file made again from its lines, as the tables keep them.
//!
//! No text is parsed: what was read of each line is taken as it is given, so
//! a policy or a verdict over the result is that of the bytes.

use crate::document::{
    BUFFER_BYTES_MAX, ContentClass, Directive, DocumentData, Group, MARK, RobotsTxt, Span, Summary,
};
use crate::parse::blanks::{trim_end, trim_start};
use crate::parse::directive_kind::{DirectiveKind, read_key};

/// A user-agent, allow or disallow line, as the tables have it.
#[derive(Clone, Copy, Debug)]
pub struct DirectiveRow<'a> {
    /// What the line is for: `UserAgent`, `Allow` or `Disallow`.
    pub kind: DirectiveKind,
    /// The line, from 1.
    pub line_no: u32,
    /// The group by Google's reading, from 1; 0 before any user-agent line.
    pub group_no: u32,
    /// The record by Koster's reading.
    pub record_no: u32,
    /// The key as written.
    pub key_raw: &'a [u8],
    /// The value as written.
    pub value_raw: &'a [u8],
    /// The path of a rule as Google's parser has it, escaped. Of a user-agent
    /// line nothing is read here: `token` says what Google's parser has.
    pub value: &'a [u8],
    /// The whole name of a user-agent line.
    pub name: &'a [u8],
    /// The token of a user-agent line, lower-cased.
    pub token: &'a [u8],
    /// Whether a colon parts key and value.
    pub has_colon: bool,
    /// Whether the line counts.
    pub counts: bool,
    /// The crawl-delay of the group that a user-agent line stands in.
    pub crawl_delay: Option<f64>,
}

/// A file that is made again, line by line, in the same memory.
///
/// Its [`RobotsTxt`] gives every [`Policy`](crate::Policy) and every verdict of a
/// [`Evaluator`](crate::Evaluator) that the bytes would give. It has no findings and no
/// other lines, and its figures count only what was pushed.
///
/// # Example
///
/// ```
/// use robots::{Dialect, DirectiveKind, Policy, RobotsTxtBuilder, DirectiveRow};
///
/// let agent = DirectiveRow {
///     kind: DirectiveKind::UserAgent, line_no: 1, group_no: 1, record_no: 1, key_raw: b"User-agent",
///     value_raw: b"GPTBot", value: b"", name: b"gptbot", token: b"gptbot",
///     has_colon: true, counts: true, crawl_delay: None,
/// };
/// let rule = DirectiveRow {
///     kind: DirectiveKind::Disallow, line_no: 2, key_raw: b"Disallow", value_raw: b"/x", value: b"/x",
///     name: b"", token: b"", ..agent
/// };
/// let mut rebuilt = RobotsTxtBuilder::new();
/// assert!(rebuilt.push(&agent) && rebuilt.push(&rule));
/// let policy = Policy::new(Dialect::Google, &rebuilt.as_robots_txt(), b"GPTBot");
/// assert_eq!(policy.access(b"https://example.com/x").line_no, 2);
/// ```
#[derive(Debug, Default)]
pub struct RobotsTxtBuilder {
    parts: DocumentData,
}

impl RobotsTxtBuilder {
    /// Makes a file without lines.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets all lines, for the next file.
    pub fn clear(&mut self) {
        self.parts.directives.clear();
        self.parts.groups.clear();
        self.parts.buffer.clear();
        self.parts.summary = Summary::default();
    }

    /// Adds the next line, in the order of the file. Returns whether there was
    /// room: the texts of a file may not take more than 2 GiB.
    ///
    /// A group that is not the last one nor the next is taken as the last.
    pub fn push(&mut self, line: &DirectiveRow<'_>) -> bool {
        let texts = [
            line.key_raw,
            line.value_raw,
            line.value,
            line.name,
            line.token,
        ];
        let len: usize = texts.iter().map(|text| text.len()).sum();
        if self.parts.buffer.len().saturating_add(len) > BUFFER_BYTES_MAX {
            return false;
        }
        let is_agent = line.kind == DirectiveKind::UserAgent;
        let key_text = trim_end(trim_start(without_partial_bom(line.key_raw)));
        let value_raw = self.keep(line.value_raw);
        let (name, token) = if is_agent {
            (self.keep(line.name), self.keep(line.token))
        } else {
            (Span::default(), Span::default())
        };
        let mut directive = Directive {
            line_no: line.line_no,
            kind: line.kind,
            group_no: 0,
            agent_no: 0,
            record_no: line.record_no,
            key_raw: self.keep(line.key_raw),
            value_raw,
            // The token of a token is itself, and `*` exactly where the value is.
            value: match is_agent {
                true => token,
                false if line.value == line.value_raw => value_raw,
                false => self.keep(line.value),
            },
            name,
            token,
            has_colon: line.has_colon,
            is_typo: !key_text.is_empty() && read_key(key_text).1,
            counts: line.counts,
            is_beyond_500kib: false,
            is_managed: false,
        };
        let parts = &mut self.parts;
        if is_agent && (parts.groups.is_empty() || line.group_no as usize > parts.groups.len()) {
            parts.groups.push(Group {
                line_no: line.line_no,
                first: parts.directives.len(),
                crawl_delay: line.crawl_delay,
                ..Group::default()
            });
        }
        directive.group_no = match is_agent {
            true => parts.groups.len() as u32,
            false => line.group_no.min(parts.groups.len() as u32),
        };
        let summary = &mut parts.summary;
        summary.n_groups = parts.groups.len() as u32;
        summary.n_lines = line.line_no;
        let group = parts
            .groups
            .get_mut((directive.group_no as usize).wrapping_sub(1));
        let mut unused = Group::default();
        let group = group.unwrap_or(&mut unused);
        match line.kind {
            DirectiveKind::UserAgent => {
                summary.n_user_agents += 1;
                group.n_agents += 1;
                directive.agent_no = group.n_agents;
            }
            DirectiveKind::Allow => {
                summary.n_allow += 1;
                group.n_allow += 1;
            }
            _ => {
                summary.n_disallow += 1;
                group.n_disallow += 1;
            }
        }
        summary.content = if summary.n_allow + summary.n_disallow > 0 {
            ContentClass::Rules
        } else {
            ContentClass::NoRules
        };
        parts.directives.push(directive);
        true
    }

    /// Lends the file as it is so far. Its body is empty.
    pub fn as_robots_txt(&self) -> RobotsTxt<'_> {
        RobotsTxt {
            body: b"",
            parts: &self.parts,
        }
    }

    /// Puts a text into the buffer; there is room.
    fn keep(&mut self, text: &[u8]) -> Span {
        let start = self.parts.buffer.len() as u32 | MARK;
        self.parts.buffer.extend_from_slice(text);
        Span {
            start,
            len: text.len() as u32,
        }
    }
}

/// The key that Google's parser reads: without the first one or two bytes of a
/// byte order mark, which `key_raw` keeps.
fn without_partial_bom(key_raw: &[u8]) -> &[u8] {
    let mark = b"\xef\xbb".iter().zip(key_raw);
    &key_raw[mark.take_while(|(a, b)| a == b).count()..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, Evaluator, Parser, Policy};

    /// A file made again from what the parser read of it.
    fn rebuilt(body: &[u8]) -> RobotsTxtBuilder {
        let mut parser = Parser::new();
        let robots = parser.parse(body);
        let mut rebuilt = RobotsTxtBuilder::new();
        let is_ours = |it: &&Directive| {
            matches!(
                it.kind,
                DirectiveKind::UserAgent | DirectiveKind::Allow | DirectiveKind::Disallow
            )
        };
        for it in robots.directives().iter().filter(is_ours) {
            let group = robots.groups().get((it.group_no as usize).wrapping_sub(1));
            assert!(rebuilt.push(&DirectiveRow {
                kind: it.kind,
                line_no: it.line_no,
                group_no: it.group_no,
                record_no: it.record_no,
                key_raw: robots.text(it.key_raw),
                value_raw: robots.text(it.value_raw),
                value: robots.text(it.value),
                name: robots.text(it.name),
                token: robots.text(it.token),
                has_colon: it.has_colon,
                counts: it.counts,
                crawl_delay: group.and_then(|group| group.crawl_delay),
            }));
        }
        rebuilt
    }

    #[test]
    fn a_rebuilt_file_gives_the_verdicts_of_the_bytes() {
        let bodies: [&[u8]; 7] = [
            b"",
            b"Disallow: /early\nUser-agent: * x\nDisallow: /a\xe9b\n\nUser-agent: *\n\nDisallow: /b\n",
            b"User-agent: MJ12bot/1.0\nCrawl-delay: 3\nUser-agent:\nallow /x\nDisallow: \n",
            b"user-agent: a\n\nuser-agents: b\ndissalow: /c\n\nUser-agent: *foo\nDisallow: /\n",
            b"User-agent: *\x00x\nDisallow: /%c3%a9\x00\nAllow:\x0b/v\n",
            b"User-agent: Foo\nSitemap: x\nUser-agent: Bar\nAllow: /d/index.html\nDisallow: /\n",
            b"useragent b\rDisallow: http://h/x\r\rUser-agent: b\rDisallow: /*.pdf$\r",
        ];
        for body in bodies {
            let mut parser = Parser::new();
            let robots = parser.parse(body);
            let rebuilt = rebuilt(body);
            let shown = String::from_utf8_lossy(body);
            let expected = Evaluator::new().verdicts(&robots);
            assert_eq!(
                Evaluator::new().verdicts(&rebuilt.as_robots_txt()),
                expected,
                "{shown:?}"
            );
            for row in &expected {
                for path in [
                    &b"/"[..],
                    b"/a%E9b",
                    b"/x",
                    b"/c",
                    b"/v",
                    b"/%C3%A9",
                    b"/d/",
                ] {
                    for dialect in Dialect::ALL {
                        assert_eq!(
                            Policy::new(dialect, &rebuilt.as_robots_txt(), row.agent).access(path),
                            Policy::new(dialect, &robots, row.agent).access(path),
                            "{shown:?} {dialect:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn groups_that_cannot_be_stop_nothing() {
        let line = |kind, line_no, group_no| DirectiveRow {
            kind,
            line_no,
            group_no,
            record_no: 1,
            key_raw: b"disallow",
            value_raw: b"/",
            value: b"/",
            name: b"a",
            token: b"a",
            has_colon: true,
            counts: true,
            crawl_delay: None,
        };
        let mut rebuilt = RobotsTxtBuilder::new();
        for line in [
            line(DirectiveKind::Disallow, 1, 9),
            line(DirectiveKind::UserAgent, 2, u32::MAX),
            line(DirectiveKind::Disallow, 3, 77),
            line(DirectiveKind::UserAgent, 4, 0),
        ] {
            assert!(rebuilt.push(&line));
        }
        let groups = rebuilt
            .as_robots_txt()
            .directives()
            .iter()
            .map(|it| it.group_no);
        assert_eq!(groups.collect::<Vec<_>>(), [0, 1, 1, 1]);
        let policy = Policy::new(Dialect::Google, &rebuilt.as_robots_txt(), b"a");
        assert!(!policy.access(b"/x").is_allowed);
        rebuilt.clear();
        assert!(rebuilt.as_robots_txt().directives().is_empty());
    }
}

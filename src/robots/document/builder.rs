//! A parsed file that is built from table rows instead of bytes.
//!
//! No line is parsed again, because each row holds the result of parsing a line. Policies and
//! verdicts of the built file equal those of the file that was parsed from bytes.

use super::{
    ContentClass, Directive, DirectiveKind, DocumentData, Group, IN_BUFFER_BIT, LimitedAgents,
    MAX_BUFFER_BYTES, RateLimits, RobotsTxt, Span, Summary,
};
use crate::parse::blanks::{trim_end, trim_start};
use crate::parse::key::parse_key;

/// A row of the tables for a user-agent, allow or disallow line, or for a statement about the use of
/// content.
#[derive(Clone, Copy, Debug)]
pub struct DirectiveRow<'a> {
    /// The kind of the line: `UserAgent`, `Allow`, `Disallow`, or `Other` for a statement.
    pub kind: DirectiveKind,
    /// The number of the line, from 1.
    pub line_no: u32,
    /// The number of the group according to Google's parser, from 1, or `None` before the first
    /// user-agent line.
    pub group_no: Option<u32>,
    /// The number of the record according to Koster's draft, from 1.
    pub record_no: u32,
    /// The key as written.
    pub key_raw: &'a [u8],
    /// The value as written.
    pub value_raw: &'a [u8],
    /// The value of a rule or statement as Google's parser reads it; the path of a rule is escaped.
    /// Ignored for user-agent lines, for which `token` is used instead.
    pub value: &'a [u8],
    /// The whole name in a user-agent line; ignored for other lines.
    pub name: &'a [u8],
    /// The product token that Google's parser reads from a user-agent line, in lower case; ignored
    /// for other lines.
    pub token: &'a [u8],
    /// True if a colon separates key and value.
    pub has_colon: bool,
    /// True if the line [counts](Directive::counts).
    pub counts: bool,
    /// The crawl-delay of a user-agent line, in milliseconds; ignored for other lines.
    pub crawl_delay_ms: Option<i64>,
}

/// Builds parsed files from table rows, one file after the other, and reuses its memory.
///
/// Every [`Policy`](crate::Policy) and [`Evaluator`](crate::Evaluator) gives the same answers for
/// the built [`RobotsTxt`] as for the parsed file. The built file has no anomalies and only the
/// lines of the rows, and its summary has only their counts.
///
/// # Example
///
/// ```
/// use robotstxt_dialects::{Dialect, DirectiveKind, DirectiveRow, Policy, RobotsTxtBuilder};
///
/// let agent = DirectiveRow {
///     kind: DirectiveKind::UserAgent, line_no: 1, group_no: Some(1), record_no: 1,
///     key_raw: b"User-agent", value_raw: b"GPTBot", value: b"", name: b"gptbot",
///     token: b"gptbot", has_colon: true, counts: true, crawl_delay_ms: None,
/// };
/// let rule = DirectiveRow {
///     kind: DirectiveKind::Disallow, line_no: 2, key_raw: b"Disallow", value_raw: b"/x",
///     value: b"/x", name: b"", token: b"", ..agent
/// };
/// let mut builder = RobotsTxtBuilder::new();
/// assert!(builder.push(&agent) && builder.push(&rule));
/// let policy = Policy::new(Dialect::Google, &builder.as_robots_txt(), b"GPTBot");
/// assert_eq!(policy.access(b"https://example.com/x").line_no, Some(2));
/// ```
#[derive(Debug, Default)]
pub struct RobotsTxtBuilder {
    document: DocumentData,
}

impl RobotsTxtBuilder {
    /// Creates a builder without lines.
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes all lines, so that the next file can be built.
    pub fn clear(&mut self) {
        self.document.directives.clear();
        self.document.groups.clear();
        self.document.limited_agents.clear();
        self.document.buffer.clear();
        self.document.summary = Summary::default();
    }

    /// Sets the class of the body, which cannot be derived from rows. Must be called after the last
    /// [`push`](Self::push), because `push` overwrites the class.
    pub fn set_content_class(&mut self, content: ContentClass) {
        self.document.summary.content = content;
    }

    /// Adds the row of the next line, in the order of the file. Returns false, and adds nothing, if
    /// the texts of the file would exceed 2 GiB.
    ///
    /// A user-agent line with a group number above that of the last group starts the next group;
    /// any other user-agent line is put into the last group. For other lines, a group number above
    /// that of the last group is replaced by that of the last group.
    pub fn push(&mut self, row: &DirectiveRow<'_>) -> bool {
        let texts = [row.key_raw, row.value_raw, row.value, row.name, row.token];
        let len: usize = texts.iter().map(|text| text.len()).sum();
        if self.document.buffer.len().saturating_add(len) > MAX_BUFFER_BYTES {
            return false;
        }
        let is_agent = row.kind == DirectiveKind::UserAgent;
        let row_group_no = row.group_no.unwrap_or(0);
        let group_count = self.document.groups.len();
        if is_agent && (group_count == 0 || row_group_no as usize > group_count) {
            self.document.groups.push(Group {
                line_no: row.line_no,
                first_directive: self.document.directives.len(),
                ..Group::default()
            });
        }
        if is_agent && row.crawl_delay_ms.is_some() {
            self.document.limited_agents.push(LimitedAgents {
                first_line_no: row.line_no,
                last_line_no: row.line_no,
                limits: RateLimits {
                    crawl_delay_ms: row.crawl_delay_ms,
                    ..RateLimits::default()
                },
            });
        }
        let group_count = self.document.groups.len() as u32;
        let group_no = if is_agent {
            group_count
        } else {
            row_group_no.min(group_count)
        };
        let agent_no = self.count_row(row, group_no);
        let directive = self.make_directive(row, group_no, agent_no);
        self.document.directives.push(directive);
        true
    }

    /// Makes the directive of a row, and puts its texts into the buffer.
    fn make_directive(
        &mut self,
        row: &DirectiveRow<'_>,
        group_no: u32,
        agent_no: u32,
    ) -> Directive {
        let is_agent = row.kind == DirectiveKind::UserAgent;
        let key_text = trim_end(trim_start(strip_partial_bom(row.key_raw)));
        let value_raw = self.push_text(row.value_raw);
        let (name, token) = if is_agent {
            (self.push_text(row.name), self.push_text(row.token))
        } else {
            (Span::default(), Span::default())
        };
        Directive {
            line_no: row.line_no,
            kind: row.kind,
            group_no,
            agent_no,
            record_no: row.record_no,
            key_raw: self.push_text(row.key_raw),
            value_raw,
            // The value of a user-agent line is used only to parse its token and to test it for
            // `*`. The token gives the same results.
            value: match is_agent {
                true => token,
                false if row.value == row.value_raw => value_raw,
                false => self.push_text(row.value),
            },
            name,
            token,
            has_colon: row.has_colon,
            is_typo: !key_text.is_empty() && parse_key(key_text).1,
            counts: row.counts,
            is_beyond_500kib: false,
            is_managed: false,
        }
    }

    /// Adds a row to the counts of the summary and of its group. Returns the number of a
    /// user-agent line in its group, or 0 for other lines.
    fn count_row(&mut self, row: &DirectiveRow<'_>, group_no: u32) -> u32 {
        let mut no_group = Group::default();
        let mut agent_no = 0;
        let groups = &mut self.document.groups;
        let summary = &mut self.document.summary;
        summary.n_groups = groups.len() as u32;
        summary.n_lines = row.line_no;
        let group = groups.get_mut((group_no as usize).wrapping_sub(1));
        let group = group.unwrap_or(&mut no_group);
        match row.kind {
            DirectiveKind::UserAgent => {
                summary.n_user_agents += 1;
                group.n_agents += 1;
                agent_no = group.n_agents;
            }
            DirectiveKind::Allow => {
                summary.n_allow += 1;
                group.n_allow += 1;
            }
            DirectiveKind::Disallow => {
                summary.n_disallow += 1;
                group.n_disallow += 1;
            }
            DirectiveKind::Sitemap | DirectiveKind::Other => {}
        }
        summary.content = if summary.n_allow + summary.n_disallow > 0 {
            ContentClass::Rules
        } else {
            ContentClass::NoRules
        };
        agent_no
    }

    /// Borrows the file as built so far. Its body is empty.
    pub fn as_robots_txt(&self) -> RobotsTxt<'_> {
        RobotsTxt {
            body: b"",
            document: &self.document,
        }
    }

    /// Appends a text to the buffer. The caller has checked that the buffer stays within its limit.
    fn push_text(&mut self, text: &[u8]) -> Span {
        let start = self.document.buffer.len() as u32 | IN_BUFFER_BIT;
        self.document.buffer.extend_from_slice(text);
        Span {
            start,
            len: text.len() as u32,
        }
    }
}

/// Removes an incomplete byte order mark from the beginning of `key_raw`, because Google's parser
/// does not read it as part of the key.
fn strip_partial_bom(key_raw: &[u8]) -> &[u8] {
    let shared_bytes = b"\xef\xbb".iter().zip(key_raw);
    &key_raw[shared_bytes.take_while(|(a, b)| a == b).count()..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, Evaluator, Parser, Policy};

    /// Builds a file from the rows of a parsed body.
    fn rebuild(body: &[u8]) -> RobotsTxtBuilder {
        let mut parser = Parser::new();
        let parsed = parser.parse(body);
        let mut builder = RobotsTxtBuilder::new();
        let has_row = |line: &&Directive| line.kind == DirectiveKind::UserAgent || line.is_rule();
        for line in parsed.directives().iter().filter(has_row) {
            assert!(builder.push(&DirectiveRow {
                kind: line.kind,
                line_no: line.line_no,
                group_no: line.group_no(),
                record_no: line.record_no,
                key_raw: parsed.text(line.key_raw),
                value_raw: parsed.text(line.value_raw),
                value: parsed.text(line.value),
                name: parsed.text(line.name),
                token: parsed.text(line.token),
                has_colon: line.has_colon,
                counts: line.counts,
                crawl_delay_ms: parsed.rate_limits(line.line_no).crawl_delay_ms,
            }));
        }
        builder
    }

    #[test]
    fn a_built_file_has_the_verdicts_of_the_bytes() {
        let bodies: [&[u8]; 7] = [
            b"",
            b"Disallow: /early\nUser-agent: * x\nDisallow: /a\xe9b\n\nUser-agent: *\n\nDisallow: /b\n",
            b"User-agent: MJ12bot/1.0\nCrawl-delay: 3\nUser-agent: a\nUser-agent:\nallow /x\nDisallow: \n",
            b"user-agent: a\n\nuser-agents: b\ndissalow: /c\n\nUser-agent: *foo\nDisallow: /\n",
            b"User-agent: *\x00x\nDisallow: /%c3%a9\x00\nAllow:\x0b/v\n",
            b"User-agent: Foo\nSitemap: x\nUser-agent: Bar\nAllow: /d/index.html\nDisallow: /\n",
            b"useragent b\rDisallow: http://h/x\r\rUser-agent: b\rDisallow: /*.pdf$\r",
        ];
        for body in bodies {
            let mut parser = Parser::new();
            let robots = parser.parse(body);
            let rebuilt = rebuild(body);
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
    fn impossible_group_numbers_are_read_as_the_last_group() {
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
            crawl_delay_ms: None,
        };
        let mut rebuilt = RobotsTxtBuilder::new();
        for line in [
            line(DirectiveKind::Disallow, 1, Some(9)),
            line(DirectiveKind::UserAgent, 2, Some(u32::MAX)),
            line(DirectiveKind::Disallow, 3, Some(77)),
            line(DirectiveKind::UserAgent, 4, None),
        ] {
            assert!(rebuilt.push(&line));
        }
        let groups = rebuilt
            .as_robots_txt()
            .directives()
            .iter()
            .map(Directive::group_no);
        let expected = [None, Some(1), Some(1), Some(1)];
        assert_eq!(groups.collect::<Vec<_>>(), expected);
        let policy = Policy::new(Dialect::Google, &rebuilt.as_robots_txt(), b"a");
        assert!(!policy.access(b"/x").is_allowed);
        rebuilt.clear();
        assert!(rebuilt.as_robots_txt().directives().is_empty());
    }
}

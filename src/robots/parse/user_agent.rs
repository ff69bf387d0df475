//! User-agent lines: their groups and the names in them.

use super::{DirectiveRef, FirstLinesSinceAgent, ParseState, ParsedLine};
use crate::agent_name::{is_product_token, product_token, push_whole_name};
use crate::anomaly::AnomalyKind;
use crate::document::{DirectiveKind, Group, Span};

/// The fields of a [`Directive`](crate::Directive) that only a user-agent line has.
#[derive(Default)]
pub(super) struct ParsedAgent {
    /// The number of the line in its group, from 1.
    pub(super) agent_no: u32,
    pub(super) name: Span,
    pub(super) token: Span,
}

impl<'b> ParseState<'_, 'b> {
    /// Adds a user-agent line, which starts or continues a group (§6).
    pub(super) fn add_user_agent(&mut self, line_no: u32, parsed: &ParsedLine<'b>) -> ParsedAgent {
        let value_span = parsed.value_span;
        self.document.summary.n_user_agents += 1;
        let since_agent = std::mem::take(&mut self.since_agent);
        if self.groups.pass_user_agent() {
            self.document.groups.push(Group {
                line_no,
                first_directive: self.document.directives.len(),
                ..Group::default()
            });
        } else {
            self.report_lines_between_agents(&since_agent, value_span);
        }
        let last_directive = self.document.directives.last();
        if last_directive.is_none_or(|last| last.kind != DirectiveKind::UserAgent) {
            self.last_agents.0 = line_no;
        }
        self.last_agents.1 = line_no;
        let agent_no = self.document.groups.last_mut().map_or(0, |group| {
            group.n_agents += 1;
            group.n_agents
        });

        let (name, token) = self.push_names(line_no, parsed);
        if !name.is_empty() {
            let text = self.document.text(self.body, name);
            let agent = DirectiveRef::new(self.document.directives.len(), text);
            self.scratch.agents.push(agent);
        }
        ParsedAgent {
            agent_no,
            name,
            token,
        }
    }

    /// Reports sitemap and crawl-delay lines between two user-agent lines of a group. `detail` is
    /// the value of the second user-agent line.
    #[inline(always)]
    fn report_lines_between_agents(&mut self, since_agent: &FirstLinesSinceAgent, detail: Span) {
        if since_agent.sitemap_line_no != 0 {
            let kind = AnomalyKind::SitemapBetweenAgents;
            self.report(since_agent.sitemap_line_no, kind, detail);
        }
        if since_agent.crawl_delay_line_no != 0 {
            let kind = AnomalyKind::CrawlDelayBetweenAgents;
            self.report(since_agent.crawl_delay_line_no, kind, detail);
        }
    }

    /// Writes the whole name and the product token of a user-agent line, in lower case, into the
    /// buffer and returns their spans. Reports a value that is not a product token.
    fn push_names(&mut self, line_no: u32, parsed: &ParsedLine<'b>) -> (Span, Span) {
        let (value, value_span) = (parsed.value, parsed.value_span);
        let buffer = &mut self.document.buffer;
        let start = buffer.len();
        if is_product_token(value) {
            // A product token is its own whole name.
            buffer.extend_from_slice(value);
            buffer[start..].make_ascii_lowercase();
            let name = self.buffer_span(start);
            return (name, name);
        }
        push_whole_name(value, buffer);
        let name = self.buffer_span(start);
        let token = product_token(value);
        // A whole name nearly always begins with its token.
        let begin = self.document.buffer[start..].get(..token.len());
        let token = if begin.is_some_and(|begin| begin.eq_ignore_ascii_case(token)) {
            Span {
                start: name.start,
                len: token.len() as u32,
            }
        } else {
            let start = self.document.buffer.len();
            let lower = token.iter().map(u8::to_ascii_lowercase);
            self.document.buffer.extend(lower);
            self.buffer_span(start)
        };
        if value.is_empty() {
            self.report(line_no, AnomalyKind::EmptyAgent, Span::default());
        } else if has_version(value) {
            self.report(line_no, AnomalyKind::TokenWithVersion, value_span);
        } else {
            self.report(line_no, AnomalyKind::InvalidTokenChars, value_span);
        }
        (name, token)
    }
}

/// Returns true if a value begins with a name and a version: a product token, a `/` or a space, and
/// a digit.
fn has_version(value: &[u8]) -> bool {
    let name = value
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'))
        .count();
    name > 0
        && matches!(value.get(name), Some(b'/' | b' '))
        && matches!(value.get(name + 1), Some(b'0'..=b'9'))
}

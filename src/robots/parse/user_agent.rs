//! A user-agent line: its group, and the names it gives.

use super::{DirectiveRef, ParseState, ParsedLine};
use crate::agent_name::{is_product_token, product_token, whole_name};
use crate::anomaly::AnomalyKind;
use crate::document::{Group, Span};

/// What a user-agent line says.
#[derive(Default)]
pub(super) struct ParsedAgent {
    /// Its place in its group, from 1.
    pub(super) no: u32,
    pub(super) name: Span,
    pub(super) token: Span,
}

impl<'b> ParseState<'_, 'b> {
    /// Starts or continues a group (§6).
    pub(super) fn user_agent(&mut self, line_no: u32, read: &ParsedLine<'b>) -> ParsedAgent {
        let written = read.span;
        self.parts.summary.n_user_agents += 1;
        if self.parts.groups.is_empty() || self.group_has_rules {
            self.group_has_rules = false;
            self.parts.groups.push(Group {
                line_no,
                first: self.parts.directives.len(),
                ..Group::default()
            });
        } else {
            let met = [
                (self.sitemap_line_no, AnomalyKind::SitemapBetweenAgents),
                (
                    self.crawl_delay_line_no,
                    AnomalyKind::CrawlDelayBetweenAgents,
                ),
            ];
            for (other_no, anomaly) in met {
                if other_no != 0 {
                    self.report(other_no, anomaly, written);
                }
            }
        }
        self.sitemap_line_no = 0;
        self.crawl_delay_line_no = 0;
        self.blank_line_no = 0;
        let no = self.parts.groups.last_mut().map_or(0, |group| {
            group.n_agents += 1;
            group.n_agents
        });

        let (name, token) = self.names(line_no, read);
        if !name.is_empty() {
            let text = self.parts.text(self.body, name);
            let place = DirectiveRef::new(self.parts.directives.len(), text);
            self.parts.agents.push(place);
        }
        ParsedAgent { no, name, token }
    }

    /// The whole name and the product token that a user-agent line gives.
    fn names(&mut self, line_no: u32, read: &ParsedLine<'b>) -> (Span, Span) {
        let (value, written) = (read.value, read.span);
        let from = self.parts.buffer.len();
        if is_product_token(value) {
            // Then it is a whole name, too.
            self.parts.buffer.extend_from_slice(value);
            self.parts.buffer[from..].make_ascii_lowercase();
            let name = self.buffered(from);
            return (name, name);
        }
        whole_name(value, &mut self.parts.buffer);
        let name = self.buffered(from);
        let token = product_token(value);
        // A whole name nearly always begins with its token, in the same case.
        let begins = self.parts.buffer[from..].get(..token.len());
        let token = if begins.is_some_and(|begin| begin.eq_ignore_ascii_case(token)) {
            Span {
                start: name.start,
                len: token.len() as u32,
            }
        } else {
            let from = self.parts.buffer.len();
            let lower = token.iter().map(u8::to_ascii_lowercase);
            self.parts.buffer.extend(lower);
            self.buffered(from)
        };
        if value.is_empty() {
            self.report(line_no, AnomalyKind::EmptyAgent, Span::default());
        } else if has_version(value) {
            self.report(line_no, AnomalyKind::TokenWithVersion, written);
        } else {
            self.report(line_no, AnomalyKind::InvalidTokenChars, written);
        }
        (name, token)
    }
}

/// A name, a `/` or a blank, and digits: the name carries a version.
fn has_version(value: &[u8]) -> bool {
    let name = value
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'))
        .count();
    name > 0
        && matches!(value.get(name), Some(b'/' | b' '))
        && matches!(value.get(name + 1), Some(b'0'..=b'9'))
}

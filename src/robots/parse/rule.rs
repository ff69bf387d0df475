//! Rules: their groups, their paths, and the anomalies of a path.

use super::byte_classes::ByteClasses;
use super::template::starts_with_ignore_case;
use super::template_rules::may_be_marker;
use super::{ParseState, ParsedLine};
use crate::agent_name::is_blank;
use crate::anomaly::AnomalyKind;
use crate::document::{DirectiveKind, Span};
use crate::pattern;
use memchr::memchr;

impl ParseState<'_, '_> {
    /// Adds a rule to the current group. Returns its path, escaped for matching.
    #[inline(always)]
    pub(super) fn add_rule(&mut self, line_no: u32, parsed: &ParsedLine<'_>) -> Span {
        let is_allow = parsed.kind == DirectiveKind::Allow;
        let span = parsed.value_span;
        let summary = &mut self.document.summary;
        let (allow, disallow) = (u32::from(is_allow), u32::from(!is_allow));
        summary.n_allow += allow;
        summary.n_disallow += disallow;
        if may_be_marker(parsed.value) {
            self.seen_markers.add(parsed.kind, parsed.value);
        }
        match self.document.groups.last_mut() {
            None => self.report(line_no, AnomalyKind::RuleBeforeAgent, span),
            Some(group) => {
                group.n_allow += allow;
                group.n_disallow += disallow;
                if !self.groups.has_rules() && self.since_agent.blank_line_no != 0 {
                    self.report(
                        self.since_agent.blank_line_no,
                        AnomalyKind::BlankLineInsideGroup,
                        Span::default(),
                    );
                }
                self.groups.pass_rule();
            }
        }
        self.report_path(line_no, parsed);
        let may_need_escape = parsed.classes.has_any(ByteClasses::HIGH)
            || parsed.classes.has_any(ByteClasses::PERCENT);
        if may_need_escape && pattern::needs_escape(parsed.value) {
            let start = self.document.buffer.len();
            pattern::escape(parsed.value, &mut self.document.buffer);
            return self.buffer_span(start);
        }
        span
    }

    /// Reports the anomalies of the path of a rule.
    #[inline(always)]
    fn report_path(&mut self, line_no: u32, parsed: &ParsedLine<'_>) {
        let (value, span) = (parsed.value, parsed.value_span);
        if parsed.has_adjacent_comment {
            self.report(line_no, AnomalyKind::FragmentInPath, span);
        }
        if value.first() != Some(&b'/') {
            self.report_path_without_slash(line_no, parsed);
        }
        if parsed.classes != ByteClasses::default() {
            self.report_special_bytes(line_no, parsed);
        }
        if parsed.kind == DirectiveKind::Allow
            && let Some(slash) = value.iter().rposition(|&byte| byte == b'/')
            && value[slash..].starts_with(b"/index.htm")
        {
            self.report(line_no, AnomalyKind::IndexHtm, span);
        }
    }

    /// Reports a path that lacks the `/` with which RFC 9309 §2.2 requires every path to begin.
    #[inline(never)]
    fn report_path_without_slash(&mut self, line_no: u32, parsed: &ParsedLine<'_>) {
        let kind = match parsed.value.first() {
            None if parsed.kind == DirectiveKind::Allow => AnomalyKind::EmptyAllow,
            // An empty `Disallow` is valid: it disallows nothing.
            None => return,
            Some(b'*') => AnomalyKind::LeadingWildcard,
            Some(_) if is_full_url(parsed.value) => AnomalyKind::FullUrlPath,
            Some(_) => AnomalyKind::PathWithoutSlash,
        };
        let detail = if parsed.value_span.is_empty() {
            Span::default()
        } else {
            parsed.value_span
        };
        self.report(line_no, kind, detail);
    }

    /// Reports the anomalies of a path that contains bytes of a [`ByteClasses`] class.
    #[inline(never)]
    fn report_special_bytes(&mut self, line_no: u32, parsed: &ParsedLine<'_>) {
        let (value, span, classes) = (parsed.value, parsed.value_span, parsed.classes);
        if classes.has_any(ByteClasses::HIGH) {
            self.report(line_no, AnomalyKind::UnencodedNonAscii, span);
        }
        if classes.has_any(ByteClasses::DOLLAR) && memchr(b'$', &value[..value.len() - 1]).is_some()
        {
            self.report(line_no, AnomalyKind::DollarInside, span);
        }
        if classes.has_any(ByteClasses::BLANK) && has_several_paths(value) {
            self.report(line_no, AnomalyKind::MultiplePathsPerLine, span);
        }
    }
}

/// Returns true if a value begins with a scheme and `://`, or with `www.`.
fn is_full_url(value: &[u8]) -> bool {
    let scheme_letters = value.iter().take_while(|byte| byte.is_ascii_alphabetic());
    value[scheme_letters.count()..].starts_with(b"://") || starts_with_ignore_case(value, b"www.")
}

/// Returns true if white space in a value is followed by the beginning of another path.
fn has_several_paths(value: &[u8]) -> bool {
    value
        .windows(2)
        .any(|pair| is_blank(pair[0]) && matches!(pair[1], b'/' | b'*'))
}

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
    pub(super) fn rule(&mut self, line_no: u32, parsed: &ParsedLine<'_>) -> Span {
        let is_allow = parsed.kind == DirectiveKind::Allow;
        let span = parsed.span;
        let summary = &mut self.document.summary;
        let (allow, disallow) = (u32::from(is_allow), u32::from(!is_allow));
        summary.n_allow += allow;
        summary.n_disallow += disallow;
        if may_be_marker(parsed.value) {
            self.markers_seen.add(parsed.kind, parsed.value);
        }
        match self.document.groups.last_mut() {
            None => self.report(line_no, AnomalyKind::RuleBeforeAgent, span),
            Some(group) => {
                group.n_allow += allow;
                group.n_disallow += disallow;
                if !self.groups.has_rules() && self.since_agent.blank != 0 {
                    self.report(
                        self.since_agent.blank,
                        AnomalyKind::BlankLineInsideGroup,
                        Span::default(),
                    );
                }
                self.groups.rule();
            }
        }
        self.report_path(line_no, parsed);
        let may_need_escape =
            parsed.classes.has(ByteClasses::HIGH) || parsed.classes.has(ByteClasses::PERCENT);
        if may_need_escape && pattern::needs_escape(parsed.value) {
            let start = self.document.buffer.len();
            pattern::escape(parsed.value, &mut self.document.buffer);
            return self.buffered(start);
        }
        span
    }

    #[inline(always)]
    fn report_path(&mut self, line_no: u32, parsed: &ParsedLine<'_>) {
        let (value, span) = (parsed.value, parsed.span);
        if parsed.is_comment_glued {
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

    /// Reports a path that does not begin with `/`, as the grammar of RFC 9309 §2.2 requires.
    #[inline(never)]
    fn report_path_without_slash(&mut self, line_no: u32, parsed: &ParsedLine<'_>) {
        let anomaly = match parsed.value.first() {
            None if parsed.kind == DirectiveKind::Allow => AnomalyKind::EmptyAllow,
            // It restricts nothing, as the specifications say.
            None => return,
            Some(b'*') => AnomalyKind::LeadingWildcard,
            Some(_) if is_full_url(parsed.value) => AnomalyKind::FullUrlPath,
            Some(_) => AnomalyKind::PathWithoutSlash,
        };
        let detail = if parsed.span.is_empty() {
            Span::default()
        } else {
            parsed.span
        };
        self.report(line_no, anomaly, detail);
    }

    /// Reports the anomalies of a path that has bytes of any class.
    #[inline(never)]
    fn report_special_bytes(&mut self, line_no: u32, parsed: &ParsedLine<'_>) {
        let (value, span, classes) = (parsed.value, parsed.span, parsed.classes);
        if classes.has(ByteClasses::HIGH) {
            self.report(line_no, AnomalyKind::UnencodedNonAscii, span);
        }
        if classes.has(ByteClasses::DOLLAR) && memchr(b'$', &value[..value.len() - 1]).is_some() {
            self.report(line_no, AnomalyKind::DollarInside, span);
        }
        if classes.has(ByteClasses::BLANK) && has_several_paths(value) {
            self.report(line_no, AnomalyKind::MultiplePathsPerLine, span);
        }
    }
}

/// Returns true if a value begins with a scheme and `://`, or with `www.`.
fn is_full_url(value: &[u8]) -> bool {
    let letters = value.iter().take_while(|byte| byte.is_ascii_alphabetic());
    value[letters.count()..].starts_with(b"://") || starts_with_ignore_case(value, b"www.")
}

/// Returns true if a blank in a value is followed by the beginning of another path.
fn has_several_paths(value: &[u8]) -> bool {
    value
        .windows(2)
        .any(|pair| is_blank(pair[0]) && matches!(pair[1], b'/' | b'*'))
}

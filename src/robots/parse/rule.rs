//! A rule: its group, and what is odd about its path.

use super::byte_classes::ByteClasses;
use super::{ParseState, ParsedLine};
use crate::agent_name::is_blank;
use crate::anomaly::AnomalyKind;
use crate::document::Span;
use crate::parse::directive_kind::DirectiveKind;
use crate::parse::template::starts_with_ignore_case;
use crate::pattern;
use memchr::memchr;

impl ParseState<'_, '_> {
    /// Adds a rule to the last group, and gives its value as it is matched.
    #[inline(always)]
    pub(super) fn rule(&mut self, line_no: u32, read: &ParsedLine<'_>) -> Span {
        let is_allow = read.kind == DirectiveKind::Allow;
        let value = read.span;
        let summary = &mut self.parts.summary;
        let (allow, disallow) = (u32::from(is_allow), u32::from(!is_allow));
        summary.n_allow += allow;
        summary.n_disallow += disallow;
        self.has_admin_ajax |= is_allow && read.value == b"/wp-admin/admin-ajax.php";
        self.has_wp_admin |= !is_allow && read.value == b"/wp-admin/";
        match self.parts.groups.last_mut() {
            None => self.report(line_no, AnomalyKind::RuleBeforeAgent, value),
            Some(group) => {
                group.n_allow += allow;
                group.n_disallow += disallow;
                if !self.group_has_rules && self.blank_line_no != 0 {
                    self.report(
                        self.blank_line_no,
                        AnomalyKind::BlankLineInsideGroup,
                        Span::default(),
                    );
                }
                self.group_has_rules = true;
            }
        }
        self.path_findings(line_no, read, value);
        let may_need = read.marks.has(ByteClasses::HIGH) || read.marks.has(ByteClasses::PERCENT);
        if may_need && pattern::needs_escape(read.value) {
            let from = self.parts.buffer.len();
            pattern::escape(read.value, &mut self.parts.buffer);
            return self.buffered(from);
        }
        value
    }

    #[inline(always)]
    fn path_findings(&mut self, no: u32, read: &ParsedLine<'_>, span: Span) {
        let value = read.value;
        if read.is_comment_glued {
            self.report(no, AnomalyKind::QueryOrFragment, span);
        }
        if value.first() != Some(&b'/') {
            self.beginning(no, read.kind, value, span);
        }
        if read.marks != ByteClasses::default() {
            self.marked(no, value, span, read.marks, read.is_comment_glued);
        }
        if read.kind == DirectiveKind::Allow
            && let Some(slash) = value.iter().rposition(|&byte| byte == b'/')
            && value[slash..].starts_with(b"/index.htm")
        {
            self.report(no, AnomalyKind::IndexHtm, span);
        }
    }

    /// A path that does not begin with a slash.
    #[inline(never)]
    fn beginning(&mut self, no: u32, key: DirectiveKind, value: &[u8], span: Span) {
        let anomaly = match value.first() {
            None if key == DirectiveKind::Allow => AnomalyKind::EmptyAllow,
            None => AnomalyKind::EmptyDisallow,
            Some(b'*') => AnomalyKind::LeadingWildcard,
            Some(_) if is_full_url(value) => AnomalyKind::FullUrlPath,
            Some(_) => AnomalyKind::PathWithoutSlash,
        };
        let span = if span.is_empty() {
            Span::default()
        } else {
            span
        };
        self.report(no, anomaly, span);
    }

    /// A path with octets that mean something.
    #[inline(never)]
    fn marked(
        &mut self,
        no: u32,
        value: &[u8],
        span: Span,
        marks: ByteClasses,
        is_comment_glued: bool,
    ) {
        if marks.has(ByteClasses::QUERY) && !is_comment_glued {
            self.report(no, AnomalyKind::QueryOrFragment, span);
        }
        if marks.has(ByteClasses::HIGH) {
            self.report(no, AnomalyKind::UnencodedNonAscii, span);
        }
        if marks.has(ByteClasses::STAR)
            && (value.len() > 1 && value.last() == Some(&b'*')
                || value.windows(2).any(|pair| pair == b"**"))
        {
            self.report(no, AnomalyKind::WildcardNoop, span);
        }
        if marks.has(ByteClasses::DOLLAR) && memchr(b'$', &value[..value.len() - 1]).is_some() {
            self.report(no, AnomalyKind::DollarInside, span);
        }
        if marks.has(ByteClasses::BLANK) && has_several_paths(value) {
            self.report(no, AnomalyKind::MultiplePathsPerLine, span);
        }
    }
}

/// A scheme of letters and `://`, or what can only be a host.
fn is_full_url(value: &[u8]) -> bool {
    let letters = value.iter().take_while(|byte| byte.is_ascii_alphabetic());
    value[letters.count()..].starts_with(b"://") || starts_with_ignore_case(value, b"www.")
}

/// A blank, and behind it what begins like a path.
fn has_several_paths(value: &[u8]) -> bool {
    value
        .windows(2)
        .any(|pair| is_blank(pair[0]) && matches!(pair[1], b'/' | b'*'))
}

//! What can be said of a file only at its end.

use super::ParseState;
use crate::anomaly::AnomalyKind;
use crate::document::{BODY_LIMIT_BYTES, ContentClass, Directive, Group, LineEndings, Span};
use crate::parse::directive_kind::DirectiveKind;
use crate::parse::sniff::{is_binary, looks_like_utf16};
use crate::parse::template::Template;

impl ParseState<'_, '_> {
    /// What can be said of the file only at its end.
    pub(super) fn finish(&mut self) {
        let is_utf8 = std::str::from_utf8(self.body).is_ok();
        // UTF-16 has NULs, or a mark that is no UTF-8.
        let is_utf16 = (self.has_nul || !is_utf8) && looks_like_utf16(self.body);
        let endings = self.parts.summary.line_endings;
        self.parts.summary.is_valid_utf8 = is_utf8;
        self.parts.summary.n_groups = self.parts.groups.len() as u32;
        let whole = [
            (is_utf16, AnomalyKind::Utf16),
            (endings == LineEndings::Cr, AnomalyKind::CrOnly),
            (endings == LineEndings::Mixed, AnomalyKind::MixedLineEnds),
            (!is_utf8 && !is_utf16, AnomalyKind::InvalidUtf8),
            (self.is_html, AnomalyKind::HtmlBody),
            (
                self.body.len() as u64 > BODY_LIMIT_BYTES,
                AnomalyKind::Over500kib,
            ),
        ];
        for (is_so, anomaly) in whole {
            if is_so {
                self.report(0, anomaly, Span::default());
            }
        }
        self.compare_groups();
        self.compare_agents();
        self.parts.summary.content = self.content(is_utf16);
        // Plain WordPress writes two rules for everybody and no mark.
        if self.parts.summary.template.is_none() && self.has_wp_admin && self.has_admin_ajax {
            self.parts.summary.template = Some(Template::Wordpress);
        }
        let anomalies = &mut self.parts.anomalies;
        if !anomalies.is_sorted_by_key(|finding| finding.line_no) {
            anomalies.sort_by_key(|finding| finding.line_no);
        }
    }

    fn content(&self, is_utf16: bool) -> ContentClass {
        let summary = &self.parts.summary;
        if is_binary(self.body) {
            ContentClass::Binary
        } else if self.is_html {
            ContentClass::Html
        } else if summary.n_allow + summary.n_disallow > 0 {
            ContentClass::Rules
        } else if summary.n_blank_lines + summary.n_comment_lines == summary.n_lines {
            if self.has_nul && !is_utf16 {
                ContentClass::Binary
            } else if summary.n_comment_lines == 0 {
                ContentClass::Empty
            } else {
                ContentClass::CommentsOnly
            }
        } else if self.has_nul && !is_utf16 {
            ContentClass::Binary
        } else {
            ContentClass::NoRules
        }
    }

    /// Groups without rules, and rules of one group that contradict.
    fn compare_groups(&mut self) {
        for index in 0..self.parts.groups.len() {
            let group = self.parts.groups[index];
            if group.n_allow + group.n_disallow == 0 {
                self.report(
                    group.line_no,
                    AnomalyKind::GroupWithoutRules,
                    Span::default(),
                );
            }
            if group.n_allow == 0 || group.n_disallow == 0 {
                continue;
            }
            let next = self.parts.groups.get(index + 1);
            let end = next.map_or(self.parts.directives.len(), |next| next.first);
            self.compare_rules(group, end);
        }
    }

    /// Allows and disallows of one group that have the same path.
    fn compare_rules(&mut self, group: Group, end: usize) {
        // The fewer are put in order and the others looked up among them.
        let (fewer, others) = if group.n_allow <= group.n_disallow {
            (DirectiveKind::Allow, DirectiveKind::Disallow)
        } else {
            (DirectiveKind::Disallow, DirectiveKind::Allow)
        };
        let mut order = std::mem::take(&mut self.parts.order);
        let directives = &self.parts.directives[..end];
        let text = |at: u32| self.parts.text(self.body, directives[at as usize].value);
        let rules = |key: DirectiveKind| {
            let rules = directives.iter().enumerate().skip(group.first);
            rules.filter(move |(_, it)| it.kind == key && !it.value.is_empty())
        };
        let place =
            |at: usize, it: &Directive| DirectiveRef::new(at, self.parts.text(self.body, it.value));
        let compare = |a: &DirectiveRef, b: &DirectiveRef| {
            let by_text = || text(a.at).cmp(text(b.at));
            a.hash.cmp(&b.hash).then_with(by_text)
        };
        order.clear();
        order.extend(rules(fewer).map(|(at, it)| place(at, it)));
        order.sort_unstable_by(|a, b| compare(a, b).then(a.at.cmp(&b.at)));
        order.dedup_by(|b, a| compare(a, b).is_eq());
        // Texts of another length need not be looked up.
        let bit = |it: &Directive| 1u64 << (it.value.len() % 64);
        let lengths = order
            .iter()
            .map(|place| bit(&directives[place.at as usize]));
        let lengths = lengths.fold(0, |lengths, bit| lengths | bit);
        let mut found = Vec::new();
        for (at, it) in rules(others).filter(|(_, it)| lengths & bit(it) != 0) {
            let place = place(at, it);
            let Ok(other) = order.binary_search_by(|other| compare(other, &place)) else {
                continue;
            };
            let other = &mut order[other];
            if !std::mem::replace(&mut other.is_met, true) {
                let it = &directives[place.at.max(other.at) as usize];
                found.push((it.line_no, it.value));
            }
        }
        self.parts.order = order;
        for (line_no, detail) in found {
            self.report(line_no, AnomalyKind::ConflictingEqualLength, detail);
        }
    }

    /// Crawlers named twice in a group, or in several groups.
    fn compare_agents(&mut self) {
        let mut order = std::mem::take(&mut self.parts.agents);
        let directives = &self.parts.directives;
        let name = |at: u32| self.parts.text(self.body, directives[at as usize].name);
        order.sort_unstable_by(|a, b| {
            let by_name = || name(a.at).cmp(name(b.at));
            a.hash.cmp(&b.hash).then_with(by_name).then(a.at.cmp(&b.at))
        });
        let mut found = Vec::new();
        for pair in order.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            if a.hash != b.hash || name(a.at) != name(b.at) {
                continue;
            }
            let (a, b) = (&directives[a.at as usize], &directives[b.at as usize]);
            let anomaly = if a.group_no == b.group_no {
                AnomalyKind::DuplicateAgentGroup
            } else {
                AnomalyKind::AgentInManyGroups
            };
            found.push((b.line_no, anomaly, b.value));
        }
        self.parts.agents = order;
        for (line_no, anomaly, detail) in found {
            self.report(line_no, anomaly, detail);
        }
    }
}

/// A directive among others, put in order by a text of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DirectiveRef {
    /// Of the text, so that few texts are compared.
    hash: u32,
    /// Index of the directive.
    at: u32,
    is_met: bool,
}

impl DirectiveRef {
    pub(super) fn new(at: usize, text: &[u8]) -> Self {
        Self {
            hash: hash(text),
            at: at as u32,
            is_met: false,
        }
    }
}

/// Mixes the length of a text, its beginning and its end.
fn hash(text: &[u8]) -> u32 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let (first, last) = match (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => {
            let first = text
                .iter()
                .fold(0, |word, &byte| word << 8 | u64::from(byte));
            (first, 0)
        }
    };
    let mixed = (first ^ text.len() as u64).wrapping_mul(ODD) ^ last;
    (mixed.wrapping_mul(ODD) >> 32) as u32
}

//! What can be said of a file only at its end.

use super::Pass;
use crate::anomaly::Anomaly;
use crate::key::Key;
use crate::robots::{BODY_LIMIT_BYTES, Content, LineEndings, Span};
use crate::shape::{is_binary, looks_like_utf16};
use crate::template::Template;

impl Pass<'_, '_> {
    /// What can be said of the file only at its end.
    pub(super) fn finish(&mut self) {
        let is_utf8 = std::str::from_utf8(self.body).is_ok();
        let is_utf16 = looks_like_utf16(self.body);
        let endings = self.parts.figures.line_endings;
        self.parts.figures.is_valid_utf8 = is_utf8;
        self.parts.figures.n_groups = self.parts.groups.len() as u32;
        let whole = [
            (is_utf16, Anomaly::Utf16),
            (endings == LineEndings::Cr, Anomaly::CrOnly),
            (endings == LineEndings::Mixed, Anomaly::MixedLineEnds),
            (!is_utf8 && !is_utf16, Anomaly::InvalidUtf8),
            (self.is_html, Anomaly::HtmlBody),
            (
                self.body.len() as u64 > BODY_LIMIT_BYTES,
                Anomaly::Over500kib,
            ),
        ];
        for (is_so, anomaly) in whole {
            if is_so {
                self.find(0, anomaly, Span::default());
            }
        }
        self.compare_groups();
        self.compare_agents();
        self.parts.figures.content = self.content();
        if self.parts.figures.template.is_none() && self.is_wordpress() {
            self.parts.figures.template = Some(Template::Wordpress);
        }
        self.parts.findings.sort_by_key(|finding| finding.line_no);
    }

    fn content(&self) -> Content {
        let figures = &self.parts.figures;
        if is_binary(self.body) {
            Content::Binary
        } else if self.is_html {
            Content::Html
        } else if figures.n_allow + figures.n_disallow > 0 {
            Content::Rules
        } else if figures.n_blank_lines + figures.n_comment_lines == figures.n_lines {
            if self.has_nul && !looks_like_utf16(self.body) {
                Content::Binary
            } else if figures.n_comment_lines == 0 {
                Content::Empty
            } else {
                Content::CommentsOnly
            }
        } else if self.has_nul && !looks_like_utf16(self.body) {
            Content::Binary
        } else {
            Content::NoRules
        }
    }

    /// Groups without rules, and rules of one group that contradict.
    fn compare_groups(&mut self) {
        for index in 0..self.parts.groups.len() {
            let group = self.parts.groups[index];
            if group.n_allow + group.n_disallow == 0 {
                self.find(group.line_no, Anomaly::GroupWithoutRules, Span::default());
            }
            if group.n_allow == 0 || group.n_disallow == 0 {
                continue;
            }
            let end = self
                .parts
                .groups
                .get(index + 1)
                .map_or(self.parts.directives.len(), |next| next.first);
            // The fewer are put in order and the others looked up among them.
            let fewer = if group.n_allow <= group.n_disallow {
                Key::Allow
            } else {
                Key::Disallow
            };
            let mut order = std::mem::take(&mut self.parts.order);
            order.clear();
            let directives = &self.parts.directives;
            let text = |at: u32| self.parts.text(self.body, directives[at as usize].value);
            let by_text = |a: &[u8], b: &[u8]| a.len().cmp(&b.len()).then_with(|| a.cmp(b));
            let rules = (group.first as u32..end as u32).filter(|&at| {
                let it = &directives[at as usize];
                matches!(it.key, Key::Allow | Key::Disallow) && !it.value.is_empty()
            });
            let is_fewer = |at: &u32| directives[*at as usize].key == fewer;
            order.extend(rules.clone().filter(is_fewer));
            order.sort_by(|&a, &b| by_text(text(a), text(b)).then(a.cmp(&b)));
            order.dedup_by(|b, a| text(*a) == text(*b));
            let mut is_met = vec![false; order.len()];
            let mut found = Vec::new();
            for at in rules.filter(|at| !is_fewer(at)) {
                let Ok(place) = order.binary_search_by(|&other| by_text(text(other), text(at)))
                else {
                    continue;
                };
                if !std::mem::replace(&mut is_met[place], true) {
                    let it = &directives[at.max(order[place]) as usize];
                    found.push((it.line_no, it.value));
                }
            }
            self.parts.order = order;
            for (line_no, detail) in found {
                self.find(line_no, Anomaly::ConflictingEqualLength, detail);
            }
        }
    }

    /// Crawlers named twice in a group, or in several groups.
    fn compare_agents(&mut self) {
        if self.parts.figures.n_user_agents < 2 {
            return;
        }
        let mut order = std::mem::take(&mut self.parts.order);
        order.clear();
        order.extend((0..self.parts.directives.len() as u32).filter(|&at| {
            let it = &self.parts.directives[at as usize];
            it.key == Key::UserAgent && !it.name.is_empty()
        }));
        let name = |at: u32| {
            self.parts
                .text(self.body, self.parts.directives[at as usize].name)
        };
        order.sort_by(|&a, &b| name(a).cmp(name(b)).then(a.cmp(&b)));
        let mut found = Vec::new();
        for pair in order.windows(2) {
            let (a, b) = (
                &self.parts.directives[pair[0] as usize],
                &self.parts.directives[pair[1] as usize],
            );
            if name(pair[0]) == name(pair[1]) {
                let anomaly = if a.group_no == b.group_no {
                    Anomaly::DuplicateAgentGroup
                } else {
                    Anomaly::AgentInManyGroups
                };
                found.push((b.line_no, anomaly, b.value));
            }
        }
        self.parts.order = order;
        for (line_no, anomaly, detail) in found {
            self.find(line_no, anomaly, detail);
        }
    }

    /// Plain WordPress writes two rules for everybody and no mark.
    fn is_wordpress(&self) -> bool {
        let has = |key: Key, path: &[u8]| {
            self.parts
                .directives
                .iter()
                .any(|it| it.key == key && self.parts.text(self.body, it.value) == path)
        };
        self.parts.figures.n_allow > 0
            && has(Key::Disallow, b"/wp-admin/")
            && has(Key::Allow, b"/wp-admin/admin-ajax.php")
    }
}

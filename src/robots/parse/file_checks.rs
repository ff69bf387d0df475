//! Checks that need the whole file: its encoding, its class, groups without rules, and lines that repeat or
//! contradict each other. HTML, UTF-16 and binary formats are recognized by the beginning of the body.

use super::blanks::trim_start;
use super::template_rules::Extent;
use super::{BYTE_ORDER_MARK, ParseState};
use crate::agent_name::is_blank;
use crate::anomaly::AnomalyKind;
use crate::document::{
    BODY_LIMIT_BYTES, ContentClass, Directive, DirectiveKind, Group, LineEndings, LineRange,
};

impl ParseState<'_, '_> {
    /// Completes the summary, and reports the anomalies of the file and of its lines that can only
    /// be found after the last line.
    pub(super) fn check_file(&mut self) {
        let is_utf8 = std::str::from_utf8(self.body).is_ok();
        // UTF-16 contains NULs, or begins with a byte order mark that is not UTF-8.
        let is_utf16 = (self.has_nul || !is_utf8) && looks_like_utf16(self.body);
        let endings = self.document.summary.line_endings;
        self.document.summary.is_valid_utf8 = is_utf8;
        self.document.summary.n_groups = self.document.groups.len() as u32;
        let checks = [
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
        for (applies, kind) in checks {
            if applies {
                self.report_for_file(kind);
            }
        }
        self.check_groups();
        self.check_agents();
        self.document.summary.content = self.determine_content_class(is_utf16);
        self.document.summary.vendor_lines = self.managed_block.only_lines();
        if self.document.summary.template.is_none()
            && let Some((template, extent)) =
                self.seen_markers.find_template(self.document, self.body)
        {
            let summary = &mut self.document.summary;
            summary.template = Some(template);
            summary.vendor_lines = (extent == Extent::WholeFile).then_some(LineRange {
                first: 1,
                last: summary.n_lines,
            });
        }
        let anomalies = &mut self.document.anomalies;
        if !anomalies.is_sorted_by_key(|anomaly| anomaly.line_no) {
            anomalies.sort_by_key(|anomaly| anomaly.line_no);
        }
    }

    /// Returns the class of the body. The counts of the summary must be complete.
    fn determine_content_class(&self, is_utf16: bool) -> ContentClass {
        let summary = &self.document.summary;
        if is_binary(self.body) {
            ContentClass::Binary
        } else if self.is_html {
            ContentClass::Html
        } else if summary.n_allow + summary.n_disallow > 0 {
            ContentClass::Rules
        } else if summary.n_blank_lines + summary.n_comment_lines == summary.n_lines {
            let is_blank_or_nul = |&byte: &u8| byte == 0 || is_blank(byte);
            if self.has_nul && !is_utf16 {
                ContentClass::Binary
            } else if is_utf16 && !self.body.iter().all(is_blank_or_nul) {
                // Its lines have text after the NUL bytes with which they begin.
                ContentClass::NoRules
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

    /// Reports groups without rules, and contradicting rules of one group.
    fn check_groups(&mut self) {
        for i in 0..self.document.groups.len() {
            let group = self.document.groups[i];
            if group.n_allow + group.n_disallow == 0 {
                let kind = AnomalyKind::GroupWithoutRules;
                self.report(group.line_no, kind, Default::default());
            }
            if group.n_allow == 0 || group.n_disallow == 0 {
                continue;
            }
            let next = self.document.groups.get(i + 1);
            let end = next.map_or(self.document.directives.len(), |next| next.first_directive);
            self.report_conflicting_rules(group, end);
        }
    }

    /// Reports allow and disallow lines of one group that have the same path. The directives of
    /// the group end at index `end`.
    fn report_conflicting_rules(&mut self, group: Group, end: usize) {
        // The rules of the rarer kind are sorted, and the others are looked up among them.
        let (rarer, other) = if group.n_allow <= group.n_disallow {
            (DirectiveKind::Allow, DirectiveKind::Disallow)
        } else {
            (DirectiveKind::Disallow, DirectiveKind::Allow)
        };
        let mut sorted = std::mem::take(&mut self.scratch.sorted_rules);
        let directives = &self.document.directives[..end];
        let path = |i: u32| self.document.text(self.body, directives[i as usize].value);
        let rules = |kind: DirectiveKind| {
            let rules = directives.iter().enumerate().skip(group.first_directive);
            rules.filter(move |(_, line)| line.kind == kind && !line.value.is_empty())
        };
        let make_reference = |i: usize, line: &Directive| {
            DirectiveRef::new(i, self.document.text(self.body, line.value))
        };
        let compare = |a: &DirectiveRef, b: &DirectiveRef| {
            let by_path = || path(a.index).cmp(path(b.index));
            a.hash.cmp(&b.hash).then_with(by_path)
        };
        sorted.clear();
        sorted.extend(rules(rarer).map(|(i, line)| make_reference(i, line)));
        sorted.sort_unstable_by(|a, b| compare(a, b).then(a.index.cmp(&b.index)));
        sorted.dedup_by(|b, a| compare(a, b).is_eq());
        // A path is looked up only if a sorted path has the same length modulo 64.
        let length_bit = |line: &Directive| 1u64 << (line.value.len() % 64);
        let length_bits = sorted
            .iter()
            .map(|rule| length_bit(&directives[rule.index as usize]));
        let length_bits = length_bits.fold(0, |length_bits, bit| length_bits | bit);
        let mut conflicts = Vec::new();
        for (i, line) in rules(other).filter(|(_, line)| length_bits & length_bit(line) != 0) {
            let rule = make_reference(i, line);
            let Ok(found) = sorted.binary_search_by(|other| compare(other, &rule)) else {
                continue;
            };
            let opposite = &mut sorted[found];
            if !std::mem::replace(&mut opposite.is_matched, true) {
                let later = &directives[rule.index.max(opposite.index) as usize];
                conflicts.push((later.line_no, later.value));
            }
        }
        self.scratch.sorted_rules = sorted;
        for (line_no, detail) in conflicts {
            self.report(line_no, AnomalyKind::ConflictingEqualLength, detail);
        }
    }

    /// Reports crawlers that are named twice in a group, or in several groups.
    fn check_agents(&mut self) {
        let mut agents = std::mem::take(&mut self.scratch.agents);
        let directives = &self.document.directives;
        let name = |i: u32| self.document.text(self.body, directives[i as usize].name);
        agents.sort_unstable_by(|a, b| {
            let by_name = || name(a.index).cmp(name(b.index));
            let by_hash = a.hash.cmp(&b.hash);
            by_hash.then_with(by_name).then(a.index.cmp(&b.index))
        });
        let mut repeated = Vec::new();
        for pair in agents.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            if a.hash != b.hash || name(a.index) != name(b.index) {
                continue;
            }
            let first = &directives[a.index as usize];
            let second = &directives[b.index as usize];
            let kind = if first.group_no == second.group_no {
                AnomalyKind::DuplicateAgentGroup
            } else {
                AnomalyKind::AgentInManyGroups
            };
            repeated.push((second.line_no, kind, second.value));
        }
        self.scratch.agents = agents;
        for (line_no, kind, detail) in repeated {
            self.report(line_no, kind, detail);
        }
    }
}

/// Returns true if a body begins with an HTML tag, possibly after a byte order mark and blanks.
pub(super) fn looks_like_html(body: &[u8]) -> bool {
    let body = body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(body);
    let text = trim_start(body);
    text.first() == Some(&b'<')
        && matches!(text.get(1), Some(b'!' | b'?' | b'a'..=b'z' | b'A'..=b'Z'))
}

/// Returns true if a body begins with a byte order mark of UTF-16, or if every other byte of its
/// beginning is NUL.
fn looks_like_utf16(body: &[u8]) -> bool {
    if body.starts_with(b"\xff\xfe") || body.starts_with(b"\xfe\xff") {
        return true;
    }
    let head = &body[..body.len().min(64) & !1];
    let count_zeros = |start: usize| {
        head.iter()
            .skip(start)
            .step_by(2)
            .filter(|&&byte| byte == 0)
            .count()
    };
    let half = head.len() / 2;
    half >= 4
        && ((count_zeros(0) == half && count_zeros(1) == 0)
            || (count_zeros(1) == half && count_zeros(0) == 0))
}

/// Returns true if a body begins with the magic number of a binary format.
fn is_binary(body: &[u8]) -> bool {
    const MAGIC: [&[u8]; 10] = [
        b"\x1f\x8b",
        b"PK\x03\x04",
        b"\x89PNG",
        b"\xff\xd8\xff",
        b"GIF8",
        b"%PDF-",
        b"\x28\xb5\x2f\xfd",
        b"BZh",
        b"\x7fELF",
        b"RIFF",
    ];
    MAGIC.iter().any(|magic| body.starts_with(magic))
}

/// A reference to a directive with a hash of one of its texts, by which directives are sorted to
/// find equal texts.
#[derive(Clone, Copy, Debug)]
pub(super) struct DirectiveRef {
    /// A hash of the text. Texts are compared only if their hashes are equal.
    hash: u32,
    /// The index in `DocumentData::directives`.
    index: u32,
    /// True once a rule of the other kind (allow or disallow) with the same path has been found.
    is_matched: bool,
}

impl DirectiveRef {
    pub(super) fn new(index: usize, text: &[u8]) -> Self {
        Self {
            hash: hash_text(text),
            index: index as u32,
            is_matched: false,
        }
    }
}

/// Hashes the length, the beginning and the end of a text.
fn hash_text(text: &[u8]) -> u32 {
    const ODD_MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let (first, last) = match (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => {
            let first = text
                .iter()
                .fold(0, |word, &byte| word << 8 | u64::from(byte));
            (first, 0)
        }
    };
    let mixed = (first ^ text.len() as u64).wrapping_mul(ODD_MULTIPLIER) ^ last;
    (mixed.wrapping_mul(ODD_MULTIPLIER) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parser;

    #[test]
    fn both_byte_orders_of_utf16_have_the_same_class() {
        use ContentClass::{Empty, NoRules};
        for (text, expected) in [
            ("User-agent: *\nDisallow: /\n", NoRules),
            ("# about\n\nUser-agent: *\n", NoRules),
            ("User-agent: a", NoRules),
            ("\n\n  \r\n\n", Empty),
        ] {
            let units: Vec<u16> = text.encode_utf16().collect();
            for unit_to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
                let bytes: Vec<u8> = units.iter().copied().flat_map(unit_to_bytes).collect();
                // A file that was cut may end within a character.
                for body in [&bytes[..], &bytes[..bytes.len() - 1]] {
                    let mut parser = Parser::new();
                    let robots_txt = parser.parse(body);
                    let mut anomalies = robots_txt.anomalies().iter();
                    assert!(anomalies.any(|anomaly| anomaly.kind == AnomalyKind::Utf16));
                    assert_eq!(robots_txt.summary().content, expected, "{body:?}");
                }
            }
        }
    }
}

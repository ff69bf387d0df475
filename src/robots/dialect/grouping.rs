//! Grouping of lines: which user-agent lines and rules belong together.
//!
//! The parser, the policies, the verdicts and the leniency analysis all use the counters in this
//! file, so that all of them form the same groups.
//!
//! Google's parser and RFC 9309 group lines in the same way and differ in the lines that they
//! group: Google's parser groups every line that it understands, RFC 9309 only the lines that
//! conform to its grammar ([`is_conforming`](super::rfc9309::is_conforming)).

use crate::document::Directive;
use crate::document::DirectiveKind;

/// Numbers the groups of `google` and `rfc9309` (RFC 9309 §2.2.1).
///
/// A user-agent line starts a group unless it follows another user-agent line of a group that has
/// no rules yet. Rules before the first group belong to none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GroupCounter {
    group_count: u32,
    has_rules: bool,
}

impl GroupCounter {
    /// Updates the state for a user-agent line. Returns true if the line starts a group.
    #[inline(always)]
    pub(crate) fn pass_user_agent(&mut self) -> bool {
        let starts_group = self.group_count == 0 || self.has_rules;
        if starts_group {
            self.group_count += 1;
            self.has_rules = false;
        }
        starts_group
    }

    /// Updates the state for an allow or disallow line.
    #[inline(always)]
    pub(crate) fn pass_rule(&mut self) {
        self.has_rules |= self.group_count > 0;
    }

    /// Returns the number of the current group, from 1, or 0 before the first group.
    #[inline(always)]
    pub(crate) fn group_no(&self) -> u32 {
        self.group_count
    }

    #[inline(always)]
    pub(crate) fn has_rules(&self) -> bool {
        self.has_rules
    }
}

/// Numbers the records of `koster1996` (Koster 1996 §3.2, §3.3).
///
/// A blank line ends a record, and so does a user-agent line after a rule. Only lines whose key is
/// spelled exactly and followed by a colon have an effect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KosterRecordCounter {
    record_no: u32,
    is_ended: bool,
    has_rules: bool,
}

impl KosterRecordCounter {
    pub(crate) const NEW: Self = Self {
        record_no: 0,
        is_ended: true,
        has_rules: false,
    };

    /// Updates the state for a blank line, which ends the record.
    #[inline(always)]
    pub(crate) fn pass_blank_line(&mut self) {
        self.is_ended = true;
    }

    /// Updates the state for a directive. Returns the number of its record, from 1.
    #[inline(always)]
    pub(crate) fn pass_directive(&mut self, kind: DirectiveKind, has_exact_key: bool) -> u32 {
        let is_rule = matches!(kind, DirectiveKind::Allow | DirectiveKind::Disallow);
        let is_agent = kind == DirectiveKind::UserAgent;
        if self.is_ended || (is_agent && has_exact_key && self.has_rules) {
            self.record_no += 1;
            self.is_ended = false;
            self.has_rules = false;
        }
        self.has_rules |= is_rule && has_exact_key;
        self.record_no
    }
}

/// Detects which user-agent lines start a record of `koster1996`.
///
/// Rules of a record before its first user-agent line apply to no crawler.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KosterRecordStartDetector {
    last_record_no: Option<u32>,
}

impl KosterRecordStartDetector {
    /// Updates the state for a user-agent line, which must count and conform to the grammar.
    /// Returns true if the line is the first user-agent line of its record.
    #[inline(always)]
    pub(crate) fn pass_user_agent(&mut self, line: &Directive) -> bool {
        let starts_record = self.last_record_no != Some(line.record_no);
        self.last_record_no = Some(line.record_no);
        starts_record
    }

    /// Returns true if the record of a rule has a user-agent line above the rule.
    #[inline(always)]
    pub(crate) fn has_agent_above(&self, rule: &Directive) -> bool {
        self.last_record_no == Some(rule.record_no)
    }
}

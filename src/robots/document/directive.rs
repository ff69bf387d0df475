//! Directives: lines with a key and a value.

use super::span::Span;

/// The kind of a directive, determined by its key (google-semantics §3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectiveKind {
    /// `User-agent`, and the misspellings that Google's parser accepts.
    UserAgent,
    /// `Allow`.
    Allow,
    /// `Disallow`, and the misspellings that Google's parser accepts.
    Disallow,
    /// `Sitemap`.
    Sitemap,
    /// Any other key.
    Other,
}

/// A line with a key and a value.
#[derive(Clone, Copy, Debug)]
pub struct Directive {
    /// The number of the line, from 1.
    pub line_no: u32,
    /// The kind of the line.
    pub kind: DirectiveKind,
    /// The number of the group, from 1, or 0.
    pub(crate) group_no: u32,
    /// The number of a user-agent line in its group, from 1, or 0.
    pub(crate) agent_no: u32,
    /// The number of the record according to Koster's draft, from 1. A blank line, or a user-agent
    /// line after rules, starts a new record.
    pub record_no: u32,
    /// The key as written, without surrounding blanks and tabs. An incomplete byte order mark
    /// before the key is part of it.
    pub key_raw: Span,
    /// The value as written, up to a `#`, without surrounding blanks and tabs.
    pub value_raw: Span,
    /// The value as Google's parser reads it: cut at a NUL and at the line limit, trimmed, and
    /// [escaped](crate::escape) if the line is a rule.
    pub value: Span,
    /// The [whole name](crate::whole_name) in a user-agent line.
    pub name: Span,
    /// The [product token](crate::product_token) that Google's parser reads from a user-agent line,
    /// in lower case.
    pub token: Span,
    /// True if a colon separates key and value.
    pub has_colon: bool,
    /// True if the key is a misspelling that Google's parser accepts.
    pub is_typo: bool,
    /// True if the line ends within the body limit and is complete.
    pub counts: bool,
    /// True if the line ends beyond 512,000 bytes.
    pub is_beyond_500kib: bool,
    /// True if the line is in a block that a vendor manages.
    pub is_managed: bool,
}

impl Directive {
    /// Returns the number of the group, from 1, or `None` before the first user-agent line.
    ///
    /// User-agent, allow and disallow lines belong to groups as Google's parser reads them. Other
    /// lines have the number of the group that surrounds them.
    #[inline]
    pub fn group_no(&self) -> Option<u32> {
        (self.group_no != 0).then_some(self.group_no)
    }

    /// Returns the number of a user-agent line in its group, from 1, or `None` for other lines.
    #[inline]
    pub fn agent_no(&self) -> Option<u32> {
        (self.agent_no != 0).then_some(self.agent_no)
    }

    /// Returns true if the line is an allow or disallow line.
    #[inline]
    pub fn is_rule(&self) -> bool {
        matches!(self.kind, DirectiveKind::Allow | DirectiveKind::Disallow)
    }
}

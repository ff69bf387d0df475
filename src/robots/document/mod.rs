//! A parsed body: its directives, groups, findings and figures.
//!
//! Texts are [`Span`]s: into the body, or into a small buffer for the few that
//! reading changes (escaped paths, lower-cased names).

pub(crate) mod builder;
pub(crate) mod owned;

use crate::anomaly::Anomaly;
use crate::parse::DirectiveRef;
use crate::parse::directive_kind::DirectiveKind;
use crate::parse::template::Template;

/// The bytes of a body that count by default: 500 KiB (Google's page, "File
/// size"; RFC 9309 §2.5 asks for at least as many).
pub const BODY_LIMIT_BYTES: u64 = 512_000;

/// Texts of a body may not lie beyond this; longer bodies are cut. Escaping
/// makes three octets of one, and these must have their places too.
pub(crate) const BODY_BYTES_MAX: usize = MARK as usize / 4;

/// The buffer may not grow beyond this.
pub(crate) const BUFFER_BYTES_MAX: usize = MARK as usize - 1;

/// Set in [`Span::start`] when the text lies in the buffer, not in the body.
pub(crate) const MARK: u32 = 1 << 31;

/// Where a text lies; [`RobotsTxt::text`] gives the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl Span {
    /// The length of the text in bytes.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether the text is empty.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// A line with a key and a value.
#[derive(Clone, Copy, Debug)]
pub struct Directive {
    /// The line, from 1.
    pub line_no: u32,
    /// What the line is for.
    pub kind: DirectiveKind,
    /// The group, from 1; 0 before any user-agent line. For user-agent, allow
    /// and disallow lines by Google's reading; for others the group they
    /// stand in.
    pub group_no: u32,
    /// The place of a user-agent line in its group, from 1; else 0.
    pub agent_no: u32,
    /// The record by Koster's reading, from 1: a blank line, or a user-agent
    /// line after rules, begins a new one.
    pub record_no: u32,
    /// The key as written, without the blanks and tabs around it. If an
    /// incomplete byte order mark precedes it, its bytes are part of the key.
    pub key_raw: Span,
    /// The value as written, up to a `#`, without the blanks and tabs around it.
    pub value_raw: Span,
    /// The value as Google's parser has it: cut at NUL and at the line limit,
    /// trimmed; for rules also escaped ([`escape`](crate::escape)).
    pub value: Span,
    /// The whole name of a user-agent line ([`whole_name`](crate::whole_name)).
    pub name: Span,
    /// The product token of a user-agent line as Google's parser has it,
    /// lower-cased ([`product_token`](crate::product_token)).
    pub token: Span,
    /// Whether a colon parts key and value.
    pub has_colon: bool,
    /// Whether the key is a misspelling that Google accepts.
    pub is_typo: bool,
    /// Whether the line ends within the body limit and is whole.
    pub counts: bool,
    /// Whether the line ends beyond 512,000 bytes.
    pub is_beyond_500kib: bool,
    /// Whether the line stands in a block that a vendor manages.
    pub is_managed: bool,
}

/// A group of user-agent lines and the rules that follow them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Group {
    /// The line of its first user-agent line.
    pub line_no: u32,
    /// Index of its first directive in [`RobotsTxt::directives`].
    pub first: usize,
    /// Its user-agent lines.
    pub n_agents: u32,
    /// Its allow lines.
    pub n_allow: u32,
    /// Its disallow lines.
    pub n_disallow: u32,
    /// The first valid `Crawl-delay`, in seconds, among the lines that count.
    pub crawl_delay: Option<f64>,
    /// The first `Request-rate`.
    pub request_rate: Option<Span>,
    /// The first `Visit-time`.
    pub visit_time: Option<Span>,
}

/// How the lines of a body end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEndings {
    /// There is one line, without an end.
    None,
    /// All end with LF.
    Lf,
    /// All end with CRLF.
    CrLf,
    /// All end with CR.
    Cr,
    /// They differ.
    Mixed,
}

impl LineEndings {
    /// The word that stands in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lf => "lf",
            Self::CrLf => "crlf",
            Self::Cr => "cr",
            Self::Mixed => "mixed",
        }
    }
}

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentClass {
    /// It has allow or disallow lines.
    Rules,
    /// It has text but no rules.
    NoRules,
    /// It has nothing but comments and blank lines.
    CommentsOnly,
    /// It has nothing but blanks.
    Empty,
    /// It is an HTML page, with or without lines that read as rules.
    Html,
    /// It is no text.
    Binary,
}

impl ContentClass {
    /// The word that stands in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::NoRules => "no_rules",
            Self::CommentsOnly => "comments_only",
            Self::Empty => "empty",
            Self::Html => "html",
            Self::Binary => "binary",
        }
    }
}

/// Counts over the whole body.
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    /// Lines, a last empty one included.
    pub n_lines: u32,
    /// Groups.
    pub n_groups: u32,
    /// User-agent lines.
    pub n_user_agents: u32,
    /// Allow lines.
    pub n_allow: u32,
    /// Disallow lines.
    pub n_disallow: u32,
    /// Sitemap lines.
    pub n_sitemaps: u32,
    /// Lines with nothing but a comment.
    pub n_comment_lines: u32,
    /// Lines with nothing at all.
    pub n_blank_lines: u32,
    /// Lines with any other key.
    pub n_directives: u32,
    /// The longest line, in bytes.
    pub max_line_bytes: u32,
    /// Whether a whole byte order mark of UTF-8 begins the body.
    pub has_bom: bool,
    /// Whether the body is UTF-8.
    pub is_valid_utf8: bool,
    /// How its lines end.
    pub line_endings: LineEndings,
    /// What it is.
    pub content: ContentClass,
    /// Who made it, where that shows.
    pub template: Option<Template>,
}

/// How much of a body counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseOptions {
    /// Bytes of the body within which a line must end to count; `None` for no
    /// limit.
    pub body_limit: Option<u64>,
    /// Whether the body was cut off, so that its last line may be a part of
    /// one.
    pub is_truncated: bool,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            body_limit: Some(BODY_LIMIT_BYTES),
            is_truncated: false,
        }
    }
}
#[derive(Debug, Default)]
pub(crate) struct DocumentData {
    pub(crate) directives: Vec<Directive>,
    pub(crate) groups: Vec<Group>,
    pub(crate) anomalies: Vec<Anomaly>,
    pub(crate) buffer: Vec<u8>,
    pub(crate) summary: Summary,
    /// The user-agent lines with a name, until they are compared.
    pub(crate) agents: Vec<DirectiveRef>,
    /// Scratch for the checks that compare lines of a group.
    pub(crate) order: Vec<DirectiveRef>,
}

impl Default for Summary {
    fn default() -> Self {
        Self {
            n_lines: 0,
            n_groups: 0,
            n_user_agents: 0,
            n_allow: 0,
            n_disallow: 0,
            n_sitemaps: 0,
            n_comment_lines: 0,
            n_blank_lines: 0,
            n_directives: 0,
            max_line_bytes: 0,
            has_bom: false,
            is_valid_utf8: true,
            line_endings: LineEndings::None,
            content: ContentClass::Empty,
            template: None,
        }
    }
}

/// A parsed body: a view of the body and of the parser that read it.
#[derive(Clone, Copy, Debug)]
pub struct RobotsTxt<'a> {
    pub(crate) body: &'a [u8],
    pub(crate) parts: &'a DocumentData,
}

impl<'a> RobotsTxt<'a> {
    /// The bytes that were parsed.
    pub fn body(&self) -> &'a [u8] {
        self.body
    }

    /// The text at `span`, which must be of this file.
    #[inline]
    pub fn text(&self, span: Span) -> &'a [u8] {
        self.parts.text(self.body, span)
    }

    /// The lines with a key and a value, in order.
    pub fn directives(&self) -> &'a [Directive] {
        &self.parts.directives
    }

    /// The groups, in order; group `n` is at index `n - 1`.
    pub fn groups(&self) -> &'a [Group] {
        &self.parts.groups
    }

    /// What was odd, in the order of lines.
    pub fn anomalies(&self) -> &'a [Anomaly] {
        &self.parts.anomalies
    }

    /// Counts over the whole body.
    pub fn summary(&self) -> &'a Summary {
        &self.parts.summary
    }
}

impl DocumentData {
    #[inline]
    pub(crate) fn text<'a>(&'a self, body: &'a [u8], span: Span) -> &'a [u8] {
        let (source, start) = if span.start & MARK == 0 {
            (body, span.start)
        } else {
            (self.buffer.as_slice(), span.start & !MARK)
        };
        &source[start as usize..start as usize + span.len as usize]
    }
}

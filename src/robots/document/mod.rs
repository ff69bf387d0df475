//! A parsed robots.txt file: its directives, groups, anomalies and summary.
//!
//! Texts are [`Span`]s. Most refer to the body. The few texts that parsing changes, which are
//! escaped paths and lower-cased names, are in a small buffer.

pub(crate) mod builder;
pub(crate) mod span;
mod summary;

use crate::anomaly::Anomaly;
use crate::parse::blanks::{trim_end, trim_start};
use crate::parse::lines::Lines;
pub use span::Span;
pub use summary::{ContentClass, LineEndings, LineRange, Summary};

/// The default of [`ParseOptions::body_limit`]: 500 KiB (Google's documentation, "File size"). RFC
/// 9309 §2.5 requires parsers to read at least as many bytes.
pub const BODY_LIMIT_BYTES: u64 = 512_000;

/// The most lines of a file that programs list, with its anomalies: a line takes some hundred bytes of memory then.
/// A file of 16 MiB has more only if its lines have less than 32 bytes on average.
pub const MAX_FILE_LINES: usize = 500_000;

/// Returns true if a body has more than [`MAX_FILE_LINES`] lines. A last empty line does not count.
pub fn has_too_many_lines(body: &[u8]) -> bool {
    let mut lines = Lines::new(body, 0).skip(MAX_FILE_LINES);
    lines.next().is_some_and(|line| line.start < body.len())
}

/// The bit of [`Span::start`] that marks a text in the buffer instead of the body.
pub(crate) const IN_BUFFER_BIT: u32 = 1 << 31;

/// The length in bytes at which a body is cut, so that spans can refer to all of it and to its
/// escaped paths, which are up to three times as long.
pub(crate) const MAX_BODY_BYTES: usize = IN_BUFFER_BIT as usize / 4;

/// The largest length of [`DocumentData::buffer`] in bytes.
pub(crate) const MAX_BUFFER_BYTES: usize = IN_BUFFER_BIT as usize - 1;

/// Options for parsing a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseOptions {
    /// The offset in bytes by which a line must end to count, or `None` for no limit.
    pub body_limit: Option<u64>,
    /// True if the body was cut off, so that its last line may be incomplete.
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

/// The kind of a directive, determined by its key (google-semantics §3 in docs/developers/specifications.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectiveKind {
    /// `User-agent`, and the misspellings that Google's parser accepts.
    UserAgent,
    /// `Allow`, of which Google's parser accepts no misspellings.
    Allow,
    /// `Disallow`, and the misspellings that Google's parser accepts.
    Disallow,
    /// `Sitemap`, and the misspelling `site-map`.
    Sitemap,
    /// Any other key.
    Other,
}

/// A line with a key and a value, of any kind. The table `directives` has only lines of
/// [`DirectiveKind::Other`].
#[derive(Clone, Copy, Debug)]
pub struct Directive {
    /// The number of the line, from 1.
    pub line_no: u32,
    /// The kind, determined by the beginning of the key.
    pub kind: DirectiveKind,
    /// The number of the group, from 1, or 0 before the first user-agent line.
    pub(crate) group_no: u32,
    /// The number of a user-agent line in its group, from 1, or 0 for other lines.
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
    /// The [whole name](crate::push_whole_name) in a user-agent line; empty for other lines.
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
    /// True if the line is between the comments that begin and end the block that Cloudflare
    /// manages.
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

/// A group of user-agent lines and the rules that follow them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Group {
    /// The line number of its first user-agent line.
    pub line_no: u32,
    /// The index of its first directive in [`RobotsTxt::directives`].
    pub first_directive: usize,
    /// The number of its user-agent lines, whether or not they [count](Directive::counts).
    pub n_agents: u32,
    /// The number of its allow lines, whether or not they count.
    pub n_allow: u32,
    /// The number of its disallow lines, whether or not they count.
    pub n_disallow: u32,
}

/// The limits on how fast and when a crawler fetches, which the lines that count state for the user-agent
/// lines directly above them.
///
/// These lines do not end a group for Google's parser and RFC 9309, so two user-agent lines of one group can
/// have different limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateLimits {
    /// The first valid `Crawl-delay`, in milliseconds, rounded up.
    pub crawl_delay_ms: Option<i64>,
    /// The value of the first `Request-rate`.
    pub request_rate: Option<Span>,
    /// The value of the first `Visit-time`.
    pub visit_time: Option<Span>,
}

/// User-agent lines that follow one another, with no other directive between them, and their limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitedAgents {
    pub(crate) first_line_no: u32,
    pub(crate) last_line_no: u32,
    pub(crate) limits: RateLimits,
}

/// The parts of a parsed file that are not its body.
#[derive(Debug, Default)]
pub(crate) struct DocumentData {
    pub(crate) directives: Vec<Directive>,
    pub(crate) groups: Vec<Group>,
    /// The user-agent lines that have limits, in the order of the file.
    pub(crate) limited_agents: Vec<LimitedAgents>,
    pub(crate) anomalies: Vec<Anomaly>,
    /// The texts of spans that have [`IN_BUFFER_BIT`].
    pub(crate) buffer: Vec<u8>,
    pub(crate) summary: Summary,
}

impl DocumentData {
    /// Returns the text of a span, from `body` or from the buffer.
    #[inline]
    pub(crate) fn text<'a>(&'a self, body: &'a [u8], span: Span) -> &'a [u8] {
        let (source, start) = if span.start & IN_BUFFER_BIT == 0 {
            (body, span.start)
        } else {
            (self.buffer.as_slice(), span.start & !IN_BUFFER_BIT)
        };
        &source[start as usize..start as usize + span.len as usize]
    }
}

/// A parsed robots.txt file.
///
/// It borrows the body and the parser, and is cheap to copy. [`OwnedRobotsTxt`] keeps a file beyond
/// the next call of the parser.
#[derive(Clone, Copy, Debug)]
pub struct RobotsTxt<'a> {
    pub(crate) body: &'a [u8],
    pub(crate) document: &'a DocumentData,
}

impl<'a> RobotsTxt<'a> {
    /// Returns the bytes that were parsed.
    pub fn body(&self) -> &'a [u8] {
        self.body
    }

    /// Returns the text of a span of this file.
    ///
    /// # Panics
    ///
    /// May panic if the span belongs to another file.
    #[inline]
    pub fn text(&self, span: Span) -> &'a [u8] {
        self.document.text(self.body, span)
    }

    /// Returns the lines with a key and a value, in the order of the file.
    pub fn directives(&self) -> &'a [Directive] {
        &self.document.directives
    }

    /// Returns the groups according to Google's parser, in the order of the file. Group `n` is at
    /// index `n - 1`.
    pub fn groups(&self) -> &'a [Group] {
        &self.document.groups
    }

    /// Returns the directives from the first line of group `group_no`, from 1, to the next group.
    ///
    /// # Panics
    ///
    /// Panics if there is no such group.
    pub fn group_directives(&self, group_no: u32) -> &'a [Directive] {
        let groups = self.groups();
        let end = groups
            .get(group_no as usize)
            .map_or(self.directives().len(), |next| next.first_directive);
        &self.directives()[groups[group_no as usize - 1].first_directive..end]
    }

    /// Returns the limits of a user-agent line: those that the lines after it and the user-agent lines next to
    /// it state, up to the next user-agent line.
    pub fn rate_limits(&self, agent_line_no: u32) -> RateLimits {
        let limited_agents = &self.document.limited_agents;
        let i = limited_agents.partition_point(|agents| agents.last_line_no < agent_line_no);
        let agents = limited_agents.get(i);
        let agents = agents.filter(|agents| agents.first_line_no <= agent_line_no);
        agents.map_or(RateLimits::default(), |agents| agents.limits)
    }

    /// Returns the anomalies: those of the whole file first, then in the order of lines.
    pub fn anomalies(&self) -> &'a [Anomaly] {
        &self.document.anomalies
    }

    /// Returns the anomalies. If the body is an HTML page or not text, returns only those of the
    /// whole file, because its lines are not meant as directives.
    pub fn reported_anomalies(&self) -> &'a [Anomaly] {
        let anomalies = self.anomalies();
        if !self.summary().content.is_page_or_binary() {
            return anomalies;
        }
        let file_anomaly_count = anomalies.partition_point(|anomaly| anomaly.line_no.is_none());
        &anomalies[..file_anomaly_count]
    }

    /// Returns counts and flags of the whole file.
    pub fn summary(&self) -> &'a Summary {
        &self.document.summary
    }

    /// Writes the canonical name of a directive of [`DirectiveKind::Other`] into `out`: the key in
    /// lower case, with `content-signal` for `content-signals`.
    pub fn write_directive_name(&self, directive: &Directive, out: &mut Vec<u8>) {
        let key = trim_end(trim_start(self.text(directive.key_raw)));
        out.clear();
        out.extend(key.iter().map(u8::to_ascii_lowercase));
        if out == b"content-signals" {
            out.pop();
        }
    }
}

/// A parsed file that owns its body, so that it outlives the parser's next call.
///
/// # Example
///
/// ```
/// use robotstxt_dialects::{OwnedRobotsTxt, Parser};
///
/// let mut parser = Parser::new();
/// let kept = OwnedRobotsTxt::new(&parser.parse(b"User-agent: *\nDisallow: /x\n"));
/// parser.parse(b"");
/// assert_eq!(kept.as_robots_txt().summary().n_disallow, 1);
/// ```
#[derive(Debug, Default)]
pub struct OwnedRobotsTxt {
    body: Vec<u8>,
    document: DocumentData,
}

impl OwnedRobotsTxt {
    /// Copies a parsed file, its body included.
    pub fn new(robots_txt: &RobotsTxt<'_>) -> Self {
        let document = robots_txt.document;
        Self {
            body: robots_txt.body.to_vec(),
            document: DocumentData {
                directives: document.directives.clone(),
                groups: document.groups.clone(),
                limited_agents: document.limited_agents.clone(),
                anomalies: document.anomalies.clone(),
                buffer: document.buffer.clone(),
                summary: document.summary,
            },
        }
    }

    /// Returns the bytes that were parsed.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Returns the number of bytes of memory that the file takes.
    pub fn memory_bytes(&self) -> usize {
        let document = &self.document;
        self.body.capacity()
            + document.buffer.capacity()
            + document.directives.capacity() * size_of::<Directive>()
            + document.groups.capacity() * size_of::<Group>()
            + document.limited_agents.capacity() * size_of::<LimitedAgents>()
            + document.anomalies.capacity() * size_of::<Anomaly>()
    }

    /// Borrows the file.
    pub fn as_robots_txt(&self) -> RobotsTxt<'_> {
        RobotsTxt {
            body: &self.body,
            document: &self.document,
        }
    }
}

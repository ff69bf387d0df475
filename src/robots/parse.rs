//! The parser: lines in, directives, groups and findings out.
//!
//! One pass over the lines. Each line becomes at most one [`Directive`]; what
//! it belongs to (its group by Google's reading, its record by Koster's) is
//! noted on it, so that every dialect reads the same list. Positions are
//! [`Span`]s: into the body, or into a small buffer for the few texts that
//! reading changes (escaped paths, lower-cased names).

use crate::anomaly::{Anomaly, Finding};
use crate::line::{Ending, LINE_BYTES_MAX, Line, Lines};
use crate::template::{self, Template, starts_with_ignore_case};
use crate::token::{is_blank, is_product_token, product_token, whole_name};
use crate::{number, pattern};
use memchr::{memchr, memchr2, memmem};

/// The bytes of a body that count by default: 500 KiB (Google's page, "File
/// size"; RFC 9309 §2.5 asks for at least as many).
pub const BODY_LIMIT_BYTES: u64 = 512_000;

/// Texts of a body may not lie beyond this; longer bodies are cut.
const BODY_BYTES_MAX: usize = (MARK as usize) - 1;

/// Set in [`Span::start`] when the text lies in the buffer, not in the body.
const MARK: u32 = 1 << 31;

/// Where a text lies; [`Robots::text`] gives the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    start: u32,
    len: u32,
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

/// What a line is for, by its key (google-semantics §3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// `User-agent`, and what Google takes for it.
    UserAgent,
    /// `Allow`.
    Allow,
    /// `Disallow`.
    Disallow,
    /// `Sitemap`.
    Sitemap,
    /// Anything else.
    Other,
}

/// A line with a key and a value.
#[derive(Clone, Copy, Debug)]
pub struct Directive {
    /// The line, from 1.
    pub line_no: u32,
    /// What the line is for.
    pub key: Key,
    /// The group, from 1; 0 before any user-agent line. For user-agent, allow
    /// and disallow lines by Google's reading; for others the group they
    /// stand in.
    pub group_no: u32,
    /// The place of a user-agent line in its group, from 1; else 0.
    pub agent_no: u32,
    /// The record by Koster's reading, from 1: a blank line, or a user-agent
    /// line after rules, begins a new one.
    pub record_no: u32,
    /// The key as written, without the blanks and tabs around it.
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
    /// Index of its first directive in [`Robots::directives`].
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
pub enum Content {
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

impl Content {
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
pub struct Figures {
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
    pub content: Content,
    /// Who made it, where that shows.
    pub template: Option<Template>,
}

/// How much of a body counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Bytes of the body within which a line must end to count; `None` for no
    /// limit.
    pub body_limit: Option<u64>,
    /// Whether the body was cut off, so that its last line may be a part of
    /// one.
    pub is_truncated: bool,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            body_limit: Some(BODY_LIMIT_BYTES),
            is_truncated: false,
        }
    }
}

/// Parses bodies, one after the other, in the same memory.
#[derive(Debug, Default)]
pub struct Parser {
    parts: Parts,
}

#[derive(Debug, Default)]
struct Parts {
    directives: Vec<Directive>,
    groups: Vec<Group>,
    findings: Vec<Finding>,
    buffer: Vec<u8>,
    figures: Figures,
    /// Scratch for the checks that compare lines of a group.
    order: Vec<u32>,
}

impl Default for Figures {
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
            content: Content::Empty,
            template: None,
        }
    }
}

/// A parsed body: a view of the body and of the parser that read it.
#[derive(Clone, Copy, Debug)]
pub struct Robots<'a> {
    body: &'a [u8],
    parts: &'a Parts,
}

impl<'a> Robots<'a> {
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
    pub fn findings(&self) -> &'a [Finding] {
        &self.parts.findings
    }

    /// Counts over the whole body.
    pub fn figures(&self) -> &'a Figures {
        &self.parts.figures
    }
}

impl Parts {
    #[inline]
    fn text<'a>(&'a self, body: &'a [u8], span: Span) -> &'a [u8] {
        let (source, start) = if span.start & MARK == 0 {
            (body, span.start)
        } else {
            (self.buffer.as_slice(), span.start & !MARK)
        };
        &source[start as usize..start as usize + span.len as usize]
    }
}

impl Parser {
    /// Makes a parser with no memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Parses `body` with the usual body limit and lends the result until the
    /// next call.
    ///
    /// Any bytes are a robots.txt file: this never fails and never panics.
    /// Lines that need a guess are reported as anomalies, and lines without
    /// sense are counted and skipped. Texts are slices of `body` but for
    /// escaped paths and lower-cased names.
    ///
    /// The grammar is [RFC 9309 §2.2] with the liberties of Google's parser.
    ///
    /// [RFC 9309 §2.2]: https://www.rfc-editor.org/rfc/rfc9309#section-2.2
    pub fn parse<'a>(&'a mut self, body: &'a [u8]) -> Robots<'a> {
        self.parse_with(body, Reading::default())
    }

    /// Parses `body` as [`parse`](Self::parse) does; `reading` says which
    /// lines count. The whole body is read whatever counts.
    pub fn parse_with<'a>(&'a mut self, body: &'a [u8], reading: Reading) -> Robots<'a> {
        let body = &body[..body.len().min(BODY_BYTES_MAX)];
        let parts = &mut self.parts;
        parts.directives.clear();
        parts.groups.clear();
        parts.findings.clear();
        parts.buffer.clear();
        parts.figures = Figures::default();
        Pass::new(parts, body, reading).run();
        Robots {
            body,
            parts: &self.parts,
        }
    }
}

/// One parse of one body.
struct Pass<'p, 'b> {
    parts: &'p mut Parts,
    body: &'b [u8],
    limit: u64,
    is_truncated: bool,
    /// Whether any line can be hidden by a NUL.
    has_nul: bool,
    is_html: bool,
    is_managed: bool,
    /// A rule has been seen since the last user-agent line.
    group_has_rules: bool,
    /// A blank line has been seen since the last user-agent line, 0 for none.
    blank_line_no: u32,
    /// Other lines since the last user-agent line: the sitemap, the crawl-delay.
    sitemap_line_no: u32,
    crawl_delay_line_no: u32,
    record_no: u32,
    record_ended: bool,
    record_has_rules: bool,
}

impl<'p, 'b> Pass<'p, 'b> {
    fn new(parts: &'p mut Parts, body: &'b [u8], reading: Reading) -> Self {
        Self {
            parts,
            body,
            limit: reading.body_limit.unwrap_or(u64::MAX),
            is_truncated: reading.is_truncated,
            has_nul: memchr(0, body).is_some(),
            is_html: looks_like_html(body),
            is_managed: false,
            group_has_rules: false,
            blank_line_no: 0,
            sitemap_line_no: 0,
            crawl_delay_line_no: 0,
            record_no: 0,
            record_ended: true,
            record_has_rules: false,
        }
    }

    fn run(&mut self) {
        let start = self.pass_bom();
        let mut endings = [0u32; 3];
        let mut last_no = 0;
        for line in Lines::new(self.body, start) {
            match line.ending {
                Ending::Lf => endings[0] += 1,
                Ending::CrLf => endings[1] += 1,
                Ending::Cr => endings[2] += 1,
                Ending::None => {}
            }
            last_no = line.no;
            self.line(line);
        }
        self.parts.figures.n_lines = last_no;
        self.parts.figures.line_endings = match endings {
            [0, 0, 0] => LineEndings::None,
            [_, 0, 0] => LineEndings::Lf,
            [0, _, 0] => LineEndings::CrLf,
            [0, 0, _] => LineEndings::Cr,
            _ => LineEndings::Mixed,
        };
        self.finish();
    }

    /// Drops as much of a byte order mark as begins the body (§1.1).
    fn pass_bom(&mut self) -> usize {
        let len = self
            .body
            .iter()
            .zip(b"\xef\xbb\xbf")
            .take_while(|(a, b)| a == b)
            .count();
        match len {
            0 => {}
            3 => {
                self.parts.figures.has_bom = true;
                self.find(0, Anomaly::Bom, Span::default());
            }
            _ => self.find(0, Anomaly::PartialBom, Span::default()),
        }
        len
    }

    #[inline]
    fn find(&mut self, line_no: u32, anomaly: Anomaly, detail: Span) {
        self.parts.findings.push(Finding {
            line_no,
            anomaly,
            detail,
        });
    }

    #[inline]
    fn span(&self, text: &[u8]) -> Span {
        let start = text.as_ptr() as usize - self.body.as_ptr() as usize;
        debug_assert!(start + text.len() <= self.body.len());
        Span {
            start: start as u32,
            len: text.len() as u32,
        }
    }

    fn buffered(&self, from: usize) -> Span {
        Span {
            start: from as u32 | MARK,
            len: (self.parts.buffer.len() - from) as u32,
        }
    }

    #[inline]
    fn line(&mut self, line: Line<'b>) {
        let raw = line.bytes;
        let figures = &mut self.parts.figures;
        figures.max_line_bytes = figures.max_line_bytes.max(raw.len() as u32);
        let mut seen = raw;
        if raw.len() > LINE_BYTES_MAX {
            seen = &raw[..LINE_BYTES_MAX];
            self.find(line.no, Anomaly::OverlongLine, Span::default());
        }
        if self.has_nul
            && let Some(at) = memchr(0, seen)
        {
            seen = &seen[..at];
            self.find(line.no, Anomaly::NulBytes, Span::default());
        }
        let seen = trim_start(seen);
        let Some(&first) = seen.first() else {
            self.parts.figures.n_blank_lines += 1;
            return self.blank(line.no, raw);
        };
        if first == b'#' {
            self.parts.figures.n_comment_lines += 1;
            return self.comment(&seen[1..]);
        }
        self.directive(line, seen);
    }

    /// A blank line ends Koster's record; to the others it is nothing.
    fn blank(&mut self, line_no: u32, raw: &[u8]) {
        if raw.iter().all(|byte| matches!(byte, b' ' | b'\t')) {
            self.record_ended = true;
            if self.blank_line_no == 0 {
                self.blank_line_no = line_no;
            }
        }
    }

    fn comment(&mut self, text: &[u8]) {
        if let Some(template) = template::of_comment(text) {
            let known = &mut self.parts.figures.template;
            *known = Some(known.map_or(template, |known| known.min(template)));
            self.is_managed |= template == Template::CloudflareManaged;
        } else if self.is_managed && template::ends_managed_block(text) {
            self.is_managed = false;
        }
    }

    /// Parts a line at its first colon, or at its only run of blanks (§2).
    fn directive(&mut self, line: Line<'b>, seen: &'b [u8]) {
        let (seen_key, seen_value, has_colon) = match memchr2(b':', b'#', seen) {
            Some(at) if seen[at] == b':' => {
                let value = &seen[at + 1..];
                (
                    &seen[..at],
                    &value[..memchr(b'#', value).unwrap_or(value.len())],
                    true,
                )
            }
            comment => {
                let text = trim_end(&seen[..comment.unwrap_or(seen.len())]);
                match two_words(text) {
                    Some((key, value)) => (key, value, false),
                    None => return self.no_directive(line.no, text),
                }
            }
        };
        let key_text = trim_end(seen_key);
        if key_text.is_empty() {
            return self.no_directive(line.no, trim_end(seen));
        }
        let value = trim_end(trim_start(seen_value));

        let (key, is_typo) = read_key(key_text);
        // As written: the line's own bytes around the same separator.
        let separator = seen_key.as_ptr() as usize + seen_key.len() - line.bytes.as_ptr() as usize;
        let key_raw = trim_blanks(&line.bytes[..separator]);
        let value_raw = &line.bytes[separator + 1..];
        let value_raw = &value_raw[..memchr(b'#', value_raw).unwrap_or(value_raw.len())];
        let is_comment_glued =
            matches!(line.bytes.get(separator + 1 + value_raw.len()), Some(b'#'))
                && value_raw.last().is_some_and(|&byte| !is_blank(byte));
        let value_raw = trim_blanks(value_raw);

        let end = (line.start + line.bytes.len()) as u64;
        let mut directive = Directive {
            line_no: line.no,
            key,
            group_no: self.parts.groups.len() as u32,
            agent_no: 0,
            record_no: 0,
            key_raw: self.span(key_raw),
            value_raw: self.span(value_raw),
            value: self.span(value),
            name: Span::default(),
            token: Span::default(),
            has_colon,
            is_typo,
            counts: end <= self.limit && !(self.is_truncated && line.ending == Ending::None),
            is_beyond_500kib: end > BODY_LIMIT_BYTES,
            is_managed: self.is_managed,
        };
        if !has_colon {
            self.find(line.no, Anomaly::MissingColon, directive.key_raw);
        }
        if key != Key::Other {
            if is_typo {
                self.find(line.no, Anomaly::TypoAcceptedByGoogle, directive.key_raw);
            } else if !is_whole_key(key, key_text) {
                self.find(line.no, Anomaly::KeyByPrefix, directive.key_raw);
            }
            if key_raw.len() != key_text.len()
                || (value_raw.len() != value.len() && has_control_blank(value_raw))
            {
                self.find(line.no, Anomaly::ControlBlank, directive.value_raw);
            }
        }
        match key {
            Key::UserAgent => self.user_agent(&mut directive, value),
            Key::Allow | Key::Disallow => self.rule(&mut directive, value, is_comment_glued),
            Key::Sitemap => self.sitemap(&directive),
            Key::Other => self.other(&directive, key_text, value),
        }
        self.count_record(&mut directive);
        self.parts.directives.push(directive);
    }

    fn no_directive(&mut self, line_no: u32, text: &[u8]) {
        if !self.is_html {
            let detail = self.span(text);
            self.find(line_no, Anomaly::NoDirective, detail);
        }
    }

    /// Koster's records (§10): agents and rules up to a blank line, and a
    /// user-agent line after rules begins anew.
    fn count_record(&mut self, directive: &mut Directive) {
        let is_rule = matches!(directive.key, Key::Allow | Key::Disallow);
        let is_agent = directive.key == Key::UserAgent;
        let exact = directive.has_colon
            && is_whole_key(directive.key, self.parts.text(self.body, directive.key_raw));
        if self.record_ended || (is_agent && exact && self.record_has_rules) {
            self.record_no += 1;
            self.record_ended = false;
            self.record_has_rules = false;
        }
        self.record_has_rules |= is_rule && exact;
        directive.record_no = self.record_no;
    }

    /// Starts or continues a group (§6).
    fn user_agent(&mut self, directive: &mut Directive, value: &[u8]) {
        self.parts.figures.n_user_agents += 1;
        if self.parts.groups.is_empty() || self.group_has_rules {
            self.group_has_rules = false;
            let group = Group {
                line_no: directive.line_no,
                first: self.parts.directives.len(),
                ..Group::default()
            };
            self.parts.groups.push(group);
        } else {
            if self.sitemap_line_no != 0 {
                self.find(
                    self.sitemap_line_no,
                    Anomaly::SitemapBetweenAgents,
                    directive.value,
                );
            }
            if self.crawl_delay_line_no != 0 {
                self.find(
                    self.crawl_delay_line_no,
                    Anomaly::CrawlDelayBetweenAgents,
                    directive.value,
                );
            }
        }
        (
            self.sitemap_line_no,
            self.crawl_delay_line_no,
            self.blank_line_no,
        ) = (0, 0, 0);
        directive.group_no = self.parts.groups.len() as u32;
        if let Some(group) = self.parts.groups.last_mut() {
            group.n_agents += 1;
            directive.agent_no = group.n_agents;
        }

        let from = self.parts.buffer.len();
        whole_name(value, &mut self.parts.buffer);
        directive.name = self.buffered(from);
        let token = product_token(value);
        // A whole name nearly always begins with its token, in the same case.
        let begins = self.parts.buffer[from..].get(..token.len());
        directive.token = if begins.is_some_and(|begin| begin.eq_ignore_ascii_case(token)) {
            Span {
                start: directive.name.start,
                len: token.len() as u32,
            }
        } else {
            let from = self.parts.buffer.len();
            self.parts
                .buffer
                .extend(token.iter().map(u8::to_ascii_lowercase));
            self.buffered(from)
        };

        if value.is_empty() {
            self.find(directive.line_no, Anomaly::EmptyAgent, Span::default());
        } else if !is_product_token(value) {
            let anomaly = if has_version(value) {
                Anomaly::TokenWithVersion
            } else {
                Anomaly::InvalidTokenChars
            };
            self.find(directive.line_no, anomaly, directive.value);
        }
    }

    fn rule(&mut self, directive: &mut Directive, value: &[u8], is_comment_glued: bool) {
        let is_allow = directive.key == Key::Allow;
        let figures = &mut self.parts.figures;
        if is_allow {
            figures.n_allow += 1
        } else {
            figures.n_disallow += 1
        }
        let no = directive.line_no;
        match self.parts.groups.last_mut() {
            None => self.find(no, Anomaly::RuleBeforeAgent, directive.value),
            Some(group) => {
                if is_allow {
                    group.n_allow += 1
                } else {
                    group.n_disallow += 1
                }
                if !self.group_has_rules && self.blank_line_no != 0 {
                    self.find(
                        self.blank_line_no,
                        Anomaly::BlankLineInsideGroup,
                        Span::default(),
                    );
                }
                self.group_has_rules = true;
            }
        }
        self.path_findings(directive, value, is_comment_glued);
        if pattern::needs_escape(value) {
            let from = self.parts.buffer.len();
            pattern::escape(value, &mut self.parts.buffer);
            directive.value = self.buffered(from);
        }
    }

    fn path_findings(&mut self, directive: &Directive, value: &[u8], is_comment_glued: bool) {
        let (no, span) = (directive.line_no, directive.value);
        let is_allow = directive.key == Key::Allow;
        if is_comment_glued {
            self.find(no, Anomaly::QueryOrFragment, span);
        }
        match value.first() {
            None => {
                let anomaly = if is_allow {
                    Anomaly::EmptyAllow
                } else {
                    Anomaly::EmptyDisallow
                };
                return self.find(no, anomaly, Span::default());
            }
            Some(b'/') => {}
            Some(b'*') => self.find(no, Anomaly::LeadingWildcard, span),
            Some(_) if is_full_url(value) => self.find(no, Anomaly::FullUrlPath, span),
            Some(_) => self.find(no, Anomaly::PathWithoutSlash, span),
        }
        let (mut blank, mut query, mut high, mut star, mut dollar) =
            (false, false, false, false, false);
        for &byte in value {
            blank |= byte == b' ' || byte == b'\t';
            query |= byte == b'?';
            high |= byte >= 0x80;
            star |= byte == b'*';
            dollar |= byte == b'$';
        }
        if query && !is_comment_glued {
            self.find(no, Anomaly::QueryOrFragment, span);
        }
        if high {
            self.find(no, Anomaly::UnencodedNonAscii, span);
        }
        if star
            && (value.len() > 1 && value.last() == Some(&b'*')
                || memmem::find(value, b"**").is_some())
        {
            self.find(no, Anomaly::WildcardNoop, span);
        }
        if dollar && memchr(b'$', &value[..value.len() - 1]).is_some() {
            self.find(no, Anomaly::DollarInside, span);
        }
        if blank && has_several_paths(value) {
            self.find(no, Anomaly::MultiplePathsPerLine, span);
        }
        if is_allow
            && let Some(slash) = memchr::memrchr(b'/', value)
            && value[slash..].starts_with(b"/index.htm")
        {
            self.find(no, Anomaly::IndexHtm, span);
        }
    }

    fn sitemap(&mut self, directive: &Directive) {
        self.parts.figures.n_sitemaps += 1;
        if self.sitemap_line_no == 0 && !self.group_has_rules {
            self.sitemap_line_no = directive.line_no;
        }
    }

    fn other(&mut self, directive: &Directive, key: &[u8], value: &[u8]) {
        self.parts.figures.n_directives += 1;
        let no = directive.line_no;
        let span = directive.value;
        if let Some(group) = self.parts.groups.last_mut()
            && directive.counts
        {
            if key.eq_ignore_ascii_case(b"crawl-delay") {
                group.crawl_delay = group.crawl_delay.or_else(|| number::seconds(value));
            } else if key.eq_ignore_ascii_case(b"request-rate") {
                group.request_rate = group.request_rate.or(Some(span));
            } else if key.eq_ignore_ascii_case(b"visit-time") {
                group.visit_time = group.visit_time.or(Some(span));
            }
        }
        if key.eq_ignore_ascii_case(b"crawl-delay") {
            if self.crawl_delay_line_no == 0 && !self.group_has_rules {
                self.crawl_delay_line_no = no;
            }
            if number::seconds(value).is_none() {
                self.find(no, Anomaly::BadCrawlDelay, span);
            }
        }
        if UNSUPPORTED
            .iter()
            .any(|name| key.eq_ignore_ascii_case(name))
        {
            self.find(no, Anomaly::UnsupportedDirective, directive.key_raw);
        } else if !self.is_html && !is_known_directive(key) {
            let anomaly = if is_near_known_key(key) {
                Anomaly::TypoOther
            } else {
                Anomaly::UnknownDirective
            };
            self.find(no, anomaly, directive.key_raw);
        }
    }

    /// What can be said of the file only at its end.
    fn finish(&mut self) {
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
            let mut order = std::mem::take(&mut self.parts.order);
            order.clear();
            order.extend((group.first as u32..end as u32).filter(|&at| {
                let it = &self.parts.directives[at as usize];
                matches!(it.key, Key::Allow | Key::Disallow) && !it.value.is_empty()
            }));
            let text = |at: u32| {
                self.parts
                    .text(self.body, self.parts.directives[at as usize].value)
            };
            order.sort_by(|&a, &b| text(a).cmp(text(b)).then(a.cmp(&b)));
            let mut found = Vec::new();
            for same in order.chunk_by(|&a, &b| text(a) == text(b)) {
                let key = |at: &u32| self.parts.directives[*at as usize].key;
                if let Some(other) = same.iter().find(|at| key(at) != key(&same[0])) {
                    let it = &self.parts.directives[*other as usize];
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

/// Keys that Google's reporter knows and does not use (§8).
const UNSUPPORTED: [&[u8]; 12] = [
    b"clean-param",
    b"content-signal",
    b"content-usage",
    b"crawl-delay",
    b"domain",
    b"host",
    b"noarchive",
    b"nofollow",
    b"noindex",
    b"request-rate",
    b"revisit-after",
    b"visit-time",
];

/// Other keys with a source that defines them.
const KNOWN: [&[u8]; 22] = [
    b"license",
    b"disallowaitraining",
    b"allowaitraining",
    b"user-agent-purpose",
    b"robot-version",
    b"comment",
    b"llm-policy",
    b"llm-content",
    b"llm-full-content",
    b"llms",
    b"llms-txt",
    b"llms.txt",
    b"schemamap",
    b"agentmap",
    b"content-signals",
    b"cache-delay",
    b"acap-crawler",
    b"acap-disallow-crawl",
    b"acap-allow-crawl",
    b"nosnippet",
    b"crawl-rate",
    b"index",
];

/// Whether any specification or known crawler defines `key`.
pub(crate) fn is_known_directive(key: &[u8]) -> bool {
    UNSUPPORTED
        .iter()
        .chain(&KNOWN)
        .any(|name| key.eq_ignore_ascii_case(name))
}

impl Robots<'_> {
    /// The canonical name of a directive with [`Key::Other`], written into
    /// `out`, and whether any specification or known crawler defines it.
    ///
    /// The key lower-cased; `content-signals` is `content-signal`.
    pub fn directive_name(&self, directive: &Directive, out: &mut Vec<u8>) -> bool {
        let key = trim_end(trim_start(self.text(directive.key_raw)));
        out.clear();
        out.extend(key.iter().map(u8::to_ascii_lowercase));
        if out == b"content-signals" {
            out.pop();
        }
        is_known_directive(out)
    }
}

/// Reads a key by its beginning, in this order (§3).
fn read_key(key: &[u8]) -> (Key, bool) {
    let starts = |prefix: &[u8]| starts_with_ignore_case(key, prefix);
    match key[0] | 0x20 {
        b'u' if starts(b"user-agent") => (Key::UserAgent, false),
        b'u' if starts(b"useragent") || starts(b"user agent") => (Key::UserAgent, true),
        b'a' if starts(b"allow") => (Key::Allow, false),
        b'd' if starts(b"disallow") => (Key::Disallow, false),
        b'd' if [
            &b"dissallow"[..],
            b"dissalow",
            b"disalow",
            b"diasllow",
            b"disallaw",
        ]
        .iter()
        .any(|it| starts(it)) =>
        {
            (Key::Disallow, true)
        }
        b's' if starts(b"sitemap") => (Key::Sitemap, false),
        b's' if starts(b"site-map") => (Key::Sitemap, true),
        _ => (Key::Other, false),
    }
}

/// Whether the key is spelt as RFC 9309 §2.2 has it, in any case.
pub(crate) fn is_whole_key(key: Key, text: &[u8]) -> bool {
    let name: &[u8] = match key {
        Key::UserAgent => b"user-agent",
        Key::Allow => b"allow",
        Key::Disallow => b"disallow",
        Key::Sitemap => b"sitemap",
        Key::Other => return false,
    };
    text.eq_ignore_ascii_case(name)
}

/// A key and a value with only blanks between them (§2.4).
///
/// RFC 9309 asks for a colon. Google's parser takes the blank in its place
/// when the line has exactly two words, and so do we.
fn two_words(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr2(b' ', b'\t', text)?;
    let value = &text[at..];
    let begin = value
        .iter()
        .position(|&byte| byte != b' ' && byte != b'\t')?;
    if memchr2(b' ', b'\t', &value[begin..]).is_some() {
        return None;
    }
    Some((&text[..at], &value[begin..]))
}

fn has_control_blank(value: &[u8]) -> bool {
    matches!(value.first(), Some(0x0b | 0x0c)) || matches!(value.last(), Some(0x0b | 0x0c))
}

/// A name, a `/` or a blank, and digits: the name carries a version.
fn has_version(value: &[u8]) -> bool {
    let name = value
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'))
        .count();
    name > 0
        && matches!(value.get(name), Some(b'/' | b' '))
        && matches!(value.get(name + 1), Some(b'0'..=b'9'))
}

fn is_full_url(value: &[u8]) -> bool {
    memmem::find(value, b"://").is_some_and(|at| value[..at].iter().all(u8::is_ascii_alphabetic))
        || value.starts_with(b"//")
        || starts_with_ignore_case(value, b"www.")
}

/// A blank, and behind it what begins like a path.
fn has_several_paths(value: &[u8]) -> bool {
    value
        .windows(2)
        .any(|pair| is_blank(pair[0]) && matches!(pair[1], b'/' | b'*'))
}

/// Whether an unknown key is one or two slips away from a known one.
fn is_near_known_key(key: &[u8]) -> bool {
    if !(4..=16).contains(&key.len()) {
        return false;
    }
    [
        (&b"user-agent"[..], 2),
        (b"disallow", 2),
        (b"allow", 1),
        (b"sitemap", 1),
        (b"crawl-delay", 2),
    ]
    .iter()
    .any(|&(name, slips)| distance(key, name) <= slips)
}

/// Edits (insert, remove, change, swap of neighbours) between two short words.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let width = b.len() + 1;
    let mut before = [0usize; 20];
    let mut last: [usize; 20] = std::array::from_fn(|at| at);
    for (i, x) in a.iter().enumerate() {
        let mut row = [0usize; 20];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = last[j] + usize::from(!x.eq_ignore_ascii_case(y));
            row[j + 1] = change.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0
                && j > 0
                && x.eq_ignore_ascii_case(&b[j - 1])
                && a[i - 1].eq_ignore_ascii_case(y)
            {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = last;
        last = row;
    }
    last[width - 1]
}

/// A body that begins with a tag.
fn looks_like_html(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let text = trim_start(body);
    text.first() == Some(&b'<')
        && matches!(text.get(1), Some(b'!' | b'?' | b'a'..=b'z' | b'A'..=b'Z'))
}

/// A byte order mark of UTF-16, or every other byte of the beginning NUL.
fn looks_like_utf16(body: &[u8]) -> bool {
    if body.starts_with(b"\xff\xfe") || body.starts_with(b"\xfe\xff") {
        return true;
    }
    let head = &body[..body.len().min(64)];
    let zeros = |from: usize| {
        head.iter()
            .skip(from)
            .step_by(2)
            .filter(|&&byte| byte == 0)
            .count()
    };
    let half = head.len() / 2;
    half >= 4 && ((zeros(0) == half && zeros(1) == 0) || (zeros(1) == half && zeros(0) == 0))
}

/// A beginning that marks a format that is no text.
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

#[inline]
fn trim_start(bytes: &[u8]) -> &[u8] {
    let begin = bytes
        .iter()
        .position(|&byte| !is_blank(byte))
        .unwrap_or(bytes.len());
    &bytes[begin..]
}

#[inline]
fn trim_end(bytes: &[u8]) -> &[u8] {
    let len = bytes
        .iter()
        .rposition(|&byte| !is_blank(byte))
        .map_or(0, |at| at + 1);
    &bytes[..len]
}

/// Trims blanks and tabs, the white space of RFC 9309 §2.2.
fn trim_blanks(bytes: &[u8]) -> &[u8] {
    let is_ws = |byte: &u8| *byte == b' ' || *byte == b'\t';
    let begin = bytes
        .iter()
        .position(|byte| !is_ws(byte))
        .unwrap_or(bytes.len());
    let end = bytes
        .iter()
        .rposition(|byte| !is_ws(byte))
        .map_or(begin, |at| at + 1);
    &bytes[begin..end]
}

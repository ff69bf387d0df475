//! The parser: bytes in; directives, groups and anomalies out.
//!
//! The parser passes over the lines once. Each line becomes at most one [`Directive`], which
//! records its group according to Google's parser and its record according to Koster's draft.
//! All dialects read this list, so a stricter dialect needs no second parse.
//!
//! Section numbers without a document refer to `google-semantics`, a description of Google's
//! parser; `docs/developers/specifications.md` lists its sections.
//!
//! If you change how a line is read, also change the oracle in `tests/checks/oracle/lines.rs`, which the
//! tests and the fuzz target `parser` compare with this module.

pub(crate) mod blanks;
mod byte_classes;
mod file_checks;
pub(crate) mod key;
pub(crate) mod lines;
mod lookahead;
mod rule;
pub(crate) mod template;
mod template_rules;
mod user_agent;

use crate::agent_name::is_blank;
use crate::anomaly::{Anomaly, AnomalyKind};
use crate::crawl_rate::parse_crawl_delay_ms;
use crate::dialect::grouping::{GroupCounter, KosterRecordCounter};
use crate::document::{
    BODY_LIMIT_BYTES, Directive, DirectiveKind, DocumentData, IN_BUFFER_BIT, LimitedAgents,
    LineEndings, LineRange, MAX_BODY_BYTES, ParseOptions, RateLimits, RobotsTxt, Span, Summary,
};
use blanks::{find_blank, trim_blanks, trim_end, trim_start};
use byte_classes::ByteClasses;
use file_checks::{DirectiveRef, looks_like_html};
use key::{
    is_exact_key, is_known_directive, is_near_known_key, is_unsupported, may_be_unsupported,
    parse_agent_or_sitemap_key, parse_key, parse_rule_key,
};
use lines::{Line, LineEnding, Lines, MAX_LINE_BYTES, line_len};
use lookahead::Lookahead;
use memchr::{memchr, memchr2};
use template::Template;
use template_rules::SeenMarkers;
use user_agent::ParsedAgent;

/// Parses robots.txt files one after the other and reuses its memory.
///
/// # Example
///
/// ```
/// use robotstxt_dialects::{DirectiveKind, Parser};
///
/// let mut parser = Parser::new();
/// let robots_txt = parser.parse(b"User-agent: *\nDisallow: /private\n");
/// let rule = &robots_txt.directives()[1];
/// assert_eq!(rule.kind, DirectiveKind::Disallow);
/// assert_eq!(robots_txt.text(rule.value), b"/private");
/// ```
#[derive(Debug, Default)]
pub struct Parser {
    document: DocumentData,
    scratch: ParserScratch,
}

/// Buffers for the checks of a file, which are reused for the next file.
#[derive(Debug, Default)]
struct ParserScratch {
    /// The user-agent lines that have a name.
    agents: Vec<DirectiveRef>,
    /// The allow rules or the disallow rules of one group, sorted by a hash of their path.
    sorted_rules: Vec<DirectiveRef>,
}

impl Parser {
    /// Creates a parser. It allocates memory when it parses the first file.
    pub fn new() -> Self {
        Self::default()
    }

    /// Parses `body` with the default [`ParseOptions`]. The result borrows the parser until the
    /// next call.
    ///
    /// Every byte string is a valid robots.txt file: this function neither fails nor panics.
    /// Lines that are read leniently, and lines that are not directives, are reported as anomalies.
    /// Texts are slices of `body`, except for escaped paths and lower-cased names.
    ///
    /// The grammar is that of [RFC 9309 §2.2], extended by the leniencies of Google's parser.
    /// Parsing takes one pass over the body plus sorting of agents and rules for some anomalies.
    ///
    /// [RFC 9309 §2.2]: https://www.rfc-editor.org/rfc/rfc9309#section-2.2
    pub fn parse<'a>(&'a mut self, body: &'a [u8]) -> RobotsTxt<'a> {
        self.parse_with(body, ParseOptions::default())
    }

    /// Parses `body` like [`parse`](Self::parse). The whole body is read; `options` determines
    /// which lines [count](Directive::counts).
    pub fn parse_with<'a>(&'a mut self, body: &'a [u8], options: ParseOptions) -> RobotsTxt<'a> {
        let body = &body[..body.len().min(MAX_BODY_BYTES)];
        let document = &mut self.document;
        document.directives.clear();
        document.groups.clear();
        document.limited_agents.clear();
        document.anomalies.clear();
        document.buffer.clear();
        self.scratch.agents.clear();
        document.summary = Summary::default();
        ParseState::new(document, &mut self.scratch, body, options).parse_body();
        RobotsTxt {
            body,
            document: &self.document,
        }
    }
}

/// A line with a key and a value, before it becomes a [`Directive`].
struct ParsedLine<'b> {
    kind: DirectiveKind,
    /// The key as Google's parser reads it.
    key_text: &'b [u8],
    /// The value as Google's parser reads it, before paths are escaped.
    value: &'b [u8],
    /// The span of `value` in the body.
    value_span: Span,
    key_raw: Span,
    value_raw: Span,
    /// The classes of the bytes of `value`. May include those of blanks that were trimmed.
    classes: ByteClasses,
    has_colon: bool,
    is_typo: bool,
    /// True if the line has a colon and its key is spelled as in RFC 9309.
    has_exact_key: bool,
    /// True if a comment follows the value without a blank between them.
    has_adjacent_comment: bool,
}

/// The limits that determine whether a line [counts](Directive::counts).
struct BodyLimits {
    /// The offset in the body at or before which a line must end.
    end_offset: u64,
    /// True if the body was cut off, so that a last line without a line end does not count.
    is_truncated: bool,
}

/// The line numbers of the first blank, sitemap and crawl-delay lines after the last user-agent
/// line, for anomalies of lines before the first rule of a group. 0 for none.
#[derive(Default)]
struct FirstLinesSinceAgent {
    blank_line_no: u32,
    sitemap_line_no: u32,
    crawl_delay_line_no: u32,
}

/// The lines between the comments that begin and end the block of [`Template::CloudflareManaged`].
#[derive(Default)]
struct ManagedBlock {
    /// True between the two comments.
    is_open: bool,
    /// The number of comments that begin a block.
    n_beginnings: u32,
    /// The lines of the last block that has ended, with both comments.
    lines: Option<LineRange>,
    first_line_no: u32,
}

impl ManagedBlock {
    fn begin(&mut self, line_no: u32) {
        self.is_open = true;
        self.n_beginnings += 1;
        self.first_line_no = line_no;
    }

    fn end(&mut self, line_no: u32) {
        self.is_open = false;
        self.lines = Some(LineRange {
            first: self.first_line_no,
            last: line_no,
        });
    }

    /// Returns the lines of the only block of a file that has been read completely.
    fn only_lines(&self) -> Option<LineRange> {
        self.lines.filter(|_| self.n_beginnings == 1)
    }
}

/// Searches in the body whose results are reused for the lines up to the match.
struct Lookaheads {
    /// Searches for the next `:` or `#`.
    separators: Lookahead,
    /// Searches for the next `#`.
    comments: Lookahead,
}

/// The byte order mark in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The state of one parse of one body.
struct ParseState<'p, 'b> {
    document: &'p mut DocumentData,
    scratch: &'p mut ParserScratch,
    body: &'b [u8],
    limits: BodyLimits,
    /// True if the body contains a NUL, after which the rest of a line is dropped.
    has_nul: bool,
    /// True if the body begins with an HTML tag.
    is_html: bool,
    managed_block: ManagedBlock,
    groups: GroupCounter,
    records: KosterRecordCounter,
    since_agent: FirstLinesSinceAgent,
    /// The numbers of the first and the last of the user-agent lines that follow one another last; 0 for none.
    last_agents: (u32, u32),
    lookaheads: Lookaheads,
    /// The length of an incomplete byte order mark at the beginning of the body: 0, 1 or 2.
    partial_bom_bytes: usize,
    seen_markers: SeenMarkers,
}

impl<'p, 'b> ParseState<'p, 'b> {
    fn new(
        document: &'p mut DocumentData,
        scratch: &'p mut ParserScratch,
        body: &'b [u8],
        options: ParseOptions,
    ) -> Self {
        Self {
            document,
            scratch,
            body,
            limits: BodyLimits {
                end_offset: options.body_limit.unwrap_or(u64::MAX),
                is_truncated: options.is_truncated,
            },
            has_nul: memchr(0, body).is_some(),
            is_html: looks_like_html(body),
            managed_block: ManagedBlock::default(),
            groups: GroupCounter::default(),
            records: KosterRecordCounter::NEW,
            since_agent: FirstLinesSinceAgent::default(),
            last_agents: (0, 0),
            lookaheads: Lookaheads {
                separators: Lookahead::NEW,
                comments: Lookahead::NEW,
            },
            partial_bom_bytes: 0,
            seen_markers: SeenMarkers::default(),
        }
    }

    fn parse_body(&mut self) {
        let start = self.skip_bom();
        let mut endings = [0u32; 4];
        let mut last_line_no = 0;
        let mut longest_bytes = 0;
        let mut lines = Lines::new(self.body, start);
        while let Some(rest) = lines.rest() {
            let line = if self.partial_bom_bytes > 0 && last_line_no == 0 {
                let line = lines.cut_line(line_len(rest));
                self.parse_line(line);
                line
            } else {
                self.parse_next_line(&mut lines, rest)
            };
            endings[line.ending as usize] += 1;
            last_line_no = line.no;
            longest_bytes = longest_bytes.max(line.bytes.len());
        }
        self.document.summary.n_lines = last_line_no;
        self.document.summary.max_line_bytes = longest_bytes as u32;
        self.document.summary.line_endings = match endings {
            [0, 0, 0, _] => LineEndings::None,
            [_, 0, 0, _] => LineEndings::Lf,
            [0, _, 0, _] => LineEndings::CrLf,
            [0, 0, _, _] => LineEndings::Cr,
            _ => LineEndings::Mixed,
        };
        self.check_file();
    }

    /// Skips a byte order mark, or the first one or two bytes of one (§1.1). Returns the number
    /// of bytes skipped.
    fn skip_bom(&mut self) -> usize {
        let len = self
            .body
            .iter()
            .zip(BYTE_ORDER_MARK)
            .take_while(|(a, b)| a == b)
            .count();
        match len {
            0 => {}
            3 => {
                self.document.summary.has_bom = true;
                self.report_for_file(AnomalyKind::Bom);
            }
            _ => {
                self.partial_bom_bytes = len;
                self.report_for_file(AnomalyKind::PartialBom);
            }
        }
        len
    }

    /// Reports an anomaly of a line.
    #[inline(never)]
    fn report(&mut self, line_no: u32, kind: AnomalyKind, detail: Span) {
        self.document.anomalies.push(Anomaly {
            line_no: Some(line_no),
            kind,
            detail,
        });
    }

    /// Reports an anomaly of the whole file. Unlike those of lines, it is also reported for HTML and binary bodies.
    fn report_for_file(&mut self, kind: AnomalyKind) {
        self.document.anomalies.push(Anomaly {
            line_no: None,
            kind,
            detail: Span::default(),
        });
    }

    /// Returns the span of a slice of the body.
    #[inline]
    fn span_in_body(&self, text: &[u8]) -> Span {
        let start = text.as_ptr() as usize - self.body.as_ptr() as usize;
        debug_assert!(start + text.len() <= self.body.len());
        Span {
            start: start as u32,
            len: text.len() as u32,
        }
    }

    /// Returns the span of the buffer from `start` to its end.
    fn buffer_span(&self, start: usize) -> Span {
        Span {
            start: start as u32 | IN_BUFFER_BIT,
            len: (self.document.buffer.len() - start) as u32,
        }
    }

    /// Cuts the next line off `rest` and parses it.
    ///
    /// This is the fast path for usual lines: the key is spelled correctly, a colon follows it
    /// directly, and the value has no unusual bytes. The end of such a line and the classes of its
    /// bytes are found in one pass.
    #[inline(always)]
    fn parse_next_line(&mut self, lines: &mut Lines<'b>, rest: &'b [u8]) -> Line<'b> {
        if let Some((is_allow, colon)) = parse_rule_key(rest) {
            let kind = if is_allow {
                DirectiveKind::Allow
            } else {
                DirectiveKind::Disallow
            };
            let (line, parsed) = cut_usual_line(lines, rest, kind, colon);
            if is_usual_line(line, &parsed) {
                let value = self.add_rule(line.no, &parsed);
                self.push_directive(line, &parsed, value, ParsedAgent::default());
            } else {
                self.parse_line(line);
            }
            return line;
        }
        if let Some((kind, colon)) = parse_agent_or_sitemap_key(rest) {
            let (line, parsed) = cut_usual_line(lines, rest, kind, colon);
            if is_usual_line(line, &parsed) {
                self.add_line(line, parsed);
            } else {
                self.parse_line(line);
            }
            return line;
        }
        if let [b'\n' | b'\r', ..] = rest {
            let line = lines.cut_line(0);
            self.pass_blank_line(line);
            return line;
        }
        let line = lines.cut_line(line_len(rest));
        self.parse_line(line);
        line
    }

    /// Parses a line of any form. This is the slow path.
    fn parse_line(&mut self, line: Line<'b>) {
        let raw = line.bytes;
        let mut visible = raw;
        if raw.len() > MAX_LINE_BYTES {
            visible = &raw[..MAX_LINE_BYTES];
            self.report(line.no, AnomalyKind::OverlongLine, Span::default());
        }
        if self.has_nul
            && let Some(nul) = memchr(0, visible)
        {
            visible = &visible[..nul];
            self.report(line.no, AnomalyKind::NulBytes, Span::default());
        }
        let is_cut = visible.len() < raw.len();
        let visible = trim_start(visible);
        let Some(&first) = visible.first() else {
            return self.pass_blank_line(line);
        };
        if visible.starts_with(BYTE_ORDER_MARK) {
            let text = self.span_in_body(trim_end(visible));
            self.report(line.no, AnomalyKind::BomInside, text);
        }
        if first == b'#' {
            self.document.summary.n_comment_lines += 1;
            return self.read_comment(line.no, &visible[1..]);
        }
        self.parse_directive(line, visible, is_cut);
    }

    /// Counts a blank line. If it has only spaces and tabs, it ends a record of `koster1996`; it has no effect in
    /// the other dialects.
    #[inline(always)]
    fn pass_blank_line(&mut self, line: Line<'b>) {
        self.document.summary.n_blank_lines += 1;
        if line.bytes.iter().all(|byte| matches!(byte, b' ' | b'\t')) {
            self.records.pass_blank_line();
            if self.since_agent.blank_line_no == 0 {
                self.since_agent.blank_line_no = line.no;
            }
        }
    }

    /// Recognizes the template that wrote a comment, and the beginning and the end of the block of
    /// [`Template::CloudflareManaged`]. `text` is the comment after its `#`.
    fn read_comment(&mut self, line_no: u32, text: &[u8]) {
        if let Some(template) = template::find_comment_template(text) {
            let known = &mut self.document.summary.template;
            *known = Some(known.map_or(template, |known| known.min(template)));
            if template == Template::CloudflareManaged {
                self.managed_block.begin(line_no);
            }
        } else if self.managed_block.is_open && template::is_managed_block_end(text) {
            self.managed_block.end(line_no);
        }
    }

    /// Parses a line that is neither blank nor a comment (§2). `visible` is the part of the line
    /// that Google's parser reads, without leading blanks. `is_cut` is true if the line continues
    /// after this part.
    fn parse_directive(&mut self, line: Line<'b>, visible: &'b [u8], is_cut: bool) {
        let Some((visible_key, visible_value, has_colon)) = self.split_key(line, visible) else {
            return;
        };
        let key_text = trim_end(visible_key);
        if key_text.is_empty() {
            return self.report_no_directive(line.no, trim_end(visible));
        }
        let value = trim_end(trim_start(visible_value));

        let (kind, is_typo) = parse_key(key_text);
        let is_exact_key_text = is_exact_key(kind, key_text);
        // `key_raw` and `value_raw` are split at the same separator, but include bytes of the line
        // that Google's parser does not read.
        let separator =
            visible_key.as_ptr() as usize + visible_key.len() - line.bytes.as_ptr() as usize;
        let mut key_raw = trim_blanks(&line.bytes[..separator]);
        let is_key_trimmed_alike = key_raw.len() == key_text.len();
        if self.partial_bom_bytes > 0
            && line.no == 1
            && matches!(
                kind,
                DirectiveKind::UserAgent | DirectiveKind::Allow | DirectiveKind::Disallow
            )
        {
            // Only Google's parser drops an incomplete byte order mark, so `key_raw` includes it.
            let end = self.span_in_body(key_raw).start as usize + key_raw.len();
            key_raw = &self.body[..end];
        }
        let after = &line.bytes[separator + 1..];
        let len = if has_colon && !is_cut {
            visible_value.len()
        } else {
            memchr(b'#', after).unwrap_or(after.len())
        };
        let (value_raw, comment) = after.split_at(len);
        let has_adjacent_comment =
            !comment.is_empty() && value_raw.last().is_some_and(|&byte| !is_blank(byte));
        let value_raw = trim_blanks(value_raw);

        let parsed = ParsedLine {
            kind,
            key_text,
            key_raw: self.span_in_body(key_raw),
            value,
            value_span: self.span_in_body(value),
            value_raw: self.span_in_body(value_raw),
            classes: match kind {
                DirectiveKind::Allow | DirectiveKind::Disallow => ByteClasses::classify(value),
                _ => ByteClasses::default(),
            },
            has_colon,
            is_typo,
            has_exact_key: has_colon && is_exact_key_text && key_raw.len() == key_text.len(),
            has_adjacent_comment,
        };
        let has_control_blank = !is_key_trimmed_alike
            || (value_raw.len() != value.len() && has_control_blank_around(value_raw));
        self.report_key(line.no, &parsed, is_exact_key_text, has_control_blank);
        self.add_line(line, parsed);
    }

    /// Splits a line at its first colon, or else at its only run of spaces and tabs. Returns the
    /// key, the value, and true if a colon separates them. If the line cannot be split, reports it
    /// and returns `None`.
    #[inline(always)]
    fn split_key(
        &mut self,
        line: Line<'b>,
        visible: &'b [u8],
    ) -> Option<(&'b [u8], &'b [u8], bool)> {
        let start = self.span_in_body(visible).start as usize;
        let end = start + visible.len();
        let search = |text: &[u8]| memchr2(b':', b'#', text);
        match self
            .lookaheads
            .separators
            .find(self.body, start, end, search)
        {
            Some(colon) if visible[colon] == b':' => {
                let value_start = start + colon + 1;
                let search = |text: &[u8]| memchr(b'#', text);
                let comment = self
                    .lookaheads
                    .comments
                    .find(self.body, value_start, end, search);
                let value = &visible[colon + 1..];
                let value = &value[..comment.unwrap_or(value.len())];
                Some((&visible[..colon], value, true))
            }
            comment => {
                let text = trim_end(&visible[..comment.unwrap_or(visible.len())]);
                let words = split_two_words(text);
                if words.is_none() {
                    self.report_no_directive(line.no, text);
                }
                words.map(|(key, value)| (key, value, false))
            }
        }
    }

    /// Reports the anomalies of a key, and vertical tabs and form feeds, which only Google's parser
    /// trims.
    #[inline(always)]
    fn report_key(
        &mut self,
        line_no: u32,
        parsed: &ParsedLine<'b>,
        is_exact_key_text: bool,
        has_control_blank: bool,
    ) {
        if !parsed.has_colon {
            self.report(line_no, AnomalyKind::MissingColon, parsed.key_raw);
        }
        if parsed.kind == DirectiveKind::Other {
            return;
        }
        if parsed.is_typo {
            self.report(line_no, AnomalyKind::TypoAcceptedByGoogle, parsed.key_raw);
        } else if !is_exact_key_text {
            self.report(line_no, AnomalyKind::KeyByPrefix, parsed.key_raw);
        }
        if has_control_blank {
            self.report(line_no, AnomalyKind::ControlBlank, parsed.value_raw);
        }
    }

    /// Adds a line with a key and a value to the directives, the groups and the summary.
    #[inline(never)]
    fn add_line(&mut self, line: Line<'b>, parsed: ParsedLine<'b>) {
        let mut value = parsed.value_span;
        let mut agent = ParsedAgent::default();
        match parsed.kind {
            DirectiveKind::UserAgent => agent = self.add_user_agent(line.no, &parsed),
            DirectiveKind::Allow | DirectiveKind::Disallow => {
                value = self.add_rule(line.no, &parsed)
            }
            DirectiveKind::Sitemap => self.count_sitemap(line.no),
            DirectiveKind::Other => self.read_other_directive(line, &parsed),
        }
        self.push_directive(line, &parsed, value, agent);
    }

    /// Returns true if the line ends within the body limit and is complete.
    #[inline(always)]
    fn is_complete_within_limit(&self, line: Line<'b>) -> bool {
        let is_incomplete = self.limits.is_truncated && line.ending == LineEnding::None;
        line.end() as u64 <= self.limits.end_offset && !is_incomplete
    }

    #[inline(always)]
    fn push_directive(
        &mut self,
        line: Line<'b>,
        parsed: &ParsedLine<'b>,
        value: Span,
        agent: ParsedAgent,
    ) {
        let record_no = self
            .records
            .pass_directive(parsed.kind, parsed.has_exact_key);
        self.document.directives.push(Directive {
            line_no: line.no,
            kind: parsed.kind,
            group_no: self.groups.group_no(),
            agent_no: agent.agent_no,
            record_no,
            key_raw: parsed.key_raw,
            value_raw: parsed.value_raw,
            value,
            name: agent.name,
            token: agent.token,
            has_colon: parsed.has_colon,
            is_typo: parsed.is_typo,
            counts: self.is_complete_within_limit(line),
            is_beyond_500kib: line.end() as u64 > BODY_LIMIT_BYTES,
            is_managed: self.managed_block.is_open,
        });
    }

    /// Reports a line that is not a directive, unless the body is an HTML page.
    fn report_no_directive(&mut self, line_no: u32, text: &[u8]) {
        if !self.is_html {
            let detail = self.span_in_body(text);
            self.report(line_no, AnomalyKind::NoDirective, detail);
        }
    }

    fn count_sitemap(&mut self, line_no: u32) {
        self.document.summary.n_sitemaps += 1;
        if self.since_agent.sitemap_line_no == 0 && !self.groups.has_rules() {
            self.since_agent.sitemap_line_no = line_no;
        }
    }

    /// Adds a line whose key is neither user-agent, allow, disallow nor sitemap.
    fn read_other_directive(&mut self, line: Line<'b>, parsed: &ParsedLine<'b>) {
        let line_no = line.no;
        self.document.summary.n_directives += 1;
        let (key, value) = (parsed.key_text, parsed.value);
        if !may_be_unsupported(key) {
            if !self.is_html && !is_known_directive(key) {
                self.report_unknown_directive(line_no, parsed);
            }
            return;
        }
        let span = parsed.value_span;
        let counts = self.is_complete_within_limit(line);
        if counts && let Some(limits) = self.limits_of_last_agents() {
            if key.eq_ignore_ascii_case(b"crawl-delay") {
                limits.crawl_delay_ms =
                    (limits.crawl_delay_ms).or_else(|| parse_crawl_delay_ms(value));
            } else if key.eq_ignore_ascii_case(b"request-rate") {
                limits.request_rate = limits.request_rate.or(Some(span));
            } else if key.eq_ignore_ascii_case(b"visit-time") {
                limits.visit_time = limits.visit_time.or(Some(span));
            }
        }
        if key.eq_ignore_ascii_case(b"crawl-delay") {
            if self.since_agent.crawl_delay_line_no == 0 && !self.groups.has_rules() {
                self.since_agent.crawl_delay_line_no = line_no;
            }
            if parse_crawl_delay_ms(value).is_none() {
                self.report(line_no, AnomalyKind::BadCrawlDelay, span);
            }
        }
        if is_unsupported(key) {
            self.report(line_no, AnomalyKind::UnsupportedDirective, parsed.key_raw);
        } else if !self.is_html && !is_known_directive(key) {
            self.report_unknown_directive(line_no, parsed);
        }
    }

    /// Returns the limits of the last user-agent lines, or `None` before the first user-agent line.
    fn limits_of_last_agents(&mut self) -> Option<&mut RateLimits> {
        let (first_line_no, last_line_no) = self.last_agents;
        let limited_agents = &mut self.document.limited_agents;
        let last = limited_agents.last();
        if last_line_no != 0 && last.is_none_or(|last| last.last_line_no != last_line_no) {
            limited_agents.push(LimitedAgents {
                first_line_no,
                last_line_no,
                limits: RateLimits::default(),
            });
        }
        limited_agents.last_mut().map(|agents| &mut agents.limits)
    }

    #[cold]
    fn report_unknown_directive(&mut self, line_no: u32, parsed: &ParsedLine<'b>) {
        let kind = if is_near_known_key(parsed.key_text) {
            AnomalyKind::TypoOther
        } else {
            AnomalyKind::UnknownDirective
        };
        self.report(line_no, kind, parsed.key_raw);
    }
}

/// Cuts the next line off `rest` and parses its value. `kind` is the kind of its key, and `colon`
/// the position of its colon.
#[inline(always)]
fn cut_usual_line<'b>(
    lines: &mut Lines<'b>,
    rest: &'b [u8],
    kind: DirectiveKind,
    colon: usize,
) -> (Line<'b>, ParsedLine<'b>) {
    let mut begin = colon + 1;
    while let Some(b' ' | b'\t') = rest.get(begin) {
        begin += 1;
    }
    let (len, classes) = ByteClasses::classify_to_line_end(&rest[begin..]);
    let line = lines.cut_line(begin + len);
    let mut value = &line.bytes[begin..];
    if classes.has_any(ByteClasses::BLANK) {
        value = trim_end(value);
    }
    let span = Span {
        start: (line.start + begin) as u32,
        len: value.len() as u32,
    };
    let parsed = ParsedLine {
        kind,
        key_text: &line.bytes[..colon],
        key_raw: Span {
            start: line.start as u32,
            len: colon as u32,
        },
        value,
        value_span: span,
        value_raw: span,
        classes,
        has_colon: true,
        is_typo: false,
        has_exact_key: true,
        has_adjacent_comment: false,
    };
    (line, parsed)
}

/// Returns true if the fast path parsed the line correctly: the value contains no comment, NUL,
/// vertical tab or form feed, and the line is not too long.
#[inline(always)]
fn is_usual_line(line: Line<'_>, parsed: &ParsedLine<'_>) -> bool {
    !parsed.classes.has_any(ByteClasses::UNUSUAL) && line.bytes.len() <= MAX_LINE_BYTES
}

/// Splits a key and a value that are separated only by spaces and tabs (§2.4).
///
/// RFC 9309 requires a colon. Google's parser also accepts a line of exactly two words without one.
fn split_two_words(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let key_len = find_blank(text)?;
    let value = &text[key_len..];
    let begin = value
        .iter()
        .position(|&byte| byte != b' ' && byte != b'\t')?;
    if find_blank(&value[begin..]).is_some() {
        return None;
    }
    Some((&text[..key_len], &value[begin..]))
}

/// Returns true if a value begins or ends with a vertical tab or form feed.
fn has_control_blank_around(value: &[u8]) -> bool {
    matches!(value.first(), Some(0x0b | 0x0c)) || matches!(value.last(), Some(0x0b | 0x0c))
}

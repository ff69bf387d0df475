//! The parser: lines in, directives, groups and findings out.
//!
//! One pass over the lines. Each line becomes at most one [`Directive`]; what
//! it belongs to (its group by Google's reading, its record by Koster's) is
//! noted on it, so that every dialect reads the same list.

pub(crate) mod blanks;
mod byte_classes;
pub(crate) mod directive_kind;
mod file_checks;
pub(crate) mod lines;
mod lookahead;
mod rule;
mod seconds;
mod sniff;
pub(crate) mod template;
mod user_agent;

use crate::agent_name::is_blank;
use crate::anomaly::{Anomaly, AnomalyKind};
use crate::document::{
    BODY_BYTES_MAX, BODY_LIMIT_BYTES, Directive, DocumentData, LineEndings, MARK, ParseOptions,
    RobotsTxt, Span, Summary,
};
use crate::parse::blanks::{find_blank, trim_blanks, trim_end, trim_start};
use crate::parse::directive_kind::{
    DirectiveKind, is_known_directive, is_near_known_key, is_unsupported, is_whole_key,
    may_be_unsupported, read_key, read_name_key, read_rule_key,
};
use crate::parse::lines::{LINE_BYTES_MAX, Line, LineEnding, Lines, line_len};
use crate::parse::sniff::looks_like_html;
use crate::parse::template::Template;
use byte_classes::ByteClasses;
pub(crate) use file_checks::DirectiveRef;
use lookahead::Lookahead;
use memchr::{memchr, memchr2};
use user_agent::ParsedAgent;

/// Parses bodies, one after the other, in the same memory.
#[derive(Debug, Default)]
pub struct Parser {
    parts: DocumentData,
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
    pub fn parse<'a>(&'a mut self, body: &'a [u8]) -> RobotsTxt<'a> {
        self.parse_with(body, ParseOptions::default())
    }

    /// Parses `body` as [`parse`](Self::parse) does; `reading` says which
    /// lines count. The whole body is read whatever counts.
    pub fn parse_with<'a>(&'a mut self, body: &'a [u8], reading: ParseOptions) -> RobotsTxt<'a> {
        let body = &body[..body.len().min(BODY_BYTES_MAX)];
        let parts = &mut self.parts;
        parts.directives.clear();
        parts.groups.clear();
        parts.anomalies.clear();
        parts.buffer.clear();
        parts.agents.clear();
        parts.summary = Summary::default();
        ParseState::new(parts, body, reading).run();
        RobotsTxt {
            body,
            parts: &self.parts,
        }
    }
}

/// A line with a key and a value, as it was read.
struct ParsedLine<'b> {
    kind: DirectiveKind,
    /// The key and the value as Google's parser has them.
    key_text: &'b [u8],
    value: &'b [u8],
    /// Where the value lies.
    span: Span,
    key_raw: Span,
    value_raw: Span,
    /// Those of the value; there may be more.
    marks: ByteClasses,
    has_colon: bool,
    is_typo: bool,
    /// Whether the line has a colon and its key is spelt as in RFC 9309.
    is_exact: bool,
    /// Whether a comment follows the value without a blank.
    is_comment_glued: bool,
}

/// One parse of one body.
struct ParseState<'p, 'b> {
    parts: &'p mut DocumentData,
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
    separators: Lookahead,
    comments: Lookahead,
    /// The bytes of an incomplete byte order mark that begin the body: 0, 1 or 2.
    partial_bom_bytes: usize,
    /// The two rules of plain WordPress.
    has_wp_admin: bool,
    has_admin_ajax: bool,
}

impl<'p, 'b> ParseState<'p, 'b> {
    fn new(parts: &'p mut DocumentData, body: &'b [u8], reading: ParseOptions) -> Self {
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
            separators: Lookahead::NEW,
            comments: Lookahead::NEW,
            partial_bom_bytes: 0,
            has_wp_admin: false,
            has_admin_ajax: false,
        }
    }

    fn run(&mut self) {
        let start = self.pass_bom();
        let mut endings = [0u32; 4];
        let mut last_no = 0;
        let mut longest = 0;
        let mut lines = Lines::new(self.body, start);
        while let Some(rest) = lines.rest() {
            let line = if self.partial_bom_bytes > 0 && last_no == 0 {
                let line = lines.cut(line_len(rest));
                self.line(line);
                line
            } else {
                self.next_line(&mut lines, rest)
            };
            endings[line.ending as usize] += 1;
            last_no = line.no;
            longest = longest.max(line.bytes.len());
        }
        self.parts.summary.n_lines = last_no;
        self.parts.summary.max_line_bytes = longest as u32;
        self.parts.summary.line_endings = match endings {
            [0, 0, 0, _] => LineEndings::None,
            [_, 0, 0, _] => LineEndings::Lf,
            [0, _, 0, _] => LineEndings::CrLf,
            [0, 0, _, _] => LineEndings::Cr,
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
                self.parts.summary.has_bom = true;
                self.report(0, AnomalyKind::Bom, Span::default());
            }
            _ => {
                self.partial_bom_bytes = len;
                self.report(0, AnomalyKind::PartialBom, Span::default());
            }
        }
        len
    }

    #[inline(never)]
    fn report(&mut self, line_no: u32, kind: AnomalyKind, detail: Span) {
        self.parts.anomalies.push(Anomaly {
            line_no,
            kind,
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

    /// Cuts the next line off `rest` and reads it.
    ///
    /// Most lines have a key that is spelt as it should be, a colon at once,
    /// and nothing odd behind it: these are read on their way to their end.
    #[inline(always)]
    fn next_line(&mut self, lines: &mut Lines<'b>, rest: &'b [u8]) -> Line<'b> {
        if let Some((is_allow, colon)) = read_rule_key(rest) {
            let kind = if is_allow {
                DirectiveKind::Allow
            } else {
                DirectiveKind::Disallow
            };
            let (line, read) = cut_usual(lines, rest, kind, colon);
            if is_usual(line, &read) {
                let value = self.rule(line.no, &read);
                self.push(line, &read, value, ParsedAgent::default());
            } else {
                self.line(line);
            }
            return line;
        }
        if let Some((kind, colon)) = read_name_key(rest) {
            let (line, read) = cut_usual(lines, rest, kind, colon);
            if is_usual(line, &read) {
                self.add(line, read);
            } else {
                self.line(line);
            }
            return line;
        }
        if let [b'\n' | b'\r', ..] = rest {
            let line = lines.cut(0);
            self.blank(line);
            return line;
        }
        let line = lines.cut(line_len(rest));
        self.line(line);
        line
    }

    /// Reads any line.
    fn line(&mut self, line: Line<'b>) {
        let raw = line.bytes;
        let mut seen = raw;
        if raw.len() > LINE_BYTES_MAX {
            seen = &raw[..LINE_BYTES_MAX];
            self.report(line.no, AnomalyKind::OverlongLine, Span::default());
        }
        if self.has_nul
            && let Some(at) = memchr(0, seen)
        {
            seen = &seen[..at];
            self.report(line.no, AnomalyKind::NulBytes, Span::default());
        }
        let is_cut = seen.len() < raw.len();
        let seen = trim_start(seen);
        let Some(&first) = seen.first() else {
            return self.blank(line);
        };
        if first == b'#' {
            self.parts.summary.n_comment_lines += 1;
            return self.comment(&seen[1..]);
        }
        self.directive(line, seen, is_cut);
    }

    /// A blank line ends Koster's record; to the others it is nothing.
    #[inline(always)]
    fn blank(&mut self, line: Line<'b>) {
        self.parts.summary.n_blank_lines += 1;
        if line.bytes.iter().all(|byte| matches!(byte, b' ' | b'\t')) {
            self.record_ended = true;
            if self.blank_line_no == 0 {
                self.blank_line_no = line.no;
            }
        }
    }

    fn comment(&mut self, text: &[u8]) {
        if let Some(template) = template::of_comment(text) {
            let known = &mut self.parts.summary.template;
            *known = Some(known.map_or(template, |known| known.min(template)));
            self.is_managed |= template == Template::CloudflareManaged;
        } else if self.is_managed && template::ends_managed_block(text) {
            self.is_managed = false;
        }
    }

    /// Parts a line at its first colon, or at its only run of blanks (§2).
    /// `seen` is what is seen of it, from its first word on.
    fn directive(&mut self, line: Line<'b>, seen: &'b [u8], is_cut: bool) {
        let start = self.span(seen).start as usize;
        let end = start + seen.len();
        let search = |text: &[u8]| memchr2(b':', b'#', text);
        let separator = self.separators.find(self.body, start, end, search);
        let (seen_key, seen_value, has_colon) = match separator {
            Some(at) if seen[at] == b':' => {
                let from = start + at + 1;
                let search = |text: &[u8]| memchr(b'#', text);
                let comment = self.comments.find(self.body, from, end, search);
                let value = &seen[at + 1..];
                (&seen[..at], &value[..comment.unwrap_or(value.len())], true)
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

        let (kind, is_typo) = read_key(key_text);
        let is_whole = is_whole_key(kind, key_text);
        // As written: the line's own bytes around the same separator.
        let separator = seen_key.as_ptr() as usize + seen_key.len() - line.bytes.as_ptr() as usize;
        let mut key_raw = trim_blanks(&line.bytes[..separator]);
        let is_trimmed_alike = key_raw.len() == key_text.len();
        if self.partial_bom_bytes > 0
            && line.no == 1
            && matches!(
                kind,
                DirectiveKind::UserAgent | DirectiveKind::Allow | DirectiveKind::Disallow
            )
        {
            // Only Google's parser drops these bytes. As written, they are part of the key.
            let end = self.span(key_raw).start as usize + key_raw.len();
            key_raw = &self.body[..end];
        }
        let behind = &line.bytes[separator + 1..];
        let len = if has_colon && !is_cut {
            seen_value.len()
        } else {
            memchr(b'#', behind).unwrap_or(behind.len())
        };
        let (value_raw, comment) = behind.split_at(len);
        let is_comment_glued =
            !comment.is_empty() && value_raw.last().is_some_and(|&byte| !is_blank(byte));
        let value_raw = trim_blanks(value_raw);

        let read = ParsedLine {
            kind,
            key_text,
            key_raw: self.span(key_raw),
            value,
            span: self.span(value),
            value_raw: self.span(value_raw),
            marks: match kind {
                DirectiveKind::Allow | DirectiveKind::Disallow => ByteClasses::of(value),
                _ => ByteClasses::default(),
            },
            has_colon,
            is_typo,
            is_exact: has_colon && is_whole && key_raw.len() == key_text.len(),
            is_comment_glued,
        };
        if !has_colon {
            self.report(line.no, AnomalyKind::MissingColon, read.key_raw);
        }
        if kind != DirectiveKind::Other {
            if is_typo {
                self.report(line.no, AnomalyKind::TypoAcceptedByGoogle, read.key_raw);
            } else if !is_whole {
                self.report(line.no, AnomalyKind::KeyByPrefix, read.key_raw);
            }
            if !is_trimmed_alike || (value_raw.len() != value.len() && has_control_blank(value_raw))
            {
                self.report(line.no, AnomalyKind::ControlBlank, read.value_raw);
            }
        }
        self.add(line, read);
    }

    /// Adds a line with a key and a value.
    #[inline(never)]
    fn add(&mut self, line: Line<'b>, read: ParsedLine<'b>) {
        let mut value = read.span;
        let mut agent = ParsedAgent::default();
        match read.kind {
            DirectiveKind::UserAgent => agent = self.user_agent(line.no, &read),
            DirectiveKind::Allow | DirectiveKind::Disallow => value = self.rule(line.no, &read),
            DirectiveKind::Sitemap => self.sitemap(line.no),
            DirectiveKind::Other => self.other(line, &read),
        }
        self.push(line, &read, value, agent);
    }

    /// Whether the line ends within the body limit and is whole.
    #[inline(always)]
    fn counts(&self, line: Line<'b>) -> bool {
        line.end() as u64 <= self.limit && !(self.is_truncated && line.ending == LineEnding::None)
    }

    #[inline(always)]
    fn push(&mut self, line: Line<'b>, read: &ParsedLine<'b>, value: Span, agent: ParsedAgent) {
        let record_no = self.count_record(read.kind, read.is_exact);
        self.parts.directives.push(Directive {
            line_no: line.no,
            kind: read.kind,
            group_no: self.parts.groups.len() as u32,
            agent_no: agent.no,
            record_no,
            key_raw: read.key_raw,
            value_raw: read.value_raw,
            value,
            name: agent.name,
            token: agent.token,
            has_colon: read.has_colon,
            is_typo: read.is_typo,
            counts: self.counts(line),
            is_beyond_500kib: line.end() as u64 > BODY_LIMIT_BYTES,
            is_managed: self.is_managed,
        });
    }

    fn no_directive(&mut self, line_no: u32, text: &[u8]) {
        if !self.is_html {
            let detail = self.span(text);
            self.report(line_no, AnomalyKind::NoDirective, detail);
        }
    }

    /// Koster's records (§10): agents and rules up to a blank line, and a
    /// user-agent line after rules begins anew. Only exact keys are any to him.
    #[inline(always)]
    fn count_record(&mut self, kind: DirectiveKind, is_exact: bool) -> u32 {
        let is_rule = matches!(kind, DirectiveKind::Allow | DirectiveKind::Disallow);
        let is_agent = kind == DirectiveKind::UserAgent;
        if self.record_ended || (is_agent && is_exact && self.record_has_rules) {
            self.record_no += 1;
            self.record_ended = false;
            self.record_has_rules = false;
        }
        self.record_has_rules |= is_rule && is_exact;
        self.record_no
    }

    fn sitemap(&mut self, line_no: u32) {
        self.parts.summary.n_sitemaps += 1;
        if self.sitemap_line_no == 0 && !self.group_has_rules {
            self.sitemap_line_no = line_no;
        }
    }

    fn other(&mut self, line: Line<'b>, read: &ParsedLine<'b>) {
        let line_no = line.no;
        self.parts.summary.n_directives += 1;
        let (key, value) = (read.key_text, read.value);
        if !may_be_unsupported(key) {
            if !self.is_html && !is_known_directive(key) {
                self.unknown(line_no, read);
            }
            return;
        }
        let span = read.span;
        let counts = self.counts(line);
        if let Some(group) = self.parts.groups.last_mut()
            && counts
        {
            if key.eq_ignore_ascii_case(b"crawl-delay") {
                group.crawl_delay = group.crawl_delay.or_else(|| seconds::seconds(value));
            } else if key.eq_ignore_ascii_case(b"request-rate") {
                group.request_rate = group.request_rate.or(Some(span));
            } else if key.eq_ignore_ascii_case(b"visit-time") {
                group.visit_time = group.visit_time.or(Some(span));
            }
        }
        if key.eq_ignore_ascii_case(b"crawl-delay") {
            if self.crawl_delay_line_no == 0 && !self.group_has_rules {
                self.crawl_delay_line_no = line_no;
            }
            if seconds::seconds(value).is_none() {
                self.report(line_no, AnomalyKind::BadCrawlDelay, span);
            }
        }
        if is_unsupported(key) {
            self.report(line_no, AnomalyKind::UnsupportedDirective, read.key_raw);
        } else if !self.is_html && !is_known_directive(key) {
            self.unknown(line_no, read);
        }
    }

    #[cold]
    fn unknown(&mut self, line_no: u32, read: &ParsedLine<'b>) {
        let anomaly = if is_near_known_key(read.key_text) {
            AnomalyKind::TypoOther
        } else {
            AnomalyKind::UnknownDirective
        };
        self.report(line_no, anomaly, read.key_raw);
    }
}

/// Cuts a line off `rest`, whose key and colon are known.
#[inline(always)]
fn cut_usual<'b>(
    lines: &mut Lines<'b>,
    rest: &'b [u8],
    kind: DirectiveKind,
    colon: usize,
) -> (Line<'b>, ParsedLine<'b>) {
    let mut begin = colon + 1;
    while let Some(b' ' | b'\t') = rest.get(begin) {
        begin += 1;
    }
    let (len, marks) = ByteClasses::to_line_end(&rest[begin..]);
    let line = lines.cut(begin + len);
    let mut value = &line.bytes[begin..];
    if marks.has(ByteClasses::BLANK) {
        value = trim_end(value);
    }
    let span = Span {
        start: (line.start + begin) as u32,
        len: value.len() as u32,
    };
    let read = ParsedLine {
        kind,
        key_text: &line.bytes[..colon],
        key_raw: Span {
            start: line.start as u32,
            len: colon as u32,
        },
        value,
        span,
        value_raw: span,
        marks,
        has_colon: true,
        is_typo: false,
        is_exact: true,
        is_comment_glued: false,
    };
    (line, read)
}

/// Whether the texts as written are the texts as read.
#[inline(always)]
fn is_usual(line: Line<'_>, read: &ParsedLine<'_>) -> bool {
    !read.marks.has(ByteClasses::ODD) && line.bytes.len() <= LINE_BYTES_MAX
}

/// A key and a value with only blanks between them (§2.4).
///
/// RFC 9309 asks for a colon. Google's parser takes the blank in its place
/// when the line has exactly two words, and so do we.
fn two_words(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = find_blank(text)?;
    let value = &text[at..];
    let begin = value
        .iter()
        .position(|&byte| byte != b' ' && byte != b'\t')?;
    if find_blank(&value[begin..]).is_some() {
        return None;
    }
    Some((&text[..at], &value[begin..]))
}
fn has_control_blank(value: &[u8]) -> bool {
    matches!(value.first(), Some(0x0b | 0x0c)) || matches!(value.last(), Some(0x0b | 0x0c))
}

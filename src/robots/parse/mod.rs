//! The parser: lines in, directives, groups and findings out.
//!
//! One pass over the lines. Each line becomes at most one [`Directive`]; what
//! it belongs to (its group by Google's reading, its record by Koster's) is
//! noted on it, so that every dialect reads the same list.

mod finish;

use crate::anomaly::{Anomaly, Finding};
use crate::key::{Key, UNSUPPORTED, is_known_directive, is_near_known_key, is_whole_key, read_key};
use crate::line::{Ending, LINE_BYTES_MAX, Line, Lines};
use crate::robots::{
    BODY_BYTES_MAX, BODY_LIMIT_BYTES, Directive, Figures, Group, LineEndings, MARK, Parts, Reading,
    Robots, Span,
};
use crate::shape::looks_like_html;
use crate::template::{self, Template, starts_with_ignore_case};
use crate::text::{trim_blanks, trim_end, trim_start};
use crate::token::{is_blank, is_product_token, product_token, whole_name};
use crate::{number, pattern};
use memchr::{memchr, memchr2, memmem};

/// Parses bodies, one after the other, in the same memory.
#[derive(Debug, Default)]
pub struct Parser {
    parts: Parts,
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
        self.parsed(body)
    }

    /// What was read of `body`, which is what was parsed last.
    pub(crate) fn parsed<'a>(&'a self, body: &'a [u8]) -> Robots<'a> {
        Robots {
            body: &body[..body.len().min(BODY_BYTES_MAX)],
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

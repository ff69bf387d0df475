//! Lines as Google's parser and the two strict grammars read them.

use robots::{DirectiveKind, ParseOptions};

/// A line without its line end.
#[derive(Debug, Default)]
pub struct Line {
    pub bytes: Vec<u8>,
    /// The offset of its end in the body.
    pub end: usize,
    /// True if CR or LF ends it.
    pub is_ended: bool,
}

impl Line {
    /// Returns true if the line ends within the limit and is complete.
    pub fn counts(&self, reading: ParseOptions) -> bool {
        let is_within = reading
            .body_limit
            .is_none_or(|limit| self.end as u64 <= limit);
        is_within && (self.is_ended || !reading.is_truncated)
    }
}

/// A line with a directive.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectiveLine {
    pub line_no: u32,
    pub key: DirectiveKind,
    pub value: Vec<u8>,
    pub has_colon: bool,
    pub is_typo: bool,
    pub counts: bool,
}

/// The numbers of lines of each kind.
#[derive(Debug, Default, PartialEq)]
pub struct Counts {
    pub lines: u32,
    pub blank: u32,
    pub comments: u32,
    pub too_long: u32,
}

/// The number of bytes of a line that Google's parser keeps.
const KEPT: usize = 16_663;

/// Splits bytes into lines (google-semantics §1).
pub fn lines(body: &[u8]) -> Vec<Line> {
    let bom = [0xEF, 0xBB, 0xBF];
    let mut bom_bytes = 0;
    while bom_bytes < 3 && body.get(bom_bytes) == bom.get(bom_bytes) {
        bom_bytes += 1;
    }
    let (mut lines, mut line, mut last_end) = (Vec::new(), Line::default(), b' ');
    line.end = bom_bytes;
    for (i, &byte) in body.iter().enumerate().skip(bom_bytes) {
        if byte != b'\n' && byte != b'\r' {
            line.bytes.push(byte);
            line.end = i + 1;
            continue;
        }
        if byte == b'\n' && line.bytes.is_empty() && last_end == b'\r' && !lines.is_empty() {
            last_end = b' ';
            line.end = i + 1;
            continue;
        }
        line.is_ended = true;
        lines.push(std::mem::take(&mut line));
        line.end = i + 1;
        last_end = byte;
    }
    lines.push(line);
    lines
}

fn trim(text: &[u8], blanks: &[u8]) -> Vec<u8> {
    let is_blank = |byte: &u8| blanks.contains(byte);
    let from = text.iter().position(|byte| !is_blank(byte));
    let from = from.unwrap_or(text.len());
    let to = text.iter().rposition(|byte| !is_blank(byte));
    text[from..to.map_or(from, |last| last + 1)].to_vec()
}

/// The white space of the C locale.
const C_BLANKS: &[u8] = b" \t\n\x0b\x0c\r";

/// Parses a line into a key and a value (google-semantics §2 to §4).
pub fn read(body: &[u8], reading: ParseOptions) -> (Vec<DirectiveLine>, Counts) {
    let (mut all, mut counts) = (Vec::new(), Counts::default());
    for (i, line) in lines(body).iter().enumerate() {
        counts.lines += 1;
        let mut text = line.bytes.clone();
        if text.len() > KEPT {
            text.truncate(KEPT);
            counts.too_long += 1;
        }
        if let Some(nul) = text.iter().position(|&byte| byte == 0) {
            text.truncate(nul);
        }
        let comment = text.iter().position(|&byte| byte == b'#');
        text.truncate(comment.unwrap_or(text.len()));
        let text = trim(&text, C_BLANKS);
        if text.is_empty() {
            if comment.is_some() {
                counts.comments += 1
            } else {
                counts.blank += 1
            }
            continue;
        }
        let colon = text.iter().position(|&byte| byte == b':');
        let separator = match colon {
            Some(colon) => colon,
            None => {
                let is_blank = |byte: &u8| *byte == b' ' || *byte == b'\t';
                let words = text.split(is_blank).filter(|word| !word.is_empty());
                match text.iter().position(is_blank) {
                    Some(blank) if words.count() == 2 => blank,
                    _ => continue,
                }
            }
        };
        let key = trim(&text[..separator], C_BLANKS).to_ascii_lowercase();
        if key.is_empty() {
            continue;
        }
        let mut value = trim(&text[separator + 1..], C_BLANKS);
        let (key, is_typo) = read_key(&key);
        if matches!(key, DirectiveKind::Allow | DirectiveKind::Disallow) {
            value = escape(&value);
        }
        all.push(DirectiveLine {
            line_no: i as u32 + 1,
            key,
            value,
            has_colon: colon.is_some(),
            is_typo,
            counts: line.counts(reading),
        });
    }
    (all, counts)
}

/// Returns the kind of a key by its beginning, and whether it is misspelled (google-semantics §3).
fn read_key(key: &[u8]) -> (DirectiveKind, bool) {
    let starts = |prefixes: &[&str]| {
        let mut prefixes = prefixes.iter();
        prefixes.any(|prefix| key.starts_with(prefix.as_bytes()))
    };
    if starts(&["user-agent"]) {
        (DirectiveKind::UserAgent, false)
    } else if starts(&["useragent", "user agent"]) {
        (DirectiveKind::UserAgent, true)
    } else if starts(&["allow"]) {
        (DirectiveKind::Allow, false)
    } else if starts(&["disallow"]) {
        (DirectiveKind::Disallow, false)
    } else if starts(&["dissallow", "dissalow", "disalow", "diasllow", "disallaw"]) {
        (DirectiveKind::Disallow, true)
    } else if starts(&["sitemap"]) {
        (DirectiveKind::Sitemap, false)
    } else if starts(&["site-map"]) {
        (DirectiveKind::Sitemap, true)
    } else {
        (DirectiveKind::Other, false)
    }
}

/// Escapes the path of a rule (google-semantics §4).
pub fn escape(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut i = 0;
    while i < value.len() {
        let hex = |nth: usize| value.get(i + nth).is_some_and(u8::is_ascii_hexdigit);
        if value[i] == b'%' && hex(1) && hex(2) {
            out.extend(value[i..i + 3].to_ascii_uppercase());
            i += 3;
        } else if value[i] >= 0x80 {
            out.extend(format!("%{:02X}", value[i]).into_bytes());
            i += 1;
        } else {
            out.push(value[i]);
            i += 1;
        }
    }
    out
}

/// Returns the group of each user-agent line and rule (google-semantics §6).
pub fn groups(all: &[DirectiveLine]) -> Vec<u32> {
    let (mut group, mut rules_seen, mut out) = (0, true, Vec::new());
    for said in all {
        match said.key {
            DirectiveKind::UserAgent if rules_seen => {
                group += 1;
                rules_seen = false;
            }
            DirectiveKind::Allow | DirectiveKind::Disallow if group > 0 => rules_seen = true,
            _ => {}
        }
        out.push(group);
    }
    out
}

/// A line according to the grammar of RFC 9309 §2.2. Koster's §3.3 does not differ in these lines.
#[derive(Debug)]
pub enum Strict {
    /// A blank line.
    Blank,
    /// A user-agent line, with its value as written.
    Agent(Vec<u8>),
    /// A rule, with its value as written.
    Rule {
        is_allow: bool,
        line_no: u32,
        value: Vec<u8>,
    },
}

/// Returns the lines that count and conform: an exact key, ignoring case, and a colon. The part of a
/// line that the parser does not keep can contain neither.
pub fn read_strictly(body: &[u8], reading: ParseOptions) -> Vec<Strict> {
    let mut all = Vec::new();
    for (i, line) in lines(body).iter().enumerate() {
        let line_no = i as u32 + 1;
        let strict = read_line_strictly(&bytes_of_line(body, line, line_no), line_no);
        let counts = line.counts(reading);
        all.extend(strict.filter(|line| counts || matches!(line, Strict::Blank)));
    }
    all
}

/// Returns the bytes of a line. An incomplete byte order mark is part of the first line: only Google's
/// parser drops it.
pub fn bytes_of_line(body: &[u8], line: &Line, line_no: u32) -> Vec<u8> {
    let start = line.end - line.bytes.len();
    let is_partial_bom = line_no == 1 && (1..3).contains(&start);
    body[if is_partial_bom { 0 } else { start }..line.end].to_vec()
}

/// Parses a line according to the grammar. Returns `None` if it is not a blank line, a user-agent line or
/// a rule.
pub fn read_line_strictly(bytes: &[u8], line_no: u32) -> Option<Strict> {
    if trim(bytes, b" \t").is_empty() {
        return Some(Strict::Blank);
    }
    let text = bytes.split(|&byte| byte == b'#').next().unwrap_or_default();
    let colon = text.iter().position(|&byte| byte == b':');
    let colon = colon.filter(|&colon| colon < KEPT)?;
    let value = trim(&text[colon + 1..], b" \t");
    let key = trim(&text[..colon], b" \t").to_ascii_lowercase();
    match key.as_slice() {
        b"user-agent" => Some(Strict::Agent(value)),
        b"allow" | b"disallow" => Some(Strict::Rule {
            is_allow: key == b"allow",
            line_no,
            value,
        }),
        _ => None,
    }
}

//! Parses a response according to RFC 9112, with the leniencies that `capture::http`
//! documents.

/// The maximum length of a size line.
const SIZE_LINE_BYTES: usize = 4096;

/// The response in a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    pub status: Option<u16>,
    /// Names as written, and values in which each fold is one space.
    pub fields: Vec<(Vec<u8>, Vec<u8>)>,
    pub body: Vec<u8>,
    /// True if the block ends before the line feed of the status line.
    pub is_without_status: bool,
    /// True if the block ends before the empty line.
    pub is_without_body: bool,
}

impl Response {
    /// Parses a block. A block that does not begin with `HTTP/` is a body. Interim responses and replies to CONNECT are
    /// not part of the response.
    pub fn read(block: &[u8]) -> Self {
        let mut response = Self::read_one(block);
        loop {
            let next = Self::read_one(&response.body);
            let is_answer =
                !response.body.is_empty() && (next.is_without_status || next.status.is_some());
            let skips = match response.status {
                Some(status) if (100..200).contains(&status) && status != 101 => true,
                Some(status) if (200..300).contains(&status) => {
                    let names = [
                        &b"content-type"[..],
                        b"content-length",
                        b"transfer-encoding",
                    ];
                    names.iter().all(|name| response.field(name).is_none())
                        && (next.status.is_some() || response.is_connected(block))
                }
                _ => false,
            };
            if !skips {
                return response;
            }
            if !is_answer && !response.body.to_ascii_lowercase().starts_with(b"http/") {
                let body = response.body;
                return Self {
                    body,
                    is_without_status: true,
                    ..Self::default()
                };
            }
            response = next;
        }
    }

    /// Returns true if one of the status lines of the block ends like that of a proxy, directly before the rest.
    fn is_connected(&self, block: &[u8]) -> bool {
        let head = &block[..block.len() - self.body.len()];
        let lines: Vec<&[u8]> = head
            .split(|&byte| byte == b'\n')
            .map(<[u8]>::trim_ascii_end)
            .collect();
        let last = lines
            .iter()
            .rev()
            .find(|line| line.to_ascii_lowercase().starts_with(b"http/"));
        last.is_some_and(|line| {
            line.to_ascii_lowercase()
                .ends_with(b"connection established")
        })
    }

    fn read_one(block: &[u8]) -> Self {
        let mut response = Self::default();
        let begin = block[..block.len().min(5)].to_ascii_lowercase();
        if !b"http/".starts_with(&begin) {
            response.body = block.to_vec();
            return response;
        }
        if !block.contains(&b'\n') {
            response.body = block.to_vec();
            response.is_without_status = true;
            return response;
        }
        response.is_without_body = true;
        let mut offset = 0;
        for (nth, line) in block.split_inclusive(|&byte| byte == b'\n').enumerate() {
            offset += line.len();
            let Some(line) = line.strip_suffix(b"\n") else {
                break;
            };
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if nth == 0 {
                response.status = status(line);
            } else if line.is_empty() {
                response.body = block[offset..].to_vec();
                response.is_without_body = false;
                break;
            } else if line[0] == b' ' || line[0] == b'\t' {
                if let Some((_, value)) = response.fields.last_mut() {
                    *value = [value, &b" "[..], line.trim_ascii()].concat();
                }
            } else if line.contains(&b':') {
                let mut parts = line.splitn(2, |&byte| byte == b':');
                let mut part = || parts.next().unwrap_or_default().trim_ascii().to_vec();
                response.fields.push((part(), part()));
            }
        }
        response
    }

    /// Returns the value of the first field with this name.
    pub fn field(&self, name: &[u8]) -> Option<&[u8]> {
        let mut fields = self.fields.iter();
        let found = fields.find(|(field, _)| field.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_slice())
    }

    /// Returns true if the lengths that are stated show that bytes of the body are missing, but for a trimmed line end or
    /// the CRs of all lines.
    pub fn is_short(&self) -> bool {
        let renamed = ["x-crawl-", "x-crawler-", "x-orig-", "x-archive-orig-"];
        let (mut lengths, mut renamed_lengths, mut has_renamed) = (Vec::new(), Vec::new(), false);
        for (name, value) in &self.fields {
            let name = name.escape_ascii().to_string().to_lowercase();
            let original = renamed.iter().find_map(|prefix| name.strip_prefix(prefix));
            has_renamed |= original.is_some();
            if name == "content-length" {
                lengths.extend(value.split(|&byte| byte == b','));
            } else if original.map(str::trim) == Some("content-length") {
                renamed_lengths.push(value.as_slice());
            }
        }
        let number = |value: &[u8]| {
            let value = value.trim_ascii();
            let is_number = value.iter().all(u8::is_ascii_digit);
            String::from_utf8_lossy(value)
                .parse::<u64>()
                .ok()
                .filter(|_| is_number)
        };
        let stored = self.body.len() as u64;
        if lengths.is_empty() {
            let is_large = |value: &&[u8]| number(value).is_none_or(|length| length > 32);
            return stored == 0 && renamed_lengths.iter().any(is_large);
        }
        let Some(length) = number(lengths[0]) else {
            return stored == 0;
        };
        if lengths.iter().any(|other| number(other) != Some(length)) || stored == 0 {
            return stored == 0 && lengths.iter().any(|length| number(length) != Some(0));
        }
        if length <= stored || has_renamed || !self.codings().is_empty() {
            return false;
        }
        let has_crlf = self.body.windows(2).any(|two| two == b"\r\n");
        let lines = self.body.split(|&byte| byte == b'\n').count() as u64 - 1;
        let is_rewritten = length == stored + lines
            && !self.body.contains(&b'\r')
            && self.body.last() == Some(&b'\n');
        !(length == stored + 1 || length == stored + 2 && has_crlf || is_rewritten)
    }

    /// Returns true if the response has a part of a file, according to its status and `Content-Range`.
    pub fn is_part(&self) -> bool {
        let range = self.field(b"content-range").unwrap_or_default();
        let range = String::from_utf8_lossy(range).to_lowercase();
        let parse = || {
            let (unit, range) =
                range.split_once(|character: char| character.is_ascii_whitespace())?;
            let (ends, length) = range.split_once('/')?;
            let (first, last) = ends.split_once('-')?;
            let number = |text: &str| {
                let text = text.trim_matches(|character: char| character.is_ascii_whitespace());
                let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
                text.parse::<u64>().ok().filter(|_| is_number)
            };
            Some(
                unit == "bytes"
                    && number(first)? == 0
                    && number(last)?.checked_add(1)? == number(length)?,
            )
        };
        self.status == Some(206) && parse() != Some(true)
    }

    /// Returns the codings of the body, in the order in which they were applied.
    pub fn codings(&self) -> Vec<Vec<u8>> {
        let mut codings = Vec::new();
        for name in [&b"content-encoding"[..], b"transfer-encoding"] {
            for (field, value) in &self.fields {
                if field.eq_ignore_ascii_case(name) {
                    let words = value.split(|&byte| byte == b',');
                    codings.extend(words.map(|word| word.trim_ascii().to_ascii_lowercase()));
                }
            }
        }
        codings.retain(|coding| !coding.is_empty() && coding != b"identity");
        codings
    }
}

/// Returns the status in the first line: three digits after the first white space.
fn status(line: &[u8]) -> Option<u16> {
    let line: String = line.iter().copied().map(char::from).collect();
    let after = &line[line.find([' ', '\t'])?..];
    let word = after.trim_start_matches(|character: char| character.is_ascii_whitespace());
    let digits: String = word.chars().take_while(char::is_ascii_digit).collect();
    let is_code = digits.len() == 3 && !digits.starts_with('0');
    digits.parse().ok().filter(|_| is_code)
}

/// Decodes the chunks of `body` (RFC 9112 §7.1). Returns up to `limit` bytes, and whether
/// they are truncated by the end of `body` or by the limit. Returns `None` if `body` is
/// not chunked.
pub fn chunks(body: &[u8], limit: usize) -> Option<(Vec<u8>, bool)> {
    let (mut out, mut offset) = (Vec::new(), 0);
    loop {
        let rest = &body[offset..];
        let end = rest.iter().position(|&byte| byte == b'\n');
        let Some(end) = end.filter(|&end| end < SIZE_LINE_BYTES) else {
            // A size line that is truncated: digits, and an extension or blanks.
            let line = String::from_utf8_lossy(rest.trim_ascii_end()).into_owned();
            let digits = line.split(';').next().unwrap_or_default();
            let is_size = digits
                .chars()
                .all(|character| character.is_ascii_hexdigit());
            let is_begun = match digits.len() {
                0 => rest.is_empty(),
                1..=15 => true,
                _ => line.contains(';'),
            };
            let is_cut = is_size && is_begun && rest.len() < SIZE_LINE_BYTES;
            return is_cut.then_some((out, true));
        };
        let line = String::from_utf8_lossy(&rest[..end]);
        let size = line.split(';').next().unwrap_or_default();
        let size = size.trim_matches(|character: char| character.is_ascii_whitespace());
        if size.len() > 15 || !size.chars().all(|character| character.is_ascii_hexdigit()) {
            return None;
        }
        let size = usize::from_str_radix(size, 16).ok()?;
        if size == 0 {
            return Some((out, false));
        }
        offset += end + 1;
        let chunk = &body[offset..body.len().min(offset.saturating_add(size))];
        out.extend_from_slice(chunk);
        offset += chunk.len();
        if chunk.len() < size || out.len() > limit {
            out.truncate(limit);
            return Some((out, true));
        }
        offset += match &body[offset..] {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            [] | [b'\r'] => return Some((out, true)),
            _ => return None,
        };
    }
}

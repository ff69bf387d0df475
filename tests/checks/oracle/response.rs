//! Parses a response according to RFC 9112, with the leniencies that `capture::http`
//! documents.

/// The maximum length of a size line.
const SIZE_LINE_BYTES: usize = 4096;

/// The response in a block.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Response {
    pub status: Option<u16>,
    /// Names as written, and values in which each fold is one space.
    pub fields: Vec<(Vec<u8>, Vec<u8>)>,
    pub body: Vec<u8>,
}

impl Response {
    /// Parses a block. A block that does not begin with `HTTP/` is a body.
    pub fn read(block: &[u8]) -> Self {
        let mut response = Self::default();
        if block.len() < 5 || !block[..5].eq_ignore_ascii_case(b"HTTP/") {
            response.body = block.to_vec();
            return response;
        }
        let mut offset = 0;
        for (nth, line) in block.split_inclusive(|&byte| byte == b'\n').enumerate() {
            offset += line.len();
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if nth == 0 {
                response.status = status(line);
            } else if line.is_empty() {
                response.body = block[offset..].to_vec();
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

    /// Returns true if fewer bytes are stored than the only `Content-Length` states, and the stored bytes are
    /// those that the server counted, but for a line end or the CRs of all lines.
    pub fn is_short(&self) -> bool {
        let named = |test: &dyn Fn(&str) -> bool| {
            let fields = self.fields.iter();
            let found =
                fields.filter(|(name, _)| test(&name.escape_ascii().to_string().to_lowercase()));
            found.map(|(_, value)| value.as_slice()).collect::<Vec<_>>()
        };
        let renamed = ["x-crawl-", "x-crawler-", "x-orig-", "x-archive-orig-"];
        let others = named(&|name| {
            name == "content-encoding"
                || name == "transfer-encoding"
                || renamed.iter().any(|prefix| name.starts_with(prefix))
        });
        let &[length] = named(&|name| name == "content-length").as_slice() else {
            return false;
        };
        if self.status != Some(200) || !others.is_empty() || !length.iter().all(u8::is_ascii_digit)
        {
            return false;
        }
        let announced = String::from_utf8_lossy(length).parse::<u64>().unwrap_or(0);
        match self.body.len() as u64 {
            0 => announced > 0,
            stored if announced > stored + 2 => {
                let lines = self.body.split(|&byte| byte == b'\n').count() as u64 - 1;
                announced != stored + lines || self.body.contains(&b'\r')
            }
            _ => false,
        }
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
            // A size line that is truncated, after at least one chunk.
            let is_size = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b'\r';
            let is_cut = offset > 0 && rest.len() < 20 && rest.iter().all(is_size);
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

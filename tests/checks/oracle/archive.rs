//! Reads a plain archive according to WARC 1.1 §4, with the leniencies that `warc` documents:
//! line ends of LF alone, any number of line ends between records, and resuming after damage at
//! the next record that begins a line. A NUL in a header is damage.

/// The number of bytes of a header in which a type or a length is searched for after damage.
const PLAUSIBLE_BYTES: usize = 4 << 10;

/// The maximum length of the line ends after a record.
const MAX_LINE_ENDS: usize = 64 << 10;

/// The maximum length of a version line.
const MAX_VERSION_BYTES: usize = 64;

/// The fields of a header: names and values.
pub type Fields = Vec<(Vec<u8>, Vec<u8>)>;

/// A record or a fault of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A record: its offset, the length of its header, its fields, and the length of its block.
    Record {
        offset: usize,
        header: usize,
        fields: Fields,
        block: usize,
        /// The length, including the first two line ends after the block.
        len: usize,
    },
    /// Bytes that are not a record, with the code of the fault.
    Fault {
        offset: usize,
        len: usize,
        code: &'static str,
    },
}

/// Returns the records and faults of `bytes`, which begin like an archive. A header has
/// at most `header_max` bytes, and `block_max` bytes of a block are searched.
pub fn read(bytes: &[u8], header_max: usize, block_max: usize) -> Vec<Found> {
    let (mut found, mut offset) = (Vec::new(), 0);
    loop {
        offset += line_ends(&bytes[offset..]);
        let rest = &bytes[offset..];
        if rest.is_empty() {
            return found;
        }
        match record(rest, header_max, block_max) {
            Ok((header, fields, block)) => {
                let end = header + block;
                let ends = line_ends(&rest[end..]);
                let first_two = two_line_ends(&rest[end..end + ends]);
                found.push(Found::Record {
                    offset,
                    header,
                    fields,
                    block,
                    len: end + first_two,
                });
                offset += end + ends;
            }
            Err(code) => {
                let next = (offset + 1..bytes.len()).find(|&next| {
                    bytes[next - 1] == b'\n'
                        && bytes[next..].starts_with(b"WARC/")
                        && is_plausible(&bytes[next..])
                });
                let next = next.unwrap_or(bytes.len());
                found.push(Found::Fault {
                    offset,
                    len: next - offset,
                    code,
                });
                offset = next;
            }
        }
    }
}

/// Parses the record at the start of `bytes`, which are not empty. Returns the length of its
/// header, its fields, and the length of its block.
fn record(
    bytes: &[u8],
    header_max: usize,
    block_max: usize,
) -> Result<(usize, Fields, usize), &'static str> {
    let word = &bytes[..bytes.len().min(5)];
    if !word.eq_ignore_ascii_case(&b"WARC/"[..word.len()]) {
        return Err("garbage");
    }
    if word.len() < 5 {
        return Err("truncated");
    }
    let is_long = bytes.len() >= header_max;
    let header = header(&bytes[..bytes.len().min(header_max)])?;
    let no_end = if is_long {
        "header_too_long"
    } else {
        "truncated"
    };
    let (header, fields) = header.ok_or(no_end)?;
    if bytes[..header].contains(&0) {
        return Err("bad_header");
    }
    let mut stated: Option<u64> = None;
    for (name, value) in &fields {
        if name.eq_ignore_ascii_case(b"content-length") {
            let is_number = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
            let number = std::str::from_utf8(value).ok().filter(|_| is_number);
            let number = number.and_then(|number| number.parse().ok());
            if number.is_none() || stated.is_some_and(|other| Some(other) != number) {
                return Err("bad_content_length");
            }
            stated = number;
        }
    }
    let stated = stated.ok_or("bad_content_length")?;
    let rest = &bytes[header..];
    let block = usize::try_from(stated).unwrap_or(usize::MAX);
    let Some(behind) = rest.get(block..) else {
        return Err("truncated");
    };
    // The end of a record is two line ends and the next record, or the end.
    let run = line_ends(behind).min(MAX_LINE_ENDS);
    let next = &behind[run..];
    let word = &next[..next.len().min(5)];
    let is_next = word.eq_ignore_ascii_case(&b"WARC/"[..word.len()]);
    // A block that holds a record and does not end at one has a wrong length.
    let block_bytes = &rest[..block.min(block_max)];
    let holds_record = (1..block_bytes.len()).any(|i| {
        block_bytes[i - 1] == b'\n'
            && block_bytes[i..].starts_with(b"WARC/")
            && is_plausible(&block_bytes[i..])
    });
    if is_next || (behind.starts_with(b"\r\n\r\n") && !holds_record) {
        Ok((header, fields, block))
    } else {
        Err("bad_content_length")
    }
}

/// Parses the header at the start of `bytes`, and returns its length and its fields, or
/// `None` if it does not end within `bytes`.
fn header(bytes: &[u8]) -> Result<Option<(usize, Fields)>, &'static str> {
    let mut fields = Fields::new();
    let mut end = 0;
    for (nth, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        end += line.len();
        let text = line.strip_suffix(b"\n");
        if nth == 0 {
            let is_cut = text.is_none() && line.len() <= MAX_VERSION_BYTES;
            if is_cut && line.get(5).is_none_or(u8::is_ascii_digit) {
                return Ok(None);
            }
            if !text
                .is_some_and(|version| is_version(version) && version.len() <= MAX_VERSION_BYTES)
            {
                return Err("bad_header");
            }
            continue;
        }
        let Some(text) = text else {
            return Ok(None);
        };
        let value = trim_blanks(text);
        if text.is_empty() || text == b"\r" {
            return Ok(Some((end, fields)));
        } else if text.starts_with(b" ") || text.starts_with(b"\t") {
            // A folded line continues the value of the previous field (RFC 2822 §2.2.3).
            if let Some((_, before)) = fields.last_mut()
                && !text.trim_ascii().is_empty()
            {
                before.truncate(before.trim_ascii_end().len());
                if !before.is_empty() {
                    before.push(b' ');
                }
                before.extend_from_slice(text.trim_ascii());
            }
        } else if let Some(colon) = value.iter().position(|&byte| byte == b':') {
            let (name, value) = (&value[..colon], &value[colon + 1..]);
            fields.push((trim_blanks(name).to_vec(), trim_blanks(value).to_vec()));
        } else if is_version(text) {
            return Err("truncated");
        }
    }
    Ok(None)
}

/// Returns true if a line is `WARC/`, digits, a dot, digits, and nothing else.
fn is_version(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line).to_ascii_lowercase();
    let Some(numbers) = text.strip_prefix("warc/") else {
        return false;
    };
    let numbers = numbers.trim_end_matches(|character: char| character.is_ascii_whitespace());
    let Some((major, minor)) = numbers.split_once('.') else {
        return false;
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number(major) && is_number(minor)
}

/// Returns true if `bytes` seem to begin with a header: a version line, and soon a type
/// or a length.
fn is_plausible(bytes: &[u8]) -> bool {
    let bytes = &bytes[..bytes.len().min(PLAUSIBLE_BYTES)];
    let mut lines = bytes.split(|&byte| byte == b'\n');
    if !lines.next().is_some_and(is_version) {
        return false;
    }
    for line in lines {
        let line = line.to_ascii_lowercase();
        if line.starts_with(b"warc-type:") || line.starts_with(b"content-length:") {
            return true;
        }
        if line.is_empty() || line == b"\r" || is_version(&line) {
            return false;
        }
    }
    false
}

/// Returns the number of CR and LF at the start of `bytes`.
fn line_ends(bytes: &[u8]) -> usize {
    let is_other = |byte: &u8| !matches!(byte, b'\r' | b'\n');
    bytes.iter().position(is_other).unwrap_or(bytes.len())
}

/// Returns the length of the first two line ends of a run, or of what there is of them.
fn two_line_ends(run: &[u8]) -> usize {
    let mut seen = 0;
    for (i, &byte) in run.iter().enumerate() {
        seen += usize::from(byte == b'\n');
        if seen == 2 {
            return i + 1;
        }
    }
    run.len().min(4)
}

/// Removes spaces, tabs and CR from both ends of a text.
fn trim_blanks(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b'\r', rest @ ..] | [rest @ .., b' ' | b'\t' | b'\r'] = text {
        text = rest;
    }
    text
}

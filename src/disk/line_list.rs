//! Reads lists with one entry per line, which come from a user or a server.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// The maximum length of a line of a list, in bytes.
pub const MAX_LIST_LINE_BYTES: u64 = 64 << 10;

/// Reads the entries of a list. Empty lines and lines that begin with `#` are skipped. Only one line is in memory at
/// a time, so that an endless list does not fill it.
pub struct LineList<R> {
    source: R,
    bytes_max: u64,
    bytes_left: u64,
    /// The number of the last line, from 1.
    line_no: u64,
    line: Vec<u8>,
    text: String,
}

/// An entry of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListLine<'a> {
    /// The number of the line, from 1.
    pub number: u64,
    /// The line without white space at its ends. Bytes that are not UTF-8 are replaced.
    pub text: &'a str,
}

impl LineList<BufReader<File>> {
    /// Opens a list of at most `bytes_max` bytes. The file may be a pipe.
    ///
    /// # Errors
    ///
    /// Those of opening the file.
    pub fn open(path: &Path, bytes_max: u64) -> io::Result<Self> {
        Ok(Self::new(BufReader::new(File::open(path)?), bytes_max))
    }
}

impl<R: BufRead> LineList<R> {
    /// Starts to read a list of at most `bytes_max` bytes.
    pub fn new(source: R, bytes_max: u64) -> Self {
        Self {
            source,
            bytes_max,
            bytes_left: bytes_max,
            line_no: 0,
            line: Vec::new(),
            text: String::new(),
        }
    }

    /// Returns the next entry; `None` at the end.
    ///
    /// # Errors
    ///
    /// Those of reading, and one for a list or a line that is too long.
    pub fn advance(&mut self) -> io::Result<Option<ListLine<'_>>> {
        loop {
            self.line.clear();
            let limit = self.bytes_left.min(MAX_LIST_LINE_BYTES) + 1;
            let mut limited = self.source.by_ref().take(limit);
            let read = limited.read_until(b'\n', &mut self.line)? as u64;
            if read == 0 {
                return Ok(None);
            }
            self.line_no += 1;
            let number = self.line_no;
            if read > self.bytes_left {
                let why = format!("line {number}: it has more than {} bytes", self.bytes_max);
                return Err(io::Error::other(why));
            }
            if read > MAX_LIST_LINE_BYTES {
                let why = format!("line {number} has more than {MAX_LIST_LINE_BYTES} bytes");
                return Err(io::Error::other(why));
            }
            self.bytes_left -= read;
            let line = self.line.trim_ascii();
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            self.text.clear();
            self.text.push_str(&String::from_utf8_lossy(line));
            return Ok(Some(ListLine {
                number,
                text: self.text.trim(),
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: impl Read, bytes_max: u64) -> Result<Vec<(u64, String)>, String> {
        let mut list = LineList::new(BufReader::new(bytes), bytes_max);
        let mut lines = Vec::new();
        while let Some(line) = list.advance().map_err(|error| error.to_string())? {
            lines.push((line.number, line.text.to_owned()));
        }
        Ok(lines)
    }

    #[test]
    fn entries_have_the_numbers_of_their_lines() {
        let lines = read(&b"a\r\n\n # no\n#no\n b c \n\xff"[..], 100).unwrap();
        let expected = [(1, "a"), (5, "b c"), (6, "\u{fffd}")];
        assert_eq!(
            lines,
            expected.map(|(number, text)| (number, text.to_owned()))
        );
    }

    #[test]
    fn a_list_without_an_end_is_refused() {
        assert!(read(&b"a\nb\n"[..], 4).is_ok());
        let error = read(&b"a\nb\nc"[..], 4).unwrap_err();
        assert_eq!(error, "line 3: it has more than 4 bytes");
        let error = read(io::repeat(0), u64::MAX - 1).unwrap_err();
        assert_eq!(error, "line 1 has more than 65536 bytes");
        let line = "x".repeat(MAX_LIST_LINE_BYTES as usize);
        assert_eq!(read(line.as_bytes(), 1 << 20).unwrap().len(), 1);
        assert!(read(format!("{line}x").as_bytes(), 1 << 20).is_err());
    }
}

//! The text of a robots.txt as numbered lines.

use super::MAX_SHOWN_BYTES;
use super::capture_details::BodyDetails;
use escapes::escape_body;
use robots::Lines;
use std::borrow::Cow;
use std::collections::BTreeMap;
use tables::Table;

/// The place that the text of a robots.txt was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextSource {
    /// A robots.txt file.
    File,
    /// The archive with the capture.
    Archive,
    /// The column `body` of the dataset.
    Body,
    /// The rows of the capture in the tables. They lack comments, blank lines, spacing, and lines that are not
    /// directives.
    Rows {
        /// The tables of lines that the dataset does not have, such as `sitemaps`.
        missing_tables: Vec<Table>,
    },
    /// The policy of a history, which has only the lines that a dialect or a preference reads.
    Policy,
}

/// The lines of a robots.txt, and the place that they were read from.
#[derive(Debug)]
pub struct NumberedText {
    /// The place that the lines were read from.
    pub source: TextSource,
    /// The number of lines of the whole file, including a last empty one; `None` in a history. Fewer lines
    /// are known if the text is cut or was rebuilt from rows.
    pub n_lines: Option<u32>,
    /// True if the file is longer than 16 MiB, of which only the start is kept.
    pub is_cut: bool,
    content: TextContent,
}

#[derive(Debug)]
enum TextContent {
    Bytes { bytes: Vec<u8>, is_valid_utf8: bool },
    Lines(BTreeMap<u32, String>),
}

/// A line of a robots.txt, with its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLine<'t> {
    /// Its number, from 1.
    pub line_no: u32,
    /// The text, which may contain control characters. If the file is not UTF-8, the text is escaped as in
    /// the tables.
    pub text: Cow<'t, str>,
}

impl NumberedText {
    /// Creates a text from a body, and cuts it at [`MAX_SHOWN_BYTES`].
    pub(super) fn from_body(source: TextSource, mut bytes: Vec<u8>, details: &BodyDetails) -> Self {
        let is_cut = bytes.len() > MAX_SHOWN_BYTES;
        bytes.truncate(MAX_SHOWN_BYTES);
        Self {
            source,
            n_lines: details.n_lines,
            is_cut: details
                .bytes
                .map_or(is_cut, |bytes| bytes > MAX_SHOWN_BYTES as u64),
            content: TextContent::Bytes {
                bytes,
                is_valid_utf8: details.is_valid_utf8,
            },
        }
    }

    /// Creates the text of a file.
    pub fn from_file(bytes: Vec<u8>) -> Self {
        let details = BodyDetails {
            bytes: Some(bytes.len() as u64),
            n_lines: Some(u32::try_from(Lines::new(&bytes, 0).count()).unwrap_or(u32::MAX)),
            is_valid_utf8: std::str::from_utf8(&bytes).is_ok(),
        };
        Self::from_body(TextSource::File, bytes, &details)
    }

    /// Creates a text from lines, by their numbers.
    pub(super) fn from_lines(
        source: TextSource,
        lines: BTreeMap<u32, String>,
        n_lines: Option<u32>,
    ) -> Self {
        Self {
            source,
            n_lines,
            is_cut: false,
            content: TextContent::Lines(lines),
        }
    }

    /// Returns the lines in order. An empty line after the last line end is left out.
    pub fn lines(&self) -> Box<dyn Iterator<Item = TextLine<'_>> + '_> {
        match &self.content {
            TextContent::Bytes {
                bytes,
                is_valid_utf8,
            } => {
                let end = bytes.len();
                let lines = Lines::new(bytes, 0).filter(move |line| line.start < end);
                Box::new(lines.map(|line| TextLine {
                    line_no: line.no,
                    text: escape_body(line.bytes, *is_valid_utf8),
                }))
            }
            TextContent::Lines(lines) => Box::new(lines.iter().map(|(line_no, text)| TextLine {
                line_no: *line_no,
                text: text.into(),
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_details(bytes: u64, n_lines: u32, is_valid_utf8: bool) -> BodyDetails {
        BodyDetails {
            bytes: Some(bytes),
            n_lines: Some(n_lines),
            is_valid_utf8,
        }
    }

    fn read_lines(body: &[u8], is_valid_utf8: bool) -> Vec<(u32, String)> {
        let details = new_details(body.len() as u64, 0, is_valid_utf8);
        let text = NumberedText::from_body(TextSource::Body, body.to_vec(), &details);
        let lines = text.lines();
        lines
            .map(|line| (line.line_no, line.text.into_owned()))
            .collect()
    }

    #[test]
    fn lines_have_the_numbers_of_the_parser_and_the_escapes_of_the_tables() {
        let line = |number, text: &str| (number, text.to_owned());
        assert_eq!(read_lines(b"", true), []);
        assert_eq!(
            read_lines(b"a\r\n\r b\n", true),
            [line(1, "a"), line(2, ""), line(3, " b")]
        );
        assert_eq!(
            read_lines(b"a\\\xe9\nb", false),
            [line(1, "a\\\\\\xE9"), line(2, "b")]
        );
    }

    #[test]
    fn a_text_is_cut_at_the_limit() {
        let body = vec![b'#'; MAX_SHOWN_BYTES + 1];
        for (bytes, is_cut) in [(MAX_SHOWN_BYTES, false), (MAX_SHOWN_BYTES + 1, true)] {
            let details = new_details(bytes as u64, 1, true);
            let text = NumberedText::from_body(TextSource::Body, body[..bytes].to_vec(), &details);
            assert_eq!(text.is_cut, is_cut);
            let line = text.lines().next().unwrap();
            assert_eq!(line.text.len(), MAX_SHOWN_BYTES);
        }
    }
}

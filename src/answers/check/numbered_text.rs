//! The text of a robots.txt as numbered lines.

use super::MAX_SHOWN_BYTES;
use super::report::BodyDetails;
use escapes::escape_body;
use robots::{Lines, MAX_FILE_LINES};
use serde::Serialize;

/// The place that the text of a robots.txt was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TextSource {
    /// A robots.txt file.
    File,
    /// The archive with the capture.
    Archive,
    /// The column `body` of the dataset.
    Body,
    /// The rows of the capture in the tables. They lack comments, blank lines, spacing, and lines without a
    /// key.
    Rows,
    /// The policy of a history, which has only the lines that a dialect or a preference reads.
    Policy,
}

/// The lines of a robots.txt, and the place that they were read from.
#[derive(Debug, Serialize)]
pub struct NumberedText {
    /// The place that the lines were read from.
    pub source: TextSource,
    /// The tables of lines that the dataset does not have, such as `sitemaps`, if the lines are from rows.
    pub missing_tables: Vec<&'static str>,
    /// The number of lines of the whole file, including a last empty one; `None` in a history. Fewer lines
    /// are known if the text is cut or was rebuilt from rows.
    pub n_lines: Option<u32>,
    /// True if the file is longer than 16 MiB or has more than [`MAX_FILE_LINES`], of which only the start is kept.
    pub is_cut: bool,
    /// The lines in order. An empty line after the last line end is left out.
    pub lines: Vec<TextLine>,
}

/// A line of a robots.txt, with its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TextLine {
    /// Its number, from 1.
    pub line_no: u32,
    /// The text, which may contain control characters. If the file is not UTF-8, the text is escaped as in
    /// the tables.
    pub text: String,
}

impl NumberedText {
    /// Creates a text from a body, and cuts it at [`MAX_SHOWN_BYTES`] and [`MAX_FILE_LINES`].
    pub(super) fn from_body(source: TextSource, body: &[u8], details: &BodyDetails) -> Self {
        let shown = &body[..body.len().min(MAX_SHOWN_BYTES)];
        let mut lines = Lines::new(shown, 0).filter(|line| line.start < shown.len());
        let kept = lines.by_ref().take(MAX_FILE_LINES).map(|line| TextLine {
            line_no: line.no,
            text: escape_body(line.bytes, details.is_valid_utf8).into_owned(),
        });
        let kept = kept.collect();
        let bytes = details.bytes.unwrap_or(body.len() as u64);
        Self {
            source,
            missing_tables: Vec::new(),
            n_lines: details.n_lines,
            is_cut: bytes > MAX_SHOWN_BYTES as u64 || lines.next().is_some(),
            lines: kept,
        }
    }

    /// Creates the text of a file.
    pub(super) fn from_file(body: &[u8]) -> Self {
        let details = BodyDetails {
            bytes: Some(body.len() as u64),
            n_lines: Some(u32::try_from(Lines::new(body, 0).count()).unwrap_or(u32::MAX)),
            is_valid_utf8: std::str::from_utf8(body).is_ok(),
        };
        Self::from_body(TextSource::File, body, &details)
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
        let text = NumberedText::from_body(TextSource::Body, body, &details);
        let lines = text.lines.into_iter();
        lines.map(|line| (line.line_no, line.text)).collect()
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
            let text = NumberedText::from_body(TextSource::Body, &body[..bytes], &details);
            assert_eq!(text.is_cut, is_cut);
            assert_eq!(text.lines[0].text.len(), MAX_SHOWN_BYTES);
        }
    }
}

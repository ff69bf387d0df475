//! The kinds of errors of this package.

use errors::Kind;
use robots::MAX_FILE_LINES;
use std::fmt;
use std::path::Path;

// The message of `TooManyLines` has this number.
const _: () = assert!(MAX_FILE_LINES == 500_000);

/// The kinds of errors of commands that answer questions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerErrorKind {
    /// No crawler is given.
    NoCrawler,
    /// A robots.txt has more lines than are listed.
    TooManyLines,
    /// A file is not a list of URLs. The text is the reason.
    NotAUrlList(String),
}

impl Kind for AnswerErrorKind {
    fn write_message(&self, path: &Path, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = path.display();
        match self {
            Self::TooManyLines => write!(
                f,
                "the robots.txt in '{place}' has more than 500,000 lines or anomalies, or lines of more than 64 MiB"
            ),
            Self::NotAUrlList(why) => write!(f, "'{place}' is not a URL list: {why}"),
            Self::NoCrawler => write!(f, "no crawler is given"),
        }
    }
}

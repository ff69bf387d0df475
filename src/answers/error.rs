//! The kinds of errors of this package.

use disk::error::Kind;
use robots::MAX_FILE_LINES;
use std::fmt;
use std::path::Path;

// The message of `TooManyLines` has this number.
const _: () = assert!(MAX_FILE_LINES == 500_000);

/// The kinds of errors of commands that answer questions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerErrorKind {
    /// The destination of a copy is not a prefix of S3.
    NotS3,
    /// The destination of a copy has the manifest of another dataset.
    OtherDatasetThere,
    /// Objects at the destination of a copy have other sizes than were written, or are gone.
    CopyChanged {
        /// The path of the first such object, below the destination.
        path: String,
    },
    /// No crawler is given.
    NoCrawler,
    /// An archive has no record at an offset, or the record there is too large to be copied.
    NoSuchRecord {
        /// The offset.
        offset: u64,
    },
    /// The record of a capture cannot be copied.
    NotExtracted {
        /// The reason.
        reason: String,
    },
    /// A robots.txt has more lines than are listed.
    TooManyLines,
    /// A file is not a list of URLs. The text is the reason.
    NotAUrlList(String),
}

impl Kind for AnswerErrorKind {
    fn write_message(&self, path: &Path, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = path.display();
        match self {
            Self::NotS3 => write!(f, "'{place}' is not a prefix of S3"),
            Self::OtherDatasetThere => write!(f, "'{place}' has another dataset"),
            Self::CopyChanged { path } => write!(
                f,
                "the object '{path}' at '{place}' is missing or has another size than was written; the copy is not complete"
            ),
            Self::NoSuchRecord { offset } => {
                write!(f, "'{place}' has no record at {offset} that can be copied")
            }
            Self::NotExtracted { reason } => {
                write!(f, "the record in '{place}' is not copied: {reason}")
            }
            Self::TooManyLines => write!(
                f,
                "the robots.txt in '{place}' has more than 500,000 lines or anomalies, or lines of more than 64 MiB"
            ),
            Self::NotAUrlList(why) => write!(f, "'{place}' is not a URL list: {why}"),
            Self::NoCrawler => write!(f, "no crawler is given"),
        }
    }

    fn is_before_start(&self) -> bool {
        !matches!(self, Self::CopyChanged { .. })
    }
}
